// SPDX-License-Identifier: GPL-3.0-only
/*
 * gather: from the sources to one configuration.
 *
 * 1. Both files are read, the project's with the question whether it is trusted.
 * 2. The command decides which [commands.NAME] apply. A command of an untrusted project selects none:
 *    a repository could otherwise turn on what its user meant for one agent.
 * 3. Layer by layer they are merged. An untrusted project is judged against what lies below it, so
 *    nothing that comes later can be taken for its baseline.
 *
 * Which maps, hosts or words are weaker than others is not known here (trust.h, network.h).
 */
#include "config/gather.h"

#include "base/path.h"
#include "config/envfile.h"
#include "config/load.h"
#include "config/map_text.h"
#include "config/network.h"
#include "config/normal.h"
#include "config/read.h"
#include "config/trust.h"
#include "config/wrapper.h"

#include <stdlib.h>
#include <string.h>

struct gather_layers {
    struct file_layers global;
    struct file_layers project;
    struct config cli;
};

/* What every step needs. */
struct gathering {
    struct gathered *gathered;
    struct gather_layers *layers;
    const struct args *args;
    const struct gather_place *place;
    struct notes *notes;
    struct error *error;
};

static struct strv *command_of(struct config *layer)
{
    return &layer->values[SET_COMMAND].list;
}

/* ---- the files ---- */

static int read_bytes(const struct gathering *gathering, enum layer_kind kind, const char *path,
                      struct loaded *loaded, struct file_layers *layers)
{
    const struct read_source source = {
        .path = path,
        .kind = kind,
        .place = {.home = gathering->place->home, .cwd = gathering->place->cwd},
    };

    return read_layers(&source, buf_cstr(&loaded->bytes), loaded->bytes.len, layers,
                       gathering->notes, gathering->error);
}

static int load_global(const struct gathering *gathering, struct loaded *loaded)
{
    const struct gather_place *place = gathering->place;
    struct gathered_file *file = &gathering->gathered->global;
    struct load_request request = {.kind = LOAD_GLOBAL, .project = place->cwd, .uid = place->uid};
    int r;

    loaded->is_absent = true;
    if (!place->home) {
        notes_add(gathering->notes, NOTE_WARNING, "there is no HOME, so no ~/.ai-jail is read");
        return 0;
    }
    file->path = path_join(place->home, LOAD_FILE_NAME);
    request.path = file->path;
    r = load_file(&request, loaded, gathering->error);
    if (r < 0 || loaded->is_absent)
        return r;
    file->state = FILE_READ;
    file->is_trusted = true;
    return read_bytes(gathering, LAYER_GLOBAL, file->path, loaded, &gathering->layers->global);
}

static void decide_trust(const struct gathering *gathering, const struct loaded *loaded)
{
    struct gathered_file *file = &gathering->gathered->project;

    if (!trust_is_listed(&gathering->layers->global.base, gathering->place->cwd)) {
        file->why_untrusted = "its directory is not in trust_project_config of ~/.ai-jail";
        return;
    }
    if (!loaded->is_own)
        file->why_untrusted = "it belongs to another user";
    else if (loaded->loose_mode)
        file->why_untrusted = "its group or others may write to it (chmod go-w)";
    else if (loaded->has_links)
        file->why_untrusted = "it has a second name (hard link), under which a jail can change it";
    else if (loaded->is_marked)
        file->why_untrusted =
            "it was made or changed while a jail could write there; read it, then "
            "chmod -t it";
    file->is_trusted = !file->why_untrusted;
    if (file->is_trusted)
        notes_add(gathering->notes, NOTE_VERBOSE, "%s is trusted (trust_project_config)",
                  file->path);
    else
        notes_add(gathering->notes, NOTE_SECURITY,
                  "%s is not trusted although its directory is: %s", file->path,
                  file->why_untrusted);
}

