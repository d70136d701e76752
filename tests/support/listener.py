"""A server of the test's own: a thread that accepts connections, and has ended when the server is left."""

import socket
import threading

from patience import SECONDS_MAX


class Listener:
    """Calls `serve` with each connection, one after the other. Leaving awaits the thread: an accept that it had still
    to make would take the connections of the next listener, which may have the same descriptor."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.accept, daemon=True)
        self.thread.start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            self.serve(connection)

    def serve(self, connection):
        raise NotImplementedError

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)  # ends an accept; closing alone does not
        self.thread.join(SECONDS_MAX)
        self.listener.close()
