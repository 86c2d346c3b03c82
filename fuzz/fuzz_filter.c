// SPDX-License-Identifier: GPL-3.0-only
/*
 * fuzz_filter: any bytes through the terminal filter.
 *
 * The first byte of the input chooses how the rest is cut: pieces of that many bytes, 0 whole. The
 * stream is filtered whole, cut, and through the tables alone; the three must agree, and the output
 * must keep what filter_checks.h demands. The restore list is made of complete sequences too, and a
 * terminal that reads it after the output has nothing left to restore.
 */
#include "../tests/filter/filter_checks.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define WATCH_STEP 16 /* smaller pieces would only make it slow */

static const uint64_t now = 1000;

/* As long as the generation is the same, so is the list. */
struct watch {
    uint64_t generation;
    struct buf list;
};

static void watch_restore(struct watch *watch, const struct filter *filter)
{
    uint64_t generation = filter_generation(filter);
    struct buf list CLEANUP(buf_free);

    buf_init(&list, FILTER_RESTORE_MAX);
    filter_restore(filter, &list);
    if (list.overflow)
        check_failed("restore list too long", list.data, list.len);
    if (watch->generation == generation)
        check_equal("restore list of the same generation", &watch->list, &list);
    buf_free(&watch->list);
    watch->list = list;
    watch->generation = generation;
    buf_init(&list, 0);
}

static struct filter *run(const uint8_t *bytes, size_t len, size_t step, bool is_table_only,
                          struct check_run *result)
{
    struct filter *filter = check_filter(&now);
    struct watch watch = {0};

    buf_init(&watch.list, FILTER_RESTORE_MAX);
    filter_restore(filter, &watch.list);
    watch.generation = filter_generation(filter);
    buf_init(&result->out, CHECK_OUT_MAX);
    buf_init(&result->reply, CHECK_OUT_MAX);
    filter->is_table_only = is_table_only;
    for (size_t i = 0; i < len; i += step) {
        size_t piece = len - i < step ? len - i : step;

        filter_feed(filter, bytes + i, piece, &result->out, &result->reply);
        if (step >= WATCH_STEP)
            watch_restore(&watch, filter);
    }
    buf_free(&watch.list);
    return filter;
}

/* The list, played after the output, must leave nothing but the constant part of the list. */
static void check_restore(const struct filter *filter, const struct buf *output)
{
    struct filter *played = check_filter(&now);
    struct check_run lists[3];
    static const uint8_t none[1];

    for (size_t i = 0; i < ARRAY_SIZE(lists); i++) {
        buf_init(&lists[i].out, CHECK_OUT_MAX);
        buf_init(&lists[i].reply, CHECK_OUT_MAX);
    }
    filter_restore(filter, &lists[0].out);
    check_alphabet(lists[0].out.data, lists[0].out.len);
    if (lists[0].out.len > FILTER_RESTORE_MAX)
        check_failed("restore list too long", lists[0].out.data, lists[0].out.len);
    filter_feed(played, output->data ? output->data : none, output->len, &lists[1].out,
                &lists[1].reply);
    filter_feed(played, lists[0].out.data, lists[0].out.len, &lists[1].out, &lists[1].reply);
    if (modes_changed(&played->modes) & ~(played->modes.touched & MODE_BIT(MODE_CURSOR_BLINK)) ||
        played->shadow.is_alternate || shadow_has_margins(&played->shadow) ||
        played->kitty[0].depth || played->kitty[1].depth || played->link_open ||
        played->title_depth || played->is_insert || played->is_keypad)
        check_failed("not restored by", lists[0].out.data, lists[0].out.len);
    buf_reset(&lists[2].out);
    filter_resume(filter, &lists[2].out);
    check_alphabet(lists[2].out.data, lists[2].out.len);
    if (lists[2].out.len > FILTER_RESUME_MAX)
        check_failed("resume list too long", lists[2].out.data, lists[2].out.len);
    for (size_t i = 0; i < ARRAY_SIZE(lists); i++)
        check_run_free(&lists[i]);
    filter_free(played);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct check_run whole;
    struct check_run cut;
    struct check_run plain;
    struct filter *filter;
    size_t step;

    if (size < 1)
        return 0;
    step = data[0] ? data[0] : size;
    data++;
    size--;
    filter = run(data, size, size + 1, false, &whole);
    filter_free(run(data, size, step, false, &cut));
    filter_free(run(data, size, 1, true, &plain));
    check_equal("output of the cut stream", &whole.out, &cut.out);
    check_equal("reply to the cut stream", &whole.reply, &cut.reply);
    check_equal("output of the tables", &whole.out, &plain.out);
    check_equal("reply of the tables", &whole.reply, &plain.reply);
    check_output(data, size, &whole.out);
    check_restore(filter, &whole.out);
    filter_free(filter);
    check_run_free(&whole);
    check_run_free(&cut);
    check_run_free(&plain);
    return 0;
}
