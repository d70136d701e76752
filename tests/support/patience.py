"""How long a test waits for another process. A passing test never waits that long: the bound is for events that never
come, and far above the time of a sanitizer on a busy machine."""

SECONDS_MAX = 240
