// A picture of a server's world, kept from its snapshots, and how it looked at any time of late.
//
// Bodies have their newest state (x, y, angle, vx, vy, w) and, with `describe`, all that is needed to
// draw them (type, tag, shapes …). For smooth drawing the view keeps their last places: `advance(now)`
// puts into `pose` of every body where it is to be drawn, between two snapshots, a little behind the
// newest. A body at rest has no rows and costs nothing in either.
//
// Invariants: a body is in `bodies` exactly while the newest snapshot has it in view. One that has
// gone is drawn (drawn()) until the time of its end is shown, and one that came only from then on.

import {Playback} from './clock.js';

const PLACES = 16; // of a body that are kept: a quarter of a second at 60 Hz
const FIELDS = 5; // of a place: time before, time, x, y, angle
const EVENTS_MAX = 4096; // that wait to be shown; the oldest give way
const DEPARTED_MAX = 16384; // bodies that are gone and still drawn
const SWEEP_MS = 1000; // between two looks for bodies that nobody can draw any more

const TURN = 2 * Math.PI;

/** One body of a view. Its numbers are the view's to change. */
export class ViewBody {
  #places = new Float64Array(PLACES * FIELDS);
  #next = 0; // where the next place goes
  #count = 0;

  constructor(id, time) {
    this.id = id;
    this.x = 0;
    this.y = 0;
    this.angle = 0;
    this.vx = 0;
    this.vy = 0;
    this.w = 0;
    /** The place and angle to draw it at; of the last advance(). */
    this.pose = {x: 0, y: 0, angle: 0};
    /** The full body map of the server; null until it is told (describe: true). */
    this.description = null;
    /** World time when it came into view, and when it went; Infinity while it is there [s]. */
    this.since = time;
    this.until = Infinity;
    /** Raised with every new description, for caches of what is drawn. */
    this.version = 0;
  }

  get type() {
    return this.description?.type;
  }

  get tag() {
    return this.description?.tag ?? '';
  }

  get owner() {
    return this.description?.owner ?? '';
  }

  get shapes() {
    return this.description?.shapes ?? [];
  }

  /** Its state in a snapshot of `time`; `before` is the time of the snapshot before that one. */
  place(before, time, x, y, angle) {
    this.x = x;
    this.y = y;
    this.angle = angle;
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

  /** Forgets where it was: it is set somewhere else. */
  forget() {
    this.#count = 0;
  }

  /** Sets `pose` to where it was at `time`. Returns whether it moves after that. */
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

  #between(older, newer, time) {
    const places = this.#places;
    const pose = this.pose;
    const x = places[older + 2];
    const y = places[older + 3];
    const angle = places[older + 4];
    let share = 0;
    if (newer >= 0) {
      // It stood still from the older place's time until the snapshot before the newer one's.
      const from = Math.max(places[older + 1], places[newer]);
      share = Math.min(1, Math.max(0, (time - from) / (places[newer + 1] - from)));
    }
    if (!(share > 0)) {
      pose.x = x;
      pose.y = y;
      pose.angle = angle;
      return;
    }
    let turn = (places[newer + 4] - angle) % TURN;
    if (turn > Math.PI) turn -= TURN;
    else if (turn < -Math.PI) turn += TURN;
    pose.x = x + (places[newer + 2] - x) * share;
    pose.y = y + (places[newer + 3] - y) * share;
    pose.angle = angle + turn * share;
  }
}

/** The world of one subscription. */
export class WorldView {
  #moving = new Set(); // bodies whose pose may change with the next advance()
  #departed = new Map(); // gone, and still drawn
  #sweptMs = -Infinity;
  #waiting = []; // events that are not shown yet
  #epoch;

  /** @param {object} [options] extraDelayMs: drawn so much later, for connections with losses */
  constructor({extraDelayMs = 0} = {}) {
    this.playback = new Playback(extraDelayMs);
    /** @type {Map<number, ViewBody>} */
    this.bodies = new Map();
    /** Full joint maps by id (describe: true). */
    this.joints = new Map();
    this.contacts = [];
    this.world = '';
    this.epoch = undefined;
    this.tick = 0;
    this.time = 0;
    this.hash = null;
    /** The area that the world's scene is best seen in: [x0, y0, x1, y1]; null if it does not say. */
    this.area = null;
    /** The body that the view went along with, and that does not exist any more; 0: none. */
    this.unfollowed = 0;
    /** With a budget: bodies in view that are not in the state of `tick`, or were not told yet. */
    this.leftOut = 0;
    /** The tick from which on every body is in one of its states; `tick` if none was left out. */
    this.oldest = 0;
    /** Descriptions are still to come. */
    this.describing = false;
    /** World time that the last advance() drew; NaN before the first snapshot. */
    this.shownTime = NaN;
    /** Events that were given up because nobody took them (takeEvents). */
    this.eventsLost = 0;
    /** Raised when bodies or joints came, went, or were described anew. */
    this.version = 0;
  }

