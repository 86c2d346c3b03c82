// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_check: whether bytes are one complete JSON object.
 *
 * One state for each place in the grammar, one function for each group of states, one byte at a time.
 * What is open is a stack of bits: object or array. Strings must be well-formed UTF-8 (The Unicode
 * Standard, table 3-7); a single surrogate written as \uD800 is accepted, as every parser does.
 */
#include "base/json_check.h"

#include <string.h>

enum state {
    FAILED,
    BEFORE,   /* the object */
    MEMBER,   /* behind { : a name or } */
    NAME,     /* behind a comma in an object: a name */
    COLON,    /* behind a name */
    VALUE,    /* behind a colon, or a comma in an array */
    ELEMENT,  /* behind [ : a value or ] */
    NEXT,     /* behind a value: a comma or the end of what is open */
    STRING,   /* between quotes */
    ESCAPE,   /* behind a backslash */
    HEX,      /* in \uXXXX */
    UTF8,     /* in a character of several bytes */
    MINUS,    /* a digit must follow */
    ZERO,     /* a number that begins with 0 */
    DIGITS,   /* of the integer part */
    POINT,    /* a digit must follow */
    FRACTION, /* digits */
    EXPONENT, /* a sign or a digit must follow */
    SIGN,     /* a digit must follow */
    POWER,    /* digits */
    WORD,     /* true, false, null */
    BEHIND,   /* the object */
};

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

static bool is_hex(uint8_t c)
{
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

static bool in_object(const struct json_check *check)
{
    unsigned level = check->depth - 1u;

    return check->is_object[level / 8] >> level % 8 & 1;
}

static uint8_t open_level(struct json_check *check, bool is_object)
{
    unsigned level = check->depth;

    if (level >= JSON_CHECK_DEPTH_MAX)
        return FAILED;
    check->depth++;
    check->is_object[level / 8] = (uint8_t)((check->is_object[level / 8] & ~(1u << level % 8)) |
                                            (unsigned)is_object << level % 8);
    return is_object ? MEMBER : ELEMENT;
}

static uint8_t close_level(struct json_check *check, bool is_object)
{
    if (in_object(check) != is_object)
        return FAILED;
    return --check->depth ? NEXT : BEHIND;
}

static uint8_t begin_string(struct json_check *check, bool is_key)
{
    check->is_key = is_key;
    return STRING;
}

static uint8_t begin_word(struct json_check *check, const char *word)
{
    check->word = word + 1;
    return WORD;
}

static uint8_t begin_value(struct json_check *check, uint8_t c)
{
    switch (c) {
    case '{':
        return open_level(check, true);
    case '[':
        return open_level(check, false);
    case '"':
        return begin_string(check, false);
    case '-':
        return MINUS;
    case '0':
        return ZERO;
    case 't':
        return begin_word(check, "true");
    case 'f':
        return begin_word(check, "false");
    case 'n':
        return begin_word(check, "null");
    default:
        return is_digit(c) ? DIGITS : FAILED;
    }
}

/* Between tokens. */
static uint8_t step_structure(struct json_check *check, uint8_t c)
{
    if (is_blank(c))
        return check->state;
    switch (check->state) {
    case BEFORE:
        return c == '{' ? open_level(check, true) : FAILED;
    case MEMBER:
        return c == '}' ? close_level(check, true) : c == '"' ? begin_string(check, true) : FAILED;
    case NAME:
        return c == '"' ? begin_string(check, true) : FAILED;
    case COLON:
        return c == ':' ? VALUE : FAILED;
    case VALUE:
        return begin_value(check, c);
    case ELEMENT:
        return c == ']' ? close_level(check, false) : begin_value(check, c);
    case NEXT:
        if (c == ',')
            return in_object(check) ? NAME : VALUE;
        return c == '}' || c == ']' ? close_level(check, c == '}') : FAILED;
    default: /* BEHIND */
        return FAILED;
    }
}

/* The first byte of a character beyond ASCII decides about the range of the second. */
static uint8_t begin_character(struct json_check *check, uint8_t c)
{
    if (c < 0xC2 || c > 0xF4)
        return FAILED;
    check->left = c < 0xE0 ? 1 : c < 0xF0 ? 2 : 3;
    check->utf8_low = c == 0xE0 ? 0xA0 : c == 0xF0 ? 0x90 : 0x80;
    check->utf8_high = c == 0xED ? 0x9F : c == 0xF4 ? 0x8F : 0xBF;
    return UTF8;
}

static uint8_t step_character(struct json_check *check, uint8_t c)
{
    if (c < check->utf8_low || c > check->utf8_high)
        return FAILED;
    check->utf8_low = 0x80;
    check->utf8_high = 0xBF;
    return --check->left ? UTF8 : STRING;
}

static uint8_t step_string(struct json_check *check, uint8_t c)
{
    switch (check->state) {
    case ESCAPE:
        if (c != 'u')
            return c && strchr("\"\\/bfnrt", c) ? STRING : FAILED;
        check->left = 4;
        return HEX;
    case HEX:
        return !is_hex(c) ? FAILED : --check->left ? HEX : STRING;
    case UTF8:
        return step_character(check, c);
    default:
        if (c == '"')
            return check->is_key ? COLON : NEXT;
        return c == '\\'  ? ESCAPE
               : c < 0x20 ? FAILED
               : c < 0x80 ? STRING
                          : begin_character(check, c);
    }
}

/* What follows a number says that it has ended. */
static uint8_t end_number(struct json_check *check, uint8_t c)
{
    check->state = NEXT;
    return step_structure(check, c);
}

static uint8_t step_number(struct json_check *check, uint8_t c)
{
    bool digit = is_digit(c);
    bool e = c == 'e' || c == 'E';

    switch (check->state) {
    case MINUS:
        return c == '0' ? ZERO : digit ? DIGITS : FAILED;
    case ZERO:
        return c == '.' ? POINT : e ? EXPONENT : end_number(check, c);
    case DIGITS:
        return digit ? DIGITS : c == '.' ? POINT : e ? EXPONENT : end_number(check, c);
    case POINT:
        return digit ? FRACTION : FAILED;
    case FRACTION:
        return digit ? FRACTION : e ? EXPONENT : end_number(check, c);
    case EXPONENT:
        return digit ? POWER : c == '+' || c == '-' ? SIGN : FAILED;
    case SIGN:
        return digit ? POWER : FAILED;
    default: /* POWER */
        return digit ? POWER : end_number(check, c);
    }
}

static uint8_t step_word(struct json_check *check, uint8_t c)
{
    if ((uint8_t)*check->word != c)
        return FAILED;
    return *++check->word ? WORD : NEXT;
}

static uint8_t step(struct json_check *check, uint8_t c)
{
    if (check->state >= STRING && check->state <= UTF8)
        return step_string(check, c);
    if (check->state >= MINUS && check->state <= POWER)
        return step_number(check, c);
    return check->state == WORD ? step_word(check, c) : step_structure(check, c);
}

void json_check_init(struct json_check *check)
{
    *check = (struct json_check){.state = BEFORE};
}

bool json_check_feed(struct json_check *check, const void *bytes, size_t len)
{
    const uint8_t *at = bytes;

    for (size_t i = 0; i < len && check->state != FAILED; i++)
        check->state = step(check, at[i]);
    return check->state != FAILED;
}

bool json_check_is_complete(const struct json_check *check)
{
    return check->state == BEHIND;
}
