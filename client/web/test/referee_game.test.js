// A referee's game over a world of the test's own, which refuses its batches, or loses its answers, as the test says:
// each event is handled once, whatever fails, and of many referees one decides.
import test from 'node:test';
import assert from 'node:assert/strict';

import {CaromError} from '../src/index.js';
import {KEY, RefereeGame} from '../src/referee_game.js';
import {AWAIT_MS} from './patience.js';

const TRIES_MAX = 5;
const HZ = 60;

// Pauses between attempts take a fiftieth of their time here.
const wait = globalThis.setTimeout;
globalThis.setTimeout = (run, ms = 0, ...args) => wait(run, ms / 50, ...args);
const turn = () => new Promise((resolve) => wait(resolve, 0));

async function until(condition, what) {
  const end = performance.now() + AWAIT_MS;
  while (!condition()) {
    assert.ok(performance.now() < end, `not within ${AWAIT_MS} ms: ${what ?? condition}`);
    await turn();
  }
}

const REFUSALS = {
  refused: ['limit_exceeded', 'data_bytes_per_world'], unsent: ['unavailable', 'no time'], untold: ['unavailable', 'the answer is lost'],
  late: ['timeout', 'no answer in time'], invalid: ['invalid_argument', 'commands[1]: no such body'],
};

// The server's world: data with versions, batches as a whole, snapshots of what has changed to each game.
class World {
  tick = 1;
  data = new Map(); // key -> {value, version}
  games = [];
  fates = []; // fates of the next batches with commands of handlers: 'refused' …; none: done
  beatFates = []; // fates of the next batches of the key alone
  paused = false; // if true, no tick passes, and commands act in the present tick
  lostAnswers = 0; // questions for the key that get no answer
  tried = 0;
  beats = 0;
  version = 0;

  // `name`: of the referee. Its own errors go into game.told.
  attach(name, handlers, options = {}) {
    let open = true;
    const answer = async (respond) => {
      await turn();
      if (!open) throw new CaromError('closed', 'the connection was closed');
      return respond();
    };
    const host = {
      session: name.length, open: true,
      call: (method, {key}) => answer(() => {
        assert.deepEqual([method, key], ['data.get', KEY]);
        if (this.lostAnswers > 0 && this.lostAnswers--) throw new CaromError('unavailable', 'the answer is lost');
        return {tick: this.tick, data: this.data.has(key) ? {[key]: {...this.data.get(key)}} : {}};
      }),
      apply: (commands) => answer(() => this.apply(commands)),
      seats: async () => null,
    };
    const game = new RefereeGame(host, {world: 'w', epoch: 1, hz: HZ, holder: name, leaseS: 1, handlerMs: 60000, handlers, ...options});
    game.told = [];
    game.close = () => {
      open = false;
      this.games.splice(this.games.indexOf(game), 1);
      game.end();
    };
    game.on('error', (what) => game.told.push(what));
    this.games.push(game);
    game.take({tick: this.tick, full: true, events: [], data: this.values()}, this.ms);
    return game;
  }

  get ms() {
    return 1000 * this.tick / HZ;
  }

  values(keys = this.data.keys()) {
    return Object.fromEntries([...keys].map((key) => [key, structuredClone(this.data.get(key)?.value ?? null)]));
  }

  apply(commands) {
    const alone = commands.length === 1;
    const fate = (alone ? this.beatFates : this.fates).shift();
    this.tried += !alone;
    if (fate === undefined || fate === 'untold') this.carryOut(commands);
    this.beats += alone;
    if (fate !== undefined) {
      const [code, text] = REFUSALS[fate];
      throw new CaromError(code, text);
    }
    return {tick: this.tick, results: commands.map(() => ({version: this.version}))};
  }

  carryOut(commands) {
    const [[, {version}]] = commands;
    if (version !== (this.data.get(KEY)?.version ?? 0)) throw new CaromError('already_exists', `key '${KEY}' has another version`);
    this.version++;
    for (const [, {key, value}] of commands) this.data.set(key, {value: structuredClone(value), version: this.version});
    this.step([], commands.map(([, {key}]) => key));
  }

  // A tick, with its events, and the keys that have changed in it.
  step(events = [], keys = []) {
    this.tick += !this.paused;
    for (const game of [...this.games]) {
      game.take({tick: this.tick, events: events.map((event) => ({...event, tick: this.tick})), data: this.values(keys)}, this.ms);
    }
  }

  count(number) {
    this.step([{kind: 'message', name: 'count', session: 9, data: number}]);
  }

  counted(number) {
    return this.data.get(`count/${number}`)?.value ?? 0;
  }
}

const counting = {
  message(game, {data}) {
    game.set(`count/${data}`, game.get(`count/${data}`, 0) + 1);
  },
};

async function holding(options) {
  const world = new World();
  const starts = [];
  const game = world.attach('ada', {...counting, start: (game) => starts.push(game.tick)}, options);
  await until(() => game.holds && starts.length === 1);
  return {world, game, starts};
}

