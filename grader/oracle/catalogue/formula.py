"""Mistakes in the formula: the scale, the softmax, and what large numbers do to them."""

from collections.abc import Callable

import torch
from torch import Tensor

from grader.checks.case import Size
from grader.oracle import pipeline
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context
from grader.oracle.style import FINITE

_FLAT = "A dot product over D features spreads by sqrt(D): undivided, large heads drive the softmax to its flat ends."
_UNIFORM = "A dot product over D features spreads by sqrt(D): divided by more, it leaves the weights close to uniform."
_SHARP = "A dot product over D features spreads by sqrt(D): multiplied, by D, and the softmax picks a single key."
_WHOLE = "Only a square has a whole number as its root: for other sizes the scores keep a spread that is not 1."
_FIXED = "The spread grows with the root of the size that the caller chose: a fixed factor fits one size and no other."
_LENGTH = "How long a sequence is says nothing about the spread of a score, which is a sum over features."
_HEADS = "How many heads there are says nothing about the spread of one head's scores, which grows with its size."


def _scaled_by(name: str, sentence: str, factor: Callable[[Size], float], why: str) -> Mistake:
    return Mistake(name, sentence, {"scale": lambda scores, c: scores * factor(c.size)}, why=why)


def _with_softmax(name: str, sentence: str, softmax: Callable[[Tensor, Context], Tensor], why: str) -> Mistake:
    return Mistake(name, sentence, {"softmax": softmax}, why=why)


_SCALE_BY_OTHERS = (
    _scaled_by(
        "scale_of_8",
        "the scores were divided by sqrt(8), a factor for one size only",
        lambda size: 8**-0.5,
        why=_FIXED,
    ),
    _scaled_by(
        "scale_of_64",
        "the scores were divided by 8, the root of a head_dim of 64, a factor for one size only",
        lambda size: 64**-0.5,
        why=_FIXED,
    ),
    Mistake(
        "scale_by_keys_root",
        "the scores were divided by the root of the number of keys, not of the size of a query",
        {"scale": lambda scores, c: scores / scores.shape[-1] ** 0.5},
        why=_LENGTH,
    ),
)
SCALE_BY_QUERIES_ROOT = Mistake(
    "scale_by_queries_root",
    "the scores were divided by the root of the number of queries, not of the size of a query",
    {"scale": lambda scores, c: scores / scores.shape[-2] ** 0.5},
    why=_LENGTH,
)
"""A mistake for contracts in which the numbers of queries and keys may differ."""

SCALE = (
    _scaled_by(
        "no_scale",
        "the scores were not divided by sqrt(head_dim)",
        lambda size: 1.0,
        why=_FLAT,
    ),
    _scaled_by(
        "scale_by_head_dim",
        "the scores were divided by head_dim, not by its root",
        lambda size: 1 / size.head_dim,
        why=_UNIFORM,
    ),
    _scaled_by(
        "scale_by_embed_dim_root",
        "the scores were divided by the root of the whole embedding size, not of head_dim",
        lambda size: size.embed_dim**-0.5,
        why="A dot product runs over one head's features: their number sets its spread, not that of all heads.",
    ),
    _scaled_by(
        "scale_by_embed_dim",
        "the scores were divided by the embedding size, not by the root of head_dim",
        lambda size: 1 / size.embed_dim,
        why=_UNIFORM,
    ),
    _scaled_by(
        "scale_by_heads",
        "the scores were divided by the number of heads, not by the root of head_dim",
        lambda size: 1 / size.num_heads,
        why=_HEADS,
    ),
    _scaled_by(
        "scale_by_heads_root",
        "the scores were divided by the root of the number of heads, not of head_dim",
        lambda size: size.num_heads**-0.5,
        why=_HEADS,
    ),
    _scaled_by(
        "scale_multiplied",
        "the scores were multiplied by sqrt(head_dim), not divided by it",
        lambda size: size.head_dim**0.5,
        why=_SHARP,
    ),
    _scaled_by(
        "scale_by_whole_root",
        "the scores were divided by sqrt(head_dim) rounded down to a whole number",
        lambda size: 1 / int(size.head_dim**0.5),
        why=_WHOLE,
    ),
    *_SCALE_BY_OTHERS,
)

