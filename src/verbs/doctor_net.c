// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_net: whether the proxies of the host can be reached, and prove their names where they are spoken
 * to by TLS.
 *
 * Resolving, connecting and shaking hands may take long: a process of its own does it, and is given up
 * after a while. Its reason lies in memory that both have. Nothing is asked of the proxy.
 */
#include "verbs/doctor.h"

#include "net/parent.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

static const char fix_proxy[] =
    "check the proxy, or unset the variable: hosts are then dialled directly";
static const char fix_tls[] =
    "check the proxy's certificate; SSL_CERT_FILE names further authorities to trust";

struct reach {
    const struct doctor *doctor;
    const struct parent *parent;
    struct error *why; /* shared; text: of TLS, which was at work */
};

/* A socket, or the negative errno of the last address; -EADDRNOTAVAIL: there is none. */
static int connect_any(const struct addrinfo *found)
{
    int error = EADDRNOTAVAIL;

    for (; found; found = found->ai_next) {
        int fd = socket(found->ai_family, SOCK_STREAM, 0);

        if (fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0)
            return fd;
        error = errno;
        if (fd >= 0)
            close(fd);
    }
    return -error;
}

static int connect_parent(const struct parent *parent)
{
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char port[8];
    int fd;

    snprintf(port, sizeof(port), "%u", parent->target.port);
    if (getaddrinfo(parent->target.name, port, &hints, &found) != 0)
        return -EADDRNOTAVAIL;
    fd = connect_any(found);
    freeaddrinfo(found);
    return fd;
}

static int reach(void *arg)
{
    struct reach *reach = arg;
    int fd = connect_parent(reach->parent);

    if (fd < 0)
        return -fd;
    if (!reach->parent->is_tls)
        return 0;
    error_set(reach->why, ETIMEDOUT, "it does not answer in time");
    return -doctor_shake_hands(reach->doctor, fd, reach->parent->target.name, reach->why);
}

static void say(struct doctor *doctor, const struct parent *parent, int error, struct error *why)
{
    char text[PARENT_TEXT_MAX];

    parent_format(parent, text, sizeof(text));
    why->text[sizeof(why->text) - 1] = '\0'; /* the other process wrote it */
    if (error == 0)
        doctor_add(doctor, "parent-proxy", DOCTOR_OK, NULL, "%s (%s) takes connections%s", text,
                   parent->variable, parent->is_tls ? " and proves its name" : "");
    else if (why->text[0])
        doctor_add(doctor, "parent-proxy", DOCTOR_DEGRADED, fix_tls,
                   "%s (%s) takes connections, but there is no TLS with it: %s", text,
                   parent->variable, why->text);
    else
        doctor_add(doctor, "parent-proxy", DOCTOR_DEGRADED, fix_proxy,
                   "%s (%s) cannot be reached: %s", text, parent->variable,
                   error == EADDRNOTAVAIL ? "its name is not known" : strerror(error));
}

static void check_parent(struct doctor *doctor, const struct parent *parent)
{
    struct reach way = {.doctor = doctor, .parent = parent};
    int error;

    way.why =
        mmap(NULL, sizeof(*way.why), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (way.why == MAP_FAILED)
        return;
    error = doctor_in_child(reach, &way);
    say(doctor, parent, error, way.why);
    munmap(way.why, sizeof(*way.why));
}

void doctor_check_parents(struct doctor *doctor)
{
    struct parents parents CLEANUP(parents_free);
    struct notes notes CLEANUP(notes_free) = {0};

    if (!doctor->has_host)
        return;
    parents_read(&parents, &doctor->host.environ, &notes);
    for (size_t i = 0; i < notes.n; i++)
        doctor_add(doctor, "parent-proxy", DOCTOR_DEGRADED, NULL, "%s", notes.v[i].text);
    if (parents.other && !parents.other->fault)
        check_parent(doctor, parents.other);
    if (parents.web && !parents.web->fault &&
        (!parents.other || strcmp(parents.web->variable, parents.other->variable) != 0))
        check_parent(doctor, parents.web);
}
