// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit: records of a run.
 *
 * A record is put together as a JSON object (jansson keeps the order), gets its place in the chain
 * under the file's lock, and is appended. How often one is written is in the hands of the jail, which
 * connects as fast as it likes: each kind has a number of bytes for one run, behind which records are
 * only counted. Refused and allowed connections count apart, so that a flood of the ones does not hide
 * the others; the record of the end has what was counted.
 *
 * The log's owner is the process that opened it: the mounter, which is forked later, inherits the
 * object and must not write.
 */
#include "net/audit.h"

#include "base/os.h"
#include "net/audit_file.h"
#include "net/audit_words.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define RUN_SIZE   17 /* 16 hex digits and NUL */
#define TIME_SIZE  32
#define LISTED_MAX 512 /* entries of each list in the record of the end */

enum record_kind {
    RECORD_START,
    RECORD_CONNECT,
    RECORD_REFUSAL,
    RECORD_FORWARD,
    RECORD_PUBLISH,
    RECORD_SECRET,
    RECORD_MASK,
    RECORD_WARNING,
    RECORD_EXIT,
    RECORD_COUNT
};

static const struct record_row {
    const char *event;
    uint64_t max_bytes; /* in one run; 0: no limit, the jail has no part in how many there are */
} rows[RECORD_COUNT] = {
    [RECORD_START] = {"start", 0},
    [RECORD_CONNECT] = {"connect", 32 * MIB},
    [RECORD_REFUSAL] = {"connect", 8 * MIB},
    [RECORD_FORWARD] = {"forward", 8 * MIB},
    [RECORD_PUBLISH] = {"publish", 8 * MIB},
    [RECORD_SECRET] = {"secret", 8 * MIB},
    [RECORD_MASK] = {"mask", 8 * MIB},
    [RECORD_WARNING] = {"warning", 8 * MIB},
    [RECORD_EXIT] = {"exit", 0},
};

struct audit {
    struct audit_file file;
    char *path;
    pid_t owner;
    char run[RUN_SIZE];
    uint64_t start_ms; /* CLOCK_MONOTONIC */
    uint64_t written[RECORD_COUNT];
    uint64_t dropped;
    json_t *refused;
    json_t *changed;
    int signal;
    bool skips_line;
    bool has_fault; /* nothing is written any more */
    bool fault_is_said;
    bool damage_is_said;
    int fault;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* RFC 3339, UTC. */
static void format_now(char text[TIME_SIZE])
{
    char seconds[TIME_SIZE - 8];
    struct timespec now;
    struct tm tm;

    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &tm);
    strftime(seconds, sizeof(seconds), "%Y-%m-%dT%H:%M:%S", &tm);
    snprintf(text, TIME_SIZE, "%s.%03dZ", seconds, (int)(now.tv_nsec / 1000000));
}

static bool is_writing(const struct audit *audit)
{
    return audit && !audit->has_fault && audit->owner == getpid();
}

static void set_fault(struct audit *audit, int code)
{
    audit->has_fault = true;
    audit->fault = code;
}

/* ---- writing ---- */

/* The whole record: what all have in common, then the fields. Takes the reference. */
static char *compose(const struct audit *audit, enum record_kind kind, json_t *fields,
                     const struct audit_link *last)
{
    char time_text[TIME_SIZE];
    json_t *record;
    char *line;

    format_now(time_text);
    record = json_pack("{s:I, s:s, s:s, s:s, s:s}", "seq", (json_int_t)last->seq + 1, "prev",
                       last->hash, "time", time_text, "run", audit->run, "event", rows[kind].event);
    json_object_update(record, fields);
    json_decref(fields);
    line = audit_record_line(record);
    json_decref(record);
    return line;
}

/* Takes the reference. */
static void append(struct audit *audit, enum record_kind kind, json_t *fields)
{
    _cleanup_free_ char *line = NULL;
    struct audit_link last;
    int r = audit_file_begin(&audit->file, &last);

    if (r < 0) {
        json_decref(fields);
        set_fault(audit, -r);
        return;
    }
    line = compose(audit, kind, fields, &last);
    if (!line) {
        audit_file_abandon(&audit->file);
        audit->dropped++;
        return;
    }
    r = audit_file_append(&audit->file, line, strlen(line));
    if (r < 0)
        set_fault(audit, -r);
    audit->written[kind] += strlen(line) + 1;
}

