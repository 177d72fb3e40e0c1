"""`list`: the katas in teaching order, with the points of their tiers."""

import argparse

from grader.core import judging
from grader.formats.lines import say

HELP = "the katas in teaching order"


def add_options(parser: argparse.ArgumentParser) -> None:
    """There are none."""


def run(options: argparse.Namespace) -> int:
    """Print them."""
    katas = judging.load_judge().katas
    longest = max(len(kata.name) for kata in katas)
    for kata in katas:
        points = [f"{name} {points}" for name, points in judging.tier_points(kata).items()]
        say(f"{kata.name:<{longest}}  {kata.title}\n{'':<{longest}}  {', '.join(points)}\n")
    return 0
