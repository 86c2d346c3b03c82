// SPDX-License-Identifier: GPL-3.0-only
/*
 * What an untrusted project file may say: every key, every value, over every baseline.
 *
 * Which value is the strict one is written down here a second time, in the words of a file.
 */
#include "config/trust.h"

#include "config/network.h"
#include "support/test.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define LINE 3

struct strict_switch {
    const char *key;
    bool value;
};

static const struct strict_switch strict_switches[] = {
    {"private_home", true},
    {"agent_state", false},
    {"no_toolchains", true},
    {"no_mise", true},
    {"no_worktree", true},
    {"protect_git", true},
    {"no_hide_config", false},
    {"lockdown", true},
    {"no_landlock", false},
    {"no_seccomp", false},
    {"no_rlimits", false},
    {"allow_debug", false},
    {"no_gpu", true},
    {"no_docker", true},
    {"no_display", true},
    {"kvm", false},
    {"x11", false},
    {"audio", false},
    {"host_shm", false},
    {"docker_config", false},
    {"systemd_user", false},
    {"tailscale", false},
    {"pictures", false},
    {"github", false},
    {"aws", false},
    {"kube", false},
    {"gcloud", false},
    {"macos_host_ipc", false},
    {"terminal_passthrough", false},
    {"inherit_env", false},
    {"update_check", false},
    {"network", false},
    {"audit_log", true},
};

/* Strictest first. */
static const char *const ssh_values[] = {"off", "agent", "on"};
static const char *const clipboard_values[] = {"off", "copy"};

struct world {
    struct config layer;
    struct config baseline;
    struct gathered gathered;
    struct notes notes;
};

static void world_init(struct world *world)
{
    *world = (struct world){0};
    config_init(&world->layer, LAYER_PROJECT);
    world->layer.place.line = LINE;
    config_builtin(&world->baseline);
    config_init(&world->gathered.config, LAYER_BUILTIN);
}

static void world_free(struct world *world)
{
    config_free(&world->layer);
    config_free(&world->baseline);
    notes_free(&world->notes);
    gather_free(&world->gathered);
}

#define _cleanup_world_ CLEANUP(world_free)

static void filter(struct world *world, const char *project)
{
    trust_filter(&world->layer, &world->baseline, project, &world->gathered, &world->notes);
}

static void merge(struct world *world)
{
    network_prepare_merge(&world->baseline, &world->layer);
    config_merge(&world->baseline, &world->layer);
}

/* n lines, all for security, each with key, place and where else it can be said. */
static void check_refusals(const struct world *world, const char *key, size_t n)
{
    if (world->notes.n != n || world->gathered.refusal_count != n)
        fail_msg("%s: %zu notes, %zu refusals instead of %zu", key, world->notes.n,
                 world->gathered.refusal_count, n);
    for (size_t i = 0; i < n; i++) {
        const char *text = world->notes.v[i].text;

        assert_true(world->notes.v[i].class == NOTE_SECURITY);
        if (!strstr(text, key) || !strstr(text, "./.ai-jail:3: ") || !strstr(text, "~/.ai-jail"))
            fail_msg("%s", text);
        assert_string_equal(settings[world->gathered.refusals[i].id].key, key);
        assert_int_equal(world->gathered.refusals[i].origin.line, LINE);
    }
}

/* ---- only towards the strict value ---- */

/* Rank 0 is the strictest. */
struct scale {
    const char *key;
    size_t n;
    const char *const *words; /* NULL: a bool */
    bool strict;              /* value of the flag at rank 0 */
};

static void say(struct config *config, const struct scale *scale, size_t rank)
{
    const struct setting *row = settings_by_key(scale->key);

    if (!scale->words) {
        config_set_bool(config, row->id, rank == 0 ? scale->strict : !scale->strict);
        return;
    }
    for (size_t i = 0; row->strict_order[i]; i++)
        if (str_eq(row->strict_order[i], scale->words[rank]))
            config_set_word(config, row->id, row->strict_order[i]);
}

static size_t rank_of(const struct config *config, const struct scale *scale)
{
    const struct setting *row = settings_by_key(scale->key);
    size_t rank = 0;

    if (!scale->words)
        return config_flag(config, row->id) == scale->strict ? 0 : 1;
    while (!str_eq(scale->words[rank], config_word(config, row->id)))
        assert_true(++rank < scale->n);
    return rank;
}

