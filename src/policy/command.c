// SPDX-License-Identifier: GPL-3.0-only
/*
 * command: what has to be visible so that the command can start.
 *
 * chase_file() handles one file: it walks to it, decides whether it may be shown, adds its install
 * root and the links on the way, and goes on with what the file itself needs: the interpreter of a
 * script, the program that env is told to run, the dynamic loader, the Python behind an
 * environment. Each of these is one level deeper; four levels are the limit, so a loop ends.
 *
 * Trust: the command and PATH are the user's word, unless a project file that is not trusted said the
 * command. A path in such a file, a link, a script or a program that a jail may
 * have written (in the project, or behind a writable bind) is not: what it names is shown only if
 * it is an executable file, never out of a directory of secrets, and never with its parent
 * directory merely because it lies there. So a project cannot make the next run show it more of the
 * host than programs.
 */
#include "policy/command.h"

#include "base/path.h"
#include "policy/elf.h"
#include "policy/install_root.h"
#include "policy/secrets.h"
#include "policy/shebang.h"
#include "policy/trail.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN         "command"
#define LEVELS_MAX     4
#define PYVENV_CFG_MAX (64 * KIB)
#define PATH_DEFAULT   "/bin:/usr/bin" /* execvp(3) without PATH */

struct chase {
    struct command *command;
    const struct host *host;
    const char *project;
    struct plan *plan;
    struct notes *notes;
};

/* One file to be made visible. */
struct step {
    const char *path; /* absolute, as somebody named it */
    bool is_trusted;
    unsigned level; /* 0: the command itself */
    bool is_named_by_project;
};

static void chase_file(const struct chase *chase, struct step step);

static bool is_executable(const struct fs *fs, const char *path)
{
    struct fs_stat st;

    return fs_stat(fs, path, true, &st) == 0 && st.type == FS_FILE && (st.mode & 0111);
}

/* The first executable file called name on the host's PATH, or NULL. */
static char *find_on_path(const struct host *host, const char *name)
{
    const char *path = host_getenv(host, "PATH");
    _cleanup_strv_ struct strv dirs = {0};

    strv_split(&dirs, path ? path : PATH_DEFAULT, ':');
    for (size_t i = 0; i < dirs.n; i++) {
        _cleanup_free_ char *dir = path_join(host->cwd, dirs.v[i]); /* "" is the directory itself */
        _cleanup_free_ char *file = path_join(dir, name);

        if (is_executable(host->fs, file))
            return steal_ptr(&file);
    }
    return NULL;
}

/* The directory in which a bare name was found. */
static void remember_dir(struct command *command, const char *name, const char *file)
{
    _cleanup_free_ char *dir = strchr(name, '/') ? NULL : path_parent(file);

    if (dir && strv_find(&command->dirs, dir) < 0)
        strv_push(&command->dirs, dir);
}

/* Where execvp(3) would find name; a word with a slash is taken as is. NULL: nowhere. */
static char *find_program(const struct host *host, const char *name)
{
    _cleanup_free_ char *file = NULL;
    struct fs_stat st;

    if (!name[0])
        return NULL;
    if (!strchr(name, '/'))
        return find_on_path(host, name);
    while (str_starts(name, "./")) /* only for the eye: nothing else may be cleaned over links */
        name += 1 + strspn(name + 1, "/");
    file = path_join(host->cwd, name);
    return fs_stat(host->fs, file, true, &st) == 0 && st.type == FS_FILE ? steal_ptr(&file) : NULL;
}

bool command_is_foreign(const char *argv0, const char *project, const struct host *host)
{
    _cleanup_free_ char *file = NULL;
    _cleanup_free_ char *canonical = NULL;

    if (strchr(argv0, '/'))
        return false;
    file = find_program(host, argv0);
    return file && !path_is_within(file, project) &&
           fs_resolve(host->fs, file, &canonical, NULL, NULL) == 0 &&
           !path_is_within(canonical, project);
}

/* ---- what a file needs to run ---- */

static void chase_script(const struct chase *chase, const struct shebang *shebang,
                         struct step script)
{
    const struct host *host = chase->host;
    _cleanup_free_ char *interpreter = path_join(host->cwd, shebang->interpreter);
    _cleanup_free_ char *program = NULL;
    struct step next = {interpreter, script.is_trusted, script.level + 1, false};

