// watch: a live picture of a world of the server. Main thread only.
//
// The world comes by a subscription of encoding plain or packed, or of encoding log with a replica
// beside it, which then makes the snapshots for the picture; with --predict they show the world as
// it will be when a command sent now reaches the server.
#include <poll.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include <carom/prediction.h>
#include <carom/replica.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/picture/screen.h"
#include "client/tool/terminal.h"

#define RATE 30.0 // snapshots per second: more are hard to see in a terminal

typedef struct watch {
    cli *c;
    screen screen;
    double rate;                  // requested rate; 0: every tick
    bool subscribed;              // the answer to the subscription has arrived
    bool contacts;                // the subscription has contacts, most of its bytes
    carom_error refused;          // reason of a refusal
    carom_replica *replica;       // NULL: the server's own snapshots are shown
    bool moved;                   // the replica has a state that is not shown yet
    carom_prediction *prediction; // NULL: the replica's state is shown
    double predicted, figures;    // when the prediction was last shown, and when its figures were
    uint64_t lines_left;          // --json: snapshots to print
    bool away;                    // the server or the connection is lost: the watch reconnects
    double away_since, next_try;
    carom_error gone; // why
} watch;

static const char *world_of(const watch *w)
{
    return args_word(&w->c->args, 0);
}

// ---- a server that restarts

static void show(watch *w, const char *text)
{
    stage_notice(&w->screen.stage, text, cli_now());
    w->screen.dirty = true;
}

// Shows a text on the screen, or on standard error when frames are printed.
static void say(watch *w, const char *text)
{
    show(w, text);
    if (screen_prints_frames(w->c)) {
        cli_note(w->c, "%s", text);
    }
}

static void go_away(watch *w, const carom_error *why)
{
    if (!w->away) {
        w->away = true;
        w->gone = *why;
        w->away_since = w->next_try = cli_now();
        say(w, "the server is gone: trying to come back");
    }
}

// ---- callbacks of the connection

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    watch *w = user;
    carom_error error = {0};
    w->screen.dirty = true;
    if (w->replica != NULL) {
        w->moved = (w->prediction != NULL
                        ? carom_prediction_feed(w->prediction, snapshot, cli_now(), &error)
                        : carom_replica_feed(w->replica, snapshot->encoded, snapshot->encoded_size,
                                             &error)) == CAROM_OK;
        if (!w->moved && !w->screen.quit) {
            terminal_close();
            cli_error(carom_status_name(error.status), "the replica cannot go on: %s", error.text);
            w->screen.code = CLI_REFUSED;
            w->screen.quit = true;
        }
    } else if (!w->c->json) {
        stage_describe(&w->screen.stage, snapshot);
    } else if (w->lines_left > 0) { // one read of the socket may bring several
        w->lines_left--;
        carom_value *value = carom_snapshot_value(snapshot);
        w->screen.code = value != NULL ? cli_print_json(value) : cli_out_of_memory();
        carom_value_free(value);
    }
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    watch *w = user;
    if (strcmp(method, "world_closed") != 0) {
        return;
    }
    if (strcmp(carom_get_str(params, "code", ""), "unavailable") == 0) {
        carom_error why = {.status = CAROM_UNAVAILABLE, .from_server = true};
        (void)snprintf(why.text, sizeof why.text, "%s", carom_get_str(params, "reason", ""));
        go_away(w, &why);
    } else {
        terminal_close();
        w->screen.code = cli_world_closed(world_of(w), params);
        w->screen.quit = true;
    }
}

// The view is attached here, before any snapshot of the subscription is handled.
static void on_subscribed(carom_client *client, uint64_t request, const carom_value *result,
                          const carom_error *error, void *user)
{
    (void)request;
    watch *w = user;
    w->subscribed = true;
    if (error != NULL) {
        w->refused = *error;
        return;
    }
    uint64_t subscription = carom_get_uint(result, "subscription", 0);
    if (w->replica == NULL) {
        (void)carom_view_attach(w->screen.stage.view, client, subscription, &w->refused);
    }
}

// Called while the library dials again; it resumes the session if the server has kept it.
static void on_lost(carom_client *client, carom_status status, const char *reason, void *user)
{
    (void)client, (void)status, (void)reason;
    show(user, "the connection was lost: trying to come back");
}

static void on_resumed(carom_client *client, const carom_value *hello, void *user)
{
    (void)client, (void)hello;
    show(user, "connected again");
}

// Chooses the rate: by default as many snapshots as a terminal can show, or all of a slower world.
static cli_exit find_rate(watch *w)
{
    w->rate = args_number(&w->c->args, "rate", w->replica != NULL ? 0.0 : RATE);
    if (w->replica != NULL || args_has(&w->c->args, "rate")) {
        return CLI_OK;
    }
    carom_value *info = NULL;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world_of(w)));
    cli_exit code = cli_call(w->c, "world.info", arguments, &info);
    double hz = carom_get_real(info, "hz", RATE);
    w->rate = hz < RATE ? hz : RATE;
    carom_value_free(info);
    return code;
}

