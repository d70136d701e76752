// A world of the page: the engine's, with its clock, and reports of changes for its subscriptions.

import {CaromError} from '../../src/errors.js';

const BEHIND_S = 0.1; // time that a page which was away catches up
const TICK_MS_MAX = 1000; // a world whose tick takes longer is paused
const STEP_TICKS_MAX = 1000; // ticks of one call: more would block the page
const KINDS = ['begin', 'end', 'hit', 'sensor_begin', 'sensor_end', 'sleep', 'wake', 'spawn', 'remove', 'joint_break', 'freeze'];
const READS = /^(query\.|body\.get$|joint\.(get|list)$|data\.get$|world\.(state|contacts)$)/;
const LISTENERS_MAX = 64;

export class LocalWorld {
  #listeners = new Set(); // subscriptions, which get events and changes
  #last = performance.now();
  #owed = 0; // ticks
  #stepMs = 0;
  #why = ''; // why a game was paused, until it is reported
  #busy = false; // a game's tick is on its way

  /** `game`: rules that act after each step (recipes.js), or null. */
  constructor(name, world, {epoch, paused, view, game}) {
    Object.assign(this, {name, world, epoch, paused, view, game});
    const {hz} = world.info();
    this.hz = hz;
    if (!game) world.wantEvents(KINDS);
  }

  get tick() {
    return this.world.tick;
  }

  free() {
    if (this.game) this.game.free();
    else this.world.free();
  }

  save() {
    return this.world.save();
  }

  info() {
    return {...this.world.info(), world: this.name, epoch: this.epoch, paused: this.paused, step_ms: this.#stepMs};
  }

  listen(listener) {
    if (this.#listeners.size >= LISTENERS_MAX) throw new CaromError('limit_exceeded', `a world has at most ${LISTENERS_MAX} subscriptions`);
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async call(method, {world, ...args}) {
    switch (method) {
      case 'world.info':
        return this.info();
      case 'world.pause':
      case 'world.resume':
        this.paused = method === 'world.pause';
        this.#last = performance.now();
        this.#owed = 0;
        return {world, tick: this.tick};
      case 'world.step':
        await this.#steps(Math.min(STEP_TICKS_MAX, args.ticks ?? 1));
        return {world, tick: this.tick};
      default:
        return this.#command(method, args);
    }
  }

  #command(method, args) {
    const answer = this.world.call(method, args);
    if (!READS.test(method)) {
      this.#tell('changed', this.#changedBy(method, args, answer));
      this.#events();
    }
    return answer;
  }

  // The bodies and joints whose descriptions a command may have changed: {bodies, joints}; null for any.
  #changedBy(method, args, answer) {
    const commands = method === 'world.apply' ? args.commands : [[method, args]];
    const results = method === 'world.apply' ? answer.results : [answer];
    const changed = {bodies: [], joints: []};
    for (const [i, [name, given]] of commands.entries()) {
      if (name.startsWith('shape.')) return null; // a shape's id does not name its body
      const made = results[i] ?? {};
      const body = typeof given.body === 'number' ? given.body : made.body;
      if (body) changed.bodies.push(body);
      const joint = typeof given.joint === 'number' ? given.joint : made.joint;
      if (joint) changed.joints.push(joint);
    }
    return changed;
  }

  #tell(what, ...values) {
    for (const listener of this.#listeners) listener[what](...values);
  }

  #events() {
    const events = this.game ? [] : this.world.events(); // a game has taken its own
    if (events.length > 0) this.#tell('events', events);
  }

  // ---- time

  /** Lets time pass without steps. */
  rest() {
    this.#last = performance.now();
    return '';
  }

  /** Steps by the time that has passed, until `until`. Returns why the world was paused, or ''. */
  advance(until) {
    const now = performance.now();
    if (this.paused) return this.rest();
    this.#owed = Math.min(BEHIND_S * this.hz, this.#owed + (now - this.#last) / 1000 * this.hz);
    this.#last = now;
    if (this.game) {
      this.#play();
      const why = this.#why;
      this.#why = '';
      return why;
    }
    while (this.#owed >= 1 && performance.now() < until) {
      this.#owed--;
      const took = this.#step();
      if (took > TICK_MS_MAX) {
        this.paused = true;
        return `A tick of “${this.name}” took ${(took / 1000).toFixed(1)} s: it is paused. Remove some bodies, or end it`;
      }
    }
    return '';
  }

  #step() {
    const began = performance.now();
    this.world.step();
    const took = performance.now() - began;
    this.#stepMs = took;
    this.#events();
    return took;
  }

  // The ticks of a game, which answers them in its own time.
  async #play() {
    if (this.#busy) return;
    this.#busy = true;
    try {
      for (; this.#owed >= 1 && !this.paused; this.#owed--) await this.#playTick();
    } catch (error) {
      this.paused = true;
      this.#why = `The rules of “${this.name}” have failed: ${error.message}`;
    } finally {
      this.#busy = false;
    }
  }

  async #playTick() {
    const began = performance.now();
    await this.game.step();
    this.#stepMs = performance.now() - began;
    this.#tell('changed', null); // rules may have changed anything
    this.#events();
  }

  async #steps(ticks) {
    for (let i = 0; i < ticks; i++) {
      if (this.game) await this.#playTick();
      else this.#step();
    }
  }
}
