// diff: compares two states of worlds bit by bit, from recordings, images and worlds of the server.
// Main thread only.
//
// A state is a replica at a tick. Two recordings are compared at the ticks that both have: first
// their stored hashes; then, between the last equal hash and the first different one, by playing
// both.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <carom/replica.h>

#include "client/cli/commands.h"
#include "client/cli/log/playback.h"
#include "common/args/text.h"

enum { MAGIC_BYTES = 8 };

static const unsigned char RECORDING_MAGIC[MAGIC_BYTES] = {0x89, 'c',  'l',  'o',
                                                           'g',  '\r', '\n', 0x1a};

typedef enum side_kind { SIDE_RECORDING, SIDE_IMAGE, SIDE_WORLD } side_kind;

typedef struct side {
    const char *name;
    side_kind kind;
    playback_span span; // valid for a recording
    playback play;
    carom_replica *state; // the playback's replica, or its own
} side;

// Whether a name must mean a file although no such file exists, so that the error speaks of a
// missing file: names of worlds contain no slash, and hardly end as the files of 'carom record' and
// 'carom save' do.
static bool names_file(const char *name)
{
    const char *dot = strrchr(name, '.');
    return strchr(name, '/') != NULL ||
           (dot != NULL && (strcmp(dot, ".caromlog") == 0 || strcmp(dot, ".caromimage") == 0));
}

static side_kind kind_of(const char *name)
{
    unsigned char head[MAGIC_BYTES] = {0};
    FILE *file = fopen(name, "rbe");
    if (file == NULL) {
        return names_file(name) ? SIDE_IMAGE : SIDE_WORLD;
    }
    size_t got = fread(head, 1, sizeof head, file);
    (void)fclose(file);
    return got == sizeof head && memcmp(head, RECORDING_MAGIC, sizeof head) == 0 ? SIDE_RECORDING
                                                                                 : SIDE_IMAGE;
}

static cli_exit load(side *s, const void *bytes, size_t size)
{
    carom_error error = {0};
    s->state = carom_replica_create();
    if (s->state == NULL) {
        return cli_out_of_memory();
    }
    if (carom_replica_load(s->state, bytes, size, NULL, &error) != CAROM_OK) {
        return playback_fail(s->name, &error);
    }
    return CLI_OK;
}

static cli_exit open_image(side *s)
{
    char *bytes = NULL;
    size_t size = 0;
    cli_exit code = cli_read_file(s->name, &bytes, &size);
    code = code == CLI_OK ? load(s, bytes, size) : code;
    free(bytes);
    return code;
}

static cli_exit open_world(cli *c, side *s)
{
    carom_value *result = NULL;
    carom_value *arguments = carom_set(carom_map(), "world", carom_str(s->name));
    cli_exit code = cli_call(c, "world.image", arguments, &result);
    if (code == CLI_OK) {
        size_t size = 0;
        const void *bytes = carom_as_bytes(carom_value_get(result, "image"), &size);
        code = load(s, bytes != NULL ? bytes : "", size);
    }
    carom_value_free(result);
    return code;
}

static cli_exit open_side(cli *c, side *s, const char *name)
{
    *s = (side){.name = name, .kind = kind_of(name)};
    if (s->kind == SIDE_IMAGE) {
        return open_image(s);
    }
    if (s->kind == SIDE_WORLD) {
        return open_world(c, s);
    }
    cli_exit code = playback_measure(c, name, &s->span);
    return code == CLI_OK ? playback_open(&s->play, name, false) : code;
}

static void close_side(side *s)
{
    if (s->kind != SIDE_RECORDING) {
        carom_replica_free(s->state);
    } else if (s->play.path != NULL) {
        playback_close(&s->play);
    }
}

static cli_exit seek(side *s, uint64_t tick)
{
    if (s->kind != SIDE_RECORDING) {
        return CLI_OK;
    }
    cli_exit code = playback_seek(&s->play, tick);
    s->state = s->play.replica;
    return code;
}

// ---- finding the first difference

typedef struct hash_walk {
    carom_recording *file;
    carom_recording_info at;
    bool over;
} hash_walk;

static void walk_on(hash_walk *w)
{
    const void *record = NULL;
    size_t size = 0;
    w->over = carom_recording_next(w->file, &record, &size, NULL) != CAROM_OK || record == NULL;
    w->at = carom_recording_about(w->file);
}

