// The rules of a fleet, step by step: each row of a table is an event, with the state, the newest
// tick that may be shown, and the actions after it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "server/fleet/ownership.h"

#define ANY INT64_MAX

// The records of the tables; server "a" is tested.
enum { ABSENT, A1, A2, A1B, A2B, B1A, B1, B2, B2A, A3, C5, A2AGAIN };

static world_record record_of(int name)
{
    static const struct {
        int64_t term;
        const char *primary, *standby, *run;
    } ALL[] = {{0, "", "", ""},     {1, "a", "", "aa"},  {2, "a", "", "aa"}, {1, "a", "b", "aa"},
               {2, "a", "b", "aa"}, {1, "b", "a", "bb"}, {1, "b", "", "bb"}, {2, "b", "", "bb"},
               {2, "b", "a", "bb"}, {3, "a", "", "aa"},  {5, "c", "", "cc"}, {2, "a", "", "ff"}};
    world_record r = {.term = ALL[name].term};
    strcpy(r.primary, ALL[name].primary);
    strcpy(r.standby, ALL[name].standby);
    strcpy(r.run, ALL[name].run);
    return r;
}

typedef struct row {
    ownership_event_kind kind;
    int64_t term, tick; // term and tick of the log or an acknowledgement
    int record;
    int64_t revision;
    // Afterwards:
    ownership_state state;
    int64_t shows_to;
    const char *actions; // a letter each: W S A N Y D
    int wanted;          // with W
} row;

static void apply(ownership *o, const row *r, int number)
{
    static const char LETTERS[] = "WSANYD";
    const world_record record = record_of(r->record);
    ownership_actions actions = {0};
    const ownership_event e = {.kind = r->kind,
                               .from = "b",
                               .term = r->term,
                               .tick = r->tick,
                               .write = o->write,
                               .record = r->record != ABSENT ? &record : NULL,
                               .revision = r->revision};
    char done[OWNERSHIP_ACTIONS_MAX + 1] = "";
    ownership_handle(o, &e, &actions);
    for (uint32_t i = 0; i < actions.count; i++) {
        done[i] = LETTERS[actions.list[i].kind];
    }
    if (o->state != r->state || ownership_shows_to(o) != r->shows_to ||
        strcmp(done, r->actions) != 0) {
        fail_msg("row %d: %s, shows to %lld, actions %s", number, ownership_state_name(o->state),
                 (long long)ownership_shows_to(o), done);
    }
    if (strchr(done, 'W') != NULL) {
        const world_record wanted = record_of(r->wanted);
        assert_true(world_record_same(&o->wanted, &wanted));
    }
}

static void run(const row *rows, int count, ownership *o)
{
    const world_record self = record_of(A1);
    ownership_init(o, &self);
    for (int i = 0; i < count; i++) {
        apply(o, &rows[i], i);
    }
}

#define RUN(rows) run(rows, sizeof(rows) / sizeof *(rows), &(ownership){0})

static void created_world_is_served_when_written(void **state)
{
    static const row WINS[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_UNANSWERED, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_RECORD, 0, 0, A1, 10, OWNERSHIP_ALONE, ANY, "", 0},
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0},
    };
    static const row LOSES[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_REFUSED, 0, 0, B1, 9, OWNERSHIP_NONE, -1, "D", 0},
    };
    static const row LOST[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_UNANSWERED, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_REFUSED, 0, 0, A1, 10, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    (void)state;
    RUN(WINS);
    RUN(LOSES);
    RUN(LOST);
}

