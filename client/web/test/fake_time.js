// Time that passes when a test says so: setTimeout, performance.now and Date.now for code that is tested without
// waiting. Timers keep their order among each other, but not with promises of the system.

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Lets the test `t` control time, until it ends. */
export function fakeTime(t) {
  const real = {setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, dateNow: Date.now};
  const timers = new Set();
  let now = 1e6;
  let asleep = 0; // ms that passed for the wall clock but not for timers
  globalThis.setTimeout = (act, ms = 0) => {
    const timer = {act, due: now + ms, unref: () => timer};
    timers.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => timers.delete(timer) || real.clearTimeout(timer);
  Date.now = () => now + asleep;
  // Node 18 lets nobody assign to it.
  Object.defineProperty(performance, 'now', {value: () => now, configurable: true, writable: true});
  t.after(() => {
    Object.assign(globalThis, {setTimeout: real.setTimeout, clearTimeout: real.clearTimeout});
    Date.now = real.dateNow;
    delete performance.now;
  });
  return {
    /** Lets `ms` pass, timer by timer, and the effects of each happen. */
    async pass(ms = 0) {
      const end = now + ms;
      await settled();
      for (;;) {
        const next = [...timers].filter((timer) => timer.due <= end).sort((a, b) => a.due - b.due)[0];
        if (next === undefined) break;
        timers.delete(next);
        now = Math.max(now, next.due);
        next.act();
        await settled();
      }
      now = end;
    },
    /** Freezes the page: time passes, and timers wait until the next pass(). */
    freeze(ms) {
      now += ms;
    },
    /** Lets the machine sleep: the wall clock continues, timers do not. */
    sleep(ms) {
      asleep += ms;
    },
    /** Milliseconds since 1970, as Date.now gives them. */
    get wall() {
      return now + asleep;
    },
  };
}
