// The world's data in a view (subscriptions with `data`): the newest value of each key, sorted by
// key; see carom/view.h. One thread at a time.
#include "client/lib/view_internal.h"

#include <stdlib.h>
#include <string.h>

#include "client/lib/value_wire.h"

static uint32_t place_of(const view_content *v, const char *key)
{
    uint32_t low = 0;
    uint32_t high = v->world_data.count;
    while (low < high) {
        const uint32_t middle = low + (high - low) / 2;
        if (strcmp(v->world_data.data[middle].key, key) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static bool is_at(const view_content *v, uint32_t place, const char *key)
{
    return place < v->world_data.count && strcmp(v->world_data.data[place].key, key) == 0;
}

static void free_encoded(carom_datum *d)
{
    free((void *)(uintptr_t)d->encoded);
}

static void remove_datum(view_content *v, const char *key)
{
    const uint32_t place = place_of(v, key);
    if (is_at(v, place, key)) {
        carom_datum *gone = &v->world_data.data[place];
        free_encoded(gone);
        memmove(gone, gone + 1, (--v->world_data.count - place) * sizeof *gone);
    }
}

static bool put_datum(view_content *v, const carom_datum *told)
{
    const uint32_t place = place_of(v, told->key);
    const bool known = is_at(v, place, told->key);
    void *copy = malloc(told->encoded_size);
    if (copy == NULL || !vector_reserve(&v->world_data, (uint64_t)v->world_data.count + !known)) {
        free(copy);
        return false;
    }
    memcpy(copy, told->encoded, told->encoded_size);
    carom_datum *d = &v->world_data.data[place];
    if (known) {
        free_encoded(d);
    } else {
        memmove(d + 1, d, (v->world_data.count++ - place) * sizeof *d);
    }
    *d = *told;
    d->encoded = copy;
    return true;
}

bool data_apply(carom_view *view, const carom_snapshot *s)
{
    bool kept = true;
    if (s->full) {
        data_reset(view);
    }
    for (size_t i = 0; i < s->data_count && kept; i++) {
        if (s->data[i].encoded == NULL) {
            remove_datum(&view->content, s->data[i].key);
        } else {
            kept = put_datum(&view->content, &s->data[i]);
        }
    }
    return kept;
}

void data_reset(carom_view *view)
{
    view_content *v = &view->content;
    for (uint32_t i = 0; i < v->world_data.count; i++) {
        free_encoded(&v->world_data.data[i]);
    }
    vector_clear(&v->world_data);
}

size_t carom_view_datum_count(const carom_view *view)
{
    return view == NULL ? 0 : view->content.world_data.count;
}

const carom_datum *carom_view_datum(const carom_view *view, size_t index)
{
    return index < carom_view_datum_count(view) ? &view->content.world_data.data[index] : NULL;
}

const carom_datum *carom_view_find_datum(const carom_view *view, const char *key)
{
    if (view == NULL || key == NULL) {
        return NULL;
    }
    const uint32_t place = place_of(&view->content, key);
    return is_at(&view->content, place, key) ? carom_view_datum(view, place) : NULL;
}

carom_value *carom_datum_value(const carom_datum *datum)
{
    if (datum == NULL || datum->encoded == NULL) {
        return NULL;
    }
    reader r = reader_open(datum->encoded, datum->encoded_size);
    return value_unpack(&r);
}
