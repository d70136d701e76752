"""Prediction: a client's own commands act at once, however far the server is (carom/prediction.h).

Beside a replica, which is exactly the server's world of a moment ago, a prediction has a second world, ahead of the
server's: in it the client's commands act in the tick for which they are sent.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from . import _errors, _events, _native
from ._client import Client, Snapshot
from ._errors import Error, InvalidArgument
from ._events import Event
from ._library import carom
from ._library import replica as library
from ._local import given
from ._methods import BatchMethods, Id, Reference
from ._owned import Owned
from ._replica import Replica
from ._values import Tree, take

INPUT_DELAY_MAX = 3  #: [ticks]
FATES = ("predicted", "confirmed", "taken_back")


class Pose(NamedTuple):
    """A body where a game draws it."""

    id: int
    x: float  #: [m]
    y: float
    angle: float  #: [rad]
    vx: float  #: [m/s]
    vy: float
    w: float  #: [rad/s]
    awake: bool
    approximate: bool  #: carried on by its velocity, because time is short


class Made(NamedTuple):
    """The body, shape or joint that a command of a predicted tick made."""

    id: int
    confirmed: bool  #: False: the id can still change, when another session makes something first


class PredictedTick(BatchMethods):
    """A tick that is predicted. The methods are those of a batch: `tick.body.force(ship, [30, 0])` adds a command.

    With `first_time` false the tick is predicted again: the commands of the first time act again, and those that are
    added now are ignored. Play sounds and sparks with `first_time`.
    """

    def __init__(self, number: int, first_time: bool):
        super().__init__(self._add)
        self.number = number  #: the tick in which the commands act
        self.first_time = first_time
        self._commands: list[tuple[str, Tree]] = []

    def _add(self, method: str, args: dict[str, Any]) -> Reference:
        self._commands.append((method, Tree(given(args))))
        return Reference({"$": len(self._commands) - 1})

    def _give(self, prediction: int) -> None:
        error = _native.carom_error()
        for method, tree in self._commands:
            _errors.check(library.carom_prediction_command(prediction, method.encode(), tree.pointer, error), error)

    def _free(self) -> None:
        for _, tree in self._commands:
            carom.carom_value_free(tree.pointer)
        self._commands = []


class Prediction(Owned):
    """A world ahead of a replica, in which the commands of this client act at once.

    input(tick): makes the commands of a PredictedTick; it is called once for each tick, and again whenever the tick is
    predicted again. None: the client commands nothing. The function must not use the client, and neither feed nor close
    the replica and the prediction. An exception is raised by frame(), and the commands of its tick are dropped.

    event(event, fate, was_predicted): receives events of `events` (default: all kinds but "stay"), within frame(). Each
    is reported once as "predicted", and then once as "confirmed" or "taken_back"; an event that was not predicted is
    reported once as "confirmed" with `was_predicted` false.

    input_delay: 0 to 3 [ticks]: commands act later, and less is predicted. budget_ms: time for a frame; 0: no limit.
    smoothing_s: half-life of a correction in what is drawn [s], default 0.06. check: predict again in every frame and
    compare, a check for development (`figures.check_failures`).

    A replica has one prediction. Closing the replica or the client closes it.
    """

    def __init__(self, client: Client, replica: Replica, input: Callable[[PredictedTick], Any] | None = None, *,
                 event: Callable[[Event, str, bool], Any] | None = None, events: Iterable[str] | None = None,
                 input_delay: int = 0, budget_ms: float = 0.0, smoothing_s: float | None = None, check: bool = False):
        self._pointer: int | None = None
        self._client, self._replica = client, replica
        self._input, self._event = input, event
        self._happened: list[tuple[Event, str, bool]] = []  # events of the frame
        self._raised: BaseException | None = None  # error raised by `input`
        self._framing = False
        types = dict(_native.carom_prediction_options._fields_)
        o = self._options = library.carom_prediction_options_default()
        o.input = types["input"](self._on_input) if input is not None else types["input"]()
        o.event = types["event"](self._on_event) if event is not None else types["event"]()
        if events is not None:
            o.events = _events.bits(events)
        if smoothing_s is not None:
            o.smoothing_s = smoothing_s
        if not 0 <= input_delay <= INPUT_DELAY_MAX:
            raise InvalidArgument(f"input_delay: 0 to {INPUT_DELAY_MAX} ticks, got {input_delay}")
        o.input_delay, o.budget_ms, o.check = input_delay, budget_ms, check
        error, out = _native.carom_error(), ctypes.c_void_p()
        _errors.check(library.carom_prediction_create(client._open(), replica._open(), o, out, error), error)
        self._pointer = out.value
        replica._prediction = self
        client._predictions.append(self)

    # ---- frames

    def frame(self, now: float | None = None) -> None:
        """Advances to the time `now` [s] (default: carom's clock): predicts wrong ticks again, asks for the commands that are
        due, sends them, and reports events. To be called in every frame, after Client.poll."""
        error = _native.carom_error()
        self._open()
        self._client._open()
        self._begin()
        try:
            status = library.carom_prediction_frame(self._pointer, carom.carom_now() if now is None else now, error)
        finally:
            self._end()
        happened, self._happened = self._happened, []
        raised, self._raised = self._raised, None
        try:
            for one in happened:
                self._event(*one)  # type: ignore[misc]
        finally:
            if raised is not None:
                raise raised
        _errors.check(status, error)

    def poses(self) -> list[Pose]:
        """The bodies where to draw them, in ascending order of their slots."""
        count = library.carom_prediction_poses(self._open(), None, 0)
        buffer = (_native.carom_prediction_pose * (count + 1))()
        count = min(count, library.carom_prediction_poses(self._pointer, buffer, count))
        return [Pose(p.id, p.x, p.y, p.angle, p.vx, p.vy, p.w, p.awake, p.approximate) for p in buffer[:count]]

    def snapshot(self) -> bytes:
        """The predicted state, for View.feed, with the bodies where they are predicted rather than drawn."""
        error, data, size = _native.carom_error(), ctypes.c_void_p(), ctypes.c_size_t()
        _errors.check(library.carom_prediction_snapshot(self._open(), None, data, size, error), error)
        return ctypes.string_at(data, size.value)

    # ---- the predicted world

    @property
    def active(self) -> bool:
        """Whether commands are predicted. False if the server has another engine, or does not know batches for a tick: then
        commands act a round trip later, and the bodies are drawn where the replica has them."""
        return library.carom_prediction_active(self._open(), None)

    @property
    def inactive_because(self) -> Error | None:
        """Why commands are not predicted; None: they are."""
        error = _native.carom_error()
        return None if library.carom_prediction_active(self._open(), error) else _errors.from_struct(error)

    @property
    def tick(self) -> int:
        """The tick that is predicted; 0: none yet."""
        return library.carom_prediction_tick(self._open())

    @property
    def figures(self) -> Any:
        """Figures for an overlay: right, rollbacks, error, lead, rtt, sent, confirmed …, as in carom/prediction.h."""
        return library.carom_prediction_figures_now(self._open())

    def call(self, method: str, **args: Any) -> Any:
        """Calls a reading method on the predicted world: body.get, query.ray, world.contacts …"""
        error, result = _native.carom_error(), ctypes.c_void_p()
        with Tree(given(args)) as tree:
            _errors.check(library.carom_prediction_call(self._open(), method.encode(), tree, result, error), error)
        return take(result.value)

    def made(self, tick: int, command: Reference | int) -> Made | None:
        """The body, shape or joint that a command of a tick made; None: nothing, or it is not known (any more)."""
        index = command if isinstance(command, int) else command["$"]
        confirmed = ctypes.c_bool()
        made = library.carom_prediction_made(self._open(), tick, index, confirmed)
        return Made(made, confirmed.value) if made != 0 else None

    def own(self, body: Id) -> None:
        """Marks a body that matters to the player although no command names it: bodies near it are predicted first when time
        is short."""
        library.carom_prediction_own(self._open(), body)

    def predict(self, body: Id, predicted: bool) -> None:
        """Draws a body where it is predicted (the default), or where it was last confirmed; 256 bodies at most are not
        predicted."""
        error = _native.carom_error()
        _errors.check(library.carom_prediction_predict(self._open(), body, predicted, error), error)

    # ---- the end

    def close(self) -> None:
        """Ends the prediction. Batches that were sent still act on the server."""
        if self._pointer is None:
            return
        if self._framing:
            raise ValueError("a function of a prediction must not close it, its replica or its client")
        pointer, self._pointer = self._pointer, None
        self._replica._prediction = None
        self._client._predictions.remove(self)
        library.carom_prediction_free(pointer)

    # ---- inside

    def _open(self) -> int:
        if self._pointer is None:
            raise ValueError("the prediction is closed")
        return self._pointer

    def _begin(self) -> None:
        self._framing = True
        self._client._forbidden = self._replica._forbidden = "a function `input` of a prediction must not use"

    def _end(self) -> None:
        self._framing = False
        self._client._forbidden = self._replica._forbidden = ""

    def _feed(self, snapshot: Snapshot) -> None:
        encoded = ctypes.create_string_buffer(snapshot.encoded, len(snapshot.encoded))
        s = _native.carom_snapshot(log=True, encoded=ctypes.addressof(encoded), encoded_size=len(encoded))
        if snapshot.margin is not None:
            s.has_margin, s.margin = True, snapshot.margin
        error = _native.carom_error()
        _errors.check(library.carom_prediction_feed(self._open(), s, carom.carom_now(), error), error)

    def _on_input(self, prediction: int, number: int, first_time: bool, _user: int) -> None:
        tick = PredictedTick(number, first_time)
        try:
            self._input(tick)  # type: ignore[misc]
            tick._give(prediction)
        except BaseException as error:  # no exception may pass through C
            self._raised = self._raised or error
        finally:
            tick._free()

    def _on_event(self, event: Any, fate: int, was_predicted: bool, _user: int) -> None:
        try:
            self._happened.append((_events.read(event.contents), FATES[fate], was_predicted))
        except BaseException as error:
            self._raised = self._raised or error

