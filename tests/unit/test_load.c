// SPDX-License-Identifier: GPL-3.0-only
/*
 * Reading one file: what each kind of file must be, and every way in which it may not.
 *
 * Files are real. A foreign owner is made by asking as somebody else; an owner root is real where the
 * test runs as root.
 */
#include "config/load.h"

#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TEXT "command = ['x']\n"

/* A home and a project beside it, both below a directory of the test's own. */
struct place {
    char root[64];
    char *home;
    char *project;
    char *global;
    char *local;
};

static int set_up(void **state)
{
    struct place *place = xcalloc(1, sizeof(*place));

    snprintf(place->root, sizeof(place->root), "/tmp/test_load.XXXXXX");
    if (!mkdtemp(place->root))
        return -1;
    place->home = path_join(place->root, "home");
    place->project = path_join(place->root, "project");
    place->global = path_join(place->home, LOAD_FILE_NAME);
    place->local = path_join(place->project, LOAD_FILE_NAME);
    *state = place;
    return mkdir(place->home, 0700) || mkdir(place->project, 0700);
}

static int tear_down(void **state)
{
    struct place *place = *state;
    static const char *const names[] = {LOAD_FILE_NAME, "target", "second"};

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        const char *const dirs[] = {place->home, place->project};

        for (size_t k = 0; k < ARRAY_SIZE(dirs); k++) {
            _cleanup_free_ char *path = path_join(dirs[k], names[i]);

            if (unlink(path) < 0)
                rmdir(path);
        }
    }
    rmdir(place->home);
    rmdir(place->project);
    rmdir(place->root);
    free(place->home);
    free(place->project);
    free(place->global);
    free(place->local);
    free(place);
    return 0;
}

/* A new file: an old one may be read-only. */
static void write_file(const char *path, const void *bytes, size_t len, mode_t mode)
{
    int fd;

    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, len), (ssize_t)len);
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void write_text(const char *path, mode_t mode)
{
    write_file(path, TEXT, strlen(TEXT), mode);
}

static int load_as(const struct place *place, enum load_kind kind, const char *path, uid_t uid,
                   struct loaded *loaded, struct error *error)
{
    const struct load_request request = {
        .kind = kind, .path = path, .project = place->project, .uid = uid};
    struct timespec begin;
    struct timespec end;
    int r;

    *error = (struct error){0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
    r = load_file(&request, loaded, error);
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
    assert_true(end.tv_sec - begin.tv_sec <= 1);
    return r;
}

static void check_refused_as(const struct place *place, enum load_kind kind, const char *path,
                             uid_t uid, int code, const char *reason)
{
    _cleanup_loaded_ struct loaded loaded = {0};
    struct error error;
    int r = load_as(place, kind, path, uid, &loaded, &error);

    if (r != -code || !strstr(error.text, reason))
        fail_msg("kind %d: %d (%s), %s", kind, r, strerror(-r), error.text);
    assert_non_null(strstr(error.text, path));
    assert_null(strchr(error.text, '\n'));
}

static void check_refused(const struct place *place, enum load_kind kind, const char *path,
                          int code, const char *reason)
{
    check_refused_as(place, kind, path, geteuid(), code, reason);
}

static void check_read(const struct place *place, enum load_kind kind, const char *path,
                       const char *text, size_t len)
{
    _cleanup_loaded_ struct loaded loaded = {0};
    struct error error;
    int r = load_as(place, kind, path, geteuid(), &loaded, &error);

    if (r < 0)
        fail_msg("kind %d: %s", kind, error.text);
    assert_false(loaded.is_absent);
    assert_int_equal(loaded.bytes.len, len);
    if (len)
        assert_memory_equal(loaded.bytes.data, text, len);
}

static const enum load_kind kinds[] = {LOAD_PROJECT, LOAD_GLOBAL, LOAD_STATE, LOAD_ENV};

static const char *path_of(const struct place *place, enum load_kind kind)
{
    return kind == LOAD_PROJECT ? place->local : place->global;
}

static void a_file_is_read_with_its_facts(void **state)
{
    const struct place *place = *state;

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        const char *path = path_of(place, kinds[i]);
        _cleanup_loaded_ struct loaded loaded = {0};
        struct error error;
        struct stat st;

        write_text(path, 0600);
        assert_int_equal(stat(path, &st), 0);
        assert_int_equal(load_as(place, kinds[i], path, geteuid(), &loaded, &error), 0);
        assert_true(loaded.dev == st.st_dev && loaded.ino == st.st_ino);
        assert_true(loaded.is_own && !loaded.loose_mode && !loaded.was_link);
        assert_string_equal(loaded.path, path);
        assert_string_equal(buf_cstr(&loaded.bytes), TEXT);
    }
}

