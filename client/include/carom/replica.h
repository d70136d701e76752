// libcarom-replica: exact copies of worlds, with the server's own engine beside the caller.
//
// A subscription of encoding "log" brings the world's commands instead of the bodies' positions. A
// replica steps the same engine with them: it has the same world, to the bit, whatever the number
// of bodies, and compares the state's hash with each notification. A replica answers everything
// that a world answers, without a round trip: bodies, shapes, joints, contacts, queries, events.
//
//     carom_subscribe_options log = carom_subscribe_options_default();
//     log.encoding = "log";
//     log.compact = carom_compact(client);
//     carom_subscribe(client, "main", &log, 1000, &subscription, &error);
//     ... in handlers.snapshot:
//     carom_status s = carom_replica_feed(replica, snapshot->encoded, snapshot->encoded_size,
//     &error);
//
// A replica that cannot go on (a gap, a hash that differs, an image of another engine) says so and
// has no world until it is fed an image: subscribe again.
//
// Recordings (.caromlog) hold the same records in a file; PROTOCOL.md, "The log of a world", has
// their bytes. Not included by carom/carom.h. One thread at a time may use a replica.
#ifndef CAROM_REPLICA_H
#define CAROM_REPLICA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <carom/describe.h>
#include <carom/export.h>
#include <carom/snapshot.h>
#include <carom/status.h>
#include <carom/value.h>

CAROM_BEGIN_DECLS

typedef struct carom_replica carom_replica;

CAROM_API carom_replica *carom_replica_create(void);       // NULL: memory has run out
CAROM_API void carom_replica_free(carom_replica *replica); // NULL is allowed

// The behaviour number of the engine inside: `engine` of the server's hello must be the same.
CAROM_API int carom_replica_engine(void);

// ---- following

// Plays a notification of encoding log as received (carom_snapshot.encoded), or a record of a
// recording: steps the world to its tick, and compares the hash. It may span 131 072 ticks, where
// the reader of a quiet world was away: a program that must not wait so long uses
// carom_replica_feed_to. Errors:
//   CAROM_INVALID_ARGUMENT  no such notification; altered or malformed
//   CAROM_UNAVAILABLE       the replica needs an image: it has none, notifications were lost, or
//   the
//                           image is that of an engine of another behaviour
//   CAROM_INTERNAL          the hash differs: `error` names the tick
//   CAROM_OUT_OF_MEMORY
CAROM_API carom_status carom_replica_feed(carom_replica *replica, const void *encoded, size_t size,
                                          carom_error *error);

// Likewise, but only up to the state of `tick`, for seeking in recordings and for going through a
// record tick by tick: fed the same record again with a later tick, the replica continues within
// it. Other records can be fed when it has reached the record's end.
CAROM_API carom_status carom_replica_feed_to(carom_replica *replica, const void *encoded,
                                             size_t size, uint64_t tick, carom_error *error);

// Sets whether feeding compares hashes; it does by default. Without comparison a replica continues
// with a log that its engine plays differently, so that the two can be compared afterwards.
CAROM_API void carom_replica_verify(carom_replica *replica, bool on);

// Loads the world of an image, as world.image answers it. The caller chooses the name.
CAROM_API carom_status carom_replica_load(carom_replica *replica, const void *image, size_t size,
                                          const char *world, carom_error *error);

// The state as an image. The caller frees *bytes with carom_replica_free_bytes.
CAROM_API carom_status carom_replica_save(const carom_replica *replica, void **bytes, size_t *size,
                                          carom_error *error);
CAROM_API void carom_replica_free_bytes(void *bytes); // NULL is allowed

typedef struct carom_replica_state {
    bool ready;        // there is a world
    const char *world; // its name; "" if unknown. Valid until the next feed or load
    uint64_t epoch;
    uint64_t tick;
    double time; // tick / hz [s]
    double hz;
    bool paused;
    uint64_t hash; // the state's hash: the last 8 bytes of the wire's `hash`, big-endian
    size_t bodies, awake, shapes, joints, contacts;
    uint64_t commands; // number of commands applied so far
    uint64_t verified; // number of hashes compared so far, all equal
} carom_replica_state;

CAROM_API carom_replica_state carom_replica_now(const carom_replica *replica);

// ---- reading

// The bodies in ascending order of their slots, at most `max`; returns how many there are.
CAROM_API size_t carom_replica_bodies(const carom_replica *replica, carom_body *out, size_t max);

// Calls a reading method on the replica, as on a server: body.get, joint.get, joint.list,
// world.state, world.contacts, query.ray, query.cast, query.overlap, query.nearest; arguments and
// results are those of PROTOCOL.md (`world` may be left out). *result is the caller's. Errors: the
// method's own; CAROM_PERMISSION_DENIED for methods that change a world; CAROM_UNAVAILABLE without
// a world.
CAROM_API carom_status carom_replica_call(carom_replica *replica, const char *method,
                                          const carom_value *args, carom_value **result,
                                          carom_error *error);

