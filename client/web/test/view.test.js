// The picture of a world: rows, gaps, descriptions, and places between snapshots.
import test from 'node:test';
import assert from 'node:assert/strict';
import v8 from 'node:v8';
import vm from 'node:vm';

import {CaromError} from '../src/errors.js';
import {Subscription} from '../src/subscription.js';
import {WorldView} from '../src/view.js';

const HZ = 50;

function snapshot(tick, rows, more = {}) {
  return {subscription: 1, world: 'lab', epoch: 1, tick, time: tick / HZ, full: false, bodies: rows,
          removed: [], events: [], hash: new Uint8Array(8), ...more};
}

const row = (id, x, y = 0, angle = 0) => [id, x, y, angle, 1, 2, 3];
const map = (id, more = {}) => ({body: id, type: 'dynamic', position: [id, 0], angle: 0,
                                 velocity: [0, 0], angular_velocity: 0, tag: '', shapes: [], ...more});

// Applies snapshots of every tick without jitter, then advances the view to a local time.
function playedTo(view, ms) {
  let time = 0;
  for (let now = 0; now <= ms; now += 5) time = view.advance(now);
  return time;
}

test('rows_removals_and_views_make_the_picture', () => {
  const view = new WorldView();
  view.apply(snapshot(1, [row(1, 0), row(2, 5), row(3, 7)], {full: true}), 20);
  view.apply(snapshot(2, [row(2, 6)], {removed: [1], leave: [3]}), 40);
  assert.deepEqual([...view.bodies.keys()], [2]);
  const body = view.bodies.get(2);
  assert.deepEqual([body.x, body.vx, body.vy, body.w], [6, 1, 2, 3]);
  assert.equal(view.tick, 2);
});

test('full_forgets_what_it_does_not_name', () => {
  const view = new WorldView();
  view.apply(snapshot(1, [row(1, 0), row(2, 5)], {full: true}), 20);
  const kept = view.bodies.get(2);
  view.apply(snapshot(9, [row(2, 6)], {full: true}), 180);
  assert.deepEqual([...view.bodies.keys()], [2]);
  assert.equal(view.bodies.get(2), kept);
});

test('another_epoch_is_another_world', () => {
  const view = new WorldView();
  view.apply(snapshot(9, [row(1, 0)], {full: true, joints: [{joint: 4}]}), 20);
  const old = view.bodies.get(1);
  view.apply(snapshot(1, [row(1, 8)], {full: true, epoch: 2}), 40);
  assert.notEqual(view.bodies.get(1), old);
  assert.equal(view.joints.size, 0);
});

test('descriptions_say_what_to_draw', () => {
  const view = new WorldView();
  const shapes = [{shape: 1, kind: 'circle', radius: 1}];
  view.apply(snapshot(1, [], {full: true, spawned: [map(1, {shapes, tag: 'a'})],
                              joints: [{joint: 7}, {joint: 8}], view: [0, 0, 1, 1]}), 20);
  const body = view.bodies.get(1);
  assert.deepEqual([body.x, body.type, body.tag, body.shapes], [1, 'dynamic', 'a', shapes]);
  assert.deepEqual(view.area, [0, 0, 1, 1]);
  const before = body.version;
  view.apply(snapshot(2, [], {spawned: [map(1, {tag: 'b'})], joints_removed: [7]}), 40);
  assert.equal(body.tag, 'b');
  assert.ok(body.version > before);
  assert.deepEqual([...view.joints.keys()], [8]);
});

test('data_are_the_newest_values_by_key', () => {
  const view = new WorldView();
  view.apply(snapshot(1, [], {full: true, data: {a: 1, b: [2]}}), 20);
  view.apply(snapshot(2, [], {data: {a: null, c: {x: 3}}}), 40);
  assert.deepEqual([...view.data], [['b', [2]], ['c', {x: 3}]]);
  view.apply(snapshot(3, []), 60);
  assert.equal(view.data.size, 2);
  view.apply(snapshot(4, [], {full: true, data: {}}), 80);
  assert.equal(view.data.size, 0);
});

