// SPDX-License-Identifier: GPL-3.0-only
/*
 * The tree of watched directories, and the events of the mounter as datagrams.
 */
#include "policy/plan.h"
#include "pty/mounter_event.h"
#include "pty/watch_tree.h"
#include "support/test.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static struct watch_tree tree;
static unsigned gone_sum;

static int make_tree(void **state)
{
    (void)state;
    watch_tree_init(&tree);
    gone_sum = 0;
    return 0;
}

static int free_tree(void **state)
{
    (void)state;
    watch_tree_free(&tree);
    return 0;
}

static void assert_path(uint32_t id, const char *name, bool old, const char *expected)
{
    char path[PATH_MAX];
    uint32_t root = watch_tree_path(&tree, id, name, old, path, sizeof(path), NULL);

    if (!expected) {
        assert_int_equal(root, WATCH_NODE_NONE);
        return;
    }
    assert_int_not_equal(root, WATCH_NODE_NONE);
    assert_string_equal(path, expected);
}

static void on_gone(void *arg, int wd)
{
    (void)arg;
    gone_sum += (unsigned)wd;
}

static void paths_are_made_of_names(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/home/u/p");
    uint32_t a = watch_tree_add(&tree, root, "a");
    uint32_t b = watch_tree_add(&tree, a, "b");
    char path[PATH_MAX];
    const char *rest;

    (void)state;
    assert_path(root, NULL, false, "/home/u/p");
    assert_path(root, "x", false, "/home/u/p/x");
    assert_path(b, "x", false, "/home/u/p/a/b/x");
    assert_int_equal(watch_tree_path(&tree, b, NULL, false, path, sizeof(path), &rest), root);
    assert_string_equal(rest, "a/b");
    assert_int_equal(watch_tree_path(&tree, root, NULL, false, path, sizeof(path), &rest), root);
    assert_string_equal(rest, "");
    /* One byte too few. */
    assert_int_equal(watch_tree_path(&tree, b, NULL, false, path, strlen("/home/u/p/a/b"), &rest),
                     WATCH_NODE_NONE);
    assert_int_equal(
        watch_tree_path(&tree, b, NULL, false, path, strlen("/home/u/p/a/b") + 1, &rest), root);
}

static void root_of_everything(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/");
    uint32_t etc = watch_tree_add(&tree, root, "etc");

    (void)state;
    assert_path(root, NULL, false, "/");
    assert_path(root, "x", false, "/x");
    assert_path(etc, "x", false, "/etc/x");
}

static void found_by_name_and_watch(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");
    char name[32];
    uint32_t first = 0;

    (void)state;
    for (int i = 0; i < 3000; i++) {
        uint32_t id;

        snprintf(name, sizeof(name), "d%d", i);
        id = watch_tree_add(&tree, root, name);
        /* Also numbers that fall into one bucket. */
        watch_tree_set_wd(&tree, id, i * 65536 + 1);
        first = i ? first : id;
    }
    for (int i = 0; i < 3000; i++) {
        uint32_t id;

        snprintf(name, sizeof(name), "d%d", i);
        id = watch_tree_child(&tree, root, name);
        assert_int_equal(id, first + (uint32_t)i);
        assert_int_equal(watch_tree_by_wd(&tree, i * 65536 + 1), id);
    }
    assert_int_equal(watch_tree_child(&tree, root, "d3000"), WATCH_NODE_NONE);
    assert_int_equal(watch_tree_by_wd(&tree, 2), WATCH_NODE_NONE);
    assert_int_equal(watch_tree_by_wd(&tree, -1), WATCH_NODE_NONE);
    watch_tree_set_wd(&tree, first, -1);
    assert_int_equal(watch_tree_by_wd(&tree, 1), WATCH_NODE_NONE);
}

static void moves_with_what_is_below(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");
    uint32_t a = watch_tree_add(&tree, root, "a");
    uint32_t b = watch_tree_add(&tree, a, "b");
    uint32_t other = watch_tree_add(&tree, root, "other");

    (void)state;
    watch_tree_detach(&tree, a);
    assert_path(b, NULL, false, NULL);
    assert_path(b, NULL, true, "/p/a/b");
    assert_int_equal(watch_tree_child(&tree, root, "a"), WATCH_NODE_NONE);
    watch_tree_attach(&tree, a, other, "z");
    assert_path(b, "x", false, "/p/other/z/b/x");
    assert_path(b, "x", true, "/p/a/b/x");
    assert_int_equal(watch_tree_child(&tree, other, "z"), a);
    assert_true(watch_tree_is_within(&tree, b, other));
    assert_false(watch_tree_is_within(&tree, other, b));
}

