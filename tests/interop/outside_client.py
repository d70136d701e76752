"""A client of carom, written from proto/PROTOCOL.md alone, with Python and python3-msgpack.

It is an example of how to write one: connections (TCP and WebSocket), calls, and pictures of worlds
that snapshots keep up to date. It knows no method by name but those of subscriptions, so that every
method of the page can be called as it stands there:

    client = Client(Tcp("127.0.0.1", 22766))
    client.call("hello", client="example 1.0")
    seat = client.call("world.join", template="arena")
    picture = client.subscribe(seat["world"], events=["begin", "message"])
    client.until(lambda: picture.bodies)
    client.call("body.impulse", world=seat["world"], body=min(picture.bodies), impulse=[1, 0])

It has no thread: messages are read in `call` and `until`, one after another.
"""

import base64
import hashlib
import os
import socket
import struct
import time

import msgpack

from outside_packed import Packed

PATIENCE_S = 60  # every wait ends after this time
REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2


class Refused(Exception):
    """An error of the server: `code` is for programs, `text` for people."""

    def __init__(self, error):
        super().__init__(error)
        self.code, _, self.text = error.partition(": ")


class Closed(Exception):
    """The connection has ended; `closing` is the server's reason, if it gave one."""

    def __init__(self, closing=None, status=None):
        super().__init__(f"closing {closing}, close frame {status}")
        self.closing, self.status = closing, status


