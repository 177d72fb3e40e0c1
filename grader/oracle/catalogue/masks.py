"""Mistakes with masks, and with fully masked rows."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TypeAlias

import torch
from torch import Tensor

from grader.checks.case import Case
from grader.oracle import pipeline
from grader.oracle.catalogue.rows import plain_softmax
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context, hidden

_INVERTED = "Each query then sees just what it must not see, and nothing of what it may."
_TRANSPOSED = "A row of the mask belongs to a query, a column to a key: exchanged, a token sees only those after it."
NOT_BELOW_ALL = "What hides is the distance to the scores that are seen, and a fixed number is not below all scores."
_ADDED = "A difference of 1 in a score is a factor of e in the weight: it bends the weights and hides nothing."


def masked_as(name: str, sentence: str, other: Callable[[Case, Tensor], Case], why: str) -> Mistake:
    """A mistake that runs the mask step on a case with other masks.

    Args:
        name: the name of the mistake.
        sentence: what was computed.
        other: from a case and its scores, (N, H, L, S), to the case with the masks that the mistake takes.
        why: why it is wrong.
    """
    return Mistake(
        name,
        sentence,
        around={"mask": lambda mask: lambda scores, c: mask(scores, replace(c, case=other(c.case, scores)))},
        why=why,
    )


@dataclass(frozen=True, slots=True)
class MaskScope:
    """The masks of a call that a mistake concerns; the others are applied as they should be.

    Attributes:
        name: what the mistakes' names call these masks; `mask` where they concern every mask.
        noun: what the mistakes' sentences call these masks.
        hidden: what the mistakes' sentences call the scores that these masks hide.
        fields: the fields of a case that hold these masks.
        verb: the verb that follows the noun.
    """

    name: str
    noun: str
    hidden: str
    fields: tuple[str, ...]
    verb: str = "was"

    def alone(self, case: Case) -> Case:
        """The case with these masks only."""
        return case.but(**{name: None for name in FIELDS if name not in self.fields})

    def without(self, case: Case) -> Case:
        """The case with the other masks only."""
        return case.but(**dict.fromkeys(self.fields))

    def read(self, case: Case, other: Case) -> Case:
        """The case with these masks taken from the other case."""
        return case.but(**{name: getattr(other, name) for name in self.fields})


FIELDS = ("bias", "allow", "keep")
EVERY = MaskScope("mask", "the mask", "hidden scores", FIELDS)
BOTH = MaskScope("masks", "both masks", "hidden scores", FIELDS, "were")
ATTENTION = MaskScope("attention_mask", "the attention mask", "scores that the attention mask hides", ("bias", "allow"))
PADDING = MaskScope("padding_mask", "the padding mask", "scores that the padding mask hides", ("keep",))
What: TypeAlias = Callable[[MaskScope], Mistake]
"""What can be done wrong with any masks of a call: given the masks, it makes the mistake."""


def _reads(name: str, sentence: str, other: Callable[[Case, Tensor], Case], why: str) -> What:
    """Masks are read as other masks; arguments as of `masked_as`, name and sentence with placeholders."""

    def what(scope: MaskScope) -> Mistake:
        def read(case: Case, scores: Tensor) -> Case:
            return scope.read(case, other(scope.alone(case), scores))

        return masked_as(name.format(scope.name), sentence.format(scope=scope), read, why)

    return what


def _applies(
    name: str, sentence: str, mask: Step, why: str, after: Callable[[Tensor, Context], Tensor] | None = None
) -> What:
    """Masks are applied in a wrong way.

    Args:
        name: the name of the mistake, with a placeholder for the masks.
        sentence: what was computed, with placeholders for the masks.
        mask: the wrong mask step, which is run on a case with these masks only.
        why: why it is wrong.
        after: what is done to the weights, given such a case.
    """

    def what(scope: MaskScope) -> Mistake:
        def masked(scores: Tensor, c: Context) -> Tensor:
            steps = [(mask, scope.alone(c.case)), (pipeline.mask, scope.without(c.case))]
            for step, case in reversed(steps) if scope is PADDING else steps:  # the attention mask comes first
                scores = step(scores, replace(c, case=case))
            return scores

        steps: dict[str, Step] = {"mask": masked}
        if after is not None:
            steps["softmax"] = lambda scores, c: after(
                pipeline.softmax(scores, c), replace(c, case=scope.alone(c.case))
            )
        said = name.format(scope.name, scope.hidden.replace(" ", "_")), sentence.format(scope=scope)
        return Mistake(*said, steps, why=why)

    return what


def _filled(name: str, sentence: str, value: float, why: str) -> What:
    return _applies(name, sentence, lambda scores, c: scores.masked_fill(hidden(scores, c), value), why)


def _of_first_sequence(case: Case, scores: Tensor) -> Case:
    """Uses the first sequence's masks for all sequences; a mask (L, S) is the same for all already."""
    keep, allow = case.keep, case.allow
    return case.but(
        keep=keep if keep is None else keep[:1].expand_as(keep),
        allow=allow if allow is None or allow.dim() == 2 else allow[:1].expand_as(allow),
    )


