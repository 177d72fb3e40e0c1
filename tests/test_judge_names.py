"""Names that the contract asks for: missing, of another kind, of another signature, or not to be looked up."""

import re
from pathlib import Path

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from grader.judge.contract_names import missing_or_wrong, renamings
from grader.judge.replies import LoadedDefinition, LoadedNames, Names
from grader.records import Contract, Outcome, RequiredName, Verdict
from grader.submission import Renaming
from grader.submission.decode import decode
from grader.submission.signature import parse
from tests.grading import graded, results, solution, submission, summary
from tests.mistakes import edited

BOOM = """
class Boom:
    def __get__(self, instance, owner):
        raise ValueError("not yet")
"""
UNREADABLE = """
class Secret:
    @property
    def __module__(self):
        raise SystemExit
    @property
    def __class__(self):
        raise ValueError("nobody asks")

secret = Secret()
globals()[3] = 4
"""


def test_a_sentence_that_a_worker_made_long_is_cut() -> None:
    forged = "import sys\nsys.modules['grader.worker.namespace']._kind = lambda value: 'x'\n"
    forged += "sys.modules['grader.worker.namespace'].clean = lambda text, limit: 'x' * 50_000\n"
    message = graded("plain_class", solution("plain_class") + forged).message
    assert message is not None
    assert (True, " ...") == (len(message) < 11_000, message[-4:])


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        (
            "class MultiheadAttention:\n    pass\n",
            "candidate.py defines no class MultiHeadAttention. The nearest name that it defines is MultiheadAttention: "
            "rename it to MultiHeadAttention.",
        ),
        ("x = 1\n", "candidate.py defines no class MultiHeadAttention."),
        (
            "def MultiHeadAttention(d_model, num_heads):\n    pass\n",
            "MultiHeadAttention is a function; the kata needs a class of that name.",
        ),
        ("MultiHeadAttention = 3\n", "MultiHeadAttention is of type int; the kata needs a class of that name."),
        ("def multi_head_attention(): ...\n", "candidate.py defines no class MultiHeadAttention."),
        (
            "if __name__ == '__main__':\n    class MultiHeadAttention:\n        pass\n",
            "candidate.py defines no class MultiHeadAttention. Its source has one that was not run or is gone: what "
            'stands below `if __name__ == "__main__":` is not run, move it out of there.',
        ),
        (
            "class MultiHeadAttention:\n    def __init__(self, d_model, num_heads):\n        pass\n",
            "candidate.py defines no method MultiHeadAttention.forward.",
        ),
    ],
    ids=[
        "another spelling",
        "nothing",
        "a function",
        "a number",
        "a function nearly so named",
        "below a guard",
        "a method",
    ],
)
def test_a_name_that_is_missing_or_of_another_kind(source: str, sentence: str) -> None:
    report = graded("plain_class", source)
    assert (Outcome.UNLOADABLE, sentence) == (report.outcome, report.message)
    assert (0, {"skip"}) == (report.score, {str(each.verdict) for tier in report.tiers for each in tier.checks})


@pytest.mark.parametrize(
    ("kata", "name", "other"),
    [
        ("plain_class", "MultiHeadAttention", "MultiheadAttention"),
        ("functional", "multi_head_attention", "mha"),
        ("module", "MultiHeadAttention", "Attention"),
    ],
)
def test_the_only_definition_that_can_be_meant_is_graded_under_its_own_name(kata: str, name: str, other: str) -> None:
    report = graded(kata, f"{solution(kata).replace(name, other)}\n\ndef test(layer): ...\n")
    assert (100, f"{other} is graded as {name}") == (report.score, report.notes[0])


ONE = solution("functional").replace("def multi_head_attention", "def one")


