// The engine in this process (environment CAROM_PACKAGE: the package as it is published): its API, and that its results
// equal the server's bit by bit.
import test from 'node:test';
import assert from 'node:assert/strict';
import {once} from 'node:events';
import {readFile} from 'node:fs/promises';
import {createServer} from 'node:http';
import {pathToFileURL} from 'node:url';
import {gzipSync} from 'node:zlib';

import {AWAIT_MS} from './patience.js';
import {BALL, open, startCaromd} from './support.js';

const source = pathToFileURL(`${process.env.CAROM_PACKAGE}/src/`);
const {CaromError, encode, encodeRecord, loadEngine, Replica} = await import(new URL('index.js', source));

const SIZE_MAX = 215000; // gzipped bytes of engine.wasm, most of them the engine's own code: see README.md
const MISSING = {code: 'not_found', message: /: .*; the engine is src\/engine\.wasm .* copy it beside/};

let engine;
test.before(async () => {
  engine = await loadEngine();
});

const hex = (bytes) => Buffer.from(bytes).toString('hex');

function newWorld(t, settings) {
  const world = engine.createWorld(settings);
  t.after(() => world.free());
  return world;
}

test('module_needs_nothing_of_its_host_and_is_small', async () => {
  const bytes = await readFile(new URL('engine.wasm', source));
  assert.deepEqual(WebAssembly.Module.imports(new WebAssembly.Module(bytes)), []);
  const size = gzipSync(bytes, {level: 9}).length;
  assert.ok(size <= SIZE_MAX, `${size} bytes gzipped`);
});

test('engine_loads_from_bytes_module_and_response', async () => {
  const bytes = await readFile(new URL('engine.wasm', source));
  for (const given of [bytes, new WebAssembly.Module(bytes), new Response(bytes)]) {
    assert.equal((await loadEngine(given)).behaviour, engine.behaviour);
  }
  await assert.rejects(loadEngine(new URL('missing.wasm', source)), MISSING);
});

test('engine_that_no_bundler_carried_along_is_told', async (t) => {
  const pages = createServer((request, response) => {
    response.writeHead(request.url === '/lost/engine.wasm' ? 404 : 200).end('<!doctype html>');
  }).listen(0, '127.0.0.1');
  t.after(() => pages.close());
  await once(pages, 'listening');
  for (const folder of ['lost', 'single-page']) {
    await assert.rejects(loadEngine(`http://127.0.0.1:${pages.address().port}/${folder}/engine.wasm`), MISSING, folder);
  }
});

test('bodies_fall_and_are_moved', (t) => {
  const world = newWorld(t, {gravity: [0, -10]});
  world.createBody({type: 'static', shapes: [{kind: 'box', size: [20, 1]}]});
  const ball = world.createBody({position: [0, 3], shapes: BALL});
  world.step(10);
  assert.equal(world.tick, 10);
  assert.ok(Math.abs(world.time - 1 / 6) < 1e-12);
  assert.ok(ball.position[1] < 3 && ball.velocity[1] < 0 && ball.awake);
  ball.velocity = [1, 0];
  assert.deepEqual(ball.velocity, [1, 0]);
  ball.position = [5, 5];
  ball.angle = 0.5;
  ball.angularVelocity = 2;
  assert.deepEqual(ball.position, [5, 5]);
  assert.equal(ball.angularVelocity, 2);
  ball.applyImpulse([0, 10]);
  ball.applyAngularImpulse(1);
  ball.setForce([1, 0], [5, 6]);
  ball.setTorque(1);
  assert.ok(ball.velocity[1] > 0);
  assert.equal(ball.info().mass > 0.7, true);
  assert.equal([...world.bodies()].length, 2);
  ball.remove();
  assert.equal(ball.exists, false);
  assert.equal(world.body(ball.id), null);
  assert.throws(() => ball.position, {code: 'not_found'});
});

test('rows_are_all_states_at_once', (t) => {
  const world = newWorld(t, {gravity: [0, 0]});
  const still = world.createBody({position: [1, 2], shapes: BALL, awake: false});
  const moving = world.createBody({position: [3, 4], velocity: [5, 6], shapes: BALL});
  assert.deepEqual([...world.rows()].slice(0, 8), [still.id, 1, 2, 0, 0, 0, 0, 0]);
  assert.deepEqual([...world.rows({awakeOnly: true})], [moving.id, 3, 4, 0, 5, 6, 0, 1]);
});

test('joints_hold', (t) => {
  const world = newWorld(t);
  const anchor = world.createBody({type: 'static'});
  const bob = world.createBody({position: [2, 0], shapes: BALL});
  const joint = world.createJoint({kind: 'revolute', a: anchor, b: bob, anchor: [0, 0]});
  world.step(60);
  const [x, y] = bob.position;
  assert.ok(Math.abs(Math.hypot(x, y) - 2) < 0.01);
  assert.equal(joint.info().kind, 'revolute');
  joint.set({motor_speed: 1, max_torque: 10});
  joint.remove();
  assert.throws(() => joint.info(), {code: 'not_found'});
});

