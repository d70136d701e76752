// Games that `npm create carom` makes, as a person makes them: packed, made by npm's own command, installed, built and started, and played by two
// pages in Chromium. The figure that it prints is the time from the command to two pages that play.
//
// Environment: CAROMD, CAROM_CREATE (the folder of the built create-carom). npm takes packages from its cache, which
// docker/install.sh has filled, and from the registry else. Skipped without Chromium.
import test from 'node:test';
import assert from 'node:assert/strict';
import {execFile, spawn} from 'node:child_process';
import {once} from 'node:events';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {promisify} from 'node:util';

import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';

const run = promisify(execFile);
const CREATE = process.env.CAROM_CREATE;
const RUN_MS = 300000; // limit for one command, on a busy machine
const LIBRARIES = {phaser: 'phaser', pixi: 'pixi.js'};
const env = {...process.env, npm_config_prefer_offline: 'true', npm_config_audit: 'false', npm_config_fund: 'false', npm_config_update_notifier: 'false',
             FORCE_COLOR: '0', NODE_OPTIONS: ''};
delete env.NODE_TEST_CONTEXT; // `npm test` of a game is no part of this test
const skip = skipWithoutBrowser();
const here = (name) => fileURLToPath(new URL(name, import.meta.url));

let folder;
let carom; // the packed package that create-carom has in it
test.before(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'carom-create-'));
  [carom] = (await readdir(CREATE)).filter((name) => /^carom-.*\.tgz$/.test(name)).map((name) => path.join(CREATE, name));
});
test.after(() => rm(folder, {recursive: true, force: true}));

const npm = (cwd, ...args) => run('npm', args, {cwd, env, timeout: RUN_MS});

// ---- the command

// Runs the command; returns what it says, and its exit code.
async function create(...args) {
  const {stdout, stderr, code = 0} = await run(process.execPath, [path.join(CREATE, 'index.js'), ...args], {cwd: folder, env}).catch((error) => error);
  return {code, said: stdout + stderr};
}

async function refused(expected, ...args) {
  const {code, said} = await create(...args);
  assert.match(said, expected);
  assert.match(said, /^create-carom: [^\n]*\n$/, 'one line');
  assert.equal(code, 1);
}

test('a_folder_that_holds_something_is_left_as_it_is', async () => {
  const full = path.join(folder, 'full');
  await mkdir(full);
  await writeFile(path.join(full, '.hidden'), 'mine');
  await refused(/full: the folder is not empty \(it has '\.hidden'\)/, full, '--template', 'phaser');
  assert.deepEqual(await readdir(full), ['.hidden']);
  const file = path.join(full, '.hidden');
  await refused(/\.hidden: is a file/, file, '--template', 'phaser', '--name', 'game');
  await refused(/a part of this path is not a folder/, path.join(file, 'deeper'), '--template', 'pixi');
  assert.equal(await readFile(file, 'utf8'), 'mine');
});

test('the_next_commands_can_be_typed_in_any_folder', async () => {
  for (const name of ['plain', "the goalie's $1 game!"]) {
    const {said} = await create(name, '--template', 'pixi');
    const [command] = /^ +cd .*$/m.exec(said);
    const {stdout} = await run('sh', ['-c', `${command} && pwd`], {cwd: folder, env});
    assert.equal(path.basename(stdout.trim()), name);
  }
});

test('an_error_leaves_nothing_behind', async () => {
  const place = path.join(folder, 'none/deep/game');
  const broken = path.join(folder, 'carom-0.1.0.tgz');
  await mkdir(broken);
  await refused(/--carom: there is no file/, place, '--template', 'pixi', '--carom', broken);
  await assert.rejects(stat(path.join(folder, 'none')));
  // A template whose last file cannot be read: the ones before it are taken back.
  const copy = path.join(folder, 'copy');
  await cp(CREATE, copy, {recursive: true});
  await symlink('nowhere', path.join(copy, 'template/common/zzz'));
  const {stderr} = await run(process.execPath, [path.join(copy, 'index.js'), place, '--template', 'pixi'], {env}).catch((error) => error);
  assert.match(stderr, /no game was made: ENOENT/);
  await assert.rejects(stat(path.join(folder, 'none')));
});

