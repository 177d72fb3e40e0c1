"""Mistakes in the layers around the formula: which weights meet which input, and where a head's features are."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from grader.checks.case import Projections
from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, Step, with_weights
from grader.oracle.pipeline import Context
from grader.oracle.sections import BY_STEP

_SYMMETRIC = "With one projection for queries and keys the score of i for j equals that of j for i, but for the biases."
_LAYERS = ("query", "queries"), ("key", "keys"), ("value", "values")
_BLOCKS = "Head h owns the features h D to (h + 1) D - 1: dealt out in turn, weights given by others meet other heads."
_BLOCKS_OUT = "The output layer expects head h at the features h D to (h + 1) D - 1: its weights meet other features."


def _projected(name: str, sentence: str, why: str, **swaps: str) -> Mistake:
    """Other weights in the projections: `v="k"` projects the values with the keys' weights."""

    def swapped(w: Projections) -> Projections:
        other = {to: getattr(w, source) for to, source in swaps.items()}
        other |= {f"{to}_bias": getattr(w, f"{source}_bias") for to, source in swaps.items()}
        return replace(w, **other)

    steps = dict.fromkeys("project_out" if to == "o" else "project" for to in swaps)
    return Mistake(name, sentence, around=dict.fromkeys(steps, with_weights(swapped)), why=why)


def _unprojected(place: int, name: str, why: str) -> Mistake:
    """A mistake that leaves out one projection; place 0 is that of the queries, 1 the keys, 2 the values."""

    def around(project: Step) -> Step:
        def some(c: Context) -> tuple[Tensor, ...]:
            inputs = (c.case.query, c.case.keys, c.case.values)
            return tuple(inputs[i] if i == place else made for i, made in enumerate(project(c)))

        return some

    return Mistake(f"{name}_unprojected", f"the {name} were not projected", around={"project": around}, why=why)


PROJECTIONS = (
    _unprojected(
        2, "values", "What a token hands over is learned: without the projection the values' weights are never used."
    ),
    _unprojected(1, "keys", "A key is a learned projection of its token: without it the key weights are never used."),
    _unprojected(
        0, "queries", "What a token asks for is learned: without the projection the queries' weights are never used."
    ),
    _projected(
        "values_by_key_weights",
        "the values were projected with the keys' weights",
        v="k",
        why="Keys decide where a query attends, values what it gets: the value weights are never used.",
    ),
    _projected(
        "keys_by_query_weights",
        "the keys were projected with the queries' weights",
        k="q",
        why=_SYMMETRIC,
    ),
    _projected(
        "queries_by_key_weights",
        "the queries were projected with the keys' weights",
        q="k",
        why=_SYMMETRIC,
    ),
    _projected(
        "values_by_query_weights",
        "the values were projected with the queries' weights",
        v="q",
        why="Asking and being handed over are two roles; the weights of the second are never used.",
    ),
    _projected(
        "values_by_output_weights",
        "the values were projected with the output layer's weights",
        v="o",
        why="What a token hands over and how heads are mixed are learned apart; the value weights are never used.",
    ),
    _projected(
        "queries_by_value_weights",
        "the queries were projected with the values' weights",
        q="v",
        why="Asking and being handed over are two roles; the weights of the first are never used.",
    ),
    _projected(
        "keys_by_value_weights",
        "the keys were projected with the values' weights",
        k="v",
        why="Keys decide where a query attends, values what it gets: the key weights are never used.",
    ),
    _projected(
        "one_projection",
        "all three were projected with the queries' weights",
        k="q",
        v="q",
        why="Query, key and value are three projections; the key weights and the value weights are never used.",
    ),
    *(
        _projected(
            f"output_by_{one}_weights",
            f"the output was projected with the {several}' weights",
            o=one[0],
            why="How the heads' answers are mixed is learned apart: the output weights are never used.",
        )
        for one, several in _LAYERS
    ),
    Mistake(
        "no_output_projection",
        "the output projection was left out",
        {"project_out": lambda x, c: x},
        why="The last layer mixes the heads: without it each feature of the output depends on a single head.",
    ),
    Mistake(
        "output_projection_twice",
        "the output projection was applied twice",
        {"project_out": lambda x, c: pipeline.project_out(pipeline.project_out(x, c), c)},
        why="The merged heads are mixed once; the second time mixes what is an answer already.",
    ),
    Mistake(
        "residual",
        "the input was added to the output: a residual connection is no part of the contract",
        around={"project_out": lambda project_out: lambda x, c: project_out(x, c) + c.case.query},
        why="A residual connection belongs to the block around attention: the input would be added twice.",
    ),
)


