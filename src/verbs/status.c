// SPDX-License-Identifier: GPL-3.0-only
/*
 * status: the effective configuration, where each value was said, and what was refused.
 *
 * Values that may be secrets are never shown: of env_pass the name alone.
 */
#include "backend/json_network.h"
#include "backend/json_text.h"
#include "policy/browsers.h"
#include "policy/hosts.h"
#include "policy/tighten.h"
#include "verbs/print.h"
#include "verbs/status_derived.h"
#include "verbs/status_state.h"
#include "verbs/verbs.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_COMMAND "bash"
#define TEXT_MAX        (16 * MIB)

/* ---- values as text ---- */

static const char *row_name(const struct setting *row)
{
    return row->key ? row->key : row->flag;
}

/* In terms of the key: what a file would have to say. */
static bool key_value(const struct setting *row, bool on)
{
    return row->key && row->inverted ? !on : on;
}

/* An entry without what may be secret in it; malloc'ed. */
static char *shown_entry(enum setting_id id, const char *entry)
{
    return id == SET_ENV_PASS ? xstrndup(entry, strcspn(entry, "=")) : xstrdup(entry);
}

/* The mode that drops what was said, or NULL. */
static const char *dropped_by(const struct gathered *gathered, enum setting_id id)
{
    const struct config *config = &gathered->config;
    bool is_on[MODE_COUNT] = {
        [MODE_LOCKDOWN] = config_flag(config, SET_LOCKDOWN),
        [MODE_BROWSER] = browser_asked(config, &gathered->command) != BROWSER_NONE,
    };

    for (enum mode mode = 0; mode < MODE_COUNT; mode++)
        if (is_on[mode] && tighten_drops_value(mode, config, id))
            return tighten_mode_name(mode);
    return NULL;
}

/* malloc'ed. */
static char *remark(const struct gathered *gathered, const struct setting *row)
{
    const char *mode = dropped_by(gathered, row->id);

    if (mode)
        return xasprintf("  [dropped by %s]", mode);
    return xstrdup(row->support == SUPPORT_FULL        ? ""
                   : row->support == SUPPORT_NO_EFFECT ? "  [macOS only]"
                                                       : "  [not in this version]");
}

static const char *mode_name(const struct verb_call *call)
{
    if (call->policy)
        return hosts_mode_name(call->policy->network);
    return config_flag(&call->gathered->config, SET_NETWORK) ? "full" : "off";
}

static const char *file_state(const struct gathered_file *file)
{
    static const char *const names[] = {
        [FILE_ABSENT] = "absent",
        [FILE_READ] = "read",
        [FILE_SKIPPED] = "not read (--clean)",
        [FILE_IS_GLOBAL] = "the same file as ~/.ai-jail",
    };

    return names[file->state];
}

/* ---- text ---- */

static void text_file(struct buf *out, const char *what, const struct gathered_file *file)
{
    if (!file->path) {
        print_line(out, "  %-8s none: there is no home directory", what);
        return;
    }
    print_line(out, "  %-8s %s: %s%s%s", what, file->path, file_state(file),
               file->state != FILE_READ ? ""
               : file->is_trusted       ? ", trusted"
                                        : ", not trusted: ",
               file->state == FILE_READ && !file->is_trusted && file->why_untrusted
                   ? file->why_untrusted
                   : "");
}

static void text_tables(struct buf *out, const struct gathered *gathered)
{
    for (size_t i = 0; i < gathered->table_count; i++) {
        const struct gathered_table *table = &gathered->tables[i];

        print_line(out, "  [commands.%s] (line %u): %s%s", table->name, table->line,
                   table->is_applied ? "applied" : "not applied: ",
                   table->is_applied ? "" : table->why_not);
    }
}

static void text_list(struct buf *out, const struct gathered *gathered, const struct setting *row)
{
    const struct config *config = &gathered->config;
    _cleanup_free_ char *remarked = remark(gathered, row);
    const struct value *value = &config->values[row->id];

    if (!value->list.n) {
        print_line(out, "  %-24s %-28s %s%s", row_name(row), "[]", config_origin(config, row->id),
                   remarked);
        return;
    }
    for (size_t i = 0; i < value->list.n; i++) {
        _cleanup_free_ char *entry = shown_entry(row->id, value->list.v[i]);
        _cleanup_free_ char *origin = config_describe_origin(&value->origins[i]);

        print_line(out, "  %-24s %-28s %s%s", i ? "" : row_name(row), entry, origin, remarked);
    }
}