SCALE_BY_VALUES_ROOT = Mistake(
    "scale_by_values_root",
    "the scores were divided by the root of the size of a value, not of a query",
    {"scale": lambda scores, c: scores / c.case.values.shape[-1] ** 0.5},
    why="A score is a dot product of a query and a key: their size sets its spread, whatever a value has.",
)
"""A mistake for contracts in which values may have another size than queries."""

COSINES = Mistake(
    "cosines_as_scores",
    "queries and keys were normalised to length 1 before their product: the scores are cosines",
    {"score": lambda query, key, c: _of_length_1(query) @ _of_length_1(key).transpose(-2, -1)},
    why="How long a query or a key is says how much it asks or offers: a cosine forgets that.",
)

SCALE_OF_ONE_HEAD = (
    _scaled_by(
        "no_scale",
        "the scores were not divided by sqrt(D), D being the size of a query",
        lambda size: 1.0,
        why=_FLAT,
    ),
    _scaled_by(
        "scale_by_head_dim",
        "the scores were divided by D, the size of a query, not by its root",
        lambda size: 1 / size.embed_dim,
        why=_UNIFORM,
    ),
    _scaled_by(
        "scale_multiplied",
        "the scores were multiplied by sqrt(D), D being the size of a query, not divided by it",
        lambda size: size.embed_dim**0.5,
        why=_SHARP,
    ),
    _scaled_by(
        "scale_by_whole_root",
        "the scores were divided by sqrt(D) rounded down to a whole number, D being the size of a query",
        lambda size: 1 / int(size.embed_dim**0.5),
        why=_WHOLE,
    ),
    *_SCALE_BY_OTHERS,
)
"""Mistakes for attention that uses the whole embedding as one head."""


def shared_over(*axes: int) -> Step:
    """A softmax by hand: the maximum of each row is subtracted, but the sum runs over these axes; none: over all."""

    def softmax(scores: Tensor, c: Context) -> Tensor:
        top = scores.amax(dim=-1, keepdim=True)
        powers = (scores - top.masked_fill(top == -torch.inf, 0.0)).exp()
        return powers / powers.sum(axes, keepdim=True).clamp_min(1e-30)

    return softmax


SOFTMAX_LEFT_OUT = _with_softmax(
    "softmax_left_out",
    "the scores were used as weights without a softmax",
    lambda scores, c: scores.masked_fill(scores == -torch.inf, 0.0),
    why="Scores may be negative and sum to anything: only shares that sum to 1 make a mean of the values.",
)

SOFTMAX = (
    _with_softmax(
        "softmax_over_queries",
        "the softmax was taken over the queries, not over the keys",
        lambda scores, c: c.style.softmax(scores, -2),
        why="Each query shares one unit of weight among the keys; over the queries its weights sum to anything.",
    ),
    _with_softmax(
        "normalised_over_queries",
        "the exponentials were divided by their sum over the queries, not over the keys",
        shared_over(-2),
        why="Each query shares one unit of weight among the keys; over the queries its weights sum to anything.",
    ),
    SOFTMAX_LEFT_OUT,
    _with_softmax(
        "softmax_by_sigmoid",
        "a sigmoid was taken in place of the softmax",
        lambda scores, c: torch.sigmoid(scores),
        why="A sigmoid looks at each score alone: keys do not compete, and the weights do not sum to 1.",
    ),
    _with_softmax(
        "softmax_twice",
        "the softmax was taken twice",
        lambda scores, c: torch.softmax(pipeline.softmax(scores, c), dim=-1),
        why="The second softmax sees numbers between 0 and 1 and makes them almost uniform.",
    ),
    Mistake(
        "values_summed_unweighted",
        "the values were summed without the attention weights",
        {"weighted_sum": lambda weights, value, c: value.sum(-2, keepdim=True).expand(*weights.shape[:-1], -1)},
        why="Without the weights, every query gets the same sum of all values, whatever its scores are.",
    ),
)

SOFTMAX_OVER_HEADS = _with_softmax(
    "softmax_over_heads",
    "the softmax was taken over the heads, not over the keys",
    lambda scores, c: c.style.softmax(scores, 1),
    why="Heads do not compete with one another: over them, a query's weights over the keys sum to anything.",
)


