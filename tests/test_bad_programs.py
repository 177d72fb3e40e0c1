"""Programs of another form than the contract asks for: what they are told, and that they earn nothing by it."""

import pytest

from grader.judge import Options
from grader.records import CheckResult, Outcome
from tests.grading import first_failure, graded, points_of_attention, result, solution, submission, summary
from tests.mistakes import Change, edited

DEF, INIT = "    def forward(", "        super().__init__()\n"
MADE = "MultiHeadAttention(30, 3)"
CALLED = "forward((2, 5, 30), need_weights=True)"
NORM = "nn.utils.parametrizations.weight_norm"
OLD_NORM = "nn.utils.weight_norm"


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("kata", "change", "verdict", "what", "expected", "got"),
    [
        ("scaffold", (DEF, f"    async{DEF[3:]}"), "fail", "what is returned", "a tuple (y, weights)",
            "a coroutine: an async function that nobody awaited"),
        ("scaffold", ("return y,", "yield y,"), "fail", "what is returned", "a tuple (y, weights)",
            "a generator, as yield or (... for ... in ...) makes: it holds no values yet"),
        ("scaffold", ("return y,", "y,"), "fail", "what is returned", "a tuple (y, weights)",
            "None, as where return is missing"),
        ("scaffold", (INIT, f"{INIT}        return\n"), "fail", "q_proj.weight", "a parameter of shape (30, 30)",
            "no parameter of that name"),
        ("scaffold", (INIT, ""), "error", "MultiHeadAttention(AttentionConfig(30, 3, 0.0, True))", "an answer",
            "raised AttributeError: cannot assign module before Module.__init__() call"),
        ("scaffold", ("(nn.Module)", ""), "fail", "MultiHeadAttention", "an nn.Module, which has train and eval mode",
            "a class without them"),
        ("scaffold", ("        self.dropout =", "        self.k_proj = nn.Linear(8, 8)\n        self.dropout ="),
            "fail", "k_proj.weight", "a parameter of shape (30, 30)", "shape (8, 8)"),
        ("scaffold", ("        self.dropout =", f"        {NORM}(self.k_proj)\n        self.dropout ="), "fail",
            "k_proj.weight", "a parameter of shape (30, 30)",
            "a parameter that is computed at each access, and cannot be set"),
        ("scaffold", ("        self.dropout =", f"        {OLD_NORM}(self.k_proj)\n        self.dropout ="), "fail",
            "k_proj.weight", "a parameter of shape (30, 30)", "a tensor that is no parameter of its layer"),
        ("scaffold", (DEF, f"    @classmethod\n{DEF}"), "error", CALLED, "an answer",
            "raised AttributeError: type object 'MultiHeadAttention' has no attribute 'q_proj'"),
        ("plain_class", ("        if d_model %", "        return\n        if d_model %"), "fail", "W_q.weight",
            "a parameter of shape (30, 30)", "no parameter of that name"),
        ("plain_class", ("class MultiHeadAttention:", "class MultiHeadAttention(nn.Module):"), "error", MADE,
            "an answer", "raised AttributeError: cannot assign module before Module.__init__() call"),
        ("functional", ("def multi_head_attention(", "multi_head_attention = nn.Identity()\n\n\ndef other("), "error",
            "multi_head_attention((2, 4, 30), (2, 4, 30), (2, 4, 30), 3, 30)", "an answer",
            "raised TypeError: Identity.forward() takes 2 positional arguments but 6 were given"),
    ],
)  # fmt: skip
def test_a_program_of_another_form(kata: str, change: Change, verdict: str, what: str, expected: str, got: str) -> None:
    report = graded(kata, edited(kata, (change,)))
    check = first_failure(report)
    assert (verdict, what, expected, got) == (check.verdict, check.what, check.expected, check.got)
    assert 0 == points_of_attention(report)


@pytest.mark.sample(6)
@pytest.mark.parametrize(
    ("kata", "change", "message"),
    [
        ("scaffold", (DEF, "    def attend("), "candidate.py defines no method MultiHeadAttention.forward."),
        ("plain_class", (DEF, "    def __call__("), "candidate.py defines no method MultiHeadAttention.forward."),
        ("scaffold", ("        x: Tensor,\n", "        x: Tensor,\n        more: Tensor,\n"),
            "MultiHeadAttention.forward has the parameter `more` with no default, which the contract does not have"),
        ("scaffold", (DEF, f"    @property\n{DEF}"),
            "MultiHeadAttention.forward is of type property; the kata needs a method of that name."),
        ("plain_class", ("(self, Q: Tensor,", "(self, *, Q: Tensor,"),
            "MultiHeadAttention.forward has the signature (*, Q, K, V); expected (Q, K, V)"),
        ("functional", ("mask: Tensor | None = None\n", "mask: Tensor\n"),
            "multi_head_attention has no default for parameter `mask=None`"),
        ("functional", ("def multi_head_attention(", "multi_head_attention = 7\n\n\ndef other("),
            "multi_head_attention is of type int; the kata needs a function of that name."),
        ("functional", ("def multi_head_attention(", "class multi_head_attention:\n    pass\n\n\ndef other("),
            "multi_head_attention is a class; the kata needs a function of that name."),
    ],
)  # fmt: skip
def test_a_program_that_cannot_be_called_as_the_contract_says(kata: str, change: Change, message: str) -> None:
    report = graded(kata, edited(kata, (change,)))
    assert (Outcome.UNLOADABLE, message, 0) == (report.outcome, report.message, report.score)


