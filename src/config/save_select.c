// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_select: the trust column read from the other side.
 *
 * Only the command line's layer is looked at, never the merged result: what the user's own file
 * says must not wander into a repository. Paths stay as they were written, but for the home
 * directory, which becomes ~.
 */
#include "config/save_select.h"

#include "base/path.h"
#include "config/inside.h"
#include "config/map_text.h"

#include <stdlib.h>
#include <string.h>

#define COMMAND_NAME_MAX 64

/* Secrets, and what carries them. */
static const enum setting_id never_written[] = {SET_ENV_PASS, SET_ENV_FROM_FILE, SET_SECRET_HOSTS};

static bool is_secret(const struct setting *row)
{
    for (size_t i = 0; i < ARRAY_SIZE(never_written); i++)
        if (row->id == never_written[i])
            return true;
    return false;
}

static bool may_be_written(const struct setting *row)
{
    return !is_secret(row) && row->key && row->id != SET_COMMAND && row->trust != TRUST_CLI_ONLY &&
           row->trust != TRUST_GLOBAL && row->trust != TRUST_IGNORED;
}

static bool is_strict(const struct setting *row, const struct value *value)
{
    return row->type == TYPE_BOOL ? value->on == row->strict
                                  : str_eq(value->word, row->strict_order[0]);
}

/* The network has three states in files: what is not said is decided elsewhere. */
static bool is_default(const struct setting *row, const struct value *value)
{
    if (row->type == TYPE_BOOL)
        return value->on == row->preset && row->id != SET_NETWORK;
    return row->type == TYPE_WORD && str_eq(value->word, row->preset_word);
}

/* ---- paths ------------------------------------------------------------------------------------ */

static char *absolute(const struct save_request *request, const char *path)
{
    _cleanup_free_ char *expanded =
        request->home ? path_expand_home(path, request->home) : xstrdup(path);
    _cleanup_free_ char *joined = path_join(request->project, expanded);

    return path_clean(joined);
}

static bool is_inside(const struct save_request *request, const struct inside *inside,
                      const char *path)
{
    _cleanup_free_ char *whole = absolute(request, path);

    return inside_resolve(inside, whole, NULL);
}

static bool entry_is_inside(const struct save_request *request, const struct setting *row,
                            const char *entry)
{
    struct inside inside _cleanup_inside_;
    _cleanup_free_ char *source = NULL;
    _cleanup_free_ char *dest = NULL;

    inside_init(&inside, request->project);
    if (row->paths != PATHS_MAP)
        return is_inside(request, &inside, entry);
    return map_text_split(entry, &source, &dest) == 0 && is_inside(request, &inside, source) &&
           (!dest || is_inside(request, &inside, dest));
}

/* The home directory is written as ~, by whole components. len: of the path in text. */
static void append_path(struct buf *out, const struct save_request *request, const char *text,
                        size_t len)
{
    const char *home = request->home;
    size_t home_len = home && !strpbrk(home, ":\\") ? strlen(home) : 0;

    if (home_len && len >= home_len && memcmp(text, home, home_len) == 0 &&
        (len == home_len || text[home_len] == '/')) {
        buf_append_byte(out, '~');
        text += home_len;
        len -= home_len;
    }
    buf_append(out, text, len);
}

/* Length of the first side of a map, as it is written. */
static size_t source_length(const char *entry)
{
    size_t at = 0;

    while (entry[at] && entry[at] != ':')
        at += entry[at] == '\\' && entry[at + 1] ? 2 : 1;
    return at;
}

static char *shorten(const struct save_request *request, const struct setting *row,
                     const char *entry)
{
    size_t first = row->paths == PATHS_MAP ? source_length(entry) : strlen(entry);
    struct buf text CLEANUP(buf_free);

    if (row->paths == PATHS_NONE)
        return xstrdup(entry);
    buf_init(&text, SAVE_TEXT_MAX);
    append_path(&text, request, entry, first);
    if (entry[first]) {
        buf_append_byte(&text, ':');
        append_path(&text, request, entry + first + 1, strlen(entry + first + 1));
    }
    return buf_take_cstr(&text);
}

/* ---- values ----------------------------------------------------------------------------------- */

