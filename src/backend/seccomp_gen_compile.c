// SPDX-License-Identifier: GPL-3.0-only
/*
 * seccomp_gen_compile: turns the verdict of every system call into one BPF program.
 *
 *     load architecture; another one: ENOSYS
 *     load number
 *     search tree over the whole 32-bit range of numbers
 *         leaf: allow, refuse, or the conditions of one call
 *
 * Neighbours with the same verdict are one segment, so the tree has a leaf per segment, not per
 * call. The last segment reaches from the first unreviewed number to 2^32 - 1 and refuses with
 * ENOSYS: that one leaf is the check of the highest number, of the x32 bit (0x40000000) and of
 * negative numbers, and it costs the other calls nothing. Trees are split where the weights of both
 * sides are nearest to each other, so frequent calls end up near the root.
 *
 * Code is emitted forwards. BPF jumps forwards only and by at most 255 instructions when
 * conditional; a node whose right side is farther away jumps with BPF_JA.
 *
 * The instructions used are those that the kernel's own evaluation understands (since Linux 5.11 it
 * finds out which calls a program allows whatever the arguments, and skips the program for them):
 * absolute loads, jumps with constants, AND, return.
 */
#include "backend/seccomp_gen.h"

#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__,
               "the low half of an argument comes first");

enum { FAR_JUMP = 255, PENDING_MAX = SECCOMP_CONDITIONS_MAX * SECCOMP_VALUES_MAX };

/* Numbers from first up to the next segment's first have the same verdict. */
struct segment {
    uint32_t first;
    unsigned weight;
    const struct gen_call *call; /* NULL: unreviewed numbers */
};

struct tree {
    struct segment segments[GEN_CALLS + 1];
    size_t count;
    struct gen_program *out;
};

/* Jumps of one row whose target, the next row, is not known yet. */
struct pending {
    struct {
        size_t at;
        bool when_true;
    } jumps[PENDING_MAX];
    size_t count;
};

static size_t emit(struct gen_program *out, unsigned code, uint32_t k)
{
    if (out->len == GEN_CODE_MAX)
        gen_fail("the program is longer than %d instructions", GEN_CODE_MAX);
    out->code[out->len] = (struct sock_filter){.code = (uint16_t)code, .k = k};
    return out->len++;
}

static void emit_load(struct gen_program *out, size_t offset)
{
    emit(out, BPF_LD | BPF_W | BPF_ABS, (uint32_t)offset);
}

static void emit_refusal(struct gen_program *out, int refusal)
{
    emit(out, BPF_RET | BPF_K, SECCOMP_RET_ERRNO | (uint32_t)refusal);
}

static void pending_add(struct pending *pending, size_t at, bool when_true)
{
    if (pending->count == PENDING_MAX)
        gen_fail("too many values in the conditions of one row");
    pending->jumps[pending->count].at = at;
    pending->jumps[pending->count].when_true = when_true;
    pending->count++;
}

/* Lets every pending jump go to the next instruction. */
static void pending_land(struct pending *pending, struct gen_program *out)
{
    for (size_t i = 0; i < pending->count; i++) {
        size_t at = pending->jumps[i].at;
        size_t distance = out->len - at - 1;

        if (distance > FAR_JUMP)
            gen_fail("the conditions of one row are too long");
        if (pending->jumps[i].when_true)
            out->code[at].jt = (uint8_t)distance;
        else
            out->code[at].jf = (uint8_t)distance;
    }
    pending->count = 0;
}

/* Falls through if one of the values is there (or none, for CONDITION_NOT_IN). */
static void emit_membership(struct gen_program *out, const struct condition *condition,
                            struct pending *pending)
{
    bool wanted = condition->test == CONDITION_IN;

    if (condition->value_count == 0 || condition->value_count > SECCOMP_VALUES_MAX)
        gen_fail("a set has %u values", condition->value_count);
    for (unsigned i = 0; i < condition->value_count; i++) {
        size_t at = emit(out, BPF_JMP | BPF_JEQ | BPF_K, condition->values[i]);
        unsigned rest = condition->value_count - i - 1;

        if (!wanted)
            pending_add(pending, at, true);
        else if (rest > 0)
            out->code[at].jt = (uint8_t)rest;
        else
            pending_add(pending, at, false);
    }
}

