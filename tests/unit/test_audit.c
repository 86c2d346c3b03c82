// SPDX-License-Identifier: GPL-3.0-only
/*
 * The audit log: the chain over records, files and processes (P-CLI-11), what is in the way of the
 * file (P-CLI-12), and what a record never holds.
 */
#include "base/fd.h"
#include "base/path.h"
#include "net/audit.h"
#include "net/audit_file.h"
#include "net/audit_words.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define PROCESSES 16
#define EACH      25

/* A data directory of its own; removed with teardown. */
struct fixture {
    char *home;
    char *dir;  /* .../ai-jail */
    char *file; /* history.jsonl in it */
};

static int setup(void **state)
{
    struct fixture *f = xcalloc(1, sizeof(*f));
    const char *base = getenv("TMPDIR");
    char *made = xasprintf("%s/audit.XXXXXX", base ? base : "/tmp");

    assert_non_null(mkdtemp(made));
    f->home = realpath(made, NULL);
    free(made);
    f->dir = audit_directory(NULL, f->home);
    f->file = path_join(f->dir, AUDIT_FILE);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    _cleanup_free_ char *command = xasprintf("rm -rf '%s'", f->home);
    int r = system(command);

    free(f->home);
    free(f->dir);
    free(f->file);
    free(f);
    return r;
}

static struct audit *open_log(const struct fixture *f)
{
    struct error error = {0};
    struct audit *audit;

    if (audit_open(&audit, NULL, f->home, &error) < 0)
        fail_msg("%s", error.text);
    return audit;
}

static void close_log(struct audit *audit, int code)
{
    struct notes notes = {0};

    audit_close(audit, code);
    audit_take_fault(audit, &notes);
    if (notes.n)
        fail_msg("%s", notes.v[0].text);
    audit_free(audit);
}

/* ---- reading back ---- */

struct found {
    struct audit_chain chain;
    const char *fault;
    uint64_t bad_line;
    uint64_t lines;
    char *text; /* all of it */
};

static bool check(void *arg, uint64_t number, const char *line, size_t len, bool is_whole)
{
    struct found *found = arg;
    uint64_t seq;

    found->fault = is_whole ? audit_chain_check(&found->chain, line, len, &seq) : "not whole";
    found->bad_line = number;
    found->lines += !found->fault;
    return !found->fault;
}

static char *read_text(const char *path)
{
    _cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct buf text CLEANUP(buf_free);

    assert_true(fd >= 0);
    buf_init(&text, 64 * MIB);
    assert_int_equal(fd_read_all(fd, &text, 64 * MIB), 0);
    return buf_take_cstr(&text);
}

static void check_file(struct found *found, const char *path)
{
    struct audit_lines lines = {.each = check, .arg = found};
    char *text = read_text(path);

    audit_lines_feed(&lines, (const uint8_t *)text, strlen(text));
    audit_lines_end(&lines);
    free(found->text);
    found->text = text;
}

static void assert_intact(const struct fixture *f, uint64_t records)
{
    struct found found = {0};

    check_file(&found, f->file);
    if (found.fault)
        fail_msg("line %d: %s", (int)found.bad_line, found.fault);
    assert_int_equal(found.lines, records);
    free(found.text);
}

static void write_text(const char *path, const char *text)
{
    _cleanup_close_ int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

    assert_true(fd >= 0);
    assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
}

/* ---- the chain ---- */

static void records_are_chained(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    struct found found = {0};

    audit_warning(audit, "security", "one");
    audit_mask(audit, "/p/.env", "masked", "mask .env");
    close_log(audit, 7);
    audit = open_log(f);
    audit_warning(audit, "security", "two");
    close_log(audit, 0);
    assert_intact(f, 5);
    check_file(&found, f->file);
    assert_non_null(strstr(found.text, "{\"seq\":1,\"prev\":\"00000000"));
    assert_non_null(strstr(found.text,
                           "\"event\":\"mask\",\"path\":\"/p/.env\",\"kind\":\"masked\","
                           "\"trigger\":\"mask .env\"}\n"));
    assert_non_null(strstr(found.text, "\"event\":\"exit\",\"code\":7,\"signal\":null,"));
    free(found.text);
}

