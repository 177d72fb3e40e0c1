"""The command to run next, as a person would type it."""

import shlex

from grader.reports.clean import in_one_line


def grade_command(**variables: str | int | None) -> str:
    """`make grade KATA=scaffold SEED=7`, quoted for the shell; a variable without a value is left out."""
    # Cleaned before it is quoted: to take an escape sequence out may take a quote with it.
    given = [f"{name.upper()}={shlex.quote(in_one_line(str(value)))}" for name, value in variables.items() if value]
    return " ".join(["make grade", *given])
