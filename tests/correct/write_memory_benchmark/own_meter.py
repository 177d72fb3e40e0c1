"""A meter of its own, which sums the storages that are alive after each operator; correlation times deviations."""

import gc
import math
import statistics
import weakref

import torch
from torch.utils._python_dispatch import TorchDispatchMode


class Alive(TorchDispatchMode):
    def __init__(self, *given):
        super().__init__()
        self.sizes, self.peak = {}, 0
        self.before = {tensor.untyped_storage()._cdata for tensor in given}

    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        before = {t.untyped_storage()._cdata for t in torch.utils._pytree.tree_leaves(args) if torch.is_tensor(t)}
        self.before |= before - self.sizes.keys()
        made = func(*args, **(kwargs or {}))
        for tensor in torch.utils._pytree.tree_leaves(made):
            if torch.is_tensor(tensor):
                storage = tensor.untyped_storage()
                key = storage._cdata
                if key not in self.before and key not in self.sizes:
                    self.sizes[key] = storage.nbytes()
                    weakref.finalize(storage, self.sizes.pop, key)
        self.peak = max(self.peak, sum(self.sizes.values()))
        return made


def attention_memory(attention, lengths):
    table = []
    for length in sorted(set(lengths)):
        q, k, v = (torch.full((1, 1, length, 64), 0.5) for _ in range(3))
        gc.collect()
        with torch.no_grad(), Alive(q, k, v) as alive:
            attention(q, k, v)
        table.append((length, alive.peak))
    return table


def growth_exponent(rows):
    x = [math.log(length) for length, _ in rows]
    y = [math.log(size) for _, size in rows]
    if len(set(y)) == 1:
        return 0.0
    return statistics.correlation(x, y) * statistics.stdev(y) / statistics.stdev(x)
