"""A submission's signature against a contract's, both as a person would write them."""

import inspect

import pytest

from grader.records import RequiredName
from grader.submission import Renaming, nearest, other_defaults, renaming, signature_problem, unknown
from grader.submission.signature import Parameter, parse, write_signature


def signature(submission: str) -> list[Parameter]:
    namespace: dict = {}
    exec(f"def f{submission}: ...", namespace)
    parameters = inspect.signature(namespace["f"]).parameters.values()
    return [Parameter(p.name, p.kind.name, None if p.default is p.empty else repr(p.default)) for p in parameters]


def problem(contract: str, submission: str) -> str | None:
    return signature_problem(RequiredName("f", "function", contract), signature(submission))


@pytest.mark.parametrize(
    ("contract", "submission"),
    [
        ("(x, kv=None, *, mask=None, need=False)", "(x, kv=None, *, mask=None, need=False)"),
        ("(x, kv=None, *, mask=None, need=False)", "(x, kv=0, *, need=True, mask=1)"),
        ("(x, kv=None, *, mask=None, need=False)", "(x, kv=None, mask=None, need=False)"),
        ("(x, kv=None, *, mask=None)", "(*args, **kwargs)"),
        ("(x, kv=None, *, mask=None)", "(x, *args, **kwargs)"),
        ("(x, kv=None, *, mask=None)", "(x, kv=None, **kwargs)"),
        ("(q, k, v)", "(q, k, v, extra=1, *, more=2)"),
        ("(q, k, v)", "(q, k=None, v=None)"),
        ("(q, k, v)", "(q, k, v, *rest)"),
        ("(q, /)", "(other, /)"),
        ("(q, k) -> Tensor", "(q: int, k: int) -> int"),
        ("()", "()"),
    ],
)
def test_accepts_every_call_of_the_contract(contract: str, submission: str) -> None:
    assert problem(contract, submission) is None


@pytest.mark.parametrize(
    ("contract", "submission"),
    [
        ("(x, kv=None, *, mask=None)", "(x, mask=None)"),
        ("(x, kv=None)", "(x, kv)"),
        ("(q, k, v)", "(k, q, v)"),
        ("(q, k, v)", "(q, k)"),
        ("(q, k)", "(q, k, v)"),
        ("(q, k)", "(q, k, *, v)"),
        ("(q, k)", "(q, extra=None, k=None)"),
        ("(q, k)", "(q, k, /)"),
        ("(q, k)", "(q, *, k)"),
        ("(q, k)", "(q, **kwargs)"),
        ("(q, k)", "(q, *args)"),
        ("(q, *, k=None)", "(q, *, k)"),
        ("(q, *, k=None)", "(q, *args)"),
    ],
)
def test_refuses_some_call_of_the_contract(contract: str, submission: str) -> None:
    assert problem(contract, submission) is not None


@pytest.mark.parametrize(
    ("contract", "submission", "names"),
    [
        ("(q, k, v)", "(Q, K, V)", ["q Q", "k K", "v V"]),
        (
            "(q, k, v, num_heads, mask=None)",
            "(query, k, v, heads, attn_mask=None)",
            ["q query", "num_heads heads", "mask attn_mask"],
        ),
        ("(x, kv=None, *, mask=None)", "(queries, keys=None, *, mask=None, s=1.0)", ["x queries", "kv keys"]),
        ("(q, k)", "(q, memory, extra=None, **options)", ["k memory"]),
        ("(cfg)", "(config)", ["cfg config"]),
        ("(q, k, mask=None)", "(q, k, m=None)", ["mask m"]),
        ("(q, *, mask=None)", "(Q, *, attn_mask=None)", ["q Q", "mask attn_mask"]),
        ("(q, *, mask=None, keep=None)", "(q, *, real=None, mask=None, s=1.0)", ["keep real"]),
        ("(q, *, mask=None, keep=None)", "(q, mask=None, real=None)", ["keep real"]),
    ],
)
def test_parameters_of_other_names_are_accepted_by_position_or_as_they_are_named(
    contract: str, submission: str, names: list[str]
) -> None:
    assert problem(contract, submission) is None
    expected = Renaming("f", tuple((pair.split()[0], pair.split()[1]) for pair in names))
    assert expected == renaming(RequiredName("f", "function", contract), signature(submission))


@pytest.mark.parametrize(
    ("contract", "submission"),
    [
        ("(q, k, v)", "(k, q, v)"),
        ("(q, k, v)", "(Q, v, k)"),
        ("(q, k, mask=None)", "(q, mask, k=None)"),
        ("(q, k)", "(Q, K, V)"),
        ("(q, k, mask=None)", "(Q, K, m)"),
        ("(q, k, mask=None)", "(Q, K)"),
        ("(q, *, mask=None)", "(mask)"),
        ("(q, *, mask=None, keep=None)", "(q, *, attn_mask=None)"),
        ("(q, *, mask=None)", "(q, *, attn_mask=None, scale)"),
    ],
)
def test_another_order_or_number_is_refused_whatever_the_names_are(contract: str, submission: str) -> None:
    assert problem(contract, submission) is not None
    assert renaming(RequiredName("f", "function", contract), signature(submission)) is None


