"""The notebook's file, where the front end names it: it shows what was edited or deleted since a run."""

import json
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

from grader.jupyter.cell_runs import CellRun


class SavedNotebook(NamedTuple):
    """The notebook as it was saved."""

    path: Path
    at: float
    """When it was saved, by `time.time()`."""
    sources: dict[str, str]
    """The sources of the code cells, by the cells' ids."""

    def lacks(self, run: CellRun) -> bool:
        """Whether it was saved after a run and holds neither the cell nor its text."""
        return _is_of_files(run.cell_id) and run.cell_id not in self.sources and self._has_no_text_of(run)

    def holds_again(self, run: CellRun) -> bool:
        """Whether a cell that was said to be deleted is in a later save: it was moved, or the deletion undone."""
        return run.cell_id in self.sources and run.gone_since is not None and self.at > run.gone_since

    def change(self, run: CellRun) -> str | None:
        """Return what was done to a cell between its run and the save, if known; None: nothing, or it is gone."""
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
    """Whether this is an id as notebooks hold them: VS Code sends addresses of its own, and older front ends no id."""
    return cell_id is not None and re.fullmatch(r"[a-zA-Z0-9_-]+", cell_id) is not None


def saved_notebook(ipython: Any) -> SavedNotebook | None:
    """Return the file of the running notebook, which VS Code and Jupyter's server name; None: unnamed or unreadable.

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
