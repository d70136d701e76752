// Seats as bytes of a world; see seats.h. Little-endian:
//   u8 version (1), u32 seats, u32 taken, u8 size of the template's name and the name, then for
//   each taken seat, ascending: u32 seat, u64 session, u8 size of the subject and the subject.
// A change reads all and writes all: joins are rare, and a thousand seats take microseconds.
#include "common/world/seats.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/base/assert.h"
#include "common/base/little_endian.h"

enum {
    VERSION = 1,
    COUNT_AT = 1,
    TAKEN_AT = 5,
    NAME_AT = 9,
    ROW_BYTES = 13 // without the subject
};

_Static_assert(NAME_AT + 1 + TEMPLATE_NAME_BYTES_MAX +
                       WORLD_SEATS_MAX * (ROW_BYTES + OWNER_BYTES_MAX) <=
                   WORLD_SEATS_BYTES_MAX,
               "a world has room for all of its seats");
_Static_assert(TEMPLATE_NAME_BYTES_MAX < WORLD_NAME_BYTES_MAX, "a template's worlds add a number");

void world_seats_deinit(world_seats *s)
{
    array_free(&s->taken);
    *s = (world_seats){0};
}

bool seats_name_valid(const char *name)
{
    const size_t size = strlen(name);
    return size <= TEMPLATE_NAME_BYTES_MAX && world_name_valid(name, size);
}

// ---- bytes

static size_t write_text(uint8_t *at, const char *text)
{
    const size_t size = strlen(text);
    at[0] = (uint8_t)size;
    memcpy(at + 1, text, size);
    return 1 + size;
}

static void write_seats(physics_world *world, const world_seats *s)
{
    uint8_t *bytes = malloc(WORLD_SEATS_BYTES_MAX);
    ASSERT_MEMORY(bytes != NULL);
    bytes[0] = VERSION;
    put32(bytes + COUNT_AT, s->count);
    put32(bytes + TAKEN_AT, s->taken.count);
    size_t at = NAME_AT;
    at += write_text(bytes + at, s->template_name);
    for (uint32_t i = 0; i < s->taken.count; i++) {
        put32(bytes + at, s->taken.data[i].seat);
        put64(bytes + at + 4, s->taken.data[i].session);
        at += ROW_BYTES - 1;
        at += write_text(bytes + at, s->taken.data[i].subject);
    }
    const status set = world_set_seats(world, bytes, at, NULL);
    ASSERT(set == STATUS_OK);
    free(bytes);
}

// Reads a text of at most `most` bytes at *at; false if there is none.
static bool read_text(const uint8_t *bytes, size_t size, size_t *at, size_t most, char *out)
{
    const size_t length = *at < size ? bytes[*at] : 0;
    if (*at >= size || length > most || length > size - *at - 1) {
        return false;
    }
    memcpy(out, bytes + *at + 1, length);
    out[length] = '\0';
    *at += 1 + length;
    return strlen(out) == length;
}

static bool read_row(const uint8_t *bytes, size_t size, size_t *at, world_seats *to)
{
    world_seat row = {0};
    if (size - *at < ROW_BYTES) {
        return false;
    }
    row.seat = get32(bytes + *at);
    row.session = get64(bytes + *at + 4);
    *at += ROW_BYTES - 1;
    const uint32_t before = to->taken.count > 0 ? to->taken.data[to->taken.count - 1].seat : 0;
    const bool good = read_text(bytes, size, at, OWNER_BYTES_MAX, row.subject) &&
                      row.seat > before && row.seat <= to->count && row.session != 0;
    if (good) {
        array_push(&to->taken, row);
    }
    return good;
}

static bool read_seats(const uint8_t *bytes, size_t size, world_seats *to)
{
    if (size < NAME_AT || bytes[0] != VERSION) {
        return false;
    }
    size_t at = NAME_AT;
    to->count = get32(bytes + COUNT_AT);
    const uint32_t taken = get32(bytes + TAKEN_AT);
    bool good = to->count >= 1 && to->count <= WORLD_SEATS_MAX && taken <= to->count &&
                read_text(bytes, size, &at, TEMPLATE_NAME_BYTES_MAX, to->template_name) &&
                seats_name_valid(to->template_name);
    for (uint32_t i = 0; i < taken && good; i++) {
        good = read_row(bytes, size, &at, to);
    }
    return good && at == size;
}

