// Prediction over a simulated distance (environment CAROM_PACKAGE: the folder with the engine): the package's own
// engine as the server, delays and stalls from a seed, frames at the test's own time. The tests compare the prediction
// with the server's world to the bit.
import test from 'node:test';
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';
import path from 'node:path';

import {loadEngine, makeClient} from '../src/index.js';
import {fakePage} from './fake_page.js';
import {fakeTime} from './fake_time.js';
import {random} from './random.js';
import {SESSION, SimulatedServer} from './simulated_server.js';

const TICK_MS = 1000 / 60;
const DISC = {kind: 'circle', radius: 0.5, restitution: 0.5};
const module = await WebAssembly.compile(await readFile(path.join(process.env.CAROM_PACKAGE, 'src/engine.wasm')));

const hex = (bytes) => Buffer.from(bytes).toString('hex');

// A table with a rim, `discs` discs on it, of which the first is the client's.
function makeTable(engine, discs, events = []) {
  const world = engine.createWorld({gravity: [0, 0], events});
  for (const [x, y, w, h] of [[0, 9, 20, 1], [0, -9, 20, 1], [10, 0, 1, 20], [-10, 0, 1, 20]]) {
    world.createBody({type: 'static', position: [x, y], shapes: [{kind: 'box', size: [w, h]}]});
  }
  const bodies = [];
  for (let i = 0; i < discs; i++) {
    bodies.push(world.createBody({position: [(i % 5) * 1.2 - 2, Math.floor(i / 5) * 1.2 - 2], linear_damping: 0.8, tag: `disc ${i}`,
                                  shapes: [DISC]}).id);
  }
  return {world, bodies};
}

/**
 * Makes a client that predicts the table of a server `delayMs` away, in the test's own time. `run(seconds, {input,
 * other})` lets it pass: input(batch, tick, firstTime) is the client's, other(tick) gives somebody else's commands for
 * a tick.
 */
async function setUp(t, {distance = {delayMs: 50}, discs = 1, hello, server: change, loads, ...options} = {}) {
  const time = fakeTime(t);
  const engine = await loadEngine(module);
  const {world, bodies} = makeTable(engine, discs, options.events);
  const server = new SimulatedServer(world, hello);
  change?.(server);
  const client = makeClient(server.open, {distance, loadEngine: loads ?? (() => loadEngine(module))});
  const setup = {time, server, client, bodies, me: bodies[0], world, play: null, input: () => {}, other: () => [], inputs: []};
  const told = (batch, {tick, firstTime}) => {
    setup.inputs.push({tick, firstTime});
    setup.input(batch, tick, firstTime);
  };
  let server_ms = performance.now();
  let frame_ms = server_ms + 5; // frames and ticks are out of phase
  setup.run = async (seconds, {frames = true, frozen = false} = {}) => {
    const end = performance.now() + seconds * 1000;
    while (performance.now() < end) {
      const next = Math.min(server_ms, frame_ms);
      if (frozen) time.freeze(next - performance.now());
      else await time.pass(next - performance.now());
      if (next === server_ms) {
        const commands = setup.other(world.tick + 1);
        if (commands.length > 0) server.command(commands);
        server.tick();
        server_ms += TICK_MS;
      } else {
        if (frames && !frozen) setup.play?.advance(performance.now());
        frame_ms += TICK_MS;
      }
    }
  };
  const ready = client.predict('table', {...options, input: told}).then((play) => {
    setup.play = play;
  });
  for (let i = 0; i < 100 && setup.play === null; i++) await setup.run(0.05);
  await ready;
  setup.stop = async () => {
    setup.play.stop();
    client.close();
    await time.pass(1000);
  };
  return setup;
}

// Pushes in changing directions, as a player with keys does.
function pusher(setup, seed) {
  const chance = random(seed);
  let until = 0;
  return (batch, tick, firstTime) => {
    if (!firstTime || tick < until) return;
    until = tick + 10 + Math.floor(30 * chance());
    const angle = 2 * Math.PI * chance();
    batch.body.force({body: setup.me, force: [12 * Math.cos(angle), 12 * Math.sin(angle)]});
  };
}