test('messages_are_told_apart_from_other_events', () => {
  const told = [];
  const subscription = new Subscription(null, {world: 'lab', events: ['message', 'spawn']}, {});
  const message = {kind: 'message', tick: 1, name: 'chat', data: {text: 'hi'}, session: 7, subject: 'ada'};
  subscription.on('message', (m) => told.push(m));
  subscription.on('event', (e) => told.push(e.kind));
  subscription.release();
  subscription.take(snapshot(1, [], {full: true, events: [{kind: 'spawn', tick: 1, a: 3}, message]}), 20);
  assert.deepEqual(told, ['spawn', 'message', message]);
});

test('joins_and_leaves_are_told_by_their_names', () => {
  const told = [];
  const subscription = new Subscription(null, {world: 'arena-1', events: ['join', 'leave']}, {});
  const join = {kind: 'join', tick: 1, seat: 2, session: 7, subject: 'ada', data: {name: 'Ada'}};
  const leave = {kind: 'leave', tick: 1, seat: 2, session: 7, subject: 'ada'};
  for (const kind of ['join', 'leave', 'message']) subscription.on(kind, (event) => told.push([kind, event]));
  subscription.release();
  subscription.take(snapshot(1, [], {full: true, events: [join, leave]}), 20);
  assert.deepEqual(told, [['join', join], ['leave', leave]]);
});

test('data_that_are_a_map_are_no_packed_snapshot', () => {
  const told = [];
  const subscription = new Subscription(null, {world: 'lab', data: true}, {});
  subscription.on('snapshot', (s) => told.push(s.data));
  subscription.release();
  subscription.take(snapshot(1, [], {full: true, data: {k: 1}}), 20);
  assert.deepEqual(told, [{k: 1}]);
  assert.equal(subscription.view.data.get('k'), 1);
});

test('poses_lie_between_two_snapshots', () => {
  const view = new WorldView();
  for (let tick = 1; tick <= 50; tick++) {
    view.apply(snapshot(tick, [row(1, tick)], {full: tick === 1}), tick * 20);
    view.advance(tick * 20 + 10);
  }
  const time = view.advance(1015);
  const {pose} = view.bodies.get(1);
  assert.ok(time < 1 && time > 0.9);
  assert.ok(Math.abs(pose.x - time * HZ) < 1e-6, `${pose.x} at ${time * HZ}`);
  assert.notEqual(pose.x, Math.round(pose.x));
});

test('angles_turn_the_short_way', () => {
  const view = new WorldView();
  view.apply(snapshot(1, [row(1, 0, 0, 3.1)], {full: true}), 20);
  view.apply(snapshot(2, [row(1, 0, 0, -3.1)]), 40);
  for (let now = 20; now < 50; now += 1) {
    view.advance(now);
    assert.ok(Math.abs(view.bodies.get(1).pose.angle) > 3.09);
  }
});

test('body_that_rested_starts_from_its_place_and_not_earlier', () => {
  const view = new WorldView();
  view.apply(snapshot(1, [row(1, 0), row(2, 0)], {full: true}), 20);
  for (let tick = 2; tick <= 40; tick++) view.apply(snapshot(tick, [row(2, tick)]), tick * 20);
  view.apply(snapshot(41, [row(1, 10), row(2, 41)]), 820);
  const body = view.bodies.get(1);
  body.poseAt(0.5);
  assert.equal(body.pose.x, 0);
  body.poseAt(40.5 / HZ);
  assert.ok(Math.abs(body.pose.x - 5) < 1e-9);
});

