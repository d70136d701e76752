"""Attacks that keep the simulation threads busy: publishing, heavy ticks, steps of paused worlds."""

import math
import time

from attacks import attack, drain, pack, pump, spawn, wait, watch
from wire import Client, RemoteError

CROWD = {"kind": "circle", "radius": 5.0, "friction": 0}
STAYS = {"gravity_scale": 0, "allow_sleep": False}


def field(client, world, step):
    """Spawns 5 000 moving bodies in rows of 200."""
    spawn(client, world, ([k % 200 * step, k // 200 * step] for k in range(5000)), {"kind": "circle", "radius": 0.5},
          angular_velocity=1, **STAYS)


def heap(count, **shape):
    return [["body.spawn", {"position": [k % 3 * 0.1, 0], "shapes": [{**CROWD, **shape}], "linear_damping": 1e6, **STAYS}]
            for k in range(count)]


# ---- publishing

def watch_areas(target, until, **view):
    """Opens 20 connections of a viewer, each with 64 areas."""
    field(target.client(), target.world, 0.9 if view.get("contacts") else 1.5)
    viewers = [target.client("viewer") for _ in range(20)]
    target.begun()
    for viewer in viewers:
        for k in range(64):
            viewer.request("world.subscribe", world=target.world, area=[-1 - k / 64, -1, 700, 700], **view)
    drain(viewers, until)


@attack("1 280 areas, plain")
def areas_plain(target, until):
    watch_areas(target, until)


@attack("1 280 areas, packed")
def areas_packed(target, until):
    watch_areas(target, until, encoding="packed")


@attack("1 280 areas, describe")
def areas_describe(target, until):
    watch_areas(target, until, describe=True)


@attack("1 280 areas, contacts and stay")
def areas_contacts(target, until):
    watch_areas(target, until, contacts=True, events=["begin", "stay", "end"])


# ---- heavy ticks

def again_and_again(target, until, once):
    target.begun()
    while time.monotonic() < until:
        try:
            once()
        except RemoteError:
            time.sleep(0.01)


def heaps(target, until, count, joints=False, pause=0.5, **shape):
    """Spawns `count` bodies in one place, in a new world each time."""
    client = target.client()

    def once():
        client.call("world.create", world="heap", gravity=[0, 0])
        made = client.call("world.apply", world="heap", commands=heap(count, **shape))["results"]
        if joints:
            client.call("world.apply", world="heap", commands=[
                ["joint.create", {"kind": "distance", "a": a["body"], "b": b["body"], "collide_connected": True}]
                for a, b in zip(made, made[1:])])
        time.sleep(pause)
        client.call("world.destroy", world="heap")
    again_and_again(target, until, once)


@attack("1 000 balls in one batch")
def batch(target, until):
    heaps(target, until, 1000)


@attack("1 000 balls that rebound and are jointed")
def jointed(target, until):
    heaps(target, until, 1000, joints=True, restitution=0.9)


@attack("60 balls that rebound and are jointed")
def jointed_few(target, until):
    heaps(target, until, 60, joints=True, pause=0.05, restitution=0.9)


def shots(target, until, speed, bullet, obstacle=None):
    """Makes 1 500 bodies of a new world fast at once; `obstacle` is a body that they meet, 10 of it."""
    client = target.client()

    def once():
        client.call("world.create", world="range", gravity=[0, 0])
        for k in range(10 if obstacle else 0):
            client.call("body.spawn", world="range", type="static", position=[0, 40 + 3 * k], **obstacle)
        made = []
        for first in range(0, 1500, 500):
            made += client.call("world.apply", world="range", commands=[
                ["body.spawn", {"position": [k % 50 * 1.1 - 25, k // 50 * 1.1], "bullet": bullet, **STAYS,
                                "shapes": [{"kind": "circle", "radius": 0.5}]}] for k in range(first, first + 500)])["results"]
        time.sleep(0.1)
        for first in range(0, 1500, 500):
            client.call("world.apply", world="range", commands=[
                ["body.set", {"body": one["body"], "velocity": speed(first + k)}] for k, one in enumerate(made[first:first + 500])])
        time.sleep(0.2)
        client.call("world.destroy", world="range")
    again_and_again(target, until, once)


@attack("1 500 bullets that start at once")
def bullets(target, until):
    shots(target, until, lambda k: [900 * math.cos(2.4 * k), 900 * math.sin(2.4 * k)], bullet=True)


@attack("10 000 boxes in the way of fast bodies")
def boxes_in_the_way(target, until):
    boxes = [{"kind": "box", "size": [0.05, 0.05], "center": [k % 100 * 0.3 - 15, k // 100 * 0.3]} for k in range(1000)]
    shots(target, until, lambda k: [0, 1990], bullet=False, obstacle={"shapes": boxes})


@attack("pauses before the step of 1 000 bullets")
def pauses_of_bullets(target, until):
    client = target.client()
    bullets = [["body.spawn", {"position": [k % 40 * 1.05, k // 40 * 1.05], "velocity": [900 * math.cos(2.4 * k), 900 * math.sin(2.4 * k)],
                               "bullet": True, **STAYS, "shapes": [{"kind": "circle", "radius": 0.5}]}] for k in range(1000)]
    number = 0

    def once():
        nonlocal number
        number += 1
        world = f"paused-{number}"
        client.call("world.create", world=world, gravity=[0, 0])
        for answer in [client.request("world.apply", world=world, commands=bullets), client.request("world.pause", world=world)]:
            client.answer(answer)
        client.call("world.destroy", world=world)
    again_and_again(target, until, once)


# ---- batches that go over much

def repeated(target, until, batches):
    """Sends batches about one body of 1 020 shapes, in a new world each time."""
    client = target.client()
    plate = [{"kind": "circle", "radius": 0.1, "center": [k % 32 * 0.3, k // 32 * 0.3], "filter": {"group": -1}} for k in range(1020)]

    def once():
        client.call("world.create", world="plate", gravity=[0, 0])
        body = client.call("body.spawn", world="plate", shapes=plate, **STAYS)["body"]
        for commands in batches(body):
            try:
                client.call("world.apply", world="plate", commands=commands)
            except RemoteError:
                time.sleep(0.01)
        client.call("world.destroy", world="plate")
    again_and_again(target, until, once)


@attack("batches that move a body of 1 020 shapes")
def moves(target, until):
    repeated(target, until, lambda body: [[["body.set", {"body": body, "position": [40 * k, 0]}] for k in range(count)]
                                          for count in (600, 1000)])


@attack("batches that read a body of 1 020 shapes")
def reads(target, until):
    repeated(target, until, lambda body: [[["body.get", {"body": body}]] * count for count in (60, 1000)])


@attack("batches that wake and put to sleep")
def rests(target, until):
    """Wakes a row of 8 000 touching boxes and puts it to sleep."""
    client = target.client()
    client.call("world.create", world="row", gravity=[0, 0], paused=True)
    spawn(client, "row", ([0.99 * k, 0] for k in range(8000)), {"kind": "box", "size": [1, 1]})
    client.call("world.step", world="row", ticks=100)
    body = client.call("query.overlap", world="row", point=[0, 0])[0]
    target.begun()
    while time.monotonic() < until:
        try:
            client.call("world.apply", world="row", commands=[
                ["body.set", {"body": body, "awake": k % 2 == 0}] for k in range(1000)])
        except RemoteError:
            time.sleep(0.01)


@attack("batches of chains")
def chains(target, until):
    """Sends batches of 20 chains of 1 000 points, in a new world each time."""
    client = target.client()
    points = [[99.9 - 0.2 * k, k % 2 * 0.05] for k in range(1000)]

    def once():
        client.call("world.create", world="chains", gravity=[0, 0])
        client.call("world.apply", world="chains", commands=[
            ["body.spawn", {"type": "static", "position": [0, -k], "shapes": [{"kind": "chain", "vertices": points}]}]
            for k in range(20)])
        client.call("world.destroy", world="chains")
    again_and_again(target, until, once)


# ---- one player of a world

@attack("a player's pairs at its bound", same=True, keys=True)
def pairs_of_a_player(target, until):
    """Spawns balls in one place until pairs_per_owner refuses more; again after others were removed."""
    client = target.client("player")
    bodies = []

    def fill():
        try:
            while time.monotonic() < until:
                made = client.call("world.apply", world=target.world, commands=heap(10))["results"]
                bodies.extend(one["body"] for one in made)
        except RemoteError as error:
            if "pairs_per_owner" not in str(error):
                raise
    fill()
    target.begun()
    while time.monotonic() < until:
        client.call("body.remove", world=target.world, body=bodies.pop(0))
        fill()
        time.sleep(0.1)


# ---- worlds of 1 Hz, whose ticks are a second long

@attack("queries of a world of 1 Hz")
def slow_queries(target, until):
    """Sends queries for as long as a tick has time."""
    client = target.client()
    client.call("world.create", world="slow", gravity=[0, 0], hz=1)
    spawn(client, "slow", ([1000 + k, 10 * i] for i in range(4) for k in range(1000)))
    question = pack(1, "query.overlap", world="slow", area=[-1e5, -1e5, 1e5, 1e5]) * 400
    target.begun()
    while time.monotonic() < until:
        pump([target.client()], question, min(until, time.monotonic() + 1))


@attack("steps of a world of 1 Hz")
def slow_steps(target, until):
    """Steps a world of 4 000 moving bodies, 0.1 s a step."""
    client = target.client()
    client.call("world.create", world="slow", gravity=[0, 0], hz=1, substeps=16)
    spawn(client, "slow", ([0.9 * (k % 60), 0.9 * (k // 60)] for k in range(4000)), {"kind": "circle", "radius": 0.5},
          angular_velocity=1, **STAYS)
    target.begun()
    wait(until)


# ---- large worlds, in which one piece of work takes long

def ignoring(once):
    """Ignores the error of an answer that is too large."""
    def tried(client, world):
        try:
            once(client, world)
        except RemoteError:
            pass
    return tried


def large(target, until, once, times=10):
    """Makes 100 000 bodies that lie still; `once` gets a client and the world's name, new each time."""
    target.begun()
    count = 0
    while time.monotonic() < until:
        client = target.client()  # a new client has its own requests_per_second
        world = f"large-{count}"
        count += 1
        client.call("world.create", world=world, gravity=[0, 0], paused=True)
        spawn(client, world, ([k % 400 * 3, k // 400 * 3] for k in range(100_000)))
        for _ in range(times):
            once(client, world)
            time.sleep(0.05)
        client.call("world.destroy", world=world)
        client.socket.close()


@attack("images of 100 000 bodies")
def images(target, until):
    large(target, until, lambda client, world: client.call("world.image", world=world))


@attack("forks of 100 000 bodies")
def large_forks(target, until):
    def once(client, world):
        client.call("world.fork", world=world, **{"as": "copy"})
        client.call("world.destroy", world="copy")
    large(target, until, once)


@attack("world.state of 100 000 bodies")
def large_states(target, until):
    large(target, until, ignoring(lambda client, world: client.call("world.state", world=world)))


@attack("queries over 100 000 bodies")
def large_queries(target, until):
    """Queries whose answers exceed the limit."""
    hexagon = [[400 * math.cos(i), 400 * math.sin(i)] for i in range(6)]

    @ignoring
    def overlap(client, world):
        client.call("query.overlap", world=world, area=[-1, -1, 1e5, 1e5])

    @ignoring
    def cast(client, world):
        client.call("query.cast", world=world, shape={"kind": "polygon", "vertices": hexagon}, to=[1200, 1], all=True,
                    **{"from": [-600, 0]})

    def once(client, world):
        overlap(client, world)
        cast(client, world)
    large(target, until, once)


@attack("logs of 100 000 bodies")
def large_logs(target, until):
    large(target, until, lambda client, world: look(client, world, encoding="log"))


@attack("100 000 bodies that wake at once")
def large_wake(target, until):
    def once(client, world):
        client.call("world.resume", world=world)
        time.sleep(0.02)
        client.call("world.set", world=world, gravity=[0, -1])
        client.call("world.set", world=world, gravity=[0, 0])
    large(target, until, once, times=2)


def look(client, world, **view):
    client.call("world.unsubscribe", subscription=client.call("world.subscribe", world=world, **view)["subscription"])


@attack("snapshots of 100 000 bodies")
def large_plain(target, until):
    large(target, until, lambda client, world: look(client, world))


@attack("packed snapshots of 100 000 bodies")
def large_packed(target, until):
    large(target, until, lambda client, world: look(client, world, encoding="packed"))


@attack("descriptions of 100 000 bodies")
def large_described(target, until):
    large(target, until, lambda client, world: look(client, world, describe=True))


@attack("batches for one tick")
def batches(target, until):
    """Sends 40 batches of 1 000 bodies for one tick."""
    client = target.client()

    def once():
        at = client.call("world.info", world=target.world)["tick"] + 60
        commands = [["body.spawn", {"position": [k, 0], "shapes": [CROWD], **STAYS}] for k in range(1000)]
        numbers = [client.request("world.apply", world=target.world, at=at, commands=commands) for _ in range(40)]
        for number in numbers:
            try:
                client.answer(number)
            except RemoteError:
                pass
        client.call("world.destroy", world=target.world)
        client.call("world.create", world=target.world, gravity=[0, 0])
    again_and_again(target, until, once)


@attack("fork, step, destroy")
def forks(target, until):
    """Forks a heavy paused world, steps the fork and destroys it."""
    client = target.client()
    client.call("world.create", world="heap", gravity=[0, 0], paused=True)
    client.call("world.apply", world="heap", commands=heap(1000))
    client.call("world.step", world="heap")

    def once():
        client.call("world.fork", world="heap", **{"as": "copy"})
        client.call("world.step", world="copy")
        client.call("world.destroy", world="copy")
    again_and_again(target, until, once)


@attack("24 heavy worlds")
def heavy(target, until):
    """Makes more heavy worlds than own_threads, with 600 balls in one place in each."""
    client = target.client()
    target.begun()
    for k in range(24):
        client.call("world.create", world=f"heap-{k}", gravity=[0, 0])
        client.request("world.apply", world=f"heap-{k}", commands=heap(600))
    wait(until)


@attack("250 worlds of 1 000 Hz")
def quick(target, until):
    """Makes small worlds of so high a rate that a thread can step only a few."""
    client = target.client()
    target.begun()
    for k in range(250):
        client.call("world.create", world=f"quick-{k}", hz=1000, substeps=64)
    wait(until)


# ---- steps

def step_paused(target, until, count):
    """Calls world.step of many paused worlds at once."""
    client = target.client()
    for k in range(count):
        client.call("world.create", world=f"still-{k}", paused=True)
        client.request("world.apply", world=f"still-{k}",
                       commands=[["body.spawn", {"position": [j * 2, 0], "shapes": [CROWD], **STAYS}] for j in range(20)])
    for k in range(count):
        client.request("world.step", world=f"still-{k}", ticks=100_000)
    target.begun()
    drain([client], until)


@attack("20 paused worlds step")
def steps_20(target, until):
    step_paused(target, until, 20)


@attack("240 paused worlds step")
def steps_240(target, until):
    step_paused(target, until, 240)


@attack("worlds from images")
def image_worlds(target, until):
    """Makes worlds from images of 2 000 bodies, destroys them and makes them again."""
    client = target.client()
    client.call("world.create", world="source", gravity=[0, 0], paused=True)
    spawn(client, "source", ([k % 50 * 3, k // 50 * 3] for k in range(2000)))
    image = client.call("world.image", world="source")["image"]

    def once():
        numbers = [client.request("world.create", world=f"made-{k}", image=image) for k in range(10)]
        numbers += [client.request("world.destroy", world=f"made-{k}") for k in range(10)]
        for number in numbers:
            try:
                client.answer(number)
            except RemoteError:
                pass
    again_and_again(target, until, once)


@attack("joints that break at once")
def breaking(target, until):
    """Breaks 4 000 joints of a world at once, each time."""
    client = target.client()

    def once():
        client.call("world.create", world="chain", gravity=[0, 0], paused=True)
        for first in range(0, 4000, 1000):
            made = client.call("world.apply", world="chain", commands=[
                ["body.spawn", {"position": [(first + k) * 2, 0], "velocity": [0, 100 * (-1) ** k],
                                "shapes": [{"kind": "circle", "radius": 0.3}], **STAYS}] for k in range(1000)])["results"]
            client.call("world.apply", world="chain", commands=[
                ["joint.create", {"kind": "distance", "a": a["body"], "b": b["body"], "break_force": 1e-3}]
                for a, b in zip(made, made[1:])])
        client.call("world.resume", world="chain")
        time.sleep(0.2)
        client.call("world.destroy", world="chain")
    again_and_again(target, until, once)


@attack("questions about the past")
def past(target, until):
    """Queries a world with a heap of 5 000 bodies, each time about another tick."""
    client = target.client()
    client.call("world.create", world="past")
    client.call("body.spawn", world="past", type="static", shapes=[{"kind": "box", "size": [400, 1], "center": [0, -1]}])
    spawn(client, "past", ([k % 200 - 100, k // 200 * 1.1 + 0.5] for k in range(5000)),
          {"kind": "circle", "radius": 0.5}, allow_sleep=False)
    target.begun()
    while time.monotonic() < until:
        try:
            tick = client.call("world.info", world="past")["tick"]
            for back in (50, 10, 45, 5):
                client.call("query.overlap", world="past", area=[-1, -1, 1, 1], at=max(tick - back, 0))
        except RemoteError:
            time.sleep(0.01)


# ---- a relay, which steps what its upstream steps

def upstream_worlds(target, until, commands):
    """Makes a new world of the upstream each time, watched at the relay, where all of `commands` come at once."""
    admin, viewer = Client(target.upstream), target.client()
    target.begun()
    number = 0
    while time.monotonic() < until:
        number += 1
        world = f"heavy-{number}"
        try:
            admin.call("world.create", world=world, gravity=[0, 0])
            watch(viewer, world)
            time.sleep(0.1)
            admin.call("world.apply", world=world, commands=commands)
            time.sleep(0.6)
            admin.call("world.destroy", world=world)
        except RemoteError:
            time.sleep(0.05)


@attack("a relay's quiet worlds", relay=True)
def relay_quiet(target, until):
    upstream_worlds(target, until, heap(2))


@attack("600 balls in one place, through a relay", relay=True)
def relay_heaps(target, until):
    upstream_worlds(target, until, heap(600))


@attack("a batch of chains, through a relay", relay=True)
def relay_chains(target, until):
    chain = {"kind": "chain", "vertices": [[k * 0.2, k % 2 * 0.1] for k in range(1000)]}
    upstream_worlds(target, until, [["body.spawn", {"type": "static", "position": [0, -k], "shapes": [chain]}] for k in range(14)])
