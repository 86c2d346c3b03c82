// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_fs: the file system view. Credentials of HOME by every name, siblings, system trees,
 * device nodes, set-user-id bits, handles, read-only maps.
 */
#include "probe.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/fs.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>

#ifndef SYS_fchmodat2
#define SYS_fchmodat2 452
#endif
/* A walk of the whole view ends somewhere. */
#define WALK_DEPTH_MAX 40
#define WALK_READ_SIZE 4096

/* Reads up to size bytes; ENOENT and so on, or the number of bytes. */
static long first_bytes(const char *path)
{
    char buf[64];

    return file_read(path, buf, sizeof buf);
}

static void credentials(struct trial *t)
{
    char path[PATH_MAX];
    size_t at = 0;

    while (fact_each("credentials", &at, path, sizeof path))
        trial_call(t, 0, first_bytes(path), "open(%s)", path);
}

static long open_in_root(const char *path)
{
    struct open_how how = {.flags = O_RDONLY | O_CLOEXEC, .resolve = RESOLVE_IN_ROOT};
    int root = open("/", O_PATH | O_CLOEXEC);
    long fd = RESULT(syscall(SYS_openat2, root, path, &how, sizeof how));

    if (fd >= 0)
        close((int)fd);
    close(root);
    return fd;
}

static void credentials_respelled(struct trial *t)
{
    static const char *const prefixes[] = {"/proc/self/root", "/proc/thread-self/root", "//",
                                           "/usr/..", "/./"};
    size_t home_len = strlen(fact("home")), at = 0;
    char path[PATH_MAX], name[PATH_MAX * 2];

    while (fact_each("credentials", &at, path, sizeof path)) {
        for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
            snprintf(name, sizeof name, "%s%s", prefixes[i], path);
            trial_call(t, 0, first_bytes(name), "open(%s)", name);
        }
        /* The working directory is HOME/src/project. */
        snprintf(name, sizeof name, "/proc/self/cwd/../..%s", path + home_len);
        trial_call(t, 0, first_bytes(name), "open(%s)", name);
        trial_call(t, 1, open_in_root(path), "openat2(%s)", path);
    }
}

/* True if item is a word of the ':' separated fact. */
static bool fact_has(const char *name, const char *item)
{
    char word[256];
    size_t at = 0;

    while (fact_each(name, &at, word, sizeof word))
        if (strcmp(word, item) == 0)
            return true;
    return false;
}

static void siblings(struct trial *t)
{
    char dir[PATH_MAX] = ".", key[16];
    struct stat here, root;

    trial_call(t, 0, first_bytes("../sibling/secret"), "open(../sibling/secret)");
    stat("/", &root);
    for (unsigned level = 1; level < 16; level++) {
        DIR *stream;
        strcat(dir, "/..");
        snprintf(key, sizeof key, "listing%u", level);
        stream = opendir(dir);
        if (stream == NULL) {
            trial_must(t, errno == EACCES, "opendir(%s)", dir);
            break;
        }
        for (struct dirent *e; (e = readdir(stream)) != NULL;)
            if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
                trial_must(t, fact_has(key, e->d_name), "%s lists %s", dir, e->d_name);
        closedir(stream);
        if (stat(dir, &here) == 0 && here.st_dev == root.st_dev && here.st_ino == root.st_ino)
            break;
    }
}

/* Looks for the token in names and in the first bytes of files younger than the token. */
struct walk {
    struct trial *trial;
    const char *token;
    long since_s;
    unsigned hits;
    bool names_only;
};

static void walk_file(struct walk *walk, int dir, const char *name)
{
    char buf[WALK_READ_SIZE];
    struct stat st;
    ssize_t n;
    int fd;

    if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(st.st_mode) ||
        (st.st_mtime < walk->since_s && st.st_ctime < walk->since_s))
        return;
    fd = openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return;
    n = read(fd, buf, sizeof buf);
    if (n > 0 && memmem(buf, (size_t)n, walk->token, strlen(walk->token)) != NULL)
        walk->hits++;
    close(fd);
}