static int load_project(const struct gathering *gathering, const struct loaded *global)
{
    struct gathered_file *file = &gathering->gathered->project;
    _cleanup_loaded_ struct loaded loaded = {0};
    struct load_request request = {
        .kind = LOAD_PROJECT, .project = gathering->place->cwd, .uid = gathering->place->uid};
    int r;

    file->path = path_join(gathering->place->cwd, LOAD_FILE_NAME);
    if (gathering->args->clean) {
        file->state = FILE_SKIPPED;
        return 0;
    }
    request.path = file->path;
    r = load_file(&request, &loaded, gathering->error);
    if (r < 0 || loaded.is_absent)
        return r;
    if (!global->is_absent && loaded.dev == global->dev && loaded.ino == global->ino) {
        file->state = FILE_IS_GLOBAL;
        return 0;
    }
    file->state = FILE_READ;
    decide_trust(gathering, &loaded);
    return read_bytes(gathering, LAYER_PROJECT, file->path, &loaded, &gathering->layers->project);
}

static int load_files(const struct gathering *gathering)
{
    _cleanup_loaded_ struct loaded global = {0};
    int r = load_global(gathering, &global);

    return r < 0 ? r : load_project(gathering, &global);
}

/* The command line as a layer like the others. */
static int take_command_line(const struct gathering *gathering)
{
    const struct normal_place place = {.home = gathering->place->home,
                                       .cwd = gathering->place->cwd};
    struct config *cli = &gathering->layers->cli;

    config_merge(cli, &gathering->args->cli);
    for (size_t i = 0; i < gathering->args->command.n; i++)
        config_add(cli, SET_COMMAND, gathering->args->command.v[i]);
    return normal_layer(cli, &place, gathering->error);
}

/* ---- [commands.NAME] ---- */

static struct gathered_table *find_table(const struct gathered *gathered, const char *name)
{
    for (size_t i = 0; i < gathered->table_count; i++)
        if (str_eq(gathered->tables[i].name, name))
            return &gathered->tables[i];
    return NULL;
}

/* The tables for a command, in the order in which they are merged; NULL for none. */
static void select_tables(const struct gathered *gathered, const struct strv *words,
                          struct gathered_table *selected[2])
{
    const char *argv0 = words->n ? words->v[0] : "bash";
    struct wrapper wrapper = wrapper_of(words);

    selected[0] = find_table(gathered, argv0);
    if (!selected[0])
        selected[0] = find_table(gathered, path_base(argv0));
    selected[1] = wrapper.is_wrapped ? find_table(gathered, wrapper.name) : NULL;
}

static void list_tables(const struct gathering *gathering)
{
    const struct file_layers *global = &gathering->layers->global;
    struct gathered *gathered = gathering->gathered;

    gathered->tables = xcalloc(global->table_count, sizeof(*gathered->tables));
    gathered->table_count = global->table_count;
    for (size_t i = 0; i < global->table_count; i++)
        gathered->tables[i] = (struct gathered_table){
            .name = xstrdup(global->tables[i].name),
            .line = global->tables[i].line,
            .why_not = "it is for another command",
        };
}

static void apply_table(const struct gathering *gathering, struct gathered_table *table,
                        bool is_by_project)
{
    if (is_by_project) {
        table->why_not = "an untrusted project file chose the command";
        notes_add(
            gathering->notes, NOTE_INFO,
            "~/.ai-jail:%u: [commands.%s] is not applied: %s; give the command on the command "
            "line",
            table->line, table->name, table->why_not);
        return;
    }
    table->is_applied = true;
    table->why_not = NULL;
    notes_add(gathering->notes, NOTE_VERBOSE, "~/.ai-jail:%u: [commands.%s] applies", table->line,
              table->name);
}

/* Decides which tables apply; merged are those in order. */
static void decide_tables(const struct gathering *gathering, struct gathered_table *selected[2])
{
    struct gather_layers *layers = gathering->layers;
    const struct gathered *gathered = gathering->gathered;
    bool is_by_project = command_of(&layers->cli)->n == 0 && !gathered->project.is_trusted &&
                         command_of(&layers->project.base)->n > 0;
    const struct strv *words = command_of(&layers->global.base);

    if (command_of(&layers->project.base)->n)
        words = command_of(&layers->project.base);
    if (command_of(&layers->cli)->n)
        words = command_of(&layers->cli);
    list_tables(gathering);
    select_tables(gathered, words, selected);
    for (size_t i = 0; i < 2; i++)
        if (selected[i])
            apply_table(gathering, selected[i], is_by_project);
}

/* ---- merging ---- */

