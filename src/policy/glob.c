// SPDX-License-Identifier: GPL-3.0-only
/*
 * glob: compiled patterns.
 *
 * A component is compiled to tokens: a byte, any byte, any bytes, a set. It is matched with one
 * remembered star: where a later star was reached an earlier one never needs another try, so nothing
 * recurses and nothing grows beyond pattern times name. "**" is a component of its own; which
 * components are reached is a set of bits, so it needs no trying out either.
 */
#include "policy/glob.h"

#include <stdlib.h>
#include <string.h>

enum token_kind { TOKEN_BYTE, TOKEN_ANY, TOKEN_STAR, TOKEN_SET };

struct set {
    uint64_t bits[4];
};

struct token {
    enum token_kind kind;
    uint8_t byte;
    struct set set; /* TOKEN_SET */
};

struct component {
    bool is_deep; /* "**" */
    struct token *v;
    size_t n;
};

struct glob {
    struct component v[GLOB_COMPONENTS_MAX];
    size_t n;
};

/* True at a character that begins an alternative of other shells: @(a|b). */
static bool is_extended(const char *at)
{
    return at[0] && strchr("@+!?*", at[0]) && at[1] == '(';
}

bool glob_is_pattern(const char *text)
{
    if (text[0] == '!' || strpbrk(text, "*?[{}\\"))
        return true;
    for (const char *at = text; *at; at++)
        if (is_extended(at))
            return true;
    return false;
}

size_t glob_prefix_len(const char *text)
{
    size_t len = 0;

    if (text[0] == '!')
        return 0;
    for (size_t i = 0; text[i] && !strchr("*?[{}\\", text[i]) && !is_extended(text + i); i++)
        if (text[i] == '/')
            len = i + 1;
    return len;
}

/* ---- compiling ---- */

struct reader {
    const char *text;
    const char *at;
    struct glob_fault *fault;
};

static bool refuse(const struct reader *reader, const char *at, const char *why)
{
    *reader->fault = (struct glob_fault){(size_t)(at - reader->text), why};
    return false;
}

static bool ends(const char *at)
{
    return *at == '\0' || *at == '/';
}

static struct token *add_token(struct component *component, enum token_kind kind)
{
    component->v = xrealloc(component->v, component->n + 1, sizeof(*component->v));
    component->v[component->n] = (struct token){.kind = kind};
    return &component->v[component->n++];
}

static void set_add(struct set *set, unsigned first, unsigned last)
{
    for (unsigned byte = first; byte <= last; byte++)
        set->bits[byte / 64] |= 1ULL << byte % 64;
}

static bool set_has(const struct set *set, uint8_t byte)
{
    return set->bits[byte / 64] >> byte % 64 & 1;
}

/* One member of a set, an escape resolved. */
static bool read_member(struct reader *reader, uint8_t *member)
{
    if (*reader->at == '[' && reader->at[1] == ':')
        return refuse(reader, reader->at, "named classes are not supported; write the range");
    if (*reader->at == '\\' && !ends(reader->at + 1))
        reader->at++;
    *member = (uint8_t)*reader->at++;
    return true;
}

/* at is behind the bracket. */
static bool read_set(struct reader *reader, struct component *component)
{
    const char *opening = reader->at - 1;
    struct set set = {{0}};
    bool is_negated = *reader->at == '!' || *reader->at == '^';
    const char *first;

    reader->at += is_negated;
    first = reader->at;
    while (*reader->at != ']' || reader->at == first) {
        const char *start = reader->at;
        uint8_t low;
        uint8_t high;

        if (ends(reader->at))
            return refuse(reader, opening, "the [ is not closed");
        if (!read_member(reader, &low))
            return false;
        high = low;
        if (*reader->at == '-' && reader->at[1] != ']' && !ends(reader->at + 1)) {
            reader->at++;
            if (!read_member(reader, &high))
                return false;
        }
        if (high < low)
            return refuse(reader, start, "the range is the wrong way round");
        set_add(&set, low, high);
    }
    reader->at++;
    for (size_t i = 0; is_negated && i < ARRAY_SIZE(set.bits); i++)
        set.bits[i] = ~set.bits[i];
    add_token(component, TOKEN_SET)->set = set;
    return true;
}

static bool read_token(struct reader *reader, struct component *component)
{
    char byte = *reader->at;

    if (is_extended(reader->at))
        return refuse(reader, reader->at, "alternatives are not supported; write one entry each");
    if (byte == '{' || byte == '}')
        return refuse(reader, reader->at, "braces are not supported; write one entry each");
    if (byte == '*' && reader->at[1] == '*')
        return refuse(reader, reader->at, "** must stand alone between slashes");
    reader->at++;
    if (byte == '[')
        return read_set(reader, component);
    if (byte == '*') {
        add_token(component, TOKEN_STAR);
    } else if (byte == '?') {
        add_token(component, TOKEN_ANY);
    } else {
        if (byte == '\\' && ends(reader->at))
            return refuse(reader, reader->at - 1, "nothing follows the backslash");
        if (byte == '\\')
            byte = *reader->at++;
        add_token(component, TOKEN_BYTE)->byte = (uint8_t)byte;
    }
    return true;
}

