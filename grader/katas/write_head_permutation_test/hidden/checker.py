"""A right test, made of steps that a mistake replaces; all of them look at modules with H heads of D features."""

from collections.abc import Callable
from typing import TypeAlias

import torch
from torch import Tensor

from grader.checks.subject import Implementation
from grader.oracle.functions import Functions

Parameters: TypeAlias = dict[str, Tensor]


def check(steps: Functions, attention: Implementation) -> bool:
    """Whether the module is refused."""
    heads, width = int(attention.attributes["num_heads"]), int(attention.attributes["d_model"])
    parameters = {
        f"{path}.{name}": tensor
        for path, pair in attention.layers.items()
        for name, tensor in zip(("weight", "bias"), pair, strict=True)
        if tensor is not None
    }
    parameters, tokens = steps.begin(parameters), steps.tokens(width)
    before = attention.run(parameters, tokens, tokens, tokens)
    holds = True
    for order in steps.orders(heads):
        features = steps.features(order, width // heads)
        after = attention.run(steps.permuted(parameters, features), tokens, tokens, tokens)
        holds = holds and steps.agree(before, after, order)
    return steps.refused(holds)


def orders(heads: int) -> list[list[int]]:
    """A shift by one and an exchange of two heads: all other orders are made of these."""
    return [shifted(heads), exchanged(heads, 0, 1)]


def shifted(heads: int) -> list[int]:
    return [*range(1, heads), 0]


def exchanged(heads: int, one: int, other: int) -> list[int]:
    """An order in which two heads have each other's place; a single head stays.

    Args:
        heads: how many there are.
        one: the place of one of the two.
        other: the place of the other.
    """
    order = list(range(heads))
    if heads > 1:
        order[one], order[other] = order[other], order[one]
    return order


def features(order: list[int], head_dim: int) -> Tensor:
    """The indices of the features, (E,), with the heads in that order."""
    return torch.arange(len(order) * head_dim).reshape(-1, head_dim)[order].flatten()


def permuted(parameters: Parameters, order: Tensor) -> Parameters:
    """Permutes the rows of the three input layers, with their biases, and the columns of the output layer."""
    rows = {name: tensor[order] for name, tensor in parameters.items() if not name.startswith("W_O")}
    return {**parameters, **rows, "W_O.weight": parameters["W_O.weight"][:, order]}


def tokens(width: int, sequences: int = 2, length: int = 5) -> Tensor:
    """Normally distributed tokens (N, L, E), the same at each call.

    Args:
        width: the size of a token, E.
        sequences: how many there are, N.
        length: the length of each, L.
    """
    return torch.randn(sequences, length, width, generator=torch.Generator().manual_seed(7))


def near(tolerance: float) -> Callable[..., bool]:
    def agree(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
        return bool((after[0] - before[0]).abs().max() <= tolerance * before[0].abs().max())

    return agree


TEST = Functions(
    check_head_permutation=check,
    begin=lambda parameters: parameters,
    tokens=tokens,
    orders=orders,
    features=features,
    permuted=permuted,
    agree=near(1e-3),
    refused=lambda holds: not holds,
)
