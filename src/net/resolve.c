// SPDX-License-Identifier: GPL-3.0-only
/*
 * resolve: one thread for each lookup that is under way.
 *
 * A thread beyond the usual number was made for an urgent lookup and takes none but those.
 * A thread does nothing but getaddrinfo(3). Everything that both sides touch is guarded by the lock;
 * only the loop's thread reads done and arg. The struct lives as long as the loop's side or a thread
 * needs it: a thread may be in libc for half a minute after the run has ended.
 */
#include "net/resolve.h"

#include "net/target.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

/* Modules of the resolver are not written for small stacks. Only what is touched is memory. */
#define STACK_SIZE (1 * MIB)

struct lookup {
    struct resolver *resolver;
    struct lookup *next; /* waiting, or finished */
    bool is_urgent;
    char name[TARGET_NAME_MAX + 1];
    int status;
    struct addrinfo *found;
    resolve_done_fn *done; /* NULL: given up */
    void *arg;
};

struct resolver {
    pthread_mutex_t lock;
    uv_async_t wake;
    unsigned threads;
    unsigned users; /* the loop's side and the threads */
    bool is_closed; /* wake must not be used any more */
    struct lookup *waiting;
    struct lookup **waiting_end;
    struct lookup *finished;
};

static void free_lookup(struct lookup *lookup)
{
    if (lookup->found)
        freeaddrinfo(lookup->found);
    free(lookup);
}

/* The lock is held, and given up. */
static void leave(struct resolver *resolver)
{
    bool is_last = --resolver->users == 0;

    pthread_mutex_unlock(&resolver->lock);
    if (!is_last)
        return;
    pthread_mutex_destroy(&resolver->lock);
    free(resolver);
}

/* ---- a thread ---- */

/* The lock is held. */
static void finish_lookup(struct resolver *resolver, struct lookup *lookup)
{
    if (resolver->is_closed) {
        free_lookup(lookup);
        return;
    }
    lookup->next = resolver->finished;
    resolver->finished = lookup;
    uv_async_send(&resolver->wake);
}

/* The lock is held. What was given up while it waited is not looked up at all. Urgent ones are first. */
static struct lookup *take_waiting(struct resolver *resolver, bool only_urgent)
{
    while (resolver->waiting && (resolver->waiting->is_urgent || !only_urgent)) {
        struct lookup *lookup = resolver->waiting;

        resolver->waiting = lookup->next;
        if (!resolver->waiting)
            resolver->waiting_end = &resolver->waiting;
        if (lookup->done)
            return lookup;
        free_lookup(lookup);
    }
    return NULL;
}

static void *run_lookups(void *arg)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct lookup *lookup = arg;
    struct resolver *resolver = lookup->resolver;

    do {
        lookup->status = getaddrinfo(lookup->name, NULL, &hints, &lookup->found);
        if (lookup->status != 0)
            lookup->found = NULL;
        pthread_mutex_lock(&resolver->lock);
        finish_lookup(resolver, lookup);
        lookup = take_waiting(resolver, resolver->threads > RESOLVE_THREADS_MAX);
        if (!lookup) {
            resolver->threads--;
            leave(resolver);
            return NULL;
        }
        pthread_mutex_unlock(&resolver->lock);
    } while (true);
}

/* The lock is held. Signals belong to the loop's thread. */
static bool start_thread(struct resolver *resolver, struct lookup *lookup)
{
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    bool is_started;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&attributes, STACK_SIZE);
    is_started = pthread_create(&thread, &attributes, run_lookups, lookup) == 0;
    pthread_attr_destroy(&attributes);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_started) {
        resolver->threads++;
        resolver->users++;
    }
    return is_started;
}

/* ---- the loop's side ---- */

static void on_wake(uv_async_t *wake)
{
    struct resolver *resolver = wake->data;
    struct lookup *finished;

    pthread_mutex_lock(&resolver->lock);
    finished = resolver->finished;
    resolver->finished = NULL;
    pthread_mutex_unlock(&resolver->lock);
    while (finished) {
        struct lookup *lookup = finished;

        finished = lookup->next;
        if (lookup->done) {
            lookup->done(lookup->arg, lookup->status, lookup->found);
            lookup->found = NULL;
        }
        free_lookup(lookup);
    }
}

int resolver_new(struct resolver **result, uv_loop_t *loop)
{
    struct resolver *resolver = xcalloc(1, sizeof(*resolver));
    int r = uv_async_init(loop, &resolver->wake, on_wake);

    if (r < 0) {
        free(resolver);
        return r;
    }
    resolver->wake.data = resolver;
    resolver->users = 1;
    resolver->waiting_end = &resolver->waiting;
    pthread_mutex_init(&resolver->lock, NULL);
    *result = resolver;
    return 0;
}

static void on_wake_closed(uv_handle_t *wake)
{
    struct resolver *resolver = wake->data;

    pthread_mutex_lock(&resolver->lock);
    leave(resolver);
}

static void free_all(struct lookup *lookup)
{
    while (lookup) {
        struct lookup *next = lookup->next;

        free_lookup(lookup);
        lookup = next;
    }
}

void resolver_close(struct resolver *resolver)
{
    struct lookup *waiting;
    struct lookup *finished;

    if (!resolver)
        return;
    pthread_mutex_lock(&resolver->lock);
    resolver->is_closed = true;
    waiting = resolver->waiting;
    finished = resolver->finished;
    resolver->waiting = resolver->finished = NULL;
    resolver->waiting_end = &resolver->waiting;
    pthread_mutex_unlock(&resolver->lock);
    free_all(waiting);
    free_all(finished);
    uv_close((uv_handle_t *)&resolver->wake, on_wake_closed);
}

/* The lock is held. */
static void queue_lookup(struct resolver *resolver, struct lookup *lookup)
{
    struct lookup **place = lookup->is_urgent ? &resolver->waiting : resolver->waiting_end;

    lookup->next = *place;
    *place = lookup;
    if (!lookup->next)
        resolver->waiting_end = &lookup->next;
}

struct lookup *resolve_start(struct resolver *resolver, const char *name, bool is_urgent,
                             resolve_done_fn *done, void *arg)
{
    struct lookup *lookup = xcalloc(1, sizeof(*lookup));
    unsigned max = RESOLVE_THREADS_MAX + (is_urgent ? RESOLVE_URGENT_MAX : 0);

    lookup->resolver = resolver;
    lookup->is_urgent = is_urgent;
    lookup->done = done;
    lookup->arg = arg;
    memccpy(lookup->name, name, '\0', sizeof(lookup->name));
    pthread_mutex_lock(&resolver->lock);
    if (resolver->threads < max && start_thread(resolver, lookup)) {
        pthread_mutex_unlock(&resolver->lock);
        return lookup;
    }
    if (resolver->threads == 0) { /* nobody would ever take it */
        pthread_mutex_unlock(&resolver->lock);
        free(lookup);
        return NULL;
    }
    queue_lookup(resolver, lookup);
    pthread_mutex_unlock(&resolver->lock);
    return lookup;
}

void resolve_give_up(struct lookup *lookup)
{
    struct resolver *resolver = lookup->resolver;

    pthread_mutex_lock(&resolver->lock);
    lookup->done = NULL;
    pthread_mutex_unlock(&resolver->lock);
}
