// events: prints the events of a world, one on each line.
//
// Lines are collected and written once for each batch of input, so that thousands a second cost
// little. If the reader is slower than the world, the number of missed snapshots is printed (events
// are lost only beyond the server's own limit).
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/cli/commands.h"
#include "client/cli/commands/events.h"
#include "client/cli/params.h"
#include "client/cli/show.h"
#include "client/tool/terminal.h"
#include "common/args/text.h"

enum { KINDS_MAX = 16, KIND_BYTES_MAX = 24, MESSAGE_TEXT_BYTES = 512 };

typedef struct listener {
    cli *c;
    char world[CLI_WORLD_BYTES];
    uint64_t body; // the body whose events are printed; 0: all bodies
    uint64_t left; // number of events still to print
    uint64_t skipped, lost;
    bool over;
    cli_exit code;
    char kinds[KINDS_MAX][KIND_BYTES_MAX];
    const char *names[KINDS_MAX];
    size_t kind_count;
} listener;

// ---- lines

// Texts of others may not move the terminal's cursor.
static void print_message(const carom_event *e)
{
    char text[MESSAGE_TEXT_BYTES];
    show_message(e, text, sizeof text);
    (void)printf("  %s", text);
}

static void print_human(const carom_event *e)
{
    (void)printf("%10" PRIu64 "  %-12s", e->tick, e->name);
    if (e->joint != 0) {
        (void)printf("  joint %" PRIu64, e->joint);
    }
    if (e->a != 0) {
        (void)printf("  %" PRIu64, e->a);
    }
    if (e->b != 0) {
        (void)printf(" %" PRIu64, e->b);
    }
    bool touches =
        e->kind == CAROM_EVENT_BEGIN || e->kind == CAROM_EVENT_STAY || e->kind == CAROM_EVENT_HIT;
    if (touches) {
        (void)printf("  at %.3f, %.3f  normal %.3f, %.3f", e->point.x, e->point.y, e->normal.x,
                     e->normal.y);
    }
    if (touches && e->speed > 0.0) {
        (void)printf("  speed %.3f m/s", e->speed);
    }
    if (e->impulse > 0.0) {
        (void)printf("  impulse %.3f N s", e->impulse);
    }
    if (e->subject != NULL) {
        print_message(e);
    }
    (void)fputc('\n', stdout);
}

static bool is_wanted(const listener *l, uint64_t a, uint64_t b)
{
    return l->left > 0 && (l->body == 0 || l->body == a || l->body == b);
}

static void count_down(listener *l)
{
    l->left -= l->left == UINT64_MAX ? 0 : 1;
    l->over = l->over || l->left == 0;
}

// Prints the events as received, including fields that this client does not know.
static void print_json(listener *l, const carom_snapshot *snapshot)
{
    carom_value *value = carom_snapshot_value(snapshot);
    const carom_value *events = carom_value_get(value, "events");
    if (value == NULL) {
        l->code = cli_out_of_memory();
        l->over = true;
    }
    for (size_t i = 0; i < carom_value_count(events) && l->code == CLI_OK; i++) {
        const carom_value *event = carom_value_at(events, i);
        if (is_wanted(l, carom_get_uint(event, "a", 0), carom_get_uint(event, "b", 0))) {
            l->code = cli_print_json(event);
            count_down(l);
        }
    }
    carom_value_free(value);
}

// Prints a line where events are missing.
static void print_gap(listener *l, const carom_snapshot *snapshot)
{
    if (!l->c->json) {
        (void)printf("%10" PRIu64 "  %-12s  %llu %s\n", snapshot->tick, "events_lost",
                     TEXT_COUNTED(snapshot->events_lost, "event", "events"));
        return;
    }
    carom_value *gap = carom_set(carom_map(), "kind", carom_str("events_lost"));
    carom_set(gap, "tick", carom_uint(snapshot->tick));
    carom_set(gap, "count", carom_uint(snapshot->events_lost));
    l->code = cli_print_json(gap);
    carom_value_free(gap);
}

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    listener *l = user;
    l->skipped += snapshot->skipped;
    l->lost += snapshot->events_lost;
    if (snapshot->events_lost > 0) {
        print_gap(l, snapshot);
    }
    if (l->c->json) {
        print_json(l, snapshot);
        return;
    }
    for (size_t i = 0; i < snapshot->event_count; i++) {
        if (is_wanted(l, snapshot->events[i].a, snapshot->events[i].b)) {
            print_human(&snapshot->events[i]);
            count_down(l);
        }
    }
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    listener *l = user;
    if (strcmp(method, "world_closed") == 0) {
        l->code = cli_world_closed(l->world, params);
        l->over = true;
    }
}

