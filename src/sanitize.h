// SPDX-License-Identifier: GPL-3.0-only
/*
 * sanitize: the terminal filter as a verb, from standard input to standard output.
 */
#pragma once

/*
 * Copies until the end of the input, as it comes, and returns the exit code: 0, also when nobody
 * reads the output any more; 125 if reading, writing or the confinement fails, which it says on
 * standard error. What a terminal would be asked is not answered. Memory does not depend on the
 * length of the input. Call it while the process has one thread: it confines it for good.
 */
int sanitize_run(void);
