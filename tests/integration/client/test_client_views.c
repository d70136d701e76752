// Views against a real server: a view shows the world's state.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <string.h>
#include <sys/socket.h>

#include "tests/integration/client/against_server.h"

static void create_from_scene(carom_client *client, const char *world, const char *scene,
                              bool paused)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    carom_set(args, "scene", carom_str(scene));
    carom_set(args, "paused", carom_bool(paused));
    carom_error error;
    check_ok(carom_call(client, "world.create", args, PATIENCE_MS, NULL, &error), &error);
    carom_value_free(args);
}

static carom_value *state_of(carom_client *client, const char *world)
{
    carom_value *args = carom_set(carom_map(), "world", carom_str(world));
    carom_value *whole = NULL;
    carom_error error;
    check_ok(carom_call(client, "world.state", args, PATIENCE_MS, &whole, &error), &error);
    carom_value_free(args);
    return whole;
}

// Compares the view with world.state of the same tick, body by body.
static void check_same(const carom_view *view, const carom_value *whole)
{
    const carom_value *bodies = carom_value_get(whole, "bodies");
    carom_view_state now = carom_view_get_state(view);
    assert_int_equal(carom_get_uint(whole, "tick", 0), now.tick);
    assert_int_equal(carom_value_count(bodies), carom_view_count(view));
    for (size_t i = 0; i < carom_value_count(bodies); i++) {
        const carom_value *body = carom_value_at(bodies, i);
        carom_vec2 nowhere = {(double)NAN, (double)NAN};
        carom_vec2 position = carom_get_vec(body, "position", nowhere);
        carom_vec2 velocity = carom_get_vec(body, "velocity", nowhere);
        const carom_body *seen = carom_view_find(view, carom_get_uint(body, "body", 0));
        assert_non_null(seen);
        assert_true(seen->x == position.x && seen->y == position.y);
        assert_true(seen->vx == velocity.x && seen->vy == velocity.y);
        // Rows have angles as 32-bit floats.
        assert_true(fabs(seen->angle - carom_get_real(body, "angle", (double)NAN)) < 1e-6);
        assert_true(seen->w == carom_get_real(body, "angular_velocity", (double)NAN));
    }
    size_t size;
    const void *hash = carom_as_bytes(carom_value_get(whole, "hash"), &size);
    assert_int_equal(size, sizeof now.hash);
    assert_true(now.has_hash);
    assert_memory_equal(hash, now.hash, size);
}

static void stop_and_compare(carom_client *client, const char *world, const carom_view *view)
{
    carom_error error;
    uint64_t tick = 0;
    check_ok(carom_world_pause(client, world, PATIENCE_MS, &tick, &error), &error);
    carom_value *whole = state_of(client, world);
    poll_until_tick(client, view, carom_get_uint(whole, "tick", tick));
    check_same(view, whole);
    carom_value_free(whole);
}

static void view_of_a_running_world_is_the_world(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_from_scene(s->client, "live", "heap", false);
    carom_view *view = carom_view_create(NULL);
    carom_subscribe_options exact = carom_subscribe_options_default();
    exact.encoding = "plain";
    check_ok(carom_watch(s->client, "live", &exact, view, PATIENCE_MS, NULL, &error), &error);
    for (int round = 0; round < 3; round++) {
        poll_until_tick(s->client, view, carom_view_get_state(view).tick + 20);
        stop_and_compare(s->client, "live", view);
        carom_world_resume(s->client, "live", PATIENCE_MS, NULL, NULL);
    }
    assert_int_equal(carom_view_get_state(view).stale, 0);
    assert_true(carom_view_get_state(view).snapshots > 30);
    // A later client sees the same.
    carom_client *other = server_connect(s);
    carom_view *late = carom_view_create(NULL);
    check_ok(carom_watch(other, "live", &exact, late, PATIENCE_MS, NULL, &error), &error);
    poll_until_tick(other, late, carom_view_get_state(view).tick);
    stop_and_compare(other, "live", late);
    carom_view_free(late);
    carom_free(other);
    carom_view_free(view);
    carom_world_destroy(s->client, "live", PATIENCE_MS, NULL);
}

