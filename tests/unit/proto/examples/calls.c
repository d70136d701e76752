// See calls.h. Requests that the engine answers are applied to a real world, so every example in
// the document works. One thread.
#include "tests/unit/proto/examples/calls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <msgpack.h>

#include "common/base/assert.h"
#include "common/world/apply.h"
#include "proto/encode/encode.h"
#include "proto/limits.h"
#include "proto/methods.h"
#include "proto/log/log_compact.h"
#include "proto/wire/rpc.h"
#include "tests/unit/proto/examples/message.h"
#include "tests/unit/proto/examples/records.h"

static physics_world *world;

static command_result apply_example(const command *c)
{
    command_result r;
    error err = {0};
    if (apply_command(world, c, &r, &err) != STATUS_OK) {
        fprintf(stderr, "%s: %s\n", method_name(c->method), err.text);
        abort();
    }
    for (uint32_t i = 0;
         (c->method == METHOD_QUERY_RAY || c->method == METHOD_QUERY_CAST) && i < r.hits.count;
         i++) {
        r.hits.hits[i].fraction = round(r.hits.hits[i].fraction * 1e6) / 1e6;
    }
    return r;
}

// Prints the answer, and frees both.
static void answer_example(const char *name, command *c, command_result *r)
{
    buffer bytes;
    message_begin_response(&bytes);
    encode_command_result(&bytes, r);
    message_print(name, "server", &bytes);
    command_result_free(r);
    command_free(c);
}

// A request that the engine answers.
static void applied(method m, const char *arguments)
{
    command c = message_request(method_name(m), m, arguments);
    command_result r = apply_example(&c);
    if (m == METHOD_WORLD_STATE) {
        r.state.hash = EXAMPLE_HASH;
    }
    answer_example(method_name(m), &c, &r);
}

static void do_hello(void)
{
    const named_number limits[] = {{"message_bytes", WIRE_MESSAGE_BYTES_DEFAULT + 65536, true},
                                   {"subscriptions_per_connection", 64, true}};
    command c =
        message_request("hello", METHOD_HELLO, "{\"protocol\": 1, \"client\": \"pong 1.0\"}");
    buffer bytes;
    message_begin_response(&bytes);
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
    message_print("hello", "server", &bytes);
    command_free(&c);
}

static void do_ping(void)
{
    command c = message_request("ping", METHOD_PING, "{\"any\": [1, \"two\"]}");
    buffer bytes;
    message_begin_response(&bytes);
    encode_ping_result(&bytes, &(ping_result){1234.5, c.ping.any, c.ping.any_size});
    message_print("ping", "server", &bytes);
    command_free(&c);
}

static void do_resume(void)
{
    const named_number limits[] = {{"resume_ms", 30000, true}};
    const applied_request applied[] = {{"lab", 1, 17}};
    const uint32_t pending[] = {19};
    const subscription_name subscriptions[] = {{3, "lab"}};
    const resumed_result resumed = {applied, 1, pending, 1, subscriptions, 1};
    command c = message_request("resume", METHOD_HELLO, "{\"resume\": \"3.7.5f8a\"}");
    buffer bytes;
    message_begin_response(&bytes);
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
    message_print("resume", "server", &bytes);
    command_free(&c);
}

static void do_goodbye(void)
{
    buffer bytes;
    message_request("goodbye", METHOD_GOODBYE, "{}");
    message_begin_response(&bytes);
    encode_empty_result(&bytes);
    message_print("goodbye", "server", &bytes);
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
                               .lag = 0.125,
                               .memory_bytes = 1536,
                               .work = 0.0625};
    buffer row;
    buffer_init(&row, WIRE_REPLY_BYTES_MAX);
    encode_session_info(&row, &info);
    const encoded_list list = {row.data, row.size, 1};
    buffer bytes;
    message_request("server.sessions", METHOD_SERVER_SESSIONS, "{\"count\": 1}");
    message_begin_response(&bytes);
    encode_sessions_result(&bytes, &(sessions_result){list, 2});
    message_print("server.sessions", "server", &bytes);
    buffer_deinit(&row);
    command c = message_request("server.kick", METHOD_SERVER_KICK,
                                "{\"session\": 7, \"reason\": \"maintenance\"}");
    message_begin_response(&bytes);
    encode_empty_result(&bytes);
    message_print("server.kick", "server", &bytes);
    command_free(&c);
}

