"""The common part of tests of caromd over the wire. Their programs are called with the path of caromd."""

import os
import re
import sys
import unittest

from caromd import Caromd
from patience import eventually
from wire import Client, Closed, RemoteError

CAROMD = os.path.abspath(sys.argv[1])
BALL = {"kind": "circle", "radius": 0.5}


class WireTest(unittest.TestCase):
    """A test of `self.server`, a Caromd that it starts as it likes."""

    server = None
    eventually = staticmethod(eventually)

    def connect(self):
        """A client, whose connection ends with the test."""
        client = Client(self.server.port)
        self.addCleanup(client.__exit__)
        return client

    def greet(self, **arguments):
        """A client that has said hello; the answer is its `greeting`."""
        client = self.connect()
        client.greeting = client.call("hello", **arguments)
        return client

    def resume(self, lost, **arguments):
        """A client that resumes the session of one that greeted."""
        return self.greet(resume=lost.greeting["resume"], **arguments)

    def stop(self):
        """Stops the server, if the test has not done so."""
        if self.server is not None:
            self.server.__exit__()
            self.server = None

    def kill(self):
        self.server.kill()
        self.server = None

    def refused(self, code, text, client, method, /, **arguments):
        """The text of the error that the call is answered with: this code, and a match of `text` behind it."""
        with self.assertRaises(RemoteError) as caught:
            client.call(method, **arguments)
        self.assertRegex(str(caught.exception), f"^{code}: .*{text}")
        return str(caught.exception)

    def logged(self, pattern):
        """Waits for the first matching line of the server's log, which a thread reads."""
        return self.eventually(lambda: next((line for line in self.server.log if re.search(pattern, line)), None))

    def farewell(self, client):
        """Reads until the connection ends; "code: reason" of the server's last word, "" where it said none."""
        try:
            client.read_until(lambda: False)
        except (Closed, ConnectionError):
            pass
        closing = [params[0] for method, params in client.notifications if method == "closing"]
        return f"{closing[-1]['code']}: {closing[-1]['reason']}" if closing else ""


class ServerTest(WireTest):
    """One server for the class, with OPTIONS; for each test a client and the name of its own world."""

    OPTIONS = []

    @classmethod
    def setUpClass(cls):
        cls.server = Caromd(CAROMD, *cls.OPTIONS)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()

    def setUp(self):
        self.client = self.connect()
        self.world = self.id().rsplit(".", 1)[1][:60]

    def call(self, method, /, **arguments):
        """A call of the test's client about the test's world."""
        return self.client.call(method, world=self.world, **arguments)
