"""Every method of the protocol as a function, and types for arguments and answers.

Generated from proto/schema by proto/generate/python.py: do not edit.

An argument that is None is left out, and means what its default says. `from` is written from_, because it is a word of
Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal, NotRequired, TypedDict, Union

__all__ = [
    "Area", "BoxShape", "CapsuleShape", "ChainShape", "CircleShape", "Filter", "Id", "Players", "PolygonShape",
    "Precision", "Reference", "SegmentShape", "Shape", "Vector", "box", "capsule", "chain", "circle", "polygon",
    "segment",
]

Vector = Sequence[float]  #: [x, y]
Area = Sequence[float]  #: [x0, y0, x1, y1]: lower left and upper right corner


class Reference(dict):
    """What a command of a batch makes, for later commands of the same batch: {"$": index}."""

    @property
    def index(self) -> int:
        """The index of the command in its batch, and of its answer among the results."""
        return self["$"]


Id = Union[int, Reference]  #: a body, shape or joint; in a batch also what an earlier command made


class Filter(TypedDict):
    """The arguments of a shape's filter."""

    category: NotRequired[int]
    """The shape's own categories: bits. Default 1."""
    mask: NotRequired[int]
    """The categories it meets: each one's mask must have a bit of the other's category. Default -1."""
    group: NotRequired[int]
    """Shapes of the same group never meet if it is negative, and always if it is positive; 0: no group. [-2147483648 to
    2147483647] Default 0."""


class Precision(TypedDict):
    """The precision of packed snapshots."""

    position: NotRequired[float]
    """Places are rounded to multiples of this. [1.52588e-05 to 16 m] Default 0.001953125."""
    angle: NotRequired[float]
    """Angles are rounded to this, or a little less: a whole number of steps makes a turn. [6e-06 to 1.5708 rad] Default
    0.006135923151542565."""
    velocity: NotRequired[float]
    """Velocities (and spin, in rad/s) are rounded to this; not sent, if left out. [1.52588e-05 to 16 m/s]"""


class Players(TypedDict):
    """The bounds of the role player in a world, each a maximum; a key that is left out bounds nothing."""

    methods: NotRequired[Sequence[Literal['world.state', 'world.contacts', 'world.apply', 'body.spawn', 'body.remove', 'body.get', 'body.set', 'body.impulse', 'body.angular_impulse', 'body.force', 'body.torque', 'shape.add', 'shape.set', 'shape.remove', 'joint.create', 'joint.set', 'joint.remove', 'joint.get', 'joint.list', 'query.ray', 'query.overlap', 'query.cast', 'query.nearest', 'data.set', 'data.remove', 'data.get', 'message.send']]]
    """The commands, reads and queries that it may call."""
    types: NotRequired[Sequence[Literal['static', 'kinematic', 'dynamic']]]
    """Types of bodies that it may make."""
    bodies: NotRequired[int]
    """Bodies that one subject may own. [0 to 1048576]"""
    mass: NotRequired[float]
    """Mass of a body that it makes or changes, by `mass` or by density. [0 to 1000000000000 kg]"""
    size: NotRequired[float]
    """Longer side of the box around a body's shapes, in the body's frame. [0 to 2000000 m]"""
    speed: NotRequired[float]
    """Speed that a command may give to a body, and to its surface by turning or as a conveyor. [0 to 4000 m/s]"""
    force: NotRequired[float]
    """Force of body.force, of gravity_scale, and of a joint's motor or spring. [0 to 1000000000000 N]"""
    impulse: NotRequired[float]
    """Sum of the impulses that a subject gives to a body in a tick; apart from it in N m s, that of the angular ones.
    [0 to 1000000000000 N s]"""
    torque: NotRequired[float]
    """Torque of body.torque, of a force about the centre of mass, and of a joint's motor or spring. [0 to 1000000000000
    N m]"""
    area: NotRequired[Area]
    """Place for bodies that it makes or moves by body.set, with all of their shapes. [-1000000 to 1000000 m]"""


class CircleShape(TypedDict):
    """A shape of kind circle."""

    kind: Literal["circle"]
    radius: float
    """Radius of the circle. [0.0005 to 10000 m]"""
    center: NotRequired[Vector]
    """Place in the body's frame. [-10000 to 10000 m] Default [0, 0]."""
    density: NotRequired[float]
    """Mass by area. [0 to 1000000000 kg/m²] Default 1."""
    friction: NotRequired[float]
    """Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6."""
    restitution: NotRequired[float]
    """Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    rolling_resistance: NotRequired[float]
    """Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    tangent_speed: NotRequired[float]
    """Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0."""
    sensor: NotRequired[bool]
    """Whether the shape reports bodies that enter it instead of colliding. Default false."""
    filter: NotRequired[Filter]
    """The shapes that it collides with; all, if left out."""
    events: NotRequired[Sequence[Literal['contact', 'hit', 'sensor']]]
    """Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact",
    "sensor"]."""
    one_way: NotRequired[Vector]
    """One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all
    sides. [-1000000 to 1000000] Default [0, 0]."""


class BoxShape(TypedDict):
    """A shape of kind box."""

    kind: Literal["box"]
    size: Vector
    """Full width and height. [0.001 to 20000 m]"""
    center: NotRequired[Vector]
    """Place in the body's frame. [-10000 to 10000 m] Default [0, 0]."""
    angle: NotRequired[float]
    """Angle of the rectangle, about its centre. [-1000000000 to 1000000000 rad] Default 0."""
    radius: NotRequired[float]
    """Rounding around the polygon. [0 to 10000 m] Default 0."""
    density: NotRequired[float]
    """Mass by area. [0 to 1000000000 kg/m²] Default 1."""
    friction: NotRequired[float]
    """Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6."""
    restitution: NotRequired[float]
    """Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    rolling_resistance: NotRequired[float]
    """Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    tangent_speed: NotRequired[float]
    """Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0."""
    sensor: NotRequired[bool]
    """Whether the shape reports bodies that enter it instead of colliding. Default false."""
    filter: NotRequired[Filter]
    """The shapes that it collides with; all, if left out."""
    events: NotRequired[Sequence[Literal['contact', 'hit', 'sensor']]]
    """Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact",
    "sensor"]."""
    one_way: NotRequired[Vector]
    """One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all
    sides. [-1000000 to 1000000] Default [0, 0]."""


class PolygonShape(TypedDict):
    """A shape of kind polygon."""

    kind: Literal["polygon"]
    vertices: Sequence[Vector]
    """Points in any order; their convex hull is taken. [-10000 to 10000 m]"""
    radius: NotRequired[float]
    """Rounding around the polygon. [0 to 10000 m] Default 0."""
    density: NotRequired[float]
    """Mass by area. [0 to 1000000000 kg/m²] Default 1."""
    friction: NotRequired[float]
    """Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6."""
    restitution: NotRequired[float]
    """Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    rolling_resistance: NotRequired[float]
    """Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    tangent_speed: NotRequired[float]
    """Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0."""
    sensor: NotRequired[bool]
    """Whether the shape reports bodies that enter it instead of colliding. Default false."""
    filter: NotRequired[Filter]
    """The shapes that it collides with; all, if left out."""
    events: NotRequired[Sequence[Literal['contact', 'hit', 'sensor']]]
    """Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact",
    "sensor"]."""
    one_way: NotRequired[Vector]
    """One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all
    sides. [-1000000 to 1000000] Default [0, 0]."""


class CapsuleShape(TypedDict):
    """A shape of kind capsule."""

    kind: Literal["capsule"]
    a: Vector
    """One end of the middle line. [-10000 to 10000 m]"""
    b: Vector
    """The other end. [-10000 to 10000 m]"""
    radius: float
    """Radius around the middle line. [0.0005 to 10000 m]"""
    density: NotRequired[float]
    """Mass by area. [0 to 1000000000 kg/m²] Default 1."""
    friction: NotRequired[float]
    """Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6."""
    restitution: NotRequired[float]
    """Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    rolling_resistance: NotRequired[float]
    """Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    tangent_speed: NotRequired[float]
    """Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0."""
    sensor: NotRequired[bool]
    """Whether the shape reports bodies that enter it instead of colliding. Default false."""
    filter: NotRequired[Filter]
    """The shapes that it collides with; all, if left out."""
    events: NotRequired[Sequence[Literal['contact', 'hit', 'sensor']]]
    """Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact",
    "sensor"]."""
    one_way: NotRequired[Vector]
    """One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all
    sides. [-1000000 to 1000000] Default [0, 0]."""


class SegmentShape(TypedDict):
    """A shape of kind segment."""

    kind: Literal["segment"]
    a: Vector
    """One end. [-10000 to 10000 m]"""
    b: Vector
    """The other end. [-10000 to 10000 m]"""
    density: NotRequired[float]
    """Mass by area. [0 to 1000000000 kg/m²] Default 1."""
    friction: NotRequired[float]
    """Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6."""
    restitution: NotRequired[float]
    """Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    rolling_resistance: NotRequired[float]
    """Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    tangent_speed: NotRequired[float]
    """Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0."""
    sensor: NotRequired[bool]
    """Whether the shape reports bodies that enter it instead of colliding. Default false."""
    filter: NotRequired[Filter]
    """The shapes that it collides with; all, if left out."""
    events: NotRequired[Sequence[Literal['contact', 'hit', 'sensor']]]
    """Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact",
    "sensor"]."""
    one_way: NotRequired[Vector]
    """One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all
    sides. [-1000000 to 1000000] Default [0, 0]."""


class ChainShape(TypedDict):
    """A shape of kind chain."""

    kind: Literal["chain"]
    vertices: Sequence[Vector]
    """Points in order; the chain collides on its right side, a counter-clockwise loop on its outside. [-10000 to 10000
    m]"""
    loop: NotRequired[bool]
    """The last point joins the first; 3 points or more. Default false."""
    density: NotRequired[float]
    """Mass by area. [0 to 1000000000 kg/m²] Default 1."""
    friction: NotRequired[float]
    """Friction; for a pair of shapes, the root of the product. [0 to 1000] Default 0.6."""
    restitution: NotRequired[float]
    """Restitution; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    rolling_resistance: NotRequired[float]
    """Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0 to 1] Default 0."""
    tangent_speed: NotRequired[float]
    """Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s] Default 0."""
    sensor: NotRequired[bool]
    """Whether the shape reports bodies that enter it instead of colliding. Default false."""
    filter: NotRequired[Filter]
    """The shapes that it collides with; all, if left out."""
    events: NotRequired[Sequence[Literal['contact', 'hit', 'sensor']]]
    """Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors). Default ["contact",
    "sensor"]."""
    one_way: NotRequired[Vector]
    """One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid from all
    sides. [-1000000 to 1000000] Default [0, 0]."""


Shape = Union[CircleShape, BoxShape, PolygonShape, CapsuleShape, SegmentShape, ChainShape]


def _given(args: dict[str, Any]) -> Any:
    return {name: value for name, value in args.items() if value is not None}


def circle(radius: float, *, center: Vector | None = None, density: float | None = None, friction: float | None = None,
        restitution: float | None = None, rolling_resistance: float | None = None, tangent_speed: float | None = None,
        sensor: bool | None = None, filter: Filter | None = None,
        events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
        one_way: Vector | None = None) -> CircleShape:
    """A shape of kind circle. Arguments: see CircleShape."""
    return _given({"kind": "circle", "radius": radius, "center": center, "density": density, "friction": friction,
            "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
            "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})


def box(size: Vector, *, center: Vector | None = None, angle: float | None = None, radius: float | None = None,
        density: float | None = None, friction: float | None = None, restitution: float | None = None,
        rolling_resistance: float | None = None, tangent_speed: float | None = None, sensor: bool | None = None,
        filter: Filter | None = None, events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
        one_way: Vector | None = None) -> BoxShape:
    """A shape of kind box. Arguments: see BoxShape."""
    return _given({"kind": "box", "size": size, "center": center, "angle": angle, "radius": radius, "density": density,
            "friction": friction, "restitution": restitution, "rolling_resistance": rolling_resistance,
            "tangent_speed": tangent_speed, "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})


def polygon(vertices: Sequence[Vector], *, radius: float | None = None, density: float | None = None,
        friction: float | None = None, restitution: float | None = None, rolling_resistance: float | None = None,
        tangent_speed: float | None = None, sensor: bool | None = None, filter: Filter | None = None,
        events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
        one_way: Vector | None = None) -> PolygonShape:
    """A shape of kind polygon. Arguments: see PolygonShape."""
    return _given({"kind": "polygon", "vertices": vertices, "radius": radius, "density": density, "friction": friction,
            "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
            "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})


def capsule(a: Vector, b: Vector, radius: float, *, density: float | None = None, friction: float | None = None,
        restitution: float | None = None, rolling_resistance: float | None = None, tangent_speed: float | None = None,
        sensor: bool | None = None, filter: Filter | None = None,
        events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
        one_way: Vector | None = None) -> CapsuleShape:
    """A shape of kind capsule. Arguments: see CapsuleShape."""
    return _given({"kind": "capsule", "a": a, "b": b, "radius": radius, "density": density, "friction": friction,
            "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
            "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})


def segment(a: Vector, b: Vector, *, density: float | None = None, friction: float | None = None,
        restitution: float | None = None, rolling_resistance: float | None = None, tangent_speed: float | None = None,
        sensor: bool | None = None, filter: Filter | None = None,
        events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
        one_way: Vector | None = None) -> SegmentShape:
    """A shape of kind segment. Arguments: see SegmentShape."""
    return _given({"kind": "segment", "a": a, "b": b, "density": density, "friction": friction,
            "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
            "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})


def chain(vertices: Sequence[Vector], *, loop: bool | None = None, density: float | None = None,
        friction: float | None = None, restitution: float | None = None, rolling_resistance: float | None = None,
        tangent_speed: float | None = None, sensor: bool | None = None, filter: Filter | None = None,
        events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
        one_way: Vector | None = None) -> ChainShape:
    """A shape of kind chain. Arguments: see ChainShape."""
    return _given({"kind": "chain", "vertices": vertices, "loop": loop, "density": density, "friction": friction,
            "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
            "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})


class Tick(TypedDict):
    """The answer of a command that creates nothing."""

    tick: int
    """The tick whose state shows it first."""


class SubscriptionResult(TypedDict):
    """A subscription of a session."""

    subscription: int
    """Its number."""
    world: str
    """The world that it shows."""


class AppliedResult(TypedDict):
    """A session's last request that took effect in a world, which may have ended."""

    epoch: int
    """The world's epoch."""
    last: int
    """The request's id."""


class ResumedResult(TypedDict):
    """How a resumed session goes on."""

    applied: dict[str, AppliedResult]
    """By world: the last request of the session that took effect there."""
    pending: list[int]
    """Ids of requests that are not answered yet."""
    subscriptions: list[SubscriptionResult]
    """The subscriptions that go on."""


class HelloResult(TypedDict):
    """The answer of hello."""

    protocol: int
    """The version that both sides use from now on."""
    server: str
    """The server's name: caromd."""
    version: str
    """The server's version."""
    engine: int
    """The engine's behaviour number."""
    compact: int
    """The number of the tables of compact logs."""
    session: int
    """The session's number."""
    resume: str
    """The session's secret; empty where it cannot be resumed."""
    role: Literal['none', 'viewer', 'player', 'referee', 'admin']
    """What the session may do."""
    subject: NotRequired[str]
    """The subject of its token; left out without one."""
    expires: NotRequired[float]
    """When the token expires, since 1970; left out without one. [s]"""
    limits: dict[str, float]
    """The limits that hold for this session."""
    standby: NotRequired[str]
    """In a fleet: where to try if this server does not answer any more: the address of the server that stands by for a
    world of this session, or, while it has none, for a world of this server; left out if there is none. Over WebSocket
    that for HTTP."""
    applied: NotRequired[dict[str, AppliedResult]]
    """By world: the last request of the session that took effect there."""
    pending: NotRequired[list[int]]
    """Ids of requests that are not answered yet."""
    subscriptions: NotRequired[list[SubscriptionResult]]
    """The subscriptions that go on."""


