"""Reads packed snapshots, by the section "Packed snapshots" of proto/PROTOCOL.md and nothing else.

A reader keeps one `Packed` for each subscription of encoding `packed` and gives it the bytes of each
snapshot's `data`, in their order. The names below are those of that section, so that the two can be
read side by side.
"""

import math
import struct

# The first bytes of full snapshots and of changes; 19 and 18 belong to streams in which bodies may be left out.
FULL = (17, 19)
CHANGE = (16, 18)
MAGIC = 51824
BODIES_MAX = 1048576  # PACKED_BODIES_MAX
PLACE = (77, 222, 256)
RATE = (13, 154, 0)


class Damaged(Exception):
    """The bytes are no packed snapshot, or not the next one of this reader."""


def within(a, m):
    return max(-m, min(a, m))


def size(w):
    return min((w >> 3).bit_length(), 11)


class Model:
    __slots__ = ("fast", "slow")

    def __init__(self):
        self.fast = self.slow = 32768


def table(*lengths):
    if not lengths:
        return Model()
    return [table(*lengths[1:]) for _ in range(lengths[0])]


class Number:
    def __init__(self):
        self.exponent = table(41)
        self.mantissa = table(8, 4)


def models_of(value):
    """Every model in tables and numbers, in the order of their indices."""
    if isinstance(value, Model):
        yield value
    elif isinstance(value, Number):
        yield from models_of(value.exponent)
        yield from models_of(value.mantissa)
    else:
        for part in value:
            yield from models_of(part)


