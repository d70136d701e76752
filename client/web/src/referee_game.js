// One world as its referee has it: events are queued, the program's handlers answer them one after the other, and
// their changes are sent as a batch.
//
// The batch that a tick's handlers make also changes the key `referee` of the world's data: who the referee is
// and up to which tick it has handled what happened. It names the key's version, so a batch of a referee that has been
// replaced is refused as a whole, and a handler's changes take effect together with the record that its event was
// handled: once, whichever program handles it. The key `referee/seat/<number>` records a taken seat in
// the same way, so that a join or a leave that nobody watched is handled later.
//
// States: standby <-> holder, and finally ended. This file knows no connection: a host (referee.js, testing.js) gives
// it snapshots, and carries out its batches. Events: `holds` and `standby` (game), `error` ({error, game, during}).

import {addMethods} from './calls.js';
import {Emitter} from './emitter.js';
import {CaromError, encode} from './index.js';

export const KEY = 'referee'; // {holder, session, seq, tick, beat}
export const SEAT_PREFIX = 'referee/seat/';
const OWN_PREFIX = `${KEY}/`; // keys of the record, which handlers read and do not change

const COMMANDS_MAX = 1000; // commands of a batch
const OWN_COMMANDS_MAX = 2; // the referee's own among these: the key, and a seat, for each event
const GROUP_MAX = 256; // events that one batch answers, unless one tick has more
const BYTES_MAX = 512 * 1024; // bytes of a batch; a server takes 1 MiB
const QUEUE_MAX = 65536; // events that wait for handlers
const TRIES_MAX = 5; // attempts at a batch whose answer is lost or that a limit holds up
const CLAIM_MS = 200; // pause between two attempts to become a world's referee
// Added pause before a claim, where this program may have missed events that the referee has not handled.
const UNSEEN_MS = 500;
const RELEASE_MS = 5000; // time to hand a world over
const TRY_MS = 200; // the first pause between two tries; doubled by each failure

// Codes after which the same batch may succeed, or may have succeeded.
const PASSING = new Set(['unavailable', 'timeout', 'limit_exceeded', 'internal']);

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const asError = (thrown) => thrown instanceof Error ? thrown : new Error(String(thrown));

// The record that a value of KEY is; undefined where somebody else has written another value there.
function recordOf(value) {
  const sound = Number.isInteger(value?.tick) && Number.isInteger(value.seq) && typeof value.holder === 'string';
  return sound ? value : undefined;
}

// The error of a batch with this turn alone names the command as the handler knows it, not by its place in the batch,
// where the record comes first.
function named(error, {commands}) {
  const [, place, text] = /^commands\[(\d+)\](.*)$/s.exec(error.message) ?? [];
  const [method, {key}] = commands[place - 1] ?? ['', {}];
  if (method !== '') error.message = `${method}${key === undefined ? '' : ` of '${key}'`}: ${text.replace(/^[.: ]+/, '')}`;
  return error;
}

// {seat, session, subject} by number.
function seatsOf(entries) {
  const found = new Map();
  for (const [key, value] of entries) {
    const seat = Number(key.slice(SEAT_PREFIX.length));
    if (value !== undefined) found.set(seat, {seat, ...value});
  }
  return found;
}

/**
 * What a handler can do: it reads the world, and collects what is to be changed. Each handler has its own; after the
 * handler has ended, changes are refused.
 */
export class Turn {
  #game;
  #open = true;

  constructor(game, event) {
    this.#game = game;
    /** The commands so far, `[method, args]`. */
    this.commands = [];
    /** Values of keys that were set (undefined: removed) since the handler began. */
    this.changes = new Map();
    this.event = event;
    addMethods(this, (name, args = {}) => this.#change(name, args), (name, info) => info.batch && info.scope === 'command');
  }

  // The record keeps the referee: a handler that changed it would end the game.
  #change(name, args) {
    if (name.startsWith('data.') && typeof args.key === 'string' && (args.key === KEY || args.key.startsWith(OWN_PREFIX))) {
      throw new CaromError('permission_denied', `${name}: '${args.key}' is the referee's own record, as all keys '${OWN_PREFIX}…' are; take another key`);
    }
    if (name === 'data.set' && args.value === undefined) {
      throw new CaromError('invalid_argument', `data.set: '${args.key}' has the value undefined; remove() removes a key`);
    }
    return this.#add(name, args);
  }

