// SPDX-License-Identifier: GPL-3.0-only
/*
 * sanitizer: what AddressSanitizer is told in a sanitized ai-jail (AI_JAIL_SANITIZE).
 *
 * LeakSanitizer looks at its own process with ptrace at the end, which the confined supervisor has
 * given up; so it is off here, and on in the unit tests, which link everything but this file and
 * main. A report ends with a code that no command under test uses.
 */
#include <sanitizer/asan_interface.h>

const char *__asan_default_options(void)
{
    return "detect_leaks=0:exitcode=99";
}
