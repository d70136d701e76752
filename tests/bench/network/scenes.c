// Rooms of boxes with a ball that a player drives; see scenes.h.
#include "tests/bench/network/scenes.h"

#include <math.h>
#include <msgpack.h>
#include <string.h>

#include "common/base/assert.h"

static const double PI = 3.14159265358979323846;

static const network_scene SCENES[] = {
    {"quarter", "900 boxes and a driven ball, about a quarter move", 60.0, 60.0, 1.0 / 512.0, 901,
     40.0, 1.2, 60, 0.4, false, 25.0, 6.0, 0.0, 1e9},
    {"all", "900 boxes and a driven ball in a room that sways, all move", 60.0, 60.0, 1.0 / 512.0,
     901, 12.0, 0.7, 30, 0.4, false, 40.0, 14.0, 0.5, 1e9},
    {"colliding", "250 boxes and circles that a ball keeps colliding", 30.0, 60.0, 0.01, 251, 8.0,
     0.8, 16, 0.5, true, 25.0, 12.0, 0.0, 1e9},
    {"rest", "900 boxes and a ball at rest", 60.0, 60.0, 1.0 / 512.0, 901, 40.0, 1.2, 60, 0.4,
     false, 25.0, 6.0, 0.0, 0.0},
};

const network_scene *network_scenes(int *count)
{
    *count = (int)(sizeof SCENES / sizeof *SCENES);
    return SCENES;
}

static body_id put(physics_world *world, body_type type, double x, double y,
                   shape_geometry geometry, double density)
{
    body_def def = body_def_default();
    shape_def shape = shape_def_default();
    body_id id = 0;
    error err;
    def.type = type;
    def.position = (vec2d){x, y};
    shape.geometry = geometry;
    shape.density = density;
    const status s = body_spawn(world, &def, &shape, 1, &id, NULL, &err);
    ASSERT(s == STATUS_OK);
    return id;
}

static shape_geometry box(double width, double height)
{
    shape_geometry g = {.kind = SHAPE_POLYGON};
    error err;
    const vec2 size = {(float)width, (float)height};
    const vec2 centre = {0.0f, 0.0f};
    const status s = polygon_make_box(size, centre, 0.0, 0.0f, &g.polygon, &err);
    ASSERT(s == STATUS_OK);
    return g;
}

static shape_geometry ball_of(double radius)
{
    shape_geometry g = {.kind = SHAPE_CIRCLE};
    g.circle.radius = (float)radius;
    return g;
}

physics_world *network_scene_create(const network_scene *s, body_id *ball)
{
    const double height = 40.0;
    world_def def = world_def_default();
    physics_world *world = NULL;
    error err;
    def.hz = s->hz;
    const status made = world_create(&def, &world, &err);
    ASSERT(made == STATUS_OK);
    put(world, BODY_STATIC, 0.0, -1.0, box(2.0 * s->width + 4.0, 2.0), 1.0);
    put(world, BODY_STATIC, -s->width - 1.0, height, box(2.0, 2.0 * height + 4.0), 1.0);
    put(world, BODY_STATIC, s->width + 1.0, height, box(2.0, 2.0 * height + 4.0), 1.0);
    for (int i = 0; i < s->bodies - 1; i++) {
        const int column = i % s->columns;
        const int row = i / s->columns;
        const double x = (column - s->columns / 2.0 + 0.5) * s->pitch + 0.01 * (row & 1);
        const bool round = s->circles && i % 2 == 1;
        put(world, BODY_DYNAMIC, x, 0.25 + row * s->size * 1.05,
            round ? ball_of(s->size / 2.0) : box(s->size, s->size), 1.0);
    }
    *ball = put(world, BODY_DYNAMIC, 0.0, 12.0, ball_of(1.0), 3.0);
    return world;
}

// ---- a player's commands

enum { ROWS_BYTES_MAX = 1 << 16, SESSION = 5 };

void scene_commands_init(scene_commands *c)
{
    buffer_init(&c->rows, ROWS_BYTES_MAX);
    c->count = 0;
}

void scene_commands_deinit(scene_commands *c)
{
    buffer_deinit(&c->rows);
}

static void pack_text(msgpack_packer *k, const char *text)
{
    msgpack_pack_str(k, strlen(text));
    msgpack_pack_str_body(k, text, strlen(text));
}

// Adds {world, body?, key: [x, y]}, in canonical form.
static void add_row(scene_commands *c, uint64_t tick, const char *method, body_id body,
                    const char *key, vec2d value)
{
    msgpack_sbuffer out;
    msgpack_packer k;
    msgpack_sbuffer_init(&out);
    msgpack_packer_init(&k, &out, msgpack_sbuffer_write);
    msgpack_pack_map(&k, body != 0 ? 3 : 2);
    pack_text(&k, "world");
    pack_text(&k, "lab");
    if (body != 0) {
        pack_text(&k, "body");
        msgpack_pack_uint64(&k, body);
    }
    pack_text(&k, key);
    msgpack_pack_array(&k, 2);
    msgpack_pack_double(&k, value.x);
    msgpack_pack_double(&k, value.y);
    const log_command row = {.tick = tick,
                             .session = SESSION,
                             .method = method,
                             .method_size = (uint32_t)strlen(method),
                             .arguments = (const uint8_t *)out.data,
                             .arguments_size = (uint32_t)out.size};
    log_command_encode(&c->rows, &row);
    c->count++;
    msgpack_sbuffer_destroy(&out);
}

void network_scene_step(const network_scene *s, physics_world *world, body_id ball,
                        scene_commands *commands)
{
    const double mass = 3.0 * PI;
    const double time = world_time(world);
    const uint64_t tick = world_tick(world) + 1;
    error err;
    buffer_clear(&commands->rows);
    commands->count = 0;
    if (time < s->until) {
        const vec2d force = {mass * s->push * sin(time * 0.9), mass * s->lift * sin(time * 2.3)};
        const status done = body_set_force(world, ball, force, NULL, &err);
        ASSERT(done == STATUS_OK);
        add_row(commands, tick, "body.force", ball, "force", force);
    }
    if (s->sway > 0.0) {
        const double turn = s->sway * sin(time * 0.7);
        const vec2d gravity = {9.81 * sin(turn), -9.81 * cos(turn)};
        const status done = world_set_gravity(world, gravity, &err);
        ASSERT(done == STATUS_OK);
        add_row(commands, tick, "world.set", 0, "gravity", gravity);
    }
    world_step(world);
}

log_record network_scene_record(const physics_world *world, const scene_commands *commands)
{
    const uint64_t tick = world_tick(world);
    return (log_record){.from = tick - 1,
                        .tick = tick,
                        .command_count = commands->count,
                        .commands = commands->rows.data,
                        .commands_size = commands->rows.size,
                        .has_hash = true,
                        .hash = world_hash(world)};
}
