"""Runs example cells, which never stop a run: what one raises is shown in one line, so the last cell still grades.

An example begins with a comment, and is plain Python where there is no grader.
"""

import ast
import traceback
from typing import Any

from grader.formats.clean import in_one_line
from grader.jupyter.display import Display, tell
from grader.submission.cell_names import cell_names_of

COMMENT = "# Example: an error in it is shown in one line"
MAGIC = "%%example\n"


class Examples:
    """Has cells that begin with `COMMENT` run as examples. (InteractiveShell's annotations do not fit its methods.)

    Args:
        ipython: the running InteractiveShell.
    """

    def __init__(self, ipython: Any) -> None:
        self._ipython = ipython
        self._left: dict[str, str] = {}
        """By each name that an example raised too early to bind, the line that was shown for that example."""
        ipython.input_transformers_cleanup.append(_marked)

    def run(self, line: str, cell: str) -> None:
        """`%%example`: runs a cell that may raise; an interrupt alone is raised."""
        source = f"#\n{cell}"  # in the place of the magic's own line
        number = len(self._ipython.history_manager.input_hist_raw) - 1  # some versions count on before a cell runs
        python = ""
        try:
            python = self._ipython.transform_cell(source)
            name = self._ipython.compile.cache(python, number, raw_code=source)
            *body, last = ast.parse(python, name).body or [ast.Pass(lineno=1, col_offset=0)]
            exec(self._ipython.compile(ast.Module(body, []), name, "exec"), self._ipython.user_ns)
            if isinstance(last, ast.Expr):  # its value is shown, as in any cell
                exec(self._ipython.compile(ast.Interactive([last]), name, "single"), self._ipython.user_ns)
            else:
                exec(self._ipython.compile(ast.Module([last], []), name, "exec"), self._ipython.user_ns)
        except (Exception, SystemExit) as error:
            said = self.said_of(error) or self._line(error)
            self._left |= {each: said for each in cell_names_of(python).bound if each not in self._ipython.user_ns}
            tell(Display(said, grey=True))

    def said_of(self, error: BaseException) -> str | None:
        """Return the line shown for an example, where the error is about a name that it raised too early to bind."""
        missing = error.name if isinstance(error, NameError) else None
        return self._left.get(missing or "")

    def _line(self, error: BaseException) -> str:
        """Return one line with what was raised, and the last frame that is the notebook's own."""
        place = self._ipython.compile.format_code_name
        own = [frame for frame in traceback.extract_tb(error.__traceback__) if place(frame.filename)]
        if isinstance(error, NotImplementedError) and own:
            return f"not written yet: {own[-1].name}"
        if isinstance(error, SyntaxError) and not own:
            return f"SyntaxError: {error.msg} (line {error.lineno}: {(error.text or '').strip()})"
        said = in_one_line("".join(traceback.format_exception_only(error)).strip())
        return f"{said} ({place(own[-1].filename)[1]}, line {own[-1].lineno}: {own[-1].line})" if own else said


def _marked(lines: list[str]) -> list[str]:
    return [MAGIC, *lines[1:]] if lines and lines[0].startswith(COMMENT) else lines
