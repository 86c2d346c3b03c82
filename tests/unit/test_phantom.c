// SPDX-License-Identifier: GPL-3.0-only
/*
 * Credentials as a policy: which entries can be kept, where the value comes from, and that no message
 * shows it.
 */
#include "policy/phantom.h"

#include "support/planner.h"
#include "support/test.h"

#include <errno.h>
#include <string.h>

#define VALUE "sk-the-value-itself" /* 19 bytes */

struct world {
    struct planner planner;
    struct allow_list hosts;
    struct environment_parts parts;
    struct credentials list;
    struct error error;
};

static uint8_t next_random;

static int count_up(void *bytes, size_t len)
{
    memset(bytes, next_random++, len);
    return 0;
}

static int no_random(void *bytes, size_t len)
{
    (void)bytes;
    (void)len;
    return -EIO;
}

static void world_init(struct world *world, const char *const *environ)
{
    struct error error = {0};

    next_random = 0xA0;
    *world = (struct world){0};
    planner_init(&world->planner, NULL, environ);
    world->planner.host.random = count_up;
    assert_int_equal(allow_add(&world->hosts, "example.org", false, "test", &error), 0);
    assert_int_equal(allow_add(&world->hosts, "api.anthropic.com", false, "test", &error), 0);
    assert_int_equal(allow_add(&world->hosts, "plain.test:80", false, "test", &error), 0);
    assert_int_equal(allow_add(&world->hosts, "11.0.0.4", false, "test", &error), 0);
}

static void world_free(struct world *world)
{
    planner_free(&world->planner);
    allow_free(&world->hosts);
    environment_parts_free(&world->parts);
    credentials_free(&world->list);
}

#define _cleanup_world_ CLEANUP(world_free)

static int build(struct world *world, enum network_mode network)
{
    return phantom_build(&world->list, &world->parts, &world->planner.config, &world->planner.host,
                         network, &world->hosts, &world->planner.notes, &world->error);
}

static void say(struct world *world, enum setting_id id, const char *entry)
{
    world->planner.config.place.layer = LAYER_CLI;
    config_add(&world->planner.config, id, entry);
}

static void nothing_said_is_nothing_done(void **state)
{
    struct world world _cleanup_world_;

    (void)state;
    world_init(&world, NULL);
    world.planner.host.random = no_random;
    assert_int_equal(build(&world, NETWORK_FULL), 0);
    assert_int_equal(world.list.n, 0);
    assert_int_equal(world.parts.forced.n + world.parts.defaults.n, 0);
}

/* env_pass, what a file says, what the agent's own key is; NULL: not said. Weakest last. */
static const struct {
    const char *first;
    const char *second;
    const char *file;
    const char *key;
    const char *value; /* NULL: there is none */
} sources[] = {
    {"KEY=" VALUE, NULL, NULL, NULL, VALUE},
    {"KEY=first-value", "KEY=" VALUE, "KEY=of-a-file", "KEY=of-an-agent", VALUE},
    {"KEY", NULL, "KEY=of-a-file", NULL, "value-of-the-host"},
    {"KEY=first-value", "KEY", NULL, NULL, "value-of-the-host"},
    {NULL, NULL, "KEY=" VALUE, "KEY=of-an-agent", VALUE},
    {NULL, NULL, NULL, "KEY=" VALUE, VALUE},
    {"KEYS=" VALUE, NULL, "KE=of-a-file", NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL}, /* of the host alone nobody asked for it */
};

static void the_value_is_the_one_that_would_be_passed(void **state)
{
    static const char *const environ[] = {"KEY=value-of-the-host", NULL};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
        struct world world _cleanup_world_;

        world_init(&world, environ);
        say(&world, SET_SECRET_HOSTS, "KEY=example.org");
        if (sources[i].first)
            say(&world, SET_ENV_PASS, sources[i].first);
        if (sources[i].second)
            say(&world, SET_ENV_PASS, sources[i].second);
        if (sources[i].file)
            strv_push(&world.planner.config.env_file, sources[i].file);
        if (sources[i].key)
            strv_push(&world.parts.keys, sources[i].key);
        assert_int_equal(build(&world, NETWORK_FILTERED), sources[i].value ? 0 : -EINVAL);
        if (!sources[i].value) {
            assert_non_null(strstr(world.error.text, "no value"));
            continue;
        }
        assert_int_equal(world.list.n, 1);
        assert_string_equal(world.list.v[0].value, sources[i].value);
        assert_int_equal(world.parts.forced.n, 1);
        assert_string_equal(world.parts.forced.v[0],
                            "KEY=AIJAIL-PHANTOM-a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0a0");
    }
}

