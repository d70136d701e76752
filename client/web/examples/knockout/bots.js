// Players without a person: `node bots.js [COUNT] [ADDRESS]`. Each is a guest that pushes towards the nearest disc, or
// towards the middle when it is near the rim. A bot may do no more than a page.
import {connect} from '../../src/index.js';
import {PLATFORM, PUSH, seatOf} from './rules.js';

const BOTS_MAX = 15;
const THINK_MS = 150;
const MASS = 1.5; // about that of a disc [kg]

async function play(number, url) {
  const client = await connect(url, {name: 'knockout bot'});
  const {world: name, seat} = await client.world.join({template: 'knockout', data: {name: `Bot ${number}`}});
  const world = client.use(name);
  await world.data.set({key: `player/${client.hello.subject}/name`, value: `Bot ${number}`});
  const {view} = await world.subscribe({describe: true, events: [], rate: 10});
  setInterval(() => {
    const discs = [...view.bodies.values()].filter((body) => seatOf(body) !== undefined);
    const me = discs.find((body) => seatOf(body) === seat);
    if (!me) return;
    const away = ({x, y}) => Math.hypot(x - me.x, y - me.y);
    const others = discs.filter((body) => body !== me).sort((a, b) => away(a) - away(b));
    const aim = Math.hypot(me.x, me.y) > 0.8 * PLATFORM || others.length === 0 ? {x: 0, y: 0} : others[0];
    const scale = 0.7 * PUSH * MASS / Math.max(away(aim), 0.5);
    world.notify('body.force', {body: me.id, force: [(aim.x - me.x) * scale, (aim.y - me.y) * scale]});
  }, THINK_MS);
}

const [count = '2', url = 'tcp://127.0.0.1:22766'] = process.argv.slice(2);
if (!(Number.isInteger(Number(count)) && Number(count) >= 1 && Number(count) <= BOTS_MAX)) {
  console.error(`bots.js [COUNT] [ADDRESS]: COUNT is 1 to ${BOTS_MAX}, not '${count}'`);
  process.exit(2);
}
try {
  for (let i = 1; i <= Number(count); i++) await play(i, url);
} catch (error) {
  console.error(`bots.js: ${url}: ${error.message}`);
  process.exit(1);
}
