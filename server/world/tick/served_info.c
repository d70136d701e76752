// The reports of world.info and world.list on a served world. See served_world.h. The thread of its
// simulation thread.
#include "server/world/tick/served_world_internal.h"

#include "common/base/assert.h"
#include "common/physics/data.h"
#include "common/world/seats.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"

static const int64_t LASTS_NS = 20000000; // a delay that a client asking for a list would notice

// Ticks per second. Before the first whole window of a running world: those since the start, but
// not above the world's own rate, because the first few ticks come at once and would distort it.
static double measured_rate(const served_world *h)
{
    const served_world_window *w = &h->window;
    if (served_world_shows_paused(h)) {
        const bool stepped = w->paused && h->clocks.now() - w->last_ns <= SERVED_WORLD_STILL_NS;
        return stepped ? w->rate : 0.0;
    }
    if (w->rate > 0.0 && !w->paused) {
        return w->rate;
    }
    double elapsed_ns = (double)(h->clocks.now() - w->start_ns);
    bool measurable = elapsed_ns >= 2.0 * h->schedule.period_ns;
    double rate = measurable ? (double)w->ticks / elapsed_ns * 1e9 : h->hz;
    return rate < h->hz ? rate : h->hz;
}

// The mean time of a tick [ms].
static double measured_step_ms(const served_world *h)
{
    const served_world_window *w = &h->window;
    bool young = w->step_ms <= 0.0 && w->ticks > 0;
    return young ? (double)w->busy_ns / (double)w->ticks * 1e-6 : w->step_ms;
}

static const char *log_error_of(const served_world *h)
{
    if (h->replay_failure.status != STATUS_OK) {
        return h->replay_failure.text;
    }
    return world_log_failure_text(&h->log);
}

// `seated`: with those who have seats. `place`: NULL without a fleet, and in lists.
static void encode_info(served_world *h, bool confined, bool seated, const fleet_place *place,
                        buffer *out)
{
    world_seats seats;
    seats_of(h->physics, &seats);
    const world_data_counts data = world_data_count(h->physics);
    world_status s = {
        .world = h->name,
        .epoch = h->number,
        .tick = world_tick(h->physics),
        .time = world_time(h->physics),
        .def = world_definition(h->physics),
        .paused = served_world_shows_paused(h),
        .durability = world_log_is_replicated(&h->log) ? DURABILITY_REPLICATED
                                                       : (durability)h->log.durability,
        .log_error = log_error_of(h),
        .players = *players_current(&h->players.cache, h->physics),
        .counts = world_count(h->physics),
        .subscribers = served_world_reader_count(h),
        .referee = publisher_referee(&h->publisher),
        .confined = confined,
        .hash = confined ? 0 : world_hash(h->physics),
        .step_ms = measured_step_ms(h),
        .rate = measured_rate(h),
        .ticks_late = h->schedule.late,
        .data_keys = data.keys,
        .data_bytes = data.bytes,
        .template_name = seats.template_name,
        .seats = seats.count,
        .seats_taken = seats.taken.count,
        .seated = seated && !confined ? seats.taken.data : NULL,
        .seated_count = seats.taken.count,
        .term = place != NULL ? place->term : 0,
        .primary = place != NULL ? place->primary : "",
        .standby = place != NULL ? place->standby : "",
        .relay_of = h->mirror != NULL ? atomic_load(&h->mirror->link->upstream) : "",
        .lag = h->mirror != NULL ? mirror_lag(h->mirror, h->clocks.now()) : 0.0,
        .standby_tick = place != NULL ? place->standby_tick : 0,
    };
    encode_world_status(out, &s);
    world_seats_deinit(&seats);
}

void served_world_answer_info(served_world *h, request *q)
{
    encode_info(h, q->actor.confined, q->command.method == METHOD_WORLD_INFO, q->place,
                &h->scratch);
    served_world_answer(h, q, NULL);
}

static shared_bytes *figures_for(served_world *h, bool confined)
{
    buffer out;
    size_t size = 0;
    buffer_init(&out, WIRE_REPLY_BYTES_MAX);
    encode_info(h, confined, false, NULL, &out);
    uint8_t *data = buffer_take(&out, &size);
    return bytes_take(data, size);
}

// At most one such reply is on its way: its bytes are referenced here too.
void served_world_expect(served_world *h, int64_t ns)
{
    if (ns < LASTS_NS || (h->figures != NULL && atomic_load(&h->figures->references) > 1)) {
        return;
    }
    reply *r = reply_create(REPLY_FIGURES, h->number);
    r->payload = figures_for(h, false);
    r->tail = figures_for(h, true);
    bytes_unref(h->figures);
    h->figures = bytes_ref(r->payload);
    served_world_post(h, r);
}
