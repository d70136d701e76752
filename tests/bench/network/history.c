// See history.h.
#include "tests/bench/network/history.h"

#include <stdlib.h>

#include "common/base/assert.h"

void history_init(history *h, int ticks_max)
{
    *h = (history){.bodies = malloc((size_t)ticks_max * HISTORY_BODIES_MAX * sizeof *h->bodies)};
    ASSERT(h->bodies != NULL);
}

void history_deinit(history *h)
{
    free(h->bodies);
}

void history_note(history *h, const physics_world *world)
{
    static body_row rows[HISTORY_BODIES_MAX];
    const uint32_t count = world_rows(world, rows, HISTORY_BODIES_MAX);
    ASSERT(h->per_tick == 0 || (int)count == h->per_tick);
    h->per_tick = (int)count;
    for (uint32_t i = 0; i < count; i++) {
        const body_row *r = &rows[i];
        h->bodies[(size_t)h->ticks * count + i] = (packed_body){r->id,
                                                                r->position.x,
                                                                r->position.y,
                                                                (double)r->angle,
                                                                (double)r->velocity.x,
                                                                (double)r->velocity.y,
                                                                (double)r->angular_velocity};
    }
    h->ticks++;
}
