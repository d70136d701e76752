// Batches: an array of commands in the protocol's form, and the array of their results. One thread
// at a time.
#include <carom/batch.h>

#include <stdlib.h>
#include <string.h>

#include <carom/joint.h>

#include "client/lib/call.h"
#include "proto/limits.h"

_Static_assert(CAROM_BATCH_COMMANDS_MAX == WIRE_APPLY_COMMANDS_MAX, "as the protocol has it");

struct carom_batch {
    carom_value *commands; // NULL: none yet
    carom_value *results;  // NULL: not applied
    size_t count;
    carom_error error; // the first error of building; CAROM_OK: none
};

carom_batch *carom_batch_create(void)
{
    return calloc(1, sizeof(carom_batch));
}

void carom_batch_clear(carom_batch *batch)
{
    if (batch != NULL) {
        carom_value_free(batch->commands);
        carom_value_free(batch->results);
        *batch = (carom_batch){0};
    }
}

void carom_batch_free(carom_batch *batch)
{
    carom_batch_clear(batch);
    free(batch);
}

size_t carom_batch_count(const carom_batch *batch)
{
    return batch == NULL ? 0 : batch->count;
}

static void append(carom_batch *batch, const char *method, carom_value *args)
{
    if (batch->count >= CAROM_BATCH_COMMANDS_MAX) {
        carom_value_free(args);
        fault_set(&batch->error, CAROM_LIMIT_EXCEEDED, "commands: at most %u go into one batch",
                  CAROM_BATCH_COMMANDS_MAX);
        return;
    }
    if (batch->commands == NULL) {
        batch->commands = carom_array();
    }
    carom_value *command = carom_push(carom_push(carom_array(), carom_str(method)), args);
    bool whole = carom_value_ok(command);
    carom_push(batch->commands, command);
    if (!whole || carom_value_count(batch->commands) != batch->count + 1) {
        fault_memory(&batch->error);
    }
}

size_t carom_batch_add(carom_batch *batch, const char *method, carom_value *args)
{
    if (batch == NULL) {
        carom_value_free(args);
        return 0;
    }
    size_t index = batch->count;
    if (batch->error.status != CAROM_OK) {
        carom_value_free(args);
    } else if (method == NULL) {
        carom_value_free(args);
        fault_set(&batch->error, CAROM_INVALID_ARGUMENT, "commands[%zu]: method: missing", index);
    } else {
        append(batch, method, args != NULL ? args : carom_map());
    }
    batch->count += batch->count < CAROM_BATCH_COMMANDS_MAX;
    return index;
}

size_t batch_add_made(carom_batch *batch, const char *method, carom_value *args, const void *given)
{
    if (batch != NULL && args == NULL && batch->error.status == CAROM_OK) {
        if (given == NULL) {
            fault_set(&batch->error, CAROM_INVALID_ARGUMENT, "commands[%zu]: %s: missing (NULL)",
                      batch->count, method);
        } else {
            fault_memory(&batch->error);
        }
    }
    return carom_batch_add(batch, method, args);
}

size_t carom_batch_spawn(carom_batch *batch, const carom_body_options *options)
{
    return batch_add_made(batch, "body.spawn", carom_body_spawn_args(NULL, options), "");
}

size_t carom_batch_remove(carom_batch *batch, uint64_t body)
{
    return batch_add_made(batch, "body.remove", id_args(NULL, "body", body), "");
}

size_t carom_batch_impulse(carom_batch *batch, uint64_t body, carom_vec2 impulse)
{
    carom_value *args = carom_set(id_args(NULL, "body", body), "impulse", vec_value(impulse));
    return batch_add_made(batch, "body.impulse", args, "");
}

size_t carom_batch_joint(carom_batch *batch, const carom_joint_settings *settings)
{
    return batch_add_made(batch, "joint.create", carom_joint_create_args(NULL, settings), settings);
}

size_t carom_batch_shape_set(carom_batch *batch, uint64_t shape, const carom_shape_change *change)
{
    return batch_add_made(batch, "shape.set", carom_shape_set_args(NULL, shape, change), change);
}

// Moves a reference to another command's result, {"$": index}; other values stay.
static void move_reference(carom_value *args, size_t index, size_t shift)
{
    const char *key = carom_value_key(args, index, NULL);
    const carom_value *value = carom_value_at(args, index);
    bool own = strcmp(key, "value") == 0 || strcmp(key, "data") == 0; // the game's own values
    if (own || carom_value_type(value) != CAROM_MAP || carom_value_count(value) != 1 ||
        carom_value_get(value, "$") == NULL) {
        return;
    }
    uint64_t named = carom_get_uint(value, "$", 0);
    carom_set(args, key, carom_set(carom_map(), "$", carom_uint(named + shift)));
}

