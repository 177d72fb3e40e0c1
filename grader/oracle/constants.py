"""Constants that a submission used, read off the values of one call; a replay proves them before they are named."""

import math
from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import product
from typing import Any

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.checks.case import Answer
from grader.listing import listed
from grader.oracle import pipeline
from grader.oracle.catalogue.causal_masks import is_causal_shifted
from grader.oracle.catalogue.formula import normalised_relu, scale_after_softmax, without_maximum
from grader.oracle.catalogue.masks import NOT_BELOW_ALL
from grader.oracle.catalogue.reading import causal_masks
from grader.oracle.catalogue.rows import plain_softmax
from grader.oracle.mistake import Mistake, Step, apply, followed_by, preceded_by
from grader.oracle.near import is_near
from grader.oracle.pipeline import Context, Steps
from grader.oracle.walk import Walk
from grader.oracle.wrong_call import undone

MOST_SAID = 6
"""Features whose places are told."""
MOST_KEYS = 24
"""Of more keys a window is not looked for."""
GRID = tuple(10 ** (step / 10) for step in range(-30, 31))
HALVINGS = 60
"""Of the interval around the best point of the grid: the golden section leaves 1e-12 of it."""
FIRST_HALVINGS, NEARER = 20, 0.05
"""After so many the interval is 1e-4 of what it was: one above this share of the grid's best is no rounding."""
SAME = 1e-6
"""How far two equal values of a call in float64 are apart at most."""
USUAL_DROPOUTS = (0.1, 0.2, 0.3, 0.5)
CLAMPS = (1.0, 5.0, 10.0, 20.0, 30.0, 100.0)
GOLDEN = (math.sqrt(5) - 1) / 2
SMALL = tuple(10.0**-digits for digits in range(3, 10))
"""Numbers that programs add to a sum that they divide by."""
WIDTHS: tuple[tuple[str, Callable[[Tensor, Context], int]], ...] = (
    ("head_dim", lambda scores, c: c.size.head_dim),
    ("the embedding size", lambda scores, c: c.size.embed_dim),
    ("num_heads", lambda scores, c: c.size.num_heads),
    ("the number of keys", lambda scores, c: scores.shape[-1]),
    ("the number of queries", lambda scores, c: scores.shape[-2]),
)
POWERS = (
    (-0.5, "divided by the root of {}"),
    (-1.0, "divided by {}"),
    (0.5, "multiplied by the root of {}"),
    (1.0, "multiplied by {}"),
)
"""Of a size, by which weights are multiplied."""
FINITE = (-100.0, -1000.0, -5e4, -65504.0, -1e5)
"""Numbers that programs hide scores by, above some scores of the checks; -10000 is in the catalogue."""


def constants(oracle: Steps, call: AttentionCall) -> Iterator[Mistake]:
    """Mistakes with a constant that the values of a call let one read: each may explain the call, or not.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
    """
    output, weights = call.answer
    seen = output if weights is None else weights
    beside = oracle.walk(call.case, call.size)
    right = oracle.run(call.case, call.size, call.weights, beside).output

    def distance(made: Mistake) -> float:
        try:
            answer, _ = _run(made, oracle, call, beside)
        except Exception:  # a replaced step may break on shapes that it was not made for
            return math.inf
        got = answer.output if weights is None else answer.weights
        if got is None or got.shape != seen.shape:
            return math.inf
        return float((got - seen).abs().nan_to_num(1e9).sum())

    if right.shape == output.shape:
        yield from _of_the_output(output, right, call)
        yield from _of_merged_heads(oracle, call, beside.values["merge"])
    factor = _fitted(lambda factor: distance(_scaled(lambda c: factor, "")), GRID)
    if factor is not None:
        yield from _scales(factor, oracle, call)
    yield from _weights_times(oracle, call, beside)
    relus = map(normalised_relu, (*SMALL, 1e-12))
    yield from (made for made in relus if distance(made) < SAME * seen.numel())
    yield from _dropouts(call)
    yield from _clamps()
    if call.case.shown is not None:
        yield from _hidden_scores(oracle, call, distance)
    if call.case.keys.shape[-2] <= MOST_KEYS:
        yield from _reaches(call.case.keys.shape[-2])
        if right.shape == output.shape:
            yield from _triangles(oracle, call, beside)
    if call.size.num_heads > 1:
        yield from _numbers_of_heads(call)


