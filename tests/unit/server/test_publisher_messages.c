// Tests of messages in server/world/snapshots/publisher.h: whom they reach, who shares a snapshot,
// and how many are kept; and of the quota of a tick, server/world/tick/message_quota.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/base/metrics.h"
#include "server/world/tick/message_quota.h"
#include "tests/unit/server/publisher_rig.h"

static const uint8_t NIL_VALUE[1] = {0xc0};

static command message(const char *name, message_recipient to)
{
    command c = {.method = METHOD_MESSAGE_SEND};
    c.message = (message_args){.name = name, .recipient = to};
    return c;
}

static void say(publisher_rig *f, const char *name, message_recipient to)
{
    const command c = message(name, to);
    publisher_note_edit(&f->publisher);
    publisher_note_messages(&f->publisher, &c, 9, world_tick(f->world) + 1);
}

static message_recipient all(void)
{
    return (message_recipient){0};
}

static message_recipient to_session(session_key key)
{
    return (message_recipient){.kind = MESSAGE_TO_SESSION, .session = key.number};
}

static void hear(publisher_rig *f, uint64_t number, session_key session)
{
    subscribe_args view = everything();
    view.events |= 1u << EVENT_MESSAGE;
    subscribe(f, number, session, view);
}

// The messages' names in the next snapshot, with spaces between, of subscription *number.
static const char *take_names(publisher_rig *f, uint64_t *number)
{
    static char names[256];
    const msgpack_object *s = mailbox_snapshot(&f->box);
    const msgpack_object *events = obj_get(s, "events");
    names[0] = '\0';
    *number = obj_get_uint(s, "subscription");
    for (uint32_t i = 0; i < obj_count(events); i++) {
        assert_string_equal(obj_get_text(obj_at(events, i), "kind"), "message");
        strcat(strcat(names, obj_get_text(obj_at(events, i), "name")), " ");
    }
    publisher_acknowledge(&f->publisher, *number);
    return names;
}

static void assert_names(publisher_rig *f, const char *first, const char *second)
{
    for (int i = 0; i < 2; i++) {
        uint64_t number = 0;
        const char *names = take_names(f, &number);
        assert_string_equal(names, number == 1 ? first : second);
    }
    assert_int_equal(mailbox_left(&f->box), 0);
}

static uint64_t encoded(void)
{
    return metrics_get(METRIC_snapshots_encoded);
}

static void readers_share_bytes_unless_their_messages_differ(void **state)
{
    publisher_rig *f = *state;
    hear(f, 1, ONE);
    hear(f, 2, TWO);
    tick(f);
    assert_names(f, "", "");
    uint64_t before = encoded();
    say(f, "x", all());
    tick(f);
    assert_names(f, "x ", "x ");
    assert_int_equal(encoded() - before, 1);
    before = encoded();
    say(f, "one", to_session(ONE));
    say(f, "two", to_session(TWO));
    say(f, "three", (message_recipient){.kind = MESSAGE_TO_SESSION, .session = 3});
    say(f, "y", all());
    tick(f);
    assert_names(f, "one y ", "two y ");
    assert_int_equal(encoded() - before, 2);
    before = encoded();
    say(f, "three", (message_recipient){.kind = MESSAGE_TO_SESSION, .session = 3});
    tick(f); // they are alike again
    assert_names(f, "", "");
    assert_int_equal(encoded() - before, 1);
}

static void roles_and_subjects_get_their_messages(void **state)
{
    publisher_rig *f = *state;
    hear(f, 1, ONE);
    hear(f, 2, TWO);
    publisher_name_reader(&f->publisher, 1, ROLE_REFEREE, "ref");
    publisher_name_reader(&f->publisher, 2, ROLE_PLAYER, "ada");
    tick(f);
    assert_names(f, "", "");
    say(f, "rules", (message_recipient){.kind = MESSAGE_TO_REFEREE});
    say(f, "hint", (message_recipient){.kind = MESSAGE_TO_SUBJECT, .subject = "ada"});
    say(f, "lost", (message_recipient){.kind = MESSAGE_TO_SUBJECT, .subject = "ad"});
    tick(f);
    assert_names(f, "rules ", "hint ");
}

