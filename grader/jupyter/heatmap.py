"""A picture of attention weights, for `%show_weights`."""

from typing import TYPE_CHECKING, Any

from grader.records import GraderError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

PANELS_A_ROW = 4


def heatmap(name: str, weights: Any) -> "Figure":
    """Draw weights as one panel, or one for each head.

    Args:
        name: the expression that was asked for, which becomes the title.
        weights: a tensor or array `(L, S)` or `(H, L, S)`; of `(N, H, L, S)` the first of the batch is drawn.

    Raises:
        GraderError: it is no such tensor, or matplotlib is not installed.
    """
    try:
        import numpy as np
        from matplotlib import colormaps
        from matplotlib.figure import Figure
    except ImportError:
        raise GraderError("matplotlib is not installed: run make notebook, which installs it") from None
    shape = getattr(weights, "shape", None)
    if shape is None or len(shape) not in (2, 3, 4) or 0 in shape:
        got = type(weights).__name__ if shape is None else f"of shape {tuple(shape)}"
        raise GraderError(f"{name} is {got}: give a tensor of weights, (L, S), (H, L, S) or (N, H, L, S)")
    values = np.asarray(weights.detach().cpu().double() if hasattr(weights, "detach") else weights)
    batched, one_panel = values.ndim == 4, values.ndim == 2
    if batched:
        name, values = f"{name}[0]", values[0]
    panels = values.reshape(-1, *values.shape[-2:])  # (panels, L, S)
    titles = [name] if one_panel else [f"{name}[{head}]" for head in range(len(panels))]

    is_finite = np.isfinite(panels)
    most = panels[is_finite].max(initial=0.0) or 1.0  # one scale for all panels, as there is one bar beside them
    colors = colormaps["viridis"].with_extremes(bad="lightgrey")
    columns = min(len(panels), PANELS_A_ROW)
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(1 + 2.6 * columns, 2.8 * rows), layout="constrained")
    axes = figure.subplots(rows, columns, squeeze=False).flatten()
    for ax, panel, title in zip(axes, panels, titles, strict=False):
        image = ax.imshow(np.ma.masked_invalid(panel), vmin=0.0, vmax=most, cmap=colors)
        ax.set(title=title, xlabel="key", ylabel="query")
        ax.locator_params(integer=True)
    for ax in axes[len(panels) :]:
        ax.set_visible(False)
    figure.colorbar(image, ax=list(axes), label="weight")
    if odd := int((~is_finite).sum()):
        figure.supxlabel(f"grey: NaN or infinite, {odd} of {panels.size}")
    return figure
