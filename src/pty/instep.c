// SPDX-License-Identifier: GPL-3.0-only
/*
 * instep: keeps the agent's state files equal inside and outside.
 *
 * What both sides agreed on last is kept in memory: a side has changed if it holds something else
 * now. One side changed: it is copied. Both: the host's stays and is copied, and the jail's version is
 * put beside it on the host. A file that is gone has not changed. How a side is read and written stands in
 * instep_file.c; nothing but a complete JSON object
 * is copied, so what somebody is just writing is not taken for its result.
 *
 * The mounters of several runs take turns by a lock on the host's directory. Others do not know that
 * lock: the host's file is replaced only if it is still the one that was read (instep_file.c).
 *
 * The jail's mount namespace lives as long as this process is in it. So the last copy finds the file
 * after every process of the jail is gone.
 */
#include "pty/instep.h"

#include "base/buf.h"
#include "base/path.h"
#include "pty/instep_file.h"
#include "pty/mounter_event.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <time.h>
#include <unistd.h>

#define QUIET_MS    500  /* after the last change */
#define PATIENCE_MS 2000 /* after the first one: who writes all the time is not waited for */
#define RETRY_MS    20   /* the lock is taken, or the host's file has just changed */
#define RETRIES     10   /* so close to one another */
#define LAST_TRIES  50   /* of the last copy, RETRY_MS apart */
#define WITHOUT_MS  1000 /* how often to look if nothing can be watched */
#define TORN_TRIES  6    /* QUIET_MS apart: how long the host may take to write its file */
#define EVENTS_SIZE 8192
#define READS_MAX   16 /* before anything else gets its turn */

/* Not IN_MODIFY: who writes closes, and every line of a log in HOME would wake us. */
#define WATCHED (IN_CLOSE_WRITE | IN_MOVED_TO | IN_CREATE)

struct kept {
    const struct in_step_file *file;
    struct instep_side host, jail;
    struct buf agreed; /* what both sides had last */
    bool has_agreed;   /* false: there was no file */
    int off_code;      /* not 0: it cannot be kept in step; positive errno */
    bool is_said;      /* that it is off, or that the jail's version was not taken */
    unsigned torn;     /* how often the host's file was incomplete in a row */
    unsigned retries;  /* how often somebody else was in the way in a row */
    uint64_t first_ms; /* 0: no change is waiting */
    uint64_t due_ms;
};

struct instep {
    struct kept v[ARRAY_SIZE(((struct in_step *)0)->v)];
    size_t n;
    int inotify;
    bool is_blind; /* something could not be watched */
    bool is_inside;
    pid_t pid;
    int socket;
};

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static bool is_same(const struct buf *a, const struct buf *b)
{
    return a->len == b->len && (a->len == 0 || memcmp(a->data, b->data, a->len) == 0);
}

/* Holds something else than was agreed on; what cannot be read is something else, too. */
static bool has_changed(const struct kept *kept, const struct instep_content *content)
{
    bool is_read = content->code == 0 || content->code == EBADMSG;

    if (instep_is_absent(content))
        return false;
    return !is_read || !kept->has_agreed || !is_same(&kept->agreed, &content->bytes);
}

static void agree(struct kept *kept, const struct instep_content *content)
{
    buf_reset(&kept->agreed);
    buf_append(&kept->agreed, content->bytes.data, content->bytes.len);
    kept->has_agreed = true;
}

/* ---- telling ---- */

static void say(struct instep *instep, uint32_t type, const struct kept *kept, int code,
                const char *other)
{
    struct mounter_event event = {.type = type, .code = code};

    mounter_event_send(instep->socket, &event, kept->file->host, other);
}

static void say_once(struct instep *instep, uint32_t type, struct kept *kept, int code)
{
    if (!kept->is_said)
        say(instep, type, kept, code, NULL);
    kept->is_said = true;
}

/* ---- in step ---- */

static int to_host(struct kept *kept, const struct instep_content *host,
                   const struct instep_content *jail)
{
    mode_t mode = instep_is_absent(host) ? 0600 : host->st.st_mode & 0777;
    int r = instep_replace(&kept->host, kept->host.name, &jail->bytes, mode, &host->st);

    if (r == 0)
        agree(kept, jail);
    return r;
}

/* -EAGAIN if the jail has just changed its file. If it stands in the way of it, that is its loss: both
 * sides stay different, and what it saves later does not replace the host's. */
static int to_jail(struct kept *kept, const struct instep_content *host,
                   const struct instep_content *jail)
{
    int r = instep_replace(&kept->jail, kept->jail.name, &host->bytes, 0600,
                           jail->code ? NULL : &jail->st);

    if (r == 0)
        agree(kept, host);
    return r == -EAGAIN ? r : 0;
}

