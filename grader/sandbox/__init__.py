"""Starts, confines and ends workers; knows no kata. torch need not be imported to start it."""

from grader.sandbox.limits import Limits
from grader.sandbox.protections import SANDBOX_LAYERS, NotIsolated, require_isolation
from grader.sandbox.sandbox import Sandbox
from grader.sandbox.worker_handle import Answer, Exchange, Reply, WorkerHandle, WorkerLost
from grader.sandbox.zygote_handle import SandboxError

__all__ = [
    "SANDBOX_LAYERS",
    "Answer",
    "Exchange",
    "Limits",
    "NotIsolated",
    "Reply",
    "Sandbox",
    "SandboxError",
    "WorkerHandle",
    "WorkerLost",
    "require_isolation",
]