def _of_first_query(case: Case, scores: Tensor) -> Case:
    """Uses the first query's row of each mask for all queries; a padding mask has no rows and stays."""
    masks = {name: getattr(case, name) for name in ("bias", "allow")}
    return case.but(
        **{name: mask if mask is None else mask[..., :1, :].expand_as(mask) for name, mask in masks.items()}
    )


def _shifted(mask: Tensor | None, right: bool) -> Tensor | None:
    """Moves each column of the mask by one key; the column left free at the edge keeps its old values."""
    if mask is None:
        return None
    parts = (mask[..., :1], mask[..., :-1]) if right else (mask[..., 1:], mask[..., -1:])
    return torch.cat(parts, dim=-1)


def _laid(where: str, column: str, right: bool) -> What:
    return _reads(
        f"{{}}_one_key_{'late' if right else 'early'}",
        f"{{scope.noun}} was laid one key too far to the {where}: column s was taken for key {column}",
        lambda case, scores: case.but(**{name: _shifted(getattr(case, name), right) for name in FIELDS}),
        "Column s of a mask speaks of key s; moved by one, what was to be hidden is seen or a real key is lost.",
    )


def _first_head_alone(scores: Tensor, c: Context) -> Tensor:
    return torch.cat([pipeline.mask(scores, c)[:, :1], scores[:, 1:]], dim=1)


def _times(number: int) -> Step:
    """Each mask is added to the scores as 0 and this number."""

    def mask(scores: Tensor, c: Context) -> Tensor:
        allow, keep = c.case.allow, c.case.keep
        scores = scores if allow is None else scores + number * pipeline.over_heads(allow, scores, c.case)
        return scores if keep is None else scores + number * pipeline.over_queries(keep, scores)

    return mask


def _inverse(mask: Tensor | None) -> Tensor | None:
    return None if mask is None else ~mask


