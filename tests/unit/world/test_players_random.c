// Random commands bring no body over the bounds of players.
#include "tests/unit/world/players_rig.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "common/physics/image.h"
#include "tests/unit/proto/values.h"
#include "tests/unit/proto/wording.h"

// ---- random commands

static uint64_t random_state;

static double between(double lower, double upper)
{
    return lower + (upper - lower) * (double)(random_next(&random_state) >> 40) / (double)(1 << 24);
}

static int below(int end)
{
    return (int)(between(0.0, (double)end - 0.001));
}

// A body of the world, or one that the batch spawned first.
static void put_body(char *out, size_t size, bool spawned)
{
    unsigned long long found = 1;
    for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
        found = below(3) == 0 || found == 1 ? b : found;
    }
    if (spawned && below(2) == 0) {
        snprintf(out, size, "{\"$\":0}");
    } else {
        snprintf(out, size, "%llu", found);
    }
}

static void put_shape(char *out, size_t size)
{
    snprintf(out, size, "{\"kind\":\"box\",\"size\":[%g,%g],\"center\":[%g,%g],\"density\":%g}",
             between(0.1, 2.0), between(0.1, 2.0), between(-0.6, 0.6), between(-0.6, 0.6),
             between(0.0, 3.0));
}

// A command that gives the body a number.
static void put_number(char *out, size_t size, const char *name, const char *body, const char *key,
                       double value)
{
    snprintf(out, size, "[\"%s\",{\"body\":%s,\"%s\":%g}]", name, body, key, value);
}

// A command that gives the body a vector, with coordinates from -most to most.
static void put_vector(char *out, size_t size, const char *name, const char *body, const char *key,
                       double most)
{
    snprintf(out, size, "[\"%s\",{\"body\":%s,\"%s\":[%g,%g]}]", name, body, key,
             between(-most, most), between(-most, most));
}

// One command of a batch; the first one may be a spawn, to which the later ones refer.
static void put_command(char *out, size_t size, bool first, bool spawned)
{
    static const char *const TYPES[] = {"static", "kinematic", "dynamic"};
    char body[32];
    char shape[256];
    put_body(body, sizeof body, spawned);
    put_shape(shape, sizeof shape);
    switch (first ? 0 : 1 + below(9)) {
    case 0:
        snprintf(out, size,
                 "[\"body.spawn\",{\"type\":\"%s\",\"velocity\":[%g,%g],\"position\":[%g,%g],"
                 "\"shapes\":[%s]}]",
                 TYPES[below(8) == 0 ? below(3) : 2], between(-4, 4), between(-4, 4),
                 between(-10, 10), between(-10, 10), shape);
        break;
    case 1:
        put_number(out, size, "body.set", body, "mass", between(0, 5));
        break;
    case 2:
        put_vector(out, size, "body.set", body, "velocity", 5);
        break;
    case 3:
        snprintf(out, size, "[\"body.set\",{\"body\":%s,\"position\":[%g,%g],\"angle\":%g}]", body,
                 between(-11, 11), between(-11, 11), between(-3, 3));
        break;
    case 4:
        snprintf(out, size, "[\"body.set\",{\"body\":%s,\"type\":\"%s\"}]", body, TYPES[below(3)]);
        break;
    case 5:
        put_vector(out, size, "body.impulse", body, "impulse", 4);
        break;
    case 6:
        put_number(out, size, "body.angular_impulse", body, "impulse", between(-2, 2));
        break;
    case 7:
        snprintf(out, size, "[\"shape.add\",{\"body\":%s,\"shape\":%s}]", body, shape);
        break;
    case 8: {
        unsigned long long found = 1;
        for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
            for (shape_id id = 0; (id = body_next_shape(world, b, id)) != 0;) {
                found = below(3) == 0 ? id : found;
            }
        }
        snprintf(out, size,
                 below(2) == 0 ? "[\"shape.set\",{\"shape\":%llu,\"density\":2.5}]"
                               : "[\"shape.remove\",{\"shape\":%llu}]",
                 found);
        break;
    }
    default:
        snprintf(out, size,
                 below(3) == 0 ? "[\"body.remove\",{\"body\":%s}]" : "[\"body.get\",{\"body\":%s}]",
                 body);
    }
}

