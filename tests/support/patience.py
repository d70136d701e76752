"""How long a test waits for another process. A passing test never waits that long: the bound is for events that never
come, and far above the time of a sanitizer on a busy machine."""

import time

SECONDS_MAX = 240


def attempts(pause=0.05):
    """Yields until the patience ends, with a pause between: `for _ in attempts(): if …: break`."""
    end = time.monotonic() + SECONDS_MAX
    while time.monotonic() < end:
        yield
        time.sleep(pause)
