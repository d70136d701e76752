// Knockout as a player has it: a page in Chromium, a server at a distance, and the time from a key to the frame in which
// the player's own disc has moved; in the same page with prediction and without (the panel's picture beside it).

const SETTLED_MS = 12_000; // pings and margins of the distance have arrived

// In the page: makes `bench`, with which keys are pressed and the player's own disc is seen in both pictures.
function install() {
  const HELD_MS = 100;
  const STILL_M = 0.001;
  const STILL_MS = 300;
  const TRY_MS = 4000;
  const frame = () => new Promise(requestAnimationFrame);
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const key = (type, name) => dispatchEvent(new KeyboardEvent(type, {key: name, bubbles: true}));
  const places = {predicted: () => game.view.bodies.get(game.disc)?.pose, plain: () => game.panel.beside?.bodies.get(game.disc)?.pose};

  // The disc's place in each picture; NaN where it has none.
  function seen() {
    return Object.fromEntries(Object.entries(places).map(([picture, place]) => {
      const {x = NaN, y = NaN} = place() ?? {};
      return [picture, {x, y}];
    }));
  }

  const apart = (a, b) => Math.max(...Object.keys(places).map((picture) => Math.hypot(a[picture].x - b[picture].x, a[picture].y - b[picture].y)));

  // Puts the disc in the middle and waits until it stands there in both pictures; a rock may push it off meanwhile.
  async function rest() {
    for (;;) {
      await game.world.body.set({body: game.disc, position: [0, 0], velocity: [0, 0]}).catch(() => {}); // it went over the rim just now
      const begun = performance.now();
      let [since, from] = [begun, seen()];
      while (performance.now() - begun < TRY_MS) {
        await frame();
        const now = seen();
        if (!(apart(from, now) < STILL_M)) [since, from] = [performance.now(), now];
        const middle = Math.max(...Object.values(now).map(({x, y}) => Math.hypot(x, y)));
        if (middle < 0.1 && performance.now() - since >= STILL_MS) return from;
      }
    }
  }

  // Presses a key at some moment of a frame, when the disc stands still; `press` counts. Returns where it stood, and when it was.
  async function press(count) {
    const from = await rest();
    await sleep((count * 6.1) % 16.7);
    const [name, direction] = count % 2 === 0 ? ['ArrowLeft', -1] : ['ArrowRight', 1];
    const pressed = performance.now();
    key('keydown', name);
    setTimeout(() => key('keyup', name), HELD_MS);
    return {from, pressed, direction};
  }

  globalThis.bench = {frame, press, seen};
}

// In the page: presses keys, and times both pictures.
async function pressKeys(presses) {
  const MOVED_M = 0.005;
  const KEY_MS_MAX = 5000;
  const times = {predicted: [], plain: []};
  for (let i = 0; i < presses; i++) {
    const {from, pressed} = await bench.press(i);
    const moved = {};
    while (Object.keys(moved).length < 2 && performance.now() - pressed < KEY_MS_MAX) {
      await bench.frame();
      for (const [picture, now] of Object.entries(bench.seen())) {
        if (Math.hypot(now.x - from[picture].x, now.y - from[picture].y) > MOVED_M) moved[picture] ??= performance.now() - pressed;
      }
    }
    for (const picture of Object.keys(times)) times[picture].push(moved[picture] ?? Infinity);
  }
  for (const list of Object.values(times)) list.sort((a, b) => a - b);
  return {...times, figures: game.view.figures};
}

/** Opens the game in a page, with the picture without prediction beside it, for `play(page)`, and returns what that returns. */
export async function openKnockout({browser, pages, startCaromd, newPage, until}, play) {
  const server = await startCaromd(['--origin', pages.origin]);
  const page = await newPage(browser, {viewport: {width: 700, height: 600}});
  try {
    await page.goto(`${pages.origin}/examples/knockout/?server=${encodeURIComponent(`ws://127.0.0.1:${server.port}/rpc`)}#name=Ada`);
    await until(page, () => game.disc !== 0 && game.panel && game.view.bodies.has(game.disc));
    await page.keyboard.press('d');
    await page.getByLabel('without prediction').check();
    await until(page, () => game.panel.beside?.bodies.has(game.disc));
    await page.evaluate(install);
    return await play(page);
  } finally {
    await page.context().close();
    await server.stop();
  }
}

/** {predicted, plain}: sorted milliseconds; figures: those of the prediction. */
export function measureKnockout({delayMs, stall, presses, ...rig}) {
  return openKnockout(rig, async (page) => {
    await page.evaluate((distance) => Object.assign(game.distance, distance), {delayMs, stall});
    await new Promise((resolve) => setTimeout(resolve, SETTLED_MS));
    return page.evaluate(pressKeys, presses);
  });
}
