/** How long a test waits for another process or a page, in milliseconds. A passing test never waits that long: the
 * bound is for events that never come, and far above the time of a busy machine. (tests/support/patience.py is the
 * same for Python.) */
export const AWAIT_MS = 240000;
