// The keyboard: one table of keys, their names in the help, and their actions.

import {toast} from './ui/dom.js';
import {topmost} from './ui/sheets.js';

const PAN_PX = 90;

// Keys that form controls use themselves.
const OWN_KEYS = [
  ['select, textarea, input:not([type=range], [type=checkbox], [type=radio])', /./],
  ['input[type=range]', /^(Arrow|Page|Home$|End$)/],
  ['input[type=checkbox], input[type=radio]', /^ $/],
  ['button', /^( |Enter)$/],
];

/** [keys, text in the help, action(app)] */
export const KEYS = [
  [[' '], 'Space', 'Pause or go on', (app) => app.panels.transport.toggle()],
  [['.'], '.', 'One tick', (app) => app.panels.transport.step()],
  [[','], ',', 'Back in time a little', (app) => app.panels.transport.back(0.5)],
  [['<'], '<', 'Slower', (app) => app.panels.transport.faster(-1)],
  [['>'], '>', 'Faster', (app) => app.panels.transport.faster(1)],
  [['n', 'N'], 'N', 'Back to now', (app) => app.setScrub(null)],
  [['ArrowLeft'], '← → ↑ ↓', 'Move the view', (app) => app.camera.centre(app.camera.goal.x - PAN_PX / app.camera.scale, app.camera.goal.y)],
  [['ArrowRight'], '', '', (app) => app.camera.centre(app.camera.goal.x + PAN_PX / app.camera.scale, app.camera.goal.y)],
  [['ArrowUp'], '', '', (app) => app.camera.centre(app.camera.goal.x, app.camera.goal.y + PAN_PX / app.camera.scale)],
  [['ArrowDown'], '', '', (app) => app.camera.centre(app.camera.goal.x, app.camera.goal.y - PAN_PX / app.camera.scale)],
  [['+', '='], '+ −', 'Zoom', (app) => app.camera.zoom(1.25)],
  [['-', '_'], '', '', (app) => app.camera.zoom(0.8)],
  [['0', 'Home'], '0', 'Show everything', (app) => app.fit()],
  [['f', 'F'], 'F', 'Follow the chosen body', (app) => app.chosen && app.follow(app.chosen)],
  [[']'], '[ ]', 'Choose a body', (app) => app.nextBody(1)],
  [['['], '', '', (app) => app.nextBody(-1)],
  [['Delete', 'Backspace'], 'Del', 'Remove the chosen body', remove],
  [['u'], 'U, Ctrl Z', 'Undo', (app) => app.turnBack('undo')],
  [['U'], 'Shift U, Ctrl Y', 'Redo', (app) => app.turnBack('redo')],
  [['q', 'Q'], 'Q, Ctrl D', 'Duplicate the chosen body', (app) => app.chosen && app.duplicate(app.chosen)],
  [['k', 'K'], 'K', 'Settings of the world', (app) => app.panels.settings.toggle()],
  [['v', 'V'], 'V', 'Select, pull, pan', (app) => app.setTool('hand')],
  [['p', 'P'], 'P', 'Push', (app) => app.setTool('push')],
  [['s', 'S'], 'S', 'Spawn', (app) => app.setTool('spawn')],
  [['g', 'G'], 'G', 'Draw a polygon', (app) => app.setTool('polygon')],
  [['c', 'C'], 'C', 'Draw ground', (app) => app.setTool('chain')],
  [['j', 'J'], 'J', 'Join two bodies', (app) => app.setTool('joint')],
  [['x', 'X'], 'X', 'Remove', (app) => app.setTool('erase')],
  [['Enter'], 'Enter', 'End a drawn line; spawn in the middle', enter],
  [['Escape'], 'Esc', 'Close a panel, let go', escape],
  [['o', 'O'], 'O', 'Overlays and colours', (app) => app.panels.layers.toggle()],
  [['1'], '1 … 6', 'One overlay', (app) => app.panels.layers.flip(0)],
  ...[2, 3, 4, 5, 6].map((n) => [[String(n)], '', '', (app) => app.panels.layers.flip(n - 1)]),
  [['d', 'D'], 'D', 'Prediction and distance', (app) => app.panels.layers.flip(7)],
  [['m', 'M'], 'M', 'Plots', (app) => app.panels.plots.toggle()],
  [['e', 'E'], 'E', 'Event log', (app) => app.panels.log.toggle()],
  [['w', 'W'], 'W', 'Worlds', (app) => app.panels.worlds.toggle()],
  [['l', 'L'], 'L', 'Light or dark', (app) => document.getElementById('theme-button').click()],
  [['?'], '?', 'This help', () => document.getElementById('help-button').click()],
];

function remove(app) {
  if (app.chosen) app.remove(app.chosen);
}

async function enter(app) {
  if (app.tool.drawing) {
    app.tool.finish();
  } else if (app.tool.name === 'spawn' && app.session.world) {
    const made = await app.tool.tap({x: app.camera.x, y: app.camera.y});
    if (made) toast('Spawned in the middle of the view', {note: true});
  }
}

const CLOSE = {
  options: (app) => app.setTool('hand'),
  inspector: (app) => app.choose(0),
  prediction: (app) => app.panels.layers.set('prediction', false),
  worlds: (app) => app.panels.worlds.close(),
  layers: (app) => app.panels.layers.close(),
  log: (app) => app.panels.log.close(),
  plots: (app) => app.panels.plots.close(),
  settings: (app) => app.panels.settings.close(),
};

// Lets go of one thing at a time: a line that is being drawn, the panel opened last, the tool, the body.
function escape(app) {
  if (app.tool.drawing) {
    app.tool.cancel();
    return;
  }
  const panel = topmost();
  if (panel) CLOSE[panel](app);
  else if (app.tool.name !== 'hand') app.setTool('hand');
  else app.choose(0);
}

// Keys with Ctrl (on a Mac with Command) that stand for others.
const WITH_CTRL = {z: 'u', Z: 'U', y: 'U', Y: 'U', d: 'q', D: 'q'};

function keyOf({key, ctrlKey, metaKey, altKey, shiftKey}) {
  if (altKey) return '';
  if (!ctrlKey && !metaKey) return key;
  return shiftKey && (key === 'z' || key === 'Z') ? 'U' : WITH_CTRL[key] ?? '';
}

export function bindKeys(app) {
  const actions = new Map();
  for (const [keys, , , action] of KEYS) for (const key of keys) actions.set(key, action);
  addEventListener('keydown', (event) => {
    const key = keyOf(event);
    if (!key) return;
    const {target} = event;
    if (target.closest?.('dialog[open]')) return; // dialogs close themselves on Escape
    const own = OWN_KEYS.some(([selector, keys]) => target.matches?.(selector) && keys.test(event.key));
    const turns = (key === 'u' || key === 'U') && key !== event.key && target.matches?.('.field input:not([data-touched])');
    if (event.key !== 'Escape' && own && !turns) return;
    const action = actions.get(key);
    if (!action) return;
    event.preventDefault();
    action(app);
    app.touch();
  });
}
