// SPDX-License-Identifier: GPL-3.0-only
/*
 * audit: --audit-show, --audit-verify.
 *
 * Both read the kept files, oldest first, as they would read anything: lines are bounded, what is no
 * record is named and passed over, and everything printed is escaped. No configuration is read: the
 * log is in the same place whatever a file says.
 */
#include "base/fd.h"
#include "base/log.h"
#include "base/path.h"
#include "net/audit_file.h"
#include "verbs/print.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CODE_BAD    1
#define CODE_NO_LOG 2
#define CHUNK       (64 * KIB)
#define TEXT_MAX    (16 * MIB) /* printed whenever so much has come together */
#define LINE_ROOM   (8 * AUDIT_RECORD_MAX)

struct reading {
    const char *directory;
    const char *name; /* of the file that is read */
    char file[AUDIT_NAME_MAX];
    bool as_json;
    bool is_check;
    struct audit_chain chain;
    struct buf out;
    uint64_t records;
    uint64_t bad;
    int failure; /* stdout takes no more */
};

/* ---- output ---- */

static void flush_when(struct reading *reading, size_t above)
{
    if (reading->out.len < above || reading->failure)
        return;
    reading->failure = fd_write_all(STDOUT_FILENO, reading->out.data, reading->out.len);
    buf_reset(&reading->out);
}

static void append_escaped(struct buf *out, const char *text)
{
    log_escape(out, text, strlen(text));
}

static void append_value(struct buf *out, const json_t *value)
{
    _cleanup_free_ char *text = NULL;

    if (json_is_string(value)) {
        append_escaped(out, json_string_value(value));
        return;
    }
    text = json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY);
    append_escaped(out, text ? text : "?");
}

/* The first of its values, and the others in parentheses. */
static void append_object(struct buf *out, json_t *object)
{
    size_t n = 0;
    const char *key;
    json_t *value;

    json_object_foreach(object, key, value)
    {
        if (n > 0)
            buf_append_str(out, n == 1 ? " (" : ", ");
        append_value(out, value);
        n++;
    }
    if (n > 1)
        buf_append_byte(out, ')');
}

/* Words with blanks between them; objects with commas. */
static void append_array(struct buf *out, const json_t *array)
{
    buf_append_byte(out, '[');
    for (size_t i = 0; i < json_array_size(array); i++) {
        json_t *value = json_array_get(array, i);

        if (i)
            buf_append_str(out, json_is_object(value) ? ", " : " ");
        if (json_is_object(value))
            append_object(out, value);
        else
            append_value(out, value);
    }
    buf_append_byte(out, ']');
}

static bool is_common(const char *key)
{
    static const char *const keys[] = {"seq", "prev", "time", "run", "event"};

    for (size_t i = 0; i < ARRAY_SIZE(keys); i++)
        if (str_eq(key, keys[i]))
            return true;
    return false;
}

static bool is_empty(const json_t *value)
{
    return json_is_null(value) || (json_is_array(value) && json_array_size(value) == 0) ||
           (json_is_string(value) && json_string_length(value) == 0);
}

/* One line: number, time, run, event, and what the record says beyond that. */
static void show_text(struct buf *out, json_t *record)
{
    const char *key;
    json_t *value;

    buf_printf(out, "%" JSON_INTEGER_FORMAT " ",
               json_integer_value(json_object_get(record, "seq")));
    append_value(out, json_object_get(record, "time"));
    buf_append_byte(out, ' ');
    append_value(out, json_object_get(record, "run"));
    buf_append_byte(out, ' ');
    append_value(out, json_object_get(record, "event"));
    json_object_foreach(record, key, value)
    {
        if (is_common(key) || is_empty(value))
            continue;
        buf_append_byte(out, ' ');
        append_escaped(out, key);
        buf_append_byte(out, '=');
        if (json_is_array(value))
            append_array(out, value);
        else
            append_value(out, value);
    }
    buf_append_byte(out, '\n');
}

/* As stored, except that nothing in it acts on a terminal: \u escapes for all but ASCII. */
static void show_json(struct reading *reading, const json_t *record)
{
    _cleanup_free_ char *text =
        json_dumps(record, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENSURE_ASCII);

    buf_append_str(&reading->out, reading->records > 1 ? ",\n" : "[\n");
    buf_append_str(&reading->out, text ? text : "null");
}

/* ---- lines ---- */

static void say_bad(struct reading *reading, uint64_t number, uint64_t seq, const char *fault)
{
    char text[48] = "no sequence number";

    if (seq)
        snprintf(text, sizeof(text), "sequence %llu", (unsigned long long)seq);
    flush_when(reading, 1);
    log_line(NOTE_FATAL, "%s/%s:%llu (%s): %s", reading->directory, reading->file,
             (unsigned long long)number, text, fault);
    reading->bad++;
}

static bool show_line(void *arg, uint64_t number, const char *line, size_t len, bool is_whole)
{
    struct reading *reading = arg;
    struct audit_link link = {0};
    json_t *record = NULL;
    const char *fault = is_whole ? audit_record_read(line, len, &record, &link, NULL)
                                 : "too long, or without an end";

    if (fault) {
        say_bad(reading, number, 0, fault);
        return true;
    }
    reading->records++;
    if (reading->as_json)
        show_json(reading, record);
    else
        show_text(&reading->out, record);
    json_decref(record);
    flush_when(reading, TEXT_MAX - LINE_ROOM);
    return !reading->failure;
}

