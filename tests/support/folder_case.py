"""A test case around a folder whose files a caromd serves over HTTP."""

import http.client
import tempfile
from pathlib import Path

from caromd import Caromd
from patience import SECONDS_MAX
from wire_case import WireTest


class FolderTest(WireTest):
    """`self.top` is an empty folder; `self.folder`, within it, is what the server is given."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.top = Path(folder.name)

    def write(self, path, text):
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def start(self, program, *options):
        server = Caromd(program, "--threads", "1", *options)
        self.addCleanup(server.__exit__)
        self.port = server.http_port
        return server

    def get(self, path, method="GET", **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SECONDS_MAX)
        self.addCleanup(connection.close)
        connection.request(method, path, headers={name.replace("_", "-"): value for name, value in headers.items()})
        answer = connection.getresponse()
        answer.body = answer.read()
        return answer
