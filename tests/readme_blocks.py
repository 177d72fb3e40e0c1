"""The generated parts of README.md, CONTRIBUTING.md and docs/: `make readme` writes them, a test compares them.

Three kinds, told apart by how they look in the page:

- between `<!-- katas -->` and `<!-- end -->`: a table from the registry;
- a fence `console` with `$ command` on top: what the command prints now;
- a fence `python` with `# FILE: NAME` on top: the definition of that name in that file now.
"""

import ast
import os
import re
import shlex
import subprocess
import sys
import textwrap
from pathlib import Path

from grader.checks.tiers import Tier
from grader.core.judging import tier_points
from grader.katas import KATAS
from grader.records import GROUPS
from tests import attack_table, bench
from tests.strength_record import names_sentence, pairs_line, recorded, strength_rows, sweep_line

ROOT = Path(__file__).resolve().parent.parent
DOCS = tuple(sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")))
PAGES = ("README.md", "CONTRIBUTING.md", *DOCS, "tests/attacks/README.md")

TABLE = re.compile(r"(?<=<!-- )(?!end )(\w+) -->\n.*?(?=<!-- end -->)", re.DOTALL)
CONSOLE = re.compile(r"(?<=```console\n)\$ (.*)\n(?:.*\n)*?(?=```)")
QUOTED = re.compile(r"(?<=```python\n)# (\S+): (\w+)\n(?:.*\n)*?(?=```)")


def renewed(page: str) -> str:
    """The text of a page with all its generated parts as they are now."""
    page = TABLE.sub(lambda match: f"{match[1]} -->\n\n{TABLES[match[1]]()}\n", page)
    page = CONSOLE.sub(lambda match: f"$ {match[1]}\n{printed(match[1])}", page)
    return QUOTED.sub(lambda match: f"# {match[1]}: {match[2]}\n{definition(match[1], match[2])}", page)


def stale_tables() -> list[str]:
    """What is stale, of the tables alone: what commands print and definitions are a test's to compare."""
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    fresh = {
        page: TABLE.sub(lambda match: f"{match[1]} -->\n\n{TABLES[match[1]]()}\n", text) for page, text in texts.items()
    }
    return [f"{page} is stale: run make readme" for page in PAGES if fresh[page] != texts[page]]


def ran(command: str, folder: Path = ROOT) -> subprocess.CompletedProcess[str]:
    """A command line of the pages, run with this Python in the place of .venv's."""
    words = shlex.split(command, comments=True)
    if words[0] == "make":
        words[1:1] = ["--old-file=.venv/.ready", f"RUN={sys.executable}"]
    elif words[0] == "python":
        words[0] = sys.executable
    outside = ("MAKE", "MFLAGS", "FORCE_COLOR")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(outside)}
    return subprocess.run(
        words, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )


def printed(command: str) -> str:
    """What a command prints on standard output.

    Raises:
        RuntimeError: the command failed, or had something to say on standard error.
    """
    done = ran(command)
    if done.stderr or done.returncode:
        raise RuntimeError(f"{command} failed with status {done.returncode}: {done.stderr}")
    return done.stdout


def definition(path: str, name: str) -> str:
    """The source of a function, a class, or a record that is made with this name, at the left margin, without a comma.

    Raises:
        LookupError: the file does not define it.
    """
    text = (ROOT / path).read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            start = min([node.lineno, *(mark.lineno for mark in node.decorator_list)])
        elif isinstance(node, ast.Call) and [name] == [a.value for a in node.args[:1] if isinstance(a, ast.Constant)]:
            start = node.lineno
        else:
            continue
        lines = text.splitlines()[start - 1 : node.end_lineno]
        return textwrap.dedent("\n".join(lines)).rstrip(",") + "\n"
    raise LookupError(f"{path} does not define {name}: quote something else in its place")


def table(*rows: tuple[object, ...]) -> str:
    """A Markdown table; the first row is its head."""
    head, *rest = [" | ".join(str(cell) for cell in row) for row in rows]
    return "".join(f"| {row} |\n" for row in (head, " | ".join("---" for _ in rows[0]), *rest))


def all_tiers() -> tuple[Tier, ...]:
    """The tiers of all katas, each once, in running order."""
    return tuple(dict.fromkeys(tier for kata in KATAS for tier in kata.shares))


def proves(tier: Tier) -> str:
    """What the first kata that has the tier says of it."""
    return next(kata.proves(tier) for kata in KATAS if tier in kata.shares)


def katas() -> str:
    rows = [
        (group, f"[`{kata.name}`](exercises/{kata.name}.py)", kata.title, kata.mask, kata.paper, kata.question)
        for group in GROUPS
        for kata in KATAS
        if kata.group == group
    ]
    return table(("group", "kata", "what is written", "its mask", "paper", "an interviewer asks"), *rows)