static void text_setting(struct buf *out, const struct gathered *gathered,
                         const struct setting *row)
{
    const struct config *config = &gathered->config;
    _cleanup_free_ char *remarked = remark(gathered, row);
    _cleanup_free_ char *origin = config_describe_origin(&config->values[row->id].origin);
    const char *shown;

    if (row->type == TYPE_LIST || row->type == TYPE_TEXT) {
        text_list(out, gathered, row);
        return;
    }
    if (row->type == TYPE_WORD)
        shown = config_word(config, row->id);
    else
        shown = key_value(row, config_flag(config, row->id)) ? "true" : "false";
    print_line(out, "  %-24s %-28s %s%s", row_name(row), shown, origin, remarked);
}

static void text_refusals(struct buf *out, const struct gathered *gathered)
{
    if (gathered->refusal_count)
        print_line(out, "refused from the project file");
    for (size_t i = 0; i < gathered->refusal_count; i++) {
        const struct refusal *refusal = &gathered->refusals[i];
        _cleanup_free_ char *where = config_describe_origin(&refusal->origin);

        print_line(out, "  %s: %s%s%s: %s", where, row_name(&settings[refusal->id]),
                   refusal->value ? " = " : "", refusal->value ? refusal->value : "", refusal->why);
    }
}

static void text_browser(struct buf *out, const struct verb_call *call)
{
    const struct browser *browser = call->policy ? &call->policy->browser : NULL;

    if (!browser || browser->profile == BROWSER_NONE)
        return;
    print_line(out, "browser profile");
    print_line(out, "  %s: %s, %s", browser_profile_name(browser->profile), browser->state,
               browser->profile == BROWSER_SOFT ? "kept" : "thrown away at the end");
    if (browser->downloads)
        print_line(out, "  downloads: %s, writable", browser->downloads);
}

/* Where everybody can put something. */
static bool takes_uploads(const struct allow_entry *entry)
{
    return entry->target.kind == TARGET_NAME &&
           target_name_is_within("github.com", entry->target.name);
}

static void text_network(struct buf *out, const struct verb_call *call)
{
    _cleanup_free_ char *through = call->policy ? parents_describe(&call->policy->parents) : NULL;

    print_line(out, "network");
    print_line(out, "  %s", mode_name(call));
    if (through)
        print_line(out, "  %s", through);
    for (size_t i = 0; call->policy && i < call->policy->hosts.n; i++) {
        const struct allow_entry *entry = &call->policy->hosts.v[i];

        print_line(out, "  %-40s %s%s%s", entry->text, entry->is_private ? "private too, " : "",
                   entry->origin,
                   takes_uploads(entry) ? "  [what the command reads it can send there]" : "");
    }
}

static char *as_text(const struct verb_call *call)
{
    const struct gathered *gathered = call->gathered;
    struct buf out CLEANUP(buf_free);
    _cleanup_free_ char *command = strv_join(&gathered->command, " ");
    _cleanup_free_ char *origin = config_describe_origin(&gathered->command_origin);

    buf_init(&out, TEXT_MAX);
    print_line(&out, "command");
    print_line(&out, "  %s (%s%s)", gathered->command.n ? command : DEFAULT_COMMAND,
               gathered->command.n ? origin : "built-in",
               gathered->command_is_untrusted ? ", not trusted" : "");
    print_line(&out, "project");
    print_line(&out, "  %s", call->host->cwd);
    if (call->refused)
        print_line(&out, "  would not start: %s", call->refused->text);
    print_line(&out, "files");
    text_file(&out, "global", &gathered->global);
    text_tables(&out, gathered);
    text_file(&out, "project", &gathered->project);
    text_refusals(&out, gathered);
    text_browser(&out, call);
    text_network(&out, call);
    if (call->policy)
        status_state_text(&out, call->policy);
    if (call->policy)
        status_derived_text(&out, call->policy);
    print_line(&out, "settings");
    for (size_t i = 0; i < SET_COUNT; i++)
        if (i != SET_COMMAND)
            text_setting(&out, gathered, &settings[i]);
    return buf_take_cstr(&out);
}

/* ---- JSON ---- */

static json_t *json_origin(const struct origin *origin)
{
    _cleanup_free_ char *text = config_describe_origin(origin);

    return json_text(text);
}

