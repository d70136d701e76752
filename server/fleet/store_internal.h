// The store's state, shared by store.c and store_watch.c; private to this folder.
#ifndef CAROM_SERVER_FLEET_STORE_INTERNAL_H
#define CAROM_SERVER_FLEET_STORE_INTERNAL_H

#include "server/fleet/store.h"

typedef struct store_request store_request;

struct store {
    uv_loop_t *loop;
    posts *posts;
    posts_tls tls;
    store_times times;
    uint64_t answer_size_max;
    char endpoints[STORE_ENDPOINTS_MAX][STORE_ENDPOINT_SIZE_MAX + 1];
    uint32_t endpoint_count;
    uint32_t endpoint;            // the one that answered last
    char trouble[ERROR_TEXT_MAX]; // why the last try failed; "": it did not
    uv_timer_t timer;             // runs on_pulse of requests and watches
    store_request *first;         // requests that are not answered
    uint32_t request_count;
    store_watch *watches;
    uint32_t handles; // the timer and the posts
    bool closing;
    void (*closed)(void *context);
    void *context;
};

enum { STORE_URL_SIZE_MAX = STORE_ENDPOINT_SIZE_MAX + 32 };

// The URL of a path below /v3 at an endpoint.
void store_url(const store *s, uint32_t endpoint, const char *path, char out[STORE_URL_SIZE_MAX]);

// A key was written by this server at that revision: watches must report it.
void store_watches_note(store *s, const char *key, int64_t revision);
// Called now and then.
void store_watches_pulse(store *s, uint64_t now_ms);
void store_watches_close(store *s);

#endif