// Contacts are most of a snapshot's bytes: only a picture with them asks for them.
static bool contacts_shown(const watch *w)
{
    return w->screen.look.contacts || w->screen.look.normals;
}

static carom_value *subscribe_args(const watch *w)
{
    static const char *const kinds[] = {"begin",  "end",          "hit",        "sleep",
                                        "wake",   "sensor_begin", "sensor_end", "joint_break",
                                        "freeze", "message"};
    carom_subscribe_options options = carom_subscribe_options_default();
    if (w->replica != NULL) {
        options.encoding = "log";
        options.compact = carom_compact(w->c->client);
        options.rate = w->rate;
        return carom_subscribe_args(world_of(w), &options);
    }
    options.rate = w->rate;
    options.encoding = args_text(&w->c->args, "encoding", w->c->json ? "plain" : "packed");
    options.contacts = w->contacts;
    options.events = kinds;
    options.event_count = sizeof kinds / sizeof kinds[0];
    options.budget = args_number(&w->c->args, "budget", 0.0);
    options.follow = w->screen.follow;
    options.has_area = options.follow != 0;
    screen_follow_area(w->c, options.area);
    carom_value *arguments = carom_subscribe_args(world_of(w), &options);
    return w->c->json ? arguments : carom_set(arguments, "describe", carom_bool(true));
}

// Subscribes, with contacts if they are shown.
static carom_status subscribe(watch *w, carom_error *error)
{
    cli *c = w->c;
    w->contacts = contacts_shown(w);
    w->subscribed = false;
    w->refused = (carom_error){0};
    carom_value *arguments = subscribe_args(w);
    carom_status status = carom_request(c->client, "world.subscribe", arguments, c->timeout_ms,
                                        on_subscribed, w, NULL, error);
    carom_value_free(arguments);
    while (status == CAROM_OK && !w->subscribed) {
        status = carom_poll(c->client, c->timeout_ms, error);
    }
    if (status == CAROM_OK && w->refused.status != CAROM_OK) {
        *error = w->refused;
        status = error->status;
    }
    w->screen.stage.contacts = w->contacts;
    return status;
}

// Subscribes again where contacts were switched on or off: world.view does not do that.
static carom_status follow_look(watch *w, carom_error *error)
{
    if (w->replica != NULL || w->contacts == contacts_shown(w)) {
        return CAROM_OK;
    }
    const carom_status status = carom_unsubscribe(
        w->c->client, carom_view_subscription(w->screen.stage.view), CAROM_NO_REPLY, error);
    return status == CAROM_OK ? subscribe(w, error) : status;
}

// With --predict: predicts for this connection, without commands of its own.
static cli_exit predict(watch *w)
{
    carom_error error = {0};
    carom_prediction_free(w->prediction);
    w->prediction = NULL;
    if (!args_has(&w->c->args, "predict")) {
        return CLI_OK;
    }
    const carom_prediction_options options = carom_prediction_options_default();
    const carom_status s =
        carom_prediction_create(w->c->client, w->replica, &options, &w->prediction, &error);
    return s == CAROM_OK ? CLI_OK : cli_fail(w->c, &error);
}

// Connects, replacing a lost connection if there was one, and subscribes.
static cli_exit begin(watch *w)
{
    cli *c = w->c;
    carom_error error = {0};
    carom_client *old = c->client;
    carom_handlers handlers = {.user = w,
                               .snapshot = on_snapshot,
                               .notification = on_notification,
                               .lost = on_lost,
                               .resumed = on_resumed};
    c->client = NULL;
    // The server then sends a replica a new image
    cli_exit code = cli_connect_lasting(c, &handlers);
    if (code != CLI_OK) {
        c->client = old;
        return code;
    }
    if (old != NULL) {
        carom_prediction_free(w->prediction); // its requests belong to the old connection
        w->prediction = NULL;
        stage_deinit(&w->screen.stage);
        carom_free(old);
    }
    if (!stage_init(&w->screen.stage, c->client, world_of(w), c->timeout_ms)) {
        return cli_out_of_memory();
    }
    code = predict(w);
    if (code != CLI_OK) {
        return code;
    }
    code = find_rate(w);
    return code == CLI_OK && subscribe(w, &error) != CAROM_OK ? cli_fail(c, &error) : code;
}

// ---- the source of the picture