    if (script.level == 0)
        chase->command->interpreter = xstrdup(shebang->interpreter);
    chase_file(chase, next);
    if (!shebang->program)
        return;
    program = find_program(host, shebang->program);
    if (!program) {
        notes_add(chase->notes, NOTE_WARNING, "%s needs %s, which is not on PATH", script.path,
                  shebang->program);
        return;
    }
    remember_dir(chase->command, shebang->program, program);
    next.path = program;
    if (!strchr(shebang->program, '/'))
        next.is_trusted = true; /* found on the user's PATH */
    chase_file(chase, next);
}

static void chase_needs(const struct chase *chase, struct step step)
{
    const struct fs *fs = chase->host->fs;
    _cleanup_free_ char *head = xrealloc(NULL, ELF_HEAD_BYTES, 1);
    _cleanup_free_ char *loader = NULL;
    _cleanup_shebang_ struct shebang shebang = {0};
    ssize_t len;

    if (step.level >= LEVELS_MAX)
        return;
    len = fs->read_head(fs->ctx, step.path, head, ELF_FIRST_BYTES);
    if (len == ELF_FIRST_BYTES && !elf_is_decided(head, ELF_FIRST_BYTES))
        len = fs->read_head(fs->ctx, step.path, head, ELF_HEAD_BYTES);
    if (len <= 0)
        return;
    if (shebang_parse(&shebang, head, (size_t)len)) {
        chase_script(chase, &shebang, step);
        return;
    }
    loader = elf_interpreter(head, (size_t)len);
    if (loader)
        chase_file(chase, (struct step){loader, step.is_trusted, step.level + 1, false});
}

/* The value of "key = value" in a pyvenv.cfg (Python's site module), or NULL. */
static char *pyvenv_value(const char *text, const char *key)
{
    while (*text) {
        size_t len = strcspn(text, "\n");
        size_t key_len;

        while (len && (*text == ' ' || *text == '\t')) {
            text++;
            len--;
        }
        key_len = strlen(key);
        if (len > key_len && strncmp(text, key, key_len) == 0) {
            const char *value = text + key_len;
            const char *end = text + len;

            value += strspn(value, " \t");
            if (*value == '=') {
                value += 1 + strspn(value + 1, " \t");
                while (end > value && strchr(" \t\r", end[-1]))
                    end--;
                return end > value ? xstrndup(value, (size_t)(end - value)) : NULL;
            }
        }
        text += len;
        text += *text == '\n';
    }
    return NULL;
}

/* The interpreter that a Python environment was made from. */
static void chase_venv(const struct chase *chase, const char *root, struct step step)
{
    static const char *const names[] = {"python3", "python"};
    const struct fs *fs = chase->host->fs;
    _cleanup_free_ char *file = path_join(root, "pyvenv.cfg");
    _cleanup_free_ char *text = fs_read_text(fs, file, PYVENV_CFG_MAX);
    _cleanup_free_ char *home = text ? pyvenv_value(text, "home") : NULL;

    if (step.level >= LEVELS_MAX || !home || home[0] != '/')
        return;
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_free_ char *python = path_join(home, names[i]);

        if (is_executable(fs, python)) {
            chase_file(chase, (struct step){python, step.is_trusted, step.level + 1, false});
            return;
        }
    }
}

/* ---- one file ---- */

/* A program that lies in a part of HOME that the command may write, such as an agent's state: what is
 * installed there stays as it is, because the user starts it without a jail, too. A directory of PATH
 * among it would make anything that is written there a program. */
static void freeze(const struct chase *chase, const char *file)
{
    struct plan_view view = plan_look(chase->plan, file);
    _cleanup_free_ char *host_path = view.host_path;
    _cleanup_install_root_ struct install_root root = {0};
    const char *part;

    if (!view.entry || view.entry->kind != PLAN_RW || view.entry->group != GROUP_HOME_PARTS ||
        !str_eq(host_path, file))
        return;
    root = install_root_find(chase->host, chase->project, file, true);
    part = path_is_below(root.path, view.entry->dest) ? root.path : file;
    plan_add_bind(chase->plan, chase->host->fs, GROUP_COMMAND, PLAN_RO, part, part, ORIGIN);
}

