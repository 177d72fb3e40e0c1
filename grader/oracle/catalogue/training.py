"""Mistakes that only training shows: dropout, and gradients that do not pass."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import TypeAlias

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, Step, followed_by
from grader.oracle.pipeline import Context
from grader.oracle.sections import BY_STEP, GRADIENTS

_Drawn: TypeAlias = Callable[[Tensor], Tensor]


def _dropped_always(weights: Tensor, c: Context) -> Tensor:
    return torch.nn.functional.dropout(weights, c.size.dropout)


def _not_rescaled(weights: Tensor, c: Context) -> Tensor:
    dropped = pipeline.dropout(weights, c)
    return dropped * (1 - c.size.dropout) if c.case.manner.training else dropped


def _kept_where(drawn: Callable[[Tensor], Tensor]) -> Step:
    """Dropout by a handmade mask of random numbers from 0 to 1; the weights that are left are not scaled."""

    def dropout(weights: Tensor, c: Context) -> Tensor:
        if not c.case.manner.training or c.size.dropout == 0:
            return weights
        return weights * (drawn(weights) >= c.size.dropout)

    return dropout


def _whole_heads_dropped(weights: Tensor, c: Context) -> Tensor:
    return torch.nn.functional.dropout2d(weights, c.size.dropout) if c.case.manner.training else weights


def _renormalised(weights: Tensor) -> Tensor:
    return weights / weights.sum(-1, keepdim=True).clamp_min(1e-9)


def _heads_answers_dropped(weights: Tensor, value: Tensor, c: Context) -> Tensor:
    return pipeline.dropout(weights @ value, c)


def _merged_heads_dropped(mixed: Tensor, c: Context) -> Tensor:
    return pipeline.dropout(pipeline.merge(mixed, c), c)


_NOISE = "Dropout is noise for training: in use, the same input must give the same answer."
_SMALLER = "A share p of the weight is gone: activations in training are smaller than in use."
DROPOUT = (
    Mistake(
        "no_dropout",
        "dropout was not applied to the attention weights",
        {"dropout": pipeline.drop_nothing},
        why="Without it a head comes to rely on single keys, which the probability given should prevent.",
    ),
    Mistake(
        "dropout_in_eval",
        "dropout was applied in eval mode too",
        {"dropout": _dropped_always},
        why=_NOISE,
    ),
    Mistake(
        "dropout_not_rescaled",
        "what dropout left was not scaled by 1 / (1 - p)",
        {"dropout": _not_rescaled},
        why=_SMALLER,
    ),
    Mistake(
        "dropout_by_own_mask_not_rescaled",
        "what a mask of random numbers left of the weights was not scaled by 1 / (1 - p)",
        {"dropout": _kept_where(torch.rand_like)},
        why=_SMALLER,
    ),
    Mistake(
        "dropout_by_own_mask_of_default_dtype",
        "what a mask of random numbers of the default dtype left of the weights was not scaled by 1 / (1 - p)",
        {"dropout": _kept_where(lambda weights: torch.rand(weights.shape))},
        why=_SMALLER,
    ),
    Mistake(
        "dropout_of_whole_heads",
        "whole heads were dropped, as nn.Dropout2d does, not single weights",
        {"dropout": _whole_heads_dropped},
        why="A head without weights says nothing at all: dropout hides single keys, in each row others.",
    ),
)

DROPOUT_ON_OUTPUT_TWICE = Mistake(
    "dropout_on_output_twice",
    "dropout was applied to the output twice",
    {"drop_output": lambda output, c: pipeline.dropout(pipeline.dropout(output, c), c)},
    why="Twice p leaves (1 - p)^2 of the output, less than was asked for.",
)
"""A mistake for contracts with dropout on the output too."""

UNSCALED = ("dropout_not_rescaled", "dropout_by_own_mask_not_rescaled", "dropout_by_own_mask_of_default_dtype")
DROPOUT_ON_OUTPUT = Mistake(
    "dropout_on_output",
    "dropout was applied to the output, not to the attention weights",
    {"dropout": pipeline.drop_nothing, "drop_output": pipeline.dropout},
    why="It hides features of the answer, where the contract hides whole keys from a head.",
)
DROPOUT_ON_OUTPUT_TOO = Mistake(
    "dropout_on_output_too",
    "dropout was applied to the output too, not to the attention weights alone",
    {"drop_output": pipeline.dropout},
    why="The contract drops whole keys from a head: what is lost of the output as well is lost twice.",
)
"""Like `DROPOUT_ON_OUTPUT`, a mistake for contracts with dropout on the weights only."""

NO_OUTPUT_DROPOUT = Mistake(
    "no_output_dropout",
    "dropout was not applied to the output",
    {"drop_output": pipeline.drop_nothing},
    why="The contract drops in two places: the next layer, too, should not rely on single features.",
)
DROPOUT_BEFORE_OUTPUT_PROJECTION = Mistake(
    "dropout_before_output_projection",
    "dropout was applied to the merged heads, before the output projection, not to the output",
    {"merge": _merged_heads_dropped, "drop_output": pipeline.drop_nothing},
    why="The projection mixes what dropout left: in the end no feature of the layer's output is hidden.",
)
"""Like `NO_OUTPUT_DROPOUT`, a mistake for contracts with dropout on the output too."""

DETACHED = (
    Mistake(
        "output_detached",
        "no gradient passed: the output was detached from its inputs",
        around={"drop_output": followed_by(lambda output: output.detach())},
        why="Neither the layer's weights nor anything before it can learn: the loss has no path back to them.",
        own_section=GRADIENTS,
    ),
    Mistake(
        "weights_detached",
        "the attention weights were detached from the graph: queries and keys got no gradient",
        around={"softmax": followed_by(lambda weights: weights.detach())},
        why="Where to look is learned: without this path the projections of queries and keys stay as they were drawn.",
        own_section=GRADIENTS,
    ),
    Mistake(
        "values_detached",
        "the values were detached from the graph: they got no gradient",
        {"weighted_sum": lambda weights, value, c: weights @ value.detach()},
        why="What to hand over is learned: without this path the values' projection stays as it was drawn.",
    ),
)

_ON_VALUES = "dropout was applied to the values, not to the attention weights"
_ON_VALUES_WHY = "A feature of a value is then gone for every query, where the contract hides keys from single queries."
_ONE_MORE_DROPOUT = "The contract drops whole keys from a head: what is lost of its answer as well is lost twice."
MORE_DROPOUT = (
    Mistake(
        "dropout_on_masked_scores",
        "dropout was applied to the masked scores, not to the attention weights: what it set to 0 was hidden no longer",
        {
            "later_keys": lambda scores, c: pipeline.dropout(pipeline.later_keys(scores, c), c),
            "dropout": pipeline.drop_nothing,
        },
        why="A score of 0 gets weight, also where the mask had hidden it; and 0 times -infinity is NaN.",
    ),
    Mistake(
        "dropout_on_scores",
        "dropout was applied to the scores, before the softmax, not to the attention weights",
        {
            "scale": lambda scores, c: pipeline.dropout(pipeline.scale(scores, c), c),
            "dropout": pipeline.drop_nothing,
        },
        why="A score of 0 still gets weight: nothing is dropped, the weights are only disturbed.",
    ),
    Mistake(
        "dropout_twice",
        "dropout was applied to the attention weights twice",
        {"weighted_sum": lambda weights, value, c: pipeline.dropout(weights, c) @ value},
        why="Twice p leaves (1 - p)^2 of the weights, fewer than was asked for.",
        own_section=BY_STEP["dropout"],
    ),
    Mistake(
        "renormalised_after_dropout",
        "what dropout left of the weights was divided by its sum",
        around={"dropout": followed_by(_renormalised)},
        why="Dropout scales by 1 / (1 - p) already: in the mean the weights sum to 1, and each query's sum is noise.",
    ),
    Mistake(
        "dropout_on_values",
        _ON_VALUES,
        {
            "dropout": pipeline.drop_nothing,
            "weighted_sum": lambda weights, value, c: weights @ pipeline.dropout(value, c),
        },
        why=_ON_VALUES_WHY,
    ),
    Mistake(
        "dropout_on_heads_answers",
        "dropout was applied to the heads' answers, not to the attention weights",
        {
            "dropout": pipeline.drop_nothing,
            "weighted_sum": _heads_answers_dropped,
        },
        why="It hides single features of an answer, where the contract hides whole keys from a head.",
    ),
    Mistake(
        "dropout_on_heads_answers_too",
        "dropout was applied to the heads' answers too, before they were merged",
        {"weighted_sum": _heads_answers_dropped},
        why=_ONE_MORE_DROPOUT,
    ),
    Mistake(
        "dropout_on_merged_heads_too",
        "dropout was applied to the merged heads too, before the output projection",
        {"merge": _merged_heads_dropped},
        why=_ONE_MORE_DROPOUT,
    ),
)


OUTPUT_DROPOUT_IN_EVAL = (
    Mistake(
        "output_dropout_in_eval",
        "dropout was applied to the output in eval mode too",
        {"drop_output": _dropped_always},
        why=_NOISE,
    ),
    Mistake(
        "both_dropouts_in_eval",
        "dropout was applied to the weights and to the output in eval mode too",
        {"dropout": _dropped_always, "drop_output": _dropped_always},
        why=_NOISE,
    ),
)
"""Mistakes for contracts with dropout on the output too."""


def _same_twice(weights: Tensor, c: Context) -> Tensor:
    dropped = pipeline.dropout(torch.ones_like(weights), c)
    return weights * dropped * dropped


def _keeping(x: Tensor, c: Context) -> Tensor:
    """Dropout with p as the probability of keeping, not of dropping; p = 0 then drops everything."""
    return torch.nn.functional.dropout(x, 1 - c.size.dropout) if c.case.manner.training else x


SAME_DROPOUT_TWICE = Mistake(
    "same_dropout_twice",
    "the same dropout was applied to the attention weights twice: what it left was scaled by 1 / (1 - p) twice",
    {"dropout": _same_twice},
    why="One scale makes up for the share p that is gone: with two, activations in training are larger than in use.",
)
_KEPT = "dropout kept each number with probability p, and dropped it with 1 - p"
_KEPT_WHY = "The contract's p is the share that is dropped: with a small p nearly all would be gone."
DROPOUT_KEEPS_P = Mistake("dropout_keeps_p", _KEPT, {"dropout": _keeping}, why=_KEPT_WHY)
DROPOUT_KEEPS_P_IN_BOTH = Mistake(
    "dropout_keeps_p", _KEPT, {"dropout": _keeping, "drop_output": _keeping}, why=_KEPT_WHY
)
DROPOUT_KEEPS_P_IN_ONE = (
    Mistake(
        "dropout_keeps_p_of_weights",
        _KEPT.replace("number", "weight"),
        {"dropout": _keeping},
        why=_KEPT_WHY,
    ),
    Mistake(
        "dropout_keeps_p_of_output",
        _KEPT.replace("each number", "each feature of the output"),
        {"drop_output": _keeping},
        why=_KEPT_WHY,
    ),
)
"""Like `DROPOUT_KEEPS_P_IN_BOTH`, mistakes for contracts with dropout on the output too."""


def _off_on_demand(prefix: str, step: str, what: str, ending: str = "") -> tuple[Mistake, Mistake]:
    """Two mistakes: dropout is left out where the weights are wanted, or where they are not.

    Args:
        prefix: the prefix of the mistakes' names.
        step: the name of the step that drops.
        what: what it drops, in the sentences.
        ending: the ending of the first sentence.
    """

    def off(when_wanted: bool) -> dict[str, Step]:
        return {step: lambda x, c: x if bool(c.case.need_weights) is when_wanted else pipeline.dropout(x, c)}

    return (
        Mistake(
            f"{prefix}dropout_off_when_asked",
            f"with the weights asked for, dropout was not applied to {what}{ending}",
            off(True),
            why="The weights are returned to be looked at: training is the same whether anybody looks.",
        ),
        Mistake(
            f"{prefix}dropout_off_unless_asked",
            f"with the weights declined, dropout was not applied to {what}",
            off(False),
            why="Training declines the weights, and there dropout has to be.",
        ),
    )


DROPOUT_OFF_ON_DEMAND = _off_on_demand("", "dropout", "them", ": asking changed the output")
OUTPUT_DROPOUT_OFF_ON_DEMAND = _off_on_demand("output_", "drop_output", "the output")
"""Like `DROPOUT_OFF_ON_DEMAND`, mistakes for contracts that return the weights on demand."""

NO_DROPOUT_AT_ALL = Mistake(
    "no_dropout_at_all",
    "dropout was applied nowhere, neither to the weights nor to the output",
    {"dropout": pipeline.drop_nothing, "drop_output": pipeline.drop_nothing},
    why="Without dropout the layer leans on single keys and features, which p was set to prevent.",
)
"""A mistake for contracts with dropout on the output too."""


def _wrong_backward(scores: Tensor, c: Context) -> Tensor:
    """The softmax's values, with the gradient weights * g where weights * (g - sum(weights * g)) is right."""
    weights = pipeline.softmax(scores, c).detach()
    shown = scores.masked_fill(scores == -torch.inf, 0.0)
    return weights * (1 + shown - shown.detach())


