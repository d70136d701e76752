// Clients that follow worlds from server to server: the rules with servers that the test plays, then a fleet.
import assert from 'node:assert/strict';
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {test} from 'node:test';

import {connect, makeClient} from '../src/index.js';
import {HOPS_MAX, SERVERS_MAX} from '../src/following.js';
import {gradeOf, mayCarry, urlOf} from '../src/trust.js';
import {FakeServer} from './fake_server.js';
import {etcdIsThere, startFleet} from './fleet.js';
import {BALL, event, sleep} from './support.js';

const HELLO = {protocol: 1, server: 'caromd', version: '0', session: 1, resume: '', role: 'admin', limits: {}};
const moved = (address, world = 'lab') => new Error(`moved: ${address} world '${world}' is served there`);

/** Servers at tcp://HOST: `answers` maps hosts to functions (method, args, id) as of FakeServer. */
function network(answers) {
  const servers = {};
  for (const [host, answer] of Object.entries(answers)) {
    servers[host] = new FakeServer((method, args, id) => {
      if (method === 'hello') return servers[host].hello ?? HELLO;
      if (method === 'ping') return {time: 1};
      return answer(method, args, id);
    });
  }
  return {
    servers,
    async connect(t, url, options = {}) {
      const transportTo = (to) => {
        if (!(to.host in servers)) throw new Error(`no server ${to.host}`);
        return servers[to.host].open;
      };
      const client = makeClient(url, {transport: transportTo(new URL(url)), transportTo, ...options});
      const awake = setInterval(() => {}, 1000); // the clients' own timers do not keep a process alive
      t.after(() => {
        clearInterval(awake);
        client.close();
      });
      return client.ready;
    },
  };
}

const A = '127.0.0.1:1001';
const B = '127.0.0.1:1002';
const C = '127.0.0.1:1003';

// ---- the rules

test('token_goes_to_servers_that_a_proven_server_named_and_within_one_machine', () => {
  const options = {token: 'x'};
  const carry = (from, address, more) => {
    const base = new URL(from);
    return mayCarry(base, urlOf(address, base), {...options, ...more});
  };
  assert.equal(carry('tls://play.example:22766', 'b.example:22766'), true);
  assert.equal(carry('wss://play.example/rpc', '10.0.0.7:22767'), true);
  assert.equal(carry('https://play.example/rpc', 'b.example:443'), true);
  assert.equal(carry('ws://127.0.0.1:22767/rpc', 'localhost:22768'), true);
  assert.equal(carry('tcp://[::1]:22766', '127.0.0.2:22766'), true);
  assert.equal(carry('tcp://127.0.0.1:22766', '10.0.0.7:22766'), false, 'out of the machine');
  assert.equal(carry('tcp://10.0.0.6:22766', '10.0.0.7:22766'), false, 'anyone on the way can name servers');
  assert.equal(carry('tcp://10.0.0.6:22766', '127.0.0.1:22766'), false);
  assert.equal(carry('tcp://10.0.0.6:22766', '10.0.0.7:22766', {follow: {plain: true}}), true);
  assert.equal(carry('tls://play.example', 'b.example:1', {tls: {rejectUnauthorized: false}}), false);
  assert.equal(carry('ws://localhost.evil.example:1/rpc', '127.0.0.1:22766'), false);
  assert.equal(gradeOf(new URL('wss://x')), 'tls');
});

test('address_keeps_the_scheme_and_is_strict', () => {
  const web = new URL('wss://play.example/rpc?a=b');
  assert.equal(urlOf('b.example:22767', web).href, 'wss://b.example:22767/rpc');
  assert.equal(urlOf('[fe80::1]:22766', new URL('tls://a')).href, 'tls://[fe80::1]:22766');
  for (const text of ['b.example', 'b:0', 'b:70000', 'user@b:1', 'b:1/x', 'b:1?y', '', ' b:1', undefined, 'é:1', 'a'.repeat(300) + ':1']) {
    assert.equal(urlOf(text, web), undefined, String(text));
  }
});