// Nobody takes anything, so nothing is published, and the log is bounded where messages come in.
static void messages_past_the_bytes_are_lost_and_counted(void **state)
{
    enum { MESSAGES = 1000 };
    publisher_rig *f = *state;
    f->limits.event_bytes_kept = 1000;
    hear(f, 1, ONE);
    hear(f, 2, TWO);
    tick(f);
    mailbox_snapshot(&f->box);
    mailbox_snapshot(&f->box);
    for (int i = 0; i < MESSAGES; i++) {
        say(f, "n", i % 2 == 0 ? all() : to_session(TWO));
        assert_true(f->publisher.log.bytes.size <= 2000 + 100);
    }
    publisher_acknowledge(&f->publisher, 1);
    publisher_acknowledge(&f->publisher, 2);
    tick(f);
    for (int i = 0; i < 2; i++) {
        const msgpack_object *s = mailbox_snapshot(&f->box);
        const uint64_t told = obj_count(obj_get(s, "events"));
        const bool gets_all = obj_get_uint(s, "subscription") == 2;
        assert_in_range(told, 1, 40);
        assert_int_equal(told + obj_get_uint(s, "events_lost"), gets_all ? MESSAGES : MESSAGES / 2);
    }
}

// ---- the quota of a tick

static const int64_t PERIOD_NS = 1000;

static status admit(message_quota *q, const limits *most, const char *subject, uint64_t session,
                    uint32_t bytes, int64_t now, error *err)
{
    command c = message("name", all());
    actor who = {.role = ROLE_PLAYER};
    c.message.data = NIL_VALUE; // the quota counts sizes, and reads no data
    c.message.data_size = bytes - MESSAGE_BYTES - 4;
    strcpy(who.subject, subject);
    return message_quota_admit(q, most, &who, session, &c, now, PERIOD_NS, err);
}

static void quota_is_shared_among_subjects_and_renewed_each_tick(void **state)
{
    limits most = limits_default();
    message_quota q = {0};
    error err;
    (void)state;
    most.message_bytes_per_tick = 1000;
    most.message_data_bytes = 600;
    most.owner_share = 50;
    assert_int_equal(admit(&q, &most, "ada", 1, 400, 5000, &err), STATUS_OK);
    assert_int_equal(admit(&q, &most, "ada", 2, 101, 5000, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "owner_share"));
    assert_int_equal(admit(&q, &most, "ada", 2, 100, 5000, &err), STATUS_OK);
    assert_int_equal(admit(&q, &most, "bob", 3, 251, 5000, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "at most 250"));
    assert_int_equal(admit(&q, &most, "bob", 3, 250, 5000, &err), STATUS_OK);
    assert_int_equal(admit(&q, &most, "", 4, 126, 5000, &err), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(admit(&q, &most, "", 4, 251, 5000, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "message_bytes_per_tick"));
    assert_int_equal(admit(&q, &most, "", 4, 125, 5000, &err), STATUS_OK);
    assert_int_equal(admit(&q, &most, "", 5, 62, 5999, &err),
                     STATUS_LIMIT_EXCEEDED); // less than 64
    assert_int_equal(admit(&q, &most, "bob", 3, 100, 5999, &err), STATUS_LIMIT_EXCEEDED);
    assert_int_equal(admit(&q, &most, "ada", 1, 500, 6000, &err), STATUS_OK);
    assert_int_equal(admit(&q, &most, "eve", 1, 669, 7000, &err), STATUS_LIMIT_EXCEEDED);
    assert_non_null(strstr(err.text, "message_data_bytes"));
    message_quota_deinit(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WITH_RIG(name)                                                                             \
    cmocka_unit_test_setup_teardown(name, publisher_rig_set_up, publisher_rig_tear_down)
        WITH_RIG(readers_share_bytes_unless_their_messages_differ),
        WITH_RIG(roles_and_subjects_get_their_messages),
        WITH_RIG(messages_past_the_bytes_are_lost_and_counted),
        cmocka_unit_test(quota_is_shared_among_subjects_and_renewed_each_tick),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
