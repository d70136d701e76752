// A connection to a carom server that restores itself.
//
// A client sends requests, matches answers by their ids, and passes snapshots to their subscriptions. When the
// connection is lost it connects again after pauses that grow, resumes its session, and resolves unanswered calls by
// the server's report of which took effect (PROTOCOL.md, "Resuming a session"): calls without effect are sent again,
// calls that the server still works on keep waiting, the others fail with a CaromError whose `applied` is true. If the
// session is gone (the server was restarted without it), it begins another and subscribes again; whether commands took
// effect is then unknown (`applied` is undefined).
//
// In a page the session ends with the page (page.js), by `goodbye`, unless keepSession leaves it to the tab's next
// page. A token that a function gives is renewed before it expires.
//
// A world that another server of the fleet serves is followed there (following.js): that server gets a connection of its
// own, a second Client behind this one, which is the one that the program has.
//
// States: connecting -> open <-> reconnecting, and finally closed, which is permanent. Events: `open` (hello), `lost`
// (CaromError), `resumed` (hello), `renewed` (hello: another session), `leaving` ({seconds, reason}), `closed`
// (CaromError).

import {pauseMs, MAX_MS} from './backoff.js';
import {addMethods, WorldCalls} from './calls.js';
import {ServerClock} from './clock.js';
import {Emitter} from './emitter.js';
import {loadEngine} from './engine.js';
import {Epochs, guardsEpoch} from './epochs.js';
import {distantTransport} from './distance.js';
import {CaromError, checkOptions, checkWorldName} from './errors.js';
import {Following} from './following.js';
import {Heartbeat, quietTimer} from './heartbeat.js';
import {METHODS, PROTOCOL_VERSION} from './methods.js';
import {Decoder, encode} from './msgpack.js';
import {leaveSession, takeSession, watchPage} from './page.js';
import {Prediction} from './prediction.js';
import {checkHello, checkPing, checkSubscribed, noticeOf} from './received.js';
import {TokenRenewal} from './renewal.js';
import {Subscription} from './subscription.js';
import {SubscriptionList} from './subscription_list.js';
import {meant, whyNotOptions} from './options.js';
import {parseAddress, RPC_PATH, transportFor} from './transport.js';

const CALL_MS = 30000; // default time after which a call without an answer fails
const ATTEMPT_MS = 5000; // time for one attempt to connect, including hello's answer
const PENDING_MAX = 65536; // most calls that wait for their answers
const SEND_BYTES_MAX = 16 * 1024 * 1024; // most bytes that the system has not accepted yet
const ASK_MS = 1000; // limit for another server to say who serves a world
const HOMES_MAX = 256; // worlds of one connection that its session is known to have changed
const HEIR_MS = 5000; // limit for a server to take a session along; then the connection gets a new session
const HASTY_MS = 1000; // a server that closes sooner than this, with a reason, will do so again
const ID_MAX = 0xffffffff;
const CALL_OPTIONS = ['timeoutMs', 'signal'];
const SUBSCRIBE_OPTIONS = ['extraDelayMs', 'interpolation', 'waitMs'];
const OPTIONS = ['name', 'token', 'timeoutMs', 'reconnect', 'resume', 'keepSession', 'WebSocket', 'tls', 'transport', 'follow',
                 'transportTo', 'loadEngine', 'distance'];
const FUNCTIONS = ['transport', 'transportTo', 'loadEngine', 'WebSocket']; // options that are functions
const FRONT = Symbol('front'); // option of a client behind another one: what the two clients share

// Calls that may be repeated even if they took effect: a second one changes nothing more.
const REPEATABLE = new Set(['ping', 'server.info', 'server.stats', 'server.sessions', 'world.list',
                            'world.info', 'world.view', 'world.subscribe']);
// Codes with which a server closes a connection that may succeed when tried again.
const PASSING = new Set(['unavailable', 'limit_exceeded', 'internal']);

const now = () => globalThis.performance.now();

// Splits the leading number off the bytes: seven bits a byte, the lowest first.
function splitNumber(bytes) {
  let number = 0;
  let at = 0;
  for (let scale = 1; at < bytes.length; scale *= 128) {
    number += (bytes[at] & 127) * scale;
    if (bytes[at++] < 128) break;
  }
  return {number, data: bytes.subarray(at)};
}

// Whether the library itself asks who stands by for a world, or serves it: no call waits for that.
const isQuestion = ({method, answered}) => method === 'world.info' && answered !== undefined;

