// Snapshots, their elements, and the other notifications.
#include "proto/encode/encode_pack.h"

#include "proto/wire/buffer.h"

void encode_body_row(struct buffer *out, const body_row *row)
{
    packer k = buffer_packer(out);
    pack_array(&k, 7);
    pack_uint(&k, row->id);
    pack_double(&k, row->position.x);
    pack_double(&k, row->position.y);
    pack_float(&k, row->angle);
    pack_float(&k, row->velocity.x);
    pack_float(&k, row->velocity.y);
    pack_float(&k, row->angular_velocity);
}

void encode_datum(struct buffer *out, const char *key, const world_datum *datum)
{
    packer k = buffer_packer(out);
    pack_text(&k, key);
    if (datum != NULL) {
        buffer_append(out, datum->value, datum->value_size);
    } else {
        msgpack_pack_nil(&k);
    }
}

// ---- the snapshot

static void pack_list(packer *k, struct buffer *out, const char *key, const encoded_list *list)
{
    pack_text(k, key);
    pack_array(k, list->count);
    buffer_append(out, list->bytes, list->size);
}

static void pack_ids(packer *k, const char *key, const uint64_t *ids, uint32_t count)
{
    pack_text(k, key);
    pack_array(k, count);
    for (uint32_t i = 0; i < count; i++) {
        pack_uint(k, ids[i]);
    }
}

static void pack_area(packer *k, const area *a)
{
    pack_array(k, 4);
    pack_double(k, a->x0);
    pack_double(k, a->y0);
    pack_double(k, a->x1);
    pack_double(k, a->y1);
}

// Returns how many pairs.
static uint32_t pack_descriptions(packer *k, struct buffer *out, const snapshot_view *view)
{
    uint32_t pairs = 3;
    pack_list(k, out, "spawned", &view->spawned);
    pack_list(k, out, "joints", &view->joints);
    pack_ids(k, "joints_removed", view->joints_removed, view->joints_removed_count);
    if (view->describing) {
        pair_bool(k, "describing", true);
        pairs++;
    }
    if (view->scene_view != NULL) {
        pack_text(k, "view");
        pack_area(k, view->scene_view);
        pairs++;
    }
    return pairs;
}

// The lists of the bodies in view. Returns how many pairs.
static uint32_t pack_bodies(packer *k, struct buffer *out, const snapshot_view *view)
{
    pack_list(k, out, "bodies", &view->bodies);
    pack_ids(k, "removed", view->removed, view->removed_count);
    if (!view->has_area) {
        return 2;
    }
    pack_ids(k, "enter", view->enter, view->enter_count);
    pack_ids(k, "leave", view->leave, view->leave_count);
    return 4;
}

// Returns how many pairs.
static uint32_t pack_notes(packer *k, const snapshot_view *view)
{
    uint32_t pairs = 0;
    if (view->unfollowed != 0) {
        pair_uint(k, "unfollowed", view->unfollowed);
        pairs++;
    }
    if (view->left_out > 0) {
        pair_uint(k, "left_out", view->left_out);
        pair_uint(k, "oldest", view->oldest);
        pairs += 2;
    }
    return pairs;
}

// Writes a list of bodies under `key`; packed snapshots have bodies in `data`.
static void pack_data(packer *k, struct buffer *out, const char *key, const encoded_list *data)
{
    pack_text(k, key);
    pack_map(k, data->count);
    buffer_append(out, data->bytes, data->size);
}

static uint32_t pack_world_hash(packer *k, const snapshot_view *view)
{
    if (view->confined) {
        return 0;
    }
    pack_text(k, "hash");
    pack_hash(k, view->hash);
    return 1;
}

// A snapshot of encoding packed. Leaves out keys that are in `data`, empty, or unchanged since the
// last full one. Returns the number of pairs.
static uint32_t pack_packed(packer *k, struct buffer *out, const snapshot_view *view)
{
    uint32_t pairs = 1;
    if (view->full) {
        pair_text(k, "world", view->world);
        pair_uint(k, "epoch", view->epoch);
        pair_uint(k, "tick", view->tick);
        pair_double(k, "time", view->time);
        pair_bool(k, "full", true);
        pairs += 5 + pack_world_hash(k, view);
    }
    pack_text(k, "data");
    msgpack_pack_bin(k, view->packed->size);
    msgpack_pack_bin_body(k, view->packed->data, view->packed->size);
    if (view->events.count > 0) {
        pack_list(k, out, "events", &view->events);
        pairs++;
    }
    if (view->has_contacts) {
        pack_list(k, out, "contacts", &view->contacts);
        pairs++;
    }
    if (view->has_data && view->data.count > 0) {
        pack_data(k, out, "world_data", &view->data);
        pairs++;
    }
    pairs += pack_notes(k, view);
    const bool described = view->spawned.count > 0 || view->joints.count > 0 ||
                           view->joints_removed_count > 0 || view->describing ||
                           view->scene_view != NULL;
    return view->describe && described ? pairs + pack_descriptions(k, out, view) : pairs;
}

