"""Files whose bytes or notebook format are unusual, as editors, systems and services leave them."""

import json
from collections.abc import Callable
from typing import Any

from tests import fakes
from tests.untidy.case import Case, answer, cells, raw_notebook

Raw = dict[str, Any]
PICTURE = {
    "output_type": "display_data",
    "data": {"image/png": "iVBORw0KGgo" + "A" * (3 << 20)},
    "metadata": {},
}
FAILED = {"output_type": "error", "ename": "ValueError", "evalue": "x", "traceback": ["\x1b[31mx\x1b[0m"]}
STREAM = {"output_type": "stream", "name": "stderr", "text": ["warning\n"] * 1000}


def notebook(name: str, kata: str, change: Callable[[Raw], object]) -> Case:
    """A notebook of version 4.5 whose JSON was changed."""

    def content() -> str:
        raw = raw_notebook(kata, kernelspec={"name": "python3", "display_name": "Python 3", "language": "python"})
        change(raw)
        return json.dumps(raw)

    return Case(name, kata, "candidate.ipynb", content)


def source(name: str, kata: str, change: Callable[[str], str | bytes]) -> Case:
    """A `.py` file whose text or bytes were changed."""
    return Case(name, kata, "candidate.py", lambda: change(answer(kata)))


def strip_metadata(raw: Raw) -> None:
    for cell in raw["cells"]:
        for key in ("metadata", "id", "outputs", "execution_count"):
            del cell[key]
    raw["metadata"] = {}


def version_4_0(raw: Raw) -> None:
    raw["nbformat_minor"] = 0
    for cell in raw["cells"]:
        del cell["id"]
        cell["metadata"] = {"collapsed": False, "trusted": True}
        cell["execution_count"] = None
        cell["source"] = cell["source"].splitlines(keepends=True)


def version_3(raw: Raw) -> None:
    inputs = [cell["source"] for cell in raw.pop("cells")]
    sheet: list[Raw] = [{"cell_type": "heading", "level": 1, "metadata": {}, "source": ["Attention"]}]
    for number, text in enumerate(inputs):
        code = {
            "cell_type": "code",
            "language": "python",
            "input": text.splitlines(keepends=True),
            "metadata": {},
        }
        output = {"output_type": "pyout", "prompt_number": number, "text": ["1"], "metadata": {}}
        sheet.append({**code, "prompt_number": number, "collapsed": False, "outputs": [output]})
    raw.update(worksheets=[{"cells": sheet, "metadata": {}}], metadata={"name": "x"}, nbformat=3, nbformat_minor=0)


def colab(raw: Raw) -> None:
    raw["metadata"] = {
        "colab": {
            "provenance": [{"file_id": "1x", "timestamp": 17}],
            "collapsed_sections": ["a"],
            "gpuType": "T4",
        },
        "kernelspec": {"name": "python3", "display_name": "Python 3"},
        "accelerator": "GPU",
        "widgets": {"application/vnd.jupyter.widget-state+json": {"x": {"model_module": "@jupyter-widgets/base"}}},
    }
    raw["nbformat_minor"] = 0
    for cell in raw["cells"]:
        del cell["id"]
        cell["metadata"] = {
            "id": "aB3-_",
            "colab": {"base_uri": "https://localhost:8080/"},
            "cellView": "form",
        }
        cell["source"] = [
            '#@title Answer { display-mode: "form" }\n',
            *cell["source"].splitlines(keepends=True),
        ]


def vs_code(raw: Raw) -> None:
    raw["metadata"] = {
        "language_info": {"name": "python", "version": "3.12.1"},
        "kernelspec": {"name": ".venv", "display_name": ".venv (3.12.1)", "language": "python"},
        "vscode": {"interpreter": {"hash": "ab" * 32}},
    }
    for cell in raw["cells"]:
        cell["metadata"] = {"vscode": {"languageId": "python"}}
        cell["execution_count"] = None


