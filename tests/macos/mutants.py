# SPDX-License-Identifier: GPL-3.0-only
"""mutants: profiles with one fault, to see that a question notices each.

A fault is one of

    missing    a unit (one operation with one filter of a rule) is not there; for a refusal that
               is the same as standing in front of the permissions
    bare       a permission has lost its filter
    wide       a literal is a subpath, a subpath begins one directory higher
    not anchored
               a regular expression has lost one of its ends
    without    one of the conditions of a filter (require-all) is not there

A fault is the same in each profile that has the unit; it is noticed if in one of them one question
is answered wrongly. Only the steps that the unit decides, or would decide, are looked at again: all
others cannot change.
"""
import sbpl


class Steps:
    """The steps of one profile's questions, with the unit that decides each."""

    def __init__(self, profile, questions):
        self.profile = profile
        self.rank = {id(unit): i for i, unit in enumerate(profile.units)}
        self.by_unit = {}   # unit -> [(question, is_act, op, object)]
        self.by_op = {}     # leaf -> [(question, is_act, op, object, unit)]
        for question in questions:
            for is_act, steps in ((False, question.way), (True, question.acts)):
                for op, obj in steps:
                    unit = profile.decider(op, obj)
                    step = (question, is_act, op, obj, unit)
                    self.by_unit.setdefault(unit, []).append(step)
                    self.by_op.setdefault(op, []).append(step)


def is_noticed(step, now):
    """Would it be noticed if this step had the answer now? All questions are answered rightly, so
    a yes has only permitted steps. One step of a no that is permitted changes the answer only if no
    other act is refused."""
    question, is_act, op, obj, unit, profile = step
    if question.want == "yes":
        return not now
    if not now or not is_act:
        return False
    return all(profile.allows(other, target) for other, target in question.acts
               if (other, target) != (op, obj))


def is_missing_noticed(steps, unit):
    for question, is_act, op, obj, decider in steps.by_unit.get(unit, ()):
        now = steps.profile.allows(op, obj, without=(unit,))
        if now != unit.is_allow and is_noticed(
                (question, is_act, op, obj, decider, steps.profile), now):
            return True
    return False


def is_changed_noticed(steps, unit, match):
    """The unit matches more than before."""
    mine = steps.rank[id(unit)]
    for op in sbpl.LEAVES:
        if unit.op not in sbpl.chain(op):
            continue
        for question, is_act, _, obj, decider in steps.by_op.get(op, ()):
            if decider is not None and steps.rank[id(decider)] >= mine:
                continue
            before = steps.profile.default_allows if decider is None else decider.is_allow
            if before != unit.is_allow and match(obj) and is_noticed(
                    (question, is_act, op, obj, decider, steps.profile), unit.is_allow):
                return True
    return False


def without_conditions(unit):
    for at, condition in enumerate(unit.form[1:], 1):
        rest = unit.form[:at] + unit.form[at + 1:]
        if len(rest) > 1:
            yield f"without {sbpl.show(condition)}", sbpl.compile_filter(rest, (unit.op,))


def wider(unit):
    """[(name of the fault, filter)]"""
    found = []
    if unit.form is None:
        return found
    name, word = unit.form[0], unit.form[1]
    if unit.is_allow:
        found.append(("bare", lambda obj: True))
    if name == "literal":
        found.append(("wide", sbpl.path_filter("subpath", word)))
    if name == "subpath" and word.count("/") > 1:
        found.append(("wide", sbpl.path_filter("subpath", sbpl.Str(word.rpartition("/")[0]))))
    if name == "regex" and word.startswith("^"):
        found.append(("not anchored in front", sbpl.path_filter(name, sbpl.Str(word[1:]))))
    if name == "regex" and word.endswith("$"):
        found.append(("not anchored behind", sbpl.path_filter(name, sbpl.Str(word[:-1]))))
    if name == "require-all":
        found += without_conditions(unit)
    return found


def survivors(suite):
    """Faults that no question notices: "fault: unit". Every question must be answered rightly."""
    all_steps = [Steps(profile, suite.of(name)) for name, profile in suite.profiles.items()]
    alive, dead = {}, set()
    for steps in all_steps:
        for unit in steps.profile.units:
            faults = [("missing", None)] + wider(unit)
            for name, match in faults:
                text = f"{name}: {unit}"
                if text in dead:
                    continue
                if (is_missing_noticed(steps, unit) if match is None else
                        is_changed_noticed(steps, unit, match)):
                    dead.add(text)
                    alive.pop(text, None)
                else:
                    alive[text] = unit
    return sorted(alive)
