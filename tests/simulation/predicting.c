// Runs of predicting clients; see predicting.h.
#include "tests/simulation/predicting.h"

#include <inttypes.h>

#include "tests/simulation/life.h"
#include "tests/simulation/oracle.h"
#include "tests/simulation/plant.h"
#include "tests/simulation/predictor.h"
#include "tests/simulation/sim.h"

enum {
    PLAYERS_MAX = 3,
    LIVES_MAX = 2,
    LIFE_TURNS = 1500, // least life in turns of a millisecond, and most additional turns
    SETTLE_TURNS = 9000,
    CALM_TURNS = 400, // after everything is decided: events may come 0.1 s later
    STOP_ONE_IN = 4000,
    STOP_NS_MAX = 400000000
};
#define MS INT64_C(1000000)

static life server_life;
static predictor players[PLAYERS_MAX];
static uint32_t player_count;
static bool stops;  // the server's machine stops now and then
static bool pauses; // the world is paused now and then
static bool paused;
static bool troubled; // the disk fails now and then
static bool durable;  // a loss of power loses nothing that a client saw

// ---- chance

static int64_t pick(int64_t a, int64_t b, int64_t c)
{
    const int64_t of[] = {a, b, c};
    return of[sim_random(3)];
}

static prediction_options draw_prediction(void)
{
    prediction_options o = prediction_options_default();
    o.events = ((1u << EVENT_KIND_COUNT) - 1) & ~(1u << EVENT_STAY);
    o.input_delay = sim_one_in(3) ? (uint32_t)sim_random(4) : 0;
    o.check = sim_one_in(8);
    o.budget_ms = sim_one_in(4) ? 0.3 + 0.1 * (double)sim_random(10) : 0.0;
    o.smoothing_s = sim_one_in(4) ? 0.0 : o.smoothing_s;
    return o;
}

static distance_options draw_road(void)
{
    return (distance_options){.delay_ns = pick(2, 30, 50 + (int64_t)sim_random(150)) * MS,
                              .jitter_ns = pick(0, 5, 40) * MS,
                              .stall_one_in = sim_one_in(2) ? 0 : 30 + sim_random(200),
                              .stall_ns = (50 + (int64_t)sim_random(250)) * MS};
}

static predictor_options draw_player(void)
{
    static const char *const LATE[] = {"next", "drop", "refuse"};
    return (predictor_options){
        .predict = draw_prediction(),
        .road = draw_road(),
        .late = LATE[sim_one_in(2) ? 0 : sim_random(3)],
        .skew_s = (double)sim_random(2000),
        .rate = 1.0 + 1e-6 * ((double)sim_random(801) - 400.0),
        .cut_one_in = sim_one_in(3) ? 800 + sim_random(3000) : 0,
        .slow_one_in = sim_one_in(3) ? 20 + sim_random(100) : 0,
        .slow_ns = sim_one_in(4) ? 1500 * MS : 120 * MS,
        .untimed_one_in = sim_one_in(4) ? 20 + sim_random(100) : 0,
        .compact = sim_one_in(2),
    };
}

static void draw_players(void)
{
    const double hz = (double)pick(20, 30, 60);
    durable = sim_one_in(2);
    player_count = 1 + (uint32_t)sim_random(PLAYERS_MAX);
    for (uint32_t i = 0; i < player_count; i++) {
        predictor_options o = draw_player();
        o.hz = hz;
        o.durability = durable ? "full" : "normal";
        o.hosts = i == 0;
        predictor_init(&players[i], &o);
    }
    stops = sim_one_in(3);
    pauses = sim_one_in(4);
    troubled = sim_one_in(4);
    paused = false;
}

// ---- lives

static void pass_turn(void)
{
    sim.steps++;
    life_turn_all(&server_life);
    for (uint32_t i = 0; i < player_count; i++) {
        predictor_turn(&players[i]);
    }
}