static void walk_dir(struct walk *walk, int parent, const char *name, unsigned depth)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *stream = fd < 0 || depth == 0 ? NULL : fdopendir(fd);

    if (stream == NULL) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *e; (e = readdir(stream)) != NULL;) {
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        if (depth == WALK_DEPTH_MAX &&
            (strcmp(e->d_name, "proc") == 0 || strcmp(e->d_name, "sys") == 0 ||
             strcmp(e->d_name, "usr") == 0))
            continue;
        if (strstr(e->d_name, walk->token) != NULL) {
            walk->hits++;
            trial_must(walk->trial, false, "the token is in the name %s", e->d_name);
        }
        if (e->d_type == DT_DIR || e->d_type == DT_UNKNOWN)
            walk_dir(walk, dirfd(stream), e->d_name, depth - 1);
        if (!walk->names_only && (e->d_type == DT_REG || e->d_type == DT_UNKNOWN))
            walk_file(walk, dirfd(stream), e->d_name);
    }
    closedir(stream);
}

/* Outside only the planted places are walked, and every one has to be found. */
static void whole_view(struct trial *t)
{
    struct walk walk = {t, fact_token(), fact_number("planted_at"), 0, false};
    char path[PATH_MAX];
    size_t at = 0;

    if (walk.token[0] == '\0') {
        trial_blind(t, "there is no token");
        return;
    }
    if (!t->control) {
        walk_dir(&walk, AT_FDCWD, "/", WALK_DEPTH_MAX);
        /* A host's whole software, in which nothing was planted: no file is opened there. */
        walk.names_only = true;
        walk_dir(&walk, AT_FDCWD, "/usr", WALK_DEPTH_MAX - 1);
        trial_must(t, walk.hits == 0, "%u files hold the token", walk.hits);
        return;
    }
    while (fact_each("canary_places", &at, path, sizeof path)) {
        walk.hits = 0;
        walk_dir(&walk, AT_FDCWD, path, 4);
        trial_call(t, 0, walk.hits > 0 ? 0 : -ENOENT, "walk(%s)", path);
    }
}

static void system_create(struct trial *t)
{
    static const char *const dirs[] = {"/etc", "/usr", "/usr/bin", "/bin",
                                       "/lib", "/opt", "/nix",     "/boot"};
    char path[64];

    for (size_t i = 0; i < sizeof dirs / sizeof *dirs; i++) {
        long rc;
        snprintf(path, sizeof path, "%s/.escape-probe", dirs[i]);
        rc = RESULT(open(path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600));
        if (rc >= 0) {
            close((int)rc);
            unlink(path);
        }
        trial_call(t, 0, rc, "open(%s, O_CREAT)", path);
    }
}

/* A program that runs just now is busy, whatever else would be said: it is asked again. */
static long open_unless_busy(const char *path)
{
    const struct timespec nap = {.tv_nsec = 1000000};
    long rc = -ETXTBSY;

    for (unsigned i = 0; i < 1000 && rc == -ETXTBSY; i++) {
        rc = file_write(path, NULL);
        if (rc == -ETXTBSY)
            nanosleep(&nap, NULL);
    }
    return rc;
}

/* Lists: 0 a system file, 1 a generated one, whose mode alone forbids it. */
static void system_write(struct trial *t)
{
    static const char *const files[] = {"/usr/bin/env", "/etc/hosts"};
    struct stat st;

    for (unsigned i = 0; i < 2; i++) {
        trial_call(t, i, open_unless_busy(files[i]), "open(%s, O_WRONLY)", files[i]);
        /* To the length that it has. */
        if (stat(files[i], &st) == 0)
            trial_call(t, i, RESULT(truncate(files[i], st.st_size)), "truncate(%s)", files[i]);
    }
}

