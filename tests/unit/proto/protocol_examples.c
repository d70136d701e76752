// The examples of PROTOCOL.md, made by the code that it describes.
//
//   protocol_examples examples     each message of each example as a line of JSON:
//                                  {"name", "from": "client" | "server", "value", "hex"}
//   protocol_examples reference    the methods' arguments, from the table, as Markdown
//   protocol_examples bytes        bytes that are no message, piece by piece, as lines of JSON:
//                                  {"name", "hex", "meaning"}
//   protocol_examples limits       the limits of proto/limits.h that the text names, as NAME VALUE
//
// Requests are decoded and, where the engine answers them, applied to a real world, so the document
// cannot show what would not work. Values that depend on the engine's inside (hashes) or on time
// are fixed numbers. test_protocol.py compares the document with this, and writes it into it on
// demand.
#include <math.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/world/apply.h"
#include "proto/commands/command_decode.h"
#include "proto/wire/buffer.h"
#include "proto/encode/encode.h"
#include "proto/wire/json.h"
#include "proto/limits.h"
#include "proto/log/log_compact.h"
#include "proto/log/log_stream.h"
#include "proto/packed/packed.h"
#include "proto/wire/rpc.h"
#include "tests/unit/proto/packed_example.h"

enum { BYTES_MAX = 1 << 20 };

static const uint64_t HASH = 0x9f8e7d6c5b4a3928u;

static physics_world *world;
static uint32_t next_id = 1;

// ---- output

static void print_message(const char *name, const char *from, const buffer *bytes)
{
    msgpack_unpacked unpacked;
    buffer text;
    size_t offset = 0;
    error err;
    msgpack_unpacked_init(&unpacked);
    buffer_init(&text, BYTES_MAX);
    msgpack_unpack_return got =
        msgpack_unpack_next(&unpacked, (const char *)bytes->data, bytes->size, &offset);
    ASSERT(got == MSGPACK_UNPACK_SUCCESS && offset == bytes->size);
    status s = json_text_from_msgpack(&unpacked.data, JSON_STYLE_COMPACT, &text, &err);
    ASSERT(s == STATUS_OK);
    printf("{\"name\": \"%s\", \"from\": \"%s\", \"value\": %.*s, \"hex\": \"", name, from,
           (int)text.size, (const char *)text.data);
    for (size_t i = 0; i < bytes->size; i++) {
        printf("%02x", bytes->data[i]);
    }
    printf("\"}\n");
    buffer_deinit(&text);
    msgpack_unpacked_destroy(&unpacked);
}

static void print_and_free(const char *name, const char *from, buffer *bytes)
{
    print_message(name, from, bytes);
    buffer_deinit(bytes);
}

// ---- requests

static void append_json(buffer *out, const char *json)
{
    error err = {0};
    status s = json_text_to_msgpack(json, strlen(json), out, &err);
    if (s != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", json, err.text);
        abort();
    }
}

// The command that a server makes of the message, or the error that it answers.
static status decode(const buffer *bytes, command *out, error *err)
{
    rpc_message m;
    rpc_verdict verdict = rpc_decode(bytes->data, bytes->size, &m, err);
    ASSERT(verdict == RPC_GOOD);
    const method_info *info = method_find(m.method, m.method_size);
    ASSERT(info != NULL);
    status s = command_decode(info->id, &m.params, out, err);
    rpc_message_deinit(&m);
    return s;
}

