// The rows of tests/unit/client/interpolation_scenarios.txt, which libcarom's tests run too: views and clocks of both
// clients give the same numbers. That file explains the rows.
import test from 'node:test';
import assert from 'node:assert/strict';
import {readFile} from 'node:fs/promises';

import {ServerClock} from '../src/clock.js';
import {WorldView} from '../src/view.js';

const CLOSE = 1e-6; // relative difference of two correct implementations
const FRAME_MS = 1000 / 60;
const PING_MS = 2000;
const FIELDS = ['seed', 'hz', 'every', 'delay', 'jitter', 'stall', 'ppm', 'mode', 'extra', 'quiet', 'seconds'];
const FIGURES = ['frames', 'shown', 'drawn', 'poses', 'events', 'lateness', 'delayMs', 'clockMs', 'rttMs'];

const SCENARIOS = (await readFile(new URL('../../../tests/unit/client/interpolation_scenarios.txt', import.meta.url), 'utf8'))
  .split('\n').filter((line) => line !== '' && !line.startsWith('#')).map((line) => {
    const words = line.trim().split(/\s+/);
    const read = (names, from) => Object.fromEntries(names.map((name, i) => [name, name === 'mode' ? words[from + i] : Number(words[from + i])]));
    return {given: read(FIELDS, 0), expected: read(FIGURES, FIELDS.length), words: words.length};
  });

class Chance {
  constructor(seed) {
    this.state = seed >>> 0;
  }

  next() {
    this.state = (Math.imul(this.state, 1664525) + 1013904223) >>> 0;
    return this.state / 2 ** 32;
  }
}

// ---- the world: three bodies whose places follow from the tick

const turned = (angle) => angle - 2 * Math.PI * Math.floor(angle / (2 * Math.PI) + 0.5);

// Moves back and forth, rotating.
function shuttle(tick, hz) {
  const phase = tick % 200;
  return [1, phase < 100 ? 0.05 * phase : 0.05 * (200 - phase), 1, turned(0.1 * tick), phase < 100 ? 0.05 * hz : -0.05 * hz, 0, 0.1 * hz];
}

// Moves for 40 ticks of 100, then rests.
function walker(tick, hz) {
  const phase = tick % 100;
  return [2, 0.1 * (40 * Math.floor(tick / 100) + Math.min(phase, 40)), 2, 0, phase < 40 ? 0.1 * hz : 0, 0, 0];
}

// Exists for 80 ticks of 150, each time as another body, and jumps elsewhere in between.
function guest(tick, hz) {
  const phase = tick % 150;
  const x = 0.02 * phase + (phase >= 70 ? 10 : 0);
  return phase >= 30 && phase < 110 ? [100 + Math.floor(tick / 150), x, 3, 0, 0.02 * hz, 0, 0] : null;
}

// Null: it is left out, since nothing moved.
function quietSnapshotAt(tick, {hz, every}) {
  const full = tick === every;
  const moved = walker(tick, hz)[1] !== walker(tick - every, hz)[1];
  if (!full && !moved && tick % hz >= every) return null;
  const events = moved && tick % 100 <= every ? [{kind: 'begin', tick, a: 1, b: 2}] : [];
  return {subscription: 1, world: 'lab', epoch: 1, tick, time: tick / hz, full, bodies: full || moved ? [walker(tick, hz)] : [], events, removed: []};
}

function snapshotAt(tick, {hz, every}) {
  const full = tick === every;
  const before = tick - every;
  const bodies = [shuttle(tick, hz)];
  if (full || walker(tick, hz)[1] !== walker(before, hz)[1]) bodies.push(walker(tick, hz));
  const now = guest(tick, hz);
  const was = guest(before, hz);
  if (now) bodies.push(now);
  const events = [];
  for (let at = before + 1; at <= tick; at++) if (at % 25 === 0) events.push({kind: 'begin', tick: at, a: 1, b: 2});
  return {subscription: 1, world: 'lab', epoch: 1, tick, time: tick / hz, full, bodies, events,
          removed: was && was[0] !== now?.[0] ? [was[0]] : []};
}

