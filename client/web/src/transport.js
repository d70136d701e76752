// Transports to a server: WebSocket (browsers, workers, Deno, Node 22); node.js has TCP. A transport moves bytes and
// does not know messages.
//
// A transport is made by a function that takes handlers and returns an object:
//
//   open({open(), data(Uint8Array), close(reason)}) -> {send(Uint8Array), end(), buffered}
//
// `open` is called once, before any data; `close` once, last, with a text for a person, also when there never was a
// connection. `send` takes bytes that the caller must not change afterwards. `end` closes in order: bytes sent before
// it are still delivered. `buffered` is the number of bytes that the system has not accepted yet.

const SUB_PROTOCOL = 'carom.v1';
export const RPC_PATH = '/rpc';

/** Uses a WebSocket. `Class` replaces the platform's own. */
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
    socket.onerror = () => {}; // `close` follows with the reason
    socket.onclose = (event) => {
      const code = event.code ? ` (${event.code})` : '';
      close(event.reason || (opened ? `the connection was lost${code}`
                                    : `no connection to ${url}${code}`));
    };
    return {
      send: (bytes) => socket.send(bytes),
      end: () => {
        socket.close(1000);
        // A dead peer would delay the closing handshake.
        close('closed');
      },
      get buffered() {
        return socket.bufferedAmount ?? 0;
      },
    };
  };
}

const NO_TCP = 'this platform has no TCP; connect with ws://host:port or wss://host:port';

/** The schemes of the protocol over TCP, as URL.protocol has them, and whether they ask for TLS: two names for each. */
export const TCP_SCHEMES = new Map([['tcp:', false], ['carom:', false], ['tls:', true], ['caroms:', true]]);

/** Parses the address of a server; `base` is the address of the page, if there is one. */
export function parseAddress(url, base = globalThis.location?.href) {
  try {
    return new URL(url, base);
  } catch {
    throw new TypeError(`'${url}' is no URL: expected a scheme, a host and perhaps a port up to 65535, as in ` +
                        'tcp://127.0.0.1:22766, tls://play.example, ws://127.0.0.1:22767 or wss://play.example');
  }
}

/** A page's version of node.js's tcpTransport, for programs that are also bundled for pages. */
export function tcpTransport() {
  throw new TypeError(NO_TCP);
}

/**
 * The transport for a URL: ws://, wss://, http://, https://. Without a URL, or with only a path, the page's own server.
 * A URL without a path means /rpc.
 */
export function transportFor(url, options = {}) {
  const target = parseAddress(url ?? RPC_PATH);
  if (TCP_SCHEMES.has(target.protocol)) throw new TypeError(`${target.protocol} ${NO_TCP}`);
  const scheme = target.protocol.slice(0, -1);
  switch (scheme) {
    case 'http':
    case 'https':
    case 'ws':
    case 'wss':
      target.protocol = scheme.replace('http', 'ws');
      if (target.pathname === '/' || target.pathname === '') target.pathname = RPC_PATH;
      target.hash = '';
      return webSocketTransport(target.href, options.WebSocket);
    default:
      throw new TypeError(`'${url}': ${scheme}: is no scheme of carom's; there are ws, wss, http, https, tcp, tls, ` +
                          'carom and caroms');
  }
}