test('bodies_are_drawn_from_their_first_shown_time_to_their_last', () => {
  const view = new WorldView();
  for (let tick = 1; tick <= 30; tick++) {
    const rows = tick >= 20 ? [row(1, tick), row(2, 0)] : [row(1, tick)];
    view.apply(snapshot(tick, rows, {full: tick === 1, removed: tick === 30 ? [1] : []}), tick * 20);
    view.advance(tick * 20);
    const ids = [...view.drawn()].map((body) => body.id).sort();
    assert.equal(ids.includes(2), view.shownTime >= 20 / HZ, `tick ${tick}`);
    assert.equal(ids.includes(1), view.shownTime < 30 / HZ);
  }
  assert.ok(!view.bodies.has(1));
  for (let now = 600; now < 900; now += 10) view.advance(now);
  assert.deepEqual([...view.drawn()].map((body) => body.id), [2]);
});

// As in a hidden tab: snapshots arrive, and nothing is drawn.
test('view_that_is_not_drawn_keeps_no_body_that_is_gone', async () => {
  v8.setFlagsFromString('--expose-gc');
  const collect = vm.runInNewContext('gc');
  const view = new WorldView();
  const bodies = [];
  for (let tick = 1; tick <= 20 * HZ; tick++) {
    const removed = tick > 1 ? [tick - 1] : [];
    view.apply(snapshot(tick, [row(tick, 0), row(1e6, tick)], {full: tick === 1, removed}), tick * 20);
    bodies.push(new WeakRef(view.bodies.get(tick)));
    assert.ok(view.departed <= 2.5 * HZ, `${view.departed} kept at tick ${tick}`);
  }
  await new Promise((resolve) => setImmediate(resolve));
  collect();
  const alive = bodies.filter((body) => body.deref() !== undefined).length;
  assert.ok(alive <= 2.5 * HZ + 1, `${alive} of ${bodies.length} bodies are in memory`);
  // The tab is visible again: the kept samples suffice to continue smoothly.
  view.advance(20 * HZ * 20);
  assert.ok([...view.drawn()].length >= 1);
});

test('bodies_that_are_gone_and_still_drawn_are_bounded', () => {
  const view = new WorldView();
  const rows = Array.from({length: 20000}, (_, i) => row(i + 1, i));
  view.apply(snapshot(1, rows, {full: true}), 20);
  view.apply(snapshot(2, [], {removed: rows.map(([id]) => id)}), 40);
  assert.equal(view.departed, 16384);
  playedTo(view, 400);
  assert.equal(view.departed, 0);
});

test('events_wait_until_their_time_is_shown', () => {
  const view = new WorldView();
  for (let tick = 1; tick <= 10; tick++) {
    const events = tick === 10 ? [{kind: 'begin', tick: 10, a: 1, b: 2}] : [];
    view.apply(snapshot(tick, [], {full: tick === 1, events}), tick * 20);
    view.advance(tick * 20);
  }
  assert.deepEqual(view.takeEvents(), []);
  playedTo(view, 400);
  assert.equal(view.takeEvents().length, 1);
  assert.equal(view.takeEvents().length, 0);
});

test('events_that_nobody_takes_are_bounded', () => {
  const view = new WorldView();
  const events = new Array(5000).fill({kind: 'begin', tick: 1});
  view.apply(snapshot(1, [], {full: true, events}), 20);
  view.advance(100);
  assert.equal(view.takeEvents().length, 4096);
  assert.equal(view.eventsLost, 904);
});

test('resting_bodies_cost_nothing_in_advance', () => {
  const view = new WorldView();
  const rows = Array.from({length: 1000}, (_, i) => row(i + 1, i));
  view.apply(snapshot(1, rows, {full: true}), 20);
  for (let tick = 2; tick <= 60; tick++) view.apply(snapshot(tick, []), tick * 20);
  playedTo(view, 1300);
  let touched = 0;
  const body = view.bodies.get(5);
  body.poseAt = () => {
    touched++;
    return false;
  };
  view.advance(1320);
  assert.equal(touched, 0);
});