/* The host's file stays. */
static int settle_conflict(struct instep *instep, struct kept *kept,
                           const struct instep_content *host, const struct instep_content *jail)
{
    _cleanup_free_ char *name = xasprintf("%s.ai-jail-%d", kept->host.name, (int)instep->pid);
    _cleanup_free_ char *dir = path_parent(kept->file->host);
    _cleanup_free_ char *path = path_join(dir, name);
    int r = instep_replace(&kept->host, name, &jail->bytes, 0600, NULL);

    if (r < 0)
        return r;
    say(instep, MOUNTER_EVENT_STATE_BESIDE, kept, 0, path);
    /* What cannot be read is not copied, but the jail's version is in a safe place now. */
    if (host->code == 0)
        return to_jail(kept, host, jail);
    agree(kept, jail);
    return 0;
}

/* The host's file is not whole: perhaps somebody is writing it. */
static bool is_worth_waiting(struct kept *kept, const struct instep_content *host, bool is_last)
{
    if (host->code != EBADMSG || is_last || kept->torn >= TORN_TRIES)
        return false;
    kept->torn++;
    return true;
}

/* 0, -EAGAIN: to be tried again soon, -EBUSY: after a while; other -errno. */
static int compare_and_copy(struct instep *instep, struct kept *kept, bool is_last)
{
    struct instep_content host CLEANUP(instep_content_free);
    struct instep_content jail CLEANUP(instep_content_free);
    bool host_changed, jail_changed;

    instep_read(&kept->host, &host);
    instep_read(&kept->jail, &jail);
    host_changed = has_changed(kept, &host);
    jail_changed = has_changed(kept, &jail);
    if (jail_changed && jail.code != 0 && is_last)
        say_once(instep, MOUNTER_EVENT_STATE_REFUSED, kept, jail.code);
    jail_changed = jail_changed && jail.code == 0;
    if (host_changed && host.code != 0 && is_worth_waiting(kept, &host, is_last))
        return -EBUSY;
    kept->torn = 0;
    if (host_changed && jail_changed && host.code == 0 && is_same(&host.bytes, &jail.bytes))
        agree(kept, &host);
    else if (host_changed && jail_changed)
        return settle_conflict(instep, kept, &host, &jail);
    else if (jail_changed)
        return to_host(kept, &host, &jail);
    else if (host_changed && host.code == 0 && !is_last)
        return to_jail(kept, &host, &jail);
    return 0;
}

