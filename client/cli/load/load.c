// See load.h. A worker is one thread and its share of the connections; it sleeps in poll until a
// descriptor is ready or a command is due.
#include "client/cli/load/load.h"

#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "client/cli/picture/terminal.h"

enum {
    NAP_MAX_MS = 50,
    SENDS_AT_ONCE = 64,
    SPARE_FILES = 64,
    BODIES_IN_A_ROW = 100,
    COMMANDS_AT_ONCE = 500 // in one world.apply: half of what goes through
};

#define IMPULSE_N_S 0.5 // back and forth: a body of a kilogram stays about where it is

typedef struct lane lane;

// A command on its way.
typedef struct slot {
    lane *owner;
    struct slot *next; // when free
    double due;        // when it should have been sent [s]
} slot;

// A connection.
struct lane {
    carom_client *client;
    struct worker *worker;
    carom_value *strikes[2]; // arguments of body.impulse, to and fro
    uint64_t body;
    uint64_t subscribing; // the request of world.subscribe
    uint64_t sent;
    double next; // when the next command is due [s]
    slot *slots, *free_slots;
    carom_traffic before; // at the beginning of the run
    bool lost;
};

typedef struct worker {
    pthread_t thread;
    load *owner;
    lane *lanes;
    unsigned lane_count;
    struct pollfd *fds;
    load_result result;
    bool started;
} worker;

struct load {
    load_plan plan;
    const cli *c;
    lane *lanes;
    unsigned opened;
    worker *workers;
    double begin, end; // [s]
};

// ---- notifications of the connections

static void on_answer(carom_client *client, uint64_t request, const carom_value *result,
                      const carom_error *error, void *user)
{
    (void)client;
    (void)request;
    slot *s = user;
    lane *at = s->owner;
    load_result *tally = &at->worker->result;
    (void)result;
    if (error == NULL) {
        double took = cli_now() - s->due;
        histogram_record(&tally->latency, took > 0.0 ? (uint64_t)(took * 1e9) : 0);
        tally->answered++;
    } else if (!at->lost) {
        tally->errors[(unsigned)error->status < CAROM_STATUS_COUNT ? error->status
                                                                   : CAROM_INTERNAL]++;
    }
    s->next = at->free_slots;
    at->free_slots = s;
}

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    lane *at = user;
    if (at->worker != NULL) {
        at->worker->result.skipped += snapshot->skipped;
    }
}

// ---- opening

// As many files as the system allows; says so when that is too few.
static cli_exit allow_files(unsigned connections)
{
    struct rlimit limit;
    rlim_t wanted = (rlim_t)connections + SPARE_FILES;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur >= wanted) {
        return CLI_OK;
    }
    limit.rlim_cur = limit.rlim_max < wanted ? limit.rlim_max : wanted;
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur < wanted) {
        cli_error("limit_exceeded",
                  "the system allows this program %llu open files, too few for %u connections",
                  (unsigned long long)limit.rlim_cur, connections);
        cli_hint("ulimit -n %llu raises that, or use fewer --connections",
                 (unsigned long long)wanted);
        return CLI_REFUSED;
    }
    return CLI_OK;
}

// Balls of a kilogram without weight, in a square, 4 m apart, from the origin to the right and
// upward.
static carom_value *spawn_command(unsigned index)
{
    carom_shape shape = carom_shape_circle(0.5);
    shape.density = 1.0 / (3.14159265358979 * 0.25);
    carom_body_options options = carom_body_options_default();
    unsigned row = index / BODIES_IN_A_ROW;
    options.gravity_scale = 0.0;
    options.position = (carom_vec2){4.0 * (index - row * BODIES_IN_A_ROW), 4.0 * row};
    options.shapes = &shape;
    options.shape_count = 1;
    options.tag = "load";
    carom_value *arguments = carom_body_spawn_args("", &options);
    carom_value_free(carom_value_take(arguments, "world")); // world.apply names it once
    return carom_push(carom_push(carom_array(), carom_str("body.spawn")), arguments);
}

static carom_value *remove_command(const lane *at)
{
    carom_value *arguments = carom_set(carom_map(), "body", carom_uint(at->body));
    return carom_push(carom_push(carom_array(), carom_str("body.remove")), arguments);
}