// The engine reports the body, not the check that foresaw it.
static void assert_within(body_id id, uint64_t seed)
{
    static const double ROUNDING = 1.0 + 1e-5;
    body_info info;
    aabb box;
    aabb all = {{0, 0}, {0, 0}};
    bool first = true;
    assert_int_equal(body_get(world, id, &info, NULL), STATUS_OK);
    for (shape_id shape = 0; (shape = body_next_shape(world, id, shape)) != 0;) {
        shape_info of;
        assert_int_equal(shape_get(world, shape, &of, NULL), STATUS_OK);
        box = shape_aabb(&of.def.geometry, TRANSFORM_IDENTITY);
        all = first ? box : aabb_union(all, box);
        first = false;
    }
    const double width = (double)all.upper.x - (double)all.lower.x;
    const double height = (double)all.upper.y - (double)all.lower.y;
    const double speed = hypot(info.velocity.x, info.velocity.y);
    const double corner = fabs(info.angular_velocity) * 0.5 * hypot(width, height);
    assert_int_equal(body_box(world, id, &box, NULL), STATUS_OK);
    const bool inside = (double)box.lower.x >= -10.001 && (double)box.lower.y >= -10.001 &&
                        (double)box.upper.x <= 10.001 && (double)box.upper.y <= 10.001;
    if ((bounds.types >> info.type & 1) == 0 || info.mass > bounds.mass * ROUNDING ||
        width > bounds.size * ROUNDING || height > bounds.size * ROUNDING ||
        speed > bounds.speed * ROUNDING || corner > bounds.speed * ROUNDING || !inside) {
        fail_msg("seed %llu: type %d, %g kg, %g x %g m, %g m/s, corners %g m/s, at [%g, %g]",
                 (unsigned long long)seed, info.type, info.mass, width, height, speed, corner,
                 info.position.x, info.position.y);
    }
}

// Nothing moves in between, so each property of a body is its owner's doing.
static void random_commands_bring_no_body_over_the_bounds(void **state)
{
    (void)state;
    enum { SEEDS = 40, ROUNDS = 100, COMMANDS = 5 };
    uint32_t applied = 0;
    uint32_t denied = 0;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        random_state = seed;
        tear_down(NULL);
        set_up(NULL);
        bounds = read_bounds("{\"types\":[\"dynamic\",\"kinematic\"],\"bodies\":4,\"mass\":3,"
                             "\"size\":2.2,\"speed\":5,\"impulse\":6,\"area\":[-10,-10,10,10]}");
        for (int round = 0; round < ROUNDS; round++) {
            char json[2048] = "{\"commands\":[";
            const bool spawns = below(3) == 0;
            const int count = 1 + below(COMMANDS);
            for (int i = 0; i < count; i++) {
                const size_t at = strlen(json);
                json[at] = ',';
                put_command(json + at + (i > 0), sizeof json - at - 1, i == 0 && spawns,
                            i > 0 && spawns);
            }
            strcat(json, "]}");
            const status s = try_as(&ANN, METHOD_WORLD_APPLY, json, NULL);
            applied += s == STATUS_OK;
            denied += s == STATUS_PERMISSION_DENIED;
            if (below(4) == 0) {
                player_pushes_clear(&pushes);
            }
            assert_true(world_count(world).bodies <= 4);
            for (body_id b = 0; (b = world_next_body(world, b)) != 0;) {
                assert_within(b, seed);
            }
        }
    }
    assert_true(applied > SEEDS * ROUNDS / 10 && denied > SEEDS * ROUNDS / 10);
}

int run_players_random(void)
{
    const struct CMUnitTest tests[] = {
        TEST(random_commands_bring_no_body_over_the_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