test('questions_are_answered', (t) => {
  const world = newWorld(t, {gravity: [0, 0]});
  const one = world.createBody({position: [5, 0], shapes: BALL});
  const two = world.createBody({position: [8, 0], shapes: BALL});
  const hit = world.raycast([0, 0], [10, 0]);
  assert.equal(hit.body, one.id);
  assert.ok(Math.abs(hit.point[0] - 4.5) < 1e-6);
  assert.deepEqual(world.raycastAll([0, 0], [10, 0]).map((h) => h.body), [one.id, two.id]);
  assert.equal(world.raycast([0, 5], [10, 5]), null);
  assert.equal(world.castShape({kind: 'circle', radius: 1}, [0, 0], [10, 0]).body, one.id);
  assert.deepEqual(world.overlap({area: [4, -1, 9, 1]}), [one.id, two.id]);
  assert.deepEqual(world.overlap({point: [8, 0]}), [two.id]);
  assert.equal(world.nearest([4, 0]).body, one.id);
});

test('contacts_and_events_are_told', (t) => {
  const world = newWorld(t, {events: ['begin', 'end']});
  const floor = world.createBody({type: 'static', shapes: [{kind: 'box', size: [20, 1]}]});
  const ball = world.createBody({position: [0, 1.5], shapes: BALL});
  world.step(120);
  const events = world.events();
  assert.equal(events[0].kind, 'begin');
  assert.deepEqual([events[0].a, events[0].b].sort(), [floor.id, ball.id].sort());
  assert.deepEqual(world.events(), []);
  assert.equal(ball.contacts().length, 1);
  world.wantEvents([]);
  ball.position = [0, 5];
  world.step(5);
  assert.deepEqual(world.events(), []);
  assert.throws(() => world.wantEvents(['bang']), /there is no event 'bang'/);
});

test('local_world_has_data', (t) => {
  const world = newWorld(t);
  const value = {list: [1, -1, 0.5, 'text', null, true, Uint8Array.of(1)]};
  assert.deepEqual(world.call('data.set', {key: 'a', value, version: 0}), {version: 1, tick: 1});
  assert.deepEqual(world.call('data.get', {key: 'a'}).data, {a: {value, version: 1}});
  assert.throws(() => world.call('data.set', {key: 'a', value: 1, version: 0}), {code: 'already_exists', message: /version 1/});
  assert.throws(() => world.call('data.set', {key: 'b', value: null}), {code: 'invalid_argument'});
  assert.deepEqual(world.apply([['message.send', {name: 'hi', data: value}], ['data.remove', {key: 'a'}]]).length, 2);
  assert.deepEqual(world.call('data.get').data, {});
});

test('events_that_nobody_takes_are_bounded', (t) => {
  const world = newWorld(t, {gravity: [0, 0], sleep: false, events: ['stay']});
  for (let i = 0; i < 1000; i++) {
    for (const y of [0, 0.5]) world.createBody({position: [3 * i, y], shapes: [{kind: 'box', size: [1, 0.5]}]});
  }
  for (let i = 0; i < 400 && world.eventsLost === 0; i++) world.step(10);
  assert.ok(world.eventsLost > 0);
  assert.ok(world.events().length > 10000);
});

test('errors_are_those_of_the_server', async (t) => {
  const server = await startCaromd();
  t.after(() => server.stop());
  const {lab} = await open(t, server.url);
  const world = newWorld(t);
  const wrong = [
    ['body.spawn', {shapes: [{kind: 'circle'}]}],
    ['body.spawn', {shapes: [{kind: 'circle', radius: -1.25}]}],
    ['body.spawn', {shapes: BALL, position: [1e9, 0.1]}],
    ['body.spawn', {shapes: BALL, speed: 1}],
    ['body.get', {body: 77}],
    ['joint.create', {kind: 'hinge', a: 1, b: 2}],
    ['query.ray', {from: [0, 0]}],
    ['query.overlap', {}],
  ];
  for (const [method, args] of wrong) {
    const theirs = await lab[method.split('.')[0]][method.split('.')[1]](args).catch((e) => e);
    assert.ok(theirs instanceof Error, method);
    assert.throws(() => world.call(method, args), (error) => {
      assert.ok(error instanceof CaromError);
      assert.deepEqual([error.code, error.message], [theirs.code, theirs.message]);
      return true;
    });
  }
  assert.throws(() => world.call('ping'), {code: 'unknown_method'});
  for (const [method, args] of [['query.ray', {from: [0, 0], to: [1, 0], at: 0}], ['world.state', {at: 0}]]) {
    assert.throws(() => world.call(method, args), {code: 'unavailable', message: /this world keeps no past/}, method);
  }
  assert.throws(() => engine.createWorld({hz: 0}), {code: 'invalid_argument'});
  assert.throws(() => engine.createWorld({scene: 'demo'}), {code: 'invalid_argument'});
  assert.throws(() => engine.restoreWorld(new Uint8Array(100)), {code: 'invalid_argument'});
  assert.throws(() => world.createBody({mass: NaN}), {code: 'invalid_argument'});
  assert.throws(() => world.step(1e9), {code: 'invalid_argument'});
});

