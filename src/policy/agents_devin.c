// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents_devin: the two directories of devin, which follow the base directories of XDG.
 *
 * Devin makes them itself, outside: nothing is made here.
 */
#include "base/path.h"
#include "policy/agents_parts.h"

#include <stdlib.h>

/* A base directory that is below HOME, by HOME's canonical name: no other is passed to the jail. */
static char *base_dir(const struct host *host, const char *variable, const char *below_home)
{
    const char *said = host_getenv(host, variable);
    _cleanup_free_ char *dir = said && said[0] == '/' ? path_clean(said) : NULL;

    if (dir && path_is_below(dir, host->home))
        return steal_ptr(&dir);
    if (dir && path_is_below(dir, host->home_spelling))
        return path_join(host->home, path_rest(dir, host->home_spelling));
    return path_join(host->home, below_home);
}

static bool is_plain_dir(const struct host *host, const char *path)
{
    struct fs_stat st;

    return fs_stat(host->fs, path, false, &st) == 0 && st.type == FS_DIR;
}

/* Below data it keeps its own programs: those stay as they are, and so does the directory that leads
 * to them, because a mount point cannot be renamed. */
static void add_devin_data(const struct adding *adding, const char *data, const char *source)
{
    const struct host *host = adding->host;
    _cleanup_free_ char *cli = path_join(data, "cli");
    _cleanup_free_ char *versions = path_join(data, "cli/_versions");
    _cleanup_free_ char *cli_source = path_join(source, "cli");
    _cleanup_free_ char *versions_source = path_join(source, "cli/_versions");
    bool is_known = is_plain_dir(host, cli_source) && is_plain_dir(host, versions_source);

    plan_add_bind(adding->plan, host->fs, GROUP_HOME_PARTS, is_known ? PLAN_RW : PLAN_RO, source,
                  data, AGENTS_ORIGIN);
    if (!is_known) {
        notes_add(adding->notes, NOTE_WARNING,
                  "%s is read-only (" AGENTS_ORIGIN "): its programs are not in cli/_versions, and "
                  "could not be protected otherwise",
                  data);
        return;
    }
    plan_add_bind(adding->plan, host->fs, GROUP_HOME_PARTS, PLAN_RW, cli_source, cli,
                  AGENTS_ORIGIN);
    plan_add_bind(adding->plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, versions_source, versions,
                  AGENTS_ORIGIN);
}

void agents_add_devin(const struct adding *adding)
{
    static const struct {
        const char *variable;
        const char *below_home;
    } bases[] = {{"XDG_CONFIG_HOME", ".config"}, {"XDG_DATA_HOME", ".local/share"}};
    const struct host *host = adding->host;
    const char *missing = NULL;

    for (size_t i = 0; i < ARRAY_SIZE(bases); i++) {
        _cleanup_free_ char *base = base_dir(host, bases[i].variable, bases[i].below_home);
        _cleanup_free_ char *path = path_join(base, "devin");
        const char *below_home = path_rest(path, host->home);
        _cleanup_free_ char *source = NULL;

        if (agents_is_hidden(adding->config, below_home))
            continue;
        source = agents_accept(adding, path, below_home);
        if (!source)
            missing = bases[i].variable;
        else if (i == 0)
            plan_add_bind(adding->plan, host->fs, GROUP_HOME_PARTS, PLAN_RW, source, path,
                          AGENTS_ORIGIN);
        else
            add_devin_data(adding, path, source);
    }
    if (missing)
        notes_add(adding->notes, NOTE_WARNING,
                  "the state of devin is not shown in full (" AGENTS_ORIGIN "): it has no usable "
                  "directory devin in $%s; start devin once outside",
                  missing);
}
