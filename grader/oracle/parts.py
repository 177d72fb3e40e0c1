"""Where an attention's values start to differ from the oracle's: what its calls show, and which steps may be wrong."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from typing import NamedTuple

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.checks.attention_kata import AttentionKata
from grader.checks.case import Answer
from grader.checks.kata import JudgedCall
from grader.listing import listed
from grader.oracle.sections import ROTATION
from grader.oracle.wrong_call import OTHER, SAME, WrongCall, is_sharp

WORDS = {
    "project": "the projections",
    "values": "how the values are made",
    "split": "the split into heads",
    "rotate": "the rotation",
    "score": "the scores",
    "scale": "the scale",
    "mask": "the mask",
    "softmax": "the softmax",
    "dropout": "the dropout",
    "weighted_sum": "the weighted sum",
    "merge": "the merge of the heads",
    "project_out": "the output projection",
    "biases": "the biases of the value and the output projection",
    "drop_output": "what is done to the output",
    "give": "what is returned as the weights",
}
"""The words for the steps, in running order; values are projected and split, biases are added there and at the end."""
IN_ORACLE = {
    "values": ("project", "split"),
    "biases": ("project", "project_out"),
    "rotate": ROTATION,
    "mask": ("mask", "later_keys"),
}
"""The oracle's names for the steps that have other names here."""
DROPPED = frozenset({"dropout", "weighted_sum", "merge", "drop_output"})
"""The oracle's steps on whose values a dropout may fall that is not the contract's."""
BEFORE_SOFTMAX = ("project", "split", "rotate", "score", "scale", "mask")
AFTER_SOFTMAX = ("dropout", "weighted_sum", "merge", "project_out", "drop_output")
TOGETHER = {
    ("values", *AFTER_SOFTMAX): "how the values are made and what comes after the softmax",
    (*BEFORE_SOFTMAX, "softmax"): "all that makes the weights",
    BEFORE_SOFTMAX: "what comes before the softmax",
    AFTER_SOFTMAX: "what comes after the softmax",
}
"""The words for sets of steps together, each set before the smaller ones in it."""
MOST_NAMES = 3
"""The most gradients that a sentence lists by name."""
FEWEST = 2
"""The fewest right calls with one head for several heads to count as the cause."""


class Location(NamedTuple):
    """What the calls prove, and the steps that may be wrong; a contract may leave some of them out."""

    evidence: str
    steps: tuple[str, ...] = ()

    def after(self, evidence: str) -> Location:
        """The same location, with the evidence that was proven before in front."""
        return Location(f"{evidence}: {self.evidence}" if self.evidence else evidence, self.steps)

    @property
    def steps_of_oracle(self) -> frozenset[str]:
        """The same steps, by their names in the oracle, with others where only dropout can be wrong."""
        if self.steps and {*self.steps} <= {"dropout", "drop_output"}:
            return DROPPED
        return frozenset(name for step in self.steps for name in IN_ORACLE.get(step, (step,)))

    def sentence(self, kata: AttentionKata) -> str:
        has = {
            **dict.fromkeys(("project", "split", "merge", "project_out"), kata.has_heads),
            "dropout": kata.dropout_places > 0,
            "rotate": hasattr(kata.key.oracle, "rotate"),
        }
        left, named = set(self.steps), []
        for steps, words in TOGETHER.items():
            if left >= set(steps):
                named.append(words)
                left -= set(steps)
        named += [words for step, words in WORDS.items() if step in left and has.get(step, True)]
        return f"{self.evidence}: look at {listed(named)}" if named else self.evidence


