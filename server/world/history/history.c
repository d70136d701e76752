// The images and commands of a history; see history.h. history_recall.c answers from them. The
// world's thread.
#include "server/world/history/history.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "server/world/history/history_internal.h"

enum {
    IDLE_STEPS = 100, // an image costs a hundredth of the steps between two
    ASKED_STEPS = 10, // a tenth, after recent questions
    ASKED_SPANS = 10, // time for which recent questions count, in lengths of the history
    QUIET_SPANS = 16, // between two images of an idle world
    BODY_BYTES = 40,  // least size of an image, for each body
    ROWS_SHARE = 4    // a part of the bytes for commands since the last image
};

static const double MEAN_SHARE = 0.1; // weight of a new step in the mean

void history_init(history *h, const limits *bounds, double hz, block_account *parent)
{
    ASSERT(hz > 0.0);
    *h = (history){.bytes_max = bounds->history_bytes,
                   .span = (uint64_t)ceil((double)bounds->history_ms * 1e-3 * hz),
                   .account = {.parent = parent},
                   .blend_at = -1.0};
}

// ---- forgetting

static void free_image(history *h, history_image *image)
{
    ASSERT(h->image_bytes >= image->size);
    h->image_bytes -= image->size;
    block_give_back(image->bytes, image->size);
}

void history_forget(history *h)
{
    block_account *before = block_charge(&h->account);
    for (uint32_t i = 0; i < h->images.count; i++) {
        free_image(h, &h->images.data[i]);
    }
    array_free(&h->images);
    array_free(&h->rows);
    array_free(&h->arguments);
    h->first_row = 0;
    h->retry_tick = 0;
    h->asked = 0;
    history_free_lanes(h);
    block_charge(before);
}

void history_deinit(history *h)
{
    history_forget(h);
    ASSERT(h->image_bytes == 0);
}

// Drops commands before row number `row`.
static void drop_rows(history *h, uint64_t row)
{
    ASSERT(row >= h->first_row && row - h->first_row <= h->rows.count);
    const uint32_t count = (uint32_t)(row - h->first_row);
    const uint32_t left = h->rows.count - count;
    const uint32_t offset = left > 0 ? h->rows.data[count].offset : h->arguments.count;
    if (count == 0) {
        return;
    }
    array_remove_first(&h->rows, count);
    array_remove_first(&h->arguments, offset);
    h->first_row = row;
    for (uint32_t i = 0; i < left; i++) {
        h->rows.data[i].offset -= offset;
    }
}

static void drop_oldest(history *h)
{
    ASSERT(h->images.count > 1);
    free_image(h, &h->images.data[0]);
    array_remove_first(&h->images, 1);
    drop_rows(h, h->images.data[0].row);
}

uint64_t history_bytes(const history *h)
{
    return h->image_bytes + h->arguments.count + (uint64_t)h->rows.count * sizeof *h->rows.data;
}

static uint64_t horizon(const history *h, uint64_t tick)
{
    return tick > h->span ? tick - h->span : 0;
}

// Drops entries that are too old or exceed the limit. If one image exceeds it, no history is kept.
static void trim(history *h, uint64_t tick)
{
    while (h->images.count > 1 &&
           (h->images.data[1].tick <= horizon(h, tick) || history_bytes(h) > h->bytes_max)) {
        drop_oldest(h);
    }
    if (h->images.count > 0 && history_bytes(h) > h->bytes_max) {
        history_forget(h);
        h->retry_tick = tick + h->span;
    }
}

// ---- images

static void add_image(history *h, const physics_world *world, const owners *owned)
{
    uint8_t *physics = NULL;
    size_t size = 0;
    const size_t owners_size = owners_encoded_bytes(owned, world);
    const size_t reports_size = world_reports_bytes(world);
    world_save(world, &physics, &size);
    history_image made = {.tick = world_tick(world),
                          .row = h->first_row + h->rows.count,
                          .owners = (uint32_t)owners_size,
                          .reports = (uint32_t)reports_size,
                          .size = (uint32_t)(owners_size + reports_size + size)};
    made.bytes = block_take(made.size);
    owners_encode(owned, world, made.bytes);
    world_save_reports(world, made.bytes + owners_size);
    memcpy(made.bytes + owners_size + reports_size, physics, size);
    free(physics);
    array_push(&h->images, made);
    h->image_bytes += made.size;
    h->changed = false;
}

