// A full snapshot and five changes, with the values that the decoder found; see packed_example.h.
#include "tests/unit/proto/examples/packed_example.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "common/base/assert.h"
#include "proto/packed/packed.h"
#include "proto/wire/buffer.h"

enum { MEANING_MAX = 400, BYTES_MAX = 1 << 16, BODIES = 3, SNAPSHOTS = 6 };

typedef struct words {
    char text[MEANING_MAX];
    int size;
} words;

__attribute__((format(printf, 2, 3))) static void say(words *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->size += vsnprintf(w->text + w->size, (size_t)(MEANING_MAX - w->size), format, list);
    va_end(list);
    ASSERT(w->size < MEANING_MAX);
}

static void say_ids(words *w, const char *what, const uint64_t *ids, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        say(w, "; %s %llu", what, (unsigned long long)ids[i]);
    }
}

static void say_changes(words *w, const packed_changes *c)
{
    const packed_precision p = packed_precision_default();
    const double turn = 2.0 * 3.14159265358979323846;
    say(w, "%s tick %llu", c->full ? "full," : "change to", (unsigned long long)c->tick);
    say_ids(w, "removed", c->removed, c->removed_count);
    say_ids(w, "left", c->left, c->left_count);
    say_ids(w, "entered", c->entered, c->entered_count);
    for (uint32_t i = 0; i < c->body_count; i++) {
        const packed_body *b = &c->bodies[i];
        say(w, "; body %llu: q = %.0f, %.0f, %.0f", (unsigned long long)b->id,
            b->x * p.position_steps, b->y * p.position_steps, b->angle * p.angle_steps / turn);
    }
}

// The state at each of the six ticks. Body 2 falls.
static uint32_t state_at(int snapshot, packed_body *bodies)
{
    const double fall = 0.5 * 9.81 * (snapshot + 1) * (snapshot + 2) / 3600.0;
    uint32_t count = 0;
    bodies[count++] = (packed_body){.id = 1, .y = -0.5};
    if (snapshot < 3) {
        bodies[count++] = (packed_body){.id = 2, .x = 0.25, .y = 3.0 - fall, .angle = 0.5};
    }
    if (snapshot >= 2) {
        bodies[count++] = (packed_body){.id = 1 << 24 | 3,
                                        .x = snapshot < 4 ? -2.0 : -2.25 - 0.25 * (snapshot - 4),
                                        .y = 1.0,
                                        .angle = -0.25};
    }
    return count;
}

void packed_example(void (*print)(const char *name, const uint8_t *bytes, size_t size,
                                  const char *meaning))
{
    static const uint64_t REMOVED[] = {2};
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_decoder *d = packed_decoder_create();
    ASSERT(d != NULL);
    buffer bytes;
    buffer_init(&bytes, BYTES_MAX);
    for (int i = 0; i < SNAPSHOTS; i++) {
        packed_body bodies[BODIES];
        const uint32_t count = state_at(i, bodies);
        buffer_clear(&bytes);
        const bool held[BODIES] = {false, i == 4}; // body 3 has moved, and is left out
        packed_encode_part(e, 100 + (uint64_t)i, bodies, held, count, REMOVED, i == 3, &bytes);
        if (i == 0) {
            buffer_clear(&bytes);
            packed_encode_full(e, &bytes);
        }
        packed_changes changes;
        error err;
        words w = {.size = 0};
        const status s = packed_decode(d, bytes.data, bytes.size, &changes, &err);
        ASSERT(s == STATUS_OK);
        say_changes(&w, &changes);
        print("packed", bytes.data, bytes.size, w.text);
    }
    buffer_deinit(&bytes);
    packed_decoder_destroy(d);
    packed_encoder_destroy(e);
}
