// How many worlds of 100 bodies a core can run at 60 Hz, how many players one world can have, and
// how many worlds of 30 players each.
//
// The server has one processor for itself, the clients another. A number passes if no tick of a
// trial begins more than one tick late and the worlds keep 0.999 of their rate; a number that fails
// is tried twice more, because a machine with other work stalls now and then. The search for the
// largest number doubles first, then halves the gap, down to 5 %. Every trial has a new server.
#include <math.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/crowd.h"
#include "tests/bench/network/fanout/bare.h"
#include "tests/bench/network/fanout/readers.h"
#include "tests/bench/network/parts.h"
#include "tests/bench/processor.h"

enum {
    TRIES = 3,
    TRIALS_MAX = 24,
    WORLD_BALLS = 100,
    PLAYERS_BALLS = 1000, // for more players there is a ball for each
    WORLDS_FIRST = 64,
    PLAYERS_FIRST = 64,
    START_S = 60,
    SEATS_FIRST = 32,
    SEATS = 30, // players of a world, each with a ball
    NAME_BYTES = 16
};

#define HZ          60.0
#define SECONDS     3.0
#define SETTLE_US   500000
#define RATE_LEAST  0.999
#define GAP_LEAST   0.05
#define COMMANDS_HZ 30.0
#define SEATS_HZ    30.0
#define SEATS_RATE  5.0 // commands a second of a player
#define SHOWN_LEAST 0.99
#define CPU_LEAST   0.001 // smallest value that can be drawn

typedef struct trial {
    int count;
    double rate, late; // share of hz; number of late ticks
    double cpu;        // processors that the server used
    double shown;      // snapshots sent : those that were due; without clients 1
    double bare;       // processors that a bare loop of as many writes uses; not measured: NAN
    bool carried;
} trial;

typedef struct search {
    const bench_run *run;
    double seconds;
    int server_on, clients_on; // processors
    double hz;
    trial (*once)(const struct search *s, int count);
    trial trials[TRIALS_MAX];
    int trial_count;
} search;

// ---- a trial

// Runs the server's worlds for the time of a trial, and returns the change of its counts.
// `snapshot_bytes` gets the mean size of a snapshot; it may be NULL.
static trial watch(const search *s, const bench_server *server, carom_client *control, int count,
                   int worlds, int players, double *snapshot_bytes)
{
    usleep(SETTLE_US);
    const double cpu = server_cpu(server);
    const double begin = clock_seconds(CLOCK_WALL);
    const server_counts before = control_counts(control);
    usleep((useconds_t)(s->seconds * 1e6));
    const server_counts after = control_counts(control);
    const double seconds = clock_seconds(CLOCK_WALL) - begin;
    trial t = {.count = count};
    // At either end, a world may just have begun its next tick, or be about to.
    t.rate = fmin(1.0, (after.ticks - before.ticks + worlds) / (s->hz * worlds * seconds));
    t.late = after.ticks_late - before.ticks_late;
    t.cpu = (server_cpu(server) - cpu) / seconds;
    const double snapshots = after.snapshots_sent - before.snapshots_sent;
    t.shown = players > 0 ? fmin(1.0, snapshots / (s->hz * players * seconds)) : 1.0;
    t.bare = NAN;
    t.carried = t.late == 0.0 && t.rate >= RATE_LEAST && t.shown >= SHOWN_LEAST;
    if (snapshot_bytes != NULL) {
        *snapshot_bytes = (after.bytes_sent - before.bytes_sent) / fmax(1.0, snapshots);
    }
    if (after.requests_failed > 0.0) {
        give_up("the server has refused a request");
    }
    return t;
}

// Worlds with names of their own, `balls` in each.
typedef struct many {
    int count;
    arena *arenas;
    char (*names)[NAME_BYTES];
} many;

static many many_make(carom_client *control, int count, double hz, int balls)
{
    many m = {count, calloc((size_t)count, sizeof *m.arenas), calloc((size_t)count, NAME_BYTES)};
    if (m.arenas == NULL || m.names == NULL) {
        give_up("no memory");
    }
    for (int i = 0; i < count; i++) {
        snprintf(m.names[i], NAME_BYTES, "w%d", i);
        m.arenas[i] = arena_make(control, m.names[i], hz, balls);
    }
    return m;
}

static void many_deinit(many *m)
{
    for (int i = 0; i < m->count; i++) {
        arena_deinit(&m->arenas[i]);
    }
    free(m->arenas);
    free(m->names);
}

