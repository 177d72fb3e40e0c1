"""The bytes of a tensor: they are sent between processes, and tell whether tensors have the same values."""

from __future__ import annotations

import ctypes
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch


def tensor_bytes(tensor: torch.Tensor) -> bytes:
    """The values of a dense tensor in C order, without going through numpy, which may be absent."""
    plain = tensor
    if tensor.device.type != "cpu" or tensor.is_neg() or not tensor.is_contiguous():
        plain = tensor.detach().cpu().resolve_neg().contiguous()
    return ctypes.string_at(plain.data_ptr(), plain.numel() * plain.element_size()) if plain.numel() else b""
