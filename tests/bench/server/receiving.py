"""Sockets of clients that a benchmark reads by a selector, and connects again when a server goes."""

import socket


def receive(connection):
    """The bytes that have arrived: None if there are none, b"" if the connection has ended."""
    try:
        return connection.recv(1 << 18)
    except BlockingIOError:
        return None
    except ConnectionResetError:
        return b""


def connect_again(port, *messages):
    """A connection to the server that listens now; sends the messages, and reads without blocking."""
    connection = socket.create_connection(("127.0.0.1", port), 30)
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    for message in messages:
        connection.sendall(message)
    connection.setblocking(False)
    return connection
