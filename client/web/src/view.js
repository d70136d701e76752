// A picture of a server's world, built from its snapshots, now and at any recent time.
//
// Bodies have their newest state (x, y, angle, vx, vy, w) and, with `describe`, all that is needed to draw them (type,
// tag, shapes …). For smooth drawing the view keeps their last places: `advance(now)` sets every body's `pose` to its
// place between two snapshots, a little behind the newest. A body at rest has no rows, and costs nothing in snapshots
// or frames.
//
// Invariants: a body is in `bodies` exactly while the newest snapshot has it in view. A removed body is drawn (drawn())
// until its end is shown, and a new one only from its beginning on.
//
// Events, of advance(): `add` (body) when a body is drawn for the first time, `change` (body) when it is described again,
// `remove` (body) when it is drawn no more.

import {DescribedBody} from './described_body.js';
import {Emitter} from './emitter.js';
import {checkOptions} from './errors.js';
import {Playback} from './playback.js';
import {Chase, shortWay} from './predictive.js';
import {SHOWN_EVENTS, ShownBodies} from './shown_bodies.js';

const PLACES = 16; // places kept of a body: a quarter of a second at 60 Hz
const FIELDS = 5; // numbers of a place: time before, time, x, y, angle
const EVENTS_MAX = 4096; // events waiting to be shown; the oldest are dropped
const SHOWN_MAX = 1 << 20; // bodies, and joints, of the largest world
const DEPARTED_MAX = 16384; // removed bodies that are still drawn
const ROUNDING_S = 1e-9; // tolerance of world times: events at the drawn moment are shown
const SWEEP_MS = 1000; // pause between two searches for bodies that are no longer drawn

const INTERPOLATIONS = ['delayed', 'predictive'];

/** One body of a view. Only the view changes its numbers. */
export class ViewBody extends DescribedBody {
  #places = new Float64Array(PLACES * FIELDS);
  #next = 0; // index of the next place
  #count = 0;
  #chase = null; // state of predictive interpolation

  constructor(id, time) {
    super(id); // advance() sets the pose; a description comes with describe: true
    this.x = 0;
    this.y = 0;
    this.angle = 0;
    /** World time of this state [s]. */
    this.time = time;
    /** World time of its appearance, and of its removal; Infinity before that [s]. */
    this.since = time;
    this.until = Infinity;
  }

  /** Adds its state in a snapshot of `time`; `before` is the time of the previous snapshot. */
  place(before, time, x, y, angle) {
    this.x = x;
    this.y = y;
    this.angle = angle;
    this.time = time;
    const at = this.#next * FIELDS;
    const places = this.#places;
    places[at] = before;
    places[at + 1] = time;
    places[at + 2] = x;
    places[at + 3] = y;
    places[at + 4] = angle;
    this.#next = (this.#next + 1) % PLACES;
    this.#count = Math.min(this.#count + 1, PLACES);
  }

  /** Forgets its past places, because it was moved elsewhere at once. */
  forget() {
    this.#count = 0;
  }

  /** Sets `pose` to its place at `time`. Returns whether it moves after that. */
  poseAt(time) {
    const places = this.#places;
    const pose = this.pose;
    let newer = -1;
    for (let i = 1; i <= this.#count; i++) {
      const at = ((this.#next - i + PLACES) % PLACES) * FIELDS;
      if (places[at + 1] <= time) {
        this.#between(at, newer, time);
        return newer >= 0;
      }
      newer = at;
    }
    if (newer >= 0) {
      pose.x = places[newer + 2];
      pose.y = places[newer + 3];
      pose.angle = places[newer + 4];
    } else {
      pose.x = this.x;
      pose.y = this.y;
      pose.angle = this.angle;
    }
    return newer >= 0;
  }

  /** Moves `pose` to the body's present place: see Chase.advance(). */
  chase(frame) {
    this.#chase ??= new Chase();
    return this.#chase.advance(this, frame);
  }

  #between(older, newer, time) {
    const places = this.#places;
    const pose = this.pose;
    const x = places[older + 2];
    const y = places[older + 3];
    const angle = places[older + 4];
    let share = 0;
    if (newer >= 0) {
      // The body was at rest from the older place's time until the snapshot before the newer place's.
      const from = Math.max(places[older + 1], places[newer]);
      share = Math.min(1, Math.max(0, (time - from) / (places[newer + 1] - from)));
    }
    if (!(share > 0)) {
      pose.x = x;
      pose.y = y;
      pose.angle = angle;
      return;
    }
    const turn = shortWay(places[newer + 4] - angle);
    pose.x = x + (places[newer + 2] - x) * share;
    pose.y = y + (places[newer + 3] - y) * share;
    pose.angle = angle + turn * share;
  }
}

const EVENTS = SHOWN_EVENTS;

/** The world of one subscription. */
export class WorldView extends Emitter {
  #shown = new ShownBodies(this);
  #moving = new Set(); // bodies whose pose may change with the next advance()
  #departed = new Map(); // removed bodies that are still drawn
  #sweptMs = -Infinity;
  #waiting = []; // events not shown yet
  #epoch;
  #interpolation;
  #advancedMs = NaN; // local time of the last advance()

