// The world's data as a handler reads it: the data of the newest snapshot, with the later changes
// of handlers. A change is dropped when a snapshot shows its tick, or when its batch is refused.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/referee/game.h"

// The newest change of a key; NULL: none.
static const game_change *change_of(const carom_game *game, const char *key)
{
    for (size_t i = game->change_count; i-- > 0;) {
        if (game->changes[i].key[0] != '\0' && strcmp(game->changes[i].key, key) == 0) {
            return &game->changes[i];
        }
    }
    return NULL;
}

static game_change *change_add(carom_game *game)
{
    if (game->change_count == game->change_room) {
        size_t room = game->change_room == 0 ? 32 : 2 * game->change_room;
        game_change *grown = realloc(game->changes, room * sizeof *grown);
        if (grown == NULL) {
            return NULL;
        }
        game->changes = grown;
        game->change_room = room;
    }
    game_change *made = &game->changes[game->change_count++];
    *made = (game_change){.tick = UINT64_MAX, .turn = game->turn};
    return made;
}

// Handlers read what they have set, or they fail: without memory for that, the handler has failed.
static void without_memory(carom_game *game)
{
    carom_game_fail(game, "out of memory");
}

void changes_set(carom_game *game, const char *key, carom_value *value)
{
    game_change *made = strlen(key) <= CAROM_DATA_KEY_MAX ? change_add(game) : NULL;
    if (made == NULL) {
        carom_value_free(value);
        without_memory(game);
        return;
    }
    snprintf(made->key, sizeof made->key, "%s", key);
    made->value = value;
}

void changes_remove_body(carom_game *game, uint64_t body)
{
    game_change *made = change_add(game);
    if (made == NULL) {
        without_memory(game);
        return;
    }
    made->body = body;
}

static void change_free(game_change *change)
{
    carom_value_free(change->value);
}

void changes_apply(carom_game *game, const game_turn *turn, uint64_t tick)
{
    for (size_t i = 0; i < game->change_count; i++) {
        if (game->changes[i].turn == turn && game->changes[i].tick == UINT64_MAX) {
            game->changes[i].tick = tick;
            game->changes[i].turn = NULL;
        }
    }
}

// Drops the changes of a turn, or those that a tick shows.
static void drop(carom_game *game, const game_turn *turn, uint64_t shown)
{
    size_t kept = 0;
    for (size_t i = 0; i < game->change_count; i++) {
        game_change *change = &game->changes[i];
        bool refused = turn != NULL && change->turn == turn;
        bool old = turn == NULL && change->tick <= shown;
        if (refused || old) {
            change_free(change);
        } else {
            game->changes[kept++] = *change;
        }
    }
    game->change_count = kept;
}

void changes_drop(carom_game *game, const game_turn *turn)
{
    drop(game, turn, 0);
}

void changes_shown(carom_game *game, uint64_t tick)
{
    drop(game, NULL, tick);
}

void changes_clear(carom_game *game)
{
    for (size_t i = 0; i < game->change_count; i++) {
        change_free(&game->changes[i]);
    }
    free(game->changes);
    game->changes = NULL;
    game->change_count = game->change_room = 0;
    changes_release(game);
    free((void *)game->kept);
    game->kept = NULL;
    game->kept_room = 0;
}

// ---- values that were given out

const carom_value *changes_keep(carom_game *game, carom_value *value)
{
    if (value == NULL) {
        return NULL;
    }
    if (game->kept_count == game->kept_room) {
        size_t room = game->kept_room == 0 ? 32 : 2 * game->kept_room;
        carom_value **grown = realloc((void *)game->kept, room * sizeof *grown);
        if (grown == NULL) {
            carom_value_free(value);
            return NULL;
        }
        game->kept = grown;
        game->kept_room = room;
    }
    game->kept[game->kept_count++] = value;
    return value;
}

void changes_release(carom_game *game)
{
    for (size_t i = 0; i < game->kept_count; i++) {
        carom_value_free(game->kept[i]);
    }
    game->kept_count = 0;
}