// Copies command `index` with its references moved.
static carom_value *moved_command(const carom_batch *batch, size_t index, size_t shift)
{
    const carom_value *command = carom_value_at(batch->commands, index);
    carom_value *args = carom_value_clone(carom_value_at(command, 1));
    for (size_t i = 0; i < carom_value_count(args); i++) {
        move_reference(args, i, shift);
    }
    return carom_push(carom_push(carom_array(), carom_value_clone(carom_value_at(command, 0))),
                      args);
}

carom_value *carom_batch_commands(const carom_batch *batch, size_t shift, carom_error *err)
{
    if (batch == NULL || batch->error.status != CAROM_OK) {
        batch == NULL ? fault_missing(err, "batch") : fault_copy(err, &batch->error);
        return NULL;
    }
    carom_value *commands = carom_array();
    for (size_t i = 0; i < batch->count; i++) {
        carom_push(commands, moved_command(batch, i, shift));
    }
    if (!carom_value_ok(commands)) {
        carom_value_free(commands);
        fault_memory(err);
        return NULL;
    }
    return commands;
}

// Makes the arguments for world.apply from a batch built without an error: *args, owned by the
// caller.
static carom_status apply_args(const carom_batch *batch, const char *world, carom_value **args,
                               carom_error *err)
{
    if (batch == NULL) {
        return fault_missing(err, "batch");
    }
    if (batch->error.status != CAROM_OK) {
        return fault_copy(err, &batch->error);
    }
    *args = carom_set(world_args(world), "commands",
                      batch->commands == NULL ? carom_array() : carom_value_clone(batch->commands));
    return CAROM_OK;
}

// Makes the same arguments, for the tick `at`.
static carom_status timed_args(const carom_batch *batch, const char *world, uint64_t at,
                               carom_late late, carom_value **args, carom_error *err)
{
    static const char *const WORDS[] = {"refuse", "next", "drop"};
    if ((unsigned)late >= sizeof WORDS / sizeof *WORDS) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "late: no carom_late, is %d", (int)late);
    }
    carom_status outcome = apply_args(batch, world, args, err);
    if (outcome == CAROM_OK) {
        carom_set(*args, "at", carom_uint(at));
        carom_set(*args, "late", carom_str(WORDS[late]));
    }
    return outcome;
}

// Calls with `args`, which it frees, and keeps the results; with CAROM_NO_REPLY there are none.
static carom_status apply(carom_batch *batch, carom_client *client, const char *world,
                          carom_value *args, int timeout_ms, carom_batch_timing *out,
                          carom_error *err)
{
    carom_value *result = NULL;
    carom_status outcome = call_world(client, world, "world.apply", args, timeout_ms, &result, err);
    *out = (carom_batch_timing){0};
    if (outcome == CAROM_OK) {
        *out = (carom_batch_timing){.tick = carom_get_uint(result, "tick", 0),
                                    .dropped = carom_get_bool(result, "dropped", false),
                                    .late = carom_get_uint(result, "late", 0),
                                    .margin = carom_get_real(result, "margin", 0.0)};
        carom_value_free(batch->results);
        batch->results = carom_value_take(result, "results");
    }
    carom_value_free(result);
    return outcome;
}

carom_status carom_batch_apply(carom_batch *batch, carom_client *client, const char *world,
                               const uint64_t *at, int timeout_ms, uint64_t *tick, carom_error *err)
{
    carom_value *args = NULL;
    carom_batch_timing applied;
    carom_status outcome = apply_args(batch, world, &args, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (at != NULL) {
        carom_set(args, "at", carom_uint(*at));
    }
    outcome = apply(batch, client, world, args, timeout_ms, &applied, err);
    if (outcome == CAROM_OK && tick != NULL) {
        *tick = applied.tick;
    }
    return outcome;
}

carom_status carom_batch_apply_at(carom_batch *batch, carom_client *client, const char *world,
                                  uint64_t at, carom_late late, int timeout_ms,
                                  carom_batch_timing *applied, carom_error *err)
{
    carom_value *args = NULL;
    carom_batch_timing unwanted;
    carom_status outcome = timed_args(batch, world, at, late, &args, err);
    return outcome != CAROM_OK ? outcome
                               : apply(batch, client, world, args, timeout_ms,
                                       applied != NULL ? applied : &unwanted, err);
}

const carom_value *carom_batch_result(const carom_batch *batch, size_t index)
{
    return batch == NULL ? NULL : carom_value_at(batch->results, index);
}

uint64_t carom_batch_id(const carom_batch *batch, size_t index)
{
    static const char *const KEYS[] = {"body", "shape", "joint"};
    const carom_value *result = carom_batch_result(batch, index);
    uint64_t id = 0;
    for (size_t i = 0; i < sizeof KEYS / sizeof *KEYS && id == 0; i++) {
        id = carom_get_uint(result, KEYS[i], 0);
    }
    return id;
}
