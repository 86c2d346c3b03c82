// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_macos: facts about the machine, as macOS tells them. Everything here is Darwin's own, so it is
 * compiled against declarations alone where there is no Mac (tests/macos).
 */
#include "host.h"

#include "backend/seatbelt.h"
#include "host_sandbox_exec.h"

#include <limits.h>
#include <mach-o/dyld.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysctl.h>
#include <unistd.h>

const char *macos_sandbox_exec(void)
{
    return SEATBELT_PROGRAM;
}

char *macos_temporary_root(void)
{
    char path[PATH_MAX];
    size_t len = confstr(_CS_DARWIN_USER_TEMP_DIR, path, sizeof(path));

    return len > 0 && len <= sizeof(path) ? xstrdup(path) : NULL;
}

uint64_t macos_descriptors_max(void)
{
    int count = 0;
    size_t size = sizeof(count);

    return sysctlbyname("kern.maxfilesperproc", &count, &size, NULL, 0) == 0 && count > 0
               ? (uint64_t)count
               : OPEN_MAX;
}

bool macos_is_called(pid_t pid, const char *name)
{
    int what[] = {CTL_KERN, KERN_PROC, KERN_PROC_PID, pid};
    struct kinfo_proc process;
    size_t size = sizeof(process);

    return sysctl(what, ARRAY_SIZE(what), &process, &size, NULL, 0) == 0 &&
           size == sizeof(process) &&
           strncmp(process.kp_proc.p_comm, name, sizeof(process.kp_proc.p_comm)) == 0;
}

static char *text_of(const char *name)
{
    char text[256] = "";
    size_t size = sizeof(text) - 1;

    return xstrdup(sysctlbyname(name, text, &size, NULL, 0) == 0 ? text : "");
}

/* Resolved: the name may be a link of a package manager. */
static char *own_program(void)
{
    char path[PATH_MAX];
    char resolved[PATH_MAX];
    uint32_t size = sizeof(path);

    return _NSGetExecutablePath(path, &size) == 0 && realpath(path, resolved) ? xstrdup(resolved)
                                                                              : NULL;
}

void host_read_machine(struct host *host)
{
    uint64_t bytes = 0;
    size_t size = sizeof(bytes);

    host->macos.is_on = true;
    host->exe = own_program();
    host->machine_id = text_of("kern.uuid");
    if (sysctlbyname("hw.memsize", &bytes, &size, NULL, 0) == 0)
        host->ram_bytes = bytes;
}