_IGNORED = _reads(
    "{}_ignored",
    "{scope.noun} was ignored",
    lambda case, scores: case.but(allow=None, keep=None, bias=None),
    "What may not be seen gets weight: padding gets into the answer, and a token sees those after it.",
)
_BECAME_ZERO = _filled(
    "{1}_zero",
    "{scope.hidden} became 0 or nearly 0, which is a score like any other: they still got weight",
    0.0,
    "exp(0) is 1, not 0: only a score of -inf, or one far below all others, leaves no weight.",
)
_BECAME_SMALL = _filled(
    "{1}_small",
    "{scope.hidden} were set to -1, which still gets a share of the weight",
    -1.0,
    "exp(-1) is 0.37, not 0: only a score of -inf, or one far below all others, leaves no weight.",
)
_BECAME_TEN_THOUSAND = _filled(
    "{1}_ten_thousand",
    "{scope.hidden} were set to a number such as -10000: where the others are lower, a hidden key got the weight",
    -1e4,
    NOT_BELOW_ALL,
)
_LOST_TEN_THOUSAND = _applies(
    "{1}_less_ten_thousand",
    "a number such as -10000 was added to {scope.hidden}: where one is the largest even so, it gets the weight",
    lambda scores, c: pipeline.lowered(scores, -1e4, c),
    NOT_BELOW_ALL,
)
_AFTER_SOFTMAX = _applies(
    "{}ed_after_softmax",
    "{scope.noun} was applied after the softmax: the remaining weights do not sum to 1",
    lambda scores, c: scores,
    "The softmax has given hidden keys their share already: set to 0, it is missing from the sum.",
    after=lambda weights, c: weights.masked_fill(hidden(weights, c), 0.0),
)
_FIRST_SEQUENCE = _reads(
    "{}_of_first_sequence",
    "{scope.noun} of the first sequence was used for the whole batch",
    _of_first_sequence,
    "Sequences differ in length: with the first one's mask, others lose real keys or see padding.",
)
_FIRST_QUERY = _reads(
    "{}_of_first_query",
    "{scope.noun} of the first query was used for all queries",
    _of_first_query,
    "Each query has a row of its own: with another's, it sees what it must not, or loses what it may see.",
)
_INVERTS = _reads(
    "{}_inverted",
    "{scope.noun} {scope.verb} inverted: what may be seen was hidden",
    lambda case, scores: case.but(allow=_inverse(case.allow), keep=_inverse(case.keep)),
    _INVERTED,
)
_TRANSPOSES = _reads(
    "{}_transposed",
    "{scope.noun} was transposed: it hid queries, not keys",
    lambda case, scores: case.but(allow=None if case.allow is None else case.allow.mT),
    _TRANSPOSED,
)
_LATE, _EARLY = _laid("right", "s + 1", right=True), _laid("left", "s - 1", right=False)
_OF_FIRST_HEAD = _applies(
    "{}_of_first_head_alone",
    "{scope.noun} was applied to the first head alone",
    _first_head_alone,
    "A mask without an axis for the heads holds for all of them: through the others hidden keys are seen.",
)
_ADDS = _applies(
    "{}_added",
    "{scope.noun} {scope.verb} added to the scores as 0 and 1: hidden ones got less weight, not none",
    _times(1),
    _ADDED,
)
_SUBTRACTS = _applies(
    "{}_subtracted",
    "{scope.noun} {scope.verb} subtracted from the scores as 0 and 1: hidden ones got more weight, not none",
    _times(-1),
    _ADDED,
)

MASKS = (
    _IGNORED(EVERY),
    _BECAME_ZERO(EVERY),
    _BECAME_SMALL(EVERY),
    _BECAME_TEN_THOUSAND(EVERY),
    _LOST_TEN_THOUSAND(EVERY),
    _AFTER_SOFTMAX(EVERY),
    _FIRST_SEQUENCE(EVERY),
)
MASK_MOVED = (_LATE(EVERY), _EARLY(EVERY))
MASK_OF_FIRST_HEAD = _OF_FIRST_HEAD(EVERY)
"""A mistake for attention with more than one head."""


def _inverted(scores: Tensor, c: Context) -> Tensor:
    if c.case.allow is None and c.case.keep is None:
        return scores
    return pipeline.hide(scores, ~hidden(scores, c), c)


def _transposed(scores: Tensor, c: Context) -> Tensor:
    if c.case.allow is None and c.case.keep is None:
        return scores
    return pipeline.hide(scores, hidden(scores, c).expand_as(scores).mT, c)


ONE_MASK = (
    _FIRST_QUERY(EVERY),
    Mistake(
        "mask_inverted",
        "the mask was inverted: what may be seen was hidden",
        {"mask": _inverted},
        why=_INVERTED,
    ),
    Mistake(
        "mask_transposed",
        "the mask was transposed: it hid queries, not keys",
        {"mask": _transposed},
        why=_TRANSPOSED,
    ),
)
"""Mistakes for contracts in which one argument carries all masks."""


def _ones_added(weight: str, ones: Callable[[Tensor, Context], Tensor]) -> tuple[Mistake, Mistake]:
    """Two mistakes: the mask is added as 0 and 1 to the scaled scores, or to the scores before they are scaled.

    Args:
        weight: `more` or `less`: the weight that hidden scores get by it.
        ones: makes the mask of 0 and 1 from the scores and the context.
    """
    said = f"hidden ones got {weight} weight, not none"
    return (
        Mistake(
            "mask_added",
            f"the mask was added to the scores as 0 and 1: {said}",
            {"mask": lambda scores, c: scores + ones(scores, c)},
            why=_ADDED,
        ),
        Mistake(
            "mask_added_before_scale",
            f"the mask was added to the scores as 0 and 1, and divided by sqrt(head_dim) with them: {said}",
            {"mask": lambda scores, c: scores},
            {"scale": lambda step: lambda scores, c: step(scores + ones(scores, c), c)},
            why=_ADDED,
        ),
    )


