// Generated from proto/schema by proto/generate/javascript.py: do not edit.

/** The version of the protocol that this table is of. */
export const PROTOCOL_VERSION = 1;

/** Every method: least role, where it is carried out, the arguments' names; table.js has the rest. */
export const METHODS = {
  'hello': {role: 'none', scope: 'session', batch: false, args: ['protocol', 'client', 'token', 'resume']},
  'ping': {role: 'none', scope: 'session', batch: false, args: ['any']},
  'goodbye': {role: 'none', scope: 'session', batch: false, args: []},
  'server.info': {role: 'viewer', scope: 'server', batch: false, args: []},
  'server.stats': {role: 'viewer', scope: 'server', batch: false, args: ['bins']},
  'server.sessions': {role: 'admin', scope: 'server', batch: false, args: ['after', 'count']},
  'server.kick': {role: 'admin', scope: 'server', batch: false, args: ['session', 'reason']},
  'world.create': {role: 'admin', scope: 'server', batch: false, args: ['world', 'gravity', 'hz', 'substeps', 'paused', 'max_bodies', 'durability', 'sleep', 'continuous', 'restitution_threshold', 'hit_threshold', 'sleep_speed', 'scene', 'if_absent', 'lifetime', 'image', 'players', 'epoch']},
  'world.destroy': {role: 'admin', scope: 'server', batch: false, args: ['world', 'epoch']},
  'world.list': {role: 'viewer', scope: 'server', batch: false, args: []},
  'world.info': {role: 'viewer', scope: 'host', batch: false, args: ['world', 'epoch']},
  'world.pause': {role: 'referee', scope: 'host', batch: false, args: ['world', 'epoch']},
  'world.resume': {role: 'referee', scope: 'host', batch: false, args: ['world', 'epoch']},
  'world.step': {role: 'referee', scope: 'host', batch: false, args: ['world', 'ticks', 'to', 'epoch']},
  'world.set': {role: 'referee', scope: 'command', batch: true, args: ['world', 'gravity', 'sleep', 'restitution_threshold', 'sleep_speed', 'players', 'epoch']},
  'world.image': {role: 'admin', scope: 'host', batch: false, args: ['world', 'epoch']},
  'world.fork': {role: 'admin', scope: 'server', batch: false, args: ['world', 'as', 'durability', 'epoch']},
  'world.state': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'at', 'epoch']},
  'world.contacts': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'body', 'at', 'epoch']},
  'world.apply': {role: 'player', scope: 'command', batch: false, args: ['world', 'commands', 'at', 'late', 'epoch']},
  'world.subscribe': {role: 'viewer', scope: 'subscription', batch: false, args: ['world', 'rate', 'encoding', 'precision', 'area', 'follow', 'margin', 'budget', 'bodies', 'events', 'contacts', 'describe', 'compact', 'data', 'epoch']},
  'world.unsubscribe': {role: 'viewer', scope: 'subscription', batch: false, args: ['subscription']},
  'world.view': {role: 'viewer', scope: 'subscription', batch: false, args: ['subscription', 'area', 'follow', 'margin']},
  'body.spawn': {role: 'player', scope: 'command', batch: true, args: ['world', 'type', 'position', 'angle', 'velocity', 'angular_velocity', 'linear_damping', 'angular_damping', 'gravity_scale', 'fixed_rotation', 'bullet', 'allow_sleep', 'awake', 'enabled', 'mass', 'tag', 'shapes', 'lifetime', 'owner', 'epoch']},
  'body.remove': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'epoch']},
  'body.get': {role: 'viewer', scope: 'read', batch: true, args: ['world', 'body', 'at', 'epoch']},
  'body.set': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'type', 'position', 'angle', 'velocity', 'angular_velocity', 'linear_damping', 'angular_damping', 'gravity_scale', 'fixed_rotation', 'bullet', 'allow_sleep', 'awake', 'enabled', 'mass', 'tag', 'owner', 'epoch']},
  'body.impulse': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'impulse', 'point', 'epoch']},
  'body.angular_impulse': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'impulse', 'epoch']},
  'body.force': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'force', 'point', 'epoch']},
  'body.torque': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'torque', 'epoch']},
  'shape.add': {role: 'player', scope: 'command', batch: true, args: ['world', 'body', 'shape', 'epoch']},
  'shape.set': {role: 'player', scope: 'command', batch: true, args: ['world', 'shape', 'density', 'friction', 'restitution', 'rolling_resistance', 'tangent_speed', 'sensor', 'filter', 'events', 'one_way', 'epoch']},
  'shape.remove': {role: 'player', scope: 'command', batch: true, args: ['world', 'shape', 'epoch']},
  'joint.create': {role: 'player', scope: 'command', batch: true, args: ['world', 'kind', 'a', 'b', 'anchor', 'anchor_a', 'anchor_b', 'axis', 'reference_angle', 'joint_a', 'joint_b', 'ground_a', 'ground_b', 'ratio', 'collide_connected', 'length', 'lower', 'upper', 'motor_speed', 'max_force', 'max_torque', 'hertz', 'damping_ratio', 'angular_hertz', 'angular_damping_ratio', 'target', 'target_angle', 'target_translation', 'velocity', 'break_force', 'break_torque', 'epoch']},
  'joint.set': {role: 'player', scope: 'command', batch: true, args: ['world', 'joint', 'length', 'lower', 'upper', 'motor_speed', 'max_force', 'max_torque', 'hertz', 'damping_ratio', 'angular_hertz', 'angular_damping_ratio', 'target', 'target_angle', 'target_translation', 'velocity', 'break_force', 'break_torque', 'epoch']},
  'joint.remove': {role: 'player', scope: 'command', batch: true, args: ['world', 'joint', 'epoch']},
  'joint.get': {role: 'viewer', scope: 'read', batch: true, args: ['world', 'joint', 'epoch']},
  'joint.list': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'epoch']},
  'query.ray': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'from', 'to', 'filter', 'ignore', 'sensors', 'all', 'at', 'epoch']},
  'query.overlap': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'area', 'shape', 'point', 'filter', 'ignore', 'sensors', 'at', 'epoch']},
  'query.cast': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'shape', 'from', 'to', 'filter', 'ignore', 'sensors', 'all', 'at', 'epoch']},
  'query.nearest': {role: 'viewer', scope: 'read', batch: false, args: ['world', 'point', 'radius', 'filter', 'ignore', 'sensors', 'at', 'epoch']},
  'data.set': {role: 'player', scope: 'command', batch: true, args: ['world', 'key', 'value', 'version', 'epoch']},
  'data.remove': {role: 'player', scope: 'command', batch: true, args: ['world', 'key', 'version', 'epoch']},
  'data.get': {role: 'viewer', scope: 'read', batch: true, args: ['world', 'key', 'prefix', 'epoch']},
  'message.send': {role: 'player', scope: 'command', batch: true, args: ['world', 'name', 'data', 'to', 'subject', 'epoch']},
  'world.join': {role: 'player', scope: 'command', batch: false, args: ['world', 'template', 'data', 'seat', 'session', 'subject', 'epoch']},
  'world.leave': {role: 'player', scope: 'command', batch: false, args: ['world', 'session', 'seat', 'subject', 'epoch']},
  'server.fleet': {role: 'admin', scope: 'server', batch: false, args: ['after', 'count']},
  'world.move': {role: 'admin', scope: 'server', batch: false, args: ['world', 'to', 'epoch']},
};

/** The codes of errors, as errors.js has them with the client's own. */
export const ERRORS = [
  'invalid_argument', 'not_found', 'already_exists', 'permission_denied', 'unauthenticated',
  'limit_exceeded', 'unavailable', 'unknown_method', 'moved', 'internal',
];

/** The kinds of events, in the order of the engine's numbers. */
export const EVENT_KINDS = [
  'begin', 'stay', 'end', 'hit', 'sensor_begin', 'sensor_end', 'sleep', 'wake', 'spawn', 'remove',
  'joint_break', 'freeze', 'message', 'join', 'leave',
];
