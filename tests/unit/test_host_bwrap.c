// SPDX-License-Identifier: GPL-3.0-only
/*
 * Which bubblewrap is trusted, what is learnt from it, and when the answer may come from the cache
 * (P-BW-5, P-HOST-5).
 *
 * Owner and mode of real files decide, so the tests run as root in a mount namespace and a root of
 * their own: a tmpfs with the host's /usr. The fake bubblewrap is a copy of this program: called
 * with --help it prints the file NAME.help beside itself and adds a byte to NAME.runs.
 */
#include "base/fd.h"
#include "host.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define FAKE  "/trusted/bwrap"
#define CACHE "/home/u/.local/state/ai-jail/bwrap-probe"

static const char *const required[] = {
    "--args",         "--unshare-user", "--unshare-pid", "--unshare-ipc",
    "--unshare-uts",  "--unshare-net",  "--perms",       "--size",
    "--ro-bind-data", "--symlink",      "--remount-ro",  "--seccomp",
    "--info-fd",      "--clearenv",     "--cap-drop",    "--die-with-parent",
    "--new-session",  "--as-pid-1",
};

static int old_root = -1;
static char new_root[] = "/tmp/ai-jail-test-XXXXXX";

/* ---- the fake ---- */

static int play_bwrap(void)
{
    char self[PATH_MAX] = "";
    char path[PATH_MAX + 8];
    char text[4096];
    ssize_t n;
    int fd;

    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0)
        return 1;
    snprintf(path, sizeof(path), "%s.runs", self);
    fd = open(path, O_WRONLY | O_CREAT | O_APPEND, 0644);
    if (fd < 0 || write(fd, ".", 1) != 1)
        return 1;
    snprintf(path, sizeof(path), "%s.help", self);
    fd = open(path, O_RDONLY);
    if (fd < 0)
        return 1;
    while ((n = read(fd, text, sizeof(text))) > 0)
        if (fd_write_all(1, text, (size_t)n) < 0)
            return 1;
    return n < 0;
}

/* ---- files ---- */

static void write_file(const char *path, const char *text, mode_t mode)
{
    _cleanup_close_ int fd = -1;

    unlink(path);
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
}

static void copy_self(const char *path, mode_t mode)
{
    _cleanup_close_ int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    _cleanup_close_ int to = -1;
    char bytes[65536];
    ssize_t n;

    unlink(path);
    to = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(from >= 0 && to >= 0);
    while ((n = read(from, bytes, sizeof(bytes))) > 0)
        assert_int_equal(fd_write_all(to, bytes, (size_t)n), 0);
    assert_int_equal(n, 0);
    assert_int_equal(fchmod(to, mode), 0);
}

static off_t size_of(const char *path)
{
    struct stat st;

    return lstat(path, &st) < 0 ? -1 : st.st_size;
}

/* The help of a bubblewrap that has everything but one option. */
static void write_help(const char *path, const char *missing, const char *more)
{
    _cleanup_free_ char *help_path = xasprintf("%s.help", path);
    struct buf help CLEANUP(buf_free);

    buf_init(&help, 64 * KIB);
    buf_append_str(&help, "usage: bwrap [OPTIONS...] COMMAND\n\n");
    for (size_t i = 0; i < ARRAY_SIZE(required); i++)
        if (!str_eq(required[i], missing))
            buf_printf(&help, "    %s FD      Text about it\n", required[i]);
    buf_append_str(&help, more);
    write_file(help_path, buf_cstr(&help), 0644);
}

/* ---- the world ---- */

static int fail_setup(const char *what)
{
    print_error("%s: %s\n", what, strerror(errno));
    return -1;
}

