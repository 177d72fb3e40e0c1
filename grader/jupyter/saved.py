"""The notebook's file, where the front end says which it is: so what was edited or deleted since a run is known."""

import json
import os
from pathlib import Path
from typing import Any, NamedTuple

from grader.jupyter.cell_runs import CellRun


class SavedNotebook(NamedTuple):
    """What was saved."""

    path: Path
    at: float
    """When, as `time.time()` tells it."""
    sources: dict[str, str]
    """Of the code cells, by their ids."""

    def lacks(self, run: CellRun) -> bool:
        """Whether it was saved after a run and holds neither the cell nor its text."""
        texts = {source.strip() for source in self.sources.values()}
        there = run.cell_id in self.sources or run.cell.source.strip() in texts
        return not there and self._is_after(run)

    def differs(self, run: CellRun) -> bool:
        """Whether it was saved after a run, with another text in that cell."""
        own = self.sources.get(run.cell_id or "")
        return own is not None and own.strip() != run.cell.source.strip() and self._is_after(run)

    def _is_after(self, run: CellRun) -> bool:
        return run.began is not None and self.at > run.began


def saved_notebook(ipython: Any) -> SavedNotebook | None:
    """The file of the notebook that runs: VS Code and Jupyter's server name it; None: nobody does, or it is not there.

    Args:
        ipython: the running InteractiveShell.
    """
    named = ipython.user_ns.get("__vsc_ipynb_file__") or os.environ.get("JPY_SESSION_NAME")
    path = Path(str(named or ""))
    try:
        if path.suffix != ".ipynb":
            return None
        cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
        sources = {str(cell["id"]): "".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"}
        return SavedNotebook(path, path.stat().st_mtime, sources)
    except (OSError, ValueError, LookupError, TypeError):  # older than cell ids, half written, somebody else's
        return None