def place(kata: AttentionKata, failed: Sequence[Sequence[JudgedCall]], passed: Sequence[JudgedCall]) -> Location | None:
    """The first place from which values are wrong; None: no call shows one.

    Args:
        kata: whose calls.
        failed: the calls of each check that failed on values, the one whose failure is shown first.
        passed: the calls of the checks that passed.
    """
    calls = [each for run in (*failed, passed) for each in run]
    right = [each.call for each in calls if each.is_right]
    wrong = [WrongCall(kata, each.call, each.walk.values) for each in calls if each.is_right is False]
    # In a low dtype a right answer may be off by more than the tolerance: wrong values near it show no place.
    if not any(wrong_call.is_far or wrong_call.call.size.dtype == torch.float64 for wrong_call in wrong):
        return _beside_values(kata, failed, right, wrong)
    number = len(right) + len(wrong)
    outputs = [wrong_call for wrong_call in wrong if not wrong_call.output_is_right]
    if not outputs:
        evidence = f"the output is right in all {number} compared calls, the weights returned are wrong in {len(wrong)}"
        return Location(evidence, ("give",))
    beside = {id(wrong_call.call) for wrong_call in wrong if wrong_call.output_is_right}
    if 2 * len(beside) > len(wrong):  # with fewer, values may be such that any weights give the output
        of_others = place(kata, [_of_outputs(run, beside) for run in failed], _of_outputs(passed, beside))
        evidence = f"the weights returned are wrong in {_counted(beside)} in which the output is right; the output is"
        return None if of_others is None else Location(f"{evidence} {of_others.evidence}", of_others.steps)
    if kata.dropout_places and (evidence := _of_dropout(wrong, right)):
        return Location(evidence, _of_dropouts(kata))
    if all(wrong_call.call.size.dtype != torch.float64 for wrong_call in wrong):
        wide = [call for call in right if call.size.dtype == torch.float64]
        fine = f"right in all {_compared(wide)} in float64"
        # Shown below the failure of another check, this would be read as the reason for that failure.
        is_shown = any(each.is_right is False for each in failed[0])
        others = Location(f"{fine}, wrong in {_counted(wrong)} in other dtypes") if is_shown else None
        return _of_gradients(kata, right, fine) or others
    far = [wrong_call for wrong_call in outputs if wrong_call.is_far]
    if not far:
        return Location(
            f"right to three digits in all {number} compared calls, {len(outputs)} wrong in digits after them"
        )
    readable = [wrong_call for wrong_call in far if wrong_call.is_readable]
    returned = [wrong_call.returned_is_right for wrong_call in wrong if wrong_call.returned_is_right is not None]
    if any(wrong_call.returned_is_right for wrong_call in outputs) and all(returned):
        shown = len(returned) + sum(call.answer.weights is not None for call in right)
        if kata.weights_may_have_a_path:  # the weights' path says nothing of the output's
            location = place(kata, [*map(_of_outputs, failed)], _of_outputs(passed)) or Location("")
            return location.after(f"the weights returned are right in all {shown} compared calls, the output is not")
        location = _of_values(readable) or _of_one_head(wrong, right) or Location("", ("values", *AFTER_SOFTMAX))
        return location.after(
            f"the weights returned are right in all {shown} compared calls, the output made of them is not"
        )
    plain = [wrong_call for wrong_call in far if not wrong_call.call.is_masked]
    if not plain:
        return _of_masked_calls(far, wrong, right)
    location = _of_plain_calls(plain) or _of_inputs(wrong, right) or _of_one_head(wrong, right)
    number = sum(not wrong_call.call.is_masked for wrong_call in wrong)
    masks = " without a mask" if kata.formats else ""
    of = number + sum(not call.is_masked for call in right)
    return location or Location(f"wrong in {number} of {of} compared calls{masks}")


def _of_dropout(wrong: Sequence[WrongCall], right: Sequence[AttentionCall]) -> str | None:
    """The evidence that train mode, or a dropout other than 0, sets the wrong calls apart, and no mask does."""
    in_eval = [call for call in right if not call.case.manner.training]
    if all(wrong_call.call.case.manner.training for wrong_call in wrong):
        is_plain = any(not wrong_call.call.is_masked for wrong_call in wrong) and not all(c.is_masked for c in in_eval)
        if is_plain or {_masks_of(wrong_call.call) for wrong_call in wrong} <= {*map(_masks_of, in_eval)}:
            return f"right in all {_compared(in_eval)} in eval mode, wrong in train mode"
        return None
    without = [call for call in right if call.size.dropout == 0]
    if without and all(wrong_call.call.size.dropout > 0 for wrong_call in wrong):
        return f"right in all {_compared(without)} of layers with a dropout of 0, wrong with another"
    return None


def _of_dropouts(kata: AttentionKata) -> tuple[str, ...]:
    return ("dropout", "drop_output") if kata.dropout_places > 1 else ("dropout",)


def _masks_of(call: AttentionCall) -> tuple[object, ...]:
    """Which masks a call has, and whether N = L, so that a mask may be read along another axis."""
    case = call.case
    given = tuple(each is not None for each in (case.key, case.allow, case.bias, case.keep))
    return case.mask_format, case.mask_dtype, given, case.query.shape[0] == case.query.shape[-2]


