"""A submission loaded in a worker: started anew where a check ended it, with a deadline for each check."""

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from typing import Any

from torch import Tensor

from grader.checks.kata import Call, New
from grader.judge.clock import Clock
from grader.judge.encoding import Encoder, decode
from grader.judge.problems import problem, raised
from grader.judge.replies import Construction, Result, arguments, gradients_told, misfit, names_told, same_bits
from grader.records import Cell, Contract, Submission, Verdict
from grader.sandbox import Reply, Sandbox, SandboxError, Worker, WorkerLost


class Session:
    """The judge's hold on one submission.

    Args:
        sandbox: starts workers.
        submission: what to load into each of them.
        contract: which names are supplied before it.
        allow: what the operator policy lets pass.
    """

    def __init__(self, sandbox: Sandbox, submission: Submission, contract: Contract, allow: frozenset[str]) -> None:
        self._sandbox, self._submission, self._contract, self._allow = sandbox, submission, contract, allow
        self._worker: Worker | None = None
        self._numbers, self._clock = count(1), Clock(sandbox.limits.submission_s, self._now)
        self._waited = 0.0  # by the workers before this one, for a processor: not the submission's time
        self._memory_mib, self._loaded = sandbox.limits.memory_bytes >> 20, False
        self.doing = "loading"  # what the submission was last asked to do, with the sizes of its input
        self.answered = False  # whether a call has come back with an answer that the kata can read
        self.printed = ""  # the end of what its workers printed, in order
        self.notes: list[str] = []  # of the first load: a later one may know what a hidden check gave the one before
        self._known, self._returned = list[Tensor](), list[Tensor]()  # given to the last call, and by the one before

    def load(self) -> dict[str, Any]:
        """Runs the submission's cells in a fresh worker; what it raises becomes notes, the first time.

        Returns:
            The reply of the worker's verb `names` for what the contract needs, what was `raised` in words, and `kinds`:
            `class`, `function` or `other` for each name that the submission itself defines.

        Raises:
            WorkerLost: a cell did not come back.
        """
        self.doing = "loading"
        self._worker = self._sandbox.worker(self._submission.imports)
        # Not before: that the grader's own process gets ready is not the submission's time.
        self._clock.start()
        self._renew(self._sandbox.limits.load_s)
        # First of all: what runs afterwards could take a hold of what is to be forbidden.
        self._ask({"verb": "forbid", "allow": sorted(self._allow)})
        for supplied in filter(None, (needed.supplied for needed in self._contract.needed)):
            self._ask({"verb": "load", "source": supplied, "filename": "<given>", "cell": None})
        for cell in self._submission.cells:
            self._load(cell)
        self._loaded = True
        return self._defined()

    def _defined(self) -> dict[str, Any]:
        """What the cells defined."""
        found = self._names([needed.name for needed in self._contract.needed])
        found["kinds"] = {name: entry["kind"] for name, entry in self._names(found["defined"])["found"].items()}
        return found

    def _names(self, names: list[str]) -> dict[str, Any]:
        with self._reply({"verb": "names", "names": names}) as reply:
            return names_told(reply.head, self._submission.file, self._memory_mib)

    def _load(self, cell: Cell) -> None:
        name = self._submission.file if cell.number is None else f"cell {cell.number}"
        self.doing = f"loading {name}"
        with self._reply({"verb": "load", "source": cell.source, "filename": name, "cell": cell.number}) as reply:
            error = reply.head["error"]
            if error and not (reply.head["policy"] or self._loaded):  # a comparison with PyTorch is no remark's worth
                self.notes.append(f"{name} {raised(error, name, self._memory_mib, self._submission.beside)}")

    def begin_check(self) -> None:
        """Starts a check's clock, and the count of what it prints.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        self._clock.ask()
        if self._worker is None:
            self.load()
        self._renew(self._sandbox.limits.check_s)

    def end_check(self) -> None:
        """Frees what the check made."""
        if self._worker is not None:
            self._returned = []
            self._renew(self._sandbox.limits.check_s)
            with self._reply({"verb": "drop"}):
                pass

    def close(self) -> None:
        """Ends the worker."""
        self._returned = []
        if self._worker is not None:
            self.printed = (self.printed + self._worker.output())[-self._sandbox.limits.output_tail :]
            self._worker.close()
            self._waited += self._worker.waited()
            self._worker = None

    def construct(
        self, objects: Sequence[New], seed: int | None, dtype: str, send_parameters: bool, paths: Sequence[str] = ()
    ) -> Construction:
        """Makes the objects, in order; sends the last one's parameters, where asked, by these paths where they lead."""
        made, shown, initial, disturbed = list[int](), list[str](), dict[str, Tensor](), tuple[str, ...]()
        for new in objects:
            self.doing = f"{new.name}({arguments(new.args, new.kwargs, shown)})"
            shown.append(self.doing)
            encoder, number = Encoder(made), next(self._numbers)
            head = {
                "verb": "construct",
                "object": number,
                "name": new.name,
                **encoder.arguments(new.args, new.kwargs),
                "seed": seed,
                "default_dtype": dtype,
                "send_parameters": send_parameters and new is objects[-1],
                "paths": list(paths),
            }
            with self._reply(head, encoder.tensors) as reply:
                self._raise(reply.head, new.name)
                listed = (path for path, _ in reply.head["parameters"])
                initial = dict(zip(listed, reply.tensors, strict=False))  # no tensors where none are asked for
                disturbed += tuple(str(name) for name in reply.head["disturbed"])
            made.append(number)
        return Construction(made[-1] if made else None, initial, disturbed)

    def set(self, number: int, dtype: str, parameters: dict[str, Tensor], *, copy: bool = False) -> None:
        """Sets the parameters of an object, or with `copy` those of a deep copy that takes its place.

        Raises:
            Mismatch: one is missing, or of another shape.
        """
        head = {"verb": "set", "object": number, "dtype": dtype, "paths": list(parameters), "copy": copy}
        with self._reply(head, list(parameters.values())) as reply:
            error = reply.head["error"]
            if error is not None and "path" in error:
                raise misfit(error, parameters)
            self._raise({"error": error}, self.doing)

    def call(
        self,
        number: int | None,
        call: Call,
        *,
        seed: int | None = None,
        drawn: int = 0,
        dtype: str = "float32",
        differentiable: Sequence[Tensor] = (),
        capture: bool = False,
        keep: bool = False,
    ) -> Result:
        """Calls a function, or a method of an object; `keep` keeps it for `gradients`."""
        shown = call.name if number is None or call.name != "__call__" else "forward"
        self.doing = f"{shown}({arguments(call.args, call.kwargs)})"
        encoder, call_number = Encoder([]), next(self._numbers)
        head = {
            "verb": "call",
            "object": number,
            "name": call.name,
            **encoder.arguments(call.args, call.kwargs),
            "seed": seed,
            "drawn": drawn,
            "default_dtype": dtype,
            "requires_grad": [encoder.index(tensor) for tensor in differentiable],
            "no_grad": not keep,
            "keep": call_number if keep else None,
            "capture": capture,
        }
        with self._reply(head, encoder.tensors) as reply:
            tensors, returned = reply.tensors, len(reply.tensors) - 2 * reply.head.get("products", 0)
            self._known, self._returned = encoder.tensors + self._returned, tensors[:returned]
            self._raise(reply.head, call.name)
            products = tuple(zip(tensors[returned::2], tensors[returned + 1 :: 2], strict=True))
            disturbed = tuple(map(str, reply.head["disturbed"]))
            return Result(call_number, decode(reply.head["value"], tensors), disturbed, products)

    def changed(self) -> frozenset[int]:
        """Ids of the tensors that the last call must leave alone and changed: the worker sends them as they are now."""
        with self._reply({"verb": "inputs"}) as reply:
            now = (decode(value, reply.tensors) for value in reply.head["inputs"])
            return frozenset(id(was) for was, value in zip(self._known, now, strict=True) if not same_bits(was, value))

    def gradients(
        self, call_number: int, cotangent: Tensor, paths: Sequence[str] = ()
    ) -> tuple[list[Tensor | None], dict[str, Tensor]] | None:
        """Gradients of a kept call for the cotangent of its first tensor.

        Returns:
            Those of the differentiable inputs in their order, and those of the parameters at these paths; what the
            output does not depend on has none. None: the output is cut off from all of them.
        """
        with self._reply({"verb": "gradients", "call": call_number, "paths": list(paths)}, [cotangent]) as reply:
            if (reply.head.get("error") or {}).get("type") == "no_grad":
                return None
            self._raise(reply.head, self.doing)
            return gradients_told(reply)

    def _now(self) -> float:
        return time.monotonic() - self._waited - (self._worker.waited() if self._worker else 0.0)

    def _renew(self, seconds: float) -> None:
        assert self._worker is not None, "no worker is there"
        self._worker.renew_output()
        self._clock.begin(seconds)

    def _raise(self, head: dict[str, Any], asked: str) -> None:
        if error := problem(head, asked, self._memory_mib, self._submission.beside):
            raise error

    @contextmanager
    def _reply(self, head: dict[str, Any], tensors: Sequence[Tensor] = ()) -> Iterator[Reply]:
        """The answer to a request, for a block that reads it and does nothing else.

        Raises:
            WorkerLost: it could not be read, or refuses the request: a submission wrote on the worker's connection.
        """
        try:
            reply = self._ask(head, tensors)
        except SandboxError as error:
            raise self._of_no_known_form() from error
        try:
            yield reply
        except (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError, StopIteration) as error:
            raise self._of_no_known_form() from error

    def _of_no_known_form(self) -> WorkerLost:
        self.close()
        return WorkerLost(Verdict.CRASH, "answered in no known form and was stopped")

    def _ask(self, head: dict[str, Any], tensors: Sequence[Tensor] = ()) -> Reply:
        assert self._worker is not None, "no worker is there"
        try:
            return self._worker.request(head, tensors, timeout=self._clock.left(), budget=self._clock.budget)
        except WorkerLost:
            self.close()
            raise
