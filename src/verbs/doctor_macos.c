// SPDX-License-Identifier: GPL-3.0-only
/*
 * doctor_macos: what a run on macOS needs of the system.
 */
#include "verbs/doctor.h"

#include "host_sandbox_exec.h"

void doctor_check_bwrap(struct doctor *doctor)
{
    struct notes notes = {0};
    struct error error = {0};

    if (!doctor->has_host)
        return;
    doctor->has_bwrap = host_find_backend(&doctor->host, false, &notes, &error) == 0;
    notes_free(&notes);
    if (doctor->has_bwrap)
        doctor_add(doctor, "sandbox-exec", DOCTOR_OK, NULL, "%s", macos_sandbox_exec());
    else
        doctor_add(doctor, "sandbox-exec", DOCTOR_MISSING, NULL, "%s", error.text);
}

/* The walls of Linux; a Mac has one wall, which is sandbox-exec's. */
void doctor_check_kernel(struct doctor *doctor)
{
    (void)doctor;
}

/* Nothing of ours runs inside that could try it. */
void doctor_check_jail(struct doctor *doctor)
{
    doctor_add(doctor, "jail", DOCTOR_DEGRADED,
               "run a command of which you know what it must not do",
               "the walls are not tried on macOS");
}
