"""Where the repository lies, or the kit that this grader is part of."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
