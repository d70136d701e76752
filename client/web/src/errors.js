// Errors of the server and of the connection to it, with the codes of the protocol.

import {ERRORS} from './methods.js';
import {whyNotOptions} from './options.js';

/** The codes of the protocol, and two of this client: `closed` (by its user) and `timeout`. */
export const ERROR_CODES = [...ERRORS, 'closed', 'timeout'];

/**
 * An error of a call or of the connection.
 *
 * `code`: one of ERROR_CODES; `method`: the call's, if there was one; `applied`: for a call whose answer was lost, true
 * if the server reported that it took effect, false if not, undefined if unknown.
 */
export class CaromError extends Error {
  constructor(code, text, {method, applied} = {}) {
    super(text);
    this.name = 'CaromError';
    this.code = code;
    if (method !== undefined) this.method = method;
    if (applied !== undefined) this.applied = applied;
  }

  /** Parses `code: text for a person`. An unknown code, and an error that is no text, become `internal`. */
  static fromWire(text, method) {
    if (typeof text !== 'string') return new CaromError('internal', 'the server’s error is no text', {method});
    const colon = text.indexOf(': ');
    const code = colon > 0 ? text.slice(0, colon) : 'internal';
    const known = ERROR_CODES.includes(code);
    return new CaromError(known ? code : 'internal', known ? text.slice(colon + 2) : text, {method});
  }
}

/** Throws `invalid_argument` unless each option is one of `known`. */
export function checkOptions(where, options, known) {
  const why = whyNotOptions(where, options, known);
  if (why !== '') throw new CaromError('invalid_argument', why);
}

/** Throws `invalid_argument` unless `name` may be a world's. */
export function checkWorldName(where, name) {
  if (typeof name === 'string' && name !== '') return;
  throw new CaromError('invalid_argument', `${where}: expected the name of a world, got ${name === '' ? "''" : name}`);
}
