// A simulated distance in the program itself: when bytes arrive, in which order, and its effect on a client.
import test from 'node:test';
import assert from 'node:assert/strict';

import {makeClient} from '../src/index.js';
import {Way, distantTransport} from '../src/distance.js';
import {FakeServer, welcome} from './fake_server.js';
import {fakeTime} from './fake_time.js';

test('arrivals_are_in_order_within_the_jitter_and_the_same_for_a_seed', () => {
  const draw = (seed) => {
    const way = new Way({delayMs: 50, jitterMs: 10, seed});
    return Array.from({length: 500}, (_, i) => way.arrival(20 * i, 100) - 20 * i);
  };
  const late = draw(7);
  assert.deepEqual(late, draw(7));
  assert.notDeepEqual(late, draw(8));
  assert.ok(Math.min(...late) >= 40 && Math.max(...late) <= 60, `${Math.min(...late)} to ${Math.max(...late)}`);
});

test('lost_segment_holds_back_everything_behind_it', () => {
  const way = new Way({delayMs: 50, stall: 0.02});
  const at = Array.from({length: 5000}, (_, i) => way.arrival(10 * i, 1448));
  for (let i = 1; i < at.length; i++) assert.ok(at[i] >= at[i - 1]);
  const stalls = at.filter((time, i) => time - (at[i - 1] ?? 0) >= 100).length;
  assert.ok(stalls > 50 && stalls < 150, `${stalls} stalls of 100 expected`);
  const large = new Way({delayMs: 50, stall: 1, stallMs: 7});
  assert.equal(large.arrival(0, 3 * 1448), 50 + 3 * 7);
});

test('call_over_a_distance_takes_both_ways_and_a_slider_changes_it', async (t) => {
  const time = fakeTime(t);
  const server = new FakeServer((method) => method === 'hello' ? welcome() : {});
  const distance = {delayMs: 30};
  const client = makeClient(server.open, {distance});
  await time.pass(89);
  assert.equal(client.state, 'connecting');
  await time.pass(10); // open, hello and its answer: three times the delay
  assert.equal(client.state, 'open');
  distance.delayMs = 200;
  let answered = false;
  client.call('world.list').then(() => {
    answered = true;
  });
  await time.pass(399);
  assert.equal(answered, false);
  assert.equal(server.of('world.list').length, 1);
  await time.pass(5);
  assert.equal(answered, true);
  client.close();
  await time.pass(500);
  assert.equal(server.of('goodbye').length, 1);
});

test('what_was_sent_before_the_end_still_arrives_and_nothing_comes_after_it', async (t) => {
  const time = fakeTime(t);
  const seen = [];
  let far;
  const open = distantTransport((handlers) => {
    far = handlers;
    return {buffered: 0, send: (bytes) => seen.push(bytes[0]), end: () => seen.push('end')};
  }, {delayMs: 20});
  const near = open({open() {}, data: () => seen.push('data'), close: () => seen.push('close')});
  near.send(Uint8Array.of(1));
  assert.equal(near.buffered, 1);
  near.end();
  far.data(Uint8Array.of(2));
  await time.pass(100);
  assert.deepEqual(seen, [1, 'end']);
  assert.equal(near.buffered, 0);
});

test('distance_that_is_none_is_told', () => {
  assert.throws(() => makeClient(() => {}, {distance: {delayMs: -1}}), /delayMs: 0 to 60000, got -1/);
  assert.throws(() => makeClient(() => {}, {distance: {stall: 2}}), /stall: 0 to 1, got 2/);
  assert.throws(() => makeClient(() => {}, {distance: {jitterMs: NaN}}), /jitterMs: .* got NaN/);
});
