// See screen.h.
#include "client/cli/picture/screen.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/tool/terminal.h"

enum { FRAME_ROWS_MIN = 3, KEYS_LINE_ROWS = 8, COLUMNS_DEFAULT = 80, ROWS_DEFAULT = 24 };

#define PICK_REACH_DOTS 6.0 // largest distance of a click from a body

#define FPS_MAX 60.0

// The kinds of events that a replica's picture shows.
#define EVENTS                                                                                     \
    (1u << CAROM_EVENT_BEGIN | 1u << CAROM_EVENT_END | 1u << CAROM_EVENT_HIT |                     \
     1u << CAROM_EVENT_SLEEP | 1u << CAROM_EVENT_WAKE | 1u << CAROM_EVENT_SENSOR_BEGIN |           \
     1u << CAROM_EVENT_SENSOR_END | 1u << CAROM_EVENT_JOINT_BREAK | 1u << CAROM_EVENT_FREEZE)

// ---- the frame

static bool resize(screen *w, int columns, int rows)
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

// Whether the camera is so far from the wanted view that following has to move it.
static bool should_move(const screen *w, box wanted)
{
    box view = camera_view(&w->cam, &w->canvas);
    if (wanted.x0 < view.x0 || wanted.y0 < view.y0 || wanted.x1 > view.x1 || wanted.y1 > view.y1) {
        return true;
    }
    return wanted.x1 - wanted.x0 < 0.4 * (view.x1 - view.x0) &&
           wanted.y1 - wanted.y0 < 0.4 * (view.y1 - view.y0);
}

// Shows the area that the scene names as its view. The camera stays there until following is turned
// on.
static void look_at_scene(screen *w)
{
    const double *a = w->stage.area;
    w->cam = camera_fit((box){a[0], a[1], a[2], a[3]}, &w->canvas);
    w->following = false;
}

void screen_follow_area(const cli *c, double area[4])
{
    static const double USUAL[4] = {-20.0, -12.0, 20.0, 12.0};
    memcpy(area, USUAL, sizeof USUAL);
    (void)args_numbers(&c->args, "area", area);
}

// Moves the camera with the followed body. If the body is gone, the camera stays.
static void stay_with_body(screen *w)
{
    const carom_body *body = carom_view_find(w->stage.view, w->follow);
    double area[4];
    if (body != NULL) {
        screen_follow_area(w->c, area);
        w->cam = camera_fit(
            (box){body->x + area[0], body->y + area[1], body->x + area[2], body->y + area[3]},
            &w->canvas);
    } else if (!w->placed) {
        w->cam = camera_fit(stage_extent(&w->stage), &w->canvas);
    }
}

