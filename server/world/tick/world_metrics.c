// A list under a lock, the latest world first; see world_metrics.h. Any thread.
#include "server/world/tick/world_metrics.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static world_metrics *first;

world_metrics *world_metrics_open(const char *name)
{
    world_metrics *m = calloc(1, sizeof *m);
    ASSERT_MEMORY(m != NULL);
    ASSERT(strlen(name) < sizeof m->name);
    memcpy(m->name, name, strlen(name) + 1);
    pthread_mutex_lock(&lock);
    for (world_metrics *other = first; other != NULL; other = other->next) {
        other->superseded = other->superseded || strcmp(other->name, name) == 0;
    }
    m->next = first;
    first = m;
    pthread_mutex_unlock(&lock);
    return m;
}

void world_metrics_close(world_metrics *m)
{
    if (m == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    world_metrics **link = &first;
    while (*link != m) {
        link = &(*link)->next;
    }
    *link = m->next;
    pthread_mutex_unlock(&lock);
    free(m);
}

void world_metrics_each(void (*visit)(const world_metrics *m, void *context), void *context)
{
    pthread_mutex_lock(&lock);
    for (const world_metrics *m = first; m != NULL; m = m->next) {
        if (!m->superseded) {
            visit(m, context);
        }
    }
    pthread_mutex_unlock(&lock);
}
