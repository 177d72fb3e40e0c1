"""Every attack is harmless where it succeeds: what it does has an end, and reaches nobody else.

What it opens and takes is told from its own process, behind no layer of the kernel, by a probe that stands after it.
"""

import ast
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest

from grader.sandbox import Sandbox
from tests.attack_tools import FOLDER, IS_ROOT, KERNEL_LAYERS, LIMITS, Attack, attack, attacks, loaded, new_surroundings

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="/proc tells it")

LOOPBACK = {"127.0.0.1", "::ffff:7f00:1"}
ADDRESSES = """
import contextlib
import ipaddress
import os
import sys

own = set()
for descriptor in range(4, 64):
    with contextlib.suppress(OSError):
        own.add(str(os.fstat(descriptor).st_ino))
found = []
for table in ("tcp", "tcp6", "udp", "udp6"):
    with open(f"/proc/self/net/{table}") as file:
        lines = [line.split() for line in file][1:]
    for line in lines:
        packed = bytes.fromhex(line[1].partition(":")[0])
        words = [packed[at : at + 4][:: -1 if sys.byteorder == "little" else 1] for at in range(0, len(packed), 4)]
        if line[9] in own:
            found.append(str(ipaddress.ip_address(b"".join(words))))
print("GOT", *found)
"""
MEMORY = """
x = torch.ones(1, 2, 2)
for _ in range(4):
    scaled_dot_product_attention(x, x, x)
with open("/proc/self/status") as file:
    print("GOT", *(int(line.split()[1]) >> 10 for line in file if line.startswith("VmSize")))
"""
CHILDREN = """
import os

ended = 0
try:
    while os.wait():
        ended += 1
except ChildProcessError:
    print("GOT", ended)
"""
SENDS = {"kill", "killpg", "pthread_kill", "raise_signal", "pidfd_send_signal"}
SENDS_BY_NUMBER = {f"ctypes.c_long({number})" for number in (62, 200, 234)}  # kill, tkill, tgkill
MOST_MIB = 1024
"""More than this no attack takes, where nothing limits it."""


@pytest.fixture(scope="module")
def box() -> Iterator[Sandbox]:
    with Sandbox(LIMITS) as started:
        yield started


def probed(tried: Attack, probe: str, box: Sandbox) -> list[str]:
    """What the probe says after the attack."""
    quiet = replace(tried, source=tried.source.replace("GOT", "got") + probe)
    with new_surroundings() as around:
        got, problem = loaded(quiet, box, around, KERNEL_LAYERS)
    assert got is not None, problem
    return got.split()


def test_none_loops_without_end() -> None:
    endless = [
        str(path.relative_to(FOLDER))
        for path in FOLDER.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
    ]
    assert [] == endless


def signals(tree: ast.AST) -> list[str]:
    """The last argument of each call that sends a signal: by Python, or by its number of x86_64."""
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    by_number = [call for call in calls if call.args and ast.unparse(call.args[0]) in SENDS_BY_NUMBER]
    return [ast.unparse(call.args[-1]) for call in calls if call.func.attr in SENDS or call in by_number]


def test_every_signal_is_0_which_does_nothing() -> None:
    sent = {path.stem: signals(ast.parse(path.read_text(encoding="utf-8"))) for path in FOLDER.rglob("*.py")}
    assert {"0"} == {number for numbers in sent.values() for number in numbers}
    assert "signal_judge" in filter(sent.get, sent)


@pytest.mark.slow
@pytest.mark.sample(2)
@pytest.mark.parametrize("name", [each.name for each in attacks() if each.name.startswith("net_")])
def test_sockets_are_on_loopback_alone(box: Sandbox, name: str) -> None:
    assert set(probed(attack(name), ADDRESSES, box)) <= LOOPBACK


@pytest.mark.parametrize("name", [each.name for each in attacks() if each.LAYER == "limits"])
def test_memory_is_taken_under_a_cap(box: Sandbox, name: str) -> None:
    (before,) = probed(attack("control_right"), MEMORY, box)
    (after,) = probed(attack(name), MEMORY, box)
    assert int(after) - int(before) < MOST_MIB


PROCESSES = [each for each in attacks() if each.name.startswith("process_") and (IS_ROOT or not each.AS_ROOT)]
FORKING = [each.name for each in PROCESSES if "os.exec" not in each.source]


@pytest.mark.sample(3)
@pytest.mark.parametrize("name", FORKING)
def test_there_are_at_most_30_forks_and_they_end_by_themselves(box: Sandbox, name: str) -> None:
    (ended,) = probed(attack(name), CHILDREN, box)
    assert int(ended) <= 30
