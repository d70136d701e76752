// A world's rules and seats within its image: their bytes, and what follows them. Images of worlds
// without them do not have these parts.
#include <stdlib.h>

#include "common/base/assert.h"
#include "common/physics/image/image_records.h"
#include "common/physics/image/image_stream.h"
#include "common/physics/state/kept_record.h"
#include "common/physics/state/world.h"

void rules_write(image_stream *s, physics_world *world)
{
    stream_u32(s, &world->rules.size, WORLD_RULES_BYTES_MAX, "bytes of rules");
    stream_bytes(s, world->rules.bytes, world->rules.size);
    stream_bool(s, &s->with_data);
}

static void read_bytes(image_stream *s, kept_record *to, kept_kind kind, uint32_t most,
                       const char *what)
{
    uint32_t size = 0;
    stream_u32(s, &size, most, what);
    stream_expect(s, size > 0, "no rules or seats where there must be some");
    size = s->failed ? 0 : size;
    uint8_t *bytes = malloc(size + (size == 0));
    ASSERT_MEMORY(bytes != NULL);
    stream_bytes(s, bytes, size);
    if (!s->failed) {
        kept_replace(to, kind, bytes, size);
    }
    free(bytes);
}

void rules_read(image_stream *s, physics_world *world)
{
    read_bytes(s, &world->rules, KEPT_RULES, WORLD_RULES_BYTES_MAX, "bytes of rules");
    stream_bool(s, &s->with_data);
}

void seats_write(image_stream *s, physics_world *world)
{
    stream_u32(s, &world->seats.size, WORLD_SEATS_BYTES_MAX, "bytes of seats");
    stream_bytes(s, world->seats.bytes, world->seats.size);
    stream_bool(s, &s->with_rules);
    stream_bool(s, &s->with_data);
}

void seats_read(image_stream *s, physics_world *world)
{
    read_bytes(s, &world->seats, KEPT_SEATS, WORLD_SEATS_BYTES_MAX, "bytes of seats");
    stream_bool(s, &s->with_rules);
    stream_bool(s, &s->with_data);
}