/* The last record of its kind in this run. */
static void say_limit(struct audit *audit, enum record_kind kind)
{
    _cleanup_free_ char *text =
        xasprintf("%s%s: too many records for one run; further ones are only counted",
                  rows[kind].event, kind == RECORD_REFUSAL ? " (refused)" : "");

    append(audit, RECORD_WARNING, json_pack("{s:s, s:s}", "id", "limit", "text", text));
}

/* Takes the reference. */
static void write_record(struct audit *audit, enum record_kind kind, json_t *fields)
{
    uint64_t max = rows[kind].max_bytes;

    if (!is_writing(audit) || !fields) {
        json_decref(fields);
        return;
    }
    if (max && audit->written[kind] >= max) {
        json_decref(fields);
        audit->dropped++;
        return;
    }
    append(audit, kind, fields);
    if (max && audit->written[kind] >= max && is_writing(audit))
        say_limit(audit, kind);
}

/* ---- open and close ---- */

static int draw_run(char run[RUN_SIZE])
{
    uint64_t number;
    int r = os_random(&number, sizeof(number));

    if (r < 0)
        return r;
    snprintf(run, RUN_SIZE, "%016" PRIx64, number);
    return 0;
}

int audit_open(struct audit **result, const char *data, const char *home, struct error *error)
{
    struct audit *audit = xcalloc(1, sizeof(*audit));
    _cleanup_free_ char *directory = audit_directory(data, home);
    int r = audit_file_open(&audit->file, directory, home, error);

    *result = NULL;
    if (r == 0 && (r = draw_run(audit->run)) < 0) {
        audit_file_close(&audit->file);
        error_set(error, -r, "no random number: %s", strerror(-r));
    }
    if (r < 0) {
        free(audit);
        return error_wrap(error, "no audit log is kept");
    }
    audit->path = xasprintf("%s/%s", directory, AUDIT_FILE);
    audit->owner = getpid();
    audit->start_ms = now_ms();
    audit->refused = json_array();
    audit->changed = json_array();
    *result = audit;
    return 0;
}

void audit_close(struct audit *audit, int code)
{
    json_t *fields;

    if (!audit)
        return;
    fields = json_pack("{s:i, s:o, s:I, s:O, s:O}", "code", code, "signal",
                       audit->signal ? json_integer(audit->signal) : json_null(), "ms",
                       (json_int_t)(now_ms() - audit->start_ms), "refused", audit->refused,
                       "changed", audit->changed);
    if (audit->dropped)
        json_object_set_new(fields, "dropped", json_integer((json_int_t)audit->dropped));
    write_record(audit, RECORD_EXIT, fields);
    audit_file_close(&audit->file);
}

void audit_free(struct audit *audit)
{
    if (!audit)
        return;
    audit_file_close(&audit->file);
    json_decref(audit->refused);
    json_decref(audit->changed);
    free(audit->path);
    free(audit);
}

void audit_take_fault(struct audit *audit, struct notes *notes)
{
    if (!audit)
        return;
    if (audit->file.was_damaged && !audit->damage_is_said)
        notes_add(notes, NOTE_WARNING,
                  "%s: its last line was damaged; records are kept behind it, --audit-verify names "
                  "it",
                  audit->path);
    audit->damage_is_said |= audit->file.was_damaged;
    if (audit->has_fault && !audit->fault_is_said)
        notes_add(notes, NOTE_WARNING, "%s: %s; what followed in this run is not recorded",
                  audit->path,
                  audit->fault == ETIMEDOUT ? "it is locked by a process that does not go on"
                                            : strerror(audit->fault));
    audit->fault_is_said |= audit->has_fault;
}

/* ---- records ---- */

static json_t *texts(const struct strv *strv)
{
    json_t *array = json_array();

    for (size_t i = 0; strv && i < strv->n; i++)
        json_array_append_new(array, audit_text(strv->v[i]));
    return array;
}

static json_t *clean_texts(const struct strv *words, const struct strv *known)
{
    struct strv clean CLEANUP(strv_free) = {0};

    if (words)
        audit_words_clean(&clean, words, known);
    return texts(&clean);
}

static json_t *host_entries(const struct audit_start *start)
{
    json_t *array = json_array();

    for (size_t i = 0; i < start->host_count; i++)
        json_array_append_new(array,
                              json_pack("{s:o, s:o}", "entry", audit_text(start->hosts[i].entry),
                                        "origin", audit_text(start->hosts[i].origin)));
    return array;
}