test('calls_go_to_the_server_that_is_named_and_then_directly', async (t) => {
  const {servers, connect: to} = network({
    [A]: (method) => moved(B),
    [B]: (method, args) => ({tick: 7, seen: args.body}),
  });
  const client = await to(t, `tcp://${A}`, {token: 'mine'});
  assert.equal((await client.body.get({world: 'lab', body: 3})).seen, 3);
  assert.equal((await client.body.get({world: 'lab', body: 4})).seen, 4);
  assert.equal(servers[A].of('body.get').length, 1);
  assert.deepEqual(servers[B].of('body.get').map(({args}) => args.body), [3, 4]);
  assert.equal(servers[B].of('hello')[0].args.token, 'mine');
  assert.equal(client.serverOf('lab').url, `tcp://${B}`);
  assert.equal(client.servers.length, 2);
  assert.equal(client.notify('body.force', {world: 'lab', body: 1}), true);
  await sleep(0);
  assert.equal(servers[B].of('body.force').length, 1);
});

test('calls_of_a_moved_world_keep_their_order', async (t) => {
  const seen = [];
  const held = [];
  const {servers, connect: to} = network({
    [A]: (method, args, id) => {
      held.push(id);
      return undefined;
    },
    [B]: (method, args) => {
      if (method === 'body.set') seen.push(args.body);
      return {tick: 1};
    },
  });
  const client = await to(t, `tcp://${A}`);
  const calls = [1, 2, 3].map((body) => client.body.set({world: 'lab', body}));
  await sleep(1);
  servers[A].reply(held[0], moved(B));
  while (client.servers.length < 2 || client.servers[1].state !== 'open') await sleep(1);
  await calls[0];
  calls.push(client.body.set({world: 'lab', body: 4})); // waits for the requests that the old server has not answered
  await sleep(5);
  assert.deepEqual(seen, [1]);
  servers[A].reply(held[1], moved(B));
  servers[A].reply(held[2], moved(B));
  await Promise.all(calls);
  assert.deepEqual(seen, [1, 2, 3, 4]);
});

test('servers_that_name_each_other_are_told', async (t) => {
  const {servers, connect: to} = network({[A]: () => moved(B), [B]: () => moved(A)});
  const client = await to(t, `tcp://${A}`);
  await assert.rejects(client.world.info({world: 'lab'}),
                       {code: 'moved', method: 'world.info', applied: false, message: /world 'lab' was not found in 4 steps: .*1001, .*1002.*name each other/});
  assert.equal(servers[A].of('world.info').length + servers[B].of('world.info').length, HOPS_MAX + 1);
});

test('records_that_cross_for_a_moment_are_waited_for', async (t) => {
  let asked = 0;
  const {connect: to} = network({[A]: () => moved(B), [B]: () => asked++ === 0 ? moved(A) : {world: 'lab', tick: 5}});
  const client = await to(t, `tcp://${A}`);
  assert.equal((await client.world.info({world: 'lab'})).tick, 5);
});

test('call_has_one_deadline_over_all_servers', async (t) => {
  const {connect: to} = network({[A]: () => moved(B), [B]: () => undefined});
  const client = await to(t, `tcp://${A}`);
  await assert.rejects(client.call('world.info', {world: 'lab'}, {timeoutMs: 100}), {code: 'timeout'});
  const abort = new AbortController();
  const call = client.call('world.info', {world: 'lab'}, {signal: abort.signal});
  abort.abort();
  await assert.rejects(call, {code: 'closed'});
});

