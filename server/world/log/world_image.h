// A served world as bytes: its physics and the server's own data about it.
//
// Checkpoints of the storage contain it. All numbers are little-endian:
//
//     0   8   magic "\x89cworld\n"
//     8   u32 version, 5; 3 and 4 are read too: they are the same, but the log behind them has no
//             digests of bodies (3), or those of an earlier kind (4): see world_log.h. An older
//             server would not understand those of today
//     12  u32 flags: 1 paused, 2 has a view
//     16  u64 until: the restart steps on to this tick before it takes commands
//     24  4 x f64 the scene's view (zeros without)
//     56  u32 bodies that end with their sessions
//     60  u32 CRC-32C of the bytes before this and of those between 64 and the physics image
//     64  rows: u64 body, u64 session
//         u32 size of the owners' bytes, and they themselves (common/world/owners.h)
//         u32 number of session marks, and they themselves (last_requests.h)
//         the physics image (common/physics/image.h), to the end; it has a checksum of its own
//
// Any thread, one at a time.
#ifndef CAROM_SERVER_WORLD_LOG_WORLD_IMAGE_H
#define CAROM_SERVER_WORLD_LOG_WORLD_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "common/world/owners.h"
#include "server/base/bytes.h"
#include "server/world/state/session_bodies.h"
#include "server/world/state/last_requests.h"

typedef struct world_image {
    physics_world *physics; // owned by the reader
    session_bodies bodies;  // owned by the reader
    owners *owners;         // owned by the reader
    last_requests marks;    // owned by the reader
    uint64_t until;
    bool paused, has_view;
    area view;
} world_image;

// `marks` and `view` may be NULL. The caller gets one reference.
shared_bytes *world_image_encode(const physics_world *physics, const session_bodies *bodies,
                                 const owners *table, const last_requests *marks, const area *view,
                                 bool paused, uint64_t until);

// Decodes untrusted bytes. STATUS_INVALID_ARGUMENT says what is wrong; `out` then owns nothing.
status world_image_decode(const uint8_t *bytes, size_t size, world_image *out, error *err);

// Reads only the marks and `until`, without making a world. Errors as above.
status world_image_peek(const uint8_t *bytes, size_t size, last_requests *marks, uint64_t *until,
                        error *err);

#endif