/* baseline: rank, or n for "nothing said". */
static void check_step(const struct scale *scale, size_t baseline, size_t project)
{
    _cleanup_world_ struct world world;
    size_t before;
    size_t after;
    bool is_weaker;

    world_init(&world);
    if (baseline < scale->n) {
        world.baseline.place.layer = LAYER_GLOBAL;
        say(&world.baseline, scale, baseline);
    }
    before = rank_of(&world.baseline, scale);
    say(&world.layer, scale, project);
    filter(&world, "/nowhere");
    is_weaker = project > before;
    check_refusals(&world, scale->key, is_weaker);
    merge(&world);
    after = rank_of(&world.baseline, scale);
    if (after != (is_weaker ? before : project))
        fail_msg("%s: %zu over %zu gave %zu", scale->key, project, before, after);
}

static void check_scale(const struct scale *scale)
{
    const struct setting *row = settings_by_key(scale->key);

    if (!row || row->trust != TRUST_TIGHTEN)
        fail_msg("%s is no key that can be tightened", scale->key);
    for (size_t baseline = 0; baseline <= scale->n; baseline++)
        for (size_t project = 0; project < scale->n; project++)
            check_step(scale, baseline, project);
}

static void a_project_only_tightens(void **state)
{
    static const struct scale ssh = {"ssh", ARRAY_SIZE(ssh_values), ssh_values, false};
    static const struct scale clipboard = {"clipboard", ARRAY_SIZE(clipboard_values),
                                           clipboard_values, false};
    size_t rows = 0;

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(strict_switches); i++) {
        const struct setting *row = settings_by_key(strict_switches[i].key);

        assert_non_null(row);
        check_scale(&(struct scale){strict_switches[i].key, 2, NULL,
                                    strict_switches[i].value != row->inverted});
    }
    check_scale(&ssh);
    check_scale(&clipboard);
    for (size_t i = 0; i < SET_COUNT; i++)
        rows += settings[i].trust == TRUST_TIGHTEN;
    assert_int_equal(rows, ARRAY_SIZE(strict_switches) + 2);
}

static void every_weaker_value_is_one_line_of_its_own(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; i < ARRAY_SIZE(strict_switches); i++) {
        const struct setting *row = settings_by_key(strict_switches[i].key);
        bool on = strict_switches[i].value == row->inverted;

        if (on != row->preset)
            config_set_bool(&world.layer, row->id, on);
    }
    filter(&world, "/nowhere");
    /* all but the five that are as weak as they can be unless somebody asks for more strictness */
    assert_int_equal(world.notes.n, ARRAY_SIZE(strict_switches) - 5);
    for (size_t i = 0; i < SET_COUNT; i++)
        assert_false(world.layer.values[i].is_set);
}

/* The value as a file would write it, and the flag or file that can say it. */
static void a_line_shows_the_words_of_the_file(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    config_set_bool(&world.layer, SET_LANDLOCK, false);
    config_set_bool(&world.layer, SET_GPU, true);
    config_set_word(&world.layer, SET_CLIPBOARD, "copy");
    config_set_word(&world.layer, SET_SSH, "on");
    filter(&world, "/nowhere");
    assert_int_equal(world.notes.n, 4);
    assert_string_equal(world.notes.v[0].text,
                        "./.ai-jail:3: no_landlock = true is refused: a project file can only "
                        "tighten; it can be said in ~/.ai-jail or with --no-landlock");
    assert_non_null(strstr(world.notes.v[1].text, "no_gpu = false is refused"));
    assert_non_null(strstr(world.notes.v[1].text, "or with --gpu"));
    assert_non_null(strstr(world.notes.v[2].text, "ssh = true is refused"));
    assert_non_null(strstr(world.notes.v[3].text, "clipboard = \"copy\" is refused"));
    assert_non_null(strstr(world.notes.v[3].text, "or with --clipboard"));
}

/* ---- the other classes ---- */

static void add_something(struct config *config, const struct setting *row, const char *text)
{
    if (row->type == TYPE_TEXT)
        config_set_text(config, row->id, text);
    else if (row->type == TYPE_LIST)
        config_add(config, row->id, text);
    else if (row->type == TYPE_WORD)
        config_set_word(config, row->id, row->words[0]);
    else
        config_set_bool(config, row->id, !row->preset);
}