test('token_stays_where_a_plain_network_named_the_server', async (t) => {
  const {servers, connect: to} = network({'10.0.0.1:1': () => moved('10.0.0.2:1'), '10.0.0.2:1': () => ({tick: 1})});
  const client = await to(t, 'tcp://10.0.0.1:1', {token: 'mine'});
  await assert.rejects(client.world.info({world: 'lab'}),
                       {code: 'moved', message: /^10\.0\.0\.2:1 world 'lab' is served there; not followed: the token goes only over TLS/});
  await assert.rejects(client.subscribe({world: 'lab'}), {code: 'moved'});
  assert.equal(servers['10.0.0.2:1'].dials, 0);
  const trusting = await to(t, 'tcp://10.0.0.1:1', {token: 'mine', follow: {plain: true}});
  await trusting.world.info({world: 'lab'});
  assert.equal(servers['10.0.0.2:1'].of('hello')[0].args.token, 'mine');
  const bare = await to(t, 'tcp://10.0.0.1:1');
  await bare.world.info({world: 'lab'});
  assert.equal(servers['10.0.0.2:1'].of('hello')[1].args.token, undefined);
});

test('client_told_not_to_follow_gets_the_error', async (t) => {
  const {servers, connect: to} = network({[A]: () => moved(B), [B]: () => ({tick: 1})});
  const client = await to(t, `tcp://${A}`, {follow: false});
  await assert.rejects(client.world.info({world: 'lab'}), {code: 'moved', message: `${B} world 'lab' is served there`});
  await assert.rejects(client.subscribe({world: 'lab'}), {code: 'moved', message: `${B} world 'lab' is served there`});
  assert.equal(servers[B].dials, 0);
});

test('servers_of_one_client_are_bounded', async (t) => {
  const hosts = Array.from({length: SERVERS_MAX}, (_, i) => `127.0.0.1:${2000 + i}`);
  const {connect: to} = network({[A]: (method, {world}) => moved(hosts[Number(world.slice(1))], world),
                                 ...Object.fromEntries(hosts.map((host) => [host, () => ({tick: 1})]))});
  const client = await to(t, `tcp://${A}`);
  for (let i = 0; i < SERVERS_MAX - 1; i++) await client.world.info({world: `w${i}`});
  await assert.rejects(client.world.info({world: `w${SERVERS_MAX - 1}`}), {code: 'moved', message: /16 servers are connected, which is the limit/});
});

test('subscription_goes_with_its_world', async (t) => {
  let at = A;
  let number = 10;
  const serve = (host) => (method) => {
    if (method !== 'world.subscribe') return {};
    return at === host ? {subscription: ++number, tick: 1} : moved(at);
  };
  const {servers, connect: to} = network({[A]: serve(A), [B]: serve(B), [C]: serve(C)});
  const client = await to(t, `tcp://${A}`);
  const subscription = await client.subscribe({world: 'lab', encoding: 'plain'});
  const snapshot = (id, tick) => ({subscription: id, world: 'lab', epoch: 5, tick, time: tick / 60, full: true, bodies: [], removed: [],
                                   events: [], hash: new Uint8Array(8)});
  const shown = [];
  subscription.on('snapshot', ({tick}) => shown.push(tick));
  await sleep(1);
  servers[A].notify('snapshot', snapshot(11, 1));
  at = B;
  servers[A].notify('moved', {world: 'lab', address: B, term: 2, tick: 1});
  servers[A].notify('world_closed', {subscription: 11, world: 'lab', code: 'moved', reason: 'it is served elsewhere'});
  servers[A].notify('snapshot', snapshot(11, 99)); // from the subscription that has ended there
  while (subscription.id !== 12) await sleep(1);
  servers[B].notify('snapshot', snapshot(12, 2));
  at = C;
  servers[B].notify('world_closed', {subscription: 12, world: 'lab', code: 'moved', reason: `${C} world 'lab' is served there`});
  while (subscription.id !== 13) await sleep(1);
  servers[C].notify('snapshot', snapshot(13, 3));
  assert.deepEqual(shown, [1, 2, 3]);
  assert.equal(subscription.error, null);
  await subscription.unsubscribe();
  assert.deepEqual(servers[C].of('world.unsubscribe').map(({args}) => args.subscription), [13]);
  assert.equal(servers[A].of('world.unsubscribe').length, 0);
});

