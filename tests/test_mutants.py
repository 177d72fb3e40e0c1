"""Mutants: what the operators make of a program, and how a mutant is named."""

import pytest

from tests.grading import BY_NAME
from tests.mutants import Change, mutants, mutants_of, normal

PROGRAM = '''
import torch

def f(self, x: int, y=2, *, z=None):
    """Says."""
    if z is None and y > x:
        raise ValueError(f"{x} {y}")
    x = torch.add(x, y, alpha=2)
    x = self.left(x).exp() / self.right(y)  # why
    return x, y
'''
MADE = {
    "ReplaceBinaryOperator_Div_Mul": Change(
        "x = self.left(x).exp() / self.right(y)", "x = self.left(x).exp() * self.right(y)"
    ),
    "NumberReplacer": Change("x = torch.add(x, y, alpha=2)", "x = torch.add(x, y, alpha=3)"),
    "statement_left_out": Change("x = torch.add(x, y, alpha=2)", "pass"),
    "condition_fixed": Change("if z is None and y > x:", "if z is None:"),
    "call_forgotten": Change("x = self.left(x).exp() / self.right(y)", "x = self.left(x) / self.right(y)"),
    "keyword_left_out": Change("x = torch.add(x, y, alpha=2)", "x = torch.add(x, y)"),
    "neighbours_swapped": Change("return (x, y)", "return (y, x)"),
    "other_name": Change("x = torch.add(x, y, alpha=2)", "x = torch.add(y, y, alpha=2)"),
    "other_attribute": Change("x = self.left(x).exp() / self.right(y)", "x = self.right(x).exp() / self.right(y)"),
}


@pytest.mark.parametrize("operator", MADE)
def test_an_operator_makes_its_mutant(operator: str) -> None:
    assert MADE[operator] in {mutant.change for mutant in mutants_of(PROGRAM) if mutant.operator == operator}


def test_what_a_message_says_is_left_alone() -> None:
    raising = [mutant.source for mutant in mutants_of(PROGRAM) if "ValueError(" in mutant.source]
    assert [] == [source for source in raising if "raise ValueError(f'{x} {y}')" not in source]


def test_a_mutant_differs_in_its_change_alone() -> None:
    lines = normal(PROGRAM).splitlines()
    for mutant in mutants_of(PROGRAM):
        before, after = mutant.change.before.splitlines(), mutant.change.after.splitlines()
        rest = lines[: mutant.line - 1] + lines[mutant.line - 1 + len(before) :]
        theirs = mutant.source.splitlines()
        assert rest == theirs[: mutant.line - 1] + theirs[mutant.line - 1 + len(after) :], mutant.change


def test_equal_lines_are_told_apart() -> None:
    program = "def f(x):\n    x = -x\n    x = -x\n    return x"
    made = [each.change for each in mutants_of(program) if each.operator == "ReplaceUnaryOperator_USub_UAdd"]
    assert [Change("x = -x", "x = +x", 0), Change("x = -x", "x = +x", 1)] == made


def test_comments_and_layout_annotations_and_docstrings_make_no_other_program() -> None:
    plain = "def f(x, y=1):\n    return x + y"
    dressed = '"""Says."""\n\ndef f(x: int, y: int = 1) -> int:\n    """Adds."""\n    return (x\n        + y)  # sum'
    assert normal(plain) == normal(dressed)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("kata", BY_NAME)
def test_the_mutants_of_a_solution_have_names_of_their_own(kata: str) -> None:
    changes = [mutant.change for mutant in mutants(kata)]
    assert len(changes) == len(set(changes)) > 100
