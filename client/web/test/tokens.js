// A key, and tokens of it as an operator signs them with `carom token` (RFC 7519, EdDSA).
import {generateKeyPairSync, sign} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';

const coded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** `file` is for `caromd --keys`; `token(role, seconds)`; `remove()` when the test ends. */
export function makeKeys() {
  const {publicKey, privateKey} = generateKeyPairSync('ed25519');
  const folder = mkdtempSync(path.join(os.tmpdir(), 'carom-keys-'));
  const file = path.join(folder, 'keys.json');
  writeFileSync(file, JSON.stringify({keys: [{...publicKey.export({format: 'jwk'}), kid: 'one', use: 'sig', alg: 'EdDSA'}]}));
  return {
    file,
    token(role, seconds = 600) {
      const now = Math.floor(Date.now() / 1000);
      const text = `${coded({alg: 'EdDSA', kid: 'one'})}.${coded({sub: role, role, iat: now - 3600, exp: now + seconds})}`;
      return `${text}.${sign(null, Buffer.from(text), privateKey).toString('base64url')}`;
    },
    remove: () => rmSync(folder, {recursive: true}),
  };
}
