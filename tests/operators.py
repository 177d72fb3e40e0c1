"""The catalogue's mistakes, made in the right programs of tests/correct/: names must not depend on who wrote the rest.

An operator is a change of the syntax tree that makes one mistake wherever its pattern is found. `pairs` are the
programs that come of it; tests/handwriting.py grades them.
"""

import ast
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

from tests.grading import ROOT, catalogue, not_installed
from tests.patterns import (
    Finder,
    Match,
    Writer,
    blocks,
    filled,
    function,
    functions,
    looks_like,
    put_first,
    rewritten,
    text_of,
)

SDP, PLAIN, FUNCTIONAL, SCAFFOLD, MODULE, FUSED = (
    "scaled_dot_product",
    "plain_class",
    "functional",
    "scaffold",
    "module",
    "fused_qkv",
)
ALL = (SDP, PLAIN, FUNCTIONAL, SCAFFOLD, MODULE, FUSED)
HEADS = ALL[1:]
LAYERS = (PLAIN, SCAFFOLD, MODULE, FUSED)
ONE_MASK = (SDP, FUNCTIONAL, MODULE, FUSED)
RETURNS_WEIGHTS = (SDP, SCAFFOLD, MODULE, FUSED)
DROPS = (SCAFFOLD, MODULE, FUSED)
REPAIR, NEED, ROPE, SDPA = "repair_functional", "need_weights", "rope", "sdpa_backend"
LIKE = {
    **{kata: (kata,) for kata in ALL},
    REPAIR: (FUNCTIONAL,),
    NEED: (MODULE,),
    ROPE: (MODULE, FUSED),
    SDPA: (MODULE,),
}
"""The katas whose operators change a kata's programs too, as far as its catalogue has the mistakes."""


INNER = {"score", "scale", "softmax", "dropout", "weighted_sum", "give"}
"""Steps that are PyTorch's own on the way of `sdpa_backend` to the output: a source has them for the weights alone."""


class Entry(NamedTuple):
    """The function of a kata's contract that is called, and its inputs by their names."""

    function: str
    query: str
    keys: tuple[str, ...]
    mask: str = ""

    @property
    def parameters(self) -> tuple[str, ...]:
        return tuple(name for name in (self.query, *self.keys, self.mask) if name)


ENTRIES = {
    SDP: Entry("scaled_dot_product_attention", "q", ("k", "v"), "mask"),
    PLAIN: Entry("forward", "Q", ("K", "V")),
    FUNCTIONAL: Entry("multi_head_attention", "q", ("k", "v"), "mask"),
    SCAFFOLD: Entry("forward", "x", ("kv",), "attn_mask"),
    MODULE: Entry("forward", "query", ("key", "value"), "mask"),
    FUSED: Entry("forward", "x", (), "mask"),
    REPAIR: Entry("multi_head_attention", "q", ("k", "v"), "mask"),
    NEED: Entry("forward", "query", ("key", "value"), "mask"),
    ROPE: Entry("forward", "x", (), "mask"),
    SDPA: Entry("forward", "query", ("key", "value"), "mask"),
}
LAYER_NAMES = {
    PLAIN: ("W_q", "W_k", "W_v", "W_o"),
    SCAFFOLD: ("q_proj", "k_proj", "v_proj", "out_proj"),
    **dict.fromkeys((MODULE, NEED, ROPE, SDPA), ("W_Q", "W_K", "W_V", "W_O")),
    FUSED: ("qkv_proj", "qkv_proj", "qkv_proj", "out_proj"),
}
STARTING = ("__init__", "extra_repr", "_reset_parameters", "_init", "_start", "start", "_linear", "reset_parameters")
"""Functions that make or describe layers, and use none."""


class Program(NamedTuple):
    """A right program, taken apart; an operator changes the tree.

    Attributes:
        style: the file's name without its ending.
    """

    kata: str
    style: str
    tree: ast.Module

    @property
    def entry(self) -> ast.FunctionDef | None:
        """None where nothing of that name is defined: it is a lambda, or takes other names."""
        entry = ENTRIES[self.kata]
        return function(self.tree, entry.function, entry.parameters)


Change: TypeAlias = Callable[[Program], object]
"""Makes a mistake in a program's tree; a tree that it leaves as it is is no program of its own."""


class Operator(NamedTuple):
    """Makes one mistake.

    Attributes:
        name: an identifier.
        mistakes: names of the catalogue that are true of what comes out.
        katas: whose programs it changes.
        change: of a program.
        not_in: styles in which the pattern says something else.
    """

    name: str
    mistakes: frozenset[str]
    katas: tuple[str, ...]
    change: Change
    not_in: tuple[str, ...] = ()


class Pair(NamedTuple):
    """A program with a mistake in it."""

    kata: str
    style: str
    operator: Operator
    source: str

    @property
    def name(self) -> str:
        return f"{self.kata}/{self.style}: {self.operator.name}"


OPERATORS: list[Operator] = []


def makes(name: str, *mistakes: str, katas: Iterable[str] = ALL, not_in: Iterable[str] = ()) -> Callable:
    """An operator of that name, with the mistakes that are true of it beside its name."""

    def keep(change: Change) -> Change:
        OPERATORS.append(Operator(name, frozenset({name, *mistakes}), tuple(katas), change, tuple(not_in)))
        return change

    return keep


# Softmax

NO_QUERY_AXIS = ("query_chunks", "row_by_row")
"""Styles whose scores do not have all queries."""
NO_HEAD_AXIS = (
    "baddbmm",
    "baddbmm_bias",
    "baddbmm_finfo",
    "folded_baddbmm",
    "folded_bmm",
    "heads_are_modules",
    "loop_over_heads",
    "matrices",
    "vmap_over_heads",
    "vmap_with_dropout",
)
"""Styles whose scores are of one head, or have the heads folded into the batch."""
BLOCKED = ("online_softmax", "online_blocks", "normalise_last", "own_backward")
"""Styles in which what meets the values is not the weights yet."""
HEADS_IN_FRONT = ("stack_of_chunks",)

NUMBER = re.compile(r"-?\d+")
CALLS_OF_SOFTMAX = looks_like(
    "_x.softmax(_d)",
    "_x.softmax(dim=_d)",
    "torch.softmax(_x, _d)",
    "torch.softmax(_x, dim=_d)",
    "F.softmax(_x, dim=_d)",
    "F.softmax(_x, _d)",
    "nn.functional.softmax(_x, dim=_d)",
    "softmax(_x, dim=_d)",
    "Softmax.apply(_x, _d)",
    "torch.nn.Softmax(dim=_d)(_x)",
)


def softmax_of(node: ast.AST) -> Match | None:
    """Finds a softmax of `_x` over the axis `_d`."""
    match = CALLS_OF_SOFTMAX(node)
    return match if match and NUMBER.fullmatch(text_of(match["_d"])) else None


