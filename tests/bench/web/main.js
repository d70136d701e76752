#!/usr/bin/env node
// Compares the engine in pages with others: a pyramid of 5050 boxes in Node and in Chromium, and the sizes of the
// packages. README.md says how to run it.
//
// Every run is a process (a page) of its own; engines take turns, in an order that rotates from round to round.
import {execFile} from 'node:child_process';
import {once} from 'node:events';
import {existsSync, readFileSync} from 'node:fs';
import http from 'node:http';
import path from 'node:path';
import {fileURLToPath, pathToFileURL} from 'node:url';
import {parseArgs, promisify} from 'node:util';
import {brotliCompressSync, gzipSync} from 'node:zlib';

import {newPage, startBrowser, whyNoBrowser} from '../../../client/web/test/browser.js';
import {ENGINES, measure} from './engines.js';

const HELP = `Usage: node tests/bench/web/main.js [options]

Times of a step of a pyramid, in carom's WebAssembly engine and in the packages that are found beside
it, and the sizes of all of them.

  --package DIR   carom's package (.build/release/client/web/package)
  --peers DIR     a node_modules with other engines (environment CAROM_BENCH_NODE_MODULES); made by
                  npm install --prefix DIR/.. box2d3-wasm @dimforge/rapier2d-compat @dimforge/rapier2d-simd-compat
  --rows N        the pyramid's height (100: 5050 boxes)
  --steps N       of each run (300)
  --rounds N      runs of each engine (5)
  --hosts LIST    of node,chromium (those that are there)
  --engines LIST  of ${Object.keys(ENGINES).join(',')} (those that are there)
  --json          all figures for programs
  --help          this text
`;
const RUN_MS = 300000;
const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const TYPES = {html: 'text/html', js: 'text/javascript', mjs: 'text/javascript', wasm: 'application/wasm'};
const PAGE = '<!doctype html><meta charset=utf-8><title>bench</title>';

const {values: options} = parseArgs({options: {
  package: {type: 'string', default: path.join(ROOT, '.build/release/client/web/package')},
  peers: {type: 'string', default: process.env.CAROM_BENCH_NODE_MODULES ?? ''},
  rows: {type: 'string', default: '100'}, steps: {type: 'string', default: '300'},
  rounds: {type: 'string', default: '5'}, hosts: {type: 'string'}, engines: {type: 'string'},
  one: {type: 'string'}, json: {type: 'boolean', default: false}, help: {type: 'boolean', default: false}}});

function count(name, most) {
  const value = Number(options[name]);
  if (Number.isInteger(value) && value >= 1 && value <= most) return value;
  console.error(`--${name}: a whole number from 1 to ${most}, got ${options[name]}`);
  return process.exit(2);
}

function listed(name, all, there) {
  const wanted = options[name]?.split(',') ?? there;
  for (const one of wanted) {
    if (all.includes(one) && there.includes(one)) continue;
    console.error(`--${name}: ${one} is not ${all.includes(one) ? 'here' : `one of ${all.join(', ')}`}`);
    process.exit(2);
  }
  return wanted;
}

const folderOf = (name) => path.resolve(name === 'carom' ? options.package
                                                         : path.join(options.peers, ENGINES[name].package));
const found = () => Object.keys(ENGINES).filter((name) => existsSync(path.join(folderOf(name), 'package.json')));
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];

// ---- sizes

function sizesOf(name) {
  const folder = folderOf(name);
  const {files} = ENGINES[name];
  const sum = (some, pack) => some.reduce((total, file) => total + pack(readFileSync(path.join(folder, file))).length, 0);
  const gzip = (bytes) => gzipSync(bytes, {level: 9});
  const isModule = (file) => file.endsWith('.wasm');
  return {wasm: sum(files.filter(isModule), gzip), scripts: sum(files.filter((file) => !isModule(file)), gzip),
          brotli: sum(files, brotliCompressSync)};
}

// ---- hosts

const runs = {
  async node(name, size) {
    const {stdout} = await promisify(execFile)(process.execPath, [
      fileURLToPath(import.meta.url), '--one', name, '--package', options.package, '--peers', options.peers,
      '--rows', `${size.rows}`, '--steps', `${size.steps}`], {timeout: RUN_MS, maxBuffer: 1 << 24});
    return JSON.parse(stdout.slice(stdout.lastIndexOf('\n{') + 1));
  },
  async chromium(name, size) {
    const browser = await startBrowser();
    try {
      const page = await newPage(browser, {viewport: {width: 400, height: 300}});
      await page.goto(`${await origin()}/`);
      const run = page.evaluate(async ([engine, folder, wanted]) => {
        const {measure: timed} = await import('/bench/engines.js');
        return timed(engine, folder, wanted);
      }, [name, `${await origin()}/${name}/`, size]);
      const late = setTimeout(() => browser.close(), RUN_MS);
      return await run.finally(() => clearTimeout(late));
    } catch (error) {
      throw new Error(`${name} in Chromium: ${error.message}`);
    } finally {
      await browser.close();
    }
  },
};

