"""Mistakes with whole heads, sequences and inputs: averaged, taken for one another, or left out."""

from collections.abc import Callable
from dataclasses import replace

import torch
from torch import Tensor

from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, followed_by, preceded_by
from grader.oracle.pipeline import Context, linear


def _merged_as(name: str, sentence: str, why: str, other: Callable[[Tensor], Tensor]) -> Mistake:
    """A mistake that changes the heads' outputs, (N, H, L, D), before they are merged."""
    return Mistake(name, sentence, around={"merge": preceded_by(other)}, why=why)


def _weighed_with(name: str, sentence: str, why: str, other: Callable[[Tensor], Tensor]) -> Mistake:
    """A mistake that changes the attention weights, (N, H, L, S), before the weighted sum of the values."""
    return Mistake(name, sentence, around={"weighted_sum": preceded_by(other)}, why=why)


def _unfolded_by_heads(mixed: Tensor) -> Tensor:
    """Folds the heads into the batch as (N H, L, D), and unfolds them as (H, N, L, D)."""
    n, heads = mixed.shape[:2]
    return mixed.flatten(0, 1).unflatten(0, (heads, n)).transpose(0, 1)


def _unfolded_by_sequences(mixed: Tensor) -> Tensor:
    """Folds the heads into the batch as (H N, L, D), and unfolds them as (N, H, L, D)."""
    return mixed.transpose(0, 1).flatten(0, 1).unflatten(0, mixed.shape[:2])


_UNFOLDED = "A fold is undone only by the same order of axes; in any other a head's output lands in another sequence."
HEADS = (
    _merged_as(
        "heads_averaged",
        "the average of the heads' answers stood in place of every head",
        "Averaging throws away what the heads learned apart: the output projection should weigh each one's answer.",
        lambda mixed: mixed.mean(1, keepdim=True).expand_as(mixed),
    ),
    _merged_as(
        "first_head_alone",
        "the first head's answer stood in place of every head",
        "The other heads' answers never reach the output, so nothing that they compute matters.",
        lambda mixed: mixed[:, :1].expand_as(mixed),
    ),
    _merged_as(
        "last_head_alone",
        "the last head's answer stood in place of every head",
        "The other heads' answers never reach the output, so nothing that they compute matters.",
        lambda mixed: mixed[:, -1:].expand_as(mixed),
    ),
    _merged_as(
        "heads_summed",
        "the sum of the heads' answers stood in place of every head",
        "A sum throws away what the heads learned apart: the output projection should weigh each one's answer.",
        lambda mixed: mixed.sum(1, keepdim=True).expand_as(mixed),
    ),
    _weighed_with(
        "heads_share_average",
        "the weights were averaged over the heads before they met the values",
        "Each head weighs its values by its own softmax; with a shared average all heads look at the same keys.",
        lambda weights: weights.mean(1, keepdim=True),
    ),
    _weighed_with(
        "heads_share_first",
        "the first head's weights were used by every head",
        "Each head weighs its values by its own softmax; with shared weights the other heads' queries do nothing.",
        lambda weights: weights[:, :1],
    ),
    Mistake(
        "keys_of_first_head",
        "the first head's keys were used by every head",
        {"score": lambda query, key, c: query @ key[:, :1].transpose(-2, -1)},
        why="A head's queries are learned to match its own keys: those of the others are never used.",
    ),
    Mistake(
        "values_of_first_head",
        "the first head's values were used by every head",
        {"weighted_sum": lambda weights, value, c: weights @ value[:, :1]},
        why="Each head hands over what its own values learned: those of the others never reach the output.",
    ),
    _merged_as(
        "heads_unfolded_in_another_order",
        "the heads were folded into the batch as (N, H) and unfolded as (H, N): sequences were mixed",
        _UNFOLDED,
        _unfolded_by_heads,
    ),
    _merged_as(
        "heads_unfolded_by_sequences",
        "the heads were folded into the batch as (H, N) and unfolded as (N, H): sequences were mixed",
        _UNFOLDED,
        _unfolded_by_sequences,
    ),
)
"""Mistakes for attention with more than one head."""


def _split_without_transpose(x: Tensor, c: Context) -> Tensor:
    """Splits the heads to (N, L, H, D), so that the scores are (N, L, H, H)."""
    return x.reshape(*x.shape[:2], c.size.num_heads, c.size.head_dim)


