// A subscription to a world: its snapshots as they come, and the picture that they make; with encoding
// "log" the records of its log (replica.js), and no picture.
//
// Events: `snapshot` (snapshot, as it came), `event` (event), `waiting` (CaromError: its world is not there,
// and is asked for again), `ended` (CaromError), after which nothing comes. It lives through lost
// connections: the client makes it anew where the server has forgotten it, and its id changes.
// Snapshots of encoding packed, which is taken unless another is asked for, are unpacked here: they look
// like plain ones.

import {Emitter} from './emitter.js';
import {CaromError} from './errors.js';
import {PackedDecoder} from './packed.js';
import {WorldView} from './view.js';

export class Subscription extends Emitter {
  #client;
  #decoder = null; // of packed snapshots
  #full = null; // the last one: what later ones leave out
  #held = []; // snapshots that came with the server's first answer, before anybody could listen

  constructor(client, args, options) {
    super();
    this.#client = client;
    this.args = args;
    /** How long to wait for the world where it is not there, or not any more [ms]. */
    this.waitMs = options?.waitMs ?? 0;
    if (!(this.waitMs >= 0)) throw new TypeError(`waitMs: ${this.waitMs}: expected milliseconds, 0 or more`);
    /** The server's number; 0 while there is none. */
    this.id = 0;
    this.view = new WorldView(options);
    /** Why it ended; null while it goes on. */
    this.error = null;
    /** Snapshots that the server left out because they were not taken fast enough. */
    this.skipped = 0;
    /** Events that the server could not keep for this reader, which was too slow. */
    this.eventsLost = 0;
  }

  get world() {
    return this.args.world;
  }

  /** The client's: a snapshot has come. */
  take(snapshot, nowMs) {
    if (this.error) return;
    if (this.#held !== null) this.#held.push([snapshot, nowMs]);
    else this.#show(snapshot, nowMs);
  }

  /** The client's: whoever asked for it has it in hand. */
  release() {
    const held = this.#held ?? [];
    this.#held = null;
    for (const [snapshot, nowMs] of held) this.#show(snapshot, nowMs);
  }

  #unpack(snapshot) {
    this.#decoder ??= new PackedDecoder();
    const told = this.#decoder.decode(snapshot.data);
    if (told.full) this.#full = snapshot;
    const {world, epoch} = this.#full;
    const {data, ...rest} = snapshot;
    const {hz, ...lists} = told;
    return {events: [], ...rest, world, epoch, ...lists, time: told.tick / hz};
  }

  #show(arrived, nowMs) {
    if (this.error) return; // a listener has ended it
    let snapshot = arrived;
    if (arrived.data !== undefined && this.args.encoding !== 'log') {
      try {
        snapshot = this.#unpack(arrived);
      } catch (error) {
        // The server's bytes are wrong: nothing after them can be read.
        this.#client.unsubscribe(this).catch(() => {});
        this.end(new CaromError('internal', error.message));
        return;
      }
    }
    this.skipped += snapshot.skipped ?? 0;
    this.eventsLost += snapshot.events_lost ?? 0;
    if (this.args.encoding !== 'log') this.view.apply(snapshot, nowMs);
    this.emit('snapshot', snapshot);
    for (const event of snapshot.events ?? []) if (!this.error) this.emit('event', event);
  }

  /** The client's: it is over. */
  end(error) {
    if (this.error) return;
    this.error = error;
    if (this.#held !== null) this.#held = [];
    this.emit('ended', error);
  }

  /** The next snapshot; fails when the subscription ends first. */
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

  /** Moves the area that is seen; without one, the whole world. It follows no body any more. */
  async setArea(area, {margin} = {}) {
    await this.#look({area, margin});
  }

  /** The area goes along with a body, and is told from its position on. */
  async follow(body, area, {margin} = {}) {
    await this.#look({area, follow: body, margin});
  }

  // A refusal leaves the subscription as it was, also for the time after a lost connection.
  async #look({area, follow, margin}) {
    if (this.id !== 0) await this.#client.call('world.view', {subscription: this.id, area, follow, margin});
    this.args = {...this.args, area, follow, margin: margin ?? this.args.margin};
  }

  /** Ends it. Snapshots that are on their way are dropped. */
  async unsubscribe() {
    await this.#client.unsubscribe(this);
  }
}
