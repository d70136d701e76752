// Reads and writes the page's address, and the settings that the browser stores between visits.

import {meant} from '../../src/options.js';
import {THEMES} from '../draw/theme.js';
import {reasonAgainst, shown} from './server_text.js';

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

/** The page's address is not one that it can show; `message` is for the visitor. */
export class AddressError extends Error {}

function numbers(text, count) {
  const list = (text ?? '').split(',').map(Number);
  return list.length === count && list.every(Number.isFinite) ? list : undefined;
}

/** The WebSocket address of the server that the text names: no credentials, query or hash. Throws a TypeError. */
export function serverOf(text, base = globalThis.location?.href) {
  const url = URL.canParse(text, base) ? new URL(text, base) : {};
  const secure = {'ws:': 'ws:', 'wss:': 'wss:', 'http:': 'ws:', 'https:': 'wss:'}[url.protocol];
  if (!secure) throw new TypeError(`“${text}” is no server: an address is ws://HOST:PORT or wss://HOST:PORT`);
  return `${secure}//${url.host}${url.pathname === '/' ? '/rpc' : url.pathname}`;
}

function serverNamed(text, location) {
  const why = reasonAgainst(text, location.href);
  if (why) throw new AddressError(why);
  return serverOf(text, location.href);
}

const ALLOWED = {
  world: 'a world’s name has 1 to 64 letters, digits and _ . -',
  at: 'it is x,y,scale: three numbers, the last above 0',
  follow: 'it is the id of a body, a whole number',
  tick: 'it is a whole number',
  theme: `it is ${Object.keys(THEMES).join(' or ')}`,
};

const PARTS = ['world', 'at', 'follow', 'tick', 'theme', 'token'];

// Sentences about the names behind # that mean nothing.
function unknownIn(hash) {
  return [...new Set(hash.keys())].filter((name) => !PARTS.includes(name)).map((name) => ({
    name, text: `“${shown(name)}”`, why: `“${shown(name)}” behind # in the address means nothing${meant(name, PARTS)}`}));
}

/**
 * {server, world, at, follow, tick, theme, token, faults}: missing or invalid members are undefined, and `faults` has a sentence
 * for the visitor about each invalid one, {name, text, why}; throws an AddressError for an invalid server.
 */
export function readAddress(location = globalThis.location) {
  const hash = new URLSearchParams(location.hash.slice(1));
  const search = new URLSearchParams(location.search);
  const whole = (text) => (/^\d{1,16}$/.test(text ?? '') ? Number(text) : undefined);
  const at = numbers(hash.get('at'), 3);
  const view = {
    world: NAME.test(hash.get('world') ?? '') ? hash.get('world') : undefined,
    at: at && at[2] > 0 ? at : undefined,
    follow: whole(hash.get('follow')),
    tick: whole(hash.get('tick')),
    theme: Object.hasOwn(THEMES, hash.get('theme') ?? '') ? hash.get('theme') : undefined,
  };
  const faults = Object.keys(view).filter((name) => hash.get(name) && view[name] === undefined).map((name) => {
    const text = `“${shown(hash.get(name))}”`;
    return {name, text, why: `${text} behind #…${name}= in the address is ignored: ${ALLOWED[name]}`};
  });
  return {
    ...view, faults: [...faults, ...unknownIn(hash)],
    server: search.get('server') ? serverNamed(search.get('server'), location) : undefined,
    token: hash.get('token') ?? undefined,
  };
}

/** A link to a view, with only these members and the page's place. */
export function writeAddress({server, world, at, follow, tick}, base = globalThis.location.href) {
  const url = new URL(base);
  const hash = new URLSearchParams();
  url.username = url.password = '';
  url.search = server ? `?server=${encodeURIComponent(server)}` : '';
  if (world) hash.set('world', world);
  if (at) hash.set('at', at.map((value) => Number(value.toPrecision(6))).join(','));
  if (follow) hash.set('follow', follow);
  if (tick !== undefined) hash.set('tick', tick);
  url.hash = hash.toString().replace(/%2C/g, ',');
  return url.href;
}

/** Changes the page's address without a step in the browser's history, whose entry keeps its state (../../src/visit.js). */
export function changeAddress(href) {
  history.replaceState(history.state, '', href);
}

/** Changes the part of the page's address behind `#` in the same way. */
export function changeHash(change) {
  const hash = new URLSearchParams(location.hash.slice(1));
  change(hash);
  changeAddress(`${location.pathname}${location.search}#${hash}`.replace(/#$/, ''));
}

const place = (name) => (name.startsWith('token ') ? 'sessionStorage' : 'localStorage');

/** A stored setting; undefined if there is none or the browser stores nothing. */
export function stored(name) {
  try {
    return globalThis[place(name)].getItem(`carom.${name}`) ?? undefined;
  } catch {
    return undefined;
  }
}

export function store(name, value) {
  try {
    if (value === undefined) globalThis[place(name)].removeItem(`carom.${name}`);
    else globalThis[place(name)].setItem(`carom.${name}`, value);
  } catch {
    // Private windows store nothing; the page works anyway.
  }
}
