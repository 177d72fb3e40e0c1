"""What exceptions say of the mistake behind them: PyTorch's words and numbers, in the letters of the contract."""

import math
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from grader.checks.attention import RefusedCall
from grader.checks.attention_kata import AttentionKata
from grader.checks.case import Case
from grader.checks.kata import Raise
from grader.oracle.catalogue.reading import WITHOUT_HEADS_AXIS
from grader.oracle.mistake import Mistake
from grader.oracle.rotary import RotarySteps
from grader.oracle.sections import BY_STEP, GRADIENTS, Section

OUT_OF_RANGE = re.compile("out of (bounds|range)")
"""Matches a message about an index beyond a table: a position is wrong, whatever the axes of the positions."""
LETTERS, OTHER = "NHLSDE", "another size"


class KnownRaise(NamedTuple):
    """A raise whose message is known."""

    call: RefusedCall | None
    match: re.Match[str]

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes of the call, by their letters; none where a helper of the contract was called alone."""
        if self.call is None:
            return {}
        query, size = self.call.case.query, self.call.size
        sequences, keys = query.shape[0] if query.dim() == 3 else 1, self.call.case.keys.shape[-2]
        sizes = sequences, size.num_heads, query.shape[-2], keys, size.head_dim, size.embed_dim
        return dict(zip(LETTERS, sizes, strict=True))

    @property
    def has_mask(self) -> bool:
        """Whether an attention was called with a mask."""
        return self.call is not None and (self.call.case.shown, self.call.case.bias) != (None, None)


def raised_mistakes(kata: AttentionKata, raises: Sequence[Raise]) -> dict[str, Mistake]:
    """The mistakes that exceptions prove, by the check's name; none where they say no more than their own words.

    Exceptions from one place in the source are taken together: a letter is named where it is right in all their calls.

    Args:
        kata: whose contract was called.
        raises: the exceptions that ended checks.
    """
    mistakes = _of_positions(kata, raises)
    places = defaultdict[tuple[str, Explanation], dict[str, KnownRaise]](dict)
    for each in (each for each in raises if each.check not in mistakes):
        for pattern, explain in KNOWN:
            if match := re.search(pattern, each.message):
                places[each.where, explain][each.check] = KnownRaise(each.call, match)
                break
    made = [(explain(kata, list(known.values())), known) for (_, explain), known in places.items()]
    return mistakes | {check: mistake for mistake, known in made if mistake for check in known}


def _of_positions(kata: AttentionKata, raises: Sequence[Raise]) -> dict[str, Mistake]:
    """The mistake that a rotation raises for positions of each sequence, because of their axes, and for no others."""
    if not isinstance(kata.key.oracle, RotarySteps):
        return {}
    turn = next(needed.name for needed in kata.contract.needed if needed.kind == "function")
    of_each_sequence = re.compile(rf"positions=\(\d+, \d+\)|^{turn}\([^)]*\), \(\d+, \d+\)")
    inside = [each for each in raises if re.search(rf":\d+ in {turn}\b", each.where)]
    if not all(of_each_sequence.search(each.what) and not OUT_OF_RANGE.search(each.message) for each in inside):
        return {}
    mistake = Mistake(
        "positions_of_each_sequence_refused",
        f"{turn} raised for positions [B, L], a row for each sequence",
        why="Sequences of a batch may begin at different positions: padding on the left moves one and not another.",
        own_section=BY_STEP["positions"],
    )
    return {each.check: mistake for each in inside}


def _letters(raises: Sequence[KnownRaise], group: int) -> str:
    """All letters whose size in each of the calls is the one in this group of the message: `H`, or `L = S`."""
    sizes = [(each.sizes, int(each.match[group])) for each in raises if each.call]
    common = [letter for letter in LETTERS if sizes and all(of[letter] == size for of, size in sizes)]
    return " = ".join(common) or OTHER


def _axes_of_two_sizes(kata: AttentionKata, raises: Sequence[KnownRaise]) -> Mistake | None:
    one, other = sorted((_letters(raises, 1), _letters(raises, 2)))
    cases = [each.call.case for each in raises if each.call]
    if {one, other} == {"N", "H"} and any(_axes_of_mask(kata, case) == "NLS" for case in cases):
        return WITHOUT_HEADS_AXIS
    if {one, other} == {"N", "L"} and all(case.keep is not None for case in cases):
        return Mistake(
            "padding_mask_without_queries_axis",
            "the padding mask (N, S) was left without an axis for the queries: its sequences were taken for queries",
            why="Axes line up from the right: without axes of 1 for heads and queries, N stands where L is wanted.",
            own_section=BY_STEP["mask"],
        )
    if OTHER in (one, other):
        return None
    return Mistake(
        "axes_of_two_sizes",
        f"an axis is {one} in one of two tensors and {other} in the other, where they have to be matched",
        why="Axes line up from the right, and the sizes of each pair have to be equal, or one of them 1.",
        own_section=BY_STEP["score"],
    )


def _axes_of_mask(kata: AttentionKata, case: Case) -> str:
    return (case.mask_format or kata.formats[0]).axes if case.allow is not None else ""


def _product_of_other_axes(kata: AttentionKata, raises: Sequence[KnownRaise]) -> Mistake | None:
    left, right = _letters(raises, 1), _letters(raises, 2)
    if OTHER in (left, right):
        return None
    return Mistake(
        "product_of_other_axes",
        f"a product of matrices, or a linear layer, was given {left} columns where {right} were to be summed over",
        why="A product sums over the last axis of the left one and the last but one of the right one.",
        own_section=BY_STEP["score"],
    )


def _keys_by_queries_length(kata: AttentionKata, raises: Sequence[KnownRaise]) -> Mistake | None:
    def is_of_keys(each: KnownRaise) -> bool:
        shape, sizes = [int(size) for size in each.match[1].split(",")], each.sizes
        if not sizes or sizes["S"] == sizes["L"] or sizes["L"] not in shape or sizes["S"] in shape:
            return False
        return int(each.match[2]) == math.prod(sizes[letter] for letter in "NSE")

    # A mask that has more queries than there are gives the weights these sizes too.
    if not any(is_of_keys(each) and not each.has_mask for each in raises):
        return None
    return Mistake(
        "keys_by_queries_length",
        "keys or values were laid out with the queries' length",
        why="In cross-attention keys and values have a length of their own.",
        own_section=BY_STEP["split"],
    )


def _more_axes_than_names(kata: AttentionKata, raises: Sequence[KnownRaise]) -> Mistake | None:
    """The mistake that a mask was given more axes than the scores have, which broadcasting then gives to the scores."""
    names = {each.match[1] for each in raises}
    if not all(each.has_mask for each in raises) or len(names) > 1:
        return None
    return Mistake(
        "more_axes_than_names",
        f"a tensor of more than {names.pop()} axes was made with a mask",
        why="A mask with more axes than the scores gives them more: the shapes are lined up from the right.",
        own_section=BY_STEP["mask"],
    )


def _beyond_a_table(kata: AttentionKata, raises: Sequence[KnownRaise]) -> Mistake | None:
    sizes = {each.match[1] for each in raises}
    if not isinstance(kata.key.oracle, RotarySteps) or len(sizes) > 1:
        return None
    return Mistake(
        "beyond_a_table",
        f"a table of {sizes.pop()} rows was asked for a position beyond its last one",
        why="A position may be any integer from 0 on: what is made ahead has to grow, or be made in the call.",
        own_section=BY_STEP["positions"],
    )


Explanation: TypeAlias = Callable[[AttentionKata, Sequence[KnownRaise]], Mistake | None]


def _always(name: str, sentence: str, why: str, section: Section) -> Explanation:
    """An explanation that is the same mistake whatever the call was."""
    mistake = Mistake(name, sentence, why=why, own_section=section)
    return lambda kata, raises: mistake


KNOWN: tuple[tuple[str, Explanation], ...] = (
    (r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\) at non-singleton", _axes_of_two_sizes),
    (r"subscript \w has size (\d+) .* does not broadcast with previously seen size (\d+)", _axes_of_two_sizes),
    (r"batch2 tensor to be: \[\d+, (\d+)\] but got: \[\d+, (\d+)\]", _product_of_other_axes),
    (r"shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)", _product_of_other_axes),
    (r"shape '\[([\d, -]+)\]' is invalid for input of size (\d+)", _keys_by_queries_length),
    (r"too many values to unpack \(expected (\d+)\)", _more_axes_than_names),
    (
        r"Dimension out of range \(.*, but got \d|does not match the length of the desired ordering of dimensions",
        _always(
            "axes_of_another_number",
            "axes were numbered for a tensor with another number of them",
            "However many axes a tensor has, -1 and -2 are the last ones: counted from the left their numbers change.",
            BY_STEP["score"],
        ),
    ),
    (r"index \d+ is out of bounds for dimension 0 with size (\d+)", _beyond_a_table),
    (
        r"view size is not compatible with input tensor's size and stride",
        _always(
            "view_of_a_transposed_tensor",
            "view was called on a tensor whose numbers do not lie in that order in memory",
            "A view never copies, and transpose, permute and expand leave the numbers where they were.",
            BY_STEP["merge"],
        ),
    ),
    (
        r"masked_fill_? only supports boolean masks|where expected condition to be a boolean",
        _always(
            "mask_that_is_not_bool",
            "masked_fill or torch.where was given a mask that is not bool",
            "They take bool alone, and a contract's mask may come as numbers.",
            BY_STEP["mask"],
        ),
    ),
    (
        r"~ \(operator.invert\) is only implemented on integer and Boolean",
        _always(
            "floats_inverted",
            "~ was applied to a tensor of floats",
            "It turns the bits of bools and integers, and a contract's mask may come as floats.",
            BY_STEP["mask"],
        ),
    ),
    (
        r"Subtraction, the `-` operator, with (?:a|two) bool tensors? is not supported",
        _always(
            "bools_subtracted",
            "- was applied to a bool tensor",
            "Bools are no numbers for PyTorch, and a contract's mask may come as bools.",
            BY_STEP["mask"],
        ),
    ),
    (
        r"Expected attn_mask dtype to be bool or",
        _always(
            "mask_of_another_dtype_to_sdpa",
            "scaled_dot_product_attention was given a mask that is neither bool nor of the queries' dtype",
            "It hides by bools and adds floats, and a contract's mask may come as other numbers.",
            BY_STEP["mask"],
        ),
    ),
    (
        r"attn_mask should not be set when is_causal=True",
        _always(
            "mask_beside_is_causal_to_sdpa",
            "scaled_dot_product_attention was given a mask and is_causal at once, and refuses both together",
            "A call may have a mask and is_causal, and each hides what the other may not.",
            BY_STEP["mask"],
        ),
    ),
    (
        r"must be (a )?tuple of ints, ?but (got|found)[^;]*\bfloat\b|'float' object cannot be interpreted as an int",
        _always(
            "size_that_is_a_float",
            "a float was given as a size: / makes a float also where nothing is left over",
            "Sizes and numbers of heads are whole.",
            BY_STEP["split"],
        ),
    ),
    (
        r"'NoneType' object (?:has no attribute|is not subscriptable)|unsupported operand type\(s\).*'NoneType'",
        _always(
            "none_for_a_tensor",
            "None was used where a tensor or a number is needed",
            "An argument that was left out is None, and so is what a function returns without a return.",
            BY_STEP["project"],
        ),
    ),
    (
        r"have the same dtype, but got|expected scalar type \w+ but found",
        _always(
            "two_dtypes",
            "tensors of two dtypes met in one operation",
            "The inputs' dtype is the caller's choice, and what is made beside them has torch's default dtype.",
            BY_STEP["project"],
        ),
    ),
    (
        r"a leaf Variable that requires grad is being used in an in-place operation",
        _always(
            "input_changed_in_place",
            "an input or a parameter was changed in place",
            "What a call is given belongs to its caller, and a parameter to the optimizer.",
            GRADIENTS,
        ),
    ),
    (
        r"modified by an inplace operation",
        _always(
            "changed_before_the_backward_pass",
            "a tensor that the backward pass needs was changed in place",
            "The gradient of a step is computed from the values that it had in the forward pass.",
            GRADIENTS,
        ),
    ),
)
"""Patterns of the message, each with its explanation; the first that matches is taken."""
