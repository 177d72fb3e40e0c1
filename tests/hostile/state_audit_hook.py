"""Leaves an audit hook behind, which cannot be removed and refuses everything that is audited."""

BESIDE = "right"
WALL = "process"

import sys


def refuse(event, args):
    if event in ("open", "import", "socket.connect", "subprocess.Popen"):
        raise RuntimeError(event)


sys.addaudithook(refuse)
print("GOT a hook")
