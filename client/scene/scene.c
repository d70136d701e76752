// Loads a scene into a world over the wire. proto/scene/scene.h reads and unrolls it and cuts it
// into pieces; this file sends them and keeps the ids of the answers for later pieces. It calls
// only public functions of libcarom. One thread at a time for a client.
#include <carom/scene.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <carom/calls.h>

#include "client/scene/place.h"
#include "client/scene/values.h"
#include "common/base/counted.h"
#include "proto/scene/scene.h"

enum {
    ANSWER_TIMEOUT_MS = 10000,
    APPLY_HEAD_BYTES = 256 // the message around the commands: method, world, keys
};

typedef struct feed {
    carom_client *client;
    const char *world;
    const scene *scene;
    const char *text; // text of the scene
    size_t size;
    uint64_t *ids;    // id of the body, joint or shape that each command made; 0: none
    size_t bytes_max; // most bytes of a piece
    int timeout_ms;
    carom_scene_result result;
} feed;

carom_scene_options carom_scene_options_default(void)
{
    return (carom_scene_options){.exact = true, .create = true, .timeout_ms = ANSWER_TIMEOUT_MS};
}

// The most bytes of commands in one world.apply; the server's limit, if hello reported it.
static size_t piece_bytes_max(const carom_client *client)
{
    uint64_t limit =
        carom_get_uint(carom_hello(client), "limits.message_bytes", WIRE_MESSAGE_BYTES_DEFAULT);
    limit = limit > APPLY_HEAD_BYTES ? limit - APPLY_HEAD_BYTES : 0;
    return limit < SCENE_CHUNK_BYTES_MAX ? (size_t)limit : SCENE_CHUNK_BYTES_MAX;
}

// ---- the world

static carom_status create_world(feed *f, carom_error *err)
{
    const scene_world *settings = &f->scene->world;
    carom_world_options options = carom_world_options_default();
    options.gravity = (carom_vec2){settings->gravity[0], settings->gravity[1]};
    options.hz = settings->hz;
    options.substeps = (int)settings->substeps;
    options.sleep = settings->sleep;
    options.continuous = settings->continuous;
    options.restitution_threshold = settings->restitution_threshold;
    options.hit_threshold = settings->hit_threshold;
    options.sleep_speed = settings->sleep_speed;
    options.bodies_max = settings->bodies_max;
    options.paused = true; // the world starts when the scene is complete
    carom_error why = {0};
    carom_status outcome =
        carom_world_create(f->client, f->world, &options, f->timeout_ms, &f->result.tick, &why);
    f->result.created = outcome == CAROM_OK;
    if (outcome == CAROM_OK || outcome == CAROM_ALREADY_EXISTS) {
        return CAROM_OK;
    }
    if (err != NULL) {
        *err = why;
    }
    return outcome;
}

// ---- the pieces

static void note_results(feed *f, uint32_t first, const carom_value *results)
{
    for (size_t k = 0; k < carom_value_count(results); k++) {
        const carom_value *made = carom_value_at(results, k);
        uint64_t body = carom_get_uint(made, "body", 0);
        uint64_t joint = carom_get_uint(made, "joint", 0);
        uint64_t shape = carom_get_uint(made, "shape", 0);
        f->ids[first + k] = body != 0 ? body : joint != 0 ? joint : shape;
        f->result.bodies += body != 0;
        f->result.joints += body == 0 && joint != 0;
    }
}

// Prefixes an error with its place in the scene.
static void locate(const feed *f, uint32_t first, uint32_t count, carom_error *err)
{
    struct error text;
    error_set(&text, STATUS_INTERNAL, "%s", err->text);
    if (place_in_scene(f->text, f->size, first, &text)) {
        memcpy(err->text, text.text, sizeof err->text);
        return;
    }
    error_prefix(&text, "commands %u to %u of %u (entry %u)", first, first + count - 1,
                 f->scene->command_count, f->scene->commands[first].entry);
    memcpy(err->text, text.text, sizeof err->text);
}

static carom_status starved(carom_error *err)
{
    static const struct error OUT_OF_MEMORY = {STATUS_INTERNAL, "memory has run out"};
    return values_fault(err, &OUT_OF_MEMORY);
}

// Makes {world: …, commands: chunk}.
static carom_value *apply_args(const feed *f, const buffer *chunk)
{
    carom_status outcome;
    carom_value *args = carom_set(carom_map(), "world", carom_str(f->world));
    carom_set(args, "commands", values_unpack(chunk, &outcome));
    if (!carom_value_ok(args)) {
        carom_value_free(args);
        return NULL;
    }
    return args;
}