/* Attributes that are there are written back; what would be removed or renamed is not there. */
static void system_change(struct trial *t)
{
    static const char *const files[] = {"/usr/bin/env", "/etc/passwd"};
    static const char *const absent[] = {"/usr/.escape-absent", "/etc/.escape-absent"};
    static const char *const absent2[] = {"/usr/.escape-absent2", "/etc/.escape-absent2"};
    struct stat st;

    for (size_t i = 0; i < 2; i++) {
        if (stat(files[i], &st) == 0) {
            struct timespec times[2] = {st.st_atim, st.st_mtim};
            trial_call(t, 0, RESULT(chmod(files[i], st.st_mode & 07777)), "chmod(%s)", files[i]);
            trial_call(t, 0, RESULT(utimensat(AT_FDCWD, files[i], times, 0)), "utimensat(%s)",
                       files[i]);
        }
        trial_call(t, 0, RESULT(setxattr(files[i], "user.escape", "x", 1, XATTR_REPLACE)),
                   "setxattr(%s)", files[i]);
        trial_call(t, 0, RESULT(unlink(absent[i])), "unlink(%s)", absent[i]);
        trial_call(t, 0, RESULT(rename(absent[i], absent2[i])), "rename(%s)", absent[i]);
    }
    trial_call(t, 1, RESULT(link("/etc/hosts", "/tmp/.escape-link")), "link(/etc/hosts)");
    unlink("/tmp/.escape-link");
}

static void pinned_dirs(struct trial *t)
{
    char project[PATH_MAX], home[PATH_MAX], other[PATH_MAX + 8];

    snprintf(project, sizeof project, "%s", fact("project"));
    snprintf(home, sizeof home, "%s", fact("home"));
    snprintf(other, sizeof other, "%s2", project);
    trial_call(t, 0, RESULT(rename(project, other)), "rename(project)");
    rename(other, project);
    trial_call(t, 0, RESULT(rmdir(project)), "rmdir(project)");
    snprintf(other, sizeof other, "%s2", home);
    trial_call(t, 0, RESULT(rename(home, other)), "rename(HOME)");
    rename(other, home);
}

static void root_create(struct trial *t)
{
    static const char *const files[] = {"/dev/escape-n", "/proc/escape-n"};

    trial_call(t, 0, RESULT(mkdir("/escape-n", 0700)), "mkdir(/escape-n)");
    rmdir("/escape-n");
    for (size_t i = 0; i < 2; i++) {
        trial_call(t, 0, RESULT(open(files[i], O_CREAT | O_WRONLY, 0600)), "open(%s, O_CREAT)",
                   files[i]);
        unlink(files[i]);
    }
}

static void device_nodes(struct trial *t)
{
    static const char *const dirs[] = {".", "/tmp", "/dev"};
    static const struct {
        mode_t type;
        unsigned major, minor;
    } nodes[] = {{S_IFCHR, 1, 3}, {S_IFBLK, 8, 0}};
    char path[64];

    for (size_t i = 0; i < 3; i++) {
        for (size_t k = 0; k < 2; k++) {
            dev_t dev = makedev(nodes[k].major, nodes[k].minor);
            snprintf(path, sizeof path, "%s/.escape-node", dirs[i]);
            trial_call(t, 0, RESULT(mknod(path, nodes[k].type | 0600, dev)), "mknod(%s, %o)", path,
                       nodes[k].type);
            unlink(path);
        }
    }
}

static void host_devices(struct trial *t)
{
    static const char *const names[] = {
        "mem",          "kmsg",      "port",          "sda",     "vda",          "nvme0n1",
        "kvm",          "fuse",      "net/tun",       "vsock",   "vhost-vsock",  "uinput",
        "input/event0", "dri/card0", "snd/controlC0", "hidraw0", "loop-control", "userfaultfd",
        "nvidia0",      "kfd",       "hwrng",         "tty0",    "btrfs-control"};
    char path[64];

    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        long rc;
        snprintf(path, sizeof path, "/dev/%s", names[i]);
        rc = RESULT(open(path, (t->control ? O_PATH : O_RDONLY | O_NONBLOCK) | O_CLOEXEC));
        if (rc >= 0)
            close((int)rc);
        trial_call(t, 0, rc, "open(%s)", path);
    }
}

static void dev_listing(struct trial *t)
{
    static const char names[] =
        " null zero full random urandom tty ptmx pts shm fd stdin stdout stderr core ";
    char word[300];
    unsigned seen = 0;
    DIR *dir = opendir("/dev");

    trial_must(t, dir != NULL, "opendir(/dev)");
    for (struct dirent *e; dir != NULL && (e = readdir(dir)) != NULL;) {
        if (e->d_name[0] == '.' || (t->terminal && strcmp(e->d_name, "console") == 0))
            continue;
        snprintf(word, sizeof word, " %s ", e->d_name);
        trial_must(t, strstr(names, word) != NULL, "/dev/%s", e->d_name);
        seen++;
    }
    trial_must(t, seen == 14, "/dev has %u of 14 names", seen);
}

