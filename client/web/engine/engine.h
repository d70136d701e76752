// The engine's interface for JavaScript: functions of numbers, and bytes in the module's memory.
//
// Arguments of methods go in, and results come out, as MessagePack, through the same decoding, the
// same checks and the same commands as in the server, so that a world here behaves like one of the
// server. The bodies' states, which are read every frame, are plain doubles instead.
//
// Conventions. A world is a pointer, which carom_world_free() frees. Ids are doubles: they are
// below 2^53. Functions that return bool put their answer in carom_result(): a MessagePack value if
// true, the text "code: what is wrong" if false. It is valid until the next such call. Input bytes
// are in memory from carom_alloc(), which the caller frees.
//
// One thread; no callbacks. After a trap, carom_fault() says which assertion failed.
#ifndef CAROM_CLIENT_WEB_ENGINE_ENGINE_H
#define CAROM_CLIENT_WEB_ENGINE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAROM_EXPORT __attribute__((visibility("default"), used))

enum {
    // The version of this interface; engine.js refuses another.
    ENGINE_INTERFACE = 3,
    // Most bytes of kept events. Later events are counted and dropped.
    ENGINE_EVENT_BYTES_MAX = 16 << 20,
    // Doubles in a row: id, x, y, angle, vx, vy, w, awake.
    ENGINE_ROW_DOUBLES = 8
};

typedef struct engine_world engine_world;

CAROM_EXPORT int carom_interface(void);
CAROM_EXPORT int carom_behaviour(void);  // ENGINE_BEHAVIOUR
CAROM_EXPORT double carom_compact(void); // log_compact_tables()
CAROM_EXPORT const char *carom_fault(void);

CAROM_EXPORT void *carom_alloc(size_t bytes); // NULL: out of memory
CAROM_EXPORT void carom_free(void *bytes);

CAROM_EXPORT const uint8_t *carom_result(void);
CAROM_EXPORT size_t carom_result_size(void);

// ---- worlds. NULL: the result is the error.

// `args` is a map as for world.create; only physics settings are used.
CAROM_EXPORT engine_world *carom_world_create(const uint8_t *args, size_t size);
// `image` is from world.image or carom_world_save().
CAROM_EXPORT engine_world *carom_world_restore(const uint8_t *image, size_t size);
CAROM_EXPORT void carom_world_free(engine_world *world);

CAROM_EXPORT void carom_world_step(engine_world *world, uint32_t ticks);
// Makes `to` the state of `from`, much faster than through an image.
CAROM_EXPORT void carom_world_copy(engine_world *to, const engine_world *from);
CAROM_EXPORT double carom_world_tick(const engine_world *world);
CAROM_EXPORT double carom_world_time(const engine_world *world);

// Answer the state's hash (8 bytes), its image (bytes), its counts and settings (a map).
CAROM_EXPORT bool carom_world_hash(const engine_world *world);
CAROM_EXPORT bool carom_world_save(const engine_world *world);
CAROM_EXPORT bool carom_world_info(const engine_world *world);

// Calls a method that changes or reads a world, with its map of arguments.
CAROM_EXPORT bool carom_world_call(engine_world *world, const char *method, size_t method_size,
                                   const uint8_t *args, size_t size);

// Keeps events of these kinds (bits 1 << event_kind) from now on; initially none.
CAROM_EXPORT void carom_world_want_events(engine_world *world, uint32_t kinds);
// Returns the kept events as an array and drops them.
CAROM_EXPORT bool carom_world_events(engine_world *world);
// The number of events dropped since ENGINE_EVENT_BYTES_MAX was reached.
CAROM_EXPORT double carom_world_events_lost(const engine_world *world);

// ---- states of bodies, ENGINE_ROW_DOUBLES each; valid until the next call of either function

// Rows of all bodies, or only of those awake, in ascending slot order. Returns their number.
CAROM_EXPORT uint32_t carom_world_rows(engine_world *world, bool awake_only);
CAROM_EXPORT const double *carom_rows(void);
// The row of one body; false: no body has that id.
CAROM_EXPORT bool carom_world_body(const engine_world *world, double body);

// ---- replicas

// Plays a record of a world's log (PROTOCOL.md, "The log of a world"), and compares the state's
// hash if the record has one. After false the world belongs to no log. The records do not say
// whether the world is paused where the log begins, so the caller sets that first.
CAROM_EXPORT void carom_world_set_paused(engine_world *world, bool paused);
//
// Plays at most `ticks` (1 or more) more ticks of it: called again with the same record, it
// continues, as long as carom_world_within() says that a part is left. Answers the tick reached.
CAROM_EXPORT bool carom_world_play(engine_world *world, const uint8_t *record, size_t size,
                                   double ticks);
CAROM_EXPORT bool carom_world_within(const engine_world *world);
// The number of commands played after which descriptions of bodies may differ.
CAROM_EXPORT double carom_world_described(const engine_world *world);
// As carom_world_play, for a record in the compact form, which must begin at the world's tick.
CAROM_EXPORT bool carom_world_play_compact(engine_world *world, const uint8_t *record, size_t size,
                                           double ticks);

#endif
