// SPDX-License-Identifier: GPL-3.0-only
/*
 * restore_page: the page, written and used.
 */
#include "pty/restore_page.h"

#include "base/fd.h"

#include <string.h>
#include <unistd.h>

void restore_page_set(struct restore_page *page, const struct terminal *terminal, const void *bytes,
                      size_t len)
{
    struct restore_side *side;
    uint32_t other;

    assert(len <= RESTORE_PAGE_MAX);
    if (!page)
        return;
    other = !page->current;
    side = &page->sides[other];
    if (len)
        memcpy(side->restore, bytes, len);
    side->restore_len = (uint32_t)len;
    side->is_raw = terminal && terminal->is_raw;
    if (side->is_raw) {
        side->saved = terminal->saved;
        side->raw = terminal->raw;
    }
    __atomic_store_n(&page->current, other, __ATOMIC_SEQ_CST);
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag &&
           a->c_cflag == b->c_cflag;
}

void restore_page_apply(const struct restore_page *page, int fd)
{
    const struct restore_side *side = &page->sides[page->current];
    struct termios now;

    if (fd < 0 || !side->is_raw)
        return;
    if (tcgetattr(fd, &now) < 0 || !same_modes(&now, &side->raw))
        return;
    fd_set_nonblocking(fd, true);
    (void)!write(fd, side->restore, side->restore_len);
    tcsetattr(fd, TCSANOW, &side->saved);
}
