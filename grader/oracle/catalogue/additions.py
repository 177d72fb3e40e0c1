"""Mistakes that put into attention what belongs around it: activations and norms."""

from collections.abc import Callable

from torch import Tensor
from torch.nn.functional import gelu, layer_norm

from grader.oracle.mistake import Mistake, Step, followed_by
from grader.oracle.pipeline import Context

_NORM_WHY = "A layer norm belongs to the block around attention: how large an answer is would be lost."
_QUERIES_AND_KEYS_NORMED = Mistake(
    "layer_norm_on_queries_and_keys",
    "a layer norm was applied to the queries and the keys of each head",
    {"score": lambda query, key, c: _normed(query) @ _normed(key).mT},
    why="How large a query or a key is says how sharply it chooses: normed, all choose alike.",
)


def _normed(x: Tensor) -> Tensor:
    return layer_norm(x, x.shape[-1:])


def _on_projections(name: str, activation: Callable[[Tensor], Tensor], why: str) -> Mistake:
    sentence = f"a {name} was applied to the projected queries, keys and values"
    activated = {"project": followed_by(lambda three: tuple(map(activation, three)))}
    return Mistake(f"{name}_on_projections", sentence, around=activated, why=why)


def _made_of_output(name: str, sentence: str, why: str, other: Callable[[Tensor, Context], Tensor]) -> Mistake:
    def around(project_out: Step) -> Step:
        return lambda x, c: other(project_out(x, c), c)

    return Mistake(name, sentence, around={"project_out": around}, why=why)


ADDITIONS = (
    _on_projections(
        "relu",
        Tensor.relu,
        "The projections are linear: cut off at 0, a score can no longer say that two tokens do not match.",
    ),
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
    _made_of_output(
        "layer_norm_on_output",
        "a layer norm was applied to the output",
        _NORM_WHY,
        lambda output, c: _normed(output),
    ),
    _made_of_output(
        "residual_and_layer_norm",
        "the input was added to the output, and a layer norm applied to the sum",
        _NORM_WHY,
        lambda output, c: _normed(output + c.case.query),
    ),
    _QUERIES_AND_KEYS_NORMED,
)
"""Where there are projections."""
