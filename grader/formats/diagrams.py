"""The diagrams that are not heatmaps: a wrong shape axis by axis, and memory on a log axis.

Shapes and amounts of memory are read from the words of a check, and the growth of memory from its evidence.
"""

import math
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

from grader.formats.markup import Markup, joined, tag
from grader.records import CheckResult

SHAPE = re.compile(r"shape \(([^()]*)\)")
NUMBER = r"(\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,2})?)"
FEWER = re.compile(r"fewer than (\d+) elements")
AT_MOST = re.compile(rf"at most {NUMBER}")
WIDTH, HEIGHT, LEFT = 420, 240, 70
"""The size of a diagram in its own units, and the space left of its axis, for names or numbers."""
ROOM = WIDTH - LEFT - 26


class Amount(NamedTuple):
    """How much memory the submission takes, and how much is expected or allowed at most."""

    unit: str
    name: str
    """What `wanted` is: `allowed` or `expected`."""
    wanted: float
    got: float


def shapes(check: CheckResult) -> Markup | None:
    """The expected shape and the shape got, axis by axis; None: the check did not fail on a shape."""
    expected, got = _sizes(check.expected), _sizes(check.got)
    if expected is None or got is None:
        return None
    names = [name for name, _ in expected]
    names += [f"axis {place}" for place in range(len(expected), len(got))]
    sizes = [[size for _, size in side] for side in (expected, got)]
    wants, sizes_got = (side + [None] * (len(names) - len(side)) for side in sizes)
    most = max(filter(None, (*wants, *sizes_got)), default=1)
    rows = [_axis(name, want, size_got, most) for name, want, size_got in zip(names, wants, sizes_got, strict=True)]
    head = tag("tr", *(tag("th", words, scope="col") for words in ("axis", "expected", "got")))
    return tag(
        "div",
        tag("table", tag("thead", head), tag("tbody", *rows), class_="kr-shapes"),
        tag("p", _compared(names, wants, sizes_got), class_="kr-dim"),
        class_="kr-picture",
    )


def memory(check: CheckResult) -> Markup | None:
    """The memory taken beside the memory expected or allowed, on a log axis; None: the check did not fail on memory."""
    if (amount := _amount(check)) is None:
        return None
    unit, name, wanted, got = amount
    least, most = _decades([wanted, got])
    bars = joined(_bar(name, wanted, 18, (least, most), "kr-allowed"), _bar("yours", got, 48, (least, most), "kr-got"))
    times = f"; that is {got / wanted:.3g} times as many" if wanted else ""
    line = f"{got:,.0f} {unit}; {name}: {wanted:,.0f}{times}"
    ticks = [
        joined(
            tag("path", d=f"M{x:g} 6v62", class_="kr-grid"),
            _number(power, x, 80),
        )
        for power in range(least, most + 1)
        for x in [_at(power, (least, most))]
    ]
    title = tag("text", f"{unit}, log axis", x=LEFT + ROOM / 2, y=93)
    return _diagram(line, joined(*ticks, bars, title), 98)


def growth(check: CheckResult) -> Markup | None:
    """Rows of (length, bytes), got and expected, on two log axes; None: the check's values are not such rows."""
    evidence = check.evidence
    if evidence is None or not (check.what or "").startswith("peak bytes") or not _are_pairs(evidence.got):
        return None
    curves = {"yours": _points(evidence.got), "expected": _points(evidence.expected or ())}
    points = [point for curve in curves.values() for point in curve]
    if not points:
        return None
    across, up = _decades([x for x, _ in points]), _decades([y for _, y in points])
    marks = [_ticks(across, up)]
    for name, style in (("expected", "kr-allowed"), ("yours", "kr-got")):
        places = [(_at(math.log10(x), across), _height(math.log10(y), up)) for x, y in curves[name]]
        marks.append(tag("polyline", points=" ".join(f"{x:g},{y:g}" for x, y in places), class_=f"kr-line {style}"))
        marks += [_mark(name, x, y, style) for x, y in places]
        if places:
            marks.append(tag("text", name, x=f"{places[-1][0] - 4:g}", y=f"{places[-1][1] - 8:g}", class_="kr-end"))
    line = "; ".join(f"{name}: {_slope(curve)}" for name, curve in curves.items() if len(curve) > 1)
    return _diagram(
        f"bytes by length, log axes; {line}" if line else "bytes by length, log axes", joined(*marks), HEIGHT
    )


def _sizes(text: str | None) -> list[tuple[str, int]] | None:
    shape = SHAPE.fullmatch(text or "")
    if shape is None:
        return None
    parts = [part.strip() for part in shape[1].split(",") if part.strip()]
    pairs = [part.partition("=") if "=" in part else (f"axis {place}", "=", part) for place, part in enumerate(parts)]
    return [(name, int(size)) for name, _, size in pairs] if all(size.isdigit() for _, _, size in pairs) else None


def _axis(name: str, want: int | None, size_got: int | None, most: int) -> Markup:
    style = None if want == size_got else "kr-wrong"
    cells = [tag("td", _length(size, most), str(size) if size is not None else "none") for size in (want, size_got)]
    return tag("tr", tag("th", name, scope="row"), *cells, class_=style)