static json_t *json_entries(const struct config *config, const struct setting *row)
{
    const struct value *value = &config->values[row->id];
    json_t *array = json_array();

    for (size_t i = 0; i < value->list.n; i++) {
        _cleanup_free_ char *entry = shown_entry(row->id, value->list.v[i]);

        json_array_append_new(array, json_pack("{s:o, s:o}", "value", json_text(entry), "origin",
                                               json_origin(&value->origins[i])));
    }
    return array;
}

static json_t *json_value(const struct config *config, const struct setting *row)
{
    if (row->type == TYPE_WORD)
        return json_text(config_word(config, row->id));
    if (row->type == TYPE_BOOL)
        return json_boolean(key_value(row, config_flag(config, row->id)));
    return json_entries(config, row);
}

static json_t *json_refused(const struct gathered *gathered, enum setting_id id)
{
    json_t *array = json_array();

    for (size_t i = 0; i < gathered->refusal_count; i++) {
        const struct refusal *refusal = &gathered->refusals[i];

        if (refusal->id == id)
            json_array_append_new(
                array, json_pack("{s:o, s:o, s:o}", "value", json_text(refusal->value), "origin",
                                 json_origin(&refusal->origin), "why", json_text(refusal->why)));
    }
    return array;
}

static json_t *json_settings(const struct gathered *gathered)
{
    const struct config *config = &gathered->config;
    json_t *array = json_array();

    for (enum setting_id i = 0; i < SET_COUNT; i++)
        json_array_append_new(array, json_pack("{s:s, s:o, s:o, s:b, s:b, s:o}", "key",
                                               row_name(&settings[i]), "value",
                                               json_value(config, &settings[i]), "origin",
                                               json_origin(&config->values[i].origin), "supported",
                                               settings[i].support == SUPPORT_FULL, "dropped",
                                               dropped_by(gathered, i) != NULL, "refused",
                                               json_refused(gathered, (enum setting_id)i)));
    return array;
}

static json_t *json_files(const struct gathered *gathered)
{
    const struct gathered_file *files[] = {&gathered->global, &gathered->project};
    json_t *array = json_array();

    for (size_t i = 0; i < ARRAY_SIZE(files); i++)
        if (files[i]->state == FILE_READ)
            json_array_append_new(array, json_text(files[i]->path));
    return array;
}

static json_t *json_tables(const struct gathered *gathered)
{
    json_t *array = json_array();

    for (size_t i = 0; i < gathered->table_count; i++) {
        const struct gathered_table *table = &gathered->tables[i];

        json_array_append_new(
            array, json_pack("{s:o, s:i, s:b, s:o}", "name", json_text(table->name), "line",
                             (int)table->line, "applied", (int)table->is_applied, "why_not",
                             json_text(table->is_applied ? NULL : table->why_not)));
    }
    return array;
}

static json_t *json_browser(const struct policy *policy)
{
    if (!policy || policy->browser.profile == BROWSER_NONE)
        return json_null();
    return json_pack("{s:o, s:s, s:o, s:o}", "name", json_text(policy->browser.name), "profile",
                     browser_profile_name(policy->browser.profile), "state",
                     json_text(policy->browser.state), "downloads",
                     json_text(policy->browser.downloads));
}

static char *as_json(const struct verb_call *call)
{
    const struct gathered *gathered = call->gathered;
    json_t *project =
        json_pack("{s:o, s:o, s:b, s:o}", "path", json_text(call->host->cwd), "file",
                  json_text(gathered->project.path), "trusted", (int)gathered->project.is_trusted,
                  "refused", json_text(call->refused ? call->refused->text : NULL));
    json_t *network = call->policy ? json_network(call->policy)
                                   : json_pack("{s:s, s:[], s:[], s:[]}", "mode", mode_name(call),
                                               "hosts", "forward", "publish");

    return json_document(json_pack(
        "{s:i, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "version", 1, "command",
        gathered->command.n ? json_texts(&gathered->command) : json_pack("[s]", DEFAULT_COMMAND),
        "project", project, "files_read", json_files(gathered), "tables", json_tables(gathered),
        "settings", json_settings(gathered), "network", network, "browser",
        json_browser(call->policy), "agent_state",
        call->policy ? status_state_json(call->policy) : json_null(), "derived",
        call->policy ? status_derived_json(call->policy) : json_array()));
}

int verb_status(const struct verb_call *call, struct error *error)
{
    return print_text(call->args->json ? as_json(call) : as_text(call), error);
}
