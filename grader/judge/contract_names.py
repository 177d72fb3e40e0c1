"""Compares the names that a submission must define with those that it does define."""

from collections.abc import Iterator, Sequence

from grader.judge.findings import Note
from grader.judge.replies import LoadedDefinition, LoadedNames, Names
from grader.records import Contract, RequiredName, Submission
from grader.submission import Renaming, nearest, other_defaults, renaming, signature_problem
from grader.submission.signature import Parameter

IN_ITS_SOURCE = (
    ' Its source has one that was not run or is gone: what stands below `if __name__ == "__main__":` is not run, '
    "move it out of there."
)
RUN_ABOVE = " Run the cells above, then this one again."


def missing_or_wrong(
    contract: Contract, loaded: LoadedNames, submission: Submission, notes: Sequence[Note]
) -> str | None:
    """Return a line for each name that is missing or has the wrong kind or signature; None: all are right.

    Args:
        contract: the names that the submission must define.
        loaded: the names that it defines.
        submission: it is named in the sentences.
        notes: on what was raised while it loaded. An excused one is given as the cause only if the source defines a
            needed name.
    """
    sentences: dict[str, str] = {}
    has_missed = False
    in_source = {each.name for each in submission.definitions}  # at its top or in a block there
    is_known = any(needed.name in in_source for needed in contract.needed)
    reasons = [note for note in notes if is_known or not note.is_excused]
    cause = min(reasons, key=lambda note: note.is_excused).text if reasons else None
    for needed in contract.needed:
        if needed.name.rpartition(".")[0] in sentences:  # its class is reported already
            continue
        if needed.name in loaded.required.raised:
            problem = f"{needed.name} of {submission.path.name} {loaded.required.raised[needed.name]}"
            sentences[needed.name] = f"{problem} when it was looked up: make it a plain {needed.kind}."
            break  # the worker reports only the first name that raised
        got = loaded.required.definitions.get(needed.name)
        if got is None:
            hint = _hint(needed, loaded.own, in_source, has_raised=bool(cause))
            sentences[needed.name] = _missing(needed, submission, hint, cause, is_first=not has_missed)
            has_missed = True
        elif got.kind != needed.kind:
            sentences[needed.name] = f"{needed.name} is {_described(got)}; the kata needs a {needed.kind} of that name."
        elif got.signature is not None and (wrong := signature_problem(needed, got.signature)):
            sentences[needed.name] = wrong
    return "\n".join(sentences.values()) or None


def renamings(contract: Contract, loaded: LoadedNames) -> tuple[Renaming, ...]:
    """Return the names of the contract whose parameters are named differently in the submission.

    Calls of checks use the submission's parameter names, except where `Manner.by_contract` is set.

    Args:
        contract: the names that the submission must define.
        loaded: the names that it defines.
    """
    compared = (renaming(needed, got) for needed, got in _signatures(contract, loaded))
    return tuple(each for each in compared if each is not None)


def defaults(contract: Contract, loaded: LoadedNames) -> list[str]:
    """A sentence for each default that differs from the contract's.

    Args:
        contract: the names that the submission must define.
        loaded: the names that it defines.
    """
    return [said for needed, got in _signatures(contract, loaded) for said in other_defaults(needed, got)]


def _signatures(contract: Contract, loaded: LoadedNames) -> Iterator[tuple[RequiredName, Sequence[Parameter]]]:
    """Yields each needed name that the submission defines with parameters, and these parameters."""
    for needed in contract.needed:
        got = loaded.required.definitions.get(needed.name)
        if got is not None and got.signature:
            yield needed, got.signature


def by_position(renaming: Renaming) -> str:
    """The note on a callable whose parameters are named differently from the contract's."""
    wanted, got = (", ".join(names) for names in zip(*renaming.parameters, strict=True))
    return f"{renaming.name} is called by position: it names {got} where the contract names {wanted}"


def _described(got: LoadedDefinition) -> str:
    """Describes a definition: `a class`, `a function`, `of type int`."""
    if got.kind == "class":
        return "a class"
    return "a function" if got.type == "function" else f"of type {got.type}"


def _missing(needed: RequiredName, submission: Submission, hint: str, cause: str | None, *, is_first: bool) -> str:
    """Return the sentence that a name is missing; in an open notebook, cells that were not run may define it.

    Args:
        needed: the missing name.
        submission: it is named in the sentence.
        hint: what may be done about it.
        cause: what was raised while the submission loaded; None: nothing.
        is_first: whether it is the first missing name: the cause and the repair are told only once.
    """
    lack = f"no {needed.kind} {needed.name}.{hint}"
    if not any(cell.has_prompt for cell in submission.cells):
        return f"{submission.path.name} defines {lack}" + (f" Before that, {cause}." if cause and is_first else "")
    if cause and is_first:
        return f"{cause}, so the cells that were run define {lack}"
    return f"The cells that were run define {lack}{RUN_ABOVE if is_first else ''}"


def _hint(needed: RequiredName, own: Names, in_source: set[str], *, has_raised: bool) -> str:
    """What may be done about a name that is missing.

    Args:
        needed: the missing name.
        own: the names that the submission defines itself.
        in_source: the names that the source defines.
        has_raised: whether something was raised while the submission loaded, which is then the reason.
    """
    if needed.name in in_source:
        return "" if has_raised else IN_ITS_SOURCE
    close = nearest(needed.name, [name for name, each in own.definitions.items() if each.kind == needed.kind])
    return f" The nearest name that it defines is {close}: rename it to {needed.name}." if close else ""
