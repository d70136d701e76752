// Replicas of a real server's worlds over WebSocket (environment CAROM_PACKAGE: the published package): exact copies
// while others play, across a restart of the server, and in a worker.
import test from 'node:test';
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';
import {Worker} from 'node:worker_threads';

import {AWAIT_MS} from './patience.js';
import {BALL, event, sleep, startCaromd} from './support.js';

const source = new URL('src/index.js', pathToFileURL(`${process.env.CAROM_PACKAGE}/`)).href;
const {connect, loadEngine, Replica} = await import(source);
const QUICK = {reconnect: {firstMs: 10, maxMs: 100}};
const WORLD = 'drum';

const hex = (bytes) => Buffer.from(bytes).toString('hex');
let engine;
test.before(async () => {
  engine = await loadEngine();
});

async function setUp(t, options = []) {
  const server = await startCaromd(['--world', `${WORLD}:drum`, ...options]);
  t.after(() => server.stop());
  const client = await connect(server.url, QUICK);
  t.after(() => client.close());
  return {server, client, world: client.use(WORLD)};
}

async function follow(t, client, options) {
  const replica = new Replica(engine);
  t.after(() => replica.free());
  replica.diverged = null;
  replica.on('diverged', (error) => {
    replica.diverged = error;
  });
  assert.equal(await replica.follow(client, WORLD, options), replica);
  return replica;
}

// Plays: spawns, pushes and removes bodies while the world runs. Returns the number of commands.
async function play(world, ms) {
  const end = performance.now() + ms;
  const made = [];
  let commands = 0;
  while (performance.now() < end) {
    const batch = world.batch();
    for (let i = 0; i < 3; i++) batch.body.spawn({position: [Math.sin(made.length + i), i], angle: i / 3, shapes: BALL});
    const {results} = await batch.send();
    made.push(...results.map(({body}) => body));
    await world.body.impulse({body: made.at(-1), impulse: [1 / 3, 2]});
    world.notify('body.set', {body: made.at(-2), velocity: [-1, 0.1]});
    if (made.length > 30) await world.body.remove({body: made.shift()});
    commands += 4;
    await sleep(20);
  }
  return commands;
}

// Waits until both have the same tick of the paused world, and compares them.
async function assertSame(world, replica) {
  const {tick} = await world.world.pause();
  while (replica.tick < tick && !replica.error) await event(replica, 'tick');
  const {hash} = await world.world.info();
  assert.equal(replica.error, null);
  assert.equal(replica.tick, tick);
  assert.equal(hex(replica.world.hash()), hex(hash));
  await world.world.resume();
  return tick;
}

test('replica_of_a_running_world_is_the_same_to_the_bit', {timeout: AWAIT_MS}, async (t) => {
  const {client, world} = await setUp(t);
  const replica = await follow(t, client, {rate: 20});
  let last = replica.tick;
  for (let i = 0; i < 3; i++) {
    assert.ok(await play(world, 700) > 0);
    const tick = await assertSame(world, replica);
    assert.ok(tick > last, `${last} to ${tick}`);
    last = tick;
  }
  assert.equal(replica.world.info().bodies, (await world.world.info()).bodies);
  replica.stop();
  await assert.rejects(replica.follow(client, WORLD), {code: 'closed'});
  assert.equal((await world.world.info()).subscribers, 0);
});

for (const signal of ['SIGTERM', 'SIGKILL']) {
  test(`replica_goes_on_over_a_restart_with_data_after_${signal}`, {timeout: AWAIT_MS}, async (t) => {
    const data = await mkdtemp(path.join(tmpdir(), 'carom-data-'));
    let again = null;
    t.after(async () => { // in this order: a running server writes to its data
      await again?.stop();
      await rm(data, {recursive: true, force: true});
    });
    const {server, client, world} = await setUp(t, ['--data', data]);
    const replica = await follow(t, client);
    await play(world, 500);
    const before = await assertSame(world, replica);
    const lost = event(client, 'lost');
    await server.stop(signal);
    await lost;
    again = await startCaromd(['--data', data], server.port);
    await event(replica, 'tick');
    await play(world, 500);
    assert.ok(await assertSame(world, replica) > before);
    assert.equal(client.traffic.reconnects, 1);
    assert.equal((await world.world.info()).subscribers, 1);
  });
}

test('values_of_data_and_messages_keep_their_bits_in_a_replica', {timeout: AWAIT_MS}, async (t) => {
  const {client, world} = await setUp(t);
  const replica = await follow(t, client);
  const values = {
    none: [], nested: {a: [{b: [null, {c: 'd'}]}]}, bytes: Uint8Array.of(0, 255), text: 'ü'.repeat(200), yes: true, no: false,
    numbers: [0, 127, 128, 65536, 2 ** 40, -1, -33, -32769, -(2 ** 40), 0.5, 1 / 3, -0], wide: new Map([[1, 2], ['x', 3n]]),
  };
  const batch = world.batch();
  for (const [key, value] of Object.entries(values)) {
    batch.data.set({key, value});
    batch.message.send({name: key, data: value});
  }
  await batch.send();
  await assertSame(world, replica); // the hash covers the data
  assert.deepEqual(replica.world.call('data.get').data, (await world.data.get()).data);
  assert.deepEqual(Object.keys(replica.world.call('data.get').data).sort(), Object.keys(values).sort());
});

test('replica_in_a_worker_is_the_same_to_the_bit', {timeout: AWAIT_MS}, async (t) => {
  const {server, world} = await setUp(t);
  const worker = new Worker(new URL('replica_worker.js', import.meta.url),
                            {workerData: {source, url: server.url, world: WORLD}});
  t.after(() => worker.terminate());
  const told = async () => (await once(worker, 'message'))[0];
  await told();
  await play(world, 300);
  const {tick} = await world.world.pause();
  const {hash} = await world.world.info();
  let answer;
  do {
    worker.postMessage('');
    answer = await told();
    assert.equal(answer.error, undefined);
  } while (answer.tick < tick && await sleep(10) === undefined);
  assert.deepEqual([answer.tick, hex(answer.hash)], [tick, hex(hash)]);
});

test('copy_that_was_changed_is_told_and_left', {timeout: AWAIT_MS}, async (t) => {
  const {client, world} = await setUp(t);
  const replica = await follow(t, client);
  const diverged = event(replica, 'diverged');
  replica.world.createBody({position: [0, 0.1], shapes: BALL});
  assert.match((await diverged).message, /the state's hash/);
  assert.equal(replica.error.code, 'internal');
  while ((await world.world.info()).subscribers > 0) await sleep(10);
});

test('ended_world_ends_its_replica', async (t) => {
  const {client, world} = await setUp(t);
  const replica = await follow(t, client);
  const ended = event(replica, 'ended');
  await world.world.destroy();
  assert.equal((await ended).code, 'not_found');
  assert.ok(replica.world.tick > 0 && replica.diverged === null);
});

test('another_engine_is_refused_before_anything_is_asked', async () => {
  const client = {hello: {engine: engine.behaviour + 1}, subscribe: () => assert.fail('it asked')};
  await assert.rejects(new Replica(engine).follow(client, WORLD), {code: 'unavailable', message: /the server's engine is/});
});
