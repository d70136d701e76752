"""How long a test awaits what another process does. Nobody waits where all is well: the bound is for what never comes,
and far above what a sanitizer takes on a machine that is busy with other work."""

SECONDS_MAX = 240
