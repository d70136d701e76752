// Numbers, texts and contacts of a snapshot; see snapshot_read.h.
#include "client/lib/snapshot_read.h"

#include <string.h>

carom_vec2 snapshot_read_vec(reader *r)
{
    if (reader_array(r) != 2) {
        r->failed = true;
    }
    double x = reader_number(r);
    double y = reader_number(r);
    return (carom_vec2){x, y};
}

uint64_t snapshot_read_id(reader *r)
{
    uint64_t id = reader_unsigned(r);
    if (id == 0) {
        r->failed = true;
    }
    return id;
}

void snapshot_keep(reader *r, bool stored)
{
    if (!stored) {
        r->failed = true;
        r->starved = true;
    }
}

bool snapshot_copy_text(reader_text text, char *out, size_t out_size)
{
    if (text.size >= out_size) {
        return false;
    }
    memcpy(out, text.bytes, text.size);
    out[text.size] = '\0';
    return true;
}

// ---- contacts

static void read_contact_point(reader *r, carom_contact *contact, int i)
{
    uint32_t pairs = reader_map(r);
    for (uint32_t k = 0; k < pairs && !r->failed; k++) {
        reader_text key = reader_get_text(r);
        if (reader_text_is(key, "point")) {
            contact->points[i] = snapshot_read_vec(r);
        } else if (reader_text_is(key, "depth")) {
            contact->depth[i] = reader_number(r);
        } else if (reader_text_is(key, "impulse")) {
            contact->impulse[i] = reader_number(r);
        } else if (reader_text_is(key, "normal")) {
            contact->normals[i] = snapshot_read_vec(r);
        } else {
            reader_skip(r);
        }
    }
}

static void read_contact_points(reader *r, carom_contact *contact)
{
    uint32_t count = reader_array(r);
    if (count < 1 || count > CAROM_CONTACT_POINTS_MAX) {
        r->failed = true;
        return;
    }
    contact->count = (int)count;
    for (int i = 0; i < contact->count; i++) {
        read_contact_point(r, contact, i);
    }
}

carom_contact snapshot_read_contact(reader *r)
{
    carom_contact contact = {0};
    uint32_t pairs = reader_map(r);
    for (uint32_t i = 0; i < pairs && !r->failed; i++) {
        reader_text key = reader_get_text(r);
        if (reader_text_is(key, "a")) {
            contact.a = reader_unsigned(r);
        } else if (reader_text_is(key, "b")) {
            contact.b = reader_unsigned(r);
        } else if (reader_text_is(key, "shape_a")) {
            contact.shape_a = reader_unsigned(r);
        } else if (reader_text_is(key, "shape_b")) {
            contact.shape_b = reader_unsigned(r);
        } else if (reader_text_is(key, "normal")) {
            contact.normal = snapshot_read_vec(r);
        } else if (reader_text_is(key, "points")) {
            read_contact_points(r, &contact);
        } else {
            reader_skip(r);
        }
    }
    for (int i = 0; i < contact.count; i++) {
        // the point has no normal of its own
        if (contact.normals[i].x == 0.0 && contact.normals[i].y == 0.0) {
            contact.normals[i] = contact.normal;
        }
    }
    return contact;
}