  /** Records a seat, or that it is free (undefined); for RefereeGame. */
  record(key, seat) {
    if (seat !== undefined) this.#add('data.set', {key, value: seat});
    else if (this.get(key) !== undefined) this.#add('data.remove', {key});
  }

  #add(name, args) {
    if (!this.#open) {
      throw new CaromError('closed', `'${name}': the handler has ended: await all of its work before it returns`);
    }
    if (this.commands.length >= COMMANDS_MAX - OWN_COMMANDS_MAX) {
      throw new CaromError('limit_exceeded', `a handler gives at most ${COMMANDS_MAX - OWN_COMMANDS_MAX} commands`);
    }
    encode(args); // throws where the handler passed a value that cannot be sent
    const reference = {$: this.commands.length}; // a reference to the thing that the command makes; the number becomes that of the batch later
    this.commands.push([name, args, reference]);
    if (name === 'data.set') this.changes.set(args.key, args.value);
    if (name === 'data.remove') this.changes.set(args.key, undefined);
    return reference;
  }

  /** The world's name, epoch, rate, and the newest tick and time [s] that are known. */
  get name() { return this.#game.world; }
  get epoch() { return this.#game.epoch; }
  get hz() { return this.#game.hz; }
  get tick() { return this.#game.tick; }
  get time() { return this.#game.tick / this.#game.hz; }

  /** Bodies by id, as in the newest snapshot, without those that handlers have removed. */
  get bodies() {
    const gone = new Set(this.#game.gone);
    for (const [name, {body}] of this.commands) if (name === 'body.remove') gone.add(body);
    return gone.size === 0 ? this.#game.bodies : new Map([...this.#game.bodies].filter(([id]) => !gone.has(id)));
  }

  /** Who has a seat: {seat, session, subject} by number. */
  get seats() { return seatsOf(this.entries(SEAT_PREFIX)); }

  /** A value of the world's data, with what this handler and those before it have set; `otherwise` if there is none. */
  get(key, otherwise = undefined) {
    const value = this.changes.has(key) ? this.changes.get(key) : this.#game.read(key);
    return value === undefined ? otherwise : value;
  }

  /** [key, value] of the keys with this beginning, sorted by key. */
  entries(prefix = '') {
    const found = new Map(this.#game.readAll(prefix));
    for (const [key, value] of this.changes) if (key.startsWith(prefix)) found.set(key, value);
    return [...found].filter(([, value]) => value !== undefined).sort(([a], [b]) => (a < b ? -1 : 1));
  }

  /** Sets a key of the world's data. */
  set(key, value) {
    this.#change('data.set', {key, value});
  }

  /** Removes a key of the world's data; nothing happens if there is none. */
  remove(key) {
    if (this.get(key) !== undefined) this.#change('data.remove', {key});
  }

  /** Sends a message: to all, to a subject, or to a session. */
  send(name, data, to) {
    this.#add('message.send', {name, data, to});
  }

  /** Calls a method now, apart from the batch: queries, and commands that may be repeated. */
  call(method, args) {
    return this.#game.host.call(method, args);
  }

  close() {
    this.#open = false;
  }
}

const EVENTS = ['holds', 'standby', 'error'];

export class RefereeGame extends Emitter {
  #handlers;
  #holder; // the name of this program among referees
  #leaseS;
  #handlerMs;
  #data = new Map(); // key -> {value, tick}: `tick` is that of the batch or snapshot with the value
  #queue = []; // events that wait, in the world's order
  #lost = 0; // events dropped since the last report
  #amiss = true; // joins or leaves may have been missed
  #ticked = -1; // tick of the last call of the handler `tick`
  #version = 0; // version of KEY as this referee wrote or last read it
  #seq = 0;
  #handled = -1; // the last tick whose events are handled, but for those that a paused world makes in it yet
  #since = null; // the tick after which every event has arrived
  #seen = {stamp: '', tick: -1, ms: 0}; // when KEY last changed
  #gone = new Set(); // bodies that batches have removed, and that the newest snapshot may still have
  #removed = new Set(); // keys of `#data` without a value
  #term = 0; // how often this program was no longer the referee: what one term has begun, no other ends
  #claiming = false;
  #leaving = false;
  #claimMs = -Infinity; // when the last attempt failed
  #toldClaim = false; // a failed claim of the world was reported
  #running = null; // promise of the loop
  #sending = Promise.resolve(); // batches and beats, one after the other
  #state = 'standby';

  /**
   * `host`: {call(method, args), apply(commands): {tick, results}, seats(): promise of [{seat, session, subject}] or null
   * where there are none, session, open: whether there is a connection}. `options`: {world, epoch, hz, handlers, holder, leaseS, handlerMs}.
   */
  constructor(host, {world, epoch, hz, handlers, holder, leaseS, handlerMs}) {
    super(EVENTS);
    this.host = host;
    this.world = world;
    this.epoch = epoch;
    this.hz = hz;
    this.tick = 0;
    this.bodies = new Map();
    this.#handlers = handlers;
    this.#holder = holder;
    this.#leaseS = leaseS;
    this.#handlerMs = handlerMs;
    /** Events that were dropped because too many waited. */
    this.eventsLost = 0;
    /** Events that were handled, and handlers that failed. */
    this.handled = 0;
    this.failed = 0;
  }

  get state() {
    return this.#state;
  }

  /** Whether this program is the world's referee. */
  get holds() {
    return this.#state === 'holder';
  }

  get waiting() {
    return this.#queue.length;
  }

  read(key) {
    return this.#data.get(key)?.value;
  }

  readAll(prefix) {
    return [...this.#data].filter(([key]) => key.startsWith(prefix)).map(([key, {value}]) => [key, value]);
  }

  get seats() {
    return seatsOf(this.readAll(SEAT_PREFIX));
  }

  // ---- reports of the host

  /** A snapshot: {tick, full, events, data: changes of keys, events_lost}. */
  take({tick, full, events, data = {}, events_lost: lost = 0}, nowMs) {
    if (this.#state === 'ended') return;
    this.tick = Math.max(this.tick, tick);
    this.#since ??= tick;
    if (full) {
      for (const [key, entry] of this.#data) if (!(key in data) && entry.tick <= tick) this.#data.delete(key);
    }
    for (const [key, value] of Object.entries(data)) this.#keep(key, value ?? undefined, tick);
    for (const key of this.#removed) {
      const entry = this.#data.get(key);
      if (entry?.value === undefined && entry?.tick <= tick) this.#data.delete(key);
      if (this.#data.get(key)?.value !== undefined || !this.#data.has(key)) this.#removed.delete(key);
    }
    if (lost > 0) this.#missed(lost);
    for (const id of this.#gone) if (!this.bodies.has(id)) this.#gone.delete(id);
    for (const event of events) this.#push(event);
    this.check(nowMs);
    this.#wake();
  }

  // A value that a later batch of this referee has replaced is passed over.
  #keep(key, value, tick) {
    if ((this.#data.get(key)?.tick ?? -1) > tick) return;
    if (value === undefined) this.#data.delete(key);
    else this.#data.set(key, {value, tick});
  }

  #push(event) {
    if (this.#queue.length >= QUEUE_MAX) this.#missed(1);
    else this.#queue.push(event);
  }

  /** Called by the host after its connection was lost: messages on their way do not come again. Joins and leaves show by the seats. */
  doubtEvents() {
    this.#amiss = true;
    this.#since = null;
    this.#report(new CaromError('unavailable', `the connection was lost: messages and events after tick ${this.tick} may be missing`), 'resume');
    this.#wake();
  }

  // Joins and leaves among lost events show by the seats; others are gone.
  #missed(count) {
    if (this.#lost === 0) this.#report(new CaromError('limit_exceeded', `events are lost: more than ${QUEUE_MAX} waited, or the server kept no more`), 'queue');
    this.#lost += count;
    this.eventsLost += count;
    this.#since = this.tick;
    this.#amiss = true;
  }

  /** Claims the world if it has no referee. Called with each snapshot and, as a paused world sends none, by the clock. */
  check(nowMs) {
    if (this.#state !== 'standby' || this.#claiming) return;
    const key = recordOf(this.read(KEY));
    const stamp = key === undefined ? '' : `${key.holder} ${key.seq} ${key.beat}`;
    if (stamp !== this.#seen.stamp) {
      this.#seen = {stamp, tick: this.tick, ms: nowMs};
      if (key !== undefined) this.#forget(key.tick);
    }
    const patienceMs = key?.tick >= this.#since ? 0 : UNSEEN_MS;
    const silentMs = nowMs - this.#seen.ms;
    const old = key === undefined || (key.holder === '' && silentMs >= patienceMs) ||
                this.tick - this.#seen.tick > (this.#leaseS + patienceMs / 1000) * this.hz || silentMs > 2000 * this.#leaseS + patienceMs;
    if (old && nowMs - this.#claimMs > CLAIM_MS) this.#claim(nowMs);
  }

  // The referee has reported events up to this tick as handled. A paused world makes more events of the same tick: later
  // ones are not handled yet.
  #forget(tick) {
    this.#handled = Math.max(this.#handled, tick);
    this.#queue = this.#queue.filter((event) => event.tick > tick);
  }

  async #claim(nowMs) {
    this.#claiming = true;
    this.#claimMs = nowMs;
    try {
      const {data} = await this.host.call('data.get', {key: KEY});
      const {value: read, version = 0} = data[KEY] ?? {};
      const value = recordOf(read);
      const stamp = value === undefined ? '' : `${value.holder} ${value.seq} ${value.beat}`;
      if (stamp !== this.#seen.stamp) return; // another program was here meanwhile
      this.#version = version;
      this.#seq = value?.seq ?? 0;
      this.#handled = Math.max(this.#handled, value?.tick ?? -1);
      await this.#commit([]);
    } catch (error) {
      const another = ['already_exists', 'closed', 'not_found'].includes(error.code); // or the world has ended
      if (!another && !this.#toldClaim) this.#report(error, 'claim');
      this.#toldClaim ||= !another;
      return;
    } finally {
      this.#claiming = false;
    }
    if (this.#state !== 'standby') return;
    this.#state = 'holder';
    this.#toldClaim = false;
    this.#amiss = true;
    this.#queue.unshift({kind: 'start', tick: this.tick});
    this.emit('holds', this);
    this.#wake();
  }

  /** Says that this referee lives. Called by the clock. */
  async beat() {
    if (!this.holds || this.#leaving) return;
    await this.#commit([], this.#whole()).catch((error) => this.holds && this.#report(error, 'beat'));
  }

  // The last tick of which no event waits.
  #whole() {
    return this.#queue.length === 0 && this.#running === null ? this.tick : this.#handled;
  }

  // ---- the loop

  #wake() {
    if (!this.holds || this.#leaving || this.#running !== null) return;
    this.#running = this.#run().catch((error) => this.#report(error, 'referee')).finally(() => {
      this.#running = null;
      if (this.#queue.length > 0) this.#wake();
    });
  }

  /** Resolves when all that has arrived is handled. */
  async idle() {
    while (this.#running !== null || this.#claiming) await (this.#running ?? pause(0));
  }

  async #run() {
    while (this.holds && !this.#leaving) {
      if (this.#amiss) await this.#reconcile();
      const term = this.#term;
      const turns = await this.#turns();
      if (turns.length === 0) return;
      await this.#send(turns, term);
      if (!this.#holdsSince(term)) this.#restore(turns);
    }
  }

  #holdsSince(term) {
    return this.holds && this.#term === term;
  }

  // Another program is the referee: it handles these events, unless it ends before, or has handled them.
  #restore(turns) {
    const {holder, seq} = recordOf(this.read(KEY)) ?? {};
    const since = holder === this.#holder && seq === this.#seq; // nobody has handled anything
    const open = ({done, event: {kind, tick}}) => !done && kind !== 'start' && kind !== 'tick' && (since || tick > this.#handled);
    this.#queue.unshift(...turns.filter(open).map(({event}) => event));
  }

  // Joins and leaves that were not seen: seats that are taken now, and seats that the data names.
  async #reconcile() {
    let seated;
    this.#amiss = false; // before the request: a later message sets it again
    try {
      seated = await this.host.seats();
    } catch (error) {
      this.#amiss = true;
      this.#report(error, 'seats');
      await pause(TRY_MS);
      return;
    }
    this.#lost = 0;
    if (seated === null) return;
    const taken = new Map(seated.map((seat) => [seat.seat, seat]));
    const before = this.seats;
    const coming = (kind, seat) => this.#queue.some((event) => event.kind === kind && event.seat === seat.seat && event.session === seat.session);
    const missed = [];
    for (const [number, seat] of before) {
      if (taken.get(number)?.session !== seat.session && !coming('leave', seat)) missed.push({kind: 'leave', tick: this.tick, ...seat});
    }
    for (const [number, seat] of taken) {
      if (before.get(number)?.session !== seat.session && !coming('join', seat)) missed.push({...seat, kind: 'join', tick: this.tick, seat: number});
    }
    const at = this.#queue[0]?.kind === 'start' ? 1 : 0;
    this.#queue.splice(at, 0, ...missed);
  }

  // Runs the handlers of waiting events: whole ticks, up to the size of a batch. Returns their turns.
  async #turns() {
    const turns = [];
    const size = {commands: 0, bytes: 0};
    while (this.#queue.length > 0 && this.holds && !this.#leaving) {
      const next = this.#queue[0];
      const full = size.commands >= COMMANDS_MAX / 2 || size.bytes > BYTES_MAX / 2 || turns.length >= GROUP_MAX;
      if (full && next.tick > turns.at(-1).event.tick) break;
      const turn = await this.#handle(this.#queue.shift(), turns);
      if (turn === null) continue;
      size.commands += turn.commands.length + 1;
      size.bytes += turn.bytes;
      turns.push(turn);
    }
    if (this.#queue.length === 0 && this.#handlers.tick && this.tick > this.#ticked && this.holds && !this.#leaving) {
      this.#ticked = this.tick;
      const turn = await this.#handle({kind: 'tick', tick: this.tick}, turns);
      if (turn !== null) turns.push(turn);
    }
    return turns;
  }

  // A turn that has ended, with its own commands; null for an event that was handled before, or that nobody handles.
  async #handle(event, before) {
    const {kind} = event;
    const seat = kind === 'join' || kind === 'leave' ? `${SEAT_PREFIX}${event.seat}` : null;
    const turn = new Turn(this.#after(before), event);
    if (seat !== null) {
      const there = turn.get(seat);
      const same = there !== undefined && there.session === event.session;
      if (same === (kind === 'join')) return null;
      turn.record(seat, kind === 'leave' ? undefined : {session: event.session, ...(event.subject !== undefined && {subject: event.subject})});
    }
    const own = turn.commands.length;
    const name = ['start', 'join', 'leave', 'message', 'tick'].includes(kind) ? kind : 'event';
    try {
      if (this.#handlers[name]) await this.#timed(this.#handlers[name](turn, event), name);
      this.handled += kind !== 'tick';
    } catch (thrown) {
      this.failed++;
      turn.commands.length = own;
      for (const key of turn.changes.keys()) if (key !== seat) turn.changes.delete(key);
      this.#report(asError(thrown), name, event);
    }
    turn.close();
    turn.own = own;
    turn.bytes = encode(turn.commands.map(([method, args]) => [method, args])).length;
    return turn;
  }

  // The game as the handlers before in the same batch have left it.
  #after(turns) {
    const game = this;
    const read = (key) => turns.findLast((turn) => turn.changes.has(key));
    return {
      host: this.host, world: this.world, epoch: this.epoch, hz: this.hz, bodies: this.bodies,
      get tick() { return game.tick; },
      get gone() {
        const removals = turns.flatMap(({commands}) => commands.filter(([name]) => name === 'body.remove'));
        return [...game.#gone, ...removals.map(([, {body}]) => body)];
      },
      read: (key) => {
        const turn = read(key);
        return turn ? turn.changes.get(key) : game.read(key);
      },
      readAll: (prefix) => {
        const found = new Map(game.readAll(prefix));
        for (const turn of turns) {
          for (const [key, value] of turn.changes) if (key.startsWith(prefix)) found.set(key, value);
        }
        return [...found];
      },
    };
  }

  async #timed(promise, name) {
    if (!(promise instanceof Promise)) return;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => reject(new CaromError('timeout', `the handler '${name}' has not ended in ${this.#handlerMs} ms`)), this.#handlerMs);
    });
    try {
      await Promise.race([promise, late]);
    } finally {
      clearTimeout(timer);
    }
  }

  // ---- batches

  // Sends what handlers made, in one batch; if that is refused, handler by handler, so that one command that the world
  // refuses spoils no other event.
  async #send(turns, term) {
    const whole = this.#queue.reduce((least, {tick}) => Math.min(least, tick - 1), Math.max(...turns.map(({event}) => event.tick)));
    // The last tick of which no event waits once these turns are handled.
    const after = (sent) => Math.min(whole, ...turns.slice(turns.indexOf(sent) + 1).map(({event}) => event.tick - 1));
    for (const part of this.#parts(turns)) {
      const error = await this.#try(part, after(part.at(-1)), term);
      if (!this.#holdsSince(term)) return;
      if (error === null) continue;
      for (const turn of part) {
        const refused = part.length > 1 ? await this.#try([turn], after(turn), term) : error;
        if (!this.#holdsSince(term)) return;
        if (refused === null) continue;
        this.failed++;
        this.#report(named(refused, turn), turn.event.kind, turn.event);
        turn.commands.length = turn.own; // the seat still counts as handled
        const again = await this.#try([turn], after(turn), term);
        if (!this.#holdsSince(term)) return;
        if (again !== null) this.#report(again, turn.event.kind, turn.event);
      }
    }
  }

  // Usually one batch.
  #parts(turns) {
    const parts = [[]];
    let commands = 0;
    let bytes = 0;
    for (const turn of turns) {
      if (commands + turn.commands.length > COMMANDS_MAX - OWN_COMMANDS_MAX || bytes + turn.bytes > BYTES_MAX) {
        parts.push([]);
        commands = bytes = 0;
      }
      parts.at(-1).push(turn);
      commands += turn.commands.length;
      bytes += turn.bytes;
    }
    return parts.filter((part) => part.length > 0);
  }

  // Null, or the error of a batch that was refused and did not take effect. Null too if the term has ended.
  async #try(turns, handled, term) {
    const commands = turns.flatMap((turn) => turn.commands);
    const done = () => turns.forEach((turn) => { turn.done = true; });
    // A message is recorded even if no command follows from it; other events are recorded by the next batch or beat.
    if (commands.length === 0 && !turns.some(({event}) => event.kind === 'message')) {
      this.#handled = Math.max(this.#handled, handled);
      done();
      return null;
    }
    for (let attempt = 0; this.#holdsSince(term); attempt++) {
      try {
        await this.#commit(commands, handled, term);
        done();
        return null;
      } catch (error) {
        if (!this.#holdsSince(term)) return null;
        if (!PASSING.has(error.code) || attempt + 1 >= TRIES_MAX) return error;
      }
      await pause(TRY_MS * 2 ** attempt);
    }
    return null;
  }

  // Sends the record of what is handled, and commands with it. Rejects if the batch did not take effect; the game is then on standby
  // if another program is the referee, or if nobody can be asked.
  #commit(commands, handled = this.#handled, term = this.#term) {
    const result = this.#sending.then(async () => {
      if (term !== this.#term) throw new CaromError('closed', 'another program is the referee');
      const before = this.tick;
      try {
        await this.#apply(commands, handled);
      } catch (error) {
        if (!await this.#tookEffect(error)) throw error;
        this.#settle(commands, before); // it took effect after that
      }
    });
    this.#sending = result.catch(() => {});
    return result;
  }

  async #apply(commands, handled) {
    const value = {holder: this.#holder, session: this.host.session, seq: this.#seq + 1, tick: Math.max(handled, this.#handled), beat: this.tick};
    commands.forEach(([, , reference], i) => {
      reference.$ = i + 1;
    });
    const record = ['data.set', {key: KEY, value, version: this.#version}];
    const {tick, results} = await this.host.apply([record, ...commands.map(([method, args]) => [method, args])]);
    this.#wrote(results[0].version, value, tick);
    this.#settle(commands, tick);
  }

  // Records the effects of commands before a snapshot shows them.
  #settle(commands, tick) {
    for (const [method, {key, value: set, body}] of commands) {
      if (method === 'data.set') this.#keepOwn(key, set, tick);
      if (method === 'data.remove') this.#keepOwn(key, undefined, tick);
      if (method === 'body.remove' && this.bodies.has(body)) this.#gone.add(body);
    }
  }

  #wrote(version, value, tick) {
    this.#version = version;
    this.#seq = value.seq;
    this.#handled = Math.max(this.#handled, value.tick);
    this.#keepOwn(KEY, value, tick);
  }

  // A removed key is remembered for as long as an older snapshot could bring it back.
  #keepOwn(key, value, tick) {
    if ((this.#data.get(key)?.tick ?? -1) > tick) return; // a newer snapshot has its value
    this.#data.set(key, {value, tick});
    if (value === undefined) this.#removed.add(key);
  }

  // Whether the batch of this error took effect nevertheless, by the record that it contains.
  async #tookEffect(error) {
    const refused = ['invalid_argument', 'permission_denied', 'unknown_method', 'unauthenticated'].includes(error.code);
    if (refused && error.applied === undefined) return false;
    for (let attempt = 0; this.#state !== 'ended'; attempt++) {
      try {
        const {data, tick} = await this.host.call('data.get', {key: KEY});
        const {value: read, version = 0} = data[KEY] ?? {};
        const value = recordOf(read);
        if (version === this.#version) return false;
        if (value?.holder !== this.#holder || value.seq !== this.#seq + 1) break;
        this.#wrote(version, value, tick);
        return true;
      } catch (again) {
        if (!PASSING.has(again.code) || attempt + 1 >= TRIES_MAX) break;
        await pause(TRY_MS * 2 ** attempt);
      }
    }
    this.#stand();
    return false;
  }

  #stand() {
    if (this.#state !== 'holder') return;
    this.#state = 'standby';
    this.#term++;
    this.#seen = {stamp: '', tick: this.tick, ms: -Infinity};
    this.emit('standby', this);
  }

  /** Hands the world over, so that the next referee need not wait; nothing is handed over without a connection. */
  async release() {
    let timer;
    const late = new Promise((resolve) => {
      timer = setTimeout(resolve, RELEASE_MS);
    });
    if (this.holds && this.host.open) await Promise.race([this.#handOver().catch(() => {}), late]);
    clearTimeout(timer);
    this.end();
  }

  async #handOver() {
    this.#leaving = true; // no more handlers
    await this.#running;
    await this.#sending;
    if (!this.holds) return;
    const value = {holder: '', session: this.host.session, seq: this.#seq + 1, tick: this.#whole(), beat: this.tick};
    await this.host.apply([['data.set', {key: KEY, value, version: this.#version}]]);
  }

  /** Called by the host: the world has ended, or is left. */
  end() {
    this.#state = 'ended';
    this.#queue = [];
  }

  #report(error, during, event) {
    this.emit('error', {error, game: this, during, event});
  }
}
