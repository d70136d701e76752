// Subscriptions, and the attaching of views to them. One thread at a time.
#include <carom/watch.h>

#include "client/lib/call.h"
#include "client/lib/client.h"
#include "client/lib/view_internal.h"
#include "proto/log/log_compact.h"

// ---- attaching

void carom_view_detach(carom_view *view)
{
    if (view != NULL) {
        view_unlink(view);
    }
}

uint64_t carom_view_subscription(const carom_view *view)
{
    return view == NULL ? 0 : view->subscription;
}

static carom_status check_free(const carom_client *client, const carom_view *view, carom_error *err)
{
    if (client == NULL || view == NULL) {
        return fault_missing(err, client == NULL ? "client" : "view");
    }
    if (view->list != NULL) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "the view is attached already");
    }
    return CAROM_OK;
}

carom_status carom_view_attach(carom_view *view, carom_client *client, uint64_t subscription,
                               carom_error *err)
{
    carom_status outcome = check_free(client, view, err);
    if (outcome != CAROM_OK) {
        return outcome;
    }
    if (subscription == 0) {
        return fault_set(err, CAROM_INVALID_ARGUMENT, "subscription: must be above 0");
    }
    if (client->state == CAROM_CLOSED) {
        return client_closed_fault(client, err);
    }
    if (view_list_find(&client->views, subscription) != NULL) {
        return fault_set(err, CAROM_ALREADY_EXISTS,
                         "another view is attached to this subscription");
    }
    carom_view_reset(view);
    view->content.any = false; // its first full snapshot does not end a gap
    view_list_add(&client->views, view, subscription);
    return CAROM_OK;
}

// ---- subscribing

carom_subscribe_options carom_subscribe_options_default(void)
{
    return (carom_subscribe_options){.exact = true, .bodies = true};
}

uint32_t carom_compact(const carom_client *client)
{
    const uint32_t own = log_compact_tables();
    const uint64_t theirs = client != NULL ? carom_get_uint(client->hello, "compact", 0) : 0;
    return theirs == own ? own : 0;
}

static carom_value *words_value(const char *const *words, size_t count)
{
    carom_value *v = carom_array();
    for (size_t i = 0; i < count; i++) {
        carom_push(v, carom_str(words[i]));
    }
    return v;
}

// NULL if no precision is given.
static carom_value *precision_value(const double precision[3])
{
    static const char *const NAMES[] = {"position", "angle", "velocity"};
    carom_value *map = NULL;
    for (int i = 0; i < 3; i++) {
        if (precision[i] != 0.0) {
            map = carom_set(map == NULL ? carom_map() : map, NAMES[i], carom_real(precision[i]));
        }
    }
    return map;
}

carom_value *carom_subscribe_args(const char *world, const carom_subscribe_options *options)
{
    carom_value *args = world_args(world);
    const bool named = options != NULL && options->encoding != NULL;
    carom_set(args, "encoding", carom_str(named ? options->encoding : "packed"));
    if (options == NULL) {
        return args;
    }
    if (options->rate > 0.0) {
        carom_set(args, "rate", carom_real(options->rate));
    }
    if (options->compact != 0) {
        carom_set(args, "compact", carom_uint(options->compact));
    }
    if (options->data_count > 0) {
        carom_value *data = carom_array();
        for (size_t i = 0; i < options->data_count; i++) {
            carom_push(data, carom_str(options->data[i]));
        }
        carom_set(args, "data", data);
    }
    carom_value *precision = precision_value(options->precision);
    if (precision != NULL) {
        carom_set(args, "precision", precision);
    }
    if (options->exact && !options->bodies) {
        carom_set(args, "bodies", carom_bool(false));
    }
    if (options->contacts) {
        carom_set(args, "contacts", carom_bool(true));
    }
    if (options->describe) {
        carom_set(args, "describe", carom_bool(true));
    }
    if (options->has_area) {
        carom_set(args, "area", area_value(options->area));
    }
    if (options->follow != 0) {
        carom_set(args, "follow", carom_uint(options->follow));
    }
    if (options->margin != 0.0) {
        carom_set(args, "margin", carom_real(options->margin > 0.0 ? options->margin : 0.0));
    }
    if (options->budget != 0.0) {
        carom_set(args, "budget", carom_real(options->budget));
    }
    if (options->events != NULL) {
        carom_set(args, "events", words_value(options->events, options->event_count));
    }
    return args;
}