static void note_contradiction(struct gathered *gathered, const struct config *layer)
{
    _cleanup_free_ char *network = NULL;
    _cleanup_free_ char *hosts = NULL;

    if (gathered->contradiction || !network_contradicts(layer))
        return;
    network = config_spelling(layer, SET_NETWORK);
    hosts = config_entry_spelling(
        layer, config_list(layer, SET_ALLOW_HOSTS)->n ? SET_ALLOW_HOSTS : SET_ALLOW_PRIVATE, 0);
    gathered->contradiction = xasprintf("%s and %s", network, hosts);
}

static void merge(struct gathered *gathered, const struct config *layer)
{
    note_contradiction(gathered, layer);
    network_prepare_merge(&gathered->config, layer);
    config_merge(&gathered->config, layer);
}

static void merge_tables(const struct gathering *gathering, struct gathered_table *const *selected)
{
    for (size_t i = 0; i < 2; i++) {
        size_t index;

        if (!selected[i] || !selected[i]->is_applied || (i > 0 && selected[i] == selected[0]))
            continue;
        index = (size_t)(selected[i] - gathering->gathered->tables);
        merge(gathering->gathered, &gathering->layers->global.tables[index].config);
    }
}

static void merge_project(const struct gathering *gathering)
{
    struct config *project = &gathering->layers->project.base;
    struct gathered *gathered = gathering->gathered;

    if (gathered->project.state != FILE_READ)
        return;
    /* An untrusted file is refused allow_private whatever else it says. */
    if (gathered->project.is_trusted || config_list(project, SET_ALLOW_HOSTS)->n)
        note_contradiction(gathered, project);
    if (gathered->project.is_trusted)
        trust_filter_trusted(project, gathered, gathering->notes);
    else
        trust_filter(project, &gathered->config, gathering->place->cwd, gathered, gathering->notes);
    merge(gathered, project);
}

/* ---- the command line against the project ---- */

static void say_override(const struct gathering *gathering, const char *winner, const char *loser)
{
    notes_add(gathering->notes, NOTE_INFO, "%s: the command line wins (%s)", loser, winner);
}

static void note_overrides(const struct gathering *gathering)
{
    const struct config *project = &gathering->layers->project.base;
    const struct config *cli = &gathering->layers->cli;

    if (cli->values[SET_NETWORK].on && project->values[SET_ALLOW_HOSTS].is_set) {
        _cleanup_free_ char *hosts = config_spelling(project, SET_ALLOW_HOSTS);

        say_override(gathering, "--network", hosts);
    }
    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_id id = (enum setting_id)i;
        _cleanup_free_ char *winner = NULL;
        _cleanup_free_ char *loser = NULL;

        if (settings[i].trust != TRUST_TIGHTEN || !project->values[i].is_set ||
            !cli->values[i].is_set || !trust_is_weaker(id, &cli->values[i], &project->values[i]))
            continue;
        winner = config_spelling(cli, id);
        loser = config_spelling(project, id);
        say_override(gathering, winner, loser);
    }
}

/* Where a map is placed; malloc'ed. */
static char *dest_of(const char *entry, enum setting_id id)
{
    char *source = NULL;
    char *dest = NULL;

    if (settings[id].paths != PATHS_MAP)
        return xstrdup(entry);
    if (map_text_split(entry, &source, &dest) < 0)
        return xstrdup(entry);
    if (!dest)
        return source;
    free(source);
    return dest;
}

static bool overlaps(const struct config *layer, enum setting_id id, const char *dest)
{
    const struct strv *entries = config_list(layer, id);

    for (size_t i = 0; i < entries->n; i++) {
        _cleanup_free_ char *other = dest_of(entries->v[i], id);

        if (path_is_within(dest, other) || path_is_within(other, dest))
            return true;
    }
    return false;
}

/* A read-only map of the project gives way to a writable one that is asked for by hand. */
static void drop_overridden_maps(const struct gathering *gathering)
{
    struct config *project = &gathering->layers->project.base;
    const struct config *cli = &gathering->layers->cli;
    const struct strv *maps = config_list(project, SET_RO_MAPS);

    for (size_t i = 0; i < maps->n;) {
        _cleanup_free_ char *dest = dest_of(maps->v[i], SET_RO_MAPS);
        _cleanup_free_ char *loser = NULL;

        if (!overlaps(cli, SET_RW_MAPS, dest)) {
            i++;
            continue;
        }
        loser = config_entry_spelling(project, SET_RO_MAPS, i);
        say_override(gathering, "--rw-map", loser);
        config_drop(project, SET_RO_MAPS, i);
    }
}

