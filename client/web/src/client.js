// A connection to a carom server that heals itself.
//
// A client sends requests, matches answers by their ids, and hands snapshots to their subscriptions.
// When the connection is lost it connects again after pauses that grow, resumes its session, and
// settles what was under way by what the server says took effect (PROTOCOL.md, "Resuming a session"):
// what had not taken effect is sent again, what had is reported as CaromError with `applied: true`.
// If the session is gone (the server was started anew), it begins another and subscribes again.
//
// States: connecting -> open <-> reconnecting, and closed at the end, which is for good.
// Events: `open` (hello), `lost` (CaromError), `resumed` (hello), `renewed` (hello: another session),
// `leaving` ({seconds, reason}), `closed` (CaromError).

import {pauseMs, MAX_MS} from './backoff.js';
import {addMethods, WorldCalls} from './calls.js';
import {ServerClock} from './clock.js';
import {Emitter} from './emitter.js';
import {Epochs, guardsEpoch} from './epochs.js';
import {CaromError} from './errors.js';
import {METHODS, PROTOCOL_VERSION} from './methods.js';
import {Decoder, encode} from './msgpack.js';
import {Subscription} from './subscription.js';
import {transportFor} from './transport.js';

const CALL_MS = 30000; // until a call without an answer fails, unless told otherwise
const ATTEMPT_MS = 5000; // for one attempt to connect, hello's answer included
const PENDING_MAX = 65536; // calls that wait for their answers
const SEND_BYTES_MAX = 16 * 1024 * 1024; // that the system has not taken yet
const PING_MS = 2000;
const FIRST_PINGS_MS = 100; // between the first ones, to know the clock soon
const FIRST_PINGS = 5;
const DEAD_MS = 10000; // without an answer to a ping: the connection is lost
const ID_MAX = 0xffffffff;

// May be repeated whatever became of them: they change nothing, or nothing more the second time.
const REPEATABLE = new Set(['ping', 'server.info', 'server.stats', 'server.sessions', 'world.list',
                            'world.info', 'world.view', 'world.subscribe']);
// Codes with which a server closes a connection that may succeed when tried again.
const PASSING = new Set(['unavailable', 'limit_exceeded', 'internal']);

const now = () => globalThis.performance.now();

// The number that stands before the bytes: seven bits a byte, the lowest first.
function splitNumber(bytes) {
  let number = 0;
  let at = 0;
  for (let scale = 1; at < bytes.length; scale *= 128) {
    number += (bytes[at] & 127) * scale;
    if (bytes[at++] < 128) break;
  }
  return {number, data: bytes.subarray(at)};
}

// A timer that does not keep a Node process alive.
function quietTimer(callback, ms) {
  const timer = setTimeout(callback, ms);
  timer.unref?.();
  return timer;
}

export class Client extends Emitter {
  #open; // makes a transport
  #options;
  #transport = null;
  #decoder = null;
  #helloId = 0;
  #helloArgs = null;
  #nextId = 1;
  #pending = new Map(); // id -> call, in the order in which they were made
  #subscriptions = new Map(); // server's number -> Subscription
  #epochs = new Epochs();
  #asked = new Set(); // subscriptions that wait for a number
  #stranded = new Set(); // those that wait for the next connection to ask for one
  #queue = []; // bytes that leave at the end of this turn
  #queuedBytes = 0;
  #attempts = 0;
  #upSince = 0;
  #lostSince = 0;
  #retryTimer = null;
  #attemptTimer = null;
  #pingTimer = null;
  #ping = null; // the one under way
  #closing = null; // what the server said before it closed
  #refused = null; // why the first attempt failed
  #ready;
  #settleReady;

