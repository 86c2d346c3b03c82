// SPDX-License-Identifier: GPL-3.0-only
/*
 * json_report: the text of --report.
 */
#include "backend/json_report.h"

#include "backend/json_text.h"

static json_t *refused(const struct run_report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->refused_n; i++) {
        const struct run_refused *row = &report->refused[i];
        json_t *object = json_object();

        json_object_set_new(object, "host", json_text(row->host));
        json_object_set_new(object, "port", json_integer(row->port));
        json_object_set_new(object, "count", json_integer((json_int_t)row->count));
        json_object_set_new(object, "flag", json_text(row->flag));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *late_masks(const struct run_report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->late_n; i++) {
        const struct run_late_mask *row = &report->late_masks[i];
        json_t *object = json_object();

        json_object_set_new(object, "path", json_text(row->path));
        json_object_set_new(object, "kind", json_text(row->kind));
        json_object_set_new(object, "trigger", json_text(row->trigger));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *changed(const struct run_report *report)
{
    json_t *array = json_array();

    for (size_t i = 0; i < report->changed_n; i++) {
        const struct run_changed *row = &report->changed[i];
        json_t *object = json_object();

        json_object_set_new(object, "path", json_text(row->path));
        json_object_set_new(object, "class", json_text(row->class));
        json_object_set_new(object, "change", json_text(row->is_new ? "new" : "changed"));
        if (row->count > 1)
            json_object_set_new(object, "count", json_integer(row->count));
        json_array_append_new(array, object);
    }
    return array;
}

static json_t *lost(const struct run_report *report)
{
    json_t *object = json_object();
    json_t *largest = json_array();

    if (report->largest) {
        json_t *file = json_object();

        json_object_set_new(file, "path", json_text(report->largest));
        json_object_set_new(file, "bytes", json_integer((json_int_t)report->largest_bytes));
        json_array_append_new(largest, file);
    }
    json_object_set_new(object, "files", json_integer((json_int_t)report->lost_files));
    json_object_set_new(object, "bytes", json_integer((json_int_t)report->lost_bytes));
    json_object_set_new(object, "largest", largest);
    return object;
}

char *json_report(const struct run_report *report)
{
    json_t *object = json_object();
    json_t *command = json_array();

    for (size_t i = 0; i < report->command->n; i++)
        json_array_append_new(command, json_text(report->command->v[i]));
    json_object_set_new(object, "version", json_integer(1));
    json_object_set_new(object, "command", command);
    json_object_set_new(object, "code", json_integer(report->code));
    json_object_set_new(object, "signal",
                        report->signal ? json_integer(report->signal) : json_null());
    json_object_set_new(object, "refused", refused(report));
    json_object_set_new(object, "late_masks", late_masks(report));
    json_object_set_new(object, "changed", changed(report));
    json_object_set_new(object, "partial", json_boolean(report->is_partial));
    json_object_set_new(object, "lost", lost(report));
    return json_document(object);
}
