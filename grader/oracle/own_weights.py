"""Mistakes in weights that are a submission's own: what they start with, their shape, what a call draws."""

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

from grader.checks.attention import DrawnWeights, StartValues
from grader.checks.case import Size
from grader.checks.expect import Misfit
from grader.listing import listed
from grader.oracle.drawn_weights import as_pytorch_draws
from grader.oracle.mistake import Mistake
from grader.oracle.near import is_near
from grader.oracle.sections import BY_STEP

_SAME_SEED = "From one seed the same numbers come only where as many are drawn before them, within the same bounds."
BEYOND = math.erfc(math.sqrt(1.5))
"""The share of a normal draw that lies further out than sqrt(3) standard deviations, where a uniform one ends."""
MOST_DRAWN = 16
"""Times E * E: weights are looked for among so many first numbers; PyTorch draws 4, code that draws each twice 8."""
NEAR = 1e-5
"""How close two numbers between -1 and 1 must be for the numbers after them to be compared too."""
_ROLES = {"q": "queries", "k": "keys", "v": "values", "o": "the output"}


def in_own_weights(calls: Iterable[Any], looked_at: str) -> Mistake | None:
    """The mistake that the values or the shape of the weights prove; None: none.

    Args:
        calls: of a check that failed.
        looked_at: what the claim that does not hold looked at, with the paths of parameters.
    """
    started, drawn = [], None
    for each in calls:
        if isinstance(each, StartValues):
            started.append(each)
        if isinstance(each, Misfit):
            return one_for_all_heads(each)
        if isinstance(each, DrawnWeights):
            drawn = each  # the last are the wrong ones: the check ended with them
    return started_otherwise(started, looked_at) if drawn is None else drawn_otherwise(drawn)


def started_otherwise(started: Sequence[StartValues], looked_at: str) -> Mistake | None:
    """The mistake that parameters start by another rule; None: those looked at do not.

    The rules are nn.Linear's, Xavier's for one (3 E, E) matrix, that of kaiming_uniform_ and that of xavier_normal_.

    Args:
        started: the new objects of a check.
        looked_at: what the claim that does not hold looked at, with the paths of parameters.
    """

    def all_that(are_so: Callable[[Tensor, int], bool]) -> str:
        """The paths of the parameters that are so, in words; empty where none of them is looked at."""
        values = [(path, values, each.size.embed_dim) for each in started for path, values in each.values.items()]
        paths = {path for path, values, features in values if are_so(values, features)}
        if not paths & set(re.findall(r"[\w.]+", looked_at)):
            return ""
        return "all weights and biases" if paths == {path for path, *_ in values} else listed(sorted(paths))

    if paths := all_that(lambda values, features: _is_within(values, 1 / math.sqrt(features))):
        return _of_weights(
            "start_values_of_linear",
            f"{paths} started uniformly within 1 / sqrt(E), as nn.Linear leaves them",
            "Xavier's range keeps the spread of the features through the layer, and a bias of 0 adds nothing yet.",
        )
    if paths := all_that(lambda values, features: _is_within(values, math.sqrt(6 / (4 * features)))):
        return _of_weights(
            "start_values_of_packed_weights",
            f"{paths} started within sqrt(6 / (3 E + E)), Xavier's bound of one (3 E, E) matrix for three projections",
            "Each projection is an (E, E) matrix of its own: Xavier's bound for it is sqrt(6 / (E + E)).",
        )
    if paths := all_that(lambda values, features: _is_within(values, math.sqrt(6 / features))):
        return _of_weights(
            "start_values_of_kaiming",
            f"{paths} started within sqrt(6 / E), as kaiming_uniform_ draws them by default",
            "Xavier's bound is sqrt(6 / (E + E)): it counts the features that go in and those that come out.",
        )
    if paths := all_that(lambda values, features: _is_normal(values, 1 / math.sqrt(features))):
        return _of_weights(
            "start_values_normal",
            f"{paths} started normally distributed with the spread that is wanted, as xavier_normal_ draws them",
            "The two have the same spread, and a normal draw also gives values outside of the uniform range.",
        )
    return None


