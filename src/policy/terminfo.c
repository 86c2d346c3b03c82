// SPDX-License-Identifier: GPL-3.0-only
/*
 * terminfo: the description of the user's terminal inside the jail.
 *
 * A database is a directory tree: DIR/x/xterm, or DIR/78/xterm where file names do not tell upper
 * from lower case. Terminals like kitty and Ghostty bring their own entry and say so with
 * $TERMINFO. One file of the right magic number and size is bound; never the directory.
 */
#include "policy/terminfo.h"

#include "base/path.h"

#include <stdio.h>
#include <string.h>

/* term(5): a compiled entry is at most 32768 bytes long. */
#define ENTRY_MAX 32768

static const char *const system_databases[] = {
    "/etc/terminfo",
    "/lib/terminfo",
    "/usr/lib/terminfo",
    "/usr/share/terminfo",
};

/* The two places of an entry in a database, relative to it. */
struct entry_names {
    char *v[2];
};

static void free_names(struct entry_names *names)
{
    for (size_t i = 0; i < ARRAY_SIZE(names->v); i++)
        cleanup_free(&names->v[i]);
}

static struct entry_names make_names(const char *term)
{
    return (struct entry_names){{
        xasprintf("%c/%s", term[0], term),
        xasprintf("%x/%s", (unsigned char)term[0], term),
    }};
}

static bool is_in_system_database(const struct plan *plan, const struct fs *fs,
                                  const struct entry_names *names)
{
    for (size_t i = 0; i < ARRAY_SIZE(system_databases); i++)
        for (size_t k = 0; k < ARRAY_SIZE(names->v); k++) {
            _cleanup_free_ char *path = path_join(system_databases[i], names->v[k]);

            if (plan_shows(plan, fs, path))
                return true;
        }
    return false;
}

/* Magic numbers of term(5): 16 bit and 32 bit entries, little-endian. */
static bool is_compiled_entry(const struct fs *fs, const char *path)
{
    uint8_t head[2];
    struct fs_stat st;

    return fs_stat(fs, path, false, &st) == 0 && st.type == FS_FILE && st.size <= ENTRY_MAX &&
           fs->read_head(fs->ctx, path, head, sizeof(head)) == sizeof(head) &&
           ((head[0] == 0x1A && head[1] == 0x01) || (head[0] == 0x1E && head[1] == 0x02));
}

static bool bind_from(struct plan *plan, const struct host *host, const char *database,
                      const struct entry_names *names)
{
    for (size_t i = 0; i < ARRAY_SIZE(names->v); i++) {
        _cleanup_free_ char *path = path_join(database, names->v[i]);
        _cleanup_free_ char *inside = xasprintf("%s/.terminfo/%s", host->home, names->v[i]);
        _cleanup_free_ char *canonical = NULL;

        if (fs_resolve(host->fs, path, &canonical, NULL, NULL) < 0 ||
            !is_compiled_entry(host->fs, canonical))
            continue;
        if (!plan_shows(plan, host->fs, inside))
            plan_add_bind(plan, host->fs, GROUP_HOME_PARTS, PLAN_RO, canonical, inside, "TERM");
        return true;
    }
    return false;
}

bool terminfo_show(struct plan *plan, const struct host *host, const char *term)
{
    const char *named = host_getenv(host, "TERMINFO");
    _cleanup_free_ char *own = path_join(host->home, ".terminfo");
    struct entry_names names CLEANUP(free_names) = {{NULL}};

    if (!term[0] || term[0] == '.' || strchr(term, '/'))
        return false;
    names = make_names(term);
    if (is_in_system_database(plan, host->fs, &names))
        return true;
    return (named && named[0] == '/' && bind_from(plan, host, named, &names)) ||
           bind_from(plan, host, own, &names);
}
