// SPDX-License-Identifier: GPL-3.0-only
/*
 * resolve: names to addresses with the resolver of libc, without waiting for it.
 *
 * libuv's own pool would do it with a few threads that a few slow names fill, and a program that
 * ends would wait for them. Here each lookup has a thread, up to RESOLVE_THREADS_MAX; more wait for
 * their turn. A lookup that nobody waits for any more is left alone: nothing waits for its thread,
 * not even the end of the program.
 */
#pragma once

#include "base/error.h"

#include <netdb.h>
#include <uv.h>

#define RESOLVE_THREADS_MAX 64
#define RESOLVE_URGENT_MAX  8 /* more, for those that cannot wait behind names nobody answers for */

struct resolver;
struct lookup;

/* found is NULL unless status is 0, and is the receiver's, for freeaddrinfo(). status: EAI_*. */
typedef void resolve_done_fn(void *arg, int status, struct addrinfo *found);

/* 0 or -errno. */
int resolver_new(struct resolver **resolver, uv_loop_t *loop);
/* Every lookup has been given up. The loop has to run on until the handle is closed; the rest is
 * freed by whoever needs it last. NULL is fine. */
void resolver_close(struct resolver *resolver);

/* Looks a name up, in both families; is_urgent: before others that wait. NULL if no thread can be made, with nothing told. done is called
 * from the loop, once, unless the lookup is given up before. */
struct lookup *resolve_start(struct resolver *resolver, const char *name, bool is_urgent,
                             resolve_done_fn *done, void *arg);
/* done is not called any more; lookup is gone for the caller. */
void resolve_give_up(struct lookup *lookup);
