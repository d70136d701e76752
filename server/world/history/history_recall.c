// Worlds at ticks of the past; see history.h. The world's thread.
//
// Questions mostly come from clients that each see the world with a delay of their own, so the
// ticks that one asks about grow as fast as the world's. A lane follows such a client: it is
// stepped on for it, and never back.
#include "server/world/history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/counted.h"
#include "common/physics/image.h"
#include "common/physics/query.h"
#include "proto/log/log_player.h"
#include "server/base/memory.h"
#include "server/world/history/history_internal.h"

enum {
    LANE_WORLDS = 3,       // worlds of a lane: at T, at T - 1, and between them
    RESTORE_BODY_NS = 1000 // estimate for each body of an image
};

// ---- lanes

static void free_lane(history_lane *lane)
{
    world_free(lane->world);
    world_free(lane->below);
    owners_free(lane->owners);
    *lane = (history_lane){0};
}

void history_free_lanes(history *h)
{
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        free_lane(&h->lanes[i]);
    }
    world_free(h->blend);
    h->blend = NULL;
    h->blend_at = -1.0;
}

// The newest image at `tick` or before.
static const history_image *image_before(const history *h, uint64_t tick)
{
    uint32_t i = h->images.count;
    while (i > 0 && h->images.data[i - 1].tick > tick) {
        i--;
    }
    ASSERT(i > 0);
    return &h->images.data[i - 1];
}

static void note_owners(void *context, const log_command *row, const command *c,
                        const command_result *result)
{
    (void)row;
    owners_note(context, c, result);
}

// Gives the lane the commands up to `tick`, and steps it there. Replaying a world's log works the
// same way, so an error is a fault of the server.
static status walk(const history *h, history_lane *lane, uint64_t tick, error *err)
{
    log_player player = {.world = lane->world, .applied = note_owners, .context = lane->owners};
    status s = STATUS_OK;
    ASSERT(world_tick(lane->world) <= tick && lane->row >= h->first_row);
    uint32_t i = (uint32_t)(lane->row - h->first_row);
    for (; s == STATUS_OK && i < h->rows.count && h->rows.data[i].tick <= tick; i++) {
        const history_row *row = &h->rows.data[i];
        const char *name = method_wire_name(row->method);
        const log_command told = {.tick = row->tick,
                                  .method = name,
                                  .method_size = (uint32_t)strlen(name),
                                  .arguments = h->arguments.data + row->offset,
                                  .arguments_size = row->size};
        player.paused = row->paused;
        s = log_player_command(&player, &told, err);
        lane->row++;
    }
    player.paused = false;
    if (s == STATUS_OK) {
        log_player_advance(&player, tick);
    }
    return s;
}

static status restore(history_lane *lane, const history_image *from, error *err)
{
    free_lane(lane);
    const uint32_t before = from->owners + from->reports;
    status s = world_restore(from->bytes + before, from->size - before, &lane->world, err);
    if (s == STATUS_OK) {
        world_restore_reports(lane->world, from->bytes + from->owners);
        world_want_events(lane->world, 0);
        s = owners_decode(from->bytes, from->owners, lane->world, &lane->owners, err);
    }
    lane->row = from->row;
    return s;
}

static physics_world *copy_of(physics_world *reused, const physics_world *from)
{
    physics_world *to = reused;
    if (to == NULL) {
        const world_def def = world_definition(from);
        const status s = world_create(&def, &to, NULL);
        ASSERT(s == STATUS_OK);
        world_want_events(to, 0);
    }
    world_copy(to, from);
    return to;
}

// Whether another lane may be made beside those in use.
static bool has_room(const history *h)
{
    const int64_t bytes = atomic_load_explicit(&h->account.bytes, memory_order_relaxed);
    return bytes < (int64_t)h->bytes_max;
}

// The used lane whose tick is `tick` or a little before.
static history_lane *near_lane(history *h, uint64_t tick)
{
    history_lane *near = NULL;
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        history_lane *lane = &h->lanes[i];
        const uint64_t at = lane->world != NULL ? world_tick(lane->world) : UINT64_MAX;
        if (at <= tick && tick - at <= HISTORY_LANE_AHEAD_MAX &&
            (near == NULL || at > world_tick(near->world))) {
            near = lane;
        }
    }
    return near;
}

