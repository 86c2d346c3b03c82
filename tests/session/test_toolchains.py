#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-3.0-only
"""Build tools of HOME in a jail, their caches, and the environment that mise makes."""
import json
import os
import stat

import ptyrun
from ptyrun import SessionTest

STORE = ".local/share/ai-jail/cache"
CANARY = "canary-71c2"

# (directory of the host that turns the row on, where the cache is inside, its part of the store)
CACHES = (
    (".cargo", ".cargo/registry", "cargo/registry"),
    (".cargo", ".cargo/git", "cargo/git"),
    (".cache", ".cache", "xdg"),
    ("go", "go/pkg/mod", "go/pkg-mod"),
    (".npm", ".npm", "npm"),
    (".m2", ".m2/repository", "maven"),
    (".gradle", ".gradle/caches", "gradle"),
    (".bun", ".bun/install/cache", "bun"),
    (".local/share/pnpm", ".local/share/pnpm/store", "pnpm"),
    (".nuget", ".nuget/packages", "nuget"),
    (".pub-cache", ".pub-cache", "pub"),
    (".hex", ".hex", "hex"),
    (".mix", ".mix", "mix"),
    (".gem", ".gem", "gem"),
)

CREDENTIALS = (".cargo/credentials.toml", ".cargo/config.toml", ".npmrc", ".m2/settings.xml",
               ".m2/settings-security.xml", ".gradle/gradle.properties", ".gem/credentials",
               ".pub-cache/credentials.json", ".hex/hex.config", ".nuget/NuGet.Config",
               ".config/pip/pip.conf", ".cache/secret")

TOOLS = (".cargo/bin", ".rustup", "go/bin", ".bun/bin")
MANAGERS = (".nvm", ".volta", ".asdf", ".pyenv", ".rbenv", ".deno/bin", ".sdkman/candidates",
            ".local/share/fnm", ".local/bin")


class Home(SessionTest):
    def put(self, path, text="", mode=0o644):
        path = os.path.join(self.home, path)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, mode)

    def dir(self, path):
        os.makedirs(os.path.join(self.home, path), exist_ok=True)

    def run_inside(self, script, *options, env=None, cwd=None):
        """What the script prints; it must succeed."""
        code, out, err = self.run_piped([*options, "sh", "-c", script], env=env or self.env,
                                        cwd=cwd or self.project)
        self.assertEqual(code, 0, err)
        return out.decode(), err


