"""The worker: answers the judge's requests about one submission, one at a time, and decides nothing.

Every reply has `ok`; False means that the request itself was wrong, which is the grader's fault; since a
submission could forge it, the judge counts it against that. What the submission raises is an ordinary reply whose
`error` describes it (errors.py).
"""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import nullcontext
from typing import Any, NamedTuple

import torch

from grader import wire
from grader.worker import canary, errors, objects, policy
from grader.worker.capture import Capture
from grader.worker.gradients import gradients
from grader.worker.namespace import MISSING, Namespace
from grader.worker.settings import Settings, disturbed, generators, settings
from grader.worker.values import Arguments, Values

Head = dict[str, Any]
Reply = tuple[Head, list[torch.Tensor]]


class Kept(NamedTuple):
    """A call whose gradients may be asked for."""

    inputs: dict[int, torch.Tensor]
    """Those that require grad, by their index in the request."""
    output: torch.Tensor
    """The first tensor that it gave."""
    instance: Any


class Host:
    """One submission and all that was made from it. The public methods are the judge's verbs."""

    def __init__(self, limits: wire.WireLimits) -> None:
        self._limits = limits
        self._namespace = Namespace()
        self._objects: dict[int, Any] = {}
        self._calls: dict[int, Kept] = {}
        self._given: list[torch.Tensor] = []
        self._inputs: list[torch.Tensor] = []
        """The tensors that the last call was given, and with them those that the call before it returned."""
        self._returned: list[torch.Tensor] = []
        self._verbs: dict[str, Callable[[Head, list[torch.Tensor]], Reply]] = {
            "hello": self.hello,
            "try": self.attempt,
            "forbid": self.forbid,
            "load": self.load,
            "names": self.names,
            "construct": self.construct,
            "parameters": self.parameters,
            "set": self.set,
            "call": self.call,
            "inputs": self.inputs,
            "gradients": self.gradients,
            "drop": self.drop,
        }

    def answer(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """The reply to one request."""
        try:
            reply, answer = self._verbs[head["verb"]](head, tensors)
            return {"ok": True, "request": head.get("request"), **reply}, answer
        except Exception as problem:
            if errors.out_of_memory(problem):
                raise  # the process ends, which says so (zygote.py)
            sentence = errors.clean(f"{type(problem).__name__}: {problem}")
            return {"ok": False, "request": head.get("request"), "error": sentence}, []

    def hello(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`pid`."""
        return {"pid": os.getpid()}, []

    def attempt(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`tries` -> `outcomes`: what the walls let through, in a worker that runs no submission (canary.py)."""
        return {"outcomes": canary.attempt(head["tries"])}, []

    def forbid(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Puts the operator policy in force for good, before anything is loaded: `allow`."""
        policy.forbid(head.get("allow", ()))
        return {}, []

    def load(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Runs one cell: `source filename cell` -> `error policy`."""
        error = None
        with settings():
            try:
                self._namespace.run(head["source"], head["filename"], head.get("cell"))
            except BaseException as problem:
                error = self._describe(problem)
        return {"error": error, "policy": policy.used()}, []

    def names(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`names` -> `found` (those that are there), `defined` (all public names of the submission), `raised`.

        `raised` is the error of the first name that could not be looked up, by that name: the judge tells no other.
        """
        found, raised = self._namespace.names(head["names"])
        first = {name: self._describe(problem) for name, problem in list(raised.items())[:1]}
        return {"found": found, "defined": self._namespace.defined(), "raised": first}, []

    def construct(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`object name args kwargs seed default_dtype` -> `error disturbed policy`."""
        arguments = Arguments(tensors, self._objects)
        args, kwargs = arguments.python(head.get("args", [])), arguments.python(head.get("kwargs", {}))
        error: Head | None = None
        left: list[str] = []
        given = Settings(head.get("seed"), head.get("default_dtype", "float32"))
        with settings(given):
            before = generators()
            try:
                target = self._namespace.find(head["name"])
                if target is MISSING:
                    error = _missing(head["name"])
                else:
                    self._objects[head["object"]] = target(*args, **kwargs)
            except BaseException as problem:
                error = self._describe(problem)
            left = disturbed(given, before)
        return {"error": error, "disturbed": left, "policy": policy.used()}, []

    def parameters(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`object paths` -> `error parameters`, and these as tensors; one that `paths` lead to has that path."""
        with settings():
            try:
                found = dict(objects.by_known_paths(self._objects[head["object"]], head["paths"]))
                return {"error": None, "parameters": list(found)}, list(found.values())
            except BaseException as problem:
                return {"error": self._describe(problem)}, []

    def set(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Converts `object` (`copy`: its deep copy) to `dtype`, then copies the tensors into `paths` -> `error`."""
        with settings():
            try:
                if head.get("copy"):
                    self._objects[head["object"]] = objects.copied(self._objects[head["object"]])
                instance = self._objects[head["object"]]
                objects.at(instance, head.get("paths", []))  # a layer may be made when it is first looked at
                objects.convert(instance, getattr(torch, head["dtype"]))
                error = objects.assign(instance, head.get("paths", []), tensors)
                return {"error": error and {**error, "forbidden": policy.held(objects.modules(instance))}}, []
            except BaseException as problem:
                return {"error": self._describe(problem)}, []

    def call(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`object name args kwargs seed drawn default_dtype requires_grad no_grad keep capture again`.

        Replies `error value disturbed policy`, and the value's tensors; with `capture` also `products`, their number,
        and after the value's tensors both factors of each. `again`: in the tensors of the call before, written over.
        """
        arguments = Arguments(tensors, self._objects)
        if head.get("again"):
            arguments.write_over(self._given)
        arguments.lay_out([head.get("args", []), head.get("kwargs", {})], head.get("requires_grad", []))
        args, kwargs = arguments.python(head.get("args", [])), arguments.python(head.get("kwargs", {}))
        self._given = arguments.tensors
        self._inputs = [*self._given, *self._returned]
        instance = None if head.get("object") is None else self._objects[head["object"]]
        capture = Capture() if head.get("capture") else None
        values = Values(self._limits)
        value: Any = None
        error: Head | None = None
        dtype = head.get("default_dtype", "float32")
        given = Settings(head.get("seed"), dtype, head.get("no_grad", False), head.get("drawn", 0))
        left: list[str] = []
        with settings(given):
            before = generators()
            try:
                target = self._target(instance, head["name"])
                if target is MISSING:
                    error = _missing(head["name"])
                else:
                    with capture or nullcontext():
                        result = target(*args, **kwargs) if callable(target) else target
                    value = values.json(result)
            except BaseException as problem:
                error, values = self._describe(problem), Values(self._limits)
            left = disturbed(given, before)
        self._returned = values.live
        reply: Head = {"error": error, "value": value, "disturbed": left, "policy": policy.used()}
        if capture is not None:
            reply["products"] = len(capture.products)
            values.plain.extend(factor for product in capture.products for factor in product)
        if head.get("keep") is not None and values.live:
            inputs = {index: arguments.tensors[index] for index in head.get("requires_grad", [])}
            self._calls[head["keep"]] = Kept(inputs, values.live[0], instance)
        return reply, values.plain

    def inputs(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`inputs`: what the last call was given and the one before returned, as it is now; the judge compares."""
        values = Values(self._limits)
        return {"inputs": [values.json(tensor) for tensor in self._inputs]}, values.plain

    def gradients(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`call paths`, and a cotangent of the call's first tensor -> `error inputs parameters policy`, the gradients.

        `paths` are looked up as `set` does: an alias of a parameter is as good as the name it is registered by. What
        the output does not depend on is listed without a gradient.
        """
        kept = self._calls[head["call"]]
        (cotangent,) = tensors
        if not kept.output.requires_grad:
            return {"error": {"type": "no_grad"}}, []
        if kept.output.shape != cotangent.shape:
            raise ValueError("the cotangent has another shape than the output")
        with settings():
            try:
                named = objects.at(kept.instance, head["paths"])
                found = gradients(kept.output, cotangent, [*kept.inputs.values(), *(tensor for _, tensor in named)])
            except BaseException as problem:
                return {"error": self._describe(problem), "policy": policy.used()}, []
        keys: list[Any] = [*kept.inputs, *(path for path, _ in named)]
        listed = [[key, gradient is not None] for key, gradient in zip(keys, found, strict=True)]
        count = len(kept.inputs)
        reply = {"error": None, "inputs": listed[:count], "parameters": listed[count:], "policy": policy.used()}
        return reply, [gradient for gradient in found if gradient is not None]

    def drop(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Frees all objects and calls."""
        self._objects.clear()
        self._calls.clear()
        self._given, self._inputs, self._returned = [], [], []
        return {}, []

    def _target(self, instance: Any, name: str) -> Any:
        if instance is None:
            return self._namespace.find(name)
        if name == "__call__":
            return instance
        try:
            return objects.resolve(instance, name)
        except LookupError:
            return MISSING

    def _describe(self, problem: BaseException) -> Head:
        return errors.describe(problem, self._namespace.sources)


def _missing(name: str) -> Head:
    return {"type": "missing", "path": name}
