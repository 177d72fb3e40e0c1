"""Turns a state into the lines of a screen."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple

from grader.core import place
from grader.core.hints import Hint
from grader.formats.clean import clean, cleaned
from grader.formats.lines import Line, Span, wrapped
from grader.formats.text import (
    FAILED_STYLE,
    STYLES,
    begin_lines,
    detail_lines,
    first_failing,
    message_lines,
    not_written,
    score_line,
    state_proof,
)
from grader.records import FULL_SCORE, CheckResult, Outcome, Report, TierResult, Verdict
from grader.watch.state import State

KEYS = (("h", "hint"), ("e", "explain"), ("n", "next"), ("p", "previous"), ("r", "reset"), ("q", "quit"))
PENDING = "...."
LEAST = 3
"""The fewest lines of findings on a screen, however few lines the terminal has."""


class TierSoFar(NamedTuple):
    """A tier, of which some checks may have no verdict yet."""

    name: str
    proves: str
    checks: tuple[CheckResult, ...]
    max_points: int
    whole: bool

    @property
    def mark(self) -> Verdict | None:
        """One verdict for the tier; None: it is not known yet."""
        verdicts = {check.verdict for check in self.checks} - {Verdict.PASS}
        if not verdicts:
            return Verdict.PASS if self.whole else None
        return verdicts.pop() if len(verdicts) == 1 else Verdict.FAIL


def draw(state: State, width: int, height: int) -> list[Line]:
    """Return the lines of the screen.

    Args:
        state: what is known.
        width: the columns of the screen.
        height: the lines of the screen; what does not fit between the first lines and the last ones is scrolled.
    """
    above, below = _above(state, width), _below(state, width)
    room = max(LEAST, height - len(above) - len(below))
    middle = _window(_middle(state, width, room), state.top, room)
    return [*above, *middle, *([[]] * (room - len(middle))), *below]


def most_lines(state: State, width: int, height: int) -> int:
    """Return how many lines can be scrolled away; arguments as of `draw`."""
    room = max(LEAST, height - len(_above(state, width)) - len(_below(state, width)))
    return max(0, len(_middle(state, width, room)) - room + 1)


def tiers_so_far(state: State) -> list[TierSoFar]:
    """The tiers in running order as the last report has them, then those that only this grading has met."""
    known = {tier.name: tier for tier in state.report.tiers} if state.report else {}
    if not state.grading:
        return [TierSoFar(tier.name, tier.proves, tier.checks, tier.max_points, True) for tier in known.values()]
    names = dict.fromkeys([*known, *(judged.tier for judged in state.judged)])
    return [_so_far(state, name, known.get(name)) for name in names]


def _so_far(state: State, name: str, known: TierResult | None) -> TierSoFar:
    judged = {each.result.name: each.result for each in state.judged if each.tier == name}
    if known is None:
        points = sum(check.max_points for check in judged.values())
        return TierSoFar(name, "", tuple(judged.values()), points, whole=state.running != name)
    checks = tuple(judged[check.name] for check in known.checks if check.name in judged)
    return TierSoFar(name, known.proves, checks, known.max_points, len(checks) == len(known.checks))


def _above(state: State, width: int) -> list[Line]:
    path = (place.ROOT / "exercises" / f"{state.kata}.py").relative_to(place.ROOT)
    done = [state.best.get(kata, 0) >= FULL_SCORE for kata in state.ladder]
    marks = zip(state.ladder, done, strict=True)
    rungs = [">" if kata == state.kata else "#" if at_100 else "-" for kata, at_100 in marks]
    ladder = f"[{''.join(rungs)}]  {sum(done)} of {len(done)} katas at {FULL_SCORE} (#), here (>)"
    best = f", best score here {state.best[state.kata]}" if state.best.get(state.kata) else ""
    lines = [*_in_width([[Span(state.kata, "bold")], [Span(f"   {path}")], [Span(f"   seed {state.seed}")]], width)]
    lines += wrapped(ladder + best, width, [], "cyan")
    if state.notice:
        lines += wrapped(clean(state.notice), width, [], "green")
    return [*lines, []]


def _below(state: State, width: int) -> list[Line]:
    return [[], *_in_width(_score(state), width), *_in_width(_footer(state), width)]


def _in_width(parts: Sequence[Line], width: int) -> list[Line]:
    """Return the parts one after the other, in as many lines as they need; at least one line.

    A part that is wider than a line has to be one span.
    """
    lines: list[Line] = [[]]
    for part in parts:
        needed = len("".join(span.text for span in part).rstrip())
        if lines[-1] and needed > width - sum(len(span.text) for span in lines[-1]):
            lines.append([])
        first, *others = wrapped(part[0].text.strip(), width, [], part[0].style) if needed > width else [part]
        lines[-1] += first
        lines += others
    return lines


def _middle(state: State, width: int, room: int) -> list[Line]:
    """What is between the head and the last lines: tiers, the first failing check in full, hints.

    Where these are more lines than there is room for, the tiers share lines.
    """
    tiers, lines = _tiers(state, width) if _has_tiers(state) else [], _details(state, width)
    if tiers:
        tiers = tiers if len(tiers) + 1 + len(lines) <= room else _in_width(_tiers_in_brief(state), width)
        lines = [*tiers, [], *lines]
    for hint in state.hints:
        lines += [[], *_hint(hint, width)]
    return _without_empty_ends(lines)


def _has_tiers(state: State) -> bool:
    return state.refusal is None and (state.grading or (state.report is not None and _ran(state.report)))


def _ran(report: Report) -> bool:
    return not not_written(report) and any(
        check.verdict is not Verdict.SKIP for t in report.tiers for check in t.checks
    )


def _tiers(state: State, width: int) -> list[Line]:
    tiers = tiers_so_far(state)
    names = max((len(tier.name) for tier in tiers), default=0)
    marks = max(4, *(len(check.verdict) for tier in tiers for check in tier.checks), 4)
    lines: list[Line] = []
    for tier in tiers:
        mark, points = tier.mark, sum(check.points for check in tier.checks)
        style = "dim" if mark is None else STYLES.get(mark, FAILED_STYLE)
        first = Span(f"  {PENDING if mark is None else mark.upper():<{marks}}  ", style)
        proves = tier.proves if mark is None or not tier.proves else state_proof(mark, tier.proves)
        left = [first, Span(f"{tier.name:<{names}}  {points:>2} of {tier.max_points:>2}  ")]
        lines += wrapped(proves, width, left, "dim")
    return lines


def _tiers_in_brief(state: State) -> list[Line]:
    """Return the parts of a line that lists the tiers: `PASS shapes   FAIL causal 3 of 8`."""
    parts: list[Line] = []
    for tier in tiers_so_far(state):
        mark, points = tier.mark, sum(check.points for check in tier.checks)
        style = "dim" if mark is None else STYLES.get(mark, FAILED_STYLE)
        of = "" if mark is Verdict.PASS else f" {points} of {tier.max_points}"
        parts.append([Span(f"  {PENDING if mark is None else mark.upper()}", style), Span(f" {tier.name}{of} ")])
    return parts


def _details(state: State, width: int) -> list[Line]:
    if state.refusal is not None:
        return wrapped(clean(state.refusal), width, [Span("  ")], FAILED_STYLE)
    if not state.grading:
        return _of_report(state, cleaned(state.report), width) if state.report else []
    failing = first_failing(partial := report_so_far(state))
    if failing is not None and failing[1].verdict is not Verdict.TODO:
        return detail_lines(partial, "first", width, explain=state.explain)
    # Nothing fails so far: what failed before this save stays in sight, dimmed.
    return (
        [[Span(span.text, "dim") for span in line] for line in _of_report(state, state.report, width)]
        if state.report
        else []
    )


def _of_report(state: State, report: Report, width: int) -> list[Line]:
    lines = message_lines(report, width)
    if report.outcome is Outcome.GRADED and not_written(report):
        lines += begin_lines(report, width, state.begin)
    elif report.outcome is Outcome.GRADED:
        lines += detail_lines(report, "first", width, explain=state.explain)
        for note in report.notes:
            lines += wrapped(note, width, [Span("  note  ", "yellow")])
    return lines


def report_so_far(state: State) -> Report:
    """A report of what was judged so far."""
    tiers = tuple(TierResult(tier.name, tier.proves, tier.checks) for tier in tiers_so_far(state) if tier.checks)
    empty = Report(state.kata, "", "", state.seed, "cpu", Outcome.GRADED, 0.0, {})
    return cleaned(replace(empty, tiers=tiers))


def _hint(hint: Hint, width: int) -> list[Line]:
    lines: list[Line] = [[Span(f"  hint {hint.number}  ", "yellow"), Span(clean(hint.about), "bold")]]
    return [*lines, *wrapped(clean(hint.text), width, [Span(" " * 10)])]


def _score(state: State) -> list[Line]:
    if state.grading and state.naming:
        return [[Span(score_line(report_so_far(state)), "bold")], [Span("   naming why ...", "dim")]]
    if state.grading:
        points = sum(judged.result.points for judged in state.judged)
        return [
            [Span(f"{points} points so far", "bold")],
            [Span(f"   grading{': ' if state.running else ''}{state.running or ''} ...", "dim")],
        ]
    if state.report is None or state.refusal is not None:
        return []
    style = "bold green" if state.report.score == state.report.max_score else "bold"
    off = [name for name, on in state.report.protections.items() if not on]
    return [
        [Span(score_line(state.report), style)],
        *([[Span(f"   not isolated: {', '.join(off)} off", "yellow")]] if off else []),
    ]


def _footer(state: State) -> list[Line]:
    keys = (("y", "yes"), ("any other key", "no")) if state.asks else KEYS
    shown = [[Span(key, "bold"), Span(f" {word}   ")] for key, word in keys]
    if state.asks:
        return [
            [Span(f"reset {state.kata}?   ", "yellow")],
            *shown,
            [Span("(the old text is kept in a .bak file)", "dim")],
        ]
    return shown


def _window(lines: Sequence[Line], top: int, room: int) -> list[Line]:
    """Return `room` lines from line `top` on; where some are out of sight, the last line says so."""
    if len(lines) <= room:
        return list(lines)
    top = min(top, len(lines) - room + 1)
    shown = lines[top : top + room - 1]
    above, after = top, len(lines) - top - len(shown)
    return [*shown, [Span(f"  {above} lines above, {after} below: arrow keys", "dim")]]


def _without_empty_ends(lines: Iterable[Line]) -> list[Line]:
    """Return the lines with no two empty ones in a row, and none at the beginning and the end."""
    kept: list[Line] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept
