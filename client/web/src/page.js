// The page around a client: when it may have been suspended, when it ends, and the session that the next page resumes.
// Node and workers have no page: only the network's return is observed.
//
// Closing and reloading a page cause the same events, so they cannot be told apart. Where the browser has the
// Navigation API, `navigate` announces a link that leads elsewhere.

const KEY = 'carom session '; // prefix of the name in sessionStorage
const HIDDEN_MS = 100; // browsers let timers of hidden pages run once a second or less

// Whether a `navigate` leads to a page of this origin that replaces this one.
function staysHere({destination, hashChange, downloadRequest}) {
  if (hashChange || destination.sameDocument || typeof downloadRequest === 'string') return false;
  return new URL(destination.url).origin === globalThis.location.origin;
}

/**
 * Calls `wake()` when the page or the network is back, and `leave(reloads)` when the page ends; `reloads`: a page of
 * the same origin may follow. Returns a function that stops it.
 */
export function watchPage({wake, leave}) {
  const offs = [];
  const listen = (target, name, act) => {
    if (typeof target?.addEventListener !== 'function') return;
    target.addEventListener(name, act);
    offs.push(() => target.removeEventListener?.(name, act));
  };
  const {document, navigation} = globalThis;
  let reloads = true;
  listen(globalThis, 'online', wake);
  listen(globalThis, 'pageshow', wake);
  listen(document, 'visibilitychange', () => document.visibilityState !== 'hidden' && wake());
  listen(document, 'resume', wake); // Chromium had frozen the page
  listen(navigation, 'navigate', (event) => {
    if (!event.destination.sameDocument) reloads = staysHere(event);
  });
  // A page kept for the back button (persisted) may be shown again, with its session.
  listen(globalThis, 'pagehide', (event) => event.persisted || leave(reloads));
  return () => {
    for (const off of offs.splice(0)) off();
  };
}

/**
 * Calls `act()` again and again while the page is hidden, when no frames are drawn: ten times a second, or as often as
 * the browser lets it. Returns a function that stops it.
 */
export function whileHidden(act) {
  const {document} = globalThis;
  if (typeof document?.addEventListener !== 'function') return () => {};
  let timer = null;
  const stop = () => clearTimeout(timer);
  const look = () => {
    stop();
    if (document.visibilityState === 'hidden') timer = setTimeout(next, HIDDEN_MS);
  };
  const next = () => {
    look(); // first, as act() may throw or stop this
    act();
  };
  document.addEventListener('visibilitychange', look);
  look();
  return () => {
    stop();
    document.removeEventListener('visibilitychange', look);
  };
}

// Null or an exception in frames without storage.
function storage() {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}

/**
 * Takes the session that the previous page of this tab stored under the name. It is in sessionStorage only between the
 * two pages: a duplicated tab, which copies the storage, gets no session of a living page.
 */
export function takeSession(name) {
  const kept = storage()?.getItem(KEY + name) ?? undefined;
  storage()?.removeItem(KEY + name);
  return kept || undefined;
}

/** Stores a session's secret for the next page. */
export function leaveSession(name, secret) {
  try {
    if (secret) storage()?.setItem(KEY + name, secret);
  } catch {
    // The storage is full: the next page begins its own session.
  }
}