LOG_SOFTMAX = looks_like("torch.logsumexp(_x, dim=_d, keepdim=True)", "torch.logsumexp(_x, _d, keepdim=True)")


def _axis(match: Match) -> int:
    return int(ast.literal_eval(match["_d"]))


def softmax_becomes(
    name: str, text: str, *mistakes: str, katas: Iterable[str] = ALL, not_in: Iterable[str] = ()
) -> None:
    """An operator that writes something else for the softmax of `_x` over `_d`."""
    makes(name, *mistakes, katas=katas, not_in=not_in)(lambda program: rewritten(program.tree, (softmax_of, text)))


@makes("softmax_over_queries", not_in=NO_QUERY_AXIS)
def _over_queries(program: Program) -> None:
    rewritten(
        program.tree,
        (softmax_of, lambda match: f"torch.softmax(_x, dim={_axis(match) - 1})"),
        (LOG_SOFTMAX, lambda match: f"torch.logsumexp(_x, dim={_axis(match) - 1}, keepdim=True)"),
    )


@makes("softmax_over_heads", katas=HEADS, not_in=(*NO_HEAD_AXIS, *HEADS_IN_FRONT))
def _over_heads(program: Program) -> None:
    rewritten(program.tree, (softmax_of, "torch.softmax(_x, dim=1)"), (LOG_SOFTMAX, "_x.logsumexp(1, keepdim=True)"))


softmax_becomes("softmax_over_batch", "torch.softmax(_x, dim=0)", not_in=(*NO_HEAD_AXIS, *HEADS_IN_FRONT))
softmax_becomes("softmax_left_out", "_x")
softmax_becomes("softmax_by_sigmoid", "torch.sigmoid(_x)")
softmax_becomes("softmax_twice", "torch.softmax(torch.softmax(_x, dim=_d), dim=_d)")
# The lowest number of float64 is -inf there.
softmax_becomes("softmax_in_float32", "torch.softmax(_x.float(), dim=_d).to(_x.dtype)", "nan_rows")
softmax_becomes("unstable_softmax", "torch.exp(_x) / torch.exp(_x).sum(dim=_d, keepdim=True)")
softmax_becomes("weights_detached", "torch.softmax(_x, dim=_d).detach()")
softmax_becomes(
    "always_causal",
    "torch.softmax(_x + torch.full(_x.shape[-2:], -1e9, dtype=_x.dtype).triu(1), dim=_d)",
    not_in=NO_QUERY_AXIS,
)


@makes("softmax_by_largest_of_all", "softmax_by_largest_of_all_cleared", not_in=(*BLOCKED, *NO_QUERY_AXIS))
def _largest_of_all(program: Program) -> None:
    largest = looks_like(
        "_s.max(dim=-1, keepdim=True).values",
        "_s.max(dim=-1, keepdim=True)[0]",
        "_s.amax(dim=-1, keepdim=True)",
        "_s.amax(-1, keepdim=True)",
    )
    rewritten(program.tree, (largest, "_s.max()"))


# Scale

ROOTS = looks_like("math.sqrt(_d)", "np.sqrt(_d)", "_d ** 0.5", "_d ** -0.5", "_d ** 0.25", "_d ** -0.25")


def _power(match: Match, root: ast.AST) -> float:
    return float(ast.literal_eval(root.right)) if isinstance(root, ast.BinOp) else 0.5


DRAWING = ("drawn", "_draw", "uniform", "_linear", "xavier")
"""Functions that draw weights, within bounds that are roots too."""


def _is_head_dim(size: ast.expr) -> bool:
    """Not a bound of what is drawn, nor a constant, nor one over the size."""
    text = text_of(size)
    return text not in ("d_model", "num_heads") and not re.search(r"^1(\.0)? / |\b[3-9]\b(?!\])", text)


Size: TypeAlias = Callable[[Program, ast.FunctionDef, str], str | None]
"""From the function that the root stands in, and the head size there, to another size; None: it is not known there."""


def _head_dim(program: Program, within: ast.FunctionDef, head_dim: str) -> str:
    return head_dim


def _eight(program: Program, within: ast.FunctionDef, head_dim: str) -> str:
    return "8"


def _embed_dim(program: Program, within: ast.FunctionDef, head_dim: str) -> str | None:
    given = {node.arg for node in ast.walk(within.args) if isinstance(node, ast.arg)}
    if "d_model" in given or "cfg" in given:
        return "d_model" if "d_model" in given else "cfg.embed_dim"
    layers = LAYER_NAMES.get(program.kata)
    return f"self.{layers[3]}.in_features" if layers and "self" in given else None


def _heads(program: Program, within: ast.FunctionDef, head_dim: str) -> str | None:
    whole = _embed_dim(program, within, head_dim)
    return None if whole is None else f"({whole} // {head_dim})"


def scaled_by(power: Callable[[float], float], size: Size = _head_dim) -> Change:
    """A change of each root of the head size: another power, of another size."""

    def find(node: ast.AST) -> Match | None:
        match = ROOTS(node)
        return match | {"power": _power(match, node)} if match and _is_head_dim(match["_d"]) else None

    def change(program: Program) -> None:
        for within in functions(program.tree):

            def write(match: Match, within: ast.FunctionDef = within) -> str | None:
                base = size(program, within, f"({text_of(match['_d'])})")
                return None if base is None else f"pow({base}, {power(match['power'])})"

            if within.name not in DRAWING:
                rewritten(within, (find, write), left_out=DRAWING)

    return change


makes("no_scale")(scaled_by(lambda power: 0.0))
makes("scale_by_head_dim")(scaled_by(lambda power: 2 * power))
makes("scale_multiplied")(scaled_by(lambda power: -power))
makes("scale_of_8")(scaled_by(lambda power: power, _eight))
makes("scale_by_embed_dim_root", katas=HEADS)(scaled_by(lambda power: power, _embed_dim))
makes("scale_by_embed_dim", katas=HEADS)(scaled_by(lambda power: 2 * power, _embed_dim))
makes("scale_by_heads_root", katas=HEADS)(scaled_by(lambda power: power, _heads))
makes("scale_by_heads", katas=HEADS)(scaled_by(lambda power: 2 * power, _heads))

# Inputs


def at_entry(name: str, statements: str, *mistakes: str, katas: Iterable[str], not_in: Iterable[str] = ()) -> None:
    """An operator that puts statements before all others of the contract's function.

    Args:
        name: of the operator.
        statements: `QUERY`, `KEY`, `VALUE` and `MASK` stand for the names of the kata's inputs.
        mistakes: that are true beside the one of its name.
        katas: whose programs it changes.
        not_in: styles in which they say something else.
    """

    def change(program: Program) -> None:
        entry = ENTRIES[program.kata]
        if program.entry is not None:
            names = dict(zip(("QUERY", "KEY", "VALUE"), (entry.query, *entry.keys), strict=False))
            put_first(program.entry, _renamed(statements, names | {"MASK": entry.mask}))

    makes(name, *mistakes, katas=katas, not_in=not_in)(change)


