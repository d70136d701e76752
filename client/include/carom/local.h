// Local worlds: the server's engine in the caller's process, without a server.
//
// A local world is changed and read by the methods of PROTOCOL.md, with the same arguments, checks
// and answers as on a server, and advances when the caller says so. Equal commands at equal ticks
// give the same bits as on a server, so an image of a server's world continues here, and the other
// way round.
//
//     carom_local_create(NULL, &world, &error);
//     carom_local_call(world, "body.spawn", args, &result, &error);
//     carom_local_step(world, 60, &error);
//     count = carom_local_bodies(world, bodies, max);
//
// carom/many.h steps many of them in one call. Part of libcarom-replica; not included by
// carom/carom.h. One thread at a time may use a world; two worlds share nothing.
#ifndef CAROM_LOCAL_H
#define CAROM_LOCAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/describe.h>
#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_local carom_local;

// The most ticks of one call of carom_local_step: 16 minutes of a world of 1000 Hz.
#define CAROM_LOCAL_TICKS_MAX  1000000u
// Events kept for carom_local_events; later ones are counted and dropped.
#define CAROM_LOCAL_EVENTS_MAX 65536u

// Makes a world. `settings` (may be NULL) is a map as for world.create without `world`, of which
// only the physics settings are used: gravity, hz, substeps, max_bodies, sleep, continuous and the
// thresholds. Errors: CAROM_INVALID_ARGUMENT with the setting's name; CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_local_create(const carom_value *settings, carom_local **out,
                                          carom_error *error);
// Makes the world of an image, from world.image, carom_local_save or carom_replica_save. Errors:
// CAROM_UNAVAILABLE: no image, damaged, or of an engine of another behaviour.
CAROM_API carom_status carom_local_restore(const void *image, size_t size, carom_local **out,
                                           carom_error *error);
// Makes another world of the same state: the same hash, ids and future. Events are not copied.
CAROM_API carom_status carom_local_fork(const carom_local *from, carom_local **out,
                                        carom_error *error);
// Makes `to` the state of `from`, much faster than through an image. The kept events of `to` are
// dropped.
CAROM_API carom_status carom_local_copy(carom_local *to, const carom_local *from,
                                        carom_error *error);
CAROM_API void carom_local_free(carom_local *world); // NULL is allowed

// The state as an image. The caller frees *bytes with carom_replica_free_bytes.
CAROM_API carom_status carom_local_save(const carom_local *world, void **bytes, size_t *size,
                                        carom_error *error);

// Calls a method that changes or reads a world: body.spawn, joint.create, query.ray, world.set,
// world.apply, data.set … `args` (may be NULL) has no `world`. *result is the caller's. Changes
// show in the state of the next tick. Errors: the method's own; CAROM_UNKNOWN_METHOD for methods of
// servers.
CAROM_API carom_status carom_local_call(carom_local *world, const char *method,
                                        const carom_value *args, carom_value **result,
                                        carom_error *error);

// Advances by `ticks`, 0 to CAROM_LOCAL_TICKS_MAX. Errors: CAROM_INVALID_ARGUMENT.
CAROM_API carom_status carom_local_step(carom_local *world, uint64_t ticks, carom_error *error);

typedef struct carom_local_state {
    uint64_t tick;
    double time; // tick / hz [s]
    double hz;
    uint64_t hash; // the state's hash: the last 8 bytes of the wire's `hash`, big-endian
    size_t bodies, awake, shapes, joints, contacts;
    uint64_t events_lost; // events dropped because CAROM_LOCAL_EVENTS_MAX were kept
} carom_local_state;

CAROM_API carom_local_state carom_local_now(const carom_local *world);

// The bodies in ascending order of their slots, at most `max`; returns how many there are.
CAROM_API size_t carom_local_bodies(const carom_local *world, carom_body *out, size_t max);

// Keeps events of these kinds (bits 1 << carom_event_kind) from now on; initially none. Messages
// (message.send) are not among them, because a local world has no sessions.
CAROM_API void carom_local_want_events(carom_local *world, unsigned kinds);
// Takes the kept events out in order, at most `max`; returns how many. Call again while it returns
// `max`.
CAROM_API size_t carom_local_events(carom_local *world, carom_event *out, size_t max);

CAROM_END_DECLS

#endif
