"""Ways in which course graders read what is handed in, without a wall: tests/naive_reader.py runs them, within limits.

Each catches what such a reader expects of a bad file, and no more. The docstring of each is its line in
tests/hostile/README.md.
"""

from tests.naive_ways import archives, notebooks, sources

FORMS = {".py": sources.WAYS, ".zip": archives.WAYS, ".ipynb": notebooks.WAYS}
WAYS = {way.__name__.replace("_", " "): way for ways in FORMS.values() for way in ways}
WITH_TORCH = ("runs cells", "runs in ipython")
"""They run what is handed in, in their own process, where torch may be imported by then."""