static void a_file_that_is_not_there_is_absent(void **state)
{
    const struct place *place = *state;

    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++) {
        _cleanup_loaded_ struct loaded loaded = {0};
        struct error error;
        const char *path = path_of(place, kinds[i]);

        assert_int_equal(load_as(place, kinds[i], path, geteuid(), &loaded, &error), 0);
        assert_true(loaded.is_absent);
        assert_int_equal(loaded.bytes.len, 0);
    }
}

static void any_other_failure_is_none_of_absence(void **state)
{
    const struct place *place = *state;
    _cleanup_free_ char *below = path_join(place->global, "x");

    write_text(place->global, 0600);
    for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
        check_refused(place, kinds[i], below, ENOTDIR, "cannot open");
}

static void text_is_utf8_without_nul_and_mark(void **state)
{
    const struct place *place = *state;
    static const struct {
        const char *bytes;
        size_t len;
        const char *reason; /* NULL: read */
        size_t skipped;
    } rows[] = {
        {"", 0, NULL, 0},
        {"\xEF\xBB\xBF", 3, NULL, 3},
        {"\xEF\xBB\xBFx = 1\r\n", 10, NULL, 3},
        {"# \xc3\xa9 \xf0\x9f\x98\x80\n", 10, NULL, 0},
        {"\n\n\xff", 3, ":3: not valid UTF-8", 0},
        {"\xc3", 1, ":1: not valid UTF-8", 0},
        {"\xed\xa0\x80", 3, ":1: not valid UTF-8", 0},
        {"\xc0\x80", 2, ":1: not valid UTF-8", 0},
        {"a\n\0", 3, ":2: a NUL byte", 0},
        {"\xff\xfe"
         "a\0",
         4, ":1: not valid UTF-8", 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
            const char *path = path_of(place, kinds[k]);

            write_file(path, rows[i].bytes, rows[i].len, 0600);
            if (rows[i].reason)
                check_refused(place, kinds[k], path, EILSEQ, rows[i].reason);
            else
                check_read(place, kinds[k], path, rows[i].bytes + rows[i].skipped,
                           rows[i].len - rows[i].skipped);
        }
    }
}

static void at_most_a_mebibyte_is_read(void **state)
{
    const struct place *place = *state;

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        const char *path = path_of(place, kinds[k]);
        _cleanup_free_ char *bytes = xcalloc(2 * MIB, 1);

        memset(bytes, '#', 2 * MIB);
        write_file(path, bytes, MIB, 0600);
        check_read(place, kinds[k], path, bytes, MIB);
        write_file(path, bytes, MIB + 1, 0600);
        check_refused(place, kinds[k], path, EFBIG, "larger than 1 MiB");
        write_file(path, bytes, 2 * MIB, 0600);
        check_refused(place, kinds[k], path, EFBIG, "larger than 1 MiB");
        assert_int_equal(truncate(path, (off_t)GIB), 0);
        check_refused(place, kinds[k], path, EFBIG, "larger than 1 MiB");
    }
}

static void make_socket(const char *path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0 && strlen(path) < sizeof(address.sun_path));
    memcpy(address.sun_path, path, strlen(path));
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    close(fd);
}

static void only_a_regular_file_is_read(void **state)
{
    const struct place *place = *state;

    for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
        const char *path = path_of(place, kinds[k]);

        unlink(path);
        assert_int_equal(mkfifo(path, 0600), 0);
        check_refused(place, kinds[k], path, EINVAL, "a FIFO");
        unlink(path);
        assert_int_equal(mkdir(path, 0700), 0);
        check_refused(place, kinds[k], path, EINVAL, "a directory");
        rmdir(path);
        make_socket(path);
        check_refused(place, kinds[k], path, ENXIO, "a socket");
        unlink(path);
        check_refused(place, kinds[k], "/dev/zero", EINVAL, "a device");
    }
}