// Whether an image may fit, as far as that can be said without making it.
static bool may_fit(const history *h, const physics_world *world)
{
    const uint64_t slots = world_body_slots(world);
    return slots * BODY_BYTES < h->bytes_max && (h->refused == 0 || slots < h->refused);
}

void history_begin(history *h, const physics_world *world, const owners *owned)
{
    ASSERT(h->images.count == 0 && h->rows.count == 0);
    h->retry_tick = world_tick(world) + h->span;
    if (h->span == 0 || !may_fit(h, world)) {
        return;
    }
    block_account *before = block_charge(&h->account);
    add_image(h, world, owned);
    block_charge(before);
    trim(h, world_tick(world));
    h->refused = h->images.count > 0 ? 0 : world_body_slots(world);
}

bool history_is_asked(const history *h, uint64_t tick)
{
    return h->asked > 0 && tick - h->asked_tick <= ASKED_SPANS * h->span;
}

// Ticks from one image to the next.
static uint64_t interval_of(const history *h, uint64_t tick)
{
    const bool asked = history_is_asked(h, tick);
    const double steps = asked ? ASKED_STEPS : IDLE_STEPS;
    const double least = asked ? HISTORY_ASKED_INTERVAL_MIN : HISTORY_INTERVAL_MIN;
    const double most = fmax(least, 0.5 * (double)h->span);
    const double wanted = steps * (double)h->image_ns / fmax(h->step_ns, 1.0);
    return (uint64_t)fmin(fmax(wanted, least), most);
}

// `changed`: the state differs from that of the newest image.
static bool image_is_due(const history *h, uint64_t tick, bool changed)
{
    const uint64_t past = tick - h->images.data[h->images.count - 1].tick;
    const uint64_t since = h->images.data[h->images.count - 1].row - h->first_row;
    const uint32_t from = since < h->rows.count ? h->rows.data[since].offset : h->arguments.count;
    const bool much = h->arguments.count - from > h->bytes_max / ROWS_SHARE;
    return much || (past >= interval_of(h, tick) && (changed || past >= QUIET_SPANS * h->span));
}

void history_note_command(history *h, uint64_t tick, bool paused, method m,
                          const uint8_t *arguments, uint32_t size)
{
    if (h->images.count == 0) {
        return;
    }
    if (arguments == NULL || history_bytes(h) + size > h->bytes_max) {
        history_forget(h);
        return;
    }
    block_account *before = block_charge(&h->account);
    history_row row = {
        .tick = tick, .method = m, .paused = paused, .offset = h->arguments.count, .size = size};
    array_reserve(&h->arguments, h->arguments.count + size);
    memcpy(h->arguments.data + h->arguments.count, arguments, size);
    h->arguments.count += size;
    array_push(&h->rows, row);
    h->changed = true;
    block_charge(before);
}

void history_note_step(history *h, const physics_world *world, const owners *owned, int64_t step_ns,
                       int64_t (*now)(void))
{
    const uint64_t tick = world_tick(world);
    const bool awake = world_awake(world) > 0;
    h->changed = h->changed || awake || h->was_awake;
    h->was_awake = awake;
    h->step_ns += MEAN_SHARE * ((double)step_ns - h->step_ns);
    if (h->images.count == 0) {
        if (tick >= h->retry_tick) {
            history_begin(h, world, owned);
        }
        return;
    }
    if (image_is_due(h, tick, h->changed)) {
        const int64_t begin = now();
        block_account *before = block_charge(&h->account);
        add_image(h, world, owned);
        block_charge(before);
        h->image_ns = now() - begin;
    }
    trim(h, tick);
    if (!history_is_asked(h, tick)) {
        block_account *before = block_charge(&h->account);
        history_free_lanes(h);
        block_charge(before);
    }
}

int64_t history_note_ns(const history *h, const physics_world *world)
{
    const uint64_t tick = world_tick(world) + 1;
    const bool changes = h->changed || world_awake(world) > 0 || h->was_awake;
    const bool made = h->images.count == 0
                          ? h->span > 0 && tick >= h->retry_tick && may_fit(h, world)
                          : image_is_due(h, tick, changes);
    return made ? (int64_t)world_body_slots(world) * HISTORY_IMAGE_BODY_NS : 0;
}

uint64_t history_first(const history *h, uint64_t tick)
{
    if (h->images.count == 0) {
        return tick;
    }
    const uint64_t oldest = h->images.data[0].tick;
    return oldest > horizon(h, tick) ? oldest : horizon(h, tick);
}
