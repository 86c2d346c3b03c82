// SPDX-License-Identifier: GPL-3.0-only
/*
 * elf: the dynamic loader that a program asks for (elf(5), PT_INTERP). The bytes are hostile.
 */
#pragma once

#include "base/base.h"

/* As many bytes of a file as are looked at: linkers put headers and PT_INTERP at the front, mostly into
 * the first page. */
#define ELF_HEAD_BYTES  (64 * KIB)
#define ELF_FIRST_BYTES (4 * KIB)

/*
 * The absolute path in the first PT_INTERP of a program whose first len bytes are at head;
 * malloc'ed. NULL if there is none, if it or the program headers lie beyond len, or if anything is
 * malformed. 32 and 64 bit, in the byte order of this machine.
 */
char *elf_interpreter(const void *head, size_t len) MUST_CHECK;
/* True if elf_interpreter() would not say anything else about more bytes of the file. */
bool elf_is_decided(const void *head, size_t len);
