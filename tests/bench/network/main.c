// carom-bench-network: what a client's picture of a world costs on the wire.
//
// Each scene is run with the server's own publisher: one subscription of encoding plain, one of
// packed, both taken at once; every byte of their notifications is counted, and what gzip and zstd
// would leave of the plain ones. The log's bytes are the commands of each tick and the hash, as a
// replica is sent them. The coder alone is then timed on the same rows, and its answer checked by a
// decoder.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "proto/packed/packed.h"
#include "server/world/publisher.h"
#include "tests/bench/clock.h"
#include "tests/bench/network/scenes.h"
#include "tests/bench/network/streams.h"
#include "tests/bench/table.h"

enum { PLAIN = 1, PACKED = 2, BODIES_MAX = 1024, BYTES_MAX = 64 << 20 };

// What was sent on both subscriptions.
typedef struct traffic {
    publisher *publisher;
    stream_packer *gzip, *zstd;
    double plain, packed, gzip_bytes, zstd_bytes; // bytes
    uint64_t written[BYTES_MAX >> 20];
    uint32_t written_count;
    double log;
} traffic;

static void take(void *context, reply *r)
{
    traffic *t = context;
    ASSERT(r->kind == REPLY_SNAPSHOT);
    size_t head = 0;
    const uint8_t *bytes = reply_payload(r, &head);
    const double size = (double)(head + r->tail->size);
    if (r->subscription == PACKED) {
        t->packed += size;
    } else {
        t->plain += size;
        t->gzip_bytes += t->gzip == NULL ? 0.0
                                         : (double)stream_packer_add(t->gzip, bytes, head,
                                                                     r->tail->data, r->tail->size);
        t->zstd_bytes += t->zstd == NULL ? 0.0
                                         : (double)stream_packer_add(t->zstd, bytes, head,
                                                                     r->tail->data, r->tail->size);
    }
    t->written[t->written_count++] = r->subscription;
    reply_free(r);
}

static void subscribe(publisher *p, physics_world *world, uint64_t number,
                      snapshot_encoding encoding, const network_scene *s)
{
    const session_key session = {.slot = (uint32_t)number, .number = number};
    const subscribe_args view = {
        .encoding = encoding,
        .bodies = true,
        .precision = {.position = s->precision, .angle = 2.0 * 3.14159265358979323846 / 1024.0}};
    publisher_subscribe(p, world, number, session, &view);
}

// A tick's notification of encoding log with these commands.
static double log_bytes(uint64_t tick, uint32_t commands, body_id ball)
{
    static uint8_t arguments[] = {0x83, 0xa5, 'w',  'o', 'r', 'l', 'd',  0xa3, 'l', 'a', 'b',
                                  0xa4, 'b',  'o',  'd', 'y', 0,   0xa5, 'f',  'o', 'r', 'c',
                                  'e',  0x92, 0xcb, 0,   0,   0,   0,    0,    0,   0,   0,
                                  0xcb, 0,    0,    0,   0,   0,   0,    0,    0};
    arguments[16] = (uint8_t)(ball & 0x7f);
    const log_command row = {.tick = tick,
                             .session = 5,
                             .method = "body.force",
                             .method_size = 10,
                             .arguments = arguments,
                             .arguments_size = sizeof arguments};
    buffer rows;
    buffer out;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&out, BYTES_MAX);
    for (uint32_t i = 0; i < commands; i++) {
        log_command_encode(&rows, &row);
    }
    const log_record record = {.from = tick - 1,
                               .tick = tick,
                               .command_count = commands,
                               .commands = rows.data,
                               .commands_size = rows.size,
                               .has_hash = true};
    const snapshot_head head = {.subscription = 3};
    const uint32_t pairs = encode_log_tail(&out, "lab", 1, &record);
    encode_snapshot_head(&out, &head, pairs);
    const double size = (double)out.size;
    buffer_deinit(&rows);
    buffer_deinit(&out);
    return size;
}

// The rows of every tick, for the coder alone.
typedef struct history {
    packed_body *bodies;
    int per_tick, ticks;
} history;

