// SPDX-License-Identifier: GPL-3.0-only
/*
 * isolate_macos: what the supervisor gives up on a Mac: core files, and nothing else.
 *
 * There is no documented way in which a process could confine itself there (sandbox_init(3) is marked as
 * deprecated, and its profile would have to be as wide as the resolver). SECURITY.md says so.
 */
#include "pty/isolate.h"

#include <errno.h>
#include <sys/resource.h>

/* Secrets of the proxy and of the terminal must not end in /cores. */
int isolate_undumpable(void)
{
    const struct rlimit none = {0};

    return setrlimit(RLIMIT_CORE, &none) < 0 ? -errno : 0;
}

int isolate_supervisor(int landlock_abi, bool with_seccomp, struct notes *notes,
                       struct error *error)
{
    (void)landlock_abi;
    (void)with_seccomp;
    (void)notes;
    (void)error;
    return 0;
}

int isolate_stream(int landlock_abi, bool with_seccomp, struct notes *notes, struct error *error)
{
    (void)landlock_abi;
    (void)with_seccomp;
    (void)error;
    notes_add(notes, NOTE_SECURITY, "the filter keeps its rights: macOS has no walls for it");
    return 0;
}
