// SPDX-License-Identifier: GPL-3.0-only
/*
 * What is remembered of the status row: the order of those who may say it, what is stored, and a
 * file that cannot be believed.
 */
#include "base/fd.h"
#include "config/prefs.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A state directory of its own; removed with teardown. */
struct fixture {
    char *top;
    char *dir;  /* $XDG_STATE_HOME/ai-jail */
    char *file; /* prefs.toml in it */
    struct prefs_place place;
};

static int setup(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    const char *base = getenv("TMPDIR");

    f->top = xasprintf("%s/prefs.XXXXXX", base ? base : "/tmp");
    assert_non_null(mkdtemp(f->top));
    f->dir = xasprintf("%s/ai-jail", f->top);
    f->place = (struct prefs_place){
        .home = f->top, .environ_state = f->top, .project = "/nonexistent", .uid = geteuid()};
    f->file = prefs_path(&f->place);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    char *command = xasprintf("rm -rf -- '%s'", f->top);

    assert_int_equal(system(command), 0);
    free(command);
    free(f->file);
    free(f->dir);
    free(f->top);
    free(f);
    return 0;
}

/* config with what a command line said: NULL nothing, or a word of the row. */
static void say(struct config *config, const char *word)
{
    struct config cli CLEANUP(config_free);

    config_init(&cli, LAYER_CLI);
    if (word)
        config_set_word(&cli, SET_STATUS_BAR, word);
    config_builtin(config);
    config_merge(config, &cli);
}

static void remember(struct fixture *f, const char *word, int expected)
{
    struct config config CLEANUP(config_free);
    struct error error = {0};

    say(&config, word);
    assert_int_equal(prefs_remember(&config, &f->place, &error), expected);
    assert_int_equal(error.code, -expected);
}

static void assert_known(struct fixture *f, int bar, const char *style)
{
    struct prefs prefs;
    struct notes notes = {0};

    prefs_read(&prefs, &f->place, &notes);
    assert_int_equal(notes.n, 0);
    assert_int_equal(prefs.has_bar, bar >= 0);
    assert_int_equal(prefs.bar, bar > 0);
    assert_true(str_eq(prefs.style, style));
}

