// watch: a live picture of a world in the terminal. Main thread only.
//
// On a terminal it takes the whole screen and keys; otherwise, or with --frames, it prints one
// frame after another. Both share everything but the way out. Only rows that have changed are
// written, so that a slow line carries a moving world.
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "client/cli/commands.h"
#include "client/cli/params.h"
#include "client/cli/picture/terminal.h"
#include "client/cli/text.h"
#include "client/cli/picture/watch.h"

enum { FRAME_ROWS_MIN = 3, KEYS_LINE_ROWS = 8, COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24 };

#define PICK_REACH_DOTS 6.0 // how far from a body a click may be

#define FPS_MAX 60.0

typedef struct watch {
    cli *c;
    stage stage;
    watch_meter meter;
    watch_look look;
    canvas canvas;
    camera cam;
    bool placed;    // the camera has been set
    bool following; // the camera keeps the moving bodies in view
    bool refit;     // follow rather than show the scene's area
    bool quit;
    bool dirty; // something has changed since the last frame
    cli_exit code;
    bool subscribed;     // the answer has come
    carom_error refused; // and why it was no
    uint64_t seen_changes;
    int columns, rows; // of the whole frame
    char **shown;      // what each row of the terminal holds
    int shown_count;
    char line[CANVAS_ROW_BYTES(CANVAS_COLUMNS_MAX)];
} watch;

// ---- from the connection

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    (void)client;
    watch *w = user;
    w->dirty = true;
    if (!w->c->json) {
        stage_describe(&w->stage, snapshot);
    } else {
        carom_value *value = carom_snapshot_value(snapshot);
        w->code = value != NULL ? cli_print_json(value) : cli_out_of_memory();
        carom_value_free(value);
    }
}

static void on_notification(carom_client *client, const char *method, const carom_value *params,
                            void *user)
{
    (void)client;
    watch *w = user;
    if (strcmp(method, "world_closed") == 0) {
        terminal_close();
        w->code = cli_world_closed(w->stage.world, params);
        w->quit = true;
    }
}

// The view is attached here, before any snapshot of the subscription is looked at.
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
    (void)carom_view_attach(w->stage.view, client, subscription, &w->refused);
}

static carom_value *subscribe_args(const watch *w)
{
    static const char *const kinds[] = {"begin",      "end",         "hit",
                                        "sleep",      "wake",        "sensor_begin",
                                        "sensor_end", "joint_break", "freeze"};
    carom_subscribe_options options = carom_subscribe_options_default();
    options.rate = args_number(&w->c->args, "rate", 30.0);
    options.contacts = true;
    options.events = kinds;
    options.event_count = sizeof kinds / sizeof kinds[0];
    carom_value *arguments = carom_subscribe_args(w->stage.world, &options);
    return w->c->json ? arguments : carom_set(arguments, "describe", carom_bool(true));
}

static cli_exit subscribe(watch *w)
{
    cli *c = w->c;
    carom_error error = {0};
    carom_value *arguments = subscribe_args(w);
    carom_status status = carom_request(c->client, "world.subscribe", arguments, c->timeout_ms,
                                        on_subscribed, w, NULL, &error);
    carom_value_free(arguments);
    while (status == CAROM_OK && !w->subscribed) {
        status = carom_poll(c->client, c->timeout_ms, &error);
    }
    if (status != CAROM_OK || w->refused.status != CAROM_OK) {
        return cli_fail(c, status != CAROM_OK ? &error : &w->refused);
    }
    return CLI_OK;
}

// ---- the frame

static bool resize(watch *w, int columns, int rows)
{
    w->columns = columns < CANVAS_COLUMNS_MAX ? columns : CANVAS_COLUMNS_MAX;
    w->rows = rows < CANVAS_ROWS_MAX ? rows : CANVAS_ROWS_MAX;
    int canvas_rows = w->rows - 1 - (w->rows >= KEYS_LINE_ROWS ? 1 : 0);
    for (int i = 0; i < w->shown_count; i++) {
        free(w->shown[i]);
    }
    free(w->shown);
    w->shown = calloc((size_t)w->rows, sizeof *w->shown);
    w->shown_count = w->shown != NULL ? w->rows : 0;
    w->placed = w->placed && !w->following;
    w->dirty = true;
    return w->shown != NULL &&
           canvas_resize(&w->canvas, w->columns, canvas_rows > 1 ? canvas_rows : 1);
}

