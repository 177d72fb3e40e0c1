"""Mutants that are no wrong programs: each scores 100 by right, for the reason that stands here.

A record names a mutant by its line before and after, as `make strength` prints them. One that no longer fits a
mutant, or whose mutant is killed, fails a test.
"""

from tests.mutants import Change

EQUIVALENT: dict[tuple[str, Change], str] = {}
