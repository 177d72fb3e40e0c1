"""The main sandbox layer on Linux: a seccomp filter that lets a list of system calls pass and refuses all others.

The list is what Python, malloc and a forward and backward pass on the CPU were measured to need once every
file is read: memory, time, the descriptors that are already open, and the process's own end; and a timer of its
own, which a forward with a time limit sets. No open, stat, socket, clone, exec, kill, ioctl or prctl is in it. A
refused call gets EPERM, so that a program that can do without it goes on; a call by another architecture's
numbers (i386, x32) ends the process.

New memory may be executable: oneDNN writes code for LSTM, conv2d and, where there is AVX-512, bfloat16, and the
filter holds for that code as for any other.

The filter is classic BPF (https://docs.kernel.org/userspace-api/seccomp_filter.html), packed here, so that
no library is needed. The numbers of aarch64 are from the kernel's table and were not tried on such a machine.
"""

from __future__ import annotations

import ctypes
import errno
import os
import platform
import struct
import sys
from typing import NamedTuple

LOAD, EQUAL, AT_LEAST, RETURN = 0x20, 0x15, 0x35, 0x06
"""BPF: ld abs, jeq, jge, ret."""
ALLOW, REFUSE, KILL = 0x7FFF0000, 0x00050000 | errno.EPERM, 0x80000000
NUMBER_AT, ARCHITECTURE_AT, ARGUMENTS_AT = 0, 4, 16
"""Offsets in struct seccomp_data; an argument is 8 bytes, the low half first."""
X32 = 0x40000000
"""Bit of a system call's number on x86_64: the x32 ABI, whose numbers would slip past the list."""
SET_MODE_FILTER, TSYNC = 1, 1


class Machine(NamedTuple):
    """One architecture: its AUDIT_ARCH constant, and its numbers of the call seccomp and of the calls that pass."""

    audit: int
    seccomp: int
    calls: dict[str, int]


TABLE = """
read                 0    63
write                1    64
close                3    57
fstat                5    80
lseek                8    62
readv               19    65
writev              20    66
mmap                 9   222
mprotect            10   226
munmap              11   215
brk                 12   214
mremap              25   216
madvise             28   233
rt_sigaction        13   134
rt_sigprocmask      14   135
rt_sigreturn        15   139
sigaltstack        131   132
restart_syscall    219   128
sched_yield         24   124
sched_getaffinity  204   123
futex              202    98
getrandom          318   278
nanosleep           35   101
clock_gettime      228   113
clock_getres       229   114
clock_nanosleep    230   115
setitimer           38   103
getitimer           36   102
alarm               37     -
gettimeofday        96   169
time               201     -
getpid              39   172
getppid            110   173
gettid             186   178
uname               63   160
getcwd              79    17
getrusage           98   165
getuid             102   174
getgid             104   176
geteuid            107   175
getegid            108   177
exit                60    93
exit_group         231    94
recvfrom            45   207
sendto              44   206
tgkill             234   131
prlimit64          302   261
"""
"""The calls that pass: each one's number on x86_64 and on aarch64."""
ROWS = [line.split() for line in TABLE.strip().splitlines()]
MACHINES = {
    "x86_64": Machine(0xC000003E, 317, {name: int(number) for name, number, _ in ROWS}),
    "aarch64": Machine(0xC00000B7, 277, {name: int(number) for name, _, number in ROWS if number != "-"}),
}


class Condition(NamedTuple):
    """What one argument of a call must be, as the filter sees it."""

    argument: int
    values: tuple[int, ...]
    """The values allowed in its low 32 bits, which are all that an int has."""
    wide: bool = False
    """Whether the high 32 bits must be 0 too, as for a pointer."""


CLOCKS = tuple(range(12))
"""The clocks of the system and of the process itself. Any other number is another process's processor time."""
WAITS = (0, 1, 3, 4, 5, 9, 10)
"""FUTEX_WAIT, WAKE, REQUEUE, CMP_REQUEUE, WAKE_OP, WAIT_BITSET, WAKE_BITSET; none waits for a process by its number."""
FLAGS = (0, 128, 256, 128 + 256)
"""Flags of a futex call: whether it is private to the process, and by which clock it waits."""


