// The last minutes of a world, recorded by the page from the snapshots that it receives, so that one can look back
// without the server.
//
// A segment begins with a key frame (all poses, descriptions, joints and sleeping bodies); a frame for each further
// snapshot has the changes. Whole segments are dropped from the front when the history gets too long or too large, so
// it always begins with a key frame.
//
// Invariant: frame times increase from the first segment to the last.

const KEY_S = 2; // time between key frames
const LENGTH_S = 300; // the longest history that is kept
const BYTES_MAX = 96 * 1024 * 1024;
const ROW_BYTES = 32; // a body's bytes in a frame: id, x, y, angle as doubles
const KEY_ROW_BYTES = 64;
const CONTACTS_KEPT = 4000; // frames with more contacts store none
const TURN = 2 * Math.PI;

export class History {
  #segments = [];
  #bytes = 0;
  #epoch;

  get empty() {
    return this.#segments.length === 0;
  }

  get bytes() {
    return this.#bytes;
  }

  get begin() {
    return this.#segments[0]?.time ?? NaN;
  }

  get end() {
    const last = this.#segments.at(-1);
    return last ? last.frames.at(-1)?.time ?? last.time : NaN;
  }

  clear() {
    this.#segments = [];
    this.#bytes = 0;
  }

  /** Adds the snapshot that `view` has just applied; `asleep` are the ids of its sleeping bodies. */
  add(snapshot, view, asleep) {
    if (snapshot.epoch !== this.#epoch) this.clear();
    this.#epoch = snapshot.epoch;
    if (view.describing) return;
    if (snapshot.time < this.end) this.clear();
    const last = this.#segments.at(-1);
    if (!last || snapshot.full || snapshot.time - last.time >= KEY_S) this.#key(view, asleep);
    else this.#frame(last, snapshot);
    while (this.#segments.length > 1 &&
           (this.#bytes > BYTES_MAX || this.end - this.#segments[1].time > LENGTH_S)) {
      this.#bytes -= this.#segments.shift().bytes;
    }
  }

  #key(view, asleep) {
    const count = view.bodies.size;
    const key = {time: view.time, tick: view.tick, rows: new Float64Array(count * 4),
                 maps: new Array(count), joints: new Map(view.joints), asleep: new Set(asleep),
                 contacts: this.#contacts(view.contacts), frames: [],
                 bytes: count * KEY_ROW_BYTES + view.joints.size * 24};
    let at = 0;
    for (const body of view.bodies.values()) {
      key.maps[at / 4] = body.description;
      key.rows.set([body.id, body.x, body.y, body.angle], at);
      at += 4;
    }
    this.#segments.push(key);
    this.#bytes += key.bytes;
  }

  #frame(segment, snapshot) {
    const {bodies} = snapshot;
    const rows = new Float64Array(bodies.length * 4);
    for (let i = 0; i < bodies.length; i++) {
      const row = bodies[i];
      rows[i * 4] = row[0];
      rows[i * 4 + 1] = row[1];
      rows[i * 4 + 2] = row[2];
      rows[i * 4 + 3] = row[3];
    }
    const gone = [...snapshot.removed, ...(snapshot.leave ?? [])];
    const sleeps = snapshot.events.filter((event) => event.kind === 'sleep' || event.kind === 'wake');
    const frame = {time: snapshot.time, tick: snapshot.tick, rows, gone, sleeps,
                   spawned: snapshot.spawned ?? [], joints: snapshot.joints ?? [],
                   jointsGone: snapshot.joints_removed ?? [],
                   contacts: this.#contacts(snapshot.contacts ?? [])};
    segment.frames.push(frame);
    const bytes = 200 + bodies.length * ROW_BYTES + (gone.length + sleeps.length) * 16 +
                  (frame.spawned.length + frame.joints.length) * 1000 + frame.contacts.length * 300;
    segment.bytes += bytes;
    this.#bytes += bytes;
  }

  #contacts(contacts) {
    return contacts.length > CONTACTS_KEPT ? [] : contacts;
  }

  /** The segment of a time, and the number of its frames up to that time. */
  find(time) {
    const segments = this.#segments;
    let index = segments.length - 1;
    while (index > 0 && segments[index].time > time) index--;
    const segment = segments[index];
    if (!segment) return null;
    let low = 0;
    let high = segment.frames.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (segment.frames[middle].time <= time) low = middle + 1;
      else high = middle;
    }
    const next = segment.frames[low] ?? (low === segment.frames.length ? segments[index + 1] : undefined);
    return {segment, count: low, next};
  }
}

