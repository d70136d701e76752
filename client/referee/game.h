// One world as its referee has it: events wait in a queue, handlers answer them one after the
// other, and their changes are sent as a batch. One thread.
#ifndef CAROM_CLIENT_REFEREE_GAME_H
#define CAROM_CLIENT_REFEREE_GAME_H

#include <carom/referee.h>

#define REFEREE_KEY        "referee"  // {holder, session, seq, tick, beat}
#define REFEREE_OWN        "referee/" // keys of the record begin so
#define REFEREE_SEAT       "referee/seat/"
#define GAME_QUEUE_MAX     65536u        // events that wait for handlers
#define GAME_GROUP_MAX     256u          // events that one batch answers, unless one tick has more
#define GAME_BYTES_MAX     (512u * 1024) // bytes of a batch; a server takes 1 MiB
#define GAME_TRIES_MAX     5             // attempts at a batch that a limit or a loss holds up
#define GAME_TRY_S         0.2   // the first pause between two tries; doubled by each failure
#define GAME_CLAIM_S       0.2   // pause between two attempts to become a world's referee
#define GAME_UNSEEN_S      0.5   // added pause before a claim, where events may have been missed
#define GAME_ANSWER_MS     10000 // time for an answer
#define REFEREE_HOLDER_MAX 32    // bytes of a referee's name, with the closing zero

// The answer that a game waits for; at most one request is unanswered.
typedef enum game_phase {
    GAME_IDLE,     // nothing
    GAME_READING,  // the key `referee`, before a claim
    GAME_CLAIMING, // a batch of that key alone
    GAME_COUNTING, // the seats that are taken
    GAME_SENDING,  // a batch of turns, or a beat
    GAME_ASKING,   // the key `referee`: whether a batch without an answer took effect
    GAME_PAUSING   // the time of the next question
} game_phase;

// An event that waits, with texts and data of its own.
typedef struct game_event {
    carom_event event;
    char *message, *subject;
    void *data;
} game_event;

typedef enum turn_kind { TURN_START, TURN_EVENT, TURN_TICK } turn_kind;

// A handler's run: the event, and the handler's changes.
typedef struct game_turn {
    turn_kind kind;
    game_event happened; // set for TURN_EVENT
    carom_batch *batch;
    size_t own; // the first commands, which record a seat: they stay if the others are refused
    size_t bytes;
    carom_error failed; // CAROM_OK: the handler has not failed
} game_turn;

// A change of the data, or a removed body, that the newest snapshot may not show yet.
typedef struct game_change {
    char key[CAROM_DATA_KEY_MAX + 1]; // "": the change removes `body`
    carom_value *value;               // NULL: removed
    uint64_t body;
    uint64_t tick;         // tick of its batch; UINT64_MAX: not yet applied
    const game_turn *turn; // the turn that makes the change; NULL: it was applied
} game_change;

// The referee by the key's record, and the time of the record's last change.
typedef struct game_sign {
    char holder[REFEREE_HOLDER_MAX];
    uint64_t seq, beat;
    uint64_t tick; // tick of the view
    double now;
} game_sign;

struct carom_game {
    carom_referee *referee;
    char *world;
    uint64_t epoch;
    double hz;
    carom_view *view;
    carom_game_state state;
    game_phase phase;
    uint64_t request;  // set in every phase but GAME_IDLE and GAME_PAUSING
    double until;      // end of GAME_PAUSING, by carom_now
    double retry_at;   // the next attempt at the turns; beats go on until then
    double claim_at;   // the next attempt to claim
    double written_at; // the last batch that took effect
    bool leaving;      // no further handlers
    bool amiss;        // joins or leaves may have been missed
    bool start_due;    // the handler `start` was not called yet
    bool told_lost;    // the loss of events was reported
    bool told_claim;   // a failed claim of the world was reported
    bool alone;        // the batch under way is the key's record, without turns
    bool unsure;       // the effect of the batch under way is not known yet
    bool handed_over;  // the key names nobody
    game_sign seen;
    uint64_t version, seq; // values of the key as this referee wrote or last read it
    int64_t handled;       // the last tick whose events are handled, but for those that a paused
                           // world makes in it yet; -1: none
    int64_t since;         // the tick after which every event has arrived; -1: not known
    int64_t ticked;        // the tick of the last call of the handler `tick`
    int64_t record_tick;   // `tick` of the record under way
    game_event *queue;     // events in the world's order, from `first` on
    size_t first, count, room;
    game_turn *turns; // the group under way
    size_t turn_count, turn_room;
    size_t from, to;     // the turns of the batch under way
    bool one_by_one;     // a batch of several turns was refused: each is sent alone
    bool refused;        // the turn alone was refused, too: its seat's record is sent
    int attempts;        // failed attempts at the turns under way
    int asked;           // unanswered questions whether a batch took effect
    carom_error refusal; // error of the batch, in GAME_ASKING
    game_turn *turn;     // the handler that runs; NULL: none

