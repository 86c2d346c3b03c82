// SPDX-License-Identifier: GPL-3.0-only
/*
 * gathering: files for gather().
 */
#include "support/gathering.h"

#include "base/fd.h"
#include "support/test.h"

#include <fcntl.h>
#include <ftw.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void gathering_write(struct gathering_test *test, const char *name, const char *text, unsigned mode)
{
    _cleanup_free_ char *path = xasprintf("%s/%s", test->base, name);
    _cleanup_close_ int fd = -1;

    unlink(path);
    if (!text)
        return;
    fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
    assert_int_equal(fchmod(fd, mode), 0);
}

void gathering_init(struct gathering_test *test, const struct gathering_case *with)
{
    _cleanup_free_ char *global = NULL;
    char *real;

    *test = (struct gathering_test){.args.verb = VERB_INIT};
    config_init(&test->args.cli, LAYER_CLI);
    snprintf(test->base, sizeof(test->base), "/tmp/aj-test-gather-XXXXXX");
    assert_non_null(mkdtemp(test->base));
    real = realpath(test->base, NULL);
    snprintf(test->base, sizeof(test->base), "%s", real);
    free(real);
    test->home = xasprintf("%s/home", test->base);
    test->project = xasprintf("%s/project", test->base);
    assert_int_equal(mkdir(test->home, 0755), 0);
    assert_int_equal(mkdir(test->project, 0755), 0);
    if (with->is_trusted)
        global = xasprintf("trust_project_config = [\"%s\"]\n%s", test->base,
                           with->global ? with->global : "");
    gathering_write(test, "home/.ai-jail", global ? global : with->global, 0600);
    gathering_write(test, "project/.ai-jail", with->project, 0600);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void gathering_free(struct gathering_test *test)
{
    nftw(test->base, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(test->home);
    free(test->project);
    args_free(&test->args);
    gather_free(&test->gathered);
    notes_free(&test->notes);
}

void gathering_command(struct gathering_test *test, const char *words)
{
    if (words[0])
        strv_split(&test->args.command, words, ' ');
}

int gathering_run(struct gathering_test *test)
{
    const struct gather_place place = {.cwd = test->project, .home = test->home, .uid = geteuid()};

    return gather(&test->gathered, &test->args, &place, &test->notes, &test->error);
}

void gathering_must_run(struct gathering_test *test)
{
    if (gathering_run(test) < 0)
        fail_msg("%s", test->error.text);
}

unsigned gathering_count(const struct gathering_test *test, enum note_class class, const char *part)
{
    unsigned count = 0;

    for (size_t i = 0; i < test->notes.n; i++)
        count += test->notes.v[i].class == class && strstr(test->notes.v[i].text, part);
    return count;
}