/* Each way of changing a log that does not begin anew at the change. */
static void changes_show(void **state)
{
    static const struct {
        const char *find;
        const char *put;
        uint64_t line;
        const char *fault;
    } rows[] = {
        {"\"one\"", "\"eno\"", 2, "the record before it was changed"},
        {"\"seq\":2", "\"seq\":3", 2, "records before it are missing"},
        {"\"seq\":3", "\"seq\":2", 3, "out of order"},
        {"\"three\"}", "\"three\"", 3, "not a JSON object"},
        {"\"seq\":1,\"prev\":\"0", "\"seq\":1,\"prev\":\"1", 1, "the record before it was changed"},
        {"\"two\"}\n", "\"two\"}\n\n", 3, "not a JSON object"},
    };
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    _cleanup_free_ char *text = NULL;

    audit_warning(audit, "x", "one");
    audit_warning(audit, "x", "two");
    audit_warning(audit, "x", "three");
    close_log(audit, 0);
    text = read_text(f->file);
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        const char *at = strstr(text, rows[i].find);
        _cleanup_free_ char *changed = NULL;
        struct found found = {0};

        assert_non_null(at);
        changed =
            xasprintf("%.*s%s%s", (int)(at - text), text, rows[i].put, at + strlen(rows[i].find));
        write_text(f->file, changed);
        check_file(&found, f->file);
        assert_non_null(found.fault);
        assert_non_null(strstr(found.fault, rows[i].fault));
        assert_int_equal(found.bad_line, rows[i].line);
        free(found.text);
    }
}

/* A torn last line stays where it is, is named, and does not stop what comes. */
static void goes_on_behind_a_damaged_line(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    struct notes notes = {0};
    struct found found = {0};
    _cleanup_free_ char *text = NULL, *torn = NULL;
    const char *last;

    audit_warning(audit, "x", "one");
    close_log(audit, 0);
    text = read_text(f->file);
    torn = xasprintf("%.*s", (int)strlen(text) - 20, text);
    write_text(f->file, torn);
    audit = open_log(f);
    audit_warning(audit, "x", "after");
    audit_take_fault(audit, &notes);
    assert_int_equal(notes.n, 1);
    assert_non_null(strstr(notes.v[0].text, "damaged"));
    notes_free(&notes);
    close_log(audit, 0);
    check_file(&found, f->file);
    assert_int_equal(found.bad_line, 2);
    last = strstr(found.text, "\n{\"seq\":3,");
    assert_non_null(last); /* on a line of its own, and counted on */
    assert_non_null(strstr(last, "\n{\"seq\":4,"));
    free(found.text);
}

static void parallel_writers_share_a_chain(void **state)
{
    const struct fixture *f = *state;
    int status;

    for (int i = 0; i < PROCESSES; i++) {
        pid_t pid = fork();

        assert_true(pid >= 0);
        if (pid > 0)
            continue;
        struct audit *audit = open_log(f);

        for (int j = 1; j < EACH; j++)
            audit_warning(audit, "x", "from one of many");
        close_log(audit, 0);
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        assert_true(wait(&status) > 0);
        assert_int_equal(status, 0);
    }
    assert_intact(f, PROCESSES * EACH);
}