THREE_INPUTS = (PLAIN, FUNCTIONAL, MODULE)
at_entry("values_made_from_keys_input", "VALUE = KEY", katas=THREE_INPUTS)
at_entry("key_and_value_inputs_swapped", "KEY, VALUE = VALUE, KEY", katas=(PLAIN, MODULE))
at_entry("other_inputs_ignored", "KEY = QUERY\nVALUE = QUERY", katas=THREE_INPUTS)
at_entry("other_inputs_ignored", "kv = x", katas=(SCAFFOLD,))
at_entry("keys_of_another_sequence", "KEY, VALUE = KEY.roll(1, 0), VALUE.roll(1, 0)", katas=(SDP, *THREE_INPUTS))
at_entry("keys_of_another_sequence", "kv = (x if kv is None else kv).roll(1, 0)", katas=(SCAFFOLD,))

# Masks


def mask_becomes(name: str, value: str, *mistakes: str, when: str = "", katas: Iterable[str] = ONE_MASK) -> None:
    """An operator that reads another mask, written with `MASK`, where one is given."""
    test = f"MASK is not None and {when}" if when else "MASK is not None"
    at_entry(name, f"if {test}:\n    MASK = {value}", *mistakes, katas=katas)


HIDES = (SDP, FUNCTIONAL)
"""Katas whose mask is 1 where a key is hidden."""
SHOWS = (MODULE, FUSED)
mask_becomes("mask_ignored", "None")
mask_becomes("mask_inverted", "(MASK == 0).to(MASK.dtype)")
mask_becomes("mask_transposed", "MASK.mT", when="MASK.dim() > 1")
mask_becomes("mask_of_first_sequence", "MASK[:1]", when="MASK.dim() > 2")
mask_becomes("mask_one_key_late", "torch.cat([MASK[..., :1], MASK[..., :-1]], dim=-1)")
mask_becomes("mask_one_key_early", "torch.cat([MASK[..., 1:], MASK[..., -1:]], dim=-1)")
for _katas, _last in ((HIDES, "1"), (SHOWS, "0")):
    mask_becomes(
        "last_key_hidden",
        f"MASK.index_fill(-1, torch.tensor([MASK.size(-1) - 1]), {_last})",
        when="MASK.size(-1) > 1",
        katas=_katas,
    )
mask_becomes(
    "mask_counted_from_the_left",
    "(torch.arange(MASK.size(-1)) < (MASK != 0).sum(-1, keepdim=True)).to(MASK.dtype)",
    katas=SHOWS,
)
mask_becomes(
    "mask_counted_from_the_left",
    "(torch.arange(MASK.size(-1)) >= (MASK == 0).sum(-1, keepdim=True)).to(MASK.dtype)",
    when="MASK.size(-1) > 1",
    katas=HIDES,
)


def of_two_masks(name: str, statements: str, *mistakes: str) -> None:
    """An operator on the two masks of `scaffold`, in `forward`, and another in `_apply_masks`."""

    def change(program: Program, where: str) -> None:
        into = function(program.tree, where, ("attn_mask", "key_padding_mask"))
        if into is not None:
            put_first(into, statements)

    makes(name, *mistakes, katas=(SCAFFOLD,))(lambda program: change(program, "forward"))
    makes(f"{name}_in_helper", name, *mistakes, katas=(SCAFFOLD,))(lambda program: change(program, "_apply_masks"))


GIVEN = "if attn_mask is not None:\n    attn_mask = "
GIVEN_BOOL = "if attn_mask is not None and attn_mask.dtype == torch.bool:\n    attn_mask = "
GIVEN_FLOAT = "if attn_mask is not None and attn_mask.dtype != torch.bool:\n    attn_mask = "
GIVEN_PADDING = "if key_padding_mask is not None:\n    key_padding_mask = "
GIVEN_BOTH = "if attn_mask is not None and key_padding_mask is not None:\n    "
of_two_masks("mask_ignored", "attn_mask = key_padding_mask = None")
of_two_masks("attention_mask_ignored", "attn_mask = None")
of_two_masks("padding_mask_ignored", "key_padding_mask = None")
of_two_masks("padding_ignored_beside_attention_mask", f"{GIVEN_BOTH}key_padding_mask = None")
of_two_masks("attention_mask_ignored_beside_padding", f"{GIVEN_BOTH}attn_mask = None")
of_two_masks("attention_mask_inverted", f"{GIVEN_BOOL}~attn_mask")
of_two_masks("padding_mask_inverted", f"{GIVEN_PADDING}~key_padding_mask")
of_two_masks(
    "masks_inverted",
    f"{GIVEN_BOOL}~attn_mask\n{GIVEN_PADDING}~key_padding_mask",
    "attention_mask_inverted",
    "padding_mask_inverted",
)
of_two_masks("attention_mask_transposed", f"{GIVEN}attn_mask.mT")
of_two_masks("mask_of_first_sequence", f"{GIVEN_PADDING}key_padding_mask[:1]", "padding_mask_of_first_sequence")
of_two_masks("attention_mask_one_key_late", f"{GIVEN}torch.cat([attn_mask[..., :1], attn_mask[..., :-1]], dim=-1)")
of_two_masks("attention_mask_one_key_early", f"{GIVEN}torch.cat([attn_mask[..., 1:], attn_mask[..., -1:]], dim=-1)")
of_two_masks(
    "padding_mask_one_key_late",
    f"{GIVEN_PADDING}torch.cat([key_padding_mask[:, :1], key_padding_mask[:, :-1]], dim=-1)",
)
of_two_masks(
    "padding_counted_from_the_left",
    f"{GIVEN_PADDING}torch.arange(key_padding_mask.size(1)) < key_padding_mask.sum(1, keepdim=True)",
)
of_two_masks("float_mask_values_ignored", f"{GIVEN_FLOAT}attn_mask > -torch.inf")
of_two_masks("float_mask_as_bool", f"{GIVEN_FLOAT}attn_mask.bool()")
# Where all keys of a query are hidden by one finite number, they are seen as if none were.
of_two_masks("float_mask_hides_nonzero", f"{GIVEN_FLOAT}attn_mask == 0", "float_mask_values_ignored")
of_two_masks("float_mask_sign_alone", f"{GIVEN_FLOAT}attn_mask >= 0")


@makes("padding_on_queries", katas=(SCAFFOLD,))
def _on_queries(program: Program) -> None:
    padding = looks_like("_m[:, None, None, :]", "_m[:, None, None]", "_m.unsqueeze(1).unsqueeze(1)")
    rewritten(program.tree, (padding, "_m[:, None, :, None]"))


