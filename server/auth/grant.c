// Tests what a grant allows; see grant.h.
#include "server/auth/grant.h"

#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

grant *grant_create(void)
{
    grant *g = calloc(1, sizeof *g);
    ASSERT_MEMORY(g != NULL);
    g->all_worlds = true;
    memset(&g->limits, 0xff, sizeof g->limits);
    return g;
}

void grant_free(grant *g)
{
    if (g != NULL) {
        free(g->worlds);
        free(g->areas);
        free(g);
    }
}

static bool world_matches(const grant_world *w, const char *name)
{
    return w->prefix ? strncmp(w->text, name, strlen(w->text)) == 0 : strcmp(w->text, name) == 0;
}

bool grant_allows_world(const grant *g, const char *name)
{
    ASSERT(g->world_count == 0 || g->worlds != NULL);
    for (uint32_t i = 0; i < g->world_count; i++) {
        if (world_matches(&g->worlds[i], name)) {
            return true;
        }
    }
    return g->all_worlds;
}

static bool covers_world(const grant *g, const grant_world *w)
{
    for (uint32_t i = 0; i < g->world_count; i++) {
        const grant_world *by = &g->worlds[i];
        if (w->prefix ? by->prefix && world_matches(by, w->text) : world_matches(by, w->text)) {
            return true;
        }
    }
    return false;
}

bool grant_covers(const grant *g, const grant *other)
{
    bool all = g->all_worlds || !other->all_worlds;
    for (uint32_t i = 0; i < other->world_count && all && !g->all_worlds; i++) {
        all = covers_world(g, &other->worlds[i]);
    }
    return all;
}

bool grant_allows_area(const grant *g, const area *a)
{
    ASSERT(g->area_count == 0 || g->areas != NULL);
    for (uint32_t i = 0; i < g->area_count; i++) {
        const area *w = &g->areas[i];
        if (a->x0 >= w->x0 && a->y0 >= w->y0 && a->x1 <= w->x1 && a->y1 <= w->y1) {
            return true;
        }
    }
    return g->area_count == 0;
}

limits grant_lower(const grant *g, const limits *server)
{
    limits lowered = *server;
    for (size_t i = 0; limits_info(i) != NULL; i++) {
        const limit_info *l = limits_info(i);
        uint64_t own = limits_get(&g->limits, l);
        if (own < limits_get(server, l)) {
            ASSERT(l->offset + sizeof own <= sizeof lowered);
            memcpy((char *)&lowered + l->offset, &own, sizeof own);
        }
    }
    return lowered;
}