def one_for_all_heads(misfit: Misfit) -> Mistake | None:
    """The mistake that one layer of the size of a head is used for all heads; None: the parameter has another shape.

    Args:
        misfit: a parameter of another shape than the contract's.
    """
    features, size = misfit.wanted[0], misfit.head_dim or 0
    is_small = misfit.wanted == (features, features) and 1 < size < features
    if not is_small or misfit.shape not in ((size, size), (size, features)):
        return None
    width = "embed_dim" if misfit.shape[1] == features else "head_dim"
    return _of_weights(
        "one_layer_for_all_heads",
        f"{misfit.what} of head_dim x {width} is one for all heads: "
        "each needs head_dim rows of its own, over all features",
        "Each head learns what to look for and what to hand over: with the same small layer all do the same.",
    )


def drawn_otherwise(drawn: DrawnWeights) -> Mistake | None:
    """The mistake by which the weights are not those that PyTorch draws from the same seed; None: none is known.

    Args:
        drawn: the weights in use, and PyTorch's.
    """
    used, right = dict(drawn.used.items()), dict(drawn.right.items())
    features = used["o"].shape[0]
    return (
        _turned(used, right)
        or _dealt_out_by_heads(used, right)
        or _cut_by_columns(used, right)
        or _exchanged(used, right)
        or _of_the_first_head(used, right)
        or _within_other_bounds(used, features)
        or _times_a_gain(used, right)
        or _in_another_dtype(drawn, used)
        or _from_other_numbers(drawn, used, right)
    )


