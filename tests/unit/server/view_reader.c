// Applies snapshots, and checks that they are valid; see view_reader.h.
#include "tests/unit/server/view_reader.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/object.h"

void view_reader_init(view_reader *r)
{
    *r = (view_reader){.decoder = packed_decoder_create()};
    assert_non_null(r->decoder);
}

void view_reader_deinit(view_reader *r)
{
    packed_decoder_destroy(r->decoder);
}

static view_body *place_of(view_reader *r, uint64_t id)
{
    assert_true((id & 0xffffff) < VIEW_BODIES_MAX);
    return &r->bodies[id & 0xffffff];
}

const view_body *view_reader_find(const view_reader *r, body_id id)
{
    const view_body *b = &r->bodies[(id & 0xffffff) % VIEW_BODIES_MAX];
    return b->id == id ? b : NULL;
}

uint32_t view_reader_count(const view_reader *r)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < VIEW_BODIES_MAX; i++) {
        count += r->bodies[i].id != 0;
    }
    return count;
}

static void put(view_reader *r, uint64_t id, double x, double y)
{
    *place_of(r, id) = (view_body){id, x, y, r->tick};
    r->rows++;
}

static void drop(view_reader *r, uint64_t id)
{
    view_body *b = place_of(r, id);
    assert_true(b->id == id);
    b->id = 0;
}

static void begin(view_reader *r, bool full, uint64_t tick)
{
    assert_true(full || r->fulls > 0);
    assert_true(tick >= r->tick);
    r->tick = tick;
    r->fulls += full;
    r->changes += !full;
    r->rows = 0;
    if (full) {
        memset(r->bodies, 0, sizeof r->bodies);
    }
}

static void take_packed(view_reader *r, const msgpack_object *s, const msgpack_object *data)
{
    packed_changes c;
    error err = {STATUS_OK, ""};
    if (packed_decode(r->decoder, (const uint8_t *)data->via.bin.ptr, data->via.bin.size, &c,
                      &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    assert_true(c.full == (obj_find(s, "full") != NULL));
    begin(r, c.full, c.tick);
    for (uint32_t i = 0; i < c.removed_count; i++) {
        drop(r, c.removed[i]);
    }
    for (uint32_t i = 0; i < c.left_count; i++) {
        drop(r, c.left[i]);
    }
    for (uint32_t i = 0; i < c.entered_count; i++) {
        assert_true(place_of(r, c.entered[i])->id == 0);
    }
    for (uint32_t i = 0; i < c.body_count; i++) {
        put(r, c.bodies[i].id, c.bodies[i].x, c.bodies[i].y);
    }
    r->removals += c.removed_count;
    r->leaves += c.left_count;
    r->enters += c.entered_count;
}

static uint32_t drop_list(view_reader *r, const msgpack_object *ids)
{
    for (uint32_t i = 0; ids != NULL && i < obj_count(ids); i++) {
        drop(r, obj_uint(obj_at(ids, i)));
    }
    return ids == NULL ? 0 : obj_count(ids);
}

static void take_plain(view_reader *r, const msgpack_object *s)
{
    const msgpack_object *rows = obj_get(s, "bodies");
    const msgpack_object *enter = obj_find(s, "enter");
    begin(r, obj_bool(obj_get(s, "full")), obj_get_uint(s, "tick"));
    r->removals += drop_list(r, obj_get(s, "removed"));
    r->leaves += drop_list(r, obj_find(s, "leave"));
    for (uint32_t i = 0; enter != NULL && i < obj_count(enter); i++) {
        assert_true(place_of(r, obj_uint(obj_at(enter, i)))->id == 0);
        r->enters++;
    }
    for (uint32_t i = 0; i < obj_count(rows); i++) {
        const msgpack_object *row = obj_at(rows, i);
        put(r, obj_uint(obj_at(row, 0)), obj_number(obj_at(row, 1)), obj_number(obj_at(row, 2)));
    }
    for (uint32_t i = 0; enter != NULL && i < obj_count(enter); i++) { // each of them has its row
        assert_true(place_of(r, obj_uint(obj_at(enter, i)))->id != 0);
    }
}

static uint64_t number_or_0(const msgpack_object *s, const char *key)
{
    const msgpack_object *value = obj_find(s, key);
    return value == NULL ? 0 : obj_uint(value);
}

void view_reader_take(view_reader *r, const msgpack_object *s)
{
    const msgpack_object *data = obj_find(s, "data");
    const msgpack_object *events = obj_find(s, "events");
    if (data != NULL) {
        take_packed(r, s, data);
    } else {
        take_plain(r, s);
    }
    r->left_out = number_or_0(s, "left_out");
    r->oldest = number_or_0(s, "oldest");
    assert_true((r->left_out > 0) == (obj_find(s, "oldest") != NULL));
    assert_true(r->oldest <= r->tick);
    r->unfollowed = number_or_0(s, "unfollowed");
    r->events += events == NULL ? 0 : obj_count(events);
}
