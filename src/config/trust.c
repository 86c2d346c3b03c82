// SPDX-License-Identifier: GPL-3.0-only
/*
 * trust: a project file against its baseline.
 *
 * One function for each class of the trust column; none knows a key, except that two keys may hold
 * secrets, which are not shown. Maps are the business of trust_maps.c, hosts of network.c.
 */
#include "config/trust.h"

#include "base/path.h"
#include "config/network.h"
#include "config/trust_maps.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

struct filter {
    struct config *layer;
    const struct config *baseline;
    const char *project;
    struct gathered *gathered;
    struct notes *notes;
    enum setting_id id; /* of the key that is being judged */
    size_t lines;       /* refusals of it so far */
};

/* ---- what is refused ---- */

static bool may_be_secret(enum setting_id id)
{
    return id == SET_ENV_PASS || id == SET_SECRET_HOSTS;
}

static char *scalar_text(const struct setting *row, const struct value *value)
{
    bool is_switch = row->form == FILE_BOOL_OR_WORD &&
                     (str_eq(value->word, row->bare_word) || str_eq(value->word, row->twin_word));

    if (row->type == TYPE_BOOL)
        return xstrdup(value->on != row->inverted ? "true" : "false");
    if (is_switch)
        return xstrdup(str_eq(value->word, row->bare_word) ? "true" : "false");
    return xasprintf("\"%s\"", value->word);
}

/* The value as a file writes it; of a list the first entry. NULL where it may be a secret. */
static char *value_text(enum setting_id id, const struct value *value)
{
    const struct setting *row = &settings[id];

    if (may_be_secret(id))
        return NULL;
    if (row->type == TYPE_BOOL || row->type == TYPE_WORD)
        return scalar_text(row, value);
    if (value->list.n == 0)
        return xstrdup("[]");
    if (row->type == TYPE_TEXT)
        return xasprintf("\"%s\"", value->list.v[0]);
    return xasprintf("[\"%s\"%s]", value->list.v[0], value->list.n > 1 ? ", ..." : "");
}

/* "~/.ai-jail, or with --flag": where the user could say it. */
static char *elsewhere(enum setting_id id, const struct value *value)
{
    const struct setting *row = &settings[id];
    bool is_twin = row->type == TYPE_BOOL && !value->on;

    if (!row->flag || row->trust == TRUST_GLOBAL || (is_twin && !row->has_twin))
        return xstrdup("in ~/.ai-jail");
    return xasprintf("in ~/.ai-jail or with --%s%s", is_twin ? "no-" : "", row->flag);
}

static void refuse(struct filter *filter, const struct origin *origin, char *value, const char *why)
{
    struct gathered *gathered = filter->gathered;
    _cleanup_free_ char *where = config_describe_origin(origin);
    _cleanup_free_ char *instead = elsewhere(filter->id, &filter->layer->values[filter->id]);

    gathered->refusals =
        xrealloc(gathered->refusals, gathered->refusal_count + 1, sizeof(*gathered->refusals));
    gathered->refusals[gathered->refusal_count++] = (struct refusal){
        .id = filter->id,
        .origin = *origin,
        .value = value,
        .why = xstrdup(why),
    };
    if (++filter->lines <= TRUST_LINES_MAX)
        notes_add(filter->notes, NOTE_SECURITY, "%s: %s%s%s is refused: %s; it can be said %s",
                  where, settings[filter->id].key, value ? " = " : "", value ? value : "", why,
                  instead);
}

static void refuse_entry(struct filter *filter, size_t index, const char *why)
{
    const struct value *value = &filter->layer->values[filter->id];

    refuse(filter, &value->origins[index], xasprintf("\"%s\"", value->list.v[index]), why);
}

static void refuse_value(struct filter *filter, const char *why)
{
    const struct value *value = &filter->layer->values[filter->id];

    refuse(filter, &value->origin, value_text(filter->id, value), why);
    config_unset(filter->layer, filter->id);
}

/* ---- the classes ---- */

/* Place in the row's order, strictest first; a word that is not there is weaker than all. */
static size_t rank_of(const struct setting *row, const char *word)
{
    size_t rank = 0;

    while (row->strict_order && row->strict_order[rank] && !str_eq(row->strict_order[rank], word))
        rank++;
    return rank;
}

bool trust_is_weaker(enum setting_id id, const struct value *value, const struct value *other)
{
    const struct setting *row = &settings[id];

    assert(row->trust == TRUST_TIGHTEN);
    if (row->type == TYPE_BOOL)
        return value->on != row->strict && other->on == row->strict;
    assert(row->type == TYPE_WORD && row->strict_order);
    return rank_of(row, value->word) > rank_of(row, other->word);
}

