// The state machine of a world's ownership; see ownership.h.
#include "server/fleet/ownership.h"

#include <string.h>

#include "common/base/assert.h"

static void act(ownership_actions *out, ownership_action_kind kind, int64_t term, int64_t tick)
{
    ASSERT(out->count < OWNERSHIP_ACTIONS_MAX);
    out->list[out->count++] = (ownership_action){kind, term, tick};
}

static bool is_mine(const ownership *o, const world_record *r)
{
    return strcmp(r->primary, o->self.primary) == 0 && strcmp(r->run, o->self.run) == 0;
}

static bool asks(const ownership *o)
{
    return o->state == OWNERSHIP_CLAIMING || o->state == OWNERSHIP_PAIRING ||
           o->state == OWNERSHIP_UNPAIRING || o->state == OWNERSHIP_TAKING_OVER;
}

static bool is_primary(const ownership *o)
{
    return o->state == OWNERSHIP_ALONE || o->state == OWNERSHIP_PAIRING ||
           o->state == OWNERSHIP_PAIRED || o->state == OWNERSHIP_YIELDING ||
           o->state == OWNERSHIP_UNPAIRING;
}

void ownership_init(ownership *o, const world_record *self)
{
    *o = (ownership){.self = *self, .state = OWNERSHIP_NONE, .shown = -1, .acknowledged = -1};
}

// Rule 5.
static void drop(ownership *o, const world_record *winner, ownership_actions *out)
{
    o->state = OWNERSHIP_NONE;
    o->has_winner = winner != NULL;
    if (winner != NULL) {
        o->winner = *winner;
    }
    o->record = (world_record){0};
    o->revision = 0;
    o->follower[0] = '\0';
    o->acknowledged = o->shown = -1;
    o->primary_missed = o->creating = false;
    act(out, ACTION_DROP, 0, 0);
}

static void become(ownership *o, const ownership_event *e, ownership_actions *out);

static void write(ownership *o, ownership_actions *out)
{
    o->write++;
    o->wanted_at = o->revision;
    act(out, ACTION_WRITE, o->wanted.term, 0);
    if (!ownership_awaits_store(o)) { // never, but in a test's planted fault
        const ownership_event e = {.revision = o->revision};
        become(o, &e, out);
    }
}

// Asks for a term of this server's own.
static void ask(ownership *o, ownership_state state, int64_t term, const char *standby,
                ownership_actions *out)
{
    o->state = state;
    o->wanted = o->self;
    o->wanted.term = term;
    memcpy(o->wanted.standby, standby, strlen(standby) + 1);
    write(o, out);
}

// The transaction took effect.
static void become(ownership *o, const ownership_event *e, ownership_actions *out)
{
    o->record = o->wanted;
    o->revision = e->revision;
    o->creating = false;
    if (o->state == OWNERSHIP_PAIRING) {
        o->state = OWNERSHIP_PAIRED;
        act(out, ACTION_NAME, o->record.term, 0);
        return;
    }
    o->state = OWNERSHIP_ALONE;
    o->follower[0] = '\0';
    o->acknowledged = -1;
    o->primary_missed = false;
    act(out, ACTION_SERVE, o->record.term, 0);
}

static void begin_claim(ownership *o, const ownership_event *e, ownership_actions *out)
{
    if (o->state != OWNERSHIP_NONE) {
        return;
    }
    o->creating = e->kind == EVENT_CREATE;
    o->revision = o->creating ? 0 : e->revision;
    o->record = o->creating || e->record == NULL ? (world_record){0} : *e->record;
    ask(o, OWNERSHIP_CLAIMING, o->record.term + 1, "", out);
}

static void refused(ownership *o, const ownership_event *e, ownership_actions *out)
{
    if (e->record != NULL && world_record_same(e->record, &o->wanted)) {
        become(o, e, out); // an earlier try, whose answer was lost
        return;
    }
    if (e->record == NULL || o->creating) {
        drop(o, e->record, out);
        return;
    }
    // An earlier write of this server took effect (the one that named the standby, before it was
    // missed), or the record is the same in all that matters: the question is asked again of the
    // newer revision.
    const bool own = is_primary(o) && is_mine(o, e->record) && e->record->term == o->record.term;
    const bool same = !is_primary(o) && world_record_same(e->record, &o->record);
    if ((own || same) && e->revision > o->revision) {
        o->revision = e->revision;
        write(o, out);
        return;
    }
    drop(o, e->record, out);
}

// The transaction that is under way, by its number.
static void answered(ownership *o, const ownership_event *e, ownership_actions *out)
{
    if (!asks(o) || e->write != o->write) {
        return;
    }
    if (e->kind == EVENT_WRITTEN) {
        become(o, e, out);
    } else if (e->kind == EVENT_REFUSED) {
        refused(o, e, out);
    } else {
        write(o, out);
    }
}

static void take_over(ownership *o, ownership_actions *out)
{
    ask(o, OWNERSHIP_TAKING_OVER, o->record.term + 1, "", out); // rule 3
}

static bool names_me(const ownership *o, const world_record *r)
{
    return r->term == o->record.term && strcmp(r->primary, o->record.primary) == 0 &&
           strcmp(r->run, o->record.run) == 0 && strcmp(r->standby, o->self.primary) == 0;
}

