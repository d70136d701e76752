// The bytes of a client's picture of a world.
//
// Each scene is run with the server's own publisher: one subscription of encoding plain, one of
// packed, both served together; all bytes of their notifications are counted, and the size of the
// plain ones after gzip and zstd. The log's bytes are the commands of each tick and the hash, in
// both forms that replicas receive: as maps, and compact. The coder alone is then timed on the same
// rows, and a decoder checks its output.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "proto/encode/encode.h"
#include "proto/log/log_compact.h"
#include "server/world/snapshots/publisher.h"
#include "tests/bench/network/coder.h"
#include "tests/bench/network/history.h"
#include "tests/bench/network/parts.h"
#include "tests/bench/network/scenes.h"
#include "tests/bench/network/streams.h"
#include "tests/bench/plot.h"

enum { PLAIN = 1, PACKED = 2, SLOW_HZ = 20, BYTES_MAX = 64 << 20 };

// The traffic of both subscriptions.
typedef struct traffic {
    publisher *publisher;
    stream_packer *gzip, *zstd;
    double plain, packed, gzip_bytes, zstd_bytes; // bytes
    uint64_t written[BYTES_MAX >> 20];
    uint32_t written_count;
    double log, log_slow; // at rate SLOW_HZ: one record for several ticks
    double compact, compact_slow;
} traffic;