/* Falls through if the condition holds. */
static void emit_condition(struct gen_program *out, const struct condition *condition,
                           struct pending *pending)
{
    if (condition->argument >= SECCOMP_ARGUMENTS || condition->mask == 0)
        gen_fail("a condition has argument %u and mask %#x", condition->argument, condition->mask);
    emit_load(out, offsetof(struct seccomp_data, args) +
                       condition->argument * sizeof(((struct seccomp_data *)NULL)->args[0]));
    if (condition->test == CONDITION_ANY_BIT) {
        pending_add(pending, emit(out, BPF_JMP | BPF_JSET | BPF_K, condition->mask), false);
        return;
    }
    if (condition->mask != UINT32_MAX)
        emit(out, BPF_ALU | BPF_AND | BPF_K, condition->mask);
    emit_membership(out, condition, pending);
}

/* The rows of a call: each falls through to the next when a condition does not hold. */
static void emit_call(struct gen_program *out, const struct gen_call *call)
{
    for (size_t i = 0; i < call->row_count; i++) {
        const struct seccomp_row *row = call->rows[i];
        struct pending pending = {.count = 0};

        for (size_t j = 0; j < SECCOMP_CONDITIONS_MAX; j++) {
            if (row->conditions[j].test != CONDITION_NONE)
                emit_condition(out, &row->conditions[j], &pending);
        }
        emit_refusal(out, row->refusal);
        if (pending.count == 0)
            return;
        pending_land(&pending, out);
    }
    emit(out, BPF_RET | BPF_K, SECCOMP_RET_ALLOW);
}

/* The segment at which [first, last] is best cut in two: the first one of the right side. */
static size_t tree_split(const struct tree *tree, size_t first, size_t last)
{
    unsigned long total = 0, left = 0, best_gap = 0;
    size_t best = first + 1;

    for (size_t i = first; i <= last; i++)
        total += tree->segments[i].weight;
    for (size_t i = first + 1; i <= last; i++) {
        unsigned long gap;

        left += tree->segments[i - 1].weight;
        gap = 2 * left > total ? 2 * left - total : total - 2 * left;
        if (i == first + 1 || gap < best_gap) {
            best = i;
            best_gap = gap;
        }
    }
    return best;
}

/* Makes room for an instruction at the position; what lies behind jumps only within itself. */
static void insert_far_jump(struct gen_program *out, size_t at, uint32_t distance)
{
    emit(out, 0, 0);
    memmove(&out->code[at + 1], &out->code[at], (out->len - 1 - at) * sizeof(out->code[0]));
    out->code[at] = (struct sock_filter){.code = BPF_JMP | BPF_JA, .k = distance};
}

/* The number is in the accumulator. Recursion ends: both sides are shorter than the whole. */
static void emit_tree(struct tree *tree, size_t first, size_t last)
{
    struct gen_program *out = tree->out;
    size_t split, node, distance;

    if (first == last) {
        if (tree->segments[first].call)
            emit_call(out, tree->segments[first].call);
        else
            emit_refusal(out, ENOSYS);
        return;
    }
    split = tree_split(tree, first, last);
    node = emit(out, BPF_JMP | BPF_JGE | BPF_K, tree->segments[split].first);
    emit_tree(tree, first, split - 1);
    distance = out->len - node - 1;
    if (distance > FAR_JUMP) {
        insert_far_jump(out, node + 1, (uint32_t)distance);
        out->code[node].jf = 1;
    } else {
        out->code[node].jt = (uint8_t)distance;
    }
    emit_tree(tree, split, last);
}

static bool is_unconditional(const struct gen_call *call)
{
    return call->row_count == 1 && call->rows[0]->conditions[0].test == CONDITION_NONE;
}

static bool is_same_verdict(const struct gen_call *a, const struct gen_call *b)
{
    if (a->row_count == 0 || b->row_count == 0)
        return a->row_count == b->row_count;
    return is_unconditional(a) && is_unconditional(b) && a->rows[0]->refusal == b->rows[0]->refusal;
}

static void tree_fill(struct tree *tree, const struct gen_call *calls)
{
    for (uint32_t i = 0; i < GEN_CALLS; i++) {
        if (i > 0 && is_same_verdict(&calls[i - 1], &calls[i]))
            tree->segments[tree->count - 1].weight += calls[i].weight;
        else
            tree->segments[tree->count++] = (struct segment){i, calls[i].weight, &calls[i]};
    }
    tree->segments[tree->count++] = (struct segment){GEN_CALLS, 1, NULL};
}

void gen_compile(const struct gen_call *calls, uint32_t audit_arch, struct gen_program *out)
{
    struct tree tree = {.out = out};
    size_t at;

    out->len = 0;
    emit_load(out, offsetof(struct seccomp_data, arch));
    at = emit(out, BPF_JMP | BPF_JEQ | BPF_K, audit_arch);
    out->code[at].jt = 1;
    emit_refusal(out, ENOSYS);
    emit_load(out, offsetof(struct seccomp_data, nr));
    tree_fill(&tree, calls);
    emit_tree(&tree, 0, tree.count - 1);
}