def _by_largest(largest: Callable[[Tensor], Tensor], *, guarded: bool) -> Callable[[Tensor, Context], Tensor]:
    """The softmax that subtracts one number from many rows of scores before exp.

    Args:
        largest: computes that number from the scores.
        guarded: a row whose exponentials sum to 0 gets weights of 0, not 0 / 0.
    """

    def shifted(scores: Tensor, c: Context) -> Tensor:
        number = largest(scores).clamp(min=FINITE) if guarded else largest(scores)
        powers = (scores - number).exp()
        total = powers.sum(-1, keepdim=True)
        total = total.masked_fill(total == 0, 1.0) if guarded else total
        return (powers / total).masked_fill(scores == -torch.inf, 0.0)

    return shifted


def _of_all(scores: Tensor) -> Tensor:
    return scores.max()


def _of_matrix(scores: Tensor) -> Tensor:
    return scores.amax((-2, -1), keepdim=True)


_FAR_BELOW = "The exponentials of a row far below the number subtracted are all 0, and so is their sum."


def _exp_of_scores(scores: Tensor, c: Context) -> Tensor:
    """The softmax without a shift; a row that is all -inf gets the right weights, as its 0 / 0 is another mistake."""
    empty = (scores == -torch.inf).all(-1, keepdim=True)
    return torch.where(empty, pipeline.softmax(scores, c), scores.exp() / scores.exp().sum(-1, keepdim=True))


NUMBERS = (
    _with_softmax(
        "unstable_softmax",
        "exp was taken of the scores themselves: large ones overflow",
        _exp_of_scores,
        why="In float32 exp overflows above 88, and inf / inf is NaN; the formula allows any shift of a whole row.",
    ),
    _with_softmax(
        "scores_clamped",
        "the scores were clamped to +-50",
        lambda scores, c: pipeline.softmax(scores.clamp(-50, 50).masked_fill(scores == -torch.inf, -torch.inf), c),
        why="Beyond the bound all scores become equal: of two strong keys the stronger one no longer wins.",
    ),
    *(
        _with_softmax(
            f"softmax_by_largest_of_{which}{'_cleared' if guarded else ''}",
            f"the largest score of {words} was subtracted, not each row's own: small rows became {became}",
            _by_largest(largest, guarded=guarded),
            why=_FAR_BELOW,
        )
        for guarded, became in ((False, "0 / 0"), (True, "0"))
        for which, words, largest in (("all", "all rows", _of_all), ("matrix", "a whole (L, S) matrix", _of_matrix))
    ),
)


def scale_after_softmax(how: str, factor: Callable[[Tensor, Context], float]) -> tuple[Mistake, Mistake]:
    """Two mistakes: the weights are scaled instead of the scores, or in addition to them.

    Args:
        how: what was done to the weights.
        factor: computes what the weights are multiplied by, from the masked scores and the context.
    """

    def scaled(scores: Tensor, c: Context) -> Tensor:
        return pipeline.softmax(scores, c) * factor(scores, c)

    return (
        Mistake(
            "scale_after_softmax",
            f"the weights were {how}, not the scores",
            {"scale": lambda scores, c: scores, "softmax": scaled},
            why="The scale keeps the softmax out of its flat ends; after it, the weights only lose their sum of 1.",
        ),
        Mistake(
            "scale_after_softmax_too",
            f"the weights were {how} too, as the scores were",
            {"softmax": scaled},
            why="The weights of a query sum to 1, which makes their sum a mean of the values: divided, it is none.",
        ),
    )


SCALE_AFTER_SOFTMAX = scale_after_softmax("divided by sqrt(head_dim)", lambda scores, c: c.size.head_dim**-0.5)
SCALE_AFTER_SOFTMAX_OF_ONE_HEAD = scale_after_softmax(
    "divided by sqrt(head_dim)", lambda scores, c: c.size.embed_dim**-0.5
)
"""Mistakes for attention that uses the whole embedding as one head."""


def _of_length_1(x: Tensor) -> Tensor:
    return torch.nn.functional.normalize(x, dim=-1)


def _hardmax(scores: Tensor, c: Context) -> Tensor:
    largest = torch.zeros_like(scores).scatter(-1, scores.argmax(-1, keepdim=True), 1.0)
    return largest.masked_fill(scores == -torch.inf, 0.0)


