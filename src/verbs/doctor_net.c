// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_net: whether the proxies of the host can be reached.
 *
 * Resolving and connecting may take long: a process of its own does it, and is given up after a while.
 * Nothing is asked of the proxy.
 */
#include "verbs/doctor.h"

#include "net/parent.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const char fix_proxy[] =
    "check the proxy, or unset the variable: hosts are then dialled directly";

/* 0, or the errno of the last address; EADDRNOTAVAIL: there is none. */
static int connect_any(const struct addrinfo *found)
{
    int error = EADDRNOTAVAIL;

    for (; found; found = found->ai_next) {
        int fd = socket(found->ai_family, SOCK_STREAM, 0);

        error = fd >= 0 && connect(fd, found->ai_addr, found->ai_addrlen) == 0 ? 0 : errno;
        if (fd >= 0)
            close(fd);
        if (error == 0)
            break;
    }
    return error;
}

static int reach(void *arg)
{
    const struct parent *parent = arg;
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    char port[8];
    int error;

    snprintf(port, sizeof(port), "%u", parent->target.port);
    if (getaddrinfo(parent->target.name, port, &hints, &found) != 0)
        return EADDRNOTAVAIL;
    error = connect_any(found);
    freeaddrinfo(found);
    return error;
}

static void check_parent(struct doctor *doctor, struct parent *parent)
{
    char text[PARENT_TEXT_MAX];
    int error = doctor_in_child(reach, parent);

    parent_format(parent, text, sizeof(text));
    if (error == 0)
        doctor_add(doctor, "parent-proxy", DOCTOR_OK, NULL, "%s (%s) takes connections", text,
                   parent->variable);
    else
        doctor_add(doctor, "parent-proxy", DOCTOR_DEGRADED, fix_proxy,
                   "%s (%s) cannot be reached: %s", text, parent->variable,
                   error == EADDRNOTAVAIL ? "its name is not known" : strerror(error));
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