// Calls world.apply with the commands, which are taken over.
static cli_exit apply(const load *l, carom_client *client, carom_value *commands,
                      carom_value **result)
{
    carom_error error = {0};
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(l->plan.world));
    carom_set(arguments, "commands", commands);
    carom_status status =
        carom_call(client, "world.apply", arguments, l->plan.timeout_ms, result, &error);
    carom_value_free(arguments);
    return status == CAROM_OK ? CLI_OK : cli_fail(l->c, &error);
}

static void set_strikes(const load *l, lane *at)
{
    for (int i = 0; i < 2; i++) {
        carom_value *arguments = carom_set(carom_map(), "world", carom_str(l->plan.world));
        carom_set(arguments, "body", carom_uint(at->body));
        at->strikes[i] =
            carom_set(arguments, "impulse", carom_vec(i == 0 ? IMPULSE_N_S : -IMPULSE_N_S, 0.0));
    }
}

static cli_exit make_bodies(load *l)
{
    cli_exit code = CLI_OK;
    for (unsigned done = 0; code == CLI_OK && done < l->plan.connections;
         done += COMMANDS_AT_ONCE) {
        unsigned end = done + COMMANDS_AT_ONCE < l->plan.connections ? done + COMMANDS_AT_ONCE
                                                                     : l->plan.connections;
        carom_value *commands = carom_array();
        carom_value *result = NULL;
        for (unsigned i = done; i < end; i++) {
            commands = carom_push(commands, spawn_command(i));
        }
        code = apply(l, l->lanes[0].client, commands, &result);
        const carom_value *results = carom_value_get(result, "results");
        for (unsigned i = done; code == CLI_OK && i < end; i++) {
            l->lanes[i].body = carom_get_uint(carom_value_at(results, i - done), "body", 0);
            set_strikes(l, &l->lanes[i]);
        }
        carom_value_free(result);
    }
    return code;
}

// All ask at once, then each answer is awaited: a tick in all, not a tick for each.
static cli_exit listen_to_world(load *l)
{
    carom_subscribe_options options = carom_subscribe_options_default();
    options.rate = l->plan.snapshot_rate;
    carom_value *arguments = carom_subscribe_args(l->plan.world, &options);
    carom_error error = {0};
    carom_status status = CAROM_OK;
    for (unsigned i = 0; status == CAROM_OK && i < l->plan.connections; i++) {
        status = carom_request(l->lanes[i].client, "world.subscribe", arguments, l->plan.timeout_ms,
                               NULL, NULL, &l->lanes[i].subscribing, &error);
    }
    for (unsigned i = 0; status == CAROM_OK && i < l->plan.connections; i++) {
        lane *at = &l->lanes[i];
        while (status == CAROM_OK &&
               !carom_take(at->client, at->subscribing, &status, NULL, &error)) {
            status = carom_poll(at->client, 100, &error);
        }
    }
    carom_value_free(arguments);
    return status == CAROM_OK ? CLI_OK : cli_fail(l->c, &error);
}

static cli_exit open_lane(load *l, unsigned index)
{
    lane *at = &l->lanes[index];
    carom_options options = carom_options_default();
    options.handlers = (carom_handlers){.user = at, .snapshot = on_snapshot};
    at->slots = calloc(l->plan.window, sizeof *at->slots);
    l->opened = index + 1;
    if (at->slots == NULL) {
        return cli_out_of_memory();
    }
    for (unsigned i = 0; i < l->plan.window; i++) {
        at->slots[i] = (slot){.owner = at, .next = at->free_slots};
        at->free_slots = &at->slots[i];
    }
    return cli_open(l->c, &options, &at->client);
}

cli_exit load_open(const cli *c, const load_plan *plan, load **out)
{
    cli_exit code = allow_files(plan->connections);
    if (code != CLI_OK) {
        return code;
    }
    load *l = calloc(1, sizeof *l);
    if (l == NULL) {
        return cli_out_of_memory();
    }
    *l = (load){.plan = *plan, .c = c};
    *out = l;
    l->lanes = calloc(plan->connections, sizeof *l->lanes);
    l->workers = calloc(plan->threads, sizeof *l->workers);
    code = l->lanes == NULL || l->workers == NULL ? cli_out_of_memory() : CLI_OK;
    for (unsigned i = 0; code == CLI_OK && i < plan->connections && terminal_interrupted() == 0;
         i++) {
        code = open_lane(l, i);
    }
    if (code != CLI_OK || terminal_interrupted() != 0) {
        return code;
    }
    code = make_bodies(l);
    return code == CLI_OK && plan->snapshot_rate >= 0.0 ? listen_to_world(l) : code;
}

