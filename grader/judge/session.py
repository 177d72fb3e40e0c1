"""What the judge asks of a submission, which is loaded anew where a check ended its worker."""

from collections.abc import Sequence
from itertools import count
from typing import Any

from torch import Tensor

from grader.checks.kata import Call, New
from grader.judge.encoding import Encoder, decode
from grader.judge.problems import problem, raised
from grader.judge.process import Process
from grader.judge.replies import (
    Construction,
    Loaded,
    Names,
    Result,
    arguments,
    gradients_told,
    misfit,
    names_told,
    same_bits,
)
from grader.records import Cell, Contract, Submission
from grader.sandbox import Sandbox


class Session:
    """The judge's hold on one submission.

    Args:
        sandbox: starts workers.
        submission: what to load into each of them.
        contract: which names are supplied before it.
        allow: what the operator policy lets pass.
    """

    def __init__(self, sandbox: Sandbox, submission: Submission, contract: Contract, allow: frozenset[str]) -> None:
        self._submission, self._contract, self._allow = submission, contract, allow
        self._limits = sandbox.limits
        self._memory_mib = sandbox.limits.memory_bytes >> 20
        self._process = Process(sandbox, submission.imports)
        self._numbers = count(1)
        """Of the objects and calls."""
        self._loaded = False
        """Whether it was loaded before, by a worker that was lost."""
        self._known: list[Tensor] = []
        """What was given to the last call, and returned by the one before."""
        self._returned: list[Tensor] = []
        """What the last call returned."""
        self.doing = "loading"
        """What the submission was last asked to do, with the sizes of its input."""
        self.answered = False
        """Whether a call has come back with an answer that the kata can read."""
        self.notes: list[str] = []
        """Of the first load: a later one may know what a hidden check gave the one before."""

    @property
    def printed(self) -> str:
        """The end of what its workers printed, in order; of a worker that has ended."""
        return self._process.printed

    def load(self) -> Loaded:
        """Runs the submission's cells in a fresh worker; what it raises becomes notes, the first time.

        Raises:
            WorkerLost: a cell did not come back.
        """
        self.doing = "loading"
        self._known, self._returned = [], []
        self._process.start(self._limits.load_s)
        # First of all: what runs afterwards could take a hold of what is to be forbidden.
        self._process.ask({"verb": "forbid", "allow": sorted(self._allow)})
        for supplied in filter(None, (needed.supplied for needed in self._contract.needed)):
            self._process.ask({"verb": "load", "source": supplied, "filename": "<given>", "cell": None})
        for cell in self._submission.cells:
            self._load(cell)
        self._loaded = True
        asked = self._names([needed.name for needed in self._contract.needed])
        return Loaded(asked, self._names(asked.defined))

    def _names(self, names: list[str]) -> Names:
        with self._process.reply({"verb": "names", "names": names}) as reply:
            return names_told(reply.head, self._submission.file, self._memory_mib)

    def _load(self, cell: Cell) -> None:
        name = self._submission.file if cell.number is None else f"cell {cell.number}"
        self.doing = f"loading {name}"
        with self._process.reply(
            {"verb": "load", "source": cell.source, "filename": name, "cell": cell.number}
        ) as reply:
            error = reply.head["error"]
            if error and not (reply.head["policy"] or self._loaded):  # a comparison with PyTorch is no remark's worth
                self.notes.append(f"{name} {raised(error, name, self._memory_mib, self._submission.beside)}")

    def begin_check(self) -> None:
        """Starts a check's clock, and the count of what it prints.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        self._process.ask_for_time()
        if not self._process.runs:
            self.load()
        self._process.begin(self._limits.check_s)

    def end_check(self) -> None:
        """Frees what the check made."""
        if self._process.runs:
            self._returned = []
            self._process.begin(self._limits.check_s)
            with self._process.reply({"verb": "drop"}):
                pass

    def close(self) -> None:
        """Ends the worker."""
        self._process.close()

    def construct(self, objects: Sequence[New], seed: int | None, dtype: str) -> Construction:
        """Makes the objects, in order."""
        made, shown, disturbed = list[int](), list[str](), tuple[str, ...]()
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
            }
            with self._process.reply(head, encoder.tensors) as reply:
                self._raise(reply.head, new.name)
                disturbed += tuple(str(name) for name in reply.head["disturbed"])
            made.append(number)
        return Construction(made[-1] if made else None, disturbed)

    def parameters(self, number: int, paths: Sequence[str]) -> dict[str, Tensor]:
        """An object's parameters: by these paths where they lead to one, else by the path it is registered by."""
        with self._process.reply({"verb": "parameters", "object": number, "paths": list(paths)}) as reply:
            self._raise(reply.head, self.doing)
            return dict(zip(map(str, reply.head["parameters"]), reply.tensors, strict=True))

    def set(self, number: int, dtype: str, parameters: dict[str, Tensor], *, copy: bool = False) -> None:
        """Sets the parameters of an object, or with `copy` those of a deep copy that takes its place.

        Raises:
            Mismatch: one is missing, or of another shape.
        """
        head = {"verb": "set", "object": number, "dtype": dtype, "paths": list(parameters), "copy": copy}
        with self._process.reply(head, list(parameters.values())) as reply:
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
        again: bool = False,
    ) -> Result:
        """Calls a function, or a method of an object; `keep` keeps it for `gradients`, `again`: in the same tensors."""
        shown = call.name if number is None or call.name != "__call__" else "forward"
        self.doing = f"{shown}({arguments(call.args, call.kwargs)})"
        encoder, call_number = Encoder([]), next(self._numbers)
        way = {"seed": seed, "drawn": drawn, "default_dtype": dtype, "capture": capture, "again": again}
        head = {
            "verb": "call",
            "object": number,
            "name": call.name,
            **encoder.arguments(call.args, call.kwargs),
            "requires_grad": [encoder.index(tensor) for tensor in differentiable],
            "no_grad": not keep,
            "keep": call_number if keep else None,
            **way,
        }
        with self._process.reply(head, encoder.tensors) as reply:
            tensors, returned = reply.tensors, len(reply.tensors) - 2 * reply.head.get("products", 0)
            self._known, self._returned = encoder.tensors + self._returned, tensors[:returned]
            self._raise(reply.head, call.name)
            products = tuple(zip(tensors[returned::2], tensors[returned + 1 :: 2], strict=True))
            disturbed = tuple(map(str, reply.head["disturbed"]))
            return Result(call_number, decode(reply.head["value"], tensors), disturbed, products)

    def changed(self) -> frozenset[int]:
        """Ids of the tensors that the last call must leave alone and changed: the worker sends them as they are now."""
        with self._process.reply({"verb": "inputs"}) as reply:
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
        with self._process.reply(
            {"verb": "gradients", "call": call_number, "paths": list(paths)}, [cotangent]
        ) as reply:
            if (reply.head.get("error") or {}).get("type") == "no_grad":
                return None
            self._raise(reply.head, self.doing)
            return gradients_told(reply)

    def _raise(self, head: dict[str, Any], asked: str) -> None:
        if error := problem(head, asked, self._memory_mib, self._submission.beside):
            raise error
