"""Gradients of a layer that holds its weights, or uses up its gradients, in ways of its own."""

import pytest
import torch

from tests.grading import sandbox
from tests.sandbox_tools import LoadedWorker


@pytest.mark.slow
def test_gradients_of_what_is_cut_from_a_parameter_or_freed_at_once() -> None:
    source = """
    import torch
    class Cut(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.flat = torch.nn.Parameter(torch.arange(8.0).view(4, 2).T)
            self.flat.register_post_accumulate_grad_hook(lambda flat: setattr(flat, "grad", None))
        last = property(lambda self: self.flat[:, 1:].T)
        def forward(self, x):
            return x * self.last + torch.utils.checkpoint.checkpoint(lambda y: y * self.last, x, use_reentrant=True)
    """
    x = torch.arange(6.0).view(3, 2)
    with LoadedWorker(sandbox(), source) as cut:
        cut.ask("construct", object=1, name="Cut")
        for _ in range(2):
            given = {"object": 1, "requires_grad": [0], "paths": ["last", "flat"]}
            reply = cut.differentiated("forward", x, cotangent=torch.ones(3, 2), **given)
            assert [["last", True], ["flat", True]] == reply.head["gradients"]["parameters"]
            assert (2 * x).tolist() == reply.tensors[2].tolist()
            assert [[0.0, 0.0], *(2 * x).tolist()] == reply.tensors[3].T.tolist()