// Checks that every batch sent was applied once, in the order of sending, and that the replica's world equals the
// server's.
async function assertWhole(setup) {
  setup.input = () => {};
  setup.other = () => [];
  await setup.run(2);
  const {server, play} = setup;
  const sent = server.of('world.apply').map(({args}) => args).filter(({late}) => late === 'next');
  const applied = server.applied.filter(({session}) => session === SESSION);
  assert.deepEqual(applied.map(({commands}) => commands), sent.map(({commands}) => commands));
  const figures = play.figures;
  assert.equal(figures.waiting, 0);
  assert.equal(figures.sent, sent.length);
  assert.equal(figures.confirmed, sent.length);
  const lag = setup.world.tick - play.confirmed.tick;
  const behind = play.confirmed.clone();
  behind.step(lag);
  assert.equal(hex(behind.hash()), hex(setup.world.hash()));
  behind.free();
}

for (const seed of [1, 2, 3]) {
  test(`alone_every_tick_is_predicted_to_the_bit_${seed}`, async (t) => {
    const setup = await setUp(t, {distance: {delayMs: 50, jitterMs: 5, seed}, discs: 12});
    await setup.run(1);
    const before = setup.play.figures;
    setup.input = pusher(setup, seed);
    await setup.run(10);
    const figures = setup.play.figures;
    assert.ok(figures.sent > 15);
    assert.equal(figures.ticks - before.ticks, figures.ticks_right - before.ticks_right);
    assert.equal(figures.rollback_count, before.rollback_count);
    assert.ok(figures.ticks - before.ticks > 500);
    assert.equal(figures.error, 0);
    await assertWhole(setup);
    await setup.stop();
  });
}

for (const seed of [4, 5, 6]) {
  test(`two_players_and_stalls_end_in_the_servers_world_${seed}`, async (t) => {
    const setup = await setUp(t, {distance: {delayMs: 50, jitterMs: 10, stall: 0.01, seed}, discs: 12});
    setup.input = pusher(setup, seed);
    const chance = random(seed + 100);
    setup.other = (tick) => tick % 23 !== 0 ? []
      : [['body.force', {body: setup.bodies[1], force: [20 * chance() - 10, 20 * chance() - 10]}]];
    await setup.run(10);
    const figures = setup.play.figures;
    assert.ok(figures.rollback_count > 5, 'the other player was foreseen');
    assert.ok(figures.depth < 30, `${figures.depth} ticks a rollback`);
    await assertWhole(setup);
    // Without commands, the predicted world is exactly the server's future; drawn poses lie between two ticks.
    const {play, world} = setup;
    await setup.run(1);
    const ahead = world.clone();
    ahead.step(play.tick - world.tick);
    for (const id of setup.bodies) {
      const {position, velocity} = play.call('body.get', {body: id});
      assert.deepEqual(position, ahead.body(id).position);
      const {pose} = play.bodies.get(id);
      const step = Math.hypot(...velocity) / 60;
      // The body may have bounced
      assert.ok(Math.hypot(pose.x - position[0], pose.y - position[1]) <= 3 * step + 0.02, `body ${id}`);
    }
    ahead.free();
    await setup.stop();
  });
}

// The rows of tests/unit/client/prediction_scenarios.txt, which libcarom's tests run too.
const SCENARIOS = (await readFile(new URL('../../../tests/unit/client/prediction_scenarios.txt', import.meta.url), 'utf8'))
  .split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => line.trim().split(/\s+/).map(Number));
for (const [seed, delayMs, jitterMs, stall, other, spawn, seconds, least, most] of SCENARIOS) {
  test(`scenario_${seed}_is_right_where_the_commands_agree`, async (t) => {
    const setup = await setUp(t, {distance: {delayMs, jitterMs, stall, seed}, discs: 12});
    const chance = random(seed);
    const push = pusher(setup, seed);
    setup.input = (batch, tick, firstTime) => {
      push(batch, tick, firstTime);
      if (firstTime && chance() < spawn / 10) batch.body.spawn({position: [18 * chance() - 9, 14 * chance() - 7], shapes: [DISC]});
    };
    setup.other = () => chance() >= other ? []
      : [['body.force', {body: setup.bodies[1], force: [20 * chance() - 10, 20 * chance() - 10]}]];
    await setup.run(1);
    const before = setup.play.figures;
    await setup.run(seconds);
    const {ticks, ticks_right: right} = setup.play.figures;
    const share = (right - before.ticks_right) / (ticks - before.ticks);
    assert.ok(share >= least && share <= most, `${share} of the ticks were right`);
    await assertWhole(setup);
    await setup.stop();
  });
}