// A record that was read is old, perhaps, but was true at its revision. A world served here
// ends with any newer record that this server did not write, or with the record's removal; a
// candidate that is named may take over by a transaction.
static void seen(ownership *o, const ownership_event *e, ownership_actions *out)
{
    const world_record *r = e->record;
    if (o->state == OWNERSHIP_NONE || o->state == OWNERSHIP_CLAIMING ||
        e->revision <= o->revision) {
        return;
    }
    if (r == NULL) {
        if (o->state != OWNERSHIP_TAKING_OVER) { // its transaction will be refused
            drop(o, NULL, out);
        }
        return;
    }
    if (o->state == OWNERSHIP_CATCHING_UP && names_me(o, r)) {
        o->state = OWNERSHIP_FOLLOWING;
        o->record = *r;
        o->revision = e->revision;
        if (o->primary_missed) {
            take_over(o, out);
        }
        return;
    }
    const bool own_write = asks(o) && world_record_same(r, &o->wanted);
    const bool others = is_primary(o) && !is_mine(o, r);
    if (others || (r->term > o->record.term && !own_write)) {
        drop(o, r, out);
    }
}

static void follow(ownership *o, const ownership_event *e)
{
    const bool free = o->state == OWNERSHIP_NONE || o->state == OWNERSHIP_CATCHING_UP ||
                      o->state == OWNERSHIP_FOLLOWING;
    // An image that is older than what was acknowledged must not replace it: this server may be
    // named, without knowing it.
    const bool same_term = e->record->term == o->record.term;
    if (!free || e->record->term < o->record.term ||
        (same_term && (o->state == OWNERSHIP_FOLLOWING || e->tick < o->acknowledged))) {
        return;
    }
    o->state = OWNERSHIP_CATCHING_UP;
    o->acknowledged = e->tick;
    o->record = *e->record;
    o->revision = e->revision;
    o->primary_missed = false;
}

static void meet_candidate(ownership *o, const ownership_event *e, ownership_actions *out)
{
    if (o->state != OWNERSHIP_ALONE) {
        return;
    }
    memcpy(o->follower, e->from, strlen(e->from) + 1);
    o->acknowledged = e->tick;
    if (ownership_admits(o)) {
        ask(o, OWNERSHIP_PAIRING, o->record.term, o->follower, out); // rule 6
    }
}

static void count_acknowledgement(ownership *o, const ownership_event *e, ownership_actions *out)
{
    if (!ownership_counts(o, e->from, e->term)) {
        return;
    }
    o->acknowledged = e->tick > o->acknowledged ? e->tick : o->acknowledged;
    if (ownership_admits(o)) {
        ask(o, OWNERSHIP_PAIRING, o->record.term, o->follower, out);
    }
}

static void miss_standby(ownership *o, ownership_actions *out)
{
    if (o->state == OWNERSHIP_ALONE) {
        o->follower[0] = '\0'; // a candidate that was not written in
        o->acknowledged = -1;
    } else if (o->state == OWNERSHIP_PAIRING || o->state == OWNERSHIP_PAIRED ||
               o->state == OWNERSHIP_YIELDING) {
        ask(o, OWNERSHIP_UNPAIRING, o->record.term + 1, "", out); // rule 4
    }
}

static void miss_primary(ownership *o, ownership_actions *out)
{
    if (o->state == OWNERSHIP_CATCHING_UP) {
        o->primary_missed = true;
    } else if (o->state == OWNERSHIP_FOLLOWING) {
        o->primary_missed = true;
        take_over(o, out);
    }
}

void ownership_handle(ownership *o, const ownership_event *e, ownership_actions *out)
{
    out->count = 0;
    switch (e->kind) {
    case EVENT_CREATE:
    case EVENT_CLAIM:
        begin_claim(o, e, out);
        return;
    case EVENT_WRITTEN:
    case EVENT_REFUSED:
    case EVENT_UNANSWERED:
        answered(o, e, out);
        return;
    case EVENT_RECORD:
    case EVENT_NAMED:
        seen(o, e, out);
        return;
    case EVENT_CANDIDATE:
        meet_candidate(o, e, out);
        return;
    case EVENT_ACKNOWLEDGED:
        count_acknowledgement(o, e, out);
        return;
    case EVENT_STANDBY_MISSED:
        miss_standby(o, out);
        return;
    case EVENT_IMAGE:
        follow(o, e);
        return;
    case EVENT_LOG:
        if (ownership_acknowledges(o, e->from, e->term)) {
            o->acknowledged = e->tick > o->acknowledged ? e->tick : o->acknowledged;
            act(out, ACTION_ACKNOWLEDGE, e->term, e->tick);
        }
        return;
    case EVENT_PRIMARY_MISSED:
        miss_primary(o, out);
        return;
    case EVENT_YIELD:
        if (o->state == OWNERSHIP_PAIRED) {
            o->state = OWNERSHIP_YIELDING;
            act(out, ACTION_YIELD, o->record.term, 0);
        }
        return;
    }
}

int64_t ownership_show(ownership *o, int64_t tick)
{
    const int64_t most = ownership_shows_to(o);
    const int64_t shown = tick < most ? tick : most;
    o->shown = is_primary(o) && shown > o->shown ? shown : o->shown;
    return shown;
}

const char *ownership_state_name(ownership_state state)
{
    static const char *const NAMES[OWNERSHIP_STATE_COUNT] = {
        "none",     "claiming",  "alone",       "pairing",   "paired",
        "yielding", "unpairing", "catching_up", "following", "taking_over"};
    ASSERT(state < OWNERSHIP_STATE_COUNT);
    return NAMES[state];
}
