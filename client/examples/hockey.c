// Air hockey for two, in terminals, over the network: a whole game against any caromd.
//
//   cc hockey.c -o hockey $(pkg-config --cflags --libs carom-replica) -lm
//   ./hockey [server [name]]
//
// The server owns the table and every collision; a player sends where the paddle should go. The
// player's own paddle moves at once, however far the server is: a second world here runs ahead of
// it (carom/prediction.h). Goals and scores are read from the server's snapshots alone. Players
// change only their own bodies: a paddle, which the server pulls after the hand (a mouse joint) and
// whose tag has name and score; and the puck, which the player who conceded the last goal puts on
// the table and removes again. So tokens (CAROM_TOKEN in the environment) of role "player" are
// enough once an admin has made the table, and nobody can move another's paddle.
#define _DEFAULT_SOURCE // declares the terminal's functions
#include <carom/carom.h>
#include <carom/prediction.h>

#include <ctype.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define WORLD         "hockey"
#define PAUSE_SECONDS 1.0   // between a goal and the next puck [s]
#define STEP          0.9   // paddle's step for an arrow key [m]
#define PULL          400.0 // the hand's largest force [N]
#define LENGTH        8.0   // distance from the centre of the table to a goal line [m]
#define WIDTH         4.0   // distance from the centre to a side [m]
#define PADDLE        0.7   // radius [m]
#define PUCK          0.4

enum { TIMEOUT_MS = 5000, FRAMES_PER_SECOND = 30, GOALS_TO_WIN = 7, NAME_MAX_BYTES = 16 };
enum { POSES_MAX = 64 };       // bodies drawn where they are predicted; a table has 6
enum { LEFT, RIGHT, NOWHERE }; // sides, and indices of seats
enum { WALLS = 1, PUCKS = 2, PADDLES = 4, PADDLE_FENCES = 8 }; // collision categories
// Indices of the 256 colours
enum { ICE = 254, FLOOR = 236, WALL = 60, LINE = 217, GOAL = 250, BLACK = 16 };

static const int PADDLE_COLOURS[] = {160, 27};
static const char *const SIDES[] = {"left", "right"};

typedef struct seat {
    uint64_t paddle; // body id; 0: the seat is free
    char name[NAME_MAX_BYTES];
    int score;
} seat;

typedef struct game {
    carom_client *client;
    carom_view *view;
    char name[NAME_MAX_BYTES];
    seat seats[2];
    uint64_t puck; // body id of the puck on the table; 0: none
    // This player.
    int side; // NOWHERE: a spectator
    uint64_t paddle, grip, my_puck;
    carom_vec2 hand; // target of the paddle [m]
    bool moved;
    bool looks_on; // spectator: the token does not allow playing
    // The table as it will be when a command sent now reaches the server.
    carom_replica *replica;
    carom_prediction *prediction; // NULL: nothing is predicted
    carom_prediction_pose poses[POSES_MAX];
    size_t pose_count;    // 0: bodies are drawn from the snapshots
    bool plain;           // draws from the snapshots; the key p changes it
    char unpredicted[80]; // why nothing is predicted
    // State of the game.
    int turn;             // the side that serves the next puck
    uint64_t scored;      // the puck of the last goal
    uint64_t served_tick; // first tick that shows my_puck
    double empty_since;   // world time since when the table has no puck [s]
    char says[80];
    int columns, rows; // the terminal's size
} game;

static volatile sig_atomic_t over;

static double side_sign(int side)
{
    return side == LEFT ? -1 : 1;
}

// ---- the table, which the first player makes

static size_t add_static(carom_batch *batch, const char *tag, const carom_shape *shapes,
                         size_t count)
{
    carom_body_options body = carom_body_options_default();
    body.type = CAROM_STATIC;
    body.tag = tag;
    body.shapes = shapes;
    body.shape_count = count;
    return carom_batch_spawn(batch, &body);
}

static carom_shape wall(double x, double y, double width, double height, double restitution)
{
    carom_shape shape = carom_shape_box(width, height);
    shape.center = (carom_vec2){x, y};
    shape.restitution = restitution;
    shape.friction = 0;
    return shape;
}

