// The worlds of a page without a server: the one that its address names, and links to what was built.
//
//   ?local#scene=demo         a scene that came with the page
//   ?local#recipe=car         a recipe of the cookbook, with its rules
//   ?local#data=…             a scene within the link (link.js)

import {changeAddress} from '../ui/address.js';
import {$, el, toast} from '../ui/dom.js';
import {LINK_CHARS_MAX, STRANGERS, packScene, unpackScene} from './link.js';
import {RECIPES} from './recipes.js';

const NAME = /^[a-z0-9_]{1,32}$/;
const DEMO = 'demo';
const HZ_MAX = 240; // ticks a second of a stranger's scene

/** The arguments of world.create that the address asks for: {world, …}. Throws an error for the visitor. */
export async function wantedWorld(hash = location.hash) {
  const wanted = new URLSearchParams(hash.slice(1, LINK_CHARS_MAX + 1000));
  const [scene, recipe, data] = ['scene', 'recipe', 'data'].map((name) => wanted.get(name));
  if (data !== null) return {world: 'shared', text: await unpackScene(data), limits: {...STRANGERS, hzMax: HZ_MAX}};
  for (const name of [scene, recipe]) if (name !== null && !NAME.test(name)) throw new Error('the link names no scene');
  if (recipe !== null && !Object.hasOwn(RECIPES, recipe)) throw new Error(`there is no recipe “${recipe}”`);
  return recipe !== null ? {world: recipe, recipe} : {world: scene ?? DEMO, scene: scene ?? DEMO};
}

/** Makes the world that the address names, and shows it. */
export async function openWanted(app) {
  const {session} = app;
  try {
    const args = await wantedWorld();
    if (session.worlds.some(({world}) => world === args.world)) await session.client.call('world.destroy', {world: args.world});
    await session.client.call('world.create', args);
    app.address.world = args.world;
    await session.look();
    await session.watch(args.world);
  } catch (error) {
    refuse(app, error);
  }
}

function refuse(app, error) {
  app.refused = true; // the header leaves the box alone until there is a world
  const box = $('empty');
  box.hidden = false;
  box.classList.remove('waiting');
  box.replaceChildren(el('h1', {}, 'This link cannot be opened'), el('p', {}, error.message),
                      el('a', {class: 'primary button', href: new URL('../gallery.html', import.meta.url).href}, 'See the gallery'));
}

/** Puts a link to the watched world, as it is now, into the clipboard. */
export async function shareScene(app) {
  const scene = await app.files.sceneOfWorld();
  if (!scene) return;
  try {
    const url = new URL(location.href);
    url.search = '?local';
    url.hash = `data=${await packScene(scene.text)}`;
    const said = 'A link with this scene, as it is now, is';
    await navigator.clipboard.writeText(url.href).then(() => toast(`${said} in the clipboard`, {note: true}), () => {
      changeAddress(url.href);
      toast(`${said} the address of this page`, {note: true});
    });
  } catch (error) {
    toast(error.message);
  }
}

