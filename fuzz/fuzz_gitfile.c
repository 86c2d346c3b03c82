// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_gitfile: the small files by which git finds a repository, as a project may hold them.
 */
#include "policy/gitfile.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const uint8_t *data, size_t size, const char *prefix)
{
    const char *why;
    _cleanup_free_ char *path = gitfile_parse(data, size, prefix, &why);
    size_t len;

    assert((path == NULL) == (why != NULL));
    if (!path)
        return;
    len = strlen(path);
    assert(len > 0 && len + strlen(prefix) <= size && size <= GITFILE_MAX);
    assert(!strchr(path, '\n') && path[len - 1] != '\r');
    assert(memcmp(data + strlen(prefix), path, len) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    check(data, size, "gitdir: ");
    check(data, size, "");
    return 0;
}