// A line that stops only paddles.
static carom_shape fence(double x, double half)
{
    carom_shape shape = carom_shape_segment((carom_vec2){x, -half}, (carom_vec2){x, half});
    shape.has_filter = true;
    shape.category = PADDLE_FENCES;
    shape.mask = PADDLES;
    return shape;
}

static carom_status make_table(carom_client *client, carom_error *error)
{
    carom_batch *batch = carom_batch_create();
    carom_shape walls[11];
    size_t count = 0;
    for (int up = -1; up <= 1; up += 2) {
        walls[count++] = wall(0, up * (WIDTH + 0.5), 20, 1, 0.9);
    }
    for (int side = LEFT; side <= RIGHT; side++) {
        double s = side_sign(side);
        walls[count++] = wall(s * 9, 2.75, 2, 2.5, 0.9);
        walls[count++] = wall(s * 9, -2.75, 2, 2.5, 0.9);
        walls[count++] = wall(s * 10, 0, 1, 3, 0); // behind the goal, where the puck stops
        walls[count++] = fence(s * LENGTH, 1.5);
    }
    walls[count++] = fence(0, WIDTH);
    add_static(batch, "table", walls, count);
    for (int side = LEFT; side <= RIGHT; side++) {
        carom_shape inside = wall(side_sign(side) * 9, 0, 0.8, 3, 0);
        inside.sensor = true;
        inside.has_filter = true;
        inside.category = WALLS;
        inside.mask = PUCKS;
        add_static(batch, side == LEFT ? "goal left" : "goal right", &inside, 1);
    }
    carom_status status = carom_batch_apply(batch, client, WORLD, NULL, TIMEOUT_MS, NULL, error);
    carom_batch_free(batch);
    return status;
}

// ---- this player's paddle and puck

static carom_shape disc(double radius, double density, uint64_t category, uint64_t mask)
{
    carom_shape shape = carom_shape_circle(radius);
    shape.density = density;
    shape.friction = 0;
    shape.has_filter = true;
    shape.category = category;
    shape.mask = mask;
    return shape;
}

// Spawns a body that ends with this player's session, so that leaving removes it.
static carom_status spawn_disc(game *g, const char *tag, const carom_shape *shape, carom_vec2 at,
                               double damping, uint64_t *body, uint64_t *tick, carom_error *error)
{
    carom_body_options options = carom_body_options_default();
    options.tag = tag;
    options.position = at;
    options.linear_damping = damping;
    options.bullet = true;
    options.fixed_rotation = true;
    options.allow_sleep = false;
    options.ends_with_session = true;
    options.shapes = shape;
    options.shape_count = 1;
    return carom_body_spawn(g->client, WORLD, &options, TIMEOUT_MS, body, tick, error);
}

static carom_status sit_down(game *g, carom_error *error)
{
    int side = g->seats[LEFT].paddle == 0 ? LEFT : g->seats[RIGHT].paddle == 0 ? RIGHT : NOWHERE;
    char tag[64];
    if (side == NOWHERE || g->looks_on) {
        return CAROM_OK;
    }
    g->hand = (carom_vec2){side_sign(side) * 6, 0};
    carom_shape shape = disc(PADDLE, 4, PADDLES, WALLS | PUCKS | PADDLES | PADDLE_FENCES);
    shape.restitution = 0.6;
    snprintf(tag, sizeof tag, "%s %s 0", SIDES[side], g->name);
    carom_status status = spawn_disc(g, tag, &shape, g->hand, 0, &g->paddle, NULL, error);
    if (status == CAROM_PERMISSION_DENIED) {
        g->looks_on = true;
        return CAROM_OK;
    }
    if (status != CAROM_OK) {
        return status;
    }
    carom_joint_settings pull = carom_joint_settings_default(CAROM_MOUSE, 0, g->paddle);
    pull.target = g->hand;
    pull.hertz = 4;
    pull.damping_ratio = 1;
    pull.max_force = PULL;
    g->side = side;
    return carom_joint_create(g->client, WORLD, &pull, TIMEOUT_MS, &g->grip, NULL, error);
}

// Two players who join at the same moment may get the same seat: the paddle with the smaller id
// keeps it.
static carom_status make_room(game *g, carom_error *error)
{
    uint64_t holder = g->side == NOWHERE ? 0 : g->seats[g->side].paddle;
    if (holder != 0 && holder < g->paddle) {
        carom_body_remove(g->client, WORLD, g->paddle, CAROM_NO_REPLY, NULL, NULL);
        g->side = NOWHERE;
    }
    return g->side == NOWHERE ? sit_down(g, error) : CAROM_OK;
}