class Bits:
    """The range coder's reader."""

    def __init__(self, data, begin):
        self.data, self.next, self.missing = data, begin, 0
        self.range = 2**32 - 1
        self.code = 0
        for _ in range(4):
            self.code = self.code * 256 + self.byte()

    def byte(self):
        if self.next < len(self.data):
            self.next += 1
            return self.data[self.next - 1]
        self.missing += 1
        if self.missing > 4:
            raise Damaged("the data were cut off")
        return 0

    def of_chance(self, p):
        bound = (self.range >> 15) * p
        if self.code < bound:
            bit, self.range = 1, bound
        else:
            bit = 0
            self.code -= bound
            self.range -= bound
        while self.range < 2**24:
            self.range *= 256
            self.code = self.code * 256 + self.byte()
        return bit

    def bit(self, model):
        bit = self.of_chance(within_chance((model.fast + model.slow) >> 2))
        if bit:
            model.fast += (65535 - model.fast) >> 4
            model.slow += (65535 - model.slow) >> 7
        else:
            model.fast -= model.fast >> 4
            model.slow -= model.slow >> 7
        return bit

    def raw(self, count):
        value = 0
        for _ in range(count):
            value = value * 2 + self.of_chance(16384)
        return value

    def raw_float(self):
        return struct.unpack(">d", struct.pack(">Q", self.raw(64)))[0]

    def from_highest(self, exponent, mantissa, ones):
        """A value of at least 1, whose exponent has at most `ones` ones."""
        e = 0
        while e < ones and self.bit(exponent[min(e, len(exponent) - 1)]):
            e += 1
        v, models = 1, mantissa[min(e, 7)]
        for place in range(e):
            if place == 0:
                v = v * 2 + self.bit(models[1])
            elif place == 1:
                v = v * 2 + self.bit(models[2 + (v & 1)])
            else:
                v = v * 2 + self.raw(1)
        return v

    def number(self, number):
        return self.from_highest(number.exponent, number.mantissa, 40) - 1

    def signed(self, number):
        value = self.number(number)
        return -((value + 1) // 2) if value % 2 else value // 2

    def end(self):
        if self.next != len(self.data):
            raise Damaged(f"{len(self.data) - self.next} bytes are left over")


def within_chance(p):
    return max(20, min(p, 32748))


class Axis:
    def __init__(self, q):
        self.q = q
        self.begin()

    def begin(self):
        self.at, self.rate, self.error = [0, 0, 0], [0, 0, 0], [0, 0, 0]
        self.wild = self.wilder = self.still = self.last = 0


class Track:
    def __init__(self, id, axes):
        self.id, self.axes = id, axes
        self.moves, self.late = True, 0


class Forecast:
    """Where one axis of a track is expected after t ticks."""

    def __init__(self, axis, t, told, velocity):
        self.c = [within(axis.at[f] + axis.rate[f] * t, 2**30) for f in range(2)]
        if told:
            rate = within(within(velocity.q, 2**26) * told, 2**30)
            self.c.append(within(axis.at[2] + rate * t, 2**30))
        best = min(range(len(self.c)), key=lambda f: axis.error[f])
        self.steps = (self.c[best] + 32768) >> 16
        part = self.c[best] - 65536 * self.steps
        self.above = part > 0
        near = 32768 - abs(part)
        self.edge = 3 if near < 6000 else 2 if near < 11000 else 1 if near < 17000 else 0
        s = (max(self.c) - min(self.c)) >> 15
        self.spread = 0 if s < 1 else 1 if s < 2 else 2 if s < 6 else 3
        self.place = [self.place_of(f) for f in range(2)]
        self.places = 5 * self.place[0] + self.place[1]

    def place_of(self, f):
        o = self.c[f] - 65536 * self.steps
        return 0 if o < -32768 else 1 if o < -12000 else 2 if o <= 12000 else 3 if o <= 32768 else 4


def move_on(axis, forecast, r, t):
    change = forecast.steps + r
    axis.q += change
    moved = 65536 * within(change, 2**17)
    for f, c in enumerate(forecast.c):
        e = within(moved - c, 2**30)
        axis.error[f] += (min(abs(e), 2**24) - axis.error[f]) >> 3
        axis.at[f] = max(-32768, min(c + ((e * PLACE[f]) >> 8) - moved, 32767))
        axis.rate[f] = within(axis.rate[f] + (e * RATE[f]) // (256 * t), 2**30)
    axis.still = 0 if r or change else min(axis.still + 1, 31)
    slow = abs(axis.rate[0]) <= 3000 and abs(axis.rate[1]) <= 3000
    if axis.still > 30 or axis.still > 6 and slow:
        axis.at, axis.rate = [0, 0, 0], [0, 0, 0]
    n = 64 * min(abs(r), 4096)
    axis.wild += (n - axis.wild) >> 2
    if r == 0 and axis.wild < 4:
        axis.wild = 0
    axis.wilder += (n - axis.wilder) >> 4
    if r == 0 and axis.wilder < 16:
        axis.wilder = 0
    axis.last = (r > 0) - (r < 0)


class Packed:
    """The state of one subscription. `tracks` has the bodies in view by their slots."""

    def __init__(self):
        self.tracks = None  # none before the first full snapshot

    def read(self, data):
        """Takes one snapshot: what it was, its tick, and the ids that were removed, left and entered."""
        first = data[0] if data else None
        if first not in FULL + CHANGE:
            raise Damaged(f"the first byte is {first}")
        if first in CHANGE and self.tracks is None:
            raise Damaged("a change without the full snapshot before it")
        tracks, self.tracks = self.tracks, None  # an error leaves a reader that takes only full ones
        bits = Bits(data, 1)
        removed, left, entered = [], [], []
        if first in FULL:
            tracks = self.read_full(bits, first)
        else:
            removed, left, entered = self.read_change(bits, first, tracks)
        bits.end()
        self.tracks = tracks
        return {"full": first in FULL, "tick": self.tick, "removed": removed, "leave": left, "enter": entered}

    def bodies(self):
        """A map from each id to (x, y, angle)."""
        turn = 2 * math.pi / self.angle_steps
        return {
            track.id: (
                track.axes[0].q / self.position_steps,
                track.axes[1].q / self.position_steps,
                track.axes[2].q * turn,
            )
            for track in self.tracks.values()
        }

    def coordinate(self, number, q):
        """The coordinate of axis `number`, brought to the turn round zero if it is the angle."""
        if number == 2:
            h = self.angle_steps // 2
            q = (q + h) % self.angle_steps - h
        if abs(q) > 2**40:
            raise Damaged(f"a coordinate of {q} steps")
        return q

    def read_full(self, bits, first):
        self.tick, self.hz, self.position_steps = bits.raw(64), bits.raw_float(), bits.raw_float()
        self.angle_steps, self.velocity_steps = bits.raw(32), bits.raw_float()
        self.told = [bits.raw(32) for _ in range(3)]
        good = (
            self.tick < 2**53
            and 0.001 <= self.hz <= 1000000
            and 1 / 16 <= self.position_steps <= 65536
            and 4 <= self.angle_steps <= 1048576
            and (self.velocity_steps == 0 or 1 / 16 <= self.velocity_steps <= 65536)
            and max(self.told) <= (2**26 if self.velocity_steps else 0)
        )
        if not good:
            raise Damaged("a number of the head is out of its range")
        self.axes = 6 if self.velocity_steps else 3
        tracks = self.read_tracks(bits, first)
        self.make_models()
        learned, b = table(2), 0
        for model in models_of(self.models):
            b = bits.bit(learned[b])
            if b:
                model.fast, model.slow = bits.raw(16), bits.raw(16)
        if bits.raw(16) != MAGIC:
            raise Damaged("the end of a full snapshot is missing")
        return tracks

    def read_tracks(self, bits, first):
        number = {name: Number() for name in ("count", "slot_gap", "generation", "rate", "error", "wild", "late")}
        place, resting = [Number() for _ in range(6)], Model()
        count = bits.number(number["count"])
        if count > BODIES_MAX:
            raise Damaged(f"{count} bodies")
        tracks = {}
        for slot, track in self.read_new(bits, count, number["slot_gap"], number["generation"], place):
            tracks[slot] = track
            track.moves = not bits.bit(resting)
            if not track.moves:
                continue
            if first == 19:
                track.late = checked(bits.number(number["late"]), 0, 1024)
            for i, axis in enumerate(track.axes):
                for f in range(3 if i < 3 and self.velocity_steps else 2):
                    at = bits.raw(16)
                    axis.at[f] = at - 65536 if at > 32767 else at
                    axis.rate[f] = checked(bits.signed(number["rate"]), -(2**30), 2**30)
                    axis.error[f] = checked(bits.signed(number["error"]), 0, 2**24)
                axis.wild = checked(bits.signed(number["wild"]), 0, 262144)
                axis.wilder = checked(bits.signed(number["wild"]), 0, 262144)
                axis.still = bits.raw(5)
                axis.last = checked(bits.raw(2), 0, 2) - 1
        return tracks

    def read_new(self, bits, count, slot_gap, generation, place):
        """Yields new tracks with their slots; the caller may read on between two of them."""
        slot, before = -1, [0] * self.axes
        for _ in range(count):
            slot += bits.number(slot_gap) + 1
            upper = bits.number(generation)
            if slot >= 2**24 or upper >= 2**29 or bits.raw(1):
                raise Damaged("a body's id is out of its range")
            before = [self.coordinate(i, q + bits.signed(place[i])) for i, q in enumerate(before)]
            yield slot, Track((upper << 24) + slot, [Axis(q) for q in before])

    def make_models(self):
        self.exact_still = table(4)
        self.exact = table(12, 3, 4, 5, 4, 4)
        self.changed = table(6, 12, 25, 3)
        self.toward = table(6, 25, 4, 3)
        self.magnitude = table(6, 3, 12, 16)
        self.mantissa = table(6, 8, 4)
        self.any_gone, self.gone_is_removal, self.any_entered, self.any_woken = table(4)
        self.ticks, self.gone_count, self.gone_gap = Number(), Number(), Number()
        self.entered_count, self.slot_gap, self.generation = Number(), Number(), Number()
        self.place = [Number() for _ in range(6)]
        self.woken_count, self.woken_gap = Number(), Number()
        self.models = (
            [self.exact_still, self.exact, self.changed, self.toward, self.magnitude, self.mantissa]
            + [self.any_gone, self.gone_is_removal, self.any_entered, self.any_woken]
            + [self.ticks, self.gone_count, self.gone_gap]
            + [self.entered_count, self.slot_gap, self.generation, self.place]
            + [self.woken_count, self.woken_gap]
        )

    def read_change(self, bits, first, tracks):
        ticks = bits.number(self.ticks)
        self.tick += ticks
        t = max(1, min(ticks, 1024))
        removed, left = self.read_gone(bits, tracks)
        moving_before = set(tracks)
        entered = []
        if bits.bit(self.any_entered):
            count = bits.number(self.entered_count) + 1
            for slot, track in self.read_new(bits, count, self.slot_gap, self.generation, self.place):
                if slot in tracks:
                    raise Damaged("two bodies of one slot")
                tracks[slot] = track
                entered.append(track.id)
        if bits.bit(self.any_woken):
            self.read_woken(bits, tracks)
        history, held = 0, table(2)
        for slot in sorted(moving_before):
            track = tracks[slot]
            if track.moves:
                history = self.read_motion(bits, track, t, history, held if first == 18 else None)
        ordered = sorted(tracks.items())
        tracks.clear()
        tracks.update(ordered)
        return removed, left, entered

    def read_gone(self, bits, tracks):
        removed, left = [], []
        if bits.bit(self.any_gone):
            slots, at = sorted(tracks), 0
            for _ in range(bits.number(self.gone_count) + 1):
                at += bits.number(self.gone_gap)
                if at >= len(slots):
                    raise Damaged("a body is gone that is not there")
                track = tracks.pop(slots[at])
                (removed if bits.bit(self.gone_is_removal) else left).append(track.id)
                at += 1
        return removed, left

    def read_woken(self, bits, tracks):
        resting, at = [slot for slot in sorted(tracks) if not tracks[slot].moves], 0
        for _ in range(bits.number(self.woken_count) + 1):
            at += bits.number(self.woken_gap)
            if at >= len(resting):
                raise Damaged("a body wakes that is not there")
            track = tracks[resting[at]]
            track.moves, track.late = True, 0
            for axis in track.axes:
                axis.begin()
            at += 1

    def read_motion(self, bits, track, t, history, held):
        late = min(track.late + t, 1024)
        if held and bits.bit(held[1 if track.late else 0]):
            track.late = late
            return history
        track.late = 0
        for begin in (3, 0) if self.velocity_steps else (0,):
            history = self.read_three(bits, track, begin, late, history)
        track.moves = not all(a.still > 6 and a.rate[0] == 0 and a.wild == 0 for a in track.axes)
        return history

    def read_three(self, bits, track, begin, t, history):
        axes = track.axes[begin : begin + 3]
        forecasts = [
            Forecast(axis, t, self.told[i] if begin == 0 else 0, track.axes[(i + 3) % self.axes])
            for i, axis in enumerate(axes)
        ]
        bit = bits.bit(self.model_of_exact(axes, forecasts, history))
        r = self.read_residuals(bits, begin, axes, forecasts) if bit else [0, 0, 0]
        for i, axis in enumerate(axes):
            move_on(axis, forecasts[i], r[i], t)
            axis.q = self.coordinate(begin + i, axis.q)
        return 2 * history + bit & 3

    def model_of_exact(self, axes, forecasts, history):
        if all(a.rate[0] == 0 and f.steps == 0 and a.wild == 0 for a, f in zip(axes, forecasts)):
            return self.exact_still[history & 3]
        of_wild = size(sum(axis.wild for axis in axes))
        of_wilder = size(sum(axis.wilder for axis in axes))
        trend = 2 if of_wilder > of_wild else 1 if of_wilder == of_wild else 0
        edge = max(forecast.edge for forecast in forecasts)
        spread = max(forecast.spread for forecast in forecasts)
        ambiguity = min(sum(place != 2 for forecast in forecasts for place in forecast.place), 4)
        return self.exact[of_wild][trend][edge][ambiguity][spread][history & 3]

    def read_residuals(self, bits, begin, axes, forecasts):
        r = []
        for i, (axis, forecast) in enumerate(zip(axes, forecasts)):
            number, of_wild = begin + i, size(axis.wild)
            others = 0 if i == 0 else 2 if any(r) else 1
            sure = i == 2 and not any(r)
            if not sure and not bits.bit(self.changed[number][of_wild][forecast.places][others]):
                r.append(0)
                continue
            coarse = 0 if of_wild < 2 else 1 if of_wild < 5 else 2 if of_wild < 8 else 3
            above = forecast.above
            turn = 0 if axis.last == 0 else 1 if (axis.last > 0) == above else 2
            places = forecast.places if above else 24 - forecast.places
            side = bits.bit(self.toward[number][places][coarse][turn])
            far = bits.from_highest(self.magnitude[number][others][of_wild], self.mantissa[number], 39)
            r.append(far if bool(side) == above else -far)
        return r


def checked(value, least, most):
    if not least <= value <= most:
        raise Damaged(f"{value} is not from {least} to {most}")
    return value
