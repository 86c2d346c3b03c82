// SPDX-License-Identifier: GPL-3.0-only
/*
 * Files of environment variables: what a line may be, and that a value is never shown.
 */
#include "config/envfile.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

struct good {
    const char *text;
    const char *entries; /* joined with '|' */
};

static const struct good good[] = {
    {"", ""},
    {"\n\n", ""},
    {"  \t\n", ""},
    {"# comment\n", ""},
    {"#A=1\n", ""},
    {"A=1\n", "A=1"},
    {"A=1", "A=1"},
    {"A=\n", "A="},
    {"_a9=x\nA=1\n_a9=y\n", "_a9=x|A=1|_a9=y"},
    {"A=\"quoted\" # no comment\n", "A=\"quoted\" # no comment"},
    {"A= $HOME \\n\t \n", "A= $HOME \\n\t "},
    {"A=b=c\n", "A=b=c"},
    {"A=x\ry\n", "A=x\ry"},
    {"A=\xc3\xa9\n", "A=\xc3\xa9"},
};

static void lines_are_taken_literally(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
        _cleanup_strv_ struct strv entries = {0};
        _cleanup_free_ char *joined = NULL;
        struct error error;

        if (envfile_parse("f", good[i].text, strlen(good[i].text), &entries, &error) < 0)
            fail_msg("%s: %s", good[i].text, error.text);
        joined = strv_join(&entries, "|");
        assert_string_equal(joined, good[i].entries);
    }
}

struct bad {
    const char *text;
    size_t len; /* 0: strlen */
    const char *where;
    const char *reason;
};

static const struct bad bad[] = {
    {"A=1\nsecret\n", 0, "f:2: ", "no '='"},
    {"export A=secret\n", 0, "f:1: ", "the name is not one"},
    {" A=secret\n", 0, "f:1: ", "the name is not one"},
    {"A =secret\n", 0, "f:1: ", "the name is not one"},
    {"=secret\n", 0, "f:1: ", "the name is not one"},
    {"9A=secret\n", 0, "f:1: ", "the name is not one"},
    {"A-B=secret\n", 0, "f:1: ", "the name is not one"},
    {"\xc3\xa9=secret\n", 0, "f:1: ", "the name is not one"},
    {" # secret\n", 0, "f:1: ", "no '='"},
    {"A=secret\r\n", 0, "f:1: ", "carriage return"},
    {"A=secret\r", 0, "f:1: ", "carriage return"},
    {"\r\n", 0, "f:1: ", "carriage return"},
    {"# secret\r\n", 0, "f:1: ", "carriage return"},
    {"\n\nA=sec\0ret\n", 12, "f:3: ", "NUL"},
};

static void a_violation_names_the_line_and_nothing_of_it(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        _cleanup_strv_ struct strv entries = {0};
        size_t len = bad[i].len ? bad[i].len : strlen(bad[i].text);
        struct error error = {0};
        int r = envfile_parse("f", bad[i].text, len, &entries, &error);

        if (r != -EINVAL || !str_starts(error.text, bad[i].where) ||
            !strstr(error.text, bad[i].reason))
            fail_msg("%s: %d: %s", bad[i].text, r, error.text);
        assert_null(strstr(error.text, "sec"));
    }
}

static void write_file(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void a_file_must_be_there_and_private(void **state)
{
    char dir[] = "/tmp/test_envfile.XXXXXX";
    _cleanup_strv_ struct strv entries = {0};
    _cleanup_free_ char *path = NULL;
    struct error error;

    (void)state;
    assert_non_null(mkdtemp(dir));
    path = xasprintf("%s/env", dir);
    assert_int_equal(envfile_read(path, "/nowhere", geteuid(), &entries, &error), -ENOENT);
    assert_non_null(strstr(error.text, path));
    write_file(path, "A=1\nB=2\n", 0600);
    assert_int_equal(envfile_read(path, "/nowhere", geteuid(), &entries, &error), 0);
    assert_int_equal(entries.n, 2);
    assert_int_equal(envfile_read(path, dir, geteuid(), &entries, &error), -EPERM);
    assert_non_null(strstr(error.text, "inside the project"));
    write_file(path, "A=secret\nB\n", 0600);
    assert_int_equal(envfile_read(path, "/nowhere", geteuid(), &entries, &error), -EINVAL);
    assert_null(strstr(error.text, "secret"));
    write_file(path, "A=1\n", 0640);
    assert_int_equal(envfile_read(path, "/nowhere", geteuid(), &entries, &error), -EPERM);
    assert_non_null(strstr(error.text, "chmod go="));
    unlink(path);
    rmdir(dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_taken_literally),
        cmocka_unit_test(a_violation_names_the_line_and_nothing_of_it),
        cmocka_unit_test(a_file_must_be_there_and_private),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