static uint64_t spawn(carom_client *client, const char *world, double x, carom_body_type type)
{
    carom_shape box = carom_shape_box(1, 1);
    carom_body_options options = carom_body_options_default();
    options.type = type;
    options.position = (carom_vec2){x, 0};
    options.shapes = &box;
    options.shape_count = 1;
    uint64_t body = 0;
    carom_error error;
    check_ok(carom_body_spawn(client, world, &options, PATIENCE_MS, &body, NULL, &error), &error);
    return body;
}

static void step_and_see(carom_client *client, const char *world, uint64_t ticks,
                         const carom_view *view)
{
    uint64_t tick = 0;
    carom_error error;
    check_ok(carom_world_step(client, world, ticks, PATIENCE_MS, &tick, &error), &error);
    poll_until_tick(client, view, tick);
}

static void create_weightless(carom_client *client, const char *world)
{
    carom_world_options options = carom_world_options_default();
    options.gravity = (carom_vec2){0, 0};
    options.paused = true;
    carom_error error;
    check_ok(carom_world_create(client, world, &options, PATIENCE_MS, NULL, &error), &error);
}

static void bodies_come_and_go_in_the_view(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_weightless(s->client, "go");
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "go", NULL, view, PATIENCE_MS, NULL, &error), &error);
    uint64_t a = spawn(s->client, "go", 0, CAROM_STATIC);
    uint64_t b = spawn(s->client, "go", 5, CAROM_DYNAMIC);
    step_and_see(s->client, "go", 1, view);
    assert_int_equal(carom_view_count(view), 2);
    assert_true(carom_view_find(view, b)->x == 5);
    check_ok(carom_body_remove(s->client, "go", a, PATIENCE_MS, NULL, &error), &error);
    step_and_see(s->client, "go", 1, view);
    assert_int_equal(carom_view_count(view), 1);
    assert_null(carom_view_find(view, a));
    carom_world_destroy(s->client, "go", PATIENCE_MS, NULL);
    int64_t deadline = test_now_ms() + PATIENCE_MS;
    while (!carom_view_get_state(view).ended) {
        assert_true(test_now_ms() < deadline);
        check_ok(carom_poll(s->client, 100, &error), &error);
    }
    carom_view_free(view);
}

static void touch_is_told_as_it_begins_and_ends(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_weightless(s->client, "touch");
    uint64_t wall = spawn(s->client, "touch", 0, CAROM_STATIC);
    uint64_t box = spawn(s->client, "touch", 3, CAROM_DYNAMIC);
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "touch", NULL, view, PATIENCE_MS, NULL, &error), &error);
    carom_vec2 left = {-4, 0};
    carom_vec2 right = {4, 0};
    check_ok(carom_body_set_velocity(s->client, "touch", box, left, 0, PATIENCE_MS, NULL, &error),
             &error);
    step_and_see(s->client, "touch", 60, view);
    check_ok(carom_body_set_velocity(s->client, "touch", box, right, 0, PATIENCE_MS, NULL, &error),
             &error);
    step_and_see(s->client, "touch", 60, view);
    carom_event begin, end, none;
    assert_true(carom_view_next_event(view, &begin));
    assert_int_equal(begin.kind, CAROM_EVENT_BEGIN);
    assert_true((begin.a == wall && begin.b == box) || (begin.a == box && begin.b == wall));
    assert_true(begin.speed > 3.9 && begin.speed < 4.1);
    assert_true(fabs(fabs(begin.normal.x) - 1) < 1e-5);
    assert_true(carom_view_next_event(view, &end));
    assert_int_equal(end.kind, CAROM_EVENT_END);
    assert_true(end.tick > begin.tick);
    assert_false(carom_view_next_event(view, &none));
    carom_view_free(view);
    carom_world_destroy(s->client, "touch", PATIENCE_MS, NULL);
}

