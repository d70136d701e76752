"""A test's own etcd, on ports that the system chose, with a folder of its own; and its keys, read and written as an
operator would."""

import base64
import json
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request

from patience import SECONDS_MAX


def there():
    """Whether etcd is installed."""
    return shutil.which("etcd") is not None


def free_port():
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Etcd:
    def __init__(self, keys=None):
        """`keys` (certificates.Folder): clients need a certificate of the authority "ours"; the server has "etcd"."""
        self.folder = tempfile.TemporaryDirectory()
        self.options, self.context = [], None
        if keys:
            self.options = ["--cert-file", keys.certificate("etcd"), "--key-file", keys.key("etcd"),
                            "--client-cert-auth", "--trusted-ca-file", keys.certificate("ours")]
            self.context = ssl.create_default_context(cafile=keys.certificate("ours"))
            self.context.load_cert_chain(keys.certificate("etcd"), keys.key("etcd"))
        for _ in range(5):  # a port may be taken by another before etcd has it
            self.url = f"{'https' if keys else 'http'}://127.0.0.1:{free_port()}"
            self.peer = f"http://127.0.0.1:{free_port()}"
            if self.start():
                return
        raise RuntimeError("etcd ended five times:\n" + self.log.read())

    def start(self):
        self.log = open(self.folder.name + "/log", "a+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["etcd", "--data-dir", self.folder.name + "/data", "--listen-client-urls", self.url,
             "--advertise-client-urls", self.url, "--listen-peer-urls", self.peer, "--initial-advertise-peer-urls",
             self.peer, "--initial-cluster", "default=" + self.peer, "--heartbeat-interval", "50",
             "--election-timeout", "500", *self.options],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        return self.answers()

    def answers(self):
        """Waits until the process answers; False if it has ended."""
        end = time.monotonic() + SECONDS_MAX
        while self.process.poll() is None:
            try:
                self.keys("/")
                return True
            except OSError:
                if time.monotonic() > end:
                    raise
                time.sleep(0.02)
        return False

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.log.close()

    def stop(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGCONT)
            self.kill()
        self.folder.cleanup()

    def ask(self, path, **body):
        request = urllib.request.Request(f"{self.url}/v3{path}", json.dumps(body).encode())
        with urllib.request.urlopen(request, timeout=SECONDS_MAX, context=self.context) as answer:
            return json.load(answer)

    @staticmethod
    def text(data):
        return base64.b64encode(data.encode()).decode()

    def keys(self, prefix):
        """{key: parsed value} of all keys with the prefix."""
        end = prefix[:-1] + chr(ord(prefix[-1]) + 1)
        found = self.ask("/kv/range", key=self.text(prefix), range_end=self.text(end)).get("kvs", [])
        return {base64.b64decode(kv["key"]).decode(): json.loads(base64.b64decode(kv["value"])) for kv in found}

    def put(self, key, value):
        self.ask("/kv/put", key=self.text(key), value=self.text(value if isinstance(value, str) else json.dumps(value)))

    def remove(self, key):
        self.ask("/kv/deleterange", key=self.text(key))


class Member(Etcd):
    """One of a cluster's members; made by Cluster."""

    def __init__(self, name, url, peer):  # pylint: disable=super-init-not-called
        self.folder = tempfile.TemporaryDirectory()
        self.name, self.url, self.peer = name, url, peer
        self.options, self.context = [], None

    def start(self, wait=True):
        """Starts the process. `wait`: until it answers, for which most members must be there."""
        self.log = open(self.folder.name + "/log", "a+", encoding="utf-8")
        self.process = subprocess.Popen(
            ["etcd", "--name", self.name, "--data-dir", self.folder.name + "/data", "--listen-client-urls", self.url,
             "--advertise-client-urls", self.url, "--listen-peer-urls", self.peer, "--initial-advertise-peer-urls",
             self.peer, "--initial-cluster", self.cluster, "--heartbeat-interval", "50", "--election-timeout", "500"],
            stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        return self.answers() if wait else self.process.poll() is None


class Cluster:
    """Three members of one etcd."""

    def __init__(self, host="127.0.0.1"):
        for _ in range(5):  # a port may be taken by another before etcd has it
            self.members = [Member(f"m{i}", f"http://{host}:{free_port()}", f"http://{host}:{free_port()}")
                            for i in range(3)]
            for member in self.members:
                member.cluster = ",".join(f"{one.name}={one.peer}" for one in self.members)
                member.start(wait=False)
            if all([member.answers() for member in self.members]):
                self.urls = ",".join(member.url for member in self.members)
                return
            self.stop()
        raise RuntimeError("etcd ended five times")

    def leader(self):
        """The member that leads; the others follow it."""
        end = time.monotonic() + SECONDS_MAX
        while time.monotonic() < end:
            for member in self.members:
                if member.process.poll() is None:
                    told = member.ask("/maintenance/status")
                    if told.get("leader") == told["header"]["member_id"]:
                        return member
            time.sleep(0.02)
        raise TimeoutError(f"no leader in {SECONDS_MAX} s")

    def keys(self, prefix):
        """As Etcd.keys, of a member that lives."""
        return next(member for member in self.members if member.process.poll() is None).keys(prefix)

    def stop(self):
        for member in self.members:
            member.stop()
