"""Cases over servers of a fleet: etcd, a prefix and folders of their own. Skipped where etcd is not installed."""

import tempfile
import unittest
from pathlib import Path

import etcd
from caromd import Caromd
from wire import Client, RemoteError
from wire_case import CAROMD, WireTest


@unittest.skipUnless(etcd.there(), "etcd is not installed (docker/install.sh test)")
class FleetCase(WireTest):
    @classmethod
    def setUpClass(cls):
        cls.etcd = etcd.Etcd()

    @classmethod
    def tearDownClass(cls):
        cls.etcd.stop()

    def setUp(self):
        """Each test has a fleet of its own."""
        self.prefix = "/" + self.id().rsplit(".", 1)[-1][:60]
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def started(self, *options):
        """A server with these options, which ends with the test."""
        server = Caromd(CAROMD, *options)
        self.addCleanup(lambda: server.process.poll() is None and server.__exit__())
        return server

    def client(self, server):
        client = Client(server.port)
        self.addCleanup(client.__exit__)
        return client

    def world(self, name):
        """The world's record in etcd; None: there is none."""
        return self.etcd.keys(f"{self.prefix}/world/").get(f"{self.prefix}/world/{name}")


class PairCase(FleetCase):
    """Servers that reach each other, so that a world can have a standby and move."""

    def setUp(self):
        super().setUp()
        self.secret = self.folder / "secret"
        self.secret.write_text("0123456789abcdef" * 4)

    def start(self, node, *more):
        http = () if "--http" in more else ("--http", "off")
        server = self.started(*http, "--fleet", self.etcd.url, "--fleet-prefix", self.prefix, "--node", node,
                              "--advertise", f"{node}.example:22766", "--fleet-listen", "127.0.0.1:0", "--fleet-secret",
                              str(self.secret), "--data", str(self.folder / node), *more)
        server.node = node
        return server

    def ready(self, *nodes):
        """Waits until the servers know where they reach each other."""
        def known():
            keys = self.etcd.keys(f"{self.prefix}/node/")
            return all(keys.get(f"{self.prefix}/node/{node}", {}).get("peer") for node in nodes)
        self.eventually(known)

    def create(self, client, **more):
        """Creates the world `arena` as soon as its server knows of another one."""
        def works():
            try:
                client.call("world.create", world="arena", durability="replicated", **more)
                return True
            except RemoteError as error:
                self.assertIn("no other server of the fleet can be the world's standby", str(error))
                return False
        self.eventually(works)

    def paired(self, name="arena"):
        self.eventually(lambda: self.world(name)["standby"] is not None)
        return self.world(name)

    def resumed(self, server, secret):
        """A client that resumes its session at another server, and the answer."""
        def works():
            client = self.client(server)
            try:
                return client, client.call("hello", protocol=1, client="test", resume=secret)
            except RemoteError:
                return None
        return self.eventually(works)