def _of_outputs(calls: Sequence[JudgedCall], right: Collection[int] = ()) -> list[JudgedCall]:
    """The same calls as if they had returned no weights.

    Args:
        calls: in which the submission is right or wrong.
        right: the identities of the calls in which the output is right.
    """
    return [
        each._replace(
            call=each.call._replace(answer=Answer(each.call.answer.output, None)),
            is_right=True if id(each.call) in right else each.is_right,
        )
        for each in calls
    ]


def _of_plain_calls(wrong: Sequence[WrongCall]) -> Location | None:
    """The location that wrong calls without a mask show; None: none."""
    readable = [wrong_call for wrong_call in wrong if wrong_call.is_readable]
    if not readable and not any(wrong_call.call.answer.output.isfinite().all() for wrong_call in wrong):
        return Location(f"NaN or infinity in {_counted(wrong)} without a mask", ("scale", "mask", "softmax"))
    location = _of_weights(readable) or _of_values(readable)
    if location is not None or not any(wrong_call.mixes is False for wrong_call in readable):
        return location
    evidence = "no weighted sum of the right values gives this output"
    by_wrong_weights = [
        wrong_call.call.answer.weights for wrong_call in readable if wrong_call.returned_is_right is False
    ]
    if not by_wrong_weights:
        return Location(evidence, ("values", *AFTER_SOFTMAX))
    if all(weights is not None and _sums_to_one(weights) for weights in by_wrong_weights):
        return Location(f"{evidence}, and the weights are wrong too", ("project", "split"))
    return Location(f"{evidence}, and the weights do not sum to 1 over the keys", ("project", "split", "softmax"))


def _of_inputs(wrong: Sequence[WrongCall], right: Sequence[AttentionCall]) -> Location | None:
    """The location if cross-attention sets the wrong calls apart; None: it does not."""
    if (
        not right
        or any(wrong_call.call.case.key is None for wrong_call in wrong)
        or any(call.case.key is not None for call in right)
    ):
        return None
    return Location(
        f"right in all {_compared(right)} of self-attention, wrong in cross-attention", ("project", "split", "mask")
    )


def _of_masked_calls(far: Sequence[WrongCall], wrong: Sequence[WrongCall], right: Sequence[AttentionCall]) -> Location:
    """The location if no call without a mask is far off.

    Args:
        far: the calls that are far off.
        wrong: all wrong calls.
        right: the right calls.
    """
    near = [wrong_call for wrong_call in wrong if not wrong_call.is_far]
    if all(wrong_call.call.case.is_causal for wrong_call in far) and any(
        call.is_masked and not call.case.is_causal for call in right
    ):
        fine = _right_in(
            [call for call in right if not call.case.is_causal], [each for each in near if not each.call.case.is_causal]
        )
        causal = [wrong_call for wrong_call in wrong if wrong_call.call.case.is_causal]
        return Location(f"{fine} without is_causal, wrong in {_counted(causal)} with it", ("mask",))
    unmasked = [call for call in right if not call.is_masked]
    near = [wrong_call for wrong_call in near if not wrong_call.call.is_masked]
    masked = len(wrong) - len(near)
    if not unmasked and not near:
        return Location(f"wrong in {_counted(wrong)}")
    total = masked + len(right) - len(unmasked)
    evidence = f"{_right_in(unmasked, near)} without a mask, wrong in {masked} of {total} with one"
    return _of_masks([wrong_call for wrong_call in far if wrong_call.is_readable], evidence)


def _of_masks(wrong: Sequence[WrongCall], evidence: str) -> Location:
    """The location if calls with a mask are wrong, and those without one are not.

    Args:
        wrong: the wrong calls that can be read.
        evidence: the words for how many calls are wrong.
    """
    known = [(wrong_call, weights) for wrong_call in wrong if (weights := wrong_call.weights) is not None]
    if any(bool((weights.abs() > OTHER)[wrong_call.hidden].any()) for wrong_call, weights in known):
        return Location(f"{evidence}, where hidden keys have weight", ("mask",))
    if known and all(_has_right_shares(wrong_call, weights) for wrong_call, weights in known):
        return Location(
            f"{evidence}, where the weights of a query are the right ones times a factor, and do not sum to 1",
            ("mask", "softmax"),
        )
    if any(bool(_left_out(wrong_call, weights).any()) for wrong_call, weights in known):
        return Location(f"{evidence}, where keys that may be seen have no weight", ("mask",))
    return Location(evidence, ("mask",))


