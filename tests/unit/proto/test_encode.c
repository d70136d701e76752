// Answers and notifications, read back with msgpack-c and shown as JSON.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "proto/wire/buffer.h"
#include "proto/encode/encode.h"
#include "tests/unit/proto/wording.h"

static buffer out;

static int set_up(void **state)
{
    (void)state;
    buffer_init(&out, 1 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    buffer_deinit(&out);
    return 0;
}

// Checks that the bytes encoded since the last call are this JSON.
static void assert_encoded(const char *json)
{
    assert_string_equal(wording_of(&out), json);
    buffer_clear(&out);
}

// ---- results

static void result_of_a_change_is_its_tick(void **state)
{
    (void)state;
    const method methods[] = {
        METHOD_BODY_REMOVE,  METHOD_BODY_SET,    METHOD_BODY_IMPULSE, METHOD_BODY_ANGULAR_IMPULSE,
        METHOD_BODY_FORCE,   METHOD_BODY_TORQUE, METHOD_SHAPE_REMOVE, METHOD_JOINT_SET,
        METHOD_JOINT_REMOVE, METHOD_WORLD_SET};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
        encode_command_result(&out, &(command_result){.method = methods[i], .tick = 70000});
        assert_encoded("{\"tick\":70000}");
    }
}

static void result_of_what_makes_is_its_id(void **state)
{
    (void)state;
    shape_id shapes[] = {4, 9007199254740991u};
    encode_command_result(
        &out, &(command_result){.method = METHOD_BODY_SPAWN, .tick = 3, .spawn = {2, shapes, 2}});
    assert_encoded("{\"body\":2,\"shapes\":[4,9007199254740991],\"tick\":3}");
    encode_command_result(&out,
                          &(command_result){.method = METHOD_SHAPE_ADD, .tick = 3, .shape = 5});
    assert_encoded("{\"shape\":5,\"tick\":3}");
    encode_command_result(&out,
                          &(command_result){.method = METHOD_JOINT_CREATE, .tick = 3, .joint = 6});
    assert_encoded("{\"joint\":6,\"tick\":3}");
}

static void result_of_a_batch_holds_each_one_s(void **state)
{
    (void)state;
    command_result results[] = {
        {.method = METHOD_BODY_SPAWN, .tick = 8, .spawn = {.body = 1}},
        {.method = METHOD_BODY_REMOVE, .tick = 8},
    };
    encode_command_result(&out, &(command_result){.method = METHOD_WORLD_APPLY,
                                                  .tick = 8,
                                                  .batch = {.results = results, .count = 2}});
    assert_encoded("{\"tick\":8,\"results\":[{\"body\":1,\"shapes\":[],\"tick\":8},{\"tick\":8}]}");
    encode_command_result(&out, &(command_result){.method = METHOD_WORLD_APPLY, .tick = 8});
    assert_encoded("{\"tick\":8,\"results\":[]}");
    const batch_timing timing = {.late = 2, .margin = -0.5};
    encode_command_result(&out, &(command_result){.method = METHOD_WORLD_APPLY,
                                                  .tick = 8,
                                                  .batch = {.timed = true, .timing = timing}});
    assert_encoded("{\"tick\":8,\"late\":2,\"margin\":-0.5,\"results\":[]}");
    encode_dropped_result(&out, &timing);
    assert_encoded("{\"dropped\":true,\"late\":2,\"margin\":-0.5}");
}

