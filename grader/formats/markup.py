"""HTML and SVG as nested tags: what is no `Markup` is cleaned and escaped, so no text of a report becomes a tag."""

from html import escape

from grader.formats.clean import clean


class Markup(str):
    """Text that is markup already; made by `tag` and `joined`, and by hand only of what this grader wrote itself."""

    __slots__ = ()


def tag(name: str, *inside: str | None, **attributes: object) -> Markup:
    """One element.

    Args:
        name: of the tag.
        inside: what stands in it, None left out; text is escaped.
        attributes: `class_` is class, `aria_label` aria-label; None and False are left out, True has no value.
    """
    given = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    return Markup(f"<{name}{given}>{joined(*inside)}</{name}>")


def joined(*parts: str | None) -> Markup:
    """The parts one after the other, None left out; text is escaped."""
    return Markup(
        "".join(part if isinstance(part, Markup) else escape(clean(part)) for part in parts if part is not None)
    )


def _attribute(key: str, value: object) -> str:
    name = key.rstrip("_").replace("_", "-") if key != "viewBox" else key
    if isinstance(value, bool):
        return f" {name}" if value else ""
    return f' {name}="{escape(clean(str(value)))}"'
