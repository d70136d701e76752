// The worlds of a server, on their way to the process that takes over.
//
// The old server writes it to a file that it hands over (server_hand_over): each world at the tick
// where it stopped, as an image. The new one makes its worlds of these images, several at a time,
// and replays no log. It holds the data directory to the file: the log of each world has to end
// with that record, at that tick, and the image has to give that hash. If they do not, or if a
// world is missing or is there again, something was lost or made on the way that no checksum could
// tell: the new server does not begin, and the old one goes on. It holds its own log to the file
// too, and a world whose log differs begins its log anew with an image.
//
//     magic "\x89chand\n\x02", then for each world, numbers little-endian:
//       u64 number, u64 session that it ends with (0: none; of worlds without a log), u64 sequence
//       of its log's last record, u64 tick, u64 hash, u64 bytes of the image, u32 kind, u32 bytes
//       of the name, u32 CRC-32C of the name and the 56 bytes before this; the name; the image
//       (server/world/log/world_image.h), which has checksums of its own
//     and at the end another head, of kind 0, whose number is that of the worlds
//
// Kinds are those of world_end_kind; one of an unsettled log has neither name nor image, and is
// not compared.
//
// As large as the images of the worlds, which limits.worlds and the bodies of each bound; in memory
// alone, and ends with the two processes. Network thread only.
#ifndef CAROM_SERVER_SESSION_RESUME_HANDOVER_H
#define CAROM_SERVER_SESSION_RESUME_HANDOVER_H

#include "server/session/server.h"
#include "server/world/message/messages.h"

enum {
    HANDOVER_MAGIC_BYTES = 8,
    HANDOVER_SESSION_AT = 8,
    HANDOVER_SEQUENCE_AT = 16,
    HANDOVER_TICK_AT = 24,
    HANDOVER_HASH_AT = 32,
    HANDOVER_SIZE_AT = 40,
    HANDOVER_KIND_AT = 48,
    HANDOVER_NAME_AT = 52,
    HANDOVER_CHECKSUM_AT = 56,
    HANDOVER_HEAD_BYTES = 60,
    HANDOVER_KIND_END = 0 // beside those of world_end_kind
};

#define HANDOVER_MAGIC                                                                             \
    "\x89"                                                                                         \
    "chand\n\x02"

// ---- handover.c

// A world has stopped: writes what it was to the file.
void handover_note(server *s, const reply *r);
// All have: the file gets its end.
void handover_finish(server *s);

// ---- handover_read.c

// Holds the worlds that are restored to the file of the options; those without a log join them.
status handover_read(server *s, error *err);

#endif
