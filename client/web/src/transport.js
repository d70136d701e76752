// Ways to a server: WebSocket (browsers, workers, Deno, Node 22), and TCP with or without TLS (Node,
// Deno). A transport moves bytes and knows no message.
//
// A transport is made by a function that takes handlers and returns an object:
//
//   open({open(), data(Uint8Array), close(reason)}) -> {send(Uint8Array), end(), buffered}
//
// `open` is called once, before any data; `close` once, last, with a text for a person, also when
// there never was a connection. `send` takes bytes that nobody changes afterwards. `end` closes in
// order: what was sent before still goes out. `buffered` is the number of bytes that the system has
// not taken yet.

const SUB_PROTOCOL = 'carom.v1';
const DEFAULT_PORT = 22766; // of TCP
const RPC_PATH = '/rpc';
const LINGER_MS = 1000; // for the last bytes of a TCP connection that is closed here

/** Over WebSocket. `Class` takes the place of the platform's own WebSocket. */
export function webSocketTransport(url, Class = globalThis.WebSocket) {
  if (typeof Class !== 'function') {
    throw new TypeError('this platform has no WebSocket: connect with tcp://host:port, or pass the ' +
                        'option WebSocket');
  }
  return (handlers) => {
    const socket = new Class(url, [SUB_PROTOCOL]);
    let ended = false;
    let opened = false;
    socket.binaryType = 'arraybuffer';
    const close = (reason) => {
      if (!ended) {
        ended = true;
        handlers.close(reason);
      }
    };
    socket.onopen = () => {
      opened = true;
      if (!ended) handlers.open();
    };
    socket.onmessage = (event) => {
      if (ended) return;
      if (event.data instanceof ArrayBuffer) handlers.data(new Uint8Array(event.data));
      else socket.close(1003, 'text');
    };
    socket.onerror = () => {}; // says nothing that close does not
    socket.onclose = (event) => {
      const code = event.code ? ` (${event.code})` : '';
      close(event.reason || (opened ? `the connection was lost${code}`
                                    : `no connection to ${url}${code}`));
    };
    return {
      send: (bytes) => socket.send(bytes),
      end: () => {
        socket.close(1000);
        // A peer that is gone would leave the closing handshake waiting.
        close('closed');
      },
      get buffered() {
        return socket.bufferedAmount ?? 0;
      },
    };
  };
}

/** Over TCP, in Node and Deno. `tls`: options of node:tls's connect, or undefined for plain TCP. */
export function tcpTransport({host = '127.0.0.1', port = DEFAULT_PORT, tls} = {}) {
  return (handlers) => {
    let socket = null;
    let ended = false;
    const close = (reason) => {
      if (!ended) {
        ended = true;
        handlers.close(reason);
      }
    };
    // By a name that bundlers for browsers do not follow.
    const name = tls ? 'node:tls' : 'node:net';
    import(/* @vite-ignore */ /* webpackIgnore: true */ name).then((module) => {
      if (ended) return;
      socket = module.connect({host, port, noDelay: true, ...tls});
      socket.setNoDelay(true);
      socket.on(tls ? 'secureConnect' : 'connect', () => {
        if (!ended) handlers.open();
      });
      socket.on('data', (bytes) => {
        // Not as a Buffer, whose slices share its memory.
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
 * The transport for a URL: ws://, wss://, http://, https://, tcp://, tls://. Without a URL, or with a
 * path alone, the page's own server. A URL without a path means /rpc.
 */
export function transportFor(url, options = {}) {
  const base = globalThis.location?.href;
  if ((url === undefined || url === null) && base === undefined) {
    url = `tcp://127.0.0.1:${DEFAULT_PORT}`;
  }
  const target = new URL(url ?? RPC_PATH, base);
  const scheme = target.protocol.slice(0, -1);
  switch (scheme) {
    case 'tcp':
    case 'tls': {
      const host = target.hostname.replace(/^\[|\]$/g, '') || '127.0.0.1';
      const port = Number(target.port) || DEFAULT_PORT;
      const secure = scheme === 'tls' ? {servername: host, ...options.tls} : undefined;
      return tcpTransport({host, port, tls: secure});
    }
    case 'http':
    case 'https':
    case 'ws':
    case 'wss':
      target.protocol = scheme.replace('http', 'ws');
      if (target.pathname === '/' || target.pathname === '') target.pathname = RPC_PATH;
      target.hash = '';
      return webSocketTransport(target.href, options.WebSocket);
    default:
      throw new TypeError(`${scheme}: is no scheme of carom's; there are ws, wss, http, https, ` +
                          'tcp and tls');
  }
}
