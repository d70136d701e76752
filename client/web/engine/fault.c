// A failed assertion (common/base/assert.h) in WebAssembly: where it is is kept for JavaScript, and
// the trap ends the call. The call is left in the middle, so the whole instance is of
// no use afterwards; engine.js refuses to go on with it. The file is known by its number:
// engine.faults.txt, beside engine.wasm, has the names.
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

// That of wasi-libc would write to a console first, and so want functions of its host.
_Noreturn void abort(void)
{
    __builtin_trap();
}

const char *carom_fault(void)
{
    return text;
}