/** A source (source.js) that shows a past time. */
export class PastSource {
  #bodies = new Map();
  #asleep = new Set();
  #segment = null;
  #count = 0; // applied frames of the segment
  #between = []; // bodies that the last seek interpolated

  constructor(history) {
    this.history = history;
    this.joints = new Map();
    this.contacts = [];
    this.time = NaN;
    this.tick = 0;
  }

  drawn() {
    return this.#bodies.values();
  }

  body(id) {
    return this.#bodies.get(id);
  }

  asleep(id) {
    return this.#asleep.has(id);
  }

  /** Shows the recorded time nearest to `wanted`, and returns it. */
  seek(wanted) {
    const {history} = this;
    if (history.empty) return this.time;
    const time = Math.min(history.end, Math.max(history.begin, wanted));
    const {segment, count, next} = history.find(time);
    for (const body of this.#between) this.#rest(body);
    this.#between = [];
    if (segment !== this.#segment || count < this.#count) this.#load(segment);
    while (this.#count < count) this.#apply(segment.frames[this.#count++]);
    const base = this.#count > 0 ? segment.frames[this.#count - 1] : segment;
    this.tick = base.tick;
    this.contacts = base.contacts;
    this.time = time;
    if (next && next.time > base.time) this.#blend(next, (time - base.time) / (next.time - base.time),
                                                   next.time - base.time);
    return time;
  }

  #load(segment) {
    this.#segment = segment;
    this.#count = 0;
    const before = this.#bodies;
    this.#bodies = new Map();
    for (let i = 0; i < segment.maps.length; i++) {
      const id = segment.rows[i * 4];
      const body = before.get(id) ?? this.#make(id);
      this.#describe(body, segment.maps[i]);
      this.#bodies.set(id, body);
      this.#place(body, segment.rows, i * 4);
    }
    this.joints = new Map(segment.joints);
    this.#asleep = new Set(segment.asleep);
  }

  #make(id) {
    return {id, x: 0, y: 0, angle: 0, vx: 0, vy: 0, w: 0, pose: {x: 0, y: 0, angle: 0},
            description: null, version: 0, type: undefined, tag: '', shapes: []};
  }

  #describe(body, map) {
    if (body.description === map) return;
    body.description = map;
    body.version++;
    body.type = map?.type;
    body.tag = map?.tag ?? '';
    body.shapes = map?.shapes ?? [];
  }

  #place(body, rows, at) {
    body.x = rows[at + 1];
    body.y = rows[at + 2];
    body.angle = rows[at + 3];
    this.#rest(body);
  }

  #rest(body) {
    body.pose.x = body.x;
    body.pose.y = body.y;
    body.pose.angle = body.angle;
    body.vx = body.vy = 0;
  }

  #apply(frame) {
    for (const map of frame.spawned) {
      let body = this.#bodies.get(map.body);
      if (!body) {
        body = this.#make(map.body);
        this.#bodies.set(map.body, body);
        [body.x, body.y] = map.position;
        body.angle = map.angle;
        this.#rest(body);
      }
      this.#describe(body, map);
    }
    for (let at = 0; at < frame.rows.length; at += 4) {
      const body = this.#bodies.get(frame.rows[at]);
      if (body) this.#place(body, frame.rows, at);
    }
    for (const id of frame.gone) this.#bodies.delete(id);
    for (const joint of frame.joints) this.joints.set(joint.joint, joint);
    for (const id of frame.jointsGone) this.joints.delete(id);
    for (const event of frame.sleeps) {
      if (event.kind === 'sleep') this.#asleep.add(event.a);
      else this.#asleep.delete(event.a);
    }
  }

  #blend(next, share, seconds) {
    const {rows} = next;
    for (let at = 0; at < rows.length; at += 4) {
      const body = this.#bodies.get(rows[at]);
      if (!body) continue;
      let turn = (rows[at + 3] - body.angle) % TURN;
      if (turn > Math.PI) turn -= TURN;
      else if (turn < -Math.PI) turn += TURN;
      const dx = rows[at + 1] - body.x;
      const dy = rows[at + 2] - body.y;
      if (dx === 0 && dy === 0 && turn === 0) continue;
      body.pose.x = body.x + dx * share;
      body.pose.y = body.y + dy * share;
      body.pose.angle = body.angle + turn * share;
      body.vx = dx / seconds;
      body.vy = dy / seconds;
      this.#between.push(body);
    }
  }
}