/* P-ENV: a value that may be a secret is in no line, and nowhere else. */
static void what_is_refused_is_refused_over_every_baseline(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];

        if (row->trust != TRUST_REFUSED && row->trust != TRUST_GLOBAL)
            continue;
        for (unsigned said_below = 0; said_below < 2; said_below++) {
            _cleanup_world_ struct world world;
            bool hidden = row->id == SET_ENV_PASS || row->id == SET_SECRET_HOSTS;

            world_init(&world);
            if (said_below)
                add_something(&world.baseline, row, "CANARY=1");
            add_something(&world.layer, row, "CANARY=1");
            if (row->type == TYPE_LIST)
                add_something(&world.layer, row, "CANARY=2");
            filter(&world, "/nowhere");
            check_refusals(&world, row->key, 1);
            assert_false(world.layer.values[i].is_set);
            assert_int_equal(world.layer.values[i].list.n, 0);
            if (hidden) {
                assert_null(strstr(world.notes.v[0].text, "CANARY"));
                assert_null(world.gathered.refusals[0].value);
            }
        }
    }
}

static void the_free_and_the_adding_classes_pass(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++) {
        const struct setting *row = &settings[i];
        _cleanup_world_ struct world world;

        world_init(&world);
        if (row->trust != TRUST_ADD && row->trust != TRUST_FREE)
            continue;
        if (row->type == TYPE_LIST)
            config_add(&world.baseline, row->id, "below");
        add_something(&world.layer, row, "project");
        filter(&world, "/nowhere");
        assert_int_equal(world.notes.n, 0);
        assert_true(world.layer.values[i].is_set);
        assert_true(world.layer.values[i].origin.is_untrusted);
        merge(&world);
        if (row->trust == TRUST_ADD) {
            assert_int_equal(config_list(&world.baseline, row->id)->n, 2);
            assert_false(world.baseline.values[i].origins[0].is_untrusted);
            assert_true(world.baseline.values[i].origins[1].is_untrusted);
        }
    }
}

static void the_bar_is_not_the_projects_business(void **state)
{
    (void)state;
    for (size_t i = 0; i < SET_COUNT; i++)
        for (unsigned trusted = 0; trusted < 2; trusted++) {
            _cleanup_world_ struct world world;

            world_init(&world);
            if (settings[i].trust != TRUST_IGNORED)
                continue;
            add_something(&world.layer, &settings[i], "x");
            if (trusted)
                trust_filter_trusted(&world.layer, &world.gathered, &world.notes);
            else
                filter(&world, "/nowhere");
            assert_int_equal(world.notes.n, 0);
            assert_false(world.layer.values[i].is_set);
        }
}

/* P-CFG-4: even a trusted file cannot take lockdown back or say whom to trust; the rest it can. */
static void a_trusted_file_may_say_all_but_two_things(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    for (size_t i = 0; i < SET_COUNT; i++)
        if (settings[i].key)
            add_something(&world.layer, &settings[i], "x");
    config_set_bool(&world.layer, SET_LOCKDOWN, false);
    trust_filter_trusted(&world.layer, &world.gathered, &world.notes);
    assert_int_equal(world.notes.n, 2);
    assert_int_equal(world.gathered.refusal_count, 2);
    for (size_t i = 0; i < SET_COUNT; i++) {
        bool gone = settings[i].trust == TRUST_GLOBAL || settings[i].trust == TRUST_IGNORED ||
                    i == SET_LOCKDOWN || !settings[i].key;

        if (world.layer.values[i].is_set == gone)
            fail_msg("%s", settings[i].key);
        assert_false(world.layer.values[i].origin.is_untrusted);
    }
    config_set_bool(&world.layer, SET_LOCKDOWN, true);
    trust_filter_trusted(&world.layer, &world.gathered, &world.notes);
    assert_true(world.layer.values[SET_LOCKDOWN].on);
}

static void a_flood_of_refusals_is_counted(void **state)
{
    _cleanup_world_ struct world world;

    (void)state;
    world_init(&world);
    for (unsigned i = 0; i < 100; i++) {
        _cleanup_free_ char *path = xasprintf("/outside/%u", i);

        config_add(&world.layer, SET_RO_MAPS, path);
    }
    filter(&world, "/nowhere");
    assert_int_equal(world.gathered.refusal_count, 100);
    assert_int_equal(world.notes.n, TRUST_LINES_MAX + 1);
    assert_non_null(strstr(world.notes.v[TRUST_LINES_MAX].text, "92 more entries of ro_maps"));
    assert_int_equal(config_list(&world.layer, SET_RO_MAPS)->n, 0);
}

