// Predicting clients: connection, answers and frames; see predictor.h.
#include "tests/simulation/predictor.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "client/prediction/internal.h"
#include "common/base/assert.h"
#include "common/physics/image.h"
#include "proto/log/log_compact.h"
#include "proto/wire/rpc.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/predictor_requests.h"
#include "tests/simulation/sim.h"
#include "tests/simulation/sim_message.h"

// part of a second after which an event must be confirmed or taken back
enum { EVENTS_DECIDED_PART = 4 };
#define FRAME_NS     (INT64_C(1000000000) / 60)
#define PING_NS      INT64_C(500000000)
#define STEP_BODY_MS 0.002 // time of an awake body in a step, as reported to the prediction
#define COPY_MS      0.02  // time of a copy
#define WAKING       1.25  // factor for bodies that wake in a frame's last step, beyond its budget

// The client's own clock, with an arbitrary origin and almost the server's rate.
static double local_s(const predictor *p, int64_t at_ns)
{
    return p->options.skew_s + p->options.rate * 1e-9 * (double)at_ns;
}

// ---- life

static void on_step(void *context, physics_world *world)
{
    predictor *p = context;
    prediction_note_step(p->prediction);
    foresight_step(&p->account, world, p->options.predict.events);
}

static void on_applied(void *context, const log_command *row, const command *c,
                       const command_result *result)
{
    predictor *p = context;
    const bool own =
        row->session == p->session && c->method == METHOD_WORLD_APPLY && c->apply.has_at;
    uint64_t nonce = 0;
    if (own) {
        (void)oracle_read_nonces(row->arguments, row->arguments_size, &nonce, 1);
    }
    foresight_row(&p->account, row->tick, nonce);
    prediction_note_command(p->prediction, row, c, result);
}

void predictor_init(predictor *p, const predictor_options *options)
{
    *p = (predictor){.options = *options, .next_id = 1};
    buffer_init(&p->in, SIM_INPUT_BYTES_MAX);
    distance_init(&p->way);
    p->prediction = prediction_create(&p->player, &p->options.predict);
}

static void drop_requests(predictor *p)
{
    array_clear(&p->requests);
    p->asks_body = false;
}

void predictor_deinit(predictor *p)
{
    distance_cut(&p->way);
    prediction_free(p->prediction);
    world_free(p->player.world);
    foresight_deinit(&p->account);
    array_free(&p->requests);
    buffer_deinit(&p->in);
}

void predictor_lose(predictor *p)
{
    sim_trace("predictor %p: lost its connection", (const void *)p);
    distance_cut(&p->way);
    buffer_clear(&p->in);
    drop_requests(p);
    p->follows = false;
    p->connect_ns = sim.now_ns + (int64_t)sim_random(300000000);
}

// ---- the log

static void follow(predictor *p, const log_notification *n)
{
    physics_world *world = NULL;
    error err = {0};
    SIM_CHECK(world_restore(n->record.image, n->record.image_size, &world, &err) == STATUS_OK,
              "the image of a log: %s", err.text);
    world_free(p->player.world);
    world_want_events(world, p->options.predict.events);
    p->player =
        (log_player){.world = world, .applied = on_applied, .stepped = on_step, .context = p};
    p->own = n->epoch == p->epoch ? p->own : 0;
    p->epoch = n->epoch;
    p->follows = true;
    p->frames = 0;
    foresight_follow(&p->account);
    prediction_follow(p->prediction, &p->player);
}

// Plays a record; `told` is its notification, which may contain a margin.
static void play(predictor *p, const log_record *record, const msgpack_object *told)
{
    error err = {0};
    SIM_CHECK(p->follows, "a log that begins without an image");
    SIM_CHECK(log_player_play(&p->player, record, &err) == STATUS_OK, "a replica: %s", err.text);
    const double now = local_s(p, sim.now_ns);
    prediction_note_arrival(p->prediction, now);
    const msgpack_object *margin = rpc_map_get(told, "margin");
    if (margin != NULL) {
        prediction_margin(p->prediction, now, get_number(margin));
    }
    oracle_told_state(p->epoch, record->tick, TOLD_SNAPSHOT,
                      record->has_hash ? record->hash : world_hash(p->player.world));
}

static void on_record(predictor *p, const msgpack_object *map, const uint8_t *bytes, size_t size)
{
    log_notification n;
    error err = {0};
    SIM_CHECK(log_notification_decode(bytes, size, &n, &err) == STATUS_OK, "a record: %s",
              err.text);
    if (p->subscription != 0 && get_uint(map, "subscription") != p->subscription) {
        return; // the request's connection was lost before it was carried out
    }
    if (n.record.image != NULL) {
        follow(p, &n);
    }
    play(p, &n.record, map);
}

