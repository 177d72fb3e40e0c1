"""The parts of our solution of `module` that mistakes change, and what they change to."""

from tests.mistakes.parts import MASKED

SCALE = " / math.sqrt(self.head_dim)"
SCORES = "Q @ K.transpose(-2, -1) / math.sqrt(self.head_dim)"
PLAIN = "            weights = torch.softmax(scores, dim=-1)\n        else"
HIDDEN = "hidden = mask == 0"
HIDE = "scores.masked_fill(hidden, -math.inf)"
Q, K, V = "self.W_Q(query)", "self.W_K(key)", "self.W_V(value)"
SPLIT = "x.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)"
MERGE = "x.transpose(1, 2).flatten(2)"
MIX = "self.dropout(weights) @ V, weights"
OUT = "self.dropout(self.W_O(self._combine_heads(attended)))"
GIVEN = "return output, weights if return_attention else None"
LAYER_Q = "self.W_Q = nn.Linear(d_model, d_model, bias=bias)"


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def given(weights: str) -> tuple[str, str]:
    """Other weights returned."""
    return GIVEN, f"return output, {weights} if return_attention else None"


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
OVER_HEADS = "torch.softmax(scores, dim=1)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
BY_VIEW = (SPLIT, "x.reshape(len(x), self.num_heads, -1, self.head_dim)")
BACK_BY_VIEW = (MERGE, "x.reshape(len(x), x.size(2), -1)")
TO_HEADS_OF_A_TOKEN = (SPLIT, "x.unflatten(-1, (self.num_heads, self.head_dim))")
BACK_BY_SIZE = (MERGE, "x.transpose(1, 2).reshape(len(x), -1, self.num_heads * self.head_dim)")
BACK_FROM_A_TOKEN = (MERGE, "x.flatten(2)")
IN_TURN = (SPLIT, "x.unflatten(-1, (self.head_dim, self.num_heads)).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGE, "x.permute(0, 2, 3, 1).flatten(2)")

FORWARD = "    def forward("
DEF = "class MultiHeadAttention(nn.Module):"
LATER = "torch.ones(Q.size(2), K.size(2), dtype=torch.bool).triu(1)"
ATTENDED = "attended, weights = self._scaled_dot_product_attention(Q, K, V, mask)"


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n            hidden = {hidden}"
