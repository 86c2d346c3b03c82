// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_hello: the first bytes of a tunnel to port 443.
 *
 * A verdict does not change with what comes behind, nor with how the bytes arrive; a name that is
 * found is a host, and stands in the bytes.
 */
#include "net/hello.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static enum hello_verdict judge_bytewise(const uint8_t *data, size_t size, char *name, size_t *used)
{
    struct hello hello = {0};
    enum hello_verdict verdict = HELLO_MORE;

    for (*used = 0; *used < size && verdict == HELLO_MORE;)
        verdict = hello_judge(&hello, data, ++*used, name, TARGET_NAME_MAX + 1);
    return verdict;
}

static void check_name(const char *name)
{
    struct target target;

    assert(name[0] && strlen(name) <= TARGET_NAME_MAX);
    assert(target_parse_host(&target, name, strlen(name)) == 0);
    assert(str_eq(target.name, name));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[TARGET_NAME_MAX + 1] = "";
    char other_name[TARGET_NAME_MAX + 1] = "";
    struct hello hello = {0};
    enum hello_verdict verdict = hello_judge(&hello, data, size, name, sizeof(name));
    size_t used;

    assert(judge_bytewise(data, size, other_name, &used) == verdict || size == 0);
    assert(verdict != HELLO_MORE || size < HELLO_MAX);
    assert((verdict == HELLO_NAME) == (name[0] != '\0'));
    assert(str_eq(name, other_name));
    if (verdict == HELLO_NAME)
        check_name(name);
    if (size > 0 && verdict != HELLO_MORE && used > 1) {
        struct hello before = {0};

        assert(hello_judge(&before, data, used - 1, name, sizeof(name)) == HELLO_MORE);
    }
    return 0;
}