@makes(
    "masks_joined_with_or",
    *("padding_mask_ignored", "padding_ignored_beside_attention_mask"),  # beside a float mask, which shows more
    katas=(SCAFFOLD,),
)
def _joined_with_or(program: Program) -> None:
    rewritten(program.tree, (looks_like("_keep & padding"), "_keep | padding"))


def _causal_helper(diagonal: str) -> Change:
    return lambda program: rewritten(program.tree, (looks_like("_m.tril()"), f"_m.tril({diagonal})"))


makes("causal_mask_without_diagonal", katas=(SCAFFOLD,))(_causal_helper("-1"))
makes("causal_mask_one_key_more", katas=(SCAFFOLD,))(_causal_helper("1"))
makes("causal_mask_lower_right", katas=(SCAFFOLD,))(_causal_helper("(T if S is None else S) - T"))

FILLS = looks_like("_s.masked_fill(_m, _c)", "_s.masked_fill_(_m, _c)")
FILLS_WHERE_HIDDEN = looks_like("torch.where(_m, _c, _s)")
FILLS_ELSEWHERE = looks_like("torch.where(_m, _s, _c)", "_s.where(_m, _c)")
LOW = re.compile(r"inf\b|finfo|-1e|-\d{4}|NEGATIVE|\blow|floor")
FINITE = re.compile(r"finfo|-1e|-\d{4}|NEGATIVE|\blow|floor")
BY_HAND = ("stable_softmax", "logsumexp", "logsumexp_mixin", "logsumexp_base_class", "normalise_last")
"""Styles in which what fills scores is not what meets a softmax of the library."""


def _fill_of_scores(find: Finder, low: re.Pattern[str] = LOW) -> Finder:
    """Finds a fill with a low number, of what is no bias that is added later."""

    def find_fill(node: ast.AST) -> Match | None:
        match = find(node)
        if match is None or not low.search(text_of(match["_c"])):
            return None
        return None if re.search(r"zeros|bias|padding|^b$|empty", text_of(match["_s"])) else match

    return find_fill


def filled_with(value: str, instead_of: re.Pattern[str] = LOW) -> Change:
    """A change of what hidden scores are set to."""
    rules: list[tuple[Finder, str | Writer]] = [
        (_fill_of_scores(FILLS, instead_of), f"_s.masked_fill(_m, {value})"),
        (_fill_of_scores(FILLS_WHERE_HIDDEN, instead_of), f"torch.where(_m, {value}, _s)"),
        (_fill_of_scores(FILLS_ELSEWHERE, instead_of), f"torch.where(_m, _s, {value})"),
    ]
    return lambda program: rewritten(program.tree, *rules)


CLEARS = re.compile(r"masked_fill\(\w+(\[.*\])?, 0(\.0)?\)|zeros_like\(weight|w \* mask|, weights, 0")


def _cleared_after(program: Program) -> bool:
    """Whether hidden weights are set to 0 after the softmax too."""
    return bool(CLEARS.search(ast.unparse(program.tree)))


def where_not_cleared(change: Change) -> Change:
    return lambda program: None if _cleared_after(program) else change(program)


makes("hidden_scores_zero", katas=(*ONE_MASK, SCAFFOLD), not_in=BY_HAND)(where_not_cleared(filled_with("0.0")))
makes(
    "hidden_scores_small",
    "scores_that_the_padding_mask_hides_small",
    katas=(*ONE_MASK, SCAFFOLD),
    not_in=BY_HAND,
)(where_not_cleared(filled_with("-1.0")))
makes("nan_rows", katas=(*ONE_MASK, SCAFFOLD), not_in=BY_HAND)(where_not_cleared(filled_with("float('-inf')", FINITE)))


@makes(
    "hidden_scores_finite",
    *("hidden_scores_ten_thousand", "hidden_scores_less_ten_thousand"),
    *(
        f"scores_that_the_{which}_mask_hides_{how}_thousand"
        for which in ("attention", "padding")
        for how in ("ten", "less_ten")
    ),
    katas=(*ONE_MASK, SCAFFOLD),
    not_in=("growing_table",),  # its number keeps the largest score finite
)
def _finite(program: Program) -> None:
    rewritten(program.tree, (looks_like("1e9", "1e30"), "1e4"))


@makes("mask_added", katas=ONE_MASK)
def _added(program: Program) -> None:
    unit = "1.0" if program.kata in HIDES else "-1.0"
    added = looks_like("_m * -1e9", "_m * -1e30")
    rewritten(program.tree, (added, f"_m * {unit}"))


@makes("nan_rows_left", "nan_rows", katas=(*ONE_MASK, SCAFFOLD))
def _left_nan(program: Program) -> None:
    cleared = looks_like(
        "torch.nan_to_num(_x)",
        "torch.nan_to_num(_x, nan=_n)",
        "_x.nan_to_num()",
        "_x.nan_to_num(_n)",
        "_x.nan_to_num(nan=_n)",
    )
    rewritten(program.tree, (cleared, "_x"))


@makes("fully_masked_rows_not_opened", "nan_rows", "nan_gradients", katas=(FUNCTIONAL, MODULE, FUSED))
def _not_opened(program: Program) -> None:
    opened = looks_like(
        "_h & ~fully_masked", "_h & ~empty", "_h | ~alive", "_h | ~some", "_h.logical_and(~fully_masked)"
    )
    rewritten(program.tree, (opened, "_h"))


@makes("masked_after_softmax", katas=ONE_MASK, not_in=BY_HAND)
def _after_softmax(program: Program) -> None:
    """Where both stand in one expression, or in two statements."""

    def find(node: ast.AST) -> Match | None:
        softmax = softmax_of(node)
        fill = _fill_of_scores(FILLS)(softmax["_x"]) if softmax else None
        return None if softmax is None or fill is None else fill | {"_d": softmax["_d"]}

    rewritten(program.tree, (find, "torch.softmax(_s, dim=_d).masked_fill(_m, 0.0)"))
    for block in blocks(program.tree):
        for i, statement in enumerate(block[:-1]):
            _move_behind(block, i, statement)


def _move_behind(block: list[ast.stmt], i: int, statement: ast.stmt) -> None:
    if not (isinstance(statement, ast.If) and not statement.orelse and isinstance(statement.body[-1], ast.Assign)):
        return
    fill, after = statement.body[-1], block[i + 1]
    kinds = ((FILLS, "_w.masked_fill(_m, 0.0)"), (FILLS_WHERE_HIDDEN, "torch.where(_m, 0.0, _w)"))
    match, text = next(
        (
            (match, text)
            for find, text in (*kinds, (FILLS_ELSEWHERE, "torch.where(_m, _w, 0.0)"))
            if (match := _fill_of_scores(find)(fill.value))
        ),
        (None, ""),
    )
    if match is None or not isinstance(after, ast.Assign) or not isinstance(after.targets[0], ast.Name):
        return
    if any(softmax_of(node) for node in ast.walk(after.value)):
        weights = after.targets[0]
        moved = ast.Assign([weights], filled(text, match | {"_w": ast.Name(weights.id)}))
        statement.body[-1] = ast.copy_location(moved, fill)
        block[i], block[i + 1] = after, statement