static void results_of_queries_are_hits_bodies_or_nil(void **state)
{
    (void)state;
    query_hit hit = {.body = 1, .shape = 2, .point = {3, 4}, .normal = {0, 1}, .fraction = 0.5};
    encode_command_result(&out, &(command_result){.method = METHOD_QUERY_RAY, .hits = {&hit, 1}});
    assert_encoded("[{\"body\":1,\"shape\":2,\"point\":[3.0,4.0],\"normal\":[0.0,1.0],"
                   "\"fraction\":0.5}]");
    encode_command_result(&out, &(command_result){.method = METHOD_QUERY_CAST});
    assert_encoded("[]");
    body_id bodies[] = {3, 7};
    encode_command_result(&out,
                          &(command_result){.method = METHOD_QUERY_OVERLAP, .found = {bodies, 2}});
    assert_encoded("[3,7]");
    encode_command_result(
        &out, &(command_result){.method = METHOD_QUERY_NEAREST,
                                .near = {.body = 1, .shape = 2, .point = {3, 4}, .distance = 5}});
    assert_encoded("{\"body\":1,\"shape\":2,\"point\":[3.0,4.0],\"distance\":5.0}");
    encode_command_result(&out, &(command_result){.method = METHOD_QUERY_NEAREST});
    assert_encoded("null");
}

static void small_results_have_their_names(void **state)
{
    (void)state;
    encode_empty_result(&out);
    assert_encoded("{}");
    encode_world_tick_result(&out, &(world_tick_result){"demo", 12});
    assert_encoded("{\"world\":\"demo\",\"tick\":12}");
    encode_subscribe_result(&out, &(subscribe_result){5, 3, 12});
    assert_encoded("{\"subscription\":5,\"epoch\":3,\"tick\":12}");
    encode_world_create_result(&out, &(world_create_result){"demo", 3, 0, true});
    assert_encoded("{\"world\":\"demo\",\"epoch\":3,\"tick\":0,\"created\":true}");
}

static void ping_sends_back_what_came(void **state)
{
    (void)state;
    const uint8_t any[] = {0x92, 0x01, 0xc0}; // [1, nil]
    encode_ping_result(&out, &(ping_result){1.5, any, sizeof any});
    assert_encoded("{\"time\":1.5,\"any\":[1,null]}");
    encode_ping_result(&out, &(ping_result){.time = 1.5});
    assert_encoded("{\"time\":1.5}");
}

static void hello_tells_role_and_limits(void **state)
{
    (void)state;
    const named_number limits[] = {{"message_bytes", 1048576, true}, {"load", 0.5, false}};
    encode_hello_result(&out, &(hello_result){.protocol = 1,
                                              .server = "caromd",
                                              .version = "0.1.0",
                                              .engine = 3,
                                              .compact = 77,
                                              .session = 9,
                                              .resume = "",
                                              .role = ROLE_ADMIN,
                                              .limits = limits,
                                              .limit_count = 2});
    assert_encoded("{\"protocol\":1,\"server\":\"caromd\",\"version\":\"0.1.0\",\"engine\":3,"
                   "\"compact\":77,\"session\":9,"
                   "\"resume\":\"\",\"role\":\"admin\",\"limits\":{\"message_bytes\":1048576,"
                   "\"load\":0.5}}");
}

static void server_info_and_stats_are_maps(void **state)
{
    (void)state;
    const named_number n[] = {{"ticks", 3600, true}};
    const template_info templates[] = {{"arena", 4}};
    const latency_summary l[] = {{"step", 10, 0.25, 0.5, 0.75, 0.875, 1.0, NULL, 0}};
    encode_server_info_result(&out, &(server_info_result){.server = "caromd",
                                                          .version = "0.1.0",
                                                          .uptime = 60.0,
                                                          .worlds = 1,
                                                          .sessions = 2,
                                                          .limits = n,
                                                          .limit_count = 1,
                                                          .templates = templates,
                                                          .template_count = 1});
    assert_encoded("{\"server\":\"caromd\",\"version\":\"0.1.0\",\"protocol\":1,\"uptime\":60.0,"
                   "\"worlds\":1,\"sessions\":2,\"limits\":{\"ticks\":3600},"
                   "\"templates\":[{\"template\":\"arena\",\"seats\":4}]}");
    encode_server_stats_result(&out, &(server_stats_result){n, 1, l, 1});
    assert_encoded("{\"counters\":{\"ticks\":3600},\"latencies\":{\"step\":{\"count\":10,"
                   "\"p50\":0.25,\"p90\":0.5,\"p99\":0.75,\"p999\":0.875,\"max\":1.0}}}");
    const latency_bin bins[] = {{0.25, 9}, {1.0, 1}};
    const latency_summary told[] = {{"step", 10, 0.25, 0.5, 0.75, 0.875, 1.0, bins, 2}};
    encode_server_stats_result(&out, &(server_stats_result){n, 1, told, 1});
    assert_encoded("{\"counters\":{\"ticks\":3600},\"latencies\":{\"step\":{\"count\":10,"
                   "\"p50\":0.25,\"p90\":0.5,\"p99\":0.75,\"p999\":0.875,\"max\":1.0,"
                   "\"bins\":[[0.25,9],[1.0,1]]}}}");
}