def _merge_to_size(mixed: Tensor, c: Context) -> Tensor:
    """The merge that is right for (N, H, L, D); it also makes (N, L, E) of (N, L, H, D), with its numbers misplaced."""
    return mixed.transpose(1, 2).reshape(mixed.shape[0], -1, c.size.embed_dim)


_ONE_TOKEN = "Scores compare along the last axis but one: with heads there, no query meets another token's key."
HEADS_OF_ONE_TOKEN = (
    Mistake(
        "split_without_transpose",
        "the heads were split to (N, L, H, D): a token's heads attended to one another, and the merge mixed tokens",
        {"split": _split_without_transpose, "merge": _merge_to_size},
        why=_ONE_TOKEN,
    ),
    Mistake(
        "split_and_merge_without_transpose",
        "the heads were split to (N, L, H, D) and merged from there: a token's heads attended to one another",
        {"split": _split_without_transpose, "merge": lambda mixed, c: mixed.flatten(2)},
        why=_ONE_TOKEN,
    ),
)
"""Mistakes for calls with as many keys as queries; where the numbers differ, such code raises."""


def _of_the_sequence_before(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    query, key, value = pipeline.project(c)
    return query, key.roll(1, dims=0), value.roll(1, dims=0)


SEQUENCE_BEFORE = Mistake(
    "keys_of_another_sequence",
    "each sequence attended to the keys and values of the one before it in the batch",
    {"project": _of_the_sequence_before},
    why="The sequences of a batch are independent: none may change another's answer.",
)


def _keys_for_values(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    query, key, _ = pipeline.project(c)
    return query, key, key


def _values_from_keys(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    query, key, _ = pipeline.project(c)
    return query, key, linear(c.case.keys, c.weights.v, c.weights.v_bias)


def _keys_from_values(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    query, _, value = pipeline.project(c)
    return query, linear(c.case.values, c.weights.k, c.weights.k_bias), value


def _exchanged(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    return pipeline.project(replace(c, case=c.case.but(query=c.case.keys, key=c.case.query, value=None)))


def _values_for_keys(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    return pipeline.project(replace(c, case=c.case.but(key=c.case.values, value=c.case.keys)))


def _one_input(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    w, x = c.weights, c.case.query
    return linear(x, w.q, w.q_bias), linear(x, w.k, w.k_bias), linear(x, w.v, w.v_bias)


_SENTENCES = {
    "keys_for_values": "the keys stood in place of the values in the weighted sum",
    "other_inputs_ignored": "keys and values were made from the queries' input: the other input was ignored",
    "scores_transposed": "the product of keys and queries was taken, so the scores are transposed",
}
_WHYS = {
    "keys_for_values": "Keys say how well a token matches; what it hands over once it is matched is its value.",
    "other_inputs_ignored": "In cross-attention the queries ask another sequence, and what it says must come from it.",
    "scores_transposed": "A row of scores belongs to a query; transposed, each key would choose among the queries.",
}


def _input(name: str, steps: dict[str, Callable[..., object]]) -> Mistake:
    return Mistake(name, _SENTENCES[name], steps, why=_WHYS[name])


SCORES_TRANSPOSED = _input("scores_transposed", {"score": lambda query, key, c: key @ query.transpose(-2, -1)})

KEYS_RESHAPED = Mistake(
    "keys_reshaped",
    "the keys were reshaped to (..., D, S), not transposed: numbers of different keys were mixed",
    {"score": lambda query, key, c: query @ key.reshape(*key.shape[:-2], key.shape[-1], key.shape[-2])},
    why="A reshape keeps the order in memory; a transpose exchanges two axes.",
)
KEYS_AND_VALUES_EXCHANGED = Mistake(
    "keys_and_values_exchanged",
    "projected keys and values were exchanged: values were compared with the queries, and keys were weighed",
    around={"project": followed_by(lambda made: (made[0], made[2], made[1]))},
    why="Keys decide where a query attends, values what it gets: each is learned for its own place.",
)
"""A mistake for keys and values from two inputs; with one input, exchanging their weights does the same."""
INPUTS_IGNORED = _input("other_inputs_ignored", {"project": _one_input})
"""A mistake for contracts in which keys may come from another input than queries."""

VALUES_IGNORED = (
    _input("keys_for_values", {"project": _keys_for_values}),
    Mistake(
        "values_made_from_keys_input",
        "the values were projected from the keys' input, with the values' weights",
        {"project": _values_from_keys},
        why="Keys and values are two inputs: only a caller who passes one tensor for both sees no difference.",
    ),
)
KEYS_FROM_VALUES_INPUT = Mistake(
    "keys_made_from_values_input",
    "the keys were projected from the values' input, with the keys' weights",
    {"project": _keys_from_values},
    why="Keys and values are two inputs: only a caller who passes one tensor for both sees no difference.",
)
"""Like `VALUES_IGNORED`, a mistake for contracts in which values are an input of their own."""

INPUTS_EXCHANGED = Mistake(
    "inputs_exchanged",
    "the queries were made from the other input, keys and values from the queries' own",
    {"project": _exchanged},
    why="Each query gets a row of the output: they come from the sequence that asks, not from the one that is asked.",
)
"""A mistake for contracts in which keys and values come from one input, and queries from another."""


def _queries_for(value: Tensor, query: Tensor) -> Tensor:
    """The queries, in place of the keys or values; NaN where their numbers differ.

    There such code raises: an output that was returned contradicts the mistake.
    """
    return query if query.shape[-2] == value.shape[-2] else torch.full_like(value, torch.nan)


def _other_roles(name: str, sentence: str, why: str, roles: Callable[..., tuple[Tensor, Tensor, Tensor]]) -> Mistake:
    """A mistake that replaces projected queries, keys and values by what `roles` makes of them."""
    return Mistake(name, sentence, around={"project": lambda project: lambda c: roles(*project(c))}, why=why)


QUERIES_FOR_KEYS = _other_roles(
    "queries_for_keys",
    "the queries stood in place of the keys in the scores",
    "A score compares a query with a key; compared with each other, queries say nothing of the keys.",
    lambda query, key, value: (query, query, value),
)
"""A mistake for contracts in which keys may come from another input than queries."""

QUERIES_FOR_VALUES = _other_roles(
    "queries_for_values",
    "the queries stood in place of the values in the weighted sum",
    "Queries say what a token asks for; what it hands over once it is matched is its value.",
    lambda query, key, value: (query, key, _queries_for(value, query)),
)
VALUES_FOR_KEYS = _other_roles(
    "values_for_keys",
    "the values stood in place of the keys in the scores",
    "Values are what a token hands over once it is matched; how well it matches its key says.",
    lambda query, key, value: (query, value, value),
)
"""Like `QUERIES_FOR_VALUES`, a mistake for contracts in which values are an input of their own."""


def _from_queries_input(name: str, sentence: str, which: str) -> Mistake:
    """A mistake that uses the query input as the `key` or the `value` of the call."""

    def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
        inputs = {"key": c.case.keys, "value": c.case.values}
        inputs[which] = _queries_for(inputs[which], c.case.query)
        return pipeline.project(replace(c, case=c.case.but(**inputs)))

    return Mistake(name, sentence, {"project": project}, why=_WHYS["other_inputs_ignored"])


FROM_QUERIES_INPUT = (
    _from_queries_input(
        "values_from_queries_input", "the values were made from the queries' input, the keys from their own", "value"
    ),
    _from_queries_input(
        "keys_from_queries_input", "the keys were made from the queries' input, the values from their own", "key"
    ),
)
"""Mistakes for contracts in which keys may come from another input than queries."""

INPUTS_SWAPPED = Mistake(
    "key_and_value_inputs_swapped",
    "the keys were projected from the values' input, and the values from the keys' input",
    {"project": _values_for_keys},
    why="Keys are what the queries are held against, values what they bring home: the caller says which is which.",
)
"""A mistake for contracts that name the layers, and in which values are an input of their own."""


def _with_queries(weights: Tensor, value: Tensor, c: Context) -> Tensor:
    """The weighted sum, with the queries added where values are as wide as queries: elsewhere they cannot be added."""
    mixed = weights @ value
    return mixed + c.case.query if mixed.shape == c.case.query.shape else mixed


INPUTS_OF_ONE_HEAD = (
    _input("keys_for_values", {"project": lambda c: (c.case.query, c.case.keys, c.case.keys)}),
    _input("other_inputs_ignored", {"project": lambda c: (c.case.query, c.case.query, c.case.query)}),
    Mistake(
        "keys_of_another_sequence",
        SEQUENCE_BEFORE.sentence,
        {"project": lambda c: (c.case.query, c.case.keys.roll(1, dims=0), c.case.values.roll(1, dims=0))},
        why=SEQUENCE_BEFORE.why,
    ),
    Mistake(
        "residual",
        "the queries were added to the output: a residual connection is no part of the contract",
        {"weighted_sum": _with_queries},
        why="A residual connection belongs to the block around attention: the input would be added twice.",
    ),
)
"""Mistakes for attention without projections."""
