// A counted flag, a time and a key, in a list of all; see standing.h. Any thread.
#include "server/world/message/standing.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

struct standing {
    atomic_uint references;
    atomic_bool ended;
    _Atomic double expires;
    // Under the mutex.
    const void *server;
    uint64_t session;
    bool has_key;
    uint8_t key[STANDING_KEY_BYTES];
    standing *before, *after; // neighbours in the list; NULL at its ends
};

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static standing *first; // head of the list

static void rest_on(standing *s, const standing_basis *basis)
{
    atomic_store(&s->expires, basis->expires);
    s->server = basis->server;
    s->session = basis->session;
    s->has_key = basis->key != NULL;
    if (s->has_key) {
        memcpy(s->key, basis->key, sizeof s->key);
    }
}

standing *standing_create(const standing_basis *basis)
{
    standing *s = calloc(1, sizeof *s);
    ASSERT_MEMORY(s != NULL);
    atomic_init(&s->references, 1);
    atomic_init(&s->ended, false);
    pthread_mutex_lock(&mutex);
    rest_on(s, basis);
    s->after = first;
    if (first != NULL) {
        first->before = s;
    }
    first = s;
    pthread_mutex_unlock(&mutex);
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
    if (s == NULL || atomic_fetch_sub(&s->references, 1) > 1) {
        return;
    }
    pthread_mutex_lock(&mutex);
    *(s->before != NULL ? &s->before->after : &first) = s->after;
    if (s->after != NULL) {
        s->after->before = s->before;
    }
    pthread_mutex_unlock(&mutex);
    free(s);
}

void standing_renew(standing *s, const standing_basis *basis)
{
    if (s != NULL) {
        pthread_mutex_lock(&mutex);
        rest_on(s, basis);
        pthread_mutex_unlock(&mutex);
    }
}

void standing_end_keys(const void *server, bool (*has)(const void *context, const uint8_t *key),
                       const void *context)
{
    pthread_mutex_lock(&mutex);
    for (standing *s = first; s != NULL; s = s->after) {
        if (s->server == server && s->has_key && !has(context, s->key)) {
            standing_end(s);
        }
    }
    pthread_mutex_unlock(&mutex);
}

uint32_t standing_end_session(const void *server, uint64_t session)
{
    uint32_t ended = 0;
    pthread_mutex_lock(&mutex);
    for (standing *s = first; s != NULL; s = s->after) {
        if (s->server == server && s->session == session && !atomic_load(&s->ended)) {
            standing_end(s);
            ended++;
        }
    }
    pthread_mutex_unlock(&mutex);
    return ended;
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
