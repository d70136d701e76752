// Environment CAROM_TRANSPORT is websocket. The client over a given WebSocket class, and the server's closing message.
import test from 'node:test';
import assert from 'node:assert/strict';

import {connect} from '../src/index.js';
import {BALL, event, startCaromd} from './support.js';
import {PlainWebSocket} from './websocket.js';

test('class_of_the_callers_is_used', async (t) => {
  const server = await startCaromd();
  t.after(() => server.stop());
  let made = 0;
  class Counted extends PlainWebSocket {
    constructor(...args) {
      super(...args);
      made++;
    }
  }
  const client = await connect(server.url, {WebSocket: Counted});
  t.after(() => client.close());
  const lab = client.use('lab');
  await lab.world.create({paused: true});
  const commands = Array.from({length: 900}, () => ['body.spawn', {shapes: BALL, tag: 'x'.repeat(60)}]);
  await lab.world.apply({commands});
  assert.equal((await lab.world.state()).bodies.length, 900); // more than 65 535 bytes
  assert.equal(made, 1);
});

test('servers_end_is_told_with_its_reason', async () => {
  const server = await startCaromd();
  const client = await connect(server.url, {reconnect: false});
  const closed = event(client, 'closed');
  assert.equal(await server.stop(), 0);
  assert.match((await closed).message, /shutting down/);
});
