"""Constants of masks, read off the values of one call: what hidden scores became, and which keys were hidden."""

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.oracle import pipeline
from grader.oracle.catalogue.causal_masks import is_causal_shifted
from grader.oracle.catalogue.formula import SOFTMAX_LEFT_OUT
from grader.oracle.catalogue.masks import NOT_BELOW_ALL
from grader.oracle.catalogue.reading import causal_masks
from grader.oracle.catalogue.rows import plain_softmax
from grader.oracle.fitted import GRID, SAME, fitted
from grader.oracle.mistake import Mistake, Step, followed_by, run_with
from grader.oracle.near import is_near
from grader.oracle.pipeline import Context, Steps
from grader.oracle.walk import Walk

MOST_KEYS = 24
"""The most keys for which it is tried how many were used, and which causal mask."""
MOST_ROWS = 0.5
"""The share of the queries that must see a key for a causal mask to be read off the output."""
FINITE = (-100.0, -1000.0, -5e4, -65504.0, -1e5)
"""Numbers that programs hide scores with, and that some scores of the checks are below; -10000 is in the catalogue."""
AFTER_SOFTMAX = (-1e9, -1e4, -1e20, torch.finfo(torch.float64).min)
"""Numbers that programs hide scores with, tried in the place of weights."""


def hidden_scores(oracle: Steps, call: AttentionCall, distance: Callable[[Mistake], float]) -> Iterator[Mistake]:
    """Mistakes in which hidden scores were set to a number, or a number was added to them.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        distance: how far a mistake's values in the call are from the submission's.
    """
    if is_one_hot(oracle, call):
        for number in FINITE:
            yield from _undercut(number)
        return
    numbers = [*(-number for number in reversed(GRID)), *GRID]
    number = fitted(lambda number: distance(_filled(number)), numbers)
    if number is not None and distance(_filled(2 * number)) < SAME:
        yield Mistake(
            "hidden_scores_largest",
            "hidden scores became larger than all others: hidden keys got all the weight",
            _filled(2 * number).steps,
            why="What hides a key makes its score the lowest of all: a sign that is lost turns the mask around.",
        )
    elif number is not None:
        before = number / float(
            oracle.scale(torch.ones((), dtype=torch.float64), Context(call.case, call.size, call.weights))
        )
        if abs(before - round(before)) < SAME * abs(before):
            yield _filled_before_the_scale(round(before))
        yield _filled(number)
    else:
        added = fitted(lambda number: distance(next(_added(number))), numbers)
        yield from () if added is None else _added(added)


def is_one_hot(oracle: Steps, call: AttentionCall) -> bool:
    """Whether nearly every query has to look at one key alone, as with large scores: values tell little there.

    Args:
        oracle: the pipeline that is right.
        call: of any case.
    """
    walk = oracle.walk(call.case, call.size)
    oracle.run(call.case, call.size, call.weights, walk)
    return bool((walk.values["softmax"].amax(dim=-1) > 0.99).double().mean() > 0.9)


def _filled(number: float) -> Mistake:
    return Mistake(
        "hidden_scores_filled",
        f"hidden scores became {number:.4g}, which still gets a share of the weight",
        {"mask": lambda scores, c: scores.masked_fill(pipeline.hidden(scores, c), number)},
        why="exp of a finite score is not 0: only a score of -inf, or one far below all others, leaves no weight.",
    )


def _added(number: float) -> Iterator[Mistake]:
    """A number added to hidden scores, once or once for each mask that hides them."""
    for lowered in (lambda scores, c: scores + number * pipeline.hidden(scores, c), _lowered_by(number)):
        yield Mistake(
            "hidden_scores_less_a_small_number",
            f"{number:.4g} was added to hidden scores, which still get a share of the weight",
            {"mask": lowered},
            why="exp of a finite score is not 0: only a score of -inf, or one far below all others, leaves no weight.",
        )


def _lowered_by(number: float) -> Step:
    return lambda scores, c: pipeline.lowered(scores, number, c)


def _filled_before_the_scale(number: int) -> Mistake:
    return Mistake(
        "hidden_scores_filled_before_the_scale",
        f"hidden scores were set to {number} and then divided by sqrt(head_dim): they still get a share of the weight",
        {
            "scale": lambda scores, c: scores,
            "mask": lambda scores, c: pipeline.scale(scores.masked_fill(pipeline.hidden(scores, c), number), c),
        },
        why="exp of a finite score is not 0, and the division brings a low score nearer to the others.",
    )


def _undercut(number: float) -> Iterator[Mistake]:
    """Hidden scores that are finite, where other scores are lower. The values do not show which number it was."""
    yield Mistake(
        "hidden_scores_finite",
        "hidden scores were set to a finite number: where the others are lower, a hidden key got the weight",
        {"mask": lambda scores, c: scores.masked_fill(pipeline.hidden(scores, c), number)},
        why=NOT_BELOW_ALL,
    )
    yield Mistake(
        "hidden_scores_less_a_number",
        "a finite number was added to hidden scores: where one is the largest even so, it gets the weight",
        {"mask": _lowered_by(number)},
        why=NOT_BELOW_ALL,
    )


