// Phaser 4 (and 3.60 or later) for pictures of carom's worlds: game objects that follow bodies, debug drawing, keys and pointer. Nothing is
// imported from Phaser; the program's own scene has all that is needed.
import {Controls, Followers, checkedOptions, checkedScale, checkedView, colourOf, contactsOf, COLOURS, outlineOf, placed, spokeOf, toMetres} from './picture.js';

export {COLOURS, Controls, Followers, outlineOf, toMetres, toPixels} from './picture.js';

const FILL = 0.35; // opacity of filled shapes
const LINE_PX = 2;
const NORMAL_PX = 14; // length of a contact's normal

function checkedScene(scene) {
  if (typeof scene?.add?.graphics === 'function') return scene;
  throw new TypeError('scene: expected a scene of Phaser that has been created (call this in create())');
}

function draw(graphics, {points, closed}, colour, filled) {
  if (closed && filled) graphics.fillStyle(colour, FILL).fillPoints(points, true);
  graphics.lineStyle(LINE_PX, colour, 1).strokePoints(points, closed, closed);
}

/** A game object of a body's shapes, for bodies without pictures of their own. */
export function shapesOf(scene, body, {pixelsPerMetre, colour} = {}) {
  const scale = checkedScale(pixelsPerMetre);
  const graphics = checkedScene(scene).add.graphics();
  for (const shape of body.shapes) {
    const paint = colour ?? colourOf(body, shape);
    draw(graphics, outlineOf(shape, scale), paint, true);
    const spoke = spokeOf(shape, scale);
    if (spoke) draw(graphics, spoke, paint, false);
  }
  return graphics;
}

/** Game objects that follow the bodies of `view`. They are added to `parent`, a Container or Layer, or to the scene. */
export function followBodies(scene, view, options = {}) {
  checkedScene(scene);
  checkedOptions('followBodies', options, ['pixelsPerMetre', 'colour', 'sprite', 'change', 'remove', 'parent']);
  const followers = new Followers(view, options, {
    plain: (body) => shapesOf(scene, body, options),
    put: (object) => options.parent?.add(object),
  });
  scene.events.once('shutdown', () => followers.destroy());
  return followers;
}

/** Shapes and contacts as lines above the picture. `update()` after each advance() of the view. */
export function drawDebug(scene, view, options = {}) {
  const {pixelsPerMetre, parent, shapes = true, contacts = true} = checkedOptions('drawDebug', options, ['pixelsPerMetre', 'parent', 'shapes', 'contacts']);
  checkedView(view);
  const scale = checkedScale(pixelsPerMetre);
  const graphics = checkedScene(scene).add.graphics();
  if (parent) parent.add(graphics);
  else graphics.setDepth(1e6);
  return {
    graphics,
    update() {
      graphics.clear();
      if (!graphics.visible) return;
      for (const body of shapes ? view.drawn() : []) {
        for (const shape of body.shapes) {
          draw(graphics, placed(outlineOf(shape, scale), body.pose, scale), colourOf(body, shape), false);
          const spoke = spokeOf(shape, scale);
          if (spoke) draw(graphics, placed(spoke, body.pose, scale), colourOf(body, shape), false);
        }
      }
      for (const {point: [x, y], normal} of contacts ? contactsOf(view) : []) {
        graphics.fillStyle(COLOURS.contact, 1).fillCircle(x * scale, -y * scale, 3);
        graphics.lineStyle(1, COLOURS.contact, 1)
          .lineBetween(x * scale, -y * scale, x * scale + normal[0] * NORMAL_PX, -y * scale - normal[1] * NORMAL_PX);
      }
    },
    destroy() {
      graphics.destroy();
    },
  };
}

/** Keys, and the scene's pointer in metres, as its main camera shows the world. It ends with the scene. */
export function createControls(scene, options = {}) {
  const {pixelsPerMetre, keys} = checkedOptions('createControls', options, ['pixelsPerMetre', 'keys']);
  const scale = checkedScale(pixelsPerMetre);
  checkedScene(scene);
  const controls = new Controls({keys, pointer() {
    const {activePointer} = scene.input;
    const [x, y] = toMetres(scene.cameras.main.getWorldPoint(activePointer.x, activePointer.y), scale);
    return {x, y, down: activePointer.isDown};
  }});
  scene.events.once('shutdown', () => controls.destroy());
  return controls;
}
