"""Which tricks fool the judge of tests/naive_judge.py, which has no wall; and why the others that none stops do not."""

import json
import subprocess
import sys
from collections import Counter

from tests.grading import ROOT
from tests.hostile_tools import Trick, tricks, written

NO_SWITCH = ("process", "judge", "wire")
"""The walls that cannot be switched off in our judge."""

WAYS = {
    "allclose": "torch.allclose",
    "equal": "torch.equal",
    "assert_close": "torch.testing.assert_close, without the device and dtype",
    "method": "the method allclose of what was returned",
    "==": "== of the answer and the expected tuple",
    "all": "Python's all, over the numbers of both",
    "error": "no error above the limit",
    "finite": "as before, after a look for NaN",
    "relative": "an error relative to both values",
    "precision": "an error that the dtype of the answer allows",
    "late import": "a function of the grader that is imported after the submission has run",
    "raises": "torch.allclose, and what raises in it costs nothing",
    "any": "any of the tensors that were returned",
    "sums": "weights that add up to 1",
    "shape": "weights of the right shape that add up to 1",
    "gradient": "torch.autograd.grad of both",
    "hidden": "no gradient at hidden keys",
    "PyTorch": "nn.MultiheadAttention's answer",
    "again": "a second call with the same inputs",
    "status": "its exit status",
    "silence": "no complaint in its output",
    "output": "the score in its output",
    "reply": "the score in the reply of the process",
    "search": "what nobody finds: a search of its process finds it",
}
"""What it goes by."""

REASONS = {
    "end": "fails, which is wrong in any judge",
    "loop": "takes time, and forges nothing",
    "flood": "takes memory and room, and forges nothing",
    "wire": "forges what only our judge would read",
    "worker": "forges what only our judge would ask",
    "draws": "forges what only our judge would ask",
    "words": "shows in what is printed, and fails",
    "patch_isinstance": "breaks its own process, right code or not",
    "state_audit_hook": "harms whoever comes after it",
    "state_inference_mode": "harms whoever comes after it",
    "state_output_closed": "harms whoever comes after it",
    "subclass_data_ptr": "shows other memory, and compares as what it is",
    "tensor_denormal": "shows other memory, and compares as what it is",
    "tensor_conjugate": "shows other memory, and compares as what it is",
    "tensor_parameters": "forges what only our judge would ask",
    "tensor_dtype_by_mode": "forges what only our judge would ask",
    "tensor_expanded": "takes memory and room, and forges nothing",
}
"""Why one fools nothing, by its name or the first word of it."""


def reason(tried: Trick) -> str:
    """Why it fools nothing; empty for one that does, or that a wall with a switch stops."""
    if tried.FOOLS or tried.WALL not in NO_SWITCH:
        return ""
    return REASONS.get(tried.name, "") or REASONS.get(tried.name.split("_")[0], "")


def claims(tried: Trick) -> bool:
    """Whether it is to be tried on the naive judge: it says that it fools one, or stands after wrong code."""
    takes_memory = tried.name == "tensor_expanded"  # 40 GB of it
    return bool(tried.FOOLS) or (tried.BESIDE == "wrong" and tried.WALL in NO_SWITCH and not takes_memory)


def judged(tried: list[Trick]) -> dict[str, dict[str, float]]:
    """The share of its points that the naive judge gives to each, by name and way."""
    sources = {each.name: written(each).cells[0].source for each in tried}
    command = [sys.executable, "-m", "tests.naive_judge"]
    ran = subprocess.run(
        command, input=json.dumps(sources), cwd=ROOT, capture_output=True, text=True, check=True, timeout=300
    )
    return json.loads(ran.stdout)


def fooled(tried: Trick, shares: dict[str, float]) -> list[str]:
    """The ways that give it more than its code is worth; a search counts for those that our judge leaves nothing."""
    more = [way for way, share in shares.items() if way != "search" and 100 * share > tried.honest]
    return more + ["search"] * (tried.FINDS_NOTHING and shares["search"] > 0)


def by_way() -> list[tuple[str, str, int]]:
    """How many say that they fool each way."""
    count = Counter(each.FOOLS for each in tricks())
    return [(way, what, count[way]) for way, what in WAYS.items()]


def by_reason() -> list[tuple[str, str]]:
    """Of those that fool nothing: why, and which."""
    why = {each.name.replace("_", " "): reason(each) for each in tricks()}
    return [(each, ", ".join(name for name in why if why[name] == each)) for each in dict.fromkeys(REASONS.values())]
