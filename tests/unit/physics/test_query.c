// Queries, checked by formulas and brute force: rays, casts, overlaps, nearest, filters, far from
// the origin.
#include "common/physics/query.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "common/base/array.h"

#define assert_near(value, wanted, tolerance)                                                      \
    check_near((value), (wanted), (tolerance), #value, __LINE__)

static void check_near(double value, double wanted, double tolerance, const char *what, int line)
{
    if (!(fabs(value - wanted) <= tolerance)) {
        fail_msg("line %d: %s is %.9g, not within %.3g of %.9g", line, what, value, tolerance,
                 wanted);
    }
}

// ---- worlds

static physics_world *open_world(void)
{
    world_def def = world_def_default();
    physics_world *world = NULL;
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    return world;
}

static body_id add(physics_world *world, body_type type, double x, double y, const shape_def *shape)
{
    body_def def = body_def_default();
    def.type = type;
    def.position = (vec2d){x, y};
    body_id id = 0;
    error err;
    if (body_spawn(world, &def, shape, 1, &id, NULL, &err) != STATUS_OK) {
        fail_msg("%s", err.text);
    }
    return id;
}

static shape_def circle_def(double radius)
{
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_CIRCLE;
    s.geometry.circle.radius = (float)radius;
    return s;
}

static shape_def box_def(double width, double height)
{
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_POLYGON;
    assert_int_equal(polygon_make_box((vec2){(float)width, (float)height}, (vec2){0.0f, 0.0f}, 0.0,
                                      0.0f, &s.geometry.polygon, NULL),
                     STATUS_OK);
    return s;
}

static body_id circle_at(physics_world *world, double x, double y, double radius)
{
    shape_def s = circle_def(radius);
    return add(world, BODY_STATIC, x, y, &s);
}

static body_id box_at(physics_world *world, double x, double y, double width, double height)
{
    shape_def s = box_def(width, height);
    return add(world, BODY_STATIC, x, y, &s);
}

static uint32_t ray(const physics_world *world, double x0, double y0, double x1, double y1,
                    bool all, query_hits *hits)
{
    assert_int_equal(query_ray(world, (vec2d){x0, y0}, (vec2d){x1, y1}, NULL, all, hits, NULL),
                     STATUS_OK);
    return hits->count;
}

// xorshift64* (Vigna 2016): the seeds of the tests.
static double random_between(uint64_t *seed, double lower, double upper)
{
    *seed ^= *seed >> 12;
    *seed ^= *seed << 25;
    *seed ^= *seed >> 27;
    uint64_t bits = (*seed * 0x2545F4914F6CDD1DULL) >> 11;
    return lower + (upper - lower) * (double)bits / 9007199254740992.0;
}

// ---- rays

static void ray_hits_the_nearest_with_point_normal_fraction(void **state)
{
    (void)state;
    physics_world *world = open_world();
    circle_at(world, 8.0, 0.0, 1.0);
    body_id near = circle_at(world, 4.0, 0.0, 1.0);
    query_hits hits = {0};
    assert_int_equal(ray(world, 0.0, 0.0, 10.0, 0.0, false, &hits), 1);
    assert_int_equal(hits.data[0].body, near);
    assert_int_equal(hits.data[0].shape, body_next_shape(world, near, 0));
    assert_near(hits.data[0].point.x, 3.0, 1e-6);
    assert_near((double)hits.data[0].normal.x, -1.0, 1e-6);
    assert_near(hits.data[0].fraction, 0.3, 1e-7);
    array_free(&hits);
    world_free(world);
}

static void ray_all_gives_every_shape_once_nearest_first(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 9; i >= 0; i--) {
        circle_at(world, 2.0 * i + 2.0, 0.11 * i, 0.5);
    }
    query_hits hits = {0};
    // the shape reaches up to y = 0.44
    assert_int_equal(ray(world, 0.0, 0.0, 100.0, 0.0, true, &hits), 5);
    for (uint32_t i = 1; i < hits.count; i++) {
        assert_true(hits.data[i - 1].fraction < hits.data[i].fraction);
    }
    assert_int_equal(ray(world, 0.0, 5.0, 100.0, 5.0, true, &hits), 0);
    array_free(&hits);
    world_free(world);
}