  constructor(open, options = {}) {
    super();
    this.#open = open;
    this.#options = options;
    this.state = 'connecting';
    /** The answer to hello: server, version, engine, session, role, limits. */
    this.hello = null;
    this.clock = new ServerClock();
    /** Bytes and messages so far. */
    this.traffic = {bytesIn: 0, bytesOut: 0, messagesIn: 0, messagesOut: 0, reconnects: 0};
    addMethods(this, (name, args, callOptions) => this.call(name, args, callOptions),
               (name) => name !== 'hello');
    this.#ready = new Promise((resolve, reject) => {
      this.#settleReady = {resolve, reject};
    });
    this.#ready.catch(() => {});
    globalThis.addEventListener?.('online', this.#retryNow);
    this.#dial();
  }

  /** Resolves when the client is open for the first time. */
  get ready() {
    return this.#ready;
  }

  // ---- calls

  /**
   * Calls a method by its name; the answer's result. `timeoutMs`: 0 for none; `signal`: an
   * AbortSignal, after which nobody waits for the answer (the command may take effect all the same).
   */
  call(method, args = {}, options = {}) {
    return this.#request(method, args, options);
  }

  // `answered` sees the result before the next message is looked at.
  #request(method, args, {timeoutMs = this.#options.timeoutMs ?? CALL_MS, signal} = {}, answered) {
    return new Promise((resolve, reject) => {
      const fail = (code, text) => reject(new CaromError(code, text, {method, applied: false}));
      if (this.state === 'closed') return fail('closed', `'${method}': the client is closed`);
      if (signal?.aborted) return fail('closed', `'${method}' was given up`);
      if (this.#pending.size >= PENDING_MAX) {
        return fail('limit_exceeded', `${PENDING_MAX} calls wait for their answers`);
      }
      const id = this.#newId();
      const epoch = this.#epochs.get(args?.world); // of the world that is meant
      const call = {id, method, args, epoch, resolve, reject, answered, sent: false, timer: null};
      call.bytes = this.#encode([0, id, method, [args]]); // what it throws rejects the promise
      this.#pending.set(id, call);
      this.#guard(call, timeoutMs, signal);
      if (this.state === 'open') this.#again(call);
      return undefined;
    });
  }

  /**
   * Sends a command without asking for an answer: for steering, half the traffic. False if it was
   * dropped, because there is no connection or too much waits to be sent.
   */
  notify(method, args = {}) {
    if (this.state !== 'open') return false;
    return this.#enqueue(this.#encode([2, method, [args]]));
  }

  /**
   * The methods of one world: `client.use('lab').body.spawn({…})`. With `epoch` they are for that
   * world alone: where another one has its name they fail with `not_found`, and nothing happens.
   */
  use(world, options) {
    return new WorldCalls(this, world, options);
  }

  /** The epoch of the world of that name that an answer or a snapshot last told; else undefined. */
  epochOf(world) {
    return this.#epochs.get(world);
  }

  #newId() {
    let id;
    do {
      id = this.#nextId;
      this.#nextId = id >= ID_MAX ? 1 : id + 1;
    } while (this.#pending.has(id));
    return id;
  }

  #encode(message) {
    const bytes = encode(message);
    const most = this.hello?.limits?.message_bytes ?? Infinity;
    if (bytes.length > most) {
      throw new CaromError('limit_exceeded',
                           `a message of ${bytes.length} bytes; the server takes ${most}`,
                           {applied: false});
    }
    return bytes;
  }

  #guard(call, timeoutMs, signal) {
    const giveUp = (code, text) => () => this.#fail(call, new CaromError(code, text,
      {method: call.method, applied: call.sent ? undefined : false}));
    if (timeoutMs > 0) {
      call.timer = quietTimer(giveUp('timeout', `'${call.method}': no answer in ${timeoutMs} ms`),
                              timeoutMs);
    }
    signal?.addEventListener('abort', giveUp('closed', `'${call.method}' was given up`), {once: true});
  }

  #take(call) {
    clearTimeout(call.timer);
    return this.#pending.delete(call.id);
  }

  #fail(call, error) {
    if (this.#take(call)) call.reject(error);
  }

  // ---- bytes out

  // Messages sent in one turn of the event loop leave together.
  #enqueue(bytes) {
    if (this.#transport.buffered + this.#queuedBytes + bytes.length > SEND_BYTES_MAX) return false;
    if (this.#queue.length === 0) queueMicrotask(() => this.#flush());
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.traffic.messagesOut++;
    return true;
  }

  #flush() {
    const parts = this.#queue;
    const size = this.#queuedBytes;
    this.#queue = [];
    this.#queuedBytes = 0;
    if (this.#transport === null || parts.length === 0) return;
    let whole = parts[0];
    if (parts.length > 1) {
      whole = new Uint8Array(size);
      let at = 0;
      for (const part of parts) {
        whole.set(part, at);
        at += part.length;
      }
    }
    this.traffic.bytesOut += size;
    this.#transport.send(whole);
  }

  // ---- connecting

  #dial() {
    this.#decoder = new Decoder();
    this.#closing = null;
    let transport = null;
    const mine = () => this.#transport === transport && transport !== null;
    try {
      transport = this.#open({
        open: () => mine() && this.#greet(),
        data: (bytes) => mine() && this.#receive(bytes),
        close: (reason) => mine() && this.#down(reason),
      });
    } catch (error) {
      this.#finish(new CaromError('unavailable', error.message));
      return;
    }
    this.#transport = transport;
    this.#attemptTimer = setTimeout(() => this.#drop('no answer to hello'), ATTEMPT_MS);
  }

  // Gives the connection up, as if it had been lost.
  #drop(reason) {
    const transport = this.#transport;
    if (transport === null) return;
    this.#transport = null;
    transport.end();
    this.#down(reason);
  }

  async #greet() {
    const transport = this.#transport;
    const {name, token} = this.#options;
    const args = {protocol: PROTOCOL_VERSION, client: name, resume: this.hello?.resume || undefined};
    try {
      args.token = typeof token === 'function' ? await token() : token;
    } catch (error) {
      this.#finish(new CaromError('unauthenticated', `there is no token: ${error.message}`));
      return;
    }
    if (this.#transport !== transport) return;
    this.#sayHello(args);
  }

  #sayHello(args) {
    this.#helloId = this.#newId();
    this.#helloArgs = args;
    this.#transport.send(encode([0, this.#helloId, 'hello', [args]]));
  }

  #takeHello(error, result) {
    if (error !== null) {
      const refusal = CaromError.fromWire(error, 'hello');
      if (refusal.code === 'not_found' && this.#helloArgs.resume !== undefined) {
        this.#sayHello({...this.#helloArgs, resume: undefined});
      } else if (refusal.code === 'unavailable' || refusal.code === 'limit_exceeded') {
        this.#drop(refusal.message);
      } else {
        this.#finish(refusal);
      }
      return;
    }
    clearTimeout(this.#attemptTimer);
    const first = this.hello === null;
    const resumed = this.#helloArgs.resume !== undefined;
    this.hello = result;
    this.state = 'open';
    this.#upSince = now();
    if (!first) this.traffic.reconnects++;
    this.#settleCalls(resumed ? result : null);
    this.#settleSubscriptions(resumed ? result.subscriptions ?? [] : []);
    this.clock.reset();
    this.#pingSoon(0);
    if (first) this.#settleReady.resolve(this);
    this.emit(first ? 'open' : resumed ? 'resumed' : 'renewed', result);
  }

  // Each call that waits: sent again, waited for, or failed, by what the server says of it. `resumed`
  // is null where it says nothing, because the session is another.
  #settleCalls(resumed) {
    for (const call of [...this.#pending.values()]) {
      const scope = METHODS[call.method]?.scope;
      const {epoch, last = 0} = resumed?.applied?.[call.args?.world] ?? {};
      if (!call.sent || scope === 'read' || REPEATABLE.has(call.method)) this.#repeat(call, epoch);
      else if (resumed?.pending?.includes(call.id)) continue;
      else if (resumed === null || scope !== 'command') this.#lost(call, undefined);
      else if (call.id <= last) this.#lost(call, true);
      else this.#repeat(call, epoch);
    }
  }

  // Over another connection than it was made for: to the world that was meant. `applied`: the epoch
  // of the one in which this session has done something.
  #repeat(call, applied) {
    const epoch = call.args?.epoch ?? call.epoch ?? applied;
    if (epoch !== undefined && call.args?.world !== undefined && guardsEpoch(call.method)) {
      call.bytes = encode([0, call.id, call.method, [{...call.args, epoch}]]);
    }
    this.#again(call);
  }

  #again(call) {
    call.sent = this.#enqueue(call.bytes);
    if (!call.sent) {
      this.#fail(call, new CaromError('limit_exceeded',
        `'${call.method}': more than ${SEND_BYTES_MAX} bytes wait to be sent`,
        {method: call.method, applied: false}));
    }
  }

  #lost(call, applied) {
    this.#fail(call, new CaromError('unavailable',
      `'${call.method}': the answer was lost with the connection` +
      (applied ? '; it took effect' : '; whether it took effect is not known'),
      {method: call.method, applied}));
  }

  #settleSubscriptions(kept) {
    const numbers = new Set(kept.map((entry) => entry.subscription));
    for (const [id, subscription] of [...this.#subscriptions]) {
      if (numbers.has(id)) continue;
      this.#subscriptions.delete(id);
      this.#strand(subscription);
    }
    for (const subscription of this.#stranded) this.#subscribeAgain(subscription);
    this.#stranded.clear();
    // Those whose answer was lost: nobody here knows them.
    for (const id of numbers) {
      if (!this.#subscriptions.has(id)) this.notify('world.unsubscribe', {subscription: id});
    }
  }

  // ---- losing the connection

  #down(reason) {
    clearTimeout(this.#attemptTimer);
    clearTimeout(this.#pingTimer);
    this.#transport = null;
    this.#queue = [];
    this.#queuedBytes = 0;
    this.#ping = null;
    if (this.state === 'closed') return;
    const said = this.#closing;
    const error = new CaromError(said?.code ?? 'unavailable', said?.reason ?? reason);
    if (!this.#mayReturn(error)) {
      this.#finish(error);
      return;
    }
    const maxMs = this.#options.reconnect?.maxMs ?? MAX_MS;
    if (this.state === 'open') {
      if (now() - this.#upSince >= maxMs) this.#attempts = 0;
      this.#lostSince = now();
      this.state = 'reconnecting';
      if (error.code === 'limit_exceeded') this.hello.resume = ''; // that session has ended
      this.emit('lost', error);
    }
    if (this.state === 'closed') return; // a listener closed it
    const pause = pauseMs(this.#attempts++, this.#options.reconnect);
    this.#retryTimer = setTimeout(() => this.#dial(), pause);
  }

  #mayReturn(error) {
    const {reconnect, token} = this.#options;
    if (reconnect === false) return false;
    if (this.state === 'connecting' && !reconnect?.first) return false;
    if (this.state !== 'open' && now() - this.#lostSince > (reconnect?.giveUpMs ?? Infinity)) {
      return false;
    }
    return PASSING.has(error.code) ||
           (error.code === 'unauthenticated' && typeof token === 'function');
  }

  // The network is there again, says the platform.
  #retryNow = () => {
    if (this.#transport !== null || this.#retryTimer === null || this.state === 'closed') return;
    clearTimeout(this.#retryTimer);
    this.#dial();
  };

  #finish(error) {
    if (this.state === 'closed') return;
    this.state = 'closed';
    for (const timer of [this.#retryTimer, this.#attemptTimer, this.#pingTimer]) clearTimeout(timer);
    globalThis.removeEventListener?.('online', this.#retryNow);
    const transport = this.#transport;
    this.#flush();
    this.#transport = null;
    transport?.end();
    this.#settleReady.reject(error);
    for (const call of [...this.#pending.values()]) {
      this.#fail(call, new CaromError(error.code, `'${call.method}': ${error.message}`,
        {method: call.method, applied: call.sent ? undefined : false}));
    }
    const subscriptions = [...this.#subscriptions.values(), ...this.#asked, ...this.#stranded];
    for (const list of [this.#subscriptions, this.#asked, this.#stranded]) list.clear();
    for (const subscription of subscriptions) subscription.end(error);
    this.emit('closed', error);
  }

  /** Says goodbye, so that the server keeps nothing for a resume, and closes for good. */
  close() {
    if (this.state === 'open') this.notify('goodbye');
    this.#finish(new CaromError('closed', 'the client was closed'));
  }

  // ---- bytes in

  #receive(bytes) {
    this.traffic.bytesIn += bytes.length;
    const transport = this.#transport;
    let messages;
    try {
      messages = this.#decoder.feed(bytes);
    } catch (error) {
      this.#drop(`what the server sent is not understood: ${error.message}`);
      return;
    }
    for (const message of messages) {
      this.traffic.messagesIn++;
      this.#message(message);
      if (this.#transport !== transport) return;
    }
  }

  #message(message) {
    if (!Array.isArray(message)) {
      this.#drop('the server sent what is no MessagePack-RPC');
    } else if (message[0] === 1) {
      this.#answer(message[1], message[2], message[3]);
    } else if (message[0] === 2) {
      this.#notification(message[1], message[2]?.[0] ?? {});
    }
  }

  #answer(id, error, result) {
    if (id === this.#helloId && this.state !== 'open') {
      this.#takeHello(error, result);
      return;
    }
    const call = this.#pending.get(id);
    if (call === undefined || !this.#take(call)) return;
    if (error !== null) call.reject(CaromError.fromWire(error, call.method));
    else {
      this.#epochs.noteAnswer(call.args?.world, result);
      call.answered?.(result); // before the next message is looked at
      call.resolve(result);
    }
  }

  #notification(name, args) {
    switch (name) {
      case 'snapshot':
        this.#epochs.note(args.world, args.epoch); // which packed changes leave out
        this.#subscriptions.get(args.subscription)?.take(args, now());
        break;
      case 'log': {
        const {number, data} = splitNumber(args.data);
        this.#subscriptions.get(number)?.take({subscription: number, data}, now());
        break;
      }
      case 'world_closed': {
        const subscription = this.#subscriptions.get(args.subscription);
        this.#subscriptions.delete(args.subscription);
        this.#epochs.forget(args.world);
        // A server that ends says so of each world; its clients wait for the next one.
        if (args.code === 'unavailable' && subscription) this.#strand(subscription);
        else subscription?.end(new CaromError(args.code, args.reason));
        break;
      }
      case 'closing':
        this.#closing = args;
        break;
      case 'leaving':
        this.emit('leaving', args);
        break;
      default: // of a later version
    }
  }

  // ---- subscriptions

  /**
   * Subscribes to a world. `args` are those of world.subscribe; `options`: {extraDelayMs}.
   * Resolves to a Subscription when the server has said yes.
   */
  async subscribe(args, options) {
    const subscription = new Subscription(this, {...args}, options);
    await this.#subscribe(subscription);
    setTimeout(() => subscription.release()); // when the caller has had its turn to listen
    return subscription;
  }

  async #subscribe(subscription) {
    this.#asked.add(subscription);
    const answered = ({subscription: id}) => {
      if (this.#asked.delete(subscription)) {
        subscription.id = id;
        this.#subscriptions.set(id, subscription);
      } else {
        this.notify('world.unsubscribe', {subscription: id});
      }
    };
    try {
      // Its first snapshot may stand in the same bytes as the answer.
      await this.#request('world.subscribe', subscription.args, {}, answered);
    } catch (error) {
      this.#asked.delete(subscription);
      throw error;
    }
  }

  #subscribeAgain(subscription) {
    this.#subscribe(subscription).catch((error) => subscription.end(error));
  }

  #strand(subscription) {
    subscription.id = 0;
    this.#stranded.add(subscription);
  }

  /** Ends a subscription: Subscription.unsubscribe. */
  async unsubscribe(subscription) {
    const {id} = subscription;
    this.#asked.delete(subscription);
    this.#stranded.delete(subscription);
    this.#subscriptions.delete(id);
    subscription.end(new CaromError('closed', 'the subscription was ended'));
    if (id !== 0 && this.state === 'open') await this.call('world.unsubscribe', {subscription: id});
  }

  // ---- the clock

  #pingSoon(count) {
    this.#pingTimer = quietTimer(() => this.#sendPing(count), count < FIRST_PINGS ? FIRST_PINGS_MS : PING_MS);
  }

  #sendPing(count) {
    if (this.state !== 'open') return;
    if (this.#ping !== null) {
      // Seen twice and too old: the answer did not wait behind this very timer.
      if (this.#ping.seen && now() - this.#ping.sent > DEAD_MS) {
        this.#drop('the server does not answer');
        return;
      }
      this.#ping.seen = true;
      this.#pingSoon(FIRST_PINGS);
      return;
    }
    const ping = {sent: now(), seen: false};
    this.#ping = ping;
    this.call('ping', {}, {timeoutMs: 0}).then((answer) => {
      if (this.#ping !== ping) return; // of a connection before
      this.#ping = null;
      this.clock.add(ping.sent, now(), answer.time);
      this.emit('ping', this.clock);
    }, () => {});
    this.#pingSoon(count + 1);
  }
}

/**
 * Connects to a server: `connect('ws://host:22767/rpc')`, `connect('tcp://host:22766')` in Node, or
 * `connect()` for the page's own server. Resolves to an open Client.
 *
 * options: name, token (string, or a function that gives one), timeoutMs of calls,
 *   reconnect: false, or {firstMs, maxMs, giveUpMs, first: also where the first attempt fails},
 *   WebSocket: a class in the place of the platform's own, tls: options of node:tls for tls://,
 *   transport: a function as of transport.js in the place of a URL.
 */
export async function connect(url, options = {}) {
  return makeClient(url, options).ready;
}

/** As connect(), but returns the Client at once, to watch it connecting. */
export function makeClient(url, options = {}) {
  const open = typeof url === 'function' ? url : options.transport ?? transportFor(url, options);
  return new Client(open, options);
}
