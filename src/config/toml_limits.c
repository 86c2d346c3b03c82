// SPDX-License-Identifier: GPL-3.0-only
/*
 * toml_limits: a lexer that knows just enough of TOML to count.
 *
 * toml++ recurses into arrays and inline tables and, when its tree is released, into everything else:
 * a key of half a million dotted parts would end the process. So marks are counted where they stand
 * outside strings and comments. A string begins at a quote and a comment at a '#' wherever they
 * stand outside the other two, so that this reader and the parser agree on where they are until the
 * parser finds an error, and behind an error nothing is read.
 *
 * Every node of the tree has a mark of its own (".", "=", ",", or a bracket), therefore the number of
 * marks bounds the number of nodes.
 */
#include "config/toml_limits.h"

#include <stdio.h>
#include <string.h>

struct counter {
    const char *bytes;
    size_t len;
    size_t at;
    unsigned line;
    size_t line_start;
    unsigned depth; /* open brackets */
    unsigned parts; /* of the dotted key being read */
    unsigned marks;
};

static bool is_at(const struct counter *counter, char byte)
{
    return counter->at < counter->len && counter->bytes[counter->at] == byte;
}

/* Bytes equal to quote from here on, at most limit. */
static size_t quotes(const struct counter *counter, char quote, size_t limit)
{
    size_t n = 0;

    while (n < limit && counter->at + n < counter->len && counter->bytes[counter->at + n] == quote)
        n++;
    return n;
}

static void pass(struct counter *counter)
{
    if (counter->bytes[counter->at++] == '\n') {
        counter->line++;
        counter->line_start = counter->at;
    }
}

/* A string over several lines ends with three quotes, and two more may belong to its text. */
static void pass_long_string(struct counter *counter, char quote)
{
    counter->at += 3;
    while (counter->at < counter->len) {
        size_t n = quotes(counter, quote, 5);

        counter->at += n;
        if (n >= 3)
            return;
        if (n)
            continue;
        if (quote == '"' && is_at(counter, '\\'))
            counter->at++;
        if (counter->at < counter->len)
            pass(counter);
    }
}

static void pass_string(struct counter *counter, char quote)
{
    if (quotes(counter, quote, 3) == 3) {
        pass_long_string(counter, quote);
        return;
    }
    counter->at++;
    while (counter->at < counter->len && !is_at(counter, '\n')) {
        char byte = counter->bytes[counter->at++];

        if (byte == quote)
            return;
        if (byte == '\\' && quote == '"' && counter->at < counter->len && !is_at(counter, '\n'))
            counter->at++;
    }
}

static void count_mark(struct counter *counter, char byte)
{
    counter->marks++;
    if (byte == '.') {
        counter->parts++;
        return;
    }
    counter->parts = 0;
    if (byte == '[' || byte == '{')
        counter->depth++;
    else if ((byte == ']' || byte == '}') && counter->depth)
        counter->depth--;
}

static bool refuse(const struct counter *counter, struct toml_error *error, const char *reason,
                   unsigned limit)
{
    error->line = counter->line;
    error->column = (unsigned)(counter->at - counter->line_start) + 1;
    snprintf(error->reason, sizeof(error->reason), "%s, at most %u are read", reason, limit);
    return false;
}

static bool check(const struct counter *counter, struct toml_error *error)
{
    if (counter->depth > TOML_DEPTH_MAX)
        return refuse(counter, error, "too many brackets within brackets", TOML_DEPTH_MAX);
    if (counter->parts >= TOML_DEPTH_MAX)
        return refuse(counter, error, "too many parts of a dotted key", TOML_DEPTH_MAX);
    if (counter->marks > TOML_NODES_MAX)
        return refuse(counter, error, "too many keys and values", TOML_NODES_MAX);
    return true;
}

bool toml_within_limits(const char *bytes, size_t len, struct toml_error *error)
{
    struct counter counter = {.bytes = bytes, .len = len, .line = 1};

    *error = (struct toml_error){.line = 1, .column = 1};
    if (len > TOML_BYTES_MAX) {
        snprintf(error->reason, sizeof(error->reason), "more than %d bytes", TOML_BYTES_MAX);
        return false;
    }
    while (counter.at < len) {
        char byte = bytes[counter.at];

        if (byte == '"' || byte == '\'') {
            pass_string(&counter, byte);
            continue;
        }
        if (byte == '#') {
            while (counter.at < len && !is_at(&counter, '\n'))
                counter.at++;
            continue;
        }
        if (byte == '\n')
            counter.parts = 0;
        else if (byte && strchr(".=,[]{}", byte))
            count_mark(&counter, byte);
        if (!check(&counter, error))
            return false;
        pass(&counter);
    }
    return true;
}
