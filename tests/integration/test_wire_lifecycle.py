#!/usr/bin/env python3
"""The process: its start, its reaction to signals, its end. Called with the path of caromd."""

import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import msgpack

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from caromd import Caromd  # noqa: E402
from patience import SECONDS_MAX  # noqa: E402
from wire import NOTIFICATION, Client, RemoteError  # noqa: E402
from wire_case import BALL, CAROMD, WireTest  # noqa: E402


def run(*options, **environment):
    """Runs a start that must fail; returns its exit code and its output."""
    done = subprocess.run([CAROMD, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                          text=True, timeout=SECONDS_MAX, env={**os.environ, **environment})
    return done.returncode, done.stdout


class Starts(WireTest):
    def test_help_and_version_are_printed(self):
        for option, told in (("--help", "--listen"), ("--version", "caromd ")):
            code, text = run(option)
            self.assertEqual(0, code)
            self.assertIn(told, text)

    def test_start_that_cannot_be_is_told(self):
        for words, environment, code, told in (
                (["--threads", "none"], {}, 2, "caromd: --threads: must be a whole number"),
                (["--nonsense"], {}, 2, "--nonsense"),
                ([], {"CAROM_HZ": "fast"}, 2, "CAROM_HZ"),
                (["--listen", "no.such.host.invalid:1"], {}, 1, "no.such.host.invalid"),
                (["--listen", "127.0.0.1:0", "--world", "a", "--world", "w:nosuch"], {}, 1, "world 'w'")):
            with self.subTest(words, **environment):
                ended, text = run(*words, **environment)
                self.assertEqual(code, ended, text)
                self.assertIn(told, text)
                self.assertNotIn("listening", text)

    def test_port_in_use_ends_with_1(self):
        with Caromd(CAROMD) as server:
            code, text = run("--listen", f"127.0.0.1:{server.port}")
            self.assertEqual(1, code)
            self.assertRegex(text, f"127.0.0.1:{server.port}.*address already in use, perhaps by a caromd that runs already; "
                             "--listen HOST:PORT names another address")
            code, text = run("--listen", "127.0.0.1:0", "--http", f"127.0.0.1:{server.port}")
            self.assertEqual(1, code)
            self.assertRegex(text, f"127.0.0.1:{server.port}.*already; --http HOST:PORT names another address")

    def test_log_that_is_full_ends_no_server(self):
        with tempfile.NamedTemporaryFile("r") as log:
            with open(log.name, "w") as end:
                process = subprocess.Popen([CAROMD, "--listen", "127.0.0.1:0"], stderr=end)
            self.addCleanup(process.wait)
            self.addCleanup(process.kill)
            port = self.eventually(lambda: re.search(r"listening on 127\.0\.0\.1:(\d+)", Path(log.name).read_text()))[1]
            full = os.path.getsize(log.name)
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (full, resource.RLIM_INFINITY))
            with Client(int(port)) as client:
                client.call("world.create", world="silent")  # a writable log would record it
                self.assertEqual("silent", client.call("world.info", world="silent")["world"])
            self.assertEqual(full, os.path.getsize(log.name))
            self.assertIsNone(process.poll())

    def test_variables_do_what_options_do(self):
        os.environ["CAROM_WORLD"] = "one,two:demo"
        self.addCleanup(os.environ.pop, "CAROM_WORLD")
        with Caromd(CAROMD) as self.server:
            self.assertEqual(["one", "two"], [one["world"] for one in self.connect().call("world.list")])


class Signals(WireTest):
    def start(self, *options):
        self.server = Caromd(CAROMD, *options)
        self.addCleanup(self.server.process.kill)

    def ended(self, least=0):
        """Checks that the server ended without an error."""
        self.assertEqual(0, self.server.process.wait(SECONDS_MAX))
        self.server.reader.join(SECONDS_MAX)
        self.server.process.stderr.close()
        self.assertIn("stopped", "".join(self.server.log))  # everything was closed and freed

    def closed(self, *clients):
        """Checks that each client is notified that the server ends."""
        for client in clients:
            self.assertRegex(self.farewell(client), "^unavailable: ")

    def test_sigterm_and_sigint_end_with_0(self):
        for number in (signal.SIGTERM, signal.SIGINT):
            self.start("--world", "w")
            self.server.process.send_signal(number)
            self.ended()

    def test_sigpipe_is_ignored(self):
        self.start()
        self.server.process.send_signal(signal.SIGPIPE)
        self.connect().call("ping")
        self.server.process.terminate()
        self.ended()

    # Subscribers, a flood of commands, a client that does not read, one that has sent half a message, and one whose
    # command waits for a tick that never comes.
    def test_drain_under_load_tells_everyone(self):
        self.start("--world", "w:demo", "--world", "still", "--threads", "2")
        subscriber, flooder, deaf, slow, waiting = (self.connect() for _ in range(5))
        subscriber.call("world.subscribe", world="w")
        subscriber.read_until(subscriber.snapshots)
        deaf.call("world.subscribe", world="w", contacts=True)
        slow.call("ping")
        slow.send(b"\x94\x00\x01")
        waiting.call("world.pause", world="still")
        never = waiting.request("world.apply", world="still", at=5000, commands=[])
        waiting.call("world.info", world="still")
        flooder.send(msgpack.packb([NOTIFICATION, "body.spawn", [{"world": "still", "shapes": []}]]) * 3000)
        self.server.process.terminate()
        self.closed(subscriber)
        self.assertIn("world_closed", [method for method, _ in subscriber.notifications])
        with self.assertRaisesRegex(RemoteError, "^unavailable: "):
            waiting.answer(never)
        self.closed(waiting)
        self.farewell(slow)
        self.ended()

    def test_drain_in_the_middle_of_a_long_step_does_not_wait_for_it(self):
        self.start()
        client = self.connect()
        client.call("world.create", world="w", scene="demo", paused=True)
        step = client.request("world.step", world="w", ticks=100000)
        client.call("ping")
        self.server.process.terminate()
        with self.assertRaisesRegex(RemoteError, "^unavailable: "):
            client.answer(step)
        self.ended()

    # A step takes longer than the server waits for its worlds: hundreds of balls in one place, each touching every
    # other. So clients hear of the world's end from the server, not from the world. The subscriber wants no events: 15
    # MB of them would have to be read within the time that a server on its way out allows.
    def test_drain_in_the_middle_of_a_jam_tells_everyone(self):
        self.start("--threads", "1")
        subscriber, stepper = self.connect(), self.connect()
        stepper.call("world.create", world="jam", paused=True)
        stepper.call("world.apply", world="jam", commands=[["body.spawn", {"shapes": [BALL]}]] * 500)
        subscriber.call("world.subscribe", world="jam", events=[])
        subscriber.read_until(subscriber.snapshots)
        stepper.request("world.step", world="jam", ticks=100)
        stepper.call("ping")
        self.server.process.terminate()
        self.closed(subscriber)
        self.assertIn("world_closed", [method for method, _ in subscriber.notifications])
        self.ended()  # it ends when the step does


