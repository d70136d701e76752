// See load.h. Phases: all clients connect; the run; the last answers arrive; the end.
#include "client/load/load.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "client/tool/credentials.h"
#include "client/load/monitor.h"
#include "client/load/relayed.h"
#include "client/load/worker.h"
#include "client/tool/progress.h"
#include "client/tool/terminal.h"
#include "common/args/text.h"

enum {
    SPARE_FILES = 64,
    BODIES_IN_A_ROW = 100,
    COMMANDS_AT_ONCE = 500, // commands of one world.apply: half of the limit
    HOST_MAX = 256
};

#define LOOK_EVERY_S 0.02
#define START_S      0.1 // all threads notice the start before the first command is due
#define SHORTEST_S   1e-3
#define DRAIN_S      1.0 // time for unanswered calls at the end
#define BODY_APART_M 4.0
#define HZ_MIN       1.0 // the ticks in a second that a world may have
#define HZ_MAX       1000.0

struct load {
    cli *c;
    const load_plan *plan;
    load_shared shared;
    char host[HOST_MAX];
    char *token;
    load_client *clients;
    unsigned client_count;
    worker *workers;
    unsigned worker_count;
    monitor monitor;
    progress progress;
    relayed relayed;
};

// ---- opening

// Raises the limit of open files as far as the system allows; says so when that is too few.
static cli_exit allow_files(const load_plan *plan, bool fleet)
{
    struct rlimit limit;
    // A client needs its socket, and two of a relay; in a fleet also sockets to the world's server
    // and to the standby, and the descriptor that waits for all three.
    rlim_t sockets = 1u + (plan->relayed ? 2u : 0u) + (fleet ? 3u : 0u);
    rlim_t wanted = (rlim_t)plan->clients * sockets + plan->threads + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return CLI_OK;
    }
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
        cli_error("limit_exceeded",
                  "the system allows this program %llu open %s, too few for %llu %s",
                  TEXT_COUNTED(limit.rlim_cur, "file", "files"),
                  TEXT_COUNTED(plan->clients, "client", "clients"));
        cli_hint("ulimit -n %llu raises that, or use fewer clients", (unsigned long long)wanted);
        return CLI_REFUSED;
    }
    return CLI_OK;
}

// Arguments of a ball of one kilogram that gravity does not move.
static carom_value *ball_args(carom_vec2 position)
{
    carom_shape shape = carom_shape_circle(0.5);
    shape.density = 1.0 / (3.14159265358979 * 0.25);
    carom_body_options options = carom_body_options_default();
    options.gravity_scale = 0.0;
    options.position = position;
    options.shapes = &shape;
    options.shape_count = 1;
    options.tag = "load";
    carom_value *arguments = carom_body_spawn_args("", &options);
    carom_value_free(carom_value_take(arguments, "world")); // world.apply names the world once
    return arguments;
}

// The command that makes a client's own body; NULL on an error, which was reported. Homes are in a
// square, from the origin to the right and upward; a client's home is where its body begins.
static carom_value *spawn_command(const load *l, load_client *at, unsigned index)
{
    unsigned row = index / BODIES_IN_A_ROW;
    char why[FILL_ERROR_MAX] = "";
    carom_value *arguments = NULL;
    at->self.home =
        (carom_vec2){BODY_APART_M * (index - row * BODIES_IN_A_ROW), BODY_APART_M * row};
    if (at->does->body == NULL) {
        arguments = ball_args(at->self.home);
    } else {
        fill_scope scope;
        fill_begin(&scope, l->plan, &at->self);
        arguments = fill_args(at->does->body, &scope, why);
        if (why[0] != '\0') {
            cli_error(CLI_CODE_FILE, "%s: body%s (client = %u)", at->does->name, why, at->index);
            return NULL;
        }
        at->self.home = carom_get_vec(arguments, "position", (carom_vec2){0.0, 0.0});
    }
    carom_set(arguments, "lifetime", carom_str("session"));
    return carom_push(carom_push(carom_array(), carom_str("body.spawn")), arguments);
}

static carom_value *remove_command(const load_client *at)
{
    carom_value *arguments = carom_set(carom_map(), "body", carom_uint(at->self.own));
    return carom_push(carom_push(carom_array(), carom_str("body.remove")), arguments);
}

// Reports an answer that no caromd gives: without this, the figures would be about nothing.
static cli_exit nonsense(const char *method, const char *key, const char *expected)
{
    cli_error("internal", "the server's answer to %s is not one of caromd's: %s: must be %s",
              method, key, expected);
    return CLI_REFUSED;
}

// Calls world.apply with the commands (taken over).
static cli_exit apply(load *l, unsigned world, carom_value *commands, carom_value **result)
{
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(l->plan->worlds[world]));
    carom_set(arguments, "commands", commands);
    return cli_call(l->c, "world.apply", arguments, result);
}

// Makes bodies for the clients of `batch`, all of one world.
static cli_exit make_batch(load *l, unsigned world, load_client **batch, unsigned count,
                           unsigned first)
{
    carom_value *commands = carom_array();
    carom_value *result = NULL;
    for (unsigned i = 0; commands != NULL && i < count; i++) {
        carom_value *one = spawn_command(l, batch[i], first + i);
        if (one != NULL) {
            commands = carom_push(commands, one);
        } else {
            carom_value_free(commands);
            commands = NULL;
        }
    }
    if (commands == NULL) {
        return CLI_USAGE;
    }
    cli_exit code = apply(l, world, commands, &result);
    const carom_value *results = carom_value_get(result, "results");
    for (unsigned i = 0; code == CLI_OK && i < count; i++) {
        batch[i]->self.own = carom_get_uint(carom_value_at(results, i), "body", 0);
        code = batch[i]->self.own != 0
                   ? CLI_OK
                   : nonsense("world.apply", "results", "the id of each spawned body");
    }
    carom_value_free(result);
    return code;
}

static cli_exit make_bodies(load *l, unsigned world)
{
    load_client *batch[COMMANDS_AT_ONCE];
    unsigned count = 0;
    unsigned made = 0;
    cli_exit code = CLI_OK;
    for (unsigned i = world; code == CLI_OK && i < l->client_count; i += l->plan->world_count) {
        if (l->clients[i].does->own_body) {
            batch[count++] = &l->clients[i];
        }
        bool last = l->client_count - i <= l->plan->world_count;
        if (count == COMMANDS_AT_ONCE || (last && count > 0)) {
            code = make_batch(l, world, batch, count, made);
            made += count;
            count = 0;
        }
    }
    return code;
}

// Puts the relay between the clients and the server. Clients still see the server's certificate.
static cli_exit dial_relay(load *l)
{
    load_dial *dial = &l->shared.dial;
    if (dial->tls.on && dial->tls.name == NULL) {
        dial->tls.name = l->host;
    }
    dial->host = "127.0.0.1";
    return relayed_open(&l->relayed, &l->plan->distance, l->host, dial->port, &dial->port);
}

static cli_exit find_server(load *l)
{
    load_dial *dial = &l->shared.dial;
    cli_exit code = cli_find(l->c, l->host, sizeof l->host, &dial->port, &dial->tls);
    if (code != CLI_OK) {
        return code;
    }
    code = credentials_token(l->c, &l->token);
    dial->host = l->host;
    dial->token = l->token;
    return code == CLI_OK && l->plan->relayed ? dial_relay(l) : code;
}

static cli_exit make_clients(load *l)
{
    const load_plan *plan = l->plan;
    unsigned char *dealt = malloc(plan->clients);
    l->clients = calloc(plan->clients, sizeof *l->clients);
    l->workers = calloc(plan->threads, sizeof *l->workers);
    l->shared.hz = calloc(plan->world_count, sizeof *l->shared.hz);
    bool sound = dealt != NULL && l->clients != NULL && l->workers != NULL && l->shared.hz != NULL;
    if (sound) {
        load_plan_deal(plan, dealt);
    }
    for (unsigned t = 0; sound && t < plan->threads; t++) {
        sound = worker_init(&l->workers[t], &l->shared, l->clients, t, plan->threads);
        l->worker_count = t + 1;
    }
    for (unsigned i = 0; sound && i < plan->clients; i++) {
        sound = client_init(&l->clients[i], &l->workers[i % plan->threads].group, i,
                            &plan->behaviours[dealt[i]]);
        l->client_count = i + 1;
    }
    free(dealt);
    return sound ? CLI_OK : cli_out_of_memory();
}

static cli_exit ask_hz(load *l)
{
    cli_exit code = CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < l->plan->world_count; i++) {
        carom_value *info = NULL;
        code = cli_call(l->c, "world.info",
                        carom_set(carom_map(), "world", carom_str(l->plan->worlds[i])), &info);
        const double hz = carom_get_real(info, "hz", 0.0);
        if (code == CLI_OK && !(hz >= HZ_MIN && hz <= HZ_MAX)) {
            code = nonsense("world.info", "hz", "from 1 to 1000");
        }
        l->shared.hz[i] = hz;
        carom_value_free(info);
    }
    return code;
}

