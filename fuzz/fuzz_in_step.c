// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_in_step: a state file as an agent may leave it. The answer must not depend on how the bytes
 * were cut, must be no for every true prefix of a yes, and yes with blanks around.
 */
#include "base/json_check.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool check_in_pieces(const uint8_t *data, size_t size, size_t piece)
{
    struct json_check check;

    json_check_init(&check);
    for (size_t at = 0; at < size; at += piece)
        json_check_feed(&check, data + at, size - at < piece ? size - at : piece);
    return json_check_is_complete(&check);
}

static size_t without_blanks(const uint8_t *data, size_t size)
{
    while (size && (data[size - 1] == ' ' || data[size - 1] == '\t' || data[size - 1] == '\n' ||
                    data[size - 1] == '\r'))
        size--;
    return size;
}

/* An object begins with its brace and ends with it, and is not complete a byte earlier. */
static void check_complete(const uint8_t *data, size_t size)
{
    size_t len = without_blanks(data, size);

    assert(len >= 2 && data[len - 1] == '}');
    assert(check_in_pieces(data, len, len));
    assert(!check_in_pieces(data, len - 1, len));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    bool whole = check_in_pieces(data, size, size ? size : 1);

    assert(whole == check_in_pieces(data, size, 1));
    assert(whole == check_in_pieces(data, size, 7));
    if (whole)
        check_complete(data, size);
    return 0;
}
