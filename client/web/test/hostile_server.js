// A server that breaks the protocol: it alters the messages of simulated_server.js at random, from a seed. A value in a
// message becomes one of another kind or size, a member is missing, bytes are flipped or cut off.
import {decode, encode} from '../src/index.js';
import {SimulatedServer} from './simulated_server.js';

const WORDS = ['', 'x', 'not_found: no', 'unavailable: no', 'limit_exceeded: no', '__proto__', 'constructor', 'log', 'local'];
const NUMBERS = [0, -1, 1, 0.5, 7, 255, 65536, 2 ** 31, 2 ** 32, 2 ** 53 - 1, 2 ** 53, 1e300, -1e300, 5e-324, NaN, Infinity, -Infinity,
                 2n ** 63n, -(2n ** 63n)];
// Objects that JavaScript cannot turn into a text or a number.
const STUBBORN = [{toString: 1, valueOf: 1}, {then: 1}, {length: 1e9}];

export class HostileServer extends SimulatedServer {
  /** `chance()`: the next random number of 0 to 1; `share`: the share of messages that are altered. */
  constructor(world, hello, chance, share) {
    super(world, hello);
    this.chance = chance;
    this.share = share;
    this.altered = 0;
  }

  get open() {
    const near = super.open;
    return (handlers) => near({...handlers, data: (bytes) => {
      if (this.chance() >= this.share) return handlers.data(bytes);
      this.altered++;
      return handlers.data(this.#alter(bytes));
    }});
  }

  #pick(list) {
    return list[Math.floor(this.chance() * list.length)];
  }

  #alter(bytes) {
    const how = this.chance();
    // The next message continues in this one
    if (how < 0.03) return bytes.subarray(0, Math.floor(bytes.length * this.chance()));
    if (how < 0.1) {
      const flipped = bytes.slice();
      flipped[Math.floor(bytes.length * this.chance())] ^= 1 << Math.floor(8 * this.chance());
      return flipped;
    }
    const message = decode(bytes);
    return encode(how < 0.12 ? this.#value() : this.#place(message, message[0] === 1 ? 2 : 1));
  }

  // A copy of the value with something else in one place, at least `depth` levels down.
  #place(value, depth) {
    const inner = value instanceof Uint8Array || value === null || typeof value !== 'object' ? [] : Object.keys(value);
    if (inner.length === 0 || (depth <= 0 && this.chance() < 0.3)) return this.#instead(value);
    const key = depth > 1 ? inner.at(-1) : this.#pick(inner);
    const copy = Array.isArray(value) ? [...value] : {...value};
    if (depth <= 0 && this.chance() < 0.15) delete copy[key];
    else copy[key] = this.#place(copy[key], depth - 1);
    return copy;
  }

  #instead(value) {
    const how = this.chance();
    if (typeof value === 'number' && how < 0.3) return value + this.#pick([-1, 1, 0.5, 1000, 2 ** 40]);
    if (value instanceof Uint8Array && how < 0.6) {
      const bytes = value.slice();
      for (let i = 0; i < 3 && bytes.length > 0; i++) bytes[Math.floor(bytes.length * this.chance())] = 256 * this.chance();
      return bytes;
    }
    return this.#value();
  }

  #value() {
    const how = this.chance();
    if (how < 0.4) return this.#pick(NUMBERS);
    if (how < 0.6) return this.#pick(WORDS);
    if (how < 0.75) return this.#pick(STUBBORN);
    if (how < 0.85) return Uint8Array.from({length: 20 * this.chance()}, () => 256 * this.chance());
    return this.#pick([null, true, [], {}, [[]], [null], [1, 2, 3], new Array(1000).fill(0)]);
  }
}
