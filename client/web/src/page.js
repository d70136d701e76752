// The page around a client: when it may have been away, when it goes, and the session that its
// successor goes on with. In Node and in workers there is no page: only the network's return is heard.
//
// A page that is closed and one that is reloaded both just hide, and no browser tells which it is. A link
// that leads elsewhere is told before, by `navigate`, where the browser has the Navigation API.

const KEY = 'carom session '; // before the name, in sessionStorage

// Whether the page that a `navigate` leads to is of this origin, and takes the place of this one.
function staysHere({destination, hashChange, downloadRequest}) {
  if (hashChange || destination.sameDocument || typeof downloadRequest === 'string') return false;
  return new URL(destination.url).origin === globalThis.location.origin;
}

/**
 * Calls `wake()` when the page or the network is there again, and `leave(reloads)` when the page goes for
 * good; `reloads`: a page of the same origin may follow. Returns a function that ends it.
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
  listen(document, 'resume', wake); // Chromium froze it
  listen(navigation, 'navigate', (event) => {
    if (!event.destination.sameDocument) reloads = staysHere(event);
  });
  // A page that is kept for the way back (persisted) may be shown again, with its session.
  listen(globalThis, 'pagehide', (event) => event.persisted || leave(reloads));
  return () => {
    for (const off of offs.splice(0)) off();
  };
}

// A frame without storage has null or throws.
function storage() {
  try {
    return globalThis.sessionStorage ?? null;
  } catch {
    return null;
  }
}

/**
 * The session of the page before this one in the same tab, by name. It is in sessionStorage only between
 * the two: a tab that is duplicated, which copies the storage, gets no session of a page that lives.
 */
export function takeSession(name) {
  const kept = storage()?.getItem(KEY + name) ?? undefined;
  storage()?.removeItem(KEY + name);
  return kept || undefined;
}

/** Leaves a session's secret to the next page. */
export function leaveSession(name, secret) {
  try {
    if (secret) storage()?.setItem(KEY + name, secret);
  } catch {
    // The storage is full: the next page begins a session of its own.
  }
}
