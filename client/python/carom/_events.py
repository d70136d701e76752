"""Events of worlds: contacts, sensors, sleep, messages, seats."""

from __future__ import annotations

import dataclasses
from typing import Any

from . import _native
from ._errors import InvalidArgument
from ._library import carom
from ._methods import EVENT_KINDS
from ._values import take


@dataclasses.dataclass(frozen=True)
class Event:
    """Something that happened in a world. Numbers that its kind does not have are 0."""

    kind: str  #: "begin", "end" …; see PROTOCOL.md
    tick: int  #: the tick whose state first shows it
    a: int  #: a body
    b: int  #: the other body
    shape_a: int
    shape_b: int
    joint: int
    point: tuple[float, float]  #: [m]
    normal: tuple[float, float]  #: unit vector from a to b
    depth: float  #: [m]
    speed: float  #: approach along the normal [m/s]
    impulse: float  #: [N s]
    name: str | None = None  #: of a message, its name
    data: Any = None  #: of a message or a join
    session: int = 0  #: of a message, the number of the session that sent it; of a join or leave, that has the seat
    subject: str = ""  #: that session's subject
    seat: int = 0  #: of a join or leave, the seat, from 1 on


def read(event: _native.carom_event) -> Event:
    is_message = event.kind == _native.CAROM_EVENT_MESSAGE
    return Event(
        (event.name or b"").decode(), event.tick, event.a, event.b, event.shape_a, event.shape_b, event.joint,
        (event.point.x, event.point.y), (event.normal.x, event.normal.y), event.depth, event.speed, event.impulse,
        (event.message or b"").decode(errors="replace") if is_message else None,
        take(carom.carom_event_data(event)) if event.data else None,
        event.session, (event.subject or b"").decode(errors="replace"), event.seat)


def bits(kinds: Any) -> int:
    """The bits of kinds of events, by their words."""
    out = 0
    for kind in kinds:
        if kind not in EVENT_KINDS:
            raise InvalidArgument(f"events: '{kind}' is none of {', '.join(EVENT_KINDS)}")
        out |= 1 << EVENT_KINDS.index(kind)
    return out
