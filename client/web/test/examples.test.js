// The examples, started as their READMEs say: in Chromium, with guests as players and a referee (environment CAROMD,
// CAROM_PAGES: the folder with the pages). Skipped without Chromium.
import test from 'node:test';
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath, pathToFileURL} from 'node:url';

import {PLATFORM, ROUND_S, rules} from '../examples/knockout/rules.js';
import {connect, loadEngine} from '../src/index.js';
import {createReferee} from '../src/referee.js';
import {createTestGame} from '../src/testing.js';
import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {startFiles} from './files.js';
import {AWAIT_MS} from './patience.js';
import {sleep, startCaromd} from './support.js';
import {makeKeys} from './tokens.js';

const skip = skipWithoutBrowser();
const noEngine = process.env.CAROM_WASM !== 'ON' && 'the engine for WebAssembly was not built';
const FROZEN_MS = 10000; // much more than a prediction's clock corrects without a jump
const RIGHT_FRAMES = 60; // frames until the page must show the present again: a second of ordinary frames

// A worker that loads the client from ORIGIN, predicts a disc that it pushes to and fro, and posts the place to draw and
// what the figures say of the last push: from a moment when no push was on its way to the next one.
const WORKER = `
  import {connect} from 'ORIGIN/src/index.js';

  self.onmessage = async ({data: url}) => {
    const client = await connect(url, {name: 'worker', distance: {delayMs: 50}});
    const rink = client.use('worker');
    await rink.world.create({gravity: [0, 0], if_absent: true});
    const {body} = await rink.body.spawn({lifetime: 'session', shapes: [{kind: 'circle', radius: 0.5}]});
    let force = 20;
    let given = true; // the server's world has no push to come
    let before = null; // figures before the last push
    let push = null;
    const play = await rink.predict({input(batch, {firstTime}) {
      if (!firstTime || given) return;
      batch.body.force({body, force: [force, 0]});
      force = -force;
      given = true;
    }});
    setInterval(() => {
      play.advance();
      const {figures} = play;
      if (given && figures?.waiting === 0) {
        if (before) push = Object.fromEntries(Object.keys(figures).map((name) => [name, figures[name] - before[name]]));
        before = figures;
        given = false;
      }
      postMessage({x: play.bodies.get(body)?.pose.x, reason: play.reason?.message, lead: figures?.lead, push});
    }, 16);
  };`;

const ARENA = fileURLToPath(new URL('../examples/knockout/arena.json', import.meta.url));

// The server as start.js has it, and a referee; `join(name)` opens a page that plays.
async function startPages(t, options = []) {
  const keys = makeKeys();
  t.after(() => keys.remove());
  const files = await startFiles(process.env.CAROM_PAGES);
  t.after(() => files.close());
  const server = await startCaromd(['--origin', files.origin, '--keys', keys.file, '--guests', 'player', '--template', `knockout=${ARENA}`, ...options]);
  t.after(() => server.stop());
  const address = `ws://127.0.0.1:${server.port}/rpc`;
  const referee = await createReferee({url: address, token: keys.token('referee'), template: 'knockout', lookMs: 50, ...rules});
  t.after(() => referee.close());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const page = async (hash) => {
    const page = await newPage(browser, {viewport: {width: 700, height: 600}});
    await page.goto(`${files.origin}/examples/knockout/?server=${encodeURIComponent(address)}#${hash}`);
    return page;
  };
  const join = async (name) => {
    const joined = await page(`name=${name}`);
    await until(joined, () => game.disc !== 0 && game.view.bodies.has(game.disc));
    return joined;
  };
  return {address, browser, keys, origin: files.origin, page, join, referee};
}

const players = (page) => page.getByRole('listitem');

test('two_players_of_knockout_see_push_and_leave_each_other', {skip}, async (t) => {
  const {join, page} = await startPages(t);
  const ada = await join('Ada');
  const ben = await join('Ben');
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
  // Ada's key moves her disc in Ben's picture, until she is over the rim, is put back and has one out.
  const disc = await ada.evaluate(() => game.disc);
  const x = await until(ben, (id) => game.view.bodies.get(id)?.pose.x, disc);
  await ada.keyboard.down('ArrowRight');
  await until(ben, ([id, before]) => game.view.bodies.get(id).pose.x > before + 0.2, [disc, x]);
  await players(ben).filter({hasText: /[1-9]Ada/}).waitFor();
  await ada.keyboard.up('ArrowRight');
  await until(ben, (id) => Math.hypot(game.view.bodies.get(id).x, game.view.bodies.get(id).y) < 10, disc);
  // Somebody looks on, without a seat.
  const eve = await page('watch');
  await players(eve).filter({hasText: 'Ben'}).waitFor();
  assert.equal(await until(eve, () => game.view.bodies.size >= 6 && game.seat + 1), 1);
  assert.equal(await ada.evaluate(() => [...game.view.bodies.values()].filter(({tag}) => tag === 'rock').length), 3);
  await ada.goto('about:blank');
  await players(ben).nth(1).waitFor({state: 'detached'});
  await until(ben, (id) => !game.view.bodies.has(id), disc);
  assert.deepEqual([...errorsOf(ben), ...errorsOf(eve)].filter((text) => !text.includes('favicon')), []);
});

