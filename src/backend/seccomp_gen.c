// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp_gen: the build-time generator of the system call filters.
 *
 *     seccomp_gen OUTPUT [x86_64|aarch64|riscv64]
 *
 * Reads the table of seccomp_table.h, resolves its names with libseccomp, collects for each program
 * what happens to each call, lets seccomp_gen_compile.c make the program and writes C arrays that
 * seccomp.c includes. Compiling at every start would cost more than a millisecond.
 *
 * libseccomp knows which call has which number where. The code is our own because its interface
 * cannot say "this argument is none of these" (one comparison per argument and rule) nor "numbers
 * above". Without an architecture the one of this build is taken; any other than the three gets a
 * file without programs. A contradiction in the table ends the build.
 */
#include "backend/seccomp_gen.h"

#include <seccomp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The first number that is the same on every architecture (pidfd_send_signal). */
enum { FIRST_COMMON_NUMBER = 424 };

static const struct {
    const char *name;
    uint32_t token; /* also the kernel's AUDIT_ARCH_* */
} architectures[] = {
    {"x86_64", SCMP_ARCH_X86_64},
    {"aarch64", SCMP_ARCH_AARCH64},
    {"riscv64", SCMP_ARCH_RISCV64},
};

#define PROGRAM_NAME(program) [program] = #program
static const char *const program_names[SECCOMP_PROGRAM_COUNT] = {
    PROGRAM_NAME(SECCOMP_JAIL),       PROGRAM_NAME(SECCOMP_JAIL_ROOT),
    PROGRAM_NAME(SECCOMP_JAIL_DEBUG), PROGRAM_NAME(SECCOMP_JAIL_ROOT_DEBUG),
    PROGRAM_NAME(SECCOMP_LOCKDOWN),   PROGRAM_NAME(SECCOMP_LOCKDOWN_ROOT),
    PROGRAM_NAME(SECCOMP_SUPERVISOR), PROGRAM_NAME(SECCOMP_MOUNTER),
};

_Noreturn void gen_fail(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    fputs("seccomp_gen: ", stderr);
    vfprintf(stderr, fmt, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

/* The number of the row's call, or -1 where the architecture has none. */
static int row_number(const struct seccomp_row *row, uint32_t token)
{
    int number = seccomp_syscall_resolve_name_arch(token, row->call);

    if (row->number != 0 && row->number < FIRST_COMMON_NUMBER)
        gen_fail("%s: number %d may differ between architectures", row->call, row->number);
    if (row->number != 0 && number >= 0 && number != row->number)
        gen_fail("%s: %d in the table, %d in libseccomp", row->call, row->number, number);
    if (row->number == 0 && number == __NR_SCMP_ERROR)
        gen_fail("%s: unknown to this libseccomp, the table must give its number", row->call);
    if (row->number != 0)
        number = row->number;
    if (number > SECCOMP_LAST_REVIEWED)
        gen_fail("%s: number %d is above the last reviewed one", row->call, number);
    return number < 0 ? -1 : number;
}

static void add_row(struct gen_call *call, const struct seccomp_row *row)
{
    const struct seccomp_row *last;

    if (row->refusal <= 0 || row->refusal > 4095)
        gen_fail("%s: errno %d", row->call, row->refusal);
    if (call->row_count == GEN_ROWS_MAX)
        gen_fail("%s: more than %d rows", row->call, GEN_ROWS_MAX);
    if (call->row_count > 0) {
        last = call->rows[call->row_count - 1];
        if (last->conditions[0].test == CONDITION_NONE)
            gen_fail("%s: a row behind one that always matches", row->call);
    }
    call->rows[call->row_count++] = row;
}

/* Fills calls for one program; returns how many rows of the table are in it. */
static unsigned collect_rows(struct gen_call *calls, uint32_t token, unsigned program)
{
    unsigned count = 0;

    for (size_t i = 0; i < ARRAY_SIZE(seccomp_rows); i++) {
        int number = row_number(&seccomp_rows[i], token);

        if (number < 0 || !(seccomp_rows[i].where & IN(program)))
            continue;
        add_row(&calls[number], &seccomp_rows[i]);
        count++;
    }
    return count;
}

static void collect_weights(struct gen_call *calls, uint32_t token)
{
    for (size_t i = 0; i < GEN_CALLS; i++)
        calls[i].weight = 1;
    for (size_t i = 0; i < ARRAY_SIZE(seccomp_hot); i++) {
        int number = seccomp_syscall_resolve_name_arch(token, seccomp_hot[i].call);

        if (number == __NR_SCMP_ERROR)
            gen_fail("%s: no such call", seccomp_hot[i].call);
        if (number >= 0 && number < GEN_CALLS)
            calls[number].weight = seccomp_hot[i].weight;
    }
}

static void print_program(FILE *file, unsigned program, const struct gen_program *code)
{
    fprintf(file, "\nstatic const struct sock_filter code_%u[] = { /* %s */\n", program,
            program_names[program]);
    for (size_t i = 0; i < code->len; i++) {
        const struct sock_filter *at = &code->code[i];

        fprintf(file, "    {0x%02x, %u, %u, 0x%08x},\n", at->code, at->jt, at->jf, at->k);
    }
    fprintf(file, "};\n");
}

static void print_programs(FILE *file, const char *name, uint32_t token)
{
    static struct gen_program code;
    unsigned rows[SECCOMP_PROGRAM_COUNT];

    fprintf(file, "#define EMBEDDED_ARCH \"%s\"\n", name);
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        struct gen_call calls[GEN_CALLS] = {0};

        collect_weights(calls, token);
        rows[program] = collect_rows(calls, token, program);
        gen_compile(calls, token, &code);
        print_program(file, program, &code);
    }
    fprintf(file, "\nstatic const struct embedded embedded[SECCOMP_PROGRAM_COUNT] = {\n");
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        fprintf(file, "    [%s] = {code_%u, sizeof(code_%u), %u},\n", program_names[program],
                program, program, rows[program]);
    }
    fprintf(file, "};\n");
}

static void print_nothing(FILE *file)
{
    fprintf(file, "#define EMBEDDED_ARCH NULL\n\n"
                  "static const struct embedded embedded[SECCOMP_PROGRAM_COUNT] = {{0}};\n");
}

/* Index into architectures, or -1. Without a name: the one of this build. */
static int find_architecture(const char *name)
{
    for (size_t i = 0; i < ARRAY_SIZE(architectures); i++) {
        if (name ? strcmp(name, architectures[i].name) == 0
                 : architectures[i].token == seccomp_arch_native())
            return (int)i;
    }
    return -1;
}

int main(int argc, char **argv)
{
    int found = find_architecture(argc == 3 ? argv[2] : NULL);
    FILE *file;

    if (argc != 2 && argc != 3)
        gen_fail("usage: seccomp_gen OUTPUT [ARCHITECTURE]");
    file = fopen(argv[1], "we");
    if (!file)
        gen_fail("%s: cannot be written", argv[1]);
    fprintf(file, "/* Written by seccomp_gen from seccomp_table.h. */\n");
    if (found >= 0)
        print_programs(file, architectures[found].name, architectures[found].token);
    else
        print_nothing(file);
    if (fclose(file) != 0)
        gen_fail("%s: write error", argv[1]);
    return 0;
}
