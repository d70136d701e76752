// A failed assertion (common/base/assert.h) in WebAssembly: its place is kept for JavaScript, and a
// trap ends the call. The trap leaves the state inconsistent, so the instance is unusable
// afterwards and engine.js rejects further calls. The file is reported by its number:
// engine.faults.txt, beside engine.wasm, lists the names.
#include <stdio.h>
#include <stdlib.h>

#include "client/web/engine/engine.h"
#include "common/base/assert.h"

enum { TEXT_BYTES = 64 };

static char text[TEXT_BYTES];

_Noreturn void assert_fail_at(int file, int line)
{
    snprintf(text, sizeof text, "line %d of file %d of engine.faults.txt", line, file);
    __builtin_trap();
}

// wasi-libc's abort() writes to a console first, and so imports functions of the host.
_Noreturn void abort(void)
{
    __builtin_trap();
}

const char *carom_fault(void)
{
    return text;
}
