// carom-simulate: the server with its sessions, worlds and storage on a simulated clock, network
// and disk, one run for each seed. README.md describes a run and its checks.
//
//     carom-simulate [--trace] [--predict] [--plant FAULT] [FIRST_SEED [SEEDS [PROCESSES]]]
//
// --predict: clients that predict, over a distance (predicting.h), instead of clients that use all
// methods.
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "common/base/log.h"
#include "tests/simulation/life.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/foresight.h"
#include "tests/simulation/plant.h"
#include "tests/simulation/predicting.h"
#include "tests/simulation/sim.h"
#include "tests/simulation/sim_client.h"
#include "tests/support/command_line.h"

enum {
    CLIENTS_MAX = 5,
    LIVES_MAX = 4,
    STARTS_MAX = 50,
    ANSWER_TURNS = 3000,
    QUIET_TURNS = 20000,
    PROCESSES_MAX = 64
};

static life server_life;
static sim_client clients[CLIENTS_MAX];
static uint32_t client_count;

// ---- one life

static void live(uint64_t steps, bool troubled)
{
    sim.activity = "serving";
    for (uint64_t i = 0; i < steps && !server_life.disk.stopped; i++) {
        sim.steps++;
        if (sim_one_in(2)) {
            life_turn(&server_life);
        } else {
            sim_client_act(&clients[sim_random(client_count)]);
        }
        if (troubled && sim_one_in(1500)) {
            life_trouble_disk(&server_life, true);
        } else if (troubled && sim_one_in(1000)) {
            life_heal_disk(&server_life);
        }
        if (sim_one_in(50)) {
            life_check_bounds(&server_life);
        }
    }
}

// Sends nothing more, and checks that every request is answered, even if the disk fails.
static void wait_for_answers(void)
{
    sim.activity = "answering";
    uint64_t answers[CLIENTS_MAX] = {0};
    for (int i = 0; i < ANSWER_TURNS && !server_life.disk.stopped; i++) {
        life_turn_all(&server_life);
        for (uint32_t j = 0; j < client_count; j++) {
            sim_client_read(&clients[j]);
            answers[j] = i < ANSWER_TURNS / 3 ? clients[j].answers : answers[j];
        }
    }
    for (uint32_t j = 0; j < client_count && !server_life.disk.stopped; j++) {
        uint32_t overdue = sim_client_overdue(&clients[j]);
        SIM_CHECK(overdue == 0 || clients[j].answers > answers[j],
                  "request %u of a client that waits has no answer", overdue);
    }
}

// Reports the bytes that clients have received to the oracle, even after a crash.
static void hear_clients(void)
{
    for (uint32_t i = 0; i < client_count; i++) {
        sim_client_read(&clients[i]);
        sim_client_orphan(&clients[i]);
    }
}

static void crash(crash_kind kind, bool clean)
{
    life_crash(&server_life, kind);
    hear_clients();
    oracle_crashed(kind, clean);
}

static void end_life(bool troubled)
{
    crash_kind kind = (crash_kind)sim_random(3);
    bool clean = sim_one_in(4) && life_close(&server_life);
    // After a clean stop everything is on the disk, if the disk did not fail
    crash(kind, clean && !troubled);
}

static void start(bool troubled)
{
    server_life.troubled = troubled;
    for (int i = 0; i < STARTS_MAX; i++) {
        if (troubled && sim_one_in(4)) {
            server_life.disk.crash_at = server_life.disk.operations + 1 + sim_random(30);
        } else if (troubled && sim_one_in(6)) {
            server_life.disk.fail_at = server_life.disk.operations + 1 + sim_random(30);
            server_life.disk.fail_count = 1;
            server_life.disk.fail_errno = EIO;
        }
        if (life_start(&server_life)) {
            return;
        }
        server_life.troubled = troubled = troubled && i < STARTS_MAX / 2;
        crash((crash_kind)sim_random(3), false);
    }
    sim_fail("no start of many succeeds");
}

// ---- the end of a run