class Toolchains(Home):
    def setUp(self):
        super().setUp()
        for directory, _, _ in CACHES:
            self.dir(directory)
        for directory in TOOLS:
            self.dir(directory)

    def test_caches_stay_and_are_the_jails(self):
        """P-TOOL-2, P-TOOL-4: written once, read by the next run of another project, never the host's."""
        for _, inside, _ in CACHES:
            self.put(f"{inside}/host", CANARY)
        script = "cd; for d in {}; do {}; done".format(
            " ".join(inside for _, inside, _ in CACHES),
            'test ! -e "$d/host" && echo kept > "$d/jail" || exit 3')
        self.run_inside(script)
        other = os.path.join(self.base, "other")
        os.mkdir(other)
        out, _ = self.run_inside("cd; cat {}".format(
            " ".join(f"{inside}/jail" for _, inside, _ in CACHES)), cwd=other)
        self.assertEqual(out, "kept\n" * len(CACHES))
        for _, inside, part in CACHES:
            self.assertEqual(os.listdir(os.path.join(self.home, inside)), ["host"])
            self.assertEqual(os.listdir(os.path.join(self.home, STORE, part)), ["jail"])
        for part in ("", "xdg", "cargo", "cargo/registry"):
            mode = os.stat(os.path.join(self.home, STORE, part)).st_mode
            self.assertEqual(stat.S_IMODE(mode), 0o700, part)

    def test_credentials(self):
        """P-TOOL-3: what lies beside a cache is not there."""
        for path in CREDENTIALS:
            self.put(path, CANARY, 0o600)
        out, _ = self.run_inside(
            "cd; grep -r {} . 2>/dev/null; for f in {}; do test ! -e $f || echo $f; done".format(
                CANARY, " ".join(CREDENTIALS)))
        # Two of the names have a content of ours.
        self.assertEqual(sorted(out.split()), [".gradle/gradle.properties", ".m2/settings.xml"])
        inside, _ = self.run_inside("cat ~/.m2/settings.xml ~/.gradle/gradle.properties")
        self.assertEqual(inside.count("15919"), 4)
        for path in CREDENTIALS:
            with open(os.path.join(self.home, path), encoding="utf-8") as file:
                self.assertEqual(file.read(), CANARY)

    def test_tools_are_read_only(self):
        for directory in TOOLS:
            self.put(f"{directory}/tool", f"#!/bin/sh\necho {directory}\n", 0o755)
        script = ("cd; for d in {}; do $d/tool || exit 3; "
                  "python3 -c 'import errno,sys\ntry: open(sys.argv[1], \"a\")\n"
                  "except OSError as e: print(errno.errorcode[e.errno])' $d/tool; done").format(
                      " ".join(TOOLS))
        out, _ = self.run_inside(script)
        self.assertEqual(out, "".join(f"{d}\nEROFS\n" for d in TOOLS))

    def test_managers_on_path(self):
        """P-TOOL-8: what PATH names is there; what is not, is told and taken out."""
        env = dict(self.env)
        for directory in MANAGERS:
            self.put(f"{directory}/x/bin/tool", "#!/bin/sh\necho $0\n", 0o755)
            env["PATH"] = f"{self.home}/{directory}/x/bin:{env['PATH']}"
        self.dir("private/bin")
        env["PATH"] = f"{self.home}/private/bin:{env['PATH']}"
        out, err = self.run_inside("echo $PATH; which -a tool", "-v", env=env)
        lines = out.split("\n")
        self.assertNotIn("private", lines[0])
        self.assertEqual(lines[1:-1], [f"{self.home}/{d}/x/bin/tool" for d in reversed(MANAGERS)])
        total = len(env["PATH"].split(":"))
        self.assertRegex(err, f"PATH: {total - 1} of {total} directories")

    def test_off(self):
        for options, expected in ([], True), (["--no-toolchains"], False):
            code, out, err = self.run_piped(["--dry-run", "--json", *options, "true"])
            self.assertEqual(code, 0, err)
            self.assertEqual(b'"crates.io"' in out, expected)
        out, _ = self.run_inside("cd; ls -A", "--no-toolchains")
        self.assertEqual(out, "")
        self.assertFalse(os.path.exists(os.path.join(self.home, STORE)))

    def test_lockdown(self):
        out, _ = self.run_inside("cd; ls -A", "--lockdown")
        self.assertEqual(out, "")

    def test_hidden_and_mapped(self):
        self.put(".npm/host", CANARY)
        self.put(".cargo/bin/cargo", "#!/bin/sh\n", 0o755)
        out, _ = self.run_inside("cd; ls -A .npm; ls -d .cargo 2>&1; true", "--hide-dotdir", "cargo",
                                 "--map", "~/.npm")
        self.assertIn("host", out)
        self.assertIn("No such file", out)

    def test_variables(self):
        """Passed if usable inside, also by --inherit-env, never as a wish."""
        env = dict(self.env, CARGO_HOME=f"{self.home}/.cargo", RUSTUP_HOME=f"{self.home}/.rustup",
                   GOPATH=f"{self.home}/go", NVM_DIR=f"{self.home}/.nvm", JAVA_HOME="/usr/lib",
                   GRADLE_USER_HOME="/usr/lib", GOROOT="/gone")
        for options in ((), ("--inherit-env",)):
            out, _ = self.run_inside("env", *options, env=env)
            names = {line.split("=")[0] for line in out.splitlines()}
            self.assertLessEqual({"CARGO_HOME", "RUSTUP_HOME", "GOPATH", "JAVA_HOME"}, names)
            self.assertFalse({"NVM_DIR", "GOROOT", "GRADLE_USER_HOME"} & names)

    def test_hostile_store(self):
        """P-TOOL-10: a link in place of a part leads nowhere."""
        os.makedirs(os.path.join(self.home, STORE), mode=0o700)
        target = os.path.join(self.base, "target")
        os.mkdir(target)
        os.symlink(target, os.path.join(self.home, STORE, "npm"))
        _, err = self.run_inside("cd; echo x > .npm-probe; mkdir -p .npm; echo x > .npm/x")
        self.assertIn("is not a directory", err)
        self.assertEqual(os.listdir(target), [])

    def test_status(self):
        code, out, err = self.run_piped(["status", "true"])
        self.assertEqual(code, 0, err)
        self.assertRegex(out.decode(), r"\.cargo/registry .*cache shared by all jails")
        code, out, err = self.run_piped(["status", "--json", "true"])
        self.assertEqual(code, 0, err)
        derived = {row["dest"]: row for row in json.loads(out)["derived"]}
        self.assertEqual(derived[f"{self.home}/.npm"]["source"], f"{self.home}/{STORE}/npm")
        self.assertFalse(os.path.exists(os.path.join(self.home, STORE)))


