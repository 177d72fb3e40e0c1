"""The library that all fronts (cli, jupyter, watch, batch) use: it turns a request into events and reports.

PyTorch is imported when a check is to run.
"""

from grader.core.events import Advice, AnswerCells, Event, Intake, NameInCell, NextRun, SubmissionBegan
from grader.core.grader import Grader
from grader.core.request import Request
from grader.core.status import Status, status
from grader.formats.json import read as read_reports
from grader.records import CheckBegan, CheckEnded, FailedCall, NamingBegan, Report

__all__ = [
    "Advice",
    "AnswerCells",
    "CheckBegan",
    "CheckEnded",
    "Event",
    "FailedCall",
    "Grader",
    "Intake",
    "NameInCell",
    "NamingBegan",
    "NextRun",
    "Report",
    "Request",
    "Status",
    "SubmissionBegan",
    "read_reports",
    "status",
]
