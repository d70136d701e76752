// Scenes: initial states of worlds as JSON files, for server, client, tests and benchmarks alike.
//
//   {"name": "wall", "description": "…",
//    "world": {"gravity": [0, -10], "hz": 60, …}     as of world.create: also substeps, sleep,
//                                                    continuous, max_bodies and the thresholds
//    "view": [-10, 0, 10, 10],                       the area worth looking at
//    "seed": 7,                                      of random()
//    "constants": {"n": 10, "w": "=0.5 * n"},
//    "commands": [
//      ["body.spawn", {"type": "static", "shapes": […]}, {"as": "floor"}],
//      {"for": {"i": [0, "n - 1"], "j": ["i", 9, 1]}, "do": [
//        ["body.spawn", {"position": ["=i + 0.5", 0], "shapes": […], "tag": "brick {i}"}]]},
//      {"if": "n > 3", "let": {"x": "n / 2"}, "do": […], "else": […]},
//      ["joint.create", {"kind": "weld", "a": "$floor", "b": "$brick{3}", …}]]}
//
// An entry is [method, arguments], as in world.apply but without the world, and may name the body,
// shape or joint that it makes with {"as": …}; or a block of entries. Of a block's keys `for` runs
// variables from a first to a last value, both counted, by a step (1 when left out), the first
// variable slowest; `let` then gives values to names, `if` chooses `do` or `else`. In `for`, `let`,
// `if` and `constants` a string is an expression, with or without "=" (see expression.h). In
// arguments a string that begins with "=" is an expression; in other strings {expression} is
// replaced by its value, a whole number, and {{ by a brace. A string that begins with "$" is
// replaced by the id of the object given that name before, and "$$" by a dollar. Whole numbers are
// written as integers.
//
// Loading unrolls the loops into plain commands in MessagePack. Only the ids are left open: a
// reference becomes an extension value with the number of the command that makes the object, and is
// filled in while the scene is applied or sent. So this file needs no engine, and clients use it
// too.
//
// Any thread; a loaded scene is only read.
#ifndef CAROM_PROTO_SCENE_SCENE_H
#define CAROM_PROTO_SCENE_SCENE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/base/status.h"
#include "proto/wire/buffer.h"
#include "proto/limits.h"

// The extension type of a reference: 4 bytes, big-endian, the index of the command.
enum { SCENE_REFERENCE_TYPE = 1 };

// The settings under `world`; the defaults of world.create where it says nothing. Ranges are
// checked by the engine.
typedef struct scene_world {
    double gravity[2]; // [m/s²]
    double hz;
    uint32_t substeps;
    uint32_t bodies_max; // 0: no limit of its own
    bool sleep;
    bool continuous;
    double restitution_threshold; // [m/s]
    double hit_threshold;         // [m/s]
    double sleep_speed;           // [m/s]
} scene_world;

typedef struct scene_command {
    uint32_t offset, size; // place in scene.bytes of the MessagePack [method, arguments]
    uint32_t entry;        // index in "commands" of the file, for error texts
} scene_command;

typedef struct scene {
    char *file; // path of its file; NULL: it is none
    char name[SCENE_NAME_MAX + 1];
    char description[SCENE_DESCRIPTION_MAX + 1];
    scene_world world;
    bool has_view;
    double view[4]; // x0, y0, x1, y1 [m]
    scene_command *commands;
    uint32_t command_count;
    buffer bytes;
} scene;

// Loads a scene. `where` (a file's name, for error texts) may be NULL. Errors: no JSON (line and
// column), a wrong entry (its index, and the fault), a limit. The caller frees it with
// scene_deinit.
status scene_load_text(const char *text, size_t size, const char *where, scene *out, error *err);
status scene_load_file(const char *path, scene *out, error *err);
void scene_deinit(scene *s);
// Puts the scene's file, or else its name, in front of an error that it causes later.
void scene_blame(const scene *s, error *err);

// The place in the file of a command by its index, as errors of loading name it, with the variables
// of its loops: "commands[2].do[0] (i = 3)". Loads the scene again, so only for errors. False when
// there is no such command.
bool scene_place(const char *text, size_t size, uint32_t index, char *out, size_t out_size);

// ---- references

// Appends command `index` to `out`. Each reference to a command i below `first` is replaced by
// ids[i], the id of the object made by it; from there on by {"$": i - first}, world.apply's form
// for an object made by the same batch.
void scene_resolve(const scene *s, uint32_t index, const uint64_t *ids, uint32_t first,
                   buffer *out);

// ---- sending a scene: one world.apply after the other

// Appends to `out` the MessagePack array [[method, arguments] …] of as many commands from `first`
// on as fit one world.apply: at least one, at most WIRE_APPLY_COMMANDS_MAX, and at most `bytes_max`
// bytes (SCENE_CHUNK_BYTES_MAX, or the server's limit if that is less). Returns their number, 0 at
// the end; out->overflow shows that memory has run out. `ids` has an element for each command of
// the scene; after each answer the caller copies the id in results[k] (of a body, shape or joint;
// 0: none) to ids[first + k].
uint32_t scene_next_chunk(const scene *s, uint32_t first, const uint64_t *ids, size_t bytes_max,
                          buffer *out);

#endif
