// SPDX-License-Identifier: GPL-3.0-only
/*
 * gather: the command line alone, so far.
 */
#include "config/gather.h"

int gather(struct gathered *gathered, const struct args *args, const struct gather_place *place,
           struct notes *notes, struct error *error)
{
    (void)place;
    (void)notes;
    (void)error;
    *gathered = (struct gathered){.command_origin.layer = LAYER_CLI};
    config_builtin(&gathered->config);
    config_merge(&gathered->config, &args->cli);
    strv_push_all(&gathered->command, &args->command);
    return 0;
}

void gather_free(struct gathered *gathered)
{
    config_free(&gathered->config);
    strv_free(&gathered->command);
}

int gather_check_support(const struct gathered *gathered, struct notes *notes, struct error *error)
{
    (void)gathered;
    (void)notes;
    (void)error;
    return 0;
}
