// SPDX-License-Identifier: GPL-3.0-only
/*
 * The embedded filters, evaluated: every refusal, every argument rule at its edges, every number.
 *
 * The expectations are in tests/seccomp (expected.h, argument_cases.h); they share nothing with the
 * generator. tests/seccomp/CMakeLists.txt builds this file again over the programs for the other
 * architectures. What the kernel makes of the programs is tested in tests/seccomp.
 */
#include "backend/seccomp.h"

#include "seccomp/argument_cases.h"
#include "seccomp/bpf.h"
#include "seccomp/expected.h"

#include <linux/audit.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

_Static_assert(SECCOMP_PROGRAM_COUNT == 8, "a new program needs its set in expected.h");

enum { LAST_REVIEWED = 469, NUMBERS = LAST_REVIEWED + 1 };

/* Which architecture's programs are linked. */
struct target {
    const char *name;
    uint32_t audit;
    bool is_generic;
};

static const struct target targets[] = {
    {"x86_64", AUDIT_ARCH_X86_64, false},
    {"aarch64", AUDIT_ARCH_AARCH64, true},
    {"riscv64", AUDIT_ARCH_RISCV64, true},
};
static const struct target *target;

static int number_of(const struct numbered *call)
{
    return target->is_generic ? call->generic : call->x86_64;
}

static struct bpf_result run(unsigned program, const struct seccomp_data *data)
{
    size_t len;
    const struct sock_filter *code = seccomp_program(program, &len);

    return bpf_run(code, len / sizeof(*code), data);
}

/* The errno that the program answers with, ALLOWED, or -1 for anything else. */
static int verdict(unsigned program, uint32_t arch, uint32_t number, const uint64_t args[6])
{
    struct seccomp_data data = {.nr = (int)number, .arch = arch};
    int64_t action;

    for (size_t i = 0; i < ARRAY_SIZE(data.args); i++)
        data.args[i] = args[i];
    action = run(program, &data).action;
    if (action == SECCOMP_RET_ALLOW)
        return ALLOWED;
    if (action != BPF_BROKEN && (action & 0xffff0000) == SECCOMP_RET_ERRNO)
        return (int)(action & SECCOMP_RET_DATA);
    return -1;
}

static void expect(unsigned program, const struct numbered *call, const uint64_t args[6],
                   int expected)
{
    int got = verdict(program, target->audit, (uint32_t)number_of(call), args);

    if (got != expected) {
        fail_msg("program %u: %s(%#llx, %#llx, %#llx, %#llx): %d instead of %d", program,
                 call->name, (unsigned long long)args[0], (unsigned long long)args[1],
                 (unsigned long long)args[2], (unsigned long long)args[3], got, expected);
    }
}

/* With the arguments as they are, and with every kind of rubbish in their upper halves. */
static void expect_low_bits(unsigned program, const struct numbered *call, const uint64_t args[6],
                            int expected)
{
    static const uint64_t rubbish[] = {0, 1ULL << 32, 0xffffffffULL << 32, 0x5412ULL << 32};
    uint64_t changed[6];

    for (size_t i = 0; i < ARRAY_SIZE(rubbish); i++) {
        for (size_t j = 0; j < ARRAY_SIZE(changed); j++)
            changed[j] = args[j] | rubbish[i];
        expect(program, call, changed, expected);
    }
}

static bool is_in(unsigned program, unsigned where)
{
    return (where & (1u << program)) != 0;
}

/* The errno for a call that is refused whatever its arguments, or ALLOWED. */
static int expected_refusal(unsigned program, int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(expected_refusals); i++) {
        if (number_of(&expected_refusals[i].call) == number &&
            is_in(program, expected_refusals[i].where))
            return expected_refusals[i].refusal;
    }
    return ALLOWED;
}

static bool has_argument_rule(int number)
{
    for (size_t i = 0; i < ARRAY_SIZE(argument_calls); i++) {
        if (number_of(&argument_calls[i]) == number)
            return true;
    }
    return false;
}

static const uint64_t zeros[6];
static const uint64_t ones[6] = {UINT64_MAX, UINT64_MAX, UINT64_MAX,
                                 UINT64_MAX, UINT64_MAX, UINT64_MAX};

static void test_every_refusal(void **state)
{
    (void)state;
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        for (size_t i = 0; i < ARRAY_SIZE(expected_refusals); i++) {
            const struct expected_refusal *row = &expected_refusals[i];

            if (number_of(&row->call) < 0 || !is_in(program, row->where))
                continue;
            expect(program, &row->call, zeros, row->refusal);
            expect(program, &row->call, ones, row->refusal);
        }
    }
}

