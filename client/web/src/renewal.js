// Renews a token before it expires, when the server would end the session and remove what it owns. After a failure it
// tries again, at shorter intervals, until the token expires.

import {CaromError} from './errors.js';
import {quietTimer} from './heartbeat.js';

const AHEAD_MS_MAX = 60000; // renew this long before the end …
const AHEAD_SHARE = 0.25; // … or this share of the remaining time, whichever is less
const AGAIN_MS_MIN = 1000; // least time between two attempts
const UNKNOWN_MS = 60000; // used if the local clock says that an accepted token has expired
const TIMER_MS_MAX = 2 ** 31 - 1; // limit of setTimeout; the token is renewed then
const REFUSALS_MAX = 2; // refusals by the server, which closes the connection at the third

/** Milliseconds from `nowMs` until the next attempt; `expires` [s] and `nowMs` are since 1970. */
export function renewalMs(expires, nowMs) {
  const left = expires * 1000 - nowMs;
  if (!(left > 0)) return UNKNOWN_MS;
  const ahead = Math.min(AHEAD_MS_MAX, left * AHEAD_SHARE);
  return Math.min(Math.max(left - ahead, AGAIN_MS_MIN), TIMER_MS_MAX);
}

export class TokenRenewal {
  #token; // a function; a constant token cannot be renewed
  #present;
  #timer = null;
  #turn = 0; // raised by start() and stop(), so that late answers are dropped

  /** `token`: the option of connect(); `present(token)`: sends it to the server and promises its hello. */
  constructor(token, present) {
    this.#token = token;
    this.#present = present;
  }

  /** The server has accepted a token that `expires` [s since 1970]. */
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
