"""What only IPython runs, turned into Python or into nothing: `%`, `%%` and `!`, line by line."""

import ast
import re
from collections.abc import Callable, Iterator, Sequence, Set

from grader.submission.syntax import tree_of

NOT_PYTHON = frozenset(
    "! bash sh script cmd system sx html HTML javascript js latex markdown svg SVG writefile file perl ruby "
    "pypy python python2 python3 R sql bigquery cython julia ai".split()
)
"""Cell magics whose body goes to another program or process. Any other (`%%time`) runs its body here."""
OF_DATABRICKS = re.compile(r"%(?:md\b.*|sql|sh|r|scala)\s*$")
"""How a cell of prose or in another language begins there: its kind alone in the first line, and one percent sign."""
WRITTEN = re.compile(
    r"%%(?:write)?file[^\S\n]+(?:(-a|--append)[^\S\n]+)?['\"]?(\S*/)?(\w+)\.py['\"]?"
    r"(?:[^\S\n]+(-a|--append))?[^\S\n]*$"
)
USED = re.compile(
    r"^[^\S\n]*(?:from[^\S\n]+([\w.]+)[^\S\n]+import[^\S\n]+([^\n;#]+)|import[^\S\n]+([^\n;#]+)|%run\b(.*))",
    re.MULTILINE,
)
NAME = re.compile(r"(?:^|,)[^\S\n]*(?:\([^\S\n]*)?([\w.]+)")
"""A module that a notebook writes; what may name one that it imports or runs; each name in a list of them."""
REGISTERED = "__import__('sys').modules.setdefault({!r}, __import__(__name__))"
AUTOMAGIC = re.compile(r"(?:pip|conda|mamba|cd|ls|pwd)(?:[^\S\n]+[^=(,\s].*)?")
"""A cell of one line that IPython takes for a magic although its percent sign was left out."""
MAGIC = re.compile(r"get_ipython\(\)\..*$")
TIMED = re.compile(r"get_ipython\(\)\.run_line_magic\('time', (?P<statement>'.+'|\".+\")\)")
"""`%time x = f()`: the one line magic whose statement is run here, as what it defines is used further down."""
PYLAB = re.compile(r"get_ipython\(\)\.run_line_magic\('pylab', '(?P<options>[^']*)'\)")
PYLAB_BINDS = "import numpy; np = numpy; import matplotlib; from matplotlib import pylab, mlab, pyplot; plt = pyplot"
PYLAB_BINDS_ALL = "; from matplotlib.pylab import *; from numpy import *"
"""`%pylab inline`, not in a block, where no `import *` need be allowed; what IPython has it bind."""
HELP = r"\?[^\S\n]*$"
ESCAPE = re.compile(rf"^[^\S\n]*[%!?,;/]|=[^\S\n]*[%!]|{HELP}", re.MULTILINE)
"""What may be a magic line; IPython reads a cell anew for each. Looked for line by line: blank lines may be many."""
SIGN = re.compile(r"\w+|[^\w\s]|\n")
MOST_SIGNS = 1_000_000
"""Signs that IPython reads, each as often as there are magic lines in its cell: about 5 s; ordinary ones: 10,000."""
MOST_APPENDED = 5_000_000
"""Characters of written files times what is appended to them: about 5 s."""
SPACES = re.compile(r"[^\S\n]{100,}")
NAMES = re.compile(r"[\w.*\[\]-]{100,}")
MOST_IN_A_ROW = 200_000_000
"""The squares of such rows: some 2 s. IPython looks from each of their characters on for the end of the row."""


def too_much(sources: Sequence[str]) -> str | None:
    """What IPython, or a look at what cells write, may take minutes for; None: nothing."""
    magic = [(source, len(ESCAPE.findall(source))) for source in sources]
    if sum(number * len(SIGN.findall(source)) for source, number in magic if number) > MOST_SIGNS:
        return "too many % and ! lines"
    appending = [written for source in sources if (written := WRITTEN.match(source.lstrip().partition("\n")[0]))]
    if sum(bool(written[1] or written[4]) for written in appending) * sum(map(len, sources)) > MOST_APPENDED:
        return "too many %%writefile -a cells"
    if sum(len(row) ** 2 for source in sources for row in SPACES.findall(source)) > MOST_IN_A_ROW:
        return "too many spaces in a row"
    helped = [source for source in sources if re.search(HELP, source, re.MULTILINE)]
    if sum(len(row) ** 2 for source in helped for row in NAMES.findall(source)) > MOST_IN_A_ROW:
        return "too long a name beside a ? line"
    return None


