// The seats of a world: places for sessions that joined it (world.join).
//
// A world that joins made has the name of its template and a number of seats; a session takes one
// of them and has it until it leaves or ends. The seats are bytes that the engine keeps with the
// world (common/physics/seats.h), so that its images, logs, replicas and restarts have them, and
// its hash covers them. The server chooses the world and the seat; commands say which, so that
// every replay of a world's log has the same seats.
//
// Thread: the one that owns the world.
#ifndef CAROM_COMMON_WORLD_SEATS_H
#define CAROM_COMMON_WORLD_SEATS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/base/array.h"
#include "common/physics/seats.h"
#include "common/world/command.h"

typedef struct world_seats {
    char template_name[TEMPLATE_NAME_BYTES_MAX + 1]; // "": the world has no seats
    uint32_t count;                                  // seats of the world, 1 to WORLD_SEATS_MAX
    ARRAY(world_seat) taken;                         // ascending by seat
} world_seats;

void world_seats_deinit(world_seats *s);

// Whether the text may be a template's name: 1 to TEMPLATE_NAME_BYTES_MAX of A-Z a-z 0-9 _ . -
bool seats_name_valid(const char *name);

// Gives a world that has none `count` seats, which are all free.
void seats_begin(physics_world *world, const char *template_name, uint32_t count);
// Ends the world's seats: it is a copy that nobody joined.
void seats_end(physics_world *world);

// The world's seats; without a template's name if it has none, or if they cannot be read, which
// only an altered image brings about. The caller owns `out`.
void seats_of(const physics_world *world, world_seats *out);
// The numbers of seats taken and of all seats; 0 in a world without seats. Constant time.
void seats_count(const physics_world *world, uint32_t *taken, uint32_t *count);

// Seats the command's session. STATUS_NOT_FOUND in a world without seats or of another template,
// STATUS_LIMIT_EXCEEDED if the seat is taken or none of the world's, STATUS_ALREADY_EXISTS if the
// session has one.
status seats_take(physics_world *world, const world_join_args *join, error *err);
// Frees the session's seat. STATUS_NOT_FOUND if it has none.
status seats_free(physics_world *world, const world_leave_args *leave, error *err);

#endif
