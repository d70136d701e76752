// See pieces.h. One thread.
#include "tests/unit/proto/examples/pieces.h"

#include <stdio.h>

void piece_print(const char *name, const uint8_t *bytes, size_t size, const char *meaning)
{
    printf("{\"name\": \"%s\", \"meaning\": \"%s\", \"hex\": \"", name, meaning);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\"}\n");
}