test('batch_is_all_or_nothing', (t) => {
  const world = newWorld(t);
  const results = world.apply([['body.spawn', {shapes: BALL}], ['body.set', {body: {$: 0}, tag: 'x'}]]);
  assert.equal(world.body(results[0].body).info().tag, 'x');
  assert.throws(() => world.apply([['body.spawn', {shapes: BALL}], ['body.remove', {body: 99}]]));
  assert.equal(world.info().bodies, 1);
});

test('saved_world_goes_on_as_the_first', (t) => {
  const world = newWorld(t);
  world.createBody({type: 'static', shapes: [{kind: 'box', size: [20, 1]}]});
  for (let i = 0; i < 50; i++) world.createBody({position: [i % 7 - 3 + i / 100, 2 + i], shapes: BALL});
  world.step(100);
  const copy = world.clone();
  world.step(100);
  copy.step(100);
  assert.equal(hex(copy.hash()), hex(world.hash()));
  copy.free();
});

test('freed_world_is_refused_and_its_memory_used_again', () => {
  const image = (() => {
    const world = engine.createWorld();
    for (let i = 0; i < 2000; i++) world.createBody({position: [3 * i, 0], shapes: BALL});
    const bytes = world.save();
    world.free();
    world.free();
    assert.throws(() => world.step(), {code: 'not_found'});
    return bytes;
  })();
  const cycle = () => {
    const world = engine.restoreWorld(image);
    world.step(2);
    world.free();
  };
  for (let i = 0; i < 5; i++) cycle();
  const before = engine.memoryBytes;
  for (let i = 0; i < 50; i++) cycle();
  assert.equal(engine.memoryBytes, before);
});

// ---- the same as the server

// Some activity: commands for some ticks of a world, as method and arguments.
function commandsAt(tick) {
  const commands = [];
  if (tick === 1) {
    commands.push(['body.spawn', {type: 'static', shapes: [{kind: 'box', size: [30, 1], angle: 0.03}]}]);
    commands.push(['body.spawn', {type: 'static', shapes: [{kind: 'chain', loop: false,
      vertices: [[12, 4], [6, 1.3], [-6, 1.1], [-12, 4.7]]}]}]);
  }
  if (tick % 5 === 1) {
    const x = Math.sin(tick) * 4;
    const shapes = [[{kind: 'circle', radius: 0.3 + (tick % 3) / 10, restitution: 0.4}],
                    [{kind: 'box', size: [0.7, 0.4], angle: 0.3, radius: 0.05}],
                    [{kind: 'polygon', vertices: [[0, 0], [0.9, 0.1], [0.3, 0.8]]},
                     {kind: 'capsule', a: [-0.3, 0], b: [0.4, 0.2], radius: 0.15}]][tick % 3];
    commands.push(['body.spawn', {position: [x, 6], angle: tick / 7, velocity: [0, -1], shapes}]);
  }
  return commands;
}

async function playServerAndLocal(t, settings, ticks) {
  const server = await startCaromd();
  t.after(() => server.stop());
  const {client, lab} = await open(t, server.url, settings);
  assert.equal(client.hello.engine, engine.behaviour);
  const world = newWorld(t, settings);
  const records = [];
  let last;
  for (let tick = 1; tick <= ticks; tick++) {
    const rows = [];
    for (const [method, args] of commandsAt(tick)) {
      const [group, verb] = method.split('.');
      last = await lab[group][verb](args);
      assert.deepEqual(world.call(method, args).body, last.body);
      rows.push([tick, 7, method, {world: 'local', ...args}]);
    }
    await lab.world.step();
    world.step();
    const {hash} = await lab.world.info();
    assert.equal(hex(world.hash()), hex(hash), `tick ${tick}`);
    records.push({from: tick - 1, tick, commands: rows, hash});
  }
  return {world, records};
}

