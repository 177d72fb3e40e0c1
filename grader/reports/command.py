"""The command to run next, as a person would type it."""

import shlex

from grader.reports.clean import clean


def grade_command(**variables: str | int | None) -> str:
    """`make grade KATA=scaffold SEED=7`, quoted for the shell; a variable without a value is left out."""
    given = [f"{name.upper()}={shlex.quote(str(value))}" for name, value in variables.items() if value]
    return clean(" ".join(["make grade", *given])).replace("\n", " ")  # no line of a file's name may look like ours