static void set_score(game *g, int score)
{
    char tag[64];
    snprintf(tag, sizeof tag, "%s %s %d", SIDES[g->side], g->name, score);
    carom_value *args = carom_set(carom_map(), "world", carom_str(WORLD));
    carom_set(carom_set(args, "body", carom_uint(g->paddle)), "tag", carom_str(tag));
    carom_send(g->client, "body.set", args, NULL);
    carom_value_free(args);
    g->seats[g->side].score = score;
}

// ---- the prediction

static bool predicts(const game *g)
{
    return g->prediction != NULL && !g->plain;
}

// The commands of a tick: the paddle's new target, once, if the hand has moved.
static void give_input(carom_prediction *p, uint64_t tick, bool first_time, void *user)
{
    game *g = user;
    (void)tick;
    if (!first_time || !g->moved || !predicts(g)) {
        return;
    }
    carom_value *args = carom_set(carom_map(), "joint", carom_uint(g->grip));
    carom_set(args, "target", carom_vec(g->hand.x, g->hand.y));
    carom_prediction_command(p, "joint.set", args, NULL);
    carom_value_free(args);
    g->moved = false;
}

// Goes on without prediction.
static void give_up(game *g, const carom_error *why)
{
    carom_prediction_free(g->prediction);
    g->prediction = NULL;
    g->pose_count = 0;
    snprintf(g->unpredicted, sizeof g->unpredicted, "%.79s", why->text);
}

static void on_snapshot(carom_client *client, const carom_snapshot *snapshot, void *user)
{
    game *g = user;
    carom_error error = {0};
    (void)client;
    if (g->prediction != NULL &&
        carom_prediction_feed(g->prediction, snapshot, carom_now(), &error) != CAROM_OK) {
        give_up(g, &error);
    }
}

// Subscribes to the table's commands, from which a replica makes the server's world again.
static void start_prediction(game *g)
{
    carom_error error = {0};
    carom_prediction_options options = carom_prediction_options_default();
    carom_subscribe_options log = carom_subscribe_options_default();
    options.input = give_input;
    options.user = g;
    log.encoding = "log";
    log.compact = carom_compact(g->client);
    g->replica = carom_replica_create();
    carom_status status =
        carom_prediction_create(g->client, g->replica, &options, &g->prediction, &error);
    if (status == CAROM_OK) {
        status = carom_subscribe(g->client, WORLD, &log, TIMEOUT_MS, NULL, &error);
    }
    if (status != CAROM_OK) {
        give_up(g, &error);
    }
}

// Predicts up to the present; a command of this frame acts in it.
static void predict(game *g)
{
    carom_error error = {0};
    g->pose_count = 0;
    if (g->prediction == NULL) {
        return;
    }
    if (carom_prediction_frame(g->prediction, carom_now(), &error) != CAROM_OK) {
        give_up(g, &error);
    } else if (predicts(g)) {
        size_t count = carom_prediction_poses(g->prediction, g->poses, POSES_MAX);
        g->pose_count = count < POSES_MAX ? count : POSES_MAX;
    }
}

static void describe_prediction(const game *g, char *text, size_t size)
{
    carom_error why = {0};
    if (g->plain) {
        snprintf(text, size, "not predicted");
    } else if (g->prediction == NULL) {
        snprintf(text, size, "not predicted: %s", g->unpredicted);
    } else if (!carom_prediction_active(g->prediction, &why)) {
        snprintf(text, size, "not predicted: %.79s", why.text);
    } else {
        carom_prediction_figures f = carom_prediction_figures_now(g->prediction);
        snprintf(text, size, "%.0f ticks ahead, %.0f %% right, %.0f ms", f.lead,
                 floor(100 * f.right), 1000 * f.rtt);
    }
}

// Finds the pose at which a body of the view is drawn. False: it is not drawn.
static bool drawn_at(const game *g, size_t index, uint64_t body, carom_vec2 *out)
{
    for (size_t i = 0; i < g->pose_count; i++) {
        if (g->poses[i].id == body) {
            *out = (carom_vec2){g->poses[i].x, g->poses[i].y};
            return true;
        }
    }
    carom_body seen;
    bool found = carom_view_pose(g->view, index, &seen);
    *out = found ? (carom_vec2){seen.x, seen.y} : (carom_vec2){0, 0};
    return found;
}

