#!/usr/bin/env python3
"""The protocol over WebSocket: it behaves like TCP, and a client that breaks WebSocket's rules is closed with the right
code, counted, and without effect on others. The rules are those of RFC 6455; the numbers in docstrings are the cases of
the Autobahn test suite that a test stands for, and server/http/README.md has the table of them. Called with the path of
caromd."""

import os
import socket
import struct
import sys
import tempfile
import time
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX, eventually  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from websocket import (BINARY, CLOSE, CONTINUE, PING, PONG, TEXT, Refused, WebClient,  # noqa: E402
                       WebSocket, frame, handshake)
from wire import NOTIFICATION, REQUEST, Client, Closed, RemoteError  # noqa: E402

CAROMD = os.path.abspath(sys.argv[1])
BALL = {"kind": "circle", "radius": 0.5}
NORMAL, GOING_AWAY, PROTOCOL, UNSUPPORTED, BAD_DATA, POLICY, TOO_BIG = (1000, 1001, 1002, 1003, 1007, 1008,
                                                                       1009)


def ping(number=1, **arguments):
    return msgpack.packb([REQUEST, number, "ping", [arguments]])


class SocketTest(unittest.TestCase):
    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD, "--threads", "1", *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def open(self, **headers):
        opened = WebSocket(self.server.http_port, **headers)
        self.addCleanup(opened.close)
        return opened

    def client(self, **headers):
        client = WebClient(self.server.http_port, **headers)
        self.addCleanup(client.__exit__)
        return client

    def counter(self, name):
        with Client(self.server.port) as client:
            return client.call("server.stats")["counters"][name]

    def answered(self, web, number):
        opcode, payload, final = web.read_frame()
        self.assertEqual((opcode, final), (BINARY, True))
        message = msgpack.unpackb(payload)
        self.assertEqual(message[:3], [1, number, None])

    def refused(self, code, *frames, web=None, prepare=lambda web: None):
        """These frames, sent after `prepare`, end a connection with that code, and it is counted; returns the reason."""
        before = self.counter("websockets_refused")
        web = web or self.open()
        prepare(web)
        web.send(*frames)
        seen, reason = web.read_close()
        self.assertEqual(seen, code, reason)
        self.assertEqual(self.counter("websockets_refused"), before + 1)
        return reason