static void ray_from_inside_hits_at_once_without_normal(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_id outer = circle_at(world, 0.0, 0.0, 3.0);
    query_hits hits = {0};
    assert_int_equal(ray(world, 1.0, 0.0, 10.0, 0.0, false, &hits), 1);
    assert_int_equal(hits.data[0].body, outer);
    assert_near(hits.data[0].fraction, 0.0, 0.0);
    assert_near((double)hits.data[0].normal.x, 0.0, 0.0);
    assert_near(hits.data[0].point.x, 1.0, 1e-6);
    array_free(&hits);
    world_free(world);
}

static void ray_ties_go_to_the_lower_slot(void **state)
{
    (void)state;
    physics_world *world = open_world();
    shape_def s = box_def(1.0, 1.0);
    add(world, BODY_STATIC, 50.0, 50.0, &s);
    body_id low = add(world, BODY_KINEMATIC, 5.0, 0.0, &s);
    body_id high = add(world, BODY_STATIC, 5.0, 0.0, &s);
    query_hits hits = {0};
    assert_int_equal(ray(world, 0.0, 0.0, 10.0, 0.0, false, &hits), 1);
    assert_int_equal(hits.data[0].body, low);
    assert_int_equal(ray(world, 0.0, 0.0, 10.0, 0.0, true, &hits), 2);
    assert_int_equal(hits.data[1].body, high);
    array_free(&hits);
    world_free(world);
}

static void ray_agrees_with_brute_force_over_seeds(void **state)
{
    (void)state;
    enum { COUNT = 200 };
    for (uint64_t run = 1; run <= 5; run++) {
        uint64_t seed = run * 0x9E3779B97F4A7C15ULL;
        physics_world *world = open_world();
        double x[COUNT];
        double y[COUNT];
        double radius[COUNT];
        body_id ids[COUNT];
        for (int i = 0; i < COUNT; i++) {
            x[i] = (double)(float)random_between(&seed, -50.0, 50.0);
            y[i] = (double)(float)random_between(&seed, -50.0, 50.0);
            radius[i] = (double)(float)random_between(&seed, 0.1, 3.0);
            shape_def s = circle_def(radius[i]);
            ids[i] = add(world, (body_type)(i % BODY_TYPE_COUNT), x[i], y[i], &s);
        }
        query_hits hits = {0};
        for (int k = 0; k < 400; k++) {
            double px = random_between(&seed, -80.0, 80.0);
            double py = random_between(&seed, -80.0, 80.0);
            double dx = random_between(&seed, -100.0, 100.0);
            double dy = random_between(&seed, -100.0, 100.0);
            double best = 2.0;
            int nearest = -1;
            int met = 0;
            for (int i = 0; i < COUNT; i++) {
                double ox = px - x[i];
                double oy = py - y[i];
                double a = dx * dx + dy * dy;
                double b = ox * dx + oy * dy;
                double c = ox * ox + oy * oy - radius[i] * radius[i];
                double t = c <= 0.0 ? 0.0 : (-b - sqrt(b * b - a * c)) / a;
                if (t >= 0.0 && t <= 1.0) { // false for NaN
                    met++;
                    nearest = t < best ? i : nearest;
                    best = t < best ? t : best;
                }
            }
            uint32_t found = ray(world, px, py, px + dx, py + dy, false, &hits);
            assert_int_equal(found, nearest >= 0);
            if (found == 1) {
                assert_near(hits.data[0].fraction, best, 1e-5);
                assert_true(best == 0.0 || hits.data[0].body == ids[nearest]);
            }
            assert_int_equal(ray(world, px, py, px + dx, py + dy, true, &hits), met);
        }
        array_free(&hits);
        world_free(world);
    }
}