test('bad_arguments_are_told', async () => {
  const place = path.join(folder, 'bad');
  await refused(/--template: there is no 'unity'; there are phaser and pixi/, place, '--template', 'unity');
  await refused(/--name: 'My Game': 1 to 32 small letters/, place, '--template', 'pixi', '--name', 'My Game');
  await refused(/there is no option --colour; there are --template, --name, --carom/, place, '--colour=red');
  await refused(/--name: its value is missing/, place, '--name');
  await refused(/one FOLDER, not also 'b'/, 'a', 'b');
  await refused(/'-t' is no option/, place, '-t');
  await refused(/--template: missing, and there is no terminal/, place);
  await refused(/FOLDER and --template: missing/);
  await refused(/--name: missing, and '123' suggests none/, path.join(folder, '123'), '--template', 'pixi');
  await refused(/--carom: 'latest' is neither a version, as 0\.1\.0, nor a packed file/, place, '--template', 'pixi', '--carom', 'latest');
  await assert.rejects(stat(place));
  assert.match((await create('--help')).said, /^Usage: npm create carom \[FOLDER\]/);
  assert.match((await create('--version')).said, /^\d+\.\d+\.\d+\n$/);
});

test('carom_is_a_packed_file_or_a_version', async () => {
  const place = path.join(folder, 'versioned');
  assert.equal((await create(place, '--template=pixi', '--carom=7.8.9', '--name=stars')).code, 0);
  const read = async (name) => JSON.parse(await readFile(path.join(place, name), 'utf8'));
  assert.equal((await read('package.json')).dependencies.carom, '7.8.9');
  assert.equal((await read('package.json')).name, 'stars');
  const {packages} = await read('package-lock.json');
  assert.deepEqual([packages[''].dependencies.carom, packages['node_modules/carom'].version, packages['node_modules/carom'].resolved],
                   ['7.8.9', '7.8.9', undefined]);
  assert.match(await readFile(path.join(place, 'src/game.ts'), 'utf8'), /TEMPLATE = 'stars'/);
  await assert.rejects(stat(path.join(place, 'vendor')));
  const other = path.join(folder, 'Other Game');
  assert.equal((await create(other, '--template', 'phaser', '--carom', carom)).code, 0);
  assert.deepEqual(await readFile(path.join(other, 'vendor', path.basename(carom))), await readFile(carom));
  assert.equal(JSON.parse(await readFile(path.join(other, 'package.json'), 'utf8')).name, 'other-game');
  // No placeholder is left.
  for (const name of await readdir(other, {recursive: true})) {
    if (name.startsWith('vendor') || !(await stat(path.join(other, name))).isFile()) continue;
    assert.doesNotMatch(await readFile(path.join(other, name), 'utf8'), /__[A-Z]+__/, name);
  }
});

test('a_person_is_asked_for_what_is_missing', async () => {
  const command = `${process.execPath} ${path.join(CREATE, 'index.js')}`;
  const child = spawn('script', ['-qec', command, '/dev/null'], {cwd: folder, env}); // a terminal
  let said = '';
  const asked = async (pattern) => {
    while (!pattern.test(said)) said += (await once(child.stdout.setEncoding('utf8'), 'data'))[0];
  };
  await asked(/Folder \(my-game\): /);
  child.stdin.write('full\n'); // the test above has filled this folder
  await asked(/full: the folder is not empty[^]*Folder \(my-game\): /);
  child.stdin.write('asked\n');
  await asked(/Template, phaser or pixi \(phaser\): /);
  child.stdin.write('pixi\n');
  await asked(/asked is in asked/);
  child.stdin.end();
  if (child.exitCode === null) await once(child, 'exit');
  assert.equal(child.exitCode, 0);
  assert.ok(JSON.parse(await readFile(path.join(folder, 'asked/package.json'), 'utf8')).dependencies['pixi.js']);
});

