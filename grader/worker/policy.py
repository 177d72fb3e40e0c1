"""Which operators a submission used that the kata asks it to write itself.

Four names are forbidden: `nn.MultiheadAttention`, `F.multi_head_attention_forward`, `flex_attention` and
`F.scaled_dot_product_attention`. `forbid` takes them away before the submission is seen, and for good: the Python
functions lose their code, the kernels are overridden at the dispatcher, which every alias, getattr and
`torch.ops` goes through, and what holds the overrides is left without an owner, so that nothing in the process
can find it to lift the ban. Sources and documentation that write them out go too. Each use raises, and is also
noted, so that a `try` around it hides nothing.

The note can be forged from inside the process; the operators cannot be had back by Python alone. Who calls into
torch's libraries by ctypes gets around it: strong against habit, not proof against a determined cheat.
"""

from __future__ import annotations

import ctypes
import functools
import inspect
import linecache
import sys
import warnings
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NoReturn

import torch
import torch.ao.nn.quantizable
import torch.nn.attention.flex_attention
import torch.nn.functional as F

SDPA = "F.scaled_dot_product_attention"
MODULE = "nn.MultiheadAttention"
FUNCTION = "F.multi_head_attention_forward"
FLEX = "flex_attention"

LIFTED_BY = {SDPA: {"sdpa", "mha"}, MODULE: {"mha"}, FUNCTION: {"mha"}, FLEX: {"mha"}}
"""The words that allow each: nn.MultiheadAttention is made of scaled_dot_product_attention."""

_quantizable = torch.ao.nn.quantizable.MultiheadAttention
_flex: Any = sys.modules["torch._higher_order_ops.flex_attention"]
"""Not by `from ... import`: its package has an operator of that name."""
FUNCTIONS: dict[str, tuple[Any, ...]] = {
    SDPA: (),
    MODULE: (torch.nn.MultiheadAttention.forward, _quantizable.forward, _quantizable._forward_impl),
    FUNCTION: (F.multi_head_attention_forward,),
    FLEX: (
        torch.nn.attention.flex_attention.flex_attention,
        _flex.math_attention,
        _flex._math_attention_inner,
        _flex.sdpa_dense,
        _flex.sdpa_dense_backward,
    ),
}
WRITTEN_OUT = {
    "torch.onnx.ops._impl": "attention_23",
    "torch._inductor.fx_passes.fuse_attention": ("_sfdp_pattern_", "_sfdp_replacement_"),
    "torch.onnx._internal.torchscript_exporter.symbolic_opset14": "scaled_dot_product_attention",
}
"""Modules of torch that hold scaled_dot_product_attention in Python, and how those functions begin. Only a submission
imports them, before this comes into force; afterwards no file can be opened."""
TREES = "torch._inductor.fx_passes.serialized_patterns."
"""Modules that hold it as trees of operators."""
KERNELS = {
    SDPA: (
        "scaled_dot_product_attention",
        "_scaled_dot_product_attention_math",
        "_scaled_dot_product_attention_math_for_mps",
        "_scaled_dot_product_flash_attention_for_cpu",
        "_scaled_dot_product_flash_attention_for_cpu_backward",
        "_scaled_dot_product_flash_attention",
        "_scaled_dot_product_flash_attention.quantized",
        "_scaled_dot_product_efficient_attention",
        "_scaled_dot_product_cudnn_attention",
        "_scaled_dot_product_fused_attention_overrideable",
        "_flash_attention_forward",
        "_flash_attention_forward.quantized",
        "_flash_attention_forward_no_dropout_inplace",
        "_efficient_attention_forward",
        "_cudnn_attention_forward",
        "_triton_scaled_dot_attention",
    ),
    MODULE: ("_native_multi_head_attention", "_transformer_encoder_layer_fwd", "_triton_multi_head_attention"),
    FUNCTION: (),
    FLEX: (),
}
COMPOSITE = {"scaled_dot_product_attention", "_scaled_dot_product_attention_math"}
"""Made of other operators: overridden for every backend at once, and for torch.vmap, which expands them itself."""
COMPOSITE_KEYS = ("CompositeImplicitAutograd", "FuncTorchVmapMode", "FuncTorchBatchedDecomposition")
KEYS = ("CPU", "CUDA", "MPS", "XPU", "NestedTensorCPU")

