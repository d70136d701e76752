// Following worlds to other servers: subscriptions; see follow.h. One thread at a time.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/lib/client.h"
#include "client/lib/follow.h"
#include "client/lib/view_internal.h"
#include "common/base/assert.h"

static void on_subscribed(carom_client *front, uint64_t request, const carom_value *result,
                          const carom_error *why, void *user);

// ---- the table

followed_subscription *follow_find_shown(carom_client *front, uint64_t shown)
{
    for (uint32_t i = 0; i < front->follow.subscriptions.count; i++) {
        if (front->follow.subscriptions.data[i]->shown == shown) {
            return front->follow.subscriptions.data[i];
        }
    }
    return NULL;
}

static followed_subscription *find_number(const carom_client *c, uint64_t number)
{
    const follow_state *f = &c->front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        followed_subscription *s = f->subscriptions.data[i];
        if (s->link == c && s->number == number) {
            return s;
        }
    }
    return NULL;
}

static followed_subscription *add(carom_client *c, uint64_t number, const char *world)
{
    follow_state *f = &c->front->follow;
    followed_subscription *s = calloc(1, sizeof *s);
    if (s == NULL || !vector_push(&f->subscriptions, s)) {
        free(s);
        return NULL;
    }
    s->shown = follow_find_shown(c->front, number) != NULL ? f->next_shown++ : number;
    s->number = number;
    s->link = c;
    snprintf(s->world, sizeof s->world, "%s", world);
    follow_ask_standby(c);
    return s;
}

static void drop(carom_client *front, followed_subscription *s)
{
    follow_state *f = &front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        if (f->subscriptions.data[i] == s) {
            vector_swap_remove(&f->subscriptions, i);
            break;
        }
    }
    if (s->request != 0) {
        requests_remove(&s->link->requests, s->request);
    }
    carom_value_free(s->args);
    free(s);
}

bool follow_has_left(const carom_client *c, uint64_t number)
{
    const follow_state *f = &c->front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        const followed_subscription *s = f->subscriptions.data[i];
        const bool left = s->left_kin == c->kin && s->left_number == number;
        const bool elsewhere = s->link != c && s->link->kin == c->kin && s->number == number;
        if ((left && (s->link != c || s->number != number)) || elsewhere) {
            return find_number(c, number) == NULL;
        }
    }
    return false;
}

bool follow_subscribes(const carom_client *c, const char *world)
{
    const follow_state *f = &c->front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        const followed_subscription *s = f->subscriptions.data[i];
        if (s->link == c && s->number != 0 && strcmp(s->world, world) == 0) {
            return true;
        }
    }
    return false;
}

// Whether that is a subscription to the world which the session had there, or gets there, unasked.
static bool is_elsewhere(const carom_client *c, uint64_t number, const char *world)
{
    const follow_state *f = &c->front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        const followed_subscription *s = f->subscriptions.data[i];
        const bool left = s->left_kin == c->kin && s->left_number == number;
        const bool there = s->link != c && s->link->kin == c->kin && s->number == number;
        if ((left || there) && strcmp(s->world, world) == 0) {
            return true;
        }
    }
    return false;
}

uint64_t follow_shown(carom_client *c, uint64_t number, const char *world)
{
    const follow_state *f = &c->front->follow;
    if (!f->mapped) {
        return number;
    }
    followed_subscription *s = find_number(c, number);
    if (s == NULL && is_elsewhere(c, number, world)) {
        return 0;
    }
    for (uint32_t i = 0; s == NULL && i < f->subscriptions.count; i++) {
        followed_subscription *one = f->subscriptions.data[i];
        // Its first snapshot comes before the answer that names it.
        s = one->link == c && one->number == 0 && strcmp(one->world, world) == 0 ? one : NULL;
    }
    s = s != NULL ? s : add(c, number, world);
    if (s == NULL) {
        return number;
    }
    s->number = number;
    return s->shown;
}

void follow_unsubscribed(carom_client *front, uint64_t shown)
{
    followed_subscription *s = follow_find_shown(front, shown);
    carom_client *link = s != NULL ? s->link : front;
    snapshot_decoder_forget(&link->decoder, s != NULL ? s->number : shown);
    if (s != NULL) {
        drop(front, s);
    }
}

