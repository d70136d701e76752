// The viewer at work, as caromd serves it (environment CAROMD), in a real Chromium: changing things, time, a restart of
// the server, many bodies. Skipped without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';
import {mkdtempSync, rmSync} from 'node:fs';
import {readFile} from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';

import {connect} from '../src/index.js';
import {SIZES, errorsOf, newPage, until} from './browser.js';
import {startCaromd} from './support.js';
import {assertNoErrors, at, button, drag, keepNotes, noted, openPage, picture, show, showLab, skip, soon, stage, tagged,
        tickOf, untilDrawn} from './viewer_page.js';

const noEngine = process.env.CAROM_WASM !== 'ON' && 'the engine for WebAssembly was not built';
const CLIPBOARD = ['clipboard-read', 'clipboard-write'];
const MANY = 10000;
const WORK_MS_MAX = 16; // the page's own work per frame with MANY bodies: a display's 60 Hz

const inspector = (page) => page.getByRole('complementary', {name: 'The chosen body'});

// ---- changing things

test('spawned_bodies_fall_and_are_explained_when_they_sleep', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.keyboard.press('s');
  await page.mouse.click(...await at(page, 0, 5));
  await drag(page, [await at(page, -8, 3), await at(page, -7, 4), await at(page, -6, 5)]);
  const bodies = await soon(async () => {
    const found = await tagged(lab, 'circle');
    assert.equal(found.length, 2);
    return found;
  });
  await picture(page, 'spawn');
  assert.ok(bodies.some((body) => body.velocity[0] > 1), 'the thrown one flies');
  const [still] = bodies.filter((body) => Math.abs(body.velocity[0]) < 1e-6);
  await soon(async () => assert.equal((await lab.body.get({body: still.body})).awake, false));
  await page.keyboard.press('v');
  const {position} = await lab.body.get({body: still.body});
  await page.mouse.click(...await at(page, ...position));
  await inspector(page).getByText(/^It sleeps/).waitFor();
  await inspector(page).getByText('It rests on a shape.').waitFor();
  await picture(page, 'inspect');
  const wake = inspector(page).getByRole('button', {name: 'Wake'});
  await wake.waitFor();
  await lab.world.set({sleep: false}); // wakes all bodies
  await wake.waitFor({state: 'hidden'});
  await page.keyboard.press('Delete');
  await soon(async () => assert.equal((await tagged(lab, 'circle')).length, 1));
  assertNoErrors(page);
});

test('the_form_that_was_chosen_last_is_put_down', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.keyboard.press('s');
  await page.mouse.move(...await at(page, 0, 6)); // the first form's outline is drawn there
  const form = page.getByLabel('Form');
  const kinds = {box: ['polygon'], capsule: ['capsule'], cross: ['polygon', 'polygon'], circle: ['circle']};
  for (const [name, expected] of Object.entries(kinds)) {
    await form.selectOption(name);
    await page.mouse.click(...await at(page, 0, 6));
    const [body] = await soon(async () => {
      const found = await tagged(lab, name);
      assert.equal(found.length, 1);
      return found;
    });
    assert.deepEqual(body.shapes.map(({kind}) => kind), expected, name);
  }
  assertNoErrors(page);
});

test('a_dragged_body_follows_the_hand_and_is_let_go', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const {body} = await lab.body.spawn({tag: 'box', position: [0, 0.5], shapes: [{kind: 'box', size: [1, 1]}]});
  await until(page, (id) => carom.picture.bodies.some((one) => one.id === id), body);
  await drag(page, [await at(page, 0, 0.5), await at(page, 1, 2), await at(page, 4, 6)], async () => {
    await soon(async () => {
      const {position: [x, y], velocity} = await lab.body.get({body});
      assert.ok(Math.hypot(x - 4, y - 6) < 1, `at ${x}, ${y}`);
      assert.ok(Math.hypot(...velocity) < 1, `${velocity} m/s: where it is let go, it would fly off the floor`);
    });
    await picture(page, 'pull');
  });
  await soon(async () => assert.equal((await lab.world.info()).joints, 0));
  await page.keyboard.press('p');
  await soon(async () => assert.equal((await lab.body.get({body})).awake, false));
  const [x, y] = (await lab.body.get({body})).position;
  await drag(page, [await at(page, x, y), await at(page, x + 1, y + 1), await at(page, x + 2, y + 2)]);
  await soon(async () => assert.ok((await lab.body.get({body})).velocity[1] > 1));
});

