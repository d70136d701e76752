// The page's connection: the list of worlds, the watched world, its numbers.
//
// One world is watched at a time. The subscription (rate, kinds of events, contacts, area) follows what the page shows:
// a change makes a second subscription, and the picture switches to it once it is complete, so nothing flickers.
//
// Events: `state` (), `renewed` (another session), `worlds` (list), `world` (name of the newly watched world, '' for
// none), `source` (LiveSource), `snapshot` (snapshot), `info` (world.info's answer), `gone` (CaromError), `fault`
// (Error), `leave` (the page ends, and can still send).

import {makeClient, METHODS} from '../src/index.js';
import {CaromError} from '../src/errors.js';
import {Emitter} from '../src/emitter.js';
import {Elsewhere} from './elsewhere.js';
import {Pace} from './pace.js';
import {LiveSource} from './source.js';
import {tokenFor} from './tokens.js';
import {serverOf} from './ui/address.js';

/** The server of this page. */
export const RPC = serverOf('../rpc', import.meta.url);
const LOCAL = /^(localhost|127\.[\d.]+|\[::1\])$/; // local hosts
const LIST_MS = 2000; // interval of the list of worlds while it is visible
const INFO_MS = 500;
const STATE_MS = 100; // time between two looks at connections to other servers, which report to the first alone
const FULL_RATE_BODIES = 4000; // with more bodies, snapshots come at 30 Hz
const HALF_RATE_BODIES = 20000; // with more bodies, snapshots come at 15 Hz
const BEGIN_BODIES = 1500; // with more bodies there are too many touches to draw sparks

export class Session extends Emitter {
  #subscription = null;
  #coming = null; // replaces `#subscription` once it is complete
  #choice = 0; // raised by every choice of a world, to drop late answers
  #timers = [];
  #state = '';
  #paces = new Map(); // world -> Pace

