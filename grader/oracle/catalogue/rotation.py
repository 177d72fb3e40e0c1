"""Mistakes in the rotation of queries and keys by their positions, as steps of grader/oracle/rotary.py."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import torch
from torch import Tensor

from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Context
from grader.oracle.rotary import Turn, angles, base_of, over_heads, partner, positions, rotate, turn

_PAIRS = "The contract pairs feature i with feature i + D / 2; weights that were trained with one pairing need it."
_FREQUENCIES = "Pair i turns by base^(-2i / D) for each step: the first by 1, the last the slowest."
_DISTANCE = "A query and a key must be turned by one rule, each by its position, so that their distance is left."
_INTEGERS = "Between two neighbours far away there is no number left in half precision: their angles fall together."


def _neighbours(x: Tensor, c: Context) -> Tensor:
    return torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)


def _interleaved(x: Tensor) -> Tensor:
    return torch.stack(x.chunk(2, dim=-1), dim=-1).flatten(-2)


def _in_halves(x: Tensor) -> Tensor:
    return torch.cat([x[..., 0::2], x[..., 1::2]], dim=-1)


def _angles_in_pairs(positions: Tensor, frequencies: Tensor, c: Context) -> Tensor:
    return over_heads((positions[..., None] * frequencies).repeat_interleave(2, dim=-1))


def _powers(exponent: Callable[[Tensor], Tensor]) -> Callable[[int, Context], Tensor]:
    """Frequencies base^exponent, the exponent made of the fractions 2i / D for i = 0, 1, ..., D / 2 - 1."""
    return lambda width, c: base_of(c) ** exponent(_fractions(width))


def _fractions(width: int) -> Tensor:
    return torch.arange(0, width, 2, dtype=torch.float64) / width


def _angles_in(dtype: torch.dtype) -> Callable[[Tensor, Tensor, Context], Tensor]:
    return lambda positions, frequencies, c: angles(positions.to(dtype), frequencies.to(dtype), c)


def _frequencies_as_features(width: int, c: Context) -> Tensor:
    """The frequencies, computed in the dtype of the features from the exponents on."""
    exponents = _as_features(torch.arange(0, width, 2), c) / width
    powers: Tensor = base_of(c) ** -exponents
    return powers


def _reciprocals_as_features(width: int, c: Context) -> Tensor:
    """As `_frequencies_as_features`, but as reciprocals of the powers, which rounds elsewhere."""
    exponents = _as_features(torch.arange(0, width, 2), c) / width
    reciprocals: Tensor = 1.0 / base_of(c) ** exponents
    return reciprocals


def _as_features(x: Tensor, c: Context) -> Tensor:
    """Converts to the dtype of the features that are rotated."""
    return x.to(c.case.query.dtype)


def _rounded(x: Tensor, c: Context) -> Tensor:
    """Rounds to the dtype of the features that are rotated; returned in float64."""
    return _as_features(x, c).double()


def _as_given(x: Tensor, c: Context) -> Tensor:
    return x


def _angles_of(
    places: Callable[[Tensor, Context], Tensor], speeds: Callable[[Tensor, Context], Tensor]
) -> Callable[[Tensor, Tensor, Context], Tensor]:
    return lambda positions, frequencies, c: angles(places(positions, c), speeds(frequencies, c), c)


def _positions_given(change: Callable[[Tensor], Tensor]) -> Callable[[int, Context], Tensor]:
    """The step that changes the positions, whether the call gives them or they count from 0."""
    return lambda length, c: change(positions(length, c))


def _counted(given: Tensor) -> Tensor:
    return torch.arange(given.shape[-1], dtype=torch.float64)


def _of_the_first_sequence(given: Tensor) -> Tensor:
    return given[0] if given.dim() == 2 else given


def _from_the_first_on(given: Tensor) -> Tensor:
    return given[..., :1] + torch.arange(given.shape[-1], dtype=torch.float64)


def _angles_of_heads(positions: Tensor, frequencies: Tensor, c: Context) -> Tensor:
    angles = positions[..., None] * frequencies
    return torch.cat([angles, angles], dim=-1)


def _overwritten(x: Tensor, partner: Tensor, angles: Tensor, c: Context) -> Tensor:
    first, second = x.chunk(2, dim=-1)
    cos, sin = angles[..., : first.shape[-1]].cos(), angles[..., : first.shape[-1]].sin()
    turned = first * cos - second * sin
    return torch.cat([turned, second * cos + turned * sin], dim=-1).to(x.dtype)


def _only(*names: str) -> Callable[[Turn, Tensor, Tensor, Tensor, Context], tuple[Tensor, ...]]:
    """The step that rotates only these of query, key and value."""

    def rotate(turned: Turn, query: Tensor, key: Tensor, value: Tensor, c: Context) -> tuple[Tensor, ...]:
        given = {"query": query, "key": key, "value": value}
        return tuple(turned(x, c) if name in names else x for name, x in given.items())

    return rotate


def _before_the_split(
    turned: Turn, query: Tensor, key: Tensor, value: Tensor, c: Context
) -> tuple[Tensor, Tensor, Tensor]:
    whole = replace(c, size=replace(c.size, num_heads=1))

    def through(x: Tensor) -> Tensor:
        together = turned(x.transpose(1, 2).flatten(2)[:, None], whole)[:, 0]
        return together.unflatten(-1, x.shape[1::2]).transpose(1, 2)

    return through(query), through(key), value


def _twice(turned: Turn, query: Tensor, key: Tensor, value: Tensor, c: Context) -> tuple[Tensor, Tensor, Tensor]:
    return turned(turned(query, c), c), turned(turned(key, c), c), value


def _against_each_other(
    turned: Turn, query: Tensor, key: Tensor, value: Tensor, c: Context
) -> tuple[Tensor, Tensor, Tensor]:
    away = replace(c, case=c.case.but(positions=-positions(key.shape[-2], c)))
    return turned(query, c), turned(key, away), value


def _by_the_default_base(
    turned: Turn, query: Tensor, key: Tensor, value: Tensor, c: Context
) -> tuple[Tensor, Tensor, Tensor]:
    size: Any = c.size
    return rotate(turned, query, key, value, replace(c, size=replace(size, base=10000.0)))


ROTATION = (
    Mistake(
        "interleaved_pairs",
        "neighbouring features were rotated as pairs, 2i with 2i + 1, where the contract pairs the halves",
        {"partner": _neighbours, "angles": _angles_in_pairs},
        why=_PAIRS,
    ),
    Mistake(
        "interleaved_angles",
        "each angle was laid out for two neighbouring features, while the halves were rotated as pairs",
        {"angles": _angles_in_pairs},
        why="A pair is turned as one: both of its features need the same angle.",
    ),
    Mistake(
        "interleaved_partners",
        "neighbouring features were rotated as pairs, while the angles were laid out for the halves",
        {"partner": _neighbours},
        why="A pair is turned as one: both of its features need the same angle.",
    ),
    Mistake(
        "rotated_backwards",
        "the rotation has the opposite sign: features were turned by minus the angle",
        {"partner": lambda x, c: -partner(x, c)},
        why="The first half becomes x1 cos - x2 sin, the second x2 cos + x1 sin.",
    ),
    Mistake(
        "half_not_negated",
        "the minus sign of the rotation is missing: both halves were added",
        {"partner": lambda x, c: x.roll(x.shape[-1] // 2, -1)},
        why="Without it a pair is not turned: its norm changes, and the distance is not all that is left in a score.",
    ),
    Mistake(
        "sine_and_cosine_exchanged",
        "sine and cosine were exchanged",
        {"turn": lambda x, partner, angles, c: (x * angles.sin() + partner * angles.cos()).to(x.dtype)},
        why="At position 0 the angle is 0, its cosine 1: the features must stay what they are.",
    ),
    Mistake(
        "halves_exchanged",
        "the two rotated halves were put together in the wrong order",
        {"turn": lambda x, partner, angles, c: turn(x, partner, angles, c).roll(x.shape[-1] // 2, -1)},
        why="At position 0 nothing may move: the first half stays in front.",
    ),
    Mistake(
        "halves_interleaved",
        "the two rotated halves were put together feature by feature, not one after the other",
        {"turn": lambda x, partner, angles, c: _interleaved(turn(x, partner, angles, c))},
        why="At position 0 nothing may move: feature i stays in the first half, its partner in the second.",
    ),
    Mistake(
        "neighbours_in_halves",
        "neighbouring features were rotated as pairs, and put together as halves",
        {
            "partner": _neighbours,
            "angles": _angles_in_pairs,
            "turn": lambda x, partner, angles, c: _in_halves(turn(x, partner, angles, c)),
        },
        why=_PAIRS,
    ),
    Mistake(
        "first_half_overwritten",
        "the second half was computed from the first one as it was rotated already, not as it was before",
        {"turn": _overwritten},
        why="Both halves of the answer are made of both halves of the input: overwrite neither before both are done.",
    ),
    Mistake(
        "base_of_the_layer_unused",
        "the layer rotated by the base 10000, whatever base it was made with",
        {"rotate": _by_the_default_base},
        why="What a constructor is given must be kept and handed on: a default hides that it is missing.",
    ),
    Mistake(
        "base_10000_always",
        "the base is always 10000, whatever was given",
        {"frequencies": lambda width, c: 10000.0 ** -_fractions(width)},
        why=_FREQUENCIES,
    ),
    Mistake(
        "base_left_out",
        "the frequencies are exp(-2i / D): the base was left out",
        {"frequencies": lambda width, c: torch.exp(-_fractions(width))},
        why=_FREQUENCIES,
    ),
    Mistake(
        "exponent_halved",
        "the frequencies are base^(-i / D), not base^(-2i / D)",
        {"frequencies": _powers(lambda fractions: -fractions / 2)},
        why=_FREQUENCIES,
    ),
    Mistake(
        "exponent_doubled",
        "the frequencies are base^(-4i / D), not base^(-2i / D)",
        {"frequencies": _powers(lambda fractions: -2 * fractions)},
        why=_FREQUENCIES,
    ),
    Mistake(
        "exponent_from_one",
        "the frequencies were counted from i = 1, not from 0",
        {"frequencies": _powers(lambda fractions: -fractions - 1 / len(fractions))},
        why=_FREQUENCIES,
    ),
    Mistake(
        "exponent_positive",
        "the frequencies grow with i: they are base^(2i / D)",
        {"frequencies": _powers(lambda fractions: fractions)},
        why=_FREQUENCIES,
    ),
    Mistake(
        "exponent_by_embedding",
        "the exponents of the frequencies were divided by the embedding size, not by that of a head",
        {"frequencies": lambda width, c: base_of(c) ** (-_fractions(width) * width / c.size.embed_dim)},
        why="The pairs of a head share the range of frequencies among them, whatever the number of heads.",
    ),
    Mistake(
        "positions_from_one",
        "positions were counted from 1",
        {"positions": _positions_given(lambda given: given + 1)},
        why="Position 0 is the identity: the angle is the position times the frequency.",
    ),
    Mistake(
        "positions_from_the_first",
        "the first position was subtracted from all: the first token was never turned",
        {"positions": _positions_given(lambda given: given - given[..., :1])},
        why="The angle is the position times the frequency, wherever the sequence begins.",
    ),
    Mistake(
        "positions_ignored",
        "the positions given were ignored: tokens were always counted from 0",
        {"positions": _positions_given(_counted)},
        why="Tokens may stand anywhere, with gaps, and each sequence's elsewhere.",
    ),
    Mistake(
        "positions_without_gaps",
        "of the positions only the first was used: the others were counted on from it",
        {"positions": _positions_given(_from_the_first_on)},
        why="Between two tokens there may be a gap, and their distance is in their score.",
    ),
    Mistake(
        "positions_of_first_sequence",
        "the positions of the first sequence were used for all",
        {"positions": _positions_given(_of_the_first_sequence)},
        why="A row of the positions belongs to a sequence, as a row of x does.",
    ),
    Mistake(
        "positions_by_head",
        "positions [B, L] were laid over the heads, which raises no error where B = H",
        {"angles": _angles_of_heads},
        why="Broadcasting counts axes from the right: an axis for the heads must stand between B and L.",
    ),
    Mistake(
        "angles_in_bfloat16",
        "the angles were computed in bfloat16",
        {"angles": _angles_in(torch.bfloat16)},
        why=_INTEGERS,
    ),
    Mistake(
        "angles_in_float16",
        "the angles were computed in float16",
        {"angles": _angles_in(torch.float16)},
        why=_INTEGERS,
    ),
    Mistake(
        "angles_as_features",
        "the angles were computed in the dtype of the features, which is a narrow one in half precision",
        {"frequencies": _frequencies_as_features, "angles": _angles_of(_as_features, _as_given)},
        why=_INTEGERS,
    ),
    Mistake(
        "reciprocals_as_features",
        "the angles were computed in the dtype of the features, too narrow in half precision, from 1/base^(2i/D) on",
        {"frequencies": _reciprocals_as_features, "angles": _angles_of(_as_features, _as_given)},
        why=_INTEGERS,
    ),
    Mistake(
        "rounded_positions_and_frequencies",
        "positions and frequencies were multiplied in the dtype of the features, a narrow one in half precision",
        {"angles": _angles_of(_as_features, _as_features)},
        why=_INTEGERS,
    ),
    Mistake(
        "rounded_positions",
        "the positions were rounded to the dtype of the features, which is a narrow one in half precision",
        {"angles": _angles_of(_rounded, _as_given)},
        why=_INTEGERS,
    ),
    Mistake(
        "rounded_frequencies",
        "the frequencies were rounded to the dtype of the features, which is a narrow one in half precision",
        {"angles": _angles_of(_as_given, _rounded)},
        why="A far position multiplies what is rounded off: after a thousand steps a pair stands somewhere else.",
    ),
    Mistake(
        "rounded_angles",
        "the angles were rounded to the dtype of the features, which is a narrow one in half precision",
        {"angles": lambda positions, frequencies, c: _as_features(angles(positions, frequencies, c), c)},
        why="Cosine and sine need what is left of an angle after all its full turns: a large one has no digits for it.",
    ),
    Mistake(
        "values_rotated",
        "the values were rotated too",
        {"rotate": _only("query", "key", "value")},
        why="A value is what a token hands over, wherever it stands: rotated, the mean of values mixes angles.",
    ),
    Mistake(
        "keys_not_rotated",
        "the queries alone were rotated, the keys were not",
        {"rotate": _only("query")},
        why=_DISTANCE,
    ),
    Mistake(
        "queries_not_rotated",
        "the keys alone were rotated, the queries were not",
        {"rotate": _only("key")},
        why=_DISTANCE,
    ),
    Mistake(
        "nothing_rotated",
        "neither queries nor keys were rotated, or all tokens of a head by one angle",
        {"rotate": _only()},
        why="Without positions attention sees a set: tokens that change places get the same scores.",
    ),
    Mistake(
        "rotated_before_the_split",
        "queries and keys were rotated before the split into heads, as one head of the embedding's size",
        {"rotate": _before_the_split},
        why="The pairs of a head lie in that head: over all of a token's features they join different heads.",
    ),
    Mistake(
        "rotated_twice",
        "queries and keys were rotated twice",
        {"rotate": _twice},
        why="Twice the angle is that of twice the position.",
    ),
    Mistake(
        "keys_rotated_backwards",
        "the keys were rotated backwards, the queries forwards: their scores have the sum of the positions",
        {"rotate": _against_each_other},
        why=_DISTANCE,
    ),
)
"""Mistakes in the rotation, the more special before the more general."""

TABLE_LENGTHS = (128, 256, 500, 512, 1000, 1024, 2048, 4096, 5000, 8192, 10_000, 16_384, 32_768, 65_536)


def _tables() -> Iterator[Mistake]:
    """The mistakes at positions beyond the end of a precomputed table, for its usual lengths."""
    for rows in TABLE_LENGTHS:
        for how, change in (
            (f"were taken for {rows - 1}", lambda given, rows=rows: given.clamp(max=rows - 1)),
            (f"were counted from 0 again, modulo {rows}", lambda given, rows=rows: given % rows),
        ):
            yield Mistake(
                "positions_end_with_a_table",
                f"positions from {rows} on {how}",
                {"positions": _positions_given(change)},
                why="Positions have no end in the contract: two tokens beyond a table's end lose their distance.",
            )


TABLES = tuple(_tables())
