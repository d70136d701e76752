// How long a test awaits what another process or thread does: longer than any expected event takes
// on a busy machine. tests/support/patience.py has the same for Python.
#ifndef CAROM_TESTS_SUPPORT_PATIENCE_H
#define CAROM_TESTS_SUPPORT_PATIENCE_H

enum { PATIENCE_MS = 240000 };

#endif
