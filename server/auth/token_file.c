// See token_file.h.
#include "server/auth/token_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/limits.h"

static bool is_token(const char *text, size_t size)
{
    bool visible = size > 0 && size <= WIRE_TOKEN_BYTES_MAX;
    for (size_t i = 0; visible && i < size; i++) {
        visible = text[i] > ' ' && text[i] <= '~';
    }
    return visible;
}

status token_file_read(const char *path, char **out, error *err)
{
    FILE *file = fopen(path, "rbe");
    if (file == NULL) {
        return error_set(err, STATUS_UNAVAILABLE, "'%.200s': %s", path, strerror(errno));
    }
    char *text = calloc(1, WIRE_TOKEN_BYTES_MAX + 3); // a line end, one byte too many, and a zero
    ASSERT_MEMORY(text != NULL);
    size_t size = fread(text, 1, WIRE_TOKEN_BYTES_MAX + 2, file);
    (void)fclose(file);
    if (size > 0 && text[size - 1] == '\n') {
        text[--size] = '\0';
    }
    if (!is_token(text, size)) {
        free(text);
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "'%.200s' must have a token alone: 1 to %d visible characters", path,
                         WIRE_TOKEN_BYTES_MAX);
    }
    *out = text;
    return STATUS_OK;
}
