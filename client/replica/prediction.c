// Prediction for C; see carom/prediction.h. The core is client/prediction; this file has the client
// that sends, the callbacks, and the mode without prediction.
#include <carom/prediction.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <carom/batch.h>

#include "client/prediction/prediction.h"
#include "client/replica/replica.h"

#define PING_S          1.0 // time between measurements of the round trip
#define PING_TIMEOUT_MS 5000
#define UNPREDICTED_MAX 10 // ticks for which one frame asks for commands, without prediction

_Static_assert((int)CAROM_FATE_PREDICTED == (int)PREDICTION_EVENT_PREDICTED &&
                   (int)CAROM_FATE_CONFIRMED == (int)PREDICTION_EVENT_CONFIRMED &&
                   (int)CAROM_FATE_TAKEN_BACK == (int)PREDICTION_EVENT_TAKEN_BACK,
               "fates are the core's");

struct carom_prediction {
    carom_prediction_options options;
    carom_client *client; // NULL: options.send
    carom_replica *replica;
    prediction *core;
    carom_error why; // status CAROM_OK: commands are predicted
    // ---- the frame
    double now;
    carom_value *commands; // commands of the current tick; NULL outside of input
    bool ignores;          // the tick is predicted again: new commands are ignored
    double asked_until;    // without prediction: the time up to which commands were asked for [s]
    uint64_t asked;        // the number of ticks asked for so far
    // ids of requests in flight; 0: none
    uint64_t ping, probe;
    uint64_t probe_at;
    bool probed;             // the server has answered a batch with `late`
    double pinged;           // when the last ping was sent [s]
    double pinged_ms;        // time of the last ping, by clock_ms()
    replica_telling telling; // state of carom_prediction_snapshot()
};

carom_prediction_options carom_prediction_options_default(void)
{
    const unsigned all = (1u << EVENT_KIND_COUNT) - 1;
    return (carom_prediction_options){.events = all & ~(1u << CAROM_EVENT_STAY),
                                      .smoothing_s = PREDICTION_SMOOTHING_S};
}

static uint64_t session_of(const carom_prediction *p)
{
    const bool told = p->options.session != 0 || p->client == NULL;
    return told ? p->options.session
                : carom_get_uint(carom_hello_of(p->client, p->replica->world), "session", 0);
}

static prediction_options core_options(const carom_prediction *p)
{
    return (prediction_options){
        .session = session_of(p),
        .input_delay = p->options.input_delay,
        .budget_ms = p->options.budget_ms,
        .check = p->options.check,
        .events = p->options.event != NULL ? p->options.events : 0,
        .smoothing_s = p->options.smoothing_s,
    };
}

static carom_status check_options(const carom_prediction_options *o, carom_error *err)
{
    if (o->input_delay > 3) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "input_delay: 0 to 3 ticks, got %u",
                             o->input_delay);
    }
    if (!(o->budget_ms >= 0.0) || !isfinite(o->budget_ms)) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "budget_ms: 0 or more, got %g",
                             o->budget_ms);
    }
    if (!(o->smoothing_s >= 0.0) || !isfinite(o->smoothing_s)) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "smoothing_s: 0 or more, got %g",
                             o->smoothing_s);
    }
    return CAROM_OK;
}

carom_status carom_prediction_create(carom_client *client, carom_replica *replica,
                                     const carom_prediction_options *options,
                                     carom_prediction **out, carom_error *err)
{
    if (replica == NULL || options == NULL || out == NULL) {
        return replica_fault_null(err, replica == NULL   ? "replica"
                                       : options == NULL ? "options"
                                                         : "out");
    }
    *out = NULL;
    if (client == NULL && options->send == NULL && options->input != NULL) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT,
                             "client: NULL needs options.send, which sends the commands");
    }
    if (replica->prediction != NULL) {
        return replica_fault(err, CAROM_ALREADY_EXISTS, "the replica has a prediction already");
    }
    const carom_status s = check_options(options, err);
    if (s != CAROM_OK) {
        return s;
    }
    carom_prediction *p = calloc(1, sizeof *p);
    if (p == NULL) {
        return replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a prediction");
    }
    p->options = *options;
    p->client = options->send == NULL ? client : NULL;
    p->replica = replica;
    replica_telling_init(&p->telling);
    const prediction_options of_core = core_options(p);
    p->core = prediction_create(&replica->player, &of_core);
    replica->prediction = p->core;
    replica_want_events(replica);
    *out = p;
    return CAROM_OK;
}