test('polygons_chains_and_joints_are_drawn_by_hand', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.keyboard.press('g');
  const star = Array.from({length: 11}, (_, i) => {
    const radius = i % 2 ? 1 : 2.4;
    return [5 + radius * Math.sin(i * Math.PI / 5), 7 + radius * Math.cos(i * Math.PI / 5)];
  });
  const line = [];
  for (const place of star) line.push(await at(page, ...place));
  await drag(page, line);
  await soon(async () => {
    const [body] = await tagged(lab, 'drawn');
    assert.ok(body.shapes.length >= 3, 'a star is hollow: several shapes');
  });
  await page.keyboard.press('c');
  const ground = [];
  for (let i = 0; i <= 12; i++) ground.push(await at(page, -5 + i * 0.6, 4 - 1.5 * Math.sin(i * Math.PI / 12)));
  await drag(page, ground);
  await soon(async () => assert.ok((await tagged(lab, 'ground')).some((body) => body.shapes[0].kind === 'chain')));
  const {body} = await lab.body.spawn({position: [-1.5, 6], shapes: [{kind: 'circle', radius: 0.5}]});
  await soon(async () => {
    const {position} = await lab.body.get({body});
    assert.ok(position[1] < 3.5, 'it came to lie in the drawn bowl');
    assert.ok(position[1] > 2);
  });
  await until(page, (id) => carom.source.body(id)?.pose.y < 3.6, body);
  await page.keyboard.press('j');
  const {position: [x, y]} = await lab.body.get({body});
  await drag(page, [await at(page, x, y), await at(page, x, y + 2), await at(page, x, y + 4)]);
  await soon(async () => assert.equal((await lab.world.info()).joints, 1));
  await picture(page, 'drawn');
});

test('joints_of_every_kind_are_drawn_between_two_bodies', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {paused: true});
  const kinds = ['revolute', 'distance', 'prismatic', 'weld', 'wheel', 'motor', 'gear', 'pulley', 'filter'];
  const batch = lab.batch();
  kinds.forEach((_, i) => {
    for (const x of [-2, 2]) batch.body.spawn({position: [x, i + 1], shapes: [{kind: 'circle', radius: 0.4}]});
  });
  await batch.send();
  await until(page, (count) => carom.picture.bodies.length === count, 1 + 2 * kinds.length);
  await page.keyboard.press('j');
  const kind = page.getByRole('combobox', {name: 'Kind'});
  await soon(async () => assert.deepEqual(await kind.locator('option').allTextContents(), kinds));
  for (const [i, name] of kinds.entries()) {
    await kind.selectOption(name);
    await drag(page, [await at(page, -2, i + 1), await at(page, 0, i + 1), await at(page, 2, i + 1)]);
    await soon(async () => assert.equal((await lab.world.info()).joints, i + 1, name));
  }
  const {joints} = await lab.joint.list();
  assert.deepEqual(joints.map((joint) => joint.kind), kinds);
  const {ground_a: [, top], ratio} = joints.find((joint) => joint.kind === 'pulley');
  assert.ok(Math.abs(top - 12) < 0.1 && ratio === 1, 'the wheels stand 4 m above the bodies');
  await kind.selectOption('gear');
  await drag(page, [await at(page, -2, 1), await at(page, -1, 2.5), await at(page, 0, 2.5)]);
  await page.getByRole('alert').getByText('end on a body').waitFor();
  assert.equal((await lab.world.info()).joints, kinds.length);
  await picture(page, 'joints');
  assertNoErrors(page);
});

test('fork_save_and_load_make_worlds_of_the_same_state', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {paused: true});
  await lab.body.spawn({tag: 'kept', position: [0, 3], shapes: [{kind: 'circle', radius: 1}]});
  const {hash} = await lab.world.info();
  const worlds = page.getByRole('dialog', {name: 'Worlds'});
  const open = async () => {
    if (!await worlds.isVisible()) await page.locator('#worlds-button').click();
    await worlds.waitFor();
  };
  await open();
  await picture(page, 'fork');
  await button(worlds, 'Fork').click();
  const fork = await until(page, (was) => carom.session.world !== was && carom.picture.bodies.length === 2 && carom.session.world, lab.name);
  assert.deepEqual((await stage.client.world.info({world: fork})).hash, hash);
  await open();
  const [download] = await Promise.all([page.waitForEvent('download'), button(worlds, 'Save').click()]);
  assert.match(download.suggestedFilename(), new RegExp(`^${fork}-\\d+\\.caromimage$`));
  const image = await readFile(await download.path());
  const load = async (name, buffer) => {
    await open();
    const [chooser] = await Promise.all([page.waitForEvent('filechooser'), button(worlds, 'Load …').click()]);
    await chooser.setFiles({name, mimeType: 'application/octet-stream', buffer});
  };
  await load('kept-7.caromimage', image);
  await until(page, () => carom.session.world === 'kept' && carom.picture.bodies.length === 2);
  assert.equal((await tagged(stage.client.use('kept'), 'kept')).length, 1);
  await load('notes.txt', Buffer.from('to do'));
  await page.getByRole('alert').getByText(/^notes\.txt is no world: a file is an image .* or a scene whose name ends in \.json$/).waitFor();
  await load('cut.caromimage', image.subarray(0, 100));
  await page.getByRole('alert').getByText(/^image: /).waitFor();
  await open();
  await button(worlds, 'End').click();
  await button(worlds, 'Really end it?').click();
  await until(page, () => carom.session.world !== 'kept');
  assert.ok(!(await stage.client.world.list()).some(({world}) => world === 'kept'));
  await stage.client.world.destroy({world: fork});
});