static void ray_of_kilometres_far_out_is_exact_to_a_tenth_of_a_millimetre(void **state)
{
    (void)state;
    physics_world *world = open_world();
    const double far = 500000.0;
    body_id target = circle_at(world, far, far, 0.05);
    query_hits hits = {0};
    assert_int_equal(ray(world, -far, far + 0.03, far + 10.0, far + 0.03, false, &hits), 1);
    assert_int_equal(hits.data[0].body, target);
    assert_near(hits.data[0].point.x, far - 0.04, 1e-4);
    assert_near(hits.data[0].point.y, far + 0.03, 1e-4);
    assert_int_equal(ray(world, -far, far + 0.051, far + 10.0, far + 0.051, false, &hits), 0);
    array_free(&hits);
    world_free(world);
}

static void ray_meets_a_segment_from_both_sides_and_a_chain_from_its_right(void **state)
{
    (void)state;
    physics_world *world = open_world();
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_SEGMENT;
    s.geometry.segment = (segment){{-1.0f, 0.0f}, {1.0f, 0.0f}};
    add(world, BODY_STATIC, 0.0, 0.0, &s);
    query_hits hits = {0};
    assert_int_equal(ray(world, 0.3, 2.0, 0.3, -2.0, false, &hits), 1);
    assert_int_equal(ray(world, 0.3, -2.0, 0.3, 2.0, false, &hits), 1);
    assert_near((double)hits.data[0].normal.y, -1.0, 1e-6);

    const vec2 points[] = {{2.0f, 0.0f}, {1.0f, 0.0f}, {0.0f, 0.0f}, {-2.0f, 0.0f}};
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = 4;
    body_id ground = add(world, BODY_STATIC, 10.0, 0.0, &chain);
    // Drawn leftward, so the chain's upper side is solid. A ray through a corner hits once.
    assert_int_equal(ray(world, 11.0, 2.0, 11.0, -2.0, true, &hits), 1);
    assert_int_equal(hits.data[0].body, ground);
    assert_int_equal(hits.data[0].shape, body_next_shape(world, ground, 0));
    assert_int_equal(ray(world, 11.0, -2.0, 11.0, 2.0, true, &hits), 0);
    array_free(&hits);
    world_free(world);
}

static void ray_follows_bodies_that_moved(void **state)
{
    (void)state;
    physics_world *world = open_world();
    shape_def s = circle_def(0.5);
    body_id ball = add(world, BODY_DYNAMIC, 0.0, 10.0, &s);
    for (int i = 0; i < 60; i++) {
        world_step(world);
    }
    body_info info;
    assert_int_equal(body_get(world, ball, &info, NULL), STATUS_OK);
    query_hits hits = {0};
    uint64_t hash = world_hash(world);
    assert_int_equal(ray(world, -5.0, info.position.y, 5.0, info.position.y, false, &hits), 1);
    assert_near(hits.data[0].point.x, -0.5, 1e-5);
    assert_int_equal(ray(world, -5.0, 10.0, 5.0, 10.0, false, &hits), 0);
    assert_true(world_hash(world) == hash);
    body_def off = body_def_default();
    off.enabled = false;
    assert_int_equal(body_set(world, ball, BODY_FIELD_ENABLED, &off, NULL), STATUS_OK);
    assert_int_equal(ray(world, -5.0, info.position.y, 5.0, info.position.y, false, &hits), 0);
    array_free(&hits);
    world_free(world);
}

// ---- filters

