// Simulates a fleet: three servers, one world, a store, and faults from a seed. The servers run the
// state machine of server/fleet/ownership.h; clock, network, store and disks are simulated.
//
// A tick's state is a hash of the state before and of the tick's command, so two servers have the
// same hash only if they have the same history. The oracle sees every tick that a server shows:
//
//   - one server shows in a term;
//   - a shown tick has one hash, whoever shows it: so nothing that was shown (and acknowledged to a
//     client) is lost;
//   - when the faults are over, ticks are shown again.
//
// Faults: messages late or lost, links cut, servers paused (SIGSTOP) and killed (kill -9; the log
// on disk stays), moves; a new world that is given up while its claim is under way, so that its
// record is to be removed, and is claimed again meanwhile (fleet.c); transactions late, lost before
// or after they took effect, the store away for seconds; watch reports late and forgotten.
//
// Usage: carom-simulate-fleet [--plant FAULT] FIRST_SEED SEEDS. With a planted fault the run
// succeeds if the oracle finds it.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/array.h"
#include "common/base/assert.h"
#include "server/fleet/ownership.h"
#include "tests/support/command_line.h"

enum {
    NODES = 3,
    TICK_MS = 16,
    FAULTS_MS = 15000, // faults happen before
    END_MS = 24000,
    LIVE_MS = 20000,  // ticks must be shown between this and the end
    TICKS_MAX = 4096, // of a world
    TERMS_MAX = 4096,
    MISSED_TICKS = 15, // without a message
    LEAD_MAX = 60,     // ticks that a primary steps ahead of its standby
    ANSWER_MS = 400,   // a transaction without an answer
    READ_MS = 1000     // between two reads of the record
};

typedef enum plant {
    PLANT_NONE,
    PLANT_EARLY, // acknowledges before the standby
    PLANT_STRAY, // shows after losing
    PLANT_TRUST, // trusts what it read instead of awaiting its transaction
    PLANT_TERM,  // forgets the term
    PLANT_TWO,   // counts two standbys
    PLANT_RUN,   // two claims of one process write the same bytes
    PLANT_COUNT
} plant;

static const char *const PLANTS[PLANT_COUNT] = {"none",       "early-answer", "show-after-losing",
                                                "trust-read", "forget-term",  "two-standbys",
                                                "shared-run"};

static plant planted;

// ---- the rules, as the linker has them called (ownership_rules.c)

int64_t __real_ownership_shows_to(const ownership *o);
int64_t __wrap_ownership_shows_to(const ownership *o);
bool __real_ownership_counts(const ownership *o, const char *from, int64_t term);
bool __wrap_ownership_counts(const ownership *o, const char *from, int64_t term);
bool __real_ownership_acknowledges(const ownership *o, const char *from, int64_t term);
bool __wrap_ownership_acknowledges(const ownership *o, const char *from, int64_t term);
bool __wrap_ownership_awaits_store(const ownership *o);

int64_t __wrap_ownership_shows_to(const ownership *o)
{
    const int64_t most = __real_ownership_shows_to(o);
    return planted == PLANT_EARLY && most >= 0 ? INT64_MAX : most;
}

bool __wrap_ownership_counts(const ownership *o, const char *from, int64_t term)
{
    return __real_ownership_counts(o, planted == PLANT_TWO ? o->follower : from, term);
}

bool __wrap_ownership_acknowledges(const ownership *o, const char *from, int64_t term)
{
    return planted == PLANT_TERM ? o->record.term > 0
                                 : __real_ownership_acknowledges(o, from, term);
}

bool __wrap_ownership_awaits_store(const ownership *o)
{
    return !(planted == PLANT_TRUST && o->state == OWNERSHIP_TAKING_OVER);
}

// ---- chance

static uint64_t chance_state;

