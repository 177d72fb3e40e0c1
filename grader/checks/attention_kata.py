"""A kata whose subject is attention: its contract, and how a case becomes a call in the form of that contract."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from torch import Tensor

from grader.checks import liveness_claims, submitted, tiers
from grader.checks.case import Answer, Case, MaskFormat, Projections, Size
from grader.checks.draw import Draw
from grader.checks.expect import PARITY, Mismatch, Tolerance, Unsendable, describe
from grader.checks.kata import AnswerKey, Fixture, Kata
from grader.checks.subject import Call, Construction
from grader.checks.submitted import tensor_of
from grader.checks.tiers import Claim, OptionalWords, Tier
from grader.checks.weight_source import SetWeights


class AttentionKata(Kata):
    """A kata on an attention layer or function. A subclass says what its contract has, and fills in the methods.

    Args:
        claims: what is checked; the tiers' points are shared out among them.
        key: what the judge alone knows; None in a kit.
        points: of each check by name, where they are known already; None: they are shared out.
    """

    shares: ClassVar[Mapping[Tier, int]] = {
        tiers.SHAPES: 8,
        tiers.WEIGHT_SUMS: 7,
        tiers.PADDING: 12,
        tiers.CAUSAL: 9,
        tiers.NAN_SAFETY: 11,
        tiers.PARITY: 40,
        tiers.GRADIENTS: 13,
        tiers.INTERFACE: 0,
    }
    fixtures: ClassVar[Mapping[str, Fixture]] = {"attention": submitted.attention}
    liveness: ClassVar[tuple[Claim, ...]] = liveness_claims.OF_ATTENTION

    streams: ClassVar[int]
    """How many distinct inputs the contract takes: 1 (x), 2 (x, kv) or 3 (query, key, value)."""
    inputs: ClassVar[tuple[str, ...]]
    """The contract's names of the positional arguments, with the mask's where it is one of them."""
    names: ClassVar[dict[str, str]]
    """The contract's names for `query`, `key`, `value`, and for `bias` and `dropout` where they differ from these."""
    class_name: ClassVar[str] = ""
    """The name of the layer's class; empty for a function."""
    has_modes: ClassVar[bool] = True
    """The attention is an nn.Module, with train and eval mode."""
    has_layers: ClassVar[bool] = True
    """The attention is made of linear layers whose weights the judge sets."""
    layers: ClassVar[Mapping[str, str]] = {}
    """The contract's names of the four linear layers, by `q`, `k`, `v`, `o`; empty where it has others, or none."""
    has_heads: ClassVar[bool] = True
    returns_weights: ClassVar[bool] = True
    per_head: ClassVar[bool] = True
    """Weights are returned per head, (N, H, L, S); False: averaged over the heads, (N, L, S)."""
    switch: ClassVar[str | None] = None
    """The argument that declines the weights, such as `need_weights=False`; None: they always come, or never."""
    returns_weights_by_default: ClassVar[bool] = True
    """Whether the weights are returned where the contract has a switch and the call leaves it out."""
    weights_may_have_a_path: ClassVar[bool] = False
    """A call that wants the weights may compute the output in another way, so each is also made without them."""
    saves_memory: ClassVar[bool] = False
    """No tensor of the size of the weights may be kept, or made, so right programs may work block by block."""
    bias_is_optional: ClassVar[bool] = False
    dropout_places: ClassVar[int] = 0
    """Where dropout is applied: 0 nowhere, 1 on the weights, 2 on the weights and the output."""
    formats: ClassVar[tuple[MaskFormat, ...]] = ()
    """The contract's formats of a mask; the first is used where a case names none."""
    additive_formats: ClassVar[tuple[MaskFormat, ...]] = ()
    """The formats of a float mask that is added to the scores; derived from `formats`."""
    padding_formats: ClassVar[tuple[MaskFormat, ...]] = ()
    """The formats in which padding is checked one by one; empty: it is checked as the kata passes padding by itself."""
    takes_any_shape: ClassVar[bool] = False
    """A mask of any shape that broadcasts is taken: one row for all queries, or a mask for each head, too."""
    padding_has_one_row: ClassVar[bool] = True
    """Where padding is passed by itself, its mask has one row for all queries."""
    has_padding_mask: ClassVar[bool] = False
    """Padding has an argument of its own beside the attention mask."""
    takes_positions: ClassVar[bool] = False
    """The contract takes the positions of the tokens."""
    one_hides: ClassVar[bool] = False
    """In the mask 1 and True hide a key; otherwise they show it."""
    is_fused: ClassVar[bool] = False
    """One layer makes queries, keys and values."""
    functions: ClassVar[frozenset[str]] = frozenset()
    """Helpers of the contract that are functions and not methods."""
    reference: ClassVar[str] = "torch.nn.MultiheadAttention's"
    """Whose output a right submission's output equals, in the words of the claims."""
    weight_source: ClassVar[SetWeights] = SetWeights()
    precision: ClassVar[Tier] = tiers.PARITY
    """The tier of the check that float64 keeps its digits."""
    size: ClassVar[type[Size]] = Size
    """The class of the sizes that an attention is built with; a family with other sizes has its own."""

    def __init_subclass__(cls) -> None:
        cls.additive_formats = tuple(each for each in cls.formats if each.is_added)

    def __init__(
        self, claims: Sequence[Claim], key: AnswerKey | None = None, points: Mapping[str, int] | None = None
    ) -> None:
        super().__init__(claims, key, points)
        self.weights: SetWeights = getattr(key, "weights", None) or self.weight_source

    @property
    def words(self) -> Mapping[str, object]:
        return {
            "cross": OptionalWords(self.streams > 1),
            "masks": OptionalWords(bool(self.formats)),
            "reference": self.reference,
        }

    def construct(self, size: Size, *, defaults: bool = False, by_keyword: bool = False) -> Construction | None:
        """The object to make; None for a function.

        Args:
            size: how it is built.
            defaults: whether arguments that have a default in the contract are left out.
            by_keyword: whether all arguments are named.
        """
        return None

    def parameters(self, weights: Projections) -> dict[str, Tensor]:
        """The weights under the contract's paths, such as `q_proj.weight`; empty for a function."""
        if not self.layers:
            return {}
        return {
            f"{self.layers[name[0]]}.{'bias' if name.endswith('bias') else 'weight'}": tensor
            for name, tensor in weights.items()
        }

    def without(self, weights: Projections, missing: Sequence[str]) -> Projections:
        """The weights of a layer that has no biases under these paths."""
        if not missing:  # as nearly always
            return weights
        paths = set(self.parameters(weights))
        biases = [name for name, _ in weights.items() if name.endswith("_bias")]
        left = {name: set(self.parameters(replace(weights, **{name: None}))) for name in biases}  # type: ignore[arg-type]
        gone = [name for name in biases if (paths - left[name]) & set(missing)]
        return replace(weights, **dict.fromkeys(gone))  # type: ignore[arg-type]  # of the biases alone

    @abstractmethod
    def call(self, case: Case, size: Size) -> Call:
        """The call that the case describes, masks in the kata's convention."""

    @abstractmethod
    def read(self, value: Any, case: Case) -> Answer:
        """The answer in what the call returned; raises `Mismatch` where its structure is not the contract's."""

    def case(self, draw: Draw, size: Size, N: int, L: int, S: int | None) -> Case:
        """A case with fresh inputs, of the dtype of the size.

        Args:
            draw: the check's stream of random tensors.
            size: how the attention is built.
            N: batch size.
            L: number of queries.
            S: number of keys; None: self-attention.
        """
        query = draw.tensor(N, L, size.embed_dim, dtype=size.dtype)
        if S is None:
            return Case(query)
        key = draw.tensor(N, S, size.embed_dim, dtype=size.dtype)
        value = draw.tensor(N, S, size.embed_dim, dtype=size.dtype) if self.streams == 3 else None
        return Case(query, key, value)

    def mask_shapes(self, N: int, H: int, L: int, S: int) -> tuple[tuple[int, ...], ...]:
        """Every shape of a mask that the contract takes, as shapes of `Case.allow`; the first has all of N, L and S.

        Args:
            N: batch size.
            H: number of heads.
            L: number of queries.
            S: number of keys.
        """
        return ()

    def tolerance(self, case: Case) -> Tolerance:
        """How far apart right answers to a call in float64 may be, including those whose idioms cost digits."""
        return PARITY

    def output_axes(self, size: Size, N: int, L: int) -> dict[str, int]:
        """The sizes of the output's axes, by the names in the docstring of `grader.checks`.

        Args:
            size: how the attention is built.
            N: batch size.
            L: number of queries.
        """
        return {"N": N, "L": L, "E": size.embed_dim}


