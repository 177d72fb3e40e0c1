"""Names where something stands beside the mistake: another helper, dropped weights, one that costs a single check."""

from grader.formats.lines import plain
from grader.formats.text import render
from grader.records import Report
from tests.grading import first_failure, graded, names_in, solution
from tests.mistakes import edited

DROPPED = (
    "return self.dropout(weights) @ V, weights",
    "weights = torch.dropout(weights, self.dropout.p, True)\n        return weights @ V, weights",
)


def shown(report: Report) -> str:
    return " ".join(plain(render(report)).split())


HELPER = """
MASKS = MultiHeadAttention._apply_masks

class MultiHeadAttention(MultiHeadAttention):
    def _apply_masks(self, attn_logits, attn_mask, key_padding_mask):
        attn_logits = MASKS(self, attn_logits, attn_mask, None)
        if key_padding_mask is None:
            return attn_logits
        return attn_logits.masked_fill(key_padding_mask[:, None, None, :], torch.finfo(attn_logits.dtype).min)
"""
"""It hides what padding keeps, by the lowest number of the dtype, which hides as -infinity does."""


def test_a_helper_that_forward_does_not_use_is_named_whatever_hides() -> None:
    source = solution("scaffold").replace("self._apply_masks(attn_logits", "MASKS(self, attn_logits")
    report = graded("scaffold", source + HELPER)
    assert ["padding_mask_inverted"] == names_in("scaffold", first_failure(report).mistakes)
    assert "only in calls of the helper on its own" in shown(report)


def test_dropout_in_eval_is_named_where_the_dropped_weights_are_returned() -> None:
    first = first_failure(graded("module", edited("module", (DROPPED,))))
    assert ["dropout_in_eval"] == names_in("module", first.mistakes)


def test_a_mistake_that_costs_more_is_told_below_the_one_that_fails_first() -> None:
    source = edited("module", (("masked_fill(hidden, -math.inf)", "masked_fill(hidden, -10000.0)"),))
    source = source.replace("softmax(scores, dim=-1).masked_fill(hidden, 0.0)", "softmax(scores, dim=-1)")
    source = source.replace("self.W_V(value)", "self.W_V(key)")
    report = graded("module", source)
    assert ["hidden_scores_ten_thousand"] == names_in("module", first_failure(report).mistakes)
    assert "also the values were projected from the keys' input, with the values' weights, in" in shown(report)
