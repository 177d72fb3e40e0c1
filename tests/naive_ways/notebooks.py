"""Of a notebook."""

import json
import re
import traceback
from contextlib import suppress
from typing import Any

from tests.naive_ways.parts import Found, Handed


def loaded(handed: Handed, **options: Any) -> dict[str, Any]:
    """A notebook, by json.loads."""
    with suppress(json.JSONDecodeError, UnicodeDecodeError):
        return dict(json.loads(handed.path.read_text(encoding="utf-8"), **options))
    return {}


def sources(notebook: dict[str, Any]) -> list[str]:
    """The text of each code cell."""
    return ["".join(cell["source"]) for cell in notebook.get("cells", ()) if cell["cell_type"] == "code"]


def loads(handed: Handed) -> Found:
    """the cells of a notebook, by json.load"""
    return Found(code="\n".join(sources(loaded(handed))))


def loads_first_keys(handed: Handed) -> Found:
    """the cells of a notebook, by a reader of JSON that keeps the first of equal keys"""
    return Found(code="\n".join(sources(loaded(handed, object_pairs_hook=lambda pairs: dict(reversed(pairs))))))


def exports(handed: Handed) -> Found:
    """the cells of a notebook, written to a file"""
    (handed.work / "candidate.py").write_text("\n".join(sources(loaded(handed))), encoding="utf-8")
    return Found()


def finds_magics(handed: Handed) -> Found:
    r"""the magics of a notebook, by a search for ^\s*[%!]"""
    for source in sources(loaded(handed)):
        re.findall(r"^\s*[%!].*$", source, re.MULTILINE)
    return Found()


def saves_attachments(handed: Handed) -> Found:
    """the attachments of a notebook, saved by their names"""
    for cell in loaded(handed)["cells"]:
        for name, kinds in cell.get("attachments", {}).items():
            (handed.work / name).write_text(str(kinds))
    return Found()


def trusts_metadata(handed: Handed) -> Found:
    """the score in a notebook's metadata"""
    return Found(points=loaded(handed)["metadata"].get("score"))


def trusts_outputs(handed: Handed) -> Found:
    """the score in a notebook's outputs"""
    outputs = json.dumps([cell.get("outputs") for cell in loaded(handed)["cells"]])
    score = re.search(r"score (\d+) of 100", outputs)
    return Found(points=int(score[1]) if score else None)


def runs_cells(handed: Handed) -> Found:
    """the cells of a notebook, run in turn, with a note of each that fails"""
    names: dict[str, Any] = {}
    notes = []
    for source in sources(loaded(handed)):
        try:
            exec(compile(source, "cell", "exec"), names)
        except Exception:
            notes.append(traceback.format_exc())
    return Found(shown="\n".join(notes))


def runs_in_ipython(handed: Handed) -> Found:
    """the cells of a notebook, run by IPython"""
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell()
    for source in sources(loaded(handed)):
        shell.run_cell(source)
    return Found()


WAYS = (
    loads,
    loads_first_keys,
    exports,
    finds_magics,
    saves_attachments,
    trusts_metadata,
    trusts_outputs,
    runs_cells,
    runs_in_ipython,
)
