"""What a submission raises is explained in the letters of the contract, where PyTorch's message proves it."""

import pytest

from grader.records import Verdict
from tests.grading import graded, results, solution, summary

MERGE, FILL = "return x.transpose(1, 2).flatten(2)", "hidden = mask == 0"
BY_QUERIES = "(*query.shape[:2], self.num_heads, self.head_dim)"
CASES = {
    "a view of a transposed tensor": (
        ("module", MERGE, "return x.transpose(1, 2).view(x.size(0), x.size(2), -1)"),
        "view was called on a tensor whose numbers do not lie in that order in memory",
    ),
    "heads that are not merged": (
        ("module", MERGE, "return x.transpose(1, 2)"),
        "a product of matrices, or a linear layer, was given D columns where E were to be summed over",
    ),
    "keys that are not transposed": (
        ("module", "Q @ K.transpose(-2, -1)", "Q @ K"),
        "a product of matrices, or a linear layer, was given D columns where S were to be summed over",
    ),
    "keys of another number in an einsum": (
        (
            "module",
            "self.dropout(weights) @ V, weights",
            'torch.einsum("bhls,bhsd->bhld", self.dropout(weights), V[:, :, : Q.size(2)]), weights',
        ),
        "an axis is L in one of two tensors and S in the other, where they have to be matched",
    ),
    "keys laid out by the queries' length": (
        ("module", "self._split_heads(self.W_K(key))", f"self.W_K(key).view{BY_QUERIES}.transpose(1, 2)"),
        "keys or values were laid out with the queries' length",
    ),
    "1 minus a bool mask": (("module", FILL, "hidden = (1 - mask).bool()"), "- was applied to a bool tensor"),
    "~ of any mask": (("module", FILL, "hidden = (~mask).bool()"), "~ was applied to a tensor of floats"),
    "a mask that is filled as it is": (
        ("functional", "hidden = mask.to(torch.bool)", "hidden = mask"),
        "masked_fill or torch.where was given a mask that is not bool",
    ),
    "no mask taken for one": (
        ("module", "        if mask is None:", "        mask = mask.bool()\n        if mask is None:"),
        "None was used where a tensor or a number is needed",
    ),
    "a dtype of its own": (
        ("module", "self.W_O(self._combine_heads(attended))", "self.W_O(self._combine_heads(attended).half())"),
        "tensors of two dtypes met in one operation",
    ),
    "a change in place": (
        (
            "module",
            "weights = torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)",
            "weights = torch.softmax(scores, dim=-1).masked_fill_(hidden, 0.0)",
        ),
        "a tensor that the backward pass needs was changed in place",
    ),
    "a size by /": (
        ("module", "self.head_dim = d_model // num_heads", "self.head_dim = d_model / num_heads"),
        "a float was given as a size: / makes a float also where nothing is left over",
    ),
    "an input changed in place": (
        ("scaled_dot_product", "    scores = q @ k", "    q *= 1.0\n    scores = q @ k"),
        "an input or a parameter was changed in place",
    ),
    "a mask without an axis for the heads": (
        ("functional", "hidden.unsqueeze(1) if hidden.dim() == 3 else hidden", "hidden"),
        "a mask (N, L, S) was left without an axis for the heads: its sequences were taken for heads",
    ),
    "a mask with an axis too many": (
        ("module", FILL, f"{FILL}\n            sequences, heads, queries, keys = (scores * mask[:, None]).shape"),
        "a tensor of more than 4 axes was made with a mask",
    ),
    "a table of angles": (
        (
            "rope",
            "angles = positions[..., None, :, None] * frequencies",
            "angles = (torch.arange(2048)[:, None] * frequencies)[positions[..., None, :]]",
        ),
        "a table of 2048 rows was asked for a position beyond its last one",
    ),
    "angles by the outer product": (
        (
            "rope",
            "angles = positions[..., None, :, None] * frequencies",
            "angles = torch.outer(positions.double(), frequencies)",
        ),
        "apply_rope raised for positions [B, L], a row for each sequence",
    ),
    "angles without an axis for the heads": (
        (
            "rope",
            "angles = positions[..., None, :, None] * frequencies",
            "angles = positions.view(-1, 1) * frequencies",
        ),
        "apply_rope raised for positions [B, L], a row for each sequence",
    ),
    "keys of three axes alone": (
        ("scaled_dot_product", "k.transpose(-2, -1)", "k.permute(0, 2, 1)"),
        "axes were numbered for a tensor with another number of them",
    ),
    "a padding mask without an axis for the queries": (
        ("scaffold", "key_padding_mask[:, None, None, :]", "key_padding_mask"),
        "the padding mask (N, S) was left without an axis for the queries: its sequences were taken for queries",
    ),
}


@pytest.mark.slow
@pytest.mark.sample(4)
@pytest.mark.parametrize(("edit", "sentence"), CASES.values(), ids=CASES)
def test_what_was_raised_is_explained(edit: tuple[str, str, str], sentence: str) -> None:
    kata, before, after = edit
    assert before in solution(kata)
    report = graded(kata, solution(kata).replace(before, after))
    explained = {check.mistake for check in results(report) if check.verdict is Verdict.ERROR and check.mistake}
    assert explained == {sentence}, summary(report)


@pytest.mark.slow
def test_weights_that_a_mask_made_larger_are_not_called_keys_of_the_queries_length() -> None:
    """With a single query a transposed mask gives each key a row, and the merge breaks on that number."""
    merge, hidden = ".transpose(1, 2).flatten(2)  # (N, L, E)", "hidden = mask.to(torch.bool)"
    source = solution("functional").replace(merge, ".transpose(1, 2).reshape(q.shape)")
    source = source.replace(hidden, f"{hidden}.transpose(-2, -1)")
    assert source.count("reshape(q.shape)") == source.count("(torch.bool).transpose") == 1
    explained = {check.mistake for check in results(graded("functional", source)) if check.mistake}
    assert explained == {"the mask was transposed: it hid queries, not keys"}


def test_an_exception_of_its_own_is_left_as_it_is() -> None:
    report = graded("module", solution("module").replace(FILL, 'raise RuntimeError("size of tensor a (3)")'))
    errors = [check for check in results(report) if check.verdict is Verdict.ERROR]
    assert errors
    assert not [check for check in errors if check.mistakes]
