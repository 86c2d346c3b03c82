// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_orders: any bytes as orders. What decodes must encode to the same bytes again. The total in
 * the header is set to the real length, so that the checks behind it are reached.
 */
#include "backend/orders.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    _cleanup_free_ char *bytes = malloc(size ? size : 1);
    uint64_t total = size;
    struct orders orders;
    struct buf out CLEANUP(buf_free);

    assert(bytes);
    memcpy(bytes, data, size);
    if (size >= 2 * sizeof(total))
        memcpy(bytes + sizeof(total), &total, sizeof(total));
    buf_init(&out, ORDERS_MAX);
    if (orders_decode(&orders, bytes, size) == 0) {
        assert(orders_encode(&orders, &out) == 0);
        assert(out.len == size && memcmp(out.data, bytes, size) == 0);
    }
    free(orders.argv);
    free(orders.env);
    free(orders.rules);
    free(orders.mise_fixed);
    return 0;
}
