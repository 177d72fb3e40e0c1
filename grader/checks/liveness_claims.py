"""Claims that the submission is some attention, however wrong: asked before claims that zeros or noise would meet too.

One of them has to hold: a submission that is wrong, or not written, for one kind of call may answer another kind.
"""

import torch

from grader.checks import expect
from grader.checks.attention import Attention, MakeAttention
from grader.checks.case import Case
from grader.checks.draw import Draw, causal
from grader.checks.tiers import Tier

LIVENESS = Tier("liveness", "the answer depends on its inputs", needs_liveness=False)


def the_answer_depends_on_queries_and_keys(attention: MakeAttention, draw: Draw, way: str = "plainly") -> None:
    """The output depends on the queries and the keys, not on the values alone."""
    mha = attention(embed_dim=30, num_heads=3)
    case = WAYS[way](mha, draw)
    before = mha(case).output
    expect.shape("output", before, **mha.output_axes(N=2, L=5))
    expect.close("output of the same call made again", mha(case).output, before)
    # The first token changes, since a causal mask that was not asked for leaves it in sight. The later queries are
    # compared, since the first token is a query too where the contract has a single input.
    moved = mha(with_another_first_token(case, draw)).output
    expect.differ("output of the later queries", moved[:, 1:], before[:, 1:], "after the first key and value changed")
    expect.differ("output", before, mha.other_scores(draw, case).output, "after queries and keys changed")


def _plain(mha: Attention, draw: Draw) -> Case:
    return mha.case(draw, N=2, L=5) if mha.kata.streams == 1 else mha.case(draw, N=2, L=5, S=7)


WAYS = {
    "plainly": _plain,
    "of itself": lambda mha, draw: mha.case(draw, N=2, L=5),
    "causally": lambda mha, draw: mha.case(draw, N=2, L=5, allow=causal(5) if mha.kata.formats else None),
}


def with_another_first_token(case: Case, draw: Draw) -> Case:
    """The same call with another first key and value."""
    sources = {name: x for name, x in case.streams().items() if name != "query"} or {"query": case.query}
    return case.but(**{name: torch.cat([draw.tensor(*x[:, :1].shape), x[:, 1:]], 1) for name, x in sources.items()})


OF_ATTENTION = tuple(LIVENESS(way=way)(the_answer_depends_on_queries_and_keys) for way in WAYS)
