// carom-bench-fanout: what it costs a server to send the same message to many.
//
// For each size of message and number of subscribers, in turn: caromd, redis-server, nats-server
// and a bare loop of writes, each in a process of its own with as many subscribers, at the same
// rate. The figure is the processor time of the server's process, user and system, divided by the
// number of messages received by the subscribers' process, in microseconds. A ratio is the median
// of the rounds' ratios.
//
// All messages of a row have the same number of bytes on the wire, determined by caromd's world: a
// plain snapshot with as many moving bodies as come near the requested size. Below PLAIN_BYTES_MIN
// it is the log of a world at rest, whose notifications are the smallest that are sent every tick.
//
// All processes share one processor unless an option spreads them. Sharing excludes the cost of
// memory that two processors write to, which would depend on where the system places a process.
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/bench/network/fanout/plots.h"
#include "tests/bench/network/fanout/readers.h"
#include "tests/bench/network/fanout/servers.h"
#include "tests/bench/network/report.h"
#include "tests/bench/processor.h"
#include "tests/bench/statistics.h"
#include "tests/bench/table.h"
#include "tests/support/command_line.h"

enum {
    LIST_MAX = 16,
    ROUNDS_MAX = 25,
    SUBSCRIBERS_MAX = 20000,
    SIZE_MAX_BYTES = 1 << 20,
    PLAIN_BYTES_MIN = 192, // a snapshot with one body
    PLAIN_HEAD_BYTES = 155,
    PLAIN_ROW_BYTES = 41,
    ASK_BYTES = 256
};

// Deliveries and bytes per second that keep two processors busy.
static const double DELIVERIES_A_SECOND = 30000.0;
static const double BYTES_A_SECOND = 200e6;
static const double RATE_MAX = 60.0;
static const double WARM_S = 0.3;
static const double SHARE_WANTED = 0.95; // share of the due messages that must arrive

static const args_operand OPERANDS[] = {{"CAROMD", ARGS_FILE, true, false, NULL}, {0}};

static const args_option OPTIONS[] = {
    {"sizes", 0, ARGS_TEXT, "BYTES,…", "64 to 1048576 (64,256,1024,4096,16384,65536)", NULL},
    {"subscribers", 0, ARGS_TEXT, "N,…", "1 to 20000 (200,1000,4000)", NULL},
    {"seconds", 0, ARGS_TEXT, "S", "seconds for each figure of a round, 0.1 to 600 (2)", NULL},
    {"rounds", 0, ARGS_TEXT, "N", "rounds, 1 to 25 (3)", NULL},
    {"only", 0, ARGS_TEXT, "SERVER,…", "of caromd, redis, nats, bare (all)", NULL},
    {"io-threads", 0, ARGS_TEXT, "N", "caromd's network threads (its default)", NULL},
    {"spread", 0, ARGS_FLAG, NULL, "processes run on any processor (all on one)", NULL},
    {"json", 0, ARGS_FILE, "FILE", "the table, for programs", NULL},
    {"svg", 0, ARGS_FILE, "DIR", "plots", NULL},
    {0},
};

static const command_line_program PROGRAM = {
    "carom-bench-fanout",
    "CAROMD",
    "Measures a server's time for sending the same message to many subscribers.\n",
    {.operands = OPERANDS, .options = OPTIONS}};

typedef struct options {
    const char *program, *only, *io_threads, *json, *svg;
    double sizes[LIST_MAX], subscribers[LIST_MAX];
    int size_count, subscriber_count, rounds;
    double seconds;
    bool spread;
} options;

static options parse(int argc, char **argv)
{
    command_line line;
    command_line_read(&line, &PROGRAM, argc, argv);
    options o = {
        .program = command_line_word(&line, 0),
        .only = command_line_text(&line, "only", NULL),
        .io_threads = command_line_text(&line, "io-threads", NULL),
        .json = command_line_text(&line, "json", NULL),
        .svg = command_line_text(&line, "svg", NULL),
        .rounds = command_line_count(&line, "rounds", 3, ROUNDS_MAX),
        .seconds = command_line_number(&line, "seconds", 2.0, 0.1, 600),
        .spread = command_line_has(&line, "spread"),
    };
    o.size_count = command_line_numbers(&line, "sizes", "64,256,1024,4096,16384,65536", 64,
                                        SIZE_MAX_BYTES, o.sizes, LIST_MAX);
    o.subscriber_count = command_line_numbers(&line, "subscribers", "200,1000,4000", 1,
                                              SUBSCRIBERS_MAX, o.subscribers, LIST_MAX);
    struct stat folder;
    if (o.svg != NULL && (stat(o.svg, &folder) != 0 || !S_ISDIR(folder.st_mode))) {
        command_line_refuse(&line, "--svg: '%s' is no folder", o.svg);
    }
    return o;
}

static bool is_wanted(const options *o, server_kind kind)
{
    const char *name = SERVER_NAMES[kind];
    const char *at = o->only != NULL ? strstr(o->only, name) : name;
    return at != NULL && servers_found(kind);
}

// ---- one figure

