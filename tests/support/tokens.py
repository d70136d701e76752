"""Keys and tokens as other tools make them: python3-jwt, and by hand with the standard library."""

import base64
import hashlib
import hmac
import json
import os
import time

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

RAW = (serialization.Encoding.Raw, serialization.PublicFormat.Raw)


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Secret:
    """A key for HS256."""

    def __init__(self, kid="secret"):
        self.kid, self.bytes = kid, os.urandom(32)

    def jwk(self):
        return {"kty": "oct", "kid": self.kid, "k": b64(self.bytes)}

    def sign(self, claims, **headers):
        return jwt.encode(claims, self.bytes, algorithm="HS256", headers={"kid": self.kid, **headers})


class Ed25519:
    """A pair of keys for EdDSA."""

    def __init__(self, kid="pair"):
        self.kid, self.private = kid, Ed25519PrivateKey.generate()
        self.public = self.private.public_key().public_bytes(*RAW)

    def jwk(self):
        return {"kty": "OKP", "crv": "Ed25519", "kid": self.kid, "x": b64(self.public)}

    def sign(self, claims, **headers):
        return jwt.encode(claims, self.private, algorithm="EdDSA", headers={"kid": self.kid, **headers})


def write_keys(path, *keys):
    # Replaces the file by a rename, as an operator would: a server that reads it sees the old or the new one.
    with open(f"{path}.new", "w", opener=lambda p, flags: os.open(p, flags, 0o600), encoding="utf-8") as file:
        json.dump({"keys": [k.jwk() for k in keys]}, file)
    os.rename(f"{path}.new", path)


def claims(subject="ada", role=None, seconds=600, **more):
    made = {"sub": subject, "exp": int(time.time()) + seconds, **more}
    return made if role is None else {**made, "role": role}


def by_hand(header, payload, secret):
    """A token whose parts are any JSON at all, or bytes, signed with HMAC-SHA256 (None: not signed)."""
    def part(value):
        return b64(value if isinstance(value, bytes) else json.dumps(value).encode())
    text = part(header) + "." + part(payload)
    mac = b"" if secret is None else hmac.new(secret, text.encode(), hashlib.sha256).digest()
    return text + "." + b64(mac)
