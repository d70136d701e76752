#!/usr/bin/env python3
"""How long a well-behaved client waits for its acknowledgements while others attack the server.

    fairness.py CAROMD [--seconds S] [--only WORD] [--limit NAME=VALUE ...] [--check]

The server has one simulation thread and two worlds of 60 Hz. A client sends an impulse every 5 ms to its
world and times each acknowledgement; meanwhile another process attacks, in the other world or, where a
row says so, in the same (attacks/__init__.py explains attacks). A relay is asked queries: it accepts no commands. A command waits for the next tick by
design, so that 17 ms is the most that an idle server takes. The attack, the client and the server's
threads share the processors: figures from a busy machine mean little. A turn of the network thread is from an event until
it waits for the next, also where the thread itself waits for a processor (server.stats, `turn`). The last columns are processor
time, where 100 is one processor."""

import argparse
import collections
import multiprocessing
import os
import select
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "support"))
from attacks import ATTACKS, BALL, Target, pack, watch  # noqa: E402
from caromd import Caromd  # noqa: E402
from tokens import Secret, claims, write_keys  # noqa: E402
from wire import Client, Closed  # noqa: E402

EVERY_S = 0.005
TICK_MS = 1000 / 60
NOTHING = "nothing"  # the row with which the others are compared
KEY = Secret()
OTHER_KEY = Secret("other")  # an attack may have it removed


def sign(role, sub="mal", key=KEY, **more):
    return key.sign(claims(sub, role, **more))


def sign_other(role, sub="mal", **more):
    return sign(role, sub, OTHER_KEY, **more)


def run_attack(name, port, http_port, world, until, begun, upstream=None, remove_key=None):
    try:
        signs = (sign_other if ATTACKS[name].other_key else sign) if ATTACKS[name].keys else None
        ATTACKS[name].run(Target(port, http_port, world, begun, signs, upstream, remove_key), until)
    finally:
        begun.set()


def acknowledgements(client, seconds, method, **arguments):
    """Measures the milliseconds from each request to its answer."""
    sent, times = {}, []
    number, begin = 10**6, time.monotonic()
    next_at = begin
    client.socket.setblocking(False)

    def receive():
        try:
            while data := client.socket.recv(1 << 16):
                client.unpacker.feed(data)
        except (BlockingIOError, ssl.SSLWantReadError):
            pass
    while time.monotonic() < begin + seconds or (sent and time.monotonic() < begin + seconds + 20):
        now = time.monotonic()
        if now >= next_at and now < begin + seconds:
            number += 1
            sent[number] = now
            client.socket.send(pack(number, method, **arguments))
            next_at += EVERY_S
        if select.select([client.socket], [], [], max(0, min(next_at - time.monotonic(), EVERY_S)))[0]:
            receive()
            now = time.monotonic()
            for message in client.unpacker:
                if message[0] == 1 and message[1] in sent:
                    times.append(1000 * (now - sent.pop(message[1])))
    times += [1000 * (time.monotonic() - t) for t in sent.values()]  # never answered
    return sorted(times)


def memory_bound(options):
    """The limit of --memory in MB; None without one."""
    return float(options[options.index("--memory") + 1].removesuffix("G")) * 1024 if "--memory" in options else None


def cpu_seconds(pid):
    """Processor seconds of each thread, by name."""
    used = collections.Counter()
    for task in Path(f"/proc/{pid}/task").iterdir():
        name, fields = (task / "stat").read_text().rsplit(")", 1)
        used[name.split("(", 1)[1]] += sum(map(int, fields.split()[11:13])) / os.sysconf("SC_CLK_TCK")
    return used


def measure(caromd, limits, name, same, seconds):
    chosen = ATTACKS[name]
    with tempfile.TemporaryDirectory() as folder:
        options = [option.replace("FOLDER", folder) for option in chosen.options]
        options += [word for limit in limits for word in ("--limit", limit)]
        if chosen.keys:
            keys = os.path.join(folder, "keys.json")
            write_keys(keys, KEY, OTHER_KEY)
            options += ["--keys", keys]
        if chosen.tls:
            certify(folder)
            options += ["--tls-cert", f"{folder}/c.pem", "--tls-key", f"{folder}/k.pem"]
        upstream = Caromd(caromd, "--http", "off") if chosen.relay else None
        if upstream:
            options += ["--relay", f"127.0.0.1:{upstream.port}"]
        server = Caromd(caromd, "--threads", "1", *options)

        def remove_key():
            write_keys(keys, KEY)
            server.process.send_signal(signal.SIGHUP)
        try:
            return measure_on(server, upstream, chosen, name, same, seconds, remove_key)
        finally:
            server.kill()  # a long step would delay the server's end
            if upstream:
                upstream.kill()