static unsigned sum_live(const load *l, bool failed)
{
    unsigned sum = 0;
    for (unsigned t = 0; t < l->worker_count; t++) {
        const worker_live *live = &l->workers[t].live;
        sum +=
            atomic_load_explicit(failed ? &live->failed : &live->connected, memory_order_relaxed);
    }
    return sum;
}

static cli_exit start_threads(load *l)
{
    for (unsigned t = 0; t < l->worker_count; t++) {
        worker *w = &l->workers[t];
        w->started = pthread_create(&w->thread, NULL, worker_run, w) == 0;
        if (!w->started) {
            cli_error("internal", "cannot start thread %u", t + 1);
            return CLI_REFUSED;
        }
    }
    return CLI_OK;
}

static void set_phase(load *l, load_phase phase)
{
    atomic_store_explicit(&l->shared.phase, phase, memory_order_release);
}

static void pause_main(void)
{
    struct timespec pause = {.tv_nsec = (long)(LOOK_EVERY_S * 1e9)};
    (void)nanosleep(&pause, NULL);
}

static void join_threads(load *l)
{
    for (unsigned t = 0; t < l->worker_count; t++) {
        if (l->workers[t].started) {
            (void)pthread_join(l->workers[t].thread, NULL);
        }
        l->workers[t].started = false;
    }
}

// Reports the error of the first client that could not open. The threads have ended.
static cli_exit tell_unopened(load *l)
{
    set_phase(l, LOAD_ENDED);
    join_threads(l);
    for (unsigned i = 0; i < l->client_count; i++) {
        if (l->clients[i].state == CLIENT_LOST) {
            return l->clients[i].error.from_server ? cli_fail(l->c, &l->clients[i].error)
                                                   : cli_lost(l->c, &l->clients[i].error);
        }
    }
    return CLI_LOST;
}

static cli_exit wait_until_open(load *l)
{
    while (terminal_interrupted() == 0) {
        unsigned connected = sum_live(l, false);
        if (sum_live(l, true) > 0) {
            progress_end(&l->progress);
            return tell_unopened(l);
        }
        if (connected == l->plan->clients) {
            break;
        }
        progress_tell(&l->progress, (double)connected / l->plan->clients, "clients open: %u of %u",
                      connected, l->plan->clients);
        pause_main();
    }
    return CLI_OK;
}

cli_exit load_open(cli *c, const load_plan *plan, bool fleet, load **out)
{
    cli_exit code = allow_files(plan, fleet);
    if (code != CLI_OK) {
        return code;
    }
    load *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return cli_out_of_memory();
    }
    *out = l;
    l->c = c;
    l->plan = plan;
    l->shared.plan = plan;
    l->shared.dial.reconnects = fleet;
    progress_begin(&l->progress, c);
    code = find_server(l);
    code = code == CLI_OK ? make_clients(l) : code;
    code = code == CLI_OK ? ask_hz(l) : code;
    for (unsigned w = 0; code == CLI_OK && w < plan->world_count; w++) {
        code = make_bodies(l, w);
    }
    code = code == CLI_OK ? start_threads(l) : code;
    return code == CLI_OK && plan->stages.count == 0 ? wait_until_open(l) : code;
}

// ---- running

static void tell_progress(load *l, double now)
{
    unsigned long long answered = 0;
    unsigned long long errors = 0;
    unsigned long long snapshots = 0;
    // The main thread also calls this before the beginning and after the end.
    const double passed = fmin(fmax(now - l->shared.begin, 0.0), l->plan->seconds);
    char left[32];
    for (unsigned t = 0; t < l->worker_count; t++) {
        worker_live *live = &l->workers[t].live;
        answered += atomic_load_explicit(&live->answered, memory_order_relaxed);
        errors += atomic_load_explicit(&live->errors, memory_order_relaxed);
        snapshots += atomic_load_explicit(&live->snapshots, memory_order_relaxed);
    }
    unsigned open = sum_live(l, false);
    text_from_duration(l->plan->seconds - passed, left, sizeof left);
    progress_tell(&l->progress, passed / l->plan->seconds,
                  "%s left, clients: %u, %.0f answers/s, %.0f snapshots/s, errors: %llu", left,
                  open, (double)answered / (passed + 1e-9), (double)snapshots / (passed + 1e-9),
                  errors);
}

static bool all_lost(const load *l)
{
    return l->plan->stages.count == 0 && sum_live(l, true) >= l->plan->clients;
}

static bool all_done(const load *l)
{
    bool done = true;
    for (unsigned t = 0; t < l->worker_count; t++) {
        done = done && atomic_load_explicit(&l->workers[t].live.done, memory_order_relaxed);
    }
    return done;
}

