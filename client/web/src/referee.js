// A game's referee: a program that decides in worlds, connected as any client, with a token of role referee.
//
// It looks for worlds of a template, or of given names, and subscribes to each. Joins, leaves, messages and events
// are given to the program's handlers, in the world's order and one after the other; the changes that handlers make take
// effect together with the record that their event was handled (referee_game.js). Of several programs one
// is a world's referee; another takes over when that one's record is older than the lease.
//
// Events: `attached`, `detached`, `holds`, `standby` (game), `error` ({error, game, during, event}).

import {Emitter} from './emitter.js';
import {CaromError, connect} from './index.js';
import {EVENT_KINDS} from './methods.js';
import {meant} from './options.js';
import {RefereeGame} from './referee_game.js';

const LOOK_MS = 500; // pause between two looks for worlds
const PATIENCE_MS = 2000; // time without a first connection until the program is told
const WORLDS_MAX = 1024; // worlds of one referee
const APPLY_MS = 10000; // time for the answer to a batch
const SUBSCRIPTIONS = 64; // subscriptions of a connection, if the server names no maximum
const HANDLERS = ['start', 'join', 'leave', 'message', 'event', 'tick'];
const FUNCTIONS = ['error', 'token', 'WebSocket']; // options beside the handlers that may be functions
const OPTIONS = ['client', 'url', 'token', 'name', 'reconnect', 'tls', 'WebSocket', 'template', 'worlds', 'events', 'rate', 'bodies', 'leaseS',
                 'handlerMs', 'lookMs', 'error', ...HANDLERS];
const CONNECTS = ['url', 'token', 'name', 'reconnect', 'tls', 'WebSocket']; // options of its own connections
const ROLES = ['referee', 'admin']; // roles that may do what a referee does
const COMMAND_EVENTS = ['join', 'leave', 'message'].filter((kind) => EVENT_KINDS.includes(kind));

const now = () => globalThis.performance.now();
const listOf = (value) => value === undefined ? [] : Array.isArray(value) ? value : [value];
const invalid = (text) => new CaromError('invalid_argument', text);

// Tells referees apart, where there may be no source of secrets (Node 18 has none among its globals).
function randomName() {
  const part = () => Math.floor(Math.random() * 2 ** 32).toString(16).padStart(8, '0');
  return part() + part();
}

// Why a name is refused, with those that there are.
const there = (kind, name, known) => `${name}: there is no such ${kind}; there are ${known.join(', ')}${meant(name, known)}`;

/** Checks the options that a live and a local referee share. Returns {handlers, kinds, leaseS, handlerMs}. */
export function checkOptions(options) {
  const {events = [], leaseS = 2, handlerMs = 10000} = options;
  const handlers = {};
  for (const [name, value] of Object.entries(options)) {
    if (typeof value === 'function' && !HANDLERS.includes(name) && !FUNCTIONS.includes(name)) {
      throw invalid(there('handler', name, HANDLERS));
    }
  }
  if (!Array.isArray(events)) throw invalid(`events: a list of kinds, got ${events}`);
  for (const name of HANDLERS) {
    if (!Object.hasOwn(options, name)) continue; // one that is undefined was meant to be something
    if (typeof options[name] !== 'function') throw invalid(`${name}: a handler is a function, got ${options[name]}`);
    handlers[name] = options[name];
  }
  for (const kind of events) {
    if (EVENT_KINDS.includes(kind) && !COMMAND_EVENTS.includes(kind)) continue;
    const kinds = EVENT_KINDS.filter((one) => !COMMAND_EVENTS.includes(one));
    throw invalid(`events: there is no kind '${kind}'; there are ${kinds.join(', ')}${meant(kind, kinds)}`);
  }
  if (handlers.event !== undefined && options.events === undefined) throw invalid('event: of which kinds? `events` names them');
  if (options.error !== undefined && typeof options.error !== 'function') throw invalid(`error: expected a function, got ${options.error}`);
  if (!(leaseS >= 0.5 && leaseS <= 60)) throw invalid(`leaseS: 0.5 to 60 seconds, got ${leaseS}`);
  if (!(handlerMs >= 10 && handlerMs <= 600000)) throw invalid(`handlerMs: 10 to 600000, got ${handlerMs}`);
  return {handlers, kinds: [...COMMAND_EVENTS, ...events], leaseS, handlerMs};
}

const EVENTS = ['attached', 'detached', 'holds', 'standby', 'error'];

export class Referee extends Emitter {
  #options;
  #checked;
  #connect; // makes another connection; null if the program gave its own
  #connections = []; // {client, games}
  #holder = randomName();
  #known = new Map(); // "world epoch" -> {game, subscription}; null while one is being attached
  #refused = new Set(); // worlds whose refusal was reported
  #unknown = new Set(); // templates that the server does not have, as was reported
  #timers = [];
  #looking = null;
  #closed = false;