// The function is called for each event of each step that a feed does, in order. `kinds` are bits
// 1 << carom_event_kind. NULL: no function.
typedef void carom_replica_event(const carom_event *event, void *user);
CAROM_API void carom_replica_on_event(carom_replica *replica, unsigned kinds,
                                      carom_replica_event *call, void *user);

// ---- showing

typedef struct carom_replica_snapshot_options {
    bool full;       // send the whole state, as after an image
    bool describe;   // include shapes, types, tags and joints of new and changed bodies
    bool contacts;   // include all contacts
    unsigned events; // events to report, bits 1 << carom_event_kind, gathered from this call on for
                     // later calls
} carom_replica_snapshot_options;

#define CAROM_REPLICA_EVENTS_MAX 4096u // events between two snapshots; if more, all are dropped

// The state as a snapshot of encoding plain, for carom_view_feed: full after an image, then what
// has changed since the last call. `options` NULL: rows alone. *encoded is the replica's, until the
// next call. Errors: CAROM_UNAVAILABLE without a world; CAROM_LIMIT_EXCEEDED over 128 MiB.
CAROM_API carom_status carom_replica_snapshot(carom_replica *replica,
                                              const carom_replica_snapshot_options *options,
                                              const void **encoded, size_t *size,
                                              carom_error *error);

// ---- comparing

typedef struct carom_difference {
    bool differs;
    uint64_t body;      // the first body that differs, in ascending order of slots; 0: all agree
    const char *member; // "position", "velocity" …; "" where only one of the two has the body
    char text[160];     // both values, as text
} carom_difference;

// Compares two states: ticks, hashes, and each body. When the hashes differ and all bodies agree,
// the difference lies in contacts, joints or settings, and `text` says so.
CAROM_API carom_status carom_replica_compare(const carom_replica *a, const carom_replica *b,
                                             carom_difference *out, carom_error *error);

// ---- recordings

typedef struct carom_recorder carom_recorder;

// Begins the file `path`, which must not exist. Errors: CAROM_ALREADY_EXISTS, CAROM_UNAVAILABLE
// with the system's reason.
CAROM_API carom_status carom_recorder_create(const char *path, carom_recorder **out,
                                             carom_error *error);
// Records a notification of encoding log; the first one must contain an image. `hz` is that of the
// image. Errors: those of writing, CAROM_INVALID_ARGUMENT.
CAROM_API carom_status carom_recorder_feed(carom_recorder *recorder, const void *encoded,
                                           size_t size, carom_error *error);
// Adds the replica's state as an image to the next record, so that reading can begin there, and a
// replay can be compared body by body. The replica must be at the tick where that record begins;
// otherwise the record has no image. Errors: CAROM_OUT_OF_MEMORY.
CAROM_API carom_status carom_recorder_keyframe(carom_recorder *recorder,
                                               const carom_replica *replica, carom_error *error);
// Writes the end mark, closes the file and frees the recorder, on errors too. NULL is allowed.
CAROM_API carom_status carom_recorder_finish(carom_recorder *recorder, carom_error *error);

typedef struct carom_recording carom_recording;

typedef struct carom_recording_info {
    int engine;        // behaviour number
    const char *world; // valid as long as the recording
    uint64_t epoch;
    double hz;
    uint64_t begun; // [s since 1970]; 0: not known
    bool ended;     // the end mark was reached
    uint64_t records;
    uint64_t from, tick;  // the tick before the last record, and its last tick
    bool has_image;       // it has the state at `from`
    bool has_hash;        // it has the hash of the state at `tick`
    uint64_t hash;        // see carom_replica_state
    uint64_t commands;    // commands in the last record
    uint64_t bytes, size; // bytes read so far, and size of the file
} carom_recording_info;

// Opens a recording. Errors: CAROM_NOT_FOUND, CAROM_INVALID_ARGUMENT (no recording, of a newer
// format), CAROM_UNAVAILABLE (recorded by another engine, or the system's reason).
CAROM_API carom_status carom_recording_open(const char *path, carom_recording **out,
                                            carom_error *error);
// The next record, for carom_replica_feed; valid until the next call. *record is NULL after the
// last one. A file that was cut off ends with CAROM_INVALID_ARGUMENT, after all its whole records.
CAROM_API carom_status carom_recording_next(carom_recording *recording, const void **record,
                                            size_t *size, carom_error *error);
// The image in the last record read, for carom_replica_load; NULL if it has none. Valid until the
// next record is read.
CAROM_API const void *carom_recording_image(const carom_recording *recording, size_t *size);
CAROM_API carom_recording_info carom_recording_about(const carom_recording *recording);
CAROM_API void carom_recording_close(carom_recording *recording); // NULL is allowed

CAROM_END_DECLS

#endif
