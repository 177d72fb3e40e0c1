"""Markers and tags of a solution file are read without mercy: a slip would publish a solution."""

from pathlib import Path

import pytest

from grader.stubs.markers import blocks, with_solutions, without_solutions
from grader.stubs.solution_cells import read_cells
from tests.refusals import refusal

FILE = Path("solutions/example.py")


BODY = "def half(x):\n    {}\n    return x\n    {}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "x = 1\n",
            "solutions/example.py: no '# BEGIN SOLUTION': put the markers around what the candidate writes",
        ),
        (
            BODY.format("# BEGIN SOLUTION", "pass"),
            "solutions/example.py:2: '# BEGIN SOLUTION' has no end: write '# END SOLUTION' after it",
        ),
        (
            BODY.format("pass", "# END SOLUTION"),
            "solutions/example.py:4: '# END SOLUTION' has no beginning: write '# BEGIN SOLUTION' before it",
        ),
        (
            BODY.format("# BEGIN SOLUTION", "# BEGIN SOLUTION"),
            "solutions/example.py:4: '# BEGIN SOLUTION' inside the block of line 2: end that first",
        ),
        (
            BODY.format("# BEGIN SOLUTION", "### end solution"),
            "solutions/example.py:4: '### end solution' is no marker: write '# BEGIN SOLUTION' or '# END SOLUTION'",
        ),
        (
            "# BEGIN SOLUTION\nx = 1\n# END SOLUTION\n",
            "solutions/example.py:1: '# BEGIN SOLUTION' outside of any function: move it into a body",
        ),
        ("x = 1\ndef f(:\n", "solutions/example.py:2: invalid syntax: correct the solution"),
    ],
    ids=["none", "no end", "no beginning", "nested", "misspelt", "outside", "not Python"],
)
def test_wrong_markers(text: str, expected: str) -> None:
    assert expected == refusal(blocks, text, FILE)


def test_both_sides_of_a_marked_block() -> None:
    text = BODY.format("# BEGIN SOLUTION", "# END SOLUTION")
    assert "def half(x):\n    return x\n" == with_solutions(text, FILE)
    stubbed = 'def half(x):\n    raise NotImplementedError("half is not written yet")\n'
    assert stubbed == without_solutions(text, FILE)


def test_a_block_is_named_for_the_innermost_function_around_it() -> None:
    text = "def outer():\n    def inner(x):\n        # BEGIN SOLUTION\n        return x\n        # END SOLUTION\n"
    assert ["inner"] == [block.function for block in blocks(text, FILE)]


@pytest.mark.parametrize("line", ['# %% [markdown] tags=["note"]', "# %% [markdown]"])
def test_text_with_an_unknown_tag_or_none(line: str) -> None:
    sentence = refusal(read_cells, f"{line}\n# text\n", FILE)
    assert sentence.startswith("solutions/example.py, cell 1: tags [")
    assert sentence.endswith(": write one of statement, hints, solution, notebook; none on code to keep")


def test_code_that_names_a_file_of_the_grader_that_is_not_there() -> None:
    sentence = refusal(read_cells, "# %%\n# {grader/checks/mete.py}\n", FILE)
    assert sentence == "solutions/example.py, cell 1: there is no file grader/checks/mete.py: correct the name"


REPAIR = """\
def f():
    # BEGIN SOLUTION
    return 1
    # IN THE STUB
    # if True:
    #     return 2
    #
    # END SOLUTION
"""


def test_a_block_may_have_code_for_the_stub() -> None:
    assert "def f():\n    if True:\n        return 2\n\n" == without_solutions(REPAIR, FILE)
    assert "def f():\n    return 1\n" == with_solutions(REPAIR, FILE)


def test_what_is_for_the_stub_stands_in_comments() -> None:
    expected = "solutions/example.py:6: below '# IN THE STUB' stands code: comment it out"
    assert expected == refusal(without_solutions, REPAIR.replace("    #     return", "    return"), FILE)
