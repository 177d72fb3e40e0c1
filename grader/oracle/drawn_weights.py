"""Weights that a submission draws itself: what PyTorch draws, and which were seen in use."""

import math
from dataclasses import replace
from functools import reduce

import torch
from torch import Tensor, nn

from grader.checks import expect
from grader.checks.attention import Attention, DrawnWeights
from grader.checks.case import Answer, Case, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import PARITY, Refusal, rounding
from grader.checks.submitted import SubmittedAttention
from grader.checks.weight_source import WeightsDrawnInCalls
from grader.oracle.near import is_near

Products = tuple[tuple[Tensor, Tensor], ...]
"""The factors of the matrix products of a call, in order."""
ROLES = {"q": "query projection", "k": "key projection", "v": "value projection", "o": "output projection"}
FEWEST = 8
"""With fewer features, weights are not judged: one that is near 0 may be drawn so by chance."""
MOST_TIMES = 300.0
"""How many times as large or as small as with PyTorch's weights a spread may be.

Weights drawn with a standard deviation of 0.02, as by GPT-2, reach 41 to 208; at 1,000 wrong code begins to pass.
Four layers and those of PyTorch were at most 15 times apart, in 400 draws of 11 sizes.
"""
MOST_ALIKE = 0.9
"""The largest cosine allowed of two weights, or of what two heads make of theirs.

Drawn ones have at most 0.85, with 8 features.
"""
CLEARLY = 0.2
"""The largest error of one order of the features, as a share of the other order's, for it to be the right one.

Wrong answers are off alike in both orders, and a narrow dtype rounds in the right one too.
"""
MOST_PEAKED = 7.0
"""The largest kurtosis allowed of a weight's entries.

Uniform entries have 1.8, normal ones 3, and the identity, which projects nothing, has E.
"""


def as_pytorch_draws(seed: int, size: Size, drawn: int = 0) -> Projections:
    """What nn.MultiheadAttention(E, H, bias=False) draws after `torch.manual_seed(seed)`, in the size's dtype.

    Args:
        seed: of the global generator.
        size: of the attention.
        drawn: how many numbers the generator has given since it was seeded.
    """
    if size.embed_dim % size.num_heads != 0:
        empty = torch.zeros(size.embed_dim, size.embed_dim, dtype=size.dtype)
        return Projections(empty, empty, empty, empty)
    with torch.random.fork_rng(devices=[]):
        torch.default_generator.manual_seed(seed)
        torch.rand(drawn, dtype=torch.float64)
        layer = nn.MultiheadAttention(size.embed_dim, size.num_heads, bias=False, dtype=size.dtype)
    q, k, v = layer.in_proj_weight.detach().chunk(3)
    return Projections(q.clone(), k.clone(), v.clone(), layer.out_proj.weight.detach().clone())


def equal_pytorchs(attention: Attention) -> None:
    """Asserts that the weights of an attention, as they were seen in use, are those that PyTorch draws."""
    drawn = as_pytorch_draws(attention.seed, attention.size)
    attention.trace.calls.append(DrawnWeights(attention.weights, drawn, attention.seed))
    for name, weight in attention.weights.items():
        what = f"weights for the {ROLES[name]} that would give this output (all other checks were judged on them)"
        expect.close(what, weight, getattr(drawn, name))


def in_use(case: Case, output: Tensor, products: Products, size: Size, drawn: Tensor) -> Projections | None:
    """The weights, each (E, E), that queries, keys, values and the merged heads were multiplied by.

    None: fewer than four were found, or one is used in place of another, which is wrong and no free choice.

    Args:
        case: the call.
        output: what it returned, (N, L, E).
        products: factors of its matrix products, in order.
        size: how the attention is built.
        drawn: the weight that PyTorch draws for the output.
    """
    products = tuple(product for product in products if _can_be_multiplied(*product))
    # Only products with a weight are computed: that of a column and a row may be larger than any memory.
    by_weights = [(x, weight) for x, weight in products if _may_project(x, weight, output)]
    last = [x for x, weight in by_weights if _same(_flat(x @ weight), _flat(output))]
    merged = last[-1] if last else torch.zeros(0, output.shape[-1])
    projections = [_projection(x, products) for x in (case.query, case.keys, case.values, merged)]
    if projections[3] is None:
        projections[3] = _of_parts(products, output, size)
    weights = [weight for weight in projections if weight is not None]
    pairs = [(a, b) for a in range(4) for b in range(a)]
    if len(weights) < 4 or any(_same(weights[a], weights[b]) for a, b in pairs):
        return None
    seen = Projections(*weights)
    return replace(seen, o=_head_by_head(seen, case, merged, size, drawn)) if merged.numel() else seen


