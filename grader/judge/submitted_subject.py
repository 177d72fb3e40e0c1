"""The submission as the subject of a check."""

from collections.abc import Callable, Mapping, Sequence

import torch
from torch import Tensor

from grader.checks.subject import (
    PLAIN,
    VALUE_ALONE,
    Call,
    Construction,
    HeldTensors,
    Leftover,
    Manner,
    Reference,
    Remains,
    Result,
    Subject,
    Trace,
    Wish,
)
from grader.judge.session import Session


class SubmittedSubject(Subject):
    """A submission in its worker, reached through a session; each check gets a new one."""

    def __init__(self, session: Session, trace: Trace) -> None:
        super().__init__(trace, session.kept)
        self._session = session
        self.answered = session.answered
        self._disturbed: dict[int, list[str]] = {}
        """What each construction changed in the global state, by object number; filled in when the reply comes."""

    def answer(self, call: Call, manner: Manner = PLAIN, wish: Wish = VALUE_ALONE) -> Result:
        return self._session.call(call, manner, wish)

    def construct(self, new: Construction, manner: Manner = PLAIN) -> Reference:
        left: list[str] = []
        made = self._session.construct(new, manner, left.extend)
        self._disturbed[made.number] = left
        return made

    def meanwhile(self, work: Callable[[], object]) -> None:
        self._session.meanwhile(work)

    def settle(self) -> None:
        self._session.settle()

    def disturbed(self, made: Reference) -> tuple[str, ...]:
        self._session.settle()
        return tuple(self._disturbed[made.number])

    def parameters(self, made: Reference, paths: Sequence[str]) -> dict[str, Tensor]:
        return self._session.parameters(made, paths)

    def set_parameters(
        self, made: Reference, dtype: torch.dtype, parameters: Mapping[str, Tensor], *, copy: bool = False
    ) -> None:
        self._session.set(made, dtype, parameters, copy=copy)

    def changed(self) -> tuple[Tensor, ...]:
        return self._session.changed()

    def begin_part(self) -> None:
        self._session.begin_part()

    def remains(self) -> Remains:
        return self._session.remains()

    def count_tensors(self, reference: Reference) -> HeldTensors:
        return self._session.count_tensors(reference)

    def left_alive(self) -> Leftover:
        return self._session.left_alive()
