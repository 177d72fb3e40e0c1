"""What a submission printed, made harmless to print again."""

import re
import unicodedata

ESCAPES = re.compile(r"\x1b(\[[0-9;?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|.)?", re.DOTALL)


def plain_text(text: str) -> str:
    """Text without terminal escapes and without control and direction characters; newlines and tabs stay."""
    text = ESCAPES.sub("", text)
    return "".join(c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