static trial try_worlds(const search *s, int count)
{
    static const char *const OPTIONS[] = {"--limit",   "worlds=4096", "--limit", "own_threads=0",
                                          "--threads", "1",           NULL};
    bench_server server;
    server_begin(&server, s->run->caromd, OPTIONS, s->server_on);
    carom_client *control = control_open(&server);
    many all = many_make(control, count, HZ, WORLD_BALLS);
    arena_resume_all(control, all.arenas, count);
    const trial t = watch(s, &server, control, count, count, 0, NULL);
    many_deinit(&all);
    carom_free(control);
    server_end(&server);
    return t;
}

static trial try_players(const search *s, int count)
{
    const crowd_plan plan = {.players = count,
                             .rate = COMMANDS_HZ,
                             .encoding = "packed",
                             .width = 24.0,
                             .height = 18.0,
                             .cpu = s->clients_on};
    bench_server server;
    server_begin(&server, s->run->caromd, NULL, s->server_on);
    carom_client *control = control_open(&server);
    arena a = arena_make(control, "arena", HZ, count > PLAYERS_BALLS ? count : PLAYERS_BALLS);
    crowd *clients = crowd_open(&server, &plan);
    crowd_subscribe(clients, &a, 1);
    crowd_start(clients, &a, 1);
    arena_resume(control, &a);
    const trial t = watch(s, &server, control, count, 1, 0, NULL);
    crowd_stop(clients);
    crowd_close(clients);
    arena_deinit(&a);
    carom_free(control);
    server_end(&server);
    return t;
}

// The processors that a loop of writes uses for as many messages of as many bytes.
static double measure_bare(const search *s, int readers_count, double bytes)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof address;
    const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (listener < 0 || bind(listener, (struct sockaddr *)&address, size) != 0 ||
        listen(listener, SOMAXCONN) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0) {
        give_up("no port for the loop of writes");
    }
    bench_server loop = {.port = ntohs(address.sin_port), .pid = fork()};
    if (loop.pid == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        (void)processor_pin(s->server_on);
        (void)readers_fit_descriptors(readers_count);
        bare_serve(listener, readers_count, s->hz, (size_t)bytes);
    }
    close(listener);
    readers clients;
    readers_start(&clients, loop.port, readers_count, "?", 1);
    readers_await(&clients, START_S);
    const double cpu = server_cpu(&loop);
    const double begin = clock_seconds(CLOCK_WALL);
    usleep((useconds_t)(s->seconds * 1e6));
    const double used = (server_cpu(&loop) - cpu) / (clock_seconds(CLOCK_WALL) - begin);
    readers_stop(&clients);
    kill(loop.pid, SIGKILL);
    (void)waitpid(loop.pid, NULL, 0);
    return used;
}

static trial try_seats(const search *s, int count)
{
    static const char *const OPTIONS[] = {
        "--limit", "worlds=4096", "--limit", "own_threads=0", "--limit", "connections=20000", NULL};
    const crowd_plan plan = {
        .players = SEATS * count, .rate = SEATS_RATE, .encoding = "packed", .cpu = s->clients_on};
    bench_server server;
    double bytes = 0.0;
    server_begin(&server, s->run->caromd, OPTIONS, s->server_on);
    carom_client *control = control_open(&server);
    many all = many_make(control, count, SEATS_HZ, SEATS);
    crowd *clients = crowd_open(&server, &plan);
    crowd_subscribe(clients, all.arenas, count);
    crowd_start(clients, all.arenas, count);
    arena_resume_all(control, all.arenas, count);
    trial t = watch(s, &server, control, count, count, plan.players, &bytes);
    crowd_stop(clients);
    crowd_close(clients);
    many_deinit(&all);
    carom_free(control);
    server_end(&server);
    t.bare = measure_bare(s, plan.players, bytes);
    return t;
}

// ---- the search

static bool carries(search *s, int count)
{
    trial t = {0};
    for (int i = 0; i < TRIES && !t.carried; i++) {
        t = s->once(s, count);
    }
    if (s->trial_count < TRIALS_MAX) {
        s->trials[s->trial_count++] = t;
    }
    return t.carried;
}

