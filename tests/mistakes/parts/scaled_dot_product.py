"""The parts of our solution of `scaled_dot_product` that mistakes change, and what they change to."""

from tests.mistakes.parts import MASKED

SCALE = " / math.sqrt(q.size(-1))"
SCORES = "q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))"
PLAIN = "        attention_weights = torch.softmax(scores, dim=-1)\n    else"
HIDDEN = "hidden = mask.to(torch.bool)"
HIDE = "scores.masked_fill(hidden, -math.inf)"
RETURN = "return attention_weights @ v, attention_weights"
UNFILLED = (MASKED, "torch.softmax(scores, dim=-1)")


def softmax(formula: str, masked: str | None = None) -> tuple[tuple[str, str], tuple[str, str]]:
    """Another formula in both branches; `masked` where it differs under a mask."""
    return (PLAIN, PLAIN.replace("torch.softmax(scores, dim=-1)", formula)), (MASKED, masked or formula)


OVER_QUERIES = "torch.softmax(scores, dim=-2)"
EXP = "(scores.exp() / scores.exp().sum(-1, keepdim=True))"

DEF = "def scaled_dot_product_attention("
LATER = "torch.ones(q.size(-2), k.size(-2), dtype=torch.bool).triu(1)"


def hides(hidden: str) -> tuple[str, str]:
    """What is hidden becomes something else."""
    return HIDDEN, f"{HIDDEN}\n        hidden = {hidden}"