static uint64_t chance(void)
{
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static int64_t below(int64_t bound)
{
    return (int64_t)(chance() % (uint64_t)bound);
}

static bool one_in(int64_t count)
{
    return below(count) == 0;
}

// ---- what happens at a time

typedef enum happening_kind {
    TICK,        // of a node
    MESSAGE,     // arrives at a node
    STORE_GETS,  // a transaction
    ANSWER,      // of the store, to a node
    REPORT,      // of the watch, or a read, to a node
    RESUME,      // a paused node
    RESTART,     // a killed node
    LINK_REPAIR, // the links of a node
} happening_kind;

typedef enum message_kind { LOG, ACK, IMAGE, NAMED, YIELD } message_kind;

typedef struct happening {
    int64_t at_ms;
    uint64_t order;
    happening_kind kind;
    int node, from;
    uint64_t life; // of the node that it is for: a killed one's mail is lost
    message_kind message;
    int64_t term, tick;
    uint64_t hash;
    uint64_t write;
    ownership_event_kind outcome;
    bool absent;  // there is no record
    bool read;    // REPORT: the answer of a starting node's read
    bool lost;    // STORE_GETS: the answer is lost
    bool removes; // STORE_GETS: the record, of which nobody awaits the answer
    world_record record;
    int64_t revision;
    uint64_t *image; // IMAGE: owned
} happening;

typedef struct node {
    char name[2];
    ownership machine;
    bool alive, paused;
    uint64_t life;
    bool has_world; // a history of ticks 0 to tip
    bool logged;    // its disk has a log of the world: it has served or followed it
    bool unwanted;  // its claim was given up
    int64_t tip;
    int64_t shown; // as primary
    uint64_t history[TICKS_MAX];
    int64_t heard;         // ticks since a message of the peer
    int candidate;         // node that gets the log; -1: none
    int second;            // PLANT_TWO: another one
    bool met;              // the candidate has acknowledged
    int64_t stray_term;    // PLANT_STRAY: shows on in this term; 0: no
    ARRAY(happening) kept; // while it is paused
} node;

static struct {
    int64_t now_ms;
    uint64_t order;
    ARRAY(happening) heap;
    node nodes[NODES];
    int64_t link_ms[NODES][NODES]; // when the last message arrives: links keep the order
    bool cut[NODES];
    int64_t store_away_ms; // until then
    bool present;
    world_record record;
    int64_t revision;
    // The oracle.
    int64_t shown_max, shown_at_live;
    uint64_t shown[TICKS_MAX];
    int term_owner[TERMS_MAX]; // node + 1
    const char *violation;
    int64_t terms, moves, takeovers;
} sim;

static bool earlier(const happening *a, const happening *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

static void schedule(happening h, int64_t delay_ms)
{
    h.at_ms = sim.now_ms + delay_ms;
    h.order = ++sim.order;
    array_push(&sim.heap, h);
    for (uint32_t i = sim.heap.count - 1; i > 0;) {
        const uint32_t parent = (i - 1) / 2;
        if (!earlier(&sim.heap.data[i], &sim.heap.data[parent])) {
            break;
        }
        const happening swapped = sim.heap.data[i];
        sim.heap.data[i] = sim.heap.data[parent];
        sim.heap.data[parent] = swapped;
        i = parent;
    }
}

static happening next_happening(void)
{
    const happening first = sim.heap.data[0];
    sim.heap.data[0] = sim.heap.data[--sim.heap.count];
    for (uint32_t i = 0;;) {
        uint32_t least = i;
        for (uint32_t child = 2 * i + 1; child <= 2 * i + 2 && child < sim.heap.count; child++) {
            least = earlier(&sim.heap.data[child], &sim.heap.data[least]) ? child : least;
        }
        if (least == i) {
            return first;
        }
        const happening swapped = sim.heap.data[i];
        sim.heap.data[i] = sim.heap.data[least];
        sim.heap.data[least] = swapped;
        i = least;
    }
}

static bool faulty(void)
{
    return sim.now_ms < FAULTS_MS;
}

static int index_of(const char *name)
{
    return name[0] - 'a';
}

// ---- the oracle

static void violate(const char *what)
{
    sim.violation = sim.violation != NULL ? sim.violation : what;
}

static void see(const node *n, int64_t term, int64_t tick)
{
    ASSERT(term > 0 && term < TERMS_MAX);
    const int who = index_of(n->name) + 1;
    if (sim.term_owner[term] != 0 && sim.term_owner[term] != who) {
        violate("two servers show in one term");
    }
    sim.terms = term > sim.terms ? term : sim.terms;
    sim.term_owner[term] = who;
    if (tick <= sim.shown_max) {
        if (n->history[tick] != sim.shown[tick]) {
            violate("a tick that was shown is lost: it has another hash now");
        }
        return;
    }
    if (sim.shown_max >= 0 && n->history[sim.shown_max] != sim.shown[sim.shown_max]) {
        violate("a tick that was shown is not in the history of a later one");
    }
    for (int64_t i = sim.shown_max + 1; i <= tick; i++) {
        sim.shown[i] = n->history[i];
    }
    sim.shown_max = tick;
}

// ---- messages

static void send(const node *from, int to, happening h)
{
    const int f = index_of(from->name);
    const int64_t delay_ms = 1 + below(3) + (faulty() && one_in(100) ? below(150) : 0);
    int64_t at_ms = sim.now_ms + delay_ms;
    if (sim.cut[f] || sim.cut[to] || (faulty() && one_in(2000))) {
        free(h.image);
        return;
    }
    at_ms = at_ms > sim.link_ms[f][to] ? at_ms : sim.link_ms[f][to];
    sim.link_ms[f][to] = at_ms;
    h.kind = MESSAGE;
    h.node = to;
    h.from = f;
    h.life = sim.nodes[to].life;
    schedule(h, at_ms - sim.now_ms);
}

static void carry_out(node *n, const ownership_actions *actions);

static void report(node *n, const ownership_event *e)
{
    ownership_actions actions;
    ownership_handle(&n->machine, e, &actions);
    carry_out(n, &actions);
}

// ---- the store

static void transact(const node *n)
{
    happening h = {.kind = STORE_GETS,
                   .node = index_of(n->name),
                   .life = n->life,
                   .write = n->machine.write,
                   .record = n->machine.wanted,
                   .revision = n->machine.wanted_at};
    const bool away = sim.now_ms < sim.store_away_ms;
    const bool lost = away || (faulty() && one_in(20));
    h.lost = lost || (faulty() && one_in(20));
    if (!lost || (away && one_in(3))) { // a request may arrive although the answer is given up
        schedule(h, 1 + below(8) + (faulty() && one_in(20) ? below(900) : 0));
    }
    if (h.lost) {
        h.kind = ANSWER;
        h.outcome = EVENT_UNANSWERED;
        schedule(h, ANSWER_MS);
    }
}

static void report_change(void)
{
    for (int i = 0; i < NODES; i++) {
        if (!(faulty() && one_in(4))) { // forgotten
            const happening h = {.kind = REPORT,
                                 .node = i,
                                 .life = sim.nodes[i].life,
                                 .record = sim.record,
                                 .revision = sim.revision,
                                 .absent = !sim.present};
            schedule(h, 1 + below(10) + (faulty() && one_in(5) ? below(2000) : 0));
        }
    }
}

static void store_removes(const happening *h)
{
    if (sim.present && sim.revision == h->revision) {
        sim.present = false;
        sim.revision++;
        report_change();
    }
}

static void store_gets(happening h)
{
    const bool good = sim.present ? sim.revision == h.revision : h.revision == 0;
    if (h.removes) {
        store_removes(&h);
        return;
    }
    h.outcome = good ? EVENT_WRITTEN : EVENT_REFUSED;
    if (good) {
        sim.present = true;
        sim.revision++;
        sim.record = h.record;
        report_change();
    }
    h.record = sim.record;
    h.revision = sim.revision;
    h.absent = !sim.present;
    if (!h.lost) {
        h.kind = ANSWER;
        schedule(h, 1 + below(8));
    }
}

static void read_record(int i, bool starting)
{
    happening h = {.kind = REPORT,
                   .node = i,
                   .life = sim.nodes[i].life,
                   .read = starting,
                   .record = sim.record,
                   .revision = sim.revision,
                   .absent = !sim.present};
    schedule(h, 1 + below(20));
}

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

static void renew_machine(node *n)
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

static void carry_out(node *n, const ownership_actions *actions)
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
            send(n, index_of(o->follower), h);
            break;
        case ACTION_YIELD:
            sim.moves++;
            h.message = YIELD;
            send(n, index_of(o->follower), h);
            break;
        case ACTION_DROP:
            n->unwanted = false;
            lose_world(n);
            break;
        }
    }
}