// The last tick at which the recordings' own hashes agree, and the first tick at which they differ;
// UINT64_MAX if there is none.
static cli_exit compare_hashes(const side *a, const side *b, uint64_t *same, uint64_t *other)
{
    hash_walk w[2] = {{0}};
    carom_error error = {0};
    *same = *other = UINT64_MAX;
    const side *sides[2] = {a, b};
    cli_exit code = CLI_OK;
    for (int i = 0; i < 2 && code == CLI_OK; i++) {
        if (carom_recording_open(sides[i]->name, &w[i].file, &error) != CAROM_OK) {
            code = playback_fail(sides[i]->name, &error);
        } else {
            walk_on(&w[i]);
        }
    }
    while (code == CLI_OK && !w[0].over && !w[1].over && *other == UINT64_MAX) {
        if (w[0].at.tick == w[1].at.tick && w[0].at.has_hash && w[1].at.has_hash) {
            if (w[0].at.hash == w[1].at.hash) {
                *same = w[0].at.tick;
            } else {
                *other = w[0].at.tick;
            }
        }
        bool first = w[0].at.tick <= w[1].at.tick;
        bool second = w[1].at.tick <= w[0].at.tick;
        if (first) {
            walk_on(&w[0]);
        }
        if (second) {
            walk_on(&w[1]);
        }
    }
    carom_recording_close(w[0].file);
    carom_recording_close(w[1].file);
    return code;
}

static cli_exit compare_at(side *a, side *b, uint64_t tick, carom_difference *out)
{
    carom_error error = {0};
    cli_exit code = seek(a, tick);
    code = code == CLI_OK ? seek(b, tick) : code;
    if (code == CLI_OK && carom_replica_compare(a->state, b->state, out, &error) != CAROM_OK) {
        return playback_fail(a->name, &error);
    }
    return code;
}

// Finds the first tick from `first` to `last` at which the states differ, by bisection: they agree
// before it and differ from it on. `found` is false if they agree at `last`.
static cli_exit find_first(side *a, side *b, uint64_t first, uint64_t last, uint64_t *tick,
                           bool *found)
{
    carom_difference d = {0};
    cli_exit code = compare_at(a, b, last, &d);
    *found = d.differs;
    *tick = last;
    while (code == CLI_OK && *found && first < *tick) {
        uint64_t middle = first + (*tick - first) / 2;
        code = compare_at(a, b, middle, &d);
        if (d.differs) {
            *tick = middle;
        } else {
            first = middle + 1;
        }
    }
    return code;
}

// ---- printing

static cli_exit print_json(const carom_difference *d, uint64_t first, uint64_t last)
{
    carom_value *told = carom_set(carom_map(), "same", carom_bool(!d->differs));
    carom_set(told, "first", carom_uint(first));
    carom_set(told, "last", carom_uint(last));
    if (d->differs) {
        carom_set(told, "tick", carom_uint(last));
        carom_set(told, "body", d->body != 0 ? carom_uint(d->body) : carom_nil());
        carom_set(told, "member", carom_str(d->member));
        carom_set(told, "text", carom_str(d->text));
    }
    cli_exit code = cli_print_json(told);
    carom_value_free(told);
    return code;
}

// Reports the result. `first` to `last`: the ticks that were compared; if they differ, `last` is
// the first such tick.
static cli_exit tell(const cli *c, const side *a, const side *b, const carom_difference *d,
                     uint64_t first, uint64_t last)
{
    if (c->json) {
        cli_exit code = print_json(d, first, last);
        return code == CLI_OK && d->differs ? CLI_REFUSED : code;
    }
    if (!d->differs && first == last) {
        (void)printf("the same at tick %" PRIu64 ": hash %016" PRIx64 ", %llu %s\n", last,
                     carom_replica_now(a->state).hash,
                     TEXT_COUNTED(carom_replica_now(a->state).bodies, "body", "bodies"));
        return CLI_OK;
    }
    if (!d->differs) {
        (void)printf("the same from tick %" PRIu64 " to %" PRIu64 ": hash %016" PRIx64
                     " at the end, %llu %s\n",
                     first, last, carom_replica_now(a->state).hash,
                     TEXT_COUNTED(carom_replica_now(a->state).bodies, "body", "bodies"));
        const side *longer = a->span.last > last ? a : b->span.last > last ? b : NULL;
        if (longer != NULL) {
            (void)printf("%s goes on to tick %" PRIu64 "\n", longer->name, longer->span.last);
        }
        return CLI_OK;
    }
    uint64_t ticks[2] = {carom_replica_now(a->state).tick, carom_replica_now(b->state).tick};
    if (ticks[0] == ticks[1]) {
        (void)printf("they differ at tick %" PRIu64 "\n", last);
    } else {
        (void)printf("they differ: %s is at tick %" PRIu64 ", %s at %" PRIu64 "\n", a->name,
                     ticks[0], b->name, ticks[1]);
        if (a->kind == SIDE_WORLD || b->kind == SIDE_WORLD) {
            cli_hint("worlds that stand still can be compared at one tick: carom pause %s",
                     a->kind == SIDE_WORLD ? a->name : b->name);
        }
        return CLI_REFUSED;
    }
    cli_print_line("%s%s", d->body != 0 ? "the first difference: " : "", d->text);
    return CLI_REFUSED;
}

