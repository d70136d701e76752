// The package as a new user gets it (environment CAROM_PACKAGE: the published folder): packed and installed by npm in a
// fresh project, with the commands of the README, where the README's programs run unchanged against a real server, and
// its types are compiled.
//
// No network is needed: the package depends on nothing, so npm installs the file offline.
import test from 'node:test';
import assert from 'node:assert/strict';
import {execFile, spawn, spawnSync} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, readFile, rm, stat, writeFile} from 'node:fs/promises';
import http from 'node:http';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {AWAIT_MS} from './patience.js';
import {startCaromd} from './support.js';

const run = promisify(execFile);
const PACKAGE = process.env.CAROM_PACKAGE;
const ARCHIVE_BYTES_MAX = 450_000; // the engine is 205 kB of it
const LINE_MAX = 250; // characters of a line that Node shows of an uncaught error
const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const has = (program) => spawnSync(program, ['--version'], {stdio: 'ignore'}).status === 0;

// The output of each program of the README, in their order.
const PRINTED = [
  /^the ball is at \[ [\d.e-]+, [\d.]+ \] and has the velocity \[ 2\.546\d*, -[\d.]+ \]\n$/,
  /^true invalid_argument .*radius.*-1/,
  /^made in tick \d+ \[.*body: \d.*joint: \d/s,
  /(^|\n)tick \d+ all 134\n([^]*tick \d+ changed \d+\n){9}/,
  /^plain (\d+) bytes a snapshot\npacked (\d+) bytes a snapshot\n$/,
  /^closed: closed\n$/,
  /^the session goes on: true true\n$/,
  /^begin of \d and \d in tick \d+\n[^]*the ball is at \[ [\d.]+, 1\.\d+ \][^]*ray from above meets \{[^]*body: 1,[^]*\nhash [0-9a-f]{16}\n$/,
  /^tick \d+ of \d+ bodies, for \d+ bytes of traffic\n$/,
  /^\d+ is drawn at [\d.]+ with 1 shape\n[\d.]+ % of the ticks were right to the bit\n$/,
  /^cheer \{ round: 1 \} \[ 1 \]\n$/,
  /^\{ 'ready\/ada': true \} 1 0\ntrue\n$/,
  /^21 bodies; the topmost is at (19\.9|20)\d*\n$/,
];

let project;

/** Packs the package, and installs the archive in a new project, as in the README. Returns the archive's name. */
async function install() {
  assert.ok(has('npm'), 'there is no npm (Debian: npm)');
  project = await mkdtemp(path.join(tmpdir(), 'carom-package-'));
  await writeFile(path.join(project, 'package.json'), '{"name": "stranger", "private": true, "type": "module"}');
  const [printed] = await blocks('', path.join(PACKAGE, 'README.md'));
  const [, pack, add] = /^\$ cmake .* --target web_package\n\$ (npm pack \S+)\n\$ (npm install \S+)\n$/.exec(printed);
  const env = {...process.env, npm_config_cache: path.join(project, '.npm'), npm_config_update_notifier: 'false',
               npm_config_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false'};
  for (const command of [pack.replace('./.build/release/client/web/package', PACKAGE), add]) {
    await run('sh', ['-c', command], {cwd: project, env});
  }
  const {dependencies} = JSON.parse(await readFile(path.join(project, 'package.json')));
  assert.deepEqual(Object.keys(dependencies), ['carom']);
  return path.join(project, add.split('/').at(-1));
}

async function blocks(language, readme = path.join(project, 'node_modules/carom/README.md')) {
  const page = await readFile(readme, 'utf8');
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\``, 'gm'))].map((match) => match[1]);
}

// Starts a server for the README's programs: its ports replace the printed ones.
async function startServer(t, origin = []) {
  process.env.CAROM_TRANSPORT === 'websocket' || assert.fail('CAROM_TRANSPORT is websocket here');
  const server = await startCaromd(['--world', 'demo:demo', ...origin]);
  t.after(() => server.stop());
  const tcp = /listening on 127\.0\.0\.1:(\d+)/.exec(server.log)[1];
  return (text) => text.replaceAll('127.0.0.1:22766', `127.0.0.1:${tcp}`)
    .replaceAll('127.0.0.1:22767', `127.0.0.1:${server.port}`);
}

