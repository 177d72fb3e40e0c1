"""The files that are copied into a kit: one that is not named here is not copied.

What is hidden stands in files of its own: in `hidden` folders and files, in the oracle, in the judge's diagnosis.
"""

COPIED = (
    "LICENSE",
    "grader/__init__.py",
    "grader/__main__.py",
    "grader/checks/*.py",
    "grader/claims/*.py",
    "grader/clean_process.py",
    "grader/cli/*.py",
    "grader/core/*.py",
    "grader/forked.py",
    "grader/formats/*.py",
    "grader/formats/*.css",
    "grader/formats/schema.json",
    "grader/judge/*.py",
    "grader/import_once.py",
    "grader/jupyter/*.py",
    "grader/jupyter/labconfig/default_setting_overrides.json",
    "grader/katas/__init__.py",
    "grader/listing.py",
    "grader/optional.py",
    "grader/options.py",
    "grader/records.py",
    "grader/sandbox/*.py",
    "grader/stubs/__init__.py",
    "grader/stubs/backup.py",
    "grader/submission/*.py",
    "grader/watch/*.py",
    "grader/tensor_bytes.py",
    "grader/wire.py",
    "grader/worker/*.py",
)
"""Paths and patterns below the repository; a pattern matches in its own folder, not in folders below it."""

OF_THE_KATA = ("__init__.py", "contract.py", "public.py")
"""The files of the kata's own folder."""

LEFT_OUT = (
    "grader/cli/kit.py",
    "grader/cli/list.py",
    "grader/cli/stubs.py",
    "grader/jupyter/self_study.py",
)
"""What a pattern matches and a kit has no use for."""

REQUIREMENTS = ("torch", "jupyter", "rich", "watchfiles", "numpy", "matplotlib")
"""The lines of requirements.txt that grading and the notebook need; the others are the project's own tools."""