// {data, margin}: the subscription's number, and a record in the compact form.
static void on_compact_record(predictor *p, const msgpack_object *map)
{
    const msgpack_object *data = rpc_map_get(map, "data");
    SIM_CHECK(data != NULL && data->type == MSGPACK_OBJECT_BIN, "a log without data");
    const uint8_t *bytes = (const uint8_t *)data->via.bin.ptr;
    const size_t size = data->via.bin.size;
    size_t at = 0;
    uint64_t number = 0;
    SIM_CHECK(p->options.compact && log_varint_read(bytes, size, &at, &number),
              "a compact record of no subscription");
    if (p->subscription != 0 && number != p->subscription) {
        return;
    }
    SIM_CHECK(p->follows, "a compact record before any image");
    log_record record;
    buffer rows;
    error err = {0};
    buffer_init(&rows, SIM_INPUT_BYTES_MAX);
    SIM_CHECK(log_compact_decode(bytes + at, size - at, world_tick(p->player.world),
                                 PREDICTOR_WORLD, &rows, &record, &err) == STATUS_OK,
              "a compact record: %s", err.text);
    foresight_totals.compact++;
    play(p, &record, map);
    buffer_deinit(&rows);
}

// ---- answers

// The subscription that a resumed session has; 0: none. The answer that named it may be lost.
static uint64_t kept_subscription(const msgpack_object *result)
{
    const msgpack_object *list = rpc_map_get(result, "subscriptions");
    return list != NULL && list->via.array.size > 0
               ? get_uint(&list->via.array.ptr[0], "subscription")
               : 0;
}

static void on_hello(predictor *p, const msgpack_object *result)
{
    const msgpack_object *secret = rpc_map_get(result, "resume");
    snprintf(p->secret, sizeof p->secret, "%.*s", (int)secret->via.str.size, secret->via.str.ptr);
    p->session = get_uint(result, "session");
    p->options.predict.session = p->session;
    prediction_set(p->prediction, &p->options.predict);
    p->subscription = kept_subscription(result);
    if (p->subscription == 0) {
        predictor_ask_world(p);
    }
}

static void on_batch(predictor *p, const predictor_request *r, const msgpack_object *result)
{
    const msgpack_object *margin = rpc_map_get(result, "margin");
    prediction_margin(p->prediction, local_s(p, sim.now_ns), get_number(margin));
    if (get_bool(result, "dropped")) {
        SIM_CHECK(strcmp(p->options.late, "drop") == 0, "a batch was dropped that said %s",
                  p->options.late);
        oracle_refused(r->nonce);
        foresight_refused(&p->account, r->nonce);
        prediction_refused(p->prediction, r->at);
        return;
    }
    SIM_CHECK(get_uint(result, "late") == 0 || strcmp(p->options.late, "next") == 0,
              "a late batch acted that said %s", p->options.late);
    oracle_acknowledged(r->nonce, get_uint(result, "tick"), 0);
}

static void on_success(predictor *p, const predictor_request *r, const msgpack_object *result)
{
    switch (r->op) {
    case ASKED_HELLO:
        on_hello(p, result);
        break;
    case ASKED_CREATE:
        predictor_ask_log(p);
        break;
    case ASKED_SUBSCRIBE:
        p->subscription = get_uint(result, "subscription");
        break;
    case ASKED_BODY:
        p->own = get_uint(result, "body");
        p->asks_body = false;
        oracle_acknowledged(r->nonce, get_uint(result, "tick"), p->own);
        break;
    case ASKED_BATCH:
        on_batch(p, r, result);
        break;
    case ASKED_PING:
        prediction_rtt(p->prediction, local_s(p, sim.now_ns) - local_s(p, r->sent_ns));
        break;
    case ASKED_OTHER:
        break;
    }
}

static void on_error(predictor *p, const predictor_request *r, const msgpack_object *why)
{
    const char *text = why->via.str.ptr;
    sim_trace("predictor %p: %.*s", (const void *)p, (int)why->via.str.size, text);
    SIM_CHECK(strncmp(text, "internal", 8) != 0, "an answer: %.*s", (int)why->via.str.size, text);
    if (r->nonce != 0 && strncmp(text, "unavailable", 11) != 0) {
        oracle_refused(r->nonce);
    }
    switch (r->op) {
    case ASKED_HELLO: // the session is gone, so this is a new one
        p->secret[0] = '\0';
        p->subscription = 0;
        predictor_ask_session(p);
        break;
    case ASKED_BATCH:
        foresight_refused(&p->account, r->nonce);
        prediction_refused(p->prediction, r->at);
        break;
    case ASKED_BODY:
        p->asks_body = false;
        break;
    default:
        break;
    }
}

