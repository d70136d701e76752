"""Certificate authorities and certificates for a test, made by openssl."""

import subprocess
from pathlib import Path


class Folder:
    def __init__(self, path):
        self.path = Path(path)
        self.path.mkdir(parents=True)

    def key(self, name):
        return str(self.path / f"{name}.key")

    def certificate(self, name):
        return str(self.path / f"{name}.crt")

    @staticmethod
    def openssl(*words):
        subprocess.run(["openssl", *words], check=True, capture_output=True)

    def authority(self, name):
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2",
                     "-subj", f"/CN={name}", "-keyout", self.key(name), "-out", self.certificate(name))
        return name

    def signed(self, name, authority, address=None):
        """A certificate for a server at the address and for clients."""
        request, extensions = self.path / f"{name}.csr", self.path / f"{name}.ext"
        extensions.write_text("extendedKeyUsage=serverAuth,clientAuth\n"
                              + (f"subjectAltName=IP:{address}\n" if address else ""))
        self.openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", f"/CN={name}",
                     "-keyout", self.key(name), "-out", str(request))
        self.openssl("x509", "-req", "-days", "2", "-in", str(request), "-CA", self.certificate(authority), "-CAkey",
                     self.key(authority), "-CAcreateserial", "-extfile", str(extensions),
                     "-out", self.certificate(name))
        return name
