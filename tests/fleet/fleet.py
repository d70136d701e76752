"""A fleet for tests: three etcd and some caromd on 127.0.0.1, on ports that the system chose, with folders of their
own. README.md tells how to use it."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from caromd import Caromd  # noqa: E402
from wire import Client, RemoteError  # noqa: E402


class Fleet:
    def __init__(self, program, prefix="/carom"):
        self.program, self.prefix = program, prefix
        self.folder = tempfile.TemporaryDirectory()
        self.etcd = etcd.Cluster()
        self.servers = {}

    def start(self, node, *options):
        """Starts the server of that name; again after its end: with the same folder and address."""
        folder = Path(self.folder.name) / node
        folder.mkdir(exist_ok=True)
        for _ in range(5):  # a port may be taken by another before caromd has it
            port = etcd.free_port() if node not in self.servers else self.servers[node].port
            try:
                self.servers[node] = Caromd(
                    self.program, "--listen", f"127.0.0.1:{port}", "--http", "off", "--fleet", self.etcd.urls,
                    "--fleet-prefix", self.prefix, "--node", node, "--advertise", f"127.0.0.1:{port}",
                    "--data", str(folder / "data"), *options)
                return self.servers[node]
            except RuntimeError as error:
                if "in use" not in str(error):
                    raise
        raise RuntimeError(f"no port for server {node}")

    def client(self, node):
        return Client(self.servers[node].port)

    def follow(self, node, method, /, **arguments):
        """The answer of the server that has the world, by one step from the server `node`."""
        with self.client(node) as client:
            try:
                return client.call(method, **arguments)
            except RemoteError as error:
                code, address = str(error).split(" ")[:2]
                if code != "moved:":
                    raise
        with Client(int(address.rsplit(":", 1)[1])) as client:
            return client.call(method, **arguments)

    def record(self, world):
        """The world's record in etcd; None: there is none."""
        return self.etcd.keys(f"{self.prefix}/world/").get(f"{self.prefix}/world/{world}")

    def stop(self):
        """Ends all processes; servers that live must end with 0."""
        try:
            for server in self.servers.values():
                if server.process.poll() is None:
                    server.__exit__()
        finally:
            for server in self.servers.values():
                if server.process.poll() is None:
                    server.kill()
            self.etcd.stop()
            self.folder.cleanup()
