"""Mistakes that put into attention what belongs around it: activations and norms."""

from collections.abc import Callable
from dataclasses import replace

from torch import Tensor
from torch.nn.functional import gelu, layer_norm

from grader.listing import listed
from grader.oracle.mistake import Mistake, Step, followed_by, preceded_by
from grader.oracle.pipeline import Context

_NORM_WHY = "A layer norm belongs to the block around attention: how large an answer is would be lost."
_NO_MATCH = "The projections are linear: cut off at 0, a score can no longer say that two tokens do not match."
_HALF = "The projections are linear: cut off at 0, half of what these features could say is lost."
_ROLES = ("queries", "keys", "values")
_QUERIES_AND_KEYS_NORMED = Mistake(
    "layer_norm_on_queries_and_keys",
    "a layer norm was applied to the queries and the keys of each head",
    {"score": lambda query, key, c: _normed(query) @ _normed(key).mT},
    why="How large a query or a key is says how sharply it chooses: normed, all choose alike.",
)


def _normed(x: Tensor) -> Tensor:
    return layer_norm(x, x.shape[-1:])


def _on_projections(
    name: str, activation: Callable[[Tensor], Tensor], why: str, some: tuple[str, ...] = _ROLES
) -> Mistake:
    """All of queries, keys and values are activated, or some alone."""

    def activated(three: tuple[Tensor, ...]) -> tuple[Tensor, ...]:
        return tuple(activation(x) if role in some else x for role, x in zip(_ROLES, three, strict=True))

    which, alone = ("projections", "") if some == _ROLES else ("_and_".join(some), " alone")
    sentence = f"a {name} was applied to the projected {listed(some)}{alone}"
    around = {"project": followed_by(activated)}
    return Mistake(f"{name}_on_{which}", sentence, around=around, why=why, is_alone=some != _ROLES)


def _with_normed_inputs(c: Context) -> Context:
    query, key, value = map(_normed, (c.case.query, c.case.keys, c.case.values))
    return replace(c, case=c.case.but(query=query, key=key, value=value))


def _made_of_output(name: str, sentence: str, why: str, other: Callable[[Tensor, Context], Tensor]) -> Mistake:
    def around(project_out: Step) -> Step:
        return lambda x, c: other(project_out(x, c), c)

    return Mistake(name, sentence, around={"project_out": around}, why=why)


LAYER_NORM_ON_OUTPUT = _made_of_output(
    "layer_norm_on_output",
    "a layer norm was applied to the output",
    _NORM_WHY,
    lambda output, c: _normed(output),
)
"""Of attention without projections too."""

ADDITIONS = (
    _on_projections("relu", Tensor.relu, _NO_MATCH),
    _on_projections("relu", Tensor.relu, _NO_MATCH, ("queries", "keys")),
    *(_on_projections("relu", Tensor.relu, _HALF, (role,)) for role in _ROLES),
    _on_projections(
        "gelu",
        gelu,
        "The projections are linear: with next to nothing below 0, a score cannot say that two tokens do not match.",
    ),
    _on_projections(
        "tanh",
        Tensor.tanh,
        "The projections are linear: held between -1 and 1, values and scores lose how large they were.",
    ),
    _made_of_output(
        "relu_on_output",
        "a relu was applied to the output",
        "The output projection is linear: the block around attention adds it to its input, and needs both signs.",
        lambda output, c: output.relu(),
    ),
    LAYER_NORM_ON_OUTPUT,
    _made_of_output(
        "residual_and_layer_norm",
        "the input was added to the output, and a layer norm applied to the sum",
        _NORM_WHY,
        lambda output, c: _normed(output + c.case.query),
    ),
    _QUERIES_AND_KEYS_NORMED,
    Mistake(
        "layer_norm_on_inputs",
        "a layer norm was applied to the inputs before their projections",
        around={"project": preceded_by(_with_normed_inputs)},
        why=_NORM_WHY.replace("an answer", "an input"),
        is_alone=True,
    ),
)
"""Where there are projections."""
