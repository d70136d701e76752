"""Many worlds in one call, as an environment for learning (carom/many.h), with the signatures of Gymnasium's VectorEnv.

Gymnasium is not needed. numpy is.
"""

from __future__ import annotations

import ctypes
import dataclasses
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

from . import _bodies, _native
from ._bodies import numpy
from ._errors import InvalidArgument, check
from ._library import replica
from ._local import LocalWorld

KINDS = ("force", "torque", "impulse", "angular_impulse", "velocity", "spin", "motor")
THREADS_MAX = 64


@dataclasses.dataclass(frozen=True)
class Drive:
    """The effect of one number of an action.

    kind: "force" [N], "torque" [N m], "impulse" [N s], "angular_impulse" [N m s], "velocity" [m/s], "spin" [rad/s], "motor"
    (a joint's motor_speed, rad/s or m/s); id: the body, or the joint; axis: the direction in the world of force, impulse
    and velocity; least, most: numbers outside of these are moved to the nearer one.
    """

    kind: Literal["force", "torque", "impulse", "angular_impulse", "velocity", "spin", "motor"]
    id: int
    axis: tuple[float, float] = (1.0, 0.0)
    least: float = -1.0
    most: float = 1.0


@dataclasses.dataclass(frozen=True)
class Box:
    """Bounds of observations and actions, with the names of gymnasium.spaces.Box."""

    low: Any
    high: Any
    shape: tuple[int, ...]
    dtype: Any


def _drive(index: int, drive: Drive) -> _native.carom_drive:
    if drive.kind not in KINDS:
        raise InvalidArgument(f"drives[{index}].kind: '{drive.kind}' is none of {', '.join(KINDS)}")
    return _native.carom_drive(KINDS.index(drive.kind), drive.id, _native.carom_vec2(*drive.axis), drive.least, drive.most)


def _require_numpy() -> None:
    if numpy is None:
        raise ImportError("many worlds at once need numpy (Debian: python3-numpy)")


