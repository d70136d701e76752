"""MessagePack-RPC by hand, in the fifty lines that it takes: python3-msgpack and a socket."""

import socket
import time

import msgpack

from patience import SECONDS_MAX

REQUEST, RESPONSE, NOTIFICATION = 0, 1, 2


class RemoteError(Exception):
    """The error that the server answered."""


class Closed(Exception):
    """The server closed the connection."""


class Client:
    def __init__(self, port, connected=None, host="127.0.0.1"):
        self.socket = connected or socket.create_connection((host, port), SECONDS_MAX)
        self.peer = (host, port)  # also after the connection's end
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.unpacker = msgpack.Unpacker(raw=False, strict_map_key=False)  # data may have integers as keys
        self.responses = {}
        self.notifications = []
        self.last_id = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()

    def request(self, method, /, **arguments):
        """Sends a request and returns its id."""
        self.last_id += 1
        self.send(msgpack.packb([REQUEST, self.last_id, method, [arguments]]))
        return self.last_id

    def call(self, method, /, **arguments):
        return self.answer(self.request(method, **arguments))

    def notify(self, method, /, **arguments):
        self.send(msgpack.packb([NOTIFICATION, method, [arguments]]))

    def send(self, data):
        self.socket.sendall(data)

    def answer(self, request_id):
        self.read_until(lambda: request_id in self.responses)
        error, result = self.responses.pop(request_id)
        if error is not None:
            raise RemoteError(error)
        return result

    def read_until(self, condition):
        """Reads messages until the condition returns a true value; returns that."""
        end = time.monotonic() + SECONDS_MAX
        while not (value := condition()):
            if time.monotonic() > end:
                raise TimeoutError(f"not seen in {SECONDS_MAX} s")
            self.read()
        return value

    def receive(self):
        return self.socket.recv(65536)

    def read(self):
        data = self.receive()
        if not data:
            raise Closed()
        self.unpacker.feed(data)
        for message in self.unpacker:
            if message[0] == RESPONSE:
                _, request_id, error, result = message
                self.responses[request_id] = (error, result)
            else:
                assert message[0] == NOTIFICATION and len(message) == 3, message
                self.notifications.append((message[1], message[2]))

    def snapshots(self):
        return [params[0] for method, params in self.notifications if method == "snapshot"]

    def events(self, kind):
        return [e for snapshot in self.snapshots() for e in snapshot["events"] if e["kind"] == kind]

    def wait_event(self, kind, *bodies):
        """The first event of this kind between these two bodies, in either order."""
        def found():
            return next((e for e in self.events(kind) if {e["a"], e["b"]} == set(bodies)), None)
        return self.read_until(found)
