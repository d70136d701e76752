"""Many sessions to which the same happens at once."""

import time

from attacks import attack, drain, pack, wait
from wire import Client

SESSIONS = 4000
BLOCK = 250  # hellos that wait for their answers


def sign_in(target, count, expires_in=3600.0):
    """Sessions of as many subjects, with tokens that end at the same time."""
    until = int(time.time() + expires_in)
    clients = []
    for first in range(0, count, BLOCK):
        some = [Client(target.port) for _ in range(first, min(first + BLOCK, count))]
        for i, client in enumerate(some):
            client.send(pack(1, "hello", token=target.token("viewer", sub=f"s{first + i}", exp=until)))
        for client in some:
            client.answer(1)
        clients += some
    return clients, until


@attack("tokens of 4 000 sessions that end at once", keys=True, options=("--limit", "connections=5000"))
def tokens_that_end(target, until):
    clients, end = sign_in(target, SESSIONS, 30.0)
    while time.time() < end - 0.5:
        time.sleep(0.05)
    target.begun()
    drain(clients, until)
    wait(until)


@attack("a key of 4 000 sessions that is removed", other_key=True, options=("--limit", "connections=5000"))
def key_that_is_removed(target, until):
    clients, _ = sign_in(target, SESSIONS)
    target.begun()
    time.sleep(0.2)
    target.remove_key()
    drain(clients, until)
    wait(until)
