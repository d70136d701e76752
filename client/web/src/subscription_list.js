// The subscriptions of a client: those with a number from the server, those that wait for its answer, those that wait
// for the next connection, and those that the server may get with a session from another server.
//
// A subscription survives its server: it is requested again from the next one, which may need a moment to restore its
// worlds. It ends with its world, unless it was made with waitMs, to wait for another world of that name.

import {pauseMs} from './backoff.js';
import {CaromError} from './errors.js';
import {quietTimer} from './heartbeat.js';
import {noticeOf} from './received.js';

const RENEWED_WAIT_MS = 10000; // least wait for worlds of a restarted server
const PAUSE_MS_MAX = 1000; // pause between two requests for a world that does not exist

// Error codes after which the same request may succeed in a moment.
const NOT_YET = new Set(['not_found', 'unavailable', 'limit_exceeded']);

const now = () => globalThis.performance.now();

export class SubscriptionList {
  #request;
  #forget;
  #moved;
  #known = new Map(); // server's number -> Subscription
  #asked = new Set(); // subscriptions that wait for a number
  #stranded = new Set(); // subscriptions that wait for the next connection
  #coming = new Map(); // number that the session knows -> Subscription
  #connectedAt = 0;

  /**
   * `request(args, options, answered)` calls world.subscribe; `forget(number)` ends one on the server that is unknown
   * here; `moved(subscription, error)` is called for one whose world another server has now.
   */
  constructor(request, forget, moved) {
    this.#request = request;
    this.#forget = forget;
    this.#moved = moved;
  }

  // A server sends a body in some bits, and each takes some hundred bytes here; so all subscriptions share a bound.
  #packedBut(subscription) {
    let bodies = 0;
    for (const list of [this.#known.values(), this.#asked, this.#stranded, this.#coming.values()]) {
      for (const other of list) if (other !== subscription) bodies += other.packedBodies;
    }
    return bodies;
  }

  /** Passes on a snapshot for the subscription of that number. */
  take(number, snapshot, nowMs) {
    this.#known.get(number)?.take(snapshot, nowMs);
  }

  /** Repeats the request until the server accepts it or the wait is over; time without a connection does not count. */
  async add(subscription, waitMs = subscription.waitMs, options = {}) {
    const began = now();
    subscription.others = () => this.#packedBut(subscription);
    for (let attempt = 0; ; attempt++) {
      try {
        await this.#ask(subscription, options);
        return;
      } catch (error) {
        const left = Math.max(began, this.#connectedAt) + waitMs - now();
        if (!NOT_YET.has(error.code) || !(left > 0) || subscription.error) throw error;
        this.#asked.add(subscription);
        subscription.emit('waiting', error);
        const pause = Math.min(left, pauseMs(attempt, {maxMs: PAUSE_MS_MAX}));
        await new Promise((resolve) => quietTimer(resolve, pause));
        if (!this.#asked.has(subscription)) throw subscription.error ?? error; // the subscription has ended meanwhile
      }
    }
  }

  async #ask(subscription, options) {
    this.#asked.add(subscription);
    const answered = ({subscription: number}) => {
      if (this.#asked.delete(subscription)) {
        subscription.id = number;
        this.#known.set(number, subscription);
      } else {
        this.#forget(number);
      }
    };
    try {
      // Its first snapshot may arrive together with the answer.
      await this.#request(subscription.args, options, answered);
    } catch (error) {
      this.#asked.delete(subscription);
      throw error;
    }
  }

  // Without a timeout: the answer may have to come from a server that is started later.
  #again(subscription, waitMs) {
    this.add(subscription, waitMs, {timeoutMs: 0}).catch((error) => {
      if (error.code === 'moved' && !subscription.error) this.#moved(subscription, error);
      else subscription.end(error);
    });
  }

  #strand(subscription) {
    subscription.id = 0;
    this.#stranded.add(subscription);
  }

  /**
   * Called with a new connection. `kept`: [{subscription}], those that a resumed session still has; null: another
   * session.
   */
  settle(kept) {
    this.#connectedAt = now();
    const numbers = new Set((kept ?? []).map((entry) => entry.subscription));
    for (const [number, subscription] of [...this.#known]) {
      if (numbers.has(number)) continue;
      this.#known.delete(number);
      this.#strand(subscription);
    }
    for (const [number, subscription] of this.#coming) {
      if (numbers.has(number)) {
        subscription.id = number;
        this.#known.set(number, subscription);
      } else {
        this.#strand(subscription);
      }
    }
    const leastMs = kept === null || this.#coming.size > 0 ? RENEWED_WAIT_MS : 0;
    this.#coming.clear();
    for (const subscription of this.#stranded) this.#again(subscription, Math.max(subscription.waitMs, leastMs));
    this.#stranded.clear();
    // Ends subscriptions whose answer was lost, or that the previous page made.
    for (const number of numbers) if (!this.#known.has(number)) this.#forget(number);
  }

  /** Handles the server's `world_closed`. */
  worldClosed(notice) {
    const {subscription: number} = notice;
    const subscription = this.#known.get(number);
    if (subscription === undefined) return;
    const {code = 'internal', reason = 'the world has ended'} = noticeOf(notice);
    const error = new CaromError(code, reason);
    this.#known.delete(number);
    if (code === 'moved') {
      subscription.left = number;
      subscription.id = 0;
      this.#moved(subscription, error);
    } else if (code === 'unavailable') {
      this.#strand(subscription); // a stopping server closes each world; subscriptions wait for the next server
    } else if (code === 'not_found' && subscription.waitMs > 0) {
      subscription.id = 0;
      this.#asked.add(subscription);
      subscription.emit('waiting', error);
      if (this.#asked.has(subscription)) this.#again(subscription, subscription.waitMs);
    } else {
      subscription.end(error);
    }
  }

  /** Names of the worlds that are subscribed to, or will be. */
  get worlds() {
    return [...this.#known.values(), ...this.#asked, ...this.#stranded, ...this.#coming.values()].map(({world}) => world);
  }

  /** Whether the server has a subscription to the world. */
  holds(world) {
    return [...this.#known.values()].some((subscription) => subscription.world === world);
  }

  /** The next connection's session may have the subscription by that number; otherwise it is requested again. */
  expect(number, subscription) {
    subscription.others = () => this.#packedBut(subscription);
    this.#coming.set(number, subscription);
  }

  /** Ends the subscription of that number on the server, unless it is known here. */
  forget(number) {
    if (!this.#known.has(number)) this.#forget(number);
  }

  /** Gives up its subscriptions to a world, or all, which are not ended; returns them. */
  release(world) {
    const released = [];
    for (const group of [this.#known, this.#stranded, this.#coming]) {
      for (const [key, subscription] of [...group.entries()]) {
        if (world !== undefined && subscription.world !== world) continue;
        group.delete(key);
        subscription.left = subscription.id;
        subscription.id = 0;
        released.push(subscription);
      }
    }
    return released;
  }

  /** Ends a subscription; returns the server's number of it, 0 if there is none. */
  remove(subscription, error) {
    const {id} = subscription;
    this.#asked.delete(subscription);
    this.#stranded.delete(subscription);
    this.#known.delete(id);
    for (const [number, one] of this.#coming) if (one === subscription) this.#coming.delete(number);
    subscription.end(error);
    return id;
  }

  endAll(error) {
    const all = [...this.#known.values(), ...this.#asked, ...this.#stranded, ...this.#coming.values()];
    for (const list of [this.#known, this.#asked, this.#stranded, this.#coming]) list.clear();
    for (const subscription of all) subscription.end(error);
  }
}
