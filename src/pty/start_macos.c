// SPDX-License-Identifier: GPL-3.0-only
/*
 * start_macos: from a policy to a command's parent that waits for GO, on macOS.
 *
 * The jail is a profile in a file; sandbox-exec puts itself under it and becomes the command. The
 * pseudo-terminal is one of the host's, opened here because the profile names its slave. The keeper has
 * it, the supervisor the master.
 */
#include "pty/start.h"

#include "backend/seatbelt.h"
#include "base/fd.h"
#include "base/os.h"
#include "base/reap.h"
#include "host_sandbox_exec.h"
#include "pty/keeper.h"
#include "pty/report_place.h"
#include "pty/traces.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define KEEPER_END_MS 3000 /* it may have many files to remove */

struct jail_parts {
    struct keeper_page *page;
    pid_t keeper;
    int control;
    int lifeline; /* never written to */
    int slave;    /* until the keeper has it */
    char *profile;
    bool has_traces;
    bool was_killed;
};

/* The run's pseudo-terminal; *name is the slave's, malloc'ed. */
static int open_pty(struct jail *jail, char **name, struct error *error)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    const char *slave;

    jail->master = master;
    if (master < 0 || fd_set_cloexec(master, true) < 0 || grantpt(master) < 0 ||
        unlockpt(master) < 0)
        return error_set(error, errno, "pseudo-terminal: %s", strerror(errno));
    slave = ptsname(master);
    if (!slave)
        return error_set(error, errno, "pseudo-terminal: %s", strerror(errno));
    *name = xstrdup(slave);
    jail->parts->slave = open(slave, O_RDWR | O_NOCTTY | O_CLOEXEC);
    return jail->parts->slave < 0 ? error_set(error, errno, "%s: %s", slave, strerror(errno)) : 0;
}

static int open_proxy(struct jail *jail, struct error *error)
{
    int r;

    if (jail->policy->network != NETWORK_FILTERED)
        return 0;
    r = start_net_listen_proxy(&jail->net, jail->policy->host->macos.listener);
    return r < 0 ? error_set(error, -r, "the proxy cannot listen: %s", strerror(-r)) : 0;
}

static int write_profile(struct jail *jail, const char *tty, struct error *error)
{
    const struct seatbelt_facts facts = {.tty = tty};
    const char *name = jail->policy->host->macos.tmp;
    _cleanup_free_ char *text = seatbelt_profile(jail->policy, &facts, error);

    if (!text)
        return error->code ? -error->code : -EINVAL;
    traces_sweep(name);
    jail->parts->has_traces = true;
    jail->parts->profile = traces_profile(name);
    return traces_make(name, text, error);
}

static int start_keeper(struct jail *jail, struct error *error)
{
    struct jail_parts *parts = jail->parts;
    int pair[2] = {-1, -1}, life[2] = {-1, -1};
    int r = os_message_pair(pair);

    if (r == 0)
        r = os_pipe(life);
    parts->control = pair[0];
    parts->lifeline = life[1];
    if (r == 0) {
        struct keeper_options options = {
            .policy = jail->policy,
            .stdio = &jail->stdio,
            .program = macos_sandbox_exec(),
            .profile = parts->profile,
            .slave = parts->slave,
            .control = pair[1],
            .lifeline = life[0],
            .terminal = jail->terminal.fd,
            .descriptors_max = macos_descriptors_max(),
            .page = parts->page,
        };

        parts->keeper = keeper_start(&options);
        r = parts->keeper < 0 ? (int)parts->keeper : 0;
    }
    if (pair[1] >= 0)
        close(pair[1]);
    if (life[0] >= 0)
        close(life[0]);
    if (parts->slave >= 0)
        close(steal_fd(&parts->slave));
    return r < 0 ? error_set(error, -r, "the command's parent: %s", strerror(-r)) : 0;
}

/* It is written by the session; that it can be is found out before anything is started. */
static int check_report(const struct jail *jail, struct error *error)
{
    struct report_place place;
    int r = report_place_open(&place, jail->policy->report_file, error);

    report_place_close(&place);
    return r;
}

static int start_steps(struct jail *jail, struct error *error)
{
    struct jail_parts *parts = jail->parts;
    _cleanup_free_ char *tty = NULL;
    int r = check_report(jail, error);

    if (r < 0)
        return r;
    parts->page =
        mmap(NULL, sizeof(*parts->page), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (parts->page == MAP_FAILED) {
        parts->page = NULL;
        return error_set(error, errno, "shared memory: %s", strerror(errno));
    }
    r = start_net_load_tls(&jail->net, jail->policy, error);
    if (r == 0)
        r = start_open_terminal(jail, error);
    if (r == 0)
        r = open_proxy(jail, error);
    if (r == 0 && start_wants_pty(jail))
        r = open_pty(jail, &tty, error);
    if (r == 0)
        r = write_profile(jail, tty, error);
    return r < 0 ? r : start_keeper(jail, error);
}

int start_jail(struct jail *jail, const struct policy *policy, const struct launch *launch,
               struct notes *notes, struct error *error)
{
    int r;

    (void)notes;
    *jail = (struct jail){
        .policy = policy,
        .launch = launch,
        .terminal.fd = -1,
        .control = -1,
        .master = -1,
        .parts = xcalloc(1, sizeof(*jail->parts)),
    };
    *jail->parts = (struct jail_parts){.control = -1, .lifeline = -1, .slave = -1};
    r = start_steps(jail, error);
    if (r < 0) {
        start_abandon(jail);
        return r;
    }
    jail->pid = jail->parts->keeper;
    jail->control = jail->parts->control;
    jail->page = &jail->parts->page->terminal;
    return 0;
}

int start_wait(struct jail *jail, struct error *error)
{
    (void)jail;
    (void)error;
    return 0;
}

/* The command first: its end is told by the keeper, which cleans up. One that does not is next. */
void start_kill(struct jail *jail)
{
    pid_t command = jail->parts->page->command;

    if (command > 1 && !jail->parts->was_killed)
        kill(-command, SIGKILL);
    else if (jail->pid > 0)
        kill(jail->pid, SIGKILL);
    jail->parts->was_killed = true;
}

void start_finish(struct jail *jail)
{
    jail->parts->keeper = jail->pid;
    start_abandon(jail);
}

void start_abandon(struct jail *jail)
{
    struct jail_parts *parts = jail->parts;

    /* At the end of the lifeline the keeper ends the command and itself. */
    if (parts->lifeline >= 0)
        close(steal_fd(&parts->lifeline));
    reap_child(&parts->keeper, KEEPER_END_MS);
    if (parts->has_traces)
        traces_remove(jail->policy->host->macos.tmp);
    if (parts->control >= 0)
        close(parts->control);
    if (parts->slave >= 0)
        close(parts->slave);
    if (jail->master >= 0)
        close(steal_fd(&jail->master));
    start_net_close(&jail->net);
    terminal_close(&jail->terminal);
    if (parts->page)
        munmap(parts->page, sizeof(*parts->page));
    free(parts->profile);
    free(steal_ptr(&jail->parts));
    jail->page = NULL;
}