/* The message tells what is missing there: the key is in the environment. */
static void lockdown_takes_no_key_by_itself(void **state)
{
    static const char *const environ[] = {"KEY=" VALUE, NULL};

    (void)state;
    for (int i = 0; i < 2; i++) {
        struct world world _cleanup_world_;

        world_init(&world, environ);
        world.planner.config.place.layer = LAYER_CLI;
        config_set_bool(&world.planner.config, SET_LOCKDOWN, true);
        say(&world, SET_SECRET_HOSTS, i == 0 ? "KEY=example.org" : "OTHER=example.org");
        assert_int_equal(build(&world, NETWORK_FILTERED), -EINVAL);
        assert_int_equal(strstr(world.error.text, "in lockdown") != NULL, i == 0);
        assert_non_null(strstr(world.error.text, i == 0 ? "--env KEY " : "--env OTHER "));
        assert_null(strstr(world.error.text, VALUE));
    }
}

static void keys_have_hosts_and_hosts_keys(void **state)
{
    struct world world _cleanup_world_;

    (void)state;
    world_init(&world, NULL);
    say(&world, SET_ENV_PASS, "A=" VALUE);
    say(&world, SET_ENV_PASS, "ANTHROPIC_API_KEY=another-value");
    say(&world, SET_SECRET_HOSTS, "A=example.org");
    say(&world, SET_SECRET_HOSTS, "ANTHROPIC_API_KEY=API.Anthropic.com.");
    say(&world, SET_SECRET_HOSTS, "A=api.anthropic.com");
    say(&world, SET_SECRET_HOSTS, "A=sub.example.org");
    say(&world, SET_SECRET_HOSTS, "A=Example.ORG");
    assert_int_equal(build(&world, NETWORK_FILTERED), 0);
    assert_int_equal(world.list.n, 2);
    assert_string_equal(world.list.v[0].key, "A");
    assert_int_equal(world.list.v[0].hosts.n, 3);
    assert_string_equal(world.list.v[0].hosts.v[2], "sub.example.org");
    assert_string_equal(world.list.v[1].hosts.v[0], "api.anthropic.com");
    assert_string_not_equal(world.list.v[0].placeholder, world.list.v[1].placeholder);
    assert_int_equal(world.parts.defaults.n, 1);
    assert_string_equal(world.parts.defaults.v[0], "ANTHROPIC_BASE_URL=http://api.anthropic.com");
}

static const struct {
    const char *entry;
    const char *value; /* of KEY */
    const char *text;  /* part of the message */
} faults[] = {
    {"KEY", VALUE, "the name of a variable"},
    {VALUE "=example.org", VALUE, "the name of a variable"},
    {"=example.org", VALUE, "the name of a variable"},
    {"1KEY=example.org", VALUE, "the name of a variable"},
    {"KEY=", VALUE, "bare name"},
    {"KEY=example.org:443", VALUE, "bare name"},
    {"KEY=raw:example.org:443", VALUE, "bare name"},
    {"KEY=*.example.org", VALUE, "bare name"},
    {"KEY=11.0.0.4", VALUE, "bare name"},
    {"KEY=[::1]", VALUE, "bare name"},
    {"KEY=localhost", VALUE, "bare name"},
    {"KEY=https://example.org", VALUE, "bare name"},
    {"KEY=example.com", VALUE, "add --allow-host example.com"},
    {"KEY=plain.test", VALUE, "add --allow-host plain.test"},
    {"HTTPS_PROXY=example.org", VALUE, "proxy of its own"},
    {"KEY=example.org", "1234567", "shorter than 8"},
    {"KEY=example.org", "", "shorter than 8"},
    {"KEY=example.org", "line\nbreak-in-it", "not printable"},
    {"KEY=example.org", "tab\tin-the-value", "not printable"},
    {"KEY=example.org", "caf\xC3\xA9-caf\xC3\xA9", "not printable"},
};

static void what_cannot_be_kept_is_fatal(void **state)
{
    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(faults); i++) {
        struct world world _cleanup_world_;
        _cleanup_free_ char *passed = xasprintf("KEY=%s", faults[i].value);

        world_init(&world, NULL);
        say(&world, SET_ENV_PASS, passed);
        say(&world, SET_SECRET_HOSTS, faults[i].entry);
        assert_int_equal(build(&world, NETWORK_FILTERED), -EINVAL);
        assert_non_null(strstr(world.error.text, faults[i].text));
        assert_non_null(strstr(world.error.text, "--secret"));
        if (faults[i].value[0])
            assert_null(strstr(world.error.text, faults[i].value));
        assert_int_equal(world.parts.forced.n, 0);
    }
}