test('a_tab_that_is_hidden_lets_go_of_its_disc', {skip}, async (t) => {
  const {join} = await startPages(t);
  const page = await join('Ada');
  const force = () => page.evaluate(async () => (await game.world.body.get({body: game.disc})).force?.[0] ?? 0);
  const forced = async (wanted) => {
    for (const end = performance.now() + AWAIT_MS; performance.now() < end && await force() > 0 !== wanted;) await sleep(50);
    assert.equal(await force() > 0, wanted);
  };
  await page.keyboard.down('ArrowRight');
  await forced(true);
  await page.evaluate(() => { // a browser without a screen hides no page: the test stops the frames, and sends the event
    const frame = globalThis.requestAnimationFrame;
    globalThis.requestAnimationFrame = () => 0;
    return new Promise((resolve) => frame(() => { // runs after the game's last frame, which was requested first
      Object.defineProperty(document, 'visibilityState', {value: 'hidden'});
      document.dispatchEvent(new Event('visibilitychange'));
      resolve();
    }));
  });
  await forced(false);
  assert.deepEqual(errorsOf(page).filter((text) => !text.includes('favicon')), []);
});

test('one_command_serves_the_whole_game', {skip}, async (t) => {
  const start = fileURLToPath(new URL('../examples/knockout/start.js', import.meta.url));
  const child = spawn(process.execPath, [start, '--listen', '127.0.0.1:0', '--http', '127.0.0.1:0'], {stdio: ['ignore', 'pipe', 'pipe']});
  const ended = once(child, 'close');
  t.after(async () => {
    child.kill();
    await ended;
  });
  const port = await new Promise((resolve, reject) => {
    let log = '';
    child.on('exit', () => reject(new Error(`start.js ended:\n${log}`)));
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text) => {
        log += text;
        const found = /for browsers: http:\/\/127\.0\.0\.1:(\d+)/.exec(log);
        if (found) resolve(found[1]);
      });
    }
  });
  const browser = await startBrowser();
  t.after(() => browser.close());
  const page = await newPage(browser);
  await page.goto(`http://127.0.0.1:${port}/#name=Ada`);
  await players(page).filter({hasText: 'Ada'}).waitFor();
  await until(page, () => game.disc !== 0 && game.view.bodies.has(game.disc));
  assert.deepEqual(errorsOf(page).filter((text) => !/favicon|engine\.wasm/.test(text)), []);
});

test('nobody_changes_the_score_of_knockout_from_the_console', {skip}, async (t) => {
  const {join} = await startPages(t);
  const ada = await join('Ada');
  const ben = await join('Ben');
  await players(ada).nth(1).waitFor();
  await until(ada, () => [...game.view.bodies.values()].filter(({tag}) => tag.includes('|')).length === 2);
  const tried = await ada.evaluate(async () => {
    const {world, view, disc} = game;
    const other = [...view.bodies].find(([id, {tag}]) => tag.includes('|') && id !== disc)[0];
    const refused = (call) => call.then(() => 'done', ({code}) => code);
    const keys = (await world.data.get()).data;
    return {
      scores: await Promise.all(Object.keys(keys).filter((key) => !key.startsWith('player/')).map((key) =>
        refused(world.data.set({key, value: {name: 'Ada', outs: -99, wins: 99}})))),
      others: await Promise.all([
        refused(world.body.force({body: other, force: [1, 0]})), refused(world.body.set({body: disc, position: [0, 0]})),
        refused(world.body.spawn({shapes: [{kind: 'box', size: [200, 1]}]})), refused(world.body.remove({body: other})),
        refused(world.body.force({body: disc, force: [1e5, 0]})), refused(world.world.set({gravity: [0, -9]})),
        refused(world.message.send({name: 'round', data: {number: 1, winners: ['Ada']}, subject: 'referee'}))]),
      own: await refused(world.data.set({key: `player/${game.client.hello.subject}/colour`, value: 'red'})),
    };
  });
  assert.ok(tried.scores.length >= 6);
  assert.deepEqual(new Set([...tried.scores, ...tried.others]), new Set(['permission_denied']));
  assert.equal(tried.own, 'done');
  // A message may be of any player: nobody's page shows it as the referee's. The name comes after it.
  await ada.evaluate(async () => {
    await game.world.message.send({name: 'round', data: {number: 1, winners: ['Ada']}});
    await game.world.message.send({name: 'round'});
    await game.world.data.set({key: `player/${game.client.hello.subject}/name`, value: 'Eve'});
  });
  await players(ben).filter({hasText: 'Eve'}).waitFor();
  assert.equal(await ben.locator('#says').textContent(), '');
  assert.deepEqual(errorsOf(ben), []);
});

