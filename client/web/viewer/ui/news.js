// Tells a screen reader what the visitor did and what changed. Numbers that change by themselves are left
// to those who ask for them: they would never stop.

import {$} from './dom.js';

const LATER_MS = 50; // a region that is filled in the frame in which it was emptied is not read again

let timer = 0;

/** Has a screen reader say a sentence. */
export function say(text) {
  $('news').textContent = '';
  clearTimeout(timer);
  timer = setTimeout(() => {
    $('news').textContent = text;
  }, LATER_MS);
}

const STATES = {open: 'Connected', reconnecting: 'The connection is lost; trying again', closed: 'The connection is closed'};

export function bindNews(app) {
  const {session} = app;
  let state = session.state;
  let paused; // of the watched world
  session.on('state', () => {
    if (session.state === state) return;
    state = session.state;
    if (STATES[state]) say(STATES[state]);
  });
  session.on('world', () => {
    paused = undefined;
  });
  session.on('info', (info) => {
    if (paused === undefined) {
      say(`World ${info.world}: ${info.bodies} bodies, ${info.paused ? 'paused' : 'running'}`);
    } else if (paused !== info.paused && !app.panels.transport.driving) {
      say(info.paused ? 'Paused' : 'Running');
    }
    paused = info.paused;
  });
}