/* Only one mounter at a time. A directory that knows no locks is used without. */
static int in_turn(struct instep *instep, struct kept *kept, bool is_last)
{
    int r;

    if (flock(kept->host.dir, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
        return -EAGAIN;
    r = compare_and_copy(instep, kept, is_last);
    flock(kept->host.dir, LOCK_UN);
    return r;
}

static void touch(struct kept *kept, uint64_t now, uint64_t wait_ms)
{
    uint64_t latest;

    if (kept->off_code)
        return;
    if (!kept->first_ms)
        kept->first_ms = now;
    latest = kept->first_ms + PATIENCE_MS;
    kept->due_ms = now + wait_ms < latest || wait_ms <= RETRY_MS ? now + wait_ms : latest;
}

static void sync_now(struct instep *instep, struct kept *kept, uint64_t now)
{
    int r = in_turn(instep, kept, false);

    kept->first_ms = 0;
    kept->retries = r == -EAGAIN ? kept->retries + 1 : 0;
    if (r == -EAGAIN)
        touch(kept, now, kept->retries < RETRIES ? RETRY_MS : QUIET_MS);
    else if (r == -EBUSY)
        touch(kept, now, QUIET_MS);
    else if (r < 0)
        say_once(instep, MOUNTER_EVENT_STATE_FAILED, kept, -r);
}

/* ---- watching ---- */

static bool is_of(const struct instep_side *side, const struct inotify_event *event)
{
    return side->wd == event->wd && event->len && strcmp(side->name, event->name) == 0;
}

static void on_event(struct instep *instep, const struct inotify_event *event, uint64_t now)
{
    for (size_t i = 0; i < instep->n; i++) {
        struct kept *kept = &instep->v[i];

        if ((event->mask & IN_Q_OVERFLOW) || is_of(&kept->host, event) || is_of(&kept->jail, event))
            touch(kept, now, QUIET_MS);
    }
}

static void read_events(struct instep *instep, uint64_t now)
{
    union {
        struct inotify_event event; /* for the alignment */
        char bytes[EVENTS_SIZE];
    } events;

    for (unsigned i = 0; i < READS_MAX; i++) {
        ssize_t n = read(instep->inotify, events.bytes, sizeof(events.bytes));

        if (n <= 0)
            return;
        for (size_t at = 0; at + sizeof(struct inotify_event) <= (size_t)n;) {
            const struct inotify_event *event = (const void *)(events.bytes + at);

            on_event(instep, event, now);
            at += sizeof(*event) + event->len;
        }
    }
}

static void watch_dir(struct instep *instep, struct instep_side *side, const char *dir)
{
    side->wd = instep->inotify < 0
                   ? -1
                   : inotify_add_watch(instep->inotify, dir, WATCHED | IN_ONLYDIR | IN_DONT_FOLLOW);
    if (side->wd < 0)
        instep->is_blind = true;
}

/* ---- the life of it ---- */

static int open_side(struct instep *instep, struct instep_side *side, const char *path)
{
    _cleanup_free_ char *dir = path_parent(path);

    side->name = path_base(path);
    side->dir = open(dir, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (side->dir < 0)
        return errno;
    watch_dir(instep, side, dir);
    return 0;
}

/* The host's file as it is, whole or not: the agent shall see what it would see outside. */
static void open_kept(struct instep *instep, struct kept *kept, const struct in_step_file *file)
{
    struct instep_content host CLEANUP(instep_content_free) = {0};

    *kept =
        (struct kept){.file = file, .host = {.dir = -1, .is_durable = true}, .jail = {.dir = -1}};
    buf_init(&kept->agreed, INSTEP_SIZE_MAX + KIB);
    kept->off_code = open_side(instep, &kept->host, file->host);
    if (kept->off_code)
        return;
    instep_read(&kept->host, &host);
    if (host.code && host.code != EBADMSG)
        kept->off_code = host.code;
    else if (!instep_is_absent(&host))
        agree(kept, &host);
}

struct instep *instep_open(const struct in_step *files, pid_t pid, int socket)
{
    struct instep *instep;

    if (!files || files->n == 0)
        return NULL;
    instep = xcalloc(1, sizeof(*instep));
    instep->pid = pid;
    instep->socket = socket;
    instep->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    for (size_t i = 0; i < files->n; i++)
        open_kept(instep, &instep->v[instep->n++], &files->v[i]);
    return instep;
}

void instep_enter(struct instep *instep)
{
    uint64_t now = now_ms();

    for (size_t i = 0; i < instep->n; i++) {
        struct kept *kept = &instep->v[i];
        int r;

        if (!kept->off_code)
            kept->off_code = open_side(instep, &kept->jail, kept->file->jail);
        r = kept->off_code || !kept->has_agreed
                ? 0
                : instep_replace(&kept->jail, kept->jail.name, &kept->agreed, 0600, NULL);
        if (r < 0)
            kept->off_code = -r;
        /* The supervisor waits for another message now; events come behind it. */
        if (kept->off_code)
            kept->due_ms = now;
    }
    instep->is_inside = true;
}

int instep_fd(const struct instep *instep)
{
    return instep->inotify;
}

int instep_timeout_ms(const struct instep *instep)
{
    uint64_t now = now_ms();
    uint64_t next = instep->is_blind ? now + WITHOUT_MS : UINT64_MAX;

    for (size_t i = 0; i < instep->n; i++)
        if (instep->v[i].due_ms && instep->v[i].due_ms < next)
            next = instep->v[i].due_ms;
    return next == UINT64_MAX ? -1 : next <= now ? 0 : (int)(next - now);
}

void instep_step(struct instep *instep)
{
    uint64_t now = now_ms();

    if (instep->inotify >= 0)
        read_events(instep, now);
    for (size_t i = 0; i < instep->n; i++) {
        struct kept *kept = &instep->v[i];

        if (!kept->due_ms && instep->is_blind)
            touch(kept, now, WITHOUT_MS);
        if (!kept->due_ms || kept->due_ms > now)
            continue;
        kept->due_ms = 0;
        if (kept->off_code)
            say_once(instep, MOUNTER_EVENT_STATE_OFF, kept, kept->off_code);
        else
            sync_now(instep, kept, now);
    }
}

void instep_finish(struct instep *instep)
{
    for (size_t i = 0; i < instep->n && instep->is_inside; i++) {
        struct kept *kept = &instep->v[i];
        int r = kept->off_code ? 0 : -EAGAIN;

        for (unsigned tries = 0; r == -EAGAIN && tries < LAST_TRIES; tries++) {
            if (tries)
                poll(NULL, 0, RETRY_MS);
            r = in_turn(instep, kept, true);
        }
        /* Whoever holds the lock all that time is not one of us. */
        if (r == -EAGAIN)
            r = compare_and_copy(instep, kept, true);
        if (r < 0)
            say(instep, MOUNTER_EVENT_STATE_FAILED, kept, -r, NULL);
        else if (kept->off_code)
            say_once(instep, MOUNTER_EVENT_STATE_OFF, kept, kept->off_code);
    }
}

void instep_free(struct instep *instep)
{
    for (size_t i = 0; instep && i < instep->n; i++) {
        buf_free(&instep->v[i].agreed);
        if (instep->v[i].host.dir >= 0)
            close(instep->v[i].host.dir);
        if (instep->v[i].jail.dir >= 0)
            close(instep->v[i].jail.dir);
    }
    if (instep && instep->inotify >= 0)
        close(instep->inotify);
    free(instep);
}
