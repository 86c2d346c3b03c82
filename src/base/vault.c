// SPDX-License-Identifier: GPL-3.0-only
/*
 * vault: memory for a few secret strings.
 *
 * Each string has a mapping of its own; its size stands in front of it.
 */
#include "base/vault.h"

#include "base/os.h"

#include <string.h>
#include <sys/mman.h>

struct room {
    size_t size; /* of the mapping */
    char text[];
};

static struct room *room_of(char *text)
{
    return (struct room *)(void *)(text - offsetof(struct room, text));
}

char *vault_keep(const char *bytes, size_t len, bool *is_locked)
{
    size_t size = sizeof(struct room) + len + 1;
    struct room *room =
        mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert(room != MAP_FAILED); /* a page or two */
    *is_locked = mlock(room, size) == 0;
    /* What is a door already shut by other means: failing does no harm. */
    os_hide_memory(room, size);
    room->size = size;
    memcpy(room->text, bytes, len);
    return room->text;
}

void vault_free(char *text)
{
    struct room *room;
    size_t size;

    if (!text)
        return;
    room = room_of(text);
    size = room->size;
    if (size == 0) /* a child: the page was emptied for it */
        return;
    os_wipe(room, size);
    munmap(room, size);
}