void carom_prediction_free(carom_prediction *p)
{
    if (p == NULL) {
        return;
    }
    if (p->ping != 0) {
        carom_cancel(p->client, p->ping);
    }
    if (p->probe != 0) {
        carom_cancel(p->client, p->probe);
    }
    p->replica->prediction = NULL;
    replica_want_events(p->replica);
    prediction_free(p->core);
    replica_telling_deinit(&p->telling);
    carom_value_free(p->commands);
    free(p);
}

bool carom_prediction_active(const carom_prediction *p, carom_error *err)
{
    if (p == NULL) {
        replica_fault_null(err, "prediction");
        return false;
    }
    if (err != NULL) {
        *err = p->why;
    }
    return p->why.status == CAROM_OK;
}

// ---- the network

static double clock_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static void look_at_engine(carom_prediction *p)
{
    const carom_value *hello = p->client != NULL ? carom_hello(p->client) : NULL;
    const int64_t engine = carom_get_int(hello, "engine", ENGINE_BEHAVIOUR);
    if (engine != ENGINE_BEHAVIOUR && p->why.status == CAROM_OK) {
        replica_fault(&p->why, CAROM_UNAVAILABLE,
                      "the server's engine is of behaviour %lld, this one of %d: commands are not "
                      "predicted",
                      (long long)engine, ENGINE_BEHAVIOUR);
    }
}

static void on_pong(carom_client *client, uint64_t request, const carom_value *result,
                    const carom_error *err, void *user)
{
    carom_prediction *p = user;
    (void)client;
    (void)request;
    (void)result;
    p->ping = 0;
    if (err == NULL) {
        prediction_rtt(p->core, 1e-3 * (clock_ms() - p->pinged_ms));
    }
}

static void measure(carom_prediction *p)
{
    if (p->client == NULL || p->ping != 0 || (p->pinged != 0.0 && p->now - p->pinged < PING_S)) {
        return;
    }
    p->pinged = p->now;
    p->pinged_ms = clock_ms();
    (void)carom_request(p->client, "ping", NULL, PING_TIMEOUT_MS, on_pong, p, &p->ping, NULL);
}

// The first batch is a request: a server that does not know `late` answers it with an error.
static void on_probe(carom_client *client, uint64_t request, const carom_value *result,
                     const carom_error *err, void *user)
{
    carom_prediction *p = user;
    (void)client;
    (void)request;
    p->probe = 0;
    if (err == NULL) {
        p->probed = true;
        prediction_margin(p->core, p->now, carom_get_real(result, "margin", (double)NAN));
        return;
    }
    prediction_refused(p->core, p->probe_at);
    if (err->from_server && err->status == CAROM_INVALID_ARGUMENT &&
        strstr(err->text, "late") != NULL) {
        replica_fault(&p->why, CAROM_UNAVAILABLE,
                      "the server is older than `late` (%.120s): commands are not predicted",
                      err->text);
    }
}

static bool send_batch(carom_prediction *p, const carom_value *args, uint64_t at)
{
    if (p->options.send != NULL) {
        return p->options.send(args, p->options.user);
    }
    const bool probes = at != 0 && !p->probed && p->probe == 0;
    if (probes) {
        p->probe_at = at;
        return carom_request(p->client, "world.apply", args, PING_TIMEOUT_MS, on_probe, p,
                             &p->probe, NULL) == CAROM_OK;
    }
    return carom_send(p->client, "world.apply", args, NULL) == CAROM_OK;
}

carom_status carom_prediction_feed(carom_prediction *p, const carom_snapshot *snapshot, double now,
                                   carom_error *err)
{
    if (p == NULL || snapshot == NULL) {
        return replica_fault_null(err, p == NULL ? "prediction" : "snapshot");
    }
    if (!snapshot->log) {
        return CAROM_OK;
    }
    const carom_status s =
        carom_replica_feed(p->replica, snapshot->encoded, snapshot->encoded_size, err);
    if (s == CAROM_OK) {
        prediction_note_arrival(p->core, now);
    }
    if (snapshot->has_margin) {
        prediction_margin(p->core, now, snapshot->margin);
    }
    return s;
}

void carom_prediction_rtt(carom_prediction *p, double seconds)
{
    if (p != NULL) {
        prediction_rtt(p->core, seconds);
    }
}

void carom_prediction_margin(carom_prediction *p, double now, double seconds)
{
    if (p != NULL) {
        prediction_margin(p->core, now, seconds);
    }
}

void carom_prediction_refused(carom_prediction *p, uint64_t at)
{
    if (p != NULL) {
        prediction_refused(p->core, at);
    }
}

// ---- commands

