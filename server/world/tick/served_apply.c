// Commands and queries that the physics answers: whether one is admitted (rights, capacity, pairs,
// memory, the time of the next step), how it is carried out, and what is recorded of it. See
// served_world.h. Simulation thread only.
#include "server/world/tick/served_world_internal.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "common/world/apply.h"
#include "common/world/data_plan.h"
#include "common/world/owners.h"
#include "common/world/players.h"
#include "common/world/seats.h"
#include "common/world/share.h"
#include "proto/encode/encode.h"
#include "server/base/memory.h"
#include "server/base/metrics.h"

enum { PAIR_BYTES = 1200 }; // bytes of a contact, and of the step's data for it

// In a paused world the result names the present tick, whose state shows the change.
static void set_tick(command_result *r, uint64_t tick)
{
    ASSERT(r->tick >= tick);
    r->tick = tick;
    for (uint32_t i = 0; r->method == METHOD_WORLD_APPLY && i < r->batch.count; i++) {
        r->batch.results[i].tick = tick;
    }
}

static void note_applied(served_world *h, const request *q)
{
    ASSERT(q->arguments != NULL || !world_log_is_stored(&h->log));
    world_log_note(&h->log, world_tick(h->physics) + (served_world_is_paused(h) ? 0 : 1),
                   q->reply_to.session.number, method_wire_name(q->command.method), q->arguments,
                   q->arguments_size);
}

// Estimated bytes of a command's bodies, shapes and joints, with their contacts.
enum { BODY_BYTES = 1024, SHAPE_BYTES = 512, JOINT_BYTES = 512 };

static uint64_t bytes_spawn(const command *c)
{
    return BODY_BYTES + (uint64_t)c->spawn.shape_count * SHAPE_BYTES;
}

static uint64_t bytes_shape_add(const command *c)
{
    (void)c;
    return SHAPE_BYTES;
}

static uint64_t bytes_joint_create(const command *c)
{
    (void)c;
    return JOINT_BYTES;
}

static uint64_t bytes_data_set(const command *c)
{
    return world_datum_bytes(strlen(c->data_set.key), c->data_set.value_size);
}

typedef uint64_t bytes_function(const command *c);
#define COUNT_BYTES(id, bytes) [METHOD_##id] = bytes_##bytes,
static bytes_function *const BYTES[METHOD_COUNT] = {METHOD_BYTES(COUNT_BYTES)};

static uint64_t bytes_added(const command *c)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    const command *commands = batch ? c->apply.commands : c;
    const uint32_t count = batch ? c->apply.count : 1;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += BYTES[commands[i].method] != NULL ? BYTES[commands[i].method](&commands[i]) : 0;
    }
    return sum;
}

// Whether the world, its owner's quota and memory have capacity for the things that the command
// makes.
static status admit_room(const served_world *h, const request *q, error *err)
{
    const capacity_limits room = limits_room(h->limits);
    status s = capacity_admit(h->physics, &room, &q->command, err);
    if (s == STATUS_OK) {
        s = share_admit(h->physics, &room, h->limits->owner_share, h->owners, &q->actor,
                        &q->command, err);
    }
    if (s == STATUS_OK) {
        const data_limits most = limits_data(h->limits);
        s = data_admit(h->physics, &most, h->limits->owner_share, &q->actor, &q->command, err);
    }
    return s == STATUS_OK ? memory_ask(NULL, bytes_added(&q->command), err) : s;
}

// Whether its messages are not too many. They count from then on, so that this is the last check.
static status admit_messages(served_world *h, const request *q, error *err)
{
    return message_quota_admit(&h->messages, h->limits, &q->actor, q->reply_to.session.number,
                               &q->command, h->clocks.now(), (int64_t)h->schedule.period_ns, err);
}

// Whether the next step would take longer than this thread allows.
static bool beyond(const served_world *h, const crowding_cost *cost)
{
    return cost->step_ns + crowding_foreseen_ns(&h->crowding) > h->costs.step_most_ns;
}

void served_world_block_step(served_world *h, request *q)
{
    ASSERT(h->costs.returned == NULL);
    h->costs.returned = q;
    h->costs.step_blocked = true;
}

bool served_world_waits(served_world *h, request *q, int64_t ns)
{
    const bool waits = ns > h->costs.step_most_ns;
    if (waits) {
        served_world_block_step(h, q);
    } else {
        served_world_expect(h, ns);
    }
    return waits;
}