static void world_status_is_complete(void **state)
{
    (void)state;
    world_status w = {.world = "demo",
                      .epoch = 3,
                      .tick = 120,
                      .time = 2.0,
                      .def = world_def_default(),
                      .paused = true,
                      .counts = {1, 2, 3, 4, 5, 6, 7},
                      .subscribers = 8,
                      .referee = {.present = true, .session = 10},
                      .hash = 0x0102030405060708u,
                      .step_ms = 0.25,
                      .rate = 60.0,
                      .ticks_late = 9,
                      .data_keys = 2,
                      .data_bytes = 300};
    static const char *const JSON =
        "{\"world\":\"demo\",\"epoch\":3,\"tick\":120,\"time\":2.0,\"hz\":60.0,"
        "\"gravity\":[0.0,-9.81],\"substeps\":4,\"sleep\":true,\"continuous\":true,"
        "\"max_bodies\":1048576,\"restitution_threshold\":0.5,\"hit_threshold\":1.0,"
        "\"sleep_speed\":0.05,"
        "\"paused\":true,\"durability\":\"none\",\"bodies\":1,\"awake\":2,\"shapes\":3,"
        "\"joints\":4,\"contacts\":5,\"pairs\":6,\"frozen\":7,\"subscribers\":8,"
        "\"referee\":{\"present\":true,\"session\":10},"
        "\"hash\":{\"$bin\":\"0102030405060708\"},\"step_ms\":0.25,\"rate\":60.0,"
        "\"ticks_late\":9,\"data_keys\":2,\"data_bytes\":300}";
    encode_world_status(&out, &w);
    assert_encoded(JSON);
}

// ---- bodies

#define BODY_JSON(ID, SHAPES)                                                                      \
    "{\"body\":" ID ",\"type\":\"kinematic\",\"position\":[1.0,2.0],\"angle\":0.5,"                \
    "\"velocity\":[3.0,4.0],\"angular_velocity\":-1.0,\"center\":[1.0,2.0],\"mass\":5.0,"          \
    "\"inertia\":6.0,\"linear_damping\":0.25,\"angular_damping\":0.5,\"gravity_scale\":-1.0,"      \
    "\"force\":[7.0,8.0],\"torque\":9.0,\"fixed_rotation\":true,\"bullet\":false,"                 \
    "\"allow_sleep\":true,\"awake\":false,\"enabled\":true,\"frozen\":false,\"tag\":\"t\","        \
    "\"shapes\":[" SHAPES "]"

#define MATTER_JSON                                                                                \
    "\"density\":1.0,\"friction\":0.5,\"restitution\":0.0,\"rolling_resistance\":0.0,"             \
    "\"tangent_speed\":0.0,\"sensor\":false,\"filter\":{\"category\":1,"                           \
    "\"mask\":-1,\"group\":-3},"                                                                   \
    "\"events\":[\"contact\",\"sensor\"]}"

static body_info body(void)
{
    return (body_info){.id = 7,
                       .type = BODY_KINEMATIC,
                       .position = {1, 2},
                       .angle = 0.5,
                       .velocity = {3, 4},
                       .angular_velocity = -1,
                       .center = {1, 2},
                       .mass = 5,
                       .inertia = 6,
                       .linear_damping = 0.25,
                       .angular_damping = 0.5,
                       .gravity_scale = -1,
                       .force = {7, 8},
                       .torque = 9,
                       .fixed_rotation = true,
                       .allow_sleep = true,
                       .enabled = true,
                       .tag = "t"};
}

