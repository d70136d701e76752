// Shared traits of shapes: one record, with a count of users, for all traits that are equal to the
// byte.
//
// Worlds are made of many bodies and few shapes; a table finds the equal record by its signature. A
// record keeps its address while it has users, and takes only the memory that its kind of geometry
// needs. Neither its address nor the table's order is visible, so results do not depend on sharing.
#include "common/base/assert.h"
#include "common/physics/state/world.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { CAPACITY_MIN = 16 };

static size_t geometry_size(shape_kind kind)
{
    static const size_t SIZES[SHAPE_KIND_COUNT] = {
        [SHAPE_CIRCLE] = sizeof(circle),
        [SHAPE_CAPSULE] = sizeof(capsule),
        [SHAPE_POLYGON] = sizeof(polygon),
        [SHAPE_SEGMENT] = sizeof(segment),
        [SHAPE_CHAIN_SEGMENT] = sizeof(chain_segment),
    };
    return offsetof(shape_geometry, circle) + SIZES[kind];
}

static size_t traits_size(const shape_traits *traits)
{
    return offsetof(shape_traits, geometry) + geometry_size(traits->geometry.kind);
}

shape_geometry shape_traits_geometry(const shape_traits *traits)
{
    shape_geometry whole;
    memset(&whole, 0, sizeof whole);
    memcpy(&whole, &traits->geometry, geometry_size(traits->geometry.kind));
    return whole;
}

static bool alike(const shape_traits *a, const shape_traits *b)
{
    const size_t from = offsetof(shape_traits, events);
    return a->signature == b->signature && a->points == NULL && b->points == NULL &&
           a->geometry.kind == b->geometry.kind &&
           memcmp((const char *)a + from, (const char *)b + from, traits_size(a) - from) == 0;
}

static uint32_t home_of(const traits_table *table, const shape_traits *traits)
{
    return (uint32_t)traits->signature & (table->capacity - 1);
}

static void put(traits_table *table, shape_traits *traits)
{
    uint32_t place = home_of(table, traits);
    while (table->places[place] != NULL) {
        place = (place + 1) & (table->capacity - 1);
    }
    table->places[place] = traits;
}

static void grow(traits_table *table)
{
    traits_table larger = {
        .count = table->count,
        .lively = table->lively,
        .one_way = table->one_way,
        .capacity = table->capacity == 0 ? CAPACITY_MIN : table->capacity * 2,
    };
    larger.places = calloc(larger.capacity, sizeof(shape_traits *));
    ASSERT_MEMORY(larger.places != NULL);
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->places[i] != NULL) {
            put(&larger, table->places[i]);
        }
    }
    free(table->places);
    *table = larger;
}

shape_traits *shape_traits_take(traits_table *table, const shape_traits *like)
{
    if (table->count * 4 >= table->capacity * 3) {
        grow(table);
    }
    uint32_t place = home_of(table, like);
    while (table->places[place] != NULL && !alike(table->places[place], like)) {
        place = (place + 1) & (table->capacity - 1);
    }
    shape_traits *traits = table->places[place];
    if (traits == NULL) {
        traits = malloc(traits_size(like));
        ASSERT_MEMORY(traits != NULL);
        memcpy(traits, like, traits_size(like));
        traits->users = 0;
        traits->extent_min = shape_extent_min(&traits->geometry);
        table->places[place] = traits;
        table->count++;
        table->lively += traits->restitution > LIVELY_LEAST;
        table->one_way += traits_are_one_way(traits);
    }
    traits->users++;
    return traits;
}

static void take_out(traits_table *table, const shape_traits *traits)
{
    uint32_t mask = table->capacity - 1;
    uint32_t hole = home_of(table, traits);
    while (table->places[hole] != traits) {
        ASSERT(table->places[hole] != NULL);
        hole = (hole + 1) & mask;
    }
    for (uint32_t next = (hole + 1) & mask; table->places[next] != NULL; next = (next + 1) & mask) {
        uint32_t home = home_of(table, table->places[next]);
        // Moves the record into the hole unless its home lies after the hole.
        if (((next - home) & mask) >= ((next - hole) & mask)) {
            table->places[hole] = table->places[next];
            hole = next;
        }
    }
    table->places[hole] = NULL;
    table->count--;
    table->lively -= traits->restitution > LIVELY_LEAST;
    table->one_way -= traits_are_one_way(traits);
}

void shape_traits_drop(traits_table *table, shape_traits *traits)
{
    ASSERT(traits->users > 0);
    if (--traits->users == 0) {
        take_out(table, traits);
        free(traits->points);
        free(traits);
    }
}

// Makes a separate copy of `from`, in the memory that `to` had if the size is the same.
static shape_traits *copy_record(shape_traits *to, const shape_traits *from)
{
    if (to == NULL || traits_size(to) != traits_size(from)) {
        vec2 *points = to != NULL ? to->points : NULL;
        const uint32_t point_count = to != NULL ? to->point_count : 0;
        free(to);
        to = malloc(traits_size(from));
        ASSERT_MEMORY(to != NULL);
        to->points = points;
        to->point_count = point_count;
    }
    vec2 *points = to->points;
    if (points == NULL || from->points == NULL || to->point_count != from->point_count) {
        free(points);
        points = from->points != NULL ? malloc(from->point_count * sizeof *points) : NULL;
        ASSERT_MEMORY(points != NULL || from->points == NULL);
    }
    memcpy(to, from, traits_size(from));
    to->points = points;
    if (points != NULL) {
        memcpy(points, from->points, from->point_count * sizeof *points);
    }
    return to;
}

void traits_table_copy(traits_table *to, const traits_table *from)
{
    if (to->capacity != from->capacity) {
        traits_table_deinit(to);
        to->capacity = from->capacity;
        to->places = from->capacity > 0 ? calloc(from->capacity, sizeof(shape_traits *)) : NULL;
        ASSERT_MEMORY(to->places != NULL || from->capacity == 0);
    }
    to->count = from->count;
    to->lively = from->lively;
    to->one_way = from->one_way;
    for (uint32_t i = 0; i < from->capacity; i++) {
        if (from->places[i] != NULL) {
            to->places[i] = copy_record(to->places[i], from->places[i]);
        } else if (to->places[i] != NULL) {
            free(to->places[i]->points);
            free(to->places[i]);
            to->places[i] = NULL;
        }
    }
}

shape_traits *traits_table_twin(const traits_table *copy, const traits_table *of,
                                const shape_traits *traits)
{
    uint32_t place = home_of(of, traits);
    while (of->places[place] != traits) {
        ASSERT(of->places[place] != NULL);
        place = (place + 1) & (of->capacity - 1);
    }
    return copy->places[place];
}

void traits_table_deinit(traits_table *table)
{
    for (uint32_t i = 0; i < table->capacity; i++) {
        if (table->places[i] != NULL) {
            free(table->places[i]->points);
            free(table->places[i]);
        }
    }
    free(table->places);
    *table = (traits_table){0};
}
