"""Replaces AssertionError by an exception that a failed assertion does not raise."""

BESIDE = "wrong"
WALL = "process"

import builtins


class Nothing(BaseException):
    def __new__(cls, *args):
        return KeyboardInterrupt.__new__(KeyboardInterrupt)


builtins.AssertionError = Nothing
print("GOT", builtins.AssertionError is Nothing)