// ---- reading

const carom_value *carom_game_get(carom_game *game, const char *key)
{
    if (game == NULL || key == NULL) {
        return NULL;
    }
    const game_change *change = change_of(game, key);
    if (change != NULL) {
        return changes_keep(game, carom_value_clone(change->value));
    }
    const carom_datum *datum = carom_view_find_datum(game->view, key);
    return datum == NULL ? NULL : changes_keep(game, carom_datum_value(datum));
}

static int by_key(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// The keys with this beginning, changed or in the view, sorted and each once, some of which may be
// removed. NULL: none, or memory has run out.
static const char **keys_with(const carom_game *game, const char *prefix, size_t *count)
{
    size_t size = strlen(prefix), data = carom_view_datum_count(game->view), found = 0;
    const char **keys = calloc(data + game->change_count + 1, sizeof *keys);
    for (size_t i = 0; keys != NULL && i < data; i++) {
        keys[found] = carom_view_datum(game->view, i)->key;
        found += strncmp(keys[found], prefix, size) == 0;
    }
    for (size_t i = 0; keys != NULL && i < game->change_count; i++) {
        keys[found] = game->changes[i].key;
        found += keys[found][0] != '\0' && strncmp(keys[found], prefix, size) == 0;
    }
    *count = 0;
    if (keys == NULL) {
        return NULL;
    }
    qsort((void *)keys, found, sizeof *keys, by_key);
    for (size_t i = 0; i < found; i++) {
        if (i == 0 || strcmp(keys[i], keys[i - 1]) != 0) {
            keys[(*count)++] = keys[i];
        }
    }
    return keys;
}

size_t carom_game_entries(carom_game *game, const char *prefix, carom_game_entry *out, size_t max)
{
    size_t count = 0, there = 0;
    const char **keys = game != NULL && prefix != NULL ? keys_with(game, prefix, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        const carom_value *value = carom_game_get(game, keys[i]);
        if (value != NULL && there < max && out != NULL) {
            snprintf(out[there].key, sizeof out[there].key, "%s", keys[i]);
            out[there].value = value;
        }
        there += value != NULL;
    }
    free((void *)keys);
    return there;
}

bool seat_read(const char *key, const carom_value *value, carom_player *out)
{
    char *end = NULL;
    uint64_t seat = strtoull(key + strlen(REFEREE_SEAT), &end, 10);
    if (value == NULL || seat == 0 || *end != '\0') {
        return false;
    }
    *out = (carom_player){.seat = seat, .session = carom_get_uint(value, "session", 0)};
    snprintf(out->subject, sizeof out->subject, "%s", carom_get_str(value, "subject", ""));
    return true;
}

size_t carom_game_seats(carom_game *game, carom_player *out, size_t max)
{
    size_t count = 0, there = 0;
    const char **keys = game != NULL ? keys_with(game, REFEREE_SEAT, &count) : NULL;
    for (size_t i = 0; i < count; i++) {
        carom_player player;
        if (seat_read(keys[i], carom_game_get(game, keys[i]), &player)) {
            if (there < max && out != NULL) {
                out[there] = player;
            }
            there++;
        }
    }
    free((void *)keys);
    return there;
}

bool carom_game_seat(carom_game *game, uint64_t seat, carom_player *out)
{
    char key[CAROM_DATA_KEY_MAX + 1];
    snprintf(key, sizeof key, REFEREE_SEAT "%" PRIu64, seat);
    carom_player unwanted;
    return game != NULL && seat_read(key, carom_game_get(game, key), out != NULL ? out : &unwanted);
}

const carom_body *carom_game_find_body(const carom_game *game, uint64_t id)
{
    for (size_t i = 0; game != NULL && i < game->change_count; i++) {
        if (game->changes[i].key[0] == '\0' && game->changes[i].body == id) {
            return NULL;
        }
    }
    return game == NULL ? NULL : carom_view_find(game->view, id);
}
