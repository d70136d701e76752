// The subscriptions of a client: those that the server knows by a number, those that wait for its answer,
// and those that wait for the next connection to ask on.
//
// A subscription lives through the end of its server: it is asked for again on the next one, whose worlds
// may take a moment to be made again. A world that is destroyed ends it, unless it was made with a wish to
// wait (waitMs) for another one of that name.

import {pauseMs} from './backoff.js';
import {CaromError} from './errors.js';
import {quietTimer} from './heartbeat.js';

const RENEWED_WAIT_MS = 10000; // for worlds of a server that was started anew, at least
const PAUSE_MS_MAX = 1000; // between two askings for a world that is not there

// Codes of what may be otherwise in a moment.
const NOT_YET = new Set(['not_found', 'unavailable', 'limit_exceeded']);

const now = () => globalThis.performance.now();

export class SubscriptionList {
  #request;
  #forget;
  #known = new Map(); // server's number -> Subscription
  #asked = new Set(); // those that wait for a number
  #stranded = new Set(); // those that wait for the next connection
  #connectedAt = 0;

  /**
   * `request(args, options, answered)`: world.subscribe; `forget(number)`: the server is to end one that
   * nobody here knows.
   */
  constructor(request, forget) {
    this.#request = request;
    this.#forget = forget;
  }

  /** What has come for the subscription of that number. */
  take(number, snapshot, nowMs) {
    this.#known.get(number)?.take(snapshot, nowMs);
  }

  /** Asks until the server says yes, or the wait is over: time without a connection does not count. */
  async add(subscription, waitMs = subscription.waitMs, options = {}) {
    const began = now();
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
        if (!this.#asked.has(subscription)) throw subscription.error ?? error; // it was ended meanwhile
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
      // Its first snapshot may stand in the same bytes as the answer.
      await this.#request(subscription.args, options, answered);
    } catch (error) {
      this.#asked.delete(subscription);
      throw error;
    }
  }

  // No timeout: the answer may have to come from the server after the next one.
  #again(subscription, waitMs) {
    this.add(subscription, waitMs, {timeoutMs: 0}).catch((error) => subscription.end(error));
  }

  #strand(subscription) {
    subscription.id = 0;
    this.#stranded.add(subscription);
  }

  /**
   * A connection is there. `kept`: [{subscription}], those that the session, if it is the same, still has;
   * null: it is another session.
   */
  settle(kept) {
    this.#connectedAt = now();
    const numbers = new Set((kept ?? []).map((entry) => entry.subscription));
    for (const [number, subscription] of [...this.#known]) {
      if (numbers.has(number)) continue;
      this.#known.delete(number);
      this.#strand(subscription);
    }
    const leastMs = kept === null ? RENEWED_WAIT_MS : 0;
    for (const subscription of this.#stranded) this.#again(subscription, Math.max(subscription.waitMs, leastMs));
    this.#stranded.clear();
    // Those whose answer was lost, or of the page before this one.
    for (const number of numbers) if (!this.#known.has(number)) this.#forget(number);
  }

  /** The server's `world_closed`. */
  worldClosed({subscription: number, code, reason}) {
    const subscription = this.#known.get(number);
    if (subscription === undefined) return;
    const error = new CaromError(code, reason);
    this.#known.delete(number);
    if (code === 'unavailable') {
      this.#strand(subscription); // a server that ends says so of each world; its clients wait for the next
    } else if (code === 'not_found' && subscription.waitMs > 0) {
      subscription.id = 0;
      this.#asked.add(subscription);
      subscription.emit('waiting', error);
      if (this.#asked.has(subscription)) this.#again(subscription, subscription.waitMs);
    } else {
      subscription.end(error);
    }
  }

  /** Ends one; the server's number of it, 0 if there is none. */
  remove(subscription, error) {
    const {id} = subscription;
    this.#asked.delete(subscription);
    this.#stranded.delete(subscription);
    this.#known.delete(id);
    subscription.end(error);
    return id;
  }

  endAll(error) {
    const all = [...this.#known.values(), ...this.#asked, ...this.#stranded];
    for (const list of [this.#known, this.#asked, this.#stranded]) list.clear();
    for (const subscription of all) subscription.end(error);
  }
}
