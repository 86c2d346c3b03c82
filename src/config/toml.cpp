// SPDX-License-Identifier: GPL-3.0-only
/*
 * toml: toml++ behind a C interface. The only C++ file.
 *
 * 1. toml_within_limits() refuses what could make the parser recurse or search without bound.
 * 2. toml++ parses, built without exceptions: its result is a tree or an error.
 * 3. The tree is copied into plain nodes. toml++ sorts tables by name; the nodes stand in the order of
 *    the file again, because messages follow it.
 *
 * toml++'s error messages quote the file. A file may hold secrets, so what is passed on is made of its
 * fixed words only: clean_reason() knows the common ones and cuts the others off at the first quote.
 *
 * Nothing here uses iostreams or locales: they would be linked into the program and set up at each
 * start. Memory that is not there ends the process: operator new has nobody to throw to.
 */
#include "config/toml.h"

#include "config/toml_limits.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#define TOML_HEADER_ONLY       1
#define TOML_EXCEPTIONS        0
#define TOML_ENABLE_FORMATTERS 0
#define TOML_MAX_NESTED_VALUES (TOML_DEPTH_MAX + 1)
/* from_chars() for double: libstdc++ 11. Otherwise toml++ reads numbers with a stringstream. */
#if defined(__cpp_lib_to_chars) || (defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE >= 11)
#define TOML_FLOAT_CHARCONV 1
#endif
#include <toml++/toml.h>

