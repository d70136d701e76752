// Following worlds to the servers of a fleet that serve them (PROTOCOL.md, "Several servers").
//
// The client that the program has is the front. A request that is answered `moved` is made again at
// the server which the answer names, over a connection of its own: a further carom_client, a link,
// whose callbacks go to the front's handlers. Requests have one series of numbers over all
// connections, and subscriptions one series of numbers that the program sees.
//
// A world that leaves a server takes the sessions along that had something in it: the link to the
// next server, the heir, resumes the session there, so that it has its bodies and subscriptions. If
// that server does not know the session, the link gets a new one, and subscribes again.
//
// While a connection is lost and dialed again, the servers that are still connected are asked who
// serves its worlds. As soon as one names another address, the session is resumed there. So that
// there is such a server, a link goes ahead of need to the standby of the worlds in which the
// session has something; the client asks for it by world.info (follow_standby.c). A front that is
// lost without a world, or for good, gets the connection of a link that has worlds
// (follow_front.c).
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

#include "client/lib/address.h"
#include "client/lib/requests.h"
#include "common/base/vector.h"
#include "proto/limits.h"

enum {
    FOLLOW_HOST_MAX = 160,   // bytes of HOST:PORT with a closing zero
    FOLLOW_HOPS_MAX = 4,     // servers that a request is sent on to
    FOLLOW_SERVERS_MAX = 16, // connections of one client
    FOLLOW_WORLDS_MAX = 256, // worlds whose server is known; beyond that the first server is asked
    FOLLOW_HEIR_MS = 5000,   // limit for a server to take a session along
    FOLLOW_HOMES_MAX = 256,  // worlds of one connection that the session is known to have changed
    FOLLOW_PAUSE_MS = 50,    // pause before a server is asked again: its records may be behind;
                             // doubled
    FOLLOW_AGAIN_MS = 100,   // time between two tries to subscribe to a world that has moved …
    FOLLOW_WAIT_MS = 10000,  // … up to this time
    FOLLOW_SEEK_MS = 50,     // time between two questions for the worlds of a server that is lost
    FOLLOW_ASK_MS = 1000,    // limit for the answer to one question
    FOLLOW_DIAL_MS = 5000    // limit to connect to another server, hello included
};

typedef struct world_name {
    char text[WIRE_WORLD_NAME_MAX + 1];
} world_name;

typedef VECTOR(world_name) world_names;

typedef struct followed_world {
    char world[WIRE_WORLD_NAME_MAX + 1];
    carom_client *link; // the link to its server
    carom_client *old;  // NULL, or the link that has not yet answered all requests for it
} followed_world;

typedef struct followed_subscription {
    uint64_t shown;       // the number that the program knows
    uint64_t number;      // the number at its server; 0: not known yet
    carom_client *link;   // the link to its server
    uint32_t left_kin;    // the session in which it was when its world moved last; 0: none
    uint64_t left_number; // its number there
    bool coming;          // the heir's server may have it under that number
    carom_value *args;    // arguments of world.subscribe; NULL: not known
    char world[WIRE_WORLD_NAME_MAX + 1];
    uint64_t request;   // the request that subscribes again; 0: none
    int64_t due_ns;     // when to subscribe again; 0: not waiting
    int64_t give_up_ns; // the client follows until then
} followed_subscription;

typedef struct seek_state {
    uint64_t request; // world.info at another server; 0: none
    carom_client *at; // the link to that server
    int64_t due_ns;   // the next question
    uint32_t turn;    // selects the next server and world
} seek_state;

typedef struct standby_state {
    uint64_t request; // world.info over this connection; 0: none
    int64_t due_ns;   // the next question; INT64_MAX: no world of this connection gets a standby
    uint32_t turn;    // selects the next world
    uint32_t vain;    // questions in a row whose worlds are not replicated
} standby_state;

