// Mouse, pen and fingers over the canvas. One pointer belongs to the tool, or pans if the tool does not take it; two
// pan and zoom; the wheel zooms; the middle and right buttons always pan.

const TAP_PX = 5;
const TOUCH_TAP_PX = 12;
const TAP_MS = 600;
const PICK_PX = 6;
const TOUCH_PICK_PX = 18;
const WHEEL_LINE = 30; // pixels of a wheel line

export function bindPointer(app) {
  const {scene, camera} = app;
  const pointers = new Map(); // id -> {px, py}
  let drag = null; // {id, start, tool (null: panning), moved, since}
  let pinch = null;

  const spot = (event) => {
    const box = scene.getBoundingClientRect();
    return {px: event.clientX - box.left, py: event.clientY - box.top, touch: event.pointerType === 'touch'};
  };
  const pointOf = (event, pick = true) => {
    const {px, py, touch} = spot(event);
    const [x, y] = camera.toWorld(px, py);
    const slack = (touch ? TOUCH_PICK_PX : PICK_PX) / camera.scale;
    return {x, y, px, py, touch, body: pick && app.source ? app.picture.at(x, y, slack) : null};
  };

  function startPinch() {
    const [a, b] = [...pointers.values()];
    pinch = {x: (a.px + b.px) / 2, y: (a.py + b.py) / 2, size: Math.hypot(a.px - b.px, a.py - b.py)};
    if (drag?.tool) app.tool.cancel?.();
    drag = null;
  }

  function movePinch() {
    const [a, b] = [...pointers.values()];
    const next = {x: (a.px + b.px) / 2, y: (a.py + b.py) / 2, size: Math.hypot(a.px - b.px, a.py - b.py)};
    app.following = 0;
    camera.pan(next.x - pinch.x, next.y - pinch.y);
    camera.zoom(next.size / Math.max(1, pinch.size), next.x, next.y, true);
    pinch = next;
  }

  scene.addEventListener('pointerdown', (event) => {
    scene.focus({preventScroll: true});
    scene.setPointerCapture(event.pointerId);
    pointers.set(event.pointerId, spot(event));
    app.touch();
    if (pointers.size === 2) {
      startPinch();
      return;
    }
    if (pointers.size > 2 || drag) return;
    const point = pointOf(event);
    const takes = event.button === 0 && app.session.world !== '' && app.tool.down(point);
    drag = {id: event.pointerId, start: point, tool: takes, moved: false, since: performance.now(),
            button: event.button, last: point};
    scene.dataset.cursor = takes ? scene.dataset.cursor : 'drag';
  });

  scene.addEventListener('pointermove', (event) => {
    app.touch();
    if (pointers.has(event.pointerId)) pointers.set(event.pointerId, spot(event));
    if (pinch) {
      if (pointers.size === 2) movePinch();
      return;
    }
    if (!drag) {
      hover(event);
      return;
    }
    if (event.pointerId !== drag.id) return;
    const point = spot(event);
    const far = Math.hypot(point.px - drag.start.px, point.py - drag.start.py);
    if (!drag.moved && far < (point.touch ? TOUCH_TAP_PX : TAP_PX)) return;
    drag.moved = true;
    if (drag.tool) {
      app.tool.move(pointOf(event));
    } else {
      app.following = 0;
      camera.pan(point.px - drag.last.px, point.py - drag.last.py);
    }
    drag.last = point;
  });

  function hover(event) {
    const point = pointOf(event);
    app.hovered = event.pointerType === 'mouse' ? point.body?.id ?? 0 : 0;
    app.tool.hover?.(point);
    scene.dataset.cursor = app.tool.name === 'hand' ? (point.body ? 'body' : '') : 'cross';
  }

  function release(event, cancelled) {
    pointers.delete(event.pointerId);
    app.touch();
    if (pinch) {
      if (pointers.size < 2) pinch = null;
      return;
    }
    if (!drag || drag.id !== event.pointerId) return;
    const {tool, moved, since, button} = drag;
    drag = null;
    if (cancelled) {
      if (tool) app.tool.cancel?.();
    } else if (tool && moved) {
      app.tool.up(pointOf(event));
    } else if (!moved && button === 0) {
      const point = pointOf(event);
      if (tool) app.tool.tap(point);
      else if (performance.now() - since < TAP_MS) app.choose(point.body?.id ?? 0);
    }
    if (event.pointerType === 'mouse') hover(event);
  }
  scene.addEventListener('pointerup', (event) => release(event, false));
  scene.addEventListener('pointercancel', (event) => release(event, true));
  scene.addEventListener('pointerleave', () => {
    app.hovered = 0;
    app.tool.hover?.(null);
    app.touch();
  });
  scene.addEventListener('dblclick', () => {
    if (app.tool.drawing) app.tool.finish();
    else if (app.tool.name === 'hand' && app.chosen) app.follow(app.chosen);
  });
  scene.addEventListener('contextmenu', (event) => event.preventDefault());
  scene.addEventListener('wheel', (event) => {
    event.preventDefault();
    const {px, py} = spot(event);
    const lines = event.deltaMode === 1 ? WHEEL_LINE : event.deltaMode === 2 ? innerHeight : 1;
    const delta = Math.max(-240, Math.min(240, event.deltaY * lines));
    camera.zoom(Math.exp(-delta * (event.ctrlKey ? 0.01 : 0.0022)), px, py);
    if (app.following) camera.centre(camera.x, camera.y);
    app.touch();
  }, {passive: false});
}
