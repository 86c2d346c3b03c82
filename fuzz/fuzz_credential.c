// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_credential: placeholders in what a client sends.
 *
 * Wherever the bytes are cut, the same stray is found. What goes to a host that no key is for is
 * not changed; what goes to one that keys are for keeps its lines, its request line and the names in
 * front of the colons.
 */
#include "base/vault.h"
#include "net/credential.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define HOST "a.test"

/* AIJAIL-PHANTOM-, then 32 times "0" or "1". */
static void fill(struct credentials *list)
{
    list->n = 2;
    for (uint8_t i = 0; i < 2; i++) {
        uint8_t random[PLACEHOLDER_RANDOM];
        bool is_locked;

        memset(random, i * 0x11, sizeof(random));
        credential_set_placeholder(&list->v[i], random);
        list->v[i].key = xstrdup("KEY");
        list->v[i].value = vault_keep("a-value", 7, &is_locked);
    }
    strv_push(&list->v[0].hosts, HOST);
}

static const struct credential *scan(const struct credentials *list, const char *host,
                                     const uint8_t *data, size_t size, size_t step)
{
    struct credential_scan state = {0};
    const struct credential *found = NULL;

    for (size_t at = 0; at < size && !found; at += step)
        found = credential_scan(list, &state, host, data + at, size - at < step ? size - at : step);
    return found;
}

static void check_insert(const struct credentials *list, const char *host, const uint8_t *data,
                         size_t size)
{
    struct buf out CLEANUP(buf_free);
    uint32_t used;
    const uint8_t *line = memchr(data, '\n', size);
    size_t first = line ? (size_t)(line - data) : size;
    size_t lines[2] = {0};

    buf_init(&out, size * 8);
    assert(credentials_insert(list, host, (const char *)data, size, &out, &used) == 0);
    assert(used == 0 || (used == 1 && str_eq(host, HOST)));
    assert(used || (out.len == size && (size == 0 || memcmp(out.data, data, size) == 0)));
    assert(out.len >= first && (first == 0 || memcmp(out.data, data, first) == 0));
    for (size_t i = 0; i < size; i++)
        lines[0] += data[i] == '\n';
    for (size_t i = 0; i < out.len; i++)
        lines[1] += out.data[i] == '\n';
    assert(lines[0] == lines[1]);
}

/* The first byte says where the bytes are cut. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const char *const hosts[] = {HOST, "b.test", NULL};
    struct credentials list CLEANUP(credentials_free) = {0};
    size_t step;

    if (size < 2)
        return 0;
    step = data[0] + 1U;
    fill(&list);
    for (size_t i = 0; i < ARRAY_SIZE(hosts); i++) {
        const struct credential *whole = credentials_stray(&list, hosts[i], data + 1, size - 1);

        assert(!whole == !scan(&list, hosts[i], data + 1, size - 1, step));
        assert(!whole == !scan(&list, hosts[i], data + 1, size - 1, 1));
        check_insert(&list, hosts[i], data + 1, size - 1);
    }
    return 0;
}