class Protocol(SocketTest):
    """As over TCP."""

    def test_sub_protocol_is_taken_if_offered(self):
        self.assertEqual(self.open().head["sec-websocket-protocol"], "carom.v1")
        self.assertNotIn("sec-websocket-protocol", self.open(Sec_WebSocket_Protocol=None).head)
        self.assertNotIn("sec-websocket-protocol", self.open(Sec_WebSocket_Protocol="chat").head)
        self.assertEqual(self.open(Sec_WebSocket_Protocol="chat, carom.v1").head["sec-websocket-protocol"],
                         "carom.v1")

    def test_calls_and_snapshots(self):
        client = self.client()
        self.assertEqual(client.call("hello")["role"], "admin")
        client.call("world.create", world="moves")
        body = client.call("body.spawn", world="moves", shapes=[BALL])["body"]
        client.call("world.subscribe", world="moves")
        client.read_until(lambda: len(client.snapshots()) > 5)
        self.assertIn(body, [row[0] for snapshot in client.snapshots() for row in snapshot["bodies"]])
        client.call("world.destroy", world="moves")

    def test_tcp_and_websocket_see_one_world(self):
        one, other = self.client(), Client(self.server.port)
        self.addCleanup(other.__exit__)
        one.call("world.create", world="shared", paused=True)
        body = other.call("body.spawn", world="shared", shapes=[BALL])["body"]
        self.assertEqual(one.call("body.get", world="shared", body=body)["body"], body)
        one.call("world.destroy", world="shared")

    def test_large_answers_and_large_requests(self):
        """1.2.1 to 1.2.8: lengths around those at which the head changes, and one of half a mebibyte."""
        client = self.client()
        for size in (0, 1, *range(90, 130), 256, 4096, 65000):
            with self.subTest(size):
                self.assertEqual(client.call("ping", any=b"x" * size)["any"], b"x" * size)
        client.call("world.create", world="large", paused=True)
        spawns = [["body.spawn", {"shapes": [BALL] * 8, "tag": "x" * 60, "position": [2 * i, 0]}]
                  for i in range(1000)]
        applied = client.call("world.apply", world="large", commands=spawns)
        bodies = client.call("world.state", world="large")["bodies"]
        self.assertEqual([b["body"] for b in bodies], [r["body"] for r in applied["results"]])
        client.call("world.destroy", world="large")

    def test_several_messages_in_one(self):
        web = self.open()
        web.send(frame(BINARY, ping(1) + ping(2) + ping(3)))
        for number in (1, 2, 3):
            self.answered(web, number)

    def test_message_in_pieces(self):
        """1.2.8, 5.3 to 5.8: fragments, with a ping between them, and byte by byte."""
        web = self.open()
        message = ping(7)
        pieces = [frame(BINARY, message[:3], final=False), frame(PING, b"between"),
                  frame(CONTINUE, message[3:5], final=False), frame(CONTINUE, b"", final=False),
                  frame(CONTINUE, message[5:])]
        for byte in b"".join(pieces):
            web.send(bytes([byte]))
        self.assertEqual(web.read_frame(), (PONG, b"between", True))
        self.answered(web, 7)

    def test_message_cut_by_a_frame_is_told(self):
        web = self.open()
        web.send(frame(BINARY, ping(1)[:4]))
        code, reason = web.read_close()
        self.assertEqual(code, BAD_DATA)
        self.assertIn("whole messages", reason)

    def test_message_cut_behind_waiting_ones_is_told(self):
        with Caromd(CAROMD, "--limit", "commands_per_connection=1") as server:
            web = WebSocket(server.http_port)
            create = msgpack.packb([REQUEST, 1, "world.create", [{"world": "w"}]])
            info = msgpack.packb([REQUEST, 2, "world.info", [{"world": "w"}]])
            web.send(frame(BINARY, create + info), frame(BINARY, info + info[:5]), frame(BINARY, info[5:]))
            self.assertEqual(web.read_close()[0], BAD_DATA)
            web.close()

    def test_broken_message_is_answered_then_closed(self):
        web = self.open()
        web.send(frame(BINARY, b"\xc1"))
        opcode, payload, _ = web.read_frame()
        self.assertEqual(opcode, BINARY)
        kind, method, [arguments] = msgpack.unpackb(payload)
        self.assertEqual((kind, method, arguments["code"]), (NOTIFICATION, "closing", "invalid_argument"))
        code, reason = web.read_close()
        self.assertEqual(code, BAD_DATA)
        self.assertTrue(reason.startswith("invalid_argument: "), reason)

    def test_session_resumes_from_tcp_and_back(self):
        first = self.client()
        hello = first.call("hello")
        first.call("world.create", world="kept", paused=True, lifetime="session")
        first.web.close()
        with Client(self.server.port) as second:
            again = second.call("hello", resume=hello["resume"])
            self.assertEqual(again["session"], hello["session"])
        third = self.client()
        self.assertEqual(third.call("hello", resume=again["resume"])["session"], hello["session"])
        self.assertEqual(third.call("world.info", world="kept")["world"], "kept")
        third.call("world.destroy", world="kept")

    def test_connection_is_known_by_its_session(self):
        client = self.client()
        session = client.call("hello", client="web")["session"]
        listed = client.call("server.sessions")["sessions"]
        self.assertIn(session, [one["session"] for one in listed])

    def test_kick_says_why(self):
        client = self.client()
        session = client.call("hello")["session"]
        with Client(self.server.port) as admin:
            admin.call("server.kick", session=session)
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        self.assertEqual(client.closed[0], POLICY)
        self.assertEqual(client.notifications[-1][0], "closing")

    def test_long_reason_is_cut_at_a_character(self):
        for pad in range(4):
            client = self.client()
            session = client.call("hello")["session"]
            reason = "x" * pad + "𝄞" * 31
            with Client(self.server.port) as admin:
                admin.call("server.kick", session=session, reason=reason)
            with self.assertRaises(Closed):
                client.read_until(lambda: False)
            said = client.closed[1]
            self.assertGreater(len(said.encode()), 119)
            self.assertTrue(client.notifications[-1][1][0]["reason"].startswith(said.split(": ", 1)[1]))


