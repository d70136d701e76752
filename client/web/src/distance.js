// A distance between this program and its server, for trying a game out: bytes arrive later than they are sent, as
// `carom relay` has it between programs, but in the page itself, where a slider can change it.
//
// The object {delayMs, jitterMs, stall, stallMs, seed} is read with every message. Bytes arrive in order, as over TCP:
// a late message delays all behind it. A stall is what a lost segment does to TCP: nothing arrives until it is sent
// again, a round trip later.

import {whyNotOptions} from './options.js';

const SEGMENT_BYTES = 1448; // TCP payload over Ethernet, with timestamps
const DELAY_MS_MAX = 60000;
const RESEND_MS = 10; // time beyond a round trip until a lost segment is sent again

// Numbers in [0, 1): mulberry32 of T. Ettinger.
function randomFrom(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function numberOf(distance, name, most, otherwise) {
  const value = distance[name] ?? otherwise;
  if (!(value >= 0 && value <= most)) throw new RangeError(`distance: ${name}: 0 to ${most}, got ${value}`);
  return value;
}

/** Throws a RangeError that names the invalid value. */
export function checkDistance(distance) {
  const why = whyNotOptions('distance', distance, ['delayMs', 'jitterMs', 'stall', 'stallMs', 'seed']);
  if (why !== '') throw new RangeError(why);
  numberOf(distance, 'delayMs', DELAY_MS_MAX, 0);
  numberOf(distance, 'jitterMs', DELAY_MS_MAX, 0);
  numberOf(distance, 'stall', 1, 0);
  numberOf(distance, 'stallMs', 2 * DELAY_MS_MAX + RESEND_MS, 0);
}

/** Times of arrival in one direction. */
export class Way {
  #distance;
  #random;
  #last = 0;

  /** `number` distinguishes the directions of one seed. */
  constructor(distance, number = 0) {
    this.#distance = distance;
    this.#random = randomFrom((distance.seed ?? 1) * 2 + number);
  }

  /** The time [ms] at which `size` bytes arrive that are sent at `now`. */
  arrival(now, size) {
    const delay = numberOf(this.#distance, 'delayMs', DELAY_MS_MAX, 0);
    const jitter = numberOf(this.#distance, 'jitterMs', DELAY_MS_MAX, 0);
    const stall = numberOf(this.#distance, 'stall', 1, 0);
    const held = this.#distance.stallMs ?? 2 * delay + RESEND_MS;
    let at = Math.max(this.#last, now + Math.max(0, delay + jitter * (2 * this.#random() - 1)));
    for (let sent = 0; sent < size; sent += SEGMENT_BYTES) if (this.#random() < stall) at += held;
    this.#last = at;
    return at;
  }
}

const now = () => globalThis.performance.now();

// Makes the calls of one direction at their times and in order: timers alone guarantee neither. (A tab in the
// background fires its timers once a second, so it is that far away.)
class Queue {
  #way;
  #waiting = []; // {at, act}
  #timer = null;

  constructor(way) {
    this.#way = way;
  }

  put(size, act) {
    const at = this.#way.arrival(now(), size);
    if (this.#waiting.length === 0 && at <= now()) {
      act();
      return;
    }
    this.#waiting.push({at, act});
    this.#timer ??= setTimeout(() => this.#run(), Math.max(0, at - now()));
  }

  #run() {
    this.#timer = null;
    while (this.#waiting.length > 0 && this.#waiting[0].at <= now() + 0.5) this.#waiting.shift().act();
    if (this.#waiting.length > 0) this.#timer ??= setTimeout(() => this.#run(), Math.max(0, this.#waiting[0].at - now()));
  }
}

/** The transport that `open` makes (transport.js), with this distance. */
export function distantTransport(open, distance) {
  checkDistance(distance);
  return (handlers) => {
    const up = new Queue(new Way(distance, 0));
    const down = new Queue(new Way(distance, 1));
    let onWay = 0; // bytes that were sent and have not arrived
    let ended = false; // this side has ended the connection
    let closed = false; // the other end has closed the connection
    const transport = open({
      open: () => down.put(0, () => !ended && handlers.open()),
      data: (bytes) => down.put(bytes.length, () => !ended && handlers.data(bytes)),
      close: (reason) => {
        closed = true;
        down.put(0, () => !ended && handlers.close(reason));
      },
    });
    return {
      send: (bytes) => {
        onWay += bytes.length;
        up.put(bytes.length, () => {
          onWay -= bytes.length;
          if (!closed) transport.send(bytes);
        });
      },
      end: () => {
        ended = true;
        up.put(0, () => transport.end());
      },
      get buffered() {
        return onWay + transport.buffered;
      },
    };
  };
}
