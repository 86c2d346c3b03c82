// SPDX-License-Identifier: GPL-3.0-only
/*
 * host_linux: facts about the machine, as Linux tells them.
 */
#include "host.h"

#include "backend/landlock.h"
#include "backend/seccomp.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

static void read_kernel(struct host *host)
{
    struct utsname name;
    struct sysinfo info;

    if (uname(&name) == 0)
        sscanf(name.release, "%u.%u", &host->kernel[0], &host->kernel[1]);
    if (sysinfo(&info) == 0)
        host->ram_bytes = (uint64_t)info.totalram * info.mem_unit;
    host->landlock_abi = landlock_abi();
    host->has_seccomp = seccomp_available();
}

struct task_count {
    const struct host *host;
    uint64_t tasks;
};

static int ignore_entry(void *arg, const char *name)
{
    (void)name;
    ++*(uint64_t *)arg;
    return 0;
}

static int count_tasks(void *arg, const char *name)
{
    struct task_count *count = arg;
    char path[64];
    struct fs_stat st;

    if (!isdigit((unsigned char)name[0]) || strlen(name) > 10)
        return 0;
    snprintf(path, sizeof(path), "/proc/%.10s/task", name);
    if (fs_stat(count->host->fs, path, true, &st) == 0 && st.uid == count->host->uid)
        count->host->fs->list(count->host->fs->ctx, path, ignore_entry, &count->tasks);
    return 0;
}

/* Before Linux 5.14 RLIMIT_NPROC counts a user's tasks over all user namespaces. */
static void read_user_tasks(struct host *host)
{
    struct task_count count = {.host = host};

    if (host->kernel[0] > 5 || (host->kernel[0] == 5 && host->kernel[1] >= 14))
        return;
    host->fs->list(host->fs->ctx, "/proc", count_tasks, &count);
    host->user_tasks = count.tasks;
}

static char *read_machine_id(const struct host *host)
{
    char *text = fs_read_text(host->fs, "/etc/machine-id", 256);
    struct utsname name;

    if (text) {
        text[strcspn(text, "\n")] = '\0';
        if (text[0])
            return text;
        free(text);
    }
    return xstrdup(uname(&name) == 0 ? name.nodename : "");
}

void host_read_machine(struct host *host)
{
    char exe[4096];
    ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

    if (n > 0)
        host->exe = xstrndup(exe, (size_t)n);
    host->machine_id = read_machine_id(host);
    read_kernel(host);
    read_user_tasks(host);
}

int host_find_backend(struct host *host, bool is_run, struct notes *notes, struct error *error)
{
    int r = host->macos.is_on ? 0 : host_find_bwrap(host, is_run, notes);

    if (r < 0)
        *error = host->bwrap.why;
    return r;
}
