"""Which operators a call used, and how many bytes of tensors it held: identical from run to run."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves


class Watch(TorchDispatchMode):
    """Counts the storages that operators make, until each is freed.

    Sees what operators return, not a kernel's own scratch memory, and a submission can switch it off:
    it explains, it does not prove.
    """

    def __init__(self) -> None:
        super().__init__()
        self.operators: set[str] = set()
        self.held = 0
        """Bytes alive now, of those made inside the block."""
        self.peak = 0
        self._known: set[int] = set()

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # The default wraps __torch_dispatch__ so that its first use imports torch._dynamo: 0.6 s in every fork.
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        for storage in _storages((args, kwargs)):
            self._count(storage, 0)  # it was there before: an input or a weight, of which views may be taken
        result = func(*args, **(kwargs or {}))
        self.operators.add(func._schema.name)
        for storage in _storages(result):
            self._count(storage, storage.nbytes())
        return result

    def _count(self, storage: torch.UntypedStorage, size: int) -> None:
        key = storage._cdata
        if key in self._known:
            return
        self._known.add(key)
        self.held += size
        self.peak = max(self.peak, self.held)
        weakref.finalize(storage, self._free, key, size)

    def _free(self, key: int, size: int) -> None:
        self._known.discard(key)
        self.held -= size


def _storages(values: Any) -> list[torch.UntypedStorage]:
    tensors = [leaf for leaf in tree_leaves(values) if isinstance(leaf, torch.Tensor)]
    return [tensor.untyped_storage() for tensor in tensors if tensor.layout == torch.strided]
