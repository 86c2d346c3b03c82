// SPDX-License-Identifier: GPL-3.0-only
/*
 * save_select: what of a command line goes into a project file.
 *
 * The file stays in the project, where its content is believed only as far as it tightens. So what
 * is written by itself is the command and what tightens; what is written on demand is what the file
 * would be believed.
 */
#pragma once

#include "base/note.h"
#include "config/config.h"
#include "config/save.h"

struct save_request {
    const struct config *cli;   /* what the command line said, as it was written */
    const struct strv *command; /* words of the command line; empty: none */
    const char *project;        /* canonical */
    const char *home;           /* canonical or NULL */
    bool is_trusted;            /* the file of this project may say everything */
    bool is_automatic;          /* nobody asked for a file */
};

/* Fills changes, for save_new() and save_edit(). What is left out although it was asked for gets a
 * warning that says where it can be said. */
void save_select(const struct save_request *request, struct save_changes *changes,
                 struct notes *notes);