void seats_of(const physics_world *world, world_seats *out)
{
    size_t size = 0;
    const uint8_t *bytes = world_seats_bytes(world, &size);
    *out = (world_seats){0};
    if (size > 0 && !read_seats(bytes, size, out)) {
        world_seats_deinit(out);
    }
}

void seats_count(const physics_world *world, uint32_t *taken, uint32_t *count)
{
    size_t size = 0;
    const uint8_t *bytes = world_seats_bytes(world, &size);
    *taken = size > NAME_AT ? get32(bytes + TAKEN_AT) : 0;
    *count = size > NAME_AT ? get32(bytes + COUNT_AT) : 0;
}

void seats_begin(physics_world *world, const char *template_name, uint32_t count)
{
    ASSERT(seats_name_valid(template_name) && count >= 1 && count <= WORLD_SEATS_MAX);
    world_seats s = {.count = count};
    memcpy(s.template_name, template_name, strlen(template_name) + 1);
    write_seats(world, &s);
}

void seats_end(physics_world *world)
{
    (void)world_set_seats(world, NULL, 0, NULL);
}

// ---- changes

static status check_join(const world_seats *s, const world_join_args *join, error *err)
{
    if (*s->template_name == '\0') {
        return error_set(err, STATUS_NOT_FOUND, "the world has no seats: no join made it");
    }
    if (strcmp(s->template_name, join->template_name) != 0) {
        return error_set(err, STATUS_NOT_FOUND, "template: the world is one of '%s', not of '%s'",
                         s->template_name, join->template_name);
    }
    if (join->session == 0 || join->seat == 0 || join->seat > s->count) {
        return error_set(err, STATUS_LIMIT_EXCEEDED,
                         "seat: must be 1 to %" PRIu32 " of a session, got %" PRIu64
                         " of session %" PRIu64,
                         s->count, (uint64_t)join->seat, join->session);
    }
    for (uint32_t i = 0; i < s->taken.count; i++) {
        const world_seat *one = &s->taken.data[i];
        if (one->session == join->session) {
            return error_set(err, STATUS_ALREADY_EXISTS,
                             "session %" PRIu64 " has seat %" PRIu32 " of the world", one->session,
                             one->seat);
        }
        if (one->seat == join->seat) {
            return error_set(err, STATUS_LIMIT_EXCEEDED,
                             "seat: %" PRIu32 " is session %" PRIu64 "'s", one->seat, one->session);
        }
    }
    return STATUS_OK;
}

static void insert(world_seats *s, const world_join_args *join)
{
    world_seat made = {.seat = join->seat, .session = join->session};
    if (join->subject != NULL) {
        const size_t size = strlen(join->subject);
        ASSERT(size <= OWNER_BYTES_MAX);
        memcpy(made.subject, join->subject, size + 1);
    }
    uint32_t at = 0;
    while (at < s->taken.count && s->taken.data[at].seat < made.seat) {
        at++;
    }
    array_insert(&s->taken, at, made);
}

status seats_take(physics_world *world, const world_join_args *join, error *err)
{
    world_seats s;
    seats_of(world, &s);
    const status result = check_join(&s, join, err);
    if (result == STATUS_OK) {
        insert(&s, join);
        write_seats(world, &s);
    }
    world_seats_deinit(&s);
    return result;
}

status seats_free(physics_world *world, const world_leave_args *leave, error *err)
{
    world_seats s;
    seats_of(world, &s);
    uint32_t at = 0;
    while (at < s.taken.count && s.taken.data[at].session != leave->session) {
        at++;
    }
    const bool found = at < s.taken.count;
    if (found) {
        array_remove(&s.taken, at);
        write_seats(world, &s);
    }
    world_seats_deinit(&s);
    return found ? STATUS_OK
                 : error_set(err, STATUS_NOT_FOUND, "session %" PRIu64 " has no seat in the world",
                             leave->session);
}