test('space_pauses_full_stop_steps_and_speeds_slow_down', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.keyboard.press(' ');
  await soon(async () => assert.equal((await lab.world.info()).paused, true));
  await until(page, () => carom.session.info.paused);
  const {tick} = await lab.world.info();
  await page.keyboard.press('.');
  await soon(async () => assert.equal((await lab.world.info()).tick, tick + 1));
  await page.keyboard.press('<');
  await page.keyboard.press(' ');
  await soon(async () => assert.ok((await lab.world.info()).tick > tick + 5));
  assert.equal((await lab.world.info()).paused, true, 'it is stepped by the page');
  await page.keyboard.press('>');
  await soon(async () => assert.equal((await lab.world.info()).paused, false));
});

test('a_slowed_world_runs_again_when_the_page_goes_to_another', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.keyboard.press('<');
  await soon(async () => assert.equal((await lab.world.info()).paused, true));
  const {tick} = await lab.world.info();
  await soon(async () => assert.ok((await lab.world.info()).tick > tick, 'the page steps it'));
  await page.locator('#worlds-button').click();
  await page.getByRole('dialog', {name: 'Worlds'}).getByRole('button', {name: /^demo/}).click();
  await untilDrawn(page, 100);
  await soon(async () => assert.equal((await lab.world.info()).paused, false));
  await soon(async () => assert.equal(await page.getByRole('combobox', {name: 'Speed'}).inputValue(), '1'));
  assertNoErrors(page);
});

test('a_slowed_world_runs_again_when_the_page_is_left', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  for (const leave of [() => page.reload(), () => page.close()]) {
    await until(page, () => carom.session.info?.paused === false);
    await page.keyboard.press('<');
    await soon(async () => assert.equal((await lab.world.info()).paused, true));
    const {tick} = await lab.world.info();
    await soon(async () => assert.ok((await lab.world.info()).tick > tick, 'the page steps it'));
    await leave();
    await soon(async () => assert.equal((await lab.world.info()).paused, false));
  }
});

test('a_rate_begins_anew_when_the_session_is_resumed', {skip}, async (t) => {
  const {page} = await showLab(t);
  await until(page, () => carom.session.pace(carom.session.world).rate > 0);
  // The world may have stood still with its server: ticks before and after that are no rate.
  assert.equal(await page.evaluate(() => {
    carom.session.client.emit('resumed');
    return carom.session.pace(carom.session.world).rate;
  }), undefined);
  await until(page, () => carom.session.pace(carom.session.world).rate > 0);
  assertNoErrors(page);
});

test('the_address_names_the_world_that_was_chosen_until_it_is_ended', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const worlds = page.getByRole('dialog', {name: 'Worlds'});
  const address = () => page.evaluate(() => location.hash);
  const press = async (name) => {
    if (!await worlds.isVisible()) await page.locator('#worlds-button').click();
    await worlds.getByRole('button', {name, exact: true}).click();
  };
  await page.evaluate(() => history.replaceState(null, '', `${location.href}&at=1,2,30&theme=dark`));
  await press('Fork');
  const fork = `${lab.name}-2`;
  await until(page, (name) => carom.session.world === name, fork);
  assert.equal(await address(), `#world=${fork}&theme=dark`, 'the view was that of the other world');
  await page.reload();
  await until(page, (name) => carom.session.world === name && carom.picture.bodies.length > 0, fork);
  await press('End');
  await press('Really end it?');
  await page.locator('#toasts').getByText(`“${fork}”: the world was destroyed`).waitFor();
  await until(page, () => location.hash === '#theme=dark');
  await page.reload();
  await untilDrawn(page, 100); // the demo, and no sentence about a world that is not there
  await page.evaluate((name) => carom.visit(name), lab.name);
  await until(page, (name) => carom.session.info?.world === name && location.hash.includes(`world=${name}`), lab.name);
  await page.evaluate(() => history.replaceState(null, '', `${location.href}&at=1,2,30`));
  await lab.world.destroy(); // by another client
  await until(page, () => location.hash === '#theme=dark');
  assertNoErrors(page);
});

