"""Which kata a submission is for: by its metadata, its file's name, or the names that it defines."""

import difflib
import re
from collections.abc import Sequence
from typing import NamedTuple

from grader.listing import listed
from grader.records import Contract, Definition, GraderError, RequiredName, Submission
from grader.submission.definitions import without_self
from grader.submission.signature import accepts, parse, signature_problem
from grader.submission.suggestion import nearest
from grader.submission.syntax import tree_of

Definitions = dict[str, Definition]
MOST_NAMES = 100
"""The most defined names that a message considers."""
MOST_SHOWN = 8
"""The most of these that it lists."""


def identify(submission: Submission, contracts: Sequence[Contract]) -> str:
    """The kata's name.

    The notebook's metadata decide first. The file's name decides next, unless the kata that it names does not fit,
    exactly one other kata does, and either the file lacks names that the named kata needs, or its name only contains
    that kata's name. The definitions decide last, as the source shows them.

    A kata fits if all its names are defined with its signatures. Where no kata fits so, those fit whose names could be
    called by position; where none could, those whose functions and classes are defined. Where several fit, a kata whose
    names are used in the definitions of another one is left out: it is a helper there.

    Args:
        submission: the submission as it was read.
        contracts: the contracts of all katas.

    Raises:
        GraderError: no kata fits; or several do, and the message lists them.
    """
    by_name = {contract.kata: contract for contract in contracts}
    if submission.kata_hint in by_name:
        return str(submission.kata_hint)
    there = {each.name: each for each in submission.definitions}
    # The judge reports a wrong signature, so it need not hide which kata is meant.
    fitting = next(filter(None, ([each.kata for each in contracts if fits(each, there)] for fits in FITS)), [])
    rivals = [by_name[kata] for kata in fitting if not by_name[kata].by_name_alone or len(fitting) == 1]
    plain = re.sub(r"\W+", "_", submission.path.stem.lower())
    named = _by_file_name(plain, list(by_name))
    # `mha_module.py` may be for another kata, all of whose names and signatures it has; `module.py` is not.
    if named is not None:
        stays = named == plain and _has_names(by_name[named], there)
        if named in fitting or len(rivals) != 1 or stays:
            return named
    whole = [each.kata for each in rivals if not _is_helper(each, rivals, there)]
    if len(whole) == 1:
        return whole[0]
    raise GraderError(_cannot_tell(submission, there, rivals, contracts))


def has_names(contract: Contract, submission: Submission) -> bool:
    """Whether a submission's source defines all that a kata asks for, with whatever signatures."""
    return _has_names(contract, {each.name: each for each in submission.definitions})


class StandIn(NamedTuple):
    """A definition that is taken for one that the contract asks for under another name."""

    name: str
    needed: str
    """The contract's name."""


def stand_in(contract: Contract, submission: Submission) -> StandIn | None:
    """The definition that can only be meant for the one that is missing; None: none is missing, or it is not clear.

    A function can be meant if it can be called as the contract says, at least by position; a class, if so can its
    methods, and it is the only class. Where a cell is no Python, the answer may be in there.

    Args:
        contract: the contract of the kata that the submission is known to be for.
        submission: the submission as it was read.
    """
    there = {each.name: each for each in submission.definitions}
    top = [needed for needed in _to_write(contract) if "." not in needed.name]
    if len(top) != 1 or top[0].name in there or any(tree_of(cell.source) is None for cell in submission.cells):
        return None
    [needed] = top
    known = {each.name for each in contract.needed}
    others = [
        each for each in there.values() if each.kind == needed.kind and each.name not in known and each.name[0] != "_"
    ]
    if needed.kind == "function":
        others = [each for each in others if each.signature and not signature_problem(needed, parse(each.signature))]
    if len(others) != 1:
        return None
    [meant] = others
    its = {name: each for name, each in there.items() if name.startswith(f"{meant.name}.")}
    renamed = {needed.name + name.removeprefix(meant.name): each for name, each in its.items()}
    can_be_called = _can_be_called(contract, renamed | {needed.name: meant})
    return StandIn(meant.name, needed.name) if can_be_called else None


