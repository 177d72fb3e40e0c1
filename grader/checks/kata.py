"""What a kata must say: its contract, and how a case becomes a call in the kata's own words."""

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

from torch import Tensor

from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch, Unsent, describe
from grader.checks.tiers import Check
from grader.records import Contract

# BEGIN HIDDEN
# isort: split
from grader.checks import pytorch
from grader.oracle.mistake import Mistake
from grader.oracle.pipeline import Steps

# END HIDDEN


@dataclass(frozen=True, slots=True)
class New:
    """An object to construct: a class of the submission and its arguments; `Made` refers to an earlier one."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Made:
    """The object that the n-th `New` of the same list made, from 0."""

    index: int


@dataclass(frozen=True, slots=True)
class Strided:
    """A tensor to be handed over with the same values and a non-contiguous layout."""

    tensor: Tensor


@dataclass(frozen=True, slots=True)
class Call:
    """A call in the kata's own words; `name` is a function, or a method where the kata has an object."""

    name: str
    args: tuple[Any, ...] = ()
    kwargs: dict[str, Any] = field(default_factory=dict)


class Kata(ABC):
    """One task. A subclass fills in the attributes and the methods; no method runs a submission."""

    name: ClassVar[str]
    title: ClassVar[str]
    mask: ClassVar[str]
    """The mask convention in one line, for tables."""
    contract: ClassVar[Contract]
    checks: ClassVar[tuple[Check, ...]]
    # BEGIN HIDDEN
    mistakes: ClassVar[tuple[Mistake, ...]]
    oracle: ClassVar[Steps]
    questions: ClassVar[dict[str, str]] = {}
    """Where a tier's own question does not fit the contract, another, by the tier's name."""
    # END HIDDEN
    streams: ClassVar[int]
    """How many distinct inputs the contract takes: 1 (x), 2 (x, kv) or 3 (query, key, value)."""
    names: ClassVar[dict[str, str]]
    """The contract's names for `query`, `key` and `value`."""
    per_head: ClassVar[bool] = True
    """Weights are returned per head, (N, H, L, S); False: averaged over the heads, (N, L, S)."""
    formats: ClassVar[tuple[MaskFormat, ...]] = ()
    """The contract's forms of a mask, for `Case.mask_format`; the first is used where a case names none."""
    has_modes: ClassVar[bool] = True
    """The attention is an nn.Module, with train and eval mode."""
    functions: ClassVar[frozenset[str]] = frozenset()
    """Helpers of the contract that are functions and not methods."""
    draws_weights: ClassVar[bool] = False
    """Weights are drawn inside the call: they are observed, and the default dtype is the input's."""

    @abstractmethod
    def construct(self, size: Size) -> tuple[New, ...]:
        """The objects to make, the attention last; empty for a function."""

    @abstractmethod
    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        """The weights under the contract's paths, such as `q_proj.weight`; empty for a function."""

    @abstractmethod
    def call(self, case: Case, size: Size) -> Call:
        """The call that the case describes, masks in the kata's convention."""

    @abstractmethod
    def read(self, value: Any, case: Case) -> Answer:
        """The answer in what the call returned; raises `Mismatch` where its structure is not the contract's."""

    def case(self, draw: Draw, size: Size, N: int, L: int, S: int | None) -> Case:
        """A case with fresh inputs; S None means self-attention."""
        query = draw.tensor(N, L, size.embed_dim, dtype=size.dtype)
        if S is None:
            return Case(query)
        key = draw.tensor(N, S, size.embed_dim, dtype=size.dtype)
        value = draw.tensor(N, S, size.embed_dim, dtype=size.dtype) if self.streams == 3 else None
        return Case(query, key, value)

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        """Every shape of a mask that the contract takes, as shapes of `Case.allow`; the first has all that varies."""
        return ()

    def output_axes(self, size: Size, N: int, L: int) -> dict[str, int]:
        """The axes of the output, by the names of the legend."""
        return {"N": N, "L": L, "E": size.embed_dim}

    def weights(self, draw: Draw, size: Size) -> tuple[Projections, int]:
        """The weights of a new attention, and the seed to set before its calls."""
        return draw.projections(size), draw.integer()

    def stretch(self, size: Size, weights: Projections) -> float:
        """By what fresh inputs are multiplied: weights that are a submission's own must not make scores tiny."""
        return 1.0

    # BEGIN HIDDEN
    def helper_oracle(self, steps: Steps, size: Size, name: str, *args: Any) -> Tensor:
        """What a helper method of the contract returns, by the steps of a pipeline."""
        raise NotImplementedError(f"{self.name} has no helper {name}")

    def weights_in_use(
        self, case: Case, size: Size, output: Tensor, products: tuple[tuple[Tensor, Tensor], ...]
    ) -> Projections | None:
        """The weights that a function drew, read off the matrix products of one call; None: they can't be told."""
        return None

    def pytorch(self, case: Case, size: Size, weights: Projections) -> Answer:
        """PyTorch's answer with the same weights."""
        return pytorch.answer(case, size, weights, per_head=self.per_head)

    # END HIDDEN


def read_pair(value: Any, case: Case, output: str, weights: str) -> Answer:
    """The answer of a contract that returns (output, weights or None)."""
    if not isinstance(value, tuple) or len(value) != 2:
        alone = " alone" if isinstance(value, Tensor) else ""
        raise Mismatch("what is returned", f"a tuple ({output}, {weights})", f"{returned(value)}{alone}")
    got = tensor_of(value[0], output)
    if value[1] is None and not case.need_weights:
        return Answer(got, None)
    return Answer(got, tensor_of(value[1], weights))


def read_alone(value: Any, output: str) -> Answer:
    """The answer of a contract that returns the output and no weights."""
    if not isinstance(value, Tensor | Unsent):
        raise Mismatch(output, "a tensor", returned(value))
    return Answer(tensor_of(value, output), None)


def returned(value: Any) -> str:
    """What was returned, in a few words."""
    return "None, as where return is missing" if value is None else describe(value)


def tensor_of(value: Any, what: str) -> Tensor:
    """The value, if it is a tensor of floating-point numbers."""
    if isinstance(value, Tensor) and value.is_floating_point():
        return value
    is_tensor = value.is_tensor if isinstance(value, Unsent) else isinstance(value, Tensor)
    raise Mismatch(what, "a dense tensor of floating-point numbers" if is_tensor else "a tensor", describe(value))
