"""The second sandbox layer on Linux: Landlock with no path allowed (https://docs.kernel.org/userspace-api/landlock.html).

Refuses whatever opens, makes, lists or runs a file by its path; from ABI 4 on TCP, from ABI 6 on abstract
sockets and signals to processes outside. It leaves open descriptors, stat, UDP and fork alone.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys

CREATE_RULESET, RESTRICT_SELF = 444, 446
"""Numbers of the system calls, the same on every architecture."""
ASK_VERSION = 1

FILES_BY_ABI = {1: 0x1FFF, 2: 0x3FFF, 3: 0x7FFF, 5: 0xFFFF}
"""The rights on files that each ABI knows: 1 the first 13, 2 moving, 3 truncating, 5 ioctl on devices."""
READ_FILE, READ_FOLDER = 1 << 2, 1 << 3
TCP_BIND_AND_CONNECT = 3
ABSTRACT_SOCKETS_AND_SIGNALS = 3


def abi() -> int:
    """The version of Landlock's ABI on this system; 0 where there is no Landlock."""
    if not sys.platform.startswith("linux"):
        return 0
    return max(0, _call(CREATE_RULESET, None, 0, ASK_VERSION))


def restrict(*, reading: bool = False) -> None:
    """Refuses this process all that its version of Landlock can refuse, for ever; no_new_privs must be set.

    Args:
        reading: files may still be read and folders listed; a second call refuses that too.

    Raises:
        OSError: the system has no Landlock, or refuses.
    """
    version = abi()
    if not version:
        raise OSError(ctypes.get_errno(), "the system has no Landlock")
    files = FILES_BY_ABI[max(known for known in FILES_BY_ABI if known <= version)]
    if reading:
        files &= ~(READ_FILE | READ_FOLDER)
    # struct landlock_ruleset_attr grew with its ABI; a longer one is accepted if what is unknown is zero.
    attributes = struct.pack(
        "QQQ",
        files,
        TCP_BIND_AND_CONNECT if version >= 4 else 0,
        ABSTRACT_SOCKETS_AND_SIGNALS if version >= 6 else 0,
    )
    ruleset = _call(CREATE_RULESET, attributes, len(attributes), 0)
    if ruleset < 0:
        raise OSError(ctypes.get_errno(), "the system refused a Landlock ruleset")
    try:
        if _call(RESTRICT_SELF, ruleset, 0, 0) < 0:
            raise OSError(ctypes.get_errno(), "the system refused to put the Landlock ruleset in force")
    finally:
        os.close(ruleset)


def _call(number: int, first: bytes | int | None, second: int, third: int) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    passed = ctypes.c_char_p(first) if first is None or isinstance(first, bytes) else ctypes.c_long(first)
    return int(libc.syscall(ctypes.c_long(number), passed, ctypes.c_long(second), ctypes.c_long(third)))