def points() -> str:
    rows = [
        (f"`{kata.name}`", ", ".join(f"{name} {count}" for name, count in tier_points(kata).items())) for kata in KATAS
    ]
    return table(("kata", "points of its tiers"), *rows)


def tiers() -> str:
    return table(
        ("tier", "what passing it proves", "in"), *((tier.name, proves(tier), _katas(tier)) for tier in all_tiers())
    )


def _katas(tier: Tier) -> str:
    """Where there is one kata it is named: two tiers may have the same name."""
    names = [kata.name for kata in KATAS if tier in kata.shares and tier.name in tier_points(kata)]
    return f"`{names[0]}`" if len(names) == 1 else f"{len(names)} of {len(KATAS)} katas"


def strength() -> str:
    record = recorded()
    return f"{table(*strength_rows(record))}\n{pairs_line(record)}\n{sweep_line(record)}\n"


def attacks() -> str:
    rows = attack_table.summary()
    known = attack_table.still_open()
    gains = "".join(f"- {name}: {what}.\n" for name, what in known.items())
    total = (
        f"{sum(count for _, _, count in rows)} attacks; {len(known)} of them gain something{':' if known else '.'}\n"
    )
    return f"{table(('stopped by', 'which is', 'attacks'), *rows)}\n{total}\n{gains}"


def all_attacks() -> str:
    return table(attack_table.COLUMNS, *attack_table.all_rows())


def layers() -> str:
    return table(("switched off", "refuses", "succeed then", "others refuse then"), *attack_table.by_layer())


RIVALS = "[`plain_class` graded once by](docs/decisions.md#other-graders-are-timed-on-one-kata-by-their-own-commands)"


def speed() -> str:
    record = bench.recorded()
    who, _, imports = zip((RIVALS, "", "in imports"), *bench.by_others(record), strict=True)
    text = f"{bench.sentence(record)} {names_sentence(recorded())}"
    return f"{textwrap.fill(text, 120, break_on_hyphens=False)}\n\n{table(who, imports)}"


EXAMPLE = "fused_qkv"
WRITTEN = (
    ("solutions/{}.py", "statement, hints, the solution between its markers"),
    ("grader/katas/{}/__init__.py", "nothing"),
    (
        "grader/katas/{}/contract.py",
        "names and signatures, mask formats, what the layer has, how a case becomes a call",
    ),
    ("grader/katas/{}/public.py", "the public claims, chosen by what the layer has"),
    ("grader/katas/{}/hidden.py", "the hidden claims, the oracle, the three mistakes"),
    ("tests/mistakes/{}.py", "an edit of the solution for each mistake that is natural here"),
)
"""The files of its own that a person writes for a kata, and what is in them."""
STYLES = 6
"""Right programs that are enough for a kata."""


def a_new_kata() -> str:
    counts = [_lines(ROOT / path.format(EXAMPLE)) for path, _ in WRITTEN]
    rows = [(f"`{path.format(EXAMPLE)}`", count, text) for (path, text), count in zip(WRITTEN, counts, strict=True)]
    styles = [_lines(path) for path in (ROOT / "tests" / "correct" / EXAMPLE).glob("*.py")]
    each = round(sum(styles) / len(styles))
    rows.insert(-1, ("`grader/katas/__init__.py`", 1, "its name in `ORDER`"))
    equivalents = (ROOT / "tests" / "equivalent.py").read_text(encoding="utf-8").count(EXAMPLE)
    rows.append(("`tests/equivalent.py`", equivalents, "its name, at lines of katas whose mutants are right too"))
    rows.append(
        (f"`tests/correct/{EXAMPLE}/*.py`", f"{each} each", f"right programs in other styles: {STYLES} are enough")
    )
    total, files = sum(counts) + 1 + equivalents + STYLES * each, len(WRITTEN) + 2 + STYLES
    return f"{table(('file', 'lines', 'what is in it'), *rows)}\nThat is {total} lines in {files} files.\n"


def _lines(path: Path) -> int:
    return len(path.read_text(encoding="utf-8").splitlines())


TABLES = {
    "a_new_kata": a_new_kata,
    "katas": katas,
    "points": points,
    "tiers": tiers,
    "strength": strength,
    "attacks": attacks,
    "all_attacks": all_attacks,
    "layers": layers,
    "speed": speed,
}


def main() -> None:
    """Writes the pages that have changed."""
    for name in PAGES:
        path = ROOT / name
        text = path.read_text(encoding="utf-8")
        if (new := renewed(text)) != text:
            path.write_text(new, encoding="utf-8")
            print(f"written: {name}")


if __name__ == "__main__":
    main()
