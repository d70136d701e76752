// The examples, started as their READMEs say: in Chromium, as pages from another address than the server's (environment
// CAROMD, CAROM_PAGES: the folder with the pages). Skipped without Chromium.
import test from 'node:test';
import assert from 'node:assert/strict';

import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {startFiles} from './files.js';
import {startCaromd} from './support.js';
import {makeKeys} from './tokens.js';

const skip = skipWithoutBrowser();
const noEngine = process.env.CAROM_WASM !== 'ON' && 'the engine for WebAssembly was not built';
const FROZEN_MS = 10000; // much more than a prediction's clock corrects without a jump
const RIGHT_FRAMES = 60; // frames until the page must show the present again: a second of ordinary frames

// A worker that loads the client from ORIGIN, predicts a disc that it pushes, and posts the poses to draw.
const WORKER = `
  import {connect} from 'ORIGIN/src/index.js';

  self.onmessage = async ({data: url}) => {
    const client = await connect(url, {name: 'worker', distance: {delayMs: 50}});
    const rink = client.use('worker');
    await rink.world.create({gravity: [0, 0], if_absent: true});
    const {body} = await rink.body.spawn({lifetime: 'session', shapes: [{kind: 'circle', radius: 0.5}]});
    let force = [20, 0];
    const play = await rink.predict({input(batch, {firstTime}) {
      if (firstTime && force) batch.body.force({body, force});
      force = null;
    }});
    setInterval(() => {
      play.advance();
      postMessage({x: play.bodies.get(body)?.pose.x, reason: play.reason?.message, figures: play.figures});
    }, 16);
  };`;

async function startPages(t, options = []) {
  const files = await startFiles(process.env.CAROM_PAGES);
  t.after(() => files.close());
  const server = await startCaromd(['--origin', files.origin, ...options]);
  t.after(() => server.stop());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const address = `ws://127.0.0.1:${server.port}/rpc`;
  const join = async (name) => {
    const page = await newPage(browser, {viewport: {width: 700, height: 600}});
    await page.goto(`${files.origin}/examples/knockout/?server=${encodeURIComponent(address)}#name=${name}`);
    await until(page, () => game.disc !== 0 && game.view.bodies.has(game.disc));
    return page;
  };
  return {address, browser, origin: files.origin, join};
}

test('two_players_of_knockout_see_push_and_leave_each_other', {skip}, async (t) => {
  const {join} = await startPages(t);
  const ada = await join('Ada');
  const ben = await join('Ben');
  const players = (page) => page.getByRole('listitem');
  await players(ada).nth(1).waitFor();
  await players(ben).filter({hasText: 'Ada'}).waitFor();
  assert.equal(await ada.evaluate(() => game.view.predicting), process.env.CAROM_WASM === 'ON');
  // Her panel simulates a farther server, and shows the world without prediction beside hers.
  await ada.keyboard.press('d');
  await ada.getByLabel('One way').fill('40');
  await ada.getByLabel('without prediction').check();
  await until(ada, () => game.panel.beside?.bodies.has(game.disc) && game.distance.delayMs === 40);
  await ada.getByText('round trip').waitFor();
  await ada.getByLabel('One way').fill('0');
  await ada.keyboard.press('d');
  // Ada's key moves her disc in Ben's picture, until she is over the rim and comes back with one out.
  const disc = await ada.evaluate(() => game.disc);
  const x = await until(ben, (id) => game.view.bodies.get(id)?.pose.x, disc);
  await ada.keyboard.down('ArrowRight');
  await until(ben, ([id, before]) => !game.view.bodies.has(id) || game.view.bodies.get(id).pose.x > before + 0.2, [disc, x]);
  await players(ben).filter({hasText: /1Ada/}).waitFor();
  await ada.keyboard.up('ArrowRight');
  assert.deepEqual([...errorsOf(ada), ...errorsOf(ben)], []);
  // A rock that is pushed over the rim comes back, and the rocks outlive the page that made them.
  const rocks = (page) => until(page, () => {
    const found = [...game.view.bodies].filter(([, body]) => body.tag === 'rock');
    return found.length === 3 && found.every(([, {x, y}]) => Math.hypot(x, y) < 10) && found[0][0];
  });
  const rock = await rocks(ben);
  await ada.evaluate((body) => game.world.body.set({body, position: [14, 0]}), rock);
  await until(ben, (id) => Math.hypot(game.view.bodies.get(id).x, game.view.bodies.get(id).y) > 10, rock);
  await rocks(ben);
  await ada.goto('about:blank');
  await rocks(ben);
  await players(ben).nth(1).waitFor({state: 'detached'});
  assert.equal(await players(ben).count(), 1);
});

test('a_player_joins_once_and_by_a_name', {skip}, async (t) => {
  const {address, browser, origin} = await startPages(t);
  const page = await newPage(browser);
  const refused = () => page.evaluate(() => !document.getElementById('name').validity.valid && game.client === null);
  await page.goto(`${origin}/examples/knockout/?server=${encodeURIComponent(address)}#name=A%7C9`); // | ends a name in tags
  await until(page, () => document.getElementById('name').value === 'A|9');
  assert.ok(await refused());
  for (const name of ['A|da', '   ']) {
    await page.getByLabel('Your name').fill(name);
    await page.getByRole('button', {name: 'Play'}).click();
    assert.ok(await refused(), name);
  }
  await page.getByLabel('Your name').fill('Ada');
  await page.getByRole('button', {name: 'Play'}).dblclick();
  await until(page, () => game.disc !== 0 && game.view.bodies.has(game.disc));
  const {bodies} = await page.evaluate(() => game.world.world.state());
  assert.equal(bodies.filter(({tag}) => tag === 'Ada|0').length, 1);
  assert.equal(await page.evaluate(async () => (await game.client.server.sessions()).sessions.length), 1);
  assert.deepEqual(errorsOf(page).filter((text) => !text.includes('favicon')), []);
});