static bool check_line(void *arg, uint64_t number, const char *line, size_t len, bool is_whole)
{
    struct reading *reading = arg;
    uint64_t seq = 0;
    const char *fault = is_whole ? audit_chain_check(&reading->chain, line, len, &seq)
                                 : "too long, or without an end";

    if (fault) {
        say_bad(reading, number, seq, fault);
        return false;
    }
    reading->records++;
    return true;
}

/* ---- files ---- */

static int read_file(struct reading *reading, int fd)
{
    struct audit_lines lines = {.each = reading->is_check ? check_line : show_line, .arg = reading};
    _cleanup_free_ uint8_t *chunk = xcalloc(1, CHUNK);
    off_t left = audit_file_settled(fd);
    int r = left < 0 ? (int)left : 0;

    while (left > 0) {
        ssize_t n = read(fd, chunk, left < (off_t)CHUNK ? (size_t)left : CHUNK);

        if (n < 0 && errno == EINTR)
            continue;
        r = n < 0 ? -errno : 0;
        if (n <= 0 || !audit_lines_feed(&lines, chunk, (size_t)n))
            break;
        left -= n;
    }
    audit_lines_end(&lines);
    return r;
}

/* Opens what there is, oldest last, so that names and contents belong together. */
static int open_all(struct reading *reading, int directory, int files[AUDIT_KEPT + 1],
                    struct error *error)
{
    int count = 0;

    for (unsigned i = 0; i <= AUDIT_KEPT; i++) {
        files[i] = audit_file_open_read(directory, i);
        if (files[i] < 0 && files[i] != -ENOENT) {
            audit_file_name(i, reading->file);
            return error_set(error, -files[i], "%s/%s: %s", reading->directory, reading->file,
                             files[i] == -EPERM ? "it is not yours" : strerror(-files[i]));
        }
        count += files[i] >= 0;
    }
    return count;
}

static int read_all(struct reading *reading, int directory, struct error *error)
{
    _cleanup_close_ int hold = audit_file_hold(directory);
    int files[AUDIT_KEPT + 1];
    int r = open_all(reading, directory, files, error);

    (void)hold; /* nobody renames while they are opened */
    if (r <= 0)
        return r < 0 ? r : CODE_NO_LOG;
    /* Only with all of them there may older ones have been let go. */
    reading->chain.may_begin_late = files[AUDIT_KEPT] >= 0;
    for (unsigned i = AUDIT_KEPT + 1; i-- > 0;) {
        if (files[i] < 0)
            continue;
        audit_file_name(i, reading->file);
        if (!(reading->is_check && reading->bad)) {
            r = read_file(reading, files[i]);
            if (r < 0)
                error_set(error, -r, "%s/%s: %s", reading->directory, reading->file, strerror(-r));
        }
        close(files[i]);
    }
    if (error->code)
        return -error->code;
    return reading->bad ? CODE_BAD : 0;
}

/* ---- where ---- */

static int find_home(char home[PATH_MAX], struct error *error)
{
    const char *said = getenv("HOME");
    const struct passwd *entry = said && said[0] == '/' ? NULL : getpwuid(geteuid());

    if (entry)
        said = entry->pw_dir;
    if (!said || said[0] != '/')
        return error_set(error, ENOENT, "no home directory: set HOME");
    if (!realpath(said, home))
        return error_set(error, errno, "HOME %s: %s", said, strerror(errno));
    return 0;
}

static int read_log(struct reading *reading, const char *home, struct error *error)
{
    _cleanup_close_ int directory = audit_open_directory(reading->directory, home, false, error);

    if (directory == -ENOENT)
        return CODE_NO_LOG;
    return directory < 0 ? directory : read_all(reading, directory, error);
}

/* What is left to be said, and the code. */
static int finish(struct reading *reading, int code)
{
    if (reading->as_json)
        buf_append_str(&reading->out, reading->records ? "\n]\n" : "[]\n");
    if (reading->is_check && code == 0)
        buf_printf(&reading->out, "%llu records, intact\n", (unsigned long long)reading->records);
    flush_when(reading, 1);
    if (code == CODE_NO_LOG)
        log_line(NOTE_FATAL, "there is no audit log in %s; --audit-log keeps one",
                 reading->directory);
    return code;
}

int verb_audit(const struct args *args, struct error *error)
{
    struct reading reading = {
        .is_check = args->verb == VERB_AUDIT_VERIFY,
        .as_json = args->json,
    };
    char home[PATH_MAX];
    _cleanup_free_ char *directory = NULL;
    int r = find_home(home, error);

    if (r < 0)
        return r;
    directory = audit_directory(getenv("XDG_DATA_HOME"), home);
    reading.directory = directory;
    buf_init(&reading.out, TEXT_MAX);
    r = read_log(&reading, home, error);
    if (r >= 0)
        r = finish(&reading, r);
    if (r >= 0 && reading.failure)
        r = error_set(error, -reading.failure, "the output cannot be written: %s",
                      strerror(-reading.failure));
    buf_free(&reading.out);
    return r;
}
