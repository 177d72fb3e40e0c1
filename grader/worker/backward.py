"""Gradients for a given cotangent, by autograd."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

import torch

from grader.worker.objects import source


def gradients(
    output: torch.Tensor, cotangent: torch.Tensor, wanted: Sequence[torch.Tensor]
) -> list[torch.Tensor | None]:
    """The gradients of the wanted tensors; None for one that requires none or that the output does not depend on.

    Args:
        output: a tensor with a graph, which is kept.
        cotangent: a tensor of the output's shape.
        wanted: inputs and parameters; a view of a parameter gets the same view of the parameter's gradient.
    """
    sources = {id(whole): whole for whole in map(source, wanted) if whole.requires_grad}
    seen = {name: list[torch.Tensor]() for name in sources}
    with ExitStack() as hooks:
        for name, whole in sources.items():
            whole.retain_grad()  # a leaf keeps its own anyway
            whole.grad = None
            # A hook of the submission may free it at once, as an optimizer in the backward pass does.
            kept = seen[name]
            hooks.enter_context(whole.register_hook(lambda gradient, kept=kept: kept.append(gradient.clone())))
        # One scalar, no gradient given: that path imports sympy (0.3 s in every fork). 1 * cotangent is exact.
        # Not autograd.grad, which a checkpoint with use_reentrant=True refuses: a training loop calls backward.
        (output * cotangent.to(output.device)).sum().backward(retain_graph=True)
    by_source = {name: _kept(whole, seen[name]) for name, whole in sources.items()}
    for whole in sources.values():
        whole.grad = None
    return [_part(tensor, by_source.get(id(source(tensor)))) for tensor in wanted]


def _kept(whole: torch.Tensor, seen: Sequence[torch.Tensor]) -> torch.Tensor | None:
    gradient = whole.grad
    if gradient is None and seen:
        gradient = torch.stack([part.to_dense() for part in seen]).sum(0)  # a checkpoint brings it in parts
    return None if gradient is None else gradient.to_dense().detach()


def _part(tensor: torch.Tensor, gradient: torch.Tensor | None) -> torch.Tensor | None:
    """A tensor's own gradient, taken from the gradient of the parameter that it is a view of."""
    whole = source(tensor)
    if gradient is None or whole is tensor:
        return gradient
    laid_out = torch.empty_strided(whole.size(), whole.stride(), dtype=gradient.dtype).copy_(gradient)
    return laid_out.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset() - whole.storage_offset())
