"""Forbids the operators that a kata asks a submission to write itself, and notes which it used.

Four names are forbidden: `nn.MultiheadAttention`, `F.multi_head_attention_forward`, `flex_attention` and
`F.scaled_dot_product_attention`. `forbid` takes them away before the submission is seen, and for good: the public
Python functions lose their code, and the kernels are overridden at the dispatcher, which every alias, getattr and
`torch.ops` goes through. Each use raises, and is also noted, so that a `try` around it hides nothing. Building an
`nn.MultiheadAttention` does not raise, and is noted: no call may build one, while a comparison beside the answer may.

It is strong against habit, not proof against a determined cheat: docs/not-covered.md lists what gets around it.
"""

from __future__ import annotations

import ctypes
import functools
import warnings
from collections.abc import Callable, Iterable
from types import FunctionType
from typing import Any, NoReturn

import torch
import torch.nn.attention.flex_attention
import torch.nn.functional as F

SDPA = "F.scaled_dot_product_attention"
MODULE = "nn.MultiheadAttention"
FUNCTION = "F.multi_head_attention_forward"
FLEX = "flex_attention"

LIFTED_BY = {SDPA: {"sdpa", "mha"}, MODULE: {"mha"}, FUNCTION: {"mha"}, FLEX: {"mha"}}
"""The words that allow each; `mha` allows SDPA too, as nn.MultiheadAttention is made of it."""

FUNCTIONS: dict[str, tuple[Any, ...]] = {
    SDPA: (),
    MODULE: (torch.nn.MultiheadAttention.forward,),
    FUNCTION: (F.multi_head_attention_forward,),
    FLEX: (torch.nn.attention.flex_attention.flex_attention,),
}
MODULES = {MODULE: torch.nn.MultiheadAttention}
"""Classes of which a call may build no object."""
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
"""Kernels made of others: overridden for every backend at once, and for torch.vmap, which expands them itself."""
COMPOSITE_KEYS = ("CompositeImplicitAutograd", "FuncTorchVmapMode", "FuncTorchBatchedDecomposition")
KEYS = ("CPU", "CUDA", "MPS", "XPU", "NestedTensorCPU")

_used: list[str] = []


def forbid(allow: Iterable[str]) -> None:
    """Puts the policy in force, for the rest of this process; to be done before the submission is loaded.

    Args:
        allow: words that lift a part of it: `sdpa`, `mha`.

    Raises:
        ValueError: `allow` has another word.
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
            for function in FUNCTIONS[name]:
                _empty(function, name)
            for kernel in KERNELS[name]:
                _override(kept, kernel, functools.partial(refuse, name))
            for kind in (MODULES[name],) if name in MODULES else ():
                _note_building(kind, name)
    # The overrides live as long as this object: with one reference more than it has owners, it is never freed.
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(kept))


def take_uses() -> list[str]:
    """The forbidden names used since the last call of this, each once, in order of first use."""
    names = list(dict.fromkeys(_used))
    _used.clear()
    return names


def refuse(name: str, *args: Any, **kwargs: Any) -> NoReturn:
    """Notes the use and raises, whatever it is called with."""
    _used.append(name)
    raise RuntimeError(f"{name} is not allowed in this kata: write the attention out yourself.")


def _note_building(kind: type, name: str) -> None:
    """Notes the building of every object of a class as a use."""
    build = kind.__init__  # type: ignore[misc]

    @functools.wraps(build)
    def noted(self: Any, *args: Any, **kwargs: Any) -> None:
        _used.append(name)
        build(self, *args, **kwargs)

    kind.__init__ = noted  # type: ignore[misc]


def _empty(function: FunctionType, name: str) -> None:
    """Replaces a function's code by a refusal, so that every name and closure that holds the function refuses."""
    function.__code__ = _refusing.__code__
    function.__defaults__, function.__kwdefaults__ = None, {"_name": name}


def _refusing(*args: Any, _name: str, **kwargs: Any) -> None:
    import sys  # this code runs among torch's globals, not among ours

    sys.modules["grader.worker.policy"].refuse(_name)


def _override(library: Any, kernel: str, refused: Callable[..., Any]) -> None:
    for key in COMPOSITE_KEYS if kernel in COMPOSITE else KEYS:
        library.impl(kernel, key, refused)
