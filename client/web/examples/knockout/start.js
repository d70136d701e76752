// `npm start`: the server with the game's page, and its referee. Arguments are those of caromd, such as
// `npm start -- --http 0.0.0.0:8080`; CAROMD names the program, if it is not in the PATH.
//
// Players are guests. The referee's token is signed by a key that is made here, at each start, and is known to nobody else.
import {spawn} from 'node:child_process';
import {generateKeyPairSync, sign} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const DAY_S = 86400;
const coded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');

const folder = mkdtempSync(path.join(os.tmpdir(), 'knockout-'));
const {publicKey, privateKey} = generateKeyPairSync('ed25519');
writeFileSync(path.join(folder, 'keys.json'), JSON.stringify({keys: [{...publicKey.export({format: 'jwk'}), kid: 'start'}]}));
const claims = {sub: 'referee', role: 'referee', worlds: ['knockout*'], exp: Math.floor(Date.now() / 1000) + 365 * DAY_S};
const signed = `${coded({alg: 'EdDSA', kid: 'start'})}.${coded(claims)}`;
const token = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;

const children = [];
let code = 0;
function run(program, args, options) {
  const child = spawn(program, args, options);
  children.push(child);
  child.on('error', ({message}) => console.error(`${program}: ${message}; CAROMD may name the server's program`));
  child.on('close', (status) => { // one of them has ended: so does the other
    code ||= status ?? 1;
    stop();
  });
  return child;
}
function stop() {
  for (const child of children) child.kill();
  rmSync(folder, {recursive: true, force: true});
  process.exitCode = code;
}
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, stop);

const server = run(process.env.CAROMD ?? 'caromd', [
  '--keys', path.join(folder, 'keys.json'), '--guests', 'player', '--www', here('.'), '--template', `knockout=${here('arena.json')}`,
  ...process.argv.slice(2)], {stdio: ['ignore', 'inherit', 'pipe']});
let log = '';
server.stderr.setEncoding('utf8').on('data', (text) => {
  process.stderr.write(text);
  if (children.length > 1) return;
  log = (log + text).slice(-65536);
  const listening = /listening on (\S+:\d+)/.exec(log);
  if (!listening) return;
  run(process.execPath, [here('referee.js'), `tcp://${listening[1]}`], {stdio: 'inherit', env: {...process.env, CAROM_TOKEN: token}});
});
