// The server's clock from pings, the playback of snapshots, and pauses between attempts.
import test from 'node:test';
import assert from 'node:assert/strict';

import {ServerClock} from '../src/clock.js';
import {Playback} from '../src/playback.js';
import {pauseMs} from '../src/backoff.js';
import {random} from './random.js';

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

const HOUR_MS = 3.6e6;
const PAUSE_MS = 600000; // pause without pings, at the beginning of each hour but the first

// Simulates a server whose clock runs faster by `rate`, and pings it for `hours` as the heartbeat does: 20 ms and some
// jitter each way, and one message in fifty held back by 300 ms. With `sleepMs` there are no pauses: instead, the local
// clock stops for this time. Calls seen(now, time, error) twice a second: the clock's time and its error [ms].
function pingForHours({hours, rate, sleepMs = 0}, seen) {
  const clock = new ServerClock();
  const chance = random(3);
  const way = () => 20 - 4 * Math.log(1 - chance()) + (chance() < 0.02 ? 300 : 0);
  let slept = 0;
  const server = (local) => 7e6 + (local + slept) * (1 + rate);
  let next = 0;
  for (let now = 0; now < hours * HOUR_MS; now += 500) {
    if (now > 0 && now % HOUR_MS === 0) {
      next = sleepMs > 0 ? now : now + PAUSE_MS;
      slept += sleepMs;
    }
    if (now >= next) {
      const there = now + way();
      clock.add(now, there + way(), server(there) / 1000);
      next = now + 2000;
    }
    const time = clock.at(now + 499) * 1000; // pings have been answered by then
    seen(now, time, time - server(now + 499));
  }
  return clock;
}

for (const ppm of [200, 30, -200]) {
  test(`clock_does_not_drift_in_six_hours_at_${ppm}_ppm`, () => {
    let last = -Infinity;
    let early = 0;
    let late = 0;
    const clock = pingForHours({hours: 6, rate: ppm * 1e-6}, (now, time, error) => {
      assert.ok(time > last, `the time ran backward at ${now}`);
      last = time;
      if (now < HOUR_MS / 6) early = Math.max(early, Math.abs(error));
      else late = Math.max(late, Math.abs(error));
    });
    assert.ok(early < 10, `${early} ms wrong in the first ten minutes`);
    assert.ok(late < 5, `${late} ms wrong later, pauses of ten minutes included`);
    assert.ok(Math.abs(clock.rate - ppm * 1e-6) < 5e-6, `rate ${clock.rate}`);
  });
}

test('clock_that_stood_still_while_the_machine_slept_is_right_after_one_ping', () => {
  let most = 0;
  pingForHours({hours: 3, rate: 100e-6, sleepMs: 5000}, (now, time, error) => {
    if (now < HOUR_MS || now % HOUR_MS > 0) most = Math.max(most, Math.abs(error));
  });
  // One ping may be held back by 300 ms one way, which no clock can tell from an offset.
  assert.ok(most < 160, `${most} ms wrong`);
});

for (const ppm of [200, -200]) {
  test(`playback_keeps_its_distance_for_four_hours_at_${ppm}_ppm`, () => {
    const playback = new Playback();
    const chance = random(4);
    const behind = []; // for each quarter of an hour: how far the shown time was behind the newest, at arrivals
    let arrival = 0;
    for (let tick = 0; tick < 4 * 3600 * 20; tick++) {
      const sent = 50 * tick;
      const late = 10 * chance() + (chance() < 0.01 ? 150 : 0);
      arrival = Math.max(arrival, sent * (1 - ppm * 1e-6) + 30 + late);
      if (tick % 18000 > 17000) continue; // a pause of 50 s
      playback.add(arrival, sent / 1000);
      const shown = playback.show(arrival);
      if (tick % 18000 === 1000) behind.push([]);
      if (tick % 18000 > 1000) behind.at(-1).push(sent / 1000 - shown);
    }
    assert.equal(behind.length, 16);
    for (const quarter of behind) {
      const mean = quarter.reduce((sum, value) => sum + value, 0) / quarter.length;
      assert.ok(mean > 0.04 && mean < 0.09 && Math.max(...quarter) < 0.25, `${mean} s, at most ${Math.max(...quarter)} s`);
    }
  });
}

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