test('session_goes_on_at_the_server_that_has_taken_over', async (t) => {
  let serving = A;
  const hellos = [];
  const serve = (host) => (method, args) => {
    if (serving !== host) return moved(serving);
    if (method === 'world.subscribe') return {subscription: 5, tick: 1};
    return method === 'world.info' ? {world: 'lab', tick: 1, standby: B} : {tick: 1};
  };
  const {servers, connect: to} = network({[A]: serve(A), [B]: serve(B)});
  for (const [host, server] of Object.entries(servers)) {
    const {answer} = server;
    server.answer = (method, args, id) => {
      if (method !== 'hello') return answer(method, args, id);
      hellos.push([host, args.resume]);
      return {...HELLO, resume: `secret of ${host}`, ...(args.resume && {subscriptions: [{subscription: 5, world: 'lab'}],
                                                                           applied: {lab: {epoch: 3, last: 1e6}}, pending: []})};
    };
  }
  const client = await to(t, `tcp://${A}`, {token: 'mine'});
  const subscription = await client.subscribe({world: 'lab', encoding: 'plain'});
  while (client.servers.length < 2 || client.servers[1].state !== 'open') await sleep(1); // ahead of need
  assert.deepEqual(hellos, [[A, undefined], [B, undefined]]);
  servers[A].answer = () => undefined; // falls silent, then dies
  const waiting = client.body.set({world: 'lab', body: 1});
  await sleep(1);
  const resumed = event(client, 'resumed');
  serving = B;
  servers[A].accepts = false;
  servers[A].cut();
  await resumed;
  assert.deepEqual(hellos.at(-1), [B, `secret of ${A}`]);
  assert.equal(client.url, `tcp://${B}`);
  await assert.rejects(waiting, {code: 'unavailable', applied: true}); // the client learns which calls took effect
  assert.equal((await client.body.set({world: 'lab', body: 2})).tick, 1);
  assert.equal(subscription.error, null);
  assert.equal(subscription.id, 5);
});

// Servers A and B: a world that leaves A takes the session along to B, which knows it after `unready` refusals.
function takingAlong(unready = 0) {
  const state = {at: A, unready, hellos: []};
  let number = 10;
  const serve = (host) => (method, args) => {
    if (args.world === undefined) return {server: host};
    if (state.at !== host) return moved(state.at);
    return method === 'world.subscribe' ? {subscription: ++number, tick: 1} : {tick: 1};
  };
  const net = network({[A]: serve(A), [B]: serve(B)});
  for (const [host, server] of Object.entries(net.servers)) {
    const {answer} = server;
    server.answer = (method, args, id) => {
      if (method !== 'hello') return answer(method, args, id);
      state.hellos.push([host, args.resume]);
      if (args.resume === undefined) return {...HELLO, resume: `secret of ${host}`};
      if (state.unready-- > 0) return new Error('unavailable: resume: a world of the session is about to come');
      return {...HELLO, resume: args.resume, applied: {lab: {epoch: 3, last: 1}}, pending: [],
              subscriptions: [{subscription: 11, world: 'lab'}, {subscription: 77, world: 'lab'}]};
    };
  }
  return {state, ...net};
}

const LEFT = {world: 'lab', address: B, term: 2, tick: 1};

