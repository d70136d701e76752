"""A client of one world that follows its session from server to server, and the checker of its answers and snapshots."""

import select
import time

from patience import SECONDS_MAX
from wire import Client, Closed, RemoteError

BALL = {"kind": "circle", "radius": 0.5}


class Fault(AssertionError):
    """An answer or snapshot contradicts an earlier one of this or another server."""


class Expired(Exception):
    """The session was not resumed within the server's resume_ms, by the server's own words (--log debug): the machine is
    too busy, and nothing is known of the commands under way."""


class Player:
    """Spawns numbered bodies, and records the answers: the commands that took effect, and which hash was shown at
    which tick. Raises Fault if two hashes of one tick were shown, or a command was done twice or not at all although it
    was answered."""

    def __init__(self, server, world="arena"):
        self.world = world
        self.client = Client(server.port, host=server.host)
        self.say_hello()
        self.sent = {}  # id of the request: number of the body, until it is answered
        self.tries = {}  # number of the body: what became of it, for the report of a fault
        self.returned = []  # numbers of bodies that the server sent elsewhere, without making them
        self.answered = set()
        self.unknown = set()  # numbers of bodies that may have been made: their session ended before the answer
        self.moved = False  # the world is at another server now
        self.unlogged = False  # the server said that it ends the subscription, as the world's log cannot be written
        self.shown, self.places = {}, {}  # by tick: its hash, and the address of the server that showed it
        self.number = 0

    def say_hello(self):
        told = self.client.call("hello", protocol=1, client="player")
        self.session, self.secret = told["session"], told["resume"]

    def subscribe(self):
        self.client.call("world.subscribe", world=self.world, rate=60)

    def take(self):
        """Records the received messages."""
        client = self.client
        for request in [one for one in self.sent if one in client.responses]:
            error, _ = client.responses.pop(request)
            self.tries[self.sent[request]].append(f"answered {error or 'ok'}")
            if error is None:
                self.answered.add(self.sent.pop(request))
            elif error.startswith("moved: "):
                self.returned.append(self.sent.pop(request))
            else:
                if not error.startswith("unavailable: "):  # it may have been applied
                    raise Fault(error)
        self.check_shown(client)
        self.unlogged = self.unlogged or any(kind == "world_closed" and one[0]["code"] == "unavailable"
                                             for kind, one in client.notifications)
        self.moved = self.moved or bool(self.returned) or any(kind == "moved" for kind, _ in client.notifications)
        client.notifications.clear()

    def check_shown(self, client):
        """Compares the snapshots that a client has got with all that were shown before."""
        for snapshot in client.snapshots():
            tick, shown = snapshot["tick"], snapshot["hash"]
            where = client.peer
            if self.shown.setdefault(tick, shown) != shown:
                raise Fault(f"two histories at tick {tick}: {self.places.get(tick)} showed {self.shown[tick]}, {where} {shown}")
            self.places.setdefault(tick, where)

    def play(self, seconds):
        """Spawns bodies, 60 a second, without waiting for answers, and reads; raises when the connection ends."""
        end = due = time.monotonic()
        end += seconds
        while time.monotonic() < end:
            if len(self.sent) < 8 and time.monotonic() >= due:
                due = max(due + 1 / 60, time.monotonic() - 0.1)
                self.spawn(self.number)
                self.number += 1
            if select.select([self.client.socket], [], [], 0.005)[0]:
                self.client.read()
            self.take()

    def spawn(self, number):
        request = self.client.request("body.spawn", **self.body(number))
        self.sent[request] = number
        self.tries.setdefault(number, []).append(f"request {request} to port {self.client.peer[1]}")

    def body(self, number):
        return {"world": self.world, "type": "static", "position": [float(number), 0.0], "shapes": [BALL]}

    def spawn_by(self, client):
        """Spawns the next body by another client, and counts it as answered; raises what that client's call raises."""
        client.call("body.spawn", **self.body(self.number))
        self.tries[self.number] = [f"answered ok by port {client.peer[1]} to another client"]
        self.answered.add(self.number)
        self.number += 1

    def drain(self):
        """Reads everything that the killed server sent, up to its report that the world has moved, if there is one."""
        try:
            while not self.moved:
                self.client.read()
                self.take()
        except (Closed, OSError):
            self.take()
        self.client.__exit__()

    def resume(self, servers):
        """Goes on at the server that serves the world, sends again what was lost there, and returns when a tick was shown.
        `servers`: those to ask, or a function that returns them, called for each round."""
        end = time.monotonic() + SECONDS_MAX
        while True:
            asked = servers() if callable(servers) else servers
            if any(self.asks(server) for server in asked):
                return
            self.check_expired(asked)
            if time.monotonic() > end:
                raise Fault("no server has the session")
            time.sleep(0.002)

    def asks(self, server):
        """Whether the server has the session and shows the world. Else it had the world before, and keeps the session for
        some time; or it does not have it yet."""
        client = Client(server.port, host=server.host)
        try:
            again = client.call("hello", protocol=1, client="player", resume=self.secret)
            watches = any(one["world"] == self.world for one in again["subscriptions"])
            if self.unlogged and not watches:  # what this answer says of requests is older than the world here
                client.call("world.subscribe", world=self.world, rate=60)
                self.unlogged = False
            if watches and self.is_shown(client):
                self.go_on(client, again)
                return True
        except (RemoteError, Closed, OSError):
            pass
        client.__exit__()
        return False

    def is_shown(self, client):
        """Whether the server shows a tick that is new; False: it says that the world has left, or says nothing for long."""
        before = max(self.shown, default=0)
        while not any(kind in ("moved", "world_closed") for kind, _ in client.notifications):
            if any(snapshot["tick"] > before for snapshot in client.snapshots()):
                return True
            if not select.select([client.socket], [], [], 10)[0]:
                break
            client.read()
        self.check_shown(client)
        return False

    def go_on(self, client, again):
        last = again["applied"].get(self.world, {"last": 0})["last"]
        client.last_id = max(last, self.client.last_id)  # ids of requests that came back are not used again
        self.client, self.secret = client, again["resume"]
        lost = self.returned + [number for request, number in sorted(self.sent.items()) if request > last]
        self.returned, self.moved, self.unlogged = [], False, False
        self.answered.update(number for request, number in self.sent.items() if request <= last)
        for number in self.sent.values():
            self.tries[number].append(f"port {client.peer[1]} applied up to {last}, {again['pending']} are pending")
        self.sent.clear()
        for number in lost:
            self.spawn(number)
        self.take()

    def check_expired(self, servers):
        """Raises Expired if the server that has the world says that the session was not resumed in time."""
        for server in servers:
            serves, expired = False, None
            for line in list(server.log):
                if f"world '{self.world}' continues at tick" in line:
                    serves, expired = True, None
                elif f"world '{self.world}' of this server is " in line:
                    serves = False
                elif serves and f"session {self.session} was not resumed within" in line:
                    expired = line.strip()
            if serves and expired:
                raise Expired(f"server {server.node}: {expired}")

    def begin_again(self, server):
        """A new session at that server, after the former one ended. Whether the unanswered commands took effect stays unknown."""
        self.client = Client(server.port, host=server.host)
        self.unknown.update(self.sent.values(), self.returned)
        self.sent, self.returned, self.moved = {}, [], False
        self.say_hello()
        self.subscribe()

    def check_bodies(self):
        """The numbers of the world's bodies: those of all answered commands, and none twice."""
        state = self.client.call("world.state", world=self.world)
        there = sorted(round(body["position"][0]) for body in state["bodies"])
        lost = sorted(self.answered - set(there))
        if lost:
            raise Fault(f"{len(lost)} commands that were answered are lost, the first is number {lost[0]}: {self.tries[lost[0]]}")
        twice = [one for one, next_one in zip(there, there[1:]) if one == next_one]
        if twice:
            raise Fault(f"{len(twice)} commands were done twice, the first is number {twice[0]}: {self.tries[twice[0]]}")
        return there

    def finish(self):
        """Waits for all answers, and compares with the world: each command that was answered was done once, and all of the
        others at most once."""
        while self.sent:
            self.client.read()
            self.take()
        there = self.check_bodies()
        if set(range(self.number)) - set(there) - self.unknown or there[-1:] > [self.number - 1]:
            raise Fault("the world has not the bodies that were spawned")
