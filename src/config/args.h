// SPDX-License-Identifier: GPL-3.0-only
/*
 * args: the command line, generated from the settings table (getopt_long; abbreviations refused).
 */
#pragma once

#include "config/config.h"
#include "config/options.h"

struct args {
    enum verb verb;
    char *operand; /* of the verb; NULL: none */
    bool also_dry; /* --dry-run beside a verb that writes: print instead */
    bool json;
    bool clean;
    struct config cli;   /* LAYER_CLI: only what was said */
    struct strv command; /* words of the command, byte for byte; empty: none given */
    struct notes notes;  /* a capability flag that went to the command */
};

/*
 * Reads argv as main got it: options up to the first other word or "--", then the command. argv is
 * neither changed nor kept. 0, or -EINVAL with the line to print in error; no value of an option is
 * ever in that line. args is filled from scratch and wants args_free() either way. Uses getopt's
 * global state: one thread only.
 */
int args_parse(int argc, char **argv, struct args *args, struct error *error);
void args_free(struct args *args);

/* The text of --help, at most 80 columns wide: malloc'ed, for stdout. */
char *args_help(void);
