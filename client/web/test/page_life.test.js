// Pages of a real browser and their sessions: a closed tab's session ends at once, and if the page asks for it, a
// reload resumes its session. Commands that a page sends as it ends act. The pages load the client from source. Skipped without Chromium.
import test from 'node:test';
import assert from 'node:assert/strict';

import {connect} from '../src/index.js';
import {errorsOf, newPage, skipWithoutBrowser, startBrowser, until} from './browser.js';
import {startFiles} from './files.js';
import {AWAIT_MS} from './patience.js';
import {startCaromd} from './support.js';

const skip = skipWithoutBrowser();
const RESUME_MS = 600000; // time for which lost sessions are kept, much longer than AWAIT_MS

test('reload_takes_its_session_along_and_a_closed_tab_ends_its_own', {skip, timeout: AWAIT_MS}, async (t) => {
  const files = await startFiles();
  t.after(() => files.close());
  const origins = [files.origin, files.origin.replace('127.0.0.1', 'localhost')];
  const server = await startCaromd(['--limit', `resume_ms=${RESUME_MS}`, ...origins.flatMap((origin) => ['--origin', origin])]);
  t.after(() => server.stop());
  const witness = await connect(server.url);
  t.after(() => witness.close());
  const browser = await startBrowser();
  t.after(() => browser.close());
  const url = (kept, host = files.origin) => `${host}/test/page_life.html?server=${encodeURIComponent(server.url)}&kept=${kept}`;
  const sessions = async () => (await witness.server.sessions()).sessions.map(({session}) => session);
  const ended = async (number) => {
    const deadline = Date.now() + AWAIT_MS;
    while ((await sessions()).includes(number)) {
      assert.ok(Date.now() < deadline, `session ${number} is still there`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const sessionOf = (page) => until(page, () => globalThis.client?.state === 'open' && client.hello.session);
  const context = await newPage(browser).then((page) => page.context());

  const page = await context.newPage();
  await page.goto(url('yes'));
  const session = await sessionOf(page);
  const body = await page.evaluate(async () => {
    await client.world.create({world: 'lab', if_absent: true});
    return (await client.body.spawn({world: 'lab', lifetime: 'session', shapes: []})).body;
  });
  for (const how of ['reload', 'link', 'script']) {
    const before = await page.evaluate(() => performance.timeOrigin);
    if (how === 'reload') await page.reload();
    else if (how === 'link') await page.click('a');
    else await page.evaluate(() => location.reload());
    await until(page, (then) => globalThis.client?.state === 'open' && performance.timeOrigin !== then, before);
    assert.equal(await sessionOf(page), session, how);
    assert.equal(await page.evaluate(() => client.resumed), true, how);
    assert.equal(await page.evaluate(async (id) => (await client.body.get({world: 'lab', body: id})).body, body), body);
  }
  // A duplicated tab, which has a copy of the storage, gets a session of its own.
  const [copy] = await Promise.all([context.waitForEvent('page'), page.evaluate((to) => window.open(to), url('yes'))]);
  assert.notEqual(await sessionOf(copy), session);
  assert.equal(await sessionOf(page), session);
  await page.evaluate((to) => location.assign(to), url('yes', files.origin.replace('127.0.0.1', 'localhost')));
  await ended(session);

  const plain = await context.newPage();
  await plain.goto(url('no'));
  const first = await sessionOf(plain);
  await plain.reload();
  const second = await sessionOf(plain);
  assert.notEqual(second, first);
  await ended(first);
  // A page's own listener, added after the client's, sends a last command however the page ends.
  const witnessed = async (count) => {
    const deadline = Date.now() + AWAIT_MS;
    while ((await witness.world.info({world: 'lab'})).bodies !== count) {
      assert.ok(Date.now() < deadline, `the last command did not act: ${count}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  let {bodies} = await witness.world.info({world: 'lab'});
  for (const how of ['reload', 'goto', 'close']) {
    await sessionOf(plain);
    await plain.evaluate(() => addEventListener('pagehide', () => client.notify('body.spawn', {world: 'lab', shapes: []})));
    if (how === 'reload') await plain.reload();
    else if (how === 'goto') await plain.goto(url('yes'));
    else await plain.close();
    await witnessed(++bodies);
  }
  assert.deepEqual([...(errorsOf(page) ?? []), ...(errorsOf(plain) ?? [])], []);
});
