"""Exercises and notebooks are what the solutions generate, and hold nothing of the solutions."""

import ast
import importlib.util
import inspect
import re
from pathlib import Path

import nbformat
import pytest

from grader.katas import KATAS
from grader.stubs.markers import IN_THE_STUB, blocks
from grader.stubs.solution_cells import PLACE, SHARED
from grader.stubs.writer import WrittenFile, check_all, kata_names, notebook, stub, write_all
from tests.refusals import refusal

ROOT = Path(__file__).resolve().parents[1]
NAMES = kata_names(ROOT)
FILE = Path("solutions/example.py")
TO_REPAIR = [name for name in NAMES if IN_THE_STUB in (ROOT / "solutions" / f"{name}.py").read_text()]

EXAMPLE = """\
# %% [markdown] tags=["statement"]
# # Example
#
# | mask | meaning |

# %% [markdown] tags=["hints"]
# a hint

# %% [markdown] tags=["solution"]
# the secret reason

# %%
import math


class Example:
    def half(self, x):
        \"\"\"Half of x.\"\"\"
        # BEGIN SOLUTION
        def inner(y):
            return y / 2

        return inner(x)
        # END SOLUTION


# %%
def given(x):
    return x


# %% [markdown] tags=["notebook"]
# an example

# %% tags=["notebook", "active-ipynb"]
# print(Example().half(4))
"""


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A root with one solution and nothing generated."""
    (tmp_path / "solutions").mkdir()
    (tmp_path / "solutions" / "example.py").write_text(EXAMPLE)
    return tmp_path


def defined_functions(text: str) -> list[ast.FunctionDef]:
    return [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef)]


# The repository's own


def test_what_is_committed_is_what_the_solutions_generate() -> None:
    assert [] == check_all(ROOT, KATAS)


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_holds_no_line_of_the_solution(name: str) -> None:
    solution = (ROOT / "solutions" / f"{name}.py").read_text()
    lines = solution.splitlines()
    marked = [line.strip() for block in blocks(solution, FILE) for line in lines[block.begin : block.end - 1]]
    given = {line.removeprefix("#").strip() for line in marked if line.startswith("#")}  # code to repair
    secret = {*marked} - given - {"", "#"}
    written = {line.strip() for line in stub(name, ROOT).splitlines()}
    in_notebook = {line.strip() for cell in notebook(name, ROOT).cells for line in cell.source.splitlines()}
    assert set() == secret & written
    assert set() == secret & in_notebook


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_loads_and_every_stubbed_function_says_its_name(name: str) -> None:
    text = stub(name, ROOT)
    compile(text, f"{name}.py", "exec")
    solution = (ROOT / "solutions" / f"{name}.py").read_text()
    written = [b.function for b in blocks(solution, FILE) if name not in TO_REPAIR]
    expected = sorted(f'raise NotImplementedError("{function} is not written yet")' for function in written)
    last_statements = (ast.unparse(node.body[-1]).replace("'", '"') for node in defined_functions(text))
    assert expected == sorted(line for line in last_statements if "NotImplementedError" in line)


@pytest.mark.parametrize("name", [name for name in NAMES if name not in TO_REPAIR])
def test_nothing_of_an_untouched_stub_can_be_used(name: str, tmp_path: Path) -> None:
    """A class raises when it is made, a function when it is called; what is given works."""
    path = tmp_path / f"untouched_{name}.py"
    path.write_text(stub(name, ROOT))
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    required_name = re.compile(r".*ttention|check_")
    names = [word for word in vars(module) if required_name.match(word) and word != "AttentionConfig"]
    assert 1 == len(names)
    thing = getattr(module, names[0])
    arguments = [4, 2] if isinstance(thing, type) else [None] * len(inspect.signature(thing).parameters)
    if name == "scaffold":
        assert [[True, False, False], [True, True, False]] == module.causal_mask(2, 3).tolist()
        arguments = [module.AttentionConfig(4, 2)]
    if name == "scaled_dot_product":
        arguments = [None] * 3
    with pytest.raises(
        NotImplementedError, match=r"(__init__|attention|permutation|stability|memory) is not written yet"
    ):
        thing(*arguments)


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_tells_how_to_grade_it(name: str) -> None:
    assert f"make grade KATA={name}\n" in stub(name, ROOT)
    assert f"make reset KATA={name}\n" in stub(name, ROOT)


@pytest.mark.parametrize("name", TO_REPAIR)
def test_what_is_to_be_repaired_runs_and_its_assertion_fails(name: str) -> None:
    with pytest.raises(AssertionError, match=r"is not that of nn\.MultiheadAttention"):
        exec(compile(stub(name, ROOT), f"{name}.py", "exec"), {"__name__": "__main__"})
    solved = (ROOT / "solutions" / f"{name}.py").read_text()
    exec(compile(solved, f"{name}.py", "exec"), {"__name__": "__main__"})


@pytest.mark.parametrize("name", NAMES)
def test_a_stub_keeps_to_the_line_length(name: str) -> None:
    assert [] == [line for line in stub(name, ROOT).splitlines() if len(line) > 110]


@pytest.mark.parametrize("name", NAMES)
def test_a_solution_imports_torch_and_the_standard_library_only(name: str) -> None:
    tree = ast.parse((ROOT / "solutions" / f"{name}.py").read_text())
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert set() == {word.split(".")[0] for word in imported} - {"torch", "math", "dataclasses", "collections"}


# One small tree


def test_a_stub_of_a_small_solution(tree: Path) -> None:
    expected = '''\

# %% [markdown]
# # Example
#
# | mask | meaning |

# %%
import math


class Example:
    def half(self, x):
        """Half of x."""
        raise NotImplementedError("half is not written yet")


# %%
def given(x):
    return x
'''
    header, rest = stub("example", tree).split("head size.\n")
    assert header.startswith("# Write your code where NotImplementedError is raised")
    assert expected == rest


def test_writing_twice_changes_nothing_the_second_time(tree: Path) -> None:
    notebooks = [tree / "notebooks" / f"{name}.ipynb" for name in ("index", "example")]
    files = (notebooks[0], tree / "exercises" / "example.py", notebooks[1])
    assert [WrittenFile(path, backup=None) for path in files] == write_all(tree, ())
    assert [] == write_all(tree, ())
    assert [] == check_all(tree, ())


def test_a_missing_file(tree: Path) -> None:
    write_all(tree, ())
    (tree / "exercises" / "example.py").unlink()
    expected = ["exercises/example.py is missing, though there is solutions/example.py: run make stubs"]
    assert expected == check_all(tree, ())


def test_a_stale_file(tree: Path) -> None:
    write_all(tree, ())
    path = tree / "notebooks" / "example.ipynb"
    path.write_text(path.read_text().replace("a hint", "an old hint"))
    expected = (
        "notebooks/example.ipynb is not what solutions/example.py generates: "
        "run make stubs, which keeps the old text in a .bak file"
    )
    assert [expected] == check_all(tree, ())
    assert [WrittenFile(path, path.with_name("example.ipynb.1.bak"))] == write_all(tree, ())


@pytest.mark.parametrize("work", [b"my work\n", b"\xff\x00"])
def test_an_edited_exercise_is_kept_before_it_is_written_anew(tree: Path, work: bytes) -> None:
    write_all(tree, ())
    path, backups = tree / "exercises" / "example.py", []
    for _ in range(2):
        path.write_bytes(work)
        backups += [written.backup for written in write_all(tree, ())]
    assert [path.with_name("example.py.1.bak"), path.with_name("example.py.2.bak")] == backups
    assert [work, work] == [backup.read_bytes() for backup in backups]
    assert stub("example", tree) == path.read_text()


def test_an_unknown_file(tree: Path) -> None:
    write_all(tree, ())
    (tree / "exercises" / "old.py").write_text("")
    (tree / "exercises" / "example.py.1.bak").write_text("a backup is nobody's business")
    assert ["exercises/old.py has no solution: remove it or add solutions/old.py"] == check_all(tree, ())


def test_a_shared_text_stands_in_exercise_and_notebook(tree: Path) -> None:
    path = tree / "solutions" / "example.py"
    path.write_text(EXAMPLE.replace("# | mask | meaning |", "# {forbidden}").replace("# a hint", "# {heads}\n# Ours."))
    sentence = (SHARED / "forbidden.md").read_text()
    assert f"# # Example\n#\n# {sentence}" in stub("example", tree)
    hints = next(cell.source for cell in notebook("example", tree).cells if cell.id == "hints-1")
    assert f"{(SHARED / 'heads.md').read_text()}Ours." == hints


def test_an_unknown_shared_text(tree: Path) -> None:
    path = tree / "solutions" / "example.py"
    path.write_text(EXAMPLE.replace("# a hint", "# {head}"))
    said = refusal(stub, "example", tree)
    assert said.startswith("solutions/example.py, cell 2: there is no shared text 'head': write one of dropout, ")
    assert said.endswith(", or add grader/stubs/shared/head.md")


def test_a_shared_text_is_shared() -> None:
    used = [name for path in (ROOT / "solutions").glob("*.py") for name in PLACE.findall(uncommented(path))]
    assert {} == {path.stem: used.count(path.stem) for path in SHARED.glob("*.md") if used.count(path.stem) < 2}


def uncommented(path: Path) -> str:
    return "".join(f"{line.removeprefix('# ')}\n" for line in path.read_text().splitlines())


def test_an_unknown_kata(tree: Path) -> None:
    expected = "solutions/sample.py is missing, and the stub is generated from it: restore the file"
    assert expected == refusal(stub, "sample", tree)


def test_a_tree_without_solutions(tmp_path: Path) -> None:
    expected = "solutions/ has no .py file, and everything is generated from it: restore it"
    assert expected == refusal(lambda root: check_all(root, ()), tmp_path)


def test_the_solved_notebook_differs_in_the_stub_cells_only(tree: Path) -> None:
    untouched, solved = notebook("example", tree), notebook("example", tree, solved=True)
    different = [a.id for a, b in zip(untouched.cells, solved.cells, strict=True) if a != b]
    assert ["stub-1"] == different
    assert "SOLUTION" not in nbformat.writes(solved)
    assert "return inner(x)" in nbformat.writes(solved)
