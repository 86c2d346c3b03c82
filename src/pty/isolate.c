// SPDX-License-Identifier: GPL-3.0-only
/*
 * isolate: what the supervisor and the mounter give up.
 *
 * The supervisor parses hostile bytes with the user's rights from the first byte of the agent on.
 * By then it has opened everything it needs: afterwards no file can be written or created
 * (Landlock), reading is left only where the resolver of libc looks, nothing can be executed and no
 * other process looked into (seccomp), and root is without its capabilities. The mounter keeps mounting and loses executing and talking.
 *
 * A process that only filters from one descriptor to another (--sanitize) keeps nothing but them.
 *
 * All are called while the process has one thread: Landlock and seccomp bind the calling thread
 * and what it creates later.
 */
#include "pty/isolate.h"

#include "backend/landlock.h"
#include "backend/seccomp.h"

#include <errno.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Where getaddrinfo and its modules read (nsswitch.conf(5), systemd-resolved, nscd). */
static const char *const readable[] = {
    "/etc",
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/gnu/store",
    "/run/nscd",
    "/run/systemd/resolve",
    /* what /etc/resolv.conf may be a link into */
    "/run/resolvconf",
    "/run/NetworkManager",
    "/run/connman",
    "/run/netconfig",
    "/mnt/wsl",
};

int isolate_undumpable(void)
{
    return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? -errno : 0;
}

static int restrict_files(int abi, struct error *error)
{
    uint64_t handled = landlock_fs_rights(abi);
    _cleanup_close_ int ruleset = -1;
    int r;

    ruleset = landlock_create(handled, 0, landlock_scopes(abi) & LL_SCOPE_ABSTRACT_UNIX);
    if (ruleset < 0)
        return error_set(error, -ruleset, "Landlock for the supervisor: %s", strerror(-ruleset));
    for (size_t i = 0; i < ARRAY_SIZE(readable); i++) {
        r = landlock_allow_path(ruleset, readable[i], LL_READ_FILE | LL_READ_DIR);
        if (r < 0 && r != -ENOENT)
            return error_set(error, -r, "Landlock for the supervisor, %s: %s", readable[i],
                             strerror(-r));
    }
    r = landlock_enforce(ruleset, abi);
    if (r < 0)
        return error_set(error, -r, "Landlock for the supervisor: %s", strerror(-r));
    return 0;
}

static int restrict_calls(enum seccomp_program program, const char *who, struct error *error)
{
    int r = seccomp_install(program);

    if (r < 0)
        return error_set(error, -r, "system call filter of the %s: %s", who, strerror(-r));
    return 0;
}

/*
 * Of root's capabilities (capabilities(7)) the supervisor keeps the one by which it still sees whether the
 * policy file of a project has changed that belongs to somebody else. What is opened is Landlock's
 * business.
 */
static int drop_capabilities(struct error *error)
{
    struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
    struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {{0, 0, 0}};
    uint32_t keep = 1U << CAP_DAC_READ_SEARCH;

    if (syscall(SYS_capget, &header, data) < 0)
        return error_set(error, errno, "capabilities of the supervisor: %s", strerror(errno));
    keep &= data[0].permitted;
    memset(data, 0, sizeof(data));
    data[0].permitted = data[0].effective = keep;
    if (syscall(SYS_capset, &header, data) < 0)
        return error_set(error, errno, "capabilities of the supervisor: %s", strerror(errno));
    return 0;
}

int isolate_supervisor(int abi, bool with_seccomp, struct notes *notes, struct error *error)
{
    int r = 0;

    if (abi > 0)
        r = restrict_files(abi, error);
    else
        notes_add(notes, NOTE_SECURITY,
                  "Landlock is not available: the supervisor keeps its access to files");
    if (r == 0)
        r = drop_capabilities(error);
    if (r == 0 && with_seccomp)
        r = restrict_calls(SECCOMP_SUPERVISOR, "supervisor", error);
    return r;
}

int isolate_mounter(bool with_seccomp, struct error *error)
{
    return with_seccomp ? restrict_calls(SECCOMP_MOUNTER, "mounter", error) : 0;
}

/* Everything that Landlock can refuse, without an exception. */
static int restrict_everything(int abi, struct error *error)
{
    uint64_t net = abi >= 4 ? LL_NET_BIND_TCP | LL_NET_CONNECT_TCP : 0;
    _cleanup_close_ int ruleset =
        landlock_create(landlock_fs_rights(abi), net, landlock_scopes(abi));
    int r = ruleset < 0 ? ruleset : landlock_enforce(ruleset, abi);

    return r < 0 ? error_set(error, -r, "Landlock for the filter: %s", strerror(-r)) : 0;
}

int isolate_stream(int abi, bool with_seccomp, struct notes *notes, struct error *error)
{
    int r = 0;

    if (abi > 0)
        r = restrict_everything(abi, error);
    else
        notes_add(notes, NOTE_SECURITY,
                  "Landlock is not available: the filter keeps its access to files");
    if (!with_seccomp)
        notes_add(notes, NOTE_SECURITY,
                  "system call filters are not available: the filter keeps all system calls");
    /* Of two programs the stricter one decides about each call: one knows no mounts, one no
     * sockets. */
    if (r == 0 && with_seccomp)
        r = restrict_calls(SECCOMP_MOUNTER, "filter", error);
    if (r == 0 && with_seccomp)
        r = restrict_calls(SECCOMP_SUPERVISOR, "filter", error);
    return r;
}
