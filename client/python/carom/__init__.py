"""carom: authoritative 2D physics for Python.

    with carom.connect("127.0.0.1:22766") as client:
        lab = client.world("lab")
        lab.create(if_absent=True)
        ball = lab.body.spawn([carom.circle(0.5)], position=[0, 9])["body"]
        view = lab.watch()
        view.wait()
        print(view.positions)

Without a server, carom.LocalWorld steps the same engine here, and carom.VectorEnv many worlds in one call. carom.Replica
copies a world of a server exactly, and carom.Prediction shows the client's own commands at once. Units: metres, seconds,
kilograms, radians, counter-clockwise positive.
"""

from ._client import Client, Snapshot, Subscription, World, connect
from ._errors import (AlreadyExists, Error, Internal, InvalidArgument, LimitExceeded, Moved, NotFound, OutOfMemory,
                      PermissionDenied, Unauthenticated, Unavailable, UnknownMethod)
from ._events import Event
from ._library import carom as _carom
from ._local import Batch, LocalWorld, State
from ._methods import *  # noqa: F403: shapes and the types of arguments
from ._methods import ERROR_CODES, EVENT_KINDS
from ._prediction import Made, Pose, PredictedTick, Prediction
from ._replica import Replica
from ._vector import Box, Drive, VectorEnv, Worlds
from ._view import BodyInfo, Drawn, View

__version__ = "0.1.0"

__all__ = [
    "AlreadyExists", "Batch", "BodyInfo", "Box", "Client", "Drawn", "Drive", "ERROR_CODES", "EVENT_KINDS", "Error",
    "Event", "Internal", "InvalidArgument", "LimitExceeded", "LocalWorld", "Made", "Moved", "NotFound", "OutOfMemory",
    "PermissionDenied", "Pose", "PredictedTick", "Prediction", "Replica", "Snapshot", "State", "Subscription",
    "Unauthenticated", "Unavailable", "UnknownMethod", "VectorEnv", "View", "World", "Worlds", "connect",
    "library_version",
]


def library_version() -> str:
    """The version of the libcarom that is loaded."""
    return _carom.carom_version().decode()
