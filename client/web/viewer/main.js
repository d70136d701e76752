// Starts the page: the app, its panels, its keys; then connects.
//
// The address says what to show: `#world=demo&at=x,y,scale&follow=12&tick=600&theme=light`, and
// `?server=ws://host:port/rpc` if the page does not come from the server itself. With `?local` its worlds are in the page
// itself, without any server: local/start.js.

import {App} from './app.js';
import {bindKeys} from './keys.js';
import {bindPointer} from './tools/pointer.js';
import {AddressError} from './ui/address.js';
import {$, el} from './ui/dom.js';
import {Inspector} from './ui/inspector.js';
import {EventLog} from './ui/event_log.js';
import {Files} from './ui/files.js';
import {bindHeader} from './ui/header.js';
import {Layers} from './ui/layers.js';
import {bindNews} from './ui/news.js';
import {Plots} from './ui/plots.js';
import {PredictionPanel} from './ui/prediction.js';
import {bindSheets} from './ui/sheets.js';
import {ToolOptions} from './ui/tool_options.js';
import {WorldSettings} from './ui/world_settings.js';
import {Transport} from './ui/transport.js';
import {Worlds} from './ui/worlds.js';

// Shows why there is no app, and nothing else: no button of the page would do anything.
function fail(title, error, ...more) {
  const box = $('empty');
  box.hidden = false;
  box.classList.remove('waiting');
  box.replaceChildren(el('h1', {}, title), el('p', {}, error.message), ...more);
  document.body.classList.add('failed');
}

const serverless = new URLSearchParams(location.search).has('local') || document.documentElement.hasAttribute('data-local');

try {
  const local = serverless ? await import('./local/client.js') : null;
  const app = new App(local && await local.LocalClient.load());
  app.panels = {
    inspector: new Inspector(app), log: new EventLog(app), layers: new Layers(app), plots: new Plots(app), prediction: new PredictionPanel(app),
    options: new ToolOptions(app), transport: new Transport(app), worlds: new Worlds(app), settings: new WorldSettings(app),
  };
  app.files = new Files(app);
  bindSheets();
  bindHeader(app);
  bindNews(app);
  bindPointer(app);
  bindKeys(app);
  app.start();
  globalThis.carom = app; // for the console, and for tests
  if (serverless) (await import('./local/start.js')).openWanted(app);
} catch (error) {
  if (error instanceof AddressError) {
    fail('This link cannot be opened', error, el('a', {class: 'primary button', href: location.pathname}, 'Show this page’s own server'));
  } else {
    fail('Nothing can be drawn here', error);
    throw error;
  }
}