/* A child that inherits the object has no part in it. */
static void forked_children_write_nothing(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    int status;
    pid_t pid = fork();

    if (pid == 0) {
        audit_warning(audit, "x", "from the child");
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    close_log(audit, 0);
    assert_intact(f, 1);
}

static void make_directory(const struct fixture *f)
{
    close_log(open_log(f), 0);
    assert_int_equal(unlink(f->file), 0);
}

/* ---- rotation ---- */

/* Large records, by the shortest way. */
static void fill(const struct fixture *f)
{
    struct error error = {0};
    struct audit_file file;
    struct audit_link last;
    struct buf text CLEANUP(buf_free);
    _cleanup_free_ char *large = xcalloc(1, 60001);

    memset(large, 'x', 60000);
    buf_init(&text, 2 * AUDIT_ROTATE_SIZE);
    assert_non_null(buf_reserve(&text, AUDIT_ROTATE_SIZE + 128 * KIB));
    assert_int_equal(audit_file_open(&file, f->dir, f->home, &error), 0);
    assert_int_equal(audit_file_begin(&file, &last), 0);
    while (text.len <= AUDIT_ROTATE_SIZE) {
        size_t start = text.len;

        buf_printf(&text,
                   "{\"seq\":%llu,\"prev\":\"%s\",\"time\":\"\",\"run\":\"\",\"event\":\"\","
                   "\"x\":\"%s\"}",
                   (unsigned long long)++last.seq, last.hash, large);
        audit_hash(text.data + start, text.len - start, last.hash);
        buf_append_byte(&text, '\n');
    }
    assert_int_equal(fd_write_all(file.fd, text.data, text.len), 0);
    audit_file_close(&file);
}

static void rotates_when_alone(void **state)
{
    const struct fixture *f = *state;
    _cleanup_free_ char *third = xasprintf("%s/history.jsonl.3", f->dir);
    _cleanup_free_ char *fourth = xasprintf("%s/history.jsonl.4", f->dir);
    _cleanup_free_ char *fifth = xasprintf("%s/history.jsonl.5", f->dir);
    _cleanup_free_ char *text = NULL;
    struct found found = {0};

    make_directory(f);
    write_text(third, "was the third");
    write_text(fourth, "was the fourth");
    for (int i = 0; i < 2; i++) {
        struct audit *first, *second;

        fill(f);
        first = open_log(f); /* rotates */
        second = open_log(f);
        audit_warning(second, "x", "the second writes first");
        audit_warning(first, "x", "then the first");
        close_log(second, 0);
        close_log(first, 0);
    }
    for (unsigned i = 3; i-- > 0;) {
        char name[AUDIT_NAME_MAX];
        _cleanup_free_ char *path = NULL;

        audit_file_name(i, name);
        path = path_join(f->dir, name);
        check_file(&found, path);
        if (found.fault)
            fail_msg("%s:%d: %s", name, (int)found.bad_line, found.fault);
    }
    assert_null(strstr(found.text, "\"seq\":1,"));
    free(found.text);
    text = read_text(fourth);
    assert_string_equal(text, "was the third");
    assert_int_equal(access(fifth, F_OK), -1);
}

/* Nobody renames what somebody else has open. */
static void does_not_rotate_under_others(void **state)
{
    const struct fixture *f = *state;
    struct audit *first = open_log(f);
    struct audit *second;
    _cleanup_free_ char *older = xasprintf("%s/history.jsonl.1", f->dir);

    fill(f);
    second = open_log(f);
    audit_warning(first, "x", "still the same file");
    close_log(second, 0);
    close_log(first, 0);
    assert_int_equal(access(older, F_OK), -1);
    first = open_log(f);
    close_log(first, 0);
    assert_int_equal(access(older, F_OK), 0);
}

/* ---- what is in the way ---- */

static void assert_refused(const struct fixture *f, int code, const char *word)
{
    struct error error = {0};
    struct audit *audit;

    assert_int_equal(audit_open(&audit, NULL, f->home, &error), -code);
    assert_null(audit);
    assert_non_null(strstr(error.text, "no audit log is kept: "));
    assert_non_null(strstr(error.text, word));
    audit_warning(audit, "x", "nothing happens");
    audit_close(audit, 0);
}

static void refuses_what_is_no_file_of_ours(void **state)
{
    const struct fixture *f = *state;
    _cleanup_free_ char *elsewhere = xasprintf("%s/elsewhere", f->home);
    struct stat st;

    make_directory(f);
    write_text(elsewhere, "");
    assert_int_equal(symlink(elsewhere, f->file), 0);
    assert_refused(f, ELOOP, "is a link");
    assert_int_equal(unlink(f->file), 0);
    assert_int_equal(link(elsewhere, f->file), 0); /* a second name */
    assert_refused(f, EPERM, "yours alone");
    assert_int_equal(stat(elsewhere, &st), 0);
    assert_int_equal(st.st_size, 0);
    assert_int_equal(unlink(f->file), 0);
    assert_int_equal(mkfifo(f->file, 0600), 0);
    assert_refused(f, EINVAL, "no file");
    assert_int_equal(unlink(f->file), 0);
    write_text(f->file, "");
    assert_int_equal(chmod(f->file, 0660), 0);
    assert_refused(f, EPERM, "yours alone");
    assert_int_equal(chmod(f->file, 0644), 0); /* to be read by others is mended */
    close_log(open_log(f), 0);
    assert_int_equal(stat(f->file, &st), 0);
    assert_int_equal(st.st_mode & 07777, 0600);
}

static void refuses_links_on_the_way(void **state)
{
    const struct fixture *f = *state;
    _cleanup_free_ char *local = xasprintf("%s/.local", f->home);
    _cleanup_free_ char *elsewhere = xasprintf("%s/elsewhere", f->home);
    _cleanup_free_ char *made = xasprintf("%s/share", elsewhere);

    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink(elsewhere, local), 0);
    assert_refused(f, ENOTDIR, ".local is a link");
    assert_int_equal(access(made, F_OK), -1);
    assert_int_equal(unlink(local), 0);
    make_directory(f);
    assert_int_equal(chmod(f->dir, 0770), 0);
    assert_refused(f, EPERM, "yours alone");
}

