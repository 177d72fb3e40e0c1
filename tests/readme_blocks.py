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
from tests import attack_table, bench
from tests.strength_record import recorded, strength_rows, sweep_line

ROOT = Path(__file__).resolve().parent.parent
DOCS = tuple(sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").glob("*.md")))
PAGES = ("README.md", "CONTRIBUTING.md", *DOCS, "tests/attacks/README.md")

TABLE = re.compile(r"(?<=<!-- )(?!end )(\w+) -->\n.*?(?=<!-- end -->)", re.DOTALL)
CONSOLE = re.compile(r"(?<=```console\n)\$ (.*)\n(?:.*\n)*?(?=```)")
QUOTED = re.compile(r"(?<=```python\n)# (\S+): (\w+)\n(?:.*\n)*?(?=```)")


def renewed(page: str) -> str:
    """The text of a page with all its generated parts as they are now."""
    page = TABLE.sub(lambda found: f"{found[1]} -->\n\n{TABLES[found[1]]()}\n", page)
    page = CONSOLE.sub(lambda found: f"$ {found[1]}\n{printed(found[1])}", page)
    return QUOTED.sub(lambda found: f"# {found[1]}: {found[2]}\n{definition(found[1], found[2])}", page)


def stale_tables() -> list[str]:
    """What is stale, of the tables alone: what commands print and definitions are a test's to compare."""
    texts = {page: (ROOT / page).read_text(encoding="utf-8") for page in PAGES}
    fresh = {
        page: TABLE.sub(lambda found: f"{found[1]} -->\n\n{TABLES[found[1]]()}\n", text) for page, text in texts.items()
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


def katas() -> str:
    names = [tier.name for tier in all_tiers()]
    rows = [
        (f"[`{kata.name}`](exercises/{kata.name}.py)", kata.title, *(points.get(name, "-") for name in names))
        for kata, points in ((kata, tier_points(kata)) for kata in KATAS)
    ]
    return table(("kata", "what is written", *names), *rows)


def masks() -> str:
    pytorch = (
        ("`nn.MultiheadAttention`", "`attn_mask`, `key_padding_mask` True = ignored, or float added to the scores"),
        ("`F.scaled_dot_product_attention`", "`attn_mask` True = takes part, or float added to the scores"),
    )
    return table(("kata", "its mask"), *((f"`{kata.name}`", kata.mask) for kata in KATAS), *pytorch)


def tiers() -> str:
    return table(("tier", "what passing it proves"), *((tier.name, tier.proves) for tier in all_tiers()))


def strength() -> str:
    record = recorded()
    return f"{table(*strength_rows(record))}\n{sweep_line(record)}\n"


def attacks() -> str:
    rows = attack_table.summary()
    known = attack_table.still_open()
    total = f"{sum(count for _, _, count in rows)} attacks; {len(known)} of them gain something:\n\n"
    gains = "".join(f"- {name}: {what}.\n" for name, what in known.items())
    return f"{table(('stopped by', 'which is', 'attacks'), *rows)}\n{total}{gains}"


def all_attacks() -> str:
    return table(attack_table.COLUMNS, *attack_table.all_rows())


def layers() -> str:
    return table(("switched off", "refuses", "succeed then", "others refuse then"), *attack_table.by_layer())


def speed() -> str:
    return f"{bench.sentence(bench.recorded())}\n"


TABLES = {
    "katas": katas,
    "masks": masks,
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