/* ---- maps ---- */

struct tree {
    char base[64];
    char *project;
};

static void make(const struct tree *tree, const char *name, const char *target)
{
    _cleanup_free_ char *path = xasprintf("%s/%s", tree->base, name);

    assert_int_equal(target ? symlink(target, path) : mkdir(path, 0755), 0);
}

static int make_tree(void **state)
{
    struct tree *tree = xcalloc(1, sizeof(*tree));

    snprintf(tree->base, sizeof(tree->base), "/tmp/aj-test-trust-XXXXXX");
    if (!mkdtemp(tree->base))
        return -1;
    tree->project = xasprintf("%s/p", tree->base);
    make(tree, "p", NULL);
    make(tree, "p/dir", NULL);
    make(tree, "p/dir/deep", NULL);
    make(tree, "p/other", NULL);
    make(tree, "p/in", "dir/deep");
    make(tree, "p/out", "../home");
    make(tree, "p/abs", "/etc");
    make(tree, "p/magic", "/proc/self/root");
    make(tree, "p/loop", "loop");
    make(tree, "p/up", "..");
    make(tree, "p/back", "../p/dir");
    make(tree, "home", NULL);
    make(tree, "home/secret", NULL);
    make(tree, "alias", "p");
    *state = tree;
    return 0;
}

static int remove_tree(void **state)
{
    static const char *const names[] = {
        "p/dir/deep", "p/dir",  "p/other", "p/in", "p/out",       "p/abs", "p/magic", "p/loop",
        "p/up",       "p/back", "alias",   "p",    "home/secret", "home",  "",
    };
    struct tree *tree = *state;

    for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
        _cleanup_free_ char *path = xasprintf("%s/%s", tree->base, names[i]);

        if (remove(path) < 0)
            perror(path);
    }
    free(tree->project);
    free(tree);
    return 0;
}

/* "@" stands for the directory that holds the project. malloc'ed. */
static char *expand(const struct tree *tree, const char *text)
{
    _cleanup_strv_ struct strv parts = {0};

    strv_split(&parts, text, '@');
    return strv_join(&parts, tree->base);
}

struct map_case {
    enum setting_id below_id;
    const char *below; /* in the baseline; NULL: nothing */
    enum setting_id id;
    const char *map;
    size_t kept;
    size_t refused;
};

static void check_map(const struct tree *tree, const struct map_case *want)
{
    _cleanup_world_ struct world world;
    _cleanup_free_ char *below = want->below ? expand(tree, want->below) : NULL;
    _cleanup_free_ char *map = expand(tree, want->map);

    world_init(&world);
    if (below)
        config_add(&world.baseline, want->below_id, below);
    config_add(&world.layer, want->id, map);
    filter(&world, tree->project);
    if (config_list(&world.layer, want->id)->n != want->kept)
        fail_msg("%s over %s: %zu kept", want->map, want->below ? want->below : "nothing",
                 config_list(&world.layer, want->id)->n);
    check_refusals(&world, settings[want->id].key, want->refused);
    if (want->kept)
        assert_true(world.layer.values[want->id].origins[0].is_untrusted);
}

static void maps_stay_inside_the_project(void **state)
{
    static const enum setting_id ids[] = {SET_RO_MAPS, SET_RW_MAPS, SET_OVERLAY_MAPS};
    static const struct {
        const char *map;
        bool is_inside;
    } rows[] = {
        {"@/p/dir", true},
        {"@/p", true},
        {"@/p/in", true},
        {"@/alias/dir", true},
        {"@/p/none", false},
        {"@/p/out", false},
        {"@/p/out/secret", false},
        {"@/p/abs", false},
        {"@/p/magic", false},
        {"@/p/magic/etc", false},
        {"@/p/loop", false},
        {"@/p/up", false},
        {"@/p/back", false},
        {"@/home", false},
        {"@/home/secret", false},
        {"/", false},
        {"/etc", false},
        {"@/pp", false},
        {"@", false},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows) * ARRAY_SIZE(ids); i++)
        check_map(*state, &(struct map_case){
                              .id = ids[i % ARRAY_SIZE(ids)],
                              .map = rows[i / ARRAY_SIZE(ids)].map,
                              .kept = rows[i / ARRAY_SIZE(ids)].is_inside,
                              .refused = !rows[i / ARRAY_SIZE(ids)].is_inside,
                          });
}

