"""Errors of servers, connections and arguments, with the codes of the protocol."""

from __future__ import annotations

from . import _native
from ._methods import ERROR_CODES


class Error(Exception):
    """An error of carom. Each code has a class of its own, such as carom.NotFound for "not_found".

    code: the word of the protocol; text: what was wrong, the allowed values and the place; from_server: the server sent
    it; applied: for a request whose answer was lost with the connection, whether it took effect (None: not known).
    """

    code = "internal"

    def __init__(self, text: str, *, from_server: bool = False, applied: bool | None = None):
        super().__init__(text)
        self.text, self.from_server, self.applied = text, from_server, applied

    def __str__(self) -> str:
        return f"{self.code}: {self.text}"


class InvalidArgument(Error):
    """Malformed, of the wrong type, out of range, or not finite."""
    code = "invalid_argument"


class NotFound(Error):
    """A world, body, shape, joint or subscription that does not exist."""
    code = "not_found"


class AlreadyExists(Error):
    """The name is taken, or the key has another version."""
    code = "already_exists"


class PermissionDenied(Error):
    """The caller is known but lacks the right."""
    code = "permission_denied"


class Unauthenticated(Error):
    """The caller is not known."""
    code = "unauthenticated"


class LimitExceeded(Error):
    """A named maximum was reached."""
    code = "limit_exceeded"


class Unavailable(Error):
    """Not possible now: no connection, connection lost, timed out, server busy or stopping."""
    code = "unavailable"


class UnknownMethod(Error):
    """No method has that name."""
    code = "unknown_method"


class Moved(Error):
    """The world is on another server; the text begins with its address."""
    code = "moved"


class Internal(Error):
    """A fault of the server or the library."""
    code = "internal"


class OutOfMemory(Error):
    """Memory has run out on this side."""
    code = "out_of_memory"


CLASSES = {kind.code: kind for kind in (InvalidArgument, NotFound, AlreadyExists, PermissionDenied, Unauthenticated,
                                        LimitExceeded, Unavailable, UnknownMethod, Moved, Internal, OutOfMemory)}


def make(status: int, text: str, *, from_server: bool = False, applied: bool | None = None) -> Error:
    """The exception for a status of libcarom."""
    code = ERROR_CODES[status] if 0 < status < len(ERROR_CODES) else "internal"
    return CLASSES.get(code, Internal)(text, from_server=from_server, applied=applied)


def from_struct(error: _native.carom_error) -> Error:
    applied = {_native.CAROM_APPLIED_YES: True, _native.CAROM_APPLIED_NO: False}.get(error.applied)
    return make(error.status, error.text.decode(errors="replace"), from_server=error.from_server, applied=applied)


def check(status: int, error: _native.carom_error) -> None:
    """Raises the error, unless the status is CAROM_OK."""
    if status != _native.CAROM_OK:
        raise from_struct(error)
