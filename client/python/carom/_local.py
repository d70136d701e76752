"""Worlds in this process, with the server's own engine and no server (carom/local.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from typing import Any, NamedTuple

from . import _bodies, _events, _native
from ._errors import check
from ._library import replica
from ._methods import BatchMethods, LocalMethods, Reference, Vector
from ._owned import Owned
from ._values import Tree, take

EVENTS_AT_ONCE = 256


class State(NamedTuple):
    """A world in numbers."""

    tick: int
    time: float  #: tick / hz [s]
    hz: float
    hash: int  #: equal worlds have equal hashes
    bodies: int
    awake: int
    shapes: int
    joints: int
    contacts: int


def given(args: dict[str, Any]) -> dict[str, Any]:
    """The arguments that are there."""
    return {name: value for name, value in args.items() if value is not None}


class Batch(BatchMethods):
    """Commands that take effect in one tick, all of them or none; `with world.batch() as batch:` applies it at its end.

    Each method returns a reference to what its command makes, which later commands of the batch may name. After the
    batch was applied `results` has the answers, and `batch.id(reference)` the id of a body, shape or joint.
    """

    def __init__(self, apply: Any):
        super().__init__(self._add)
        self._apply = apply
        self.commands: list[list[Any]] = []
        self.results: list[Any] = []
        self.tick = 0  #: the tick whose state first shows the batch

    def _add(self, method: str, args: dict[str, Any]) -> Reference:
        self.commands.append([method, given(args)])
        return Reference({"$": len(self.commands) - 1})

    def apply(self) -> list[Any]:
        """Applies the commands and returns their answers in order."""
        if self.commands:
            answer = self._apply(self.commands)
            self.tick, self.results = answer.get("tick", 0), answer.get("results", [])
        return self.results

    def id(self, reference: Reference) -> int:
        """The id of the body, shape or joint that a command made."""
        answer = self.results[reference["$"]]
        return next(answer[key] for key in ("body", "shape", "joint") if key in answer)

    def __enter__(self) -> Batch:
        return self

    def __exit__(self, kind: Any, *_: Any) -> None:
        if kind is None:
            self.apply()


class LocalWorld(_bodies.Bodies, LocalMethods, Owned):
    """A world of the server's engine in this process: the same commands at the same ticks give the same bits.

    It has the methods that change and read a world (body.spawn, joint.create, query.ray …), and advances by step().
    One thread at a time may use it; step() lets other threads run meanwhile.

    gravity: [m/s²], default [0, -9.81]; hz: ticks a second, 1 to 1000, default 60; other settings are those of
    world.create: substeps, max_bodies, sleep, continuous, restitution_threshold, hit_threshold, sleep_speed.
    """

    def __init__(self, *, gravity: Vector | None = None, hz: float | None = None, _pointer: int | None = None, _owner: Any = None,
                 **settings: Any):
        LocalMethods.__init__(self, self._call_method)
        self._pointer, self._owner, self._memory = _pointer, _owner, None
        if _pointer is None:
            error, out = _native.carom_error(), ctypes.c_void_p()
            with Tree(given({"gravity": gravity, "hz": hz, **settings})) as tree:
                check(replica.carom_local_create(tree, out, error), error)
            self._pointer = out.value

    @classmethod
    def from_image(cls, image: bytes) -> LocalWorld:
        """The world of an image, from world.image of a server, image() or Replica.image()."""
        error, out = _native.carom_error(), ctypes.c_void_p()
        check(replica.carom_local_restore(image, len(image), out, error), error)
        return cls(_pointer=out.value)

    def fork(self) -> LocalWorld:
        """Another world of the same state: the same ids and the same future."""
        error, out = _native.carom_error(), ctypes.c_void_p()
        check(replica.carom_local_fork(self._open(), out, error), error)
        return LocalWorld(_pointer=out.value)

    def copy_from(self, other: LocalWorld) -> None:
        """Takes the state of another world, much faster than through an image."""
        error = _native.carom_error()
        check(replica.carom_local_copy(self._open(), other._open(), error), error)

    def image(self) -> bytes:
        """The state as bytes."""
        error, data, size = _native.carom_error(), ctypes.c_void_p(), ctypes.c_size_t()
        check(replica.carom_local_save(self._open(), data, size, error), error)
        try:
            return ctypes.string_at(data, size.value)
        finally:
            replica.carom_replica_free_bytes(data)

    def step(self, ticks: int = 1) -> int:
        """Advances by `ticks`, 0 to 1 000 000. Returns the tick reached."""
        error = _native.carom_error()
        check(replica.carom_local_step(self._open(), ticks, error), error)
        return self.state.tick

    def call(self, method: str, **args: Any) -> Any:
        """Calls a method by its name: call("body.get", body=1)."""
        return self._call_method(method, args)

    def _call_method(self, method: str, args: dict[str, Any]) -> Any:
        error, result = _native.carom_error(), ctypes.c_void_p()
        with Tree(given(args)) as tree:
            check(replica.carom_local_call(self._open(), method.encode(), tree, result, error), error)
        return take(result.value)

    def batch(self) -> Batch:
        """Commands that take effect together."""
        return Batch(lambda commands: self._call_method("world.apply", {"commands": commands}))

    @property
    def state(self) -> State:
        """The world in numbers."""
        s = replica.carom_local_now(self._open())
        return State(s.tick, s.time, s.hz, s.hash, s.bodies, s.awake, s.shapes, s.joints, s.contacts)

    @property
    def tick(self) -> int:
        """Steps done."""
        return self.state.tick

    @property
    def bodies(self) -> Any:
        """The motion of all bodies, in ascending order of their slots. The engine writes into memory of this object, which
        it uses again: an array that is kept shows later states when `bodies` is read again."""
        count = replica.carom_local_bodies(self._open(), None, 0)
        if self._memory is None or len(self._memory) < count:
            self._memory = (_native.carom_body * (count + count // 2 + 16))()
        replica.carom_local_bodies(self._pointer, self._memory, count)
        return _bodies.shared(ctypes.addressof(self._memory), count, self._memory)

    def want_events(self, kinds: Iterable[str]) -> None:
        """Keeps events of these kinds ("begin", "end", "hit" …) from now on; initially none."""
        replica.carom_local_want_events(self._open(), _events.bits(kinds))

    def events(self) -> list[_events.Event]:
        """Takes the events of the steps since the last call. 65 536 are kept at most."""
        out: list[_events.Event] = []
        buffer = (_native.carom_event * EVENTS_AT_ONCE)()
        while True:
            count = replica.carom_local_events(self._open(), buffer, EVENTS_AT_ONCE)
            out += [_events.read(buffer[i]) for i in range(count)]
            if count < EVENTS_AT_ONCE:
                return out

    def close(self) -> None:
        """Frees the world."""
        if self._pointer is not None and self._owner is None:
            replica.carom_local_free(self._pointer)
        self._pointer = None

    def _open(self) -> int:
        if self._pointer is None:
            raise ValueError("the world is closed")
        return self._pointer
