// A referee over a world of the engine in this process, for tests of a game's rules: no server, no clock, no waiting.
//
// `await game.step()` steps the world once, gives the referee what happened, and returns when all of its handlers have
// ended and what they command is applied. A test is the players: join(), leave(), message().

import {CaromError, loadEngine} from './index.js';
import {checkOptions} from './referee.js';
import {KEY, RefereeGame} from './referee_game.js';

const WORLD = 'test';
const SEATS_MAX = 4096; // as of a server's world

class TestGame {
  #options;
  #checked;
  #referee = null;
  #waiting = []; // joins, leaves and messages of the next tick
  #sessions = 0;
  #errors = [];
  #referees = 0;
  #owners = new Map(); // by body: worlds of the engine alone have none

  constructor(engine, options, checked) {
    const {join, leave, message, event, tick, start, events = [], error, leaseS, handlerMs, seats = 64, engine: given, ...settings} = options;
    this.#options = {seats};
    this.#checked = checked;
    if (!(seats >= 1 && seats <= SEATS_MAX)) throw new CaromError('invalid_argument', `seats: 1 to ${SEATS_MAX}, got ${seats}`);
    this.error = error;
    /** The world itself: a test may do there what it likes. */
    this.world = engine.createWorld({...settings, events});
    /** Who has a seat: {seat, session, subject} by number. */
    this.seated = new Map();
    /** Messages that the referee has sent: {name, data, to, tick}. */
    this.sent = [];
    this.bodies = new Map();
    this.#attach();
  }

  #attach() {
    const {handlers, leaseS, handlerMs} = this.#checked;
    const {hz} = this.world.info();
    const host = {
      session: 0,
      open: true,
      call: async (method, args) => this.world.call(method, args),
      apply: async (commands) => this.#apply(commands),
      seats: async () => [...this.seated.values()],
    };
    const referee = new RefereeGame(host, {world: WORLD, epoch: 1, hz, handlers, holder: `test ${++this.#referees}`, leaseS, handlerMs});
    referee.bodies = this.bodies;
    referee.on('error', (what) => {
      if (this.error) this.error(what.error, what);
      else this.#errors.push(what.error);
    });
    this.#referee = referee;
  }

  #apply(commands) {
    const answer = this.world.call('world.apply', {commands});
    for (const [i, [method, args]] of commands.entries()) {
      if (method === 'message.send') this.#post(args);
      if (method === 'body.spawn' && args.owner) this.#owners.set(answer.results[i].body, args.owner);
      if (method === 'body.set' && args.owner !== undefined) this.#owners.set(answer.results[args.body.$]?.body ?? args.body, args.owner);
    }
    return answer;
  }

  #post({name, data, to = 'all'}) {
    const message = {name, ...(data !== undefined && {data})};
    this.sent.push({...message, to, tick: this.world.tick + 1});
    if (to === 'all' || to === 'referee') this.#waiting.push({kind: 'message', ...message, session: 0});
  }

  get tick() {
    return this.world.tick;
  }

  /** Whether the referee holds the world: false until the first step, and after crash(). */
  get holds() {
    return this.#referee.holds;
  }

  /** A value of the world's data; undefined if there is none. */
  get(key) {
    return this.world.call('data.get', {key}).data[key]?.value;
  }

  /** All keys of the game and their values: those of the referee itself are left out. */
  get data() {
    const {data} = this.world.call('data.get');
    return Object.fromEntries(Object.entries(data).filter(([key]) => key !== KEY && !key.startsWith(`${KEY}/`))
      .map(([key, {value}]) => [key, value]));
  }

  /** Takes a seat. Returns {seat, session, subject}; the referee hears of it in the next tick. */
  join(subject, data) {
    let seat = 1;
    while (this.seated.has(seat)) seat++;
    if (seat > this.#options.seats) throw new CaromError('limit_exceeded', `all ${this.#options.seats} seats are taken`);
    const player = {seat, session: ++this.#sessions, ...(subject !== undefined && {subject})};
    this.seated.set(seat, player);
    this.#waiting.push({kind: 'join', ...player, ...(data !== undefined && {data})});
    return player;
  }

  leave({seat}) {
    const player = this.seated.get(seat);
    if (player === undefined) throw new CaromError('not_found', `nobody has seat ${seat}`);
    this.seated.delete(seat);
    this.#waiting.push({kind: 'leave', ...player});
  }

  /** A message of a player to the referee. */
  message(player, name, data) {
    const {session, subject} = player ?? {session: 0};
    this.#waiting.push({kind: 'message', name, ...(data !== undefined && {data}), session, ...(subject !== undefined && {subject})});
  }

  /** Steps the world, with the referee's answers to each tick. Throws what a handler threw, unless there is `error`. */
  async step(ticks = 1) {
    for (let i = 0; i < ticks; i++) {
      this.world.step();
      await this.#show();
    }
  }

  async #show() {
    const {tick} = this.world;
    const told = this.#waiting.map(({kind, ...rest}) => ({kind, tick, ...rest}));
    this.#waiting = [];
    this.#look();
    const {data} = this.world.call('data.get');
    const snapshot = {tick, full: true, events: [...told, ...this.world.events()],
                      data: Object.fromEntries(Object.entries(data).map(([key, {value}]) => [key, value]))};
    this.#referee.take(snapshot, 1000 * this.world.time);
    await this.#referee.idle();
    if (this.#errors.length > 0) throw this.#errors.shift();
  }

  // Bodies keep their objects, as those of a view do.
  #look() {
    const rows = this.world.rows().slice();
    const before = new Map(this.bodies);
    this.bodies.clear();
    for (let i = 0; i < rows.length; i += 8) {
      const [id, x, y, angle, vx, vy, w] = rows.subarray(i, i + 8);
      const {type, tag, shapes} = this.world.call('body.get', {body: id});
      const owner = this.#owners.get(id) ?? '';
      this.bodies.set(id, Object.assign(before.get(id) ?? {id}, {x, y, angle, vx, vy, w, type, tag, owner, shapes}));
    }
  }

  /** The referee hands the world over, and another begins: as a restart of the program does. */
  async restart() {
    await this.#referee.release();
    this.#attach();
    await this.#show();
  }

  /** The referee ends without a word, and another begins: it takes over when the lease is over. */
  crash() {
    this.#referee.end();
    this.#attach();
  }

  free() {
    this.#referee.end();
    this.world.free();
  }
}

/**
 * A game with the handlers of createReferee() over a world of the engine here. Options: the handlers, `events`,
 * `error`, `seats`, `engine` (of loadEngine()), and the settings of Engine.createWorld().
 */
export async function createTestGame(options = {}) {
  const checked = checkOptions(options); // before the engine is loaded
  return new TestGame(options.engine ?? await loadEngine(), options, checked);
}
