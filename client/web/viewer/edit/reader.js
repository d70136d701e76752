// Reads things of the watched world, each once: full maps, or null for what is not there.

const orNull = (error) => {
  if (error.code === 'not_found') return null;
  throw error;
};

/** `bodies`: shape -> body, of shapes that the page may not have seen yet. */
export function reader(session, bodies = new Map()) {
  const {client, world} = session;
  const known = new Map();
  const once = (key, ask) => {
    if (!known.has(key)) known.set(key, ask().catch(orNull));
    return known.get(key);
  };
  const read = {
    body: (body) => once(`body ${body}`, () => client.call('body.get', {world, body})),
    joint: (joint) => once(`joint ${joint}`, () => client.call('joint.get', {world, joint})),
    /** Reads all bodies and joints in one call. */
    all: async () => {
      const {bodies, joints} = await client.call('world.state', {world});
      for (const map of bodies) known.set(`body ${map.body}`, Promise.resolve(map));
      for (const map of joints) known.set(`joint ${map.joint}`, Promise.resolve(map));
    },
    world: () => once('world', () => client.call('world.info', {world})),
    /** A shape's map, with the id of its body as `of`. */
    shape: async (shape) => {
      const body = bodyOf(session, shape) || bodies.get(shape);
      const map = body && await read.body(body);
      const found = map?.shapes.find((one) => one.shape === shape);
      return found ? {...found, of: body} : null;
    },
    /** The joints of a body. */
    jointsOf: async (body) => {
      const ids = [...session.source?.joints.values() ?? []]
        .filter(({a, b}) => a === body || b === body).map(({joint}) => joint);
      return (await Promise.all(ids.map((id) => read.joint(id)))).filter(Boolean);
    },
    /** The gears that end with a joint. */
    gearsOf: async (joint) => {
      const ids = [...session.source?.joints.values() ?? []]
        .filter(({joint_a, joint_b}) => joint_a === joint || joint_b === joint).map((gear) => gear.joint);
      return (await Promise.all(ids.map((id) => read.joint(id)))).filter(Boolean);
    },
    /** The things that the arguments of a method change. */
    of: (method, {body, shape, joint}) => {
      if (method.startsWith('shape')) return read.shape(shape);
      return joint ? read.joint(joint) : body ? read.body(body) : read.world();
    },
  };
  return read;
}

// The body of a shape, as the page sees it: a shape's id says nothing about it.
function bodyOf(session, shape) {
  for (const body of session.source?.drawn() ?? []) {
    if (body.description?.shapes.some((one) => one.shape === shape)) return body.id;
  }
  return 0;
}
