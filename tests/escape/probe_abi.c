// SPDX-License-Identifier: GPL-3.0-only
/*
 * probe_abi: other ways into the kernel on x86-64: x32 numbers, int 0x80 from 64-bit code, 32-bit
 * code reached by a far return, a 32-bit program.
 */
#include "probe.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#if defined(__x86_64__)

#define X32_BIT 0x40000000L

static void x32_calls(struct trial *t)
{
    static const struct {
        const char *name;
        long number;
    } calls[] = {{"getpid", 39}, {"ioctl", 514}, {"ptrace", 521}, {"process_vm_readv", 539}};

    for (size_t i = 0; i < 4; i++)
        trial_call(t, 0, RESULT(syscall(X32_BIT | calls[i].number, 0L, 0L, 0L, 0L, 0L, 0L)),
                   "x32 %s", calls[i].name);
}

static long int80(long number, long a, long b, long c)
{
    long rc;

    __asm__ volatile("int $0x80"
                     : "=a"(rc)
                     : "a"(number), "b"(a), "c"(b), "d"(c)
                     : "memory", "r8", "r9", "r10", "r11");
    return (int)rc;
}

/* Step of trial_fork: where the kernel has no such entry, the signal ends the child. */
static long step_int80(const void *argument)
{
    const long *words = argument;

    return int80(words[0], words[1], words[2], words[3]);
}

/* Gives the answer of one call in its own process, -EINTR for a signal. */
static void int80_calls(struct trial *t)
{
    static const struct {
        const char *name;
        long words[4];
    } calls[] = {
        {"getpid", {20}},
        {"ptrace(TRACEME)", {26}},
        {"ioctl(TIOCSTI)", {54, 0, 0x5412, 0}},
        {"mount", {21}},
        {"clone(NEWUSER)", {120, 0x10000011}},
        {"unshare(NEWUSER)", {310, 0x10000000}},
        {"socketcall", {102, 1, 0}},
        {"io_uring_setup", {425, 1, 0}},
        {"keyctl", {288, 0, -3, 0}},
    };
    size_t count = t->control ? 1 : sizeof calls / sizeof *calls;

    for (size_t i = 0; i < count; i++)
        trial_call(t, 0, trial_fork(step_int80, calls[i].words), "int 0x80 %s", calls[i].name);
}

/*
 * A far return to the 32-bit code segment (0x23 in Linux), int 0x80 there, a far jump back (0x33).
 * Code and stack lie below 4 GiB. The 64-bit stack pointer is kept in that page: the upper half of
 * a register does not survive 32-bit mode.
 */
static const unsigned char far_code[] = {
    /* entry, 64-bit: mov [rdi+0x800],rsp; lea rsp,[rdi+0x700] */
    0x48, 0x89, 0xa7, 0x00, 0x08, 0x00, 0x00, 0x48, 0x8d, 0xa7, 0x00, 0x07, 0x00, 0x00,
    /* push rbx; push rbp; push rdi; push 0x23; lea rax,[rdi+0x80]; push rax; lretq */
    0x53, 0x55, 0x57, 0x6a, 0x23, 0x48, 0x8d, 0x87, 0x80, 0x00, 0x00, 0x00, 0x50, 0x48, 0xcb};
static const unsigned char far_code32[] = {
    /* 32-bit: mov eax,20; int 0x80; push 0x33; push dword 0 (patched); lret */
    0xb8, 0x14, 0x00, 0x00, 0x00, 0xcd, 0x80, 0x6a, 0x33, 0x68, 0x00, 0x00, 0x00, 0x00, 0xcb};
static const unsigned char far_code_back[] = {
    /* 64-bit: pop rdi; pop rbp; pop rbx; mov rsp,[rdi+0x800]; ret */
    0x5f, 0x5d, 0x5b, 0x48, 0x8b, 0xa7, 0x00, 0x08, 0x00, 0x00, 0xc3};
#define FAR_32   0x80
#define FAR_BACK 0xc0

static long step_far_jump(const void *argument)
{
    unsigned char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                               MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
    uint32_t back = (uint32_t)(uintptr_t)page + FAR_BACK;
    int (*enter)(void *);

    (void)argument;
    if (page == MAP_FAILED)
        return -errno;
    memcpy(page, far_code, sizeof far_code);
    memcpy(page + FAR_32, far_code32, sizeof far_code32);
    memcpy(page + FAR_32 + 10, &back, sizeof back);
    memcpy(page + FAR_BACK, far_code_back, sizeof far_code_back);
    memcpy(&enter, &page, sizeof enter);
    return enter(page);
}

static void far_jump(struct trial *t)
{
    trial_call(t, 0, trial_fork(step_far_jump, NULL), "int 0x80 in the 32-bit segment");
}

/*
 * probe-i386 asks for its pid and ends with 42 if that worked. With every i386 call refused it
 * cannot even end and runs into an invalid instruction: 128 + SIGILL.
 */
static void program_i386(struct trial *t)
{
    char path[4096 + 16];
    long rc;

    snprintf(path, sizeof path, "%s/probe-i386", probe_dir());
    if (access(path, F_OK) < 0) {
        trial_blind(t, "no 32-bit program was built");
        return;
    }
    const char *const argv[] = {path, NULL};
    rc = program_run(argv);
    trial_call(t, 1, rc == 128 + SIGILL ? -ENOSYS : rc == 126 ? -ENOEXEC : rc, "probe-i386");
}

#else

static void not_here(struct trial *t)
{
    trial_blind(t, "an entry of x86-64");
}
#define x32_calls    not_here
#define int80_calls  not_here
#define far_jump     not_here
#define program_i386 not_here

#endif

const struct probe probes_abi[] = {
    {"E-ABI-01", x32_calls, "ENOSYS EPERM", EVERY, CONTROL_NONE, NULL, NULL},
    {"E-ABI-02", int80_calls, "ENOSYS EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-ABI-03-far", far_jump, "ENOSYS EPERM", EVERY, CONTROL_SAME, NULL, NULL},
    {"E-ABI-03", program_i386, "ENOSYS; ENOSYS ENOEXEC", EVERY, CONTROL_SAME, NULL, NULL},
    {0},
};