// Moves the paddle's target to the hand, on its own half, without waiting for the answer.
static void steer(game *g)
{
    if (g->side == NOWHERE || !g->moved) {
        return;
    }
    double reach = LENGTH - PADDLE;
    double x = fmax(PADDLE, fmin(reach, g->hand.x * side_sign(g->side)));
    g->hand.x = x * side_sign(g->side);
    g->hand.y = fmax(PADDLE - WIDTH, fmin(WIDTH - PADDLE, g->hand.y));
    if (predicts(g)) {
        return; // give_input() sends it
    }
    g->moved = false;
    carom_joint_settings pull = carom_joint_settings_default(CAROM_MOUSE, 0, 0);
    pull.target = g->hand;
    carom_joint_set(g->client, WORLD, g->grip, &pull, CAROM_NO_REPLY, NULL, NULL);
}

// Puts a puck on the table if there is none and it is this player's turn.
static carom_status serve(game *g, carom_error *error)
{
    carom_view_state now = carom_view_get_state(g->view);
    int turn = g->seats[g->turn].paddle != 0 ? g->turn : !g->turn;
    if (g->puck != 0) {
        g->empty_since = now.time;
        return CAROM_OK;
    }
    if (turn != g->side || now.tick < g->served_tick || now.time < g->empty_since + PAUSE_SECONDS) {
        return CAROM_OK;
    }
    if (g->seats[!g->side].score >= GOALS_TO_WIN) {
        set_score(g, 0); // a new game; the winner sees the puck and resets its score too
    }
    carom_shape shape = disc(PUCK, 1, PUCKS, WALLS | PADDLES);
    carom_vec2 at = {side_sign(g->side) * 3, 0};
    return spawn_disc(g, "puck", &shape, at, 0.3, &g->my_puck, &g->served_tick, error);
}

// ---- reading the view

// Names are printed on a terminal, so only letters, digits, - and _ of a tag are used.
static void read_tag(game *g, const carom_body_info *info)
{
    char word[8];
    seat s = {.paddle = info->body.id};
    if (strcmp(info->tag, "puck") == 0 && (g->puck == 0 || info->body.id < g->puck)) {
        g->puck = info->body.id;
    }
    if (sscanf(info->tag, "%7s %15[A-Za-z0-9_-] %d", word, s.name, &s.score) != 3) {
        return;
    }
    for (int side = LEFT; side <= RIGHT; side++) {
        seat *there = &g->seats[side];
        if (strcmp(word, SIDES[side]) == 0 && (there->paddle == 0 || s.paddle < there->paddle)) {
            *there = s;
        }
    }
}

static void look(game *g)
{
    int mine = g->side != NOWHERE ? g->seats[g->side].score : 0;
    memset(g->seats, 0, sizeof g->seats);
    g->puck = 0;
    for (size_t i = 0; i < carom_view_count(g->view); i++) {
        const carom_body_info *info = carom_view_info(g->view, i);
        if (info != NULL) {
            read_tag(g, info);
        }
    }
    if (g->side != NOWHERE && g->seats[g->side].paddle == g->paddle) {
        g->seats[g->side].score = mine; // newer than the server's copy
        if (mine >= GOALS_TO_WIN && g->puck != 0 && g->puck != g->scored) {
            set_score(g, 0);
        }
    }
    if (g->my_puck != 0 && g->puck != 0 && g->puck < g->my_puck) {
        carom_body_remove(g->client, WORLD, g->my_puck, CAROM_NO_REPLY, NULL, NULL);
        g->my_puck = 0; // another player has served too
    }
}

static void goal(game *g, int side)
{
    const char *scorer = g->seats[!side].name;
    bool wins = g->seats[!side].score + 1 >= GOALS_TO_WIN;
    g->turn = side;
    if (g->my_puck == g->scored) {
        carom_body_remove(g->client, WORLD, g->my_puck, CAROM_NO_REPLY, NULL, NULL);
        g->my_puck = 0;
    }
    if (g->side == !side) {
        set_score(g, g->seats[g->side].score + 1);
    }
    snprintf(g->says, sizeof g->says, "%s%.15s%s!", wins ? "" : "Goal for ",
             scorer[0] != '\0' ? scorer : SIDES[!side], wins ? " wins" : "");
}

