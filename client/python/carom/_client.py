"""Connections to caromd: calls, subscriptions, callbacks."""

from __future__ import annotations

import ctypes
import dataclasses
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _bodies, _errors, _events, _native
from ._errors import Unavailable, check
from ._library import carom
from ._local import Batch, given
from ._methods import Id, ServerMethods, ServerWorld, WorldMethods
from ._owned import Owned
from ._values import Tree, read, take
from ._view import View

if TYPE_CHECKING:
    from ._prediction import Prediction

SNAPSHOTS_MAX = 256  #: snapshots that wait for the iteration of a subscription; more drop the oldest
HANDLERS = ("snapshot", "event", "notification", "lost", "resumed", "closed")


@dataclasses.dataclass(frozen=True)
class Snapshot:
    """The state of a world as a subscription brings it: changed bodies, or all with `full`."""

    subscription: int
    world: str
    epoch: int  #: another number means another world
    tick: int
    time: float  #: time of the world [s]
    full: bool  #: `bodies` has all bodies in view
    bodies: Any  #: an array; see carom.LocalWorld.bodies for its columns
    removed: list[int]  #: ids that no longer exist
    leave: list[int]  #: ids that left the view
    events: list[_events.Event]
    data: dict[str, Any] | None  #: changed keys of the world's data (None: gone); None without `data`
    margin: float | None  #: how long before its tick the latest timed batch arrived [s]
    encoded: bytes  #: as received; of a subscription of encoding "log" for Replica.feed


def _ids(pointer: Any, count: int) -> list[int]:
    return pointer[:count] if count else []


def _data(s: _native.carom_snapshot) -> dict[str, Any] | None:
    if not s.has_data:
        return None
    return {s.data[i].key.decode(errors="replace"):
            take(carom.carom_datum_value(s.data[i])) if s.data[i].encoded else None for i in range(s.data_count)}


def read_snapshot(s: _native.carom_snapshot) -> Snapshot:
    """A copy that outlives the callback."""
    return Snapshot(
        s.subscription, (s.world or b"").decode(), s.epoch, s.tick, s.time, s.full,
        _bodies.copied(ctypes.cast(s.bodies, ctypes.c_void_p).value, s.body_count), _ids(s.removed, s.removed_count),
        _ids(s.leave, s.leave_count), [_events.read(s.events[i]) for i in range(s.event_count)], _data(s),
        s.margin if s.has_margin else None, ctypes.string_at(s.encoded, s.encoded_size) if s.log else b"")


class Subscription:
    """A subscription to a world. Iterating over it yields its snapshots as they come, and ends with the subscription.

    `events()` iterates over the events alone. Both wait for the server; `pending` are the snapshots that have arrived.
    """

    def __init__(self, client: Client, number: int, world: str):
        self.client, self.number, self.world = client, number, world
        self.pending: deque[Snapshot] = deque(maxlen=SNAPSHOTS_MAX)
        self.dropped = 0  #: snapshots dropped because SNAPSHOTS_MAX were waiting
        self.ended = False

    def _put(self, snapshot: Snapshot) -> None:
        self.dropped += len(self.pending) == SNAPSHOTS_MAX
        self.pending.append(snapshot)

    def __iter__(self) -> Iterator[Snapshot]:
        while self.pending or not self.ended:
            if self.pending:
                yield self.pending.popleft()
            else:
                self.client.poll(-1)

    def next(self, timeout: float | None = None) -> Snapshot:
        """The next snapshot, within `timeout` seconds (default: the client's). Raises carom.Unavailable after it."""
        if not self.client.wait(lambda: self.pending or self.ended, timeout) or not self.pending:
            raise Unavailable("the subscription has ended" if self.ended else "timed out: no snapshot has come")
        return self.pending.popleft()

    def events(self) -> Iterator[_events.Event]:
        """The events of the snapshots as they come."""
        for snapshot in self:
            yield from snapshot.events

    def set_area(self, area: Sequence[float] | None) -> None:
        """Moves the area [x0, y0, x1, y1] (m); None: the whole world."""
        error = _native.carom_error()
        corners = (ctypes.c_double * 4)(*area) if area is not None else None
        check(carom.carom_subscription_area(self.client._open(), self.number, corners, self.client._timeout_ms(), error), error)

    def close(self) -> None:
        """Ends the subscription."""
        error = _native.carom_error()
        if not self.ended:
            check(carom.carom_unsubscribe(self.client._open(), self.number, self.client._timeout_ms(), error), error)
            self.client._forget(self.number)


