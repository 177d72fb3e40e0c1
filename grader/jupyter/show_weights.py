"""What `%show_weights` draws."""

import io
from typing import TYPE_CHECKING, Any

from grader.jupyter.display import Display, tell
from grader.jupyter.example import Examples
from grader.jupyter.heatmap import heatmap
from grader.records import GraderError

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def show_weights(ipython: Any, examples: Examples, expression: str) -> None:
    """Draw the value of an expression; where an example raised too early to bind a name in it, say so once more.

    Args:
        ipython: the running InteractiveShell.
        examples: the examples of the notebook.
        expression: an expression whose value is a tensor of weights.

    Raises:
        GraderError: it has no value, or one that cannot be drawn.
    """
    name = expression.strip()
    if not name:
        raise GraderError("%show_weights needs a name or an expression: %show_weights weights[0]")
    try:
        weights = ipython.ev(name)
    except Exception as error:
        if said := examples.said_of(error):
            tell(Display(said, grey=True))
            return
        raise GraderError(f"{name} has no value: {type(error).__name__}: {error}") from None
    _display(heatmap(name, weights), f"the weights {name}, of shape {tuple(weights.shape)}")


def _display(figure: "Figure", alt: str) -> None:
    # As PNG, not through pyplot: the same in every front end, whatever backend the notebook chose.
    from IPython.display import Image, display

    png = io.BytesIO()
    figure.savefig(png, format="png", dpi=96)
    display(Image(data=png.getvalue(), format="png", alt=alt))