// ---- running

static void lose(worker *w, lane *at, const char *reason)
{
    at->lost = true;
    w->result.lost++;
    if (w->result.lost_reason[0] == '\0') {
        (void)snprintf(w->result.lost_reason, sizeof w->result.lost_reason, "%s", reason);
    }
}

// Sends the commands that are due and fit the window.
static void send_due(worker *w, lane *at, double now)
{
    const load_plan *plan = &w->owner->plan;
    carom_error error = {0};
    for (int i = 0; i < SENDS_AT_ONCE && at->free_slots != NULL && at->next <= now; i++) {
        slot *s = at->free_slots;
        s->due = plan->rate > 0.0 ? at->next : now;
        at->free_slots = s->next;
        carom_status status = carom_request(at->client, "body.impulse", at->strikes[at->sent % 2],
                                            plan->timeout_ms, on_answer, s, NULL, &error);
        if (status !=
            CAROM_OK) { // the output is full, or the connection gone: carom_poll will tell
            s->next = at->free_slots;
            at->free_slots = s;
            return;
        }
        at->sent++;
        w->result.sent++;
        at->next += plan->rate > 0.0 ? 1.0 / plan->rate : 0.0;
    }
}

// When the next command of any connection is due: how long to sleep.
static double nap(const worker *w, double now)
{
    double until = w->owner->end;
    for (unsigned i = 0; i < w->lane_count; i++) {
        const lane *at = &w->lanes[i];
        if (!at->lost && at->free_slots != NULL && at->next < until) {
            until = at->next;
        }
    }
    double longest = NAP_MAX_MS / 1000.0;
    double length = until - now;
    return length < 0.0 ? 0.0 : length > longest ? longest : length;
}

static void wait_ready(worker *w)
{
    for (unsigned i = 0; i < w->lane_count; i++) {
        const lane *at = &w->lanes[i];
        w->fds[i].fd = at->lost ? -1 : carom_fd(at->client);
        w->fds[i].events =
            (short)(POLLIN | (!at->lost && carom_wants_write(at->client) ? POLLOUT : 0));
        w->fds[i].revents = 0;
    }
    double seconds = nap(w, cli_now());
    struct timespec pause = {.tv_sec = 0, .tv_nsec = (long)(seconds * 1e9)};
    (void)ppoll(w->fds, w->lane_count, &pause, NULL);
}

static void work_lane(worker *w, unsigned index)
{
    lane *at = &w->lanes[index];
    carom_error error = {0};
    if (at->lost) {
        return;
    }
    bool due = carom_timeout_ms(at->client) == 0;
    if ((w->fds[index].revents != 0 || due) && carom_poll(at->client, 0, &error) != CAROM_OK) {
        lose(w, at, error.text);
        return;
    }
    double now = cli_now();
    if (now < w->owner->end) {
        send_due(w, at, now);
    }
}

static void *work(void *user)
{
    worker *w = user;
    while (cli_now() < w->owner->end && terminal_interrupted() == 0 &&
           w->result.lost < w->lane_count) {
        wait_ready(w);
        for (unsigned i = 0; i < w->lane_count; i++) {
            work_lane(w, i);
        }
    }
    for (unsigned i = 0; i < w->lane_count; i++) {
        carom_traffic now = carom_client_traffic(w->lanes[i].client);
        const carom_traffic *before = &w->lanes[i].before;
        w->result.snapshots += now.snapshots - before->snapshots;
        w->result.events += now.events - before->events;
        w->result.bytes_in += now.bytes_in - before->bytes_in;
        w->result.bytes_out += now.bytes_out - before->bytes_out;
    }
    return NULL;
}