test('session_goes_along_when_its_world_moves', async (t) => {
  const {state, servers, connect: to} = takingAlong(2);
  const client = await to(t, `tcp://${A}`, {token: 'mine', reconnect: {firstMs: 1, maxMs: 5}});
  const subscription = await client.subscribe({world: 'lab', encoding: 'plain'});
  const first = (await client.body.set({world: 'lab', body: 1})).tick;
  state.at = B;
  servers[A].notify('moved', LEFT);
  servers[A].notify('world_closed', {subscription: 11, world: 'lab', code: 'moved', reason: `${B} world 'lab' is served there`});
  assert.equal(subscription.id, 0);
  await Promise.all([client.body.set({world: 'lab', body: 2}), client.body.set({world: 'lab', body: 3})]);
  assert.equal(first, 1);
  assert.deepEqual(state.hellos, [[A, undefined], ...Array(3).fill([B, `secret of ${A}`])]);
  assert.equal(subscription.id, 11, 'it came along');
  assert.equal(subscription.error, null);
  assert.equal(servers[B].of('world.subscribe').length, 0);
  assert.deepEqual(servers[B].of('world.unsubscribe').map(({args}) => args.subscription), [77], 'nobody here has it');
  assert.deepEqual(servers[B].of('body.set').map(({args}) => args.body), [2, 3]);
  const last = servers[A].of('body.set').at(-1).id;
  assert.ok(servers[B].of('body.set').every(({id}) => id > last), 'one series of numbers in one session');
});

test('session_goes_along_with_its_bodies_alone', async (t) => {
  const {state, servers, connect: to} = takingAlong();
  const client = await to(t, `tcp://${A}`, {reconnect: {firstMs: 1, maxMs: 5}});
  await client.body.set({world: 'lab', body: 1});
  state.at = B;
  servers[A].notify('moved', LEFT); // like a notification to a session with a seat
  while (client.serverOf('lab') === client || client.serverOf('lab').state !== 'open') await sleep(1);
  assert.deepEqual(state.hellos, [[A, undefined], [B, `secret of ${A}`]]);
  const asked = servers[A].of('world.info').length;
  await client.world.info({world: 'lab'});
  assert.equal(servers[A].of('world.info').length, asked);
});

test('world_without_anything_of_the_session_does_not_take_it_along', async (t) => {
  const {state, connect: to} = takingAlong();
  const client = await to(t, `tcp://${A}`);
  await client.world.info({world: 'lab'});
  state.at = B;
  await client.world.info({world: 'lab'});
  assert.deepEqual(state.hellos, [[A, undefined], [B, undefined]]);
});

test('session_stays_at_its_next_server_when_the_first_one_ends', async (t) => {
  const {state, servers, connect: to} = takingAlong();
  const client = await to(t, `tcp://${A}`, {reconnect: {firstMs: 1, maxMs: 5}});
  const subscription = await client.subscribe({world: 'lab', encoding: 'plain'});
  state.at = B;
  servers[A].notify('moved', LEFT);
  while (subscription.id !== 11) await sleep(1);
  const back = new Promise((resolve) => ['renewed', 'resumed'].forEach((name) => client.once(name, resolve)));
  servers[A].accepts = false;
  servers[A].cut();
  await back;
  assert.deepEqual(state.hellos, [[A, undefined], [B, `secret of ${A}`], [B, undefined]], 'the session is not taken from its connection');
  assert.equal((await client.body.set({world: 'lab', body: 2})).tick, 1);
  assert.equal(subscription.id, 11);
  assert.equal(subscription.error, null);
});

test('client_goes_on_where_its_worlds_are_when_its_first_server_ends', async (t) => {
  let at = A;
  let number = 10;
  const serve = (host) => (method, args) => {
    if (args.world === undefined) return {server: host};
    if (at !== host) return moved(at);
    return method === 'world.subscribe' ? {subscription: ++number, tick: 1} : {tick: 1};
  };
  const {servers, connect: to} = network({[A]: serve(A), [B]: serve(B)});
  for (const [host, server] of Object.entries(servers)) {
    const {answer} = server;
    server.answer = (method, args, id) => {
      if (method !== 'hello') return answer(method, args, id);
      return args.resume ? new Error('not_found: resume: there is no such session (any more)') : {...HELLO, resume: `secret of ${host}`};
    };
  }
  const client = await to(t, `tcp://${A}`, {token: 'mine', reconnect: {firstMs: 1, maxMs: 5}});
  await client.body.set({world: 'lab', body: 1}); // the session has changed the world, until the world leaves
  const subscription = await client.subscribe({world: 'lab', encoding: 'plain'});
  at = B;
  servers[A].notify('moved', {world: 'lab', address: B, term: 2, tick: 1});
  while (subscription.id !== 12) await sleep(1);
  const back = event(client, 'renewed');
  servers[A].accepts = false;
  servers[A].cut();
  await back;
  assert.equal(client.url, `tcp://${B}`);
  assert.equal((await client.server.info()).server, B);
  assert.equal((await client.body.set({world: 'lab', body: 2})).tick, 1);
  assert.equal(subscription.error, null);
  assert.equal(subscription.id, 12);
});

