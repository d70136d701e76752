// Worlds of a fleet's other servers, for the list of worlds. Only an admin may list them. A fleet may have very many, so
// they are asked for only while somebody looks at the list or no world is shown, less often the longer the answers take,
// and up to a maximum.

const ROWS = 1000; // worlds in one answer of server.fleet
const TIMEOUT_MS = 5000; // the longest time until an answer
const PAUSE_TIMES = 10; // the pause is this many times as long as the answers took, within these bounds:
const PAUSE_MS_MIN = 1900; // shorter than the interval of the list of worlds
const PAUSE_MS_MAX = 30000;

export const WORLDS_ELSEWHERE_MAX = 10000; // beyond it the list says how many it leaves out

export class Elsewhere {
  #line = null; // the connection that was asked
  #alone = null; // a connection whose server lists no fleet
  #due = -Infinity;
  #found = [];

  constructor({most = WORLDS_ELSEWHERE_MAX, rows = ROWS, now = () => performance.now()} = {}) {
    Object.assign(this, {most, rows, now});
    /** How many worlds of the fleet the list leaves out. */
    this.more = 0;
  }

  /** The worlds that were listed last, without those named in `known`: {world, elsewhere: server, address}. */
  besides(known) {
    return this.#found.filter(({world}) => !known.has(world));
  }

  /** Asks again if it is time. The previous list is kept when answers fail to come. */
  async ask(line) {
    if (this.#alone === line || (this.#line === line && this.now() < this.#due)) return;
    this.#line = line;
    this.#due = Infinity; // one question at a time
    const began = this.now();
    try {
      await this.#list(line);
    } catch (error) {
      if (error.code !== 'timeout' && error.code !== 'unavailable') {
        this.#alone = line; // it belongs to no fleet, or does not say so
        this.forget();
      }
    }
    const now = this.now();
    this.#due = now + Math.min(Math.max((now - began) * PAUSE_TIMES, PAUSE_MS_MIN), PAUSE_MS_MAX);
  }

  async #list(line) {
    const found = [];
    for (let after = ''; ;) {
      const {worlds, total} = await line.call('server.fleet', {after}, {timeoutMs: TIMEOUT_MS});
      for (const {world, node, address} of worlds.slice(0, this.most - found.length)) found.push({world, elsewhere: node, address});
      if (worlds.length < this.rows || found.length >= this.most) {
        this.#found = found;
        this.more = Math.max(0, total - found.length);
        return;
      }
      after = worlds.at(-1).world;
    }
  }

  forget() {
    this.#found = [];
    this.more = 0;
  }
}
