#!/usr/bin/python3
"""Draws a world as it is now into an SVG: bodies by their type, contacts as points.

    picture.py [HOST:PORT] [WORLD] > world.svg          (the world `demo` of 127.0.0.1:22766 by default)

Needs python3-msgpack and nothing of carom: the world's own words, over the wire.
"""
import math
import socket
import sys

import msgpack

COLOURS = {"static": "#64748b", "kinematic": "#0d9488", "dynamic": "#f59e0b"}
ASLEEP = "#cbd5e1"
WIDTH = 720  # pixels


class Server:
    def __init__(self, host, port):
        self.socket = socket.create_connection((host, port), timeout=10)
        self.unpacker = msgpack.Unpacker(self.socket.makefile("rb", buffering=0), raw=False)
        self.id = 0

    def call(self, method, **arguments):
        self.id += 1
        self.socket.sendall(msgpack.packb([0, self.id, method, [arguments]]))
        for message in self.unpacker:
            if message[0] == 1 and message[1] == self.id:
                if message[2]:
                    raise SystemExit(message[2])
                return message[3]
        raise SystemExit("the server closed the connection")


def outlines(shape):
    """Polylines around the shape in the body's frame, each with whether it is closed."""
    kind, r = shape["kind"], shape.get("radius", 0)
    if kind == "circle":
        x, y = shape.get("center", (0, 0))
        arc = [(x + r * math.cos(a / 24 * math.tau), y + r * math.sin(a / 24 * math.tau))
               for a in range(24)]
        return [(arc, True), ([(x, y), (x + r, y)], False)]
    if kind == "capsule":
        (ax, ay), (bx, by) = shape["a"], shape["b"]
        angle = math.atan2(by - ay, bx - ax)
        side = [math.pi / 2 + angle + math.pi * i / 10 for i in range(11)]
        return [([(ax + r * math.cos(t), ay + r * math.sin(t)) for t in side]
                 + [(bx - r * math.cos(t), by - r * math.sin(t)) for t in side], True)]
    if kind == "segment":
        return [([shape["a"], shape["b"]], False)]
    if kind == "chain":
        return [(shape["vertices"], shape.get("loop", False))]
    if kind == "box":
        (w, h), (x, y), a = shape["size"], shape.get("center", (0, 0)), shape.get("angle", 0)
        c, s = math.cos(a), math.sin(a)
        corners = [(w / 2, h / 2), (-w / 2, h / 2), (-w / 2, -h / 2), (w / 2, -h / 2)]
        return [([(x + c * p - s * q, y + s * p + c * q) for p, q in corners], True)]
    return [(shape["vertices"], True)]


def placed(body):
    """The body's outlines in the world."""
    (x, y), c, s = body["position"], math.cos(body["angle"]), math.sin(body["angle"])
    for shape in body["shapes"]:
        for points, closed in outlines(shape):
            yield [(x + c * p - s * q, y + s * p + c * q) for p, q in points], closed


def draw(state, contacts):
    shapes = [(body, points, closed) for body in state["bodies"] for points, closed in placed(body)]
    xs = [p[0] for _, points, _ in shapes for p in points] or [0, 1]
    ys = [p[1] for _, points, _ in shapes for p in points] or [0, 1]
    scale = WIDTH / (max(xs) - min(xs) or 1)
    height = round((max(ys) - min(ys)) * scale)

    def pixel(p):
        return f"{(p[0] - min(xs)) * scale:.1f},{(max(ys) - p[1]) * scale:.1f}"

    print(f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="-6 -6 {WIDTH + 12} {height + 12}" '
          f'width="{WIDTH + 12}" height="{height + 12}">')
    print('<rect x="-6" y="-6" width="100%" height="100%" fill="#0f172a"/>')
    for body, points, closed in shapes:
        colour = COLOURS[body["type"]]
        if body["type"] == "dynamic" and not body["awake"]:
            colour = ASLEEP
        tag = "polygon" if closed else "polyline"
        fill = f'{colour}" fill-opacity="0.25' if closed else "none"
        print(f'<{tag} points="{" ".join(map(pixel, points))}" fill="{fill}" '
              f'stroke="{colour}" stroke-width="1.2"/>')
    for contact in contacts:
        for point in contact["points"]:
            x, y = pixel(point["point"]).split(",")
            print(f'<circle cx="{x}" cy="{y}" r="2" fill="#f43f5e"/>')
    print("</svg>")


def main():
    arguments = sys.argv[1:]
    address = arguments.pop(0) if arguments and ":" in arguments[0] else "127.0.0.1:22766"
    world = arguments.pop(0) if arguments else "demo"
    host, _, port = address.rpartition(":")
    if arguments or not port.isdigit() or world.startswith("-"):
        sys.exit(__doc__)
    try:
        server = Server(host.strip("[]"), int(port))
    except (OSError, OverflowError) as error:
        sys.exit(f"{address}: {error}")
    draw(server.call("world.state", world=world),
         server.call("world.contacts", world=world)["contacts"])


if __name__ == "__main__":
    main()
