// Support for tests: a real caromd, a world for each test, a connection that can be cut.
import {spawn} from 'node:child_process';
import net from 'node:net';
import {once} from 'node:events';

import {connect} from '../src/index.js';
import {AWAIT_MS} from './patience.js';
import {PlainWebSocket} from './websocket.js';


/** Whether the tests' connections are WebSockets (environment CAROM_TRANSPORT). */
export const OVER_WEBSOCKET = process.env.CAROM_TRANSPORT === 'websocket';
globalThis.WebSocket ??= PlainWebSocket;

const address = (ports) => OVER_WEBSOCKET ? `ws://127.0.0.1:${ports.http}` : `tcp://127.0.0.1:${ports.tcp}`;

/** Starts caromd (environment CAROMD) on a port of the system's choice; `port` is that of the
 * transport. */
export async function startCaromd(options = [], port = 0) {
  const listen = OVER_WEBSOCKET ? ['--listen', '127.0.0.1:0', '--http', `127.0.0.1:${port}`]
                                : ['--listen', `127.0.0.1:${port}`, '--http', 'off'];
  const child = spawn(process.env.CAROMD, [...listen, ...options],
                      {stdio: ['ignore', 'ignore', 'pipe']});
  let log = '';
  const ports = {};
  await new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`caromd did not start:\n${log}`)), AWAIT_MS);
    child.stderr.setEncoding('utf8').on('data', (text) => {
      log += text;
      const found = /listening on 127\.0\.0\.1:(\d+)/.exec(log);
      if (found) {
        ports.tcp = Number(found[1]);
        ports.http = Number(/for browsers: http:\/\/127\.0\.0\.1:(\d+)/.exec(log)?.[1]);
        clearTimeout(timer);
        resolve();
      }
    });
    child.on('exit', () => reject(new Error(`caromd ended:\n${log}`)));
  });
  return {
    port: OVER_WEBSOCKET ? ports.http : ports.tcp,
    url: address(ports),
    get log() {
      return log;
    },
    async stop(signal = 'SIGTERM') {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      const ended = once(child, 'exit');
      child.kill(signal);
      return (await ended)[0];
    },
  };
}

/** Relays bytes between clients and a server, until the test cuts the connections. */
export async function startProxy(port) {
  const pairs = new Set();
  const proxy = {accepts: true, swallows: false, drops: false, dropped: 0, pairs}; // `dropped`: bytes
  const server = net.createServer((near) => {
    if (!proxy.accepts) {
      near.destroy();
      return;
    }
    const far = net.connect(port, '127.0.0.1');
    const pair = {near, far};
    pairs.add(pair);
    near.on('data', (bytes) => {
      if (proxy.drops) proxy.dropped += bytes.length;
      else far.write(bytes);
    });
    far.on('data', (bytes) => proxy.swallows || near.write(bytes));
    for (const [one, other] of [[near, far], [far, near]]) {
      one.on('error', () => {});
      one.on('close', () => {
        pairs.delete(pair);
        other.destroy();
      });
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port: own} = server.address();
  proxy.url = address({tcp: own, http: own});
  proxy.cut = () => {
    for (const pair of pairs) {
      pair.near.destroy();
      pair.far.destroy();
    }
  };
  proxy.stop = async () => {
    proxy.cut();
    server.close();
    await once(server, 'close');
  };
  return proxy;
}

let worlds = 0;

/** Opens a client and a paused world for it, both removed when the test `t` ends. */
export async function open(t, url, worldArgs = {}, options = {}) {
  const client = await connect(url, options);
  const lab = client.use(`w${++worlds}`);
  await lab.world.create({paused: true, lifetime: 'session', ...worldArgs});
  t.after(() => client.close());
  return {client, lab};
}

export function event(emitter, name, ms = AWAIT_MS) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`no '${name}' in ${ms} ms`)), ms);
    emitter.once(name, (value) => {
      clearTimeout(timer);
      resolve(value);
    });
  });
}

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export const BALL = [{kind: 'circle', radius: 0.5}];
