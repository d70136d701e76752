// carom-bench-served: the storage as clients of a server see it. Acknowledged commands per second,
// and the time to an acknowledgement, for each durability, compared with a bare loop of write and
// fdatasync on the same disk in the same run; ticks that the disk delays; the time of a restart.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/caromd.h"
#include "tests/bench/clock.h"
#include "tests/bench/statistics.h"
#include "tests/bench/storage/driver.h"
#include "tests/bench/storage/peer.h"
#include "tests/bench/table.h"
#include "tests/support/command_line.h"

enum {
    PEERS_MAX = 100,
    SAMPLES_MAX = 1 << 19, // most samples of each kind; later ones count only for the mean
    RECORD_BYTES = 200,    // about the size of a tick with one command in the log
    HZ = 60,
    BATCH = 500, // bodies in one world.apply
    COMMANDS_A_SECOND = 1000,
    // A world at 60 Hz is measured this many times as long, because it gives far fewer samples
    TICKING = 6,
    MOVED_BODIES = 1000, // bodies that the commands move
    RESTARTS = 3
};

typedef struct options {
    const char *program, *folder;
    double seconds;
    int bodies, rounds;
    double minutes;
} options;

static const args_operand OPERANDS[] = {{"CAROMD", ARGS_FILE, true, false, NULL}, {0}};

