// Argument types other than numbers, texts and structs of the engine: enums for words, areas, the
// precision of snapshots. proto/schema describes the arguments; the build compares its words with
// these. Plain data; any thread.
#ifndef CAROM_COMMON_WORLD_COMMAND_TYPES_H
#define CAROM_COMMON_WORLD_COMMAND_TYPES_H

#include <stdint.h>

#include "common/world/limits.h"

// The part of a world's changes that survives the end of the process or of the machine.
typedef enum durability {
    DURABILITY_NONE,   // nothing
    DURABILITY_NORMAL, // every change that was answered or shown survives a crash of the process
    DURABILITY_FULL,   // they also survive a crash of the machine
    DURABILITY_REPLICATED, // a second server has each of them: they survive the machine's end
    DURABILITY_COUNT       // not given: NORMAL if the server keeps logs, else NONE
} durability;

// Bits for world settings that the caller gave explicitly.
typedef enum world_field {
    WORLD_FIELD_GRAVITY = 1 << 0,
    WORLD_FIELD_SLEEP = 1 << 1,
    WORLD_FIELD_HZ = 1 << 2,
    WORLD_FIELD_SUBSTEPS = 1 << 3,
    WORLD_FIELD_BODIES_MAX = 1 << 4,
    WORLD_FIELD_CONTINUOUS = 1 << 5,
    WORLD_FIELD_RESTITUTION_THRESHOLD = 1 << 6,
    WORLD_FIELD_HIT_THRESHOLD = 1 << 7,
    WORLD_FIELD_SLEEP_SPEED = 1 << 8
} world_field;

typedef enum lifetime {
    LIFETIME_NORMAL, // the world lives as long as the server, the body as long as the world
    LIFETIME_SESSION // ends with the session that made it
} lifetime;

// A rectangle: x0 <= x1, y0 <= y1 [m].
typedef struct area {
    double x0, y0, x1, y1;
} area;

// The treatment of a batch whose tick is over (world.apply).
typedef enum late_choice {
    LATE_REFUSE, // it is an error
    LATE_NEXT,   // it is applied with the next tick
    LATE_DROP,   // it is not applied, and its answer says so
    LATE_COUNT
} late_choice;

typedef enum snapshot_encoding {
    ENCODING_PLAIN,
    ENCODING_PACKED,
    ENCODING_LOG, // the applied commands, for a replica
    ENCODING_COUNT
} snapshot_encoding;

// Precision of a packed snapshot: the step between neighbouring values.
typedef struct snapshot_precision {
    double position; // [m]
    double angle;    // [rad]
    double velocity; // [m/s, rad/s]; 0: velocities are left out
} snapshot_precision;

// The bounds of the role player in a world, each a maximum (players.h).
typedef enum players_field {
    PLAYERS_METHODS = 1 << 0,
    PLAYERS_TYPES = 1 << 1,
    PLAYERS_BODIES = 1 << 2,
    PLAYERS_MASS = 1 << 3,
    PLAYERS_SIZE = 1 << 4,
    PLAYERS_SPEED = 1 << 5,
    PLAYERS_FORCE = 1 << 6,
    PLAYERS_IMPULSE = 1 << 7,
    PLAYERS_TORQUE = 1 << 8,
    PLAYERS_AREA = 1 << 9
} players_field;

typedef struct players_bounds {
    uint32_t fields;  // bits of players_field: which of the members below bound; the others are 0
    uint32_t methods; // bits by METHOD_PLAYERS_BITS
    uint32_t types;   // bits by body_type
    uint32_t bodies;
    double mass, size, speed, force, impulse, torque; // [kg, m, m/s, N, N s, N m]
    area area;
} players_bounds;
// Whom a message is for (message.send).
typedef enum message_to {
    MESSAGE_TO_ALL,
    MESSAGE_TO_REFEREE, // sessions of role referee or admin
    MESSAGE_TO_SUBJECT,
    MESSAGE_TO_SESSION
} message_to;

typedef struct message_recipient {
    message_to kind;
    const char *subject; // for MESSAGE_TO_SUBJECT, else NULL; in the command's memory
    uint64_t session;    // for MESSAGE_TO_SESSION, else 0
} message_recipient;

// A taken seat of a world (seats.h).
typedef struct world_seat {
    uint32_t seat; // 1 to the world's number of seats
    uint64_t session;
    char subject[OWNER_BYTES_MAX + 1]; // subject of the session; "": none
} world_seat;

typedef enum overlap_of { OVERLAP_AREA, OVERLAP_SHAPE, OVERLAP_POINT } overlap_of;

// A body that left a view's area stays in view within this margin, so that a body on the border
// does not come and go. The default is this share of the area's shorter side.
#define VIEW_MARGIN_SHARE (1.0 / 16.0)

#endif
