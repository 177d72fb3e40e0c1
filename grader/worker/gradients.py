"""Gradients for a given cotangent, by autograd."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import torch


def gradients(
    output: torch.Tensor, cotangent: torch.Tensor, wanted: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """The gradients of the wanted tensors; None for one that requires none or that the output does not depend on.

    Args:
        output: a tensor with a graph, which is kept.
        cotangent: of its shape.
        wanted: inputs and parameters; of a view of a parameter it is the same view of the parameter's gradient.
    """
    sources = {id(source): source for source in map(_source, wanted) if source.requires_grad}
    seen = {name: list[torch.Tensor]() for name in sources}
    with ExitStack() as hooks:
        for name, source in sources.items():
            source.retain_grad()  # a leaf keeps its own anyway
            source.grad = None
            # A hook of the submission may free it at once, as an optimizer in the backward pass does.
            kept = seen[name]
            hooks.enter_context(source.register_hook(lambda gradient, kept=kept: kept.append(gradient.clone())))
        # One scalar, no gradient given: that path imports sympy (0.3 s in every fork). 1 * cotangent is exact.
        # Not autograd.grad, which a checkpoint with use_reentrant=True refuses: a training loop calls backward.
        (output * cotangent.to(output.device)).sum().backward(retain_graph=True)
    found = {name: _kept(source, seen[name]) for name, source in sources.items()}
    for source in sources.values():
        source.grad = None
    return [_part(tensor, found.get(id(_source(tensor)))) for tensor in wanted]


def _source(tensor: torch.Tensor) -> torch.Tensor:
    """The parameter that a tensor is a view of, made anew at each look maybe: it is no part of the call's graph."""
    base = None if tensor.is_leaf else tensor._base
    return base if base is not None and base.is_leaf else tensor


def _kept(source: torch.Tensor, seen: Sequence[torch.Tensor]) -> torch.Tensor | None:
    gradient = source.grad
    if gradient is None and seen:
        gradient = torch.stack([part.to_dense() for part in seen]).sum(0)  # a checkpoint brings it in parts
    return None if gradient is None else gradient.to_dense().detach()


def _part(tensor: torch.Tensor, gradient: torch.Tensor | None) -> torch.Tensor | None:
    """A tensor's own gradient, of its source's."""
    source = _source(tensor)
    if gradient is None or source is tensor:
        return gradient
    laid_out = torch.empty_strided(source.size(), source.stride(), dtype=gradient.dtype).copy_(gradient)
    return laid_out.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset() - source.storage_offset())
