"""The parts of our solution of `fused_qkv` that mistakes change, and what they change to."""

from tests.mistakes.parts import MASKED

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)"
PLAIN = "            weights = torch.softmax(scores, dim=-1)\n        else"
HIDDEN = "hidden = mask == 0"
HIDE = "scores.masked_fill(hidden, -math.inf)"
FUSED = "self.qkv_proj(x).unflatten(-1, (3, self.num_heads, self.head_dim))"
APART = "q, k, v = qkv.permute(2, 0, 3, 1, 4).unbind()"
MERGED = "(self.dropout(weights) @ v).transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ v"
RETURN = "return self.out_proj(merged), weights"
LAYER = "self.qkv_proj = nn.Linear(d_model, 3 * d_model)"


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def then(statement: str) -> tuple[str, str]:
    """A statement after queries, keys and values were taken apart."""
    return APART, f"{APART}\n        {statement}"


def split(x: str) -> str:
    return f"{x}.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)"


def given(weights: str) -> tuple[str, str]:
    """Other weights returned."""
    return RETURN, f"return self.out_proj(merged), {weights}"


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
OVER_HEADS = "torch.softmax(scores, dim=1)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
BY_VIEW = (APART, "q, k, v = (p.reshape(len(x), self.num_heads, -1, self.head_dim) for p in qkv.unbind(2))")
BACK_BY_VIEW = (MERGED, f"({MIX}).reshape(len(x), x.size(1), -1)")
TO_HEADS_OF_A_TOKEN = (APART, "q, k, v = qkv.unbind(2)")
BACK_BY_SIZE = (MERGED, f"({MIX}).transpose(1, 2).reshape(x.shape)")
BACK_FROM_A_TOKEN = (MERGED, f"({MIX}).flatten(2)")
IN_TURN = (
    APART,
    "q, k, v = (p.reshape(len(x), -1, self.head_dim, self.num_heads).permute(0, 3, 1, 2) for p in qkv.unbind(2))",
)
BACK_IN_TURN = (MERGED, f"({MIX}).permute(0, 2, 3, 1).flatten(2)")

FORWARD = "    def forward("
DEF = "class EfficientMultiHeadAttention(nn.Module):"
LATER = "torch.ones(x.size(1), x.size(1), dtype=torch.bool).triu(1)"


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n            hidden = {hidden}"


def bias(part: int) -> str:
    """The bias of queries (0), keys (1) or values (2) in the shape of the heads."""
    return f"self.qkv_proj.bias.chunk(3)[{part}].view(self.num_heads, 1, -1)"
