"""The call that a submission was wrong in, with its values, for its writer to try again."""

import math
from collections.abc import Sequence
from typing import Any

from torch import Tensor

from grader.checks.expect import Mismatch, Refusal
from grader.checks.tiers import Check
from grader.formats.clean import shortened
from grader.judge.replies import arguments
from grader.judge.session import Session, dtype_name
from grader.records import Contract, FailedCall, SentValue
from grader.submission.signature import parse

MOST_VALUES = 4096
"""The most values of one tensor: a call with a larger tensor is not reported."""
PLAIN = (bool, int, float, str, type(None))


def failed_call(check: Check, error: BaseException, contract: Contract, session: Session) -> FailedCall | None:
    """Return the last call of a check that failed by a wrong answer or an exception of the submission.

    Args:
        check: the check that failed.
        error: the exception that ended it.
        contract: gives the names of the arguments.
        session: the session that made the call.

    Returns:
        None: the check ended in another way, made no call, or a tensor of the call is too large to be shown.
    """
    call = session.last_call
    if call is None or not isinstance(error, Mismatch | Refusal):
        return None
    new = session.made.get(call.of.number) if call.of else None
    parameters = session.given.get(call.of.number, {}) if call.of else {}
    compared = error.compared if isinstance(error, Mismatch) else None
    names = _names(contract, new.name if new else "", call.name, len(call.args))
    inputs = dict(zip(names, call.args, strict=False)) | call.kwargs
    tensors = [*inputs.values(), *parameters.values(), *(compared or ())]
    if any(isinstance(each, Tensor) and each.numel() > MOST_VALUES for each in tensors):
        return None
    return FailedCall(
        check.tier.name,
        check.name,
        session.doing,
        f"{new.name}({arguments(new.args, new.kwargs)})" if new else "",
        {name: _sent(value) for name, value in inputs.items()},
        {path: _sent(value) for path, value in parameters.items()},
        None if compared is None or compared.expected is None else _sent(compared.expected),
        None if compared is None else _sent(compared.got),
        shortened(session.printed_by_call),
    )


def smallest(calls: Sequence[FailedCall], tiers: Sequence[str]) -> FailedCall | None:
    """Return the smallest call of the first tier that has one; None: there is none.

    Args:
        calls: the failed calls, in any order.
        tiers: the names of the tiers, in running order.
    """
    return min(calls, key=lambda call: (tiers.index(call.tier), _size(call)), default=None)


def _size(call: FailedCall) -> int:
    return sum(math.prod(value.shape) for value in (*call.inputs.values(), *call.parameters.values()))


def _names(contract: Contract, of: str, called: str, count: int) -> list[str]:
    """The contract's names of arguments by position."""
    name = "forward" if of and called == "__call__" else called
    whole = f"{of}.{name}" if of else name
    signature = next((each.signature for each in contract.needed if each.name == whole), None)
    known = [parameter.name for parameter in parse(signature)] if signature else []
    return [*known[:count], *(f"argument {place}" for place in range(len(known), count))]


def _sent(value: Any) -> SentValue:
    if isinstance(value, Tensor):
        flat = value.detach().flatten()
        numbers = tuple(map(_number, flat.tolist()))
        return SentValue(dtype_name(value.dtype), tuple(value.shape), numbers)
    return SentValue(None, (), (_number(value) if isinstance(value, PLAIN) else str(value),))


def _number(value: Any) -> Any:
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