class Sizes(SocketTest):
    """Messages in many pieces, and many messages at once; the largest is message_bytes, 1 MiB."""

    @staticmethod
    def message(payload):
        """Pings that contain these bytes together, in values below the limit of one value."""
        return b"".join(ping(1, any=payload[at:at + 32000]) for at in range(0, max(1, len(payload)), 32000))

    def answer(self, web, payload):
        """The answers to these pings."""
        for at in range(0, max(1, len(payload)), 32000):
            opcode, message, final = web.read_frame()
            self.assertEqual((opcode, final), (BINARY, True))
            _, _, error, result = msgpack.unpackb(message)
            self.assertIsNone(error)
            self.assertEqual(result["any"], payload[at:at + 32000])

    def test_lengths_of_16_bits_end(self):
        """1.2.6, 1.2.7: messages of 65534 to 65537 bytes."""
        web = self.open()
        overhead = len(self.message(b"x" * 65000)) - 65000
        for size in range(65534 - overhead, 65538):
            web.send(frame(BINARY, self.message(b"x" * size)))
            self.answer(web, b"x" * size)

    def test_large_messages_whole_and_in_fragments(self):
        """9.2.1 to 9.2.3, 9.4, 10.1.1"""
        web = self.open()
        for size, parts in ((65536, (1300,)), (262144, (512, 4096, 65536)), (1000000, (1024, 16384, 1000000))):
            payload = os.urandom(size)
            message = self.message(payload)
            for part in parts:
                with self.subTest(size=size, part=part):
                    pieces = [message[at:at + part] for at in range(0, len(message), part)]
                    web.send(*[frame(BINARY if at == 0 else CONTINUE, piece, final=at == len(pieces) - 1)
                               for at, piece in enumerate(pieces)])
                    self.answer(web, payload)

    def test_large_message_in_small_writes(self):
        """9.6: written 64, 512 and 2048 bytes at a time."""
        web = self.open()
        payload = os.urandom(100000)
        whole = frame(BINARY, self.message(payload))
        for size in (64, 512, 2048):
            for at in range(0, len(whole), size):
                web.send(whole[at:at + size])
            self.answer(web, payload)

    def test_a_thousand_messages_one_after_another(self):
        """9.8: sizes 0, 16, 64, 256, 1024."""
        web = self.open()
        for i in range(1000):
            payload = b"x" * (0, 16, 64, 256, 1024)[i % 5]
            web.send(frame(BINARY, self.message(payload)))
            self.answer(web, payload)

    def test_compression_is_not_agreed_to(self):
        """12, 13: a client that offers it is answered without it, and frames with its bit are refused."""
        web = self.open(Sec_WebSocket_Extensions="permessage-deflate; client_max_window_bits")
        self.assertNotIn("sec-websocket-extensions", web.head)
        web.send(frame(BINARY, ping(1)))
        self.answered(web, 1)
        self.refused(PROTOCOL, frame(BINARY, ping(), reserved=4), web=web)