static double larger(double a, double b)
{
    return a > b ? a : b;
}

static void add_own(const load *l, load_result *result)
{
    load_own *own = &result->own;
    own->known = true;
    for (unsigned t = 0; t < l->worker_count; t++) {
        const worker_cost *cost = &l->workers[t].cost;
        own->processor = larger(own->processor, cost->processor);
        own->waited = larger(own->waited, cost->waited);
        own->known = own->known && cost->known;
        own->short_of_processor = own->short_of_processor || !cost->there;
    }
    double lag = (double)histogram_percentile(&result->tally->metrics[LOAD_LAG], 99.0) * 1e-9;
    own->short_of_processor = own->short_of_processor || own->processor > LOAD_OWN_PROCESSOR_MAX ||
                              own->waited > LOAD_OWN_WAITED_MAX || lag > LOAD_OWN_LAG_MAX_S;
}

static void add_results(load *l, load_result *result)
{
    load_tally *sum = result->tally;
    for (unsigned t = 0; t < l->worker_count; t++) {
        const client_group *group = &l->workers[t].group;
        load_tally_merge(sum, group->tally);
        for (size_t b = 0; b < l->plan->behaviour_count; b++) {
            double pace = load_is_closed(&l->plan->behaviours[b]) ? group->paces[b].seconds : 0.0;
            bool shorter = pace > 0.0 && (result->pace <= 0.0 || pace < result->pace);
            result->pace = shorter ? pace : result->pace;
        }
    }
    for (size_t i = 0; i < LOAD_SLICES; i++) {
        result->clients =
            sum->slices[i].clients > result->clients ? sum->slices[i].clients : result->clients;
    }
    load_tally_fold(sum, result->seconds);
    add_own(l, result);
}

cli_exit load_run(load *l, load_result *result)
{
    *result = (load_result){.tally = load_tally_create(l->plan->seconds)};
    if (result->tally == NULL) {
        return cli_out_of_memory();
    }
    monitor_begin(&l->monitor, l->c, l->plan, l->shared.dial.reconnects, &result->server);
    l->shared.begin = cli_now() + START_S;
    l->shared.end = l->shared.begin + l->plan->seconds;
    set_phase(l, LOAD_RUNNING);
    double now = l->shared.begin;
    while (now < l->shared.end && terminal_interrupted() == 0 && !all_lost(l)) {
        pause_main();
        now = cli_now();
        monitor_look(&l->monitor, now - l->shared.begin, result->tally);
        tell_progress(l, now);
    }
    now = cli_now();
    // A signal may have arrived before the first command was due.
    result->seconds =
        now < l->shared.end ? fmax(now - l->shared.begin, SHORTEST_S) : l->plan->seconds;
    progress_end(&l->progress);
    set_phase(l, LOAD_DRAINING);
    double until = now + DRAIN_S;
    while (cli_now() < until && !all_done(l)) {
        pause_main();
    }
    set_phase(l, LOAD_ENDED);
    join_threads(l);
    result->relay = relayed_end(&l->relayed);
    monitor_end(&l->monitor, result->seconds, result->tally);
    add_results(l, result);
    return CLI_OK;
}

// ---- closing

static void remove_bodies_of(load *l, unsigned world)
{
    carom_value *commands = carom_array();
    size_t count = 0;
    for (unsigned i = world; i < l->client_count; i += l->plan->world_count) {
        if (l->clients[i].self.own != 0) {
            commands = carom_push(commands, remove_command(&l->clients[i]));
            count++;
        }
        bool last = l->client_count - i <= l->plan->world_count;
        if (count == COMMANDS_AT_ONCE || (count > 0 && last)) {
            (void)apply(l, world, commands, NULL);
            commands = carom_array();
            count = 0;
        }
    }
    carom_value_free(commands);
}

void load_close(load *l, bool remove_bodies)
{
    if (l == NULL) {
        return;
    }
    progress_end(&l->progress);
    set_phase(l, LOAD_ENDED);
    join_threads(l);
    bool open = l->c->client != NULL && carom_client_state(l->c->client) == CAROM_OPEN;
    for (unsigned w = 0; remove_bodies && open && w < l->plan->world_count; w++) {
        remove_bodies_of(l, w);
    }
    for (unsigned i = 0; i < l->client_count; i++) {
        client_deinit(&l->clients[i]);
    }
    for (unsigned t = 0; t < l->worker_count; t++) {
        worker_deinit(&l->workers[t]);
    }
    relayed_close(&l->relayed);
    credentials_wipe(l->token);
    free(l->shared.hz);
    free(l->workers);
    free(l->clients);
    free(l);
}
