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
    assert(len <= RESTORE_PAGE_MAX);
    if (!page)
        return;
    page->is_raw = 0;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    if (len)
        memcpy(page->restore, bytes, len);
    page->restore_len = (uint32_t)len;
    if (terminal && terminal->is_raw) {
        page->saved = terminal->saved;
        page->raw = terminal->raw;
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        page->is_raw = 1;
    }
}

static bool same_modes(const struct termios *a, const struct termios *b)
{
    return a->c_iflag == b->c_iflag && a->c_oflag == b->c_oflag && a->c_lflag == b->c_lflag &&
           a->c_cflag == b->c_cflag;
}

void restore_page_apply(const struct restore_page *page, int fd)
{
    struct termios now;

    if (fd < 0 || !page->is_raw)
        return;
    if (tcgetattr(fd, &now) < 0 || !same_modes(&now, &page->raw))
        return;
    fd_set_nonblocking(fd, true);
    (void)!write(fd, page->restore, page->restore_len);
    tcsetattr(fd, TCSANOW, &page->saved);
}