static void area_shows_what_is_inside(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_weightless(s->client, "area");
    uint64_t inside = spawn(s->client, "area", 0, CAROM_STATIC);
    uint64_t mover = spawn(s->client, "area", 20, CAROM_DYNAMIC);
    uint64_t outside = spawn(s->client, "area", 100, CAROM_STATIC);
    carom_subscribe_options options = carom_subscribe_options_default();
    options.has_area = true;
    memcpy(options.area, (double[4]){-5, -5, 5, 5}, sizeof options.area);
    carom_view *view = carom_view_create(NULL);
    uint64_t subscription;
    check_ok(carom_watch(s->client, "area", &options, view, PATIENCE_MS, &subscription, &error),
             &error);
    step_and_see(s->client, "area", 1, view);
    assert_int_equal(carom_view_count(view), 1);
    assert_non_null(carom_view_find(view, inside));
    carom_body_set_position(s->client, "area", mover, (carom_vec2){4, 0}, 0, PATIENCE_MS, NULL,
                            NULL);
    step_and_see(s->client, "area", 2, view);
    assert_non_null(carom_view_find(view, mover));
    carom_body_set_position(s->client, "area", mover, (carom_vec2){20, 0}, 0, PATIENCE_MS, NULL,
                            NULL);
    step_and_see(s->client, "area", 2, view);
    assert_null(carom_view_find(view, mover));
    check_ok(carom_subscription_area(s->client, subscription, (double[4]){90, -5, 110, 5},
                                     PATIENCE_MS, &error),
             &error);
    step_and_see(s->client, "area", 2, view);
    assert_int_equal(carom_view_count(view), 1);
    assert_non_null(carom_view_find(view, outside));
    check_ok(carom_subscription_area(s->client, subscription, NULL, PATIENCE_MS, &error), &error);
    step_and_see(s->client, "area", 2, view);
    assert_int_equal(carom_view_count(view), 3);
    carom_view_free(view);
    carom_world_destroy(s->client, "area", PATIENCE_MS, NULL);
}

static void area_goes_along_with_a_body(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_weightless(s->client, "follow");
    uint64_t near = spawn(s->client, "follow", 2, CAROM_STATIC);
    uint64_t leader = spawn(s->client, "follow", 0, CAROM_DYNAMIC);
    uint64_t far = spawn(s->client, "follow", 100, CAROM_DYNAMIC);
    carom_subscribe_options options = {
        .has_area = true, .area = {-5, -5, 5, 5}, .follow = leader, .margin = -1}; // none
    carom_view *view = carom_view_create(NULL);
    uint64_t subscription;
    check_ok(carom_watch(s->client, "follow", &options, view, PATIENCE_MS, &subscription, &error),
             &error);
    step_and_see(s->client, "follow", 1, view);
    assert_non_null(carom_view_find(view, near));
    assert_null(carom_view_find(view, far));
    carom_body_set_position(s->client, "follow", leader, (carom_vec2){98, 0}, 0, PATIENCE_MS, NULL,
                            NULL);
    step_and_see(s->client, "follow", 2, view);
    assert_null(carom_view_find(view, near));
    assert_non_null(carom_view_find(view, far));
    assert_int_equal(carom_view_get_state(view).unfollowed, 0);
    check_ok(carom_body_remove(s->client, "follow", leader, PATIENCE_MS, NULL, &error), &error);
    step_and_see(s->client, "follow", 2, view);
    assert_int_equal(carom_view_get_state(view).unfollowed, leader);
    assert_non_null(carom_view_find(view, far));
    static const double AREA[4] = {-110, -5, -90, 5}; // `far` looks at the area around `near`
    assert_int_equal(
        carom_subscription_follow(s->client, subscription, leader, AREA, PATIENCE_MS, &error),
        CAROM_NOT_FOUND);
    check_ok(carom_subscription_follow(s->client, subscription, far, AREA, PATIENCE_MS, &error),
             &error);
    step_and_see(s->client, "follow", 2, view);
    assert_non_null(carom_view_find(view, near));
    assert_null(carom_view_find(view, far));
    carom_view_free(view);
    carom_world_destroy(s->client, "follow", PATIENCE_MS, NULL);
}

