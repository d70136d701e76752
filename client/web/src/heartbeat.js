// Checks that the server still answers: pings often at first, so that the clock is soon known, then every two seconds.
// After the page or the machine was suspended, the answer must come much sooner than usual.

const PING_MS = 2000;
const FIRST_PINGS_MS = 100; // pause between the first pings
const FIRST_PINGS = 5;
const DEAD_MS = 10000; // time without an answer after which the connection is lost
const AWAKE_MS = 3000; // time for an answer after check()
const LAST_LOOK_MS = 100; // the end of AWAKE_MS: a busy process reads the input that waits before its timer fires again
const SLEPT_MS = 5000; // a timer this late means that the machine slept; a busy process delays less

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
  #due = 0; // wall-clock time of the next firing; that clock runs while the machine sleeps
  #awakeTimer = null; // timer that fires if the answer does not arrive in time
  #ping = null; // the ping without an answer

  /** `ask()` sends a ping and promises its answer; `answered(sentMs, answer)`; `dead()`: no answer came. */
  constructor({ask, answered, dead}) {
    this.#ask = ask;
    this.#answered = answered;
    this.#dead = dead;
  }

  /** Starts for a new connection. */
  start() {
    this.stop();
    this.#later(0);
  }

  /** Stops when the connection is lost. */
  stop() {
    clearTimeout(this.#timer);
    clearTimeout(this.#awakeTimer);
    this.#awakeTimer = null;
    this.#ping = null;
  }

  /** Pings at once: the connection may have died unnoticed. */
  check() {
    clearTimeout(this.#timer);
    if (this.#awakeTimer === null) {
      this.#send();
      this.#awakeTimer = quietTimer(() => {
        this.#awakeTimer = quietTimer(this.#dead, LAST_LOOK_MS);
      }, AWAKE_MS - LAST_LOOK_MS);
    }
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
    // This timer has seen the ping twice, so this process did not cause the delay: the connection is lost.
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
      if (this.#ping !== ping) return; // a ping of an earlier connection
      this.#ping = null;
      clearTimeout(this.#awakeTimer);
      this.#awakeTimer = null;
      this.#answered(ping.sent, answer);
    }, () => {});
  }
}
