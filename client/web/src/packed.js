// Packed snapshots: the bytes of `data` into bodies. Written from PROTOCOL.md, "Packed snapshots", with the same names;
// it shares no code with the decoder in C.
//
// Invariant: a decoder's state equals that of the server's coder after the last snapshot decoded. After an error it has
// no state, and accepts only a full snapshot. Every number is whole and below 2^53, so doubles compute what integers
// would.

import {CaromError} from './errors.js';

const TURN = 2 * Math.PI;
const PARTS = 65536; // parts of a step
const HALF = 32768;
const VALUE_MOST = 2 ** 40; // steps
/** Bodies in view of all packed subscriptions of a client: those of the largest world. */
export const BODIES_MAX = 1 << 20;
const SLOTS = 2 ** 24;
const TICKS_MOST = 1024;

// ---- models: the first index of each group, in the order of a full snapshot

const NUMBER = 41 + 8 * 4; // models of a number: exponent, mantissa
const GROUPS = [
  ['exactStill', 4],
  ['exact', 12 * 3 * 4 * 5 * 4 * 4],
  ['changed', 6 * 12 * 25 * 3],
  ['toward', 6 * 25 * 4 * 3],
  ['magnitude', 6 * 3 * 12 * 16],
  ['mantissa', 6 * 8 * 4],
  ['anyGone', 1],
  ['goneIsRemoval', 1],
  ['anyEntered', 1],
  ['anyWoken', 1],
  ['ticks', NUMBER],
  ['goneCount', NUMBER],
  ['goneGap', NUMBER],
  ['enteredCount', NUMBER],
  ['slotGap', NUMBER],
  ['generation', NUMBER],
  ['place', 6 * NUMBER],
  ['wokenCount', NUMBER],
  ['wokenGap', NUMBER],
];
const FULL_GROUPS = [
  ['count', NUMBER],
  ['slotGap', NUMBER],
  ['generation', NUMBER],
  ['place', 6 * NUMBER],
  ['rate', NUMBER],
  ['error', NUMBER],
  ['wild', NUMBER],
  ['resting', 1],
  ['learned', 2],
  ['late', NUMBER],
];

function offsets(groups) {
  const at = {};
  let end = 0;
  for (const [name, size] of groups) {
    at[name] = end;
    end += size;
  }
  return [Object.freeze(at), end];
}

const [M, MODELS] = offsets(GROUPS);
const [F, FULL_MODELS] = offsets(FULL_GROUPS);

/** Estimates of `count` models, alternately fast and slow. */
function newModels(count) {
  return new Uint16Array(2 * count).fill(32768);
}

class PackedError extends Error {}

function refuse(what) {
  throw new PackedError(`packed: ${what}: the bytes were cut off or altered`);
}

function crowded(most) {
  throw new CaromError('limit_exceeded', `packed: more than ${most} bodies in view, the most that the other subscriptions leave: ` +
                       'end some, or ask for smaller areas');
}

// ---- bits and numbers

/** Decodes bits of known probability, and numbers, from the bytes after the first. */
class BitReader {
  constructor(bytes) {
    this.bytes = bytes;
    this.at = 1;
    this.missing = 0;
    this.range = 0xffffffff;
    this.code = 0;
    for (let i = 0; i < 4; i++) this.code = this.code * 256 + this.next();
  }

  next() {
    if (this.at < this.bytes.length) return this.bytes[this.at++];
    this.missing++;
    return 0;
  }

  overrun() {
    return this.missing > 4;
  }

  chance(p) {
    const bound = (this.range >>> 15) * p;
    let bit = 0;
    if (this.code < bound) {
      bit = 1;
      this.range = bound;
    } else {
      this.code -= bound;
      this.range -= bound;
    }
    while (this.range < 0x1000000) {
      this.range *= 256;
      this.code = (this.code * 256 + this.next()) >>> 0;
    }
    return bit;
  }

  bit(models, index) {
    const i = 2 * index;
    const fast = models[i];
    const slow = models[i + 1];
    let p = (fast + slow) >>> 2;
    if (p < 20) p = 20;
    else if (p > 32748) p = 32748;
    const bit = this.chance(p);
    if (bit) {
      models[i] = fast + ((65535 - fast) >> 4);
      models[i + 1] = slow + ((65535 - slow) >> 7);
    } else {
      models[i] = fast - (fast >> 4);
      models[i + 1] = slow - (slow >> 7);
    }
    return bit;
  }