// ---- the end

// Reports to the program that a subscription has ended, as a server would.
static void end_subscription(carom_client *front, followed_subscription *s, const carom_error *why)
{
    carom_value *params = carom_set(carom_map(), "subscription", carom_uint(s->shown));
    carom_set(params, "world", carom_str(s->world));
    carom_set(params, "code", carom_str(carom_status_name(why->status)));
    carom_set(params, "reason", carom_str(why->text));
    view_list_end(&front->views, s->shown);
    s->request = 0;
    drop(front, s);
    if (params != NULL && front->handlers.notification != NULL && front->state != CAROM_CLOSED) {
        front->in_callback++;
        front->handlers.notification(front, "world_closed", params, front->handlers.user);
        front->in_callback--;
    }
    carom_value_free(params);
}

// ---- subscribing again

static void ask_again_later(carom_client *front, followed_subscription *s)
{
    s->due_ns = deadline_after_ms(FOLLOW_AGAIN_MS);
    front->follow.due_ns = earlier_of(front->follow.due_ns, s->due_ns);
}

static void ask_again_at_once(carom_client *front, followed_subscription *s)
{
    s->due_ns = monotonic_ns();
    front->follow.due_ns = earlier_of(front->follow.due_ns, s->due_ns);
}

static void ask(carom_client *front, followed_subscription *s)
{
    carom_error why = {0};
    s->due_ns = 0;
    s->number = 0;
    s->link = s->link->state == CAROM_CLOSED ? front : s->link;
    if (client_request(s->link, "world.subscribe", s->args, FOLLOW_DIAL_MS, on_subscribed, s,
                       &s->request, &why) != CAROM_OK) {
        end_subscription(front, s, &why);
    }
}

static void unsubscribe_from(carom_client *link, uint64_t number)
{
    carom_value *args = carom_set(carom_map(), "subscription", carom_uint(number));
    (void)client_send_here(link, "world.unsubscribe", args, NULL);
    carom_value_free(args);
}

// Ends the subscription at a link that asked again, to which the world may have brought it along.
static void end_left(const followed_subscription *s)
{
    carom_client *link = s->link;
    if (s->left_kin == link->kin && find_number(link, s->left_number) == NULL) {
        unsubscribe_from(link, s->left_number);
    }
}

static void on_subscribed(carom_client *front, uint64_t request, const carom_value *result,
                          const carom_error *why, void *user)
{
    (void)request;
    (void)result; // follow_note_result has recorded the number
    followed_subscription *s = user;
    s->request = 0;
    if (why == NULL && front->state != CAROM_CLOSED) {
        end_left(s);
    }
    if (why == NULL || front->state == CAROM_CLOSED) {
        return;
    }
    const bool passing = why->status == CAROM_NOT_FOUND || why->status == CAROM_UNAVAILABLE ||
                         why->status == CAROM_LIMIT_EXCEEDED;
    if (passing && monotonic_ns() < s->give_up_ns) {
        ask_again_later(front, s);
    } else {
        end_subscription(front, s, why);
    }
}

bool follow_subscribe_due(carom_client *front, int64_t now_ns)
{
    follow_state *f = &front->follow;
    bool any = false;
    for (uint32_t i = f->subscriptions.count; i-- > 0;) {
        followed_subscription *s = f->subscriptions.data[i];
        if (s->due_ns != 0 && s->due_ns <= now_ns) {
            ask(front, s);
            any = true;
            i = i < f->subscriptions.count ? i : f->subscriptions.count;
        } else if (s->due_ns != 0) {
            f->due_ns = earlier_of(f->due_ns, s->due_ns);
        }
    }
    return any;
}

