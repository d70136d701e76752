// A world with bounds of players, and commands of several people.
#ifndef CAROM_TESTS_UNIT_WORLD_PLAYERS_RIG_H
#define CAROM_TESTS_UNIT_WORLD_PLAYERS_RIG_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/world/players.h"

#define BALL "{\"kind\":\"circle\",\"radius\":0.5}"
#define BOX  "{\"kind\":\"box\",\"size\":[2,1]}" // 2 kg

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

extern physics_world *world;
extern owners *whose;
extern player_pushes pushes;
extern players_bounds bounds;
static const actor ANN = {.role = ROLE_PLAYER, .subject = "ann"};
static const actor BOB = {.role = ROLE_PLAYER, .subject = "bob"};
static const actor REFEREE = {.role = ROLE_REFEREE, .subject = "ref"};
extern error why;
int set_up(void **state);
int tear_down(void **state);
// Bounds from the JSON of world.set's `players`.
players_bounds read_bounds(const char *json);
// Checks and applies the command as a served world does; the text of a refusal is in `why`. `made`:
// the number of what the command made; NULL: not asked for.
status try_as(const actor *who, method m, const char *json, uint64_t *made);
// The command succeeds.
__attribute__((format(printf, 3, 4))) void allowed(const actor *who, method m, const char *format,
                                                   ...);
// ANN's command is refused: the text names the place first and the bound last, and the world stays
// as it is.
__attribute__((format(printf, 4, 5))) void refused(const char *place, const char *bound, method m,
                                                   const char *format, ...);
// Spawns a body, which must succeed, and returns its id.
unsigned long long spawn_as(const actor *who, const char *json);

int run_players_random(void);
int run_players_values(void);

#endif