test('local_world_is_the_servers_to_the_bit', {timeout: AWAIT_MS}, async (t) => {
  const settings = {gravity: [0, -9.81], hz: 60};
  const image = (() => {
    const empty = engine.createWorld(settings);
    const bytes = empty.save();
    empty.free();
    return bytes;
  })();
  const {world, records} = await playServerAndLocal(t, settings, 200);
  // And a replica gets the same commands as a log.
  const replica = new Replica(engine);
  t.after(() => replica.free());
  const ticks = [];
  replica.on('tick', (tick) => ticks.push(tick));
  assert.throws(() => new Replica(engine).play(records[0]), /without an image/);
  records[0].image = image;
  for (const record of records) replica.play(record);
  assert.equal(hex(replica.world.hash()), hex(world.hash()));
  assert.equal(ticks.at(-1), 200);
});

test('record_played_in_parts_leads_to_the_same_state', (t) => {
  const whole = newWorld(t);
  const parts = newWorld(t);
  const spawn = (tick) => [tick, 1, 'body.spawn', {world: 'local', position: [tick, 5], shapes: BALL}];
  const commands = [spawn(1), spawn(7), [8, 1, 'world.pause', {world: 'local'}],
                    [8, 1, 'world.resume', {world: 'local'}], spawn(16), spawn(30)];
  whole.play(encodeRecord({from: 0, tick: 30, commands}));
  const record = encodeRecord({from: 0, tick: 30, commands, hash: whole.hash()});
  const ticks = [];
  do ticks.push(parts.play(record, 8)); while (parts.within);
  assert.deepEqual(ticks, [8, 16, 24, 30]);
  assert.equal(hex(parts.hash()), hex(whole.hash()));
  assert.equal(whole.within, false);
});

test('long_record_leaves_a_follower_its_other_work', async (t) => {
  const ticks = 131072; // the longest record
  const world = newWorld(t);
  const image = world.save();
  const listeners = {};
  const subscription = {
    on: (name, call) => listeners[name] = call, unsubscribe: async () => {},
    next: async () => listeners.snapshot({from: 0, tick: 0, image}),
  };
  const client = {hello: {engine: engine.behaviour}, subscribe: async () => subscription};
  const replica = await new Replica(engine).follow(client, 'local');
  t.after(() => replica.free());
  const seen = [];
  const done = new Promise((resolve) => {
    replica.on('tick', (tick) => {
      seen.push(tick);
      if (tick === ticks + 3) resolve();
    });
  });
  let turns = 0;
  const other = setInterval(() => turns++, 1);
  t.after(() => clearInterval(other));
  listeners.snapshot({from: 0, tick: ticks});
  assert.ok(replica.tick < ticks, 'the first part leaves some');
  for (const part of [100000, ticks + 3 - 100000]) world.step(part);
  listeners.snapshot({from: ticks, tick: ticks + 3, hash: world.hash()});
  await done;
  assert.deepEqual(seen, [ticks, ticks + 3]);
  assert.ok(turns > 0, 'other work had a turn');
  assert.equal(hex(replica.world.hash()), hex(world.hash()));
});

test('replica_that_differs_says_so', (t) => {
  const world = newWorld(t);
  const image = world.save();
  const replica = new Replica(engine);
  t.after(() => replica.free());
  let diverged;
  replica.on('diverged', (error) => {
    diverged = error;
  });
  const hash = new Uint8Array(8);
  assert.throws(() => replica.play({from: 0, tick: 3, image, hash}), {code: 'internal'});
  assert.match(diverged.message, /the state's hash/);
  assert.throws(() => replica.play({from: 3, tick: 4}), {code: 'internal'});
});

test('record_that_is_wrong_is_refused', (t) => {
  const wrong = [
    Uint8Array.of(0xc0), Uint8Array.of(), encode({tick: 3, from: 0}),
    encodeRecord({from: 5, tick: 6}),
    encodeRecord({from: 0, tick: 2, commands: [[1, 0, 'body.jump', {}]]}),
    encodeRecord({from: 0, tick: 2, commands: [[1, 0, 'body.remove', {world: 'local', body: 1}]]}),
    encodeRecord({from: 0, tick: 2, commands: [[1, 0, 'world.info', {world: 'local'}]]}),
  ];
  for (const record of wrong) {
    const world = newWorld(t);
    assert.throws(() => world.play(record), CaromError);
    assert.equal(world.tick <= 2, true);
  }
});

test('paused_world_of_a_log_takes_commands_where_it_stands', (t) => {
  const world = newWorld(t);
  const image = world.save();
  const replica = new Replica(engine);
  t.after(() => replica.free());
  const spawn = [0, 1, 'body.spawn', {world: 'local', position: [0, 5], shapes: BALL}];
  world.call('body.spawn', spawn[3]);
  replica.play({from: 0, tick: 0, image, paused: true, commands: [spawn], hash: world.hash()});
  replica.play({from: 0, tick: 3, commands: [[0, 1, 'world.resume', {world: 'local'}]]});
  world.step(3);
  assert.equal(hex(replica.world.hash()), hex(world.hash()));
});
