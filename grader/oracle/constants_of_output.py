"""Constants used after the softmax, read off the values of one call: of the heads, the output and its gradients."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from grader.checks.attention import AttentionCall
from grader.listing import listed
from grader.oracle.catalogue.formula import without_maximum
from grader.oracle.fitted import SAME, less_bias, nearest_factor, powers_of_sizes
from grader.oracle.mistake import Mistake, Step, followed_by, preceded_by
from grader.oracle.near import is_near
from grader.oracle.pipeline import Context, Steps
from grader.oracle.wrong_call import undone

SMALL = tuple(10.0**-digits for digits in range(2, 10))
"""Numbers that programs add to a sum that they divide by."""
MOST_SAID = 6
"""The most features whose places a sentence lists."""


def of_merged_heads(oracle: Steps, call: AttentionCall, right: Tensor) -> Iterator[Mistake]:
    """Mistakes in which merged features are right but in other places, by whole heads or not, or 0 for some heads.

    Args:
        oracle: the pipeline that is right.
        call: in which the submission was wrong.
        right: the right merged heads, (N, L, E).
    """
    if call.size.num_heads == 1:
        return
    c = Context(call.case, call.size, call.weights, oracle.style)
    merged = undone(oracle, call.answer.output, call.size.embed_dim, c)
    if merged is None:
        return
    features, heads, width = right.shape[-1], call.size.num_heads, call.size.head_dim
    known = torch.cat([right, torch.zeros_like(right[..., :1])], dim=-1).flatten(0, -2)
    off, indices = (merged.flatten(0, -2)[:, :, None] - known[:, None]).abs().amax(0).min(-1)
    if not bool((off < SAME * known.abs().max()).all()):
        return
    places = indices.tolist()
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
            ("merged", {"merge": preceded_by(lambda mixed: _in_order(mixed, order))}),
            ("taken, and their weights returned,", {"split": followed_by(lambda heads: _in_order(heads, order))}),
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
    """Ways to say which heads are meant, each with an index of them; some also fit other numbers of heads."""
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
    heads = torch.arange(mixed.shape[1])
    left_out = heads[which] if isinstance(which, slice) else torch.tensor(which)
    return mixed * ~torch.isin(heads, left_out)[:, None, None]


def _in_order(heads: Tensor, order: list[int]) -> Tensor:
    """The heads in this order, where there are as many."""
    return heads[:, order] if heads.shape[1] == len(order) else heads


def numbers_of_heads(call: AttentionCall) -> Iterator[Mistake]:
    """Mistakes in which the features were split into another number of heads."""
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


def of_the_output(output: Tensor, right: Tensor, call: AttentionCall) -> Iterator[Mistake]:
    """The mistakes of a factor on the output or before its projection, an unwanted bias, digits lost in the softmax.

    Args:
        output: the submission's output, (N, L, E).
        right: the oracle's output.
        call: the call.
    """
    bias, c = call.weights.o_bias, Context(call.case, call.size, call.weights)
    yield from _times(
        nearest_factor(output, right),
        c,
        "output_times_a_constant",
        "the output was {}",
        "drop_output",
        why="The output is a projected mean of the values: nothing scales it after that.",
    )
    yield from _times(
        math.nan if bias is None else nearest_factor(less_bias(output, call), less_bias(right, call)),
        c,
        "merged_heads_times_a_constant",
        "the merged heads were {} before the output projection",
        "merge",
        why="What the heads gathered is a mean of the values: nothing scales it before it is projected.",
    )
    if not call.size.bias:
        yield from _bias_though_none(output - right)
    if is_near(output, right, rtol=0.1, atol=0.1):
        yield from _small_numbers_added()


def _small_numbers_added() -> Iterator[Mistake]:
    """Small numbers added to the sum that the softmax divides by, with and without the maximum taken off the scores."""
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


def _times(factor: float, c: Context, name: str, sentence: str, step: str, why: str) -> Iterator[Mistake]:
    """What a step gives is multiplied by a factor, where there is one: a size, the root of one, or a number.

    Args:
        factor: the factor; NaN or infinite: there is none.
        c: of the call that the factor was read off.
        name: the mistake's name.
        sentence: the mistake's sentence, with braces for the factor.
        step: the step's name.
        why: why it is wrong.
    """
    if not math.isfinite(factor):
        return
    for words, power in (*powers_of_sizes(factor, c), (f"multiplied by {factor:.4g}", lambda c: factor)):

        def times(own: Step, power: Callable[[Context], float] = power) -> Step:
            return lambda x, c: own(x, c) * power(c)

        yield Mistake(name, sentence.format(words), around={step: times}, why=why)


def _bias_though_none(off: Tensor) -> Iterator[Mistake]:
    """The mistake that a bias was added though there is none: the output of each token is off by the same vector.

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
    """The mistake of one factor on all gradients, where the values are right.

    Args:
        gradients: the submission's gradients, by name.
        right: the oracle's gradients.
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
