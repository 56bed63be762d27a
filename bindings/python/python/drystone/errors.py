"""Exceptions that drystone raises. Trouble with a file is an ``OSError``."""

from __future__ import annotations

from typing import Any


class Error(Exception):
    """What all exceptions of drystone have in common."""


class InvalidError(Error, ValueError):
    """A value without meaning, such as a negative mass; says which."""


class SceneError(Error, ValueError):
    """A mistake in a scene; as text it shows the place in the file."""

    path: str
    """The file, as it was named."""
    line: int
    """Line of the mistake, from 1."""
    column: int
    """Column of the mistake in characters, from 1."""
    message: str
    """The mistake in words."""
    help: str
    """What was expected instead."""

    def __init__(self, text: str, path: str, line: int, column: int, message: str, help: str) -> None:
        super().__init__(text)
        self.path = path
        self.line = line
        self.column = column
        self.message = message
        self.help = help

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.args[0], self.path, self.line, self.column, self.message, self.help))


class NonFiniteError(Error, ArithmeticError):
    """A number stopped being finite; says in which stage of a step."""


class DeviceError(Error, RuntimeError):
    """No GPU adapter fits what was asked for, a device failed, or something exceeds what it can hold."""