// Whether the camera is so far off that following means to move it.
static bool should_move(const watch *w, box wanted)
{
    box view = camera_view(&w->cam, &w->canvas);
    if (wanted.x0 < view.x0 || wanted.y0 < view.y0 || wanted.x1 > view.x1 || wanted.y1 > view.y1) {
        return true;
    }
    return wanted.x1 - wanted.x0 < 0.4 * (view.x1 - view.x0) &&
           wanted.y1 - wanted.y0 < 0.4 * (view.y1 - view.y0);
}

// The area that the scene names as worth seeing. The camera stays there until it is told to follow.
static void look_at_scene(watch *w)
{
    const double *a = w->stage.area;
    w->cam = camera_fit((box){a[0], a[1], a[2], a[3]}, &w->canvas);
    w->following = false;
}

static void place_camera(watch *w)
{
    double area[4];
    if (!w->placed && args_numbers(&w->c->args, "area", area)) {
        w->cam = camera_fit((box){area[0], area[1], area[2], area[3]}, &w->canvas);
        w->following = false;
    } else if (!w->placed && !w->refit && w->stage.has_area) {
        look_at_scene(w);
    } else if (!w->placed || w->following) {
        box wanted = stage_extent(&w->stage);
        if (!w->placed || (!box_is_empty(wanted) && should_move(w, wanted))) {
            w->cam = camera_fit(wanted, &w->canvas);
        }
    }
    w->placed = true;
}

static void compose(watch *w)
{
    carom_view_state state = carom_view_get_state(w->stage.view);
    carom_traffic traffic = carom_client_traffic(w->c->client);
    watch_meter_update(&w->meter, cli_now(), state.tick, traffic.snapshots,
                       traffic.bytes_in + traffic.bytes_out);
    place_camera(w);
    watch_draw(&w->stage, &w->cam, w->look, &w->canvas);
}

static canvas_style style_of(const watch *w)
{
    return (canvas_style){.utf8 = w->c->utf8, .colour = w->c->colour};
}

// ---- frames into a pipe

static void print_frame(watch *w)
{
    watch_status(&w->stage, &w->meter, w->columns, w->line, sizeof w->line);
    (void)printf("%s\n", w->line);
    for (int row = 0; row < w->canvas.rows; row++) {
        (void)canvas_row(&w->canvas, row, style_of(w), w->line);
        (void)printf("%s\n", w->line);
    }
    (void)fflush(stdout);
}

// Lets the connection work until `until`, or until `enough` says so.
static cli_exit wait_for(watch *w, double until, bool (*enough)(const watch *w))
{
    carom_error error = {0};
    for (double now = cli_now(); now < until && !w->quit && !(enough != NULL && enough(w));
         now = cli_now()) {
        int ms = (int)((until - now) * 1000.0) + 1;
        if (carom_poll(w->c->client, ms < 50 ? ms : 50, &error) != CAROM_OK) {
            terminal_close();
            return cli_lost(w->c, &error);
        }
        stage_tend(&w->stage, cli_now());
        w->quit = w->quit || terminal_interrupted() != 0;
    }
    return w->code;
}

static bool is_complete(const watch *w)
{
    return stage_complete(&w->stage);
}

static cli_exit run_frames(watch *w)
{
    double size[2] = {COLUMNS_DEFAULT, ROWS_DEFAULT};
    (void)args_numbers(&w->c->args, "size", size);
    uint64_t count = args_whole(&w->c->args, "frames", UINT64_MAX);
    double interval = args_seconds(&w->c->args, "interval", 1.0);
    // A frame without keys: the row that would list them is the picture's.
    if (!resize(w, (int)size[0], (int)size[1] + (size[1] + 1 >= KEYS_LINE_ROWS ? 1 : 0))) {
        return cli_out_of_memory();
    }
    cli_exit code = wait_for(w, cli_now() + w->c->timeout_ms / 1000.0, is_complete);
    if (code == CLI_OK && !w->quit && !stage_complete(&w->stage)) {
        cli_error("unavailable", "no picture of '%s' within %g s; --timeout gives it longer",
                  w->stage.world, w->c->timeout_ms / 1000.0);
        return CLI_LOST;
    }
    for (uint64_t i = 0; code == CLI_OK && i < count && !w->quit; i++) {
        compose(w);
        if (i > 0) {
            (void)printf("\n");
        }
        print_frame(w);
        if (i + 1 < count) {
            code = wait_for(w, cli_now() + interval, NULL);
        }
    }
    return code;
}

