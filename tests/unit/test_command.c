// SPDX-License-Identifier: GPL-3.0-only
/*
 * What becomes visible so that a command can start: every shape of an installation, every place
 * that is never shown as a whole, and what a hostile project tries to make visible.
 */
#include "base/path.h"
#include "policy/command.h"
#include "policy/secrets.h"
#include "support/planner.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* One command on one machine. */
struct scene {
    const char *id;
    const char *tree;
    const char *argv0;
    const char *path;  /* PATH; NULL: not set */
    const char *found; /* host_path, NULL: not found */
    const char *want;  /* entries of GROUP_COMMAND in the finished plan */
};

#define H "/home/u"

static const struct scene scenes[] = {
    /* ---- resolution ---- */
    {"visible: nothing to do", "", "env", "/usr/bin", "/usr/bin/env", ""},
    {"first executable wins", "f /a/x 0644\nd /b/x\nf /c/x 0755\nf /d/x 0755\n", "x",
     "/none:/a:/b:/c:/d", "/c/x", "ro /c\n"},
    {"not found", "", "nothing", "/usr/bin", NULL, ""},
    {"empty name", "", "", "/usr/bin", NULL, ""},
    {"no PATH", "", "sh", NULL, "/bin/sh", ""},
    {"empty PATH entry is the working directory", "f /home/u/proj/x 0755\n", "x", ":/usr/bin",
     "/home/u/proj/x", ""},
    {"relative PATH entry", "f /home/u/proj/bin/x 0755\n", "x", "bin", "/home/u/proj/bin/x", ""},
    {"word with a slash", "f /home/u/proj/x 0755\n", "./x", "", "/home/u/proj/x", ""},
    {"word with dots", "f /home/u/proj/x 0755\n", ".//./x", "", "/home/u/proj/x", ""},
    {"dots behind a link are not cleaned", "l /home/u/proj/l /data/d\nf /data/x 0755\nd /data/d\n",
     "./l/../x", "", "/home/u/proj/l/../x", "ro /data/x\n"},
    {"a slash never looks at PATH", "f /a/b/x 0755\n", "b/x", "/a", NULL, ""},
    {"a directory is no program", "d /a/x\n", "/a/x", "", NULL, ""},
    {"dangling link on PATH", "l /a/x gone\nf /b/x 0755\n", "x", "/a:/b", "/b/x", "ro /b\n"},

    /* ---- install roots, one scene per row ---- */
    {"nix store",
     "f /nix/store/abc-agent/bin/agent 0755\nl /run/current-system /nix/store/sys\n"
     "l /nix/store/sys/sw/bin/agent /nix/store/abc-agent/bin/agent\n",
     "agent", "/run/current-system/sw/bin", "/run/current-system/sw/bin/agent",
     "ro /nix/store\nlink /run/current-system -> /nix/store/sys\n"},
    {"homebrew",
     "f /home/linuxbrew/.linuxbrew/Cellar/agent/1.2/bin/agent 0755\n"
     "l /home/linuxbrew/.linuxbrew/bin/agent ../Cellar/agent/1.2/bin/agent\n",
     "agent", "/home/linuxbrew/.linuxbrew/bin", "/home/linuxbrew/.linuxbrew/bin/agent",
     "ro /home/linuxbrew/.linuxbrew\n"},
    {"homebrew cask", "f /srv/brew/Caskroom/agent/2/agent 0755\n",
     "/srv/brew/Caskroom/agent/2/agent", "", "/srv/brew/Caskroom/agent/2/agent", "ro /srv/brew\n"},
    {"npm prefix",
     "f /data/npm/lib/node_modules/agent/cli.js 0755\n"
     "l /data/npm/bin/agent ../lib/node_modules/agent/cli.js\n",
     "agent", "/data/npm/bin", "/data/npm/bin/agent", "ro /data/npm\n"},
    {"npm prefix in HOME",
     "f /home/u/.npm-global/lib/node_modules/agent/cli.js 0755\n"
     "l /home/u/.npm-global/bin/agent ../lib/node_modules/agent/cli.js\n",
     "agent", H "/.npm-global/bin", H "/.npm-global/bin/agent", "ro /home/u/.npm-global\n"},
    {"npm prefix ~/.local is too wide: its node_modules",
     "f /home/u/.local/lib/node_modules/agent/cli.js 0755\n"
     "l /home/u/.local/bin/agent ../lib/node_modules/agent/cli.js\n",
     "agent", H "/.local/bin", H "/.local/bin/agent",
     "ro /home/u/.local/lib/node_modules\n"
     "link /home/u/.local/bin/agent -> ../lib/node_modules/agent/cli.js\n"},
    {"outermost node_modules",
     "f /home/u/.bun/install/global/node_modules/agent/node_modules/x/cli.js 0755\n"
     "l /home/u/.bun/bin/agent ../install/global/node_modules/agent/node_modules/x/cli.js\n",
     "agent", H "/.bun/bin", H "/.bun/bin/agent",
     "link /home/u/.bun/bin/agent -> "
     "../install/global/node_modules/agent/node_modules/x/cli.js\n"
     "ro /home/u/.bun/install/global/node_modules\n"},
    {"python environment and the python behind it",
     "f /home/u/venvs/agent/bin/agent 0755 1000 #!/home/u/venvs/agent/bin/python\\n\n"
     "f /home/u/venvs/agent/pyvenv.cfg 0644 1000 prompt\\x20=\\x20x\\n home = "
     "/home/u/.pyenv/versions/3.11/bin\\r\\n\n"
     "l /home/u/venvs/agent/bin/python /home/u/.pyenv/versions/3.11/bin/python3\n"
     "f /home/u/.pyenv/versions/3.11/bin/python3 0755\n",
     H "/venvs/agent/bin/agent", "", H "/venvs/agent/bin/agent",
     "ro /home/u/venvs/agent\nro /home/u/.pyenv/versions/3.11\n"},
    {"versions", "f /home/u/.nvm/versions/node/v20/bin/node 0755\n", "node",
     H "/.nvm/versions/node/v20/bin", H "/.nvm/versions/node/v20/bin/node",
     "ro /home/u/.nvm/versions/node\n"},
    {"versions: the component may be the file itself",
     "f /home/u/.local/share/agent/versions/1.0 0755\n"
     "l /home/u/.local/bin/agent /home/u/.local/share/agent/versions/1.0\n",
     "agent", H "/.local/bin", H "/.local/bin/agent",
     "link /home/u/.local/bin/agent -> /home/u/.local/share/agent/versions/1.0\n"
     "ro /home/u/.local/share/agent/versions/1.0\n"},
    {"installs", "f /home/u/.local/share/mise/installs/node/22/bin/node 0755\n",
     H "/.local/share/mise/installs/node/22/bin/node", "",
     H "/.local/share/mise/installs/node/22/bin/node",
     "ro /home/u/.local/share/mise/installs/node\n"},
    {"toolchains", "f /home/u/.rustup/toolchains/stable/bin/cargo 0755\n",
     H "/.rustup/toolchains/stable/bin/cargo", "", H "/.rustup/toolchains/stable/bin/cargo",
     "ro /home/u/.rustup/toolchains/stable\n"},
    {"uv's python", "f /home/u/.local/share/uv/python/cpython-3.12/bin/python3.12 0755\n",
     H "/.local/share/uv/python/cpython-3.12/bin/python3.12", "",
     H "/.local/share/uv/python/cpython-3.12/bin/python3.12",
     "ro /home/u/.local/share/uv/python/cpython-3.12\n"},
    {"shim", "f /home/u/.volta/bin/volta-shim 0755\nl /home/u/.volta/bin/node volta-shim\n", "node",
     H "/.volta/bin", H "/.volta/bin/node", "ro /home/u/.volta\n"},
    {"other: the parent", "f /home/u/tools/agent/agent 0755\n", H "/tools/agent/agent", "",
     H "/tools/agent/agent", "ro /home/u/tools/agent\n"},
    {"other: ~/bin may be shown", "f /home/u/bin/agent 0755\n", "agent", H "/bin", H "/bin/agent",
     "ro /home/u/bin\n"},
    {"flatpak's directory", "f /var/lib/flatpak/exports/bin/agent 0755\n", "agent",
     "/var/lib/flatpak/exports/bin", "/var/lib/flatpak/exports/bin/agent",
     "ro /var/lib/flatpak/exports/bin\n"},

    /* ---- never as a whole: the file alone ---- */
    {"HOME", "f /home/u/agent.sh 0755\n", H "/agent.sh", "", H "/agent.sh",
     "ro /home/u/agent.sh\n"},
    {"ancestor of HOME", "f /home/agent 0755\n", "/home/agent", "", "/home/agent",
     "ro /home/agent\n"},
    {"root directory", "f /agent 0755\n", "/agent", "", "/agent", "ro /agent\n"},
    {"ancestor of the project by a shape", "f /home/u/proj/../lib/node_modules/x/a 0755\n",
     H "/lib/node_modules/x/a", "", H "/lib/node_modules/x/a", "ro /home/u/lib/node_modules\n"},
    {"/run", "f /run/agent 0755\n", "/run/agent", "", "/run/agent", "ro /run/agent\n"},
    {"runtime directory", "f /run/user/1000/agent 0755\ns /run/user/1000/bus\n",
     "/run/user/1000/agent", "", "/run/user/1000/agent", "ro /run/user/1000/agent\n"},
    {"below the runtime directory", "f /run/user/1000/a/b/agent 0755\n", "/run/user/1000/a/b/agent",
     "", "/run/user/1000/a/b/agent", "ro /run/user/1000/a/b/agent\n"},
    {"/tmp", "f /tmp/agent 0755\n", "/tmp/agent", "", "/tmp/agent", "ro /tmp/agent\n"},
    {"/var", "f /var/agent 0755\n", "/var/agent", "", "/var/agent", "ro /var/agent\n"},
    {"/mnt", "f /mnt/agent 0755\n", "/mnt/agent", "", "/mnt/agent", "ro /mnt/agent\n"},
    {"/mnt/disk is a directory like others", "f /mnt/disk/agent 0755\n", "/mnt/disk/agent", "",
     "/mnt/disk/agent", "ro /mnt/disk\n"},
    {"a never-mounted dotdir", "f /home/u/.aws/agent 0755\nf /home/u/.aws/credentials 0600\n",
     H "/.aws/agent", "", H "/.aws/agent", "ro /home/u/.aws/agent\n"},
    {"below a never-mounted dotdir", "f /home/u/.docker/cli-plugins/x 0755\n",
     H "/.docker/cli-plugins/x", "", H "/.docker/cli-plugins/x",
     "ro /home/u/.docker/cli-plugins/x\n"},
    {"the target of a linked dotdir",
     "d /data/keys\nl /home/u/.ssh /data/keys\nf /data/keys/agent 0755\n", "/data/keys/agent", "",
     "/data/keys/agent", "ro /data/keys/agent\n"},
    {"a directory that holds the target of a linked dotdir",
     "d /data/x/keys\nl /home/u/.ssh /data/x/keys\nf /data/x/agent 0755\n", "/data/x/agent", "",
     "/data/x/agent", "ro /data/x/agent\n"},
    {"another home", "f /home/eve/agent 0755\nd /home/eve/.gnupg\n", "/home/eve/agent", "",
     "/home/eve/agent", "ro /home/eve/agent\n"},
    {"~/.config", "f /home/u/.config/agent 0755\n", H "/.config/agent", "", H "/.config/agent",
     "ro /home/u/.config/agent\n"},
    {"~/.local/share", "f /home/u/.local/share/agent 0755\n", H "/.local/share/agent", "",
     H "/.local/share/agent", "ro /home/u/.local/share/agent\n"},
    {"~/.local/state", "f /home/u/.local/state/agent 0755\n", H "/.local/state/agent", "",
     H "/.local/state/agent", "ro /home/u/.local/state/agent\n"},
    {"~/.cache", "f /home/u/.cache/agent 0755\n", H "/.cache/agent", "", H "/.cache/agent",
     "ro /home/u/.cache/agent\n"},
    {"a direct child of HOME", "f /home/u/Downloads/agent 0755\n", H "/Downloads/agent", "",
     H "/Downloads/agent", "ro /home/u/Downloads/agent\n"},
    {"HOME by pyvenv.cfg", "f /home/u/pyvenv.cfg 0644\nf /home/u/tools/x/agent 0755\n",
     H "/tools/x/agent", "", H "/tools/x/agent", "ro /home/u/tools/x/agent\n"},

    /* ---- links ---- */
    {"every hop is made again",
     "l /home/u/.local/bin/agent /data/a\nl /data/a b/agent\nl /data/b /data/real\n"
     "f /data/real/x/agent-1 0755\nl /data/real/agent x/agent-1\n",
     "agent", H "/.local/bin", H "/.local/bin/agent",
     "link /data/a -> b/agent\nlink /data/b -> /data/real\n"
     "link /home/u/.local/bin/agent -> /data/a\nlink /data/real/agent -> x/agent-1\n"
     "ro /data/real/x\n"},
    {"a link in a visible directory is there already",
     "l /usr/bin/agent /data/agent/run\nf /data/agent/run 0755\n", "agent", "/usr/bin",
     "/usr/bin/agent", "ro /data/agent\n"},
    {"a link through another link of the plan", "l /home/u/run /run\nf /run/x/agent 0755\n",
     H "/run/x/agent", "", H "/run/x/agent", "link /home/u/run -> /run\nro /run/x/agent\n"},
    {"loop", "l /a/x /a/y\nl /a/y /a/x\n", "x", "/a", NULL, ""},

    /* ---- interpreters ---- */
    {"#! with env",
     "f /home/u/bin/agent 0755 1000 #!/usr/bin/env node\\n\n"
     "f /home/u/.nvm/versions/node/v20/bin/node 0755\n",
     "agent", H "/bin:" H "/.nvm/versions/node/v20/bin", H "/bin/agent",
     "ro /home/u/bin\nro /home/u/.nvm/versions/node\n"},
    {"#! with env -S",
     "f /home/u/bin/agent 0755 1000 #!/usr/bin/env -S A=1 deno run -A\\n\n"
     "f /home/u/.deno/bin/deno 0755\n",
     "agent", H "/bin:" H "/.deno/bin", H "/bin/agent", "ro /home/u/bin\nro /home/u/.deno/bin\n"},
    {"fnm: PATH in the runtime directory",
     "f /home/u/bin/agent 0755 1000 #!/usr/bin/env node\\n\n"
     "l /run/user/1000/fnm_multishells/7 /home/u/.local/share/fnm/node-versions/v20/installation\n"
     "f /home/u/.local/share/fnm/node-versions/v20/installation/bin/node 0755\n",
     "agent", H "/bin:/run/user/1000/fnm_multishells/7/bin", H "/bin/agent",
     "ro /home/u/bin\n"
     "ro /home/u/.local/share/fnm/node-versions/v20/installation/bin\n"
     "link /run/user/1000/fnm_multishells/7 -> "
     "/home/u/.local/share/fnm/node-versions/v20/installation\n"},
    {"asdf: the shim and its manager",
     "f /home/u/bin/agent 0755 1000 #!/usr/bin/env node\\n\n"
     "f /home/u/.asdf/shims/node 0755 1000 #!/bin/sh\\n\n",
     "agent", H "/bin:" H "/.asdf/shims", H "/bin/agent", "ro /home/u/.asdf\nro /home/u/bin\n"},
    {"#! of #! of #!",
     "f /a/1/x 0755 0 #!/b/1/x\\n\nf /b/1/x 0755 0 #!/c/1/x\\n\n"
     "f /c/1/x 0755 0 #!/usr/bin/env\\n\n",
     "/a/1/x", "", "/a/1/x", "ro /a/1\nro /b/1\nro /c/1\n"},
    {"at most four levels",
     "f /l0/x 0755 0 #!/l1/x\\n\nf /l1/x 0755 0 #!/l2/x\\n\n"
     "f /l2/x 0755 0 #!/l3/x\\n\nf /l3/x 0755 0 #!/l4/x\\n\n"
     "f /l4/x 0755 0 #!/l5/x\\n\nf /l5/x 0755\n",
     "/l0/x", "", "/l0/x", "ro /l0\nro /l1\nro /l2\nro /l3\nro /l4\n"},
    {"a script that is its own interpreter", "f /a/1/x 0755 0 #!/a/1/x\\n\n", "/a/1/x", "",
     "/a/1/x", "ro /a/1\n"},
    {"two scripts that interpret each other",
     "f /a/1/x 0755 0 #!/b/1/x\\n\n"
     "f /b/1/x 0755 0 #!/a/1/x\\n\n",
     "/a/1/x", "", "/a/1/x", "ro /a/1\nro /b/1\n"},

    /* ---- what a project tries ---- */
    {"script in the project: only the interpreter's file",
     "f /home/u/proj/x 0755 1000 #!/home/u/other/private/run\\n\n"
     "f /home/u/other/private/run 0755 1000\n",
     "./x", "", "/home/u/proj/x", "ro /home/u/other/private/run\n"},
    {"script in the project: a secret is no interpreter",
     "f /home/u/proj/x 0755 1000 #!/home/u/.ssh/id_rsa\\n\nf /home/u/.ssh/id_rsa 0700 1000\n",
     "./x", "", "/home/u/proj/x", ""},
    {"script in the project: a document is no interpreter",
     "f /home/u/proj/x 0755 1000 #!/home/u/doc.txt\\n\nf /home/u/doc.txt 0600 1000\n", "./x", "",
     "/home/u/proj/x", ""},
    {"link in the project to a secret",
     "l /home/u/proj/x ../.aws/credentials\n"
     "f /home/u/.aws/credentials 0700 1000\n",
     "./x", "", "/home/u/proj/x", ""},
    {"link in the project to a document",
     "l /home/u/proj/x ../doc.txt\n"
     "f /home/u/doc.txt 0600 1000\n",
     "./x", "", "/home/u/proj/x", ""},
    {"environment in the project: the python of a version manager",
     "f /home/u/proj/.venv/bin/x 0755 1000 #!/home/u/proj/.venv/bin/python\\n\n"
     "l /home/u/proj/.venv/bin/python /home/u/.pyenv/versions/3.11/bin/python3\n"
     "f /home/u/.pyenv/versions/3.11/bin/python3 0755\n",
     ".venv/bin/x", "", "/home/u/proj/.venv/bin/x", "ro /home/u/.pyenv/versions/3.11\n"},
    {"script in the project: env looks on the user's PATH",
     "f /home/u/proj/x 0755 1000 #!/usr/bin/env node\\n\nf /home/u/tools/node/node 0755\n", "./x",
     H "/tools/node", "/home/u/proj/x", "ro /home/u/tools/node\n"},
    {"FIFO and socket are not touched", "p /a/fifo 0777\ns /a/sock 0777\n", "/a/sock", "", NULL,
     ""},
};

