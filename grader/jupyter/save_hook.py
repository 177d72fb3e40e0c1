"""A hook that Jupyter's server calls before it saves, so that a notebook that was only opened stays as it was."""

from typing import Any

LANGUAGE = "language_info"


def before_save(model: dict[str, Any], **_: Any) -> None:
    """Reduces a notebook's `language_info` to the language's name, as in the notebooks of the repository.

    JupyterLab adds the rest, such as Python's version, when a kernel starts, and saves that by itself.

    Args:
        model: the file as the server's contents manager describes it; its content is changed in place.
    """
    if model.get("type") == "notebook" and (content := model.get("content")):
        metadata = content.get("metadata", {})
        if metadata.get(LANGUAGE, {}).get("name") == "python":
            metadata[LANGUAGE] = {"name": "python"}
