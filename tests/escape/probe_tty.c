// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_tty: the terminal. The harness is the user's terminal; what reaches it is its business
 * (bytes that helper.c emits), here are the calls.
 */
#include "probe.h"

#include <fcntl.h>
#include <linux/kd.h>
#include <linux/tty.h>
#include <linux/vt.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <termios.h>

#ifndef TIOCVHANGUP
#define TIOCVHANGUP 0x5437
#endif
#define TERMINAL_COUNT 4

static int terminals[TERMINAL_COUNT] = {0, 1, 2, -1};

static void terminals_open(void)
{
    terminals[3] = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
}

static long ioctl_raw(int fd, unsigned long request, const void *argument)
{
    return RESULT(syscall(SYS_ioctl, fd, request, argument));
}

/* The request, plain and with bits that the kernel ignores. */
static void ioctl_spellings(struct trial *t, unsigned long request, const void *argument)
{
    const unsigned long spelled[] = {request, request | 0x100000000UL,
                                     request | 0xffffffff00000000UL};

    terminals_open();
    for (size_t i = 0; i < TERMINAL_COUNT; i++)
        for (size_t k = 0; k < 3; k++)
            if (terminals[i] >= 0 && isatty(terminals[i]))
                trial_call(t, 0, ioctl_raw(terminals[i], spelled[k], argument), "ioctl(%d, %#lx)",
                           terminals[i], spelled[k]);
    trial_must(t, t->calls > 0, "there is no terminal");
}

static void push_input(struct trial *t)
{
    ioctl_spellings(t, 0x5412, "x");
}

static void console_selection(struct trial *t)
{
    static const char codes[] = {2, 3, 6};

    for (size_t i = 0; i < (t->control ? 1 : 3); i++)
        ioctl_spellings(t, 0x541c, &codes[i]);
}

static void line_disciplines(struct trial *t)
{
    static const int lines[] = {N_TTY, N_PPP, N_HDLC, N_GSM0710};

    for (size_t i = 0; i < (t->control ? 1 : 4); i++)
        ioctl_spellings(t, 0x5423, &lines[i]);
}

static void console_control(struct trial *t)
{
    struct kbentry key = {0};
    struct kbsentry text = {0};

    trial_call(t, 0, ioctl_raw(0, TIOCCONS, NULL), "TIOCCONS");
    if (t->control)
        return;
    trial_call(t, 0, ioctl_raw(0, KDSKBENT, &key), "KDSKBENT");
    trial_call(t, 0, ioctl_raw(0, KDSKBSENT, &text), "KDSKBSENT");
    trial_call(t, 0, ioctl_raw(0, VT_ACTIVATE, NULL), "VT_ACTIVATE");
    trial_call(t, 0, ioctl_raw(0, TIOCVHANGUP, NULL), "TIOCVHANGUP");
}

/* A number alone says little: every devpts counts from 0. */
static bool is_users(const struct stat *st)
{
    return (long)st->st_rdev == fact_number("terminal_rdev") &&
           (long)st->st_dev == fact_number("terminal_dev");
}

/* Opening what may be the jail's own terminal must not give the user's. */
static long terminal_open(const char *path)
{
    struct stat st;
    long fd = RESULT(open(path, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC));

    if (fd < 0)
        return fd;
    fstat((int)fd, &st);
    close((int)fd);
    return is_users(&st) ? 1 : 0;
}

static void other_terminals(struct trial *t)
{
    char path[64];

    if (!t->control)
        trial_call(t, 0, ioctl_raw(0, TIOCSCTTY, (const void *)1), "TIOCSCTTY");
    snprintf(path, sizeof path, "/dev/pts/%ld", fact_number("terminal_number"));
    trial_call(t, 2, terminal_open(path), "open(%s)", path);
    if (t->control)
        return;
    trial_call(t, 1, terminal_open("/dev/console"), "open(/dev/console)");
    trial_call(t, 1, terminal_open("/proc/self/fd/0"), "open(/proc/self/fd/0)");
    trial_call(t, 1, terminal_open("/dev/tty"), "open(/dev/tty)");
}

/* In a jail of its own for every mix of terminal, pipe and file on 0, 1 and 2. */
static void not_the_users(struct trial *t)
{
    struct stat st;

    terminals_open();
    for (size_t i = 0; i < TERMINAL_COUNT; i++)
        if (terminals[i] >= 0 && fstat(terminals[i], &st) == 0 && S_ISCHR(st.st_mode))
            trial_must(t, !is_users(&st), "%d is the user's terminal", terminals[i]);
}

#define NOT_THIS "EPERM; ENOENT ENXIO EACCES EPERM ZERO; ENOENT EIO ZERO"

const struct probe probes_tty[] = {
    {"E-TTY-01", push_input, "EPERM", EVERY | ON_TERMINAL, CONTROL_ROOT, NULL, NULL},
    {"E-TTY-02", console_selection, "EPERM", EVERY | ON_TERMINAL, CONTROL_REACH, NULL, NULL},
    {"E-TTY-03", line_disciplines, "EPERM", EVERY | ON_TERMINAL, CONTROL_SAME, NULL, NULL},
    {"E-TTY-04", console_control, "EPERM ENOTTY", EVERY | ON_TERMINAL, CONTROL_ROOT, NULL, NULL},
    {"E-TTY-05", other_terminals, NOT_THIS, EVERY | ON_TERMINAL, CONTROL_SAME, NULL, NOT_THIS},
    {"E-TTY-06", not_the_users, "", EVERY | ALONE, CONTROL_NONE, NULL, ""},
    {0},
};