def _of_parts(products: Products, output: Tensor, size: Size) -> Tensor | None:
    """The output's weight (E, E), where each head's answer is multiplied by its rows and the products are added."""
    rows, shape = output.numel() // size.embed_dim, (size.head_dim, size.embed_dim)
    parts = [(x, weight) for x, weight in products if weight.shape == shape and x.numel() == rows * size.head_dim]
    parts = parts[-size.num_heads :]
    if len(parts) < size.num_heads:
        return None
    added = reduce(torch.add, (_flat(x) @ weight for x, weight in parts))  # rounded after each, in a narrow dtype
    if not _same(added, _flat(output)):
        return None
    return torch.cat([weight for _, weight in parts]).T


def _head_by_head(seen: Projections, case: Case, merged: Tensor, size: Size, drawn: Tensor) -> Tensor:
    """The output's weight with its columns ordered head by head: einsum may sum over the features in another order.

    The columns are in the other order if reordering them gives PyTorch's own weight, or, where the submission draws
    other numbers, if the merged heads are right in that order.
    """
    if size.embed_dim % size.num_heads or _same(seen.o, drawn):
        return seen.o
    parts = (size.head_dim, size.num_heads)
    ordered = seen.o.unflatten(1, parts).mT.flatten(1)
    if _same(ordered, drawn):
        return ordered
    q, k, v = (
        (x.double() @ weight.double().T).unflatten(-1, parts[::-1]).transpose(1, 2)
        for x, weight in ((case.query, seen.q), (case.keys, seen.k), (case.values, seen.v))
    )
    answers = torch.softmax(q @ k.mT / size.head_dim**0.5, dim=-1) @ v  # (N, H, L, D)
    by_heads, by_features = (answers.permute(order).flatten(2) for order in ((0, 2, 1, 3), (0, 2, 3, 1)))
    off = [float((_flat(merged).double() - _flat(each)).abs().max()) for each in (by_heads, by_features)]
    return ordered if off[1] < CLEARLY * off[0] else seen.o


def are_ordinary(weights: Projections, case: Case, size: Size) -> bool:
    """Whether each weight is drawn by itself, and each head spreads scores and values about as with PyTorch's weights.

    With weights that are next to nothing or huge, in one head or all, wrong code gives right answers within any bound;
    beside a head of huge ones, all others may be wrong. With one weight in several places, with heads that are all
    alike or with the identity, less than multi-head attention gives the same answers.
    With fewer than `FEWEST` features, the weights are not judged and the answer is True.

    Args:
        weights: those seen in use, (E, E) each.
        case: the call.
        size: how the attention is built.
    """
    if size.embed_dim < FEWEST:
        return True
    if not _drawn_by_themselves(weights, size):
        return False
    usual = _spread(as_pytorch_draws(case.manner.seed or 0, size), case, size)
    ratios = [one / other for one, other in zip(_spread(weights, case, size), usual, strict=True)]
    usual_sizes = all(bool(((1 / MOST_TIMES <= ratio) & (ratio <= MOST_TIMES)).all()) for ratio in ratios)
    return usual_sizes and all(bool(ratio.max() <= MOST_TIMES * ratio.min()) for ratio in ratios)


def stretch(weights: Projections, size: Size) -> float:
    """The factor on the inputs, a power of two, with which scores spread about as with the weights that PyTorch draws.

    For scores close to 0, a polynomial is as good as a softmax; for large ones, a maximum is. The head with the largest
    scores counts: wrong code shows there. The factor is 1 with PyTorch's own weights, and for fewer than `FEWEST`
    features.
    """
    if size.embed_dim < FEWEST or size.embed_dim % size.num_heads != 0:
        return 1.0
    q, k = (weight.double().unflatten(0, (size.num_heads, size.head_dim)) for weight in (weights.q, weights.k))
    # For inputs with a standard deviation of 1; the entries that PyTorch draws have a variance of 1 / (2 E).
    scores = ((q @ q.mT) * (k @ k.mT)).sum((1, 2)).sqrt()
    ratio = float(scores.max()) / (size.head_dim**0.5 / 2)
    return 2.0 ** round(-0.5 * math.log2(ratio))


def _drawn_by_themselves(weights: Projections, size: Size) -> bool:
    """Whether no weight is a multiple of another, no head repeats another, and no entries stand out by far.

    The mean is taken off the entries first: `torch.rand` draws all of them above 0.
    """
    rows = torch.stack([weights.q, weights.k, weights.v, weights.o.T]).double()
    heads = rows.unflatten(1, (size.num_heads, size.head_dim))  # (4, H, D, E)
    q, k, v, o = heads - heads.mean((2, 3), keepdim=True)
    whole = torch.stack([q, k, v, o]).flatten(1)
    apart = all(_most_alike(each) <= MOST_ALIKE for each in (whole, q.mT @ k, o.mT @ v))
    peaked = (whole**4).mean(1) / (whole**2).mean(1) ** 2
    return apart and bool((peaked <= MOST_PEAKED).all())