// ---- work that goes over the whole world

// Times of the answers' parts, encoding included.
static const int64_t READ_BODY_NS = 6000, READ_SHAPE_NS = 4000, READ_JOINT_NS = 2000;
static const int64_t READ_CONTACT_NS = 600;

static int64_t whole_state(const served_world *h)
{
    const world_room left = world_room_left(h->physics);
    return (int64_t)(world_definition(h->physics).bodies_max - left.bodies) * READ_BODY_NS +
           (int64_t)(PHYSICS_SHAPES_MAX - left.shapes) * READ_SHAPE_NS +
           (int64_t)(PHYSICS_JOINTS_MAX - left.joints) * READ_JOINT_NS;
}

static int64_t whole_joints(const served_world *h)
{
    return (int64_t)(PHYSICS_JOINTS_MAX - world_room_left(h->physics).joints) * READ_JOINT_NS;
}

static int64_t whole_contacts(const served_world *h)
{
    return (int64_t)world_pair_count(h->physics) * READ_CONTACT_NS;
}

// A setting may wake all bodies.
static int64_t whole_wake(const served_world *h)
{
    return crowding_sleepers_ns(h->physics);
}

typedef int64_t whole_function(const served_world *h);
#define WHOLE_ROW(id, whole) [METHOD_##id] = whole_##whole,
static whole_function *const WHOLE[METHOD_COUNT] = {METHOD_WHOLE(WHOLE_ROW)};

static int64_t whole_ns(const served_world *h, const command *c)
{
    const bool batch = c->method == METHOD_WORLD_APPLY;
    const command *commands = batch ? c->apply.commands : c;
    const uint32_t count = batch ? c->apply.count : 1;
    int64_t most = 0;
    for (uint32_t i = 0; i < count; i++) {
        whole_function *const whole = WHOLE[commands[i].method];
        const int64_t ns = whole != NULL ? whole(h) : 0;
        most = ns > most ? ns : most;
    }
    return most;
}

int64_t served_world_command_ns(const served_world *h, const command *c)
{
    return whole_ns(h, c) + (c->method == METHOD_WORLD_APPLY ? batch_cost_ns(h->physics, c) : 0);
}

static bool waits_for_world(served_world *h, request *q)
{
    const int64_t ns = served_world_command_ns(h, &q->command);
    return ns > 0 && served_world_waits(h, q, ns);
}

// ---- batches, which are not cut

// Whether the batch is short enough to be applied at all.
static status admit_batch(const served_world *h, const command *c, error *err)
{
    const int64_t ns = c->method == METHOD_WORLD_APPLY ? batch_cost_ns(h->physics, c) : 0;
    if (ns <= BATCH_NS_MAX) {
        return STATUS_OK;
    }
    return error_set(
        err, STATUS_LIMIT_EXCEEDED,
        "commands: the batch would take about %lld ms, and a batch may take %lld; send "
        "it in parts",
        (long long)(ns / 1000000), (long long)(BATCH_NS_MAX / 1000000));
}

// ---- queries

static const int64_t LOOK_NS = 1000; // estimate for each shape near the place

static query_filter *filter_of(command *c)
{
    switch (c->method) {
    case METHOD_QUERY_RAY:
        return &c->ray.filter;
    case METHOD_QUERY_CAST:
        return &c->cast.filter;
    case METHOD_QUERY_OVERLAP:
        return &c->overlap.filter;
    case METHOD_QUERY_NEAREST:
        return &c->nearest.filter;
    default:
        return NULL;
    }
}

// The cost of a query cannot be predicted, so a query that tests too many shapes gives up.
static void bound_looks(const served_world *h, command *c)
{
    query_filter *filter = filter_of(c);
    const int64_t most = h->costs.step_most_ns / LOOK_NS;
    if (filter != NULL) {
        filter->looks_most = most < UINT32_MAX ? (uint32_t)most : 0;
    }
}

// ---- cost

