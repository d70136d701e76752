#!/usr/bin/env python3
"""The cost of TLS for the server: processor time of a handshake and of a megabyte, memory of a connection.

    tls.py CAROMD [--handshakes N] [--megabytes N] [--connections N]

Times are of the server's process (user and system), so that the client, which is Python, does not count. Except for the
second column: the median elapsed time that the client waits, from connecting to the answer to its hello. Its socket has
the system's defaults, so the kernel delays small writes (Nagle's algorithm). The megabytes are plain snapshots of a
thousand moving bodies, to eight subscribers."""

import argparse
import os
import resource
import shutil
import socket
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402
from wire import Client  # noqa: E402

HELLO = b"\x94\x00\x01\xa5hello\x91\x80"


def cpu_seconds(process):
    fields = Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_kb(process):
    status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


class Bench:
    def __init__(self, caromd, folder, count):
        self.options = ["--threads", "1", "--http", "off", "--limit", f"connections={count + 10}", "--limit",
                        "first_message_ms=600000"]
        self.caromd, self.folder, self.connections = caromd, folder, count
        subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                        "-keyout", "k.pem", "-out", "c.pem", "-subj", "/CN=localhost", "-addext",
                        "subjectAltName=DNS:localhost"], cwd=folder, check=True, stderr=subprocess.DEVNULL)
        self.context = ssl.create_default_context(cafile=f"{folder}/c.pem")

    def serve(self, tls):
        files = ["--tls-cert", f"{self.folder}/c.pem", "--tls-key", f"{self.folder}/k.pem"] if tls else []
        return Caromd(self.caromd, *self.options, *files)

    def connect(self, server, tls):
        opened = socket.create_connection(("127.0.0.1", server.port))
        return self.context.wrap_socket(opened, server_hostname="localhost") if tls else opened

    def handshake(self, tls, count):
        """The server's milliseconds for a whole connection with one hello; and the median of those that the
        client waits for the answer."""
        with self.serve(tls) as server:
            before, waits = cpu_seconds(server.process), []
            for _ in range(count):
                began = time.monotonic()
                with self.connect(server, tls) as one:
                    one.sendall(HELLO)
                    one.recv(1 << 16)
                    waits.append(time.monotonic() - began)
            return (1e3 * (cpu_seconds(server.process) - before) / count, 1e3 * statistics.median(waits))

    def megabyte(self, tls, megabytes):
        """The server's milliseconds for sending a megabyte of snapshots, including the world's steps."""
        with self.serve(tls) as server:
            client = Client(None, connected=self.connect(server, tls))
            client.call("world.create", world="w", gravity=[0, 0])
            for _ in range(1000):
                client.notify("body.spawn", world="w", shapes=[], velocity=[1.0, 0.5])
            readers = [Client(None, connected=self.connect(server, tls)) for _ in range(8)]
            for reader in readers:
                reader.call("world.subscribe", world="w", events=[])
            before, got = cpu_seconds(server.process), 0
            while got < megabytes << 20:
                for reader in readers:
                    got += len(reader.socket.recv(1 << 20))
            return 1e3 * (cpu_seconds(server.process) - before) / megabytes

    def memory(self, tls):
        """Kilobytes of an idle session."""
        with self.serve(tls) as server:
            with self.connect(server, tls) as first:
                first.sendall(HELLO)
                first.recv(1 << 16)
                before = resident_kb(server.process)
                crowd = []
                for _ in range(self.connections):
                    one = self.connect(server, tls)
                    one.sendall(HELLO)
                    one.recv(1 << 16)
                    crowd.append(one)
                time.sleep(0.2)
                after = resident_kb(server.process)
                for one in crowd:
                    one.close()
            return (after - before) / self.connections


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caromd")
    parser.add_argument("--handshakes", type=int, default=1000)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--connections", type=int, default=1000)
    arguments = parser.parse_args()
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, arguments.connections + 500), hard))
    folder = tempfile.mkdtemp(prefix="carom-bench-tls-")
    try:
        bench = Bench(arguments.caromd, folder, arguments.connections)
        print("| | ms a connection and hello | the client waits, ms | connections a second and processor | "
              "ms a MB of snapshots | kB an idle session |")
        print("| --- | ---: | ---: | ---: | ---: | ---: |")
        for tls in (False, True):
            shake, waits = bench.handshake(tls, arguments.handshakes)
            print(f"| {'TLS' if tls else 'plain'} | {shake:.2f} | {waits:.2f} | {1e3 / shake:.0f} | "
                  f"{bench.megabyte(tls, arguments.megabytes):.2f} | {bench.memory(tls):.1f} |", flush=True)
    finally:
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
