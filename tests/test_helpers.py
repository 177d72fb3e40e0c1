"""A helper of the contract that is wrong where attention is right without it: its check names the mistake too."""

import pytest

from grader.records import Verdict
from tests.grading import catalogue, graded, results, solution

SPLIT = "x.reshape(x.shape[0], self.num_heads, x.shape[1], -1)"
MERGE = "x.reshape(x.shape[0], x.shape[2], -1)"
MASKS = "self._mask(attn_logits, attn_mask, {})"
RIGHT = {
    "_split_heads(self, x)": "self._split(x)",
    "_merge_heads(self, x)": "self._merge(x)",
    "_apply_masks(self, attn_logits, attn_mask, key_padding_mask)": MASKS.format("key_padding_mask"),
}


def with_helpers(**wrong: str) -> str:
    """Our solution, whose attention has methods of its own; the helpers beside it give what is written here."""
    source = solution("scaffold")
    for helper, own in (("_split_heads", "_split"), ("_merge_heads", "_merge"), ("_apply_masks", "_mask")):
        source = source.replace(helper, own)
    methods = {head: wrong.get(head.partition("(")[0], body) for head, body in RIGHT.items()}
    text = "".join(f"    def {head}:\n        return {body}\n\n" for head, body in methods.items())
    return source.replace("    def forward(", f"{text}    def forward(")


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    ("helper", "body", "mistake"),
    [
        ("_split_heads", SPLIT, "split_by_view"),
        ("_merge_heads", MERGE, "merge_by_view"),
        (
            "_apply_masks",
            MASKS.format("None if key_padding_mask is None else ~key_padding_mask"),
            "padding_mask_inverted",
        ),
        ("_apply_masks", MASKS.format("None"), "padding_mask_ignored"),
    ],
)
def test_a_helper_that_alone_is_wrong_is_named(helper: str, body: str, mistake: str) -> None:
    report = graded("scaffold", with_helpers(**{helper: body}))
    failed = [check for check in results(report) if check.verdict is not Verdict.PASS]
    sentence = f"{catalogue('scaffold')[mistake].sentence}; only in calls of the helper on its own"
    assert {sentence} == {check.mistake for check in failed}


@pytest.mark.slow
def test_two_helpers_that_are_wrong_are_named_each() -> None:
    report = graded("scaffold", with_helpers(_split_heads=SPLIT, _merge_heads=MERGE))
    named = [check.mistake for check in results(report) if check.verdict is not Verdict.PASS]
    wrong = [catalogue("scaffold")[name].sentence for name in ("split_by_view", "merge_by_view")]
    assert [f"{sentence}; only in calls of the helper on its own" for sentence in wrong] == named
