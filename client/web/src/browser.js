// The package's public interface for pages and workers: all of index.js except the parts for Node. Bundlers for
// browsers find it by the condition `browser` of package.json, and then meet no module of Node.

export {Client, connect, makeClient} from './client.js';
export {Batch, WorldCalls} from './calls.js';
export {distantTransport} from './distance.js';
export {CaromError, ERROR_CODES} from './errors.js';
export {METHODS, PROTOCOL_VERSION} from './methods.js';
export {Decoder, MessagePackError, decode, encode} from './msgpack.js';
export {ServerClock} from './clock.js';
export {PackedDecoder} from './packed.js';
export {Playback} from './playback.js';
export {PredictedBody} from './predicted_picture.js';
export {Prediction} from './prediction.js';
export {Subscription} from './subscription.js';
export {tcpTransport, transportFor, webSocketTransport} from './transport.js';
export {ViewBody, WorldView} from './view.js';
export {Body, Engine, Joint, World, loadEngine} from './engine.js';
export {Replica, encodeRecord} from './replica.js';
