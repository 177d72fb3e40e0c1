"""Mistakes that attention under any contract invites; a kata takes the groups that it has a contract for."""

from dataclasses import replace

import torch
from torch import Tensor

from grader.checks import pipeline
from grader.checks.case import Case
from grader.checks.mistake import Mistake
from grader.checks.pipeline import Context, hidden, linear


def _scaled_by(name: str, sentence: str, factor: object) -> Mistake:
    return Mistake(name, sentence, {"scale": lambda scores, c: scores * factor(c.size)})  # type: ignore[operator]


def _projected(name: str, sentence: str, **swaps: str | None) -> Mistake:
    """Other weights in the projections: `v="k"` projects the values with the keys' weights."""

    def project(c: Context) -> tuple[Tensor, Tensor, Tensor]:
        other = {to: getattr(c.weights, source) for to, source in swaps.items() if source}
        other |= {f"{to}_bias": getattr(c.weights, f"{source}_bias") for to, source in swaps.items() if source}
        return pipeline.project(replace(c, weights=replace(c.weights, **other)))

    return Mistake(name, sentence, {"project": project})


def _with_softmax(name: str, sentence: str, softmax: object) -> Mistake:
    return Mistake(name, sentence, {"softmax": softmax})  # type: ignore[dict-item]


SCALE = (
    _scaled_by("no_scale", "the scores were not divided by sqrt(head_dim)", lambda size: 1.0),
    _scaled_by(
        "scale_by_head_dim", "the scores were divided by head_dim, not by its root", lambda size: 1 / size.head_dim
    ),
    _scaled_by(
        "scale_by_embed_dim_root",
        "the scores were divided by the root of the whole embedding size, not of head_dim",
        lambda size: size.embed_dim**-0.5,
    ),
    _scaled_by(
        "scale_by_embed_dim",
        "the scores were divided by the embedding size, not by the root of head_dim",
        lambda size: 1 / size.embed_dim,
    ),
    _scaled_by(
        "scale_by_heads_root",
        "the scores were divided by the root of the number of heads, not of head_dim",
        lambda size: size.num_heads**-0.5,
    ),
    _scaled_by(
        "scale_multiplied",
        "the scores were multiplied by sqrt(head_dim), not divided by it",
        lambda size: size.head_dim**0.5,
    ),
    _scaled_by("scale_of_8", "the scores were divided by sqrt(8), a factor for one size only", lambda size: 8**-0.5),
)


SCALE_OF_ONE_HEAD = (
    _scaled_by("no_scale", "the scores were not divided by sqrt(head_dim)", lambda size: 1.0),
    _scaled_by(
        "scale_by_head_dim", "the scores were divided by head_dim, not by its root", lambda size: 1 / size.embed_dim
    ),
    _scaled_by(
        "scale_multiplied",
        "the scores were multiplied by sqrt(head_dim), not divided by it",
        lambda size: size.embed_dim**0.5,
    ),
)
"""Where the whole embedding is one head."""


def _sharing(scores: Tensor, dim: int) -> Tensor:
    """A softmax over another axis; what is hidden there altogether gets zero."""
    return torch.softmax(scores, dim=dim).nan_to_num(0.0)


SOFTMAX = (
    _with_softmax(
        "softmax_over_queries", "the softmax was taken over the queries, not over the keys",
        lambda scores, c: _sharing(scores, -2),
    ),
    _with_softmax(
        "softmax_left_out", "the scores were used as weights without a softmax",
        lambda scores, c: scores.masked_fill(scores == -torch.inf, 0.0),
    ),
    _with_softmax(
        "softmax_by_sigmoid", "a sigmoid was taken in place of the softmax",
        lambda scores, c: torch.sigmoid(scores),
    ),
    _with_softmax(
        "softmax_twice", "the softmax was taken twice",
        lambda scores, c: torch.softmax(pipeline.softmax(scores, c), dim=-1),
    ),
    Mistake(
        "values_summed_unweighted", "the values were summed without the attention weights",
        {"weighted_sum": lambda weights, value, c: value.sum(-2, keepdim=True).expand(*weights.shape[:-1], -1)},
    ),
)  # fmt: skip

SOFTMAX_OVER_HEADS = _with_softmax(
    "softmax_over_heads", "the softmax was taken over the heads, not over the keys",
    lambda scores, c: _sharing(scores, 1),
)  # fmt: skip