static void on_lost(carom_client *client, carom_status status, const char *reason, void *user)
{
    (void)client;
    (void)status;
    (void)user;
    cli_hint("the connection was lost (%s); trying again", reason);
}

// Stops listening if the server has forgotten the world, and the subscription with it.
static void on_resumed(carom_client *client, const carom_value *hello, void *user)
{
    (void)client;
    listener *l = user;
    if (carom_value_count(carom_value_get(hello, "subscriptions")) > 0) {
        cli_hint("connected again");
    } else {
        cli_error("not_found", "the world has ended while the connection was lost");
        l->code = CLI_REFUSED;
        l->over = true;
    }
}

// ---- choosing kinds of events

static cli_exit add_kind(listener *l, const char *word)
{
    char error[ARGS_ERROR_MAX];
    if (!args_value_check("--kind", ARGS_CHOICE, EVENT_KINDS, word, error)) {
        return cli_usage(l->c, "%s", error);
    }
    for (size_t i = 0; i < l->kind_count; i++) {
        if (strcmp(l->names[i], word) == 0) {
            return CLI_OK;
        }
    }
    (void)snprintf(l->kinds[l->kind_count], KIND_BYTES_MAX, "%s", word);
    l->names[l->kind_count] = l->kinds[l->kind_count];
    l->kind_count++;
    return CLI_OK;
}

static cli_exit add_all(listener *l, bool with_stay)
{
    char word[KIND_BYTES_MAX];
    cli_exit code = CLI_OK;
    for (size_t i = 0; code == CLI_OK && args_choice(EVENT_KINDS, i, word, sizeof word); i++) {
        if (with_stay || strcmp(word, "stay") != 0) {
            code = add_kind(l, word);
        }
    }
    return code;
}

// Reads the kinds of all --kind options, each a word or several separated by commas; without any,
// all kinds but stay.
static cli_exit choose_kinds(listener *l)
{
    cli_exit code = CLI_OK;
    for (size_t i = 0; i < l->c->args.given_count; i++) {
        const args_given *given = &l->c->args.given[i];
        if (strcmp(given->option->name, "kind") != 0) {
            continue;
        }
        for (const char *at = given->value; code == CLI_OK && *at != '\0'; at += strspn(at, ",")) {
            char word[KIND_BYTES_MAX];
            size_t size = strcspn(at, ",");
            (void)snprintf(word, sizeof word, "%.*s", (int)size, at);
            code = strcmp(word, "all") == 0 ? add_all(l, true) : add_kind(l, word);
            at += size;
        }
    }
    return code == CLI_OK && l->kind_count == 0 ? add_all(l, false) : code;
}

// ---- the command

static cli_exit subscribe(listener *l)
{
    cli *c = l->c;
    carom_subscribe_options options = carom_subscribe_options_default();
    options.bodies = false;
    options.events = l->names;
    options.event_count = l->kind_count;
    options.rate = args_number(&c->args, "rate", 0.0);
    options.has_area = args_numbers(&c->args, "area", options.area);
    options.follow = args_whole(&c->args, "follow", 0);
    carom_error error = {0};
    if (carom_subscribe(c->client, l->world, &options, c->timeout_ms, NULL, &error) != CAROM_OK) {
        return cli_fail(c, &error);
    }
    return CLI_OK;
}