static void claimed_world_gets_a_new_term(void **state)
{
    static const row WINS[] = {
        {EVENT_CLAIM, 0, 0, A1B, 10, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_WRITTEN, 0, 0, ABSENT, 11, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    static const row LOSES[] = {
        {EVENT_CLAIM, 0, 0, A1B, 10, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_REFUSED, 0, 0, B2, 11, OWNERSHIP_NONE, -1, "D", 0},
    };
    // Another process with this server's name: its record is not this one's.
    static const row TWICE[] = {
        {EVENT_CLAIM, 0, 0, A1, 10, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_REFUSED, 0, 0, A2AGAIN, 11, OWNERSHIP_NONE, -1, "D", 0},
    };
    // The answer was lost; the next try finds the first one's record.
    static const row LOST[] = {
        {EVENT_CLAIM, 0, 0, A1, 10, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_UNANSWERED, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_REFUSED, 0, 0, A2, 11, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    static const row GONE[] = {
        {EVENT_CLAIM, 0, 0, A1, 10, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_REFUSED, 0, 0, ABSENT, 0, OWNERSHIP_NONE, -1, "D", 0},
    };
    (void)state;
    RUN(WINS);
    RUN(LOSES);
    RUN(TWICE);
    RUN(LOST);
    RUN(GONE);
}

static void pair_shows_what_the_standby_has(void **state)
{
    static const row ROWS[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_ACKNOWLEDGED, 1, 5, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0}, // no candidate yet
        {EVENT_CANDIDATE, 1, 5, ABSENT, 0, OWNERSHIP_PAIRING, 5, "W", A1B},
        {EVENT_ACKNOWLEDGED, 1, 6, ABSENT, 0, OWNERSHIP_PAIRING, 6, "", 0},
        {EVENT_WRITTEN, 0, 0, ABSENT, 11, OWNERSHIP_PAIRED, 6, "N", 0},
        {EVENT_ACKNOWLEDGED, 1, 8, ABSENT, 0, OWNERSHIP_PAIRED, 8, "", 0},
        {EVENT_ACKNOWLEDGED, 1, 7, ABSENT, 0, OWNERSHIP_PAIRED, 8, "", 0},  // late
        {EVENT_ACKNOWLEDGED, 2, 99, ABSENT, 0, OWNERSHIP_PAIRED, 8, "", 0}, // wrong term
        {EVENT_STANDBY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_UNPAIRING, 8, "W", A2},
        {EVENT_STANDBY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_UNPAIRING, 8, "", 0},
        {EVENT_UNANSWERED, 0, 0, ABSENT, 0, OWNERSHIP_UNPAIRING, 8, "W", A2},
        {EVENT_WRITTEN, 0, 0, ABSENT, 12, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_ACKNOWLEDGED, 1, 99, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0},
        {EVENT_CANDIDATE, 2, 20, ABSENT, 0, OWNERSHIP_PAIRING, 20, "W", A2B},
    };
    (void)state;
    RUN(ROWS);
}

static void standby_missed_while_it_is_written_in(void **state)
{
    static const row ROWS[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_CANDIDATE, 1, 5, ABSENT, 0, OWNERSHIP_PAIRING, 5, "W", A1B},
        {EVENT_STANDBY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_UNPAIRING, 5, "W", A2},
        // The earlier transaction took effect after all: asked again, of its revision.
        {EVENT_REFUSED, 0, 0, A1B, 11, OWNERSHIP_UNPAIRING, 5, "W", A2},
        {EVENT_WRITTEN, 0, 0, ABSENT, 12, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    (void)state;
    RUN(ROWS);
}

static void primary_that_lost_drops_the_world(void **state)
{
    static const row BY_TRANSACTION[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_CANDIDATE, 1, 5, ABSENT, 0, OWNERSHIP_PAIRING, 5, "W", A1B},
        {EVENT_WRITTEN, 0, 0, ABSENT, 11, OWNERSHIP_PAIRED, 5, "N", 0},
        {EVENT_STANDBY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_UNPAIRING, 5, "W", A2},
        {EVENT_REFUSED, 0, 0, B2, 12, OWNERSHIP_NONE, -1, "D", 0},
        {EVENT_ACKNOWLEDGED, 1, 9, ABSENT, 0, OWNERSHIP_NONE, -1, "", 0},
    };
    static const row BY_WATCH[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_RECORD, 0, 0, A1, 9, OWNERSHIP_ALONE, ANY, "", 0}, // late
        {EVENT_RECORD, 0, 0, B2, 12, OWNERSHIP_NONE, -1, "D", 0},
    };
    // Somebody removed the record, or made it again.
    static const row BY_REMOVAL[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_RECORD, 0, 0, ABSENT, 9, OWNERSHIP_ALONE, ANY, "", 0}, // earlier revision
        {EVENT_RECORD, 0, 0, ABSENT, 11, OWNERSHIP_NONE, -1, "D", 0},
    };
    static const row BY_ANOTHER[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_RECORD, 0, 0, B1, 12, OWNERSHIP_NONE, -1, "D", 0},
    };
    (void)state;
    RUN(BY_TRANSACTION);
    RUN(BY_WATCH);
    RUN(BY_REMOVAL);
    RUN(BY_ANOTHER);
}

