"""`plain_class`: four linear layers in a class, no mask, no weights returned."""

from typing import Any, ClassVar

from torch import Tensor

from grader.checks import tiers
from grader.checks.case import Answer, Case, Projections, Size
from grader.claims import nan_safety, shapes, weight_sums
from grader.checks.kata import Call, Kata, New, read_alone
from grader.records import Contract, Needed

# BEGIN HIDDEN
# isort: split
from grader.checks import mistakes, pipeline
from grader.claims import gradients, parity

# END HIDDEN


class PlainClass(Kata):
    """The class of many interviews, smallest form."""

    name = "plain_class"
    title = "A class with four linear layers, without masks"
    mask = "none"
    contract = Contract(
        "plain_class",
        (
            Needed("MultiHeadAttention", "class"),
            Needed("MultiHeadAttention.__init__", "method", "(d_model, num_heads)"),
            Needed("MultiHeadAttention.forward", "method", "(Q, K, V)"),
        ),
    )
    streams = 3
    names: ClassVar = {"query": "Q", "key": "K", "value": "V"}
    has_modes = False
    # BEGIN HIDDEN
    oracle = pipeline.PER_HEAD.but(give=pipeline.give_nothing)
    questions: ClassVar = {
        tiers.NAN_SAFETY.name: "What does exp make of a score of 10000 in float32, and what keeps the softmax finite?"
    }
    mistakes = (
        *mistakes.FORMULA,
        mistakes.SOFTMAX_OVER_HEADS,
        *mistakes.PROJECTIONS,
        mistakes.SCORES_TRANSPOSED,
        *mistakes.WEIGHTS_MIXED_UP,
        *mistakes.BIASES,
        *mistakes.LAYOUT,
        *mistakes.HEADS_OF_ONE_TOKEN,
        *mistakes.NUMBERS,
        *mistakes.DETACHED,
        *mistakes.OTHER_INPUTS,
        *mistakes.EVERYWHERE,
        *mistakes.WITHOUT_WEIGHTS,
        *mistakes.MANY_HEADS,
        *mistakes.VALUES_IGNORED,
        mistakes.INPUTS_SWAPPED,
        *mistakes.LAYERS,
    )
    # END HIDDEN
    checks = (
        *tiers.public(
            tiers.SHAPES(points=3)(shapes.self_attention),
            tiers.SHAPES(points=4)(shapes.cross_attention),
            tiers.SHAPES(points=3)(shapes.smallest_sizes),
            tiers.SHAPES(points=2)(shapes.a_size_that_the_heads_do_not_divide_is_refused),
            tiers.WEIGHT_SUMS(points=5)(weight_sums.equal_values_come_back),
            tiers.WEIGHT_SUMS(points=3)(weight_sums.one_key_takes_all),
            tiers.NAN_SAFETY(points=4)(nan_safety.all_zero_input),
        ),
        # BEGIN HIDDEN
        *tiers.on_reveal(
            tiers.GRADIENTS(points=2)(gradients.inputs_are_not_changed),
            tiers.GRADIENTS(points=3)(gradients.no_state_is_kept),
        ),
        *tiers.hidden(
            tiers.NAN_SAFETY(points=5)(nan_safety.large_scores),
            tiers.GRADIENTS(points=8)(gradients.of_the_inputs),
            tiers.GRADIENTS(points=8)(gradients.of_the_parameters),
            tiers.PARITY(points=10)(parity.without_a_mask),
            tiers.PARITY(points=1)(parity.in_batches_of_any_size),
            tiers.PARITY(points=1)(parity.where_inputs_are_one_tensor),
            tiers.PARITY(points=8)(parity.with_many_heads),
            tiers.PARITY(points=6)(parity.on_long_sequences),
            tiers.PARITY(points=12)(parity.in_cross_attention),
            tiers.PARITY(points=3)(parity.on_inputs_that_are_not_contiguous),
            *(tiers.PARITY(points=2, dtype=dtype)(parity.in_dtype) for dtype in ("float32", "float64", "bfloat16")),
            tiers.PARITY(points=3)(parity.without_loss_of_precision),
        ),
        # END HIDDEN
    )

    def construct(self, size: Size) -> tuple[New, ...]:
        return (New("MultiHeadAttention", (size.embed_dim, size.num_heads)),)

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        return {
            f"W_{name[0]}.{'bias' if name.endswith('bias') else 'weight'}": tensor for name, tensor in weights.items()
        }

    def call(self, case: Case, size: Size) -> Call:
        return Call("forward", (case.query, case.keys, case.values))

    def read(self, value: Any, case: Case) -> Answer:
        return read_alone(value, "output")
