// The worlds of a server, on their way to the process that takes over.
//
// The old server writes a file (server_hand_over) with an image of each world at the tick where it
// stopped. The new one makes its worlds from these images, several at a time, and replays no log.
// It compares the data directory with the file: the log of each world has to end with that record,
// at that tick, and the image must have that hash. If they differ, or if a world is missing or
// appears twice, something was lost or added on the way that no checksum could detect: the new
// server does not start, and the old one continues. The old one compares its own logs with the file
// too, and a world whose log differs begins a new log with an image.
//
//     magic "\x89chand\n\x02", then for each world, numbers little-endian:
//       u64 number, u64 session that it ends with (0: none; of worlds without a log), u64 sequence
//       of its log's last record, u64 tick, u64 hash, u64 bytes of the image, u32 kind, u32 bytes
//       of the name, u32 CRC-32C of the name and the 56 bytes before this; the name; the image
//       (server/world/log/world_image.h), which has checksums of its own
//     and at the end another head, of kind 0, whose number is the count of worlds
//
// Kinds are those of world_end_kind; one of an unsettled log, or one that was to be destroyed and
// whose log may bring it back, has neither name nor image, and is not compared. Nor is one that the
// old server did not serve, as its log could not be played: the new one tries its log again.
//
// As large as the images of the worlds, which limits.worlds and the bodies of each bound; a reader
// refuses more than HANDOVER_WORLDS_MAX worlds and images of more than STORAGE_IMAGE_BYTES_MAX. The
// file is only in memory, and ends with the two processes. Network thread only.
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
    HANDOVER_WORLDS_MAX = 16384, // four times what limits.worlds may be: destroyed ones count too
    HANDOVER_KIND_END = 0,       // these two in addition to the values of world_end_kind
    HANDOVER_KIND_UNSERVED = 16
};

// Half of the integers that a double of a client represents exactly: the others are for new worlds.
#define HANDOVER_NUMBER_MAX ((UINT64_C(1) << 52) - 1)

#define HANDOVER_MAGIC                                                                             \
    "\x89"                                                                                         \
    "chand\n\x02"

// ---- handover.c

// Writes the final state of a world that has stopped to the file.
void handover_note(server *s, const reply *r);
// Call when all worlds have reported: writes the end of the file.
void handover_finish(server *s);

// ---- handover_read.c

// Compares the restored worlds with the file of the options; adds those without a log.
status handover_read(server *s, error *err);

#endif