// ---- a run

class Run {
  #sums = {shown: 0, drawn: 0, poses: 0, lateness: 0, delayMs: 0, clockMs: 0, rttMs: 0};
  #frames = 0;
  #events = 0;

  constructor(given) {
    this.given = given;
    this.scale = 1 - given.ppm * 1e-6; // local time for a second of the server's
    this.chance = new Chance(given.seed);
    this.clock = new ServerClock();
    this.view = new WorldView({extraDelayMs: given.extra, interpolation: given.mode});
    this.tick = given.every;
    this.arrival = this.#nextArrival(0);
    this.pinged = 0;
  }

  #way() {
    const {delay, jitter, stall} = this.given;
    const late = jitter * this.chance.next();
    return delay + late + (this.chance.next() < stall ? 2 * delay + 10 : 0);
  }

  #nextArrival(last) {
    return Math.max(last, this.tick / this.given.hz * 1000 * this.scale + this.#way());
  }

  #ping(now) {
    const there = this.#way();
    const back = this.#way();
    this.clock.add(now, now + there + back, 1000 + (now + there) / 1000 / this.scale);
    this.pinged = now + PING_MS;
  }

  frame(now) {
    if (now >= this.pinged) this.#ping(now);
    while (this.arrival <= now) {
      const snapshot = this.given.quiet ? quietSnapshotAt(this.tick, this.given) : snapshotAt(this.tick, this.given);
      if (snapshot) this.view.apply(snapshot, this.arrival);
      this.tick += this.given.every;
      this.arrival = this.#nextArrival(this.arrival);
    }
    this.view.rttMs = this.clock.rtt;
    const shown = this.view.advance(now);
    if (!Number.isNaN(shown)) this.#note(now, shown);
  }

  #note(now, shown) {
    const sums = this.#sums;
    this.#frames++;
    sums.shown += shown;
    sums.delayMs += this.given.mode === 'delayed' ? this.view.playback.delay : 0;
    sums.clockMs += this.clock.at(now) * 1000 - 1e6 - now / this.scale;
    sums.rttMs += this.clock.rtt;
    for (const {id, pose} of this.view.drawn()) {
      sums.drawn += 1;
      sums.poses += 0.001 * id + pose.x + 2 * pose.y + 3 * Math.sin(pose.angle);
    }
    for (const {tick} of this.view.takeEvents()) {
      this.#events++;
      sums.lateness += shown - tick / this.given.hz;
    }
  }

  // Means of all frames; `lateness` of all events [s].
  figures() {
    const {lateness, ...sums} = this.#sums;
    const means = Object.fromEntries(Object.entries(sums).map(([name, sum]) => [name, sum / this.#frames]));
    return {...means, frames: this.#frames, events: this.#events, lateness: lateness / this.#events};
  }
}

function run(given) {
  const one = new Run(given);
  for (let frame = 0; frame < given.seconds * 60; frame++) one.frame(frame * FRAME_MS);
  return one.figures();
}

test('views_and_clocks_give_the_numbers_of_the_scenarios', () => {
  assert.ok(SCENARIOS.length >= 10);
  for (const {given, expected, words} of SCENARIOS) {
    const figures = run(given);
    if (process.env.CAROM_RECORD) {
      console.log(Object.values(given).join(' '), FIGURES.map((name) => Number(figures[name].toPrecision(10))).join(' '));
      continue;
    }
    assert.equal(words, FIELDS.length + FIGURES.length);
    for (const name of FIGURES) {
      const off = Math.abs(figures[name] - expected[name]);
      assert.ok(off <= CLOSE * Math.max(1, Math.abs(expected[name])), `seed ${given.seed}: ${name}: ${figures[name]}, expected ${expected[name]}`);
    }
  }
});