def _length(size: int | None, most: int) -> Markup:
    bar = tag("rect", x=0, y=0, width=f"{80 * (size or 0) / most:.3g}", height=8)
    return tag("svg", bar, viewBox="0 0 80 8", width=80, height=8, aria_hidden="true")


def _compared(names: Sequence[str], wants: Sequence[int | None], sizes_got: Sequence[int | None]) -> str:
    wrong = [name for name, want, size_got in zip(names, wants, sizes_got, strict=True) if want != size_got]
    said = [f"differ: {', '.join(wrong)}"]
    if None not in (*wants, *sizes_got) and sorted(map(int, filter(None, wants))) == sorted(
        map(int, filter(None, sizes_got))
    ):
        said.append("the same sizes in another order")
    if None in wants or None in sizes_got:
        said.append(
            f"axes: {sum(size is not None for size in sizes_got)}, expected {sum(size is not None for size in wants)}"
        )
    return "; ".join(said)


def _amount(check: CheckResult) -> Amount | None:
    fewer, shape = FEWER.fullmatch(check.expected or ""), _sizes((check.got or "").partition(", kept as ")[0])
    if fewer is not None and shape is not None:
        return Amount("elements", "allowed", float(fewer[1]), float(math.prod(size for _, size in shape)))
    if "bytes" not in (check.what or ""):
        return None
    at_most, got = AT_MOST.fullmatch(check.expected or ""), re.match(rf"{NUMBER}(?![^;])", check.got or "")
    exactly = re.fullmatch(NUMBER, check.expected or "")
    if got is None or not (wanted := at_most or exactly):
        return None
    return Amount("bytes", "allowed" if at_most else "expected", float(wanted[1]), float(got[1]))


def _decades(values: Sequence[float]) -> tuple[int, int]:
    least, most = math.floor(math.log10(max(min(values), 1))), math.ceil(math.log10(max(*values, 2)))
    return (least, most) if most > least else (least, least + 1)


def _at(power: float, decades: tuple[int, int]) -> float:
    least, most = decades
    return LEFT + ROOM * (power - least) / (most - least)


def _height(power: float, decades: tuple[int, int]) -> float:
    least, most = decades
    return HEIGHT - 36 - (HEIGHT - 48) * (power - least) / (most - least)


def _bar(name: str, value: float, y: int, decades: tuple[int, int], style: str) -> Markup:
    width = _at(math.log10(max(value, 1)), decades) - LEFT
    return joined(
        tag("text", name, x=LEFT - 6, y=y + 4, class_="kr-name"),
        tag("rect", x=LEFT, y=y - 8, width=f"{width:.4g}", height=16, class_=style),
    )


def _ticks(across: tuple[int, int], up: tuple[int, int]) -> Markup:
    top, bottom = _height(up[1], up), _height(up[0], up)
    marks = []
    for power in range(across[0], across[1] + 1):
        x = _at(power, across)
        marks += [tag("path", d=f"M{x:g} {top:g}V{bottom:g}", class_="kr-grid"), _number(power, x, bottom + 11)]
    for power in range(up[0], up[1] + 1):
        y = _height(power, up)
        marks += [tag("path", d=f"M{LEFT} {y:g}h{ROOM}", class_="kr-grid"), _number(power, LEFT - 24, y + 3)]
    names = [
        tag("text", "length", x=LEFT + ROOM / 2, y=HEIGHT - 8),
        tag("text", "bytes", transform=f"translate(12 {HEIGHT / 2:g}) rotate(-90)"),
    ]
    return joined(*marks, *names)


def _number(power: int, x: float, y: float) -> Markup:
    return tag("text", f"{10**power:,}" if power < 6 else f"1e{power}", x=f"{x:g}", y=f"{y:g}")


def _mark(name: str, x: float, y: float, style: str) -> Markup:
    if name == "yours":
        return tag("rect", x=f"{x - 3:g}", y=f"{y - 3:g}", width=6, height=6, class_=style)
    return tag("circle", cx=f"{x:g}", cy=f"{y:g}", r=3, class_=style)


def _are_pairs(rows: Sequence[Any]) -> bool:
    return all(isinstance(row, list | tuple) and len(row) == 2 for row in rows)


def _points(rows: Sequence[Sequence[float | str]]) -> list[tuple[float, float]]:
    pairs = [(row[0], row[1]) for row in rows]
    return [(x, y) for x, y in pairs if not isinstance(x, str) and not isinstance(y, str) and x > 0 and y > 0]


def _slope(curve: Sequence[tuple[float, float]]) -> str:
    (x, y), (far_x, far_y) = curve[0], curve[-1]
    if x == far_x:
        return "one length"
    return f"grows as length to the power {math.log(far_y / y) / math.log(far_x / x):.2g}"


def _diagram(line: str, inside: Markup, height: int) -> Markup:
    svg = tag("svg", inside, viewBox=f"0 0 {WIDTH} {height}", role="img", aria_label=line, class_="kr-diagram")
    return tag("div", svg, tag("p", line, class_="kr-dim"), class_="kr-picture")
