// doctor: checks everything between this terminal and the worlds, and says how to fix faults. Main
// thread only.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/show.h"
#include "common/args/text.h"

enum { PINGS = 20, TEXT_MAX = 256 };

// Findings above these limits are warnings.
#define ROUND_TRIP_MAX_S   0.1
#define LATE_SHARE_MAX     0.01 // share of all ticks
#define RATE_SHARE_MIN     0.95 // share of a world's hz; a lower limit
#define LIMIT_SHARE_MAX    0.8
#define RELAY_LAG_MAX_S    1.0 // without a record of a relay's world
#define STANDBY_LAG_MAX_MS 1000.0

typedef enum verdict { GOOD, WARNING } verdict;

typedef struct doctor {
    cli *c;
    carom_value *findings;
} doctor;

static void find(doctor *d, verdict v, const char *check, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void find(doctor *d, verdict v, const char *check, const char *format, ...)
{
    static const char *const names[] = {"ok", "warning"};
    char text[TEXT_MAX];
    va_list values;
    va_start(values, format);
    (void)vsnprintf(text, sizeof text, format, values);
    va_end(values);
    if (d->c->json) {
        carom_value *one = carom_set(carom_map(), "check", carom_str(check));
        carom_set(one, "verdict", carom_str(names[v]));
        d->findings = carom_push(d->findings, carom_set(one, "text", carom_str(text)));
    } else {
        cli_print_line("%-8s %-12s %s", names[v], check, text);
    }
}

// ---- this side

static void check_terminal(doctor *d)
{
    const char *term = getenv("TERM");
    if (!isatty(STDOUT_FILENO)) {
        find(d, GOOD, "terminal", "the output is no terminal: no colours, watch prints frames");
    } else if (term == NULL || strcmp(term, "dumb") == 0) {
        find(d, WARNING, "terminal",
             "TERM is not set: watch prints frames instead of a live picture");
    } else if (!d->c->utf8) {
        find(d, WARNING, "terminal", "the locale has no UTF-8: pictures use plain characters");
    } else {
        find(d, GOOD, "terminal", "%s with UTF-8", term);
    }
}

// ---- the connection

static void check_hello(doctor *d)
{
    const carom_value *hello = carom_hello(d->c->client);
    const char *version = carom_get_str(hello, "version", "?");
    const char *role = carom_get_str(hello, "role", "?");
    find(d, GOOD, "server", "caromd %s at %s, protocol %llu", version, d->c->server,
         (unsigned long long)carom_get_uint(hello, "protocol", 0));
    if (strcmp(version, CAROM_VERSION) != 0) {
        find(d, WARNING, "version",
             "this client is %s, the server %s: some commands may be unknown", CAROM_VERSION,
             version);
    } else {
        find(d, GOOD, "version", "client and server are both %s", version);
    }
    find(d, strcmp(role, "admin") == 0 ? GOOD : WARNING, "role", "%s%s", role,
         strcmp(role, "admin") == 0 ? ""
                                    : ": a token (--token-file, CAROM_TOKEN) may give more rights");
}

static int compare_numbers(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;
    return x < y ? -1 : x > y ? 1 : 0;
}

static cli_exit check_round_trip(doctor *d)
{
    double times[PINGS];
    char middle[32];
    char slowest[32];
    carom_error error = {0};
    for (int i = 0; i < PINGS; i++) {
        if (carom_ping(d->c->client, d->c->timeout_ms, &times[i], NULL, &error) != CAROM_OK) {
            return cli_fail(d->c, &error);
        }
    }
    qsort(times, PINGS, sizeof times[0], compare_numbers);
    text_from_seconds(times[PINGS / 2], middle, sizeof middle);
    text_from_seconds(times[PINGS - 1], slowest, sizeof slowest);
    find(d, times[PINGS / 2] > ROUND_TRIP_MAX_S ? WARNING : GOOD, "round trip",
         "median %s, slowest %s of %d", middle, slowest, PINGS);
    return CLI_OK;
}

// ---- the server

static void check_ticks(doctor *d, const carom_value *stats)
{
    double ticks = carom_get_real(stats, "counters.ticks", 0.0);
    double late = carom_get_real(stats, "counters.ticks_late", 0.0);
    double share = ticks > 0.0 ? late / ticks : 0.0;
    find(d, share > LATE_SHARE_MAX ? WARNING : GOOD, "ticks", "%.0f of %.0f began late (%.2f %%)%s",
         late, ticks, share * 100.0,
         share > LATE_SHARE_MAX ? ": the machine is too busy; 'carom top' shows the worlds" : "");
    double skipped = carom_get_real(stats, "counters.snapshots_skipped", 0.0);
    double sent = carom_get_real(stats, "counters.snapshots_sent", 0.0);
    find(d, skipped > 0.1 * sent && sent > 0.0 ? WARNING : GOOD, "readers",
         "%.0f snapshots sent, %.0f merged for slow readers", sent, skipped);
    const double lost = carom_get_real(stats, "counters.events_lost", 0.0);
    if (lost > 0.0) {
        find(d, WARNING, "events",
             "%.0f were lost to readers that were more than events_kept of them behind", lost);
    }
    double malformed = carom_get_real(stats, "counters.messages_malformed", 0.0);
    if (malformed > 0.0) {
        find(d, WARNING, "messages", "%.0f were malformed: some client does not speak the protocol",
             malformed);
    }
}

static void check_worlds(doctor *d, const carom_value *worlds)
{
    size_t slow = 0;
    size_t unserved = 0;
    for (size_t i = 0; i < carom_value_count(worlds); i++) {
        const carom_value *world = carom_value_at(worlds, i);
        double hz = carom_get_real(world, "hz", 0.0);
        double rate = carom_get_real(world, "rate", hz);
        const char *name = carom_get_str(world, "world", "");
        const char *why = carom_get_str(world, "unavailable", "");
        if (*why != '\0') {
            find(d, WARNING, "world", "%s %s", name, why);
            unserved++;
        }
        bool young = carom_get_real(world, "time", 0.0) < 2.0; // the rate covers the last seconds
        if (!carom_get_bool(world, "paused", false) && !young && rate < RATE_SHARE_MIN * hz) {
            find(d, WARNING, "world", "%s does %.1f of %g ticks a second, a step takes %.2f ms",
                 name, rate, hz, carom_get_real(world, "step_ms", 0.0));
            slow++;
        }
        uint64_t frozen = carom_get_uint(world, "frozen", 0);
        if (frozen > 0) {
            find(d, WARNING, "world", "%s: %llu %s the bounds and %s frozen", name,
                 TEXT_COUNTED(frozen, "body left", "bodies left"), frozen == 1 ? "was" : "were");
        }
    }
    if (slow == 0) {
        find(d, GOOD, "worlds", "%zu, all in time", carom_value_count(worlds) - unserved);
    }
}

// Only a server of a fleet has these counters.
static void check_fleet(doctor *d, const carom_value *stats)
{
    const double nodes = carom_get_real(stats, "counters.fleet_nodes", 0.0);
    if (nodes > 0.0) {
        const bool away = carom_get_real(stats, "counters.fleet_store_unanswered", 0.0) > 0.0;
        find(d, away ? WARNING : GOOD, "fleet", "%.0f %s, %.0f %s; %s", nodes,
             nodes == 1.0 ? "server" : "servers",
             carom_get_real(stats, "counters.fleet_worlds", 0.0),
             carom_get_real(stats, "counters.fleet_worlds", 0.0) == 1.0 ? "world" : "worlds",
             away ? "etcd does not answer: worlds run on, and none can be made or moved"
                  : "etcd answers");
    }
}

// A standby that is far behind delays the answers of its world; a replicated world without one
// waits for the restart of its server.
static void check_standbys(doctor *d, const carom_value *stats, const carom_value *worlds)
{
    const double standbys = carom_get_real(stats, "counters.fleet_standbys", 0.0);
    const double lag_ms = carom_get_real(stats, "counters.fleet_standby_lag_ms", 0.0);
    size_t bare = 0;
    for (size_t i = 0; i < carom_value_count(worlds); i++) {
        const carom_value *world = carom_value_at(worlds, i);
        if (strcmp(carom_get_str(world, "durability", ""), "replicated") == 0 &&
            carom_value_get(world, "standby") == NULL) {
            find(d, WARNING, "standby",
                 "%s is replicated and has no standby: nothing takes over from this server",
                 carom_get_str(world, "world", "?"));
            bare++;
        }
    }
    if (standbys > 0.0) {
        const bool behind = lag_ms > STANDBY_LAG_MAX_MS;
        find(d, behind ? WARNING : GOOD, "standbys", "%.0f %s; the farthest is %.0f ms behind",
             standbys, standbys == 1.0 ? "world has one" : "worlds have one", lag_ms);
    }
}

// Only a relay has these counters.
static void check_relay(doctor *d, const carom_value *stats, const carom_value *worlds)
{
    const double upstreams = carom_get_real(stats, "counters.relay_upstreams", 0.0);
    const double connected = carom_get_real(stats, "counters.relay_connected", 0.0);
    if (upstreams == 0.0) {
        return;
    }
    find(d, connected < upstreams ? WARNING : GOOD, "relay", "%.0f of %.0f %s", connected,
         upstreams, upstreams == 1.0 ? "upstream answers" : "upstreams answer");
    for (size_t i = 0; i < carom_value_count(worlds); i++) {
        const carom_value *world = carom_value_at(worlds, i);
        const double lag = carom_get_real(world, "lag", 0.0);
        if (lag > RELAY_LAG_MAX_S) {
            find(d, WARNING, "relay", "%s: nothing came from %s for %.1f s",
                 carom_get_str(world, "world", "?"), carom_get_str(world, "relay_of", "?"), lag);
        }
    }
}

static void check_limit(doctor *d, const carom_value *info, const char *use, const char *limit)
{
    char path[64];
    (void)snprintf(path, sizeof path, "limits.%s", limit);
    double used = carom_get_real(info, use, 0.0);
    double most = carom_get_real(info, path, 0.0);
    if (most > 0.0) {
        find(d, used > LIMIT_SHARE_MAX * most ? WARNING : GOOD, use, "%.0f of %.0f", used, most);
    }
}

static cli_exit check_server(doctor *d)
{
    carom_value *info = NULL;
    carom_value *stats = NULL;
    carom_value *worlds = NULL;
    cli_exit code = cli_call(d->c, "server.info", NULL, &info);
    code = code == CLI_OK ? cli_call(d->c, "server.stats", NULL, &stats) : code;
    code = code == CLI_OK ? cli_call(d->c, "world.list", NULL, &worlds) : code;
    if (code == CLI_OK) {
        check_limit(d, info, "sessions", "connections");
        check_ticks(d, stats);
        check_fleet(d, stats);
        check_standbys(d, stats, worlds);
        check_relay(d, stats, worlds);
        check_worlds(d, worlds);
    }
    carom_value_free(worlds);
    carom_value_free(stats);
    carom_value_free(info);
    return code;
}

static cli_exit run_doctor(cli *c)
{
    doctor d = {.c = c, .findings = carom_array()};
    check_terminal(&d);
    (void)fflush(stdout);
    cli_exit code = cli_connect(c, NULL);
    if (code == CLI_OK) {
        check_hello(&d);
        code = check_round_trip(&d);
    }
    code = code == CLI_OK ? check_server(&d) : code;
    if (code == CLI_OK && c->json) {
        code = cli_print_json(d.findings);
    }
    carom_value_free(d.findings);
    return code;
}

const cli_command command_doctor = {
    .name = "doctor",
    .group = "Server",
    .summary = "check the terminal, the connection, the server and its worlds",
    .details = "Prints a line for each check: ok or warning. Exits with 3 when no server answers.",
    .examples = "  carom doctor\n  carom doctor --json | jq '.[] | select(.verdict != \"ok\")'",
    .run = run_doctor,
};
