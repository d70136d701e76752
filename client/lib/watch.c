// Subscriptions, and the views that are attached to them.
//
// A subscription's first snapshot may overtake the answer that names it. While carom_watch waits
// for the answer, each subscription that nobody knows gets a view of the client's own; once its
// number is known, the caller's view takes over what that one has seen.
#include <carom/view.h>

#include "client/lib/call.h"
#include "client/lib/connection.h"
#include "client/lib/view_content.h"

enum { ADOPTED_MAX = 16 }; // a server that sends snapshots of more unknown subscriptions is ignored

// ---- the list of a client

static attached_view *find_attached(carom_client *c, uint64_t subscription)
{
    for (uint32_t i = 0; i < c->views.count; i++) {
        if (c->views.data[i].subscription == subscription) {
            return &c->views.data[i];
        }
    }
    return NULL;
}

static void unlink_view(carom_client *c, uint64_t subscription)
{
    attached_view *entry = find_attached(c, subscription);
    if (entry != NULL) {
        uint32_t place = (uint32_t)(entry - c->views.data);
        array_swap_remove(&c->views, place);
    }
}

static void link_view(carom_client *c, carom_view *view, uint64_t subscription)
{
    array_push(&c->views, ((attached_view){.subscription = subscription, .view = view}));
    view->client = c;
    view->subscription = subscription;
    view->ended = false;
}

void watch_end(carom_client *c, uint64_t subscription)
{
    attached_view *entry = find_attached(c, subscription);
    if (entry == NULL) {
        return;
    }
    carom_view *view = entry->view;
    bool adopted = entry->adopted;
    unlink_view(c, subscription);
    view->client = NULL;
    view->subscription = 0;
    view->ended = true;
    if (adopted) {
        carom_view_free(view);
    }
}

void watch_end_all(carom_client *c)
{
    while (c->views.count > 0) {
        watch_end(c, c->views.data[0].subscription);
    }
}

// ---- snapshots

static carom_view *adopt(carom_client *c, uint64_t subscription)
{
    uint32_t adopted = 0;
    for (uint32_t i = 0; i < c->views.count; i++) {
        adopted += c->views.data[i].adopted;
    }
    if (adopted == ADOPTED_MAX) {
        return NULL;
    }
    carom_view_options options = c->watching->options;
    options.added = NULL;
    options.gone = NULL;
    carom_view *view = carom_view_create(&options);
    link_view(c, view, subscription);
    c->views.data[c->views.count - 1].adopted = true;
    return view;
}

static void drop_adopted(carom_client *c)
{
    for (uint32_t i = c->views.count; i > 0; i--) {
        if (c->views.data[i - 1].adopted) {
            watch_end(c, c->views.data[i - 1].subscription);
        }
    }
}

void watch_apply(carom_client *c, const carom_snapshot *snapshot)
{
    attached_view *entry = find_attached(c, snapshot->subscription);
    carom_view *view = entry == NULL ? NULL : entry->view;
    if (view == NULL && c->watching != NULL) {
        view = adopt(c, snapshot->subscription);
    }
    if (view != NULL) {
        c->in_callback++; // the view may call its owner
        carom_view_apply(view, snapshot, NULL);
        c->in_callback--;
    }
}

// ---- attaching

void carom_view_detach(carom_view *view)
{
    if (view->client != NULL) {
        unlink_view(view->client, view->subscription);
        view->client = NULL;
        view->subscription = 0;
    }
}

uint64_t carom_view_subscription(const carom_view *view)
{
    return view->subscription;
}

carom_status carom_view_attach(carom_view *view, carom_client *client, uint64_t subscription,
                               carom_error *err)
{
    if (view->client != NULL) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "the view is attached already");
    }
    if (subscription == 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "subscription: must be above 0");
    }
    if (client->state == CAROM_CLOSED) {
        return connection_fault(client, err);
    }
    if (find_attached(client, subscription) != NULL) {
        return fault_set(err, CAROM_ALREADY_EXISTS,
                         "another view is attached to this subscription");
    }
    carom_view_reset(view);
    view->content.any = false; // its first full snapshot closes no gap
    link_view(client, view, subscription);
    return CAROM_OK;
}

// ---- subscribing