static void test_only_what_was_said_is_stored(void **state)
{
    struct fixture *f = *state;
    struct stat st;

    remember(f, NULL, 0);
    assert_int_equal(access(f->dir, F_OK), -1);
    assert_known(f, -1, NULL);
    remember(f, "on", 0);
    assert_known(f, 1, NULL);
    remember(f, "dark", 0);
    assert_known(f, 1, "dark");
    remember(f, "off", 0);
    assert_known(f, 0, "dark");
    remember(f, NULL, 0);
    assert_known(f, 0, "dark");
    remember(f, "on", 0);
    assert_known(f, 1, "dark");
    assert_int_equal(stat(f->file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(stat(f->dir, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
}

static void test_a_script_changes_nothing(void **state)
{
    struct fixture *f = *state;
    struct config config CLEANUP(config_free);

    say(&config, "dark");
    config_set_bool(&config, SET_EXEC, true);
    assert_int_equal(prefs_remember(&config, &f->place, NULL), 0);
    assert_known(f, -1, NULL);
}

/* A file that says what is known already is not written again. */
static void test_no_write_without_a_change(void **state)
{
    struct fixture *f = *state;
    struct stat before;
    struct stat after;

    remember(f, "light", 0);
    assert_int_equal(stat(f->file, &before), 0);
    remember(f, "light", 0);
    remember(f, "on", 0);
    assert_int_equal(stat(f->file, &after), 0);
    assert_int_equal(before.st_ino, after.st_ino);
    remember(f, "dark", 0);
    assert_known(f, 1, "dark");
}

static void put(struct fixture *f, const char *text, mode_t mode)
{
    int fd;

    assert_true(mkdir(f->dir, 0700) == 0 || errno == EEXIST);
    unlink(f->file);
    fd = open(f->file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void assert_not_believed(struct fixture *f)
{
    struct prefs prefs = {.has_bar = true, .style = "x"};
    struct notes notes = {0};

    prefs_read(&prefs, &f->place, &notes);
    assert_false(prefs.has_bar);
    assert_null(prefs.style);
    assert_int_equal(notes.n, 1);
    assert_int_equal(notes.v[0].class, NOTE_WARNING);
    notes_free(&notes);
}

static void test_files_that_cannot_be_believed(void **state)
{
    static const char *const broken[] = {
        "status_bar = \"yes\"\n",
        "status_bar = true\nstatus_bar_style = \"pink\"\n",
        "status_bar_style = \"dark\\u0000\"\n",
        "status_bar_style = 1\n",
        "status_bar = true\nstatus_bar = true\n",
        "\xff",
        "[",
    };
    struct fixture *f = *state;

    for (size_t i = 0; i < ARRAY_SIZE(broken); i++) {
        put(f, broken[i], 0600);
        assert_not_believed(f);
    }
    put(f, "status_bar = true\n", 0666);
    assert_not_believed(f);
    put(f, "status_bar = true\n", 0600);
    assert_known(f, 1, NULL);
    unlink(f->file);
    assert_int_equal(symlink("/etc/hostname", f->file), 0);
    assert_not_believed(f);
    unlink(f->file);
    assert_int_equal(mkfifo(f->file, 0600), 0);
    assert_not_believed(f);
    /* A later key of a newer version is no mistake. */
    put(f, "status_bar = false\nother = [1]\n", 0600);
    assert_known(f, 0, NULL);
}

/* What is broken is put right by the next one who says something. */
static void test_a_broken_file_is_replaced(void **state)
{
    struct fixture *f = *state;

    put(f, "[", 0600);
    remember(f, "light", 0);
    assert_known(f, 1, "light");
}

static void test_no_directory_of_somebody_else(void **state)
{
    struct fixture *f = *state;

    f->place.uid = geteuid() + 1;
    remember(f, "dark", -EPERM);
    assert_int_equal(access(f->dir, F_OK), -1);
    f->place.uid = geteuid();
    assert_int_equal(symlink(".", f->dir), 0);
    remember(f, "dark", -ENOTDIR);
}

static void test_state_directory(void **state)
{
    struct prefs_place place = {.home = "/h", .environ_state = "relative"};
    char *relative = prefs_path(&place);
    char *absolute;

    (void)state;
    assert_string_equal(relative, "/h/.local/state/ai-jail/prefs.toml");
    place.environ_state = "/s";
    absolute = prefs_path(&place);
    assert_string_equal(absolute, "/s/ai-jail/prefs.toml");
    free(relative);
    free(absolute);
}

/* said: by the command line; file: 0 nothing, 1 no_status_bar = false, -1 true. */
struct choice {
    const char *said;
    int file;
    const char *file_style;
    int known;
    const char *known_style;
    bool on;
    bool is_asked;
    const char *style;
};

static void test_order(void **state)
{
    static const struct choice choices[] = {
        {NULL, 0, NULL, -1, NULL, false, false, "pastel"},
        {NULL, 0, NULL, 1, "dark", true, false, "dark"},
        {NULL, 0, NULL, 0, "dark", false, false, "dark"},
        {NULL, 0, "light", 1, "dark", true, false, "light"},
        {NULL, 1, NULL, 0, NULL, true, false, "pastel"},
        {NULL, -1, NULL, 1, NULL, false, false, "pastel"},
        {"on", 0, NULL, -1, NULL, true, true, "pastel"},
        {"on", -1, NULL, 0, "dark", true, true, "dark"},
        {"on", -1, "light", 0, "dark", true, true, "light"},
        {"pastel", -1, "light", 0, "dark", true, true, "pastel"},
        {"off", 1, "light", 1, "dark", false, false, "light"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(choices); i++) {
        const struct choice *c = &choices[i];
        struct prefs prefs = {
            .has_bar = c->known >= 0, .bar = c->known > 0, .style = c->known_style};
        struct config config CLEANUP(config_free);
        struct config file CLEANUP(config_free);
        struct prefs_bar bar;

        say(&config, c->said);
        config_init(&file, LAYER_GLOBAL);
        if (c->file)
            config_set_bool(&file, SET_STATUS_BAR_SWITCH, c->file > 0);
        if (c->file_style)
            config_set_word(&file, SET_STATUS_BAR_STYLE, c->file_style);
        config_merge(&config, &file);
        bar = prefs_choose(&config, &prefs);
        assert_int_equal(bar.on, c->on);
        assert_int_equal(bar.is_asked, c->is_asked);
        assert_string_equal(bar.style, c->style);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_only_what_was_said_is_stored, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_script_changes_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_write_without_a_change, setup, teardown),
        cmocka_unit_test_setup_teardown(test_files_that_cannot_be_believed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_a_broken_file_is_replaced, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_directory_of_somebody_else, setup, teardown),
        cmocka_unit_test(test_state_directory),
        cmocka_unit_test(test_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
