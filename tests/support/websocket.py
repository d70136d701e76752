"""WebSocket by hand (RFC 6455), so that a test can also send what no library would: a raw client that
shakes hands, frames, and reads frames back; and wire.Client over it."""

import base64
import hashlib
import os
import socket
import struct

from patience import SECONDS_MAX
from wire import Client, Closed

CONTINUE, TEXT, BINARY, CLOSE, PING, PONG = 0x0, 0x1, 0x2, 0x8, 0x9, 0xA
GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def frame(opcode, payload=b"", final=True, masked=True, reserved=0, length=None, long=0):
    """A client's frame. `length` is the declared length, if it is not the payload's; `long` (2 or 8) forces a length
    field of that many bytes."""
    size = len(payload) if length is None else length
    head = bytes([(0x80 if final else 0) | reserved << 4 | opcode])
    mask_bit = 0x80 if masked else 0
    if long == 8 or (not long and size > 0xFFFF):
        head += bytes([mask_bit | 127]) + struct.pack(">Q", size)
    elif long == 2 or size > 125:
        head += bytes([mask_bit | 126]) + struct.pack(">H", size)
    else:
        head += bytes([mask_bit | size])
    if not masked:
        return head + payload
    mask = os.urandom(4)
    return head + mask + bytes(b ^ mask[i & 3] for i, b in enumerate(payload))


class Refused(Exception):
    """The handshake was answered with another status than 101."""

    def __init__(self, code, head, body):
        super().__init__(f"{code}: {body}")
        self.code, self.head, self.body = code, head, body


def handshake(port, **headers):
    """The lines of an upgrade. Names with '_' for '-'; None leaves a line out."""
    lines = {"Host": f"127.0.0.1:{port}", "Upgrade": "websocket", "Connection": "Upgrade",
             "Sec-WebSocket-Key": base64.b64encode(b"0123456789abcdef").decode(),
             "Sec-WebSocket-Version": "13", "Sec-WebSocket-Protocol": "carom.v1"}
    lines |= {name.replace("_", "-"): value for name, value in headers.items()}
    text = "".join(f"{name}: {value}\r\n" for name, value in lines.items() if value is not None)
    return f"GET /rpc HTTP/1.1\r\n{text}\r\n".encode()


class WebSocket:
    """A connection to /rpc. Frames are (opcode, payload, final)."""

    def __init__(self, port, request=None, address=None, **headers):
        source = (address, 0) if address else None
        self.socket = socket.create_connection(("127.0.0.1", port), SECONDS_MAX, source)
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.input = b""
        self.socket.sendall(request or handshake(port, **headers))
        head = self.read_head()
        lines = head.decode().split("\r\n")
        self.head = {k.lower(): v for k, v in (line.split(": ", 1) for line in lines[1:] if line)}
        code = int(lines[0].split()[1])
        if code != 101:
            size = int(self.head.get("content-length", 0))
            body = self.read_exactly(size).decode()
            self.socket.close()
            raise Refused(code, self.head, body)
        if request is None and "Sec_WebSocket_Key" not in headers:
            key = base64.b64encode(b"0123456789abcdef").decode()
            digest = hashlib.sha1((key + GUID).encode()).digest()
            assert self.head["sec-websocket-accept"] == base64.b64encode(digest).decode()

    def read_head(self):
        while b"\r\n\r\n" not in self.input:
            self.fill()
        head, self.input = self.input.split(b"\r\n\r\n", 1)
        return head

    def fill(self):
        data = self.socket.recv(65536)
        if not data:
            raise Closed()
        self.input += data

    def read_exactly(self, size):
        while len(self.input) < size:
            self.fill()
        taken, self.input = self.input[:size], self.input[size:]
        return taken

    def send(self, *frames):
        self.socket.sendall(b"".join(frames))

    def read_frame(self):
        first, second = self.read_exactly(2)
        assert not second & 0x80, "a server's frame is not masked"
        assert not first & 0x70, "no extension was agreed on"
        size = second & 0x7F
        if size == 126:
            size, = struct.unpack(">H", self.read_exactly(2))
        elif size == 127:
            size, = struct.unpack(">Q", self.read_exactly(8))
        return first & 0x0F, self.read_exactly(size), bool(first & 0x80)

    def read_close(self):
        """Reads to the close frame and to the end after it: (code, reason)."""
        opcode = None
        while opcode != CLOSE:
            opcode, payload, _ = self.read_frame()
        try:
            while True:
                self.read_frame()
        except (Closed, ConnectionError):
            pass
        code = struct.unpack(">H", payload[:2])[0] if payload else None
        return code, payload[2:].decode()

    def close(self):
        self.socket.close()


class WebClient(Client):
    """wire.Client over a WebSocket: one frame for each message."""

    def __init__(self, port, **headers):
        self.web = WebSocket(port, **headers)
        super().__init__(port, self.web.socket)
        self.closed = None

    def send(self, data):
        self.web.send(frame(BINARY, data))

    def receive(self):
        opcode, payload, final = self.web.read_frame()
        while opcode == PING:
            self.web.send(frame(PONG, payload))
            opcode, payload, final = self.web.read_frame()
        if opcode == CLOSE:
            self.closed = (struct.unpack(">H", payload[:2])[0], payload[2:].decode())
            return b""
        assert opcode == BINARY and final, opcode
        return payload