// Whether the command may be carried out now, as far as its cost goes. False: it was answered, or
// waits for a thread apart.
static bool admit_cost(served_world *h, request *q, const int64_t *batch_left_ns)
{
    error err;
    crowding_cost *cost = &h->costs.command;
    // A batch may have millions of pairs: they are counted elsewhere.
    if (batch_left_ns == NULL && q->command.method == METHOD_WORLD_APPLY &&
        h->costs.step_most_ns < INT64_MAX) {
        *cost = crowding_foresee(&h->crowding, h->physics, &q->command,
                                 crowding_pairs_beyond(h->costs.step_most_ns));
        if (cost->step_ns > 0 && beyond(h, cost)) {
            served_world_block_step(h, q);
            return false;
        }
    }
    if (crowding_admit(&h->crowding, h->physics, &q->command, h->limits->pairs_per_world,
                       h->clocks.now(), cost, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    if (memory_ask(NULL, cost->pairs * PAIR_BYTES, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    if (owner_crowds_admit(&h->owner_crowds, h->physics, h->owners, &q->actor, cost->pairs,
                           h->limits->pairs_per_owner, h->clocks.now(), &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    h->costs.price_ns = cost->price_ns;
    if (batch_left_ns != NULL && cost->step_ns > *batch_left_ns) {
        error_set(&err, STATUS_LIMIT_EXCEEDED,
                  "at: the batch makes %llu pairs of shapes, more than tick %llu has time for",
                  (unsigned long long)cost->pairs,
                  (unsigned long long)(world_tick(h->physics) + 1));
        served_world_answer(h, q, &err);
        return false;
    }
    if (batch_left_ns == NULL && cost->step_ns > 0 && beyond(h, cost)) {
        served_world_block_step(h, q);
        return false;
    }
    return true;
}

// The world's bounds of players, lowered to those of the sender's token.
static status permit_players(served_world *h, const request *q, error *err)
{
    if (q->actor.role != ROLE_PLAYER) {
        return STATUS_OK;
    }
    players_bounds bounds = *players_current(&h->players.cache, h->physics);
    if (q->actor.players != NULL) {
        bounds = players_lower(&bounds, q->actor.players);
    }
    return players_permit(&bounds, &h->players.pushes, h->owners, h->physics, &q->actor,
                          &q->command, err);
}

bool served_world_permits(const served_world *h, const request *q, error *err)
{
    ASSERT(h->owners != NULL);
    return owners_permit(h->owners, h->physics, &q->actor, &q->command, err) == STATUS_OK;
}

// Whether the command may be carried out now. False: it was answered, or waits for a thread apart.
static bool admit(served_world *h, request *q, const int64_t *batch_left_ns)
{
    error err;
    if (h->replay != NULL && method_scope_of(q->command.method) == SCOPE_WORLD_COMMAND) {
        served_world_refuse(
            h, q, STATUS_UNAVAILABLE,
            "the world replays a recording; world.fork makes one that takes commands");
        return false;
    }
    if (h->mirror != NULL && method_scope_of(q->command.method) == SCOPE_WORLD_COMMAND) {
        served_world_refuse(h, q, STATUS_PERMISSION_DENIED,
                            "the world is served here for watching alone: another server has it");
        return false;
    }
    if (q->arguments_size > WORLD_LOG_ARGUMENTS_BYTES_MAX && world_log_is_stored(&h->log)) {
        served_world_refuse(h, q, STATUS_LIMIT_EXCEEDED,
                            "the command is too large for the world's log");
        return false;
    }
    if (!served_world_permits(h, q, &err) || permit_players(h, q, &err) != STATUS_OK ||
        admit_room(h, q, &err) != STATUS_OK || admit_batch(h, &q->command, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return false;
    }
    // The batch has waited for its tick, and is applied now
    const bool scheduled = batch_left_ns != NULL;
    return (scheduled || !waits_for_world(h, q)) && admit_cost(h, q, batch_left_ns);
}

// Records a command that was applied: for readers, shares, the log, the past, sessions.
static void note_command(served_world *h, const request *q, command_result *result,
                         bool between_ticks)
{
    const uint64_t session = q->reply_to.session.number;
    const uint64_t tick = world_tick(h->physics) + (between_ticks ? 0 : 1); // it shows the command
    publisher_note_edit(&h->publisher);
    publisher_note_data(&h->publisher, &q->command);
    publisher_note_messages(&h->publisher, &q->command, session, tick);
    metrics_add(METRIC_client_messages, message_count(&q->command));
    metrics_add(METRIC_joins, q->command.method == METHOD_WORLD_JOIN ? 1 : 0);
    crowding_note(&h->crowding, &h->costs.command);
    owner_crowds_note(&h->owner_crowds, &q->actor, h->costs.command.pairs);
    if (q->actor.role == ROLE_PLAYER) {
        player_pushes_commit(&h->players.pushes, result);
    }
    note_applied(h, q);
    served_world_note_history(h, tick, q->command.method, q->arguments, q->arguments_size);
    if (between_ticks) {
        set_tick(result, tick);
    }
    session_bodies_note(&h->session_bodies, session, &q->command, result);
    if (q->reply_to.answerable) {
        publisher_note_command(&h->publisher, q->reply_to.session, q->reply_to.id);
    }
    served_world_note_last_request(h, q);
}

// A session joins a world in which it has a seat: nothing changes, and nothing is logged.
static void answer_seat(served_world *h, request *q, bool between_ticks)
{
    world_seats seats;
    // Its join may have been applied just now, and show in the tick to come
    command_result result = {.method = METHOD_WORLD_JOIN,
                             .tick = world_tick(h->physics) + (between_ticks ? 0 : 1)};
    error err;
    seats_of(h->physics, &seats);
    for (uint32_t i = 0; i < seats.taken.count && result.join.seat == 0; i++) {
        const bool own = seats.taken.data[i].session == q->command.join.session;
        result.join.seat = own ? seats.taken.data[i].seat : 0;
    }
    world_seats_deinit(&seats);
    if (result.join.seat == 0) { // it left, or the join before this one failed
        error_set(&err, STATUS_UNAVAILABLE, "the seat was given up meanwhile: join again");
        served_world_answer(h, q, &err);
        return;
    }
    memcpy(result.join.world, h->name, sizeof result.join.world);
    encode_command_result(&h->scratch, &result);
    served_world_answer(h, q, NULL);
}

// The check of a batch was wrong, so that a part of it was applied. No log can say that: readers,
// the history and the storage begin again with an image of the world as it is.
static void note_part_of_batch(served_world *h, const request *q, command_result *applied,
                               const error *why)
{
    log_error("world '%s': a batch was applied in part, by a fault of the server: %s", h->name,
              why->text);
    crowding_note(&h->crowding, &h->costs.command);
    session_bodies_note(&h->session_bodies, q->reply_to.session.number, &q->command, applied);
    command_result_free(applied);
    served_world_begin_anew(h);
    world_log_mend(&h->log);
}

void served_world_apply(served_world *h, request *q, bool between_ticks,
                        const int64_t *batch_left_ns)
{
    if (q->command.method == METHOD_WORLD_JOIN && q->command.join.again) {
        answer_seat(h, q, between_ticks);
        return;
    }
    ASSERT(h->costs.returned == NULL && (batch_left_ns == NULL || *batch_left_ns >= 0));
    h->costs.command = (crowding_cost){0};
    if (!admit(h, q, batch_left_ns)) {
        return;
    }
    command_result result;
    error err;
    physics_world *world = h->physics;
    owners *owned = h->owners;
    double at = 0.0;
    const bool past = command_past(&q->command, &at);
    if (past && !served_world_recall(h, q, at, &world, &owned)) {
        return;
    }
    if (admit_messages(h, q, &err) != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    bound_looks(h, &q->command);
    publisher_note_change(&h->publisher, h->physics, &q->command);
    status s = apply_command_as(world, owned, NULL, &q->command, &result, &err);
    if (s == STATUS_UNAVAILABLE && filter_of(&q->command) != NULL) {
        served_world_block_step(h, q); // the query gave up
        return;
    }
    if (s == STATUS_INTERNAL) {
        note_part_of_batch(h, q, &result, &err);
    }
    if (s != STATUS_OK) {
        served_world_answer(h, q, &err);
        return;
    }
    if (method_scope_of(q->command.method) == SCOPE_WORLD_COMMAND) {
        note_command(h, q, &result, between_ticks);
    }
    metrics_add(METRIC_commands_applied,
                result.method == METHOD_WORLD_APPLY ? result.batch.count : 1);
    if (result.method == METHOD_WORLD_APPLY) {
        result.batch.timed = q->command.apply.has_at;
        result.batch.timing = q->timing;
    }
    result.has_at = past;
    result.at = at;
    encode_command_result(&h->scratch, &result);
    command_result_free(&result);
    served_world_answer(h, q, NULL);
}