/* ---- the whole ---- */

static void merge_all(const struct gathering *gathering)
{
    struct gathered *gathered = gathering->gathered;
    struct gather_layers *layers = gathering->layers;
    struct gathered_table *selected[2];

    decide_tables(gathering, selected);
    config_builtin(&gathered->config);
    merge(gathered, &layers->global.base);
    merge_tables(gathering, selected);
    drop_overridden_maps(gathering);
    merge_project(gathering);
    note_overrides(gathering);
    merge(gathered, &layers->cli);
}

static void take_command(struct gathered *gathered)
{
    const struct value *command = &gathered->config.values[SET_COMMAND];

    if (command->list.n == 0)
        return;
    strv_push_all(&gathered->command, &command->list);
    gathered->command_origin = command->origins[0];
    gathered->command_is_untrusted = command->origins[0].is_untrusted;
}

static bool plans_a_launch(enum verb verb)
{
    return verb == VERB_RUN || verb == VERB_DRY_RUN || verb == VERB_STATUS || verb == VERB_WHY;
}

static int read_env_files(const struct gathering *gathering)
{
    struct config *config = &gathering->gathered->config;
    const struct strv *files = config_list(config, SET_ENV_FROM_FILE);

    for (size_t i = 0; i < files->n; i++) {
        _cleanup_free_ char *spelling = NULL;
        int r = envfile_read(files->v[i], gathering->place->cwd, gathering->place->uid,
                             &config->env_file, gathering->error);

        if (r < 0) {
            spelling = config_entry_spelling(config, SET_ENV_FROM_FILE, i);
            return error_wrap(gathering->error, "%s", spelling);
        }
    }
    return 0;
}

int gather(struct gathered *gathered, const struct args *args, const struct gather_place *place,
           struct notes *notes, struct error *error)
{
    struct gathering gathering = {
        .gathered = gathered, .args = args, .place = place, .notes = notes, .error = error};
    struct gather_layers *layers = xcalloc(1, sizeof(*layers));
    int r;

    *gathered = (struct gathered){.layers = layers, .command_origin.layer = LAYER_BUILTIN};
    gathering.layers = layers;
    config_init(&gathered->config, LAYER_BUILTIN);
    config_init(&layers->global.base, LAYER_GLOBAL);
    config_init(&layers->project.base, LAYER_PROJECT);
    config_init(&layers->cli, LAYER_CLI);
    r = load_files(&gathering);
    if (r == 0)
        r = take_command_line(&gathering);
    if (r < 0)
        return r;
    merge_all(&gathering);
    take_command(gathered);
    return plans_a_launch(args->verb) ? read_env_files(&gathering) : 0;
}

static void each_of_file(const struct file_layers *layers,
                         void (*each)(void *arg, const struct config *layer), void *arg)
{
    each(arg, &layers->base);
    for (size_t i = 0; i < layers->table_count; i++)
        each(arg, &layers->tables[i].config);
}

void gather_each_layer(const struct gathered *gathered,
                       void (*each)(void *arg, const struct config *layer), void *arg)
{
    each_of_file(&gathered->layers->global, each, arg);
    each_of_file(&gathered->layers->project, each, arg);
    each(arg, &gathered->layers->cli);
}

void gather_free(struct gathered *gathered)
{
    config_free(&gathered->config);
    strv_free(&gathered->command);
    free(gathered->global.path);
    free(gathered->project.path);
    for (size_t i = 0; i < gathered->table_count; i++)
        free(gathered->tables[i].name);
    free(gathered->tables);
    for (size_t i = 0; i < gathered->refusal_count; i++) {
        free(gathered->refusals[i].value);
        free(gathered->refusals[i].why);
    }
    free(gathered->refusals);
    free(gathered->contradiction);
    if (gathered->layers) {
        read_free(&gathered->layers->global);
        read_free(&gathered->layers->project);
        config_free(&gathered->layers->cli);
        free(gathered->layers);
    }
    *gathered = (struct gathered){0};
}