class PingResult(TypedDict):
    """The answer of ping."""

    time: float
    """The server's monotonic clock. [s]"""
    any: Any
    """What was sent."""


class TemplateResult(TypedDict):
    """A template of worlds that joins make."""

    template: str
    """Its name, as world.join takes it."""
    seats: int
    """The seats of each of its worlds."""


class ServerInfo(TypedDict):
    """The answer of server.info."""

    server: str
    """The server's name: caromd."""
    version: str
    """The server's version."""
    protocol: int
    """The newest version of the protocol that it speaks."""
    uptime: float
    """How long it has run. [s]"""
    worlds: int
    """How many worlds it has."""
    sessions: int
    """How many sessions it has."""
    limits: dict[str, float]
    """Its limits."""
    templates: list[TemplateResult]
    """The templates that world.join makes worlds of."""


LatencyBinResult = "list[Any]"
"""A bin of a histogram: `count` times lie above the bin before and up to `most`."""


class LatencyResult(TypedDict):
    """The durations of one kind of work; all are zero when `count` is."""

    count: int
    """How many there were."""
    p50: float
    """The time that half of them did not exceed. [s]"""
    p90: float
    """The time that 90 % of them did not exceed. [s]"""
    p99: float
    """The time that 99 % of them did not exceed. [s]"""
    p999: float
    """The time that 99.9 % of them did not exceed. [s]"""
    max: float
    """The longest. [s]"""
    bins: NotRequired[list[LatencyBinResult]]
    """On request: [largest time in seconds, count], without empty ones."""


class ServerStatsResult(TypedDict):
    """The answer of server.stats."""

    counters: dict[str, float]
    """Counters by name."""
    latencies: dict[str, LatencyResult]
    """Durations by kind of work."""


class SessionInfo(TypedDict):
    """A session, as server.sessions lists it."""

    session: int
    """Its number."""
    client: str
    """The client's name, as `hello` gave it; `""` without one."""
    address: str
    """The address of its connection; `""` while it has none."""
    connected: bool
    """`false`: it has lost its connection, and may be resumed."""
    since: float
    """When it began, since 1970 (UTC). [s]"""
    idle: float
    """Time since its last message, or since its connection was lost. [s]"""
    role: Literal['none', 'viewer', 'player', 'referee', 'admin']
    """Its role."""
    subject: str
    """The subject of its token; `""` without one."""
    subscriptions: list[SubscriptionResult]
    """Its subscriptions, with their worlds."""
    in_flight: int
    """Requests that wait for their results."""
    received_bytes: int
    """Input of its present connection, from the operating system. [bytes]"""
    sent_bytes: int
    """Output of its present connection, to the operating system. [bytes]"""
    queued_bytes: int
    """Output that its client has not taken yet. [bytes]"""
    lag: float
    """How long there has been unsent output without a break. [s]"""
    memory_bytes: int
    """Memory for the subscriptions of all sessions of its subject; without one, of its address or of itself.
    `holder_bytes` bounds it. [bytes]"""
    work: float
    """Time that its messages took on the network thread and on the thread that decodes large messages; the time of
    worlds is in `world.info`. [s]"""


class SessionsResult(TypedDict):
    """The answer of server.sessions."""

    sessions: list[SessionInfo]
    """Sessions by ascending numbers."""
    total: int
    """How many sessions there are in all."""


class PlayersMap(TypedDict):
    """The bounds of the role player in a world."""

    methods: NotRequired[list[Literal['world.state', 'world.contacts', 'world.apply', 'body.spawn', 'body.remove', 'body.get', 'body.set', 'body.impulse', 'body.angular_impulse', 'body.force', 'body.torque', 'shape.add', 'shape.set', 'shape.remove', 'joint.create', 'joint.set', 'joint.remove', 'joint.get', 'joint.list', 'query.ray', 'query.overlap', 'query.cast', 'query.nearest', 'data.set', 'data.remove', 'data.get', 'message.send']]]
    """The commands, reads and queries that it may call."""
    types: NotRequired[list[Literal['static', 'kinematic', 'dynamic']]]
    """Types of bodies that it may make."""
    bodies: NotRequired[int]
    """Bodies that one subject may own."""
    mass: NotRequired[float]
    """Mass of a body. [kg]"""
    size: NotRequired[float]
    """Longer side of the box around a body's shapes. [m]"""
    speed: NotRequired[float]
    """Speed that a command may give. [m/s]"""
    force: NotRequired[float]
    """Force of a command or a joint. [N]"""
    impulse: NotRequired[float]
    """Sum of impulses on a body in a tick. [N s]"""
    torque: NotRequired[float]
    """Torque of a command or a joint. [N m]"""
    area: NotRequired[list[float]]
    """Place for bodies: [x0, y0, x1, y1]."""


class RefereePresenceResult(TypedDict):
    """Whether a world has a referee."""

    present: bool
    """Whether a session of role referee or admin subscribes to the world's events of kind message."""
    session: NotRequired[int]
    """The number of that session; of several, of the one that subscribed first."""


class WorldTick(TypedDict):
    """A world, and the tick at which it stands."""

    world: str
    """The world's name."""
    tick: int
    """Its tick."""


class WorldCreateResult(TypedDict):
    """The answer of world.create and world.fork."""

    world: str
    """The world's name."""
    epoch: int
    """Its epoch."""
    tick: int
    """The tick at which it stands."""
    created: bool
    """False if the world existed already."""


class SubscribeResult(TypedDict):
    """The answer of world.subscribe."""

    subscription: int
    """The subscription's number."""
    epoch: int
    """The world's epoch."""
    tick: int
    """The tick at which the subscription begins."""


class WorldImageResult(TypedDict):
    """The answer of world.image."""

    image: bytes
    """The image."""
    tick: int
    """The tick that it shows."""
    hash: bytes
    """The world's hash at that tick."""


class WorldDefResult(TypedDict):
    """The settings of a world."""

    hz: float
    """Ticks in a second."""
    gravity: list[float]
    """Acceleration of every dynamic body. [m/s²]"""
    substeps: int
    """Solver steps in a tick."""
    sleep: bool
    """Whether bodies at rest may sleep."""
    continuous: bool
    """Whether fast bodies are swept against static and kinematic ones."""
    max_bodies: int
    """Maximum of its bodies."""
    restitution_threshold: float
    """Slower impacts do not bounce. [m/s]"""
    hit_threshold: float
    """Slower impacts make no hit event. [m/s]"""
    sleep_speed: float
    """Bodies below this speed may sleep. [m/s]"""


class WorldCountsResult(TypedDict):
    """How many objects a world contains."""

    bodies: int
    """Bodies."""
    awake: int
    """Bodies that are awake."""
    shapes: int
    """Shapes; a chain is one."""
    joints: int
    """Joints."""
    contacts: int
    """Pairs of shapes that touch."""
    pairs: int
    """Pairs of shapes whose boxes overlap."""
    frozen: int
    """Bodies that ever left the world's bounds and were disabled."""


class WorldInfo(TypedDict):
    """The answer of world.info, and each element of world.list."""

    world: str
    """The world's name."""
    epoch: int
    """Changes when the world is created again, or is set back."""
    tick: int
    """The tick at which it stands."""
    time: float
    """Its time: tick / hz. [s]"""
    hz: float
    """Ticks in a second."""
    gravity: list[float]
    """Acceleration of every dynamic body. [m/s²]"""
    substeps: int
    """Solver steps in a tick."""
    sleep: bool
    """Whether bodies at rest may sleep."""
    continuous: bool
    """Whether fast bodies are swept against static and kinematic ones."""
    max_bodies: int
    """Maximum of its bodies."""
    restitution_threshold: float
    """Slower impacts do not bounce. [m/s]"""
    hit_threshold: float
    """Slower impacts make no hit event. [m/s]"""
    sleep_speed: float
    """Bodies below this speed may sleep. [m/s]"""
    paused: bool
    """Whether it is paused."""
    durability: Literal['none', 'normal', 'full', 'replicated']
    """As of `world.create`."""
    bodies: int
    """Bodies."""
    awake: int
    """Bodies that are awake."""
    shapes: int
    """Shapes; a chain is one."""
    joints: int
    """Joints."""
    contacts: int
    """Pairs of shapes that touch."""
    pairs: int
    """Pairs of shapes whose boxes overlap."""
    frozen: int
    """Bodies that ever left the world's bounds and were disabled."""
    subscribers: int
    """Subscriptions."""
    referee: RefereePresenceResult
    """Whether anybody decides here: who gets messages to `referee`."""
    hash: bytes
    """Equal worlds have equal hashes."""
    step_ms: float
    """Mean time of a tick in the last second. [ms]"""
    rate: float
    """Ticks a second, measured over the last second, or since it runs if that is shorter (then at most `hz`). Paused:
    those of `world.step`, where they went on for a second or more; otherwise 0. [1/s]"""
    ticks_late: int
    """Ticks that began later than a whole tick after their deadline."""
    players: NotRequired[PlayersMap]
    """The bounds of the role player here; left out if the world has none."""
    data_keys: int
    """Keys of its data."""
    data_bytes: int
    """Bytes of its data, as `data_bytes_per_world` counts them."""
    template: NotRequired[str]
    """The template that it was made from by `world.join`; left out, with the next three, if by another way."""
    seats: NotRequired[int]
    """Its seats."""
    seats_taken: NotRequired[int]
    """How many of them are taken."""
    seated: NotRequired[list[SeatMap]]
    """The holders of the seats, ascending by seat; left out in lists, and for tokens with areas."""
    term: NotRequired[int]
    """In a fleet: how many servers have had the world; not in lists, nor are the next two."""
    primary: NotRequired[str]
    """In a fleet: the address of the server that serves it; over WebSocket that for HTTP."""
    standby: NotRequired[str]
    """In a fleet: the address of the server that takes over if that one ends; left out if there is none. Over WebSocket
    that for HTTP."""
    standby_tick: NotRequired[int]
    """In a fleet: up to where the standby has the world's log; not in lists."""
    relay_of: NotRequired[str]
    """Only at a relay (`caromd --relay`): the address of the server whose log the world plays."""
    lag: NotRequired[float]
    """Only at a relay: how long ago the log's last record came; 0 while the world is paused and the log is connected.
    [s]"""
    log_error: NotRequired[str]
    """Only while the world's log cannot be written: why, and what to do."""
    unavailable: NotRequired[str]
    """Only for a world that is not served (most numbers are 0 then): why, and what to do."""


class StateResult(TypedDict):
    """The answer of world.state."""

    at: NotRequired[float]
    """The tick, or moment between two, that the read named."""
    world: str
    """The world's name."""
    tick: int
    """The tick that was read."""
    hash: bytes
    """The world's hash."""
    bodies: list[BodyMap]
    """Full body maps."""
    joints: list[JointMap]
    """Full joint maps."""


class ContactPointResult(TypedDict):
    """A point where two shapes touch."""

    point: list[float]
    """Its place. [m]"""
    depth: float
    """Above 0: overlap. [m]"""
    impulse: float
    """Impulse along the normal in the last tick. [N s]"""
    tangent_impulse: float
    """Impulse across the normal in the last tick. [N s]"""
    normal: NotRequired[list[float]]
    """Its own normal, if that differs from the contact's."""


class ContactMap(TypedDict):
    """A pair of shapes that touch."""

    a: int
    """A body."""
    b: int
    """The other body."""
    shape_a: int
    """The shape of a."""
    shape_b: int
    """The shape of b."""
    normal: list[float]
    """Unit vector from a to b, at the deepest point."""
    points: list[ContactPointResult]
    """Where they touch."""


class ContactsResult(TypedDict):
    """The answer of world.contacts."""

    at: NotRequired[float]
    """The tick, or moment between two, that the read named."""
    world: str
    """The world's name."""
    tick: int
    """The tick that was read."""
    contacts: list[ContactMap]
    """Pairs of shapes that touch, in a fixed order."""


class BatchTimingResult(TypedDict):
    """How a batch met the tick that it was meant for."""

    late: int
    """How many ticks too late it came; 0: in time."""
    margin: float
    """Time from its arrival to the start of its tick; negative if it was late. [s]"""


class BatchResult(TypedDict):
    """The answer of world.apply."""

    tick: int
    """The tick whose state shows it first."""
    late: NotRequired[int]
    """How many ticks too late it came; 0: in time."""
    margin: NotRequired[float]
    """Time from its arrival to the start of its tick; negative if it was late. [s]"""
    results: list[Any]
    """The answer of each command, as if called alone."""
    dropped: NotRequired[bool]
    """It was not applied."""


class DroppedResult(TypedDict):
    """The answer of a world.apply that was not applied, because its tick was over."""

    dropped: bool
    """It was not applied."""
    late: int
    """How many ticks too late it came; 0: in time."""
    margin: float
    """Time from its arrival to the start of its tick; negative if it was late. [s]"""


class BodyMap(TypedDict):
    """A body in full: the names of body.spawn's arguments, and more."""

    body: int
    """Its id."""
    type: Literal['static', 'kinematic', 'dynamic']
    """As in `body.spawn`."""
    position: list[float]
    """Place of its origin. [m]"""
    angle: float
    """Counter-clockwise, within ±π. [rad]"""
    velocity: list[float]
    """Velocity of `center`. [m/s]"""
    angular_velocity: float
    """Counter-clockwise. [rad/s]"""
    center: list[float]
    """The centre of mass, in the world. [m]"""
    mass: float
    """0 if it is not dynamic. [kg]"""
    inertia: float
    """About the centre of mass; 0 if it is not dynamic. [kg m²]"""
    linear_damping: float
    """As in `body.spawn`. [1/s]"""
    angular_damping: float
    """As in `body.spawn`. [1/s]"""
    gravity_scale: float
    """As in `body.spawn`."""
    force: list[float]
    """Acts until it is set again. [N]"""
    torque: float
    """Acts until it is set again. [N m]"""
    fixed_rotation: bool
    """As in `body.spawn`."""
    bullet: bool
    """As in `body.spawn`."""
    allow_sleep: bool
    """As in `body.spawn`."""
    awake: bool
    """Whether it is awake now."""
    enabled: bool
    """Whether it moves and collides."""
    frozen: bool
    """It left the world's bounds and was disabled."""
    tag: str
    """As in `body.spawn`."""
    owner: NotRequired[str]
    """The subject that owns it; left out if nobody does."""
    shapes: list[ShapeMap]
    """Its shapes."""


