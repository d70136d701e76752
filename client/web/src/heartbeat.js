// Whether the server still answers: pings, often at first, so that the clock is known soon, then every two
// seconds. After the page or the machine was away the first answer is due much earlier than otherwise.

const PING_MS = 2000;
const FIRST_PINGS_MS = 100; // between the first ones
const FIRST_PINGS = 5;
const DEAD_MS = 10000; // without an answer: the connection is lost
const AWAKE_MS = 3000; // the same, after check()
const SLEPT_MS = 5000; // a timer that is so late was not held up by a busy process

const now = () => globalThis.performance.now();

/** A timer that does not keep a Node process alive. */
export function quietTimer(callback, ms) {
  const timer = setTimeout(callback, ms);
  timer.unref?.();
  return timer;
}

export class Heartbeat {
  #ask;
  #answered;
  #dead;
  #timer = null;
  #due = 0; // when it is to fire, by the wall clock, which goes on while the machine sleeps
  #awakeTimer = null; // the answer is due by then
  #ping = null; // the one under way

  /** `ask()`: promises a ping's answer; `answered(sentMs, answer)`; `dead()`: there was none. */
  constructor({ask, answered, dead}) {
    this.#ask = ask;
    this.#answered = answered;
    this.#dead = dead;
  }

  /** A connection is there. */
  start() {
    this.stop();
    this.#later(0);
  }

  /** It is gone: nothing is asked any more. */
  stop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#awakeTimer);
    this.#awakeTimer = null;
    this.#ping = null;
  }

  /** The connection may have gone while nobody here looked: asks at once. */
  check() {
    if (this.#awakeTimer !== null) return;
    clearTimeout(this.#timer);
    this.#send();
    this.#awakeTimer = quietTimer(this.#dead, AWAKE_MS);
    this.#later(FIRST_PINGS);
  }

  #later(count) {
    const pause = count < FIRST_PINGS ? FIRST_PINGS_MS : PING_MS;
    this.#due = Date.now() + pause;
    this.#timer = quietTimer(() => this.#beat(count), pause);
  }

  #beat(count) {
    if (Date.now() - this.#due > SLEPT_MS) {
      this.check();
      return;
    }
    if (this.#ping === null) {
      this.#send();
      this.#later(count + 1);
      return;
    }
    // Seen twice and too old: the answer did not wait behind this very timer.
    if (this.#ping.seen && now() - this.#ping.sent > DEAD_MS) {
      this.#dead();
      return;
    }
    this.#ping.seen = true;
    this.#later(FIRST_PINGS);
  }

  #send() {
    const ping = {sent: now(), seen: false};
    this.#ping = ping;
    this.#ask().then((answer) => {
      if (this.#ping !== ping) return; // of a connection before
      this.#ping = null;
      clearTimeout(this.#awakeTimer);
      this.#awakeTimer = null;
      this.#answered(ping.sent, answer);
    }, () => {});
  }
}