static void note_rows(history *h, const physics_world *world)
{
    static body_row rows[BODIES_MAX];
    const uint32_t count = world_rows(world, rows, BODIES_MAX);
    ASSERT(h->per_tick == 0 || (int)count == h->per_tick);
    h->per_tick = (int)count;
    for (uint32_t i = 0; i < count; i++) {
        const body_row *r = &rows[i];
        h->bodies[(size_t)h->ticks * count + i] = (packed_body){r->id,
                                                                r->position.x,
                                                                r->position.y,
                                                                (double)r->angle,
                                                                (double)r->velocity.x,
                                                                (double)r->velocity.y,
                                                                (double)r->angular_velocity};
    }
    h->ticks++;
}

static traffic run_scene(const network_scene *s, double seconds, history *h)
{
    const limits bounds = limits_default();
    traffic t = {.gzip = stream_packer_gzip(), .zstd = stream_packer_zstd()};
    body_id ball = 0;
    physics_world *world = network_scene_create(s, &ball);
    publisher p;
    publisher_init(&p, &bounds, "lab", 1);
    if (s->until == 0.0) { // all comes to rest before anybody looks
        uint32_t none = 0;
        for (int i = 0; i < 20 * (int)s->hz; i++) {
            network_scene_step(s, world, ball, &none);
        }
    }
    subscribe(&p, world, PLAIN, ENCODING_PLAIN, s);
    subscribe(&p, world, PACKED, ENCODING_PACKED, s);
    const int ticks = (int)(seconds * s->hz);
    for (int i = 0; i < ticks; i++) {
        uint32_t commands = 0;
        network_scene_step(s, world, ball, &commands);
        publisher_note_step(&p, world);
        publisher_publish(&p, world, false, (reply_sink){take, &t});
        for (uint32_t k = 0; k < t.written_count; k++) {
            publisher_acknowledge(&p, t.written[k]);
        }
        t.written_count = 0;
        if (i == 0) {
            t.plain = t.packed = t.gzip_bytes = t.zstd_bytes = 0.0; // the full ones
        } else {
            t.log += log_bytes(world_tick(world), commands, ball);
        }
        note_rows(h, world);
    }
    publisher_deinit(&p);
    world_free(world);
    stream_packer_free(t.gzip);
    stream_packer_free(t.zstd);
    return t;
}

typedef struct coded {
    double bits;      // of data, in all
    double moving;    // bodies that were coded, in all
    double encode_ns; // a body that was coded
    double decode_ns;
    double full_bytes; // in the end, for one who joins
    double worst;      // error of a place, in steps
} coded;

static double worst_of(const packed_changes *c, const packed_body *bodies, int count, double steps)
{
    double worst = 0.0;
    int at = 0;
    for (uint32_t i = 0; i < c->body_count; i++) {
        while (at < count && bodies[at].id != c->bodies[i].id) {
            at++;
        }
        ASSERT(at < count);
        worst = fmax(worst, fabs(c->bodies[i].x - bodies[at].x) * steps);
        worst = fmax(worst, fabs(c->bodies[i].y - bodies[at].y) * steps);
    }
    return worst;
}

static coded run_coder(const network_scene *s, const history *h)
{
    packed_precision precision = packed_precision_default();
    precision.position_steps = 1.0 / s->precision;
    packed_encoder *e = packed_encoder_create(&precision, s->hz);
    packed_decoder *d = packed_decoder_create();
    coded r = {0};
    double encoding = 0.0;
    double decoding = 0.0;
    buffer out;
    buffer_init(&out, BYTES_MAX);
    for (int i = 0; i < h->ticks; i++) {
        const packed_body *bodies = h->bodies + (size_t)i * (size_t)h->per_tick;
        packed_changes c;
        error err;
        buffer_clear(&out);
        double begin = clock_seconds(CLOCK_CPU);
        packed_encode(e, (uint64_t)i, bodies, (uint32_t)h->per_tick, NULL, 0, &out);
        const double encoded = clock_seconds(CLOCK_CPU) - begin;
        if (i == 0) {
            buffer_clear(&out);
            packed_encode_full(e, &out);
        }
        begin = clock_seconds(CLOCK_CPU);
        const status done = packed_decode(d, out.data, out.size, &c, &err);
        ASSERT(done == STATUS_OK);
        if (i > 0) {
            encoding += encoded;
            decoding += clock_seconds(CLOCK_CPU) - begin;
            r.bits += 8.0 * (double)out.size;
            r.moving += c.body_count;
        }
        r.worst = fmax(r.worst, worst_of(&c, bodies, h->per_tick, precision.position_steps));
    }
    buffer_clear(&out);
    packed_encode_full(e, &out);
    r.full_bytes = (double)out.size;
    r.encode_ns = encoding * 1e9 / r.moving;
    r.decode_ns = decoding * 1e9 / r.moving;
    buffer_deinit(&out);
    packed_encoder_destroy(e);
    packed_decoder_destroy(d);
    return r;
}

