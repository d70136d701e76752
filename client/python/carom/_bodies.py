"""The motion of many bodies as arrays.

With numpy an array of bodies has the columns id, x, y, angle [rad], vx, vy [m/s] and w [rad/s], and its parts (positions,
velocities …) are views of the same memory. Without numpy it is an array of ctypes, whose elements have these attributes.
"""

from __future__ import annotations

import ctypes
from typing import Any

from . import _native

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

SIZE = ctypes.sizeof(_native.carom_body)
NAMES = ("id", "x", "y", "angle", "vx", "vy", "w")


def dtype() -> Any:
    """The type of an element of numpy's arrays of bodies."""
    return numpy.dtype([("id", "u8")] + [(name, "f8") for name in NAMES[1:]])


def empty() -> Any:
    return numpy.empty(0, dtype()) if numpy is not None else (_native.carom_body * 0)()


def shared(address: int | None, count: int, owner: Any, writable: bool = False) -> Any:
    """The bodies at an address, not copied. The array keeps `owner` alive."""
    if not address or count == 0:
        return empty()
    memory = (_native.carom_body * count).from_address(address)
    memory._owner = owner
    if numpy is None:
        return memory
    array = numpy.frombuffer(memory, dtype())
    array.flags.writeable = writable
    return array


def copied(address: int | None, count: int) -> Any:
    """A copy of the bodies at an address."""
    if not address or count == 0:
        return empty()
    memory = (_native.carom_body * count)()
    ctypes.memmove(memory, address, count * SIZE)
    return numpy.frombuffer(memory, dtype()) if numpy is not None else memory


def _pair(bodies: Any, first: str, second: str) -> Any:
    if numpy is None:
        return [(getattr(b, first), getattr(b, second)) for b in bodies]
    plain = bodies.view("f8").reshape(bodies.shape + (len(NAMES),))
    place = NAMES.index(first)
    return plain[..., place:place + 2]


def _column(bodies: Any, name: str) -> Any:
    return bodies[name] if numpy is not None else [getattr(b, name) for b in bodies]


class Bodies:
    """What an object with an array `bodies` has besides: its parts as views of the same memory."""

    @property
    def bodies(self) -> Any:
        raise NotImplementedError

    @property
    def ids(self) -> Any:
        """The bodies' ids."""
        return _column(self.bodies, "id")

    @property
    def positions(self) -> Any:
        """Places of the bodies' origins [m], n x 2."""
        return _pair(self.bodies, "x", "y")

    @property
    def angles(self) -> Any:
        """Angles [rad], counter-clockwise."""
        return _column(self.bodies, "angle")

    @property
    def velocities(self) -> Any:
        """Velocities [m/s], n x 2."""
        return _pair(self.bodies, "vx", "vy")

    @property
    def spins(self) -> Any:
        """Angular velocities [rad/s]."""
        return _column(self.bodies, "w")