// Throws for options that connect() would pass over.
function checkConnect(options) {
  checkOptions('connect', options, OPTIONS);
  checkOptions('connect: reconnect', options.reconnect || {}, ['firstMs', 'maxMs', 'giveUpMs', 'first']);
  if (typeof options.follow === 'object') checkOptions('connect: follow', options.follow, ['plain']);
  for (const name of FUNCTIONS) {
    const value = options[name];
    if (value !== undefined && typeof value !== 'function') throw new CaromError('invalid_argument', `connect: ${name}: expected a function, got ${value}`);
  }
  const {token} = options;
  if (!['undefined', 'string', 'function'].includes(typeof token)) {
    throw new CaromError('invalid_argument', 'connect: token: expected a string, or a function that gives one');
  }
}

const EVENTS = ['open', 'lost', 'resumed', 'renewed', 'leaving', 'closed', 'ping', 'moved'];

export class Client extends Emitter {
  #open; // makes a transport
  #options;
  #transport = null;
  #decoder = null;
  #leaving = false; // the page ends: each message is sent at once
  #helloId = 0;
  #helloArgs = null;
  #ids; // {next}: one series of request numbers for all servers, as they may have the same session
  #kin; // clients of the same object have the same session
  #heirUntil = 0; // while above 0: its first hello takes the session of its kin along, and is tried again until then
  #pending = new Map(); // id -> call, in the order in which they were made
  #homes = new Set(); // worlds here that the session has changed, and may have something in
  #epochs;
  #following; // shared by the clients of one program
  #link; // this client, as #following knows it
  #queue = []; // bytes to send at the end of this turn
  #queuedBytes = 0;
  #attempts = 0;
  #upSince = 0;
  #lostSince = now(); // or when the first attempt began
  #retryTimer = null;
  #attemptTimer = null;
  #closing = null; // the server's reason for closing
  #resume; // the secret of an earlier page's session, for the first hello
  #heartbeat;
  #renewal;
  #engine = null; // promise of the engine
  #subscriptions;
  #offPage;
  #ready;
  #settleReady;