  constructor(options = {}) {
    super(EVENTS);
    this.#options = options;
    this.#checked = checkOptions(options);
    const unknown = Object.keys(options).find((name) => !OPTIONS.includes(name));
    if (unknown !== undefined) throw invalid(there('option', unknown, OPTIONS));
    const {client, template, worlds, rate = 30, lookMs = LOOK_MS} = options;
    const beside = CONNECTS.find((name) => client && options[name] !== undefined);
    if (beside !== undefined) throw invalid(`${beside}: the client is connected already; give client or ${beside}`);
    if (template === undefined && worlds === undefined) throw invalid('template or worlds: which worlds?');
    for (const name of [...listOf(template), ...listOf(worlds)]) {
      if (typeof name !== 'string' || name === '') throw invalid(`template, worlds: a name or a list of names, got ${name}`);
    }
    if (!(rate > 0 && rate <= 1000)) throw invalid(`rate: above 0 and at most 1000 a second, got ${rate}`);
    if (!(lookMs >= 1 && lookMs <= 600000)) throw invalid(`lookMs: 1 to 600000, got ${lookMs}`);
    const {url, token, name = 'referee', reconnect = {first: true}, tls, WebSocket} = options;
    this.#connect = client ? null : () => connect(url, {name, token, reconnect, tls, WebSocket});
    if (client) this.#add(client);
  }

