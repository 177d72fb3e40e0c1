"""The same answers written with more Python than they need."""

from tests.untidy.case import Case, answer, edited, working

FUTURE = "from __future__ import annotations\n"
FORWARD = """

def forward(self, query, key, value, mask=None, return_attention=True):
    return _first_forward(self, query, key, value, mask, return_attention)


_first_forward = MultiHeadAttention.forward
MultiHeadAttention.forward = forward
"""
TIMED = """import functools, time


def timed(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        start = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            print(function.__qualname__, time.perf_counter() - start)
    return wrapper


"""


def case(name: str, kata: str, source: str) -> Case:
    return Case(name, kata, "candidate.py", lambda: source)


STYLES = [
    case("a long comment in another alphabet", "plain_class", "# " + "ж" * 400_000 + "\n" + answer("plain_class")),
    case(
        "annotations that name nothing",
        "module",
        FUTURE
        + edited("module", ("key: Tensor,\n", 'key: Float[Tensor, "batch seq emb"],\n'), ("-> str", "-> 'Nowhere'")),
    ),
    case(
        "type hints of every kind",
        "scaled_dot_product",
        "import typing as t\nfrom collections.abc import Callable\nT = t.TypeVar('T', bound='Tensor')\n"
        "Pair: t.TypeAlias = 'tuple[Tensor, Tensor]'\nName = t.NewType('Name', int)\n"
        "class Shape(t.TypedDict, total=False):\n    n: t.Required[int]\n"
        "class Layer(t.Protocol[T]):\n    def __call__(self, x: T) -> T: ...\n"
        "class Size(t.NamedTuple):\n    L: int = 1\n"
        "@t.overload\ndef f(x: int) -> int: ...\n@t.overload\ndef f(x: str) -> str: ...\ndef f(x): return x\n"
        + edited(
            "scaled_dot_product",
            ("k: Tensor,", "k: 't.Annotated[Tensor, Size(1)]',"),
            ("v: Tensor,", "v: t.Any,"),
        ),
    ),
    case(
        "dataclasses and helper classes",
        "plain_class",
        "import abc, dataclasses, enum\n\n\n@dataclasses.dataclass(frozen=True, slots=True, order=True)\nclass Sizes:\n"
        "    heads: int = dataclasses.field(default=1)\n    kind: 'str | None' = None\n\n\n"
        "class Mode(enum.Enum):\n    A = 1\n\n\n"
        "class Base(abc.ABC):\n    @abc.abstractmethod\n    def forward(self, *a): ...\n"
        "    twice = lambda self, x: 2 * x\n\n\n"
        + edited(
            "plain_class",
            ("class MultiHeadAttention:", "class MultiHeadAttention(Base):\n    sizes = Sizes(2)\n"),
        ),
    ),
    case(
        "a configuration of its own",
        "scaffold",
        edited("scaffold", ("@dataclass\n", "@dataclass(frozen=True, slots=True, eq=True)\n")),
    ),
    case(
        "a module where a plain class would do",
        "plain_class",
        edited(
            "plain_class",
            ("class MultiHeadAttention:", "class MultiHeadAttention(nn.Module):"),
            ("        if d_model % ", "        super().__init__()\n        if d_model % "),
        ),
    ),
    case("forward put in later", "module", answer("module") + FORWARD),
    case(
        "timed by a decorator",
        "functional",
        TIMED + edited("functional", ("def multi_", "@timed\ndef multi_")),
    ),
    case(
        "cached helpers and partials",
        "fused_qkv",
        "import functools\n\n\n@functools.lru_cache(maxsize=None)\ndef scale(d):\n    return d ** 0.5\n\n\n"
        "root = functools.partial(pow, exp=0.5)\n\n\n"
        + edited("fused_qkv", ("math.sqrt(self.head_dim)", "scale(self.head_dim)")),
    ),
    case(
        "asserts in every call",
        "scaffold",
        working("scaffold", "assert q.shape[1] == self.num_heads, 'heads'", "assert torch.isfinite(q).all()"),
    ),
    case(
        "nested functions, a walrus and identifiers in Greek",
        "functional",
        working("functional", "def ρ(x): return (lambda y: y)(x)", "if (λ := ρ(queries)) is not None: queries = λ"),
    ),
    case(
        "a test of a match statement and a generator",
        "scaled_dot_product",
        working(
            "scaled_dot_product",
            "match q.dim():",
            "    case 3: pass",
            "    case _: _ = [*(i for i in range(2))]",
        ),
    ),
    case(
        "semicolons, backslashes and comments at odd places",
        "fused_qkv",
        working("fused_qkv", "a = 1; b = \\", "    2;  # c", "#! comment", "pass;"),
    ),
    case(
        "a name of its own, the kata's as an alias",
        "scaled_dot_product",
        edited("scaled_dot_product", ("def scaled_dot_product_attention(", "def sdpa("))
        + "\n\nscaled_dot_product_attention = sdpa\n",
    ),
    case(
        "a subclass carries the kata's name",
        "fused_qkv",
        edited("fused_qkv", ("class EfficientMultiHeadAttention(", "class Attention("))
        + "\n\nclass EfficientMultiHeadAttention(Attention):\n    pass\n",
    ),
    case(
        "defined inside an if and a try",
        "functional",
        "if True:\n    try:\n"
        + "".join(f"        {line}\n" if line else "\n" for line in answer("functional").splitlines())
        + "    finally:\n        pass\n",
    ),
]
