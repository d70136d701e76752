// The functions that the module exports: see engine.h.
#include "client/web/engine/engine_internal.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "client/prediction/prediction.h"
#include "common/base/assert.h"
#include "common/physics/image.h"
#include "common/world/apply.h"
#include "proto/commands/command_decode.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/log/log_compact.h"
#include "proto/log/log_player.h"
#include "proto/wire/buffer.h"
#include "proto/wire/check.h"
#include "proto/wire/scanner.h"

// Commands need a world's name; worlds here have none.
#define WORLD_NAME "local"

buffer engine_result = {.size_max = WIRE_REPLY_BYTES_MAX};
static double *rows;
static uint32_t rows_max;

int carom_interface(void)
{
    return ENGINE_INTERFACE;
}

int carom_behaviour(void)
{
    return ENGINE_BEHAVIOUR;
}

double carom_compact(void)
{
    return log_compact_tables();
}

void *carom_alloc(size_t bytes)
{
    return malloc(bytes);
}

void carom_free(void *bytes)
{
    free(bytes);
}

// ---- results

const uint8_t *carom_result(void)
{
    return engine_result.data;
}

size_t carom_result_size(void)
{
    return engine_result.size;
}

bool engine_fail(const error *err)
{
    const char *code = status_code(err->status);
    buffer_clear(&engine_result);
    buffer_append(&engine_result, code, strlen(code));
    buffer_append(&engine_result, ": ", 2);
    buffer_append(&engine_result, err->text, strlen(err->text));
    return false;
}

bool engine_fail_with(status s, const char *text)
{
    error err;
    error_set(&err, s, "%s", text);
    return engine_fail(&err);
}

// Publishes the bytes written since buffer_clear() as the result.
bool engine_finish(void)
{
    return engine_result.overflow
               ? engine_fail_with(STATUS_LIMIT_EXCEEDED, "the result is too large")
               : true;
}

// ---- commands

// Checks the caller's bytes as a server checks those of a client.
static status check(const uint8_t *args, size_t size, error *err)
{
    const scanner_limits limits = scanner_limits_reply();
    scanner s;
    size_t used = 0;
    scanner_init(&s, &limits);
    const scan_verdict verdict = scanner_feed(&s, args, size, &used, err);
    if (verdict == SCAN_REFUSED) {
        return err->status;
    }
    if (verdict == SCAN_MORE || used != size) {
        return error_set(err, STATUS_INVALID_ARGUMENT, "the arguments are not one complete value");
    }
    return message_check(args, size, err);
}

status engine_decode(method m, const uint8_t *args, size_t size, command *out, error *err)
{
    const status s = check(args, size, err);
    if (s != STATUS_OK) {
        return s;
    }
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    status decoded = STATUS_LIMIT_EXCEEDED;
    if (msgpack_unpack_next(&unpacked, (const char *)args, size, NULL) == MSGPACK_UNPACK_SUCCESS) {
        decoded = command_decode(m, &unpacked.data, out, err);
    } else {
        error_set(err, decoded, "memory has run out");
    }
    msgpack_unpacked_destroy(&unpacked);
    return decoded;
}

// Keeps the wanted events of the last step, or of commands on a paused world.
static void keep_events(engine_world *world)
{
    uint32_t count;
    const physics_event *events = world_events(world->physics, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((world->wanted & 1u << events[i].kind) == 0) {
            continue;
        }
        const size_t size = world->events.size;
        encode_event(&world->events, &events[i]);
        if (world->events.overflow) {
            buffer_truncate(&world->events, size);
            world->events_lost++;
        } else {
            world->event_count++;
        }
    }
}

bool engine_call(physics_world *physics, bool reads_only, const char *name, size_t name_size,
                 const uint8_t *args, size_t size)
{
    error err = {0};
    const method_info *info = method_find(name, name_size);
    if (info == NULL || !apply_supports(info->id)) {
        return engine_fail_with(STATUS_UNKNOWN_METHOD, "no such method of a world");
    }
    if (reads_only && method_scope_of(info->id) != SCOPE_WORLD_READ) {
        return engine_fail_with(STATUS_PERMISSION_DENIED,
                                "a predicted world is changed by batches alone");
    }
    command c = {0};
    if (engine_decode(info->id, args, size, &c, &err) != STATUS_OK) {
        return engine_fail(&err);
    }
    command_result r;
    status applied = command_check_present(&c, &err);
    if (applied == STATUS_OK) {
        applied = apply_command(physics, &c, &r, &err);
    }
    command_free(&c);
    if (applied != STATUS_OK) {
        return engine_fail(&err);
    }
    buffer_clear(&engine_result);
    encode_command_result(&engine_result, &r);
    command_result_free(&r);
    return engine_finish();
}