class Ends(SocketTest):
    def test_close_is_answered_with_its_code(self):
        """7.1.1, 7.3.1 to 7.3.5, 7.7: every allowed code, with and without a reason."""
        for code in (1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 3000, 3999, 4000, 4999):
            for reason in (b"", b"bye", "Grüße ☃ 𝄞".encode(), b"x" * 123):
                with self.subTest(code=code, reason=reason):
                    web = self.open()
                    web.send(frame(CLOSE, struct.pack(">H", code) + reason))
                    self.assertEqual(web.read_close(), (code, ""))

    def test_close_without_code(self):
        web = self.open()
        web.send(frame(CLOSE))
        self.assertEqual(web.read_close(), (None, ""))

    def test_what_was_asked_before_is_answered(self):
        web = self.open()
        web.send(frame(BINARY, ping(1) + ping(2)), frame(CLOSE, struct.pack(">H", 1000)))
        self.answered(web, 1)
        self.answered(web, 2)
        self.assertEqual(web.read_close(), (NORMAL, ""))

    def test_nothing_counts_after_close(self):
        """7.1.2 to 7.1.6"""
        web = self.open()
        web.send(frame(CLOSE, struct.pack(">H", 1000)), frame(PING, b"late"), frame(BINARY, ping(9)),
                 frame(TEXT, b"x"), frame(CLOSE, b"\xff"))
        self.assertEqual(web.read_frame()[0], CLOSE)
        with self.assertRaises((Closed, ConnectionError)):
            web.read_frame()

    def test_close_codes_that_are_not_allowed(self):
        """7.9.1 to 7.9.9"""
        for code in (0, 999, 1004, 1005, 1006, 1015, 1016, 1100, 2000, 2999, 5000, 65535):
            with self.subTest(code):
                self.refused(PROTOCOL, frame(CLOSE, struct.pack(">H", code)))

    def test_close_of_one_byte(self):
        """7.3.2"""
        self.refused(PROTOCOL, frame(CLOSE, b"\x03"))

    def test_close_reason_that_is_not_utf8(self):
        """7.5.1, and each kind of invalid UTF-8 (6.*)."""
        for reason in (b"\xce\xba\xe1\xbd\xb9\xcf\x83\xce\xbc\xce\xb5\xed\xa0\x80edited", b"\x80", b"\xff",
                       b"\xc0\xaf", b"\xe0\x80\xaf", b"\xf0\x80\x80\xaf", b"\xf4\x90\x80\x80", b"\xe2\x98"):
            with self.subTest(reason):
                self.refused(BAD_DATA, frame(CLOSE, struct.pack(">H", 1000) + reason))

    def test_shutdown_is_going_away(self):
        server = Caromd(CAROMD)
        client = WebClient(server.http_port)
        client.call("hello")
        server.process.terminate()
        with self.assertRaises(Closed):
            client.read_until(lambda: False)
        self.assertEqual(client.closed[0], GOING_AWAY)
        client.__exit__()
        self.assertEqual(server.process.wait(SECONDS_MAX), 0)
        server.process.stderr.close()

    def test_lost_connection_is_no_end(self):
        client = self.client()
        hello = client.call("hello")
        client.socket.close()
        self.assertEqual(self.client().call("hello", resume=hello["resume"])["session"], hello["session"])


class Frames(SocketTest):
    """Those that are refused."""

    def test_text_frame(self):
        """1.1, 6"""
        self.assertIn("binary", self.refused(UNSUPPORTED, frame(TEXT, b"[0,1,\"ping\",[]]")))

    def test_unmasked_frame(self):
        self.assertIn("masked", self.refused(PROTOCOL, frame(BINARY, ping(), masked=False)))

    def test_reserved_bits(self):
        """3.1 to 3.7"""
        for bits in range(1, 8):
            for opcode in (BINARY, PING, CLOSE):
                with self.subTest(bits=bits, opcode=opcode):
                    self.refused(PROTOCOL, frame(opcode, reserved=bits))

    def test_reserved_kinds(self):
        """4.1.1 to 4.2.5"""
        for opcode in (3, 4, 5, 6, 7, 11, 12, 13, 14, 15):
            with self.subTest(opcode):
                self.refused(PROTOCOL, frame(opcode, b"x"))

    def test_control_frames_have_125_bytes_at_most(self):
        """2.5, 7.3.6"""
        for opcode in (PING, PONG, CLOSE):
            self.refused(PROTOCOL, frame(opcode, b"\x03\xe8" + b"x" * 124))

    def test_control_frames_are_whole(self):
        """5.1, 5.2"""
        for opcode in (PING, PONG, CLOSE):
            self.refused(PROTOCOL, frame(opcode, b"", final=False), frame(CONTINUE))

    def test_continuation_of_nothing(self):
        """5.9 to 5.18"""
        self.refused(PROTOCOL, frame(CONTINUE, ping()))
        self.refused(PROTOCOL, frame(CONTINUE, ping(), final=False))
        web = self.open()
        web.send(frame(BINARY, ping(1)))
        self.answered(web, 1)
        self.refused(PROTOCOL, frame(CONTINUE, ping()), web=web)

    def test_message_within_a_message(self):
        """5.18"""
        self.refused(PROTOCOL, frame(BINARY, ping(1)[:2], final=False), frame(BINARY, ping(2)))

    def test_lengths_that_are_not_the_shortest(self):
        self.refused(PROTOCOL, frame(BINARY, b"x" * 125, long=2))
        self.refused(PROTOCOL, frame(BINARY, b"x" * 65535, long=8))
        self.refused(PROTOCOL, frame(BINARY, b"", long=8, length=1 << 63))

    def test_frame_of_a_gigabyte_by_its_head(self):
        self.assertIn("message_bytes", self.refused(TOO_BIG, frame(BINARY, length=1 << 30)))

    def test_fragments_that_sum_up(self):
        """The same in parts: the fragment whose head exceeds the limit is refused before its payload."""
        web = self.open()
        part = b"\xc6\x00\x40\x00\x00"  # a bin of 4 MiB, which the scanner refuses by its head too
        web.send(frame(BINARY, part, final=False))
        self.assertEqual(web.read_close()[0], POLICY)
        web = self.open()
        piece = ping(1)
        web.send(frame(BINARY, piece, final=False), frame(CONTINUE, length=(1 << 20) + (1 << 16), final=False))
        self.assertEqual(web.read_close()[0], TOO_BIG)

    def test_message_of_thousands_of_empty_fragments_is_answered_and_nobody_waits(self):
        client = self.client()
        web = self.open()
        web.send(frame(BINARY, b"", final=False))
        for _ in range(10):
            web.send(*[frame(CONTINUE, b"", final=False)] * 5000)
            client.call("ping")
        web.send(frame(CONTINUE, ping(7)))
        self.answered(web, 7)

    def test_others_notice_nothing(self):
        client = self.client()
        client.call("world.create", world="calm")
        client.call("body.spawn", world="calm", shapes=[BALL])
        client.call("world.subscribe", world="calm", rate=60)
        for bad in (frame(TEXT, b"x"), frame(BINARY, length=1 << 30), frame(BINARY, ping(), masked=False),
                    frame(15), b"\x00" * 1000):
            web = self.open()
            web.send(bad)
            web.read_close()
        seen = len(client.snapshots())
        client.read_until(lambda: len(client.snapshots()) > seen + 5)
        client.call("world.destroy", world="calm")


