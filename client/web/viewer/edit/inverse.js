// The steps that undo a command: {method, args, left, makes}. `left` are the values after the command, which show whether
// somebody else has changed them since; `makes` the ids of the things that a step makes again.

import {jointArgs, shapeArgs, short, spawnArgs} from './maps.js';

// Values that change by themselves: they are put back whatever their present value is.
const MOVING = ['position', 'angle', 'velocity', 'angular_velocity', 'awake'];
export const WHO = ['body', 'shape', 'joint', 'world'];

const pick = (map, names) => Object.fromEntries(names.map((name) => [name, map[name]]));
const isSet = (args) => Object.keys(args).filter((name) => !WHO.includes(name));
/** The values of a command that are still there later, unless somebody changes them. */
export const expected = (args) => pick(args, isSet(args).filter((name) => !MOVING.includes(name) && name !== 'mass'));

/** Reads what a command will overwrite. Resolves to a function of the command's result that returns the steps back. */
export async function inverseOf(method, args, read) {
  switch (method) {
    case 'body.spawn':
      return ({body}) => [{method: 'body.remove', args: {body}}];
    case 'shape.add':
      return ({shape}) => [{method: 'shape.remove', args: {shape}}];
    case 'joint.create':
      return ({joint}) => [{method: 'joint.remove', args: {joint}}];
    case 'body.remove':
      return makeBody(args.body, read);
    case 'shape.remove':
      return makeShape(args.shape, read);
    case 'joint.remove':
      return makeJoint(args.joint, read);
    case 'body.set':
    case 'shape.set':
    case 'world.set':
    case 'joint.set':
      return setBack(method, args, read);
    default:
      return () => [];
  }
}

async function makeBody(body, read) {
  const map = await read.body(body);
  if (!map) return () => [];
  const joints = await read.jointsOf(body);
  const makes = {body, shapes: map.shapes.map(({shape}) => shape)};
  return () => [{method: 'body.spawn', args: spawnArgs(map), makes}, ...joints.map(jointStep)];
}

const jointStep = (map) => ({method: 'joint.create', args: jointArgs(map), makes: {joint: map.joint}});

async function makeShape(shape, read) {
  const map = await read.shape(shape);
  return () => (map ? [{method: 'shape.add', args: {body: map.of, shape: shapeArgs(map)}, makes: {shape}}] : []);
}

async function makeJoint(joint, read) {
  const map = await read.joint(joint);
  const gears = map ? await read.gearsOf(joint) : [];
  return () => (map ? [map, ...gears].map(jointStep) : []);
}

async function setBack(method, args, read) {
  const map = await read.of(method, args);
  if (!map) return () => [];
  const names = isSet(args);
  if (names.some((name) => map[name] === undefined)) {
    // A limit or motor that the joint did not have cannot be taken away again: the joint is made again.
    const {joint} = args;
    return method === 'joint.set' ? () => [{method: 'joint.remove', args: {joint}}, jointStep(map)] : () => [];
  }
  const before = pick(map, names);
  for (const name of names) before[name] = short(before[name]);
  if (method === 'body.set' && args.mass !== undefined) before.mass = spawnArgs(map).mass ?? 0;
  return () => [{method, args: {...pick(args, WHO.filter((name) => args[name] !== undefined)), ...before}, left: expected(args)}];
}