static void place_camera(screen *w)
{
    double area[4];
    if (w->follow != 0) {
        if (w->following || !w->placed) {
            stay_with_body(w);
        }
    } else if (!w->placed && args_numbers(&w->c->args, "area", area)) {
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

static void compose(screen *w)
{
    carom_view_state state = carom_view_get_state(w->stage.view);
    uint64_t snapshots = 0;
    uint64_t bytes = 0;
    w->source->traffic(w->source->context, &snapshots, &bytes);
    watch_meter_update(&w->meter, cli_now(), state.tick, snapshots, bytes);
    place_camera(w);
    watch_draw(&w->stage, &w->cam, w->look, &w->canvas);
}

static canvas_style style_of(const screen *w)
{
    return (canvas_style){.utf8 = w->c->utf8, .colour = w->c->colour};
}

// ---- frames into a pipe

static void print_frame(screen *w)
{
    watch_status(&w->stage, &w->meter, w->columns, w->line, sizeof w->line);
    (void)printf("%s\n", w->line);
    for (int row = 0; row < w->canvas.rows; row++) {
        (void)canvas_row(&w->canvas, row, style_of(w), w->line);
        (void)printf("%s\n", w->line);
    }
    (void)fflush(stdout);
}

// Runs the connection until the time `until`, or until `enough` returns true.
static cli_exit wait_for(screen *w, double until, bool (*enough)(const screen *w))
{
    carom_error error = {0};
    for (double now = cli_now(); now < until && !w->quit && !(enough != NULL && enough(w));
         now = cli_now()) {
        int ms = (int)((until - now) * 1000.0) + 1;
        if (w->source->work(w->source->context, ms < 50 ? ms : 50, &error) != CAROM_OK) {
            terminal_close();
            return w->source->fail(w->source->context, &error);
        }
        stage_tend(&w->stage, cli_now());
        w->quit = w->quit || terminal_interrupted() != 0;
    }
    return w->code;
}

static bool is_complete(const screen *w)
{
    return stage_complete(&w->stage);
}

static cli_exit print_frames(screen *w)
{
    double size[2] = {COLUMNS_DEFAULT, ROWS_DEFAULT};
    (void)args_numbers(&w->c->args, "size", size);
    uint64_t count = args_whole(&w->c->args, "frames", UINT64_MAX);
    double interval = args_seconds(&w->c->args, "interval", 1.0);
    // Frames have no list of keys: the picture also gets that row.
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

// ---- the terminal

static void show_row(screen *w, int row, FILE *out)
{
    if (row >= w->shown_count || (w->shown[row] != NULL && strcmp(w->shown[row], w->line) == 0)) {
        return;
    }
    free(w->shown[row]);
    w->shown[row] = strdup(w->line);
    (void)fprintf(out, "\x1b[%d;1H%s\x1b[K", row + 1, w->line);
}

static void show_frame(screen *w)
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

// Selects the body under a cell of the terminal, or none if there is no body nearby.
static void pick_at(screen *w, int column, int row)
{
    point dots = {(column + 0.5) * CANVAS_CELL_WIDTH, (row - 1 + 0.5) * CANVAS_CELL_HEIGHT};
    point at = camera_from_dots(&w->cam, &w->canvas, dots);
    w->look.picked = watch_pick(&w->stage, at, PICK_REACH_DOTS / w->cam.scale);
}

static void pick_next(screen *w, int step)
{
    w->look.picked = watch_pick_next(&w->stage, &w->cam, &w->canvas, w->look.picked, step);
}

static void move(screen *w, double x, double y, double zoom)
{
    w->following = false;
    camera_pan(&w->cam, &w->canvas, x, y);
    camera_zoom(&w->cam, zoom);
}

static void on_key(screen *w, int pressed)
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
        w->source->toggle_pause(w->source->context);
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
        w->source->step(w->source->context);
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
        if (w->source->key == NULL || !w->source->key(w->source->context, pressed)) {
            return;
        }
    }
    w->dirty = true;
}

static void read_keys(screen *w)
{
    bool ended = false;
    for (int pressed = terminal_key(&ended); pressed != KEY_NONE; pressed = terminal_key(&ended)) {
        on_key(w, pressed);
    }
    w->quit = w->quit || ended;
}

// Sleeps until the source, a key or a signal has something, or `ms` have passed.
static void sleep_for_any(screen *w, int ms)
{
    struct pollfd fds[3] = {{.fd = terminal_fd(), .events = POLLIN},
                            {.fd = terminal_wake(), .events = POLLIN},
                            {.fd = -1}};
    int limit = w->source->wait(w->source->context, &fds[2]);
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

static cli_exit fill_terminal(screen *w)
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
        if (w->source->work(w->source->context, 0, &error) != CAROM_OK) {
            terminal_close();
            return w->code != CLI_OK ? w->code : w->source->fail(w->source->context, &error);
        }
        w->stage.picked = w->look.picked;
        stage_tend(&w->stage, cli_now());
        w->dirty = w->dirty || w->stage.changes != w->seen_changes;
        w->seen_changes = w->stage.changes;
    }
    terminal_close();
    return w->code;
}

// ---- the whole

cli_exit screen_check(const cli *c)
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
    if (area[0] >= area[2] || area[1] >= area[3]) {
        return cli_usage(c, "--area is X0,Y0,X1,Y1 with X0 < X1 and Y0 < Y1");
    }
    return CLI_OK;
}

void screen_init(screen *w, cli *c, const screen_source *source)
{
    *w = (screen){.c = c, .source = source, .following = true};
    w->look = (watch_look){.contacts = args_has(&c->args, "contacts"),
                           .normals = args_has(&c->args, "normals"),
                           .ids = args_has(&c->args, "ids"),
                           .joints = !args_has(&c->args, "no-joints")};
    if (args_has(&c->args, "ascii")) {
        c->utf8 = false;
    }
}

void screen_deinit(screen *w)
{
    stage_deinit(&w->stage);
    canvas_deinit(&w->canvas);
    for (int i = 0; i < w->shown_count; i++) {
        free(w->shown[i]);
    }
    free(w->shown);
}

static const carom_replica_snapshot_options ALL = {
    .describe = true, .contacts = true, .events = EVENTS};

static carom_status show_snapshot(screen *w, const void *encoded, size_t size, carom_error *error)
{
    carom_snapshot snapshot;
    w->stage.contacts = ALL.contacts;
    const carom_status s = carom_view_feed(w->stage.view, encoded, size, &snapshot, error);
    if (s == CAROM_OK) {
        stage_describe(&w->stage, &snapshot);
        w->dirty = true;
    }
    return s;
}

carom_status screen_show_replica(screen *w, carom_replica *replica, carom_error *error)
{
    const void *encoded = NULL;
    size_t size = 0;
    const carom_status s = carom_replica_snapshot(replica, &ALL, &encoded, &size, error);
    return s == CAROM_OK ? show_snapshot(w, encoded, size, error) : s;
}

carom_status screen_show_prediction(screen *w, carom_prediction *prediction, carom_error *error)
{
    const void *encoded = NULL;
    size_t size = 0;
    const carom_status s = carom_prediction_snapshot(prediction, &ALL, &encoded, &size, error);
    return s == CAROM_OK ? show_snapshot(w, encoded, size, error) : s;
}

bool screen_prints_frames(const cli *c)
{
    return args_has(&c->args, "frames") || args_has(&c->args, "size") || !terminal_usable();
}

cli_exit screen_run(screen *w)
{
    return screen_prints_frames(w->c) ? print_frames(w) : fill_terminal(w);
}