def built(
    name: str, size: Size, options: dict[str, Any], *, defaults: bool, by_keyword: bool, sizes: tuple[str, str]
) -> Construction:
    """The construction of a class from its two sizes and its options, given by position unless asked otherwise.

    Args:
        name: of the class.
        size: how it is built.
        options: the arguments that have a default in the contract, in its order.
        defaults: whether the options are left out.
        by_keyword: whether all arguments are named.
        sizes: the contract's names for the embedding size and the number of heads.
    """
    given = {} if defaults else options
    if by_keyword:
        return Construction(name, (), dict(zip(sizes, (size.embed_dim, size.num_heads), strict=True)) | given)
    return Construction(name, (size.embed_dim, size.num_heads, *given.values()))


def shown_in_format(case: Case, usual: MaskFormat) -> Tensor | None:
    """All masks of a case joined into one that is 0 or False where a key is hidden; None: the case has no mask.

    Args:
        case: the call.
        usual: the format to use where the case names none.
    """
    shown = case.shown
    if shown is None or case.mask_dtype is not None:
        return shown if shown is None else shown.to(case.mask_dtype)
    mask_format = case.mask_format or usual
    shape = mask_format.shape(case.query.shape[0], case.query.shape[1], case.keys.shape[1])
    return shown.expand(shape).to(mask_format.dtype)


def read_pair(value: Any, case: Case, output: str, weights: str) -> Answer:
    """The answer of a contract that returns (output, weights or None).

    Args:
        value: what the call returned.
        case: the call.
        output: the contract's name for the first of the two.
        weights: the contract's name for the second.

    Raises:
        Mismatch: it is no such pair.
    """
    if not isinstance(value, tuple) or len(value) != 2:
        alone = " alone" if isinstance(value, Tensor) else ""
        raise Mismatch("what is returned", f"a tuple ({output}, {weights})", f"{_returned(value)}{alone}")
    got = tensor_of(value[0], output)
    if value[1] is None and not case.need_weights:
        return Answer(got, None)
    return Answer(got, tensor_of(value[1], weights))


def read_alone(value: Any, output: str) -> Answer:
    """The answer of a contract that returns the output and no weights."""
    if not isinstance(value, Tensor | Unsendable):
        raise Mismatch(output, "a tensor", _returned(value))
    return Answer(tensor_of(value, output), None)


def _returned(value: Any) -> str:
    """What was returned, in a few words."""
    return "None, as where return is missing" if value is None else describe(value)