static void on_response(predictor *p, const msgpack_object *message)
{
    const uint64_t id = message->via.array.ptr[1].via.u64;
    for (uint32_t i = 0; i < p->requests.count; i++) {
        if (p->requests.data[i].id == id) {
            const predictor_request r = p->requests.data[i];
            array_swap_remove(&p->requests, i);
            if (message->via.array.ptr[2].type == MSGPACK_OBJECT_NIL) {
                on_success(p, &r, &message->via.array.ptr[3]);
            } else {
                on_error(p, &r, &message->via.array.ptr[2]);
            }
            return;
        }
    }
    // Otherwise the connection was lost before the answer.
}

static void on_message(void *context, const msgpack_object *message, const uint8_t *bytes,
                       size_t size)
{
    predictor *p = context;
    if (message->via.array.ptr[0].via.u64 == 1) {
        on_response(p, message);
    } else if (rpc_text_equals(&message->via.array.ptr[1], "snapshot")) {
        ASSERT(size > SIM_SNAPSHOT_HEAD);
        on_record(p, &message->via.array.ptr[2].via.array.ptr[0], bytes + SIM_SNAPSHOT_HEAD,
                  size - SIM_SNAPSHOT_HEAD);
    } else if (rpc_text_equals(&message->via.array.ptr[1], "log")) {
        on_compact_record(p, &message->via.array.ptr[2].via.array.ptr[0]);
    }
}

// ---- a frame

// Gives the inputs of a frame's ticks; returns how many were for the first time.
static uint64_t predict(predictor *p, double now)
{
    uint64_t first = 0;
    prediction_input input;
    prediction_begin(p->prediction, now);
    while (prediction_next(p->prediction, &input)) {
        if (input.first_time) {
            first++;
            foresight_asked(&p->account, input.tick);
            predictor_act(p, input.tick);
        }
    }
    return first;
}

// Ends the frame, which began at tick `was`: its time is the assumed cost of its steps.
static void end_frame(predictor *p, uint64_t was)
{
    const prediction *core = p->prediction;
    const double took = STEP_BODY_MS * core->work + (core->copied ? COPY_MS : 0.0);
    const double budget_ms = core->options.budget_ms;
    const uint64_t steps = core->tick - (core->copied ? core->copied_at : was);
    SIM_CHECK(budget_ms == 0.0 || steps <= 1 || took <= WAKING * budget_ms,
              "a frame took %.4f of %.4f ms", took, budget_ms);
    prediction_end(p->prediction, took);
}

// The commands of more ticks are asked for at once where the input delay has become longer, or a
// prediction goes on that waited for the server (PREDICTION_AHEAD_S).
static void check_bounds(const predictor *p, uint64_t first, double passed_s)
{
    const prediction *core = p->prediction;
    const uint64_t confirmed = world_tick(p->player.world);
    const uint64_t ahead = (uint64_t)ceil(PREDICTION_AHEAD_S * p->options.hz) + 1;
    SIM_CHECK(core->tick <= confirmed + ahead,
              "tick %" PRIu64 " is predicted, %" PRIu64 " confirmed", core->tick, confirmed);
    SIM_CHECK(core->batches.list.count <= PREDICTION_BATCHES_MAX &&
                  core->batches.bytes <= PREDICTION_BATCH_BYTES_MAX,
              "the bounds of waiting batches are exceeded");
    SIM_CHECK(core->own_count <= PREDICTION_OWN_MAX, "the bound of own bodies is exceeded");
    SIM_CHECK(core->events.open.count <= PREDICTION_EVENTS_MAX && core->events.lost == 0,
              "the bound of events is exceeded");
    const uint32_t delay = prediction_figures_now(core).delay;
    SIM_CHECK(p->account.asked <= core->goal + delay || first == 0,
              "commands of tick %" PRIu64 " were asked for at tick %" PRIu64 ", delayed by %u",
              p->account.asked, core->goal, delay);
    const uint64_t arrived = confirmed - p->last_confirmed;
    const double due = (double)arrived + passed_s * p->options.hz * (1.0 + LEAD_RATE) + 2.0;
    SIM_CHECK((double)first <= (passed_s > LEAD_PAUSE_S ? 1.0 : due) + delay,
              "%" PRIu64 " ticks' commands were asked for in a frame after %.3f s", first,
              passed_s);
}