static void filter_by_category_mask_group_body_and_sensor(void **state)
{
    (void)state;
    physics_world *world = open_world();
    shape_def s = circle_def(0.5);
    s.filter = (shape_filter){.category = 4, .mask = 8, .group = 3};
    body_id target = add(world, BODY_STATIC, 3.0, 0.0, &s);
    s = circle_def(0.5);
    s.sensor = true;
    add(world, BODY_STATIC, 6.0, 0.0, &s);
    query_hits hits = {0};
    const vec2d from = {0.0, 0.0};
    const vec2d to = {10.0, 0.0};
    const struct {
        query_filter filter;
        uint32_t wanted;
    } cases[] = {
        {query_filter_default(), 1},
        {{.filter = {.category = 8, .mask = 4}}, 1},
        {{.filter = {.category = 8, .mask = 2}}, 0},
        {{.filter = {.category = 16, .mask = 4}}, 0}, // the shape's mask excludes the query
        {{.filter = {.category = 16, .mask = 0, .group = 3}}, 1},
        {{.filter = {.category = 8, .mask = 4}, .ignore = target}, 0},
        {{.filter = {.category = UINT64_MAX, .mask = UINT64_MAX}, .sensors = true}, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(query_ray(world, from, to, &cases[i].filter, true, &hits, NULL),
                         STATUS_OK);
        assert_int_equal(hits.count, cases[i].wanted);
    }
    array_free(&hits);
    world_free(world);
}

// ---- casts

static void cast_of_a_circle_stops_at_the_distance_of_the_radii(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_id target = circle_at(world, 10.0, 0.6, 0.5);
    shape_geometry ball = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 0.5f}};
    query_hits hits = {0};
    assert_int_equal(
        query_cast(world, &ball, (vec2d){0.0, 0.0}, (vec2d){20.0, 0.0}, NULL, false, &hits, NULL),
        STATUS_OK);
    assert_int_equal(hits.count, 1);
    assert_int_equal(hits.data[0].body, target);
    assert_near(hits.data[0].fraction, (10.0 - 0.8) / 20.0, 1e-4); // 0.6² + 0.8² = 1
    assert_near((double)hits.data[0].normal.x, -0.8, 1e-3);
    assert_near((double)hits.data[0].normal.y, -0.6, 1e-3);
    assert_near(hits.data[0].point.x, 10.0 - 0.4, 1e-3);
    array_free(&hits);
    world_free(world);
}

static void cast_of_a_box_meets_the_boxes_in_its_way(void **state)
{
    (void)state;
    physics_world *world = open_world();
    for (int i = 0; i < 5; i++) {
        box_at(world, 5.0 + 3.0 * i, i == 2 ? 3.0 : 0.9, 1.0, 1.0);
    }
    shape_geometry box = box_def(2.0, 1.0).geometry;
    query_hits hits = {0};
    assert_int_equal(
        query_cast(world, &box, (vec2d){0.0, 0.0}, (vec2d){100.0, 0.0}, NULL, true, &hits, NULL),
        STATUS_OK);
    assert_int_equal(hits.count, 4); // all but the body that lies higher
    assert_near(hits.data[0].fraction, (5.0 - 0.5 - 1.0) / 100.0, 1e-5);
    assert_near(hits.data[3].fraction, (17.0 - 0.5 - 1.0) / 100.0, 1e-5);
    array_free(&hits);
    world_free(world);
}

static void cast_that_starts_in_something_hits_at_once(void **state)
{
    (void)state;
    physics_world *world = open_world();
    box_at(world, 0.0, 0.0, 2.0, 2.0);
    shape_geometry ball = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 0.5f}};
    query_hits hits = {0};
    const vec2d here = {1.2, 0.0};
    const vec2d places[] = {{5.0, 0.0}, here}; // a cast that moves, and one that stands still
    for (int i = 0; i < 2; i++) {
        assert_int_equal(query_cast(world, &ball, here, places[i], NULL, false, &hits, NULL),
                         STATUS_OK);
        assert_int_equal(hits.count, 1);
        assert_near(hits.data[0].fraction, 0.0, 0.0);
    }
    const vec2d clear = {1.6, 0.0};
    assert_int_equal(query_cast(world, &ball, clear, clear, NULL, false, &hits, NULL), STATUS_OK);
    assert_int_equal(hits.count, 0);
    array_free(&hits);
    world_free(world);
}

