// Tokens of servers. Each is kept until the tab is closed, and sent only to the server that it was entered for: a link
// may name any server (`?server=`), and that server gets only a token that a person entered for it in this tab. So a
// token in the address is for the page's own server.

import {stored, store} from './ui/address.js';

const entered = new Map(); // used where the browser stores nothing; lost when the page is left

/** The token for a server (serverOf); undefined without one. */
export const tokenFor = (server) => stored(`token ${server}`) ?? entered.get(server);

export function keepToken(server, token) {
  entered.set(server, token);
  store(`token ${server}`, token);
}
