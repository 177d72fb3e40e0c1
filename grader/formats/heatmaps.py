"""Pictures of a report as SVG: rectangles with CSS classes, whose colours `report.css` sets for light and for dark.

Each picture has a title, a line that says what can be seen, and the same line as a text for screen readers.
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from grader.formats.markup import Markup, joined, tag
from grader.records import Picture

CELL = 12
"""The side of a cell, in the units of a picture's own coordinates; a browser scales them."""
MARGIN = 20
"""The space for the names of the axes and the numbers of rows and columns."""
FEW_LINES = 12
"""Up to this many rows or columns, each one has its number; with more, only the first and the last have."""
MOST_PANELS = 8
SMALL = 1e-4
"""Values that differ by less count as equal: numbers in a record have 6 digits."""

Number = float | str
Grid = Sequence[Sequence[Number]]


class Panel(NamedTuple):
    """One grid of cells."""

    name: str
    """Such as `yours`."""
    cells: Grid
    most: float
    """The value that is drawn in the strongest colour, as is its negative where values may be below 0."""
    is_weights: bool
    """Whether the cells are weights, drawn from 0 to 1 in one colour; other values are drawn around 0 in two."""


def heatmaps(picture: Picture) -> Markup:
    """A wrong call: for each head yours, expected and the difference, with one line on what they hold."""
    of_weights = picture.axes[1] == "key"
    most = 1.0 if of_weights else _largest(picture.got, picture.expected)
    hidden = picture.hidden or [None] * len(picture.titles)
    heads = list(zip(picture.titles, picture.got, picture.expected, hidden, strict=True))
    apart = [_differences(got, expected) for _, got, expected, _ in heads]
    most_apart = _largest(apart)
    drawn = [
        _head(
            title,
            (
                Panel("yours", got, most, of_weights),
                Panel("expected", expected, most, of_weights),
                Panel("difference", off, most_apart, is_weights=False),
            ),
            mask,
            picture.axes,
        )
        for (title, got, expected, mask), off in zip(heads, apart, strict=True)
    ][:MOST_PANELS]
    more = len(heads) - len(drawn)
    is_masked = any(any(row) for mask in hidden[:MOST_PANELS] for row in mask or ())
    return tag(
        "div",
        tag("p", tag("b", _sentence(picture.what)), " ", tag("span", f"({picture.call})", class_="kr-dim")),
        *drawn,
        tag("p", f"and {more} more heads", class_="kr-dim") if more else None,
        _legend(of_weights, most, most_apart, is_masked=is_masked, has_odd=_has_odd(picture.got)),
        class_="kr-picture",
    )


def cells(picture: Picture) -> int:
    """The number of cells in all `yours` panels of a picture."""
    return sum(len(row) for panel in picture.got for row in panel)


def in_words(got: Grid, expected: Grid, hidden: Grid | None, *, of_weights: bool) -> str:
    """What one head's values show: `rows sum to 1: yes; NaN: none; hidden weight: 0`.

    For values that are not weights, it says how many differ, and by how much at most.

    Args:
        got: the submission's values of one head.
        expected: the right values, of the same shape.
        hidden: 1 where a mask hides the cell; None: there is no mask.
        of_weights: whether the values are weights.
    """
    numbers = [value for row in got for value in row]
    odd = [value for value in numbers if isinstance(value, str)]
    said = [f"NaN: {_count(odd.count('nan'), len(numbers))}"]
    infinite = len(odd) - odd.count("nan")
    said += [f"infinite: {_count(infinite, len(numbers))}"] if infinite else []
    if not of_weights:
        off = [value for row in _differences(got, expected) for value in row]
        far = [value for value in off if isinstance(value, str) or abs(value) > SMALL]
        largest = max((abs(value) for value in off if not isinstance(value, str)), default=0.0)
        return "; ".join([*said, f"differ: {_count(len(far), len(off))}", f"largest difference: {largest:.3g}"])
    see_none = {bool(row) and all(row) for row in hidden or ()}
    said.insert(0, f"rows {'that see a key ' if len(see_none) > 1 else ''}sum to 1: {_sums(got, hidden)}")
    outside = sum(not -SMALL <= value <= 1 + SMALL for value in numbers if not isinstance(value, str))
    said += [f"below 0 or above 1: {_count(outside, len(numbers))}"] if outside else []
    if hidden is not None:
        said.append(f"hidden weight: {_hidden_weight(got, hidden)}")
    return "; ".join(said)


