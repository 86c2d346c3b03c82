// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_kernel: io_uring, keyring, bpf, perf, userfaultfd, modules, clock, and calls that nobody
 * knows yet. Arguments are chosen so that a call that gets through changes nothing.
 */
#include "probe.h"

#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/landlock.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/acct.h>
#include <sys/io.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <time.h>

#ifndef SYS_lsm_set_self_attr
#define SYS_lsm_set_self_attr 460
#endif
/* The last call that the filter's table has reviewed (file_setattr). */
#define LAST_REVIEWED       469
#define LAST_TRIED          1023
#define UFFD_USER_MODE_ONLY 1
#define CAD_OFF             0

static void io_urings(struct trial *t)
{
    struct io_uring_params params;

    memset(&params, 0, sizeof params);
    trial_call(t, 0, RESULT(syscall(SYS_io_uring_setup, 1U, &params)), "io_uring_setup");
    if (t->control)
        return;
    trial_call(t, 0, RESULT(syscall(SYS_io_uring_enter, -1, 0U, 0U, 0U, NULL, 0UL)),
               "io_uring_enter");
    trial_call(t, 0, RESULT(syscall(SYS_io_uring_register, -1, 0U, NULL, 0U)), "io_uring_register");
}

/* Runtimes that try io_uring and clone3 first must live with the answers. */
static void runtimes_work(struct trial *t)
{
    static const char *const commands[][4] = {
        {"node", "-e", "0", NULL}, {"bun", "--version", NULL}, {"python3", "-c", "0", NULL}};
    unsigned ran = 0;

    for (size_t i = 0; i < 3; i++) {
        long rc = program_run(commands[i]);
        ran += rc != -ENOENT;
        trial_must(t, rc == 0 || rc == -ENOENT, "%s ends with %ld", commands[i][0], rc);
    }
    if (ran == 0)
        trial_blind(t, "none of node, bun, python3 is installed");
}

static long key_control(long operation, long a, long b, long c)
{
    return RESULT(syscall(SYS_keyctl, operation, a, b, c, 0L));
}

/* The harness keeps a key with the token as description in the user's keyring. */
static void keyring(struct trial *t)
{
    const char *token = fact_token();
    long serial = fact_number("key_serial");
    char data[64];

    trial_call(t, 0, key_control(KEYCTL_SEARCH, KEY_SPEC_USER_KEYRING, (long)"user", (long)token),
               "keyctl(SEARCH)");
    trial_call(t, 0, key_control(KEYCTL_READ, serial, (long)data, sizeof data), "keyctl(READ)");
    trial_call(t, 0, RESULT(syscall(SYS_request_key, "user", token, NULL, 0L)), "request_key");
    trial_call(t, 0, key_control(KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0, 0),
               "keyctl(GET_KEYRING_ID)");
    trial_call(t, 0, key_control(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0), "keyctl(JOIN)");
    if (t->control)
        return;
    trial_call(t, 0,
               RESULT(syscall(SYS_add_key, "user", "escape", "x", 1UL, KEY_SPEC_PROCESS_KEYRING)),
               "add_key");
    trial_call(t, 0, key_control(KEYCTL_SESSION_TO_PARENT, 0, 0, 0), "keyctl(TO_PARENT)");
}

static long step_session_to_parent(const void *argument)
{
    (void)argument;
    key_control(KEYCTL_JOIN_SESSION_KEYRING, 0, 0, 0);
    return key_control(KEYCTL_SESSION_TO_PARENT, 0, 0, 0);
}

/* CVE-2024-42318: new credentials from a child dropped the Landlock domain. */
static void keyring_drops_landlock(struct trial *t)
{
    char path[4096], buf[8];
    size_t at = 0;

    trial_call(t, 0, trial_fork(step_session_to_parent, NULL), "keyctl(SESSION_TO_PARENT)");
    for (unsigned i = 0; i < 3; i++)
        getpid();
    trial_call(t, 1, RESULT(open("/escape-n", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)),
               "open(/escape-n, O_CREAT)");
    if (fact_each("credentials", &at, path, sizeof path))
        trial_call(t, 1, file_read(path, buf, sizeof buf), "open(%s)", path);
}