uint32_t encode_snapshot_tail(struct buffer *out, const snapshot_view *view)
{
    packer k = buffer_packer(out);
    if (view->packed != NULL) {
        return pack_packed(&k, out, view);
    }
    uint32_t pairs = 6;
    pair_text(&k, "world", view->world);
    pair_uint(&k, "epoch", view->epoch);
    pair_uint(&k, "tick", view->tick);
    pair_double(&k, "time", view->time);
    pair_bool(&k, "full", view->full);
    pairs += pack_bodies(&k, out, view);
    pack_list(&k, out, "events", &view->events);
    if (view->has_contacts) {
        pack_list(&k, out, "contacts", &view->contacts);
        pairs += 1;
    }
    if (view->has_data) {
        pack_data(&k, out, "data", &view->data);
        pairs++;
    }
    if (view->describe) {
        pairs += pack_descriptions(&k, out, view);
    }
    pairs += pack_notes(&k, view);
    return pairs + pack_world_hash(&k, view);
}

void encode_snapshot_map(struct buffer *out, const snapshot_head *head, uint32_t tail_pairs)
{
    packer k = buffer_packer(out);
    const uint32_t own = 1u + (head->has_last ? 1u : 0u) + (head->skipped > 0 ? 1u : 0u) +
                         (head->events_lost > 0 ? 1u : 0u) + (head->has_margin ? 1u : 0u);
    pack_map(&k, own + tail_pairs);
    pair_uint(&k, "subscription", head->subscription);
    if (head->has_last) {
        pair_uint(&k, "last", head->last);
    }
    if (head->skipped > 0) {
        pair_uint(&k, "skipped", head->skipped);
    }
    if (head->events_lost > 0) {
        pair_uint(&k, "events_lost", head->events_lost);
    }
    if (head->has_margin) {
        pair_double(&k, "margin", head->margin);
    }
}

void encode_snapshot_head(struct buffer *out, const snapshot_head *head, uint32_t tail_pairs)
{
    packer k = buffer_packer(out);
    rpc_pack_notification(&k, "snapshot");
    encode_snapshot_map(out, head, tail_pairs);
}

// ---- ends

void encode_closing(struct buffer *out, status why, const char *reason)
{
    packer k = buffer_packer(out);
    rpc_pack_notification(&k, "closing");
    pack_map(&k, 2);
    pair_text(&k, "code", status_code(why));
    pair_text(&k, "reason", reason);
}

void encode_leaving(struct buffer *out, double seconds, const char *reason)
{
    packer k = buffer_packer(out);
    rpc_pack_notification(&k, "leaving");
    pack_map(&k, 2);
    pair_double(&k, "seconds", seconds);
    pair_text(&k, "reason", reason);
}

void encode_moved(struct buffer *out, const moved_notification *moved)
{
    packer k = buffer_packer(out);
    rpc_pack_notification(&k, "moved");
    pack_map(&k, *moved->http != '\0' ? 5 : 4);
    pair_text(&k, "world", moved->world);
    pair_text(&k, "address", moved->address);
    if (*moved->http != '\0') {
        pair_text(&k, "http", moved->http);
    }
    pair_uint(&k, "term", (uint64_t)moved->term);
    pair_uint(&k, "tick", moved->tick);
}

void encode_world_closed(struct buffer *out, uint64_t subscription, const char *world, status why,
                         const char *reason)
{
    packer k = buffer_packer(out);
    rpc_pack_notification(&k, "world_closed");
    pack_map(&k, 4);
    pair_uint(&k, "subscription", subscription);
    pair_text(&k, "world", world);
    pair_text(&k, "code", status_code(why));
    pair_text(&k, "reason", reason);
}
