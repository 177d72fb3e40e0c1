"""What the judge asks of a submission, which is loaded into a new worker where a check ended the last one."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

import torch
from torch import Tensor

from grader import wire
from grader.checks.expect import Unsendable
from grader.checks.problems import OutOfMemory
from grader.checks.subject import (
    Call,
    Construction,
    HeldTensors,
    Implementation,
    Leftover,
    Manner,
    Reference,
    Remains,
    Result,
    Trace,
    Wish,
)
from grader.judge.encoding import Encoder, decode
from grader.judge.findings import Note, problem, raised
from grader.judge.losses import Losses
from grader.judge.process import Process
from grader.judge.replies import Doing, LoadedNames, Names, gradients_of, misfit, names_of, same_bits, usage_of
from grader.judge.transcripts import Transcript
from grader.records import Cell, Contract, Submission
from grader.sandbox import Sandbox, WorkerLost
from grader.submission import stand_in

SHORT = 0.3
"""The share of a check's time that is left for each check after a callable was given up."""


@dataclass(slots=True)
class WorkerRequest:
    """One request to the worker.

    Attributes:
        doing: what the submission is asked to do, for a report on what went wrong; empty: as in the request before.
        head: the verb and what it takes.
        tensors: the tensors, which the head refers to by their index here.
        receive: reads the reply, and raises an exception for what the submission did wrong.
        callable: the name of the submission's callable that is run; empty: none.
    """

    doing: str | Doing
    head: dict[str, Any]
    tensors: Sequence[Tensor]
    receive: Callable[[dict[str, Any], list[Tensor]], Any]
    callable: str = ""