class Worlds(_bodies.Bodies):
    """Copies of one world that are stepped in one call.

    start: the world that all begin as; count: 1 to 65 536; watch: bodies whose motion `bodies` has; drives: the effects of
    an action's numbers; threads: 1 to 64 threads share the worlds of a call.
    """

    def __init__(self, start: LocalWorld, count: int, *, watch: Sequence[int] = (), drives: Sequence[Drive] = (), threads: int = 1):
        _require_numpy()
        if not 1 <= threads <= THREADS_MAX:
            raise InvalidArgument(f"threads: must be 1 to {THREADS_MAX}")
        self._pointer: int | None = None
        error, out = _native.carom_error(), ctypes.c_void_p()
        ids = (ctypes.c_uint64 * len(watch))(*watch)
        made = (_native.carom_drive * len(drives))(*[_drive(i, d) for i, d in enumerate(drives)])
        check(replica.carom_many_create(start._open(), count, ids, len(watch), made, len(drives), out, error), error)
        self._pointer, self.count, self.drives, self.watched = out.value, count, tuple(drives), tuple(watch)
        address = ctypes.cast(replica.carom_many_bodies(self._pointer), ctypes.c_void_p).value
        self._bodies = _bodies.shared(address, count * len(watch), self, writable=True).reshape(count, len(watch))
        self._ranges = [(i * count // threads, (i + 1) * count // threads) for i in range(threads)]
        self._pool = ThreadPoolExecutor(threads) if threads > 1 else None

    @property
    def bodies(self) -> Any:
        """The motion of the watched bodies, count x watched: the library's memory, not copied. Change it and call place()
        to move bodies."""
        return self._bodies

    def step(self, actions: Any = None, ticks: int = 1) -> None:
        """Carries out the actions (count x drives; None: earlier forces go on) and advances each world by `ticks`."""
        if actions is not None:
            actions = numpy.ascontiguousarray(actions, "f8")
            if actions.shape != (self.count, len(self.drives)):
                raise InvalidArgument(f"actions: the shape must be {(self.count, len(self.drives))}, got {actions.shape}")
            if not numpy.isfinite(actions).all():  # before any thread steps its worlds
                world, drive = numpy.argwhere(~numpy.isfinite(actions))[0]
                raise InvalidArgument(f"actions: the number of world {world}, drive {drive} is not finite")
        self._each(replica.carom_many_step, lambda first: _pointer(actions, first, ctypes.c_double), ticks)

    def reset(self, which: Any = None) -> None:
        """Sets worlds back to the beginning: those where `which` (count booleans) is true, or all."""
        self._each(replica.carom_many_reset, self._mask(which))

    def place(self, which: Any = None) -> None:
        """Moves the watched bodies to where `bodies` says, which the caller has changed: pose and velocities."""
        self._each(replica.carom_many_place, self._mask(which))

    def world(self, index: int) -> LocalWorld:
        """World `index`, for calls, images and queries. refresh() shows changes in `bodies`."""
        pointer = replica.carom_many_world(self._open(), index) if 0 <= index < self.count else None
        if not pointer:
            raise IndexError(f"world {index}: there are {self.count}")
        return LocalWorld(_pointer=pointer, _owner=self)

    def refresh(self) -> None:
        """Reads the watched bodies again, after changes by world()."""
        self._each(replica.carom_many_refresh)

    def fork(self, source: int, targets: Any = None) -> None:
        """Makes other worlds copies of world `source`: those of `targets` (indexes), or all."""
        origin = self.world(source)
        for index in range(self.count) if targets is None else targets:
            self.world(index).copy_from(origin)
        self.refresh()

    def restore(self, image: bytes, targets: Any = None) -> None:
        """Makes worlds the state of an image: those of `targets` (indexes), or all."""
        with LocalWorld.from_image(image) as origin:
            for index in range(self.count) if targets is None else targets:
                self.world(index).copy_from(origin)
        self.refresh()

    def _mask(self, which: Any) -> Any:
        if which is None:
            return lambda first: None
        mask = numpy.ascontiguousarray(which, "bool")
        if mask.shape != (self.count,):
            raise InvalidArgument(f"which: the shape must be {(self.count,)}, got {mask.shape}")
        return lambda first: _pointer(mask, first, ctypes.c_uint8)

    def _each(self, function: Any, array: Any = None, *rest: Any) -> None:
        """Calls a function for the range of each thread."""
        pointer = self._open()

        def call(part: tuple[int, int]) -> None:
            error = _native.carom_error()
            args = [] if array is None else [array(part[0])]
            check(function(pointer, part[0], part[1] - part[0], *args, *rest, error), error)

        if self._pool is None:
            call(self._ranges[0])
        else:
            list(self._pool.map(call, self._ranges))

    def close(self) -> None:
        """Frees the worlds when no array of theirs is left, and ends the threads."""
        if self._pool is not None:
            self._pool.shutdown()
            self._pool = None
        self._bodies = None

    def _open(self) -> int:
        if self._pointer is None or self._bodies is None:
            raise ValueError("the worlds are closed")
        return self._pointer

    def __del__(self) -> None:
        # Arrays of `bodies` refer to this object, so none is left.
        if getattr(self, "_pointer", None) is not None:
            pointer, self._pointer = self._pointer, None
            replica.carom_many_free(pointer)


def _pointer(array: Any, first: int, kind: Any) -> Any:
    if array is None:
        return None
    return array[first:].ctypes.data_as(ctypes.POINTER(kind)) if first < len(array) else None


class VectorEnv:
    """Many worlds as an environment: reset() and step(actions), with the signatures of gymnasium.vector.VectorEnv.

    A subclass says what is observed and rewarded, for all worlds at once: observe(), judge(), and randomise() for the
    beginnings. `worlds` are the carom.Worlds.

    start, count, watch, drives, threads: as of carom.Worlds; ticks: ticks of a step; episode_steps: after so many steps a
    world is truncated (0: never); autoreset: "next_step" (the step after the end resets and ignores its action, the default
    of Gymnasium), "same_step" (resets at once; infos["final_obs"] has the last observations) or "disabled".
    """

    metadata: dict[str, Any] = {"render_modes": []}
    render_mode = None
    spec = None

    def __init__(self, start: LocalWorld, count: int, *, watch: Sequence[int], drives: Sequence[Drive], ticks: int = 1,
                 episode_steps: int = 0, threads: int = 1,
                 autoreset: Literal["next_step", "same_step", "disabled"] = "next_step"):
        if autoreset not in ("next_step", "same_step", "disabled"):
            raise InvalidArgument(f"autoreset: '{autoreset}' is none of next_step, same_step, disabled")
        self.worlds = Worlds(start, count, watch=watch, drives=drives, threads=threads)
        self.num_envs, self.ticks, self.episode_steps, self.autoreset = count, ticks, episode_steps, autoreset
        self.np_random = numpy.random.default_rng()
        self.steps = numpy.zeros(count, "i8")  #: steps since the last reset of each world
        self._ended = numpy.zeros(count, "bool")
        low, high = ([getattr(d, name) for d in drives] for name in ("least", "most"))
        self.single_action_space = Box(numpy.array(low), numpy.array(high), (len(drives),), numpy.dtype("f8"))
        self.action_space = Box(numpy.tile(low, (count, 1)), numpy.tile(high, (count, 1)), (count, len(drives)), numpy.dtype("f8"))
        shape = self.observe().shape
        self.observation_space = Box(-numpy.inf, numpy.inf, shape, numpy.dtype("f8"))
        self.single_observation_space = Box(-numpy.inf, numpy.inf, shape[1:], numpy.dtype("f8"))

    # ---- methods of subclasses

    def observe(self) -> Any:
        """The observations: an array whose first dimension are the worlds. By default x, y, angle, vx, vy, w of each watched
        body, copied."""
        return self.worlds.bodies.view("f8").reshape(self.num_envs, -1, 7)[:, :, 1:].reshape(self.num_envs, -1).copy()

    def judge(self, observations: Any, actions: Any) -> tuple[Any, Any]:
        """(rewards, terminated): two arrays of one element a world."""
        raise NotImplementedError

    def randomise(self, which: Any) -> None:
        """Changes `worlds.bodies` of worlds that begin again (`which`: booleans) by `np_random`. By default nothing."""

    # ---- Gymnasium's interface

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begins again, all worlds or those of options["reset_mask"]. Returns (observations, infos)."""
        if seed is not None:
            self.np_random = numpy.random.default_rng(seed)
        which = numpy.ones(self.num_envs, "bool") if not options else numpy.asarray(options.get("reset_mask", True), "bool")
        self._begin(numpy.broadcast_to(which, (self.num_envs,)))
        return self.observe(), {}

    def step(self, actions: Any) -> tuple[Any, Any, Any, Any, dict[str, Any]]:
        """One step of all worlds. Returns (observations, rewards, terminated, truncated, infos)."""
        again = self._ended.copy() if self.autoreset == "next_step" else numpy.zeros(self.num_envs, "bool")
        self.worlds.step(actions, self.ticks)
        self.steps += 1
        if again.any():
            self._begin(again)
        observations = self.observe()
        rewards, terminated = self.judge(observations, actions)
        rewards = numpy.where(again, 0.0, rewards)
        terminated = numpy.asarray(terminated, "bool") & ~again
        truncated = (self.steps >= self.episode_steps) & ~terminated & ~again if self.episode_steps else numpy.zeros_like(terminated)
        self._ended, infos = terminated | truncated, {}
        if self.autoreset == "same_step" and self._ended.any():
            infos = {"final_obs": observations.copy(), "_final_obs": self._ended.copy()}
            self._begin(self._ended)
            observations = self.observe()
        return observations, rewards, terminated, truncated, infos

    def close(self, **_: Any) -> None:
        """Frees the worlds."""
        self.worlds.close()

    def image(self, index: int) -> bytes:
        """The state of one world, for restore()."""
        return self.worlds.world(index).image()

    def restore(self, image: bytes, targets: Any = None) -> None:
        """Forks by an image: worlds of `targets` (indexes), or all, continue from its state, as in their first step."""
        self.worlds.restore(image, targets)
        chosen = slice(None) if targets is None else list(targets)
        self.steps[chosen], self._ended[chosen] = 0, False

    def _begin(self, which: Any) -> None:
        self.worlds.reset(which)
        self.randomise(which)
        self.worlds.place(which)
        self.steps[which], self._ended[which] = 0, False