// Snapshots as they come, one a line: on_snapshot prints them.
static cli_exit run_json(watch *w)
{
    uint64_t count = args_whole(&w->c->args, "frames", UINT64_MAX);
    cli_exit code = CLI_OK;
    carom_error error = {0};
    while (code == CLI_OK && !w->quit && terminal_interrupted() == 0 && !ferror(stdout) &&
           carom_client_traffic(w->c->client).snapshots < count) {
        code = carom_poll(w->c->client, 100, &error) == CAROM_OK ? w->code : cli_lost(w->c, &error);
        (void)fflush(stdout);
    }
    return code;
}

// ---- the terminal

static void show_row(watch *w, int row, FILE *out)
{
    if (row >= w->shown_count || (w->shown[row] != NULL && strcmp(w->shown[row], w->line) == 0)) {
        return;
    }
    free(w->shown[row]);
    w->shown[row] = strdup(w->line);
    (void)fprintf(out, "\x1b[%d;1H%s\x1b[K", row + 1, w->line);
}

static void show_frame(watch *w)
{
    compose(w);
    (void)fputs("\x1b[?2026h", stdout); // terminals that know it show the frame at once
    char status[CANVAS_COLUMNS_MAX + 1];
    watch_status(&w->stage, &w->meter, w->columns, status, sizeof status);
    (void)snprintf(w->line, sizeof w->line, w->c->colour ? "\x1b[7m%-*s\x1b[0m" : "%-*s",
                   w->columns, status);
    show_row(w, 0, stdout);
    for (int row = 0; row < w->canvas.rows; row++) {
        (void)canvas_row(&w->canvas, row, style_of(w), w->line);
        show_row(w, row + 1, stdout);
    }
    if (w->rows >= KEYS_LINE_ROWS) {
        watch_keys(&w->stage, w->following, w->columns, w->line, sizeof w->line);
        show_row(w, w->rows - 1, stdout);
    }
    (void)fputs("\x1b[?2026l", stdout);
    (void)fflush(stdout);
    w->dirty = false;
}

static void toggle_pause(watch *w)
{
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(w->stage.world));
    const char *method = w->stage.info.paused ? "world.resume" : "world.pause";
    if (carom_send(w->c->client, method, arguments, NULL) == CAROM_OK) {
        stage_set_paused(&w->stage, !w->stage.info.paused, cli_now());
    }
    carom_value_free(arguments);
}

// One tick of a world that is paused, for everybody.
static void step_world(watch *w)
{
    if (!w->stage.info.paused) {
        stage_notice(&w->stage, "a step needs a paused world: press space first", cli_now());
        return;
    }
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(w->stage.world));
    (void)carom_send(w->c->client, "world.step", arguments, NULL);
    carom_value_free(arguments);
}

// Picks the body under a cell of the terminal, or lets go when there is none nearby.
static void pick_at(watch *w, int column, int row)
{
    point dots = {(column + 0.5) * CANVAS_CELL_WIDTH, (row - 1 + 0.5) * CANVAS_CELL_HEIGHT};
    point at = camera_from_dots(&w->cam, &w->canvas, dots);
    w->look.picked = watch_pick(&w->stage, at, PICK_REACH_DOTS / w->cam.scale);
}

static void pick_next(watch *w, int step)
{
    w->look.picked = watch_pick_next(&w->stage, &w->cam, &w->canvas, w->look.picked, step);
}

static void move(watch *w, double x, double y, double zoom)
{
    w->following = false;
    camera_pan(&w->cam, &w->canvas, x, y);
    camera_zoom(&w->cam, zoom);
}