/* Adds the install root of the canonical file, unless it is visible or hidden on purpose. */
static void show_file(const struct chase *chase, const char *file, struct step step)
{
    const struct host *host = chase->host;
    struct plan_view view = plan_look(chase->plan, file);
    _cleanup_install_root_ struct install_root root = {0};

    free(view.host_path);
    if (plan_shows(chase->plan, host->fs, file) || (view.entry && plan_is_cover(view.entry->kind)))
        return;
    root = install_root_find(host, chase->project, file, step.is_trusted);
    if (step.is_named_by_project && str_eq(root.path, file))
        notes_add(chase->notes, NOTE_INFO,
                  "%s is shown without its directory, because the project's .ai-jail named it; on "
                  "the command line it has what lies beside it, too",
                  file);
    if (plan_add_bind(chase->plan, host->fs, GROUP_COMMAND, PLAN_RO, root.path, root.path, ORIGIN))
        notes_add(chase->notes, NOTE_VERBOSE, "%s is visible, read-only: %s needs it", root.path,
                  step.path);
    if (root.is_venv)
        chase_venv(chase, root.path, step);
}

/* NULL if the file may be shown; otherwise why not. */
static const char *refusal(const struct chase *chase, const char *file, const struct fs_stat *st,
                           struct step step)
{
    if (st->type != FS_FILE)
        return "it is not a regular file";
    if (step.is_trusted && step.level == 0)
        return NULL;
    if (!(st->mode & 0111))
        return "it is not executable";
    if (!step.is_trusted && secrets_hold(chase->host, file))
        return "it lies in a directory of secrets";
    return NULL;
}

/* Says which name leads nowhere: what the kernel reports is only "No such file". */
static void note_missing(const struct chase *chase, const struct trail *trail, struct step step,
                         int r)
{
    if (trail->links.n)
        notes_add(chase->notes, NOTE_WARNING, "%s cannot be reached: %s leads to %s (%s)",
                  step.path, trail->links.v[trail->links.n - 1],
                  trail->targets.v[trail->targets.n - 1], strerror(-r));
    else
        notes_add(chase->notes, NOTE_WARNING, "%s cannot be reached: %s", step.path, strerror(-r));
}

static void chase_file(const struct chase *chase, struct step step)
{
    const struct fs *fs = chase->host->fs;
    _cleanup_trail_ struct trail trail = {0};
    struct fs_stat st = {0};
    const char *why;
    int r = trail_walk(&trail, fs, chase->plan, step.path);

    if (r == 0)
        r = fs_stat(fs, trail.canonical, false, &st);
    if (r < 0) {
        note_missing(chase, &trail, step, r);
        return;
    }
    if (trail.is_untrusted)
        step.is_trusted = false;
    why = refusal(chase, trail.canonical, &st, step);
    if (why) {
        notes_add(chase->notes, step.is_trusted ? NOTE_WARNING : NOTE_SECURITY,
                  "%s is not made visible for the command: %s", step.path, why);
        return;
    }
    show_file(chase, trail.canonical, step);
    freeze(chase, trail.canonical);
    trail_add_links(&trail, chase->plan, GROUP_COMMAND, ORIGIN);
    step.path = trail.canonical;
    if (path_is_within(trail.canonical, chase->project) ||
        trail_is_untrusted(chase->plan, trail.canonical))
        step.is_trusted = false;
    chase_needs(chase, step);
}

void command_expose(struct command *command, const char *argv0, bool is_trusted,
                    const char *project, const struct host *host, struct plan *plan,
                    struct notes *notes)
{
    struct chase chase = {
        .command = command, .host = host, .project = project, .plan = plan, .notes = notes};
    _cleanup_free_ char *named = NULL;
    _cleanup_trail_ struct trail trail = {0};
    int r;

    *command = (struct command){.host_path = find_program(host, argv0)};
    if (command->host_path) {
        remember_dir(command, argv0, command->host_path);
        /* Whoever said a bare name: it was found on the user's PATH. */
        is_trusted |= !strchr(argv0, '/');
        chase_file(&chase, (struct step){command->host_path, is_trusted, 0, !is_trusted});
        return;
    }
    if (!strchr(argv0, '/'))
        return;
    named = path_join(host->cwd, argv0);
    r = trail_walk(&trail, host->fs, plan, named);
    if (r < 0)
        note_missing(&chase, &trail, (struct step){.path = named}, r);
}

void command_free(struct command *command)
{
    free(command->host_path);
    free(command->interpreter);
    strv_free(&command->dirs);
    *command = (struct command){0};
}
