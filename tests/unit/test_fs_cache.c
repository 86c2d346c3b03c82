// SPDX-License-Identifier: GPL-3.0-only
/*
 * fs_cache: the same answers as below, asked once.
 */
#include "base/fs_cache.h"
#include "support/fakefs.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

static const char tree[] = "d /a 0755 0\n"
                           "f /a/file 0644 7 text\n"
                           "l /a/link file\n";

static unsigned asked;
static const struct fs *counted;

static int counting_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    (void)ctx;
    asked++;
    return fs_stat(counted, path, follow, out);
}

static ssize_t counting_readlink(void *ctx, const char *path, char *target, size_t size)
{
    (void)ctx;
    asked++;
    return counted->readlink(counted->ctx, path, target, size);
}

static void answers_are_the_same_and_asked_once(void **state)
{
    static const struct fs counting = {.stat = counting_stat, .readlink = counting_readlink};
    static const char *const paths[] = {"/a", "/a/file", "/a/link", "/a/none", "/a/file/x"};
    struct fakefs *fakefs _cleanup_fakefs_ = fakefs_new(tree);
    struct fs_cache *cache = fs_cache_new(&counting);
    const struct fs *fs = fs_cache_fs(cache);

    (void)state;
    counted = fakefs_fs(fakefs);
    asked = 0;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
            for (int follow = 0; follow < 2; follow++) {
                struct fs_stat expected = {0};
                struct fs_stat got = {0};
                int r = fs_stat(counted, paths[i], follow, &expected);

                assert_int_equal(fs_stat(fs, paths[i], follow, &got), r);
                assert_memory_equal(&got, &expected, sizeof(got));
            }
        }
    }
    assert_int_equal(asked, ARRAY_SIZE(paths) + 1); /* one is a link, and followed */
    fs_cache_free(cache);
}

static void what_is_forgotten_is_asked_again(void **state)
{
    static const struct fs counting = {.stat = counting_stat, .readlink = counting_readlink};
    struct fakefs *fakefs _cleanup_fakefs_ = fakefs_new(tree);
    struct fs_cache *cache = fs_cache_new(&counting);
    struct fakefs *later _cleanup_fakefs_ = fakefs_new("d /a 0755 0\nf /a/none 0644 0\n");
    struct fs_stat st;

    (void)state;
    counted = fakefs_fs(fakefs);
    assert_int_equal(fs_stat(fs_cache_fs(cache), "/a/none", false, &st), -ENOENT);
    counted = fakefs_fs(later);
    assert_int_equal(fs_stat(fs_cache_fs(cache), "/a/none", false, &st), -ENOENT);
    fs_cache_forget(cache);
    assert_int_equal(fs_stat(fs_cache_fs(cache), "/a/none", false, &st), 0);
    fs_cache_free(cache);
}

static void links_are_cut_by_the_callers_size(void **state)
{
    static const struct fs counting = {.stat = counting_stat, .readlink = counting_readlink};
    struct fakefs *fakefs _cleanup_fakefs_ = fakefs_new(tree);
    struct fs_cache *cache = fs_cache_new(&counting);
    const struct fs *fs = fs_cache_fs(cache);
    char target[16];

    (void)state;
    counted = fakefs_fs(fakefs);
    asked = 0;
    assert_int_equal(fs->readlink(fs->ctx, "/a/link", target, sizeof(target)), 4);
    assert_string_equal(target, "file");
    assert_int_equal(fs->readlink(fs->ctx, "/a/link", target, 4), -ENAMETOOLONG);
    assert_int_equal(fs->readlink(fs->ctx, "/a/file", target, sizeof(target)), -EINVAL);
    assert_int_equal(fs->readlink(fs->ctx, "/a/file", target, sizeof(target)), -EINVAL);
    assert_int_equal(asked, 2);
    fs_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_are_the_same_and_asked_once),
        cmocka_unit_test(what_is_forgotten_is_asked_again),
        cmocka_unit_test(links_are_cut_by_the_callers_size),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