static void run(const network_scene *s, double seconds, table *wire, table *coder)
{
    const size_t rows = (size_t)(seconds * s->hz + 1.0) * BODIES_MAX;
    history h = {.bodies = malloc(rows * sizeof *h.bodies)};
    ASSERT(h.bodies != NULL);
    const traffic t = run_scene(s, seconds, &h);
    const coded c = run_coder(s, &h);
    const double snapshots = h.ticks - 1.0;
    const double kbit = 8.0 * s->hz / snapshots / 1000.0; // a byte of all, in kbit/s
    table_text(wire, s->name);
    table_number(wire, t.plain * kbit, 3);
    table_number(wire, t.gzip == NULL ? -1.0 : t.gzip_bytes * kbit, 3);
    table_number(wire, t.zstd == NULL ? -1.0 : t.zstd_bytes * kbit, 3);
    table_number(wire, t.packed * kbit, 3);
    table_number(wire, t.log * kbit, 3);
    table_ratio(wire, t.packed / t.plain);
    table_text(coder, s->name);
    table_number(coder, c.moving / snapshots / s->bodies, 3);
    table_number(coder, c.bits / snapshots / s->bodies, 3);
    table_number(coder, c.bits / c.moving, 3);
    table_number(coder, c.bits / snapshots * s->hz / 1000.0, 3);
    table_number(coder, c.encode_ns, 3);
    table_number(coder, c.decode_ns, 3);
    table_number(coder, c.full_bytes / 1000.0, 3);
    table_number(coder, c.worst, 3);
    free(h.bodies);
}

// ---- views with areas

enum { SQUARE = 100, VIEW_TICKS = 20 }; // bodies along a side of the world; ticks that are timed

static void drop_snapshot(void *context, reply *r)
{
    traffic *t = context;
    t->packed += (double)r->tail->size;
    t->written_count++;
    reply_free(r);
}

// Circles that fly about, 4 m apart.
static physics_world *free_world(void)
{
    world_def def = world_def_default();
    physics_world *world = NULL;
    def.gravity = (vec2d){0.0, 0.0};
    const status made = world_create(&def, &world, NULL);
    ASSERT(made == STATUS_OK);
    body_def body = body_def_default();
    shape_def shape = shape_def_default();
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    body_id id = 0;
    for (int i = 0; i < SQUARE * SQUARE; i++) {
        body.position = (vec2d){4.0 * (i % SQUARE), 4.0 * (i / SQUARE)};
        body.velocity = (vec2d){sin(i * 12.9898), cos(i * 78.233)};
        const status spawned = body_spawn(world, &body, &shape, 1, &id, NULL, NULL);
        ASSERT(spawned == STATUS_OK);
    }
    return world;
}