class Pings(SocketTest):
    def test_ping_is_answered_with_its_payload(self):
        """2.1 to 2.4, 2.6, 2.10, 2.11"""
        web = self.open()
        for payload in (b"", b"Hello", b"\x00\xff\xfe\xfd", b"\xfe" * 125):
            web.send(frame(PING, payload))
            self.assertEqual(web.read_frame(), (PONG, payload, True))
        tens = b"".join(frame(PING, bytes([i])) for i in range(10))
        for pieces in ([tens], [bytes([byte]) for byte in tens]):
            for piece in pieces:
                web.send(piece)
            for i in range(10):
                self.assertEqual(web.read_frame(), (PONG, bytes([i]), True))

    def test_pong_of_nothing_is_ignored(self):
        """2.7 to 2.9"""
        web = self.open()
        web.send(frame(PONG, b"unasked"), frame(PING, b"x"))
        self.assertEqual(web.read_frame(), (PONG, b"x", True))

    def test_flood_of_pings_is_closed(self):
        self.assertIn("pings", self.refused(POLICY, *[frame(PING)] * 500))


class ServerPings(SocketTest):
    OPTIONS = ["--limit", "websocket_ping_ms=50", "--limit", "websocket_pong_ms=300", "--world", "w:demo"]

    def test_client_that_answers_stays_although_it_asks_nothing(self):
        web = self.open()
        web.send(frame(BINARY, ping()))
        self.answered(web, 1)
        payloads = set()
        for _ in range(8):
            opcode, payload, final = web.read_frame()
            self.assertEqual((opcode, final), (PING, True))
            web.send(frame(PONG, b"of nothing"), frame(PONG, payload))
            payloads.add(payload)
        self.assertEqual(len(payloads), 8)

    def test_client_that_does_not_answer_is_closed_with_the_limit(self):
        for answer in (b"", frame(PONG), frame(PONG, b"other")):
            self.assertIn("websocket_pong_ms", self.refused(
                POLICY, answer, prepare=lambda web: self.assertEqual(web.read_frame()[0], PING)))

    def test_client_within_a_message_answers_between_its_frames(self):
        web = self.open()
        message = ping(7)
        web.send(frame(BINARY, message[:3], final=False))
        for _ in range(4):
            opcode, payload, _ = web.read_frame()
            self.assertEqual(opcode, PING)
            web.send(frame(PONG, payload))
        web.send(frame(CONTINUE, message[3:]))
        opcode, payload, _ = web.read_frame()
        while opcode == PING:
            web.send(frame(PONG, payload))
            opcode, payload, _ = web.read_frame()
        self.assertEqual(msgpack.unpackb(payload)[:3], [1, 7, None])

    def test_reader_behind_a_backlog_is_not_asked_to_answer_in_time(self):
        slow = self.client()
        slow.call("hello")
        with Client(self.server.port) as watch:
            slow.web.send(*[frame(BINARY, msgpack.packb([REQUEST, i, "server.stats", [{}]])) for i in range(2000)])
            eventually(lambda: any(s["queued_bytes"] > 0 for s in watch.call("server.sessions")["sessions"]))
            begin = watch.call("ping")["time"]
            while watch.call("ping")["time"] < begin + 1.0:  # several times the limit
                pass
        answers = 0
        while answers < 2000:
            opcode, payload, _ = slow.web.read_frame()
            self.assertNotEqual(opcode, CLOSE)
            answers += opcode == BINARY
            if opcode == PING:
                slow.web.send(frame(PONG, payload))