@makes("mask_of_first_head_alone", katas=(FUNCTIONAL, MODULE, FUSED), not_in=(*NO_HEAD_AXIS, *HEADS_IN_FRONT, *BY_HAND))
def _first_head_alone(program: Program) -> None:
    if _cleared_after(program):
        return
    one = "torch.cat([{}, _s[:, 1:]], dim=1)"
    rewritten(
        program.tree,
        (_fill_of_scores(FILLS), one.format("_s[:, :1].masked_fill(_m, _c)")),
        (_fill_of_scores(FILLS_WHERE_HIDDEN), one.format("torch.where(_m, _c, _s[:, :1])")),
        (_fill_of_scores(FILLS_ELSEWHERE), one.format("torch.where(_m, _s[:, :1], _c)")),
    )


# Layers


def layers_exchanged(name: str, katas: Iterable[str] = (PLAIN, SCAFFOLD, MODULE), **instead: str) -> None:
    """An operator that uses other layers: `v="k"` projects the values with the keys' layer."""

    def change(program: Program) -> None:
        names = dict(zip("qkvo", LAYER_NAMES[program.kata], strict=True))
        other = {names[one]: names[two] for one, two in instead.items()}
        for each in functions(program.tree):
            if each.name not in STARTING:
                for node in ast.walk(each):
                    if isinstance(node, ast.Attribute) and text_of(node.value) == "self":
                        node.attr = other.get(node.attr, node.attr)

    makes(name, katas=katas)(change)


layers_exchanged("values_by_key_weights", v="k")
layers_exchanged("keys_by_query_weights", k="q")
layers_exchanged("queries_by_key_weights", q="k")
layers_exchanged("one_projection", k="q", v="q")
layers_exchanged("query_and_key_weights_swapped", q="k", k="q")
layers_exchanged("query_and_value_weights_swapped", q="v", v="q")
layers_exchanged("key_and_value_weights_swapped", k="v", v="k")


def layer_becomes(name: str, layers: str, text: str, *mistakes: str, katas: Iterable[str] = LAYERS) -> None:
    """An operator that writes something else for what a layer makes of `_x`.

    Args:
        name: of the operator.
        layers: some of "qkvo".
        text: `LAYER` stands for the layer, and `QUERY` for the queries' input.
        mistakes: that are true beside the one of its name.
        katas: whose programs it changes.
    """

    def change(program: Program) -> None:
        if "QUERY" in text and _is_given_anew(program):
            return
        names = dict(zip("qkvo", LAYER_NAMES[program.kata], strict=True))
        for layer in dict.fromkeys(f"self.{names[each]}" for each in layers):
            written = text.replace("LAYER", layer).replace("QUERY", ENTRIES[program.kata].query)
            rewritten(program.tree, (looks_like(f"{layer}(_x)"), written), left_out=STARTING)

    makes(name, *mistakes, katas=katas)(change)


def _is_given_anew(program: Program) -> bool:
    """Whether the name of the queries' input stands for something else too."""
    name = ENTRIES[program.kata].query
    names = [node for node in ast.walk(program.tree) if isinstance(node, ast.Name) and node.id == name]
    return any(isinstance(node.ctx, ast.Store) for node in names)


LINEAR = "torch.nn.functional.linear"
SEPARATE = (PLAIN, SCAFFOLD, MODULE)
layer_becomes("values_unprojected", "v", "_x", katas=SEPARATE)
layer_becomes("keys_unprojected", "k", "_x", katas=SEPARATE)
layer_becomes("queries_unprojected", "q", "_x", katas=SEPARATE)
layer_becomes("no_output_projection", "o", "_x")
layer_becomes("output_projection_twice", "o", "LAYER(LAYER(_x))")
layer_becomes("residual", "o", "LAYER(_x) + QUERY")
layer_becomes("output_weights_transposed", "o", f"{LINEAR}(_x, LAYER.weight.T, LAYER.bias)")
layer_becomes("no_output_bias", "o", f"{LINEAR}(_x, LAYER.weight)")
layer_becomes("no_input_bias", "qkv", f"{LINEAR}(_x, LAYER.weight)")
layer_becomes("no_query_bias", "q", f"{LINEAR}(_x, LAYER.weight)", katas=SEPARATE)
layer_becomes("no_value_bias", "v", f"{LINEAR}(_x, LAYER.weight)", katas=SEPARATE)
layer_becomes("output_weights_detached", "o", f"{LINEAR}(_x, LAYER.weight.detach(), LAYER.bias)")
layer_becomes("query_weights_detached", "q", f"{LINEAR}(_x, LAYER.weight.detach(), LAYER.bias)", katas=SEPARATE)
layer_becomes("key_weights_detached", "k", f"{LINEAR}(_x, LAYER.weight.detach(), LAYER.bias)", katas=SEPARATE)
layer_becomes("value_weights_detached", "v", f"{LINEAR}(_x, LAYER.weight.detach(), LAYER.bias)", katas=SEPARATE)
layer_becomes("output_detached", "o", "LAYER(_x).detach()")
layer_becomes("mean_of_the_batch_taken_off", "o", "(lambda y: y - y.mean(0, keepdim=True))(LAYER(_x))")
layer_becomes("first_sequence_answers_for_all", "o", "LAYER(_x)[:1].expand(QUERY.shape)")

OUT_OF_WEIGHTS = looks_like(
    *(
        f"{call}"
        for w in ("w_o", "out", "out_weight", "outward", "w_o.to(q)", "out_weight.to(q)", "weights[3]", "w[3]")
        for call in (f"_x @ {w}.T", f"_x @ {w}.t()", f"_x @ {w}.mT", f"F.linear(_x, {w})", f"linear(_x, {w})")
    ),
    "out_proj(_x)",
    "torch.matmul(_x, w[3].t())",
    "_x @ out_proj.weight.to(q).t()",
    "_x @ self.out_proj.T",
)


@makes("no_output_projection", katas=(FUNCTIONAL,))
def _no_output(program: Program) -> None:
    rewritten(program.tree, (OUT_OF_WEIGHTS, "_x"))


@makes("residual", katas=(FUNCTIONAL,))
def _residual(program: Program) -> None:
    outputs = [node for node in ast.walk(program.entry or program.tree) if OUT_OF_WEIGHTS(node)]
    if len(outputs) == 1 and program.entry is not None and not _is_given_anew(program):
        kept = ast.unparse(outputs[0])
        rewritten(program.entry, (OUT_OF_WEIGHTS, f"{kept} + q"))


