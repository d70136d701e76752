// Following worlds to the servers of a fleet that serve them (PROTOCOL.md, "Several servers").
//
// The client that the program has is the front. A request that is answered `moved` is made again at
// the server which the answer names, over a connection of its own: a further carom_client, a link,
// whose callbacks go to the front's handlers. Requests have one series of numbers over all
// connections, and subscriptions one series of numbers that the program sees.
//
// While a connection is lost and dialed again, the servers that are still connected are asked who
// serves its worlds. As soon as one names another address, the session is resumed there. So that
// there is such a server, a link goes ahead of need to the standby that an answer to world.info
// names.
//
// Order: a request for a world that has moved waits until the old server has answered all earlier
// ones for it.
//
// Invariants: a link's `front` is the front, the front's is itself; links have no handlers and no
// links. A link that has closed is freed by follow_pump. One thread at a time.
#ifndef CAROM_CLIENT_LIB_FOLLOW_H
#define CAROM_CLIENT_LIB_FOLLOW_H

#include <stdbool.h>
#include <stdint.h>

#include <carom/client.h>

#include "client/lib/requests.h"
#include "common/base/vector.h"
#include "proto/limits.h"

enum {
    FOLLOW_HOPS_MAX = 4,     // servers that a request is sent on to
    FOLLOW_SERVERS_MAX = 16, // connections of one client
    FOLLOW_WORLDS_MAX = 256, // worlds whose server is known; beyond that the first server is asked
    FOLLOW_PAUSE_MS = 50,    // before a server is asked again: its records may be behind; doubled
    FOLLOW_AGAIN_MS = 100,   // between two tries to subscribe to a world that has moved …
    FOLLOW_WAIT_MS = 10000,  // … up to this time
    FOLLOW_SEEK_MS = 50,     // between two questions for the worlds of a server that is lost
    FOLLOW_ASK_MS = 1000,    // for the answer to one
    FOLLOW_DIAL_MS = 5000    // for connecting to another server, hello included
};

typedef struct followed_world {
    char world[WIRE_WORLD_NAME_MAX + 1];
    carom_client *link; // its server's
    carom_client *old;  // NULL, or the link that has not yet answered all requests for it
} followed_world;

typedef struct followed_subscription {
    uint64_t shown;           // the number that the program knows
    uint64_t number;          // its server's; 0: not known yet
    carom_client *link;       // its server's
    const carom_client *left; // the server that it has left last; NULL: none
    uint64_t left_number;     // its number there
    carom_value *args;        // of world.subscribe; NULL: not known
    char world[WIRE_WORLD_NAME_MAX + 1];
    uint64_t request;   // that subscribes again; 0: none
    int64_t due_ns;     // when to subscribe again; 0: not waiting
    int64_t give_up_ns; // until then
} followed_subscription;

typedef struct seek_state {
    uint64_t request; // world.info at another server; 0: none
    carom_client *at; // that server's
    int64_t due_ns;   // the next question
    uint32_t turn;    // which server and world are next
} seek_state;

typedef struct follow_state {
    char *ca_file, *tls_name; // of the options
    VECTOR(carom_client *) links;
    VECTOR(followed_world) worlds;
    VECTOR(followed_subscription *) subscriptions;
    uint64_t next_shown; // for numbers that two servers have given
    uint32_t servers;    // links so far
    int64_t due_ns;      // when something waits to be sent; INT64_MAX: nothing
    bool mapped;         // there has been a link
    int epoll;           // descriptor of all connections; -1: none yet
} follow_state;

// Keeps the options that links need; false when memory has run out.
bool follow_init(carom_client *c, const carom_options *options);
void follow_deinit(carom_client *c);

// ---- requests

// The link for a message with these arguments. If they name a subscription by a number that the
// server does not know it by, *args is replaced by *made, which the caller frees.
carom_client *follow_target(carom_client *front, const carom_value **args, carom_value **made);
// Whether a new request for the world must wait for the order.
bool follow_must_wait(carom_client *front, const char *world);

// The link to the server that the text of `answer` begins with, which gets the world. NULL: the
// text then says why the client does not go there.
carom_client *follow_named_link(carom_client *c, const char *world, carom_error *answer);

// The server has answered a request: true if another server gets it. `answer` may get a text that
// says why not.
bool follow_refused(carom_client *c, uint64_t id, carom_error *answer);
// The server has answered a request with success, or with an error that is not followed.
// False when memory has run out.
bool follow_answered(carom_client *c, pending_request *entry, carom_value *result,
                     const carom_error *answer);

// ---- subscriptions

// The number that the program knows for the server's; 0: of a subscription that has left that
// server.
uint64_t follow_shown(carom_client *c, uint64_t number, const char *world);
// The program has ended a subscription.
void follow_unsubscribed(carom_client *front, uint64_t shown);
// Sends the new token to the servers that have the old one; a refusal ends the session there.
void follow_present(carom_client *front, int timeout_ms);
// Handles `moved` and `world_closed`; true if the program is not to see it.
bool follow_notice(carom_client *c, const char *method, carom_value *params);
// The session was resumed: ends the subscriptions that did not go on.
void follow_keep(carom_client *c, const carom_value *subscriptions);

// For follow.c: the subscription of that number, NULL if there is none; an entry has moved to
// another link; an answer to world.subscribe or world.view; a link has closed; subscribes again
// where that is due.
followed_subscription *follow_find_shown(carom_client *front, uint64_t shown);
void follow_note_moved(const pending_request *entry, carom_client *to);
bool follow_note_result(carom_client *c, pending_request *entry, carom_value *result);
void follow_leave(carom_client *front, const carom_client *link);
bool follow_subscribe_due(carom_client *front, int64_t now_ns);

// ---- all links

bool follow_pump(carom_client *front);
void follow_close(carom_client *front);
// The earlier of `deadline_ns` and the next thing to do of the links.
int64_t follow_deadline(const carom_client *front, int64_t deadline_ns);
size_t follow_unsent(const carom_client *front); // bytes, of the links
// A descriptor that is readable when any connection is ready; -1 without links.
int follow_fd(const carom_client *front);

#endif
