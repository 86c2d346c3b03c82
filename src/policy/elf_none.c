// SPDX-License-Identifier: GPL-3.0-only
/*
 * elf_none: on a Mac no program is an ELF file; dyld(1) is part of the system and always visible.
 */
#include "policy/elf.h"

char *elf_interpreter(const void *head, size_t len)
{
    (void)head;
    (void)len;
    return NULL;
}

bool elf_is_decided(const void *head, size_t len)
{
    (void)head;
    (void)len;
    return true;
}
