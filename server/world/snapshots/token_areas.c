// Cutting areas with those of a token; see token_areas.h. The world's thread.
#include "server/world/snapshots/token_areas.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

token_areas *token_areas_create(const area *areas, uint32_t count)
{
    if (count == 0) {
        return NULL;
    }
    token_areas *s = malloc(sizeof *s + count * sizeof *areas);
    ASSERT_MEMORY(s != NULL);
    s->references = 1;
    s->count = count;
    memcpy(s->areas, areas, count * sizeof *areas);
    return s;
}

token_areas *token_areas_ref(token_areas *s)
{
    if (s != NULL) {
        s->references++;
    }
    return s;
}

void token_areas_unref(token_areas *s)
{
    ASSERT(s == NULL || s->references > 0);
    if (s != NULL && --s->references == 0) {
        free(s);
    }
}

bool token_areas_has(const token_areas *s, vec2d place)
{
    const area point = {place.x, place.y, place.x, place.y};
    area part;
    for (uint32_t i = 0; i < token_areas_parts(s); i++) {
        if (token_areas_part(s, &point, i, &part)) {
            return true;
        }
    }
    return false;
}

uint32_t token_areas_parts(const token_areas *s)
{
    return s == NULL ? 1 : s->count;
}

bool token_areas_part(const token_areas *s, const area *a, uint32_t index, area *out)
{
    ASSERT(index < token_areas_parts(s));
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

int token_areas_compare(const token_areas *a, const token_areas *b)
{
    const uint32_t count_a = a == NULL ? 0 : a->count;
    const uint32_t count_b = b == NULL ? 0 : b->count;
    if (count_a != count_b || a == b) {
        return (count_a > count_b) - (count_a < count_b);
    }
    return memcmp(a->areas, b->areas, count_a * sizeof *a->areas);
}
