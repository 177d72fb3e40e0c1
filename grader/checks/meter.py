"""A memory meter: the code below is copied into the stub and the notebook, and loaded before a submission."""

import weakref
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Meter(TorchDispatchMode):
    """Counts the bytes of tensors made inside it: `with Meter() as meter: ...`, then `meter.peak_bytes`.

    It begins at 0, and sees every operator of PyTorch. A storage counts from the operator that makes it until
    it is freed, and once, however many tensors look into it. What was there before never counts.

    Attributes:
        peak_bytes: The most bytes that were alive at once.
        alive_bytes: Those that are alive now.
    """

    def __init__(self) -> None:
        super().__init__()
        self.peak_bytes = self.alive_bytes = 0
        self._known: set[int] = set()

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Runs an operator: storages that are in its answer and were in none before are new."""
        for storage in _storages((args, kwargs)):
            self._meet(storage, 0)
        made = func(*args, **(kwargs or {}))
        for storage in _storages(made):
            self._meet(storage, storage.nbytes())
        return made

    def _meet(self, storage: torch.UntypedStorage, size: int) -> None:
        if storage._cdata not in self._known:
            self._known.add(storage._cdata)
            self.alive_bytes += size
            self.peak_bytes = max(self.peak_bytes, self.alive_bytes)
            weakref.finalize(storage, self._free, storage._cdata, size)

    def _free(self, place: int, size: int) -> None:
        self._known.remove(place)
        self.alive_bytes -= size

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # otherwise the first use imports torch's compiler, which takes long and is not needed


def _storages(value: Any) -> list[torch.UntypedStorage]:
    if isinstance(value, torch.Tensor):
        return [value.untyped_storage()]
    parts = value.values() if isinstance(value, dict) else value if isinstance(value, (tuple, list)) else ()
    return [storage for part in parts for storage in _storages(part)]
