/* SPDX-License-Identifier: GPL-3.0-only */
/* The static launcher as bytes of the one installed program. */
    .section .rodata
    .balign 16
    .globl launcher_image
    .type launcher_image, @object
launcher_image:
    .incbin LAUNCHER_FILE
    .globl launcher_image_end
launcher_image_end:
    .byte 0
    .section .note.GNU-stack,"",%progbits
