// SPDX-License-Identifier: GPL-3.0-only
/*
 * live_programs: what must go on working. Processes, threads, interfaces, and the interpreters that
 * agents are made of, which probe for io_uring, clone3 and others when they start.
 */
#include "seccomp/live.h"

#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <pthread.h>
#include <setjmp.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static void check_child(pid_t pid)
{
    int status;

    CHECK(pid > 0 && waitpid(pid, &status, 0) == pid);
    CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void *set_flag(void *flag)
{
    *(int *)flag = 1;
    return NULL;
}

/* E-NS-05. */
static void check_processes(void)
{
    static char name[] = "true";
    static char *const arguments[] = {name, NULL};
    static char *const environment[] = {NULL};
    pthread_t thread;
    int flag = 0;
    pid_t pid = fork();

    if (pid == 0)
        _exit(0);
    check_child(pid);
    CHECK(posix_spawnp(&pid, name, NULL, NULL, arguments, environment) == 0);
    check_child(pid);
    CHECK(pthread_create(&thread, NULL, set_flag, &flag) == 0);
    CHECK(pthread_join(thread, NULL) == 0 && flag == 1);
}

/* E-SOC-08, E-SOC-12, P-SEC-12, P-SEC-13. */
static void check_sockets(void)
{
    struct ifaddrs *interfaces = NULL;
    int pair[2], on = 1;

    CHECK(getifaddrs(&interfaces) == 0);
    freeifaddrs(interfaces);
    CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    CHECK(setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &on, sizeof(on)) == 0);
    CHECK(sendto(pair[0], "x", 1, 0, NULL, 0) == 1);
    CHECK(shutdown(pair[0], SHUT_WR) == 0);
}

static void test_own(void **state)
{
    (void)state;
    for (int program = SECCOMP_JAIL; program <= SECCOMP_LOCKDOWN_ROOT; program++) {
        live_run(program, check_processes);
        live_run(program, check_sockets);
    }
}

struct watcher {
    int begin[2], seen;
};

static void *wait_and_try(void *argument)
{
    struct watcher *watcher = (struct watcher *)argument;
    char byte;

    if (read(watcher->begin[0], &byte, 1) == 1 && syscall(SYS_setns, -1, 0) == -1)
        watcher->seen = errno;
    return NULL;
}

/* A thread that exists already is filtered too. */
static void check_existing_thread(void)
{
    struct watcher watcher = {.seen = 0};
    pthread_t thread;

    CHECK(pipe2(watcher.begin, O_CLOEXEC) == 0);
    CHECK(pthread_create(&thread, NULL, wait_and_try, &watcher) == 0);
    CHECK(seccomp_install(SECCOMP_JAIL) == 0);
    CHECK(write(watcher.begin[1], "x", 1) == 1);
    CHECK(pthread_join(thread, NULL) == 0);
    CHECK(watcher.seen == EPERM);
}

static void test_existing_thread(void **state)
{
    (void)state;
    live_run(LIVE_UNFILTERED, check_existing_thread);
}

/* Each ends with status 0 if all of it worked. */
static const char *const commands[][4] = {
    {"sh", "-c", "x=$(echo a | cat); test \"$x\" = a"},
    {"bash", "-c", "read -r x < <(echo a); test \"$x\" = a; wait"},
    {"python3", "-c",
     "import asyncio, socket, subprocess, threading, tempfile, os, multiprocessing\n"
     "subprocess.run(['true'], check=True)\n"
     "t = threading.Thread(target=lambda: None); t.start(); t.join()\n"
     "asyncio.run(asyncio.sleep(0))\n"
     "socket.if_nameindex(); socket.socketpair()\n"
     "socket.getaddrinfo('localhost', 1)\n"
     "f = tempfile.TemporaryFile(); f.write(b'x'); os.fchmod(f.fileno(), 0o644)\n"
     "p = multiprocessing.Process(target=abs, args=(1,)); p.start(); p.join()\n"
     "assert p.exitcode == 0\n"},
    {"node", "-e",
     "require('os').networkInterfaces();\n"
     "require('child_process').execFileSync('true');\n"
     "const w = new (require('worker_threads').Worker)('0', {eval: true});\n"
     "w.on('exit', c => { if (c) process.exit(c); });\n"
     "require('fs').readdir('/', e => { if (e) process.exit(1); });\n"
     "require('net').createServer().listen(0, '127.0.0.1', function () { this.close(); });\n"},
    {"perl", "-e", "exit(system('true'))"},
    {"git", "--version"},
};
static const char *const *command;

static void check_command(void)
{
    char *arguments[ARRAY_SIZE(commands[0]) + 1] = {NULL};

    for (size_t i = 0; i < ARRAY_SIZE(commands[0]) && command[i]; i++)
        arguments[i] = xstrdup(command[i]);
    execvp(arguments[0], arguments);
    live_fail(__FILE__, __LINE__, arguments[0]);
}

static bool is_installed(const char *name)
{
    static const char *const directories[] = {"/usr/bin", "/bin"};
    char path[128];

    for (size_t i = 0; i < ARRAY_SIZE(directories); i++) {
        snprintf(path, sizeof(path), "%s/%s", directories[i], name);
        if (access(path, X_OK) == 0)
            return true;
    }
    return false;
}

/* E-KRN-02, P-SEC-6. */
static void test_commands(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(commands); i++) {
        command = commands[i];
        if (!is_installed(command[0])) {
            print_message("skipped: %s is not installed\n", command[0]);
            assert_null(getenv("AI_JAIL_TESTS_MUST_RUN"));
            continue;
        }
        print_message("%s\n", command[0]);
        live_run(LIVE_UNFILTERED, check_command);
        for (int program = SECCOMP_JAIL; program <= SECCOMP_LOCKDOWN_ROOT; program++)
            live_run(program, check_command);
    }
}

int live_run_programs(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_own),
        cmocka_unit_test(test_existing_thread),
        cmocka_unit_test(test_commands),
    };

    if (setenv("PATH", "/usr/bin:/bin", 1) != 0)
        return 1;
    return cmocka_run_group_tests_name("programs", tests, NULL, NULL);
}