static bool scene_is_as_wanted(const struct scene *scene)
{
    _cleanup_planner_ struct planner planner;
    _cleanup_free_ char *path = scene->path ? xasprintf("PATH=%s", scene->path) : NULL;
    const char *environ[] = {path, NULL};
    struct command command;
    bool ok;

    planner_init(&planner, scene->tree, environ);
    command_expose(&command, scene->argv0, true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    ok = planner_has_exactly(&planner, GROUP_COMMAND, scene->want);
    if (!str_eq(command.host_path, scene->found)) {
        print_error("found %s\n", command.host_path ? command.host_path : "nothing");
        ok = false;
    }
    if (planner_count_notes(&planner, NOTE_WARNING, "is left out")) {
        print_error("an entry could not be placed\n");
        ok = false;
    }
    command_free(&command);
    return ok;
}

static void shows_what_a_command_needs(void **state)
{
    unsigned failed = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(scenes); i++)
        if (!scene_is_as_wanted(&scenes[i])) {
            print_error("in the scene: %s\n", scenes[i].id);
            failed++;
        }
    assert_int_equal(failed, 0);
}

/* Sets a scene up without checking; the caller frees both. */
static void expose(struct planner *planner, struct command *command, const char *tree,
                   const char *argv0, const char *path)
{
    _cleanup_free_ char *entry = xasprintf("PATH=%s", path);
    const char *environ[] = {entry, NULL};

    planner_init(planner, tree, environ);
    command_expose(command, argv0, true, PLANNER_PROJECT, &planner->host, &planner->plan,
                   &planner->notes);
}