let archive;
test.before(async () => {
  archive = await install();
});
test.after(() => rm(project, {recursive: true, force: true}));

test('archive_has_sources_types_engine_and_nothing_else', async () => {
  const {stdout} = await run('tar', ['-tzf', archive]);
  const names = stdout.split('\n').filter((name) => name && !name.endsWith('/')).sort();
  const sources = names.filter((name) => name.startsWith('package/src/'));
  assert.deepEqual(names.filter((name) => !sources.includes(name)),
                   ['package/LICENSE', 'package/README.md', 'package/package.json']);
  for (const wanted of ['index.js', 'index.d.ts', 'table.js', 'table.d.ts', 'engine.wasm', 'engine.faults.txt']) {
    assert.ok(sources.includes(`package/src/${wanted}`), wanted);
  }
  assert.deepEqual(sources.filter((name) => !/\.(js|js\.map|d\.ts|wasm|faults\.txt)$/.test(name)), []);
  const {size} = await stat(archive);
  assert.ok(size < ARCHIVE_BYTES_MAX, `${size} bytes`);
});

// An error that nobody catches, of each entry of the package for Node: in the engine, a call, a referee, a test game, a picture.
const UNCAUGHT = {
  engine: "import {loadEngine} from 'carom'; (await loadEngine()).createWorld().createBody({shapes: [{kind: 'circle', radius: -1}]});",
  client: "import {connect} from 'carom'; await connect('tcp://127.0.0.1:9');",
  encode: "import {encode} from 'carom'; encode({born: new Date()});",
  referee: "import {createReferee} from 'carom/referee'; await createReferee({url: 'tcp://127.0.0.1:9'});",
  testing: "import {createTestGame} from 'carom/testing'; await createTestGame({leaves() {}});",
  phaser: "import {followBodies} from 'carom/phaser'; followBodies({}, {});",
};

test('uncaught_errors_of_node_name_a_readable_line', async () => {
  for (const [name, program] of Object.entries(UNCAUGHT)) {
    const file = path.join(project, `uncaught_${name}.js`);
    await writeFile(file, program);
    const {stderr} = await run(process.execPath, [file], {cwd: project, timeout: AWAIT_MS}).then(() => assert.fail(name), (error) => error);
    const longest = Math.max(...stderr.split('\n').map((line) => line.length));
    assert.ok(longest <= LINE_MAX && stderr.length < 4000, `${name}: a line of ${longest} characters`);
    const [, place, line] = /node_modules\/carom\/src\/(\w+\.js):(\d+)/.exec(stderr) ?? assert.fail(stderr);
    const lines = (await readFile(path.join(project, 'node_modules/carom/src', place), 'utf8')).split('\n');
    assert.equal(lines.length > 20 && lines[line - 1].length > 0 && lines[line - 1].length <= LINE_MAX, true, `${place}:${line}`);
  }
});