// The largest number up to `most` that the server can carry; 0: not even one.
static int find_largest(search *s, int first, int most)
{
    int good = 0;
    int bad = most + 1;
    for (int count = first < most ? first : most; count > good && count < bad;) {
        if (carries(s, count)) {
            good = count;
            count = 2 * count < most ? 2 * count : most;
        } else {
            bad = count;
        }
    }
    while (bad - good > 1 && bad - good > (int)(GAP_LEAST * good) && bad <= most) {
        const int middle = good + (bad - good) / 2;
        if (carries(s, middle)) {
            good = middle;
        } else {
            bad = middle;
        }
    }
    return good;
}

static int compare_trials(const void *a, const void *b)
{
    return ((const trial *)a)->count - ((const trial *)b)->count;
}

static void report_search(search *s, const char *name, const char *title, const char *const *heads)
{
    table *t = table_create(heads);
    qsort(s->trials, (size_t)s->trial_count, sizeof *s->trials, compare_trials);
    for (int i = 0; i < s->trial_count; i++) {
        const trial *one = &s->trials[i];
        table_number(t, one->count, 1);
        table_number(t, one->rate, 4);
        table_number(t, one->late, 1);
        table_number(t, one->cpu, 3);
        if (!isnan(one->bare)) {
            table_number(t, one->shown, 3);
            table_number(t, one->bare, 3);
        }
        table_text(t, one->carried ? "yes" : "no");
    }
    report_add(s->run->report, name, title, t);
}

static void draw(const search *s, const char *name, const char *title, const char *what)
{
    plot_series busy = {.name = "server's CPUs", .color = "#1f77b4"};
    for (; busy.count < s->trial_count && busy.count < PLOT_POINTS_MAX; busy.count++) {
        busy.x[busy.count] = s->trials[busy.count].count;
        busy.y[busy.count] = fmax(CPU_LEAST, s->trials[busy.count].cpu);
    }
    const plot p = {
        .title = title, .x_title = what, .y_title = "processors", .series = &busy, .count = 1};
    report_plot(s->run->report, name, &p);
}

static search search_of(const bench_run *run, trial (*once)(const search *s, int count))
{
    const int last = processor_last();
    return (search){.run = run,
                    .seconds = run->seconds > 0.0 ? run->seconds : SECONDS,
                    .hz = HZ,
                    .server_on = last,
                    .clients_on = processor_count() > 1 ? last - 1 : last,
                    .once = once};
}

void part_worlds(const bench_run *run)
{
    static const char *const HEADS[] = {"worlds",        "rate : hz", "late ticks",
                                        "server's CPUs", "<carried",  NULL};
    search s = search_of(run, try_worlds);
    char title[200];
    const int most = find_largest(&s, WORLDS_FIRST, run->most);
    snprintf(title, sizeof title,
             "A core carries %d worlds of %d moving bodies at %.0f Hz; trials of %g s:", most,
             WORLD_BALLS, HZ, s.seconds);
    report_search(&s, "worlds", title, HEADS);
    draw(&s, "worlds", "Worlds of 100 moving bodies at 60 Hz on one core", "worlds");
}

void part_players(const bench_run *run)
{
    static const char *const HEADS[] = {"players",       "rate : hz", "late ticks",
                                        "server's CPUs", "<carried",  NULL};
    search s = search_of(run, try_players);
    char title[200];
    const int most = find_largest(&s, PLAYERS_FIRST, run->most);
    snprintf(title, sizeof title,
             "A core carries %d players in one world at %.0f Hz, each with %.0f commands a second "
             "and packed snapshots of 24 m x 18 m (some 48 bodies); trials of %g s:",
             most, HZ, COMMANDS_HZ, s.seconds);
    report_search(&s, "players", title, HEADS);
    draw(&s, "players", "Players of one world at 60 Hz on one core", "players");
}

void part_seats(const bench_run *run)
{
    static const char *const HEADS[] = {"worlds",        "rate : hz",   "late ticks",
                                        "server's CPUs", "shown : due", "bare writes' CPUs",
                                        "<carried",      NULL};
    search s = search_of(run, try_seats);
    s.hz = SEATS_HZ;
    char title[240];
    const int most = find_largest(&s, SEATS_FIRST, run->most);
    snprintf(title, sizeof title,
             "A core carries %d worlds of %d players each at %.0f Hz, each with %.0f commands a "
             "second and packed snapshots of the world in each tick; trials of %g s:",
             most, SEATS, SEATS_HZ, SEATS_RATE, s.seconds);
    report_search(&s, "seats", title, HEADS);
}
