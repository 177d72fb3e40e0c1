"""Constants that a submission used, read off the values of one call; a replay proves them before they are named.

Those of masks and those behind the softmax stand in files of their own.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import torch

from grader.checks.attention import AttentionCall
from grader.oracle.catalogue.formula import normalised_relu, scale_after_softmax
from grader.oracle.constants_of_masks import (
    MOST_KEYS,
    hidden_scores,
    hidden_weights,
    reaches,
    scores_as_weights,
    triangles,
)
from grader.oracle.constants_of_output import SMALL, numbers_of_heads, of_merged_heads, of_the_output
from grader.oracle.fitted import GRID, SAME, fitted, less_bias, nearest_factor, powers_of_sizes
from grader.oracle.mistake import Mistake, Step, run_with
from grader.oracle.near import is_near
from grader.oracle.pipeline import Context, Steps
from grader.oracle.walk import Walk

USUAL_DROPOUTS = (0.1, 0.2, 0.3, 0.5)
CLAMPS = (1.0, 5.0, 10.0, 20.0, 30.0, 100.0)


def constants(oracle: Steps, call: AttentionCall, rarer: Sequence[Mistake] = ()) -> Iterator[Mistake]:
    """Mistakes with a constant that is read off the values of a call; each may explain the call or not.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        rarer: mistakes without a constant, too rare to be tried before.
    """
    output, weights = call.answer
    seen = output if weights is None else weights
    beside = oracle.walk(call.case, call.size)
    right = oracle.run(call.case, call.size, call.weights, beside).output

    def distance(made: Mistake) -> float:
        try:
            answer, _ = run_with(made, oracle, call, beside)
        except Exception:  # a replaced step may break on shapes that it was not made for
            return math.inf
        got = answer.output if weights is None else answer.weights
        if got is None or got.shape != seen.shape:
            return math.inf
        return float((got - seen).abs().nan_to_num(1e9).sum())

    if right.shape == output.shape:
        yield from of_the_output(output, right, call)
        yield from of_merged_heads(oracle, call, beside.values["merge"])
    factor = fitted(lambda factor: distance(_scaled(lambda c: factor, "")), GRID)
    if factor is not None:
        yield from _scales(factor, oracle, call)
    yield from _weights_times(oracle, call, beside)
    usual = (*map(normalised_relu, (*SMALL, 1e-12)), *rarer)
    yield from (made for made in usual if distance(made) < SAME * seen.numel())
    yield from _dropouts(call)
    yield from _clamps()
    if call.case.shown is not None:
        yield from hidden_scores(oracle, call, distance)
        yield from hidden_weights()
        yield from scores_as_weights()
    if call.case.keys.shape[-2] <= MOST_KEYS:
        yield from reaches(call.case.keys.shape[-2], weights)
        if right.shape == output.shape:
            yield from triangles(oracle, call, beside)
    if call.size.num_heads > 1:
        yield from numbers_of_heads(call)


def _scales(factor: float, oracle: Steps, call: AttentionCall) -> Iterator[Mistake]:
    """Mistakes that may explain a factor on the scores: a number, the right factor times one, a power of head_dim."""

    def right(c: Context) -> float:
        return float(oracle.scale(torch.ones((), dtype=torch.float64), c))

    own = right(Context(call.case, call.size, call.weights, oracle.style))
    how = f"divided by {1 / factor:.4g}" if factor < 1 else f"multiplied by {factor:.4g}"
    yield _scaled(lambda c: factor, f"the scores were {how}; sqrt(head_dim) is {1 / own:.4g} there")
    if own == 1 or factor <= 0:
        return
    ratio, power = factor / own, 0.5 * math.log(factor, own)
    for half, words in ((2.0, "head_dim / 2"), (0.5, "2 head_dim")):
        if abs(factor / (half * own**2) - 1) < SAME:
            said = (
                f"the scores were divided by {words}, not by the root: ** 1 / 2 takes the power 1 first, then the half"
            )
            yield _scaled(lambda c, half=half: half * right(c) ** 2, said)
    base = " (the softmax takes powers of 2 then, not of e)" if abs(ratio - math.log(2)) < SAME else ""
    said = f"the scores were multiplied by {ratio:.4g} beside the division by sqrt(head_dim){base}"
    yield _scaled(lambda c: ratio * right(c), said)
    if abs(4 * power - round(4 * power)) < SAME:
        said = f"the scores were divided by head_dim to the power of {power:.4g}, not of 0.5"
        yield _scaled(lambda c: right(c) ** (2 * power), said)


def _scaled(factor: Callable[[Context], float], sentence: str) -> Mistake:
    return Mistake(
        "scale_by_a_constant",
        sentence,
        {"scale": lambda scores, c: scores * factor(c)},
        why="A dot product over D features spreads by sqrt(D): with another divisor weights are too sharp or too flat.",
    )


def _weights_times(oracle: Steps, call: AttentionCall, beside: Walk) -> Iterator[Mistake]:
    """A factor on the weights, in place of the scores' scale or beside it: a size, the root of one, or a number.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        beside: the oracle's walk through it.
    """
    c = Context(call.case, call.size, call.weights, oracle.style)
    for place in (0, 1):
        answer, _ = run_with(scale_after_softmax("", lambda scores, c: 1.0)[place], oracle, call, beside)
        if answer.output.shape != call.answer.output.shape:
            return  # nothing is read off another shape
        got, right = call.answer.weights, answer.weights
        if got is None or right is None:
            got, right = less_bias(call.answer.output, call), less_bias(answer.output, call)
        factor = nearest_factor(got, right) if got.shape == right.shape else math.nan
        if not (math.isfinite(factor) and is_near(got, right * factor, atol=SAME)):
            continue
        for words, power in powers_of_sizes(factor, c):
            yield scale_after_softmax(words, lambda scores, c, power=power: power(c))[place]
        if place == 0 or call.answer.weights is not None:  # else it shows as a factor on the merged heads
            yield scale_after_softmax(f"multiplied by {factor:.4g}", lambda scores, c, factor=factor: factor)[place]


def _clamps() -> Iterator[Mistake]:
    """The scaled scores clamped to one of the usual bounds; the bound 50 is in the catalogue."""
    for bound in CLAMPS:

        def scale(step: Step, bound: float = bound) -> Step:
            return lambda scores, c: step(scores, c).clamp(-bound, bound)

        yield Mistake(
            "scores_clamped_to_a_constant",
            f"the scores were clamped to +-{bound:g}",
            around={"scale": scale},
            why="Beyond the bound all scores become equal: of two strong keys the stronger one no longer wins.",
        )


def _dropouts(call: AttentionCall) -> Iterator[Mistake]:
    """A dropout that nobody asked for, in each call or in train mode, drawn after the seed of the call.

    The weights returned are those before or after it. An object made without its optional arguments is left out: it may
    have a dropout by default.
    """
    if call.by_default:
        return
    for p in USUAL_DROPOUTS:
        for where, always in (("in every call", True), ("in train mode", False)):

            def dropped(step: Step, p: float = p, always: bool = always) -> Step:
                return lambda weights, c: torch.nn.functional.dropout(
                    step(weights, c), p, training=always or c.case.manner.training
                )

            made = Mistake(
                "dropout_by_a_constant",
                f"a dropout of {p:g} acted on the weights {where}, whatever was asked for",
                {"dropout": dropped(lambda weights, c: weights)},
                why="Two calls with the same inputs then differ: an answer in use must hang on its inputs alone.",
            )
            yield made
            yield replace(made, steps={}, around={"softmax": dropped})
