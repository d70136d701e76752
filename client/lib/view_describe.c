// Descriptions in a view: shapes, types, tags and owners of bodies, who is awake, joints. The rules
// are in carom/view.h. One thread at a time.
#include "client/lib/view_internal.h"

#include <stdlib.h>
#include <string.h>

#include "client/lib/describe.h"
#include "common/base/assert.h"

// ---- bodies

void view_call_described(carom_view *view, uint32_t place)
{
    const view_content *v = &view->content;
    if (view->options.described != NULL && v->infos.data[place] != NULL) {
        view->options.described(view, &v->bodies.data[place], v->infos.data[place],
                                v->data.data[place], view->options.user);
    }
}

// A body that no row has named exists from its description on.
static bool describe_place(carom_view *view, const carom_body_info *told)
{
    view_content *v = &view->content;
    carom_body_info *info = described_body_clone(told);
    uint32_t place;
    if (info == NULL) {
        return false;
    }
    if (!id_map_find(&v->places, told->body.id, &place)) {
        if (view_place_body(view, &told->body, info) == UINT32_MAX) {
            free(info);
            return false;
        }
        return true;
    }
    free(v->infos.data[place]);
    v->infos.data[place] = info;
    v->stamps.data[place] = v->stamp;
    view_call_described(view, place);
    return true;
}

static void set_awake(view_content *v, uint64_t body, bool awake)
{
    uint32_t place;
    if (id_map_find(&v->places, body, &place)) {
        v->awake.data[place] = awake;
    }
}

// ---- joints

static bool put_joint(view_content *v, const carom_joint_info *told)
{
    uint32_t place;
    if (id_map_find(&v->joint_places, told->id, &place)) {
        v->joints.data[place] = *told;
        return true;
    }
    if (!id_map_reserve(&v->joint_places, (uint64_t)v->joints.count + 1) ||
        !vector_push(&v->joints, *told)) {
        return false;
    }
    id_map_put(&v->joint_places, told->id, v->joints.count - 1);
    return true;
}

static void remove_joint(view_content *v, uint32_t place)
{
    ASSERT(place < v->joints.count);
    id_map_remove(&v->joint_places, v->joints.data[place].id);
    vector_swap_remove(&v->joints, place);
    if (place < v->joints.count) {
        id_map_put(&v->joint_places, v->joints.data[place].id, place);
    }
}

static void clear_joints(view_content *v)
{
    vector_clear(&v->joints);
    id_map_clear(&v->joint_places);
}

static bool sees(const view_content *v, uint64_t body)
{
    uint32_t place;
    return id_map_find(&v->places, body, &place);
}

static void remove_unseen_joints(view_content *v)
{
    for (uint32_t i = v->joints.count; i > 0; i--) {
        const carom_joint_settings *settings = &v->joints.data[i - 1].settings;
        if (!sees(v, settings->a) && !sees(v, settings->b)) {
            remove_joint(v, i - 1);
        }
    }
}

// ---- snapshots

bool descriptions_apply(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    if (s->full) {
        clear_joints(v);
        v->has_area = s->has_view;
        memcpy(v->area, s->view, sizeof v->area);
    }
    v->describing = s->describing;
    for (size_t i = 0; i < s->spawned_count; i++) {
        if (s->spawned[i]->body.id != 0 && !describe_place(view, s->spawned[i])) {
            return false;
        }
    }
    for (size_t i = 0; i < s->joint_count; i++) {
        if (s->joints[i].id != 0 && !put_joint(v, &s->joints[i])) {
            return false;
        }
    }
    return true;
}

void descriptions_settle(carom_view *view, const carom_snapshot *s)
{
    view_content *v = &view->content;
    for (size_t i = 0; i < s->spawned_count; i++) {
        set_awake(v, s->spawned[i]->body.id, s->spawned[i]->awake);
    }
    for (size_t i = 0; i < s->event_count; i++) {
        const carom_event *event = &s->events[i];
        if (event->kind == CAROM_EVENT_SLEEP || event->kind == CAROM_EVENT_WAKE) {
            set_awake(v, event->a, event->kind == CAROM_EVENT_WAKE);
        }
    }
    uint32_t place;
    for (size_t i = 0; i < s->joints_removed_count; i++) {
        if (id_map_find(&v->joint_places, s->joints_removed[i], &place)) {
            remove_joint(v, place);
        }
    }
    if (s->leave_count + s->removed_count > 0 && !s->describing) {
        remove_unseen_joints(v);
    }
}

void descriptions_reset(carom_view *view)
{
    clear_joints(&view->content);
    view->content.describing = false;
    view->content.has_area = false;
}

// ---- reading

const carom_body_info *carom_view_info(const carom_view *view, size_t index)
{
    return view != NULL && index < view->content.bodies.count ? view->content.infos.data[index]
                                                              : NULL;
}

bool carom_view_awake(const carom_view *view, size_t index)
{
    return view != NULL && index < view->content.bodies.count && view->content.awake.data[index];
}

size_t carom_view_joint_count(const carom_view *view)
{
    return view == NULL ? 0 : view->content.joints.count;
}

const carom_joint_info *carom_view_joint(const carom_view *view, size_t index)
{
    return view != NULL && index < view->content.joints.count ? &view->content.joints.data[index]
                                                              : NULL;
}

const carom_joint_info *carom_view_find_joint(const carom_view *view, uint64_t id)
{
    uint32_t place;
    return view != NULL && id_map_find(&view->content.joint_places, id, &place)
               ? &view->content.joints.data[place]
               : NULL;
}