carom_status carom_prediction_command(carom_prediction *p, const char *name,
                                      const carom_value *args, carom_error *err)
{
    if (p == NULL || name == NULL) {
        return replica_fault_null(err, p == NULL ? "prediction" : "method");
    }
    if (p->ignores) {
        return CAROM_OK;
    }
    if (p->commands == NULL) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT,
                             "a command is given in the input function alone");
    }
    carom_value *pair = carom_array();
    carom_push(pair, carom_str(name));
    carom_push(pair, args != NULL ? carom_value_clone(args) : carom_map());
    carom_push(p->commands, pair);
    return carom_value_ok(p->commands)
               ? CAROM_OK
               : replica_fault(err, CAROM_OUT_OF_MEMORY, "no memory for a command");
}

static carom_value *batch_of(const carom_prediction *p, carom_value *commands, uint64_t at)
{
    carom_value *args = carom_map();
    if (*p->replica->world != '\0') {
        carom_set(args, "world", carom_str(p->replica->world));
    }
    carom_set(args, "commands", commands);
    if (at != 0) {
        carom_set(args, "at", carom_uint(at));
        carom_set(args, "late", carom_str("next"));
    }
    return args;
}

// Calls the input function. Returns the commands that it gave, NULL for none.
static carom_value *ask(carom_prediction *p, uint64_t tick, bool first_time)
{
    if (p->options.input == NULL) {
        return NULL;
    }
    p->commands = first_time ? carom_array() : NULL;
    p->ignores = !first_time;
    p->options.input(p, tick, first_time, p->options.user);
    p->ignores = false;
    carom_value *given = p->commands;
    p->commands = NULL;
    if (given != NULL && carom_value_count(given) == 0 && carom_value_ok(given)) {
        carom_value_free(given);
        given = NULL;
    }
    return given;
}

static carom_status give(carom_prediction *p, carom_value *commands, uint64_t at, carom_error *err)
{
    carom_value *args = batch_of(p, commands, at);
    command batch = {0};
    struct error why;
    carom_status s = replica_decode(p->replica->world, METHOD_WORLD_APPLY, args, &batch, err);
    if (s == CAROM_OK && prediction_give(p->core, &batch, &why) != STATUS_OK) {
        s = replica_fault_of(err, &why);
    }
    if (s == CAROM_OK && !send_batch(p, args, at)) {
        prediction_refused(p->core, at);
    }
    carom_value_free(args);
    return s;
}

// ---- frames

static void tell_events(carom_prediction *p)
{
    prediction_event e;
    while (prediction_next_event(p->core, &e)) {
        if (p->options.event != NULL) {
            const carom_event told = replica_event_of(&e.event);
            p->options.event(&told, (carom_prediction_fate)e.fate, e.was_predicted,
                             p->options.user);
        }
    }
}

static carom_status predict(carom_prediction *p, carom_error *err)
{
    carom_status result = CAROM_OK;
    prediction_input input;
    const double begun = clock_ms();
    prediction_begin(p->core, p->now);
    while (prediction_spent(p->core, clock_ms() - begun), prediction_next(p->core, &input)) {
        carom_value *commands = ask(p, input.tick, input.first_time);
        if (commands != NULL) {
            const carom_status s = give(p, commands, input.tick, result == CAROM_OK ? err : NULL);
            result = result == CAROM_OK ? s : result;
        }
    }
    prediction_end(p->core, clock_ms() - begun);
    return result;
}

// Without prediction, commands are asked for once per tick's time, and sent to take effect on
// arrival.
static carom_status go_on_without(carom_prediction *p)
{
    const physics_world *world = p->replica->player.world;
    const double dt = 1.0 / (world != NULL ? world_definition(world).hz : 60.0);
    if (p->now - p->asked_until > UNPREDICTED_MAX * dt) {
        p->asked_until = p->now - dt;
    }
    for (; p->asked_until + dt <= p->now; p->asked_until += dt) {
        carom_value *commands = ask(p, ++p->asked, true);
        if (commands != NULL) {
            carom_value *args = batch_of(p, commands, 0);
            (void)send_batch(p, args, 0);
            carom_value_free(args);
        }
    }
    return CAROM_OK;
}

carom_status carom_prediction_frame(carom_prediction *p, double now, carom_error *err)
{
    if (p == NULL) {
        return replica_fault_null(err, "prediction");
    }
    if (!isfinite(now)) {
        return replica_fault(err, CAROM_INVALID_ARGUMENT, "now: a finite number of seconds");
    }
    p->now = now;
    look_at_engine(p);
    if (p->why.status != CAROM_OK) {
        return go_on_without(p);
    }
    measure(p);
    const prediction_options options = core_options(p);
    prediction_set(p->core, &options); // the session may be a new one
    const carom_status s = predict(p, err);
    tell_events(p);
    return s;
}

// ---- the predicted world