  /** `local`: a client within the page (local/client.js), in place of a connection. */
  constructor(server = RPC, local = null) {
    super();
    this.server = server;
    // Packed snapshots are a hundredth of the bytes but more work: no gain within one machine.
    this.local = local !== null || LOCAL.test(new URL(server).hostname);
    /** Whether the worlds are in this page, without a server. */
    this.serverless = local !== null;
    this.wish = {contacts: false, events: new Set(), area: undefined, packed: !this.local};
    this.world = '';
    this.worlds = [];
    /** The worlds of other servers of the fleet, which are asked for while `lists`: the visitor sees the list. */
    this.elsewhere = new Elsewhere();
    this.lists = false;
    this.info = null;
    /** Whether the server does not have the watched world; the client waits for some seconds for it to come back. */
    this.absent = false;
    this.source = null;
    this.error = null;
    /** The additional distance to the server: see ../src/distance.js. */
    this.distance = {delayMs: 0, stall: 0};
    /** A PredictedSource that takes commands first. */
    this.predicted = null;
    // Listens before the client does, which closes its connection as the page ends.
    addEventListener('pagehide', () => this.emit('leave'));
    this.client = local ?? makeClient(server, {name: 'carom viewer', token: () => tokenFor(server), reconnect: {first: true},
                                      distance: this.distance});
    const {client} = this;
    local?.on('fault', (error) => this.emit('fault', error));
    for (const name of ['open', 'lost', 'resumed', 'renewed', 'leaving']) {
      client.on(name, () => this.emit('state'));
    }
    client.on('open', () => this.look());
    client.on('resumed', () => this.#paces.clear()); // worlds may have stood still meanwhile, with their server
    client.on('renewed', () => {
      this.#paces.clear();
      this.look();
      this.emit('renewed');
    });
    client.on('closed', (error) => {
      this.error ??= error;
      this.emit('state');
    });
    this.#timers.push(setInterval(() => this.look(), LIST_MS), setInterval(() => this.#ask(), INFO_MS),
                      setInterval(() => this.#compare(), STATE_MS));
  }

  /** The connection to the server of the watched world: in a fleet it may be another one than the page's. */
  get line() {
    return this.client.serverOf?.(this.world) ?? this.client;
  }

  get state() {
    return this.line.state;
  }

  get role() {
    return this.client.hello?.role ?? 'none';
  }

  has(method) {
    return METHODS[method] !== undefined;
  }

  close() {
    for (const timer of this.#timers) clearInterval(timer);
    this.client.close();
  }

  /** Reports why the browser allows no connection, and stops trying. */
  forbid(why) {
    this.error = new CaromError('permission_denied', why);
    this.close();
    this.emit('state');
  }

  /** The Pace of a world. */
  pace(world) {
    return this.#paces.get(world) ?? new Pace();
  }

  // Asks for the numbers of worlds and, before and after, for the server's time: a stalled page reads answers late, and
  // a world answers later than the server.
  async #observe(method, args) {
    const options = {timeoutMs: 5000};
    const {line} = this;
    const [before, answer] = await Promise.all([line.call('ping', {}, options), line.call(method, args, options)]);
    const after = await line.call('ping', {}, options);
    for (const info of [answer].flat()) {
      if (!this.#paces.has(info.world)) this.#paces.set(info.world, new Pace());
      this.#paces.get(info.world).add(info, before.time, after.time);
    }
    return answer;
  }

  /**
   * Whether nothing can be changed now, which is reported to the visitor: the client would send a command when the
   * connection is back, long after the visitor has given it up.
   */
  offline() {
    if (this.state === 'open') return false;
    this.emit('fault', new CaromError('unavailable', 'There is no connection: nothing can be changed until it is back'));
    return true;
  }

  /** Calls a method of the watched world; reports an error to the visitor and returns undefined. */
  async act(method, args = {}) {
    if (!this.world && METHODS[method]?.scope !== 'server') return undefined;
    if (this.offline()) return undefined;
    if (this.predicted?.take(method, args)) return {};
    try {
      return await this.client.call(method, {world: this.world, ...args});
    } catch (error) {
      this.emit('fault', error);
      return undefined;
    }
  }

  /** Calls a method without an answer, for commands of every frame. */
  notify(method, args) {
    return this.predicted?.take(method, args) || this.send(method, args);
  }

  /** As notify(), bypassing the prediction. */
  send(method, args) {
    return this.client.notify(method, {world: this.world, ...args});
  }

  /** Whether the server requires a token. */
  get needsToken() {
    return this.error?.code === 'unauthenticated' || (this.state === 'open' && this.role === 'none');
  }

  // Worlds that other servers of the fleet serve; `here`: those of the asked server.
  async #others(here) {
    const {elsewhere, line} = this;
    if (this.role !== 'admin') return [];
    if (this.lists || (!this.world && here.length === 0)) await elsewhere.ask(line);
    return elsewhere.besides(new Set(here.map(({world}) => world)));
  }

  /** Updates the list of worlds. */
  async look() {
    if (this.state !== 'open' || this.needsToken) return;
    try {
      const here = await this.#observe('world.list', {});
      this.worlds = [...here, ...await this.#others(here)].sort((a, b) => (a.world < b.world ? -1 : 1));
      const names = new Set(this.worlds.map(({world}) => world));
      for (const name of this.#paces.keys()) if (!names.has(name) && name !== this.world) this.#paces.delete(name);
      this.emit('worlds', this.worlds);
    } catch (error) {
      if (error.code !== 'timeout' && error.code !== 'unavailable') this.emit('fault', error);
    }
  }

  #compare() {
    const {state} = this;
    if (state !== this.#state) this.emit('state');
    this.#state = state;
  }

  async #ask() {
    if (this.state !== 'open' || !this.world || document.hidden) return;
    const choice = this.#choice;
    try {
      const info = await this.#observe('world.info', {world: this.world});
      if (choice !== this.#choice) return;
      this.info = info;
      this.absent = false;
      this.emit('info', info);
    } catch (error) {
      // The subscription reports that a world has ended.
      if (choice === this.#choice) this.absent = error.code === 'not_found';
    }
  }

  /** Watches a world that the server does not list, if another server of its fleet has it. */
  async find(name) {
    const choice = this.#choice;
    const found = await this.client.call('world.info', {world: name}).catch(() => null);
    if (found !== null && choice === this.#choice) this.watch(name);
  }

  /** Watches another world; '' for none. */
  async watch(name) {
    const choice = ++this.#choice;
    this.#leave();
    this.world = name;
    this.info = null;
    this.absent = false;
    this.emit('world', name);
    if (!name) return;
    try {
      this.info = await this.client.call('world.info', {world: name});
      if (choice !== this.#choice) return;
      this.emit('info', this.info);
      await this.#subscribe();
    } catch (error) {
      if (choice !== this.#choice) return;
      if (error.code === 'timeout') this.watch(name); // a busy server still has it
      else this.#lose(error);
    }
  }

  #leave() {
    for (const subscription of [this.#subscription, this.#coming]) subscription?.unsubscribe().catch(() => {});
    this.#subscription = this.#coming = null;
    this.source = null;
    this.emit('source', null);
  }

  #lose(error) {
    this.#choice++;
    this.#leave();
    const {world, info} = this;
    this.world = '';
    this.info = null;
    this.emit('world', '');
    this.emit('gone', error, world, info !== null); // whether it was there
    this.look();
  }

  /** Subscribes to what the page shows now. */
  async refresh() {
    if (!this.#subscription) return;
    try {
      await this.#subscribe();
    } catch (error) {
      this.emit('fault', error);
    }
  }

  /** Whether snapshots come as to another machine, also within one. */
  setFar(far) {
    const packed = far || !this.local;
    if (packed === this.wish.packed) return;
    this.wish.packed = packed;
    this.refresh();
  }

  #arguments() {
    const {contacts, events, area, packed} = this.wish;
    const bodies = this.info?.bodies ?? 0;
    const hz = this.info?.hz ?? 60;
    const kinds = new Set(['sleep', 'wake', 'joint_break', ...events]);
    if (bodies <= BEGIN_BODIES) kinds.add('begin');
    const args = {world: this.world, describe: true, contacts, events: [...kinds]};
    const most = bodies > HALF_RATE_BODIES ? 15 : bodies > FULL_RATE_BODIES ? 30 : 60;
    if (most < hz) args.rate = most;
    args.encoding = packed ? 'packed' : 'plain';
    if (area) args.area = area;
    return args;
  }

  async #subscribe() {
    const choice = this.#choice;
    const subscription = await this.client.subscribe(this.#arguments());
    if (choice !== this.#choice) {
      subscription.unsubscribe().catch(() => {});
      return;
    }
    this.#coming?.unsubscribe().catch(() => {});
    this.#coming = subscription;
    const source = new LiveSource(subscription.view);
    subscription.on('snapshot', (snapshot) => {
      if (this.#coming === subscription && (!this.#subscription || !subscription.view.describing)) {
        const before = this.#subscription;
        this.#subscription = subscription;
        this.#coming = null;
        before?.unsubscribe().catch(() => {});
        this.source = source;
        this.emit('source', source);
      }
      if (this.#subscription === subscription) this.emit('snapshot', snapshot);
    });
    subscription.on('ended', (error) => {
      if (this.#subscription === subscription && error.code !== 'closed') this.#lose(error);
    });
  }

  /** Moves the subscription's area of interest. */
  setArea(area) {
    this.wish.area = area;
    this.#subscription?.setArea(area).catch((error) => this.emit('fault', error));
  }
}
