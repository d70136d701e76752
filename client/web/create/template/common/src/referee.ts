// The referee: `node dist/referee.js ADDRESS`, with its token in CAROM_TOKEN. It may be started again at any time, and twice: all that it
// knows is in the world's data.
import {createReferee} from 'carom/referee';

import {TEMPLATE} from './game.js';
import {rules} from './rules.js';

const referee = await createReferee({url: process.argv[2], token: process.env.CAROM_TOKEN, name: `${TEMPLATE} referee`, template: TEMPLATE, ...rules});
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await referee.close();
    process.exit();
  });
}
console.log('the referee is there');
