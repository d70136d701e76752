// carom-bench-served: the storage as clients of a server see it. Commands acknowledged a second,
// and how long an acknowledgement takes, for each durability, beside a bare loop of write and
// fdatasync on the same disk in the same run; ticks that are late because of the disk; how long a
// restart takes.
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/bench/clock.h"
#include "tests/bench/statistics.h"
#include "tests/bench/storage/driver.h"
#include "tests/bench/storage/peer.h"
#include "tests/bench/table.h"

enum {
    PEERS_MAX = 100,
    SAMPLES_MAX = 1 << 22,
    RECORD_BYTES = 200, // about what a tick with one command takes in the log
    HZ = 60,
    BATCH = 500, // bodies in one world.apply
    COMMANDS_A_SECOND = 1000,
    MOVED_BODIES = 1000, // that the commands go to
    RESTARTS = 3
};

typedef struct options {
    const char *program, *folder;
    double seconds;
    int bodies;
    double minutes;
} options;

static const char USAGE[] =
    "Usage: carom-bench-served CAROMD [--dir DIR] [--seconds S] [--bodies N] [--minutes N]\n"
    "DIR is a folder on the disk to be measured (the current one), S seconds for each figure (3),\n"
    "N bodies of the worlds that are restarted (10000), minutes of commands before a restart "
    "(10).\n";

static double parse_number(const char *text, double most)
{
    char *end;
    double value = strtod(text, &end);
    if (*text == '\0' || *end != '\0' || !(value > 0) || value > most) {
        fprintf(stderr, "carom-bench-served: a number up to %g, not %s\n", most, text);
        exit(2);
    }
    return value;
}

static options parse(int argc, char **argv)
{
    options o = {argc > 1 ? argv[1] : "", ".", 3, 10000, 10};
    for (int i = 2; i < argc; i += 2) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--dir") == 0) {
            o.folder = value;
        } else if (strcmp(argv[i], "--seconds") == 0) {
            o.seconds = parse_number(value, 600);
        } else if (strcmp(argv[i], "--bodies") == 0) {
            o.bodies = (int)parse_number(value, 100000);
        } else if (strcmp(argv[i], "--minutes") == 0) {
            o.minutes = parse_number(value, 60);
        } else {
            o.program = "";
        }
    }
    if (*o.program == '\0') {
        fputs(USAGE, stderr);
        exit(2);
    }
    return o;
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

// Balls apart from each other, which lose what they are given within a second.
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

typedef struct figures {
    double a_second;
    double *samples;
    size_t count;
    double late; // ticks
} figures;

static void push_all(const options *o, const bench_server *s, const char *name, int clients,
                     figures *f)
{
    static peer peers[PEERS_MAX];
    struct pollfd fds[PEERS_MAX];
    double sent[PEERS_MAX];
    msgpack_sbuffer push[PEERS_MAX];
    for (int i = 0; i < clients; i++) {
        peer_open(&peers[i], s);
        fds[i] = (struct pollfd){.fd = peers[i].fd, .events = POLLIN};
        msgpack_sbuffer_init(&push[i]);
        pack_push(&push[i], name, i + 1, i % 2 == 0 ? 1e-3 : -1e-3);
    }
    double begin = clock_seconds(CLOCK_WALL);
    double now = begin;
    for (int i = 0; i < clients; i++) {
        sent[i] = clock_seconds(CLOCK_WALL);
        peer_send(&peers[i], "body.impulse", &push[i]);
    }
    f->count = 0;
    while (now - begin < o->seconds && f->count + PEERS_MAX < SAMPLES_MAX) {
        if (poll(fds, (nfds_t)clients, 1000) <= 0) {
            give_up("no answer within a second");
        }
        now = clock_seconds(CLOCK_WALL);
        for (int i = 0; i < clients; i++) {
            if ((fds[i].revents & POLLIN) != 0) {
                peer_read(&peers[i], NULL, NULL);
                f->samples[f->count++] = now - sent[i];
                sent[i] = now;
                peer_send(&peers[i], "body.impulse", &push[i]);
            }
        }
    }
    f->a_second = (double)f->count / (now - begin);
    for (int i = 0; i < clients; i++) {
        peer_close(&peers[i]);
        msgpack_sbuffer_destroy(&push[i]);
    }
}