test('secret_goes_to_no_server_that_a_plain_network_names', async (t) => {
  const {servers, connect: to} = network({'10.0.0.1:1': () => ({world: 'lab', subscription: 5, standby: '10.0.0.2:1'}), '10.0.0.2:1': () => ({tick: 1})});
  const client = await to(t, 'tcp://10.0.0.1:1', {token: 'mine'});
  await client.subscribe({world: 'lab', encoding: 'plain'});
  const lost = event(client, 'lost');
  servers['10.0.0.1:1'].accepts = false;
  servers['10.0.0.1:1'].cut();
  await lost;
  await sleep(200);
  assert.equal(servers['10.0.0.2:1'].dials, 0);
});

test('standby_of_worlds_with_bodies_alone_is_connected_ahead_of_need', async (t) => {
  const {servers, connect: to} = network({
    [A]: (method) => method === 'world.info' ? {world: 'lab', tick: 1, durability: 'replicated', standby: B} : {tick: 1, body: 1},
    [B]: () => ({tick: 1}),
  });
  const client = await to(t, `tcp://${A}`);
  await client.body.spawn({world: 'lab', shapes: BALL});
  while (servers[B].dials === 0) await sleep(1);
  assert.equal(servers[A].of('world.info').length, 1);
});

test('standby_of_a_world_that_gets_none_is_asked_for_once', async (t) => {
  const {servers, connect: to} = network({[A]: (method) => ({tick: 1, body: 1, subscription: 3, durability: 'normal'})});
  t.mock.timers.enable({apis: ['setTimeout']});
  const client = await to(t, `tcp://${A}`);
  await client.body.spawn({world: 'lab', shapes: BALL});
  await client.body.spawn({world: 'other', shapes: BALL});
  const asked = () => servers[A].of('world.info').length;
  while (asked() < 2) await new Promise(setImmediate);
  for (let i = 0; i < 100; i++) await new Promise(setImmediate);
  t.mock.timers.tick(60000);
  for (let i = 0; i < 100; i++) await new Promise(setImmediate);
  assert.equal(asked(), 2);
});

test('standby_of_the_hello_is_asked_where_nobody_else_is_connected', async (t) => {
  const {servers, connect: to} = network({
    [A]: () => ({tick: 1, body: 1, durability: 'normal'}),
    [B]: (method) => method === 'world.info' ? {world: 'lab', tick: 1} : {tick: 2},
  });
  servers[A].hello = {...HELLO, resume: 'mine', standby: B};
  servers[B].hello = {...HELLO, resume: 'mine', subscriptions: []};
  const client = await to(t, `tcp://${A}`, {reconnect: {firstMs: 1, maxMs: 5}});
  await client.body.spawn({world: 'lab', shapes: BALL});
  servers[A].accepts = false;
  servers[A].cut();
  assert.equal((await client.body.set({world: 'lab', body: 1})).tick, 2);
  assert.equal(client.url, `tcp://${B}`);
});

// ---- a fleet

