"""`write_head_permutation_test`: the modules that a candidate's test is given, a test that is right, and mistakes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple, TypeAlias

import torch
from torch import Tensor

from grader.checks import tiers
from grader.checks.case import Projections, Size
from grader.checks.draw import Draw
from grader.checks.subject import Implementation
from grader.claims.hidden.testing import ONE_VERDICT, TRACES, Examined, ExaminedKey, accepts, in_drawn_order, refuses
from grader.oracle import pipeline
from grader.oracle.catalogue import heads_apart as apart
from grader.oracle.catalogue.additions import ADDITIONS
from grader.oracle.catalogue.formula import OTHER_SOFTMAX, SCALE, SOFTMAX
from grader.oracle.catalogue.heads import HEADS
from grader.oracle.catalogue.layout import BIASES, LAYOUT, PROJECTIONS
from grader.oracle.catalogue.masks import MASKS
from grader.oracle.catalogue.reading import ALWAYS_CAUSAL
from grader.oracle.functions import Functions
from grader.oracle.implemented import module
from grader.oracle.mistake import Mistake, applied
from grader.oracle.pipeline import PER_HEAD, Context
from grader.oracle.sections import Section

CATALOGUE = {
    mistake.name: mistake
    for mistake in (
        *SCALE, *SOFTMAX, *PROJECTIONS, *BIASES, *LAYOUT, *HEADS, *ADDITIONS, *MASKS, *OTHER_SOFTMAX, ALWAYS_CAUSAL
    )
}  # fmt: skip
FAINT = 0.012
"""By how much of the output's largest value a faint flaw shows with the judge's inputs: 1 % with others."""

Chance: TypeAlias = Callable[[int], int]
"""A number below another, by chance."""


# The modules.


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


class Kind(NamedTuple):
    """One way in which a module may be right or wrong; what it is, is said by the sentences of its mistakes."""

    name: str
    is_right: bool
    heads: tuple[int, ...]
    """The numbers of heads to choose from."""
    mistakes: Callable[[int, Chance], Sequence[Mistake]] = lambda heads, chance: ()
    strength_of: Callable[[int, Chance], Callable[[float], Mistake]] | None = None
    """For a faint flaw: from a strength to the mistake; `mistakes` are left out then."""
    is_plain: bool = False


def _known(*names: str) -> Callable[[int, Chance], Sequence[Mistake]]:
    return lambda heads, chance: tuple(CATALOGUE[name] for name in names)


def _of(make: Callable[..., Mistake], strength: float) -> Callable[[int, Chance], Sequence[Mistake]]:
    return lambda heads, chance: (make(strength),)


def _middle(heads: int, chance: Chance) -> int:
    """The number of a head behind the first two and before the last."""
    return 2 + chance(heads - 3)


def _made(name: str, *mistakes: Mistake) -> Kind:
    return Kind(name, True, tuple(range(3, 9)), lambda heads, chance: mistakes)


def _right(name: str, heads: Iterable[int], *known: str, is_plain: bool = False) -> Kind:
    return Kind(name, True, tuple(heads), _known(*known), is_plain=is_plain)


def _wrong(name: str, heads: Iterable[int], mistakes: Callable[[int, Chance], Sequence[Mistake]]) -> Kind:
    return Kind(name, False, tuple(heads), mistakes)


def _gross(name: str, heads: Iterable[int], mistakes: Callable[[int, Chance], Sequence[Mistake]]) -> Kind:
    return Kind(name, False, tuple(heads), mistakes, is_plain=True)


def _faint(name: str, heads: Iterable[int], strength_of: Callable[[int, Chance], Callable[[float], Mistake]]) -> Kind:
    return Kind(name, False, tuple(heads), strength_of=strength_of)


MANY = range(5, 9)
KINDS = (
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


def examined(draw: Draw) -> tuple[Examined, ...]:
    """All modules of a run, in an order of its seed.

    Args:
        draw: the same for all checks.
    """
    return in_drawn_order([_examined(kind, draw) for kind in KINDS], draw)


def _examined(kind: Kind, draw: Draw) -> Examined:
    def chance(below: int) -> int:
        return draw.integer() % below

    heads = kind.heads[chance(len(kind.heads))]
    size = Size(heads * (2 + chance(3)), heads, dtype=torch.float32)
    weights = draw.projections(size)
    mistakes = kind.mistakes(heads, chance)
    if kind.strength_of is not None:
        mistakes = (_faintly(kind.strength_of(heads, chance), size, weights),)
    given = module(applied(mistakes, PER_HEAD), size, weights, training=bool(chance(2)))
    sentences = [mistake.sentence for mistake in mistakes]
    if kind.is_right:  # what follows a colon says why it is wrong elsewhere
        sentences = [sentence.partition(":")[0] for sentence in sentences]
    what = " and ".join(sentences) or "nothing is changed"
    text = f"an attention of {heads} head{'s'[: heads - 1]} in which {what}"
    return Examined(kind.name, text, kind.is_right, given, kind.is_plain, draw.integer())


def _faintly(flaw: Callable[[float], Mistake], size: Size, weights: Projections) -> Mistake:
    """The flaw at the strength at which permuted heads change the output by `FAINT` of its largest value."""
    strength = 0.1
    for _ in range(4):  # the change is nearly proportional to the strength
        given = module(applied((flaw(strength),), PER_HEAD), size, weights, training=False)
        strength *= FAINT / _difference(given)
    return flaw(strength)


def _difference(attention: Implementation) -> float:
    """How far permuted heads change the output, as a share of its largest value."""
    found = []

    def agree(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
        found.append(float((after[0] - before[0]).abs().max() / before[0].abs().max()))
        return True

    check(TEST.but(agree=agree), attention)
    return max(found)


# A test that is right, of steps that a mistake replaces. All of them look at modules with H heads of D features.

INPUTS = ("W_Q", "W_K", "W_V")
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
    """A shift by one and an exchange of two: all other orders are made of these."""
    return [_shifted(heads), _exchanged(heads, 0, 1)]


def _shifted(heads: int) -> list[int]:
    return [*range(1, heads), 0]


def _reversed(heads: int) -> list[int]:
    return [*range(heads)][::-1]


def _exchanged(heads: int, one: int, other: int) -> list[int]:
    order = list(range(heads))
    if heads > 1:
        order[one], order[other] = order[other], order[one]
    return order


def features(order: list[int], head_dim: int) -> Tensor:
    """The features of the heads in that order."""
    return torch.arange(len(order) * head_dim).reshape(-1, head_dim)[order].flatten()


def _interleaved(order: list[int], head_dim: int) -> Tensor:
    return torch.arange(len(order) * head_dim).reshape(head_dim, -1)[:, order].flatten()


def permuted(parameters: Parameters, order: Tensor) -> Parameters:
    """Rows of the three input layers, with their biases, and columns of the output layer."""
    rows = {name: tensor[order] for name, tensor in parameters.items() if not name.startswith("W_O")}
    return {**parameters, **rows, "W_O.weight": parameters["W_O.weight"][:, order]}


def _kept(*names: str) -> Callable[[Parameters, Tensor], Parameters]:
    """Some parameters keep their order."""
    return lambda parameters, order: {**permuted(parameters, order), **{name: parameters[name] for name in names}}


def _out_by(other: Callable[[Tensor, Tensor], Tensor]) -> Callable[[Parameters, Tensor], Parameters]:
    """The output layer's weight gets another order."""
    return lambda parameters, order: {
        **permuted(parameters, order),
        "W_O.weight": other(parameters["W_O.weight"], order),
    }


