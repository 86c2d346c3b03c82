// SPDX-License-Identifier: GPL-3.0-only
/*
 * room: one spare room, and a count of the large ones.
 */
#include "net/room.h"

#include <assert.h>
#include <stdlib.h>

struct room {
    size_t size;
    uint8_t bytes[];
};

static void drop(struct rooms *rooms, struct room *room)
{
    if (room && room->size == ROOM_LARGE)
        rooms->large--;
    free(room);
}

/* Not cleared: nobody looks at more than was read. */
static struct room *make(struct rooms *rooms)
{
    size_t size = rooms->large < ROOM_LARGE_MAX ? ROOM_LARGE : ROOM_SMALL;
    struct room *room = xrealloc(NULL, 1, sizeof(*room) + size);

    room->size = size;
    rooms->large += size == ROOM_LARGE;
    return room;
}

uint8_t *rooms_lend(struct rooms *rooms, size_t *size)
{
    if (!rooms->spare)
        rooms->spare = make(rooms);
    *size = rooms->spare->size;
    return rooms->spare->bytes;
}

struct room *rooms_keep(struct rooms *rooms)
{
    assert(rooms->spare);
    return steal_ptr(&rooms->spare);
}

void rooms_give_back(struct rooms *rooms, struct room *room)
{
    if (rooms->spare && rooms->spare->size >= room->size) {
        drop(rooms, room);
        return;
    }
    drop(rooms, rooms->spare);
    rooms->spare = room;
}

void rooms_free(struct rooms *rooms)
{
    drop(rooms, rooms->spare);
    rooms->spare = NULL;
}