// A free lane, if there is room for it; else the least recently used one.
static history_lane *spare_lane(history *h)
{
    history_lane *free = NULL;
    history_lane *oldest = NULL;
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        history_lane *lane = &h->lanes[i];
        if (lane->world == NULL) {
            free = free == NULL ? lane : free;
        } else if (oldest == NULL || lane->used < oldest->used) {
            oldest = lane;
        }
    }
    return oldest == NULL || (free != NULL && has_room(h)) ? free : oldest;
}

// Whether the lane has received all commands up to its tick: a paused world gets further ones.
static bool is_current(const history *h, const history_lane *lane)
{
    const uint64_t next = lane->row - h->first_row;
    return next >= h->rows.count || h->rows.data[next].tick > world_tick(lane->world);
}

// Whether the history has all commands from the lane's tick to `tick`, and is near or nearer than
// an image.
static bool leads_to(const history *h, const history_lane *lane, uint64_t tick)
{
    if (lane->world == NULL || lane->row < h->first_row || world_tick(lane->world) > tick) {
        return false;
    }
    const uint64_t at = world_tick(lane->world);
    return at >= image_before(h, tick)->tick || tick - at <= HISTORY_LANE_AHEAD_MAX;
}

// The lane other than `but` that is nearest to `tick`; NULL if an image is nearer than all lanes.
static const history_lane *nearest_lane(const history *h, const history_lane *but, uint64_t tick)
{
    const history_lane *found = NULL;
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        const history_lane *lane = &h->lanes[i];
        if (lane != but && leads_to(h, lane, tick) &&
            (found == NULL || world_tick(lane->world) > world_tick(found->world))) {
            found = lane;
        }
    }
    return found;
}

// Makes `to` the same as `from`: a tenth of the time that an image takes.
static status copy_lane(history_lane *to, const history_lane *from, error *err)
{
    const size_t size = owners_encoded_bytes(from->owners, from->world);
    uint8_t *bytes = malloc(size);
    ASSERT_MEMORY(bytes != NULL);
    owners_encode(from->owners, from->world, bytes);
    to->world = copy_of(to->world, from->world);
    owners_free(to->owners);
    to->owners = NULL;
    to->row = from->row;
    to->has_below = false;
    const status s = owners_decode(bytes, size, to->world, &to->owners, err);
    free(bytes);
    return s;
}

static status begin_lane(history *h, history_lane *lane, uint64_t tick, error *err)
{
    const history_lane *from = nearest_lane(h, lane, tick);
    return from != NULL ? copy_lane(lane, from, err) : restore(lane, image_before(h, tick), err);
}

// A lane at `tick`.
static status lane_at(history *h, uint64_t tick, history_lane **out, error *err)
{
    history_lane *near = near_lane(h, tick);
    history_lane *lane = near != NULL ? near : spare_lane(h);
    status s = STATUS_OK;
    if (!leads_to(h, lane, tick)) {
        s = begin_lane(h, lane, tick, err);
    }
    if (s == STATUS_OK && (world_tick(lane->world) < tick || !is_current(h, lane))) {
        lane->has_below = false;
        s = walk(h, lane, tick, err);
    }
    if (s != STATUS_OK) {
        free_lane(lane);
        return s;
    }
    lane->used = h->asked;
    *out = lane;
    return STATUS_OK;
}

// ---- moments between two ticks

// The lane at `tick` + 1 that has the state of `tick` too; NULL: none.
static history_lane *find_between(history *h, uint64_t tick)
{
    for (int i = 0; i < HISTORY_LANES_MAX; i++) {
        history_lane *lane = &h->lanes[i];
        if (lane->has_below && world_tick(lane->world) == tick + 1 && is_current(h, lane)) {
            lane->used = h->asked;
            return lane;
        }
    }
    return NULL;
}

static status make_between(history *h, uint64_t tick, history_lane **out, error *err)
{
    status s = lane_at(h, tick, out, err);
    if (s != STATUS_OK) {
        return s;
    }
    (*out)->below = copy_of((*out)->below, (*out)->world);
    s = walk(h, *out, tick + 1, err);
    if (s != STATUS_OK) {
        free_lane(*out);
        return s;
    }
    (*out)->has_below = true;
    return STATUS_OK;
}

