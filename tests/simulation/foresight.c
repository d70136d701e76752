// Accounts of predictions; see foresight.h.
#include "tests/simulation/foresight.h"

#include <inttypes.h>

#include "proto/encode/encode.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/sim.h"

foresight_figures foresight_totals;

void foresight_deinit(foresight *f)
{
    array_free(&f->waiting);
    array_free(&f->rows);
    array_free(&f->frames);
    array_free(&f->open);
    array_free(&f->due);
}

void foresight_follow(foresight *f)
{
    foresight_totals.lost += f->waiting.count;
    foresight_totals.follows++;
    array_clear(&f->waiting);
    array_clear(&f->rows);
    array_clear(&f->frames);
    f->asked = 0;
}

// ---- batches

void foresight_asked(foresight *f, uint64_t tick)
{
    SIM_CHECK(tick > f->asked,
              "commands of tick %" PRIu64 " were asked for after those of %" PRIu64, tick,
              f->asked);
    f->asked = tick;
}

void foresight_given(foresight *f, uint64_t at, uint64_t nonce, bool sure)
{
    const given_batch batch = {.at = at, .nonce = nonce, .sure = sure};
    array_push(&f->waiting, batch);
    f->given++;
    foresight_totals.batches++;
}

static uint32_t find_waiting(const foresight *f, uint64_t nonce)
{
    uint32_t i = 0;
    while (i < f->waiting.count && f->waiting.data[i].nonce != nonce) {
        i++;
    }
    return i;
}

static void remove_waiting(foresight *f, uint32_t index)
{
    array_remove(&f->waiting, index);
}

void foresight_refused(foresight *f, uint64_t nonce)
{
    const uint32_t index = find_waiting(f, nonce);
    if (index < f->waiting.count) {
        remove_waiting(f, index);
        f->refused++;
        foresight_totals.refused++;
    }
}

void foresight_row(foresight *f, uint64_t tick, uint64_t nonce)
{
    const shown_row row = {.tick = tick, .nonce = nonce};
    array_push(&f->rows, row);
    const uint32_t index = nonce != 0 ? find_waiting(f, nonce) : f->waiting.count;
    if (index < f->waiting.count) {
        const uint64_t at = f->waiting.data[index].at;
        SIM_CHECK(tick >= at, "a batch for tick %" PRIu64 " acted in tick %" PRIu64, at, tick);
        remove_waiting(f, index);
        f->shown++;
        f->late += tick > at;
        foresight_totals.shown++;
        foresight_totals.late += tick > at;
    }
}

// ---- ticks

static uint64_t mix_input(uint64_t digest, uint64_t tick, uint64_t nonce)
{
    return oracle_mix(oracle_mix(digest, tick), nonce);
}

// The prediction applies each batch in its tick or, if that has passed without it, in the next one.
void foresight_frame(foresight *f, uint64_t from, const physics_world *predicted)
{
    foreseen_tick t = {.from = from, .tick = world_tick(predicted)};
    for (uint32_t i = 0; i < f->waiting.count; i++) {
        const given_batch *b = &f->waiting.data[i];
        const uint64_t tick = b->at > from ? b->at : from + 1;
        t.inputs = tick <= t.tick ? mix_input(t.inputs, tick, b->nonce) : t.inputs;
    }
    if (t.tick > from) {
        t.hash = world_hash(predicted);
        array_push(&f->frames, t);
        foresight_totals.frames++;
    }
}

static uint64_t inputs_of(const foresight *f, uint64_t from, uint64_t to)
{
    uint64_t digest = 0;
    for (uint32_t i = 0; i < f->rows.count; i++) {
        const shown_row *row = &f->rows.data[i];
        digest =
            row->tick > from && row->tick <= to ? mix_input(digest, row->tick, row->nonce) : digest;
    }
    return digest;
}

static void judge(const foresight *f, const foreseen_tick *t, uint64_t hash)
{
    if (t->inputs != inputs_of(f, t->from, t->tick)) {
        foresight_totals.otherwise++;
        return;
    }
    foresight_totals.agreed++;
    SIM_CHECK(t->hash == hash,
              "tick %" PRIu64 " was predicted from tick %" PRIu64
              " with the commands that came, and is %016" PRIx64 " instead of %016" PRIx64,
              t->tick, t->from, t->hash, hash);
}