test('events_are_predicted_and_confirmed_once_each', async (t) => {
  const setup = await setUp(t, {distance: {delayMs: 50, jitterMs: 10, stall: 0.01, seed: 9}, discs: 12, events: ['begin']});
  setup.input = pusher(setup, 9);
  const chance = random(10);
  setup.other = (tick) => tick % 17 !== 0 ? [] : [['body.force', {body: setup.bodies[1], force: [30 * chance() - 15, 30 * chance() - 15]}]];
  const {play, server} = setup;
  const told = {predicted: [], confirmed: [], takenBack: []};
  for (const name of Object.keys(told)) play.on(name, (event) => told[name].push(event));
  const before = server.eventCount;
  await setup.run(10);
  await assertWhole(setup);
  assert.ok(told.confirmed.length > 20 && told.takenBack.length > 0, `${told.confirmed.length} and ${told.takenBack.length}`);
  assert.ok(told.confirmed.length <= server.eventCount - before + 2 && told.confirmed.length >= server.eventCount - before - 2);
  const key = ({kind, tick, a, b}) => `${kind} ${tick} ${a} ${b}`;
  const confirmed = told.confirmed.map(key);
  assert.equal(new Set(confirmed).size, confirmed.length, 'one was confirmed twice');
  // Each predicted event is decided: it is confirmed or taken back.
  const foreseen = told.confirmed.filter(({wasPredicted}) => wasPredicted);
  const open = told.predicted.length - foreseen.length - told.takenBack.length; // events of the last ticks
  assert.ok(open >= 0 && open <= 3, `${open} are undecided`);
  assert.ok(foreseen.length > told.confirmed.length / 2);
  await setup.stop();
});

test('input_is_asked_for_every_tick_once_for_the_first_time_in_order', async (t) => {
  const setup = await setUp(t, {distance: {delayMs: 80, jitterMs: 20, stall: 0.02, seed: 11}, discs: 8});
  setup.input = pusher(setup, 11);
  setup.other = (tick) => tick % 31 !== 0 ? [] : [['body.impulse', {body: setup.bodies[1], impulse: [1, 0.5]}]];
  await setup.run(1);
  setup.inputs.length = 0;
  await setup.run(8);
  const first = setup.inputs.filter(({firstTime}) => firstTime).map(({tick}) => tick);
  for (let i = 1; i < first.length; i++) assert.equal(first[i], first[i - 1] + 1);
  assert.ok(first.length > 450);
  assert.ok(setup.inputs.length > first.length, 'nothing was predicted again');
  let last = 0;
  for (const {tick, firstTime} of setup.inputs) {
    assert.ok(firstTime ? tick > last : tick <= last);
    last = Math.max(last, tick);
  }
  await assertWhole(setup);
  await setup.stop();
});

test('page_that_slept_ten_seconds_goes_on_without_a_burst', async (t) => {
  const setup = await setUp(t, {discs: 8});
  setup.input = pusher(setup, 12);
  await setup.run(3);
  await setup.run(10, {frames: false});
  setup.inputs.length = 0;
  const sent = setup.play.figures.sent;
  await setup.run(0.04);
  assert.ok(setup.inputs.length < 40, `${setup.inputs.length} ticks in the first frames`);
  assert.ok(setup.play.figures.sent - sent <= 2);
  assert.ok(Math.abs(setup.play.tick - setup.world.tick - 5) < 6, `${setup.play.tick - setup.world.tick} ticks ahead`);
  await setup.run(3);
  await assertWhole(setup);
  await setup.stop();
});

// A hidden page draws no frames. A force acts until another command ends it, and must end there too.
for (const plain of [false, true]) {
  test(`hidden_page_is_asked_for_input_${plain ? 'without' : 'with'}_prediction`, async (t) => {
    const page = fakePage(t);
    const setup = await setUp(t, plain ? {loads: () => Promise.reject(new Error('no WebAssembly'))} : {});
    assert.equal(setup.play.predicting, !plain);
    let held = true;
    let sent = false;
    setup.input = (batch, tick, firstTime) => {
      if (firstTime && sent !== held) batch.body.force({body: setup.me, force: [held ? 20 : 0, 0]});
      if (firstTime) sent = held;
    };
    const force = () => setup.world.body(setup.me).info().force?.[0] ?? 0;
    await setup.run(1);
    assert.equal(force(), 20);
    page.see('hidden');
    held = false;
    await setup.run(1, {frames: false});
    assert.equal(force(), 0);
    held = true;
    page.see('visible');
    setup.inputs.length = 0;
    await setup.run(1, {frames: false});
    assert.deepEqual(setup.inputs, [], 'frames alone ask in a page that is seen');
    setup.play.stop();
    page.see('hidden');
    await setup.run(1, {frames: false});
    assert.deepEqual(setup.inputs, [], 'a prediction that was stopped asks for nothing');
    await setup.stop();
  });
}

