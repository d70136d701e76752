"""Replicas: exact copies of a server's worlds in this process (carom/replica.h)."""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from . import _bodies, _native
from ._client import Client, Snapshot
from ._errors import Error, OutOfMemory, check
from ._library import replica
from ._local import LocalWorld, given
from ._owned import Owned
from ._values import Tree, take

if TYPE_CHECKING:
    from ._prediction import Prediction


class Replica(_bodies.Bodies, Owned):
    """An exact copy of a world: it steps the server's engine by the world's log, and compares the hashes.

    replica = carom.Replica.follow(client, "main") subscribes and plays what comes while the client polls.
    """

    _prediction: Prediction | None = None
    _forbidden = ""  # why it cannot be fed now; "": it can
    _end: Callable[[], None] | None = None  # ends the subscription that it follows

    def __init__(self) -> None:
        self._pointer = None
        self._pointer = replica.carom_replica_create()
        if not self._pointer:
            raise OutOfMemory("no memory for a replica")
        self._memory: Any = None

    @classmethod
    def follow(cls, client: Client, world: str) -> Replica:
        """A replica of a world of a server, which follows it while the client polls, and has its image."""
        made, subscription = cls(), client.subscribe(world, encoding="log")
        for snapshot in list(subscription.pending):
            made.feed(snapshot)
        subscription.pending.clear()

        def play(snapshot: Snapshot) -> None:
            if snapshot.subscription == subscription.number and made._pointer is not None:
                subscription.pending.clear()
                made.feed(snapshot)

        client.on("snapshot", play)

        def end() -> None:
            client._on["snapshot"].remove(play)
            if client._pointer is not None:
                with contextlib.suppress(Error):  # the subscription may have ended, as the connection may
                    subscription.close()

        made._end = end
        client.wait(lambda: made.state.ready)
        return made

    def feed(self, record: Snapshot | bytes) -> None:
        """Plays a snapshot of a subscription of encoding "log", or a record of a recording."""
        if self._forbidden:
            raise ValueError(f"{self._forbidden} the replica")
        if self._prediction is not None and isinstance(record, Snapshot):
            self._prediction._feed(record)
            return
        error, data = _native.carom_error(), record if isinstance(record, bytes) else record.encoded
        check(replica.carom_replica_feed(self._open(), data, len(data), error), error)

    @property
    def state(self) -> Any:
        """Numbers of the replica: ready, tick, time, hash, bodies, verified …, as in carom/replica.h."""
        return replica.carom_replica_now(self._open())

    @property
    def bodies(self) -> Any:
        """The motion of all bodies; see LocalWorld.bodies."""
        count = replica.carom_replica_bodies(self._open(), None, 0)
        if self._memory is None or len(self._memory) < count:
            self._memory = (_native.carom_body * (count + count // 2 + 16))()
        replica.carom_replica_bodies(self._pointer, self._memory, count)
        return _bodies.shared(ctypes.addressof(self._memory), count, self._memory)

    def call(self, method: str, **args: Any) -> Any:
        """Calls a reading method on the copy: body.get, query.ray, world.contacts …"""
        error, result = _native.carom_error(), ctypes.c_void_p()
        with Tree(given(args)) as tree:
            check(replica.carom_replica_call(self._open(), method.encode(), tree, result, error), error)
        return take(result.value)

    def image(self) -> bytes:
        """The state as an image."""
        error, data, size = _native.carom_error(), ctypes.c_void_p(), ctypes.c_size_t()
        check(replica.carom_replica_save(self._open(), data, size, error), error)
        try:
            return ctypes.string_at(data, size.value)
        finally:
            replica.carom_replica_free_bytes(data)

    def world(self) -> LocalWorld:
        """A world of one's own that begins with the state of the replica."""
        return LocalWorld.from_image(self.image())

    def snapshot(self) -> bytes:
        """The changes since the last call (everything at first), for View.feed."""
        error, data, size = _native.carom_error(), ctypes.c_void_p(), ctypes.c_size_t()
        check(replica.carom_replica_snapshot(self._open(), None, data, size, error), error)
        return ctypes.string_at(data, size.value)

    def close(self) -> None:
        """Frees the replica, closes its prediction, and ends the subscription of follow()."""
        self._free()
        end, self._end = self._end, None
        if end is not None:
            end()

    def _free(self) -> None:
        if self._prediction is not None:
            self._prediction.close()
        if self._pointer is not None:
            pointer, self._pointer = self._pointer, None
            replica.carom_replica_free(pointer)

    def __del__(self) -> None:
        self._free()  # without a call to the server

    def _open(self) -> int:
        if self._pointer is None:
            raise ValueError("the replica is closed")
        return self._pointer
