// `npm start`: builds the game, and starts caromd, which serves it, and the referee. `npm run dev` (--watch) builds again when a file
// changes, and starts the referee again; the game goes on. `--built` takes what is built already. Other arguments are those of caromd, such
// as `npm start -- --http 0.0.0.0:22767`; CAROMD names the program, if it is not in the PATH.
//
// Players are guests. The referee's token is signed by a key that is made here, at each start, and is known to nobody else.
import {spawn} from 'node:child_process';
import {generateKeyPairSync, sign} from 'node:crypto';
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';

const NAME = '__NAME__'; // name of the template, as in src/game.ts
const DAY_S = 86400;
const LOG_MAX = 65536; // characters of the server's log that are searched for its address

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
const args = process.argv.slice(2);
const take = (option) => args.includes(option) && args.splice(args.indexOf(option), 1).length > 0;
const watch = take('--watch');
const built = take('--built');

// ---- keys and token

const coded = (value) => Buffer.from(JSON.stringify(value)).toString('base64url');
const folder = mkdtempSync(path.join(os.tmpdir(), `${NAME}-`));
const {publicKey, privateKey} = generateKeyPairSync('ed25519');
writeFileSync(path.join(folder, 'keys.json'), JSON.stringify({keys: [{...publicKey.export({format: 'jwk'}), kid: 'start'}]}));
const claims = {sub: 'referee', role: 'referee', worlds: [`${NAME}*`], exp: Math.floor(Date.now() / 1000) + 365 * DAY_S};
const signed = `${coded({alg: 'EdDSA', kid: 'start'})}.${coded(claims)}`;
const token = `${signed}.${sign(null, Buffer.from(signed), privateKey).toString('base64url')}`;

// ---- programs

const children = new Set();
let stopped = false;
let address = ''; // address of the server, for the referee
let referee = null;

function stop(code = 0) {
  if (stopped) return;
  stopped = true;
  process.exitCode = code;
  for (const child of children) child.kill();
  rmSync(folder, {recursive: true, force: true});
  watching.forEach((context) => context.dispose());
}

// Starts a program; when it ends by itself, all end.
function run(program, args, options) {
  const child = spawn(program, args, options);
  children.add(child);
  child.on('error', ({code, message}) => {
    console.error(code === 'ENOENT' ? `There is no program ${program}: install carom's server, or name it by CAROMD=/path/to/caromd` : message);
    stop(1);
  });
  child.on('close', (status) => {
    children.delete(child);
    if (child !== replaced) stop(status ?? 1);
  });
  return child;
}

let replaced = null; // the referee that another takes over from
function startReferee() {
  if (address === '' || stopped) return;
  replaced = referee;
  referee?.kill();
  referee = run(process.execPath, ['dist/referee.js', address], {stdio: 'inherit', env: {...process.env, CAROM_TOKEN: token}});
}

// ---- build and start

const watching = [];
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => stop());
if (!built) {
  const {build, prepare, PAGE, REFEREE} = await import('./build.js');
  if (watch) {
    const {default: esbuild} = await import('esbuild');
    const again = {name: 'again', setup: ({onEnd}) => onEnd(({errors}) => errors.length > 0 || startReferee())};
    prepare();
    for (const options of [{...PAGE, sourcemap: true}, {...REFEREE, sourcemap: true, plugins: [again]}]) {
      const context = await esbuild.context(options);
      watching.push(context);
      await context.rebuild();
      await context.watch();
    }
  } else {
    await build();
  }
}

if (stopped) process.exit(); // ended by a signal during the build
const server = run(process.env.CAROMD ?? 'caromd', [
  '--keys', path.join(folder, 'keys.json'), '--guests', 'player', '--www', 'dist/www', '--template', `${NAME}=world.json`, ...args,
], {stdio: ['ignore', 'inherit', 'pipe']});
let log = '';
server.stderr.setEncoding('utf8').on('data', (text) => {
  process.stderr.write(text);
  if (address !== '') return;
  log = (log + text).slice(-LOG_MAX);
  const port = /listening on \S+:(\d+)/.exec(log)?.[1];
  if (port === undefined) return;
  address = `tcp://127.0.0.1:${port}`;
  startReferee();
});