static void budget_lets_bodies_take_turns(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_weightless(s->client, "budget");
    for (int i = 0; i < 100; i++) {
        spawn(s->client, "budget", 3.0 * i, CAROM_DYNAMIC);
    }
    carom_subscribe_options options = carom_subscribe_options_default();
    options.budget = 100;
    assert_int_equal(carom_subscribe(s->client, "budget", &options, PATIENCE_MS, NULL, &error),
                     CAROM_INVALID_ARGUMENT);
    options.budget = 500;
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "budget", &options, view, PATIENCE_MS, NULL, &error), &error);
    uint64_t most = 0;
    carom_view_state state_now;
    do { // a paused world still sends the changes
        check_ok(carom_poll(s->client, PATIENCE_MS, &error), &error);
        state_now = carom_view_get_state(view);
        most = state_now.left_out > most ? state_now.left_out : most;
        assert_true(!state_now.ready || state_now.bodies + state_now.left_out == 100);
        assert_true(state_now.oldest <= state_now.tick);
    } while (state_now.bodies < 100);
    assert_true(most > 50);
    assert_int_equal(state_now.left_out, 0);
    carom_view_free(view);
    carom_world_destroy(s->client, "budget", PATIENCE_MS, NULL);
}

static void contacts_come_when_asked_for(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_weightless(s->client, "contacts");
    uint64_t a = spawn(s->client, "contacts", 0, CAROM_STATIC);
    uint64_t b = spawn(s->client, "contacts", 0.99, CAROM_DYNAMIC);
    carom_subscribe_options options = carom_subscribe_options_default();
    options.contacts = true;
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "contacts", &options, view, PATIENCE_MS, NULL, &error), &error);
    step_and_see(s->client, "contacts", 1, view);
    size_t count;
    const carom_contact *contacts = carom_view_contacts(view, &count);
    assert_int_equal(count, 1);
    assert_int_equal(contacts[0].count, 2);
    assert_true(contacts[0].a + contacts[0].b == a + b);
    assert_true(contacts[0].depth[0] > 0);
    carom_view_free(view);
    carom_world_destroy(s->client, "contacts", PATIENCE_MS, NULL);
}

static void described_world_can_be_drawn(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_from_scene(s->client, "gallery", "gallery", true);
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "gallery", &(carom_subscribe_options){.describe = true}, view,
                         PATIENCE_MS, NULL, &error),
             &error);
    while (!carom_view_get_state(view).ready || carom_view_get_state(view).describing) {
        check_ok(carom_poll(s->client, PATIENCE_MS, &error), &error);
    }
    carom_world_info info;
    check_ok(carom_world_get_info(s->client, "gallery", PATIENCE_MS, &info, &error), &error);
    carom_view_state now = carom_view_get_state(view);
    assert_int_equal(now.bodies, info.bodies);
    assert_int_equal(now.joints, info.joints);
    assert_true(now.has_area && now.area[0] < now.area[2]);
    size_t shapes = 0;
    for (size_t i = 0; i < carom_view_count(view); i++) {
        const carom_body_info *described = carom_view_info(view, i);
        assert_non_null(described);
        assert_true(fabs(described->body.x - carom_view_body(view, i)->x) <= 0.501 / 512.0);
        shapes += described->shape_count;
    }
    assert_int_equal(shapes, info.shapes);
    carom_view_free(view);
    carom_world_destroy(s->client, "gallery", PATIENCE_MS, NULL);
}

static void note_resumed(carom_client *client, const carom_value *hello, void *user)
{
    (void)client;
    (void)hello;
    ++*(int *)user;
}

