"""Whether a submission answers as some attention does: asked before each check past `shapes`, until it is known."""

from collections import deque
from collections.abc import Callable

from grader.checks.attention import MakeAttention, Trace
from grader.claims.liveness import WAYS, the_answer_depends_on_queries_and_keys
from grader.checks.draw import Draw
from grader.checks.expect import Mismatch, Refused
from grader.checks.tiers import Check, Tier
from grader.judge.problems import OutOfMemory, PolicyUsed, Todo
from grader.sandbox import WorkerLost

PLAINLY = next(iter(WAYS))


class Life:
    """What is known of one submission.

    Args:
        seed: of the run.
        make: the `attention` of a check, whose calls are traced.
        doing: what the submission was last asked to do.
    """

    def __init__(self, seed: int, make: Callable[[Draw, Trace], MakeAttention], doing: Callable[[], str]) -> None:
        self._seed, self._make, self._doing = seed, make, doing
        self._alive = False
        self._ways = deque(WAYS)
        self.missing: Mismatch | None = None
        """What showed that there is none."""
        self.missing_in = ""
        """The call that showed it."""
        self.failed: tuple[Check, Trace] | None = None
        """The claim that showed it by its values, and its calls."""
        self.unanswered: tuple[Exception, str] | None = None
        """Why nobody knows, and what was asked."""

    def ask(self, tier: Tier) -> None:
        """Before a check of this tier; of a call that raises or does not come it is asked in another way, and again.

        Raises:
            Mismatch: there is no life.
            WorkerLost: the call did not come back.
        """
        self.unanswered = None
        if self._alive or not tier.needs_life:
            return
        if self.missing is not None:
            raise self.missing
        for way in list(self._ways):
            trace = Trace()
            check = tier(points=0, **({} if way == PLAINLY else {"asked": way}))(the_answer_depends_on_queries_and_keys)
            draw = Draw(self._seed, check.name)
            try:
                check.run(self._make(draw, trace), draw)
                self._alive, self.unanswered = True, None
                return
            except Mismatch as mismatch:
                self.missing, self.missing_in, self.failed = mismatch, self._doing(), (check, trace)
                raise
            except WorkerLost:
                self._ways.rotate(-1)  # the next check asks in the next way
                raise
            except (Todo, Refused, PolicyUsed, OutOfMemory) as problem:
                self.unanswered = self.unanswered or (problem, self._doing())
            except Exception:  # a check breaks on an answer that nothing can be computed with
                self.missing, self.missing_in = trace.odd, self._doing()
                if self.missing is None:
                    raise
                raise self.missing from None