_OUTPUT_UNTRANSPOSED = with_weights(lambda w: replace(w, o=w.o.T))
_UNTRANSPOSED = "A linear layer is x W^T + b: with W untransposed, rows and columns of what was learned are exchanged."
WEIGHTS_MIXED_UP = (
    _projected(
        "query_and_key_weights_swapped",
        "the queries' and the keys' weights were swapped",
        q="k",
        k="q",
        why="The score of query i for key j becomes that of query j for key i: who asks is exchanged with who answers.",
    ),
    _projected(
        "query_and_value_weights_swapped",
        "the queries' and the values' weights were swapped",
        q="v",
        v="q",
        why="Tokens ask with what they should hand over, and hand over what they should ask.",
    ),
    _projected(
        "key_and_value_weights_swapped",
        "the keys' and the values' weights were swapped",
        k="v",
        v="k",
        why="Queries are compared with what the value weights give, and the key weights make the output.",
    ),
    *(
        _projected(
            f"{one}_and_output_weights_swapped",
            f"the {several}' and the output layer's weights were swapped",
            **{one[0]: "o", "o": one[0]},
            why="The first layers make heads of a token, the last one mixes their answers: each learned its own place.",
        )
        for one, several in _LAYERS
    ),
    Mistake(
        "output_weights_transposed",
        "the output was multiplied by the output weights without transposing them",
        around={"project_out": _OUTPUT_UNTRANSPOSED},
        why=_UNTRANSPOSED,
    ),
)
"""Mistakes for weights that the judge sets; a function that draws its own may well give others these names."""


_ONE_LAYER = "Layers that are one object have one weight: what is set or learnt under one name is so under all."
ONE_LAYER = (
    _projected(
        "one_layer_for_three",
        "queries, keys and values have one layer in common, under three names",
        q="v",
        k="v",
        why=_ONE_LAYER,
    ),
    _projected(
        "one_layer_for_four",
        "all four projections are one layer under four names, as a list times 4 makes them",
        q="o",
        k="o",
        v="o",
        why=_ONE_LAYER,
    ),
)
"""Mistakes for contracts in which each projection has a layer of its own."""


def _untransposed(name: str, sentence: str, which: str) -> Mistake:
    turned = with_weights(lambda w: replace(w, **{each: getattr(w, each).T for each in which}))
    return Mistake(name, sentence, around={"project": turned}, why=_UNTRANSPOSED)


_INPUTS_UNTRANSPOSED = _untransposed(
    "input_weights_transposed",
    "queries, keys and values were multiplied by their weights without transposing them",
    "qkv",
)
INPUT_WEIGHTS_UNTRANSPOSED = (
    _untransposed(
        "query_weights_transposed",
        "the queries were multiplied by their weights without transposing them",
        "q",
    ),
    _untransposed(
        "key_weights_transposed",
        "the keys were multiplied by their weights without transposing them",
        "k",
    ),
    _untransposed(
        "value_weights_transposed",
        "the values were multiplied by their weights without transposing them",
        "v",
    ),
    _INPUTS_UNTRANSPOSED,
    Mistake(
        "all_weights_transposed",
        "inputs and merged heads were multiplied by the weights without transposing them",
        around={**_INPUTS_UNTRANSPOSED.around, "project_out": _OUTPUT_UNTRANSPOSED},
        why=_UNTRANSPOSED,
    ),
)
"""Mistakes for contracts in which each projection has a layer of its own: a fused layer's weight is not square."""

BIASES = (
    Mistake(
        "no_input_bias",
        "the biases of the query, key and value projections were ignored",
        around={"project": with_weights(lambda w: replace(w, q_bias=None, k_bias=None, v_bias=None))},
        why="A layer is x W^T + b: the query's bias shifts scores from key to key, the value's shifts the output.",
    ),
    Mistake(
        "no_output_bias",
        "the bias of the output projection was ignored",
        around={"project_out": with_weights(lambda w: replace(w, o_bias=None))},
        why="A layer is x W^T + b: without b every output is off by the same vector.",
    ),
)


def _split_by_view(x: Tensor, c: Context) -> Tensor:
    return x.reshape(x.shape[0], c.size.num_heads, x.shape[1], c.size.head_dim)


def _merge_by_view(mixed: Tensor, c: Context) -> Tensor:
    return mixed.reshape(mixed.shape[0], mixed.shape[2], -1)


def split_interleaved(x: Tensor, c: Context) -> Tensor:
    """(N, L, E) becomes (N, H, L, D), a head's features H apart."""
    return x.reshape(x.shape[0], x.shape[1], c.size.head_dim, c.size.num_heads).permute(0, 3, 1, 2)


