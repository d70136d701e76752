// The way to the next server while this one still serves: the client asks who stands by for its
// worlds, and connects there ahead of need; see follow.h. One thread at a time.
#include <string.h>

#include "client/lib/client.h"
#include "client/lib/follow.h"

enum {
    NAMED_MS = 5000, // time to the next question: a world's standby changes with its servers
    SOON_MS = 500    // the same for a replicated world that has none yet
};

static bool asks(const carom_client *c)
{
    const carom_options *options = &c->front->options;
    return options->reconnect.on && !options->follow.off && c->state == CAROM_OPEN &&
           c->standby.request == 0 && follow_lasting_world(c, 0) != NULL;
}

static carom_client *asker_of(carom_client *front, uint64_t request)
{
    if (front->standby.request == request) {
        return front;
    }
    for (uint32_t i = 0; i < front->follow.links.count; i++) {
        if (front->follow.links.data[i]->standby.request == request) {
            return front->follow.links.data[i];
        }
    }
    return NULL;
}

// The answer itself has opened the connection: follow_answered.
static void on_standby(carom_client *front, uint64_t request, const carom_value *result,
                       const carom_error *why, void *user)
{
    (void)user;
    (void)why;
    carom_client *c = asker_of(front, request);
    if (c == NULL) { // its connection has become another client's
        return;
    }
    const bool replicated = strcmp(carom_get_str(result, "durability", ""), "replicated") == 0;
    const bool named = carom_get_str(result, "standby", "")[0] != '\0';
    standby_state *s = &c->standby;
    s->request = 0;
    s->vain = replicated ? 0 : s->vain + 1;
    s->due_ns = deadline_after_ms(replicated && !named ? SOON_MS : NAMED_MS);
    if (follow_lasting_world(c, s->vain) == NULL) { // none of them gets a standby
        s->due_ns = INT64_MAX;
    }
}

void follow_ask_standby(carom_client *c)
{
    c->standby.vain = 0;
    c->standby.due_ns = 0;
}

void follow_standby_due(carom_client *c, int64_t now)
{
    standby_state *s = &c->standby;
    if (now < s->due_ns || !asks(c)) {
        return;
    }
    const char *world = follow_lasting_world(c, ++s->turn);
    world = world != NULL ? world : follow_lasting_world(c, s->turn = 0);
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    if (args == NULL || client_request_here(c, "world.info", args, FOLLOW_ASK_MS, on_standby, NULL,
                                            &s->request, NULL) != CAROM_OK) {
        s->request = 0; // the table of requests is full
        s->due_ns = deadline_after_ms(SOON_MS);
    }
    carom_value_free(args);
}

int64_t follow_standby_deadline(const carom_client *c)
{
    return asks(c) ? c->standby.due_ns : INT64_MAX;
}

bool follow_asks_standby(const pending_request *entry)
{
    return entry->fn == on_standby;
}

void follow_connect_standby(carom_client *c, const char *standby)
{
    const carom_options *options = &c->front->options;
    if (standby[0] != '\0' && options->reconnect.on && !options->follow.off) {
        carom_error where = {0};
        fault_set(&where, CAROM_MOVED, "%.150s is the standby", standby);
        (void)follow_find_named(c->front, c, false,
                                &where); // NULL: the server must not get the token
    }
}