static status recall_between(history *h, double at, error *err)
{
    const uint64_t tick = (uint64_t)at;
    history_lane *lane = find_between(h, tick);
    if (lane != NULL && h->blend_at == at) {
        return STATUS_OK;
    }
    h->blend_at = -1.0;
    status s = lane != NULL ? STATUS_OK : make_between(h, tick, &lane, err);
    if (s == STATUS_OK) {
        h->blend = copy_of(h->blend, lane->below);
        query_blend(h->blend, lane->world, at - (double)tick);
        h->blend_at = at;
    }
    return s;
}

// ---- the public face

static bool is_at_hand(const history *h, double at)
{
    bool found = h->blend_at == at;
    for (int i = 0; i < HISTORY_LANES_MAX && !found; i++) {
        const history_lane *lane = &h->lanes[i];
        found = lane->world != NULL && (double)world_tick(lane->world) - at <= 1.0 &&
                at - (double)world_tick(lane->world) <= HISTORY_LANE_AHEAD_MAX;
    }
    return found;
}

int64_t history_recall_ns(const history *h, const physics_world *present, double at)
{
    const history_image *from = image_before(h, (uint64_t)at);
    const double steps =
        is_at_hand(h, at) ? 1.0 + HISTORY_LANE_AHEAD_MAX : ceil(at) - (double)from->tick;
    const int64_t restoring =
        is_at_hand(h, at) ? 0 : (int64_t)world_body_slots(present) * RESTORE_BODY_NS;
    return restoring + (int64_t)(steps * h->step_ns);
}

// Bytes of images, commands and worlds of the past.
static uint64_t bytes_now(const history *h)
{
    const int64_t bytes = atomic_load_explicit(&h->account.bytes, memory_order_relaxed);
    return bytes > 0 ? (uint64_t)bytes : 0;
}

// Frees the lanes that a question at `tick` does not use, least recently used ones first, until
// `need` more bytes fit.
static void free_others(history *h, uint64_t tick, uint64_t need, uint64_t most)
{
    const history_lane *kept = near_lane(h, tick);
    history_lane *oldest = h->lanes;
    while (oldest != NULL && bytes_now(h) + need > most) {
        oldest = NULL;
        for (int i = 0; i < HISTORY_LANES_MAX; i++) {
            history_lane *lane = &h->lanes[i];
            const bool candidate = lane->world != NULL && lane != kept;
            oldest = candidate && (oldest == NULL || lane->used < oldest->used) ? lane : oldest;
        }
        if (oldest != NULL) {
            free_lane(oldest);
        }
    }
}

// Checks whether there is memory for past worlds, before they are made. A past world has the slots
// of the present one.
static status check_room(history *h, const physics_world *present, double at, error *err)
{
    enum { BODY_BYTES = 1024 };
    const uint64_t worlds = at == floor(at) ? 1 : LANE_WORLDS;
    const uint64_t need = worlds * world_body_slots(present) * BODY_BYTES;
    const uint64_t most = HISTORY_WORLDS_SHARE * h->bytes_max;
    char needed[MEMORY_TEXT_MAX];
    char allowed[MEMORY_TEXT_MAX];
    if (history_bytes(h) + need > most) {
        history_free_lanes(h);
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "history_bytes: with %llu %s of the past, the history of this world "
                         "would take %s; at most %s (%d times history_bytes) are allowed",
                         COUNTED(worlds, "world", "worlds"),
                         memory_text(history_bytes(h) + need, needed), memory_text(most, allowed),
                         HISTORY_WORLDS_SHARE);
    }
    free_others(h, (uint64_t)at, need, most);
    const history_lane *near = near_lane(h, (uint64_t)at);
    const bool made = near != NULL && (worlds == 1 || near->below != NULL);
    return made ? STATUS_OK : memory_ask(NULL, need, err);
}

status history_recall(history *h, const physics_world *present, double at, physics_world **world,
                      owners **owned, error *err)
{
    const uint64_t now = world_tick(present);
    const bool whole = at == floor(at);
    history_lane *lane = NULL;
    ASSERT(at >= (double)history_first(h, now) && at < (double)now);
    block_account *before = block_charge(&h->account);
    status s = check_room(h, present, at, err);
    if (s != STATUS_OK) {
        block_charge(before);
        return s;
    }
    h->asked++;
    h->asked_tick = now;
    s = whole ? lane_at(h, (uint64_t)at, &lane, err) : recall_between(h, at, err);
    block_charge(before);
    if (s != STATUS_OK) {
        error_prefix(err, "the history");
    } else {
        *world = whole ? lane->world : h->blend;
        *owned = whole ? lane->owners : NULL;
    }
    return s;
}
