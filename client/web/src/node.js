// The parts that need Node or Deno: TCP, with or without TLS, and the engine from a file. Node's modules are loaded on
// first use, so that a page without a bundler can load this file.

import {makeClient as makeWebClient} from './client.js';
import {engineFile, loadEngine as loadWebEngine, missingEngine} from './engine.js';
import {checkOptions} from './errors.js';
import {parseAddress, TCP_SCHEMES, transportFor as webTransportFor} from './transport.js';

const DEFAULT_PORT = 22766; // port of TCP
const IP_ADDRESS = /^\d+(\.\d+){3}$|:/;
const LINGER_MS = 1000; // time for the last bytes of a connection closed here

/** Over TCP, in Node and Deno. `tls`: options of node:tls's connect, or undefined for plain TCP. */
export function tcpTransport(options = {}) {
  checkOptions('tcpTransport', options, ['host', 'port', 'tls']);
  const {host = '127.0.0.1', port = DEFAULT_PORT, tls} = options;
  return (handlers) => {
    let socket = null;
    let ended = false;
    const close = (reason) => {
      if (!ended) {
        ended = true;
        handlers.close(reason);
      }
    };
    const loading = tls ? import('node:tls') : import('node:net');
    loading.then((module) => {
      if (ended) return;
      socket = module.connect({host, port, noDelay: true, ...tls});
      socket.setNoDelay(true);
      socket.on(tls ? 'secureConnect' : 'connect', () => {
        if (!ended) handlers.open();
      });
      socket.on('data', (bytes) => {
        // A copy: a Buffer's slices would share its memory.
        if (!ended) handlers.data(new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length));
      });
      let reason = 'the server closed the connection';
      socket.on('error', (error) => {
        reason = `${host}:${port}: ${error.message}`;
      });
      socket.on('close', () => close(reason));
    }, () => close('this platform has no TCP: connect with ws://host:port/rpc'));
    return {
      send: (bytes) => socket.write(bytes),
      end: () => {
        socket?.end();
        setTimeout(() => socket?.destroy(), LINGER_MS).unref?.();
        close('closed');
      },
      get buffered() {
        return socket ? socket.writableLength : 0;
      },
    };
  };
}

/**
 * The options of node:tls for a host: the server name is sent, unless the host is an IP address (RFC 6066); the
 * certificate is verified in both cases.
 */
export function tlsOptions(host, options) {
  return {...(IP_ADDRESS.test(host) ? {} : {servername: host}), ...options};
}

/**
 * The transport for a URL: as transport.js has them, and tcp:// (carom://), tls:// (caroms://). Without a URL the page's
 * own server, or if there is no page, the one on this machine.
 */
export function transportFor(url, options = {}) {
  const base = globalThis.location?.href;
  const target = parseAddress(url ?? (base === undefined ? 'tcp://127.0.0.1' : ''), base);
  const secure = TCP_SCHEMES.get(target.protocol);
  if (secure === undefined) return webTransportFor(url, options);
  const host = target.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
  const port = Number(target.port) || DEFAULT_PORT;
  return tcpTransport({host, port, tls: secure ? tlsOptions(host, options.tls) : undefined});
}

/** As in client.js, with all schemes of transportFor(). */
export function makeClient(url, options = {}) {
  const mine = {loadEngine, ...options};
  if (typeof url === 'function' || options.transport) return makeWebClient(url, mine);
  const there = url ?? (globalThis.location === undefined ? 'tcp://127.0.0.1' : undefined);
  return makeWebClient(there, {transportTo: (other) => transportFor(other.href, options), ...mine,
                               transport: transportFor(there, options)});
}

/** As in client.js, with all schemes of transportFor(). */
export async function connect(url, options = {}) {
  return makeClient(url, options).ready;
}

/** As in engine.js; `source` may also be the URL of a file. */
export async function loadEngine(source = engineFile()) {
  const named = typeof source === 'string' || source instanceof URL;
  const place = named ? new URL(source, import.meta.url) : null;
  if (place?.protocol !== 'file:') return loadWebEngine(source);
  const {readFile} = await import('node:fs/promises');
  const bytes = await readFile(place).catch((error) => {
    throw error.code === 'ENOENT' ? missingEngine(place, 'there is no such file') : error;
  });
  return loadWebEngine(bytes);
}
