"""Starts caromd on a port of the system's choice, and ends it, for tests written in Python."""

import os
import re
import signal
import subprocess
import threading
import time

from patience import SECONDS_MAX


class Caromd:
    """A running server: `with Caromd(program) as server: … server.port`. Leaving checks that it drains
    on SIGTERM and ends with 0, which under a sanitizer also says that nothing was left behind."""

    def __init__(self, program, *options, env=None, host="127.0.0.1", inside=()):
        """`env`: added to the environment. `host`: the address where it listens. `inside`: the words before the program, as of
        Network.inside()."""
        self.log, self.host = [], host
        self.process = subprocess.Popen(
            [*inside, program, "--listen", f"{host}:0", *options],
            stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, errors="replace",
            env={**os.environ, **env} if env else None)
        self.listening = threading.Event()
        self.port = None
        self.http_port = None  # port of HTTP and WebSocket; None with --http off
        self.reader = threading.Thread(target=self.read_log, daemon=True)
        self.reader.start()
        if not self.listening.wait(SECONDS_MAX) or self.port is None:
            self.process.kill()
            raise RuntimeError("caromd did not start:\n" + "".join(self.log))

    def read_log(self):
        for line in self.process.stderr:
            self.log.append(line)
            found = re.search(r"for browsers: https?://127\.0\.0\.1:(\d+)/", line)
            if found:  # the server prints this line before the next
                self.http_port = int(found.group(1))
            found = re.search(rf"listening on {re.escape(self.host)}:(\d+)", line)
            if found and self.port is None:
                self.port = int(found.group(1))
                self.listening.set()
        self.listening.set()  # the process has ended

    def await_log(self, words):
        """Waits until a line of the log has these words, and returns it."""
        end = time.monotonic() + SECONDS_MAX
        while not (found := [line for line in list(self.log) if words in line]):
            if time.monotonic() > end or self.process.poll() is not None:
                raise AssertionError(f"no '{words}' in the log:\n" + "".join(self.log[-20:]))
            time.sleep(0.002)
        return found[0]

    def await_end(self):
        """Waits for a process that ends, and returns its exit code."""
        code = self.process.wait(SECONDS_MAX)
        self.reader.join(SECONDS_MAX)
        self.process.stderr.close()
        return code

    def kill(self):
        self.process.kill()
        self.await_end()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError("caromd did not end on SIGTERM:\n" + "".join(self.log[-20:])) from None
        finally:
            self.reader.join(SECONDS_MAX)
            self.process.stderr.close()
        if code != 0:
            raise AssertionError(f"caromd ended with {code}:\n" + "".join(self.log))
