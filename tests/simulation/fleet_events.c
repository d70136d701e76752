// The time, chance, network and store of the simulated fleet, and the oracle that watches it.
#include "tests/simulation/fleet_sim.h"

#include <stdlib.h>

#include "common/base/assert.h"

// ---- chance

uint64_t chance_state;

uint64_t chance(void)
{
    uint64_t z = chance_state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

int64_t below(int64_t bound)
{
    return (int64_t)(chance() % (uint64_t)bound);
}

bool one_in(int64_t count)
{
    return below(count) == 0;
}

// ---- the queue of happenings

static bool earlier(const happening *a, const happening *b)
{
    return a->at_ms != b->at_ms ? a->at_ms < b->at_ms : a->order < b->order;
}

void schedule(happening h, int64_t delay_ms)
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

happening next_happening(void)
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

bool faulty(void)
{
    return sim.now_ms < FAULTS_MS;
}

int index_of(const char *name)
{
    return name[0] - 'a';
}

// ---- the oracle

void violate(const char *what)
{
    sim.violation = sim.violation != NULL ? sim.violation : what;
}

void see(const node *n, int64_t term, int64_t tick)
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

void send_message(const node *from, int to, happening h)
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

void carry_out(node *n, const ownership_actions *actions);

void report(node *n, const ownership_event *e)
{
    ownership_actions actions;
    ownership_handle(&n->machine, e, &actions);
    carry_out(n, &actions);
}

// ---- the store

void transact(const node *n)
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

void store_gets(happening h)
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

void read_record(int i, bool starting)
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