def _of_weights(wrong: Sequence[WrongCall]) -> Location | None:
    """The location if the outputs are the right values mixed by wrong weights; None: they are not."""
    known = [(wrong_call, weights) for wrong_call in wrong if (weights := wrong_call.weights) is not None]
    if not known or any(wrong_call.mixes is False for wrong_call in wrong):
        return None
    evidence = f"the right values are mixed by wrong weights in {_counted(known)}"
    # Where no weights are returned, they may have been changed on their way to the values.
    later = () if any(wrong_call.call.answer.weights is not None for wrong_call, _ in known) else ("weighted_sum",)
    words, steps = next(
        (words, steps)
        for holds, words, steps in WRONG_WEIGHTS
        if all(holds(wrong_call, weights) for wrong_call, weights in known)
    )
    return Location(f"{evidence}, {words}", (*steps, *later))


def _of_values(wrong: Sequence[WrongCall]) -> Location | None:
    """The location that the outputs show apart from the weights: biases, merge, projection, weighted sum, values."""
    if wrong and all(wrong_call.is_shifted for wrong_call in wrong):
        return Location("every token is off by the same numbers", ("biases",))
    undone = [(wrong_call, merged) for wrong_call in wrong if (merged := wrong_call.merged) is not None]
    if undone and all(_is_rearranged(merged, wrong_call.right["merge"]) for wrong_call, merged in undone):
        return Location("the output's numbers stand in other places before its projection", ("split", "merge"))
    mapped = [wrong_call for wrong_call in wrong if wrong_call.can_be_mapped]
    if any(wrong_call.call.size.num_heads > 1 for wrong_call in mapped) and all(
        wrong_call.map is not None for wrong_call in mapped
    ):
        full = [is_sharp(wrong_call.map) for wrong_call in mapped if wrong_call.map is not None]
        steps = ("project_out", "drop_output") if all(full) else ("merge", "project_out", "drop_output")
        return Location(
            "the output is a linear map of what the heads give, and not the right one",
            steps if any(full) else ("merge",),
        )
    if {wrong_call.mixes for wrong_call in wrong} - {None} == {True}:
        return Location("the right values are mixed by other weights", ("dropout", "weighted_sum"))
    others = {wrong_call.has_other_values for wrong_call in wrong} - {None}
    if others == {True}:
        return Location("the right weights mix other values", ("values", "weighted_sum"))
    return None


def _of_one_head(wrong: Sequence[WrongCall], right: Sequence[AttentionCall]) -> Location | None:
    """The location if several heads set the wrong calls apart from right ones with one head; None: they do not."""
    alone = sum(call.size.num_heads == 1 for call in right)
    if alone < FEWEST or alone < len(right) or any(wrong_call.call.size.num_heads == 1 for wrong_call in wrong):
        return None
    return Location(
        f"right in all {alone} compared calls with one head, wrong with several",
        ("split", "scale", "weighted_sum", "merge"),
    )


def _sums_to_one(weights: Tensor, axis: int = -1) -> bool:
    return bool(((weights.sum(axis) - 1).abs() < OTHER).all())


def _is_rearranged(one: Tensor, other: Tensor) -> bool:
    """Whether each sequence has the same numbers in both, but not all in the same places."""
    off = OTHER * float(other.abs().max())
    first, second = (each.flatten(1).sort().values for each in (one, other))
    return bool((first - second).abs().max() < off) and bool((one - other).abs().max() > off)


def _shares(wrong_call: WrongCall, weights: Tensor) -> Tensor:
    """The weights divided by the right ones, for the keys whose right weight is not 0."""
    counts = wrong_call.right_weights > OTHER
    return weights[counts] / wrong_call.right_weights[counts]


