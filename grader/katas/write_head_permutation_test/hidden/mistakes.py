"""The mistakes: steps that take the place of right ones."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.claims.hidden.testing import ONE_VERDICT
from grader.katas.write_head_permutation_test.hidden.checker import (
    Parameters,
    exchanged,
    near,
    permuted,
    shifted,
    tokens,
)
from grader.oracle.mistake import Mistake

INPUTS = ("W_Q", "W_K", "W_V")


def _reversed(heads: int) -> list[int]:
    return [*range(heads)][::-1]


def _interleaved(order: list[int], head_dim: int) -> Tensor:
    return torch.arange(len(order) * head_dim).reshape(head_dim, -1)[:, order].flatten()


def _kept(*names: str) -> Callable[[Parameters, Tensor], Parameters]:
    """The step that leaves the named parameters in their order."""
    return lambda parameters, order: {**permuted(parameters, order), **{name: parameters[name] for name in names}}


def _out_by(other: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Parameters, Tensor], Parameters]:
    """The step that reorders the output layer's weight by `other`."""
    return lambda parameters, order: {
        **permuted(parameters, order),
        "W_O.weight": other(parameters["W_O.weight"], order),
    }


def _columns_permuted(parameters: Parameters, order: Tensor) -> Parameters:
    columns = {f"{path}.weight": parameters[f"{path}.weight"][:, order] for path in INPUTS}
    return {**permuted(parameters, order), **columns}


def _without_biases(parameters: Parameters) -> Parameters:
    return {name: tensor * (not name.endswith("bias")) for name, tensor in parameters.items()}


def _with_weights_in_place(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
    return near(1e-3)(before, after, order) and torch.allclose(before[1], after[1], atol=1e-3)


def _by_weights(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
    return torch.allclose(before[1][:, order], after[1], atol=1e-3)


def _orders(name: str, sentence: str, which: Callable[[int], list[list[int]]], why: str) -> Mistake:
    return Mistake(name, sentence, {"orders": which}, why=why)


def _blocks(name: str, sentence: str, step: Callable[[Parameters, Tensor], Parameters], why: str) -> Mistake:
    return Mistake(name, sentence, {"permuted": step}, why=why)


_ROWS = (
    "A head's features are rows of the layers that make them, in weight and bias, and columns of W_O, which reads them."
)
_BIAS = "A bias is added feature by feature: where the rows of the weight move, its numbers belong to other heads."
_FEW = "Flaws that are the same after this order stay unseen: all orders are made of exchanges of two neighbours."
MISTAKES = (
    *ONE_VERDICT,
    Mistake(
        "verdict_inverted",
        "the verdicts were exchanged: what is equal was refused",
        {"agree": lambda before, after, order: not near(1e-3)(before, after, order)},
        why="assert raises where its condition is false: the condition is what holds of a right module.",
    ),
    _orders("only_shifts", "the heads were permuted by shifts alone", lambda heads: [shifted(heads)], _FEW),
    _orders("only_reversal", "the heads were permuted by a reversal alone", lambda heads: [_reversed(heads)], _FEW),
    _orders(
        "only_shifts_and_reversal",
        "the heads were permuted by shifts and reversals alone",
        lambda heads: [shifted(heads), _reversed(heads)],
        _FEW,
    ),
    _orders("only_first_two", "the first two heads alone were exchanged", lambda n: [exchanged(n, 0, 1)], _FEW),
    _orders("only_ends", "the first and the last head alone were exchanged", lambda n: [exchanged(n, 0, -1)], _FEW),
    _blocks(
        "biases_kept",
        "the biases of queries, keys and values were not permuted",
        _kept(*(f"{path}.bias" for path in INPUTS)),
        _BIAS,
    ),
    _blocks("query_bias_kept", "the bias of the queries was not permuted", _kept("W_Q.bias"), _BIAS),
    _blocks("key_bias_kept", "the bias of the keys was not permuted", _kept("W_K.bias"), _BIAS),
    _blocks("value_bias_kept", "the bias of the values was not permuted", _kept("W_V.bias"), _BIAS),
    _blocks("output_kept", "the columns of W_O were not permuted", _kept("W_O.weight"), _ROWS),
    _blocks(
        "output_inverse",
        "the columns of W_O were permuted by the inverse order",
        _out_by(lambda weight, order: weight[:, order.argsort()]),
        _ROWS,
    ),
    _blocks(
        "output_rows",
        "W_O's rows were permuted instead of its columns",
        _out_by(lambda weight, order: weight[order]),
        _ROWS,
    ),
    _blocks(
        "values_kept",
        "the rows of W_V were not permuted, while those of W_Q and W_K were",
        _kept("W_V.weight", "W_V.bias"),
        _ROWS,
    ),
    _blocks(
        "queries_and_keys_apart",
        "queries and keys were permuted otherwise than values and output",
        _kept("W_Q.weight", "W_Q.bias", "W_K.weight", "W_K.bias"),
        _ROWS,
    ),
    _blocks("columns_permuted", "rows and columns of W_Q, W_K and W_V were permuted", _columns_permuted, _ROWS),
    Mistake(
        "features_interleaved",
        "the features were permuted as if they were dealt out to the heads in turn",
        {"features": _interleaved},
        why="Head h owns the features h D to (h + 1) D - 1: a permutation of heads moves whole blocks.",
    ),
    Mistake(
        "one_sequence",
        "a single sequence was looked at",
        {"tokens": lambda width: tokens(width, sequences=1)},
        why="Heads that are mixed with the batch are in order where there is only one sequence.",
    ),
    Mistake(
        "one_token",
        "a single token was looked at",
        {"tokens": lambda width: tokens(width, length=1)},
        why="With one key every weight is 1, and with one token a view cannot mix any: most flaws are gone.",
    ),
    Mistake(
        "tokens_alike",
        "all tokens that were looked at are alike",
        {"tokens": lambda width: torch.ones(2, 5, width)},
        why="With one value at all keys no weights matter: what is done to the scores of a head cannot be seen.",
    ),
    Mistake(
        "biases_zeroed",
        "the biases were set to zero",
        {"begin": _without_biases},
        why="A flaw in what is done with a bias shows only where the bias is not zero.",
    ),
    Mistake(
        "tolerance_wide",
        "a difference of several percent was accepted",
        {"agree": near(0.1)},
        why="Equal but for rounding means some 1e-6 of the output in float32: 1 % is a flaw.",
    ),
    Mistake(
        "tolerance_none",
        "a difference by rounding was refused",
        {"agree": lambda before, after, order: torch.equal(before[0], after[0])},
        why="Permuted heads are summed in another order by W_O: the last digits differ in a right module too.",
    ),
    Mistake(
        "weights_in_place",
        "the weights returned were compared head by head in their old places",
        {"agree": _with_weights_in_place},
        why="The output stays as it was, and the weights move with their heads.",
    ),
    Mistake(
        "weights_alone",
        "the weights returned were compared, and not the output",
        {"agree": _by_weights},
        why="What is done to values, merge and output leaves the weights as they are.",
    ),
)