class World(WorldMethods):
    """A world of a server: its methods, with its name filled in. `world.body.spawn(…)` calls body.spawn."""

    def __init__(self, client: Client, name: str):
        super().__init__(lambda method, args: client._call(method, {"world": name, **args}))
        self.client, self.name = client, name

    def subscribe(self, **options: Any) -> Subscription:  # type: ignore[override]
        """As Client.subscribe."""
        return self.client.subscribe(self.name, **options)

    def watch(self, **options: Any) -> View:
        """As Client.watch."""
        return self.client.watch(self.name, **options)

    def batch(self, *, at: int | None = None, late: str | None = None) -> Batch:
        """Commands that take effect in one tick: `with world.batch() as batch: …`. `at` and `late` are those of
        world.apply."""
        timing = given({"at": at, "late": late})
        return Batch(lambda commands: self.client._call("world.apply", {"world": self.name, "commands": commands, **timing}))


class _Worlds(ServerWorld):
    """Methods world.…, and client.world(name) for one world."""

    def __init__(self, client: Client):
        super().__init__(client._call)
        self._client = client

    def __call__(self, name: str) -> World:
        return World(self._client, name)


class _Options:
    """carom_subscribe_options, with the objects to which they refer."""

    def __init__(self, client: Client, *, rate: float = 0, encoding: str = "packed", precision: Sequence[float] | None = None,
                 bodies: bool = True, contacts: bool = False, describe: bool = False, area: Sequence[float] | None = None,
                 follow: Id = 0, margin: float = 0, budget: float = 0, events: Sequence[str] | None = None,
                 data: bool | Sequence[str] | None = None):
        o = self.struct = carom.carom_subscribe_options_default()
        o.rate, o.bodies, o.contacts, o.describe = rate, bodies, contacts, describe
        o.encoding, o.follow, o.margin, o.budget = encoding.encode(), follow, margin, budget
        if precision is not None:
            o.precision[:len(precision)] = precision
        if area is not None:
            o.has_area, o.area[:] = True, area
        if events is not None:
            o.events, o.event_count = self._words(events), len(events)
        prefixes = [""] if data is True else list(data or [])
        if prefixes:
            o.data, o.data_count = self._words(prefixes), len(prefixes)
        if encoding == "log":
            o.compact = carom.carom_compact(client._open())

    @staticmethod
    def _words(words: Sequence[str]) -> Any:
        array = (ctypes.c_char_p * (len(words) + 1))(*[word.encode() for word in words])
        return ctypes.cast(array, ctypes.POINTER(ctypes.c_char_p))


