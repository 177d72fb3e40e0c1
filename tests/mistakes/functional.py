"""Edits of our solution of `functional`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import edit, in_words

HIDDEN = "hidden = hidden.unsqueeze(1) if hidden.dim() == 3 else hidden"
Q = "F.linear(q, w_q).unflatten(-1, heads).transpose(1, 2)"
K = "F.linear(k, w_k).unflatten(-1, heads).transpose(1, 2)"
V = "F.linear(v, w_v).unflatten(-1, heads).transpose(1, 2)"
MIX = "weights @ values"
MERGED = "(weights @ values).transpose(1, 2).flatten(2)"
OUT = "F.linear(merged, w_o)"
DRAW_OUT = 'w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device="cpu"), a=math.sqrt(5)).to(q)'
DRAW_IN = 'w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device="cpu")).to(q)'
PARTS = "w_q, w_k, w_v = w_in.chunk(3)"
DRAWN_OTHERWISE = {
    "as nn.Linear draws them": (
        (DRAW_OUT, "W_q, W_k, W_v, W_o = (nn.Linear(d_model, d_model, bias=False).to(q) for _ in range(4))"),
        (DRAW_IN, "w_q, w_k, w_v, w_o = W_q.weight, W_k.weight, W_v.weight, W_o.weight"),
        (PARTS, "pass"),
    ),
    "as three (E, E) matrices": (
        (
            DRAW_IN,
            "squares = [nn.init.xavier_uniform_(torch.empty(d_model, d_model)) for _ in range(3)]\n"
            "    w_in = torch.cat(squares).to(q)",
        ),
    ),
    "were drawn first, and the output projection's after them": (
        (f"{DRAW_OUT}\n    {DRAW_IN}", f"{DRAW_IN}\n    {DRAW_OUT}"),
    ),
    "are not the numbers that come after the caller's seed": ((DRAW_OUT, f"torch.manual_seed(0)\n    {DRAW_OUT}"),),
    "the weights were drawn in float64, where inputs and default dtype are float32": tuple(
        (line, line.replace('device="cpu"', 'device="cpu", dtype=torch.float64')) for line in (DRAW_OUT, DRAW_IN)
    ),
    "more was drawn before the output projection's weights": ((DRAW_OUT, f"torch.rand(1)\n    {DRAW_OUT}"),),
    "queries got the weights drawn for keys": ((PARTS, "w_k, w_q, w_v = w_in.chunk(3)"),),
    "drawn as one (E, 3 E) matrix and cut by columns": (
        (PARTS, "w_q, w_k, w_v = (part.T for part in w_in.view(d_model, 3 * d_model).chunk(3, dim=1))"),
    ),
    "the weights for the output were multiplied without being transposed": ((OUT, "merged @ w_o"),),
}
"""Weights that come about otherwise than PyTorch's, by words of what names them: sentences made for the submission."""


UNFOLDED = ".repeat_interleave(num_heads, 0).view(num_heads, -1, *scores.shape[2:]).transpose(0, 1)"


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, f"F.linear({name}, w_{name}){split}") for name, old in (("q", Q), ("k", K), ("v", V)))


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n        hidden = {hidden}"


EDITS = (
    edit("mask_of_first_head_for_all", hides("hidden[:, :1] if hidden.dim() == 4 else hidden")),
    edit("mask_of_first_head_alone", hides("hidden.expand_as(scores) & (torch.arange(num_heads) == 0)[:, None, None]")),
    edit(
        "mask_folded_in_another_order",
        hides("hidden.expand_as(scores)[:, 0].repeat(num_heads, 1, 1).unflatten(0, (-1, num_heads))"),
    ),
    edit(
        "mask_unfolded_in_another_order",
        hides(f"hidden.expand_as(scores)[:, 0]{UNFOLDED}"),
    ),
    edit(
        "mask_of_three_axes_unfolded",
        (HIDDEN, f"hidden = hidden.expand(scores[:, 0].shape){UNFOLDED} if hidden.dim() == 3 else hidden"),
    ),
    edit("mask_without_heads_axis", (HIDDEN, "pass")),
    edit(
        "mask_of_sequences_for_heads_by_size",
        (HIDDEN, f"hidden = hidden[None] if hidden.shape[:-2] == (num_heads,) else hidden\n        {HIDDEN}"),
    ),
    edit(
        "mask_for_padding_by_size",
        hides("hidden[:, None, None] if hidden.shape[:-1] == q.shape[:1] else hidden"),
    ),
    edit(
        "mask_of_three_axes_folded",
        (HIDDEN, "hidden = hidden.repeat(num_heads, 1, 1).view_as(scores) if hidden.dim() == 3 else hidden"),
    ),
)

IN_WORDS = (
    in_words(
        "the heads of one token attend to one another",
        "cross_attention",
        "multi_head_attention((2, 5, 18), (2, 7, 18), (2, 7, 18), 3, 18)",
        "an answer",
        *each(".unflatten(-1, heads)"),
        (MERGED, f"({MIX}).flatten(2)"),
    ),
)

WITHOUT_A_NAME = {
    "weights scaled by a tenth": ((PARTS, f"w_in = 0.9 * w_in\n    {PARTS}"),),
}