def _columns_permuted(parameters: Parameters, order: Tensor) -> Parameters:
    columns = {f"{path}.weight": parameters[f"{path}.weight"][:, order] for path in INPUTS}
    return {**permuted(parameters, order), **columns}


def tokens(width: int, sequences: int = 2, length: int = 5) -> Tensor:
    """Normal numbers, the same at each call.

    Args:
        width: of a token, E.
        sequences: how many there are, N.
        length: of each, L.
    """
    return torch.randn(sequences, length, width, generator=torch.Generator().manual_seed(7))


def _without_biases(parameters: Parameters) -> Parameters:
    return {name: tensor * (not name.endswith("bias")) for name, tensor in parameters.items()}


def _near(tolerance: float) -> Callable[..., bool]:
    def agree(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
        return bool((after[0] - before[0]).abs().max() <= tolerance * before[0].abs().max())

    return agree


def _with_weights_in_place(before: tuple[Tensor, Tensor], after: tuple[Tensor, Tensor], order: list[int]) -> bool:
    return _near(1e-3)(before, after, order) and torch.allclose(before[1], after[1], atol=1e-3)


TEST = Functions(
    check_head_permutation=check,
    begin=lambda parameters: parameters,
    tokens=tokens,
    orders=orders,
    features=features,
    permuted=permuted,
    agree=_near(1e-3),
    refused=lambda holds: not holds,
)


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
        {"agree": lambda before, after, order: not _near(1e-3)(before, after, order)},
        why="assert raises where its condition is false: the condition is what holds of a right module.",
    ),
    _orders("only_shifts", "the heads were permuted by shifts alone", lambda heads: [_shifted(heads)], _FEW),
    _orders("only_reversal", "the heads were permuted by a reversal alone", lambda heads: [_reversed(heads)], _FEW),
    _orders(
        "only_shifts_and_reversal",
        "the heads were permuted by shifts and reversals alone",
        lambda heads: [_shifted(heads), _reversed(heads)],
        _FEW,
    ),
    _orders("only_first_two", "the first two heads alone were exchanged", lambda n: [_exchanged(n, 0, 1)], _FEW),
    _orders("only_ends", "the first and the last head alone were exchanged", lambda n: [_exchanged(n, 0, -1)], _FEW),
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
        "a difference of several percent was let pass",
        {"agree": _near(0.1)},
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
)

