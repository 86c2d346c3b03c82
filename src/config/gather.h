// SPDX-License-Identifier: GPL-3.0-only
/*
 * gather: the effective configuration of one call, from all its sources, and how it came about.
 *
 * built-in < ~/.ai-jail < its [commands.NAME] < ./.ai-jail < command line. What an untrusted
 * project file may not say is taken out here (trust.h), each with one line; status shows the rest.
 */
#pragma once

#include "config/args.h"

#include <sys/types.h>

/* The places that files are looked for in, and whose they must be. */
struct gather_place {
    const char *cwd;  /* canonical working directory: the project */
    const char *home; /* canonical; NULL: there is none, so no global file */
    uid_t uid;        /* effective */
};

enum file_state {
    FILE_ABSENT,
    FILE_READ,
    FILE_SKIPPED,  /* --clean */
    FILE_IS_GLOBAL /* the project file is the global one */
};

/* What became of one of the two files. */
struct gathered_file {
    char *path; /* as it is looked for; NULL: nowhere to look */
    enum file_state state;
    bool is_trusted;           /* merged like a layer of the user's own */
    const char *why_untrusted; /* static text, NULL if trusted or not read */
};

/* One [commands.NAME] of the global file. */
struct gathered_table {
    char *name;
    unsigned line;
    bool is_applied;
    const char *why_not; /* static text, NULL if applied */
};

/* Something that a project file said and did not get. */
struct refusal {
    enum setting_id id;
    struct origin origin;
    char *value; /* as text; NULL where it may be a secret */
    char *why;
};

struct gathered {
    struct config config; /* effective */
    struct strv command;  /* effective words; empty: bash */
    struct origin command_origin;
    bool command_is_untrusted; /* from an untrusted project file */
    struct gathered_file global;
    struct gathered_file project;
    struct gathered_table *tables;
    size_t table_count;
    struct refusal *refusals;
    size_t refusal_count;
    char *contradiction; /* a layer that says "network on" and names hosts; NULL: none does */
    struct gather_layers *layers; /* keeps alive what origins borrow */
};

/*
 * Reads and merges. Environment files are read, too, for the verbs that plan a launch. 0, or -errno with the line to print: a file that is malformed, wrongly typed or
 * not to be read ends every verb but --doctor. gathered wants gather_free() either way.
 */
int gather(struct gathered *gathered, const struct args *args, const struct gather_place *place,
           struct notes *notes, struct error *error);
void gather_free(struct gathered *gathered);
/* Every layer as it was read, the applied ones and the others: what config was merged from is still
 * there. */
void gather_each_layer(const struct gathered *gathered,
                       void (*each)(void *arg, const struct config *layer), void *arg);

/* Launch only: what the configuration asks for and this version cannot do (setting.support). 0, or
 * -errno with the line to print. */
int gather_check_support(const struct gathered *gathered, struct notes *notes, struct error *error);
