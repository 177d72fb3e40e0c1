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
    for tensor in differentiable:
        tensor.retain_grad()  # a leaf keeps its own anyway
        tensor.grad = None
    # One scalar, no gradient given: that path imports sympy (0.3 s in every fork). 1 * cotangent is exact.
    # Not autograd.grad, which a checkpoint with use_reentrant=True refuses: a training loop calls backward.
    (output * cotangent.to(output.device)).sum().backward(retain_graph=True)
    found = [tensor.grad if tensor.requires_grad else None for tensor in wanted]
    for tensor in differentiable:
        tensor.grad = None
    return [None if gradient is None else gradient.to_dense().detach() for gradient in found]
