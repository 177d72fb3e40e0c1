"""make doctor: where all is enforced, where a sandbox layer is missing, and where something gets through."""

import io
import sys

import pytest

from grader.cli import doctor
from grader.cli.doctor import REPAIRS, Findings, describe, run_doctor
from grader.formats.lines import plain
from grader.formats.text import NOT_ISOLATED
from grader.sandbox import SANDBOX_LAYERS, Sandbox


def findings(missing: str | None = None, through: tuple[str, ...] = ()) -> Findings:
    """As if two things had been tried, and `linger` could not be done here at all."""
    protections = {name: name != missing for name in ("process", *SANDBOX_LAYERS)}
    refused = {"open a file": "EPERM", "fork": "EPERM", "linger": "ENOSYS"}
    return Findings(
        protections,
        {"open a file": "allowed", "fork": "allowed", "linger": "ENOSYS"},
        {
            layer: refused if layer == "seccomp" != missing else refused | {"fork": "allowed"}
            for layer in SANDBOX_LAYERS
        },
        refused | dict.fromkeys(through, "allowed"),
    )


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the layers are Linux's")
def test_on_this_machine_nothing_gets_through() -> None:
    stream = io.StringIO()
    assert doctor.ENFORCED == run_doctor(stream)
    assert "  on   seccomp " in stream.getvalue()
    assert "things were refused" in stream.getvalue()
    assert NOT_ISOLATED not in stream.getvalue()


def test_what_no_layer_was_needed_for_is_no_layers_merit() -> None:
    text = plain(describe(findings(), 110))
    assert "alone it refuses: open a file, fork\n" in text
    assert "linger" not in text


@pytest.mark.parametrize("name", SANDBOX_LAYERS)
def test_a_protection_that_is_off_comes_with_what_to_do(name: str) -> None:
    text = " ".join(plain(describe(findings(missing=name), 110)).split())
    assert f"off {name}" in text
    assert REPAIRS[name] in text
    assert text.endswith(f" {NOT_ISOLATED}")


def test_what_the_fence_alone_refuses_is_not_counted() -> None:
    fenced = findings(missing="seccomp")
    fenced = fenced._replace(with_one=fenced.with_one | {"seccomp": fenced.with_all})
    text = " ".join(plain(describe(fenced, 110)).split())
    assert "a fence in Python refuses: open a file, fork; code below Python passes it" in text
    assert "alone it refuses" not in text[text.index("off seccomp") :]
    assert "2 of 3 things were refused, 1 more by the fence in Python alone" in text


def test_another_layer_that_is_off_and_refuses_something_is_no_fence() -> None:
    """One that stands in part: root without capabilities, where the change of user was refused."""
    partly = findings(missing="privileges")
    partly = partly._replace(with_one=dict.fromkeys(SANDBOX_LAYERS, partly.with_none) | {"privileges": partly.with_all})
    text = " ".join(plain(describe(partly, 110)).split())
    assert "fence" not in text
    assert "2 of 3 things" not in text
    assert "3 of 3 things were refused" in text


def test_what_gets_through_is_named_with_the_advice() -> None:
    text = plain(describe(findings(missing="seccomp", through=("fork",)), 110))
    assert "2 of 3 things were refused" in text
    assert text.endswith(f"  let through: fork\n  {NOT_ISOLATED}\n")


@pytest.mark.slow
def test_a_missing_layer_is_the_status(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "Sandbox", lambda: Sandbox(without=("seccomp",)))
    stream = io.StringIO()
    assert doctor.MISSING == run_doctor(stream)
    assert "let through: look whether a file exists" in stream.getvalue()