static void cast_meets_a_chain_from_its_right_side_only(void **state)
{
    (void)state;
    physics_world *world = open_world();
    const vec2 points[] = {{3.0f, 0.0f}, {1.0f, 0.0f}, {-1.0f, 0.0f}, {-3.0f, 0.0f}};
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = 4;
    add(world, BODY_STATIC, 0.0, 0.0, &chain);
    shape_geometry ball = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 0.5f}};
    query_hits hits = {0};
    assert_int_equal(
        query_cast(world, &ball, (vec2d){0.0, 4.0}, (vec2d){0.0, -4.0}, NULL, true, &hits, NULL),
        STATUS_OK);
    assert_int_equal(hits.count, 1);
    assert_near(hits.data[0].fraction, 3.5 / 8.0, 1e-4);
    assert_int_equal(
        query_cast(world, &ball, (vec2d){0.0, -4.0}, (vec2d){0.0, 4.0}, NULL, true, &hits, NULL),
        STATUS_OK);
    assert_int_equal(hits.count, 0);
    array_free(&hits);
    world_free(world);
}

// ---- overlaps

static void overlap_area_finds_shapes_and_not_their_boxes(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_id ball = circle_at(world, 0.0, 0.0, 1.0);
    query_list list = {0};
    const struct {
        vec2d lower, upper;
        uint32_t wanted;
    } cases[] = {
        {{0.5, -0.5}, {2.0, 0.5}, 1},  {{0.8, 0.8}, {2.0, 2.0}, 0},  // only the corner of its box
        {{0.7, 0.7}, {2.0, 2.0}, 1},   {{1.0, -1.0}, {1.0, 1.0}, 1}, // only an edge touches
        {{0.1, 0.1}, {0.1, 0.1}, 1},   {{-1e6, -1e6}, {1e6, 1e6}, 1},
        {{-1e6, 1.01}, {1e6, 1e6}, 0}, {{-5.0, -5.0}, {-1.01, 5.0}, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(
            query_overlap_area(world, cases[i].lower, cases[i].upper, NULL, &list, NULL),
            STATUS_OK);
        assert_int_equal(list.count, cases[i].wanted);
        assert_true(list.count == 0 || list.data[0].body == ball);
    }
    array_free(&list);
    world_free(world);
}

static void overlap_lists_bodies_in_order_and_chains_once(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_id ids[20];
    for (int i = 0; i < 20; i++) {
        shape_def s = circle_def(0.4);
        ids[i] = add(world, (body_type)(i % 3), (i * 7) % 20, 0.0, &s);
    }
    const vec2 points[] = {{20.0f, 0.0f}, {10.0f, 0.1f}, {5.0f, 0.0f}, {-2.0f, 0.0f}};
    shape_def chain = shape_def_default();
    chain.form = FORM_CHAIN;
    chain.points = points;
    chain.point_count = 4;
    body_id ground = add(world, BODY_STATIC, 0.0, 0.0, &chain);
    query_list list = {0};
    assert_int_equal(
        query_overlap_area(world, (vec2d){-3.0, -1.0}, (vec2d){25.0, 1.0}, NULL, &list, NULL),
        STATUS_OK);
    assert_int_equal(list.count, 21);
    for (uint32_t i = 0; i < 20; i++) {
        assert_int_equal(list.data[i].body, ids[i]);
    }
    assert_int_equal(list.data[20].body, ground);
    assert_int_equal(list.data[20].shape, body_next_shape(world, ground, 0));
    array_free(&list);
    world_free(world);
}

static void overlap_shape_turned_by_its_frame(void **state)
{
    (void)state;
    physics_world *world = open_world();
    circle_at(world, 0.0, 1.6, 0.5);
    shape_geometry bar = box_def(3.0, 0.2).geometry;
    query_list list = {0};
    pose level = {{0.0, 0.0}, ROT_IDENTITY};
    assert_int_equal(query_overlap_shape(world, &bar, level, NULL, &list, NULL), STATUS_OK);
    assert_int_equal(list.count, 0);
    pose upright = {{0.0, 0.0}, rot_from_angle(PI_D / 2.0)};
    assert_int_equal(query_overlap_shape(world, &bar, upright, NULL, &list, NULL), STATUS_OK);
    assert_int_equal(list.count, 1);
    array_free(&list);
    world_free(world);
}

static void point_is_in_shapes_but_never_in_segments(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_id big = box_at(world, 0.0, 0.0, 4.0, 4.0);
    body_id small = circle_at(world, 1.0, 1.0, 0.5);
    shape_def s = shape_def_default();
    s.geometry.kind = SHAPE_SEGMENT;
    s.geometry.segment = (segment){{-5.0f, 1.0f}, {5.0f, 1.0f}};
    add(world, BODY_STATIC, 0.0, 0.0, &s);
    query_list list = {0};
    assert_int_equal(query_point(world, (vec2d){1.1, 1.0}, NULL, &list, NULL), STATUS_OK);
    assert_int_equal(list.count, 2);
    assert_int_equal(list.data[0].body, big);
    assert_int_equal(list.data[1].body, small);
    assert_int_equal(query_point(world, (vec2d){2.01, 0.0}, NULL, &list, NULL), STATUS_OK);
    assert_int_equal(list.count, 0);
    array_free(&list);
    world_free(world);
}

// ---- nearest

static void nearest_agrees_with_brute_force_over_seeds(void **state)
{
    (void)state;
    enum { COUNT = 100 };
    for (uint64_t run = 1; run <= 5; run++) {
        uint64_t seed = run * 0x9E3779B97F4A7C15ULL;
        physics_world *world = open_world();
        double x[COUNT];
        double y[COUNT];
        double radius[COUNT];
        for (int i = 0; i < COUNT; i++) {
            x[i] = (double)(float)random_between(&seed, -200.0, 200.0);
            y[i] = (double)(float)random_between(&seed, -200.0, 200.0);
            radius[i] = (double)(float)random_between(&seed, 0.1, 3.0);
            circle_at(world, x[i], y[i], radius[i]);
        }
        for (int k = 0; k < 200; k++) {
            vec2d p = {random_between(&seed, -300.0, 300.0), random_between(&seed, -300.0, 300.0)};
            double best = 1e9;
            for (int i = 0; i < COUNT; i++) {
                double d = sqrt((p.x - x[i]) * (p.x - x[i]) + (p.y - y[i]) * (p.y - y[i]));
                best = fmin(best, fmax(d - radius[i], 0.0));
            }
            query_near near;
            assert_int_equal(query_nearest(world, p, (double)INFINITY, NULL, &near, NULL),
                             STATUS_OK);
            assert_true(near.body != 0);
            assert_near(near.distance, best, 1e-4);
            double dx = near.point.x - p.x;
            double dy = near.point.y - p.y;
            assert_near(sqrt(dx * dx + dy * dy), best, 1e-4);
        }
        world_free(world);
    }
}

static void nearest_keeps_to_its_radius(void **state)
{
    (void)state;
    physics_world *world = open_world();
    body_id ball = circle_at(world, 10.0, 0.0, 1.0);
    query_near near;
    assert_int_equal(query_nearest(world, (vec2d){0.0, 0.0}, 8.9, NULL, &near, NULL), STATUS_OK);
    assert_int_equal(near.body, 0);
    assert_int_equal(query_nearest(world, (vec2d){0.0, 0.0}, 9.1, NULL, &near, NULL), STATUS_OK);
    assert_int_equal(near.body, ball);
    assert_near(near.point.x, 9.0, 1e-5);
    assert_int_equal(query_nearest(world, (vec2d){9.5, 0.0}, 0.0, NULL, &near, NULL), STATUS_OK);
    assert_int_equal(near.body, ball);
    assert_near(near.distance, 0.0, 0.0);
    assert_near(near.point.x, 9.5, 0.0);
    world_free(world);
}

// ---- errors

static void query_bad_arguments_are_refused_by_name(void **state)
{
    (void)state;
    physics_world *world = open_world();
    query_hits hits = {0};
    query_list list = {0};
    query_near near;
    error err;
    const vec2d zero = {0.0, 0.0};
    const vec2d nan = {(double)NAN, 0.0};
    const vec2d far = {2e6, 0.0};
    shape_geometry ball = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, 0.5f}};
    shape_geometry bad = {.kind = SHAPE_CIRCLE, .circle = {{0.0f, 0.0f}, -1.0f}};
    shape_geometry piece = {.kind = SHAPE_CHAIN_SEGMENT};
