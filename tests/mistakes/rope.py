"""Edits of our solution of `rope`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import edit, in_words

EXPONENTS = "-torch.arange(0, size, 2, dtype=torch.float64, device=x.device) / size"
FREQUENCIES = f"base ** ({EXPONENTS})"
PLACES = "positions[..., None, :, None]"
ANGLES = f"angles = {PLACES} * frequencies"
COSINES = "cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)"
HALVES = "first, second = x.chunk(2, dim=-1)"
TURNED = "torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)"
ROTATE = """q = apply_rope(q, positions, self.base)
        k = apply_rope(k, positions, self.base)"""
ODD = "if size % 2 == 1:"
ODD_HEADS = "if d_model // num_heads % 2 == 1:"
WHOLE = """whole = (apply_rope(each.transpose(1, 2).flatten(2)[:, None], positions, self.base)[:, 0] for each in (q, k))
        q, k = (each.unflatten(-1, (self.num_heads, -1)).transpose(1, 2) for each in whole)"""


def placed(positions: str) -> tuple[str, str]:
    """Other positions than those given."""
    return ANGLES, f"positions = {positions}\n    {ANGLES}"


def turned(layout: str, partner: str) -> tuple[str, str]:
    """The features and their partners, weighed by cosines and sines that are laid out over all features.

    Args:
        layout: a method's call that lays out the angles of the pairs.
        partner: of the features.
    """
    return TURNED, f"x * cos.{layout} + {partner} * sin.{layout}"


EDITS = (
    edit(
        "interleaved_pairs",
        (HALVES, "first, second = x[..., 0::2], x[..., 1::2]"),
        (TURNED, TURNED.replace("cat", "stack") + ".flatten(-2)"),
    ),
    edit("interleaved_angles", turned("repeat_interleave(2, -1)", "torch.cat([-second, first], -1)")),
    edit(
        "interleaved_partners",
        turned("tile(2)", "torch.stack([-x[..., 1::2], x[..., 0::2]], dim=-1).flatten(-2)"),
    ),
    edit("rotated_backwards", (TURNED, "torch.cat([first * cos + second * sin, second * cos - first * sin], dim=-1)")),
    edit("half_not_negated", (TURNED, TURNED.replace(" - ", " + "))),
    edit("sine_and_cosine_exchanged", (COSINES, COSINES.replace("cos, sin =", "sin, cos ="))),
    edit("halves_exchanged", (TURNED, "torch.cat([second * cos + first * sin, first * cos - second * sin], dim=-1)")),
    edit("base_10000_always", (FREQUENCIES, f"10000.0 ** ({EXPONENTS})")),
    edit("halves_interleaved", (TURNED, TURNED.replace("cat", "stack") + ".flatten(-2)")),
    edit("neighbours_in_halves", (HALVES, "first, second = x[..., 0::2], x[..., 1::2]")),
    edit(
        "first_half_overwritten",
        (TURNED, "torch.cat([first := first * cos - second * sin, second * cos + first * sin], dim=-1)"),
    ),
    edit("positions_from_the_first", placed("positions - positions[..., :1]")),
    edit("base_of_the_layer_unused", (ROTATE, ROTATE.replace(", self.base", ""))),
    edit("base_left_out", (FREQUENCIES, f"torch.exp({EXPONENTS})")),
    edit("exponent_halved", (EXPONENTS, EXPONENTS.replace("(0, size, 2", "(size // 2"))),
    edit("exponent_doubled", (EXPONENTS, f"2 * {EXPONENTS}".replace("2 * -", "-2 * "))),
    edit("exponent_from_one", (EXPONENTS, EXPONENTS.replace("(0, size, 2", "(2, size + 2, 2"))),
    edit("exponent_positive", (EXPONENTS, EXPONENTS.removeprefix("-"))),
    edit("exponent_by_embedding", (EXPONENTS, f"{EXPONENTS} / x.shape[1]")),
    edit("positions_from_one", placed("positions + 1")),
    edit("positions_ignored", placed("torch.arange(x.shape[2])")),
    edit("positions_without_gaps", placed("positions[..., :1] + torch.arange(x.shape[2])")),
    edit("positions_of_first_sequence", placed("positions.reshape(-1, x.shape[2])[0]")),
    edit("positions_by_head", (PLACES, "positions[..., None]")),
    edit("angles_in_bfloat16", (ANGLES, f"angles = {PLACES}.bfloat16() * frequencies.bfloat16()")),
    edit("angles_in_float16", (ANGLES, f"angles = {PLACES}.half() * frequencies.half()")),
    edit(
        "angles_as_features",
        (ANGLES, f"angles = {PLACES}.to(x) * base ** -(torch.arange(0, size, 2).to(x) / size)"),
    ),
    edit(
        "reciprocals_as_features",
        (ANGLES, f"angles = {PLACES}.to(x) * (1.0 / base ** (torch.arange(0, size, 2).to(x) / size))"),
    ),
    edit("rounded_positions_and_frequencies", (ANGLES, f"angles = {PLACES}.to(x) * frequencies.to(x)")),
    edit("rounded_positions", (ANGLES, f"angles = {PLACES}.to(x).double() * frequencies")),
    edit("rounded_frequencies", (ANGLES, f"angles = {PLACES} * frequencies.to(x).double()")),
    edit("rounded_angles", (ANGLES, f"{ANGLES[:9]}({ANGLES[9:]}).to(x)")),
    edit("values_rotated", (ROTATE, f"{ROTATE}\n        v = apply_rope(v, positions, self.base)")),
    edit("keys_not_rotated", (ROTATE, "q = apply_rope(q, positions, self.base)")),
    edit("queries_not_rotated", (ROTATE, "k = apply_rope(k, positions, self.base)")),
    edit("nothing_rotated", (ROTATE, "pass")),
    edit("rotated_before_the_split", (ROTATE, WHOLE)),
    edit("rotated_twice", (ROTATE, f"{ROTATE}\n        {ROTATE}")),
    edit("keys_rotated_backwards", (ROTATE, ROTATE.replace("(k, positions", "(k, -positions"))),
)

IN_WORDS = (
    in_words(
        "an odd size is not refused by the function",
        "an_odd_size_is_refused",
        "apply_rope with D = 5",
        "AssertionError or ValueError",
        (ODD, "if False:"),
    ),
    in_words(
        "an odd size is not refused by the layer",
        "an_odd_size_is_refused",
        "embedding size 9 with 3 heads",
        "AssertionError or ValueError",
        (ODD_HEADS, "if False:"),
    ),
    in_words(
        "x is changed in place",
        "its_inputs_stay_as_they_are",
        "number of inputs changed in place",
        "0",
        (f"return {TURNED}", f"return x.copy_({TURNED})"),
    ),
    in_words(
        "the cosines make float64 of what is returned",
        "its_inputs_stay_as_they_are",
        "dtype of apply_rope(x, positions)",
        "torch.float32",
        (COSINES, "cos, sin = angles.cos(), angles.sin()"),
    ),
)

WITHOUT_A_NAME = {
    "the first pair alone is turned": ((EXPONENTS, f"{EXPONENTS} - 99.0 * (torch.arange(size // 2) > 0)"),),
    "tokens turned by their roots": (placed("positions.double().sqrt()"),),
    "keys one position late": ((ROTATE, ROTATE.replace("(k, positions", "(k, positions + 1")),),
}
