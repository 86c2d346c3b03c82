// SPDX-License-Identifier: GPL-3.0-only
/*
 * instep_file: a file that others save, too, is replaced without the loss of what they saved.
 */
#include "pty/instep_file.h"

#include "base/fd.h"
#include "support/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAME   "state.json"
#define ROUNDS 3000

struct world {
    char base[64];
    struct instep_side side;
};

static void world_init(struct world *world)
{
    *world = (struct world){.base = "/tmp/ai-jail-instep-file.XXXXXX"};
    assert_non_null(mkdtemp(world->base));
    world->side = (struct instep_side){.name = NAME, .wd = -1};
    world->side.dir = open(world->base, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    assert_true(world->side.dir >= 0);
}

/* Nothing but the file itself may be left. */
static void world_free(struct world *world)
{
    DIR *dir = opendir(world->base);
    struct dirent *entry;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        assert_true(entry->d_name[0] == '.' || strcmp(entry->d_name, NAME) == 0);
    closedir(dir);
    unlinkat(world->side.dir, NAME, 0);
    close(world->side.dir);
    assert_int_equal(rmdir(world->base), 0);
}

/* As an editor or an agent does it. */
static void save(const struct world *world, const char *text)
{
    _cleanup_close_ int fd =
        openat(world->side.dir, ".saved", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(renameat(world->side.dir, ".saved", world->side.dir, NAME), 0);
}

static int replace(const struct world *world, const char *text, const struct stat *was)
{
    struct buf bytes;
    int r;

    buf_init(&bytes, KIB);
    buf_append(&bytes, text, strlen(text));
    r = instep_replace(&world->side, NAME, &bytes, 0600, was);
    buf_free(&bytes);
    return r;
}

/* "" if nothing is there. */
static void get(const struct world *world, char *text, size_t size, struct stat *st)
{
    struct instep_content content;

    instep_read(&world->side, &content);
    assert_int_equal(content.code, 0);
    snprintf(text, size, "%.*s", (int)content.bytes.len, (const char *)content.bytes.data);
    *st = content.st;
    instep_content_free(&content);
}

static void assert_holds(const struct world *world, const char *text)
{
    char found[64];
    struct stat st;

    get(world, found, sizeof(found), &st);
    assert_string_equal(found, text);
}

static void nothing_is_there(void **state)
{
    struct world world;
    char found[64];
    struct stat st;

    (void)state;
    world_init(&world);
    get(&world, found, sizeof(found), &st);
    save(&world, "{\"host\":1}");
    assert_int_equal(replace(&world, "{\"ours\":1}", &st), -EAGAIN);
    assert_holds(&world, "{\"host\":1}");
    assert_int_equal(unlinkat(world.side.dir, NAME, 0), 0);
    assert_int_equal(replace(&world, "{\"ours\":1}", &st), 0);
    assert_holds(&world, "{\"ours\":1}");
    world_free(&world);
}

static void it_is_another_one(void **state)
{
    struct world world;
    char found[64];
    struct stat st;

    (void)state;
    world_init(&world);
    save(&world, "{}");
    get(&world, found, sizeof(found), &st);
    save(&world, "{\"host\":1}");
    assert_int_equal(replace(&world, "{\"ours\":1}", &st), -EAGAIN);
    assert_holds(&world, "{\"host\":1}");
    get(&world, found, sizeof(found), &st);
    assert_int_equal(replace(&world, "{\"ours\":1}", &st), 0);
    assert_holds(&world, "{\"ours\":1}");
    assert_int_equal(replace(&world, "{\"ours\":2}", NULL), 0);
    assert_holds(&world, "{\"ours\":2}");
    world_free(&world);
}

struct saver {
    const struct world *world;
    pthread_barrier_t start;
    unsigned spin; /* turns before it saves */
    bool is_absent;
};

static void *save_once(void *arg)
{
    struct saver *saver = arg;

    pthread_barrier_wait(&saver->start);
    for (volatile unsigned i = 0; i < saver->spin; i++)
        ;
    save(saver->world, "{\"host\":1}");
    return NULL;
}

/* One save at any moment of a replacement. Both cannot be there afterwards; the other's save may only be
 * gone if it was read before. */
static void race(struct saver *saver, unsigned seed)
{
    char read_text[64];
    char found[64];
    struct stat st;
    pthread_t thread;
    int r;

    unlinkat(saver->world->side.dir, NAME, 0);
    if (!saver->is_absent)
        save(saver->world, "{}");
    saver->spin = seed * 7919 % 60000;
    assert_int_equal(pthread_create(&thread, NULL, save_once, saver), 0);
    pthread_barrier_wait(&saver->start);
    get(saver->world, read_text, sizeof(read_text), &st);
    r = replace(saver->world, "{\"ours\":1}", &st);
    assert_int_equal(pthread_join(thread, NULL), 0);
    get(saver->world, found, sizeof(found), &st);
    assert_true(r == 0 || r == -EAGAIN);
    if (r == -EAGAIN || strcmp(read_text, "{\"host\":1}") != 0)
        assert_string_equal(found, "{\"host\":1}");
    else
        assert_string_equal(found, "{\"ours\":1}");
}

static void others_save_at_any_moment(void **state)
{
    struct world world;
    struct saver saver = {.world = &world};

    (void)state;
    world_init(&world);
    assert_int_equal(pthread_barrier_init(&saver.start, NULL, 2), 0);
    for (unsigned i = 0; i < ROUNDS; i++) {
        saver.is_absent = i % 3 == 0;
        race(&saver, i);
    }
    pthread_barrier_destroy(&saver.start);
    world_free(&world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_is_there),
        cmocka_unit_test(it_is_another_one),
        cmocka_unit_test(others_save_at_any_moment),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