uint64_t carom_prediction_tick(const carom_prediction *p)
{
    return p != NULL ? prediction_tick(p->core) : 0;
}

static carom_prediction_pose pose_of(const prediction_pose *b)
{
    return (carom_prediction_pose){.id = b->id,
                                   .x = b->x,
                                   .y = b->y,
                                   .angle = b->angle,
                                   .vx = b->vx,
                                   .vy = b->vy,
                                   .w = b->w,
                                   .awake = b->awake,
                                   .approximate = b->approximate};
}

// The poses of the bodies in the replica.
static size_t confirmed_poses(const carom_prediction *p, carom_prediction_pose *out, size_t max)
{
    const size_t count = carom_replica_bodies(p->replica, NULL, 0);
    carom_body *bodies = calloc(count + 1, sizeof *bodies);
    if (bodies == NULL) {
        return 0;
    }
    (void)carom_replica_bodies(p->replica, bodies, count);
    for (size_t i = 0; i < count && i < max; i++) {
        const carom_body *b = &bodies[i];
        out[i] = (carom_prediction_pose){.id = b->id,
                                         .x = b->x,
                                         .y = b->y,
                                         .angle = b->angle,
                                         .vx = b->vx,
                                         .vy = b->vy,
                                         .w = b->w,
                                         .awake = true};
    }
    free(bodies);
    return count;
}

size_t carom_prediction_poses(carom_prediction *p, carom_prediction_pose *out, size_t max)
{
    if (p == NULL || (out == NULL && max > 0)) {
        return 0;
    }
    if (p->why.status != CAROM_OK) {
        return confirmed_poses(p, out, max);
    }
    const uint32_t count = prediction_poses(p->core, NULL, 0);
    prediction_pose *poses = calloc(count + 1u, sizeof *poses);
    if (poses == NULL) {
        return 0;
    }
    (void)prediction_poses(p->core, poses, count);
    for (uint32_t i = 0; i < count && i < max; i++) {
        out[i] = pose_of(&poses[i]);
    }
    free(poses);
    return count;
}

// The world that is drawn.
static physics_world *shown_world(const carom_prediction *p)
{
    return p->why.status == CAROM_OK ? prediction_world(p->core) : p->replica->player.world;
}

carom_status carom_prediction_snapshot(carom_prediction *p,
                                       const carom_replica_snapshot_options *options,
                                       const void **encoded, size_t *size, carom_error *err)
{
    if (p == NULL || encoded == NULL || size == NULL) {
        return replica_fault_null(err, p == NULL ? "prediction" : "encoded or size");
    }
    carom_replica_snapshot_options all =
        options != NULL ? *options : (carom_replica_snapshot_options){0};
    all.full = true; // predicted bodies come and go with each correction
    all.events = 0;
    *encoded = NULL;
    *size = 0;
    const carom_status s = replica_tell(p->replica, &p->telling, shown_world(p), &all, err);
    if (s == CAROM_OK) {
        *encoded = p->telling.out.data;
        *size = p->telling.out.size;
    }
    return s;
}

carom_status carom_prediction_call(carom_prediction *p, const char *name, const carom_value *args,
                                   carom_value **result, carom_error *err)
{
    if (p == NULL) {
        return replica_fault_null(err, "prediction");
    }
    return replica_call_on(p->replica, shown_world(p), name, args, result, err);
}

uint64_t carom_prediction_made(const carom_prediction *p, uint64_t at, size_t index,
                               bool *confirmed)
{
    bool known = false;
    const uint64_t id =
        p != NULL && index < UINT32_MAX ? prediction_made(p->core, at, (uint32_t)index, &known) : 0;
    if (confirmed != NULL) {
        *confirmed = known;
    }
    return id;
}

void carom_prediction_own(carom_prediction *p, uint64_t body)
{
    if (p != NULL) {
        prediction_own(p->core, body);
    }
}

carom_status carom_prediction_predict(carom_prediction *p, uint64_t body, bool predicted,
                                      carom_error *err)
{
    struct error why;
    if (p == NULL) {
        return replica_fault_null(err, "prediction");
    }
    return prediction_predict(p->core, body, predicted, &why) == STATUS_OK
               ? CAROM_OK
               : replica_fault_of(err, &why);
}

carom_prediction_figures carom_prediction_figures_now(const carom_prediction *p)
{
    carom_prediction_figures out = {.margin = (double)NAN, .rate = 1.0};
    if (p == NULL) {
        return out;
    }
    const prediction_figures f = prediction_figures_now(p->core);
#define COPY(name) out.name = f.name;
    PREDICTION_FIGURES(COPY)
#undef COPY
    return out;
}
