#!/usr/bin/env node
// All measurements of play over distance, in one command: carom-bench-distance (native code, simulated networks), a
// frame of the prediction in WebAssembly, two players against a real caromd, and knockout in a page. README.md explains
// the columns.
import {spawnSync} from 'node:child_process';
import {existsSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import path from 'node:path';
import {fileURLToPath} from 'node:url';
import {parseArgs} from 'node:util';

import {newPage, startBrowser, until, whyNoBrowser} from '../../../client/web/test/browser.js';
import {startFiles} from '../../../client/web/test/files.js';
import {loadEngine} from '../../../client/web/src/index.js';
import {PredictedPicture} from '../../../client/web/src/predicted_picture.js';
import {PredictionCore} from '../../../client/web/src/prediction_core.js';
import {Replica} from '../../../client/web/src/replica.js';
import {chance, measureBlind} from './blind.js';
import {measureFrames} from './frame.js';
import {measureKnockout} from './knockout.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const PARTS = ['native', 'frames', 'players', 'knockout', 'blind'];
const HELP = `Usage: node tests/bench/distance/main.js [options]

  --build DIR     a build of carom (.build/release)
  --parts LIST    of ${PARTS.join(',')} (all)
  --hosts LIST    of node,chromium: where frames are measured (those that are there)
  --rounds N      rollbacks of each world, native (30)
  --seconds N     over each network (30)
  --frames N      of each world in WebAssembly (300)
  --presses N     keys that are timed at each distance, or in each round of the blind trial (12)
  --pairs N       of rounds in the blind trial, one at each distance (8)
  --help          this text
`;
const SIZES = [10, 100, 200, 500, 1000, 5000];
const BUDGET_MS = 4;
const DISTANCES = [[0, 0], [25, 0], [50, 0], [50, 0.01], [100, 0]]; // one way [ms], stalls

const {values: options} = parseArgs({options: {
  build: {type: 'string', default: path.join(ROOT, '.build/release')}, parts: {type: 'string', default: PARTS.join(',')},
  hosts: {type: 'string', default: whyNoBrowser() ? 'node' : 'node,chromium'}, rounds: {type: 'string', default: '30'},
  seconds: {type: 'string', default: '30'}, frames: {type: 'string', default: '300'},
  presses: {type: 'string', default: '12'}, pairs: {type: 'string', default: '8'}, help: {type: 'boolean', default: false}}});

function fail(text) {
  console.error(text);
  process.exit(2);
}

function count(name, most, least = 1) {
  const value = Number(options[name]);
  if (!(Number.isInteger(value) && value >= least && value <= most)) fail(`--${name}: a whole number from ${least} to ${most}, got ${options[name]}`);
  return value;
}

function listed(name, all) {
  const wanted = options[name].split(',');
  for (const one of wanted) if (!all.includes(one)) fail(`--${name}: ${one} is not one of ${all.join(', ')}`);
  return wanted;
}

const built = (file) => {
  const place = path.resolve(options.build, file);
  if (!existsSync(place)) fail(`${place} is not there: build carom with the preset check, or name another --build`);
  return place;
};

// ---- tables

const digits = (value, places = 1) => !Number.isFinite(value) ? '–' : value.toFixed(places);
const percent = (share) => digits(100 * share);
const at = (sorted, part) => sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)];

function table(title, columns, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  console.log(`\n${title}\n\n${line(columns)}\n${line(columns.map(() => '---:'))}`);
  for (const row of rows) console.log(line(row));
}

// Compares two distances: a player cannot distinguish them if these times are equal; `rows` have the times of each
// distance.
function compare(what, rows) {
  const [near, far] = [rows.find(({delayMs}) => delayMs === 0), rows.find(({delayMs, stall}) => delayMs === 50 && stall > 0)];
  if (!near || !far) return;
  const pair = (times, part) => `${digits(at(times, part), 0)} ms`;
  for (const [name, key] of [['predicted', 'predicted'], ['from snapshots', 'plain']]) {
    const medians = [far, near].map((row) => pair(row[key], 0.5));
    const tails = [far, near].map((row) => pair(row[key], 0.95));
    console.log(`${what}, ${name}: a key moves the player's own disc after ${medians[0]} at 100 ms and 1 % stalls, after ${medians[1]} at 0 ms ` +
                `(median; p95 ${tails[0]} and ${tails[1]})`);
  }
}

// ---- parts

function native(rounds, seconds) {
  const args = ['--rounds', `${rounds}`, '--seconds', `${seconds}`];
  const {status} = spawnSync(built('tests/bench/carom-bench-distance'), args, {stdio: 'inherit'});
  if (status !== 0) fail('carom-bench-distance has failed');
}

const compiled = async () => WebAssembly.compile(await readFile(built('client/web/pages/src/engine.wasm')));

const hosts = {
  async node(measure) {
    const source = await compiled();
    return measure((size) => measureFrames({loadEngine, Replica, PredictionCore, PredictedPicture}, source, size));
  },
  async chromium(measure, browser, pages) {
    const page = await newPage(browser, {viewport: {width: 400, height: 300}});
    const body = await readFile(new URL('./frame.js', import.meta.url), 'utf8');
    await page.route('**/bench/frame.js', (route) => route.fulfill({contentType: 'text/javascript', body}));
    await page.goto(`${pages.origin}/examples/knockout/`); // any page of this origin
    try {
      return await measure((size) => page.evaluate(async (wanted) => {
        const names = ['index', 'prediction_core', 'predicted_picture'];
        const parts = await Promise.all(names.map((name) => import(`/src/${name}.js`)));
        const {measureFrames: measured} = await import('/bench/frame.js');
        return measured(Object.assign({}, ...parts), undefined, wanted);
      }, size));
    } finally {
      await page.context().close();
    }
  },
};

