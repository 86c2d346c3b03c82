// SPDX-License-Identifier: GPL-3.0-only
/*
 * gathering: a HOME and a project on the real file system with the two files, and what gather()
 * makes of them and of a command line.
 */
#pragma once

#include "config/gather.h"

struct gathering_case {
    const char *global;  /* text of ~/.ai-jail; NULL: absent */
    const char *project; /* text of ./.ai-jail; NULL: absent */
    bool is_trusted;     /* trust_project_config is put in front of global */
};

struct gathering_test {
    char base[64];
    char *home;
    char *project;
    struct args args; /* filled by the test; the verb is VERB_INIT, which reads no other file */
    struct gathered gathered;
    struct notes notes;
    struct error error;
};

/* Makes the directories and files. */
void gathering_init(struct gathering_test *test, const struct gathering_case *with);
/* Removes them. */
void gathering_free(struct gathering_test *test);
#define _cleanup_gathering_ CLEANUP(gathering_free)

/* Words of the command line's command, separated by blanks; "" for none. */
void gathering_command(struct gathering_test *test, const char *words);
/* gather(), once per test. */
int gathering_run(struct gathering_test *test);
/* The same, and fails the test if it fails. */
void gathering_must_run(struct gathering_test *test);

/* How many notes of the class hold part. */
unsigned gathering_count(const struct gathering_test *test, enum note_class class,
                         const char *part);
/* "BASE/NAME" with this text and mode; NULL text: removed. */
void gathering_write(struct gathering_test *test, const char *name, const char *text,
                     unsigned mode);