def weights_exchanged(name: str, statement: str) -> None:
    """An operator on the projections' weights that a function draws, `Q`, `K` and `V`."""

    def change(program: Program) -> None:
        _after_triple(program, statement, lambda names, value: names[0].startswith("w") or "xavier" in value)

    makes(name, katas=(FUNCTIONAL,))(change)


def _after_triple(program: Program, statement: str, wanted: Callable[[list[str], str], bool]) -> None:
    """Puts a statement behind the one that gives three names their values at once."""
    for block in blocks(program.tree):
        for i, each in enumerate(block):
            if isinstance(each, ast.Assign) and isinstance(each.targets[0], ast.Tuple):
                names = [text_of(name) for name in each.targets[0].elts]
                if len(names) == 3 and _are_of_queries(names) and wanted(names, text_of(each.value)):
                    block[i + 1 : i + 1] = ast.parse(_renamed(statement, dict(zip("QKV", names, strict=True)))).body
                    return


def _renamed(statements: str, names: dict[str, str]) -> str:
    """The statements with other names, whole words in the place of whole words."""
    return re.sub(r"\b\w+\b", lambda word: names.get(word[0], word[0]), statements)


def _are_of_queries(names: list[str]) -> bool:
    letters = [name.removeprefix("w_").removeprefix("w")[:1].lower() for name in names]
    return letters == ["q", "k", "v"]


weights_exchanged("values_by_key_weights", "V = K")
weights_exchanged("keys_by_query_weights", "K = Q")
weights_exchanged("queries_by_key_weights", "Q = K")
weights_exchanged("one_projection", "K = V = Q")


def _are_projections(names: list[str], value: str) -> bool:
    """Not the weights that make them, and none of them scaled yet."""
    return not names[0].startswith("w") and not re.search(r"xavier|\*\*|sqrt", value)


def parts_exchanged(name: str, statement: str, katas: Iterable[str], *mistakes: str) -> None:
    """An operator on queries, keys and values, `Q`, `K` and `V`, where one statement makes all three."""

    def change(program: Program) -> None:
        _after_triple(program, statement, _are_projections)

    makes(name, *mistakes, katas=katas)(change)


parts_exchanged("values_by_key_weights", "V = K", (FUSED,))
parts_exchanged("keys_by_query_weights", "K = Q", (FUSED,))
parts_exchanged("queries_by_key_weights", "Q = K", (FUSED,))
parts_exchanged("one_projection", "K = V = Q", (FUSED,))
parts_exchanged("query_and_key_weights_swapped", "Q, K = K, Q", (FUSED,))
parts_exchanged("query_and_value_weights_swapped", "Q, V = V, Q", (FUSED,))
parts_exchanged("key_and_value_weights_swapped", "K, V = V, K", (FUSED,))
# Where the three are the inputs yet, the values are projected from the keys' input.
parts_exchanged("keys_for_values", "V = K", (PLAIN, FUNCTIONAL, MODULE), "values_made_from_keys_input")
# Where the three are the inputs yet, these are cut off.
parts_exchanged("queries_detached", "Q = Q.detach()", HEADS, "queries_input_detached")
parts_exchanged("keys_detached", "K = K.detach()", HEADS, "keys_input_detached")
parts_exchanged("values_detached", "V = V.detach()", HEADS, "values_input_detached")
at_entry("inputs_detached", "QUERY = QUERY.detach()", katas=(FUSED,))
# Of one input alone it is the same.
at_entry("queries_input_detached", "QUERY = QUERY.detach()", "inputs_detached", katas=(PLAIN, MODULE))
at_entry("keys_input_detached", "KEY = KEY.detach()", katas=(PLAIN, MODULE))
at_entry("values_input_detached", "VALUE = VALUE.detach()", katas=(PLAIN, MODULE))
at_entry("keys_for_values", "VALUE = KEY", katas=(SDP,))
at_entry("queries_detached", "QUERY = QUERY.detach()", katas=(SDP,))
at_entry("keys_detached", "KEY = KEY.detach()", katas=(SDP,))
at_entry("values_detached", "VALUE = VALUE.detach()", katas=(SDP,))
at_entry("other_inputs_ignored", "KEY = QUERY\nVALUE = QUERY", katas=(SDP,))

# Heads

MOVES = ("transpose(1, 2)", "permute(0, 2, 1, 3)", "movedim(2, 1)", "swapaxes(1, 2)", "movedim(1, 2)")
SPLITS = looks_like(*(f"_x.{call}(_n, _t, _h, _d).{move}" for call in ("view", "reshape") for move in MOVES))
UNFLATTENED = looks_like(*(f"_x.unflatten({axis}, (_h, _d)).{move}" for axis in (-1, 2) for move in MOVES))
MERGES = looks_like(
    *(
        f"_x.{move}.{merged}"
        for move in MOVES
        for merged in (
            "contiguous().view(_a, _b, _c)",
            "reshape(_a, _b, _c)",
            "reshape(_a)",
            "flatten(2)",
            "flatten(-2)",
            "flatten(start_dim=2)",
        )
    ),
    "_x.movedim(1, -2).flatten(-2)",
    "torch.cat(_x.unbind(dim=1), dim=-1)",
    "torch.cat(_x.unbind(1), dim=-1)",
    "torch.cat(_x.unbind(1), dim=2)",
    "torch.cat(_x.unbind(1), -1)",
    "torch.cat(torch.unbind(_x, dim=1), dim=2)",
)
NAMED_SPLIT = re.compile(r"\(h d\) -> ")


def _of_heads(text: str) -> Writer:
    """Only where heads alone are split: `3 * H` are those of queries, keys and values."""
    return lambda match: None if "3 *" in text_of(match["_h"]) else text


def split_as(view: str, unflattened: str, named: str = "") -> list[tuple[Finder, str | Writer]]:
    """Rules that write the split of heads anew; `named` is the group of axes of einops."""

    def find(node: ast.AST) -> Match | None:
        is_name = isinstance(node, ast.Constant) and isinstance(node.value, str) and NAMED_SPLIT.search(node.value)
        return {"text": node.value} if is_name and named else None

    return [
        (SPLITS, _of_heads(view)),
        (UNFLATTENED, _of_heads(unflattened)),
        (find, lambda f: repr(f["text"].replace("(h d)", named))),
    ]


def merge_as(heads: str, merged: str = "transpose(1, 2).flatten(2)") -> list[tuple[Finder, str | Writer]]:
    """Rules that write the merge of heads anew, from what is made of the heads' answers `h`."""
    return [(MERGES, f"(lambda h: {heads}.{merged})(_x)")]


