// The sessions on disk, so that a restart of the server loses none that can resume.
//
// DIR/sessions is a log beside those of the worlds, with each session's grant, a digest of its
// secret, and its subscriptions. The commands of a session that took effect are in the logs of
// their worlds (server/world/state/last_requests.h), each with its command. A restart makes a
// detached session of each, with limits.resume_ms from then on.
//
//     magic "\x89csess\n\x01", then records:
//     u32 size, u32 CRC-32C of the payload, little-endian; the payload, a MessagePack array:
//       [0, session, slot, digest, since, client, grant or nil, gone]    a session, or what it
//                                                                  became; `gone`, which earlier
//                                                                  versions lack: [[world, epoch,
//                                                                  id of the last request] ...]
//       [1, session, subscription, world, name, arguments]         likewise a subscription
//       [2, session, subscription]                                 its end
//       [3, session]                                               the session's end
//
// A record is passed to the operating system before the answer to its request is sent, so it
// survives a killed process. The file is rewritten, from the table of sessions, at the start and
// whenever it has doubled, and grown by SESSION_STORE_GROWTH_BYTES: in pieces, over many turns of
// the network thread, as there may be hundreds of thousands of records. Once a shutdown begins,
// only the end of worlds without a log is written (session_store_note_ending): the next server
// continues with the sessions as they were. If the file cannot be written, the server logs that
// once and continues. If a file was altered, or not written completely, a start reads the records
// up to there, logs that, and keeps the file as DIR/sessions.damaged; it refuses one of a newer
// version. Reading the file does not enable anyone to resume a session: 256 random bits cannot be
// recovered from their digest.
//
// session_store_file.c reads and writes the bytes, session_store_pack.c and session_store_read.c
// the content of the records.
//
// Network thread only. Without a data directory, and in simulations (server_options.turned), every
// function does nothing.
#ifndef CAROM_SERVER_SESSION_RESUME_SESSION_STORE_H
#define CAROM_SERVER_SESSION_RESUME_SESSION_STORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/base/status.h"
#include "proto/wire/buffer.h"
#include "server/schedule/turn_queue.h"

struct server;
struct session;
struct session_subscription;

enum { SESSION_STORE_GROWTH_BYTES = 4 << 20 };

struct last_requests;

// Sessions that go on at another server of the fleet, with a world that had been here: those with a
// subscription to the world, or a request in it.
typedef struct stale_sessions {
    ARRAY(uint64_t) worlds;
    ARRAY(uint64_t) sessions; // numbers
} stale_sessions;

// The next file, which is being written.
typedef struct session_rewriting {
    turn_job job;
    int fd;         // -1: none
    uint32_t next;  // sessions of lower slots are in it, and all of their records since then
    uint64_t bytes; // written so far
    buffer out;     // records of one session
    buffer record;
} session_rewriting;

typedef struct session_store {
    int fd;         // -1: none
    uint64_t whole; // size when it was last rewritten
    uint64_t bytes; // since then
    bool failed;
    session_rewriting rewriting;
    stale_sessions stale;
} session_store;

// Subscriptions that are restarted, in the order in which they were made.
typedef struct subscriber {
    uint64_t session, subscription;
} subscriber;

typedef struct subscribers {
    ARRAY(subscriber) all;
    uint32_t next; // those before were restarted
} subscribers;

// Must be called before the data directory is changed: refuses a file of a newer version.
status session_store_check(const struct server *s, error *err);
// Reads the file and makes the sessions, before the worlds are restored.
void session_store_open(struct server *s);
// Restarts their subscriptions; to be called when the worlds exist.
void session_store_subscribe(struct server *s);
void session_store_close(struct server *s);
// Restarts, in pieces, the subscriptions of detached sessions in that world, which has come from
// another server. `out` is zeroed.
void session_store_find_subscribers(struct server *s, uint64_t world, subscribers *out);
// Goes on until the slice is over. True: none is left, and `of` is zeroed again.
bool session_store_subscribe_some(struct server *s, subscribers *of, const turn *slice);
// Another server serves that world of the data directory now; before session_store_open.
void session_store_note_stale(struct server *s, uint64_t world, const struct last_requests *marks);
// Ends the sessions that have nothing here but such worlds, so that clients do not resume them at
// the wrong server; after session_store_subscribe.
void session_store_end_stale(struct server *s);
// Passes a session's records, as they are now, to `send`; none if it cannot be resumed. False:
// `send` failed.
typedef bool session_store_send(void *context, const uint8_t *record, size_t size);
bool session_store_ship(const struct session *one, session_store_send *send, void *context);

// Records a session that may be resumed; again whenever its grant or name has changed.
void session_store_note(struct session *s);
void session_store_note_subscription(struct session *s, const struct session_subscription *made);
void session_store_drop_subscription(struct session *s, uint64_t number);
void session_store_end(struct session *s);

// Called when the server ends, and with it the worlds without a log, unless another process takes
// them over: records the session's last requests in them. Once for each session, when its requests
// have their results.
void session_store_note_ending(struct session *s);

// Whether a restart brings the session back, now that the server shuts down.
bool session_store_keeps(const struct session *s);

#endif