class BodyGetResult(TypedDict):
    """The answer of body.get."""

    body: int
    """Its id."""
    type: Literal['static', 'kinematic', 'dynamic']
    """As in `body.spawn`."""
    position: list[float]
    """Place of its origin. [m]"""
    angle: float
    """Counter-clockwise, within ±π. [rad]"""
    velocity: list[float]
    """Velocity of `center`. [m/s]"""
    angular_velocity: float
    """Counter-clockwise. [rad/s]"""
    center: list[float]
    """The centre of mass, in the world. [m]"""
    mass: float
    """0 if it is not dynamic. [kg]"""
    inertia: float
    """About the centre of mass; 0 if it is not dynamic. [kg m²]"""
    linear_damping: float
    """As in `body.spawn`. [1/s]"""
    angular_damping: float
    """As in `body.spawn`. [1/s]"""
    gravity_scale: float
    """As in `body.spawn`."""
    force: list[float]
    """Acts until it is set again. [N]"""
    torque: float
    """Acts until it is set again. [N m]"""
    fixed_rotation: bool
    """As in `body.spawn`."""
    bullet: bool
    """As in `body.spawn`."""
    allow_sleep: bool
    """As in `body.spawn`."""
    awake: bool
    """Whether it is awake now."""
    enabled: bool
    """Whether it moves and collides."""
    frozen: bool
    """It left the world's bounds and was disabled."""
    tag: str
    """As in `body.spawn`."""
    owner: NotRequired[str]
    """The subject that owns it; left out if nobody does."""
    shapes: list[ShapeMap]
    """Its shapes."""
    at: NotRequired[float]
    """The tick, or moment between two, that the read named."""
    tick: int
    """The tick that was read."""


class SpawnResult(TypedDict):
    """The answer of body.spawn."""

    body: int
    """The body's id."""
    shapes: list[int]
    """The ids of its shapes, in the order given."""
    tick: int
    """The tick whose state shows it first."""


class FilterResult(TypedDict):
    """A shape's filter."""

    category: int
    """The shape's own categories: bits."""
    mask: int
    """The categories that it meets."""
    group: int
    """Shapes of the same group never meet if it is negative, and always if it is positive."""


class ShapeMap(TypedDict):
    """A shape as the server describes it; a box comes as a polygon."""

    shape: int
    """Its id."""
    kind: Literal['circle', 'polygon', 'capsule', 'segment', 'chain']
    """The kind of shape."""
    radius: NotRequired[float]
    center: NotRequired[Vector]
    vertices: NotRequired[Sequence[Vector]]
    a: NotRequired[Vector]
    b: NotRequired[Vector]
    loop: NotRequired[bool]
    density: float
    """Mass by area. [kg/m²]"""
    friction: float
    """Friction."""
    restitution: float
    """Restitution."""
    rolling_resistance: float
    """Torque against rolling, divided by load and radius."""
    tangent_speed: float
    """The surface's speed. [m/s]"""
    sensor: bool
    """Whether it reports bodies instead of colliding."""
    filter: FilterResult
    """The shapes that it collides with."""
    events: list[Literal['contact', 'hit', 'sensor']]
    """The events that it makes."""
    one_way: NotRequired[list[float]]
    """The side from which bodies collide with it; left out if that is every side."""


class ShapeAddResult(TypedDict):
    """The answer of shape.add."""

    shape: int
    """The shape's id."""
    tick: int
    """The tick whose state shows it first."""


class JointStateResult(TypedDict):
    """How a joint is now. Forces are means of the last tick."""

    angle: float
    """Angle of b relative to a. [rad]"""
    translation: float
    """Distance of b from a along the axis. [m]"""
    length: float
    """Distance between the anchors, or length of the rope. [m]"""
    speed: float
    """Speed of the motion that the motor drives. [rad/s or m/s]"""
    side_a: float
    """A gear's x_a, a pulley's l_a."""
    side_b: float
    """A gear's x_b, a pulley's l_b."""
    force: list[float]
    """Force on b; 0 while one of the bodies is disabled. [N]"""
    torque: float
    """Torque on b; 0 while one of the bodies is disabled. [N m]"""


class JointMap(TypedDict):
    """A joint: its kind, its bodies, and the arguments of its kind that are in effect."""

    joint: int
    """Its id."""
    kind: Literal['revolute', 'prismatic', 'distance', 'weld', 'wheel', 'motor', 'mouse', 'filter', 'gear', 'pulley']
    """As in `joint.create`."""
    a: int
    """The first body; 0: none."""
    b: int
    """The second body; 0: none."""
    collide_connected: bool
    """As in `joint.create`."""
    anchor_a: NotRequired[list[float]]
    """As in `joint.create`."""
    anchor_b: NotRequired[list[float]]
    """As in `joint.create`."""
    axis: NotRequired[list[float]]
    """As in `joint.create`."""
    reference_angle: NotRequired[float]
    """As in `joint.create`."""
    length: NotRequired[float]
    """As in `joint.create`."""
    lower: NotRequired[float]
    """As in `joint.create`."""
    upper: NotRequired[float]
    """As in `joint.create`."""
    motor_speed: NotRequired[float]
    """As in `joint.create`."""
    max_force: NotRequired[float]
    """As in `joint.create`."""
    max_torque: NotRequired[float]
    """As in `joint.create`."""
    hertz: NotRequired[float]
    """As in `joint.create`."""
    damping_ratio: NotRequired[float]
    """As in `joint.create`."""
    angular_hertz: NotRequired[float]
    """As in `joint.create`."""
    angular_damping_ratio: NotRequired[float]
    """As in `joint.create`."""
    target: NotRequired[list[float]]
    """As in `joint.create`."""
    target_angle: NotRequired[float]
    """As in `joint.create`."""
    target_translation: NotRequired[float]
    """As in `joint.create`."""
    velocity: NotRequired[list[float]]
    """As in `joint.create`."""
    ratio: NotRequired[float]
    """As in `joint.create`."""
    joint_a: NotRequired[int]
    """As in `joint.create`."""
    joint_b: NotRequired[int]
    """As in `joint.create`."""
    ground_a: NotRequired[list[float]]
    """As in `joint.create`."""
    ground_b: NotRequired[list[float]]
    """As in `joint.create`."""
    break_force: NotRequired[float]
    """As in `joint.create`."""
    break_torque: NotRequired[float]
    """As in `joint.create`."""
    points: list[list[float]]
    """Where the anchors are now, in the world. [m]"""
    state: JointStateResult
    """How it is now."""


class JointGetResult(TypedDict):
    """The answer of joint.get."""

    joint: int
    """Its id."""
    kind: Literal['revolute', 'prismatic', 'distance', 'weld', 'wheel', 'motor', 'mouse', 'filter', 'gear', 'pulley']
    """As in `joint.create`."""
    a: int
    """The first body; 0: none."""
    b: int
    """The second body; 0: none."""
    collide_connected: bool
    """As in `joint.create`."""
    anchor_a: NotRequired[list[float]]
    """As in `joint.create`."""
    anchor_b: NotRequired[list[float]]
    """As in `joint.create`."""
    axis: NotRequired[list[float]]
    """As in `joint.create`."""
    reference_angle: NotRequired[float]
    """As in `joint.create`."""
    length: NotRequired[float]
    """As in `joint.create`."""
    lower: NotRequired[float]
    """As in `joint.create`."""
    upper: NotRequired[float]
    """As in `joint.create`."""
    motor_speed: NotRequired[float]
    """As in `joint.create`."""
    max_force: NotRequired[float]
    """As in `joint.create`."""
    max_torque: NotRequired[float]
    """As in `joint.create`."""
    hertz: NotRequired[float]
    """As in `joint.create`."""
    damping_ratio: NotRequired[float]
    """As in `joint.create`."""
    angular_hertz: NotRequired[float]
    """As in `joint.create`."""
    angular_damping_ratio: NotRequired[float]
    """As in `joint.create`."""
    target: NotRequired[list[float]]
    """As in `joint.create`."""
    target_angle: NotRequired[float]
    """As in `joint.create`."""
    target_translation: NotRequired[float]
    """As in `joint.create`."""
    velocity: NotRequired[list[float]]
    """As in `joint.create`."""
    ratio: NotRequired[float]
    """As in `joint.create`."""
    joint_a: NotRequired[int]
    """As in `joint.create`."""
    joint_b: NotRequired[int]
    """As in `joint.create`."""
    ground_a: NotRequired[list[float]]
    """As in `joint.create`."""
    ground_b: NotRequired[list[float]]
    """As in `joint.create`."""
    break_force: NotRequired[float]
    """As in `joint.create`."""
    break_torque: NotRequired[float]
    """As in `joint.create`."""
    points: list[list[float]]
    """Where the anchors are now, in the world. [m]"""
    state: JointStateResult
    """How it is now."""


class JointCreateResult(TypedDict):
    """The answer of joint.create."""

    joint: int
    """The joint's id."""
    tick: int
    """The tick whose state shows it first."""


class JointListResult(TypedDict):
    """The answer of joint.list."""

    world: str
    """The world's name."""
    tick: int
    """The tick that was read."""
    joints: list[JointMap]
    """Full joint maps."""


class HitResult(TypedDict):
    """A shape that a ray or a moving shape meets."""

    body: int
    """The body."""
    shape: int
    """Its shape."""
    point: list[float]
    """The place of the hit. [m]"""
    normal: list[float]
    """Unit vector out of the shape; [0, 0] where the path begins in it."""
    fraction: float
    """The share of the path up to the hit, 0 to 1."""


HitsResult = Any
"""The answer of query.ray and query.cast."""


FoundResult = Any
"""The answer of query.overlap."""


class NearResult(TypedDict):
    """The answer of query.nearest; nil where there is nothing."""

    at: NotRequired[float]
    """The tick, or moment between two, that the read named."""
    body: int
    """The body."""
    shape: int
    """Its shape."""
    point: list[float]
    """The nearest point of the shape; the given point if that is inside. [m]"""
    distance: float
    """0 inside. [m]"""


class DatumResult(TypedDict):
    """A key's value, by the key."""

    value: Any
    """The value."""
    version: int
    """The number of its last change: above all earlier ones of the world."""


class DataSetResult(TypedDict):
    """The answer of data.set."""

    version: int
    """The key's version from now on."""
    tick: int
    """The tick whose state shows it first."""


class DataResult(TypedDict):
    """The answer of data.get."""

    data: dict[str, DatumResult]
    """The keys that are there, each with its value and version."""
    tick: int
    """The tick that was read."""


class JoinResult(TypedDict):
    """The answer of world.join."""

    world: str
    """The name of the world in which the session has a seat."""
    seat: int
    """The seat, 1 to the world's number of seats."""
    created: bool
    """Whether this join made the world."""
    tick: int
    """The tick whose state has the seat."""


class SeatMap(TypedDict):
    """A taken seat."""

    seat: int
    """Its number, from 1 on."""
    session: int
    """The number of the session that has it."""
    subject: NotRequired[str]
    """That session's subject; left out if it has none."""


class FleetNodeResult(TypedDict):
    """A server of the fleet, as server.fleet lists it."""

    node: str
    """Its name."""
    self: bool
    """Whether it is the server that answers."""
    address: str
    """Where clients reach it by TCP."""
    http: NotRequired[str]
    """Where clients reach it by HTTP and WebSocket; left out if it has none."""
    engine: int
    """The number of its engine's behaviour."""
    draining: bool
    """Whether it takes no new worlds, as it is about to end."""
    worlds: int
    """Worlds that it serves."""
    sessions: int
    """Its sessions that have a connection."""
    lateness_ms: float
    """By how much its ticks begin late: the 99th percentile since its start. [ms]"""
    free_memory: int
    """Memory that it may still take. [bytes]"""


class FleetWorldResult(TypedDict):
    """A world of the fleet, as server.fleet lists it."""

    world: str
    """Its name."""
    term: int
    """How many servers have had it: it rises with each change."""
    node: str
    """The server that serves it; it lives if it is among `nodes`."""
    standby: NotRequired[str]
    """The server that takes over if that one ends; left out if there is none."""
    standby_tick: NotRequired[int]
    """Up to where the standby has its log; this and the next two only of worlds that the answering server serves, and
    that have a standby."""
    lag_s: NotRequired[float]
    """For how long the oldest entry of the log that the standby does not have has waited; 0 if it has all. [s]"""
    lag_bytes: NotRequired[int]
    """Bytes of the log that it does not have."""
    engine: int
    """The number of its engine's behaviour."""
    hz: float
    """Its ticks a second. [1/s]"""
    address: str
    """Where clients reach its server by TCP."""
    http: NotRequired[str]
    """Likewise by HTTP and WebSocket; left out if it has none."""


class FleetResult(TypedDict):
    """The answer of server.fleet."""

    prefix: str
    """Where its records are in etcd."""
    store_error: NotRequired[str]
    """Only while etcd does not answer this server: why. What it lists may then be old."""
    nodes: list[FleetNodeResult]
    """The servers that live, by their names."""
    worlds: list[FleetWorldResult]
    """The worlds, by their names."""
    total: int
    """How many worlds there are in all."""


class WorldMoveResult(TypedDict):
    """The answer of world.move."""

    world: str
    """The world's name."""
    node: str
    """The server that serves it now."""
    term: int
    """How many servers have had it."""