  /** Reads `count` bits, at most 53. */
  raw(count) {
    let value = 0;
    for (let i = 0; i < count; i++) value = value * 2 + this.chance(16384);
    return value;
  }

  /** Reads the `e` bits below the highest bit of a number; returns the number with that bit. */
  mantissa(models, at, e) {
    const row = at + 4 * Math.min(e, 7);
    let v = 1;
    if (e > 0) v = 2 * v + this.bit(models, row + 1);
    if (e > 1) v = 2 * v + this.bit(models, row + v);
    return e > 2 ? v * 2 ** (e - 2) + this.raw(e - 2) : v;
  }

  number(models, at) {
    let e = 0;
    while (e < 40 && this.bit(models, at + e)) e++;
    return this.mantissa(models, at + 41, e) - 1;
  }

  signed(models, at) {
    const n = this.number(models, at);
    return n % 2 === 1 ? -(n + 1) / 2 : n / 2;
  }

  float() {
    const view = new DataView(new ArrayBuffer(8));
    view.setUint32(0, this.raw(32));
    view.setUint32(4, this.raw(32));
    return view.getFloat64(0);
  }
}

// ---- tracks

function within(value, most) {
  return value > most ? most : value < -most ? -most : value;
}

const PLACE_GAIN = [77, 222, 256];
const RATE_GAIN = [13, 154, 0];

/** One axis of a moving body. */
class Axis {
  at = [0, 0, 0];
  rate = [0, 0, 0];
  error = [0, 0, 0];
  wild = 0;
  wilder = 0;
  still = 0;
  last = 0;
}

function newAxes(count) {
  return Array.from({length: count}, () => new Axis());
}

function placeOf(offset) {
  return offset < -HALF ? 0 : offset < -12000 ? 1 : offset <= 12000 ? 2 : offset <= HALF ? 3 : 4;
}

/** The prediction for an axis; each axis reuses one object. */
class Forecast {
  c = [0, 0, 0];
  filters = 2;
  steps = 0;
  above = false;
  edge = 0;
  spread = 0;
  slowPlace = 0;
  fastPlace = 0;

  make(axis, ticks, told, velocity) {
    this.filters = told !== 0 ? 3 : 2;
    let best = 0;
    let least = Infinity;
    let most = -Infinity;
    for (let f = 0; f < this.filters; f++) {
      const rate = f === 2 ? within(within(velocity, 2 ** 26) * told, 2 ** 30) : axis.rate[f];
      const c = within(axis.at[f] + rate * ticks, 2 ** 30);
      this.c[f] = c;
      if (c < least) least = c;
      if (c > most) most = c;
      if (axis.error[f] < axis.error[best]) best = f;
    }
    this.steps = Math.floor((this.c[best] + HALF) / PARTS);
    const part = this.c[best] - PARTS * this.steps;
    this.above = part > 0;
    const near = HALF - Math.abs(part);
    this.edge = near < 6000 ? 3 : near < 11000 ? 2 : near < 17000 ? 1 : 0;
    const s = Math.floor((most - least) / HALF);
    this.spread = s < 1 ? 0 : s < 2 ? 1 : s < 6 ? 2 : 3;
    this.slowPlace = placeOf(this.c[0] - PARTS * this.steps);
    this.fastPlace = placeOf(this.c[1] - PARTS * this.steps);
  }

  get places() {
    return 5 * this.slowPlace + this.fastPlace;
  }
}

function sizeOf(wild) {
  return Math.min(32 - Math.clz32(wild >> 3), 11);
}

/** Advances the axis; returns the change in steps. */
function update(axis, forecast, ticks, r) {
  const change = forecast.steps + r;
  const moved = PARTS * within(change, 2 ** 17);
  for (let f = 0; f < forecast.filters; f++) {
    const c = forecast.c[f];
    const e = within(moved - c, 2 ** 30);
    axis.error[f] += (Math.min(Math.abs(e), 2 ** 24) - axis.error[f]) >> 3;
    const at = c + Math.floor((e * PLACE_GAIN[f]) / 256) - moved;
    axis.at[f] = at < -HALF ? -HALF : at >= HALF ? HALF - 1 : at;
    axis.rate[f] = within(axis.rate[f] + Math.floor((e * RATE_GAIN[f]) / (256 * ticks)), 2 ** 30);
  }
  axis.still = r !== 0 || change !== 0 ? 0 : Math.min(axis.still + 1, 31);
  const slow = Math.abs(axis.rate[0]) <= 3000 && Math.abs(axis.rate[1]) <= 3000;
  if (axis.still > 30 || (axis.still > 6 && slow)) {
    axis.at.fill(0);
    axis.rate.fill(0);
  }
  const n = 64 * Math.min(Math.abs(r), 4096);
  axis.wild += (n - axis.wild) >> 2;
  if (r === 0 && axis.wild < 4) axis.wild = 0;
  axis.wilder += (n - axis.wilder) >> 4;
  if (r === 0 && axis.wilder < 16) axis.wilder = 0;
  axis.last = Math.sign(r);
  return change;
}

