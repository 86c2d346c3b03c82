// SPDX-License-Identifier: GPL-3.0-only
/*
 * filter: the loop that drives scanner, text, rules and strings, and what belongs to a filter as a
 * whole: its life, its clock, its size.
 *
 * In the ground state text_run() takes everything up to the next control. A control sequence that
 * lies complete in the chunk is parsed in place; whatever is cut by the end of the chunk, or is
 * unusual, goes byte by byte through the scanner's tables. Both ways meet in rules_csi().
 */
#include "filter/filter.h"

#include "filter/answers.h"
#include "filter/osc.h"
#include "filter/rules.h"
#include "filter/state.h"
#include "filter/text.h"
#include "filter/width.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ESC 0x1B

#define SYNC_TIMEOUT_MS 1000
#define DCS_MAX         1024
#define TITLE_RETRY_MS  50 /* a token of the title limit */
#define DEFAULT_ROWS    24
#define DEFAULT_COLS    80

const struct filter_profile filter_profile_fixed = {
    .rows = 24,
    .cols = 80,
    .cell_width_px = 10,
    .cell_height_px = 20,
    .has_sync = true,
    .has_kitty_keys = true,
    .has_theme_report = true,
    .da2 = "41;400;0",
    .version = "XTerm(400)",
    .foreground = "rgb:dddd/dddd/dddd",
    .background = "rgb:1111/1111/1111",
    .cursor = "rgb:eeee/eeee/eeee",
    .is_dark = true,
    .start_row = 1,
    .start_col = 1,
};

