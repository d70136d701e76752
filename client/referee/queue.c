// Events that wait for handlers, in the world's order.
#include <stdlib.h>
#include <string.h>

#include "client/referee/game.h"

static char *text_copy(const char *text)
{
    return text == NULL ? NULL : strdup(text);
}

bool event_copy(const carom_event *event, game_event *out)
{
    *out = (game_event){.event = *event,
                        .message = text_copy(event->message),
                        .subject = text_copy(event->subject)};
    if (event->data != NULL) {
        out->data = malloc(event->data_size != 0 ? event->data_size : 1);
        if (out->data != NULL) {
            memcpy(out->data, event->data, event->data_size);
        }
    }
    if ((event->message != NULL && out->message == NULL) ||
        (event->subject != NULL && out->subject == NULL) ||
        (event->data != NULL && out->data == NULL)) {
        event_free(out);
        return false;
    }
    const char *name = carom_event_kind_name(event->kind);
    out->event.name = name != NULL ? name : ""; // another's lives as long as the snapshot
    out->event.message = out->message;
    out->event.subject = out->subject;
    out->event.data = out->data;
    return true;
}

void event_free(game_event *event)
{
    free(event->message);
    free(event->subject);
    free(event->data);
    *event = (game_event){0};
}

// Makes room for one more event. False: memory has run out.
static bool room_for_one(carom_game *game)
{
    if (game->first > 0 && game->first + game->count == game->room) {
        memmove(game->queue, game->queue + game->first, game->count * sizeof *game->queue);
        game->first = 0;
    }
    if (game->first + game->count < game->room) {
        return true;
    }
    size_t room = game->room == 0 ? 64 : 2 * game->room;
    game_event *grown = realloc(game->queue, room * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    game->queue = grown;
    game->room = room;
    return true;
}

void queue_insert(carom_game *game, size_t at, const game_event *event)
{
    game_event taken = *event;
    if (!room_for_one(game)) {
        event_free(&taken);
        game->figures.events_lost++;
        game->amiss = true;
        return;
    }
    game_event *place = game->queue + game->first + at;
    memmove(place + 1, place, (game->count - at) * sizeof *place);
    *place = taken;
    game->count++;
}

void queue_push(carom_game *game, const carom_event *event)
{
    game_event copy;
    if (game->count < GAME_QUEUE_MAX && event_copy(event, &copy)) {
        queue_insert(game, game->count, &copy);
    } else {
        game->figures.events_lost++;
        game->amiss = true;
    }
}

game_event queue_take(carom_game *game)
{
    game_event taken = game->queue[game->first];
    game->first++;
    game->count--;
    return taken;
}

void queue_forget(carom_game *game, int64_t tick)
{
    game_event *events = game->queue + game->first;
    size_t kept = 0;
    for (size_t i = 0; i < game->count; i++) {
        if ((int64_t)events[i].event.tick <= tick) {
            event_free(&events[i]);
        } else {
            events[kept++] = events[i];
        }
    }
    game->count = kept;
}

void queue_clear(carom_game *game)
{
    for (size_t i = 0; i < game->count; i++) {
        event_free(&game->queue[game->first + i]);
    }
    free(game->queue);
    game->queue = NULL;
    game->first = game->count = game->room = 0;
}