static void read_events(game *g)
{
    carom_event event;
    size_t at;
    while (carom_view_next_event(g->view, &event)) {
        const carom_body_info *where =
            carom_view_index(g->view, event.a, &at) ? carom_view_info(g->view, at) : NULL;
        if (event.kind != CAROM_EVENT_SENSOR_BEGIN || where == NULL || event.b == g->scored) {
            continue;
        }
        for (int side = LEFT; side <= RIGHT; side++) {
            if (strcmp(where->tag, side == LEFT ? "goal left" : "goal right") == 0) {
                g->scored = event.b;
                goal(g, side);
            }
        }
    }
}

// ---- the picture: each character is two pixels, the colours of an upper half block

static bool is_within(const carom_shape *s, double x, double y)
{
    if (s->kind == CAROM_CIRCLE) {
        return hypot(x - s->center.x, y - s->center.y) <= s->radius;
    }
    if (s->kind == CAROM_SEGMENT) {
        return fabs(x - s->a.x) < 0.13 && y >= fmin(s->a.y, s->b.y) && y <= fmax(s->a.y, s->b.y);
    }
    for (size_t i = 0; i < s->vertex_count; i++) { // boxes arrive as polygons
        carom_vec2 a = s->vertices[i];
        carom_vec2 b = s->vertices[(i + 1) % s->vertex_count];
        if ((b.x - a.x) * (y - a.y) - (b.y - a.y) * (x - a.x) < 0) {
            return false;
        }
    }
    return s->vertex_count > 0;
}

static int colour_of(const game *g, const carom_body_info *info, const carom_shape *shape)
{
    for (int side = LEFT; side <= RIGHT; side++) {
        if (info->body.id == g->seats[side].paddle) {
            return PADDLE_COLOURS[side];
        }
    }
    if (info->type == CAROM_STATIC) {
        return shape->kind == CAROM_SEGMENT ? LINE : shape->sensor ? GOAL : WALL;
    }
    return BLACK;
}

// The topmost thing at a place of the world.
static int pixel(const game *g, double x, double y)
{
    int colour = fabs(x) < LENGTH && fabs(y) < WIDTH ? ICE : FLOOR;
    for (int moving = 0; moving <= 1; moving++) {
        for (size_t i = 0; i < carom_view_count(g->view); i++) {
            const carom_body_info *info = carom_view_info(g->view, i);
            carom_vec2 body;
            if (info == NULL || (info->type != CAROM_STATIC) != moving ||
                !drawn_at(g, i, info->body.id, &body)) {
                continue;
            }
            for (size_t k = 0; k < info->shape_count; k++) {
                const carom_shape *shape = &info->shapes[k].shape;
                if (is_within(shape, x - body.x, y - body.y)) {
                    colour = colour_of(g, info, shape);
                }
            }
        }
    }
    return colour;
}

// The world position of a pixel's centre.
static carom_vec2 place(const game *g, int column, int half_row)
{
    int height = 2 * (g->rows - 2);
    double scale = fmin(g->columns / 20.0, height / 9.0); // pixels per metre
    return (carom_vec2){(column + 0.5 - g->columns / 2.0) / scale,
                        (height / 2.0 - half_row - 0.5) / scale};
}

