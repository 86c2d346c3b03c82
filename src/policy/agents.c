// SPDX-License-Identifier: GPL-3.0-only
/*
 * agents: the known agents, and what each keeps on the host.
 *
 * A row belongs to the names it lists, letter for letter: what merely looks like an agent gets
 * neither its state nor its key. State directories are the host's own and writable, so that a login or
 * a session outlives the jail; whatever runs in the jail can read and change all of it. A directory
 * that a row marks as its own is made before the first run, because otherwise the first login would
 * be lost with the jail's HOME.
 *
 * A file that agents replace by renaming another one over it cannot be a bind mount. It is kept in
 * step instead (pty/instep.h).
 *
 * What the user asked for comes first: hidden directories, maps and masks each take a row's entry
 * away (hidden.c, plan_check.c, agents_settle()).
 */
#include "policy/agents.h"

#include "policy/agents_parts.h"

#include <stdlib.h>

/* No telemetry is among the hosts. The first one is where the agent talks to. */
static const struct agent agents[] = {
    {
        .names = {"claude"},
        .dirs = {{CLAUDE_DIR, true}, {".local/state/claude", true}},
        .files = {".claude.json"},
        .keys = {"ANTHROPIC_API_KEY"},
        .hosts = {"api.anthropic.com", "console.anthropic.com", "claude.com", "claude.ai"},
        .has_own_dir = true,
    },
    {
        .names = {"codex"},
        .dirs = {{".codex", true}},
        .keys = {"OPENAI_API_KEY"},
        .hosts = {"api.openai.com", "auth.openai.com", "chatgpt.com"},
        .hint = "the sandbox of codex itself cannot start in a jail: codex --sandbox "
                "danger-full-access switches it off, the jail stays",
    },
    {
        .names = {"gemini"},
        .dirs = {{".gemini", true}},
        .keys = {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
        .defaults = {"GEMINI_SANDBOX=false"},
        .hosts = {"generativelanguage.googleapis.com", "oauth2.googleapis.com",
                  "accounts.google.com", "cloudcode-pa.googleapis.com"},
    },
    {
        .names = {"antigravity"},
        .dirs = {{".gemini", true}},
        .keys = {"GEMINI_API_KEY", "GOOGLE_API_KEY"},
    },
    {
        .names = {"grok"},
        .dirs = {{".grok", true}},
        .keys = {"XAI_API_KEY"},
        .hosts = {"api.x.ai"},
    },
    {
        .names = {"opencode"},
        .dirs = {{".config/opencode", true},
                 {".local/share/opencode", true},
                 {".local/state/opencode", true}},
    },
    {
        .names = {"crush"},
        .dirs = {{".config/crush", true}, {".local/share/crush", true}, {".crush", false}},
    },
    {
        .names = {"kimi", "kimi-cli", "kimi-code"},
        .dirs = {{".kimi", true}, {".kimi-code", false}},
        .keys = {"MOONSHOT_API_KEY"},
    },
    {.names = {"jcode"}, .dirs = {{".jcode", true}, {".config/jcode", true}}},
    {.names = {"pi"}, .dirs = {{".pi", true}, {".pi-lens", false}}},
    {.names = {"aider"}, .dirs = {{".aider", true}}},
    {.names = {"soulforge"}, .dirs = {{".soulforge", true}}},
    {.names = {"omp"}, .dirs = {{".omp", true}}},
    {.names = {"prime-agent"}, .dirs = {{".prime/agent", true}}},
    {
        .names = {"kiro-cli"},
        .dirs = {{".kiro", true}, {".local/share/kiro-cli", true}},
        .macos_dirs = {{".kiro", true}, {"Library/Application Support/kiro-cli", true}},
    },
    {.names = {"devin"}, .add = agents_add_devin},
};

const struct agent *agents_find(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(agents); i++)
        for (size_t j = 0; agents[i].names[j]; j++)
            if (str_eq(agents[i].names[j], name))
                return &agents[i];
    return NULL;
}

const char *agents_name(const struct agent *agent)
{
    return agent->names[0];
}

const char *const *agents_hosts(const struct agent *agent)
{
    return agent->hosts;
}

void in_step_free(struct in_step *files)
{
    for (size_t i = 0; i < files->n; i++) {
        free(files->v[i].host);
        free(files->v[i].jail);
    }
    *files = (struct in_step){.n = 0};
}

static bool is_masked(const struct mask_rules *masks, const char *path)
{
    return masks && plan_hides(mask_rules_find(masks, path).kind);
}

void agents_settle(struct in_step *in_step, const struct plan *plan, const struct mask_rules *masks,
                   const struct host *host)
{
    size_t kept = 0;

    for (size_t i = 0; i < in_step->n; i++) {
        struct in_step_file *file = &in_step->v[i];
        struct plan_view view = plan_look(plan, file->jail);

        free(view.host_path);
        if (view.entry && view.entry->kind == PLAN_TMPFS && str_eq(view.entry->dest, host->home) &&
            !is_masked(masks, file->host) && !is_masked(masks, file->jail)) {
            in_step->v[kept++] = *file;
            continue;
        }
        free(file->host);
        free(file->jail);
    }
    in_step->n = kept;
}
