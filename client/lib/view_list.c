// The list of view_list.h. One thread at a time.
#include "client/lib/view_list.h"

#include "client/lib/view_internal.h"
#include "common/base/assert.h"

// Unknown subscriptions whose snapshots are kept at a time; further ones are ignored
enum { ADOPTED_MAX = 16 };

carom_view *view_list_find(const view_list *list, uint64_t subscription)
{
    carom_view *view = list->first;
    while (view != NULL && view->subscription != subscription) {
        view = view->next;
    }
    return view;
}

void view_list_add(view_list *list, carom_view *view, uint64_t subscription)
{
    ASSERT(view->list == NULL && subscription != 0);
    ASSERT(view_list_find(list, subscription) == NULL);
    view->list = list;
    view->next = list->first;
    view->previous = NULL;
    if (list->first != NULL) {
        list->first->previous = view;
    }
    list->first = view;
    view->subscription = subscription;
    view->ended = false;
}

void view_unlink(carom_view *view)
{
    view_list *list = view->list;
    if (list == NULL) {
        return;
    }
    if (view->previous != NULL) {
        view->previous->next = view->next;
    } else {
        ASSERT(list->first == view);
        list->first = view->next;
    }
    if (view->next != NULL) {
        view->next->previous = view->previous;
    }
    view->list = NULL;
    view->next = view->previous = NULL;
    view->subscription = 0;
}

static void end_view(carom_view *view)
{
    view_unlink(view);
    view->ended = true;
    if (view->adopted) {
        carom_view_free(view);
    }
}

void view_list_end(view_list *list, uint64_t subscription)
{
    carom_view *view = view_list_find(list, subscription);
    if (view != NULL) {
        end_view(view);
    }
}

void view_list_end_all(view_list *list)
{
    while (list->first != NULL) {
        end_view(list->first);
    }
}

// ---- snapshots

static carom_status adopt(view_list *list, uint64_t subscription, carom_view **out,
                          carom_error *err)
{
    uint32_t adopted = 0;
    for (const carom_view *view = list->first; view != NULL; view = view->next) {
        adopted += view->adopted;
    }
    *out = NULL;
    if (adopted == ADOPTED_MAX) {
        return CAROM_OK;
    }
    carom_view_options options = list->watching->options;
    options.added = NULL;
    options.gone = NULL;
    options.described = NULL;
    carom_view *view = carom_view_create(&options);
    if (view == NULL) {
        return fault_memory(err);
    }
    view->adopted = true;
    view_list_add(list, view, subscription);
    *out = view;
    return CAROM_OK;
}

carom_status view_list_apply(view_list *list, const carom_snapshot *snapshot, carom_error *err)
{
    carom_view *view = view_list_find(list, snapshot->subscription);
    carom_status outcome = CAROM_OK;
    if (view == NULL && list->watching != NULL) {
        outcome = adopt(list, snapshot->subscription, &view, err);
    }
    if (view == NULL) {
        return outcome;
    }
    // Packed bodies are not for views; a view that did not ask for them never gets them.
    carom_error why;
    outcome = carom_view_apply(view, snapshot, &why);
    return outcome == CAROM_OUT_OF_MEMORY ? fault_copy(err, &why) : CAROM_OK;
}

void view_list_settle(view_list *list, carom_view *view, uint64_t subscription)
{
    list->watching = NULL;
    carom_view *adopted = subscription == 0 ? NULL : view_list_find(list, subscription);
    ASSERT(adopted == NULL || adopted->adopted);
    if (adopted != NULL) {
        view_unlink(adopted);
    }
    if (subscription != 0) {
        view_list_add(list, view, subscription);
    }
    if (adopted != NULL) {
        view_take_over(view, adopted);
        carom_view_free(adopted);
    }
    carom_view *next;
    for (carom_view *other = list->first; other != NULL; other = next) {
        next = other->next;
        if (other->adopted) {
            end_view(other);
        }
    }
}
