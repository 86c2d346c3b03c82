// SPDX-License-Identifier: GPL-3.0-only
/*
 * The dynamic loader of a program: found in a sane one, never in a malformed one, and shown inside.
 */
#include "policy/elf.h"

#include "policy/command.h"
#include "support/planner.h"

#include <elf.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define H "/home/u"

struct program {
    Elf64_Ehdr header;
    Elf64_Phdr segments[3];
    char loader[32];
};

static struct program sane_program(void)
{
    struct program program = {
        .header = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
                   .e_phoff = offsetof(struct program, segments),
                   .e_phentsize = sizeof(Elf64_Phdr),
                   .e_phnum = 3},
        .segments = {{.p_type = PT_PHDR},
                     {.p_type = PT_INTERP,
                      .p_offset = offsetof(struct program, loader),
                      .p_filesz = 12},
                     {.p_type = PT_LOAD}},
        .loader = "/opt2/l/ld.so",
    };

    memcpy(program.loader, "/opt2/ld.so", 12);
    return program;
}

static void assert_loader(const struct program *program, size_t len, const char *want)
{
    void *exact = xcalloc(len, 1);
    _cleanup_free_ char *got = NULL;

    memcpy(exact, program, len);
    got = elf_interpreter(exact, len);
    free(exact);
    if (!str_eq(got, want))
        fail_msg("loader %s, wanted %s", got ? got : "none", want ? want : "none");
}

static void finds_the_loader_of_a_program(void **state)
{
    struct program program = sane_program();

    (void)state;
    assert_loader(&program, sizeof(program), "/opt2/ld.so");
    program.segments[1].p_type = PT_NOTE;
    assert_loader(&program, sizeof(program), NULL);
}

static size_t first_decided(const struct program *program)
{
    const unsigned char *bytes = (const unsigned char *)program;

    for (size_t len = 0; len <= sizeof(*program); len++) {
        void *exact = xcalloc(len, 1);
        bool is_decided;

        memcpy(exact, bytes, len);
        is_decided = elf_is_decided(exact, len);
        free(exact);
        if (is_decided)
            return len;
    }
    return SIZE_MAX;
}

static void knows_when_more_bytes_change_nothing(void **state)
{
    struct program program = sane_program();

    (void)state;
    assert_int_equal(first_decided(&program), offsetof(struct program, loader) + 12);
    program.segments[1].p_type = PT_NOTE; /* all headers, and none names a loader */
    assert_int_equal(first_decided(&program),
                     offsetof(struct program, segments) + sizeof(program.segments));
    program.header.e_ident[0] = '#';
    assert_int_equal(first_decided(&program), SELFMAG);
    program = sane_program();
    program.segments[1].p_offset = UINT64_MAX - 11;
    assert_int_equal(first_decided(&program), SIZE_MAX);
}

/* Every way to lie about an offset, a size or a count ends without an answer. */
static void garbage_has_no_loader(void **state)
{
    static const uint64_t bad[] = {0,          1,         13,         0x7fffffff,
                                   0xffffffff, INT64_MAX, UINT64_MAX, UINT64_MAX - 11};
    struct program program = sane_program();

    (void)state;
    for (size_t len = 0; len < offsetof(struct program, loader) + 12; len++)
        assert_loader(&program, len, NULL);
    for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
        program = sane_program();
        program.header.e_phoff = bad[i];
        assert_loader(&program, sizeof(program), NULL);
        program = sane_program();
        program.segments[1].p_filesz = bad[i];
        assert_loader(&program, sizeof(program), NULL);
        program = sane_program();
        program.segments[1].p_offset = bad[i];
        assert_loader(&program, sizeof(program), NULL);
    }
    program = sane_program();
    program.header.e_phentsize = 55;
    assert_loader(&program, sizeof(program), NULL);
    program = sane_program();
    program.header.e_phnum = 0;
    assert_loader(&program, sizeof(program), NULL);
    program.header.e_phnum = UINT16_MAX;
    assert_loader(&program, sizeof(program), NULL);
    program = sane_program();
    program.header.e_ident[EI_DATA] = ELFDATA2MSB;
    assert_loader(&program, sizeof(program), NULL);
    program = sane_program();
    program.header.e_ident[EI_CLASS] = 3;
    assert_loader(&program, sizeof(program), NULL);
    program = sane_program();
    memcpy(program.loader, "relative.so", 12);
    assert_loader(&program, sizeof(program), NULL);
    program = sane_program();
    memset(program.loader, 'x', sizeof(program.loader)); /* no NUL at its end */
    program.loader[0] = '/';
    assert_loader(&program, sizeof(program), NULL);
}

static void loaders_become_visible(void **state)
{
    struct program program = sane_program();
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner, "f /opt2/ld.so 0755\nf /opt2/libc.so 0644\n", NULL);
    fakefs_set_content(planner.fakefs, "/data/x/agent", &program, sizeof(program));
    command_expose(&command, "/data/x/agent", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_null(command.interpreter);
    assert_true(planner_has_exactly(&planner, GROUP_COMMAND, "ro /data/x\nro /opt2\n"));
    command_free(&command);
}

/* A program built in the project names a loader: it gets that one file, if it is a program. */
static void loaders_of_the_project_come_alone(void **state)
{
    struct program program = sane_program();
    _cleanup_planner_ struct planner planner;
    struct command command;

    (void)state;
    planner_init(&planner, "f /opt2/ld.so 0755\n", NULL);
    fakefs_set_content(planner.fakefs, H "/proj/agent", &program, sizeof(program));
    command_expose(&command, "./agent", true, PLANNER_PROJECT, &planner.host, &planner.plan,
                   &planner.notes);
    assert_true(planner_has_exactly(&planner, GROUP_COMMAND, "ro /opt2/ld.so\n"));
    command_free(&command);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(finds_the_loader_of_a_program),
        cmocka_unit_test(knows_when_more_bytes_change_nothing),
        cmocka_unit_test(garbage_has_no_loader),
        cmocka_unit_test(loaders_become_visible),
        cmocka_unit_test(loaders_of_the_project_come_alone),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