def conditions(pid: int) -> dict[str, tuple[Condition, ...]]:
    """The calls that pass with certain arguments only.

    Args:
        pid: id of the process that the filter is for.
    """
    clock = (Condition(0, CLOCKS),)
    return {
        "tgkill": (Condition(0, (pid,)),),  # abort and raise_signal: to itself
        "prlimit64": (Condition(0, (0,)), Condition(2, (0,), wide=True)),  # its own limit, and no new one
        # No flag: out-of-band data, which nobody needs, was a way into the kernel (CVE-2025-38236). No address: only
        # what is connected already.
        "sendto": (Condition(3, (0,)), Condition(4, (0,), wide=True)),
        "recvfrom": (Condition(3, (0,)),),
        # Given a process id these tell whether there is such a process, where it may run and how long it has run.
        "sched_getaffinity": (Condition(0, (0, pid)),),
        "clock_gettime": clock,
        "clock_getres": clock,
        "clock_nanosleep": clock,
        "futex": (Condition(1, tuple(wait + flags for wait in WAITS for flags in FLAGS)),),
    }


def program(machine: Machine, pid: int) -> bytes:
    """The filter's instructions, 8 bytes each.

    Args:
        machine: the architecture whose numbers to use.
        pid: id of the process that the filter is for.
    """
    special = conditions(pid)
    code = [
        _step(LOAD, ARCHITECTURE_AT),
        _step(EQUAL, machine.audit, yes=1),
        _step(RETURN, KILL),
        _step(LOAD, NUMBER_AT),
    ]
    if machine is MACHINES["x86_64"]:
        code += [_step(AT_LEAST, X32, no=1), _step(RETURN, KILL)]
    for name, number in machine.calls.items():
        body = _body(special.get(name, ()))
        code += [_step(EQUAL, number, no=len(body)), *body]
    return b"".join([*code, _step(RETURN, REFUSE)])


def install() -> None:
    """Puts the filter on all threads of this process, for ever; no_new_privs must be set.

    Raises:
        OSError: the system refuses, or the filter is not written for it.
    """
    machine = MACHINES.get(platform.machine())
    if machine is None or not sys.platform.startswith("linux") or sys.maxsize < 2**32:
        raise OSError(errno.ENOSYS, f"there is no seccomp filter for {sys.platform} on {platform.machine()}")
    code = program(machine, os.getpid())
    buffer = ctypes.create_string_buffer(code, len(code))
    # struct sock_fprog: the number of instructions, then a pointer to them.
    fprog = struct.pack("HxxxxxxQ", len(code) // 8, ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    refused = libc.syscall(ctypes.c_long(machine.seccomp), SET_MODE_FILTER, TSYNC, ctypes.c_char_p(fprog))
    if refused > 0:
        raise OSError(errno.EBUSY, f"thread {refused} could not be put under the filter")
    if refused < 0:
        raise OSError(ctypes.get_errno(), "the system refused the seccomp filter")


def _body(wanted: tuple[Condition, ...]) -> list[bytes]:
    """Steps that allow a call if all conditions hold, and refuse it otherwise: its number is compared only once."""
    code: list[bytes] = []
    for condition in wanted:
        halves = [(condition.argument * 8, condition.values)]
        if condition.wide:
            halves.append((condition.argument * 8 + 4, (0,)))
        for offset, values in halves:
            left = range(len(values), 0, -1)  # how many steps it is from here past the refusal
            code.append(_step(LOAD, ARGUMENTS_AT + offset))
            code += [_step(EQUAL, value, yes=steps) for value, steps in zip(values, left, strict=True)]
            code.append(_step(RETURN, REFUSE))
    return [*code, _step(RETURN, ALLOW)]


def _step(operation: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    """One instruction; `yes` and `no` are how many instructions a comparison skips."""
    return struct.pack("HBBI", operation, yes, no, value)
