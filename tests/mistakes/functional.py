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
FOUR_LAYERS = (
    (DRAW_OUT, "W_q, W_k, W_v, W_o = (nn.Linear(d_model, d_model, bias=False).to(q) for _ in range(4))"),
    (DRAW_IN, "w_q, w_k, w_v, w_o = W_q.weight, W_k.weight, W_v.weight, W_o.weight"),
    (PARTS, "pass"),
)


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, f"F.linear({name}, w_{name}){split}") for name, old in (("q", Q), ("k", K), ("v", V)))


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n        hidden = {hidden}"


EDITS = (
    edit("mask_of_first_head_alone", hides("hidden.expand_as(scores) & (torch.arange(num_heads) == 0)[:, None, None]")),
    edit(
        "mask_folded_in_another_order",
        hides("hidden.expand_as(scores)[:, 0].repeat(num_heads, 1, 1).unflatten(0, (-1, num_heads))"),
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
    in_words(
        "a mask for each sequence has no axis for the heads",
        "a_padded_batch_equals_each_sequence_alone_in_format[a bool (N, L, S)]",
        "multi_head_attention((3, 7, 40), (3, 7, 40), (3, 7, 40), 4, 40, (3, 7, 7))",
        "an answer",
        (HIDDEN, "pass"),
    ),
)

WITHOUT_A_NAME = {
    "the global seed is set before the draw": ((DRAW_OUT, f"torch.manual_seed(0)\n    {DRAW_OUT}"),),
    "four layers of its own": (*FOUR_LAYERS,),
    "three squares by Xavier's rule": (
        (
            DRAW_IN,
            "squares = [nn.init.xavier_uniform_(torch.empty(d_model, d_model)) for _ in range(3)]\n"
            "    w_in = torch.cat(squares).to(q)",
        ),
    ),
    "the input projections drawn first": ((f"{DRAW_OUT}\n    {DRAW_IN}", f"{DRAW_IN}\n    {DRAW_OUT}"),),
    "the keys' weights drawn first": ((PARTS, "w_k, w_q, w_v = w_in.chunk(3)"),),
    "the output weights not transposed": ((OUT, "merged @ w_o"),),
    "weights scaled by a tenth": ((PARTS, f"w_in = 0.9 * w_in\n    {PARTS}"),),
}