let files = null;

// Serves the engines' folders, isolated as threads in a page require: otherwise one of the peers would load a slower
// module.
async function origin() {
  if (files === null) {
    files = http.createServer((request, response) => {
      const [, name, ...rest] = decodeURIComponent(request.url).split('/');
      const folder = name === 'bench' ? path.join(ROOT, 'tests/bench/web') : ENGINES[name] && folderOf(name);
      const place = folder && path.join(folder, path.normalize(`/${rest.join('/')}`));
      const bytes = name === '' ? PAGE : place && existsSync(place) ? readFileSync(place) : null;
      response.writeHead(bytes === null ? 404 : 200, {
        'Content-Type': name === '' ? TYPES.html : TYPES[request.url.split('.').at(-1)] ?? 'application/octet-stream',
        'Cross-Origin-Opener-Policy': 'same-origin', 'Cross-Origin-Embedder-Policy': 'require-corp'});
      response.end(bytes);
    });
    files.listen(0, '127.0.0.1');
    await once(files, 'listening');
  }
  return `http://127.0.0.1:${files.address().port}`;
}

// ---- all of it

async function compare(host, engines, size, rounds) {
  const figures = Object.fromEntries(engines.map((name) => [name, {medians: [], slow: [], top: 0}]));
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < engines.length; i++) {
      const name = engines[(i + round) % engines.length];
      const {times, top} = await runs[host](name, size);
      const sorted = times.sort((a, b) => a - b);
      figures[name].medians.push(median(times));
      figures[name].slow.push(sorted[Math.ceil(sorted.length * 0.99) - 1]);
      figures[name].top = top;
    }
  }
  return figures;
}

function tell(host, size, figures) {
  const boxes = size.rows * (size.rows + 1) / 2;
  console.log(`\nA pyramid of ${boxes} boxes in ${host}, ${size.steps} steps:\n`);
  console.log('| engine | median step [ms] | 99 % [ms] | carom to it | topmost box [m] |\n| --- | ---: | ---: | ---: | ---: |');
  for (const [name, {medians, slow, top}] of Object.entries(figures)) {
    const ratio = figures.carom ? median(figures.carom.medians.map((own, i) => own / medians[i])).toFixed(2) : '';
    console.log(`| ${name} | ${median(medians).toFixed(2)} | ${median(slow).toFixed(2)} | ${ratio} | ${top.toFixed(2)} |`);
  }
}

async function main() {
  const size = {rows: count('rows', 400), steps: count('steps', 100000)};
  const all = Object.keys(ENGINES);
  if (!existsSync(path.join(options.package, 'src/engine.wasm'))) {
    console.error(`--package: there is no engine in ${options.package}; build it: cmake --build --preset release --target web_package`);
    process.exit(1);
  }
  const engines = listed('engines', all, found());
  const hosts = listed('hosts', ['node', 'chromium'], whyNoBrowser() ? ['node'] : ['node', 'chromium']);
  const rounds = count('rounds', 1000);
  const sizes = Object.fromEntries(engines.map((name) => [name, sizesOf(name)]));
  const results = {};
  for (const host of hosts) results[host] = await compare(host, engines, size, rounds);
  if (options.json) {
    console.log(JSON.stringify({...size, rounds, sizes, results}));
    return;
  }
  console.log('Sizes of all that a page loads [kB], by gzip, and by brotli:\n\n| engine | WebAssembly | scripts | together | by brotli |\n| --- | ---: | ---: | ---: | ---: |');
  const kilo = (bytes) => (bytes / 1000).toFixed(1);
  for (const [name, {wasm, scripts, brotli}] of Object.entries(sizes)) {
    console.log(`| ${name} | ${kilo(wasm)} | ${kilo(scripts)} | ${kilo(wasm + scripts)} | ${kilo(brotli)} |`);
  }
  for (const host of hosts) tell(host, size, results[host]);
}

if (options.help) process.stdout.write(HELP);
else if (options.one) {
  const size = {rows: count('rows', 400), steps: count('steps', 100000)};
  const answer = await measure(options.one, pathToFileURL(`${folderOf(options.one)}/`), size);
  // An engine's threads would keep the process alive
  process.stdout.write(`\n${JSON.stringify(answer)}`, () => process.exit(0));
} else {
  await main();
  files?.close();
}