/* at is at the first byte of a component that is neither empty nor ".". */
static bool read_component(struct reader *reader, struct glob *glob)
{
    size_t len = strcspn(reader->at, "/");
    struct component *component = &glob->v[glob->n];

    if (len == 2 && strncmp(reader->at, "..", 2) == 0)
        return refuse(reader, reader->at, "a pattern cannot go up with ..");
    if (len == 2 && strncmp(reader->at, "**", 2) == 0) {
        reader->at += 2;
        if (glob->n == 0 || !glob->v[glob->n - 1].is_deep) {
            component->is_deep = true;
            glob->n++;
        }
        return true;
    }
    glob->n++;
    while (!ends(reader->at))
        if (!read_token(reader, component))
            return false;
    return true;
}

static bool read_all(struct reader *reader, struct glob *glob)
{
    if (*reader->at == '!')
        return refuse(reader, reader->at, "a leading ! is not supported; use an exception");
    for (;;) {
        reader->at += strspn(reader->at, "/");
        if (*reader->at == '\0')
            break;
        if (reader->at[0] == '.' && ends(reader->at + 1)) {
            reader->at++;
            continue;
        }
        if (glob->n == GLOB_COMPONENTS_MAX)
            return refuse(reader, reader->at, "there are too many components");
        if (!read_component(reader, glob))
            return false;
    }
    return glob->n > 0 || refuse(reader, reader->text, "it is empty");
}

struct glob *glob_compile(const char *text, struct glob_fault *fault)
{
    struct glob *glob = xcalloc(1, sizeof(*glob));
    struct reader reader = {.text = text, .at = text, .fault = fault};

    if (read_all(&reader, glob))
        return glob;
    glob_free(glob);
    return NULL;
}

void glob_free(struct glob *glob)
{
    if (!glob)
        return;
    for (size_t i = 0; i < glob->n; i++)
        free(glob->v[i].v);
    free(glob);
}

/* ---- matching ---- */

static bool token_takes(const struct token *token, uint8_t byte)
{
    switch (token->kind) {
    case TOKEN_BYTE:
        return token->byte == byte;
    case TOKEN_SET:
        return set_has(&token->set, byte);
    default:
        return token->kind == TOKEN_ANY;
    }
}

static bool component_matches(const struct component *component, const char *name, size_t len)
{
    size_t token = 0;
    size_t at = 0;
    size_t star = SIZE_MAX; /* token behind the last star */
    size_t retry = 0;       /* where the star would end next */

    while (at < len) {
        if (token < component->n && component->v[token].kind == TOKEN_STAR) {
            star = ++token;
            retry = at;
        } else if (token < component->n && token_takes(&component->v[token], (uint8_t)name[at])) {
            token++;
            at++;
        } else if (star != SIZE_MAX) {
            token = star;
            at = ++retry;
        } else {
            return false;
        }
    }
    while (token < component->n && component->v[token].kind == TOKEN_STAR)
        token++;
    return token == component->n;
}

bool glob_names(const struct glob *glob, const char *name)
{
    size_t len = strlen(name);

    for (size_t i = 0; i < glob->n; i++) {
        const struct component *component = &glob->v[i];
        bool is_plain = !component->is_deep && component->n == len;

        for (size_t j = 0; j < component->n && is_plain; j++)
            is_plain =
                component->v[j].kind == TOKEN_BYTE && component->v[j].byte == (uint8_t)name[j];
        if (is_plain)
            return true;
    }
    return false;
}

glob_places glob_step(const struct glob *glob, glob_places places, const char *name, size_t len)
{
    glob_places next = 0;

    for (size_t i = 0; i < glob->n; i++) {
        if (!(places >> i & 1))
            continue;
        if (glob->v[i].is_deep) {
            next |= 1ULL << i;
            if (i + 1 == glob->n)
                next |= 1ULL << glob->n;
            else
                places |= 1ULL << (i + 1); /* "**" as no component */
        } else if (component_matches(&glob->v[i], name, len)) {
            next |= 1ULL << (i + 1);
        }
    }
    return next;
}

bool glob_is_match(const struct glob *glob, glob_places places)
{
    return places >> glob->n & 1;
}

glob_places glob_walk(const struct glob *glob, const char *path)
{
    glob_places places = GLOB_START;

    while (places) {
        size_t len;

        path += strspn(path, "/");
        len = strcspn(path, "/");
        if (len == 0)
            break;
        places = glob_step(glob, places, path, len);
        path += len;
    }
    return places;
}