def _sums(got: Grid, hidden: Grid | None) -> str:
    """Whether rows sum to 1, for the rows that see a key: fully masked rows may be zeros as well."""
    seeing = [row for row, mask in zip(got, hidden or [()] * len(got), strict=True) if not mask or not all(mask)]
    sums = [sum(row) for row in seeing if not any(isinstance(value, str) for value in row)]  # type: ignore[arg-type]
    if not sums:
        return "no row has a sum" if seeing else "no row may see a key"
    if len(sums) == len(seeing) and all(abs(total - 1) < SMALL for total in sums):
        return "yes"
    least, largest = min(sums), max(sums)
    return f"no ({least:.3g})" if largest - least < SMALL else f"no ({least:.3g} to {largest:.3g})"


def _hidden_weight(got: Grid, hidden: Grid) -> str:
    pairs = zip((value for row in got for value in row), (cell for row in hidden for cell in row), strict=True)
    under = [value for value, is_hidden in pairs if is_hidden]
    numbers = [abs(value) for value in under if not isinstance(value, str)]
    largest = max(numbers, default=0.0)
    if len(numbers) < len(under):
        return "NaN" if "nan" in under else "infinite"
    return f"up to {largest:.3g} in a cell" if largest > SMALL else "0"


def _count(number: int, of: int) -> str:
    return f"{number} of {of}" if number else "none"


def _head(title: str, panels: Sequence[Panel], hidden: Grid | None, axes: tuple[str, str]) -> Markup:
    yours, expected, _ = panels
    line = in_words(yours.cells, expected.cells, hidden, of_weights=yours.is_weights)
    drawn = [_panel(panel, hidden, axes, f"{title}, {panel.name}: {_alt(panel, line)}") for panel in panels]
    return tag(
        "figure",
        tag("figcaption", title),
        tag("div", *drawn, class_="kr-panels"),
        tag("p", line, class_="kr-dim"),
        class_="kr-head",
    )


def _alt(panel: Panel, line: str) -> str:
    numbers = [value for row in panel.cells for value in row if not isinstance(value, str)]
    size = f"{len(panel.cells)} by {len(panel.cells[0])} cells"
    values = f"from {min(numbers):.3g} to {max(numbers):.3g}" if numbers else "none of them a number"
    return f"{size}, {values}; {line}" if panel.name == "yours" else f"{size}, {values}"


def _panel(panel: Panel, hidden: Grid | None, axes: tuple[str, str], alt: str) -> Markup:
    rows, columns = len(panel.cells), len(panel.cells[0])
    width, height = columns * CELL, rows * CELL
    cells = [
        _cell(panel, value, row, column, f"{axes[0]} {row}, {axes[1]} {column}: ")
        for row, line in enumerate(panel.cells)
        for column, value in enumerate(line)
    ]
    svg = tag(
        "svg",
        *cells,
        _hatched(hidden),
        tag("rect", x=0, y=0, width=width, height=height, class_="kr-frame"),
        *_ticks(rows, columns, height),
        tag("text", axes[1], x=f"{width / 2:g}", y=height + MARGIN - 4),
        tag("text", axes[0], transform=f"translate({7 - MARGIN} {height / 2:g}) rotate(-90)"),
        viewBox=f"{-MARGIN} -1 {width + MARGIN + 1} {height + MARGIN + 3}",
        role="img",
        aria_label=alt,
    )
    return tag("div", tag("span", panel.name), svg, class_="kr-panel")


def _cell(panel: Panel, value: Number, row: int, column: int, place: str) -> Markup:
    at = f'x="{column * CELL}" y="{row * CELL}" width="{CELL}" height="{CELL}"'
    if isinstance(value, str):
        x, y, far = column * CELL + 3, row * CELL + 3, CELL - 6
        cross = Markup(f'<path class="kr-odd" d="M{x} {y}l{far} {far}m0 {-far}l{-far} {far}"/>')
        return joined(Markup(f'<rect class="kr-none" {at}>'), tag("title", place + value), Markup("</rect>"), cross)
    share = min(abs(value) / panel.most, 1.0) if panel.most else 0.0
    name = "kr-weight" if panel.is_weights and value >= 0 else "kr-above" if value >= 0 else "kr-below"
    title = tag("title", f"{place}{value:.4g}")
    return joined(Markup(f'<rect class="{name}" fill-opacity="{share:.3g}" {at}>'), title, Markup("</rect>"))