// With a good disk and network, checks that the server answers one client and takes commands.
static void audit(void)
{
    start(false);
    sim.activity = "auditing";
    sim_client *c = &clients[0];
    c->secret[0] = '\0';
    sim_client_connect(c, true);
    SIM_CHECK(c->link != NULL, "the server takes no connection");
    c->answers = 0;
    uint32_t asked = c->requests.count;
    for (int world = 0; world < SIM_WORLDS; world++) {
        sim_client_ask_info(c, world);
        sim_client_spawn(c, world);
        asked += 2;
    }
    for (int i = 0; i < QUIET_TURNS && c->answers < asked; i++) {
        life_turn_all(&server_life);
        sim_client_read(c);
    }
    SIM_CHECK(c->answers == asked, "%" PRIu64 " of %u requests of a quiet server have answers",
              c->answers, asked);
    SIM_CHECK(life_close(&server_life), "the disk stopped");
    crash((crash_kind)sim_random(3), true);
    start(false);
    SIM_CHECK(life_close(&server_life), "the disk stopped");
    crash(CRASH_PROCESS, true);
}

static void run(uint64_t seed)
{
    sim_begin(seed);
    oracle_begin();
    life_init(&server_life);
    plant_begin(&server_life.disk);
    sim_destroying = sim_one_in(2);
    client_count = 1 + (uint32_t)sim_random(CLIENTS_MAX);
    for (uint32_t i = 0; i < client_count; i++) {
        sim_client_init(&clients[i]);
    }
    bool troubled = sim_one_in(2);
    uint64_t lives = 1 + sim_random(LIVES_MAX);
    for (uint64_t i = 0; i < lives; i++) {
        memset(sim_destroys, 0, sizeof sim_destroys);
        start(troubled);
        live(200 + sim_random(4000), troubled);
        if (sim_one_in(4)) {
            wait_for_answers();
        }
        end_life(troubled);
        life_heal_disk(&server_life);
    }
    audit();
    sim.activity = "replaying";
    oracle_verify();
    for (uint32_t i = 0; i < client_count; i++) {
        sim_client_deinit(&clients[i]);
    }
    life_deinit(&server_life);
    oracle_end();
}

// ---- many runs

static void on_abort(int number)
{
    (void)number;
    sim_fail("the process was aborted (an assertion or a fault of memory)");
}

static void run_all(uint64_t first, uint64_t count, uint64_t stride)
{
    for (uint64_t seed = first; seed < first + count; seed += stride) {
        sim.predicts ? predicting_run(seed) : run(seed);
    }
}

static void print_foreseen(uint64_t seeds, time_t begin)
{
    const foresight_figures *f = &foresight_totals;
    printf("%" PRIu64 " seeds: %" PRIu64 " starts; %" PRIu64
           " frames' last ticks predicted, %" PRIu64
           " with the commands that came (all right to the bit), %" PRIu64 " with others, %" PRIu64
           " rollbacks; %" PRIu64 " batches: %" PRIu64 " shown, %" PRIu64 " of them late, %" PRIu64
           " refused, %" PRIu64 " lost with a connection; events: %" PRIu64 " predicted, %" PRIu64
           " confirmed, %" PRIu64 " taken back; %" PRIu64 " images, %" PRIu64
           " compact records, %" PRIu64 " frames short of time; %lld s: nothing found\n",
           seeds, figures.restarts, f->frames, f->agreed, f->otherwise, f->rollbacks, f->batches,
           f->shown, f->late, f->refused, f->lost, f->predicted, f->confirmed, f->taken_back,
           f->follows, f->compact, f->shortened, (long long)(time(NULL) - begin));
}