// Gives each worker its connections, their first commands spread over one interval.
static bool deal(load *l)
{
    unsigned next = 0;
    // Snapshots that came while the others were opened do not count for this run.
    for (unsigned i = 0; i < l->plan.connections; i++) {
        (void)carom_poll(l->lanes[i].client, 0, NULL);
    }
    l->begin = cli_now();
    l->end = l->begin + l->plan.seconds;
    for (unsigned t = 0; t < l->plan.threads; t++) {
        worker *w = &l->workers[t];
        unsigned end = (unsigned)((uint64_t)l->plan.connections * (t + 1) / l->plan.threads);
        w->owner = l;
        w->lanes = &l->lanes[next];
        w->lane_count = end - next;
        w->fds = calloc(w->lane_count > 0 ? w->lane_count : 1, sizeof *w->fds);
        if (w->fds == NULL) {
            return false;
        }
        histogram_init(&w->result.latency);
        for (; next < end; next++) {
            lane *at = &l->lanes[next];
            at->worker = w;
            at->before = carom_client_traffic(at->client);
            at->next =
                l->begin + (l->plan.rate > 0.0 ? next / (l->plan.rate * l->plan.connections) : 0.0);
        }
    }
    return true;
}

static void add_result(load_result *sum, const load_result *one)
{
    histogram_merge(&sum->latency, &one->latency);
    sum->sent += one->sent;
    sum->answered += one->answered;
    sum->lost += one->lost;
    sum->snapshots += one->snapshots;
    sum->events += one->events;
    sum->skipped += one->skipped;
    sum->bytes_in += one->bytes_in;
    sum->bytes_out += one->bytes_out;
    for (int i = 0; i < CAROM_STATUS_COUNT; i++) {
        sum->errors[i] += one->errors[i];
    }
    if (sum->lost_reason[0] == '\0') {
        memcpy(sum->lost_reason, one->lost_reason, sizeof sum->lost_reason);
    }
}

cli_exit load_run(load *l, load_result *result)
{
    if (!deal(l)) {
        return cli_out_of_memory();
    }
    for (unsigned t = 1; t < l->plan.threads; t++) {
        l->workers[t].started =
            pthread_create(&l->workers[t].thread, NULL, work, &l->workers[t]) == 0;
    }
    (void)work(&l->workers[0]);
    double took = cli_now() - l->begin;
    histogram_init(&result->latency);
    cli_exit code = CLI_OK;
    for (unsigned t = 0; t < l->plan.threads; t++) {
        if (t > 0 && l->workers[t].started) {
            (void)pthread_join(l->workers[t].thread, NULL);
        } else if (t > 0) {
            cli_error("internal", "cannot start thread %u", t + 1);
            code = CLI_REFUSED;
        }
        add_result(result, &l->workers[t].result);
    }
    result->seconds = took;
    return code;
}

// ---- closing

// Through the first connection that still lives; what cannot be removed has been told.
static void remove_bodies_of(const load *l)
{
    carom_client *client = NULL;
    carom_value *commands = carom_array();
    size_t count = 0;
    for (unsigned i = 0; i < l->opened && client == NULL; i++) {
        carom_client *one = l->lanes[i].client;
        client = one != NULL && carom_client_state(one) == CAROM_OPEN ? one : NULL;
    }
    for (unsigned i = 0; client != NULL && i < l->opened; i++) {
        if (l->lanes[i].body != 0) {
            commands = carom_push(commands, remove_command(&l->lanes[i]));
            count++;
        }
        if (count == COMMANDS_AT_ONCE || (count > 0 && i + 1 == l->opened)) {
            (void)apply(l, client, commands, NULL);
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
    if (remove_bodies && l->lanes != NULL) {
        remove_bodies_of(l);
    }
    for (unsigned i = 0; l->lanes != NULL && i < l->opened; i++) {
        lane *at = &l->lanes[i];
        at->lost = true; // commands still in flight are no errors
        carom_free(at->client);
        carom_value_free(at->strikes[0]);
        carom_value_free(at->strikes[1]);
        free(at->slots);
    }
    for (unsigned t = 0; l->workers != NULL && t < l->plan.threads; t++) {
        free(l->workers[t].fds);
    }
    free(l->workers);
    free(l->lanes);
    free(l);
}
