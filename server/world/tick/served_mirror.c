// A world of a relay: it plays the log of another server's world (server/world/state/mirror.h)
// and serves those who watch it. Its time is that of the log: a tick is played when its record
// comes, and what is due is sent after each. See served_world.h. Simulation thread only.
//
// The log brings what its own server has carried out, perhaps on a thread of its own. So its
// images, commands and steps are estimated here as those of other worlds are: before one that
// others of this thread should not wait for, playing stops, and the world waits for a thread of its
// own (sim_thread_rounds.c). The commands of a tick may also end this turn and continue in the
// next. No request is answered between the commands of a tick and its step: `tick_begun`.
#include "server/world/tick/served_world_internal.h"

#include <string.h>

#include "common/base/assert.h"
#include "common/base/log.h"
#include "server/base/metrics.h"

static const int64_t SLICE_NS = 5000000; // one turn of this world beside others

// ---- effects of the log on the world

static void note_row(served_world *h, const log_command *row)
{
    char name[WIRE_METHOD_BYTES_MAX + 1];
    memcpy(name, row->method, row->method_size);
    name[row->method_size] = '\0';
    world_log_note(&h->log, row->tick, row->session, name, row->arguments, row->arguments_size);
}

static void note_applied(void *context, const log_command *row, const command *c,
                         const command_result *result)
{
    served_world *h = context;
    (void)result;
    publisher_note_change(&h->publisher, h->physics, c);
    publisher_note_edit(&h->publisher);
    publisher_note_data(&h->publisher, c);
    publisher_note_messages(&h->publisher, c, row->session, row->tick);
    history_note_command(&h->history, row->tick, h->mirror->player.paused, c->method,
                         row->arguments, row->arguments_size);
    note_row(h, row);
}

static void note_halted(void *context, const log_command *row)
{
    note_row(context, row);
}

// ---- limits on time

static bool may_take(served_world *h, int64_t ns)
{
    h->costs.step_blocked = h->costs.step_blocked || ns > h->costs.step_most_ns;
    return !h->costs.step_blocked;
}

static bool turn_is_over(const served_world *h)
{
    return h->place.others_due && h->clocks.now() - h->costs.turn_begin_ns >= SLICE_NS;
}

bool served_world_admits_played(served_world *h, const log_command *row, const command *c)
{
    if (h->costs.step_most_ns == INT64_MAX) {
        return true;
    }
    if (c == NULL) {
        return may_take(h, (int64_t)row->arguments_size * PLAYED_BYTE_NS);
    }
    if (!may_take(h, served_world_command_ns(h, c))) {
        return false;
    }
    const crowding_cost cost =
        crowding_foresee(&h->crowding, h->physics, c, crowding_pairs_beyond(h->costs.step_most_ns));
    crowding_note(&h->crowding, &cost);
    return true;
}

static bool admits(void *context, const log_command *row, const command *c)
{
    served_world *h = context;
    const bool over = c == NULL && h->costs.step_most_ns < INT64_MAX && turn_is_over(h);
    return !over && served_world_admits_played(h, row, c);
}

static bool may_step(void *context)
{
    return !served_world_step_waits(context);
}

static void note_stepped(void *context, physics_world *world)
{
    served_world *h = context;
    ASSERT(world == h->physics);
    served_world_note_step(h, h->tick_begin_ns);
    served_world_publish(h, false);
}

void served_world_begin_mirror(served_world *h)
{
    log_player *p = &h->mirror->player;
    ASSERT(h->state == SERVED_WORLD_PAUSED && p->world == h->physics);
    p->admits = admits;
    p->may_step = may_step;
    p->applied = note_applied;
    p->halted = note_halted;
    p->stepped = note_stepped;
    p->context = h;
}

// ---- images and records

static void note_fault(served_world *h, const error *why)
{
    log_warn("world '%s': the log of %s cannot be played: %s", h->name,
             atomic_load(&h->mirror->link->upstream), why->text);
    metrics_add(METRIC_relay_faults, 1);
}

// After a lost connection, or records that were left out: the world begins again.
static void take_image(served_world *h, const mirror_item *item)
{
    const capacity_limits room = limits_room(h->limits);
    physics_world *made = NULL;
    bool paused = false;
    error err;
    status s = mirror_read_image(item, &room, h->number, &made, &paused, &err);
    if (s == STATUS_OK && world_definition(made).hz != h->hz) {
        s = error_set(&err, STATUS_INVALID_ARGUMENT, "hz: %g, the world has %g",
                      world_definition(made).hz, h->hz);
        world_free(made);
    }
    if (s != STATUS_OK) {
        mirror_break(h->mirror, &err);
        note_fault(h, &err);
        mirror_drop_first(h->mirror);
        return;
    }
    world_free(h->physics);
    h->physics = made;
    mirror_begin_anew(h->mirror, made, paused, item->received_ns);
    mirror_drop_first(h->mirror);
    h->crowding = crowding_begin(made);
    served_world_begin_anew(h);
}

static void play_one(served_world *h)
{
    const mirror_item *image = mirror_next_image(h->mirror);
    const int64_t processor = h->clocks.processor();
    const bool shared = h->runner.run != NULL && h->runner.threads > 1;
    error err;
    h->tick_begin_ns = h->clocks.now();
    if (image == NULL) {
        if (mirror_play(h->mirror, &err) != STATUS_OK) {
            note_fault(h, &err);
        }
    } else if (may_take(h, (int64_t)image->size * PLAYED_IMAGE_BYTE_NS)) {
        take_image(h, image);
    }
    h->tick_begun = h->mirror->player.held;
    served_world_settle(h);
    h->costs.lasted_ns = h->clocks.now() - h->tick_begin_ns;
    served_world_note_debt(h, shared ? h->costs.lasted_ns : h->clocks.processor() - processor);
}

void served_world_run_mirror(served_world *h)
{
    const int64_t begin = h->clocks.now();
    h->costs.turn_begin_ns = begin;
    if (!h->tick_begun) {
        served_world_serve_inbox(h, begin, SLICE_NS);
    }
    while (!served_world_has_ended(h) && !h->costs.step_blocked && mirror_has_work(h->mirror)) {
        play_one(h);
        if (h->clocks.now() - begin >= SLICE_NS || h->place.others_due) {
            break;
        }
    }
    const int64_t now = h->clocks.now();
    if (!served_world_has_ended(h) && mirror_stands(h->mirror) && served_world_owes(h) &&
        now >= served_world_paused_publish_ns(h)) {
        served_world_publish(h, true);
        h->published_ns = now;
    }
}

int64_t served_world_mirror_next_ns(const served_world *h)
{
    if (mirror_has_work(h->mirror) || h->inbox.count > 0 || h->sessions.ending.count > 0) {
        return 0;
    }
    return mirror_stands(h->mirror) && served_world_owes(h) ? served_world_paused_publish_ns(h)
                                                            : QUEUE_FOREVER;
}