async function frames(host, each, browser, pages) {
  const measured = async (measure) => {
    const all = [];
    for (const bodies of SIZES) {
      const free = await measure({bodies, frames: each, budgetMs: 0});
      const bound = await measure({bodies, frames: each, budgetMs: BUDGET_MS});
      all.push([bodies, digits(free.record, 2), digits(free.median, 2), digits(free.p95, 2), digits(free.most, 2),
                percent(free.right), digits(free.depth), digits(bound.predicted95, 2), digits(bound.predictedMost, 2), percent(bound.approximate),
                digits((free.memory - free.before) / 1024, 0)]);
    }
    return all;
  };
  const rows = await hosts[host](measured, browser, pages);
  table(`A frame in WebAssembly (${host}), 100 ms, another player's command in 6 ticks of 60; the last four columns with a ` +
        `budget of ${BUDGET_MS} ms, which bounds the prediction and not the picture, but for the memory`,
        ['bodies', 'record ms', 'frame ms', 'p95 ms', 'most ms', 'right %', 'ticks each', 'p95 ms', 'most ms', 'short %', 'memory kB'], rows);
}

async function players(seconds, presses) {
  const {startCaromd} = await import('../../../client/web/test/support.js');
  const {measurePlay} = await import('./play.js');
  process.env.CAROMD ??= built('server/caromd');
  const source = await compiled();
  const server = await startCaromd();
  const rows = [];
  const all = [];
  try {
    for (const [delayMs, stall] of DISTANCES) {
      const {kbits, figures, keys} = await measurePlay(server.url, {delayMs, stall, seed: 1}, {seconds, presses, engine: await loadEngine(source)});
      const times = keys.flatMap((list) => [digits(at(list, 0.5), 0), digits(at(list, 0.95), 0)]);
      all.push({delayMs, stall, predicted: keys[0], plain: keys[1]});
      rows.push([2 * delayMs, percent(stall), ...times, digits(kbits[0].up), digits(kbits[0].down), digits(kbits[1].up),
                 digits(kbits[1].down), percent(figures.right), digits(figures.lead, 0)]);
    }
  } finally {
    await server.stop();
  }
  table('Two players among 40 discs of a real caromd, three keys a second each: one predicts, the other draws 30 packed snapshots a second',
        ['round trip ms', 'stalls %', 'key to motion ms', 'p95', 'interpolated ms', 'p95', 'up kbit/s', 'down', 'interpolated up', 'down',
         'right %', 'lead'], rows);
  compare('Two players', all);
}

async function rigOf(browser, pages) {
  process.env.CAROMD ??= built('server/caromd');
  // Read once by each copy of the module: the players have a copy of their own
  process.env.CAROM_TRANSPORT = 'websocket';
  const {startCaromd} = await import('../../../client/web/test/support.js?websocket');
  return {browser, pages, startCaromd, newPage, until};
}

async function knockout(rig, presses) {
  const rows = [];
  const all = [];
  for (const [delayMs, stall] of [[0, 0], [50, 0], [50, 0.01]]) {
    const {predicted, plain, figures} = await measureKnockout({...rig, delayMs, stall, presses});
    all.push({delayMs, stall, predicted, plain});
    rows.push([2 * delayMs, percent(stall), digits(at(predicted, 0.5), 0), digits(at(predicted, 0.95), 0), digits(at(plain, 0.5), 0),
               digits(at(plain, 0.95), 0), percent(figures.right), digits(100 * figures.error)]);
  }
  table("Knockout in Chromium: from a key to the frame in which the player's own disc has moved by 5 mm",
        ['round trip ms', 'stalls %', 'predicted ms', 'p95', 'interpolated ms', 'p95', 'right %', 'corrected cm'], rows);
  compare('Knockout', all);
}

async function blind(rig, pairs, presses) {
  const {keys, predicted, plain} = await measureBlind({...rig, pairs, presses});
  const [least, most] = chance(keys).map((share) => digits(100 * share, 0));
  table(`Knockout in Chromium, blind: ${keys} keys in ${2 * pairs} rounds, half of them at 0 ms and half at 100 ms and 1 % stalls, in an order that chance gave`,
        ['picture', 'told apart %', 'a coin'], [['predicted', percent(predicted), `${least} to ${most}`], ['from snapshots', percent(plain), `${least} to ${most}`]]);
}

// ---- all of it

if (options.help) {
  console.log(HELP);
  process.exit(0);
}
const parts = listed('parts', PARTS);
const where = listed('hosts', Object.keys(hosts));
const [rounds, seconds, frameCount, presses, pairs] = [count('rounds', 1000), count('seconds', 600), count('frames', 10000), count('presses', 1000), count('pairs', 100, 2)];
if (where.includes('chromium') && whyNoBrowser()) fail(whyNoBrowser());
const needed = where.includes('chromium') && ['frames', 'knockout', 'blind'].some((part) => parts.includes(part));
const browser = needed ? await startBrowser() : null;
const pages = needed ? await startFiles(built('client/web/pages')) : null;
try {
  if (parts.includes('native')) native(rounds, seconds);
  if (parts.includes('frames')) for (const host of where) await frames(host, frameCount, browser, pages);
  if (parts.includes('players')) await players(seconds, presses);
  if (parts.includes('knockout') && browser) await knockout(await rigOf(browser, pages), presses);
  if (parts.includes('blind') && browser) await blind(await rigOf(browser, pages), pairs, presses);
} finally {
  await browser?.close();
  pages?.close();
}