class Handshakes(SocketTest):
    def refuse(self, code, **headers):
        with self.assertRaises(Refused) as caught:
            WebSocket(self.server.http_port, **headers)
        self.assertEqual(caught.exception.code, code, caught.exception.body)
        return caught.exception

    def test_rpc_is_for_websockets(self):
        self.assertEqual(self.refuse(426, Upgrade=None).head["upgrade"], "websocket")
        self.refuse(426, Connection="keep-alive")
        self.refuse(426, Upgrade="h2c")

    def test_versions(self):
        self.assertEqual(self.refuse(426, Sec_WebSocket_Version="8").head["sec-websocket-version"], "13")
        self.refuse(426, Sec_WebSocket_Version=None)

    def test_keys(self):
        for key in (None, "", "short", "x" * 24, "MDEyMzQ1Njc4OWFiY2RlZg=", "MDEyMzQ1Njc4OWFi====ZGVm",
                    "MDEyMzQ1Njc4OWFiY2RlZg==MDEyMzQ1Njc4OWFiY2RlZg==", "@DEyMzQ1Njc4OWFiY2RlZg=="):
            with self.subTest(key):
                self.refuse(400, Sec_WebSocket_Key=key)

    def test_header_that_stands_twice(self):
        request = handshake(self.server.http_port).replace(b"\r\n\r\n", b"\r\nOrigin: http://a\r\nOrigin: http://b\r\n\r\n")
        self.refuse(400, request=request)

    def test_names_and_lists_whatever_their_case(self):
        self.open(Upgrade="WebSocket", Connection="keep-alive, UPGRADE")

    def test_frames_right_behind_the_handshake(self):
        web = WebSocket(self.server.http_port, request=handshake(self.server.http_port) + frame(BINARY, ping(4)))
        self.answered(web, 4)
        web.close()


class Origins(SocketTest):
    OPTIONS = ["--origin", "https://play.example", "--origin", "http://localhost:8080"]

    def verdict(self, origin, host=None):
        try:
            WebSocket(self.server.http_port, Origin=origin,
                      Host=host or f"127.0.0.1:{self.server.http_port}").close()
        except Refused as refused:
            return refused.code
        return 101

    def test_pages_of_the_server_itself(self):
        port = self.server.http_port
        self.assertEqual(self.verdict(f"http://127.0.0.1:{port}"), 101)
        self.assertEqual(self.verdict(f"http://localhost:{port}", f"localhost:{port}"), 101)
        self.assertEqual(self.verdict(f"http://[::1]:{port}", f"[::1]:{port}"), 101)

    def test_pages_that_are_allowed(self):
        self.assertEqual(self.verdict("https://play.example"), 101)
        self.assertEqual(self.verdict("HTTPS://Play.Example"), 101)
        self.assertEqual(self.verdict("http://localhost:8080"), 101)

    def test_other_pages(self):
        before = self.counter("refused_origin")
        port = self.server.http_port
        others = ["https://evil.example", "http://play.example", "https://play.example.evil.example",
                  "https://play.example:8443", "null", "", f"http://127.0.0.1:{port + 1}",
                  f"http://localhost:{port}", f"http://127.0.0.1:{port}.evil.example"]
        for origin in others:
            with self.subTest(origin):
                self.assertEqual(self.verdict(origin), 403)
        self.assertEqual(self.counter("refused_origin"), before + len(others))

    def test_name_that_was_made_to_point_here(self):
        port = self.server.http_port
        self.assertEqual(self.verdict(f"http://evil.example:{port}", f"evil.example:{port}"), 403)
        self.assertEqual(self.verdict(f"http://[evil]:{port}", f"[evil]:{port}"), 403)

    def test_all_pages(self):
        with Caromd(CAROMD, "--origin", "*") as server:
            WebSocket(server.http_port, Origin="https://anything.example").close()


