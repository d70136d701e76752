// The first program: prints where a world's bodies are, from the first snapshot, so that a world at
// rest answers too. Without a server it says so, and how to start one.
#include <carom/carom.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    const char *world = argc > 1 ? argv[1] : "demo";
    carom_client *client = NULL;
    carom_error error;
    if (carom_connect("127.0.0.1", 22766, 5000, NULL, &client, &error) != CAROM_OK) {
        fprintf(stderr, "%s\nstart a server with: caromd --world demo:demo\n", error.text);
        return 1;
    }
    carom_view *view = carom_view_create(NULL);
    carom_status status = carom_watch(client, world, NULL, view, 5000, NULL, &error);
    while (status == CAROM_OK && carom_view_get_state(view).snapshots == 0) {
        status = carom_poll(client, 1000, &error); // the first snapshot has all bodies
    }
    if (status != CAROM_OK) {
        fprintf(stderr, "%s: %s\n", carom_status_name(status), error.text);
    }
    for (size_t i = 0; i < carom_view_count(view); i++) {
        const carom_body *body = carom_view_body(view, i);
        printf("body %llu is at %.2f, %.2f\n", (unsigned long long)body->id, body->x, body->y);
    }
    carom_view_free(view);
    carom_free(client);
    return status == CAROM_OK ? 0 : 1;
}
