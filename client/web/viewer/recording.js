// The log of the watched world: images of its state and the commands since. The server's engine, as WebAssembly,
// computes any tick of it again, bit for bit, when a visitor branches there. Until then nothing is computed, and little
// memory is used.
//
// A segment begins with an image and continues with records (PROTOCOL.md, "The log of a world"). Subscribing again from
// time to time starts a new one, so that no tick is far from an image.
//
// Invariants: segments are in the order of their images' ticks; the records of a segment are contiguous.

import {CaromError} from '../src/errors.js';
import {decode} from '../src/msgpack.js';
import {encodeRecord} from '../src/replica.js';

const SEGMENT_S = 20; // world time between images
const LENGTH_S = 300; // the most that is kept, as in the history
const BYTES_MAX = 64 * 1024 * 1024;
const BODIES_MAX = 3000; // images of larger worlds would be most of the traffic
const RATE = 4; // records a second; a slower world sends one a tick
const SLICE_MS = 12; // computing time before the page may draw again
const PLAYED_MAX = 100000; // the most ticks computed from an image

/** Segments of one world, in order of arrival. */
export class Recording {
  #segments = [];
  #bytes = 0;

  constructor(hz = 60) {
    this.hz = hz;
  }

  get bytes() {
    return this.#bytes;
  }

  get begin() {
    return this.#segments[0]?.from ?? NaN;
  }

  clear() {
    this.#segments = [];
    this.#bytes = 0;
  }

  /** Starts a segment with this record and its image; later records are added to it. */
  open({image, from, tick, paused, commands, hash}) {
    const segment = {image, from, tick: from, paused: paused === true, records: [], bytes: image.length};
    this.#bytes += image.length;
    this.#segments = this.#segments.filter((other) => other.from < from);
    this.#segments.push(segment);
    this.#count();
    if (tick > from || commands?.length > 0) this.add(segment, {from, tick, commands, hash});
    return segment;
  }

  /** Adds a record to a segment. A record after a gap is dropped: the segment ends before it. */
  add(segment, {from, tick, commands, hash}) {
    if (from !== segment.tick) return;
    const bytes = encodeRecord({from, tick, commands, hash});
    segment.records.push({tick, bytes});
    segment.tick = tick;
    segment.bytes += bytes.length;
    this.#bytes += bytes.length;
    while (this.#segments.length > 1 &&
           (this.#bytes > BYTES_MAX || segment.tick - this.#segments[1].from > LENGTH_S * this.hz)) {
      this.#segments.shift();
      this.#count();
    }
    if (this.#bytes > BYTES_MAX) this.clear();
  }

  #count() {
    this.#bytes = this.#segments.reduce((sum, segment) => sum + segment.bytes, 0);
  }

  #find(tick) {
    return this.#segments.findLast((segment) => segment.from <= tick && tick <= segment.tick);
  }

  covers(tick) {
    return this.#find(tick) !== undefined;
  }

  /**
   * Computes the world at a tick in `engine`, for the caller to free. `rest()` is awaited between slices of work.
   * Throws CaromError `not_found` if the recording lacks that tick.
   */
  async restore(engine, tick, rest = async () => {}) {
    const segment = this.#find(tick);
    if (!segment || tick - segment.from > PLAYED_MAX) {
      throw new CaromError('not_found', `the recording of this page does not have tick ${tick}`);
    }
    const world = engine.restoreWorld(segment.image);
    try {
      world.setPaused(segment.paused);
      let since = performance.now();
      for (const record of segment.records) {
        if (world.tick >= tick && record.tick > tick) break;
        world.play(record.tick <= tick ? record.bytes : cut(record.bytes, tick));
        if (performance.now() - since > SLICE_MS) {
          await rest();
          since = performance.now();
        }
      }
      return world;
    } catch (error) {
      world.free();
      throw error;
    }
  }
}

// Cuts a record after `tick`; its hash is dropped unless it is the last tick's.
function cut(bytes, tick) {
  const {from, commands = []} = decode(bytes);
  return encodeRecord({from, tick, commands: commands.filter((command) => command[0] <= tick)});
}

/** Records the world that a session watches. */
export class Recorder {
  #subscription = null;
  #segment = null;
  #world = '';
  #epoch;
  #busy = false;

  constructor(session) {
    this.session = session;
    this.recording = new Recording();
    /** Why nothing is recorded; '' while recording. */
    this.why = '';
    session.on('world', () => this.#stop());
    session.on('snapshot', (snapshot) => this.#see(snapshot));
  }

  #stop() {
    this.#subscription?.unsubscribe().catch(() => {});
    this.#subscription = this.#segment = null;
    this.#world = '';
    this.why = '';
    this.recording.clear();
  }

  // Starts with a world's first snapshot, and again when the last image is old.
  #see(snapshot) {
    const {info, world} = this.session;
    if (snapshot.epoch !== this.#epoch) this.recording.clear();
    this.#epoch = snapshot.epoch;
    if (this.#busy || !info || info.world !== world) return;
    if (info.bodies > BODIES_MAX) {
      this.why = `This page keeps the logs of worlds of up to ${BODIES_MAX} bodies; here are ${info.bodies}`;
      return;
    }
    const old = this.#segment && snapshot.tick - this.#segment.from > SEGMENT_S * info.hz;
    if (this.#world !== world || old) this.#begin(world, info.hz);
  }

  async #begin(world, hz) {
    this.#busy = true;
    this.#world = world;
    this.recording.hz = hz;
    try {
      const subscription = await this.session.client.subscribe({world, encoding: 'log', rate: Math.min(RATE, hz)});
      if (this.#world !== world) {
        subscription.unsubscribe().catch(() => {});
        return;
      }
      this.#listen(subscription);
    } catch {
      this.why = 'The server gives this page no log of the world';
      this.#segment = {from: Infinity};
    } finally {
      this.#busy = false;
    }
  }

  #listen(subscription) {
    subscription.on('snapshot', (record) => {
      if (this.#subscription !== subscription && !record.image) return;
      if (record.image) {
        if (record.epoch !== undefined && record.epoch !== this.#epoch) this.recording.clear();
        this.#segment = this.recording.open(record);
        if (this.#subscription !== subscription) this.#subscription?.unsubscribe().catch(() => {});
        this.#subscription = subscription;
      } else {
        this.recording.add(this.#segment, record);
      }
    });
  }
}

/** The engine, loaded on first use. Fails if its version differs from the server's. */
export async function serverEngine(hello) {
  const {loadEngine} = await import('../src/engine.js');
  engine ??= await loadEngine();
  if (hello.engine !== undefined && Number(hello.engine) !== engine.behaviour) {
    throw new CaromError('unavailable', `the server's engine is ${hello.engine}, this page's is ${engine.behaviour}`);
  }
  return engine;
}

let engine = null;
