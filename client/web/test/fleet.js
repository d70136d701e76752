// A fleet for tests: one etcd and servers that share it, all on this machine, on ports of the system's choice.
import {execFileSync, spawn} from 'node:child_process';
import {once} from 'node:events';
import {mkdtemp, rm} from 'node:fs/promises';
import net from 'node:net';
import {tmpdir} from 'node:os';
import {join} from 'node:path';

import {AWAIT_MS} from './patience.js';
import {OVER_WEBSOCKET, sleep, startCaromd} from './support.js';


/** Whether etcd is installed. */
export function etcdIsThere() {
  try {
    execFileSync('etcd', ['--version'], {stdio: 'ignore'});
    return true;
  } catch {
    return false;
  }
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const {port} = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function answers(url) {
  return (await fetch(`${url}/version`).catch(() => undefined))?.ok === true;
}

async function startEtcd() {
  const folder = await mkdtemp(join(tmpdir(), 'carom-etcd-'));
  const url = `http://127.0.0.1:${await freePort()}`;
  const peer = `http://127.0.0.1:${await freePort()}`;
  const child = spawn('etcd', ['--data-dir', folder, '--listen-client-urls', url, '--advertise-client-urls', url,
                               '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster',
                               `default=${peer}`, '--heartbeat-interval', '50', '--election-timeout', '500'],
                      {stdio: 'ignore'});
  const end = Date.now() + AWAIT_MS;
  while (!await answers(url)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error('etcd did not start');
    await sleep(20);
  }
  return {
    url,
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
      await rm(folder, {recursive: true, force: true});
    },
  };
}

/** A fleet that ends with the test `t`; `start(name, options)` starts a server of it. */
export async function startFleet(t, prefix) {
  const etcd = await startEtcd();
  const servers = [];
  t.after(async () => {
    for (const server of servers) await server.stop('SIGKILL');
    await etcd.stop();
  });
  return {
    async start(name, options = []) {
      const [tcp, http] = [await freePort(), await freePort()];
      const server = await startCaromd(
        ['--fleet', etcd.url, '--fleet-prefix', `/${prefix}`, '--node', name, '--advertise',
         `127.0.0.1:${tcp},127.0.0.1:${http}`, ...options, ...(OVER_WEBSOCKET ? ['--listen', `127.0.0.1:${tcp}`] : [])],
        OVER_WEBSOCKET ? http : tcp);
      servers.push(server);
      return server;
    },
  };
}