static void assert_shown(const struct planner *planner, const char *path, bool want)
{
    if (plan_shows(&planner->plan, planner->host.fs, path) != want)
        fail_msg("%s is %s", path, want ? "not shown" : "shown");
}

/* P-HOME-1 */
static void home_stays_closed_around_an_agent_in_it(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    expose(&planner, &command,
           "f /home/u/agent.sh 0755\nf /home/u/.ssh/id 0600\nf /home/u/note 0644\n", H "/agent.sh",
           "");
    assert_shown(&planner, H "/agent.sh", true);
    assert_shown(&planner, H "/.ssh/id", false);
    assert_shown(&planner, H "/note", false);
    command_free(&command);
}

/* A path in a project file that is not trusted shows no more than the program, and that only if it is
 * one. */
static void project_that_names_a_command(void **state)
{
    static const char tree[] =
        "f /home/u/work/other/b.sh 0755\nf /home/u/work/other/note 0644\n"
        "f /home/u/.ssh/id 0600\nf /home/u/.ssh/run 0755\nf /data/bin/agent 0755\n"
        "f /data/bin/x 0755\nf /home/u/work/plain 0644\n";
    static const struct {
        const char *argv0, *shown, *hidden;
    } rows[] = {
        {H "/work/other/b.sh", H "/work/other/b.sh", H "/work/other/note"},
        {H "/.ssh/id", NULL, H "/.ssh/id"},
        {H "/.ssh/run", NULL, H "/.ssh/run"},
        {H "/work/plain", NULL, H "/work/plain"},
        {"/data/bin/agent", "/data/bin/agent", "/data/bin/x"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        struct command command;

        planner_init(&planner, tree, (const char *[]){NULL});
        command_expose(&command, rows[i].argv0, false, PLANNER_PROJECT, &planner.host,
                       &planner.plan, &planner.notes);
        if (rows[i].shown)
            assert_shown(&planner, rows[i].shown, true);
        assert_shown(&planner, rows[i].hidden, false);
        command_free(&command);
    }
}

/* A bare name was found on the user's PATH, whoever said it. */
static void project_that_names_a_program_of_path(void **state)
{
    static const char *const environ[] = {"PATH=/data/bin", NULL};
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner, "f /data/bin/agent 0755\nf /data/bin/x 0755\n", environ);
    command_expose(&command, "agent", false, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_shown(&planner, "/data/bin/x", true);
    command_free(&command);
}

/* P-AGT-6: what is installed in an agent's state. */
static void program_in_a_writable_part_of_home(void **state)
{
    static const struct {
        const char *argv0, *want;
    } rows[] = {
        {H "/.claude/local/claude", "ro " H "/.claude/local\n"},
        {H "/.claude/cli", "ro " H "/.claude/cli\n"},
        {H "/.claude/link", "ro " H "/.claude/node_modules\n"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_planner_ struct planner planner;
        struct command command;

        planner_init(&planner,
                     "f /home/u/.claude/local/claude 0755\nf /home/u/.claude/cli 0755\n"
                     "f /home/u/.claude/node_modules/x/cli.js 0755\n"
                     "l /home/u/.claude/link node_modules/x/cli.js\n",
                     (const char *[]){NULL});
        plan_add_bind(&planner.plan, planner.host.fs, GROUP_HOME_PARTS, PLAN_RW, H "/.claude",
                      H "/.claude", "agent state");
        command_expose(&command, rows[i].argv0, true, PLANNER_PROJECT, &planner.host, &planner.plan,
                       &planner.notes);
        assert_true(planner_has_exactly(&planner, GROUP_COMMAND, rows[i].want));
        command_free(&command);
    }
}

/* P-HOME-2 */
static void sockets_next_to_a_command_stay_out(void **state)
{
    static const char *const dirs[] = {"/run", "/run/user/1000", "/tmp"};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(dirs); i++) {
        _cleanup_planner_ struct planner planner;
        _cleanup_free_ char *tree =
            xasprintf("f %s/agent 0755\ns %s/host.sock 0777\n", dirs[i], dirs[i]);
        _cleanup_free_ char *agent = path_join(dirs[i], "agent");
        _cleanup_free_ char *sock = path_join(dirs[i], "host.sock");
        struct command command;

        expose(&planner, &command, tree, agent, "");
        assert_shown(&planner, agent, true);
        assert_shown(&planner, sock, false);
        command_free(&command);
    }
}

/* A runtime directory elsewhere is known by its variable. */
static void runtime_directory_is_known_by_its_variable(void **state)
{
    static const char *const environ[] = {"XDG_RUNTIME_DIR=/data/rt", NULL};
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner, "f /data/rt/x/agent 0755\ns /data/rt/x/sock 0777\n", environ);
    command_expose(&command, "/data/rt/x/agent", true, PLANNER_PROJECT, &planner.host,
                   &planner.plan, &planner.notes);
    assert_shown(&planner, "/data/rt/x/agent", true);
    assert_shown(&planner, "/data/rt/x/sock", false);
    command_free(&command);
}