  /**
   * @param {object} [options] extraDelayMs: additional delay of drawing, for connections with losses; interpolation:
   * 'delayed', between two snapshots of the past, or 'predictive', ahead of the newest by its velocities
   */
  constructor(options = {}) {
    super(EVENTS);
    checkOptions('view', options, ['extraDelayMs', 'interpolation']);
    const {extraDelayMs = 0, interpolation = 'delayed'} = options;
    if (!(extraDelayMs >= 0)) throw new TypeError(`extraDelayMs: ${extraDelayMs}: expected milliseconds, 0 or more`);
    if (!INTERPOLATIONS.includes(interpolation)) {
      throw new TypeError(`interpolation: '${interpolation}': expected '${INTERPOLATIONS.join("' or '")}'`);
    }
    this.#interpolation = interpolation;
    /** Round trip to the server, for predictive interpolation; the subscription sets it [ms]. */
    this.rttMs = 0;
    this.playback = new Playback(extraDelayMs);
    /** @type {Map<number, ViewBody>} */
    this.bodies = new Map();
    /** Full joint maps by id (describe: true). */
    this.joints = new Map();
    this.contacts = [];
    /** The world's data by key, of subscriptions with `data`: Map of the game's own values. */
    this.data = new Map();
    this.world = '';
    this.epoch = undefined;
    this.tick = 0;
    this.time = 0;
    this.hash = null;
    /** The area worth looking at, from the world's scene: [x0, y0, x1, y1]; null if the scene has none. */
    this.area = null;
    /** The removed body that the view followed; 0: none. */
    this.unfollowed = 0;
    /** With a budget: bodies in view whose state is older than `tick`, or not received yet. */
    this.leftOut = 0;
    /** The least tick of any body's state; `tick` if none was left out. */
    this.oldest = 0;
    /** Whether descriptions are still to come. */
    this.describing = false;
    /** World time drawn by the last advance(); NaN before the first snapshot. */
    this.shownTime = NaN;
    /** Events dropped because takeEvents() was not called. */
    this.eventsLost = 0;
    /** Raised when bodies or joints come, go, or are described again. */
    this.version = 0;
  }

  /** Applies a snapshot that arrived at the local time `nowMs`. */
  apply(snapshot, nowMs) {
    // A body without a row in the previous snapshot had not moved, unless it was left out.
    const whole = this.leftOut === 0;
    if (snapshot.epoch !== this.#epoch) this.#forgetAll();
    this.#epoch = snapshot.epoch;
    this.world = snapshot.world;
    this.epoch = snapshot.epoch;
    this.tick = snapshot.tick;
    this.time = snapshot.time;
    this.hash = snapshot.hash ?? null;
    this.contacts = snapshot.contacts ?? [];
    this.describing = snapshot.describing === true;
    this.leftOut = snapshot.left_out ?? 0;
    this.oldest = snapshot.oldest ?? snapshot.tick;
    if (snapshot.full || snapshot.unfollowed) this.unfollowed = snapshot.unfollowed ?? 0;
    if (snapshot.full) {
      this.area = snapshot.view ?? null;
      this.#keepOnly(snapshot);
    }
    const since = this.playback.add(nowMs, snapshot.time, snapshot.skipped);
    const before = whole ? since : -Infinity;
    this.#keepData(snapshot);
    this.#describe(snapshot);
    for (const row of snapshot.bodies) this.#row(row, before);
    for (const id of snapshot.removed) this.#drop(id);
    for (const id of snapshot.leave ?? []) this.#drop(id);
    this.#keepEvents(snapshot.events);
    this.#sweep(nowMs);
  }

  /**
   * Sets every body's pose for the local time `nowMs`, and returns the world time drawn [s]; NaN before the first
   * snapshot.
   */
  advance(nowMs) {
    const predictive = this.#interpolation === 'predictive';
    const time = predictive ? this.playback.newest(nowMs) : this.playback.show(nowMs);
    if (Number.isNaN(time)) return time;
    if (predictive) this.#chase(time, nowMs);
    else for (const body of this.#moving) if (!body.poseAt(time)) this.#moving.delete(body);
    this.#advancedMs = nowMs;
    this.#release(time);
    this.shownTime = time;
    this.#shown.update(() => this.drawn());
    return time;
  }

  #chase(time, nowMs) {
    const dt = Math.max(0, nowMs - this.#advancedMs) / 1000 || 0; // NaN at first
    const rtt = (this.rttMs || 0) / 1000; // NaN before the first ping
    for (const body of this.#moving) {
      // A body without a row in the newest snapshot has not moved, unless it was left out.
      const rest = body.time < this.time && this.leftOut === 0;
      if (!body.chase({dt, age: time - body.time, rest, rtt})) this.#moving.delete(body);
    }
  }

  /** The bodies to draw at the time of the last advance(). */
  * drawn() {
    for (const body of this.#departed.values()) if (body.since <= this.shownTime + ROUNDING_S) yield body;
    for (const body of this.bodies.values()) if (body.since <= this.shownTime + ROUNDING_S) yield body;
  }

  /** The number of removed bodies kept until their end is shown. */
  get departed() {
    return this.#departed.size;
  }

  /** The events up to the time of the last advance(), each once, for sparks and sounds. */
  takeEvents() {
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count].time <= this.shownTime + ROUNDING_S) count++;
    return this.#waiting.splice(0, count).map((waiting) => waiting.event);
  }

  #release(time) {
    for (const [id, body] of this.#departed) {
      if (body.until > time) continue;
      this.#departed.delete(id);
      this.#moving.delete(body);
    }
  }