// ---- time

test('the_timeline_shows_the_past_replays_it_and_goes_back_to_now', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  const {body, tick: born} = await lab.body.spawn({position: [0, 30], velocity: [0, 5], gravity_scale: 0.2,
                                                   shapes: [{kind: 'circle', radius: 0.5}]});
  await until(page, (tick) => carom.history.end > tick / 60 + 1.5, born);
  await page.keyboard.press(',');
  await page.keyboard.press(',');
  // Keys take effect with the next frame: the page shows the past when both times are equal.
  const then = await until(page, (id) => carom.scrub && carom.scrub.time === carom.source.time &&
                                         carom.source.body(id)?.pose.y, body);
  const tick = await page.evaluate(() => carom.source.tick);
  assert.ok(tick < (await lab.world.info()).tick);
  assert.equal(await page.evaluate((id) => carom.source.body(id).pose.y, body), then, 'the past stands');
  assert.match(await page.evaluate(() => carom.link()), new RegExp(`tick=${tick}`));
  await picture(page, 'past');
  await page.keyboard.press(' ');
  await until(page, ([id, y]) => carom.source.body(id).pose.y !== y, [body, then]);
  await page.keyboard.press('n');
  await until(page, () => carom.scrub === null && carom.source === carom.live);
});

test('a_branch_of_the_past_is_that_tick_to_the_bit', {skip: skip || noEngine}, async (t) => {
  const {lab, page} = await showLab(t);
  const hashes = new Map();
  const subscription = await lab.subscribe({encoding: 'plain'});
  subscription.on('snapshot', ({tick, hash}) => hashes.set(tick, Buffer.from(hash).toString('hex')));
  const batch = lab.batch();
  for (let i = 0; i < 20; i++) {
    batch.body.spawn({position: [i % 5 - 2, 3 + Math.floor(i / 5)], angle: i, shapes: [{kind: 'box', size: [0.8, 0.5]}]});
  }
  const {tick: born} = await batch.send();
  await until(page, (tick) => carom.history.end > tick / 60 + 2.5, born);
  for (let i = 0; i < 3; i++) await page.keyboard.press(',');
  await button(page, 'branch').click();
  const name = await until(page, (was) => carom.session.world !== was && carom.session.world, lab.name);
  const tick = Number(/-at-(\d+)$/.exec(name)[1]);
  const info = await stage.client.world.info({world: name});
  assert.deepEqual([info.tick, info.paused], [tick, true]);
  // A busy machine does not send every tick: the branch is stepped to a tick that was sent.
  let {hash, tick: now} = info;
  for (; !hashes.has(now) && now < tick + 60; now++) {
    await stage.client.world.step({world: name});
    ({hash} = await stage.client.world.info({world: name}));
  }
  assert.equal(Buffer.from(hash).toString('hex'), hashes.get(now), `tick ${now}`);
  await stage.client.world.destroy({world: name});
});

test('a_link_to_a_tick_shows_others_that_tick', {skip: skip || noEngine}, async (t) => {
  const {lab, page} = await showLab(t, {}, {...SIZES.phone, permissions: CLIPBOARD});
  const {body, tick: born} = await lab.body.spawn({position: [0, 30], gravity_scale: 0.2, shapes: [{kind: 'circle', radius: 0.5}]});
  await until(page, (tick) => carom.history.end > tick / 60 + 1.5, born);
  await page.keyboard.press(',');
  const tick = await until(page, () => carom.scrub && carom.source.tick > 0 && carom.source.tick);
  await button(page, 'Copy a link to this view').tap();
  await page.getByText(/The link to this tick is in the clipboard/).waitFor();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  await button(page, 'Copy a link to this view').tap(); // this makes no second world
  await page.locator('#share:enabled').waitFor();
  assert.equal(await page.evaluate(() => carom.session.world), lab.name, 'who shares stays');
  await picture(page, 'share');
  const other = await newPage(stage.browser);
  t.after(() => other.context().close());
  await other.goto(link);
  await untilDrawn(other, 2);
  assert.deepEqual(await other.evaluate((id) => [carom.source.tick, carom.source.body(id).pose.y], body),
                   [tick, (await stage.client.body.get({world: `${lab.name}-at-${tick}`, body})).position[1]]);
  const worlds = await stage.client.world.list();
  assert.deepEqual(worlds.map((info) => info.world).filter((name) => name.startsWith(`${lab.name}-`)), [`${lab.name}-at-${tick}`]);
  assertNoErrors(page);
  // The world was made for this link alone, and ends with the page that shares it.
  await page.evaluate(() => carom.session.close());
  await until(other, (name) => carom.session.world !== name, `${lab.name}-at-${tick}`);
  await soon(async () => assert.ok(!(await stage.client.world.list()).some(({world}) => world.startsWith(`${lab.name}-at-`))));
});