// Prints the request and returns it decoded.
static command request(const char *name, method m, const char *arguments)
{
    buffer bytes;
    command c;
    error err = {0};
    buffer_init(&bytes, BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_request(&packer, next_id, method_name(m));
    append_json(&bytes, arguments);
    if (decode(&bytes, &c, &err) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        abort();
    }
    print_and_free(name, "client", &bytes);
    return c;
}

static msgpack_packer begin_response(buffer *bytes)
{
    buffer_init(bytes, BYTES_MAX);
    msgpack_packer packer = buffer_packer(bytes);
    rpc_pack_response(&packer, next_id++);
    return packer;
}

// A request that the engine answers.
static void applied(method m, const char *arguments)
{
    const char *name = method_name(m);
    command c = request(name, m, arguments);
    command_result r;
    error err = {0};
    buffer bytes;
    if (apply_command(world, &c, &r, &err) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", name, err.text);
        abort();
    }
    if (m == METHOD_WORLD_STATE) {
        r.state.hash = HASH;
    }
    for (uint32_t i = 0; (m == METHOD_QUERY_RAY || m == METHOD_QUERY_CAST) && i < r.hits.count;
         i++) {
        r.hits.hits[i].fraction = round(r.hits.hits[i].fraction * 1e6) / 1e6;
    }
    begin_response(&bytes);
    encode_command_result(&bytes, &r);
    print_and_free(name, "server", &bytes);
    command_result_free(&r);
    command_free(&c);
}

static void do_hello(void)
{
    const named_number limits[] = {{"message_bytes", WIRE_MESSAGE_BYTES_DEFAULT + 65536, true},
                                   {"subscriptions_per_connection", 64, true}};
    command c = request("hello", METHOD_HELLO, "{\"protocol\": 1, \"client\": \"pong 1.0\"}");
    buffer bytes;
    begin_response(&bytes);
    encode_hello_result(&bytes, &(hello_result){.protocol = PROTOCOL_VERSION,
                                                .server = "caromd",
                                                .version = "0.1.0",
                                                .engine = ENGINE_BEHAVIOUR,
                                                .compact = log_compact_tables(),
                                                .session = 7,
                                                .resume = "3.7.5f8a",
                                                .role = ROLE_ADMIN,
                                                .limits = limits,
                                                .limit_count = 2});
    print_and_free("hello", "server", &bytes);
    command_free(&c);
}

static void do_ping(void)
{
    command c = request("ping", METHOD_PING, "{\"any\": [1, \"two\"]}");
    buffer bytes;
    begin_response(&bytes);
    encode_ping_result(&bytes, 1234.5, &c.ping);
    print_and_free("ping", "server", &bytes);
    command_free(&c);
}

static void do_resume(void)
{
    const named_number limits[] = {{"resume_ms", 30000, true}};
    const applied_request applied[] = {{"lab", 17}};
    const uint32_t pending[] = {19};
    const subscription_name subscriptions[] = {{3, "lab"}};
    const resumed_result resumed = {applied, 1, pending, 1, subscriptions, 1};
    command c = request("resume", METHOD_HELLO, "{\"resume\": \"3.7.5f8a\"}");
    buffer bytes;
    begin_response(&bytes);
    encode_hello_result(&bytes, &(hello_result){.protocol = PROTOCOL_VERSION,
                                                .server = "caromd",
                                                .version = "0.1.0",
                                                .engine = ENGINE_BEHAVIOUR,
                                                .compact = log_compact_tables(),
                                                .session = 7,
                                                .resume = "3.7.5f8a",
                                                .role = ROLE_ADMIN,
                                                .limits = limits,
                                                .limit_count = 1,
                                                .resumed = &resumed});
    print_and_free("resume", "server", &bytes);
    command_free(&c);
}

static void do_goodbye(void)
{
    buffer bytes;
    request("goodbye", METHOD_GOODBYE, "{}");
    begin_response(&bytes);
    encode_empty_result(&bytes);
    print_and_free("goodbye", "server", &bytes);
}

static void do_sessions(void)
{
    const subscription_name subscriptions[] = {{3, "lab"}};
    const session_info info = {.session = 7,
                               .client = "pong 1.0",
                               .address = "127.0.0.1:40404",
                               .connected = true,
                               .since = 1700000000.5,
                               .idle = 0.25,
                               .role = ROLE_ADMIN,
                               .subject = "",
                               .subscriptions = subscriptions,
                               .subscription_count = 1,
                               .in_flight = 1,
                               .received_bytes = 412,
                               .sent_bytes = 90210,
                               .queued_bytes = 1024,
                               .lag = 0.125};
    buffer row;
    buffer_init(&row, WIRE_REPLY_BYTES_MAX);
    encode_session_info(&row, &info);
    const encoded_list list = {row.data, row.size, 1};
    buffer bytes;
    request("server.sessions", METHOD_SERVER_SESSIONS, "{\"count\": 1}");
    begin_response(&bytes);
    encode_sessions_result(&bytes, &list, 2);
    print_and_free("server.sessions", "server", &bytes);
    buffer_deinit(&row);
    command c =
        request("server.kick", METHOD_SERVER_KICK, "{\"session\": 7, \"reason\": \"maintenance\"}");
    begin_response(&bytes);
    encode_empty_result(&bytes);
    print_and_free("server.kick", "server", &bytes);
    command_free(&c);
}

static void do_server(void)
{
    const named_number numbers[] = {{"ticks", 3600, true}, {"requests", 12, true}};
    const latency_summary latencies[] = {
        {"step", 3600, 0.0001, 0.00015, 0.0002, 0.0004, 0.0005, NULL, 0}};
    const named_number limits[] = {{"worlds", 256, true}};
    buffer bytes;
    request("server.info", METHOD_SERVER_INFO, "{}");
    begin_response(&bytes);
    encode_server_info_result(&bytes, &(server_info_result){.server = "caromd",
                                                            .version = "0.1.0",
                                                            .uptime = 60.5,
                                                            .worlds = 1,
                                                            .sessions = 2,
                                                            .limits = limits,
                                                            .limit_count = 1});
    print_and_free("server.info", "server", &bytes);
    request("server.stats", METHOD_SERVER_STATS, "{}");
    begin_response(&bytes);
    encode_server_stats_result(&bytes, numbers, 2, latencies, 1);
    print_and_free("server.stats", "server", &bytes);
}

static void world_tick_answer(method m, const char *arguments, uint64_t tick)
{
    command c = request(method_name(m), m, arguments);
    buffer bytes;
    begin_response(&bytes);
    if (m == METHOD_WORLD_CREATE || m == METHOD_WORLD_FORK) {
        encode_world_create_result(&bytes, m == METHOD_WORLD_FORK ? c.fork.as : c.world, tick,
                                   true);
    } else {
        encode_world_tick_result(&bytes, c.world, tick);
    }
    print_and_free(method_name(m), "server", &bytes);
    command_free(&c);
}

// A real one is longer.
static const uint8_t SHORT_IMAGE[] = {0xca, 0x70, 0x3e};

static void do_image_and_fork(void)
{
    command c =
        request(method_name(METHOD_WORLD_IMAGE), METHOD_WORLD_IMAGE, "{\"world\": \"lab\"}");
    buffer bytes;
    begin_response(&bytes);
    encode_world_image_result(&bytes, SHORT_IMAGE, sizeof SHORT_IMAGE, 130,
                              UINT64_C(0x9f8e7d6c5b4a3928));
    print_and_free(method_name(METHOD_WORLD_IMAGE), "server", &bytes);
    command_free(&c);
    world_tick_answer(METHOD_WORLD_FORK, "{\"world\": \"lab\", \"as\": \"lab-2\"}", 130);
}

static void print_log_notification(const log_record *record)
{
    buffer tail;
    buffer bytes;
    buffer_init(&tail, 4096);
    buffer_init(&bytes, 4096);
    uint32_t pairs = encode_log_tail(&tail, "lab", 1, record);
    encode_snapshot_head(&bytes, &(snapshot_head){.subscription = 4}, pairs);
    buffer_append(&bytes, tail.data, tail.size);
    buffer_deinit(&tail);
    print_and_free("log", "server", &bytes);
}

static void add_force(buffer *rows, uint64_t tick, const uint8_t *arguments, size_t size)
{
    const log_command row = {.tick = tick,
                             .session = 5,
                             .method = "body.force",
                             .method_size = 10,
                             .arguments = arguments,
                             .arguments_size = (uint32_t)size};
    log_command_encode(rows, &row);
}

// Three ticks, of which two bring a force on body 7 of world "lab": [8, -0.5], then [8, -0.25].
static size_t compact_record(buffer *out)
{
    uint8_t arguments[] = {0x83, 0xa5, 'w',  'o',  'r',  'l', 'd',  0xa3, 'l', 'a', 'b',
                           0xa4, 'b',  'o',  'd',  'y',  7,   0xa5, 'f',  'o', 'r', 'c',
                           'e',  0x92, 0xcb, 0x40, 0x20, 0,   0,    0,    0,   0,   0,
                           0xcb, 0xbf, 0xe0, 0,    0,    0,   0,    0,    0};
    buffer rows;
    buffer_init(&rows, 256);
    add_force(&rows, 101, arguments, sizeof arguments);
    arguments[sizeof arguments - 7] = 0xd0;
    add_force(&rows, 102, arguments, sizeof arguments);
    const log_record record = {.from = 100,
                               .tick = 103,
                               .command_count = 2,
                               .commands = rows.data,
                               .commands_size = rows.size,
                               .has_hash = true,
                               .hash = UINT64_C(0x9f8e7d6c5b4a3928)};
    const bool made = log_compact_encode(out, &record, "lab");
    ASSERT(made);
    buffer_deinit(&rows);
    return out->size;
}

static void print_compact_notification(void)
{
    buffer tail;
    buffer bytes;
    buffer_init(&tail, 256);
    buffer_init(&bytes, 256);
    encode_compact_head(&bytes, 4, compact_record(&tail));
    buffer_append(&bytes, tail.data, tail.size);
    print_and_free("log compact", "server", &bytes);
    buffer_deinit(&tail);
}

static void do_log_notifications(void)
{
    const uint64_t hash = UINT64_C(0x9f8e7d6c5b4a3928);
    log_record first = {.from = 100,
                        .tick = 100,
                        .has_hash = true,
                        .hash = hash,
                        .image = SHORT_IMAGE,
                        .image_size = sizeof SHORT_IMAGE};
    print_log_notification(&first);
    buffer rows;
    buffer_init(&rows, 256);
    buffer arguments;
    buffer_init(&arguments, LOG_REMOVAL_BYTES_MAX);
    log_removal_arguments(&arguments, "lab", 7);
    log_command row = {.tick = 101,
                       .session = 5,
                       .method = "body.remove",
                       .method_size = 11,
                       .arguments = arguments.data,
                       .arguments_size = (uint32_t)arguments.size};
    log_command_encode(&rows, &row);
    log_record second = {.from = 100,
                         .tick = 103,
                         .command_count = 1,
                         .commands = rows.data,
                         .commands_size = rows.size,
                         .has_hash = true,
                         .hash = hash};
    print_log_notification(&second);
    buffer_deinit(&arguments);
    buffer_deinit(&rows);
    print_compact_notification();
}

static world_status status_of_world(void)
{
    return (world_status){
        .world = "lab",
        .epoch = 1,
        .tick = 120,
        .time = 2.0,
        .def = world_def_default(),
        .paused = false,
        .counts = {.bodies = 2, .awake = 1, .shapes = 2, .contacts = 1, .pairs = 1},
        .subscribers = 1,
        .hash = HASH,
        .step_ms = 0.125,
        .rate = 60.0,
        .ticks_late = 0};
}

static void do_info_and_list(void)
{
    world_status w = status_of_world();
    buffer bytes;
    command c = request("world.info", METHOD_WORLD_INFO, "{\"world\": \"lab\"}");
    begin_response(&bytes);
    encode_world_status(&bytes, &w);
    print_and_free("world.info", "server", &bytes);
    command_free(&c);
    request("world.list", METHOD_WORLD_LIST, "{}");
    begin_response(&bytes);
    msgpack_packer packer = buffer_packer(&bytes);
    msgpack_pack_array(&packer, 1);
    encode_world_status(&bytes, &w);
    print_and_free("world.list", "server", &bytes);
}

static void do_subscriptions(void)
{
    buffer bytes;
    command c = request("world.subscribe", METHOD_WORLD_SUBSCRIBE,
                        "{\"world\": \"lab\", \"rate\": 20, \"area\": [-10, -10, 10, 10],"
                        " \"events\": [\"begin\", \"end\", \"hit\"], \"contacts\": true}");
    begin_response(&bytes);
    encode_subscribe_result(&bytes, 3, 120);
    print_and_free("world.subscribe", "server", &bytes);
    command_free(&c);
    c = request(
        "world.view", METHOD_WORLD_VIEW,
        "{\"subscription\": 3, \"area\": [-20, -12, 20, 12], \"follow\": 7, \"margin\": 2}");
    begin_response(&bytes);
    encode_empty_result(&bytes);
    print_and_free("world.view", "server", &bytes);
    command_free(&c);
    c = request("world.unsubscribe", METHOD_WORLD_UNSUBSCRIBE, "{\"subscription\": 3}");
    begin_response(&bytes);
    encode_empty_result(&bytes);
    print_and_free("world.unsubscribe", "server", &bytes);
    command_free(&c);
}

// ---- what is no request

static void do_error(void)
{
    buffer bytes;
    command c;
    error err = {0};
    buffer_init(&bytes, BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_request(&packer, next_id, "body.spawn");
    append_json(&bytes, "{\"world\": \"lab\", \"shapes\": [{\"kind\": \"circle\"}]}");
    status s = decode(&bytes, &c, &err);
    ASSERT(s != STATUS_OK);
    print_and_free("error", "client", &bytes);
    buffer_init(&bytes, BYTES_MAX);
    packer = buffer_packer(&bytes);
    rpc_pack_error(&packer, next_id++, &err);
    print_and_free("error", "server", &bytes);
}

static void do_notification(void)
{
    buffer bytes;
    command c;
    buffer_init(&bytes, BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_notification(&packer, "body.impulse");
    append_json(&bytes, "{\"world\": \"lab\", \"body\": 2, \"impulse\": [0, 5]}");
    status s = decode(&bytes, &c, NULL);
    ASSERT(s == STATUS_OK);
    print_and_free("notification", "client", &bytes);
    command_free(&c);
}

// Params as other encoders write them: keys and names as bin, an empty array for the empty map.
static void do_variants(void)
{
    buffer bytes;
    command c;
    buffer_init(&bytes, BYTES_MAX);
    append_json(&bytes, "[0, 9, {\"$bin\": \"70696e67\"}, [{\"$map\": [[{\"$bin\": \"616e79\"},"
                        " {\"$bin\": \"78\"}]]}]]");
    status s = decode(&bytes, &c, NULL);
    ASSERT(s == STATUS_OK && c.ping.any_size > 0);
    print_and_free("bin", "client", &bytes);
    command_free(&c);
    buffer_init(&bytes, BYTES_MAX);
    append_json(&bytes, "[0, 9, \"ping\", []]");
    s = decode(&bytes, &c, NULL);
    ASSERT(s == STATUS_OK);
    print_and_free("empty", "client", &bytes);
    command_free(&c);
}

static void print_snapshot(const char *name, const snapshot_head *head, const snapshot_view *view)
{
    buffer tail, bytes;
    buffer_init(&tail, BYTES_MAX);
    buffer_init(&bytes, BYTES_MAX);
    uint32_t pairs = encode_snapshot_tail(&tail, view);
    encode_snapshot_head(&bytes, head, pairs);
    buffer_append(&bytes, tail.data, tail.size);
    print_and_free(name, "server", &bytes);
    buffer_deinit(&tail);
}

static const body_row BALL = {.id = 2,
                              .position = {0.5, 1.25},
                              .angle = 0.25f,
                              .velocity = {1.0f, -2.0f},
                              .angular_velocity = 0.5f};

static void do_full_snapshot(void)
{
    buffer rows;
    buffer_init(&rows, BYTES_MAX);
    encode_body_row(&rows, &(body_row){.id = 1});
    encode_body_row(&rows, &BALL);
    print_snapshot("snapshot full", &(snapshot_head){.subscription = 3},
                   &(snapshot_view){.world = "lab",
                                    .epoch = 1,
                                    .tick = 120,
                                    .time = 2.0,
                                    .full = true,
                                    .bodies = {rows.data, rows.size, 2},
                                    .hash = HASH});
    buffer_deinit(&rows);
}

// A full one and the change after it, of one ball that flies.
static void do_packed_snapshots(void)
{
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_body ball = {.id = 2, .x = 0.5, .y = 1.25, .angle = 0.25};
    buffer data;
    buffer_init(&data, BYTES_MAX);
    packed_encode(e, 120, &ball, 1, NULL, 0, &data);
    buffer_clear(&data);
    packed_encode_full(e, &data);
    snapshot_view view = {.world = "lab",
                          .epoch = 1,
                          .tick = 120,
                          .time = 2.0,
                          .full = true,
                          .hash = HASH,
                          .packed = &data};
    print_snapshot("snapshot packed", &(snapshot_head){.subscription = 3}, &view);
    ball.y += 0.02;
    buffer_clear(&data);
    packed_encode(e, 121, &ball, 1, NULL, 0, &data);
    view.full = false;
    print_snapshot("snapshot packed",
                   &(snapshot_head){.subscription = 3, .has_last = true, .last = 17}, &view);
    buffer_deinit(&data);
    packed_encoder_destroy(e);
}

static void do_changed_snapshot(void)
{
    const body_id removed[] = {4}, enter[] = {2}, leave[] = {3};
    const physics_event events_[] = {
        {.kind = EVENT_BEGIN,
         .tick = 122,
         .a = 1,
         .b = 2,
         .shape_a = 1,
         .shape_b = 2,
         .point = {0.5, 0.0},
         .normal = {0, 1},
         .depth = 0.0078125f,
         .speed = 2.0f,
         .impulse = 4.0f},
        {.kind = EVENT_END, .tick = 123, .a = 1, .b = 4, .shape_a = 1, .shape_b = 5},
    };
    const contact_info contact = {.body_a = 1,
                                  .body_b = 2,
                                  .shape_a = 1,
                                  .shape_b = 2,
                                  .normal = {0, 1},
                                  .count = 1,
                                  .points = {{0.5, 0.0}},
                                  .depth = {0.0078125f},
                                  .impulse = {4.0f},
                                  .tangent_impulse = {0.5f}};
    buffer rows, events, contacts;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&events, BYTES_MAX);
    buffer_init(&contacts, BYTES_MAX);
    encode_body_row(&rows, &BALL);
    encode_event(&events, &events_[0]);
    encode_event(&events, &events_[1]);
    encode_contact(&contacts, &contact);
    print_snapshot("snapshot changed",
                   &(snapshot_head){.subscription = 3, .has_last = true, .last = 17, .skipped = 1},
                   &(snapshot_view){.world = "lab",
                                    .epoch = 1,
                                    .tick = 123,
                                    .time = 2.05,
                                    .bodies = {rows.data, rows.size, 1},
                                    .removed = removed,
                                    .removed_count = 1,
                                    .has_area = true,
                                    .enter = enter,
                                    .enter_count = 1,
                                    .leave = leave,
                                    .leave_count = 1,
                                    .events = {events.data, events.size, 2},
                                    .has_contacts = true,
                                    .contacts = {contacts.data, contacts.size, 1},
                                    .hash = HASH});
    buffer_deinit(&rows);
    buffer_deinit(&events);
    buffer_deinit(&contacts);
}

static void do_other_events(void)
{
    buffer bytes;
    const event_kind kinds[] = {EVENT_SENSOR_BEGIN, EVENT_SLEEP, EVENT_JOINT_BREAK};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        buffer_init(&bytes, BYTES_MAX);
        encode_event(&bytes, &(physics_event){.kind = kinds[i],
                                              .tick = 130,
                                              .a = 1,
                                              .b = 2,
                                              .shape_a = 1,
                                              .shape_b = 2,
                                              .joint = 1});
        print_and_free("events", "server", &bytes);
    }
}

static void do_ends(void)
{
    buffer bytes;
    buffer_init(&bytes, BYTES_MAX);
    encode_closing(&bytes, STATUS_UNAVAILABLE, "the server is shutting down");
    print_and_free("closing", "server", &bytes);
    buffer_init(&bytes, BYTES_MAX);
    encode_world_closed(&bytes, 3, "lab", STATUS_NOT_FOUND, "the world was destroyed");
    print_and_free("world_closed", "server", &bytes);
    buffer_init(&bytes, BYTES_MAX);
    encode_leaving(&bytes, 30.0, "the server is about to end");
    print_and_free("leaving", "server", &bytes);
}

// ---- all of them

static void do_bodies(void)
{
    applied(METHOD_BODY_SPAWN,
            "{\"world\": \"lab\", \"position\": [0, 3], \"velocity\": [1, 0], \"tag\": \"ball\","
            " \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5, \"friction\": 0.5}]}");
    applied(METHOD_WORLD_STATE, "{\"world\": \"lab\"}");
    applied(METHOD_BODY_GET, "{\"world\": \"lab\", \"body\": 1}");
    applied(METHOD_BODY_SET, "{\"world\": \"lab\", \"body\": 1, \"velocity\": [0, 2.5]}");
    applied(METHOD_BODY_IMPULSE,
            "{\"world\": \"lab\", \"body\": 1, \"impulse\": [0.5, 0], \"point\": [0, 3.5]}");
    applied(METHOD_BODY_ANGULAR_IMPULSE, "{\"world\": \"lab\", \"body\": 1, \"impulse\": 0.25}");
    applied(METHOD_BODY_FORCE, "{\"world\": \"lab\", \"body\": 1, \"force\": [0, 20]}");
    applied(METHOD_BODY_TORQUE, "{\"world\": \"lab\", \"body\": 1, \"torque\": -1.5}");
    applied(METHOD_SHAPE_ADD, "{\"world\": \"lab\", \"body\": 1, \"shape\": {\"kind\": \"box\","
                              " \"size\": [2, 0.5], \"density\": 2}}");
    applied(METHOD_SHAPE_SET,
            "{\"world\": \"lab\", \"shape\": 2, \"friction\": 0.1, \"restitution\": 0.8}");
    applied(METHOD_SHAPE_REMOVE, "{\"world\": \"lab\", \"shape\": 2}");
}

static void do_joints(void)
{
    applied(METHOD_WORLD_APPLY,
            "{\"world\": \"lab\", \"commands\": [[\"body.spawn\", {\"position\": [2, 3],"
            " \"shapes\": [{\"kind\": \"circle\", \"radius\": 0.5}]}],"
            " [\"joint.create\", {\"kind\": \"distance\", \"a\": 1, \"b\": {\"$\": 0}}]]}");
    applied(METHOD_JOINT_CREATE,
            "{\"world\": \"lab\", \"kind\": \"revolute\", \"a\": 1, \"b\": 2, \"anchor\": [1, 3],"
            " \"lower\": -0.5, \"upper\": 0.5}");
    applied(METHOD_JOINT_SET,
            "{\"world\": \"lab\", \"joint\": 2, \"motor_speed\": 2, \"max_torque\": 50}");
    applied(METHOD_JOINT_GET, "{\"world\": \"lab\", \"joint\": 2}");
    applied(METHOD_JOINT_LIST, "{\"world\": \"lab\"}");
    applied(METHOD_JOINT_REMOVE, "{\"world\": \"lab\", \"joint\": 2}");
}

static void do_queries(void)
{
    applied(METHOD_WORLD_CONTACTS, "{\"world\": \"lab\"}");
    applied(METHOD_QUERY_RAY,
            "{\"world\": \"lab\", \"from\": [0, 0], \"to\": [0, 5], \"all\": true}");
    applied(METHOD_QUERY_OVERLAP, "{\"world\": \"lab\", \"area\": [-1, 2, 1, 4]}");
    applied(METHOD_QUERY_CAST, "{\"world\": \"lab\", \"shape\": {\"kind\": \"circle\","
                               " \"radius\": 0.5}, \"from\": [0, 0], \"to\": [0, 4]}");
    applied(METHOD_QUERY_NEAREST, "{\"world\": \"lab\", \"point\": [0, 0], \"radius\": 10}");
}

static void print_examples(void)
{
    world_def def = world_def_default();
    status s = world_create(&def, &world, NULL);
    ASSERT(s == STATUS_OK);
    do_hello();
    do_ping();
    do_resume();
    do_goodbye();
    do_server();
    do_sessions();
    world_tick_answer(METHOD_WORLD_CREATE,
                      "{\"world\": \"lab\", \"gravity\": [0, -10], \"hz\": 60}", 0);
    do_info_and_list();
    world_tick_answer(METHOD_WORLD_PAUSE, "{\"world\": \"lab\"}", 120);
    world_tick_answer(METHOD_WORLD_STEP, "{\"world\": \"lab\", \"ticks\": 10}", 130);
    world_tick_answer(METHOD_WORLD_RESUME, "{\"world\": \"lab\"}", 130);
    do_image_and_fork();
    applied(METHOD_WORLD_SET, "{\"world\": \"lab\", \"gravity\": [0, -5]}");
    do_bodies();
    do_joints();
    do_queries();
    applied(METHOD_BODY_REMOVE, "{\"world\": \"lab\", \"body\": 1}");
    world_tick_answer(METHOD_WORLD_DESTROY, "{\"world\": \"lab\"}", 131);
    do_subscriptions();
    do_error();
    do_notification();
    do_variants();
    do_full_snapshot();
    do_changed_snapshot();
    do_other_events();
    do_log_notifications();
    do_packed_snapshots();
    do_ends();
    world_free(world);
}

// ---- the reference

static const char *type_word(const method_arg *arg)
{
    static const char *const WORDS[ARG_TYPE_COUNT] = {
        [ARG_BOOL] = "bool",
        [ARG_NUMBER] = "number",
        [ARG_INTEGER] = "integer",
        [ARG_MASK] = "mask",
        [ARG_ID] = "id",
        [ARG_STRING] = "string",
        [ARG_NAME] = "name",
        [ARG_CHOICE] = "word",
        [ARG_CHOICES] = "[word …]",
        [ARG_VECTOR] = "[x, y]",
        [ARG_VECTORS] = "[[x, y] …]",
        [ARG_AREA] = "[x0, y0, x1, y1]",
        [ARG_FILTER] = "filter",
        [ARG_PRECISION] = "precision",
        [ARG_SHAPE] = "shape",
        [ARG_FORM] = "form",
        [ARG_SHAPES] = "[shape …]",
        [ARG_COMMANDS] = "[[method, {…}] …]",
        [ARG_BYTES] = "bytes",
        [ARG_ANY] = "any value",
    };
    return WORDS[arg->type];
}

static void print_words(const char *choices)
{
    for (const char *at = choices; *at != '\0';) {
        size_t size = strcspn(at, "|");
        printf("%s`%.*s`", at == choices ? "" : ", ", (int)size, at);
        at += size + (at[size] == '|');
    }
}

static void print_range(const method_arg *arg)
{
    switch (arg->type) {
    case ARG_NUMBER:
    case ARG_INTEGER:
    case ARG_VECTOR:
    case ARG_VECTORS:
    case ARG_AREA:
        if (arg->min == -arg->max) {
            printf("±%.10g", arg->max);
        } else {
            printf("%.10g to %.10g", arg->min, arg->max);
        }
        break;
    case ARG_STRING:
        printf("%.10g bytes", arg->max);
        break;
    case ARG_CHOICE:
    case ARG_CHOICES:
        print_words(arg->choices);
        break;
    default:
        break;
    }
    if (arg->unit != NULL && arg->unit[0] != '\0') {
        printf(" %s", arg->unit);
    }
    if (arg->type == ARG_VECTORS || arg->type == ARG_SHAPES || arg->type == ARG_COMMANDS) {
        printf("%s%u to %u", arg->type == ARG_VECTORS ? "; " : "", arg->count_min, arg->count_max);
    }
}

static void print_list(const arg_list *list)
{
    if (list->count == 0) {
        printf("No arguments.\n");
        return;
    }
    printf("| argument | type | range | left out | |\n| --- | --- | --- | --- | --- |\n");
    for (uint32_t i = 0; i < list->count; i++) {
        const method_arg *arg = &list->args[i];
        printf("| `%s` | %s | ", arg->name, type_word(arg));
        print_range(arg);
        printf(" | ");
        if (arg->required) {
            printf("an error");
        } else if (arg->fallback != NULL) {
            printf("`%s`", arg->fallback);
        }
        printf(" | %s |\n", arg->doc);
    }
}

static void print_method(const method_info *m)
{
    const char *colon = strchr(m->result, ':');
    size_t form = colon != NULL ? (size_t)(colon - m->result) : strlen(m->result);
    bool words = m->result[0] != '{' && m->result[0] != '[';
    printf("## %s\n%s", m->list.name, m->summary);
    printf(" Role: %s.%s%s", role_name(m->rights), m->batch ? " May stand in `world.apply`." : "",
           m->available ? "" : " Not in this version: answered with `unavailable`.");
    const char *quote = words ? "" : "`";
    printf("\nAnswers %s%.*s%s%s.\n\n", quote, (int)form, m->result, quote, m->result + form);
    print_list(&m->list);
}

// Which settings a kind of joint has; those that joint.set can change stand by themselves.
static void print_joint_kinds(void)
{
    printf("## joint kinds\n| kind | given for good | `joint.set` can change |\n"
           "| --- | --- | --- |\n");
    for (int kind = 0; kind < JOINT_KIND_COUNT; kind++) {
        uint32_t all = joint_kind_fields((joint_kind)kind);
        uint32_t settable = joint_kind_settable((joint_kind)kind);
        const uint32_t columns[] = {all & ~settable, settable};
        printf("| `%s`", joint_kind_name((joint_kind)kind));
        for (int column = 0; column < 2; column++) {
            printf(" |");
            for (uint32_t bit = 0; bit < JOINT_FIELD_COUNT; bit++) {
                if ((columns[column] >> bit & 1) != 0) {
                    printf(" `%s`", joint_field_name((joint_field)(1u << bit)));
                }
            }
        }
        printf(" |\n");
    }
}

// The numbers that the compact form has for methods.
static void print_compact_numbers(void)
{
    printf("## compact numbers\nThe tables of this version have the number %" PRIu32 ".\n\n"
           "| number | method |\n| ---: | --- |\n",
           log_compact_tables());
    for (int m = 0; m < METHOD_COUNT; m++) {
        if (log_compact_has((method)m)) {
            printf("| %d | `%s` |\n", m, METHODS[m].list.name);
        }
    }
}

static void print_reference(void)
{
    for (int m = 0; m < METHOD_COUNT; m++) {
        print_method(&METHODS[m]);
    }
    for (int s = 0; s < METHOD_SHAPE_COUNT; s++) {
        printf("## shape %s\n", METHOD_SHAPES[s].name);
        print_list(&METHOD_SHAPES[s]);
    }
    printf("## filter of a shape\n");
    print_list(&METHOD_FILTER);
    printf("## filter of a query\n");
    print_list(&METHOD_QUERY_FILTER);
    printf("## precision\n");
    print_list(&METHOD_PRECISION);
    print_joint_kinds();
    print_compact_numbers();
}

static void print_limits(void)
{
#define LIMIT(name) printf(#name " %lld\n", (long long)(name))
    LIMIT(WIRE_MESSAGE_BYTES_DEFAULT);
    LIMIT(WIRE_DEPTH_MAX);
    LIMIT(WIRE_VALUES_MAX);
    LIMIT(WIRE_APPLY_COMMANDS_MAX);
    LIMIT(WIRE_STEP_TICKS_MAX);
    LIMIT(PACKED_BODIES_MAX);
    LIMIT(WIRE_QUERY_HITS_MAX);
    LIMIT(WIRE_ECHO_BYTES_MAX);
    LIMIT(WIRE_REPLY_BYTES_MAX);
    LIMIT(PHYSICS_BODY_SHAPES_MAX);
    LIMIT(PHYSICS_SHAPES_MAX);
    LIMIT(PHYSICS_JOINTS_MAX);
    LIMIT(PHYSICS_CHAIN_POINTS_MAX);
    LIMIT(ERROR_TEXT_MAX);
    LIMIT(LOG_COMMANDS_MAX);
    LIMIT(LOG_RECORD_BYTES_MAX);
    LIMIT(ENCODE_ROW_BYTES_MAX);
}

// ---- bytes that are no message

static void print_bytes(const char *name, const uint8_t *bytes, size_t size, const char *meaning)
{
    printf("{\"name\": \"%s\", \"meaning\": \"%s\", \"hex\": \"", name, meaning);
    for (size_t i = 0; i < size; i++) {
        printf("%02x", bytes[i]);
    }
    printf("\"}\n");
}

// What the stream grew by since the last call: a frame, in its three parts.
static void print_frame(const buffer *stream, size_t *shown, const char *meaning)
{
    const uint8_t *frame = stream->data + *shown;
    print_bytes("log stream", frame, 4, "size of the payload");
    print_bytes("log stream", frame + 4, 4, "checksum");
    print_bytes("log stream", frame + 8, stream->size - *shown - 8, meaning);
    *shown = stream->size;
}

// The notification of the compact form, in its parts.
static void print_compact(void)
{
    static const struct {
        size_t size;
        const char *meaning;
    } PARTS[] = {
        {1, "3 ticks, with a hash"},
        {8, "the hash"},
        {1, "a whole row, one tick on, of the stream's world"},
        {1, "session 5"},
        {1, "method: body.force"},
        {1, "arguments 1 and 2: body, force"},
        {1, "body 7"},
        {4, "8"},
        {4, "-0.5"},
        {1, "a row like the one before, one tick on"},
        {1, "force x: no difference"},
        {4, "force y: 8388608 places further"},
    };
    buffer out;
    size_t at = 0;
    buffer_init(&out, 256);
    compact_record(&out);
    for (size_t i = 0; i < sizeof PARTS / sizeof *PARTS; i++) {
        print_bytes("log compact", out.data + at, PARTS[i].size, PARTS[i].meaning);
        at += PARTS[i].size;
    }
    ASSERT(at == out.size);
    buffer_deinit(&out);
}

// A recording of a world with one command.
static void print_stream(void)
{
    static const uint8_t IMAGE[] = {0xca, 0x70, 0x3e};
    static const uint8_t ARGUMENTS[] = {0x81, 0xa4, 'b', 'o', 'd', 'y', 7};
    const log_header header = {
        .engine = 1, .world = "lab", .epoch = 2, .hz = 60.0, .begun = 1700000000};
    const log_command removal = {.tick = 101,
                                 .session = 5,
                                 .method = "body.remove",
                                 .method_size = 11,
                                 .arguments = ARGUMENTS,
                                 .arguments_size = sizeof ARGUMENTS};
    buffer rows;
    buffer stream;
    buffer_init(&rows, BYTES_MAX);
    buffer_init(&stream, BYTES_MAX);
    log_command_encode(&rows, &removal);
    const log_record start = {.from = 100, .tick = 100, .image = IMAGE, .image_size = sizeof IMAGE};
    const log_record record = {.from = 100,
                               .tick = 103,
                               .command_count = 1,
                               .commands = rows.data,
                               .commands_size = rows.size,
                               .has_hash = true,
                               .hash = HASH};
    const log_end end = {.tick = 103, .records = 2};
    size_t shown = LOG_MAGIC_BYTES;
    log_stream_begin(&stream, &header);
    print_bytes("log stream", stream.data, LOG_MAGIC_BYTES, "magic");
    print_frame(&stream, &shown, "the header");
    log_stream_record(&stream, &start);
    print_frame(&stream, &shown,
                "a record that a reader can begin with (its image is cut short here)");
    log_stream_record(&stream, &record);
    print_frame(&stream, &shown, "a record of three ticks and one command");
    log_stream_end(&stream, &end);
    print_frame(&stream, &shown, "the end mark");
    buffer_deinit(&rows);
    buffer_deinit(&stream);
}

int main(int argc, char **argv)
{
    const char *what = argc == 2 ? argv[1] : "";
    if (strcmp(what, "examples") == 0) {
        print_examples();
    } else if (strcmp(what, "reference") == 0) {
        print_reference();
    } else if (strcmp(what, "bytes") == 0) {
        print_stream();
        print_compact();
        packed_example(print_bytes);
    } else if (strcmp(what, "limits") == 0) {
        print_limits();
    } else {
        fprintf(stderr, "usage: protocol_examples examples|reference|bytes|limits\n");
        return 2;
    }
    return 0;
}