static carom_status subscribe(carom_client *client, const char *world,
                              const carom_subscribe_options *options, int timeout_ms,
                              uint64_t *subscription, carom_error *err)
{
    if (timeout_ms == CAROM_NO_REPLY) {
        return fault_set(err, CAROM_INVALID_ARGUMENT,
                         "timeout_ms: a subscription's number has to be awaited");
    }
    if (world == NULL) {
        return fault_missing(err, "world");
    }
    carom_value *result;
    carom_status outcome = call_method(
        client, "world.subscribe", carom_subscribe_args(world, options), timeout_ms, &result, err);
    uint64_t number = carom_get_uint(result, "subscription", 0);
    carom_value_free(result);
    if (outcome == CAROM_OK && number == 0) {
        return fault_set(err, CAROM_INTERNAL, "the server's answer names no subscription");
    }
    if (outcome == CAROM_OK) {
        *subscription = number;
    }
    return outcome;
}

carom_status carom_subscribe(carom_client *client, const char *world,
                             const carom_subscribe_options *options, int timeout_ms,
                             uint64_t *subscription, carom_error *err)
{
    uint64_t number = 0;
    carom_status outcome = subscribe(client, world, options, timeout_ms, &number, err);
    if (outcome == CAROM_OK && subscription != NULL) {
        *subscription = number;
    }
    return outcome;
}

// The number can belong to another view only if the server assigned it twice.
static carom_status attach_watched(carom_client *c, carom_view *view, uint64_t number,
                                   carom_error *err)
{
    const carom_view *other = view_list_find(&c->views, number);
    if (c->state == CAROM_CLOSED) {
        return client_closed_fault(c, err);
    }
    if (other != NULL && !other->adopted) {
        return fault_set(err, CAROM_INTERNAL, "the server named a subscription twice");
    }
    if (other == NULL) {
        carom_view_reset(view);
        view->content.any = false;
    }
    return CAROM_OK;
}

carom_status carom_watch(carom_client *client, const char *world,
                         const carom_subscribe_options *options, carom_view *view, int timeout_ms,
                         uint64_t *subscription, carom_error *err)
{
    carom_status outcome = client_may_wait(client, err);
    if (outcome == CAROM_OK) {
        outcome = check_free(client, view, err);
    }
    if (outcome != CAROM_OK) {
        return outcome;
    }
    client_ref(client);
    uint64_t number = 0;
    client->views.watching = view;
    outcome = subscribe(client, world, options, timeout_ms, &number, err);
    if (outcome == CAROM_OK) {
        outcome = attach_watched(client, view, number, err);
    }
    client->in_callback++; // the view may call its owner
    view_list_settle(&client->views, view, outcome == CAROM_OK ? number : 0);
    client->in_callback--;
    if (outcome == CAROM_OK && subscription != NULL) {
        *subscription = number;
    }
    client_unref(client);
    return outcome;
}

static carom_value *subscription_args(uint64_t subscription)
{
    return carom_set(carom_map(), "subscription", carom_uint(subscription));
}

carom_status carom_unsubscribe(carom_client *client, uint64_t subscription, int timeout_ms,
                               carom_error *err)
{
    if (client == NULL) {
        return fault_missing(err, "client");
    }
    client_ref(client);
    carom_status outcome = call_method(client, "world.unsubscribe", subscription_args(subscription),
                                       timeout_ms, NULL, err);
    if (outcome == CAROM_OK) {
        view_list_end(&client->views, subscription);
        follow_unsubscribed(client, subscription);
    }
    client_unref(client);
    return outcome;
}

carom_status carom_subscription_area(carom_client *client, uint64_t subscription,
                                     const double area[4], int timeout_ms, carom_error *err)
{
    carom_value *args = subscription_args(subscription);
    if (area != NULL) {
        carom_set(args, "area", area_value(area));
    }
    return call_method(client, "world.view", args, timeout_ms, NULL, err);
}

carom_status carom_subscription_follow(carom_client *client, uint64_t subscription, uint64_t body,
                                       const double area[4], int timeout_ms, carom_error *err)
{
    if (area == NULL) {
        return fault_missing(err, "area");
    }
    carom_value *args = subscription_args(subscription);
    carom_set(args, "area", area_value(area));
    carom_set(args, "follow", carom_uint(body));
    return call_method(client, "world.view", args, timeout_ms, NULL, err);
}