  /** Takes a snapshot that arrived at the local time `nowMs`. */
  apply(snapshot, nowMs) {
    // A body without a row in the snapshot before had not moved, unless it may have been left out.
    const before = this.leftOut > 0 ? -Infinity : this.time;
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
    this.playback.add(nowMs, snapshot.time);
    this.#describe(snapshot);
    for (const row of snapshot.bodies) this.#row(row, before);
    for (const id of snapshot.removed) this.#drop(id);
    for (const id of snapshot.leave ?? []) this.#drop(id);
    this.#keepEvents(snapshot.events);
    this.#sweep(nowMs);
  }

  /**
   * Sets the pose of every body to the world as it is to be drawn at the local time `nowMs`, and
   * returns that world time [s]; NaN before the first snapshot.
   */
  advance(nowMs) {
    const time = this.playback.show(nowMs);
    if (Number.isNaN(time)) return time;
    for (const body of this.#moving) if (!body.poseAt(time)) this.#moving.delete(body);
    this.#release(time);
    this.shownTime = time;
    return time;
  }

  /** The bodies that are to be drawn at the time of the last advance(). */
  * drawn() {
    for (const body of this.#departed.values()) if (body.since <= this.shownTime) yield body;
    for (const body of this.bodies.values()) if (body.since <= this.shownTime) yield body;
  }

  /** How many bodies that are gone are kept, to be drawn until their end is shown. */
  get departed() {
    return this.#departed.size;
  }

  /** The events up to the time of the last advance(), each once, for sparks and sounds. */
  takeEvents() {
    let count = 0;
    while (count < this.#waiting.length && this.#waiting[count].time <= this.shownTime) count++;
    return this.#waiting.splice(0, count).map((waiting) => waiting.event);
  }

  #release(time) {
    for (const [id, body] of this.#departed) {
      if (body.until > time) continue;
      this.#departed.delete(id);
      this.#moving.delete(body);
    }
  }

  // Nobody draws, as in a hidden tab: bodies go when their time could not be shown any more.
  #sweep(nowMs) {
    if (nowMs - this.#sweptMs < SWEEP_MS) return;
    this.#sweptMs = nowMs;
    this.#release(this.playback.earliest(nowMs));
  }

  #forgetAll() {
    this.bodies.clear();
    this.joints.clear();
    this.#moving.clear();
    this.#departed.clear();
    this.#waiting = [];
    this.playback.reset();
    this.shownTime = NaN;
    this.area = null;
    this.version++;
  }

  // A body that a full snapshot does not name is gone; one that it names keeps its past, so that
  // drawing goes on smoothly after a lost connection.
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
      body.description = map;
      body.version++;
    }
    for (const joint of snapshot.joints ?? []) this.joints.set(joint.joint, joint);
    for (const id of snapshot.joints_removed ?? []) this.joints.delete(id);
    if (snapshot.spawned?.length || snapshot.joints?.length || snapshot.joints_removed?.length) {
      this.version++;
    }
  }

  // A body of which there was no row yet is where its description says.
  #begin(body, map) {
    [body.vx, body.vy] = map.velocity;
    body.w = map.angular_velocity;
    body.place(this.time, this.time, map.position[0], map.position[1], map.angle);
    body.poseAt(this.time);
  }

  #body(id) {
    let body = this.bodies.get(id);
    if (body === undefined) {
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
    // One that came with this very state of the world is never shown.
    if (this.#departed.size < DEPARTED_MAX && body.since < body.until) this.#departed.set(id, body);
    else this.#moving.delete(body);
  }

  #keepEvents(events) {
    for (const event of events) {
      // Ticks of a paused world are those of its time, so the tick tells the time.
      const time = this.tick > 0 ? this.time * (event.tick / this.tick) : this.time;
      this.#waiting.push({time, event});
    }
    if (this.#waiting.length > EVENTS_MAX) {
      this.eventsLost += this.#waiting.length - EVENTS_MAX;
      this.#waiting.splice(0, this.#waiting.length - EVENTS_MAX);
    }
  }
}
