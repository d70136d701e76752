// Shared by the fuzz targets.
#ifndef CAROM_TESTS_FUZZ_FUZZ_H
#define CAROM_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>

// libFuzzer's entry: one input. Returns 0. A finding is a crash: assertions (assert.h) state what
// must hold.
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
