// SPDX-License-Identifier: GPL-3.0-only
/*
 * prefs: one small file of the program's own.
 *
 * It is read like every configuration file (load.h, toml.h) and replaced as a whole: a file beside
 * it, then rename(2). No jail shows it, so nothing is mounted over it.
 */
#include "config/prefs.h"

#include "base/fd.h"
#include "base/path.h"
#include "config/load.h"
#include "config/toml.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DIRECTORY     "ai-jail"
#define FILE_NAME     "prefs.toml"
#define KEY_BAR       "status_bar"
#define KEY_STYLE     "status_bar_style"
#define TEXT_MAX      1024
#define LEVELS_MAX    16 /* directories that are made at most */
#define DIRECTORY_MAY 0700

static char *directory(const struct prefs_place *place)
{
    _cleanup_free_ char *state = path_base_dir(place->environ_state, place->home, ".local/state");

    return path_join(state, DIRECTORY);
}

char *prefs_path(const struct prefs_place *place)
{
    _cleanup_free_ char *dir = directory(place);

    return path_join(dir, FILE_NAME);
}

/* False if the value cannot be meant. */
static bool take(struct prefs *prefs, const struct toml_node *node)
{
    if (str_eq(node->key, KEY_BAR)) {
        prefs->has_bar = node->type == TOML_TYPE_BOOL;
        prefs->bar = node->on;
        return prefs->has_bar;
    }
    if (str_eq(node->key, KEY_STYLE)) {
        if (node->type == TOML_TYPE_STRING && strlen(node->text) == node->text_len)
            prefs->style = settings_find_word(&settings[SET_STATUS_BAR_STYLE], node->text);
        return prefs->style != NULL;
    }
    return true;
}

static int read_file(struct prefs *prefs, const struct prefs_place *place, struct error *error)
{
    _cleanup_free_ char *path = prefs_path(place);
    struct loaded loaded _cleanup_loaded_ = {0};
    struct load_request request = {
        .kind = LOAD_STATE, .path = path, .project = place->project, .uid = place->uid};
    struct toml_error wrong;
    struct toml_node *root;
    bool is_good = true;
    int r = load_file(&request, &loaded, error);

    if (r < 0 || loaded.is_absent)
        return r;
    root = toml_parse(buf_cstr(&loaded.bytes), loaded.bytes.len, &wrong);
    if (!root)
        return error_set(error, EINVAL, "%s:%u:%u: %s", path, wrong.line, wrong.column,
                         wrong.reason);
    for (const struct toml_node *node = root->first; node; node = node->next)
        is_good = take(prefs, node) && is_good;
    toml_free(root);
    return is_good ? 0 : error_set(error, EINVAL, "%s: a value that ai-jail did not write", path);
}

void prefs_read(struct prefs *prefs, const struct prefs_place *place, struct notes *notes)
{
    struct error error = {0};

    *prefs = (struct prefs){0};
    if (read_file(prefs, place, &error) == 0)
        return;
    *prefs = (struct prefs){0};
    notes_add(notes, NOTE_WARNING, "the remembered status bar is not known: %s", error.text);
}

/* The style that the command line names, or NULL. */
static const char *said_style(const struct config *config)
{
    return config_is_set(config, SET_STATUS_BAR)
               ? settings_find_word(&settings[SET_STATUS_BAR], config_word(config, SET_STATUS_BAR))
               : NULL;
}

static bool is_said_off(const struct config *config)
{
    return str_eq(config_word(config, SET_STATUS_BAR), settings[SET_STATUS_BAR].twin_word);
}

struct prefs_bar prefs_choose(const struct config *config, const struct prefs *prefs)
{
    struct prefs_bar bar = {
        .on = prefs->has_bar && prefs->bar,
        .style = settings[SET_STATUS_BAR_STYLE].preset_word,
    };