ONES_ADDED_TO_HIDDEN = _ones_added("more", hidden)
ONES_ADDED_TO_SEEN = _ones_added("less", lambda scores, c: ~hidden(scores, c))

MASK_TIMES_INFINITY = Mistake(
    "mask_times_infinity",
    "the mask was multiplied by -infinity before it was added: 0 times infinity is NaN",
    {"mask": lambda scores, c: scores + hidden(scores, c) * -torch.inf if hidden(scores, c).dim() else scores},
    why="What may be seen has to get 0, and a product with infinity gives no 0: choose between two numbers instead.",
)

_SUBTRACTED = "the mask was subtracted from the scores as 0 and 1: hidden ones got {} weight, not none"
ONES_SUBTRACTED_FROM_HIDDEN = Mistake(
    "mask_subtracted",
    _SUBTRACTED.format("less"),
    {"mask": lambda scores, c: scores - hidden(scores, c).to(scores.dtype)},
    why=_ADDED,
)
ONES_SUBTRACTED_FROM_SEEN = Mistake(
    "mask_subtracted",
    _SUBTRACTED.format("more"),
    {"mask": lambda scores, c: scores - (~hidden(scores, c)).to(scores.dtype)},
    why=_ADDED,
)


def _padding_on_queries(scores: Tensor, c: Context) -> Tensor:
    if c.case.keep is None:
        return pipeline.mask(scores, c)
    over_queries = ~pipeline.over_queries(c.case.keep, scores).mT
    return pipeline.hide(pipeline.mask(scores, replace(c, case=c.case.but(keep=None))), over_queries, c)


def _padding_on_queries_too(scores: Tensor, c: Context) -> Tensor:
    masked = pipeline.mask(scores, c)
    if c.case.keep is None or scores.shape[-2] != scores.shape[-1]:
        return masked
    return pipeline.hide(masked, ~pipeline.over_queries(c.case.keep, scores).mT, c)


def _lowest_numbers_added(scores: Tensor, c: Context) -> Tensor:
    for part in pipeline.hidden_by_each(scores, c):
        scores = scores + torch.finfo(scores.dtype).min * part.to(scores)
    return scores


def _joined_with_or(case: Case, scores: Tensor) -> Case:
    if case.allow is None or case.keep is None:
        return case
    return case.but(
        allow=pipeline.over_heads(case.allow, scores, case) | pipeline.over_queries(case.keep, scores), keep=None
    )


_OF_EITHER = (
    _INVERTS,
    _IGNORED,
    _LATE,
    _EARLY,
    _FIRST_SEQUENCE,
    _BECAME_ZERO,
    _BECAME_SMALL,
    _BECAME_TEN_THOUSAND,
    _LOST_TEN_THOUSAND,
    _AFTER_SOFTMAX,
    _OF_FIRST_HEAD,
    _ADDS,
    _SUBTRACTS,
)
TWO_MASKS = (
    *(what(scope) for what in _OF_EITHER for scope in (ATTENTION, PADDING)),
    _INVERTS(BOTH),
    _TRANSPOSES(ATTENTION),
    _FIRST_QUERY(ATTENTION),
    Mistake(
        "padding_on_queries",
        "the padding mask was laid over the queries, not over the keys",
        {"mask": _padding_on_queries},
        why="What a padded query answers is thrown away; it is the padded key that must stay out of other answers.",
    ),
    Mistake(
        "padding_on_queries_too",
        "the padding mask was laid over the queries, too, where they are as many as the keys",
        {"mask": _padding_on_queries_too},
        why="Which query is padding is the caller's to know: its row must not lose the keys that it may see.",
    ),
    Mistake(
        "two_lowest_numbers_added",
        "each mask added the lowest number of the dtype: where both hide all keys of a query, they sum to -inf",
        {"mask": _lowest_numbers_added, "softmax": plain_softmax},
        why="Two lowest numbers add up to -inf, and a softmax of -inf alone is 0 / 0: join the masks before they hide.",
        is_alone=True,  # a dropout of such scores gives -inf too
    ),
    masked_as(
        "masks_joined_with_or",
        'the two masks were joined with "or": a key was seen where either of them let it',
        _joined_with_or,
        why="Each mask hides for a reason of its own: a later token stays hidden although it is real.",
    ),
    _ADDS(BOTH),
    _SUBTRACTS(BOTH),
)
"""Mistakes for contracts with a separate padding mask."""