#define REFUSED(call, word)                                                                        \
    do {                                                                                           \
        assert_int_equal((call), STATUS_INVALID_ARGUMENT);                                         \
        assert_non_null(strstr(err.text, (word)));                                                 \
    } while (0)
    REFUSED(query_ray(world, nan, zero, NULL, false, &hits, &err), "from");
    REFUSED(query_ray(world, zero, far, NULL, false, &hits, &err), "to");
    REFUSED(query_ray(world, zero, zero, NULL, false, &hits, &err), "to");
    REFUSED(query_cast(world, &bad, zero, zero, NULL, false, &hits, &err), "shape");
    REFUSED(query_cast(world, &piece, zero, zero, NULL, false, &hits, &err), "shape");
    REFUSED(query_cast(world, &ball, zero, nan, NULL, false, &hits, &err), "to");
    REFUSED(query_overlap_area(world, nan, zero, NULL, &list, &err), "area");
    REFUSED(query_overlap_area(world, (vec2d){1.0, 0.0}, zero, NULL, &list, &err), "area");
    REFUSED(query_overlap_shape(world, &bad, (pose){zero, ROT_IDENTITY}, NULL, &list, &err),
            "shape");
    REFUSED(query_overlap_shape(world, &ball, (pose){nan, ROT_IDENTITY}, NULL, &list, &err),
            "position");
    REFUSED(query_point(world, far, NULL, &list, &err), "point");
    REFUSED(query_nearest(world, nan, 1.0, NULL, &near, &err), "point");
    REFUSED(query_nearest(world, zero, -1.0, NULL, &near, &err), "radius");
    REFUSED(query_nearest(world, zero, (double)NAN, NULL, &near, &err), "radius");
