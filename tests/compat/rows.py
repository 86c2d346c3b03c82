# SPDX-License-Identifier: GPL-3.0-only
"""rows: what is tried in a jail, one row for each.

program   must be installed for the row to run
flags     what ai-jail has to be given, and nothing more
outside   shell commands that prepare the project, run without a jail
inside    shell commands that must succeed in the jail
want      what they must print
heavy     runs with -DAI_JAIL_COMPAT=all only
"""
import collections

Row = collections.namedtuple("Row", "name program flags outside inside want heavy",
                             defaults=("", "", "", "", False))

REPO = ("git init -q -b main . && echo one > file && git add file && git commit -q -m one\n")

HELLO_C = "printf '#include <stdio.h>\\nint main(void){puts(\"hello\");}\\n' > hello.c\n"

WHEEL = r"""/usr/bin/python3 - <<'PY'
import zipfile
with zipfile.ZipFile("tried-1.0-py3-none-any.whl", "w") as z:
    z.writestr("tried.py", "ANSWER = 42\n")
    z.writestr("tried-1.0.dist-info/METADATA", "Metadata-Version: 2.1\nName: tried\nVersion: 1.0\n")
    z.writestr("tried-1.0.dist-info/WHEEL",
               "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    z.writestr("tried-1.0.dist-info/RECORD", "")
PY
"""

PACKAGE = r"""mkdir dep app && printf '{"name":"dep","version":"1.0.0","main":"i.js"}' > dep/package.json
echo 'module.exports = 42' > dep/i.js
printf '{"name":"app","version":"1.0.0"}' > app/package.json
"""

POM = ("printf '<project><modelVersion>4.0.0</modelVersion><groupId>g</groupId>"
       "<artifactId>a</artifactId><version>1</version><packaging>pom</packaging></project>' > pom.xml")

KEY = ("gpg --batch --quiet --pinentry-mode loopback --passphrase '' --quick-gen-key t@example.org "
       "ed25519 sign never")

