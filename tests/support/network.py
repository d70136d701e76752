"""A network of hosts on this machine: namespaces with an address each, joined by a bridge. Links between them can be cut, so that
packets vanish without an error. Needs root and iproute2.

The program that uses it runs in a namespace of its own (`isolate()`), so that nothing of it is reachable from outside:

    isolate()                            # first of all: starts the program again, inside
    with Network("abc") as network:
        Popen([*network.inside("a"), program, "--listen", network.address("a") + ":0"])
        network.cut("a", "b")            # neither gets what the other sends
        network.cut_off("a")             # from everybody, this program included
        network.heal()
"""

import os
import shutil
import subprocess
import sys

OUTSIDE = "CAROM_TEST_NETWORK"
HERE = "10.77.0.254"
NOWHERE = "02:00:00:00:00:01"  # a hardware address that nobody has


def ip(*words):
    subprocess.run(["ip", *words], check=True, capture_output=True)


def missing():
    """Why networks cannot be made here; None: they can."""
    if not all(shutil.which(program) for program in ("ip", "unshare")):
        return "ip or unshare is not installed (docker/install.sh test)"
    name = f"carom-{os.getpid()}"
    try:
        tried = subprocess.run(["unshare", "--net", "sh", "-c", f"ip link add {name[:14]} type bridge && ip netns add {name} && "
                                f"ip netns exec {name} true; code=$?; ip netns delete {name}; exit $code"],
                               capture_output=True, text=True, check=False)
    except OSError as error:
        return str(error)
    return None if tried.returncode == 0 else f"no network namespaces: {tried.stderr.strip()}"


def isolate():
    """Runs this program in a network of its own: returns there."""
    if OUTSIDE not in os.environ:
        os.environ[OUTSIDE] = "1"
        os.execvp("unshare", ["unshare", "--net", sys.executable, "-B", *sys.argv])
    ip("link", "set", "lo", "up")


class Network:
    HERE = HERE

    def __init__(self, hosts):
        self.hosts = hosts
        ip("link", "add", "hosts", "type", "bridge")
        ip("address", "add", f"{HERE}/24", "dev", "hosts")
        ip("link", "set", "hosts", "up")
        for host in hosts:
            ip("netns", "add", self.name(host))
            ip("link", "add", f"to-{host}", "type", "veth", "peer", "name", "eth0", "netns", self.name(host))
            ip("link", "set", f"to-{host}", "master", "hosts", "up")
            ip("-n", self.name(host), "address", "add", f"{self.address(host)}/24", "dev", "eth0")
            ip("-n", self.name(host), "link", "set", "eth0", "up")
            ip("-n", self.name(host), "link", "set", "lo", "up")
        self.lost = []  # (host, address): what the host sends there is lost
        self.off = set()

    @staticmethod
    def name(host):
        return f"carom-{os.getpid()}-{host}"

    def address(self, host):
        return f"10.77.0.{1 + self.hosts.index(host)}"

    def inside(self, host):
        """The words that start a program at the host."""
        return ["ip", "netns", "exec", self.name(host)]

    def cut(self, one, other):
        for host, peer in ((one, other), (other, one)):
            ip("-n", self.name(host), "neighbour", "replace", self.address(peer), "lladdr", NOWHERE, "dev", "eth0", "nud", "permanent")
            self.lost.append((host, self.address(peer)))

    def cut_off(self, host):
        ip("link", "set", f"to-{host}", "nomaster")
        self.off.add(host)

    def heal(self):
        for host, address in self.lost:
            ip("-n", self.name(host), "neighbour", "delete", address, "dev", "eth0")
        for host in self.off:
            ip("link", "set", f"to-{host}", "master", "hosts")
        self.lost, self.off = [], set()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            ip("netns", "delete", self.name(host))
        ip("link", "delete", "hosts")