static cli_exit listen_until_over(listener *l)
{
    double until = cli_now() + args_seconds(&l->c->args, "for", 1e9);
    carom_error error = {0};
    while (!l->over && terminal_interrupted() == 0 && !ferror(stdout)) {
        double left = until - cli_now();
        if (left <= 0.0) {
            break;
        }
        carom_status status =
            carom_poll(l->c->client, left < 0.2 ? (int)(left * 1000.0) + 1 : 200, &error);
        (void)fflush(stdout);
        if (status != CAROM_OK && !l->over) {
            return cli_lost(l->c, &error);
        }
    }
    return l->code;
}

cli_exit events_run(cli *c, events_begin *begin, events_end *end)
{
    listener l = {.c = c,
                  .body = args_whole(&c->args, "body", 0),
                  .left = args_whole(&c->args, "count", UINT64_MAX)};
    carom_handlers handlers = {
        .user = &l,
        .snapshot = on_snapshot,
        .notification = on_notification,
        .lost = on_lost,
        .resumed = on_resumed,
    };
    cli_exit code = cli_check_rate(c, "rate");
    code = code == CLI_OK ? choose_kinds(&l) : code;
    if (code != CLI_OK || l.left == 0) { // a script asks for no events, and gets none
        return code;
    }
    if (!terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    (void)setvbuf(stdout, NULL, _IOFBF, 1 << 16);
    code = cli_connect_lasting(c, &handlers);
    code = code == CLI_OK ? begin(c, l.world) : code;
    const bool begun = code == CLI_OK;
    code = code == CLI_OK ? subscribe(&l) : code;
    code = code == CLI_OK ? listen_until_over(&l) : code;
    if (begun && end != NULL && !l.over) {
        code = end(c, l.world, code);
    }
    if (l.skipped > 0 || l.lost > 0) {
        cli_hint("%llu %s merged because this reader was slow; %llu %s lost",
                 TEXT_COUNTED(l.skipped, "snapshot was", "snapshots were"),
                 TEXT_COUNTED(l.lost, "event was", "events were"));
    }
    if (c->client != NULL) {
        // The handlers refer to the listener, which ends here
        carom_set_handlers(c->client, &(carom_handlers){0});
    }
    return code;
}

static cli_exit name_world(cli *c, char world[CLI_WORLD_BYTES])
{
    (void)snprintf(world, CLI_WORLD_BYTES, "%s", args_word(&c->args, 0));
    return CLI_OK;
}

static cli_exit run_events(cli *c)
{
    return events_run(c, name_world, NULL);
}

const cli_command command_events = {
    .name = "events",
    .group = "Look",
    .summary = "print the events of a world as they happen, one a line",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"kind", 'k', ARGS_KINDS, "KIND,...",
             "only these kinds; all for every one (default: all but stay)", EVENT_KINDS},
            {"body", 'b', ARGS_BODY, "ID", "only those that involve this body", NULL},
            {"area", 'a', ARGS_AREA, "X0,Y0,X1,Y1", "only those of bodies inside", NULL},
            {"follow", 0, ARGS_BODY, "ID", "the area moves with this body and is relative to it",
             NULL},
            {"count", 'n', ARGS_WHOLE, "N", "end after N events", NULL},
            {"for", 0, ARGS_SECONDS, "TIME", "end after that time", NULL},
            {"rate", 'r', ARGS_NUMBER, "N", "batches a second at most (default: one a tick)", NULL},
            {0}},
    .details =
        "Kinds: begin, end, stay, hit, sensor_begin, sensor_end, sleep, wake, spawn, "
        "remove, joint_break,\n"
        "freeze, message, join, leave. A line shows the tick, the kind, the bodies and, where the "
        "kind has\nthem, place, normal, speed and impulse; a message's sender, name and data; who "
        "took or freed which\nseat. hit comes of shapes that ask for it ('carom spawn --events "
        "contact,hit').\n"
        "A line events_lost says how many are missing where this reader was too\nslow for the "
        "server to keep them.",
    .examples = "  carom events demo\n  carom events demo --kind begin,end --body 3\n"
                "  carom events demo --kind hit --json | jq 'select(.speed > 10)'\n"
                "  carom events demo --follow 3 --area -10,-10,10,10\n"
                "  carom events demo --count 100 --for 10s",
    .run = run_events,
};
