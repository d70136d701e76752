// The module's exports for prediction: see predict.h.
#include "client/web/engine/predict.h"

#include <msgpack.h>
#include <stdlib.h>
#include <string.h>

#include "client/prediction/prediction.h"
#include "client/web/engine/engine_internal.h"
#include "common/base/assert.h"
#include "proto/encode/encode.h"

static uint64_t whole(double number)
{
    return number >= 0.0 && number < 9007199254740992.0 ? (uint64_t)number : 0;
}

// Finds the engine_world that a prediction follows: the context of its log player.
static engine_world *world_of(const engine_prediction *p)
{
    const log_player *player = prediction_follows(p);
    return player != NULL ? player->context : NULL;
}

static void let_go(engine_prediction *p)
{
    engine_world *world = world_of(p);
    if (world != NULL) {
        world->prediction = NULL;
        engine_want_events(world);
    }
}

static void attach(engine_prediction *p, engine_world *confirmed)
{
    if (confirmed != NULL && confirmed->prediction != NULL && confirmed->prediction != p) {
        prediction_follow(confirmed->prediction, NULL);
    }
    prediction_follow(p, confirmed != NULL ? &confirmed->player : NULL);
    if (confirmed != NULL) {
        confirmed->prediction = p;
        engine_want_events(confirmed);
    }
}

engine_prediction *carom_prediction_create(engine_world *confirmed, double session)
{
    prediction_options options = prediction_options_default();
    options.session = whole(session);
    engine_prediction *p = prediction_create(NULL, &options);
    attach(p, confirmed);
    return p;
}

void carom_prediction_free(engine_prediction *p)
{
    if (p != NULL) {
        let_go(p);
        prediction_free(p);
    }
}

void carom_prediction_follow(engine_prediction *p, engine_world *confirmed, double session)
{
    prediction_options options = prediction_options_of(p);
    options.session = whole(session);
    let_go(p);
    prediction_set(p, &options);
    attach(p, confirmed);
}

void carom_prediction_set(engine_prediction *p, uint32_t input_delay, double budget_ms, bool check,
                          uint32_t events, double smoothing_s)
{
    const prediction_options options = {
        .session = prediction_options_of(p).session,
        .input_delay = input_delay,
        .budget_ms = budget_ms > 0.0 ? budget_ms : 0.0,
        .check = check,
        .events = events & ((1u << EVENT_KIND_COUNT) - 1),
        .smoothing_s = smoothing_s > 0.0 ? smoothing_s : 0.0,
    };
    prediction_set(p, &options);
    if (world_of(p) != NULL) {
        engine_want_events(world_of(p));
    }
}

// ---- the network

void carom_prediction_arrival(engine_prediction *p, double now)
{
    prediction_note_arrival(p, now);
}

void carom_prediction_rtt(engine_prediction *p, double seconds)
{
    prediction_rtt(p, seconds);
}

void carom_prediction_margin(engine_prediction *p, double now, double seconds)
{
    prediction_margin(p, now, seconds);
}

void carom_prediction_refused(engine_prediction *p, double at)
{
    prediction_refused(p, whole(at));
}

// ---- a frame

void carom_prediction_begin(engine_prediction *p, double now)
{
    prediction_begin(p, now);
}

double carom_prediction_next(engine_prediction *p, double spent_ms)
{
    prediction_spent(p, spent_ms);
    prediction_input input;
    if (!prediction_next(p, &input)) {
        return 0.0;
    }
    return input.first_time ? (double)input.tick : -(double)input.tick;
}

bool carom_prediction_give(engine_prediction *p, const uint8_t *args, size_t size)
{
    error err = {0};
    command batch = {0};
    if (engine_decode(METHOD_WORLD_APPLY, args, size, &batch, &err) != STATUS_OK ||
        prediction_give(p, &batch, &err) != STATUS_OK) {
        return engine_fail(&err);
    }
    return true;
}

void carom_prediction_end(engine_prediction *p, double took_ms)
{
    prediction_end(p, took_ms);
}

// ---- the predicted world

double carom_prediction_tick(const engine_prediction *p)
{
    return (double)prediction_tick(p);
}

double carom_prediction_made(const engine_prediction *p, double at, uint32_t index)
{
    bool confirmed = false;
    const double id = (double)prediction_made(p, whole(at), index, &confirmed);
    return confirmed ? id : -id;
}

void carom_prediction_own(engine_prediction *p, double body)
{
    prediction_own(p, whole(body));
}

bool carom_prediction_predict(engine_prediction *p, double body, bool predicted)
{
    error err = {0};
    return prediction_predict(p, whole(body), predicted, &err) == STATUS_OK || engine_fail(&err);
}

uint32_t carom_prediction_poses(engine_prediction *p)
{
    const uint32_t count = prediction_poses(p, NULL, 0);
    prediction_pose *poses = malloc(((size_t)count + 1) * sizeof *poses);
    ASSERT(poses != NULL && engine_make_room(count));
    (void)prediction_poses(p, poses, count);
    for (uint32_t i = 0; i < count; i++) {
        const prediction_pose *b = &poses[i];
        const double flags = (b->awake ? 1.0 : 0.0) + (b->approximate ? 2.0 : 0.0);
        const double row[] = {(double)b->id, b->x, b->y, b->angle, b->vx, b->vy, b->w, flags};
        engine_put_row(i, row);
    }
    free(poses);
    return count;
}

bool carom_prediction_call(engine_prediction *p, const char *name, size_t name_size,
                           const uint8_t *args, size_t size)
{
    physics_world *world = prediction_world(p);
    if (world == NULL) {
        return engine_fail_with(STATUS_UNAVAILABLE, "nothing is predicted yet");
    }
    return engine_call(world, true, name, name_size, args, size);
}

// ---- events and figures

bool carom_prediction_events(engine_prediction *p)
{
    static buffer events = {.size_max = ENGINE_EVENT_BYTES_MAX};
    uint32_t count = 0;
    prediction_event e;
    buffer_clear(&events);
    while (prediction_next_event(p, &e)) {
        msgpack_packer one = buffer_packer(&events);
        msgpack_pack_array(&one, 3);
        msgpack_pack_int(&one, (int)e.fate);
        (void)(e.was_predicted ? msgpack_pack_true(&one) : msgpack_pack_false(&one));
        encode_event(&events, &e.event);
        count++;
    }
    if (events.overflow) {
        return engine_fail_with(STATUS_LIMIT_EXCEEDED, "the events are too many");
    }
    buffer_clear(&engine_result);
    msgpack_packer all = buffer_packer(&engine_result);
    msgpack_pack_array(&all, count);
    buffer_append(&engine_result, events.data, events.size);
    return engine_finish();
}

static void put_number(const char *name, double value)
{
    msgpack_packer packer = buffer_packer(&engine_result);
    msgpack_pack_str_with_body(&packer, name, strlen(name));
    msgpack_pack_double(&packer, value);
}

bool carom_prediction_figures(const engine_prediction *p)
{
    const prediction_figures f = prediction_figures_now(p);
    const struct {
        const char *name;
        double value;
    } numbers[] = {
#define FIGURE(name) {#name, (double)f.name},
        PREDICTION_FIGURES(FIGURE)
#undef FIGURE
    };
    const uint32_t count = sizeof numbers / sizeof *numbers;
    buffer_clear(&engine_result);
    msgpack_packer packer = buffer_packer(&engine_result);
    msgpack_pack_map(&packer, count);
    for (uint32_t i = 0; i < count; i++) {
        put_number(numbers[i].name, numbers[i].value);
    }
    return engine_finish();
}
