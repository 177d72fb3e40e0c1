"""`.py` files that are notebooks in another form: their cells, in the order in which they run, with the lines kept."""

from collections.abc import Callable
from pathlib import Path

from grader.records import Cell
from grader.submission import read
from grader.submission.scripts import exported_cells, marimo_cells

Put = Callable[[str, str | bytes], Path]
HEAD = 'import marimo\n\n__generated_with = "0.17.6"\napp = marimo.App(width="medium")\n\n\n'
FOOT = '\n\nif __name__ == "__main__":\n    app.run()\n'


def test_cells_of_marimo_stand_in_the_order_in_which_it_runs_them() -> None:
    later = (
        "@app.cell(hide_code=True)\ndef _(\n    base,\n    mo,\n):\n    # a comment\n\n    x = base\n    return (x,)\n"
    )
    source = f"{HEAD}{later}\n\n@app.cell\nasync def __():\n    base = await ready()\n    return base\n{FOOT}"
    assert (Cell("base = await ready()", 2), Cell("# a comment\n\nx = base", 1)) == marimo_cells(source)


def test_a_cell_of_marimo_may_be_a_definition_a_setup_or_no_python() -> None:
    source = HEAD + (
        "with app.setup:\n    import math\n    import torch\n\n\n"
        "@app.function(hide_code=True)\n@torch.no_grad()\ndef root(x):\n    return Layer(math.sqrt(x))\n\n\n"
        "@app.class_definition\nclass Layer:\n    pass\n\n\n"
        'app._unparsable_cell(\n    r"""\n    def f(:\n        x\n    """,\n    name="_"\n)\n'
        "@app.cell\ndef _():\n    loose = 1\n\n\nbeside = 2\n"
    )
    expected = (
        Cell("import math\nimport torch", 1),
        Cell("class Layer:\n    pass", 3),
        Cell("def f(:\n    x", 4),
        Cell("loose = 1", 5),
        Cell("beside = 2", 6),
        Cell("@torch.no_grad()\ndef root(x):\n    return Layer(math.sqrt(x))", 2),
    )
    assert expected == marimo_cells(source + FOOT)


def test_prose_and_empty_cells_of_marimo_are_left_out_and_counted() -> None:
    prose = '@app.cell\ndef _(mo):\n    mo.md("""\n    # Title\n    """)\n    return\n\n\n'
    source = f"{HEAD}{prose}@app.cell\ndef _():\n    return\n\n\n@app.cell\ndef _():\n    x = 1\n    return\n{FOOT}"
    assert (Cell("x = 1", 3),) == marimo_cells(source)


def test_cells_of_marimo_that_need_each_other_stay_as_they_stand() -> None:
    cells = "@app.cell\ndef _(b):\n    a = b\n    return (a,)\n@app.cell\ndef _(a):\n    b = a\n    return (b,)\n"
    assert (Cell("a = b", 1), Cell("b = a", 2)) == marimo_cells(HEAD + cells)


def test_a_file_that_only_speaks_of_marimo_is_none_of_its_notebooks() -> None:
    for source in ("x = 'marimo.App()'\n", "app = marimo.App()\n", f"{HEAD}def f(:\n", f"{HEAD}app.run()\n"):
        assert () == marimo_cells(source)


def test_a_cell_that_an_export_holds_as_text_is_read(put: Put) -> None:
    source = (
        "#!/usr/bin/env python\n# coding: utf-8\n\n# In[ ]:\n\n\nimport math\n\n\n# # A title\n\n# In[12]:\n\n\n"
        "get_ipython().run_cell_magic('time', '', '%pwd\\nx = 1\\n')\n\n\n# In[13]:\n\n\n"
        "get_ipython().run_cell_magic('bash', '-e', 'ls\\n')\n\n\n# In[14]:\n\n\ny = 2\n"
    )
    assert "import math" in exported_cells(source)[0]
    assert ["%%time\n%pwd\nx = 1\n", "%%bash -e\nls\n", "y = 2"] == exported_cells(source)[1:]
    found = read(put("a.py", source)).cells
    assert (Cell("\nNone\nx = 1", 2), Cell("y = 2", 4)) == found[1:]


def test_what_stands_above_all_cells_of_an_export_is_one_as_well() -> None:
    magic = "get_ipython().run_cell_magic('time', '', 'x = 1')"
    assert ["import math", "%%time\nx = 1"] == exported_cells(f"import math\n# %% [markdown]\n{magic}\n")
    assert ["%%time\nx = 1"] == exported_cells(magic)


def test_a_magic_in_another_form_is_left_as_it_is() -> None:
    calls = "f.run_cell_magic('time', 'x')", "f.run_cell_magic('time', '', 3)", "x = f.run_cell_magic('time', '', '')"
    for call in calls:
        assert [] == exported_cells(f"# In[1]:\n{call}\n")


def test_a_line_of_many_statements_is_one_cell_of_marimo() -> None:
    """Each would hold the whole line: of a megabyte, a hundred thousand times."""
    cell, line = "@app.cell\ndef _():\n    a = 1\n    return (a,)\n", 'x = 1; y = """\n"""; z = 3'
    assert (Cell("a = 1", 1), Cell(line, 2)) == marimo_cells(f"{HEAD}{cell}{line}\n")