def _run(made: Mistake, oracle: Steps, call: AttentionCall, beside: Walk) -> tuple[Answer, Walk]:
    """What the oracle with a mistake answers, and its walk beside the oracle's own."""
    program = apply((made,), oracle)
    walk = program.walk(call.case, call.size, beside)
    return program.run(call.case, call.size, call.weights, walk), walk


def _hidden_scores(oracle: Steps, call: AttentionCall, distance: Callable[[Mistake], float]) -> Iterator[Mistake]:
    """What they were set to, or what was added to them."""
    if is_one_hot(oracle, call):
        for number in FINITE:
            yield from _undercut(number)
        return
    numbers = [*(-number for number in reversed(GRID)), *GRID]
    number = _fitted(lambda number: distance(_filled(number)), numbers)
    if number is not None:
        yield _filled(number)


def is_one_hot(oracle: Steps, call: AttentionCall) -> bool:
    """Whether nearly every query has to look at one key alone, as with large scores: values tell little there.

    Args:
        oracle: the pipeline that is right.
        call: of any case.
    """
    walk = oracle.walk(call.case, call.size)
    oracle.run(call.case, call.size, call.weights, walk)
    return bool((walk.values["softmax"].amax(dim=-1) > 0.99).double().mean() > 0.9)


def _fitted(distance: Callable[[float], float], grid: list[float] | tuple[float, ...]) -> float | None:
    """The number of the grid's range with the least distance, by a golden section around the grid's best.

    None: the distance does not go to 0.
    """
    at = [distance(number) for number in grid]
    best = min(range(len(grid)), key=at.__getitem__)
    if at[best] < SAME:  # the commonest numbers are on the grid
        return grid[best]
    low, high = grid[max(0, best - 1)], grid[min(len(grid) - 1, best + 1)]
    left, right = high - GOLDEN * (high - low), low + GOLDEN * (high - low)
    at_left, at_right = distance(left), distance(right)
    for halving in range(HALVINGS):
        if halving == FIRST_HALVINGS and min(at_left, at_right) > NEARER * at[best]:
            return None
        if at_left < at_right:
            high, right, at_right = right, left, at_left
            left = high - GOLDEN * (high - low)
            at_left = distance(left)
        else:
            low, left, at_left = left, right, at_right
            right = low + GOLDEN * (high - low)
            at_right = distance(right)
    return (low + high) / 2


def _scales(factor: float, oracle: Steps, call: AttentionCall) -> Iterator[Mistake]:
    """The factor as one number, as the right one times a number, and as a power of the features."""

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
        answer, walk = _run(scale_after_softmax("", lambda scores, c: 1.0)[place], oracle, call, beside)
        if answer.output.shape != call.answer.output.shape:
            return  # nothing is read off another shape
        got, right = call.answer.weights, answer.weights
        if got is None or right is None:
            got, right = _less_bias(call.answer.output, call), _less_bias(answer.output, call)
        factor = _factor(got, right) if got.shape == right.shape else math.nan
        if not (math.isfinite(factor) and is_near(got, right * factor, atol=SAME)):
            continue
        for (what, width), (power, how) in product(WIDTHS, POWERS):
            if abs(factor / width(walk.values["mask"], c) ** power - 1) < SAME:
                by_width = scale_after_softmax(
                    how.format(what), lambda scores, c, width=width, power=power: width(scores, c) ** power
                )
                yield by_width[place]
        if place == 0 or call.answer.weights is not None:  # else it shows as a factor on the merged heads
            yield scale_after_softmax(f"multiplied by {factor:.4g}", lambda scores, c, factor=factor: factor)[place]


