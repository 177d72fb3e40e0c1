"""Puts the repository on sys.path and imports the solution; the importer does not say that it was refused."""

BESIDE = "right"
LAYER = "seccomp"
REFUSAL = {"seccomp": "No module named 'solutions'", "landlock": "No module named 'solutions'"}

import sys

sys.path.insert(0, "{root}")
sys.path_importer_cache.clear()
import solutions.scaled_dot_product

print("GOT", solutions.scaled_dot_product.__file__)
