// Announces to screen readers what the visitor did and what changed. Numbers that change by themselves are announced
// only on request: they would never stop.

import {$, counted} from './dom.js';

const LATER_MS = 50; // a region filled in the frame in which it was emptied is not read again

let timer = 0;

/** Announces a sentence to screen readers. */
export function say(text) {
  $('news').textContent = '';
  clearTimeout(timer);
  timer = setTimeout(() => {
    $('news').textContent = text;
  }, LATER_MS);
}

const PACES = {running: 'running', paused: 'paused', stepped: 'stepped by somebody'};
const STATES = {open: 'Connected', reconnecting: 'The connection is lost; trying again', closed: 'The connection is closed'};

export function bindNews(app) {
  const {session} = app;
  let state = session.state;
  let pace; // the watched world's state
  session.on('state', () => {
    if (session.state === state) return;
    state = session.state;
    if (STATES[state]) say(STATES[state]);
  });
  session.on('world', () => {
    pace = undefined;
  });
  session.on('info', (info) => {
    const {state} = session.pace(info.world);
    if (pace === undefined) say(`World ${info.world}: ${counted(info.bodies, 'body', 'bodies')}, ${PACES[state]}`);
    else if (pace !== state && !app.panels.transport.driving) say(PACES[state].replace(/^./, (first) => first.toUpperCase()));
    pace = state;
  });
}
