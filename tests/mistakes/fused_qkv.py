"""Edits of our solution of `fused_qkv`: mistakes that it is the first kata to have, and what has no name."""

from tests.mistakes import edit, in_words

FUSED = "self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim))"
APART = "q, k, v = qkv.permute(2, 0, 3, 1, 4)"
HIDDEN = "hidden = mask == 0"
LAYER = "self.qkv_proj = nn.Linear(d_model, 3 * d_model)"


def then(statement: str) -> tuple[str, str]:
    """A statement after queries, keys and values were taken apart."""
    return APART, f"{APART}\n        {statement}"


EDITS = (
    edit("qkv_heads_first", (FUSED, FUSED.replace("3, self.num_heads", "self.num_heads, 3") + ".transpose(2, 3)")),
    edit(
        "qkv_three_last", (FUSED, "self.qkv_proj(x).unflatten(-1, (self.num_heads, self.head_dim, 3)).movedim(-1, 2)")
    ),
    edit(
        "qkv_heads_last",
        (FUSED, "self.qkv_proj(x).unflatten(-1, (self.head_dim, 3, self.num_heads)).movedim(-3, -1)"),
    ),
    edit(
        "mask_of_heads_for_sequences_by_size",
        (HIDDEN, f"{HIDDEN}\n            hidden = hidden[:, None] if hidden.shape[:-2] == x.shape[:1] else hidden"),
    ),
    edit(
        "input_weights_detached",
        (
            FUSED,
            FUSED.replace(
                "self.qkv_proj(x)", "nn.functional.linear(x, self.qkv_proj.weight.detach(), self.qkv_proj.bias)"
            ),
        ),
    ),
)

IN_WORDS = (
    in_words(
        "a fused projection of one third of the size",
        "self_attention",
        "qkv_proj.weight",
        "a parameter of shape (90, 30)",
        (LAYER, "self.qkv_proj = nn.Linear(d_model, d_model)"),
    ),
)

WITHOUT_A_NAME = {
    "keys of the next head": (then("k = k.roll(1, dims=1)"),),
}
