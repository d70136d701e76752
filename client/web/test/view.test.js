// The picture of a world: rows, gaps, descriptions, and places between snapshots.
import test from 'node:test';
import assert from 'node:assert/strict';
import v8 from 'node:v8';
import vm from 'node:vm';

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

// Snapshots at every tick without jitter, then the view at a local time.
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

// As in a hidden tab: snapshots come, and nobody draws.
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
  // It is seen again: what it keeps is enough to go on smoothly.
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
