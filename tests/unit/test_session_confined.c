// SPDX-License-Identifier: GPL-3.0-only
/*
 * The supervisor of a real run tries, just before the command starts, what it must no longer be able to
 * do (E-LIF-04). The same attempts by the same process before the run are the controls.
 */
#include "config/config.h"
#include "pty/session.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static char base[] = "/tmp/ai-jail-confined-XXXXXX";

/* What was tried, and the errno: shared with the test. */
struct results {
    int confined; /* 1 once the attempts were made */
    int write_file;
    int read_home;
    int create;
    int read_etc;
    int execute;
    int trace;
};

static int errno_of(int result)
{
    return result < 0 ? errno : 0;
}

static int try_open(const char *name, int flags)
{
    char path[128];
    int fd;
    int code;

    snprintf(path, sizeof(path), "%s/%s", base, name);
    fd = open(path, flags | O_CLOEXEC, 0600);
    code = errno_of(fd);
    if (fd >= 0)
        close(fd);
    return code;
}

static int try_exec(void)
{
    char *const argv[] = {(char[]){"true"}, NULL};
    pid_t pid = vfork();
    int status;

    if (pid == 0) {
        execv("/bin/true", argv);
        _exit(errno);
    }
    /* In the supervisor SIGCHLD has its default action; the loop has not begun. */
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static int try_trace(void)
{
    pid_t pid = fork();
    int status;

    if (pid == 0)
        _exit(errno_of((int)ptrace(PTRACE_TRACEME, 0, NULL, NULL)));
    return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

static void attempt_all(void *arg)
{
    struct results *results = arg;
    int etc = open("/etc/passwd", O_RDONLY | O_CLOEXEC);

    results->read_etc = errno_of(etc);
    if (etc >= 0)
        close(etc);
    results->write_file = try_open("home/secret", O_WRONLY);
    results->read_home = try_open("home/secret", O_RDONLY);
    results->create = try_open("project/new", O_WRONLY | O_CREAT);
    results->execute = try_exec();
    results->trace = try_trace();
    results->confined = 1;
}

/* One run of `true`; the exit code, or -1 with a message when the jail could not be planned. */
static int run_jail(struct results *results)
{
    struct config config;
    struct host host;
    struct policy policy;
    struct launch launch;
    struct notes notes = {0};
    struct error error = {0};
    struct strv command = {0};
    struct session_options options = {
        .policy = &policy, .launch = &launch, .on_confined = attempt_all, .arg = results};

    strv_push(&command, "true");
    config_builtin(&config);
    if (host_read(&host, &error) < 0 || host_find_bwrap(&host, false, &notes) < 0 ||
        policy_build(&policy, &config, &host, &command, &notes, &error) < 0 ||
        launch_build(&launch, &policy, &error) < 0) {
        print_message("%s%s\n", error.text, host.bwrap.why.text);
        return -1;
    }
    return session_run(&options);
}

static int setup(void **state)
{
    char path[64];
    int fd;

    (void)state;
    if (!mkdtemp(base))
        return -1;
    snprintf(path, sizeof(path), "%s/project", base);
    mkdir(path, 0700);
    snprintf(path, sizeof(path), "%s/home", base);
    mkdir(path, 0700);
    setenv("HOME", path, 1);
    snprintf(path, sizeof(path), "%s/home/secret", base);
    fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 ? -1 : close(fd);
}

static int teardown(void **state)
{
    static const char *const names[] = {"project/new", "home/secret"};
    static const char *const dirs[] = {"project", "home", ""};
    char path[64];

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        snprintf(path, sizeof(path), "%s/%s", base, names[i]);
        unlink(path);
    }
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
        snprintf(path, sizeof(path), "%s/%s", base, dirs[i]);
        rmdir(path);
    }
    return 0;
}

static void supervisor_has_given_up_its_rights(void **state)
{
    struct results *results =
        mmap(NULL, 2 * sizeof(*results), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    char project[64];
    int status;
    pid_t pid;

    (void)state;
    assert_true(results != MAP_FAILED);
    snprintf(project, sizeof(project), "%s/project", base);
    pid = fork();
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);

        for (int fd = 0; fd <= 2; fd++)
            dup2(null, fd);
        if (chdir(project) < 0 || setenv("PWD", project, 1) < 0)
            _exit(99);
        attempt_all(&results[0]); /* the controls */
        _exit(run_jail(&results[1]) & 0xFF);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
    assert_int_equal(results[0].confined, 1);
    assert_int_equal(results[0].write_file, 0);
    assert_int_equal(results[0].read_home, 0);
    assert_int_equal(results[0].create, 0);
    assert_int_equal(results[0].execute, 0);
    assert_int_equal(results[0].trace, 0);
    assert_int_equal(results[1].confined, 1);
    assert_int_equal(results[1].write_file, EACCES);
    assert_int_equal(results[1].read_home, EACCES);
    assert_int_equal(results[1].create, EACCES);
    assert_int_equal(results[1].read_etc, 0);
    assert_int_equal(results[1].execute, EPERM);
    assert_int_equal(results[1].trace, EPERM);
    munmap(results, 2 * sizeof(*results));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(supervisor_has_given_up_its_rights),
    };
    struct error error = {0};
    struct host host;

    if (host_read(&host, &error) < 0 || host.landlock_abi < 1 || !host.has_seccomp) {
        printf("skipped: Landlock or system call filters are missing\n");
        return getenv("AI_JAIL_TESTS_MUST_RUN") ? 1 : 0;
    }
    host_free(&host);
    return cmocka_run_group_tests(tests, setup, teardown);
}