static bool leads(const node *n)
{
    return n->has_world && __real_ownership_shows_to(&n->machine) >= 0;
}

static void send_log(node *n, int to)
{
    const happening h = {
        .message = LOG, .term = n->machine.record.term, .tick = n->tip, .hash = n->history[n->tip]};
    send(n, to, h);
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
    send(n, to, h);
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

static void step_primary(node *n)
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

static void step_follower(node *n)
{
    const bool follows =
        n->machine.state == OWNERSHIP_CATCHING_UP || n->machine.state == OWNERSHIP_FOLLOWING;
    if (follows && ++n->heard == MISSED_TICKS) {
        sim.takeovers += n->machine.state == OWNERSHIP_FOLLOWING;
        report(n, &(ownership_event){.kind = EVENT_PRIMARY_MISSED});
    }
}

static void stray(node *n)
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
    send(n, h->from, ack);
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
        return; // of an earlier term, in which it was this server's candidate, too
    }
    n->heard = 0;
    const bool first = !n->met && h->from == n->candidate;
    n->met = n->met || first;
    report(n, &(ownership_event){.kind = first ? EVENT_CANDIDATE : EVENT_ACKNOWLEDGED,
                                 .from = from,
                                 .term = h->term,
                                 .tick = h->tick});
}

static void take_message(node *n, const happening *h)
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