def _hatched(hidden: Grid | None) -> Markup | None:
    """Strokes over the cells that a mask hides, in one path: a pattern would need an id that is unique in its page."""
    if hidden is None:
        return None
    half = CELL // 2
    strokes = "".join(
        f"M{column * CELL} {row * CELL + half}l{half} {-half}M{column * CELL} {(row + 1) * CELL}l{CELL} {-CELL}"
        f"M{column * CELL + half} {(row + 1) * CELL}l{half} {-half}"
        for row, line in enumerate(hidden)
        for column, is_hidden in enumerate(line)
        if is_hidden
    )
    return tag("path", d=strokes, class_="kr-hatch") if strokes else None


def _ticks(rows: int, columns: int, height: int) -> Iterator[Markup]:
    for row in _numbered(rows):
        yield tag("text", str(row), x=-4, y=row * CELL + 9, class_="kr-tick")
    for column in _numbered(columns):
        yield tag("text", str(column), x=column * CELL + CELL // 2, y=height + 7, class_="kr-tick")


def _numbered(lines: int) -> Sequence[int]:
    return range(lines) if lines <= FEW_LINES else (0, lines - 1)


def _legend(of_weights: bool, most: float, most_apart: float, *, is_masked: bool, has_odd: bool) -> Markup:
    """What the colours mean.

    Args:
        of_weights: whether yours and expected are drawn from 0 to 1.
        most: the value in the strongest colour of yours and expected.
        most_apart: the value in the strongest colour of the difference.
        is_masked: whether any cell is hatched.
        has_odd: whether any value is not a finite number.
    """
    values = [_scale(("kr-weight",), "0", "1")] if of_weights else [_scale(("kr-below", "kr-above"), *_ends(most))]
    differences = [_scale(("kr-below", "kr-above"), *_ends(most_apart))]
    return tag(
        "p",
        tag("span", "yours, expected: ", *values),
        tag("span", "difference (yours less expected): ", *differences),
        tag("span", _sample(_hatched([[1, 1]])), " hidden by the mask") if is_masked else None,
        tag("span", _sample(Markup('<path class="kr-odd" d="M9 3l6 6m0 -6l-6 6"/>')), " NaN or infinite")
        if has_odd
        else None,
        class_="kr-legend kr-dim",
    )


def _scale(names: Sequence[str], least: str, most: str) -> Markup:
    """The colours in steps, with the numbers at their ends."""
    shares = [step / 6 for step in range(7)]
    steps = [(names[0], share) for share in reversed(shares)] if len(names) > 1 else []
    steps += [(names[-1], share) for share in (shares[1:] if steps else shares)]
    rects = [
        tag("rect", class_=name, fill_opacity=f"{share:.2g}", x=place * 6, y=0, width=6, height=12)
        for place, (name, share) in enumerate(steps)
    ]
    width = 6 * len(steps)
    frame = tag("rect", x=0, y=0, width=width, height=12, class_="kr-frame")
    drawn = tag("svg", *rects, frame, viewBox=f"0 0 {width} 12", width=width, height=12, aria_hidden="true")
    return joined(least, " ", drawn, " ", most)


def _sample(inside: Markup | None) -> Markup:
    frame = Markup('<rect class="kr-frame" x="0" y="0" width="24" height="12"/>')
    return tag("svg", inside, frame, viewBox="0 0 24 12", width=24, height=12, aria_hidden="true")


def _ends(most: float) -> tuple[str, str]:
    return f"-{most:.2g}", f"{most:.2g}"


def _differences(got: Grid, expected: Grid) -> list[list[Number]]:
    return [
        [
            "nan" if isinstance(one, str) or isinstance(other, str) else one - other
            for one, other in zip(*rows, strict=True)
        ]
        for rows in zip(got, expected, strict=True)
    ]


def _largest(*of: Any) -> float:
    """The largest finite magnitude in nested sequences; 1 where all are 0."""
    largest = max((abs(value) for value in _leaves(of) if not isinstance(value, str)), default=0.0)
    return largest or 1.0


def _has_odd(of: Any) -> bool:
    return any(isinstance(value, str) for value in _leaves(of))


def _leaves(value: Any) -> Iterator[Number]:
    if isinstance(value, str | int | float):
        yield value
    else:
        for each in value:
            yield from _leaves(each)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"