static long step_chroot(const void *argument)
{
    int root = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    long rc = RESULT(chroot("/tmp"));

    (void)argument;
    return rc < 0 ? rc : RESULT(fchdir(root));
}

static void chroot_out(struct trial *t)
{
    trial_call(t, 0, trial_fork(step_chroot, NULL), "chroot(/tmp), fchdir(/)");
}

union handle {
    struct file_handle head;
    char room[sizeof(struct file_handle) + MAX_HANDLE_SZ];
};

static void file_handles(struct trial *t)
{
    union handle handle = {.head.handle_bytes = MAX_HANDLE_SZ};
    /* FILEID_INO32_GEN of inode 2, the root of an ext file system. */
    union handle forged = {.head = {.handle_bytes = 8, .handle_type = 1}};
    const uint32_t inode[2] = {2, 0};
    int mount_id, fd = open("/", O_RDONLY | O_CLOEXEC);

    memcpy(forged.room + sizeof forged.head, inode, sizeof inode);
    trial_call(t, 0, RESULT(name_to_handle_at(AT_FDCWD, "/etc/hosts", &handle.head, &mount_id, 0)),
               "name_to_handle_at(/etc/hosts)");
    trial_call(t, 1, RESULT(open_by_handle_at(fd, &handle.head, O_RDONLY)),
               "open_by_handle_at(that handle)");
    trial_call(t, 1, RESULT(open_by_handle_at(fd, &forged.head, O_RDONLY)),
               "open_by_handle_at(root inode)");
    close(fd);
}

static long openat2_mode(const char *path, uint64_t mode)
{
    struct open_how how = {.flags = O_CREAT | O_WRONLY | O_CLOEXEC, .mode = mode};

    return RESULT(syscall(SYS_openat2, AT_FDCWD, path, &how, sizeof how));
}

/* Every way to set the bit, each on a new file. */
static long set_user_id(unsigned way, const char *path)
{
    int fd = way < 4 ? open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600) : -1;
    long rc = -EINVAL;

    switch (way) {
    case 0:
        rc = RESULT(chmod(path, 04755));
        break;
    case 1:
        rc = RESULT(fchmod(fd, 04755));
        break;
    case 2:
        rc = RESULT(syscall(SYS_fchmodat, AT_FDCWD, path, 04755));
        break;
    case 3:
        rc = RESULT(syscall(SYS_fchmodat2, AT_FDCWD, path, 04755, 0));
        break;
    case 4:
        rc = RESULT(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 04755));
        break;
    case 5:
        rc = RESULT(syscall(SYS_creat, path, 04755));
        break;
    case 6:
        rc = RESULT(syscall(SYS_mknod, path, S_IFREG | 04755, 0));
        break;
    case 7:
        rc = RESULT(syscall(SYS_mknodat, AT_FDCWD, path, S_IFREG | 04755, 0));
        break;
    case 8:
        rc = openat2_mode(path, 04755);
        break;
    }
    close(fd);
    return rc;
}

#define SET_USER_ID_WAYS 9

static void set_user_id_in(struct trial *t, const char *dir)
{
    char path[PATH_MAX];
    struct stat st;

    for (unsigned way = 0; way < SET_USER_ID_WAYS; way++) {
        bool openat2 = way == SET_USER_ID_WAYS - 1;
        snprintf(path, sizeof path, "%s/.escape-suid%u", dir, way);
        unlink(path);
        /* A kernel without fchmodat2 says ENOSYS: nothing was set, which is what is asked next. */
        long rc = set_user_id(way, path);
        if (!(way == 3 && rc == -ENOSYS))
            trial_call(t, openat2, rc, "way %u in %s", way, dir);
        if (stat(path, &st) == 0 && !(openat2 && !t->by_root))
            trial_must(t, (st.st_mode & S_ISUID) == 0, "way %u set the bit in %s", way, dir);
        unlink(path);
    }
}