/* The baseline's value, the built-in one where nothing is said. */
static struct value baseline_of(const struct filter *filter)
{
    enum setting_id id = filter->id;
    struct value value = {.is_set = true};

    if (settings[id].type == TYPE_BOOL)
        value.on = config_flag(filter->baseline, id);
    else
        value.word = config_word(filter->baseline, id);
    return value;
}

static void judge_tighten(struct filter *filter)
{
    struct value baseline = baseline_of(filter);

    if (trust_is_weaker(filter->id, &filter->layer->values[filter->id], &baseline))
        refuse_value(filter, "a project file can only tighten");
}

static void judge_inside(struct filter *filter)
{
    struct trust_maps *maps = trust_maps_new(filter->baseline, filter->id, filter->project);
    const struct strv *entries = config_list(filter->layer, filter->id);

    for (size_t i = 0; i < entries->n;) {
        const char *why = NULL;

        switch (trust_maps_judge(maps, entries->v[i], &why)) {
        case MAP_KEPT:
            i++;
            continue;
        case MAP_REFUSED:
            refuse_entry(filter, i, why);
            break;
        case MAP_KNOWN:
            break;
        }
        config_drop(filter->layer, filter->id, i);
    }
    trust_maps_free(maps);
}

static void refuse_host(void *arg, size_t index)
{
    refuse_entry(arg, index, "a project file can only narrow the hosts that are allowed anyway");
}

static void judge_narrow(struct filter *filter)
{
    network_narrow(filter->layer, filter->baseline, refuse_host, filter);
}

static void judge_refused(struct filter *filter)
{
    refuse_value(filter, "the project is not trusted with it");
}

static void judge_global(struct filter *filter)
{
    refuse_value(filter, "only the first part of the global file decides who is trusted");
}

static void judge_ignored(struct filter *filter)
{
    config_unset(filter->layer, filter->id);
}

/* NULL: as it is. */
static void (*const judges[])(struct filter *filter) = {
    [TRUST_CLI_ONLY] = judge_ignored,
    [TRUST_TIGHTEN] = judge_tighten,
    [TRUST_ADD] = NULL,
    [TRUST_INSIDE] = judge_inside,
    [TRUST_NARROW] = judge_narrow,
    [TRUST_REFUSED] = judge_refused,
    [TRUST_GLOBAL] = judge_global,
    [TRUST_FREE] = NULL,
    [TRUST_IGNORED] = judge_ignored,
};

static void judge(struct filter *filter, enum setting_id id)
{
    filter->id = id;
    filter->lines = 0;
    judges[settings[id].trust](filter);
    if (filter->lines > TRUST_LINES_MAX)
        notes_add(filter->notes, NOTE_SECURITY, "./.ai-jail: %zu more entries of %s are refused",
                  filter->lines - TRUST_LINES_MAX, settings[id].key);
}

static void mark(struct value *value)
{
    value->origin.is_untrusted = true;
    for (size_t i = 0; i < value->list.n; i++)
        value->origins[i].is_untrusted = true;
}

void trust_filter(struct config *layer, const struct config *baseline, const char *project,
                  struct gathered *gathered, struct notes *notes)
{
    struct filter filter = {.layer = layer,
                            .baseline = baseline,
                            .project = project,
                            .gathered = gathered,
                            .notes = notes};

    for (size_t i = 0; i < SET_COUNT; i++) {
        if (!layer->values[i].is_set)
            continue;
        if (judges[settings[i].trust])
            judge(&filter, (enum setting_id)i);
        if (layer->values[i].is_set)
            mark(&layer->values[i]);
    }
}

void trust_filter_trusted(struct config *layer, struct gathered *gathered, struct notes *notes)
{
    struct filter filter = {.layer = layer, .gathered = gathered, .notes = notes};

    for (size_t i = 0; i < SET_COUNT; i++) {
        enum setting_trust trust = settings[i].trust;

        if (layer->values[i].is_set &&
            (trust == TRUST_GLOBAL || trust == TRUST_IGNORED || trust == TRUST_CLI_ONLY))
            judge(&filter, (enum setting_id)i);
    }
    filter.id = SET_LOCKDOWN;
    filter.lines = 0;
    if (layer->values[SET_LOCKDOWN].is_set && !layer->values[SET_LOCKDOWN].on)
        refuse_value(&filter, "no project file can take lockdown back, trusted or not");
}

bool trust_is_listed(const struct config *global, const char *project)
{
    const struct strv *dirs = config_list(global, SET_TRUST_PROJECT_CONFIG);

    for (size_t i = 0; i < dirs->n; i++) {
        _cleanup_free_ char *canonical = dirs->v[i][0] == '/' ? realpath(dirs->v[i], NULL) : NULL;

        if (canonical && path_is_within(project, canonical))
            return true;
    }
    return false;
}
