// A counted flag and a time; see standing.h. Any thread.
#include "server/world/message/standing.h"

#include <stdatomic.h>
#include <stdlib.h>

#include "common/base/assert.h"

struct standing {
    atomic_uint references;
    atomic_bool ended;
    _Atomic double expires;
};

standing *standing_create(double expires)
{
    standing *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    atomic_init(&s->references, 1);
    atomic_init(&s->ended, false);
    atomic_init(&s->expires, expires);
    return s;
}

standing *standing_ref(standing *s)
{
    ASSERT(s == NULL || atomic_load(&s->references) > 0);
    if (s != NULL) {
        atomic_fetch_add(&s->references, 1);
    }
    return s;
}

void standing_unref(standing *s)
{
    ASSERT(s == NULL || atomic_load(&s->references) > 0);
    if (s != NULL && atomic_fetch_sub(&s->references, 1) == 1) {
        free(s);
    }
}

void standing_prolong(standing *s, double expires)
{
    if (s != NULL) {
        atomic_store(&s->expires, expires);
    }
}

void standing_end(standing *s)
{
    if (s != NULL) {
        atomic_store(&s->ended, true);
    }
}

bool standing_holds(const standing *s, double now)
{
    if (s == NULL) {
        return true;
    }
    double expires = atomic_load(&s->expires);
    return !atomic_load(&s->ended) && (expires <= 0.0 || now < expires);
}
