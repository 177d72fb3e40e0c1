"""The modules that a candidate's test is given: their heads are interchangeable, or are not."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from grader.checks.case import Projections, Size
from grader.checks.draw import Draw
from grader.checks.subject import Implementation
from grader.claims.hidden.testing import GivenImplementation, in_drawn_order
from grader.katas.write_head_permutation_test.hidden.checker import TEST, check
from grader.oracle import pipeline
from grader.oracle.catalogue import heads_apart as apart
from grader.oracle.catalogue.additions import ADDITIONS
from grader.oracle.catalogue.formula import OTHER_SOFTMAX, SCALE, SOFTMAX
from grader.oracle.catalogue.heads import HEADS
from grader.oracle.catalogue.layout import BIASES, LAYOUT, PROJECTIONS
from grader.oracle.catalogue.masks import MASKS
from grader.oracle.catalogue.reading import ALWAYS_CAUSAL
from grader.oracle.implemented import module
from grader.oracle.mistake import Mistake, apply
from grader.oracle.pipeline import PER_HEAD, Context

CATALOGUE = {
    mistake.name: mistake
    for mistake in (
        *SCALE, *SOFTMAX, *PROJECTIONS, *BIASES, *LAYOUT, *HEADS, *ADDITIONS, *MASKS, *OTHER_SOFTMAX, ALWAYS_CAUSAL
    )
}  # fmt: skip
FAINT = 0.012
"""How far a faint flaw changes the output, as a share of its largest value: with other inputs than the judge's, 1 %."""

Chance: TypeAlias = Callable[[int], int]
"""Draws a random whole number from 0 on, below its argument."""


def _uniform(scores: Tensor, c: Context) -> Tensor:
    return torch.full_like(scores, 1 / scores.shape[-1])


def _flat(merged: Tensor, c: Context) -> Tensor:
    output = pipeline.project_out(merged, c)
    return output.mean(-1, keepdim=True).expand_as(output)


UNIFORM = Mistake("uniform", "every key has the same weight", {"softmax": _uniform})
FLAT = Mistake("flat", "all features of an output are their mean", {"project_out": _flat})
IN_FLOAT64 = Mistake(
    "in_float64",
    "everything is computed in float64, and rounded at the end",
    {
        "project": lambda c: tuple(x.double() for x in pipeline.project(c)),
        "project_out": lambda x, c: pipeline.project_out(x, replace(c, weights=c.weights.to(x.dtype))).to(c.case.query),
        "give": lambda weights, c: pipeline.give_per_head(weights.to(c.case.query), c),
    },
)


class ModuleRecipe(NamedTuple):
    """One way in which a module may be right or wrong; the sentences of its mistakes describe it."""

    name: str
    is_right: bool
    heads: tuple[int, ...]
    """The numbers of heads to choose from."""
    mistakes: Callable[[int, Chance], Sequence[Mistake]] = lambda heads, chance: ()
    strength_of: Callable[[int, Chance], Callable[[float], Mistake]] | None = None
    """For a faint flaw: what makes the mistake from a strength; `mistakes` are not used then."""
    is_plain: bool = False


def _known(*names: str) -> Callable[[int, Chance], Sequence[Mistake]]:
    return lambda heads, chance: tuple(CATALOGUE[name] for name in names)


def _of(make: Callable[..., Mistake], strength: float) -> Callable[[int, Chance], Sequence[Mistake]]:
    return lambda heads, chance: (make(strength),)


def _middle(heads: int, chance: Chance) -> int:
    """The number of a random head after the first two and before the last."""
    return 2 + chance(heads - 3)


def _made(name: str, *mistakes: Mistake) -> ModuleRecipe:
    return ModuleRecipe(name, True, tuple(range(3, 9)), lambda heads, chance: mistakes)


def _right(name: str, heads: Iterable[int], *known: str, is_plain: bool = False) -> ModuleRecipe:
    return ModuleRecipe(name, True, tuple(heads), _known(*known), is_plain=is_plain)


def _wrong(name: str, heads: Iterable[int], mistakes: Callable[[int, Chance], Sequence[Mistake]]) -> ModuleRecipe:
    return ModuleRecipe(name, False, tuple(heads), mistakes)


def _gross(name: str, heads: Iterable[int], mistakes: Callable[[int, Chance], Sequence[Mistake]]) -> ModuleRecipe:
    return ModuleRecipe(name, False, tuple(heads), mistakes, is_plain=True)


def _faint(
    name: str, heads: Iterable[int], strength_of: Callable[[int, Chance], Callable[[float], Mistake]]
) -> ModuleRecipe:
    return ModuleRecipe(name, False, tuple(heads), strength_of=strength_of)


