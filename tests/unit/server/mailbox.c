// A reply sink that keeps at most MAILBOX_MAX replies for the test to look at. The test's thread.
#include "tests/unit/server/mailbox.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void add(mailbox *m, reply *r)
{
    assert_true(m->count < MAILBOX_MAX);
    m->replies[m->count++] = r;
}

// Makes one receiver's part a reply of its own, with its head in `small`.
static reply *split(const reply *r, const snapshot_delivery *d)
{
    reply *one = reply_create_snapshot(r->world, bytes_ref(r->tail), r->pairs, 1);
    buffer head;
    buffer_init(&head, REPLY_INLINE_MAX);
    delivery_head(r, d, &head);
    assert_false(head.overflow);
    memcpy(one->small, head.data, head.size);
    one->small_size = (uint8_t)head.size;
    one->subscription = d->subscription;
    one->reply_to.session = d->session;
    buffer_deinit(&head);
    return one;
}

static void post(void *context, reply *r)
{
    mailbox *m = context;
    if (r->kind != REPLY_SNAPSHOT) {
        add(m, r);
        return;
    }
    assert_true(r->delivery_count > 0);
    for (uint32_t i = 0; i < r->delivery_count; i++) {
        add(m, split(r, &r->deliveries[i]));
    }
    reply_free(r);
}

reply_sink mailbox_sink(mailbox *m)
{
    return (reply_sink){post, m};
}

void mailbox_deinit(mailbox *m)
{
    for (uint32_t i = 0; i < m->count; i++) {
        reply_free(m->replies[i]);
        if (m->bytes[i] != NULL) {
            msgpack_unpacked_destroy(&m->unpacked[i]);
            free(m->bytes[i]);
        }
    }
    *m = (mailbox){0};
}

uint32_t mailbox_left(const mailbox *m)
{
    return m->count - m->next;
}

const reply *mailbox_take(mailbox *m, reply_kind kind)
{
    assert_true(m->next < m->count);
    const reply *r = m->replies[m->next++];
    assert_int_equal(r->kind, kind);
    return r;
}

// Head and tail as they follow each other on the wire.
static const msgpack_object *unpack(mailbox *m, const reply *r)
{
    uint32_t at = m->next - 1;
    size_t head = 0;
    const uint8_t *bytes = reply_payload(r, &head);
    size_t tail = r->tail != NULL ? r->tail->size : 0;
    m->bytes[at] = malloc(head + tail + 1);
    memcpy(m->bytes[at], bytes, head);
    if (tail > 0) {
        memcpy(m->bytes[at] + head, r->tail->data, tail);
    }
    msgpack_unpacked_init(&m->unpacked[at]);
    size_t offset = 0;
    msgpack_unpack_return result =
        msgpack_unpack_next(&m->unpacked[at], (const char *)m->bytes[at], head + tail, &offset);
    assert_int_equal(result, MSGPACK_UNPACK_SUCCESS);
    assert_int_equal(offset, head + tail);
    return &m->unpacked[at].data;
}

const msgpack_object *mailbox_snapshot(mailbox *m)
{
    const msgpack_object *message = unpack(m, mailbox_take(m, REPLY_SNAPSHOT));
    assert_int_equal(obj_uint(obj_at(message, 0)), 2);
    assert_string_equal(obj_text(obj_at(message, 1)), "snapshot");
    return obj_at(obj_at(message, 2), 0);
}

const msgpack_object *mailbox_result(mailbox *m)
{
    const reply *r = mailbox_take(m, REPLY_RESULT);
    if (r->status != STATUS_OK) {
        fail_msg("%s: %s", status_code(r->status), r->text);
    }
    return unpack(m, r);
}