MORE_DETACHED = (
    Mistake(
        "queries_detached",
        "the queries were detached from the graph: they got no gradient",
        {"score": lambda query, key, c: query.detach() @ key.transpose(-2, -1)},
        why="Without a gradient through the queries nothing learns what to ask.",
    ),
    Mistake(
        "keys_detached",
        "the keys were detached from the graph: they got no gradient",
        {"score": lambda query, key, c: query @ key.detach().transpose(-2, -1)},
        why="Without a gradient through the keys nothing learns what to offer.",
    ),
    Mistake(
        "softmax_backward_without_sum",
        "the softmax's gradient was taken as weights * g: the sum over the keys was left out",
        {"softmax": _wrong_backward},
        why="The weights share one unit, so a score that rises takes weight from all others; the sum says how much.",
    ),
)


def _inputs_detached(name: str, sentence: str, cut_off: Callable[[Case], Case]) -> Mistake:
    """A mistake that detaches inputs from the graph; the weights of the projections still learn."""

    def around(project: Step) -> Step:
        return lambda c: project(replace(c, case=cut_off(c.case)))

    return Mistake(
        name,
        sentence,
        around={"project": around},
        why="The layer's own weights still learn, and what made its input gets no gradient from there.",
        own_section=GRADIENTS,
    )


