#!/usr/bin/env python3
"""Memory that idle connections take: connected alone, and with a session that said hello.

    idle.py CAROMD [--connections N]

Prints kilobytes of the process for each connection (VmRSS), without the kernel's socket buffers."""

import argparse
import resource
import socket
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from caromd import Caromd  # noqa: E402
from wire import Client  # noqa: E402

HELLO = b"\x94\x00\x01\xa5hello\x91\x80"


def resident_kb(process):
    status = Path(f"/proc/{process.pid}/status").read_text().splitlines()
    return int(next(line for line in status if line.startswith("VmRSS")).split()[1])


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caromd")
    parser.add_argument("--connections", type=int, default=10000)
    arguments = parser.parse_args()
    count = arguments.connections
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 500), hard))
    with Caromd(arguments.caromd, "--limit", f"connections={count + 10}", "--limit", "first_message_ms=600000") as server:
        watcher = Client(server.port)
        before = resident_kb(server.process)
        sockets = []
        for _ in range(count):
            sockets.append(socket.create_connection(("127.0.0.1", server.port)))
        watcher.call("ping")
        connected = resident_kb(server.process)
        for one in sockets:
            one.sendall(HELLO)
        for one in sockets:
            one.recv(1 << 16)
        greeted = resident_kb(server.process)
        sessions = watcher.call("server.info")["sessions"]
        for one in sockets:
            one.close()
    print("| connections | process before, MB | connected, kB each | with a session, kB each | process, MB |")
    print("| ---: | ---: | ---: | ---: | ---: |")
    print(f"| {sessions - 1} | {before / 1024:.1f} | {(connected - before) / count:.2f} | "
          f"{(greeted - before) / count:.2f} | {greeted / 1024:.0f} |")


if __name__ == "__main__":
    main()
