"""Where the system refuses the sandbox layers: grading goes on, and every report says that nothing was isolated."""

import ctypes
import json
import platform
import re
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from grader.worker import confine, seccomp
from tests.grading import ROOT, solution

pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or platform.machine() not in seccomp.MACHINES,
    reason="a filter stands in for a system that refuses the layers",
)

KATA = "scaled_dot_product"
LANDLOCK = (444, 445, 446)


def refuse_layers(*layers: str) -> None:
    """From here on, and in every program that is run: no seccomp filter or no Landlock, as some containers have it."""
    numbers = {"seccomp": (seccomp.MACHINES[platform.machine()].seccomp,), "landlock": LANDLOCK}
    refused = [number for layer in layers for number in numbers[layer]]
    code = [seccomp._step(seccomp.LOAD, seccomp.NUMBER_AT)]
    for number in refused:
        code += [seccomp._step(seccomp.EQUAL, number, no=1), seccomp._step(seccomp.RETURN, seccomp.REFUSE)]
    program = b"".join([*code, seccomp._step(seccomp.RETURN, seccomp.ALLOW)])
    buffer = ctypes.create_string_buffer(program, len(program))
    fprog = struct.pack("HxxxxxxQ", len(program) // 8, ctypes.addressof(buffer))
    assert confine.prctl(confine.PR_SET_NO_NEW_PRIVS, 1)
    number = ctypes.c_long(seccomp.MACHINES[platform.machine()].seccomp)
    assert 0 == ctypes.CDLL(None, use_errno=True).syscall(number, seccomp.SET_MODE_FILTER, 0, ctypes.c_char_p(fprog))


def run(*arguments: str, without: tuple[str, ...] = ("seccomp", "landlock")) -> subprocess.CompletedProcess[str]:
    """The grader where the sandbox layers are refused."""
    refuse = f"import os, sys, tests.test_no_sandbox_layers as t; t.refuse_layers(*{without})"
    program = f"{refuse}; os.execv(sys.argv[1], sys.argv[1:])"
    words = [sys.executable, "-c", program, sys.executable, "-m", "grader", *arguments]
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.slow
def test_grading_goes_on_and_the_reports_say_it(tmp_path: Path) -> None:
    done = run("grade", "solutions/scaled_dot_product.py", "--seed", "1", "--json", str(tmp_path / "report.json"))
    assert (0, "") == (done.returncode, done.stderr)
    last = ["protections on: process, limits, privileges; off: landlock, seccomp"]
    last += ["not isolated: run only code that you trust", "score 100 of 100, 8 of 8 tiers passed"]
    assert last == done.stdout.splitlines()[-3:]
    report = json.loads((tmp_path / "report.json").read_text())
    assert (100, False) == (report["score"], report["isolated"])
    assert {"landlock", "seccomp"} == {name for name, on in report["protections"].items() if not on}


@pytest.mark.deep
def test_the_doctor_says_it() -> None:
    done = run("doctor")
    assert 1 == done.returncode
    assert "  off  seccomp " in done.stdout
    assert "  off  landlock " in done.stdout
    assert done.stdout.endswith("  not isolated: run only code that you trust\n")
    text = " ".join(done.stdout.split())
    for off in (text.index(" off landlock "), text.index(" off seccomp ")):
        assert "alone it refuses" not in text[off:]
    assert "a fence in Python refuses: open a file, write a file, list a folder, " in text
    assert "; code below Python passes it tried in a locked worker: " in text
    refused, fenced = re.findall(r"(\d+) of 20 things were refused, (\d+) more by the fence in Python alone", text)[0]
    assert (True, 19) == (int(refused) < 7, int(refused) + int(fenced))


@pytest.mark.slow
def test_without_landlock_alone_the_filter_refuses_all_that_is_tried() -> None:
    done = run("doctor", without=("landlock",))
    assert 1 == done.returncode
    assert "  off  landlock " in done.stdout
    assert "fence" not in done.stdout
    assert done.stdout.endswith("20 of 20 things were refused\n  not isolated: run only code that you trust\n")


@pytest.mark.deep
def test_nothing_is_graded_where_the_layers_are_required() -> None:
    done = run("grade", "solutions/scaled_dot_product.py", "--require-isolation")
    assert 2 == done.returncode
    assert done.stderr.startswith("Not graded: not enforced on this machine: landlock, seccomp. ")


FENCED = """
import os, socket, subprocess, torch
from solution import *
def tried(act):
    try: act()
    except Exception as problem: return problem
for act in (lambda: open("{file}"), lambda: os.remove("{file}"), socket.socket, os.fork, lambda: os.system("true"),
            lambda: subprocess.run(["true"]), lambda: os.kill(os.getppid(), 0), lambda: os.listdir("/")):
    print(repr(tried(act)))
print(torch.from_file("/etc/passwd", size=1, dtype=torch.uint8).numel(), "byte: no layer")
"""


@pytest.mark.deep
def test_a_fence_stands_in_python_and_passes_for_no_layer(tmp_path: Path) -> None:
    (tmp_path / "kept.txt").write_text("x")
    source = FENCED.replace("{file}", str(tmp_path / "kept.txt")).replace("from solution import *", solution(KATA))
    (tmp_path / "candidate.py").write_text(source)
    done = run("grade", str(tmp_path / "candidate.py"), "--kata", KATA, "--show-output")
    assert 0 == done.returncode, done.stdout
    assert ["  | PermissionError(1, 'Operation not permitted')"] * 8 + ["  | 1 byte: no layer"] == (
        done.stdout.splitlines()[-9:]
    )
    assert "not isolated: run only code that you trust\n" in done.stdout
    assert (tmp_path / "kept.txt").exists()
