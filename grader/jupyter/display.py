"""Output that a notebook shows as HTML and a terminal as text, and a line that is updated while something runs."""

from __future__ import annotations

from typing import Any

from grader.formats.markup import tag

GREY = "color: var(--jp-content-font-color2, #5c5c5c)"
COLUMNS = "font-family: var(--jp-code-font-family, monospace)"
"""A monospaced font, in which the columns of a text line up."""


class Display:
    """A text, and its HTML where that holds more than the text.

    Args:
        text: the plain text.
        html: the HTML; empty: the text, escaped.
        grey: whether the text is shown in grey.
        is_markdown: whether the text is Markdown.
    """

    def __init__(self, text: str, html: str = "", *, grey: bool = False, is_markdown: bool = False) -> None:
        self.text = text
        rich = html or tag("span", text, style=f"white-space: pre-wrap; {GREY if grey else COLUMNS}")
        self._rich = {"text/markdown": text} if is_markdown else {"text/html": rich}

    def __repr__(self) -> str:
        return self.text

    def _repr_mimebundle_(self, **which: Any) -> dict[str, str]:
        return {"text/plain": self.text, **self._rich}


def tell(shown: Display) -> None:
    """Display it below the cell that runs."""
    if _in_notebook():
        from IPython.display import display

        display(shown)
    else:
        print(shown.text.rstrip("\n"))


class StatusLine:
    """One line below the running cell, which shows its progress and is replaced by the result.

    In a terminal only the result is printed.
    """

    def __init__(self) -> None:
        self._handle: Any = None
        self._text = ""

    def say(self, text: str) -> None:
        """Show another text in the line."""
        if text != self._text and _in_notebook():
            self._text = text
            self._put(Display(text, grey=True))

    def become(self, shown: Display) -> None:
        """Show the result in place of the line."""
        if _in_notebook():
            self._put(shown)
        else:
            tell(shown)

    def vanish(self) -> None:
        """Clear the line."""
        if self._handle is not None:
            self._put(Display(""))

    def _put(self, shown: Display) -> None:
        from IPython.display import display

        if self._handle is None:
            self._handle = display(shown, display_id=True)
        else:
            self._handle.update(shown)


def _in_notebook() -> bool:
    """Whether the shell runs in a kernel: a shell in a terminal has none."""
    from IPython.core.getipython import get_ipython

    return getattr(get_ipython(), "kernel", None) is not None
