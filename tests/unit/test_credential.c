// SPDX-License-Identifier: GPL-3.0-only
/*
 * Placeholders: found wherever the bytes are cut, replaced where they stand as whole words in the
 * values of a head, for the hosts that they are bound to.
 */
#include "base/vault.h"
#include "net/credential.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define P0 "AIJAIL-PHANTOM-000102030405060708090a0b0c0d0e0f"
#define P1 "AIJAIL-PHANTOM-101112131415161718191a1b1c1d1e1f"
#define V0 "value-of-zero"
#define V1 "value-of-one"

/* Key 0 for a.test and b.test, key 1 for a.test alone. */
static void fill(struct credentials *list)
{
    static const char *const values[] = {V0, V1};

    *list = (struct credentials){.n = 2};
    for (uint8_t i = 0; i < 2; i++) {
        uint8_t random[PLACEHOLDER_RANDOM];
        bool is_locked;

        for (uint8_t k = 0; k < sizeof(random); k++)
            random[k] = (uint8_t)(i * 16 + k);
        credential_set_placeholder(&list->v[i], random);
        list->v[i].value = vault_keep(values[i], strlen(values[i]), &is_locked);
        list->v[i].key = xasprintf("KEY%d", i);
        strv_push(&list->v[i].hosts, "a.test");
    }
    strv_push(&list->v[0].hosts, "b.test");
}

static void a_placeholder_is_its_random_bytes(void **state)
{
    struct credentials list CLEANUP(credentials_free);

    (void)state;
    fill(&list);
    assert_string_equal(list.v[0].placeholder, P0);
    assert_string_equal(list.v[1].placeholder, P1);
    assert_int_equal(strlen(P0), PLACEHOLDER_LEN);
}

