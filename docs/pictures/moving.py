#!/usr/bin/env python3
"""Draws the first seconds of a scene as an SVG that moves, which README.md shows.

    docs/pictures/moving.py CAROMD CAROM [SCENE] > docs/pictures/demo.svg

A server of its own steps the world, and `carom call world.state` reads it at each key frame; browsers draw what lies
between. The engine gives the same bits everywhere, so that a second run prints the same file. Python's standard
library is enough.
"""

import json
import math
import pathlib
import re
import signal
import subprocess
import sys

SCENES = pathlib.Path(__file__).resolve().parents[2] / "proto/scenes"
FRAMES = 72
TICKS_A_FRAME = 6  # steps between two frames, at 60 a second
BEGIN_TICKS = 120  # before the first frame: bodies have fallen into view
WIDTH = 640
FADE = 0.04  # share of the loop that fades, at both ends
GROUND, FIXED, STROKE = "#0d1322", "#5f6b8a", "#0d1322"
COLOURS = ("#ff9f5a", "#4cc9f0", "#7bd88f", "#b794f6", "#ffd166")
BYTES_MAX = 300_000


class Server:
    """A caromd with one paused world, and calls to it."""

    def __init__(self, caromd, carom, scene):
        self.carom = carom
        self.process = subprocess.Popen([caromd, "--listen", "127.0.0.1:0", "--http", "off"], stderr=subprocess.PIPE, text=True,
                                        stdin=subprocess.DEVNULL)
        for line in self.process.stderr:
            if found := re.search(r"listening on (127\.0\.0\.1:\d+)", line):
                self.address = found[1]
                break
        else:
            raise SystemExit("caromd did not start")
        self.call("world.create", world="w", scene=scene, hz=60, paused=True)

    def call(self, method, **arguments):
        words = [self.carom, "--server", self.address, "--json", "call", method, json.dumps(arguments)]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True, stdin=subprocess.DEVNULL).stdout)

    def frames(self):
        """The list of bodies at each key frame."""
        self.call("world.step", world="w", ticks=BEGIN_TICKS)
        for _ in range(FRAMES):
            yield self.call("world.state", world="w")["bodies"]
            self.call("world.step", world="w", ticks=TICKS_A_FRAME)

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()
        self.process.stderr.close()


def number(value):
    return f"{value:.2f}".rstrip("0").rstrip(".").replace("-0.", "-.").removeprefix("0") or "0"


def path(points, closed=True):
    return "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + ("z" if closed else "")


def form(shape):
    """SVG of a shape in the frame of its body, y upwards."""
    kind, r = shape["kind"], shape.get("radius", 0)
    if kind == "circle":
        x, y = shape.get("center", (0, 0))
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(r)}"/><path d="{path([(x, y), (x + r, y)], False)}"/>'
    if kind == "capsule":
        ends = path([shape["a"], shape["b"]], False)
        return f'<path d="{ends}" stroke="currentColor" stroke-width="{number(2 * r)}" stroke-linecap="round"/>'
    if kind in ("segment", "chain"):
        points = shape["vertices"] if kind == "chain" else [shape["a"], shape["b"]]
        return f'<path d="{path(points, shape.get("loop", False))}" fill="none" stroke="currentColor" stroke-width=".1"/>'
    if kind == "box":
        (w, h), (x, y), a = shape["size"], shape.get("center", (0, 0)), shape.get("angle", 0)
        c, s = math.cos(a), math.sin(a)
        corners = [(w / 2, h / 2), (-w / 2, h / 2), (-w / 2, -h / 2), (w / 2, -h / 2)]
        return f'<path d="{path([(x + c * p - s * q, y + s * p + c * q) for p, q in corners])}"/>'
    return f'<path d="{path(shape["vertices"])}"/>'


def unwrapped(angles):
    """Angles without jumps by a turn, in degrees."""
    out = [angles[0]]
    for angle in angles[1:]:
        out.append(angle + math.tau * round((out[-1] - angle) / math.tau))
    return [math.degrees(angle) for angle in out]


def animation(kind, values, digits):
    values = [" ".join(f"{v:.{digits}f}" for v in value) for value in values]
    if len(set(values)) == 1:
        return "", f"{'translate' if kind == 'translate' else 'rotate'}({values[0]})"
    times = f'dur="{number(FRAMES * TICKS_A_FRAME / 60)}s" repeatCount="indefinite"'
    return f'<animateTransform attributeName="transform" type="{kind}" values="{";".join(values)}" {times}/>', ""


def drawn(body, track):
    """A body's shapes, which move along its track of (x, y, angle)."""
    colour = FIXED if body["type"] != "dynamic" else COLOURS[body["body"] % len(COLOURS)]
    move, place = animation("translate", [(x, y) for x, y, _ in track], 2)
    turn, angle = animation("rotate", [(a,) for a in unwrapped([a for _, _, a in track])], 0 if body["type"] == "dynamic" else 1)
    shapes = "".join(map(form, body["shapes"]))
    outer = f' transform="{place}"' if place else ""
    inner = f' transform="{angle}"' if angle else ""
    return f'<g{outer}>{move}<g{inner} fill="{colour}" color="{colour}">{turn}{shapes}</g></g>'


def picture(frames, area):
    x0, y0, x1, y1 = area
    scale = WIDTH / (x1 - x0)
    height = round((y1 - y0) * scale)
    tracks = {}
    for frame in frames:
        for body in frame:
            tracks.setdefault(body["body"], []).append((*body["position"], body["angle"]))
    bodies = [drawn(body, tracks[body["body"]]) for body in frames[0] if len(tracks[body["body"]]) == len(frames)]
    veil = (f'<rect width="100%" height="100%" fill="{GROUND}" opacity="0"><animate attributeName="opacity" values="1;0;0;1" '
            f'keyTimes="0;{FADE};{1 - FADE};1" dur="{number(FRAMES * TICKS_A_FRAME / 60)}s" repeatCount="indefinite"/></rect>')
    world = (f'<g transform="scale({scale:.4f} {-scale:.4f}) translate({number(-x0)} {number(-y1)})" stroke="{STROKE}" '
             f'stroke-width="{number(1 / scale)}">{chr(10).join(bodies)}</g>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}">'
            f'<rect width="100%" height="100%" rx="10" fill="{GROUND}"/>\n{world}\n{veil}</svg>\n')


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    caromd, carom, scene = sys.argv[1], sys.argv[2], (sys.argv[3:] or ["demo"])[0]
    server = Server(caromd, carom, scene)
    try:
        text = picture(list(server.frames()), json.loads((SCENES / f"{scene}.json").read_text(encoding="utf-8"))["view"])
    finally:
        server.end()
    if len(text) > BYTES_MAX:
        sys.exit(f"the picture has {len(text)} bytes, at most {BYTES_MAX} are wanted: fewer frames or bodies")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