test('watched_world_goes_on_when_its_server_is_killed_and_comes_back_elsewhere', {skip: !etcdIsThere() && 'etcd is not installed'}, async (t) => {
  const fleet = await startFleet(t, 'killed');
  const data = await mkdtemp(join(tmpdir(), 'carom-data-'));
  t.after(() => rm(data, {recursive: true, force: true}));
  const b = await fleet.start('b');
  const first = await fleet.start('a', ['--data', data]);
  const maker = await connect(first.url);
  await maker.world.create({world: 'arena', gravity: [0, 0]});
  const client = await connect(b.url, {reconnect: {firstMs: 10, maxMs: 100}});
  t.after(() => client.close());
  for (;;) {
    const found = await client.world.info({world: 'arena'}).catch((error) => error);
    if (found.world === 'arena') break;
    assert.equal(found.code, 'not_found');
    await sleep(5);
  }
  const {body} = await client.body.spawn({world: 'arena', shapes: BALL, velocity: [1, 0]});
  const subscription = await client.subscribe({world: 'arena'});
  const before = await subscription.next();
  maker.close();
  await first.stop('SIGKILL');
  const again = await fleet.start('a', ['--data', data]); // at other ports, once the lease of the dead server is over
  const after = await subscription.next();
  assert.ok(after.tick >= before.tick, `${after.tick}`);
  assert.equal(after.epoch, before.epoch);
  assert.equal(new URL(client.serverOf('arena').url).port, String(again.port));
  assert.equal((await client.body.get({world: 'arena', body})).body, body);
  assert.equal(subscription.error, null);
});

test('bodies_of_a_session_stay_when_their_world_moves_and_its_first_server_ends', {skip: !etcdIsThere() && 'etcd is not installed'}, async (t) => {
  const fleet = await startFleet(t, 'along');
  const folder = await mkdtemp(join(tmpdir(), 'carom-fleet-'));
  t.after(() => rm(folder, {recursive: true, force: true}));
  await writeFile(join(folder, 'key'), '0123456789abcdef'.repeat(4));
  const start = (node) => fleet.start(node, ['--limit', 'resume_ms=1000', '--fleet-listen', '127.0.0.1:0', '--fleet-secret',
                                             join(folder, 'key'), '--data', join(folder, node)]);
  const [a, b] = [await start('a'), await start('b')];
  const client = await connect(a.url, {reconnect: {firstMs: 10, maxMs: 100}});
  const other = await connect(b.url);
  t.after(() => {
    client.close();
    other.close();
  });
  await client.world.create({world: 'arena', gravity: [0, 0]});
  const {body} = await client.body.spawn({world: 'arena', shapes: BALL, lifetime: 'session'});
  const subscription = await client.subscribe({world: 'arena'});
  const {tick} = await subscription.next();
  const move = () => client.world.move({world: 'arena', to: 'b'}).then(() => true, (error) => {
    assert.equal(error.code, 'unavailable', error.message); // the servers do not know each other yet
    return false;
  });
  while (!await move()) await sleep(20);
  while ((await subscription.next()).tick <= tick || subscription.link.url.port !== String(b.port));
  const {hz} = await other.world.info({world: 'arena'});
  const pass = async () => { // twice as long as sessions without a connection are kept
    const end = (await subscription.next()).tick + 2 * hz;
    while ((await subscription.next()).tick < end);
  };
  await pass();
  await a.stop('SIGKILL');
  await pass();
  assert.equal((await other.body.get({world: 'arena', body})).body, body);
  assert.equal((await client.body.get({world: 'arena', body})).body, body);
  assert.equal(subscription.error, null);
});