/* All 470 numbers: what is not expected to be refused is allowed, in every program. */
static void test_every_number(void **state)
{
    (void)state;
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        for (int number = 0; number < NUMBERS; number++) {
            struct numbered call = {"number", number, number};

            if (has_argument_rule(number))
                continue;
            expect(program, &call, zeros, expected_refusal(program, number));
            expect(program, &call, ones, expected_refusal(program, number));
        }
    }
}

static void test_needed_calls(void **state)
{
    static const uint64_t unix_stream[6] = {1, 1, 0};

    (void)state;
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        for (size_t i = 0; i < ARRAY_SIZE(expected_needed); i++) {
            const struct numbered *call = &expected_needed[i];
            bool is_socket = str_starts(call->name, "socket");

            if (number_of(call) >= 0)
                expect(program, call, is_socket ? unix_stream : zeros,
                       expected_refusal(program, number_of(call)));
        }
    }
}

static void test_arguments(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(argument_cases); i++) {
        const struct argument_case *at = &argument_cases[i];

        for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
            if (is_in(program, at->where) && number_of(&at->call) >= 0)
                expect_low_bits(program, &at->call, at->args, at->refusal);
        }
    }
}

/* P-SEC-3: every family there is and some there are not, every type. */
static void test_socket_families(void **state)
{
    static const struct numbered calls[] = {SOCKET, SOCKETPAIR};

    (void)state;
    for (uint64_t family = 0; family < 300; family++) {
        bool is_allowed = family == 1 || family == 2 || family == 10 || family == 16;

        for (uint64_t type = 1; type <= 10; type++) {
            uint64_t args[6] = {family, type, 0};
            bool is_raw = (family == 2 || family == 10) && (type == 3 || type == 10);

            for (unsigned program = 0; program < SECCOMP_MOUNTER; program++) {
                expect_low_bits(program, &calls[0], args,
                                !is_allowed ? EAFNOSUPPORT
                                : is_raw    ? EPERM
                                            : ALLOWED);
                expect_low_bits(program, &calls[1], args, is_allowed ? ALLOWED : EAFNOSUPPORT);
            }
        }
    }
}

/* P-SEC-4: i386, arm, x32 and anything else that is not this architecture. */
static void test_foreign_architectures(void **state)
{
    static const uint32_t foreign[] = {AUDIT_ARCH_I386,
                                       AUDIT_ARCH_ARM,
                                       AUDIT_ARCH_X86_64,
                                       AUDIT_ARCH_AARCH64,
                                       AUDIT_ARCH_RISCV32,
                                       AUDIT_ARCH_RISCV64,
                                       0,
                                       UINT32_MAX};

    (void)state;
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        for (size_t i = 0; i < ARRAY_SIZE(foreign); i++) {
            if (foreign[i] == target->audit)
                continue;
            for (uint32_t number = 0; number < NUMBERS; number++)
                assert_int_equal(verdict(program, foreign[i], number, zeros), ENOSYS);
        }
    }
}

/* P-SEC-5, E-KRN-14. */
static void test_unreviewed_numbers(void **state)
{
    static const uint32_t beyond[] = {0x3fffffff, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff};

    (void)state;
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        for (uint32_t number = NUMBERS; number < 1024; number++)
            assert_int_equal(verdict(program, target->audit, number, zeros), ENOSYS);
        for (uint32_t number = 0; number < 1024; number++)
            assert_int_equal(verdict(program, target->audit, 0x40000000 | number, zeros), ENOSYS);
        for (size_t i = 0; i < ARRAY_SIZE(beyond); i++)
            assert_int_equal(verdict(program, target->audit, beyond[i], zeros), ENOSYS);
    }
}

/* What the kernel's checker demands (and bubblewrap: a whole number of instructions). */
static void test_shape(void **state)
{
    (void)state;
    for (unsigned program = 0; program < SECCOMP_PROGRAM_COUNT; program++) {
        size_t len;
        const struct sock_filter *code = seccomp_program(program, &len);

        assert_non_null(code);
        assert_int_equal(len % sizeof(*code), 0);
        len /= sizeof(*code);
        assert_in_range(len, 50, BPF_MAXINSNS);
        assert_int_equal(code[len - 1].code, BPF_RET | BPF_K);
        for (size_t i = 0; i < len; i++) {
            if (BPF_CLASS(code[i].code) != BPF_JMP)
                continue;
            assert_true(i + 1 + (BPF_OP(code[i].code) == BPF_JA ? code[i].k : code[i].jt) < len);
            assert_true(i + 1 + code[i].jf < len);
        }
    }
}

