// The declarations that the sources of the publisher share; private to them. The world's thread.
#ifndef CAROM_SERVER_WORLD_SNAPSHOTS_PUBLISHER_INTERNAL_H
#define CAROM_SERVER_WORLD_SNAPSHOTS_PUBLISHER_INTERNAL_H

#include "server/world/snapshots/publisher.h"

// The tick at which snapshots are chosen and sent.
typedef struct publish_moment {
    uint64_t tick;
    double hz;
    bool all; // in a paused world: all subscriptions that lack the current state are due
} publish_moment;

// ---- publisher_subscribe.c

// The subscription ends: REPLY_CLOSED or REPLY_OVERRUN. It stays in the list.
void publisher_post_closed(publisher *p, const subscription *s, reply_kind kind, status why,
                           const char *text, reply_sink sink);
// Removes subscriptions that were refused memory in this publishing.
void publisher_remove_refused(publisher *p, physics_world *world);

// ---- publisher_choose.c

// Fills p->due, in the order of the list of subscriptions.
void publisher_choose_due(publisher *p, const publish_moment *now);
// Whether the subscription was not sent the present state.
bool publisher_is_behind(const publisher *p, const subscription *s);
// Whether its reader can be sent a snapshot now: none is in flight, or a packed view is in step.
bool publisher_can_send(const subscription *s);
// Records that the subscription was due and was sent no snapshot.
void publisher_note_missed(subscription *s, const publish_moment *now);

// ---- publisher_pieces.c

// Sends to those in p->due, in pieces, until the turn is over (NULL: it has no end), one piece in
// any case. Returns whether all were sent.
bool publisher_send_pieces(publisher *p, const physics_world *world, const publish_moment *now,
                           const turn *t, reply_sink sink);

#endif