ORDERS = Section("Orders of heads", "Which orders of heads leave a flaw unseen, and from which are all others made?")
BLOCKS = Section("Blocks of weights", "Which rows and columns belong to head h, and which of the four biases move?")
TOKENS = Section(
    "Inputs that show it", "How many sequences, tokens and numbers other than zero does a flaw need to show?"
)
DIGITS = Section("Equal but for rounding", "How far apart may two right outputs be, and how near a wrong one?")
KEY = ExaminedKey(
    TEST,
    MISTAKES,
    {
        "orders": ORDERS,
        "permuted": BLOCKS,
        "features": BLOCKS,
        "tokens": TOKENS,
        "begin": TOKENS,
        "agree": DIGITS,
        "refused": DIGITS,
    },
    questions={
        "runs": "What does assert raise, and what does a function return that has no return?",
        "right ones accepted": "Which numbers of a module belong to a head, and what else did you ask?",
        "wrong ones caught": "How would you find a flaw that your orders, inputs and tolerance cannot see?",
        "leaves no trace": "What of the module and of torch is another after your test, and after a refusal?",
    },
    examined=examined,
)

CLAIMS = tiers.hidden(
    accepts(
        "the_contract",
        "The module of the contract is accepted, in whatever precision.",
        "contract",
        "contract_again",
        "in_float64",
        weight=2,
    ),
    accepts("one_head", "A module with one head is accepted.", "contract_of_one"),
    accepts("two_heads", "A module with two heads is accepted.", "contract_of_two"),
    accepts(
        "wrong_attention_of_equal_heads",
        "An attention that is wrong in the same way in each head is accepted.",
        "causal",
        "other_scale",
        "unmasked",
        "residual",
        weight=2,
    ),
    accepts(
        "heads_whose_key_bias_matters",
        "Heads with a sigmoid for the softmax, or with normed keys, are accepted.",
        "sigmoid",
        "normed",
        weight=2,
    ),
    accepts(
        "parameters_that_do_nothing",
        "An attention to whose output some parameters, or their order, mean nothing is accepted.",
        "without_biases",
        "uniform",
        "uniform_answer",
        "flat_answer",
    ),
    accepts(
        "heads_that_share",
        "Heads that share the mean of all answers, or of all weights, are accepted.",
        "one_answer",
        "one_choice",
    ),
    refuses(
        "heads_told_by_number",
        "Heads that count, choose or look far by their number are refused.",
        "by_number",
        "by_number_again",
        "by_number_backwards",
        "two_by_number",
        "temperatures",
        "slopes",
        weight=2,
    ),
    refuses(
        "outputs_of_other_features",
        "Heads that meet other features of the output layer are refused.",
        "unprojected",
        "interleaved_merge",
        "interleaved_split",
    ),
    refuses(
        "heads_mixed_by_a_view",
        "Heads and tokens that are mixed by a view are refused.",
        "merge_by_view",
        "split_by_view",
    ),
    refuses(
        "one_head_for_all",
        "A head whose answer or weights serve all heads is refused.",
        "first_head_alone",
        "first_heads_choice",
    ),
    refuses(
        "one_head_apart",
        "One head among many that has a scale of its own, or is dropped, is refused.",
        "dropped",
        "sharper",
        weight=2,
    ),
    refuses(
        "two_heads_exchanged",
        "Two heads that exchange or share their values are refused.",
        "exchanged",
        "exchanged_ends",
        "pairs",
        weight=2,
    ),
    refuses("heads_in_turn", "Heads that are causal by turns are refused.", "causal_by_turns"),
    refuses(
        "heads_in_a_circle", "Heads that take the next one's answer, in a circle, are refused.", "circle", weight=2
    ),
    refuses("heads_in_reverse", "Heads that use the weights of the one opposite are refused.", "opposite", weight=2),
    refuses(
        "heads_between_two", "Heads mixed with their neighbours on both sides are refused.", "both_sides", weight=2
    ),
    refuses(
        "heads_of_other_sequences",
        "Heads that are in order in one sequence alone are refused.",
        "unfolded",
        "other_sequences",
        weight=2,
    ),
    refuses(
        "biases_of_other_heads", "Heads that get another head's bias are refused.", "value_bias", "query_bias", weight=2
    ),
    refuses(
        "faint_flaws",
        "Flaws of a few percent of the output are refused.",
        "faint_temperatures",
        "faint_slopes",
        weight=2,
    ),
    refuses(
        "faint_flaws_of_few_heads",
        "Flaws of a few percent that most orders of heads leave unseen are refused.",
        "faint_head",
        "faint_circle",
        weight=2,
    ),
    *TRACES,
)