class Limits(SocketTest):
    OPTIONS = ["--limit", "connections=8", "--limit", "connections_per_address=3", "--limit",
               "first_message_ms=400", "--limit", "message_ms=400"]

    def test_first_message(self):
        web = self.open()
        code, reason = web.read_close()
        self.assertEqual(code, POLICY)
        self.assertIn("first_message_ms", reason)

    def test_pings_are_no_message(self):
        web = self.open()
        with self.assertRaises((Closed, ConnectionError)):
            for _ in range(100):
                web.send(frame(PING))
                if web.read_frame()[0] == CLOSE:
                    raise Closed()
                time.sleep(0.05)

    def test_frame_that_does_not_end(self):
        web = self.open()
        web.send(frame(BINARY, ping(1)))
        self.answered(web, 1)
        web.send(frame(BINARY, ping(2))[:5])
        self.assertIn("message_ms", web.read_close()[1])

    def test_fragments_that_do_not_end(self):
        web = self.open()
        web.send(frame(BINARY, ping(1), final=False))
        self.answered(web, 1)
        self.assertIn("message_ms", web.read_close()[1])

    def test_places_are_shared_with_tcp(self):
        held = [self.open(address="127.0.0.2") for _ in range(2)]
        raw = socket.create_connection(("127.0.0.1", self.server.port), SECONDS_MAX, ("127.0.0.2", 0))
        self.addCleanup(raw.close)
        for web in held:
            web.send(frame(BINARY, ping(1)))
        raw.sendall(ping(1))
        for web in held:
            self.answered(web, 1)
        self.assertTrue(raw.recv(1))
        code, reason = self.open(address="127.0.0.2").read_close()
        self.assertEqual(code, POLICY)
        self.assertIn("connections_per_address", reason)


class SlowReaders(SocketTest):
    OPTIONS = ["--limit", "output_bytes=65536", "--limit", "stall_ms=500"]

    def test_reader_that_takes_nothing_is_closed_and_counted(self):
        other = self.client()
        other.call("world.create", world="busy", gravity=[0, 0])
        other.call("world.apply", world="busy", commands=[
            ["body.spawn", {"shapes": [BALL], "position": [2 * i, 0], "velocity": [0, 1]}] for i in range(1000)])
        before = self.counter("connections_overrun")
        slow = self.open()
        slow.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.send(frame(BINARY, msgpack.packb([REQUEST, 1, "world.subscribe", [{"world": "busy"}]])))
        end = time.monotonic() + SECONDS_MAX
        while self.counter("connections_overrun") == before:
            self.assertLess(time.monotonic(), end)
            other.call("ping")
            time.sleep(0.1)
        self.assertEqual(self.counter("connections_overrun"), before + 1)
        self.assertEqual(other.call("world.info", world="busy")["subscribers"], 0)
        port = slow.socket.getsockname()[1]
        self.assertRegex(self.server.await_log(f"address 127.0.0.1:{port}: limit_exceeded: stall_ms: "),
                         r"refused: session \d+, subject ''")


class Rights(unittest.TestCase):
    def test_tokens_and_roles_hold(self):
        secret = Secret()
        with tempfile.TemporaryDirectory() as folder:
            keys = os.path.join(folder, "keys.json")
            write_keys(keys, secret)
            with Caromd(CAROMD, "--keys", keys, "--limit", "requests_per_second=50", "--limit",
                        "request_burst=40") as server:
                client = WebClient(server.http_port)
                with self.assertRaisesRegex(RemoteError, "^unauthenticated"):
                    client.call("world.create", world="w")
                client.call("hello", token=secret.sign(claims("ada", "player")))
                with self.assertRaisesRegex(RemoteError, "^permission_denied"):
                    client.call("world.create", world="w")
                with self.assertRaises((RemoteError, Closed, ConnectionError)):
                    for _ in range(100):
                        client.call("ping")
                client.__exit__()


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
