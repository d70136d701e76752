// The rig of test_players; see players_rig.h.
#include "tests/unit/world/players_rig.h"

#include <stdio.h>
#include <string.h>

#include "common/physics/image.h"
#include "tests/unit/proto/values.h"
#include "tests/unit/proto/wording.h"

physics_world *world;
owners *whose;
player_pushes pushes;
players_bounds bounds;
error why;

int set_up(void **state)
{
    (void)state;
    world_def def = world_def_default();
    def.gravity = (vec2d){0.0, -10.0};
    assert_int_equal(world_create(&def, &world, NULL), STATUS_OK);
    whose = owners_create();
    bounds = (players_bounds){0};
    return 0;
}

int tear_down(void **state)
{
    (void)state;
    player_pushes_deinit(&pushes);
    owners_free(whose);
    world_free(world);
    return 0;
}

static command decoded(method m, const char *json)
{
    command c;
    error err;
    char named[4096];
    const char *rest = strcmp(json, "{}") == 0 ? "}" : json + 1;
    snprintf(named, sizeof named, "{\"world\":\"w\"%s%s", *rest == '}' ? "" : ",", rest);
    if (wording_decode(m, named, &c, &err) != STATUS_OK) {
        fail_msg("%s: %s", json, err.text);
    }
    return c;
}

players_bounds read_bounds(const char *json)
{
    char set[2048];
    snprintf(set, sizeof set, "{\"players\":%s}", json);
    command c = decoded(METHOD_WORLD_SET, set);
    assert_true(c.world_set.has_players);
    const players_bounds out = c.world_set.players;
    command_free(&c);
    return out;
}

status try_as(const actor *who, method m, const char *json, uint64_t *made)
{
    command c = decoded(m, json);
    command_result result;
    command_own(&c, who->subject);
    status s = owners_permit(whose, world, who, &c, &why);
    s = s == STATUS_OK ? players_permit(&bounds, &pushes, whose, world, who, &c, &why) : s;
    s = s == STATUS_OK ? apply_command_as(world, whose, NULL, &c, &result, &why) : s;
    if (s == STATUS_OK) {
        player_pushes_commit(&pushes, &result);
        if (made != NULL) {
            *made = command_result_made(&result);
        }
        command_result_free(&result);
    }
    command_free(&c);
    return s;
}

void allowed(const actor *who, method m, const char *format, ...)
{
    char json[2048];
    va_list list;
    va_start(list, format);
    vsnprintf(json, sizeof json, format, list);
    va_end(list);
    if (try_as(who, m, json, NULL) != STATUS_OK) {
        fail_msg("%s: %s", json, why.text);
    }
}

void refused(const char *place, const char *bound, method m, const char *format, ...)
{
    char json[2048];
    char last[64];
    const uint64_t before = world_hash(world);
    va_list list;
    va_start(list, format);
    vsnprintf(json, sizeof json, format, list);
    va_end(list);
    assert_int_equal(try_as(&ANN, m, json, NULL), STATUS_PERMISSION_DENIED);
    snprintf(last, sizeof last, "(players.%s)", bound);
    if (strncmp(why.text, place, strlen(place)) != 0 || strstr(why.text, last) == NULL) {
        fail_msg("%s: %s", json, why.text);
    }
    assert_true(world_hash(world) == before);
}

unsigned long long spawn_as(const actor *who, const char *json)
{
    uint64_t made = 0;
    if (try_as(who, METHOD_BODY_SPAWN, json, &made) != STATUS_OK) {
        fail_msg("%s: %s", json, why.text);
    }
    return made;
}
