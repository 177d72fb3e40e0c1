"""The worker: answers the judge's requests about one submission, one at a time, and decides nothing.

Every reply has `ok`; False means that the request itself was wrong, which is the grader's fault. As a submission
could forge it, the judge counts it against the submission. What the submission raises is an ordinary reply whose
`error` describes it (errors.py).
"""

from __future__ import annotations

import builtins
import gc
import math
import os
import tracemalloc
from collections.abc import Callable
from contextlib import nullcontext, suppress
from typing import Any

import torch

from grader import wire
from grader.worker import canary, errors, objects, policy
from grader.worker.backward import gradients
from grader.worker.global_state import CallSettings, disturbed, global_state
from grader.worker.implementation import Ask, implementation
from grader.worker.namespace import MISSING, Namespace
from grader.worker.observe import Observer, place_of
from grader.worker.values import Arguments, Values

Head = dict[str, Any]
Reply = tuple[Head, list[torch.Tensor]]


class Host:
    """One submission and all that was made from it. The public methods are the judge's verbs.

    Their docstrings say `a b` -> `c d` for a request with the fields a and b and a reply with the fields c and d.

    Args:
        limits: limits on the messages.
        ask: sends the judge a question and returns the answer; None: nothing may be asked.
        note: leaves a number for the judge to read.
    """

    def __init__(
        self, limits: wire.WireLimits, ask: Ask | None = None, note: Callable[[int], None] = lambda number: None
    ) -> None:
        self._limits = limits
        self._ask, self._note = ask, note
        self._namespace = Namespace()
        self._objects: dict[int, Any] = {}
        """Objects that were constructed, and values of calls that are kept, by the judge's number."""
        self._given: list[torch.Tensor] = []
        self._inputs: list[torch.Tensor] = []
        """The tensors that the last call was given, and with them those that the call before it returned."""
        self._returned: list[torch.Tensor] = []
        self._called: Any = None
        """The object whose method the last call was; None: a function was called."""
        self._observer: Observer | None = None
        """The observer of the last call, where it was observed."""
        self._implementations: list[Any] = []
        """The implementations that the last call was given."""
        self._verbs: dict[str, Callable[[Head, list[torch.Tensor]], Reply]] = {
            "many": self.many,
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
            "remains": self.remains,
            "count": self.count,
            "alive": self.alive,
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

    def many(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`requests`, each with `tensors_of`, the number of its tensors -> `replies`, up to the first with an error.

        An error of a `load` does not count. A note says which request is about to run, so that the judge knows which
        one did not come back.
        """
        replies: list[Head] = []
        answers: list[torch.Tensor] = []
        place = 0
        for index, request in enumerate(head["requests"]):
            if index and request["verb"] in ("construct", "call", "load"):
                self._note(index)
            mine = tensors[place : place + request["tensors_of"]]
            place += request["tensors_of"]
            reply, answer = self._verbs[request["verb"]](request, mine)
            replies.append({**reply, "tensors_of": len(answer)})
            answers += answer
            if reply.get("error") is not None and request["verb"] != "load":
                break
        return {"replies": replies}, answers

    def hello(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """-> `pid`, the id of this process."""
        return {"pid": os.getpid()}, []

    def attempt(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`tries` -> `outcomes`: what the sandbox layers let through, in a worker without submission (canary.py)."""
        return {"outcomes": canary.attempt(head["tries"])}, []

    def forbid(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Puts the operator policy in force for good, before anything is loaded: `allow` -> no fields."""
        policy.forbid(head.get("allow", ()))
        return {}, []

    def load(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Runs one cell: `source filename cell` -> `error policy`."""
        error = None
        with global_state():
            try:
                self._namespace.run(head["source"], head["filename"], head.get("cell"))
            except BaseException as problem:
                error = self._describe(problem)
        return {"error": error, "policy": policy.take_uses()}, []

    def names(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`names` -> `definitions` (of those that exist), `public_names` (all that the submission defines), `raised`.

        `raised` maps the first name whose look-up raised to its error: the judge reports no other.
        """
        definitions, raised = self._namespace.definitions(head["names"])
        first = {name: self._describe(problem) for name, problem in list(raised.items())[:1]}
        return {"definitions": definitions, "public_names": self._namespace.public_names(), "raised": first}, []

    def construct(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Constructs an object: `object name args kwargs seed default_dtype` -> `error disturbed policy`."""
        arguments = Arguments(tensors, self._resolved, self._implemented)
        args, kwargs = arguments.python(head.get("args", [])), arguments.python(head.get("kwargs", {}))
        error: Head | None = None
        left: list[str] = []
        requested = CallSettings(head.get("seed"), head.get("default_dtype", "float32"))
        with global_state(requested):
            before = torch.default_generator.get_state()
            try:
                target = self._namespace.find(head["name"])
                if target is MISSING:
                    error = _missing(head["name"])
                else:
                    self._objects[head["object"]] = target(*args, **kwargs)
            except BaseException as problem:
                error = self._describe(problem)
            left = disturbed(requested, before)
        return {"error": error, "disturbed": left, "policy": policy.take_uses()}, []

    def parameters(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`object paths` -> `error parameters` (their paths), and the parameters as tensors.

        A parameter that one of `paths` leads to is listed by that path.
        """
        with global_state():
            try:
                by_path = dict(objects.by_known_paths(self._objects[head["object"]], head["paths"]))
                return {"error": None, "parameters": list(by_path)}, list(by_path.values())
            except BaseException as problem:
                return {"error": self._describe(problem)}, []

    def set(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Converts `object` (`copy`: its deep copy) to `dtype`, then sets the parameters at `paths` -> `error`.

        One tensor holds the values of all of them, one parameter after the other, in their `shapes`.
        """
        with global_state():
            try:
                if head.get("copy"):
                    self._objects[head["object"]] = objects.copied(self._objects[head["object"]])
                instance, paths = self._objects[head["object"]], head["paths"]
                objects.at(instance, paths)  # a layer may be made when it is first accessed
                objects.convert(instance, getattr(torch, head["dtype"]))
                values = tensors[0].split([math.prod(shape) for shape in head["shapes"]]) if paths else ()
                shaped = [flat.view(shape) for flat, shape in zip(values, head["shapes"], strict=True)]
                error = objects.assign(instance, paths, shaped)
                return {"error": error}, []
            except BaseException as problem:
                return {"error": self._describe(problem)}, []

    def call(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Calls a function, or a method of an object.

        Takes `number object name args kwargs mode needs_mode seed drawn recording default_dtype again observed keep`,
        and for gradients `requires_grad cotangent paths`. With `again` the new values are written into the tensors of
        the call before, and these are used.

        Replies `error value disturbed policy returned gradients`, and where the call was observed `products usage`. The
        tensors are the `returned` ones of the value, then both factors of each of the `products`, then the gradients
        that exist. `paths` are looked up as in `set`.
        """
        head = wire.PLAIN_CALL | head
        cotangent = None if head["cotangent"] is None else tensors.pop(head["cotangent"])
        arguments = Arguments(tensors, self._resolved, self._implemented)
        if head["again"]:
            arguments.write_over(self._given)
        arguments.lay_out([head["args"], head["kwargs"]], head["requires_grad"])
        self._implementations = []
        args, kwargs = arguments.python(head["args"]), arguments.python(head["kwargs"])
        self._given = arguments.tensors
        self._inputs = [*self._given, *self._returned]
        instance: Any = None if head["object"] is None else self._objects[head["object"]]
        self._called = instance
        self._observer = observer = self._observing(head["observed"])
        values, value, result = Values(self._limits), None, None
        error: Head | None = None
        gradients: Head | None = None
        of_leaves: list[torch.Tensor] = []
        records = head["recording"] or cotangent is not None
        requested = CallSettings(head["seed"], head["default_dtype"], not records, head["drawn"])
        left: list[str] = []
        with global_state(requested):
            before = torch.default_generator.get_state()
            try:
                target = self._target(instance, head["name"])
                if target is MISSING:
                    error = _missing(head["name"])
                elif head["mode"] is not None and head["needs_mode"] and not hasattr(instance, "train"):
                    error = _missing("train")
                else:
                    if head["mode"] is not None and (head["needs_mode"] or isinstance(instance, torch.nn.Module)):
                        instance.train(head["mode"])
                    with observer or nullcontext():
                        result = target(*args, **kwargs) if callable(target) else target
                    value = values.json(result)
            except BaseException as problem:
                error, values = self._describe(problem), Values(self._limits)
            left = disturbed(requested, before)
        self._returned = values.live
        if head["keep"]:
            self._objects[head["number"]] = result
        reply: Head = {"value": value, "disturbed": left, "returned": len(values.plain)}
        if observer is not None:
            reply |= _observed(observer)
            values.plain.extend(factor for product in observer.products for factor in product)
        if cotangent is not None and error is None and values.live:
            wanted = [arguments.tensors[index] for index in head["requires_grad"]]
            gradients, of_leaves, error = self._gradients(values.live[0], cotangent, wanted, instance, head["paths"])
        reply |= {"error": error, "policy": policy.take_uses(), "gradients": gradients}
        return reply, values.plain + of_leaves

    def _observing(self, observed: list[str]) -> Observer | None:
        """The observer of the coming call, if it is observed.

        Where `python` is observed, what Python allocates is traced from here on until `alive` is requested.
        """
        tracemalloc.stop()  # `alive` was not requested after the call before, as where that raised
        if not observed:
            return None
        if "python" in observed:
            tracemalloc.start()
        observer = Observer(frozenset(observed))
        observer.give(self._given)
        return observer

    def inputs(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """-> `inputs`: what the last call was given and the one before returned, as it is now; the judge compares."""
        values = Values(self._limits)
        return {"inputs": [values.json(tensor) for tensor in self._inputs]}, values.plain

    def remains(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """-> `error parameters trained modes`: how the last call left the first implementation that it was given."""
        values = Values(self._limits)
        given = next((each for each in self._implementations if isinstance(each, torch.nn.Module)), torch.nn.Module())
        with global_state():
            try:
                named = dict(given.named_parameters(remove_duplicate=False))
                reply = {
                    "parameters": [[path, values.json(tensor)] for path, tensor in named.items()],
                    "trained": [path for path, tensor in named.items() if tensor.requires_grad],
                    "modes": sorted({bool(module.training) for module in given.modules()}),
                }
            except BaseException as problem:
                return {"error": self._describe(problem)}, []
        return {"error": None, **reply}, values.plain

    def count(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """`object path` -> `error count bytes`: the tensors that something holds, each storage once."""
        with global_state():
            try:
                held = self._resolved(head["object"], head["path"])
                storages = {place_of(tensor): tensor.untyped_storage().nbytes() for tensor in objects.tensors(held)}
            except BaseException as problem:
                return {"error": self._describe(problem)}, []
        return {"error": None, "count": len(storages), "bytes": sum(storages.values())}, []

    def alive(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """-> `bytes shape path python_bytes`: what the last call, which was observed, left alive.

        Its inputs and its value are gone by then. `path` is where the largest tensor is found, if it is.
        """
        self._given, self._inputs, self._returned = [], [], []
        gc.collect()
        python_bytes, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
        left = {} if self._observer is None else dict(self._observer.alive)
        largest = max(left, key=lambda place: math.prod(left[place][1]), default=None)
        path = "" if largest is None else self._path_to(largest)
        size, shape = sum(size for size, _ in left.values()), [] if largest is None else list(left[largest][1])
        return {"bytes": size, "shape": shape, "path": path, "python_bytes": python_bytes}, []

    def _path_to(self, place: int) -> str:
        """The path to a storage in the object that was called, in its classes, or in what the submission defines."""
        kinds = [vars(kind) for kind in type(self._called).__mro__]
        with global_state(), suppress(Exception):  # what a submission keeps may raise when it is looked at
            return errors.clean(objects.path_to(place, [self._called, *kinds, vars(self._namespace.module)]))
        return ""

    def drop(self, head: Head, tensors: list[torch.Tensor]) -> Reply:
        """Frees all objects."""
        self._objects.clear()
        self._given, self._inputs, self._returned, self._implementations = [], [], [], []
        self._observer = self._called = None
        return {}, []

    def _gradients(
        self, output: torch.Tensor, cotangent: torch.Tensor, wanted: list[torch.Tensor], instance: Any, paths: list[str]
    ) -> tuple[Head | None, list[torch.Tensor], Head | None]:
        """Which gradients exist, the gradients themselves, and what was raised.

        None exist where the output has no graph, or another shape than the cotangent: the judge sees its shape.
        """
        if not output.requires_grad or output.shape != cotangent.shape:
            return None, [], None
        with global_state():
            try:
                named = objects.at(instance, paths)
                of_all = gradients(output, cotangent.to(output.dtype), [*wanted, *(tensor for _, tensor in named)])
            except BaseException as problem:
                return None, [], self._describe(problem)
        there = [gradient is not None for gradient in of_all]
        count = len(wanted)
        presence = {
            "leaves": there[:count],
            "parameters": [[path, is_there] for (path, _), is_there in zip(named, there[count:], strict=True)],
        }
        return presence, [gradient for gradient in of_all if gradient is not None], None

    def _resolved(self, number: int, path: list[Any]) -> Any:
        """What a reference leads to, step by step: an attribute, or an item where there is no such attribute."""
        value = self._objects[number]
        for item in path:
            value = getattr(value, item) if isinstance(item, str) and hasattr(value, item) else value[item]
        return value

    def _implemented(self, description: Head, tensors: list[torch.Tensor]) -> Any:
        self._implementations.append(implementation(description, tensors, self._ask_judge))
        return self._implementations[-1]

    def _ask_judge(self, number: int, parameters: dict[str, torch.Tensor], args: Any, kwargs: Any) -> Any:
        """What the judge's implementation answers; what it raises there is raised here."""
        assert self._ask is not None, "this host has no judge to ask"
        values = Values(self._limits)
        question = {
            "asks": True,
            "number": number,
            "parameters": [[path, values.json(tensor)] for path, tensor in parameters.items()],
            "args": [values.json(value) for value in args],
            "kwargs": {name: values.json(value) for name, value in kwargs.items()},
        }
        head, tensors = self._ask(question, values.plain)
        if "raised" in head:
            kind, message = head["raised"]
            raise getattr(builtins, kind, RuntimeError)(message)
        return Arguments(tensors, self._resolved, self._implemented).python(head["value"])

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


def _observed(observer: Observer) -> Head:
    """What an observer saw."""
    usage = {"operators": sorted(observer.operators), "largest": observer.largest, "peak_bytes": observer.peak}
    return {"products": len(observer.products), "usage": usage}


def _missing(name: str) -> Head:
    return {"type": "missing", "path": name}