namespace
{

using std::string_view;

/* Parts of toml++'s messages and what is said instead. */
struct wording {
    const char *part;
    const char *reason;
};

constexpr wording wordings[] = {
    {"end-of-file", "the file ends in the middle of it"},
    {"cannot redefine existing", "it is there already: a key or table can be given only once"},
    {"cannot insert", "an inline table cannot be extended later"},
    {"could not determine value type", "this is not a value: are the quotes missing?"},
    {"expected 'true'", "this is not a value: are the quotes missing?"},
    {"expected 'false'", "this is not a value: are the quotes missing?"},
    {"expected 'inf'", "this is not a value: are the quotes missing?"},
    {"expected 'nan'", "this is not a value: are the quotes missing?"},
    {"could not be interpreted", "this is not a number"},
    {"not representable in", "the number is too large"},
    {"unknown escape sequence",
     "unknown escape sequence: write the backslash twice, or the string in single quotes"},
    {"control characters other than TAB",
     "a control character or the end of the line within a string: is the closing quote missing?"},
};

/* Quoted pieces of at most two printable characters are the parser's own ('=', ']', '\n'). */
bool quotes_only_marks(string_view text)
{
    for (;;) {
        const size_t open = text.find('\'');
        if (open == string_view::npos)
            return true;
        const size_t close = text.find('\'', open + 1);
        if (close == string_view::npos || close - open > 3)
            return false;
        text.remove_prefix(close + 1);
    }
}

string_view cut_at(string_view text, string_view mark)
{
    const size_t at = text.find(mark);
    return at == string_view::npos ? text : text.substr(0, at);
}

void set_reason(toml_error *error, string_view scope, string_view reason)
{
    snprintf(error->reason, sizeof(error->reason), "%.*s%.*s", static_cast<int>(scope.size()),
             scope.data(), static_cast<int>(reason.size()), reason.data());
    for (char *p = error->reason; *p; p++)
        if (*p < ' ' || *p > '~')
            *p = '?';
}

/* "Error while parsing SCOPE: REASON, saw 'X'" */
void clean_reason(toml_error *error, string_view text)
{
    constexpr string_view prefix = "Error while parsing ";
    string_view scope;

    if (text.substr(0, prefix.size()) == prefix) {
        text.remove_prefix(prefix.size());
        const size_t colon = text.find(": ");
        if (colon != string_view::npos) {
            scope = text.substr(0, colon + 2);
            text.remove_prefix(colon + 2);
        }
    }
    for (const wording &row : wordings) {
        if (text.find(row.part) != string_view::npos) {
            set_reason(error, scope, row.reason);
            return;
        }
    }
    text = cut_at(text, ", saw ");
    if (!quotes_only_marks(text))
        text = cut_at(text, "'");
    set_reason(error, scope, text);
}

void set_place(toml_error *error, const toml::source_position &place)
{
    error->line = place.line ? place.line : 1;
    error->column = place.column ? place.column : 1;
}

/* calloc(), because the nodes belong to C; never nullptr. */
void *zeroed(size_t size)
{
    void *memory = calloc(1, size);
    if (!memory)
        abort();
    return memory;
}

char *copy_text(string_view text)
{
    char *copy = static_cast<char *>(zeroed(text.size() + 1));
    memcpy(copy, text.data(), text.size());
    return copy;
}

toml_type type_of(const toml::node &from)
{
    switch (from.type()) {
    case toml::node_type::string:
        return TOML_TYPE_STRING;
    case toml::node_type::integer:
        return TOML_TYPE_INTEGER;
    case toml::node_type::floating_point:
        return TOML_TYPE_FLOAT;
    case toml::node_type::boolean:
        return TOML_TYPE_BOOL;
    case toml::node_type::array:
        return TOML_TYPE_ARRAY;
    case toml::node_type::table:
        return TOML_TYPE_TABLE;
    default:
        return TOML_TYPE_DATE;
    }
}

toml_node *copy_node(const toml::node &from, unsigned depth, toml_error *error);

/* Appends a copy of from to the children whose end is *tail. */
bool append(toml_node ***tail, const toml::key *key, const toml::node &from, unsigned depth,
            toml_error *error)
{
    toml_node *node = copy_node(from, depth, error);
    if (!node)
        return false;
    **tail = node;
    *tail = &node->next;
    if (!key)
        return true;
    node->key = copy_text(key->str());
    node->key_len = key->str().size();
    node->key_line = key->source().begin.line;
    node->key_column = key->source().begin.column;
    if (node->key_len <= TOML_KEY_MAX)
        return true;
    set_place(error, key->source().begin);
    snprintf(error->reason, sizeof(error->reason), "the key has more than %d bytes", TOML_KEY_MAX);
    return false;
}

bool copy_table(toml_node *to, const toml::table &from, unsigned depth, toml_error *error)
{
    std::vector<std::pair<const toml::key *, const toml::node *>> order;
    toml_node **tail = &to->first;

    for (auto &&[key, value] : from)
        order.emplace_back(&key, &value);
    std::sort(order.begin(), order.end(), [](const auto &a, const auto &b) {
        return a.first->source().begin < b.first->source().begin;
    });
    for (const auto &[key, value] : order)
        if (!append(&tail, key, *value, depth, error))
            return false;
    return true;
}

bool copy_array(toml_node *to, const toml::array &from, unsigned depth, toml_error *error)
{
    toml_node **tail = &to->first;

    for (const toml::node &value : from)
        if (!append(&tail, nullptr, value, depth, error))
            return false;
    return true;
}

bool copy_value(toml_node *to, const toml::node &from, unsigned depth, toml_error *error)
{
    switch (to->type) {
    case TOML_TYPE_STRING: {
        const std::string &text = from.as_string()->get();
        to->text = copy_text(text);
        to->text_len = text.size();
        return true;
    }
    case TOML_TYPE_INTEGER:
        to->integer = from.as_integer()->get();
        return true;
    case TOML_TYPE_BOOL:
        to->on = from.as_boolean()->get();
        return true;
    case TOML_TYPE_ARRAY:
        return copy_array(to, *from.as_array(), depth + 1, error);
    case TOML_TYPE_TABLE:
        return copy_table(to, *from.as_table(), depth + 1, error);
    default:
        return true;
    }
}

/* Recursion ends at TOML_DEPTH_MAX, whatever the tree looks like. */
toml_node *copy_node(const toml::node &from, unsigned depth, toml_error *error)
{
    if (depth > TOML_DEPTH_MAX) {
        set_place(error, from.source().begin);
        snprintf(error->reason, sizeof(error->reason), "more than %d levels of tables and arrays",
                 TOML_DEPTH_MAX);
        return nullptr;
    }
    toml_node *node = static_cast<toml_node *>(zeroed(sizeof(*node)));
    node->type = type_of(from);
    node->line = from.source().begin.line;
    node->column = from.source().begin.column;
    if (copy_value(node, from, depth, error))
        return node;
    toml_free(node);
    return nullptr;
}

} // namespace

toml_node *toml_parse(const char *bytes, size_t len, toml_error *error)
{
    if (!toml_within_limits(bytes, len, error))
        return nullptr;
    const toml::parse_result result = toml::parse(string_view(bytes, len));
    if (!result) {
        set_place(error, result.error().source().begin);
        clean_reason(error, result.error().description());
        return nullptr;
    }
    return copy_node(result.table(), 0, error);
}

/* As deep as copy_node(). */
void toml_free(toml_node *root)
{
    while (root) {
        toml_node *next = root->next;

        toml_free(root->first);
        free(const_cast<char *>(root->key));
        free(const_cast<char *>(root->text));
        free(root);
        root = next;
    }
}

const char *toml_type_name(toml_type type)
{
    static const char *const names[] = {"string", "integer", "float", "boolean",
                                        "date",   "array",   "table"};
    static_assert(sizeof(names) / sizeof(names[0]) == TOML_TYPE_COUNT, "every type has a name");

    return names[type];
}