class ServerServer:
    """Methods server.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def info(self) -> ServerInfo:
        """The server's version, uptime and limits. Least role: viewer.

        Answers {server, version, protocol, uptime, worlds, sessions, limits, templates}.
        """
        return self._call("server.info", {})

    def stats(self, *, bins: bool | None = None) -> ServerStatsResult:
        """The server's counters and latencies since it began. Least role: viewer.

        bins: Whether the answer includes the bins of each latency. Default false.

        Answers {counters, latencies}.
        """
        return self._call("server.stats", {"bins": bins})

    def sessions(self, *, after: int | None = None, count: int | None = None) -> SessionsResult:
        """The sessions, by their numbers. Least role: admin.

        after: Only sessions with a number above this one. [0 to 9007199254740991] Default 0.
        count: The maximum of sessions in the answer. [1 to 1000] Default 1000.

        Answers {sessions, total}.
        """
        return self._call("server.sessions", {"after": after, "count": count})

    def kick(self, session: Id, *, reason: str | None = None) -> dict[str, Any]:
        """Ends a session and closes its connection. Least role: admin.

        session: The session's number.
        reason: Text for the session's client. Default "closed by an administrator".

        Answers {}.
        """
        return self._call("server.kick", {"session": session, "reason": reason})

    def fleet(self, *, after: str | None = None, count: int | None = None) -> FleetResult:
        """The servers of the fleet and its worlds, as this server knows them. Least role: admin.

        after: Only worlds with a name behind this one. Default "".
        count: The maximum of worlds in the answer. [1 to 1000] Default 1000.

        Answers {prefix, nodes, worlds, total}.
        """
        return self._call("server.fleet", {"after": after, "count": count})


class ServerWorld:
    """Methods world.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def create(self, world: str, *, gravity: Vector | None = None, hz: float | None = None, substeps: int | None = None,
            paused: bool | None = None, max_bodies: int | None = None,
            durability: Literal['none', 'normal', 'full', 'replicated'] | None = None, sleep: bool | None = None,
            continuous: bool | None = None, restitution_threshold: float | None = None,
            hit_threshold: float | None = None, sleep_speed: float | None = None, scene: str | None = None,
            if_absent: bool | None = None, lifetime: Literal['server', 'session'] | None = None,
            image: bytes | None = None, players: Players | None = None, epoch: int | None = None) -> WorldCreateResult:
        """Makes a world, which begins to run unless it is paused. Least role: admin.

        world: The world's name.
        gravity: Acceleration of every dynamic body. [-10000 to 10000 m/s²] Default [0, -9.81].
        hz: Ticks in a second. [1 to 1000 1/s] Default 60.
        substeps: Solver steps in a tick. [1 to 64] Default 4.
        paused: Whether the world begins paused. Default false.
        max_bodies: Maximum of bodies; more are refused with limit_exceeded. [1 to 1048576] Default 1048576.
        durability: How much a restart restores; if left out: normal where the server keeps logs, else none.
        sleep: Bodies at rest may sleep. Default true.
        continuous: Whether fast bodies are swept against static and kinematic ones. Default true.
        restitution_threshold: Slower impacts do not bounce. [0 to 4000 m/s] Default 0.5.
        hit_threshold: Slower impacts make no hit event. [0 to 4000 m/s] Default 1.
        sleep_speed: Bodies below this speed may sleep; 0: none sleeps. [0 to 4000 m/s] Default 0.05.
        scene: A scene that the server has; its settings apply where none are given here.
        if_absent: Whether an existing world of that name is the answer instead of an error. Default false.
        lifetime: Whether the world ends with the server, or with the session that made it. Default "server".
        image: An image that world.image answered: the world begins as that one, with its settings.
        players: The bounds of the role player here: a map of maxima; {} ends them.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, epoch, tick, created}.
        """
        return self._call("world.create", {"world": world, "gravity": gravity, "hz": hz, "substeps": substeps,
                "paused": paused, "max_bodies": max_bodies, "durability": durability, "sleep": sleep,
                "continuous": continuous, "restitution_threshold": restitution_threshold,
                "hit_threshold": hit_threshold, "sleep_speed": sleep_speed, "scene": scene, "if_absent": if_absent,
                "lifetime": lifetime, "image": image, "players": players, "epoch": epoch})

    def destroy(self, world: str, *, epoch: int | None = None) -> WorldTick:
        """Ends a world and its subscriptions. Least role: admin.

        world: The world's name.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick}: its last tick.
        """
        return self._call("world.destroy", {"world": world, "epoch": epoch})

    def list(self) -> list[WorldInfo]:
        """All worlds. Least role: viewer.

        Answers [info]: each as world.info answers, by name.
        """
        return self._call("world.list", {})

    def info(self, world: str, *, epoch: int | None = None) -> WorldInfo:
        """A world in numbers. Least role: viewer.

        world: The world's name.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, epoch, tick, time, hz, …}.
        """
        return self._call("world.info", {"world": world, "epoch": epoch})

    def pause(self, world: str, *, epoch: int | None = None) -> WorldTick:
        """Pauses a world; no error if it is paused already. Least role: referee.

        world: The world's name.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick}.
        """
        return self._call("world.pause", {"world": world, "epoch": epoch})

    def resume(self, world: str, *, epoch: int | None = None) -> WorldTick:
        """Resumes a paused world; no error if it is running. Least role: referee.

        world: The world's name.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick}.
        """
        return self._call("world.resume", {"world": world, "epoch": epoch})

    def step(self, world: str, *, ticks: int | None = None, to: int | None = None,
            epoch: int | None = None) -> WorldTick:
        """Runs some ticks of a paused world. Least role: referee.

        world: The world's name.
        ticks: Number of ticks. [1 to 100000] Default 1.
        to: The tick to go to, instead of `ticks`; a world that replays a recording can go back too. [0 to
            9007199254740991]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick}: when they are done.
        """
        return self._call("world.step", {"world": world, "ticks": ticks, "to": to, "epoch": epoch})

    def set(self, world: str, *, gravity: Vector | None = None, sleep: bool | None = None,
            restitution_threshold: float | None = None, sleep_speed: float | None = None,
            players: Players | None = None, epoch: int | None = None) -> Tick:
        """Changes a world's settings; at least one must be given. Least role: referee.

        world: The world's name.
        gravity: Acceleration of every dynamic body. [-10000 to 10000 m/s²]
        sleep: Bodies at rest may sleep.
        restitution_threshold: Slower impacts do not bounce. [0 to 4000 m/s]
        sleep_speed: Bodies below this speed may sleep; 0: none sleeps. [0 to 4000 m/s]
        players: The bounds of the role player here: a map of maxima; {} ends them.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("world.set", {"world": world, "gravity": gravity, "sleep": sleep,
                "restitution_threshold": restitution_threshold, "sleep_speed": sleep_speed, "players": players,
                "epoch": epoch})

    def image(self, world: str, *, epoch: int | None = None) -> WorldImageResult:
        """The whole state of a world, to the bit, as bytes. Least role: admin.

        world: The world's name.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {image, tick, hash}.
        """
        return self._call("world.image", {"world": world, "epoch": epoch})

    def fork(self, world: str, as_: str, *, durability: Literal['none', 'normal', 'full', 'replicated'] | None = None,
            epoch: int | None = None) -> WorldCreateResult:
        """Makes a second world with the same state, which then runs independently. Least role: admin.

        world: The world's name.
        as_: The second world's name.
        durability: How much a restart restores; if left out: normal where the server keeps logs, else none.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, epoch, tick, created}.
        """
        return self._call("world.fork", {"world": world, "as": as_, "durability": durability, "epoch": epoch})

    def state(self, world: str, *, at: int | None = None, epoch: int | None = None) -> StateResult:
        """All bodies and joints of a world. Least role: viewer.

        world: The world's name.
        at: A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick, hash, bodies, joints}: full body maps.
        """
        return self._call("world.state", {"world": world, "at": at, "epoch": epoch})

    def contacts(self, world: str, *, body: Id | None = None, at: int | None = None,
            epoch: int | None = None) -> ContactsResult:
        """The pairs of shapes that touch, of the world or of one body. Least role: viewer.

        world: The world's name.
        body: Only contacts of this body.
        at: A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick, contacts}: each {a, b, shape_a, shape_b, normal, points}.
        """
        return self._call("world.contacts", {"world": world, "body": body, "at": at, "epoch": epoch})

    def apply(self, world: str, commands: Sequence[Sequence[Any]], *, at: int | None = None,
            late: Literal['refuse', 'next', 'drop'] | None = None, epoch: int | None = None) -> BatchResult:
        """Applies many commands in one tick, all of them or none. Least role: player.

        world: The world's name.
        commands: Commands, each with its method's own arguments, without world.
        at: The tick whose state shows them first; the next one, if left out. [0 to 9007199254740991]
        late: The treatment of a batch whose tick is over: an error, applied with the next tick, or not applied. Default
            "refuse".
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick, results}: what each alone would have answered; with at also late and margin.
        """
        return self._call("world.apply", {"world": world, "commands": commands, "at": at, "late": late, "epoch": epoch})

    def subscribe(self, world: str, *, rate: float | None = None,
            encoding: Literal['plain', 'packed', 'log'] | None = None, precision: Precision | None = None,
            area: Area | None = None, follow: Id | None = None, margin: float | None = None,
            budget: float | None = None, bodies: bool | None = None,
            events: Sequence[Literal['begin', 'stay', 'end', 'hit', 'sensor_begin', 'sensor_end', 'sleep', 'wake', 'spawn', 'remove', 'joint_break', 'freeze', 'message', 'join', 'leave']] | None = None,
            contacts: bool | None = None, describe: bool | None = None, compact: int | None = None,
            data: Union[bool, Sequence[str]] | None = None, epoch: int | None = None) -> SubscribeResult:
        """Sends snapshots from now on. Least role: viewer.

        world: The world's name.
        rate: Snapshots a second at most; one a tick, if left out. [0.01 to 1000 1/s]
        encoding: The encoding of bodies; log: the world's commands, for a replica. Default "plain".
        precision: The values that encoding packed sends, and their steps; no other encoding takes it.
        area: Only bodies whose box meets it; the whole world, if left out. [-1000000 to 1000000 m]
        follow: A body that the area moves with; the area is then relative to its position.
        margin: A body stays in view until it is farther than this from the area. A sixteenth of the area's shorter
            side, if left out. [0 to 1000000 m]
        budget: Bytes for snapshots; if not all changed bodies fit, they take turns. No bound, if left out. [256 to
            1000000000 B/s]
        bodies: Whether rows of bodies are sent; false for events alone. Default true.
        events: The kinds of events that are sent. Default ["begin", "end"].
        contacts: Whether the points of every touching pair are sent, for drawing. Default false.
        describe: Whether full maps of bodies and joints are sent when they are new or were changed. Default false.
        compact: `compact` of hello's answer, for encoding log, if the reader has the same number. [0 to 4294967295]
            Default 0.
        data: Whether changes of the world's data are sent: true for all keys, or the prefixes of the wanted keys.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {subscription, epoch, tick}.
        """
        return self._call("world.subscribe", {"world": world, "rate": rate, "encoding": encoding,
                "precision": precision, "area": area, "follow": follow, "margin": margin, "budget": budget,
                "bodies": bodies, "events": events, "contacts": contacts, "describe": describe, "compact": compact,
                "data": data, "epoch": epoch})

    def unsubscribe(self, subscription: Id) -> dict[str, Any]:
        """Ends a subscription. Least role: viewer.

        subscription: The number that world.subscribe gave.

        Answers {}.
        """
        return self._call("world.unsubscribe", {"subscription": subscription})

    def view(self, subscription: Id, *, area: Area | None = None, follow: Id | None = None,
            margin: float | None = None) -> dict[str, Any]:
        """Moves a subscription's area. Least role: viewer.

        subscription: The number that world.subscribe gave.
        area: The new area; the whole world, if left out. [-1000000 to 1000000 m]
        follow: A body that the area moves with; the area is then relative to its position.
        margin: A body stays in view until it is farther than this from the area. Unchanged, if left out. [0 to 1000000
            m]

        Answers {}.
        """
        return self._call("world.view", {"subscription": subscription, "area": area, "follow": follow,
                "margin": margin})

    def join(self, template: str, *, world: str | None = None, data: Any | None = None, seat: int | None = None,
            session: Id | None = None, subject: str | None = None, epoch: int | None = None) -> JoinResult:
        """Takes a seat in a world of a template: in the fullest world that has a free seat, or in a new world. Least
        role: player.

        template: The template's name.
        world: The world to join, if it is to be this one; of the template.
        data: Any value, at most 16 containers deep: the event `join` has it.
        seat: Only in logs: the seat that the server chose. [0 to 1024] Default 0.
        session: Only in logs: the number of the session.
        subject: Only in logs: the session's subject.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, seat, created, tick}.
        """
        return self._call("world.join", {"world": world, "template": template, "data": data, "seat": seat,
                "session": session, "subject": subject, "epoch": epoch})

    def leave(self, world: str, *, session: Id | None = None, seat: int | None = None, subject: str | None = None,
            epoch: int | None = None) -> Tick:
        """Frees a seat. The server does so by itself when the session ends. Least role: player.

        world: The world's name.
        session: The session whose seat it is; this one, if left out. Only a referee or an admin may name another.
        seat: Only in logs: the seat. [0 to 1024] Default 0.
        subject: Only in logs: the session's subject.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("world.leave", {"world": world, "session": session, "seat": seat, "subject": subject,
                "epoch": epoch})

    def move(self, world: str, *, to: str | None = None, epoch: int | None = None) -> WorldMoveResult:
        """Hands a world over to another server of the fleet, after a tick; nothing of it is lost, and its sessions can
        be resumed there. Least role: admin.

        world: The world's name.
        to: The other server's name; left out, its standby, or else that with fewer worlds of two chosen by chance.
            Default "".
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, node, term}.
        """
        return self._call("world.move", {"world": world, "to": to, "epoch": epoch})


class ServerBody:
    """Methods body.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def spawn(self, world: str, shapes: Sequence[Shape], *,
            type: Literal['static', 'kinematic', 'dynamic'] | None = None, position: Vector | None = None,
            angle: float | None = None, velocity: Vector | None = None, angular_velocity: float | None = None,
            linear_damping: float | None = None, angular_damping: float | None = None,
            gravity_scale: float | None = None, fixed_rotation: bool | None = None, bullet: bool | None = None,
            allow_sleep: bool | None = None, awake: bool | None = None, enabled: bool | None = None,
            mass: float | None = None, tag: str | None = None, lifetime: Literal['world', 'session'] | None = None,
            owner: str | None = None, epoch: int | None = None) -> SpawnResult:
        """Makes a body with its shapes. Least role: player.

        world: The world's name.
        shapes: The body's shapes; a body without any is a mass point of 1 kg.
        type: static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. Default "dynamic".
        position: Place of the body's origin. [-1000000 to 1000000 m] Default [0, 0].
        angle: Counter-clockwise. [-1000000000 to 1000000000 rad] Default 0.
        velocity: Velocity of the centre of mass. [-4000 to 4000 m/s] Default [0, 0].
        angular_velocity: Counter-clockwise. [-4000 to 4000 rad/s] Default 0.
        linear_damping: Loss of velocity. [0 to 1000000 1/s] Default 0.
        angular_damping: Loss of angular velocity. [0 to 1000000 1/s] Default 0.
        gravity_scale: Share of the world's gravity. [-1000000 to 1000000] Default 1.
        fixed_rotation: Never turns. Default false.
        bullet: A dynamic body that is swept against moving bodies too. Default false.
        allow_sleep: May sleep when it is at rest. Default true.
        awake: Moves; false puts it to sleep. Default true.
        enabled: A disabled body neither moves nor collides. Default true.
        mass: Mass of the body; 0: the sum of its shapes'. [0 to 1000000000000 kg] Default 0.
        tag: UTF-8 text that the server keeps for clients. Default "".
        lifetime: Whether the body ends with the world, or with the session that spawned it. Default "world".
        owner: The owner; the session's subject, if left out; "" for nobody. Only a referee or an admin may name anyone
            else.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {body, shapes, tick}: the ids, shapes in the order given.
        """
        return self._call("body.spawn", {"world": world, "type": type, "position": position, "angle": angle,
                "velocity": velocity, "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "shapes": shapes, "lifetime": lifetime, "owner": owner, "epoch": epoch})

    def remove(self, world: str, body: Id, *, epoch: int | None = None) -> Tick:
        """Removes a body with its shapes and joints. Least role: player.

        world: The world's name.
        body: The body's id.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("body.remove", {"world": world, "body": body, "epoch": epoch})

    def get(self, world: str, body: Id, *, at: int | None = None, epoch: int | None = None) -> BodyGetResult:
        """All about a body. Least role: viewer.

        world: The world's name.
        body: The body's id.
        at: A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers the full body map.
        """
        return self._call("body.get", {"world": world, "body": body, "at": at, "epoch": epoch})

    def set(self, world: str, body: Id, *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            owner: str | None = None, epoch: int | None = None) -> Tick:
        """Changes the given properties, at least one; the others stay as they are. Least role: player.

        world: The world's name.
        body: The body's id.
        type: static: never moves; kinematic: moves at its velocity; dynamic: moves by forces.
        position: Place of the body's origin. [-1000000 to 1000000 m]
        angle: Counter-clockwise. [-1000000000 to 1000000000 rad]
        velocity: Velocity of the centre of mass. [-4000 to 4000 m/s]
        angular_velocity: Counter-clockwise. [-4000 to 4000 rad/s]
        linear_damping: Loss of velocity. [0 to 1000000 1/s]
        angular_damping: Loss of angular velocity. [0 to 1000000 1/s]
        gravity_scale: Share of the world's gravity. [-1000000 to 1000000]
        fixed_rotation: Never turns.
        bullet: A dynamic body that is swept against moving bodies too.
        allow_sleep: May sleep when it is at rest.
        awake: Moves; false puts it to sleep.
        enabled: A disabled body neither moves nor collides.
        mass: Mass of the body; 0: the sum of its shapes'. [0 to 1000000000000 kg]
        tag: UTF-8 text that the server keeps for clients.
        owner: The new owner; set by the present owner, or by a referee or an admin, who may also say "" for nobody.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("body.set", {"world": world, "body": body, "type": type, "position": position, "angle": angle,
                "velocity": velocity, "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "owner": owner, "epoch": epoch})

    def impulse(self, world: str, body: Id, impulse: Vector, *, point: Vector | None = None,
            epoch: int | None = None) -> Tick:
        """A push; wakes the body. Least role: player.

        world: The world's name.
        body: The body's id.
        impulse: Changes the velocity at once. [-1000000000000 to 1000000000000 N s]
        point: Where it acts, in the world; the centre of mass, if left out. [-1000000 to 1000000 m]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("body.impulse", {"world": world, "body": body, "impulse": impulse, "point": point,
                "epoch": epoch})

    def angular_impulse(self, world: str, body: Id, impulse: float, *, epoch: int | None = None) -> Tick:
        """A twist; wakes the body. Least role: player.

        world: The world's name.
        body: The body's id.
        impulse: Counter-clockwise. [-1000000000000 to 1000000000000 N m s]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("body.angular_impulse", {"world": world, "body": body, "impulse": impulse, "epoch": epoch})

    def force(self, world: str, body: Id, force: Vector, *, point: Vector | None = None,
            epoch: int | None = None) -> Tick:
        """Sets the force that acts from now on; wakes the body. Least role: player.

        world: The world's name.
        body: The body's id.
        force: Acts on every tick until it is set again; zero ends it. [-1000000000000 to 1000000000000 N]
        point: Where it acts, in the world; the force stays at that point of the body. The centre of mass, if left out.
            [-1000000 to 1000000 m]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("body.force", {"world": world, "body": body, "force": force, "point": point, "epoch": epoch})

    def torque(self, world: str, body: Id, torque: float, *, epoch: int | None = None) -> Tick:
        """Sets the torque that acts from now on; wakes the body. Least role: player.

        world: The world's name.
        body: The body's id.
        torque: Acts on every tick until it is set again; zero ends it. [-1000000000000 to 1000000000000 N m]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("body.torque", {"world": world, "body": body, "torque": torque, "epoch": epoch})


class ServerShape:
    """Methods shape.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def add(self, world: str, body: Id, shape: Shape, *, epoch: int | None = None) -> ShapeAddResult:
        """Gives a body another shape. Least role: player.

        world: The world's name.
        body: The body's id.
        shape: A shape as body.spawn takes it.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {shape, tick}.
        """
        return self._call("shape.add", {"world": world, "body": body, "shape": shape, "epoch": epoch})

    def set(self, world: str, shape: Id, *, density: float | None = None, friction: float | None = None,
            restitution: float | None = None, rolling_resistance: float | None = None,
            tangent_speed: float | None = None, sensor: bool | None = None, filter: Filter | None = None,
            events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None, one_way: Vector | None = None,
            epoch: int | None = None) -> Tick:
        """Changes the given properties of a shape; its form stays. Least role: player.

        world: The world's name.
        shape: The shape's id.
        density: Mass by area. [0 to 1000000000 kg/m²]
        friction: Friction; for a pair of shapes, the root of the product. [0 to 1000]
        restitution: Restitution; for a pair of shapes, the larger one. [0 to 1]
        rolling_resistance: Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0
            to 1]
        tangent_speed: Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s]
        sensor: Whether the shape reports bodies that enter it instead of colliding.
        filter: The shapes that it collides with; all, if left out.
        events: Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors).
        one_way: One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid
            from all sides. [-1000000 to 1000000]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("shape.set", {"world": world, "shape": shape, "density": density, "friction": friction,
                "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
                "sensor": sensor, "filter": filter, "events": events, "one_way": one_way, "epoch": epoch})

    def remove(self, world: str, shape: Id, *, epoch: int | None = None) -> Tick:
        """Removes a shape from its body. Least role: player.

        world: The world's name.
        shape: The shape's id.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("shape.remove", {"world": world, "shape": shape, "epoch": epoch})


