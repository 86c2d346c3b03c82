// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor: --doctor.
 *
 * Runs the checks in the order in which a start needs them, then prints them as lines or as JSON.
 * Exit code 0: every layer can be used; 1: something is missing or degraded.
 */
#include "verbs/doctor.h"

#include "backend/json_text.h"
#include "base/os.h"
#include "verbs/print.h"
#include "verbs/verbs.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define TEXT_MAX         (1 * MIB)
#define CHILD_TIMEOUT_MS 10000
#define STEP_MS          2

static const char *const state_names[] = {
    [DOCTOR_OK] = "ok",
    [DOCTOR_DEGRADED] = "degraded",
    [DOCTOR_MISSING] = "missing",
};

void doctor_add(struct doctor *doctor, const char *id, enum doctor_state state, const char *fix,
                const char *detail, ...)
{
    struct buf text CLEANUP(buf_free);
    va_list args;

    buf_init(&text, 64 * KIB);
    va_start(args, detail);
    buf_vprintf(&text, detail, args);
    va_end(args);
    doctor->v = xrealloc(doctor->v, doctor->n + 1, sizeof(*doctor->v));
    doctor->v[doctor->n++] = (struct doctor_check){
        .id = id,
        .state = state,
        .detail = buf_take_cstr(&text),
        .fix = fix ? xstrdup(fix) : NULL,
    };
}

/* True if it has ended by itself. */
static bool wait_for_end(pid_t pid, int *status)
{
    for (int waited_ms = 0; waited_ms < CHILD_TIMEOUT_MS; waited_ms += STEP_MS) {
        pid_t ended = waitpid(pid, status, WNOHANG);

        if (ended == pid || (ended < 0 && errno != EINTR))
            return ended == pid;
        poll(NULL, 0, STEP_MS);
    }
    return false;
}

int doctor_in_child(int (*step)(void *arg), void *arg)
{
    pid_t parent = getpid();
    pid_t pid = fork();
    int status = 0;

    if (pid < 0)
        return errno;
    if (pid == 0)
        _exit(os_end_with(parent) ? step(arg) & 0xFF : 1);
    if (!wait_for_end(pid, &status)) {
        kill(pid, SIGKILL);
        while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
            ;
        return ETIMEDOUT;
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : EFAULT;
}

static char *as_text(const struct doctor *doctor)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, TEXT_MAX);
    for (size_t i = 0; i < doctor->n; i++) {
        const struct doctor_check *check = &doctor->v[i];

        print_line(&out, "%-9s %-18s %s", state_names[check->state], check->id, check->detail);
        if (check->fix)
            print_line(&out, "%29s%s", "-> ", check->fix);
    }
    return buf_take_cstr(&out);
}

static char *as_json(const struct doctor *doctor)
{
    json_t *checks = json_array();

    for (size_t i = 0; i < doctor->n; i++) {
        const struct doctor_check *check = &doctor->v[i];

        json_array_append_new(checks,
                              json_pack("{s:s, s:s, s:o, s:o}", "id", check->id, "state",
                                        state_names[check->state], "detail",
                                        json_text(check->detail), "fix", json_text(check->fix)));
    }
    return json_document(json_pack("{s:i, s:o}", "version", 1, "checks", checks));
}

static bool is_well(const struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->n; i++)
        if (doctor->v[i].state != DOCTOR_OK)
            return false;
    return true;
}

static void doctor_free(struct doctor *doctor)
{
    for (size_t i = 0; i < doctor->n; i++) {
        free(doctor->v[i].detail);
        free(doctor->v[i].fix);
    }
    free(doctor->v);
    if (doctor->has_host)
        host_free(&doctor->host);
}

int verb_doctor(const struct args *args, struct error *error)
{
    struct doctor doctor CLEANUP(doctor_free) = {.args = args};
    struct error why = {0};
    int r;

    if (host_read(&doctor.host, &why) == 0)
        doctor.has_host = true;
    else
        doctor_add(&doctor, "host", DOCTOR_MISSING, NULL, "%s", why.text);
    doctor_check_bwrap(&doctor);
    doctor_check_kernel(&doctor);
    doctor_check_tls(&doctor);
    doctor_check_files(&doctor);
    doctor_check_terminal(&doctor);
    doctor_check_parents(&doctor);
    doctor_check_jail(&doctor);
    r = print_text(args->json ? as_json(&doctor) : as_text(&doctor), error);
    return r < 0 ? r : !is_well(&doctor);
}
