// The token of a link (`#token=` in a page's address). It is for one visit alone: it is used in place of a token that the
// visitor has from elsewhere, and is stored for no later visit. The visit is kept in the state of the history's entry, so it
// outlasts a reload, and going back ends it. The viewer and the example games use this file.

const entry = () => globalThis.history?.state?.visit; // undefined in an entry that this page has not seen before

function readVisit() {
  const {server, token} = entry() ?? {};
  return typeof server === 'string' && typeof token === 'string' ? {server, token} : {};
}

let visit = readVisit(); // {server, token} of the link; empty without one

function keepVisit() {
  globalThis.history?.replaceState({...history.state, visit}, '');
}

/** The link's token for a server; undefined if this visit has none. */
export const visitToken = (server) => (visit.server === server ? visit.token : undefined);

/** Uses the token of a link for a server, in this visit. */
export function visitBy(server, token) {
  visit = {server, token};
  keepVisit();
}

/** Forgets the token of the link. */
export function endVisit() {
  visit = {};
  keepVisit();
}

/**
 * To be called when the address has changed. A new entry of the history goes on with this visit. Returns whether the entry
 * belongs to another visit: then the page has to be loaded again, which takes up that one.
 */
export function leftVisit() {
  if (entry() === undefined) {
    keepVisit();
    return false;
  }
  const other = readVisit();
  return other.server !== visit.server || other.token !== visit.token;
}

keepVisit();