static void links_are_refused(void **state)
{
    const struct place *place = *state;
    static const enum load_kind refusing[] = {LOAD_PROJECT, LOAD_STATE, LOAD_ENV};
    _cleanup_free_ char *target = path_join(place->home, "target");

    for (size_t k = 0; k < ARRAY_SIZE(refusing); k++) {
        const char *path = path_of(place, refusing[k]);

        unlink(path);
        write_text(target, 0600);
        assert_int_equal(symlink(target, path), 0);
        check_refused(place, refusing[k], path, ELOOP, "symbolic link");
        unlink(target);
        check_refused(place, refusing[k], path, ELOOP, "symbolic link");
        unlink(path);
        assert_int_equal(symlink(path, path), 0);
        check_refused(place, refusing[k], path, ELOOP, "symbolic link");
    }
}

static void the_global_file_may_be_a_link_to_a_good_file(void **state)
{
    const struct place *place = *state;
    _cleanup_free_ char *target = path_join(place->home, "target");
    _cleanup_free_ char *second = path_join(place->home, "second");
    _cleanup_loaded_ struct loaded loaded = {0};
    struct error error;

    write_text(target, 0644);
    assert_int_equal(symlink("target", second), 0);
    assert_int_equal(symlink(second, place->global), 0);
    assert_int_equal(load_as(place, LOAD_GLOBAL, place->global, geteuid(), &loaded, &error), 0);
    assert_true(loaded.was_link);
    assert_string_equal(loaded.path, target);
    assert_string_equal(buf_cstr(&loaded.bytes), TEXT);
}

static void the_target_of_the_global_link_passes_every_check(void **state)
{
    const struct place *place = *state;
    _cleanup_free_ char *target = path_join(place->home, "target");
    _cleanup_free_ char *inside = path_join(place->project, "target");

    assert_int_equal(symlink(target, place->global), 0);
    check_refused(place, LOAD_GLOBAL, place->global, ENOENT, "leads nowhere");
    write_text(target, 0666);
    check_refused(place, LOAD_GLOBAL, place->global, EPERM, "chmod go-w '/tmp/test_load.");
    assert_int_equal(chmod(target, 0600), 0);
    assert_int_equal(truncate(target, 2 * (off_t)MIB), 0);
    check_refused(place, LOAD_GLOBAL, place->global, EFBIG, "larger than 1 MiB");
    unlink(target);
    assert_int_equal(mkfifo(target, 0600), 0);
    check_refused(place, LOAD_GLOBAL, place->global, EINVAL, "a FIFO");
    unlink(target);
    assert_int_equal(mkdir(target, 0700), 0);
    check_refused(place, LOAD_GLOBAL, place->global, EINVAL, "a directory");
    unlink(place->global);
    assert_int_equal(symlink("/dev/zero", place->global), 0);
    check_refused(place, LOAD_GLOBAL, place->global, EINVAL, "a device");
    unlink(place->global);
    assert_int_equal(symlink(LOAD_FILE_NAME, place->global), 0);
    check_refused(place, LOAD_GLOBAL, place->global, ELOOP, "leads nowhere");
    unlink(place->global);
    write_text(inside, 0600);
    assert_int_equal(symlink(inside, place->global), 0);
    check_refused(place, LOAD_GLOBAL, place->global, EPERM, "inside the project");
}

static void the_global_file_lies_outside_the_project(void **state)
{
    const struct place *place = *state;
    _cleanup_free_ char *inside = path_join(place->project, "target");

    write_text(inside, 0600);
    check_refused(place, LOAD_GLOBAL, inside, EPERM, "inside the project");
    check_refused(place, LOAD_ENV, inside, EPERM, "inside the project");
    /* In HOME the two files are one: the caller sees it by device and inode. */
    write_text(place->local, 0600);
    check_read(place, LOAD_GLOBAL, place->local, TEXT, strlen(TEXT));
    check_refused(place, LOAD_ENV, place->local, EPERM, "inside the project");
    /* A link to the project's file is a link into the project. */
    assert_int_equal(symlink(place->local, place->global), 0);
    check_refused(place, LOAD_GLOBAL, place->global, EPERM, "inside the project");
}

struct mode_row {
    mode_t mode;
    bool is_loose;     /* LOAD_PROJECT: reported */
    bool global_is_ok; /* LOAD_GLOBAL, LOAD_STATE */
    bool env_is_ok;
};

static const struct mode_row mode_rows[] = {
    {0600, false, true, true},  {0400, false, true, true},  {0700, false, true, true},
    {0644, false, true, false}, {0640, false, true, false}, {0604, false, true, false},
    {0610, false, true, false}, {0601, false, true, false}, {0620, true, false, false},
    {0602, true, false, false}, {0660, true, false, false}, {0666, true, false, false},
    {0777, true, false, false},
};

