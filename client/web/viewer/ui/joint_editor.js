// The settings of a joint that can be changed in place, by its kind.

import {TABLE} from '../../src/table.js';
import {NumberField} from './field.js';

const SET = TABLE['joint.set'].args;
const OFF = {lower: NaN, upper: NaN, motor_speed: 0, max_force: 0, max_torque: 0}; // settings that the joint does not have
const TURN = [-Math.PI, Math.PI];
const WAY = [-10, 10];
const MOTOR = [1, 1e5, true];

// [setting, label, slider, unit] of each kind
const ROWS = {
  lower: (slider, unit) => ['lower', 'Lower limit', slider, unit],
  upper: (slider, unit) => ['upper', 'Upper limit', slider, unit],
  speed: (unit) => ['motor_speed', 'Motor speed', [-20, 20], unit],
  torque: ['max_torque', 'Motor torque, most', MOTOR, 'N m'],
  force: ['max_force', 'Motor force, most', MOTOR, 'N'],
  length: ['length', 'Length', [0.1, 30, true], 'm'],
  hertz: ['hertz', 'Spring', [0, 20], '1/s'],
  damping: ['damping_ratio', 'Spring’s damping', [0, 2], ''],
};
const SPRING = [ROWS.hertz, ROWS.damping];
const KINDS = {
  revolute: [ROWS.lower(TURN, 'rad'), ROWS.upper(TURN, 'rad'), ROWS.speed('rad/s'), ROWS.torque, ...SPRING],
  prismatic: [ROWS.lower(WAY, 'm'), ROWS.upper(WAY, 'm'), ROWS.speed('m/s'), ROWS.force, ...SPRING],
  distance: [ROWS.length, ROWS.lower([0, 30], 'm'), ROWS.upper([0, 30], 'm'), ROWS.speed('m/s'), ROWS.force, ...SPRING],
  weld: SPRING,
  wheel: [ROWS.lower(WAY, 'm'), ROWS.upper(WAY, 'm'), ROWS.speed('rad/s'), ROWS.torque, ...SPRING],
  motor: [ROWS.force, ROWS.torque, ...SPRING],
  mouse: [],
  filter: [],
  gear: [],
  pulley: [ROWS.length],
};

/** Fields of a joint: {field, value(map)}. `change(label, args, merge)` resolves to what was wrong, or ''. */
export function jointFields(joint, change) {
  return (KINDS[joint.kind] ?? []).map(([name, label, slider, unit]) => {
    const {min, max} = SET[name];
    const commit = (value, drag) => change(label.toLowerCase(), {[name]: value}, drag && `${joint.joint} ${name} ${drag}`);
    const field = new NumberField({label, name: `${label} of joint ${joint.joint}`, range: {min, max, unit}, slider, commit});
    return {field, value: (map) => map[name] ?? OFF[name] ?? NaN};
  });
}