static void on_key(watch *w, int pressed)
{
    if (key_is_click(pressed)) {
        pick_at(w, key_column(pressed), key_row(pressed));
        w->dirty = true;
        return;
    }
    switch (pressed) {
    case 'q':
    case 'Q':
        w->quit = true;
        break;
    case ' ':
        toggle_pause(w);
        break;
    case 'c':
        w->look.contacts = !w->look.contacts;
        break;
    case 'n':
        w->look.normals = !w->look.normals;
        break;
    case 'i':
        w->look.ids = !w->look.ids;
        break;
    case 'o':
        w->look.joints = !w->look.joints;
        break;
    case 'f':
        w->following = true;
        w->refit = true;
        w->placed = false;
        break;
    case 'v':
        if (w->stage.has_area) {
            look_at_scene(w);
        }
        break;
    case '?':
        w->look.help = !w->look.help;
        break;
    case '.':
        step_world(w);
        break;
    case KEY_TAB:
        pick_next(w, 1);
        break;
    case KEY_BACKTAB:
        pick_next(w, -1);
        break;
    case KEY_ESCAPE:
        w->look.picked = 0;
        w->look.help = false;
        break;
    case '+':
    case KEY_WHEEL_UP:
    case '=':
        move(w, 0.0, 0.0, 1.25);
        break;
    case '-':
    case KEY_WHEEL_DOWN:
    case '_':
        move(w, 0.0, 0.0, 0.8);
        break;
    case KEY_LEFT:
    case 'h':
        move(w, -0.1, 0.0, 1.0);
        break;
    case KEY_RIGHT:
    case 'l':
        move(w, 0.1, 0.0, 1.0);
        break;
    case KEY_UP:
    case 'k':
        move(w, 0.0, 0.1, 1.0);
        break;
    case KEY_DOWN:
    case 'j':
        move(w, 0.0, -0.1, 1.0);
        break;
    default:
        return;
    }
    w->dirty = true;
}

static void read_keys(watch *w)
{
    bool ended = false;
    for (int pressed = terminal_key(&ended); pressed != KEY_NONE; pressed = terminal_key(&ended)) {
        on_key(w, pressed);
    }
    w->quit = w->quit || ended;
}

// Sleeps until the connection, a key or a signal has something, or `ms` have gone by.
static void sleep_for_any(watch *w, int ms)
{
    int limit = carom_timeout_ms(w->c->client);
    struct pollfd fds[3] = {{.fd = terminal_fd(), .events = POLLIN},
                            {.fd = terminal_wake(), .events = POLLIN},
                            {.fd = carom_fd(w->c->client), .events = POLLIN}};
    fds[2].events = (short)(fds[2].events | (carom_wants_write(w->c->client) ? POLLOUT : 0));
    (void)poll(fds, 3, limit >= 0 && limit < ms ? limit : ms);
    if ((fds[0].revents & (POLLHUP | POLLERR)) != 0) {
        w->quit = true;
    }
    if ((fds[1].revents & POLLIN) != 0 && terminal_resized()) {
        int columns = 0;
        int rows = 0;
        terminal_size(&columns, &rows);
        w->quit = !resize(w, columns, rows) || w->quit;
    }
    if ((fds[0].revents & POLLIN) != 0) {
        read_keys(w);
    }
}

static cli_exit run_screen(watch *w)
{
    int columns = 0;
    int rows = 0;
    double frame_s = 1.0 / FPS_MAX;
    double due = 0.0;
    carom_error error = {0};
    terminal_size(&columns, &rows);
    if (!resize(w, columns, rows)) {
        return cli_out_of_memory();
    }
    if (!terminal_open()) {
        cli_error("internal", "cannot use the terminal: %s", strerror(errno));
        return CLI_REFUSED;
    }
    while (!w->quit && terminal_interrupted() == 0) {
        double now = cli_now();
        if (now >= due && (w->dirty || now >= due + 1.0)) {
            show_frame(w);
            due = now + frame_s;
        }
        double pause = (w->dirty ? due : due + 1.0) - cli_now();
        sleep_for_any(w, pause > 0.0 ? (int)(pause * 1000.0) + 1 : 0);
        if (carom_poll(w->c->client, 0, &error) != CAROM_OK) {
            terminal_close();
            return w->code != CLI_OK ? w->code : cli_lost(w->c, &error);
        }
        stage_tend(&w->stage, cli_now());
        w->dirty = w->dirty || w->stage.changes != w->seen_changes;
        w->seen_changes = w->stage.changes;
    }
    terminal_close();
    return w->code;
}

// ---- the command

