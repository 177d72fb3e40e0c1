"""What of a kit is graded: the files in which the candidate wrote."""

from pathlib import Path

from grader.handed.one import Asked, Handed, attempt, read_member
from grader.records import GraderError, Submission
from grader.submission import SUFFIXES
from grader.submission.deadline import Deadline
from grader.submission.kit_json import Returned, code_of, kit_at
from grader.submission.tree import Tree
from grader.submission.written import is_answer, is_rewritten, names_asked


def read_kit(tree: Tree, base: str, asked: Asked) -> list[Handed]:
    """What was written in a kit: by the first of three rules that finds something."""

    def reading(deadline: Deadline) -> list[Handed]:
        kit, within = kit_at(tree, base), asked._replace(deadline=deadline)
        return _rewritten(kit, within) or _added_answer(kit, within) or _touched_or_first(kit, within)

    return attempt(tree.path / base, asked, reading)


def _rewritten(returned: Returned, asked: Asked) -> list[Handed]:
    """Of the files to write in, all that define otherwise than the stub what the kata asks for."""
    stub = _stub(returned)
    if stub is None:
        return []
    files = _touched(returned, asked)
    return [file for file in files if file.submission is None or is_rewritten(file.submission, stub)]


def _added_answer(returned: Returned, asked: Asked) -> list[Handed]:
    """The file that was added and defines what the kata asks for.

    Raises:
        GraderError: there are several.
    """
    stub = _stub(returned)
    if stub is None:
        return []
    files = {name: _of_kit(returned, name, asked) for name in _added(returned)}
    answers = {name: file for name, file in files.items() if file.submission and is_answer(file.submission, stub)}
    if len(answers) > 1:
        raise GraderError(
            f"{returned.tree.path / returned.base}: nothing was written in {', '.join(returned.kit.code)}, and several "
            f"other files define {', '.join(names_asked(stub))}: {', '.join(answers)}. Hand in one of them alone."
        )
    return list(answers.values())


def _touched_or_first(returned: Returned, asked: Asked) -> list[Handed]:
    """The files to write in whose code is not the pristine one; where there is none, the first that is there.

    Raises:
        GraderError: none is there.
    """
    there = _to_write(returned)
    if not there:
        place, names = returned.tree.path / returned.base, ", ".join(returned.kit.code)
        raise GraderError(f"{place} is a kit and holds none of {names}: put one of them back.")
    # Without a manifest the notebook's own code is not known, and each would look touched.
    touched = [] if returned.problem else _touched(returned, asked)
    return touched or [_of_kit(returned, there[0], asked)]


def _touched(returned: Returned, asked: Asked) -> list[Handed]:
    kit, tree, base, _ = returned
    changed = [name for name in _to_write(returned) if tree.digest(base + name) != kit.files.get(name)]
    files = {name: _of_kit(returned, name, asked) for name in changed}
    return [file for name, file in files.items() if not file.submission or code_of(file.submission) != kit.code[name]]


def _to_write(returned: Returned) -> list[str]:
    """The files in which the candidate writes, of those that came back."""
    return [name for name in returned.kit.code if returned.base + name in returned.tree.there]


def _stub(returned: Returned) -> Submission | None:
    """The kit's pristine stub; None: it is missing or was changed."""
    kit, tree, base, _ = returned
    name = f"pristine/{kit.kata}.py"
    if base + name not in tree.there or tree.digest(base + name) != kit.files.get(name):
        return None
    return read_member(tree, base + name, Asked(None, SUFFIXES)).submission


def _added(returned: Returned) -> list[str]:
    """The sources in a kit that are none of its own."""
    names = [name for name in returned.tree.below(returned.base) if name not in returned.kit.files]
    return [name for name in names if Path(name).suffix.lower() in SUFFIXES]


def _of_kit(returned: Returned, name: str, asked: Asked) -> Handed:
    of_kit = asked._replace(kata=asked.kata or returned.kit.kata)
    return read_member(returned.tree, returned.base + name, of_kit)._replace(returned=returned)
