// SPDX-License-Identifier: GPL-3.0-only
/*
 * The planner's view of a file system: resolution of paths over links, on the file system in memory
 * that the planner tests use and on the real one, which must agree.
 */
#include "support/fakefs.h"

#include "base/buf.h"
#include "base/fs_cache.h"
#include "base/path.h"
#include "base/strv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static const char tree[] = "d /usr/bin 0755 0\n"
                           "f /usr/bin/env 0755 0 #!/bin/sh\\nexit\\x200\n"
                           "l /bin usr/bin\n"
                           "l /abs /usr/bin\n"
                           "l /usr/up ../bin\n"
                           "l /bin2 bin\n"
                           "l /loop loop\n"
                           "l /ping pong\n"
                           "l /pong ping\n"
                           "l /dangling nowhere/x\n"
                           "d /dark 0600 0\n"
                           "f /dark/x 0644 0 x\n"
                           "f /blind 0000 7 x\n"
                           "s /sock 0600 1000\n"
                           "p /fifo\n";

struct resolution {
    const char *path;
    int result;
    const char *canonical; /* if result is 0 */
    const char *hops;      /* "link>target " for every hop */
};

static const struct resolution resolutions[] = {
    {"/", 0, "/", ""},
    {"//", 0, "/", ""},
    {"/..", 0, "/", ""},
    {"/../../usr", 0, "/usr", ""},
    {"/usr/./bin//env", 0, "/usr/bin/env", ""},
    {"/usr/bin/../bin", 0, "/usr/bin", ""},
    {"/bin/env", 0, "/usr/bin/env", "/bin>usr/bin "},
    {"/bin", 0, "/usr/bin", "/bin>usr/bin "},
    {"/bin/", 0, "/usr/bin", "/bin>usr/bin "},
    {"/abs/env", 0, "/usr/bin/env", "/abs>/usr/bin "},
    /* ".." after a link means the parent of its target */
    {"/bin/..", 0, "/usr", "/bin>usr/bin "},
    {"/usr/up/env", 0, "/usr/bin/env", "/usr/up>../bin /bin>usr/bin "},
    {"/bin2/env", 0, "/usr/bin/env", "/bin2>bin /bin>usr/bin "},
    {"/loop", -ELOOP, NULL, NULL},
    {"/ping/x", -ELOOP, NULL, NULL},
    {"/dangling", -ENOENT, NULL, "/dangling>nowhere/x "},
    {"/nothing", -ENOENT, NULL, ""},
    {"/nothing/..", -ENOENT, NULL, ""},
    {"/usr/bin/env/", -ENOTDIR, NULL, ""},
    {"/usr/bin/env/x", -ENOTDIR, NULL, ""},
    {"/usr/bin/env/..", -ENOTDIR, NULL, ""},
    {"usr", -EINVAL, NULL, ""},
    {"", -EINVAL, NULL, ""},
};

static void note_hop(void *arg, const char *link, const char *target)
{
    buf_printf(arg, "%s>%s ", link, target);
}

static void check_resolution(const struct fs *fs, const struct resolution *want)
{
    _cleanup_free_ char *canonical = NULL;
    _cleanup_buf_ struct buf hops;
    int r;

    buf_init(&hops, MIB);
    r = fs_resolve(fs, want->path, &canonical, note_hop, &hops);
    if (r != want->result)
        fail_msg("%s gives %d", want->path, r);
    if (r == 0)
        assert_string_equal(canonical, want->canonical);
    else
        assert_null(canonical);
    if (want->hops)
        assert_string_equal(buf_cstr(&hops), want->hops);
}

static void resolves_every_kind_of_path(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs = fakefs_new(tree);

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(resolutions); i++)
        check_resolution(fakefs_fs(fakefs), &resolutions[i]);
}