static void take(void *context, reply *r)
{
    traffic *t = context;
    ASSERT(r->kind == REPLY_SNAPSHOT);
    ASSERT(r->delivery_count == 1); // the two readers never share bytes
    buffer written;
    buffer_init(&written, DELIVERY_HEAD_BYTES_MAX);
    delivery_head(r, r->deliveries, &written);
    const uint8_t *bytes = written.data;
    const size_t head = written.size;
    const uint64_t number = r->deliveries->subscription;
    const double size = (double)(head + r->tail->size);
    if (number == PACKED) {
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
    t->written[t->written_count++] = number;
    buffer_deinit(&written);
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
    publisher_subscribe(p, world, number, session, session.number, &view);
}

// A notification of encoding log.
static double log_bytes(const log_record *record)
{
    buffer out;
    buffer_init(&out, BYTES_MAX);
    const snapshot_head head = {.subscription = 3};
    const uint32_t pairs = encode_log_tail(&out, "lab", 1, record);
    encode_snapshot_head(&out, &head, pairs);
    const double size = (double)out.size;
    buffer_deinit(&out);
    return size;
}

// The same in the compact form, with the hash in the records in which the server sends one.
static double compact_bytes(const log_record *record, double hz)
{
    buffer tail;
    buffer head;
    buffer_init(&tail, BYTES_MAX);
    buffer_init(&head, DELIVERY_HEAD_BYTES_MAX);
    log_record told = *record;
    told.has_hash = log_compact_bears_hash(record, hz);
    const bool has_form = log_compact_encode(&tail, &told, "lab");
    ASSERT(has_form);
    encode_compact_head(&head, &(snapshot_head){.subscription = 3}, tail.size);
    const double size = (double)(head.size + tail.size);
    buffer_deinit(&head);
    buffer_deinit(&tail);
    return size;
}

// Commands of several ticks, for a log that is sent less often.
typedef struct slow_log {
    scene_commands commands;
    uint64_t from;
} slow_log;

static void count_log(traffic *t, slow_log *slow, const network_scene *s, const log_record *record)
{
    t->log += log_bytes(record);
    t->compact += compact_bytes(record, s->hz);
    buffer_append(&slow->commands.rows, record->commands, record->commands_size);
    slow->commands.count += record->command_count;
    if ((double)(record->tick - slow->from) * SLOW_HZ >= s->hz) {
        log_record several = *record;
        several.from = slow->from;
        several.command_count = slow->commands.count;
        several.commands = slow->commands.rows.data;
        several.commands_size = slow->commands.rows.size;
        t->log_slow += log_bytes(&several);
        t->compact_slow += compact_bytes(&several, s->hz);
        slow->from = record->tick;
        slow->commands.count = 0;
        buffer_clear(&slow->commands.rows);
    }
}

static traffic run_scene(const network_scene *s, double seconds, history *h)
{
    const limits bounds = limits_default();
    traffic t = {.gzip = stream_packer_gzip(), .zstd = stream_packer_zstd()};
    scene_commands commands;
    slow_log slow = {.from = 0};
    body_id ball = 0;
    physics_world *world = network_scene_create(s, &ball);
    publisher p;
    publisher_init(&p, &bounds, "lab", 1);
    scene_commands_init(&commands);
    scene_commands_init(&slow.commands);
    if (s->until == 0.0) { // everything comes to rest before the measurement
        for (int i = 0; i < 20 * (int)s->hz; i++) {
            network_scene_step(s, world, ball, &commands);
        }
    }
    subscribe(&p, world, PLAIN, ENCODING_PLAIN, s);
    subscribe(&p, world, PACKED, ENCODING_PACKED, s);
    const int ticks = (int)(seconds * s->hz);
    slow.from = world_tick(world) + 1;
    for (int i = 0; i < ticks; i++) {
        network_scene_step(s, world, ball, &commands);
        publisher_note_step(&p, world);
        publisher_publish(&p, world, false, NULL, (reply_sink){take, &t});
        for (uint32_t k = 0; k < t.written_count; k++) {
            publisher_acknowledge(&p, t.written[k]);
        }
        t.written_count = 0;
        if (i == 0) {
            t.plain = t.packed = t.gzip_bytes = t.zstd_bytes = 0.0; // the full ones
        } else {
            const log_record record = network_scene_record(world, &commands);
            count_log(&t, &slow, s, &record);
        }
        history_note(h, world);
    }
    scene_commands_deinit(&commands);
    scene_commands_deinit(&slow.commands);
    publisher_deinit(&p);
    world_free(world);
    stream_packer_free(t.gzip);
    stream_packer_free(t.zstd);
    return t;
}

// ---- tables and plot

enum { ENCODINGS = 8, SCENES_MAX = 8 };

typedef struct found {
    const network_scene *scene;
    double kbit[ENCODINGS]; // kbit/s of whole notifications; negative: unknown
    double snapshots;
    coded coded;
} found;

static const char *const ENCODING_NAMES[ENCODINGS] = {
    "plain", "gzip of plain", "zstd of plain", "packed",
    "log",   "log, rate 20",  "compact log",   "compact log, rate 20"};

static found measure(const network_scene *s, double seconds)
{
    history h;
    history_init(&h, (int)(seconds * s->hz) + 1);
    const traffic t = run_scene(s, seconds, &h);
    found f = {.scene = s, .snapshots = h.ticks - 1.0, .coded = coder_run(s, &h)};
    const double bytes[ENCODINGS] = {t.plain,
                                     t.gzip == NULL ? -1.0 : t.gzip_bytes,
                                     t.zstd == NULL ? -1.0 : t.zstd_bytes,
                                     t.packed,
                                     t.log,
                                     t.log_slow,
                                     t.compact,
                                     t.compact_slow};
    for (int i = 0; i < ENCODINGS; i++) {
        f.kbit[i] = bytes[i] * 8.0 * s->hz / f.snapshots / 1000.0;
    }
    history_deinit(&h);
    return f;
}

static void add_wire(table *wire, table *bits, const found *f)
{
    table_text(wire, f->scene->name);
    table_text(bits, f->scene->name);
    for (int i = 0; i < ENCODINGS; i++) {
        table_number(wire, f->kbit[i], 3);
        table_number(bits, f->kbit[i] * 1000.0 / f->scene->hz / f->scene->bodies, 3);
    }
    table_ratio(wire, f->kbit[3] / f->kbit[0]);
}

static void add_coder(table *coder, const found *f)
{
    const coded *c = &f->coded;
    table_text(coder, f->scene->name);
    table_number(coder, c->moving / f->snapshots / f->scene->bodies, 3);
    table_number(coder, c->bits / f->snapshots / f->scene->bodies, 3);
    table_number(coder, c->bits / c->moving, 3);
    table_number(coder, c->bits / f->snapshots * f->scene->hz / 1000.0, 3);
    table_number(coder, c->encode_ns, 3);
    table_number(coder, c->decode_ns, 3);
    table_number(coder, c->full_bytes / 1000.0, 3);
    table_number(coder, c->worst, 3);
}

static void draw(const bench_run *run, const found *all, int count)
{
    static const char *const COLORS[ENCODINGS] = {"#d62728", "#ff7f0e", "#bcbd22", "#1f77b4",
                                                  "#2ca02c", "#98df8a", "#9467bd", "#c5b0d5"};
    static plot_series series[ENCODINGS];
    const char *names[SCENES_MAX];
    for (int i = 0; i < ENCODINGS; i++) {
        series[i] = (plot_series){.name = ENCODING_NAMES[i], .color = COLORS[i]};
        for (int k = 0; k < count; k++) {
            names[k] = all[k].scene->name;
            if (all[k].kbit[i] > 0.0) {
                series[i].x[series[i].count] = k + 1.0;
                series[i].y[series[i].count++] = all[k].kbit[i];
            }
        }
    }
    const plot p = {.title = "Bandwidth of a client",
                    .x_title = "scene",
                    .y_title = "kbit/s",
                    .series = series,
                    .count = ENCODINGS,
                    .places = names,
                    .place_count = count};
    report_plot(run->report, "bandwidth", &p);
}

void part_bandwidth(const bench_run *run)
{
    static const char *const WIRE[] = {"<scene",
                                       "plain [kbit/s]",
                                       "gzip of plain",
                                       "zstd of plain",
                                       "packed [kbit/s]",
                                       "log [kbit/s]",
                                       "log, rate 20",
                                       "compact log",
                                       "compact log, rate 20",
                                       "packed to plain",
                                       NULL};
    static const char *const BITS[] = {
        "<scene", "plain",        "gzip of plain", "zstd of plain",        "packed",
        "log",    "log, rate 20", "compact log",   "compact log, rate 20", NULL};
    static const char *const CODER[] = {
        "<scene",      "share coded", "bits a body", "bits a body coded",   "kbit/s of data",
        "encode [ns]", "decode [ns]", "full [kB]",   "worst error [steps]", NULL};
    table *wire = table_create(WIRE);
    table *bits = table_create(BITS);
    table *coder = table_create(CODER);
    found all[SCENES_MAX];
    int found_count = 0;
    int count;
    const network_scene *scenes = network_scenes(&count);
    ASSERT(count <= SCENES_MAX);
    for (int i = 0; i < count; i++) {
        if (is_named(run->scenes, scenes[i].name)) {
            found *f = &all[found_count++];
            *f = measure(&scenes[i], run->seconds > 0.0 ? run->seconds : scenes[i].seconds);
            add_wire(wire, bits, f);
            add_coder(coder, f);
        }
    }
    report_add(run->report, "bandwidth", "Whole notifications to one client:", wire);
    report_add(run->report, "bits", "The same in bits, to a body of the world and a tick:", bits);
    report_add(run->report, "coder",
               "The packed coder alone, times of a body that is coded:", coder);
    draw(run, all, found_count);
}