static void draw(game *g)
{
    struct winsize size = {0};
    const seat *l = &g->seats[LEFT];
    const seat *r = &g->seats[RIGHT];
    char score[80];
    char predicted[120];
    ioctl(STDOUT_FILENO, TIOCGWINSZ, &size);
    g->columns = size.ws_col > 0 ? size.ws_col : 80;
    g->rows = size.ws_row == 0 ? 24 : size.ws_row < 3 ? 3 : size.ws_row;
    int used = snprintf(score, sizeof score, "%s %d : %d %s", l->paddle != 0 ? l->name : "(nobody)",
                        l->score, r->score, r->paddle != 0 ? r->name : "(nobody)");
    describe_prediction(g, predicted, sizeof predicted);
    int left = g->columns - used - (int)strlen(g->says) - 8; // free columns of the line
    printf("\x1b[H  \x1b[1m%s\x1b[0m   %s   \x1b[38;5;244m%.*s\x1b[0m\x1b[K\r\n", score, g->says,
           left > 0 ? left : 0, predicted);
    for (int row = 0; row < g->rows - 2; row++) {
        int before[2] = {-1, -1};
        for (int column = 0; column < g->columns; column++) {
            carom_vec2 up = place(g, column, 2 * row);
            carom_vec2 down = place(g, column, 2 * row + 1);
            int now[2] = {pixel(g, up.x, up.y), pixel(g, down.x, down.y)};
            if (now[0] != before[0] || now[1] != before[1]) {
                printf("\x1b[38;5;%d;48;5;%dm", now[0], now[1]);
            }
            memcpy(before, now, sizeof now);
            fputs("▀", stdout);
        }
        fputs("\x1b[0m\r\n", stdout);
    }
    printf("  %s: %sp predicts, q leaves\x1b[K",
           g->side == NOWHERE ? "You look on" : SIDES[g->side],
           g->side == NOWHERE ? "" : "arrow keys, WASD or the mouse move the paddle, ");
    fflush(stdout);
}

// ---- the terminal

static struct termios cooked;

static void close_terminal(void)
{
    fputs("\x1b[?1003l\x1b[?1006l\x1b[?7h\x1b[?25h\x1b[?1049l", stdout);
    fflush(stdout);
    tcsetattr(STDIN_FILENO, TCSANOW, &cooked);
}

static bool open_terminal(void)
{
    if (!isatty(STDOUT_FILENO) || tcgetattr(STDIN_FILENO, &cooked) != 0) {
        fprintf(stderr, "hockey is played in a terminal\n");
        return false;
    }
    struct termios raw = cooked;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_cc[VMIN] = 0; // read() returns at once
    raw.c_cc[VTIME] = 0;
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    setvbuf(stdout, NULL, _IOFBF, 1 << 17); // writes each picture in one piece
    // Long lines are cut (?7l), the mouse is reported.
    fputs("\x1b[?1049h\x1b[2J\x1b[?25l\x1b[?7l\x1b[?1003h\x1b[?1006h", stdout);
    return true;
}

static void stop(int number)
{
    over = number;
}

static void press(game *g, char key)
{
    static const char *const moves = "wasdABCD"; // up, left, down, right; arrow keys end in A to D
    static const double steps[][2] = {{0, 1}, {-1, 0}, {0, -1}, {1, 0},
                                      {0, 1}, {0, -1}, {1, 0},  {-1, 0}};
    const char *found = key != '\0' ? strchr(moves, key) : NULL;
    if (found != NULL) {
        g->hand.x += STEP * steps[found - moves][0];
        g->hand.y += STEP * steps[found - moves][1];
        g->moved = true;
    }
}

// Consumes one key or mouse report at the front; returns its bytes, 0 if it is incomplete.
static size_t take_key(game *g, const char *text, size_t size)
{
    if (text[0] != '\x1b') {
        over = over || text[0] == 'q';
        g->plain = g->plain != (text[0] == 'p');
        press(g, (char)(isupper((unsigned char)text[0]) ? '\0' : text[0]));
        return 1;
    }
    size_t end = 2; // ESC [ … letter
    while (end < size && !isalpha((unsigned char)text[end])) {
        end++;
    }
    if (end >= size) {
        return size < 32 ? 0 : size;
    }
    int button, column, row;
    char letter;
    if (sscanf(text, "\x1b[<%d;%d;%d%c", &button, &column, &row, &letter) == 4) {
        g->hand = place(g, column - 1, 2 * (row - 2));
        g->moved = true;
    } else {
        press(g, text[end]);
    }
    return end + 1;
}

static void read_keys(game *g)
{
    static char text[512];
    static size_t size;
    ssize_t got = read(STDIN_FILENO, text + size, sizeof text - 1 - size);
    size += got > 0 ? (size_t)got : 0;
    text[size] = '\0';
    for (size_t taken = 1; size > 0 && taken > 0;) {
        taken = take_key(g, text, size);
        size -= taken;
        memmove(text, text + taken, size + 1);
    }
}

// ---- the game