def test_the_contracts_own_names_are_no_renaming() -> None:
    assert renaming(RequiredName("f", "function", "(q, k)"), signature("(q, k, extra=1)")) is None
    assert renaming(RequiredName("f", "function"), signature("(q, k)")) is None
    taken_by_name = signature("(q, scale=None, **options)")
    assert renaming(RequiredName("f", "function", "(q, *, mask=None)"), taken_by_name) is None


@pytest.mark.parametrize(
    ("contract", "submission", "sentence"),
    [
        ("(d, h, dropout=0.0, bias=True)", "(d, h, dropout=0.1)", "f has no parameter `bias=True`"),
        ("(d, h, dropout=0.0, bias=True)", "(d, h)", "f has no parameters `dropout=0.0` and `bias=True`"),
        ("(q, k, v)", "(q, v)", "f has no parameter `k`"),
        ("(x, kv=None, *, mask=None)", "(x, mask=-1)", "f has no parameter `kv=None`"),
        ("(x, *, mask=None, need=False)", "(x, *, need=True)", "f has no parameter `mask=None`"),
        ("(d, h)", "(d, h, size)", "f has the parameter `size` with no default, which the contract does not have"),
        ("(x, *, mask=None)", "(x, mask)", "f has no default for parameter `mask=None`"),
    ],
)
def test_the_sentence_names_what_is_missing_or_too_many(contract: str, submission: str, sentence: str) -> None:
    assert sentence == problem(contract, submission)


@pytest.mark.parametrize(
    ("contract", "submission"),
    [
        ("(x, kv=None, *, mask=None)", "(kv=-1, x=None)"),
        ("(d, h, *, bias=True)", "(size, d, h='two')"),
        ("(q, k, mask=None)", "(k, q)"),
        ("(q, k)", "(q, extra=None, k=1.5)"),
    ],
)
def test_where_more_is_wrong_the_sentence_has_both_signatures(contract: str, submission: str) -> None:
    assert f"f has the signature {submission}; expected {contract}" == problem(contract, submission)


def test_a_contract_without_a_signature_takes_any() -> None:
    assert signature_problem(RequiredName("f", "function"), [Parameter("x", "KEYWORD_ONLY", None)]) is None


@pytest.mark.parametrize(
    "text",
    [
        "(a, /, b, *c, d, e=..., **f)",
        "(a=-1, b='x', c=torch.float32, *, d=EPS)",
        "(a, *, b)",
        "(a, b, /)",
        "(*a, b)",
        "()",
    ],
)
def test_a_signature_is_written_as_python_writes_it(text: str) -> None:
    assert text == write_signature(parse(text))


def test_a_default_that_is_no_plain_value_is_not_shown() -> None:
    assert "(a=..., b=...)" == write_signature(parse("(a=[1, 2], b=1 + 1)"))


@pytest.mark.parametrize(
    ("submission", "sentences"),
    [
        ("(d_model, dropout=0, bias=True)", []),
        (
            "(d_model, dropout=float('inf') - float('inf'), bias=True)",
            ["the default of dropout in attend is nan, and 0.0 in the contract"],
        ),
        ("(d_model, rate=0.1, **others)", []),
        ("(d_model, dropout=0.1, bias=True)", ["the default of dropout in attend is 0.1, and 0.0 in the contract"]),
        (
            "(d_model, dropout=None, bias=False)",
            [
                "the default of dropout in attend is None, and 0.0 in the contract",
                "the default of bias in attend is False, and True in the contract",
            ],
        ),
    ],
)
def test_each_default_of_another_value_is_told(submission: str, sentences: list[str]) -> None:
    needed = RequiredName("attend", "function", "(d_model, dropout=0.0, bias=True)")
    assert sentences == other_defaults(needed, signature(submission))


def test_a_given_class_with_another_signature_is_no_problem() -> None:
    needed = RequiredName("Config", "class", "(d_model, bias=True)", supplied="class Config: ...")
    assert signature_problem(needed, signature("(d_model, bias)")) is None
    needed = RequiredName("Config", "class", "(d_model, bias=True)")
    assert "Config has no default for parameter `bias=True`" == signature_problem(needed, signature("(d_model, bias)"))


def test_the_nearest_name() -> None:
    assert "MultiheadAttention" == nearest("MultiHeadAttention", ["Config", "MultiheadAttention"])
    assert nearest("MultiHeadAttention", ["helper", "x"]) is None
    assert nearest("anything", []) is None


def test_an_unknown_name_gets_the_list() -> None:
    expected = 'There is no kata "scafold": did you mean scaffold? There are plain, scaffold.'
    assert expected == unknown("kata", "scafold", ["plain", "scaffold"])
    assert 'There is no kata "x": use one of plain, scaffold.' == unknown("kata", "x", ["plain", "scaffold"])