// Moves a subscription to the server that the text of `answer` begins with.
static void move(carom_client *c, followed_subscription *s, carom_error *answer)
{
    carom_client *front = c->front;
    carom_client *to = follow_named_link(c, s->world, answer);
    if (to == NULL || s->args == NULL) {
        end_subscription(front, s, answer);
        return;
    }
    snapshot_decoder_forget(&c->decoder, s->number);
    s->left_kin = c->kin;
    s->left_number = s->number;
    s->link = to;
    s->give_up_ns = deadline_after_ms(FOLLOW_WAIT_MS);
    if (to->heir) {
        s->coming = true;
        s->number = 0;
    } else {
        ask(front, s);
    }
}

static const carom_value *listed(const carom_value *subscriptions, uint64_t number);

void follow_settle_heir(carom_client *heir, const carom_value *subscriptions)
{
    carom_client *front = heir->front;
    follow_state *f = &front->follow;
    for (uint32_t i = f->subscriptions.count; i-- > 0;) {
        followed_subscription *s = f->subscriptions.data[i];
        if (s->link != heir || !s->coming) {
            continue;
        }
        const carom_value *there = listed(subscriptions, s->left_number);
        s->coming = false;
        if (there != NULL && strcmp(carom_get_str(there, "world", s->world), s->world) == 0) {
            s->number = s->left_number;
        } else {
            ask_again_at_once(front, s);
        }
    }
    for (size_t i = 0; i < carom_value_count(subscriptions); i++) {
        const uint64_t number = carom_get_uint(carom_value_at(subscriptions, i), "subscription", 0);
        if (find_number(heir, number) == NULL) { // its program has ended it meanwhile
            unsubscribe_from(heir, number);
        }
    }
}

void follow_change_front(carom_client *front, const carom_client *link)
{
    follow_state *f = &front->follow;
    follow_ask_standby(front);
    for (uint32_t i = f->worlds.count; i-- > 0;) {
        followed_world *w = &f->worlds.data[i];
        w->old = w->old == link ? front : w->old;
        if (w->link == link || w->link == front) {
            vector_swap_remove(&f->worlds, i);
        }
    }
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        followed_subscription *s = f->subscriptions.data[i];
        if (s->link == link) {
            s->link = front;
        } else if (s->link == front) {
            s->number = 0;
            s->give_up_ns = deadline_after_ms(FOLLOW_WAIT_MS);
            if (s->request == 0) {
                ask_again_later(front, s);
            }
        }
    }
}

void follow_leave(carom_client *front, const carom_client *link)
{
    follow_state *f = &front->follow;
    for (uint32_t i = 0; i < f->subscriptions.count; i++) {
        followed_subscription *s = f->subscriptions.data[i];
        if (s->link == link) {
            s->link = front;
            s->number = s->request = 0;
            s->coming = false;
            s->give_up_ns = deadline_after_ms(FOLLOW_WAIT_MS);
            ask_again_later(front, s);
        }
    }
}

void follow_note_moved(const pending_request *entry, carom_client *to)
{
    if (entry->fn == on_subscribed) {
        followed_subscription *s = entry->user;
        s->link = to;
    }
}

// ---- answers

// Records what world.view has changed, for the next request to subscribe.
static void note_view(carom_client *c, const pending_request *entry)
{
    static const char *const KEYS[] = {"area", "follow", "margin"};
    followed_subscription *s = find_number(c, carom_get_uint(entry->args, "subscription", 0));
    for (size_t i = 0; s != NULL && s->args != NULL && i < sizeof KEYS / sizeof *KEYS; i++) {
        const carom_value *given = carom_value_get(entry->args, KEYS[i]);
        if (given != NULL || strcmp(KEYS[i], "margin") != 0) {
            carom_value_free(carom_value_take(s->args, KEYS[i]));
        }
        if (given != NULL) {
            carom_set(s->args, KEYS[i], carom_value_clone(given));
        }
    }
}

