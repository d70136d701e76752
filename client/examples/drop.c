// Makes a world, drops a ball on a floor, and waits for the two to touch: carom from C in one page.
//
//   cc drop.c -o drop $(pkg-config --cflags --libs carom) && ./drop [host:port]
#include <carom/carom.h>

#include <stdio.h>

enum { TIMEOUT_MS = 5000, SECONDS_MAX = 5 };

static int fail(const carom_error *error)
{
    fprintf(stderr, "%s: %s\n", carom_status_name(error->status), error->text);
    return 1;
}

// A floor, and a ball three metres above it.
static carom_status build(carom_client *client, uint64_t *ball, carom_error *error)
{
    carom_shape ground = carom_shape_segment((carom_vec2){-10, 0}, (carom_vec2){10, 0});
    carom_body_options floor = carom_body_options_default();
    floor.type = CAROM_STATIC;
    floor.shapes = &ground;
    floor.shape_count = 1;
    carom_status status = carom_body_spawn(client, "drop", &floor, TIMEOUT_MS, NULL, NULL, error);
    if (status != CAROM_OK) {
        return status;
    }
    carom_shape round = carom_shape_circle(0.5);
    round.restitution = 0.5;
    carom_body_options body = carom_body_options_default();
    body.position = (carom_vec2){0, 3};
    body.shapes = &round;
    body.shape_count = 1;
    return carom_body_spawn(client, "drop", &body, TIMEOUT_MS, ball, NULL, error);
}

// Follows the world until the ball has touched something.
static int wait_for_touch(carom_client *client, carom_view *view, uint64_t ball, carom_error *error)
{
    double begin = carom_view_get_state(view).time;
    while (carom_poll(client, 1000, error) == CAROM_OK) {
        carom_event event;
        while (carom_view_next_event(view, &event)) {
            if (event.kind == CAROM_EVENT_BEGIN && (event.a == ball || event.b == ball)) {
                const carom_body *now = carom_view_find(view, ball);
                printf("the ball touched at tick %llu with %.2f m/s and is at height %.2f m\n",
                       (unsigned long long)event.tick, event.speed, now == NULL ? 0 : now->y);
                return 0;
            }
        }
        if (carom_view_get_state(view).time > begin + SECONDS_MAX) {
            fprintf(stderr, "the ball does not come down\n");
            return 1;
        }
    }
    return fail(error);
}

int main(int argc, char **argv)
{
    char host[64];
    uint16_t port;
    carom_error error;
    carom_client *client;
    if (argc > 2 || (argc > 1 && argv[1][0] == '-')) {
        fputs("usage: drop [host:port]\n", stderr);
        return 2;
    }
    if (carom_address_parse(argc > 1 ? argv[1] : "", host, sizeof host, &port, &error) !=
            CAROM_OK ||
        carom_connect(host, port, TIMEOUT_MS, NULL, &client, &error) != CAROM_OK) {
        return fail(&error);
    }
    if (carom_world_create(client, "drop", NULL, TIMEOUT_MS, NULL, &error) != CAROM_OK) {
        carom_free(client); // an existing world of that name belongs to another program
        return fail(&error);
    }
    carom_view *view = carom_view_create(NULL);
    uint64_t ball = 0;
    int exit_code = 1;
    if (carom_watch(client, "drop", NULL, view, TIMEOUT_MS, NULL, &error) != CAROM_OK ||
        build(client, &ball, &error) != CAROM_OK) {
        fail(&error);
    } else {
        exit_code = wait_for_touch(client, view, ball, &error);
    }
    carom_world_destroy(client, "drop", TIMEOUT_MS, NULL);
    carom_view_free(view);
    carom_free(client);
    return exit_code;
}
