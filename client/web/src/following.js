// Follows worlds to the servers that serve them: one client in front, and behind it one connection for each server.
//
// A call that is answered `moved` is made again at the server which the answer names; a subscription too, also when the
// server says by the notification `moved` that its world has left. From then on calls for that world go there directly.
// PROTOCOL.md, "Several servers", has the rules; trust.js says which servers get the token.
//
// Order: calls for a world that were answered `moved` are made again in their order, and later ones wait until the old
// server has answered all of its.
//
// When a server is lost, the servers that are still connected are asked, again and again, who serves its worlds now. As
// soon as one names another address, the lost connection's session is resumed there, with its calls and subscriptions.
// So that there is such a server, one connection goes ahead of need to the standby that `world.info` names for the worlds
// in which the client has something; without it, the standby of the lost server's hello is asked. A first server that is
// lost when all worlds are at others is replaced by one of those.
//
// A world that leaves a server takes the sessions along that had something in it: the link to the next server, the heir,
// resumes the session there, so that it has its bodies and subscriptions. If that server does not know the session, the
// link gets a new one, and subscribes again.
//
// A connection is known here as a link: {client, url, kin (the same object: the same session), secret (its session's;
// undefined: none), heir (the session of its kin is being taken along), busy (calls for worlds wait, or its session has
// something in one), homes (those worlds), called (worlds of calls that wait), owns(world), own(world), leave(world),
// calls(world), adopt(call), fail(call, error), list, redirect(url, session), ask(world)}.

import {CaromError} from './errors.js';
import {quietTimer} from './heartbeat.js';
import {mayCarry, urlOf} from './trust.js';

export const HOPS_MAX = 4; // servers that a call is sent on to
export const SERVERS_MAX = 16; // connections of one client
const WAITING_MAX = 65536; // calls that wait for the order
const ROUTES_MAX = 256; // worlds whose server is known; beyond that the oldest is asked for again
const PAUSE_MS = 50; // pause before a server is asked again that was asked already: its records may be behind; then doubled
const SEEK_MS = 50; // time between two questions for the worlds of a server that is lost
const STANDBY_MS = 10000; // time after which a world's standby is asked for again
const MOVED_WAIT_MS = 10000; // limit for the next server to serve a world that has moved there

