// A program in TypeScript against the package's types: it compiles, and its wrong lines do not. Never run.
import {CaromError, connect, encodeRecord, loadEngine, Replica, type BodyMap, type Snapshot} from 'carom';
import {createReferee, type Game} from 'carom/referee';
import {TABLE} from 'carom/table';
import {createTestGame} from 'carom/testing';

const client = await connect('tcp://127.0.0.1:22766', {token: async () => 'x', reconnect: {maxMs: 10}});
const lab = client.use('lab');
const there: string | undefined = (await connect(null, {follow: {plain: true}})).serverOf('lab').url;
client.on('moved', ({world, term}) => console.log(there, world.length, term + 1));
const spawned = await lab.body.spawn({position: [0, 1], shapes: [{kind: 'circle', radius: 1}]});
const id: number = spawned.body;
const info: BodyMap = await lab.body.get({body: id});
const kind: 'static' | 'kinematic' | 'dynamic' = info.type;
const batch = lab.batch();
batch.body.set({body: batch.body.spawn({shapes: []}), tag: kind});
batch.world.set({gravity: [0, -10]});
batch.joint.create({kind: 'revolute', a: batch.body.spawn({shapes: []}), b: id, anchor: [0, 0]});
const tick: number = (await batch.send({at: 7})).tick;

const watched = await lab.subscribe({precision: {velocity: 1}, events: ['hit'], area: [0, 0, 1, 1]}, {waitMs: 100});
watched.on('waiting', (error) => error.message);
const next = await connect(null, {resume: client.hello?.resume, keepSession: true});
if (next.resumed) next.close({keepSession: true});
watched.on('snapshot', (snapshot: Snapshot) => snapshot.bodies[0]?.[1].toFixed(tick));
watched.on('ended', (error: CaromError) => error.code === 'closed');
for (const {pose, shapes} of watched.view.drawn()) console.log(pose.x, shapes[0]?.kind);

const doc: string | undefined = TABLE['body.spawn'].args.shapes?.doc;
console.log(doc);

const engine = await loadEngine();
const world = engine.createWorld({gravity: [0, -10], events: ['begin']});
const body = world.createBody({shapes: [{kind: 'box', size: [1, 1]}]});
const joint = world.createJoint({kind: 'revolute', a: body, b: 1, anchor: [0, 0]});
joint.set({motor_speed: 1});
body.position = [1, 2];
const rows: Float64Array = world.rows({awakeOnly: true});
world[Symbol.dispose]();
const replica: Replica = await new Replica(engine).follow(client, 'lab', {rate: 10});
replica.play({from: 0, tick: rows.length, commands: [[1, 0, 'body.remove', {body: 1}]]});
replica.on('diverged', (error) => console.log(error.code, encodeRecord({from: 0, tick: 1}).length));

const play = await lab.predict({
  input(batch, {tick, firstTime}) {
    if (firstTime && tick > 10) batch.body.force({body: id, force: [1, 0]});
  },
  events: ['begin'], inputDelay: 1, budgetMs: 4,
});
play.on('confirmed', ({kind, wasPredicted}) => console.log(kind, wasPredicted));
play.advance();
for (const {pose, shapes} of play.drawn()) console.log(pose.angle, shapes.length, play.figures?.right, play.confirmed?.tick);
const reason: string | undefined = play.reason?.code;
console.log(reason, play.call('query.nearest', {point: [0, 0]})?.distance, play.made(batch.body.spawn({shapes: []}))?.id);
const rules = {
  start: (game: Game) => game.set('round', game.get<number>('round', 0) + 1),
  async message(game: Game) {
    const hits = await game.call('query.ray', {from: [0, 0], to: [1, 0]});
    game.body.impulse({body: hits[0]?.body ?? game.body.spawn({shapes: []}), impulse: [1, 0]});
    for (const {id, owner} of game.bodies.values()) if (owner === '') game.body.remove({body: id});
  },
};
const referee = await createReferee({client, worlds: ['room-*'], events: ['sensor_end'], error: (error, {during}) => console.log(during, error), ...rules});
referee.on('holds', (game) => console.log(game.world, game.holds, referee.figures.handled));
const local = await createTestGame({...rules, gravity: [0, 0]});
local.message(local.join('ada'), 'ready');
await local.step(2);
console.log(local.data.round, local.sent[0]?.name);
// @ts-expect-error: messages have a handler of their own
createReferee({client, worlds: 'arena', events: ['message']});
// @ts-expect-error: there is no such handler
createTestGame({joined() {}});
// @ts-expect-error: an input gets a batch
lab.predict({input: (batch: number) => {}});

// @ts-expect-error: there is no such shape
await lab.body.spawn({shapes: [{kind: 'cone'}]});
// @ts-expect-error: no argument is written so
batch.body.spawn({positon: [0, 1], shapes: []});
// @ts-expect-error: a place is two numbers
batch.body.spawn({position: 1, shapes: []});
// @ts-expect-error: a body has shapes, if only none
batch.body.spawn({position: [0, 1]});
// @ts-expect-error: a query may not stand in a batch
batch.query.ray({from: [0, 0], to: [1, 1]});
// @ts-expect-error: the batch says which world
batch.body.remove({world: 'other', body: 1});
// @ts-expect-error: a command's arguments are those of its method
world.apply([['body.spawn', {positon: [0, 1], shapes: []}]]);
// @ts-expect-error: there is no such method
await client.call('body.jump');
// @ts-expect-error: a place is two numbers
body.position = 7;
// @ts-expect-error: there is no such event
world.wantEvents(['bang']);
// @ts-expect-error: the hash is bytes
const hash: string = world.hash();
console.log(hash);

for await (const {tick} of watched) {
  console.log(tick);
  break;
}
for await (const {kind} of watched.events()) {
  console.log(kind);
  break;
}
watched.view.on('add', ({tag, shapes}) => console.log(tag, shapes.length));
play.on('remove', ({id}) => console.log(id));
// @ts-expect-error: a view has no such event
watched.view.on('came', () => {});