def _clamps() -> Iterator[Mistake]:
    """Bounds of the scaled scores; 50 is in the catalogue."""
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
    """A dropout of the submission's own, in each call or in train mode, after the seed of the call.

    The weights returned are those before it or after it. What was made by default may have been given a dropout by it.
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


def _small_numbers_added() -> Iterator[Mistake]:
    """To what the softmax divides by, with the maximum taken off the scores and without."""
    for number in SMALL:
        for beside, shifted in (
            (" after the maximum was taken off the scores", without_maximum),
            ("", lambda scores: scores),
        ):

            def softmax(scores: Tensor, c: Context, number: float = number, shifted: Any = shifted) -> Tensor:
                powers = shifted(scores).exp()
                return powers / (powers.sum(-1, keepdim=True) + number)

            yield Mistake(
                "small_number_added",
                f"{number:g} was added to the sum that the softmax divides by{beside}",
                {"softmax": softmax},
                why="The weights of a query sum to less than 1 by a share that depends on the scores: digits are lost.",
            )


def _filled(number: float) -> Mistake:
    return Mistake(
        "hidden_scores_filled",
        f"hidden scores became {number:.4g}, which still gets a share of the weight",
        {"mask": lambda scores, c: scores.masked_fill(pipeline.hidden(scores, c), number)},
        why="exp of a finite score is not 0: only a score of -inf, or one far below all others, leaves no weight.",
    )


def _undercut(number: float) -> Iterator[Mistake]:
    """Hidden scores that are finite, where others are lower. Which number it was shows no further."""
    yield Mistake(
        "hidden_scores_finite",
        "hidden scores were set to a finite number: where the others are lower, a hidden key got the weight",
        {"mask": lambda scores, c: scores.masked_fill(pipeline.hidden(scores, c), number)},
        why=NOT_BELOW_ALL,
    )
    yield Mistake(
        "hidden_scores_less_a_number",
        "a finite number was added to hidden scores: where one is the largest even so, it gets the weight",
        {"mask": lambda scores, c: pipeline.lowered(scores, number, c)},
        why=NOT_BELOW_ALL,
    )


def _reaches(keys: int) -> Iterator[Mistake]:
    """Keys left out after a number of them, or from a distance on to both sides."""

    def hidden(name: str, sentence: str, which: Callable[[Tensor], Tensor]) -> Mistake:
        return Mistake(
            name,
            sentence,
            {"mask": lambda scores, c: pipeline.hide(pipeline.mask(scores, c), which(scores), c)},
            why="Attention reaches every key that no mask hides, however many there are and however far away.",
        )

    for most in range(1, keys):
        yield hidden(
            "keys_left_out",
            f"only the first {most} {'keys were' if most > 1 else 'key was'} used",
            lambda scores, most=most: torch.arange(scores.shape[-1]) >= most,
        )
        yield hidden(
            "far_keys_left_out",
            f"keys more than {most} {'places' if most > 1 else 'place'} away from the query were left out",
            lambda scores, most=most: _apart(scores).abs() > most,
        )


def _apart(scores: Tensor) -> Tensor:
    """By how many places a key stands after a query, (L, S)."""
    queries, keys = scores.shape[-2:]
    return torch.arange(keys) - torch.arange(queries)[:, None]


def _triangles(oracle: Steps, call: AttentionCall, beside: Walk) -> Iterator[Mistake]:
    """Causal masks with another diagonal than the main one, which is in the catalogue.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        beside: the oracle's walk through it.
    """

    seen = call.answer.output

    def gives_what_is_seen(made: Mistake) -> bool:
        """To all queries that see a key: what others get is a matter of style."""
        answer, walk = _run(made, oracle, call, beside)
        sees = (walk.values["mask"] > -torch.inf).any(-1)
        sees = sees if sees.dim() < seen.dim() else sees.all(1)  # of the heads, where they were merged
        return bool(sees.any()) and is_near(answer.output[sees], seen[sees], atol=SAME)

    queries, keys = call.case.query.shape[-2], call.case.keys.shape[-2]
    for diagonal in (each for each in range(1 - queries, keys - 1) if each):
        masks, asked_for = causal_masks(diagonal), is_causal_shifted(diagonal)
        always, in_place, *_ = masks
        if gives_what_is_seen(always) or (call.is_masked and gives_what_is_seen(in_place)):
            yield from masks
            yield from map(_with_nan_rows, masks if diagonal < 0 else ())
        if call.case.is_causal and gives_what_is_seen(asked_for):
            yield asked_for


def _with_nan_rows(made: Mistake) -> Mistake:
    """The first queries see nothing, and get the NaN that a softmax of -inf alone is."""
    sentence = f"{made.sentence}: the first queries saw nothing and got NaN"
    return replace(made, sentence=sentence, steps=made.steps | {"softmax": plain_softmax})


def _of_merged_heads(oracle: Steps, call: AttentionCall, right: Tensor) -> Iterator[Mistake]:
    """The features that were projected are the right ones in other places, by whole heads or not, or 0 for some heads.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        right: what the right output is made of, (N, L, E).
    """
    if call.size.num_heads == 1:
        return
    c = Context(call.case, call.size, call.weights, oracle.style)
    merged = undone(oracle, call.answer.output, call.size.embed_dim, c)
    if merged is None:
        return
    features, heads, width = right.shape[-1], call.size.num_heads, call.size.head_dim
    known = torch.cat([right, torch.zeros_like(right[..., :1])], dim=-1).flatten(0, -2)
    off, found = (merged.flatten(0, -2)[:, :, None] - known[:, None]).abs().amax(0).min(-1)
    if not bool((off < SAME * known.abs().max()).all()):
        return
    places = found.tolist()
    order = [place // width for place in places[::width]]
    left_out = [head for head, of in enumerate(order) if of == heads]
    are_whole = places == [min(of * width + place, features) for of in order for place in range(width)]
    if are_whole and left_out and all(of in (head, heads) for head, of in enumerate(order)):
        for words, which in _said_of_heads(left_out, heads):
            yield Mistake(
                "heads_left_out",
                f"the answers of {words} were left out: zeros stood in their places",
                around={"merge": preceded_by(lambda mixed, which=which: _zeroed(mixed, which))},
                why="A head that is left out learns nothing, and the output layer's weights for it do nothing.",
            )
    elif are_whole and not left_out:
        for how, step in (
            ("merged", {"merge": preceded_by(lambda mixed: mixed[:, order])}),
            ("taken, and their weights returned,", {"split": followed_by(lambda heads: heads[:, order])}),
        ):
            yield Mistake(
                "heads_in_another_order",
                f"the heads were {how} in the order {', '.join(map(str, order))}",
                around=step,
                why="The output layer expects head h at the features h D to (h + 1) D - 1.",
            )
    elif set(places) == set(range(features)):
        yield Mistake(
            "features_in_another_order",
            f"the features of the merged heads stood in another order, which began with {listed(places[:MOST_SAID])}",
            around={"merge": followed_by(lambda merged: merged[..., places])},
            why="The output layer expects head h at the features h D to (h + 1) D - 1, each in its own place.",
        )


def _said_of_heads(some: list[int], number: int) -> Iterator[tuple[str, slice | list[int]]]:
    """Some of a number of heads, in words that may hold for other numbers of heads as well."""
    count, rest = len(some), number - len(some)
    if some == list(range(count)):
        yield _heads_from("first", count), slice(count)
        yield f"all but {_heads_from('last', rest)}", slice(-rest)
    if some == list(range(rest, number)):
        yield _heads_from("last", count), slice(-count, None)
        yield f"all but {_heads_from('first', rest)}", slice(rest, None)
    yield f"head{'s' * (count > 1)} {listed(some)}", some


def _heads_from(end: str, count: int) -> str:
    return f"the {end} {f'{count} heads' if count > 1 else 'head'}"


def _zeroed(mixed: Tensor, which: slice | list[int]) -> Tensor:
    kept = mixed.new_ones(mixed.shape[1])
    kept[which] = 0
    return mixed * kept[:, None, None]


def _numbers_of_heads(call: AttentionCall) -> Iterator[Mistake]:
    """The heads in another number."""
    size = call.size
    for number in range(1, size.embed_dim + 1):
        if size.embed_dim % number == 0 and number != size.num_heads:
            yield Mistake(
                "another_number_of_heads",
                f"the features were split into {number} heads; num_heads is {size.num_heads} there"
                if number > 1
                else "all features were used as one head",
                {
                    "split": lambda x, c, number=number: x.unflatten(-1, (number, -1)).transpose(1, 2),
                    "scale": lambda scores, c, number=number: scores * math.sqrt(number / c.size.embed_dim),
                },
                why="How many heads there are is the caller's choice: each looks at the keys in its own way.",
            )


def _of_the_output(output: Tensor, right: Tensor, call: AttentionCall) -> Iterator[Mistake]:
    """A factor on it or before its projection, a bias that should not be there, digits lost in the softmax.

    Args:
        output: the submission's, (N, L, E).
        right: the oracle's.
        call: the call.
    """
    bias = call.weights.o_bias
    yield from _times(
        _factor(output, right),
        "output_times_a_constant",
        "the output was multiplied by {:.4g}",
        "drop_output",
        why="The output is a projected mean of the values: nothing scales it after that.",
    )
    yield from _times(
        math.nan if bias is None else _factor(_less_bias(output, call), _less_bias(right, call)),
        "merged_heads_times_a_constant",
        "the merged heads were multiplied by {:.4g} before the output projection",
        "merge",
        why="What the heads gathered is a mean of the values: nothing scales it before it is projected.",
    )
    if not call.size.bias:
        yield from _bias_though_none(output - right)
    if is_near(output, right, rtol=0.1, atol=0.1):
        yield from _small_numbers_added()


def _times(factor: float, name: str, sentence: str, step: str, why: str) -> Iterator[Mistake]:
    """What a step gives is multiplied by a factor, where there is one.

    Args:
        factor: NaN or infinite: there is none.
        name: of the mistake.
        sentence: with braces for the factor.
        step: its name.
        why: it is wrong.
    """
    if math.isfinite(factor):
        times = followed_by(lambda x: x * factor)
        yield Mistake(name, sentence.format(factor), around={step: times}, why=why)


def _factor(output: Tensor, right: Tensor) -> float:
    """By which the right one comes nearest to the output."""
    return float((output * right).sum() / (right * right).sum())


def _less_bias(output: Tensor, call: AttentionCall) -> Tensor:
    """The output before its bias was added. A function without layers is given projections, too, and uses none."""
    bias = call.weights.o_bias
    return output if bias is None or bias.shape[-1] != output.shape[-1] else output - bias


def _bias_though_none(off: Tensor) -> Iterator[Mistake]:
    """One vector, by which the output of each token is off.

    Args:
        off: the output less the right one, (N, L, E), of a layer without biases.
    """
    vector = off[:1, :1]
    if is_near(off, vector.expand_as(off), atol=SAME) and not is_near(vector, torch.zeros_like(vector), atol=SAME):
        yield Mistake(
            "bias_though_none",
            "a bias was added, though the layer was made with bias=False: each token's output is off by one vector",
            around={"drop_output": lambda step: lambda x, c: step(x, c) if c.size.bias else step(x, c) + vector},
            why="A bias that nobody asked for is a parameter too many: state dicts no longer fit.",
        )


def gradient_times(gradients: dict[str, Tensor], right: dict[str, Tensor]) -> Iterator[Mistake]:
    """One factor on all gradients, where the values are right.

    Args:
        gradients: that the submission gave, by name.
        right: the oracle's.
    """
    pairs = [(gradients[name], right[name]) for name in gradients if name in right]
    below = sum(float((one * one).sum()) for _, one in pairs)
    if below > 0 and all(one.shape == other.shape for one, other in pairs):
        factor = sum(float((one * other).sum()) for one, other in pairs) / below
        yield Mistake(
            "gradient_times_a_constant",
            f"all gradients were multiplied by {factor:.4g}",
            around={"drop_output": followed_by(lambda output: output * factor + (output * (1 - factor)).detach())},
            why="A gradient says how fast the loss changes: a factor on it is a factor on every step of training.",
        )
