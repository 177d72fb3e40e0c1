"""Programs of which it is known what the grader has to say are graded, and it says what tests/strength.json says.

`make test` grades those that changed since the record was made, and of the others a sample; `make test-deep` the rest.
"""

import ast
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from grader.records import Verdict
from tests.equivalent import EQUIVALENT
from tests.grading import ATTENTION, BY_NAME, ROOT, catalogue, graded, results, solution, summary
from tests.mistakes import edited
from tests.mutants import mutants, normal
from tests.programs import Program, outcome, programs, report_on, wanted
from tests.strength import mutants_digest, unexpected
from tests.strength_record import COLUMNS, checks_digest, decisive, entry, pairs_line, recorded, said_of, strength_rows

RECORD = recorded()
EACH_KATA = pytest.mark.parametrize("kata", BY_NAME)
WITH_MUTANTS = [kata for kata in BY_NAME if entry(RECORD, kata)["mutants"]]
"""Those of the others were not graded yet: the table says so."""
HERE = programs()
CHANGED = [program for program in HERE if said_of(RECORD, program) is None]
FOLDERS = {"styles": ROOT / "tests" / "correct", "wrong": ROOT / "tests" / "wrong"}
LEAST = {"styles": 6, "wrong": 15}
MAY_BE_WITHOUT = "wrong"
"""Wrong programs come from people, so that a new kata has none."""
NAMED_SHARE = 0.9
"""Of what is wrong in its values."""


def named(program: Program) -> str:
    return f"{program.kata}-{program.part}-{program.name}"


def judged(program: Program) -> str:
    """What is said of it, which has to be what is wanted."""
    report = report_on(program)
    said = outcome(program, report)
    assert wanted(program, said), f"{said}\n{summary(report)}"
    if program.words:
        first = next(check for check in results(report) if check.verdict is not Verdict.PASS)
        assert program.words == (first.name, first.what, first.expected)
    return said


@pytest.mark.sample(20)
@pytest.mark.parametrize("program", CHANGED, ids=named)
def test_a_program_that_changed_is_judged_as_it_must_be(program: Program) -> None:
    judged(program)


@pytest.mark.sample(1, by=lambda of: of["program"].part)
@pytest.mark.parametrize("program", [program for program in HERE if program not in CHANGED], ids=named)
def test_a_program_is_judged_as_recorded(program: Program) -> None:
    said = judged(program)
    if checks_digest(program.kata) == entry(RECORD, program.kata)["checks"]:  # by this very judge
        assert said_of(RECORD, program) == said


@EACH_KATA
def test_the_record_is_of_the_programs_that_are_here(kata: str) -> None:
    assert [] == [f"{each.part}: {each.name}" for each in CHANGED if each.kata == kata], "run make strength"
    if kata in WITH_MUTANTS:
        assert mutants_digest(kata) == entry(RECORD, kata)["mutants"]["digest"], "run make strength"


@EACH_KATA
def test_all_that_is_recorded_is_as_it_must_be(kata: str) -> None:
    odd = [each.name for each in HERE if each.kata == kata and not wanted(each, said_of(RECORD, each) or "(nothing)")]
    assert ([], []) == (odd, entry(RECORD, kata)["mutants"].get("survived", []))


@pytest.mark.parametrize("kata", ATTENTION)
def test_nine_in_ten_programs_whose_values_are_wrong_are_named(kata: str) -> None:
    known, unnamed = len(catalogue(kata)), [p for p in HERE if (p.kata, p.part) == (kata, "without a name")]
    assert NAMED_SHARE <= known / (known + len(unnamed))


def test_every_mistake_is_made_in_source_once() -> None:
    made = [program.name for program in programs() if program.part == "edits"]
    assert sorted({name for kata in BY_NAME for name in catalogue(kata)}) == sorted(made)