/* P-HOME-4: the siblings of a package come along, every link of a chain of 40 too. */
static void forty_hops_lead_to_the_package(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner, "f /data/pkg/agent 0755\nf /data/pkg/lib.js 0644\n", NULL);
    fakefs_add(planner.fakefs, "l /h/1 /data/pkg/agent\n");
    for (int i = 2; i <= 41; i++)
        fakefs_addf(planner.fakefs, "l /h/%d %d\n", i, i - 1);
    command_expose(&command, "/h/40", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_shown(&planner, "/h/40", true);
    assert_shown(&planner, "/data/pkg/lib.js", true);
    command_free(&command);
    command_expose(&command, "/h/41", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_null(command.host_path);
    command_free(&command);
}

/* P-HOME-6: the name that leads nowhere is said. */
static void missing_hops_are_named(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    expose(&planner, &command, "l /data/agent /gone/agent\n", "/data/agent", "");
    assert_null(command.host_path);
    assert_int_equal(
        planner_count_notes(&planner, NOTE_WARNING, "/data/agent leads to /gone/agent"), 1);
    command_free(&command);
}

static void missing_interpreters_are_named(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    expose(&planner, &command,
           "f /data/x/a 0755 0 #!/gone/node\\n\nf /data/x/b 0755 0 #!/usr/bin/env gone-node\\n\n",
           "/data/x/a", "");
    assert_string_equal(command.interpreter, "/gone/node");
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "/gone/node"), 1);
    command_free(&command);
    command_expose(&command, "/data/x/b", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_string_equal(command.interpreter, "/usr/bin/env");
    assert_int_equal(planner_count_notes(&planner, NOTE_WARNING, "gone-node"), 1);
    command_free(&command);
}

