// Files of worlds: images and scenes, chosen or dropped on the page; and the scene file of the watched world.

import {whyNever} from '../edit/rights.js';
import {applyScene, FILE_BYTES_MAX, loadScene} from '../scene/load.js';
import {sceneText} from '../scene/export.js';
import {$, download, toast} from './dom.js';
import {freeName} from './names.js';

const NAME_SHOWN = 60; // characters of a file's name
const SCENE_ENDING = '.json';
const IMAGE_MAGIC = new TextEncoder().encode('caromWLD'); // each image begins with it (common/physics/image/image.c)

export class Files {
  constructor(app) {
    this.app = app;
    $('image-file').addEventListener('change', () => {
      const [file] = $('image-file').files;
      $('image-file').value = '';
      if (file) this.load(file);
    });
    addEventListener('dragover', (event) => {
      if (![...event.dataTransfer?.types ?? []].includes('Files')) return;
      event.preventDefault();
      event.dataTransfer.dropEffect = 'copy';
      document.body.classList.add('dropping');
    });
    addEventListener('dragleave', (event) => {
      if (!event.relatedTarget) document.body.classList.remove('dropping');
    });
    addEventListener('drop', (event) => {
      document.body.classList.remove('dropping');
      const [file, ...more] = event.dataTransfer?.files ?? [];
      if (!file) return;
      event.preventDefault();
      if (more.length > 0) toast('One file makes one world: drop them one by one');
      else this.load(file);
    });
  }

  /** Makes a world of a file: a scene if its name ends in .json, else an image. */
  async load(file) {
    const {session} = this.app;
    const why = whyNever(this.app, 'world.create');
    if (why) {
      toast(`${file.name.slice(0, NAME_SHOWN)}: no world is made of it. ${why}`);
      return;
    }
    const stem = file.name.replace(/\.[^.]*$/, '').replace(/-\d+$/, '');
    if (file.name.toLowerCase().endsWith(SCENE_ENDING)) {
      if (file.size > FILE_BYTES_MAX) toast(`${file.name} has ${file.size} bytes; a scene file has at most ${FILE_BYTES_MAX}`);
      else await this.openScene(await file.text(), stem, file.name);
      return;
    }
    const bytes = new Uint8Array(await file.slice(0, IMAGE_MAGIC.length).arrayBuffer());
    if (IMAGE_MAGIC.some((code, i) => bytes[i] !== code)) {
      toast(`${file.name.slice(0, NAME_SHOWN)} is no world: a file is an image that was saved here or by ‘carom save’, or a scene whose name ends in ${SCENE_ENDING}`);
      return;
    }
    const most = session.client.hello?.limits?.message_bytes ?? Infinity;
    if (file.size >= most) toast(`${file.name} has ${file.size} bytes; the server takes messages of ${most}`);
    else await this.app.panels.worlds.openImage(new Uint8Array(await file.arrayBuffer()), stem);
  }

  /** Makes a world of a scene's text, and goes to it. `where`: the file's name, for errors. Returns its name, or undefined. */
  async openScene(text, stem, where = stem) {
    const {session} = this.app;
    if (session.offline()) return undefined;
    const {client} = session;
    let world;
    try {
      const scene = loadScene(text);
      world = freeName(scene.name || stem, session.worlds);
      await this.#make(client, world, scene);
    } catch (error) {
      toast(`${where}: ${error.message}`);
      return undefined;
    }
    this.app.panels.worlds.close();
    await this.app.visit(world);
    session.look();
    toast(`“${world}” is made of ${where}`, {note: true});
    return world;
  }

  // The world stands until all of the scene is in it, and ends if the server refuses a part.
  async #make(client, world, scene) {
    await client.call('world.create', {world, ...scene.world, paused: true});
    try {
      await applyScene(scene, async (commands) => (await client.call('world.apply', {world, commands})).results);
      await client.call('world.resume', {world});
    } catch (error) {
      await client.call('world.destroy', {world}).catch(() => {}); // the first error is the one to report
      throw error;
    }
  }

  /** Writes the watched world to a scene file. */
  async exportScene() {
    const made = await this.sceneOfWorld();
    if (!made) return;
    const {world} = this.app.session;
    download(made.text, `${world}${SCENE_ENDING}`);
    const note = made.changed > 0 ? `; ${made.changed} tags that begin with “=” have a space before it` : '';
    toast(`Exported “${world}” as a scene${note}`, {note: true});
  }

  /** The watched world as a scene: {text, changed}; undefined after an error, which is shown. */
  async sceneOfWorld() {
    const {session, camera} = this.app;
    if (session.offline()) return undefined;
    const {client, world} = session;
    try {
      const [info, state] = await Promise.all([client.call('world.info', {world}), client.call('world.state', {world})]);
      return sceneText({name: world, info, state, view: camera.area()});
    } catch (error) {
      toast(error.message);
      return undefined;
    }
  }
}
