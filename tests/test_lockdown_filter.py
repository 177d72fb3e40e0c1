"""The seccomp filter, read as the kernel reads it: what each machine's filter says to single calls."""

import struct

import pytest

from grader.worker import seccomp
from grader.worker.seccomp import ALLOW, KILL, MACHINES, REFUSE, program

PID = 0x1_2345
ELSEWHERE = {"x86_64": "aarch64", "aarch64": "x86_64"}
FORBIDDEN = {
    "x86_64": {"open": 2, "stat": 4, "ioctl": 16, "socket": 41, "sendmsg": 46, "clone": 56, "fork": 57, "execve": 59}
    | {
        "kill": 62,
        "ptrace": 101,
        "prctl": 157,
        "openat": 257,
        "memfd_create": 319,
        "io_uring_setup": 425,
        "clone3": 435,
    },
    "aarch64": {"ioctl": 29, "openat": 56, "socket": 198, "sendmsg": 211, "clone": 220, "execve": 221, "kill": 129}
    | {"ptrace": 117, "prctl": 167, "memfd_create": 279, "io_uring_setup": 425, "clone3": 435},
}


def decide(machine: str, number: int, *arguments: int, audit: int | None = None) -> int:
    """Runs the filter on one call (https://docs.kernel.org/networking/filter.html)."""
    data = struct.pack("IIQ6Q", number, MACHINES[machine].audit if audit is None else audit, 0, *pad(arguments))
    code = list(struct.iter_unpack("HBBI", program(MACHINES[machine], PID)))
    at, loaded = 0, 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == seccomp.LOAD:
            loaded = struct.unpack_from("I", data, value)[0]
        elif operation == seccomp.EQUAL:
            at += yes if loaded == value else no
        elif operation == seccomp.AT_LEAST:
            at += yes if loaded >= value else no
        else:
            assert operation == seccomp.RETURN
            return value


def pad(arguments: tuple[int, ...]) -> list[int]:
    return [*arguments, *[7] * (6 - len(arguments))]


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_not_on_the_list_is_refused(machine: str) -> None:
    assert dict.fromkeys(FORBIDDEN[machine], REFUSE) == {
        name: decide(machine, number) for name, number in FORBIDDEN[machine].items()
    }


@pytest.mark.parametrize("machine", MACHINES)
def test_what_is_on_the_list_passes_and_arguments_count(machine: str) -> None:
    calls = MACHINES[machine].calls
    plain = {name: number for name, number in calls.items() if name not in seccomp.conditions(PID)}
    assert dict.fromkeys(plain, ALLOW) == {name: decide(machine, number) for name, number in plain.items()}
    for name, good, bad in (
        ("tgkill", (PID, 1, 6), (PID + 1, 1, 6)),
        ("prlimit64", (0, 3, 0, 9), (0, 3, 1 << 32, 9)),
        ("prlimit64", (0, 3, 0, 9), (PID, 3, 0, 9)),
        ("sendto", (3, 9, 9, 0, 0, 0), (3, 9, 9, 0, 1 << 40, 0)),
        ("sendto", (3, 9, 9, 0, 0, 0), (3, 9, 9, 1, 0, 0)),
        ("recvfrom", (3, 9, 9, 0), (3, 9, 9, 1)),
        ("sched_getaffinity", (0, 128, 9), (PID + 1, 128, 9)),
        ("sched_getaffinity", (PID, 128, 9), (1, 128, 9)),
        ("clock_gettime", (0, 9), (~PID << 3 & 0xFFFFFFFF, 9)),  # of the process itself too: it has a number for it
        ("clock_gettime", (11, 9), (12, 9)),
        ("clock_getres", (2, 9), (~1 << 3 & 0xFFFFFFFF, 9)),
        ("clock_nanosleep", (1, 0, 9, 9), (~1 << 3 & 0xFFFFFFFF, 0, 9, 9)),
        ("futex", (9, 128 + 256 + 9, 0), (9, 128 + 6, 0)),
        ("futex", (9, 1, 0), (9, 8, 0)),
    ):
        assert (ALLOW, REFUSE) == (decide(machine, calls[name], *good), decide(machine, calls[name], *bad))


@pytest.mark.parametrize("machine", MACHINES)
def test_another_architecture_ends_the_process(machine: str) -> None:
    assert KILL == decide(machine, MACHINES[machine].calls["read"], audit=MACHINES[ELSEWHERE[machine]].audit)


def test_x32_ends_the_process() -> None:
    assert (ALLOW, KILL) == (decide("x86_64", 39), decide("x86_64", seccomp.X32 | 39))


def test_both_machines_let_the_same_calls_pass() -> None:
    assert {"time", "alarm"} == set(MACHINES["x86_64"].calls) ^ set(MACHINES["aarch64"].calls)