test('rules_of_knockout_count_outs_and_rounds', {skip: noEngine}, async (t) => {
  const engine = await loadEngine(pathToFileURL(`${process.env.CAROM_PAGES}/src/engine.wasm`));
  const game = await createTestGame({gravity: [0, 0], engine, ...rules});
  t.after(() => game.free());
  const ada = game.join('ada', {name: ' A|da'});
  game.join('ben');
  await game.step(3);
  const disc = [...game.bodies.values()].find(({owner}) => owner === 'ada');
  const away = () => Math.hypot(disc.x, disc.y);
  assert.deepEqual([disc.tag, game.get('score/1').name, game.get('score/2').name], ['1|Ada', 'Ada', 'Player 2']);
  game.world.call('body.set', {body: disc.id, velocity: [4 * disc.x, 4 * disc.y]});
  await game.step(60);
  assert.equal(game.get('score/1').outs, 1);
  assert.ok(away() < PLATFORM);
  const rock = [...game.bodies.values()].find(({tag}) => tag === 'rock');
  game.world.call('body.set', {body: rock.id, position: [30, 0]});
  await game.step(3);
  assert.ok(Math.hypot(rock.x, rock.y) < PLATFORM, 'rocks return');
  await game.restart();
  await game.step(ROUND_S * 60);
  assert.deepEqual([game.get('round').number, game.get('round').winners, game.get('score/1').wins, game.get('score/2').wins, game.get('score/1').outs], [2, ['Player 2'], 0, 1, 0]);
  game.leave(ada);
  await game.step(3);
  assert.deepEqual([Object.keys(game.data).sort(), game.bodies.has(disc.id)], [['round', 'score/2'], false]);
  assert.equal(game.bodies.size, 5); // platform, rocks, the other disc
});

test('a_player_joins_once_and_by_a_name', {skip}, async (t) => {
  const {page: open, keys, address} = await startPages(t);
  const page = await open('name=A%7C9'); // | ends a seat in tags
  const refused = () => page.evaluate(() => !document.getElementById('name').validity.valid && game.client === null);
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
  await players(page).filter({hasText: 'Ada'}).waitFor();
  const admin = await connect(address, {token: keys.token('admin')});
  t.after(() => admin.close());
  const seats = (await admin.world.list()).map(({seats_taken: taken}) => taken);
  assert.deepEqual(seats, [1]);
  assert.deepEqual(errorsOf(page).filter((text) => !text.includes('favicon')), []);
});

test('a_token_leaves_the_address_and_is_for_its_server_and_one_visit', {skip}, async (t) => {
  const {address, browser, keys, origin} = await startPages(t);
  const game = `${origin}/examples/knockout/?server=${encodeURIComponent(address)}`;
  const page = await newPage(browser);
  await page.goto(`${game}#token=${keys.token('player')}&name=Op`);
  const joined = () => until(page, () => globalThis.game?.disc !== 0 && location.hash);
  assert.equal(await joined(), '#name=Op');
  assert.equal(await page.evaluate(() => history.length), 2, 'no entry of the history contains the token');
  await page.reload();
  assert.equal(await joined(), '#name=Op'); // a reload is the same visit
  const subject = () => page.evaluate(() => globalThis.game.client.hello.subject);
  assert.equal(await subject(), 'player');
  assert.deepEqual(await page.evaluate(() => Object.keys(sessionStorage)), []);
  // Another person's link within the page is another visit, and going back ends it.
  await page.evaluate((token) => {
    location.hash = `token=${token}&name=Op`;
  }, keys.token('admin'));
  await until(page, () => globalThis.game?.disc !== 0 && globalThis.game?.client?.hello.subject === 'admin' && location.hash === '#name=Op');
  await page.goBack();
  await until(page, () => globalThis.game?.disc !== 0 && globalThis.game?.client?.hello.subject === 'player');
  // The page without the link has no token: its player is a guest.
  await page.goto('about:blank');
  await page.goto(`${game}#name=Op`);
  assert.equal(await joined(), '#name=Op');
  assert.match(await subject(), /^guest/);
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
  await sleep(FROZEN_MS);
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
  const files = await startFiles(process.env.CAROM_PAGES);
  t.after(() => files.close());
  const server = await startCaromd(['--origin', files.origin]);
  t.after(() => server.stop());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const {origin} = files;
  const address = `ws://127.0.0.1:${server.port}/rpc`;
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
  // A push that comes late, as on a busy machine, is rightly mispredicted: the test awaits one that came in time.
  const {reason, push} = await until(page, () => (told.reason || (told.push?.late === 0 && told.push.lost === 0)) && told);
  assert.equal(reason, undefined);
  const {sent, confirmed, rollback_count: rollbacks, ticks, ticks_right: right} = push;
  assert.ok(sent === 1 && confirmed === 1 && ticks > 0 && rollbacks === 0 && right === ticks, JSON.stringify(push));
  await until(page, () => told.lead > 5); // both ways together take 100 ms
  await until(page, () => Math.abs(told.x) > 2);
  assert.deepEqual(errorsOf(page).filter((text) => !text.includes('favicon')), []); // the browser asks for it by itself
});