static shape_info shape(shape_geometry geometry)
{
    shape_info info = {.id = 9, .body = 7, .def = shape_def_default()};
    info.def.geometry = geometry;
    info.def.friction = 0.5;
    info.def.filter.group = -3;
    return info;
}

static void assert_shape(shape_info info, const char *json)
{
    body_record record = {body(), "", &info};
    record.info.shape_count = 1;
    encode_body(&out, &record);
    static char whole[4096];
    snprintf(whole, sizeof whole, BODY_JSON("7", "%s") "}", json);
    assert_encoded(whole);
}

static void body_is_told_in_full(void **state)
{
    (void)state;
    body_record record = {body(), NULL, NULL};
    encode_body(&out, &record);
    assert_encoded(BODY_JSON("7", "") "}");
    encode_command_result(&out,
                          &(command_result){.method = METHOD_BODY_GET, .tick = 12, .body = record});
    assert_encoded(BODY_JSON("7", "") ",\"tick\":12}");
}

static void shapes_are_told_by_the_names_they_were_made_with(void **state)
{
    (void)state;
    assert_shape(
        shape((shape_geometry){.kind = SHAPE_CIRCLE, .circle = {{1, 2}, 0.5f}}),
        "{\"shape\":9,\"kind\":\"circle\",\"radius\":0.5,\"center\":[1.0,2.0]," MATTER_JSON);
    assert_shape(shape((shape_geometry){.kind = SHAPE_CAPSULE, .capsule = {{0, 0}, {1, 0}, 0.5f}}),
                 "{\"shape\":9,\"kind\":\"capsule\",\"a\":[0.0,0.0],\"b\":[1.0,0.0],"
                 "\"radius\":0.5," MATTER_JSON);
    assert_shape(shape((shape_geometry){.kind = SHAPE_SEGMENT, .segment = {{0, 0}, {1, 0}}}),
                 "{\"shape\":9,\"kind\":\"segment\",\"a\":[0.0,0.0],\"b\":[1.0,0.0]," MATTER_JSON);
    shape_geometry triangle = {
        .kind = SHAPE_POLYGON,
        .polygon = {.vertices = {{0, 0}, {1, 0}, {0, 1}}, .radius = 0.25f, .count = 3}};
    assert_shape(shape(triangle),
                 "{\"shape\":9,\"kind\":\"polygon\",\"vertices\":[[0.0,0.0],[1.0,0.0],[0.0,1.0]],"
                 "\"radius\":0.25," MATTER_JSON);
    const vec2 points[] = {{0, 0}, {4, 0}, {4, 3}};
    shape_info chain = shape((shape_geometry){.kind = SHAPE_CIRCLE});
    chain.def.form = FORM_CHAIN;
    chain.def.points = points;
    chain.def.point_count = 3;
    chain.def.loop = true;
    assert_shape(chain, "{\"shape\":9,\"kind\":\"chain\",\"vertices\":[[0.0,0.0],[4.0,0.0],"
                        "[4.0,3.0]],\"loop\":true," MATTER_JSON);
}

static void world_state_lists_bodies_and_joints(void **state)
{
    (void)state;
    body_record record = {body(), NULL, NULL};
    joint_info joint = {.id = 2, .def = joint_def_default(JOINT_FILTER)};
    joint.def.a = 7;
    joint.def.b = 8;
    command_result r = {.method = METHOD_WORLD_STATE,
                        .tick = 12,
                        .state = {.world = "w",
                                  .hash = 255,
                                  .bodies = &record,
                                  .body_count = 1,
                                  .joints = &joint,
                                  .joint_count = 1}};
    encode_command_result(&out, &r);
    assert_encoded("{\"world\":\"w\",\"tick\":12,\"hash\":{\"$bin\":\"00000000000000ff\"},"
                   "\"bodies\":[" BODY_JSON(
                       "7", "") "}],\"joints\":[{\"joint\":2,\"kind\":\"filter\",\"a\":7,\"b\":8,"
                                "\"collide_connected\":false,\"points\":[[0.0,0.0],[0.0,0.0]],"
                                "\"state\":{\"angle\":0.0,\"translation\":0.0,\"length\":0.0,"
                                "\"speed\":0.0,\"side_a\":0.0,\"side_b\":0.0,\"force\":[0.0,0.0],"
                                "\"torque\":0.0}}]}");
}

