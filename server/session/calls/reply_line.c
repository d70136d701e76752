// Two lists in order of arrival; see reply_line.h. Network thread only.
#include "server/session/calls/reply_line.h"

#include "common/base/assert.h"

static reply *next_of(const reply *r)
{
    return (reply *)r->node.next;
}

static void append(reply **first, reply **last, reply *r)
{
    ASSERT((*first == NULL) == (*last == NULL));
    r->node.next = NULL;
    if (*first == NULL) {
        *first = r;
    } else {
        (*last)->node.next = &r->node;
    }
    *last = r;
}

static void remove_first(reply **first, reply **last)
{
    ASSERT(*first != NULL);
    *first = next_of(*first);
    *last = *first != NULL ? *last : NULL;
}

// The image is the world's whole state: it waits behind snapshots that clients have not got yet.
static bool is_long(const reply *r)
{
    return r->kind == REPLY_SNAPSHOT || r->kind == REPLY_IMAGE;
}

bool reply_line_empty(const reply_line *l)
{
    return l->short_first == NULL && l->long_first == NULL;
}

void reply_line_add(reply_line *l, reply *r)
{
    r->line_place = l->added++;
    if (is_long(r)) {
        append(&l->long_first, &l->long_last, r);
    } else {
        append(&l->short_first, &l->short_last, r);
    }
}

reply *reply_line_next(const reply_line *l)
{
    if (l->short_first == NULL || l->long_first == NULL) {
        return l->short_first != NULL ? l->short_first : l->long_first;
    }
    const bool older = l->short_first->line_place < l->long_first->line_place;
    return older || l->ahead < REPLY_LINE_AHEAD ? l->short_first : l->long_first;
}

void reply_line_serve(reply_line *l, const reply *r)
{
    ASSERT(r != NULL && r == reply_line_next(l));
    l->ahead = r == l->short_first ? l->ahead + 1 : 0;
}

void reply_line_drop(reply_line *l, reply *r)
{
    ASSERT(r != NULL && (r == l->short_first || r == l->long_first));
    if (r == l->short_first) {
        remove_first(&l->short_first, &l->short_last);
    } else {
        remove_first(&l->long_first, &l->long_last);
    }
    reply_free(r);
}

// ---- the snapshots of a session

void delivery_list_add(delivery_list *l, snapshot_delivery *d, const reply *of)
{
    ASSERT(of->kind == REPLY_SNAPSHOT && d->of == NULL);
    d->of = of;
    d->previous = l->last;
    d->next = NULL;
    *(l->last != NULL ? &l->last->next : &l->first) = d;
    l->last = d;
}

void delivery_list_remove(delivery_list *l, snapshot_delivery *d)
{
    if (d->of == NULL) {
        return;
    }
    ASSERT(d->previous != NULL ? d->previous->next == d : l->first == d);
    *(d->previous != NULL ? &d->previous->next : &l->first) = d->next;
    *(d->next != NULL ? &d->next->previous : &l->last) = d->previous;
    d->of = NULL;
}
