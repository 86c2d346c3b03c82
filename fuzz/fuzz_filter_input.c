// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_filter_input: any bytes from the terminal. The first byte chooses the agent's modes and how
 * the stream is cut. The output must be bounded, the filter must end in its ground state, and
 * outside of pastes (whose end depends on what arrives together) the cuts must not matter.
 */
#include "filter/input.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void run(const struct filter_keys *keys, const uint8_t *data, size_t size, size_t step,
                struct buf *out)
{
    struct input *input = input_new();

    buf_init(out, size + INPUT_HELD_MAX);
    for (size_t i = 0; i < size; i += step)
        input_feed(input, keys, data + i, size - i < step ? size - i : step, out);
    if (input_wait_ms(input) >= 0)
        input_expire(input, keys, out);
    if (out->overflow || input_wait_ms(input) >= 0)
        abort();
    input_free(input);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct filter_keys keys = {0};
    struct buf whole CLEANUP(buf_free) = {0};
    struct buf cut CLEANUP(buf_free) = {0};

    if (size < 1)
        return 0;
    keys.mouse = data[0] & 1;
    keys.mouse_utf8 = data[0] & 2;
    keys.focus = data[0] & 4;
    keys.paste = data[0] & 8;
    keys.theme = data[0] & 16;
    run(&keys, data + 1, size - 1, size, &whole);
    run(&keys, data + 1, size - 1, 1 + (data[0] >> 5), &cut);
    if (!memmem(data, size, "200", 3) &&
        (whole.len != cut.len || (whole.len && memcmp(whole.data, cut.data, whole.len) != 0)))
        abort();
    return 0;
}