static const struct {
    const char *host;
    const char *head;
    const char *want;
    uint32_t used;
} inserts[] = {
    {"a.test", "GET / HTTP/1.1\r\nX-Api-Key: " P0 "\r\n\r\n",
     "GET / HTTP/1.1\r\nX-Api-Key: " V0 "\r\n\r\n", 1},
    {"a.test", "GET / HTTP/1.1\r\nAuthorization: Bearer " P1 "\r\nA: b\r\n\r\n",
     "GET / HTTP/1.1\r\nAuthorization: Bearer " V1 "\r\nA: b\r\n\r\n", 2},
    /* several, also of one key */
    {"a.test", "GET / HTTP/1.1\r\nA: " P0 "," P1 ";k=" P0 "\r\nB:" P0 "\r\n\r\n",
     "GET / HTTP/1.1\r\nA: " V0 "," V1 ";k=" V0 "\r\nB:" V0 "\r\n\r\n", 3},
    {"b.test", "GET / HTTP/1.1\r\nA: \"" P0 "\"\r\n\r\n", "GET / HTTP/1.1\r\nA: \"" V0 "\"\r\n\r\n",
     1},
    /* for another host, or below it */
    {"b.test", "GET / HTTP/1.1\r\nA: " P1 "\r\n\r\n", "GET / HTTP/1.1\r\nA: " P1 "\r\n\r\n", 0},
    {"x.a.test", "GET / HTTP/1.1\r\nA: " P0 "\r\n\r\n", "GET / HTTP/1.1\r\nA: " P0 "\r\n\r\n", 0},
    /* neither in the request line nor in a name */
    {"a.test", "GET /?k=" P0 ": HTTP/1.1\r\n" P0 ": x\r\n\r\n",
     "GET /?k=" P0 ": HTTP/1.1\r\n" P0 ": x\r\n\r\n", 0},
    /* a part of a longer word, or only a part of one */
    {"a.test", "GET / HTTP/1.1\r\nA: " P0 "0\r\nB: x" P0 "\r\nC: -" P0 "\r\nD: " P0 "_\r\n\r\n",
     "GET / HTTP/1.1\r\nA: " P0 "0\r\nB: x" P0 "\r\nC: -" P0 "\r\nD: " P0 "_\r\n\r\n", 0},
    {"a.test", "GET / HTTP/1.1\r\nA: AIJAIL-PHANTOM-00\r\nB: AIJAIL-PHANTOM-" P0 " " P0 "\r\n\r\n",
     "GET / HTTP/1.1\r\nA: AIJAIL-PHANTOM-00\r\nB: AIJAIL-PHANTOM-" P0 " " V0 "\r\n\r\n", 1},
    {"a.test", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n\r\n", 0},
};

static void values_take_the_places_of_whole_words(void **state)
{
    struct credentials list CLEANUP(credentials_free);

    (void)state;
    fill(&list);
    for (size_t i = 0; i < ARRAY_SIZE(inserts); i++) {
        struct buf out CLEANUP(buf_free);
        uint32_t used = 77;

        buf_init(&out, KIB);
        assert_int_equal(credentials_insert(&list, inserts[i].host, inserts[i].head,
                                            strlen(inserts[i].head), &out, &used),
                         0);
        assert_string_equal(buf_cstr(&out), inserts[i].want);
        assert_int_equal(used, inserts[i].used);
    }
}

static void a_head_that_grows_too_large_is_an_error(void **state)
{
    static const char head[] = "GET / HTTP/1.1\r\nA: " P0 "\r\n\r\n";
    struct credentials list CLEANUP(credentials_free);
    struct buf out CLEANUP(buf_free);
    uint32_t used;

    (void)state;
    fill(&list);
    buf_init(&out, 30);
    assert_int_equal(credentials_insert(&list, "a.test", head, strlen(head), &out, &used), -ENOSPC);
}

static const struct {
    const char *host;
    const char *bytes;
    int key; /* -1: nothing strays */
} strays[] = {
    {"a.test", "x" P0 "y" P1 "z", -1},
    {"b.test", P0, -1},
    {"b.test", P0 P1, 1},
    {"b.test", "AIJAIL-PHANTOM-AIJAIL-PHANTOM-" P1 "tail", 1},
    {"c.test", "{\"key\": \"" P0 "\"}", 0},
    {NULL, P1, 1},
    {NULL, "AIJAIL-PHANTOM-0001020304050607", -1},
    {NULL, "AIJAIL-PHANTOM-ffffffffffffffffffffffffffffffff", -1},
    {NULL, "", -1},
};

static int key_of(const struct credentials *list, const struct credential *found)
{
    return found ? (int)(found - list->v) : -1;
}

static void strays_are_found_however_they_are_cut(void **state)
{
    struct credentials list CLEANUP(credentials_free);

    (void)state;
    fill(&list);
    for (size_t i = 0; i < ARRAY_SIZE(strays); i++) {
        const uint8_t *bytes = (const uint8_t *)strays[i].bytes;
        size_t len = strlen(strays[i].bytes);

        assert_int_equal(key_of(&list, credentials_stray(&list, strays[i].host, bytes, len)),
                         strays[i].key);
        for (size_t step = 1; step <= len; step++) {
            struct credential_scan scan = {0};
            const struct credential *found = NULL;

            for (size_t at = 0; at < len && !found; at += step)
                found = credential_scan(&list, &scan, strays[i].host, bytes + at,
                                        len - at < step ? len - at : step);
            assert_int_equal(key_of(&list, found), strays[i].key);
        }
    }
}

static void bindings_are_exact(void **state)
{
    struct credentials list CLEANUP(credentials_free);

    (void)state;
    fill(&list);
    assert_true(credentials_have_host(&list, "a.test"));
    assert_true(credentials_have_host(&list, "b.test"));
    assert_false(credentials_have_host(&list, "x.a.test"));
    assert_false(credentials_have_host(&list, "test"));
    assert_false(credentials_have_host(&list, NULL));
}

static void a_child_finds_the_vault_empty(void **state)
{
    bool is_locked;
    char *text = vault_keep("do not inherit", 14, &is_locked);
    int status = 0;
    pid_t pid;

    (void)state;
    assert_string_equal(text, "do not inherit");
    pid = fork();
    assert_true(pid >= 0);
    if (pid == 0)
        _exit(text[0] == '\0' ? 0 : 1);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    assert_string_equal(text, "do not inherit");
    vault_free(text);
    vault_free(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_placeholder_is_its_random_bytes),
        cmocka_unit_test(values_take_the_places_of_whole_words),
        cmocka_unit_test(a_head_that_grows_too_large_is_an_error),
        cmocka_unit_test(strays_are_found_however_they_are_cut),
        cmocka_unit_test(bindings_are_exact),
        cmocka_unit_test(a_child_finds_the_vault_empty),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
