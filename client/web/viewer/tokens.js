// Tokens of servers. A token that a person enters is theirs: it is kept until the tab is closed, and sent only to the server
// that it was entered for. A link may name any server (`?server=`), and that server gets only a token that was entered
// for it in this tab.
//
// A token in the address (`#token=`) is the link's. It is for the page's own server, and for this visit alone
// (../src/visit.js): it is used in place of the visitor's own token, which stays where it is and is used again when the page
// is opened without the link.

import {endVisit, visitToken} from '../src/visit.js';
import {stored, store} from './ui/address.js';

const entered = new Map(); // used where the browser stores nothing; lost when the page is left

/** The token that the visitor entered for a server (serverOf); undefined without one. */
export const ownToken = (server) => stored(`token ${server}`) ?? entered.get(server);

/** Whether this visit uses the token of a link for that server. */
export const byLink = (server) => visitToken(server) !== undefined;

/** The token to send to a server; undefined without one. */
export const tokenFor = (server) => visitToken(server) ?? ownToken(server);

/** Keeps the visitor's own token for a server; a link's for the same server is forgotten. */
export function keepToken(server, token) {
  entered.set(server, token);
  store(`token ${server}`, token);
  if (byLink(server)) endVisit();
}
