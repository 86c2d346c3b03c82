// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_mise: any bytes as the answer of mise. What is accepted is terminated entries with a name, inside
 * of the bytes, in order; merged into an environment each name occurs once, and what is fixed stays.
 */
#include "backend/mise_env.h"

#include <stdlib.h>
#include <string.h>

#define MAX 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_merge(char *const *list, size_t count)
{
    static char home[] = "HOME=/home/u";
    static char proxy[] = "http_proxy=http://127.0.0.1:15919";
    static char fixed_name[] = "HOME";
    char *env[] = {home, proxy, NULL};
    char *fixed[] = {fixed_name, NULL};
    char *out[MAX + 3];

    mise_env_merge(out, env, list, count, fixed, true);
    assert(out[0] == home && out[1] == proxy);
    for (size_t i = 0; out[i]; i++)
        for (size_t j = i + 1; out[j]; j++) {
            size_t len = strcspn(out[i], "=");

            assert(strncmp(out[i], out[j], len + 1) != 0);
        }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_free_ char *bytes = malloc(size ? size : 1);
    char *list[MAX];
    const char *last;
    int count;

    assert(bytes);
    memcpy(bytes, data, size);
    count = mise_env_parse(bytes, size, list, MAX);
    last = bytes;
    for (int i = 0; i < count; i++) {
        const char *end;

        assert(list[i] >= last && list[i] < bytes + size);
        end = memchr(list[i], '\0', size - (size_t)(list[i] - bytes));
        assert(end && strchr(list[i], '=') > list[i]);
        last = end + 1;
    }
    if (count > 0)
        check_merge(list, (size_t)count);
    return 0;
}
