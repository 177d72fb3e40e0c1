"""Claims about values; a false one raises `Mismatch`, worded as what / expected / got."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from torch import Tensor

from grader.listing import listed


class Comparison(NamedTuple):
    """The tensors of a claim about values, of one shape."""

    got: Tensor
    differs: Tensor
    """bool, True where the claim does not hold."""
    expected: Tensor | None = None


class Mismatch(Exception):
    """A claim that does not hold.

    Args:
        what: what was looked at, in the contract's names.
        expected: the value that the contract asks for.
        got: the submission's value.
        compared: the tensors in which the difference shows, value by value.
    """

    def __init__(self, what: str, expected: str, got: str, compared: Comparison | None = None) -> None:
        super().__init__(f"{what}: expected {expected}, got {got}")
        self.what, self.expected, self.got, self.compared = what, expected, got, compared


class Misfit(Mismatch):
    """A parameter has another shape than the contract's.

    Args:
        path: of the parameter.
        wanted: the contract's shape.
        shape: the submission's.

    Attributes:
        head_dim: the head size of the attention whose input projection has the parameter; None: no such projection.
    """

    head_dim: int | None = None

    def __init__(self, path: str, wanted: tuple[int, ...], shape: tuple[int, ...]) -> None:
        super().__init__(path, f"a parameter of shape {wanted}", f"shape {shape}")
        self.wanted, self.shape = wanted, shape


class Misread(Mismatch):
    """A call returned another kind of thing than the contract says: its weights could not be read, the output could."""


class SideEffect(Mismatch):
    """A call left something changed behind it; what it returned is another question."""


class Problem(Exception):
    """The submission did not answer a call, and its process goes on."""


class Refusal(Problem):
    """The submission raised an exception; `refuses` asks for one, anywhere else it is an error.

    Args:
        kind: name of the exception's class.
        bases: names of that class and of those that it is derived from.
        message: of the exception.
        where: line of the submission that raised it, and who called it; None: not known.
    """

    def __init__(self, kind: str, bases: tuple[str, ...], message: str, where: str | None) -> None:
        super().__init__(f"{kind}: {message}" if message else kind)
        self.kind, self.bases, self.message, self.where = kind, bases, message, where


@dataclass(frozen=True, slots=True)
class Unsendable:
    """What a submission returned that cannot be sent: an object of its own, or a tensor of no plain kind.

    Attributes:
        words: what it is, with its article.
        is_tensor: whether it is a tensor, though one that cannot be judged.
    """

    words: str
    is_tensor: bool = False


@dataclass(frozen=True, slots=True)
class Tolerance:
    """|got - expected| <= atol + rtol |expected|."""

    atol: float
    rtol: float

    def allowed(self, want: Tensor) -> Tensor:
        return self.atol + self.rtol * want.abs()

    def __str__(self) -> str:
        return f"atol {self.atol:.0e}" + (f", rtol {self.rtol:.0e}" if self.rtol else "")


PARITY = Tolerance(1e-6, 1e-5)
PRECISE = Tolerance(1e-8, 1e-9)
"""The atol that PyTorch's documentation gives for allclose; its rtol of 1e-5 would hide a scale rounded to float32."""


def rounding(dtype: torch.dtype, want: Tensor) -> Tolerance:
    """What rounding in `dtype` may cost: 32 units in the last place of the largest value, and parity's atol at least.

    Scores of order 1 carry a few roundings, softmax passes their absolute error on as a relative one, and the two
    matrix products after it add theirs.
    """
    return Tolerance(max(PARITY.atol, 32 * torch.finfo(dtype).eps * float(want.abs().max())), 0.0)


def tensor(what: str, got: Any) -> Tensor:
    """Returns the value if it is a tensor; anything else is a mismatch."""
    if not isinstance(got, Tensor):
        raise Mismatch(what, "a tensor", describe(got))
    return got


def text(what: str, got: Any) -> str:
    """Returns the value if it is a string; anything else is a mismatch."""
    if not isinstance(got, str):
        raise Mismatch(what, "a string", describe(got))
    return got


def shape(what: str, got: Any, **axes: int) -> None:
    """The tensor has this shape, given axis by axis with the axes' names: `shape("weights", w, N=3, L=5, S=5)`."""
    want = tuple(axes.values())
    got_shape = tuple(tensor(what, got).shape)
    if got_shape != want:
        names = ", ".join(f"{name.rstrip('_')}={size}" for name, size in axes.items())
        raise Mismatch(what, f"shape ({names})", f"shape {got_shape}")


