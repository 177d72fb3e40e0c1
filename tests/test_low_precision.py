"""Attentions that a test of stability is given: how far right ones are from the formula, wrong ones at least."""

from collections.abc import Iterator

import pytest
import torch
from torch import Tensor

from grader.katas.write_fp16_stability_test.hidden.attentions import ATTENTIONS, AttentionRecipe
from grader.oracle.catalogue.low_precision import HALVES
from grader.oracle.implemented import HEADS_GIVEN, MOST_KEYS, MOST_SCORES, function
from grader.oracle.mistake import apply

Given = tuple[Tensor, Tensor, Tensor, Tensor | None]
STABLE, UNSTABLE = 4, 16
"""In eps of the dtype."""


def inputs() -> Iterator[Given]:
    """As candidates draw them: of several sizes, scores near and far apart, sums of some and of many keys."""
    g = torch.Generator().manual_seed(3)
    mask = torch.rand(2, 1, 8, 16, generator=g) < 0.6
    mask[..., 0], mask[..., -1] = True, False
    for times, size, shown in (
        (1, 64, None),
        (1, 64, mask),
        (1, 3, mask),
        (4, 64, None),
        (100, 64, None),
        (100, 64, mask),
    ):
        q, k, v = (torch.randn(2, 3, n, size, generator=g) for n in (8, 16, 16))
        yield times * q, times * k, v, shown
    for sign in (1, -1):
        q, k, v = (torch.randn(2, 3, n, 64, generator=g) for n in (8, 16, 16))
        q[..., 0], k[..., 0] = sign * 256, 384
        q[..., 0, 0] *= -1
        k[..., -1, 0] *= 2
        yield q, k, v, mask
    for keys in (300, 2048, 5000, MOST_KEYS):
        q, k, v = (torch.randn(1, 1, n, 8, generator=g) for n in (2, keys, keys))
        yield q, k, v, None
        yield q, k, v.abs(), None


def errors(recipe: AttentionRecipe, dtype: torch.dtype) -> Iterator[float]:
    """Of the output on the mean, and of the sums of weights at most, in eps; infinity where it raises or gives NaN."""
    attention = function(apply((recipe.mistake,), HEADS_GIVEN))
    for q, k, v, mask in inputs():
        q, k, v = q.to(dtype), k.to(dtype), v.to(dtype)
        scores = q.double() @ k.double().mT / q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        want = scores.softmax(-1) @ v.double()
        try:
            output, weights = attention.run({}, q, k, v, mask)
        except RuntimeError:
            yield torch.inf
            continue
        error = (output.double() - want).abs().mean() / want.abs().mean()
        beyond = (weights.double().sum(-1) - 1).abs().max()
        yield float(torch.stack([error, beyond]).nan_to_num(torch.inf).max()) / torch.finfo(dtype).eps


@pytest.mark.parametrize(
    "recipe", [recipe for recipe in ATTENTIONS if recipe.is_right], ids=lambda recipe: recipe.mistake.name
)
def test_a_stable_attention_is_so_for_all_inputs(recipe: AttentionRecipe) -> None:
    assert all(error < STABLE for dtype in HALVES for error in errors(recipe, dtype))


@pytest.mark.parametrize(
    "recipe", [recipe for recipe in ATTENTIONS if not recipe.is_right], ids=lambda recipe: recipe.mistake.name
)
def test_an_unstable_attention_is_far_off_for_some_inputs(recipe: AttentionRecipe) -> None:
    assert any(error >= UNSTABLE for dtype in HALVES for error in errors(recipe, dtype))


@pytest.mark.parametrize(("queries", "keys"), [(1, MOST_KEYS + 1), (MOST_SCORES // 64 + 1, 64)])
def test_what_a_call_takes_is_bounded(queries: int, keys: int) -> None:
    q, k = torch.zeros(1, 1, queries, 2), torch.zeros(1, 1, keys, 2)
    with pytest.raises(ValueError, match="up to 8192 keys and 262144 scores"):
        function(HEADS_GIVEN).run({}, q, k, k)
