// A server of the simulated fleet: it serves its world, follows another, and receives messages.
#include "tests/simulation/fleet_sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"

// ---- a server

static void lose_world(node *n)
{
    if (planted == PLANT_STRAY && n->shown >= 0 && n->stray_term > 0) {
        return;
    }
    n->has_world = false;
    n->candidate = n->second = -1;
    n->met = false;
}

void renew_machine(node *n)
{
    world_record self = {.engine = 1, .hz = 60};
    memcpy(self.primary, n->name, sizeof n->name);
    snprintf(self.run, sizeof self.run, "%016" PRIx64, chance());
    if (planted == PLANT_RUN && n->unwanted) {
        memcpy(self.run, n->machine.self.run, sizeof self.run);
    }
    const uint64_t write = n->machine.write;
    ownership_init(&n->machine, &self);
    n->machine.write = write; // answers of earlier transactions are no answers to later ones
    n->unwanted = false;
}

// The claim that was given up has taken effect: the record is removed, and the name claimed again.
static void remove_unwanted(node *n)
{
    happening h = {.kind = STORE_GETS, .removes = true, .revision = n->machine.revision};
    schedule(h, 1 + below(8) + (one_in(3) ? below(900) : 0));
    renew_machine(n);
    h = (happening){
        .kind = REPORT, .node = index_of(n->name), .life = n->life, .read = true, .absent = true};
    schedule(h, 1 + below(20));
}

static void serve(node *n)
{
    if (n->unwanted) {
        remove_unwanted(n);
        return;
    }
    n->logged = true;
    n->shown = n->tip > 0 ? n->tip - 1 : -1;
    n->candidate = n->second = -1;
    n->met = false;
    n->stray_term = n->machine.record.term;
    if (!n->has_world) { // created
        n->has_world = true;
        n->tip = 0;
        n->history[0] = chance();
        n->shown = -1;
    }
}

void carry_out(node *n, const ownership_actions *actions)
{
    for (uint32_t i = 0; i < actions->count; i++) {
        const ownership_action *a = &actions->list[i];
        const ownership *o = &n->machine;
        happening h = {.term = a->term, .tick = a->tick, .record = o->record};
        h.revision = o->revision;
        switch (a->kind) {
        case ACTION_WRITE:
            transact(n);
            break;
        case ACTION_SERVE:
            serve(n);
            break;
        case ACTION_ACKNOWLEDGE:
            break; // take_log sends it
        case ACTION_NAME:
            h.message = NAMED;
            send_message(n, index_of(o->follower), h);
            break;
        case ACTION_YIELD:
            sim.moves++;
            h.message = YIELD;
            send_message(n, index_of(o->follower), h);
            break;
        case ACTION_DROP:
            n->unwanted = false;
            lose_world(n);
            break;
        }
    }
}

bool leads(const node *n)
{
    return n->has_world && __real_ownership_shows_to(&n->machine) >= 0;
}

static void send_log(node *n, int to)
{
    const happening h = {
        .message = LOG, .term = n->machine.record.term, .tick = n->tip, .hash = n->history[n->tip]};
    send_message(n, to, h);
}

static void send_image(node *n, int to)
{
    happening h = {.message = IMAGE,
                   .term = n->machine.record.term,
                   .tick = n->tip,
                   .record = n->machine.record,
                   .revision = n->machine.revision};
    h.image = malloc((size_t)(n->tip + 1) * sizeof *h.image);
    ASSERT_MEMORY(h.image != NULL);
    memcpy(h.image, n->history, (size_t)(n->tip + 1) * sizeof *h.image);
    send_message(n, to, h);
}

static void show(node *n)
{
    int64_t to = ownership_show(&n->machine, n->tip);
    if (planted == PLANT_STRAY && n->machine.state == OWNERSHIP_NONE) {
        to = n->tip;
    }
    const int64_t term = n->machine.record.term > 0 ? n->machine.record.term : n->stray_term;
    for (; n->shown < to; n->shown++) {
        see(n, term, n->shown + 1);
    }
}

void step_primary(node *n)
{
    const int self = index_of(n->name);
    const bool yields = n->machine.state == OWNERSHIP_YIELDING;
    if (!yields && n->tip + 1 < TICKS_MAX && n->tip - n->shown < LEAD_MAX) {
        n->tip++;
        n->history[n->tip] = n->history[n->tip - 1] * 31 + chance();
        if (n->candidate >= 0) {
            send_log(n, n->candidate);
        }
        if (n->second >= 0) {
            send_log(n, n->second);
        }
    }
    show(n);
    if (n->candidate >= 0 && ++n->heard > MISSED_TICKS) {
        n->candidate = n->second = -1;
        n->met = false;
        report(n, &(ownership_event){.kind = EVENT_STANDBY_MISSED});
    } else if (n->candidate < 0 && n->machine.state == OWNERSHIP_ALONE && one_in(20)) {
        n->candidate = (self + 1 + (int)below(NODES - 1)) % NODES;
        n->second = planted == PLANT_TWO ? NODES - self - n->candidate : -1;
        n->heard = 0;
        n->met = false;
        send_image(n, n->candidate);
        if (n->second >= 0) {
            send_image(n, n->second);
        }
    } else if (n->machine.state == OWNERSHIP_PAIRED && one_in(faulty() ? 300 : 5000)) {
        report(n, &(ownership_event){.kind = EVENT_YIELD});
    }
}