static void do_fleet(void)
{
    buffer nodes;
    buffer worlds;
    buffer bytes;
    buffer_init(&nodes, WIRE_REPLY_BYTES_MAX);
    buffer_init(&worlds, WIRE_REPLY_BYTES_MAX);
    encode_fleet_node_row(&nodes, &(fleet_node_row){.node = "a",
                                                    .self = true,
                                                    .address = "10.0.0.7:22766",
                                                    .http = "",
                                                    .engine = 7,
                                                    .worlds = 1,
                                                    .sessions = 12,
                                                    .lateness_ms = 0.25,
                                                    .free_memory = 1 << 30});
    encode_fleet_world_row(&worlds, &(fleet_world_row){.world = "lab",
                                                       .term = 3,
                                                       .node = "a",
                                                       .standby = "",
                                                       .engine = 7,
                                                       .hz = 60,
                                                       .address = "10.0.0.7:22766",
                                                       .http = ""});
    message_request("server.fleet", METHOD_SERVER_FLEET, "{\"count\": 1}");
    message_begin_response(&bytes);
    encode_fleet_result(&bytes, &(fleet_result){.prefix = "/carom",
                                                .store_error = "",
                                                .nodes = {nodes.data, nodes.size, 1},
                                                .worlds = {worlds.data, worlds.size, 1},
                                                .total = 1});
    message_print("server.fleet", "server", &bytes);
    buffer_deinit(&nodes);
    buffer_deinit(&worlds);
    command c =
        message_request("world.move", METHOD_WORLD_MOVE, "{\"world\": \"lab\", \"to\": \"b\"}");
    message_begin_response(&bytes);
    encode_world_move_result(&bytes, &(world_move_result){"lab", "b", 4});
    message_print("world.move", "server", &bytes);
    command_free(&c);
}

static void do_server(void)
{
    const named_number numbers[] = {{"ticks", 3600, true}, {"requests", 12, true}};
    const latency_summary latencies[] = {
        {"step", 3600, 0.0001, 0.00015, 0.0002, 0.0004, 0.0005, NULL, 0}};
    const template_info templates[] = {{"arena", 4}};
    const named_number limits[] = {{"worlds", 256, true}};
    buffer bytes;
    message_request("server.info", METHOD_SERVER_INFO, "{}");
    message_begin_response(&bytes);
    encode_server_info_result(&bytes, &(server_info_result){.server = "caromd",
                                                            .version = "0.1.0",
                                                            .uptime = 60.5,
                                                            .worlds = 1,
                                                            .sessions = 2,
                                                            .limits = limits,
                                                            .limit_count = 1,
                                                            .templates = templates,
                                                            .template_count = 1});
    message_print("server.info", "server", &bytes);
    message_request("server.stats", METHOD_SERVER_STATS, "{}");
    message_begin_response(&bytes);
    encode_server_stats_result(&bytes, &(server_stats_result){numbers, 2, latencies, 1});
    message_print("server.stats", "server", &bytes);
}

static void world_tick_answer(method m, const char *arguments, uint64_t tick)
{
    command c = message_request(method_name(m), m, arguments);
    buffer bytes;
    message_begin_response(&bytes);
    if (m == METHOD_WORLD_CREATE || m == METHOD_WORLD_FORK) {
        const bool fork = m == METHOD_WORLD_FORK;
        encode_world_create_result(
            &bytes, &(world_create_result){fork ? c.fork.as : c.world, fork ? 2 : 1, tick, true});
    } else {
        encode_world_tick_result(&bytes, &(world_tick_result){c.world, tick});
    }
    message_print(method_name(m), "server", &bytes);
    command_free(&c);
}

// The first join makes the world; the client is session 7.
static void do_seats(void)
{
    command join = message_request(method_name(METHOD_WORLD_JOIN), METHOD_WORLD_JOIN,
                                   "{\"template\": \"arena\", \"data\": {\"name\": \"Ada\"}}");
    command_result joined = {.method = METHOD_WORLD_JOIN,
                             .tick = 1,
                             .join = {.world = "arena-1", .seat = 1, .created = true}};
    answer_example(method_name(METHOD_WORLD_JOIN), &join, &joined);
    command leave = message_request(method_name(METHOD_WORLD_LEAVE), METHOD_WORLD_LEAVE,
                                    "{\"world\": \"arena-1\"}");
    command_result left = {.method = METHOD_WORLD_LEAVE, .tick = 600};
    answer_example(method_name(METHOD_WORLD_LEAVE), &leave, &left);
}

