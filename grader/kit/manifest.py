"""What a kit is made of: a file that is not named here is not in it, nor is what stands between HIDDEN markers.

Whole folders are named where no check, oracle or mistake may live (the floors see to that); single files elsewhere.
"""

COPIED = (
    "LICENSE",
    "Makefile",
    "grader/__init__.py",
    "grader/__main__.py",
    "grader/advice.py",
    "grader/budgets.py",
    "grader/checks/__init__.py",
    "grader/checks/attention.py",
    "grader/checks/case.py",
    "grader/checks/claims/__init__.py",
    "grader/checks/claims/causal.py",
    "grader/checks/claims/life.py",
    "grader/checks/claims/nan_safety.py",
    "grader/checks/claims/padding.py",
    "grader/checks/claims/shapes.py",
    "grader/checks/claims/weight_sums.py",
    "grader/checks/draw.py",
    "grader/checks/expect.py",
    "grader/checks/kata.py",
    "grader/checks/tiers.py",
    "grader/cli.py",
    "grader/doctor.py",
    "grader/grading.py",
    "grader/heatmap.py",
    "grader/interrupts.py",
    "grader/judge/__init__.py",
    "grader/judge/clock.py",
    "grader/judge/encoding.py",
    "grader/judge/engine.py",
    "grader/judge/life.py",
    "grader/judge/names.py",
    "grader/judge/problems.py",
    "grader/judge/process.py",
    "grader/judge/remote.py",
    "grader/judge/replies.py",
    "grader/judge/session.py",
    "grader/jupyter.py",
    "grader/records.py",
    "grader/reports/*.py",
    "grader/reports/schema.json",
    "grader/sandbox/*.py",
    "grader/stubs/__init__.py",
    "grader/stubs/backup.py",
    "grader/submission/*.py",
    "grader/wire.py",
    "grader/worker/*.py",
)
"""Paths and patterns below the repository; the chosen kata's own file is added to them."""

LEFT_OUT = ("grader/submission/archive.py",)
"""What a pattern matches and a kit does not need."""

REQUIREMENTS = ("torch", "pytest", "jupyter", "rich", "numpy", "matplotlib")
"""The lines of requirements.txt that grading and the notebook need; the others are the project's own tools."""