/* 40 links in a row are the limit of path_resolution(7): 40 pass, 41 do not. */
static void follows_forty_links_and_no_more(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs = fakefs_new("f /l0 0644 0 x\n");
    _cleanup_free_ char *canonical = NULL;
    struct fs_stat st;

    (void)state;
    for (int i = 1; i <= 41; i++)
        fakefs_addf(fakefs, "l /l%d l%d\n", i, i - 1);
    assert_int_equal(fs_resolve(fakefs_fs(fakefs), "/l40", &canonical, NULL, NULL), 0);
    assert_string_equal(canonical, "/l0");
    cleanup_free(&canonical);
    assert_int_equal(fs_resolve(fakefs_fs(fakefs), "/l41", &canonical, NULL, NULL), -ELOOP);
    assert_int_equal(fs_stat(fakefs_fs(fakefs), "/l40", true, &st), 0);
    assert_int_equal(fs_stat(fakefs_fs(fakefs), "/l41", true, &st), -ELOOP);
}

static void fake_answers_like_a_kernel(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs = fakefs_new(tree);
    const struct fs *fs = fakefs_fs(fakefs);
    _cleanup_free_ char *text = fs_read_text(fs, "/bin/env", 100);
    struct fs_stat st;
    char bytes[4];

    (void)state;
    assert_string_equal(text, "#!/bin/sh\nexit 0");
    assert_null(fs_read_text(fs, "/bin/env", 3));
    assert_int_equal(fs->read_head(fs->ctx, "/bin/env", bytes, 4), 4);
    assert_memory_equal(bytes, "#!/b", 4);
    assert_int_equal(fs->read_head(fs->ctx, "/bin", bytes, 4), -EINVAL);
    assert_int_equal(fs->read_head(fs->ctx, "/fifo", bytes, 4), -EINVAL);
    assert_int_equal(fs->read_head(fs->ctx, "/blind", bytes, 4), -EACCES);
    assert_int_equal(fs_stat(fs, "/dark/x", true, &st), -EACCES);
    assert_int_equal(fs_stat(fs, "/sock", false, &st), 0);
    assert_int_equal(st.type, FS_SOCKET);
    assert_int_equal(st.mode, 0600);
    assert_int_equal(st.uid, 1000);
    assert_int_equal(fs_stat(fs, "/bin", false, &st), 0);
    assert_int_equal(st.type, FS_LINK);
    assert_int_equal(fs_stat(fs, "/bin/", false, &st), 0);
    assert_int_equal(st.type, FS_DIR);
    assert_int_equal(fs_stat(fs, "/usr/bin/env/", true, &st), -ENOTDIR);
    assert_true(fs_is_dir(fs, "/bin"));
    assert_false(fs_is_dir(fs, "/bin/env"));
    assert_false(fs_exists(fs, "/dangling"));
    assert_int_equal(fs->readlink(fs->ctx, "/bin", bytes, 4), -ENAMETOOLONG);
    assert_int_equal(fs->readlink(fs->ctx, "/usr", bytes, 4), -EINVAL);
}

static int add_name(void *arg, const char *name)
{
    strv_push(arg, name);
    return 0;
}

static int stop_at_b(void *arg, const char *name)
{
    (void)arg;
    return strcmp(name, "b") == 0 ? 42 : 0;
}

static void lists_only_the_children(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs =
        fakefs_new("d /a\nf /a/b 0644\nf /a/c/d 0644\nf /a-b 0644\nf /a0/x 0644\n");
    const struct fs *fs = fakefs_fs(fakefs);
    _cleanup_strv_ struct strv names = {0};
    _cleanup_free_ char *joined = NULL;

    (void)state;
    assert_int_equal(fs->list(fs->ctx, "/a", add_name, &names), 0);
    joined = strv_join(&names, " ");
    assert_string_equal(joined, "b c");
    assert_int_equal(fs->list(fs->ctx, "/a", stop_at_b, NULL), 42);
    assert_int_equal(fs->list(fs->ctx, "/a/b", add_name, &names), -ENOTDIR);
    assert_int_equal(fs->list(fs->ctx, "/z", add_name, &names), -ENOENT);
    fakefs_remove(fakefs, "/a");
    assert_false(fs_exists(fs, "/a/c/d"));
    assert_true(fs_exists(fs, "/a-b"));
}

struct looked {
    const struct fs *fs;
    const char *dir;
    unsigned count;
    unsigned links;
};