def bodies(sources: Sequence[str]) -> list[str]:
    """Cells without their `%%` lines; empty where a cell is a command, or its body is not Python."""
    used = {name for source in sources for name in _used(source)}
    return ["" if AUTOMAGIC.fullmatch(source.strip()) else _python_body(source, used) for source in _joined(sources)]


def keep_lines(source: str, to_python: Callable[[str], str]) -> str:
    """Turn `%` and `!` lines into `None`, each in as many lines as it had: line numbers stay right."""
    body = source.lstrip("\n")
    try:
        python = to_python(body).removesuffix("\n")
    except Exception:  # IPython gives up on a cell; the worker will report it with its number
        return source
    # Lines that IPython leaves out at the top would shift all the others.
    kept = [""] * (len(source) - len(body))
    before = iter(body.split("\n"))
    for line in python.split("\n"):
        original = next(before, "")
        kept.append(MAGIC.sub(_python, line) if line != original else line)
        # IPython joins a command that goes on after a backslash into one line.
        while original.endswith("\\") and not line.endswith("\\"):
            original = next(before, "")
            kept.append("")
    return "\n".join(kept)


def _python(magic: re.Match[str]) -> str:
    """A magic as Python: what it defines or binds, else None."""
    if pylab := PYLAB.fullmatch(magic.string):
        return PYLAB_BINDS + ("" if "--no-import-all" in pylab["options"] else PYLAB_BINDS_ALL)
    timed = TIMED.fullmatch(magic[0])
    statement = str(ast.literal_eval(timed["statement"])) if timed else ""
    return statement if timed and tree_of(statement) else "None"


def _joined(sources: Sequence[str]) -> list[str]:
    """Cells, of which one that appends to a written file in the midst of a statement stands where that one began."""
    whole = list(sources)
    begun: dict[tuple[str, str], int] = {}
    for place, source in enumerate(sources):
        line, _, body = source.lstrip().partition("\n")
        written = WRITTEN.match(line)
        if written is None:
            continue
        appended, folder, name, also = written.groups(default="")
        first = begun.get((folder, name), place)
        before = whole[first].lstrip().partition("\n")[2]
        if first < place and (appended or also) and not (tree_of(before) and tree_of(body)):
            whole[first] = f"{whole[first].rstrip()}\n{body}"
            whole[place] = ""
        else:
            begun[folder, name] = place
    return whole


def _used(source: str) -> Iterator[str]:
    """The modules that a cell imports or runs by their file, each without its packages; `a.b` for `from a import b`."""
    for module, members, modules, run in USED.findall(source):
        package = module.rpartition(".")[2]
        yield package
        yield from (f"{package}.{name}" for name in NAME.findall(members))
        yield from (name.rpartition(".")[2] for name in NAME.findall(modules))
        yield from re.findall(r"\b(\w+)\.py\b", run)


def _names(written: re.Match[str]) -> list[str]:
    """What `src/mha.py` is imported by: `mha` from its own folder, `src.mha` from the one above.

    `from src import mha` looks for `mha` below the name that the module `src` has, which is the submission's.
    """
    folder, name = (written[2] or "").rstrip("/").rpartition("/")[2], written[3]
    return [name, *([f"{folder}.{name}", folder, f"submission.{name}"] if folder.isidentifier() else [])]


def _python_body(source: str, used: Set[str]) -> str:
    """A cell without its `%%` lines, which become empty; nothing at all where its body is not Python.

    `%%writefile mha.py` has a body that is run where a cell imports `mha`: that module is then the submission's own.
    """
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    if OF_DATABRICKS.match(lines[0]):
        return ""
    for place, line in enumerate(lines):
        if line.strip() and not line.startswith("%%"):
            break
        written = WRITTEN.match(line)
        if written and not used.isdisjoint(_names(written)[:2]):
            lines += [REGISTERED.format(name) for name in _names(written)]
        elif not NOT_PYTHON.isdisjoint(line[2:].split()[:1]):
            return ""
        lines[place] = ""
    return "\n".join(lines)
