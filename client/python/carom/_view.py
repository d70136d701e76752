"""Views: the newest state of a world, which a subscription keeps up to date (carom/view.h)."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _bodies, _events, _native
from ._errors import InvalidArgument, OutOfMemory, check
from ._library import carom
from ._owned import Owned
from ._values import take

if TYPE_CHECKING:
    from ._client import Client

INTERPOLATIONS = ("none", "delayed", "predictive")


class Drawn(NamedTuple):
    """A body where a game draws it."""

    id: int
    x: float  #: [m]
    y: float
    angle: float  #: [rad]
    vx: float  #: [m/s]
    vy: float
    w: float  #: [rad/s]
    gone: bool  #: it was removed, which is not shown yet


class BodyInfo(NamedTuple):
    """The description of a body, of views with `describe`."""

    id: int
    type: str
    tag: str
    owner: str
    mass: float  #: [kg]; 0 if it is not dynamic
    shapes: list[dict[str, Any]]


class View(_bodies.Bodies, Owned):
    """The bodies of a world as they are now. Client.watch() makes one that follows a world."""

    def __init__(self, *, history: int = 0, interpolation: str = "none"):
        if interpolation not in INTERPOLATIONS:
            raise InvalidArgument(f"interpolation: '{interpolation}' is none of {', '.join(INTERPOLATIONS)}")
        if not 0 <= history <= _native.CAROM_VIEW_HISTORY_MAX:
            raise InvalidArgument(f"history: must be 0 to {_native.CAROM_VIEW_HISTORY_MAX}")
        options = carom.carom_view_options_default()
        options.history, options.interpolation = history, INTERPOLATIONS.index(interpolation)
        self._pointer = carom.carom_view_create(options)
        if not self._pointer:
            raise OutOfMemory("no memory for a view")
        self.client: Client | None = None
        self.number = 0  #: of the subscription

    @property
    def state(self) -> Any:
        """Numbers of the view: ready, ended, epoch, tick, time, snapshots, gaps …, as in carom/view.h."""
        return carom.carom_view_get_state(self._open())

    @property
    def ready(self) -> bool:
        """The whole state has arrived."""
        return self.state.ready

    @property
    def tick(self) -> int:
        """The tick of the newest state."""
        return self.state.tick

    @property
    def bodies(self) -> Any:
        """The motion of all bodies in view, in no order: the library's own memory, not copied. The array is valid until the
        next poll or call of the client; copy what has to live longer."""
        count = carom.carom_view_count(self._open())
        first = carom.carom_view_body(self._pointer, 0)
        return _bodies.shared(ctypes.cast(first, ctypes.c_void_p).value, count, self)

    def find(self, body: int) -> Any:
        """The motion of one body (attributes x, y, angle, vx, vy, w), a copy; None if it is not in view."""
        found = carom.carom_view_find(self._open(), body)
        return _native.carom_body.from_buffer_copy(found.contents) if found else None

    def info(self, body: int) -> BodyInfo | None:
        """The description of a body, of views with `describe`; None while there is none."""
        index = ctypes.c_size_t()
        if not carom.carom_view_index(self._open(), body, index):
            return None
        found = carom.carom_view_info(self._pointer, index)
        if not found:
            return None
        i = found.contents
        shapes = [take(carom.carom_shape_value(i.shapes[k].shape)) | {"shape": i.shapes[k].id} for k in range(i.shape_count)]
        return BodyInfo(i.body.id, carom.carom_body_type_name(i.type).decode(), (i.tag or b"").decode(errors="replace"),
                        (i.owner or b"").decode(errors="replace"), i.mass, shapes)

    @property
    def data(self) -> dict[str, Any]:
        """The world's data, of views with `data`."""
        out = {}
        for i in range(carom.carom_view_datum_count(self._open())):
            datum = carom.carom_view_datum(self._pointer, i).contents
            out[datum.key.decode(errors="replace")] = take(carom.carom_datum_value(datum))
        return out

    def events(self) -> list[_events.Event]:
        """Removes and returns the events that have arrived since the last call."""
        out, event = [], _native.carom_event()
        while carom.carom_view_next_event(self._open(), event):
            out.append(_events.read(event))
        return out

    def wait(self, condition: Callable[[View], Any] | None = None, timeout: float | None = None) -> bool:
        """Polls the client until condition(view) is true, or until the whole state has arrived; False after `timeout`
        seconds."""
        if self.client is None:
            raise ValueError("the view follows no client")
        return self.client.wait(lambda: condition(self) if condition is not None else self.ready, timeout)

    # ---- drawing

    def advance(self, now: float | None = None) -> float:
        """Advances what is drawn to the time `now` (default: carom's clock) and returns the world time that is drawn [s]."""
        return carom.carom_view_advance(self._open(), carom.carom_now() if now is None else now)

    def drawn(self) -> list[Drawn]:
        """The bodies where to draw them at the time of the last advance()."""
        most = carom.carom_view_count(self._open()) + carom.carom_view_get_playback(self._pointer).gone
        buffer = (_native.carom_drawn * (most + 1))()
        count = min(carom.carom_view_drawn(self._pointer, buffer, most), most)
        return [Drawn(d.id, d.x, d.y, d.angle, d.vx, d.vy, d.w, d.gone) for d in buffer[:count]]

    def at_time(self, index: int, time: float) -> Any:
        """Body `index` as it was at `time` [s of the world]; None past the end. Needs a history."""
        out = _native.carom_body()
        return out if carom.carom_view_at_time(self._open(), index, time, out) else None

    # ---- feeding

    def feed(self, encoded: bytes) -> None:
        """Applies the bytes of a snapshot, such as Replica.snapshot() makes."""
        error = _native.carom_error()
        check(carom.carom_view_feed(self._open(), encoded, len(encoded), None, error), error)

    def close(self) -> None:
        """Detaches and frees the view."""
        if self._pointer is not None:
            pointer, self._pointer = self._pointer, None
            if self.client is not None:
                self.client._views.pop(self.number, None)
            carom.carom_view_free(pointer)

    def _open(self) -> int:
        if self._pointer is None:
            raise ValueError("the view is closed")
        return self._pointer