static void both_sides_and_the_baseline_count(void **state)
{
    static const struct map_case rows[] = {
        {0, NULL, SET_RO_MAPS, "@/p/dir:@/p/other", 1, 0},
        {0, NULL, SET_RO_MAPS, "@/p/dir:@/home", 0, 1},
        {0, NULL, SET_RO_MAPS, "@/home:@/p/dir", 0, 1},
        {0, NULL, SET_RO_MAPS, "@/p/dir:@/p/none", 0, 1},
        /* the user has it already: nothing to add, nothing to say */
        {SET_RO_MAPS, "@/home", SET_RO_MAPS, "@/home", 0, 0},
        {SET_RO_MAPS, "@/p/out", SET_RO_MAPS, "@/home", 0, 0},
        {SET_RO_MAPS, "@/home:/m", SET_RO_MAPS, "@/home:/m", 0, 0},
        {SET_RO_MAPS, "@/home:/m", SET_RO_MAPS, "@/home:/n", 0, 1},
        {SET_RO_MAPS, "@/home", SET_RO_MAPS, "@/home/secret", 0, 1},
        {SET_RW_MAPS, "@/home", SET_RW_MAPS, "@/home", 0, 0},
        /* a read-only one does not make it writable */
        {SET_RO_MAPS, "@/home", SET_RW_MAPS, "@/home", 0, 1},
        {SET_RO_MAPS, "@/home", SET_OVERLAY_MAPS, "@/home", 0, 1},
        /* nor may a writable one open what is read-only */
        {SET_RO_MAPS, "@/p/dir", SET_RW_MAPS, "@/p/dir/deep", 0, 1},
        {SET_RO_MAPS, "@/p/dir", SET_RW_MAPS, "@/p/in", 0, 1},
        {SET_RO_MAPS, "@/p/dir", SET_RW_MAPS, "@/p", 0, 1},
        {SET_RO_MAPS, "@/p/dir", SET_RW_MAPS, "@/p/other:@/p/dir", 0, 1},
        {SET_RO_MAPS, "@/home:@/p/dir", SET_OVERLAY_MAPS, "@/p/dir", 0, 1},
        {SET_RO_MAPS, "@/p/dir", SET_RW_MAPS, "@/p/other", 1, 0},
        {SET_RO_MAPS, "@/p/dir", SET_RO_MAPS, "@/p/dir/deep", 1, 0},
    };

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
        check_map(*state, &rows[i]);
}

/* ---- who is trusted ---- */

static void trust_goes_by_canonical_directories(void **state)
{
    static const struct {
        const char *dir;
        bool is_trusted;
    } rows[] = {
        {"@", true},           {"@/p", true},     {"@/alias", true}, {"@/p/up", true},
        {"@/home/../p", true}, {"/", true},       {"@/p/", true},    {"@/p/dir", false},
        {"@/home", false},     {"@/none", false}, {"@/pp", false},   {"p", false},
        {".", false},
    };
    const struct tree *tree = *state;

    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        _cleanup_world_ struct world world;
        _cleanup_free_ char *dir = expand(tree, rows[i].dir);

        world_init(&world);
        config_add(&world.baseline, SET_TRUST_PROJECT_CONFIG, dir);
        if (trust_is_listed(&world.baseline, tree->project) != rows[i].is_trusted)
            fail_msg("%s", rows[i].dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_project_only_tightens),
        cmocka_unit_test(every_weaker_value_is_one_line_of_its_own),
        cmocka_unit_test(a_line_shows_the_words_of_the_file),
        cmocka_unit_test(what_is_refused_is_refused_over_every_baseline),
        cmocka_unit_test(the_free_and_the_adding_classes_pass),
        cmocka_unit_test(the_bar_is_not_the_projects_business),
        cmocka_unit_test(a_trusted_file_may_say_all_but_two_things),
        cmocka_unit_test(a_flood_of_refusals_is_counted),
        cmocka_unit_test_setup_teardown(maps_stay_inside_the_project, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(both_sides_and_the_baseline_count, make_tree, remove_tree),
        cmocka_unit_test_setup_teardown(trust_goes_by_canonical_directories, make_tree,
                                        remove_tree),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