static void do_image_and_fork(void)
{
    command c = message_request(method_name(METHOD_WORLD_IMAGE), METHOD_WORLD_IMAGE,
                                "{\"world\": \"lab\"}");
    buffer bytes;
    message_begin_response(&bytes);
    encode_world_image_result(
        &bytes, &(world_image_result){SHORT_IMAGE, sizeof SHORT_IMAGE, 130, EXAMPLE_HASH});
    message_print(method_name(METHOD_WORLD_IMAGE), "server", &bytes);
    command_free(&c);
    world_tick_answer(METHOD_WORLD_FORK, "{\"world\": \"lab\", \"as\": \"lab-2\"}", 130);
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
        .referee = {.present = true, .session = 7},
        .hash = EXAMPLE_HASH,
        .step_ms = 0.125,
        .rate = 60.0,
        .ticks_late = 0};
}

static void do_info_and_list(void)
{
    world_status w = status_of_world();
    buffer bytes;
    command c = message_request("world.info", METHOD_WORLD_INFO, "{\"world\": \"lab\"}");
    message_begin_response(&bytes);
    encode_world_status(&bytes, &w);
    message_print("world.info", "server", &bytes);
    command_free(&c);
    message_request("world.list", METHOD_WORLD_LIST, "{}");
    message_begin_response(&bytes);
    msgpack_packer packer = buffer_packer(&bytes);
    msgpack_pack_array(&packer, 1);
    encode_world_status(&bytes, &w);
    message_print("world.list", "server", &bytes);
}

static void do_subscriptions(void)
{
    buffer bytes;
    command c = message_request("world.subscribe", METHOD_WORLD_SUBSCRIBE,
                                "{\"world\": \"lab\", \"rate\": 20, \"area\": [-10, -10, 10, 10],"
                                " \"events\": [\"begin\", \"end\", \"hit\"], \"contacts\": true}");
    message_begin_response(&bytes);
    encode_subscribe_result(&bytes, &(subscribe_result){3, 1, 120});
    message_print("world.subscribe", "server", &bytes);
    command_free(&c);
    c = message_request(
        "world.view", METHOD_WORLD_VIEW,
        "{\"subscription\": 3, \"area\": [-20, -12, 20, 12], \"follow\": 7, \"margin\": 2}");
    message_begin_response(&bytes);
    encode_empty_result(&bytes);
    message_print("world.view", "server", &bytes);
    command_free(&c);
    c = message_request("world.unsubscribe", METHOD_WORLD_UNSUBSCRIBE, "{\"subscription\": 3}");
    message_begin_response(&bytes);
    encode_empty_result(&bytes);
    message_print("world.unsubscribe", "server", &bytes);
    command_free(&c);
}

// ---- messages other than requests

static void answer_error(const char *name, const error *err)
{
    buffer bytes;
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_error(&packer, message_take_request_id(), err);
    message_print(name, "server", &bytes);
}

static void do_error(void)
{
    buffer bytes;
    command c;
    error err = {0};
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_request(&packer, message_request_id(), "body.spawn");
    message_append(&bytes, "{\"world\": \"lab\", \"shapes\": [{\"kind\": \"circle\"}]}");
    status s = message_decode(&bytes, &c, &err);
    ASSERT(s != STATUS_OK);
    message_print("error", "client", &bytes);
    answer_error("error", &err);
}

static void do_notification(void)
{
    buffer bytes;
    command c;
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    msgpack_packer packer = buffer_packer(&bytes);
    rpc_pack_notification(&packer, "body.impulse");
    message_append(&bytes, "{\"world\": \"lab\", \"body\": 2, \"impulse\": [0, 5]}");
    status s = message_decode(&bytes, &c, NULL);
    ASSERT(s == STATUS_OK);
    message_print("notification", "client", &bytes);
    command_free(&c);
}