static int enter_world(void **state)
{
    static const char *const binds[] = {"/usr", "/etc", "/proc", "/dev", "/lib", "/lib64", "/bin"};

    (void)state;
    if (geteuid() != 0 || unshare(CLONE_NEWNS) < 0)
        return 0; /* every test skips */
    if (mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 || !mkdtemp(new_root) ||
        mount("tmpfs", new_root, "tmpfs", 0, "mode=0755") < 0)
        return fail_setup("tmpfs");
    for (size_t i = 0; i < ARRAY_SIZE(binds); i++) {
        _cleanup_free_ char *dest = xasprintf("%s%s", new_root, binds[i]);
        char target[PATH_MAX] = "";
        struct stat st;

        if (lstat(binds[i], &st) < 0)
            continue;
        if (S_ISLNK(st.st_mode)) {
            if (readlink(binds[i], target, sizeof(target) - 1) < 0 || symlink(target, dest) < 0)
                return fail_setup(binds[i]);
        } else if (mkdir(dest, 0755) < 0 ||
                   mount(binds[i], dest, NULL, MS_BIND | MS_REC, NULL) < 0) {
            return fail_setup(binds[i]);
        }
    }
    old_root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (old_root < 0 || chroot(new_root) < 0 || chdir("/") < 0)
        return fail_setup("chroot");
    /* Only the fake can be found. */
    if (mount("tmpfs", "/usr/bin", "tmpfs", 0, "mode=0755") < 0)
        return fail_setup("/usr/bin");
    return 0;
}

static int leave_world(void **state)
{
    (void)state;
    if (old_root < 0)
        return 0;
    if (fchdir(old_root) < 0 || chroot(".") < 0 || umount2(new_root, MNT_DETACH) < 0 ||
        rmdir(new_root) < 0)
        return fail_setup("leaving");
    close(old_root);
    return 0;
}

/* Fresh directories and a good fake at FAKE. False: the test was skipped. */
static bool prepare(void)
{
    if (old_root < 0) {
        test_skip("needs root and a mount namespace");
        return false;
    }
    umount2("/trusted", MNT_DETACH);
    umount2("/home", MNT_DETACH);
    (void)!mkdir("/trusted", 0755);
    (void)!mkdir("/home", 0755);
    assert_int_equal(mount("tmpfs", "/trusted", "tmpfs", 0, "mode=0755"), 0);
    assert_int_equal(mount("tmpfs", "/home", "tmpfs", 0, "mode=0755"), 0);
    assert_int_equal(mkdir("/home/u", 0700), 0);
    copy_self(FAKE, 0755);
    write_help(FAKE, NULL, "");
    return true;
}

struct found {
    struct host host;
    struct notes notes;
    int r;
};

static void found_free(struct found *found)
{
    host_free(&found->host);
    notes_free(&found->notes);
}

#define _cleanup_found_ CLEANUP(found_free)

static const char *project = "/home/u/proj";

/* Looks for it with these variables, NULL at the end. */
static void look(struct found *found, bool use_cache, const char *const *variables)
{
    *found = (struct found){.host = {.fs = &fs_real, .bwrap.fd = -1}};
    found->host.home = xstrdup("/home/u");
    found->host.cwd = xstrdup(project);
    for (size_t i = 0; variables && variables[i]; i++)
        strv_push(&found->host.environ, variables[i]);
    found->r = host_find_bwrap(&found->host, use_cache, &found->notes);
}

static const char *const chosen[] = {"BWRAP_BIN=" FAKE, NULL};

static void check_accepted(void)
{
    _cleanup_found_ struct found found;

    look(&found, false, chosen);
    if (found.r < 0)
        fail_msg("%s", found.notes.n ? found.notes.v[0].text : found.host.bwrap.why.text);
    assert_string_equal(found.host.bwrap.path, FAKE);
    assert_true(found.host.bwrap.fd >= 0);
    assert_int_equal(fcntl(found.host.bwrap.fd, F_GETFD), FD_CLOEXEC);
    assert_int_equal(found.notes.n, 0);
}

/* As BWRAP_BIN it is named in a security line, from PATH in the error. */
static void check_rejected(const char *why)
{
    _cleanup_found_ struct found by_variable;
    _cleanup_found_ struct found by_path;

    look(&by_variable, false, chosen);
    assert_int_equal(by_variable.r, -ENOENT);
    assert_null(by_variable.host.bwrap.path);
    assert_int_equal(by_variable.notes.n, 1);
    assert_true(by_variable.notes.v[0].class == NOTE_SECURITY);
    if (!strstr(by_variable.notes.v[0].text, why))
        fail_msg("\"%s\" has no \"%s\"", by_variable.notes.v[0].text, why);
    look(&by_path, false, (const char *const[]){"PATH=/trusted", NULL});
    assert_int_equal(by_path.r, -ENOENT);
    if (!strstr(by_path.host.bwrap.why.text, why))
        fail_msg("\"%s\" has no \"%s\"", by_path.host.bwrap.why.text, why);
    assert_int_equal(size_of(FAKE ".runs"), -1); /* it was never run */
}

