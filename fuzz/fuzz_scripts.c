// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_scripts: where the scripts of a hostile package.json lie.
 */
#include "pty/report_parts.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t start, len;
    bool is_object = report_find_scripts((const char *)data, size, &start, &len);

    assert(start <= size && len <= size - start);
    if (is_object && len)
        assert(start > 0 && data[start - 1] != '"');
    return 0;
}
