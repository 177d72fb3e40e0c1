"""Finds a mistake that is made only in some calls, and what sets these calls apart from all others."""

from collections.abc import Iterable, Sequence
from typing import Any

from grader.checks.kata import Circumstance
from grader.judge.diagnosis.proof import Proofs
from grader.judge.diagnosis.when import that_sets_apart
from grader.judge.diagnosis.where import are_finite, is_finite
from grader.judge.engine import Run
from grader.oracle.mistake import Mistake

EVERY = 5
"""Every fifth right call is searched first for one that contradicts a mistake, and all of them if none does."""


def only_where(proofs: Proofs, single: Mistake, failure: Run) -> Mistake | None:
    """Return the mistake limited to some calls, if it is known what sets these apart; None: it is not.

    Args:
        proofs: what is proven about the submission.
        single: a mistake that gives the wrong values of the check.
        failure: a check that failed.
    """
    right = [seen for seen in proofs.calls(failure) if proofs.is_wrong(seen) is False]
    is_contradicted = proofs.is_contradicted((single,)) or bool(_contradicting(proofs, single, right))
    wrong = (seen for seen in proofs.calls(failure) if proofs.is_wrong(seen))
    is_of_nan = not proofs.explains((single,), failure) and not all(is_finite(proofs.answers, seen) for seen in wrong)
    if not is_contradicted and not is_of_nan:
        return None
    calls, made_in = [*proofs.passed, *right], _made_in(proofs, single)
    if is_contradicted:
        others = _contradicting(proofs, single, calls[::EVERY]) or _contradicting(proofs, single, calls)
    else:
        others = [seen for seen in calls if _makes_nan_of(proofs, seen, single)]
    while apart := _apart(proofs, single, made_in, others):
        refuting = next((seen for seen in filter(apart.holds, calls) if proofs.contradicts((single,), seen)), None)
        if refuting is None:
            break
        others.append(refuting)
    if apart is None:
        return None
    one = proofs.kata.key.only_where(single, apart, in_no_others=not _may_hide_elsewhere(proofs, single, apart))
    # In each passed call, `one` acts as the oracle, or as the mistake where the call does not contradict that.
    return one if proofs.explains((one,), failure) and not proofs.is_refuted_by_functions((one,)) else None


def _makes_nan_of(proofs: Proofs, seen: Any, single: Mistake) -> bool:
    """Whether the submission returned finite numbers in a call where this mistake, in one style at least, does not."""
    values = proofs.answers.values(proofs.program((single,)), seen)
    return is_finite(proofs.answers, seen) and not are_finite(values)


def _apart(proofs: Proofs, single: Mistake, made_in: Sequence[Any], others: Sequence[Any]) -> Circumstance | None:
    if not others or (not made_in and len(single.changed) > 1):
        return None  # a check of a helper alone shows only one step
    if len({proofs.kata.key.input_identity(seen) for seen in made_in}) == 1:
        return None  # one input may fit by chance: a mask kept from the call before may be that of another sequence
    return that_sets_apart(proofs.kata.key.circumstances(proofs.kata, made_in, others), made_in, others)


def _contradicting(proofs: Proofs, single: Mistake, calls: Iterable[Any]) -> list[Any]:
    return [seen for seen in calls if proofs.contradicts((single,), seen)]


def _made_in(proofs: Proofs, single: Mistake) -> list[Any]:
    """The wrong calls in which this mistake by itself returns what the submission did."""
    wrong = (seen for run in proofs.failures for seen in proofs.calls(run) if proofs.is_wrong(seen))
    return [seen for seen in wrong if proofs.answers.agree(proofs.program((single,)), seen)]


def _may_hide_elsewhere(proofs: Proofs, single: Mistake, apart: Circumstance) -> bool:
    """Whether another call in which the mistake would show is wrong as well: something else may hide it there."""
    others = (seen for run in proofs.failures for seen in proofs.calls(run) if not apart.holds(seen))
    program = proofs.program((single,))
    return any(proofs.is_wrong(seen) and not proofs.answers.is_untouched(program, seen) for seen in others)