    if (config_is_set(config, SET_STATUS_BAR_SWITCH))
        bar.on = config_flag(config, SET_STATUS_BAR_SWITCH);
    if (config_is_set(config, SET_STATUS_BAR)) {
        bar.on = !is_said_off(config);
        bar.is_asked = bar.on;
    }
    if (said_style(config))
        bar.style = said_style(config);
    else if (config_is_set(config, SET_STATUS_BAR_STYLE))
        bar.style = config_word(config, SET_STATUS_BAR_STYLE);
    else if (prefs->style)
        bar.style = prefs->style;
    return bar;
}

/* Puts what the command line says about the row over it; true if that changes it. */
static bool update(struct prefs *prefs, const struct config *config)
{
    struct prefs old = *prefs;

    if (config_is_set(config, SET_STATUS_BAR)) {
        prefs->has_bar = true;
        prefs->bar = !is_said_off(config);
    }
    if (said_style(config))
        prefs->style = said_style(config);
    return prefs->has_bar != old.has_bar || prefs->bar != old.bar ||
           !str_eq(prefs->style, old.style);
}

/* The text of the file; malloc'ed. */
static char *text_of(const struct prefs *prefs)
{
    struct buf text CLEANUP(buf_free);

    buf_init(&text, TEXT_MAX);
    buf_append_str(&text, "# Written by ai-jail: what its command line last said of the status "
                          "bar.\n");
    if (prefs->has_bar)
        buf_printf(&text, KEY_BAR " = %s\n", prefs->bar ? "true" : "false");
    if (prefs->style)
        buf_printf(&text, KEY_STYLE " = \"%s\"\n", prefs->style);
    return buf_take_cstr(&text);
}

/*
 * A descriptor of the directory, made with what lies above it. Started by root with the HOME of a
 * user we would leave things there that the user cannot change, so the deepest directory that
 * exists must be the caller's.
 */
static int open_directory(const char *path, uid_t uid, unsigned levels)
{
    /* What leads there may be links of the user's; the directory itself is made by ai-jail. */
    int links = levels == LEVELS_MAX ? O_NOFOLLOW : 0;
    _cleanup_free_ char *parent = path_parent(path);
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | links);
    _cleanup_close_ int above = -1;
    struct stat st;

    if (fd >= 0 && (fstat(fd, &st) < 0 || st.st_uid != uid)) {
        close(fd);
        return -EPERM;
    }
    if (fd >= 0 || errno != ENOENT)
        return fd >= 0 ? fd : -errno;
    if (levels == 0)
        return -ENOENT;
    above = open_directory(parent, uid, levels - 1);
    if (above < 0)
        return above;
    if (mkdirat(above, path_base(path), DIRECTORY_MAY) < 0 && errno != EEXIST)
        return -errno;
    fd = openat(above, path_base(path), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

static int replace(int dir, const char *text)
{
    _cleanup_free_ char *fresh = xasprintf(FILE_NAME ".%d", (int)getpid());
    _cleanup_close_ int fd =
        openat(dir, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    int r;

    if (fd < 0)
        return -errno;
    r = fd_write_all(fd, text, strlen(text));
    if (r == 0 && (fsync(fd) < 0 || renameat(dir, fresh, dir, FILE_NAME) < 0))
        r = -errno;
    if (r < 0)
        unlinkat(dir, fresh, 0);
    return r;
}

int prefs_remember(const struct config *config, const struct prefs_place *place,
                   struct error *error)
{
    _cleanup_free_ char *path = directory(place);
    _cleanup_free_ char *text = NULL;
    _cleanup_close_ int dir = -1;
    struct prefs prefs;
    int r;

    if (!config_is_set(config, SET_STATUS_BAR) || config_flag(config, SET_EXEC))
        return 0;
    prefs_read(&prefs, place, NULL);
    if (!update(&prefs, config))
        return 0;
    text = text_of(&prefs);
    dir = open_directory(path, place->uid, LEVELS_MAX);
    r = dir < 0 ? dir : replace(dir, text);
    if (r < 0)
        return error_set(error, -r, "the status bar is not remembered: %s/" FILE_NAME ": %s", path,
                         strerror(-r));
    return 0;
}
