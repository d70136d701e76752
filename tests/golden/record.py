"""Makes the recording that the golden tests replay: four seconds of the scene "gallery", and of players.

Usage: record.py CAROMD CAROM FILE

Make it again only when the engine's behaviour number changes, like the hashes. """

import random
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from wire import Client, RemoteError  # noqa: E402

TICKS = 240
WORLD = "golden"


def shape(random_of):
    density = random_of.uniform(0.2, 8)
    return random_of.choice([
        {"kind": "circle", "radius": random_of.uniform(0.1, 0.6), "density": density},
        {"kind": "box", "size": [random_of.uniform(0.2, 1.4), random_of.uniform(0.2, 1.4)], "density": density},
        {"kind": "capsule", "a": [-0.4, 0], "b": [0.4, 0.1], "radius": 0.2, "density": density, "friction": 0.1},
        {"kind": "polygon", "vertices": [[-0.4, -0.3], [0.5, -0.2], [0.1, 0.6]], "density": density, "restitution": 0.9},
    ])


def command(random_of, bodies):
    """Chooses a command of a player; returns it with the name of its method."""
    place = [random_of.uniform(-9, 9), random_of.uniform(1, 9)]
    push = [random_of.uniform(-6, 6), random_of.uniform(-2, 8)]
    some = random_of.choice(bodies) if bodies else 0
    other = random_of.choice(bodies) if bodies else 0
    return random_of.choice([
        ["body.spawn", {"position": place, "velocity": push, "shapes": [shape(random_of)]}],
        ["body.spawn", {"position": place, "angle": random_of.uniform(-3, 3), "bullet": True,
                        "shapes": [shape(random_of), shape(random_of)]}],
        ["body.impulse", {"body": some, "impulse": push, "point": place}],
        ["body.angular_impulse", {"body": some, "impulse": random_of.uniform(-3, 3)}],
        ["body.force", {"body": some, "force": [20 * push[0], 20 * push[1]]}],
        ["body.torque", {"body": some, "torque": random_of.uniform(-30, 30)}],
        ["body.set", {"body": some, "velocity": push, "gravity_scale": random_of.uniform(0, 1.5)}],
        ["shape.add", {"body": some, "shape": shape(random_of)}],
        ["joint.create", {"kind": "distance", "a": some, "b": other}],
        ["body.remove", {"body": some}],
        ["world.set", {"gravity": [random_of.uniform(-2, 2), random_of.uniform(-12, -8)]}],
    ])


def main():
    caromd, carom, out = sys.argv[1:]
    random_of = random.Random(20)
    bodies, taken, refused = [], {}, {}
    with Caromd(caromd) as server, Client(server.port) as client:
        client.call("hello")
        client.call("world.create", world=WORLD, scene="gallery")
        recorder = subprocess.Popen([carom, "-s", f"127.0.0.1:{server.port}", "record", WORLD, out, "--force",
                                     "--ticks", str(TICKS), "--keyframe", "2s"], stdout=subprocess.DEVNULL)
        while recorder.poll() is None:
            method, arguments = command(random_of, bodies)
            try:
                answer = client.call(method, world=WORLD, **arguments)
            except RemoteError as error:
                refused[method] = error.args[0]
                continue
            taken[method] = taken.get(method, 0) + 1
            if method == "body.spawn":
                bodies.append(answer["body"])
            if method == "body.remove":
                bodies.remove(arguments["body"])
        assert recorder.returncode == 0
        client.call("goodbye")
    print("taken", taken, "refused at least once", refused, file=sys.stderr)


if __name__ == "__main__":
    main()