// The connection is cut again and again; the session, its view and its commands survive.
static void view_goes_on_over_lost_connections(void **state)
{
    against_server *s = *state;
    enum { CUTS = 5 };
    int resumed = 0;
    carom_error error;
    carom_client *client = NULL;
    carom_options options = {
        .reconnect = {.on = true, .first_ms = 1, .max_ms = 50},
        .handlers = {.user = &resumed, .resumed = note_resumed},
    };
    check_ok(carom_connect(NULL, s->server.port, PATIENCE_MS, &options, &client, &error), &error);
    create_from_scene(client, "tunnel", "heap", true);
    carom_view *view = carom_view_create(NULL);
    carom_subscribe_options exact = carom_subscribe_options_default();
    exact.encoding = "plain";
    check_ok(carom_watch(client, "tunnel", &exact, view, PATIENCE_MS, NULL, &error), &error);
    carom_shape shape = carom_shape_circle(0.5);
    for (int i = 0; i < CUTS; i++) {
        // A command in flight when the connection is cut is answered, or its outcome is known.
        carom_body_options ball = {
            .position = {0, 50 + 2.0 * i}, .shapes = &shape, .shape_count = 1};
        carom_value *args = carom_body_spawn_args("tunnel", &ball);
        uint64_t request = 0;
        check_ok(
            carom_request(client, "body.spawn", args, PATIENCE_MS, NULL, NULL, &request, &error),
            &error);
        carom_value_free(args);
        assert_int_equal(shutdown(carom_fd(client), SHUT_RDWR), 0);
        while (resumed == i) {
            check_ok(carom_poll(client, PATIENCE_MS, &error), &error);
        }
        carom_status outcome;
        carom_value *result = NULL;
        while (!carom_take(client, request, &outcome, &result, &error)) {
            check_ok(carom_poll(client, PATIENCE_MS, NULL), &error);
        }
        assert_true(outcome == CAROM_OK || error.applied == CAROM_APPLIED_YES);
        carom_value_free(result);
    }
    step_and_see(client, "tunnel", 1, view);
    carom_value *whole = state_of(client, "tunnel");
    check_same(view, whole);
    size_t high = 0; // the number of the last ball; each ball was made once
    for (size_t i = 0; i < carom_view_count(view); i++) {
        high += carom_view_body(view, i)->y > 45;
    }
    assert_int_equal(high, CUTS);
    assert_false(carom_view_get_state(view).ended);
    carom_value_free(whole);
    carom_view_free(view);
    carom_world_destroy(client, "tunnel", PATIENCE_MS, NULL);
    carom_free(client);
}

// A packed view shows the world of its tick to within half a step, also to a client that joins
// later, while bodies come and go.
static void packed_view_is_the_world_rounded(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_from_scene(s->client, "packed", "heap", false);
    carom_subscribe_options options = carom_subscribe_options_default(); // packed
    carom_view *view = carom_view_create(NULL);
    check_ok(carom_watch(s->client, "packed", &options, view, PATIENCE_MS, NULL, &error), &error);
    carom_client *other = server_connect(s);
    carom_view *late = carom_view_create(NULL);
    poll_until_tick(s->client, view, 40);
    options.precision[0] = 0.01;
    options.precision[2] = 0.01;
    check_ok(carom_watch(other, "packed", &options, late, PATIENCE_MS, NULL, &error), &error);
    for (int round = 0; round < 3; round++) {
        const uint64_t made = spawn(s->client, "packed", 30.0 + round, CAROM_DYNAMIC);
        poll_until_tick(s->client, view, carom_view_get_state(view).tick + 20);
        uint64_t tick = 0;
        check_ok(carom_world_pause(s->client, "packed", PATIENCE_MS, &tick, &error), &error);
        poll_until_tick(s->client, view, tick);
        poll_until_tick(other, late, tick);
        carom_value *whole = state_of(s->client, "packed");
        const carom_value *bodies = carom_value_get(whole, "bodies");
        assert_int_equal(carom_value_count(bodies), carom_view_count(view));
        assert_int_equal(carom_value_count(bodies), carom_view_count(late));
        for (size_t i = 0; i < carom_value_count(bodies); i++) {
            const carom_value *body = carom_value_at(bodies, i);
            carom_vec2 nowhere = {(double)NAN, (double)NAN};
            carom_vec2 position = carom_get_vec(body, "position", nowhere);
            carom_vec2 velocity = carom_get_vec(body, "velocity", nowhere);
            const uint64_t id = carom_get_uint(body, "body", 0);
            const carom_body *fine = carom_view_find(view, id);
            const carom_body *coarse = carom_view_find(late, id);
            assert_true(fabs(fine->x - position.x) <= 0.501 / 512.0);
            assert_true(fabs(fine->y - position.y) <= 0.501 / 512.0);
            assert_true(fabs(coarse->x - position.x) <= 0.00501);
            assert_true(fabs(coarse->vx - velocity.x) <= 0.00501);
            assert_true(fabs(coarse->vy - velocity.y) <= 0.00501);
        }
        carom_value_free(whole);
        carom_world_resume(s->client, "packed", PATIENCE_MS, NULL, NULL);
        carom_body_remove(s->client, "packed", made, PATIENCE_MS, NULL, NULL);
    }
    assert_int_equal(carom_view_get_state(view).gaps, 0);
    carom_view_free(view);
    carom_view_free(late);
    carom_free(other);
    carom_world_destroy(s->client, "packed", PATIENCE_MS, NULL);
}

