// The server's clock from pings, the playback of snapshots, and pauses between attempts.
import test from 'node:test';
import assert from 'node:assert/strict';

import {Playback, ServerClock} from '../src/clock.js';
import {pauseMs} from '../src/backoff.js';

// A generator that gives the same numbers in each run.
function random(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

test('clock_takes_the_ping_that_had_the_shortest_way', () => {
  const clock = new ServerClock();
  assert.ok(Number.isNaN(clock.at(0)));
  const chance = random(1);
  for (let i = 0; i < 16; i++) {
    const there = 10 + 80 * chance();
    const back = 10 + 80 * chance();
    const sent = 1000 * i;
    clock.add(sent, sent + there + back, 5 + (sent + there) / 1000);
  }
  clock.add(20000, 20020, 5 + 20.01);
  assert.equal(clock.rtt, 20);
  assert.ok(Math.abs(clock.at(30000) - 35) < 1e-9);
});

test('playback_is_smooth_and_behind_under_jitter', () => {
  const playback = new Playback();
  const chance = random(2);
  const arrivals = [];
  for (let tick = 1; tick <= 600; tick++) {
    arrivals.push([tick * (1000 / 60) + 30 + 25 * chance(), tick / 60]);
  }
  arrivals.sort((a, b) => a[0] - b[0]);
  let next = 0;
  let newest = 0;
  let last = NaN;
  let stalls = 0;
  for (let now = 0; now < 9900; now += 1000 / 60) {
    while (next < arrivals.length && arrivals[next][0] <= now) {
      newest = Math.max(newest, arrivals[next][1]);
      playback.add(now, newest);
      next++;
    }
    const shown = playback.show(now);
    if (now > 3000) {
      const step = (shown - last) * 1000;
      if (step < 1) stalls++;
      assert.ok(step < 1000 / 60 * 1.11, `${step} ms in one frame`);
      assert.ok(shown <= newest, 'ahead of what is known');
      assert.ok(now / 1000 - shown < 0.15, 'too far behind');
    }
    last = shown;
  }
  assert.ok(stalls < 10, `${stalls} frames stood still`);
});

test('playback_waits_while_the_world_is_paused_and_goes_on', () => {
  const playback = new Playback();
  let time = 0;
  let now = 0;
  const run = (ms) => {
    for (let i = 0; i < ms / 20; i++) {
      now += 20;
      time += 0.02;
      playback.add(now, time);
      playback.show(now);
    }
  };
  run(2000);
  for (let i = 0; i < 100; i++) playback.show(now += 20);
  assert.equal(playback.show(now), time);
  const before = playback.show(now);
  run(1000);
  const shown = playback.show(now);
  assert.ok(shown > before + 0.8 && shown <= time, `${shown} of ${time}`);
});

test('playback_follows_a_world_whose_time_went_back', () => {
  const playback = new Playback();
  for (let i = 0; i < 100; i++) {
    playback.add(20 * i, 10 + 0.02 * i);
    playback.show(20 * i);
  }
  for (let i = 0; i < 50; i++) {
    playback.add(2000 + 20 * i, 0.02 * i);
    playback.show(2000 + 20 * i);
  }
  assert.ok(playback.show(3000) < 1.1);
});

test('pauses_grow_to_the_longest_and_half_is_chance', () => {
  assert.deepEqual([0, 1, 2, 3, 9].map((n) => pauseMs(n, {}, 1)), [100, 200, 400, 800, 5000]);
  assert.equal(pauseMs(3, {}, 0), 400);
  assert.equal(pauseMs(1000, {maxMs: 7000}, 1), 7000);
});
