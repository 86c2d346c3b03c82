// SPDX-License-Identifier: GPL-3.0-only
/*
 * start_terminal: which of the command's descriptors become the run's pseudo-terminal.
 */
#include "pty/start.h"

bool start_wants_pty(const struct jail *jail)
{
    return jail->stdio.is_pty[0] || jail->stdio.is_pty[1] || jail->stdio.is_pty[2];
}

int start_open_terminal(struct jail *jail, struct error *error)
{
    for (int fd = 0; fd <= 2; fd++)
        jail->stdio.is_pty[fd] = jail->policy->host->is_tty[fd];
    if (!start_wants_pty(jail))
        return 0;
    /* With both, the terminal is ours: the command starts in the foreground. */
    jail->stdio.foreground = jail->stdio.is_pty[0] && jail->stdio.is_pty[1];
    return terminal_open(&jail->terminal, error);
}