static void gives_up_on_a_lock(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    _cleanup_close_ int fd = open(f->file, O_RDONLY | O_CLOEXEC);
    struct notes notes = {0};

    assert_int_equal(flock(fd, LOCK_EX), 0);
    audit_warning(audit, "x", "is not written");
    audit_warning(audit, "x", "nor this, and without another wait");
    audit_close(audit, 0);
    audit_take_fault(audit, &notes);
    audit_take_fault(audit, &notes);
    assert_int_equal(notes.n, 1);
    assert_int_equal(notes.v[0].class, NOTE_WARNING);
    assert_non_null(strstr(notes.v[0].text, "locked by a process"));
    notes_free(&notes);
    audit_free(audit);
    assert_intact(f, 0);
}

/* A full disk (here: the limit of a file's size) leaves no half record. */
static void writes_whole_records_only(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    struct rlimit before, small;
    struct notes notes = {0};
    struct stat st;

    audit_warning(audit, "x", "this one fits");
    assert_int_equal(stat(f->file, &st), 0);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    small = before;
    small.rlim_cur = (rlim_t)st.st_size + 40;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    audit_warning(audit, "x", "this one does not");
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    audit_take_fault(audit, &notes);
    assert_int_equal(notes.n, 1);
    notes_free(&notes);
    audit_close(audit, 0);
    audit_free(audit);
    assert_intact(f, 1);
}

/* ---- what a record holds ---- */

static void cuts_what_is_too_long(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    _cleanup_free_ char *large = xcalloc(1, 300000);
    struct strv words CLEANUP(strv_free) = {0};
    struct found found = {0};
    const char *end;

    for (int i = 0; i < 20000; i++)
        strv_push(&words, "\xc3\xbc \x1b[31m");
    for (size_t i = 0; i < 299998; i += 2)
        memcpy(large + i, "\xc3\xbc", 2);
    audit_start(audit, &(struct audit_start){.argv = &words, .project = large, .mode = "off"});
    audit_warning(audit, "x", large);
    close_log(audit, 0);
    assert_intact(f, 3);
    check_file(&found, f->file);
    end = strchr(found.text, '\n');
    assert_in_range((uintmax_t)(end - found.text), 1, AUDIT_RECORD_MAX);
    assert_non_null(memmem(found.text, (size_t)(end - found.text), "\"cut\":true", 10));
    end = strchr(end + 1, '\n');
    assert_non_null(memmem(found.text, (size_t)(end - found.text), "\"cut\":true", 10));
    assert_null(strchr(found.text, '\x1b'));
    assert_null(strstr(end, "\"cut\"")); /* the last one is short */
    free(found.text);
}

