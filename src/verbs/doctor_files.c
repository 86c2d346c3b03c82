// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_files: the project directory, the configuration, our own files, the terminal.
 */
#include "verbs/doctor.h"

#include "base/path.h"
#include "config/gather.h"
#include "policy/project.h"
#include "pty/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void check_project(struct doctor *doctor)
{
    bool allow_broad = config_flag(&doctor->args->cli, SET_ALLOW_BROAD_PROJECT);
    struct error why = {0};

    if (project_check(&doctor->host, allow_broad, &why) == 0)
        doctor_add(doctor, "project", DOCTOR_OK, NULL, "%s can be one", doctor->host.cwd);
    else
        doctor_add(doctor, "project", DOCTOR_DEGRADED, NULL, "%s", why.text);
}

static void check_configuration(struct doctor *doctor)
{
    const struct host *host = &doctor->host;
    struct gather_place place = {
        .cwd = host->cwd,
        .home = host->home,
        .uid = host->uid,
    };
    struct gathered gathered;
    struct notes notes = {0};
    struct error why = {0};
    unsigned refused = 0;
    int r = gather(&gathered, doctor->args, &place, &notes, &why);

    for (size_t i = 0; i < notes.n; i++)
        refused += notes.v[i].class == NOTE_SECURITY || notes.v[i].class == NOTE_WARNING;
    if (r < 0)
        doctor_add(doctor, "configuration", DOCTOR_MISSING, NULL, "%s", why.text);
    else if (refused)
        doctor_add(doctor, "configuration", DOCTOR_DEGRADED, "ai-jail status shows all of it",
                   "%u remark%s, the first: %s", refused, refused == 1 ? "" : "s", notes.v[0].text);
    else
        doctor_add(doctor, "configuration", DOCTOR_OK, NULL, "the files can be read%s",
                   gathered.global.state == FILE_READ || gathered.project.state == FILE_READ
                       ? ""
                       : " (there are none)");
    notes_free(&notes);
    gather_free(&gathered);
}

static void check_own_dirs(struct doctor *doctor)
{
    _cleanup_strv_ struct strv own = {0};
    bool is_well = true;

    project_own_dirs(&doctor->host, &own);
    for (size_t i = 0; i < own.n; i++) {
        struct stat st;

        if (lstat(own.v[i], &st) < 0)
            continue;
        if (S_ISDIR(st.st_mode) && st.st_uid == doctor->host.uid && (st.st_mode & 077) == 0)
            continue;
        is_well = false;
        doctor_add(doctor, "own-files", DOCTOR_DEGRADED,
                   "it should be a directory of yours that nobody else can enter: chmod 0700",
                   "%s: mode %04o, owner %u", own.v[i], (unsigned)st.st_mode & 07777,
                   (unsigned)st.st_uid);
    }
    if (is_well)
        doctor_add(doctor, "own-files", DOCTOR_OK, NULL, "ai-jail's own directories are private");
}

void doctor_check_files(struct doctor *doctor)
{
    if (!doctor->has_host)
        return;
    check_project(doctor);
    check_configuration(doctor);
    check_own_dirs(doctor);
}

static int make_pty(void *arg)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    const char *name;

    (void)arg;
    if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
        return errno;
    name = ptsname(master);
    return name && open(name, O_RDWR | O_NOCTTY | O_CLOEXEC) >= 0 ? 0 : errno;
}

void doctor_check_terminal(struct doctor *doctor)
{
    struct terminal terminal = {.fd = -1};
    int r = doctor_in_child(make_pty, NULL);

    if (r == 0)
        doctor_add(doctor, "pty", DOCTOR_OK, NULL, "pseudo-terminals can be made");
    else
        doctor_add(doctor, "pty", DOCTOR_MISSING, "is /dev/pts mounted?",
                   "no pseudo-terminal can be made: %s", strerror(r));
    if (!isatty(0) && !isatty(1) && !isatty(2)) {
        doctor_add(doctor, "terminal", DOCTOR_OK, NULL, "none here, so none is needed");
    } else if (terminal_open(&terminal, NULL) < 0) {
        doctor_add(doctor, "terminal", DOCTOR_MISSING, NULL, "the terminal cannot be opened");
    } else {
        struct winsize size;

        terminal_size(&terminal, &size);
        doctor_add(doctor, "terminal", DOCTOR_OK, NULL, "%u columns, %u rows%s", size.ws_col,
                   size.ws_row, terminal.is_shared ? ", shared descriptor" : "");
    }
    terminal_close(&terminal);
}
