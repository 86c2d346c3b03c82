// SPDX-License-Identifier: GPL-3.0-only
/*
 * seatbelt: a policy as a profile for macOS' sandbox-exec(1).
 *
 * A pure function: it runs, and is tested, on any system. The policy must have been built for that back end
 * (host.macos.is_on).
 */
#pragma once

#include "policy/policy.h"

/* What only the run itself knows. */
struct seatbelt_facts {
    const char *tty; /* the slave of the run's pseudo-terminal; NULL: the command gets none */
};

/* What stands for things that only a run has, in a dry run. */
#define SEATBELT_ROOT_PLACEHOLDER "/private/var/folders/ROOT/T"
#define SEATBELT_TMP_PLACEHOLDER  SEATBELT_ROOT_PLACEHOLDER "/ai-jail-RUN"
#define SEATBELT_TTY_PLACEHOLDER  "/dev/ttysRUN"
#define SEATBELT_PORT_PLACEHOLDER 15919

#define SEATBELT_PROGRAM "/usr/bin/sandbox-exec"

/* The profile, malloc'ed. NULL and *error if a path cannot stand in one: a control character, no UTF-8. */
char *seatbelt_profile(const struct policy *policy, const struct seatbelt_facts *facts,
                       struct error *error);

/* --dry-run: text or JSON for stdout, malloc'ed; NULL as above. */
char *seatbelt_text(const struct policy *policy, const struct seatbelt_facts *facts,
                    struct error *error);
char *seatbelt_json(const struct policy *policy, const struct seatbelt_facts *facts,
                    struct error *error);