static void standby_takes_over_by_a_transaction(void **state)
{
    static const row ROWS[] = {
        {EVENT_IMAGE, 0, 4, B1, 10, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_LOG, 1, 5, ABSENT, 0, OWNERSHIP_CATCHING_UP, -1, "A", 0},
        {EVENT_NAMED, 0, 0, B1A, 11, OWNERSHIP_FOLLOWING, -1, "", 0},
        {EVENT_LOG, 1, 6, ABSENT, 0, OWNERSHIP_FOLLOWING, -1, "A", 0},
        {EVENT_LOG, 2, 7, ABSENT, 0, OWNERSHIP_FOLLOWING, -1, "", 0}, // wrong term
        {EVENT_IMAGE, 0, 2, B1, 10, OWNERSHIP_FOLLOWING, -1, "", 0},  // an old one
        {EVENT_PRIMARY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_TAKING_OVER, -1, "W", A2},
        {EVENT_LOG, 1, 7, ABSENT, 0, OWNERSHIP_TAKING_OVER, -1, "", 0}, // rule 3
        {EVENT_UNANSWERED, 0, 0, ABSENT, 0, OWNERSHIP_TAKING_OVER, -1, "W", A2},
        {EVENT_WRITTEN, 0, 0, ABSENT, 12, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_LOG, 1, 8, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0}, // log of the paused primary
    };
    static const row LATE[] = {
        {EVENT_IMAGE, 0, 4, B1, 10, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_RECORD, 0, 0, B1A, 11, OWNERSHIP_FOLLOWING, -1, "", 0},
        {EVENT_PRIMARY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_TAKING_OVER, -1, "W", A2},
        {EVENT_REFUSED, 0, 0, B2, 12, OWNERSHIP_NONE, -1, "D", 0}, // went on alone
    };
    (void)state;
    RUN(ROWS);
    RUN(LATE);
}

