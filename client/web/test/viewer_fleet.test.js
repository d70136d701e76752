// The viewer and a fleet: a page follows its world to the other servers, which the page's policy and the servers' check of
// origins allow. Skipped without etcd, and in part without a browser.
import test from 'node:test';
import assert from 'node:assert/strict';
import {randomBytes} from 'node:crypto';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import http from 'node:http';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {connect} from '../src/index.js';
import {errorsOf, newPage, until} from './browser.js';
import {etcdIsThere, startFleet} from './fleet.js';
import {sleep} from './support.js';
import {keepNotes, picture, skip, stage} from './viewer_page.js';

const noEtcd = !etcdIsThere() && 'etcd is not installed';
const noBrowser = noEtcd || skip;

// Starts servers whose worlds can have standbys.
async function startPairs(t, name, nodes) {
  const folder = await mkdtemp(join(tmpdir(), 'carom-fleet-'));
  t.after(() => rm(folder, {recursive: true, force: true}));
  await writeFile(join(folder, 'key'), randomBytes(32).toString('hex'));
  const fleet = await startFleet(t, name);
  const servers = [];
  for (const node of nodes) {
    servers.push(await fleet.start(node, ['--fleet-listen', '127.0.0.1:0', '--fleet-secret', join(folder, 'key'),
                                          '--data', join(folder, node)]));
  }
  return servers;
}

const page = (server) => `http://127.0.0.1:${server.port}`;

async function policyOf(server) {
  const {headers} = await fetch(`${page(server)}/`);
  return headers.get('content-security-policy').match(/connect-src ([^;]*)/)[1].split(' ');
}

// The status with which a server answers a page of that origin that opens a WebSocket.
function upgrade(server, origin) {
  return new Promise((resolve, reject) => {
    const request = http.request(`${page(server)}/rpc`, {headers: {
      Origin: origin, Connection: 'Upgrade', Upgrade: 'websocket', 'Sec-WebSocket-Version': '13',
      'Sec-WebSocket-Key': randomBytes(16).toString('base64')}});
    request.on('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer.statusCode);
    });
    request.on('response', (answer) => {
      answer.resume();
      resolve(answer.statusCode);
    });
    request.on('error', reject);
    request.end();
  });
}

test('pages_of_the_fleet_may_connect_to_its_servers_and_no_others', {skip: noEtcd}, async (t) => {
  const fleet = await startFleet(t, 'origins');
  const a = await fleet.start('a');
  assert.deepEqual(await policyOf(a), ["'self'", `ws://127.0.0.1:${a.port}`]);
  const b = await fleet.start('b');
  const known = [`ws://127.0.0.1:${a.port}`, `ws://127.0.0.1:${b.port}`];
  for (const server of [a, b]) {
    while ((await policyOf(server)).length < 3) await sleep(20); // until the server knows both others
    assert.deepEqual(await policyOf(server), ["'self'", ...known]);
    assert.equal(await upgrade(server, page(a)), 101);
    assert.equal(await upgrade(server, page(b)), 101);
    for (const foreign of ['http://127.0.0.1:1', 'http://evil.example', `https://127.0.0.1:${(server === a ? b : a).port}`, `${page(a)}0`,
                           `http://127.0.0.1:${a.port}.evil.example`, 'null']) {
      assert.equal(await upgrade(server, foreign), 403, foreign);
    }
  }
});

test('world_goes_on_under_the_eyes_of_a_watcher_whose_server_is_killed', {skip: noBrowser}, async (t) => {
  const [a, b] = await startPairs(t, 'watched', ['a', 'b']);
  const maker = await connect(a.url);
  for (;;) { // until it knows the other server
    const made = await maker.world.create({world: 'arena', durability: 'replicated', scene: 'demo'}).catch((error) => error);
    if (made.code === undefined) break;
    assert.equal(made.code, 'unavailable', made.message);
    await sleep(50);
  }
  while (!(await maker.world.info({world: 'arena'})).standby) await sleep(20);
  maker.close();
  const shown = await newPage(stage.browser);
  t.after(() => shown.context().close());
  await keepNotes(shown);
  await shown.goto(`${page(a)}/#world=arena`);
  await until(shown, () => globalThis.carom?.session.state === 'open' && carom.picture.bodies.length > 5);
  await until(shown, () => carom.session.client.servers.filter(({state}) => state === 'open').length === 2); // the standby
  const before = await shown.evaluate(() => {
    globalThis.gap = 0; // the longest time without a new tick
    globalThis.hidden = 0; // frames without a world
    let tick = 0;
    let since = performance.now();
    const look = () => {
      const now = carom.source?.tick ?? 0;
      if (carom.picture.bodies.length === 0) hidden++;
      if (now !== tick) {
        globalThis.gap = Math.max(gap, performance.now() - since);
        [tick, since] = [now, performance.now()];
      }
      requestAnimationFrame(look);
    };
    look();
    return carom.source.tick;
  });
  await until(shown, (tick) => carom.source.tick > tick + 60, before);
  await picture(shown, 'fleet-before');
  const [last, usual] = await shown.evaluate(() => {
    const usual = gap;
    globalThis.gap = 0;
    return [carom.source.tick, usual];
  });
  await a.stop('SIGKILL');
  await until(shown, (tick) => carom.source?.tick > tick + 180, last);
  const [gap, hidden] = await shown.evaluate(() => [globalThis.gap, globalThis.hidden]);
  t.diagnostic(`longest time without a new tick: ${gap.toFixed(0)} ms, and ${usual.toFixed(0)} ms before the server was killed`);
  assert.equal(hidden, 0, 'the world never left the page');
  assert.equal(await shown.evaluate(() => carom.session.world), 'arena');
  await until(shown, () => carom.session.state === 'open');
  await until(shown, () => document.querySelector('[data-state]').dataset.state === 'open');
  await until(shown, (primary) => carom.session.info?.primary === primary, `127.0.0.1:${b.port}`); // the numbers go on, too
  await picture(shown, 'fleet-after');
  // A change by the visitor takes effect at the other server.
  const {body} = await shown.evaluate(() => carom.session.act('body.spawn', {tag: 'later', position: [0, 9],
                                                                            shapes: [{kind: 'circle', radius: 0.5}]}));
  const other = await connect(b.url);
  t.after(() => other.close());
  assert.equal((await other.body.get({world: 'arena', body})).tag, 'later');
  assert.deepEqual(await shown.evaluate(() => notes), []);
  // Errors about the dead server do not count.
  assert.deepEqual(errorsOf(shown).filter((text) => !text.includes(`ws://127.0.0.1:${a.port}/`)), []);
});