test('a_page_that_shares_a_tick_keeps_its_own_address', {skip: skip || noEngine}, async (t) => {
  const {lab, page} = await showLab(t, {}, {permissions: CLIPBOARD});
  await until(page, () => carom.history.end > carom.history.begin + 1.5);
  const tick = await page.evaluate(() => {
    carom.setScrub(carom.history.begin + 1);
    return carom.source.tick; // at once, not with the next frame
  });
  assert.ok(tick > 0, `tick ${tick}`);
  await button(page, 'Copy a link to this view').click();
  await page.getByText(/The link to this tick is in the clipboard/).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /#world=lab\d+-at-\d+&/);
  assert.equal(await page.evaluate(() => location.hash), `#world=${lab.name}`);
  await page.reload(); // the shared world ends, and this page still shows its own
  await untilDrawn(page, 1);
  assert.equal(await page.evaluate(() => carom.session.world), lab.name);
  assertNoErrors(page);
});

test('packed_snapshots_show_the_same_for_less', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  const perSnapshot = () => page.evaluate(async () => {
    const {client} = carom.session;
    const [bytes, tick] = [client.traffic.bytesIn, carom.live.view.tick];
    while (carom.live.view.tick < tick + 60) await new Promise((resolve) => setTimeout(resolve, 50));
    return (client.traffic.bytesIn - bytes) / (carom.live.view.tick - tick);
  });
  assert.equal(await page.evaluate(() => carom.session.wish.packed), false, 'within one machine');
  const plain = await perSnapshot();
  await page.evaluate(() => {
    const before = carom.live;
    carom.session.wish.packed = true;
    carom.session.wish.events.clear();
    return carom.session.refresh().then(() => new Promise((resolve) => {
      const off = carom.session.on('source', () => (off(), resolve()));
      if (carom.live !== before) resolve();
    }));
  });
  await untilDrawn(page, 100);
  const packed = await perSnapshot();
  assert.ok(packed < plain / 2, `${packed} and ${plain} bytes a tick`);
  const [x, y] = await until(page, () => {
    const body = carom.live.view.bodies.get(20);
    return [body.x, body.y];
  });
  assert.ok(Math.hypot(x, y) < 11, 'in the drum');
  assertNoErrors(page);
});

// ---- trouble

test('a_page_whose_session_is_ended_tells_why', {skip}, async (t) => {
  const {page} = await showLab(t);
  const session = await page.evaluate(() => carom.session.client.hello.session);
  await stage.client.server.kick({session, reason: 'the round is over'});
  const panel = page.locator('#empty');
  await panel.getByText('The connection is closed').waitFor();
  await panel.getByText('the round is over').waitFor();
});

test('the_page_comes_back_after_a_restart_of_the_server', {skip}, async (t) => {
  const other = await startCaromd(['--world', 'demo:demo']);
  const page = await newPage(stage.browser);
  t.after(() => page.context().close());
  await page.goto(`http://127.0.0.1:${other.port}/#world=demo`);
  await untilDrawn(page, 100);
  const epoch = await page.evaluate(() => carom.live.view.epoch);
  await other.stop();
  await page.getByRole('status').getByText('connection lost, trying again').waitFor();
  await picture(page, 'lost');
  // A press of a key while there is no connection is refused, and not kept for later.
  await page.keyboard.press(' ');
  await page.getByText(/^There is no connection: nothing can be changed/).waitFor();
  const again = await startCaromd(['--world', 'demo:demo'], other.port);
  t.after(() => again.stop());
  await until(page, (before) => carom.session.state === 'open' && carom.live?.view.epoch !== before &&
                               carom.picture.bodies.length > 100, epoch);
  const tick = await tickOf(page);
  await until(page, (before) => carom.source.tick > before, tick);
  assert.equal((await page.evaluate(() => carom.session.client.use('demo').world.info())).paused, false);
  assert.ok(errorsOf(page).every((text) => /WebSocket|ERR_CONNECTION/.test(text)), errorsOf(page).join());
});