test('snapshots_left_out_and_events_lost_are_counted', () => {
  const watched = new Subscription(null, {world: 'lab'}, {});
  watched.release();
  watched.take(snapshot(1, [row(1, 0)], {full: true}), 20);
  assert.equal(watched.eventsLost, 0);
  watched.take(snapshot(9, [], {skipped: 7, events_lost: 30}), 40);
  watched.take(snapshot(10, [], {events_lost: 3}), 60);
  assert.equal(watched.skipped, 7);
  assert.equal(watched.eventsLost, 33);
});

// Moves a body by the function at(time) -> [x, y, vx, vy], sent at 20 Hz and drawn at 60 Hz with predictive
// interpolation; `held(ms)`: whether a snapshot that is due then is delayed. Calls seen(time, body, at(time)) for each
// frame; the delay is 40 ms.
function drawPredictively(at, seconds, seen, {held = () => false, rttMs = 80} = {}) {
  const view = new WorldView({interpolation: 'predictive'});
  view.rttMs = rttMs;
  let waiting = [];
  for (let now = 0, frame = 0; now < seconds * 1000; now = ++frame * 1000 / 60) {
    for (let due = Math.ceil((now - 1000 / 60) / 50) * 50; due <= now; due += 50) {
      const time = due / 1000;
      const [x, y, vx, vy] = at(time);
      waiting.push({...snapshot(due / 20, [[1, x, y, 0, vx, vy, 0]], {full: due === 0}), time});
    }
    if (!held(now)) for (const told of waiting.splice(0)) view.apply(told, now + 40);
    const time = view.advance(now + 40);
    const body = view.bodies.get(1);
    if (body) seen(time, body, at(time));
  }
}

test('predictive_interpolation_draws_the_present_without_any_delay', () => {
  let worst = 0;
  drawPredictively((time) => [3 * time, 0, 3, 0], 3, (time, {pose}, [x]) => {
    worst = Math.max(worst, Math.abs(pose.x - x));
  });
  assert.ok(worst < 1e-9, `${worst} m off`);
});

test('predictive_interpolation_corrects_a_bounce_on_a_curve', () => {
  const wall = 1.505; // s: the velocity reverses between two snapshots
  const at = (time) => time < wall ? [4 * time, 0, 4, 0] : [4 * (2 * wall - time), 0, -4, 0];
  let last = 0;
  let step = 0;
  const off = new Map();
  drawPredictively(at, 3, (time, {pose}, [x]) => {
    step = Math.max(step, Math.abs(pose.x - last));
    last = pose.x;
    off.set(Math.round((time - wall) * 60), Math.abs(pose.x - x));
  });
  assert.ok(step < 4 / 60 * 3, `a jump of ${step} m`);
  assert.ok(Math.max(...off.values()) > 0.1, 'nobody can know of the wall before');
  assert.ok(off.get(15) < 0.05 && off.get(40) < 0.002, `${off.get(15)} m after 250 ms, ${off.get(40)} m after 670 ms`);
});

test('predictive_interpolation_carries_a_body_on_for_three_quarters_of_a_second', () => {
  let stopped = 0;
  drawPredictively((time) => [2 * time, 0, 2, 0], 4, (time, {pose}) => {
    if (time > 2 && time < 3.9) stopped = pose.x;
  }, {held: (now) => now > 1001 && now < 3950});
  assert.ok(Math.abs(stopped - 2 * (1 + 0.75)) < 1e-9, `at ${stopped} m`);
});

test('predictive_interpolation_jumps_after_a_teleport', () => {
  drawPredictively((time) => time < 1 ? [time, 0, 1, 0] : [50 + time, 9, 1, 0], 2, (time, {pose}) => {
    assert.ok(pose.x < 1.1 || pose.x >= 51, `drawn at ${pose.x} m, where it never was`);
  });
});

