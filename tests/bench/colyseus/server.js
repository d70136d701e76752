// A server of Colyseus with a room whose world planck steps: `node server.js float32|int16`. It prints its port, and ends with its
// standard input. Coordinates are sent as float32, or rounded to 1/1024 m and 1/1024 of half a turn in int16.
import net from 'node:net';
import {once} from 'node:events';
import {Room, Server} from '@colyseus/core';
import {MapSchema, schema} from '@colyseus/schema';
import {WebSocketTransport} from '@colyseus/ws-transport';
import {Box, Circle, Vec2, World} from 'planck';

import {HZ, makeBodies, PLAYER_DAMPING, PROBE, RADIUS, RATE, WALLS} from './arena.js';

const kind = process.argv[2] === 'int16' ? 'int16' : 'float32';
const POSITION = kind === 'int16' ? 1024 : 1; // units a metre
const ANGLE = kind === 'int16' ? 1024 / Math.PI : 1;
const rounded = kind === 'int16' ? (value) => Math.round(value) << 16 >> 16 : (value) => value;

const BodyState = schema({x: kind, y: kind, angle: kind});
const ArenaState = schema({tick: 'uint32', bodies: {map: BodyState}});

class Arena extends Room {
  maxClients = 64;
  #world = new World({gravity: {x: 0, y: 0}, allowSleep: false});
  #bodies = []; // {body, shown, force}
  #free = []; // those of players

  onCreate() {
    this.setPatchRate(1000 / RATE);
    this.setState(new ArenaState());
    this.state.tick = 0;
    this.state.bodies = new MapSchema();
    for (const {position, size} of WALLS) {
      this.#world.createBody({position: Vec2(...position)}).createFixture(new Box(size[0] / 2, size[1] / 2), {friction: 0, restitution: 1});
    }
    for (const {position, velocity, player} of makeBodies()) {
      const one = this.#add(position, {linearVelocity: Vec2(...velocity), linearDamping: player ? PLAYER_DAMPING : 0});
      if (player) this.#free.push(one);
    }
    const probe = this.#add(PROBE.position, {linearDamping: PROBE.damping});
    this.onMessage('push', (client, {x, y}) => {
      client.userData.force = Vec2(x, y);
    });
    this.onMessage('impulse', (client, x) => probe.body.applyLinearImpulse(Vec2(x, 0), probe.body.getWorldCenter(), true));
    this.setSimulationInterval(() => this.#step(), 1000 / HZ);
  }

  onJoin(client, options) {
    client.userData = options.probe ? {} : this.#free.shift() ?? {};
  }

  #add([x, y], definition) {
    const body = this.#world.createDynamicBody({position: Vec2(x, y), ...definition});
    body.createFixture(new Circle(RADIUS), {density: 1, friction: 0, restitution: 1});
    const shown = new BodyState();
    this.state.bodies.set(String(this.#bodies.length), shown);
    const one = {body, shown, force: null};
    this.#bodies.push(one);
    return one;
  }

  #step() {
    for (const {body, force} of this.#bodies) if (force) body.applyForceToCenter(force, true);
    this.#world.step(1 / HZ);
    for (const {body, shown} of this.#bodies) {
      const {x, y} = body.getPosition();
      shown.x = rounded(x * POSITION);
      shown.y = rounded(y * POSITION);
      shown.angle = rounded(body.getAngle() * ANGLE);
    }
    this.state.tick++;
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

const server = new Server({greet: false, gracefullyShutdown: false, transport: new WebSocketTransport({perMessageDeflate: false})});
server.define('arena', Arena);
const port = await freePort(); // Colyseus takes no port 0
await server.listen(port, '127.0.0.1');
console.log(`port ${port}`);
process.stdin.resume().on('end', () => process.exit());