static carom_status come_back(watch *w, int ms, carom_error *error)
{
    double now = cli_now();
    if (now - w->away_since > CLI_AGAIN_MAX_S) {
        *error = w->gone;
        return w->gone.status;
    }
    if (now < w->next_try) {
        int left = (int)((w->next_try - now) * 1000.0) + 1;
        (void)poll(NULL, 0, ms < left ? ms : left);
        return CAROM_OK;
    }
    cli_errors_hush(true);
    w->away = begin(w) != CLI_OK;
    cli_errors_hush(false);
    w->next_try = cli_now() + CLI_AGAIN_S;
    if (!w->away) {
        say(w, "connected again");
    }
    return CAROM_OK;
}

static void show_figures(watch *w, double now)
{
    char text[160];
    carom_error why = {0};
    const carom_prediction_figures f = carom_prediction_figures_now(w->prediction);
    w->figures = now;
    if (!carom_prediction_active(w->prediction, &why)) {
        show(w, why.text);
        return;
    }
    (void)snprintf(text, sizeof text,
                   "%.0f ticks ahead, %.1f %% right, %.1f rollbacks/s of %.1f ticks, RTT %.0f ms",
                   f.lead, 0.1 * floor(1000.0 * f.right), f.rollbacks, f.depth, 1000.0 * f.rtt);
    show(w, text);
}

// Predicts up to now, as often as a terminal can show it.
static carom_status show_prediction(watch *w, carom_error *error)
{
    const double now = cli_now();
    if (w->screen.quit || now - w->predicted < 1.0 / RATE) {
        return CAROM_OK;
    }
    w->predicted = now;
    carom_status s = carom_prediction_frame(w->prediction, now, error);
    if (s == CAROM_OK && carom_replica_now(w->replica).ready) {
        s = screen_show_prediction(&w->screen, w->prediction, error);
    }
    if (now - w->figures >= 1.0) {
        show_figures(w, now);
    }
    return s;
}

static int time_to_show(const watch *w, int ms)
{
    const double left = w->predicted + 1.0 / RATE - cli_now();
    const int most = left > 0.0 ? (int)(1000.0 * left) + 1 : 0;
    return w->prediction != NULL && (ms < 0 || ms > most) ? most : ms;
}

static carom_status work(void *context, int ms, carom_error *error)
{
    watch *w = context;
    if (w->away) {
        return come_back(w, ms, error);
    }
    carom_status s = follow_look(w, error);
    s = s == CAROM_OK ? carom_poll(w->c->client, time_to_show(w, ms), error) : s;
    if (s != CAROM_OK && cli_may_come_back(error)) {
        go_away(w, error);
        return CAROM_OK;
    }
    if (s == CAROM_OK && w->prediction != NULL) {
        return show_prediction(w, error);
    }
    if (s == CAROM_OK && w->moved && !w->screen.quit) {
        w->moved = false;
        s = screen_show_replica(&w->screen, w->replica, error);
    }
    return s;
}

static cli_exit fail(void *context, const carom_error *error)
{
    const watch *w = context;
    return cli_lost(w->c, error);
}

static int wait_for(void *context, struct pollfd *fd)
{
    const watch *w = context;
    if (w->away) {
        double left = w->next_try - cli_now();
        fd->fd = -1;
        return left > 0.0 ? (int)(left * 1000.0) + 1 : 0;
    }
    fd->fd = carom_fd(w->c->client);
    fd->events = (short)(POLLIN | (carom_wants_write(w->c->client) ? POLLOUT : 0));
    return time_to_show(w, carom_timeout_ms(w->c->client));
}

static void traffic(void *context, uint64_t *snapshots, uint64_t *bytes)
{
    const watch *w = context;
    carom_traffic t = carom_client_traffic(w->c->client);
    const bool shows = w->prediction == NULL || carom_prediction_tick(w->prediction) > 0;
    *snapshots = shows ? t.snapshots : 0; // without a picture there are no ticks to measure
    *bytes = t.bytes_in + t.bytes_out;
}

static void toggle_pause(void *context)
{
    watch *w = context;
    stage *s = &w->screen.stage;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world_of(w)));
    const char *method = s->info.paused ? "world.resume" : "world.pause";
    if (carom_send(w->c->client, method, arguments, NULL) == CAROM_OK) {
        stage_set_paused(s, !s->info.paused, cli_now());
    }
    carom_value_free(arguments);
}

// Steps a paused world by one tick, for all of its clients.
static void step(void *context)
{
    watch *w = context;
    if (!w->screen.stage.info.paused) {
        stage_notice(&w->screen.stage, "a step needs a paused world: press space first", cli_now());
        return;
    }
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(world_of(w)));
    (void)carom_send(w->c->client, "world.step", arguments, NULL);
    carom_value_free(arguments);
}

// ---- the command

