// A front whose server is lost: it gets the connection of a link, with its session; see follow.h.
// One thread at a time.
#include <string.h>

#include "client/lib/client.h"
#include "client/lib/follow.h"
#include "common/base/assert.h"

// Exchanges the two connections, and what belongs to them.
static void exchange(carom_client *front, carom_client *link)
{
    const connection wire = front->wire;
    front->wire = link->wire;
    link->wire = wire;
    front->wire.bytes_in += wire.bytes_in;
    front->wire.bytes_out += wire.bytes_out;
    const snapshot_decoder decoder = front->decoder;
    front->decoder = link->decoder;
    link->decoder = decoder;
    carom_value *hello = front->hello;
    front->hello = link->hello;
    link->hello = hello;
    const uint32_t bit = front->server_bit;
    front->server_bit = link->server_bit;
    link->server_bit = bit;
    front->kin = link->kin;
    const world_names homes = front->homes;
    front->homes = link->homes;
    link->homes = homes;
}

static void add_traffic(carom_client *front, const carom_client *link)
{
    front->traffic.messages_in += link->traffic.messages_in;
    front->traffic.messages_out += link->traffic.messages_out;
    front->traffic.snapshots += link->traffic.snapshots;
    front->traffic.events += link->traffic.events;
    front->traffic.late += link->traffic.late;
    front->traffic.reconnects += link->traffic.reconnects + 1;
}

// False when memory has run out.
static bool move_requests(carom_client *front, carom_client *link)
{
    while (link->requests.entries.count > 0) {
        if (requests_move(&link->requests, &front->requests, link->requests.entries.data[0].id) ==
            NULL) {
            return false;
        }
    }
    return true;
}

void follow_promote(carom_client *front, carom_client *link)
{
    follow_state *f = &front->follow;
    ASSERT(front->state != CAROM_CLOSED && link->state == CAROM_OPEN && link != front);
    follow_stop_seeking(front);
    for (uint32_t i = 0; i < f->links.count; i++) { // their questions go with the requests
        seek_state *seek = &f->links.data[i]->seek;
        seek->at = seek->at == link ? front : seek->at;
    }
    connection_shut(&front->wire, CAROM_UNAVAILABLE, "its session goes on at %s", link->wire.where);
    if (front->hello_request != 0) {
        requests_remove(&front->requests, front->hello_request);
        front->hello_request = 0;
    }
    request_ids left;
    bool whole = requests_list(&front->requests, &left);
    exchange(front, link);
    front->state = CAROM_OPEN;
    front->resume.waiting = false;
    front->resume.attempts = 0;
    front->resume.up_since_ns = monotonic_ns();
    front->silence = (silence){0};
    add_traffic(front, link);
    link->traffic = (carom_traffic){0};
    link->wire.bytes_in = link->wire.bytes_out = 0;
    whole = move_requests(front, link) && whole;
    follow_change_front(front, link);
    client_close(link, CAROM_UNAVAILABLE, "its connection is the first one now");
    if (whole) {
        resume_settle_lost(front, &left);
        follow_release(front);
    } else {
        client_close(front, CAROM_OUT_OF_MEMORY, "memory has run out");
    }
    vector_free(&left);
    if (front->handlers.resumed != NULL && front->state != CAROM_CLOSED) {
        front->in_callback++;
        front->handlers.resumed(front, front->hello, front->handlers.user);
        front->in_callback--;
    }
}

bool follow_replace_front(carom_client *front)
{
    const follow_state *f = &front->follow;
    for (uint32_t i = 0; i < f->links.count; i++) {
        carom_client *link = f->links.data[i];
        if (link->state == CAROM_OPEN && follow_world_of(link, 0) != NULL) {
            follow_promote(front, link);
            return true;
        }
    }
    return false;
}

bool follow_survives(carom_client *front)
{
    const carom_status why = front->wire.why;
    const bool gone = front->state == CAROM_RECONNECTING && why == CAROM_NOT_FOUND;
    return front == front->front && front->options.reconnect.on && !front->options.follow.off &&
           (gone || why == CAROM_UNAVAILABLE) && follow_replace_front(front);
}
