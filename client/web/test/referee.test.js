// Referees (environment CAROM_PACKAGE: the published package, CAROMD): each event is handled once, whatever fails: a
// handler, a command, the connection, the referee itself.
import test from 'node:test';
import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import path from 'node:path';
import {pathToFileURL} from 'node:url';

import {RefereeGame} from '../src/referee_game.js';
import {AWAIT_MS} from './patience.js';
import {BALL, event, sleep, startCaromd, startProxy} from './support.js';
import {makeKeys} from './tokens.js';

const source = pathToFileURL(`${process.env.CAROM_PACKAGE}/src/`);
const {connect} = await import(new URL('index.js', source));
const {createReferee} = await import(new URL('referee.js', source));
const {createTestGame} = await import(new URL('testing.js', source));

const LEASE_S = 1;
const QUICK = {reconnect: {firstMs: 10, maxMs: 50, first: true}};

async function until(condition) {
  const end = performance.now() + AWAIT_MS;
  for (;;) {
    const result = await condition();
    if (result) return result;
    assert.ok(performance.now() < end, `not within ${AWAIT_MS} ms: ${condition}`);
    await sleep(5);
  }
}

async function serve(t, options) {
  const server = await startCaromd(options);
  t.after(() => server.stop());
  const client = await connect(server.url, QUICK);
  t.after(() => client.close());
  return {server, client};
}

async function arena(client, name = 'arena') {
  const world = client.use(name);
  await world.world.create({gravity: [0, 0]});
  return world;
}

/** A referee that holds the world, and its reports. */
async function holder(t, options) {
  const told = [];
  const referee = await createReferee({worlds: 'arena', leaseS: LEASE_S, error: (error, place) => told.push({error, ...place}), ...options});
  t.after(() => referee.close());
  await until(() => referee.games.get('arena')?.holds);
  return {referee, told, game: referee.games.get('arena')};
}

// A game that counts: data has how often each number was handled.
const counting = {
  message(game, {name, data}) {
    if (name === 'count') game.set(`count/${data}`, game.get(`count/${data}`, 0) + 1);
  },
};

async function counts(world) {
  const {data} = await world.data.get({prefix: 'count/'});
  return Object.values(data).map(({value}) => value);
}

/** A server with a template `duel`, a world of it, and a referee behind a proxy. */
async function duel(t) {
  const folder = await mkdtemp('/tmp/carom-referee-');
  t.after(() => rm(folder, {recursive: true, force: true}));
  await writeFile(`${folder}/duel.json`, '{"gravity": [0, 0], "seats": 3, "idle_s": 600}');
  const {server, client: ben} = await serve(t, ['--template', `duel=${folder}/duel.json`]);
  const {world} = await ben.world.join({template: 'duel'});
  await ben.world.leave({world});
  const proxy = await startProxy(server.port);
  t.after(() => proxy.stop());
  const begin = async (handlers) => {
    const referee = await createReferee({url: proxy.url, template: 'duel', leaseS: LEASE_S, reconnect: QUICK.reconnect, ...handlers});
    t.after(() => referee.close());
    await until(() => referee.games.get(world)?.holds);
  };
  return {world, ben, proxy, begin};
}

async function allOnce(world, sent) {
  await until(async () => (await counts(world)).length === sent);
  assert.deepEqual(new Set(await counts(world)), new Set([1]));
}

// ---- a local game

async function local(t, options) {
  const game = await createTestGame({gravity: [0, 0], ...options});
  t.after(() => game.free());
  await game.step();
  return game;
}

test('referee_without_a_referees_token_is_an_error', async (t) => {
  const keys = makeKeys();
  t.after(() => keys.remove());
  const server = await startCaromd(['--keys', keys.file, '--guests', 'player']);
  t.after(() => server.stop());
  const refused = {code: 'permission_denied', message: /needs a token of role referee \(option token\); this session has the role player/};
  await assert.rejects(createReferee({url: server.url, template: 'coins'}), refused);
  await assert.rejects(createReferee({url: server.url, template: 'coins', token: keys.token('player')}), refused);
  const referee = await createReferee({url: server.url, template: 'coins', token: keys.token('referee')});
  await referee.close();
});

