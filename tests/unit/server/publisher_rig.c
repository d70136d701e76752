// See publisher_rig.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "tests/unit/server/publisher_rig.h"

int publisher_rig_set_up(void **state)
{
    static publisher_rig f;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, 0.0};
    f = (publisher_rig){.limits = limits_default()};
    assert_int_equal(world_create(&def, &f.world, NULL), STATUS_OK);
    world_want_events(f.world, 0);
    publisher_init(&f.publisher, &f.limits, "world", 7);
    *state = &f;
    return 0;
}

int publisher_rig_tear_down(void **state)
{
    publisher_rig *f = *state;
    mailbox_deinit(&f->box);
    publisher_deinit(&f->publisher);
    world_free(f->world);
    return 0;
}

body_id add_ball(publisher_rig *f, double x, double y, double speed)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    def.position = (vec2d){x, y};
    def.velocity = (vec2d){speed, 0.0};
    shape.geometry.kind = SHAPE_CIRCLE;
    shape.geometry.circle = (circle){{0.0f, 0.0f}, 0.5f};
    assert_int_equal(body_spawn(f->world, &def, &shape, 1, &id, NULL, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
    return id;
}

void move(publisher_rig *f, body_id id, double x, double y)
{
    body_def def = body_def_default();
    def.position = (vec2d){x, y};
    assert_int_equal(body_set(f->world, id, BODY_FIELD_POSITION, &def, NULL), STATUS_OK);
    publisher_note_edit(&f->publisher);
}

void subscribe(publisher_rig *f, uint64_t number, session_key session, subscribe_args view)
{
    publisher_subscribe(&f->publisher, f->world, number, session, session.number, &view);
}

subscribe_args everything(void)
{
    return (subscribe_args){.bodies = true, .events = 1u << EVENT_BEGIN | 1u << EVENT_END};
}

subscribe_args within(double x0, double y0, double x1, double y1)
{
    subscribe_args view = everything();
    view.has_area = true;
    view.area = (area){x0, y0, x1, y1};
    return view;
}

void tick(publisher_rig *f)
{
    world_step(f->world);
    publisher_note_step(&f->publisher, f->world);
    publisher_publish(&f->publisher, f->world, false, NULL, mailbox_sink(&f->box));
}

void publish_all(publisher_rig *f)
{
    publisher_publish(&f->publisher, f->world, true, NULL, mailbox_sink(&f->box));
}

void take_and_acknowledge(publisher_rig *f, uint64_t number)
{
    mailbox_snapshot(&f->box);
    publisher_acknowledge(&f->publisher, number);
}

uint32_t rows_in(const msgpack_object *snapshot)
{
    return obj_count(obj_get(snapshot, "bodies"));
}

uint64_t row_id(const msgpack_object *snapshot, uint32_t index)
{
    return obj_uint(obj_at(obj_at(obj_get(snapshot, "bodies"), index), 0));
}