static void set_user_id_bits(struct trial *t)
{
    char dir[PATH_MAX];

    trial_go_where_writable(t);
    set_user_id_in(t, ".");
    if (t->lockdown)
        return;
    snprintf(dir, sizeof dir, "%s", fact("rw_map"));
    set_user_id_in(t, dir);
}

static long make_file(const char *path)
{
    int fd = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0644);

    if (fd >= 0)
        close(fd);
    return fd;
}

static void privileged_attributes(struct trial *t)
{
    struct vfs_cap_data caps = {.magic_etc = VFS_CAP_REVISION_2};
    const char *file = "escape-attributes";
    long flags = 0, wanted = FS_IMMUTABLE_FL, rc;
    int fd;

    trial_go_where_writable(t);
    make_file(file);
    trial_call(t, 0, RESULT(setxattr(file, "security.capability", &caps, XATTR_CAPS_SZ_2, 0)),
               "setxattr(security.capability)");
    trial_call(t, 0, RESULT(setxattr(file, "trusted.escape", "x", 1, 0)), "setxattr(trusted)");
    fd = open(file, O_RDONLY | O_CLOEXEC);
    if (ioctl(fd, FS_IOC_GETFLAGS, &flags) == 0)
        wanted |= flags;
    rc = RESULT(ioctl(fd, FS_IOC_SETFLAGS, &wanted));
    if (rc >= 0)
        ioctl(fd, FS_IOC_SETFLAGS, &flags);
    trial_call(t, 0, rc, "ioctl(FS_IOC_SETFLAGS)");
    close(fd);
    unlink(file);
}

static void give_away(struct trial *t)
{
    const char *file = "escape-owner";

    trial_go_where_writable(t);
    make_file(file);
    trial_call(t, 0, RESULT(chown(file, 12345, (gid_t)-1)), "chown(12345)");
    if (!t->by_root)
        trial_call(t, 0, RESULT(chown(file, 0, 0)), "chown(0, 0)");
    unlink(file);
}

/* The files below /etc and /opt that an ordinary user cannot read. */
static void root_only_files(struct trial *t)
{
    char path[PATH_MAX];
    size_t at = 0;

    if (!fact_each("root_only", &at, path, sizeof path)) {
        trial_blind(t, "no unreadable file in /etc or /opt");
        return;
    }
    do {
        trial_call(t, 0, first_bytes(path), "open(%s)", path);
    } while (fact_each("root_only", &at, path, sizeof path));
}

/* probe-suid is this program, owned by root, set-user-id, beside it on the host. */
static void set_user_id_program(struct trial *t)
{
    char path[PATH_MAX + 16], euid[16];
    long rc;

    snprintf(path, sizeof path, "%s/probe-suid", probe_dir());
    if (access(path, F_OK) < 0) {
        trial_blind(t, "no set-user-id program could be planted");
        return;
    }
    snprintf(euid, sizeof euid, "%d", (int)geteuid());
    const char *const argv[] = {path, "--identity", euid, NULL};
    rc = program_run(argv);
    /* 0: euid unchanged and no capability; 126: execve failed. */
    trial_call(t, 0, rc == 0 ? 0 : rc == 126 ? -EPERM : 1, "execve(set-user-id program)");
}

static void map_changes(struct trial *t, unsigned list, const char *dir)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_NOW}, {.tv_nsec = UTIME_NOW}};
    char file[PATH_MAX], other[PATH_MAX];

    snprintf(file, sizeof file, "%s/file", dir);
    snprintf(other, sizeof other, "%s/other", dir);
    trial_call(t, list, file_write(file, NULL), "open(%s, O_WRONLY)", file);
    trial_call(t, list, RESULT(truncate(file, 4)), "truncate(%s)", file);
    trial_call(t, list, RESULT(utimensat(AT_FDCWD, file, times, 0)), "utimensat(%s)", file);
    trial_call(t, list, RESULT(rename(other, file)), "rename(%s)", other);
    trial_call(t, list, RESULT(unlink(file)), "unlink(%s)", file);
}

/* The last map is writable: there the same calls must succeed. */
static void read_only_maps(struct trial *t)
{
    char dir[PATH_MAX];
    size_t at = 0;

    while (fact_each("ro_maps", &at, dir, sizeof dir))
        map_changes(t, 0, dir);
    snprintf(dir, sizeof dir, "%s/control", fact("rw_map"));
    map_changes(t, 1, dir);
}

