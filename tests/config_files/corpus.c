// SPDX-License-Identifier: GPL-3.0-only
/*
 * corpus: every shape that a configuration file ever had, and what is made of it.
 *
 * samples/{global,project}-NAME.toml is read as that kind of file; the layers with the place of each
 * value, the warnings, or the error, are compared with samples/....txt. UPDATE_GOLDEN=1 in the
 * environment writes those anew; the difference is then reviewed. A file that once was read must be
 * read for ever, so a change of an existing .txt needs a reason.
 */
#include "base/buf.h"
#include "base/fd.h"
#include "base/log.h"
#include "base/path.h"
#include "config/load.h"
#include "config/read.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TEXT_MAX (1 * MIB)

static void print_text(struct buf *out, const char *text)
{
    buf_append_byte(out, '"');
    log_escape(out, text, strlen(text));
    buf_append_byte(out, '"');
}

static void print_value(struct buf *out, const struct setting *row, const struct value *value)
{
    buf_printf(out, "%u:%u %s", value->origin.line, value->origin.column, row->key);
    if (row->type == TYPE_BOOL)
        buf_printf(out, " = %s\n", value->on != row->inverted ? "true" : "false");
    else if (row->type == TYPE_WORD)
        buf_printf(out, " = %s\n", value->word);
    else
        buf_printf(out, " = %zu entries\n", value->list.n);
    for (size_t i = 0; i < value->list.n; i++) {
        buf_printf(out, "    %u:%u ", value->origins[i].line, value->origins[i].column);
        print_text(out, value->list.v[i]);
        buf_append_byte(out, '\n');
    }
}

static void print_layer(struct buf *out, const struct config *config)
{
    for (size_t i = 0; i < SET_COUNT; i++)
        if (config->values[i].is_set)
            print_value(out, &settings[i], &config->values[i]);
}

static void print_layers(struct buf *out, const struct file_layers *layers)
{
    print_layer(out, &layers->base);
    for (size_t i = 0; i < layers->table_count; i++) {
        buf_printf(out, "%u [commands.%s]\n", layers->tables[i].line, layers->tables[i].name);
        print_layer(out, &layers->tables[i].config);
    }
}

static void print_line(struct buf *out, const char *class, const char *text)
{
    buf_printf(out, "%s: ", class);
    log_escape(out, text, strlen(text));
    buf_append_byte(out, '\n');
}

/* A path from outside is the sample's own: only its last component is the same everywhere. */
static void print_error(struct buf *out, const char *path, const char *text)
{
    size_t len = strlen(path) - strlen(path_base(path));

    print_line(out, "error", str_starts(text, path) ? text + len : text);
}

static void read_sample(struct buf *out, const char *path)
{
    const char *name = path_base(path);
    const struct load_request request = {
        .kind = LOAD_PROJECT, .path = path, .project = "/", .uid = geteuid()};
    const struct read_source source = {
        .path = name,
        .kind = str_starts(name, "global-") ? LAYER_GLOBAL : LAYER_PROJECT,
        .place = {.home = "/home/u", .cwd = "/home/u/project"},
    };
    _cleanup_loaded_ struct loaded loaded = {0};
    _cleanup_layers_ struct file_layers layers = {0};
    struct notes notes CLEANUP(notes_free) = {0};
    struct error error = {0};

    if (load_file(&request, &loaded, &error) < 0 ||
        read_layers(&source, buf_cstr(&loaded.bytes), loaded.bytes.len, &layers, &notes, &error) <
            0) {
        print_error(out, path, error.text);
        return;
    }
    print_layers(out, &layers);
    for (size_t i = 0; i < notes.n; i++)
        print_line(out, "warning", notes.v[i].text);
    if (!out->len)
        buf_append_str(out, "nothing is set\n");
}

static void write_file(const char *path, const struct buf *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);

    assert(fd >= 0 && fd_write_all(fd, text->data, text->len) == 0);
    close(fd);
}

static bool check_sample(const char *path)
{
    _cleanup_free_ char *stem = xstrndup(path, strlen(path) - strlen(".toml"));
    _cleanup_free_ char *want_path = xasprintf("%s.txt", stem);
    struct buf want CLEANUP(buf_free);
    struct buf have CLEANUP(buf_free);
    int fd;

    buf_init(&want, TEXT_MAX);
    buf_init(&have, TEXT_MAX);
    read_sample(&have, path);
    if (getenv("UPDATE_GOLDEN"))
        write_file(want_path, &have);
    fd = open(want_path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fd_read_all(fd, &want, TEXT_MAX) < 0) {
        printf("%s: cannot be read\n", want_path);
        return false;
    }
    close(fd);
    if (str_eq(buf_cstr(&want), buf_cstr(&have)))
        return true;
    printf("%s\n--- expected\n%s--- made\n%s", path, buf_cstr(&want), buf_cstr(&have));
    return false;
}

int main(int argc, char **argv)
{
    DIR *dir = argc == 2 ? opendir(argv[1]) : NULL;
    const struct dirent *entry;
    unsigned samples = 0;
    unsigned failures = 0;

    assert(dir);
    while ((entry = readdir(dir))) {
        size_t len = strlen(entry->d_name);
        _cleanup_free_ char *path = path_join(argv[1], entry->d_name);

        if (len < 5 || !str_eq(entry->d_name + len - 5, ".toml"))
            continue;
        samples++;
        failures += !check_sample(path);
    }
    closedir(dir);
    printf("%u samples, %u failures\n", samples, failures);
    return samples >= 40 && failures == 0 ? 0 : 1;
}
