"""Which of two masks a mistake concerns: one of them alone is named, in a program that hides with a finite number."""

import pytest

from tests.grading import graded
from tests.handwriting import names_given
from tests.mistakes import edited
from tests.mistakes.scaffold import HIDE, MASKED, PAD, first

LOW = "torch.finfo(attn_logits.dtype).min"


def finite(*changes: tuple[str, str]) -> str:
    """Our solution with these changes, filled with the lowest number in the place of -inf."""
    return edited("scaffold", changes).replace("-math.inf)", f"{LOW})")


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("mistake", "change"),
    [
        ("padding_mask_of_first_sequence", first("key_padding_mask", "key_padding_mask[:1]")),
        (
            "attention_mask_of_first_sequence",
            first("attn_mask", "attn_mask[:1] if attn_mask.dim() == 4 else attn_mask"),
        ),
        ("scores_that_the_attention_mask_hides_zero", (HIDE, HIDE.replace("-math.inf", "0.0"))),
        ("scores_that_the_padding_mask_hides_small", (PAD, PAD.replace("-math.inf", "-1.0"))),
        (
            "attention_mask_of_first_head_alone",
            (HIDE, HIDE.replace("~attn_mask", "~attn_mask & (torch.arange(self.num_heads) == 0)[:, None, None]")),
        ),
        ("padding_mask_added", (PAD, "attn_logits + key_padding_mask[:, None, None, :]")),
    ],
)
def test_a_mistake_with_one_mask_is_named_with_that_mask(mistake: str, change: tuple[str, str]) -> None:
    report = graded("scaffold", finite(change))
    assert [mistake] == names_given(report)


@pytest.mark.slow
def test_padding_applied_after_the_softmax_is_told_from_both_masks_applied_so() -> None:
    after = (MASKED, "self._apply_masks(attn_logits, attn_mask, None)")
    cleared = "weights = weights if key_padding_mask is None else weights * key_padding_mask[:, None, None, :]"
    report = graded(
        "scaffold", finite(after).replace("        y = self.out_proj", f"        {cleared}\n        y = self.out_proj")
    )
    assert ["padding_masked_after_softmax"] == names_given(report)