def unknown_kernel(raw: Raw) -> None:
    raw["metadata"] = {
        "kernelspec": {"name": "conda-env-gpu-py", "display_name": None},
        "language_info": {"name": "ipython"},
    }


def huge_outputs(raw: Raw) -> None:
    for cell in raw["cells"]:
        cell["outputs"] = [PICTURE, STREAM, FAILED]


def other_cells(raw: Raw) -> None:
    attached = {
        "cell_type": "markdown",
        "metadata": {},
        "source": "```python\ndef f(: pass\n```\n![x](attachment:a.png)",
    }
    attached["attachments"] = {"a.png": {"image/png": "AAAA"}}  # type: ignore[assignment]  # JSON of any kind
    raw["cells"] = [
        attached,
        {"cell_type": "raw", "metadata": {}, "source": "class X(:"},
        *raw["cells"],
        attached,
    ]


def graded_elsewhere(raw: Raw) -> None:
    marks = {
        "grade": True,
        "grade_id": "x",
        "locked": True,
        "points": 5,
        "schema_version": 3,
        "solution": True,
    }
    for cell in raw["cells"]:
        cell["metadata"] = {
            "nbgrader": marks,
            "deletable": False,
            "tags": ["skip", "raises-exception"],
            "scrolled": True,
        }


def windows_lines(raw: Raw) -> None:
    for cell in raw["cells"]:
        cell["source"] = cell["source"].replace("\n", "\r\n")


def tabs(text: str) -> str:
    """Indented by tabs, as an editor's "convert indentation" does it."""
    lines = text.split("\n")
    indents = [len(line) - len(line.lstrip(" ")) for line in lines]
    return "\n".join("\t" * (n // 4) + " " * (n % 4) + line[n:] for n, line in zip(indents, lines, strict=True))


FORMATS = [
    notebook("cell metadata stripped", "scaffold", strip_metadata),
    notebook("version 4.0", "module", version_4_0),
    notebook("version 3", "functional", version_3),
    notebook("from Colab", "fused_qkv", colab),
    notebook("from VS Code", "plain_class", vs_code),
    notebook("unknown kernel", "scaled_dot_product", unknown_kernel),
    notebook("huge pictures and errors among the outputs", "functional", huge_outputs),
    notebook("raw cells and code in markdown", "module", other_cells),
    notebook("marks of another grader", "fused_qkv", graded_elsewhere),
    notebook("Windows line ends in cells", "plain_class", windows_lines),
    notebook(
        "another kata's name in the metadata's title",
        "fused_qkv",
        lambda raw: raw["metadata"].update(title="module"),
    ),
    Case(
        "notebook with a byte order mark, in UTF-16",
        "scaled_dot_product",
        "candidate.ipynb",
        lambda: fakes.notebook(*cells("scaled_dot_product")).encode("utf-16"),
    ),
    source("a notebook named as a script", "module", fakes.notebook),
    source("byte order mark", "module", lambda text: b"\xef\xbb\xbf" + text.encode()),
    source("Windows line ends", "scaffold", lambda text: text.replace("\n", "\r\n").encode()),
    source("old Macintosh line ends", "functional", lambda text: text.replace("\n", "\r").encode()),
    source("mixed line ends", "fused_qkv", lambda text: text.replace(":\n", ":\r\n").encode()),
    source("tabs", "plain_class", tabs),
    source(
        "Latin-1 with its coding line",
        "scaled_dot_product",
        lambda text: f"# -*- coding: latin-1 -*-\n# é ü ß\nNAME = 'Zoë'\n{text}".encode("latin-1"),
    ),
    source("no line end at the end", "functional", lambda text: text.rstrip("\n")),
    source(
        "a shebang and two coding lines",
        "module",
        lambda text: f"#!/usr/bin/env python3\n# vim: set fileencoding=utf-8 :\n{text}",
    ),
]
