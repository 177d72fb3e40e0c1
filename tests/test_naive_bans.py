"""What is written against a ban on operators evades one as graders have them, where plain use of the operator does not.

That our ban refuses it (tests/test_hostile.py) proves nothing where any ban would have refused it.
"""

import json
import subprocess
import sys

import pytest

from tests.grading import ROOT
from tests.hostile_tools import tricks, written
from tests.naive_bans import BANS

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="it forks once torch is imported")

USE = """
import torch.nn.functional as F
def scaled_dot_product_attention(q, k, v, mask=None):
    return F.scaled_dot_product_attention(q, k, v), q @ k.mT
"""
EVADERS = [each for each in tricks() if each.EVADES]


def test_each_evades_the_ban_that_it_says_and_plain_use_none() -> None:
    asked = [[USE, ban] for ban in BANS] + [[written(each).cells[0].source, each.EVADES] for each in EVADERS]
    command = [sys.executable, "-m", "tests.naive_bans"]
    ran = subprocess.run(
        command, input=json.dumps(asked), cwd=ROOT, capture_output=True, text=True, check=True, timeout=120
    )
    names = [f"plain use under {ban}" for ban in BANS] + [each.name for each in EVADERS]
    expected = [False] * len(BANS) + [True] * len(EVADERS)
    assert dict(zip(names, expected, strict=True)) == dict(zip(names, json.loads(ran.stdout), strict=True))


def test_each_way_to_switch_a_ban_off_is_tried() -> None:
    assert set(BANS) == {each.EVADES for each in EVADERS}
