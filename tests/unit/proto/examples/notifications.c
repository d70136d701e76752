// See notifications.h. One thread.
#include "tests/unit/proto/examples/notifications.h"

#include "proto/encode/encode.h"
#include "proto/log/log_compact.h"
#include "proto/packed/packed.h"
#include "tests/unit/proto/examples/message.h"
#include "tests/unit/proto/examples/records.h"

static void print_snapshot(const char *name, const snapshot_head *head, const snapshot_view *view)
{
    buffer tail, bytes;
    buffer_init(&tail, EXAMPLE_BYTES_MAX);
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    uint32_t pairs = encode_snapshot_tail(&tail, view);
    encode_snapshot_head(&bytes, head, pairs);
    buffer_append(&bytes, tail.data, tail.size);
    message_print(name, "server", &bytes);
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
    buffer_init(&rows, EXAMPLE_BYTES_MAX);
    encode_body_row(&rows, &(body_row){.id = 1});
    encode_body_row(&rows, &BALL);
    print_snapshot("snapshot full", &(snapshot_head){.subscription = 3},
                   &(snapshot_view){.world = "lab",
                                    .epoch = 1,
                                    .tick = 120,
                                    .time = 2.0,
                                    .full = true,
                                    .bodies = {rows.data, rows.size, 2},
                                    .hash = EXAMPLE_HASH});
    buffer_deinit(&rows);
}

// The reader has sent batches for ticks: the smallest margin was 1/64 s.
static void do_snapshot_with_a_margin(void)
{
    print_snapshot("snapshot margin",
                   &(snapshot_head){.subscription = 3, .has_margin = true, .margin = 0.015625},
                   &(snapshot_view){
                       .world = "lab", .epoch = 1, .tick = 132, .time = 2.2, .hash = EXAMPLE_HASH});
}

// A full snapshot and the change after it, of one flying ball.
static void do_packed_snapshots(void)
{
    const packed_precision precision = packed_precision_default();
    packed_encoder *e = packed_encoder_create(&precision, 60.0);
    packed_body ball = {.id = 2, .x = 0.5, .y = 1.25, .angle = 0.25};
    buffer data;
    buffer_init(&data, EXAMPLE_BYTES_MAX);
    packed_encode(e, 120, &ball, 1, NULL, 0, &data);
    buffer_clear(&data);
    packed_encode_full(e, &data);
    snapshot_view view = {.world = "lab",
                          .epoch = 1,
                          .tick = 120,
                          .time = 2.0,
                          .full = true,
                          .hash = EXAMPLE_HASH,
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
    buffer_init(&rows, EXAMPLE_BYTES_MAX);
    buffer_init(&events, EXAMPLE_BYTES_MAX);
    buffer_init(&contacts, EXAMPLE_BYTES_MAX);
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
                                    .hash = EXAMPLE_HASH});
    buffer_deinit(&rows);
    buffer_deinit(&events);
    buffer_deinit(&contacts);
}

static void do_other_events(void)
{
    buffer bytes;
    const event_kind kinds[] = {EVENT_SENSOR_BEGIN, EVENT_SLEEP, EVENT_JOINT_BREAK};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        buffer_init(&bytes, EXAMPLE_BYTES_MAX);
        encode_event(&bytes, &(physics_event){.kind = kinds[i],
                                              .tick = 130,
                                              .a = 1,
                                              .b = 2,
                                              .shape_a = 1,
                                              .shape_b = 2,
                                              .joint = 1});
        message_print("events", "server", &bytes);
    }
}

// The event of message.send's example, sent by session 7 of subject "ada".
static void do_message(void)
{
    static const uint8_t DATA[] = "\x82\xa5"
                                  "build\xa5"
                                  "tower\xa2"
                                  "at\x92\x03\x04";
    const message_args message = {
        .name = "order", .data = DATA, .data_size = sizeof DATA - 1, .subject = "ada"};
    buffer bytes;
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_message_event(&bytes, 131, 7, &message);
    message_print("message event", "server", &bytes);
}

static void do_seats(void)
{
    static const uint8_t DATA[] = "\x81\xa4"
                                  "name\xa3"
                                  "Ada";
    const world_join_args join = {
        .seat = 1, .session = 7, .subject = "ada", .data = DATA, .data_size = sizeof DATA - 1};
    const world_leave_args leave = {.seat = 1, .session = 7, .subject = "ada"};
    buffer bytes;
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_join_event(&bytes, 1, &join);
    message_print("seat events", "server", &bytes);
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_leave_event(&bytes, 600, &leave);
    message_print("seat events", "server", &bytes);
}

static void do_ends(void)
{
    buffer bytes;
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_closing(&bytes, STATUS_UNAVAILABLE, "the server is shutting down");
    message_print("closing", "server", &bytes);
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_world_closed(&bytes, 3, "lab", STATUS_NOT_FOUND, "the world was destroyed");
    message_print("world_closed", "server", &bytes);
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_leaving(&bytes, 30.0, "the server is about to end");
    message_print("leaving", "server", &bytes);
    buffer_init(&bytes, EXAMPLE_BYTES_MAX);
    encode_moved(&bytes,
                 &(moved_notification){"arena", "10.0.0.7:22766", "10.0.0.7:22767", 4, 5160});
    message_print("moved", "server", &bytes);
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
    message_print("log", "server", &bytes);
}

static void print_compact_notification(void)
{
    buffer tail;
    buffer bytes;
    buffer_init(&tail, 256);
    buffer_init(&bytes, 256);
    encode_compact_head(&bytes, &(snapshot_head){.subscription = 4}, record_append_compact(&tail));
    buffer_append(&bytes, tail.data, tail.size);
    message_print("log compact", "server", &bytes);
    buffer_deinit(&tail);
}

static void do_log_notifications(void)
{
    log_record first = {.from = 100,
                        .tick = 100,
                        .has_hash = true,
                        .hash = EXAMPLE_HASH,
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
                         .hash = EXAMPLE_HASH};
    print_log_notification(&second);
    buffer_deinit(&arguments);
    buffer_deinit(&rows);
    print_compact_notification();
}

void notifications_print(void)
{
    do_full_snapshot();
    do_changed_snapshot();
    do_other_events();
    do_message();
    do_seats();
    do_log_notifications();
    do_packed_snapshots();
    do_snapshot_with_a_margin();
    do_ends();
}
