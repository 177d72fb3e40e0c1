"""The notebook's file, where the front end says which it is: so what was edited or deleted since a run is known."""

import json
import os
import re
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
        return _is_of_files(run.cell_id) and run.cell_id not in self.sources and self._has_no_text_of(run)

    def holds_again(self, run: CellRun) -> bool:
        """Whether a cell that was said to be gone is there in a later save: it was moved, or the deletion undone."""
        return run.cell_id in self.sources and run.gone_since is not None and self.at > run.gone_since

    def change(self, run: CellRun) -> str | None:
        """What was done to a cell between its run and the save, as far as is known; None: nothing, or it is gone."""
        if run.cell_id in self.sources:
            is_edited = self._is_after(run) and self.sources[run.cell_id].strip() != run.cell.source.strip()
            return "edited" if is_edited else None
        return "edited or deleted" if not _is_of_files(run.cell_id) and self._has_no_text_of(run) else None

    def _has_no_text_of(self, run: CellRun) -> bool:
        texts = {source.strip() for source in self.sources.values()}
        return self._is_after(run) and run.cell.source.strip() not in texts

    def _is_after(self, run: CellRun) -> bool:
        return run.began is not None and self.at > run.began


def _is_of_files(cell_id: str | None) -> bool:
    """Whether it is an id as notebooks hold them: VS Code sends addresses of its own, and older front ends none."""
    return cell_id is not None and re.fullmatch(r"[a-zA-Z0-9_-]+", cell_id) is not None


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
