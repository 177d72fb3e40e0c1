"""Autograder of the multi-head attention katas; CONTRIBUTING.md shows its floors.

```python
from pathlib import Path
from grader import Grader, Request

with Grader() as grader:
    for report in grader.reports(Request(path=Path("candidate.py"))):
        print(report.submission, report.score)
```
"""

from typing import Any

LIBRARY = ("Advice", "CheckBegan", "CheckEnded", "Event", "Grader", "Intake", "Report", "Request", "SubmissionBegan")


def __getattr__(name: str) -> Any:
    """The library, imported when it is first asked for: a worker, too, imports this file."""
    if name not in LIBRARY:
        raise AttributeError(f"module 'grader' has no attribute {name!r}")
    from grader import core

    return getattr(core, name)


def __dir__() -> list[str]:
    return [*globals(), *LIBRARY]