static cli_exit watch_run(watch *w)
{
    cli *c = w->c;
    carom_handlers handlers = {.user = w, .snapshot = on_snapshot, .notification = on_notification};
    bool frames = args_has(&c->args, "frames") || args_has(&c->args, "size") || !terminal_usable();
    if (!terminal_catch_signals()) {
        return cli_out_of_memory();
    }
    cli_exit code = cli_connect(c, &handlers);
    if (code != CLI_OK) {
        return code;
    }
    if (!stage_init(&w->stage, c->client, args_word(&c->args, 0), c->timeout_ms)) {
        return cli_out_of_memory();
    }
    code = subscribe(w);
    if (code != CLI_OK) {
        return code;
    }
    return c->json ? run_json(w) : frames ? run_frames(w) : run_screen(w);
}

static cli_exit run_watch(cli *c)
{
    double size[2] = {COLUMNS_DEFAULT, ROWS_DEFAULT};
    double area[4] = {0.0, 0.0, 1.0, 1.0};
    (void)args_numbers(&c->args, "size", size);
    (void)args_numbers(&c->args, "area", area);
    if (size[0] < 10 || size[1] < FRAME_ROWS_MIN || size[0] > CANVAS_COLUMNS_MAX ||
        size[1] > CANVAS_ROWS_MAX - 1) {
        return cli_usage(c, "--size is from 10x%d to %dx%d", FRAME_ROWS_MIN, CANVAS_COLUMNS_MAX,
                         CANVAS_ROWS_MAX - 1);
    }
    if (params_check_rate(c, "rate") != CLI_OK) {
        return CLI_USAGE;
    }
    if (area[0] >= area[2] || area[1] >= area[3]) {
        return cli_usage(c, "--area is X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1");
    }
    if (args_has(&c->args, "ascii")) {
        c->utf8 = false;
    }
    static watch w;
    w = (watch){.c = c, .following = true};
    w.look = (watch_look){.contacts = !args_has(&c->args, "no-contacts"),
                          .normals = args_has(&c->args, "normals"),
                          .ids = args_has(&c->args, "ids"),
                          .joints = !args_has(&c->args, "no-joints")};
    cli_exit code = watch_run(&w);
    stage_deinit(&w.stage);
    canvas_deinit(&w.canvas);
    for (int i = 0; i < w.shown_count; i++) {
        free(w.shown[i]);
    }
    free(w.shown);
    return code;
}

const cli_command command_watch = {
    .name = "watch",
    .group = "Look",
    .summary = "show a live picture of a world",
    .operands = (const args_operand[]){{"WORLD", ARGS_WORLD, true, false, NULL}, {0}},
    .options =
        (const args_option[]){
            {"area", 'a', ARGS_AREA, "X0,Y0,X1,Y1",
             "the part to show (default: the scene's own, or moving bodies)", NULL},
            {"rate", 'r', ARGS_NUMBER, "N", "snapshots a second (default 30)", NULL},
            {"no-contacts", 0, ARGS_FLAG, NULL, "without the points where bodies touch", NULL},
            {"normals", 0, ARGS_FLAG, NULL, "with the normals at those points", NULL},
            {"no-joints", 0, ARGS_FLAG, NULL, "without joints", NULL},
            {"ids", 0, ARGS_FLAG, NULL, "with the bodies' ids", NULL},
            {"ascii", 0, ARGS_FLAG, NULL, "plain characters instead of braille", NULL},
            {"frames", 'n', ARGS_WHOLE, "N", "print N frames and end; needs no terminal", NULL},
            {"size", 0, ARGS_SIZE, "WxH", "of a printed frame in characters (default 80x24)", NULL},
            {"interval", 'i', ARGS_SECONDS, "TIME", "between printed frames (default 1s)", NULL},
            {0}},
    .details =
        "Static bodies are grey, kinematic ones blue, dynamic ones orange, dark when "
        "asleep; sensors violet,\n"
        "joints green, contacts red, normals yellow. With --json the snapshots are printed "
        "instead.\n\n"
        "Keys: ? lists them; arrows or hjkl move, + and - zoom, f fits and follows, v shows the "
        "scene's own\n"
        "area, tab or a click picks a body and shows its details, c n i o switch contacts, "
        "normals, ids and\n"
        "joints, space pauses and resumes the world for everybody, . steps a paused world, q "
        "quits.",
    .examples = "  carom watch demo\n  carom watch demo --area -10,0,10,12 --normals\n"
                "  carom watch demo --frames 1 --size 100x30 --color always\n"
                "  carom watch demo --json --frames 10 | jq .tick",
    .run = run_watch,
};