@pytest.mark.parametrize(
    ("kata", "source"),
    [
        ("functional", f"{ONE}\n\ndef two(q, k, v, num_heads, d_model, mask=None): ...\n"),
        ("functional", ONE.replace("def one", "def _one")),
        ("plain_class", f"{solution('plain_class').replace('MultiHeadAttention', 'Other')}\n\nclass Head: ...\n"),
        ("rope", solution("rope").replace("def apply_rope", "def turn")),
    ],
    ids=["two can be meant", "a private one", "another class", "a kata with two names"],
)
def test_where_it_is_not_clear_what_is_meant_nothing_is_graded(kata: str, source: str) -> None:
    report = graded(kata, source)
    assert (Outcome.UNLOADABLE, 0) == (report.outcome, report.score)


def test_where_a_cell_is_no_python_the_answer_may_be_in_there() -> None:
    head = solution("plain_class").replace("MultiHeadAttention", "Head")
    cells = [new_code_cell(source) for source in (head, "class MultiHeadAttention(\n")]
    book = decode(Path("candidate.ipynb"), nbformat.writes(new_notebook(cells=cells)).encode())
    assert "defines no class MultiHeadAttention" in str(graded("plain_class", book).message)


def test_an_answer_that_the_source_does_not_show_is_graded_itself() -> None:
    source = f"exec({solution('functional')!r})\n\ndef first_try(q, k, v, num_heads, d_model, mask=None): ...\n"
    report = graded("functional", source)
    assert (100, False) == (report.score, any("is graded as" in note for note in report.notes))


def test_a_parameter_that_is_missing_is_told_by_its_name() -> None:
    report = graded(
        "plain_class",
        edited("plain_class", [("def forward(self, Q: Tensor, K: Tensor,", "def forward(self, Q: Tensor,")]),
    )
    assert (Outcome.UNLOADABLE, "MultiHeadAttention.forward has no parameter `K`") == (report.outcome, report.message)


SHOUTING = """
class Loud:
    def __repr__(self):
        raise SystemExit

class MultiHeadAttention:
    def __init__(self, num_heads=10**5000, d_model="x" * 99, loud=Loud()):
        pass
    def forward(self, Q, K, V):
        pass
"""


def test_defaults_are_shown_as_they_are_but_for_long_ones_and_objects() -> None:
    wrong = f"(num_heads=..., d_model='{'x' * 39}, loud=...)"
    expected = f"MultiHeadAttention.__init__ has the signature {wrong}; expected (d_model, num_heads)"
    assert expected == graded("plain_class", SHOUTING).message


def test_parameters_of_other_names_are_no_reason_to_refuse_and_are_told() -> None:
    contract = Contract(
        "kata", (RequiredName("attend", "function", "(q, k, v)"), RequiredName("mask", "function", "(T)"))
    )
    definitions = {
        "attend": LoadedDefinition("function", "function", parse("(Q, K, v)")),
        "mask": LoadedDefinition("function", "function", None),
    }
    loaded = LoadedNames(Names(definitions, [], {}), Names({}, [], {}))
    assert missing_or_wrong(contract, loaded, submission(""), []) is None
    assert (Renaming("attend", (("q", "Q"), ("k", "K"))),) == renamings(contract, loaded)


STRANGE = """
class MultiHeadAttention:
    def __init__(self, size):
        pass

raise ValueError("of the demo")
"""


OTHER_NAMES = {
    "of a mask that some checks give by its name": ("scaled_dot_product", (r"\bmask\b", "attn_mask")),
    "of what every check gives by its name": ("rope", (r"\bpositions\b", "places")),
    "of what the contract takes by its name alone": ("scaffold", (r"\bkey_padding_mask\b", "padding_mask")),
    "of a configuration": ("scaffold", (r"\bdropout_p\b", "dropout"), (r"\bembed_dim\b", "d_model")),
    "without the star": ("scaffold", (r"\bkey_padding_mask\b", "padding_mask"), (r" +\*,\n", "")),
}