test('a_slowed_world_goes_on_over_a_restart_of_the_server', {skip}, async (t) => {
  const data = mkdtempSync(path.join(os.tmpdir(), 'carom-viewer-'));
  t.after(() => rmSync(data, {recursive: true}));
  const first = await startCaromd(['--world', 'demo:demo', '--data', data]);
  t.after(() => first.stop());
  const page = await newPage(stage.browser, SIZES.phone);
  t.after(() => page.context().close());
  await keepNotes(page);
  await page.goto(`http://127.0.0.1:${first.port}/#world=demo`);
  await untilDrawn(page, 100);
  await page.keyboard.press('<');
  await page.getByRole('status').getByText(/^slowed to/).waitFor({state: 'attached'});
  await first.stop();
  await button(page, 'offline').waitFor();
  const second = await startCaromd(['--data', data], first.port);
  t.after(() => second.stop());
  const tick = await tickOf(page);
  await until(page, (before) => carom.panels.transport.driving && carom.source.tick > before + 30, tick);
  assert.equal(await page.evaluate(() => document.getElementById('speed').value), '0.5');
  await picture(page, 'slowed_again');
  // A server that does not have the world: the page waits for it, and says so. Made anew, the world runs.
  await second.stop();
  await button(page, 'offline').waitFor();
  const third = await startCaromd([], first.port);
  t.after(() => third.stop());
  await button(page, 'waiting').waitFor();
  await picture(page, 'waiting_for_world');
  for (const [id, key] of [['play', ' '], ['step', '.'], ['speed', '>']]) {
    await until(page, (control) => document.getElementById(control).disabled, id);
    await page.evaluate(() => {
      notes.length = 0;
      document.getElementById('toasts').replaceChildren();
    });
    await page.keyboard.press(key);
    assert.equal(await noted(page, /./), '“demo” is not there yet: nothing can be changed until it is.');
  }
  const client = await connect(third.url);
  t.after(() => client.close());
  await client.world.create({world: 'demo', scene: 'demo'});
  await button(page, 'live').waitFor();
  await until(page, () => document.getElementById('speed').value === '1' && !carom.panels.transport.driving);
  // One that ends while the page drives it is told once.
  await until(page, () => carom.session.info?.paused === false);
  await page.keyboard.press('<');
  await until(page, () => carom.panels.transport.driving);
  await page.evaluate(() => {
    notes.length = 0;
  });
  await client.world.destroy({world: 'demo'});
  await noted(page, /^“demo”: /);
  await page.getByRole('heading', {name: 'There is no world yet'}).waitFor();
  assert.deepEqual((await page.evaluate(() => notes)).filter((note) => !note.startsWith('“demo”')), []);
  assert.ok(errorsOf(page).every((text) => /WebSocket|ERR_CONNECTION/.test(text)), errorsOf(page).join());
});

test('tools_change_nothing_in_the_past_or_for_those_who_may_only_look', {skip}, async (t) => {
  const {lab, page} = await showLab(t, {paused: true});
  const near = await lab.body.spawn({position: [0, 2], shapes: [{kind: 'circle', radius: 1}]});
  const far = await lab.body.spawn({position: [6, 2], shapes: [{kind: 'circle', radius: 1}]});
  await untilDrawn(page, 3);
  await lab.world.step({ticks: 1});
  const before = await until(page, () => carom.source?.tick >= 1 && !carom.history.empty) && await lab.world.state();
  const sent = () => page.evaluate(() => {
    globalThis.sent = [];
    const {client} = carom.session;
    for (const name of ['call', 'notify', 'batch']) {
      const send = client[name]?.bind(client);
      if (send) client[name] = (method, ...rest) => {
        if (!/^(ping|world\.(info|list|contacts)|body\.get|server\.|subscri)/.test(method)) globalThis.sent.push(method);
        return send(method, ...rest);
      };
    }
  });
  const tryAll = async (why) => {
    for (const [key, name] of Object.entries({v: 'hand', p: 'push', j: 'joint', x: 'erase'})) {
      await page.keyboard.press(key);
      await page.evaluate((tool) => { // as if chosen before: the key is refused
        carom.tool = carom.tools[tool];
      }, name);
      await drag(page, [await at(page, 0, 2), await at(page, 3, 3), await at(page, 6, 2)]);
      await page.mouse.click(...await at(page, 0, 2));
      await page.evaluate(() => {
        carom.camera.fit([-12, -2, 12, 12]); // a drag that changes nothing pans
        carom.camera.jump();
      });
    }
    await page.keyboard.press('s');
    await page.mouse.click(...await at(page, 0, 8));
    await page.keyboard.press('Enter');
    await page.evaluate((id) => carom.choose(id), near.body);
    await page.keyboard.press('Delete');
    await noted(page, why);
    assert.deepEqual(await page.evaluate(() => [globalThis.sent, notes.filter((note) => /Spawned|needs the role/.test(note)), carom.chosen]),
                     [[], [], near.body]);
    const now = await lab.world.state();
    assert.deepEqual(now.bodies, before.bodies);
    assert.deepEqual(now.joints, before.joints);
  };
  assert.equal(far.body, near.body + 1);
  await sent();
  await page.evaluate(() => {
    carom.setScrub(carom.source.time);
    globalThis.notes.length = 0;
  });
  await tryAll('This is the past');
  await page.keyboard.press('n');
  await page.evaluate(() => {
    carom.session.client.hello.role = 'viewer';
    globalThis.notes.length = 0;
  });
  await tryAll('This takes the role player; this session’s is viewer.');
  assertNoErrors(page);
});