def certify(folder):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout",
                    "k.pem", "-out", "c.pem", "-subj", "/CN=localhost"], cwd=folder, check=True, stderr=subprocess.DEVNULL)


def measure_on(server, upstream, chosen, name, same, seconds, remove_key):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE

    def connect(at=server):
        client = Client(at.port)
        if chosen.tls:
            client.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client.socket = context.wrap_socket(client.socket)
        if chosen.keys:
            client.call("hello", token=sign("admin", "victim"))
        return client
    client = connect(upstream or server)
    for world in ("mine", "theirs"):
        client.call("world.create", world=world, gravity=[0, 0])
    body = client.call("body.spawn", world="mine", shapes=[BALL])["body"]
    request = {"method": "body.impulse", "world": "mine", "body": body, "impulse": [0, 0]}
    if upstream:
        client = connect()
        watch(client, "mine")
        request = {"method": "query.overlap", "world": "mine", "area": [0, 0, 1, 1]}
    begun = multiprocessing.Event()
    # The attack continues until the victim has its answers, and is then ended.
    process = multiprocessing.Process(target=run_attack, args=(
        name, server.port, server.http_port, "mine" if same else "theirs", time.monotonic() + 600, begun, upstream and upstream.port,
        remove_key))
    process.start()
    begun.wait(60)
    before = cpu_seconds(server.process.pid), cpu_seconds(process.pid)
    times = acknowledgements(client, seconds, **request)
    used = [after - first for after, first in zip((cpu_seconds(server.process.pid), cpu_seconds(process.pid)), before)]
    if not process.is_alive():
        sys.exit(f"the attack '{name}' ended by itself")
    process.kill()
    process.join()
    client.socket.close()
    memory = [line for line in Path(f"/proc/{server.process.pid}/status").read_text().splitlines()
              if line.startswith("VmHWM")][0].split()[1]
    for _ in range(100):
        try:
            return times, int(memory) / 1024, connect().call("server.stats"), used
        except (Closed, ConnectionError):  # for a while the attack's connections have all places
            time.sleep(0.1)
    sys.exit(f"nobody was let in after the attack '{name}'")


def percentile(times, share):
    return times[min(len(times) - 1, int(share * len(times)))]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("caromd")
    parser.add_argument("--seconds", type=float, default=6)
    parser.add_argument("--limit", action="append", default=[], help="of the server, NAME=VALUE")
    parser.add_argument("--counters", action="store_true", help="print the server's after each attack")
    parser.add_argument("--only", default="", help="attacks whose name has this in it")
    parser.add_argument("--check", action="store_true", help="fail where another world waits a tick longer, or --memory is exceeded")
    arguments = parser.parse_args()
    print("| attack | in | acknowledgements | p50 ms | p99 ms | max ms | turn p99 ms | turn max ms | memory MB | network % | worlds % | attack % |")
    print("| --- | --- |" + " ---: |" * 10)
    slow, large = [], []
    idle = None
    for name, chosen in ATTACKS.items():
        for same in (False, True):
            if (same and not chosen.same) or (name != NOTHING and arguments.only not in name):
                continue
            times, memory, stats, used = measure(arguments.caromd, arguments.limit, name, same, arguments.seconds)

            def share(threads, prefix):
                return round(100 * sum(s for name, s in threads.items() if name.startswith(prefix)) / arguments.seconds)

            p50, p99, most = (percentile(times, share) for share in (0.5, 0.99, 1))
            idle = p99 if idle is None else idle
            turn = stats["latencies"]["turn"]
            print(f"| {name} | {'the same' if same else 'another'} world | {len(times)} | {p50:.1f} | {p99:.1f} | "
                  f"{most:.1f} | {1000 * turn['p99']:.1f} | {1000 * turn['max']:.1f} | {memory:.0f} | {share(used[0], 'caromd')} | {share(used[0], 'carom-sim')} | "
                  f"{share(used[1], '')} |", flush=True)
            if arguments.counters:
                print({name: value for name, value in stats["counters"].items() if value})
            if not same and p99 > idle + TICK_MS:
                slow.append(name)
            if memory > (memory_bound(chosen.options) or memory):
                large.append(name)
    if arguments.check and large:
        sys.exit(f"the server took more than --memory: {', '.join(large)}")
    if arguments.check and slow:
        sys.exit(f"another world waited more than a tick longer: {', '.join(slow)}")


if __name__ == "__main__":
    main()
