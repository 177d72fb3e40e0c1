"""Notebooks in the form in which TorchCode and TorchLeet give them, filled in, are graded as they are."""

from pathlib import Path

import pytest

from grader import Grader, Request
from tests.fakes import notebook
from tests.grading import solution, summary

COLAB = """
# Only in Colab
try:
    import google.colab
    get_ipython().run_line_magic('pip', 'install -q torch-judge')
except ImportError:
    pass
"""
BY_CLASS = """
torch.manual_seed(0)
mha = MultiHeadAttention(d_model=32, num_heads=4)
x = torch.randn(2, 6, 32)
print("self-attention:", mha.forward(x, x, x).shape, mha.W_q.weight.shape)
"""
JUDGED = 'from torch_judge import check\ncheck("mha")'
DATA = """
torch.manual_seed(42)
batch_size, seq_len, d_model, num_heads = 3, 4, 8, 2
q = torch.rand(batch_size, seq_len, d_model)
k = torch.rand(batch_size, seq_len, d_model)
v = torch.rand(batch_size, seq_len, d_model)
device = "cuda" if torch.cuda.is_available() else "cpu"
"""
BESIDE_A_LAYER = """
ours = multi_head_attention(q, k, v, num_heads, d_model)
layer = torch.nn.MultiheadAttention(embed_dim=d_model, num_heads=num_heads, bias=False, batch_first=True)
theirs, _ = layer(q, k, v)
assert torch.allclose(ours, theirs, atol=1e-08, rtol=1e-05)
"""
BESIDE_SDPA = """
ours, _ = scaled_dot_product_attention(q, k, v)
assert torch.allclose(ours, F.scaled_dot_product_attention(q, k, v), atol=1e-08, rtol=1e-05)
"""
IMPORTS = "import torch\nimport torch.nn as nn\nimport torch.nn.functional as F\nimport math"
NOTEBOOKS = {
    "06_multihead_attention": ("plain_class", (COLAB, IMPORTS, "{}", BY_CLASS, JUDGED)),
    "multi-head-attention-q5-Question": ("functional", (IMPORTS, DATA, "{}", BESIDE_A_LAYER)),
    "attention-q4-Question": ("scaled_dot_product", (IMPORTS, DATA, "{}", BESIDE_SDPA)),
}


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("name", NOTEBOOKS)
def test_a_notebook_that_people_already_have_is_graded_under_its_own_name(name: str, tmp_path: Path) -> None:
    """Its kata is told by what it defines; cells that call their judge or compare with PyTorch's cost nothing."""
    kata, cells = NOTEBOOKS[name]
    path = tmp_path / f"{name}.ipynb"
    path.write_text(notebook(*(cell.replace("{}", solution(kata)) for cell in cells)))
    with Grader() as grader:
        (report,) = grader.reports(Request(path=path, seed=1))
    assert (kata, 100) == (report.kata, report.score), summary(report)


@pytest.mark.slow
def test_an_answer_whose_mask_means_the_opposite_is_told_so(tmp_path: Path) -> None:
    """TorchLeet's masks hide where they are 0."""
    kata, cells = NOTEBOOKS["attention-q4-Question"]
    answer = solution(kata).replace("hidden = mask.to(torch.bool)", "hidden = mask == 0")
    path = tmp_path / "attention-q4-Question.ipynb"
    path.write_text(notebook(*(cell.replace("{}", answer) for cell in cells)))
    with Grader() as grader:
        [report] = grader.reports(Request(path=path, seed=1))
    [named, *_] = [mistake for tier in report.tiers for check in tier.checks for mistake in check.mistakes]
    assert "the mask was inverted: what may be seen was hidden" == named