/* ---- trust ---- */

static void file_of_root_is_accepted(void **state)
{
    static const mode_t modes[] = {0755, 0555, 0700, 0711, 0100, 01755};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        if (!prepare())
            return;
        assert_int_equal(chmod(FAKE, modes[i]), 0);
        check_accepted();
    }
}

/* A jail that root started leaves files of root in the project. */
static void file_in_the_project_is_rejected(void **state)
{
    (void)state;
    if (!prepare())
        return;
    project = "/trusted";
    check_rejected("inside the project");
    project = "/home/u/proj";
    check_accepted();
}

static void mode_of_the_file_decides(void **state)
{
    static const struct {
        mode_t mode;
        const char *why;
    } rows[] = {
        {0644, "not executable"}, {0775, "writable for others"}, {0757, "writable for others"},
        {04755, "set-user-ID"},   {02755, "set-user-ID"},        {06755, "set-user-ID"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (!prepare())
            return;
        assert_int_equal(chmod(FAKE, rows[i].mode), 0);
        check_rejected(rows[i].why);
    }
}

static void owner_of_the_file_decides(void **state)
{
    (void)state;
    if (!prepare())
        return;
    assert_int_equal(chown(FAKE, 1000, 0), 0);
    check_rejected("does not belong to root");
    assert_int_equal(chown(FAKE, 0, 1000), 0);
    check_accepted();
}

static void only_regular_files_count(void **state)
{
    (void)state;
    if (!prepare())
        return;
    unlink(FAKE);
    assert_int_equal(mkdir(FAKE, 0755), 0);
    check_rejected("not a regular file");
    assert_int_equal(rmdir(FAKE), 0);
    assert_int_equal(mkfifo(FAKE, 0755), 0);
    check_rejected("not a regular file");
}

/* Sticky does not help: the directory is not the user's alone. */
static void every_parent_decides(void **state)
{
    static const struct {
        mode_t mode;
        uid_t uid;
        const char *why;
    } rows[] = {
        {0775, 0, "writable for others"},
        {0757, 0, "writable for others"},
        {01777, 0, "writable for others"},
        {0755, 1000, "does not belong to root"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (!prepare())
            return;
        assert_int_equal(chown("/trusted", rows[i].uid, 0), 0);
        assert_int_equal(chmod("/trusted", rows[i].mode), 0);
        check_rejected(rows[i].why);
        assert_int_equal(chown("/trusted", 0, 0), 0);
        assert_int_equal(chmod("/trusted", 0755), 0);
        check_accepted();
        assert_int_equal(chmod("/", 0777), 0);
        unlink(FAKE ".runs");
        check_rejected("a parent directory is writable");
        assert_int_equal(chmod("/", 0755), 0);
    }
}

/* The target's directories decide, not the link's. */
static void link_is_followed_once(void **state)
{
    _cleanup_found_ struct found found;

    (void)state;
    if (!prepare())
        return;
    assert_int_equal(symlink(FAKE, "/home/u/bwrap"), 0);
    assert_int_equal(chmod("/home/u", 0777), 0);
    look(&found, false, (const char *const[]){"BWRAP_BIN=/home/u/bwrap", NULL});
    assert_int_equal(found.r, 0);
    assert_string_equal(found.host.bwrap.path, FAKE);
}

/* ---- the Nix store ---- */

static void store_decides_by_mode_and_owner(void **state)
{
    static const struct {
        mode_t store_mode;
        uid_t store_uid;
        mode_t file_mode;
        uid_t file_uid;
        const char *why; /* NULL: accepted */
    } rows[] = {
        {0755, 0, 0555, 0, NULL},
        {0755, 0, 0555, 1000, NULL},
        {01775, 0, 0555, 0, NULL},
        {01775, 65534, 0555, 65534, NULL},
        {0555, 1000, 0555, 1000, NULL},
        {0775, 0, 0555, 0, "group-writable"},
        {01777, 0, 0555, 0, "world-writable"},
        {0757, 65534, 0555, 0, "world-writable"},
        {0755, 1000, 0555, 0, "belongs to an ordinary user"},
        {01775, 1000, 0555, 0, "belongs to an ordinary user"},
        {0755, 0, 0755, 0, "writable file"},
        {0755, 0, 0575, 0, "writable file"},
        {0755, 0, 04555, 0, "set-user-ID"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_found_ struct found found;

        if (!prepare())
            return;
        (void)!mkdir("/nix", 0755);
        (void)!mkdir("/nix/store", 0755);
        (void)!mkdir("/nix/store/x", 0755);
        copy_self("/nix/store/x/bwrap", 0555);
        write_help("/nix/store/x/bwrap", NULL, "");
        assert_int_equal(chown("/nix/store/x/bwrap", rows[i].file_uid, 0), 0);
        assert_int_equal(chmod("/nix/store/x/bwrap", rows[i].file_mode), 0);
        assert_int_equal(chown("/nix/store", rows[i].store_uid, 0), 0);
        assert_int_equal(chmod("/nix/store", rows[i].store_mode), 0);
        look(&found, false, (const char *const[]){"BWRAP_BIN=/nix/store/x/bwrap", NULL});
        if (!rows[i].why)
            assert_int_equal(found.r, 0);
        else if (found.r != -ENOENT || !strstr(found.notes.v[0].text, rows[i].why))
            fail_msg("row %zu: %d %s", i, found.r, found.notes.n ? found.notes.v[0].text : "");
    }
}

/* ---- search ---- */

static void unusable_variable_is_named_and_the_search_goes_on(void **state)
{
    static const struct {
        const char *variable;
        const char *why; /* NULL: nothing is said */
    } rows[] = {
        {"BWRAP_BIN=bwrap", "not an absolute path"},
        {"BWRAP_BIN=./trusted/bwrap", "not an absolute path"},
        {"BWRAP_BIN=/none/bwrap", "not found"},
        {"BWRAP_BIN=", NULL},
        {"BWRAP_BINX=/none", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_found_ struct found found;

        if (!prepare())
            return;
        look(&found, false, (const char *const[]){rows[i].variable, "PATH=/trusted", NULL});
        assert_int_equal(found.r, 0);
        assert_string_equal(found.host.bwrap.path, FAKE);
        assert_int_equal(found.notes.n, rows[i].why ? 1 : 0);
        if (rows[i].why)
            assert_non_null(strstr(found.notes.v[0].text, rows[i].why));
    }
}

static void system_directories_come_before_path(void **state)
{
    _cleanup_found_ struct found found;

    (void)state;
    if (!prepare())
        return;
    copy_self("/usr/bin/bwrap", 0755);
    write_help("/usr/bin/bwrap", NULL, "");
    look(&found, false, (const char *const[]){"PATH=/trusted", NULL});
    assert_int_equal(unlink("/usr/bin/bwrap"), 0);
    assert_int_equal(found.r, 0);
    assert_string_equal(found.host.bwrap.path, "/usr/bin/bwrap");
}

static void relative_path_entries_are_never_used(void **state)
{
    _cleanup_found_ struct found found;

    (void)state;
    if (!prepare())
        return;
    look(&found, false, (const char *const[]){"PATH=trusted::.:./trusted", NULL});
    assert_int_equal(found.r, -ENOENT);
    assert_int_equal(found.host.bwrap.fd, -1);
}

static void missing_bubblewrap_names_the_packages(void **state)
{
    _cleanup_found_ struct found found;

    (void)state;
    if (!prepare())
        return;
    look(&found, false, NULL);
    assert_int_equal(found.r, -ENOENT);
    assert_non_null(strstr(found.host.bwrap.why.text, "apt install bubblewrap"));
    assert_non_null(strstr(found.host.bwrap.why.text, "dnf install bubblewrap"));
    assert_non_null(strstr(found.host.bwrap.why.text, "pacman -S bubblewrap"));
}

/* ---- options ---- */

static void each_required_option_is_missed_by_name(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(required); i++) {
        _cleanup_found_ struct found found;

        if (!prepare())
            return;
        write_help(FAKE, required[i], "    --argsx  --seccomp-fd --perms-of\n");
        look(&found, false, chosen);
        assert_int_equal(found.r, -ENOTSUP);
        if (!strstr(found.host.bwrap.why.text, required[i]))
            fail_msg("%s: %s", required[i], found.host.bwrap.why.text);
    }
}

static void optional_options_are_whole_words(void **state)
{
    static const struct {
        const char *help;
        bool disable_userns;
        bool cgroup_try;
        bool bind_fd;
    } rows[] = {
        {"", false, false, false},
        {"    --disable-userns  x\n", true, false, false},
        {"    --unshare-cgroup-try\n", false, true, false},
        {"    --unshare-cgroup\n", false, false, false},
        {"    --bind-fd FD DEST\n", false, false, false},
        {"    --ro-bind-fd FD DEST\n", false, false, false},
        {"    --bind-fd FD DEST\n    --ro-bind-fd FD DEST\n", false, false, true},
        {"    --bind-fds --ro-bind-fds no--disable-userns\n", false, false, false},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_found_ struct found found;

        if (!prepare())
            return;
        write_help(FAKE, NULL, rows[i].help);
        look(&found, false, chosen);
        assert_int_equal(found.r, 0);
        assert_true(found.host.bwrap.has_disable_userns == rows[i].disable_userns);
        assert_true(found.host.bwrap.has_cgroup_try == rows[i].cgroup_try);
        assert_true(found.host.bwrap.has_bind_fd == rows[i].bind_fd);
    }
}

/* A script cannot be run by a descriptor that closes itself; one that fails says nothing. */
static void program_that_gives_no_help_is_fatal(void **state)
{
    _cleanup_found_ struct found script;
    _cleanup_found_ struct found failing;

    (void)state;
    if (!prepare())
        return;
    write_file(FAKE, "#!/bin/sh\necho --args\n", 0755);
    look(&script, false, chosen);
    assert_int_equal(script.r, -ENOEXEC);
    assert_non_null(strstr(script.host.bwrap.why.text, FAKE));
    copy_self(FAKE, 0755);
    unlink(FAKE ".help");
    look(&failing, false, chosen);
    assert_int_equal(failing.r, -ENOEXEC);
}

/* ---- cache ---- */

static void check_runs(off_t want)
{
    _cleanup_found_ struct found found;

    look(&found, true, chosen);
    assert_int_equal(found.r, 0);
    assert_int_equal(size_of(FAKE ".runs"), want);
}

static void answer_is_asked_for_once(void **state)
{
    struct stat st;

    (void)state;
    if (!prepare())
        return;
    check_runs(1);
    check_runs(1);
    assert_int_equal(lstat(CACHE, &st), 0);
    assert_true(S_ISREG(st.st_mode) && (st.st_mode & 07777) == 0600);
    assert_int_equal(lstat("/home/u/.local/state/ai-jail", &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
}

/* P-CLI-4: --dry-run neither writes nor trusts it. */
static void without_cache_nothing_is_written(void **state)
{
    (void)state;
    if (!prepare())
        return;
    check_accepted();
    assert_int_equal(size_of("/home/u/.local"), -1);
    check_runs(2);
    check_accepted();
    assert_int_equal(size_of(FAKE ".runs"), 3);
}

static void other_program_is_asked_again(void **state)
{
    const struct timespec times[2] = {{1, 0}, {1, 1}};
    _cleanup_found_ struct found found;

    (void)state;
    if (!prepare())
        return;
    check_runs(1);
    assert_int_equal(utimensat(AT_FDCWD, FAKE, times, 0), 0);
    write_help(FAKE, NULL, "    --disable-userns\n");
    check_runs(2);
    check_runs(2);
    look(&found, true, chosen);
    assert_true(found.host.bwrap.has_disable_userns);
    copy_self("/trusted/new", 0755);
    assert_int_equal(utimensat(AT_FDCWD, "/trusted/new", times, 0), 0);
    assert_int_equal(rename("/trusted/new", FAKE), 0);
    check_runs(3);
}

static void cache_of_others_is_not_believed(void **state)
{
    static const struct {
        mode_t mode;
        uid_t uid;
        bool believed;
    } rows[] = {{0600, 0, true},  {0644, 0, true},  {0620, 0, false},
                {0602, 0, false}, {0666, 0, false}, {0600, 1000, false}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        if (!prepare())
            return;
        check_runs(1);
        assert_int_equal(chmod(CACHE, rows[i].mode), 0);
        assert_int_equal(chown(CACHE, rows[i].uid, 0), 0);
        check_runs(rows[i].believed ? 1 : 2);
        check_runs(rows[i].believed ? 1 : 2); /* replaced by a good one */
    }
}

static void odd_things_in_place_of_the_cache(void **state)
{
    struct stat st;

    (void)state;
    if (!prepare())
        return;
    check_runs(1);
    assert_int_equal(rename(CACHE, "/home/u/elsewhere"), 0);
    assert_int_equal(symlink("/home/u/elsewhere", CACHE), 0);
    check_runs(2);
    assert_int_equal(lstat(CACHE, &st), 0);
    assert_true(S_ISREG(st.st_mode));
    unlink(CACHE);
    assert_int_equal(mkfifo(CACHE, 0600), 0);
    check_runs(3); /* does not wait for a writer */
    unlink(CACHE);
    write_file(CACHE, "", 0600);
    check_runs(4);
    unlink(CACHE);
    assert_int_equal(mkdir(CACHE, 0700), 0);
    check_runs(5);
    assert_int_equal(rmdir(CACHE), 0);
    check_runs(6);
    check_runs(6);
}

static void cache_lies_in_the_state_directory(void **state)
{
    static const struct {
        const char *variable;
        const char *path;
    } rows[] = {
        {"XDG_STATE_HOME=/home/u/st", "/home/u/st/ai-jail/bwrap-probe"},
        {"XDG_STATE_HOME=st", CACHE},
        {"XDG_STATE_HOME=", CACHE},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_found_ struct found found;

        if (!prepare())
            return;
        look(&found, true, (const char *const[]){chosen[0], rows[i].variable, NULL});
        assert_int_equal(found.r, 0);
        assert_true(size_of(rows[i].path) > 100);
    }
}

/* Started by root with the HOME of a user: no directory of root appears in it. */
static void nothing_is_written_into_the_home_of_another_user(void **state)
{
    (void)state;
    if (!prepare())
        return;
    assert_int_equal(chown("/home/u", 1000, 1000), 0);
    check_runs(1);
    assert_int_equal(size_of("/home/u/.local"), -1);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(file_of_root_is_accepted),
        cmocka_unit_test(file_in_the_project_is_rejected),
        cmocka_unit_test(mode_of_the_file_decides),
        cmocka_unit_test(owner_of_the_file_decides),
        cmocka_unit_test(only_regular_files_count),
        cmocka_unit_test(every_parent_decides),
        cmocka_unit_test(link_is_followed_once),
        cmocka_unit_test(store_decides_by_mode_and_owner),
        cmocka_unit_test(unusable_variable_is_named_and_the_search_goes_on),
        cmocka_unit_test(system_directories_come_before_path),
        cmocka_unit_test(relative_path_entries_are_never_used),
        cmocka_unit_test(missing_bubblewrap_names_the_packages),
        cmocka_unit_test(each_required_option_is_missed_by_name),
        cmocka_unit_test(optional_options_are_whole_words),
        cmocka_unit_test(program_that_gives_no_help_is_fatal),
        cmocka_unit_test(answer_is_asked_for_once),
        cmocka_unit_test(without_cache_nothing_is_written),
        cmocka_unit_test(other_program_is_asked_again),
        cmocka_unit_test(cache_of_others_is_not_believed),
        cmocka_unit_test(odd_things_in_place_of_the_cache),
        cmocka_unit_test(cache_lies_in_the_state_directory),
        cmocka_unit_test(nothing_is_written_into_the_home_of_another_user),
    };

    if (argc == 2 && strcmp(argv[0], "bwrap") == 0 && strcmp(argv[1], "--help") == 0)
        return play_bwrap();
    return cmocka_run_group_tests(tests, enter_world, leave_world);
}
