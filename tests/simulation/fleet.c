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
// record is to be removed, and is claimed again meanwhile (server/fleet/fleet_worlds.c);
// transactions late, lost before or after they took effect, the store away for seconds; watch
// reports late and forgotten.
//
// Usage: carom-simulate-fleet [--plant FAULT] FIRST_SEED SEEDS. With a planted fault the run
// succeeds if the oracle finds it.
#include "tests/simulation/fleet_sim.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/support/command_line.h"

static const char *const PLANTS[PLANT_COUNT] = {"none",       "early-answer", "show-after-losing",
                                                "trust-read", "forget-term",  "two-standbys",
                                                "shared-run"};

plant planted;
struct fleet_sim sim;

// ---- the rules, as the linker has them called (ownership_rules.c)

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
