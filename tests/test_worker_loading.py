"""Loading a submission in the worker: what its cells define and raise, and what of them lasts."""

import pytest
import torch

from grader.sandbox import Sandbox
from tests.sandbox_tools import LoadedWorker

DECORATED = """
import functools

def logged(function):
    @functools.wraps(function)
    def wrapper(*args, **kwargs):
        return function(*args, **kwargs)
    return wrapper

def with_masks(function):
    @functools.wraps(function)
    def wrapper(self, x, kv=None, **masks):
        return function(self, x, x if kv is None else kv, **masks)
    return wrapper

class Attention:
    @logged
    def split(self, x):
        return x
    @with_masks
    def forward(self, x, kv, *, mask=None):
        return x
"""


@pytest.mark.slow
def test_a_decorated_method_has_the_signature_of_its_decorator(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, DECORATED) as loaded:
        definitions = loaded.ask("names", names=["Attention.split", "Attention.forward"])["definitions"]
    by_position, by_keyword = ["args", "VAR_POSITIONAL", None], ["kwargs", "VAR_KEYWORD", None]
    assert [by_position, by_keyword] == definitions["Attention.split"]["signature"]
    assert ["x", "kv", "masks"] == [name for name, _, _ in definitions["Attention.forward"]["signature"]]


@pytest.mark.slow
def test_main_demos_sleep_and_jupyter_names_are_harmless(sandbox: Sandbox) -> None:
    source = """
    if __name__ == "__main__": raise SystemExit
    get_ipython().run_line_magic("matplotlib", "inline")
    display(3)
    """
    with LoadedWorker(sandbox, source) as loaded:
        assert loaded.error is None


def test_a_later_cell_runs_after_one_that_raised(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox) as loaded:
        first = loaded.ask("load", source="a = 1\nb = c\n", filename="cell 1", cell=1)["error"]
        second = loaded.ask("load", source="def f(): return a", filename="cell 2", cell=2)["error"]
        assert "NameError" == first["type"]
        assert [{"file": "cell 1", "line": 2, "function": "<module>", "text": "b = c"}] == first["frames"]
        assert second is None
        assert 1 == loaded.call("f").head["value"]


def test_a_syntax_error_has_its_line(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, "x = 1\ny = = 2\n") as loaded:
        assert "SyntaxError" == loaded.error["type"]
        assert "(candidate.py, line 2)" in loaded.error["message"]


def test_a_library_that_is_not_installed_is_named(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, "import einops_not_here.layers") as loaded:
        error = ("ModuleNotFoundError", "No module named 'einops_not_here'")
        assert error == (loaded.error["type"], loaded.error["message"])


UNNAMED = """
class M(type):
    @property
    def __name__(self): raise KeyError
    __mro__ = __name__
"""


@pytest.mark.parametrize(
    ("source", "kind"),
    [
        ("def f(): return f()", "RecursionError"),
        ("def f(): raise KeyboardInterrupt", "KeyboardInterrupt"),
        ("class E(Exception):\n    def __str__(self): raise SystemExit\ndef f(): raise E", "E"),
        ("class E(Exception):\n    def __str__(self): return '\\ud800' * 9999\ndef f(): raise E", "E"),
        (f"{UNNAMED}class E(Exception, metaclass=M): pass\ndef f(): raise E('x')", "E"),
    ],
)
def test_whatever_is_raised_is_told(sandbox: Sandbox, source: str, kind: str) -> None:
    with LoadedWorker(sandbox) as loaded:
        loaded.ask("load", source=source, filename="c.py", cell=None)
        error = loaded.call("f").head["error"]
        assert kind == error["type"]
        assert 0 < len(error["message"]) + (kind == "KeyboardInterrupt") <= 2000
        assert 1 <= len(error["frames"]) <= 20


@pytest.mark.slow
def test_settings_of_a_scratch_cell_do_not_last(sandbox: Sandbox) -> None:
    source = """
    import torch
    torch.set_default_dtype(torch.float64); torch.set_grad_enabled(False); torch.use_deterministic_algorithms(True)
    torch.set_default_device("meta"); torch.manual_seed = None
    def f(): return torch.ones(1), torch.is_grad_enabled(), torch.are_deterministic_algorithms_enabled()
    def draw(): return torch.rand(3)
    """
    with LoadedWorker(sandbox, source) as loaded:
        reply = loaded.call("f")
        assert {"$tuple": [{"$tensor": 0}, False, False]} == reply.head[
            "value"
        ]  # a call without gradients has no graph
        assert torch.float32 == reply.tensors[0].dtype
        torch.manual_seed(3)
        assert torch.equal(torch.rand(3), loaded.call("draw", seed=3).tensors[0])
