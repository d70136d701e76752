// Scene files: an accepted scene must unroll to whole commands within the limits, be split into
// chunks that contain each command once, and refer only to earlier commands.
#include <msgpack.h>
#include <stdlib.h>

#include "common/base/assert.h"
#include "proto/wire/scanner.h"
#include "proto/scene/scene.h"
#include "tests/fuzz/fuzz.h"

static void scan(const buffer *bytes)
{
    scanner_limits limits = {
        .bytes_max = SCENE_BYTES_MAX, .depth_max = WIRE_DEPTH_MAX, .values_max = SCENE_BYTES_MAX};
    scanner s;
    scanner_init(&s, &limits);
    size_t used;
    scan_verdict verdict = scanner_feed(&s, bytes->data, bytes->size, &used, NULL);
    ASSERT(verdict == SCAN_MESSAGE && used == bytes->size);
}

static void deliver(const scene *s)
{
    uint64_t *ids = calloc(s->command_count + (size_t)1, sizeof *ids);
    ASSERT(ids != NULL);
    uint32_t first = 0;
    uint32_t count;
    do {
        buffer bytes;
        buffer_init(&bytes, SCENE_BYTES_MAX);
        count = scene_next_chunk(s, first, ids, 4096, &bytes);
        scan(&bytes);
        buffer_deinit(&bytes);
        for (uint32_t i = first; i < first + count; i++) {
            ids[i] = UINT64_C(0x1FFFFFFFFFFFFF) - i;
        }
        first += count;
    } while (count > 0);
    ASSERT(first == s->command_count);
    free(ids);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    scene s;
    error err;
    if (scene_load_text((const char *)data, size, "file", &s, &err) == STATUS_OK) {
        ASSERT(s.command_count <= SCENE_COMMANDS_MAX);
        deliver(&s);
        scene_deinit(&s);
    } else {
        ASSERT(err.text[0] != '\0');
    }
    return 0;
}