def _values_unprojected(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    query, key, _ = pipeline.project(c)
    return query, key, c.case.values


def _keys_unprojected(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    query, _, value = pipeline.project(c)
    return query, c.case.keys, value


def _queries_unprojected(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    _, key, value = pipeline.project(c)
    return c.case.query, key, value


def _without_bias(c: Context) -> tuple[Tensor, Tensor, Tensor]:
    w = replace(c.weights, q_bias=None, k_bias=None, v_bias=None)
    return pipeline.project(replace(c, weights=w))


PROJECTIONS = (
    Mistake("values_unprojected", "the values were not projected", {"project": _values_unprojected}),
    Mistake("keys_unprojected", "the keys were not projected", {"project": _keys_unprojected}),
    Mistake("queries_unprojected", "the queries were not projected", {"project": _queries_unprojected}),
    _projected("values_by_key_weights", "the values were projected with the keys' weights", v="k"),
    _projected("keys_by_query_weights", "the keys were projected with the queries' weights", k="q"),
    _projected("queries_by_key_weights", "the queries were projected with the keys' weights", q="k"),
    _projected("query_and_key_weights_swapped", "the queries' and the keys' weights were swapped", q="k", k="q"),
    _projected("key_and_value_weights_swapped", "the keys' and the values' weights were swapped", k="v", v="k"),
    _projected("one_projection", "all three were projected with the queries' weights", k="q", v="q"),
    Mistake("no_output_projection", "the output projection was left out", {"project_out": lambda x, c: x}),
    Mistake(
        "output_projection_twice", "the output projection was applied twice",
        {"project_out": lambda x, c: pipeline.project_out(pipeline.project_out(x, c), c)},
    ),
    Mistake(
        "residual", "the input was added to the output: a residual connection is no part of the contract",
        {"project_out": lambda x, c: pipeline.project_out(x, c) + c.case.query},
    ),
    Mistake(
        "weights_transposed_in_output", "the output was multiplied by the output weights without transposing them",
        {"project_out": lambda x, c: linear(x, c.weights.o.T, c.weights.o_bias)},
    ),
)  # fmt: skip

BIASES = (
    Mistake(
        "no_input_bias", "the biases of the query, key and value projections were ignored", {"project": _without_bias}
    ),
    Mistake(
        "no_output_bias", "the bias of the output projection was ignored",
        {"project_out": lambda x, c: linear(x, c.weights.o, None)},
    ),
)  # fmt: skip


def _heads_first(x: Tensor, c: Context) -> Tensor:
    n, length, _ = x.shape
    return x.reshape(n, c.size.num_heads, length, c.size.head_dim)


def _interleaved(x: Tensor, c: Context) -> Tensor:
    n, length, _ = x.shape
    return x.reshape(n, length, c.size.head_dim, c.size.num_heads).permute(0, 3, 1, 2)


LAYOUT = (
    Mistake(
        "split_by_view", "the heads were split by a view to (N, H, L, D), without a transpose: tokens were mixed",
        {"split": _heads_first},
    ),
    Mistake(
        "merge_by_view", "the heads were merged by a view from (N, H, L, D), without a transpose: tokens were mixed",
        {"merge": lambda mixed, c: mixed.reshape(mixed.shape[0], mixed.shape[2], -1)},
    ),
    Mistake(
        "split_interleaved", "the features were dealt out to the heads in turn, not in blocks of head_dim",
        {"split": _interleaved},
    ),
    Mistake(
        "merge_interleaved", "the heads were merged feature by feature, not one after the other",
        {"merge": lambda mixed, c: mixed.permute(0, 2, 3, 1).flatten(2)},
    ),
    Mistake(
        "heads_reversed", "the heads were merged in reverse order",
        {"merge": lambda mixed, c: pipeline.merge(mixed.flip(1), c)},
    ),
    Mistake(
        "one_head", "all features were used as one head",
        {
            "split": lambda x, c: x[:, None],
            "merge": lambda mixed, c: mixed[:, 0],
        },
    ),
)  # fmt: skip


def _fill(name: str, sentence: str, value: float) -> Mistake:
    return Mistake(name, sentence, {"mask": lambda scores, c: scores.masked_fill(hidden(scores, c), value)})


def _masked_as(name: str, sentence: str, other: object) -> Mistake:
    """The mask step on a case with other masks."""
    return Mistake(
        name, sentence,
        {"mask": lambda scores, c: pipeline.mask(scores, replace(c, case=other(c.case, scores)))},  # type: ignore[operator]
    )  # fmt: skip


def _inverted(scores: Tensor, c: Context) -> Tensor:
    if c.case.allow is None and c.case.keep is None:
        return scores
    return scores.masked_fill(~hidden(scores, c), -torch.inf)


def _after_softmax(weights: Tensor, c: Context) -> Tensor:
    return weights.masked_fill(hidden(weights, c), 0.0)


def _of_first_sequence(case: Case, scores: Tensor) -> Case:
    """(L, S) has no sequences to choose from."""
    keep, allow = case.keep, case.allow
    return case.but(
        keep=keep if keep is None else keep[:1].expand_as(keep),
        allow=allow if allow is None or allow.dim() == 2 else allow[:1].expand_as(allow),
    )


def _padding_on_queries(scores: Tensor, c: Context) -> Tensor:
    if c.case.keep is None or scores.shape[-1] != scores.shape[-2]:
        return pipeline.mask(scores, c)
    over_queries = ~pipeline.over_queries(c.case.keep, scores).mT
    return pipeline.mask(scores, replace(c, case=c.case.but(keep=None))).masked_fill(over_queries, -torch.inf)


MASKS = (
    _masked_as("mask_ignored", "the mask was ignored", lambda case, scores: case.but(allow=None, keep=None, bias=None)),
    Mistake("mask_inverted", "the mask was inverted: what may be seen was hidden", {"mask": _inverted}),
    _fill("hidden_scores_zero", "hidden scores were set to 0, which is a score like any other", 0.0),
    _fill("hidden_scores_small", "hidden scores were set to -1, which still gets a share of the weight", -1.0),
    _fill("hidden_scores_tiny", "hidden scores were set to 1e-9, which is a score like any other", 1e-9),
    Mistake(
        "masked_after_softmax",
        "the mask was applied after the softmax: the remaining weights do not sum to 1",
        {
            "mask": lambda scores, c: scores,
            "softmax": lambda scores, c: _after_softmax(torch.softmax(scores, -1), c),
        },
    ),
    Mistake(
        "mask_multiplied", "the scores were multiplied by the mask: a hidden score became 0, and still got weight",
        {"mask": lambda scores, c: scores * ~hidden(scores, c)},
    ),
    Mistake(
        "mask_added", "the mask was added to the scores as 0 and 1",
        {"mask": lambda scores, c: scores + hidden(scores, c)},
    ),
    _masked_as(
        "mask_transposed", "the mask was transposed",
        lambda case, scores: case.but(allow=None if case.allow is None else case.allow.mT),
    ),
    _masked_as(
        "mask_of_first_sequence", "the mask of the first sequence was used for the whole batch",
        _of_first_sequence,
    ),
    Mistake(
        "padding_on_queries", "the padding mask was laid over the queries, not over the keys",
        {"mask": _padding_on_queries},
    ),
)  # fmt: skip


def _diagonal(name: str, sentence: str, offset: int) -> Mistake:
    def other(case: Case, scores: Tensor) -> Case:
        if case.allow is None or not torch.equal(case.allow, case.allow.tril()):
            return case
        return case.but(allow=torch.ones_like(case.allow).tril(offset))

    return _masked_as(name, sentence, other)


CAUSAL_MASKS = (
    _diagonal("diagonal_hidden", "the causal mask hid the diagonal: no token saw itself", -1),
    _diagonal("one_key_ahead", "the causal mask let a query see one key ahead of it", 1),
)

TWO_MASKS = (
    _masked_as(
        "attention_mask_inverted",
        "the attention mask was inverted: what may be seen was hidden",
        lambda case, scores: case.but(allow=None if case.allow is None else ~case.allow),
    ),
    _masked_as(
        "padding_mask_inverted",
        "the padding mask was inverted: the real keys were hidden",
        lambda case, scores: case.but(keep=None if case.keep is None else ~case.keep),
    ),
    _masked_as("padding_ignored", "the padding mask was ignored", lambda case, scores: case.but(keep=None)),
    _masked_as("attention_mask_ignored", "the attention mask was ignored", lambda case, scores: case.but(allow=None)),
    _masked_as(
        "masks_joined_with_or", 'the two masks were joined with "or": a key was seen where either of them let it',
        lambda case, scores: case if case.allow is None or case.keep is None else case.but(
            allow=pipeline.over_heads(case.allow, scores) | pipeline.over_queries(case.keep, scores), keep=None
        ),
    ),
)  # fmt: skip


def _plain_softmax(scores: Tensor, c: Context) -> Tensor:
    return torch.softmax(scores, dim=-1)


def _additive_mask(scores: Tensor, c: Context) -> Tensor:
    added = torch.zeros_like(scores).masked_fill(hidden(scores, c), -torch.inf)
    return scores + added


NAN_ROWS = (
    Mistake(
        "nan_rows", "the softmax of a row that is all -inf is NaN, and was left so", {"softmax": _plain_softmax}
    ),
    Mistake(
        "nan_gradients",
        "the NaN of a row that is all -inf was replaced after the softmax: its gradient is NaN still",
        {"mask": _additive_mask, "softmax": lambda scores, c: torch.softmax(scores, dim=-1).nan_to_num(0.0)},
    ),
    Mistake(
        "nan_output_hidden", "the NaN of a row that is all -inf was replaced in the output only",
        {
            "softmax": _plain_softmax,
            "project_out": lambda x, c: pipeline.project_out(x, c).nan_to_num(0.0),
        },
    ),
)  # fmt: skip

NUMBERS = (
    _with_softmax(
        "unstable_softmax", "exp was taken of the scores themselves: large ones overflow",
        lambda scores, c: scores.exp() / scores.exp().sum(-1, keepdim=True),
    ),
    _with_softmax(
        "scores_clamped", "the scores were clamped to +-50",
        lambda scores, c: pipeline.softmax(scores.clamp(max=50).where(scores == -torch.inf, scores.clamp(-50, 50)), c),
    ),
)  # fmt: skip


def _given(name: str, sentence: str, give: object) -> Mistake:
    return Mistake(name, sentence, {"give": lambda w, c: give(w) if c.case.need_weights else None})  # type: ignore[operator]


AVERAGED_WEIGHTS = (
    _given("weights_per_head", "the weights were not averaged over the heads", lambda w: w),
    _given("weights_summed", "the weights were summed over the heads, not averaged", lambda w: w.sum(1)),
    _given("weights_maximum", "the largest weight of all heads was returned, not their average", lambda w: w.amax(1)),
    _given("weights_of_first_head", "the weights of the first head were returned, not the average", lambda w: w[:, 0]),
    _given("weights_transposed", "the weights were returned transposed", lambda w: w.mean(1).mT),
)

WEIGHTS_TRANSPOSED = _given("weights_transposed", "the weights were returned transposed", lambda w: w.mT)

WEIGHTS_PER_HEAD = (
    _given("weights_averaged", "the weights were averaged over the heads", lambda w: w.mean(1)),
    WEIGHTS_TRANSPOSED,
)


def _dropped(weights: Tensor, c: Context, *, rescale: bool, training: bool) -> Tensor:
    if not training or c.size.dropout == 0:
        return weights
    torch.manual_seed(c.case.seed)
    dropped = torch.nn.functional.dropout(weights, c.size.dropout)
    return dropped if rescale else dropped * (1 - c.size.dropout)


DROPOUT = (
    Mistake("no_dropout", "dropout was not applied to the attention weights", {"dropout": lambda w, c: w}),
    Mistake(
        "dropout_in_eval", "dropout was applied in eval mode too",
        {"dropout": lambda w, c: _dropped(w, c, rescale=True, training=True)},
    ),
    Mistake(
        "dropout_not_rescaled", "what dropout left was not scaled by 1 / (1 - p)",
        {"dropout": lambda w, c: _dropped(w, c, rescale=False, training=c.case.training)},
    ),
)  # fmt: skip

DETACHED = (
    Mistake(
        "output_detached", "no gradient passed: the output was cut off from its inputs",
        {"project_out": lambda x, c: pipeline.project_out(x, c).detach()},
    ),
    Mistake(
        "weights_detached", "the attention weights were cut off from the graph: queries and keys got no gradient",
        {"softmax": lambda scores, c: pipeline.softmax(scores, c).detach()},
    ),
    Mistake(
        "values_detached", "the values were cut off from the graph",
        {"weighted_sum": lambda weights, value, c: weights @ value.detach()},
    ),
)  # fmt: skip

FORMULA = (*SCALE, *SOFTMAX)