static void take_report(node *n, const happening *h)
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

// ---- faults

static void kill_node(node *n)
{
    n->alive = n->paused = n->has_world = false;
    n->life++;
    for (uint32_t i = 0; i < n->kept.count; i++) {
        free(n->kept.data[i].image);
    }
    array_clear(&n->kept);
}

static void start_node(node *n)
{
    n->unwanted = false;
    renew_machine(n);
    n->alive = true;
    n->life++;
    n->candidate = n->second = -1;
    n->met = false;
    n->shown = -1;
    n->stray_term = 0;
    read_record(index_of(n->name), true);
}

static void happen_later(happening_kind kind, int i, int64_t delay_ms)
{
    const happening h = {.kind = kind, .node = i, .life = sim.nodes[i].life};
    schedule(h, delay_ms);
}

static void do_harm(int i)
{
    node *n = &sim.nodes[i];
    switch (below(8)) {
    case 0:
    case 1:
        kill_node(n);
        happen_later(RESTART, i, 50 + below(3000));
        return;
    case 2:
    case 3:
    case 4:
        n->paused = true;
        happen_later(RESUME, i, 50 + below(3000));
        return;
    case 5:
    case 6:
        sim.cut[i] = true;
        happen_later(LINK_REPAIR, i, 50 + below(3000));
        return;
    default:
        sim.store_away_ms = sim.now_ms + 100 + below(3000);
    }
}

static void tick(int i)
{
    node *n = &sim.nodes[i];
    if (n->alive && !n->paused) {
        if (leads(n)) {
            step_primary(n);
        } else {
            step_follower(n);
            stray(n);
        }
        if (sim.now_ms % READ_MS < TICK_MS) {
            read_record(i, n->machine.state == OWNERSHIP_NONE && !n->has_world);
        }
    }
    if (faulty() && n->alive && !n->paused && one_in(150)) {
        do_harm(i);
    }
    happen_later(TICK, i, TICK_MS);
}

static void deliver(happening *h)
{
    node *n = &sim.nodes[h->node];
    if (!n->alive || n->life != h->life) {
        free(h->image);
        return;
    }
    if (n->paused) {
        array_push(&n->kept, *h);
        return;
    }
    const ownership_event answered = {.kind = h->outcome,
                                      .write = h->write,
                                      .record = h->absent ? NULL : &h->record,
                                      .revision = h->revision};
    if (h->kind == MESSAGE) {
        take_message(n, h);
    } else if (h->kind == REPORT) {
        take_report(n, h);
    } else {
        report(n, &answered);
    }
    free(h->image);
}

static void resume(int i)
{
    node *n = &sim.nodes[i];
    if (!n->paused) {
        return;
    }
    n->paused = false;
    for (uint32_t k = 0; k < n->kept.count; k++) {
        happening h = n->kept.data[k];
        deliver(&h);
    }
    array_clear(&n->kept);
}