test('page_of_a_server_without_the_world_shows_it', {skip: noBrowser}, async (t) => {
  const fleet = await startFleet(t, 'elsewhere');
  const [a, b] = [await fleet.start('a'), await fleet.start('b')];
  const maker = await connect(b.url);
  t.after(() => maker.close());
  await maker.world.create({world: 'arena', scene: 'demo'});
  while ((await policyOf(a)).length < 3) await sleep(20);
  const asked = await connect(a.url, {follow: false});
  t.after(() => asked.close());
  while ((await asked.world.info({world: 'arena'}).catch((error) => error)).code !== 'moved') await sleep(20);
  const shown = await newPage(stage.browser);
  t.after(() => shown.context().close());
  await shown.goto(`${page(a)}/#world=arena`);
  await until(shown, () => globalThis.carom?.picture.bodies.length > 5);
  await picture(shown, 'fleet-elsewhere');
  assert.deepEqual(errorsOf(shown), []);
});

test('menu_lists_the_worlds_of_all_servers', {skip: noBrowser}, async (t) => {
  const fleet = await startFleet(t, 'menu');
  const servers = [await fleet.start('a'), await fleet.start('b')];
  for (const [i, world] of ['near', 'far'].entries()) {
    const maker = await connect(servers[i].url);
    await maker.world.create({world, scene: 'demo'});
    maker.close();
  }
  while ((await policyOf(servers[0])).length < 3) await sleep(20);
  const shown = await newPage(stage.browser);
  t.after(() => shown.context().close());
  await shown.goto(`${page(servers[0])}/#world=near`);
  await until(shown, () => globalThis.carom?.session.state === 'open' && carom.picture.bodies.length > 5);
  await shown.keyboard.press('w');
  const row = (world) => `#world-list [data-world="${world}"]`;
  await until(shown, (far) => document.querySelector(`${far} em`)?.textContent === 'at server b', row('far'));
  await until(shown, (near) => / bod(y|ies), /.test(document.querySelector(`${near} small`)?.textContent), row('near'));
  await shown.click(row('far'));
  await until(shown, () => carom.session.world === 'far' && carom.session.state === 'open' && carom.picture.bodies.length > 5);
  await shown.keyboard.press('w');
  await until(shown, (near) => document.querySelector(`${near} em`)?.textContent === 'at server a', row('near'));
  // The fleet is asked while the list is open, and not without an end.
  await shown.evaluate(() => {
    globalThis.asked = 0;
    for (const line of [carom.session.client, carom.session.line]) {
      const call = line.call.bind(line);
      line.call = (method, ...rest) => {
        if (method === 'server.fleet') asked++;
        return call(method, ...rest);
      };
    }
    carom.session.elsewhere.most = 1;
  });
  await shown.getByText(/^1 more world of the fleet is not listed here\. A world opens by its name .* #world=NAME$/).waitFor();
  await picture(shown, 'fleet-more');
  await until(shown, () => asked > 1);
  await shown.keyboard.press('Escape');
  await until(shown, () => document.getElementById('worlds').hidden);
  await shown.evaluate(() => new Promise((resolve) => { // until the list of worlds was read five times more
    let left = 6;
    carom.session.on('worlds', () => {
      if (--left === 5) asked = 0; // a question may have been on its way
      if (left === 0) resolve();
    });
  }));
  assert.equal(await shown.evaluate(() => asked), 0);
  assert.deepEqual(errorsOf(shown), []);
});
