"""Which matrices a call multiplied: shows the weights of a function that draws its own."""

from __future__ import annotations

from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from grader.worker.naming import tensor_problem

OPERANDS = {"aten::mm": (0, 1), "aten::bmm": (0, 1), "aten::addmm": (1, 2), "aten::baddbmm": (1, 2)}
"""Where the two factors stand among the arguments; linear, matmul and einsum arrive as one of these."""
MOST = 100
SENT = frozenset({"float64", "float32", "float16", "bfloat16"})
"""Dtypes of weights; complex and sparse factors cannot be sent, and say nothing of them."""


class Capture(TorchDispatchMode):
    """Keeps the factors of the first matrix products. It explains, it does not prove: only values count."""

    def __init__(self) -> None:
        super().__init__()
        self.products: list[tuple[torch.Tensor, torch.Tensor]] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # The default wraps __torch_dispatch__ so that its first use imports torch._dynamo: 0.6 s in every fork.
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        places = OPERANDS.get(func._schema.name)
        if places is not None and len(self.products) < MOST:
            left, right = (args[place].detach() for place in places)
            if tensor_problem(left, SENT, rank=3) is None is tensor_problem(right, SENT, rank=3):
                self.products.append((left.clone(), right.clone()))
        return func(*args, **(kwargs or {}))
