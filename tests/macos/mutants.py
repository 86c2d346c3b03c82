# SPDX-License-Identifier: GPL-3.0-only
"""mutants: profiles with one fault, to see that a question notices each.

A fault is one of

    missing    a unit (one operation with one filter of a rule) is not there; for a refusal that
               is the same as standing in front of the permissions
    bare       a permission has lost its filter
    wide       a literal is a subpath, a subpath begins one directory higher, the beginning of a name ends
               at the dot before
    narrow     the beginning of a name is all of it
    without    one of the conditions of a filter (require-all) is not there

A unit that says nothing new cannot be missed: the literal beside the subpath of the same path, and
what another unit of the same kind says as well. It is passed over in that profile, and the literal
goes with its subpath.

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


def twins(profile):
    """{literal unit: subpath unit of the same rule, operation and path}, and the other way round"""
    by_path, found = {}, {}
    for unit in profile.units:
        if unit.form and unit.form[0] in ("literal", "subpath"):
            key = (unit.rule, unit.op, unit.form[1])
            other = by_path.setdefault(key, unit)
            if other is not unit and other.form[0] != unit.form[0]:
                found[unit], found[other] = other, unit
    return found


def is_implied(profile, unit, twin):
    """Another unit says the same: about the path and, for a subpath, about what is below it."""
    if not unit.form or unit.form[0] not in ("literal", "subpath"):
        return False
    if twin and unit.form[0] == "literal":
        return True
    below = [] if unit.form[0] == "literal" else ["/x", "/x/y"]
    objects = [sbpl.Object(path=unit.form[1] + rest) for rest in [""] + below]
    ops = set(sbpl.chain(unit.op))
    return any(other is not unit and other is not twin and other.is_allow == unit.is_allow and
               other.op in ops and all(other.match(obj) for obj in objects)
               for other in profile.units)


def is_missing_noticed(steps, unit, twin, stays=lambda obj: False):
    """The unit is not there, but for the objects where it stays."""
    decided = steps.by_unit.get(unit, []) + (steps.by_unit.get(twin, []) if twin else [])
    for question, is_act, op, obj, decider in decided:
        if stays(obj):
            continue
        now = steps.profile.allows(op, obj, without=(unit, twin))
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
    if name == "sysctl-name-prefix" and "." in word.rstrip("."):
        wide = word.rstrip(".").rpartition(".")[0] + "."
        found.append(("wide", lambda obj: (obj.name or "").startswith(wide)))
    if name == "require-all":
        found += without_conditions(unit)
    return found


def narrower(unit):
    if not unit.form or unit.form[0] != "sysctl-name-prefix":
        return []
    whole = ["sysctl-name", unit.form[1]]
    return [("narrow", sbpl.compile_filter(whole, (unit.op,)))]


def survivors(suite):
    """Faults that no question notices: "fault: unit". Every question must be answered rightly."""
    all_steps = [Steps(profile, suite.of(name)) for name, profile in suite.profiles.items()]
    alive, dead = set(), set()
    for steps in all_steps:
        pairs = twins(steps.profile)
        for unit in steps.profile.units:
            twin = pairs.get(unit)
            if is_implied(steps.profile, unit, twin):
                continue
            for name, match in [("missing", None)] + narrower(unit) + wider(unit):
                text = f"{name}: {unit}"
                if text in dead:
                    continue
                if (is_missing_noticed(steps, unit, twin) if name == "missing" else
                        is_missing_noticed(steps, unit, None, match) if name == "narrow" else
                        is_changed_noticed(steps, unit, match)):
                    dead.add(text)
                    alive.discard(text)
                else:
                    alive.add(text)
    return sorted(alive)
