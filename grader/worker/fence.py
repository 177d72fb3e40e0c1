"""A fence where the main sandbox layer is missing: Python's audit hook refuses files, network and processes.

It prevents accidents: a scratch cell that deletes a folder, a download, a program. It is no sandbox layer, since
code below Python bypasses it (`torch.from_file`, ctypes), and the judge never counts it among the protections. It
refuses what the seccomp filter refuses on Linux, so correct code works behind both or neither.
"""

from __future__ import annotations

import errno
import os
import sys

REFUSED = frozenset(
    "open os.listdir os.scandir os.mkdir os.rmdir os.remove os.rename os.link os.symlink os.truncate os.chmod os.chown "
    "os.utime os.chdir os.system os.exec os.fork os.forkpty os.posix_spawn os.spawn os.startfile os.kill os.killpg "
    "os.setxattr os.removexattr shutil.rmtree shutil.move shutil.copyfile signal.pthread_kill resource.setrlimit "
    "subprocess.Popen pty.spawn webbrowser.open socket.__new__ socket.connect socket.bind socket.sendto "
    "socket.sendmsg socket.getaddrinfo socket.gethostbyname ctypes.dlopen _thread.start_new_thread".split()
)
"""Events of the audit hook (https://docs.python.org/3/library/audit_events.html)."""


def put_up() -> None:
    """Refuses all events in `REFUSED`, but for `open` of a descriptor, for the rest of this process."""

    def refuse(event: str, arguments: tuple[object, ...]) -> None:
        opens_a_descriptor = event == "open" and isinstance(arguments[0], int)
        if event in REFUSED and not opens_a_descriptor:
            raise PermissionError(errno.EPERM, os.strerror(errno.EPERM), event)

    sys.addaudithook(refuse)