static void sizes_at_the_limits(void **state)
{
    static const struct {
        size_t len;
        int result;
    } sizes[] = {{8, 0}, {4096, 0}, {4097, -EINVAL}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
        struct world world _cleanup_world_;
        char entry[5000] = "KEY=";

        world_init(&world, NULL);
        memset(entry + 4, '~', sizes[i].len);
        say(&world, SET_ENV_PASS, entry);
        say(&world, SET_SECRET_HOSTS, "KEY=example.org");
        assert_int_equal(build(&world, NETWORK_FILTERED), sizes[i].result);
    }
}

static void only_a_filtered_network_will_do(void **state)
{
    static const struct {
        enum network_mode network;
        const char *text;
    } modes[] = {{NETWORK_OFF, "--allow-host"}, {NETWORK_FULL, "leave out --network"}};

    (void)state;
    for (size_t i = 0; i < ARRAY_SIZE(modes); i++) {
        struct world world _cleanup_world_;

        world_init(&world, NULL);
        say(&world, SET_ENV_PASS, "KEY=" VALUE);
        say(&world, SET_SECRET_HOSTS, "KEY=example.org");
        assert_int_equal(build(&world, modes[i].network), -EINVAL);
        assert_non_null(strstr(world.error.text, modes[i].text));
    }
}

static void without_random_bytes_there_is_no_placeholder(void **state)
{
    struct world world _cleanup_world_;

    (void)state;
    world_init(&world, NULL);
    world.planner.host.random = no_random;
    say(&world, SET_ENV_PASS, "KEY=" VALUE);
    say(&world, SET_SECRET_HOSTS, "KEY=example.org");
    assert_int_equal(build(&world, NETWORK_FILTERED), -EIO);
}

static void copies_are_told(void **state)
{
    struct world world _cleanup_world_;
    _cleanup_strv_ struct strv env = {0};
    _cleanup_strv_ struct strv argv = {0};

    (void)state;
    world_init(&world, NULL);
    say(&world, SET_ENV_PASS, "KEY=" VALUE);
    say(&world, SET_SECRET_HOSTS, "KEY=example.org");
    assert_int_equal(build(&world, NETWORK_FILTERED), 0);
    strv_push(&env, world.parts.forced.v[0]);
    strv_push(&env, "OTHER=x" VALUE "x");
    strv_push(&argv, "--key=" VALUE);
    phantom_note_copies(&world.list, &env, &argv, &world.planner.notes);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, "OTHER"), 1);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, "words of the command"), 1);
    assert_int_equal(planner_count_notes(&world.planner, NOTE_SECURITY, VALUE), 0);
}

static void values_are_wiped_from_words(void **state)
{
    struct world world _cleanup_world_;
    _cleanup_strv_ struct strv words = {0};

    (void)state;
    world_init(&world, NULL);
    say(&world, SET_ENV_PASS, "KEY=" VALUE);
    say(&world, SET_SECRET_HOSTS, "KEY=example.org");
    assert_int_equal(build(&world, NETWORK_FILTERED), 0);
    strv_push(&words, "--env=KEY=" VALUE);
    strv_push(&words, "plain");
    strv_push(&words, "a" VALUE "b" VALUE);
    phantom_wipe(&world.list, words.v);
    phantom_wipe(&world.list, NULL);
    assert_string_equal(words.v[0], "--env=KEY=*******************");
    assert_string_equal(words.v[1], "plain");
    assert_string_equal(words.v[2], "a*******************b*******************");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_said_is_nothing_done),
        cmocka_unit_test(the_value_is_the_one_that_would_be_passed),
        cmocka_unit_test(lockdown_takes_no_key_by_itself),
        cmocka_unit_test(keys_have_hosts_and_hosts_keys),
        cmocka_unit_test(what_cannot_be_kept_is_fatal),
        cmocka_unit_test(sizes_at_the_limits),
        cmocka_unit_test(only_a_filtered_network_will_do),
        cmocka_unit_test(without_random_bytes_there_is_no_placeholder),
        cmocka_unit_test(copies_are_told),
        cmocka_unit_test(values_are_wiped_from_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