test('a_token_leaves_the_address_and_is_kept_for_its_server', {skip}, async (t) => {
  const keys = makeKeys();
  t.after(() => keys.remove());
  const {address, browser, origin} = await startPages(t, ['--keys', keys.file]);
  const game = `${origin}/examples/knockout/?server=${encodeURIComponent(address)}`;
  const page = await newPage(browser);
  await page.goto(`${game}#token=${keys.token('admin')}&name=Op`);
  const joined = () => until(page, () => globalThis.game?.disc !== 0 && location.hash);
  assert.equal(await joined(), '#name=Op');
  assert.equal(await page.evaluate(() => history.length), 2, 'no entry of the history bears the token');
  await page.reload();
  assert.equal(await joined(), '#name=Op'); // by the token that the tab kept
  // Another server that a link names gets no token.
  const other = await startCaromd(['--origin', origin, '--keys', keys.file]);
  t.after(() => other.stop());
  await page.goto(`${game.replace(/\?.*/, '')}?server=${encodeURIComponent(`ws://127.0.0.1:${other.port}/rpc`)}#name=Op`);
  await page.getByRole('status').filter({hasText: /token/}).waitFor();
});

test('a_page_that_was_frozen_predicts_the_present_without_a_burst', {skip: skip || noEngine}, async (t) => {
  const {join} = await startPages(t);
  const page = await join('Ada');
  await page.evaluate(() => {
    globalThis.frames = []; // inputs of each frame
    game.view.set({input: (batch, {firstTime}) => firstTime && frames[frames.length - 1]++});
    requestAnimationFrame(function next() { // runs after the game's frame, which was requested first
      frames.push(0);
      requestAnimationFrame(next);
    });
  });
  await until(page, () => frames.length > 20);
  const devtools = await page.context().newCDPSession(page);
  const before = await page.evaluate(() => ({frames: frames.length, sent: game.view.figures.sent, tick: game.view.tick}));
  // Chromium does not freeze visible pages, and without a screen all pages are visible. A paused page runs no script
  // either, and its messages wait.
  await devtools.send('Debugger.enable');
  await devtools.send('Debugger.pause');
  await new Promise((resolve) => setTimeout(resolve, FROZEN_MS));
  await devtools.send('Debugger.resume');
  const after = await page.evaluate(async () => {
    const began = frames.length;
    const right = async () => {
      const {tick} = await game.world.world.info(); // the present is ahead of the server's tick
      return game.view.predicting && game.view.tick >= tick - 2;
    };
    while (!await right()) await new Promise(requestAnimationFrame);
    return {began, frames: frames.length - began, tick: game.view.tick};
  });
  // A slow machine draws fewer frames
  assert.ok(after.tick > before.tick + FROZEN_MS * 0.03, `from tick ${before.tick} to ${after.tick}`);
  assert.ok(after.began < before.frames + FROZEN_MS * 0.03, `the page drew ${after.began - before.frames} frames`); // it was frozen
  t.diagnostic(`right after ${after.frames} frames; ${after.began - before.frames} drawn until then`);
  assert.ok(after.frames <= RIGHT_FRAMES, `right after ${after.frames} frames`);
  await until(page, (count) => frames.length > count + 20, before.frames);
  // No frame makes up for the missed ones.
  const most = await page.evaluate((count) => Math.max(...frames.slice(count - 1)), before.frames);
  assert.ok(most < FROZEN_MS * 0.06 / 10, `${most} ticks in a frame`);
  assert.equal(await page.evaluate(() => game.view.figures.sent), before.sent);
  assert.deepEqual(errorsOf(page), []);
});

test('a_worker_predicts_and_posts_what_is_to_be_drawn', {skip: skip || noEngine}, async (t) => {
  const {address, browser, origin} = await startPages(t);
  const page = await newPage(browser);
  await page.goto(`${origin}/src/index.js`); // any page of this origin whose policy allows workers from a text
  await page.evaluate(([url, text]) => {
    globalThis.told = {};
    const worker = new Worker(URL.createObjectURL(new Blob([text], {type: 'text/javascript'})), {type: 'module'});
    worker.onmessage = ({data}) => {
      told = data;
    };
    worker.onerror = ({message}) => {
      told = {reason: message ?? 'the worker did not start'};
    };
    worker.postMessage(url);
  }, [address, WORKER.replace('ORIGIN', origin)]);
  const {reason, figures} = await until(page, () => (told.reason || told.x > 2) && told);
  assert.equal(reason, undefined);
  assert.deepEqual([figures.sent, figures.rollback_count], [1, 0]);
  assert.ok(figures.lead > 5 && figures.ticks_right === figures.ticks, JSON.stringify(figures));
  assert.deepEqual(errorsOf(page).filter((text) => !text.includes('favicon')), []); // the browser asks for it by itself
});
