// The referee of knockout: `node referee.js [ADDRESS]`, with a token of role referee in CAROM_TOKEN where the server has
// keys. It may be started twice, and again at any time: the game goes on.
import {createReferee} from '../../src/referee.js';
import {rules} from './rules.js';

const referee = await createReferee({url: process.argv[2] ?? 'tcp://127.0.0.1:22766', token: process.env.CAROM_TOKEN,
                                     name: 'knockout referee', template: 'knockout', ...rules});
referee.on('holds', ({world}) => console.log(`${world}: this is the referee`));
referee.on('detached', ({world}) => console.log(`${world}: has ended`));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, async () => {
    await referee.close();
    process.exit();
  });
}
console.log('the referee is there');
