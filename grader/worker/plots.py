"""Makes matplotlib ready before the lock: drawing once opens its fonts and imports what it imports at first use."""

from __future__ import annotations

import io
import logging
import os
import shutil

NEEDED = "matplotlib.backends.backend_agg"
"""What is imported for a submission that plots (grader/submission/imports.py)."""


def get_ready() -> None:
    """Draws a picture with a title and a legend, and throws it away.

    For a user without a folder of its own matplotlib makes a temporary one, says so in the log, and removes it at an
    ordinary end of its process. A worker never ends that way, so the folder is removed here.
    """
    disabled = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure

        figure = Figure()
        axes = figure.add_subplot(title="x")
        axes.plot([0.0, 1.0], label="x")
        axes.legend()
        FigureCanvasAgg(figure).print_png(io.BytesIO())
    finally:
        logging.disable(disabled)
        if folder := os.environ.pop("MPLCONFIGDIR", None):  # set by matplotlib: a worker starts without environment
            shutil.rmtree(folder, ignore_errors=True)