static const args_option OPTIONS[] = {
    {"dir", 0, ARGS_FILE, "DIR", "folder on the disk to be measured (the current one)", NULL},
    {"seconds", 0, ARGS_TEXT, "S", "seconds for each figure of a round, 0.01 to 600 (0.5)", NULL},
    {"rounds", 0, ARGS_TEXT, "N", "rounds, 1 to 100 (6)", NULL},
    {"bodies", 0, ARGS_TEXT, "N", "bodies of restarted worlds, 1 to 100000 (10000)", NULL},
    {"minutes", 0, ARGS_TEXT, "M", "minutes of commands before a restart, 0.01 to 60 (10)", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-served",
    "CAROMD",
    "Measures the storage as clients of the server program CAROMD see it. Worlds at 60 Hz are\n"
    "measured for six times --seconds.\n",
    {.operands = OPERANDS, .options = OPTIONS}};

static options parse(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    return (options){.program = command_line_word(&line, 0),
                     .folder = command_line_text(&line, "dir", "."),
                     .seconds = command_line_number(&line, "seconds", 0.5, 0.01, 600),
                     .bodies = command_line_count(&line, "bodies", 10000, 100000),
                     .rounds = command_line_count(&line, "rounds", 6, 100),
                     .minutes = command_line_number(&line, "minutes", 10, 0.01, 60)};
}

static void begin_server(bench_server *s, const options *o, const char *data)
{
    const char *const over[] = {"--data", data, NULL};
    server_begin(s, o->program, over, -1);
}

// ---- worlds

static void make_world(peer *p, const char *name, const char *durability, bool paused)
{
    msgpack_sbuffer a;
    msgpack_sbuffer_init(&a);
    map_begin(&a, 5);
    map_text(&a, "world", name);
    map_text(&a, "durability", durability);
    map_bool(&a, "paused", paused);
    map_number(&a, "hz", HZ);
    map_vector(&a, "gravity", 0, 0);
    peer_call(p, "world.create", &a, NULL, NULL);
    msgpack_sbuffer_destroy(&a);
}

static void call_world(peer *p, const char *method, const char *name, const char *key,
                       double *value)
{
    msgpack_sbuffer a;
    msgpack_sbuffer_init(&a);
    map_begin(&a, 1);
    map_text(&a, "world", name);
    peer_call(p, method, &a, key, value);
    msgpack_sbuffer_destroy(&a);
}

// Spawns balls apart from each other, whose motion damps out within a second.
static void spawn_balls(peer *p, const char *name, int count)
{
    for (int done = 0; done < count; done += BATCH) {
        int part = count - done < BATCH ? count - done : BATCH;
        msgpack_sbuffer a;
        msgpack_sbuffer_init(&a);
        map_begin(&a, 2);
        map_text(&a, "world", name);
        map_key(&a, "commands");
        array_begin(&a, (uint32_t)part);
        for (int i = done; i < done + part; i++) {
            array_begin(&a, 2);
            put_text(&a, "body.spawn");
            map_begin(&a, 3);
            map_vector(&a, "position", 2.0 * (i % 100), 2.0 * (i / 100));
            map_number(&a, "linear_damping", 5);
            map_key(&a, "shapes");
            array_begin(&a, 1);
            map_begin(&a, 2);
            map_text(&a, "kind", "circle");
            map_number(&a, "radius", 0.4);
        }
        peer_call(p, "world.apply", &a, NULL, NULL);
        msgpack_sbuffer_destroy(&a);
    }
}

static void pack_push(msgpack_sbuffer *a, const char *name, int body, double push)
{
    map_begin(a, 3);
    map_text(a, "world", name);
    map_uint(a, "body", (uint64_t)body);
    map_vector(a, "impulse", push, 0);
}

// ---- acknowledgements

// One way to have commands acknowledged, with samples of all rounds.
typedef struct means {
    const char *kind, *durability;
    bool paused;
    double *samples; // seconds to each acknowledgement
    size_t count;    // number of samples
    double commands, seconds;
    double late; // ticks
} means;

enum { MEANS = 7 };

static const double WARM_UP_SECONDS = 0.2;

static void add_sample(means *m, double seconds)
{
    if (m->count < SAMPLES_MAX) {
        m->samples[m->count++] = seconds;
    }
}

// Each client sends a command when its last one is answered. Answers within the first
// WARM_UP_SECONDS do not count, since the world's first image is written then.
static void push_for(const options *o, peer *peers, const msgpack_sbuffer *push, int clients,
                     means *m)
{
    double seconds = m->paused ? o->seconds : TICKING * o->seconds;
    struct pollfd fds[PEERS_MAX];
    double sent[PEERS_MAX];
    double begin = clock_seconds(CLOCK_WALL);
    double now = begin;
    for (int i = 0; i < clients; i++) {
        fds[i] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
        sent[i] = clock_seconds(CLOCK_WALL);
        peer_send(&peers[i], "body.impulse", &push[i]);
    }
    while (now - begin < WARM_UP_SECONDS + seconds) {
        if (poll(fds, (nfds_t)clients, 10000) <= 0) {
            give_up("no answer within ten seconds");
        }
        now = clock_seconds(CLOCK_WALL);
        for (int i = 0; i < clients; i++) {
            if ((fds[i].revents & POLLIN) != 0) {
                peer_read(&peers[i], NULL, NULL);
                if (now - begin >= WARM_UP_SECONDS) {
                    add_sample(m, now - sent[i]);
                    m->commands++;
                }
                sent[i] = now;
                peer_send(&peers[i], "body.impulse", &push[i]);
            }
        }
    }
    m->seconds += now - begin - WARM_UP_SECONDS;
}

static void push_all(const options *o, const bench_server *s, const char *name, int clients,
                     means *m)
{
    static peer peers[PEERS_MAX];
    msgpack_sbuffer push[PEERS_MAX];
    for (int i = 0; i < clients; i++) {
        peer_open(&peers[i], s);
        msgpack_sbuffer_init(&push[i]);
        pack_push(&push[i], name, i + 1, i % 2 == 0 ? 1e-3 : -1e-3);
    }
    push_for(o, peers, push, clients, m);
    for (int i = 0; i < clients; i++) {
        peer_close(&peers[i]);
        msgpack_sbuffer_destroy(&push[i]);
    }
}

static void run_bare_for(const options *o, int clients, means *m)
{
    enum { COMMITS = 50 };
    double seconds[COMMITS];
    load l = {o->folder, COMMITS, clients, RECORD_BYTES, 0};
    for (double all = 0; all < o->seconds;) {
        double some = run_bare(&l, seconds);
        all += some;
        m->seconds += some;
        m->commands += COMMITS * clients;
        for (int i = 0; i < COMMITS; i++) {
            add_sample(m, seconds[i]);
        }
    }
}

static void run_served_for(const options *o, const bench_server *s, int clients, means *m)
{
    peer p;
    double late = 0;
    peer_open(&p, s);
    make_world(&p, "push", m->durability, m->paused);
    spawn_balls(&p, "push", clients);
    push_all(o, s, "push", clients, m);
    call_world(&p, "world.info", "push", "ticks_late", &late);
    call_world(&p, "world.destroy", "push", NULL, NULL);
    peer_close(&p);
    m->late += late;
}

static void add_row(table *t, means *m, int clients, const means *bare, double bare_median)
{
    char text[16];
    snprintf(text, sizeof text, "%d", clients);
    table_text(t, m->kind);
    table_text(t, m->durability);
    table_text(t, text);
    table_number(t, m->commands / m->seconds, 3);
    double middle = quantile(m->samples, m->count, 0.5);
    if (m == bare || m->paused) {
        table_ratio(t, bare->commands / bare->seconds / (m->commands / m->seconds));
        table_ratio(t, middle / bare_median);
    } else { // the tick determines the pace here
        table_skip(t);
        table_skip(t);
    }
    table_number(t, 1e3 * middle, 3);
    table_number(t, 1e3 * quantile(m->samples, m->count, 0.99), 3);
    table_number(t, 1e3 * quantile(m->samples, m->count, 0.999), 3);
    if (m == bare || m->paused) {
        table_skip(t);
    } else {
        table_number(t, m->late, 1);
    }
}

// Measures the ways in turn in every round, since the speed of the disk and the machine varies.
static void measure(const options *o, const bench_server *s, int clients, table *t)
{
    means all[MEANS] = {{.kind = "bare", .durability = "fdatasync"},
                        {.kind = "paused", .durability = "none", .paused = true},
                        {.kind = "paused", .durability = "normal", .paused = true},
                        {.kind = "paused", .durability = "full", .paused = true},
                        {.kind = "60 Hz", .durability = "none"},
                        {.kind = "60 Hz", .durability = "normal"},
                        {.kind = "60 Hz", .durability = "full"}};
    for (int round = 0; round < o->rounds; round++) {
        for (int i = 0; i < MEANS; i++) {
            means *m = &all[i];
            m->samples = m->samples != NULL ? m->samples : calloc(SAMPLES_MAX, sizeof *m->samples);
            if (m->samples == NULL) {
                give_up("no memory");
            }
            if (i == 0) {
                run_bare_for(o, clients, m);
            } else {
                run_served_for(o, s, clients, m);
            }
        }
    }
    double bare_median = quantile(all[0].samples, all[0].count, 0.5);
    for (int i = 0; i < MEANS; i++) {
        add_row(t, &all[i], clients, &all[0], bare_median);
        free(all[i].samples);
    }
}

static void print_acknowledgements(const options *o, const char *data)
{
    static const char *const HEADS[] = {"<world",      "<durability",   "clients", "commands/s",
                                        "time : bare", "median : bare", "p50 ms",  "p99 ms",
                                        "p99.9 ms",    "late ticks",    NULL};
    static const int CLIENTS[] = {1, 10, 100};
    table *t = table_create(HEADS);
    bench_server s;
    begin_server(&s, o, data);
    for (int i = 0; i < 3; i++) {
        measure(o, &s, CLIENTS[i], t);
    }
    server_end(&s);
    printf("Commands acknowledged, each client waiting for its answer before it sends the next. "
           "bare: a loop of\nwrite (%d bytes for each client) and fdatasync. paused: commands are "
           "applied as they come; 60 Hz: with\nthe next tick\n\n",
           RECORD_BYTES);
    table_print(t, stdout);
    table_free(t);
}

// ---- restarts

static void print_restart(const options *o, const char *data, bench_server *s, const char *name,
                          const char *what)
{
    double seconds[RESTARTS];
    double cpu[RESTARTS];
    for (int i = 0; i < RESTARTS; i++) {
        server_kill(s);
        double begin = clock_seconds(CLOCK_WALL);
        begin_server(s, o, data);
        peer p;
        double bodies = 0;
        peer_open(&p, s);
        call_world(&p, "world.info", name, "bodies", &bodies);
        peer_close(&p);
        seconds[i] = clock_seconds(CLOCK_WALL) - begin;
        cpu[i] = server_cpu(s);
        if ((int)bodies != o->bodies) {
            give_up("the restart lost bodies");
        }
    }
    printf("%s: back within %.2f s, %.2f s of processor time (the worst of %d kills; from the "
           "start of the process to the first answer)\n",
           what, quantile(seconds, RESTARTS, 1), quantile(cpu, RESTARTS, 1), RESTARTS);
}

// Steps the world with as many commands per tick as give the wanted rate, so that ten minutes of
// world time pass faster than in real time. The log is the same.
static void drive(const options *o, peer *p, const char *name)
{
    int ticks = (int)(o->minutes * 60 * HZ);
    int sent = 0;
    for (int tick = 1; tick <= ticks; tick++) {
        for (; sent < (int)((double)tick * COMMANDS_A_SECOND / HZ); sent++) {
            msgpack_sbuffer a;
            msgpack_sbuffer_init(&a);
            int moved = o->bodies < MOVED_BODIES ? o->bodies : MOVED_BODIES;
            pack_push(&a, name, 1 + sent % moved, sent / moved % 2 == 0 ? 0.1 : -0.1);
            peer_send(p, "body.impulse", &a);
            msgpack_sbuffer_destroy(&a);
        }
        call_world(p, "world.step", name, NULL, NULL);
    }
}

static void print_restarts(const options *o, const char *data)
{
    bench_server s;
    peer p;
    begin_server(&s, o, data);
    peer_open(&p, &s);
    make_world(&p, "idle", "normal", false);
    spawn_balls(&p, "idle", o->bodies);
    sleep(3);
    peer_close(&p);
    putchar('\n');
    print_restart(o, data, &s, "idle", "Idle world");
    peer_open(&p, &s);
    call_world(&p, "world.destroy", "idle", NULL, NULL);
    make_world(&p, "busy", "normal", true);
    spawn_balls(&p, "busy", o->bodies);
    drive(o, &p, "busy");
    peer_close(&p);
    char text[128];
    snprintf(text, sizeof text, "%d bodies and %g minutes of %d commands a second", o->bodies,
             o->minutes, COMMANDS_A_SECOND);
    print_restart(o, data, &s, "busy", text);
    server_end(&s);
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    char folder[512];
    char data[600];
    snprintf(folder, sizeof folder, "%s/carom-bench-served-%d", o.folder, (int)getpid());
    snprintf(data, sizeof data, "%s/data", folder);
    if (mkdir(folder, 0700) != 0) {
        give_up("cannot make a folder in DIR");
    }
    o.folder = folder;
    print_acknowledgements(&o, data);
    fflush(stdout);
    print_restarts(&o, data);
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) == 0 ? 0 : 1;
}
