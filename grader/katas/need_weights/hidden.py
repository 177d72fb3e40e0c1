"""`need_weights`: all that a kit does not show is that of `module`."""

from grader.checks import tiers

CLAIMS = ()
QUESTIONS = {tiers.MEMORY.name: "Who holds the weights after the call, and how would you find out that they are alive?"}