/* What is said of an entry is what a stat() of its path says. */
static int compare_facts(void *arg, const char *name, const struct fs_stat *st)
{
    struct looked *looked = arg;
    _cleanup_free_ char *path = path_join(looked->dir, name);
    struct fs_stat want;

    assert_int_equal(fs_stat(looked->fs, path, false, &want), 0);
    assert_int_equal(st->type, want.type);
    looked->count++;
    if (st->type == FS_LINK) {
        looked->links++;
        return 0;
    }
    assert_int_equal(st->mode, want.mode);
    assert_int_equal(st->ino, want.ino);
    assert_int_equal(st->dev, want.dev);
    assert_int_equal(st->size, want.size);
    return strcmp(name, "b") == 0 ? 42 : 0;
}

static void looks_at_each_entry_once(void **state)
{
    _cleanup_fakefs_ struct fakefs *fakefs =
        fakefs_new("d /a 0755 0\nf /a/c 0640 0 text\nl /a/d c\nd /a/e 0700 0\nf /z/b 0600 0 x\n");
    struct looked looked = {.fs = fakefs_fs(fakefs), .dir = "/a"};

    (void)state;
    assert_int_equal(fs_look(looked.fs, "/a", compare_facts, &looked), 0);
    assert_int_equal(looked.count, 3);
    assert_int_equal(looked.links, 1);
    looked.dir = "/z";
    assert_int_equal(fs_look(looked.fs, "/z", compare_facts, &looked), 42);
    assert_int_equal(fs_look(looked.fs, "/none", compare_facts, &looked), -ENOENT);
}

struct scratch {
    char dir[64];
};

static char *below(const struct scratch *scratch, const char *name)
{
    return xasprintf("%s%s", scratch->dir, name);
}

static void make_link(const struct scratch *scratch, const char *name, const char *target)
{
    _cleanup_free_ char *path = below(scratch, name);

    assert_int_equal(symlink(target, path), 0);
}

static void make_file(const struct scratch *scratch, const char *name, const char *content)
{
    _cleanup_free_ char *path = below(scratch, name);
    _cleanup_fclose_ FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(content, file) >= 0);
}

static int make_scratch(void **state)
{
    struct scratch *scratch = xcalloc(1, sizeof(*scratch));
    char *real;

    snprintf(scratch->dir, sizeof(scratch->dir), "/tmp/aj-test-fs-XXXXXX");
    if (!mkdtemp(scratch->dir))
        return -1;
    real = realpath(scratch->dir, NULL);
    snprintf(scratch->dir, sizeof(scratch->dir), "%s", real);
    free(real);
    make_file(scratch, "/file", "0123456789");
    make_link(scratch, "/one", "file");
    make_link(scratch, "/two", "./one");
    make_link(scratch, "/loop", "loop");
    make_link(scratch, "/self", ".");
    *state = scratch;
    return 0;
}

static int remove_scratch(void **state)
{
    static const char *const names[] = {"/file", "/one", "/two", "/loop", "/self", "/fifo"};
    struct scratch *scratch = *state;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_free_ char *path = below(scratch, names[i]);

        unlink(path);
    }
    rmdir(scratch->dir);
    free(scratch);
    return 0;
}

/* fs_resolve on the real file system gives what the C library gives. */
static void real_resolution_agrees_with_realpath(void **state)
{
    static const char *const names[] = {"/file", "/one", "/two", "/self/self/two", "/self/../"};
    const struct scratch *scratch = *state;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_free_ char *path = below(scratch, names[i]);
        _cleanup_free_ char *want = realpath(path, NULL);
        _cleanup_free_ char *got = NULL;

        assert_non_null(want);
        assert_int_equal(fs_resolve(&fs_real, path, &got, NULL, NULL), 0);
        assert_string_equal(got, want);
    }
}