static void holds_no_values(void **state)
{
    static const struct {
        const char *words[3];
        const char *want;
    } rows[] = {
        {{"--env", "TOKEN=canary"}, "--env TOKEN"},
        {{"--env=TOKEN=canary"}, "--env=TOKEN"},
        {{"--env", "NAME"}, "--env NAME"},
        {{"A=canary", "make"}, "A make"},
        {{"sh", "-c", "cd x && KEY='canary canary' make"}, "sh -c cd x && KEY"},
        {{"--api-key=canary"}, "--api-key=***"},
        {{"--api-key", "canary"}, "--api-key ***"},
        {{"--token", "-v"}, "--token -v"},
        {{"--author", "me"}, "--author me"},
        {{"-u", "me:canary"}, "-u me:***"},
        {{"-H", "Authorization: Bearer canary"}, "-H Authorization: ***"},
        {{"-H", "x-api-key:canary"}, "-H x-api-key: ***"},
        {{"-H", "Accept: text/plain"}, "-H Accept: text/plain"},
        {{"https://me:canary@example.org:8443/canary?x=canary#canary"},
         "https://example.org:8443/..."},
        {{"https://example.org"}, "https://example.org"},
        {{"https://example.org/"}, "https://example.org"},
        {{"--url=http://u@h/canary"}, "--url=http://h/..."},
        {{"see http://a.b/canary, then 'http://c.d?canary'"},
         "see http://a.b/... then 'http://c.d/...'"},
        {{"canary-canary", "is", "known"}, "<GIVEN> is known"},
        {{"bash", "--", "a:b=c"}, "bash -- a:b=c"},
        {{""}, ""},
    };
    struct strv known CLEANUP(strv_free) = {0};

    (void)state;
    strv_push(&known, "GIVEN=canary-canary");
    strv_push(&known, "SHORT=is");
    strv_push(&known, "NAME");
    for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
        struct strv words CLEANUP(strv_free) = {0};
        struct strv clean CLEANUP(strv_free) = {0};
        _cleanup_free_ char *text = NULL;

        for (size_t j = 0; j < 3 && rows[i].words[j]; j++)
            strv_push(&words, rows[i].words[j]);
        audit_words_clean(&clean, &words, &known);
        text = strv_join(&clean, " ");
        assert_string_equal(text, rows[i].want);
    }
}

/* A jail that connects as fast as it can fills no disk, and hides nothing of another kind. */
static void floods_are_counted(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);
    _cleanup_free_ char *host = xcalloc(1, 16000);
    struct audit_connect connect = {.host = host, .port = 443, .verdict = "refused"};
    struct found found = {0};
    struct stat st;

    memset(host, 'h', 15000);
    for (int i = 0; i < 600; i++)
        audit_connect(audit, &connect);
    connect.host = "example.org";
    connect.verdict = "allowed";
    audit_connect(audit, &connect);
    close_log(audit, 0);
    assert_int_equal(stat(f->file, &st), 0);
    assert_in_range((uintmax_t)st.st_size, 8 * MIB, 9 * MIB);
    check_file(&found, f->file);
    assert_null(found.fault);
    assert_non_null(strstr(found.text, "connect (refused): too many records"));
    assert_non_null(strstr(found.text, "\"host\":\"example.org\",\"port\":443,\"via\":null,"
                                       "\"verdict\":\"allowed\""));
    assert_non_null(strstr(found.text, "\"dropped\":"));
    free(found.text);
}

static void lines_come_once(void **state)
{
    const struct fixture *f = *state;
    struct audit *audit = open_log(f);

    audit_take_line(audit, NOTE_SECURITY, "a line");
    audit_skip_line(audit);
    audit_take_line(audit, NOTE_SECURITY, "has a record of its own");
    audit_take_line(audit, NOTE_FATAL, "another");
    audit_take_line(audit, NOTE_INFO, "not a decision");
    close_log(audit, 0);
    assert_intact(f, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(records_are_chained, setup, teardown),
        cmocka_unit_test_setup_teardown(changes_show, setup, teardown),
        cmocka_unit_test_setup_teardown(goes_on_behind_a_damaged_line, setup, teardown),
        cmocka_unit_test_setup_teardown(parallel_writers_share_a_chain, setup, teardown),
        cmocka_unit_test_setup_teardown(forked_children_write_nothing, setup, teardown),
        cmocka_unit_test_setup_teardown(rotates_when_alone, setup, teardown),
        cmocka_unit_test_setup_teardown(does_not_rotate_under_others, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_what_is_no_file_of_ours, setup, teardown),
        cmocka_unit_test_setup_teardown(refuses_links_on_the_way, setup, teardown),
        cmocka_unit_test_setup_teardown(gives_up_on_a_lock, setup, teardown),
        cmocka_unit_test_setup_teardown(writes_whole_records_only, setup, teardown),
        cmocka_unit_test_setup_teardown(cuts_what_is_too_long, setup, teardown),
        cmocka_unit_test(holds_no_values),
        cmocka_unit_test_setup_teardown(floods_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(lines_come_once, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
