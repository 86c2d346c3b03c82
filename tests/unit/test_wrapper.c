// SPDX-License-Identifier: GPL-3.0-only
/*
 * By which name a command is known, and what ai-memory starts.
 */
#include "config/wrapper.h"
#include "support/test.h"

struct row {
    const char *words; /* separated by blanks; "''" is an empty word */
    const char *name;
    const char *executable; /* NULL: not wrapped */
};

static void check(const struct row *row)
{
    _cleanup_strv_ struct strv words = {0};
    struct wrapper got;

    if (row->words[0])
        strv_split(&words, row->words, ' ');
    for (size_t i = 0; i < words.n; i++)
        if (str_eq(words.v[i], "''"))
            words.v[i][0] = '\0';
    got = wrapper_of(&words);
    if (!str_eq(got.name, row->name) || !str_eq(got.executable, row->executable) ||
        got.is_wrapped != (row->executable != NULL))
        fail_msg("%s: %s by %s", row->words, got.name, got.executable ? got.executable : "-");
}

static void a_command_has_the_name_of_its_file(void **state)
{
    static const struct row rows[] = {
        {"", "bash", NULL},
        {"claude", "claude", NULL},
        {"/usr/bin/claude --resume", "claude", NULL},
        {"./codex", "codex", NULL},
        {"claude-code", "claude-code", NULL},
        {"notes run claude", "notes", NULL},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void every_harness_has_a_name(void **state)
{
    static const struct row rows[] = {
        {"ai-memory run claude", "claude", "claude"},
        {"ai-memory run claude-code", "claude", "claude"},
        {"ai-memory run codex", "codex", "codex"},
        {"ai-memory run opencode", "opencode", "opencode"},
        {"ai-memory run open-code", "opencode", "opencode"},
        {"ai-memory run pi", "pi", "pi"},
        {"ai-memory run omp", "omp", "omp"},
        {"/opt/bin/ai-memory run oh-my-pi --x run codex", "omp", "omp"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void known_options_are_walked_over(void **state)
{
    static const struct row rows[] = {
        {"ai-memory --data-dir d --config=c run claude", "claude", "claude"},
        {"ai-memory --data-dir run run claude", "claude", "claude"},
        {"ai-memory run --data-dir d --config c --workspace w --project p --workstream s --new n "
         "--env A=b --env-file f --profile q claude",
         "claude", "claude"},
        {"ai-memory run --workspace=w --project=p --workstream=s --new=n --env=A=b --env-file=f "
         "--profile=q claude",
         "claude", "claude"},
        {"ai-memory run --yolo --true-yolo --jail --no-jail --fresh --no-autowire --force-unlock "
         "pi",
         "pi", "pi"},
        {"ai-memory run --jail=strict codex", "codex", "codex"},
        {"ai-memory run --profile --yolo codex", "codex", "codex"},
        {"ai-memory run -- codex", "codex", "codex"},
        {"ai-memory run --yolo -- codex --anything", "codex", "codex"},
        {"ai-memory run --executable /opt/claude claude", "claude", "/opt/claude"},
        {"ai-memory run --executable=my-claude --executable=other claude", "claude", "other"},
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&rows[i]);
}

static void anything_else_is_plain(void **state)
{
    static const char *const rows[] = {
        "ai-memory",
        "ai-memory run",
        "ai-memory claude",
        "ai-memory serve claude",
        "ai-memory run bash",
        "ai-memory run CLAUDE",
        "ai-memory -- run claude",
        "ai-memory run -- -- claude",
        "ai-memory run --",
        "ai-memory run --unknown claude",
        "ai-memory run -y claude",
        "ai-memory run --yolo=1 claude",
        "ai-memory run --jail= claude",
        "ai-memory run --profile= claude",
        "ai-memory run --profile '' claude",
        "ai-memory run --profile",
        "ai-memory run --executable claude",
        "ai-memory run --prof q claude",
        "ai-memory --profile q run claude",
        "ai-memory --yolo run claude",
        "ai-memory --data-dir= run claude",
        "ai-memory --data-dir run claude",
        "ai-memory run '' claude",
        "ai-memory run - claude",
    };

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check(&(struct row){rows[i], "ai-memory", NULL});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_command_has_the_name_of_its_file),
        cmocka_unit_test(every_harness_has_a_name),
        cmocka_unit_test(known_options_are_walked_over),
        cmocka_unit_test(anything_else_is_plain),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