class Client(ServerMethods, Owned):
    """A connection to caromd. carom.connect() makes one.

    Methods of the protocol are functions: client.server.info(), client.world.create("lab"), client.body.spawn("lab", …);
    client.world("lab") fills in the name. Each waits up to `timeout` seconds for its answer and raises carom.Error.
    Callbacks and subscriptions are served by poll(), wait() and calls. One thread at a time may use a client.
    """

    world: _Worlds  # type: ignore[assignment]

    def __init__(self, pointer: int, timeout: float):
        super().__init__(self._call)
        self.world = _Worlds(self)
        self.timeout = timeout  #: seconds that a call waits for its answer
        self._pointer: int | None = pointer
        self._on: dict[str, list[Callable[..., Any]]] = {name: [] for name in HANDLERS}
        self._subscriptions: dict[int, Subscription] = {}
        self._views: dict[int, View] = {}
        self._predictions: list[Prediction] = []  # those whose commands this client sends
        self._forbidden = ""  # why nothing can be called now; "": it can
        self._early: list[Snapshot] | None = None  # snapshots that come before the subscription's number
        self._raised: BaseException | None = None  # error raised by a callback
        self._handlers = self._make_handlers()
        carom.carom_set_handlers(pointer, self._handlers)

    # ---- calls

    def call(self, method: str, **args: Any) -> Any:
        """Calls any method by its name: call("body.get", world="lab", body=1)."""
        return self._call(method, args)

    def send(self, method: str, **args: Any) -> None:
        """Sends a notification: no answer, no error of the server."""
        error = _native.carom_error()
        with Tree(given(args)) as tree:
            check(carom.carom_send(self._open(), method.encode(), tree, error), error)

    def _call(self, method: str, args: dict[str, Any]) -> Any:
        error, result = _native.carom_error(), ctypes.c_void_p()
        with Tree(given(args)) as tree:
            status = carom.carom_call(self._open(), method.encode(), tree, self._timeout_ms(), result, error)
        self._reraise()
        check(status, error)
        return take(result.value)

    @property
    def hello_answer(self) -> dict[str, Any]:
        """The server's answer to hello: version, session, resume, role, limits …"""
        return read(carom.carom_hello(self._open()))

    def set_token(self, token: str) -> None:
        """Sends a new token of the same subject; to be called before the old one expires."""
        error = _native.carom_error()
        check(carom.carom_set_token(self._open(), token.encode(), self._timeout_ms(), error), error)

    # ---- subscriptions

    def subscribe(self, world: str, **options: Any) -> Subscription:
        """Subscribes to a world. Options: rate [1/s], encoding ("packed", "plain" or "log"), precision [m, rad, m/s], bodies,
        contacts, describe, area [x0, y0, x1, y1] (m), follow (a body), margin [m], budget [bytes/s], events (kinds), data
        (True or prefixes)."""
        error, number = _native.carom_error(), ctypes.c_uint64()
        chosen = _Options(self, **options)
        self._early = []
        try:
            status = carom.carom_subscribe(self._open(), world.encode(), chosen.struct, self._timeout_ms(), number, error)
            early, self._early = self._early, None
        finally:
            self._early = None
        self._reraise()
        check(status, error)
        made = self._subscriptions[number.value] = Subscription(self, number.value, world)
        for snapshot in early:
            if snapshot.subscription == made.number:
                made._put(snapshot)
        return made

    def watch(self, world: str, *, history: int = 0, interpolation: str = "none", **options: Any) -> View:
        """Subscribes to a world and returns a view, which always shows its newest state. `history`: past states of each body
        for View.at_time, 0 to 64; `interpolation`: "none", "delayed" or "predictive", for View.drawn. Other options are
        those of subscribe."""
        error, number = _native.carom_error(), ctypes.c_uint64()
        chosen, view = _Options(self, **options), View(history=history, interpolation=interpolation)
        status = carom.carom_watch(self._open(), world.encode(), chosen.struct, view._open(), self._timeout_ms(), number, error)
        self._reraise()
        check(status, error)
        view.client, view.number = self, number.value
        self._views[number.value] = view
        return view

    def _forget(self, number: int) -> None:
        if number in self._subscriptions:
            self._subscriptions.pop(number).ended = True

    # ---- letting things happen

    def on(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Adds a callback: "snapshot" (Snapshot), "event" (Event, Snapshot), "notification" (method, arguments), "lost"
        (Error), "resumed" (the answer to hello), "closed" (Error or None). An exception of a callback is raised by the call
        that served it. Returns the function."""
        if name not in self._on:
            raise ValueError(f"'{name}' is none of {', '.join(HANDLERS)}")
        self._on[name].append(function)
        return function

    def poll(self, timeout: float = 0) -> None:
        """Sends and receives what is due and serves callbacks; waits up to `timeout` seconds (-1: without end) for something
        to happen. Raises carom.Error once the connection has ended."""
        error = _native.carom_error()
        status = carom.carom_poll(self._open(), -1 if timeout < 0 else round(timeout * 1000), error)
        self._reraise()
        check(status, error)

    def wait(self, condition: Callable[[], Any], timeout: float | None = None) -> bool:
        """Polls until condition() is true, and says whether it became so within `timeout` seconds (default: the client's)."""
        end = time.monotonic() + (self.timeout if timeout is None else timeout)
        while not condition():
            left = end - time.monotonic()
            if left <= 0:
                return False
            self.poll(min(left, 1.0))
        return True

    def fileno(self) -> int:
        """The socket, for an event loop of one's own: call poll(0) when it can be read."""
        return carom.carom_fd(self._open())

    # ---- the end

    def close(self) -> None:
        """Closes the connection, and its predictions. Views and replicas stay as they are."""
        for prediction in list(self._predictions):
            prediction.close()
        if self._pointer is not None:
            pointer, self._pointer = self._pointer, None
            carom.carom_free(pointer)
            for number in list(self._subscriptions):
                self._forget(number)

    # ---- inside

    def _open(self) -> int:
        if self._pointer is None:
            raise Unavailable("the client is closed")
        if self._forbidden:
            raise ValueError(f"{self._forbidden} the client")
        return self._pointer

    def _timeout_ms(self) -> int:
        return max(1, round(self.timeout * 1000))

    def _reraise(self) -> None:
        if self._raised is not None:
            raised, self._raised = self._raised, None
            raise raised

    def _guarded(self, function: Callable[..., None]) -> Callable[..., None]:
        def guarded(*args: Any) -> None:
            try:
                function(*args)
            except BaseException as error:  # no exception may pass through C
                self._raised = self._raised or error
        return guarded

    def _tell(self, name: str, *args: Any) -> None:
        for function in list(self._on[name]):
            function(*args)

    def _make_handlers(self) -> _native.carom_handlers:
        types = dict(_native.carom_handlers._fields_)
        functions = {"snapshot": self._on_snapshot, "notification": self._on_notification, "lost": self._on_lost,
                     "resumed": self._on_resumed, "closed": self._on_closed}
        return _native.carom_handlers(**{name: types[name](self._guarded(f)) for name, f in functions.items()})

    def _on_snapshot(self, _client: int, pointer: Any, _user: int) -> None:
        s = pointer.contents
        wanted = self._subscriptions.get(s.subscription)
        if wanted is None and self._early is None and not self._on["snapshot"] and not self._on["event"]:
            return
        snapshot = read_snapshot(s)
        if wanted is not None:
            wanted._put(snapshot)
        elif self._early is not None:
            self._early = (self._early + [snapshot])[-SNAPSHOTS_MAX:]
        self._tell("snapshot", snapshot)
        for event in snapshot.events:
            self._tell("event", event, snapshot)

    def _on_notification(self, _client: int, method: bytes, params: int, _user: int) -> None:
        args = read(params)
        if method == b"world_closed" and isinstance(args, dict):
            self._forget(args.get("subscription", 0))
        self._tell("notification", method.decode(), args)

    def _on_lost(self, _client: int, status: int, reason: bytes, _user: int) -> None:
        self._tell("lost", _errors.make(status, (reason or b"").decode(errors="replace")))

    def _on_resumed(self, _client: int, hello: int, _user: int) -> None:
        self._tell("resumed", read(hello))

    def _on_closed(self, _client: int, status: int, reason: bytes, _user: int) -> None:
        for number in list(self._subscriptions):
            self._forget(number)
        text = (reason or b"").decode(errors="replace")
        self._tell("closed", _errors.make(status, text) if status != _native.CAROM_OK else None)


def connect(address: str = "127.0.0.1:22766", *, timeout: float = 10.0, token: str | None = None, name: str = "carom for Python",
            resume: str | None = None, reconnect: bool = False, keep_session: bool = False, ca_file: str | None = None,
            tls_name: str | None = None, unverified: bool = False) -> Client:
    """Connects to caromd and says hello, within `timeout` seconds, which calls wait as well.

    address: "host:port", "[v6]:port", or with TLS "caroms://host:port"; token: for servers with keys; resume: the secret of
    an earlier session (hello_answer["resume"]); reconnect: dial again after a lost connection and resume the session;
    keep_session: close() leaves the session to be resumed; ca_file, tls_name, unverified: for TLS, as in carom/client.h.
    """
    error, host, port = _native.carom_error(), ctypes.create_string_buffer(256), ctypes.c_uint16()
    tls, out = ctypes.c_bool(), ctypes.c_void_p()
    check(carom.carom_url_parse(address.encode(), host, len(host), port, tls, error), error)
    options = carom.carom_options_default()
    options.name, options.keep_session = name.encode(), keep_session
    options.token = token.encode() if token is not None else None
    options.resume = resume.encode() if resume is not None else None
    options.reconnect.on, options.tls.on = reconnect, tls.value
    options.tls.ca_file = ca_file.encode() if ca_file is not None else None
    options.tls.name = tls_name.encode() if tls_name is not None else None
    options.tls.unverified = unverified
    check(carom.carom_connect(host.value, port.value, max(1, round(timeout * 1000)), options, out, error), error)
    return Client(out.value or 0, timeout)
