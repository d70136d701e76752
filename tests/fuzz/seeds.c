// Writes the seeds that only this build's engine reads: images of the golden scenes, and recordings
// of them. Checked-in files would be refused after the next change of the format, and the fuzz
// targets would then test only the refusal.
//
// Usage: fuzz_seeds FOLDER: writes FOLDER/image/… and FOLDER/replica/…
#include <msgpack.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/base/assert.h"
#include "common/physics/image.h"
#include "proto/log/log_stream.h"
#include "tests/golden/scenes.h"

enum {
    SCALE_MAX = 2,      // small seeds, so that a fuzzer runs many
    STEPS = 40,         // steps between the images of a scene
    IMAGES = 3,         // images of each scene
    SEED_MAX = 1 << 16, // bytes
    SESSION = 5,        // as in fuzz_replica.c
    RECORD_TICKS = 6
};

static const char *folder;

static void write_file(const char *kind, const char *name, int number, const void *bytes,
                       size_t size)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, kind);
    mkdir(path, 0777); // may be there
    snprintf(path, sizeof path, "%s/%s/%s-%d", folder, kind, name, number);
    FILE *file = fopen(path, "wb");
    if (file == NULL || fwrite(bytes, 1, size, file) != size || fclose(file) != 0) {
        perror(path);
        exit(1);
    }
}

static void pack_text(msgpack_packer *p, const char *text)
{
    msgpack_pack_str_with_body(p, text, strlen(text));
}

static void pack_spawn(msgpack_packer *p)
{
    msgpack_pack_array(p, 2);
    pack_text(p, "body.spawn");
    msgpack_pack_map(p, 2);
    pack_text(p, "position");
    msgpack_pack_array(p, 2);
    msgpack_pack_double(p, 0.5);
    msgpack_pack_double(p, 6.0);
    pack_text(p, "shapes");
    msgpack_pack_array(p, 1);
    msgpack_pack_map(p, 2);
    pack_text(p, "kind");
    pack_text(p, "circle");
    pack_text(p, "radius");
    msgpack_pack_double(p, 0.25);
}

static void pack_push(msgpack_packer *p, body_id body)
{
    msgpack_pack_array(p, 2);
    pack_text(p, "body.force");
    msgpack_pack_map(p, 2);
    pack_text(p, "body");
    msgpack_pack_uint64(p, body);
    pack_text(p, "force");
    msgpack_pack_array(p, 2);
    msgpack_pack_double(p, 3.0);
    msgpack_pack_double(p, -1.0);
}

// Adds a row of a client's batch for that tick.
static void add_batch(buffer *rows, uint64_t tick, body_id body)
{
    msgpack_sbuffer bytes;
    msgpack_packer p;
    msgpack_sbuffer_init(&bytes);
    msgpack_packer_init(&p, &bytes, msgpack_sbuffer_write);
    msgpack_pack_map(&p, 4);
    pack_text(&p, "world");
    pack_text(&p, "seed");
    pack_text(&p, "commands");
    msgpack_pack_array(&p, 2);
    pack_spawn(&p);
    pack_push(&p, body);
    pack_text(&p, "at");
    msgpack_pack_uint64(&p, tick);
    pack_text(&p, "late");
    pack_text(&p, "next");
    const log_command row = {.tick = tick,
                             .session = SESSION,
                             .method = "world.apply",
                             .method_size = 11,
                             .arguments = (const uint8_t *)bytes.data,
                             .arguments_size = (uint32_t)bytes.size};
    log_command_encode(rows, &row);
    msgpack_sbuffer_destroy(&bytes);
}

// Writes the world's image, then records that follow it, one of which has a batch.
static void write_recording(const char *name, physics_world *world, const uint8_t *image,
                            size_t size)
{
    buffer out;
    buffer rows;
    buffer_init(&out, 1 << 20);
    buffer_init(&rows, 1 << 16);
    const log_header header = {
        .engine = ENGINE_BEHAVIOUR, .world = "seed", .epoch = 1, .hz = world_definition(world).hz};
    uint64_t tick = world_tick(world);
    log_stream_begin(&out, &header);
    log_stream_record(
        &out, &(log_record){.from = tick, .tick = tick, .image = image, .image_size = size});
    add_batch(&rows, tick + 1, world_next_body(world, 0));
    log_stream_record(&out, &(log_record){.from = tick,
                                          .tick = tick + RECORD_TICKS,
                                          .command_count = 1,
                                          .commands = rows.data,
                                          .commands_size = rows.size});
    for (int i = 0; i < 3; i++) {
        tick += RECORD_TICKS;
        log_stream_record(&out, &(log_record){.from = tick, .tick = tick + RECORD_TICKS});
    }
    write_file("replica", name, (int)world_tick(world), out.data, out.size);
    buffer_deinit(&rows);
    buffer_deinit(&out);
}

static int write_scene(const scene_kind *kind)
{
    const vec2d origin = {0.0, 0.0};
    const int scale = kind->golden_scale < SCALE_MAX ? kind->golden_scale : SCALE_MAX;
    physics_world *world = scene_create(kind, scale, origin);
    int written = 0;
    for (int i = 0; i < IMAGES; i++) {
        uint8_t *image = NULL;
        size_t size = 0;
        world_save(world, &image, &size);
        if (size <= SEED_MAX) {
            write_file("image", kind->name, (int)world_tick(world), image, size);
            write_recording(kind->name, world, image, size);
            written++;
        }
        free(image);
        for (int k = 0; k < STEPS; k++) {
            scene_step(kind, world, scale, origin);
        }
    }
    world_free(world);
    return written;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fputs("Usage: fuzz_seeds FOLDER\n", stderr);
        return 2;
    }
    folder = argv[1];
    mkdir(folder, 0777);
    int count = 0;
    int written = 0;
    const scene_kind *kinds = scene_kinds(&count);
    for (int i = 0; i < count; i++) {
        written += kinds[i].golden_scale > 0 ? write_scene(&kinds[i]) : 0;
    }
    printf("%d images, %d recordings\n", written, written);
    return written < 20;
}
