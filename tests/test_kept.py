"""What `need_weights` says of what is kept: where it is found, and that numbers outside of tensors count."""

import pytest

from tests.grading import first_failure, graded, result, summary
from tests.mistakes import edited

KATA = "need_weights"
RETURNED = "return output, weights if need_weights else None"
INIT = "super().__init__()\n"
KEPT = "SHOWN = {}\n"


def keeping(statement: str, begin: str = "", before: str = "") -> str:
    """The solution, which does that in each call.

    Args:
        statement: in `forward`, where the weights are known.
        begin: in `__init__`.
        before: ahead of the class.
    """
    source = edited(KATA, ((RETURNED, f"{statement}\n        {RETURNED}"), (INIT, f"{INIT}        {begin}\n")))
    return source.replace("class MultiHeadAttention", f"{before}\nclass MultiHeadAttention", 1)


@pytest.mark.slow
@pytest.mark.sample(3)
@pytest.mark.parametrize(
    ("source", "place"),
    [
        (keeping("self.shown = weights"), ", kept as shown"),
        (keeping("self.shown = mask"), ", kept as shown"),
        (keeping("self.shown = weights.detach().float().numpy()"), ", kept as shown"),
        (keeping("self.shown['last'] = weights[:, 0]", "self.shown = {}"), ", kept as shown.last"),
        (keeping("self.shown = weights", "self.register_buffer('shown', None)"), ", kept as shown"),
        (
            keeping("self.core.shown = weights", "self.core = Core()", "class Core(nn.Module): pass"),
            ", kept as core.shown",
        ),
        (keeping("MultiHeadAttention.shown = weights"), ", kept as shown"),
        (keeping("SHOWN['last'] = weights", before=KEPT), ", kept as SHOWN.last"),
        (keeping("keep(weights)", before="def keep(x, shown=[]): shown[:] = [x]"), ")"),
    ],
)
def test_what_is_kept_is_told_with_its_place_where_there_is_one(source: str, place: str) -> None:
    first = first_failure(graded(KATA, source))
    assert "nothing_of_the_size_of_the_weights_is_kept" == first.name
    assert str(first.got).endswith(place)


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize(
    "statement",
    [
        "self.shown.append(weights.tolist())",
        "self.shown[:] = weights.mean(1).tolist()",
        "self.shown[:] = [weights.detach().float().numpy().copy()]",
        "self.shown[:] = [(weights > 0).numpy().copy()]",
    ],
)
def test_numbers_that_are_kept_outside_of_tensors_count(statement: str) -> None:
    report = graded(KATA, keeping(statement, "self.shown = []"))
    assert "a list, an array or the like" == result(report, "nothing_piles_up").got


@pytest.mark.slow
def test_a_few_numbers_of_each_row_may_be_kept_and_some_printed() -> None:
    few = "self.shown.append((weights.mean(-1).tolist(), f'{weights}', weights.shape))"
    report = graded(KATA, keeping(f"{few}\n        print(weights[0, 0, 0].tolist())", "self.shown = []"))
    assert 100 == report.score, summary(report)
