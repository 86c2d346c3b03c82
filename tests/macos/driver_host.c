// SPDX-License-Identifier: GPL-3.0-only
/*
 * driver_host: what host_macos.c tells on a Mac, told by the environment of a test.
 *
 * With it the driver of macOS runs on Linux, in a program that is never installed. Nothing confines the
 * command there: sandbox-exec is the stand-in beside this file.
 */
#include "host.h"

#include "host_sandbox_exec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *told(const char *name)
{
    const char *value = getenv(name);

    return value ? value : "/nonexistent";
}

const char *macos_sandbox_exec(void)
{
    return told("AI_JAIL_TEST_SANDBOX_EXEC");
}

char *macos_temporary_root(void)
{
    return xstrdup(told("AI_JAIL_TEST_ROOT"));
}

uint64_t macos_descriptors_max(void)
{
    return 10240;
}

bool macos_is_called(pid_t pid, const char *name)
{
    _cleanup_free_ char *path = xasprintf("/proc/%d/comm", (int)pid);
    char comm[32] = "";
    FILE *file = fopen(path, "re");
    size_t n = file ? fread(comm, 1, sizeof(comm) - 1, file) : 0;

    if (file)
        fclose(file);
    return n > 0 && comm[n - 1] == '\n' && n - 1 == strlen(name) && memcmp(comm, name, n - 1) == 0;
}

void host_read_machine(struct host *host)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    host->macos.is_on = true;
    if (n > 0)
        host->exe = xstrndup(exe, (size_t)n);
    host->machine_id = xstrdup("test");
    host->ram_bytes = 8 * 1024 * MIB;
}
