#!/usr/bin/env python3
"""Keys and tokens with `carom token`, and connecting with them. Called with the paths of caromd and carom."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from cli import ACTS, CAROM, CAROMD, Caromd, REFUSED, SECONDS_MAX, USAGE, carom, environment, tame  # noqa: E402

import jwt  # noqa: E402
from tokens import Ed25519, Secret, b64, claims, write_keys  # noqa: E402
from wire import Client  # noqa: E402


class TokenTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def path(self, name):
        return str(self.folder / name)

    def ok(self, *words, **more):
        result = carom(*words, **more)
        self.assertEqual((result.code, result.err), (0, ""), words)
        return result.out

    def serve(self, keys):
        server = Caromd(CAROMD, "--keys", keys)
        self.addCleanup(server.__exit__)
        return server


class Keygen(TokenTest):
    def test_files_are_for_their_owner_alone(self):
        self.ok("token", "keygen", self.path("signing.json"), "--public", self.path("keys.json"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("signing.json")).st_mode), 0o600)
        keys = json.loads(Path(self.path("keys.json")).read_text())["keys"]
        self.assertEqual(sorted(keys[0]), ["alg", "crv", "kid", "kty", "use", "x"])

    def test_file_that_is_there_is_not_replaced(self):
        self.ok("token", "keygen", self.path("a"), "--kid", "one")
        result = carom("token", "keygen", self.path("a"))
        self.assertEqual(result.code, USAGE)
        self.assertIn("--add", result.err)
        self.ok("token", "keygen", self.path("a"), "--kid", "two", "--alg", "hs256", "--add")
        keys = json.loads(Path(self.path("a")).read_text())["keys"]
        self.assertEqual([k["kid"] for k in keys], ["one", "two"])

    def test_public_halves_that_are_there_are_not_replaced(self):
        public = Path(self.path("keys"))
        public.write_text("others")
        words = ("token", "keygen", self.path("a"), "--public", str(public))
        result = carom(*words)
        self.assertEqual((result.code, public.read_text()), (USAGE, "others"))
        self.assertIn(f"{public} exists already\n  --force replaces it", result.err)
        self.assertFalse(Path(self.path("a")).exists())
        self.ok(*words, "--force")
        self.assertIn("keys", json.loads(public.read_text()))

    def test_public_halves_never_replace_keys(self):
        keys, public = Path(self.path("keys")), Path(self.path("public"))
        self.ok("token", "keygen", str(keys), "--public", str(public))
        link, other = Path(self.path("link")), Path(self.path("other"))
        link.symlink_to(keys)
        self.ok("token", "keygen", str(other))
        for path, words in ((keys, "is the file of the keys"), (link, "is the file of the keys"), (other, "has private halves")):
            before = keys.read_text(), other.read_text()
            result = carom("token", "keygen", str(keys), "--add", "--public", str(path))
            self.assertEqual(USAGE, result.code)
            self.assertIn(words, result.err)
            self.assertEqual(before, (keys.read_text(), other.read_text()))
        result = carom("token", "sign", str(keys), "--sub", "ada", "--out", str(link), "--force")
        self.assertEqual((USAGE, before[0]), (result.code, keys.read_text()))
        self.assertIn("is the file of the keys", result.err)
        new = Path(self.path("new"))
        result = carom("token", "keygen", str(new), "--public", str(new), "--force")
        self.assertEqual((USAGE, False), (result.code, new.exists()))
        result = carom("token", "keygen", str(new), "--add", "--public", str(public))  # those of other keys
        self.assertEqual((USAGE, False), (result.code, new.exists()))
        self.assertIn(f"{public} exists already", result.err)

    def test_file_that_cannot_be_written_is_a_fault_of_the_command_line(self):
        self.ok("token", "keygen", self.path("a"))
        for words in (("keygen", "/nowhere/a"), ("keygen", self.path("b"), "--public", "/nowhere/b"),
                      ("sign", self.path("a"), "--sub", "ada", "--out", "/nowhere/t")):
            result = carom("token", *words)
            self.assertEqual(result.code, USAGE, words)
            self.assertIn("cannot write /nowhere/", result.err)

    def test_secret_has_no_public_half(self):
        result = carom("token", "keygen", self.path("a"), "--alg", "hs256", "--public", self.path("b"))
        self.assertEqual(result.code, USAGE)


class Sign(TokenTest):
    def test_claims_that_every_server_refuses_are_not_signed(self):
        path = self.path("keys")
        for kid in ("", "k" * 129):
            self.assertIn("--kid: 1 to 128 bytes", carom("token", "keygen", path, "--kid", kid).err)
        self.ok("token", "keygen", path, "--kid", "k" * 128)
        for words, wanted in ((("--sub", ""), "--sub: 1 to 64 bytes"), (("--sub", "a\nb"), "--sub: 1 to 64 bytes"),
                              (("--sub", "x" * 65), "--sub: 1 to 64 bytes"), (("--sub", "a", "--claim", "sub=5"), "--sub: 1 to 64 bytes"),
                              (("--sub", "a", "--worlds", ""), "--worlds: 1 to 32 names"),
                              (("--sub", "a", "--worlds", ",".join(["w"] * 33)), "--worlds: 1 to 32 names"),
                              (("--sub", "a", "--worlds", "arena,a b"), "--worlds: 'a b' is no world's name"),
                              (("--sub", "a", "--worlds", "a*b"), "--worlds: 'a*b' is no world's name"),
                              (("--sub", "a", "--worlds", ".."), "--worlds: '..' is no world's name"),
                              (("--sub", "a", "--claim", "exp=soon"), "--claim exp: seconds since 1970")):
            result = carom("token", "sign", path, *words)
            self.assertEqual((USAGE, "", True), (result.code, result.out, wanted in result.err), (words, result.err))
        with self.serve(path) as server:
            token = self.ok("token", "sign", path, "--sub", "x" * 64, "--worlds", ",".join(["w" * 63 + "*"] * 31 + ["*"]), "--claim", "nbf=1.5")
            with Client(server.port) as client:
                self.assertEqual("player", client.call("hello", token=token.strip())["role"])

    def test_other_tools_read_what_is_signed(self):
        for alg, name in (("hs256", "HS256"), ("eddsa", "EdDSA")):
            with self.subTest(alg):
                path = self.path(alg)
                self.ok("token", "keygen", path, "--alg", alg, "--kid", "k")
                begin = int(time.time())
                token = self.ok("token", "sign", path, "--sub", "ada", "--role", "admin", "--for", "2m",
                                "--worlds", "arena,lobby-*", "--claim", "areas=[[0,0,1,1]]", "--claim",
                                "team=red").strip()
                key = jwt.PyJWK.from_dict(json.loads(Path(path).read_text())["keys"][0]).key
                if alg == "eddsa":
                    key = key.public_key()
                read = jwt.decode(token, key, algorithms=[name], audience="carom")
                self.assertTrue(begin + 120 <= read["exp"] <= time.time() + 120, (begin, read["exp"]))
                self.assertEqual([read[k] for k in ("sub", "role", "worlds", "areas", "team")],
                                 ["ada", "admin", ["arena", "lobby-*"], [[0, 0, 1, 1]], "red"])

    def test_server_lets_in_by_them(self):
        self.ok("token", "keygen", self.path("signing"), "--public", self.path("keys"))
        server = self.serve(self.path("keys"))
        self.ok("token", "sign", self.path("signing"), "--sub", "ada", "--role", "admin", "--out", self.path("t"))
        self.assertEqual(stat.S_IMODE(os.stat(self.path("t")).st_mode), 0o600)
        token = Path(self.path("t")).read_text().strip()
        for words, env in ((["--token-file", self.path("t")], {}), (["--token", token], {}),
                           ([f"--token={token}"], {}), ([], {"CAROM_TOKEN": token}),
                           ([], {"CAROM_TOKEN_FILE": self.path("t")})):
            with self.subTest(words=words[:1], env=list(env)):
                self.assertIn("ada", self.ok(*words, "sessions", port=server.port, env=env))
        refused = carom("worlds", port=server.port)
        self.assertEqual(refused.code, REFUSED)
        self.assertIn("unauthenticated", refused.err)
        self.assertIn("the server wants a token: --token-file FILE", refused.err)

    def test_rotation_as_the_help_says(self):
        signing, keys = self.path("signing"), self.path("keys")
        self.ok("token", "keygen", signing, "--kid", "one", "--public", keys)
        server = self.serve(keys)
        first = self.ok("token", "sign", signing, "--sub", "ada").strip()
        self.ok("token", "keygen", signing, "--kid", "two", "--add", "--public", keys)
        server.process.send_signal(signal.SIGHUP)
        second = self.ok("token", "sign", signing, "--sub", "bob").strip()
        while not [line for line in server.log if "2 keys were read" in line]:
            time.sleep(0.01)
        for token in (first, second, self.ok("token", "sign", signing, "--sub", "eve", "--kid", "one").strip()):
            self.ok("worlds", port=server.port, env={"CAROM_TOKEN": token})
        self.assertNotEqual(jwt.get_unverified_header(first)["kid"], jwt.get_unverified_header(second)["kid"])

    def test_file_that_is_there_is_not_replaced(self):
        signing = Path(self.path("signing"))
        self.ok("token", "keygen", str(signing))
        keys = signing.read_text()
        renewed = self.path("ada.token")
        words = ("token", "sign", str(signing), "--sub", "ada", "--out", renewed)
        self.ok(*words)
        first = Path(renewed).read_text()
        result = carom(*words)
        self.assertEqual((result.code, Path(renewed).read_text(), signing.read_text()), (USAGE, first, keys))
        self.assertIn(f"{renewed} exists already\n  --force replaces it", result.err)
        self.ok(*words, "--for", "2h", "--force")
        self.assertNotEqual(first, Path(renewed).read_text())

    def test_file_that_is_not_there_is_told_with_its_source(self):
        for words, env, source in ((["--token-file", "nosuch"], {}, "--token-file"), ([], {"CAROM_TOKEN_FILE": "nosuch"}, "CAROM_TOKEN_FILE"),
                                   (["--ca", "nosuch", "--server", "caroms://127.0.0.1:1"], {}, "--ca")):
            result = carom(*words, "worlds", env=env)
            self.assertEqual(result.code, USAGE, words)
            self.assertRegex(result.err, rf"nosuch[\s\S]*\n  {source} names the file\n")

    def test_what_cannot_sign_is_told(self):
        self.ok("token", "keygen", self.path("signing"), "--public", self.path("keys"))
        for words, text in ((["keys", "--sub", "a"], "private half"), (["signing"], "--sub is missing"),
                            (["signing", "--sub", "a", "--kid", "x"], "has no key 'x'"),
                            (["nowhere", "--sub", "a"], "cannot read"),
                            (["signing", "--sub", "a", "--claim", "x=" + "y" * 5000], "4096 bytes")):
            result = carom("token", "sign", self.path(words[0]), *words[1:])
            self.assertEqual(result.code, USAGE, words[:3])
            self.assertIn(text, result.err)
        secret = json.loads(Path(self.path("signing")).read_text())["keys"][0]["d"]
        self.assertNotIn(secret, result.err)


class Show(TokenTest):
    def test_token_of_another_tool_is_taken_apart(self):
        token = Ed25519("theirs").sign(claims("ada", "player", 3600, worlds=["arena"]))
        Path(self.path("t")).write_text(token + "\n")
        out = self.ok("token", "show", self.path("t"))
        for text in ("theirs", "EdDSA", "ada", "player", "in ", '["arena"]'):
            self.assertIn(text, out)
        parts = json.loads(self.ok("token", "show", "--json", env={"CAROM_TOKEN": token}))
        self.assertEqual(parts["claims"]["sub"], "ada")
        self.assertEqual(json.loads(self.ok("token", "show", "-", "--json", input=token))["header"]["kid"], "theirs")

    def test_texts_in_it_do_not_act_on_the_terminal(self):
        parts = {"alg": "EdDSA", "kid": "k" + ACTS}, {"sub": "ada" + ACTS, "exp": 1e300, "jti": ACTS}
        token = ".".join([*(b64(json.dumps(part).encode()) for part in parts), "x"])
        out = self.ok("token", "show", "-", input=token)
        self.assertTrue(tame(out), repr(out))
        self.assertRegex(out, r"(?m)^subject +ada\?")
        self.assertRegex(out, r"(?m)^expires +1e\+300 s after 1970$")

    def test_other_texts_are_told(self):
        for text in ("", "abc", "a.b.c", "....", "e30.e30"):
            Path(self.path("t")).write_text(text)
            result = carom("token", "show", self.path("t"))
            self.assertEqual(result.code, USAGE)
            self.assertIn("JSON Web Token", result.err)
        self.assertEqual(carom("token", "show").code, USAGE)

    def test_token_in_place_of_its_file_stands_in_no_text(self):
        token = Ed25519("theirs").sign(claims("ada", "player", 3600))
        for words in (("token", "show", token), ("--token-file", token, "worlds")):
            result = carom(*words)
            self.assertEqual(result.code, USAGE)
            self.assertIn("not the token itself", result.err)
            self.assertNotIn(token, result.err)


class ProcessList(TokenTest):
    def test_token_of_the_command_line_is_taken_out_of_it(self):
        secret = Secret()
        write_keys(self.path("keys"), secret)
        server = self.serve(self.path("keys"))
        token = secret.sign(claims("ada", "admin"))
        self.ok("create", "yard", port=server.port, env={"CAROM_TOKEN": token})
        process = subprocess.Popen([CAROM, "--token", token, "events", "yard"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{server.port}"))
        try:
            end = time.monotonic() + SECONDS_MAX
            while "ada" not in self.ok("sessions", port=server.port, env={"CAROM_TOKEN": secret.sign(
                    claims("root", "admin"))}):
                self.assertLess(time.monotonic(), end)
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        finally:
            process.terminate()
            process.wait()
        self.assertIn(b"events", line)
        self.assertNotIn(token[:20].encode(), line)

    def test_token_reaches_the_program_that_is_started_but_not_its_command_line(self):
        secret = Secret()
        write_keys(self.path("keys"), secret)
        server = self.serve(self.path("keys"))
        token = secret.sign(claims("ada", "admin"))
        # --token takes precedence over --token-file, as in carom itself.
        process = subprocess.Popen([CAROM, f"--token={token}", "bench", "--token-file", "/nowhere", "-c", "1", "-d", "60s"],
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment(CAROM_SERVER=f"127.0.0.1:{server.port}"))
        try:
            end = time.monotonic() + SECONDS_MAX
            while not carom("worlds", "--names", port=server.port, env={"CAROM_TOKEN": token}).out:
                self.assertIsNone(process.poll(), "bench has ended")
                self.assertLess(time.monotonic(), end)
            line = Path(f"/proc/{process.pid}/cmdline").read_bytes()
        finally:
            process.terminate()
            process.communicate()
        self.assertIn(b"carom bench\0--", line)
        self.assertNotIn(token[:20].encode(), line)


class OpenSsl(TokenTest):
    """Tokens made by hand with the openssl program."""

    def openssl(self, *words, input=None):
        return subprocess.run(["openssl", *words], input=input, capture_output=True, check=True).stdout

    def test_eddsa_and_hs256(self):
        pem = self.path("key.pem")
        self.openssl("genpkey", "-algorithm", "ed25519", "-out", pem)
        public = self.openssl("pkey", "-in", pem, "-pubout", "-outform", "DER")[-32:]
        secret = self.openssl("rand", "32")
        Path(self.path("keys")).write_text(json.dumps({"keys": [
            {"kty": "OKP", "crv": "Ed25519", "kid": "e", "x": b64(public)},
            {"kty": "oct", "kid": "h", "k": b64(secret)}]}))
        server = self.serve(self.path("keys"))
        for kid, alg in (("e", "EdDSA"), ("h", "HS256")):
            text = ".".join(b64(json.dumps(part).encode()) for part in ({"alg": alg, "kid": kid}, claims("ada")))
            Path(self.path("text")).write_text(text)
            signature = (self.openssl("pkeyutl", "-sign", "-inkey", pem, "-rawin", "-in", self.path("text"))
                         if kid == "e" else
                         self.openssl("dgst", "-sha256", "-mac", "HMAC", "-macopt", f"hexkey:{secret.hex()}", "-binary",
                                      self.path("text")))
            self.ok("worlds", port=server.port, env={"CAROM_TOKEN": f"{text}.{b64(signature)}"})
        self.assertFalse([line for line in server.log if re.search("key|token", line) and secret.hex() in line])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