static void happen(happening *h)
{
    switch (h->kind) {
    case TICK:
        tick(h->node);
        return;
    case STORE_GETS:
        store_gets(*h);
        return;
    case RESUME:
        resume(h->node);
        return;
    case RESTART:
        if (!sim.nodes[h->node].alive) {
            start_node(&sim.nodes[h->node]);
        }
        return;
    case LINK_REPAIR:
        sim.cut[h->node] = false;
        return;
    case MESSAGE:
    case ANSWER:
    case REPORT:
        deliver(h);
        return;
    }
}

static void run_seed(uint64_t seed)
{
    for (int i = 0; i < NODES; i++) {
        array_free(&sim.nodes[i].kept);
    }
    array_free(&sim.heap);
    memset(&sim, 0, sizeof sim);
    chance_state = seed * 0x2545f4914f6cdd1du;
    sim.shown_max = -1;
    for (int i = 0; i < NODES; i++) {
        sim.nodes[i].name[0] = (char)('a' + i);
        start_node(&sim.nodes[i]);
        happen_later(TICK, i, 1 + below(TICK_MS));
    }
    while (sim.violation == NULL && sim.now_ms < END_MS) {
        happening h = next_happening();
        sim.now_ms = h.at_ms;
        if (sim.now_ms < LIVE_MS) {
            sim.shown_at_live = sim.shown_max;
        }
        happen(&h);
    }
    if (sim.violation == NULL && sim.shown_max < sim.shown_at_live + 50) {
        violate("no ticks are shown although the faults are over");
    }
    for (uint32_t i = 0; i < sim.heap.count; i++) {
        free(sim.heap.data[i].image);
    }
    for (int i = 0; i < NODES; i++) {
        for (uint32_t k = 0; k < sim.nodes[i].kept.count; k++) {
            free(sim.nodes[i].kept.data[k].image);
        }
    }
}

static const args_operand OPERANDS[] = {
    {"FIRST_SEED", ARGS_WHOLE, true, false, NULL}, {"SEEDS", ARGS_WHOLE, true, false, NULL}, {0}};

static const args_option OPTIONS[] = {
    {"plant", 0, ARGS_CHOICE, "FAULT", "a fault that the run must find",
     "early-answer|show-after-losing|trust-read|forget-term|two-standbys|shared-run"},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-simulate-fleet",
    "FIRST_SEED SEEDS",
    "Runs three servers that hand one world to each other, once for each seed.\n",
    {.operands = OPERANDS, .options = OPTIONS}};

int main(int argc, char **argv)
{
    int64_t terms = 0;
    int64_t takeovers = 0;
    int64_t moves = 0;
    int64_t ticks = 0;
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    for (int i = 1; i < PLANT_COUNT; i++) {
        const char *given = command_line_text(&line, "plant", "");
        planted = strcmp(given, PLANTS[i]) == 0 ? (plant)i : planted;
    }
    const uint64_t first =
        command_line_whole_word(&line, 0, "FIRST_SEED", 1, 0, COMMAND_LINE_WHOLE_MAX);
    const uint64_t seeds = command_line_whole_word(&line, 1, "SEEDS", 1, 1, COMMAND_LINE_WHOLE_MAX);
    for (uint64_t seed = first; seed < first + seeds; seed++) {
        run_seed(seed);
        if (sim.violation != NULL) {
            printf("seed %" PRIu64 ", %" PRId64 " ms: %s\n", seed, sim.now_ms, sim.violation);
            return planted == PLANT_NONE ? 1 : 0;
        }
        terms += sim.terms;
        takeovers += sim.takeovers;
        moves += sim.moves;
        ticks += sim.shown_max + 1;
    }
    printf("%" PRIu64 " seeds: %" PRId64 " ticks shown, %" PRId64 " terms, %" PRId64
           " primaries missed, %" PRId64 " moves\n",
           seeds, ticks, terms, takeovers, moves);
    if (planted != PLANT_NONE) {
        printf("the planted fault was not found\n");
        return 1;
    }
    return 0;
}