test('referee_whose_server_is_not_there_says_so_and_goes_on_trying', async () => {
  const told = [];
  const referee = createReferee({url: 'tcp://127.0.0.1:1', template: 'coins', reconnect: {first: true, firstMs: 10, maxMs: 50, giveUpMs: 2500},
                                 error: (error, {during}) => told.push([error.code, error.message, during])});
  await assert.rejects(referee, {code: 'unavailable'});
  assert.deepEqual(told, [['unavailable', 'tcp://127.0.0.1:1: no connection yet; it is tried again and again', 'connection']]);
});

test('template_that_the_server_lacks_is_reported_once_with_those_that_it_has', async (t) => {
  const folder = await mkdtemp(path.join(tmpdir(), 'carom-referee-'));
  t.after(() => rm(folder, {recursive: true}));
  const file = path.join(folder, 'arena.json');
  await writeFile(file, '{"seats": 2}');
  const {server} = await serve(t, ['--template', `arena=${file}`, '--template', `rink=${file}`]);
  const told = [];
  const options = {url: server.url, lookMs: 10, error: (error, place) => told.push({error, ...place})};
  const looked = async (template) => {
    const referee = await createReferee({...options, template});
    await referee.close();
    return told.splice(0);
  };
  const [{error, during}, ...more] = await looked(['arenna', 'rink']);
  assert.deepEqual([error.code, error.message, during, more.length],
                   ['not_found', "template 'arenna' does not exist: the server has arena, rink; did you mean 'arena'?", 'template', 0]);
  assert.deepEqual(await looked(['arena', 'rink']), []);
  const [{error: far}] = await looked('pond');
  assert.equal(far.message, "template 'pond' does not exist: the server has arena, rink");
});

test('template_of_a_server_without_any_is_reported', async (t) => {
  const {server} = await serve(t, []);
  const told = [];
  await (await createReferee({url: server.url, template: 'arena', error: (error) => told.push(error.message)})).close();
  assert.deepEqual(told, ["template 'arena' does not exist: the server has none (caromd --template)"]);
});

test('what_is_no_option_or_handler_is_named_with_those_that_are', async () => {
  const wrong = {
    joined: [{joined() {}}, /^joined: there is no such handler; there are start, join, leave/],
    rates: [{rates: 3}, /^rates: there is no such option; there are client, url, .*, join, leave,/],
    events: [{events: 'sensor_begin'}, /^events: a list of kinds, got sensor_begin/],
  };
  for (const [options, message] of Object.values(wrong)) {
    await assert.rejects(createReferee({template: 'coins', ...options}), {code: 'invalid_argument', message});
  }
  await assert.rejects(createTestGame({joined() {}}), {code: 'invalid_argument', message: /^joined: there is no such handler; there are start, join, leave/});
});