// Measures the server's microseconds per delivery; not finite if nothing arrived. Sets the plan's
// `size` to that of caromd's messages.
static double measure(const options *o, server_kind kind, server_plan *plan)
{
    fanout_server server;
    readers subscribers;
    char ask[ASK_BYTES];
    servers_start(&server, kind, plan);
    size_t asked = servers_ask(kind, plan, ask, sizeof ask);
    readers_start(&subscribers, server.port, plan->subscribers, ask, asked);
    readers_await(&subscribers, 60.0);
    servers_pass(&server, fmax(WARM_S, 1.5 / plan->rate));

    readers_figures *f = subscribers.figures;
    double cpu = servers_cpu(&server);
    double bytes = (double)f->bytes;
    double probe_messages = (double)f->probe_messages;
    double probe_bytes = (double)f->probe_bytes;
    servers_pass(&server, o->seconds);
    cpu = servers_cpu(&server) - cpu;
    bytes = (double)f->bytes - bytes;
    const double heard = (double)f->probe_messages - probe_messages;
    if (kind == SERVER_CAROMD && heard > 0.0) {
        plan->size = (size_t)lrint(((double)f->probe_bytes - probe_bytes) / heard);
    }
    const bool lost = f->lost > 0;
    readers_stop(&subscribers);
    servers_stop(&server);
    if (lost) {
        readers_give_up("a server has ended connections");
    }
    const double deliveries = bytes / (double)plan->size;
    const double due = floor(o->seconds * plan->rate) * plan->subscribers;
    if (deliveries < SHARE_WANTED * due) {
        printf("%s: only %.0f %% of the messages of %zu bytes came to %d subscribers\n",
               SERVER_NAMES[kind], 100.0 * deliveries / due, plan->size, plan->subscribers);
    }
    return 1e6 * cpu / deliveries;
}

static double rate_for(double size, double subscribers)
{
    double rate = fmin(RATE_MAX, DELIVERIES_A_SECOND / subscribers);
    rate = fmin(rate, BYTES_A_SECOND / (size * subscribers));
    return fmax(1.0, floor(rate));
}

// ---- the table

static void ratio(table *t, const double *of, const double *to, int rounds)
{
    double ratios[ROUNDS_MAX];
    for (int i = 0; i < rounds; i++) {
        ratios[i] = of[i] / to[i];
    }
    double middle = median(ratios, (size_t)rounds);
    if (isfinite(middle)) {
        table_ratio(t, middle);
    } else {
        table_skip(t);
    }
}

static void row(const options *o, double size, double subscribers, table *t, fanout_found *found)
{
    static double figures[SERVER_COUNT][ROUNDS_MAX];
    const bool plain = size >= PLAIN_BYTES_MIN;
    server_plan plan = {
        .caromd = o->program,
        .io_threads = o->io_threads,
        .bodies = plain ? (int)fmax(1.0, rint((size - PLAIN_HEAD_BYTES) / PLAIN_ROW_BYTES)) : 0,
        .subscribers = (int)subscribers,
        .rate = rate_for(size, subscribers),
        .size = (size_t)size,
    };
    for (int round = 0; round < o->rounds; round++) {
        for (server_kind kind = 0; kind < SERVER_COUNT; kind++) {
            figures[kind][round] = is_wanted(o, kind) ? measure(o, kind, &plan) : (double)NAN;
        }
    }
    found->bytes = (double)plan.size;
    found->subscribers = subscribers;
    table_number(t, found->bytes, 1);
    table_number(t, subscribers, 1);
    table_number(t, plan.rate, 1);
    ratio(t, figures[SERVER_CAROMD], figures[SERVER_REDIS], o->rounds);
    ratio(t, figures[SERVER_CAROMD], figures[SERVER_NATS], o->rounds);
    ratio(t, figures[SERVER_CAROMD], figures[SERVER_BARE], o->rounds);
    for (server_kind kind = 0; kind < SERVER_COUNT; kind++) {
        double middle = median(figures[kind], (size_t)o->rounds);
        found->us[kind] = middle;
        if (isfinite(middle)) {
            table_number(t, middle, 3);
        } else {
            table_skip(t);
        }
    }
}

int main(int argc, char **argv)
{
    options o = parse(argc, argv);
    static const char *const HEADS[] = {
        "bytes",       "subscribers", "rate [Hz]", "caromd to redis", "to nats", "to bare",
        "caromd [us]", "redis [us]",  "nats [us]", "bare [us]",       NULL};
    if (!o.spread) {
        (void)processor_pin(processor_last());
    }
    static fanout_found found[LIST_MAX * LIST_MAX];
    int found_count = 0;
    report *r = report_create("carom-bench-fanout", o.svg);
    table *t = table_create(HEADS);
    for (int i = 0; i < o.size_count; i++) {
        for (int k = 0; k < o.subscriber_count; k++) {
            int fit = readers_fit_descriptors((int)o.subscribers[k]);
            if (fit < (int)o.subscribers[k]) {
                fprintf(stderr, "carom-bench-fanout: descriptors for %d subscribers, not for %d\n",
                        fit, (int)o.subscribers[k]);
                return 1;
            }
            fprintf(stderr, "%g bytes to %g subscribers\n", o.sizes[i], o.subscribers[k]);
            row(&o, o.sizes[i], o.subscribers[k], t, &found[found_count++]);
        }
    }
    report_add(r, "fanout",
               "Processor time of the server for each message that came to a subscriber:", t);
    fanout_draw(r, found, found_count);
    int code = 0;
    if (o.json != NULL && !report_write_json(r, o.json)) {
        fprintf(stderr, "carom-bench-fanout: --json: cannot write '%s'\n", o.json);
        code = 1;
    }
    report_free(r);
    return code;
}