static void show_frame(predictor *p)
{
    const int64_t now_ns = sim.now_ns;
    const double passed_s = p->options.rate * 1e-9 * (double)(now_ns - p->last_frame_ns);
    p->last_frame_ns = now_ns;
    const uint64_t was = p->prediction->tick;
    const uint64_t first = predict(p, local_s(p, now_ns));
    end_frame(p, was);
    if (p->player.world == NULL) {
        return;
    }
    if (p->frames++ > 0) {
        check_bounds(p, first, passed_s);
    }
    p->last_confirmed = world_tick(p->player.world);
    if (p->prediction->valid && !p->prediction->partial) {
        foresight_frame(&p->account, world_tick(p->player.world), p->prediction->world);
    }
    prediction_event e;
    while (prediction_next_event(p->prediction, &e)) {
        foresight_event(&p->account, &e);
    }
}

static void look_after_connection(predictor *p)
{
    if (distance_over(&p->way)) {
        predictor_lose(p);
    }
    if (p->way.link == NULL) {
        if (sim.now_ns >= p->connect_ns && distance_connect(&p->way)) {
            predictor_ask_session(p);
        }
        return;
    }
    if (p->session != 0 && sim.now_ns >= p->next_ping_ns) {
        p->next_ping_ns = sim.now_ns + PING_NS;
        predictor_ask_ping(p);
    }
    if (p->follows && p->own == 0 && !p->asks_body) {
        predictor_ask_body(p);
    }
}

static int64_t next_frame_ns(const predictor *p)
{
    const bool slow = p->options.slow_one_in > 0 && sim_one_in(p->options.slow_one_in);
    return FRAME_NS + (slow ? (int64_t)sim_random((uint64_t)p->options.slow_ns) : 0);
}

void predictor_turn(predictor *p)
{
    distance_turn(&p->way, &p->options.road);
    if (p->options.cut_one_in > 0 && p->way.link != NULL && sim_one_in(p->options.cut_one_in)) {
        predictor_lose(p);
    }
    if (sim.now_ns < p->next_frame_ns) {
        return;
    }
    p->next_frame_ns = sim.now_ns + next_frame_ns(p);
    look_after_connection(p);
    distance_receive(&p->way, &p->in);
    sim_take_messages(&p->in, on_message, p);
    show_frame(p);
    if (p->options.untimed_one_in > 0 && sim_one_in(p->options.untimed_one_in)) {
        predictor_push_untimed(p);
    }
}

// ---- the end

bool predictor_is_settled(const predictor *p)
{
    return p->follows && p->frames > 0 && !p->player.paused &&
           p->prediction->batches.list.count == 0 && p->requests.count <= 1; // a ping
}

// Events before that tick are decided, where no prediction is corrected any more.
static uint64_t overdue(const predictor *p)
{
    const uint64_t confirmed = world_tick(p->player.world);
    const uint64_t window = (uint64_t)p->options.hz / EVENTS_DECIDED_PART;
    return confirmed > window ? confirmed - window : 0;
}

bool predictor_has_overdue(const predictor *p)
{
    return foresight_has_overdue(&p->account, overdue(p));
}

void predictor_check_end(const predictor *p)
{
    const prediction_figures f = prediction_figures_now(p->prediction);
    const foresight *a = &p->account;
    foresight_totals.rollbacks += f.rollback_count;
    foresight_totals.shortened += f.approximate;
    SIM_CHECK(f.sent == a->given, "%" PRIu64 " batches were given, %" PRIu64 " counted", a->given,
              f.sent);
    SIM_CHECK(f.confirmed == a->shown && f.late == a->late,
              "the log showed %" PRIu64 " batches, %" PRIu64 " of them late; counted are %" PRIu64
              " and %" PRIu64,
              a->shown, a->late, f.confirmed, f.late);
    SIM_CHECK(f.waiting == 0 && f.confirmed + f.lost + f.refused == f.sent,
              "%" PRIu64 " batches: %" PRIu64 " confirmed, %" PRIu64 " lost, %" PRIu64
              " refused, %u waiting",
              f.sent, f.confirmed, f.lost, f.refused, f.waiting);
    SIM_CHECK(f.check_failures == 0, "tick %" PRIu64 " came out otherwise when predicted again",
              f.check_failed_at);
    foresight_settled(a, overdue(p));
}
