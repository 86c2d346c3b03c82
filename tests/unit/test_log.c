// SPDX-License-Identifier: GPL-3.0-only
/*
 * Diagnostics: no byte of a hostile name reaches the terminal as it is, and every line that matters
 * does.
 */
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

#define STR(text) text, sizeof(text) - 1

static void assert_escaped(const char *bytes, size_t len, const char *want)
{
    _cleanup_buf_ struct buf out;

    buf_init(&out, MIB);
    log_escape(&out, bytes, len);
    assert_string_equal(buf_cstr(&out), want);
}

static void escapes_what_acts_on_a_terminal(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        const char *want;
    } rows[] = {
        {STR(""), ""},
        {STR("plain ~ text"), "plain ~ text"},
        {STR("back\\slash stays"), "back\\slash stays"},
        {STR("\033]52;c;x\a"), "\\x1B]52;c;x\\x07"},
        {STR("a\nb\rc\td"), "a\\x0Ab\\x0Dc\\x09d"},
        {STR("nul\0nul"), "nul\\x00nul"},
        {STR("\x7f"), "\\x7F"},
        {STR("\x9b"
             "31m"),
         "\\x9B31m"}, /* C1 as one byte */
        {STR("\xc2\x9b"
             "31m"),
         "\\u{009B}31m"}, /* C1 in UTF-8 */
        {STR("\xc2\x80\xc2\x9f"), "\\u{0080}\\u{009F}"},
        {STR("\xc2\xa0"), "\xc2\xa0"},
        {STR("gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80"),
         "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80"},
        {STR("\xe2\x80\xa8\xe2\x80\xa9"), "\\u{2028}\\u{2029}"},
        {STR("\xe2\x80\xae"
             "txt.exe"),
         "\\u{202E}txt.exe"}, /* right-to-left override */
        {STR("\xe2\x81\xa6\xe2\x81\xa9"), "\\u{2066}\\u{2069}"},
        {STR("\xd8\x9c\xe2\x80\x8e\xe2\x80\x8f"), "\\u{061C}\\u{200E}\\u{200F}"},
        {STR("a\xe2\x80\x8b"
             "b\xe2\x80\x8d"),
         "a\\u{200B}b\\u{200D}"},
        {STR("\xe2\x81\xa0\xef\xbb\xbf\xc2\xad\xe1\xa0\x8e"),
         "\\u{2060}\\u{FEFF}\\u{00AD}\\u{180E}"},
        {STR("\xf3\xa0\x81\xa1"), "\\u{E0061}"}, /* an invisible "a" */
        {STR("\xe2\x80\x90"), "\xe2\x80\x90"},   /* a visible hyphen */
        /* invalid UTF-8, byte by byte */
        {STR("\xff\xfe"), "\\xFF\\xFE"},
        {STR("\x80"), "\\x80"},
        {STR("\xc0\xaf"), "\\xC0\\xAF"}, /* overlong slash */
        {STR("\xc1\x9b"), "\\xC1\\x9B"},
        {STR("\xe0\x80\x9b"), "\\xE0\\x80\\x9B"}, /* overlong escape */
        {STR("\xf0\x80\x80\x9b"), "\\xF0\\x80\\x80\\x9B"},
        {STR("\xed\xa0\x80"), "\\xED\\xA0\\x80"},          /* surrogate */
        {STR("\xf4\x90\x80\x80"), "\\xF4\\x90\\x80\\x80"}, /* above U+10FFFF */
        {STR("\xf5\x80\x80\x80"), "\\xF5\\x80\\x80\\x80"},
        {STR("\xe2\x80"), "\\xE2\\x80"}, /* cut off */
        {STR("\xe2\x80x"), "\\xE2\\x80x"},
        {STR("\xe2\x80\xe2\x80\xa2"), "\\xE2\\x80\xe2\x80\xa2"},
        {STR("\xf0\x9f\x98"), "\\xF0\\x9F\\x98"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        assert_escaped(rows[i].bytes, rows[i].len, rows[i].want);
}

/* Whatever three bytes come, what goes out is free of control bytes. */
static void no_control_byte_comes_through(void **state)
{
    static const uint8_t bytes[] = {0x00, 0x1b, 0x41, 0x7f, 0x80, 0x8e, 0x9b, 0xa8, 0xae, 0xbf,
                                    0xc2, 0xd8, 0xe0, 0xe2, 0xed, 0xef, 0xf0, 0xf3, 0xf4, 0xff};
    const size_t n = ARRAY_SIZE(bytes);

    (void)state;
    for (size_t i = 0; i < n * n * n; i++) {
        const char in[] = {(char)bytes[i / n / n], (char)bytes[i / n % n], (char)bytes[i % n]};
        _cleanup_buf_ struct buf out;

        buf_init(&out, 64);
        log_escape(&out, in, sizeof(in));
        assert_false(out.overflow);
        for (size_t k = 0; k < out.len; k++) {
            assert_true(out.data[k] >= 0x20 && out.data[k] != 0x7f);
            /* U+0080 to U+009F */
            assert_false(k && out.data[k - 1] == 0xc2 && out.data[k] < 0xa0);
        }
    }
}

/* ---- lines: stderr is a memfd while a test runs ---- */

struct capture {
    int saved;
    int fd;
    char text[512 * KIB];
};

static int begin_capture(void **state)
{
    struct capture *capture = xcalloc(1, sizeof(*capture));

    capture->saved = dup(STDERR_FILENO);
    capture->fd = memfd_create("stderr", MFD_CLOEXEC);
    if (capture->saved < 0 || capture->fd < 0 || dup2(capture->fd, STDERR_FILENO) < 0)
        return -1;
    *state = capture;
    return 0;
}

static int end_capture(void **state)
{
    struct capture *capture = *state;

    dup2(capture->saved, STDERR_FILENO);
    close(capture->saved);
    close(capture->fd);
    free(capture);
    return 0;
}

/* What was printed since the last call. */
static const char *printed(struct capture *capture)
{
    ssize_t n = pread(capture->fd, capture->text, sizeof(capture->text) - 1, 0);

    assert_true(n >= 0);
    capture->text[n] = '\0';
    assert_int_equal(ftruncate(capture->fd, 0), 0);
    assert_int_equal(lseek(capture->fd, 0, SEEK_SET), 0);
    return capture->text;
}

static void print_each_class(void)
{
    log_line(NOTE_FATAL, "f");
    log_line(NOTE_SECURITY, "s");
    log_line(NOTE_WARNING, "w");
    log_line(NOTE_INFO, "i");
    log_line(NOTE_VERBOSE, "v");
}

static void classes_show_by_mode(void **state)
{
    static const struct {
        struct log_options options;
        const char *want;
    } rows[] = {
        {{.quiet = false}, "error: f\nsecurity: s\nwarning: w\ninfo: i\n"},
        {{.verbose = true}, "error: f\nsecurity: s\nwarning: w\ninfo: i\n  v\n"},
        {{.quiet = true}, "error: f\nsecurity: s\n"},
        {{.quiet = true, .verbose = true}, "error: f\nsecurity: s\n"},
        {{.quiet = true, .utf8 = true}, "✗ f\n‼ s\n"},
        {{.quiet = true, .colour = true},
         "\033[31merror: f\033[0m\n\033[1;33msecurity: s\033[0m\n"},
    };
    struct capture *capture = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        log_setup(rows[i].options);
        print_each_class();
        assert_string_equal(printed(capture), rows[i].want);
    }
}