class Mise(Home):
    """A program of that name which says what a test wants."""

    def setUp(self):
        super().setUp()
        self.dir(".local/share/mise")
        self.dir(".config/mise")
        self.env["PATH"] = f"{self.home}/.local/bin:{self.env['PATH']}"

    def mise(self, script):
        self.put(".local/bin/mise", "#!/bin/sh\n" + script + "\n", 0o755)

    def answer(self, **variables):
        self.put(".local/share/mise/answer.json", json.dumps(variables))
        self.mise(f"cat {self.home}/.local/share/mise/answer.json")

    def test_environment(self):
        self.put(".local/share/mise/installs/x/bin/tool", "#!/bin/sh\necho found\n", 0o755)
        self.answer(PATH=f"{self.home}/.local/share/mise/installs/x/bin:/gone:/usr/bin:/bin",
                    NEW="ä b")
        out, err = self.run_inside("tool; echo $PATH; echo $NEW", "-v")
        self.assertEqual(out, f"found\n{self.home}/.local/share/mise/installs/x/bin:/usr/bin:/bin\n"
                              "ä b\n")
        self.assertIn("PATH: 3 of 4", err)

    def test_what_it_is_given(self):
        """Its own words and variables, no terminal, nothing of ours open, the project as directory."""
        self.mise('printf \'{"A":"%s","B":"%s","C":"%s","D":"%s","E":"%s"}\' "$*" "$PWD" '
                  '"$MISE_TRUSTED_CONFIG_PATHS $MISE_NOT_FOUND_AUTO_INSTALL" '
                  '"$(echo $(ls /proc/self/fd))" "$(cat /dev/tty 2>&1 | tr -d \'\\n\'; cat)"')
        terminal, process = self.on_terminal(
            ["sh", "-c", 'printf "%s|%s|%s|%s|%s|%s.\\n" "$A" "$B" "$C" "$D" "$E" '
                         '"$MISE_TRUSTED_CONFIG_PATHS"'])
        self.assertEqual(process.wait(), 0)
        line = bytes(terminal.output).decode().replace("\r", "")
        self.assertIn(f"env --json|{self.project}|{self.project} false|0 1 2 3|", line)
        self.assertIn("No such device or address|.\n", line)

    def test_what_stays(self):
        """What the jail depends on and what the user said; for the rest mise is believed."""
        self.put("file.env", "FROM_FILE=user\n", 0o600)
        self.answer(http_proxy="http://evil", HTTPS_PROXY="http://evil", ALL_PROXY="evil",
                    Ftp_Proxy="evil", NO_PROXY="*", NODE_USE_ENV_PROXY="0", AI_JAIL="0",
                    HOME="/evil", FROM_ENV="evil", FROM_FILE="evil", LD_PRELOAD="/none.so",
                    TERM="dumb")
        out, _ = self.run_inside("env", "--env", "FROM_ENV=user", "--env-from-file",
                                 f"{self.home}/file.env")
        env = dict(line.split("=", 1) for line in out.splitlines())
        self.assertNotIn("evil", out)
        self.assertEqual(env["http_proxy"], "http://127.0.0.1:15919")
        self.assertEqual((env["NO_PROXY"], env["NODE_USE_ENV_PROXY"], env["AI_JAIL"]),
                         ("", "1", "1"))
        self.assertEqual((env["FROM_ENV"], env["FROM_FILE"], env["HOME"]),
                         ("user", "user", self.home))
        self.assertEqual((env["LD_PRELOAD"], env["TERM"]), ("/none.so", "dumb"))

    def test_failures(self):
        """P-TOOL-7: each is one warning, and the command starts as without mise."""
        long = '"' + "x" * 140000 + '"'
        cases = (
            ("echo garbage", "object of strings"),
            ("echo '{\"A\": 1}'", "object of strings"),
            ("echo '{\"A\": {\"B\": \"c\"}}'", "object of strings"),
            ("echo '{\"A\": \"b\"} {}'", "object of strings"),
            ("printf '{\"A\": \"b\"'", "object of strings"),
            ("true", "object of strings"),
            ("echo '{\"A\": \"b\"}'; exit 3", "exit code 3"),
            ("echo '{\"A\": \"b\"}'; kill -9 $$", "signal 9"),
            ("yes", "more than"),
            (f"echo '{{\"A\": {long}}}'", "more than"),
        )
        for script, expected in cases:
            self.mise(script)
            out, err = self.run_inside("echo -${A}-")
            self.assertEqual(out, "--\n", script[:50])
            self.assertEqual(err.count("mise"), 2, err)  # its name and --no-mise: one line
            self.assertIn(expected, err)

    def test_hanging(self):
        """The limit is 5 s; what it left behind has been killed when the command starts, and is gone
        as soon as it could end."""
        self.mise("sleep 1000 & sleep 1000")
        out, err = self.run_inside("n=0; while set -- /proc/[0-9]*; [ $# -gt 2 ] && [ $n -lt 300 ]; "
                                   "do n=$((n + 1)); sleep 0.05; done; echo $#")
        self.assertEqual(int(out), 2)
        self.assertIn("did not answer in time", err)

    def test_interrupted(self):
        """A signal does not wait for the limit."""
        self.put("started", "")
        self.mise(f"echo asked > {self.project}/asked; sleep 1000")
        err = self.output()
        process = self.start(["true"], [self.null, self.null, err.fd])
        ptyrun.wait_for(lambda: os.path.exists(f"{self.project}/asked"), "the question")
        process.kill(ptyrun.signal.SIGTERM)
        self.assertEqual(process.wait(), 128 + ptyrun.signal.SIGTERM)
        self.assertNotIn("did not answer in time", err.text())

    def test_not_asked(self):
        self.answer(A="b")
        for options in (["--no-mise"], ["--lockdown"]):
            out, err = self.run_inside("echo -$A-; ls ~/.config/mise 2>/dev/null; true", *options)
            self.assertEqual(out, "--\n")
            self.assertNotIn("mise", err)

    def test_project_decides_nothing(self):
        """A mise in the project is not the user's."""
        os.mkdir(f"{self.project}/bin")
        with open(f"{self.project}/bin/mise", "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho '{\"A\": \"evil\"}'\n")
        os.chmod(f"{self.project}/bin/mise", 0o755)
        env = dict(self.env, PATH=f"{self.project}/bin:{ptyrun.PATH}")
        out, _ = self.run_inside("echo -$A-", env=env)
        self.assertEqual(out, "--\n")

    def test_host_state(self):
        """P-TOOL-1: whatever the home is, the jail cannot have a file trusted outside."""
        self.answer(A="b")
        self.dir(".local/state/mise/trusted-configs")
        for options in ([], ["--no-private-home"]):
            self.run_inside("cd; for d in .local/state/mise/trusted-configs .local/share/mise "
                            ".config/mise; do mkdir -p $d; touch $d/evil; done 2>/dev/null; true",
                            *options)
            for path in (".local/state/mise/trusted-configs", ".local/share/mise", ".config/mise"):
                self.assertNotIn("evil", os.listdir(os.path.join(self.home, path)), options)


if __name__ == "__main__":
    ptyrun.main()
