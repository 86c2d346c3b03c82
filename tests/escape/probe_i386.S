# SPDX-License-Identifier: GPL-3.0-only
# A 32-bit program for E-ABI-03: getpid, then exit(42). If the calls of this architecture are
# refused, exit is refused too and the invalid instruction ends it.
    .globl _start
_start:
    mov $20, %eax
    int $0x80
    test %eax, %eax
    jle refused
    mov $42, %ebx
    mov $1, %eax
    int $0x80
refused:
    ud2
    .section .note.GNU-stack, "", @progbits
