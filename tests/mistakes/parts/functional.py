"""The parts of our solution of `functional` that mistakes change, and what they change to."""

from tests.mistakes.parts import MASKED

SCALE = " / math.sqrt(heads[1])"
SCORES = "queries @ keys.transpose(-2, -1) / math.sqrt(heads[1])"
PLAIN = "        weights = torch.softmax(scores, dim=-1)\n    else"
HIDDEN = "hidden = hidden.unsqueeze(1) if hidden.dim() == 3 else hidden"
HIDE = "scores.masked_fill(hidden, -math.inf)"
Q = "F.linear(q, w_q).unflatten(-1, heads).transpose(1, 2)"
K = "F.linear(k, w_k).unflatten(-1, heads).transpose(1, 2)"
V = "F.linear(v, w_v).unflatten(-1, heads).transpose(1, 2)"
MIX = "weights @ values"
MERGED = "(weights @ values).transpose(1, 2).flatten(2)"
OUT = "F.linear(merged, w_o)"
DRAW_OUT = 'w_o = nn.init.kaiming_uniform_(torch.empty(d_model, d_model, device="cpu"), a=math.sqrt(5)).to(q)'
DRAW_IN = 'w_in = nn.init.xavier_uniform_(torch.empty(3 * d_model, d_model, device="cpu")).to(q)'
PARTS = "w_q, w_k, w_v = w_in.chunk(3)"
UNFILLED = (MASKED, "torch.softmax(scores, dim=-1)")


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


def each(split: str) -> tuple[tuple[str, str], ...]:
    """Another split of all three."""
    return tuple((old, f"F.linear({name}, w_{name}){split}") for name, old in (("q", Q), ("k", K), ("v", V)))


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
OVER_HEADS = "torch.softmax(scores, dim=1)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"
BY_VIEW = each(".reshape(len(q), heads[0], -1, heads[1])")
BACK_BY_VIEW = (MERGED, f"({MIX}).reshape(len(q), q.size(1), -1)")
IN_TURN = each(".unflatten(-1, heads[::-1]).permute(0, 3, 1, 2)")
BACK_IN_TURN = (MERGED, f"({MIX}).permute(0, 2, 3, 1).flatten(2)")

DEF = "def multi_head_attention("
LATER = "torch.ones(q.size(1), k.size(1), dtype=torch.bool).triu(1)"


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n        hidden = {hidden}"