def same_shape(what: str, got: Tensor, want: Tensor) -> None:
    """The tensor has the shape of the expected one.

    Args:
        what: name of the tensor in the report.
        got: the submission's tensor.
        want: the expected one.
    """
    if got.shape != want.shape:
        raise Mismatch(what, f"shape {tuple(want.shape)}", f"shape {tuple(got.shape)}")


def close(
    what: str, got: Any, want: Tensor | float, tolerance: Tolerance = PARITY, where: Tensor | None = None
) -> None:
    """Equal within the tolerance, value by value; shapes must be equal, and a NaN equals nothing.

    Args:
        what: name of the value in the report.
        got: the submission's tensor, of any dtype.
        want: the expected tensor, of the same shape, or the number that each value is to be.
        tolerance: how far a value may be off.
        where: bool, of the shape of `got`: which values are compared; None: all.
    """
    value = tensor(what, got)
    wanted = want if isinstance(want, Tensor) else torch.full(value.shape, want, dtype=torch.float64)
    same_shape(what, value, wanted)
    value, wanted = value.double(), wanted.double()
    distance = (value - wanted).detach().abs()
    if where is None and distance.numel() and float(distance.max()) <= tolerance.atol:
        return  # this test takes half the time
    right = distance <= tolerance.allowed(wanted)
    if where is None and right.all():
        return
    looked_at = torch.ones_like(right) if where is None else where
    wrong = looked_at & ~right
    if wrong.any():
        place = _worst(value, wanted, wrong)
        number = f"{_number(wanted[place])}{_at(place)}  ({tolerance})"
        raise Mismatch(
            what,
            # A value that is not finite is expected only where the submission itself returned it before.
            number if wanted[place].isfinite() else f"a finite value{_at(place)}",
            f"{_number(value[place])}{_at(place)}{_share(wrong, looked_at)}",
            Comparison(value, wrong, wanted),
        )


def zero(what: str, got: Any, where: Tensor | None = None) -> None:
    """Every value is 0, but for what a mask of -1e9 or finfo.min leaves behind.

    Args:
        what: name of the value in the report.
        got: the submission's tensor.
        where: bool, broadcastable to `got`: which values are looked at; None: all.
    """
    value = tensor(what, got)
    _hold(what, value, value.abs() <= 1e-12, "0", where)


def at_least(what: str, got: Any, least: float) -> None:
    """No value is below `least`, and none is NaN.

    Args:
        what: name of the value in the report.
        got: the submission's tensor.
        least: the bound.
    """
    value = tensor(what, got)
    _hold(what, value, value >= least, f"at least {least:g}")


def at_most(what: str, got: Any, most: float, where: Tensor | None = None) -> None:
    """No value is above `most`, and none is NaN.

    Args:
        what: name of the value in the report.
        got: the submission's tensor.
        most: the bound.
        where: bool, broadcastable to `got`: which values are looked at; None: all.
    """
    value = tensor(what, got)
    _hold(what, value, value <= most, f"at most {most:g}", where)


def fewer_elements(what: str, got: tuple[int, ...], elements: int, path: str = "") -> None:
    """A shape has fewer elements than the bound.

    Args:
        what: name of the tensor in the report.
        got: its shape; () where there is none.
        elements: the bound.
        path: where the tensor is kept; empty: not known.
    """
    if math.prod(got) >= elements:
        raise Mismatch(what, f"fewer than {elements} elements", f"shape {got}{path and ', kept as '}{path}")


def finite(what: str, got: Any) -> None:
    """The tensor holds no NaN and no infinity."""
    value = tensor(what, got)
    _hold(what, value, value.isfinite(), "a finite value")


def differ(what: str, one: Tensor, other: Tensor, because: str) -> None:
    """At least one value differs by more than rounding.

    Args:
        what: name of the value in the report.
        one: the submission's tensor.
        other: its tensor of the other call, of the same shape.
        because: what was changed between the two calls, as in `after the keys changed`.
    """
    if torch.allclose(one.double(), other.double(), rtol=1e-7, atol=1e-9, equal_nan=True):
        raise Mismatch(what, f"a different {what.partition(' of ')[0]} {because}", "an identical one")


def not_zero(what: str, got: Tensor) -> None:
    """At least one value is not zero."""
    if not got.any():
        raise Mismatch(what, "a value other than zero", "zero everywhere")