static void candidate_takes_over_only_if_named(void **state)
{
    static const row ROWS[] = {
        {EVENT_IMAGE, 0, 4, B1, 10, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_IMAGE, 0, 3, B1, 10, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_PRIMARY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_LOG, 1, 5, ABSENT, 0, OWNERSHIP_CATCHING_UP, -1, "", 0}, // gave it up
        {EVENT_RECORD, 0, 0, B1A, 11, OWNERSHIP_TAKING_OVER, -1, "W", A2},
        {EVENT_WRITTEN, 0, 0, ABSENT, 12, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    static const row NEVER[] = {
        {EVENT_IMAGE, 0, 4, B1, 10, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_PRIMARY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_CATCHING_UP, -1, "", 0},
        {EVENT_RECORD, 0, 0, C5, 11, OWNERSHIP_NONE, -1, "D", 0},
    };
    (void)state;
    RUN(ROWS);
    RUN(NEVER);
}

static void move_is_asked_of_the_standby(void **state)
{
    static const row ROWS[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_YIELD, 0, 0, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0}, // to nobody
        {EVENT_CANDIDATE, 1, 5, ABSENT, 0, OWNERSHIP_PAIRING, 5, "W", A1B},
        {EVENT_WRITTEN, 0, 0, ABSENT, 11, OWNERSHIP_PAIRED, 5, "N", 0},
        {EVENT_YIELD, 0, 0, ABSENT, 0, OWNERSHIP_YIELDING, 5, "Y", 0},
        {EVENT_RECORD, 0, 0, B2, 12, OWNERSHIP_NONE, -1, "D", 0},
    };
    static const row FAILS[] = {
        {EVENT_CLAIM, 0, 0, A1, 10, OWNERSHIP_CLAIMING, -1, "W", A2},
        {EVENT_WRITTEN, 0, 0, ABSENT, 11, OWNERSHIP_ALONE, ANY, "S", 0},
        {EVENT_CANDIDATE, 2, 5, ABSENT, 0, OWNERSHIP_PAIRING, 5, "W", A2B},
        {EVENT_WRITTEN, 0, 0, ABSENT, 12, OWNERSHIP_PAIRED, 5, "N", 0},
        {EVENT_YIELD, 0, 0, ABSENT, 0, OWNERSHIP_YIELDING, 5, "Y", 0},
        {EVENT_STANDBY_MISSED, 0, 0, ABSENT, 0, OWNERSHIP_UNPAIRING, 5, "W", A3},
        {EVENT_WRITTEN, 0, 0, ABSENT, 13, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    (void)state;
    RUN(ROWS);
    RUN(FAILS);
}

static void standby_is_written_in_when_it_has_all_that_was_shown(void **state)
{
    static const row BEGIN[] = {
        {EVENT_CREATE, 0, 0, ABSENT, 0, OWNERSHIP_CLAIMING, -1, "W", A1},
        {EVENT_WRITTEN, 0, 0, ABSENT, 10, OWNERSHIP_ALONE, ANY, "S", 0},
    };
    static const row REST[] = {
        {EVENT_CANDIDATE, 1, 5, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0},
        {EVENT_ACKNOWLEDGED, 1, 6, ABSENT, 0, OWNERSHIP_ALONE, ANY, "", 0},
        {EVENT_ACKNOWLEDGED, 1, 7, ABSENT, 0, OWNERSHIP_PAIRING, 7, "W", A1B},
    };
    ownership o;
    (void)state;
    run(BEGIN, 2, &o);
    assert_int_equal(ownership_show(&o, 7), 7);
    for (int i = 0; i < 3; i++) {
        apply(&o, &REST[i], i);
    }
    assert_int_equal(ownership_show(&o, 9), 7);
}

// An answer of an earlier transaction says nothing about the present one.
static void old_answers_are_ignored(void **state)
{
    const world_record self = record_of(A1);
    ownership_actions actions;
    ownership o;
    (void)state;
    ownership_init(&o, &self);
    ownership_handle(&o, &(ownership_event){.kind = EVENT_CREATE}, &actions);
    const uint64_t first = o.write;
    ownership_handle(&o, &(ownership_event){.kind = EVENT_UNANSWERED, .write = first}, &actions);
    assert_int_equal(actions.count, 1);
    ownership_handle(&o, &(ownership_event){.kind = EVENT_WRITTEN, .write = first, .revision = 9},
                     &actions);
    assert_int_equal(o.state, OWNERSHIP_CLAIMING);
    assert_int_equal(actions.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(created_world_is_served_when_written),
        cmocka_unit_test(claimed_world_gets_a_new_term),
        cmocka_unit_test(pair_shows_what_the_standby_has),
        cmocka_unit_test(standby_missed_while_it_is_written_in),
        cmocka_unit_test(primary_that_lost_drops_the_world),
        cmocka_unit_test(standby_takes_over_by_a_transaction),
        cmocka_unit_test(candidate_takes_over_only_if_named),
        cmocka_unit_test(move_is_asked_of_the_standby),
        cmocka_unit_test(standby_is_written_in_when_it_has_all_that_was_shown),
        cmocka_unit_test(old_answers_are_ignored),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
