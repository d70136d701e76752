// A server played by a test: its transports lead to an object that records messages and answers as the test demands.
import {decode, encode} from '../src/index.js';

export class FakeServer {
  /** `answer(method, args, id)`: the result of a request; undefined: no answer; an Error: a refusal. */
  constructor(answer) {
    this.answer = answer;
    this.accepts = true;
    /** Every message that arrived: {method, args, id}; the id of notifications is undefined. */
    this.messages = [];
    this.dials = 0;
    this.handlers = null; // handlers of the newest connection
  }

  /** The transport for makeClient(). */
  get open() {
    return (handlers) => {
      this.dials++;
      this.handlers = handlers;
      let ended = false;
      queueMicrotask(() => !ended && (this.accepts ? handlers.open() : handlers.close('refused')));
      return {
        buffered: 0,
        send: (bytes) => this.#take(bytes, handlers),
        end: () => {
          ended = true;
          this.ended = true;
        },
      };
    };
  }

  #take(bytes, handlers) {
    let at = 0;
    while (at < bytes.length) {
      // Splits messages that were sent together: each ends where the next one's first bytes begin.
      let end = at + 1;
      for (;; end++) {
        try {
          this.#message(decode(bytes.subarray(at, end)), handlers);
          break;
        } catch (error) {
          if (end >= bytes.length) throw error;
        }
      }
      at = end;
    }
  }

  #message(message, handlers) {
    const [id, method, args] = message[0] === 0 ? [message[1], message[2], message[3][0]]
      : [undefined, message[1], message[2][0]];
    if (!Array.isArray(message)) throw new Error('no message');
    this.messages.push({method, args, id});
    if (id === undefined) return;
    const result = this.answer(method, args, id);
    if (result !== undefined) this.reply(id, result, handlers);
  }

  /** Answers a request, at once or later. */
  reply(id, result, handlers = this.handlers) {
    const bytes = result instanceof Error ? encode([1, id, result.message, null]) : encode([1, id, null, result]);
    queueMicrotask(() => handlers.data(bytes));
  }

  notify(method, args) {
    this.handlers.data(encode([2, method, [args]]));
  }

  /** Breaks the connection. */
  cut() {
    this.handlers.close('cut');
  }

  /** The messages with that method so far. */
  of(method) {
    return this.messages.filter((message) => message.method === method);
  }
}

/** The answer to hello for session `session`, with further members. */
export const welcome = (session = 1, more = {}) => ({protocol: 1, session, resume: `s${session}`, role: 'admin',
                                                    limits: {}, ...more});