def hidden_weights() -> Iterator[Mistake]:
    """Mistakes in which a number for hidden scores is put in the place of weights, or added to them."""
    for number in AFTER_SOFTMAX:
        for what, changed in (
            (
                f"the weights of hidden keys became {number:.4g}",
                lambda weights, c, number=number: weights.masked_fill(pipeline.hidden(weights, c), number),
            ),
            (
                f"{number:.4g} was added to the weights of hidden keys",
                lambda weights, c, number=number: pipeline.lowered(weights, number, c),
            ),
        ):

            def softmax(step: Step, changed: Step = changed) -> Step:
                return lambda scores, c: changed(step(scores, c), c)

            yield Mistake(
                "mask_after_softmax_by_a_number",
                f"the mask was applied after the softmax: {what}",
                {"mask": lambda scores, c: scores},
                {"softmax": softmax},
                why="A number so low makes exp of a score 0; after the softmax there is no exp, and it is a weight.",
            )


def scores_as_weights() -> Iterator[Mistake]:
    """The mistake of no softmax: the number that hides a score is then used as a weight, and -inf gives NaN outputs."""
    for number in (-torch.inf, *AFTER_SOFTMAX):

        def mask(scores: Tensor, c: Context, number: float = number) -> Tensor:
            """The scores, with -inf where an added float mask hides, whatever number the other masks hide with."""
            case, mask_format = c.case, c.case.mask_format
            by_mask = -torch.inf if mask_format is not None and mask_format.is_added else number
            if case.bias is not None:
                scores = scores + pipeline.over_heads(case.bias, scores, case)
            if case.allow is not None:
                scores = scores.masked_fill(~pipeline.over_heads(case.allow, scores, case), by_mask)
            if case.keep is not None:
                scores = scores.masked_fill(~pipeline.over_queries(case.keep, scores), number)
            return scores

        yield replace(SOFTMAX_LEFT_OUT, steps={"mask": mask, "softmax": lambda scores, c: scores})


def reaches(keys: int, weights: Tensor | None) -> Iterator[Mistake]:
    """Mistakes in which only the first keys were used, or only keys within a distance of the query on both sides.

    Args:
        keys: how many there are.
        weights: those that the submission returned; None: it returned none.
    """

    def hidden(name: str, sentence: str, which: Callable[[Tensor], Tensor]) -> Mistake:
        return Mistake(
            name,
            sentence,
            {"mask": lambda scores, c: pipeline.hide(pipeline.mask(scores, c), which(scores), c)},
            why="Attention reaches every key that no mask hides, however many there are and however far away.",
        )

    for most in range(1, keys):
        left_out = hidden(
            "keys_left_out",
            f"only the first {most} {'keys were' if most > 1 else 'key was'} used",
            lambda scores, most=most: torch.arange(scores.shape[-1]) >= most,
        )
        yield left_out
        if weights is None or weights.shape[-1:] == (most,):  # the others' may not be returned at all
            yield replace(left_out, around={"give": followed_by(lambda given, most=most: _first(given, most))})
        yield hidden(
            "far_keys_left_out",
            f"keys more than {most} {'places' if most > 1 else 'place'} away from the query were left out",
            lambda scores, most=most: _apart(scores).abs() > most,
        )


def _first(weights: Tensor | None, most: int) -> Tensor | None:
    """The weights of the first keys, which are those that were used."""
    return None if weights is None else weights[..., :most]


def _apart(scores: Tensor) -> Tensor:
    """By how many places a key stands after a query, (L, S)."""
    queries, keys = scores.shape[-2:]
    return torch.arange(keys) - torch.arange(queries)[:, None]


def triangles(oracle: Steps, call: AttentionCall, beside: Walk) -> Iterator[Mistake]:
    """Causal masks with another diagonal than the main one, which is in the catalogue.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        beside: the oracle's walk through it.
    """

    seen = call.answer.output

    def gives_what_is_seen(made: Mistake) -> bool:
        """Whether the queries that see a key get what the submission gave; what others get is a matter of style."""
        answer, walk = run_with(made, oracle, call, beside)
        sees = (walk.values["mask"] > -torch.inf).any(-1)
        sees = sees if sees.dim() < seen.dim() else sees.all(1)  # in all heads, where they were merged
        return bool(sees.double().mean() >= MOST_ROWS) and is_near(answer.output[sees], seen[sees], atol=SAME)

    queries, keys = call.case.query.shape[-2], call.case.keys.shape[-2]
    for diagonal in (each for each in range(1 - queries, keys - 1) if each):
        masks, flag_mistake = causal_masks(diagonal), is_causal_shifted(diagonal)
        always, in_place, *_ = masks
        if gives_what_is_seen(always) or (call.is_masked and gives_what_is_seen(in_place)):
            yield from masks
            yield from map(_with_nan_rows, masks if diagonal < 0 else ())
        if call.case.is_causal and gives_what_is_seen(flag_mistake):
            yield flag_mistake


def _with_nan_rows(made: Mistake) -> Mistake:
    """The same mistake, where the first queries see no key and get the NaN of a softmax over -inf alone."""
    sentence = f"{made.sentence}: the first queries saw nothing and got NaN"
    return replace(made, sentence=sentence, steps=made.steps | {"softmax": plain_softmax})