@pytest.mark.slow
def test_arguments_that_may_be_given_by_keyword_alone_may_also_be_positional() -> None:
    report = graded("scaffold", edited("scaffold", (("        *,\n", ""),)))
    assert 100 == report.score, summary(report)


REFUSED = {
    "a thread": (
        "return ThreadPoolExecutor(1).submit(right, *given).result()",
        "raised RuntimeError: can't start new thread; threads are refused here: the kata needs none",
    ),
    "a file": (
        "return open('kept.txt', 'w') and right(*given)",
        "raised PermissionError: [Errno 1] Operation not permitted: 'kept.txt'; "
        "files, network, processes and threads are refused here: the kata needs none",
    ),
    "a temporary file": (
        "return tempfile.gettempdir() and right(*given)",
        "raised FileNotFoundError: [Errno 2] No usable temporary directory found in "
        "['/tmp', '/var/tmp', '/usr/tmp', '/']; "
        "files, network, processes and threads are refused here: the kata needs none",
    ),
    "a seed of the system's": (
        "return torch.seed() and right(*given)",
        "raised RuntimeError: Unable to open /dev/urandom; "
        "files, network, processes and threads are refused here: the kata needs none",
    ),
    "a module that is read too late": (
        "return multiprocessing.Process(target=print).start()",
        "raised ModuleNotFoundError: No module named 'multiprocessing.popen_fork'; "
        "it could not be imported inside the sandbox: the kata needs PyTorch alone",
    ),
    "a module of Python itself that is read too late": (
        "return cProfile.run('1') or right(*given)",
        "raised ModuleNotFoundError: No module named 'pstats'; "
        "it could not be imported inside the sandbox: the kata needs PyTorch alone",
    ),
    "a class that psutil raises": (
        "raise AccessDenied('pid=3')",
        "raised AccessDenied: pid=3; files, network, processes and threads are refused here: the kata needs none",
    ),
    "a compiler that is not there": (
        "return sys.modules['torch._dynamo'].trace_rules",
        "raised AttributeError: torch._dynamo.trace_rules is not there: nothing is compiled here, and the kata needs "
        "none of it",
    ),
    "a word of its own on what is missing": (
        "raise ModuleNotFoundError('install the extra [fast]')",
        "raised ModuleNotFoundError: install the extra [fast]",
    ),
}
WRAPPED = """
import cProfile, multiprocessing, sys, tempfile
class AccessDenied(Exception): pass
from concurrent.futures import ThreadPoolExecutor
right = scaled_dot_product_attention
def scaled_dot_product_attention(q, k, v, mask=None):
    given = q, k, v, mask
"""


@pytest.mark.sample(6)
@pytest.mark.parametrize("situation", REFUSED)
def test_right_code_that_asks_for_what_is_refused_is_told_that_the_kata_needs_it_not(situation: str) -> None:
    line, got = REFUSED[situation]
    source = f"{solution('scaled_dot_product')}{WRAPPED}    {line}\n"
    report = graded("scaled_dot_product", submission(source), Options(seed=3, tiers=("shapes",)))
    assert ("error", got) == (str(first_failure(report).verdict), first_failure(report).got)


def test_a_scratch_cell_is_told_so_too() -> None:
    source = solution("scaled_dot_product") + "import threading\nthreading.Thread(target=print).start()\n"
    (note,) = graded("scaled_dot_product", submission(source), Options(seed=3, tiers=("shapes",))).notes
    assert "can't start new thread; threads are refused here: the kata needs none (candidate.py:" in note


@pytest.mark.slow
def test_all_defaults_that_are_not_the_contracts_are_told_together() -> None:
    header = ("dropout: float = 0.0, bias: bool = True", "dropout: float = 0.1, bias: bool = False")
    switch = ("return_attention: bool = True", "return_attention: bool = False")
    results = {
        check.name: check
        for tier in graded("module", edited("module", (header, switch))).tiers
        for check in tier.checks
    }
    check = results["defaults_are_the_contracts"]
    assert ("fail", "dropout, bias and return_attention") == (check.verdict, check.what)
    assert "0.0, True and True by default" == check.expected
    assert "more than 0, False and False by default" == check.got
    assert ["defaults_are_the_contracts"] == [name for name, each in results.items() if each.verdict != "pass"]


def verdict_of(kata: str, name: str, *changes: Change) -> CheckResult:
    return result(graded(kata, edited(kata, changes)), name)


@pytest.mark.slow
def test_what_is_not_said_is_named_too() -> None:
    check = verdict_of("module", "extra_repr_names_the_sizes", ("    def extra_repr", "    def another_repr"))
    assert ("d_model=18", "an empty string") == (check.expected, check.got)


@pytest.mark.slow
def test_a_nan_of_fully_masked_rows_costs_no_point_of_dropout() -> None:
    softmax = "torch.softmax(scores, dim=-1).masked_fill(hidden, 0.0)", "torch.softmax(scores, dim=-1)"
    assert "pass" == verdict_of("fused_qkv", "dropout_falls_on_the_weights[1]", softmax).verdict


@pytest.mark.slow
def test_the_weights_expected_are_those_that_would_give_the_output() -> None:
    values = "v = self._split_heads(self.v_proj(kv))", "v = self._split_heads(self.k_proj(kv))"
    check = verdict_of("scaffold", "weights_made_the_output", values)
    assert "weights that the output is made of (expected: those returned)" == check.what