INPUTS_DETACHED = (
    _inputs_detached(
        "inputs_detached",
        "the inputs were detached from the graph before their projections: they got no gradient",
        lambda case: case.but(query=case.query.detach(), key=case.keys.detach(), value=case.values.detach()),
    ),
    _inputs_detached(
        "queries_input_detached",
        "the input of the queries was detached from the graph before its projection: it got no gradient from there",
        lambda case: case.but(query=case.query.detach(), key=case.keys, value=case.values),
    ),
    _inputs_detached(
        "keys_input_detached",
        "the input of the keys was detached from the graph before its projection: it got no gradient from there",
        lambda case: case.but(key=case.keys.detach(), value=case.values),
    ),
    _inputs_detached(
        "values_input_detached",
        "the input of the values was detached from the graph before its projection: it got no gradient from there",
        lambda case: case.but(key=case.keys, value=case.values.detach()),
    ),
)
"""Mistakes for contracts whose projections have weights that learn."""

OTHER_INPUT_DETACHED = _inputs_detached(
    "other_input_detached",
    "in cross-attention the other input was detached from the graph before its projections: it got no gradient",
    lambda case: case if case.key is None else case.but(key=case.key.detach()),
)
"""A mistake for contracts in which keys and values come from one input, and queries from another."""
MERGED_HEADS_DETACHED = Mistake(
    "merged_heads_detached",
    "all that comes before the output projection was detached from the graph, and got no gradient",
    around={"merge": followed_by(lambda merged: merged.detach())},
    why="The output projection alone learns: the loss has no path to the heads and to what they are made of.",
    own_section=GRADIENTS,
)
"""A mistake for contracts whose output projection has weights that learn."""


