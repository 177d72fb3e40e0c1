"""Forbidden operators are seen by whatever route they are reached, and nothing else is."""

from textwrap import dedent, indent

import pytest
import torch

from grader.sandbox import Sandbox, SandboxError
from tests.sandbox_tools import LoadedWorker

SDPA = "F.scaled_dot_product_attention"
MODULE = "nn.MultiheadAttention"
FUNCTION = "F.multi_head_attention_forward"
FLEX = "flex_attention"

SOURCE = """
import torch, torch.nn as nn, torch.nn.functional as F
from torch.nn.functional import scaled_dot_product_attention as alias, multi_head_attention_forward as forward_alias
from torch.nn.attention.flex_attention import flex_attention
BATCHED, MPS = (torch._C.DispatchKeySet(getattr(torch._C.DispatchKey, key)) for key in ("FuncTorchBatched", "MPS"))
kernel = torch.ops.aten
mha, bare = nn.MultiheadAttention(8, 2, batch_first=True), nn.MultiheadAttention(8, 2, bias=False)
layer = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)
w = mha.in_proj_weight, mha.in_proj_bias, mha.out_proj.weight, mha.out_proj.bias
class Mine(nn.MultiheadAttention): pass
mine = Mine(8, 2)

def route(q, x):
    return EXPRESSION

def hidden(q, x):
    try: route(q, x)
    except BaseException: return 1
def compared(q, x):
    with torch.no_grad(): return route(q, x)
"""

ROUTES = {
    "F.scaled_dot_product_attention(q, q, q)": SDPA,
    "alias(q, q, q)": SDPA,
    "alias(q, q, q, dropout_p=0.5)": SDPA,
    "alias(q, q, q, is_causal=True)": SDPA,
    "alias(q[0], q[0], q[0])": SDPA,
    "alias(q.double(), q.double(), q.double())": SDPA,
    "alias(q.mT, q.mT, q.mT)": SDPA,
    "getattr(F, 'scaled_dot' + '_product_attention')(q, q, q)": SDPA,
    "torch._C._nn.scaled_dot_product_attention(q, q, q)": SDPA,
    "kernel.scaled_dot_product_attention(q, q, q)": SDPA,
    "kernel.scaled_dot_product_attention.default(q, q, q)": SDPA,
    "kernel._scaled_dot_product_attention_math(q, q, q)": SDPA,
    "torch._scaled_dot_product_attention_math(q, q, q)": SDPA,
    "kernel._scaled_dot_product_flash_attention_for_cpu(q, q, q)": SDPA,
    "torch.vmap(lambda a: alias(a, a, a))(q)": SDPA,
    "torch.vmap(lambda a: torch._scaled_dot_product_attention_math(a, a, a))(q)": SDPA,
    "torch.func.grad(lambda a: alias(a, a, a).sum())(q)": SDPA,
    "kernel._scaled_dot_product_flash_attention_for_cpu_backward(*[q] * 5, q[..., 0], 0.0, False)": SDPA,
    "kernel._scaled_dot_product_attention_math.default.redispatch(BATCHED, q, q, q)": SDPA,
    "kernel._scaled_dot_product_attention_math_for_mps.default.redispatch(MPS, q, q, q)": SDPA,
    "torch.jit.trace(lambda a: alias(a, a, a), (q,), check_trace=False)(q)": SDPA,
    "mha(x, x, x)": MODULE,
    "mha(x, x, x, need_weights=False)": MODULE,
    "mha.eval()(x, x, x, need_weights=False)": MODULE,
    "bare(x, x, x)": MODULE,
    "mine(x, x, x)": MODULE,
    "nn.MultiheadAttention.forward(mha, x, x, x)": MODULE,
    "nn.MultiheadAttention(8, 2)(x, x, x)": MODULE,
    "layer(x)": MODULE,
    "layer.eval()(x)": MODULE,
    "nn.TransformerEncoder(layer, 1, enable_nested_tensor=False).eval()(x)": MODULE,
    "torch._native_multi_head_attention(x, x, x, 8, 2, *w)": MODULE,
    "kernel._native_multi_head_attention(x, x, x, 8, 2, *w)": MODULE,
    "F.multi_head_attention_forward(x, x, x, 8, 2, *w[:2], None, None, False, 0.0, *w[2:])": FUNCTION,
    "forward_alias(x, x, x, 8, 2, *w[:2], None, None, False, 0.0, *w[2:])": FUNCTION,
    "flex_attention(q, q, q)": FLEX,
    "torch.nn.attention.flex_attention.flex_attention(q, q, q)": FLEX,
}

ALLOWED = [
    "F.softmax(q, -1)",
    "torch.softmax(q @ q.mT, -1) @ q",
    "torch.bmm(q[0], q[0].mT)",
    "torch.baddbmm(torch.zeros(2, 5, 5), q[0], q[0].mT)",
    "torch.einsum('bhld,bhsd->bhls', q, q)",
    "torch.vmap(lambda a: torch.softmax(a @ a.mT, -1) @ a)(q)",
    "F.multi_head_attention_forward.__name__",
    "F.linear(x, w[2], w[3])",
]

TENSORS = torch.ones(3, 2, 5, 4), torch.ones(2, 5, 8)


def loaded(sandbox: Sandbox, expression: str, allow: tuple[str, ...] | None = ()) -> LoadedWorker:
    ready = LoadedWorker(sandbox, SOURCE.replace("EXPRESSION", expression), allow)
    assert ready.error is None
    return ready