// ---- the cases

static cli_exit diff_recordings(cli *c, side *a, side *b)
{
    uint64_t first = a->span.first > b->span.first ? a->span.first : b->span.first;
    uint64_t last = a->span.last < b->span.last ? a->span.last : b->span.last;
    if (first > last) {
        cli_error(CLI_CODE_FILE,
                  "%s and %s have no tick in common: %" PRIu64 " to %" PRIu64 ", %" PRIu64
                  " to %" PRIu64,
                  a->name, b->name, a->span.first, a->span.last, b->span.first, b->span.last);
        return CLI_USAGE;
    }
    uint64_t same = UINT64_MAX;
    uint64_t other = UINT64_MAX;
    cli_exit code = compare_hashes(a, b, &same, &other);
    uint64_t from = same != UINT64_MAX ? same + 1 : first;
    uint64_t until = other != UINT64_MAX ? other : last;
    from = from < until ? from : until;
    uint64_t tick = until;
    bool differs = false;
    carom_difference d = {.member = ""};
    code = code == CLI_OK ? find_first(a, b, from, until, &tick, &differs) : code;
    code = code == CLI_OK ? compare_at(a, b, tick, &d) : code;
    return code == CLI_OK ? tell(c, a, b, &d, first, tick) : code;
}

// Compares a recording with a state: at the state's tick, or at the recording's end.
static cli_exit diff_states(cli *c, side *a, side *b)
{
    side *recording = a->kind == SIDE_RECORDING ? a : b->kind == SIDE_RECORDING ? b : NULL;
    cli_exit code = CLI_OK;
    if (recording != NULL) {
        uint64_t tick = carom_replica_now(recording == a ? b->state : a->state).tick;
        uint64_t last = recording->span.last;
        tick = tick < recording->span.first ? recording->span.first : tick < last ? tick : last;
        code = seek(recording, tick);
    }
    carom_difference d = {.member = ""};
    carom_error error = {0};
    if (code == CLI_OK && carom_replica_compare(a->state, b->state, &d, &error) != CAROM_OK) {
        code = playback_fail(a->name, &error);
    }
    uint64_t tick = code == CLI_OK ? carom_replica_now(a->state).tick : 0;
    return code == CLI_OK ? tell(c, a, b, &d, tick, tick) : code;
}

static cli_exit run_diff(cli *c)
{
    static side a;
    static side b;
    b = (side){0};
    cli_exit code = open_side(c, &a, args_word(&c->args, 0));
    code = code == CLI_OK ? open_side(c, &b, args_word(&c->args, 1)) : code;
    if (code == CLI_OK) {
        bool both = a.kind == SIDE_RECORDING && b.kind == SIDE_RECORDING;
        code = both ? diff_recordings(c, &a, &b) : diff_states(c, &a, &b);
    }
    close_side(&a);
    close_side(&b);
    return code;
}

const cli_command command_diff = {
    .name = "diff",
    .group = "Replay",
    .summary = "compare two worlds, images or recordings, to the bit",
    .operands = (const args_operand[]){{"A", ARGS_FILE, true, false, NULL},
                                       {"B", ARGS_FILE, true, false, NULL},
                                       {0}},
    .options = (const args_option[]){{0}},
    .details = "Each of the two is a recording (carom record), an image (carom save), or a world "
               "of the server.\n"
               "Prints the first tick that differs, and the first body in it. Two recordings are "
               "compared at all\n"
               "ticks that both have; a recording beside a state at the state's tick. Exit code 0: "
               "the same, 1: they\n"
               "differ.",
    .examples = "  carom diff monday.caromlog tuesday.caromlog\n"
                "  carom diff arena.caromimage arena\n"
                "  carom pause arena; carom fork arena what-if; carom diff arena what-if",
    .run = run_diff,
};
