// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_shebang: the first line of a hostile script.
 */
#include "policy/shebang.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_word(const char *word)
{
    size_t len = strlen(word);

    assert(len > 0 && len < SHEBANG_HEAD_BYTES - 2);
    assert(strcspn(word, " \t\n") == len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct shebang shebang;
    bool found = shebang_parse(&shebang, data, size);

    assert(found == (shebang.interpreter != NULL));
    if (found)
        check_word(shebang.interpreter);
    if (shebang.program)
        check_word(shebang.program);
    assert(found || !shebang.program);
    shebang_free(&shebang);
    return 0;
}
