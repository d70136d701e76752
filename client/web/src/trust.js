// Where a client may go when a server names another one, and what it may take along. PROTOCOL.md, "Several servers".
//
// A connection has one of three grades: `tls` (the server has proved who it is), `machine` (plain, within this machine)
// and `plain` (anyone on the way could be the server). A client goes from a connection to another one of the same
// scheme only, so TLS is never given up. It takes its token and its session's secret along if a server of the grade
// `tls` named a server of that grade, or one on this machine named another one there.

import {parseAddress, TCP_SCHEMES} from './transport.js';

const TLS_SCHEMES = new Set(['https:', 'wss:']);
const MACHINE = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;
const ADDRESS = /^(\[[0-9a-f:.]+\]|[A-Za-z0-9._-]+):([1-9]\d{0,4})$/i;
const ADDRESS_MAX = 255; // bytes

/** Whether bytes to a URL travel by TLS that verifies the server. */
function isProven(url, options) {
  const tls = TLS_SCHEMES.has(url.protocol) || TCP_SCHEMES.get(url.protocol) === true;
  return tls && options.tls?.rejectUnauthorized !== false;
}

/** The grade of a connection to the URL. */
export function gradeOf(url, options = {}) {
  if (isProven(url, options)) return 'tls';
  return MACHINE.test(url.hostname) ? 'machine' : 'plain';
}

/**
 * The URL of the server at `address` ('HOST:PORT', as a server names it), in the scheme of `from`; undefined if the
 * text is no address.
 */
export function urlOf(address, from) {
  if (typeof address !== 'string' || address.length > ADDRESS_MAX || !ADDRESS.test(address)) return undefined;
  const path = TCP_SCHEMES.has(from.protocol) ? '' : from.pathname;
  try {
    return parseAddress(`${from.protocol}//${address}${path}`, undefined);
  } catch {
    return undefined;
  }
}

/** Whether the token and the session's secret may go to the server `to` that the one at `from` has named. */
export function mayCarry(from, to, options = {}) {
  const grade = gradeOf(from, options);
  if (grade === 'plain') return options.follow?.plain === true;
  return gradeOf(to, options) === grade;
}