static double server_seconds(carom_client *client)
{
    carom_error error;
    carom_value *pong = NULL;
    check_ok(carom_call(client, "ping", NULL, PATIENCE_MS, &pong, &error), &error);
    const double time = carom_get_real(pong, "time", (double)NAN);
    carom_value_free(pong);
    return time;
}

// Whether the clock is the server's, as exactly as the best of its pings and one more can tell.
static bool clock_is_right(carom_clock *clock, carom_client *client)
{
    const double before = carom_now();
    const double told = server_seconds(client);
    const double rtt = carom_now() - before;
    const double wrong = fabs(carom_clock_at(clock, before + rtt / 2.0) - told);
    return wrong <= rtt / 2.0 + carom_clock_get_state(clock).rtt / 2.0 + 0.001;
}

static void smooth_view_and_clock_follow_the_server(void **state)
{
    against_server *s = *state;
    carom_error error;
    create_from_scene(s->client, "smooth", "heap", false);
    carom_view_options options = carom_view_options_default();
    options.interpolation = CAROM_INTERPOLATION_DELAYED;
    carom_view *view = carom_view_create(&options);
    carom_clock *clock = carom_clock_create();
    check_ok(carom_watch(s->client, "smooth", NULL, view, PATIENCE_MS, NULL, &error), &error);
    double last = 0.0;
    const double until = carom_now() + PATIENCE_MS * 1e-3;
    for (int frame = 0; last < 0.5 || !carom_clock_get_state(clock).synchronised; frame++) {
        carom_clock_ping(clock, s->client);
        check_ok(carom_poll(s->client, 10, &error), &error);
        const double time = carom_view_advance(view, carom_now());
        const carom_view_state now = carom_view_get_state(view);
        assert_true(isnan(time) || (time >= last && time <= now.time));
        last = isnan(time) ? last : time;
        assert_true(frame < 100 * PATIENCE_MS);
    }
    assert_int_equal(carom_view_drawn(view, NULL, 0), carom_view_count(view));
    while (!clock_is_right(clock, s->client)) { // it goes to the time of its best ping by degrees
        carom_clock_ping(clock, s->client);
        check_ok(carom_poll(s->client, 10, &error), &error);
        assert_true(carom_now() < until);
    }
    carom_clock_ping(clock, s->client); // so that a ping may be in flight when the clock is freed
    carom_clock_free(clock);
    carom_view_free(view);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(view_of_a_running_world_is_the_world),
        cmocka_unit_test(bodies_come_and_go_in_the_view),
        cmocka_unit_test(touch_is_told_as_it_begins_and_ends),
        cmocka_unit_test(area_shows_what_is_inside),
        cmocka_unit_test(area_goes_along_with_a_body),
        cmocka_unit_test(budget_lets_bodies_take_turns),
        cmocka_unit_test(contacts_come_when_asked_for),
        cmocka_unit_test(described_world_can_be_drawn),
        cmocka_unit_test(view_goes_on_over_lost_connections),
        cmocka_unit_test(packed_view_is_the_world_rounded),
        cmocka_unit_test(smooth_view_and_clock_follow_the_server),
    };
    caromd_path = argc > 1 ? argv[1] : "caromd";
    return cmocka_run_group_tests(tests, server_set_up, server_tear_down);
}
