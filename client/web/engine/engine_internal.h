// Shared by the files of the module's exports: the struct of a world, and functions that make
// answers.
#ifndef CAROM_CLIENT_WEB_ENGINE_ENGINE_INTERNAL_H
#define CAROM_CLIENT_WEB_ENGINE_ENGINE_INTERNAL_H

#include "client/web/engine/engine.h"
#include "common/physics/physics.h"
#include "common/world/command.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"

struct engine_world {
    physics_world *physics;
    log_player player; // the log player, whose world is `physics`
    uint32_t wanted;   // event kinds to keep, bits 1 << event_kind
    buffer events;     // kept events, one encoded value after the other
    uint32_t event_count;
    uint64_t events_lost;
    uint64_t described; // commands of the log after which descriptions of bodies may differ
    struct prediction *prediction; // the prediction that follows this world; NULL: none
};

// The answer of a call: clear it, write a value, and call engine_finish(). engine_fail() makes the
// error the answer, and returns false.
extern buffer engine_result;
bool engine_finish(void);
bool engine_fail(const error *err);
bool engine_fail_with(status s, const char *text);

// Decodes a method's map of arguments, which need not be trusted.
status engine_decode(method m, const uint8_t *args, size_t size, command *out, error *err);
// Applies a method to a world of the module.
bool engine_call(physics_world *physics, bool reads_only, const char *name, size_t name_size,
                 const uint8_t *args, size_t size);

// Make room for `count` rows of ENGINE_ROW_DOUBLES (for carom_rows()), and write one of them.
bool engine_make_room(uint32_t count);
void engine_put_row(uint32_t index, const double row[ENGINE_ROW_DOUBLES]);

// Makes the world report the events that its owner and its prediction want.
void engine_want_events(engine_world *world);

#endif