// A frozen page receives nothing, and then 600 records at once.
test('page_that_was_frozen_for_ten_seconds_is_right_within_one', async (t) => {
  const setup = await setUp(t, {discs: 8});
  const {play, world} = setup;
  setup.input = pusher(setup, 13);
  setup.other = (tick) => tick % 40 !== 0 ? [] : [['body.impulse', {body: setup.bodies[1], impulse: [1, 0.5]}]];
  await setup.run(3);
  const {tick, figures: {sent}} = play;
  await setup.run(10, {frozen: true});
  assert.equal(play.tick, tick);
  setup.inputs.length = 0;
  await setup.run(0.06);
  const first = setup.inputs.filter(({firstTime}) => firstTime).length;
  assert.ok(first <= 8 && setup.inputs.length < 40, `${first} ticks for the first time, ${setup.inputs.length} in all`);
  assert.ok(play.figures.sent - sent <= 2);
  await setup.run(0.94);
  assert.ok(Math.abs(play.tick - world.tick - 5) < 4, `${play.tick - world.tick} ticks ahead`);
  assert.ok(world.tick - play.confirmed.tick <= 4 && Math.abs(play.figures.rate - 1) < 0.11);
  setup.other = () => []; // without others, so that every prediction is right
  await setup.run(0.5);
  const before = play.figures;
  await setup.run(2);
  const {ticks, ticks_right: right, rollback_count: rollbacks} = play.figures;
  assert.deepEqual([right - before.ticks_right, rollbacks], [ticks - before.ticks, before.rollback_count]);
  await assertWhole(setup);
  await setup.stop();
});

test('own_command_acts_in_the_frame_in_which_it_is_given', async (t) => {
  for (const delayMs of [0, 100]) {
    const setup = await setUp(t, {distance: {delayMs}});
    await setup.run(2);
    const {play, me} = setup;
    const {x} = play.bodies.get(me).pose;
    let pushed = false;
    setup.input = (batch, tick, firstTime) => {
      if (firstTime && !pushed) batch.body.impulse({body: me, impulse: [3, 0]});
      pushed = true;
    };
    for (let frame = 0; frame < 3 && !(play.bodies.get(me).pose.x > x); frame++) await setup.run(TICK_MS / 1000);
    assert.ok(play.bodies.get(me).pose.x > x, `nothing moved in three frames at ${delayMs} ms`);
    await assertWhole(setup);
    await setup.stop();
  }
});

test('margins_make_room_for_jitter_until_hardly_any_batch_is_late', async (t) => {
  const setup = await setUp(t, {distance: {delayMs: 80, jitterMs: 70, seed: 14}});
  setup.input = (batch, tick, firstTime) => firstTime && tick % 4 === 0 && batch.body.force({body: setup.me, force: [tick % 8, 0]});
  await setup.run(15);
  const from = setup.world.tick;
  await setup.run(8);
  const late = setup.server.applied.filter((batch) => batch.tick > from && batch.late > 0).length;
  assert.ok(late <= 6, `${late} of 120 batches were late`);
  await assertWhole(setup);
  await setup.stop();
});

test('lost_connection_goes_on_with_the_world_as_it_is_then', async (t) => {
  const setup = await setUp(t, {discs: 4});
  setup.input = pusher(setup, 15);
  await setup.run(2);
  const {server, client, play} = setup;
  server.accepts = false;
  server.cut();
  await setup.run(1);
  assert.equal(client.state, 'reconnecting');
  const {tick} = play;
  await setup.run(0.5);
  assert.equal(play.tick, tick, 'nothing is predicted without a server');
  server.accepts = true;
  await setup.run(8);
  assert.equal(client.state, 'open');
  assert.equal(play.error, null);
  assert.ok(play.predicting && play.tick > setup.world.tick);
  assert.equal(play.figures.right, 1);
  await setup.stop();
});

