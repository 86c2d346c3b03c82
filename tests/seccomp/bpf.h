// SPDX-License-Identifier: GPL-3.0-only
/*
 * bpf: evaluates a filter for one struct seccomp_data, as the kernel would.
 *
 * Strict: an instruction that the generator has no business to emit, a jump out of the program or
 * an unaligned load is BPF_BROKEN, never a verdict.
 */
#pragma once

#include "base/base.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <string.h>

enum { BPF_BROKEN = -1 };

struct bpf_result {
    int64_t action;      /* SECCOMP_RET_*, or BPF_BROKEN */
    unsigned steps;      /* instructions executed, the return included */
    bool reads_argument; /* it depends on more than architecture and number */
};

/* 1 taken, 0 not taken, BPF_BROKEN if it is no conditional jump. */
static inline int bpf_condition(const struct sock_filter *at, uint32_t value)
{
    switch (at->code) {
    case BPF_JMP | BPF_JEQ | BPF_K:
        return value == at->k;
    case BPF_JMP | BPF_JGE | BPF_K:
        return value >= at->k;
    case BPF_JMP | BPF_JSET | BPF_K:
        return (value & at->k) != 0;
    default:
        return BPF_BROKEN;
    }
}

static inline struct bpf_result bpf_run(const struct sock_filter *code, size_t len,
                                        const struct seccomp_data *data)
{
    struct bpf_result result = {.action = BPF_BROKEN};
    uint32_t value = 0;
    int taken;

    for (size_t pc = 0; pc < len; pc++) {
        const struct sock_filter *at = &code[pc];

        result.steps++;
        switch (at->code) {
        case BPF_LD | BPF_W | BPF_ABS:
            if (at->k % sizeof(value) != 0 || at->k > sizeof(*data) - sizeof(value))
                return result;
            memcpy(&value, (const uint8_t *)data + at->k, sizeof(value));
            if (at->k >= offsetof(struct seccomp_data, instruction_pointer))
                result.reads_argument = true;
            break;
        case BPF_ALU | BPF_AND | BPF_K:
            value &= at->k;
            break;
        case BPF_JMP | BPF_JA:
            pc += at->k;
            break;
        case BPF_RET | BPF_K:
            result.action = at->k;
            return result;
        default:
            taken = bpf_condition(at, value);
            if (taken == BPF_BROKEN)
                return result;
            pc += taken ? at->jt : at->jf;
        }
    }
    return result;
}