NO_WORDS = b"Not allowed in this kata: write the attention out yourself."
"""C keeps a pointer to it: it must never be freed."""


class _Definition(ctypes.Structure):
    """CPython's PyMethodDef, to which a function of C points right after what every object begins with."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


_used: list[str] = []


def forbid(allow: Iterable[str]) -> None:
    """Puts the policy in force, for the rest of this process; to be done before the submission is loaded.

    Args:
        allow: words that lift a part of it: `sdpa`, `mha`.

    Raises:
        ValueError: another word.
    """
    words = set(allow)
    known = set().union(*LIFTED_BY.values())
    if words - known:
        raise ValueError(f"allow takes sdpa and mha, not {sorted(words - known)}")
    kept = torch._C._dispatch_library("IMPL", "aten", "", __file__, 0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # "Overriding a previously registered kernel": that is the point
        for name, lifted_by in LIFTED_BY.items():
            if words & lifted_by:
                continue
            for function in (*FUNCTIONS[name], *(_written_out() if name == SDPA else ())):
                _empty(function, name)
            if name == SDPA:
                _undocument()
                for module in [module for module in sys.modules if module.startswith(TREES)]:
                    vars(sys.modules[module]).clear()
            for kernel in KERNELS[name]:
                _override(kept, kernel, functools.partial(refuse, name))
    # The overrides live as long as this object: one count more than it has owners, and it is never freed.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


def used() -> list[str]:
    """The forbidden names used since the last call of this, each once, in order of first use."""
    names = list(dict.fromkeys(_used))
    _used.clear()
    return names


def refuse(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Notes the use and raises, whatever it is called with."""
    _used.append(name)
    raise RuntimeError(f"{name} is not allowed in this kata: write the attention out yourself.")


def _empty(function: FunctionType, name: str) -> None:
    """Takes a function's code away: every name and closure that holds it, holds the refusal. Its source goes too."""
    code = function.__code__
    lines = _kept(code.co_filename)
    first, last = code.co_firstlineno, max(line for _, _, line in code.co_lines() if line)
    lines[first - 1 : last] = ["\n"] * len(lines[first - 1 : last])
    function.__code__ = _refusing.__code__
    function.__defaults__, function.__kwdefaults__ = None, {"_name": name}


def _refusing(*args: Any, _name: str, **kwargs: Any) -> None:
    import sys  # this code runs among torch's globals, not among ours

    sys.modules["grader.worker.policy"].refuse(_name)


def _undocument() -> None:
    """Replaces the documentation of scaled_dot_product_attention, which writes it out in Python: also in its source."""
    place = id(F.scaled_dot_product_attention) + object.__basicsize__
    ctypes.POINTER(_Definition).from_address(place).contents.doc = NO_WORDS
    lines = _kept(F.__file__)
    if lines:
        first = next(at for at, line in enumerate(lines) if line.startswith("scaled_dot_product_attention = "))
        last = lines.index(")\n", first)
        lines[first : last + 1] = ["\n"] * (last + 1 - first)


def _kept(file: str) -> list[str]:
    """The lines of a file that TorchScript may compile, as they are kept (warm.py); of any other, none."""
    entry = linecache.cache.get(file)
    return entry[2] if entry and len(entry) > 1 else []


def _written_out() -> list[FunctionType]:
    found = [(vars(sys.modules[module]), start) for module, start in WRITTEN_OUT.items() if module in sys.modules]
    values = [value for names, start in found for name, value in names.items() if name.startswith(start)]
    # An operator keeps the function that it was made of, a decorated one what it wraps.
    return [inspect.unwrap(getattr(value, "_init_fn", value)) for value in values]


def _override(library: Any, kernel: str, refused: Callable[..., Any]) -> None:
    for key in COMPOSITE_KEYS if kernel in COMPOSITE else KEYS:
        library.impl(kernel, key, refused)