@pytest.mark.sample(8)
@pytest.mark.parametrize("expression", ROUTES)
def test_a_forbidden_operator_raises_and_is_noted_even_where_a_try_hides_it(sandbox: Sandbox, expression: str) -> None:
    with loaded(sandbox, expression) as submission:
        for function in ("route", "compared"):
            head = submission.call(function, *TENSORS).head
            assert [ROUTES[expression]] == head["policy"]
            sentence = f"{ROUTES[expression]} is not allowed in this kata: write the attention out yourself."
            assert sentence in head["error"]["message"]
        head = submission.call("hidden", *TENSORS).head
        assert (None, 1, [ROUTES[expression]]) == (head["error"], head["value"], head["policy"])


def test_a_call_may_not_build_the_layer_and_a_comparison_while_loading_may(sandbox: Sandbox) -> None:
    with loaded(sandbox, "nn.MultiheadAttention(8, 2).in_proj_weight.sum()") as submission:
        head = submission.call("route", *TENSORS).head
        assert (None, [MODULE]) == (head["error"], head["policy"])
    with loaded(sandbox, "nn.MultiheadAttention(8, 2).in_proj_weight.sum()", ("mha",)) as submission:
        assert [] == submission.call("route", *TENSORS).head["policy"]


@pytest.mark.sample(3)
@pytest.mark.parametrize("expression", ALLOWED)
def test_what_a_submission_may_use_is_not_touched(sandbox: Sandbox, expression: str) -> None:
    with loaded(sandbox, expression) as submission:
        head = submission.call("route", *TENSORS, requires_grad=[0]).head
    assert (None, []) == (head["error"], head["policy"])


@pytest.mark.sample(3)
@pytest.mark.parametrize("allow", [("sdpa",), ("mha",), ("sdpa", "mha"), None])
@pytest.mark.parametrize("expression", ["alias(q, q, q)", "mha(x, x, x, need_weights=False)", "layer.eval()(x)"])
def test_an_allowed_word_lifts_its_own_name_and_what_that_is_made_of(
    sandbox: Sandbox, expression: str, allow: tuple[str, ...] | None
) -> None:
    may = allow is None or "mha" in allow or ("alias" in expression and "sdpa" in allow)
    with loaded(sandbox, expression, allow) as submission:
        for function in ("route", "compared"):
            assert ([] if may else [ROUTES.get(expression, MODULE)]) == submission.call(function, *TENSORS).head[
                "policy"
            ]


def test_one_policy_does_not_reach_the_next_call(sandbox: Sandbox) -> None:
    with loaded(sandbox, "alias(q, q, q) if q.sum() > 0 else q") as submission:
        assert [SDPA] == submission.call("route", *TENSORS).head["policy"]
        assert [] == submission.call("route", -TENSORS[0], TENSORS[1]).head["policy"]


def test_a_comparison_while_loading_is_refused_and_charged_to_no_call(sandbox: Sandbox) -> None:
    source = """
    import torch, torch.nn.functional as F
    F.scaled_dot_product_attention(*[torch.ones(2, 5, 8)] * 3)
    f = lambda: 7
    """
    with LoadedWorker(sandbox, source) as submission:
        assert submission.error is not None
        assert "F.scaled_dot_product_attention is not allowed" in submission.error["message"]
        head = submission.ask("call", object=None, name="f")
        assert (7, []) == (head["value"], head["policy"])


LIFTS = {
    "another library over it": """
        library = torch.library.Library("aten", "IMPL")
        library.impl("scaled_dot_product_attention", lambda *a: 1, "CompositeImplicitAutograd")
        library._destroy()
    """,
    "every library destroyed": """
        gc.unfreeze()
        for found in gc.get_objects():
            if type(found) is torch.library.Library: found._destroy()
            if type(found) is torch._C._DispatchModule: found.reset()
    """,
    "forbidden once more, with all allowed": """
        sys.modules["grader.worker.policy"].forbid(["sdpa", "mha"])
    """,
    "the kernel by its key": """
        kernel = torch.library.get_kernel("aten::_scaled_dot_product_flash_attention_for_cpu", "CPU")
        attend = lambda q: kernel.call_boxed(torch._C._dispatch_keys(q), q, q, q)
    """,
    "the module read again": """
        importlib.reload(F)
    """,
    "a function of the same code": """
        attend = lambda q: types.FunctionType(nn.MultiheadAttention.forward.__code__, vars(F))(mha, q[0], q[0], q[0])
    """,
}


@pytest.mark.parametrize("how", LIFTS)
def test_nothing_in_the_process_lifts_it(sandbox: Sandbox, how: str) -> None:
    """The use may go unnoted then, and the refusal may have another name; an answer there is none."""
    source = f"""
import gc, importlib, sys, types
import torch, torch.nn as nn, torch.nn.functional as F
mha = nn.MultiheadAttention(4, 2)
attend = lambda q: F.scaled_dot_product_attention(q, q, q)
def lifted(q, x):
    global attend
    try:
{indent(dedent(LIFTS[how]), " " * 8)}
    except Exception as problem: print(problem)
    return attend(q)
"""
    with LoadedWorker(sandbox, source) as submission:
        assert submission.error is None
        head = submission.call("lifted", *TENSORS).head
    assert head["value"] is None
    assert "RuntimeError" in head["error"]["bases"] or "TypeError" in head["error"]["bases"]


def test_nothing_is_printed_when_the_policy_is_put_in_force(sandbox: Sandbox) -> None:
    with LoadedWorker(sandbox, "") as submission:
        assert "" == submission.worker.output()


def test_an_unknown_word_is_the_graders_fault(sandbox: Sandbox) -> None:
    with (
        LoadedWorker(sandbox, "") as submission,
        pytest.raises(SandboxError, match=r"allow takes sdpa and mha, not \['sdp'\]"),
    ):
        submission.ask("forbid", allow=["sdp"])
