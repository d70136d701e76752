// The views that are attached to the subscriptions of one client: an intrusive list, so that
// attaching allocates nothing, and a view can be removed without knowing its client.
//
// A subscription's first snapshot may overtake the answer that names it. While carom_watch waits
// for the answer (`watching`), each unknown subscription gets a view made by the list, an adopted
// one; once the number is known, the content of the adopted view moves to the caller's view.
//
// One thread at a time.
#ifndef CAROM_CLIENT_LIB_VIEW_LIST_H
#define CAROM_CLIENT_LIB_VIEW_LIST_H

#include <carom/view.h>

#include "client/lib/fault.h"

typedef struct view_list {
    carom_view *first;
    const carom_view *watching; // NULL: snapshots of unknown subscriptions are ignored
} view_list;

carom_view *view_list_find(const view_list *list, uint64_t subscription); // NULL: none

// `view` must be in no list, and the subscription must have no other view in this list.
void view_list_add(view_list *list, carom_view *view, uint64_t subscription);

// The subscription has ended: detaches its view and marks it as ended.
void view_list_end(view_list *list, uint64_t subscription);
void view_list_end_all(view_list *list);

// Applies a snapshot to the view of its subscription, if there is one; the view may call its owner.
// CAROM_OUT_OF_MEMORY: the view had no memory for it.
carom_status view_list_apply(view_list *list, const carom_snapshot *snapshot, carom_error *err);

// Ends carom_watch: attaches `view` to the subscription (unless that is 0) and moves the content of
// its adopted view there; frees adopted views.
void view_list_settle(view_list *list, carom_view *view, uint64_t subscription);

#endif