test('faults_are_told_in_words', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.evaluate(() => carom.session.act('body.spawn', {shapes: [{kind: 'circle', radius: -1}]}));
  await page.getByRole('alert').getByText(/radius/).waitFor();
  await picture(page, 'fault');
  await lab.world.destroy();
  await until(page, (was) => carom.session.world !== was, lab.name);
});

test('overlays_plots_and_the_log_show_what_happens', {skip}, async (t) => {
  const page = await show(t, 'demo', 100);
  for (const key of '23456') await page.keyboard.press(key);
  await page.keyboard.press('m');
  await page.keyboard.press('e');
  await until(page, () => carom.source?.contacts.length > 20);
  await page.getByRole('region', {name: 'Events'}).getByRole('listitem').first().waitFor();
  await until(page, () => /ms/.test(document.getElementById('plots').textContent));
  await picture(page, 'overlays');
  await page.keyboard.press('o');
  await page.getByRole('radio', {name: 'Speed'}).click();
  await page.getByRole('radio', {name: 'Speed', checked: true}).waitFor();
  await picture(page, 'layers');
  assertNoErrors(page);
});

test('a_predicted_world_is_ahead_of_the_confirmed_one_at_a_distance', {skip: skip || noEngine}, async (t) => {
  const {lab, page} = await showLab(t, {gravity: [0, 0]});
  const {body} = await lab.body.spawn({tag: 'disc', position: [-6, 4], linear_damping: 0.1, shapes: [{kind: 'circle', radius: 0.5}]});
  await until(page, (id) => carom.picture.bodies.some((one) => one.id === id), body);
  await page.keyboard.press('d');
  const panel = page.getByRole('region', {name: 'Prediction and distance'});
  await panel.getByRole('slider', {name: 'Distance, one way'}).fill('100');
  await panel.getByRole('slider', {name: 'Stalls'}).fill('1');
  await until(page, () => carom.source === carom.predicted && carom.predicted.figures.lead > 12);
  await page.keyboard.press('p');
  await drag(page, [await at(page, -6, 4), await at(page, -5.8, 4), await at(page, -5.5, 4)]);
  // The push acts here at once; the server's world still has the disc elsewhere, so there is a ghost.
  await until(page, (id) => carom.source.body(id).vx > 0 && Math.abs(carom.source.body(id).pose.x - carom.live.body(id).pose.x) > 0.05, body);
  await until(page, () => carom.predicted.ghosts(carom.lines, carom.camera, carom.theme.ghost) > 0);
  await soon(async () => assert.match(await panel.textContent(), /Ahead\d+ ticks.*Rollbacks.*A step/));
  await picture(page, 'prediction');
  await soon(async () => assert.ok((await lab.body.get({body})).velocity[0] > 0));
  assert.equal(await page.evaluate(() => carom.predicted.figures.sent), 1);
  // Without prediction the page continues with snapshots; closing the panel removes the distance.
  await panel.getByRole('checkbox', {name: 'Predict'}).uncheck();
  await until(page, () => carom.source === carom.live && carom.predicted.figures === null);
  await panel.getByRole('checkbox', {name: 'Predict'}).check();
  await until(page, () => carom.source === carom.predicted);
  await panel.getByRole('button', {name: 'Close the prediction'}).click();
  await until(page, () => carom.source === carom.live && carom.session.distance.delayMs === 0 && carom.session.distance.stall === 0);
  await panel.waitFor({state: 'hidden'});
  assertNoErrors(page);
});