test('batch_that_the_server_refuses_is_told_and_undone', async (t) => {
  const setup = await setUp(t);
  await setup.run(1);
  const {play, server, me} = setup;
  server.refuses = () => 'permission_denied: body 5 is another one\'s';
  const refused = [];
  play.on('refused', ({tick, error}) => refused.push([tick, error.code]));
  const {x} = play.bodies.get(me);
  let at = 0;
  setup.input = (batch, tick, firstTime) => {
    if (!firstTime || at > 0) return;
    at = tick;
    batch.body.impulse({body: me, impulse: [5, 0]});
  };
  await setup.run(0.08);
  assert.ok(play.bodies.get(me).x > x);
  await setup.run(2);
  assert.deepEqual(refused, [[at, 'permission_denied']]);
  assert.ok(Math.abs(play.bodies.get(me).x - x) < 1e-6);
  assert.equal(play.figures.refused, 1);
  assert.equal(play.error, null);
  setup.input = (batch, tick, firstTime) => firstTime && batch.body.force({body: 99999, force: [1, 'x']});
  await setup.run(0.05);
  assert.equal(refused.at(-1)[1], 'invalid_argument'); // refused by the local engine: the batch was not even sent
  await setup.stop();
});

test('body_of_an_own_command_is_there_at_once_and_keeps_its_description', async (t) => {
  const setup = await setUp(t, {discs: 2});
  await setup.run(1);
  const {play} = setup;
  let reference;
  setup.input = (batch, tick, firstTime) => {
    if (!firstTime || reference) return;
    reference = batch.body.spawn({position: [5, 5], tag: 'mine', shapes: [DISC]});
  };
  // Somebody else makes a body first, and takes the id predicted for this one.
  setup.other = () => {
    setup.other = () => [];
    return [['body.spawn', {position: [-5, 5], tag: 'theirs', shapes: [DISC]}]];
  };
  await setup.run(0.04);
  const predicted = play.made(reference);
  assert.equal(predicted.confirmed, false);
  assert.equal(play.bodies.get(predicted.id).tag, 'mine');
  await setup.run(1);
  const {id, confirmed} = play.made(reference);
  assert.ok(confirmed && id !== predicted.id);
  assert.equal(play.bodies.get(id).tag, 'mine');
  assert.equal(play.bodies.get(predicted.id).tag, 'theirs');
  setup.server.command([['body.set', {body: id, tag: 'renamed'}]]);
  await setup.run(0.5);
  assert.equal(play.bodies.get(id).tag, 'renamed');
  await setup.stop();
});

test('body_that_is_not_predicted_is_drawn_where_the_server_had_it', async (t) => {
  const setup = await setUp(t, {discs: 3});
  const {play, bodies, me} = setup;
  play.predict(bodies[2], false);
  setup.other = (tick) => tick % 40 !== 0 ? [] : [['body.impulse', {body: bodies[2], impulse: [tick % 80 === 0 ? 2 : -2, 0]}]];
  await setup.run(3);
  const {pose} = play.bodies.get(bodies[2]);
  const [, x] = play.confirmed.row(bodies[2]);
  assert.ok(Math.abs(pose.x - x) <= Math.abs(play.bodies.get(bodies[2]).vx) / 20 + 1e-6, `${pose.x} and ${x}`);
  assert.ok(play.bodies.has(me));
  await setup.stop();
});

test('check_mode_predicts_again_in_every_frame_and_finds_nothing', async (t) => {
  const setup = await setUp(t, {discs: 8, check: true});
  setup.input = pusher(setup, 13);
  await setup.run(4);
  const {check_failures: failures, rollback_count: rollbacks} = setup.play.figures;
  assert.equal(failures, 0);
  assert.ok(rollbacks > 100 || setup.inputs.filter(({firstTime}) => !firstTime).length > 1000);
  await setup.stop();
});