  constructor(open, options = {}) {
    super(EVENTS);
    this.#open = open;
    this.#options = options;
    const front = options[FRONT];
    this.#epochs = front?.epochs ?? new Epochs();
    this.#ids = front?.ids ?? {next: 1};
    this.#kin = front?.kin ?? {};
    this.#heirUntil = front?.kin ? now() + HEIR_MS : 0;
    this.#resume = options.resume ?? (options.keepSession ? takeSession(this.#sessionName) : undefined);
    this.state = 'connecting';
    /** Whether the last hello resumed an existing session. */
    this.resumed = false;
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
    this.#heartbeat = new Heartbeat({
      ask: () => this.#request('ping', {}, {timeoutMs: 0}, checkPing),
      answered: (sent, {time}) => {
        this.clock.add(sent, now(), time);
        this.emit('ping', this.clock);
      },
      dead: () => this.#drop('the server does not answer'),
    });
    this.#renewal = new TokenRenewal(options.token, (token) => this.#presentToken(token));
    this.#subscriptions = new SubscriptionList(
      (args, callOptions, answered) => this.#request('world.subscribe', args, callOptions, (answer) => {
        checkSubscribed(answer);
        answered(answer);
      }),
      (number) => this.#notifyHere('world.unsubscribe', {subscription: number}),
      (subscription, error) => this.#following.move(subscription, this.#link, error));
    const homes = this.#homes;
    const pending = this.#pending;
    const kin = () => this.#kin;
    const secret = () => (this.hello ? this.hello.resume : this.#resume) || undefined;
    const heir = () => this.#heirUntil > 0;
    this.#link = {
      client: this,
      url: options.url,
      list: this.#subscriptions,
      calls: (world) => [...this.#pending.values()].filter((call) => call.args?.world === world && !isQuestion(call)).length,
      adopt: (call, followed) => this.#adopt(call, followed),
      fail: (call, error) => this.#fail(call, error),
      get called() {
        return [...pending.values()].filter((call) => call.args?.world !== undefined && !isQuestion(call)).map(({args}) => args.world);
      },
      get busy() {
        return homes.size > 0 || this.called.length > 0;
      },
      get kin() {
        return kin();
      },
      get secret() {
        return secret();
      },
      get heir() {
        return heir();
      },
      homes,
      owns: (world) => homes.has(world),
      own: (world) => homes.add(world),
      leave: (world) => homes.delete(world),
      ask: (world) => this.#request('world.info', {world}, {timeoutMs: ASK_MS}, () => {}),
      redirect: (to, session) => this.#redirect(to, session),
    };
    this.#following = front?.following ?? new Following(this.#link, options, (url, carries, from) => this.#reach(url, carries, from));
    this.#offPage = front ? () => {} : watchPage({wake: this.#wake, leave: this.#leave});
    this.#dial();
  }

  // The name under which a page stores its session for the next one.
  get #sessionName() {
    const {keepSession, address} = this.#options;
    return typeof keepSession === 'string' ? keepSession : address ?? '';
  }

  /** Resolves when the client is open for the first time. */
  get ready() {
    return this.#ready;
  }

  // ---- calls

  /**
   * Calls a method by its name; the answer's result. `timeoutMs`: 0 for none; `signal`: an
   * AbortSignal, after which nobody waits for the answer (the command may still take effect).
   */
  call(method, args = {}, options = {}) {
    const why = whyNotOptions(method, options, CALL_OPTIONS);
    if (why !== '') return Promise.reject(new CaromError('invalid_argument', why, {method, applied: false}));
    return this.#request(method, args, options);
  }

  // The link to another server. `carries`: the token goes there; `from`: the link whose session goes along.
  #reach(url, carries, from) {
    const {token, transportTo, ...options} = this.#options;
    const front = {epochs: this.#epochs, following: this.#following, ids: this.#ids, kin: from?.kin};
    const client = new Client(transportTo(url), {...options, url, transportTo, token: carries ? token : undefined,
                                                 resume: from?.secret, keepSession: undefined, [FRONT]: front});
    client.ready.catch(() => {});
    return client.#link;
  }

  /**
   * The client of the connection to a world's server: its `hello`, `clock` and `state`. This client itself, unless the
   * world is served elsewhere.
   */
  serverOf(world) {
    return this.#following.linkOf(world).client;
  }

  /** The clients of all connections, this one first. */
  get servers() {
    return [this, ...this.#following.others.map(({client}) => client)];
  }

  /** The server's URL; undefined with a transport of the program's own. */
  get url() {
    return this.#link.url?.href;
  }

  // `answered` gets the result before the next message is read.
  #request(method, args, options = {}, answered) {
    const {timeoutMs = this.#options.timeoutMs ?? CALL_MS, signal} = options;
    return new Promise((resolve, reject) => {
      const fail = (code, text) => reject(new CaromError(code, text, {method, applied: false}));
      if (this.state === 'closed') return fail('closed', `'${method}': the client is closed`);
      if (signal?.aborted) return fail('closed', `'${method}' was given up`);
      const epoch = this.#epochs.get(args?.world); // epoch of the world that the call is meant for
      const call = {id: 0, method, args, epoch, resolve, reject, answered, client: this, sent: false, doubtful: false, over: false,
                    timer: null, unlisten: null};
      this.#guard(call, timeoutMs, signal);
      if (answered !== undefined || this.#options[FRONT] || !this.#following.take(call)) this.#adopt(call, false);
      return undefined;
    });
  }

  // Takes a call to this client's server. `followed`: another server has answered it with `moved`.
  #adopt(call, followed) {
    const {method, args} = call;
    call.client = this;
    try {
      if (this.state === 'closed') throw new CaromError('closed', `'${method}': the client is closed`);
      if (this.#pending.size >= PENDING_MAX) {
        throw new CaromError('limit_exceeded', `${PENDING_MAX} calls wait for their answers`);
      }
      call.id = this.#newId();
      call.bytes = this.#encode([0, call.id, method, [args]]);
    } catch (error) {
      call.id = 0;
      this.#fail(call, new CaromError(error.code ?? 'internal', error.message, {method, applied: false}));
      return;
    }
    call.sent = false;
    this.#pending.set(call.id, call);
    if (this.state === 'open') followed ? this.#repeat(call) : this.#again(call);
  }

  /**
   * Sends a command without asking for an answer: for steering, half the traffic. False if it was
   * dropped, because there is no connection or too much waits to be sent.
   */
  notify(method, args = {}) {
    if (!Object.hasOwn(METHODS, method)) { // nobody would answer
      throw new CaromError('unknown_method', `there is no method '${method}'${meant(method, Object.keys(METHODS))}`);
    }
    return this.serverOf(args?.world).#notifyHere(method, args);
  }

  #notifyHere(method, args = {}) {
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

  /** The last epoch received for the world of that name; else undefined. */
  epochOf(world) {
    return this.#epochs.get(world);
  }

  #newId() {
    let id;
    do {
      id = this.#ids.next;
      this.#ids.next = id >= ID_MAX ? 1 : id + 1;
    } while (this.#pending.has(id));
    return id;
  }

  // Throws CaromError with the argument's name for values that cannot be sent.
  #encode(message) {
    let bytes;
    try {
      bytes = encode(message);
    } catch (error) {
      const text = error.message.replace(/^\[\d\]\[0\]\.?/, '');
      throw new CaromError('invalid_argument', text, {method: message.at(-2), applied: false});
    }
    const told = this.hello?.limits?.message_bytes;
    const most = typeof told === 'number' ? told : Infinity;
    if (bytes.length > most) {
      throw new CaromError('limit_exceeded',
                           `a message of ${bytes.length} bytes; the server takes ${most}`,
                           {applied: false});
    }
    return bytes;
  }

  #guard(call, timeoutMs, signal) {
    const giveUp = (code, text) => () => call.client.#fail(call, new CaromError(code, text,
      {method: call.method, applied: call.sent ? undefined : false}));
    if (timeoutMs > 0) {
      call.timer = quietTimer(giveUp('timeout', `'${call.method}': no answer in ${timeoutMs} ms`),
                              timeoutMs);
    }
    if (signal === undefined || signal === null) return;
    const aborted = giveUp('closed', `'${call.method}' was given up`);
    signal.addEventListener('abort', aborted, {once: true});
    call.unlisten = () => signal.removeEventListener('abort', aborted);
  }

  #take(call) {
    if (call.over) return false;
    call.over = true;
    clearTimeout(call.timer);
    call.unlisten?.();
    this.#pending.delete(call.id);
    this.#following.answered(this.#link, call);
    return true;
  }

  #fail(call, error) {
    if (this.#take(call)) call.reject(error);
  }

  // Whether another server gets the call: this one has answered that it serves the world.
  #follow(call, error) {
    if (error.code !== 'moved' || call.answered !== undefined || call.args?.world === undefined ||
        this.#options.follow === false) return false;
    this.#pending.delete(call.id);
    call.id = 0;
    this.#following.follow(this.#link, call, error);
    return true;
  }

  // ---- sending

  // Queues a message: those of one turn of the event loop are sent together.
  #enqueue(bytes) {
    if (this.#transport.buffered + this.#queuedBytes + bytes.length > SEND_BYTES_MAX) return false;
    if (this.#queue.length === 0 && !this.#leaving) queueMicrotask(() => this.#flush());
    this.#queue.push(bytes);
    this.#queuedBytes += bytes.length;
    this.traffic.messagesOut++;
    if (this.#leaving) this.#flush(); // the page may end before a microtask
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

  // Another server has this one's worlds: the session is resumed there at once, or another one begins (`session` false).
  #redirect(url, session = true) {
    if (this.state !== 'reconnecting') return;
    if (!session) this.hello.resume = '';
    this.#open = this.#options.transportTo(url);
    this.#link.url = url;
    clearTimeout(this.#retryTimer);
    clearTimeout(this.#attemptTimer);
    const transport = this.#transport;
    this.#transport = null;
    transport?.end();
    this.#attempts = 0;
    this.#dial();
  }

  // Drops the connection as if it were lost.
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
    const resume = (this.hello ? this.hello.resume : this.#resume) || undefined;
    const args = {protocol: PROTOCOL_VERSION, client: name, resume};
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
    if (error === null) {
      checkHello(result);
    } else {
      const refusal = CaromError.fromWire(error, 'hello');
      // The session is gone, or the token has another subject.
      const gone = refusal.code === 'not_found' || refusal.code === 'permission_denied';
      if (gone && this.#helloArgs.resume !== undefined) {
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
    if (first && resumed) this.#countOn(result);
    this.hello = result;
    this.resumed = resumed;
    this.#heirUntil = 0;
    if (!resumed) {
      this.#kin = {};
      this.#homes.clear();
    }
    this.state = 'open';
    this.#upSince = now();
    if (!first) this.traffic.reconnects++;
    this.#settleCalls(resumed && !first ? result : null);
    this.#subscriptions.settle(resumed ? result.subscriptions ?? [] : null);
    this.clock.reset();
    this.#heartbeat.start();
    this.#renewal.start(result.expires);
    if (first) this.#settleReady.resolve(this);
    this.emit(first ? 'open' : resumed ? 'resumed' : 'renewed', result);
  }

  // The previous page has used some request numbers of this session: this page's numbers begin above them.
  #countOn({applied = {}, pending = []}) {
    const used = Object.values(applied).map(({last}) => last ?? 0);
    this.#ids.next = Math.max(this.#ids.next - 1, ...used, ...pending) % ID_MAX + 1;
    const waiting = [...this.#pending.values()];
    this.#pending.clear();
    for (const call of waiting) {
      call.id = this.#newId();
      call.bytes = encode([0, call.id, call.method, [call.args]]);
      this.#pending.set(call.id, call);
    }
  }

  // Sends each waiting call again, keeps waiting for it, or rejects it, according to the server's report. `resumed` is
  // null without a report: the session, or its client, is new.
  #settleCalls(resumed) {
    for (const call of [...this.#pending.values()]) {
      const scope = METHODS[call.method]?.scope;
      const {epoch, last = 0} = resumed?.applied?.[call.args?.world] ?? {};
      if (!call.sent || scope === 'read' || REPEATABLE.has(call.method)) this.#repeat(call, epoch);
      else if (resumed?.pending?.includes(call.id)) continue;
      else if (resumed === null || scope !== 'command') this.#lost(call, undefined);
      else if (call.id <= last) this.#lost(call, true);
      else {
        call.doubtful = true;
        this.#repeat(call, epoch);
      }
    }
  }

  // Sends a call again over another connection, for the same world. `applied`: the epoch of the world in which commands
  // of this session took effect.
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

  // ---- losing the connection

  #down(reason) {
    clearTimeout(this.#attemptTimer);
    this.#heartbeat.stop();
    this.#renewal.stop();
    this.#transport = null;
    this.#queue = [];
    this.#queuedBytes = 0;
    if (this.state === 'closed') return;
    const said = this.#closing;
    const error = new CaromError(said?.code ?? 'unavailable', said?.reason ?? reason);
    if (!this.#mayReturn(error)) {
      this.#finish(error);
      return;
    }
    const maxMs = this.#options.reconnect?.maxMs ?? MAX_MS;
    if (this.state === 'open') {
      // Pauses grow with each failure, and while the server accepts the session only to end it.
      const hasty = said !== null && now() - this.#upSince < (error.code === 'unavailable' ? HASTY_MS : maxMs);
      if (!hasty) this.#attempts = 0;
      this.#lostSince = now();
      this.state = 'reconnecting';
      if (error.code === 'limit_exceeded') this.hello.resume = ''; // the session has ended
      this.emit('lost', error);
    }
    if (this.state === 'closed') return; // a listener has closed the client
    const pause = pauseMs(this.#attempts++, this.#options.reconnect);
    this.#retryTimer = setTimeout(() => this.#dial(), pause);
  }

  // Whether an heir dials again: to take the session along, and then once to get one of its own.
  #heirReturns() {
    if (this.#heirUntil === 0) return false;
    if (now() < this.#heirUntil) return true;
    if (this.#resume === undefined) return false;
    this.#resume = undefined;
    this.#heirUntil = now() + ATTEMPT_MS;
    return true;
  }

  #mayReturn(error) {
    const {reconnect, token} = this.#options;
    if (this.state === 'connecting' && PASSING.has(error.code) && this.#heirReturns()) return true;
    if (reconnect === false) return false;
    if (this.state === 'connecting' && !reconnect?.first) return false;
    if (this.state !== 'open' && now() - this.#lostSince > (reconnect?.giveUpMs ?? Infinity)) {
      return false;
    }
    return PASSING.has(error.code) ||
           (error.code === 'unauthenticated' && typeof token === 'function');
  }

  // Called when the network or the page is back: connects at once, or checks the connection.
  #wake = () => {
    if (this.state === 'open') {
      this.#heartbeat.check();
    } else if (this.#transport === null && this.#retryTimer !== null && this.state !== 'closed') {
      clearTimeout(this.#retryTimer);
      this.#attempts = 0;
      this.#dial();
    }
  };

  // Called when the page ends. If the next page may resume the session, stores the secret for it. The connection stays
  // open for the page's own listeners that the event calls after this one: their commands act after goodbye, too.
  // The browser closes it with the page.
  #leave = (reloads) => {
    if (this.#leaving) return;
    const keep = this.#options.keepSession && reloads;
    if (keep) leaveSession(this.#sessionName, this.hello?.resume ?? this.#resume);
    for (const {client} of [this.#link, ...this.#following.others]) {
      if (client !== this || !keep) client.#sayGoodbye();
      client.#leaving = true;
      client.#flush();
    }
    setTimeout(() => this.close({keepSession: keep})); // the page lives on
  };

  #sayGoodbye() {
    try {
      this.#notifyHere('goodbye');
    } catch { // closing the connection has the same effect
    }
  }

  #finish(error) {
    if (this.state === 'closed') return;
    this.state = 'closed';
    for (const timer of [this.#retryTimer, this.#attemptTimer]) clearTimeout(timer);
    this.#heartbeat.stop();
    this.#renewal.stop();
    this.#offPage();
    const transport = this.#transport;
    this.#flush();
    this.#transport = null;
    transport?.end();
    this.#settleReady.reject(error);
    for (const call of [...this.#pending.values()]) {
      this.#fail(call, new CaromError(error.code, `'${call.method}': ${error.message}`,
        {method: call.method, applied: call.sent ? undefined : false}));
    }
    this.#subscriptions.endAll(error);
    if (!this.#options[FRONT]) this.#following.close();
    this.emit('closed', error);
  }

  /**
   * Says goodbye, so that the server keeps nothing for a resume, and closes permanently. With `keepSession` it says
   * none, so that connect(url, {resume: client.hello.resume}) can resume the session.
   */
  close(options = {}) {
    checkOptions('close', options, ['keepSession']);
    const {keepSession = false} = options;
    if (!this.#leaving && !keepSession) this.#sayGoodbye();
    this.#finish(new CaromError('closed', 'the client was closed'));
  }

  // ---- receiving

  #receive(bytes) {
    this.traffic.bytesIn += bytes.length;
    const transport = this.#transport;
    try {
      for (const message of this.#decoder.feed(bytes)) {
        this.traffic.messagesIn++;
        this.#message(message); // listeners' errors do not come here: see Emitter
        if (this.#transport !== transport) return;
      }
    } catch (error) { // bytes that are not MessagePack, or a message that lacks required parts
      this.#drop(`the server sent an invalid message: ${error.message}`);
    }
  }

  #message(message) {
    if (!Array.isArray(message)) {
      this.#drop('the server sent a message that is no MessagePack-RPC');
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
    if (call === undefined) return;
    const failure = error === null ? null : CaromError.fromWire(error, call.method);
    if (failure?.code === 'moved' && call.doubtful) { // the other server may have carried it out before
      this.#lost(call, undefined);
      return;
    }
    if (failure !== null && this.#follow(call, failure)) return;
    if (!this.#take(call)) return;
    if (failure !== null) {
      if (failure.code === 'not_found' && failure.message.startsWith('world ')) {
        this.#following.forget(call.args?.world, this.#link);
      }
      call.reject(failure);
      return;
    }
    this.#epochs.noteAnswer(call.args?.world, result);
    this.#noteHome(call);
    try {
      call.answered?.(result); // before the next message is read
      call.resolve(result);
    } catch (wrong) {
      call.reject(new CaromError('internal', wrong.message, {method: call.method}));
      throw wrong; // the connection ends
    }
  }

  #noteHome({method, args}) {
    const world = args?.world;
    if (world === undefined || METHODS[method]?.scope === 'read' || REPEATABLE.has(method)) return;
    if (method === 'world.destroy') this.#homes.delete(world);
    else if (this.#homes.size < HOMES_MAX && !this.#homes.has(world)) {
      this.#homes.add(world);
      this.#following.homed();
    }
  }

  #notification(name, args) {
    switch (name) {
      case 'snapshot':
        this.#epochs.note(args.world, args.epoch); // packed changes leave the epoch out
        this.#subscriptions.take(args.subscription, args, now());
        break;
      case 'log': {
        const {number, data} = splitNumber(args.data);
        const {margin} = args;
        this.#subscriptions.take(number, {subscription: number, data, ...(margin !== undefined && {margin})}, now());
        break;
      }
      case 'world_closed':
        if (args.code !== 'unavailable') this.#epochs.forget(args.world); // a stopping server sends this for each world
        this.#subscriptions.worldClosed(args);
        break;
      case 'moved':
        this.#following.left(this.#link, args);
        this.emit('moved', args);
        break;
      case 'closing':
        this.#closing = noticeOf(args);
        break;
      case 'leaving':
        this.emit('leaving', args);
        break;
      default: // a notification of a later version
    }
  }

  // ---- subscriptions

  /**
   * Subscribes to a world. `args` are those of world.subscribe, with encoding packed unless they say
   * another; `options`: {extraDelayMs, waitMs: for a world that is not there yet, or is made again}.
   * Resolves to a Subscription when the server has said yes.
   */
  async subscribe(args, options) {
    checkWorldName('subscribe', args?.world);
    checkOptions('subscribe', options, SUBSCRIBE_OPTIONS);
    const subscription = new Subscription(this, {...args, encoding: args.encoding ?? 'packed'}, options);
    await this.#following.subscribe(subscription);
    setTimeout(() => subscription.release()); // the caller can add listeners before that
    return subscription;
  }

  /** Ends a subscription: Subscription.unsubscribe. */
  async unsubscribe(subscription) {
    const {list, client} = subscription.link;
    const id = list.remove(subscription, new CaromError('closed', 'the subscription was ended'));
    if (id !== 0 && client.state === 'open') await client.call('world.unsubscribe', {subscription: id});
  }

  // ---- prediction

  /**
   * Shows a world without the server's distance: what `options.input` commands happens here at once (prediction.js).
   * Resolves to a Prediction when there is a picture. Options:
   *   input(batch, {tick, firstTime}): gives this program's commands for a tick,
   *   events: kinds of events to report, inputDelay: 0 to 3 ticks by which commands act later, for fewer corrections,
   *   budgetMs: the time that a frame may take, check: predict again in every frame and compare, for finding mistakes,
   *   smoothingS: half-life of a correction in what is drawn, rate: records a second, predicting: false for none,
   *   engine: of loadEngine().
   */
  async predict(world, options) {
    checkWorldName('predict', world);
    return new Prediction(this, world, options).start();
  }

  /** The engine that this client's predictions share, loaded once. */
  engine() {
    this.#engine ??= (this.#options.loadEngine ?? loadEngine)();
    this.#engine.catch(() => {
      this.#engine = null; // so that the next call tries again
    });
    return this.#engine;
  }

  // ---- the token

  async #presentToken(token) {
    const args = {protocol: PROTOCOL_VERSION, client: this.#options.name, token};
    this.hello = await this.#request('hello', args, {}, checkHello);
    return this.hello;
  }
}

/**
 * Connects to a server: `connect('ws://host:22767/rpc')`, or `connect()` for the page's own server; in Node
 * `connect('tcp://host:22766')` too (node.js). Resolves to an open Client.
 *
 * options: name, token (string, or a function that gives one), timeoutMs of calls,
 *   reconnect: false, or {firstMs, maxMs, giveUpMs, first: also where the first attempt fails},
 *   resume: the secret of an earlier session (hello.resume) to continue with, if it still exists,
 *   keepSession: in a page: a reload continues with the session; true, or a name where a page has several,
 *   WebSocket: a class in place of the platform's own, tls: options of node:tls for tls://,
 *   transport: a function as of transport.js in place of a URL,
 *   follow: false, or {plain: true}: whether worlds are followed to other servers, and whether the token goes to servers
 *     that were named over a network without TLS (trust.js); transportTo(url): the transport to such a server,
 *   distance: {delayMs, jitterMs, stall, stallMs, seed}: acts as if the server were so far away (distance.js).
 */
export async function connect(url, options = {}) {
  return makeClient(url, options).ready;
}

/** As connect(), but returns the Client at once, to watch it connecting. */
export function makeClient(url, options = {}) {
  checkConnect(options);
  const near = typeof url === 'function' ? url : options.transport ?? transportFor(url, options);
  const far = (transport) => options.distance ? distantTransport(transport, options.distance) : transport;
  const reach = options.transportTo ?? ((other) => transportFor(other.href, options));
  const known = typeof url !== 'function' && (options.transport === undefined || options.transportTo !== undefined);
  return new Client(far(near), {address: String(typeof url === 'function' ? '' : url ?? ''), ...options,
                                url: known ? parseAddress(url ?? RPC_PATH) : undefined,
                                transportTo: (other) => far(reach(other))});
}