static void joint_list_lists_joints(void **state)
{
    (void)state;
    joint_info joint = {.id = 2, .def = joint_def_default(JOINT_FILTER)};
    joint.def.a = 7;
    joint.def.b = 8;
    command_result r = {.method = METHOD_JOINT_LIST,
                        .tick = 12,
                        .joints = {.world = "w", .joints = &joint, .count = 1}};
    encode_command_result(&out, &r);
    assert_encoded("{\"world\":\"w\",\"tick\":12,\"joints\":[{\"joint\":2,\"kind\":\"filter\","
                   "\"a\":7,\"b\":8,\"collide_connected\":false,\"points\":[[0.0,0.0],[0.0,0.0]],"
                   "\"state\":{\"angle\":0.0,\"translation\":0.0,\"length\":0.0,"
                   "\"speed\":0.0,\"side_a\":0.0,\"side_b\":0.0,\"force\":[0.0,0.0],"
                   "\"torque\":0.0}}]}");
}

static void joint_tells_the_fields_that_are_in_effect(void **state)
{
    (void)state;
    joint_info joint = {.id = 2,
                        .def = joint_def_default(JOINT_REVOLUTE),
                        .anchor_a = {1, 2},
                        .anchor_b = {3, 4},
                        .angle = 5,
                        .translation = 6,
                        .length = 7,
                        .speed = 8,
                        .side_a = 9,
                        .side_b = 10,
                        .force = {11, 12},
                        .torque = 13};
    joint.def.fields = JOINT_FIELD_ANCHOR_A | JOINT_FIELD_AXIS | JOINT_FIELD_REFERENCE_ANGLE |
                       JOINT_FIELD_UPPER | JOINT_FIELD_JOINT_B;
    joint.def.a = 7;
    joint.def.b = 8;
    joint.def.anchor_a = (vec2d){0.5, 0};
    joint.def.upper = 0.25;
    joint.def.joint_b = 99;
    encode_command_result(&out, &(command_result){.method = METHOD_JOINT_GET, .joint_info = joint});
    assert_encoded("{\"joint\":2,\"kind\":\"revolute\",\"a\":7,\"b\":8,\"collide_connected\":false,"
                   "\"anchor_a\":[0.5,0.0],\"axis\":[0.0,1.0],\"reference_angle\":0.0,"
                   "\"upper\":0.25,\"joint_b\":99,\"points\":[[1.0,2.0],[3.0,4.0]],"
                   "\"state\":{\"angle\":5.0,\"translation\":6.0,\"length\":7.0,\"speed\":8.0,"
                   "\"side_a\":9.0,\"side_b\":10.0,\"force\":[11.0,12.0],\"torque\":13.0}}");
}

static void joint_with_all_fields_is_one_whole_map(void **state)
{
    (void)state;
    joint_info joint = {.id = 2, .def = joint_def_default(JOINT_MOTOR)};
    joint.def.fields = (1u << JOINT_FIELD_COUNT) - 1;
    joint.def.lower = joint.def.upper = 0.0;
    encode_command_result(&out, &(command_result){.method = METHOD_JOINT_GET, .joint_info = joint});
    const char *json = wording_of(&out); // fails if the number of pairs in the head is wrong
    for (uint32_t i = 0; i < JOINT_FIELD_COUNT; i++) {
        char key[64];
        joint_field field = (joint_field)(1u << i);
        snprintf(key, sizeof key, "\"%s\":", joint_field_name(field));
        // Places in the world are sent as `points`, because they move.
        assert_int_equal(strstr(json, key) != NULL, field != JOINT_FIELD_ANCHOR);
    }
}

