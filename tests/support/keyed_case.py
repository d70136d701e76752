"""The common part of tests of a server with keys, whose clients have tokens."""

import os
import tempfile

from caromd import Caromd
from tokens import Secret, claims, write_keys
from wire import Client
from wire_case import CAROMD, WireTest

SECRET = Secret()


class KeyedTest(WireTest):
    """One server for the class, with a file of keys, OPTIONS, and LIMITS: "NAME=VALUE" each."""

    OPTIONS = []
    LIMITS = []

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        keys = os.path.join(cls.folder.name, "keys.json")
        write_keys(keys, SECRET)
        limits = [word for limit in cls.LIMITS for word in ("--limit", limit)]
        cls.server = Caromd(CAROMD, "--keys", keys, *cls.OPTIONS, *limits)

    @classmethod
    def tearDownClass(cls):
        cls.server.__exit__()
        cls.folder.cleanup()

    @classmethod
    def greet(cls, subject, role, **more):
        """A client whose token says so; `hello` is what the server answers. The caller closes its socket."""
        client = Client(cls.server.port)
        client.hello = client.call("hello", token=SECRET.sign(claims(subject, role, **more)))
        return client

    def session(self, subject, role, **more):
        """The same, whose connection ends with the test."""
        client = self.greet(subject, role, **more)
        self.addCleanup(client.__exit__)
        return client
