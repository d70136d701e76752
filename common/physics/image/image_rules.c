// A world's rules within its image: their bytes, and whether data follow. Images of worlds without
// rules do not have this part.
#include "common/physics/image/image_records.h"
#include "common/physics/image/image_stream.h"
#include "common/physics/state/rules_record.h"
#include "common/physics/state/world.h"

void rules_write(image_stream *s, physics_world *world)
{
    stream_u32(s, &world->rules.size, WORLD_RULES_BYTES_MAX, "bytes of rules");
    stream_bytes(s, world->rules.bytes, world->rules.size);
    stream_bool(s, &s->with_data);
}

void rules_read(image_stream *s, physics_world *world)
{
    uint8_t bytes[WORLD_RULES_BYTES_MAX];
    uint32_t size = 0;
    stream_u32(s, &size, sizeof bytes, "bytes of rules");
    stream_expect(s, size > 0, "no rules where there must be some");
    stream_bytes(s, bytes, s->failed ? 0 : size);
    stream_bool(s, &s->with_data);
    if (!s->failed) {
        rules_replace(&world->rules, bytes, size);
    }
}
