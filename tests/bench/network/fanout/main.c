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

static const char USAGE[] =
    "Usage: carom-bench-fanout CAROMD [--sizes BYTES,…] [--subscribers N,…] [--seconds S]\n"
    "                                 [--rounds N] [--only SERVER,…] [--io-threads N] [--spread]\n"
    "                                 [--json FILE] [--svg DIR]\n"
    "Sizes from 64 to 65536 bytes (64,256,1024,4096,16384,65536), subscribers (200,1000,4000),\n"
    "S seconds for each figure of a round (2), rounds (3); servers: caromd, redis, nats, bare;\n"
    "N network threads of caromd (its default). All processes run on one processor, with --spread\n"
    "on any. --json and --svg: the table for programs, and plots.\n";

typedef struct options {
    const char *program, *only, *io_threads, *json, *svg;
    double sizes[LIST_MAX], subscribers[LIST_MAX];
    int size_count, subscriber_count, rounds;
    double seconds;
    bool spread;
} options;

// ---- options

static double parse_number(const char *option, const char *text, double least, double most,
                           const char **end)
{
    char *after;
    double value = strtod(text, &after);
    bool ends = end != NULL ? *after == ',' || *after == '\0' : *after == '\0';
    if (after == text || !ends || !(value >= least && value <= most)) {
        fprintf(stderr, "carom-bench-fanout: %s: %g to %g, not %s\n", option, least, most, text);
        exit(2);
    }
    if (end != NULL) {
        *end = after;
    }
    return value;
}

static int parse_list(const char *option, const char *text, double least, double most,
                      double out[LIST_MAX])
{
    int count = 0;
    for (bool more = true; more && count < LIST_MAX; text++) {
        out[count++] = floor(parse_number(option, text, least, most, &text));
        more = *text == ',';
    }
    return count;
}

static options parse(int argc, char **argv)
{
    options o = {.program = argc > 1 ? argv[1] : "", .rounds = 3, .seconds = 2.0};
    o.size_count =
        parse_list("--sizes", "64,256,1024,4096,16384,65536", 64, SIZE_MAX_BYTES, o.sizes);
    o.subscriber_count =
        parse_list("--subscribers", "200,1000,4000", 1, SUBSCRIBERS_MAX, o.subscribers);
    for (int i = 2; i < argc; i += 2) {
        if (strcmp(argv[i], "--spread") == 0) {
            o.spread = true;
            i--;
            continue;
        }
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--sizes") == 0) {
            o.size_count = parse_list("--sizes", value, 64, SIZE_MAX_BYTES, o.sizes);
        } else if (strcmp(argv[i], "--subscribers") == 0) {
            o.subscriber_count =
                parse_list("--subscribers", value, 1, SUBSCRIBERS_MAX, o.subscribers);
        } else if (strcmp(argv[i], "--seconds") == 0) {
            o.seconds = parse_number("--seconds", value, 0.1, 600, NULL);
        } else if (strcmp(argv[i], "--rounds") == 0) {
            o.rounds = (int)parse_number("--rounds", value, 1, ROUNDS_MAX, NULL);
        } else if (strcmp(argv[i], "--only") == 0) {
            o.only = value;
        } else if (strcmp(argv[i], "--io-threads") == 0) {
            o.io_threads = value;
        } else if (strcmp(argv[i], "--json") == 0) {
            o.json = value;
        } else if (strcmp(argv[i], "--svg") == 0) {
            o.svg = value;
        } else {
            o.program = "";
        }
    }
    if (*o.program == '\0' || *o.program == '-') {
        fputs(USAGE, stderr);
        exit(2);
    }
    struct stat folder;
    if (o.svg != NULL && (stat(o.svg, &folder) != 0 || !S_ISDIR(folder.st_mode))) {
        fprintf(stderr, "carom-bench-fanout: --svg: '%s' is no folder\n", o.svg);
        exit(2);
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
