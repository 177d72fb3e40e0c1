"""What tests of the judge share: the solution of plain_class, which does something more with 71 tokens."""

from grader.records import Report, Verdict
from tests.grading import results
from tests.mistakes import edited
from tests.mistakes.plain_class import OUT

LONG = "on_long_sequences"
"""The one check with 71 tokens: what a submission does there, it does there alone."""


def plain(*changes: tuple[str, str]) -> str:
    return edited("plain_class", changes)


def at_71(statement: str) -> str:
    """The solution of plain_class, which does something more where it gets 71 tokens."""
    return plain((f"return {OUT}", f"if Q.size(1) == 71:\n            {statement}\n        return {OUT}"))


def others_pass(report: Report, *names: str) -> bool:
    """Whether all checks but these passed."""
    return {check.name for check in results(report) if check.verdict is not Verdict.PASS} == set(names)