static void bpf_calls(struct trial *t)
{
    union bpf_attr map, program, object;
    struct bpf_insn code[] = {{.code = 0xb7}, {.code = 0x95}};

    memset(&map, 0, sizeof map);
    map.map_type = BPF_MAP_TYPE_ARRAY;
    map.key_size = map.value_size = 4;
    map.max_entries = 1;
    memset(&program, 0, sizeof program);
    program.prog_type = BPF_PROG_TYPE_SOCKET_FILTER;
    program.insn_cnt = 2;
    program.insns = (uintptr_t)code;
    program.license = (uintptr_t) "GPL";
    memset(&object, 0, sizeof object);
    object.pathname = (uintptr_t) "/sys/fs/bpf/escape-absent";
    trial_call(t, 0, RESULT(syscall(SYS_bpf, BPF_MAP_CREATE, &map, sizeof map)), "bpf(MAP_CREATE)");
    trial_call(t, 0, RESULT(syscall(SYS_bpf, BPF_PROG_LOAD, &program, sizeof program)),
               "bpf(PROG_LOAD)");
    trial_call(t, 0, RESULT(syscall(SYS_bpf, BPF_OBJ_GET, &object, sizeof object)), "bpf(OBJ_GET)");
}

static void perf_events(struct trial *t)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_SOFTWARE, .size = sizeof attr, .config = PERF_COUNT_SW_CPU_CLOCK};

    trial_call(t, 0, RESULT(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0UL)),
               "perf_event_open(self)");
    trial_call(t, 0, RESULT(syscall(SYS_perf_event_open, &attr, -1, 0, -1, 0UL)),
               "perf_event_open(cpu 0)");
}

static void userfault(struct trial *t)
{
    trial_call(t, 0, RESULT(syscall(SYS_userfaultfd, UFFD_USER_MODE_ONLY)), "userfaultfd");
    trial_call(t, 1, RESULT(open("/dev/userfaultfd", O_RDWR | O_CLOEXEC)),
               "open(/dev/userfaultfd)");
}

/* Flags and names that no kernel accepts: with the right to do it the answer is another one. */
static void kernel_code(struct trial *t)
{
    trial_call(t, 0, RESULT(syscall(SYS_init_module, NULL, 0UL, "")), "init_module");
    trial_call(t, 0, RESULT(syscall(SYS_finit_module, -1, "", 0)), "finit_module");
    trial_call(t, 0, RESULT(syscall(SYS_delete_module, "escape_absent", O_NONBLOCK)),
               "delete_module");
    trial_call(t, 0, RESULT(syscall(SYS_kexec_load, 0UL, 0UL, NULL, 0xffffUL)), "kexec_load");
    trial_call(t, 0, RESULT(syscall(SYS_kexec_file_load, -1, -1, 0UL, "", 0xffffUL)),
               "kexec_file_load");
}

/* Same names, an impossible clock rate, wrong magic: never an effect. */
static void machine_state(struct trial *t)
{
    struct timespec bad_time = {.tv_nsec = -1};
    struct timex bad_rate = {.modes = ADJ_TICK, .tick = 1};
    struct utsname names;
    char log[16];

    uname(&names);
    trial_call(t, 0, RESULT(syscall(SYS_reboot, 1, 2, CAD_OFF, NULL)), "reboot");
    trial_call(t, 0, RESULT(syscall(SYS_settimeofday, NULL, NULL)), "settimeofday");
    trial_call(t, 0, RESULT(syscall(SYS_clock_settime, CLOCK_REALTIME, &bad_time)),
               "clock_settime");
    trial_call(t, 0, RESULT(clock_adjtime(CLOCK_REALTIME, &bad_rate)), "clock_adjtime");
    trial_call(t, 0, RESULT(adjtimex(&bad_rate)), "adjtimex");
    trial_call(t, 0, RESULT(sethostname(names.nodename, strlen(names.nodename))), "sethostname");
    trial_call(t, 0, RESULT(setdomainname(names.domainname, strlen(names.domainname))),
               "setdomainname");
    trial_call(t, 0, RESULT(syscall(SYS_syslog, 3, log, sizeof log)), "syslog(3)");
    trial_call(t, 0, RESULT(syscall(SYS_syslog, 10, NULL, 0)), "syslog(10)");
    if (!t->control)
        trial_call(t, 0, RESULT(syscall(SYS_vhangup)), "vhangup");
}

static void obsolete_calls(struct trial *t)
{
#if defined(__x86_64__)
    char table[16];

    trial_call(t, 0, RESULT(iopl(3)), "iopl");
    trial_call(t, 0, RESULT(ioperm(0, 1, 1)), "ioperm");
    trial_call(t, 0, RESULT((int)syscall(SYS_modify_ldt, 0, table, sizeof table)), "modify_ldt");
    trial_call(t, 0, RESULT(syscall(SYS_uselib, "/escape-absent")), "uselib");
    trial_call(t, 0, RESULT(syscall(SYS_lookup_dcookie, 0UL, table, sizeof table)),
               "lookup_dcookie");
    trial_call(t, 0, RESULT(syscall(SYS_nfsservctl, 0, NULL, NULL)), "nfsservctl");
    trial_call(t, 0, RESULT(syscall(SYS__sysctl, NULL)), "_sysctl");
#else
    trial_blind(t, "calls of x86-64");
#endif
}