test('session_goes_along_with_all_worlds_of_a_server_that_shuts_down_and_back', {skip: !etcdIsThere() && 'etcd is not installed'}, async (t) => {
  const fleet = await startFleet(t, 'drained');
  const folder = await mkdtemp(join(tmpdir(), 'carom-fleet-'));
  t.after(() => rm(folder, {recursive: true, force: true}));
  await writeFile(join(folder, 'key'), '0123456789abcdef'.repeat(4));
  const start = (node) => fleet.start(node, ['--limit', 'resume_ms=1000', '--fleet-listen', '127.0.0.1:0', '--fleet-secret',
                                             join(folder, 'key'), '--data', join(folder, node)]);
  const [a, b] = [await start('a'), await start('b')];
  const client = await connect(a.url, {reconnect: {firstMs: 10, maxMs: 100}});
  const other = await connect(b.url);
  t.after(() => {
    client.close();
    other.close();
  });
  const worlds = ['one', 'two', 'three'];
  const bodies = new Map();
  for (const world of worlds) {
    await client.world.create({world, gravity: [0, 0]});
    bodies.set(world, (await client.body.spawn({world, shapes: BALL, lifetime: 'session'})).body);
  }
  const seen = await client.subscribe({world: 'two'}); // the client has bodies alone in the others
  const to = async (world, node) => {
    for (;;) {
      const error = await client.world.move({world, to: node}).then(() => null, (failure) => failure);
      if (error === null) return;
      assert.equal(error.code, 'unavailable', error.message); // the servers do not know each other yet
      await sleep(20);
    }
  };
  const pass = async () => { // twice as long as sessions without a connection are kept
    const end = (await seen.next()).tick + 120;
    while ((await seen.next()).tick < end);
  };
  const whole = async () => {
    for (const world of worlds) assert.equal((await client.body.get({world, body: bodies.get(world)})).body, bodies.get(world));
    assert.equal(seen.error, null);
  };
  await to('one', 'b');
  await pass();
  await whole();
  await to('one', 'a'); // to a server where the session is connected
  await pass();
  await whole();
  await a.stop('SIGTERM');
  await pass();
  await whole();
  for (const world of worlds) assert.equal((await other.world.info({world})).world, world);
});

test('program_of_one_server_works_with_a_fleet', {skip: !etcdIsThere() && 'etcd is not installed'}, async (t) => {
  const fleet = await startFleet(t, 'works');
  const [a, b] = [await fleet.start('a'), await fleet.start('b')];
  const maker = await connect(b.url);
  t.after(() => maker.close());
  await maker.world.create({world: 'arena', gravity: [0, 0]});
  await maker.world.create({world: 'second'});
  const client = await connect(a.url);
  t.after(() => client.close());
  await client.world.create({world: 'own'});
  const known = async (world) => {
    for (;;) {
      const found = await client.world.info({world}).catch((error) => error);
      if (found.code !== 'not_found') return found;
      await sleep(5);
    }
  };
  assert.equal((await known('arena')).world, 'arena');
  const {body} = await client.body.spawn({world: 'arena', shapes: BALL, velocity: [1, 0]});
  const subscription = await client.subscribe({world: 'arena'});
  await subscription.next();
  const own = await client.subscribe({world: 'own'});
  await own.next();
  const {results} = await client.world.apply({world: 'arena', commands: [['body.set', {body, velocity: [0, 1]}]]});
  assert.equal(results.length, 1);
  assert.equal(client.servers.length, 2);
  assert.equal(new URL(client.serverOf('arena').url).port, String(b.port));
  const ended = event(subscription, 'ended');
  await client.world.destroy({world: 'arena'});
  assert.equal((await ended).code, 'not_found');
  // The first server is asked again for a world that is gone.
  await assert.rejects(client.world.info({world: 'arena'}), {code: 'not_found'});
  while ((await client.world.create({world: 'arena'}).catch((error) => error)).code === 'already_exists') {
    await sleep(5); // b's record of it is being removed
  }
  assert.equal(client.servers.length, 2);
  assert.equal(client.serverOf('arena'), client);
  for (;;) { // the other server answers it, as soon as it has learned of the world
    const found = await maker.world.info({world: 'arena'}).catch((error) => error);
    if (found.world === 'arena') break;
    assert.equal(found.code, 'not_found');
    await sleep(5);
  }
  assert.equal(new URL(maker.serverOf('arena').url).port, String(a.port));
});