def _turned(used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    turned = [role for role in used if _same(used[role], right[role].T)]
    if not turned or not all(role in turned or _same(used[role], right[role]) for role in used):
        return None
    return _of_weights(
        "drawn_weights_transposed",
        f"the weights for {listed([_ROLES[role] for role in turned])} were multiplied without being transposed",
        "A linear layer is x W^T: PyTorch draws W with a row for each feature that comes out.",
    )


def _times_a_gain(used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    """Some of the weights are PyTorch's times one number, the others PyTorch's."""
    other = [role for role in used if not _same(used[role], right[role])]
    gain = float((used[other[0]] * right[other[0]]).sum() / right[other[0]].square().sum()) if other else 1.0
    if not other or not all(_same(used[role], gain * right[role]) for role in other):
        return None
    return _of_weights(
        "drawn_weights_times_a_gain",
        f"the weights for {listed([_ROLES[role] for role in other])} are PyTorch's times {gain:.4g}",
        "PyTorch draws them with a gain of 1, which keeps the spread of the features through the layer.",
    )


def _in_another_dtype(drawn: DrawnWeights, used: Mapping[str, Tensor]) -> Mistake | None:
    """PyTorch's weights drawn in another dtype, such as in float64 where float32 was asked for."""
    features, right_dtype = used["o"].shape[0], drawn.right.o.dtype
    for dtype in {torch.float64, torch.float32} - {right_dtype}:
        others = as_pytorch_draws(drawn.seed, Size(features, 1, dtype=dtype)).to(right_dtype)
        if all(_same(used[role], other) for role, other in others.items()):
            names = (str(each).removeprefix("torch.") for each in (dtype, right_dtype))
            return _of_weights(
                "drawn_in_another_dtype",
                "the weights were drawn in {}, where inputs and default dtype are {}".format(*names),
                "From one seed the generator gives other numbers in another dtype: to convert them comes too late.",
            )
    return None


def _dealt_out_by_heads(used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    """The rows of the drawn (3 E, E) matrix read as (H, 3, D), for some number of heads."""
    features = used["o"].shape[0]
    ours, packed = (torch.cat([each[role] for role in "qkv"]) for each in (used, right))
    for heads in range(2, features + 1):
        if features % heads == 0:
            by_heads = packed.view(heads, 3, features // heads, features).transpose(0, 1).reshape(packed.shape)
            if _same(ours, by_heads) and _same(used["o"], right["o"]):
                return _of_weights(
                    "drawn_weights_dealt_out_by_heads",
                    "the drawn matrix was read head by head, as (H, 3, D) rows: its first E rows are for the queries",
                    "PyTorch draws one (3 E, E) matrix whose rows are for queries, then keys, then values.",
                )
    return None


def _cut_by_columns(used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    """The numbers of the drawn (3 E, E) matrix laid out as (E, 3 E), which has the same bound."""
    features = used["o"].shape[0]
    columns = torch.cat([right[role] for role in "qkv"]).view(features, 3 * features).chunk(3, dim=1)
    are_cut = all(
        _same(used[role], part) or _same(used[role], part.T) for role, part in zip("qkv", columns, strict=True)
    )
    if not are_cut or not _same(used["o"], right["o"]):
        return None
    return _of_weights(
        "drawn_weights_cut_by_columns",
        "the weights for queries, keys and values were drawn as one (E, 3 E) matrix and cut by columns",
        "PyTorch draws a (3 E, E) matrix and cuts it by rows: the same numbers stand in other places there.",
    )


def _exchanged(used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    taken = {role: next((other for other in right if _same(used[role], right[other])), None) for role in used}
    other = {role: source for role, source in taken.items() if source is not None and source != role}
    if not other or None in taken.values():
        return None
    said = [f"{_ROLES[role]} got the weights drawn for {_ROLES[source]}" for role, source in other.items()]
    return _of_weights(
        "drawn_weights_exchanged",
        listed(said),
        "PyTorch draws one (3 E, E) matrix whose rows are for queries, then keys, then values.",
    )


def _of_the_first_head(used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    """The rows of one head in the place of every head's, in some of the weights; the others are PyTorch's."""
    features = used["o"].shape[0]
    sizes = [size for size in range(1, features) if features % size == 0]
    repeated = [
        role
        for role in "qkv"
        if any(_same(used[role], right[role][:size].repeat(features // size, 1)) for size in sizes)
    ]
    if not repeated or not all(role in repeated or _same(used[role], right[role]) for role in used):
        return None
    return _of_weights(
        "drawn_weights_of_first_head",
        f"the first head's weights for {listed([_ROLES[role] for role in repeated])} were used by every head",
        "Each head has D rows of its own of the E drawn ones: with the same rows all heads look for the same.",
    )


def _within_other_bounds(used: Mapping[str, Tensor], features: int) -> Mistake | None:
    linear, packed, square = 1 / math.sqrt(features), math.sqrt(6 / (4 * features)), math.sqrt(6 / (2 * features))
    inputs = [used[role] for role in "qkv"]
    if all(_is_within(weight, linear) for weight in inputs):
        return _of_weights(
            "input_weights_drawn_by_linear",
            "the weights for queries, keys and values were drawn within 1 / sqrt(E), as nn.Linear draws them",
            "nn.MultiheadAttention draws one (3 E, E) matrix by Xavier, within sqrt(6 / (3 E + E)).",
        )
    if all(_is_within(weight, square) for weight in inputs):
        return _of_weights(
            "three_squares_drawn",
            "the weights for queries, keys and values were drawn within sqrt(6 / (E + E)), as three (E, E) matrices",
            "PyTorch draws them at once: Xavier's bound for (3 E, E) is sqrt(6 / (3 E + E)), smaller by sqrt(2).",
        )
    if all(_is_normal(weight, float(weight.double().square().mean().sqrt())) for weight in inputs):
        return _of_weights(
            "input_weights_drawn_normally",
            "the weights for queries, keys and values were drawn from a normal distribution",
            "nn.MultiheadAttention draws them uniformly, by xavier_uniform_.",
        )
    if _is_within(used["o"], square) or _is_within(used["o"], packed):
        return _of_weights(
            "output_weights_drawn_by_xavier",
            "the output projection's weights were drawn by Xavier",
            "nn.MultiheadAttention leaves them as nn.Linear draws them, uniformly within 1 / sqrt(E).",
        )
    if _is_within(used["o"], math.sqrt(6 / features)):
        return _of_weights(
            "output_weights_drawn_by_kaiming",
            "the output projection's weights were drawn within sqrt(6 / E), as kaiming_uniform_ draws them by default",
            "nn.Linear calls it with a = sqrt(5), which makes of it a uniform draw within 1 / sqrt(E).",
        )
    return None


def _from_other_numbers(drawn: DrawnWeights, used: Mapping[str, Tensor], right: Mapping[str, Tensor]) -> Mistake | None:
    features, dtype = used["o"].shape[0], used["o"].dtype
    linear, packed = 1 / math.sqrt(features), math.sqrt(6 / (4 * features))
    if not all(_is_within(used[role], packed) for role in "qkv"):
        return None
    ours, pytorchs = (torch.cat([each[role] for role in "qkv"]) for each in (used, right))
    numbers = [_first_numbers(drawn.seed, MOST_DRAWN * features**2, each) for each in {dtype, torch.float32}]
    output, inputs = _place(used["o"] / linear, numbers), _place(ours / packed, numbers)
    if inputs == 0:
        return _of_weights(
            "output_weights_drawn_last",
            "the weights for queries, keys and values were drawn first, and the output projection's after them",
            "nn.MultiheadAttention makes its output projection first: it takes the generator's first numbers.",
        )
    begins_alike = any(_same(used[role][0], right[role][0]) for role in "qkv")
    is_reordered = _same(ours.flatten().sort().values, pytorchs.flatten().sort().values)
    if _same(used["o"], right["o"]) and not begins_alike and not is_reordered:
        return _of_weights(
            "more_drawn_between",
            "the output projection has PyTorch's weights, and more was drawn before those for queries, keys and values",
            f"{_SAME_SEED} A layer with a bias draws that too.",
        )
    if output:
        return _of_weights(
            "more_drawn_before",
            "more was drawn before the output projection's weights: they are not the first after the seed",
            f"{_SAME_SEED} nn.Linear draws its weights when it is made, and drawing them again takes the next numbers.",
        )
    rows = [used["o"][0] / linear, *(used[role][0] / packed for role in "qkv")]
    if _is_within(used["o"], linear) and all(_place(row, numbers) is None for row in rows):
        return _of_weights(
            "drawn_from_another_seed",
            "the weights have PyTorch's bounds, and are not the numbers that come after the caller's seed",
            f"{_SAME_SEED} A seed or a generator of one's own gives others.",
        )
    return None


def _first_numbers(seed: int, count: int, dtype: torch.dtype) -> Tensor:
    """The first numbers that the generator gives after the seed, between -1 and 1."""
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        return torch.empty(count, dtype=dtype).uniform_(-1, 1)


def _place(values: Tensor, numbers: Sequence[Tensor]) -> int | None:
    """The place at which one of the tensors of numbers holds the values, one after the other; None: nowhere."""
    flat = values.flatten().double()
    for each in numbers:
        for place in ((each - flat[0]).abs() < NEAR).nonzero().flatten().tolist():
            part = each[place : place + len(flat)].double()
            if part.shape == flat.shape and _same(flat, part):
                return int(place)
    return None


def _of_weights(name: str, sentence: str, why: str) -> Mistake:
    return Mistake(name, sentence, why=why, own_section=BY_STEP["project"])


def _is_within(values: Tensor, bound: float) -> bool:
    """Whether values look drawn uniformly within a bound; by chance, one such in 10^5 does not."""
    count = values.numel()
    if count < 2 or values.abs().max() > bound * (1 + 1e-6) or values.abs().max() < bound * (1 - 12 / count):
        return False
    spread = float(values.double().square().mean().sqrt()) * math.sqrt(3) / bound
    return abs(spread - 1) < 4 * math.sqrt(0.2 / count)


def _is_normal(values: Tensor, spread: float) -> bool:
    """Whether values look drawn normally with this standard deviation; by chance, one such in 10^4 does not."""
    count = values.numel()
    share = float((values.abs() > math.sqrt(3) * spread).double().mean())
    is_as_wide = abs(float(values.double().square().mean().sqrt()) / spread - 1) < 4 * math.sqrt(0.5 / count)
    return is_as_wide and abs(share - BEYOND) < 4 * math.sqrt(BEYOND * (1 - BEYOND) / count)


def _same(one: Tensor, other: Tensor) -> bool:
    return is_near(one, other, 1e-4, 1e-6)