  /** Resolves when it is connected and has looked for worlds once. */
  async start() {
    if (this.#connections.length === 0) this.#add(await this.#connectFirst());
    this.#checkRole();
    await this.#checkTemplates();
    await this.#look();
    const {lookMs = LOOK_MS} = this.#options;
    this.#timers.push(setInterval(() => this.#look(), lookMs),
                      setInterval(() => this.#beat(), 1000 * this.#checked.leaseS / 4));
    return this;
  }

  async #connectFirst() {
    const {url = 'the server'} = this.#options;
    const error = new CaromError('unavailable', `${url}: no connection yet; it is tried again and again`);
    const timer = setTimeout(() => this.#report({error, during: 'connection'}), PATIENCE_MS);
    return this.#connect().finally(() => clearTimeout(timer));
  }

  // Without a token a server with --guests makes the program a guest, which would wait for the world's record for ever.
  #checkRole() {
    const {role} = this.#connections[0].client.hello ?? {};
    if (role === undefined || ROLES.includes(role)) return;
    if (this.#connect) this.#connections.forEach(({client}) => client.close());
    throw new CaromError('permission_denied', `a referee needs a token of role referee (option token); this session has the role ${role}` +
      (this.#options.token === undefined ? '' : '; a server without keys (caromd --keys) takes no token'));
  }

  // A template that the server does not have is reported, once: its worlds would be waited for in silence. It is no error
  // of createReferee, as the server may be started again with it.
  async #checkTemplates() {
    const {templates} = await this.#connections[0].client.server.info().catch(() => ({}));
    if (templates === undefined) return; // a server that does not say, or whose connection is lost
    const names = templates.map(({template}) => template);
    for (const name of listOf(this.#options.template)) {
      if (names.includes(name) || this.#unknown.has(name)) continue;
      this.#unknown.add(name);
      const has = names.length === 0 ? 'none (caromd --template)' : names.join(', ');
      this.#report({error: new CaromError('not_found', `template '${name}' does not exist: the server has ${has}${meant(name, names)}`), during: 'template'});
    }
  }

  /** The games that it is attached to, by the world's name. */
  get games() {
    return new Map([...this.#known.values()].filter((one) => one !== null).map(({game}) => [game.world, game]));
  }

  get figures() {
    const games = [...this.games.values()];
    const sum = (count) => games.reduce((total, game) => total + count(game), 0);
    return {worlds: games.length, holds: sum((game) => Number(game.holds)), waiting: sum((game) => game.waiting),
            handled: sum((game) => game.handled), failed: sum((game) => game.failed), eventsLost: sum((game) => game.eventsLost)};
  }

  #add(client) {
    const connection = {client, games: 0};
    this.#connections.push(connection);
    for (const name of ['resumed', 'renewed']) {
      client.on(name, () => {
        for (const one of this.#known.values()) if (one?.connection === connection) one.game.doubtEvents();
      });
    }
    client.on('renewed', () => {
      if (connection === this.#connections[0]) this.#checkTemplates(); // perhaps of a server that was started again
    });
    client.on('closed', (error) => {
      if (error.code !== 'closed') this.#report({error, during: 'connection'});
    });
    return connection;
  }

  #report(what) {
    const {error} = this.#options;
    if (error) error(what.error, what);
    else if (!this.hears('error')) console.error(`referee: ${what.game ? `${what.game.world} ` : ''}${what.during}:`, what.error);
    this.emit('error', what);
  }

  // ---- worlds

  #wants({world, template, unavailable}) {
    if (unavailable !== undefined) return false;
    const named = listOf(this.#options.worlds);
    return listOf(this.#options.template).includes(template) ||
           named.some((name) => name.endsWith('*') ? world.startsWith(name.slice(0, -1)) : name === world);
  }

  // One look at a time.
  #look() {
    this.#looking ??= this.#find().catch((error) => {
      const passing = this.#closed || error.code === 'unavailable' || this.#connections[0]?.client.state !== 'open';
      if (!passing) this.#report({error, during: 'look'});
    }).finally(() => {
      this.#looking = null;
    });
    return this.#looking;
  }

  async #find() {
    const [{client}] = this.#connections;
    if (client.state !== 'open') return;
    const listed = await client.world.list();
    const wanted = listed.filter((info) => this.#wants(info));
    await Promise.all(wanted.map((info) => this.#attach(info)));
  }

  async #place() {
    const free = this.#connections.find(({client, games}) =>
      games < (client.hello?.limits?.subscriptions_per_connection ?? SUBSCRIPTIONS) - 1);
    if (free) return free;
    if (this.#connect === null) {
      throw new CaromError('limit_exceeded', 'subscriptions_per_connection: this client has no room for another world; with url in place of client there are more connections');
    }
    return this.#add(await this.#connect());
  }

  async #attach({world, epoch, hz}) {
    const id = `${world} ${epoch}`;
    if (this.#closed || this.#known.has(id)) return;
    try {
      if (this.#known.size >= WORLDS_MAX) throw new CaromError('limit_exceeded', `a referee has at most ${WORLDS_MAX} worlds`);
      this.#known.set(id, null);
      const connection = await this.#place();
      connection.games++;
      await this.#watch(connection, {id, world, epoch, hz}).catch((error) => {
        connection.games--;
        throw error;
      });
      this.#refused.delete(id);
    } catch (error) {
      if (this.#known.get(id) === null) this.#known.delete(id);
      if (error.code === 'not_found' || this.#refused.has(id)) return; // it has ended, or was reported
      if (this.#refused.size < WORLDS_MAX) this.#refused.add(id);
      this.#report({error, during: `attach ${world}`});
    }
  }

  async #watch(connection, {id, world, epoch, hz}) {
    const {client} = connection;
    const call = (method, args, options) => client.call(method, {world, epoch, ...args}, options);
    const host = {
      call,
      get session() { return client.hello?.session; },
      get open() { return client.state === 'open'; },
      apply: (commands) => call('world.apply', {commands}, {timeoutMs: APPLY_MS}),
      seats: async () => {
        const {seats, seated} = await call('world.info'); // no `seated` while nobody has a seat
        return seats === undefined ? null : seated ?? [];
      },
    };
    const {handlers, kinds, leaseS, handlerMs} = this.#checked;
    const {rate = 30, bodies = true} = this.#options;
    const game = new RefereeGame(host, {world, epoch, hz, handlers, holder: this.#holder, leaseS, handlerMs});
    for (const name of ['holds', 'standby']) game.on(name, () => this.emit(name, game));
    game.on('error', (what) => this.#report(what));
    const subscription = await client.subscribe(
      {world, epoch, rate: Math.min(rate, hz), events: kinds, data: true, bodies, describe: bodies || undefined,
       encoding: bodies ? 'packed' : 'plain'});
    if (this.#closed) {
      await subscription.unsubscribe();
      throw new CaromError('not_found', 'the referee was closed');
    }
    game.bodies = subscription.view.bodies;
    subscription.on('snapshot', (snapshot) => game.take(snapshot, now()));
    subscription.on('ended', () => {
      connection.games--;
      game.end();
      this.#known.delete(id);
      this.emit('detached', game);
    });
    this.#known.set(id, {game, subscription, connection});
    this.emit('attached', game);
  }

  #beat() {
    for (const one of this.#known.values()) {
      if (one === null || one.connection.client.state !== 'open') continue;
      one.game.check(now());
      one.game.beat();
    }
  }

  /** Hands its worlds over, so that another referee need not wait, and closes the connections that it made. */
  async close() {
    this.#timers.forEach((timer) => clearInterval(timer));
    this.#timers = [];
    this.#closed = true; // a look that is under way may wait for a server that is gone
    const all = [...this.#known.values()].filter((one) => one !== null);
    await Promise.all(all.map(({game}) => game.release()));
    if (this.#connect === null) await Promise.all(all.map(({subscription}) => subscription.unsubscribe().catch(() => {})));
    else this.#connections.forEach(({client}) => client.close());
  }
}

/**
 * A referee, connected and attached to the worlds that are there. Options: `client`, or `url` and `token` of its own
 * connections; `template` or `worlds`: names, or their beginnings with `*`; the handlers start, join, leave, message,
 * event and tick; `events`: kinds for `event`; `rate`: snapshots a second; `bodies`: false for none; `leaseS`: seconds
 * after which another referee takes over; `handlerMs`: the longest time of a handler; `error(error, {during, game, event})`.
 */
export async function createReferee(options) {
  return new Referee(options).start();
}
