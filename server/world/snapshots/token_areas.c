// Cutting areas with those of a token; see token_areas.h. The world's thread.
#include "server/world/snapshots/token_areas.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

sight *sight_create(const area *areas, uint32_t count)
{
    if (count == 0) {
        return NULL;
    }
    sight *s = malloc(sizeof *s + count * sizeof *areas);
    ASSERT_MEMORY(s != NULL);
    s->references = 1;
    s->count = count;
    memcpy(s->areas, areas, count * sizeof *areas);
    return s;
}

sight *sight_ref(sight *s)
{
    if (s != NULL) {
        s->references++;
    }
    return s;
}

void sight_unref(sight *s)
{
    if (s != NULL && --s->references == 0) {
        free(s);
    }
}

bool sight_has(const sight *s, vec2d place)
{
    const area point = {place.x, place.y, place.x, place.y};
    area part;
    for (uint32_t i = 0; i < sight_parts(s); i++) {
        if (sight_part(s, &point, i, &part)) {
            return true;
        }
    }
    return false;
}

uint32_t sight_parts(const sight *s)
{
    return s == NULL ? 1 : s->count;
}

bool sight_part(const sight *s, const area *a, uint32_t index, area *out)
{
    *out = *a;
    if (s != NULL) {
        const area *b = &s->areas[index];
        out->x0 = a->x0 > b->x0 ? a->x0 : b->x0;
        out->y0 = a->y0 > b->y0 ? a->y0 : b->y0;
        out->x1 = a->x1 < b->x1 ? a->x1 : b->x1;
        out->y1 = a->y1 < b->y1 ? a->y1 : b->y1;
    }
    return out->x0 <= out->x1 && out->y0 <= out->y1;
}

int sight_compare(const sight *a, const sight *b)
{
    const uint32_t count_a = a == NULL ? 0 : a->count;
    const uint32_t count_b = b == NULL ? 0 : b->count;
    if (count_a != count_b || a == b) {
        return (count_a > count_b) - (count_a < count_b);
    }
    return memcmp(a->areas, b->areas, count_a * sizeof *a->areas);
}