class Descriptors(WireTest):
    def sessions(self):
        return self.client.call("server.stats")["counters"]["sessions"]

    def start_with(self, descriptors, *options):
        """A server with that many descriptors: its process, its port, and its log until it listens."""
        shell = subprocess.Popen(["/bin/sh", "-c", f'ulimit -n {descriptors}; exec "$@"', "sh", CAROMD, "--listen", "127.0.0.1:0", "--http", "off",
                                  *options], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(shell.kill)
        log = ""
        while not (found := re.search(r"listening on 127\.0\.0\.1:(\d+)", log)):
            line = shell.stderr.readline()
            self.assertNotEqual("", line, log)
            log += line
        return shell, int(found[1]), log

    def stop(self, shell):
        shell.terminate()
        self.assertEqual(0, shell.wait(SECONDS_MAX))
        shell.stderr.close()

    def test_few_descriptors_mean_few_connections(self):
        shell, port, log = self.start_with(100, "--io-threads", "1")
        self.assertIn("100 descriptors are enough for 4 connections", log)
        clients = [Client(port) for _ in range(4)]
        for client in clients:
            self.addCleanup(client.__exit__)
            client.call("ping")
        with Client(port) as fifth:
            self.assertRegex(self.farewell(fifth), "^limit_exceeded: connections")
        self.stop(shell)

    def test_threads_of_sockets_take_descriptors_too(self):
        shell, port, log = self.start_with(220, "--io-threads", "20")
        self.assertIn("220 descriptors are enough for 24 connections", log)
        clients = [Client(port) for _ in range(24)]
        for client in clients:
            self.addCleanup(client.__exit__)
            client.call("ping")
        self.stop(shell)

    def test_threads_of_sockets_without_descriptors_are_refused(self):
        ended = subprocess.run(["/bin/sh", "-c", 'ulimit -n 200; exec "$@"', "sh", CAROMD, "--listen", "127.0.0.1:0", "--http", "off",
                                "--io-threads", "64"], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, timeout=SECONDS_MAX)
        self.assertEqual(1, ended.returncode, ended.stderr)
        self.assertRegex(ended.stderr, r"--io-threads: thread \d+ of 64 has no descriptors: too many open files \(ulimit -n\)")

    def test_no_descriptor_left_is_survived(self):
        self.server = Caromd(CAROMD)
        self.addCleanup(self.server.__exit__)
        resource.prlimit(self.server.process.pid, resource.RLIMIT_NOFILE, (40, 40))
        self.client = self.connect()
        self.client.call("ping")
        extra = [self.connect() for _ in range(60)]  # the kernel accepts them, the server cannot accept all
        self.farewell(extra[-1])
        self.assertTrue(2 <= self.sessions() <= 40)
        for client in extra:
            client.socket.close()
        # With free descriptors, the server accepts connections again.
        self.eventually(lambda: self.sessions() == 1)
        self.connect().call("ping")

    def test_sessions_are_answered_while_nobody_can_be_accepted(self):
        self.server = Caromd(CAROMD)
        self.addCleanup(self.server.__exit__)
        self.client = self.connect()
        self.client.call("ping")
        before = resource.prlimit(self.server.process.pid, resource.RLIMIT_NOFILE, (3, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
        waiting = self.connect()  # the kernel accepts it
        self.server.await_log("cannot accept a connection")
        self.client.call("ping")
        resource.prlimit(self.server.process.pid, resource.RLIMIT_NOFILE, before)
        waiting.call("ping")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])
