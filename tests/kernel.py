"""A kernel as JupyterLab drives it: requests to run with the cell's id, and with those that were deleted."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, Self

from jupyter_client.manager import KernelManager

ROOT = Path(__file__).resolve().parent.parent
SETUP = """import sys; sys.path += ["..", "."]
%load_ext grader.jupyter"""
WAIT_S = 120


class Outputs(NamedTuple):
    """What stands below a cell that has run."""

    text: str
    """All plain text, an error's name and message among it."""
    html: str
    ok: bool


class Kernel:
    """One kernel, started in notebooks/; a context manager.

    Args:
        folder: where it is started.
        environment: of it; None: this one's, in which the grader is this repository's, whichever made `.venv`.
    """

    def __init__(self, folder: Path = ROOT / "notebooks", environment: dict[str, str] | None = None) -> None:
        self._manager = KernelManager(kernel_name="python3")
        self._manager.start_kernel(cwd=str(folder), env=environment or {**os.environ, "PYTHONPATH": str(ROOT)})
        self._client = self._manager.blocking_client()
        self._client.start_channels()
        self._client.wait_for_ready(timeout=WAIT_S)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)

    def interrupt(self) -> None:
        """As the button does."""
        self._manager.interrupt_kernel()

    def send(self, source: str, cell_id: str | None = None, deleted: Sequence[str] = ()) -> str:
        """A cell begins to run; arguments as of `run`."""
        content = {"code": source, "silent": False, "store_history": True, "allow_stdin": False, "stop_on_error": True}
        message = self._client.session.msg("execute_request", content)
        message["metadata"] |= {"cellId": cell_id, "deletedCells": list(deleted)} if cell_id else {}
        self._client.shell_channel.send(message)
        return str(message["header"]["msg_id"])

    def run(self, source: str, cell_id: str | None = None, deleted: Sequence[str] = ()) -> Outputs:
        """A cell, to its end.

        Args:
            source: of it.
            cell_id: its id.
            deleted: ids of cells that were deleted since the run before.
        """
        return self.collected(self.send(source, cell_id, deleted))

    def collected(self, of: str) -> Outputs:
        """What stands below a cell once it has ended; a line that was updated counts as it was last."""
        shown: list[dict[str, Any]] = []
        for kind, content in self.messages(of):
            place = content.get("transient", {}).get("display_id") if kind.endswith("display_data") else None
            entry = {**_bundle(kind, content), "display_id": place}
            earlier = [each for each in shown if place and each["display_id"] == place]
            if kind == "update_display_data" and earlier:
                earlier[0].update(entry)
            elif len(entry) > 1:
                shown.append(entry)
        text = "\n".join(each["text"].rstrip("\n") for each in shown)
        return Outputs(text, "\n".join(each.get("html", "") for each in shown), self._status(of) == "ok")

    def messages(self, of: str) -> Any:
        """Kind and content of each thing that a cell shows, until it is idle."""
        while True:
            message = self._client.get_iopub_msg(timeout=WAIT_S)
            if message["parent_header"].get("msg_id") == of:
                yield message["msg_type"], message["content"]
                if message["msg_type"] == "status" and message["content"]["execution_state"] == "idle":
                    return

    def _status(self, of: str) -> str:
        while True:
            reply = self._client.get_shell_msg(timeout=WAIT_S)
            if reply["parent_header"].get("msg_id") == of:
                return str(reply["content"]["status"])


def _bundle(kind: str, content: dict[str, Any]) -> dict[str, str]:
    match kind:
        case "stream":
            return {"text": content["text"]}
        case "error":
            return {"text": f"{content['ename']}: {content['evalue']}"}
        case "display_data" | "update_display_data" | "execute_result":
            data = content["data"]
            return {"text": data.get("text/plain", ""), "html": data.get("text/html") or data.get("text/markdown", "")}
    return {}