ROWS = (
    # ---- version control
    Row("git commit", "git", "", REPO, "echo two >> file && git commit -qam two && git log --oneline | wc -l", "2"),
    Row("git rebase", "git", "", REPO + "git switch -qc side && echo s > s && git add s && "
        "git commit -qm side && git switch -q main && echo m > m && git add m && git commit -qm main",
        "git rebase -q main side && git log --oneline | wc -l", "3"),
    Row("git stash", "git", "", REPO, "echo x >> file && git stash -q && git stash pop -q && "
        "git diff --stat | tail -1", "1 file changed"),
    Row("git worktree add", "git", "", REPO, "git worktree add -q tree -b other && "
        "cd tree && echo x > x && git add x && git commit -qm x && git branch", "other"),
    Row("git clone", "git", "", "git init -q -b main one && cd one && echo 1 > f && git add f && "
        "git commit -qm 1", "git clone -q one two && cat two/f", "1"),
    Row("git fetch, git push", "git", "", "git init -q --bare -b main bare && git clone -q bare work "
        "2>&1 && cd work && git switch -qc main && echo 1 > f && git add f && git commit -qm 1",
        "cd work && git push -q ../bare main && git fetch -q ../bare main && git -C ../bare log --oneline", "1"),
    Row("git submodule add", "git", "--no-protect-git", REPO + "git init -q -b main sub && "
        "git -C sub commit -q --allow-empty -m s && echo sub > .gitignore",
        'git -c protocol.file.allow=always submodule --quiet add "$PWD/sub" lib && '
        "git submodule status", "lib"),
    Row("git remote add, git config", "git", "--no-protect-git", REPO,
        "git remote add o /nowhere && git config a.b c && git remote", "o"),
    Row("git gc", "git", "", REPO, "git gc -q && git fsck && git log --oneline", "one"),
    # ---- compilers and builds
    Row("gcc", "gcc", "", HELLO_C, "gcc -o hello hello.c && ./hello", "hello"),
    Row("g++", "g++", "", "printf '#include <iostream>\\nint main(){std::cout << 6*7;}\\n' > a.cc",
        "g++ -o a a.cc && ./a", "42"),
    Row("clang", "clang", "", HELLO_C, "clang -o hello hello.c && ./hello", "hello"),
    Row("make -j", "make", "", HELLO_C + "printf 'all: a b\\na b: hello\\n\\tcp hello $@\\n' > Makefile",
        "make -s -j4 && ./a && ./b", "hello\nhello"),
    Row("cmake", "cmake", "", HELLO_C + "printf 'cmake_minimum_required(VERSION 3.10)\\nproject(h C)\\n"
        "add_executable(hello hello.c)\\n' > CMakeLists.txt",
        "cmake -S . -B out >/dev/null && cmake --build out >/dev/null && out/hello", "hello"),
    Row("ninja", "ninja", "", "printf 'rule r\\n command = echo made > $out\\nbuild a: r\\n' > build.ninja",
        "ninja >/dev/null && cat a", "made"),
    Row("cargo build --offline", "cargo", "", "mkdir src && printf '[package]\\nname = \"m\"\\n"
        "version = \"0.1.0\"\\nedition = \"2021\"\\n' > Cargo.toml && echo 'fn main() "
        "{ println!(\"{}\", 42); }' > src/main.rs", "cargo build -q --offline && target/debug/m", "42"),
    Row("javac, java", "javac", "", "printf 'class A { public static void main(String[] a) "
        "{ System.out.println(42); } }' > A.java", "javac A.java && java A", "42"),
    Row("mvn -o validate", "mvn", "", POM, # Java takes HOME from passwd(5), which the test cannot change.
        "MAVEN_OPTS=-Duser.home=$HOME mvn -q -o validate && echo valid", "valid"),
    # ---- languages
    Row("python3 -m venv", "python3", "", "", "/usr/bin/python3 -m venv --without-pip v && "
        "v/bin/python -c 'print(42)'", "42"),
    Row("pip install WHEEL", "pip3", "", WHEEL, "/usr/bin/python3 -m pip install -q --no-index "
        "--root-user-action=ignore --target lib ./*.whl && "
        "PYTHONPATH=lib python3 -c 'import tried; print(tried.ANSWER)'", "42"),
    Row("python multiprocessing", "python3", "", "printf 'import multiprocessing as m\\n"
        "def f(x): return x * x\\nif __name__ == \"__main__\":\\n with m.Pool(4) as p: "
        "print(sum(p.map(f, range(4))))\\n' > m.py", "python3 m.py", "14"),
    Row("python asyncio subprocess", "python3", "", "printf 'import asyncio\\nasync def f():\\n "
        "p = await asyncio.create_subprocess_exec(\"echo\", \"42\")\\n await p.wait()\\n"
        "asyncio.run(f())\\n' > m.py", "python3 m.py", "42"),
    Row("node child processes", "node", "", "", "node -e 'const c = require(\"child_process\"); "
        "c.fork(\"/dev/stdin\", [], {silent: false}).on(\"exit\", () => "
        "console.log(c.execSync(\"echo 42\").toString()))' </dev/null", "42"),
    Row("node worker threads", "node", "", "", "node -e 'const w = require(\"worker_threads\"); "
        "new w.Worker(\"require(\\\"worker_threads\\\").parentPort.postMessage(42)\", {eval: true})"
        ".on(\"message\", m => console.log(m))'", "42"),
    Row("npm install DIRECTORY", "npm", "", PACKAGE, "cd app && npm install --silent --offline "
        "--no-audit ../dep && node -p 'require(\"dep\")'", "42"),
    Row("npm install TARBALL", "npm", "", PACKAGE, "(cd dep && npm pack --silent) && cd app && "
        "npm install --silent --offline --no-audit ../dep/*.tgz && node -p 'require(\"dep\")'", "42"),
    Row("pnpm install DIRECTORY", "pnpm", "", PACKAGE, "cd app && pnpm add --silent --offline ../dep && "
        "node -p 'require(\"dep\")'", "42"),
    Row("perl, fork and pipe", "perl", "", "", "perl -e 'open(P, \"-|\") || exec \"echo\", 42; print <P>'", "42"),
    Row("ruby", "ruby", "", "", "ruby -e 'puts `echo 42`'", "42"),
    # ---- looking at processes
    Row("gdb", "gdb", "--allow-debug", HELLO_C, "gcc -g -o hello hello.c && gdb -q -batch "
        "-ex 'break main' -ex run -ex bt ./hello 2>&1", "#0  main"),
    Row("strace -f", "strace", "--allow-debug", "", "strace -f -o log sh -c 'true; true' && "
        "grep -c execve log", "1"),
    Row("ps, pgrep, kill", "ps", "", "", "sleep 1000 & until pgrep sleep >/dev/null; do :; done; "
        "kill $! && ps -o comm", "sh"),
    # ---- keys
    Row("ssh-keygen", "ssh-keygen", "", "", "ssh-keygen -q -t ed25519 -N '' -f key && "
        "ssh-keygen -l -f key.pub", "ED25519"),
    Row("gpg --sign", "gpg", "", "", f"{KEY} 2>/dev/null && echo text | gpg --batch --quiet --clearsign",
        "BEGIN PGP SIGNATURE"),
    Row("openssl", "openssl", "", "", "openssl genpkey -algorithm ed25519 -out k 2>&1 && "
        "openssl pkey -in k -noout -text | head -1", "Private-Key"),
    # ---- terminals
    Row("tmux", "tmux", "", "", "tmux -f /dev/null new-session -d -s s 'echo 42 > out; tmux wait-for -S d; exec sleep 1000' && "
        "tmux wait-for d && cat out && tmux kill-server", "42"),
    Row("script", "script", "", "", "script -qec 'test -t 1 && echo 42' /dev/null", "42"),
    Row("bash, job control", "bash", "", "", "bash -c 'set -m; sleep 0.01 & wait %1; echo 42'", "42"),
    Row("vim", "vim", "", "", "echo 41 > f && vim -es -u NONE -c '%s/1/2/' -c wq f && cat f", "42"),
    # ---- data and files
    Row("sqlite3", "sqlite3", "", "", "sqlite3 db 'pragma journal_mode=wal; create table t(a); "
        "insert into t values(42); select a from t'", "42"),
    Row("tar", "tar", "", "echo 42 > f", "tar cz f | tar xzO", "42"),
    Row("zip, unzip", "unzip", "", "echo 42 > f", "zip -q f.zip f && unzip -p f.zip", "42"),
    Row("rsync", "rsync", "", "mkdir a && echo 42 > a/f", "rsync -a a/ b/ && cat b/f", "42"),
    Row("jq", "jq", "", "", "echo '{\"a\": 42}' | jq .a", "42"),
    Row("flock", "flock", "", "", "flock lock echo 42", "42"),
    Row("mkfifo", "mkfifo", "", "", "mkfifo p && (echo 42 > p &) && cat p", "42"),
    Row("bats", "bats", "", "printf '@test \"t\" { true; }\\n' > t.bats", "bats t.bats", "ok 1 t"),
    Row("a server on the loopback", "curl", "", "echo 42 > f", "python3 -m http.server 8123 "
        "--bind 127.0.0.1 >/dev/null 2>&1 & curl -s --noproxy '*' --retry 300 --retry-connrefused "
        "--retry-delay 1 --retry-max-time 300 http://127.0.0.1:8123/f; kill $!", "42"),
    # ---- what takes long
    Row("go build", "go", "", "printf 'module m\\n' > go.mod && printf 'package main\\nfunc main() "
        "{ println(42) }\\n' > m.go", "go build -o m . && ./m 2>&1", "42", True),
    Row("valgrind", "valgrind", "", HELLO_C, "gcc -o hello hello.c && valgrind -q ./hello", "hello", True),
    Row("gradle --offline", "gradle", "", "echo 'task t { doLast { println 42 } }' > build.gradle",
        # As mvn above.
        "GRADLE_OPTS=-Duser.home=$HOME gradle --offline -q t", "42", True),
    Row("chromium --headless", "chromium", "", "echo '<p>42' > p.html", "chromium --headless --no-sandbox "
        "--disable-gpu --dump-dom file://$PWD/p.html 2>/dev/null", "42", True),
)
