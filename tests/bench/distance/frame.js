// The time of a frame of a prediction in WebAssembly, in Node and in pages: a pile in a bin, all bodies awake, a server
// 100 ms away (round trip), and another player who pushes a body six times a second, which makes the prediction roll
// back 8 ticks each time. Server and client each have an engine; time is simulated.

const HZ = 60;
const WAY = 3; // ticks of delay one way: 50 ms
const SESSION = 7; // the player's session number
const OTHER = 99;
const EVERY = 10; // ticks between two commands of a player
const TICKS_BEFORE = 60; // ticks after which the pile has fallen

// In Node, processor time of the process [ms], because other processes share the machine; in a page, elapsed time.
const clock = () => {
  const spent = globalThis.process?.cpuUsage?.();
  return spent ? (spent.user + spent.system) / 1000 : performance.now();
};

function makePile(engine, bodies) {
  const world = engine.createWorld({hz: HZ, sleep: false});
  const columns = Math.max(4, Math.ceil(Math.sqrt(bodies)));
  const half = 0.6 * columns;
  const wall = (x, y, w, h) => world.createBody({type: 'static', position: [x, y], shapes: [{kind: 'box', size: [w, h]}]});
  wall(0, -1, 2 * half + 4, 2);
  wall(-half - 1, half, 2, 4 * half);
  wall(half + 1, half, 2, 4 * half);
  const ids = [];
  for (let i = 0; i < bodies; i++) {
    const row = Math.floor(i / columns);
    const x = -half + 0.6 + 1.15 * (i % columns) + (row % 2 === 0 ? 0.2 : -0.2);
    ids.push(world.createBody({position: [x, 0.6 + 1.1 * row], shapes: [{kind: 'box', size: [1, 1]}]}).id);
  }
  world.step(TICKS_BEFORE);
  return {world, ids};
}

const push = (body, tick) => [['body.force', {body, force: [tick % 20 < 10 ? 8 : -8, 0]}]];

// The server: makes a tick and its log record.
class Server {
  #waiting = [];

  constructor(engine, bodies) {
    Object.assign(this, makePile(engine, bodies));
    [this.own] = this.ids;
    this.other = this.ids[Math.floor(this.ids.length / 2)];
  }

  take(at, commands) {
    this.#waiting.push({at, commands});
  }

  tick() {
    const {world} = this;
    const tick = world.tick + 1;
    const rows = [];
    for (const {at, commands} of this.#waiting.splice(0)) {
      if (at > tick) this.take(at, commands);
      else rows.push(this.#apply(tick, SESSION, commands, {at, late: 'next'}));
    }
    if (tick % EVERY === 0) rows.push(this.#apply(tick, OTHER, push(this.other, tick), {}));
    world.step();
    return {from: tick - 1, tick, commands: rows, hash: world.hash()};
  }

  #apply(tick, session, commands, timing) {
    this.world.apply(commands);
    return [tick, session, 'world.apply', {world: 'local', commands, ...timing}];
  }
}

class Client {
  constructor(parts, engine, server, budgetMs) {
    const image = {from: server.world.tick, tick: server.world.tick, image: server.world.save(), hash: server.world.hash()};
    this.server = server;
    this.replica = new parts.Replica(engine);
    this.core = new parts.PredictionCore(engine);
    this.picture = new parts.PredictedPicture();
    this.replica.on('image', (world) => this.core.follow(world, SESSION));
    this.replica.play(image);
    this.core.set({inputDelay: 0, budgetMs, check: false, events: [], smoothingS: 0.06});
    this.core.own(server.own);
    this.source = {described: 0, describe: (body) => this.replica.world.body(body).info(), has: () => true};
  }

  receive(record, now) {
    this.replica.play(record);
    this.core.arrival(now);
    this.core.rtt(2 * WAY / HZ);
  }

  frame(now, send) {
    const {core} = this;
    const began = clock();
    const spent = () => clock() - began;
    core.begin(now);
    for (let next = core.next(spent()); next !== 0; next = core.next(spent())) {
      if (next < 0 || next % EVERY !== 5) continue;
      const commands = push(this.server.own, next);
      core.give(commands);
      send(next, commands);
    }
    const predicted = spent();
    core.end(predicted);
    this.picture.show(core.poses(), this.source);
    return predicted;
  }
}

const at = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.max(0, Math.ceil(part * sorted.length) - 1))];

/**
 * Milliseconds of `frames` frames over `bodies` bodies: {median, p95, most} of the frames, the median of a record's,
 * and the client's memory in bytes. `parts`: loadEngine, Replica, PredictionCore, PredictedPicture of the package.
 */
export async function measureFrames(parts, source, {bodies, frames, budgetMs}) {
  const server = new Server(await parts.loadEngine(source), bodies);
  const engine = await parts.loadEngine(source);
  const client = new Client(parts, engine, server, budgetMs);
  const memory = engine.memoryBytes;
  const up = []; // {arrives, at, commands}
  const down = []; // {arrives, record}
  const times = []; // frame times, drawing included
  const bounded = []; // times that the budget limits: frames without drawing
  let short = 0; // frames of the warm-up in which time was short
  const records = [];
  const start = server.world.tick;
  for (let i = 0; i < frames + HZ; i++) {
    while (up[0]?.arrives <= i) server.take(up[0].at, up.shift().commands);
    down.push({arrives: i + WAY, record: server.tick()});
    const now = (start + i) / HZ;
    while (down[0]?.arrives <= i) {
      const began = clock();
      client.receive(down.shift().record, now);
      records.push(clock() - began);
    }
    const began = clock();
    if (i === HZ) short = client.core.figures().approximate;
    bounded.push(client.frame(now, (tick, commands) => up.push({arrives: i + WAY, at: tick, commands})));
    times.push(clock() - began);
  }
  const {right, depth, approximate} = client.core.figures();
  const sorted = (list) => list.slice(HZ).sort((a, b) => a - b); // the first second warms the code up
  const measured = sorted(times);
  const predicted = sorted(bounded);
  records.sort((a, b) => a - b);
  return {median: at(measured, 0.5), p95: at(measured, 0.95), most: at(measured, 1), record: at(records, 0.5), right, depth,
          predicted95: at(predicted, 0.95), predictedMost: at(predicted, 1), approximate: (approximate - short) / frames, before: memory, memory: engine.memoryBytes};
}