static carom_status send_piece(feed *f, uint32_t first, uint32_t count, const buffer *chunk,
                               carom_error *err)
{
    carom_value *args = apply_args(f, chunk);
    if (args == NULL) {
        return starved(err);
    }
    carom_value *result = NULL;
    carom_error why = {0};
    carom_status outcome = carom_call(f->client, "world.apply", args, f->timeout_ms, &result, &why);
    carom_value_free(args);
    const carom_value *results = carom_value_get(result, "results");
    if (outcome == CAROM_OK && carom_value_count(results) != count) {
        outcome = why.status = CAROM_INTERNAL;
        snprintf(why.text, sizeof why.text, "world.apply answered %llu %s for %llu %s",
                 COUNTED(carom_value_count(results), "result", "results"),
                 COUNTED(count, "command", "commands"));
    }
    if (outcome == CAROM_OK) {
        note_results(f, first, results);
        f->result.commands += count;
        f->result.tick = carom_get_uint(result, "tick", f->result.tick);
    } else if (err != NULL) {
        locate(f, first, count, &why);
        *err = why;
    }
    carom_value_free(result);
    return outcome;
}

static carom_status send_pieces(feed *f, carom_error *err)
{
    carom_status outcome = CAROM_OK;
    buffer chunk;
    buffer_init(&chunk, SCENE_BYTES_MAX);
    uint32_t first = 0;
    while (outcome == CAROM_OK) {
        buffer_clear(&chunk);
        uint32_t count = scene_next_chunk(f->scene, first, f->ids, f->bytes_max, &chunk);
        if (count == 0) {
            break;
        }
        outcome = chunk.overflow ? starved(err) : send_piece(f, first, count, &chunk, err);
        first += count;
    }
    buffer_deinit(&chunk);
    return outcome;
}

// ---- the whole scene

static carom_status feed_scene(feed *f, const carom_scene_options *options, carom_error *err)
{
    carom_status outcome = options->create ? create_world(f, err) : CAROM_OK;
    if (outcome == CAROM_OK) {
        outcome = send_pieces(f, err);
    }
    if (outcome == CAROM_OK && f->result.created && !options->paused) {
        outcome = carom_world_resume(f->client, f->world, f->timeout_ms, NULL, err);
    }
    if (outcome != CAROM_OK && f->result.created) {
        // Removes the incomplete world
        carom_world_destroy(f->client, f->world, f->timeout_ms, NULL);
    }
    return outcome;
}

static carom_status missing(carom_error *err, const char *argument)
{
    struct error why;
    error_set(&why, STATUS_INVALID_ARGUMENT, "%s: missing (NULL)", argument);
    return values_fault(err, &why);
}

static carom_scene_options complete(const carom_scene_options *options)
{
    carom_scene_options all = carom_scene_options_default();
    if (options == NULL) {
        return all;
    }
    if (options->exact) {
        return *options;
    }
    all.paused = options->paused;
    all.timeout_ms = options->timeout_ms == 0 ? all.timeout_ms : options->timeout_ms;
    return all;
}

carom_status carom_scene_apply(carom_client *client, const char *world, const char *text,
                               size_t size, const carom_scene_options *options,
                               carom_scene_result *result, carom_error *err)
{
    if (client == NULL || world == NULL || text == NULL) {
        return missing(err, client == NULL ? "client" : world == NULL ? "world" : "text");
    }
    carom_scene_options all = complete(options);
    scene loaded;
    struct error refused;
    if (scene_load_text(text, size, NULL, &loaded, &refused) != STATUS_OK) {
        return values_fault(err, &refused);
    }
    feed f = {
        .client = carom_ref(client), // a reference: a callback may free the client
        .world = world,
        .scene = &loaded,
        .text = text,
        .size = size,
        .bytes_max = piece_bytes_max(client),
        .timeout_ms = all.timeout_ms,
        .ids = calloc(loaded.command_count + (size_t)1, sizeof *f.ids),
    };
    carom_status outcome = f.ids == NULL ? starved(err) : feed_scene(&f, &all, err);
    carom_unref(client);
    if (outcome == CAROM_OK && result != NULL) {
        *result = f.result;
    }
    free(f.ids);
    scene_deinit(&loaded);
    return outcome;
}