static uint64_t read_monotonic(void *ctx)
{
    struct timespec now;

    (void)ctx;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* These texts become part of answers. */
static void clean_text(char *text, size_t size, const char *allowed)
{
    size_t i = 0;

    while (i + 1 < size && text[i] >= 0x20 && text[i] <= 0x7E &&
           (!allowed || strchr(allowed, text[i])))
        i++;
    memset(text + i, 0, size - i);
}

static void clean_profile(struct filter_profile *profile)
{
    clean_text(profile->da2, sizeof(profile->da2), "0123456789;");
    clean_text(profile->version, sizeof(profile->version), NULL);
    clean_text(profile->term, sizeof(profile->term), NULL);
    clean_text(profile->foreground, sizeof(profile->foreground), NULL);
    clean_text(profile->background, sizeof(profile->background), NULL);
    clean_text(profile->cursor, sizeof(profile->cursor), NULL);
    for (size_t i = 0; i < ARRAY_SIZE(profile->palette); i++)
        clean_text(profile->palette[i], sizeof(profile->palette[i]), NULL);
}

struct filter *filter_new(const struct filter_profile *profile)
{
    struct filter *filter = xcalloc(1, sizeof(*filter));
    unsigned rows = profile->rows ? profile->rows : DEFAULT_ROWS;
    unsigned cols = profile->cols ? profile->cols : DEFAULT_COLS;

    scanner_setup();
    rules_setup();
    width_setup();
    filter->profile = *profile;
    clean_profile(&filter->profile);
    filter->profile.may_write_clipboard &= !profile->is_linux_console;
    if (filter->profile.may_write_clipboard)
        filter->scanner.large = xcalloc(1, SCAN_LARGE_MAX);
    filter->clock = read_monotonic;
    filter->cursor_style = profile->cursor_style;
    filter->modify_keys = profile->modify_keys;
    modes_init(&filter->modes);
    shadow_init(&filter->shadow, rows, cols);
    shadow_place(&filter->shadow, profile->start_row, profile->start_col);
    return filter;
}

void filter_free(struct filter *filter)
{
    if (filter)
        free(filter->scanner.large);
    free(filter);
}

void filter_set_clock(struct filter *filter, filter_clock *clock, void *ctx)
{
    filter->clock = clock;
    filter->clock_ctx = ctx;
}

uint64_t state_now(const struct filter *filter)
{
    return filter->clock(filter->clock_ctx);
}

bool limiter_take(struct limiter *limiter, const struct limit *limit, uint64_t now_ms)
{
    uint64_t full = (uint64_t)limit->burst * 1000;
    uint64_t tokens = full;

    if (limiter->is_running) {
        uint64_t passed = now_ms > limiter->at_ms ? now_ms - limiter->at_ms : 0;

        /* A pause in which the bucket fills up needs no exact number, so nothing overflows. */
        tokens = passed > full ? full : limiter->thousandths + passed * limit->per_second;
        tokens = tokens > full ? full : tokens;
    }
    limiter->is_running = true;
    limiter->at_ms = now_ms;
    limiter->thousandths = (uint32_t)(tokens >= 1000 ? tokens - 1000 : tokens);
    return tokens >= 1000;
}

static void close_string(struct filter *filter)
{
    const struct scanner *scanner = &filter->scanner;
    const uint8_t *string = scanner_string(scanner);
    bool is_overlong = scanner->is_overlong;

    switch (scanner->opener) {
    case ']':
        osc_dispatch(filter, string, scanner->len, is_overlong,
                     scanner->ended_by_bel ? ENCODE_BEL : ENCODE_ST);
        break;
    case 'k':
        osc_screen_title(filter, string, scanner->len);
        break;
    case 'P':
        if (is_overlong || scanner->len > DCS_MAX)
            state_drop(filter, FILTER_DROP_DCS);
        else
            answer_dcs(filter, string, scanner->len);
        break;
    default:
        state_drop(filter, FILTER_DROP_STRING);
        break;
    }
}

static void dispatch_csi(struct filter *filter)
{
    const struct scanner *scanner = &filter->scanner;

    if (csi_parse(&filter->csi, scanner->bytes, scanner->bytes + scanner->len))
        rules_csi(filter, &filter->csi);
}

static void dispatch_esc(struct filter *filter)
{
    const struct scanner *scanner = &filter->scanner;

    if (scanner->n_inter > 1)
        state_drop(filter, FILTER_DROP_ESC);
    else
        rules_esc(filter, scanner->inter, scanner->final);
}

/* One byte through the tables; false if it is to be looked at again. */
static bool take_byte(struct filter *filter, uint8_t byte)
{
    switch (scanner_step(&filter->scanner, byte)) {
    case SCAN_TEXT:
        return text_byte(filter, byte);
    case SCAN_EXECUTE:
        rules_c0(filter, byte);
        break;
    case SCAN_DISPATCH_ESC:
        dispatch_esc(filter);
        break;
    case SCAN_DISPATCH_CSI:
        dispatch_csi(filter);
        break;
    case SCAN_CLOSE:
        close_string(filter);
        break;
    case SCAN_ABORT:
        state_drop(filter, FILTER_DROP_ABORTED);
        break;
    case SCAN_RETRY:
        state_drop(filter, FILTER_DROP_ABORTED);
        return false;
    case SCAN_NONE:
        if (filter->scanner.state == SCAN_GROUND)
            state_drop(filter, FILTER_DROP_CONTROL);
        break;
    default:
        break;
    }
    return true;
}

/* A control sequence that lies complete at p: its length, or 0. */
static size_t take_csi_in_place(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    size_t len;

    if (end - p < 3 || p[0] != ESC || p[1] != '[')
        return 0;
    len = csi_parse(&filter->csi, p + 2, end);
    if (len == 0)
        return 0;
    rules_csi(filter, &filter->csi);
    return len + 2;
}

/* The states whose bytes are only collected. */
static bool is_string(enum scan_state state)
{
    return state == SCAN_OSC || state == SCAN_STRING;
}

static void take_all(struct filter *filter, const uint8_t *p, const uint8_t *end)
{
    while (p < end) {
        if (filter->scanner.state == SCAN_GROUND) {
            size_t len;

            p = text_run(filter, p, end);
            if (p == end)
                break;
            len = filter->is_table_only ? 0 : take_csi_in_place(filter, p, end);
            p += len;
            if (len)
                continue;
        } else if (is_string(filter->scanner.state)) {
            p = scanner_skip(&filter->scanner, p, end);
            if (p == end)
                break;
        }
        if (take_byte(filter, *p))
            p++;
    }
}

void filter_feed(struct filter *filter, const uint8_t *bytes, size_t len, struct buf *out,
                 struct buf *reply)
{
    filter->reply = reply;
    encode_begin(&filter->enc, out);
    if (filter->size_report_owed)
        answer_size(filter);
    take_all(filter, bytes, bytes + len);
    encode_finish(&filter->enc);
    filter->reply = NULL;
}

/* Milliseconds until the synchronised update counts as forgotten; -1 if there is none. */
static int sync_left_ms(const struct filter *filter)
{
    uint64_t now;

    if (!filter_is_synchronised(filter))
        return -1;
    now = state_now(filter);
    if (now >= filter->sync_since_ms + SYNC_TIMEOUT_MS)
        return 0;
    return (int)(filter->sync_since_ms + SYNC_TIMEOUT_MS - now);
}

static void end_sync(struct filter *filter)
{
    encode_csif(&filter->enc, "?2026l");
    modes_set(&filter->modes, MODE_SYNC, false);
    state_touch(filter);
}

int filter_tick(struct filter *filter, struct buf *out, struct buf *reply)
{
    int wait_ms;

    filter->reply = reply;
    encode_begin(&filter->enc, out);
    if (filter->size_report_owed)
        answer_size(filter);
    wait_ms = sync_left_ms(filter);
    if (wait_ms == 0) {
        end_sync(filter);
        wait_ms = -1;
    }
    if (!osc_flush_title(filter))
        wait_ms = wait_ms < 0 || wait_ms > TITLE_RETRY_MS ? TITLE_RETRY_MS : wait_ms;
    encode_finish(&filter->enc);
    filter->reply = NULL;
    return wait_ms;
}

void filter_resize(struct filter *filter, unsigned rows, unsigned cols)
{
    shadow_resize(&filter->shadow, rows ? rows : DEFAULT_ROWS, cols ? cols : DEFAULT_COLS);
    filter->size_report_owed = modes_is_on(&filter->modes, MODE_SIZE_REPORT);
    state_touch(filter);
}

bool filter_is_ground(const struct filter *filter)
{
    return filter->scanner.state == SCAN_GROUND && filter->partial_len == 0;
}

bool filter_is_alternate(const struct filter *filter)
{
    return filter->shadow.is_alternate;
}

bool filter_is_synchronised(const struct filter *filter)
{
    return filter->profile.has_sync && modes_is_on(&filter->modes, MODE_SYNC);
}

struct filter_keys filter_keys(const struct filter *filter)
{
    const struct modes *modes = &filter->modes;
    uint32_t mouse = MODE_BIT(MODE_MOUSE_X10) | MODE_BIT(MODE_MOUSE_CLICKS) |
                     MODE_BIT(MODE_MOUSE_DRAG) | MODE_BIT(MODE_MOUSE_MOTION);

    return (struct filter_keys){
        .mouse = modes->on & mouse,
        .mouse_utf8 = modes_is_on(modes, MODE_MOUSE_UTF8),
        .focus = modes_is_on(modes, MODE_FOCUS),
        .paste = modes_is_on(modes, MODE_PASTE),
        .theme = modes_is_on(modes, MODE_THEME_REPORT),
        .rows = filter->reserve.is_on ? filter->shadow.rows : 0,
        .row_height_px = modes_is_on(modes, MODE_MOUSE_PIXELS) ? filter->profile.cell_height_px : 1,
    };
}

uint64_t filter_dropped(const struct filter *filter, enum filter_drop class)
{
    return filter->dropped[class];
}
