// A world as a scene file: its settings, bodies and joints as they are now. Sleeping islands, contacts and forces of
// motors are not in it; an image (Save) has those.

import {short, jointArgs, spawnArgs} from '../edit/maps.js';
import {CaromError} from '../../src/errors.js';
import {FILE_BYTES_MAX} from './load.js';

const USUAL = {gravity: [0, -9.81], hz: 60, substeps: 4, sleep: true, continuous: true, restitution_threshold: 0.5, hit_threshold: 1,
               sleep_speed: 0.05, max_bodies: 1 << 20};

const same = (one, other) => JSON.stringify(one) === JSON.stringify(other);

// A text that means itself: no expression, no reference, no brace.
const plain = (text) => (text.startsWith('$') ? `$${text}` : text).replaceAll('{', '{{');
const begins = (text) => text.startsWith('=');

/** The settings of world.info that are not the usual ones, as a scene's `world` has them. */
export function settingsOf(info) {
  const settings = {};
  for (const [name, usual] of Object.entries(USUAL)) {
    if (info[name] === undefined) continue;
    const value = Array.isArray(info[name]) ? info[name].map(short) : short(info[name]);
    if (!same(value, usual)) settings[name] = value;
  }
  return settings;
}

/**
 * The text of a scene file. `state` is world.state's answer, `info` world.info's. Returns
 * {text, changed}: `changed` counts tags that a scene cannot have, which begin with "=".
 */
export function sceneText({name, info, state, view}) {
  let changed = 0;
  const tagOf = (tag) => {
    if (begins(tag)) changed++;
    return begins(tag) ? ` ${tag}` : plain(tag);
  };
  const names = new Map(state.bodies.map(({body}) => [body, `body ${body}`]));
  const joints = [...state.joints].sort((one, other) => (one.kind === 'gear') - (other.kind === 'gear'));
  const commands = [...state.bodies].sort((one, other) => one.body - other.body).map((map) => {
    const args = spawnArgs(map);
    if (args.tag) args.tag = tagOf(args.tag);
    return ['body.spawn', args, {as: names.get(map.body)}];
  });
  for (const map of joints) {
    const args = jointArgs(map);
    for (const end of ['a', 'b']) if (args[end]) args[end] = `$${names.get(args[end])}`;
    for (const end of ['joint_a', 'joint_b']) if (args[end]) args[end] = `$joint ${args[end]}`;
    commands.push(['joint.create', args, {as: `joint ${map.joint}`}]);
  }
  const head = {name, world: settingsOf(info), ...(view && {view: view.map((value) => Number(value.toPrecision(6)))})};
  const lines = commands.map((command) => `    ${JSON.stringify(command)}`).join(',\n');
  const text = `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "commands": [\n${lines}\n  ]\n}\n`;
  const size = new TextEncoder().encode(text).length;
  if (size > FILE_BYTES_MAX) throw new CaromError('limit_exceeded', `a scene file has at most ${FILE_BYTES_MAX} bytes; this world takes ${size}. Save keeps its image`);
  return {text, changed};
}
