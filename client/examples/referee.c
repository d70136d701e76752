// The rules of a game, as a referee: who has a seat gets a disc, pushes it by messages, and loses a
// point when it leaves the ring.
//
//   cc referee.c -o referee $(pkg-config --cflags --libs carom) -lm
//   caromd --template ring=ring.json     with {"gravity": [0, 0], "seats": 4}
//   ./referee [host:port [template [seconds]]]
//
// Players take a seat by world.join {"template": "ring"} and send message.send {"name": "push",
// "data": [x, y]}. The world's data has who is in (disc/SEAT) and the points (points/SEAT).
// A server with keys wants a token of role referee (CAROM_TOKEN in the environment).
#include <carom/carom.h>

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RING     10.0 // radius of the ring [m]
#define PUSH_MAX 20.0 // largest impulse of a message [N s]
#define CIRCLE   6.283185307179586

enum { TIMEOUT_MS = 5000, POINTS = 3, SEATS_MAX = 64 };

static void key_of(char *key, size_t size, const char *what, uint64_t seat)
{
    snprintf(key, size, "%s/%" PRIu64, what, seat);
}

static uint64_t disc_of(carom_game *game, uint64_t seat)
{
    char key[32];
    key_of(key, sizeof key, "disc", seat);
    return carom_as_uint(carom_game_get(game, key), 0);
}

// Puts a disc on the ring. Its id is not known before the batch is applied: the tag names its seat,
// and the handler `tick` records the id.
static void spawn(carom_game *game, uint64_t seat, const char *subject)
{
    char tag[32];
    key_of(tag, sizeof tag, "seat", seat);
    carom_shape round = carom_shape_circle(0.8);
    carom_body_options disc = carom_body_options_default();
    double angle = CIRCLE * (double)seat / 8.0;
    disc.position = (carom_vec2){0.5 * RING * cos(angle), 0.5 * RING * sin(angle)};
    disc.linear_damping = 0.4;
    disc.shapes = &round;
    disc.shape_count = 1;
    disc.tag = tag;
    carom_batch_spawn(carom_game_batch(game), &disc);
    printf("seat %" PRIu64 " is in: %s\n", seat, subject[0] != '\0' ? subject : "a guest");
}

static void join(carom_game *game, const carom_event *event, void *user)
{
    char key[32];
    (void)user;
    key_of(key, sizeof key, "points", event->seat);
    carom_game_set(game, key, carom_uint(POINTS));
    spawn(game, event->seat, event->subject);
}

static void leave(carom_game *game, const carom_event *event, void *user)
{
    char key[32];
    uint64_t disc = disc_of(game, event->seat);
    (void)user;
    if (disc != 0 && carom_game_find_body(game, disc) != NULL) {
        carom_game_remove_body(game, disc);
    }
    key_of(key, sizeof key, "disc", event->seat);
    carom_game_remove(game, key);
    key_of(key, sizeof key, "points", event->seat);
    carom_game_remove(game, key);
    printf("seat %" PRIu64 " is free\n", event->seat);
}

// The seat of a session; 0: it has none.
static uint64_t seat_of(carom_game *game, uint64_t session)
{
    carom_player players[SEATS_MAX];
    size_t count = carom_game_seats(game, players, SEATS_MAX);
    for (size_t i = 0; i < count && i < SEATS_MAX; i++) {
        if (players[i].session == session) {
            return players[i].seat;
        }
    }
    return 0;
}

static void message(carom_game *game, const carom_event *event, void *user)
{
    carom_value *data = carom_event_data(event);
    carom_vec2 push = carom_as_vec(data, (carom_vec2){0.0, 0.0});
    uint64_t disc = disc_of(game, seat_of(game, event->session));
    double size = hypot(push.x, push.y);
    (void)user;
    carom_value_free(data);
    if (strcmp(event->message, "push") != 0 || !(size > 0.0) || !isfinite(size) ||
        carom_game_find_body(game, disc) == NULL) {
        return; // a referee believes nobody
    }
    double scale = size > PUSH_MAX ? PUSH_MAX / size : 1.0;
    carom_batch_impulse(carom_game_batch(game), disc, (carom_vec2){push.x * scale, push.y * scale});
}

// A disc outside costs a point; with the last one the seat's disc does not come back.
static void lose(carom_game *game, uint64_t seat, uint64_t disc)
{
    char key[32];
    key_of(key, sizeof key, "points", seat);
    uint64_t points = carom_as_uint(carom_game_get(game, key), 1) - 1;
    carom_game_set(game, key, carom_uint(points));
    carom_game_remove_body(game, disc);
    printf("seat %" PRIu64 " is out: %" PRIu64 " points left\n", seat, points);
    key_of(key, sizeof key, "disc", seat);
    carom_game_remove(game, key);
    if (points > 0) {
        carom_player player = {0};
        carom_game_seat(game, seat, &player);
        spawn(game, seat, player.subject);
    } else {
        carom_game_send(game, "out", carom_uint(seat), NULL);
    }
}

static void tick(carom_game *game, void *user)
{
    const carom_view *view = carom_game_view(game);
    (void)user;
    for (size_t i = 0; i < carom_view_count(view); i++) {
        const carom_body *body = carom_view_body(view, i);
        const carom_body_info *info = carom_view_info(view, i);
        uint64_t seat = 0;
        if (info == NULL || sscanf(info->tag, "seat/%" SCNu64, &seat) != 1 ||
            carom_game_find_body(game, body->id) == NULL) {
            continue;
        }
        if (!carom_game_seat(game, seat, NULL)) {
            carom_game_remove_body(game, body->id); // its player left before its id was known
        } else if (hypot(body->x, body->y) > RING) {
            lose(game, seat, body->id);
        } else if (disc_of(game, seat) != body->id) {
            char key[32];
            key_of(key, sizeof key, "disc", seat);
            carom_game_set(game, key, carom_uint(body->id));
        }
    }
}

static void state(carom_game *game, carom_game_state now, void *user)
{
    static const char *const WORDS[] = {"stands by", "is the referee", "has ended"};
    (void)user;
    printf("%s: %s\n", carom_game_world(game), WORDS[now]);
}

int main(int argc, char **argv)
{
    char host[256];
    uint16_t port = 0;
    carom_error error;
    const char *where = argc > 1 ? argv[1] : "127.0.0.1";
    const char *const templates[] = {argc > 2 ? argv[2] : "ring"};
    double end = argc > 3 ? carom_now() + atof(argv[3]) : (double)INFINITY;
    if (argc > 4 || where[0] == '-' ||
        carom_address_parse(where, host, sizeof host, &port, &error) != CAROM_OK) {
        fprintf(stderr, "usage: referee [host:port [template [seconds]]]\n");
        return 2;
    }
    carom_referee_options options = carom_referee_options_default();
    options.templates = templates;
    options.template_count = 1;
    options.rate = 60.0;
    options.connection.token = getenv("CAROM_TOKEN");
    options.handlers = (carom_referee_handlers){
        .join = join, .leave = leave, .message = message, .tick = tick, .state = state};
    carom_referee *referee = NULL;
    carom_status status = carom_referee_create(host, port, TIMEOUT_MS, &options, &referee, &error);
    setvbuf(stdout, NULL, _IOLBF, 0);
    while (status == CAROM_OK && carom_now() < end) {
        status = carom_referee_poll(referee, 100, &error);
    }
    if (status == CAROM_OK) {
        status = carom_referee_close(referee, TIMEOUT_MS, &error); // another may go on at once
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "referee: %s: %s\n", carom_status_name(status), error.text);
    }
    carom_referee_free(referee);
    return status == CAROM_OK ? 0 : 1;
}