static void personalities(struct trial *t)
{
    trial_call(t, 0, RESULT(personality(READ_IMPLIES_EXEC)), "personality(READ_IMPLIES_EXEC)");
    trial_call(t, 0, RESULT(personality(ADDR_COMPAT_LAYOUT)), "personality(ADDR_COMPAT_LAYOUT)");
    trial_must(t, t->control || personality(0xffffffff) >= 0, "personality(query)");
}

static void self_protection(struct trial *t)
{
    struct {
        uint64_t id, flags, len, ctx_len;
        char ctx[16];
    } label = {.id = 104, .len = sizeof label, .ctx_len = 11, .ctx = "unconfined"};

    trial_call(t, 0, RESULT(syscall(SYS_memfd_secret, 0U)), "memfd_secret");
    trial_call(t, 1, RESULT(syscall(SYS_lsm_set_self_attr, 100U, &label, sizeof label, 0U)),
               "lsm_set_self_attr");
}

static void unknown_calls(struct trial *t)
{
    for (long number = LAST_REVIEWED + 1; number <= LAST_TRIED; number++)
        trial_call(t, 0, RESULT(syscall(number, 0L, 0L, 0L, 0L, 0L, 0L)), "syscall(%ld)", number);
    trial_call(t, 0, RESULT(syscall(-1L, 0L, 0L, 0L, 0L, 0L, 0L)), "syscall(-1)");
}

/* An agent's own Landlock sandbox works and forbids. */
static void nested_landlock(struct trial *t)
{
    struct landlock_ruleset_attr attr = {.handled_access_fs = LANDLOCK_ACCESS_FS_WRITE_FILE |
                                                              LANDLOCK_ACCESS_FS_MAKE_REG};
    long set = RESULT(syscall(SYS_landlock_create_ruleset, &attr, sizeof attr, 0U));

    if (set == -ENOSYS || set == -EOPNOTSUPP) {
        trial_blind(t, "the kernel has no Landlock");
        return;
    }
    trial_go_where_writable(t);
    trial_must(t, set >= 0, "landlock_create_ruleset: %ld", set);
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    trial_must(t, syscall(SYS_landlock_restrict_self, (int)set, 0U) == 0, "landlock_restrict_self");
    trial_call(t, 0, RESULT(open("escape-nested", O_CREAT | O_WRONLY | O_CLOEXEC, 0600)),
               "open(O_CREAT) against the nested set");
    unlink("escape-nested");
}

const struct probe probes_kernel[] = {
    {"E-KRN-01", io_urings, "ENOSYS", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-KRN-02", runtimes_work, "OK", EVERY, CONTROL_NONE, NULL, "OK"},
    {"E-KRN-03", keyring, "ENOSYS EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-KRN-04", keyring_drops_landlock, "ENOSYS EPERM; ENOENT EACCES EROFS", EVERY, CONTROL_NONE,
     NULL, "OK ENOSYS EPERM; ENOENT EACCES EROFS"},
    {"E-KRN-05", bpf_calls, "EPERM", EVERY, CONTROL_ROOT, NULL, NULL},
    {"E-KRN-06", perf_events, "EPERM", EVERY, CONTROL_ROOT, NULL, NULL},
    {"E-KRN-07", userfault, "EPERM; ENOENT", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-KRN-08", kernel_code, "EPERM ENOSYS", EVERY, CONTROL_NONE, NULL, "EPERM ENOSYS"},
    {"E-KRN-09", machine_state, "EPERM", EVERY, CONTROL_ROOT, NULL, NULL},
    {"E-KRN-10", obsolete_calls, "EPERM ENOSYS", EVERY, CONTROL_NONE, NULL, NULL},
    {"E-KRN-11", personalities, "EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-KRN-12", self_protection, "ENOSYS EPERM; ENOSYS EPERM EINVAL EOPNOTSUPP", EVERY,
     CONTROL_NONE, NULL, NULL},
    {"E-KRN-14", unknown_calls, "ENOSYS", EVERY, CONTROL_NONE, NULL, NULL},
    {"E-KRN-15", nested_landlock, "EACCES", EVERY, CONTROL_NONE, NULL, "EACCES"},
    {0},
};