// Params as other encoders write them: keys and names as bin, an empty array for the empty map.
static void do_variants(void)
{
    buffer bytes;
    command c;
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    message_append(&bytes, "[0, 9, {\"$bin\": \"70696e67\"}, [{\"$map\": [[{\"$bin\": \"616e79\"},"
                           " {\"$bin\": \"78\"}]]}]]");
    status s = message_decode(&bytes, &c, NULL);
    ASSERT(s == STATUS_OK && c.ping.any_size > 0);
    message_print("bin", "client", &bytes);
    command_free(&c);
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    message_append(&bytes, "[0, 9, \"ping\", []]");
    s = message_decode(&bytes, &c, NULL);
    ASSERT(s == STATUS_OK);
    message_print("empty", "client", &bytes);
    command_free(&c);
}

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

// A batch for tick 131 that arrives 1/32 s before the tick begins, and one for tick 130 that
// arrives too late and is dropped.
static void do_batches_for_ticks(void)
{
    static const char NAME[] = "batch for a tick";
    command c = message_request(NAME, METHOD_WORLD_APPLY,
                                "{\"world\": \"lab\", \"commands\": [[\"body.force\", {\"body\": 2,"
                                " \"force\": [20, 0]}]], \"at\": 131, \"late\": \"next\"}");
    command_result r = apply_example(&c);
    r.tick = c.apply.at;
    r.batch.results[0].tick = c.apply.at;
    r.batch.timed = true;
    r.batch.timing = (batch_timing){.late = 0, .margin = 0.03125};
    answer_example(NAME, &c, &r);
    c = message_request(NAME, METHOD_WORLD_APPLY,
                        "{\"world\": \"lab\", \"commands\": [[\"body.force\", {\"body\": 2,"
                        " \"force\": [0, 0]}]], \"at\": 130, \"late\": \"drop\"}");
    buffer bytes;
    message_begin_response(&bytes);
    encode_dropped_result(&bytes, &(batch_timing){.late = 2, .margin = -0.03125});
    message_print(NAME, "server", &bytes);
    command_free(&c);
}

// Three answers: a hit, no hit, and a moment that the history does not reach.
static void do_queries_of_the_past(void)
{
    static const char NAME[] = "query at a tick";
    command c = message_request(NAME, METHOD_QUERY_RAY,
                                "{\"world\": \"lab\", \"from\": [2, 0], \"to\": [2, 5],"
                                " \"at\": 118.5}");
    command_result r = apply_example(&c);
    r.has_at = true;
    r.at = 118.5;
    answer_example(NAME, &c, &r);
    c = message_request(NAME, METHOD_QUERY_NEAREST,
                        "{\"world\": \"lab\", \"point\": [90, 0], \"radius\": 1, \"at\": 118}");
    r = apply_example(&c);
    r.has_at = true;
    r.at = 118.0;
    answer_example(NAME, &c, &r);
    c = message_request(NAME, METHOD_QUERY_NEAREST,
                        "{\"world\": \"lab\", \"point\": [90, 0], \"radius\": 1, \"at\": 12}");
    error err;
    error_set(&err, STATUS_UNAVAILABLE, "tick 12 is outside of the history [70, 130]");
    answer_error(NAME, &err);
    command_free(&c);
}

void calls_print(void)
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
    do_fleet();
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
    applied(METHOD_DATA_SET, "{\"world\": \"lab\", \"key\": \"round\","
                             " \"value\": {\"number\": 3, \"left\": 60}, \"version\": 0}");
    applied(METHOD_DATA_GET, "{\"world\": \"lab\", \"prefix\": \"ro\"}");
    applied(METHOD_DATA_REMOVE, "{\"world\": \"lab\", \"key\": \"round\", \"version\": 1}");
    applied(METHOD_MESSAGE_SEND, "{\"world\": \"lab\", \"name\": \"order\","
                                 " \"data\": {\"build\": \"tower\", \"at\": [3, 4]},"
                                 " \"to\": \"referee\"}");
    do_seats();
    world_tick_answer(METHOD_WORLD_DESTROY, "{\"world\": \"lab\"}", 131);
    do_subscriptions();
    do_error();
    do_notification();
    do_variants();
    do_batches_for_ticks();
    do_queries_of_the_past();
    world_free(world);
}
