// Subscriptions to worlds, whose snapshots go to the client's handlers and views.
#ifndef CAROM_WATCH_H
#define CAROM_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/status.h>
#include <carom/view.h>

CAROM_BEGIN_DECLS

typedef struct carom_subscribe_options {
    bool exact;           // see carom/export.h
    double rate;          // snapshots a second; 0 (default): the world's hz
    const char *encoding; // NULL (default): "packed", with bodies rounded to `precision` and a hash
                          // in full snapshots alone; "plain": to the last bit, for ten to a hundred
                          // times the bytes; "log" for replicas (carom/replica.h)
    double precision[3];  // for "packed": steps of m, rad, m/s; 0 (default): the server's
                          // precision, which is 1/512 m, 1/1024 turn, and velocities that are
                          // estimated from the motion
    bool bodies;          // default true
    bool contacts;        // touching pairs in each snapshot, for drawing; default false
    bool describe;   // shapes, type, tag, owner and joints, sent once and when they change; default
                     // false
    bool has_area;   // default false: the whole world
    double area[4];  // x0, y0, x1, y1 [m]; with `follow`, relative to that body's position
    uint64_t follow; // the body that the area moves with; 0 (default): none
    double margin;   // a body stays in view until it is farther than this outside the area [m]; 0
                     // (default): a sixteenth of the area's shorter side; below 0: none
    double budget; // bytes a second for snapshots; bodies that do not fit take turns; 0 (default):
                   // no bound
    const char *const
        *events; // kinds, such as "begin"; NULL (default): the server's default, begin and end
    size_t event_count;      // number of `events`, if that is not NULL; 0: no events
    const char *const *data; // prefixes of the wanted keys of the world's data; "": all
    size_t data_count;       // 0 (default): none
    uint32_t compact; // for "log": the value of carom_compact(), for a quarter of the bytes; then
                      // the hash is sent once a second, and pushes are rounded as the engine rounds
                      // them. 0 (default): records as a recording keeps them
} carom_subscribe_options;

CAROM_API carom_subscribe_options carom_subscribe_options_default(void);

// The value for carom_subscribe_options.compact: the number of the compact form of logs that this
// library and the server share; 0 if they share none, and before the server's answer to hello.
CAROM_API uint32_t carom_compact(const carom_client *client);

// The arguments of world.subscribe for these options (NULL: the defaults), for carom_call or
// carom_request. The caller's to free.
CAROM_API carom_value *carom_subscribe_args(const char *world,
                                            const carom_subscribe_options *options);

// Subscribes to a world; snapshots go to the handlers. *subscription (may be NULL) names it.
CAROM_API carom_status carom_subscribe(carom_client *client, const char *world,
                                       const carom_subscribe_options *options, int timeout_ms,
                                       uint64_t *subscription, carom_error *error);

// Subscribes and attaches `view`: all snapshots of the subscription go into the view, and then to
// the handlers. The view must be detached or freed before another watch. When the client is closed
// or freed, the view stays as it is.
CAROM_API carom_status carom_watch(carom_client *client, const char *world,
                                   const carom_subscribe_options *options, carom_view *view,
                                   int timeout_ms, uint64_t *subscription, carom_error *error);

// Ends a subscription; a view that is attached to it is detached. `timeout_ms` may be
// CAROM_NO_REPLY.
CAROM_API carom_status carom_unsubscribe(carom_client *client, uint64_t subscription,
                                         int timeout_ms, carom_error *error);

// Moves the area of a subscription (world.view); NULL: the whole world. `timeout_ms` may be
// CAROM_NO_REPLY.
CAROM_API carom_status carom_subscription_area(carom_client *client, uint64_t subscription,
                                               const double area[4], int timeout_ms,
                                               carom_error *error);

// Makes the area move with a body; it is relative to that body's position (world.view with
// `follow`). Snapshots name the body in `unfollowed` when it is removed; the area then stays where
// it is. `timeout_ms` may be CAROM_NO_REPLY.
CAROM_API carom_status carom_subscription_follow(carom_client *client, uint64_t subscription,
                                                 uint64_t body, const double area[4],
                                                 int timeout_ms, carom_error *error);

// Attaches a view to a subscription that exists. The view becomes ready with the next full
// snapshot.
CAROM_API carom_status carom_view_attach(carom_view *view, carom_client *client,
                                         uint64_t subscription, carom_error *error);
CAROM_API void carom_view_detach(carom_view *view);
CAROM_API uint64_t carom_view_subscription(const carom_view *view); // 0: not attached

CAROM_END_DECLS

#endif
