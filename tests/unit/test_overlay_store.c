// SPDX-License-Identifier: GPL-3.0-only
/*
 * The storage of an overlay: made, locked and removed; what it holds compared with the real
 * directory and applied to it. On real files in a directory of its own; what overlayfs would leave in
 * upper/ is put there by hand, hostile things among it.
 */
#include "backend/overlay_apply.h"
#include "backend/overlay_base.h"
#include "backend/overlay_changes.h"
#include "backend/overlay_remove.h"
#include "backend/overlay_store.h"
#include "backend/overlay_walk.h"
#include "base/fd.h"
#include "base/path.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

struct world {
    char *top; /* holds real/ and state/ */
    struct overlay overlay;
    struct overlay_store store;
    int lower;
};

static char *at(const struct world *world, const char *path)
{
    return path_join(world->top, path);
}

/* The words of a shell, in the directory of the world. */
static void run(const struct world *world, const char *script)
{
    int status;
    pid_t pid = fork();

    assert_true(pid >= 0);
    if (pid == 0) {
        if (chdir(world->top) == 0)
            execl("/bin/sh", "sh", "-ec", script, (char *)NULL);
        _exit(127);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    if (status != 0)
        fail_msg("%s: status %d", script, status);
}

static void world_make(struct world *world, const char *script)
{
    char name[] = "/tmp/ai-jail-overlay.XXXXXX";
    struct stat st;

    umask(022);
    *world = (struct world){.store = OVERLAY_STORE_NONE, .lower = -1};
    assert_non_null(mkdtemp(name));
    world->top = realpath(name, NULL);
    assert_non_null(world->top);
    run(world, "mkdir real state");
    run(world, script);
    world->overlay = (struct overlay){
        .path = at(world, "real"),
        .project = xstrdup("/some/project"),
        .state = at(world, "state"),
        .storage = at(world, "state/ai-jail/overlays/0123"),
        .origin = xstrdup("test"),
    };
    assert_int_equal(stat(world->overlay.path, &st), 0);
    world->overlay.st = (struct fs_stat){.mode = st.st_mode & 07777, .type = FS_DIR};
    world->lower = open(world->overlay.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(world->lower >= 0);
}

static void world_start(struct world *world)
{
    struct error error = {0};

    if (overlay_store_make(&world->store, &world->overlay, world->lower, &error) < 0)
        fail_msg("%s", error.text);
}

static void world_free(struct world *world)
{
    overlay_store_close(&world->store);
    if (world->lower >= 0)
        close(world->lower);
    if (world->top) {
        _cleanup_close_ int tmp = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

        overlay_remove_tree(tmp, path_base(world->top));
    }
    free(world->top);
    free(world->overlay.path);
    free(world->overlay.project);
    free(world->overlay.state);
    free(world->overlay.storage);
    free(world->overlay.origin);
}

/* The directory with changes: "upper" stands for the whole path in scripts. */
static void in_upper(const struct world *world, const char *script)
{
    _cleanup_free_ char *whole = xasprintf("cd state/ai-jail/overlays/0123/upper; %s", script);

    run(world, whole);
}

static int upper_of(const struct world *world)
{
    int fd = overlay_open_dir(world->store.dir, "upper", 0);

    assert_true(fd >= 0);
    return fd;
}

static void whiteout(const struct world *world, const char *path)
{
    _cleanup_close_ int upper = upper_of(world);

    if (mknodat(upper, path, S_IFCHR, makedev(0, 0)) < 0)
        fail_msg("whiteout %s: %s", path, strerror(errno));
}

static void make_opaque(const struct world *world, const char *path)
{
    _cleanup_free_ char *whole = xasprintf("%s/upper/%s", world->overlay.storage, path);

    if (setxattr(whole, "user.overlay.opaque", "y", 1, 0) < 0)
        fail_msg("opaque %s: %s", path, strerror(errno));
}

/* "kind type path" of all changes, one per line. */
static char *changes_text(const struct world *world)
{
    struct overlay_changes changes CLEANUP(overlay_changes_free) = {0};
    _cleanup_strv_ struct strv lines = {0};
    _cleanup_close_ int upper = upper_of(world);
    struct error error = {0};

    if (overlay_changes_collect(&changes, upper, world->lower, &error) < 0)
        fail_msg("%s", error.text);
    for (size_t i = 0; i < changes.n; i++) {
        const struct overlay_change *change = &changes.v[i];

        strv_pushf(&lines, "%s %s %s\n", overlay_change_name(change->kind),
                   overlay_type_name(change->mode ? change->mode : change->old_mode), change->path);
    }
    return strv_join(&lines, "");
}

static void check_changes(const struct world *world, const char *want)
{
    _cleanup_free_ char *text = changes_text(world);

    assert_string_equal(text, want);
}

/* Applies if there is no conflict. The conflicts, one per line. */
static char *apply(const struct world *world)
{
    struct overlay_changes changes CLEANUP(overlay_changes_free) = {0};
    struct overlay_base base CLEANUP(overlay_base_free) = {0};
    _cleanup_strv_ struct strv conflicts = {0};
    _cleanup_close_ int upper = upper_of(world);
    struct overlay_apply apply = {upper, world->lower, &base, &changes};
    struct notes notes = {0};
    struct error error = {0};

    assert_int_equal(overlay_base_read(&base, world->store.dir), 0);
    assert_int_equal(overlay_changes_collect(&changes, upper, world->lower, &error), 0);
    overlay_apply_check(&apply, &conflicts);
    if (conflicts.n == 0 && overlay_apply_all(&apply, &notes, &error) < 0)
        fail_msg("%s", error.text);
    notes_free(&notes);
    return strv_join(&conflicts, "\n");
}

static void check_applied(const struct world *world)
{
    _cleanup_free_ char *conflicts = apply(world);

    assert_string_equal(conflicts, "");
    check_changes(world, "");
    /* Nothing temporary is left. */
    run(world, "test -z \"$(find real -name '.ai-jail.*')\"");
}

static void check_conflict(const struct world *world, const char *part)
{
    _cleanup_free_ char *conflicts = apply(world);

    if (!strstr(conflicts, part))
        fail_msg("\"%s\" is not in: %s", part, conflicts);
}

/* A change must not fall into the tick of the record (overlay_base.h). */
static void next_tick(void)
{
    struct timespec first;
    struct timespec now;

    clock_gettime(CLOCK_REALTIME_COARSE, &first);
    do
        clock_gettime(CLOCK_REALTIME_COARSE, &now);
    while (now.tv_nsec == first.tv_nsec && now.tv_sec == first.tv_sec);
}

#define WORLD(name, script)                                                                        \
    struct world name CLEANUP(world_free) = {0};                                                   \
    world_make(&name, script);                                                                     \
    world_start(&name);                                                                            \
    next_tick()

/* ---- the storage ---- */

static void it_is_made_closed_to_others(void **state)
{
    _cleanup_free_ char *project = NULL;
    _cleanup_free_ char *path = NULL;
    WORLD(world, "chmod 750 real");

    (void)state;
    run(&world, "test \"$(stat -c %a state/ai-jail/overlays/0123)\" = 700 &&"
                "test \"$(stat -c %a state/ai-jail)\" = 700 &&"
                "test \"$(stat -c %a state/ai-jail/overlays/0123/upper)\" = 750 &&"
                "test \"$(stat -c %a state/ai-jail/overlays/0123/work)\" = 700");
    assert_int_equal(overlay_store_read_source(&world.store, &project, &path), 0);
    assert_string_equal(project, "/some/project");
    assert_string_equal(path, world.overlay.path);
}

static void nothing_follows_a_link(void **state)
{
    static const char *const scripts[] = {
        "mkdir trap; ln -s ../trap state/ai-jail",
        "mkdir -p -m 700 state/ai-jail; mkdir trap; ln -s ../../trap state/ai-jail/overlays",
        "mkdir -p -m 700 state/ai-jail/overlays; chmod 700 state/ai-jail;"
        "mkdir -m 700 trap; ln -s ../../../trap state/ai-jail/overlays/0123",
        "mkdir -p -m 700 state/ai-jail/overlays/0123; chmod 700 state/ai-jail state/ai-jail/*;"
        "mkdir trap; ln -s ../../../../trap state/ai-jail/overlays/0123/upper",
        "mkdir -p -m 700 state/ai-jail/overlays/0123; chmod 700 state/ai-jail state/ai-jail/*;"
        "mkdir trap; ln -s ../../../../trap/f state/ai-jail/overlays/0123/lock",
        "mkdir trap; echo x >state/ai-jail",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(scripts); i++) {
        struct world world CLEANUP(world_free) = {0};
        struct error error = {0};
        int r;

        world_make(&world, scripts[i]);
        r = overlay_store_make(&world.store, &world.overlay, world.lower, &error);
        if (r != -ELOOP && r != -ENOTDIR)
            fail_msg("%s: %d %s", scripts[i], r, error.text);
        run(&world, "test -z \"$(ls -A trap)\"");
    }
}

static void directories_of_others_are_refused(void **state)
{
    struct world world CLEANUP(world_free) = {0};
    struct error error = {0};

    (void)state;
    world_make(&world, "mkdir -m 777 state/ai-jail");
    assert_int_equal(overlay_store_make(&world.store, &world.overlay, world.lower, &error), -EPERM);
}

/* E-OVL-05 */
static void the_lock_is_held_and_names_its_holder(void **state)
{
    struct overlay_store second = OVERLAY_STORE_NONE;
    struct error error = {0};
    _cleanup_free_ char *pid = xasprintf("pid %d", (int)getpid());
    WORLD(world, ":");

    (void)state;
    assert_int_equal(overlay_store_make(&second, &world.overlay, world.lower, &error), -EBUSY);
    assert_non_null(strstr(error.text, pid));
    assert_int_equal(overlay_store_open(&second, world.overlay.storage, &error), 0);
    assert_int_equal(overlay_store_holder(&second), getpid());
    overlay_store_close(&world.store);
    assert_int_equal(overlay_store_holder(&second), 0);
    assert_int_equal(overlay_store_lock(&second, world.overlay.storage, &error), 0);
    overlay_store_close(&second);
}

static void a_storage_of_something_else_is_refused(void **state)
{
    struct error error = {0};
    WORLD(world, ":");

    (void)state;
    overlay_store_close(&world.store);
    free(world.overlay.project);
    world.overlay.project = xstrdup("/another");
    assert_int_equal(overlay_store_make(&world.store, &world.overlay, world.lower, &error),
                     -EBADMSG);
}

static void changes_without_a_record_are_refused(void **state)
{
    struct error error = {0};
    WORLD(world, ":");

    (void)state;
    overlay_store_close(&world.store);
    in_upper(&world, "echo x >f; rm ../base");
    assert_int_equal(overlay_store_make(&world.store, &world.overlay, world.lower, &error),
                     -EBADMSG);
}

static void a_record_cut_short_is_known(void **state)
{
    WORLD(world, "echo x >real/a; echo x >real/b");

    (void)state;
    for (int cut = 1; cut < 40; cut++) {
        struct overlay_base base CLEANUP(overlay_base_free) = {0};

        run(&world, "truncate -s -1 state/ai-jail/overlays/0123/base");
        assert_int_equal(overlay_base_read(&base, world.store.dir), -EBADMSG);
    }
}

static void it_is_removed_whatever_it_holds(void **state)
{
    struct error error = {0};
    WORLD(world, "mkdir keep; echo x >keep/f");

    (void)state;
    in_upper(&world, "ln -s ../../../../../keep l; mkdir -p a/b/c; echo x >a/b/c/f; ln -s / a/root;"
                     "chmod 000 a/b/c; chmod 000 a/b; mkfifo p; mkdir ../work/work;"
                     "chmod 000 ../work/work; mkdir -p ../removed.1.0/x");
    assert_int_equal(overlay_store_remove(&world.store, world.overlay.storage, &error), 0);
    run(&world, "test ! -e state/ai-jail/overlays/0123; test \"$(cat keep/f)\" = x");
}

/* Deeper than any path is long, and deeper than there are descriptors. */
static void depth_does_not_matter(void **state)
{
    struct error error = {0};
    WORLD(world, ":");
    _cleanup_close_ int dir = upper_of(&world);

    (void)state;
    for (int i = 0; i < 3000; i++) {
        int next;

        assert_int_equal(mkdirat(dir, "deep-directory", 0700), 0);
        next = openat(dir, "deep-directory", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        assert_true(next >= 0);
        close(dir);
        dir = next;
    }
    {
        struct overlay_changes changes CLEANUP(overlay_changes_free) = {0};
        _cleanup_close_ int upper = upper_of(&world);

        assert_int_equal(overlay_changes_collect(&changes, upper, world.lower, &error), 0);
    }
    check_conflict(&world, "too deep");
    assert_int_equal(overlay_store_remove(&world.store, world.overlay.storage, &error), 0);
}

/* ---- changes ---- */

static void every_kind_of_change_is_found(void **state)
{
    WORLD(world, "cd real; echo 1 >same; echo 1 >other; echo 1 >mode; echo 1 >gone;"
                 "mkdir -p tree/sub swap keep opaque/sub; echo 1 >tree/sub/f; echo 1 >swap/f;"
                 "echo 1 >opaque/a; echo 1 >opaque/b; echo 1 >todir; ln -s a link; ln -s a link2");

    (void)state;
    in_upper(&world, "echo 1 >same; echo 2 >other; echo 1 >mode; chmod 755 mode; echo 1 >new;"
                     "echo 1 >swap; mkdir keep; mkdir -m 700 nd; echo 1 >nd/f; mkdir todir;"
                     "ln -s b link; ln -s a link2; mkdir opaque; echo 1 >opaque/a; mkfifo p");
    whiteout(&world, "gone");
    whiteout(&world, "tree");
    whiteout(&world, "never-there");
    make_opaque(&world, "opaque");
    check_changes(&world, "deleted file gone\n"
                          "changed link link\n"
                          "mode file mode\n"
                          "added dir nd\n"
                          "added file nd/f\n"
                          "added file new\n"
                          "deleted file opaque/b\n"
                          "deleted dir opaque/sub\n"
                          "changed file other\n"
                          "added fifo p\n"
                          "changed file swap\n"
                          "changed dir todir\n"
                          "deleted dir tree\n");
}

static void changes_are_applied(void **state)
{
    WORLD(world, "cd real; echo 1 >other; echo 1 >mode; echo 1 >gone; mkdir -p tree/sub swap "
                 "opaque/sub; echo 1 >tree/sub/f; echo 1 >swap/f; echo 1 >opaque/b; echo 1 >todir;"
                 "ln -s a link; echo 1 >tolink; mkdir shut; echo 1 >untouched");

    (void)state;
    in_upper(&world, "echo 22 >other; chmod 640 other; echo 1 >mode; chmod 755 mode; echo 1 >new;"
                     "echo 1 >swap; mkdir -m 750 nd; echo 1 >nd/f; mkdir todir; echo 1 >todir/f;"
                     "ln -s b link; ln -s / tolink; mkdir opaque; echo 1 >opaque/a;"
                     "mkdir shut; echo 1 >shut/f; chmod 555 shut; touch -d @1000000000 new");
    whiteout(&world, "gone");
    whiteout(&world, "tree");
    make_opaque(&world, "opaque");
    check_applied(&world);
    run(&world, "cd real; test \"$(cat other)\" = 22; test \"$(stat -c %a other)\" = 640;"
                "test \"$(stat -c %a mode)\" = 755; test -f swap; test \"$(stat -c %a nd)\" = 750;"
                "test -f nd/f; test -f todir/f; test \"$(readlink link)\" = b;"
                "test \"$(readlink tolink)\" = /; test \"$(ls opaque)\" = a;"
                "test \"$(stat -c %a shut)\" = 555; test -f shut/f; test ! -e gone; test ! -e tree;"
                "test \"$(stat -c %Y new)\" = 1000000000; test \"$(cat untouched)\" = 1");
}

/* ---- what changed underneath ---- */

static void what_changed_underneath_is_a_conflict(void **state)
{
    static const struct {
        const char *upper;
        const char *white; /* a whiteout, or NULL */
        const char *host;
        const char *conflict;
    } rows[] = {
        {"echo new >f", NULL, "echo 333 >f", "f: changed"},
        {"echo new >f", NULL, "echo 333 >f; touch -d 2001-01-01 f", "f: changed"},
        {"echo new >f", NULL, "cp -p f g; echo 333 >g; touch -r f g; mv g f", "f: changed"},
        {"echo new >f", NULL, "chmod 600 f", "f: changed"},
        {"echo new >f", NULL, "rm f", "f: changed"},
        {"echo new >f", NULL, "rm f; mkdir f", "f: changed"},
        {"echo new >f", NULL, "mv f f2; ln -s f2 f", "f: changed"},
        {"chmod 755 f; true", NULL, "true", NULL},
        {"echo new >a", NULL, "echo host >a", "a: changed"},
        {"mkdir d; echo new >d/f", NULL, "echo x >d/f", "d/f: changed"},
        {"mkdir d; echo new >d/n", NULL, "rm -r d", "d: changed"},
        {"mkdir d; echo new >d/n", NULL, "mv d d2; ln -s d2 d", "d: changed"},
        /* moved here with the directory above it: its own ctime is old */
        {"mkdir m; echo new >m/old", NULL, "mv ../elsewhere m", "m/old: changed"},
        {"true", "f", "echo 333 >f", "f: changed"},
        {"true", "d", "echo 333 >d/f", "d/f: changed"},
        {"true", "d", "echo 333 >d/fresh", "d/fresh: changed"},
        {"true", "d", "mkdir d/sub/more", "d/sub/more: changed"},
        {"echo new >d", NULL, "echo 333 >d/sub/g", "d/sub/g: changed"},
        /* other files of the same directory are nobody's business */
        {"echo new >f; echo 1 >n", NULL, "echo 1 >unrelated; rm r; chmod 700 .", NULL},
        {"true", "f", "rm f", NULL},
        /* the same on both sides */
        {"echo both >f", NULL, "echo both >f", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        WORLD(world, "mkdir elsewhere; echo x >elsewhere/old; cd real; echo 1 >f; echo 1 >r;"
                     "mkdir -p d/sub; echo 1 >d/f; echo 1 >d/sub/g");
        _cleanup_free_ char *host = xasprintf("cd real; %s", rows[i].host);
        _cleanup_free_ char *before = NULL;
        _cleanup_free_ char *conflicts = NULL;

        if (strstr(rows[i].upper, "chmod"))
            in_upper(&world, "echo 1 >f");
        in_upper(&world, rows[i].upper);
        if (rows[i].white)
            whiteout(&world, rows[i].white);
        run(&world, host);
        run(&world, "ls -lRi --full-time real >before");
        conflicts = apply(&world);
        if (!rows[i].conflict && conflicts[0])
            fail_msg("row %zu: %s", i, conflicts);
        if (rows[i].conflict && !strstr(conflicts, rows[i].conflict))
            fail_msg("row %zu: \"%s\" is not in \"%s\"", i, rows[i].conflict, conflicts);
        if (rows[i].conflict) /* nothing at all was applied */
            run(&world, "ls -lRi --full-time real | cmp - before");
    }
}

/* ---- hostile content ---- */

static void devices_and_unreadable_things_are_refused(void **state)
{
    WORLD(world, ":");

    (void)state;
    in_upper(&world, "echo 1 >ok");
    if (geteuid() == 0) {
        in_upper(&world, "mknod null c 1 3");
        check_conflict(&world, "null: cannot be applied: a device");
    } else {
        in_upper(&world,
                 "mkdir shut; echo 1 >shut/f; chmod 000 shut; echo 1 >file; chmod 000 file");
        check_conflict(&world, "shut: cannot be applied");
        check_conflict(&world, "file: cannot be applied");
    }
    run(&world, "test ! -e real/ok");
}

static void special_bits_are_never_applied(void **state)
{
    WORLD(world, "echo 1 >real/old; mkdir -m 2775 real/group");

    (void)state;
    in_upper(&world, "echo 2 >suid; chmod 6755 suid; echo 2 >old; chmod 4755 old;"
                     "mkdir -m 3777 d; mkdir -m 755 group");
    check_applied(&world);
    run(&world, "cd real; test \"$(stat -c %a suid)\" = 755; test \"$(stat -c %a old)\" = 755;"
                "test \"$(stat -c %a d)\" = 777; test \"$(stat -c %a group)\" = 2755");
}

/* A link in the real directory is never a way out of it. */
static void links_are_not_followed(void **state)
{
    WORLD(world, "mkdir out; echo canary >out/f; ln -s ../out real/d; ln -s ../out/f real/l");

    (void)state;
    in_upper(&world, "mkdir d; echo evil >d/f; echo evil >l");
    check_applied(&world);
    run(&world, "test \"$(cat out/f)\" = canary; test ! -L real/d; test \"$(cat real/d/f)\" = evil;"
                "test ! -L real/l; test \"$(ls out)\" = f");
}

static void forged_attributes_mean_nothing(void **state)
{
    _cleanup_free_ char *dir = NULL;
    WORLD(world, "mkdir out real/d; echo canary >out/f; echo 1 >real/d/x");

    (void)state;
    in_upper(&world, "mkdir d n; echo 1 >n/f");
    dir = xasprintf("%s/upper/n", world.overlay.storage);
    assert_int_equal(setxattr(dir, "user.overlay.redirect", "/../../../../../out", 19, 0), 0);
    assert_int_equal(setxattr(dir, "user.overlay.opaque", "x", 1, 0), 0);
    check_changes(&world, "added dir n\nadded file n/f\n");
    check_applied(&world);
    run(&world, "test -f real/d/x; test ! -e real/out");
}

static void holes_stay_holes_and_names_are_bytes(void **state)
{
    WORLD(world, ":");

    (void)state;
    in_upper(&world, "truncate -s 100G sparse; printf x | dd of=sparse bs=1 seek=5000000 "
                     "conv=notrunc status=none;"
                     "n=$(printf '%0255d' 7); echo 1 >\"$n\"; echo 1 >'a\nb'; echo 1 >-rf;"
                     "echo 1 >\"$(printf '\\377\\033')\"; : >empty");
    {
        _cleanup_free_ char *conflicts = apply(&world);

        assert_string_equal(conflicts, "");
    }
    run(&world, "cd real; test \"$(stat -c %s sparse)\" = 107374182400;"
                "test \"$(stat -c %b sparse)\" -lt 1000; test -f ./-rf; test -f empty;"
                "test \"$(ls -A | wc -l)\" -ge 6;"
                "test \"$(dd if=sparse bs=1 skip=5000000 count=1 status=none)\" = x");
}

static void many_files_are_applied_in_batches(void **state)
{
    WORLD(world, "mkdir real/many; cd real/many; seq 1 700 | xargs touch");

    (void)state;
    in_upper(&world, "mkdir many; cd many; for i in $(seq 1 1000); do echo $i >$i; done");
    check_applied(&world);
    run(&world, "cd real/many; test \"$(ls | wc -l)\" = 1000; test \"$(cat 777)\" = 777");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_made_closed_to_others),
        cmocka_unit_test(nothing_follows_a_link),
        cmocka_unit_test(directories_of_others_are_refused),
        cmocka_unit_test(the_lock_is_held_and_names_its_holder),
        cmocka_unit_test(a_storage_of_something_else_is_refused),
        cmocka_unit_test(changes_without_a_record_are_refused),
        cmocka_unit_test(a_record_cut_short_is_known),
        cmocka_unit_test(it_is_removed_whatever_it_holds),
        cmocka_unit_test(depth_does_not_matter),
        cmocka_unit_test(every_kind_of_change_is_found),
        cmocka_unit_test(changes_are_applied),
        cmocka_unit_test(what_changed_underneath_is_a_conflict),
        cmocka_unit_test(devices_and_unreadable_things_are_refused),
        cmocka_unit_test(special_bits_are_never_applied),
        cmocka_unit_test(links_are_not_followed),
        cmocka_unit_test(forged_attributes_mean_nothing),
        cmocka_unit_test(holes_stay_holes_and_names_are_bytes),
        cmocka_unit_test(many_files_are_applied_in_batches),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
