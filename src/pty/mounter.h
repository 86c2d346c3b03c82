// SPDX-License-Identifier: GPL-3.0-only
/*
 * mounter: the helper process that keeps the power the supervisor gives up.
 *
 * Forked before the supervisor confines itself, in its own session. It waits for one order, enters
 * the jail's user and mount namespaces, makes all mounts private, compares what was bound with what
 * was examined, places the covers of the plan and reports. From then on it covers what appears
 * (watch.h) and tells so (mounter_event.h), and when the supervisor is gone without having said
 * goodbye it restores the terminal.
 */
#pragma once

#include "base/error.h"
#include "policy/agents.h"
#include "policy/masks.h"
#include "policy/plan.h"
#include "pty/cgroup.h"
#include "pty/overlay.h"
#include "pty/report_file.h"
#include "pty/restore_page.h"
#include "pty/terminal.h"
#include "pty/watch.h"

struct mounter {
    pid_t pid;                 /* 0: none */
    int socket;                /* SOCK_SEQPACKET to it */
    struct mounter_page *page; /* shared: terminal state, see below */
    int report;                /* memory file for the text of --report, -1: none */
};

/* Shared memory by which the supervisor keeps the mounter able to end the jail and to restore the
 * terminal. The mounter reads it only when the supervisor is gone. */
struct mounter_page {
    volatile pid_t group;     /* bubblewrap's process group, 0: none; written by its child */
    struct watch_counts late; /* written by the mounter */
    struct restore_page terminal;
};

struct mounter_options {
    const struct plan *plan;          /* covers to place, binds to compare */
    const struct overlay_mark *marks; /* of its overlays, in shared memory; NULL: none */
    const struct mask_rules *rules;   /* what is covered when it appears; NULL: nothing */
    const struct in_step *in_step;    /* files kept in step; NULL: none */
    const char *project;              /* canonical */
    bool protect_git;                 /* also repositories that appear */
    int info_fd;                      /* read end of bubblewrap's --info-fd */
    const struct terminal *terminal;  /* NULL or fd -1: none */
    const struct host *host;          /* for the report at the end */
    struct report_file file;          /* of --report */
    int lock;                         /* held until the jail has ended, -1: none */
    bool with_seccomp;                /* false: this build has no program */
    uint64_t pid_limit;               /* most tasks in the jail, 0: left to RLIMIT_NPROC */
    const struct cgroup *cgroup;      /* of the jail: removed at the end */
};

/* Makes the shared page. 0 or -errno. */
int mounter_prepare(struct mounter *mounter, struct error *error);
/* Forks it. In the child the descriptors other than the ones it needs are closed. 0 or -errno. */
int mounter_start(struct mounter *mounter, const struct mounter_options *options,
                  struct error *error);
/* Orders the covers. Does not wait: the supervisor has other things to do meanwhile. 0 or -errno. */
int mounter_order(struct mounter *mounter, struct error *error);
/* Waits for its report. 0: every cover is placed; otherwise -errno with the reason, which names the
 * plan's entry. From then on the socket holds events (mounter_event.h). */
int mounter_wait(struct mounter *mounter, const struct plan *plan, struct error *error);
/* Orders the report, whose events end with MOUNTER_EVENT_LOOKED: for the moment in which the last process
 * of the jail has ended, or (after that) for now. A second report is not made. The first order is lost
 * on a kernel that cannot wait for the jail, so the second is given in any case. 0 or -errno. */
int mounter_look_at_end(struct mounter *mounter);
int mounter_look(struct mounter *mounter);
/* Has the text put into the file of --report, as a whole or not at all; MOUNTER_EVENT_WRITTEN comes.
 * 0 or -errno. */
int mounter_write_report(struct mounter *mounter, const char *text);
/* The supervisor has restored the terminal itself; the mounter ends. Does not wait. */
void mounter_goodbye(struct mounter *mounter);