function isQuiet(axis) {
  return axis.still > 6 && axis.rate[0] === 0 && axis.wild === 0;
}

// ---- the decoder

/**
 * Takes the `data` of a subscription's packed snapshots, one after the other. `decode` answers
 * {full, tick, hz, bodies, removed, enter, leave}, with bodies as the rows of plain snapshots; it
 * throws an Error for bytes that do not continue the stream.
 */
export class PackedDecoder {
  #state = null; // null: a full snapshot is needed
  #forecasts = [new Forecast(), new Forecast(), new Forecast()];
  #history = 0;
  #most = BODIES_MAX;

  /** Bodies in view. */
  get size() {
    return this.#state?.tracks.length ?? 0;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} most bodies that may be in view after this snapshot
   */
  decode(bytes, most = BODIES_MAX) {
    this.#most = Math.min(most, BODIES_MAX);
    if (!(bytes instanceof Uint8Array)) throw new PackedError('packed: expected bytes');
    const first = bytes.length > 0 ? bytes[0] : 0;
    if (first < 16 || first > 19) throw new PackedError('packed: the first byte is not one of version 1');
    const full = first % 2 === 1;
    const part = first >= 18; // true: some bodies may be, or were, left out
    if (!full && this.#state === null) {
      throw new PackedError('packed: a change without the state that it changes; subscribe again');
    }
    const reader = new BitReader(bytes);
    const state = this.#state;
    this.#state = null;
    const answer = full ? this.#full(reader, part) : this.#change(reader, state, part);
    if (reader.overrun() || reader.at !== bytes.length) refuse('the end');
    this.#state = answer.state;
    delete answer.state;
    return answer;
  }

  // ---- a full snapshot

  #full(r, part) {
    const s = {models: newModels(MODELS), tracks: []};
    const high = r.raw(32);
    s.tick = high * 2 ** 32 + r.raw(32);
    s.hz = r.float();
    s.positionSteps = r.float();
    s.angleSteps = r.raw(32);
    s.velocitySteps = r.float();
    s.told = [r.raw(32), r.raw(32), r.raw(32)];
    checkHead(s, high);
    s.axes = s.velocitySteps !== 0 ? 6 : 3;
    const m = newModels(FULL_MODELS);
    const count = r.number(m, F.count);
    if (count > this.#most) crowded(this.#most);
    let before = null;
    for (let i = 0; i < count; i++) {
      const track = this.#newTrack(r, m, F, s, before);
      if (r.bit(m, F.resting)) track.moving = null;
      if (r.overrun()) refuse('a body of a full snapshot');
      if (part && track.moving) track.late = r.number(m, F.late);
      if (track.late > TICKS_MOST) refuse('a body of a full snapshot');
      for (let a = 0; a < s.axes && track.moving; a++) readAxis(r, m, track.moving[a], s.axes === 6 && a < 3 ? 3 : 2);
      if (r.overrun()) refuse('a body of a full snapshot');
      s.tracks.push(track);
      before = track;
    }
    readModels(r, m, s.models);
    if (r.raw(16) !== 0xca70) refuse('the end of a full snapshot');
    return {
      state: s,
      full: true,
      tick: s.tick,
      hz: s.hz,
      bodies: s.tracks.map((track) => rowOf(s, track)),
      removed: [],
      enter: [],
      leave: [],
    };
  }

  #newTrack(r, models, at, s, before) {
    const slot = (before === null ? 0 : before.slot + 1) + r.number(models, at.slotGap);
    const generation = r.number(models, at.generation);
    const even = r.raw(1);
    const q = [];
    for (let a = 0; a < s.axes; a++) {
      q.push((before === null ? 0 : before.q[a]) + r.signed(models, at.place + a * NUMBER));
    }
    const id = generation * SLOTS + slot;
    if (slot >= SLOTS || generation >= 2 ** 29 || id === 0 || even !== 0 || r.overrun()) refuse("a new body's id");
    checkPlace(q);
    return {id, slot, q, moving: newAxes(s.axes), late: 0};
  }

  // ---- a change