// Time of the thread for one view's snapshot, of a world of 10 000 bodies of which it sees some 30
// [us].
static double time_of_view(snapshot_encoding encoding, int views)
{
    const limits bounds = limits_default();
    traffic t = {0};
    physics_world *world = free_world();
    publisher p;
    publisher_init(&p, &bounds, "lab", 1);
    const session_key session = {.slot = 1, .number = 1};
    for (int i = 0; i < views; i++) {
        const double x = 380.0 * fabs(sin(i * 1.7));
        const double y = 380.0 * fabs(sin(i * 2.9));
        const subscribe_args view = {.encoding = encoding,
                                     .bodies = true,
                                     .precision = {.position = 1.0 / 512.0, .angle = 0.0062},
                                     .has_area = true,
                                     .area = {x, y, x + 20.0, y + 20.0}};
        publisher_subscribe(&p, world, (uint64_t)i + 1, session, &view);
    }
    double seconds = 0.0;
    for (int i = 0; i <= VIEW_TICKS; i++) {
        world_step(world);
        publisher_note_step(&p, world);
        const double begin = clock_seconds(CLOCK_CPU);
        publisher_publish(&p, world, false, (reply_sink){drop_snapshot, &t});
        for (int k = 0; k < views; k++) {
            publisher_acknowledge(&p, (uint64_t)k + 1);
        }
        seconds += i > 0 ? clock_seconds(CLOCK_CPU) - begin : 0.0; // the first ones are full
    }
    publisher_deinit(&p);
    world_free(world);
    return seconds * 1e6 / VIEW_TICKS / views;
}

static void run_views(void)
{
    static const char *const HEADS[] = {"<views", "plain [us]", "packed [us]", NULL};
    static const int COUNTS[] = {1, 10, 100, 1000};
    table *t = table_create(HEADS);
    for (size_t i = 0; i < sizeof COUNTS / sizeof *COUNTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "%d", COUNTS[i]);
        table_text(t, name);
        table_number(t, time_of_view(ENCODING_PLAIN, COUNTS[i]), 3);
        table_number(t, time_of_view(ENCODING_PACKED, COUNTS[i]), 3);
    }
    printf("\nOne view's share of a tick's snapshots, areas with some 30 bodies of 10 000:\n\n");
    table_print(t, stdout);
    table_free(t);
}

static const char USAGE[] =
    "Usage: carom-bench-network [--scenes NAME,…] [--seconds N]\n"
    "Scenes: quarter, all, colliding, rest, and views (all of them); N seconds of each (60).\n";

static bool is_named(const char *list, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = list; at != NULL; at = strchr(at, ',')) {
        at += *at == ',';
        if (strncmp(at, name, size) == 0 && (at[size] == ',' || at[size] == '\0')) {
            return true;
        }
    }
    return list == NULL;
}

int main(int argc, char **argv)
{
    const char *names = NULL;
    double seconds = 60.0;
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 < argc && strcmp(argv[i], "--scenes") == 0) {
            names = argv[i + 1];
        } else if (i + 1 < argc && strcmp(argv[i], "--seconds") == 0) {
            seconds = strtod(argv[i + 1], NULL);
        } else {
            fputs(USAGE, stderr);
            return strcmp(argv[i], "--help") == 0 ? 0 : 2;
        }
    }
    if (!(seconds >= 1.0 && seconds <= 600.0)) {
        fprintf(stderr, "carom-bench-network: --seconds: 1 to 600\n");
        return 2;
    }
    static const char *const WIRE[] = {
        "<scene",          "plain [kbit/s]", "gzip of plain",   "zstd of plain",
        "packed [kbit/s]", "log [kbit/s]",   "packed to plain", NULL};
    static const char *const CODER[] = {
        "<scene",      "share coded", "bits a body", "bits a body coded",   "kbit/s of data",
        "encode [ns]", "decode [ns]", "full [kB]",   "worst error [steps]", NULL};
    table *wire = table_create(WIRE);
    table *coder = table_create(CODER);
    int count;
    const network_scene *scenes = network_scenes(&count);
    for (int i = 0; i < count; i++) {
        if (is_named(names, scenes[i].name)) {
            run(&scenes[i], seconds, wire, coder);
        }
    }
    printf("Whole notifications to one client:\n\n");
    table_print(wire, stdout);
    printf("\nThe coder alone, times of a body that is coded:\n\n");
    table_print(coder, stdout);
    table_free(wire);
    table_free(coder);
    if (is_named(names, "views")) {
        run_views();
    }
    return 0;
}