def _merge_interleaved(mixed: Tensor, c: Context) -> Tensor:
    return mixed.permute(0, 2, 3, 1).flatten(2)


def laid_out_before(
    name: str, sentence: str, why: str, places: Sequence[int], lay_out: Callable[[Tensor, Context], Tensor]
) -> Mistake:
    """The mistake of splitting some of queries, keys and values into heads by another layout.

    They are changed before the split, such that the right split then gives what the other layout would.

    Args:
        name: an identifier.
        sentence: what was computed.
        why: why that is wrong.
        places: which of 0 queries, 1 keys, 2 values.
        lay_out: the other layout, from (N, L, E) to (N, H, L, D).
    """

    def around(project: Step) -> Step:
        def some(c: Context) -> tuple[Tensor, ...]:
            return tuple(
                pipeline.merge(lay_out(made, c), c) if place in places else made
                for place, made in enumerate(project(c))
            )

        return some

    return Mistake(name, sentence, around={"project": around}, why=why, own_section=BY_STEP["split"])


def _columns_by_view(x: Tensor, c: Context) -> Tensor:
    return x.reshape(x.shape[0], c.size.num_heads, c.size.head_dim, x.shape[1]).transpose(2, 3)


def _laid_out(name: str, sentence: str, why: str, **steps: Callable[[Tensor, Context], Tensor]) -> Mistake:
    return Mistake(name, sentence, dict(steps), why=why)


LAYOUT = (
    _laid_out(
        "split_by_view",
        "the heads were split by a view to (N, H, L, D), without a transpose: tokens were mixed",
        split=_split_by_view,
        why="In memory a token's features lie together: so read, a head gets whole tokens of a part of the sequence.",
    ),
    _laid_out(
        "merge_by_view",
        "the heads were merged by a view from (N, H, L, D), without a transpose: tokens were mixed",
        merge=_merge_by_view,
        why="In memory a head's tokens lie together: so read, a row of the output is made of several tokens.",
    ),
    _laid_out(
        "split_and_merge_by_view",
        "the heads were split and merged by views, without a transpose: tokens were mixed",
        split=_split_by_view,
        merge=_merge_by_view,
        why="Each head then holds a part of the sequence and attends within it: the parts never meet.",
    ),
    _laid_out(
        "split_interleaved",
        "the features were dealt out to the heads in turn, not in blocks of head_dim",
        split=split_interleaved,
        why=_BLOCKS,
    ),
    _laid_out(
        "merge_interleaved",
        "the heads were merged feature by feature, not one after the other",
        merge=_merge_interleaved,
        why=_BLOCKS_OUT,
    ),
    _laid_out(
        "split_and_merge_interleaved",
        "the features were dealt out to the heads in turn, not in blocks of head_dim, and merged so",
        split=split_interleaved,
        merge=_merge_interleaved,
        why=_BLOCKS,
    ),
    _laid_out(
        "heads_reversed",
        "the heads were merged in reverse order",
        merge=lambda mixed, c: pipeline.merge(mixed.flip(1), c),
        why=_BLOCKS_OUT,
    ),
    _laid_out(
        "one_head",
        "all features were used as one head",
        split=lambda x, c: x[:, None],
        merge=lambda mixed, c: mixed[:, 0],
        why="One softmax over all features looks in one way only; heads are there to look in several at once.",
    ),
)

_APART = "Queries, keys and values have to be split alike: so read, a head of these holds whole tokens of a part."
SPLIT_APART = (
    laid_out_before(
        "queries_split_by_view",
        "the queries were split by a view to (N, H, L, D), without a transpose; keys and values were split rightly",
        _APART,
        (0,),
        _split_by_view,
    ),
    laid_out_before(
        "keys_split_by_view",
        "the keys were split by a view to (N, H, S, D), without a transpose; queries and values were split rightly",
        _APART,
        (1,),
        _split_by_view,
    ),
    laid_out_before(
        "values_split_by_view",
        "the values were split by a view to (N, H, S, D), without a transpose; queries and keys were split rightly",
        _APART,
        (2,),
        _split_by_view,
    ),
    laid_out_before(
        "queries_and_keys_split_by_view",
        "queries and keys were split by views to (N, H, L, D), without a transpose; the values were split rightly",
        _APART,
        (0, 1),
        _split_by_view,
    ),
    laid_out_before(
        "keys_split_to_columns_by_view",
        "the keys were split by a view to (N, H, D, S), without a transpose: numbers of different keys were mixed",
        "In memory a token's features lie together: a view keeps that order, and only a transpose exchanges axes.",
        (1,),
        _columns_by_view,
    ),
)
"""Mistakes that split only some of queries, keys and values wrongly."""
