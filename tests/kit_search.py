"""Searches a kit for what it must not hold, by tokens: neither other names nor other spaces hide a copy.

What is secret is told from what it is for (solutions, checks that are not public, oracle, mistakes), not from the
markers and the manifest that the kit is built by. It is cut into windows of so many tokens each:

- of a solution's body not one window may be there;
- of a hidden function less than half of the windows, for checks say much in the same words.
"""

import ast
import importlib
import inspect
import io
import json
import keyword
import pkgutil
import re
import textwrap
import tokenize
from collections.abc import Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import NamedTuple

from grader import katas
from grader.checks import liveness_claims
from grader.checks.tiers import Check
from grader.claims.hidden import testing
from grader.judge.diagnosis import annotation, replay, search
from grader.oracle import attention_key, catalogue, implemented, pipeline, pytorch, sections
from grader.records import Visibility
from grader.stubs.markers import IN_THE_STUB, blocks
from tests.grading import BY_NAME, ROOT

LEXEME = re.compile(r"\w+|[^\w\s]")
COMMENT = re.compile(r"#[^\n]*")
SKIPPED = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}
CATALOGUE = tuple(
    importlib.import_module(f"{catalogue.__name__}.{module.name}")
    for module in pkgutil.iter_modules(catalogue.__path__)
)
OF_KATAS = tuple(
    importlib.import_module(module.name)
    for module in pkgutil.walk_packages(katas.__path__, f"{katas.__name__}.")
    if ".hidden" in module.name
)
SECRET_MODULES = (
    *(pipeline, pytorch, sections, attention_key, implemented, testing, search, replay, annotation),
    *(*CATALOGUE, *OF_KATAS),
)
OF_A_SOLUTION = 13
"""Tokens of a window: in 12 a stub and its solution still agree by accident."""
OF_A_FUNCTION = 8
MOST_SHARED = 0.5
SAYS_NOTHING = frozenset("_,()[]")
FEWEST = 30
"""Windows that a function must have where names do not count: a short one looks like any other then."""

Window = tuple[str, ...]


class Secret(NamedTuple):
    """A piece of source that a kit must not hold.

    Attributes:
        given: what the stub has in its place, and so no secret.
    """

    name: str
    tokens: tuple[str, ...]
    given: tuple[str, ...] = ()


def secrets_in(files: Mapping[str, bytes], kata: str = "") -> list[str]:
    """What a kit's files hold of any secret, as `FILE: SECRET`.

    Args:
        files: of the kit, by name.
        kata: whose kit it is: what its stub gives may stand in it.
    """
    given = tuple(token for secret in solutions() if secret.name.startswith(f"{kata}.") for token in secret.given)
    return sorted({f"{name}: {secret}" for name, data in files.items() for secret in _held(_text(name, data), given)})


@cache
def _held(text: str, given: tuple[str, ...]) -> frozenset[str]:
    secrets = set()
    for named in (True, False):
        there = {size: _windows_of(text, size, named) for size in (OF_A_SOLUTION, OF_A_FUNCTION)}
        for secret in solutions():
            open_ = _windows(secret.given, OF_A_SOLUTION, named) | _windows(given, OF_A_SOLUTION, named)
            if (_windows(secret.tokens, OF_A_SOLUTION, named) - open_) & there[OF_A_SOLUTION]:
                secrets.add(secret.name)
        for secret in hidden():
            own = _windows(secret.tokens, OF_A_FUNCTION, named) - _public(named)
            shared = len(own & there[OF_A_FUNCTION])
            if len(own) >= (4 if named else FEWEST) and shared >= MOST_SHARED * len(own):
                secrets.add(secret.name)
    plain = " ".join(text.split())
    return frozenset(secrets | {sentence for sentence in sentences() if sentence in plain})


