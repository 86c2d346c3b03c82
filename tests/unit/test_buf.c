// SPDX-License-Identifier: GPL-3.0-only
/*
 * The bounded buffer and the vector of strings.
 */
#include "base/buf.h"
#include "base/strv.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void the_maximum_is_reached_but_not_passed(void **state)
{
    _cleanup_buf_ struct buf buf;

    (void)state;
    buf_init(&buf, 4);
    assert_int_equal(buf_append(&buf, "abc", 3), 0);
    assert_int_equal(buf_append_byte(&buf, 'd'), 0);
    assert_false(buf.overflow);
    assert_int_equal(buf_append(&buf, NULL, 0), 0);
    assert_int_equal(buf_append_byte(&buf, 'e'), -ENOSPC);
    assert_true(buf.overflow);
    assert_string_equal(buf_cstr(&buf), "abcd");
}

/* What does not fit changes nothing, and the flag stays for the one look at the end. */
static void an_overflow_is_all_or_nothing_and_sticks(void **state)
{
    _cleanup_buf_ struct buf buf;

    (void)state;
    buf_init(&buf, 4);
    assert_int_equal(buf_append_str(&buf, "ab"), 0);
    assert_int_equal(buf_append_str(&buf, "cde"), -ENOSPC);
    assert_int_equal(buf_printf(&buf, "%s", "cde"), -ENOSPC);
    assert_string_equal(buf_cstr(&buf), "ab");
    assert_int_equal(buf_append_str(&buf, "cd"), 0);
    assert_true(buf.overflow);
    buf_reset(&buf);
    assert_false(buf.overflow);
    assert_int_equal(buf.len, 0);
    assert_int_equal(buf.max, 4);
}

static void huge_lengths_do_not_wrap(void **state)
{
    _cleanup_buf_ struct buf buf;

    (void)state;
    buf_init(&buf, 16);
    buf_append_str(&buf, "x");
    assert_null(buf_reserve(&buf, SIZE_MAX));
    assert_null(buf_reserve(&buf, SIZE_MAX - 1));
    assert_null(buf_reserve(&buf, 16));
    assert_non_null(buf_reserve(&buf, 15));
    assert_int_equal(buf.len, 1);
}

static void a_buffer_of_nothing_holds_nothing(void **state)
{
    _cleanup_buf_ struct buf buf;

    (void)state;
    buf_init(&buf, 0);
    assert_string_equal(buf_cstr(&buf), "");
    assert_int_equal(buf_append_str(&buf, ""), 0);
    assert_int_equal(buf_append_byte(&buf, 'x'), -ENOSPC);
    assert_string_equal(buf_cstr(&buf), "");
}

static void it_grows_through_many_sizes(void **state)
{
    _cleanup_buf_ struct buf buf;

    (void)state;
    buf_init(&buf, 5000);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(buf_append_byte(&buf, (uint8_t)i), 0);
    for (int i = 0; i < 5000; i++)
        assert_int_equal(buf.data[i], (uint8_t)i);
    assert_int_equal(buf_cstr(&buf)[5000], '\0');
}

static void reserved_room_counts_when_committed(void **state)
{
    _cleanup_buf_ struct buf buf;
    uint8_t *room;

    (void)state;
    buf_init(&buf, 100);
    room = buf_reserve(&buf, 100);
    assert_non_null(room);
    assert_int_equal(buf.len, 0);
    memset(room, 'x', 100);
    buf_commit(&buf, 100);
    assert_int_equal(buf.len, 100);
    assert_int_equal(strlen(buf_cstr(&buf)), 100);
}

static void consuming_moves_the_rest_to_the_front(void **state)
{
    _cleanup_buf_ struct buf buf;

    (void)state;
    buf_init(&buf, 6);
    buf_append_str(&buf, "abcdef");
    buf_consume(&buf, 0);
    buf_consume(&buf, 2);
    assert_string_equal(buf_cstr(&buf), "cdef");
    assert_int_equal(buf_append_str(&buf, "gh"), 0);
    assert_string_equal(buf_cstr(&buf), "cdefgh");
    buf_consume(&buf, 6);
    assert_string_equal(buf_cstr(&buf), "");
}

static void taking_leaves_an_empty_buffer(void **state)
{
    _cleanup_buf_ struct buf buf;
    _cleanup_free_ char *first = NULL;
    _cleanup_free_ char *second = NULL;

    (void)state;
    buf_init(&buf, 10);
    buf_printf(&buf, "%d-%s", 7, "x");
    first = buf_take_cstr(&buf);
    assert_string_equal(first, "7-x");
    second = buf_take_cstr(&buf);
    assert_string_equal(second, "");
    assert_int_equal(buf_append_str(&buf, "0123456789"), 0);
    assert_int_equal(buf_append_byte(&buf, 'x'), -ENOSPC);
}

/* ---- strv ---- */

static void a_vector_ends_with_null(void **state)
{
    _cleanup_strv_ struct strv strv = {0};

    (void)state;
    for (size_t i = 0; i < 100; i++) {
        strv_pushf(&strv, "%zu", i);
        assert_int_equal(strv.n, i + 1);
        assert_null(strv.v[strv.n]);
    }
    assert_int_equal(strv_find(&strv, "42"), 42);
    assert_int_equal(strv_find(&strv, "100"), -1);
    strv_remove(&strv, 0);
    strv_remove(&strv, 98);
    assert_int_equal(strv.n, 98);
    assert_string_equal(strv.v[0], "1");
    assert_string_equal(strv.v[97], "98");
    assert_null(strv.v[98]);
}

static void splitting_keeps_empty_parts(void **state)
{
    static const struct {
        const char *text;
        size_t parts;
    } rows[] = {{"", 1}, {":", 2}, {"a", 1}, {"a:b", 2}, {":a::b:", 5}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_strv_ struct strv strv = {0};
        _cleanup_free_ char *joined = NULL;

        strv_split(&strv, rows[i].text, ':');
        assert_int_equal(strv.n, rows[i].parts);
        joined = strv_join(&strv, ":");
        assert_string_equal(joined, rows[i].text);
    }
}

static void pushing_all_copies(void **state)
{
    _cleanup_strv_ struct strv from = {0};
    _cleanup_strv_ struct strv to = {0};

    (void)state;
    strv_push_all(&to, &from);
    assert_int_equal(to.n, 0);
    strv_push(&from, "a");
    strv_push_owned(&from, xstrdup("b"));
    strv_push_all(&to, &from);
    strv_free(&from);
    assert_null(from.v);
    assert_int_equal(to.n, 2);
    assert_string_equal(to.v[0], "a");
    assert_string_equal(to.v[1], "b");
    assert_null(to.v[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_maximum_is_reached_but_not_passed),
        cmocka_unit_test(an_overflow_is_all_or_nothing_and_sticks),
        cmocka_unit_test(huge_lengths_do_not_wrap),
        cmocka_unit_test(a_buffer_of_nothing_holds_nothing),
        cmocka_unit_test(it_grows_through_many_sizes),
        cmocka_unit_test(reserved_room_counts_when_committed),
        cmocka_unit_test(consuming_moves_the_rest_to_the_front),
        cmocka_unit_test(taking_leaves_an_empty_buffer),
        cmocka_unit_test(a_vector_ends_with_null),
        cmocka_unit_test(splitting_keeps_empty_parts),
        cmocka_unit_test(pushing_all_copies),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
