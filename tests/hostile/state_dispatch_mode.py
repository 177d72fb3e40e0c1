"""Enters a TorchDispatchMode for ever, which sees each operator of whoever runs in its process."""

BESIDE = "wrong"
WALL = "process"

from torch.utils._python_dispatch import TorchDispatchMode

seen = []


class Spy(TorchDispatchMode):
    @classmethod
    def _should_skip_dynamo(cls):
        return False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        seen.append(function)
        return function(*args, **(kwargs or {}))


Spy().__enter__()
torch.ones(1) + 1
print("GOT", len(seen), "operators")
