// Knockout as a player has it: a page in Chromium, a server at a distance, and the time from a key to the frame in which
// the own disc has moved; in the same page with prediction and without (the panel's picture beside it).

const REST_MS = 900; // pause after a key, until the disc is nearly at rest
const SETTLED_MS = 12_000; // pings and margins of the distance have come

// In the page: presses keys, and times both pictures.
async function pressKeys([presses, restMs]) {
  const MOVED_M = 0.005;
  const KEY_MS_MAX = 5000;
  const HELD_MS = 100;
  const frame = () => new Promise(requestAnimationFrame);
  const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
  const pictures = {predicted: () => game.view.bodies.get(game.disc)?.pose, plain: () => game.panel.beside?.bodies.get(game.disc)?.pose};
  const times = {predicted: [], plain: []};
  const key = (type, name) => dispatchEvent(new KeyboardEvent(type, {key: name, bubbles: true}));
  for (let i = 0; i < presses; i++) {
    await game.world.body.set({body: game.disc, position: [0, 0], velocity: [0, 0]}).catch(() => {}); // it went over the rim just now
    await sleep(restMs + 2 * game.client.clock.lastRtt);
    await frame();
    const from = Object.fromEntries(Object.entries(pictures).map(([name, pose]) => [name, {...pose()}]));
    await sleep((i * 6.1) % 16.7); // keys come at any moment of a frame
    const pressed = performance.now();
    const name = i % 2 === 0 ? 'ArrowLeft' : 'ArrowRight';
    key('keydown', name);
    setTimeout(() => key('keyup', name), HELD_MS);
    const moved = {};
    while (Object.keys(moved).length < 2 && performance.now() - pressed < KEY_MS_MAX) {
      await frame();
      for (const [picture, pose] of Object.entries(pictures)) {
        const now = pose();
        const away = now ? Math.hypot(now.x - from[picture].x, now.y - from[picture].y) : 0;
        if (away > MOVED_M) moved[picture] ??= performance.now() - pressed;
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
    return page.evaluate(pressKeys, [presses, REST_MS]);
  });
}
