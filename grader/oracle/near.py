"""Whether two tensors are equal but for rounding."""

import math

import torch
from torch import Tensor


def is_near(one: Tensor, other: Tensor, rtol: float = 1e-5, atol: float = 1e-8) -> bool:
    """Whether two tensors are equal as `torch.allclose` judges it, in a third of its time; NaN equals NaN.

    Args:
        one: of any dtype.
        other: of the same shape.
        rtol: relative tolerance.
        atol: absolute tolerance.
    """
    one, other = one.detach().double(), other.detach().double()
    if one.numel():
        farthest = float((one - other).abs().max())
        if farthest <= atol:
            return True
        if math.isfinite(farthest) and farthest > atol + rtol * float(other.abs().max()):
            return False
    return torch.allclose(one, other, rtol=rtol, atol=atol, equal_nan=True)
