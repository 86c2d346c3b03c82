// SPDX-License-Identifier: GPL-3.0-only
/*
 * envfile: files of environment variables.
 */
#include "config/envfile.h"

#include "config/load.h"

#include <errno.h>
#include <string.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS  "0123456789"

/* What is wrong with a line, and how to write it; NULL: nothing. Never a part of the line. */
static const char *line_fault(const char *line)
{
    size_t len = strlen(line);
    size_t name = strspn(line, LETTERS DIGITS);

    if (len && line[len - 1] == '\r')
        return "the line ends with a carriage return: save the file with line feeds alone";
    if (line[strspn(line, " \t")] == '\0' || line[0] == '#')
        return NULL;
    if (line[strcspn(line, "=")] == '\0')
        return "no '=': write NAME=VALUE, or '#' in front of a comment";
    if (name == 0 || strspn(line, DIGITS) || line[name] != '=')
        return "the name is not one: letters, digits and '_' right before the '=', no digit first";
    return NULL;
}

static bool is_entry(const char *line)
{
    return line[0] != '#' && strchr(line, '=');
}

int envfile_parse(const char *path, const char *bytes, size_t len, struct strv *entries,
                  struct error *error)
{
    unsigned long number = 0;

    while (len) {
        const char *end = memchr(bytes, '\n', len);
        size_t line_len = end ? (size_t)(end - bytes) : len;
        _cleanup_free_ char *line = xstrndup(bytes, line_len);
        const char *fault;

        number++;
        fault = strlen(line) == line_len ? line_fault(line) : "a NUL byte: this is not a text file";
        if (fault)
            return error_set(error, EINVAL, "%s:%lu: %s", path, number, fault);
        if (is_entry(line))
            strv_push_owned(entries, steal_ptr(&line));
        line_len += end != NULL;
        bytes += line_len;
        len -= line_len;
    }
    return 0;
}

int envfile_read(const char *path, const char *project, uid_t uid, struct strv *entries,
                 struct error *error)
{
    const struct load_request request = {
        .kind = LOAD_ENV, .path = path, .project = project, .uid = uid};
    _cleanup_loaded_ struct loaded loaded = {0};
    int r = load_file(&request, &loaded, error);

    if (r < 0)
        return r;
    if (loaded.is_absent)
        return error_set(error, ENOENT, "%s: there is no such file of environment variables", path);
    return envfile_parse(path, (const char *)loaded.bytes.data, loaded.bytes.len, entries, error);
}
