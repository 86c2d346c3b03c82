// SPDX-License-Identifier: GPL-3.0-only
/*
 * args: the command line, generated from the settings table (getopt_long; abbreviations refused).
 */
#pragma once

#include "config/config.h"

enum verb { VERB_RUN, VERB_DRY_RUN, VERB_HELP, VERB_VERSION };

struct args {
    enum verb verb;
    bool json;
    struct config cli;   /* LAYER_CLI */
    struct strv command; /* words of the command, byte for byte; empty: none given */
    struct notes notes;  /* capability flags that went to the command ... */
};

/* argv as main got it. 0, or -EINVAL with the line to print in error. */
int args_parse(int argc, char **argv, struct args *args, struct error *error);
void args_free(struct args *args);

/* The text of --help: malloc'ed, for stdout. */
char *args_help(void);