void audit_start(struct audit *audit, const struct audit_start *start)
{
    if (!is_writing(audit))
        return;
    write_record(audit, RECORD_START,
                 json_pack("{s:o, s:o, s:o, s:o, s:b, s:o, s:o, s:o, s:o}", "argv",
                           clean_texts(start->argv, start->known), "command",
                           clean_texts(start->command, start->known), "project",
                           audit_text(start->project), "mode", audit_text(start->mode), "lockdown",
                           start->lockdown, "capabilities", texts(start->capabilities), "hosts",
                           host_entries(start), "files_read", texts(start->files_read), "refused",
                           texts(start->refused)));
}

void audit_connect(struct audit *audit, const struct audit_connect *connect)
{
    bool is_refused = str_eq(connect->verdict, "refused");

    if (!is_writing(audit))
        return;
    write_record(audit, is_refused ? RECORD_REFUSAL : RECORD_CONNECT,
                 json_pack("{s:o, s:i, s:o, s:o, s:o, s:o, s:o, s:I, s:I, s:I}", "host",
                           audit_text(connect->host), "port", (int)connect->port, "via",
                           audit_text(connect->via), "verdict", audit_text(connect->verdict),
                           "reason", audit_text(connect->reason), "rule", audit_text(connect->rule),
                           "class", audit_text(connect->class), "up", (json_int_t)connect->up,
                           "down", (json_int_t)connect->down, "ms", (json_int_t)connect->ms));
}

static json_t *port_or_null(unsigned port)
{
    return port ? json_integer((json_int_t)port) : json_null();
}

void audit_port(struct audit *audit, bool is_publish, unsigned host_port, unsigned jail_port,
                const char *verdict, uint64_t up, uint64_t down)
{
    if (!is_writing(audit))
        return;
    write_record(audit, is_publish ? RECORD_PUBLISH : RECORD_FORWARD,
                 json_pack("{s:o, s:o, s:o, s:I, s:I}", "host_port", port_or_null(host_port),
                           "jail_port", port_or_null(jail_port), "verdict", audit_text(verdict),
                           "up", (json_int_t)up, "down", (json_int_t)down));
}

void audit_secret(struct audit *audit, const char *key, const char *host, const char *verdict)
{
    if (!is_writing(audit))
        return;
    write_record(audit, RECORD_SECRET,
                 json_pack("{s:o, s:o, s:o}", "key", audit_text(key), "host", audit_text(host),
                           "verdict", audit_text(verdict)));
}

void audit_mask(struct audit *audit, const char *path, const char *kind, const char *trigger)
{
    if (!is_writing(audit))
        return;
    write_record(audit, RECORD_MASK,
                 json_pack("{s:o, s:o, s:o}", "path", audit_text(path), "kind", audit_text(kind),
                           "trigger", audit_text(trigger)));
}

void audit_warning(struct audit *audit, const char *id, const char *text)
{
    if (!is_writing(audit))
        return;
    write_record(audit, RECORD_WARNING,
                 json_pack("{s:o, s:o}", "id", audit_text(id), "text", audit_text(text)));
}

void audit_take_line(void *arg, enum note_class class, const char *text)
{
    static const char *const ids[NOTE_COUNT] = {
        [NOTE_FATAL] = "error",
        [NOTE_SECURITY] = "security",
        [NOTE_WARNING] = "warning",
    };
    struct audit *audit = arg;

    if (!is_writing(audit) || !ids[class])
        return;
    if (audit->skips_line)
        audit->skips_line = false;
    else
        audit_warning(audit, ids[class], text);
}

void audit_skip_line(struct audit *audit)
{
    if (audit)
        audit->skips_line = true;
}

bool audit_is_secret_name(const char *name)
{
    return audit_words_is_secret(name, strcspn(name, "="));
}

/* ---- the end ---- */

void audit_add_refused(struct audit *audit, const char *host, unsigned port, uint64_t count,
                       const char *flag)
{
    if (!is_writing(audit) || json_array_size(audit->refused) >= LISTED_MAX)
        return;
    json_array_append_new(audit->refused, json_pack("{s:o, s:i, s:I, s:o}", "host",
                                                    audit_text(host), "port", (int)port, "count",
                                                    (json_int_t)count, "flag", audit_text(flag)));
}

void audit_add_changed(struct audit *audit, const char *path, const char *class, const char *change)
{
    if (!is_writing(audit) || json_array_size(audit->changed) >= LISTED_MAX)
        return;
    json_array_append_new(audit->changed,
                          json_pack("{s:o, s:o, s:o}", "path", audit_text(path), "class",
                                    audit_text(class), "change", audit_text(change)));
}

void audit_set_signal(struct audit *audit, int sig)
{
    if (audit)
        audit->signal = sig;
}
