// SPDX-License-Identifier: GPL-3.0-only
/*
 * Which key redraws which command, and what is said about a text that names none.
 */
#include "config/redraw_key.h"
#include "support/test.h"

#include <string.h>

struct row {
    const char *text; /* NULL: nothing is said */
    const char *command;
    unsigned char byte;
    bool is_wrong;
};

static void check(const struct row *row)
{
    _cleanup_config_ struct config config = {0};
    struct notes notes = {0};
    unsigned char got;

    config_init(&config, LAYER_GLOBAL);
    config.place.line = 3;
    if (row->text)
        config_set_text(&config, SET_RESIZE_REDRAW_KEY, row->text);
    got = redraw_key_choose(&config, row->command, &notes);
    if (got != row->byte || notes.n != row->is_wrong)
        fail_msg("%s for %s: byte %u, %zu lines", row->text ? row->text : "nothing", row->command,
                 got, notes.n);
    if (row->is_wrong) {
        assert_int_equal(notes.v[0].class, NOTE_WARNING);
        assert_non_null(strstr(notes.v[0].text, "~/.ai-jail:3"));
        assert_non_null(strstr(notes.v[0].text, "resize_redraw_key"));
        assert_true(strlen(notes.v[0].text) < 250);
    }
    notes_free(&notes);
}

static void a_command_has_its_own_key(void **state)
{
    static const struct row rows[] = {
        {NULL, "codex", 0x0c, false},     {NULL, "claude", 0, false},
        {NULL, "bash", 0, false},         {NULL, "codex2", 0, false},
        {"none", "codex", 0, false},      {"NONE", "codex", 0, false},
        {"ctrl-r", "codex", 0x12, false}, {"ctrl-r", "bash", 0x12, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void every_letter_is_a_key(void **state)
{
    char text[] = "ctrl-x";
    char shifted[] = "Ctrl-Shift-X";

    (void)state;
    for (unsigned char i = 0; i < 26; i++) {
        struct row rows[] = {{text, "x", (unsigned char)(i + 1), false},
                             {shifted, "x", (unsigned char)(i + 1), false}};

        text[5] = (char)('a' + i);
        shifted[11] = (char)('A' + i);
        check(&rows[0]);
        check(&rows[1]);
    }
}

static void anything_else_is_no_key(void **state)
{
    static const char *const texts[] = {
        "l",
        "ctrl",
        "ctrl-",
        "ctrl-ll",
        "ctrl-1",
        "ctrl-[",
        "alt-l",
        "shift-l",
        "ctrl-alt-l",
        "ctrl-shift-",
        "ctrl l",
        "ctrl-\xc3\xa9",
        "ctrl-l ",
        "f5",
        "nonesuch",
        "^L",
        "\x1b[2J",
        "off",
        "a text that is far too long to be repeated in a line of its own, whoever wrote it there, "
        "because nobody would read it to its end anyway, and it says nothing",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(texts); i++)
        check(&(struct row){texts[i], "codex", 0, true});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_has_its_own_key),
        cmocka_unit_test(every_letter_is_a_key),
        cmocka_unit_test(anything_else_is_no_key),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