def _twice(weights: Tensor, c: Context) -> Tensor:
    return pipeline.dropout(pipeline.dropout(weights, c), c)


def drawn_otherwise(mistakes: Iterable[Mistake], places: int) -> Iterator[Mistake]:
    """The mistakes with dropout, in code that draws otherwise.

    A second dropout comes before the weights are returned, dropout is drawn for one head after the other, or what it
    leaves is not scaled in the output either.

    Args:
        mistakes: those of a catalogue.
        places: the number of places that dropout falls on.
    """
    yield from (replace(mistake, steps={"dropout": _twice}) for mistake in mistakes if mistake.name == "dropout_twice")
    yield from _BY_HAND
    yield from _drawn_by_head(mistakes)
    for mistake in mistakes if places > 1 else ():
        if mistake.name in UNSCALED:
            sentence = mistake.sentence.replace("of the weights", "of the weights, and of the output,")
            steps = dict.fromkeys(("dropout", "drop_output"), mistake.steps["dropout"])
            yield replace(mistake, sentence=sentence, steps=steps)


def _by_hand(kept: Callable[[Tensor, float], Tensor], left: Callable[[float], float], drawn: _Drawn) -> Step:
    """Dropout by a handmade mask.

    Args:
        kept: where random numbers and p keep a weight.
        left: the number that what is left is divided by, of p.
        drawn: draws random numbers from 0 to 1 in the weights' shape.
    """

    def dropout(weights: Tensor, c: Context) -> Tensor:
        p = c.size.dropout
        return weights * kept(drawn(weights), p) / left(p) if c.case.manner.training and p else weights

    return dropout


