// An exact copy of a server's world, computed here from its image and the commands since.
//
// However many bodies there are, only the players' commands are sent, and the state's hash now and then: the copy
// compares it with its own and says `diverged` if they differ, which only another engine or a fault can cause. follow()
// takes the records from a server; play() takes them from anywhere.
//
// A record may span 131 072 ticks (a quiet world whose reader was away), more than a page can compute at once. follow()
// plays for SLICE_MS and leaves the rest to a later turn of the page's loop; records that come meanwhile wait. play()
// plays a whole record.
//
// Events: `image` (World) when there is another copy, before the old one is freed, `tick` (tick) and `record` (record)
// after each record, `diverged` (CaromError), `ended` (CaromError). Nothing comes after the last two.

import {Emitter} from './emitter.js';
import {CaromError, checkOptions} from './errors.js';
import {encode} from './msgpack.js';

const SLICE_MS = 8; // longest time at once
const SLICE_TICKS = 16; // ticks between two looks at the clock
const WAITING_MAX = 256; // records that wait; with more, all are played at once

/** Encodes a record of a world's log, a map, as the engine reads it: keys in their order. */
export function encodeRecord({from, tick, commands = [], hash, image}) {
  const pairs = [['from', from], ['tick', tick], ['commands', commands], ['hash', hash],
                 ['image', image]];
  return encode(new Map(pairs.filter((pair) => pair[1] !== undefined && pair[1] !== null)));
}

const EVENTS = ['image', 'tick', 'record', 'diverged', 'ended'];

export class Replica extends Emitter {
  #engine;
  #subscription = null; // made by follow()
  #waiting = []; // records that follow() has still to play, the first maybe in part
  #begun = false; // whether a part of the first was played
  #timer = null; // plays the remaining records

  constructor(engine) {
    super(EVENTS);
    this.#engine = engine;
    /** The copy; null until the first record with an image. @type {World|null} */
    this.world = null;
    /** The error that ended it; null while it runs. */
    this.error = null;
  }

  get tick() {
    return this.world?.tick ?? 0;
  }

  /**
   * Copies a server's world: subscribes to its log (`rate`: records a second at most) and plays the records, across
   * lost connections and restarts of the server, until stop(), an error, or the world's end. Resolves to this replica
   * when the copy exists. Throws CaromError `unavailable` if the server's engine differs from this package's.
   */
  async follow(client, world, options = {}) {
    checkOptions('follow', options, ['rate']);
    const {rate} = options;
    const theirs = client.hello?.engine;
    if (theirs !== this.#engine.behaviour) {
      throw new CaromError('unavailable', `the server's engine is ${theirs ?? 'not known yet'}, this one is ` +
                                          `${this.#engine.behaviour}: a copy would not be exact`);
    }
    if (this.#subscription || this.error) {
      throw this.error ?? new CaromError('already_exists', 'this replica follows a world already');
    }
    // otherwise the server does not know this compact form
    const shared = client.hello.compact === this.#engine.compact;
    const subscription = await client.subscribe({world, rate, encoding: 'log',
                                                 compact: shared ? this.#engine.compact : undefined});
    this.#subscription = subscription;
    subscription.on('snapshot', (record) => {
      this.#waiting.push(record);
      if (this.#timer === null || this.#waiting.length > WAITING_MAX) this.#playWaiting();
    });
    subscription.on('ended', (error) => this.#end(error));
    await subscription.next();
    if (this.error) throw this.error;
    return this;
  }

  /** Stops following. The copy stays as it is until free(). */
  stop() {
    this.#subscription?.unsubscribe().catch(() => {});
    this.#subscription = null;
    clearTimeout(this.#timer);
    this.#timer = null;
    this.#waiting = [];
  }

  #playWaiting() {
    const end = this.#waiting.length > WAITING_MAX ? Infinity : performance.now() + SLICE_MS;
    clearTimeout(this.#timer);
    this.#timer = null;
    try {
      while (this.#waiting.length > 0 && performance.now() < end) {
        if (this.#playSome(this.#waiting[0], this.#begun, SLICE_TICKS)) {
          const record = this.#waiting.shift();
          this.#begun = false;
          this.emit('tick', this.world.tick);
          this.emit('record', record);
        } else {
          this.#begun = true;
        }
      }
    } catch {
      this.stop(); // #playSome() has set the error
    }
    if (this.#waiting.length > 0) this.#timer = setTimeout(() => this.#playWaiting());
  }

  // Returns whether nothing of the record is left.
  #playSome(record, begun, ticks) {
    try {
      if (record.image && !begun) this.#begin(record);
      if (this.world === null) throw new CaromError('invalid_argument', 'a record without an image');
      if (record.data) this.world.playCompact(record.data, ticks);
      else this.world.play(encodeRecord({...record, image: undefined}), ticks);
      return !this.world.within;
    } catch (error) {
      this.#end(error);
      throw error;
    }
  }

  #end(error) {
    if (this.error) return;
    this.error = error;
    this.emit(error.code === 'internal' ? 'diverged' : 'ended', error);
  }

  /** Plays a record: a map {from, tick, commands, hash?, image?, paused?}, or {data}: its compact form. */
  play(record) {
    if (this.error) throw this.error;
    this.#playSome(record, false, Infinity);
    this.emit('tick', this.world.tick);
    this.emit('record', record);
  }

  #begin({image, from, paused}) {
    const world = this.#engine.restoreWorld(image);
    if (world.tick !== from) {
      world.free();
      throw new CaromError('invalid_argument', `the image is of another tick than ${from}`);
    }
    world.setPaused(paused === true);
    this.emit('image', world);
    this.world?.free();
    this.world = world;
  }

  /** Frees the copy's memory and stops following. */
  free() {
    this.stop();
    this.world?.free();
    this.world = null;
  }
}
