// A server that a test plays: transports of its making end in an object that records the messages and
// answers as it is told.
import {decode, encode} from '../src/index.js';

export class FakeServer {
  /** `answer(method, args, id)`: the result of a request; undefined: none comes; an Error: its refusal. */
  constructor(answer) {
    this.answer = answer;
    this.accepts = true;
    /** Every message that came: {method, args, id}; id undefined of notifications. */
    this.messages = [];
    this.dials = 0;
    this.handlers = null; // of the newest connection
  }

  /** For makeClient(). */
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
      // Messages that left together: each is taken where the next one's first bytes would begin.
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

  /** The connection is lost. */
  cut() {
    this.handlers.close('cut');
  }

  /** The messages of that method so far. */
  of(method) {
    return this.messages.filter((message) => message.method === method);
  }
}

/** hello's answer of session `session`, and more. */
export const welcome = (session = 1, more = {}) => ({protocol: 1, session, resume: `s${session}`, role: 'admin',
                                                    limits: {}, ...more});
