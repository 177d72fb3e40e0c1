"""Operators make the catalogue's mistakes in right programs: many of them, in many styles, each as it says."""

import ast
from itertools import islice

import pytest

from grader.records import TierResult, Verdict
from tests.fakes import check, report
from tests.grading import catalogue
from tests.handwriting import FALSE, NAMED, NO_PAIR, UNNAMED, outcome
from tests.operators import LIKE, OPERATORS, Operator, Pair, changed, made_in, sources
from tests.patterns import expression, filled, looks_like, rewritten, text_of

STYLES = 10
PAIRS = 1500


def operator(name: str, kata: str) -> Operator:
    return next(each for each in OPERATORS if each.name == name and kata in each.katas)


def made(name: str, kata: str, style: str) -> str:
    return changed(operator(name, kata), kata, style, sources(kata)[style])


@pytest.mark.slow
@pytest.mark.sample(1)
@pytest.mark.parametrize("kata", LIKE)
def test_there_are_many_pairs_in_many_styles(kata: str) -> None:
    least = PAIRS // len(LIKE)
    counts = [len(list(made_in(kata, style))) for style in islice(sources(kata), STYLES)]
    assert least <= sum(counts), counts
    assert min(counts) >= 5, counts


def test_each_operator_makes_a_mistake_of_the_catalogue() -> None:
    for each in OPERATORS:
        for kata in each.katas:
            assert each.mistakes & catalogue(kata).keys(), f"{each.name} makes nothing that {kata} has a name for"


@pytest.mark.slow
@pytest.mark.parametrize("each", OPERATORS, ids=lambda each: f"{each.name}-{each.katas[0]}")
def test_each_operator_is_of_use(each: Operator) -> None:
    """Its pattern is found in some program of each kata that it is for."""
    for kata in each.katas:
        styles = [style for style in sources(kata) if style not in each.not_in]
        assert any(changed(each, kata, style, sources(kata)[style]) != text_of_style(kata, style) for style in styles)


def text_of_style(kata: str, style: str) -> str:
    nothing = Operator("", frozenset(), (kata,), lambda program: None)
    return changed(nothing, kata, style, sources(kata)[style])


def test_a_softmax_is_turned_to_the_queries() -> None:
    source = made("softmax_over_queries", "scaled_dot_product", "additive_finfo_min")
    assert "p = torch.softmax(scores, dim=-2)" in source


def test_a_mask_moves_behind_the_softmax() -> None:
    lines = made("masked_after_softmax", "module", "view_transpose").splitlines()
    place = next(i for i, line in enumerate(lines) if "F.softmax(scores" in line)
    assert ["if mask is not None:", "attention_weights = attention_weights.masked_fill(mask == 0, 0.0)"] == [
        line.strip() for line in lines[place + 1 : place + 3]
    ]


def test_a_scale_is_of_another_size() -> None:
    source = made("scale_by_embed_dim_root", "fused_qkv", "chunk_view_transpose")
    assert "/ pow(self.out_proj.in_features, 0.5)" in source


def test_a_pattern_finds_equal_code_where_a_name_occurs_twice() -> None:
    find = looks_like("_x + _x * _y")
    assert find(expression("a[0] + a[0] * b")) is not None
    assert find(expression("a[0] + a[1] * b")) is None


def test_what_is_found_stands_in_the_new_code() -> None:
    find = looks_like("_x.softmax(_d)")
    tree = expression("f(q.softmax(1).softmax(2))")
    assert 2 == rewritten(tree, (find, "torch.softmax(_x, dim=_d)"))
    assert "f(torch.softmax(torch.softmax(q, dim=1), dim=2))" == text_of(tree)
    assert "a + b" == text_of(filled("_x + b", {"_x": expression("a")}))


def test_what_is_hung_on_the_contexts_of_all_trees_is_not_copied() -> None:
    context = ast.parse("x", mode="eval").body.ctx  # type: ignore[attr-defined]  # of a name
    context.parent = ast.parse("y = 1")
    try:
        assert not hasattr(filled("_x + 1", {"_x": expression("z")}).left.ctx, "parent")  # type: ignore[attr-defined]
    finally:
        del context.parent


@pytest.mark.parametrize(
    ("verdict", "names", "said"),
    [
        (Verdict.FAIL, ("masks_inverted",), NAMED),
        (Verdict.FAIL, ("padding_mask_inverted", "masks_inverted"), NAMED),
        (Verdict.FAIL, ("masks_inverted", "no_scale"), FALSE),
        (Verdict.FAIL, ("no_scale",), FALSE),
        (Verdict.FAIL, (), UNNAMED),
        (Verdict.ERROR, (), NO_PAIR),
    ],
)
def test_a_name_beside_the_true_one_is_false(verdict: Verdict, names: tuple[str, ...], said: str) -> None:
    pair = Pair("scaffold", "einsum", operator("masks_inverted", "scaffold"), "")
    sentences = tuple(catalogue("scaffold")[name].sentence for name in names)
    checks = check("a"), check("b", verdict, mistakes=sentences)
    assert said == outcome(pair, report(TierResult("parity", "equal", checks), kata="scaffold"))["outcome"]
