// Pauses between attempts to connect: each is twice as long as the previous one, up to a maximum, and half of it is
// random, so that the clients of a restarted server do not all connect at once.

export const FIRST_MS = 100;
export const MAX_MS = 5000;

/** The pause before attempt number `attempt` (from 0) [ms]. `random` is from 0 to 1. */
export function pauseMs(attempt, {firstMs = FIRST_MS, maxMs = MAX_MS} = {}, random = Math.random()) {
  const pause = Math.min(maxMs, firstMs * 2 ** Math.min(attempt, 30));
  return pause / 2 + (random * pause) / 2;
}
