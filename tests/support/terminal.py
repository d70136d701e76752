"""Programs on pseudo terminals: tests send keys, and read the terminal's output."""

import codecs
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time

from patience import SECONDS_MAX


class Terminal:
    """A program on a pseudo terminal of its own. Its output is collected as text."""

    def __init__(self, command, env, columns=80, rows=24, cwd=None):
        self.master, slave = pty.openpty()
        self.resize(columns, rows)
        self.before = termios.tcgetattr(slave)
        self.slave = slave
        self.process = subprocess.Popen(
            command, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0), env=env, cwd=cwd)
        self.decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self.text = ""

    def resize(self, columns, rows):
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def read(self, seconds=0.1):
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            if select.select([self.master], [], [], left)[0]:
                self.text += self.decoder.decode(os.read(self.master, 65536))

    def wait_for(self, pattern, seconds=SECONDS_MAX):
        """Reads until the pattern has arrived, and forgets all up to its end. A program that has ended writes no more."""
        until = time.monotonic() + seconds
        ended = None
        while True:
            found = re.search(pattern, self.text)
            if found:
                self.text = self.text[found.end():]
                return found
            if ended is not None or time.monotonic() >= until:
                break
            ended = self.process.poll()
            self.read(0.05 if ended is None else 0.2)  # the terminal passes the last output on a moment later
        when = "in time" if ended is None else f"before the program ended with {ended}"
        raise AssertionError(f"{pattern!r} did not come {when}; got {self.text[-2000:]!r}")

    def keys(self, text):
        os.write(self.master, text.encode())

    def end(self, seconds=SECONDS_MAX):
        """The exit code; checks that the terminal is as it was."""
        until = time.monotonic() + seconds
        while self.process.poll() is None and time.monotonic() < until:
            self.read(0.05)
        code = self.process.wait(SECONDS_MAX)
        self.read(0.1)
        after = termios.tcgetattr(self.slave)
        assert after[:4] == self.before[:4], (self.before, after)
        return code

    def close(self):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        os.close(self.master)
        os.close(self.slave)
