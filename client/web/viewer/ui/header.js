// The header: state of the connection, theme, help and sign-in; and the tools' buttons.

import {mayUse, whyNever, whyNot} from '../edit/rights.js';
import {KEYS} from '../keys.js';
import {$, disable, el, toast} from './dom.js';
import {RPC} from '../session.js';
import {byLink, keepToken, ownToken} from '../tokens.js';

const SHARED = /-at-\d+(-\d+)?$/; // names of worlds that Sharing makes
const GALLERY = new URL('../gallery.html', import.meta.url).href;
const DOCS = new URL('../../docs/', import.meta.url).href;
const WORDS = {connecting: 'connecting', reconnecting: 'connection lost, trying again', closed: 'closed'};

function showState(app) {
  const {session} = app;
  const status = $('status');
  status.dataset.state = session.state;
  let text = WORDS[session.state];
  if (session.state === 'open') {
    const {clock} = session.client;
    const rtt = clock.synchronised ? `${clock.lastRtt < 10 ? clock.lastRtt.toFixed(1) : Math.round(clock.lastRtt)} ms` : '';
    text = [session.absent ? 'waiting for the world' : session.info ? session.pace(session.world).text : 'connected', rtt].filter(Boolean).join(' · ');
  }
  if ($('status-text').textContent !== text) $('status-text').textContent = text;
  status.title = session.client.hello ? `${session.client.hello.server} ${session.client.hello.version}, ` +
    `session ${session.client.hello.session}, ${session.role}${byLink(session.server) ? ' by the token of a link' : ''}` : '';
  showEmpty(app);
}

let asked = false; // a token was asked for; the visitor may decline

// Shows a sentence in the middle while no world is shown. A sentence that says what the page waits for (class `waiting`, see
// style.css) appears after a moment, as the picture is usually there before.
function showEmpty(app) {
  const {session} = app;
  if (app.refused && !session.world) return;
  app.refused = false;
  const box = $('empty');
  const say = (title, text, ...more) => {
    if (box.dataset.title !== title || box.querySelector('p')?.textContent !== text) {
      box.dataset.title = title;
      box.replaceChildren(el('h1', {}, title), el('p', {}, text), ...more.filter(Boolean));
    }
    box.classList.remove('waiting');
    box.hidden = false;
  };
  const wait = (title, text) => {
    say(title, text);
    box.classList.add('waiting');
  };
  if (session.needsToken) {
    say(askerOf(session), session.error?.message ?? 'It shows its worlds to those who have a token of its operator.',
        el('button', {class: 'primary', onclick: () => signIn(app)}, 'Enter a token'));
    if (!asked) signIn(app);
    asked = true;
  } else if (session.state === 'closed' && session.error?.code === 'permission_denied' && !session.client.hello) {
    say(`This page may not connect to ${new URL(session.server).host}`, session.error.message);
  } else if (session.state === 'closed') {
    say('The connection is closed', session.error?.message ?? '',
        el('button', {class: 'primary', onclick: () => location.reload()}, 'Connect again'));
  } else if (session.state === 'connecting') {
    const {host} = new URL(session.server);
    const whom = isForeign(session) ? ` It has to let this page in: caromd --origin ${location.origin}` : '';
    wait(isForeign(session) ? `Connecting to ${host} …` : 'Connecting …', `This page tries until the server answers.${whom}`);
  } else if (session.state === 'reconnecting' && !app.live) {
    say('The connection is lost', 'This page tries again until the server answers.');
  } else if (session.serverless && !session.world && session.worlds.length === 0) {
    wait('Loading …', 'The page makes its world.');
  } else if (session.state === 'open' && !session.world && session.worlds.length === 0 && session.looked) {
    const make = () => app.panels.worlds.create('demo', 'demo');
    const why = whyNever(app, 'world.create');
    say('There is no world yet', why ? `Somebody else has to make one; it shows here then. ${why}` : 'Make the demo world, or one of your own from the list at the top.',
        why ? null : el('button', {class: 'primary', onclick: make}, 'Make the demo world'), el('a', {href: GALLERY}, 'Or see the gallery'));
  } else if (session.state === 'open' && !session.world && session.looked && app.address.world) {
    say(`There is no world “${app.address.world}”`, SHARED.test(app.address.world)
      ? 'A tick that was shared can be seen while the page is open that shares it. Other worlds are in the list at the top.'
      : 'It may have ended. Others are in the list at the top.',
        el('button', {class: 'primary', onclick: () => app.panels.worlds.toggle()}, 'Worlds'));
  } else if (session.state === 'open' && !session.world && !session.looked) {
    wait('Loading …', 'The page waits for the server’s list of worlds.');
  } else if (session.state === 'open' && !session.world) {
    say('No world is served now', 'The server lists worlds that it does not serve; the list at the top says why.',
        el('button', {class: 'primary', onclick: () => app.panels.worlds.toggle()}, 'Worlds'));
  } else if (session.state === 'open' && !app.fitted) {
    wait(`Loading “${session.world}” …`, 'The page waits for the first snapshot of this world.');
  } else {
    box.hidden = true;
    box.dataset.title = '';
  }
}

