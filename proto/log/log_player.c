// Playing a log; see log_player.h. The world's thread.
#include "proto/log/log_player.h"

#include <inttypes.h>
#include <msgpack.h>
#include <string.h>

#include "proto/commands/command_decode.h"

static bool is_stopped(const log_player *p)
{
    return p->stop != NULL && atomic_load_explicit(p->stop, memory_order_relaxed);
}

static void step_to(log_player *p, uint64_t tick)
{
    while (world_tick(p->world) < tick && !is_stopped(p) && !p->held) {
        p->held = p->may_step != NULL && !p->may_step(p->context);
        if (p->held) {
            return;
        }
        world_step(p->world);
        if (p->stepped != NULL) {
            p->stepped(p->context, p->world);
        }
    }
}

static status refuse_stopped(error *err)
{
    return error_set(err, STATUS_UNAVAILABLE, "stopped");
}

void log_player_advance(log_player *p, uint64_t tick)
{
    if (!p->paused) {
        step_to(p, tick);
    }
}

static status refuse(const log_command *row, error *err)
{
    char place[96];
    snprintf(place, sizeof place, "tick %" PRIu64 ", %.*s", row->tick, (int)row->method_size,
             row->method);
    error_prefix(err, "%s", place);
    return STATUS_INVALID_ARGUMENT;
}

// Carries out world.pause or world.resume, which change the hosted world and not its physics; false
// for other methods.
static bool play_pause(log_player *p, method m, const log_command *row)
{
    if (m != METHOD_WORLD_PAUSE && m != METHOD_WORLD_RESUME) {
        return false;
    }
    step_to(p, row->tick);
    if (p->held) {
        return true;
    }
    p->paused = m == METHOD_WORLD_PAUSE;
    if (p->halted != NULL) {
        p->halted(p->context, row);
    }
    return true;
}

static status decode(const log_command *row, method m, command *out, error *err)
{
    msgpack_unpacked unpacked;
    msgpack_unpacked_init(&unpacked);
    status s = STATUS_INVALID_ARGUMENT;
    // The record's reader has checked that these bytes are one whole map within the bounds.
    if (msgpack_unpack_next(&unpacked, (const char *)row->arguments, row->arguments_size, NULL) ==
        MSGPACK_UNPACK_SUCCESS) {
        s = command_decode(m, &unpacked.data, out, err);
    } else {
        error_set(err, STATUS_INTERNAL, "no memory for the arguments");
    }
    msgpack_unpacked_destroy(&unpacked);
    return s;
}

// Whether the owner lets the command be decoded, or applied, now.
static bool may_go_on(log_player *p, const log_command *row, const command *c)
{
    p->held = p->held || (p->admits != NULL && !p->admits(p->context, row, c));
    return !p->held;
}

status log_player_command(log_player *p, const log_command *row, error *err)
{
    const method_info *info = method_find(row->method, row->method_size);
    if (info == NULL) {
        error_set(err, STATUS_INVALID_ARGUMENT, "there is no such method");
        return refuse(row, err);
    }
    if (play_pause(p, info->id, row)) {
        return STATUS_OK;
    }
    if (method_scope_of(info->id) != SCOPE_WORLD_COMMAND) {
        error_set(err, STATUS_INVALID_ARGUMENT, "it changes no world and has no place in a log");
        return refuse(row, err);
    }
    step_to(p, p->paused || row->tick == 0 ? row->tick : row->tick - 1);
    if (is_stopped(p)) {
        return refuse_stopped(err);
    }
    if (!may_go_on(p, row, NULL)) {
        return STATUS_OK;
    }
    command c = {0};
    if (decode(row, info->id, &c, err) != STATUS_OK) {
        return refuse(row, err);
    }
    if (!may_go_on(p, row, &c)) {
        command_free(&c);
        return STATUS_OK;
    }
    command_result result;
    status s = apply_command(p->world, &c, &result, err);
    if (s == STATUS_OK) {
        p->commands++;
        if (p->applied != NULL) {
            p->applied(p->context, row, &c, &result);
        }
        command_result_free(&result);
    }
    command_free(&c);
    return s == STATUS_OK ? STATUS_OK : refuse(row, err);
}

static status check_hash(log_player *p, const log_record *record, error *err)
{
    if (!record->has_hash || p->unverified) {
        return STATUS_OK;
    }
    uint64_t hash = world_hash(p->world);
    if (hash != record->hash) {
        return error_set(err, STATUS_INTERNAL,
                         "tick %" PRIu64 ": the state's hash is %016" PRIx64
                         ", the log says %016" PRIx64,
                         record->tick, hash, record->hash);
    }
    p->hashes++;
    return STATUS_OK;
}

status log_player_play(log_player *p, const log_record *record, error *err)
{
    return log_player_play_to(p, record, record->tick, err);
}

bool log_player_is_within(const log_player *p, const log_record *record, uint64_t tick)
{
    return p->within && record->from == p->within_from && record->tick == p->within_tick &&
           world_tick(p->world) <= tick;
}

status log_player_play_to(log_player *p, const log_record *record, uint64_t tick, error *err)
{
    bool again = log_player_is_within(p, record, tick);
    if (!again && record->from != world_tick(p->world)) {
        return error_set(err, STATUS_INVALID_ARGUMENT,
                         "the record begins at tick %" PRIu64 ", the world is at %" PRIu64,
                         record->from, world_tick(p->world));
    }
    size_t offset = 0;
    log_command row;
    uint32_t done = again ? p->within_rows : 0;
    p->held = false;
    for (uint32_t i = 0; !p->held && log_record_next(record, &offset, &row) && row.tick <= tick;
         i++) {
        status s = i < done ? STATUS_OK : log_player_command(p, &row, err);
        if (s != STATUS_OK) {
            return s;
        }
        done = i < done || p->held ? done : i + 1;
    }
    step_to(p, tick < record->tick ? tick : record->tick);
    if (is_stopped(p)) {
        return refuse_stopped(err);
    }
    p->within = p->held || tick < record->tick;
    p->within_from = record->from;
    p->within_tick = record->tick;
    p->within_rows = done;
    return p->within ? STATUS_OK : check_hash(p, record, err);
}
