// The package's public interface: a client of carom servers, and their engine. It runs in pages too, which load the
// parts for Node or Deno (node.js) but never call them.

export * from './browser.js';
export {connect, loadEngine, makeClient, tcpTransport, transportFor} from './node.js';
