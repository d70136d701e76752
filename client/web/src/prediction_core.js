// The engine's prediction (predict.h) in JavaScript: numbers and bytes become calls and maps. client/prediction/prediction.h
// says what it does and why.
//
// It lives in the memory of a WebAssembly instance, and is freed explicitly, before the world that it follows.

import {eventBits} from './engine.js';
import {CaromError} from './errors.js';
import {encode} from './msgpack.js';

const ROW = 8; // doubles: id, x, y, angle, vx, vy, w, flags
const NAME = 'local'; // commands name a world; here the name does not matter

/** Whether this engine.wasm can predict. */
export const canPredict = (engine) => engine.exports.carom_prediction_create !== undefined;

export class PredictionCore {
  #engine;
  #at = 0; // the core's address

  constructor(engine) {
    this.#engine = engine;
  }

  #run(name, ...args) {
    if (this.#at === 0) throw new CaromError('unavailable', 'nothing is predicted yet');
    return this.#engine.run(`carom_prediction_${name}`, this.#at, ...args);
  }

  /** Whether the prediction follows a world. */
  get runs() {
    return this.#at !== 0;
  }

  /** Follows another world of the replica, or another session of the client. To be called before the old world is
     freed. */
  follow(world, session) {
    if (this.#at === 0) this.#at = this.#engine.run('carom_prediction_create', world.address, session);
    else this.#run('follow', world.address, session);
  }

  free() {
    if (this.#at !== 0 && !this.#engine.broken) this.#engine.run('carom_prediction_free', this.#at);
    this.#at = 0;
  }

  set({inputDelay, budgetMs, check, events, smoothingS}) {
    this.#run('set', inputDelay, budgetMs, check ? 1 : 0, eventBits(events), smoothingS);
  }

  // ---- the network; times are in seconds

  arrival(now) {
    this.#run('arrival', now);
  }

  rtt(seconds) {
    this.#run('rtt', seconds);
  }

  margin(now, seconds) {
    this.#run('margin', now, seconds);
  }

  refused(at) {
    this.#run('refused', at);
  }

  // ---- a frame

  begin(now) {
    this.#run('begin', now);
  }

  /**
   * The next tick to give commands for: positive for the first time, negative for a repetition; 0: the frame is done.
   * `spentMs`: since
   * begin(), for the budget.
   */
  next(spentMs) {
    return this.#run('next', spentMs);
  }

  /** The commands of the tick that next() gave for the first time. Throws CaromError: they must not be sent. */
  give(commands) {
    this.#engine.withBytes(encode({world: NAME, commands}), (at, size) => {
      if (!this.#run('give', at, size)) throw this.#engine.error('world.apply');
    });
  }

  end(ms) {
    this.#run('end', ms);
  }

  // ---- the predicted world

  get tick() {
    return this.#run('tick');
  }

  /** The object that command `index` of the batch of tick `tick` made: {id, confirmed}; null: not known. */
  made(tick, index) {
    const id = this.#run('made', tick, index);
    return id === 0 ? null : {id: Math.abs(id), confirmed: id > 0};
  }

  own(body) {
    this.#run('own', body);
  }

  predict(body, predicted) {
    if (!this.#run('predict', body, predicted ? 1 : 0)) throw this.#engine.error();
  }

  /** Rows [id, x, y, angle, vx, vy, w, flags], one after the other: read them before the next call. */
  poses() {
    const count = this.#run('poses');
    const engine = this.#engine;
    return new Float64Array(engine.exports.memory.buffer, engine.run('carom_rows'), count * ROW);
  }

  /** Calls a method that reads, on the predicted world. */
  call(method, args) {
    const engine = this.#engine;
    return engine.withBytes(new TextEncoder().encode(method), (name, nameSize) =>
      engine.withBytes(encode({world: NAME, ...args}), (at, size) => {
        if (!this.#run('call', name, nameSize, at, size)) throw engine.error(method);
        return engine.result(true);
      }));
  }

  /** Events that were not reported yet: [fate, was predicted, event] each. */
  events() {
    return this.#engine.result(this.#run('events'));
  }

  figures() {
    return this.#engine.result(this.#run('figures'));
  }
}