static void judge_frames(foresight *f, const physics_world *confirmed)
{
    const uint64_t tick = world_tick(confirmed);
    uint64_t oldest = tick; // the first tick from which a prediction is not yet decided
    uint32_t kept = 0;
    for (uint32_t i = 0; i < f->frames.count; i++) {
        const foreseen_tick t = f->frames.data[i];
        if (t.tick == tick) {
            judge(f, &t, world_hash(confirmed));
        } else if (t.tick > tick) {
            oldest = t.from < oldest ? t.from : oldest;
            f->frames.data[kept++] = t;
        }
    }
    f->frames.count = kept;
    uint32_t past = 0;
    while (past < f->rows.count && f->rows.data[past].tick <= oldest) {
        past++;
    }
    array_remove_first(&f->rows, past);
}

// ---- events

static bool is_same(const physics_event *x, const physics_event *y)
{
    return x->kind == y->kind && x->a == y->a && x->b == y->b && x->shape_a == y->shape_a &&
           x->shape_b == y->shape_b && x->joint == y->joint;
}

// Closes the earliest of the equal events: a prediction may move an event after it was reported.
static void close_event(foresight *f, const physics_event *e)
{
    const uint32_t none = f->open.count;
    uint32_t best = none;
    for (uint32_t i = 0; i < f->open.count; i++) {
        const physics_event *o = &f->open.data[i];
        if (is_same(o, e) && (best == none || o->tick < f->open.data[best].tick)) {
            best = i;
        }
    }
    SIM_CHECK(best < none,
              "event %s of bodies %" PRIu64 " and %" PRIu64 ", tick %" PRIu64
              ", was decided and never predicted",
              event_kind_name(e->kind), e->a, e->b, e->tick);
    array_swap_remove(&f->open, best);
}

static void confirm(foresight *f, const physics_event *e)
{
    SIM_CHECK(f->due.count > 0 && is_same(&f->due.data[0], e) && f->due.data[0].tick == e->tick,
              "event %s of tick %" PRIu64 " was confirmed twice, out of order, or never happened",
              event_kind_name(e->kind), e->tick);
    array_remove_first(&f->due, 1);
}

void foresight_event(foresight *f, const prediction_event *e)
{
    foresight_totals.predicted += e->fate == PREDICTION_EVENT_PREDICTED;
    foresight_totals.confirmed += e->fate == PREDICTION_EVENT_CONFIRMED;
    foresight_totals.taken_back += e->fate == PREDICTION_EVENT_TAKEN_BACK;
    if (e->fate == PREDICTION_EVENT_PREDICTED) {
        array_push(&f->open, e->event);
        return;
    }
    if (e->was_predicted) {
        close_event(f, &e->event);
    }
    if (e->fate == PREDICTION_EVENT_CONFIRMED) {
        confirm(f, &e->event);
    }
}

void foresight_step(foresight *f, const physics_world *confirmed, uint32_t kinds)
{
    uint32_t count = 0;
    const physics_event *events = world_events(confirmed, &count);
    for (uint32_t i = 0; i < count; i++) {
        if ((kinds >> events[i].kind & 1) != 0) {
            array_push(&f->due, events[i]);
        }
    }
    judge_frames(f, confirmed);
}

// ---- the end

bool foresight_has_overdue(const foresight *f, uint64_t overdue)
{
    for (uint32_t i = 0; i < f->open.count; i++) {
        if (f->open.data[i].tick < overdue) {
            return true;
        }
    }
    return false;
}

void foresight_settled(const foresight *f, uint64_t overdue)
{
    for (uint32_t i = 0; i < f->waiting.count; i++) {
        SIM_CHECK(!f->waiting.data[i].sure,
                  "the batch for tick %" PRIu64 " (command %" PRIu64 ") was lost on the way",
                  f->waiting.data[i].at, f->waiting.data[i].nonce);
    }
    SIM_CHECK(f->due.count == 0, "%u events that happened were not told", f->due.count);
    for (uint32_t i = 0; i < f->open.count; i++) {
        const physics_event *e = &f->open.data[i];
        SIM_CHECK(e->tick >= overdue,
                  "event %s of tick %" PRIu64 " was predicted and never decided",
                  event_kind_name(e->kind), e->tick);
    }
}
