"""Gradients for given cotangents, by autograd."""

from __future__ import annotations

from collections.abc import Sequence

import torch


def gradients(
    outputs: Sequence[torch.Tensor], cotangents: Sequence[torch.Tensor], wanted: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """The gradients of the wanted tensors; None for one that requires none or that no output depends on.

    Args:
        outputs: tensors with a graph, which is kept.
        cotangents: one for each, of its shape.
        wanted: inputs and parameters.
    """
    differentiable = [tensor for tensor in wanted if tensor.requires_grad]
    # One scalar, not grad_outputs=: that path imports sympy (0.3 s in every fork). 1 * cotangent is exact.
    terms = [(o * c.to(o.device)).sum() for o, c in zip(outputs, cotangents, strict=True)]
    found = torch.autograd.grad(terms, differentiable, allow_unused=True, retain_graph=True) if differentiable else ()
    plain = iter([None if g is None else g.to_dense().detach() for g in found])
    return [next(plain) if tensor.requires_grad else None for tensor in wanted]