void step_follower(node *n)
{
    const bool follows =
        n->machine.state == OWNERSHIP_CATCHING_UP || n->machine.state == OWNERSHIP_FOLLOWING;
    if (follows && ++n->heard == MISSED_TICKS) {
        sim.takeovers += n->machine.state == OWNERSHIP_FOLLOWING;
        report(n, &(ownership_event){.kind = EVENT_PRIMARY_MISSED});
    }
}

void stray(node *n)
{
    if (planted == PLANT_STRAY && n->has_world && n->machine.state == OWNERSHIP_NONE) {
        n->tip += n->tip + 1 < TICKS_MAX;
        n->history[n->tip] = n->history[n->tip - 1] * 31 + chance();
        show(n);
    }
}

// ---- messages that arrive

static void acknowledge(node *n, const happening *h, int64_t tick)
{
    happening ack = {.message = ACK, .term = h->term, .tick = tick};
    send_message(n, h->from, ack);
}

static void take_log(node *n, const happening *h)
{
    const char *from = sim.nodes[h->from].name;
    ownership_actions actions;
    const ownership_event e = {.kind = EVENT_LOG, .from = from, .term = h->term, .tick = h->tick};
    if (!n->has_world || h->tick > n->tip + 1) {
        return; // something is missing: no acknowledgement, so the primary gives up and sends all
    }
    ownership_handle(&n->machine, &e, &actions);
    if (actions.count == 0) {
        return;
    }
    n->heard = 0;
    if (h->tick == n->tip + 1) {
        n->tip++;
        n->history[n->tip] = h->hash;
    } else if (n->history[h->tick] != h->hash && planted == PLANT_NONE) {
        violate("primary and standby differ");
    }
    acknowledge(n, h, h->tick);
}

static void take_image(node *n, const happening *h)
{
    const ownership before = n->machine;
    report(n, &(ownership_event){.kind = EVENT_IMAGE,
                                 .record = &h->record,
                                 .revision = h->revision,
                                 .tick = h->tick});
    if (n->machine.state != OWNERSHIP_CATCHING_UP ||
        (before.state == OWNERSHIP_CATCHING_UP && before.record.term == h->term &&
         h->tick < before.acknowledged)) {
        return; // not accepted
    }
    n->has_world = n->logged = true;
    n->tip = h->tick;
    memcpy(n->history, h->image, (size_t)(h->tick + 1) * sizeof *h->image);
    n->heard = 0;
    n->stray_term = 0;
    n->shown = -1;
    acknowledge(n, h, h->tick);
}

static void take_acknowledgement(node *n, const happening *h)
{
    const char *from = sim.nodes[h->from].name;
    if (h->from != n->candidate && h->from != n->second) {
        return;
    }
    if (h->term != n->machine.record.term) {
        return; // sent in an earlier term, when that server was a candidate, too
    }
    n->heard = 0;
    const bool first = !n->met && h->from == n->candidate;
    n->met = n->met || first;
    report(n, &(ownership_event){.kind = first ? EVENT_CANDIDATE : EVENT_ACKNOWLEDGED,
                                 .from = from,
                                 .term = h->term,
                                 .tick = h->tick});
}

void take_message(node *n, const happening *h)
{
    switch (h->message) {
    case LOG:
        take_log(n, h);
        return;
    case ACK:
        take_acknowledgement(n, h);
        return;
    case IMAGE:
        take_image(n, h);
        return;
    case NAMED:
        report(n, &(ownership_event){
                      .kind = EVENT_NAMED, .record = &h->record, .revision = h->revision});
        return;
    case YIELD:
        if (n->machine.record.term == h->term) {
            report(n, &(ownership_event){.kind = EVENT_PRIMARY_MISSED});
        }
        return;
    }
}

void take_report(node *n, const happening *h)
{
    const ownership_event seen = {
        .kind = EVENT_RECORD, .record = h->absent ? NULL : &h->record, .revision = h->revision};
    report(n, &seen);
    if (!h->read) {
        return;
    }
    if (h->absent && index_of(n->name) == 0) {
        n->unwanted = faulty() && n->machine.state == OWNERSHIP_NONE && one_in(3);
        report(n, &(ownership_event){.kind = EVENT_CREATE});
    } else if (!h->absent && strcmp(h->record.primary, n->name) == 0) {
        n->has_world = n->logged;
        report(n, &(ownership_event){
                      .kind = EVENT_CLAIM, .record = &h->record, .revision = h->revision});
    }
}
