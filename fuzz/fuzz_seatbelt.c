// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_seatbelt: names and patterns of others in a profile for macOS.
 *
 * The input is a list of lines: the first names the project, the others are entries of masks, denies, their
 * exceptions, maps and hidden directories, by their first byte. Whatever they are, what comes out is refused, or
 * it is a profile in which, strings taken out, stand nothing but the words that the generator knows, in
 * balanced parentheses, and no rule about files without a filter.
 */
#include "backend/seatbelt.h"

#include <errno.h>
#include <string.h>

#define LINES_MAX 24
#define LINE_MAX_ 200

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* ---- a file system in which everything is there ---- */

static int fake_stat(void *ctx, const char *path, bool follow, struct fs_stat *out)
{
    uint64_t ino = 1469598103934665603u; /* FNV-1a: another one for each path */

    (void)ctx;
    (void)follow;
    for (const char *at = path; *at; at++)
        ino = (ino ^ (uint8_t)*at) * 1099511628211u;
    *out = (struct fs_stat){
        .type = strstr(path, "file") ? FS_FILE : FS_DIR, .mode = 0755, .uid = 501, .ino = ino};
    /* What a pattern is must not be there by that name. */
    return strpbrk(path, "*?") || strstr(path, "absent") ? -ENOENT : 0;
}

static ssize_t fake_readlink(void *ctx, const char *path, char *target, size_t len)
{
    (void)ctx;
    (void)path;
    (void)target;
    (void)len;
    return -EINVAL;
}

static ssize_t fake_read_head(void *ctx, const char *path, void *bytes, size_t len)
{
    (void)ctx;
    (void)path;
    (void)bytes;
    (void)len;
    return -EACCES;
}

static int fake_list(void *ctx, const char *path, int (*each)(void *arg, const char *name),
                     void *arg)
{
    (void)ctx;
    (void)path;
    (void)each;
    (void)arg;
    return 0;
}

static const struct fs fake_fs = {
    .stat = fake_stat,
    .readlink = fake_readlink,
    .read_head = fake_read_head,
    .list = fake_list,
};

/* ---- reading the profile ---- */

static bool is_known(const char *word, size_t len)
{
    static const char *const words[] = {
        "version",
        "1",
        "allow",
        "deny",
        "default",
        "literal",
        "subpath",
        "regex",
        "require-all",
        "require-any",
        "require-not",
        "extension",
        "global-name",
        "target",
        "same-sandbox",
        "remote",
        "local",
        "ip",
        "tcp",
        "process-exec",
        "process-fork",
        "signal",
        "process-info*",
        "sysctl-read",
        "sysctl-name-prefix",
        "mach-lookup",
        "pseudo-tty",
        "file-ioctl",
        "system-socket",
        "file-read*",
        "file-write*",
        "file-read-data",
        "file-read-metadata",
        "network-bind",
        "file-read-xattr",
        "file-write-unlink",
        "network-inbound",
        "network-outbound",
    };

    for (size_t i = 0; i < ARRAY_SIZE(words); i++)
        if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
            return true;
    return false;
}

/* Behind a string that begins at text. */
static const char *skip_string(const char *text)
{
    for (text++; *text != '"'; text++) {
        assert((unsigned char)*text >= 0x20 && *text != 0x7F);
        if (*text == '\\') {
            text++;
            assert(*text && strchr("\\\"nrt", *text));
        }
    }
    return text + 1;
}

static void check(const char *text)
{
    int depth = 0;
    size_t filters = 0;
    bool is_about_files = false;

    while (*text) {
        size_t len;

        if (*text == '"') {
            text = skip_string(text);
        } else if (*text == ';') { /* comments are the generator's own */
            text += strcspn(text, "\n");
        } else if (*text == '(') {
            filters += ++depth == 2;
            text++;
        } else if (*text == ')') {
            assert(depth > 0);
            if (--depth == 0) {
                assert(!is_about_files || filters > 0);
                filters = 0;
                is_about_files = false;
            }
            text++;
        } else if (*text == ' ' || *text == '\n') {
            text++;
        } else {
            len = strcspn(text, " \n()\";");
            assert(depth > 0 && is_known(text, len));
            is_about_files |= strncmp(text, "file-", 5) == 0;
            text += len;
        }
    }
    assert(depth == 0);
}

/* ---- the input ---- */

static void add_entry(struct config *config, const char *line)
{
    static const struct {
        char tag;
        enum setting_id id;
    } lists[] = {
        {'m', SET_MASK},
        {'d', SET_DENY_PATHS},
        {'e', SET_MASK_EXCEPTIONS},
        {'x', SET_DENY_PATH_EXCEPTIONS},
        {'r', SET_RO_MAPS},
        {'w', SET_RW_MAPS},
        {'h', SET_HIDE_DOTDIRS},
        {'o', SET_OVERLAY_MAPS},
    };

    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        if (line[0] == lists[i].tag && line[1])
            config_add(config, lists[i].id, line + 1);
}

static void read_lines(struct strv *lines, const uint8_t *data, size_t size)
{
    size_t begin = 0;

    for (size_t i = 0; i <= size && lines->n < LINES_MAX; i++) {
        if (i < size && data[i] != '\0' && data[i] != 0x1E)
            continue;
        if (i - begin < LINE_MAX_)
            strv_push_owned(lines, xstrndup((const char *)data + begin, i - begin));
        begin = i + 1;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char home[] = "/Users/u";
    static char tmp[] = "/private/var/folders/T/ai-jail-RUN";
    static char empty[] = "";
    const struct seatbelt_facts facts = {.tty = "/dev/ttys003"};
    struct host host = {.fs = &fake_fs,
                        .uid = 501,
                        .home = home,
                        .home_spelling = home,
                        .machine_id = empty,
                        .bwrap.fd = -1};
    struct strv lines CLEANUP(strv_free) = {0};
    struct strv command CLEANUP(strv_free) = {0};
    struct config config _cleanup_config_;
    struct policy policy = {0};
    struct error error = {0};
    struct notes notes = {0};
    _cleanup_free_ char *profile = NULL;
    _cleanup_free_ char *cwd = NULL;

    config_builtin(&config);
    read_lines(&lines, data, size);
    if (!lines.v[0][0] || strpbrk(lines.v[0], "/*?") || lines.v[0][0] == '.')
        return 0;
    cwd = xasprintf("%s/%s", home, lines.v[0]);
    host.cwd = host.cwd_spelling = cwd;
    host.macos = (struct host_macos){.is_on = true, .tmp = tmp, .port = 1};
    assert(!host_getenv(&host, "HOME")); /* nothing is inherited, so every run is the same */
    config.place.layer = LAYER_CLI;
    for (size_t i = 1; i < lines.n; i++)
        add_entry(&config, lines.v[i]);
    strv_push(&command, "claude");
    if (policy_build(&policy, &config, &host, &command, &notes, &error) == 0)
        profile = seatbelt_profile(&policy, &facts, &error);
    if (profile)
        check(profile);
    policy_free(&policy);
    notes_free(&notes);
    return 0;
}
