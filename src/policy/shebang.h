// SPDX-License-Identifier: GPL-3.0-only
/*
 * shebang: the first line of a script. The bytes are hostile: the file may lie in the project.
 */
#pragma once

#include "base/base.h"

/* As many bytes of a file as decide about it (BINPRM_BUF_SIZE of Linux 5.1 and later). */
#define SHEBANG_HEAD_BYTES 256

struct shebang {
    char *interpreter; /* the path behind #!, as written: may be relative */
    char *program;     /* what env(1) is told to run, if that is the interpreter; else NULL */
};

/*
 * Reads the line as the kernel does (fs/binfmt_script.c): blanks around the interpreter are
 * skipped, a NUL ends the line, a carriage return is part of the name, and only 255 bytes count. A
 * longer line is good if the interpreter's name ends within them. True if it is a script with an
 * interpreter; then free with shebang_free().
 */
bool shebang_parse(struct shebang *shebang, const void *head, size_t len) MUST_CHECK;
void shebang_free(struct shebang *shebang);

#define _cleanup_shebang_ CLEANUP(shebang_free)
