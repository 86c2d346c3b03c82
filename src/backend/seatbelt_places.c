// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt_places: what is refused whatever the user masks or denies, rows 0 to 3 of seatbelt_denies.c.
 *
 * Row 0 is what lies below readable directories of the system and yet belongs to the user, and what other
 * processes were started with. Not among it is "/System/Volumes/Preboot": the loader maps files from there.
 */
#include "backend/seatbelt_parts.h"

#include "base/path.h"
#include "policy/hidden.h"
#include "policy/home.h"
#include "policy/project.h"
#include "policy/secrets.h"

#include <stdlib.h>

/* ---- what somebody asked for ---- */

/* The parts of dir that the plan shows because somebody asked for them; false if that is all of it. */
static bool find_freed(const struct policy *policy, const char *dir, bool by_browser,
                       struct seatbelt_filters *freed)
{
    for (size_t i = 0; i < policy->plan.n; i++) {
        const struct plan_entry *entry = &policy->plan.v[i];
        bool is_dir = entry->is_new || entry->st.type == FS_DIR;

        if (!plan_is_bind(entry->kind) || !entry->source || !path_is_within(entry->source, dir) ||
            (by_browser && entry->group != GROUP_BROWSER))
            continue;
        if (str_eq(entry->source, dir))
            return false;
        seatbelt_filters_add(freed, is_dir ? SEATBELT_SUBPATH : SEATBELT_LITERAL, entry->source);
    }
    return true;
}

static void deny_unless_freed(struct seatbelt_denying *denying, const char *dir, bool by_browser)
{
    struct seatbelt_filters freed _cleanup_filters_ = {0};

    if (find_freed(denying->policy, dir, by_browser, &freed))
        seatbelt_deny_tree(denying, SEATBELT_EVERYTHING, dir, &freed);
}

/* A directory, and where it is if it is a link. */
static void deny_dir(struct seatbelt_denying *denying, const char *path)
{
    const struct host *host = denying->policy->host;
    _cleanup_free_ char *canonical = NULL;

    deny_unless_freed(denying, path, false);
    if (fs_resolve(host->fs, path, &canonical, NULL, NULL) == 0 && !str_eq(canonical, path) &&
        !path_is_within(host->home, canonical) &&
        !path_is_within(denying->policy->project, canonical))
        deny_unless_freed(denying, canonical, false);
}

static void deny_home_dir(struct seatbelt_denying *denying, const char *below_home)
{
    _cleanup_free_ char *path = path_join(denying->policy->host->home, below_home);

    deny_dir(denying, path);
}

/* ---- row 0 ---- */

/* By these names the kernel hands out the arguments and the environment of any process of the user; behind
 * them stands the number of the process. */
static void put_arguments(struct seatbelt_text *text)
{
    seatbelt_put_comment(text, "arguments and environment of other processes");
    seatbelt_put(text, "(deny sysctl-read (sysctl-name-prefix \"kern.procargs\"))\n");
}

/* The volume that HOME lies on, mounted a second time below what is readable. No name that was granted begins
 * like this. */
static void put_data_volume(struct seatbelt_denying *denying)
{
    const struct seatbelt_filters nothing = {0};

    seatbelt_put_comment(denying->text, "the volume of HOME by its other name");
    seatbelt_deny_tree(denying, SEATBELT_EVERYTHING, "/System/Volumes/Data", &nothing);
}

/* Databases and queues that services of a package manager keep for the user, who owns them. */
static void put_services(struct seatbelt_denying *denying)
{
    static const char *const dirs[] = {"/opt/homebrew/var", "/usr/local/var"};

    seatbelt_put_comment(denying->text, "data of services");
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
        deny_dir(denying, dirs[i]);
}

/* ---- rows 1 to 3 ---- */

static void put_secrets(struct seatbelt_denying *denying)
{
    const struct policy *policy = denying->policy;
    const struct seatbelt_filters none = {0};
    struct error error = {0};
    struct strv hidden _cleanup_strv_ = {0};

    seatbelt_put_comment(denying->text, "secrets, and what is hidden");
    for (size_t i = 0; secret_dotdirs[i]; i++)
        deny_home_dir(denying, secret_dotdirs[i]);
    for (size_t i = 0; !policy->private_home && home_covered_parts[i]; i++)
        deny_home_dir(denying, home_covered_parts[i]);
    /* Its faults were found when the policy was built. */
    hidden_paths(&hidden, policy->config, policy->host, policy->project, &error);
    for (size_t i = 0; i < hidden.n; i++)
        seatbelt_deny_tree(denying, SEATBELT_EVERYTHING, hidden.v[i], &none);
}

static void put_library(struct seatbelt_denying *denying)
{
    static const char *const dirs[] = {
        "Library/Mail",
        "Library/Messages",
        "Library/Safari",
        "Library/Cookies",
        "Library/Application Support/Google",
        "Library/Application Support/BraveSoftware",
        "Library/Application Support/Firefox",
    };
    static const char keychains[] = "Library/Keychains";

    seatbelt_put_comment(denying->text, "other programs of the user");
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++)
        deny_home_dir(denying, dirs[i]);
    if (seatbelt_has_keychain(denying->policy)) {
        _cleanup_free_ char *path = path_join(denying->policy->host->home, keychains);
        _cleanup_free_ char *files = seatbelt_keychain_files(denying->policy);
        struct seatbelt_filters all _cleanup_filters_ = {0};
        struct seatbelt_filters but _cleanup_filters_ = {0};

        seatbelt_filters_add_tree(&all, path);
        seatbelt_filters_add(&but, SEATBELT_REGEX, files);
        seatbelt_put_rule(denying->text, SEATBELT_CHANGES, &all, &but);
        seatbelt_pin_above(denying, path);
    } else {
        deny_home_dir(denying, keychains);
    }
}

static void put_own(struct seatbelt_denying *denying)
{
    struct strv own _cleanup_strv_ = {0};

    seatbelt_put_comment(denying->text, "the files of ai-jail");
    project_own_dirs(denying->policy->host, &own);
    for (size_t i = 0; i < own.n; i++)
        deny_unless_freed(denying, own.v[i], true);
}

void seatbelt_deny_places(struct seatbelt_denying *denying)
{
    put_arguments(denying->text);
    put_data_volume(denying);
    put_services(denying);
    put_secrets(denying);
    put_library(denying);
    put_own(denying);
}
