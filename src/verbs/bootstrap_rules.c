// SPDX-License-Identifier: GPL-3.0-only
/*
 * bootstrap_rules: what --bootstrap lets the agents do without asking, and what it does not.
 *
 * Sources: Gemini CLI, policy engine (TOML rules with toolName, commandPrefix, decision, priority); Claude
 * Code, settings (permissions.allow, ask, deny; "Bash(PREFIX:*)"); Codex, config.toml
 * (approval_policy); OpenCode, permissions (permission.bash, edit, write).
 */
#include "verbs/bootstrap_rules.h"

#include "base/buf.h"
#include "config/toml.h"

#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX (2 * MIB)

/* Prefixes of shell commands, NULL behind the last. No prefix is in two of the lists; deny beats ask,
 * ask beats allow. */
static const char *const allowed[] = {
    "git status",
    "git diff",
    "git log",
    "git show",
    "git rev-parse",
    "git ls-files",
    "git remote -v",
    "git fetch",
    "git add",
    "git commit",
    "git stash",
    "git switch",
    "ls",
    "cat",
    "head",
    "tail",
    "wc",
    "file",
    "stat",
    "which",
    "tree",
    "du",
    "df",
    "pwd",
    "date",
    "uname",
    "id",
    "whoami",
    "rg",
    "grep",
    "sort",
    "uniq",
    "cut",
    "diff",
    "jq",
    "mkdir",
    "touch",
    "cp",
    "cargo build",
    "cargo check",
    "cargo test",
    "cargo clippy",
    "cargo fmt",
    "go build",
    "go test",
    "go vet",
    "npm test",
    "npm run",
    "pnpm run",
    "yarn run",
    "bun run",
    "pytest",
    "mix test",
    "bundle exec",
    "rake",
    "make",
    "cmake",
    "ctest",
    NULL,
};

static const char *const asked[] = {
    "git push",    "git pull", "git merge",   "git rebase",  "git checkout",  "git branch",
    "git tag",     "rm",       "mv",          "find",        "xargs",         "sed",
    "awk",         "env",      "curl",        "gh",          "docker run",    "docker exec",
    "docker stop", "kamal",    "npm install", "pip install", "cargo install", "gem install",
    "go install",  "go get",   NULL,
};

static const char *const denied[] = {
    "sudo",
    "su",
    "doas",
    "chmod 777",
    "git reset --hard",
    "git clean",
    "git push --force",
    "git push -f",
    "docker rm",
    "docker rmi",
    "docker system prune",
    NULL,
};

/* ---- JSON ---- */

/* Comments, which editors accept in such files, become blanks. True if there was one. */
static bool blank_comments(char *text, size_t len)
{
    bool found = false;

    for (size_t i = 0; i < len; i++) {
        if (text[i] == '"') {
            for (i++; i < len && text[i] != '"'; i++)
                i += text[i] == '\\';
        } else if (text[i] == '/' && i + 1 < len && text[i + 1] == '/') {
            found = true;
            while (i < len && text[i] != '\n')
                text[i++] = ' ';
        } else if (text[i] == '/' && i + 1 < len && text[i + 1] == '*') {
            size_t end = i + 2;

            while (end + 1 < len && !(text[end] == '*' && text[end + 1] == '/'))
                end++;
            end = end + 2 < len ? end + 2 : len;
            found = true;
            for (; i < end; i++)
                text[i] = text[i] == '\n' ? '\n' : ' ';
            i--;
        }
    }
    return found;
}

/* The object in the file; a new one where there is no file. NULL with an error. */
static json_t *read_object(const char *old, size_t len, bool *has_comments, struct error *error)
{
    _cleanup_free_ char *text = xstrndup(old, len);
    json_error_t fault;
    json_t *root;

    *has_comments = false;
    if (len == 0)
        return json_object();
    if (strlen(text) == len)
        *has_comments = blank_comments(text, len);
    root = json_loadb(text, len, JSON_REJECT_DUPLICATES, &fault);
    if (root && json_is_object(root))
        return root;
    if (root)
        error_set(error, EINVAL, "it is no JSON object");
    else
        error_set(error, EINVAL, "line %d, column %d: it is no valid JSON", fault.line,
                  fault.column);
    json_decref(root);
    return NULL;
}

static char *write_object(json_t *root, bool is_changed, bool has_comments, struct error *error)
{
    char *text = NULL;
    char *line = NULL;

    if (is_changed && has_comments)
        error_set(error, EINVAL, "its comments would be lost: add the entries by hand");
    else if (is_changed)
        text = json_dumps(root, JSON_INDENT(2));
    json_decref(root);
    if (!text)
        return NULL;
    line = xasprintf("%s\n", text);
    free(text);
    return line;
}

/* The member of that kind; made where it is absent. NULL: it is something else. */
static json_t *member(json_t *object, const char *name, json_type type)
{
    json_t *value = json_object_get(object, name);

    if (!value) {
        value = type == JSON_OBJECT ? json_object() : json_array();
        json_object_set_new(object, name, value);
    }
    return json_typeof(value) == type ? value : NULL;
}