carom_subscribe_options carom_subscribe_options_default(void)
{
    return (carom_subscribe_options){.bodies = true};
}

static carom_value *area_value(const double area[4])
{
    carom_value *v = carom_array();
    for (int i = 0; i < 4; i++) {
        carom_push(v, carom_real(area[i]));
    }
    return v;
}

static carom_value *words_value(const char *const *words, size_t count)
{
    carom_value *v = carom_array();
    for (size_t i = 0; i < count; i++) {
        carom_push(v, carom_str(words[i]));
    }
    return v;
}

carom_value *carom_subscribe_args(const char *world, const carom_subscribe_options *options)
{
    carom_value *args = world_args(world);
    if (options == NULL) {
        return args;
    }
    if (options->rate > 0.0) {
        carom_set(args, "rate", carom_real(options->rate));
    }
    if (!options->bodies) {
        carom_set(args, "bodies", carom_bool(false));
    }
    if (options->contacts) {
        carom_set(args, "contacts", carom_bool(true));
    }
    if (options->has_area) {
        carom_set(args, "area", area_value(options->area));
    }
    if (options->events != NULL) {
        carom_set(args, "events", words_value(options->events, options->event_count));
    }
    return args;
}

carom_status carom_subscribe(carom_client *client, const char *world,
                             const carom_subscribe_options *options, int timeout_ms,
                             uint64_t *subscription, carom_error *err)
{
    if (timeout_ms == CAROM_NO_REPLY) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "timeout_ms: a subscription's number has to be awaited");
    }
    carom_value *result;
    carom_status outcome = call_method(
        client, "world.subscribe", carom_subscribe_args(world, options), timeout_ms, &result, err);
    uint64_t number = carom_get_uint(result, "subscription", 0);
    carom_value_free(result);
    if (outcome == CAROM_OK && number == 0) {
        return fault_set(err, CAROM_INTERNAL, "the server's answer names no subscription");
    }
    if (outcome == CAROM_OK && subscription != NULL) {
        *subscription = number;
    }
    return outcome;
}

// The caller's view takes the place of the one that was adopted, if there was need for one.
static carom_status attach_watched(carom_client *c, carom_view *view, uint64_t subscription,
                                   carom_error *err)
{
    attached_view *entry = find_attached(c, subscription);
    if (entry == NULL || !entry->adopted) {
        return carom_view_attach(view, c, subscription, err);
    }
    carom_view *adopted = entry->view;
    carom_view_detach(adopted);
    link_view(c, view, subscription);
    c->in_callback++;
    view_take_over(view, adopted);
    c->in_callback--;
    carom_view_free(adopted);
    return CAROM_OK;
}

carom_status carom_watch(carom_client *client, const char *world,
                         const carom_subscribe_options *options, carom_view *view, int timeout_ms,
                         uint64_t *subscription, carom_error *err)
{
    carom_status outcome = client_may_wait(client, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (view->client != NULL) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "the view is attached already");
    }
    client_enter(client);
    uint64_t number = 0;
    client->watching = view;
    outcome = carom_subscribe(client, world, options, timeout_ms, &number, err);
    client->watching = NULL;
    if (outcome == CAROM_OK) {
        outcome = attach_watched(client, view, number, err);
    }
    drop_adopted(client);
    if (outcome == CAROM_OK && subscription != NULL) {
        *subscription = number;
    }
    client_leave(client);
    return outcome;
}

carom_status carom_unsubscribe(carom_client *client, uint64_t subscription, int timeout_ms,
                               carom_error *err)
{
    client_enter(client);
    carom_value *args = carom_set(carom_map(), "subscription", carom_uint(subscription));
    carom_status outcome = call_method(client, "world.unsubscribe", args, timeout_ms, NULL, err);
    if (outcome == CAROM_OK) {
        watch_end(client, subscription);
    }
    client_leave(client);
    return outcome;
}

carom_status carom_subscription_area(carom_client *client, uint64_t subscription,
                                     const double area[4], int timeout_ms, carom_error *err)
{
    carom_value *args = carom_set(carom_map(), "subscription", carom_uint(subscription));
    if (area != NULL) {
        carom_set(args, "area", area_value(area));
    }
    return call_method(client, "world.view", args, timeout_ms, NULL, err);
}
