// Time that passes when a test says so: setTimeout, performance.now and Date.now for code that is tested
// without waiting. Timers do not keep their order with promises of the system's, only with each other.

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** Puts time into the hands of the test `t`, until it ends. */
export function fakeTime(t) {
  const real = {setTimeout: globalThis.setTimeout, clearTimeout: globalThis.clearTimeout, dateNow: Date.now};
  const timers = new Set();
  let now = 1e6;
  let asleep = 0; // ms that the wall clock knows of, and timers do not
  globalThis.setTimeout = (act, ms = 0) => {
    const timer = {act, due: now + ms, unref: () => timer};
    timers.add(timer);
    return timer;
  };
  globalThis.clearTimeout = (timer) => timers.delete(timer) || real.clearTimeout(timer);
  Date.now = () => now + asleep;
  performance.now = () => now;
  t.after(() => {
    Object.assign(globalThis, {setTimeout: real.setTimeout, clearTimeout: real.clearTimeout});
    Date.now = real.dateNow;
    delete performance.now;
  });
  return {
    /** Lets `ms` pass, timer by timer, and what follows from each happen. */
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
    /** The page is frozen: time goes on, and timers wait until it passes again. */
    freeze(ms) {
      now += ms;
    },
    /** The machine sleeps: the wall clock goes on, timers do not. */
    sleep(ms) {
      asleep += ms;
    },
    /** Milliseconds since 1970, as Date.now says. */
    get wall() {
      return now + asleep;
    },
  };
}
