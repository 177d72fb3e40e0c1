"""The claim before all claims past `shapes`: the answer depends on queries and keys."""

from grader.checks import expect
from grader.checks.attention import MakeAttention
from grader.checks.draw import Draw


def the_answer_depends_on_queries_and_keys(attention: MakeAttention, draw: Draw) -> None:
    """The output depends on the queries and the keys, not on the values alone."""
    mha = attention(embed_dim=24, num_heads=3)
    case = mha.case(draw, N=2, L=5) if mha.kata.streams == 1 else mha.case(draw, N=2, L=5, S=7)
    before = mha(case).output
    expect.shape("output", before, **mha.output_axes(N=2, L=5))
    expect.differ("output", before, mha.other_scores(draw, case).output, "after queries and keys were changed")