class Session:
    """The judge's connection to one submission.

    Requests that need no answer of their own, such as to make an object and to set its parameters, wait and are sent
    together with the next call: one message there and one back.

    Args:
        sandbox: starts workers.
        submission: is loaded into each worker.
        contract: which names the submission must define, and which are supplied before it is loaded.
        allow: what the operator policy lets pass.
    """

    def __init__(self, sandbox: Sandbox, submission: Submission, contract: Contract, allow: frozenset[str]) -> None:
        self._submission, self._contract, self._allow = submission, contract, allow
        self._limits = sandbox.limits
        self._memory_mib = sandbox.limits.memory_bytes >> 20
        self._process = Process(sandbox, submission.imports)
        self.stand_in = stand_in(contract, submission)
        """What the submission defines under another name than the contract's; None: nothing, or it is not needed."""
        self._numbers = count(1)
        """Gives numbers to objects, calls and implementations."""
        self._waiting: list[WorkerRequest] = []
        """The requests that are sent with the next one whose reply is waited for."""
        self._has_parts = False
        """Whether the running check has begun a part with a clock of its own."""
        self._loaded = False
        """Whether the submission was loaded before, in this worker or an earlier one, here or in another session."""
        self._is_empty = False
        """Whether there is a worker, and nothing was loaded into it."""
        self._known: list[Tensor] = []
        """The tensors that were given to the last call, and those that the call before it returned."""
        self._returned: list[Tensor] = []
        """The tensors that the last call returned."""
        self._meanwhile: list[Callable[[], object]] = []
        """What the judge computes while the worker answers the next call."""
        self._implementations: dict[int, Implementation] = {}
        self._disturbed: tuple[str, ...] = ()
        """What the last call changed in the global state, whether it returned or raised."""
        self.own_names: dict[str, dict[str, str]] = {}
        """For each callable whose parameters are named differently: its parameter names by the contract's."""
        self.losses = Losses()
        self.kept: dict[str, Any] = {}
        """What the checks' fixtures keep from check to check."""
        self._doing: str | Doing = "loading"
        self.answered = False
        """Whether a call has come back with an answer that the kata can read."""
        self.notes: list[Note] = []
        """Notes on the first load only: in a later one the submission may know what a hidden check gave it before."""
        self.made: dict[int, Construction] = {}
        """The objects of the running check, by their numbers."""
        self.given: dict[int, Mapping[str, Tensor]] = {}
        """The parameters that the objects were given last, by the objects' numbers."""
        self.last_call: Call | None = None
        """The last call of the running check; None: there was none."""
        self.load_s = math.inf
        """Seconds from the fork of the worker to the end of the last load, imports among them."""
        self.round_trips = 0
        """How many messages were sent to workers and answered."""

    @property
    def doing(self) -> str:
        """What the submission was last asked to do, with the sizes of its input."""
        return str(self._doing)

    @property
    def printed(self) -> str:
        """The end of the output of the workers that have ended, in order."""
        return self._process.printed

    @property
    def printed_by_call(self) -> str:
        """The end of what was printed since the last call began; empty where its worker is lost."""
        return self._process.printed_since()

    def goes_beside(self, other: Session) -> None:
        """Starts a worker, with what another session knows so far; the submission counts as loaded before.

        Raises:
            SandboxError: no worker can be started.
            WorkerLost: one of the imports ended it.
        """
        self._loaded, self.answered, self.losses = True, other.answered, other.losses.copy()
        self.own_names, self.kept = other.own_names, dict(other.kept)
        self._process.start(self._limits.load_s)
        self._is_empty = True

    def goes_on_in_a_copy(self) -> None:
        """Takes over the worker in a copy of the process that started it; only the copy asks it from now on."""
        self._process.goes_on_in_a_copy()

    def ended_in_a_copy(self, printed: str) -> None:
        """Keeps the output of a worker that a copy of this process took over and ended.

        Args:
            printed: the end of what the worker printed there.
        """
        self._process.printed = printed

    def load(self) -> LoadedNames:
        """Runs the submission's cells in a fresh worker.

        On the first load only, exceptions become notes and output is kept.

        Raises:
            WorkerLost: a cell did not come back.
        """
        self._doing = "loading"
        self._known, self._returned, self._waiting = [], [], []
        if not self._process.runs:
            self._process.start(self._limits.load_s)
        self._is_empty = False
        # First of all: whatever runs before this could get hold of what is to be forbidden.
        self._later(WorkerRequest("loading", {"verb": "forbid", "allow": sorted(self._allow)}, (), _nothing))
        for supplied in filter(None, (needed.supplied for needed in self._contract.needed)):
            self._give(supplied)
        for cell in self._submission.cells:
            self._now(self._cell(cell))
        if self._loaded:
            self._process.forget_output()
        self._loaded, self.load_s = True, self._process.age_s()
        if self.stand_in and self.stand_in.needed in self._names([self.stand_in.needed]).definitions:
            self.stand_in = None  # it was made in a way that the source does not show
        if self.stand_in:
            name, needed = self.stand_in
            self._give(f"if {name!r} in globals(): {needed} = {name}")
        required = self._names([needed.name for needed in self._contract.needed])
        loaded = LoadedNames(required, self._names(required.public_names))
        self._drop()
        return loaded

    def _give(self, source: str) -> None:
        """Runs source of ours beside the submission's."""
        head = {"verb": "load", "source": source, "filename": "<given>", "cell": None}
        self._later(WorkerRequest("loading", head, (), _nothing))

    def _names(self, names: list[str]) -> Names:
        def read(head: dict[str, Any], tensors: list[Tensor]) -> Names:
            return names_of(head, self._submission.file, self._memory_mib)

        return self._now(WorkerRequest("loading", {"verb": "names", "names": names}, (), read))

    def _cell(self, cell: Cell) -> WorkerRequest:
        name = cell.name or self._submission.file
        first = not self._loaded

        def receive(head: dict[str, Any], tensors: list[Tensor]) -> None:
            error = head["error"]
            if error and not head["policy"] and first:  # a cell that compares with PyTorch needs no note
                text = f"{name} {raised(error, name, self._memory_mib, self._submission.beside)}"
                self.notes.append(Note(text, cell.is_excused))

        head = {"verb": "load", "source": cell.source, "filename": name, "cell": cell.number}
        return WorkerRequest(f"loading {name}", head, (), receive)

    def begin_check(self) -> None:
        """Starts a check's clock, the numbers of its objects and calls, and the count of what it prints.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        self.begin_part()
        self._numbers, self._has_parts = count(1), False

    def begin_part(self) -> None:
        """Starts the clock again for a part of a check, with a new worker if the last one was lost.

        Raises:
            TimeSpent: the time for the whole submission is over.
        """
        self._has_parts = True
        self._process.ask_for_time()
        if self._is_empty or not self._process.runs:
            self.load()
        self._process.begin(self._limits.check_s * (SHORT if self.losses.has_given_up else 1))
        self.last_call, self._doing = None, ""

    def end_check(self) -> None:
        """Forgets what the check made; the worker frees it with the next request."""
        self.made.clear()
        self.given.clear()
        self._implementations.clear()
        self._waiting.clear()
        self._meanwhile.clear()
        if self._process.runs:
            self._returned = []
            self._drop()

    def _drop(self) -> None:
        self._later(WorkerRequest("", {"verb": "drop"}, (), _nothing))

    @property
    def has_kept(self) -> bool:
        """Whether a check found out something that later checks go by; that it is an ordinary submission is nothing."""
        return any(self.kept.values())

    @property
    def state(self) -> Hashable:
        """On what the requests of the next check depend, where none found out anything that later ones go by."""
        names = tuple((name, tuple(own.items())) for name, own in self.own_names.items())
        return names, tuple(self.kept), self.answered

    def repeat(self, transcripts: Sequence[Transcript]) -> Transcript | None:
        """Sends what was sent in earlier runs of the check that begins, as long as the replies were given then too.

        Args:
            transcripts: of runs that began in the same state: up to the first replies that differ, they agree.

        Returns:
            The run in which all replies were the same. None: there is none; then the check is to be run, and gets the
            replies that have come.
        """
        left, place = list(transcripts), 0
        while left and place < len(left[0].exchanges):
            try:
                reply = self._process.repeat(left[0].exchanges[place].message)
            except WorkerLost:
                return None
            left = [each for each in left if each.exchanges[place].reply == reply]
            place += 1
        if not left:
            return None
        self._waiting.clear()
        self.round_trips += place
        self.kept.update(left[0].kept)
        return left[0]

    def transcript(self, trace: Trace) -> Transcript | None:
        """The running check so far; None: it cannot be repeated.

        It has several parts, or the worker asked something in between, or later checks go by what it found out.

        Args:
            trace: of the check.
        """
        exchanges = self._process.exchanges
        if exchanges is None or self._has_parts or self.has_kept:
            return None
        return Transcript(tuple(exchanges), trace, dict(self.kept))

    def close(self) -> None:
        """Ends the worker."""
        self._waiting.clear()
        self._process.close()

    def meanwhile(self, work: Callable[[], object]) -> None:
        """Has something done while the worker answers the next call."""
        self._meanwhile.append(work)

    def settle(self) -> None:
        """Sends the waiting requests, and reads their replies."""
        if self._waiting:
            self._send()

    def construct(self, new: Construction, manner: Manner, receive: Callable[[tuple[str, ...]], None]) -> Reference:
        """Return a reference to an object, which is made with the next request whose reply is waited for.

        Args:
            new: what to construct, and its arguments, some of which may be constructed too.
            manner: gives the seed and the default dtype.
            receive: receives what each construction changed in the global state.
        """
        encoder, number = Encoder(constructed=lambda part: self.construct(part, manner, receive)), next(self._numbers)
        head = {
            "verb": "construct",
            "object": number,
            "name": new.name,
            **encoder.arguments(new.args, new.kwargs),
            "seed": manner.seed,
            "default_dtype": dtype_name(manner.default_dtype),
        }

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> None:
            self._raise(reply, new.name)
            receive(tuple(map(str, reply["disturbed"])))

        self.made[number] = new
        self._later(WorkerRequest(Doing(new.name, new.args, new.kwargs), head, encoder.tensors, read, new.name))
        return Reference(number)

    def parameters(self, made: Reference, paths: Sequence[str]) -> dict[str, Tensor]:
        """An object's parameters: by one of these paths if that leads to it, else by the path it is registered by."""

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> dict[str, Tensor]:
            self._raise(reply, self.doing)
            return dict(zip(map(str, reply["parameters"]), tensors, strict=True))

        head = {"verb": "parameters", "object": made.number, "paths": list(paths)}
        return self._now(WorkerRequest(self._doing, head, (), read))

    def set(self, made: Reference, dtype: torch.dtype, parameters: Mapping[str, Tensor], *, copy: bool) -> None:
        """Sets the parameters of an object; arguments as of `Subject.set_parameters`.

        It is done with the next request whose reply is waited for. That raises `Mismatch` where a parameter is missing
        or has another shape.
        """
        self.given[made.number] = parameters
        head = {
            "verb": "set",
            "object": made.number,
            "dtype": dtype_name(dtype),
            "paths": list(parameters),
            "shapes": [list(parameter.shape) for parameter in parameters.values()],
            "copy": copy,
        }
        # As one tensor: to describe each of them takes longer than to send its values.
        values = [torch.cat([parameter.reshape(-1) for parameter in parameters.values()])] if parameters else []

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> None:
            error = reply["error"]
            if error is not None and "path" in error:
                raise misfit(error, parameters)
            if error is not None:
                self._raise({"error": error}, self.doing)

        self._later(WorkerRequest("", head, values, read))

    def call(self, call: Call, manner: Manner, wish: Wish) -> Result:
        """Calls a function, or a method of an object; arguments as of `Subject.answer`."""
        self.last_call = call
        self._process.mark()
        encoder, number = Encoder(strided=manner.strided, implemented=self._implemented), next(self._numbers)
        shown = call.name if call.of is None or call.name != "__call__" else "forward"
        kwargs = call.kwargs if manner.by_contract else self._in_its_names(call, shown)
        given = encoder.arguments(call.args, kwargs)
        requires_grad = [encoder.index(leaf) for leaf in wish.leaves]
        handed_over = len(encoder.tensors)
        fields = {
            "number": number,
            "object": None if call.of is None else call.of.number,
            "name": call.name,
            **given,
            "requires_grad": requires_grad,
            "cotangent": None if wish.cotangent is None else encoder.index(wish.cotangent),
            "paths": list(wish.paths),
            "mode": wish.mode,
            "needs_mode": wish.needs_mode,
            "keep": wish.keep,
            "seed": manner.seed,
            "drawn": manner.drawn,
            "recording": manner.recording,
            "default_dtype": dtype_name(manner.default_dtype),
            "again": manner.again,
            "observed": sorted(manner.observed),
        }
        head = {"verb": "call", **{name: value for name, value in fields.items() if value != wire.PLAIN_CALL.get(name)}}

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> Result:
            returned = reply.get("returned", len(tensors))
            self._disturbed = tuple(map(str, reply["disturbed"]))
            self._known, self._returned = encoder.tensors[:handed_over] + self._returned, tensors[:returned]
            if (reply.get("error") or {}).get("type") == "missing":
                self._raise(reply, str(reply["error"]["path"]))
            self._raise(reply, call.name)
            after = returned + 2 * int(reply.get("products", 0))
            factors, rest = tensors[returned:after], iter(tensors[after:])
            products = tuple(zip(factors[::2], factors[1::2], strict=True))
            return Result(
                decode(reply["value"], tensors),
                Reference(number),
                self._disturbed,
                products,
                usage_of(reply.get("usage")),
                None if wish.cotangent is None else gradients_of(reply.get("gradients"), rest),
            )

        doing = Doing(shown, call.args, call.kwargs)
        return self._now(WorkerRequest(doing, head, encoder.tensors, read, shown))

    def _in_its_names(self, call: Call, shown: str) -> dict[str, Any]:
        """The keyword arguments of a call, by the submission's names for them."""
        new = self.made.get(call.of.number) if call.of else None
        own = self.own_names.get(f"{new.name}.{shown}" if new else shown, {})
        return {own.get(name, name): value for name, value in call.kwargs.items()}

    def changed(self) -> tuple[Tensor, ...]:
        """Return the tensors that the last call changed and should not have, as they were before.

        The worker sends them as they are now, to be compared.
        """

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> tuple[Tensor, ...]:
            now = (decode(value, tensors) for value in reply["inputs"])
            return tuple(was for was, value in zip(self._known, now, strict=True) if not same_bits(was, value))

        return self._now(WorkerRequest(self._doing, {"verb": "inputs"}, (), read))

    def remains(self) -> Remains:
        """What the last call changed in the global state, and the implementation that it was given as it is now."""

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> Remains:
            self._raise(reply, self.doing)
            parameters = {str(path): decode(value, tensors) for path, value in reply["parameters"]}
            modes = frozenset(map(bool, reply["modes"]))
            return Remains(self._disturbed, parameters, tuple(map(str, reply["trained"])), modes)

        return self._now(WorkerRequest(self._doing, {"verb": "remains"}, (), read))

    def count_tensors(self, reference: Reference) -> HeldTensors:
        """Counts the tensors that an object in the worker holds, and their bytes."""
        head = {"verb": "count", "object": reference.number, "path": list(reference.path)}

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> HeldTensors:
            self._raise(reply, self.doing)
            return HeldTensors(int(reply["count"]), int(reply["bytes"]))

        return self._now(WorkerRequest(self._doing, head, (), read))

    def left_alive(self) -> Leftover:
        """What the last call left alive; that call must have been observed."""

        def read(reply: dict[str, Any], tensors: list[Tensor]) -> Leftover:
            shape = tuple(int(size) for size in reply["shape"])
            return Leftover(int(reply["bytes"]), shape, str(reply["path"]), int(reply["python_bytes"]))

        self._known, self._returned = [], []
        return self._now(WorkerRequest(self._doing, {"verb": "alive"}, (), read))

    def _implemented(self, implementation: Implementation) -> int:
        number = next(self._numbers)
        self._implementations[number] = implementation
        return number

    def _later(self, request: WorkerRequest) -> None:
        self._waiting.append(request)

    def _now(self, request: WorkerRequest) -> Any:
        self._waiting.append(request)
        return self._send()

    def _send(self) -> Any:
        """Sends the waiting requests in one message; reads the replies in order, up to the first with an error."""
        requests, self._waiting = self._waiting, []
        self._refuse_what_was_given_up(requests)
        running: WorkerRequest | None = None
        tensors = [tensor for request in requests for tensor in request.tensors]
        heads = [{**request.head, "tensors_of": len(request.tensors)} for request in requests]
        value = None
        try:
            many, self._meanwhile, work = {"verb": "many", "requests": heads}, [], self._meanwhile

            def meanwhile() -> None:
                for each in work:
                    each()

            with self._process.reply(many, tensors, self._called_back, meanwhile if work else None) as reply:
                self.round_trips += 1
                place = 0
                for request, head in zip(requests, reply.head["replies"], strict=False):
                    running = request
                    self._doing = request.doing or self._doing
                    mine = int(head["tensors_of"])
                    value = request.receive(head, reply.tensors[place : place + mine])
                    place += mine
                if len(reply.head["replies"]) != len(requests):
                    raise ValueError("a reply is missing")
        except (WorkerLost, OutOfMemory) as lost:
            began = lost.began if isinstance(lost, WorkerLost) else 0
            self._note_loss(running or requests[min(began, len(requests) - 1)], lost)
            raise
        return value

    def _note_loss(self, running: WorkerRequest, lost: WorkerLost | OutOfMemory) -> None:
        self._doing = running.doing or self._doing
        if running.callable:
            self.losses.note(running.callable, lost)

    def _called_back(self, head: dict[str, Any], tensors: list[Tensor]) -> tuple[dict[str, Any], list[Tensor]]:
        """Answers a call that a candidate's test makes to an implementation that it was given."""
        implementation = self._implementations[int(head["number"])]
        parameters = {str(path): decode(value, tensors) for path, value in head["parameters"]}
        args = tuple(decode(value, tensors) for value in head["args"])
        kwargs = {str(name): decode(value, tensors) for name, value in head["kwargs"].items()}
        try:
            _refuse_what_has_no_values([*parameters.items(), *enumerate(args), *kwargs.items()])
            encoder = Encoder()
            value = encoder.encode(implementation.run(parameters, *args, **kwargs))
            _refuse_what_is_too_large(encoder.tensors)
        except Exception as error:  # the candidate's test chose its arguments, which it may refuse
            return {"raised": [type(error).__name__, str(error)]}, []
        return {"value": value}, encoder.tensors

    def _refuse_what_was_given_up(self, requests: Sequence[WorkerRequest]) -> None:
        for request in requests:
            if refusal := self.losses.refusal(request.callable):
                self._doing = request.doing
                raise refusal

    def _raise(self, head: dict[str, Any], name: str) -> None:
        if error := problem(head, name, self._memory_mib, self._submission.beside, self._allow):
            raise error


def _refuse_what_has_no_values(given: Sequence[tuple[Any, Any]]) -> None:
    for name, value in given:
        if isinstance(value, Unsendable):
            raise TypeError(f"{name} is {value.words}: an implementation computes with plain tensors")


def _refuse_what_is_too_large(answered: Sequence[Tensor]) -> None:
    most = wire.WireLimits().payload_bytes
    if sum(tensor.nbytes for tensor in answered) > most:
        shapes = ", ".join(str(tuple(tensor.shape)) for tensor in answered)
        raise ValueError(f"the answer has tensors of shape {shapes}, over {most >> 20} MiB: ask on shorter sequences")


def dtype_name(dtype: torch.dtype | None) -> str:
    """The name of a dtype: `float32` for torch.float32, and for None."""
    return "float32" if dtype is None else wire.dtype_name(dtype)


def _nothing(head: dict[str, Any], tensors: list[Tensor]) -> None:
    """Reads a reply in which nothing matters."""