bool glob_leads_on(const struct glob *glob, glob_places places)
{
    return (places & ((1ULL << glob->n) - 1)) != 0;
}

/* ---- as a regular expression ---- */

size_t glob_component_count(const struct glob *glob)
{
    return glob->n;
}

bool glob_is_deep(const struct glob *glob, size_t component)
{
    return glob->v[component].is_deep;
}

void glob_regex_quote(struct buf *out, const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if (text[i] && strchr(".*+?()[]{}^$|\\", text[i]))
            buf_append_byte(out, '\\');
        buf_append_byte(out, (uint8_t)text[i]);
    }
}

/* A byte that means itself within brackets, wherever it stands there. */
static bool is_word_byte(unsigned byte)
{
    return (byte >= '0' && byte <= '9') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= 'a' && byte <= 'z') || byte == '_';
}

/* The word bytes of a set, as they stand within brackets. */
static void append_word_bytes(struct buf *out, const struct set *set)
{
    for (unsigned byte = '0'; byte <= 'z';) {
        unsigned end = byte;

        while (is_word_byte(end) && set_has(set, (uint8_t)end))
            end++;
        if (end - byte >= 3)
            buf_printf(out, "%c-%c", (int)byte, (int)end - 1);
        else
            for (unsigned i = byte; i < end; i++)
                buf_append_byte(out, (uint8_t)i);
        byte = end + (end == byte);
    }
}

/* How many members a set has of the printable bytes, apart from "/", and how many others. */
struct members {
    size_t words;
    size_t signs;
    size_t others;
};

static struct members count_members(const struct set *set)
{
    struct members count = {0, 0, 0};

    for (unsigned byte = 1; byte < 256; byte++) {
        if (byte == '/' || !set_has(set, (uint8_t)byte))
            continue;
        if (is_word_byte(byte))
            count.words++;
        else if (byte >= ' ' && byte <= '~')
            count.signs++;
        else
            count.others++;
    }
    return count;
}

/* Signs stand outside of brackets: what they mean within differs between dialects. */
static bool append_set(struct buf *out, const struct set *set, enum glob_rounding rounding)
{
    struct members count = count_members(set);
    struct set missing;
    struct members absent;
    const char *between = "";

    for (size_t i = 0; i < ARRAY_SIZE(set->bits); i++)
        missing.bits[i] = ~set->bits[i];
    absent = count_members(&missing);
    if (absent.signs + absent.others == 0) {
        buf_append_str(out, "[^/");
        append_word_bytes(out, &missing);
        buf_append_byte(out, ']');
        return true;
    }
    if (rounding == GLOB_ROUND_DOWN)
        count.others = 0;
    buf_append_byte(out, '(');
    if (count.words) {
        buf_append_byte(out, '[');
        append_word_bytes(out, set);
        buf_append_byte(out, ']');
        between = "|";
    }
    if (count.others) {
        buf_printf(out, "%s[^ -~]", between);
        between = "|";
    }
    for (int byte = ' '; byte <= '~' && count.signs; byte++)
        if (byte != '/' && !is_word_byte((unsigned)byte) && set_has(set, (uint8_t)byte)) {
            char sign = (char)byte;

            buf_append_str(out, between);
            glob_regex_quote(out, &sign, 1);
            between = "|";
        }
    buf_append_byte(out, ')');
    return count.words + count.signs + count.others > 0;
}

static bool append_component(struct buf *out, const struct component *component,
                             enum glob_rounding rounding)
{
    bool can_match = true;

    for (size_t i = 0; i < component->n; i++) {
        const struct token *token = &component->v[i];
        char byte = (char)token->byte;

        switch (token->kind) {
        case TOKEN_BYTE:
            glob_regex_quote(out, &byte, 1);
            break;
        case TOKEN_ANY:
            buf_append_str(out, "[^/]");
            break;
        case TOKEN_STAR:
            buf_append_str(out, "[^/]*");
            break;
        case TOKEN_SET:
            can_match &= append_set(out, &token->set, rounding);
            break;
        }
    }
    return can_match;
}

bool glob_regex(const struct glob *glob, size_t count, enum glob_rounding rounding, struct buf *out)
{
    bool can_match = true;

    for (size_t i = 0; i < count; i++) {
        bool is_last = i + 1 == count;

        if (glob->v[i].is_deep) {
            buf_append_str(out, is_last ? "[^/]+(/[^/]+)*" : "([^/]+/)*");
            continue;
        }
        can_match &= append_component(out, &glob->v[i], rounding);
        if (!is_last)
            buf_append_byte(out, '/');
    }
    return can_match;
}