def carries_gradient(what: str, cut_off: bool) -> None:
    """The tensor has a graph to the inputs."""
    if cut_off:
        raise Mismatch(what, "a tensor with a grad_fn", "none (detached, or computed under no_grad)")


def equal(what: str, got: object, want: object, compared: Comparison | None = None) -> None:
    """Plain equality, for values other than tensors.

    Args:
        what: name of the value in the report.
        got: the submission's value.
        want: the expected one.
        compared: the tensors from which the value is taken, for a picture.
    """
    if got != want:
        raise Mismatch(what, str(want), str(got), compared)


def untouched(what: str, changed: Sequence[str]) -> None:
    """A call has left things as they were.

    Args:
        what: the report's words for the change, such as `inputs changed in place`.
        changed: the names of the things that were changed.
    """
    if changed:
        raise SideEffect(what, "none", ", ".join(changed))


def defaults(got: Mapping[str, object], want: Mapping[str, object]) -> None:
    """The arguments have these defaults, by name; all that differ are reported at once."""
    differ = [name for name in want if got[name] != want[name]]
    if differ:
        expected, given = (listed(of[name] for name in differ) for of in (want, got))
        raise Mismatch(listed(differ), f"{expected} by default", f"{given} by default")


def nothing(what: str, got: Any) -> None:
    """The value is None."""
    if got is not None:
        raise Mismatch(what, "None", describe(got))


def refuses(what: str, call: Callable[[], object], *kinds: str) -> None:
    """The call raises one of the exceptions named."""
    try:
        call()
    except Refusal as refusal:
        if not set(kinds) & set(refusal.bases):
            raise Mismatch(what, " or ".join(kinds), f"raised {refusal}") from refusal
        return
    raise Mismatch(what, " or ".join(kinds), "no exception")


def describe(value: Any) -> str:
    """A value in a few words; a tuple or a list of up to four with what is in it."""
    if isinstance(value, tuple | list):
        inside = f": {', '.join(map(_brief, value))}" if 0 < len(value) <= 4 else ""
        return f"{_brief(value)}{inside}"
    return _brief(value)


def _brief(value: Any) -> str:
    if isinstance(value, Unsendable):
        return value.words
    if isinstance(value, Tensor):
        dtype = "" if value.is_floating_point() else f" and dtype {str(value.dtype).removeprefix('torch.')}"
        return f"a tensor of shape {tuple(value.shape)}{dtype}"
    if isinstance(value, tuple | list):
        return f"a {type(value).__name__} of {len(value)}"
    if value is None or isinstance(value, bool | int | float):
        return repr(value)
    return f"the string {value[:60]!r}" if isinstance(value, str) else f"a {type(value).__name__}"


def _hold(what: str, value: Tensor, holds: Tensor, expected: str, where: Tensor | None = None) -> None:
    """The claim holds at all places looked at; a mismatch names the first place where it does not."""
    looked_at = torch.ones_like(holds) if where is None else where.expand_as(holds)
    wrong = looked_at & ~holds
    if wrong.any():
        place = _first(wrong)
        count = f"{int(wrong.sum())} of {int(looked_at.sum())} values"
        at = _at(place)
        got = f"{_number(value[place])}{at}; {count} are wrong"
        raise Mismatch(what, f"{expected}{at}", got, Comparison(value, wrong))


def _worst(value: Tensor, wanted: Tensor, wrong: Tensor) -> tuple[int, ...]:
    """The place of the value that is furthest off; of values equally far off, the first.

    Such values differ in their last digits from machine to machine.
    """
    distance = (value - wanted).abs().nan_to_num(nan=torch.inf, posinf=torch.inf).masked_fill(~wrong, -1.0)
    return _first(distance >= distance.max() * (1 - 1e-9))


def _first(wrong: Tensor) -> tuple[int, ...]:
    return _index(wrong.flatten().to(torch.uint8).argmax(), wrong)


def _index(flat: Tensor, like: Tensor) -> tuple[int, ...]:
    return tuple(int(i) for i in torch.unravel_index(flat, like.shape))


def _number(value: Tensor) -> str:
    return f"{float(value.detach()):.6g}"


def _share(wrong: Tensor, looked_at: Tensor) -> str:
    """How many of the values differ, in words; empty where a single value is compared."""
    return f"; {int(wrong.sum())} of {int(looked_at.sum())} values differ" if looked_at.sum() > 1 else ""


def _at(place: tuple[int, ...]) -> str:
    return f" at [{', '.join(map(str, place))}]" if place else ""