typedef struct follow_state {
    char *ca_file, *tls_name; // copies from the options
    VECTOR(carom_client *) links;
    VECTOR(followed_world) worlds;
    VECTOR(followed_subscription *) subscriptions;
    uint64_t next_shown; // replaces a number that two servers have given
    uint32_t servers;    // links so far
    uint32_t kins;       // sessions so far
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
// Sends the requests of the front that no longer have to wait for the order.
void follow_release(carom_client *front);
// Whether a new request for the world must wait for the order.
bool follow_must_wait(carom_client *front, const char *world);

// The link to the server that the text of `answer` begins with, which gets the world. NULL: the
// text then says why the client does not go there.
carom_client *follow_named_link(carom_client *c, const char *world, carom_error *answer);

// Handles a refusal: true if the request goes to another server. If not, `answer` may get a text
// that says why.
bool follow_refused(carom_client *c, uint64_t id, carom_error *answer);
// Handles an answer of success, or an error that is not followed.
// False when memory has run out.
bool follow_answered(carom_client *c, pending_request *entry, carom_value *result,
                     const carom_error *answer);

// ---- subscriptions

// The number that the program knows for the server's number; 0: the subscription has left that
// server.
uint64_t follow_shown(carom_client *c, uint64_t number, const char *world);
// Whether a subscription had that number in the session of `c`, and is at another server.
bool follow_has_left(const carom_client *c, uint64_t number);
// Records that the program has ended a subscription.
void follow_unsubscribed(carom_client *front, uint64_t shown);
// Sends the new token to the servers that have the old one; a refusal ends the session there.
void follow_present(carom_client *front, int timeout_ms);
// Handles `moved` and `world_closed`; true if the program is not to see it.
bool follow_notice(carom_client *c, const char *method, carom_value *params);
// Call when the session was resumed: ends the subscriptions that were not.
void follow_keep(carom_client *c, const carom_value *subscriptions);
// The heir's server has answered with the session's subscriptions, or with a new session: begins
// again those that did not come along.
void follow_settle_heir(carom_client *heir, const carom_value *subscriptions);

// ---- functions for follow.c

// The subscription that the program knows by that number; NULL if there is none.
followed_subscription *follow_find_shown(carom_client *front, uint64_t shown);
// Records that the request has moved to another link.
void follow_note_moved(const pending_request *entry, carom_client *to);
// Handles an answer to world.subscribe or world.view.
bool follow_note_result(carom_client *c, pending_request *entry, carom_value *result);
// Returns the subscriptions of a link that has closed to the front, which subscribes again later.
void follow_leave(carom_client *front, const carom_client *link);
// The front gets the link's connection: its subscriptions go with it, the front's own begin again.
void follow_change_front(carom_client *front, const carom_client *link);
// Whether the session has done something to the world over this connection.
bool follow_has_home(const carom_client *c, const char *world);
// Whether the connection has a subscription to the world.
bool follow_subscribes(const carom_client *c, const char *world);
// Subscribes again where that is due.
bool follow_subscribe_due(carom_client *front, int64_t now_ns);

// ---- follow_links.c

// Whether the token and the session's secret may go to the server at `to`, which `from` has named.
bool follow_may_carry(const carom_client *from, const address_list *to);
// The link to the server that the text of `answer` begins with, opened if there is none. `along`:
// with the session of `from`, if that may go there. NULL: the text then says why not.
carom_client *follow_find_named(carom_client *front, const carom_client *from, bool along,
                                carom_error *answer);
// The connection to that address which has this session; NULL: none.
carom_client *follow_find_kin(carom_client *front, const char *where, uint32_t kin);

// ---- follow_standby.c: a connection ahead of need

// Connects to that server, unless one is connected, or it must not get the token, or the program
// wants no further connections.
void follow_connect_standby(carom_client *c, const char *standby);
// The worlds of the connection have changed: the next question comes at once.
void follow_ask_standby(carom_client *c);
void follow_standby_due(carom_client *c, int64_t now);
int64_t follow_standby_deadline(const carom_client *c);
// Whether the request asks for a standby.
bool follow_asks_standby(const pending_request *entry);
// Whether the library asks that itself: it goes to no other server, and no request waits for it.
bool follow_is_question(const pending_request *entry);

// ---- follow_seek.c: a lost connection asks other servers who serves its worlds

// A world of the connection, in which it has a request or something that lasts. `turn` selects one;
// NULL: it has none.
const char *follow_world_of(const carom_client *c, uint32_t turn);
// The world of that number in which it has something that lasts: a subscription or effects.
// NULL: it has fewer.
const char *follow_lasting_world(const carom_client *c, uint32_t number);
bool follow_is_sought(const carom_client *c);
void follow_seek_due(carom_client *c, int64_t now);
// Nobody waits for the answer any more.
void follow_stop_seeking(carom_client *c);
// Whether the request is a question of a lost connection.
bool follow_is_seeking(const pending_request *entry);

// ---- follow_front.c: a front whose server is lost

// Gives the front, which is lost, the connection of that link, which is open.
void follow_promote(carom_client *front, carom_client *link);
// The same of a link that has worlds; false if there is none.
bool follow_replace_front(carom_client *front);
// Call when the front is DOWN and is not to be dialed again: true if a link has replaced it.
bool follow_survives(carom_client *front);

// ---- all links

bool follow_pump(carom_client *front);
void follow_close(carom_client *front);
// The earlier of `deadline_ns` and the next thing to do of the links.
int64_t follow_deadline(const carom_client *front, int64_t deadline_ns);
size_t follow_unsent(const carom_client *front); // bytes, of the links
// A descriptor that is readable when any connection is ready; -1 without links.
int follow_fd(const carom_client *front);

#endif