bool carom_world_call(engine_world *world, const char *name, size_t name_size, const uint8_t *args,
                      size_t size)
{
    return engine_call(world->physics, false, name, name_size, args, size);
}

// ---- worlds

static void on_step(void *context, physics_world *physics)
{
    engine_world *world = context;
    ASSERT(physics == world->physics);
    keep_events(world);
    if (world->prediction != NULL) {
        prediction_note_step(world->prediction);
    }
}

// Whether descriptions of bodies may differ after the command.
static bool redescribes(const command *c)
{
    if (c->method != METHOD_WORLD_APPLY) {
        return method_has(c->method, TRAIT_REDESCRIBES);
    }
    bool any = false;
    for (uint32_t i = 0; i < c->apply.count; i++) {
        any = any || redescribes(&c->apply.commands[i]);
    }
    return any;
}

static void on_command(void *context, const log_command *row, const command *c,
                       const command_result *r)
{
    engine_world *world = context;
    world->described += redescribes(c) ? 1 : 0;
    if (world->prediction != NULL) {
        prediction_note_command(world->prediction, row, c, r);
    }
}

static engine_world *adopt(physics_world *physics)
{
    engine_world *world = calloc(1, sizeof *world);
    ASSERT(world != NULL);
    world->physics = physics;
    world->player =
        (log_player){.world = physics, .applied = on_command, .stepped = on_step, .context = world};
    buffer_init(&world->events, ENGINE_EVENT_BYTES_MAX);
    world_want_events(physics, 0);
    return world;
}

engine_world *carom_world_create(const uint8_t *args, size_t size)
{
    error err = {0};
    command c = {0};
    if (engine_decode(METHOD_WORLD_CREATE, args, size, &c, &err) != STATUS_OK) {
        engine_fail(&err);
        return NULL;
    }
    const world_def def = command_world_def(&c.create, NULL);
    const bool scene = c.create.scene != NULL;
    command_free(&c);
    physics_world *physics = NULL;
    if (scene) {
        engine_fail_with(STATUS_INVALID_ARGUMENT,
                         "scene: a server's worlds alone are made of scenes");
    } else if (world_create(&def, &physics, &err) != STATUS_OK) {
        engine_fail(&err);
    } else {
        return adopt(physics);
    }
    return NULL;
}

engine_world *carom_world_restore(const uint8_t *image, size_t size)
{
    error err = {0};
    physics_world *physics = NULL;
    if (world_restore(image, size, &physics, &err) != STATUS_OK) {
        engine_fail(&err);
        return NULL;
    }
    return adopt(physics);
}

void carom_world_free(engine_world *world)
{
    if (world != NULL) {
        if (world->prediction != NULL) {
            prediction_follow(world->prediction, NULL);
        }
        world_free(world->physics);
        buffer_deinit(&world->events);
        free(world);
    }
}

void carom_world_step(engine_world *world, uint32_t ticks)
{
    for (uint32_t i = 0; i < ticks; i++) {
        world_step(world->physics);
        if (world->wanted != 0) {
            keep_events(world);
        }
    }
}

void carom_world_copy(engine_world *to, const engine_world *from)
{
    if (to != from) {
        world_copy(to->physics, from->physics);
        to->player.paused = from->player.paused;
    }
}

double carom_world_tick(const engine_world *world)
{
    return (double)world_tick(world->physics);
}

double carom_world_time(const engine_world *world)
{
    return world_time(world->physics);
}

bool carom_world_hash(const engine_world *world)
{
    buffer_clear(&engine_result);
    encode_hash(&engine_result, world_hash(world->physics));
    return engine_finish();
}

bool carom_world_save(const engine_world *world)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    world_save_sealed(world->physics, &bytes, &size);
    buffer_clear(&engine_result);
    msgpack_packer packer = buffer_packer(&engine_result);
    msgpack_pack_bin_with_body(&packer, bytes, size);
    free(bytes);
    return engine_finish();
}

bool carom_world_info(const engine_world *world)
{
    const world_status status = {
        .world = WORLD_NAME,
        .tick = world_tick(world->physics),
        .time = world_time(world->physics),
        .def = world_definition(world->physics),
        .paused = world->player.paused,
        .counts = world_count(world->physics),
        .hash = world_hash(world->physics),
    };
    buffer_clear(&engine_result);
    encode_world_status(&engine_result, &status);
    return engine_finish();
}

// ---- events

void engine_want_events(engine_world *world)
{
    const uint32_t foreseen =
        world->prediction != NULL ? prediction_event_kinds(world->prediction) : 0;
    world_want_events(world->physics, world->wanted | foreseen);
}

void carom_world_want_events(engine_world *world, uint32_t kinds)
{
    world->wanted = kinds & ((1u << EVENT_KIND_COUNT) - 1);
    engine_want_events(world);
}

