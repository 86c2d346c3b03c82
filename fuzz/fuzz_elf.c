// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_elf: the headers of a hostile program.
 */
#include "policy/elf.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *loader = elf_interpreter(data, size);

    if (loader) {
        assert(loader[0] == '/');
        assert(strlen(loader) < PATH_MAX);
        assert(memmem(data, size, loader, strlen(loader) + 1));
    }
    for (size_t len = size / 2; len < size; len += 1 + size / 16) {
        char *early = elf_interpreter(data, len);

        assert(!elf_is_decided(data, len) || str_eq(early, loader));
        free(early);
    }
    free(loader);
    return 0;
}
