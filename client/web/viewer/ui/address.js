// Reads and writes the page's address, and the settings that the browser stores between visits.

const NAME = /^[A-Za-z0-9_.-]{1,64}$/;

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

// A server in the page's address begins with a scheme or a slash: `host:port` alone would be a path of the page's server.
const PLACE = /^([a-z]+:\/\/|\.{0,2}\/)/i;

function serverNamed(text, location) {
  if (!PLACE.test(text)) throw new TypeError(`“${text}” is no server: an address is ws://HOST:PORT or wss://HOST:PORT`);
  return serverOf(text, location.href);
}

/**
 * {server, world, at, follow, tick, theme, token}: missing or invalid members are undefined; throws a TypeError for an
 * invalid server.
 */
export function readAddress(location = globalThis.location) {
  const hash = new URLSearchParams(location.hash.slice(1));
  const search = new URLSearchParams(location.search);
  const whole = (text) => (/^\d{1,16}$/.test(text ?? '') ? Number(text) : undefined);
  const at = numbers(hash.get('at'), 3);
  return {
    server: search.get('server') ? serverNamed(search.get('server'), location) : undefined,
    world: NAME.test(hash.get('world') ?? '') ? hash.get('world') : undefined,
    at: at && at[2] > 0 ? at : undefined,
    follow: whole(hash.get('follow')),
    tick: whole(hash.get('tick')),
    theme: hash.get('theme') ?? undefined,
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

/** Changes the part of the page's address behind `#`, without a step in the browser's history. */
export function changeHash(change) {
  const hash = new URLSearchParams(location.hash.slice(1));
  change(hash);
  history.replaceState(null, '', `${location.pathname}${location.search}#${hash}`.replace(/#$/, ''));
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
