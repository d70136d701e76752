// The server and its worlds: typed helpers for the common methods.
//
// Like all typed helpers, they wait for the answer, at most `timeout_ms` > 0. Those marked (*)
// accept CAROM_NO_REPLY too: the command is sent as a notification, its outcome is not awaited, and
// out-parameters are set to 0. The *_args functions give the arguments alone, for carom_request or
// a batch (`world` NULL there: a batch names it once); the caller frees them. Errors are those of
// carom_call. *tick (may be NULL everywhere) is the tick whose state first shows the command.
#ifndef CAROM_WORLD_H
#define CAROM_WORLD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/client.h>
#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

// ---- the server

// Measures the round trip in seconds; *server_time (may be NULL) is the server's monotonic clock.
CAROM_API carom_status carom_ping(carom_client *client, int timeout_ms, double *round_trip,
                                  double *server_time, carom_error *error);

// The sessions of the server, with address, role and traffic (server.sessions): an array of maps,
// as PROTOCOL.md describes them; the caller's to free. For admins.
CAROM_API carom_status carom_server_sessions(carom_client *client, int timeout_ms,
                                             carom_value **sessions, carom_error *error);

// ---- worlds

typedef struct carom_world_options {
    bool exact;                   // see carom/export.h
    carom_vec2 gravity;           // [m/s²], default {0, -9.81}
    double hz;                    // ticks a second, default 60
    int substeps;                 // default 4
    bool paused;                  // default false
    bool sleep;                   // bodies at rest may sleep, default true
    bool continuous;              // fast bodies are swept against static and kinematic ones,
                                  // default true
    double restitution_threshold; // slower impacts do not bounce [m/s], default 0.5
    double hit_threshold;         // slower impacts make no hit event [m/s], default 1
    double sleep_speed;  // bodies at rest below this speed may sleep [m/s], default 0.05; 0: none
                         // sleeps
    unsigned bodies_max; // 0 (default): the server's maximum
    // Name of a scene that the server has, whose settings apply where these have their defaults;
    // NULL (default): empty.
    const char *scene;
    bool if_absent;         // it is no error if the world exists already
    bool ends_with_session; // the world is destroyed when the session that made it ends
} carom_world_options;

CAROM_API carom_world_options carom_world_options_default(void);
CAROM_API carom_value *carom_world_create_args(const char *world,
                                               const carom_world_options *options);
CAROM_API carom_status carom_world_create(carom_client *client, const char *world,
                                          const carom_world_options *options, int timeout_ms,
                                          uint64_t *tick, carom_error *error);
// Like carom_world_create with options->if_absent; *created (may be NULL) is false if the world
// existed already.
CAROM_API carom_status carom_world_ensure(carom_client *client, const char *world,
                                          const carom_world_options *options, int timeout_ms,
                                          bool *created, uint64_t *tick, carom_error *error);
CAROM_API carom_status carom_world_destroy(carom_client *client, const char *world, int timeout_ms,
                                           carom_error *error); // (*)
CAROM_API carom_status carom_world_pause(carom_client *client, const char *world, int timeout_ms,
                                         uint64_t *tick, carom_error *error); // (*)
CAROM_API carom_status carom_world_resume(carom_client *client, const char *world, int timeout_ms,
                                          uint64_t *tick, carom_error *error); // (*)
// Runs ticks of a paused world. `timeout_ms` must cover the time that they take.
CAROM_API carom_status carom_world_step(carom_client *client, const char *world, uint64_t ticks,
                                        int timeout_ms, uint64_t *tick, carom_error *error); // (*)
CAROM_API carom_status carom_world_set_gravity(carom_client *client, const char *world,
                                               carom_vec2 gravity, int timeout_ms, uint64_t *tick,
                                               carom_error *error); // (*)

// The numbers of world.info; 0 if the server does not report them.
typedef struct carom_world_info {
    uint64_t tick;
    double time; // [s]
    double hz;
    uint64_t bodies, awake, shapes, joints, contacts, subscribers;
    uint64_t frozen; // bodies that ever left the world's bounds and were disabled
    bool paused;
    bool has_hash;
    uint8_t hash[8];
    double step_ms; // mean time of a tick in the last second
} carom_world_info;

CAROM_API carom_status carom_world_get_info(carom_client *client, const char *world, int timeout_ms,
                                            carom_world_info *out, carom_error *error);

// Touching pairs (world.contacts), of one body or of all with `body` 0: at most `max` go into
// `contacts` (may be NULL with max 0), *count is how many there are.
CAROM_API carom_status carom_world_contacts(carom_client *client, const char *world, uint64_t body,
                                            carom_contact *contacts, size_t max, int timeout_ms,
                                            size_t *count, carom_error *error);

CAROM_END_DECLS

#endif