// The number is counted once, and no batch follows.
async function countedOnce(world, game, number) {
  await until(() => game.told.length > 0 || world.counted(number) > 0);
  await game.idle();
  assert.deepEqual([world.counted(number), game.told.map(({error}) => error.message)], [1, []]);
}

// ---- attempts

for (const fate of ['refused', 'unsent', 'late']) {
  test(`batch_that_is_${fate}_five_times_is_dropped_and_the_next_event_is_handled`, async () => {
    const {world, game} = await holding();
    world.fates = Array(TRIES_MAX).fill(fate);
    world.count(1);
    await until(() => world.tried === 1);
    const before = world.beats;
    while (game.failed === 0) { // the lease is kept meanwhile
      await game.beat();
      await turn();
    }
    assert.ok(world.beats >= before + 3, `${world.beats - before} beats`);
    assert.equal(world.tried, TRIES_MAX);
    assert.deepEqual(game.told.map(({during, error, event}) => [during, error.code, event.data]), [['message', REFUSALS[fate][0], 1]]);
    assert.ok(game.holds);
    game.told.length = 0;
    world.count(2);
    await countedOnce(world, game, 2);
    assert.equal(world.counted(1), 0);
  });

  test(`batch_that_is_${fate}_four_times_is_tried_again`, async () => {
    const {world, game} = await holding();
    world.fates = Array(TRIES_MAX - 1).fill(fate);
    world.count(1);
    await countedOnce(world, game, 1);
    assert.deepEqual([world.tried, game.failed, game.holds], [TRIES_MAX, 0, true]);
  });
}

test('batch_that_would_be_refused_again_is_tried_once', async () => {
  const {world, game} = await holding();
  world.fates = ['invalid'];
  world.count(1);
  await until(() => game.failed === 1);
  assert.deepEqual([world.tried, world.lostAnswers], [1, 0]);
});

test('lost_answer_is_asked_for_and_believed', async () => {
  const {world, game} = await holding();
  for (let i = 1; i <= 5; i++) {
    world.fates = ['untold'];
    world.count(i);
    await countedOnce(world, game, i);
    assert.equal(world.tried, i);
  }
  assert.deepEqual([game.handled, game.failed], [6, 0]); // the handler `start` counts too
});

test('question_without_an_answer_is_asked_again', async () => {
  const {world, game} = await holding();
  world.lostAnswers = TRIES_MAX - 1;
  world.fates = ['untold'];
  world.count(1);
  await countedOnce(world, game, 1);
  assert.deepEqual([world.tried, game.holds], [1, true]);
});

for (const fate of ['untold', 'unsent']) {
  test(`five_questions_without_an_answer_after_a_batch_that_was_${fate}_cost_the_world_and_no_event`, async () => {
    const {world, game, starts} = await holding();
    const states = [];
    game.on('standby', () => states.push('standby'));
    world.lostAnswers = TRIES_MAX;
    world.fates = [fate];
    world.count(1);
    await until(() => states.length === 1);
    while (starts.length < 2) { // it claims the world again
      world.step();
      await turn();
    }
    await countedOnce(world, game, 1);
    world.count(2);
    await countedOnce(world, game, 2);
    assert.equal(world.counted(1), 1);
  });
}

test('beat_without_an_answer_is_not_taken_for_the_next_batch', async () => {
  const {world, game} = await holding();
  world.beatFates = ['untold'];
  world.lostAnswers = 2;
  const beat = game.beat();
  world.count(1);
  await beat;
  await countedOnce(world, game, 1);
});

test('claim_that_is_refused_is_told_once_and_tried_again', async () => {
  const world = new World();
  world.beatFates = ['refused', 'refused', 'refused'];
  const game = world.attach('ada', counting);
  while (!game.holds) {
    world.step();
    await turn();
  }
  assert.deepEqual(game.told.map(({during, error}) => [during, error.code]), [['claim', 'limit_exceeded']]);
});

test('messages_of_a_paused_world_are_of_one_tick_and_are_all_handled', async () => {
  const {world, game} = await holding();
  world.attach('ben', counting);
  const [, ben] = world.games;
  world.paused = true;
  for (let i = 1; i <= 3; i++) {
    world.count(i);
    await countedOnce(world, game, i);
    assert.equal(ben.waiting, 0, 'the other one has seen that it is handled');
  }
  world.lostAnswers = TRIES_MAX; // it stands back in the middle of the batch
  world.fates = ['unsent'];
  world.count(4);
  await until(() => game.state === 'standby');
  assert.deepEqual([game.waiting, ben.waiting, world.counted(4)], [1, 1, 0]);
  world.paused = false;
  while (world.counted(4) === 0) {
    world.step();
    await turn();
  }
  for (const one of [game, ben]) await one.idle();
  assert.deepEqual([1, 2, 3, 4].map((i) => world.counted(i)), [1, 1, 1, 1]);
});

// ---- elections

