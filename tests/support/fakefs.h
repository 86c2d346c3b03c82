// SPDX-License-Identifier: GPL-3.0-only
/*
 * fakefs: a file system in memory behind struct fs, for tests of the planner.
 *
 * It is built from a text, one node per line; numbers are octal modes and decimal owners:
 *
 *     d /usr 0755 0                         directory
 *     f /usr/bin/env 0755 0 #!/bin/sh\n     regular file; the rest of the line is its content
 *     l /bin usr/bin                        symbolic link with its target text
 *     s /run/agent.sock 0600 1000           socket
 *     p /tmp/pipe 0600 1000                 FIFO
 *     c /dev/kvm 0660 0                     character device
 *     b /dev/sda 0660 0                     block device
 *
 * Mode and owner may be left out (0755 and 0) if no content follows; links have 0777. In content
 * and in link targets \n, \r, \t, \\, \0 and \xNN stand for bytes. A word may not contain a blank:
 * write \x20. Blank lines and lines that begin with # are skipped, blanks in front of a line too.
 * Missing parents are made as 0755 directories of root. A line for a path that is there already
 * replaces that node and keeps what lies below it.
 *
 * It behaves like the kernel where the planner can see it: links anywhere in a path are followed
 * (at most 40, -ELOOP), "..", -ENOTDIR, -EACCES for a directory without any search bit, for
 * reading a file or listing a directory without any read bit, -EINVAL for reading something that
 * is not a regular file. Every node has its own inode number on device 1. A mistake in the text
 * ends the test program with a message.
 */
#pragma once

#include "base/fs.h"

struct fakefs;

/* A new file system with "/" and the nodes of spec (may be NULL). Free with fakefs_free(). */
struct fakefs *fakefs_new(const char *spec) MUST_CHECK;
void fakefs_free(struct fakefs *fakefs);

/* Adds more lines. */
void fakefs_add(struct fakefs *fakefs, const char *spec);
/* Adds one line, formatted. */
void fakefs_addf(struct fakefs *fakefs, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Gives the regular file at path (made with 0755 of root if absent) these bytes. */
void fakefs_set_content(struct fakefs *fakefs, const char *path, const void *bytes, size_t len);
/* Removes the node at path and everything below it. */
void fakefs_remove(struct fakefs *fakefs, const char *path);
/* The facts of the node exactly at path (no link is followed), to be changed by the test: device,
 * size, links ... Never NULL; valid until the node is removed. */
struct fs_stat *fakefs_node(struct fakefs *fakefs, const char *path);

/* The interface to hand to the planner; valid as long as fakefs. */
const struct fs *fakefs_fs(const struct fakefs *fakefs);

/* For a local struct fakefs *. */
void fakefs_cleanup(struct fakefs **slot);
#define _cleanup_fakefs_ CLEANUP(fakefs_cleanup)