// ---- snapshots

static void row_is_an_array_of_seven_and_never_longer_than_told(void **state)
{
    (void)state;
    body_row row = {
        .id = 7, .position = {1.5, -2}, .angle = 0.5f, .velocity = {3, 4}, .angular_velocity = -1};
    encode_body_row(&out, &row);
    assert_encoded("[7,1.5,-2.0,0.5,3.0,4.0,-1.0]");
    row.id = 9007199254740991u;
    encode_body_row(&out, &row);
    assert_int_equal(out.size, ENCODE_ROW_BYTES_MAX);
}

static physics_event event(event_kind kind)
{
    return (physics_event){.kind = kind,
                           .tick = 60,
                           .a = 1,
                           .b = 2,
                           .shape_a = 3,
                           .shape_b = 4,
                           .joint = 5,
                           .point = {6, 7},
                           .normal = {0, 1},
                           .depth = 0.5f,
                           .speed = 8,
                           .impulse = 9};
}

static void events_tell_what_their_kind_has(void **state)
{
    (void)state;
    const struct {
        event_kind kind;
        const char *json;
    } cases[] = {
#define PAIR "\"tick\":60,\"a\":1,\"b\":2,\"shape_a\":3,\"shape_b\":4"
#define CONTACT                                                                                    \
    ",\"point\":[6.0,7.0],\"normal\":[0.0,1.0],\"depth\":0.5,\"speed\":8.0,\"impulse\":9.0}"
        {EVENT_BEGIN, "{\"kind\":\"begin\"," PAIR CONTACT},
        {EVENT_STAY, "{\"kind\":\"stay\"," PAIR CONTACT},
        {EVENT_END, "{\"kind\":\"end\"," PAIR "}"},
        {EVENT_HIT, "{\"kind\":\"hit\"," PAIR CONTACT},
        {EVENT_SENSOR_BEGIN, "{\"kind\":\"sensor_begin\"," PAIR "}"},
        {EVENT_SENSOR_END, "{\"kind\":\"sensor_end\"," PAIR "}"},
        {EVENT_SLEEP, "{\"kind\":\"sleep\",\"tick\":60,\"a\":1}"},
        {EVENT_WAKE, "{\"kind\":\"wake\",\"tick\":60,\"a\":1}"},
        {EVENT_SPAWN, "{\"kind\":\"spawn\",\"tick\":60,\"a\":1}"},
        {EVENT_REMOVE, "{\"kind\":\"remove\",\"tick\":60,\"a\":1}"},
        {EVENT_JOINT_BREAK, "{\"kind\":\"joint_break\",\"tick\":60,\"joint\":5,\"a\":1,\"b\":2}"},
        {EVENT_FREEZE, "{\"kind\":\"freeze\",\"tick\":60,\"a\":1}"},
    };
    assert_int_equal(sizeof cases / sizeof *cases, EVENT_KIND_COUNT);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        physics_event e = event(cases[i].kind);
        encode_event(&out, &e);
        assert_encoded(cases[i].json);
    }
}

static void contact_tells_its_points(void **state)
{
    (void)state;
    contact_info c = {.body_a = 1,
                      .body_b = 2,
                      .shape_a = 3,
                      .shape_b = 4,
                      .normal = {0, 1},
                      .count = 2,
                      .points = {{5, 6}, {7, 8}},
                      .depth = {0.25f, 0.5f},
                      .impulse = {9, 10},
                      .tangent_impulse = {11, 12}};
    encode_contact(&out, &c);
    assert_encoded(
        "{\"a\":1,\"b\":2,\"shape_a\":3,\"shape_b\":4,\"normal\":[0.0,1.0],\"points\":["
        "{\"point\":[5.0,6.0],\"depth\":0.25,\"impulse\":9.0,\"tangent_impulse\":11.0},"
        "{\"point\":[7.0,8.0],\"depth\":0.5,\"impulse\":10.0,\"tangent_impulse\":12.0}]}");
}