static void add_row(table *t, const char *kind, const char *durability, int clients, figures *f,
                    double bare, bool ticks)
{
    char text[16];
    snprintf(text, sizeof text, "%d", clients);
    table_text(t, kind);
    table_text(t, durability);
    table_text(t, text);
    table_number(t, f->a_second, 3);
    if (ticks) { // the tick sets the pace there
        table_skip(t);
    } else {
        table_ratio(t, bare / f->a_second);
    }
    table_number(t, 1e3 * quantile(f->samples, f->count, 0.5), 3);
    table_number(t, 1e3 * quantile(f->samples, f->count, 0.99), 3);
    table_number(t, 1e3 * quantile(f->samples, f->count, 0.999), 3);
    if (ticks) {
        table_number(t, f->late, 1);
    } else {
        table_skip(t);
    }
}

static double measure_bare(const options *o, int clients, figures *f)
{
    load l = {o->folder, 200, clients, RECORD_BYTES, 0};
    double all = 0;
    f->count = 0;
    while (all < o->seconds && f->count + 200 < SAMPLES_MAX) {
        all += run_bare(&l, f->samples + f->count);
        f->count += 200;
    }
    f->a_second = (double)f->count * clients / all;
    return f->a_second;
}

static void measure_served(const options *o, const bench_server *s, const char *durability,
                           int clients, bool paused, double bare, figures *f, table *t)
{
    peer p;
    peer_open(&p, s);
    make_world(&p, "push", durability, paused);
    spawn_balls(&p, "push", clients);
    push_all(o, s, "push", clients, f);
    call_world(&p, "world.info", "push", "ticks_late", &f->late);
    call_world(&p, "world.destroy", "push", NULL, NULL);
    peer_close(&p);
    add_row(t, paused ? "paused" : "60 Hz", durability, clients, f, bare, !paused);
}

static void print_acknowledgements(const options *o, const char *data)
{
    static const char *const HEADS[] = {"<world",      "<durability", "clients", "commands/s",
                                        "time : bare", "p50 ms",      "p99 ms",  "p99.9 ms",
                                        "late ticks",  NULL};
    static const char *const KINDS[] = {"none", "normal", "full"};
    static const int CLIENTS[] = {1, 10, 100};
    figures f = {.samples = calloc(SAMPLES_MAX, sizeof *f.samples)};
    table *t = table_create(HEADS);
    bench_server s;
    if (f.samples == NULL) {
        give_up("no memory");
    }
    server_begin(&s, o->program, data);
    for (int i = 0; i < 3; i++) {
        double bare = measure_bare(o, CLIENTS[i], &f);
        add_row(t, "bare", "fdatasync", CLIENTS[i], &f, bare, false);
        for (int paused = 1; paused >= 0; paused--) {
            for (int kind = 0; kind < 3; kind++) {
                measure_served(o, &s, KINDS[kind], CLIENTS[i], paused == 1, bare, &f, t);
            }
        }
    }
    server_end(&s);
    printf("Commands acknowledged, each client waiting for its answer before it sends the next. "
           "bare: a loop of\nwrite (%d bytes for each client) and fdatasync. paused: commands are "
           "applied as they come; 60 Hz: with\nthe next tick\n\n",
           RECORD_BYTES);
    table_print(t, stdout);
    table_free(t);
    free(f.samples);
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
        server_begin(s, o->program, data);
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

// As many commands a tick as make so many a second; the world is stepped, so that ten minutes of
// its time take less of ours. The log is the same.
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
    server_begin(&s, o->program, data);
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