test('predictive_interpolation_snaps_where_less_than_half_of_the_way_is_covered', () => {
  // A curve so narrow that corrections over a round trip of half a second never catch up.
  const at = (time) => [Math.cos(8 * time), Math.sin(8 * time), -8 * Math.sin(8 * time), 8 * Math.cos(8 * time)];
  let sum = 0;
  let count = 0;
  drawPredictively(at, 6, (time, {pose}, [x, y]) => {
    if (time < 1) return;
    sum += Math.hypot(pose.x - x, pose.y - y);
    count++;
  }, {rttMs: 500});
  assert.ok(sum / count < 0.05, `${sum / count} m off on average`);
});

test('predictive_interpolation_leaves_a_body_where_it_came_to_rest', () => {
  const view = new WorldView({interpolation: 'predictive'});
  for (let tick = 1; tick <= 150; tick++) {
    const rows = tick <= 20 ? [row(1, tick)] : [];
    view.apply(snapshot(tick, [...rows, row(2, tick)], {full: tick === 1}), tick * 20);
    view.advance(tick * 20 + 3);
    if (tick > 25) assert.ok(view.bodies.get(1).pose.x < 20.1, `carried on to ${view.bodies.get(1).pose.x}`);
  }
  assert.deepEqual({...view.bodies.get(1).pose}, {x: 20, y: 0, angle: 0});
  assert.throws(() => new WorldView({interpolation: 'none'}), /'delayed' or 'predictive'/);
});

// ---- the shown world

// Collects the events of a view or a prediction as texts: 'add 1'.
function toldBy(emitter) {
  const told = [];
  for (const name of ['add', 'change', 'remove']) emitter.on(name, ({id}) => told.push(`${name} ${id}`));
  return told;
}

test('bodies_are_told_when_they_are_drawn', () => {
  const view = new WorldView();
  const told = toldBy(view);
  const frames = (from, to) => {
    for (let now = from; now < to; now += 5) view.advance(now);
    return told.splice(0);
  };
  view.apply(snapshot(1, [row(1, 0), row(2, 5)], {full: true, spawned: [map(1), map(2)]}), 20);
  assert.deepEqual(told, []); // nothing is drawn yet
  assert.deepEqual(frames(20, 40), ['add 1', 'add 2']);
  view.apply(snapshot(2, [row(1, 1), row(3, 7)], {spawned: [map(3)], removed: [2]}), 40);
  assert.deepEqual(frames(40, 45), []); // the past is drawn
  assert.deepEqual(frames(45, 200), ['remove 2', 'add 3']);
  view.apply(snapshot(3, [], {spawned: [map(1, {tag: 'red'})]}), 200);
  assert.deepEqual(frames(200, 210), ['change 1']);
  view.apply(snapshot(1, [row(9, 0)], {full: true, epoch: 2}), 210);
  assert.deepEqual(frames(210, 300), ['remove 1', 'remove 3', 'add 9']); // another world
});

test('a_body_that_is_only_moved_is_not_told_as_changed', () => {
  const view = new WorldView();
  const told = toldBy(view);
  view.apply(snapshot(1, [row(1, 0)], {full: true, spawned: [map(1)]}), 20);
  view.advance(25);
  const {version} = view.bodies.get(1);
  const moved = {position: [3, 0], angle: 1, velocity: [1, 1], angular_velocity: 2, center: [3, 0], force: [1, 0], torque: 1, awake: false};
  view.apply(snapshot(2, [], {spawned: [map(1, moved)]}), 40);
  view.advance(1000);
  assert.deepEqual([told, view.bodies.get(1).version - version], [['add 1'], 0]);
  assert.deepEqual(view.bodies.get(1).description.position, [3, 0]);
  for (const looks of [{tag: 'red'}, {tag: 'red', owner: 'ada'}, {shapes: [{shape: 1, kind: 'circle', radius: 1}]}, {type: 'static'}]) {
    told.length = 0;
    view.apply(snapshot(view.tick + 1, [], {spawned: [map(1, looks)]}), 1000);
    view.advance(2000);
    assert.deepEqual(told, ['change 1'], JSON.stringify(looks));
  }
});