/* The filter runs at every call. A call that is decided by its number alone is remembered by the
 * kernel (Linux 5.11), so none of them may look at an argument. */
static void test_cost(void **state)
{
    static const struct {
        struct numbered call;
        unsigned steps_max;
        bool reads_argument;
    } costs[] = {
        {{"read", 0, 63}, 12, false},
        {{"write", 1, 64}, 12, false},
        {{"futex", 202, 98}, 12, false},
        {{"close", 3, 57}, 14, false},
        {{"mmap", 9, 222}, 14, false},
        {OPENAT, 12, true},
        {IOCTL, 16, true},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(costs); i++) {
        struct seccomp_data data = {.nr = number_of(&costs[i].call), .arch = target->audit};
        struct bpf_result result = run(SECCOMP_JAIL, &data);

        print_message("%s: %u instructions\n", costs[i].call.name, result.steps);
        assert_in_range(result.steps, 1, costs[i].steps_max);
        assert_int_equal(result.reads_argument, costs[i].reads_argument);
    }
    for (int number = 0; number < NUMBERS; number++) {
        struct seccomp_data data = {.nr = number, .arch = target->audit};

        assert_in_range(run(SECCOMP_JAIL, &data).steps, 1, 32);
        if (!has_argument_rule(number))
            assert_false(run(SECCOMP_JAIL, &data).reads_argument);
    }
}

/* Whatever the jail's program refuses, that of a lockdown refuses too, with the same errno. */
static void test_lockdown_is_never_weaker(void **state)
{
    static const unsigned pairs[][2] = {{SECCOMP_JAIL, SECCOMP_LOCKDOWN},
                                        {SECCOMP_JAIL_ROOT, SECCOMP_LOCKDOWN_ROOT}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(pairs); i++) {
        for (uint32_t number = 0; number < NUMBERS; number++) {
            int normal = verdict(pairs[i][0], target->audit, number, ones);

            if (normal != ALLOWED)
                assert_int_equal(verdict(pairs[i][1], target->audit, number, ones), normal);
        }
        for (size_t j = 0; j < ARRAY_SIZE(argument_cases); j++) {
            const struct argument_case *at = &argument_cases[j];
            uint32_t number = (uint32_t)number_of(&at->call);
            int normal = verdict(pairs[i][0], target->audit, number, at->args);

            assert_int_equal(verdict(pairs[i][1], target->audit, number, at->args), normal);
        }
    }
}

static void test_rule_count(void **state)
{
    (void)state;
    /* 56 calls, clone, unshare, personality, three rules of socket, socketpair, ioctl, nine modes;
     * four of the calls and four of the modes exist on x86_64 alone. */
    assert_int_equal(seccomp_rule_count(SECCOMP_JAIL), target->is_generic ? 67 : 75);
    assert_int_equal(seccomp_rule_count(SECCOMP_JAIL_ROOT), seccomp_rule_count(SECCOMP_JAIL) + 1);
    assert_int_equal(seccomp_rule_count(SECCOMP_JAIL_DEBUG), seccomp_rule_count(SECCOMP_JAIL) - 5);
    assert_int_equal(seccomp_rule_count(SECCOMP_LOCKDOWN), seccomp_rule_count(SECCOMP_JAIL) + 7);
    assert_int_equal(seccomp_rule_count(SECCOMP_LOCKDOWN_ROOT),
                     seccomp_rule_count(SECCOMP_JAIL) + 8);
    assert_int_equal(seccomp_rule_count(SECCOMP_SUPERVISOR), seccomp_rule_count(SECCOMP_JAIL) + 2);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_refusal),
        cmocka_unit_test(test_every_number),
        cmocka_unit_test(test_needed_calls),
        cmocka_unit_test(test_arguments),
        cmocka_unit_test(test_socket_families),
        cmocka_unit_test(test_foreign_architectures),
        cmocka_unit_test(test_unreviewed_numbers),
        cmocka_unit_test(test_shape),
        cmocka_unit_test(test_cost),
        cmocka_unit_test(test_lockdown_is_never_weaker),
        cmocka_unit_test(test_rule_count),
    };

    for (size_t i = 0; i < ARRAY_SIZE(targets); i++) {
        if (str_eq(seccomp_arch(), targets[i].name))
            target = &targets[i];
    }
    if (!target) {
        printf("skipped: the filters are not built for this architecture\n");
        return getenv("AI_JAIL_TESTS_MUST_RUN") ? 1 : 0;
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
