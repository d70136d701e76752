// Tokens of servers. Each is kept for the server that it was given for, until the tab is closed, and goes
// to no other: a link may name any server (`?server=`), and that one gets only what a person has entered
// for it in this tab. So a token in the address is for the page's own server.

import {stored, store} from './ui/address.js';

const entered = new Map(); // where the browser keeps nothing, until the page is left

/** The token that was given for a server (serverOf); undefined without one. */
export const tokenFor = (server) => stored(`token ${server}`) ?? entered.get(server);

export function keepToken(server, token) {
  entered.set(server, token);
  store(`token ${server}`, token);
}