test('of_many_that_claim_at_once_one_holds', async () => {
  const world = new World();
  const games = ['ada', 'ben', 'cleo', 'dan', 'eve'].map((name) => world.attach(name, counting));
  await until(() => games.some(({holds}) => holds));
  for (let i = 0; i < 20; i++) {
    world.count(i);
    await Promise.all(games.map((game) => game.idle()));
  }
  assert.equal(games.filter(({holds}) => holds).length, 1);
  assert.deepEqual(games.flatMap(({told}) => told), []);
  for (let i = 0; i < 20; i++) assert.equal(world.counted(i), 1);
});

test('holder_that_stood_still_stands_back_and_its_event_is_handled_by_the_next', async () => {
  const world = new World();
  let go;
  const still = new Promise((resolve) => {
    go = resolve;
  });
  const ada = world.attach('ada', {async message(game, event) {
    counting.message(game, event);
    await still;
  }});
  await until(() => ada.holds);
  const ben = world.attach('ben', counting);
  world.count(1);
  await turn();
  for (let i = 0; !ben.holds; i++) { // ada sends no beat
    assert.ok(i < 100 * HZ);
    world.step();
    await turn();
  }
  await until(() => world.counted(1) === 1);
  go();
  await until(() => !ada.holds);
  assert.equal(world.counted(1), 1);
  assert.deepEqual([ada.state, ben.state, ada.waiting], ['standby', 'holder', 1]);
  world.count(2);
  await until(() => world.counted(2) === 1);
  world.step();
  assert.equal(ada.waiting, 0, 'it forgets what the other one has handled');
});

// Everything at once, from a seed: referees end without a word and others come, batches are refused or their answers lost, and
// questions too. No event is handled twice. Lost are those alone that the next referee came too late to see.
function random(seed) {
  let state = seed >>> 0;
  return () => { // mulberry32
    state = state + 0x6d2b79f5 >>> 0;
    let z = state;
    z = Math.imul(z ^ z >>> 15, z | 1);
    z ^= z + Math.imul(z ^ z >>> 7, z | 61);
    return ((z ^ z >>> 14) >>> 0) / 2 ** 32;
  };
}

async function storm(seed) {
  const roll = random(seed);
  const one = (list) => list[Math.floor(roll() * list.length)];
  const world = new World();
  const ticks = []; // tick of each number
  const settled = new Set(); // numbers whose commands were refused, or which no holder of the world saw
  let born = 0;
  const come = () => {
    const since = world.tick;
    const game = world.attach(`referee ${++born}`, counting);
    game.on('error', ({event}) => settled.add(event?.data));
    game.on('holds', () => {
      const {tick} = world.data.get(KEY).value;
      ticks.forEach((at, number) => {
        if (at > tick && at <= since) settled.add(number);
      });
    });
    return game;
  };
  const witnesses = [come(), come()];
  let mortals = [come()];
  for (let i = 0; i < 1500; i++) {
    const happens = roll();
    if (happens < 0.1) {
      ticks.push(world.tick + 1);
      world.count(ticks.length - 1);
    } else {
      world.step();
    }
    if (happens > 0.9) world.fates.push(one(['refused', 'unsent', 'untold', 'late', undefined]));
    if (happens > 0.97) world.lostAnswers = Math.floor(roll() * 4);
    if (happens > 0.94 && happens < 0.95) world.beatFates.push(one(['refused', 'untold', 'late']));
    if (happens > 0.5 && happens < 0.53) for (const game of world.games) game.beat();
    if (happens > 0.6 && happens < 0.61 && mortals.length > 0) {
      const game = one(mortals);
      mortals = mortals.filter((other) => other !== game);
      game.close();
    }
    if (happens > 0.7 && happens < 0.72 && mortals.length < 3) mortals.push(come());
    if (roll() < 0.3) await turn();
  }
  world.fates = [];
  world.beatFates = [];
  world.lostAnswers = 0;
  const open = () => ticks.map((_, number) => number).filter((number) => world.counted(number) === 0 && !settled.has(number));
  const end = performance.now() + AWAIT_MS;
  while (open().length > 0) {
    assert.ok(performance.now() < end, `seed ${seed}: ${open()} of ${ticks.length} events are not handled`);
    world.step();
    await turn();
  }
  const twice = ticks.map((_, number) => number).filter((number) => world.counted(number) > 1);
  assert.deepEqual(twice, [], `seed ${seed}`);
  const handled = ticks.filter((_, number) => world.counted(number) === 1).length;
  assert.ok(handled > ticks.length / 3, `seed ${seed}: ${handled} of ${ticks.length} events were handled`);
  assert.ok(witnesses.every(({state}) => state !== 'ended'));
  [...world.games].forEach((game) => game.close());
  return {handled, sent: ticks.length};
}

test('whatever_fails_no_event_is_handled_twice_and_none_is_forgotten', async () => {
  let handled = 0;
  let sent = 0;
  for (let seed = 1; seed <= 8; seed++) {
    const one = await storm(seed);
    handled += one.handled;
    sent += one.sent;
  }
  assert.ok(handled > 0.8 * sent, `${handled} of ${sent} events were handled`);
});
