// golden_recording: replays recordings and compares every hash in them, with the engine and the
// readers of the log as this compiler built them and this processor runs them.
//
// Usage: golden_recording FILE …
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <carom/replica.h>

_Noreturn static void give_up(const char *path, const carom_error *error)
{
    fprintf(stderr, "golden_recording: %s: %s\n", path, error->text);
    exit(1);
}

static void replay(const char *path)
{
    carom_error error = {0};
    carom_recording *file = NULL;
    carom_replica *replica = carom_replica_create();
    if (replica == NULL || carom_recording_open(path, &file, &error) != CAROM_OK) {
        give_up(path, &error);
    }
    const void *record = NULL;
    size_t size = 0;
    while (carom_recording_next(file, &record, &size, &error) == CAROM_OK && record != NULL) {
        if (carom_replica_feed(replica, record, size, &error) != CAROM_OK) {
            give_up(path, &error);
        }
    }
    carom_recording_info about = carom_recording_about(file);
    carom_replica_state end = carom_replica_now(replica);
    if (!about.ended || end.verified == 0) {
        fprintf(stderr, "golden_recording: %s: %s\n", path,
                about.ended ? "it bears no hash" : error.text);
        exit(1);
    }
    printf("%s: tick %" PRIu64 ", %zu bodies, %" PRIu64 " commands, %" PRIu64
           " hashes agree, the last is %016" PRIx64 "\n",
           path, end.tick, end.bodies, end.commands, end.verified, end.hash);
    carom_recording_close(file);
    carom_replica_free(replica);
}

int main(int argc, char **argv)
{
    if (argc < 2) {
        fputs("Usage: golden_recording FILE …\n", stderr);
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    return 0;
}