class ServerJoint:
    """Methods joint.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def create(self, world: str,
            kind: Literal['revolute', 'prismatic', 'distance', 'weld', 'wheel', 'motor', 'mouse', 'filter', 'gear', 'pulley'],
            *, a: Id | None = None, b: Id | None = None, anchor: Vector | None = None, anchor_a: Vector | None = None,
            anchor_b: Vector | None = None, axis: Vector | None = None, reference_angle: float | None = None,
            joint_a: Id | None = None, joint_b: Id | None = None, ground_a: Vector | None = None,
            ground_b: Vector | None = None, ratio: float | None = None, collide_connected: bool | None = None,
            length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None, epoch: int | None = None) -> JointCreateResult:
        """Joins two bodies. Least role: player.

        world: The world's name.
        kind: The kind of joint.
        a: The first body; a mouse has none, and a gear may name joints instead.
        b: The second body.
        anchor: The place in the world where it acts; or anchor_a and anchor_b instead. [-1000000 to 1000000 m]
        anchor_a: A point of a, in its frame. [-2000000 to 2000000 m]
        anchor_b: A point of b, in its frame. [-2000000 to 2000000 m]
        axis: A direction in the world, of any length. [-1000000000000 to 1000000000000]
        reference_angle: The angle of b minus that of a at which the joint's angle is zero; the present one, if left
            out. [-1000000 to 1000000 rad]
        joint_a: A revolute or prismatic joint that the gear couples.
        joint_b: The other joint that the gear couples; both are given, or neither.
        ground_a: The place where a's rope turns, in the world. [-1000000 to 1000000 m]
        ground_b: The place where b's rope turns, in the world. [-1000000 to 1000000 m]
        ratio: The weight of b's motion; at least 0.001 in size, > 0 for a pulley. [-1000 to 1000] Default 1.
        collide_connected: Whether the two bodies collide with each other. Default false.
        length: Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [0 to
            2000000000 m]
        lower: Lower limit. [-1000000 to 1000000 rad or m]
        upper: Upper limit. [-1000000 to 1000000 rad or m]
        motor_speed: The speed that the motor aims at; 0: a brake. [-4000 to 4000 rad/s or m/s]
        max_force: Greatest force of the motor or mouse; 0: off. [0 to 1000000000000 N]
        max_torque: Greatest torque of the motor; 0: off. [0 to 1000000000000 N m]
        hertz: Frequency of the spring; 0: none. [0 to 1000 1/s]
        damping_ratio: Damping of the spring; 1: critical. [0 to 100]
        angular_hertz: Frequency of the angle's spring; 0: none. [0 to 1000 1/s]
        angular_damping_ratio: Damping of the angle's spring; 1: critical. [0 to 100]
        target: mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [-1000000 to
            1000000 m]
        target_angle: The spring's position of rest. [-1000000 to 1000000 rad]
        target_translation: The spring's position of rest. [-1000000 to 1000000 m]
        velocity: Velocity of b's anchor that the motor aims at, in a's frame. [-4000 to 4000 m/s]
        break_force: The force above which the joint breaks; 0: none. [0 to 1000000000000 N]
        break_torque: The torque above which the joint breaks; 0: none. [0 to 1000000000000 N m]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {joint, tick}.
        """
        return self._call("joint.create", {"world": world, "kind": kind, "a": a, "b": b, "anchor": anchor,
                "anchor_a": anchor_a, "anchor_b": anchor_b, "axis": axis, "reference_angle": reference_angle,
                "joint_a": joint_a, "joint_b": joint_b, "ground_a": ground_a, "ground_b": ground_b, "ratio": ratio,
                "collide_connected": collide_connected, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque, "epoch": epoch})

    def set(self, world: str, joint: Id, *, length: float | None = None, lower: float | None = None,
            upper: float | None = None, motor_speed: float | None = None, max_force: float | None = None,
            max_torque: float | None = None, hertz: float | None = None, damping_ratio: float | None = None,
            angular_hertz: float | None = None, angular_damping_ratio: float | None = None,
            target: Vector | None = None, target_angle: float | None = None, target_translation: float | None = None,
            velocity: Vector | None = None, break_force: float | None = None, break_torque: float | None = None,
            epoch: int | None = None) -> Tick:
        """Changes the given settings, at least one; the others stay as they are. Least role: player.

        world: The world's name.
        joint: The joint's id.
        length: Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [0 to
            2000000000 m]
        lower: Lower limit. [-1000000 to 1000000 rad or m]
        upper: Upper limit. [-1000000 to 1000000 rad or m]
        motor_speed: The speed that the motor aims at; 0: a brake. [-4000 to 4000 rad/s or m/s]
        max_force: Greatest force of the motor or mouse; 0: off. [0 to 1000000000000 N]
        max_torque: Greatest torque of the motor; 0: off. [0 to 1000000000000 N m]
        hertz: Frequency of the spring; 0: none. [0 to 1000 1/s]
        damping_ratio: Damping of the spring; 1: critical. [0 to 100]
        angular_hertz: Frequency of the angle's spring; 0: none. [0 to 1000 1/s]
        angular_damping_ratio: Damping of the angle's spring; 1: critical. [0 to 100]
        target: mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [-1000000 to
            1000000 m]
        target_angle: The spring's position of rest. [-1000000 to 1000000 rad]
        target_translation: The spring's position of rest. [-1000000 to 1000000 m]
        velocity: Velocity of b's anchor that the motor aims at, in a's frame. [-4000 to 4000 m/s]
        break_force: The force above which the joint breaks; 0: none. [0 to 1000000000000 N]
        break_torque: The torque above which the joint breaks; 0: none. [0 to 1000000000000 N m]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("joint.set", {"world": world, "joint": joint, "length": length, "lower": lower,
                "upper": upper, "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque,
                "hertz": hertz, "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque, "epoch": epoch})

    def remove(self, world: str, joint: Id, *, epoch: int | None = None) -> Tick:
        """Removes a joint. Least role: player.

        world: The world's name.
        joint: The joint's id.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("joint.remove", {"world": world, "joint": joint, "epoch": epoch})

    def get(self, world: str, joint: Id, *, epoch: int | None = None) -> JointGetResult:
        """All about a joint. Least role: viewer.

        world: The world's name.
        joint: The joint's id.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers the full joint map.
        """
        return self._call("joint.get", {"world": world, "joint": joint, "epoch": epoch})

    def list(self, world: str, *, epoch: int | None = None) -> JointListResult:
        """All joints of a world. Least role: viewer.

        world: The world's name.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {world, tick, joints}: full joint maps.
        """
        return self._call("joint.list", {"world": world, "epoch": epoch})


class ServerQuery:
    """Methods query.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def ray(self, world: str, from_: Vector, to: Vector, *, filter: Filter | None = None, ignore: Id | None = None,
            sensors: bool | None = None, all: bool | None = None, at: float | None = None,
            epoch: int | None = None) -> HitsResult:
        """The shapes that a ray meets. Least role: viewer.

        world: The world's name.
        from_: The beginning of the ray. [-1000000 to 1000000 m]
        to: The end of the ray. [-1000000 to 1000000 m]
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        all: Whether all hits are answered; only the nearest, if left out. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers [{body, shape, point, normal, fraction}], nearest first; with at {at, hits}.
        """
        return self._call("query.ray", {"world": world, "from": from_, "to": to, "filter": filter, "ignore": ignore,
                "sensors": sensors, "all": all, "at": at, "epoch": epoch})

    def overlap(self, world: str, *, area: Area | None = None, shape: Shape | None = None, point: Vector | None = None,
            filter: Filter | None = None, ignore: Id | None = None, sensors: bool | None = None,
            at: float | None = None, epoch: int | None = None) -> FoundResult:
        """The bodies in a place; exactly one of area, shape and point. Least role: viewer.

        world: The world's name.
        area: Bodies with a shape that meets it, or else: [-1000000 to 1000000 m]
        shape: Bodies that overlap it (world coordinates), or else:
        point: Bodies that this point lies in. [-1000000 to 1000000 m]
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers [body …]; with at {at, bodies}.
        """
        return self._call("query.overlap", {"world": world, "area": area, "shape": shape, "point": point,
                "filter": filter, "ignore": ignore, "sensors": sensors, "at": at, "epoch": epoch})

    def cast(self, world: str, shape: Shape, from_: Vector, to: Vector, *, filter: Filter | None = None,
            ignore: Id | None = None, sensors: bool | None = None, all: bool | None = None, at: float | None = None,
            epoch: int | None = None) -> HitsResult:
        """The shapes that a moving shape meets. Least role: viewer.

        world: The world's name.
        shape: The shape, relative to its origin.
        from_: Where the path of the shape's origin begins. [-1000000 to 1000000 m]
        to: Where the path of the shape's origin ends. [-1000000 to 1000000 m]
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        all: Whether all hits are answered; only the nearest, if left out. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers [{body, shape, point, normal, fraction}], nearest first; with at {at, hits}.
        """
        return self._call("query.cast", {"world": world, "shape": shape, "from": from_, "to": to, "filter": filter,
                "ignore": ignore, "sensors": sensors, "all": all, "at": at, "epoch": epoch})

    def nearest(self, world: str, point: Vector, *, radius: float | None = None, filter: Filter | None = None,
            ignore: Id | None = None, sensors: bool | None = None, at: float | None = None,
            epoch: int | None = None) -> NearResult | None:
        """The surface that is nearest to a place. Least role: viewer.

        world: The world's name.
        point: A place in the world. [-1000000 to 1000000 m]
        radius: How far to look. [0 to 1000000 m] Default 1000000.
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {body, shape, point, distance}; nil if there is none; with at a map that has it too, and body nil if
        there is none.
        """
        return self._call("query.nearest", {"world": world, "point": point, "radius": radius, "filter": filter,
                "ignore": ignore, "sensors": sensors, "at": at, "epoch": epoch})


class ServerData:
    """Methods data.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def set(self, world: str, key: str, value: Any, *, version: int | None = None,
            epoch: int | None = None) -> DataSetResult:
        """Sets the value of a key of the world's data. Least role: player.

        world: The world's name.
        key: A text that is not empty.
        value: Any value but nil, at most 16 containers deep.
        version: The version that the key must have, 0 for a key that is not there; already_exists names the one that it
            has. Any, if left out. [0 to 9007199254740991]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {version, tick}.
        """
        return self._call("data.set", {"world": world, "key": key, "value": value, "version": version, "epoch": epoch})

    def remove(self, world: str, key: str, *, version: int | None = None, epoch: int | None = None) -> Tick:
        """Removes a key of the world's data. Least role: player.

        world: The world's name.
        key: A text that is not empty.
        version: The version that the key must have, 0 for a key that is not there; already_exists names the one that it
            has. Any, if left out. [0 to 9007199254740991]
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("data.remove", {"world": world, "key": key, "version": version, "epoch": epoch})

    def get(self, world: str, *, key: str | None = None, prefix: str | None = None,
            epoch: int | None = None) -> DataResult:
        """The world's data: one key, those with a prefix, or all. Least role: viewer.

        world: The world's name.
        key: A text that is not empty.
        prefix: The beginning of the keys that are answered.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {data, tick}: data is a map of the keys that are there, each {value, version}.
        """
        return self._call("data.get", {"world": world, "key": key, "prefix": prefix, "epoch": epoch})


class ServerMessage:
    """Methods message.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def send(self, world: str, name: str, *, data: Any | None = None, to: Any | None = None, subject: str | None = None,
            epoch: int | None = None) -> Tick:
        """Sends a message to clients that subscribe to the world's events of kind message. Least role: player.

        world: The world's name.
        name: The kind of message, a word of the game's own.
        data: Any value, at most 16 containers deep.
        to: Whom it is for: "all" (default), "referee" (sessions of role referee or admin), a subject, or the number of
            a session.
        subject: The sender's subject; the session's, if left out. Only a referee or an admin may name another.
        epoch: The epoch that the world must have; not_found if it has another. [1 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("message.send", {"world": world, "name": name, "data": data, "to": to, "subject": subject,
                "epoch": epoch})


class ServerMethods:
    """The methods as functions, in groups."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call
        self.server = ServerServer(call)
        self.world = ServerWorld(call)
        self.body = ServerBody(call)
        self.shape = ServerShape(call)
        self.joint = ServerJoint(call)
        self.query = ServerQuery(call)
        self.data = ServerData(call)
        self.message = ServerMessage(call)

    def hello(self, *, protocol: int | None = None, client: str | None = None, token: str | None = None,
            resume: str | None = None) -> HelloResult:
        """Introduces the client; the answer has the limits that the client must keep. Least role: none.

        protocol: The version that the client speaks. [1 to 4294967295] Default 1.
        client: Name and version of the client, for logs. Default "".
        token: A token that says who the client is, if the server asks for one.
        resume: The secret from an earlier hello's answer, to resume that session.

        Answers {protocol, server, version, session, resume, role, limits}.
        """
        return self._call("hello", {"protocol": protocol, "client": client, "token": token, "resume": resume})

    def ping(self, *, any: Any | None = None) -> PingResult:
        """Answers at once. Least role: none.

        any: Any value; the answer has it unchanged.

        Answers {time, any}: the server's monotonic seconds, and what was sent.
        """
        return self._call("ping", {"any": any})

    def goodbye(self) -> dict[str, Any]:
        """Ends the session: nothing is kept for a resume. Least role: none.

        Answers {}.
        """
        return self._call("goodbye", {})


class WorldBody:
    """Methods body.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def spawn(self, shapes: Sequence[Shape], *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            lifetime: Literal['world', 'session'] | None = None, owner: str | None = None) -> SpawnResult:
        """Makes a body with its shapes. Least role: player.

        shapes: The body's shapes; a body without any is a mass point of 1 kg.
        type: static: never moves; kinematic: moves at its velocity; dynamic: moves by forces. Default "dynamic".
        position: Place of the body's origin. [-1000000 to 1000000 m] Default [0, 0].
        angle: Counter-clockwise. [-1000000000 to 1000000000 rad] Default 0.
        velocity: Velocity of the centre of mass. [-4000 to 4000 m/s] Default [0, 0].
        angular_velocity: Counter-clockwise. [-4000 to 4000 rad/s] Default 0.
        linear_damping: Loss of velocity. [0 to 1000000 1/s] Default 0.
        angular_damping: Loss of angular velocity. [0 to 1000000 1/s] Default 0.
        gravity_scale: Share of the world's gravity. [-1000000 to 1000000] Default 1.
        fixed_rotation: Never turns. Default false.
        bullet: A dynamic body that is swept against moving bodies too. Default false.
        allow_sleep: May sleep when it is at rest. Default true.
        awake: Moves; false puts it to sleep. Default true.
        enabled: A disabled body neither moves nor collides. Default true.
        mass: Mass of the body; 0: the sum of its shapes'. [0 to 1000000000000 kg] Default 0.
        tag: UTF-8 text that the server keeps for clients. Default "".
        lifetime: Whether the body ends with the world, or with the session that spawned it. Default "world".
        owner: The owner; the session's subject, if left out; "" for nobody. Only a referee or an admin may name anyone
            else.

        Answers {body, shapes, tick}: the ids, shapes in the order given.
        """
        return self._call("body.spawn", {"type": type, "position": position, "angle": angle, "velocity": velocity,
                "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "shapes": shapes, "lifetime": lifetime, "owner": owner})

    def remove(self, body: Id) -> Tick:
        """Removes a body with its shapes and joints. Least role: player.

        body: The body's id.

        Answers {tick}.
        """
        return self._call("body.remove", {"body": body})

    def get(self, body: Id, *, at: int | None = None) -> BodyGetResult:
        """All about a body. Least role: viewer.

        body: The body's id.
        at: A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]

        Answers the full body map.
        """
        return self._call("body.get", {"body": body, "at": at})

    def set(self, body: Id, *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            owner: str | None = None) -> Tick:
        """Changes the given properties, at least one; the others stay as they are. Least role: player.

        body: The body's id.
        type: static: never moves; kinematic: moves at its velocity; dynamic: moves by forces.
        position: Place of the body's origin. [-1000000 to 1000000 m]
        angle: Counter-clockwise. [-1000000000 to 1000000000 rad]
        velocity: Velocity of the centre of mass. [-4000 to 4000 m/s]
        angular_velocity: Counter-clockwise. [-4000 to 4000 rad/s]
        linear_damping: Loss of velocity. [0 to 1000000 1/s]
        angular_damping: Loss of angular velocity. [0 to 1000000 1/s]
        gravity_scale: Share of the world's gravity. [-1000000 to 1000000]
        fixed_rotation: Never turns.
        bullet: A dynamic body that is swept against moving bodies too.
        allow_sleep: May sleep when it is at rest.
        awake: Moves; false puts it to sleep.
        enabled: A disabled body neither moves nor collides.
        mass: Mass of the body; 0: the sum of its shapes'. [0 to 1000000000000 kg]
        tag: UTF-8 text that the server keeps for clients.
        owner: The new owner; set by the present owner, or by a referee or an admin, who may also say "" for nobody.

        Answers {tick}.
        """
        return self._call("body.set", {"body": body, "type": type, "position": position, "angle": angle,
                "velocity": velocity, "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "owner": owner})

    def impulse(self, body: Id, impulse: Vector, *, point: Vector | None = None) -> Tick:
        """A push; wakes the body. Least role: player.

        body: The body's id.
        impulse: Changes the velocity at once. [-1000000000000 to 1000000000000 N s]
        point: Where it acts, in the world; the centre of mass, if left out. [-1000000 to 1000000 m]

        Answers {tick}.
        """
        return self._call("body.impulse", {"body": body, "impulse": impulse, "point": point})

    def angular_impulse(self, body: Id, impulse: float) -> Tick:
        """A twist; wakes the body. Least role: player.

        body: The body's id.
        impulse: Counter-clockwise. [-1000000000000 to 1000000000000 N m s]

        Answers {tick}.
        """
        return self._call("body.angular_impulse", {"body": body, "impulse": impulse})

    def force(self, body: Id, force: Vector, *, point: Vector | None = None) -> Tick:
        """Sets the force that acts from now on; wakes the body. Least role: player.

        body: The body's id.
        force: Acts on every tick until it is set again; zero ends it. [-1000000000000 to 1000000000000 N]
        point: Where it acts, in the world; the force stays at that point of the body. The centre of mass, if left out.
            [-1000000 to 1000000 m]

        Answers {tick}.
        """
        return self._call("body.force", {"body": body, "force": force, "point": point})

    def torque(self, body: Id, torque: float) -> Tick:
        """Sets the torque that acts from now on; wakes the body. Least role: player.

        body: The body's id.
        torque: Acts on every tick until it is set again; zero ends it. [-1000000000000 to 1000000000000 N m]

        Answers {tick}.
        """
        return self._call("body.torque", {"body": body, "torque": torque})


class WorldShape:
    """Methods shape.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def add(self, body: Id, shape: Shape) -> ShapeAddResult:
        """Gives a body another shape. Least role: player.

        body: The body's id.
        shape: A shape as body.spawn takes it.

        Answers {shape, tick}.
        """
        return self._call("shape.add", {"body": body, "shape": shape})

    def set(self, shape: Id, *, density: float | None = None, friction: float | None = None,
            restitution: float | None = None, rolling_resistance: float | None = None,
            tangent_speed: float | None = None, sensor: bool | None = None, filter: Filter | None = None,
            events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None, one_way: Vector | None = None) -> Tick:
        """Changes the given properties of a shape; its form stays. Least role: player.

        shape: The shape's id.
        density: Mass by area. [0 to 1000000000 kg/m²]
        friction: Friction; for a pair of shapes, the root of the product. [0 to 1000]
        restitution: Restitution; for a pair of shapes, the larger one. [0 to 1]
        rolling_resistance: Torque against rolling, divided by load and radius; for a pair of shapes, the larger one. [0
            to 1]
        tangent_speed: Conveyor: the surface's speed along the outward normal turned clockwise. [-4000 to 4000 m/s]
        sensor: Whether the shape reports bodies that enter it instead of colliding.
        filter: The shapes that it collides with; all, if left out.
        events: Events that it makes: contact (begin, stay, end), hit, sensor (is seen by sensors).
        one_way: One-way: a direction in the body's frame; only bodies that come from that side collide. [0, 0]: solid
            from all sides. [-1000000 to 1000000]

        Answers {tick}.
        """
        return self._call("shape.set", {"shape": shape, "density": density, "friction": friction,
                "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
                "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})

    def remove(self, shape: Id) -> Tick:
        """Removes a shape from its body. Least role: player.

        shape: The shape's id.

        Answers {tick}.
        """
        return self._call("shape.remove", {"shape": shape})


class WorldJoint:
    """Methods joint.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def create(self,
            kind: Literal['revolute', 'prismatic', 'distance', 'weld', 'wheel', 'motor', 'mouse', 'filter', 'gear', 'pulley'],
            *, a: Id | None = None, b: Id | None = None, anchor: Vector | None = None, anchor_a: Vector | None = None,
            anchor_b: Vector | None = None, axis: Vector | None = None, reference_angle: float | None = None,
            joint_a: Id | None = None, joint_b: Id | None = None, ground_a: Vector | None = None,
            ground_b: Vector | None = None, ratio: float | None = None, collide_connected: bool | None = None,
            length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None) -> JointCreateResult:
        """Joins two bodies. Least role: player.

        kind: The kind of joint.
        a: The first body; a mouse has none, and a gear may name joints instead.
        b: The second body.
        anchor: The place in the world where it acts; or anchor_a and anchor_b instead. [-1000000 to 1000000 m]
        anchor_a: A point of a, in its frame. [-2000000 to 2000000 m]
        anchor_b: A point of b, in its frame. [-2000000 to 2000000 m]
        axis: A direction in the world, of any length. [-1000000000000 to 1000000000000]
        reference_angle: The angle of b minus that of a at which the joint's angle is zero; the present one, if left
            out. [-1000000 to 1000000 rad]
        joint_a: A revolute or prismatic joint that the gear couples.
        joint_b: The other joint that the gear couples; both are given, or neither.
        ground_a: The place where a's rope turns, in the world. [-1000000 to 1000000 m]
        ground_b: The place where b's rope turns, in the world. [-1000000 to 1000000 m]
        ratio: The weight of b's motion; at least 0.001 in size, > 0 for a pulley. [-1000 to 1000] Default 1.
        collide_connected: Whether the two bodies collide with each other. Default false.
        length: Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [0 to
            2000000000 m]
        lower: Lower limit. [-1000000 to 1000000 rad or m]
        upper: Upper limit. [-1000000 to 1000000 rad or m]
        motor_speed: The speed that the motor aims at; 0: a brake. [-4000 to 4000 rad/s or m/s]
        max_force: Greatest force of the motor or mouse; 0: off. [0 to 1000000000000 N]
        max_torque: Greatest torque of the motor; 0: off. [0 to 1000000000000 N m]
        hertz: Frequency of the spring; 0: none. [0 to 1000 1/s]
        damping_ratio: Damping of the spring; 1: critical. [0 to 100]
        angular_hertz: Frequency of the angle's spring; 0: none. [0 to 1000 1/s]
        angular_damping_ratio: Damping of the angle's spring; 1: critical. [0 to 100]
        target: mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [-1000000 to
            1000000 m]
        target_angle: The spring's position of rest. [-1000000 to 1000000 rad]
        target_translation: The spring's position of rest. [-1000000 to 1000000 m]
        velocity: Velocity of b's anchor that the motor aims at, in a's frame. [-4000 to 4000 m/s]
        break_force: The force above which the joint breaks; 0: none. [0 to 1000000000000 N]
        break_torque: The torque above which the joint breaks; 0: none. [0 to 1000000000000 N m]

        Answers {joint, tick}.
        """
        return self._call("joint.create", {"kind": kind, "a": a, "b": b, "anchor": anchor, "anchor_a": anchor_a,
                "anchor_b": anchor_b, "axis": axis, "reference_angle": reference_angle, "joint_a": joint_a,
                "joint_b": joint_b, "ground_a": ground_a, "ground_b": ground_b, "ratio": ratio,
                "collide_connected": collide_connected, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque})

    def set(self, joint: Id, *, length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None) -> Tick:
        """Changes the given settings, at least one; the others stay as they are. Least role: player.

        joint: The joint's id.
        length: Length of the rod, of the spring at rest, or of the rope; the present distance, if left out. [0 to
            2000000000 m]
        lower: Lower limit. [-1000000 to 1000000 rad or m]
        upper: Upper limit. [-1000000 to 1000000 rad or m]
        motor_speed: The speed that the motor aims at; 0: a brake. [-4000 to 4000 rad/s or m/s]
        max_force: Greatest force of the motor or mouse; 0: off. [0 to 1000000000000 N]
        max_torque: Greatest torque of the motor; 0: off. [0 to 1000000000000 N m]
        hertz: Frequency of the spring; 0: none. [0 to 1000 1/s]
        damping_ratio: Damping of the spring; 1: critical. [0 to 100]
        angular_hertz: Frequency of the angle's spring; 0: none. [0 to 1000 1/s]
        angular_damping_ratio: Damping of the angle's spring; 1: critical. [0 to 100]
        target: mouse: the place to drag to; motor: the offset of b's anchor from a's, in a's frame. [-1000000 to
            1000000 m]
        target_angle: The spring's position of rest. [-1000000 to 1000000 rad]
        target_translation: The spring's position of rest. [-1000000 to 1000000 m]
        velocity: Velocity of b's anchor that the motor aims at, in a's frame. [-4000 to 4000 m/s]
        break_force: The force above which the joint breaks; 0: none. [0 to 1000000000000 N]
        break_torque: The torque above which the joint breaks; 0: none. [0 to 1000000000000 N m]

        Answers {tick}.
        """
        return self._call("joint.set", {"joint": joint, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque})

    def remove(self, joint: Id) -> Tick:
        """Removes a joint. Least role: player.

        joint: The joint's id.

        Answers {tick}.
        """
        return self._call("joint.remove", {"joint": joint})

    def get(self, joint: Id) -> JointGetResult:
        """All about a joint. Least role: viewer.

        joint: The joint's id.

        Answers the full joint map.
        """
        return self._call("joint.get", {"joint": joint})

    def list(self) -> JointListResult:
        """All joints of a world. Least role: viewer.

        Answers {world, tick, joints}: full joint maps.
        """
        return self._call("joint.list", {})


class WorldQuery:
    """Methods query.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def ray(self, from_: Vector, to: Vector, *, filter: Filter | None = None, ignore: Id | None = None,
            sensors: bool | None = None, all: bool | None = None, at: float | None = None) -> HitsResult:
        """The shapes that a ray meets. Least role: viewer.

        from_: The beginning of the ray. [-1000000 to 1000000 m]
        to: The end of the ray. [-1000000 to 1000000 m]
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        all: Whether all hits are answered; only the nearest, if left out. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]

        Answers [{body, shape, point, normal, fraction}], nearest first; with at {at, hits}.
        """
        return self._call("query.ray", {"from": from_, "to": to, "filter": filter, "ignore": ignore, "sensors": sensors,
                "all": all, "at": at})

    def overlap(self, *, area: Area | None = None, shape: Shape | None = None, point: Vector | None = None,
            filter: Filter | None = None, ignore: Id | None = None, sensors: bool | None = None,
            at: float | None = None) -> FoundResult:
        """The bodies in a place; exactly one of area, shape and point. Least role: viewer.

        area: Bodies with a shape that meets it, or else: [-1000000 to 1000000 m]
        shape: Bodies that overlap it (world coordinates), or else:
        point: Bodies that this point lies in. [-1000000 to 1000000 m]
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]

        Answers [body …]; with at {at, bodies}.
        """
        return self._call("query.overlap", {"area": area, "shape": shape, "point": point, "filter": filter,
                "ignore": ignore, "sensors": sensors, "at": at})

    def cast(self, shape: Shape, from_: Vector, to: Vector, *, filter: Filter | None = None, ignore: Id | None = None,
            sensors: bool | None = None, all: bool | None = None, at: float | None = None) -> HitsResult:
        """The shapes that a moving shape meets. Least role: viewer.

        shape: The shape, relative to its origin.
        from_: Where the path of the shape's origin begins. [-1000000 to 1000000 m]
        to: Where the path of the shape's origin ends. [-1000000 to 1000000 m]
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        all: Whether all hits are answered; only the nearest, if left out. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]

        Answers [{body, shape, point, normal, fraction}], nearest first; with at {at, hits}.
        """
        return self._call("query.cast", {"shape": shape, "from": from_, "to": to, "filter": filter, "ignore": ignore,
                "sensors": sensors, "all": all, "at": at})

    def nearest(self, point: Vector, *, radius: float | None = None, filter: Filter | None = None,
            ignore: Id | None = None, sensors: bool | None = None, at: float | None = None) -> NearResult | None:
        """The surface that is nearest to a place. Least role: viewer.

        point: A place in the world. [-1000000 to 1000000 m]
        radius: How far to look. [0 to 1000000 m] Default 1000000.
        filter: The shapes that the query sees; all, if left out.
        ignore: A body that the query does not see.
        sensors: Whether the query sees sensors too. Default false.
        at: A tick of the world's history that the query looks at, or a moment between two; the present tick, if left
            out. [0 to 9007199254740991 ticks]

        Answers {body, shape, point, distance}; nil if there is none; with at a map that has it too, and body nil if
        there is none.
        """
        return self._call("query.nearest", {"point": point, "radius": radius, "filter": filter, "ignore": ignore,
                "sensors": sensors, "at": at})


class WorldData:
    """Methods data.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def set(self, key: str, value: Any, *, version: int | None = None) -> DataSetResult:
        """Sets the value of a key of the world's data. Least role: player.

        key: A text that is not empty.
        value: Any value but nil, at most 16 containers deep.
        version: The version that the key must have, 0 for a key that is not there; already_exists names the one that it
            has. Any, if left out. [0 to 9007199254740991]

        Answers {version, tick}.
        """
        return self._call("data.set", {"key": key, "value": value, "version": version})

    def remove(self, key: str, *, version: int | None = None) -> Tick:
        """Removes a key of the world's data. Least role: player.

        key: A text that is not empty.
        version: The version that the key must have, 0 for a key that is not there; already_exists names the one that it
            has. Any, if left out. [0 to 9007199254740991]

        Answers {tick}.
        """
        return self._call("data.remove", {"key": key, "version": version})

    def get(self, *, key: str | None = None, prefix: str | None = None) -> DataResult:
        """The world's data: one key, those with a prefix, or all. Least role: viewer.

        key: A text that is not empty.
        prefix: The beginning of the keys that are answered.

        Answers {data, tick}: data is a map of the keys that are there, each {value, version}.
        """
        return self._call("data.get", {"key": key, "prefix": prefix})


class WorldMessage:
    """Methods message.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def send(self, name: str, *, data: Any | None = None, to: Any | None = None, subject: str | None = None) -> Tick:
        """Sends a message to clients that subscribe to the world's events of kind message. Least role: player.

        name: The kind of message, a word of the game's own.
        data: Any value, at most 16 containers deep.
        to: Whom it is for: "all" (default), "referee" (sessions of role referee or admin), a subject, or the number of
            a session.
        subject: The sender's subject; the session's, if left out. Only a referee or an admin may name another.

        Answers {tick}.
        """
        return self._call("message.send", {"name": name, "data": data, "to": to, "subject": subject})


class WorldMethods:
    """The methods as functions, in groups."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call
        self.body = WorldBody(call)
        self.shape = WorldShape(call)
        self.joint = WorldJoint(call)
        self.query = WorldQuery(call)
        self.data = WorldData(call)
        self.message = WorldMessage(call)

    def create(self, *, gravity: Vector | None = None, hz: float | None = None, substeps: int | None = None,
            paused: bool | None = None, max_bodies: int | None = None,
            durability: Literal['none', 'normal', 'full', 'replicated'] | None = None, sleep: bool | None = None,
            continuous: bool | None = None, restitution_threshold: float | None = None,
            hit_threshold: float | None = None, sleep_speed: float | None = None, scene: str | None = None,
            if_absent: bool | None = None, lifetime: Literal['server', 'session'] | None = None,
            image: bytes | None = None, players: Players | None = None) -> WorldCreateResult:
        """Makes a world, which begins to run unless it is paused. Least role: admin.

        gravity: Acceleration of every dynamic body. [-10000 to 10000 m/s²] Default [0, -9.81].
        hz: Ticks in a second. [1 to 1000 1/s] Default 60.
        substeps: Solver steps in a tick. [1 to 64] Default 4.
        paused: Whether the world begins paused. Default false.
        max_bodies: Maximum of bodies; more are refused with limit_exceeded. [1 to 1048576] Default 1048576.
        durability: How much a restart restores; if left out: normal where the server keeps logs, else none.
        sleep: Bodies at rest may sleep. Default true.
        continuous: Whether fast bodies are swept against static and kinematic ones. Default true.
        restitution_threshold: Slower impacts do not bounce. [0 to 4000 m/s] Default 0.5.
        hit_threshold: Slower impacts make no hit event. [0 to 4000 m/s] Default 1.
        sleep_speed: Bodies below this speed may sleep; 0: none sleeps. [0 to 4000 m/s] Default 0.05.
        scene: A scene that the server has; its settings apply where none are given here.
        if_absent: Whether an existing world of that name is the answer instead of an error. Default false.
        lifetime: Whether the world ends with the server, or with the session that made it. Default "server".
        image: An image that world.image answered: the world begins as that one, with its settings.
        players: The bounds of the role player here: a map of maxima; {} ends them.

        Answers {world, epoch, tick, created}.
        """
        return self._call("world.create", {"gravity": gravity, "hz": hz, "substeps": substeps, "paused": paused,
                "max_bodies": max_bodies, "durability": durability, "sleep": sleep, "continuous": continuous,
                "restitution_threshold": restitution_threshold, "hit_threshold": hit_threshold,
                "sleep_speed": sleep_speed, "scene": scene, "if_absent": if_absent, "lifetime": lifetime,
                "image": image, "players": players})

    def destroy(self) -> WorldTick:
        """Ends a world and its subscriptions. Least role: admin.

        Answers {world, tick}: its last tick.
        """
        return self._call("world.destroy", {})

    def info(self) -> WorldInfo:
        """A world in numbers. Least role: viewer.

        Answers {world, epoch, tick, time, hz, …}.
        """
        return self._call("world.info", {})

    def pause(self) -> WorldTick:
        """Pauses a world; no error if it is paused already. Least role: referee.

        Answers {world, tick}.
        """
        return self._call("world.pause", {})

    def resume(self) -> WorldTick:
        """Resumes a paused world; no error if it is running. Least role: referee.

        Answers {world, tick}.
        """
        return self._call("world.resume", {})

    def step(self, *, ticks: int | None = None, to: int | None = None) -> WorldTick:
        """Runs some ticks of a paused world. Least role: referee.

        ticks: Number of ticks. [1 to 100000] Default 1.
        to: The tick to go to, instead of `ticks`; a world that replays a recording can go back too. [0 to
            9007199254740991]

        Answers {world, tick}: when they are done.
        """
        return self._call("world.step", {"ticks": ticks, "to": to})

    def set(self, *, gravity: Vector | None = None, sleep: bool | None = None,
            restitution_threshold: float | None = None, sleep_speed: float | None = None,
            players: Players | None = None) -> Tick:
        """Changes a world's settings; at least one must be given. Least role: referee.

        gravity: Acceleration of every dynamic body. [-10000 to 10000 m/s²]
        sleep: Bodies at rest may sleep.
        restitution_threshold: Slower impacts do not bounce. [0 to 4000 m/s]
        sleep_speed: Bodies below this speed may sleep; 0: none sleeps. [0 to 4000 m/s]
        players: The bounds of the role player here: a map of maxima; {} ends them.

        Answers {tick}.
        """
        return self._call("world.set", {"gravity": gravity, "sleep": sleep,
                "restitution_threshold": restitution_threshold, "sleep_speed": sleep_speed, "players": players})

    def image(self) -> WorldImageResult:
        """The whole state of a world, to the bit, as bytes. Least role: admin.

        Answers {image, tick, hash}.
        """
        return self._call("world.image", {})

    def fork(self, as_: str, *,
            durability: Literal['none', 'normal', 'full', 'replicated'] | None = None) -> WorldCreateResult:
        """Makes a second world with the same state, which then runs independently. Least role: admin.

        as_: The second world's name.
        durability: How much a restart restores; if left out: normal where the server keeps logs, else none.

        Answers {world, epoch, tick, created}.
        """
        return self._call("world.fork", {"as": as_, "durability": durability})

    def state(self, *, at: int | None = None) -> StateResult:
        """All bodies and joints of a world. Least role: viewer.

        at: A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]

        Answers {world, tick, hash, bodies, joints}: full body maps.
        """
        return self._call("world.state", {"at": at})

    def contacts(self, *, body: Id | None = None, at: int | None = None) -> ContactsResult:
        """The pairs of shapes that touch, of the world or of one body. Least role: viewer.

        body: Only contacts of this body.
        at: A tick of the world's history whose state is read; the present one, if left out. [0 to 9007199254740991]

        Answers {world, tick, contacts}: each {a, b, shape_a, shape_b, normal, points}.
        """
        return self._call("world.contacts", {"body": body, "at": at})

    def apply(self, commands: Sequence[Sequence[Any]], *, at: int | None = None,
            late: Literal['refuse', 'next', 'drop'] | None = None) -> BatchResult:
        """Applies many commands in one tick, all of them or none. Least role: player.

        commands: Commands, each with its method's own arguments, without world.
        at: The tick whose state shows them first; the next one, if left out. [0 to 9007199254740991]
        late: The treatment of a batch whose tick is over: an error, applied with the next tick, or not applied. Default
            "refuse".

        Answers {tick, results}: what each alone would have answered; with at also late and margin.
        """
        return self._call("world.apply", {"commands": commands, "at": at, "late": late})

    def subscribe(self, *, rate: float | None = None, encoding: Literal['plain', 'packed', 'log'] | None = None,
            precision: Precision | None = None, area: Area | None = None, follow: Id | None = None,
            margin: float | None = None, budget: float | None = None, bodies: bool | None = None,
            events: Sequence[Literal['begin', 'stay', 'end', 'hit', 'sensor_begin', 'sensor_end', 'sleep', 'wake', 'spawn', 'remove', 'joint_break', 'freeze', 'message', 'join', 'leave']] | None = None,
            contacts: bool | None = None, describe: bool | None = None, compact: int | None = None,
            data: Union[bool, Sequence[str]] | None = None) -> SubscribeResult:
        """Sends snapshots from now on. Least role: viewer.

        rate: Snapshots a second at most; one a tick, if left out. [0.01 to 1000 1/s]
        encoding: The encoding of bodies; log: the world's commands, for a replica. Default "plain".
        precision: The values that encoding packed sends, and their steps; no other encoding takes it.
        area: Only bodies whose box meets it; the whole world, if left out. [-1000000 to 1000000 m]
        follow: A body that the area moves with; the area is then relative to its position.
        margin: A body stays in view until it is farther than this from the area. A sixteenth of the area's shorter
            side, if left out. [0 to 1000000 m]
        budget: Bytes for snapshots; if not all changed bodies fit, they take turns. No bound, if left out. [256 to
            1000000000 B/s]
        bodies: Whether rows of bodies are sent; false for events alone. Default true.
        events: The kinds of events that are sent. Default ["begin", "end"].
        contacts: Whether the points of every touching pair are sent, for drawing. Default false.
        describe: Whether full maps of bodies and joints are sent when they are new or were changed. Default false.
        compact: `compact` of hello's answer, for encoding log, if the reader has the same number. [0 to 4294967295]
            Default 0.
        data: Whether changes of the world's data are sent: true for all keys, or the prefixes of the wanted keys.

        Answers {subscription, epoch, tick}.
        """
        return self._call("world.subscribe", {"rate": rate, "encoding": encoding, "precision": precision, "area": area,
                "follow": follow, "margin": margin, "budget": budget, "bodies": bodies, "events": events,
                "contacts": contacts, "describe": describe, "compact": compact, "data": data})

    def join(self, template: str, *, data: Any | None = None, seat: int | None = None, session: Id | None = None,
            subject: str | None = None) -> JoinResult:
        """Takes a seat in a world of a template: in the fullest world that has a free seat, or in a new world. Least
        role: player.

        template: The template's name.
        data: Any value, at most 16 containers deep: the event `join` has it.
        seat: Only in logs: the seat that the server chose. [0 to 1024] Default 0.
        session: Only in logs: the number of the session.
        subject: Only in logs: the session's subject.

        Answers {world, seat, created, tick}.
        """
        return self._call("world.join", {"template": template, "data": data, "seat": seat, "session": session,
                "subject": subject})

    def leave(self, *, session: Id | None = None, seat: int | None = None, subject: str | None = None) -> Tick:
        """Frees a seat. The server does so by itself when the session ends. Least role: player.

        session: The session whose seat it is; this one, if left out. Only a referee or an admin may name another.
        seat: Only in logs: the seat. [0 to 1024] Default 0.
        subject: Only in logs: the session's subject.

        Answers {tick}.
        """
        return self._call("world.leave", {"session": session, "seat": seat, "subject": subject})

    def move(self, *, to: str | None = None) -> WorldMoveResult:
        """Hands a world over to another server of the fleet, after a tick; nothing of it is lost, and its sessions can
        be resumed there. Least role: admin.

        to: The other server's name; left out, its standby, or else that with fewer worlds of two chosen by chance.
            Default "".

        Answers {world, node, term}.
        """
        return self._call("world.move", {"to": to})


class LocalBody:
    """Methods body.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def spawn(self, shapes: Sequence[Shape], *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            lifetime: Literal['world', 'session'] | None = None, owner: str | None = None) -> SpawnResult:
        """As body.spawn of a server."""
        return self._call("body.spawn", {"type": type, "position": position, "angle": angle, "velocity": velocity,
                "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "shapes": shapes, "lifetime": lifetime, "owner": owner})

    def remove(self, body: Id) -> Tick:
        """As body.remove of a server."""
        return self._call("body.remove", {"body": body})

    def get(self, body: Id) -> BodyGetResult:
        """As body.get of a server."""
        return self._call("body.get", {"body": body})

    def set(self, body: Id, *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            owner: str | None = None) -> Tick:
        """As body.set of a server."""
        return self._call("body.set", {"body": body, "type": type, "position": position, "angle": angle,
                "velocity": velocity, "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "owner": owner})

    def impulse(self, body: Id, impulse: Vector, *, point: Vector | None = None) -> Tick:
        """As body.impulse of a server."""
        return self._call("body.impulse", {"body": body, "impulse": impulse, "point": point})

    def angular_impulse(self, body: Id, impulse: float) -> Tick:
        """As body.angular_impulse of a server."""
        return self._call("body.angular_impulse", {"body": body, "impulse": impulse})

    def force(self, body: Id, force: Vector, *, point: Vector | None = None) -> Tick:
        """As body.force of a server."""
        return self._call("body.force", {"body": body, "force": force, "point": point})

    def torque(self, body: Id, torque: float) -> Tick:
        """As body.torque of a server."""
        return self._call("body.torque", {"body": body, "torque": torque})


class LocalShape:
    """Methods shape.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def add(self, body: Id, shape: Shape) -> ShapeAddResult:
        """As shape.add of a server."""
        return self._call("shape.add", {"body": body, "shape": shape})

    def set(self, shape: Id, *, density: float | None = None, friction: float | None = None,
            restitution: float | None = None, rolling_resistance: float | None = None,
            tangent_speed: float | None = None, sensor: bool | None = None, filter: Filter | None = None,
            events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None, one_way: Vector | None = None) -> Tick:
        """As shape.set of a server."""
        return self._call("shape.set", {"shape": shape, "density": density, "friction": friction,
                "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
                "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})

    def remove(self, shape: Id) -> Tick:
        """As shape.remove of a server."""
        return self._call("shape.remove", {"shape": shape})


class LocalJoint:
    """Methods joint.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def create(self,
            kind: Literal['revolute', 'prismatic', 'distance', 'weld', 'wheel', 'motor', 'mouse', 'filter', 'gear', 'pulley'],
            *, a: Id | None = None, b: Id | None = None, anchor: Vector | None = None, anchor_a: Vector | None = None,
            anchor_b: Vector | None = None, axis: Vector | None = None, reference_angle: float | None = None,
            joint_a: Id | None = None, joint_b: Id | None = None, ground_a: Vector | None = None,
            ground_b: Vector | None = None, ratio: float | None = None, collide_connected: bool | None = None,
            length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None) -> JointCreateResult:
        """As joint.create of a server."""
        return self._call("joint.create", {"kind": kind, "a": a, "b": b, "anchor": anchor, "anchor_a": anchor_a,
                "anchor_b": anchor_b, "axis": axis, "reference_angle": reference_angle, "joint_a": joint_a,
                "joint_b": joint_b, "ground_a": ground_a, "ground_b": ground_b, "ratio": ratio,
                "collide_connected": collide_connected, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque})

    def set(self, joint: Id, *, length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None) -> Tick:
        """As joint.set of a server."""
        return self._call("joint.set", {"joint": joint, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque})

    def remove(self, joint: Id) -> Tick:
        """As joint.remove of a server."""
        return self._call("joint.remove", {"joint": joint})

    def get(self, joint: Id) -> JointGetResult:
        """As joint.get of a server."""
        return self._call("joint.get", {"joint": joint})

    def list(self) -> JointListResult:
        """As joint.list of a server."""
        return self._call("joint.list", {})


class LocalQuery:
    """Methods query.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def ray(self, from_: Vector, to: Vector, *, filter: Filter | None = None, ignore: Id | None = None,
            sensors: bool | None = None, all: bool | None = None) -> HitsResult:
        """As query.ray of a server."""
        return self._call("query.ray", {"from": from_, "to": to, "filter": filter, "ignore": ignore, "sensors": sensors,
                "all": all})

    def overlap(self, *, area: Area | None = None, shape: Shape | None = None, point: Vector | None = None,
            filter: Filter | None = None, ignore: Id | None = None, sensors: bool | None = None) -> FoundResult:
        """As query.overlap of a server."""
        return self._call("query.overlap", {"area": area, "shape": shape, "point": point, "filter": filter,
                "ignore": ignore, "sensors": sensors})

    def cast(self, shape: Shape, from_: Vector, to: Vector, *, filter: Filter | None = None, ignore: Id | None = None,
            sensors: bool | None = None, all: bool | None = None) -> HitsResult:
        """As query.cast of a server."""
        return self._call("query.cast", {"shape": shape, "from": from_, "to": to, "filter": filter, "ignore": ignore,
                "sensors": sensors, "all": all})

    def nearest(self, point: Vector, *, radius: float | None = None, filter: Filter | None = None,
            ignore: Id | None = None, sensors: bool | None = None) -> NearResult | None:
        """As query.nearest of a server."""
        return self._call("query.nearest", {"point": point, "radius": radius, "filter": filter, "ignore": ignore,
                "sensors": sensors})


class LocalData:
    """Methods data.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def set(self, key: str, value: Any, *, version: int | None = None) -> DataSetResult:
        """As data.set of a server."""
        return self._call("data.set", {"key": key, "value": value, "version": version})

    def remove(self, key: str, *, version: int | None = None) -> Tick:
        """As data.remove of a server."""
        return self._call("data.remove", {"key": key, "version": version})

    def get(self, *, key: str | None = None, prefix: str | None = None) -> DataResult:
        """As data.get of a server."""
        return self._call("data.get", {"key": key, "prefix": prefix})


class LocalMessage:
    """Methods message.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def send(self, name: str, *, data: Any | None = None, to: Any | None = None, subject: str | None = None) -> Tick:
        """As message.send of a server."""
        return self._call("message.send", {"name": name, "data": data, "to": to, "subject": subject})


class LocalMethods:
    """The methods as functions, in groups."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call
        self.body = LocalBody(call)
        self.shape = LocalShape(call)
        self.joint = LocalJoint(call)
        self.query = LocalQuery(call)
        self.data = LocalData(call)
        self.message = LocalMessage(call)

    def set(self, *, gravity: Vector | None = None, sleep: bool | None = None,
            restitution_threshold: float | None = None, sleep_speed: float | None = None,
            players: Players | None = None) -> Tick:
        """As world.set of a server."""
        return self._call("world.set", {"gravity": gravity, "sleep": sleep,
                "restitution_threshold": restitution_threshold, "sleep_speed": sleep_speed, "players": players})

    def state(self) -> StateResult:
        """As world.state of a server."""
        return self._call("world.state", {})

    def contacts(self, *, body: Id | None = None) -> ContactsResult:
        """As world.contacts of a server."""
        return self._call("world.contacts", {"body": body})

    def apply(self, commands: Sequence[Sequence[Any]]) -> BatchResult:
        """As world.apply of a server."""
        return self._call("world.apply", {"commands": commands})

    def join(self, template: str, *, data: Any | None = None, seat: int | None = None, session: Id | None = None,
            subject: str | None = None) -> JoinResult:
        """As world.join of a server."""
        return self._call("world.join", {"template": template, "data": data, "seat": seat, "session": session,
                "subject": subject})

    def leave(self, *, session: Id | None = None, seat: int | None = None, subject: str | None = None) -> Tick:
        """As world.leave of a server."""
        return self._call("world.leave", {"session": session, "seat": seat, "subject": subject})


class BatchBody:
    """Methods body.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def spawn(self, shapes: Sequence[Shape], *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            lifetime: Literal['world', 'session'] | None = None, owner: str | None = None) -> Reference:
        """Adds body.spawn to the batch."""
        return self._call("body.spawn", {"type": type, "position": position, "angle": angle, "velocity": velocity,
                "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "shapes": shapes, "lifetime": lifetime, "owner": owner})

    def remove(self, body: Id) -> Reference:
        """Adds body.remove to the batch."""
        return self._call("body.remove", {"body": body})

    def get(self, body: Id, *, at: int | None = None) -> Reference:
        """Adds body.get to the batch."""
        return self._call("body.get", {"body": body, "at": at})

    def set(self, body: Id, *, type: Literal['static', 'kinematic', 'dynamic'] | None = None,
            position: Vector | None = None, angle: float | None = None, velocity: Vector | None = None,
            angular_velocity: float | None = None, linear_damping: float | None = None,
            angular_damping: float | None = None, gravity_scale: float | None = None,
            fixed_rotation: bool | None = None, bullet: bool | None = None, allow_sleep: bool | None = None,
            awake: bool | None = None, enabled: bool | None = None, mass: float | None = None, tag: str | None = None,
            owner: str | None = None) -> Reference:
        """Adds body.set to the batch."""
        return self._call("body.set", {"body": body, "type": type, "position": position, "angle": angle,
                "velocity": velocity, "angular_velocity": angular_velocity, "linear_damping": linear_damping,
                "angular_damping": angular_damping, "gravity_scale": gravity_scale, "fixed_rotation": fixed_rotation,
                "bullet": bullet, "allow_sleep": allow_sleep, "awake": awake, "enabled": enabled, "mass": mass,
                "tag": tag, "owner": owner})

    def impulse(self, body: Id, impulse: Vector, *, point: Vector | None = None) -> Reference:
        """Adds body.impulse to the batch."""
        return self._call("body.impulse", {"body": body, "impulse": impulse, "point": point})

    def angular_impulse(self, body: Id, impulse: float) -> Reference:
        """Adds body.angular_impulse to the batch."""
        return self._call("body.angular_impulse", {"body": body, "impulse": impulse})

    def force(self, body: Id, force: Vector, *, point: Vector | None = None) -> Reference:
        """Adds body.force to the batch."""
        return self._call("body.force", {"body": body, "force": force, "point": point})

    def torque(self, body: Id, torque: float) -> Reference:
        """Adds body.torque to the batch."""
        return self._call("body.torque", {"body": body, "torque": torque})


class BatchShape:
    """Methods shape.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def add(self, body: Id, shape: Shape) -> Reference:
        """Adds shape.add to the batch."""
        return self._call("shape.add", {"body": body, "shape": shape})

    def set(self, shape: Id, *, density: float | None = None, friction: float | None = None,
            restitution: float | None = None, rolling_resistance: float | None = None,
            tangent_speed: float | None = None, sensor: bool | None = None, filter: Filter | None = None,
            events: Sequence[Literal['contact', 'hit', 'sensor']] | None = None,
            one_way: Vector | None = None) -> Reference:
        """Adds shape.set to the batch."""
        return self._call("shape.set", {"shape": shape, "density": density, "friction": friction,
                "restitution": restitution, "rolling_resistance": rolling_resistance, "tangent_speed": tangent_speed,
                "sensor": sensor, "filter": filter, "events": events, "one_way": one_way})

    def remove(self, shape: Id) -> Reference:
        """Adds shape.remove to the batch."""
        return self._call("shape.remove", {"shape": shape})


class BatchJoint:
    """Methods joint.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def create(self,
            kind: Literal['revolute', 'prismatic', 'distance', 'weld', 'wheel', 'motor', 'mouse', 'filter', 'gear', 'pulley'],
            *, a: Id | None = None, b: Id | None = None, anchor: Vector | None = None, anchor_a: Vector | None = None,
            anchor_b: Vector | None = None, axis: Vector | None = None, reference_angle: float | None = None,
            joint_a: Id | None = None, joint_b: Id | None = None, ground_a: Vector | None = None,
            ground_b: Vector | None = None, ratio: float | None = None, collide_connected: bool | None = None,
            length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None) -> Reference:
        """Adds joint.create to the batch."""
        return self._call("joint.create", {"kind": kind, "a": a, "b": b, "anchor": anchor, "anchor_a": anchor_a,
                "anchor_b": anchor_b, "axis": axis, "reference_angle": reference_angle, "joint_a": joint_a,
                "joint_b": joint_b, "ground_a": ground_a, "ground_b": ground_b, "ratio": ratio,
                "collide_connected": collide_connected, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque})

    def set(self, joint: Id, *, length: float | None = None, lower: float | None = None, upper: float | None = None,
            motor_speed: float | None = None, max_force: float | None = None, max_torque: float | None = None,
            hertz: float | None = None, damping_ratio: float | None = None, angular_hertz: float | None = None,
            angular_damping_ratio: float | None = None, target: Vector | None = None, target_angle: float | None = None,
            target_translation: float | None = None, velocity: Vector | None = None, break_force: float | None = None,
            break_torque: float | None = None) -> Reference:
        """Adds joint.set to the batch."""
        return self._call("joint.set", {"joint": joint, "length": length, "lower": lower, "upper": upper,
                "motor_speed": motor_speed, "max_force": max_force, "max_torque": max_torque, "hertz": hertz,
                "damping_ratio": damping_ratio, "angular_hertz": angular_hertz,
                "angular_damping_ratio": angular_damping_ratio, "target": target, "target_angle": target_angle,
                "target_translation": target_translation, "velocity": velocity, "break_force": break_force,
                "break_torque": break_torque})

    def remove(self, joint: Id) -> Reference:
        """Adds joint.remove to the batch."""
        return self._call("joint.remove", {"joint": joint})

    def get(self, joint: Id) -> Reference:
        """Adds joint.get to the batch."""
        return self._call("joint.get", {"joint": joint})


class BatchData:
    """Methods data.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def set(self, key: str, value: Any, *, version: int | None = None) -> Reference:
        """Adds data.set to the batch."""
        return self._call("data.set", {"key": key, "value": value, "version": version})

    def remove(self, key: str, *, version: int | None = None) -> Reference:
        """Adds data.remove to the batch."""
        return self._call("data.remove", {"key": key, "version": version})

    def get(self, *, key: str | None = None, prefix: str | None = None) -> Reference:
        """Adds data.get to the batch."""
        return self._call("data.get", {"key": key, "prefix": prefix})


class BatchMessage:
    """Methods message.…"""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call

    def send(self, name: str, *, data: Any | None = None, to: Any | None = None,
            subject: str | None = None) -> Reference:
        """Adds message.send to the batch."""
        return self._call("message.send", {"name": name, "data": data, "to": to, "subject": subject})


class BatchMethods:
    """The methods as functions, in groups."""

    def __init__(self, call: Callable[[str, dict[str, Any]], Any]):
        self._call = call
        self.body = BatchBody(call)
        self.shape = BatchShape(call)
        self.joint = BatchJoint(call)
        self.data = BatchData(call)
        self.message = BatchMessage(call)

    def set(self, *, gravity: Vector | None = None, sleep: bool | None = None,
            restitution_threshold: float | None = None, sleep_speed: float | None = None,
            players: Players | None = None) -> Reference:
        """Adds world.set to the batch."""
        return self._call("world.set", {"gravity": gravity, "sleep": sleep,
                "restitution_threshold": restitution_threshold, "sleep_speed": sleep_speed, "players": players})


#: The codes of errors, by the number that libcarom has for them.
ERROR_CODES = (
    "ok",
    "invalid_argument",  # malformed, of the wrong type, out of range, not finite
    "not_found",  # a world, body, shape, joint or subscription that does not exist
    "already_exists",  # the name is taken
    "permission_denied",  # the caller is known but lacks the right
    "unauthenticated",  # the caller is not known
    "limit_exceeded",  # a named maximum was reached
    "unavailable",  # not possible now: shutting down, overloaded, no connection, connection lost, timed out
    "unknown_method",  # no method has that name
    "moved",  # the world is on another server
    "internal",  # a fault of the server, or out of memory
    "out_of_memory",  # memory has run out on this side; never sent by a server
)

#: The kinds of events, by the number that libcarom has for them.
EVENT_KINDS = (
    "begin",
    "stay",
    "end",
    "hit",
    "sensor_begin",
    "sensor_end",
    "sleep",
    "wake",
    "spawn",
    "remove",
    "joint_break",
    "freeze",
    "message",
    "join",
    "leave",
)

#: The methods that a local world has.
LOCAL_METHODS = frozenset({
    "world.set",
    "world.state",
    "world.contacts",
    "world.apply",
    "body.spawn",
    "body.remove",
    "body.get",
    "body.set",
    "body.impulse",
    "body.angular_impulse",
    "body.force",
    "body.torque",
    "shape.add",
    "shape.set",
    "shape.remove",
    "joint.create",
    "joint.set",
    "joint.remove",
    "joint.get",
    "joint.list",
    "query.ray",
    "query.overlap",
    "query.cast",
    "query.nearest",
    "data.set",
    "data.remove",
    "data.get",
    "message.send",
    "world.join",
    "world.leave",
})
