// SPDX-License-Identifier: GPL-3.0-only
/*
 * list_rules: prints what the filter knows, one row per line, for the check of the man page.
 *
 *   csi NAME LEADER INTER FINAL PARAMETERS pass|check|answer   rows of the rules table
 *   esc INTER FINAL pass|answer                                found by trying all
 *   osc NUMBER, mode NUMBER, capability NAME
 *   question LEADER NUMBER FINAL                               found by trying all
 *   status TEXT                                                of DECRQSS, the same
 *   input LEADER FINAL                                         the other direction, the same
 *
 * Bytes are written as two hexadecimal digits, 00 for none. PARAMETERS is "many" beyond eight.
 */
#include "filter/answers.h"
#include "filter/filter.h"
#include "filter/input_rules.h"
#include "filter/osc.h"
#include "filter/rules.h"

#include <stdio.h>
#include <string.h>

#define OUT_MAX    (64 * KIB)
#define NUMBER_MAX 99999

static rules_judge *const answers[] = {
    answer_da1,   answer_da2,         answer_da3,  answer_version,      answer_dsr,
    answer_kitty, answer_private_dsr, answer_mode, answer_private_mode, answer_modify_keys,
};

enum outcome { OUTCOME_DROP, OUTCOME_PASS, OUTCOME_ANSWER };

/* What the filter does with the bytes. */
static enum outcome try_on(struct filter *filter, const char *bytes)
{
    struct buf out CLEANUP(buf_free);
    struct buf reply CLEANUP(buf_free);

    buf_init(&out, OUT_MAX);
    buf_init(&reply, OUT_MAX);
    filter_feed(filter, (const uint8_t *)bytes, strlen(bytes), &out, &reply);
    return reply.len ? OUTCOME_ANSWER : out.len ? OUTCOME_PASS : OUTCOME_DROP;
}

static enum outcome try(const char *bytes)
{
    struct filter *filter = filter_new(&filter_profile_fixed);
    enum outcome outcome = try_on(filter, bytes);

    filter_free(filter);
    return outcome;
}

static void list_csi(void)
{
    size_t count;
    const struct csi_rule *rules = rules_all(&count);

    for (size_t i = 0; i < count; i++) {
        const struct csi_rule *rule = &rules[i];
        const char *kind = rule->judge ? "check" : "pass";

        for (size_t j = 0; j < ARRAY_SIZE(answers); j++)
            if (rule->judge == answers[j])
                kind = "answer";
        printf("csi\t%s\t%02x\t%02x\t%02x\t", rule->name, (unsigned char)rule->leader,
               (unsigned char)rule->inter, (unsigned char)rule->final);
        if (rule->max_params > 8)
            printf("many\t%s\n", kind);
        else
            printf("%u\t%s\n", rule->max_params, kind);
    }
}

static void list_esc(void)
{
    for (unsigned inter = 0x1F; inter <= 0x2F; inter++)
        for (unsigned final = 0x30; final <= 0x7E; final++) {
            char bytes[4] = {'\033', (char)inter, (char) final, '\0'};
            enum outcome outcome;

            if (inter == 0x1F)
                memmove(bytes + 1, bytes + 2, 2);
            /* What opens a string or CSI is no ESC sequence. */
            outcome = inter == 0x1F && strchr("PX[]^_k", (int) final) ? OUTCOME_DROP : try(bytes);
            if (outcome != OUTCOME_DROP)
                printf("esc\t%02x\t%02x\t%s\n", inter == 0x1F ? 0 : inter, final,
                       outcome == OUTCOME_PASS ? "pass" : "answer");
        }
}

static void list_questions(char leader, char final)
{
    struct filter *filter = filter_new(&filter_profile_fixed);

    for (unsigned n = 0; n <= CSI_VALUE_MAX; n++) {
        char bytes[32];

        if (leader)
            snprintf(bytes, sizeof(bytes), "\033[%c%u%c", leader, n, final);
        else
            snprintf(bytes, sizeof(bytes), "\033[%u%c", n, final);
        if (try_on(filter, bytes) == OUTCOME_ANSWER)
            printf("question\t%02x\t%u\t%02x\n", (unsigned char)leader, n, (unsigned char) final);
    }
    filter_free(filter);
}

/* Reports of one or two characters: an intermediate and a final byte, or the latter alone. */
static void list_status(void)
{
    for (unsigned first = 0x1F; first <= 0x2F; first++)
        for (unsigned final = 0x40; final <= 0x7E; final++) {
            struct filter *filter = filter_new(&filter_profile_fixed);
            struct buf out CLEANUP(buf_free);
            struct buf reply CLEANUP(buf_free);
            char what[3] = {(char)first, (char) final, '\0'};
            const char *text = first == 0x1F ? what + 1 : what;
            _cleanup_free_ char *bytes = xasprintf("\033P$q%s\033\\", text);

            buf_init(&out, OUT_MAX);
            buf_init(&reply, OUT_MAX);
            filter_feed(filter, (const uint8_t *)bytes, strlen(bytes), &out, &reply);
            filter_free(filter);
            if (reply.len > 2 && reply.data[2] == '1')
                printf("status\t%s\n", text);
        }
}

static void list_input(char leader, char final)
{
    static const char *const params[] = {"", "2", "1;2", "0;1;1", "997;1"};
    const struct filter_keys keys = {
        .mouse = true, .focus = true, .paste = true, .theme = true, .rows = 0};
    bool passes = false;

    for (size_t i = 0; i < ARRAY_SIZE(params); i++) {
        struct csi csi;
        char body[32];

        snprintf(body, sizeof(body), "%c%s%c", leader, params[i], final);
        if (csi_parse(&csi, (const uint8_t *)body + !leader,
                      (const uint8_t *)body + 1 + strlen(params[i]) + 1))
            passes |= input_may_pass(&csi, &keys);
    }
    if (passes)
        printf("input\t%02x\t%02x\n", (unsigned char)leader, (unsigned char) final);
}

int main(void)
{
    static const char leaders[] = {'\0', '<', '=', '>', '?'};
    const char *name;

    list_csi();
    list_esc();
    for (unsigned n = 0; n <= NUMBER_MAX; n++)
        if (osc_is_known(n))
            printf("osc\t%u\n", n);
    for (size_t i = 0; i < MODE_COUNT; i++)
        printf("mode\t%u\n", mode_rows[i].number);
    for (size_t i = 0; (name = answer_capability_name(i)); i++)
        printf("capability\t%s\n", name);
    list_questions('\0', 'n');
    list_questions('?', 'n');
    list_questions('\0', 't');
    list_status();
    for (size_t i = 0; i < sizeof(leaders); i++)
        for (char final = 0x40; final <= 0x7E; final++)
            list_input(leaders[i], final);
    return 0;
}
