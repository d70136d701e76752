// A new token in time: before the present one expires, at which the server ends the session and removes
// what it owns. A failure ends nothing: the next attempt comes, sooner each time, before the token's end.

import {CaromError} from './errors.js';
import {quietTimer} from './heartbeat.js';

const AHEAD_MS_MAX = 60000; // so long before the end …
const AHEAD_SHARE = 0.25; // … or this share of the time that is left, whichever is less
const AGAIN_MS_MIN = 1000; // between two attempts
const UNKNOWN_MS = 60000; // where the clock here says that the token has expired, and the server took it
const TIMER_MS_MAX = 2 ** 31 - 1; // of setTimeout; the token is renewed then
const REFUSALS_MAX = 2; // by the server, which closes the connection with the third

/** Milliseconds from `nowMs` until the next attempt; `expires` [s] and `nowMs` are since 1970. */
export function renewalMs(expires, nowMs) {
  const left = expires * 1000 - nowMs;
  if (!(left > 0)) return UNKNOWN_MS;
  const ahead = Math.min(AHEAD_MS_MAX, left * AHEAD_SHARE);
  return Math.min(Math.max(left - ahead, AGAIN_MS_MIN), TIMER_MS_MAX);
}

export class TokenRenewal {
  #token; // a function, or the token itself, which cannot be renewed
  #present;
  #timer = null;
  #turn = 0; // raised by start() and stop(), so that late answers are dropped

  /** `token`: the option of connect(); `present(token)`: gives it to the server and promises its hello. */
  constructor(token, present) {
    this.#token = token;
    this.#present = present;
  }

  /** The server has taken a token, which `expires` then [s since 1970]. */
  start(expires) {
    this.stop();
    this.#later(expires, 0);
  }

  stop() {
    clearTimeout(this.#timer);
    this.#turn++;
  }

  #later(expires, refusals) {
    if (typeof this.#token !== 'function' || typeof expires !== 'number' || refusals >= REFUSALS_MAX) return;
    this.#timer = quietTimer(() => this.#renew(expires, refusals), renewalMs(expires, Date.now()));
  }

  async #renew(expires, refusals) {
    const turn = this.#turn;
    let next = expires;
    try {
      const token = await this.#token();
      if (turn !== this.#turn) return;
      next = (await this.#present(token)).expires;
      refusals = 0;
    } catch (error) {
      if (error instanceof CaromError) refusals++;
    }
    if (turn === this.#turn) this.#later(next, refusals);
  }
}