  #change(r, s, part) {
    const ticks = r.number(s.models, M.ticks);
    s.tick += ticks;
    if (s.tick >= 2 ** 53) refuse('the tick');
    const answer = {state: s, full: false, tick: s.tick, hz: s.hz, bodies: [], removed: [], enter: [], leave: []};
    this.#gone(r, s, answer);
    const fresh = this.#entered(r, s, answer);
    this.#woken(r, s);
    this.#history = 0;
    const passed = Math.min(Math.max(ticks, 1), TICKS_MOST);
    const held = newModels(2);
    for (const track of s.tracks) {
      if (track.moving === null || fresh.has(track)) continue;
      const leftOut = part && r.bit(held, track.late > 0 ? 1 : 0);
      const t = Math.min(passed + track.late, TICKS_MOST);
      track.late = leftOut ? t : 0;
      if (leftOut) continue;
      if (s.axes === 6) this.#three(r, s, track, 3, t);
      this.#three(r, s, track, 0, t);
      if (r.overrun()) refuse('a moving body');
      checkPlace(track.q);
      if (track.moving.every(isQuiet)) track.moving = null;
      answer.bodies.push(rowOf(s, track));
    }
    return answer;
  }

  #gone(r, s, answer) {
    if (!r.bit(s.models, M.anyGone)) return;
    const count = r.number(s.models, M.goneCount) + 1;
    if (count > s.tracks.length) refuse('more bodies are gone than there were');
    const gone = new Set();
    let next = 0;
    for (let i = 0; i < count; i++) {
      next += r.number(s.models, M.goneGap);
      if (next >= s.tracks.length) refuse('a body is gone that was not there');
      const track = s.tracks[next++];
      (r.bit(s.models, M.goneIsRemoval) ? answer.removed : answer.leave).push(track.id);
      gone.add(track);
    }
    s.tracks = s.tracks.filter((track) => !gone.has(track));
  }

  #entered(r, s, answer) {
    const fresh = new Set();
    if (!r.bit(s.models, M.anyEntered)) return fresh;
    const count = r.number(s.models, M.enteredCount) + 1;
    if (count > this.#most - s.tracks.length) crowded(this.#most);
    let before = null;
    for (let i = 0; i < count; i++) {
      before = this.#newTrack(r, s.models, M, s, before);
      fresh.add(before);
      answer.enter.push(before.id);
      answer.bodies.push(rowOf(s, before));
    }
    s.tracks = [...s.tracks, ...fresh].sort((a, b) => a.slot - b.slot);
    for (let i = 1; i < s.tracks.length; i++) {
      if (s.tracks[i].slot === s.tracks[i - 1].slot) refuse('a new body has the place of another');
    }
    return fresh;
  }

  #woken(r, s) {
    if (!r.bit(s.models, M.anyWoken)) return;
    const count = r.number(s.models, M.wokenCount) + 1;
    const resting = s.tracks.filter((track) => track.moving === null);
    let next = 0;
    for (let i = 0; i < count; i++) {
      next += r.number(s.models, M.wokenGap);
      if (next >= resting.length) refuse('a body moves again that was not at rest');
      resting[next++].moving = newAxes(s.axes);
    }
  }

  // ---- three axes

  #three(r, s, track, first, t) {
    const axes = track.moving;
    const f = this.#forecasts;
    for (let i = 0; i < 3; i++) {
      const pose = first === 0;
      f[i].make(axes[first + i], t, pose ? s.told[i] : 0, pose && s.axes === 6 ? track.q[3 + i] : 0);
    }
    const any = r.bit(s.models, this.#exactModel(axes, first));
    this.#history = ((this.#history << 1) | any) & 3;
    let others = 0; // residuals other than 0
    for (let i = 0; i < 3; i++) {
      let residual = 0;
      if (any) {
        const before = i === 0 ? 0 : others > 0 ? 2 : 1;
        residual = readResidual(r, s.models, axes[first + i], first + i, f[i], before, i === 2 && others === 0);
        if (residual !== 0) others++;
      }
      track.q[first + i] += update(axes[first + i], f[i], t, residual);
    }
    if (first === 0) {
      const half = Math.floor(s.angleSteps / 2);
      const turned = (track.q[2] + half) % s.angleSteps;
      track.q[2] = (turned < 0 ? turned + s.angleSteps : turned) - half;
    }
  }

  #exactModel(axes, first) {
    let wild = 0;
    let wilder = 0;
    let edge = 0;
    let spread = 0;
    let ambiguity = 0;
    let still = true;
    for (let i = 0; i < 3; i++) {
      const axis = axes[first + i];
      const f = this.#forecasts[i];
      wild += axis.wild;
      wilder += axis.wilder;
      edge = Math.max(edge, f.edge);
      spread = Math.max(spread, f.spread);
      ambiguity += (f.slowPlace !== 2 ? 1 : 0) + (f.fastPlace !== 2 ? 1 : 0);
      still = still && axis.rate[0] === 0 && f.steps === 0 && axis.wild === 0;
    }
    const history = this.#history & 3;
    if (still) return M.exactStill + history;
    const size = sizeOf(wild);
    const long = sizeOf(wilder);
    const trend = long > size ? 2 : long === size ? 1 : 0;
    const low = Math.min(ambiguity, 4);
    return M.exact + ((((size * 3 + trend) * 4 + edge) * 5 + low) * 4 + spread) * 4 + history;
  }
}

