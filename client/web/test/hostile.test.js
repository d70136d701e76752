// Clients of a server that sends anything (hostile_server.js): only calls that document it throw, every promise is
// settled, and every loop ends. Environment: CAROM_PACKAGE, the folder with the engine; HOSTILE_SEED and HOSTILE_MS, to
// try other seeds for longer.
import test from 'node:test';
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import path from 'node:path';

import {CaromError, Replica, loadEngine, makeClient} from '../src/index.js';
import {fakeTime} from './fake_time.js';
import {HostileServer} from './hostile_server.js';
import {random} from './random.js';

const TICK_MS = 1000 / 60;
const TICKS = 40; // in a round
const FIRST_SEED = Number(process.env.HOSTILE_SEED ?? 1);
const LENGTH_MS = Number(process.env.HOSTILE_MS ?? 2000);
const ROUNDS_MIN = 20; // at least, on slow machines
const LOOP_MS = 20000; // a longer round has an endless loop, or lets the server waste too much time
const module = await WebAssembly.compile(await readFile(path.join(process.env.CAROM_PACKAGE, 'src/engine.wasm')));
const wallMs = () => Number(process.hrtime.bigint() / 1000000n);

function makeWorld(engine) {
  const world = engine.createWorld({gravity: [0, -10], events: ['begin', 'end']});
  const ground = world.createBody({type: 'static', position: [0, -1], shapes: [{kind: 'box', size: [40, 2]}]});
  const bodies = [ground.id];
  for (let i = 0; i < 5; i++) {
    bodies.push(world.createBody({position: [1.5 * i - 3, 1 + i], tag: `ball ${i}`, shapes: [{kind: 'circle', radius: 0.5}]}).id);
  }
  return {world, bodies};
}

// Programs that use a client. Each returns a function to call before a frame.
const PROGRAMS = {
  async delayed(client) {
    const subscription = await client.subscribe({world: 'local', describe: true, encoding: 'plain'});
    return (now) => look(subscription.view, now);
  },
  async predictive(client) {
    const subscription = await client.subscribe({world: 'local', describe: true, encoding: 'plain'}, {interpolation: 'predictive', waitMs: 500});
    subscription.on('event', () => {});
    return (now) => look(subscription.view, now);
  },
  async replica(client) {
    const replica = new Replica(await client.engine());
    await replica.follow(client, 'local');
    return () => replica.world?.rows();
  },
  async predicted(client, bodies) {
    const play = await client.predict('local', {events: ['begin'], input: (batch, {firstTime}) => firstTime && batch.body.force({body: bodies[1], force: [3, 0]})});
    return (now) => {
      play.advance(now);
      for (const body of play.drawn()) assert.ok(body.pose);
    };
  },
  async unpredicted(client, bodies) {
    const play = await client.predict('local', {predicting: false, input: (batch) => batch.body.force({body: bodies[1], force: [1, 0]})});
    return (now) => {
      play.advance(now);
      assert.ok(Array.isArray([...play.drawn()]));
    };
  },
};

function look(view, now) {
  view.advance(now);
  view.takeEvents();
  for (const {pose} of view.drawn()) assert.equal(typeof pose.x, 'number');
}

/** One client of one hostile server, for TICKS ticks. Returns the promises that the client gave, all settled. */
async function round(time, seed, bad) {
  const chance = random(seed);
  const engine = await loadEngine(module);
  const {world, bodies} = makeWorld(engine);
  const hello = {engine: engine.behaviour, expires: Date.now() / 1000 + 100, subscriptions: [], applied: {}, pending: []};
  const server = new HostileServer(world, hello, chance, [0.02, 0.1, 0.5][seed % 3]);
  const names = Object.keys(PROGRAMS);
  const name = names[seed % names.length];
  const client = makeClient(server.open, {loadEngine: () => loadEngine(module), timeoutMs: 1000, token: () => 't',
                                          resume: chance() < 0.3 ? 'secret' : undefined, reconnect: {firstMs: 50, maxMs: 100}});
  for (const event of ['open', 'lost', 'resumed', 'renewed', 'leaving', 'closed', 'ping']) client.on(event, () => {});
  const open = new Set();
  const started = (promise) => {
    open.add(promise);
    promise.then(() => open.delete(promise), (error) => {
      open.delete(promise);
      if (!(error instanceof CaromError)) bad.push(error);
    });
  };
  let frame = () => {};
  started(client.ready);
  started(PROGRAMS[name](client, bodies).then((act) => {
    frame = act;
  }));
  for (let i = 0; i < TICKS; i++) {
    if (i % 4 === 0) started(client.call('world.info', {world: 'local'}));
    if (chance() < 0.02) server.cut();
    await time.pass(TICK_MS);
    server.tick();
    frame(performance.now());
  }
  client.close();
  await time.pass(5000); // calls without an answer end
  assert.equal(open.size, 0, `seed ${seed}: ${name}: ${open.size} promises have no end`);
  return server.altered;
}

test('nothing_that_a_server_sends_ends_the_program', {timeout: 3600e3}, async (t) => {
  const bad = [];
  const catchAll = (error) => bad.push(error);
  for (const event of ['uncaughtException', 'unhandledRejection']) {
    process.prependListener(event, catchAll);
    t.after(() => process.off(event, catchAll));
  }
  const time = fakeTime(t);
  let altered = 0;
  const end = wallMs() + LENGTH_MS;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + ROUNDS_MIN || wallMs() < end; seed++) {
    const began = wallMs();
    try {
      altered += await round(time, seed, bad);
    } catch (error) {
      bad.push(error);
    }
    assert.deepEqual(bad.map(({stack}) => `seed ${seed}: ${stack}`), []);
    assert.ok(wallMs() - began < LOOP_MS, `seed ${seed} took ${wallMs() - began} ms`);
  }
  assert.ok(altered > 50, `${altered} messages were altered`);
});
