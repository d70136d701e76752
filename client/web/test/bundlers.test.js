// The package in bundles for pages by esbuild, webpack, vite and rollup, with only the settings that the README names.
// Each bundle runs in Chromium, steps the engine and connects to a server. The bundlers come from npm in the versions
// of package-lock.json; skipped where they or Chromium are missing.
//
// Environment: CAROMD, CAROM_PACKAGE (the folder of the built package).
import test from 'node:test';
import assert from 'node:assert/strict';
import {cp, mkdir, mkdtemp, readdir, readFile, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';

import {loadEngine} from '../src/index.js';
import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {startFiles} from './files.js';
import {startCaromd} from './support.js';

const PACKAGE = process.env.CAROM_PACKAGE;
const load = (name) => import(name).catch((error) => {
  if (error.code === 'ERR_MODULE_NOT_FOUND') return null;
  throw error;
});
const [esbuild, webpack, vite, rollup, resolve] = await Promise.all(
  ['esbuild', 'webpack', 'vite', 'rollup', '@rollup/plugin-node-resolve'].map(load));

function whySkip() {
  const why = [esbuild, webpack, vite, rollup, resolve].includes(null)
    ? 'there are no bundlers: ./docker/install.sh test installs them, or npm ci in client/web/test' : '';
  if (why && process.env.CI) throw new Error(why);
  return why || skipWithoutBrowser();
}
const skip = whySkip();

// The page's program; `wasm` is the code that loads the engine.
const program = (wasm = '') => `
import {connect, loadEngine, tcpTransport} from 'carom';
${wasm && "import wasm from 'carom/engine.wasm';"}
globalThis.run = async (server) => {
  const world = (await loadEngine(${wasm})).createWorld({gravity: [0, -10]});
  world.createBody({position: [0, 9], shapes: [{kind: 'circle', radius: 0.5}]});
  world.step(60);
  const client = await connect(server);
  const {time} = await client.ping();
  client.close();
  return {hash: Array.from(world.hash()), time, tcp: typeof tcpTransport};
};
`;

let project;
let server;
let files;
let browser;
let expected; // the world's hash, as Node computes it
test.before(async () => {
  if (skip) return;
  project = await mkdtemp(path.join(tmpdir(), 'carom-bundlers-'));
  await cp(PACKAGE, path.join(project, 'node_modules/carom'), {recursive: true});
  await writeFile(path.join(project, 'package.json'), '{"private": true, "type": "module"}');
  await writeFile(path.join(project, 'main.js'), program());
  await writeFile(path.join(project, 'main_wasm.js'), program('wasm'));
  await writeFile(path.join(project, 'index.html'), '<!doctype html><script type="module" src="./main.js"></script>');
  files = await startFiles(project);
  server = await startCaromd(['--origin', files.origin]);
  browser = await startBrowser();
  const world = (await loadEngine(path.join(PACKAGE, 'src/engine.wasm'))).createWorld({gravity: [0, -10]});
  world.createBody({position: [0, 9], shapes: [{kind: 'circle', radius: 0.5}]});
  world.step(60);
  expected = Array.from(world.hash());
});
test.after(async () => {
  files?.close();
  await browser?.close();
  await server?.stop();
  if (project) await rm(project, {recursive: true, force: true});
});

// Checks that the bundle in folder `name` of the project runs in a page, and contains nothing of Node.
async function check(name, script) {
  const folder = path.join(project, name);
  const scripts = (await readdir(folder, {recursive: true})).filter((file) => file.endsWith('.js'));
  assert.ok(scripts.length > 0);
  const imported = /(?:from|import|require)\s*\(?\s*["']node:/; // comments may name such a module
  for (const file of scripts) assert.doesNotMatch(await readFile(path.join(folder, file), 'utf8'), imported, file);
  if (script) {
    await writeFile(path.join(folder, 'index.html'),
                    `<!doctype html><link rel="icon" href="data:,"><script type="module" src="${script}"></script>`);
  }
  const page = await newPage(browser);
  await page.goto(`${files.origin}/${name}/`);
  await until(page, () => typeof globalThis.run === 'function');
  const {hash, time, tcp} = await page.evaluate((url) => globalThis.run(url), server.url);
  assert.deepEqual(hash, expected, 'the bits of the engine');
  assert.ok(time > 0);
  assert.equal(tcp, 'function');
  assert.deepEqual(errorsOf(page).filter((error) => !/favicon/.test(error)), []);
  await page.context().close();
}

test('esbuild_bundles_a_page', {skip}, async () => {
  for (const [name, entry] of [['esbuild', 'main.js'], ['esbuild_wasm', 'main_wasm.js']]) {
    const outdir = path.join(project, name);
    const {warnings, errors} = await esbuild.build({
      absWorkingDir: project, entryPoints: [entry], bundle: true, format: 'esm', minify: true, outdir,
      loader: {'.wasm': 'file'}, logLevel: 'silent'});
    assert.deepEqual([...warnings, ...errors], []);
    if (name === 'esbuild') await cp(path.join(PACKAGE, 'src/engine.wasm'), path.join(outdir, 'engine.wasm'));
    await check(name, `./${entry}`);
  }
});

test('webpack_bundles_a_page', {skip}, async () => {
  const stats = await new Promise((done, fail) => {
    webpack.default({mode: 'production', context: project, entry: './main.js', performance: {hints: false},
                     output: {path: path.join(project, 'webpack'), filename: 'main.js'}},
                    (error, result) => (error ? fail(error) : done(result)));
  });
  const {errors, warnings} = stats.toJson({all: false, errors: true, warnings: true});
  assert.deepEqual([...errors, ...warnings].map(({message}) => message), []);
  await check('webpack', './main.js');
});

test('vite_bundles_a_page', {skip}, async () => {
  const warned = [];
  const logger = vite.createLogger('silent');
  logger.warn = logger.warnOnce = (text) => warned.push(text);
  await vite.build({root: project, base: './', configFile: false, customLogger: logger,
                    build: {outDir: 'vite', emptyOutDir: true}});
  assert.deepEqual(warned, []);
  await check('vite');
});

test('vites_development_server_serves_a_page', {skip}, async (t) => {
  const development = await vite.createServer({root: project, configFile: false, logLevel: 'silent', cacheDir: path.join(project, '.vite'),
                                               optimizeDeps: {exclude: ['carom']}, server: {port: 0, host: '127.0.0.1', hmr: false, ws: false}});
  t.after(() => development.close());
  await development.listen();
  const page = await newPage(browser);
  await page.goto(`http://127.0.0.1:${development.httpServer.address().port}/`);
  await until(page, () => typeof globalThis.run === 'function');
  const fault = await page.evaluate(() => globalThis.run('ws://127.0.0.1:9').catch((error) => error.code));
  assert.equal(fault, 'unavailable', 'the engine is there, and the server is not');
  await page.context().close();
});

test('rollup_bundles_a_page', {skip}, async () => {
  const warned = [];
  const bundle = await rollup.rollup({input: path.join(project, 'main.js'), plugins: [resolve.default({browser: true})],
                                      onwarn: (warning) => warned.push(warning.message)});
  await bundle.write({dir: path.join(project, 'rollup'), format: 'es'});
  await bundle.close();
  assert.deepEqual(warned, []);
  await cp(path.join(PACKAGE, 'src/engine.wasm'), path.join(project, 'rollup/engine.wasm'));
  await check('rollup', './main.js');
});
