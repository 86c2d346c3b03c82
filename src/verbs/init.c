// SPDX-License-Identifier: GPL-3.0-only
/*
 * init: ./.ai-jail, written on demand (--init) or by the first run in a directory.
 *
 * What goes into it: config/save_select.h; how a file is changed: config/save.h; how it gets onto
 * the disk: config/save_file.h. Here is where a file is refused, and what is said.
 */
#include "base/fd.h"
#include "base/path.h"
#include "config/load.h"
#include "config/save_file.h"
#include "config/save_select.h"
#include "config/trust.h"
#include "policy/project.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define OWN_NAME "./" LOAD_FILE_NAME

/* What the text of an existing file becomes. */
struct rewrite {
    const struct save_changes *changes;
    bool from_scratch;
};

static const char bom[] = "\xef\xbb\xbf";

static int rewrite_text(void *arg, const char *old, size_t len, struct buf *out,
                        struct error *error)
{
    const struct rewrite *rewrite = (const struct rewrite *)arg;
    size_t mark = len >= strlen(bom) && memcmp(old, bom, strlen(bom)) == 0 ? strlen(bom) : 0;

    if (rewrite->from_scratch)
        return save_new(rewrite->changes, out, error);
    buf_append(out, old, mark);
    return save_edit(old + mark, len - mark, rewrite->changes, out, error);
}

/* Looked at here again: with --clean nobody has read the project's file. */
static bool is_global_file(int dir, const char *home)
{
    _cleanup_free_ char *path = path_join(home, LOAD_FILE_NAME);
    struct stat own;
    struct stat global;

    return fstatat(dir, LOAD_FILE_NAME, &own, AT_SYMLINK_NOFOLLOW) == 0 &&
           stat(path, &global) == 0 && own.st_dev == global.st_dev && own.st_ino == global.st_ino;
}

/* Directories in which no file is written, whoever asks. The descriptor, or -errno. */
static int open_project(const struct gathered *gathered, const struct host *host,
                        struct error *error)
{
    _cleanup_close_ int dir = open(host->cwd, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat st;

    if (dir < 0 || fstat(dir, &st) < 0)
        return error_set(error, errno, "%s: %s", host->cwd, strerror(errno));
    if (gathered->project.state == FILE_IS_GLOBAL || str_eq(host->cwd, host->home) ||
        is_global_file(dir, host->home))
        return error_set(error, EPERM,
                         "it would be ~/" LOAD_FILE_NAME ", which ai-jail never writes");
    if (st.st_uid != host->uid)
        return error_set(error, EPERM, "the directory belongs to somebody else");
    return steal_fd(&dir);
}

static void select_changes(const struct gathered *gathered, const struct args *args,
                           const struct host *host, bool is_automatic, struct save_changes *changes,
                           struct notes *notes)
{
    struct save_request request = {
        .cli = &args->cli,
        .command = &args->command,
        .project = host->cwd,
        .home = host->home,
        .is_trusted = trust_is_listed(&gathered->config, host->cwd),
        .is_automatic = is_automatic,
    };

    save_select(&request, changes, notes);
}

static int create(int dir, const struct save_changes *changes, struct error *error)
{
    struct buf text CLEANUP(buf_free);
    int r;

    buf_init(&text, SAVE_TEXT_MAX);
    r = save_new(changes, &text, error);
    if (r < 0)
        return r;
    r = save_file_create(dir, LOAD_FILE_NAME, (const char *)text.data, text.len);
    return r < 0 ? error_set(error, -r, "%s", strerror(-r)) : 1;
}

static bool exists(int dir)
{
    struct stat st;

    return fstatat(dir, LOAD_FILE_NAME, &st, AT_SYMLINK_NOFOLLOW) == 0 || errno != ENOENT;
}

/* --dry-run: the text on stdout. */
static int show(int dir, struct rewrite *rewrite, uid_t uid, struct error *error)
{
    struct buf text CLEANUP(buf_free);
    int r;

    buf_init(&text, SAVE_TEXT_MAX);
    r = exists(dir)
            ? save_file_update(dir, LOAD_FILE_NAME, uid, rewrite_text, rewrite, &text, error)
            : save_new(rewrite->changes, &text, error);
    if (r < 0)
        return r;
    r = fd_write_all(STDOUT_FILENO, text.data, text.len);
    return r < 0 ? error_set(error, -r, "standard output: %s", strerror(-r)) : 0;
}

static int write_file(const struct verb_call *call, const struct save_changes *changes,
                      struct notes *notes, struct error *error)
{
    struct rewrite rewrite = {.changes = changes, .from_scratch = call->args->clean};
    _cleanup_close_ int dir = open_project(call->gathered, call->host, error);
    int r = dir;

    if (r < 0)
        return r;
    if (call->args->also_dry)
        return show(dir, &rewrite, call->host->uid, error);
    r = exists(dir) ? save_file_update(dir, LOAD_FILE_NAME, call->host->uid, rewrite_text, &rewrite,
                                       NULL, error)
                    : create(dir, changes, error);
    if (r >= 0)
        notes_add(notes, NOTE_INFO, r ? OWN_NAME " written" : OWN_NAME " says all that already");
    return r < 0 ? r : 0;
}

int verb_init(const struct verb_call *call, struct notes *notes, struct error *error)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};
    bool allow_broad = config_flag(&call->args->cli, SET_ALLOW_BROAD_PROJECT);
    int r = project_check(call->host, allow_broad, error);

    if (r < 0)
        return r;
    select_changes(call->gathered, call->args, call->host, false, &changes, notes);
    r = write_file(call, &changes, notes, error);
    if (r < 0)
        error_wrap(error, OWN_NAME);
    return r;
}

/* Runs that leave no file behind. */
static bool is_passing(const struct gathered *gathered)
{
    const struct config *config = &gathered->config;

    return !config_flag(config, SET_SAVE_CONFIG) || config_flag(config, SET_LOCKDOWN) ||
           browser_asked(config, &gathered->command) != BROWSER_NONE ||
           gathered->project.state == FILE_IS_GLOBAL || gathered->project.state == FILE_READ;
}

static int auto_save(const struct gathered *gathered, const struct host *host,
                     const struct save_changes *changes, struct error *error)
{
    _cleanup_close_ int dir = -1;
    int r = project_check(host, false, error);

    if (r < 0)
        return r;
    dir = open_project(gathered, host, error);
    if (dir < 0)
        return dir;
    if (exists(dir))
        return 0;
    r = create(dir, changes, error);
    /* Another first run was quicker. */
    return r == -EEXIST ? 0 : r;
}

void verb_init_auto_save(const struct gathered *gathered, const struct args *args,
                         const struct host *host, struct notes *notes)
{
    struct save_changes changes CLEANUP(save_changes_free) = {0};
    struct error error = {0};
    int r;

    if (is_passing(gathered))
        return;
    select_changes(gathered, args, host, true, &changes, notes);
    if (changes.n == 0)
        return;
    r = auto_save(gathered, host, &changes, &error);
    if (r > 0)
        notes_add(notes, NOTE_INFO, OWN_NAME " written: ai-jail alone starts the same next time");
    if (r < 0 && !config_flag(&gathered->config, SET_EXEC))
        notes_add(notes, NOTE_WARNING, OWN_NAME " is not written: %s (--no-%s does not try)",
                  error.text, settings[SET_SAVE_CONFIG].flag);
}
