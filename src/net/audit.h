// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit: the log of what runs were told, did and were refused (--audit-log).
 *
 *     $XDG_DATA_HOME/ai-jail/history.jsonl       one JSON object per line, oldest first
 *     $XDG_DATA_HOME/ai-jail/history.jsonl.1-4   older ones
 *     $XDG_DATA_HOME/ai-jail/history.lock        held, shared, by every run that writes
 *
 * Each record holds the hash of the one before, so that a change in the middle shows. Never stored:
 * values of variables, credentials, placeholders, URLs beyond the host. What a caller passes as text
 * must hold none of that; the words of the command line are cleaned here (audit_words.h).
 *
 * Every function takes NULL for "there is no log" and does nothing then. None ever fails towards its
 * caller: the first thing that goes wrong ends the log, not the run, and audit_take_fault() tells it
 * once. A record is one short write under a lock that others hold for one short write; the longest
 * wait is AUDIT_WAIT_MS, once. One thread of one process: a child forked meanwhile writes nothing.
 */
#pragma once

#include "base/error.h"
#include "base/note.h"
#include "base/strv.h"

#define AUDIT_WAIT_MS 2000

struct audit;

/*
 * Opens the log, makes what is missing, rotates. data: $XDG_DATA_HOME or NULL; home: canonical. 0,
 * or -errno with the line for a warning: no log then, *audit is NULL.
 */
int audit_open(struct audit **audit, const char *data, const char *home, struct error *error);

/* ---- records ---- */

struct audit_host {
    const char *entry;
    const char *origin;
};

/* What a run begins with; everything borrowed. */
struct audit_start {
    const struct strv *argv;    /* of ai-jail itself; cleaned here */
    const struct strv *command; /* what is to run; cleaned here */
    const char *project;
    const char *mode; /* of the network */
    bool lockdown;
    const struct strv *capabilities;
    const struct audit_host *hosts;
    size_t host_count;
    const struct strv *files_read;
    const struct strv *refused; /* what a project file asked for and did not get */
    const struct strv *known;   /* NAME=VALUE: values that must not be stored; NULL: none */
};
void audit_start(struct audit *audit, const struct audit_start *start);

/* One connection through the proxy, at its end. */
struct audit_connect {
    const char *host; /* NULL: none was understood */
    unsigned port;
    const char *via;     /* "connect", "http", "socks5"; NULL: none was understood */
    const char *verdict; /* "allowed", "refused", "failed" */
    const char *reason;  /* refusal_rows[].id; NULL if allowed */
    const char *rule;    /* the entry that permitted it; NULL: none did */
    const char *class;   /* of the address; NULL: none was looked at */
    uint64_t up, down;   /* bytes */
    uint64_t ms;
};
void audit_connect(struct audit *audit, const struct audit_connect *connect);

/* One connection at a forwarded (is_publish: published) port, at its end. verdict: "allowed",
 * "failed". A port that is not known is 0. */
void audit_port(struct audit *audit, bool is_publish, unsigned host_port, unsigned jail_port,
                const char *verdict, uint64_t up, uint64_t down);

/* A placeholder was seen. key: the variable's name, never its value. verdict: "substituted",
 * "misdirected". */
void audit_secret(struct audit *audit, const char *key, const char *host, const char *verdict);

/* A name was covered during the run. kind: "masked", "denied", "protected"; trigger: the rule that
 * asked for it. */
void audit_mask(struct audit *audit, const char *path, const char *kind, const char *trigger);

/* A line for the user: id is the class of the line ("security", "warning", "error") or a word of the
 * caller's. */
void audit_warning(struct audit *audit, const char *id, const char *text);
/* The same as a log_sink_fn (base/log.h), arg: the audit. */
void audit_take_line(void *audit, enum note_class class, const char *text);

/* ---- what the last record holds ---- */

/* A target that was refused count times. flag: what would allow it, or "". */
void audit_add_refused(struct audit *audit, const char *host, unsigned port, uint64_t count,
                       const char *flag);
/* Something that matters for the next run was changed. change: "new", "changed". */
void audit_add_changed(struct audit *audit, const char *path, const char *class,
                       const char *change);
/* The command died from it. */
void audit_set_signal(struct audit *audit, int sig);

/* Writes the record of the end and closes the files; only audit_take_fault() is of use then. */
void audit_close(struct audit *audit, int code);
void audit_free(struct audit *audit);

/* What ended the log, as one warning; nothing if it goes on or that has been said. */
void audit_take_fault(struct audit *audit, struct notes *notes);

/* True if a variable, an option or a header of that name (up to a "=") holds a credential. */
bool audit_is_secret_name(const char *name);

/* The next line that audit_take_line() gets says in words what has a record of its own already. */
void audit_skip_line(struct audit *audit);
