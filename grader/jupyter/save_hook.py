"""What Jupyter's server calls before it saves, so that a notebook that was only opened stays as it was."""

from typing import Any

LANGUAGE = "language_info"


def before_save(model: dict[str, Any], **_: Any) -> None:
    """Leaves of the language's description its name alone, as in the notebooks of the repository.

    JupyterLab adds the rest when a kernel starts, Python's version among it, and saves that by itself.

    Args:
        model: of the file, as the server's contents manager has it; its content is changed.
    """
    if model.get("type") == "notebook" and (content := model.get("content")):
        metadata = content.get("metadata", {})
        if metadata.get(LANGUAGE, {}).get("name") == "python":
            metadata[LANGUAGE] = {"name": "python"}
