// SPDX-License-Identifier: GPL-3.0-only
/*
 * room: the memory that bytes on their way through the proxy are read into.
 *
 * A read is answered at once: what was read is written to the other side before anything else is
 * read. So one room is enough for all connections, and a large one costs little and saves wake-ups and
 * calls. Only what the other side does not take at once has to stay: its flow keeps the room, and
 * the next read gets another one. Large ones are few, so that readers which have stopped hold no more
 * than ROOM_LARGE * ROOM_LARGE_MAX + ROOM_SMALL for each direction beyond ROOM_LARGE_MAX.
 */
#pragma once

#include "base/base.h"

#define ROOM_SMALL     (64 * KIB)
#define ROOM_LARGE     (512 * KIB)
#define ROOM_LARGE_MAX 16 /* at once */

struct room;

/* Where rooms come from: zero at first. */
struct rooms {
    struct room *spare; /* lent for the read that comes next; NULL: not made yet */
    size_t large;       /* in use, the spare one included */
};

/* Memory for the next read, and its size: ROOM_LARGE or ROOM_SMALL. It is good until the bytes have
 * been dealt with, and stays where it is if it is kept. */
uint8_t *rooms_lend(struct rooms *rooms, size_t *size);
/* What was lent last is needed for longer; to be given back. Never NULL. */
struct room *rooms_keep(struct rooms *rooms);
void rooms_give_back(struct rooms *rooms, struct room *room);
/* Everything must have been given back. */
void rooms_free(struct rooms *rooms);