class Tcp:
    """Bytes over TCP. The stream has no framing of its own."""

    def __init__(self, host, port, patience_s=PATIENCE_S):
        self.patience_s = patience_s
        self.socket = socket.create_connection((host, port), timeout=patience_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.status = None

    def send(self, data):
        self.socket.sendall(data)

    def receive(self):
        """The next bytes, or none at the end of the stream."""
        return self.socket.recv(65536)

    def close(self):
        self.socket.close()


class WebSocket:
    """Bytes in binary messages over WebSocket (RFC 6455)."""

    CONTINUATION, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
    GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"  # the RFC names it

    def __init__(self, host, port, patience_s=PATIENCE_S):
        self.patience_s = patience_s
        self.socket = socket.create_connection((host, port), timeout=patience_s)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = b""
        self.status = None  # the code of the server's close frame
        self.pings = 0
        self.shake_hands(host, port)

    def shake_hands(self, host, port):
        key = base64.b64encode(os.urandom(16))
        self.socket.sendall(
            b"GET /rpc HTTP/1.1\r\nHost: %s:%d\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
            b"Sec-WebSocket-Key: %s\r\nSec-WebSocket-Version: 13\r\n"
            b"Sec-WebSocket-Protocol: carom.v1\r\n\r\n" % (host.encode(), port, key)
        )
        while b"\r\n\r\n" not in self.input:
            self.read_some()
        head, _, self.input = self.input.partition(b"\r\n\r\n")
        status, *lines = head.decode("ascii").split("\r\n")
        self.headers = {name.lower(): value.strip() for name, _, value in (l.partition(":") for l in lines)}
        accept = base64.b64encode(hashlib.sha1(key + self.GUID).digest()).decode()
        if status.split()[1] != "101" or self.headers.get("sec-websocket-accept") != accept:
            raise Closed(status)

    def read_some(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed
        self.input += data

    def take(self, count):
        while len(self.input) < count:
            self.read_some()
        taken, self.input = self.input[:count], self.input[count:]
        return taken

    def send(self, data, opcode=BINARY, first=0x80, masked=True):
        """Sends one frame; tests give `first` and `masked` to break rules."""
        length = len(data)
        head = bytes([first | opcode])
        bit = 0x80 if masked else 0
        if length < 126:
            head += bytes([bit | length])
        elif length < 65536:
            head += struct.pack(">BH", bit | 126, length)
        else:
            head += struct.pack(">BQ", bit | 127, length)
        if masked:
            mask = os.urandom(4)
            whole = int.from_bytes(data, "big") ^ int.from_bytes((mask * (length // 4 + 1))[:length], "big")
            data = mask + whole.to_bytes(length, "big")
        self.socket.sendall(head + data)

    def receive(self):
        """The content of the next binary frame, or none after a close frame."""
        while True:
            try:
                opcode, payload = self.frame()
            except Closed:
                return b""
            if opcode in (self.BINARY, self.CONTINUATION):
                return payload
            if opcode == self.PING:
                self.pings += 1
                self.send(payload, self.PONG)
            elif opcode == self.CLOSE:
                self.status = struct.unpack(">H", payload[:2])[0] if payload else 1005
                return b""

    def frame(self):
        first, second = self.take(2)
        length = second & 0x7F
        if length == 126:
            length = struct.unpack(">H", self.take(2))[0]
        elif length == 127:
            length = struct.unpack(">Q", self.take(8))[0]
        return first & 0x0F, self.take(length)

    def close(self):
        self.socket.close()


class Picture:
    """What a subscription has shown of its world so far."""

    def __init__(self, number):
        self.number = number
        self.world = self.epoch = None
        self.bodies = {}  # id: (x, y, angle, …), as in the rows of plain snapshots
        self.data = {}
        self.events = []
        self.snapshots = []  # as they came, for those who look closer
        self.tick = -1
        self.closed = None  # the notification world_closed, when it has come
        self.packed = Packed()

    def update(self, snapshot):
        """Takes a snapshot, plain or packed."""
        # Packed snapshots have bytes in `data` and the world's data in `world_data`.
        if isinstance(snapshot.get("data"), bytes):
            self.update_packed(snapshot)
            changed = snapshot.get("world_data", {})
        else:
            self.update_plain(snapshot)
            changed = snapshot.get("data", {})
        if snapshot["full"]:
            self.world, self.epoch = snapshot["world"], snapshot["epoch"]
            self.data = {}
        for key, value in changed.items():
            if value is None:
                self.data.pop(key, None)
            else:
                self.data[key] = value
        self.events += snapshot.get("events", [])
        self.snapshots.append(snapshot)

    def update_plain(self, snapshot):
        if snapshot["full"]:
            self.bodies = {}
        for id, *row in snapshot["bodies"]:
            self.bodies[id] = tuple(row)
        for id in snapshot["removed"] + snapshot.get("leave", []):
            self.bodies.pop(id, None)
        self.tick = snapshot["tick"]

    def update_packed(self, snapshot):
        snapshot.update(self.packed.read(snapshot["data"]))
        self.bodies = self.packed.bodies()
        self.tick = snapshot["tick"]

    def events_of(self, kind):
        return [event for event in self.events if event["kind"] == kind]


class Client:
    """A session: numbers requests, matches their responses, and keeps the pictures of its worlds."""

    def __init__(self, connection):
        self.connection = connection
        # The server's own keys are strings; those of other clients' data need not be.
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False, max_buffer_size=2**28)
        self.last_id = 0
        self.responses = {}  # those that nobody has asked about yet, by their requests
        self.pictures = {}
        self.others = []  # notifications of other names
        self.closing = None

    def send(self, message):
        self.connection.send(msgpack.packb(message))

    def request(self, method, **arguments):
        """Sends a request and gives its id: `answer` awaits the response."""
        self.last_id += 1
        self.send([REQUEST, self.last_id, method, [arguments]])
        return self.last_id

    def notify(self, method, **arguments):
        self.send([NOTIFICATION, method, [arguments]])

    def answer(self, id):
        """The result of a request; raises Refused if it failed."""
        self.until(lambda: id in self.responses)
        error, result = self.responses.pop(id)
        if error is not None:
            raise Refused(error)
        return result

    def call(self, method, **arguments):
        return self.answer(self.request(method, **arguments))

    def subscribe(self, world, **arguments):
        result = self.call("world.subscribe", world=world, **arguments)
        return self.picture(result["subscription"])

    def picture(self, number):
        # A snapshot may come before the response that gives its subscription's number.
        if number not in self.pictures:
            self.pictures[number] = Picture(number)
        return self.pictures[number]

    def until(self, condition):
        """Reads messages until `condition()` holds."""
        deadline = time.monotonic() + self.connection.patience_s
        while not condition():
            if time.monotonic() > deadline:
                raise TimeoutError(f"not seen in {self.connection.patience_s} s")
            self.read()

    def until_closed(self):
        """Reads until the server ends the connection, and returns why."""
        try:
            self.until(lambda: False)
        except Closed as closed:
            return closed

    def read(self):
        """Reads some bytes, and all messages that they complete."""
        data = self.connection.receive()
        if not data:
            raise Closed(self.closing, self.connection.status)
        self.unpacker.feed(data)
        for message in self.unpacker:
            self.take(message)

    def take(self, message):
        if message[0] == RESPONSE:
            _, id, error, result = message
            self.responses[id] = (error, result)
            return
        _, method, (arguments,) = message
        if method == "snapshot":
            self.picture(arguments["subscription"]).update(arguments)
        elif method == "world_closed":
            self.picture(arguments["subscription"]).closed = arguments
        elif method == "closing":
            self.closing = arguments
        else:
            self.others.append((method, arguments))

    def close(self):
        """Ends the session for good, unless it has ended already."""
        try:
            self.call("goodbye")
        except (Closed, OSError):
            pass
        self.connection.close()
