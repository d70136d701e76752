// The server's memory per connection and per subscription: differences of resident memory, divided
// by thousands of them.
//
// Each case has a server of its own: otherwise memory freed by an earlier case would be used again.
// The kernel's socket buffers are not included.
#include <stdio.h>
#include <unistd.h>

#include "tests/bench/caromd.h"
#include "tests/bench/network/crowd.h"
#include "tests/bench/network/parts.h"

enum { CLIENTS = 3000, BALLS = 1000 };

#define SETTLE_US   300000
#define SECONDS     2.0
#define SNAPSHOT_HZ 10.0

typedef struct memory_case {
    const char *name, *encoding;
    double area; // side [m]; 0: the whole world
} memory_case;

static const memory_case CASES[] = {
    {"plain", "plain", 0.0},
    {"packed", "packed", 0.0},
    {"log", "log", 0.0},
    {"plain, own area", "plain", 20.0},
    {"packed, own area", "packed", 20.0},
};

typedef struct memory_found {
    double connection, subscription; // [bytes]
} memory_found;

static memory_found run_case(const bench_run *run, const memory_case *m)
{
    const int count = CLIENTS < run->most ? CLIENTS : run->most;
    const crowd_plan plan = {.watchers = count,
                             .encoding = m->encoding,
                             .width = m->area,
                             .height = m->area,
                             .snapshots = SNAPSHOT_HZ,
                             .cpu = -1};
    const double seconds = run->seconds > 0.0 ? run->seconds : SECONDS;
    bench_server s;
    server_begin(&s, run->caromd, NULL, -1);
    carom_client *control = control_open(&s);
    arena a = arena_make(control, "arena", 60.0, BALLS);
    arena_resume(control, &a);
    usleep(SETTLE_US);
    const double before = server_memory(&s);
    crowd *clients = crowd_open(&s, &plan);
    usleep(SETTLE_US);
    const double connected = server_memory(&s);
    crowd_start(clients, &a, 1);
    crowd_subscribe(clients, &a, 1);
    usleep((useconds_t)(seconds * 1e6));
    const double subscribed = server_memory(&s);
    const server_counts n = control_counts(control);
    crowd_stop(clients);
    crowd_close(clients);
    arena_deinit(&a);
    carom_free(control);
    server_end(&s);
    if (n.requests_failed > 0.0) {
        give_up("a subscription was refused");
    }
    return (memory_found){(connected - before) / count, (subscribed - connected) / count};
}

void part_memory(const bench_run *run)
{
    static const char *const HEADS[] = {"<subscription", "a connection [bytes]",
                                        "a subscription [bytes]", NULL};
    char title[200];
    table *t = table_create(HEADS);
    for (size_t i = 0; i < sizeof CASES / sizeof *CASES; i++) {
        const memory_found f = run_case(run, &CASES[i]);
        table_text(t, CASES[i].name);
        table_number(t, f.connection, 3);
        table_number(t, f.subscription, 3);
    }
    snprintf(title, sizeof title,
             "The server's memory, resident, over %d clients; a world of %d moving bodies, "
             "snapshots at %.0f Hz:",
             CLIENTS < run->most ? CLIENTS : run->most, BALLS, SNAPSHOT_HZ);
    report_add(run->report, "memory", title, t);
}
