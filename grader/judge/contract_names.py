"""What a submission must define, held against what it does define."""

from grader.judge.replies import LoadedDefinition, LoadedNames, Names
from grader.records import Contract, RequiredName, Submission
from grader.submission import Renaming, nearest, renaming, signature_problem

IN_ITS_SOURCE = (
    ' Its source has one that was not run or is gone: what stands below `if __name__ == "__main__":` is not run, '
    "move it out of there."
)


def missing_or_wrong(contract: Contract, loaded: LoadedNames, submission: Submission, notes: list[str]) -> str | None:
    """The names that are missing, of another kind or of another signature, a line each; None: all is there.

    Args:
        contract: what must be there.
        loaded: what is there.
        submission: it is named in the sentences.
        notes: what was raised while it loaded.
    """
    sentences: dict[str, str] = {}
    before = f" Before that, {notes[0]}." if notes else ""
    for needed in contract.needed:
        if needed.name.rpartition(".")[0] in sentences:  # of a class that is not there no method is missed
            continue
        if needed.name in loaded.required.raised:
            problem = f"{needed.name} of {submission.path.name} {loaded.required.raised[needed.name]}"
            sentences[needed.name] = f"{problem} when it was looked up: make it a plain {needed.kind}."
            break  # whether a later one raised too is not known
        got = loaded.required.definitions.get(needed.name)
        if got is None:
            sentences[needed.name] = _missing(needed, loaded.own, submission, has_raised=bool(notes)) + before
            before = ""
        elif got.kind != needed.kind:
            sentences[needed.name] = f"{needed.name} is {_described(got)}; the kata needs a {needed.kind} of that name."
        elif got.signature is not None and (wrong := signature_problem(needed, got.signature)):
            sentences[needed.name] = wrong
    return "\n".join(sentences.values()) or None


def renamings(contract: Contract, loaded: LoadedNames) -> tuple[Renaming, ...]:
    """The names of the contract whose parameters have other names: no call of a check names them as the contract does.

    Args:
        contract: what must be there.
        loaded: what is there.
    """
    pairs = [(needed, loaded.required.definitions.get(needed.name)) for needed in contract.needed]
    compared = (renaming(needed, got.signature) for needed, got in pairs if got is not None and got.signature)
    return tuple(each for each in compared if each is not None)


def by_position(renaming: Renaming) -> str:
    """What is said of a callable whose parameters have other names."""
    wanted, got = (", ".join(names) for names in zip(*renaming.parameters, strict=True))
    return f"{renaming.name} is called by position: it names {got} where the contract names {wanted}"


def _described(got: LoadedDefinition) -> str:
    """`a class`, `a function`, `of type int`."""
    if got.kind == "class":
        return "a class"
    return "a function" if got.type == "function" else f"of type {got.type}"


def _missing(needed: RequiredName, own: Names, submission: Submission, *, has_raised: bool) -> str:
    sentence = f"{submission.path.name} defines no {needed.kind} {needed.name}."
    close = nearest(needed.name, [name for name, each in own.definitions.items() if each.kind == needed.kind])
    if needed.name in {each.name for each in submission.definitions}:  # at its top or in a block there
        sentence += "" if has_raised else IN_ITS_SOURCE  # what was raised is the cause
    elif close:
        sentence += f" The nearest name that it defines is {close}: rename it to {needed.name}."
    return sentence
