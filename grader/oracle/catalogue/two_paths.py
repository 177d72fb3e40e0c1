"""Mistakes of code that computes the output and the returned weights separately: only one of them is wrong."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from grader.oracle import pipeline
from grader.oracle.catalogue.masks import FIELDS
from grader.oracle.catalogue.rows import plain_softmax
from grader.oracle.mistake import Mistake, Step
from grader.oracle.pipeline import Context


def _weights_of(without: dict[str, object], **steps: Step) -> Step:
    """The step `give` that returns the weights of another call without dropout.

    Args:
        without: what that call does not have, as changes of the case.
        steps: the steps in which that call differs from `pipeline.PER_HEAD`.
    """

    def give(weights: Tensor, c: Context) -> Tensor | None:
        plain = pipeline.PER_HEAD.but(style=replace(c.style, gives_dropped=False), **steps)
        other = c.case.but(**without, training=False, seed=None)
        return plain.run(other, c.size, c.weights).weights if c.case.need_weights else None

    return give


_OF_SDPA = {
    "scale_by_head_dim": (
        "the scores were scaled twice: scaled_dot_product_attention divides by sqrt(head_dim) by itself"
    ),
}
"""Sentences of mistakes, by name, for an output that PyTorch computes; other mistakes keep their own sentence."""


def in_the_output_alone(mistake: Mistake) -> Mistake:
    """The mistake with the right weights returned: they are computed separately, per head and before dropout."""
    return replace(
        mistake,
        name=f"{mistake.name}_in_the_output_alone",
        sentence=f"{_OF_SDPA.get(mistake.name, mistake.sentence)}; the weights returned are right",
        steps={**mistake.steps, "give": _weights_of({})},
        is_alone=True,
    )


_SHOWN = "Who reads the weights believes that the output was made with them."
_OF_OTHERS = (
    ("weights_without_mask_and_triangle", "without the mask and without is_causal", (*FIELDS, "is_causal")),
    ("weights_without_mask", "without the mask, the output with it", FIELDS),
    ("weights_without_is_causal", "without is_causal, the output with it", ("is_causal",)),
)
_OF_THE_OUTPUT = (
    "is_causal_ignored",
    "is_causal_ignored_beside_a_mask",
    "mask_ignored_beside_is_causal",
    "mask_ignored",
    "mask_inverted",
    "float_mask_added",
    "mask_added",
    "no_scale",
    "scale_by_head_dim",
    "scale_by_embed_dim_root",
    "scale_multiplied",
    "is_causal_joined_with_or",
    "is_causal_lower_right",
    "is_causal_without_diagonal",
)


def weights_without_mask(**steps: Step) -> Mistake:
    """The mistake of returning weights without the masks, for contracts that return the weights of the output.

    Args:
        steps: the steps in which the kata's oracle differs from attention with heads.
    """
    of_others = _weights_of(dict.fromkeys(FIELDS) | {"need_weights": True}, **steps)

    def unmasked(give: Step) -> Step:
        return lambda weights, c: give(of_others(weights, c), c)

    return Mistake(
        "weights_without_mask",
        "the weights returned were computed without the mask, the output with it",
        around={"give": unmasked},
        why=_SHOWN,
    )


WEIGHTS_ALONE = (
    Mistake(
        "weights_without_scale",
        "the weights returned were computed without dividing the scores by sqrt(head_dim), the output with it",
        {"give": _weights_of({}, scale=lambda scores, c: scores)},
        why=_SHOWN,
    ),
    *(
        Mistake(
            name,
            f"the weights returned were computed {words}",
            {"give": _weights_of({field: False if field == "is_causal" else None for field in fields})},
            why=_SHOWN,
        )
        for name, words, fields in _OF_OTHERS
    ),
    Mistake(
        "weights_nan_rows",
        "the weights returned of a fully masked row are NaN, the output is not",
        {"give": _weights_of({}, softmax=plain_softmax)},
        why="Whoever uses or averages the returned weights gets the NaN that the output does not show.",
    ),
)


def of_two_paths(mistakes: Sequence[Mistake]) -> tuple[Mistake, ...]:
    """The mistakes in the weights only, and those in the output only, which are chosen from a kata's other mistakes."""
    known = {mistake.name: mistake for mistake in mistakes}
    return (*WEIGHTS_ALONE, *(in_the_output_alone(known[name]) for name in _OF_THE_OUTPUT))
