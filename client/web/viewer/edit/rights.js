// The rights of this session, and why it lacks one: the one place that decides what the page offers. The server decides in
// the end; a control that it would refuse is not shown, or disabled with the reason as its title.

import {METHODS} from '../../src/methods.js';
import {toast} from '../ui/dom.js';

const ROLES = ['none', 'viewer', 'player', 'referee', 'admin'];

/** Why this session may not call a method at all; '' if it may. */
export function whyNever({session}, method) {
  const {role} = METHODS[method];
  return ROLES.indexOf(session.role) < ROLES.indexOf(role) ? `This takes the role ${role}; this session’s is ${session.role}.` : '';
}

/** Why it may not call a method of the watched world; '' if it may. `body`: the one to change, with its description. */
function whyNotHere(app, method, body) {
  const {session} = app;
  if (!session.world) return 'No world is shown.';
  const never = whyNever(app, method);
  if (never || session.role !== 'player') return never;
  const methods = session.info?.players?.methods;
  if (methods && !methods.includes(method)) return `Players may not call ${method} in this world.`;
  const owner = body && (body.description ?? body).owner;
  if (!body || owner === session.client.hello.subject) return '';
  return `Players change only their own bodies; this one is ${owner === undefined ? 'nobody’s' : `of ${owner}`}.`;
}

/** The methods that a world's bounds leave its players, as a sentence; '' if they bound none. `info`: world.info's answer. */
export function playersText({players}) {
  if (players?.methods === undefined) return '';
  return players.methods.length === 0 ? 'Players may call no method here.' : `Players may call ${players.methods.join(', ')}.`;
}

/** Why this session may not call a method in the watched world now; '' if it may. */
export function whyNot(app, method, body) {
  const {absent, info, world} = app.session;
  if (app.scrub) return 'This is the past: go back to now to change things.';
  const never = whyNotHere(app, method, body);
  if (never || (info && !absent)) return never;
  return `“${world}” is not there yet: nothing can be changed until it is.`;
}

/** Whether this session may call a method in the watched world now; tells the visitor if not. */
export function mayAct(app, method, body) {
  const why = whyNot(app, method, body);
  if (why) toast(why);
  return why === '';
}

/** Whether this session may use a tool, now or when it is back from the past. */
export const mayUse = (app, {needs}) => needs === undefined || whyNotHere(app, needs) === '';
