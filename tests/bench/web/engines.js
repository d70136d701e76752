// The engines that are compared, each behind the same few functions, for Node and for a page.
//
// An engine's load(place) takes the URL of its package's folder (with a slash at its end) and gives build(rows): a
// pyramid of rows (rows + 1) / 2 boxes of 1 m on the ground, as that of tests/golden/scenes_peers.c, in a world of its
// own: step() steps it by 1/60 s, top() returns the height of the topmost box [m], free() ends it. All run on one
// thread with their defaults, except that nothing may sleep: a step would then cost nothing. The densities are 1, the
// frictions 0.6, and gravity is 10 m/s^2 downward.

const DT = 1 / 60;
const GRAVITY = -10;
const FRICTION = 0.6;
const GROUND = {half: [100, 1], y: -1};
const HALF = 0.5;

/** Calls put(x, y) for each box. */
function eachBox(rows, put) {
  for (let i = 0; i < rows; i++) {
    for (let j = i; j < rows; j++) put((i + 1) * 0.5 + (j - i) - rows * 0.5, i + 0.5);
  }
}

async function loadCarom(place) {
  const {loadEngine} = await import(new URL('src/index.js', place).href);
  const engine = await loadEngine();
  return (rows) => {
    const world = engine.createWorld({gravity: [0, GRAVITY], sleep: false, hz: 60});
    const box = (half) => [{kind: 'box', size: half.map((h) => 2 * h), friction: FRICTION, density: 1}];
    world.createBody({type: 'static', position: [0, GROUND.y], shapes: box(GROUND.half)});
    let last;
    eachBox(rows, (x, y) => {
      last = world.createBody({position: [x, y], shapes: box([HALF, HALF])});
    });
    return {step: () => world.step(), top: () => last.position[1], free: () => world.free()};
  };
}

async function loadBox2d(place) {
  const {default: factory} = await import(new URL('build/dist/es/entry.mjs', place).href);
  const b2 = await factory();
  return (rows) => {
    const def = b2.b2DefaultWorldDef();
    def.gravity.Set(0, GRAVITY);
    def.enableSleep = false;
    const world = b2.b2CreateWorld(def);
    const shape = b2.b2DefaultShapeDef();
    shape.density = 1;
    shape.material.friction = FRICTION;
    const put = (type, x, y, [hx, hy]) => {
      const body = b2.b2DefaultBodyDef();
      body.type = type;
      body.position.Set(x, y);
      const id = b2.b2CreateBody(world, body);
      const polygon = b2.b2MakeBox(hx, hy);
      b2.b2CreatePolygonShape(id, shape, polygon);
      polygon.delete?.();
      body.delete?.();
      return id;
    };
    put(b2.b2BodyType.b2_staticBody, 0, GROUND.y, GROUND.half);
    let last;
    eachBox(rows, (x, y) => {
      last = put(b2.b2BodyType.b2_dynamicBody, x, y, [HALF, HALF]);
    });
    return {step: () => b2.b2World_Step(world, DT, 4), top: () => b2.b2Body_GetPosition(last).y,
            free: () => b2.b2DestroyWorld(world)};
  };
}

const loadRapier = (file) => async (place) => {
  const module = await import(new URL(file, place).href);
  const rapier = module.default ?? module;
  const warn = console.warn;
  console.warn = () => {}; // it warns about an argument of its own
  await rapier.init();
  console.warn = warn;
  return (rows) => {
    const world = new rapier.World({x: 0, y: GRAVITY});
    world.timestep = DT;
    const put = (def, x, y, [hx, hy]) => {
      const body = world.createRigidBody(def.setTranslation(x, y));
      world.createCollider(rapier.ColliderDesc.cuboid(hx, hy).setFriction(FRICTION).setDensity(1), body);
      return body;
    };
    put(rapier.RigidBodyDesc.fixed(), 0, GROUND.y, GROUND.half);
    let last;
    eachBox(rows, (x, y) => {
      last = put(rapier.RigidBodyDesc.dynamic().setCanSleep(false), x, y, [HALF, HALF]);
    });
    return {step: () => world.step(), top: () => last.translation().y, free: () => world.free()};
  };
};

/** The engines by name: the package, its loader, and the files that a page would load. */
export const ENGINES = {
  carom: {package: 'carom', load: loadCarom, files: ['src/browser.min.js', 'src/engine.wasm']},
  'box2d3-wasm': {package: 'box2d3-wasm', load: loadBox2d,
                  files: ['build/dist/es/deluxe/Box2D.deluxe.mjs', 'build/dist/es/deluxe/Box2D.deluxe.wasm']},
  rapier2d: {package: '@dimforge/rapier2d-compat', load: loadRapier('dist/rapier.mjs'),
             files: ['dist/rapier_wasm2d.js', 'dist/rapier_wasm2d_bg.wasm']},
  'rapier2d-simd': {package: '@dimforge/rapier2d-simd-compat', load: loadRapier('rapier.mjs'),
                    files: ['rapier_wasm2d.js', 'rapier_wasm2d_bg.wasm']},
};

/** Returns the times of a pyramid's steps [ms], in order, measured after a discarded world; and its top [m]. */
export async function measure(name, place, {rows, steps}) {
  const build = await ENGINES[name].load(place);
  const warm = build(Math.ceil(rows / 4));
  for (let i = 0; i < steps; i++) warm.step();
  warm.free();
  const world = build(rows);
  const times = new Float64Array(steps);
  for (let i = 0; i < steps; i++) {
    const begin = performance.now();
    world.step();
    times[i] = performance.now() - begin;
  }
  const top = world.top();
  world.free();
  return {times: [...times], top};
}
