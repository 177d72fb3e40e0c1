"""Autograder of the multi-head attention katas; docs/architecture.md shows its floors.

```python
from pathlib import Path
from grader import Grader, Request

with Grader() as grader:
    for report in grader.reports(Request(path=Path("candidate.py"))):
        print(report.submission, report.score)
```

`read_reports(data, name)` reads back what `report.json` holds.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from grader.core import (
        Advice,
        CheckBegan,
        CheckEnded,
        Event,
        Grader,
        Intake,
        NamingBegan,
        Report,
        Request,
        SubmissionBegan,
        read_reports,
    )

__all__ = [
    "Advice",
    "CheckBegan",
    "CheckEnded",
    "Event",
    "Grader",
    "Intake",
    "NamingBegan",
    "Report",
    "Request",
    "SubmissionBegan",
    "read_reports",
]


def __getattr__(name: str) -> Any:
    """The library, imported when it is first asked for: a worker, too, imports this file."""
    if name not in __all__:
        raise AttributeError(f"module 'grader' has no attribute {name!r}")
    from grader import core

    return getattr(core, name)


def __dir__() -> list[str]:
    return [*globals(), *__all__]
