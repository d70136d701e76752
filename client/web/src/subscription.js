// A subscription to a world: its snapshots as they arrive, and the picture built from them; with encoding "log" the
// records of its log (replica.js), and no picture.
//
// Events: `snapshot` (snapshot, as it came), `event` (event), `message` (an event of kind message: {name, data, session,
// subject, tick}; subscribe with `events: ['message']`), `join` and `leave` (likewise: {seat, session, subject, data,
// tick}), `waiting` (CaromError: its world does not exist, and the request is repeated), `ended` (CaromError), which is
// the last. It survives lost connections: the client subscribes again if the server has forgotten it, and its id
// changes. Snapshots of encoding packed, the default, are unpacked here and look like plain ones.

import {Emitter} from './emitter.js';
import {CaromError} from './errors.js';
import {iterate} from './event_queue.js';
import {BODIES_MAX, PackedDecoder} from './packed.js';
import {checkRecord, checkSnapshot} from './received.js';
import {WorldView} from './view.js';

const SNAPSHOTS_MAX = 1024; // snapshots that wait for a loop: 17 s at 60 Hz
const EVENTS_MAX = 65536; // events that wait for a loop
const COMMAND_KINDS = new Set(['message', 'join', 'leave']); // kinds of events that are emitted by name, too

const EVENTS = ['snapshot', 'event', ...COMMAND_KINDS, 'waiting', 'ended'];

export class Subscription extends Emitter {
  #client;
  #decoder = null; // decoder of packed snapshots
  #full = null; // the last full snapshot, whose members later ones leave out
  #held = []; // snapshots that arrived with the server's answer, before the caller could listen

  constructor(client, args, options) {
    super(EVENTS);
    this.#client = client;
    this.args = args;
    /** How long to wait for a world that does not exist, or no longer exists [ms]. */
    this.waitMs = options?.waitMs ?? 0;
    if (!(this.waitMs >= 0)) throw new TypeError(`waitMs: ${this.waitMs}: expected milliseconds, 0 or more`);
    /** Bodies in view of the client's other packed subscriptions; set by its list. */
    this.others = () => 0;
    /** The connection to its server (following.js). */
    this.link = null;
    /** The server's number; 0 while there is none. */
    this.id = 0;
    /** Its number at the server that its world has left last; 0: none. */
    this.left = 0;
    this.view = new WorldView({extraDelayMs: options?.extraDelayMs, interpolation: options?.interpolation});
    /** The error that ended it; null while it runs. */
    this.error = null;
    /** Snapshots that the server skipped because they were not read fast enough. */
    this.skipped = 0;
    /** Events that the server dropped because this reader was too slow. */
    this.eventsLost = 0;
  }

  get world() {
    return this.args.world;
  }

  /** Bodies that its decoder of packed snapshots keeps. */
  get packedBodies() {
    return this.#decoder?.size ?? 0;
  }

  /** Called by the client: a snapshot has arrived. */
  take(snapshot, nowMs) {
    if (this.error) return;
    if (this.#held !== null) this.#held.push([snapshot, nowMs]);
    else this.#show(snapshot, nowMs);
  }

  /** Called by the client: the caller has the subscription and can listen. */
  release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [snapshot, nowMs] of held) this.#show(snapshot, nowMs);
  }

  #unpack(snapshot) {
    this.#decoder ??= new PackedDecoder();
    const told = this.#decoder.decode(snapshot.data, BODIES_MAX - this.others());
    if (told.full) this.#full = snapshot;
    const {world, epoch} = this.#full;
    const {data, world_data: changed, ...rest} = snapshot;
    const {hz, ...lists} = told;
    const keys = this.args.data ? {data: changed ?? {}} : {};
    return {events: [], ...rest, world, epoch, ...lists, ...keys, time: told.tick / hz};
  }

  // The snapshot, unpacked, and shown by the view. Throws if required members are missing.
  #read(arrived, nowMs) {
    if (this.args.encoding === 'log') {
      checkRecord(arrived);
      return arrived;
    }
    const snapshot = arrived.data instanceof Uint8Array ? this.#unpack(arrived) : arrived;
    checkSnapshot(snapshot);
    this.view.rttMs = (this.link?.client ?? this.#client)?.clock.rtt ?? 0;
    this.view.apply(snapshot, nowMs);
    return snapshot;
  }

  #show(arrived, nowMs) {
    if (this.error) return; // a listener has ended the subscription
    let snapshot;
    try {
      snapshot = this.#read(arrived, nowMs);
    } catch (error) {
      // The server's snapshot is invalid: later ones cannot be understood.
      const code = error instanceof CaromError ? error.code : 'internal';
      // The subscription ends for this reason, not for that of unsubscribe().
      this.end(new CaromError(code, error.message));
      this.#client.unsubscribe(this).catch(() => {});
      return;
    }
    this.skipped += snapshot.skipped ?? 0;
    this.eventsLost += snapshot.events_lost ?? 0;
    this.emit('snapshot', snapshot);
    if (this.args.encoding === 'log') return;
    for (const event of snapshot.events) {
      if (!this.error) this.emit('event', event);
      if (!this.error && COMMAND_KINDS.has(event.kind)) this.emit(event.kind, event);
    }
  }

  /** Called by the client: the subscription has ended. */
  end(error) {
    if (this.error) return;
    this.error = error;
    this.#decoder = null;
    if (this.#held !== null) this.#held = [];
    this.emit('ended', error);
  }

  /** The next snapshot; rejects if the subscription ends first. */
  next() {
    return new Promise((resolve, reject) => {
      if (this.error) {
        reject(this.error);
        return;
      }
      const offs = [
        this.once('snapshot', (snapshot) => {
          offs[1]();
          resolve(snapshot);
        }),
        this.once('ended', (error) => {
          offs[0]();
          reject(error);
        }),
      ];
    });
  }

  /** The snapshots from now on, for `for await`. It ends when the subscription is ended here, and throws if it ends otherwise. */
  [Symbol.asyncIterator]() {
    return iterate(this, 'snapshot', SNAPSHOTS_MAX, this.error);
  }

  /** The events from now on, likewise. */
  events() {
    return iterate(this, 'event', EVENTS_MAX, this.error);
  }

  /** Changes the area in view; without one, the whole world. It no longer follows a body. */
  async setArea(area, {margin} = {}) {
    await this.#look({area, margin});
  }

  /** Moves the area with a body; `area` is relative to its position. */
  async follow(body, area, {margin} = {}) {
    await this.#look({area, follow: body, margin});
  }

  // A refusal leaves the subscription as it was, also after a later lost connection.
  async #look({area, follow, margin}) {
    if (this.id !== 0) await (this.link?.client ?? this.#client).call('world.view', {subscription: this.id, area, follow, margin});
    this.args = {...this.args, area, follow, margin: margin ?? this.args.margin};
  }

  /** Ends the subscription. Snapshots in flight are dropped. */
  async unsubscribe() {
    await this.#client.unsubscribe(this);
  }
}
