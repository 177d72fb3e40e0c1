"""Finds what is graded of a kit: the files in which the candidate wrote."""

from pathlib import Path

from grader.records import Definition, GraderError, Submission
from grader.submission.kit_json import ReturnedKit, code_of, kit_at
from grader.submission.paths import SUFFIXES
from grader.submission.submitted_file import Reader, SubmittedFile
from grader.submission.tree import Tree


def read_kit(tree: Tree, base: str, reader: Reader) -> list[SubmittedFile]:
    """The files of a kit in which the candidate wrote, by the first of three rules that finds any.

    1. The exercise and the notebook, where they define what the kata asks for otherwise than the stub does.
    2. A file that was added to the kit and does so.
    3. The exercise and the notebook, where their code is not the pristine one, or the first of them that is there.

    Args:
        tree: the folder or zip file that the kit lies in.
        base: its place there, as in `ReturnedKit`.
        reader: reads its files.
    """
    try:
        kit = kit_at(tree, base)
        within = reader.for_kata(kit.kit.kata)
        touched = _touched(kit, within)
        kit = kit._replace(written=tuple(name for name, _ in touched))
        files = _written(kit, [file for _, file in touched], within) or [_first(kit, within)]
    except GraderError as error:
        return [reader.problem(tree.path / base, error)]
    return [file._replace(kit=kit) for file in files]


def _touched(returned: ReturnedKit, reader: Reader) -> list[tuple[str, SubmittedFile]]:
    kit, tree, base, _ = returned
    there = [name for name in kit.code if base + name in tree.there]
    changed = [name for name in there if tree.digest(base + name) != kit.files.get(name)]
    files = [(name, reader.member(tree, base + name)) for name in changed]
    return [(name, file) for name, file in files if not file.submission or code_of(file.submission) != kit.code[name]]


def _written(returned: ReturnedKit, touched: list[SubmittedFile], reader: Reader) -> list[SubmittedFile]:
    stub = _stub(returned, reader)
    if stub is None:
        return touched
    rewritten = [file for file in touched if file.submission is None or _is_rewritten(file.submission, stub)]
    return rewritten or _added_answer(returned, stub, reader) or touched


def _added_answer(returned: ReturnedKit, stub: dict[str, Definition], reader: Reader) -> list[SubmittedFile]:
    """The file that was added and defines what the kata asks for.

    Raises:
        GraderError: there are several.
    """
    kit, tree, base, _ = returned
    added = [name for name in tree.below(base) if name not in kit.files and Path(name).suffix.lower() in SUFFIXES]
    files = {name: reader.member(tree, base + name) for name in added}
    answers = {name: file for name, file in files.items() if file.submission and _is_answer(file.submission, stub)}
    if len(answers) > 1:
        raise GraderError(
            f"{tree.path / base}: nothing was written in {', '.join(kit.code)}, and several other files define "
            f"{', '.join(stub)}: {', '.join(answers)}. Hand in one of them alone."
        )
    return list(answers.values())


def _first(returned: ReturnedKit, reader: Reader) -> SubmittedFile:
    kit, tree, base, _ = returned
    first = next((base + name for name in kit.code if base + name in tree.there), None)
    if first is None:
        raise GraderError(f"{tree.path / base} is a kit and holds none of {', '.join(kit.code)}: put one of them back.")
    return reader.member(tree, first)


def _stub(returned: ReturnedKit, reader: Reader) -> dict[str, Definition] | None:
    """What the kit's pristine stub leaves to be written; None: it is missing or was changed."""
    kit, tree, base, _ = returned
    name = f"pristine/{kit.kata}.py"
    if base + name not in tree.there or tree.digest(base + name) != kit.files.get(name):
        return None
    stub = reader.member(tree, base + name).submission
    if stub is None:
        return None
    return {each.name: each for each in stub.definitions if each.is_todo and "." not in each.name}


def _is_rewritten(submission: Submission, stub: dict[str, Definition]) -> bool:
    """Whether a definition that the stub asks for was changed; comments, scratch cells and prose do not count."""
    digests = {each.name: each.digest for each in submission.definitions}
    return any(digests.get(name) != each.digest for name, each in stub.items())


def _is_answer(submission: Submission, stub: dict[str, Definition]) -> bool:
    """Whether a submission defines all that the stub asks for, and not all of it as the stub does."""
    return set(stub) <= {each.name for each in submission.definitions} and _is_rewritten(submission, stub)
