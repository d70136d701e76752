// A replica in a worker, for replica.test.js: follows the world of `workerData` and reports its tick and hash on
// request.
import {parentPort, workerData} from 'node:worker_threads';

import {PlainWebSocket} from './websocket.js';

const {source, url, world} = workerData;
globalThis.WebSocket ??= PlainWebSocket;
const {connect, loadEngine, Replica} = await import(source);
const client = await connect(url);
const replica = await new Replica(await loadEngine()).follow(client, world);
replica.on('diverged', (error) => parentPort.postMessage({error: error.message}));
parentPort.on('message', () => parentPort.postMessage({tick: replica.tick, hash: replica.world.hash()}));
parentPort.postMessage({tick: replica.tick});
