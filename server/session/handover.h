// Worlds that no log keeps, on their way from one server to the one that takes over.
//
// The old server writes them to a file that it hands over (server_hand_over); the new one reads it
// at its start, beside the data directory, and its worlds go on at the tick where they stopped,
// with the same epoch. The file is in memory alone and ends with the two processes.
//
//     magic "\x89chand\n\x01", then for each world, numbers little-endian:
//       u64 number, u64 session that it ends with (0: none), u64 bytes of the image,
//       u32 bytes of the name, u32 CRC-32C of the name and the 28 bytes before this; the name; the
//       image (server/world/world_image.h), which has checksums of its own
//
// As large as the images of the worlds, which limits.worlds and the bodies of each bound. Network
// thread only. The functions are in service.h: this header is the format's.
#ifndef CAROM_SERVER_SESSION_HANDOVER_H
#define CAROM_SERVER_SESSION_HANDOVER_H

enum { HANDOVER_MAGIC_BYTES = 8, HANDOVER_HEAD_BYTES = 32 };

#endif