test('ten_thousand_bodies_leave_time_in_a_frame', {skip}, async (t) => {
  const lab = stage.client.use('many');
  await lab.world.create({lifetime: 'session', max_bodies: MANY + 1, gravity: [0, 0], sleep: false, hz: 20});
  const shapes = [[{kind: 'circle', radius: 0.4}], [{kind: 'box', size: [0.8, 0.6]}],
                  [{kind: 'polygon', vertices: [[0.5, 0], [-0.3, 0.4], [-0.3, -0.4]]}]];
  for (let from = 0; from < MANY; from += 1000) {
    const batch = lab.batch();
    for (let i = from; i < from + 1000; i++) {
      batch.body.spawn({position: [i % 100 * 1.2, Math.floor(i / 100) * 1.2], angular_velocity: 1 + i % 3, tag: `t${i % 5}`,
                        shapes: shapes[i % 3]});
    }
    await batch.send();
  }
  const page = await show(t, 'many', MANY);
  const frames = await page.evaluate(() => new Promise((resolve) => {
    const all = [];
    carom.on('frame', (numbers) => {
      if (all.push(numbers) === 6) resolve(all);
    });
  }));
  await picture(page, 'many');
  // Measures the scripts alone, without this machine's graphics driver: the median time.
  const scripts = await page.evaluate(() => {
    const {camera, canvas, live, picture: bodies, theme} = carom;
    const marked = new Set();
    const upload = canvas.uploadBodies;
    canvas.uploadBodies = () => {};
    const times = Array.from({length: 101}, () => {
      const began = performance.now();
      live.view.advance(began);
      bodies.sync(live);
      bodies.place(camera, theme, live, marked);
      return performance.now() - began;
    });
    canvas.uploadBodies = upload;
    return times.sort((a, b) => a - b)[50];
  });
  const middle = (name) => frames.map((numbers) => numbers[name]).sort((a, b) => a - b)[3];
  t.diagnostic(`${MANY} bodies: ${middle('fps').toFixed(1)} frames a second with SwiftShader, ` +
               `${middle('workMs').toFixed(2)} ms of the page's own work a frame, ${scripts.toFixed(2)} ms of it in scripts`);
  assert.ok(frames.some((numbers) => numbers.drawn > 0));
  // Takes the smallest value, since other work of this machine does not count.
  const least = Math.min(...frames.map((numbers) => numbers.workMs));
  assert.ok(least < WORK_MS_MAX, `${least} ms`);
  assert.ok(scripts < WORK_MS_MAX / 2, `${scripts} ms`);
  // A world of that many bodies is not recorded as a log: the page says so.
  await page.keyboard.press(',');
  await until(page, () => /up to 3000 bodies; here are 10000/.test(document.querySelector('#branch:disabled')?.title));
});

// ---- the choice of the world

test('a_page_without_an_address_opens_the_demo_and_forgets_a_world_that_ends', {skip}, async (t) => {
  const lab = stage.client.use('a-first'); // by its name
  await lab.world.create({lifetime: 'session'});
  await lab.body.spawn({position: [0, 1], shapes: [{kind: 'circle', radius: 0.5}]});
  const page = await openPage(t, '');
  await untilDrawn(page, 100);
  assert.equal(await page.evaluate(() => carom.session.world), 'demo');
  await page.evaluate(() => carom.session.watch('a-first'));
  await until(page, () => carom.picture.bodies.length === 1 && document.title === 'a-first – carom');
  await page.evaluate(() => {
    globalThis.names = [];
    carom.session.on('world', () => names.push(document.getElementById('world-name').textContent));
  });
  await lab.world.destroy();
  assert.deepEqual(await until(page, () => names.at(-1) === 'demo' && names), ['no world', 'demo']);
  assertNoErrors(page);
});

test('a_slowed_world_does_not_read_paused', {skip}, async (t) => {
  const {lab, page} = await showLab(t);
  await page.keyboard.press('<');
  await page.getByRole('status').getByText(/^slowed to (29|30|31) Hz/).waitFor();
  await page.keyboard.press('w');
  await page.getByRole('dialog', {name: 'Worlds'}).getByRole('button', {name: new RegExp(`^${lab.name} slowed to`)}).waitFor();
  // Other words than these must not appear, not even for a moment.
  await page.evaluate(() => {
    globalThis.texts = new Set();
    carom.session.on('info', ({world}) => texts.add(carom.session.pace(world).text));
  });
  await page.keyboard.press('Escape');
  const {tick} = await lab.world.info();
  await until(page, (first) => carom.session.info.tick > first + 60, tick);
  assert.deepEqual((await page.evaluate(() => [...texts])).filter((text) => !/^slowed to/.test(text)), []);
  await page.keyboard.press(' '); // takes effect on the world, not on a button that the dialog gave the focus to
  await page.getByRole('status').getByText(/^paused/).waitFor();
  const then = (await lab.world.info()).tick;
  await page.evaluate(() => new Promise((resolve) => {
    let seen = 0;
    carom.session.on('info', () => ++seen === 3 && resolve());
  }));
  assert.equal((await lab.world.info()).tick, then, 'it is still stepped');
});

test('the_server_gives_pages_the_engine', {skip: skip || noEngine}, async () => {
  const answer = await fetch(`http://127.0.0.1:${stage.server.port}/src/engine.wasm`);
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/wasm']);
  assert.ok(WebAssembly.validate(await answer.arrayBuffer()));
});