    game_change *changes; // in the order in which they were made
    size_t change_count, change_room;
    carom_value **kept; // values that were given out
    size_t kept_count, kept_room;
    carom_game_figures figures;
};

// ---- game.c: the life of a game

// Makes a game of standby state. Takes `view` over. NULL: memory has run out.
carom_game *game_create(carom_referee *referee, const char *world, uint64_t epoch, double hz,
                        carom_view *view);
void game_free(carom_game *game);
void game_end(carom_game *game);
void game_take(carom_game *game, const carom_snapshot *snapshot);
// Call when the connection was lost: messages in flight do not come again.
void game_doubt(carom_game *game);
void game_advance(carom_game *game, double now);
// Hands the world over, once nothing is under way. True: it has no more to do.
bool game_leave(carom_game *game);
// Time until game_advance has something to do without a message [ms].
int game_timeout_ms(const carom_game *game, double now);

// ---- turns.c: handlers, and the batches that their changes make

void turn_free(carom_game *game, game_turn *turn);
// Runs the handlers of waiting events, up to the size of a batch: game->turns.
void turns_run(carom_game *game);
// A turn's commands were refused: they are dropped, but for the record of its seat.
void turn_refused(carom_game *game, game_turn *turn, const carom_error *error);
// The last tick of which no event waits once the turns before `to` are handled.
int64_t turns_whole_tick(const carom_game *game, size_t to);
// Puts the turns that another referee is to handle back into the queue, and drops the others.
void turns_restore(carom_game *game);
// The commands of turns `from` to `to`, behind `commands`, which is taken over.
carom_value *turns_commands(const carom_game *game, carom_value *commands);
// Seats that are taken (`seated`: of world.info) and of which no event was seen, and the opposite.
void turns_reconcile(carom_game *game, const carom_value *seated);

// ---- queue.c: events that wait

void queue_push(carom_game *game, const carom_event *event);             // copies it
void queue_insert(carom_game *game, size_t at, const game_event *event); // takes it over
game_event queue_take(carom_game *game);           // removes the first; the caller frees it
void queue_forget(carom_game *game, int64_t tick); // events up to it are handled
void queue_clear(carom_game *game);
bool event_copy(const carom_event *event, game_event *out); // false: memory has run out
void event_free(game_event *event);

// ---- changes.c: the world's data, with what handlers have changed

const carom_value *changes_keep(carom_game *game, carom_value *value); // to changes_release
void changes_release(carom_game *game);
void changes_set(carom_game *game, const char *key, carom_value *value); // takes the value over
void changes_remove_body(carom_game *game, uint64_t body);
void changes_apply(carom_game *game, const game_turn *turn, uint64_t tick); // its batch is applied
void changes_drop(carom_game *game, const game_turn *turn);                 // it is refused
void changes_shown(carom_game *game, uint64_t tick); // a snapshot shows this tick
void changes_clear(carom_game *game);
bool seat_read(const char *key, const carom_value *value, carom_player *out);

// ---- referee.c

const carom_referee_handlers *referee_handlers(const carom_referee *referee);
const char *referee_holder(const carom_referee *referee); // this program's name among referees
double referee_lease(const carom_referee *referee);
void referee_report(carom_referee *referee, carom_game *game, const char *during,
                    const carom_error *error);

#endif
