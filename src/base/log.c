// SPDX-License-Identifier: GPL-3.0-only
/*
 * log: diagnostic lines on stderr.
 *
 * The text is formatted, escaped as a whole, and written with one write so that lines of several
 * processes do not mix. Held lines (log_hold) are kept formatted but unescaped.
 */
#include "base/log.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>
#include <unistd.h>

#define LINE_MAX_BYTES (16 * KIB)
#define HELD_MAX       200

struct class_look {
    const char *symbol;
    const char *word;
    const char *colour;
};

static const struct class_look looks[NOTE_COUNT] = {
    [NOTE_FATAL] = {"✗", "error:", "\033[31m"},
    [NOTE_SECURITY] = {"‼", "security:", "\033[1;33m"},
    [NOTE_WARNING] = {"⚠", "warning:", "\033[33m"},
    [NOTE_INFO] = {"▸", "info:", "\033[36m"},
    [NOTE_VERBOSE] = {" ", " ", "\033[2m"},
};

static struct log_options current;
static struct notes held;
static bool holding;
static unsigned dropped;
static log_sink_fn *sink_line;
static void *sink_arg;
static struct notes before; /* while there is no sink */

void log_setup(struct log_options options)
{
    current = options;
}

bool log_shows(enum note_class class)
{
    switch (class) {
    case NOTE_WARNING:
    case NOTE_INFO:
        return !current.quiet;
    case NOTE_VERBOSE:
        return current.verbose && !current.quiet;
    default:
        return true;
    }
}

static bool must_escape(uint32_t value)
{
    static const struct {
        uint32_t first;
        uint32_t last;
    } ranges[] = {
        {0x0000, 0x001F},   /* C0 */
        {0x007F, 0x009F},   /* DEL, C1 */
        {0x00AD, 0x00AD},   /* soft hyphen */
        {0x061C, 0x061C},   /* Arabic letter mark */
        {0x180E, 0x180E},   /* Mongolian vowel separator */
        {0x200B, 0x200F},   /* zero width, direction marks */
        {0x2028, 0x202E},   /* line and paragraph separator, bidi */
        {0x2060, 0x206F},   /* word joiner, invisible operators, bidi isolates */
        {0xFEFF, 0xFEFF},   /* zero width no-break space */
        {0xFFF9, 0xFFFB},   /* interlinear annotations */
        {0xE0000, 0xE007F}, /* tags */
    };

    for (size_t i = 0; i < ARRAY_SIZE(ranges); i++)
        if (value >= ranges[i].first && value <= ranges[i].last)
            return true;
    return false;
}

void log_escape(struct buf *out, const char *text, size_t len)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0;

    while (at < len) {
        uint32_t value = 0;
        int n = utf8_decode(bytes + at, len - at, &value);
        size_t size = n > 0 ? (size_t)n : 1;

        if (n <= 0) {
            buf_printf(out, "\\x%02X", bytes[at]);
        } else if (must_escape(value)) {
            buf_printf(out, value < 0x80 ? "\\x%02X" : "\\u{%04X}", value);
        } else {
            buf_append(out, bytes + at, size);
        }
        at += size;
    }
}

static void write_all(const uint8_t *bytes, size_t len)
{
    while (len) {
        ssize_t n = write(STDERR_FILENO, bytes, len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return; /* nowhere left to say it */
        bytes += n;
        len -= (size_t)n;
    }
}

static void print_line(enum note_class class, const char *text)
{
    const struct class_look *look = &looks[class];
    struct buf line CLEANUP(buf_free);

    buf_init(&line, LINE_MAX_BYTES * 4 + 64);
    if (current.colour)
        buf_append_str(&line, look->colour);
    buf_append_str(&line, current.utf8 ? look->symbol : look->word);
    buf_append_byte(&line, ' ');
    log_escape(&line, text, strnlen(text, LINE_MAX_BYTES));
    if (current.colour)
        buf_append_str(&line, "\033[0m");
    buf_append_byte(&line, '\n');
    write_all(line.data, line.len);
}

static void give_to_sink(enum note_class class, const char *text)
{
    if (class > NOTE_WARNING)
        return;
    if (sink_line)
        sink_line(sink_arg, class, text);
    else if (before.n < HELD_MAX)
        notes_add(&before, class, "%s", text);
}

void log_set_sink(log_sink_fn *sink, void *arg)
{
    for (size_t i = 0; sink && i < before.n; i++)
        sink(arg, before.v[i].class, before.v[i].text);
    notes_free(&before);
    sink_line = sink;
    sink_arg = arg;
}

void log_line(enum note_class class, const char *fmt, ...)
{
    /* Held lines: only these would be printed at the end, the others must not take their place. */
    bool is_shown = log_shows(class) && !(holding && class > NOTE_SECURITY);
    struct notes one = {0};
    va_list args;

    if (!is_shown && class > NOTE_WARNING)
        return;
    va_start(args, fmt);
    notes_addv(&one, class, fmt, args);
    va_end(args);
    give_to_sink(class, one.v[0].text);
    if (!is_shown) {
        notes_free(&one);
        return;
    }
    if (!holding)
        print_line(class, one.v[0].text);
    else if (held.n < HELD_MAX)
        notes_add(&held, class, "%s", one.v[0].text);
    else
        dropped++;
    notes_free(&one);
}

void log_notes(struct notes *notes)
{
    for (size_t i = 0; i < notes->n; i++)
        log_line(notes->v[i].class, "%s", notes->v[i].text);
    notes_free(notes);
}

void log_hold(void)
{
    holding = true;
}

unsigned log_held(void)
{
    return (unsigned)held.n + dropped;
}

void log_release(void)
{
    holding = false;
    for (size_t i = 0; i < held.n; i++)
        if (held.v[i].class <= NOTE_SECURITY)
            print_line(held.v[i].class, held.v[i].text);
    if (dropped)
        log_line(NOTE_SECURITY, "%u more lines were dropped", dropped);
    dropped = 0;
    notes_free(&held);
}