const ADDRESS_FIRST = /^(\S+) /;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class Following {
  #options;
  #connect; // makes a link
  #links = new Set();
  #routes = new Map(); // world -> {link, old: link that may still answer calls, waiting: [call]}
  #watched = new WeakSet(); // subscriptions whose standby is asked for
  #asksHomes = false; // asks who stands by for worlds without a subscription
  #between = new Map(); // world -> number of calls that are on their way from one link to another
  #home;

  /** `connect(url, carries, from)` makes the link to another server; `carries`: the token goes along; `from`: the link whose session does. */
  constructor(home, options, connect) {
    this.#home = home;
    this.#options = options;
    this.#connect = connect;
    this.#links.add(home);
    queueMicrotask(() => this.#watch(home));
  }

  /** All connections but the first. */
  get others() {
    return [...this.#links].filter((link) => link !== this.#home);
  }

  /** The connection to the server of a world. */
  linkOf(world) {
    return this.#routes.get(world)?.link ?? this.#home;
  }

  /** Takes a new call; false: the first connection has to make it. */
  take(call) {
    const route = this.#routes.get(call.args?.world);
    if (route === undefined) return false;
    if (this.#unsettled(call.args.world, route) && route.waiting.length < WAITING_MAX) route.waiting.push(call);
    else route.link.adopt(call);
    return true;
  }

  // Whether earlier calls for the world are not yet at its server.
  #unsettled(world, route) {
    return this.#between.has(world) || route.old?.calls(world) > 0;
  }

  // Sends the calls that had to wait until the old server had answered.
  #release(world) {
    const route = this.#routes.get(world);
    if (route === undefined || this.#unsettled(world, route)) return;
    route.old = undefined;
    for (const call of route.waiting.splice(0)) if (!call.over) route.link.adopt(call);
  }

  #setRoute(world, link, old) {
    const before = this.#routes.get(world);
    if (before?.link === link) return;
    this.#routes.delete(world);
    if (link !== this.#home || before !== undefined) {
      this.#routes.set(world, {link, old, waiting: before?.waiting ?? []});
    }
    if (this.#routes.size > ROUTES_MAX) {
      this.#drop(this.#routes.keys().next().value);
    }
  }

  #drop(world) {
    const {waiting} = this.#routes.get(world);
    this.#routes.delete(world);
    for (const call of waiting) if (!call.over) this.#home.adopt(call);
  }

  // The link to the server at that address; `along`: with the session of `from`, if that may go there. Throws CaromError
  // with the reason if the client may not go there.
  #linkTo(address, from, why, along = false) {
    const refuse = (reason) => {
      throw new CaromError('moved', `${why}; not followed: ${reason}`);
    };
    const base = from.url;
    if (base === undefined) return refuse('the connection is not one to a URL');
    const url = urlOf(address, base);
    if (url === undefined) return refuse(`'${String(address).slice(0, 80)}' is not HOST:PORT`);
    const there = [...this.#links].filter((link) => link.url?.href === url.href);
    const known = there.find((link) => link.kin === from.kin) ?? (along && from.secret ? undefined : there[0]);
    if (known !== undefined) return known;
    if (this.#links.size >= SERVERS_MAX) return refuse(`${SERVERS_MAX} servers are connected, which is the limit`);
    const carries = mayCarry(base, url, this.#options);
    if (!carries && this.#options.token !== undefined) {
      return refuse('the token goes only over TLS, or within this machine, to a server that was named in the same ' +
                    "way (option follow: {plain: true} trusts the network)");
    }
    const goes = along && carries && from.secret !== undefined;
    if (!goes && there.length > 0) return there[0];
    if (goes) { // instead of a connection that went ahead of need
      for (const idle of there) if (idle !== this.#home && !idle.busy && this.#worldsOf(idle).size === 0) idle.client.close();
    }
    const link = this.#connect(url, carries, goes ? from : undefined);
    this.#links.add(link);
    this.#watch(link);
    link.client.once('closed', (error) => this.#gone(link, error));
    return link;
  }

  // ---- servers that are lost

  #watch(link) {
    link.client.on('lost', () => this.#seek(link));
  }

  // Which worlds a link is for: those of its subscriptions, and those that were followed there.
  #worldsOf(link) {
    const followed = [...this.#routes].filter(([, route]) => route.link === link).map(([world]) => world);
    return new Set([...link.list.worlds, ...followed]);
  }

  // The URL of a server that has all the worlds of a program whose first server is lost; else undefined.
  #elsewhere(link) {
    if (link !== this.#home || link.busy || this.#worldsOf(link).size > 0) return undefined;
    return this.others.find((other) => other.client.state === 'open' && this.#worldsOf(other).size > 0)?.url;
  }

  // The URL at which another server says that one of the link's worlds is served; undefined: none says so.
  async #askFor(link) {
    for (const other of this.#links) {
      if (other === link || other.client.state !== 'open') continue;
      for (const world of new Set([...this.#worldsOf(link), ...link.homes, ...link.called])) {
        const error = await other.ask(world).then(() => null, (failure) => failure);
        const url = error === null ? other.url
          : error.code === 'moved' ? urlOf(ADDRESS_FIRST.exec(error.message)?.[1], other.url) : undefined;
        const carried = url !== undefined && (url === other.url || mayCarry(other.url, url, this.#options));
        if (carried && url.href !== link.url.href) return url;
      }
    }
    return undefined;
  }

  async #seek(link) {
    if (!this.#follows || link.url === undefined) return;
    if (this.#links.size === 1) this.prepare(link, link.client.hello); // there is nobody else to ask
    while (link.client.state === 'reconnecting' && this.#links.has(link)) {
      const url = this.#elsewhere(link) ?? await this.#askFor(link);
      if (url !== undefined && link.client.state === 'reconnecting') {
        const kin = [...this.#links].some((one) => one !== link && one.kin === link.kin && one.url?.href === url.href);
        link.redirect(url, !kin); // the kin has the session there
        return;
      }
      await wait(SEEK_MS);
    }
  }

  /** Learns of a standby, from an answer to world.info or hello: connects to it. */
  prepare(from, info) {
    if (!this.#follows || typeof info?.standby !== 'string' || from.url === undefined) return;
    try {
      this.#linkTo(info.standby, from, `${info.standby} is the standby`);
    } catch { // it is not to get the token: then there is no second connection
    }
  }

  // Asks a world's server who stands by for it, and connects there; false: it gets no standby.
  async #askStandby(link, world) {
    const info = await link.ask(world).catch(() => undefined);
    this.prepare(link, info);
    return (info?.durability ?? 'replicated') === 'replicated';
  }

  // A subscription to a world has begun.
  async #askStandbyOf(subscription) {
    while (!subscription.error && this.#follows && await this.#askStandby(subscription.link, subscription.world)) {
      await new Promise((resolve) => quietTimer(resolve, STANDBY_MS));
    }
  }

  /** The session has done something to a world. */
  async homed() {
    if (this.#asksHomes || !this.#follows) return;
    this.#asksHomes = true;
    for (let turn = 0, vain = 0; ; turn++) {
      const homes = [...this.#links].flatMap((link) => [...link.homes].filter((world) => !link.list.holds(world))
        .map((world) => ({link, world})));
      if (vain >= homes.length) break;
      const {link, world} = homes[turn % homes.length];
      vain = await this.#askStandby(link, world) ? 0 : vain + 1;
      if (vain === 0) await new Promise((resolve) => quietTimer(resolve, STANDBY_MS));
    }
    this.#asksHomes = false;
  }

  // The next server for a request that `from` has answered `moved`. `hops`: URLs so far; `had`: the session had a
  // subscription to the world there.
  async #next(world, from, error, hops, had = from.list.holds(world)) {
    const address = ADDRESS_FIRST.exec(error.message)?.[1];
    const owned = from.owns(world);
    const link = this.#linkTo(address, from, error.message, owned || had);
    if (link !== from) from.leave(world);
    if (owned && link.kin === from.kin) link.own(world);
    hops.push(from.url.href);
    const again = hops.filter((href) => href === link.url.href).length;
    if (hops.length > HOPS_MAX) {
      const all = [...hops, link.url.href].map((href) => new URL(href).host).join(', ');
      throw new CaromError('moved', `world '${world}' was not found in ${HOPS_MAX} steps: ${all}; these servers ` +
                                    'name each other');
    }
    this.#setRoute(world, link, from);
    if (again > 0) await wait(PAUSE_MS * 2 ** hops.length);
    return link;
  }

  /** Called when `from` has answered a call with `moved`: makes it again where that says. */
  follow(from, call, error) {
    const {world} = call.args;
    call.hops ??= [];
    this.#between.set(world, (this.#between.get(world) ?? 0) + 1);
    const arrived = () => {
      const left = this.#between.get(world) - 1;
      if (left > 0) this.#between.set(world, left);
      else this.#between.delete(world);
    };
    this.#next(world, from, error, call.hops).then((link) => {
      if (!call.over) link.adopt(call, true);
      arrived();
    }, (failure) => {
      arrived();
      from.fail(call, Object.assign(failure, {method: call.method, applied: false}));
    }).finally(() => this.#release(world));
  }

  /** Called when a link has answered a call, or has given it up. */
  answered(from, call) {
    const world = call.args?.world;
    if (this.#routes.get(world)?.old === from) this.#release(world);
  }

  /** The server of a link does not know the world: the first server is asked next time. */
  forget(world, link) {
    if (this.#routes.get(world)?.link === link && link !== this.#home) this.#drop(world);
  }

  // ---- subscriptions

  /** Subscribes where the world is served. */
  async subscribe(subscription, from = this.linkOf(subscription.world), waitMs = subscription.waitMs) {
    const hops = [];
    for (let link = from; ;) {
      subscription.link = link;
      try {
        await link.list.add(subscription, waitMs);
        if (!this.#watched.has(subscription)) {
          this.#watched.add(subscription);
          this.#askStandbyOf(subscription);
        }
        return;
      } catch (error) {
        if (error.code !== 'moved' || !this.#follows) throw error;
        link = await this.#next(subscription.world, link, error, hops);
        if (subscription.error) throw subscription.error;
      }
    }
  }

  get #follows() {
    return this.#options.follow !== false;
  }

  /** Subscribes again where `error`, a `moved`, says. */
  move(subscription, from, error) {
    const again = async () => {
      if (!this.#follows) throw error;
      const number = subscription.left;
      const link = await this.#next(subscription.world, from, error, [], number !== 0);
      if (subscription.error) return;
      const kin = number !== 0 && link.kin === from.kin;
      if (kin && link.heir) {
        subscription.link = link;
        link.list.expect(number, subscription);
        return;
      }
      await this.subscribe(subscription, link, Math.max(subscription.waitMs, MOVED_WAIT_MS));
      if (kin) link.list.forget(number); // the world may have brought it along
    };
    again().catch((failure) => subscription.end(failure));
  }

  /** Called with the notification `moved` of a link's server. */
  left(from, {world, address, http}) {
    if (typeof world !== 'string' || !this.#follows) return;
    const web = from.url !== undefined && /^(ws|http)s?:$/.test(from.url.protocol);
    const error = new CaromError('moved', `${web ? http : address} world '${world}' is served there`);
    this.forget(world, from);
    const released = from.list.release(world);
    for (const subscription of released) this.move(subscription, from, error);
    if (released.length === 0 && from.owns(world)) this.#next(world, from, error, []).catch(() => from.leave(world));
  }

  // A server other than the first one has ended the connection for good.
  #gone(link, error) {
    this.#links.delete(link);
    for (const [world, route] of [...this.#routes]) {
      if (route.link === link) this.#drop(world);
    }
    if (error.code === 'closed') return;
    for (const subscription of link.list.release()) {
      this.subscribe(subscription, this.#home, Math.max(subscription.waitMs, MOVED_WAIT_MS))
        .catch((failure) => subscription.end(failure));
    }
  }

  /** Ends all other connections. */
  close(options) {
    for (const link of this.others) link.client.close(options);
  }
}