// Prints snapshots as they arrive, one per line; on_snapshot prints them.
static cli_exit run_json(watch *w)
{
    cli_exit code = CLI_OK;
    carom_error error = {0};
    while (code == CLI_OK && !w->screen.quit && terminal_interrupted() == 0 && !ferror(stdout) &&
           w->lines_left > 0) {
        code = work(w, 100, &error) == CAROM_OK ? w->screen.code : cli_lost(w->c, &error);
        (void)fflush(stdout);
    }
    return code;
}

static cli_exit watch_run(watch *w)
{
    cli *c = w->c;
    if (!terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    cli_exit code = begin(w);
    if (code != CLI_OK) {
        return code;
    }
    return c->json ? run_json(w) : screen_run(&w->screen);
}

static cli_exit check_line(cli *c)
{
    const char *log = args_has(&c->args, "predict")   ? "--predict"
                      : args_has(&c->args, "replica") ? "--replica"
                                                      : NULL;
    cli_exit code = screen_check(c);
    code = code == CLI_OK ? cli_check_rate(c, "rate") : code;
    if (code == CLI_OK && log != NULL && args_has(&c->args, "encoding")) {
        code = cli_usage(c, "%s takes the world's log, so it goes without --encoding", log);
    }
    if (code == CLI_OK && log != NULL && args_has(&c->args, "budget")) {
        code = cli_usage(c, "%s takes all of the world's log, so it goes without --budget", log);
    }
    if (code == CLI_OK && log != NULL && c->json) {
        code = cli_usage(c, "%s shows a picture, --json the server's snapshots", log);
    }
    return code;
}

static cli_exit run_watch(cli *c)
{
    static watch w;
    static screen_source source;
    cli_exit code = check_line(c);
    if (code != CLI_OK) {
        return code;
    }
    source = (screen_source){.context = &w,
                             .work = work,
                             .fail = fail,
                             .wait = wait_for,
                             .traffic = traffic,
                             .toggle_pause = toggle_pause,
                             .step = step};
    w = (watch){.c = c, .lines_left = args_whole(&c->args, "frames", UINT64_MAX)};
    screen_init(&w.screen, c, &source);
    w.screen.follow = args_whole(&c->args, "follow", 0);
    if (args_has(&c->args, "replica") || args_has(&c->args, "predict")) {
        w.replica = carom_replica_create();
        code = w.replica != NULL ? CLI_OK : cli_out_of_memory();
    }
    code = code == CLI_OK ? watch_run(&w) : code;
    carom_prediction_free(w.prediction);
    screen_deinit(&w.screen);
    carom_replica_free(w.replica);
    return code;
}

const cli_command command_watch = {
    .name = "watch",
    .group = "Look",
    .summary = "show a live picture of a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"rate", 'r', ARGS_NUMBER, "N",
             "snapshots a second (default 30 or the world's rate; with --replica one a tick)",
             NULL},
            {"encoding", 'e', ARGS_CHOICE, "WORD",
             "packed (default): positions to 1/1024 m in few bytes; plain: exact (with --json)",
             "plain|packed"},
            {"follow", 0, ARGS_BODY, "ID",
             "stay with this body; --area is then relative to it (default -20,-12,20,12)", NULL},
            {"budget", 0, ARGS_NUMBER, "BYTES",
             "at most that many bytes a second: near and fast bodies first, each in its turn",
             NULL},
            {"replica", 0, ARGS_FLAG, NULL,
             "take the world's log and step the same engine here: a few kbit/s", NULL},
            {"predict", 0, ARGS_FLAG, NULL,
             "the same, and show the world as it will be when a command sent now reaches it", NULL},
            SCREEN_OPTIONS,
            {0}},
    .details =
        "Static bodies are grey, kinematic ones blue, dynamic ones orange, dark when "
        "asleep; sensors violet,\n"
        "joints green, contacts red, normals yellow; contacts are most of the traffic of a heap, "
        "so the\n"
        "server sends them only while they are shown. With --json the snapshots are printed "
        "instead.\n\n"
        "Keys: ? lists them; arrows or hjkl move, + and - zoom, f fits and follows, v shows the "
        "scene's own\n"
        "area, tab or a click picks a body and shows its details, c n i o switch contacts, "
        "normals, ids and\n"
        "joints, space pauses and resumes the world for everybody, . steps a paused world, q "
        "quits.",
    .examples = "  carom watch demo\n  carom watch demo --area -10,0,10,12 --normals\n"
                "  carom watch demo --frames 1 --size 100x30 --color always\n"
                "  carom watch demo --follow 7 --area -8,-5,8,5\n"
                "  carom watch demo --replica\n"
                "  carom watch demo --predict\n"
                "  carom watch demo --encoding plain\n"
                "  carom watch demo --json --frames 10 | jq .tick",
    .run = run_watch,
};