static void swapped_to_and_fro(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");
    uint32_t a = watch_tree_add(&tree, root, "a");
    uint32_t b = watch_tree_add(&tree, root, "b");
    char path[PATH_MAX];

    (void)state;
    for (int i = 0; i < 1000; i++) {
        watch_tree_detach(&tree, a);
        watch_tree_detach(&tree, b);
        watch_tree_attach(&tree, a, root, i % 2 ? "a" : "b");
        watch_tree_attach(&tree, b, root, i % 2 ? "b" : "a");
    }
    assert_path(a, NULL, false, "/p/a");
    assert_path(a, NULL, true, "/p/b");
    /* Each was in the other before: the old places form a ring, and that ends. */
    watch_tree_detach(&tree, b);
    watch_tree_attach(&tree, b, a, "in");
    watch_tree_detach(&tree, b);
    watch_tree_attach(&tree, b, root, "b");
    watch_tree_detach(&tree, a);
    watch_tree_attach(&tree, a, b, "in");
    watch_tree_detach(&tree, a);
    watch_tree_attach(&tree, a, root, "a");
    assert_int_equal(watch_tree_path(&tree, a, "x", true, path, sizeof(path), NULL),
                     WATCH_NODE_NONE);
    assert_path(a, "x", false, "/p/a/x");
}

static void removed_as_a_whole(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");
    uint32_t a = watch_tree_add(&tree, root, "a");
    uint32_t at = a;
    uint32_t generation = tree.v[a].generation;

    (void)state;
    watch_tree_set_wd(&tree, a, 1);
    for (int i = 0; i < 100; i++) {
        uint32_t side = watch_tree_add(&tree, at, "side");

        watch_tree_set_wd(&tree, side, 10);
        at = watch_tree_add(&tree, at, "down");
    }
    assert_int_equal(tree.count, 202);
    watch_tree_remove(&tree, a, on_gone, NULL);
    assert_int_equal(tree.count, 1);
    assert_int_equal(gone_sum, 1 + 100 * 10);
    assert_int_equal(watch_tree_by_wd(&tree, 10), WATCH_NODE_NONE);
    assert_int_equal(tree.v[root].first_child, WATCH_NODE_NONE);
    /* The same number is another directory then. */
    do
        at = watch_tree_add(&tree, root, "new");
    while (at != a && tree.count < 300);
    assert_int_equal(at, a);
    assert_int_not_equal(tree.v[a].generation, generation);
}

static void walked_parents_first(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");
    unsigned seen = 0;

    (void)state;
    for (int i = 0; i < 3; i++) {
        uint32_t id = watch_tree_add(&tree, root, (const char *[]){"a", "b", "c"}[i]);

        watch_tree_add(&tree, id, "x");
        watch_tree_add(&tree, id, "y");
    }
    for (uint32_t id = root; id != WATCH_NODE_NONE; id = watch_tree_next(&tree, root, id)) {
        seen |= 1U << id;
        if (tree.v[id].parent != WATCH_NODE_NONE)
            assert_true(seen & 1U << tree.v[id].parent);
    }
    assert_int_equal(seen, (1U << 10) - 1);
}

static void too_many_directories(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");

    (void)state;
    tree.count = WATCH_NODES_MAX;
    assert_int_equal(watch_tree_add(&tree, root, "a"), WATCH_NODE_NONE);
    tree.count = 1;
    assert_int_not_equal(watch_tree_add(&tree, root, "a"), WATCH_NODE_NONE);
}

static void sticky_names(void **state)
{
    uint32_t root = watch_tree_add_root(&tree, "/p");

    (void)state;
    assert_null(watch_tree_sticky(&tree, root, "a"));
    watch_tree_stick(&tree, root, "a", PLAN_COVER_EMPTY, "x");
    watch_tree_stick(&tree, root, "b", PLAN_COVER_RO, "y");
    watch_tree_stick(&tree, root, "a", PLAN_COVER_DENY, "z");
    assert_int_equal(watch_tree_sticky(&tree, root, "a")->kind, PLAN_COVER_DENY);
    watch_tree_unstick(&tree, root, "a");
    watch_tree_unstick(&tree, root, "a");
    assert_null(watch_tree_sticky(&tree, root, "a"));
    assert_string_equal(watch_tree_sticky(&tree, root, "b")->origin, "y");
}

