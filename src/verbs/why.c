// SPDX-License-Identifier: GPL-3.0-only
/*
 * why: --why PATH or HOST, as lines or as JSON.
 */
#include "policy/why.h"

#include "backend/json_text.h"
#include "verbs/print.h"
#include "verbs/verbs.h"

#include <errno.h>

#define TEXT_MAX (1 * MIB)

static char *as_json(const struct why_answer *answer, const char *query)
{
    return json_document(json_pack("{s:i, s:o, s:s, s:s, s:o, s:o, s:o}", "version", 1, "query",
                                   json_text(query), "kind", answer->kind, "verdict",
                                   answer->verdict, "rule", json_text(answer->rule), "origin",
                                   json_text(answer->origin), "advice", json_text(answer->advice)));
}

static char *as_text(const struct why_answer *answer, const char *query)
{
    struct buf out CLEANUP(buf_free);

    buf_init(&out, TEXT_MAX);
    print_line(&out, "%s: %s", query, answer->verdict);
    print_line(&out, "  rule:   %s%s%s%s", answer->rule, answer->origin ? " (" : "",
               answer->origin ? answer->origin : "", answer->origin ? ")" : "");
    if (answer->advice)
        print_line(&out, "  advice: %s", answer->advice);
    return buf_take_cstr(&out);
}

int verb_why(const struct verb_call *call, struct error *error)
{
    const char *query = call->args->operand;
    _cleanup_why_ struct why_answer answer = {0};
    int r;

    if (!call->policy) {
        *error = *call->refused;
        return -error->code;
    }
    why_ask(&answer, call->policy, query);
    r = print_text(call->args->json ? as_json(&answer, query) : as_text(&answer, query), error);
    return r < 0 ? r : !answer.is_accessible;
}
