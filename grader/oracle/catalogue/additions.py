"""Mistakes that put into attention what belongs around it: activations and norms."""

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor
from torch.nn.functional import gelu, layer_norm

from grader.listing import listed
from grader.oracle.mistake import Mistake, Step, followed_by, preceded_by
from grader.oracle.pipeline import Context

NORM_WHY = "A layer norm belongs to the block around attention: how large an answer is would be lost."
_NO_MATCH = "The projections are linear: cut off at 0, a score can no longer say that two tokens do not match."
_HALF = "The projections are linear: cut off at 0, half of what these features could say is lost."
ROLES = ("queries", "keys", "values")
_QUERIES_AND_KEYS_NORMED = Mistake(
    "layer_norm_on_queries_and_keys",
    "a layer norm was applied to the queries and the keys of each head",
    {"score": lambda query, key, c: normed(query) @ normed(key).mT},
    why="How large a query or a key is says how sharply it chooses: normed, all choose alike.",
)


def normed(x: Tensor) -> Tensor:
    """A layer norm over the last axis, without weights."""
    return layer_norm(x, x.shape[-1:])


def on_projections(
    name: str, activation: Callable[[Tensor], Tensor], why: str, some: tuple[str, ...] = ROLES
) -> Mistake:
    """The mistake of applying an activation to the projected queries, keys and values, or to some of them.

    Args:
        name: the name of the activation, without an article.
        activation: maps a tensor (N, L, E) to the activated one.
        why: why it is wrong.
        some: which of `ROLES` are activated.
    """

    def activated(three: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(activation(x) if role in some else x for role, x in zip(ROLES, three, strict=True))

    which, alone = ("projections", "") if some == ROLES else ("_and_".join(some), " alone")
    sentence = f"{'an' if name[0] in 'aeio' else 'a'} {name} was applied to the projected {listed(some)}{alone}"
    around = {"project": followed_by(activated)}
    name = f"{name.replace(' ', '_')}_on_{which}"
    return Mistake(name, sentence, around=around, why=why, is_alone=some != ROLES)


def _with_normed_inputs(c: Context) -> Context:
    query, key, value = map(normed, (c.case.query, c.case.keys, c.case.values))
    return replace(c, case=c.case.but(query=query, key=key, value=value))


def made_of(step: str, name: str, sentence: str, why: str, other: Callable[[Tensor, Context], Tensor]) -> Mistake:
    """The mistake of replacing the tensor that a step returns by another one, made of it.

    Args:
        step: the name of the step.
        name: the name of the mistake.
        sentence: what was computed.
        why: why that is wrong.
        other: maps the tensor and the context to the other tensor.
    """

    def around(own: Step) -> Step:
        return lambda x, c: other(own(x, c), c)

    return Mistake(name, sentence, around={step: around}, why=why)


LAYER_NORM_ON_OUTPUT = made_of(
    "project_out",
    "layer_norm_on_output",
    "a layer norm was applied to the output",
    NORM_WHY,
    lambda output, c: normed(output),
)
"""A mistake for attention without projections too."""

ADDITIONS = (
    on_projections("relu", Tensor.relu, _NO_MATCH),
    on_projections("relu", Tensor.relu, _NO_MATCH, ("queries", "keys")),
    *(on_projections("relu", Tensor.relu, _HALF, (role,)) for role in ROLES),
    on_projections(
        "gelu",
        gelu,
        "The projections are linear: with next to nothing below 0, a score cannot say that two tokens do not match.",
    ),
    on_projections(
        "tanh",
        Tensor.tanh,
        "The projections are linear: held between -1 and 1, values and scores lose how large they were.",
    ),
    made_of(
        "project_out",
        "relu_on_output",
        "a relu was applied to the output",
        "The output projection is linear: the block around attention adds it to its input, and needs both signs.",
        lambda output, c: output.relu(),
    ),
    LAYER_NORM_ON_OUTPUT,
    made_of(
        "project_out",
        "residual_and_layer_norm",
        "the input was added to the output, and a layer norm applied to the sum",
        NORM_WHY,
        lambda output, c: normed(output + c.case.query),
    ),
    _QUERIES_AND_KEYS_NORMED,
    Mistake(
        "layer_norm_on_inputs",
        "a layer norm was applied to the inputs before their projections",
        around={"project": preceded_by(_with_normed_inputs)},
        why=NORM_WHY.replace("an answer", "an input"),
        is_alone=True,
    ),
)
"""Mistakes for attention with projections."""