static void print_figures(uint64_t seeds, time_t begin)
{
    if (sim.predicts) {
        print_foreseen(seeds, begin);
        return;
    }
    printf("%" PRIu64 " seeds: %" PRIu64 " starts, %" PRIu64 " ends in good order, %" PRIu64
           " kills, %" PRIu64 " losses of power; %" PRIu64 " worlds, %" PRIu64
           " commands applied, %" PRIu64 " acknowledged; %" PRIu64 " states (%" PRIu64
           " of compact records), %" PRIu64 " packed snapshots read, %" PRIu64
           " events compared, %" PRIu64 " told to be lost, %" PRIu64 " messages told, %" PRIu64
           " seats taken, %" PRIu64 " data compared, %" PRIu64
           " ticks replayed; %lld s: nothing found\n",
           seeds, figures.restarts, figures.ends, figures.kills, figures.power_losses,
           figures.worlds, figures.commands, figures.acknowledged, figures.states, figures.compact,
           figures.packed, figures.events, figures.lost_events, figures.messages, figures.joins,
           figures.data, figures.replayed_ticks, (long long)(time(NULL) - begin));
}

// Each process runs every PROCESSES-th seed.
static int run_processes(uint64_t first, uint64_t count, uint64_t processes)
{
    for (uint64_t i = 0; i < processes; i++) {
        pid_t child = fork();
        if (child == 0) {
            time_t begin = time(NULL);
            run_all(first + i, count - i, processes);
            print_figures((count - i + processes - 1) / processes, begin);
            exit(0);
        }
    }
    int result = 0;
    for (uint64_t i = 0; i < processes; i++) {
        int state = 0;
        (void)wait(&state);
        result = WIFEXITED(state) && WEXITSTATUS(state) == 0 ? result : 1;
    }
    return result;
}

// A planted fault must be found: run() then ends the process.
static int find(uint64_t first, uint64_t within)
{
    run_all(first, within, 1);
    printf("%s: not found within %" PRIu64 " seeds\n", sim.planted, within);
    return 1;
}

static const args_operand OPERANDS[] = {{"FIRST_SEED", ARGS_WHOLE, false, false, NULL},
                                        {"SEEDS", ARGS_WHOLE, false, false, NULL},
                                        {"PROCESSES", ARGS_WHOLE, false, false, NULL},
                                        {0}};

static const args_option OPTIONS[] = {
    {"trace", 0, ARGS_FLAG, NULL, "print each operation", NULL},
    {"predict", 0, ARGS_FLAG, NULL, "clients that predict", NULL},
    {"plant", 0, ARGS_TEXT, "FAULT", "a fault that the run must find (README.md lists them)", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-simulate",
    "[FIRST_SEED [SEEDS [PROCESSES]]]",
    "Runs the server on a simulated clock, network and disk, once for each seed.\n",
    {.operands = OPERANDS, .options = OPTIONS}};

int main(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    sim.trace = command_line_has(&line, "trace");
    sim.predicts = command_line_has(&line, "predict");
    sim.planted = command_line_text(&line, "plant", "");
    if (*sim.planted != '\0' && !plant_known(sim.planted)) {
        command_line_refuse(&line, "--plant: no fault '%s'; there are %s", sim.planted,
                            plant_names());
    }
    const uint64_t first =
        command_line_whole_word(&line, 0, "FIRST_SEED", 1, 0, COMMAND_LINE_WHOLE_MAX);
    const uint64_t seeds = command_line_whole_word(&line, 1, "SEEDS", 1, 1, COMMAND_LINE_WHOLE_MAX);
    const uint64_t processes = command_line_whole_word(&line, 2, "PROCESSES", 1, 1, PROCESSES_MAX);
    log_set_level(LOG_DEBUG); // in both cases, because a line of the log reads the clock
    if (!sim.trace && freopen("/dev/null", "w", stderr) == NULL) { // each failure would print there
        return 1;
    }
    signal(SIGABRT, on_abort);
    signal(SIGSEGV, on_abort);
    if (*sim.planted != '\0') {
        return find(first, seeds);
    }
    if (processes > 1) {
        return run_processes(first, seeds, processes);
    }
    time_t begin = time(NULL);
    run_all(first, seeds, 1);
    print_figures(seeds, begin);
    return 0;
}