test('a_body_that_comes_and_goes_undrawn_is_not_told', () => {
  const view = new WorldView();
  const told = toldBy(view);
  view.apply(snapshot(1, [row(1, 0)], {full: true}), 20);
  view.advance(25);
  view.apply(snapshot(2, [row(2, 0)]), 40);
  view.apply(snapshot(3, [], {removed: [2]}), 60);
  view.advance(1000); // a frame that is longer than the body's life
  assert.deepEqual(told, ['add 1']);
});

test('a_late_listener_is_told_of_all', () => {
  const view = new WorldView();
  view.apply(snapshot(1, [row(1, 0), row(2, 0)], {full: true}), 20);
  view.advance(25);
  const told = toldBy(view);
  view.advance(30);
  assert.deepEqual(told, ['add 1', 'add 2']);
});

// ---- loops over a subscription

function begunSubscription() {
  const subscription = new Subscription({clock: {rtt: 0}, unsubscribe: async (one) => one.end(new CaromError('closed', 'ended here'))}, {world: 'lab'});
  subscription.release();
  return subscription;
}

test('a_loop_takes_snapshots_and_events_in_order', async () => {
  const subscription = begunSubscription();
  const ticks = [];
  const kinds = [];
  const snapshots = (async () => {
    for await (const {tick} of subscription) ticks.push(tick);
  })();
  const events = (async () => {
    for await (const {kind, tick} of subscription.events()) kinds.push(`${kind} ${tick}`);
  })();
  for (let tick = 1; tick <= 3; tick++) {
    subscription.take(snapshot(tick, [], {full: tick === 1, events: [{kind: 'begin', tick}, {kind: 'end', tick}]}), 20 * tick);
    if (tick === 2) await new Promise(setImmediate);
  }
  await subscription.unsubscribe();
  await Promise.all([snapshots, events]);
  assert.deepEqual(ticks, [1, 2, 3]);
  assert.deepEqual(kinds, ['begin 1', 'end 1', 'begin 2', 'end 2', 'begin 3', 'end 3']);
  for await (const {tick} of subscription) assert.fail(`${tick} after the end`);
});

test('a_loop_throws_what_ended_its_subscription', async () => {
  const subscription = begunSubscription();
  const loop = subscription[Symbol.asyncIterator]();
  subscription.take(snapshot(1, [], {full: true}), 20);
  subscription.end(new CaromError('not_found', "world 'lab' was destroyed"));
  assert.equal((await loop.next()).value.tick, 1);
  await assert.rejects(loop.next(), {code: 'not_found'});
  assert.deepEqual(await loop.next(), {done: true, value: undefined});
});

test('leaving_a_loop_leaves_the_subscription', async () => {
  const subscription = begunSubscription();
  const waiting = subscription[Symbol.asyncIterator]();
  const answer = waiting.next();
  subscription.take(snapshot(1, [], {full: true}), 20);
  assert.equal((await answer).value.tick, 1);
  const last = waiting.next();
  await waiting.return();
  assert.equal((await last).done, true);
  assert.equal(subscription.hears('snapshot', 'event', 'ended'), false);
  assert.equal(subscription.error, null);
});

test('a_loop_that_takes_nothing_is_ended_at_its_bound', async () => {
  const subscription = begunSubscription();
  const loop = subscription[Symbol.asyncIterator]();
  for (let tick = 1; tick <= 1025; tick++) subscription.take(snapshot(tick, [], {full: tick === 1}), 20 * tick);
  await assert.rejects(loop.next(), {code: 'limit_exceeded', message: /more than 1024 waited/});
  assert.equal(subscription.hears('snapshot'), false);
});