def _is_dropped(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether some weights are 0 (by chance none), and the others are the right ones times one factor above 1."""
    shares = _shares(wrong_call, weights)
    left = shares[shares.abs() > OTHER]
    return _is_one(left) and float(left.max()) > 1 + OTHER


def _is_cut(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether some whole rows are 0, and all other rows are right."""
    off, zero = (weights - wrong_call.right_weights).abs().amax(-1), weights.abs().amax(-1) < OTHER
    return bool(zero.any()) and bool(((off < OTHER) | zero).all())


def _has_a_factor(wrong_call: WrongCall, weights: Tensor) -> bool:
    return _is_one(_shares(wrong_call, weights))


def _is_one(numbers: Tensor) -> bool:
    """Whether all the numbers are equal."""
    return bool(len(numbers.flatten())) and float(numbers.max() - numbers.min()) < OTHER * float(numbers.abs().max())


def _over(axis: int) -> Callable[[WrongCall, Tensor], bool]:
    return lambda wrong_call, weights: not _sums_to_one(weights) and _sums_to_one(weights, axis)


def _has_right_shares(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether the weights are the right ones but for a factor on each row."""
    return bool((weights - wrong_call.right_weights * weights.sum(-1, keepdim=True)).abs().max() < OTHER)


def _is_single(wrong_call: WrongCall, weights: Tensor) -> bool:
    return weights.shape[-1] > 1 and bool((weights.amax(-1) > 1 - OTHER).all())


def _left_out(wrong_call: WrongCall, weights: Tensor) -> Tensor:
    """bool, (N, H, L, S): where a key that has to have weight has none."""
    return (weights.abs() < SAME) & (wrong_call.right_weights > OTHER)


def _leaves_keys_out(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether some keys have no weight, and the others the weights that they would have without these."""
    shares = torch.softmax(wrong_call.right["scale"].masked_fill(weights.abs() < SAME, -torch.inf), dim=-1)
    return bool(_left_out(wrong_call, weights).any()) and bool((shares - weights).abs().max() < OTHER)


def _is_even(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether in each row the keys that have a weight have the same."""
    has_any = weights > SAME
    return bool((torch.where(has_any, weights, weights.amax(-1, keepdim=True)).diff(dim=-1).abs() < SAME).all())


def _is_scaled(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether these are a softmax of the right scores times a factor, which is read off weights above rounding."""
    scores, counts = wrong_call.right["scale"], weights > OTHER
    best = weights.argmax(-1, keepdim=True)
    given = torch.where(counts, weights, 1.0).log() - weights.gather(-1, best).clamp(min=SAME).log()
    right = scores - scores.gather(-1, best)
    if not bool((right[counts] != 0).any()):
        return _is_ordered(wrong_call, weights)
    factor = (given * right)[counts].sum() / right[counts].square().sum()
    return bool((torch.softmax(factor * scores, dim=-1) - weights).abs().max() < OTHER)


def _is_ordered(wrong_call: WrongCall, weights: Tensor) -> bool:
    """Whether in each row no key with a larger score has a smaller weight."""
    ordered = weights.gather(-1, wrong_call.right["scale"].argsort(-1))
    return bool((ordered.diff(dim=-1) > -SAME).all())


WRONG_WEIGHTS: tuple[tuple[Callable[[WrongCall, Tensor], bool], str, tuple[str, ...]], ...] = (
    (_has_a_factor, "each of them the right one times a factor", ("softmax", *AFTER_SOFTMAX)),
    (_is_dropped, "each of them 0 or the right one times a factor, as dropout leaves them", ("dropout",)),
    (_is_cut, "in some rows 0, in the others right", ("mask", "softmax", *AFTER_SOFTMAX)),
    (_over(-2), "which sum to 1 over the queries, not over the keys", ("softmax",)),
    (_over(-3), "which sum to 1 over the heads, not over the keys", ("softmax",)),
    (_over(0), "which sum to 1 over the sequences, not over the keys", ("softmax",)),
    (
        lambda wrong_call, weights: not _sums_to_one(weights),
        "which do not sum to 1 over the keys",
        ("softmax", "dropout", "weighted_sum"),
    ),
    (_is_single, "which lie on one key alone", (*BEFORE_SOFTMAX, "softmax")),
    (_leaves_keys_out, "in which some keys have no weight, and the others the right proportions", ("mask",)),
    (_is_even, "the same for all keys of a row that have any, whatever their scores", (*BEFORE_SOFTMAX, "softmax")),
    (_is_scaled, "a softmax of the right scores times a factor", ("scale",)),
    (_is_ordered, "which in each row are in the right order", ("scale", "softmax")),
    (lambda wrong_call, weights: True, "which sum to 1 over the keys", (*BEFORE_SOFTMAX, "softmax")),
)
"""What all wrong weights may have in common: a test of one call's weights, words and steps, the more special first."""


def _beside_values(
    kata: AttentionKata,
    failed: Sequence[Sequence[JudgedCall]],
    right: Sequence[AttentionCall],
    near: Sequence[WrongCall],
) -> Location | None:
    """The location if outputs and weights are right wherever that can be judged; None: no call shows one.

    Args:
        kata: whose calls.
        failed: the calls of each check that failed on values.
        right: the calls that are right.
        near: calls in a low dtype whose output is right to three digits.
    """
    judged_right = [each for run in failed for each in run if each.is_right]
    digits = _of_digits([WrongCall(kata, each.call, each.walk.values) for each in judged_right])
    has_weights = any(call.answer.weights is not None for call in right)
    what = "output and weights are" if has_weights and not near else "the output is"
    to = " to three digits" if near else " to six digits" if digits else ""
    fine = f"{what} right{to} in all {_compared([*right, *near])}"
    of_gradients = _of_gradients(kata, right, fine)
    if of_gradients is not None:
        return of_gradients
    unjudged = [[each.call for each in run if each.is_right is None] for run in failed]
    seeing = "in which each query may see a key"
    for holds, words, steps in (
        (lambda call: kata.weights_may_have_a_path and _is_nan_in_weights_alone(call), seeing, ("softmax", "give")),
        (lambda call: not call.is_seeing, seeing, ("mask", "softmax")),
        (lambda call: call.is_dropping, "without dropout", _of_dropouts(kata)),
    ):
        if right and all(any(map(holds, run)) for run in unjudged):
            return Location(f"{fine}, {words}", steps)
    if not right or not all(failed):
        return None
    return digits or Location(fine)


def _is_nan_in_weights_alone(call: AttentionCall) -> bool:
    output, weights = call.answer
    nan_weights = weights is not None and not bool(weights.isfinite().all())
    return not call.is_seeing and nan_weights and bool(output.isfinite().all())


def _of_digits(near: Sequence[WrongCall]) -> Location | None:
    """The location if values are right but for their last digits; None: no digits are lost."""
    worn = [each for each in near if each.is_readable and not each.is_precise]
    if not worn:
        return None
    evidence = f"right to six digits in all compared calls, digits after them are lost in {_counted(worn)}"
    weights = {wrong_call.returned_is_precise for wrong_call in worn} - {None}
    if weights == {True}:
        return Location(f"{evidence}, the weights returned have theirs", ("values", *AFTER_SOFTMAX))
    if weights:
        return Location(f"{evidence}, of the weights returned too", (*BEFORE_SOFTMAX, "softmax"))
    return Location(evidence)


def _of_gradients(kata: AttentionKata, right: Sequence[AttentionCall], fine: str) -> Location | None:
    """The location if gradients are wrong and the values are right; None: no gradient is wrong.

    Args:
        kata: whose calls.
        right: calls with right values.
        fine: what is right in them.
    """
    known = [call for call in right if call.gradients and kata.key.is_exact(call)]
    gradients = [pair for call in known for pair in _gradients(kata, call)]
    names = {name for name, _ in gradients}
    wrong = sorted({name for name, is_right in gradients if not is_right})
    if not wrong:
        return None
    if len(wrong) > MOST_NAMES:
        return Location(f"{fine}, {len(wrong)} of {len(names)} gradients are wrong")
    one = len(wrong) == 1
    return Location(f"{fine}, the gradient{'' if one else 's'} of {listed(wrong)} {'is' if one else 'are'} wrong")


def _gradients(kata: AttentionKata, call: AttentionCall) -> list[tuple[str, bool]]:
    """Each gradient by name, and whether it is right, without those whose right value is 0."""
    given = call.gradients or {}
    names = sorted(given)
    right = dict(zip(names, kata.key.answer(kata, kata.key.oracle, call)[-len(names) :], strict=True))
    allowed = OTHER * max(float(each.abs().max()) for each in right.values())
    return [
        (kata.names.get(name, name), bool((given[name] - each).abs().max() <= allowed))
        for name, each in right.items()
        if float(each.abs().max()) > allowed
    ]


def _right_in(right: Sequence[AttentionCall], near: Sequence[WrongCall]) -> str:
    if not near:
        return f"right in all {_compared(right)}"
    return f"the output is right to three digits in all {_compared([*right, *near])}"


def _counted(calls: Collection[object], which: str = "") -> str:
    return f"{len(calls)} {which}call{'' if len(calls) == 1 else 's'}"


def _compared(calls: Sequence[object]) -> str:
    """The number of compared calls, in words; calls in which right programs differ were made too, but not compared."""
    return _counted(calls, "compared ")