// A server other than the page's own was chosen by the author of the link: its name is shown before a token is entered.
const isForeign = ({server}) => server !== RPC;
const askerOf = (session) => (isForeign(session) ? `${new URL(session.server).host} asks who you are` : 'This server asks who you are');

function signIn(app) {
  const dialog = $('signin');
  if (dialog.open) return;
  const {error, server} = app.session;
  const foreign = isForeign(app.session);
  const input = el('input', {type: 'password', 'aria-label': 'Token', placeholder: 'token', required: true,
                             autocomplete: 'off', value: ownToken(server) ?? ''});
  dialog.replaceChildren(...[el('h2', {}, askerOf(app.session)),
    el('p', {class: 'hint'}, 'Paste a token of the server’s operator. It is kept for that server until this tab is closed.'),
    foreign ? el('p', {class: 'wrong'}, `The link that you followed names this server, and not ${location.host}. Enter a token ` +
                 'of this one alone: with another its operator could act as you elsewhere.') : null,
    error && byLink(server) ? el('p', {class: 'wrong'}, 'The link that you followed bears a token, which is refused.') : null,
    error ? el('p', {class: 'wrong', role: 'alert'}, error.message) : null,
    el('form', {method: 'dialog', onsubmit: () => {
      keepToken(server, input.value.trim());
      location.reload();
    }}, input, el('button', {class: 'primary'}, 'Connect'))].filter(Boolean));
  dialog.showModal();
}

// Undo and redo are shown once there is something to take back.
function showTurns(app) {
  const {undoable, redoable} = app.changes;
  const why = whyNot(app, 'world.apply');
  for (const [name, word, what] of [['undo', 'Undo', undoable], ['redo', 'Redo', redoable]]) {
    const button = $(`${name}-button`);
    button.hidden = undoable === '' && redoable === '';
    button.disabled = what === '' || why !== '';
    const none = why || (what === '' ? `There is nothing to ${name}` : '');
    button.title = none || `${word}: ${what} (${name === 'undo' ? 'U' : 'Shift U'})`;
  }
}

function help({serverless}) {
  const rows = KEYS.filter(([, name]) => name).flatMap(([, name, what]) => [
    el('dt', {}, el('kbd', {}, name)), el('dd', {}, what)]);
  const half = Math.ceil(rows.length / 4) * 2;
  const dialog = $('help');
  dialog.replaceChildren(el('h2', {tabindex: -1, autofocus: true}, 'Keys and gestures'),
    el('p', {class: 'hint'}, 'Drag a body to pull it, the ground to move the view; wheel or pinch to zoom; ' +
       'double-click a body to follow it. Click one to see why it does not move.'),
    el('div', {class: 'columns'}, el('dl', {}, ...rows.slice(0, half)), el('dl', {}, ...rows.slice(half))),
    el('p', {class: 'links'}, el('a', {href: GALLERY}, 'Gallery of scenes'),
       serverless ? null : el('a', {href: DOCS}, 'Documentation of this server')),
    el('form', {method: 'dialog'}, el('button', {class: 'primary'}, 'Close')));
  dialog.showModal(); // focuses the heading, or else the first link, which may be out of view
  dialog.scrollTop = 0;
}

// A tool that this session may not use is disabled, and put away. In the past all are disabled, and the one in use stays.
function showTools(app) {
  for (const button of document.querySelectorAll('[data-tool]')) {
    const {needs} = app.tools[button.dataset.tool];
    disable(button, needs ? whyNot(app, needs) : '');
  }
  if (app.session.world && !mayUse(app, app.tool)) app.setTool('hand');
}

export function bindHeader(app) {
  const {session} = app;
  session.on('state', () => showState(app));
  session.on('worlds', () => {
    session.looked = true;
    showState(app);
  });
  for (const name of ['frame', 'sight']) app.on(name, () => showState(app));
  session.on('world', (name) => {
    $('world-name').textContent = name || 'no world';
    document.title = name ? `${name} – carom` : 'carom';
    showState(app);
  });
  $('help-button').addEventListener('click', () => help(session));
  $('theme-button').addEventListener('click', () => {
    app.setTheme(app.themeName === 'dark' ? 'light' : 'dark');
    app.keep('theme', app.themeName);
  });
  $('fit-button').addEventListener('click', () => {
    app.fit();
    app.touch();
  });
  $('undo-button').addEventListener('click', () => app.turnBack('undo'));
  $('redo-button').addEventListener('click', () => app.turnBack('redo'));
  app.changes.on('change', () => showTurns(app));
  const showRights = () => {
    showTools(app);
    showTurns(app);
  };
  for (const name of ['frame', 'time']) app.on(name, showRights);
  for (const name of ['state', 'world', 'info']) session.on(name, showRights);
  const tools = [...document.querySelectorAll('[data-tool]')];
  for (const button of tools) button.addEventListener('click', () => app.setTool(button.dataset.tool));
  if (byLink(session.server) && ownToken(session.server) !== undefined) {
    toast('This visit uses the token of the link. Yours is kept: it is used when you open the page without the link', {note: true});
  }
  app.on('tool', (name) => {
    for (const button of tools) button.setAttribute('aria-pressed', button.dataset.tool === name);
  });
  showState(app);
}