static void a_name_cannot_start_a_line_of_its_own(void **state)
{
    struct capture *capture = *state;

    log_setup((struct log_options){0});
    log_line(NOTE_WARNING, "%s is odd", "x\nsecurity: all is well\033[2K");
    assert_string_equal(printed(capture), "warning: x\\x0Asecurity: all is well\\x1B[2K is odd\n");
}

/* A long name cuts the line; it does not make it vanish. */
static void long_lines_are_cut(void **state)
{
    struct capture *capture = *state;
    char *name = xcalloc(300 * KIB, 1);
    const char *text;

    memset(name, '\033', 300 * KIB - 1);
    log_setup((struct log_options){0});
    log_line(NOTE_SECURITY, "begin %s end", name);
    text = printed(capture);
    assert_true(str_starts(text, "security: begin \\x1B\\x1B"));
    assert_int_equal(text[strlen(text) - 1], '\n');
    assert_true(strlen(text) < 70 * KIB);
    free(name);
}

static void notes_are_cut_too_and_printed_in_order(void **state)
{
    struct capture *capture = *state;
    struct notes notes = {0};
    char *name = xcalloc(300 * KIB, 1);
    const char *text;

    memset(name, 'x', 300 * KIB - 1);
    log_setup((struct log_options){0});
    notes_add(&notes, NOTE_SECURITY, "first %s", name);
    notes_add(&notes, NOTE_INFO, "second");
    notes_add(NULL, NOTE_INFO, "nobody listens");
    assert_int_equal(strlen(notes.v[0].text), 16 * KIB);
    log_notes(&notes);
    assert_int_equal(notes.n, 0);
    text = printed(capture);
    assert_true(str_starts(text, "security: first xxx"));
    assert_string_equal(strchr(text, '\n'), "\ninfo: second\n");
    free(name);
}

