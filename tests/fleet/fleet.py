"""A fleet for tests: three etcd and some caromd on 127.0.0.1, on ports that the system chose, with folders of their
own. README.md says how to use it."""

import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
import etcd  # noqa: E402
from caromd import Caromd  # noqa: E402
from patience import attempts  # noqa: E402
from wire import Client, RemoteError  # noqa: E402


def creates(client, **more):
    """Makes the replicated world 'arena' and returns the answer; None: the server knows no possible standby yet."""
    try:
        return client.call("world.create", world="arena", durability="replicated", **more)
    except RemoteError as error:
        if not str(error).startswith("unavailable: "):
            raise
        return None


class Fleet:
    def __init__(self, program, prefix="/carom", pairs=False, network=None):
        """`pairs`: the servers reach each other, so that worlds can be replicated. `network`: each has a host of its own there
        (support/network.py)."""
        self.program, self.prefix, self.network = program, prefix, network
        self.folder = tempfile.TemporaryDirectory()
        self.pairs = []
        if pairs:
            secret = Path(self.folder.name) / "secret"
            secret.write_text("0123456789abcdef" * 4, encoding="ascii")
            self.pairs = ["--fleet-secret", str(secret)]
        self.etcd = etcd.Cluster(network.HERE if network else "127.0.0.1")
        self.servers = {}

    def start(self, node, *options, env=None):
        """Starts the server of that name; again after its end: with the same folder and address. `env`: added to the
        environment."""
        folder = Path(self.folder.name) / node
        folder.mkdir(exist_ok=True)
        host, inside = "127.0.0.1", ()
        if self.network:
            host, inside = self.network.address(node), self.network.inside(node)
            options += ("--insecure",)
        if self.pairs:
            options += ("--fleet-listen", f"{host}:0")
        for _ in range(5):  # a port may be taken by another before caromd has it
            port = etcd.free_port() if node not in self.servers else self.servers[node].port
            try:
                self.servers[node] = Caromd(
                    self.program, "--listen", f"{host}:{port}", "--http", "off", "--fleet", self.etcd.urls,
                    "--fleet-prefix", self.prefix, "--node", node, "--advertise", f"{host}:{port}",
                    "--data", str(folder / "data"), *self.pairs, *options, env=env, host=host, inside=inside)
                self.servers[node].node = node
                return self.servers[node]
            except RuntimeError as error:
                if "in use" not in str(error):
                    raise
        raise RuntimeError(f"no port for server {node}")

    def client(self, node):
        return Client(self.servers[node].port, host=self.servers[node].host)

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
        """The world's record in etcd; None: there is none. On a busy machine etcd may have no leader for a moment."""
        for _ in attempts():
            try:
                return self.etcd.keys(f"{self.prefix}/world/").get(f"{self.prefix}/world/{world}")
            except OSError as error:
                refused = error
        raise refused

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
