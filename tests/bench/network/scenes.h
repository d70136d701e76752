// The worlds whose snapshots are measured.
#ifndef CAROM_TESTS_BENCH_NETWORK_SCENES_H
#define CAROM_TESTS_BENCH_NETWORK_SCENES_H

#include <stdint.h>

#include "common/physics/physics.h"
#include "proto/log/log_record.h"
#include "proto/wire/buffer.h"

typedef struct network_scene {
    const char *name, *title;
    double hz, seconds;
    double precision; // precision of places [m]
    int bodies;       // number of dynamic and kinematic bodies
    double width;     // half of the room's width [m]
    double pitch;     // distance between columns [m]
    int columns;
    double size;  // width of a box, or diameter of a circle [m]
    bool circles; // every second body is a circle
    double push;  // forces on the ball [N]: a share of its weight, sideways and up
    double lift;
    double sway;  // angle by which gravity rotates back and forth [rad]
    double until; // the ball is driven up to this time [s]
} network_scene;

const network_scene *network_scenes(int *count);

// Makes the scene at tick 0, and stores the id of the driven ball.
physics_world *network_scene_create(const network_scene *s, body_id *ball);

// The commands before a step, as rows of the log.
typedef struct scene_commands {
    buffer rows;
    uint32_t count;
} scene_commands;

void scene_commands_init(scene_commands *c);
void scene_commands_deinit(scene_commands *c);

// Makes one tick, with the commands that a player would have sent for it; clears the list first.
void network_scene_step(const network_scene *s, physics_world *world, body_id ball,
                        scene_commands *commands);
// The record of that tick.
log_record network_scene_record(const physics_world *world, const scene_commands *commands);

#endif