bool follow_note_result(carom_client *c, pending_request *entry, carom_value *result)
{
    if (strcmp(entry->method, "world.view") == 0) {
        note_view(c, entry);
        return true;
    }
    const uint64_t number = carom_get_uint(result, "subscription", 0);
    if (strcmp(entry->method, "world.subscribe") != 0 || number == 0) {
        return true; // the caller finds out that there is no number
    }
    if (entry->fn == on_subscribed) {
        followed_subscription *again = entry->user;
        again->number = number;
        return true;
    }
    followed_subscription *s = find_number(c, number);
    s = s != NULL ? s : add(c, number, entry->world);
    if (s == NULL) {
        return false;
    }
    carom_value_free(s->args);
    s->args = entry->args;
    entry->args = NULL;
    if (s->shown != number) {
        carom_set(result, "subscription", carom_uint(s->shown));
    }
    return carom_value_ok(result);
}

// ---- notifications

// Handles the notification that a world has left the server.
static void take_moved(carom_client *c, const carom_value *params)
{
    follow_state *f = &c->front->follow;
    const char *world = carom_get_str(params, "world", "");
    const uint32_t count = f->subscriptions.count;
    carom_error answer = {.from_server = true};
    fault_set(&answer, CAROM_MOVED, "%.150s world '%.64s' is served there",
              carom_get_str(params, "address", ""), world);
    for (uint32_t i = 0; i < count; i++) {
        followed_subscription *s = NULL;
        for (uint32_t j = 0; j < f->subscriptions.count && s == NULL; j++) {
            followed_subscription *one = f->subscriptions.data[j];
            s = one->link == c && one->number != 0 && strcmp(one->world, world) == 0 ? one : NULL;
        }
        if (s == NULL) {
            break;
        }
        carom_error why = answer;
        move(c, s, &why);
    }
    if (follow_has_home(c, world)) { // bodies without a subscription
        (void)follow_named_link(c, world, &answer);
    }
}

bool follow_notice(carom_client *c, const char *method, carom_value *params)
{
    carom_client *front = c->front;
    const bool follows = !front->options.follow.off;
    if (strcmp(method, "moved") == 0) {
        if (follows) {
            take_moved(c, params);
        }
        return false;
    }
    if (strcmp(method, "world_closed") != 0) {
        return c != front; // other notifications count only from the first server
    }
    const bool moved = strcmp(carom_get_str(params, "code", ""), "moved") == 0;
    const uint64_t number = carom_get_uint(params, "subscription", 0);
    followed_subscription *s = find_number(c, number);
    if (s == NULL) {
        snapshot_decoder_forget(&c->decoder, number);
        if (c == front && follow_find_shown(front, number) == NULL) {
            view_list_end(&front->views, number);
        }
        return (moved && follows) || c != front;
    }
    if (moved && follows && s->args != NULL) {
        carom_error answer = {.from_server = true};
        fault_set(&answer, CAROM_MOVED, "%s", carom_get_str(params, "reason", ""));
        move(c, s, &answer);
        return true;
    }
    snapshot_decoder_forget(&c->decoder, s->number);
    view_list_end(&front->views, s->shown);
    carom_set(params, "subscription", carom_uint(s->shown));
    drop(front, s);
    return false;
}

static const carom_value *listed(const carom_value *subscriptions, uint64_t number)
{
    for (size_t i = 0; i < carom_value_count(subscriptions); i++) {
        const carom_value *one = carom_value_at(subscriptions, i);
        if (carom_get_uint(one, "subscription", 0) == number) {
            return one;
        }
    }
    return NULL;
}

static bool lists(const carom_value *subscriptions, uint64_t number)
{
    return listed(subscriptions, number) != NULL;
}

void follow_keep(carom_client *c, const carom_value *subscriptions)
{
    follow_state *f = &c->front->follow;
    view_list *views = &c->front->views;
    carom_view *next;
    for (carom_view *view = c == c->front ? views->first : NULL; view != NULL; view = next) {
        next = view->next;
        const uint64_t number = view->subscription;
        if (follow_find_shown(c, number) == NULL && !lists(subscriptions, number)) {
            view_list_end(views, number); // its subscription was made by an earlier client
        }
    }
    for (uint32_t i = f->subscriptions.count; i-- > 0;) {
        followed_subscription *s = f->subscriptions.data[i];
        if (s->link == c && s->number != 0 && !lists(subscriptions, s->number)) {
            view_list_end(views, s->shown);
            drop(c->front, s);
        }
    }
}
