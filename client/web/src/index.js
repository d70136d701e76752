// The package's public face: a client of carom servers, and their engine. It runs in pages too, which load
// what needs Node or Deno (node.js) and never call it.

export * from './browser.js';
export {connect, loadEngine, makeClient, tcpTransport, transportFor} from './node.js';