// ---- the game

// Starts a game by its own command. `port` is that of its page.
async function start(t, cwd, script) {
  const child = spawn('npm', [...script, '--', '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0'], {cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true});
  let said = '';
  t.after(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill(); // npm alone, as another program ends it: start.js, caromd and the referee end too
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      process.kill(-child.pid, 'SIGKILL');
    }, RUN_MS);
    await once(child, 'close'); // the pipes of all of them
    clearTimeout(timer);
    assert.ok(!late, 'the game goes on without npm');
  });
  const game = {cwd, get said() {
    return said;
  }, async says(pattern) {
    for (let found; ;) {
      if ((found = pattern.exec(said))) return found;
      if (child.exitCode !== null) assert.fail(`${script.join(' ')} ended with ${child.exitCode}:\n${said}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), once(child, 'close')]);
    }
  }};
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => {
    said += text;
  });
  game.port = Number((await game.says(/for browsers: http:\/\/127\.0\.0\.1:(\d+)/))[1]);
  await game.says(/the referee is there/);
  return game;
}

async function join(browser, {port}, name) {
  const page = await newPage(browser, {viewport: {width: 640, height: 360}});
  await page.goto(`http://127.0.0.1:${port}/#name=${name}`);
  await until(page, () => globalThis.picture?.play?.me && picture.play.view.predicting);
  return page;
}

// Reads the colours of a page's picture at places in the world, as [red, green, blue]; CAROM_SHOTS=DIR keeps the picture.
async function coloursAt(page, places, name) {
  const shots = process.env.CAROM_SHOTS;
  const bytes = await page.screenshot(shots && {path: path.join(shots, `${name}.png`)});
  return page.evaluate(async ([text, places]) => {
    const bitmap = await createImageBitmap(new Blob([Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))]));
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d', {willReadFrequently: true});
    context.drawImage(bitmap, 0, 0);
    const {x, y, width, height} = document.querySelector('canvas').getBoundingClientRect();
    const [scale, pixel] = [width / 16.4, bitmap.width / innerWidth];
    return places.map(([px, py]) => [...context.getImageData((x + width / 2 + px * scale) * pixel, (y + height / 2 - py * scale) * pixel, 1, 1).data.slice(0, 3)]);
  }, [bytes.toString('base64'), places]);
}

// The colour of a filled shape over the ground of the picture, as the adapters draw it.
const GROUND = [0x14, 0x1a, 0x2b];
const filled = (colour) => GROUND.map((ground, i) => ground + 0.35 * ((colour >> (16 - 8 * i) & 255) - ground));
const isNear = (one, other) => one.every((value, i) => Math.abs(value - other[i]) <= 12);

/** The picture shows walls, coins, crates and discs in their colours where the bodies are, and the ground elsewhere. */
async function assertPicture(page, name) {
  await until(page, () => { // what is looked at stands still
    const drawn = [...picture.play.view.bodies.values()];
    return ['coin', 'crate', 'player 1', 'player 2'].every((tag) => drawn.some((body) => body.tag === tag)) &&
      drawn.every((body) => Math.hypot(body.vx ?? 0, body.vy ?? 0) < 0.01);
  });
  const bodies = await page.evaluate(() => [...picture.play.view.bodies.values()].map(({tag, pose}) => [tag, pose.x, pose.y]));
  const clear = ([tag, x, y]) => Math.abs(x) < 7.5 && Math.abs(y) < 4 && // and nothing covers it
    bodies.every(([other, ox, oy]) => other === 'wall' || (other === tag && ox === x && oy === y) || Math.hypot(ox - x, oy - y) > 1.5);
  const colours = {coin: 0xffd166, crate: 0xb08968, 'player 1': 0x4cc9f0, 'player 2': 0xc792ff};
  const seen = bodies.filter((body) => body[0] in colours && clear(body));
  const free = [[-6, -3], [0, 3], [6, 3], [-2, -2], [2, 2]].filter(([x, y]) => clear(['', x, y]));
  const walls = [[-8.1, 0], [8.1, 0], [0, -4.6], [0, 4.6]];
  const got = await coloursAt(page, [...seen.map(([, x, y]) => [x - 0.15, y - 0.15]), ...free, ...walls], name); // beside the spoke of a circle
  const wanted = [...seen.map(([tag]) => filled(colours[tag])), ...free.map(() => GROUND), ...walls.map(() => filled(0x56648c))];
  const names = [...seen.map(([tag, x, y]) => `${tag} at ${x}, ${y}`), ...free.map((place) => `ground at ${place}`), ...walls.map((place) => `wall at ${place}`)];
  assert.ok(seen.some(([tag]) => tag === 'coin') && free.length > 0, 'something is in sight');
  assert.deepEqual(names.filter((_, i) => !isNear(got[i], wanted[i])).map((what, i) => `${what}: ${got[i]}`), []);
}

/** The name above a disc at the top wall is drawn within the picture: no letter reaches its edge. */
async function assertNameWithin(page, name) {
  await page.keyboard.down('ArrowUp');
  await until(page, () => picture.play.me.pose.y > 3.95);
  const x = await page.evaluate(() => picture.play.me.pose.x);
  const places = Array.from({length: 60 * 80}, (_, i) => [x + (i % 60 - 30) / 30, 4.7 - Math.floor(i / 60) / 80]); // a metre to both sides and below the edge
  const colours = await coloursAt(page, places, name);
  await page.keyboard.up('ArrowUp');
  const rows = colours.flatMap((colour, i) => colour.every((value) => value > 170) ? [Math.floor(i / 60)] : []);
  assert.ok(rows.length > 10, 'the name is there');
  assert.ok(Math.min(...rows) > 3, `a letter begins ${Math.min(...rows) / 80} m below the edge`);
}

/** Holds the pointer where the nearest body of a tag is, until `done` is true: the disc goes there. */
async function chase(page, tag, done) {
  const look = () => page.evaluate((tag) => {
    const {x, y, width, height} = document.querySelector('canvas').getBoundingClientRect();
    const me = picture.play.me.pose;
    const away = ({pose}) => Math.hypot(pose.x - me.x, pose.y - me.y);
    const [nearest] = [...picture.play.view.bodies.values()].filter((body) => body.tag === tag).sort((a, b) => away(a) - away(b));
    if (!nearest) return null; // this page has not seen one yet, or the last one was taken
    const scale = width / 16.4; // pixels a metre
    return [x + width / 2 + nearest.pose.x * scale, y + height / 2 - nearest.pose.y * scale];
  }, tag);
  let held = false;
  const end = performance.now() + RUN_MS;
  while (!await done()) {
    assert.ok(performance.now() < end, `no ${tag} was reached`);
    const place = await look();
    if (place) await page.mouse.move(...place);
    if (place && !held) await page.mouse.down();
    held ||= place !== null;
  }
  await page.mouse.up();
}

const points = (page, name) => page.evaluate((name) => {
  const line = [...document.querySelectorAll('#scores li')].find((li) => li.textContent.endsWith(` ${name}`));
  return line ? Number.parseInt(line.textContent, 10) : NaN;
}, name);

// The commands of the guide: each of its blocks.
async function guide() {
  const page = await readFile(here('../../guides/game-in-five-minutes.md'), 'utf8');
  return [...page.matchAll(/^```\n([^]*?)^```/gm)].map(([, block]) => block.trimEnd().split('\n').map((line) => line.replace(/^\$ /, '')));
}

const type = (cwd, command) => run('sh', ['-c', command.replace('./.build/release/client/web/create', CREATE)], {cwd, env, timeout: RUN_MS});

// Makes and installs a game, and starts it with two pages that play. Returns the running game, its folder, and both pages.
async function played(t, template, script) {
  const began = performance.now();
  const place = await mkdtemp(path.join(folder, `${template}-`));
  const [build, commands] = await guide();
  await type(place, build[2]);
  const commanded = performance.now();
  const cwd = path.join(place, 'my-game');
  if (template === 'phaser') {
    await type(place, commands[0]);
    for (const command of commands.slice(2, -1)) await type(cwd, command);
  } else { // npm's own command, which takes a package that is installed
    await writeFile(path.join(place, 'package.json'), '{"private": true}');
    await npm(place, 'install', '--offline', ...(await readdir(place)).filter((name) => name.endsWith('.tgz')));
    await npm(place, 'create', 'carom', 'my-game', '--', '--template', template);
    await npm(cwd, 'install');
  }
  const installed = performance.now();
  const game = await start(t, cwd, script);
  const browser = await startBrowser();
  t.after(() => browser.close());
  const [ada, ben] = [await join(browser, game, 'Ada'), await join(browser, game, 'Ben')];
  await ben.getByRole('listitem').filter({hasText: /^\d+ Ada$/}).waitFor();
  await assertPicture(ben, template);
  await assertNameWithin(ada, `${template}_name`);
  const s = (ms) => (ms / 1000).toFixed(1);
  t.diagnostic(`${template}: ${s(performance.now() - commanded)} s from the command to two pages that play (${s(installed - commanded)} s made and installed); ` +
               `${s(commanded - began)} s before it to pack create-carom`);
  return {game, cwd, ada, ben};
}

// Ada collects a coin, and Ben's page shows it; a key of hers moves her disc in his picture.
async function playAgainst(ada, ben) {
  const disc = await ada.evaluate(() => picture.play.me.id);
  const x = await until(ben, (id) => picture.play.view.bodies.get(id)?.pose.x, disc);
  const [key, sign] = x > 0 ? ['ArrowLeft', -1] : ['KeyD', 1];
  await ada.keyboard.down(key);
  await until(ben, ([id, x, sign]) => sign * (picture.play.view.bodies.get(id).pose.x - x) > 0.2, [disc, x, sign]);
  await ada.keyboard.up(key);
  await chase(ada, 'coin', async () => await points(ben, 'Ada') >= 1);
}

async function filesOf(name) {
  const {dependencies} = JSON.parse(await readFile(path.join(name, 'package.json'), 'utf8'));
  return dependencies;
}

// The types' example of the package's README.
async function adapterExample() {
  const readme = await readFile(here('../README.md'), 'utf8');
  const examples = [...readme.matchAll(/^```ts\n([^]*?)^```/gm)].map((match) => match[1]);
  assert.equal(examples.length, 1);
  return examples[0];
}

// The rule of ten lines that a game's README and the guide print, and the changes that give it its name.
async function printedRule(file) {
  const readme = await readFile(file, 'utf8');
  const [, rule] = /^```ts\n([^]*?)^```/m.exec(readme);
  assert.ok((await readFile(here('../../guides/game-in-five-minutes.md'), 'utf8')).includes(rule));
  assert.equal(rule.trim().split('\n').length, 10);
  const [, imported, combined] = /gets its name: `(.*?)` and `(.*?)`/.exec(readme);
  return {rule, imported, combined};
}

// The guide's second rule, about the time that is left, and a test of it for the game's own `npm test`.
async function printedFinale() {
  const page = await readFile(here('../../guides/game-in-five-minutes.md'), 'utf8');
  const [, [, rule]] = page.matchAll(/^```ts\n([^]*?)^```/gm);
  assert.ok(rule.trim().split('\n').length <= 10);
  return rule;
}

const FINALE_TEST = `
import test from 'node:test';
import assert from 'node:assert/strict';
import {createTestGame} from 'carom/testing';
import {discOf, HZ, ROUND_S} from '../src/game.js';
import {rules} from '../src/rules.js';

test('a coin counts double in the last ten seconds', async () => {
  const game = await createTestGame({gravity: [0, 0], ...rules});
  game.join('ada');
  await game.step(3);
  const find = (tag: string) => [...game.bodies.values()].find((body) => body.tag === tag)!;
  const collect = async () => {
    const before = game.get('score/1').points;
    const {x, y} = find('coin');
    game.world.call('body.set', {body: find(discOf(1)).id, position: [x, y], velocity: [0, 0]});
    await game.step(3);
    return game.get('score/1').points - before;
  };
  assert.equal(await collect(), 1);
  await game.step((ROUND_S - 5) * HZ);
  assert.equal(await collect(), 2);
  game.free();
});
`;

test('pages_print_what_games_of_these_tests_use', async () => {
  const [build, commands] = await guide();
  assert.match(build[0], / --target caromd web_create$/);
  assert.deepEqual([commands[1], commands.at(-1)], ['cd my-game', 'npm start']);
  await adapterExample();
  await printedRule(here('../create/template/common/README.in'));
  await printedFinale();
});

test('a_game_with_phaser_is_made_and_played', {skip, timeout: 2 * RUN_MS}, async (t) => {
  const {game, cwd, ada, ben} = await played(t, 'phaser', ['start']);
  assert.deepEqual(Object.keys(await filesOf(cwd)), ['carom', LIBRARIES.phaser]);
  await playAgainst(ada, ben);
  // Types of the game, and of the adapter's example as the package's README prints it.
  await writeFile(path.join(cwd, 'src/example.ts'), await adapterExample());
  assert.equal((await npm(cwd, 'run', '--silent', 'check').catch((error) => error)).stdout, '');
  // Ada leaves: so do her disc and her score.
  await ada.goto('about:blank');
  await ben.getByRole('listitem').filter({hasText: 'Ada'}).waitFor({state: 'detached'});
  assert.deepEqual(errorsOf(ben), []);
  assert.doesNotMatch(game.said, /rror/);
});

test('a_game_with_pixi_gets_a_rule_of_ten_lines_while_it_is_played', {skip, timeout: 2 * RUN_MS}, async (t) => {
  const {game, cwd, ada, ben} = await played(t, 'pixi', ['run', 'dev']);
  assert.deepEqual(Object.keys(await filesOf(cwd)), ['carom', LIBRARIES.pixi]);
  await playAgainst(ada, ben);
  // The rule of the game's README, as it is printed there and in the guide.
  const {rule, imported, combined} = await printedRule(path.join(cwd, 'README.md'));
  await writeFile(path.join(cwd, 'src/rules/mine.ts'), rule);
  const list = path.join(cwd, 'src/rules.ts');
  const rules = await readFile(list, 'utf8');
  await writeFile(list, `${imported}\n${rules.replace(/combine\(.*\)/, combined)}`);
  await until(ben, () => [...picture.play.view.bodies.values()].some(({tag}) => tag === 'mine'));
  const before = await points(ben, 'Ada');
  assert.ok(before >= 1, 'the score outlives the referee that was replaced');
  await chase(ada, 'mine', async () => await points(ben, 'Ada') < before);
  // The second rule: seen by a test of the game's own, since rounds take longer than this one.
  await writeFile(path.join(cwd, 'src/rules/finale.ts'), await printedFinale());
  await writeFile(path.join(cwd, 'test/finale.test.ts'), FINALE_TEST);
  await writeFile(list, `import {finale} from './rules/finale.js';\n${(await readFile(list, 'utf8')).replace(/combine\((.*)\)/, 'combine($1, finale)')}`);
  // The game's own tests and types hold with both rules.
  const [tested, checked] = await Promise.all([npm(cwd, 'test').catch((error) => error), npm(cwd, 'run', '--silent', 'check').catch((error) => error)]);
  assert.match(tested.stdout, /^# pass 5$/m, tested.stdout);
  assert.match(tested.stdout, /^# fail 0$/m);
  assert.equal(checked.stdout, '');
  assert.deepEqual([...errorsOf(ada), ...errorsOf(ben)], []);
  assert.doesNotMatch(game.said, /rror/);
});