static void every_bind_is_said_with_v(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    expose(&planner, &command, "f /data/x/a 0755 0\n", "/data/x/a", "");
    assert_null(command.interpreter);
    assert_int_equal(planner_count_notes(&planner, NOTE_VERBOSE, "/data/x is visible"), 1);
    command_free(&command);
}

/* What the user masked does not come back because it is a command. */
static void masked_commands_stay_masked(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner, "f /data/x/a 0755\n", NULL);
    plan_add(&planner.plan, GROUP_MASKS, PLAN_COVER_EMPTY, "/data/x", "--mask");
    command_expose(&command, "/data/x/a", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_true(planner_has_exactly(&planner, GROUP_COMMAND, ""));
    command_free(&command);
}

/* A writable map is as untrusted as the project. */
static void writable_maps_are_not_the_users_word(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner,
                 "f /data/src/x 0755 0 #!/data/private/run\\n\nf /data/private/run 0755\n", NULL);
    plan_add_bind(&planner.plan, planner.host.fs, GROUP_MAPS_OUTSIDE, PLAN_RW, "/data/src",
                  "/data/src", "--rw-map");
    command_expose(&command, "/data/src/x", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_true(planner_has_exactly(&planner, GROUP_COMMAND, "ro /data/private/run\n"));
    command_free(&command);
}