test('map_of_the_scripts_for_pages_leads_to_sources_of_the_package', async () => {
  const src = path.join(project, 'node_modules/carom/src');
  const map = JSON.parse(await readFile(path.join(src, 'browser.min.js.map'), 'utf8'));
  assert.ok(map.sources.includes('client.js') && map.sources.includes('engine.js'), map.sources.join());
  assert.equal(map.sourcesContent, undefined, 'the sources are beside it');
  for (const name of map.sources) await stat(path.join(src, name));
  assert.doesNotMatch(await readFile(path.join(src, 'browser.min.js'), 'utf8'), /["']node:/, 'nothing of Node');
});

test('programs_of_the_readme_run_as_printed', {timeout: AWAIT_MS}, async (t) => {
  const ported = await startServer(t);
  const programs = await blocks('js');
  assert.equal(programs.length, PRINTED.length);
  const runs = await Promise.allSettled(programs.map(async (program, i) => {
    const file = path.join(project, `program${i}.js`);
    await writeFile(file, ported(program));
    const {stdout, stderr} = await run(process.execPath, [file], {cwd: project, timeout: AWAIT_MS});
    assert.equal(stderr, '', program);
    assert.match(stdout, PRINTED[i], program);
    if (stdout.startsWith('plain')) {
      const [, plain, packed] = PRINTED[i].exec(stdout).map(Number);
      assert.ok(packed < plain / 5, stdout);
    }
  }));
  for (const {reason} of runs) if (reason) throw reason;
});

// The game of the guide about rules: its files and commands, in a new folder.
async function typeGuide() {
  const page = here('../../guides/rules-rounds-scores.md');
  const fenced = (await readFile(page, 'utf8')).split(/^```/m).filter((_, i) => i % 2);
  const [, begin, start] = fenced.filter((block) => block.startsWith('\n$ ')).map((block) => block.trim().split('\n').map((line) => line.slice(2)));
  await run('sh', ['-c', begin.join(' && ')], {cwd: project, timeout: AWAIT_MS, env: {...process.env, npm_config_offline: 'true'}});
  const folder = path.join(project, 'coins');
  const programs = await blocks('js', page);
  const files = Object.fromEntries(programs.map((program) => [/^\/\/ (\S+)\n/.exec(program)[1], program]));
  assert.deepEqual(Object.keys(files), ['rules.js', 'rules.test.js', 'referee.js', 'www/game.js']);
  [files['coins.json']] = await blocks('json', page);
  [files['www/index.html']] = await blocks('html', page);
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(path.join(folder, name), text)));
  return {folder, start};
}

let game;
test('rules_of_the_guide_hold_as_printed', async () => {
  game = await typeGuide();
  const {stdout} = await run(process.execPath, ['rules.test.js'], {cwd: game.folder, timeout: AWAIT_MS});
  assert.equal(stdout, 'the rules hold\n');
});

const shown = (page) => page.evaluate(() => says.textContent);

// Steers a page's disc by its keys, until the page shows another score, of one coin or more.
async function collect(page) {
  const before = await shown(page);
  const end = performance.now() + AWAIT_MS;
  let key = null;
  while (await shown(page) === before) {
    assert.ok(performance.now() < end, `the page goes on to show ${before}`);
    const to = await page.evaluate(() => {
      const bodies = [...play.bodies.values()];
      const [coin, me] = ['coin', `seat ${seat}`].map((tag) => bodies.find((body) => body.tag === tag)?.pose);
      if (!coin || !me) return null;
      const [x, y] = [coin.x - me.x, coin.y - me.y];
      return Math.abs(x) > Math.abs(y) ? x > 0 ? 'ArrowRight' : 'ArrowLeft' : y > 0 ? 'ArrowUp' : 'ArrowDown';
    });
    if (to === key) continue;
    if (key) await page.keyboard.up(key);
    if (to) await page.keyboard.down(to);
    key = to;
  }
  if (key) await page.keyboard.up(key);
}

test('game_of_the_guide_is_played_and_outlives_its_referee', {skip: skipWithoutBrowser(), timeout: 4 * AWAIT_MS}, async (t) => {
  const {folder, start: [keygen, sign, serve, referee]} = game;
  const env = {...process.env, PATH: `${path.dirname(process.env.CAROM_CLI)}:${process.env.PATH}`};
  for (const command of [keygen, sign]) await run('sh', ['-c', command], {cwd: folder, env});
  assert.match(serve, /^caromd /);
  const before = process.cwd();
  process.chdir(folder);
  const server = await startCaromd(serve.split(' ').slice(1)).finally(() => process.chdir(before));
  t.after(() => server.stop());
  const tcp = /listening on (127\.0\.0\.1:\d+)/.exec(server.log)[1];
  const decide = () => spawn('sh', ['-c', `exec env ${referee.replace('127.0.0.1:22766', tcp)}`], {cwd: folder, env, stdio: 'inherit'});
  let deciding = decide();
  t.after(() => deciding.kill());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const join = async (number) => {
    const page = await newPage(browser);
    await page.goto(`http://127.0.0.1:${server.port}/`);
    await until(page, (number) => globalThis.play?.predicting && [...play.bodies.values()].some(({tag}) => tag === `seat ${number}`), number);
    return page;
  };
  const [ada, ben] = [await join(1), await join(2)];
  await until(ada, () => says.textContent === 'Round 1. seat 1: 0, seat 2: 0');
  await collect(ada);
  await until(ben, () => /seat 1: [12]|Round [2-9]/.test(says.textContent));
  deciding.kill('SIGKILL');
  await until(ada, async () => !(await game.world.info()).referee);
  const kept = await shown(ben);
  deciding = decide();
  await until(ada, async () => (await game.world.info()).referee);
  assert.equal(await shown(ben), kept);
  await collect(ben);
  await until(ada, (kept) => says.textContent !== kept, kept);
  // The server refuses a console's attempts to cheat.
  const tried = await ada.evaluate(async () => {
    const one = (tag) => [...play.bodies.values()].find((body) => body.tag === tag).id;
    const [coin, me, other] = ['coin', 'seat 1', 'seat 2'].map(one);
    const tries = {
      score: game.data.set({key: 'score/1', value: 99}), round: game.data.set({key: 'round', value: 9}), gone: game.data.remove({key: 'score/2'}),
      push: game.body.force({body: other, force: [1, 0]}), place: game.body.set({body: me, position: [0, 0]}), coin: game.body.set({body: coin, position: [0, 0]}),
      remove: game.body.remove({body: other}), strong: game.body.force({body: me, force: [11, 0]}), impulse: game.body.impulse({body: me, impulse: [1, 0]}),
      batch: game.world.apply({commands: [['data.set', {key: 'score/1', value: 99}]]}), message: game.message.send({name: 'won'}), set: game.world.set({gravity: [0, -9]}),
    };
    return Promise.all(Object.entries(tries).map(([name, call]) => call.then(() => `${name} was done`, ({code}) => code)));
  });
  assert.deepEqual(new Set(tried), new Set(['permission_denied']));
  assert.deepEqual([...errorsOf(ada), ...errorsOf(ben)], []);
});

test('readme_prints_one_page', async () => {
  assert.equal((await blocks('html')).length, 1);
});

test('pages_of_the_readme_draw_a_world', {skip: skipWithoutBrowser()}, async (t) => {
  const types = {html: 'text/html', js: 'text/javascript'};
  const pages = await blocks('html');
  const files = http.createServer(async (request, response) => {
    const place = path.join(project, path.normalize(request.url));
    const bytes = await readFile(place).catch(() => null);
    response.writeHead(bytes ? 200 : 404, {'Content-Type': types[place.split('.').at(-1)] ?? 'text/plain'});
    response.end(bytes);
  });
  files.listen(0, '127.0.0.1');
  await once(files, 'listening');
  t.after(() => files.close());
  const origin = `http://127.0.0.1:${files.address().port}`;
  const ported = await startServer(t, ['--origin', origin]);
  await writeFile(path.join(project, 'page.html'), ported(pages[0]));
  const browser = await startBrowser();
  t.after(() => browser.close());
  const page = await newPage(browser, {viewport: {width: 820, height: 620}});
  await page.goto(`${origin}/page.html`);
  await until(page, () => Number(/tick (\d+), 1\d\d bodies/.exec(document.title)?.[1]) > 0);
  // Something is drawn and moves.
  const ink = () => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, 800, 600);
    const drawn = [];
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) drawn.push(i);
    return [drawn.length, drawn.reduce((sum, at) => (sum * 31 + at) % 1000003, 0)];
  };
  const [count, first] = await page.evaluate(ink);
  assert.ok(count > 5000, `${count} pixels drawn`);
  await until(page, (mark) => {
    const {data} = canvas.getContext('2d').getImageData(0, 0, 800, 600);
    let sum = 0;
    for (let i = 3; i < data.length; i += 4) if (data[i] > 0) sum = (sum * 31 + i) % 1000003;
    return sum !== mark;
  }, first);
  assert.deepEqual(errorsOf(page).filter((error) => !/favicon/.test(error)), []);
});

test('types_compile_and_refuse_errors', {skip: !has('tsc') && 'there is no tsc (Debian: node-typescript)'}, async () => {
  await writeFile(path.join(project, 'types.mts'), await readFile(here('types.mts')));
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify({
    compilerOptions: {strict: true, noEmit: true, target: 'es2022', module: 'node16', moduleResolution: 'node16',
                      lib: ['es2022', 'dom', 'dom.iterable'], types: []},
    files: ['types.mts'],
  }));
  const {stdout} = await run('tsc', ['-p', project]).catch((error) => error);
  assert.equal(stdout, '');
});
