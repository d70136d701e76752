// A game loop: frames at the game's own rate, and a world that ticks on the server. Bodies are
// drawn a moment in the past, between two snapshots, so that they move smoothly whatever the
// network does. A body gets a sprite when it appears and loses it when it goes.
//
//   cc game.c -o game $(pkg-config --cflags --libs carom) && ./game [host:port [world [seconds]]]
#include <carom/carom.h>

#include <stdio.h>
#include <stdlib.h>

enum { TIMEOUT_MS = 5000, FRAMES_PER_SECOND = 30 };

typedef struct sprite {
    char letter;
} sprite;

typedef struct game {
    int sprites; // living sprites
    int made;
} game;

static void *make_sprite(carom_view *view, const carom_body *body, void *user)
{
    (void)view;
    game *g = user;
    sprite *s = malloc(sizeof *s);
    if (s != NULL) {
        s->letter = (char)('a' + body->id % 26);
        g->sprites++;
        g->made++;
    }
    return s;
}

static void drop_sprite(carom_view *view, const carom_body *body, carom_gone why, void *data,
                        void *user)
{
    (void)view;
    (void)body;
    (void)why;
    game *g = user;
    g->sprites -= data != NULL;
    free(data);
}

// Draws one line: the first few bodies at the world time `time`.
static void draw(const carom_view *view, double time)
{
    printf("%8.3f s", time);
    for (size_t i = 0; i < carom_view_count(view) && i < 3; i++) {
        carom_body body;
        if (carom_view_pose(view, i, &body)) {
            const sprite *s = carom_view_data(view, body.id);
            printf("  %c (%6.2f, %6.2f)", s == NULL ? '?' : s->letter, body.x, body.y);
        }
    }
    printf("\n");
}

static void frame(carom_client *client, carom_view *view)
{
    double time = carom_view_advance(view, carom_now());
    carom_view_state state = carom_view_get_state(view);
    if (!state.ready) {
        return;
    }
    draw(view, time);
    // Kicks a body now and then, without waiting for the answer.
    if (carom_view_count(view) > 0 && rand() % FRAMES_PER_SECOND == 0) {
        const carom_body *body = carom_view_body(view, 0);
        carom_body_impulse(client, state.world, body->id, (carom_vec2){0, 1}, NULL, CAROM_NO_REPLY,
                           NULL, NULL);
    }
}

static carom_status play(carom_client *client, carom_view *view, double seconds, carom_error *error)
{
    double begin = carom_now();
    for (int i = 1; i <= seconds * FRAMES_PER_SECOND; i++) {
        double next = begin + (double)i / FRAMES_PER_SECOND;
        double left = next - carom_now();
        while (left > 0) {
            carom_status status = carom_poll(client, (int)(left * 1000) + 1, error);
            if (status != CAROM_OK) {
                return status;
            }
            left = next - carom_now();
        }
        frame(client, view);
    }
    return CAROM_OK;
}

int main(int argc, char **argv)
{
    const char *world = argc > 2 ? argv[2] : "demo";
    double seconds = argc > 3 ? atof(argv[3]) : 5;
    char host[64];
    uint16_t port;
    if (argc > 4 || (argc > 1 && argv[1][0] == '-') || !(seconds > 0.0)) {
        fputs("usage: game [host:port [world [seconds]]]\n", stderr);
        return 2;
    }
    carom_error error;
    carom_client *client = NULL;
    game g = {0};
    carom_view_options options = carom_view_options_default();
    options.interpolation = CAROM_INTERPOLATION_DELAYED;
    options.user = &g;
    options.added = make_sprite;
    options.gone = drop_sprite;
    carom_view *view = carom_view_create(&options);
    carom_status status =
        carom_address_parse(argc > 1 ? argv[1] : "", host, sizeof host, &port, &error);
    if (status == CAROM_OK) {
        status = carom_connect(host, port, TIMEOUT_MS, NULL, &client, &error);
    }
    if (status == CAROM_OK) {
        status = carom_watch(client, world, NULL, view, TIMEOUT_MS, NULL, &error);
    }
    if (status == CAROM_OK) {
        status = play(client, view, seconds, &error);
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "%s: %s\n", carom_status_name(status), error.text);
    }
    carom_view_free(view);
    carom_free(client);
    printf("%d sprites were made, %d are left\n", g.made, g.sprites);
    return status == CAROM_OK && g.made > 0 && g.sprites == 0 ? 0 : 1;
}