const struct probe probes_fs[] = {
    {"E-FS-01", credentials, "ENOENT", EVERY, CONTROL_ALL, NULL, "ENOENT"},
    {"E-FS-02", credentials_respelled, "ENOENT; ENOENT ENOSYS", EVERY, CONTROL_ALL, NULL, "ENOENT"},
    {"E-FS-03", siblings, "ENOENT", EVERY, CONTROL_SAME, NULL, "ENOENT"},
    {"E-FS-04", whole_view, "ENOENT", EVERY, CONTROL_ALL, NULL, "ENOENT"},
    {"E-FS-05", system_create, "EROFS EACCES ENOENT", EVERY, CONTROL_ROOT, NULL,
     "EROFS EACCES ENOENT"},
    {"E-FS-06", system_write, "EACCES EROFS", ONLY_USER, CONTROL_NONE, NULL, "EACCES EROFS"},
    {"E-FS-06", system_write, "EROFS EACCES", ONLY_ROOT, CONTROL_NONE, "EROFS; EROFS EACCES",
     "EACCES EROFS"},
    {"E-FS-07", system_change, "EROFS EACCES; EXDEV", EVERY, CONTROL_NONE, NULL,
     "EROFS EACCES; EXDEV"},
    {"E-FS-08", pinned_dirs, "EBUSY EROFS EACCES EXDEV", EVERY, CONTROL_NONE, NULL,
     "EBUSY EROFS EACCES EXDEV"},
    {"E-FS-09", root_create, "EROFS EACCES ENOENT", EVERY, CONTROL_BWRAP, "EROFS ENOENT",
     "EROFS EACCES ENOENT"},
    {"E-FS-10", device_nodes, "EPERM EROFS EACCES", EVERY, CONTROL_ROOT, NULL,
     "EPERM EROFS EACCES"},
    {"E-FS-11", host_devices, "ENOENT", EVERY, CONTROL_SAME, NULL, "ENOENT"},
    {"E-FS-12", dev_listing, "", EVERY, CONTROL_NONE, NULL, ""},
    {"E-FS-12", dev_listing, "", EVERY | ON_TERMINAL, CONTROL_NONE, NULL, ""},
    {"E-FS-13", chroot_out, "EPERM", EVERY, CONTROL_ROOT, NULL, "EPERM"},
    {"E-FS-14", file_handles, "EOPNOTSUPP EPERM; EPERM", EVERY, CONTROL_ROOT, NULL, NULL},
    {"E-FS-15", set_user_id_bits, "EPERM; OK EPERM ENOSYS", ONLY_USER, CONTROL_SAME, NULL, NULL},
    {"E-FS-15", set_user_id_bits, "EPERM; ENOSYS", ONLY_ROOT, CONTROL_SAME, NULL, NULL},
    {"E-FS-16", privileged_attributes, "EPERM EOPNOTSUPP ENOTTY", EVERY, CONTROL_ROOT, NULL,
     "EPERM EOPNOTSUPP ENOTTY"},
    {"E-FS-17", give_away, "EINVAL EPERM", EVERY, CONTROL_ROOT, NULL, "EINVAL EPERM"},
    {"E-FS-18", root_only_files, "EACCES ENOENT ZERO", EVERY, CONTROL_ROOT, NULL,
     "EACCES ENOENT ZERO"},
    {"E-FS-19", set_user_id_program, "ZERO EPERM", ONLY_USER, CONTROL_SAME, NULL, "ZERO EPERM"},
    {"E-FS-19", set_user_id_program, "ZERO EPERM", ONLY_ROOT, CONTROL_NONE, NULL, "ZERO EPERM"},
    {"E-FS-21", read_only_maps, "EROFS EBUSY EACCES; OK", NORMAL, CONTROL_NONE, NULL,
     "EROFS EBUSY EACCES; OK"},
    /* In lockdown no map is there, but for the one that lies in the project. */
    {"E-FS-21", read_only_maps, "EROFS EBUSY EACCES ENOENT; ENOENT", ONLY_LOCKDOWN, CONTROL_NONE,
     NULL, NULL},
    {0},
};