#undef REFUSED
    assert_int_equal(query_nearest(world, zero, (double)INFINITY, NULL, &near, &err), STATUS_OK);
    assert_int_equal(near.body, 0); // an empty world has nothing near
    world_free(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ray_hits_the_nearest_with_point_normal_fraction),
        cmocka_unit_test(ray_all_gives_every_shape_once_nearest_first),
        cmocka_unit_test(ray_from_inside_hits_at_once_without_normal),
        cmocka_unit_test(ray_ties_go_to_the_lower_slot),
        cmocka_unit_test(ray_agrees_with_brute_force_over_seeds),
        cmocka_unit_test(ray_of_kilometres_far_out_is_exact_to_a_tenth_of_a_millimetre),
        cmocka_unit_test(ray_meets_a_segment_from_both_sides_and_a_chain_from_its_right),
        cmocka_unit_test(ray_follows_bodies_that_moved),
        cmocka_unit_test(filter_by_category_mask_group_body_and_sensor),
        cmocka_unit_test(cast_of_a_circle_stops_at_the_distance_of_the_radii),
        cmocka_unit_test(cast_of_a_box_meets_the_boxes_in_its_way),
        cmocka_unit_test(cast_that_starts_in_something_hits_at_once),
        cmocka_unit_test(cast_meets_a_chain_from_its_right_side_only),
        cmocka_unit_test(overlap_area_finds_shapes_and_not_their_boxes),
        cmocka_unit_test(overlap_lists_bodies_in_order_and_chains_once),
        cmocka_unit_test(overlap_shape_turned_by_its_frame),
        cmocka_unit_test(point_is_in_shapes_but_never_in_segments),
        cmocka_unit_test(nearest_agrees_with_brute_force_over_seeds),
        cmocka_unit_test(nearest_keeps_to_its_radius),
        cmocka_unit_test(query_bad_arguments_are_refused_by_name),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