// ---- pieces

function checkHead(s, tickHigh) {
  const steps = (v) => v >= 1 / 16 && v <= 65536;
  const told = s.told.every((v) => v <= 2 ** 26 && (v === 0 || s.velocitySteps !== 0));
  if (
    !(
      tickHigh < 2 ** 21 &&
      s.hz >= 1e-3 &&
      s.hz <= 1e6 &&
      steps(s.positionSteps) &&
      (s.velocitySteps === 0 || steps(s.velocitySteps)) &&
      s.angleSteps >= 4 &&
      s.angleSteps <= 1 << 20 &&
      told
    )
  ) {
    refuse('precision or rate out of range');
  }
}

function checkPlace(q) {
  for (const v of q) if (v > VALUE_MOST || v < -VALUE_MOST) refuse('a place');
}

function readAxis(r, m, axis, filters) {
  const ranged = (at, least, most) => {
    const value = r.signed(m, at);
    if (value < least || value > most) refuse('a body of a full snapshot');
    return value;
  };
  for (let f = 0; f < filters; f++) {
    const at = r.raw(16);
    axis.at[f] = at >= HALF ? at - PARTS : at;
    axis.rate[f] = ranged(F.rate, -(2 ** 30), 2 ** 30);
    axis.error[f] = ranged(F.error, 0, 2 ** 24);
  }
  axis.wild = ranged(F.wild, 0, 262144);
  axis.wilder = ranged(F.wild, 0, 262144);
  axis.still = r.raw(5);
  axis.last = r.raw(2) - 1;
  if (axis.last > 1) refuse('a body of a full snapshot');
}

function readModels(r, m, models) {
  let before = 0;
  for (let i = 0; i < MODELS; i++) {
    before = r.bit(m, F.learned + before);
    if (before) {
      models[2 * i] = r.raw(16);
      models[2 * i + 1] = r.raw(16);
    }
  }
}

function readResidual(r, models, axis, index, f, others, certain) {
  const size = sizeOf(axis.wild);
  const places = f.places;
  if (!certain && !r.bit(models, M.changed + ((index * 12 + size) * 25 + places) * 3 + others)) return 0;
  const coarse = size < 2 ? 0 : size < 5 ? 1 : size < 8 ? 2 : 3;
  const turn = axis.last === 0 ? 0 : axis.last > 0 === f.above ? 1 : 2;
  const seen = f.above ? places : 24 - places;
  const toward = r.bit(models, M.toward + ((index * 25 + seen) * 4 + coarse) * 3 + turn);
  const exponents = M.magnitude + ((index * 3 + others) * 12 + size) * 16;
  let e = 0;
  while (e < 39 && r.bit(models, exponents + Math.min(e, 15))) e++;
  const distance = r.mantissa(models, M.mantissa + index * 32, e);
  return (toward === 1) === f.above ? distance : -distance;
}

function velocityOf(s, track, a) {
  if (s.axes === 6) return track.q[3 + a] / s.velocitySteps;
  if (track.moving === null) return 0;
  const axis = track.moving[a];
  const best = axis.error[1] < axis.error[0] ? 1 : 0;
  const steps = a === 2 ? s.angleSteps / TURN : s.positionSteps;
  return ((axis.rate[best] / PARTS) * s.hz) / steps;
}

/** [id, x, y, angle, vx, vy, w] */
function rowOf(s, track) {
  return [
    track.id,
    track.q[0] / s.positionSteps,
    track.q[1] / s.positionSteps,
    track.q[2] / (s.angleSteps / TURN),
    velocityOf(s, track, 0),
    velocityOf(s, track, 1),
    velocityOf(s, track, 2),
  ];
}
