// PixiJS 8 for pictures of carom's worlds: display objects that follow bodies, debug drawing, keys and pointer.
import {Graphics} from 'pixi.js';
import {Controls, Followers, checkedOptions, checkedScale, checkedView, colourOf, contactsOf, COLOURS, outlineOf, placed, spokeOf, toMetres} from './picture.js';

export {COLOURS, Controls, Followers, outlineOf, toMetres, toPixels} from './picture.js';

const FILL = 0.35; // opacity of filled shapes
const LINE_PX = 2;
const NORMAL_PX = 14; // length of a contact's normal

function checkedContainer(container) {
  if (typeof container?.addChild === 'function') return container;
  throw new TypeError('container: expected a Container of PixiJS, such as app.stage');
}

function draw(graphics, {points, closed}, colour, filled) {
  graphics.poly(points, closed);
  if (closed && filled) graphics.fill({color: colour, alpha: FILL}).poly(points, closed);
  graphics.stroke({color: colour, width: LINE_PX});
}

/** A Graphics of a body's shapes, for bodies without pictures of their own. */
export function shapesOf(body, {pixelsPerMetre, colour} = {}) {
  const scale = checkedScale(pixelsPerMetre);
  const graphics = new Graphics();
  for (const shape of body.shapes) {
    const paint = colour ?? colourOf(body, shape);
    draw(graphics, outlineOf(shape, scale), paint, true);
    const spoke = spokeOf(shape, scale);
    if (spoke) draw(graphics, spoke, paint, false);
  }
  return graphics;
}

/** Display objects that follow the bodies of `view`, as children of `container`. */
export function followBodies(container, view, options = {}) {
  checkedContainer(container);
  checkedOptions('followBodies', options, ['pixelsPerMetre', 'colour', 'sprite', 'change', 'remove']);
  return new Followers(view, options, {plain: (body) => shapesOf(body, options), put: (object) => container.addChild(object)});
}

/** Shapes and contacts as lines above the picture. `update()` after each advance() of the view. */
export function drawDebug(container, view, options = {}) {
  const {pixelsPerMetre, shapes = true, contacts = true} = checkedOptions('drawDebug', options, ['pixelsPerMetre', 'shapes', 'contacts']);
  checkedView(view);
  const scale = checkedScale(pixelsPerMetre);
  const graphics = new Graphics();
  checkedContainer(container).addChild(graphics);
  return {
    graphics,
    update() {
      graphics.clear();
      if (!graphics.visible) return;
      container.addChild(graphics); // above the objects that were added since
      for (const body of shapes ? view.drawn() : []) {
        for (const shape of body.shapes) {
          draw(graphics, placed(outlineOf(shape, scale), body.pose, scale), colourOf(body, shape), false);
          const spoke = spokeOf(shape, scale);
          if (spoke) draw(graphics, placed(spoke, body.pose, scale), colourOf(body, shape), false);
        }
      }
      for (const {point: [x, y], normal} of contacts ? contactsOf(view) : []) {
        graphics.circle(x * scale, -y * scale, 3).fill({color: COLOURS.contact});
        graphics.moveTo(x * scale, -y * scale).lineTo(x * scale + normal[0] * NORMAL_PX, -y * scale - normal[1] * NORMAL_PX)
          .stroke({color: COLOURS.contact, width: 1});
      }
    },
    destroy() {
      graphics.destroy();
    },
  };
}

/** Keys, and the pointer in metres, as `container` of the application shows the world. */
export function createControls(app, container, options = {}) {
  const {pixelsPerMetre, keys} = checkedOptions('createControls', options, ['pixelsPerMetre', 'keys']);
  const scale = checkedScale(pixelsPerMetre);
  checkedContainer(container);
  const {canvas} = app;
  let place = null; // place of the pointer, in the renderer's pixels
  let down = false;
  const moved = (event) => {
    const {left, top, width, height} = canvas.getBoundingClientRect();
    place = {x: (event.clientX - left) * app.screen.width / width, y: (event.clientY - top) * app.screen.height / height};
    down = event.buttons !== 0;
  };
  const raised = () => {
    down = false;
  };
  const listeners = [['pointerdown', moved], ['pointermove', moved], ['pointerup', raised], ['pointercancel', raised]];
  for (const [name, action] of listeners) canvas.addEventListener(name, action);
  const controls = new Controls({keys, pointer() {
    if (place === null) return null;
    const [x, y] = toMetres(container.toLocal(place), scale);
    return {x, y, down};
  }});
  const {destroy} = controls;
  controls.destroy = () => {
    for (const [name, action] of listeners) canvas.removeEventListener(name, action);
    destroy.call(controls);
  };
  return controls;
}