@pytest.mark.parametrize("part", FOLDERS)
def test_every_kata_has_programs_and_no_file_is_unknown(part: str) -> None:
    """A folder is a kata, and holds programs and nothing else: a misspelt one would never be graded."""
    count = Counter(program.kata for program in HERE if program.part == part)
    few = {kata: count[kata] for kata in BY_NAME if count[kata] < LEAST[part]}
    assert {} == {kata: there for kata, there in few.items() if there or part != MAY_BE_WITHOUT}
    files = {path for path in FOLDERS[part].rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    known = {FOLDERS[part] / each.kata / f"{each.name}.py" for each in programs() if each.part == part}
    assert set() == files - known


@pytest.mark.parametrize("part", FOLDERS)
def test_a_file_says_in_one_line_what_it_is_and_shares_its_code_with_no_other(part: str) -> None:
    """Compared as syntax trees without the docstring: another comment or layout is no program of its own."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in FOLDERS[part].glob("*/*.py")}
    lines = {path: ast.get_docstring(tree) for path, tree in trees.items()}
    assert [] == [path for path, line in lines.items() if line is None or "\n" in line]
    codes = [f"{path.parent.name} {ast.unparse(ast.Module(tree.body[1:], []))}" for path, tree in trees.items()]
    assert [] == [code for code, count in Counter(codes).items() if count > 1]


@pytest.mark.parametrize("text", ["def no_such_function(", "self.head_dim"])
def test_an_edit_that_does_not_say_one_place_is_refused(text: str) -> None:
    with pytest.raises(AssertionError, match="must hold this text once"):
        edited("scaffold", ((text, "pass"),))


# Mutants: all of them are graded by `make strength`


@pytest.mark.sample(2, by=lambda of: of["count"])
@pytest.mark.parametrize("count", [3, pytest.param(50, marks=pytest.mark.deep)])
@pytest.mark.parametrize("kata", WITH_MUTANTS)
def test_a_sample_of_mutants_is_killed(kata: str, count: int, sample: Random) -> None:
    assert [] == unexpected(kata, tuple(sample.sample(mutants(kata), count)))


@pytest.mark.deep
def test_every_record_of_an_equivalent_mutant_fits_one() -> None:
    made = {(kata, mutant.change) for kata in BY_NAME for mutant in mutants(kata)}
    gone = [f"{kata}: {change.before} -> {change.after}" for kata, change in EQUIVALENT if (kata, change) not in made]
    assert [] == gone, "tests/equivalent.py records what is no mutant: correct it, or take it out"


@pytest.mark.sample(2)
@EACH_KATA
def test_a_program_that_is_changed_nowhere_is_accepted(kata: str) -> None:
    """Mutants are made in the normal form: killed by their change alone, for it scores 100 itself."""
    assert 100 == graded(kata, normal(solution(kata))).score


# What an outcome is


RIGHT = "attention_weights @ v"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("other", "said", "counts"),
    [
        (RIGHT, "100", False),
        ("0 * v", "shapes", True),
        ("lost @ v", "(raised NameError", False),
        ("(", "(unloadable)", False),
    ],
)
def test_what_counts_as_a_rejection(other: str, said: str, counts: bool) -> None:
    """A name that is missing, a syntax error and a failure of the grader show nothing of the checks."""
    program = Program("scaled_dot_product", "wrong", "any", solution("scaled_dot_product").replace(RIGHT, other))
    text = outcome(program, report_on(program))
    assert (said, counts) == (text[: len(said)], wanted(program, text))


def test_a_table_row_counts_what_is_recorded() -> None:
    known = {
        "oracle": {"no_scale": "parity"},
        "programs": {
            "edits": {"no_scale": "a1 parity: no_scale"},
            "styles": {"einsum": "b2 100", "loops": "c3 parity"},
        },
        "mutants": {"killed": 30, "equivalent": 3, "survived": ["d"]},
        "other styles": {"exist": 99, "named": 7, "unnamed": ["e", "f"], "false": ["g"]},
    }
    rows = strength_rows({"katas": {"module": known}})
    assert COLUMNS == rows[0]
    assert ("`module`", "1", "1", "7 of 10", "1", "0", "1 of 2", "0", "30", "3", "1") in rows
    said = "Of 99 pairs of a mistake and another style that exist, 10 were measured."
    assert said == pairs_line({"katas": {"module": known}})


@EACH_KATA
def test_every_file_of_a_kata_is_in_the_digest_of_its_checks(kata: str, monkeypatch: pytest.MonkeyPatch) -> None:
    read = set()
    monkeypatch.setattr("tests.strength_record.decisive", lambda path: read.add(path) or "")
    checks_digest(kata)
    assert set((ROOT / "grader" / "katas" / kata).rglob("*.py")) == {path for path in read if "katas" in path.parts}


def test_comments_and_docstrings_decide_nothing(tmp_path: Path) -> None:
    sources = (
        'def f():\n    """Text."""\n    return 1  # why\n',
        "def f():\n    return 1\n",
        "def f():\n    return 2\n",
    )
    for number, source in enumerate(sources):
        (tmp_path / f"{number}.py").write_text(source)
    plain, same, other = (decisive(tmp_path / f"{number}.py") for number in range(3))
    assert plain == same != other