static void real_errors_are_the_kernels(void **state)
{
    static const struct {
        const char *name;
        int result;
    } rows[] = {{"/loop", -ELOOP}, {"/two/", -ENOTDIR}, {"/two/x", -ENOTDIR}, {"/none", -ENOENT}};
    const struct scratch *scratch = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_free_ char *path = below(scratch, rows[i].name);
        _cleanup_free_ char *got = NULL;
        struct fs_stat st;

        assert_int_equal(fs_resolve(&fs_real, path, &got, NULL, NULL), rows[i].result);
        assert_int_equal(fs_stat(&fs_real, path, true, &st), rows[i].result);
    }
}

static void real_heads_are_bounded_and_never_block(void **state)
{
    const struct scratch *scratch = *state;
    _cleanup_free_ char *file = below(scratch, "/two");
    _cleanup_free_ char *fifo = below(scratch, "/fifo");
    _cleanup_free_ char *text = fs_read_text(&fs_real, file, 10);
    char bytes[16];

    assert_string_equal(text, "0123456789");
    assert_null(fs_read_text(&fs_real, file, 9));
    assert_int_equal(fs_real.read_head(NULL, file, bytes, 4), 4);
    assert_int_equal(fs_real.read_head(NULL, file, bytes, 16), 10);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    assert_int_equal(fs_real.read_head(NULL, fifo, bytes, 4), -EINVAL);
    assert_int_equal(fs_real.read_head(NULL, scratch->dir, bytes, 4), -EINVAL);
}

static void real_looks_agree_with_stat(void **state)
{
    const struct scratch *scratch = *state;
    struct fs_cache *cache = fs_cache_new(&fs_real);
    const struct fs *const all[] = {&fs_real, fs_cache_fs(cache)};
    _cleanup_free_ char *file = below(scratch, "/file");

    for (size_t i = 0; i < ARRAY_SIZE(all); i++) {
        struct looked looked = {.fs = &fs_real, .dir = scratch->dir};

        assert_int_equal(fs_look(all[i], scratch->dir, compare_facts, &looked), 0);
        assert_int_equal(looked.count, 5);
        assert_int_equal(looked.links, 4);
        assert_int_equal(fs_look(all[i], file, compare_facts, &looked), -ENOTDIR);
    }
    fs_cache_free(cache);
}

/* P-PLAN-14: no link anywhere on the way, and never out of the directory. */
static void beneath_is_one_walk_without_links(void **state)
{
    static const struct {
        const char *rest;
        int result;
    } rows[] = {
        {"", 0},           {"file", 0},          {"one", -ELOOP},       {"self/file", -ELOOP},
        {"none", -ENOENT}, {"file/x", -ENOTDIR}, {"../../tmp", -EXDEV}, {"/etc", -EXDEV},
    };
    const struct scratch *scratch = *state;
    struct fs_cache *cache = fs_cache_new(&fs_real);

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_free_ char *name = xasprintf("/%s", rows[i].rest);
        _cleanup_free_ char *path = below(scratch, name);
        struct fs_stat st;
        struct fs_stat by_name;
        int r = fs_stat_beneath(&fs_real, scratch->dir, rows[i].rest, &st);

        if (r != rows[i].result)
            fail_msg("%s: %d", rows[i].rest, r);
        assert_int_equal(fs_stat_beneath(fs_cache_fs(cache), scratch->dir, rows[i].rest, &by_name),
                         r);
        if (r < 0)
            continue;
        assert_int_equal(fs_stat(&fs_real, path, false, &by_name), 0);
        assert_int_equal(st.ino, by_name.ino);
        assert_int_equal(st.dev, by_name.dev);
    }
    fs_cache_free(cache);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(resolves_every_kind_of_path),
        cmocka_unit_test(follows_forty_links_and_no_more),
        cmocka_unit_test(fake_answers_like_a_kernel),
        cmocka_unit_test(lists_only_the_children),
        cmocka_unit_test(looks_at_each_entry_once),
        cmocka_unit_test_setup_teardown(real_looks_agree_with_stat, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(real_resolution_agrees_with_realpath, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(real_errors_are_the_kernels, make_scratch, remove_scratch),
        cmocka_unit_test_setup_teardown(beneath_is_one_walk_without_links, make_scratch,
                                        remove_scratch),
        cmocka_unit_test_setup_teardown(real_heads_are_bounded_and_never_block, make_scratch,
                                        remove_scratch),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