/* ---- events ---- */

static int pair[2];

static int make_pair(void **state)
{
    (void)state;
    return socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair);
}

static int close_pair(void **state)
{
    (void)state;
    close(pair[0]);
    close(pair[1]);
    return 0;
}

static void event_arrives(void **state)
{
    struct mounter_event sent = {.type = MOUNTER_EVENT_COVERED, .kind = PLAN_COVER_DENY};
    struct mounter_event got;
    const char *path, *origin;

    (void)state;
    assert_int_equal(mounter_event_receive(pair[1], &got, &path, &origin), -EAGAIN);
    assert_true(mounter_event_send(pair[0], &sent, "/p/\033[31m\n", "--mask x"));
    assert_true(mounter_event_send(pair[0], &sent, "", NULL));
    assert_int_equal(mounter_event_receive(pair[1], &got, &path, &origin), 1);
    assert_string_equal(path, "/p/\033[31m\n");
    assert_string_equal(origin, "--mask x");
    assert_int_equal(got.kind, PLAN_COVER_DENY);
    assert_int_equal(mounter_event_receive(pair[1], &got, &path, &origin), 1);
    assert_string_equal(path, "");
    assert_string_equal(origin, "");
}

static void long_texts_are_cut(void **state)
{
    struct mounter_event sent = {.type = MOUNTER_EVENT_MOVED};
    struct mounter_event got;
    const char *path, *origin;
    char text[2 * MOUNTER_EVENT_TEXT_MAX];

    (void)state;
    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    assert_true(mounter_event_send(pair[0], &sent, text, text));
    assert_int_equal(mounter_event_receive(pair[1], &got, &path, &origin), 1);
    assert_int_equal(strlen(path), MOUNTER_EVENT_TEXT_MAX / 2 - 1);
    assert_int_equal(strlen(origin), MOUNTER_EVENT_TEXT_MAX / 2 - 1);
}

static void wrong_events_are_refused(void **state)
{
    static const size_t head = offsetof(struct mounter_event, text);
    const struct {
        struct mounter_event event;
        size_t size;
    } rows[] = {
        {{.type = 0}, head + 2},
        {{.type = MOUNTER_EVENT_COUNT}, head + 2},
        {{.type = 1}, head},
        {{.type = 1}, 3},
        {{.type = 1, .path_len = 1}, head + 2},
        {{.type = 1, .path_len = UINT32_MAX}, head + 2},
        {{.type = 1, .path_len = UINT32_MAX - 1, .origin_len = 2}, head + 3},
        {{.type = 1, .text = "x"}, head + 2},
        {{.type = 1, .text = {0, 'x'}}, head + 2},
        {{.type = 1}, sizeof(struct mounter_event)},
    };
    struct mounter_event got;
    const char *path, *origin;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        assert_int_equal(send(pair[0], &rows[i].event, rows[i].size, 0), rows[i].size);
        assert_int_equal(mounter_event_receive(pair[1], &got, &path, &origin), -EBADMSG);
    }
    shutdown(pair[0], SHUT_RDWR);
    assert_int_equal(mounter_event_receive(pair[1], &got, &path, &origin), 0);
}

static void full_socket_does_not_block(void **state)
{
    struct mounter_event event = {.type = MOUNTER_EVENT_LINK};
    int sent = 0;

    (void)state;
    while (sent < 100000 && mounter_event_send(pair[0], &event, "/p", NULL))
        sent++;
    assert_in_range(sent, 1, 99999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(paths_are_made_of_names, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(root_of_everything, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(found_by_name_and_watch, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(moves_with_what_is_below, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(swapped_to_and_fro, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(removed_as_a_whole, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(walked_parents_first, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(too_many_directories, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(sticky_names, make_tree, free_tree),
        cmocka_unit_test_setup_teardown(event_arrives, make_pair, close_pair),
        cmocka_unit_test_setup_teardown(long_texts_are_cut, make_pair, close_pair),
        cmocka_unit_test_setup_teardown(wrong_events_are_refused, make_pair, close_pair),
        cmocka_unit_test_setup_teardown(full_socket_does_not_block, make_pair, close_pair),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