def _alike_along(axis: int) -> Step:
    """Dropout drawn once for all places of an axis."""

    def dropout(weights: Tensor, c: Context) -> Tensor:
        return weights * pipeline.dropout(torch.ones_like(weights.narrow(axis, 0, 1)), c)

    return dropout


_DRAWN: tuple[_Drawn, ...] = (torch.rand_like, lambda weights: torch.rand(weights.shape))
_BY_HAND = (
    *(
        Mistake("dropout_keeps_p", sentence, {"dropout": _by_hand(torch.lt, left, drawn)}, why=_KEPT_WHY)
        for sentence, left in (
            (f"{_KEPT}; what was left was scaled by 1 / (1 - p)", lambda p: 1 - p),
            (f"{_KEPT}; what was left was scaled by 1 / p", lambda p: p),
            (f"{_KEPT}; what was left was not scaled", lambda p: 1.0),
        )
        for drawn in _DRAWN
    ),
    *(
        Mistake(
            "dropout_scaled_by_p",
            "what dropout left of the weights was scaled by 1 / p, not by 1 / (1 - p)",
            {"dropout": _by_hand(torch.gt, lambda p: p, drawn)},
            why="The share 1 - p is left: divided by it, the weights have the same sum in the mean as before.",
        )
        for drawn in _DRAWN
    ),
    Mistake(
        "dropout_on_values",
        _ON_VALUES,
        {
            "dropout": pipeline.drop_nothing,
            # Random numbers are drawn in the order of the memory, which a transpose leaves as it was.
            "weighted_sum": lambda weights, value, c: weights @ pipeline.dropout(value.contiguous(), c),
        },
        why=_ON_VALUES_WHY,
    ),
    *(
        Mistake(
            f"dropout_alike_in_{what}",
            f"the same weights were dropped in all {what}",
            {"dropout": _alike_along(axis)},
            why="Dropout is drawn for each weight: what is alike everywhere hides a key from all at once.",
        )
        for axis, what in enumerate(("sequences", "heads", "queries"))
    ),
)


def _drawn_by_head(mistakes: Iterable[Mistake]) -> Iterator[Mistake]:
    """The mistakes with dropout on weights or scores, drawn for one head after the other, as in a loop over heads."""
    steps = {"dropout": pipeline.dropout, "scale": pipeline.scale, "later_keys": pipeline.later_keys}
    for mistake in mistakes:
        if "dropout" in mistake.name and not mistake.around:
            taken = {name: mistake.steps.get(name, step) for name, step in steps.items()}
            yield replace(mistake, steps={**mistake.steps, **{name: _by_head(step) for name, step in taken.items()}})


def _by_head(step: Step) -> Step:
    return lambda x, c: torch.cat([step(head, c) for head in x.split(1, 1)], 1)