static encoded_list rows_of(buffer *b, uint32_t count)
{
    buffer_init(b, 4096);
    for (uint32_t i = 0; i < count; i++) {
        encode_body_row(b, &(body_row){.id = i + 1});
    }
    return (encoded_list){b->data, b->size, count};
}

static void snapshot_is_its_head_and_its_tail(void **state)
{
    (void)state;
    buffer rows, tail;
    snapshot_view view = {.world = "w",
                          .epoch = 2,
                          .tick = 60,
                          .time = 1.0,
                          .full = true,
                          .bodies = rows_of(&rows, 2),
                          .hash = 1};
    buffer_init(&tail, 4096);
    uint32_t pairs = encode_snapshot_tail(&tail, &view);
#define TAIL                                                                                       \
    "\"world\":\"w\",\"epoch\":2,\"tick\":60,\"time\":1.0,\"full\":true,"                          \
    "\"bodies\":[[1,0.0,0.0,0.0,0.0,0.0,0.0],[2,0.0,0.0,0.0,0.0,0.0,0.0]],\"removed\":[],"         \
    "\"events\":[],\"hash\":{\"$bin\":\"0000000000000001\"}}]]"
    // One tail, two heads: the part that subscriptions share is encoded once.
    encode_snapshot_head(&out, &(snapshot_head){.subscription = 5}, pairs);
    buffer_append(&out, tail.data, tail.size);
    assert_encoded("[2,\"snapshot\",[{\"subscription\":5," TAIL);
    encode_snapshot_head(
        &out,
        &(snapshot_head){
            .subscription = 6, .has_last = true, .last = 77, .skipped = 3, .events_lost = 500},
        pairs);
    buffer_append(&out, tail.data, tail.size);
    assert_encoded(
        "[2,\"snapshot\",[{\"subscription\":6,\"last\":77,\"skipped\":3,\"events_lost\":500," TAIL);
    encode_snapshot_head(
        &out, &(snapshot_head){.subscription = 5, .has_margin = true, .margin = -0.25}, pairs);
    buffer_append(&out, tail.data, tail.size);
    assert_encoded("[2,\"snapshot\",[{\"subscription\":5,\"margin\":-0.25," TAIL);
    buffer_deinit(&rows);
    buffer_deinit(&tail);
}

static void snapshot_of_an_area_tells_who_came_and_went(void **state)
{
    (void)state;
    const body_id removed[] = {1}, enter[] = {2, 3}, leave[] = {4};
    snapshot_view view = {.world = "w",
                          .removed = removed,
                          .removed_count = 1,
                          .has_area = true,
                          .enter = enter,
                          .enter_count = 2,
                          .leave = leave,
                          .leave_count = 1};
    buffer tail;
    buffer_init(&tail, 4096);
    uint32_t pairs = encode_snapshot_tail(&tail, &view);
    encode_snapshot_head(&out, &(snapshot_head){.subscription = 1}, pairs);
    buffer_append(&out, tail.data, tail.size);
    assert_encoded("[2,\"snapshot\",[{\"subscription\":1,\"world\":\"w\",\"epoch\":0,\"tick\":0,"
                   "\"time\":0.0,\"full\":false,\"bodies\":[],\"removed\":[1],\"enter\":[2,3],"
                   "\"leave\":[4],\"events\":[],\"hash\":{\"$bin\":\"0000000000000000\"}}]]");
    buffer_deinit(&tail);
}