MANY = range(5, 9)
MODULES = (
    _right("contract", MANY, is_plain=True),
    _right("contract_again", (3, 4), is_plain=True),
    _right("contract_of_two", (2,)),
    _right("contract_of_one", (1,)),
    _right("causal", range(4, 9), "always_causal", is_plain=True),
    _right("other_scale", range(4, 9), "scale_by_head_dim", is_plain=True),
    _right("unmasked", range(3, 9), "mask_ignored", is_plain=True),
    _right("residual", range(3, 9), "residual", is_plain=True),
    _right("sigmoid", range(3, 9), "softmax_by_sigmoid"),
    _right("normed", range(3, 9), "layer_norm_on_queries_and_keys"),
    _right("without_biases", range(3, 9), "no_input_bias"),
    _made("uniform", UNIFORM),
    _made("in_float64", IN_FLOAT64),
    _right("one_answer", range(3, 9), "heads_averaged"),
    _right("one_choice", range(3, 9), "heads_share_average"),
    _made("uniform_answer", UNIFORM, CATALOGUE["heads_averaged"]),
    _made("flat_answer", UNIFORM, CATALOGUE["heads_averaged"], FLAT),
    _gross("by_number", MANY, _of(apart.answers_by_number, 1.0)),
    _gross("by_number_again", MANY, _of(apart.answers_by_number, -0.4)),
    _gross("by_number_backwards", MANY, _of(apart.answers_by_number, -2.0)),
    _gross("unprojected", MANY, _known("no_output_projection")),
    _gross("interleaved_merge", MANY, _known("merge_interleaved")),
    _wrong("two_by_number", (2,), _of(apart.answers_by_number, 1.0)),
    _gross("interleaved_split", MANY, _known("split_interleaved")),
    _wrong("merge_by_view", range(3, 9), _known("merge_by_view")),
    _wrong("split_by_view", range(3, 9), _known("split_by_view")),
    _wrong("first_head_alone", range(3, 9), _known("first_head_alone")),
    _wrong("first_heads_choice", range(3, 9), _known("heads_share_first")),
    _wrong("temperatures", range(3, 9), _of(apart.temperature_by_number, 1.0)),
    _wrong("slopes", range(3, 9), _of(apart.slopes_by_number, 2.0)),
    _wrong("causal_by_turns", range(3, 9), _of(apart.odd_heads_causal, 1.0)),
    _wrong("dropped", MANY, lambda heads, chance: (apart.one_head_weaker(_middle(heads, chance), 1.0),)),
    _wrong("sharper", MANY, lambda heads, chance: (apart.one_head_sharper(_middle(heads, chance), 2.0),)),
    _wrong("exchanged", range(3, 9), lambda heads, chance: (apart.values_exchanged(0, 1, 1.0),)),
    _wrong("exchanged_ends", range(4, 9), lambda heads, chance: (apart.values_exchanged(0, heads - 1, 1.0),)),
    _wrong("pairs", (4, 6, 8), _of(apart.pairs_share_values, 1.0)),
    _wrong("circle", range(3, 9), _of(apart.next_heads_answer, 1.0)),
    _wrong("opposite", range(4, 9), _of(apart.opposite_heads_weights, 1.0)),
    _wrong("both_sides", MANY, _of(apart.both_neighbours_answers, 0.7)),
    _wrong("unfolded", range(3, 9), _known("heads_unfolded_in_another_order")),
    _wrong("other_sequences", range(3, 9), _of(apart.other_sequences_shifted, 1.0)),
    _wrong("value_bias", range(3, 9), _of(apart.value_bias_of_next_head, 1.0)),
    _wrong("query_bias", range(3, 9), _of(apart.query_bias_of_first_head, 2.0)),
    _faint("faint_temperatures", range(3, 9), lambda heads, chance: apart.temperature_by_number),
    _faint("faint_slopes", range(3, 9), lambda heads, chance: apart.slopes_by_number),
    _faint("faint_head", MANY, lambda heads, chance: partial(apart.one_head_weaker, _middle(heads, chance))),
    _faint("faint_circle", MANY, lambda heads, chance: apart.both_neighbours_answers),
)


def examined(draw: Draw) -> tuple[GivenImplementation, ...]:
    """All modules of a run, in an order that its seed decides.

    Args:
        draw: the same for all checks.
    """
    return in_drawn_order([_examined(recipe, draw) for recipe in MODULES], draw)


def _examined(recipe: ModuleRecipe, draw: Draw) -> GivenImplementation:
    def chance(below: int) -> int:
        return draw.integer() % below

    heads = recipe.heads[chance(len(recipe.heads))]
    size = Size(heads * (2 + chance(3)), heads, dtype=torch.float32)
    weights = draw.projections(size)
    mistakes = recipe.mistakes(heads, chance)
    if recipe.strength_of is not None:
        mistakes = (_faintly(recipe.strength_of(heads, chance), size, weights),)
    given = module(apply(mistakes, PER_HEAD), size, weights, training=bool(chance(2)))
    sentences = [mistake.sentence for mistake in mistakes]
    if recipe.is_right:  # what follows a colon says why it is wrong elsewhere
        sentences = [sentence.partition(":")[0] for sentence in sentences]
    what = " and ".join(sentences) or "nothing is changed"
    text = f"an attention of {heads} head{'s'[: heads - 1]} in which {what}"
    return GivenImplementation(recipe.name, text, recipe.is_right, given, recipe.is_plain, draw.integer())


def _faintly(flaw: Callable[[float], Mistake], size: Size, weights: Projections) -> Mistake:
    """The flaw at the strength at which permuted heads change the output by `FAINT` of its largest value."""
    strength = 0.1
    for _ in range(4):  # the change is nearly proportional to the strength
        given = module(apply((flaw(strength),), PER_HEAD), size, weights, training=False)
        strength *= FAINT / _difference(given)
    return flaw(strength)


def _difference(attention: Implementation) -> float:
    """How far permuted heads change the output, as a share of its largest value."""
    shares = []

    def agree(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
        shares.append(float((after[0] - before[0]).abs().max() / before[0].abs().max()))
        return True

    check(TEST.but(agree=agree), attention)
    return max(shares)
