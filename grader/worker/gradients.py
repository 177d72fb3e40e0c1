"""Gradients for a given cotangent, by autograd."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def gradients(
    output: torch.Tensor, cotangent: torch.Tensor, wanted: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """The gradients of the wanted tensors; None for one that requires none or that the output does not depend on.

    Args:
        output: a tensor with a graph, which is kept.
        cotangent: of its shape.
        wanted: inputs and parameters.
    """
    differentiable = [tensor for tensor in wanted if tensor.requires_grad]
    # One scalar, not grad_outputs=: that path imports sympy (0.3 s in every fork). 1 * cotangent is exact.
    total = (output * cotangent.to(output.device)).sum()
    found = torch.autograd.grad(total, differentiable, allow_unused=True, retain_graph=True) if differentiable else ()
    plain = iter([None if g is None else g.to_dense().detach() for g in found])
    return [next(plain) if tensor.requires_grad else None for tensor in wanted]
