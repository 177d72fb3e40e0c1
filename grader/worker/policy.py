"""Which operators a submission used that the kata asks it to write itself.

Three names are forbidden: `nn.MultiheadAttention`, `F.multi_head_attention_forward` (Python, so wrapped
before the submission is loaded) and `F.scaled_dot_product_attention` (a kernel, so overridden at the
dispatcher, which every alias, getattr and `torch.ops` goes through). Nothing acts before `arm`: a demo at
the bottom of a file may compare with PyTorch. Each use raises, and is also noted, so that a `try` around
it hides nothing. This is strong against habit, not proof against a determined cheat.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Iterable
from typing import Any

import torch
import torch.nn.functional as F
from torch.library import Library

SDPA = "F.scaled_dot_product_attention"
MODULE = "nn.MultiheadAttention"
FUNCTION = "F.multi_head_attention_forward"

FAMILY = {SDPA: "sdpa", MODULE: "mha", FUNCTION: "mha"}
"""The word that allows each."""

SDPA_KERNELS = (
    "scaled_dot_product_attention",
    "_scaled_dot_product_attention_math",
    "_scaled_dot_product_attention_math_for_mps",
    "_scaled_dot_product_flash_attention_for_cpu",
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
)
MODULE_KERNELS = ("_native_multi_head_attention", "_transformer_encoder_layer_fwd", "_triton_multi_head_attention")

COMPOSITE = {"scaled_dot_product_attention", "_scaled_dot_product_attention_math"}
"""Made of other operators: overridden for every backend at once, and for torch.vmap, which expands them itself."""


class Policy:
    """The forbidden operators of one worker, and which of them were used."""

    def __init__(self) -> None:
        self._forbidden: frozenset[str] = frozenset()
        self._used: list[str] = []
        self._inside_allowed = 0
        self._kernels: list[Library] = []

    def install(self) -> None:
        """Wraps the two Python names; to be done before the submission is loaded."""
        torch.nn.MultiheadAttention.forward = self._wrapped(torch.nn.MultiheadAttention.forward, MODULE)  # type: ignore[method-assign]  # the point
        F.multi_head_attention_forward = self._wrapped(F.multi_head_attention_forward, FUNCTION)

    def arm(self, allow: Iterable[str]) -> None:
        """Puts the policy in force.

        Args:
            allow: words that lift a part of it: `sdpa`, `mha`.

        Raises:
            ValueError: another word.
        """
        words = set(allow)
        if words - set(FAMILY.values()):
            raise ValueError(f"allow takes sdpa and mha, not {sorted(words - set(FAMILY.values()))}")
        self._forbidden = frozenset(name for name, word in FAMILY.items() if word not in words)
        self._restore_kernels()
        self._override_kernels()

    def used(self) -> list[str]:
        """The forbidden names used since the last call of this, each once, in order of first use."""
        names = list(dict.fromkeys(self._used))
        self._used.clear()
        return names

    def refuse(self, name: str) -> None:
        """Notes the use and raises."""
        self._used.append(name)
        raise RuntimeError(f"{name} is not allowed in this kata: write the attention out yourself.")

    def _wrapped(self, original: Callable[..., Any], name: str) -> Callable[..., Any]:
        def call(*args: Any, **kwargs: Any) -> Any:
            if name in self._forbidden:
                self.refuse(name)
            return self._call_allowed(original, *args, **kwargs)

        functools.update_wrapper(call, original)
        vars(call).pop("__wrapped__")  # the original, one attribute away
        return call

    def _call_allowed(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """An allowed nn.MultiheadAttention may use scaled_dot_product_attention inside."""
        if not self._kernels and not self._inside_allowed:
            return original(*args, **kwargs)
        self._inside_allowed += 1
        self._restore_kernels()
        try:
            return original(*args, **kwargs)
        finally:
            self._inside_allowed -= 1
            if not self._inside_allowed:
                self._override_kernels()

    def _override_kernels(self) -> None:
        library = Library("aten", "IMPL")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "Overriding a previously registered kernel": that is the point
            for name, kernels in ((SDPA, SDPA_KERNELS), (MODULE, MODULE_KERNELS)):
                if name in self._forbidden:
                    for kernel in kernels:
                        self._override(library, kernel, functools.partial(self._refused_kernel, name))
        self._kernels = [library]

    def _override(self, library: Library, kernel: str, refused: Callable[..., Any]) -> None:
        if kernel in COMPOSITE:
            keys = ["CompositeImplicitAutograd", "FuncTorchVmapMode"]
        else:
            keys = ["CPU", "CUDA", "NestedTensorCPU"]
        for key in keys:
            library.impl(kernel, refused, key)

    def _refused_kernel(self, name: str, *args: Any, **kwargs: Any) -> None:
        self.refuse(name)

    def _restore_kernels(self) -> None:
        for library in self._kernels:
            library._destroy()
        self._kernels = []
