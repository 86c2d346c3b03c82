// SPDX-License-Identifier: GPL-3.0-only
/*
 * read: a configuration file's bytes as typed layers.
 *
 * Every key is looked up in the settings table; nothing here knows one by name. What may stand where
 * and what the value may be is decided here; who may say it (trust) and how layers combine is not.
 */
#pragma once

#include "config/config.h"
#include "config/normal.h"

/* What the bytes are. */
struct read_source {
    const char *path;          /* for messages */
    enum layer_kind kind;      /* LAYER_GLOBAL or LAYER_PROJECT */
    struct normal_place place; /* for the paths in it */
};

/* One [commands.NAME]. */
struct read_table {
    char *name; /* origins in config borrow it */
    unsigned line;
    struct config config; /* LAYER_COMMAND_TABLE */
};

struct file_layers {
    struct config base; /* the keys before and outside of tables; the command is SET_COMMAND */
    struct read_table *tables; /* LAYER_GLOBAL only; in the order of the file */
    size_t table_count;
};

/*
 * Reads len bytes of valid UTF-8. 0, or -EINVAL with "FILE:LINE:COLUMN: key: reason" and the values
 * that are accepted, never the one that was written: not TOML, a duplicate, a value of the wrong
 * type, an unknown word, a number out of range, an entry with a fault. An unknown key or table, or a
 * key that does not count in its place, is passed over with a warning. Paths are in normal form, each
 * value and each entry has its place. layers wants read_free() either way, and must outlive what was
 * merged from it (origins borrow the names of the tables).
 */
int read_layers(const struct read_source *source, const char *bytes, size_t len,
                struct file_layers *layers, struct notes *notes, struct error *error);
void read_free(struct file_layers *layers);

#define _cleanup_layers_ CLEANUP(read_free)