static void trouble(void)
{
    if (stops && sim_one_in(STOP_ONE_IN)) {
        sim_pass((int64_t)sim_random(STOP_NS_MAX));
    }
    if (pauses && sim_one_in(600)) {
        paused = !paused;
        predictor_command(&players[0], paused ? "world.pause" : "world.resume");
    }
    if (troubled && sim_one_in(1500)) {
        life_trouble_disk(&server_life, false);
    } else if (troubled && sim_one_in(500)) {
        life_heal_disk(&server_life);
    }
}

static void live(uint64_t turns)
{
    sim.activity = "predicting";
    for (uint64_t i = 0; i < turns; i++) {
        pass_turn();
        trouble();
        if (sim_one_in(50)) {
            life_check_bounds(&server_life);
        }
    }
}

static void end_life(crash_kind kind, bool clean)
{
    clean = clean && life_close(&server_life);
    life_crash(&server_life, kind);
    for (uint32_t i = 0; i < player_count; i++) {
        predictor_lose(&players[i]);
    }
    oracle_crashed(kind, clean);
}

// The disk fails only while the server runs: other runs test starts from a failing disk.
static void begin_life(void)
{
    server_life.troubled = troubled;
    life_heal_disk(&server_life);
    SIM_CHECK(life_start(&server_life), "the server does not start");
}

// ---- the end of a run

static bool all_settled(void)
{
    for (uint32_t i = 0; i < player_count; i++) {
        if (!predictor_is_settled(&players[i])) {
            return false;
        }
    }
    return true;
}

static bool any_overdue(void)
{
    for (uint32_t i = 0; i < player_count; i++) {
        if (predictor_has_overdue(&players[i])) {
            return true;
        }
    }
    return false;
}

static void calm(predictor *p)
{
    p->idle = true;
    p->options.cut_one_in = p->options.slow_one_in = 0;
    p->options.road.stall_one_in = 0;
    p->options.road.jitter_ns = 0;
    p->options.predict.budget_ms =
        0.0; // a body that rests because time was short may be predicted wrong again and again
    prediction_set(p->prediction, &p->options.predict);
}

// Stops all commands, and runs until every sent batch is decided.
static void settle(void)
{
    sim.activity = "settling";
    for (uint32_t i = 0; i < player_count; i++) {
        calm(&players[i]);
    }
    bool settled = false;
    for (int i = 0; i < SETTLE_TURNS && !settled; i++) {
        if (i % 1000 == 0) { // a connection may be lost with the command
            predictor_command(&players[0], "world.resume");
        }
        pass_turn();
        settled = i > CALM_TURNS && all_settled();
    }
    SIM_CHECK(settled, "the clients' predictions are never decided");
    for (int i = 0; i < CALM_TURNS || (any_overdue() && i < SETTLE_TURNS); i++) {
        pass_turn();
    }
    for (uint32_t i = 0; i < player_count; i++) {
        predictor_check_end(&players[i]);
    }
}

void predicting_run(uint64_t seed)
{
    sim_begin(seed);
    oracle_begin();
    life_init(&server_life);
    server_life.limits = limits_default();
    plant_begin(&server_life.disk);
    draw_players();
    const uint64_t lives = 1 + sim_random(LIVES_MAX);
    for (uint64_t i = 0; i < lives; i++) {
        begin_life();
        live(LIFE_TURNS + sim_random(LIFE_TURNS));
        if (i + 1 < lives) {
            end_life(durable ? (crash_kind)sim_random(3) : CRASH_PROCESS, sim_one_in(2));
        }
    }
    if (troubled) { // a world whose log has failed takes commands again after a restart alone
        end_life(CRASH_PROCESS, false);
        troubled = false;
        begin_life();
    }
    settle();
    end_life(CRASH_PROCESS, true);
    sim.activity = "replaying";
    oracle_verify();
    for (uint32_t i = 0; i < player_count; i++) {
        predictor_deinit(&players[i]);
    }
    life_deinit(&server_life);
    oracle_end();
}