NO_LAYOUT = (
    *("folded_baddbmm", "folded_bmm", "fused_keys_and_values", "growing_buffer", "is_causal_given_on", "query_chunks"),
)
"""Styles that fold heads into the batch with the same calls, split only the queries so, or merge a part of them."""


def laid_out(
    name: str,
    *rules: tuple[Finder, str | Writer],
    katas: Iterable[str] = HEADS,
    needs_both: bool = False,
    not_in: Iterable[str] = NO_LAYOUT,
    mistakes: Iterable[str] = (),
) -> None:
    """An operator on how heads are split and merged, with the mistakes that are true beside the one of its name."""

    def change(program: Program) -> None:
        nodes = list(ast.walk(program.tree))
        is_split = any(SPLITS(node) or UNFLATTENED(node) for node in nodes)
        if not needs_both or (is_split and any(MERGES(node) for node in nodes)):
            rewritten(program.tree, *rules)

    makes(name, *mistakes, katas=katas, not_in=not_in)(change)


BY_VIEW = split_as("_x.reshape(_n, _h, _t, _d)", "_x.reshape(_x.shape[0], _h, _x.shape[1], -1)")
IN_TURN = split_as(
    "_x.reshape(_n, _t, _d, _h).permute(0, 3, 1, 2)", "_x.unflatten(-1, (_d, _h)).permute(0, 3, 1, 2)", "(d h)"
)
NOT_MOVED = split_as("_x.reshape(_n, _t, _h, _d)", "_x.unflatten(-1, (_h, _d))")
MERGED_BY_VIEW = merge_as("h", "reshape(h.shape[0], h.shape[2], -1)")
MERGED_IN_TURN = merge_as("h", "permute(0, 2, 3, 1).flatten(2)")
laid_out("split_by_view", *BY_VIEW, mistakes=["values_split_by_view"])  # where the values alone are split so
laid_out("merge_by_view", *MERGED_BY_VIEW)
laid_out("split_and_merge_by_view", *BY_VIEW, *MERGED_BY_VIEW, needs_both=True)
laid_out("split_interleaved", *IN_TURN)
laid_out("merge_interleaved", *MERGED_IN_TURN)
laid_out("split_and_merge_interleaved", *IN_TURN[:2], *MERGED_IN_TURN, needs_both=True)
# Heads that are then folded into the batch are split by a view.
laid_out("split_without_transpose", *NOT_MOVED, katas=LAYERS, not_in=(*NO_LAYOUT, *NO_HEAD_AXIS))
laid_out("split_and_merge_without_transpose", *NOT_MOVED, *merge_as("h", "flatten(2)"), katas=LAYERS, needs_both=True)
laid_out("heads_reversed", *merge_as("h.flip(1)"))
laid_out("heads_averaged", *merge_as("h.mean(1, keepdim=True).expand_as(h)"))
laid_out("first_head_alone", *merge_as("h[:, :1].expand_as(h)"))


@makes("one_head", katas=(PLAIN, FUNCTIONAL))
def _one_head(program: Program) -> None:
    makers = [program.entry] if program.kata in (FUNCTIONAL, REPAIR) else functions(program.tree)
    for each in makers:
        if each is not None and "num_heads" in {arg.arg for arg in each.args.args}:
            put_first(each, "num_heads = 1")


# Weighted sum

VALUES = ("v", "V", "value", "values", "vf", "vh", "qkv[2]", "heads[2]")
WEIGHTED_SUMS = [
    looks_like(f"_w @ {v}", f"torch.matmul(_w, {v})", f"torch.bmm(_w, {v})", f"_w.matmul({v})") for v in VALUES
]
NAMED_SUM = looks_like("einsum(_p, _w, _v)", "torch.einsum(_p, _w, _v)")


def _named_sum(node: ast.AST) -> Match | None:
    """The einsum whose second operand is the values."""
    match = NAMED_SUM(node)
    return match if match and text_of(match["_v"]) in VALUES else None


def weighed(name: str, weights: str, values: str, katas: Iterable[str] = ALL, not_in: Iterable[str] = ()) -> None:
    """An operator on what meets in the weighted sum: the weights `_w` and the values `VALUE`."""

    def change(program: Program) -> None:
        rules: list[tuple[Finder, str | Writer]] = [
            (find, f"({weights}) @ {values.replace('VALUE', v)}") for find, v in zip(WEIGHTED_SUMS, VALUES, strict=True)
        ]
        rules.append((_named_sum, f"torch.einsum(_p, {weights}, {values.replace('VALUE', '_v')})"))
        rewritten(program.tree, *rules, left_out=("backward",))

    makes(name, katas=katas, not_in=not_in)(change)


weighed("weights_squared", "_w.square()", "VALUE", not_in=BLOCKED)
weighed("values_summed_unweighted", "torch.ones_like(_w)", "VALUE", not_in=BLOCKED)
weighed("heads_share_average", "_w.mean(1, keepdim=True)", "VALUE", HEADS, (*NO_HEAD_AXIS, *HEADS_IN_FRONT, *BLOCKED))
weighed("heads_share_first", "_w[:, :1]", "VALUE", HEADS, (*NO_HEAD_AXIS, *HEADS_IN_FRONT, *BLOCKED))
SCORE_PRODUCTS = looks_like(
    *(
        text.format(key=key)
        for text in ("_q @ {key}", "torch.matmul(_q, {key})", "_q.matmul({key})")
        for key in ("_k.transpose(-2, -1)", "_k.transpose(-1, -2)", "_k.transpose(2, 3)", "_k.mT")
    )
)


@makes("scores_transposed", katas=(PLAIN, SCAFFOLD, MODULE))
def _scores_transposed(program: Program) -> None:
    rewritten(program.tree, (SCORE_PRODUCTS, "_k @ (_q).transpose(-2, -1)"))


@makes("scores_in_float32", "products_in_float32")
def _rounded(program: Program) -> None:
    rewritten(program.tree, (SCORE_PRODUCTS, "(_q @ _k.transpose(-2, -1)).float().to(_q.dtype)"))


# Returned weights


def returned(name: str, text: str, katas: Iterable[str]) -> None:
    """An operator on the weights `_w` that the contract's function returns."""

    def change(program: Program) -> None:
        inner = {node for each in functions(program.entry) if each is not program.entry for node in ast.walk(each)}
        for node in ast.walk(program.entry):
            if isinstance(node, ast.Return) and node not in inner:
                answer = node.value.body if isinstance(node.value, ast.IfExp) else node.value
                if isinstance(answer, ast.Tuple):
                    answer.elts[1] = _of_weights(answer.elts[1], text)

    makes(name, katas=katas)(lambda program: None if program.entry is None else change(program))


AVERAGES = looks_like("_w.mean(1)", "_w.mean(dim=1)", "_w.sum(dim=1) / self.num_heads", "reduce(_w, _p, 'mean')")