def _most_alike(matrices: Tensor) -> float:
    """The largest cosine, without its sign, of two among n matrices; 0 where there is one alone."""
    unit = torch.nn.functional.normalize(matrices.flatten(1), dim=1)
    return float((unit @ unit.T).fill_diagonal_(0.0).abs().max())


def _spread(weights: Projections, case: Case, size: Size) -> tuple[Tensor, Tensor]:
    """The standard deviations, each (H,), of a head's scores and of what it adds to the output for one key alone."""
    heads = (size.num_heads, size.head_dim)
    inputs = ((case.query, weights.q), (case.keys, weights.k), (case.values, weights.v))
    q, k, v = ((x.double() @ weight.double().T).unflatten(-1, heads).transpose(1, 2) for x, weight in inputs)
    added = torch.einsum("nhsd,ehd->hnse", v, weights.o.double().unflatten(-1, heads))
    return (q @ k.mT).transpose(0, 1).flatten(1).std(1), added.flatten(1).std(1)


def _can_be_multiplied(left: Tensor, right: Tensor) -> bool:
    """Whether two matrices, or batches, fit in size and dtype: the worker only claims that they were multiplied."""
    alike = left.dtype == right.dtype and left.is_floating_point() and left.dim() == right.dim() in (2, 3)
    there = left.numel() > 0 and right.numel() > 0
    return alike and there and left.shape[-1] == right.shape[-2] and left.shape[:-2] == right.shape[:-2]


def _may_project(x: Tensor, weight: Tensor, output: Tensor) -> bool:
    """Whether these may be the merged heads and the output projection: as many values as the output, and (E, E)."""
    return x.numel() == output.numel() and weight.shape[-2:] == (output.shape[-1], output.shape[-1])


def _projection(x: Tensor, products: Products) -> Tensor | None:
    """The weight (E, E) that x (N, T, E) was multiplied by, whole or head by head; None: there is none."""
    rows = _flat(x)
    parts = []
    for left, right in products:
        if _same(_flat(left), rows):
            parts.append(right[0] if right.dim() == 3 else right)
        elif right.dim() == 2 and _same(right.T, rows):
            parts.append(left.T)
    if not parts:
        return None
    weight = torch.cat(parts, dim=1).T
    return weight if weight.shape == (x.shape[-1], x.shape[-1]) else None


def _flat(x: Tensor) -> Tensor:
    """(N, T, E) as (N T, E)."""
    return x.reshape(-1, x.shape[-1])


def _same(one: Tensor, other: Tensor) -> bool:
    """Whether shapes are equal, and values up to rounding, whatever the dtypes: a submission may compute in float64."""
    return one.shape == other.shape and is_near(one, other)


class PyTorchDraws(WeightsDrawnInCalls):
    """Weights drawn in calls: PyTorch's are expected, and others count where a call is seen to use them."""

    def new(self, draw: Draw, size: Size) -> tuple[Projections, int]:
        seed = draw.integer()
        return as_pytorch_draws(seed, size), seed

    def stretch(self, size: Size, weights: Projections) -> float:
        return stretch(weights, size)

    def _probe(self, attention: SubmittedAttention) -> tuple[Case, Answer, Products]:
        """A call, its answer and its products; if it raises without a mask, it gets one that hides nothing."""
        case = attention.case(Draw(attention.seed, "probe"), N=2, L=4, S=4)
        try:
            answer, result = attention.observe(case)
        except Refusal:
            try:
                masked = case.but(allow=torch.ones(4, 4, dtype=torch.bool))
                answer, result = attention.observe(masked)
            except Refusal:  # both calls raise: the report shows the simpler one
                answer, result = attention.observe(case)
            else:
                case = masked
        return case, answer, result.products

    def observed(self, attention: SubmittedAttention) -> Projections:
        """The weights that a probe call is seen to use, where its answer does not fit the expected weights; else these.

        The probe has as many keys as queries, so that code that is right in self-attention alone can answer it.
        """
        size, kata = attention.size, attention.kata
        case, answer, products = self._probe(attention)
        expected = kata.key.oracle.run(case, size, attention.weights).output
        if answer.output.shape != expected.shape:
            return attention.weights
        # In bfloat16 correct answers differ by far more than allclose allows by itself.
        allowed = max(PARITY.atol, rounding(size.dtype, expected).atol)
        if is_near(answer.output, expected, atol=allowed):
            return attention.weights
        seen = in_use(case, answer.output, products, size, attention.weights.o)
        if seen is None or not are_ordinary(seen, case, size):
            return attention.weights
        return seen.to(size.dtype)