static carom_status frame(game *g, carom_error *error)
{
    carom_view_state state = carom_view_get_state(g->view);
    if (!state.ready || state.describing) {
        return CAROM_OK;
    }
    carom_view_advance(g->view, carom_now());
    look(g);
    read_events(g);
    carom_status status = make_room(g, error);
    if (status == CAROM_OK) {
        status = serve(g, error);
    }
    read_keys(g);
    steer(g);
    predict(g);
    draw(g);
    return status;
}

static carom_status play(game *g, carom_error *error)
{
    carom_status status = CAROM_OK;
    for (double next = carom_now(); over == 0 && status == CAROM_OK;) {
        next += 1.0 / FRAMES_PER_SECOND;
        double left = next - carom_now();
        while (left > 0 && status == CAROM_OK) {
            status = carom_poll(g->client, (int)(left * 1000) + 1, error);
            left = next - carom_now();
        }
        if (left < -1) {
            next = carom_now(); // after a stop (Ctrl+Z), skip missed frames
        }
        if (status == CAROM_OK) {
            status = frame(g, error);
        }
    }
    return status;
}

// Connects, makes the table unless it exists, and subscribes to it.
static carom_status enter(game *g, const char *address, carom_error *error)
{
    char host[256];
    uint16_t port;
    bool created = false;
    carom_options options = carom_options_default();
    options.name = "hockey";
    options.token = getenv("CAROM_TOKEN");
    options.tls.ca_file = getenv("CAROM_CA");
    options.reconnect.on = true;
    options.handlers = (carom_handlers){.user = g, .snapshot = on_snapshot};
    carom_status status =
        carom_url_parse(address, host, sizeof host, &port, &options.tls.on, error);
    if (status == CAROM_OK) {
        status = carom_connect(host, port, TIMEOUT_MS, &options, &g->client, error);
    }
    if (status != CAROM_OK) {
        return status;
    }
    carom_world_options world = carom_world_options_default();
    world.gravity = (carom_vec2){0, 0};
    status = carom_world_ensure(g->client, WORLD, &world, TIMEOUT_MS, &created, NULL, error);
    if (status == CAROM_OK && created) {
        status = make_table(g->client, error);
    }
    if (status != CAROM_OK && status != CAROM_PERMISSION_DENIED) { // players may not make worlds
        return status;
    }
    static const char *const events[] = {"sensor_begin"};
    carom_subscribe_options watch = carom_subscribe_options_default();
    watch.describe = true;
    watch.events = events;
    watch.event_count = 1;
    status = carom_watch(g->client, WORLD, &watch, g->view, TIMEOUT_MS, NULL, error);
    if (status == CAROM_OK) {
        start_prediction(g);
    }
    return status;
}

int main(int argc, char **argv)
{
    static game g = {.side = NOWHERE, .turn = LEFT};
    carom_error error;
    if (argc > 3 || (argc > 1 && argv[1][0] == '-')) {
        fputs("usage: hockey [server [name]]\n", stderr);
        return 2;
    }
    const char *user = getenv("USER");
    const char *name = argc > 2 ? argv[2] : user != NULL ? user : "player";
    for (size_t i = 0; name[i] != '\0' && i + 1 < sizeof g.name; i++) {
        g.name[i] = (char)(isalnum((unsigned char)name[i]) ? name[i] : '-');
    }
    carom_view_options options = carom_view_options_default();
    options.interpolation = CAROM_INTERPOLATION_DELAYED;
    g.view = carom_view_create(&options);
    carom_status status = enter(&g, argc > 1 ? argv[1] : "", &error);
    bool played = status == CAROM_OK && open_terminal();
    if (played) {
        struct sigaction end = {.sa_handler = stop};
        sigaction(SIGINT, &end, NULL);
        sigaction(SIGTERM, &end, NULL);
        sigaction(SIGHUP, &end, NULL);
        g.empty_since = carom_view_get_state(g.view).time;
        status = play(&g, &error);
        close_terminal();
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "hockey: %s\n", error.text);
        if (status == CAROM_NOT_FOUND) {
            fprintf(stderr, "somebody whose token may make worlds has to play first\n");
        }
    }
    carom_prediction_free(g.prediction);
    carom_replica_free(g.replica);
    carom_view_free(g.view);
    carom_free(g.client); // ends the session, and the server removes paddle and puck
    return played && status == CAROM_OK ? 0 : 1;
}