test('handlers_cannot_change_the_record_of_the_referee', async (t) => {
  const wrong = [];
  const tries = [(game) => game.set('referee', 1), (game) => game.remove('referee/seat/1'), (game) => game.data.set({key: 'referee/seat/1', value: 2}),
                 (game) => game.set('none', undefined)];
  const game = await local(t, {join: (turn) => { for (const change of tries) assert.throws(() => change(turn), (error) => wrong.push([error.code, error.message]) > 0); }});
  game.join('ada');
  await game.step(2);
  assert.deepEqual(wrong.map(([code]) => code), ['permission_denied', 'permission_denied', 'permission_denied', 'invalid_argument']);
  assert.match(wrong[0][1], /^data\.set: 'referee' is the referee's own record, as all keys 'referee\/…' are; take another key$/);
  assert.match(wrong[3][1], /^data\.set: 'none' has the value undefined; remove\(\) removes a key$/);
});

test('refused_change_is_named_as_its_handler_knows_it', async (t) => {
  const told = [];
  const game = await local(t, {join: (turn) => turn.set('big', 'x'.repeat(70000)), error: (error) => told.push(error.message)});
  game.join('ada');
  await game.step(2);
  assert.deepEqual(told.map((text) => text.slice(0, 23)), ["data.set of 'big': valu"], told[0]);
});

test('referee_takes_a_world_over_whose_record_somebody_has_overwritten', async (t) => {
  const {server, client} = await serve(t);
  const world = await arena(client);
  for (const value of [1, 'mine', {holder: 7}]) {
    const {referee} = await holder(t, {url: server.url});
    await referee.close();
    await world.data.set({key: 'referee', value});
  }
  const {game, told} = await holder(t, {url: server.url, ...counting});
  await world.message.send({name: 'count', data: 1, to: 'referee'});
  await allOnce(world, 1);
  assert.deepEqual([game.holds, told], [true, []]);
});

test('local_game_hands_everything_to_its_handlers_in_order', async (t) => {
  const log = [];
  const game = await local(t, {
    events: ['begin'],
    start: (game) => log.push(`start ${game.tick}`),
    join(game, {subject, data}) {
      log.push(`join ${subject} ${data}`);
      const body = game.body.spawn({owner: subject, tag: 'disc', position: [game.seats.size, 0], shapes: BALL});
      game.body.impulse({body, impulse: [1, 0]});
      game.set('players', game.get('players', 0) + 1);
    },
    leave(game, {subject}) {
      log.push(`leave ${subject}`);
      const own = () => [...game.bodies.values()].filter(({owner}) => owner === subject);
      for (const {id} of own()) game.body.remove({body: id});
      assert.deepEqual(own(), []);
    },
    message: (game, {name, subject}) => log.push(`${name} of ${subject}`),
    event: (game, {kind, a, b}) => log.push(`${kind} ${a} ${b}`),
    tick: (game) => game.tick === 5 ? assert.equal(game.bodies.size, 1) : game.tick === 3 && game.send('tick', game.tick),
  });
  const ada = game.join('ada', 7);
  const ben = game.join('ben');
  game.message(ben, 'ready');
  await game.step();
  assert.deepEqual(log.splice(0), ['start 1', 'join ada 7', 'join ben undefined', 'ready of ben']);
  assert.equal(game.get('players'), 2, 'the second handler reads what the first one has set');
  await game.step();
  assert.deepEqual(log.splice(0), ['begin 1 2']);
  assert.deepEqual([...game.bodies.values()].map(({owner, tag, x}) => [owner, tag, Math.round(x)]), [['ada', 'disc', 1], ['ben', 'disc', 2]]);
  assert.deepEqual(game.sent, [{name: 'tick', data: 3, to: 'all', tick: 4}]);
  game.leave(ada);
  await game.step(2);
  assert.deepEqual(log.splice(0), ['tick of undefined', 'leave ada']);
  assert.deepEqual([...game.bodies.values()].map(({owner}) => owner), ['ben']);
  assert.throws(() => game.leave(ada), {code: 'not_found'});
  assert.deepEqual(game.data, {players: 2});
});

test('local_game_goes_on_after_a_restart_and_a_crash', async (t) => {
  const log = [];
  const game = await local(t, {start: (game) => log.push(game.get('round', 'none')), ...counting,
                               join: (game) => game.set('round', 1), leave: (game, {seat}) => log.push(`leave ${seat}`)});
  const ada = game.join('ada');
  game.message(ada, 'count', 1);
  await game.step();
  await game.restart();
  assert.deepEqual(log.splice(0), ['none', 1]);
  game.crash();
  game.leave(ada); // while there is no referee
  game.message(ada, 'count', 2);
  await game.step(60);
  assert.ok(!game.holds);
  await game.step(100);
  assert.ok(game.holds);
  assert.deepEqual(log.splice(0), [1, 'leave 1']);
  assert.deepEqual(game.data, {round: 1, 'count/1': 1, 'count/2': 1});
});

test('handler_that_fails_is_told_and_changes_nothing_and_the_next_one_is_run', async (t) => {
  const told = [];
  const game = await local(t, {
    handlerMs: 50, error: (error, {during, event}) => told.push([during, event.name, error.message]),
    async message(game, {name}) {
      game.set(name, 1);
      if (name === 'throws') throw new Error('oh');
      if (name === 'hangs') await new Promise(() => {});
      if (name === 'many') for (let i = 0; i < 1000; i++) game.set(`many${i}`, 1);
      if (name === 'refused') game.body.remove({body: 999});
      if (name === 'unsendable') game.set('f', () => {});
      if (name === 'late') setTimeout(() => assert.throws(() => game.set('later', 1), {code: 'closed'}));
    },
  });
  for (const name of ['first', 'throws', 'hangs', 'many', 'refused', 'unsendable', 'late', 'last']) game.message(undefined, name);
  await game.step(2);
  assert.deepEqual(game.data, {first: 1, late: 1, last: 1});
  assert.deepEqual(told.map((one) => one.slice(0, 2)).sort(), ['hangs', 'many', 'refused', 'throws', 'unsendable'].map((name) => ['message', name]));
  for (const [name, text] of [['hangs', /has not ended in 50 ms/], ['many', /at most 998 commands/], ['refused', /body 999 does not exist/],
                              ['unsendable', /value: a value of type function/]]) {
    assert.match(told.find((one) => one[1] === name)[2], text);
  }
  const strict = await local(t, {message() { throw new Error('shown'); }});
  strict.message(undefined, 'x');
  await assert.rejects(strict.step(), {message: 'shown'});
});

test('options_that_are_wrong_are_named', async () => {
  for (const [options, text] of [
    [{}, /template or worlds/], [{worlds: 3}, /a name or a list/], [{worlds: 'a', join: 1}, /join: a handler is a function/],
    [{worlds: 'a', events: ['begn']}, /no kind 'begn'; there are begin/], [{worlds: 'a', events: ['message']}, /no kind 'message'/],
    [{worlds: 'a', leaseS: 0}, /leaseS: 0.5 to 60/], [{worlds: 'a', rate: 0}, /rate: above 0/], [{worlds: 'a', handlerMs: 1}, /handlerMs/]]) {
    await assert.rejects(createReferee(options), {code: 'invalid_argument', message: text});
  }
});

test('queue_is_bounded_and_seats_make_up_for_what_is_lost', async () => {
  const joined = [];
  const told = [];
  let release;
  const blocked = new Promise((resolve) => {
    release = resolve;
  });
  const data = {};
  const host = {
    session: 1,
    call: async () => ({data, tick: 1}),
    apply: async (commands) => ({tick: 1, results: commands.map(([, {key, value}], i) => {
      data[key] = {value, version: i + 1};
      return {version: i + 1};
    })}),
    seats: async () => [{seat: 1, session: 7, subject: 'ada'}],
  };
  const game = new RefereeGame(host, {
    world: 'w', epoch: 1, hz: 60, holder: 'h', leaseS: 1, handlerMs: 60000,
    handlers: {start: () => blocked, join: (game, {subject}) => joined.push(subject)}});
  game.on('error', ({during}) => told.push(during));
  game.take({tick: 1, full: true, events: [], data: {}}, 0);
  await until(() => game.holds);
  const flood = Array.from({length: 70000}, () => ({kind: 'message', tick: 2, name: 'x'}));
  game.take({tick: 2, events: [...flood, {kind: 'join', tick: 2, seat: 1, session: 7, subject: 'ada'}]}, 1);
  assert.ok(game.waiting <= 65536);
  assert.ok(game.eventsLost >= 4464);
  release();
  await game.idle();
  assert.deepEqual([joined, told], [['ada'], ['queue']]);
  game.end();
});

// ---- a server

test('messages_of_many_are_handled_once_and_answered', async (t) => {
  const {server, client} = await serve(t);
  const world = await arena(client);
  const {game, referee} = await holder(t, {url: server.url, ...counting});
  for (let i = 0; i < 500; i++) world.notify('message.send', {name: 'count', data: i, to: 'referee'});
  await allOnce(world, 500);
  assert.deepEqual([referee.figures.worlds, referee.figures.holds, game.failed, game.eventsLost], [1, 1, 0, 0]);
});

test('connection_that_is_cut_repeats_nothing_and_goes_on', async (t) => {
  const {server, client} = await serve(t);
  const world = await arena(client);
  const proxy = await startProxy(server.port);
  t.after(() => proxy.stop());
  const {told} = await holder(t, {url: proxy.url, reconnect: QUICK.reconnect, ...counting});
  let sent = 0;
  const send = async () => {
    for (let i = 0; i < 40; i++) world.notify('message.send', {name: 'count', data: sent++, to: 'referee'});
    await world.data.get({key: 'x'});
  };
  for (let cut = 1; cut <= 8; cut++) {
    await send(); // on their way when the connection breaks: they may be lost
    proxy.cut();
    await until(() => told.filter(({during}) => during === 'resume').length === cut);
  }
  const before = sent;
  await send();
  await until(async () => {
    const {data} = await world.data.get({prefix: 'count/'});
    return Array.from({length: 40}, (_, i) => `count/${before + i}`).every((key) => key in data);
  });
  assert.deepEqual(new Set(await counts(world)), new Set([1]));
  assert.deepEqual(told.filter(({during, error}) => during !== 'resume' || error.code !== 'unavailable'), []);
});

test('joins_and_leaves_that_a_cut_has_lost_are_found', async (t) => {
  const {world, ben, proxy, begin} = await duel(t);
  const log = [];
  let cuts = 0;
  await begin({error: (error, {during}) => { cuts += during === 'resume'; }, join: (game, {seat}) => log.push(`join ${seat}`), leave: (game, {seat}) => log.push(`leave ${seat}`)});
  for (let cut = 1; cut <= 8; cut++) {
    await ben.world.join({template: 'duel', world});
    proxy.cut();
    await until(() => cuts === 2 * cut - 1);
    await until(() => log.length === 2 * cut - 1);
    await ben.world.leave({world});
    proxy.cut();
    await until(() => cuts === 2 * cut && log.length === 2 * cut);
  }
  assert.deepEqual(log, Array.from({length: 16}, (_, i) => i % 2 ? 'leave 1' : 'join 1'));
});

test('another_referee_takes_over_and_handles_each_event_once', async (t) => {
  const {server, client} = await serve(t);
  const world = await arena(client);
  const firsts = await connect(server.url, QUICK);
  t.after(() => firsts.close());
  await holder(t, {client: firsts, ...counting});
  const second = await createReferee({url: server.url, worlds: 'are*', leaseS: LEASE_S, ...counting});
  t.after(() => second.close());
  await until(() => second.games.has('arena'));
  let sent = 0;
  const send = (count) => {
    for (let i = 0; i < count; i++) world.notify('message.send', {name: 'count', data: sent++, to: 'referee'});
  };
  send(100);
  await until(async () => (await counts(world)).length > 10);
  assert.ok(!second.games.get('arena').holds);
  firsts.close(); // without a word to the other referee
  send(100);
  await until(() => second.games.get('arena').holds);
  send(100);
  await allOnce(world, sent);
  // In good order: the world is handed over.
  const third = await createReferee({url: server.url, worlds: 'arena', leaseS: 60, ...counting});
  t.after(() => third.close());
  await second.close();
  await until(() => third.games.get('arena')?.holds);
  send(10);
  await allOnce(world, sent);
});

test('referee_that_was_replaced_changes_nothing_more', async (t) => {
  const {server, client} = await serve(t);
  const world = await arena(client);
  let release;
  const blocked = new Promise((resolve) => {
    release = resolve;
  });
  const {game} = await holder(t, {url: server.url, async message(game, {name}) {
    game.set(name, 1);
    await blocked;
  }});
  await world.message.send({name: 'late'});
  await until(() => game.handled > 0 || game.waiting === 0);
  const {data: {referee: {value}}} = await world.data.get({key: 'referee'});
  await world.data.set({key: 'referee', value: {...value, holder: 'another', seq: 1000}});
  const stood = event(game, 'standby', AWAIT_MS);
  release();
  await stood;
  assert.deepEqual((await world.data.get({key: 'late'})).data, {});
  // The other one is silent: the world is taken back, and the message is handled.
  await until(() => game.holds);
  await until(async () => (await world.data.get({key: 'late'})).data.late?.value === 1);
});

test('paused_world_gets_another_referee_too', async (t) => {
  const {server, client} = await serve(t);
  const world = await arena(client);
  await world.world.pause();
  await world.data.set({key: 'referee', value: {holder: 'gone', session: 1, seq: 1, tick: 0, beat: 0}});
  const {game} = await holder(t, {url: server.url, leaseS: 0.5, start: (game) => game.set('started', true)});
  await until(async () => (await world.data.get({key: 'started'})).data.started);
  assert.ok(game.holds);
});

test('paused_world_has_all_its_messages_and_joins_handled', async (t) => {
  const {world: name, ben, begin} = await duel(t);
  const log = [];
  await begin({join: (game, {seat}) => log.push(`join ${seat}`), message: (game, {name}) => log.push(name)});
  const world = ben.use(name);
  await world.world.pause();
  for (const text of ['one', 'two', 'three']) {
    await world.message.send({name: text});
    await until(() => log.at(-1) === text);
  }
  await ben.world.join({template: 'duel', world: name});
  await until(() => log.at(-1) === 'join 1');
  assert.deepEqual(log, ['one', 'two', 'three', 'join 1']);
});

test('worlds_that_come_later_are_refereed_and_ended_ones_are_left', async (t) => {
  const {server, client} = await serve(t);
  const referee = await createReferee({url: server.url, worlds: ['room-*'], lookMs: 20, start: (game) => game.set('name', game.name)});
  t.after(() => referee.close());
  const rooms = await Promise.all(['room-1', 'room-2', 'hall'].map((name) => arena(client, name)));
  for (const room of rooms.slice(0, 2)) await until(async () => (await room.data.get({key: 'name'})).data.name?.value === room.name);
  assert.deepEqual([...referee.games.keys()].sort(), ['room-1', 'room-2']);
  const left = event(referee, 'detached', AWAIT_MS);
  await rooms[0].world.destroy();
  assert.equal((await left).world, 'room-1');
  await arena(client, 'room-1'); // another world of that name
  await until(async () => (await rooms[0].data.get({key: 'name'})).data.name);
});

test('seats_are_told_in_order_also_those_that_nobody_watched', async (t) => {
  const folder = await mkdtemp('/tmp/carom-referee-');
  t.after(() => rm(folder, {recursive: true, force: true}));
  await writeFile(`${folder}/duel.json`, '{"gravity": [0, 0], "seats": 3}');
  const {server, client: ada} = await serve(t, ['--template', `duel=${folder}/duel.json`]);
  const {world, seat, created} = await ada.world.join({template: 'duel', data: 'early'}); // nobody watches yet
  assert.ok(created);
  const log = [];
  const handlers = {join: (game, {seat, data}) => log.push(['join', seat, data]), leave: (game, {seat}) => log.push(['leave', seat]),
                    message: (game, {name}) => log.push([name, [...game.seats.keys()]])};
  const begin = () => createReferee({url: server.url, template: 'duel', leaseS: LEASE_S, ...handlers});
  const first = await begin();
  await until(() => log.length === 1);
  const ben = await connect(server.url, QUICK);
  t.after(() => ben.close());
  await ben.world.join({template: 'duel', world, data: {late: true}});
  await ben.message.send({world, name: 'ready'});
  await ben.world.leave({world});
  await ben.message.send({world, name: 'bye'});
  await until(() => log.length === 5);
  assert.deepEqual(log.splice(0), [['join', seat, undefined], ['join', 2, {late: true}], ['ready', [1, 2]], ['leave', 2], ['bye', [1]]]);
  await first.close();
  await ben.world.join({template: 'duel', world}); // while there is no referee
  await ada.world.leave({world});
  const second = await begin();
  t.after(() => second.close());
  await until(() => log.length === 2);
  assert.deepEqual(log, [['leave', 1], ['join', 2, undefined]]);
});

test('referee_closes_without_its_server', async (t) => {
  const server = await startCaromd();
  t.after(() => server.stop());
  const referee = await createReferee({url: server.url, worlds: 'arena', lookMs: 1});
  await server.stop('SIGKILL');
  const began = performance.now();
  await referee.close();
  assert.ok(performance.now() - began < AWAIT_MS / 2, 'it waits for no answer');
});

test('restart_of_the_server_keeps_game_and_referee', async (t) => {
  const data = await mkdtemp('/tmp/carom-referee-');
  t.after(() => rm(data, {recursive: true, force: true}));
  const first = await startCaromd(['--data', data]);
  t.after(() => first.stop());
  const client = await connect(first.url, QUICK);
  t.after(() => client.close());
  const world = await arena(client);
  const {game} = await holder(t, {url: first.url, reconnect: QUICK.reconnect, ...counting});
  for (let i = 0; i < 20; i++) await world.message.send({name: 'count', data: i, to: 'referee'});
  await allOnce(world, 20);
  await first.stop('SIGKILL');
  const second = await startCaromd(['--data', data], first.port);
  t.after(() => second.stop());
  await until(() => client.state === 'open');
  const more = async () => {
    await world.message.send({name: 'count', data: 20, to: 'referee'}).catch(() => {});
    return (await counts(world)).length === 21;
  };
  await until(more); // until the referee is there again: messages to nobody are no error
  assert.ok((await counts(world)).slice(0, 20).length === 20 && game.state !== 'ended');
});
