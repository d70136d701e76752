// The gallery and the playground in a real Chromium, without caromd: the static folder (environment CAROM_PLAYGROUND) as
// `python3 -m http.server` serves it under a path. Skipped without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';
import {spawn} from 'node:child_process';
import {readdir} from 'node:fs/promises';
import path from 'node:path';
import {deflateRawSync} from 'node:zlib';

import {SIZES, errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {assertNoErrors, keepNotes, noted, picture, soon} from './viewer_page.js';

const skip = skipWithoutBrowser() || (!process.env.CAROM_PLAYGROUND && 'the engine for WebAssembly was not built');
const folder = process.env.CAROM_PLAYGROUND ?? '';
const stage = {};

if (!skip) {
  test.before(async () => {
    const server = spawn('python3', ['-u', '-m', 'http.server', '--bind', '127.0.0.1', '--directory', path.dirname(folder), '0'], {stdio: ['ignore', 'pipe', 'ignore']});
    stage.server = server;
    let said = '';
    const port = await new Promise((resolve, reject) => {
      server.stdout.setEncoding('utf8').on('data', (text) => {
        said += text;
        const found = /port (\d+)/.exec(said);
        if (found) resolve(found[1]);
      });
      server.on('exit', () => reject(new Error(`http.server ended: ${said}`)));
    });
    stage.place = `http://127.0.0.1:${port}/${path.basename(folder)}/`;
    stage.browser = await startBrowser();
  });
  test.after(async () => {
    await stage.browser.close();
    stage.server.kill();
  });
}

async function open(t, address, options = {}) {
  const page = await newPage(stage.browser, options);
  await keepNotes(page);
  t.after(() => page.context().close());
  await page.goto(stage.place + address);
  return page;
}

const shown = (page, world) => until(page, (name) => globalThis.carom?.session.world === name && carom.picture.bodies.length > 0, world);
const pack = (scene) => deflateRawSync(Buffer.from(typeof scene === 'string' ? scene : JSON.stringify(scene))).toString('base64url');
const ticks = (page) => page.evaluate(() => gallery.map(({thumbnail}) => thumbnail?.world.tick ?? -1));

for (const size of ['phone', 'desktop']) {
  test(`gallery_lives_in_sight_alone_on_a_${size}`, {skip}, async (t) => {
    const page = await open(t, '', size === 'phone' ? SIZES.phone : {viewport: {width: 1280, height: 800}});
    await until(page, () => globalThis.gallery?.[0].thumbnail?.world.tick > 20);
    const scenes = await readdir(path.join(folder, 'scenes'));
    const recipes = await readdir(path.join(folder, 'cookbook'));
    assert.equal(await page.getByRole('link').count(), scenes.length + recipes.length);
    await picture(page, `gallery_${size}`);
    const drawn = await page.evaluate(() => [...gallery[0].canvas.getContext('2d').getImageData(0, 0, 50, 50).data].length > 0 &&
      new Set(new Uint32Array(gallery[0].canvas.getContext('2d').getImageData(0, 0, gallery[0].canvas.width, gallery[0].canvas.height).data.buffer)).size > 3);
    assert.ok(drawn, 'bodies of several colours');
    assert.ok((await page.evaluate(() => gallery.at(-1).thumbnail)) === null, 'nothing is made for what was never seen');
    await page.getByRole('link').last().scrollIntoViewIfNeeded();
    await until(page, () => gallery.at(-1).thumbnail?.world.tick > 20);
    await until(page, () => !gallery[0].seen);
    const before = (await ticks(page))[0];
    await until(page, (then) => gallery.at(-1).thumbnail.world.tick > then + 20, (await ticks(page)).at(-1));
    assert.equal((await ticks(page))[0], before, 'the first stands still out of sight');
    await until(page, () => document.documentElement.scrollWidth <= innerWidth);
    assertNoErrors(page);
  });
}

test('every_card_opens_a_world_that_runs', {skip}, async (t) => {
  const page = await open(t, '');
  await until(page, () => globalThis.gallery); // the cards are there once the engine is
  const links = await page.getByRole('link').evaluateAll((all) => all.map((link) => link.href));
  for (const link of links) {
    await page.goto('about:blank');
    await page.goto(link);
    const name = /=(\w+)$/.exec(link)[1];
    await shown(page, name);
    // A busy machine may make a tick longer than a second: the page then pauses the world, and the visitor resumes it.
    await until(page, () => {
      if (carom.session.info?.paused) carom.session.client.call('world.resume', {world: carom.session.world});
      return carom.source.tick > 3;
    });
    if (name === 'car') await picture(page, 'playground_car');
  }
  assert.equal(links.length, 21);
  assertNoErrors(page);
});

test('a_playground_is_changed_undone_and_shared_by_a_link', {skip}, async (t) => {
  const page = await open(t, 'viewer/index.html#scene=cradle', {permissions: ['clipboard-read', 'clipboard-write']});
  await shown(page, 'cradle');
  await page.keyboard.press('Space');
  await until(page, () => carom.session.info?.paused);
  await page.locator('#scene').focus();
  await page.keyboard.press('s');
  await page.keyboard.press('Enter');
  await until(page, () => carom.picture.bodies.length === 7);
  const ball = await page.evaluate(() => [...carom.source.drawn()].find(({tag}) => tag === 'circle').id);
  await page.keyboard.press('v');
  await page.evaluate((id) => carom.choose(id), ball);
  await page.getByRole('textbox', {name: 'Bounce', exact: true}).fill('0.875');
  await page.keyboard.press('Enter');
  await until(page, (id) => Math.abs(carom.source.body(id).shapes[0].restitution - 0.875) < 1e-6, ball);
  await page.keyboard.press('Control+z');
  await until(page, (id) => Math.abs(carom.source.body(id).shapes[0].restitution - 0.2) < 1e-6, ball);
  await page.keyboard.press('Control+y');
  await until(page, (id) => Math.abs(carom.source.body(id).shapes[0].restitution - 0.875) < 1e-6, ball);
  await picture(page, 'playground_cradle');
  await page.getByRole('button', {name: 'Copy a link to this view'}).click();
  await noted(page, 'is in the clipboard');
  const link = await page.evaluate(() => navigator.clipboard.readText());
  const [, data] = /\?local#data=([\w-]+)$/.exec(link);
  assert.ok(data.length < 2000, `${data.length} characters`);
  const other = await newPage(stage.browser, SIZES.phone);
  t.after(() => other.context().close());
  await other.goto(link);
  await shown(other, 'shared');
  await until(other, () => carom.picture.bodies.length === 7 && carom.source.joints.size === 5);
  assert.ok(await other.evaluate(() => [...carom.source.drawn()].some(({tag, shapes}) => tag === 'circle' && Math.abs(shapes[0].restitution - 0.875) < 1e-6)));
  await until(other, () => carom.source.tick > 20);
  await picture(other, 'playground_phone');
  assertNoErrors(page, other);
});

test('hostile_links_are_refused_with_a_clear_text', {skip}, async (t) => {
  const page = await open(t, '');
  const spawn = ['body.spawn', {shapes: [{kind: 'circle', radius: 0.5}]}];
  for (const [data, text] of [
    ['%3Cscript%3E', /characters that no such link has/], ['AAAA', /cannot be unpacked/], [pack({commands: [spawn]}).slice(0, 20), /cannot be unpacked/],
    [pack(' '.repeat(5e6)), /larger than 524288 bytes/], ['x'.repeat(30001), /30000 at most/], [pack('{"commands": 5}'), /commands: expected a list/],
    [pack({commands: [{for: {i: [1, 1e6]}, do: [spawn]}]}), /too many commands; the limit is 4000|too much work/],
    [pack({commands: [{for: {i: [1, 1e7]}, do: []}]}), /too much work/], [pack({world: {hz: 1000}, commands: []}), /hz: at most 240/],
    [pack({commands: [['body.spawn', {shapes: [{kind: 'circle', radius: 1e9}]}]]}), /commands\[0\].*radius/],
    [pack({commands: [['world.destroy', {}]]}), /cannot be part of a scene/], [pack({world: {image: 'AAAA'}, commands: []}), /not a setting of a world/]]) {
    await page.goto('about:blank');
    await page.goto(`${stage.place}viewer/index.html#data=${data}`);
    await page.locator('#empty').getByRole('heading', {name: 'This link cannot be opened'}).waitFor();
    await soon(async () => assert.match(await page.locator('#empty p').first().textContent(), text));
  }
  for (const address of ['#recipe=constructor', '#scene=../../etc', '#recipe=nothing']) {
    await page.goto('about:blank');
    await page.goto(`${stage.place}viewer/index.html${address}`);
    await page.locator('#empty').getByRole('heading', {name: 'This link cannot be opened'}).waitFor();
  }
  await picture(page, 'playground_refused');
  await page.getByRole('link', {name: 'See the gallery'}).click();
  await page.getByRole('heading', {name: 'Cookbook'}).waitFor();
  assert.deepEqual(errorsOf(page), []);
});

test('a_world_that_is_too_slow_is_paused_and_told', {skip}, async (t) => {
  const page = await open(t, 'viewer/index.html#scene=cradle');
  await shown(page, 'cradle');
  await page.evaluate(() => { // a tick of more than a second, whatever the machine
    const {prototype} = carom.session.client.engine.restoreWorld(carom.session.client.engine.createWorld().save()).constructor;
    const {step} = prototype;
    prototype.step = function slow(...more) {
      for (const end = performance.now() + 1100; performance.now() < end;);
      step.apply(this, more);
      prototype.step = step;
    };
  });
  const [, seconds] = /A tick of “cradle” took (\d+\.\d) s: it is paused/.exec(await noted(page, /^A tick of “cradle” took/));
  assert.ok(seconds >= 1.1, seconds);
  await until(page, () => carom.session.info.paused);
  await page.keyboard.press('Space');
  await until(page, (tick) => carom.source.tick > tick + 5, await page.evaluate(() => carom.source.tick));
});