static bool has_string(json_t *array, const char *text)
{
    for (size_t i = 0; i < json_array_size(array); i++)
        if (str_eq(json_string_value(json_array_get(array, i)), text))
            return true;
    return false;
}

static bool add_prefixes(json_t *array, const char *const *prefixes)
{
    bool is_changed = false;

    for (size_t i = 0; prefixes[i]; i++) {
        _cleanup_free_ char *rule = xasprintf("Bash(%s:*)", prefixes[i]);

        if (has_string(array, rule))
            continue;
        json_array_append_new(array, json_string(rule));
        is_changed = true;
    }
    return is_changed;
}

char *bootstrap_claude(const char *old, size_t len, struct error *error)
{
    static const struct {
        const char *name;
        const char *const *prefixes;
    } lists[] = {
        {"allow", allowed},
        {"deny", denied},
        {"ask", asked},
    };
    bool has_comments, is_changed = false;
    json_t *root = read_object(old, len, &has_comments, error);
    json_t *permissions = root ? member(root, "permissions", JSON_OBJECT) : NULL;

    if (!root)
        return NULL;
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        json_t *list = permissions ? member(permissions, lists[i].name, JSON_ARRAY) : NULL;

        if (!list) {
            error_set(error, EINVAL, "permissions.%s is no list", lists[i].name);
            json_decref(root);
            return NULL;
        }
        is_changed |= add_prefixes(list, lists[i].prefixes);
    }
    if (!json_object_get(permissions, "defaultMode")) {
        json_object_set_new(permissions, "defaultMode", json_string("acceptEdits"));
        is_changed = true;
    }
    return write_object(root, is_changed, has_comments, error);
}

char *bootstrap_opencode(const char *old, size_t len, struct error *error)
{
    static const char *const names[] = {"bash", "edit", "write"};
    bool has_comments, is_changed = false;
    json_t *root = read_object(old, len, &has_comments, error);
    json_t *permission;

    if (!root)
        return NULL;
    if (json_is_string(json_object_get(root, "permission"))) /* one word for all of them */
        return write_object(root, false, has_comments, error);
    permission = member(root, "permission", JSON_OBJECT);
    if (!permission) {
        error_set(error, EINVAL, "permission is no object");
        json_decref(root);
        return NULL;
    }
    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        if (json_object_get(permission, names[i]))
            continue;
        json_object_set_new(permission, names[i], json_string("allow"));
        is_changed = true;
    }
    return write_object(root, is_changed, has_comments, error);
}

/* ---- TOML ---- */

char *bootstrap_codex(const char *old, size_t len, struct error *error)
{
    static const char bom[] = "\xef\xbb\xbf";
    size_t skip = len >= 3 && memcmp(old, bom, 3) == 0 ? 3 : 0;
    struct toml_error fault;
    struct toml_node *root = toml_parse(old + skip, len - skip, &fault);
    bool has_it = false;

    if (!root) {
        error_set(error, EINVAL, "line %u, column %u: %s", fault.line, fault.column, fault.reason);
        return NULL;
    }
    for (const struct toml_node *node = root->first; node; node = node->next)
        has_it |= str_eq(node->key, "approval_policy");
    toml_free(root);
    /* In front of everything: behind a [table] it would belong to that. */
    return has_it ? NULL
                  : xasprintf("approval_policy = \"on-request\"\n%.*s", (int)(len - skip),
                              len > skip ? old + skip : "");
}

static void append_rule(struct buf *text, const char *decision, unsigned priority,
                        const char *const *prefixes)
{
    buf_printf(text, "\n[[rule]]\ntoolName = \"run_shell_command\"\ncommandPrefix = [\n");
    for (size_t i = 0; prefixes[i]; i++)
        buf_printf(text, "  \"%s\",\n", prefixes[i]);
    buf_printf(text, "]\ndecision = \"%s\"\npriority = %u\n", decision, priority);
}

char *bootstrap_gemini(const char *old, size_t len, struct error *error)
{
    struct buf text CLEANUP(buf_free);

    (void)error;
    buf_init(&text, TEXT_MAX);
    buf_append_str(&text,
                   "# Made by ai-jail --bootstrap, which writes it anew each time: put rules of "
                   "your own into\n# another file of this directory.\n\n[[rule]]\ntoolName = [\n"
                   "  \"read_file\",\n  \"read_many_files\",\n  \"list_directory\",\n  \"glob\",\n"
                   "  \"search_file_content\",\n  \"replace\",\n  \"write_file\",\n]\n"
                   "decision = \"allow\"\npriority = 100\n");
    append_rule(&text, "allow", 110, allowed);
    append_rule(&text, "ask_user", 120, asked);
    append_rule(&text, "deny", 900, denied);
    if (text.len == len && memcmp(text.data, old, len) == 0)
        return NULL;
    return buf_take_cstr(&text);
}
