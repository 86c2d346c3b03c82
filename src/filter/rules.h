// SPDX-License-Identifier: GPL-3.0-only
/*
 * rules: what may pass. One row per control sequence and per escape sequence; what has no row is
 * dropped.
 */
#pragma once

#include "filter/state.h"

/* Most parameters of any sequence but SGR. */
#define PARAMS_KEPT_MAX 16

enum verdict {
    VERDICT_DROP,
    VERDICT_FORWARD, /* the encoder writes it, then its effect is applied */
    VERDICT_DONE,    /* the judge answered it or wrote something else itself */
};

typedef enum verdict rules_judge(struct filter *filter, struct csi *csi);
typedef void rules_effect(struct shadow *shadow, const struct csi *csi);

struct csi_rule {
    const char *name;
    char leader;
    char inter;
    char final;
    uint8_t max_params;
    uint16_t max_value;   /* of every parameter */
    bool is_clamped;      /* larger values are brought down to max_value, not refused */
    rules_judge *judge;   /* NULL: forward */
    rules_effect *effect; /* on the shadow terminal, after forwarding; may be NULL */
};

/* Builds the index; any number of calls. */
void rules_setup(void);

/* The row for a parsed sequence, or NULL. */
const struct csi_rule *rules_find(const struct csi *csi);
/* All rows, for the tests. */
const struct csi_rule *rules_all(size_t *count);

void rules_csi(struct filter *filter, struct csi *csi);
void rules_esc(struct filter *filter, uint8_t inter, uint8_t final);
/* One of 07-0F. */
void rules_c0(struct filter *filter, uint8_t byte);
