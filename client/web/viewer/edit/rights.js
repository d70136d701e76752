// The rights of this session, and why it lacks one. The server decides in the end; the page does not offer what it would refuse.

import {METHODS} from '../../src/methods.js';

const ROLES = ['none', 'viewer', 'player', 'referee', 'admin'];

/** Why this session may not call a method in the watched world now; '' if it may. */
export function whyNot(app, method) {
  const {session} = app;
  if (app.scrub) return 'This is the past: go back to now to change things.';
  const needed = METHODS[method].role;
  if (ROLES.indexOf(session.role) < ROLES.indexOf(needed)) {
    return `This takes the role ${needed}; this session’s is ${session.role}.`;
  }
  const methods = session.role === 'player' ? session.info?.players?.methods : undefined;
  return methods && !methods.includes(method) ? `Players may not call ${method} in this world.` : '';
}