static void attempts_of_the_project_are_said(void **state)
{
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    expose(&planner, &command,
           "f /home/u/proj/x 0755 1000 #!/home/u/.ssh/id\\n\nf /home/u/.ssh/id 0700 1000\n",
           H "/proj/x", "");
    assert_int_equal(planner_count_notes(&planner, NOTE_SECURITY, "/home/u/.ssh/id"), 1);
    command_free(&command);
}

static void secret_dotdirs_are_sorted_and_complete(void **state)
{
    static const char *const wanted[] = {
        ".gnupg",          ".aws",     ".ssh",      ".mozilla", ".thunderbird",
        ".basilisk-dev",   ".sparrow", ".docker",   ".kube",    ".azure",
        ".password-store", ".kimi",    ".kimi-code"};
    size_t count = 0;

    (void)state;
    for (; secret_dotdirs[count]; count++)
        if (count)
            assert_true(strcmp(secret_dotdirs[count - 1], secret_dotdirs[count]) < 0);
    assert_int_equal(count, ARRAY_SIZE(wanted));
    for (size_t i = 0; i < ARRAY_SIZE(wanted); i++) {
        bool found = false;

        for (size_t k = 0; k < count; k++)
            found |= strcmp(wanted[i], secret_dotdirs[k]) == 0;
        assert_true(found);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shows_what_a_command_needs),
        cmocka_unit_test(home_stays_closed_around_an_agent_in_it),
        cmocka_unit_test(project_that_names_a_command),
        cmocka_unit_test(project_that_names_a_program_of_path),
        cmocka_unit_test(program_in_a_writable_part_of_home),
        cmocka_unit_test(sockets_next_to_a_command_stay_out),
        cmocka_unit_test(runtime_directory_is_known_by_its_variable),
        cmocka_unit_test(forty_hops_lead_to_the_package),
        cmocka_unit_test(missing_hops_are_named),
        cmocka_unit_test(missing_interpreters_are_named),
        cmocka_unit_test(every_bind_is_said_with_v),
        cmocka_unit_test(masked_commands_stay_masked),
        cmocka_unit_test(writable_maps_are_not_the_users_word),
        cmocka_unit_test(attempts_of_the_project_are_said),
        cmocka_unit_test(secret_dotdirs_are_sorted_and_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
