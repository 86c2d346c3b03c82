// SPDX-License-Identifier: GPL-3.0-only
/*
 * isolate: what the supervisor and the mounter give up once the jail has started.
 */
#pragma once

#include "base/error.h"
#include "base/note.h"

/* Not dumpable; called before anything secret or hostile is in memory. 0 or -errno. */
int isolate_undumpable(void);
/*
 * The supervisor's confinement: Landlock without any write, reading only below the directories that
 * the resolver needs; seccomp: the jail's table plus execve and execveat; no
 * capability but CAP_DAC_READ_SEARCH. Must be called while the
 * process has one thread. with_seccomp is false where the build has no program and the user said
 * --no-seccomp. A missing Landlock is a security note, everything else that fails is an error.
 */
int isolate_supervisor(int landlock_abi, bool with_seccomp, struct notes *notes,
                       struct error *error);
/* The mounter's: seccomp without execve, execveat, socket. */
int isolate_mounter(bool with_seccomp, struct error *error);
/*
 * For a process that only copies between descriptors that are open already: no file, no TCP, no
 * signal to others, no execve, no socket. The process must have one thread. A layer that this
 * kernel does not have is a security note, everything else that fails is an error.
 */
int isolate_stream(int landlock_abi, bool with_seccomp, struct notes *notes, struct error *error);