const FALLBACKS = [
  ['an_older_server', {server: (server) => Object.assign(server, {knowsLate: false})}, /no commands for a tick that may be over/],
  ['another_engine', {hello: {engine: 1}}, /the server's engine is 1, this one is/],
  ['an_engine_that_does_not_load', {loads: () => Promise.reject(new Error('no WebAssembly here'))}, /cannot be loaded: no WebAssembly here/],
  ['an_engine_that_does_not_predict', {engine: {exports: {}}}, /does not predict/],
  ['nobody_who_asks', {predicting: false}, /was not asked for/],
];
for (const [name, options, why] of FALLBACKS) {
  test(`with_${name}_it_goes_on_without_prediction`, async (t) => {
    const setup = await setUp(t, {discs: 2, ...options});
    const {play, server} = setup;
    assert.equal(play.predicting, false);
    assert.equal(play.reason.code, 'unavailable');
    assert.match(play.reason.message, why);
    assert.equal(play.figures, null);
    assert.equal(play.confirmed, null);
    // The same input function pushes the same disc, a round trip later.
    const {x} = play.bodies.get(setup.me).pose;
    let pushed = false;
    setup.input = (batch) => {
      if (!pushed) batch.body.impulse({body: setup.me, impulse: [3, 0]});
      pushed = true;
    };
    await setup.run(1);
    assert.equal(server.applied.length, 1);
    assert.ok(play.bodies.get(setup.me).pose.x > x + 0.2 && play.bodies.get(setup.me).tag === 'disc 0');
    assert.equal([...play.drawn()].length, 6);
    await setup.stop();
  });
}

test('options_that_are_wrong_are_told', async (t) => {
  const time = fakeTime(t);
  const client = makeClient(() => ({send() {}, end() {}, buffered: 0}));
  const wrong = [[{input: 7}, /input: expected a function, got 7/], [{inputDelay: 4}, /inputDelay: 0 to 3 ticks, got 4/],
                 [{budgetMs: NaN}, /budgetMs: milliseconds/], [{smoothingS: -1}, /smoothingS: seconds/],
                 [{events: ['bang']}, /there is no event 'bang'/]];
  for (const [options, text] of wrong) await assert.rejects(client.predict('table', options), text);
  client.close();
  await time.pass(10);
});

test('input_delay_asks_for_commands_ahead_of_what_is_shown', async (t) => {
  const setup = await setUp(t);
  const {play} = setup;
  const ahead = async () => { // ticks from the newest that was asked for to the one that is shown, after each frame
    let newest = 0;
    setup.input = (batch, tick, firstTime) => {
      if (firstTime) newest = tick;
    };
    await setup.run(1);
    return newest - play.tick;
  };
  assert.equal(await ahead(), 0);
  play.set({inputDelay: 2});
  assert.equal(await ahead(), 2);
  assert.equal(play.figures.delay, 2);
  play.set({inputDelay: 0});
  assert.equal(await ahead(), 0);
  await setup.stop();
});

// The longest way between two frames of a body that somebody else strikes, unforeseen.
async function longestJump(t, smoothingS) {
  const setup = await setUp(t, {discs: 2, smoothingS});
  const other = setup.bodies[1];
  let struck = 0;
  setup.other = (tick) => tick % 60 === 0 && struck++ < 5 ? [['body.impulse', {body: other, impulse: [0, struck % 2 === 0 ? 4 : -4]}]] : [];
  let most = 0;
  for (let i = 0; i < 300; i++) {
    const {x, y} = setup.play.bodies.get(other).pose;
    await setup.run(TICK_MS / 1000);
    const {pose} = setup.play.bodies.get(other);
    most = Math.max(most, Math.hypot(pose.x - x, pose.y - y));
  }
  await setup.stop();
  return most;
}

test('smoothing_spreads_corrections_over_frames', async (t) => {
  const [sudden, smooth] = [await longestJump(t, 0), await longestJump(t, 0.2)];
  assert.ok(sudden > 0.1 && smooth < sudden / 2, `${sudden} and ${smooth} m in one frame`);
});

test('only_bodies_that_look_otherwise_are_told_as_changed', async (t) => {
  const setup = await setUp(t, {discs: 3});
  const told = [];
  for (const name of ['add', 'change', 'remove']) setup.play.on(name, ({id}) => told.push([name, id]));
  await setup.run(0.5);
  assert.deepEqual(told.filter(([name]) => name !== 'add'), []);
  told.length = 0;
  const [, second, third] = setup.bodies;
  let commands = [['body.set', {body: second, position: [5, 5]}]]; // moved by a command, as a referee moves what was collected
  setup.other = () => commands.splice(0);
  await setup.run(0.5);
  assert.deepEqual(told, []);
  commands = [['body.set', {body: third, tag: 'red'}]];
  await setup.run(0.5);
  assert.deepEqual(told, [['change', third]]);
  await setup.stop();
});
