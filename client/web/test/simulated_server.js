// A server of one world within the test: the package's engine, ticks in the test's own time (fake_time.js), and the
// part of the protocol that a prediction uses. It records every batch, so that a test can check that none was applied
// twice or lost.
import {FakeServer, welcome} from './fake_server.js';

export const SESSION = 7; // session of the client under test
export const OTHER = 99; // everybody else's session

const now = () => globalThis.performance.now();

export class SimulatedServer extends FakeServer {
  #waiting = []; // {at, commands, id, session, arrivedMs}
  #subscription = 0;
  #subscribed = false;
  #log = false; // the subscription has encoding log; else snapshots
  #began = false; // the client has its image or its first full snapshot
  #margin; // smallest margin since the last record
  #startedMs = now();

  /** `world`: a World of the package's engine, which this server steps from now on. `hello`: more members of its answer. */
  constructor(world, hello = {}) {
    super((method, args, id) => this.#take(method, args, id));
    this.world = world;
    this.hello = {engine: world.engine.behaviour, ...hello};
    this.hz = world.info().hz;
    /** Every batch that was applied: {session, commands, tick, late}. */
    this.applied = [];
    /** The text with which the server refuses a batch; undefined: it accepts the batch. */
    this.refuses = () => undefined;
    /** Whether the server knows `late`, as newer versions do. */
    this.knowsLate = true;
    this.eventCount = 0;
  }

  #take(method, args, id) {
    switch (method) {
      case 'hello':
        this.#subscribed = false; // a new connection has no subscription
        return welcome(SESSION, this.hello);
      case 'ping':
        return {time: now() / 1000};
      case 'world.subscribe':
        this.#began = false;
        this.#subscribed = true;
        this.#log = args.encoding === 'log';
        return {subscription: ++this.#subscription, tick: this.world.tick};
      case 'world.apply':
        return this.#takeBatch(args, id);
      default:
        return {};
    }
  }

  #takeBatch({at = 0, late, commands}, id) {
    if (late !== undefined && !this.knowsLate) return new Error('invalid_argument: late: there is no such argument');
    if (late === 'drop') return {dropped: true, late: this.world.tick + 1 - at, margin: -1};
    const refusal = this.refuses(commands);
    if (refusal !== undefined) return new Error(refusal);
    this.#waiting.push({at, commands, id, session: SESSION, arrivedMs: now()});
    return undefined; // the answer is sent with the batch's tick
  }

  cut() {
    this.#subscribed = false;
    super.cut();
  }

  /** Somebody else's batch for the next tick. */
  command(commands) {
    this.#waiting.push({at: 0, commands, session: OTHER, arrivedMs: now()});
  }

  /** The local time at which tick `tick` begins [ms]. */
  begins(tick) {
    return this.#startedMs + (tick - 1) * 1000 / this.hz;
  }

  /** Makes one tick: its batches in order of arrival, the step, the record. */
  tick() {
    const {world} = this;
    const tick = world.tick + 1;
    const due = this.#waiting.filter(({at}) => at <= tick);
    this.#waiting = this.#waiting.filter(({at}) => at > tick);
    const rows = due.map((batch) => this.#apply(batch, tick)).filter((row) => row !== null);
    world.step();
    this.eventCount += world.events().length;
    this.#tell(tick, rows);
  }

  #apply({at, commands, id, session, arrivedMs}, tick) {
    let results;
    try {
      results = this.world.apply(commands);
    } catch (error) {
      if (id !== undefined) this.reply(id, new Error(`${error.code}: ${error.message}`));
      return null;
    }
    const late = at > 0 ? tick - at : 0;
    this.applied.push({session, commands, tick, late});
    if (id !== undefined) {
      const margin = at > 0 ? (this.begins(at) - arrivedMs) / 1000 : 0;
      this.#margin = Math.min(this.#margin ?? Infinity, margin);
      this.reply(id, {tick, late, margin, results});
    }
    return [tick, session, 'world.apply', {world: 'local', commands, ...(at > 0 ? {at, late: 'next'} : {})}];
  }

  #tell(tick, commands) {
    if (!this.#subscribed) return;
    const head = {subscription: this.#subscription, world: 'local', epoch: 5};
    if (!this.#log) {
      this.notify('snapshot', {...head, ...this.#snapshot(tick)});
      return;
    }
    const record = this.#began ? {from: tick - 1, tick, commands} : {from: tick, tick, commands: [], image: this.world.save()};
    this.notify('snapshot', {...head, ...record, hash: this.world.hash(), margin: this.#margin});
    this.#began = true;
    this.#margin = undefined;
  }

  // Makes a snapshot with every body; a real server sends only changed ones.
  #snapshot(tick) {
    const rows = Array.from({length: this.world.rows().length / 8}, (_, i) => [...this.world.rows().subarray(8 * i, 8 * i + 7)]);
    const full = !this.#began;
    this.#began = true;
    return {tick, time: tick / this.hz, full, bodies: rows, removed: [], events: [],
            spawned: full ? rows.map(([id]) => this.world.body(id).info()) : undefined};
  }
}
