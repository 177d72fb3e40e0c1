"""What the grader refuses, in its own sentence."""

from collections.abc import Callable
from typing import Any

import pytest

from grader.records import GraderError


def refusal(act: Callable[..., Any], *arguments: Any) -> str:
    """The sentence of the GraderError that a call raises."""
    with pytest.raises(GraderError) as error:
        act(*arguments)
    return str(error.value)