static void snapshot_splices_events_and_contacts(void **state)
{
    (void)state;
    buffer events, contacts, tail;
    buffer_init(&events, 4096);
    buffer_init(&contacts, 4096);
    buffer_init(&tail, 4096);
    physics_event sleep = event(EVENT_SLEEP), end = event(EVENT_END);
    encode_event(&events, &sleep);
    encode_event(&events, &end);
    encode_contact(&contacts, &(contact_info){.body_a = 1});
    snapshot_view view = {.world = "w",
                          .events = {events.data, events.size, 2},
                          .has_contacts = true,
                          .contacts = {contacts.data, contacts.size, 1}};
    uint32_t pairs = encode_snapshot_tail(&tail, &view);
    encode_snapshot_head(&out, &(snapshot_head){.subscription = 1}, pairs);
    buffer_append(&out, tail.data, tail.size);
    const char *json = wording_of(&out);
    assert_non_null(strstr(json, "\"events\":[{\"kind\":\"sleep\",\"tick\":60,\"a\":1},"
                                 "{\"kind\":\"end\","));
    assert_non_null(strstr(json, "\"contacts\":[{\"a\":1,"));
    buffer_deinit(&events);
    buffer_deinit(&contacts);
    buffer_deinit(&tail);
}

static void ends_tell_why(void **state)
{
    (void)state;
    encode_closing(&out, STATUS_UNAVAILABLE, "shutting down");
    assert_encoded("[2,\"closing\",[{\"code\":\"unavailable\",\"reason\":\"shutting down\"}]]");
    encode_world_closed(&out, 4, "demo", STATUS_NOT_FOUND, "destroyed");
    assert_encoded("[2,\"world_closed\",[{\"subscription\":4,\"world\":\"demo\","
                   "\"code\":\"not_found\",\"reason\":\"destroyed\"}]]");
}

// ---- rules of every encoder

static void numbers_keep_their_width(void **state)
{
    (void)state;
    // Places are float 64, and values that the engine stores as float are float 32, whatever the
    // value.
    encode_body_row(&out, &(body_row){.id = 1});
    static const uint8_t ROW[] = {0x97, 0x01, 0xcb, 0, 0, 0, 0,    0,    0, 0, 0, 0xcb, 0, 0,
                                  0,    0,    0,    0, 0, 0, 0xca, 0,    0, 0, 0, 0xca, 0, 0,
                                  0,    0,    0xca, 0, 0, 0, 0,    0xca, 0, 0, 0, 0};
    assert_int_equal(out.size, sizeof ROW);
    assert_memory_equal(out.data, ROW, sizeof ROW);
}

static void hash_is_eight_bytes_most_significant_first(void **state)
{
    (void)state;
    static const uint8_t BYTES[] = {0xc4, 8, 1, 2, 3, 4, 5, 6, 7, 8};
    encode_hash(&out, 0x0102030405060708u);
    assert_int_equal(out.size, sizeof BYTES);
    assert_memory_equal(out.data, BYTES, sizeof BYTES);
}

static void buffer_that_is_too_small_says_so(void **state)
{
    (void)state;
    buffer small;
    buffer_init(&small, 8);
    encode_world_tick_result(&small, &(world_tick_result){"a-long-name", 1});
    assert_true(small.overflow);
    buffer_deinit(&small);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        TEST(result_of_a_change_is_its_tick),
        TEST(result_of_what_makes_is_its_id),
        TEST(result_of_a_batch_holds_each_one_s),
        TEST(results_of_queries_are_hits_bodies_or_nil),
        TEST(small_results_have_their_names),
        TEST(ping_sends_back_what_came),
        TEST(hello_tells_role_and_limits),
        TEST(server_info_and_stats_are_maps),
        TEST(world_status_is_complete),
        TEST(body_is_told_in_full),
        TEST(shapes_are_told_by_the_names_they_were_made_with),
        TEST(world_state_lists_bodies_and_joints),
        TEST(joint_list_lists_joints),
        TEST(joint_tells_the_fields_that_are_in_effect),
        TEST(joint_with_all_fields_is_one_whole_map),
        TEST(row_is_an_array_of_seven_and_never_longer_than_told),
        TEST(events_tell_what_their_kind_has),
        TEST(contact_tells_its_points),
        TEST(snapshot_is_its_head_and_its_tail),
        TEST(snapshot_of_an_area_tells_who_came_and_went),
        TEST(snapshot_splices_events_and_contacts),
        TEST(ends_tell_why),
        TEST(numbers_keep_their_width),
        TEST(hash_is_eight_bytes_most_significant_first),
        TEST(buffer_that_is_too_small_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