bool carom_world_events(engine_world *world)
{
    buffer_clear(&engine_result);
    msgpack_packer packer = buffer_packer(&engine_result);
    msgpack_pack_array(&packer, world->event_count);
    buffer_append(&engine_result, world->events.data, world->events.size);
    buffer_clear(&world->events);
    world->event_count = 0;
    return engine_finish();
}

double carom_world_events_lost(const engine_world *world)
{
    return (double)world->events_lost;
}

// ---- states

bool engine_make_room(uint32_t count)
{
    if (count > rows_max) {
        const uint32_t most = count + count / 2 + 64;
        double *wider = realloc(rows, (size_t)most * ENGINE_ROW_DOUBLES * sizeof *rows);
        if (wider == NULL) {
            return false;
        }
        rows = wider;
        rows_max = most;
    }
    return true;
}

void engine_put_row(uint32_t index, const double row[ENGINE_ROW_DOUBLES])
{
    memcpy(rows + (size_t)index * ENGINE_ROW_DOUBLES, row, ENGINE_ROW_DOUBLES * sizeof *rows);
}

uint32_t carom_world_rows(engine_world *world, bool awake_only)
{
    const uint32_t count = world_count(world->physics).bodies;
    body_row *all = malloc(((size_t)count + 1) * sizeof *all);
    ASSERT(all != NULL && engine_make_room(count));
    const uint32_t found = world_rows(world->physics, all, count);
    uint32_t put = 0;
    for (uint32_t i = 0; i < found; i++) {
        const body_row *b = &all[i];
        if (b->awake || !awake_only) {
            const double row[] = {(double)b->id,
                                  b->position.x,
                                  b->position.y,
                                  (double)b->angle,
                                  (double)b->velocity.x,
                                  (double)b->velocity.y,
                                  (double)b->angular_velocity,
                                  b->awake ? 1.0 : 0.0};
            engine_put_row(put++, row);
        }
    }
    free(all);
    return put;
}

const double *carom_rows(void)
{
    return rows;
}

bool carom_world_body(const engine_world *world, double body)
{
    body_info info;
    error err;
    ASSERT(engine_make_room(1));
    if (!(body >= 1.0) || body >= 9007199254740992.0 ||
        body_get(world->physics, (body_id)body, &info, &err) != STATUS_OK) {
        return engine_fail_with(STATUS_NOT_FOUND, "there is no such body");
    }
    const double row[] = {body,
                          info.position.x,
                          info.position.y,
                          info.angle,
                          info.velocity.x,
                          info.velocity.y,
                          info.angular_velocity,
                          info.awake ? 1.0 : 0.0};
    engine_put_row(0, row);
    return true;
}

// ---- replicas

double carom_world_described(const engine_world *world)
{
    return (double)world->described;
}

void carom_world_set_paused(engine_world *world, bool paused)
{
    world->player.paused = paused;
}

// Plays at most `ticks` more ticks of a record.
static bool play_some(engine_world *world, const log_record *record, double ticks, error *err)
{
    const uint64_t tick = world_tick(world->physics);
    const bool whole = !(ticks < (double)LOG_TICKS_MAX);
    const uint64_t to = whole ? record->tick : tick + (ticks > 1.0 ? (uint64_t)ticks : 1);
    return log_player_play_to(&world->player, record, to < record->tick ? to : record->tick, err) ==
           STATUS_OK;
}

static bool tell_tick(const engine_world *world)
{
    buffer_clear(&engine_result);
    msgpack_packer packer = buffer_packer(&engine_result);
    msgpack_pack_uint64(&packer, world_tick(world->physics));
    return engine_finish();
}

bool carom_world_play(engine_world *world, const uint8_t *bytes, size_t size, double ticks)
{
    error err = {0};
    log_record record;
    if (log_record_decode(bytes, size, &record, &err) != STATUS_OK ||
        !play_some(world, &record, ticks, &err)) {
        return engine_fail(&err);
    }
    return tell_tick(world);
}

bool carom_world_within(const engine_world *world)
{
    return world->player.within;
}

bool carom_world_play_compact(engine_world *world, const uint8_t *bytes, size_t size, double ticks)
{
    const uint64_t from =
        world->player.within ? world->player.within_from : world_tick(world->physics);
    error err = {0};
    log_record record;
    buffer commands;
    buffer_init(&commands, LOG_RECORD_BYTES_MAX);
    bool played =
        log_compact_decode(bytes, size, from, WORLD_NAME, &commands, &record, &err) == STATUS_OK &&
        play_some(world, &record, ticks, &err);
    buffer_deinit(&commands);
    return played ? tell_tick(world) : engine_fail(&err);
}
