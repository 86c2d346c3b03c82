# SPDX-License-Identifier: GPL-3.0-only
"""agents: real agents, as npm installs them, and what each needs to start without a network.

They are looked for below AI_JAIL_AGENTS (the prefix of `npm install -g --prefix`), then on PATH.
Each gets a home that says that it was set up before and that the project is trusted, so that it
begins with the screen at which one works. No key in it is real.
"""
import json
import os
import shutil

KEY = "sk-ant-" + "0" * 40


def claude_home(project):
    state = {"hasCompletedOnboarding": True, "theme": "dark", "numStartups": 5,
             "customApiKeyResponses": {"approved": [KEY[-20:]], "rejected": []},
             "projects": {project: {"hasTrustDialogAccepted": True,
                                    "hasCompletedProjectOnboarding": True}}}
    return {".claude/.claude.json": json.dumps(state), ".claude/settings.json": "{}"}


def codex_home(project):
    return {".codex/auth.json": json.dumps({"OPENAI_API_KEY": KEY}),
            ".codex/config.toml": "check_for_update_on_startup = false\n"
                                  f'[projects."{project}"]\ntrust_level = "trusted"\n'}


def gemini_home(project):
    settings = {"security": {"auth": {"selectedType": "gemini-api-key"},
                             "folderTrust": {"enabled": False}},
                "general": {"disableAutoUpdate": True, "enableAutoUpdate": False},
                "ui": {"hideTips": True, "theme": "Default"}}
    return {".gemini/settings.json": json.dumps(settings),
            ".gemini/trustedFolders.json": json.dumps({project: "TRUST_FOLDER"})}


def opencode_home(_project):
    return {".config/opencode/opencode.json": json.dumps({"autoupdate": False, "share": "disabled"}),
            ".local/share/opencode/.keep": "", ".local/state/opencode/.keep": "",
            ".cache/opencode/.keep": ""}


# name: what its home holds, which parts of it the jail shows, variables, a line of its first
# screen, and what of that screen changes by itself.
AGENTS = {
    "claude": (claude_home, [".claude"],
               {"ANTHROPIC_API_KEY": KEY, "CLAUDE_CONFIG_DIR": "HOME/.claude",
                "DISABLE_AUTOUPDATER": "1", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1"},
               r"^\W*❯|for shortcuts|Claude Code", ()),
    "codex": (codex_home, [".codex"], {}, "Ask Codex|to do anything",
              (r"[\u2800-\u28ff]+",)),          # the logo turns
    "gemini": (gemini_home, [".gemini"], {"GEMINI_API_KEY": KEY}, "Type your message",
               (r"[\u2800-\u28ff]",)),
    "opencode": (opencode_home, [".config", ".local/share", ".local/state", ".cache"],
                 {"OPENCODE_DISABLE_DEFAULT_PLUGINS": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1",
                  "OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"},
                 "ctrl.p commands", (r"Tip.*", r"Ask anything.*")),
}


def prefix():
    """The directory to show in the jail, None if the agents come from PATH."""
    return os.environ.get("AI_JAIL_AGENTS")


def find(name):
    """Path of an agent, None if it is not there."""
    top = prefix()
    return shutil.which(name, path=os.path.join(top, "bin") if top else os.environ.get("PATH"))


def shown_inside(path):
    """What has to be mapped for it: the prefix."""
    return prefix() or os.path.dirname(os.path.dirname(path))


def make_home(name, home, project):
    """A fresh home at that place."""
    shutil.rmtree(home, ignore_errors=True)
    for path, text in AGENTS[name][0](project).items():
        path = os.path.join(home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)


def variables(name, home):
    return {key: value.replace("HOME", home) for key, value in AGENTS[name][2].items()}


def jail_options(name, path, home):
    """Of ai-jail, so that the agent finds inside what it has outside. The network is the host's on
    both sides: whether it answers is no difference."""
    words = ["--no-save-config", "--exec", "--network", "--map", shown_inside(path)]
    for part in AGENTS[name][1]:
        words += ["--rw-map", os.path.join(home, part)]
    for key in AGENTS[name][2]:
        words += ["--env", key]
    return words
