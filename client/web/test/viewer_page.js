// Support for tests of the viewer: a caromd (environment CAROMD), a Chromium, and pages that show a world.
//
// CAROM_SHOTS=DIR keeps a picture of each step, to be looked at.
import test from 'node:test';
import assert from 'node:assert/strict';
import path from 'node:path';

import {connect} from '../src/index.js';
import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {AWAIT_MS} from './patience.js';
import {sleep, startCaromd} from './support.js';

export const skip = skipWithoutBrowser();
const shots = process.env.CAROM_SHOTS;

/** The server, a client of it, and the browser; set while tests run. */
export const stage = {server: null, client: null, browser: null};

if (!skip) {
  test.before(async () => {
    stage.server = await startCaromd(['--world', 'demo:demo']);
    stage.client = await connect(stage.server.url);
    stage.browser = await startBrowser();
  });
  test.after(async () => {
    stage.client.close();
    await stage.browser.close();
    assert.equal(await stage.server.stop(), 0);
  });
}

const drawn = (least) => globalThis.carom?.session.state === 'open' && carom.picture.bodies.length >= least;

/** Has a page keep the text of every note that it shows: a note goes after some seconds, which a busy machine may miss. */
export const keepNotes = (page) => page.addInitScript(() => {
  globalThis.notes = [];
  new MutationObserver((changes) => {
    for (const {target, addedNodes} of changes) {
      if (target.id === 'toasts') notes.push(...[...addedNodes].map((node) => node.textContent));
    }
  }).observe(document, {childList: true, subtree: true});
});

/** Waits until the page has shown a note in which `text`, a string or a pattern, is found; returns the note. */
export const noted = (page, text) => until(page, ([pattern, flags]) => notes.find((note) => new RegExp(pattern, flags).test(note)),
  typeof text === 'string' ? [text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'), ''] : [text.source, text.flags]);

/** A page of the viewer, which is closed when the test ends. */
export async function openPage(t, address, options = {}) {
  const page = await newPage(stage.browser, options);
  await keepNotes(page);
  t.after(() => page.context().close());
  await page.goto(`http://127.0.0.1:${stage.server.port}/${address}`);
  return page;
}

/** Waits until a page draws that many bodies. */
export const untilDrawn = (page, least) => until(page, drawn, least);

/** The tick that a page draws, once it does. */
export const tickOf = (page) => until(page, () => carom.source?.tick > 0 && carom.source.tick);

/** A page that shows a world. */
export async function show(t, world, least, options = {}) {
  const page = await openPage(t, `#world=${world}`, options);
  await untilDrawn(page, least);
  return page;
}

let labs = 0;

/** A world of its own with ground, and a page that shows it. */
export async function showLab(t, args = {}, options = {}) {
  const lab = stage.client.use(`lab${++labs}`);
  await lab.world.create({lifetime: 'session', ...args});
  await lab.body.spawn({type: 'static', tag: 'ground', position: [0, -1], shapes: [{kind: 'box', size: [60, 2]}]});
  const page = await show(t, lab.name, 1, options);
  await page.evaluate(() => {
    carom.camera.fit([-12, -2, 12, 12]);
    carom.camera.jump();
  });
  return {lab, page};
}

/** The position on the page of a place in the world. */
export const at = (page, x, y) => page.evaluate((place) => carom.camera.toScreen(...place), [x, y]);

export const button = (page, name) => page.getByRole('button', {name, exact: true});

/** Presses, moves over all places, waits for `hold`, lets go. */
export async function drag(page, places, hold = async () => {}) {
  await page.mouse.move(...places[0]);
  await page.mouse.down();
  for (const place of places.slice(1)) await page.mouse.move(...place);
  await hold();
  await page.mouse.up();
}

/** Fingers that touch, move and leave together; each step has all their positions, or is a function to await meanwhile. */
export async function touch(page, ...steps) {
  const devtools = await page.context().newCDPSession(page); // playwright itself has only one finger
  const send = (type, places) => devtools.send('Input.dispatchTouchEvent', {
    type, touchPoints: places.map(([x, y], id) => ({x, y, id}))});
  await send('touchStart', steps[0]);
  for (const step of steps.slice(1)) await (typeof step === 'function' ? step() : send('touchMove', step));
  await send('touchEnd', []);
  await devtools.detach();
}

/** Saves a picture of the page if the environment asks for it. */
export async function picture(page, name) {
  if (shots) await page.screenshot({path: path.join(shots, `${name}.png`)});
}

/** Repeats a check until it passes; else throws its last error. */
export async function soon(check, ms = AWAIT_MS) {
  for (const end = performance.now() + ms;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await sleep(50);
    }
  }
}

export async function tagged(lab, tag) {
  const {bodies} = await lab.world.state();
  return bodies.filter((body) => body.tag === tag);
}

export const assertNoErrors = (...pages) => assert.deepEqual(pages.flatMap(errorsOf), []);