static void modes_decide_who_may_have_written(void **state)
{
    const struct place *place = *state;

    for (size_t i = 0; i < ARRAY_SIZE(mode_rows); i++) {
        const struct mode_row *row = &mode_rows[i];
        _cleanup_loaded_ struct loaded loaded = {0};
        struct error error;

        write_text(place->local, row->mode);
        assert_int_equal(load_as(place, LOAD_PROJECT, place->local, geteuid(), &loaded, &error), 0);
        assert_int_equal(loaded.loose_mode, row->is_loose);
        write_text(place->global, row->mode);
        if (row->global_is_ok) {
            check_read(place, LOAD_GLOBAL, place->global, TEXT, strlen(TEXT));
            check_read(place, LOAD_STATE, place->global, TEXT, strlen(TEXT));
        } else {
            check_refused(place, LOAD_GLOBAL, place->global, EPERM, "run chmod go-w '");
            check_refused(place, LOAD_STATE, place->global, EPERM, "run chmod go-w '");
        }
        if (row->env_is_ok)
            check_read(place, LOAD_ENV, place->global, TEXT, strlen(TEXT));
        else
            check_refused(place, LOAD_ENV, place->global, EPERM, "run chmod go= '");
    }
}

static void a_foreign_owner_is_noticed(void **state)
{
    const struct place *place = *state;
    uid_t somebody = geteuid() + 1000;
    _cleanup_loaded_ struct loaded loaded = {0};
    struct error error;

    write_text(place->local, 0600);
    write_text(place->global, 0600);
    assert_int_equal(load_as(place, LOAD_PROJECT, place->local, somebody, &loaded, &error), 0);
    assert_false(loaded.is_own);
    check_refused_as(place, LOAD_STATE, place->global, somebody, EPERM, "belongs to user id");
    check_refused_as(place, LOAD_ENV, place->global, somebody, EPERM, "belongs to user id");
    if (geteuid() != 0) {
        check_refused_as(place, LOAD_GLOBAL, place->global, somebody, EPERM, "belongs to user id");
        return;
    }
    /* Of root: good. Of a third person: not. */
    load_free(&loaded);
    assert_int_equal(load_as(place, LOAD_GLOBAL, place->global, somebody, &loaded, &error), 0);
    assert_false(loaded.is_own);
    assert_int_equal(chown(place->global, 12345, 12345), 0);
    check_refused_as(place, LOAD_GLOBAL, place->global, somebody, EPERM,
                     "belongs to user id 12345");
    check_refused_as(place, LOAD_GLOBAL, place->global, 0, EPERM, "belongs to user id 12345");
}

static void two_names_of_one_file_are_one_file(void **state)
{
    const struct place *place = *state;
    _cleanup_loaded_ struct loaded first = {0};
    _cleanup_loaded_ struct loaded second = {0};
    struct error error;

    write_text(place->global, 0600);
    assert_int_equal(link(place->global, place->local), 0);
    assert_int_equal(load_as(place, LOAD_GLOBAL, place->global, geteuid(), &first, &error), 0);
    assert_int_equal(load_as(place, LOAD_PROJECT, place->local, geteuid(), &second, &error), 0);
    assert_true(first.dev == second.dev && first.ino == second.ino);
}

static void no_descriptor_is_left(void **state)
{
    const struct place *place = *state;
    _cleanup_loaded_ struct loaded loaded = {0};
    struct error error;
    int before = dup(0);
    int after;

    write_text(place->local, 0600);
    close(before);
    assert_int_equal(load_as(place, LOAD_PROJECT, place->local, geteuid(), &loaded, &error), 0);
    check_refused(place, LOAD_PROJECT, place->home, EINVAL, "a directory");
    after = dup(0);
    close(after);
    assert_int_equal(before, after);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_file_is_read_with_its_facts),
        TEST(a_file_that_is_not_there_is_absent),
        TEST(any_other_failure_is_none_of_absence),
        TEST(text_is_utf8_without_nul_and_mark),
        TEST(at_most_a_mebibyte_is_read),
        TEST(only_a_regular_file_is_read),
        TEST(links_are_refused),
        TEST(the_global_file_may_be_a_link_to_a_good_file),
        TEST(the_target_of_the_global_link_passes_every_check),
        TEST(the_global_file_lies_outside_the_project),
        TEST(modes_decide_who_may_have_written),
        TEST(a_foreign_owner_is_noticed),
        TEST(two_names_of_one_file_are_one_file),
        TEST(no_descriptor_is_left),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
