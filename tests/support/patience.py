"""How long a test waits for another process. A passing test never waits that long: the bound is for events that never
come, and far above the time of a sanitizer on a busy machine."""

import time

SECONDS_MAX = 240


def eventually(condition, pause=0.01):
    """Waits until the condition returns a true value; returns that."""
    end = time.monotonic() + SECONDS_MAX
    while not (value := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"not seen in {SECONDS_MAX} s")
        time.sleep(pause)
    return value


def attempts(pause=0.05):
    """Yields until the patience ends, with a pause between: `for _ in attempts(): if …: break`."""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        yield
        time.sleep(pause)