@cache
def sentences() -> frozenset[str]:
    """What mistakes are called, why they are wrong, and what an interviewer may ask."""
    named = {
        text for kata in BY_NAME.values() for mistake in kata.key.mistakes for text in (mistake.sentence, mistake.why)
    }
    questions = {section.question for section in sections.BY_STEP.values()} | set(sections.BY_TIER.values())
    questions |= {question for kata in BY_NAME.values() for question in kata.key.questions.values()}
    return frozenset((named | questions) - {""})


@cache
def solutions() -> tuple[Secret, ...]:
    """What a candidate writes, of all katas, piece by piece."""
    secrets = []
    for kata in BY_NAME:
        path = Path("solutions", f"{kata}.py")
        text = (ROOT / path).read_text(encoding="utf-8")
        for block in blocks(text, path):
            body = textwrap.dedent("\n".join(text.splitlines()[block.begin : block.end - 1]))
            ours, _, given = body.partition(IN_THE_STUB)
            secrets.append(Secret(f"{kata}.{block.function}", _code(ours), _code(given.replace("\n# ", "\n"))))
    return tuple(secrets)


@cache
def hidden() -> tuple[Secret, ...]:
    """Checks that are not public, the oracle's steps, PyTorch's answer, mistakes and how they are proven."""
    secrets = [Secret(check.name, source) for check, source in _checks() if check.visibility is not Visibility.PUBLIC]
    for module in SECRET_MODULES:
        for definition in _definitions(inspect.getsource(module)):
            secrets.append(Secret(f"{module.__name__}.{definition.name}", definition.tokens))
    return tuple(secrets)


@cache
def _public(named: bool) -> frozenset[Window]:
    """What checks that are public say in the same words."""
    sources = [source for check, source in _checks() if check.visibility is Visibility.PUBLIC]
    sources.append(_code(inspect.getsource(liveness_claims)))
    return frozenset(window for source in sources for window in _windows(source, OF_A_FUNCTION, named))


@cache
def _checks() -> tuple[tuple[Check, tuple[str, ...]], ...]:
    """Every check with the tokens of its function."""
    by_function = {}
    for kata in BY_NAME.values():
        for check in kata.checks:
            function = check.run.func if isinstance(check.run, partial) else check.run
            source = textwrap.dedent(inspect.getsource(function))
            by_function[function] = (check, _code(source[source.index("def ") :]))
    return tuple(by_function.values())


def _definitions(text: str) -> Iterator[Secret]:
    lines = text.splitlines()
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield Secret(node.name, _code("\n".join(lines[node.lineno - 1 : node.end_lineno])))


def _code(text: str) -> tuple[str, ...]:
    """The tokens of Python source without comments and docstrings."""
    kept = [
        token.string
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type not in SKIPPED and not token.string.startswith('"""')
    ]
    return tuple(LEXEME.findall(" ".join(kept)))


def _text(name: str, data: bytes) -> str:
    """A file as text; a notebook as it is, and once more as its cells."""
    text = data.decode()
    if not name.endswith(".ipynb"):
        return text
    return "\n".join([text, *("".join(cell["source"]) for cell in json.loads(text)["cells"])])


@cache
def _windows_of(text: str, size: int, named: bool) -> frozenset[Window]:
    """Of a text as it is, comments and strings too, and of the text without its comments."""
    variants = (text, COMMENT.sub("", text))
    return frozenset(w for variant in variants for w in _windows(tuple(LEXEME.findall(variant)), size, named))


@cache
def _windows(tokens: tuple[str, ...], size: int, named: bool) -> frozenset[Window]:
    """All runs of so many tokens; not `named`: with one name for all names but attributes and keywords.

    Then a run of names, commas and brackets alone says nothing: it stands in any file with two tuples.
    """
    if not named:
        tokens = tuple(
            "_" if token.isidentifier() and not keyword.iskeyword(token) and before != "." else token
            for before, token in zip(("", *tokens), tokens, strict=False)
        )
    runs = (tokens[start : start + size] for start in range(len(tokens) - size + 1))
    return frozenset(run for run in runs if named or not SAYS_NOTHING.issuperset(run))