@pytest.mark.slow
@pytest.mark.parametrize("situation", OTHER_NAMES)
def test_parameters_of_other_names_cost_one_check_and_are_told(situation: str) -> None:
    kata, *renamed = OTHER_NAMES[situation]
    source = solution(kata)
    for names, others in renamed:
        source = re.sub(names, others, source)
    report = graded(kata, submission(source))
    assert report.score == 99, summary(report)
    assert ["arguments_have_the_names_of_the_contract"] == [
        check.name for check in results(report) if check.verdict is not Verdict.PASS
    ]
    assert "is called by position: it names" in report.notes[-1]


WRONG_DEFAULTS = {
    "a dropout": ("fused_qkv", "dropout: float = 0.0", "dropout: float = 0.1", "dropout"),
    "a dropout in a configuration": ("scaffold", "dropout_p: float = 0.0", "dropout_p: float = 0.1", "dropout_p"),
    "biases": ("module", "bias: bool = True", "bias: bool = False", "bias"),
    "an argument of a call": (
        "sdpa_backend",
        "is_causal: bool = False",
        "is_causal: bool = True",
        "output, made without optional arguments",
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("situation", WRONG_DEFAULTS)
def test_a_default_of_another_value_fails_one_check_and_is_told_with_both(situation: str) -> None:
    kata, right, wrong, what = WRONG_DEFAULTS[situation]
    report = graded(kata, submission(solution(kata).replace(right, wrong)))
    failed = [check for check in results(report) if check.verdict is not Verdict.PASS]
    assert [(what, ())] == [(check.what, tuple(check.mistakes)) for check in failed], summary(report)
    name, value, default = right.partition(":")[0], wrong.rpartition(" ")[2], right.rpartition(" ")[2]
    assert re.fullmatch(
        rf"the default of {name} in (?:\w+\.\w+|AttentionConfig) is {re.escape(value)}, "
        rf"and {re.escape(default)} in the contract",
        report.notes[-1],
    )


def test_all_that_is_missing_or_otherwise_is_told_at_once_with_what_was_raised_before_it() -> None:
    assert [
        "MultiHeadAttention.__init__ has the signature (size); expected (d_model, num_heads)",
        "candidate.py defines no method MultiHeadAttention.forward. Before that, candidate.py raised ValueError: "
        'of the demo (candidate.py:6 in <module>: raise ValueError("of the demo")).',
    ] == str(graded("plain_class", STRANGE).message).split("\n")


def test_no_method_is_missed_of_a_class_that_is_not_there() -> None:
    assert "candidate.py defines no class MultiHeadAttention." == graded("scaffold", "x = 1\n").message


def test_a_missing_name_is_told_with_what_was_raised_before_it() -> None:
    report = graded("plain_class", "raise RuntimeError('first this')\n")
    assert (Outcome.UNLOADABLE, ()) == (report.outcome, report.notes)  # it is told once
    said = "candidate.py defines no class MultiHeadAttention. Before that, candidate.py raised RuntimeError: first this"
    assert str(report.message).startswith(said)


def test_a_class_that_raised_is_not_told_to_be_another_one_renamed() -> None:
    source = "class Attention:\n    pass\n\n\nclass MultiHeadAttention(Attention, nn.Module):\n    pass\n"
    said = (
        "candidate.py defines no class MultiHeadAttention. Before that, candidate.py raised NameError: name 'nn' is not"
    )
    assert str(graded("plain_class", source).message).startswith(said)


def test_a_name_that_raises_when_it_is_looked_up_is_told_with_what_it_raised() -> None:
    owner = (
        "class MultiHeadAttention:\n    def __init__(self, d_model, num_heads):\n        pass\n    forward = Boom()\n"
    )
    report = graded("plain_class", BOOM + owner)
    said = (
        "MultiHeadAttention.forward of candidate.py raised ValueError: not yet "
        '(candidate.py:4 in __get__: raise ValueError("not yet")) when it was looked up: make it a plain method.'
    )
    assert (Outcome.UNLOADABLE, said) == (report.outcome, report.message)


def test_an_object_that_raises_when_it_is_looked_at_hides_no_other() -> None:
    report = graded("plain_class", UNREADABLE + solution("plain_class"))
    assert 100 == report.score, summary(report)