static char *place_in_global(const struct save_request *request)
{
    if (!request->command->n)
        return xstrdup("~/.ai-jail");
    return xasprintf("[commands.%.*s] of ~/.ai-jail", COMMAND_NAME_MAX,
                     path_base(request->command->v[0]));
}

static void warn_left_out(const struct save_request *request, const struct setting *row,
                          const char *why, struct notes *notes)
{
    _cleanup_free_ char *spelling = NULL;
    _cleanup_free_ char *place = place_in_global(request);

    if (request->is_automatic)
        return;
    spelling = config_spelling(request->cli, row->id);
    notes_add(notes, NOTE_WARNING, "%s is not written to ./.ai-jail: %s; the place for %s is %s",
              spelling, why, row->key, place);
}

static const char untrusted[] = "the file of a project that is not trusted cannot say it";

static void select_scalar(const struct save_request *request, const struct setting *row,
                          struct save_changes *changes, struct notes *notes)
{
    const struct value *value = &request->cli->values[row->id];

    if (row->trust == TRUST_TIGHTEN && !is_strict(row, value) &&
        !(request->is_trusted && !request->is_automatic)) {
        if (!is_default(row, value))
            warn_left_out(request, row, untrusted, notes);
        return;
    }
    if (request->is_automatic && (row->trust != TRUST_TIGHTEN || is_default(row, value)))
        return;
    if (row->type == TYPE_BOOL)
        save_add_bool(changes, row->key, value->on != row->inverted);
    else if (row->form == FILE_BOOL_OR_WORD && !settings_find_word(row, value->word))
        save_add_bool(changes, row->key, str_eq(value->word, row->bare_word));
    else
        save_add_string(changes, row->key, value->word);
    changes->v[changes->n - 1].only_if_there = is_default(row, value);
}

/* NULL, or why an entry stays out. */
static const char *entry_fault(const struct save_request *request, const struct setting *row,
                               const char *entry)
{
    if (!save_can_hold(entry))
        return "a name in it is no UTF-8";
    if (row->trust == TRUST_ADD || request->is_trusted)
        return NULL;
    if (row->trust == TRUST_INSIDE && entry_is_inside(request, row, entry))
        return NULL;
    return row->trust == TRUST_INSIDE ? "it leads out of the project, or is not there" : untrusted;
}

static void select_list(const struct save_request *request, const struct setting *row,
                        struct save_changes *changes, struct notes *notes)
{
    const struct strv *list = &request->cli->values[row->id].list;
    struct strv kept CLEANUP(strv_free) = {0};

    if (request->is_automatic && row->trust != TRUST_ADD)
        return;
    for (size_t i = 0; i < list->n; i++) {
        const char *fault = entry_fault(request, row, list->v[i]);
        _cleanup_free_ char *entry = shorten(request, row, list->v[i]);

        if (fault)
            warn_left_out(request, row, fault, notes);
        else if (strv_find(&kept, entry) < 0)
            strv_push(&kept, entry);
    }
    if (kept.n)
        strv_push_all(&save_add_list(changes, row->key, true)->entries, &kept);
}

static void select_command(const struct save_request *request, struct save_changes *changes,
                           struct notes *notes)
{
    const struct strv *command = request->command;

    for (size_t i = 0; i < command->n; i++) {
        if (save_can_hold(command->v[i]))
            continue;
        notes_add(notes, NOTE_WARNING,
                  "the command is not written to ./.ai-jail: a word of it is no UTF-8");
        return;
    }
    if (command->n)
        strv_push_all(&save_add_list(changes, settings[SET_COMMAND].key, false)->entries, command);
}

void save_select(const struct save_request *request, struct save_changes *changes,
                 struct notes *notes)
{
    select_command(request, changes, notes);
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];

        if (!config_is_set(request->cli, row->id))
            continue;
        if (is_secret(row))
            warn_left_out(request, row, "no file of a project carries a secret", notes);
        if (!may_be_written(row))
            continue;
        if (row->type == TYPE_LIST)
            select_list(request, row, changes, notes);
        else if (row->type != TYPE_TEXT)
            select_scalar(request, row, changes, notes);
    }
}