def without_maximum(scores: Tensor) -> Tensor:
    """The scores less the largest of each row; a row that is all -inf stays so."""
    return scores - scores.amax(-1, keepdim=True).clamp(min=FINITE)


def normalised_relu(number: float = 0.0) -> Mistake:
    """The mistake of dividing the scores above 0 by their sum, without exp.

    Args:
        number: added to the sum, so that a row without a score above 0 does not become 0 / 0.
    """

    def softmax(scores: Tensor, c: Context) -> Tensor:
        positive = scores.relu()
        return (positive / (positive.sum(-1, keepdim=True) + number)).masked_fill(scores == -torch.inf, 0.0)

    total, becomes = ("sum and a small number", "gets no weights") if number else ("sum", "becomes 0 / 0")
    return _with_softmax(
        "relu_in_place_of_exp",
        f"the scores below 0 were cut off and the others divided by their {total}: no exp was taken",
        softmax,
        why=f"A score below 0 is a weak match, not none, and a row without a score above 0 {becomes}.",
    )


OTHER_SOFTMAX = (
    Mistake(
        "softmax_over_features",
        "the softmax was taken over the features of the weighted sum, not over the keys",
        {
            "softmax": lambda scores, c: scores.masked_fill(scores == -torch.inf, 0.0),
            "weighted_sum": lambda weights, value, c: torch.softmax(weights @ value, dim=-1),
        },
        why="The softmax shares one unit of weight among the keys; features are no rivals of one another.",
    ),
    Mistake(
        "softmax_over_batch",
        "the softmax was taken over the sequences of the batch, not over the keys",
        {"softmax": lambda scores, c: c.style.softmax(scores, 0)},
        why="The sequences of a batch are independent: none may take weight from another.",
    ),
    _with_softmax(
        "softmax_plus_one",
        "1 was added to the sum that the softmax divides by: the weights of a query sum to less than 1",
        lambda scores, c: c.style.softmax(torch.nn.functional.pad(scores, (0, 1)), -1)[..., :-1],
        why="The 1 stands for a key with a score of 0 that nobody gave: its share is missing from the real keys.",
    ),
    _with_softmax(
        "softmax_plus_one_beside_maximum",
        "1 was added to the sum that the softmax divides by, after the maximum was taken off the scores",
        lambda scores, c: c.style.softmax(torch.nn.functional.pad(without_maximum(scores), (0, 1)), -1)[..., :-1],
        why="The 1 weighs as much as the key that matches best: its share is missing from the real keys.",
    ),
    _with_softmax(
        "log_softmax",
        "the logarithms of the weights were used as the weights",
        lambda scores, c: torch.log_softmax(scores, dim=-1).masked_fill(scores == -torch.inf, 0.0),
        why="A logarithm of a share is below 0: the values are taken off, those that match least the most.",
    ),
    _with_softmax(
        "largest_score_alone",
        "all weight was given to each query's largest score",
        _hardmax,
        why="The largest takes all by steps, which have no gradient: what to ask and what to offer cannot be learned.",
    ),
    normalised_relu(),
    _with_softmax(
        "softmax_over_all_pairs",
        "the softmax was taken over all pairs of a query and a key, not over the keys of each query",
        lambda scores, c: c.style.softmax(scores.flatten(-2), -1).view_as(scores),
        why="Queries do not compete with one another: each has one unit of weight of its own.",
    ),
)

SOFTMAX_OVER_AXIS_1 = _with_softmax(
    "softmax_over_axis_1",
    "the softmax was taken over axis 1 whatever the number of axes: over the queries where there are three",
    lambda scores, c: c.style.softmax(scores, 1),
    why="The keys are the last axis, and which number that is depends on how many axes stand before it.",
)
SOFTMAX_WITHOUT_AXIS = _with_softmax(
    "softmax_without_axis",
    "the softmax was taken without an axis: over axis 0 where there are three axes, else over axis 1",
    lambda scores, c: c.style.softmax(scores, 0 if scores.dim() == 3 else 1),
    why="Without an axis PyTorch takes one by the number of axes, and that is seldom the keys'.",
)
"""Like `SOFTMAX_OVER_AXIS_1`, a mistake for contracts whose inputs may have any number of axes."""