def _cannot_tell(
    submission: Submission, there: Definitions, fitting: list[Contract], contracts: Sequence[Contract]
) -> str:
    at_the_top = [each for each in submission.definitions if "." not in each.name]
    names = [each.name for each in sorted(at_the_top, key=lambda each: each.kind == "other")]  # variables last
    candidates = [contract.kata for contract in fitting]
    if fitting:
        whole = listed(candidates)
        problem = f"it defines what {whole} ask for."
        if not any(_can_be_called(contract, there) for contract in fitting):
            shared = dict.fromkeys(name for contract in fitting for name in _top_names(contract))
            problem = f"it defines {listed(shared)}, as {whole} ask, "
            lack = next(lack for needed in _to_write(fitting[0]) if (lack := _lack(needed, there)))
            problem += f"but its source does not show the signatures of one of them: for {candidates[0]}, {lack}."
    elif names:
        more = f" and {len(names) - MOST_SHOWN} more" if len(names) > MOST_SHOWN else ""
        problem = f"it defines {', '.join(names[:MOST_SHOWN])}{more}, which is no kata's set of names"
        problem += _meant(names[:MOST_NAMES], {name for contract in contracts for name in _top_names(contract)})
    else:
        problem = "it defines no function and no class."
    broken = next((cell.number for cell in submission.cells if tree_of(cell.source) is None), None)
    if broken is not None and not fitting:
        problem += f" Cell {broken} is no Python, and what it defines is not seen: correct it first."
    repair = f"Candidates: {', '.join(candidates)}." if fitting else "Say which it is for: KATA=NAME."
    return f"{submission.path.name} could not be matched with a kata: {problem} {repair}"


def _meant(names: Sequence[str], required: set[str]) -> str:
    """The end of the sentence: the defined name that comes nearest to one that is required, if any does."""
    near = {name: nearest(name, sorted(required - set(names))) for name in names}
    ratios = {name: difflib.SequenceMatcher(None, name, other).ratio() for name, other in near.items() if other}
    if not ratios:
        return "."
    best = max(ratios, key=ratios.__getitem__)
    return f"; for {best}, did you mean {near[best]}?"


def _by_file_name(plain: str, katas: Sequence[str]) -> str | None:
    """The kata that a file's name contains, the longest of several: `scaffold_1` and `my_scaffold` are for scaffold."""
    contained = sorted((kata for kata in katas if kata in plain), key=len, reverse=True)
    return contained[0] if contained else None


def _is_helper(contract: Contract, fitting: Sequence[Contract], there: Definitions) -> bool:
    """Whether definitions of another fitting kata use its names: a class may have its attention as a function."""
    own = set(_top_names(contract))
    others = {name for other in fitting for name in _top_names(other)} - own
    return any(not own.isdisjoint(there[name].uses) for name in others)


def _to_write(contract: Contract) -> list[RequiredName]:
    return [needed for needed in contract.needed if needed.supplied is None]


def _top_names(contract: Contract) -> list[str]:
    return [needed.name for needed in _to_write(contract) if "." not in needed.name]


def _fits(contract: Contract, there: Definitions) -> bool:
    signatures = [(needed, _signature(needed, there)) for needed in _to_write(contract)]
    exact = all(signature is None or accepts(needed, parse(signature)) for needed, signature in signatures)
    return exact and _can_be_called(contract, there)


def _can_be_called(contract: Contract, there: Definitions) -> bool:
    return not any(_lack(needed, there) for needed in _to_write(contract))


def _has_names(contract: Contract, there: Definitions) -> bool:
    return all(name in there for name in _top_names(contract))


FITS = (_fits, _can_be_called, _has_names)


def _lack(needed: RequiredName, there: Definitions) -> str | None:
    """What is wrong with a required name: it is not defined, or its signature is wrong; None: nothing, as far as known.

    A constructor may be generated, as that of a dataclass, and what a variable stands for is not known.
    """
    owner, _, member = needed.name.rpartition(".")
    unknown = owner in there and (member == "__init__" or there[owner].kind == "other")
    if needed.name not in there and not unknown and not _put_in_later(needed, there):
        return f"it defines no {needed.name}"
    signature = _signature(needed, there)
    return signature_problem(needed, parse(signature)) if signature else None


def _signature(needed: RequiredName, there: Definitions) -> str | None:
    """The signature of what the source defines under the name; for a class, that of its constructor."""
    definition = there.get(needed.name)
    if definition is not None and definition.kind == "class":
        definition = there.get(f"{needed.name}.__init__")
    return definition.signature if definition else without_self(_put_in_later(needed, there))


def _put_in_later(needed: RequiredName, there: Definitions) -> str | None:
    """The signature of a function with self that a later cell may put into the class by setattr or a decorator."""
    owner, _, member = needed.name.rpartition(".")
    signature = there[member].signature if owner and member in there else None
    return signature if signature and signature.startswith("(self,") else None