static void held_lines_come_at_the_end(void **state)
{
    struct capture *capture = *state;

    log_setup((struct log_options){.verbose = true});
    log_hold();
    print_each_class();
    assert_string_equal(printed(capture), "");
    log_release();
    assert_string_equal(printed(capture), "error: f\nsecurity: s\n");
    log_release();
    assert_string_equal(printed(capture), "");
    log_line(NOTE_INFO, "on");
    assert_string_equal(printed(capture), "info: on\n");
}

/* Lines that would not be printed anyway cannot push out those that would. */
static void a_flood_of_warnings_hides_nothing(void **state)
{
    struct capture *capture = *state;

    log_setup((struct log_options){0});
    log_hold();
    for (int i = 0; i < 1000; i++)
        log_line(NOTE_WARNING, "noise %d", i);
    log_line(NOTE_SECURITY, "what matters");
    log_release();
    assert_string_equal(printed(capture), "security: what matters\n");
}

static void what_exceeds_the_maximum_is_counted(void **state)
{
    struct capture *capture = *state;
    const char *text;
    unsigned lines = 0;

    log_setup((struct log_options){0});
    log_hold();
    for (int i = 0; i < 203; i++)
        log_line(NOTE_SECURITY, "line %d", i);
    log_release();
    text = printed(capture);
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    assert_int_equal(lines, 201);
    assert_non_null(strstr(text, "security: line 199\n"));
    assert_null(strstr(text, "line 200"));
    assert_non_null(strstr(text, "3 more lines"));
}

#define CAPTURED(test) cmocka_unit_test_setup_teardown(test, begin_capture, end_capture)

static void keep(void *arg, enum note_class class, const char *text)
{
    notes_add(arg, class, "%s", text);
}

/* A sink hears what matters, shown or not, and what was said before it was there. */
static void a_sink_hears_all_decisions(void **state)
{
    struct notes heard = {0};

    (void)state;
    log_set_sink(NULL, NULL); /* forgets the lines of the tests before */
    log_setup((struct log_options){.quiet = true});
    log_line(NOTE_WARNING, "before, hidden");
    log_line(NOTE_INFO, "no decision");
    log_set_sink(keep, &heard);
    log_hold();
    log_line(NOTE_SECURITY, "held \033");
    log_line(NOTE_VERBOSE, "no decision");
    log_release();
    log_set_sink(NULL, NULL);
    log_line(NOTE_SECURITY, "nobody hears it");
    assert_int_equal(heard.n, 2);
    assert_int_equal(heard.v[0].class, NOTE_WARNING);
    assert_string_equal(heard.v[0].text, "before, hidden");
    assert_string_equal(heard.v[1].text, "held \033");
    notes_free(&heard);
    log_set_sink(NULL, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(escapes_what_acts_on_a_terminal),
        cmocka_unit_test(no_control_byte_comes_through),
        CAPTURED(classes_show_by_mode),
        CAPTURED(a_name_cannot_start_a_line_of_its_own),
        CAPTURED(long_lines_are_cut),
        CAPTURED(notes_are_cut_too_and_printed_in_order),
        CAPTURED(held_lines_come_at_the_end),
        CAPTURED(a_flood_of_warnings_hides_nothing),
        CAPTURED(what_exceeds_the_maximum_is_counted),
        CAPTURED(a_sink_hears_all_decisions),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