  // While nothing is drawn, as in a hidden tab: drops removed bodies whose last time has passed.
  #sweep(nowMs) {
    if (nowMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    this.#release(this.playback.earliest(nowMs));
  }

  #forgetAll() {
    this.bodies.clear();
    this.joints.clear();
    this.data.clear();
    this.#moving.clear();
    this.#departed.clear();
    this.#waiting = [];
    this.playback.reset();
    this.#advancedMs = NaN;
    this.shownTime = NaN;
    this.area = null;
    this.version++;
  }

  // A body that a full snapshot does not list is gone; a listed one keeps its past, so that drawing continues smoothly
  // after a lost connection.
  #keepOnly(snapshot) {
    const named = new Set();
    for (const row of snapshot.bodies) named.add(row[0]);
    for (const map of snapshot.spawned ?? []) named.add(map.body);
    for (const id of [...this.bodies.keys()]) if (!named.has(id)) this.#drop(id);
    if (snapshot.joints) this.joints.clear();
  }

  #describe(snapshot) {
    for (const map of snapshot.spawned ?? []) {
      const body = this.#body(map.body);
      if (body.description === null && body.version === 0) this.#begin(body, map);
      body.redescribe(map);
    }
    for (const joint of snapshot.joints ?? []) this.joints.set(joint.joint, joint);
    if (this.joints.size > SHOWN_MAX) throw new RangeError(`more than ${SHOWN_MAX} joints`);
    for (const id of snapshot.joints_removed ?? []) this.joints.delete(id);
    if (snapshot.spawned?.length || snapshot.joints?.length || snapshot.joints_removed?.length) {
      this.version++;
    }
  }

  // Until its first row, a body is at the place in its description.
  #begin(body, map) {
    [body.vx, body.vy] = map.velocity;
    body.w = map.angular_velocity;
    body.place(this.time, this.time, map.position[0], map.position[1], map.angle);
    body.poseAt(this.time);
  }

  #body(id) {
    let body = this.bodies.get(id);
    if (body === undefined) {
      if (this.bodies.size >= SHOWN_MAX) throw new RangeError(`more than ${SHOWN_MAX} bodies`);
      body = new ViewBody(id, this.time);
      this.bodies.set(id, body);
      this.version++;
    }
    return body;
  }

  #row(row, before) {
    const known = this.bodies.has(row[0]);
    const body = this.#body(row[0]);
    body.vx = row[4];
    body.vy = row[5];
    body.w = row[6];
    body.place(before, this.time, row[1], row[2], row[3]);
    if (!known) body.poseAt(this.time);
    this.#moving.add(body);
  }

  #drop(id) {
    const body = this.bodies.get(id);
    if (body === undefined) return;
    this.bodies.delete(id);
    this.version++;
    body.until = this.time;
    // A body that came and went within one snapshot is never shown.
    if (this.#departed.size < DEPARTED_MAX && body.since < body.until) this.#departed.set(id, body);
    else this.#moving.delete(body);
  }

  #keepData(snapshot) {
    if (snapshot.full) this.data.clear();
    for (const [key, value] of Object.entries(snapshot.data ?? {})) {
      if (value === null) this.data.delete(key);
      else this.data.set(key, value);
    }
    if (this.data.size > SHOWN_MAX) throw new RangeError(`more than ${SHOWN_MAX} keys of data`);
  }

  #keepEvents(events) {
    for (const event of events) {
      // A paused world's ticks follow its time, so the tick gives the event's time.
      const time = this.tick > 0 ? this.time * (event.tick / this.tick) : this.time;
      this.#waiting.push({time, event});
    }
    if (this.#waiting.length > EVENTS_MAX) {
      this.eventsLost += this.#waiting.length - EVENTS_MAX;
      this.#waiting.splice(0, this.#waiting.length - EVENTS_MAX);
    }
  }
}