def _of_weights(weights: ast.expr, text: str) -> ast.expr:
    if isinstance(weights, ast.Constant):
        return weights
    if isinstance(weights, ast.IfExp):
        weights.body = _of_weights(weights.body, text)
        return weights
    if "AVERAGE" in text:
        average = ast.Expr(weights)
        rewritten(average, (AVERAGES, text.replace("AVERAGE", "_w")))
        return average.value
    return filled(text, {"_w": weights})


returned("weights_transposed", "_w.mT", RETURNS_WEIGHTS)
returned("weights_averaged", "_w.mean(1)", (MODULE, FUSED))
returned("weights_of_first_head", "_w[:, 0]", (MODULE, FUSED))
returned("weights_of_last_head", "_w[:, -1]", (MODULE, FUSED))
returned("weights_per_head", "AVERAGE", (SCAFFOLD,))
returned("weights_summed", "AVERAGE.sum(1)", (SCAFFOLD,))
returned("weights_maximum", "AVERAGE.amax(1)", (SCAFFOLD,))
returned("weights_of_first_head", "AVERAGE[:, 0]", (SCAFFOLD,))
returned("weights_of_last_head", "AVERAGE[:, -1]", (SCAFFOLD,))

# Dropout

DROPPING = re.compile(r"[\w.]*(drop|thin)[\w.]*(\['\w+'\])?")
DROPS_OUTPUT = re.compile(r"^self\.(out|thin\['output)|\((self\.W_O\(|output|out\b)")


def dropped(of_output: bool) -> Finder:
    """Finds dropout of the weights, or of the output: `_x` is what is dropped, `_f` the layer or function."""

    def find(node: ast.AST) -> Match | None:
        if not isinstance(node, ast.Call) or not node.args or not DROPPING.fullmatch(text_of(node.func)):
            return None
        if bool(DROPS_OUTPUT.search(text_of(node))) is not of_output:
            return None
        return {"_x": node.args[0], "_f": node.func, "_all": node, "rest": node.args[1:]}

    return find


OF_WEIGHTS = dropped(of_output=False)


def _twice(match: Match) -> str:
    rest = "".join(f", {text_of(each)}" for each in match["rest"])
    return f"_f(_all{rest})"


def _always(match: Match) -> str | None:
    if match["rest"]:
        return f"torch.nn.functional.dropout(_x, {text_of(match['rest'][0])})"
    return "torch.nn.functional.dropout(_x, _f.p)"


def dropout_becomes(name: str, write: str | Writer, of_output: bool = False, katas: Iterable[str] = DROPS) -> None:
    """An operator on dropout `_f` of `_x`."""
    makes(name, katas=katas)(
        lambda program: rewritten(program.tree, (dropped(of_output), write), left_out=("drop", "_drop", "__init__"))
    )


dropout_becomes("no_dropout", "_x")
dropout_becomes("dropout_twice", _twice)
dropout_becomes("dropout_in_eval", _always)
dropout_becomes("no_output_dropout", "_x", of_output=True, katas=(MODULE,))


dropout_becomes("output_dropout_in_eval", _always, of_output=True, katas=(MODULE,))


@makes("both_dropouts_in_eval", katas=(MODULE,))
def _both_in_eval(program: Program) -> None:
    rewritten(
        program.tree,
        (dropped(of_output=True), _always),
        (OF_WEIGHTS, _always),
        left_out=("drop", "_drop", "__init__"),
    )


@makes("no_dropout_at_all", katas=(MODULE,))
def _no_dropout_at_all(program: Program) -> None:
    rewritten(program.tree, (dropped(of_output=True), "_x"), (OF_WEIGHTS, "_x"), left_out=("drop", "_drop", "__init__"))


@makes("dropout_on_output", katas=(SCAFFOLD, FUSED))
def _on_output(program: Program) -> None:
    drops = [match for node in ast.walk(program.tree) if (match := OF_WEIGHTS(node))]
    if drops:
        write = _twice(drops[0] | {"rest": drops[0]["rest"]}).replace("_f", text_of(drops[0]["_f"]))
        rewritten(program.tree, (OF_WEIGHTS, "_x"), left_out=("drop", "_drop", "__init__"))
        rewritten(program.tree, (looks_like("self.out_proj(_x)"), write.replace("_all", "self.out_proj(_x)")))


@makes("dropout_on_heads_answers", katas=DROPS)
def _on_answers(program: Program) -> None:
    def find(node: ast.AST) -> Match | None:
        match = next((match for each in WEIGHTED_SUMS if (match := each(node))), None)
        drop = OF_WEIGHTS(match["_w"]) if match else None
        return drop | {"_v": node.right} if drop and isinstance(node, ast.BinOp) else None

    rewritten(program.tree, (find, lambda match: _twice(match).replace("_all", "_x @ _v")))


# Pairs


@cache
def sources(kata: str) -> dict[str, str]:
    """The right programs by style; one may import what is not installed."""
    paths = sorted((ROOT / "tests" / "correct" / kata).glob("*.py"))
    texts = {path.stem: path.read_text(encoding="utf-8") for path in paths}
    return {style: text for style, text in texts.items() if not not_installed(text)}


@cache
def pairs(kata: str) -> tuple[Pair, ...]:
    """All that come out other than the right program, no two alike; some may be right still, or raise."""
    return tuple(pair for style in sources(kata) for pair in made_in(kata, style))


@cache
def _operators(kata: str) -> tuple[Operator, ...]:
    """Those that make a mistake which the kata has a name for."""
    like, named = set(LIKE.get(kata, ())), catalogue(kata)
    if kata == SDPA:
        named = {name: mistake for name, mistake in named.items() if not INNER & set(mistake.changed)}
    return tuple(each for each in OPERATORS if like & set(each.katas) and each.mistakes & named.keys())


def made_in(kata: str, style: str) -> Iterator[Pair]:
    """The pairs of one right program."""
    source = sources(kata)[style]
    seen = {ast.unparse(ast.parse(source))}
    for operator in _operators(kata):
        if style not in operator.not_in:
            made = changed(operator, kata, style, source)
            if made not in seen:
                seen.add(made)
                yield Pair(kata, style, operator, _with_torch(made))


def changed(operator: Operator, kata: str, style: str, source: str) -> str:
    """The source, laid out anew, with the mistake in it.

    Args:
        operator: makes the mistake.
        kata: of the program.
        style: of the program.
        source: the right program.
    """
    program = Program(kata, style, ast.parse(source))
    operator.change(program)
    return ast.unparse(program.tree)


def _with_torch(text: str) -> str:
    """What is written in by an operator needs the name; an import that is there already does no harm."""
    return text if re.search(r"^import torch$", text, re.MULTILINE) else f"import torch\n{text}"
